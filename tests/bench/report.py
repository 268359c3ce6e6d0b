"""A result as text: the table of the terminal, and the performance section of the README.

A result is {'machine': {...}, 'rows': [...], 'goals': [...]}; a row {'case', 'title', 'size_mb' (None: of no size),
'note', 'ours_s', 'all_s', 'peak_bytes', 'yardsticks'} or, with 'why_not' instead of figures, one that was not
measured; a yardstick {'name', 'median_s', 'all_s', 'ratio', 'peak_bytes'} or {'name', 'problem'}. A ratio is our time
by theirs. Nothing here measures."""
import textwrap

MIB = 1 << 20
RATIO_MAX = {'layouts': 2, 'families': 2.3}     # of what is measured against something of our own
WIDTH = 120
BEGIN = '<!-- performance: written by `make bench-readme`, from the last `make bench` -->'
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
def goals(rows):
    """What was promised, for the rows that were measured: {'text', 'measured', 'met'}."""
    found = []
    for row in rows:
        if 'why_not' in row:
            continue
        if row['case'] == 'start':
            found.append({'text': 'start to first answer under 50 ms',
                          'measured': milliseconds(row['ours_s']) + ' ms', 'met': row['ours_s'] < 0.050})
            found.append({'text': 'idle memory under 12 MiB', 'measured': mebibytes(row['peak_bytes']) + ' MiB',
                          'met': row['peak_bytes'] < 12 * MIB})
        for yardstick in row['yardsticks'] if row['case'] in RATIO_MAX else ():
            if 'ratio' in yardstick:
                # Of the best runs: whatever else the machine does only adds, and more to long ones.
                times, most = min(row['all_s']) / min(yardstick['all_s']), RATIO_MAX[row['case']]
                size = ', %s MB' % row['size_mb'] if row['size_mb'] else ''
                found.append({'text': '%s%s: at most %s times what the %s takes' %
                                      (row['title'], size, most, yardstick['name']),
                              'measured': '%.2f times' % times, 'met': times <= most})
        if row['case'] == 'families':
            found.append({'text': '%s: memory of a job (512 MiB) is enough' % row['title'],
                          'measured': mebibytes(row['peak_bytes']) + ' MiB', 'met': row['peak_bytes'] < 512 * MIB})
        for yardstick in row['yardsticks'] if row['case'] == 'cached' else ():
            if 'ratio' in yardstick:
                times = 1 / yardstick['ratio']
                found.append({'text': '%s, %s MB: at least 0.9 times the requests per second of nginx' %
                                      (row['title'], row['size_mb']),
                              'measured': '%.2f times' % times, 'met': times >= 0.9})
    return found


def goal_lines(result):
    return ['%s: %s: %s' % ('met' if goal['met'] else 'MISSED', goal['text'], goal['measured'])
            for goal in result['goals']]


# ---- the section ----
def machine_sentence(machine):
    return ('Measured on %d processors (%s) with %.0f GiB of memory, %s, %s; the load average was %.1f before and '
            '%.1f after.' %
            (machine['processors'], machine['processor'], machine['memory_bytes'] / 2**30, machine['system'],
             machine['program'], machine['load_before'], machine['load_after']))


def notes(rows):
    """One item per title, in the order of the table."""
    said = {}
    for row in rows:
        if row['note']:
            said.setdefault(row['title'], row['note'])
    return [line for title, note in said.items()
            for line in textwrap.wrap(title + ': ' + note, WIDTH, initial_indent='- ', subsequent_indent='  ')]


def section(result):
    """What stands between the marks."""
    lines = textwrap.wrap(machine_sentence(result['machine']) + ' Times are medians of runs that alternate with the '
                          'yardstick; the ratio, our time by its time, is what means something on another machine.',
                          WIDTH)
    lines += ['', '| case | MB | ours, ms | yardstick | its ms | ratio | peak MiB |', '|---|--:|--:|---|--:|--:|--:|']
    for row in result['rows']:
        lines += ['| ' + ' | '.join(cells) + ' |' for cells in lines_of(row)]
    lines += ['', *notes(result['rows'])]
    if result['goals']:
        lines += ['', 'Promised, and found:', '']
        lines += ['- %s: %s%s' % (g['text'], g['measured'], '' if g['met'] else ' (missed)') for g in result['goals']]
    return '\n'.join(lines)


def replace_section(text, result, cases, sizes_mb):
    """The README with this result; ValueError if it has no place for it, or the result is not of a whole run."""
    have = {(row['case'], row['size_mb']) for row in result['rows']}
    missing = [name for name in cases if not any(case == name for case, _ in have)]
    missing += ['%d MB' % size for size in sizes_mb if not any(s == size for _, s in have)]
    if missing:
        raise ValueError('the result has not all that `make bench` measures; missing: ' + ', '.join(missing))
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin or text.count(BEGIN) + text.count(END) != 2:
        raise ValueError('the marks of the performance section are not there, or not once each:\n%s\n%s' % (BEGIN, END))
    return '%s%s\n\n%s\n\n%s' % (text[:begin], BEGIN, section(result), text[end:])
