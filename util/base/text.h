/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small text jobs: matching, splitting, numbers with units, suggestions.
 * Parsers return 0 or -EINVAL / -ERANGE and leave *out alone on failure.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/types.h"
#include "base/vec.h"

struct strbuf;

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* Reports whether the whole string matches a shell pattern: * ? [a-z] [!a-z], \ escapes. */
bool glob_match(const char *pattern, const char *s);
bool has_glob(const char *s);
/*
 * Returns where path leads when root is the root directory: ".." does not leave it, "." and
 * repeated slashes are dropped. With root "" it is path unchanged. The caller frees it.
 */
char *path_under(const char *root, const char *path);
/* Returns the last part of a path. */
const char *path_base(const char *path);

/* Owned strings. */
struct strlist {
	VEC(char *) list;
};
void strlist_add(struct strlist *l, const char *s);
/* Splits at any char of seps; empty parts are dropped. */
void strlist_split(struct strlist *l, const char *s, const char *seps);
/*
 * Reports whether something is missing from a list with commas: "", "1,,2" and ",2", which a shell
 * makes of unset variables. "1,2," is complete, as tr makes it of lines.
 */
bool list_has_gap(const char *list);
/* Splits at commas, except for those inside of brackets: "f(int, char)", "map<int, int>::at". */
void strlist_split_names(struct strlist *l, const char *s);
bool strlist_has(const struct strlist *l, const char *s);
void strlist_sort(struct strlist *l);
void strlist_release(struct strlist *l);

/* Parses the whole string, in base 10, 16 (0x) or 8 (0). */
int parse_u64(const char *s, u64 *out);
int parse_s64(const char *s, s64 *out);
/* Parses the whole string as decimal digits: counts have no other base and no exponent. */
int parse_count(const char *s, u64 *out);
/* Parses what parse_count() does, with an optional '-' in front. */
int parse_int(const char *s, s64 *out);
/*
 * Reads "12", "12.5" or ".5" at s and returns its length, or 0: no sign, other base, exponent,
 * infinity or nan.
 */
size_t parse_decimal(const char *s, double *out);
/* Parses the whole string, with or without "%". */
int parse_percent(const char *s, double *out);
/* Parses a 64-bit hexadecimal number, with or without 0x. */
int parse_hex(const char *s, u64 *out);
/* Parses "12", "4K", "1.5M", "2G" (powers of 1024), with an optional final B, into bytes. */
int parse_size(const char *s, u64 *out);
/* Parses what parse_size() takes, or hexadecimal digits after 0x. */
int parse_size_or_hex(const char *s, u64 *out);
/* Parses "500" (in unit_ns), "10s", "5m", "2h", "250ms", "10us", "1ns" into ns. */
int parse_duration(const char *s, u64 unit_ns, u64 *out);
/* Parses "12.345678", seconds, into ns, exactly. */
int parse_seconds(const char *s, u64 *out);

/* Parses "0-3,7" into sorted, distinct numbers. Returns -EINVAL, or -ERANGE above max. */
int parse_cpu_list(const char *s, u32 max, u32 **cpus, size_t *count);
void format_cpu_list(struct strbuf *b, const u32 *cpus, size_t count);

/* Edits (insert, delete, replace, swap) from a to b. */
unsigned edit_distance(const char *a, const char *b);
/*
 * Adds the text to l in lines of at most this many columns, cut at spaces where there are any, else
 * between letters.
 */
void text_wrap(struct strlist *l, const char *text, int columns);
/* Returns the nearest of n names, or NULL when none is near enough to suggest. */
const char *nearest_name(const char *typed, const char *const *names, size_t n);

/*
 * Returns the number of bytes of the UTF-8 character at s, or 0 if it is invalid (malformed,
 * overlong, a surrogate, truncated).
 */
size_t utf8_letter(const char *s, size_t len);
/*
 * Returns how many bytes from the first one on are ASCII letters, digits, signs and spaces, which
 * take a column each.
 */
size_t text_plain(const char *s, size_t len);
/*
 * Returns the columns of a terminal that UTF-8 text takes: two for a wide letter, none for a
 * combining mark, one for a byte that is not UTF-8, four for each byte of a control character
 * (strbuf_printable()).
 */
int text_columns(const char *s, size_t len);
/*
 * Returns the length in bytes of the longest beginning, in whole letters, that takes at most this
 * many columns.
 */
size_t text_fit(const char *s, size_t len, int columns);
/*
 * Adds the text, padded with spaces to this many columns: right-aligned, or left-aligned if width <
 * 0.
 */
void strbuf_aligned(struct strbuf *b, const char *s, size_t len, int width);
/*
 * Returns the length of the control character at s: 1 for C0, DEL and a byte 0x80 to 0x9f that does
 * not belong to a UTF-8 letter; 2 for a C1 control in UTF-8 (U+0080 to U+009F); 2 or 3 for a
 * character that changes the direction of text (Unicode's Bidi_Control); else 0.
 */
size_t text_control(const char *s, size_t len);
/*
 * Writes each byte of a control character (text_control()) as \xNN, which keeps a name from a file
 * from controlling the terminal; 8-bit CSI and OSC begin with C1 controls. Copies other text. All
 * text that comes from a file or another process goes through this on its way to a terminal.
 */
void strbuf_printable(struct strbuf *b, const char *s);
/* Escapes what b has from that byte on in the same way, except newlines and tabs. */
void strbuf_printable_from(struct strbuf *b, size_t from);
/* Returns a printable copy, which the caller frees. */
char *printable_copy(const char *s);

#endif
