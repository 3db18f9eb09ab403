// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

#define DIGITS "0123456789"

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

bool glob_match(const char *pattern, const char *s)
{
	return !fnmatch(pattern, s, 0);
}

bool has_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

char *path_under(const char *root, const char *path)
{
	struct strbuf b = STRBUF_INIT;
	size_t top = strlen(root);

	if (!top)
		return xstrdup(path);
	strbuf_str(&b, root);
	for (size_t n; *path; path += n) {
		n = strcspn(path, "/");
		if (!n)
			n = 1;
		else if (n == 2 && !strncmp(path, "..", 2))
			while (b.len > top && b.s[--b.len] != '/')
				;
		else if (n != 1 || *path != '.')
			strbuf_f(&b, "/%.*s", (int)n, path);
	}
	strbuf_truncate(&b, b.len);
	return strbuf_detach(&b);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void strlist_add(struct strlist *l, const char *s)
{
	vec_push(&l->list, xstrdup(s));
}

void strlist_split(struct strlist *l, const char *s, const char *seps)
{
	while (*s) {
		size_t n = strcspn(s, seps);

		if (n)
			vec_push(&l->list, xstrndup(s, n));
		s += n;
		if (*s)
			s++;
	}
}

/*
 * Returns the length of the first name. "operator<", "operator->" and the like open and close
 * nothing.
 */
static size_t name_length(const char *s)
{
	static const char word[] = "operator";
	int depth = 0;
	size_t n = 0;

	while (s[n] && (s[n] != ',' || depth > 0)) {
		if (!strncmp(s + n, word, strlen(word))) {
			n += strlen(word);
			n += strspn(s + n, "<>=-");
			continue;
		}
		if (strchr("(<[{", s[n]))
			depth++;
		else if (strchr(")>]}", s[n]))
			depth--;
		n++;
	}
	return n;
}

bool list_has_gap(const char *list)
{
	bool any = false, empty = true;

	for (; *list; list++) {
		if (*list == ' ')
			continue;
		if (*list == ',' && empty)
			return true;
		empty = *list == ',';
		any = true;
	}
	return !any;
}

void strlist_split_names(struct strlist *l, const char *s)
{
	while (*s) {
		size_t n = name_length(s);

		if (n)
			vec_push(&l->list, xstrndup(s, n));
		s += n;
		if (*s)
			s++;
	}
}

bool strlist_has(const struct strlist *l, const char *s)
{
	vec_for_each(&l->list, it)
		if (!strcmp(*it, s))
			return true;
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *l)
{
	vec_sort(&l->list, by_text);
}

void strlist_release(struct strlist *l)
{
	vec_for_each(&l->list, it)
		free(*it);
	vec_release(&l->list);
}

static int parse_base(const char *s, int base, u64 *out)
{
	unsigned long long v;
	char *end;

	if (!isalnum((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, base);
	if (end == s || *end)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*out = v;
	return 0;
}

int parse_u64(const char *s, u64 *out)
{
	return parse_base(s, 0, out);
}

int parse_count(const char *s, u64 *out)
{
	return isdigit((unsigned char)*s) ? parse_base(s, 10, out) : -EINVAL;
}

int parse_int(const char *s, s64 *out)
{
	bool negative = *s == '-';
	u64 v;
	int err = parse_count(s + negative, &v);

	if (!err && v > (u64)INT64_MAX)
		err = -ERANGE;
	if (!err)
		*out = negative ? -(s64)v : (s64)v;
	return err;
}

int parse_hex(const char *s, u64 *out)
{
	return parse_base(s, 16, out);
}

int parse_s64(const char *s, s64 *out)
{
	long long v;
	char *end;

	if (!isalnum((unsigned char)*s) && *s != '-')
		return -EINVAL;
	errno = 0;
	v = strtoll(s, &end, 0);
	if (end == s || *end)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*out = v;
	return 0;
}

static int scaled(double v, u64 factor, u64 *out)
{
	double r = v * (double)factor;

	if (!(r < 18446744073709549568.0))
		return -ERANGE;
	*out = (u64)(r + 0.5);
	return 0;
}

size_t parse_decimal(const char *s, double *out)
{
	size_t whole = strspn(s, DIGITS);
	size_t part = s[whole] == '.' ? 1 + strspn(s + whole + 1, DIGITS) : 0;
	char *number;

	if (whole + part < 1 + (part > 0))
		return 0;
	number = xstrndup(s, whole + part); /* strtod() would go on to an exponent */
	*out = strtod(number, NULL);
	free(number);
	return whole + part;
}

int parse_percent(const char *s, double *out)
{
	size_t n = parse_decimal(s, out);

	return n && (!s[n] || !strcmp(s + n, "%")) ? 0 : -EINVAL;
}

int parse_size(const char *s, u64 *out)
{
	static const char units[] = "KMGT";
	u64 factor = 1;
	const char *u, *end;
	double v;

	end = s + parse_decimal(s, &v);
	if (end == s)
		return -EINVAL;
	if (*end && (u = strchr(units, toupper((unsigned char)*end)))) {
		factor = 1ULL << (10 * (u - units + 1));
		end++;
	}
	if (*end == 'B' || *end == 'b')
		end++;
	return *end ? -EINVAL : scaled(v, factor, out);
}

int parse_size_or_hex(const char *s, u64 *out)
{
	return str_starts(s, "0x") ? parse_hex(s, out) : parse_size(s, out);
}

int parse_duration(const char *s, u64 unit_ns, u64 *out)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000ULL },
		{ "m", 60000000000ULL },
		{ "h", 3600000000000ULL },
	};
	const char *end;
	double v;

	end = s + parse_decimal(s, &v);
	if (end == s)
		return -EINVAL;
	if (!*end)
		return scaled(v, unit_ns, out);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].name))
			return scaled(v, units[i].ns, out);
	return -EINVAL;
}

int parse_seconds(const char *s, u64 *out)
{
	u64 sec = 0, ns = 0, unit = 100000000;
	const char *p = s;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(sec, 10, &sec) ||
		    __builtin_add_overflow(sec, (u64)(*p - '0'), &sec))
			return -ERANGE;
	if (p == s && *p != '.')
		return -EINVAL;
	if (*p == '.') {
		if (p == s && !p[1])
			return -EINVAL;
		for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
			ns += (u64)(*p - '0') * unit;
	}
	if (*p)
		return -EINVAL;
	if (__builtin_mul_overflow(sec, 1000000000ULL, &sec) ||
	    __builtin_add_overflow(sec, ns, &sec))
		return -ERANGE;
	*out = sec;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static int parse_range(const char **s, u32 max, unsigned long *from, unsigned long *to)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	*from = *to = strtoul(*s, &end, 10);
	if (*end == '-') {
		const char *second = end + 1;

		if (!isdigit((unsigned char)*second))
			return -EINVAL;
		*to = strtoul(second, &end, 10);
	}
	end += strspn(end, " ");
	if (*to < *from || (*end && *end != ',' && *end != '\n'))
		return -EINVAL;
	*s = end;
	return *to > max ? -ERANGE : 0;
}

int parse_cpu_list(const char *s, u32 max, u32 **cpus, size_t *count)
{
	VEC(u32) list = VEC_INIT;
	int err;
	size_t n = 0;

	s += strspn(s, " ");
	err = *s && *s != '\n' ? 0 : -EINVAL;
	while (!err && *s && *s != '\n') {
		unsigned long from, to;

		err = parse_range(&s, max, &from, &to);
		for (; !err && from <= to; from++)
			vec_push(&list, (u32)from);
		if (*s == ',')
			s += 1 + strspn(s + 1, " ");
	}
	if (err) {
		vec_release(&list);
		return err;
	}
	vec_sort(&list, by_number);
	for (size_t i = 0; i < list.count; i++)
		if (!n || list.items[n - 1] != list.items[i])
			list.items[n++] = list.items[i];
	*cpus = list.items;
	*count = n;
	return 0;
}

void format_cpu_list(struct strbuf *b, const u32 *cpus, size_t count)
{
	for (size_t i = 0, j; i < count; i = j) {
		for (j = i + 1; j < count && cpus[j] == cpus[j - 1] + 1; j++)
			;
		strbuf_f(b, "%s%u", i ? "," : "", cpus[i]);
		if (j - i > 1)
			strbuf_f(b, "-%u", cpus[j - 1]);
	}
}

unsigned edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), i, j;
	unsigned *rows = xcalloc(3 * (m + 1), sizeof(*rows)), result;
	unsigned *before = rows, *prev = rows + m + 1, *cur = prev + m + 1, *t;

	for (j = 0; j <= m; j++)
		prev[j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		cur[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			cur[j] = prev[j - 1] + (a[i - 1] != b[j - 1]);
			cur[j] = MIN(cur[j], prev[j] + 1);
			cur[j] = MIN(cur[j], cur[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cur[j] = MIN(cur[j], before[j - 2] + 1);
		}
		t = before;
		before = prev;
		prev = cur;
		cur = t;
	}
	result = prev[m];
	free(rows);
	return result;
}

const char *nearest_name(const char *typed, const char *const *names, size_t n)
{
	size_t len = strlen(typed);
	unsigned best = (unsigned)(len < 4 ? 2 : 2 + len / 3);
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = edit_distance(typed, names[i]);

		/* a typed beginning is nearer than its length says */
		if (len >= 2 && str_starts(names[i], typed))
			d = 1;
		if (d < best && d < strlen(names[i])) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

size_t utf8_letter(const char *s, size_t len)
{
	const u8 *p = (const u8 *)s;
	size_t n = p[0] < 0x80   ? 1
		   : p[0] < 0xc2 ? 0
		   : p[0] < 0xe0 ? 2
		   : p[0] < 0xf0 ? 3
		   : p[0] < 0xf5 ? 4
				 : 0;

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* Returns the length of the character at p that changes the direction of text, or 0. */
static size_t text_direction(const u8 *p, size_t len)
{
	if (len > 1 && p[0] == 0xd8 && p[1] == 0x9c) /* U+061C */
		return 2;
	if (len < 3 || p[0] != 0xe2)
		return 0;
	if (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)))
		return 3; /* U+200E, U+200F, U+202A to U+202E */
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9 ? 3 : 0; /* U+2066 to U+2069 */
}

size_t text_control(const char *s, size_t len)
{
	const u8 *p = (const u8 *)s;

	if (p[0] < 0x20 || (p[0] >= 0x7f && p[0] < 0xa0))
		return 1;
	if (p[0] == 0xc2)
		return len > 1 && p[1] >= 0x80 && p[1] < 0xa0 ? 2 : 0;
	return p[0] < 0xd8 ? 0 : text_direction(p, len);
}

/*
 * Returns which of eight bytes are not plain, as their top bits: those with a top bit, below a
 * space, or DEL.
 */
static inline u64 not_plain(u64 v)
{
	const u64 ones = 0x0101010101010101ULL, tops = 0x80 * ones;
	u64 del = v ^ 0x7f * ones;

	return (v | ((v - 0x20 * ones) & ~v) | ((del - ones) & ~del)) & tops;
}

size_t text_plain(const char *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= 8; i += 8) {
		u64 v;

		memcpy(&v, s + i, 8);
		if (not_plain(v))
			break;
	}
	while (i < len && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

void strbuf_printable_from(struct strbuf *b, size_t from)
{
	char *copy;
	size_t i = b->len > from ? from + text_plain(b->s + from, b->len - from) : from;

	while (i < b->len &&
	       (b->s[i] == '\n' || b->s[i] == '\t' || !text_control(b->s + i, b->len - i)))
		i += MAX(utf8_letter(b->s + i, b->len - i), (size_t)1);
	if (i >= b->len)
		return;
	copy = xstrndup(b->s + from, b->len - from);
	strbuf_truncate(b, from);
	for (char *s = copy; *s;) {
		size_t plain = strcspn(s, "\n\t");
		char end = s[plain];

		s[plain] = '\0';
		strbuf_printable(b, s);
		if (!end)
			break;
		strbuf_char(b, end);
		s += plain + 1;
	}
	free(copy);
}

void strbuf_printable(struct strbuf *b, const char *s)
{
	const char *end = s + strlen(s);

	while (s < end && *s) {
		size_t plain = text_plain(s, (size_t)(end - s)), most, n;

		strbuf_add(b, s, plain);
		s += plain;
		if (s == end || !*s)
			break;
		most = (size_t)(end - s);
		n = text_control(s, most);
		if (!n) {
			size_t letter = MAX(utf8_letter(s, most), (size_t)1);

			strbuf_add(b, s, letter);
			s += letter;
		}
		for (; n; n--, s++)
			strbuf_f(b, "\\x%02x", (u8)*s);
	}
}

char *printable_copy(const char *s)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_printable(&b, s);
	return strbuf_detach(&b);
}
