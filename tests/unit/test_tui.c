// SPDX-License-Identifier: GPL-2.0-or-later
/* The terminal browser's tables: keys, help, what terminals send. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ui/tui/annotate_browser.h"
#include "ui/tui/hist_browser.h"
#include "ui/tui/keyboard.h"
#include "ui/tui/keys.h"
#include "ui/tui/list.h"
#include "ui/tui/screen.h"

static bool never(const void *arg)
{
	(void)arg;
	return false;
}

static void note_key(void *arg, int key)
{
	*(int *)arg = key;
}

static const struct key_row rows[] = {
	{ .keys = { 'a', KEY_F1 }, .help = "first", .group = "One:", .run = note_key },
	{ .keys = { 'b' }, .help = "second", .usable = never, .run = note_key },
	{ .keys = { 'c' }, .help = "third", .group = "Two:", .usable = never },
	{ .keys = { 'd' }, .help = "fourth", .group = "Three:" },
};

static bool is_on(const void *arg)
{
	return arg;
}

static bool is_off(const void *arg)
{
	return !arg;
}

/* One key with two meanings, of which one holds at a time. */
static void a_key_may_have_several_rows(void **state)
{
	static const struct key_row twice[] = {
		{ .keys = { 'a' }, .help = "first", .group = "One:", .usable = is_on },
		{ .keys = { 'a' }, .help = "second", .usable = is_off },
		{ .keys = { 'b' }, .help = "third", .usable = never },
		{ .keys = { 'b' }, .help = "fourth", .usable = is_on },
		{ .keys = { 'c' }, .help = "fifth", .usable = never },
		{ .keys = { 'c' }, .help = "sixth", .usable = never, .meant = is_off },
		{ .keys = { 'c' }, .help = "seventh", .usable = never, .meant = is_on },
	};
	int on = 1;

	(void)state;
	assert_ptr_equal(keys_find(twice, ARRAY_SIZE(twice), 'a', &on), &twice[0]);
	assert_ptr_equal(keys_find(twice, ARRAY_SIZE(twice), 'a', NULL), &twice[1]);
	assert_null(keys_idle(twice, ARRAY_SIZE(twice), 'a', &on));
	assert_null(keys_idle(twice, ARRAY_SIZE(twice), 'a', NULL));
	assert_null(keys_idle(twice, ARRAY_SIZE(twice), 'b', &on));
	assert_null(keys_find(twice, ARRAY_SIZE(twice), 'b', NULL));
	assert_ptr_equal(keys_idle(twice, ARRAY_SIZE(twice), 'b', NULL), &twice[2]);
	assert_ptr_equal(keys_idle(twice, ARRAY_SIZE(twice), 'c', NULL), &twice[5]);
	assert_ptr_equal(keys_idle(twice, ARRAY_SIZE(twice), 'c', &on), &twice[6]);
}

static void keys_are_found_when_usable(void **state)
{
	const struct key_row *row = keys_find(rows, ARRAY_SIZE(rows), KEY_F1, NULL);
	int seen = 0;

	(void)state;
	assert_ptr_equal(row, &rows[0]);
	row->run(&seen, KEY_F1);
	assert_int_equal(seen, KEY_F1);
	assert_null(keys_find(rows, ARRAY_SIZE(rows), 'b', NULL));
	assert_null(keys_find(rows, ARRAY_SIZE(rows), 'x', NULL));
	assert_null(keys_find(rows, ARRAY_SIZE(rows), 0, NULL));
}

static void help_has_what_can_be_used(void **state)
{
	struct strbuf b = STRBUF_INIT;

	(void)state;
	keys_help(rows, ARRAY_SIZE(rows), NULL, &b);
	assert_string_equal(strbuf_cstr(&b), "One:\n\na F1  first\n\nThree:\n\nd     fourth\n");
	strbuf_release(&b);
}

static void names_cover_all_keys_of_a_row(void **state)
{
	static const struct {
		struct key_row row;
		const char *names;
	} known[] = {
		{ { .keys = { 'q', KEY_ESC, KEY_CTRL('c'), KEY_GONE } }, "q ESC Ctrl-C" },
		{ { .keys = { KEY_UP, KEY_WHEEL_UP, KEY_WHEEL_DOWN, ' ' } }, "UP wheel SPACE" },
		{ { .keys = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' } }, "0-9" },
		{ { .keys = { '/', KEY_BACKSPACE, KEY_UNTAB, KEY_TAB, KEY_ENTER } },
		  "/ BACKSPACE UNTAB TAB ENTER" },
	};
	struct strbuf b = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		strbuf_clear(&b);
		keys_names(&known[i].row, &b);
		assert_string_equal(strbuf_cstr(&b), known[i].names);
	}
	strbuf_release(&b);
}

static u64 no_rows(void *arg)
{
	(void)arg;
	return 0;
}

static bool is_in_table(const struct key_row *table, size_t count, int key)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < KEYS_OF_ROW && table[i].keys[k]; k++)
			if (table[i].keys[k] == key)
				return true;
	return false;
}

/*
 * The list takes these keys before a table of keys sees them, but the help is made from the tables.
 */
static void tables_have_the_keys_of_lists(void **state)
{
	static const struct key_row list_keys[] = { KEYS_OF_LIST("List:") };
	static const struct list_ops ops = { .count = no_rows };

	(void)state;
	for (int key = 1; key < KEY_RESIZE; key++) {
		struct list l = { .ops = &ops };

		if (!list_move(&l, key))
			continue;
		assert_true(is_in_table(list_keys, ARRAY_SIZE(list_keys), key));
		assert_true(is_in_table(annotate_keys, annotate_key_count, key));
		assert_true(is_in_table(hist_browser_keys, hist_browser_key_count, key));
	}
}

/* No key twice; every row says what it does; the first has a heading. */
static void browser_keys_are_sound(void **state)
{
	(void)state;
	assert_non_null(hist_browser_keys[0].group);
	for (size_t i = 0; i < hist_browser_key_count; i++) {
		const struct key_row *row = &hist_browser_keys[i];

		assert_true(row->help && strlen(row->help) < 60 && row->keys[0]);
		/* the same key in two rows: at most one of them may be usable at a time */
		for (size_t j = 0; j <= i; j++)
			for (int k = 0; k < KEYS_OF_ROW && hist_browser_keys[j].keys[k]; k++)
				for (int m = 0; m < KEYS_OF_ROW && row->keys[m]; m++)
					assert_true((i == j && k == m) ||
						    hist_browser_keys[j].keys[k] != row->keys[m] ||
						    (i != j && row->usable &&
						     hist_browser_keys[j].usable &&
						     hist_browser_keys[j].usable != row->usable));
	}
}

static void check_key(const char *bytes, int key, size_t used)
{
	size_t got;

	assert_int_equal(keyboard_decode((const u8 *)bytes, strlen(bytes), &got), key);
	assert_int_equal(got, used);
}

static void bytes_become_keys(void **state)
{
	(void)state;
	check_key("q", 'q', 1);
	check_key("\r", KEY_ENTER, 1);
	check_key("\177", KEY_BACKSPACE, 1);
	check_key("\033[Ax", KEY_UP, 3);
	check_key("\033OB", KEY_DOWN, 3);
	check_key("\033[1;5C", KEY_RIGHT, 6);
	check_key("\033[5~", KEY_PAGE_UP, 4);
	check_key("\033[6~", KEY_PAGE_DOWN, 4);
	check_key("\033[Z", KEY_UNTAB, 3);
	check_key("\033OP", KEY_F1, 3);
	check_key("\033[11~", KEY_F1, 5);
	check_key("\033[<64;10;20M", KEY_WHEEL_UP, 12);
	check_key("\033[<65;10;20M", KEY_WHEEL_DOWN, 12);
}

/* Unfinished ones take nothing, odd ones do not stop the reader. */
static void odd_sequences_are_survived(void **state)
{
	(void)state;
	check_key("\033", KEY_NONE, 0);
	check_key("\033[", KEY_NONE, 0);
	check_key("\033[12", KEY_NONE, 0);
	check_key("\033q", KEY_ESC, 1);
	check_key("\033\033[A", KEY_ESC, 1);
	check_key("\033[\033", KEY_ESC, 1);
	check_key("\033[99~", KEY_NONE, 5);
	check_key("\033[<0;1;1M", KEY_NONE, 9);
	check_key("\033[99999999999999~", KEY_NONE, 17);
	check_key("\033[0000000000000000000000000000000000000", KEY_ESC, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_found_when_usable),
		cmocka_unit_test(names_cover_all_keys_of_a_row),
		cmocka_unit_test(tables_have_the_keys_of_lists),
		cmocka_unit_test(a_key_may_have_several_rows),
		cmocka_unit_test(help_has_what_can_be_used),
		cmocka_unit_test(browser_keys_are_sound),
		cmocka_unit_test(bytes_become_keys),
		cmocka_unit_test(odd_sequences_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
