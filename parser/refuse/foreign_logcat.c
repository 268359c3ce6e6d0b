/* Text of logcat, in all forms of `adb logcat -v`. P is the priority, one of VDIWEFAS:
 *
 *   brief       P/tag(pid): text             tag         P/tag: text          tags are padded to 8 characters
 *   process     P(pid) text  (tag)           thread      P(pid:tid) text      numbers to 5
 *   time        TIME P/tag(pid): text        threadtime  TIME pid tid P tag: text
 *   long        [ TIME pid:tid P/tag ], LF, text, LF, LF
 *   raw         text alone; known only by the lines that begin a buffer
 *
 * TIME is a date and a time, with or without year and zone, or seconds with a fraction (epoch, monotonic). Colours and
 * user ids may stand between. Android Studio writes a date and time, then pid-tid. */
#include <string.h>

#include "parser/refuse/foreign_shapes.h"

enum { TAG_WIDTH = 8, NUMBER_WIDTH = 5, FRACTION_DIGITS = 3 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip(struct str *s, size_t n)
{
    s->p += n, s->n -= n;
}

static size_t blanks(struct str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] == ' ')
        n++;
    return n;
}

static size_t digits(struct str s)
{
    size_t n = 0;

    while (n < s.n && is_digit(s.p[n]))
        n++;
    return n;
}

/* Whether s begins as the pattern, in which 0 stands for a digit; then it is taken off. */
static bool take(struct str *s, const char *pattern)
{
    size_t n = 0;

    for (; pattern[n] != '\0'; n++)
        if (n >= s->n || (pattern[n] == '0' ? !is_digit(s->p[n]) : s->p[n] != pattern[n]))
            return false;
    skip(s, n);
    return true;
}

static void take_colour(struct str *s)
{
    size_t end = str_find(*s, 'm');

    if (str_starts(*s, STR("\x1b[")) && end < s->n)
        skip(s, end + 1);
}

/* A date and a time, up to the blank behind them. */
static bool take_date(struct str *s)
{
    if (!take(s, "00-00 00:00:00.000") && !take(s, "0000-00-00 00:00:00.000"))
        return false;
    skip(s, digits(*s));
    if (!take(s, " +0000 "))
        take(s, " -0000 ");
    return true;
}

/* Seconds with a fraction of 3, 6 or 9 digits. */
static bool take_seconds(struct str *s)
{
    struct str rest = *s;

    skip(&rest, blanks(rest));
    size_t whole = digits(rest);
    skip(&rest, whole);
    if (whole == 0 || !take(&rest, "."))
        return false;
    size_t fraction = digits(rest);
    skip(&rest, fraction);
    if (fraction == 0 || fraction % FRACTION_DIGITS != 0 || blanks(rest) == 0)
        return false;
    *s = rest;
    return true;
}

static bool take_priority(struct str *s)
{
    if (s->n == 0 || s->p[0] == '\0' || strchr("VDIWEFAS", s->p[0]) == NULL)
        return false;
    skip(s, 1);
    return true;
}

/* A number, padded with blanks before it to the width. */
static bool take_number(struct str *s, size_t width)
{
    struct str rest = *s;

    skip(&rest, blanks(rest));
    size_t n = digits(rest);
    skip(&rest, n);
    if (n == 0 || s->n - rest.n < width)
        return false;
    *s = rest;
    return true;
}

/* `P/tag(pid): `; a user id may stand before the pid. */
static bool is_brief(struct str s)
{
    if (!take_priority(&s) || !take(&s, "/"))
        return false;
    size_t close = str_find_str(s, STR("): "));
    if (close == s.n && str_ends(s, STR("):")))
        close = s.n - 2;
    struct str tag = {s.p, close};
    size_t open = str_find_last(tag, '(');
    return close < s.n && open < close && is_digit(s.p[close - 1]) && str_find(tag, ';') == close;
}

/* `P/tag: `. A folded stack's root may begin so too, but hardly with the blanks that belong there. */
static bool is_tagged(struct str s)
{
    if (!take_priority(&s) || !take(&s, "/"))
        return false;
    struct str tag = {s.p, str_find(s, ':')};
    skip(&s, tag.n);
    bool padded = tag.n == TAG_WIDTH || (tag.n > TAG_WIDTH && str_find(tag, ' ') == tag.n);
    return padded && (take(&s, ": ") || s.n == 1) && str_find(tag, '/') == tag.n &&
           str_find(tag, ';') == tag.n;
}

/* `P(pid) text  (tag)` and `P(pid:tid) text`. */
static bool is_process(struct str s)
{
    if (!take_priority(&s) || !take(&s, "(") || !take_number(&s, NUMBER_WIDTH))
        return false;
    if (take(&s, ":"))
        return take_number(&s, NUMBER_WIDTH) && take(&s, ") ");
    return take(&s, ") ") && str_ends(s, STR(")")) && str_find_str(s, STR("  (")) < s.n;
}

/* ` pid tid P tag: `; a user may stand before. */
static bool is_threadtime(struct str s)
{
    struct str rest = s;

    if (!take_number(&rest, 0) || blanks(rest) == 0) {
        skip(&s, blanks(s));
        skip(&s, str_find(s, ' '));
        rest = s;
        if (!take_number(&rest, 0))
            return false;
    }
    if (!take_number(&rest, 0))
        return false;
    s = rest;
    if (take_number(&s, 0)) /* the first one was the user's */
        rest = s;
    return take(&rest, " ") && take_priority(&rest) && take(&rest, " ") && str_find(rest, ':') < rest.n;
}

static bool is_studio(struct str s)
{
    return take_number(&s, 0) && take(&s, "-0") && blanks(s) < s.n;
}

static bool is_log_line(struct str s)
{
    take_colour(&s);
    if (take_date(&s) || take_seconds(&s)) {
        struct str rest = s;
        skip(&rest, blanks(rest));
        return is_brief(rest) || is_threadtime(s) || is_studio(s);
    }
    return is_brief(s) || is_tagged(s) || is_process(s);
}

static bool is_long_head(struct str s)
{
    take_colour(&s);
    return take(&s, "[ ") && (take_date(&s) || take_seconds(&s)) && str_find(s, ':') < s.n &&
           str_find(s, '/') < s.n && str_ends(s, STR(" ]"));
}

bool foreign_is_logcat(struct str head)
{
    struct str line;
    size_t yes = 0, all = 0;

    while (str_split(&head, '\n', &line)) {
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        if (str_starts(line, STR("--------- beginning of ")) || (all == 0 && is_long_head(line)))
            return true;
        if (line.n == 0 || str_starts(line, STR("--------- ")))
            continue;
        all++;
        yes += is_log_line(line);
    }
    return yes >= 2 && 2 * yes > all;
}
