// SPDX-License-Identifier: GPL-2.0-or-later
/* The probe language: the point; arguments are in definition_argument.c. */
#include "probe/definition.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/internal.h"
#include "probe/name.h"

/*
 * Returns the first of seps in [s, end) that is not part of a name: not escaped by a backslash, not
 * in brackets or quotes, not in "::" or "operator+=". Returns end when there is none.
 */
static const char *find_separator(const char *s, const char *end, const char *seps)
{
	for (const char *start = s; s < end; s = name_skip(start, s, end))
		if (strchr(seps, *s) && !(s[0] == ':' && s + 1 < end && s[1] == ':'))
			return s;
	return end;
}

/* Returns the text without the backslashes and quotes; the caller frees it. */
static char *unescape(const char *s, const char *end)
{
	char *name = xmalloc((size_t)(end - s) + 1), *to = name;

	for (; s < end; s++) {
		if (*s == '"')
			continue;
		if (*s == '\\' && s + 1 < end)
			s++;
		*to++ = *s;
	}
	*to = '\0';
	return name;
}

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

static int parse_number(struct probe_parse *p, const char *s, const char *end, const char *what,
			u64 *n)
{
	char *word = xstrndup(s, (size_t)(end - s));
	int err = parse_u64(word, n);

	free(word);
	return err ? probe_fault(p, s, "expected %s", what) : 0;
}

static int parse_line(struct probe_parse *p, const char *s, const char *end, const char *what,
		      unsigned *line)
{
	u64 n = 0;
	int err = parse_number(p, s, end, what, &n);

	if (!err && n >= UINT32_MAX)
		err = probe_fault(p, s, "no file has so many lines");
	if (!err)
		*line = (unsigned)n;
	return err;
}

/* Parses "GROUP:EVENT" or "EVENT", before '='. */
static int parse_event_name(struct probe_parse *p, const char *end, struct probe_definition *d)
{
	const char *colon = find_separator(p->at, end, ":");

	if (colon < end) {
		d->group = unescape(p->at, colon);
		if (!is_name(d->group))
			return probe_fault(p, p->at,
					   "expected a group's name: letters, digits and _");
	}
	d->event = unescape(colon < end ? colon + 1 : p->at, end);
	if (!is_name(d->event))
		return probe_fault(p, colon < end ? colon + 1 : p->at,
				   "expected an event's name before '=': letters, digits and _");
	p->at = end + 1;
	return 0;
}

/* Parses %NAME, %sdt_P:N, sdt_P:N. */
static int parse_cached(struct probe_parse *p, const char *end, struct probe_definition *d)
{
	const char *s = p->at + (*p->at == '%'), *colon = find_separator(s, end, ":");

	if (d->event) {
		probe_fault(p, p->at, "this probe has a name already");
		reason_hint(p->r, "leave out '%.*s': a marker or a cached probe keeps its own name",
			    (int)(p->at - p->text), p->text);
		return -EINVAL;
	}
	d->is_cached = true;
	if (colon < end) {
		d->group = unescape(s, colon);
		s = colon + 1;
	}
	d->event = unescape(s, end);
	if (!*d->event)
		return probe_fault(p, s, "expected the name of a cached probe or an SDT marker");
	return 0;
}

static bool is_cached(const char *s, const char *end)
{
	const char *colon;

	if (*s == '%')
		return true;
	if (!str_starts(s, "sdt_"))
		return false;
	colon = find_separator(s, end, ":");
	return colon < end && !isdigit((unsigned char)colon[1]);
}

/*
 * Reports whether the text begins with a file: a dot in the name, then ':' or ';', and none of + @
 * % before.
 */
static bool is_file(const char *s, const char *end)
{
	const char *sep = find_separator(s, end, ":;+@%");

	return sep < end && (*sep == ':' || *sep == ';') && find_separator(s, sep, ".") < sep;
}

static int parse_return_mark(struct probe_parse *p, const char *s, const char *end,
			     struct probe_point *pt)
{
	if (end - s != 6 || strncmp(s, "return", 6))
		return probe_fault(p, s, "expected 'return' after '%%'");
	pt->is_return = true;
	return 0;
}

/* Parses one of :LINE +OFFSET %return @FILE ;PATTERN, whose separator is at *at. */
static int parse_suffix(struct probe_parse *p, const char **at, const char *end,
			struct probe_point *pt)
{
	const char *s = *at + 1, *next = find_separator(s, end, ":+@%;");
	int err = 0;

	switch (**at) {
	case ':':
		if (pt->has_line)
			return probe_fault(p, s, "there is a line number already");
		pt->has_line = true;
		/* "f:" is f's own line. */
		if (next > s || !pt->function)
			err = parse_line(p, s, next, "a line number after ':'", &pt->line);
		pt->line_end = pt->line;
		break;
	case '+':
		err = parse_number(p, s, next, "a number of bytes after '+'", &pt->offset);
		pt->offset_is_hex = str_starts(s, "0x") || str_starts(s, "0X");
		break;
	case '%':
		err = parse_return_mark(p, s, next, pt);
		break;
	case '@':
		if (pt->file || next == s)
			return probe_fault(p, s, "expected one source file after '@'");
		pt->file = unescape(s, next);
		break;
	case ';':
		next = end; /* a pattern may contain anything */
		pt->lazy = xstrndup(s, (size_t)(end - s));
		if (!*pt->lazy)
			return probe_fault(p, s, "expected a pattern after ';'");
		break;
	}
	*at = next;
	return err;
}

static int check_point(struct probe_parse *p, const char *s, const struct probe_point *pt)
{
	if (!pt->function && !pt->is_absolute && !pt->file)
		return probe_fault(p, s,
				   "expected a function, a source file with a line, or an address");
	if (!pt->function && pt->file && !pt->has_line && !pt->lazy)
		return probe_fault(p, s, "expected a line (FILE:LINE) or a pattern (FILE;PATTERN)");
	if (pt->has_line && pt->lazy)
		return probe_fault(p, s, "a line and a pattern exclude each other");
	if (pt->offset && (pt->has_line || pt->lazy))
		return probe_fault(p, s, "an offset excludes a line and a pattern");
	if (!pt->function && pt->offset)
		return probe_fault(p, s,
				   "an offset counts from a function's entry: name the function");
	if (pt->is_return && (pt->has_line || pt->lazy || pt->offset))
		return probe_fault(p, s,
				   "%%return is for the whole function: leave out line, "
				   "offset and pattern");
	if (pt->is_return && !pt->function)
		return probe_fault(p, s, "%%return needs a function");
	return 0;
}

static int parse_address(struct probe_parse *p, const char *s, const char *end,
			 struct probe_point *pt)
{
	pt->is_absolute = true;
	return parse_number(p, s, end, "an address", &pt->address);
}

static int parse_point(struct probe_parse *p, const char *end, struct probe_point *pt)
{
	const char *start = p->at, *name_end = find_separator(start, end, ":+@%;");
	int err = 0;

	if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
		err = parse_address(p, start, name_end, pt);
	else if (name_end > start && is_file(start, end))
		pt->file = unescape(start, name_end);
	else if (name_end > start)
		pt->function = unescape(start, name_end);
	p->at = name_end;
	while (!err && p->at < end)
		err = parse_suffix(p, &p->at, end, pt);
	return err ? err : check_point(p, start, pt);
}

/*
 * Returns the end of the word at s. Spaces inside double quotes or after a backslash belong to it.
 */
static const char *word_end(const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || !isspace((unsigned char)*s)); s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (*s == '\\' && s[1] && s[1] != '"')
			s++;
	}
	return s;
}

/*
 * Returns the end of the point at s. Names have spaces in brackets and elsewhere, patterns have
 * none.
 */
static const char *point_end(const char *s)
{
	const char *start = s, *end = s + strlen(s), *next;

	for (; s < end; s = next) {
		if (*s == ';')
			return word_end(s);
		next = name_skip(start, s, end);
		if (isspace((unsigned char)*s) && next == s + 1)
			break;
		if (*s == '"' && next == s + 1)
			return word_end(s);
	}
	return s;
}

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

static int parse_head(struct probe_parse *p, struct probe_definition *d)
{
	const char *end, *equals;
	int err = 0;

	p->at = skip_blanks(p->at);
	end = point_end(p->at);
	if (end == p->at)
		return probe_fault(p, p->at, "expected a probe's definition");
	/* A pattern may contain '=', and that is after its ';'. */
	equals = find_separator(p->at, end, "=;@+%");
	if (equals < end && *equals == '=')
		err = parse_event_name(p, equals, d);
	if (err)
		return err;
	err = is_cached(p->at, end) ? parse_cached(p, end, d) : parse_point(p, end, &d->point);
	p->at = end;
	return err;
}

int probe_definition_parse(struct probe_definition *d, const char *text, struct reason *r)
{
	struct probe_parse p = { .text = text, .at = text, .r = r };
	int err = parse_head(&p, d);

	while (!err && *(p.at = skip_blanks(p.at))) {
		const char *end = word_end(p.at);

		err = probe_parse_argument(&p, end, vec_push_zero(&d->arguments));
		p.at = end;
	}
	if (err && d->point.lazy)
		reason_hint(r, "a pattern contains no spaces; those of the source are ignored");
	return err;
}

/* Parses ":A", ":A-B", ":A+N". */
static int parse_range(struct probe_parse *p, const char *s, struct probe_point *pt)
{
	const char *end = s + strlen(s), *sep = s + strcspn(s, "-+");
	unsigned n = 0;
	int err = parse_line(p, s, sep, "a line number after ':'", &pt->line);

	pt->has_line = true;
	pt->line_end = UINT32_MAX;
	if (err || sep == end)
		return err;
	err = parse_line(p, sep + 1, end, "a line number", &n);
	if (err)
		return err;
	if (*sep == '+' && !n)
		return probe_fault(p, sep + 1, "expected a number of lines");
	if (*sep == '+')
		n = n > UINT32_MAX - 1 - pt->line ? UINT32_MAX - 1 : pt->line + n - 1;
	if (n < pt->line)
		return probe_fault(p, sep + 1, "the range ends before it begins");
	pt->line_end = n;
	return 0;
}

int probe_line_range_parse(struct probe_point *pt, const char *text, struct reason *r)
{
	struct probe_parse p = { .text = text, .at = text, .r = r };
	const char *end = text + strlen(text);
	const char *colon = find_separator(text, end, ":"), *at = find_separator(text, colon, "@");

	pt->line_end = UINT32_MAX;
	if (at == colon && find_separator(text, colon, "./") < colon)
		pt->file = unescape(text, colon);
	else if (at > text)
		pt->function = unescape(text, at);
	if (at < colon)
		pt->file = unescape(at + 1, colon);
	if (!pt->function && (!pt->file || !*pt->file))
		return probe_fault(&p, text, "expected a function or a source file");
	return colon < end ? parse_range(&p, colon + 1, pt) : 0;
}

void probe_point_release(struct probe_point *p)
{
	free(p->function);
	free(p->file);
	free(p->lazy);
	*p = (struct probe_point){ NULL };
}

void probe_definition_release(struct probe_definition *d)
{
	free(d->target.name);
	free(d->group);
	free(d->event);
	probe_point_release(&d->point);
	vec_for_each(&d->arguments, a)
		probe_argument_release(a);
	vec_release(&d->arguments);
	*d = (struct probe_definition){ .group = NULL };
}

bool probe_point_has_glob(const struct probe_point *p)
{
	return p->function && name_has_glob(p->function);
}

bool probe_argument_is_raw(const struct probe_argument *a)
{
	vec_for_each(&a->steps, s)
		if (s->kind != PROBE_DEREFERENCE)
			return false;
	return a->base != PROBE_VARIABLE && a->base != PROBE_ALL_VARIABLES &&
	       a->base != PROBE_ALL_PARAMETERS;
}

bool probe_definition_needs_dwarf(const struct probe_definition *d)
{
	if (d->point.has_line || d->point.lazy || d->point.file)
		return true;
	vec_for_each(&d->arguments, a)
		if (!probe_argument_is_raw(a))
			return true;
	return false;
}

void probe_offset_text(struct strbuf *b, u64 offset, bool hex)
{
	strbuf_f(b, hex ? "+0x%" PRIx64 : "+%" PRIu64, offset);
}

void probe_point_text(struct strbuf *b, const struct probe_point *p)
{
	if (p->is_absolute)
		strbuf_f(b, "0x%llx", (unsigned long long)p->address);
	if (p->function)
		strbuf_str(b, p->function);
	if (p->offset)
		probe_offset_text(b, p->offset, p->offset_is_hex);
	if (p->is_return)
		strbuf_str(b, "%return");
	if (p->file && p->function)
		strbuf_char(b, '@');
	if (p->file)
		strbuf_str(b, p->file);
	if (p->has_line)
		strbuf_f(b, ":%u", p->line);
	if (p->lazy)
		strbuf_f(b, ";%s", p->lazy);
}
