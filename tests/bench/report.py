"""A result as text: the table of the terminal, and the section of docs/performance.md.

A result is {'machine': {...}, 'rows': [...]}; a row {'case', 'title', 'size_mb' (None: of no size),
'note', 'ours_s', 'all_s', 'peak_bytes', 'yardsticks', perhaps 'read_bytes'} or, with 'why_not' instead of figures, one that was not
measured; a yardstick {'name', 'median_s', 'all_s', 'ratio', 'peak_bytes'} or {'name', 'problem'}. A ratio is our time
by theirs. Rows of one case have titles with the same beginning, up to a comma or a colon, and notes whose parts end with
a semicolon. Nothing here measures."""
import re
import textwrap

MIB = 1 << 20
# Of what is measured against something of our own.
RATIO_MAX = {'layouts': 2, 'families': 2.3, 'diff': 2, 'simpleperf': 2, 'exports': 3}
# What is promised of recordings of a size: of a small one, a program's start is most of the time.
PROMISED_MB = {'lanes': (57, 500), 'perfetto': (57, 500), 'exports': (57,)}
# Of what is read, in the time of one processor; by the beginning of a title.
MB_S_MIN = {'Perfetto, other packets': 1000, 'Perfetto, system trace': 200, 'JSON': 150}
BUCKET_MAX = {'small': 2, 'upload': 1.3, 'SVG': 1.05}
MAPPING_MAX = (3, 256 * MIB)     # seconds and bytes, for 300 MB of it
WIDTH = 120
BEGIN = '<!-- performance: written by `make bench-docs`, from the last `make bench` -->'
END = '<!-- performance: end -->'

COLUMNS = '%-26s %4s %10s  %-20s %10s %6s %9s'
HEADING = COLUMNS % ('case', 'MB', 'ours ms', 'yardstick', 'its ms', 'ratio', 'peak MiB')


# ---- figures ----
def milliseconds(seconds):
    """Three digits that count."""
    ms = seconds * 1e3
    return '%.0f' % ms if ms >= 100 else '%.1f' % ms if ms >= 10 else '%.2f' % ms if ms >= 1 else '%.3f' % ms


def mebibytes(count):
    return '%.1f' % (count / MIB) if count else ''


def lines_of(row):
    """The cells of a row, one line per yardstick: what belongs to the row stands in the first."""
    size = str(row['size_mb'] or '')
    if 'why_not' in row:
        return [[row['title'], size, '', row['why_not'], '', '', '']]
    lines = []
    for yardstick in row['yardsticks'] or [{'name': '', 'problem': ''}]:
        figures = [yardstick['problem'], ''] if 'problem' in yardstick else \
            [milliseconds(yardstick['median_s']), '%.2f' % yardstick['ratio']]
        own = ['', '', ''] if lines else [row['title'], size, milliseconds(row['ours_s'])]
        lines.append([*own, yardstick['name'], *figures, '' if lines else mebibytes(row['peak_bytes'])])
    return lines


def table_lines(row):
    return [(COLUMNS % tuple(cells)).rstrip() for cells in lines_of(row)]


# ---- goals ----
def goal(row, promise, value, unit, met, title=None):
    return {'case': row['case'], 'title': title or row['title'], 'size_mb': row['size_mb'], 'promise': promise,
            'value': value, 'unit': unit, 'met': met}


def lanes_max(row):
    """The first ones read the file once; a window of a long file costs what its records cost."""
    if row['title'].startswith('first'):
        return 3
    return 0.05 if row['title'] == 'lanes of 1 %' and row['size_mb'] >= 500 else 0.3


def goals_of(row):
    ratios = [y for y in row['yardsticks'] if 'ratio' in y]
    if row['case'] == 'start':
        yield goal(row, 'under 50 ms', row['ours_s'] * 1e3, 'ms', row['ours_s'] < 0.050)
    if row['case'] == 'start' and row['title'] == 'start to first answer':
        yield goal(row, 'under 12 MiB', row['peak_bytes'] / MIB, 'MiB', row['peak_bytes'] < 12 * MIB, 'idle memory')
    for yardstick in ratios if row['case'] == 'lanes' else ():
        times, most = min(row['all_s']) / min(yardstick['all_s']), lanes_max(row)
        yield goal(row, 'at most %s times what the %s takes' % (most, yardstick['name']), times, 'times', times <= most)
    for yardstick in ratios if row['case'] in RATIO_MAX else ():
        # Of the best runs: whatever else the machine does only adds, and more to long ones.
        times, most = min(row['all_s']) / min(yardstick['all_s']), RATIO_MAX[row['case']]
        yield goal(row, 'at most %s times what the %s takes' % (most, yardstick['name']), times, 'times', times <= most)
    if row['case'] == 'families':
        yield goal(row, 'memory of a job (512 MiB) is enough', row['peak_bytes'] / MIB, 'MiB',
                   row['peak_bytes'] < 512 * MIB)
    if row['case'] == 'mapping':
        seconds, most = MAPPING_MAX
        yield goal(row, 'within %d s' % seconds, row['ours_s'], 's', row['ours_s'] <= seconds)
        yield goal(row, 'within %.0f MiB' % (most / MIB), row['peak_bytes'] / MIB, 'MiB', row['peak_bytes'] <= most)
    for title, least in MB_S_MIN.items() if 'read_bytes' in row else ():
        if row['title'].startswith(title):
            speed = row['read_bytes'] / min(row['all_s']) / 1e6
            yield goal(row, 'at least %d MB/s' % least, speed, 'MB/s', speed >= least)
    for yardstick in ratios if row['case'] == 'doors' else ():
        most = 1.3 if yardstick['name'].startswith('nginx') else 1.05
        yield goal(row, 'at most %s times what it takes %s' % (most, yardstick['name']), yardstick['ratio'], 'times',
                   yardstick['ratio'] <= most)
    for yardstick in ratios if row['case'] == 'bucket' else ():
        most = next(most for word, most in BUCKET_MAX.items() if word in row['title'])
        yield goal(row, 'at most %s times what the %s takes' % (most, yardstick['name']), yardstick['ratio'], 'times',
                   yardstick['ratio'] <= most)
    if row['case'] == 'small':
        yield goal(row, 'at least 1,500 a second', 1 / row['ours_s'], 'a second', row['ours_s'] <= 1 / 1500)
    for yardstick in ratios if row['case'] == 'cached' else ():
        times = 1 / yardstick['ratio']
        yield goal(row, 'at least 0.9 times the requests per second of nginx', times, 'times', times >= 0.9)


def is_promised(row):
    return 'why_not' not in row and row['size_mb'] in PROMISED_MB.get(row['case'], (row['size_mb'],))


def goals(rows):
    """What was promised, for the rows that were measured."""
    return [g for row in rows if is_promised(row) for g in goals_of(row)]


def figure(g, unit=True):
    return ('%.2f' if g['unit'] == 'times' else '%.1f') % g['value'] + (' ' + g['unit'] if unit else '')


def sized(title, size_mb):
    return '%s, %s MB' % (title, size_mb) if size_mb else title


def goal_lines(rows):
    """One line for each."""
    return ['%s: %s: %s: %s' % ('met' if g['met'] else 'MISSED', sized(g['title'], g['size_mb']), g['promise'],
                                figure(g)) for g in goals(rows)]


# ---- titles with the same beginning ----
def gathered(items, key):
    """Lists of those with the same key, in the order of their first ones."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def common_title(titles):
    """What they begin with; the whole if it is one."""
    titles = list(dict.fromkeys(titles))
    return titles[0] if len(titles) == 1 else ', '.join(dict.fromkeys(re.split('[,:] ', t)[0] for t in titles))


def own_title(title):
    """What tells it from the others of its case."""
    return re.split('[,:] ', title, maxsplit=1)[-1]


def goal_items(rows):
    """One item for each promise: the least and the most that keep it, then each that does not."""
    for group in gathered(goals(rows), lambda g: (g['case'], g['promise'])):
        kept = sorted((g for g in group if g['met']), key=lambda g: g['value'])
        found = [figure(kept[0], unit=False) + ' to ' + figure(kept[-1])] if len(kept) > 1 else [figure(g) for g in kept]
        for g in group:
            if not g['met']:
                who = sized(own_title(g['title']), g['size_mb']) + ': ' if len(group) > 1 else ''
                found.append('%s%s (missed)' % (who, figure(g)))
        yield '- %s: %s: %s' % (common_title(g['title'] for g in group), group[0]['promise'], '; '.join(found))


# ---- the section ----
def machine_sentence(machine):
    return ('Measured on %d processors (%s) with %.0f GiB of memory, %s, on %s, %s; the load average was %.1f before and '
            '%.1f after.' %
            (machine['processors'], machine['processor'], machine['memory_bytes'] / 2**30, machine['system'],
             machine.get('file_system', 'an unknown file system'), machine['program'], machine['load_before'], machine['load_after']))


def wrapped(text, indent):
    return textwrap.wrap(text, WIDTH, initial_indent=indent + '- ', subsequent_indent=indent + '  ')


def note_lines(rows):
    """One item for the rows of a case: what all their notes say, and below it what each says besides."""
    said = {}     # title -> note -> sizes
    for row in rows:
        if row['note']:
            said.setdefault(row['title'], {}).setdefault(row['note'], []).append(row['size_mb'])
    parts = [note.split('; ') for notes in said.values() for note in notes]
    shared = [part for part in parts[0] if all(part in others for others in parts)] if parts else []
    lines = wrapped('%s: %s' % (common_title(said), '; '.join(shared)), '') if shared else []
    for title, notes in said.items():
        own = {'; '.join(part for part in note.split('; ') if part not in shared): sizes
               for note, sizes in notes.items()}
        text = ', '.join(note if len(own) == 1 else '%s at %s MB' % (note, sizes[0]) for note, sizes in own.items() if note)
        if text:
            lines += wrapped('%s: %s' % (own_title(title) if shared else title, text), '  ' if shared else '')
    return lines


def section(result):
    """What stands between the marks."""
    lines = textwrap.wrap(machine_sentence(result['machine']) + ' Times are medians of runs that alternate with the '
                          'yardstick; the ratio, our time by its time, is what means something on another machine.',
                          WIDTH)
    lines += ['', '| case | MB | ours, ms | yardstick | its ms | ratio | peak MiB |', '|---|--:|--:|---|--:|--:|--:|']
    by_title = [row for group in gathered(result['rows'], lambda row: row['title']) for row in group]
    lines += ['| ' + ' | '.join(cells) + ' |' for row in by_title for cells in lines_of(row)]
    lines.append('')
    for group in gathered(result['rows'], lambda row: row['case']):
        lines += note_lines(group)
    lines += ['', 'Promised, and found:', '', *goal_items(result['rows'])]
    return '\n'.join(lines)


def replace_section(text, result, cases, sizes_mb):
    """The document with this result; ValueError if it has no place for it, or the result is not of a whole run."""
    have = {(row['case'], row['size_mb']) for row in result['rows']}
    missing = [name for name in cases if not any(case == name for case, _ in have)]
    missing += ['%d MB' % size for size in sizes_mb if not any(s == size for _, s in have)]
    if missing:
        raise ValueError('the result has not all that `make bench` measures; missing: ' + ', '.join(missing))
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin or text.count(BEGIN) + text.count(END) != 2:
        raise ValueError('the marks of the performance section are not there, or not once each:\n%s\n%s' % (BEGIN, END))
    return '%s%s\n\n%s\n\n%s' % (text[:begin], BEGIN, section(result), text[end:])
