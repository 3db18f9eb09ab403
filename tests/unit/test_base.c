// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings, numbers, tables: the ground everything stands on. */
#include <errno.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/btf.h"
#include "base/context.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/perf_abi.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/wide.h"

static void test_numbers(void **state)
{
	struct strbuf b = STRBUF_INIT;

	(void)state;
	strbuf_grouped(&b, 1234567);
	strbuf_char(&b, ' ');
	strbuf_hex_pad(&b, 0xbeef, 6);
	strbuf_char(&b, ' ');
	strbuf_dec_zero(&b, 42, 5);
	strbuf_char(&b, ' ');
	strbuf_dec(&b, UINT64_MAX);
	assert_string_equal(b.s, "1,234,567   beef 00042 18446744073709551615");
	strbuf_release(&b);
}

/* With every count of digits, in columns that are too narrow, and in wider ones. */
static void test_hexadecimals(void **state)
{
	struct strbuf b = STRBUF_INIT;
	char want[96];

	(void)state;
	for (int i = 0; i < 64 * 3; i++) {
		u64 v = (0xfedcba9876543210ULL >> i / 3) + (u64)(i % 3) - 1;
		int width = i % 26;

		strbuf_clear(&b);
		strbuf_hex(&b, v);
		strbuf_char(&b, ' ');
		strbuf_hex_pad(&b, v, width);
		strbuf_char(&b, ' ');
		strbuf_hex_zero(&b, v, width);
		snprintf(want, sizeof(want), "%" PRIx64 " %*" PRIx64 " %0*" PRIx64, v, width, v,
			 width, v);
		assert_string_equal(b.s, want);
	}
	strbuf_release(&b);
}

/* Around every power of ten and of two. */
static void test_decimals(void **state)
{
	static const int widths[] = { -3, 0, 1, 5, 19, 20, 24 };
	struct strbuf b = STRBUF_INIT;
	char want[64];

	(void)state;
	for (u64 n = 1, i = 0; i < 2 * 64 * 3; i++) {
		u64 base = i < 64 * 3 ? 1ULL << i / 3 : n, v = base + i % 3 - 1;
		int width = widths[i % ARRAY_SIZE(widths)];

		strbuf_clear(&b);
		strbuf_dec_pad(&b, v, width);
		strbuf_char(&b, ' ');
		strbuf_dec_zero(&b, v, width);
		snprintf(want, sizeof(want), "%*" PRIu64 " %0*" PRIu64, MAX(width, 0), v,
			 MAX(width, 0), v);
		assert_string_equal(b.s, want);
		if (i >= 64 * 3 && i % 3 == 2)
			n *= 10;
	}
	strbuf_release(&b);
}

/*
 * As printf rounds them, also where a number of microseconds and a half is not what a double holds.
 */
static void test_millis(void **state)
{
	/* clang-format off */
	static const u64 ns[] = { 0, 1, 499, 500, 501, 1499, 1500, 2500, 999499, 999500, 999999, 1000000, 1499500,
				  35499, 62500, 123456789, 9999999500, 9999999499, 86400000000500,
				  999999999999999, 1000000000000499, 1000000000000501, UINT64_MAX };
	/* clang-format on */
	static const int widths[] = { 0, 3, 10, 14 };
	struct strbuf b = STRBUF_INIT;
	char want[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ns) + 20000; i++) {
		u64 n = i < ARRAY_SIZE(ns) ? ns[i] : (i - ARRAY_SIZE(ns)) * 7919 * 250;
		int width = widths[i % ARRAY_SIZE(widths)];

		strbuf_clear(&b);
		strbuf_millis(&b, n, width);
		snprintf(want, sizeof(want), "%*.3f", width, (double)n / 1e6);
		assert_string_equal(b.s, want);
	}
	strbuf_release(&b);
}

static void test_parse_units(void **state)
{
	static const char *const not_sizes[] = { "nan", "inf", "infinity", "0x10", "1e3",
						 "-1",  "+1",  " 1",       "",     "." };
	u64 v = 0;
	s64 n = 0;
	double d = 0;

	(void)state;
	assert_int_equal(parse_size("1.5M", &v), 0);
	assert_int_equal(v, 1572864);
	assert_int_equal(parse_size("12KB", &v), 0);
	assert_int_equal(v, 12288);
	assert_int_equal(parse_size("x", &v), -EINVAL);
	assert_int_equal(parse_duration("5m", 1, &v), 0);
	assert_true(v == 300000000000ULL);
	assert_int_equal(parse_duration("250", 1000000, &v), 0);
	assert_true(v == 250000000ULL);
	assert_int_equal(parse_duration(".5", 1000000000, &v), 0);
	assert_true(v == 500000000ULL);
	assert_int_equal(parse_duration(".", 1, &v), -EINVAL);
	assert_int_equal(parse_duration(".s", 1, &v), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(not_sizes); i++) {
		assert_int_equal(parse_size(not_sizes[i], &v), -EINVAL);
		assert_int_equal(parse_duration(not_sizes[i], 1, &v), -EINVAL);
		assert_int_equal(parse_count(not_sizes[i], &v), -EINVAL);
		assert_int_equal(parse_percent(not_sizes[i], &d), -EINVAL);
	}
	assert_int_equal(parse_count("010", &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(parse_count("99999999999999999999", &v), -ERANGE);
	assert_int_equal(parse_int("-12", &n), 0);
	assert_int_equal(n, -12);
	assert_int_equal(parse_int("--1", &n), -EINVAL);
	assert_int_equal(parse_int("9223372036854775808", &n), -ERANGE);
	assert_int_equal(parse_percent("12.5%", &d), 0);
	assert_true(d == 12.5);
	assert_int_equal(parse_percent(".5", &d), 0);
	assert_true(d == 0.5);
	assert_int_equal(parse_percent("5%%", &d), -EINVAL);
	assert_int_equal(parse_decimal("1.5e3", &d), 3);
	assert_true(d == 1.5);
	assert_int_equal(parse_seconds("12.000000345", &v), 0);
	assert_true(v == 12000000345ULL);
	assert_int_equal(parse_seconds("1.2x", &v), -EINVAL);
	assert_int_equal(parse_u64("-1", &v), -EINVAL);
	assert_int_equal(parse_u64("0x10", &v), 0);
	assert_int_equal(v, 16);
}

static void test_cpu_list(void **state)
{
	struct strbuf b = STRBUF_INIT;
	u32 *cpus;
	size_t n;

	(void)state;
	assert_int_equal(parse_cpu_list("7,0-3,2", 15, &cpus, &n), 0);
	format_cpu_list(&b, cpus, n);
	assert_string_equal(b.s, "0-3,7");
	free(cpus);
	strbuf_release(&b);
	assert_int_equal(parse_cpu_list(" 7, 0-3 ,2 ", 15, &cpus, &n), 0);
	format_cpu_list(&b, cpus, n);
	assert_string_equal(b.s, "0-3,7");
	free(cpus);
	strbuf_release(&b);
	assert_int_equal(parse_cpu_list("3-1", 15, &cpus, &n), -EINVAL);
	assert_int_equal(parse_cpu_list("1 2", 15, &cpus, &n), -EINVAL);
	assert_int_equal(parse_cpu_list(" ", 15, &cpus, &n), -EINVAL);
	assert_int_equal(parse_cpu_list("1,,2", 15, &cpus, &n), -EINVAL);
	assert_int_equal(parse_cpu_list("16", 15, &cpus, &n), -ERANGE);
	assert_int_equal(parse_cpu_list("", 15, &cpus, &n), -EINVAL);
}

static void test_pairs_of_small_numbers_hash_apart(void **state)
{
	struct map64 seen = { 0 };

	(void)state;
	for (u64 image = 0; image < 64; image++)
		for (u64 offset = 0x1000; offset < 0x80000; offset += 0x10) {
			bool added;

			map64_put(&seen, hash_combine(image << 8 | 2, offset), &added);
			assert_true(added);
		}
	map64_release(&seen);
}

static void test_map64(void **state)
{
	struct map64 m = { 0 };

	(void)state;
	for (u64 i = 0; i < 5000; i++)
		*map64_put(&m, i * 64, NULL) = i;
	for (u64 i = 0; i < 5000; i += 2)
		map64_remove(&m, i * 64);
	for (u64 i = 0; i < 5000; i++) {
		u64 *v = map64_get(&m, i * 64);

		if (i % 2)
			assert_true(v && *v == i);
		else
			assert_null(v);
	}
	assert_int_equal(m.count, 2500);
	map64_release(&m);
}

static void test_names_with_commas(void **state)
{
	struct strlist l = { 0 };

	(void)state;
	strlist_split_names(&l,
			    "a,f(int, char),,map<int, long>::at,operator<<(int, b),operator->,c");
	assert_int_equal(l.list.count, 6);
	assert_string_equal(l.list.items[0], "a");
	assert_string_equal(l.list.items[1], "f(int, char)");
	assert_string_equal(l.list.items[2], "map<int, long>::at");
	assert_string_equal(l.list.items[3], "operator<<(int, b)");
	assert_string_equal(l.list.items[4], "operator->");
	assert_string_equal(l.list.items[5], "c");
	strlist_release(&l);
}

static void test_strtab(void **state)
{
	struct strtab t = { 0 };

	(void)state;
	assert_int_equal(strtab_add(&t, "ls"), 1);
	assert_int_equal(strtab_add(&t, ""), 0);
	assert_int_equal(strtab_add(&t, "cat"), 2);
	assert_int_equal(strtab_add(&t, "ls"), 1);
	assert_string_equal(strtab_get(&t, 2), "cat");
	strtab_release(&t);
}

static void test_suggestions(void **state)
{
	static const char *const names[] = { "record", "report", "script", "stat" };

	(void)state;
	assert_string_equal(nearest_name("recrod", names, 4), "record");
	assert_string_equal(nearest_name("scr", names, 4), "script");
	assert_null(nearest_name("zzzz", names, 4));
	assert_int_equal(edit_distance("ab", "ba"), 1);
	assert_int_equal(edit_distance("", "abc"), 3);
}

static void test_conditions_merge(void **state)
{
	struct condition_list a = { 0 }, b = { 0 };
	struct order_key late = { 9, 0, 0 }, early = { 3, 0, 0 };

	(void)state;
	condition_add(&a, CONDITION_WARNING, "lost", "cpu 0", &late, 2, NULL, "lost events");
	condition_add(&b, CONDITION_WARNING, "lost", "cpu 0", &early, 5, NULL, "lost events");
	condition_add(&b, CONDITION_DAMAGE, "cut", NULL, NULL, 1, "hint", "cut at %d", 7);
	condition_list_merge(&a, &b);
	condition_list_sort(&a);
	assert_int_equal(a.list.count, 2);
	assert_string_equal(a.list.items[0].text, "cut at 7");
	assert_int_equal(a.list.items[1].count, 7);
	assert_int_equal(a.list.items[1].first.time, 3);
	assert_true(condition_list_damaged(&a));
	condition_list_release(&a);
	condition_list_release(&b);
}

enum { ADDERS = 4, ADDED = 300000 };

static pthread_barrier_t all_there;

static void *add_conditions(void *arg)
{
	static const char *const objects[] = { "a", "b", "c", "d", "e", "f", "g" };
	struct condition_list *l = arg;

	pthread_barrier_wait(&all_there);
	for (u32 i = 0; i < ADDED; i++)
		condition_add(l, CONDITION_WARNING, "lost", objects[i % ARRAY_SIZE(objects)],
			      i % 1000 ? NULL : &(struct order_key){ ADDED - i, 0, 0 }, 1, NULL,
			      "number %u", i);
	return NULL;
}

static void test_conditions_of_several_threads(void **state)
{
	struct condition_list l = { 0 };
	pthread_t threads[ADDERS];
	u64 count = 0;

	(void)state;
	pthread_barrier_init(&all_there, NULL, ADDERS);
	for (u32 i = 0; i < ADDERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_conditions, &l), 0);
	for (u32 i = 0; i < ADDERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(l.list.count, 7);
	vec_for_each(&l.list, c)
		count += c->count;
	assert_int_equal(count, ADDERS * ADDED);
	pthread_barrier_destroy(&all_there);
	condition_list_release(&l);
}

static void test_reason(void **state)
{
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(reason_errno(&r, ENOENT, "cannot open '%s'", "x"), -ENOENT);
	reason_hint(&r, "try %d", 1);
	reason_prefix(&r, "perf.data");
	assert_string_equal(r.text, "perf.data: cannot open 'x': No such file or directory");
	assert_string_equal(r.hint, "try 1");
	reason_release(&r);
	assert_int_equal(reason_set(NULL, EINVAL, "nobody listens"), -EINVAL);
}

static void test_printable(void **state)
{
	struct strbuf b = STRBUF_INIT;

	(void)state;
	strbuf_printable(&b, "a\033[31mb\xc3\xa9");
	assert_string_equal(b.s, "a\\x1b[31mb\xc3\xa9");
	/*
	 * 8-bit CSI alone and in UTF-8, after the lead byte of a letter that is cut; a no-break
	 * space
	 */
	strbuf_clear(&b);
	strbuf_printable(&b, "\x9b"
			     "2J\xc2\x9b"
			     "1m\xe2\x9b"
			     "x\xc2\xa0\xff\xc2");
	assert_string_equal(b.s, "\\x9b2J\\xc2\\x9b1m\xe2\\x9bx\xc2\xa0\xff\xc2");
	assert_int_equal(text_columns("\xc2\x9b"
				      "1m\x9b",
				      5),
			 14);
	strbuf_release(&b);
}

/* Unicode's Bidi_Control, and the letters beside them. */
static void test_direction(void **state)
{
	static const char *const changed[] = { "\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f",
					       "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6",
					       "\xe2\x81\xa9" };
	static const char *const kept[] = { "\xd8\x9b",     "\xd8\x9d",     "\xe2\x80\x8d",
					    "\xe2\x80\x90", "\xe2\x80\xaf", "\xe2\x81\xa5",
					    "\xe2\x81\xaa", "\xe2\x94\x80", "\xd7\xa9",
					    "\xe2\x80" };
	struct strbuf b = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		size_t len = strlen(changed[i]);

		assert_int_equal(text_control(changed[i], len), len);
		assert_int_equal(text_columns(changed[i], len), 4 * len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		assert_int_equal(text_control(kept[i], strlen(kept[i])), 0);
	strbuf_printable(&b, "a\xe2\x80\xae"
			     "b");
	assert_string_equal(b.s, "a\\xe2\\x80\\xaeb");
	strbuf_clear(&b);
	assert_true(json_text(&b, "\xe2\x80\xae\xd8\x9c\xc2\x9b"));
	assert_string_equal(b.s, "\"\\u202e\\u061c\\u009b\"");
	strbuf_release(&b);
}

static void test_names_in_a_line(void **state)
{
	struct strbuf b = STRBUF_INIT;

	(void)state;
	strbuf_str(&b, "1\n2\t");
	strbuf_printable_names(&b, b.len);
	assert_string_equal(b.s, "1\n2\t");
	strbuf_str(&b, "x\ny\t\033");
	strbuf_printable_names(&b, 4);
	assert_string_equal(b.s, "1\n2\tx\\x0ay\\x09\\x1b");
	strbuf_release(&b);
}

/* What is written: text before and after a code at each place around the size of a block. */
static void test_guard(void **state)
{
	static const struct {
		const char *text, *strict, *codes;
	} cases[] = {
		{ "\033[31m", "\\x1b[31m", "\033[31m" },
		{ "\033[H\033[2J\033[m", "\\x1b[H\\x1b[2J\\x1b[m", "\033[H\033[2J\033[m" },
		{ "\033[5n\033]0;t\007\033", "\\x1b[5n\\x1b]0;t\\x07\\x1b",
		  "\\x1b[5n\\x1b]0;t\\x07\\x1b" },
		{ "\xc2\x9b\x9b\xe2\x80\xae\r\x7f", "\\xc2\\x9b\\x9b\\xe2\\x80\\xae\\x0d\\x7f",
		  "\\xc2\\x9b\\x9b\\xe2\\x80\\xae\\x0d\\x7f" },
		{ "\n\t\xc3\xa9\xff\xe2\x94\x80", "\n\t\xc3\xa9\xff\xe2\x94\x80",
		  "\n\t\xc3\xa9\xff\xe2\x94\x80" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases) * 2; i++)
		for (int before = 0; before < 140; before++) {
			struct strbuf b = STRBUF_INIT, want = STRBUF_INIT;
			const char *answer = i % 2 ? cases[i / 2].codes : cases[i / 2].strict;

			strbuf_pad(&b, 'a', before);
			strbuf_str(&b, cases[i / 2].text);
			strbuf_pad(&b, 'z', 70);
			strbuf_guard(&b, i % 2);
			strbuf_pad(&want, 'a', before);
			strbuf_str(&want, answer);
			strbuf_pad(&want, 'z', 70);
			assert_string_equal(b.s, want.s);
			strbuf_release(&b);
			strbuf_release(&want);
		}
}

/* One byte of each kind at each place of texts of each length. */
static void test_plain(void **state)
{
	static const u8 others[] = { 0, 0x1f, 0x7f, 0x80, 0xc3, 0xff };
	char text[24] = { 0 };

	(void)state;
	for (size_t len = 0; len <= sizeof(text); len++) {
		for (size_t i = 0; i < len; i++)
			text[i] = i % 2 ? 0x20 : 0x7e;
		assert_int_equal(text_plain(text, len), len);
		assert_int_equal(text_columns(text, len), len);
		for (size_t at = 0; at < len; at++)
			for (size_t k = 0; k < ARRAY_SIZE(others); k++) {
				char was = text[at];

				text[at] = (char)others[k];
				assert_int_equal(text_plain(text, len), at);
				text[at] = was;
			}
	}
}

static void test_path_under(void **state)
{
	static const struct {
		const char *root, *path, *whole;
	} cases[] = {
		{ "", "a/../b", "a/../b" },          { "/r", "/usr/bin/x", "/r/usr/bin/x" },
		{ "/r", "/../../x", "/r/x" },        { "/r", "a//./b/../c", "/r/a/c" },
		{ "../..", "/../x", "../../x" },     { "/r", "/..", "/r" },
		{ "/r", "/...//..x", "/r/.../..x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *whole = path_under(cases[i].root, cases[i].path);

		assert_string_equal(whole, cases[i].whole);
		free(whole);
	}
}

/* As glibc's wcwidth() has them in C.UTF-8. */
static void test_wrap(void **state)
{
	struct strlist l = { 0 };

	(void)state;
	text_wrap(&l, "one two three", 8);
	assert_int_equal(l.list.count, 2);
	assert_string_equal(l.list.items[0], "one two");
	assert_string_equal(l.list.items[1], "three");
	strlist_release(&l);
	text_wrap(&l, "abcdefghij x", 4);
	assert_int_equal(l.list.count, 3);
	assert_string_equal(l.list.items[0], "abcd");
	assert_string_equal(l.list.items[2], "ij x");
	strlist_release(&l);
	text_wrap(&l, "fits", 4);
	text_wrap(&l, "", 4);
	assert_int_equal(l.list.count, 2);
	assert_string_equal(l.list.items[1], "");
	strlist_release(&l);
}

static void test_columns(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		int columns;
	} cases[] = {
		{ "", 0 }, { "plain", 5 }, { "gr\xc3\xb6\xc3\x9f" "e", 5 }, { "\xe6\xbc\xa2\xe5\xad\x97", 4 },
		{ "e\xcc\x81", 1 }, { "\xf0\x9f\x98\x80", 2 }, { "\xe2\x94\x82", 1 }, { "\xef\xbc\xa1", 2 },
		{ "\xe2\x80\x8b", 0 }, { "\xcd\xaf\xcd\xb0", 1 },
		/* no UTF-8: a column for each byte; control characters as they are shown */
		{ "\xff\xc3", 2 }, { "\xe6\xbc", 2 }, { "\033[m", 6 },
	};
	/* clang-format on */
	struct strbuf b = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(text_columns(cases[i].text, strlen(cases[i].text)),
				 cases[i].columns);
	assert_int_equal(text_fit("a\xe6\xbc\xa2"
				  "b",
				  5, 0),
			 0);
	assert_int_equal(text_fit("a\xe6\xbc\xa2"
				  "b",
				  5, 2),
			 1);
	assert_int_equal(text_fit("a\xe6\xbc\xa2"
				  "b",
				  5, 3),
			 4);
	assert_int_equal(text_fit("e\xcc\x81x", 4, 1), 3);
	strbuf_aligned(&b, "\xe6\xbc\xa2", 3, 4);
	strbuf_aligned(&b, "\xc3\xb6", 2, -3);
	strbuf_aligned(&b, "long", 4, 2);
	strbuf_aligned(&b, "x", 1, 0);
	assert_string_equal(b.s, "  \xe6\xbc\xa2\xc3\xb6  longx");
	strbuf_release(&b);
}

/* RFC 8259: quotes, backslashes and control characters are escaped; other bytes must be UTF-8. */
static void test_json(void **state)
{
	struct strbuf b = STRBUF_INIT;

	(void)state;
	assert_false(json_text(&b, "a\"b\\c\n\x7f\xc3\xa9\xff."));
	assert_string_equal(b.s, "\"a\\\"b\\\\c\\u000a\\u007f\xc3\xa9\xef\xbf\xbd.\"");
	strbuf_release(&b);
	assert_true(json_text(&b, "\xc3\xa9\n"));
	json_bytes(&b, "\xc3\x0a", 2);
	assert_string_equal(b.s, "\"\xc3\xa9\\u000a\"\"c30a\"");
	strbuf_release(&b);
}

/* A type behind one with a tail; hostile sizes and offsets are no names. */
/*
 * Bits of an attr's flags, by their number on either machine: disabled 0, sample_id_all 18,
 * precise_ip 15 and 16.
 */
static void test_mirrored_flags(void **state)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const u64 flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL | 2ULL << ATTR_PRECISE_SHIFT;

	(void)state;
	assert_true(attr_flags_mirrored(flags) == (BIT64(63) | BIT64(45) | 2ULL << 47));
	assert_true(attr_flags_mirrored(attr_flags_mirrored(flags)) == flags);
	assert_true(attr_flags_of_host(flags) == (big ? attr_flags_mirrored(flags) : flags));
}

static void test_btf(void **state)
{
	const struct {
		u16 magic;
		u8 version, flags;
	} head = { 0xeb9f, 1, 0 };
	u32 words[] = {
		0,        24,        0,  12 + 4 + 12 + 12, 40, 12, 1,
		1u << 24, 4,         32, /* 1: INT, with 4 bytes behind it */
		0,        13u << 24, 1,  /* 2: FUNC_PROTO without parameters */
		5,        12u << 24, 2,  /* 3: FUNC */
		0,        0,         0,  /* strings */
	};
	size_t size = sizeof(words);

	(void)state;
	memcpy(words, &head, sizeof(head));
	memcpy(&words[16], "\0int\0named", 11);
	assert_string_equal(btf_type_name(words, size, false, 3), "named");
	assert_string_equal(btf_type_name(words, size, false, 1), "int");
	assert_null(btf_type_name(words, size, false, 0));
	assert_null(btf_type_name(words, size, false, 4));
	assert_null(btf_type_name(words, size, true, 3)); /* the other byte order */
	assert_null(btf_type_name(words, size - 1, false, 3));
	assert_null(btf_type_name(words, 20, false, 3));
	words[13] = 12; /* a name behind the strings */
	assert_null(btf_type_name(words, size, false, 3));
	words[13] = 5;
	words[5] = 10; /* strings end inside of it */
	assert_null(btf_type_name(words, size, false, 3));
	words[5] = 12;
	words[7] = 4u << 24 | 0xffff; /* more members than there are bytes */
	assert_null(btf_type_name(words, size, false, 3));
	words[7] = 1u << 24;
	words[3] = UINT32_MAX;
	assert_null(btf_type_name(words, size, false, 3));
	for (size_t i = 0; i < 17; i++) { /* whatever the words are, nothing outside is read */
		u32 was = words[i];

		words[i] = UINT32_MAX;
		btf_type_name(words, size, false, 3);
		words[i] = was;
	}
}

static bool all_zero(const u8 *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

static void test_memory_of_threads_and_tables(void **state)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 129, 4096, 70001, 300000, 5 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *apart = xcalloc_apart(1, sizes[i]), *table = xcalloc_table(sizes[i], 1);

		/* two lines of it, and nothing else in the last */
		assert_int_equal((uintptr_t)apart % 128, 0);
		assert_true(all_zero(apart, (sizes[i] / 128 + 1) * 128));
		assert_true(all_zero(table, sizes[i]));
		memset(apart, 1, sizes[i]);
		memset(table, 1, sizes[i]);
		free(apart);
		free(table);
	}
}

static void test_wide_numbers(void **state)
{
	static const u64 numbers[] = { 0,
				       1,
				       3,
				       0xffffffff,
				       0x100000000,
				       0x1ffffffff,
				       0x123456789abcdef,
				       0x7fffffffffffffff,
				       0x8000000000000000,
				       0xfffffffffffffffb,
				       UINT64_MAX };

	(void)state;
	/* digits as bc prints them */
	assert_int_equal(wide_product(UINT64_MAX, UINT64_MAX).high, 0xfffffffffffffffe);
	assert_int_equal(wide_product(UINT64_MAX, UINT64_MAX).low, 1);
	assert_int_equal(wide_product(0x123456789abcdef, 0xfedcba9876543210).high,
			 0x121fa00ad77d742);
	assert_int_equal(wide_product(0x123456789abcdef, 0xfedcba9876543210).low,
			 0x2236d88fe5618cf0);
	assert_int_equal(wide_quotient((struct wide){ 0x121fa00ad77d742, 0x2236d88fe5618cf5 },
				       0x123456789abcdef),
			 0xfedcba9876543210);
	assert_int_equal(wide_right(wide_left(0xfedcba9876543210, 20), 20), 0xfedcba9876543210);
	assert_int_equal(wide_right(wide_left(UINT64_MAX, 0), 0), UINT64_MAX);
	assert_int_equal(wide_left(UINT64_MAX, 63).high, INT64_MAX);
	/* a recording's time of a counter at 2.5 GHz: mult 2^32 / 5, shift 31 */
	assert_int_equal(wide_quotient(wide_left(4000000000000000000, 31), 858993459),
			 10000000002328306437ULL);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
			struct wide m = wide_product(numbers[i], numbers[k]);
			struct wide halves = wide_product_by_halves(numbers[i], numbers[k]);

			assert_int_equal(m.high, halves.high);
			assert_int_equal(m.low, halves.low);
			for (size_t d = 1; d < ARRAY_SIZE(numbers); d++)
				assert_int_equal(wide_quotient(m, numbers[d]),
						 wide_quotient_by_bits(m, numbers[d]));
			if (numbers[k])
				assert_int_equal(wide_quotient_by_bits(m, numbers[k]), numbers[i]);
		}
}

/* Small arrays double; large ones, most of whose room would lie idle, grow by half. */
static void test_growth(void **state)
{
	VEC(u64) v = VEC_INIT;
	size_t steps = 0, space = 0;

	(void)state;
	for (u64 i = 0; i < 1000000; i++) {
		vec_push(&v, i);
		if (v.space == space)
			continue;
		if (space)
			assert_int_equal(v.space, space * sizeof(u64) < 256 << 10
							  ? space * 2
							  : space + space / 2);
		space = v.space;
		steps++;
	}
	assert_in_range(steps, 15, 25);
	for (u64 i = 0; i < 1000000; i++)
		assert_true(v.items[i] == i);
	vec_release(&v);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_of_threads_and_tables),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hexadecimals),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_millis),	    cmocka_unit_test(test_parse_units),
		cmocka_unit_test(test_cpu_list),    cmocka_unit_test(test_map64),
		cmocka_unit_test(test_pairs_of_small_numbers_hash_apart),
		cmocka_unit_test(test_strtab), cmocka_unit_test(test_names_with_commas),	    cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_conditions_merge), cmocka_unit_test(test_conditions_of_several_threads),
		cmocka_unit_test(test_reason),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_names_in_a_line),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_path_under),     cmocka_unit_test(test_json),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_columns),	      cmocka_unit_test(test_btf),
		cmocka_unit_test(test_mirrored_flags), cmocka_unit_test(test_wide_numbers),
	};
	/* clang-format on */

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
