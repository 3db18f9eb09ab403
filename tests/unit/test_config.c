// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings: what a file may hold, and that no file can hurt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/config.h"
#include "cli/features.h"

static int parse(struct config *c, const char *text, struct reason *r)
{
	memset(c, 0, sizeof(*c));
	return config_parse(c, "file", text, r);
}

static void settings_are_read(void **state)
{
	struct config c;

	(void)state;
	assert_int_equal(
		parse(&c, "# x\n[A]\nb=1\n B = 2 # c\n[a \"q\"]\nflag\n[d]e=\"x;y\"", NULL), 0);
	assert_string_equal(config_find(&c, "a.b"), "2");
	assert_string_equal(config_find(&c, "A.B"), "2");
	assert_string_equal(config_find(&c, "a.q.flag"), "true");
	assert_string_equal(config_find(&c, "d.e"), "x;y");
	assert_null(config_find(&c, "a.c"));
	config_release(&c);
}

static void faults_are_named(void **state)
{
	static const char *const bad[] = {
		"a = 1\n",        "[]\na=1\n",  "[a\nb=1\n",  "[a]\nb = \"open\n",
		"[a]\nb = \\q\n", "[a]\n= 1\n", "[a]\nb c\n",
	};
	struct config c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct reason r = REASON_INIT;

		assert_int_equal(parse(&c, bad[i], &r), -EINVAL);
		assert_non_null(strstr(r.text, "of 'file' is not a setting"));
		reason_release(&r);
		config_release(&c);
	}
}

static void context_reads(void **state)
{
	struct config c;
	struct context ctx = { .config = &c };

	(void)state;
	parse(&c, "[a]\nyes=ON\nno=0\nodd=maybe\nn=16\nhex=0x10\n", NULL);
	assert_true(config_bool(&ctx, "a.yes", false));
	assert_false(config_bool(&ctx, "a.no", true));
	assert_true(config_bool(&ctx, "a.odd", true));
	assert_false(config_bool(&ctx, "a.none", false));
	assert_int_equal(config_u64(&ctx, "a.n", 1), 16);
	assert_int_equal(config_u64(&ctx, "a.odd", 7), 7);
	assert_int_equal(config_u64(&ctx, "a.hex", 7), 7);
	config_release(&c);
	ctx.config = NULL;
	assert_null(config_get(&ctx, "a.n"));
}

/* Any bytes: an answer, and every entry inside the text. */
static void any_bytes(void **state)
{
	static const char seed[] = "[a]\n\tb = \"c\\td\" ; e\\\n[f \"g\"]\nh\ni = j # k\n\\x\"";
	u64 x = 88172645463325252ULL;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		char text[sizeof(seed)];
		struct config c;

		memcpy(text, seed, sizeof(seed));
		for (int k = 0; k < 4; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			text[x % (sizeof(seed) - 1)] = "\n\"\\[]=;# ab\0\x80"[(x >> 32) % 13];
		}
		parse(&c, text, NULL);
		vec_for_each(&c.entries, e) {
			assert_true(e->start < e->end && e->end <= strlen(text));
			assert_non_null(strchr(e->name, '.'));
		}
		config_release(&c);
	}
}

static void features_are_found_in_any_case(void **state)
{
	(void)state;
	for (const struct feature *f = features; f->name; f++)
		assert_ptr_equal(feature_find(f->name, strlen(f->name)), f);
	assert_string_equal(feature_find("LibElf", 6)->macro, "HAVE_LIBELF_SUPPORT");
	assert_string_equal(feature_find("have_zstd_support", 17)->name, "zstd");
	assert_null(feature_find("zst", 3));
	assert_null(feature_find("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(faults_are_named),
		cmocka_unit_test(context_reads),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(features_are_found_in_any_case),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
