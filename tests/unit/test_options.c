// SPDX-License-Identifier: GPL-2.0-or-later
/* The option grammar: each rule of cli/options.h, with answers and with refusals. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "cli/options.h"

struct settings {
	bool all, raw, inherit, output_given, graph_given;
	int verbose, mode;
	const char *output, *graph, *sort;
	u64 count, size, timeout;
	unsigned pages;
	int delay;
	struct strlist events;
	const char *seen;
	bool seen_negated;
	const char *argv[16];
	int argc;
};

static int seen(const struct option_call *call, struct reason *r)
{
	struct settings *s = call->settings;

	if (call->value && !strcmp(call->value, "bad")) {
		reason_set(r, EINVAL, "'%s' is no good", call->value);
		return -EINVAL;
	}
	s->seen = call->value;
	s->seen_negated = call->negated;
	return 0;
}

/* stop is an int because va_start() cannot follow a bool. */
static int parse_full(struct settings *s, int stop, ...)
{
	const struct option_row rows[] = {
		{ OPTION_GROUP, .help = "First things" },
		{ OPTION_FLAG, 'a', "all-cpus", &s->all },
		{ OPTION_FLAG, 'R', "raw-samples", &s->raw },
		{ OPTION_FLAG, 'i', "inherit", &s->inherit, .flags = OPT_NEGATE_ONLY },
		{ OPTION_COUNT, 'v', "verbose", &s->verbose },
		{ OPTION_STRING, 'o', "output", &s->output, .given = &s->output_given },
		{ OPTION_STRING, 'g', "call-graph", &s->graph, .flags = OPT_LAST_DEFAULT,
		  .given = &s->graph_given },
		{ OPTION_STRING, 0, "sort", &s->sort, .flags = OPT_OPTIONAL },
		{ OPTION_LIST, 'e', "event", &s->events },
		{ OPTION_U64, 'c', "count", &s->count },
		{ OPTION_UINT, 'm', "pages", &s->pages },
		{ OPTION_INT, 'D', "delay", &s->delay },
		{ OPTION_SIZE, 0, "max-size", &s->size },
		{ OPTION_DURATION, 0, "timeout", &s->timeout, .unit = 1000000 },
		{ OPTION_SET_INT, 0, "per-core", &s->mode, .unit = 3 },
		{ OPTION_SET_INT, 0, "per-socket", &s->mode, .unit = 4 },
		{ OPTION_CALLBACK, 0, "filter", .arg = "TEXT", .set = seen },
		{ OPTION_FLAG, 0, "inspect", &s->raw, .flags = OPT_HIDDEN },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "x",
		.rows = rows,
		.stop_at_command = stop != 0,
		.settings = s,
	};
	va_list ap;

	s->argc = 0;
	s->argv[s->argc++] = "x";
	va_start(ap, stop);
	while ((s->argv[s->argc] = va_arg(ap, const char *)))
		s->argc++;
	va_end(ap);
	return options_parse(&o, &s->argc, s->argv);
}

#define PARSE(s, ...)      parse_full(s, false, __VA_ARGS__, (const char *)NULL)
#define PARSE_STOP(s, ...) parse_full(s, true, __VA_ARGS__, (const char *)NULL)

static void short_options(void **state)
{
	struct settings s = { .inherit = true };

	(void)state;
	assert_int_equal(PARSE(&s, "-aR", "-vv", "-ofile", "-i", "-c", "12", "left"), 0);
	assert_true(s.all && s.raw && !s.inherit && s.output_given);
	assert_int_equal(s.verbose, 2);
	assert_string_equal(s.output, "file");
	assert_int_equal(s.count, 12);
	assert_int_equal(s.argc, 1);
	assert_string_equal(s.argv[0], "left");
	assert_null(s.argv[1]);
}

static void clusters_end_in_a_value(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "-aRoout", "-vc7"), 0);
	assert_true(s.all && s.raw);
	assert_string_equal(s.output, "out");
	assert_int_equal(s.count, 7);
}

static void long_options(void **state)
{
	struct settings s = { .inherit = true };

	(void)state;
	assert_int_equal(PARSE(&s, "--all-cpus", "--output=a=b", "--count", "16", "--no-inherit",
			       "--event", "x", "--event=y"),
			 0);
	assert_true(s.all && !s.inherit);
	assert_string_equal(s.output, "a=b");
	assert_int_equal(s.count, 16);
	assert_int_equal(s.events.list.count, 2);
	assert_string_equal(s.events.list.items[1], "y");
	strlist_release(&s.events);
	assert_int_equal(PARSE(&s, "--inherit", "--no-all-cpus", "-v", "--no-verbose"), 0);
	assert_true(s.inherit && !s.all && !s.verbose);
}

static void prefixes(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "--all", "--no-inh", "--ver", "--per-c"), 0);
	assert_true(s.all);
	assert_int_equal(s.verbose, 1);
	assert_int_equal(s.mode, 3);
	assert_int_equal(PARSE(&s, "--per"), EXIT_USAGE);
	/* hidden names take no part: --in is --inherit alone */
	assert_int_equal(PARSE(&s, "--in"), 0);
	assert_true(s.inherit);
	assert_int_equal(PARSE(&s, "--inspect"), 0);
	assert_int_equal(PARSE(&s, "--no"), 0);
	assert_false(s.inherit);
}

static void values_that_may_be_left_out(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "-g", "caller", "--sort", "rest"), 0);
	assert_string_equal(s.graph, "caller");
	assert_null(s.sort);
	assert_int_equal(s.argc, 1);
	assert_int_equal(PARSE(&s, "--sort=comm", "-g"), 0);
	assert_null(s.graph);
	assert_true(s.graph_given);
	assert_string_equal(s.sort, "comm");
	assert_int_equal(PARSE(&s, "-g", "-a", "-gflat"), 0);
	assert_string_equal(s.graph, "flat");
}

static void end_of_options(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "one", "-a", "--", "-R", "two"), 0);
	assert_true(s.all && !s.raw);
	assert_int_equal(s.argc, 3);
	assert_string_equal(s.argv[1], "-R");
	s.all = false;
	assert_int_equal(PARSE_STOP(&s, "-R", "sleep", "-a", "--", "1"), 0);
	assert_true(s.raw && !s.all);
	assert_int_equal(s.argc, 4);
	assert_string_equal(s.argv[2], "--");
	assert_int_equal(PARSE(&s, "-"), 0);
	assert_string_equal(s.argv[0], "-");
}

static void numbers_are_checked(void **state)
{
	struct settings s = { .count = 5 };

	(void)state;
	assert_int_equal(PARSE(&s, "--max-size", "64K", "--timeout=10s", "-D", "-1", "-m4"), 0);
	assert_int_equal(s.size, 65536);
	assert_int_equal(s.timeout, 10000000000ULL);
	assert_int_equal(s.delay, -1);
	assert_int_equal(PARSE(&s, "--timeout=3"), 0);
	assert_int_equal(s.timeout, 3000000);
	assert_int_equal(PARSE(&s, "-c", "12x"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "-m", "4294967296"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "-D", "2147483648"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "-c"), EXIT_USAGE);
	assert_int_equal(s.count, 5);
}

static void refusals(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "--nonsense"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "-Z"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "--all-cpus=3"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "--no-output"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "--output"), EXIT_USAGE);
	assert_int_equal(PARSE(&s, "--filter=bad"), EXIT_USAGE);
}

static void callbacks(void **state)
{
	struct settings s = { 0 };

	(void)state;
	assert_int_equal(PARSE(&s, "--filter", "a==1"), 0);
	assert_string_equal(s.seen, "a==1");
	assert_int_equal(PARSE(&s, "--no-filter"), 0);
	assert_true(s.seen_negated);
	assert_null(s.seen);
}

/* The words, split at spaces, without --user: -1: it is not among the options. */
static int words_left(const char *line, struct strbuf *left)
{
	static const struct option_row rows[] = {
		{ OPTION_FLAG, 'q', "quiet", NULL },
		{ OPTION_STRING, 'o', "output", NULL },
		{ OPTION_STRING, 'g', "call-graph", NULL, .flags = OPT_LAST_DEFAULT },
		{ OPTION_STRING, 0, "sort", NULL, .flags = OPT_OPTIONAL },
		{ OPTION_STRING, 0, "user-regs", NULL },
		OPT_END_ROW,
	};
	const struct options o = { .command = "t", .rows = rows };
	struct strlist words = { 0 };
	const char *argv[16] = { NULL };
	int argc = 0;
	bool taken;

	strlist_split(&words, line, " ");
	vec_for_each(&words.list, word)
		argv[argc++] = *word;
	taken = options_take_word(&o, &argc, argv, "--user");
	assert_null(argv[argc]);
	strbuf_clear(left);
	for (int i = 0; i < argc; i++)
		strbuf_f(left, "%s%s", i ? " " : "", argv[i]);
	strlist_release(&words);
	return taken ? argc : -1;
}

static void another_commands_word(void **state)
{
	static const struct {
		const char *line, *left; /* left NULL: it is not there */
	} cases[] = {
		{ "--user", "" },
		{ "-q --user ls", "-q ls" },
		{ "-o x --user ls --user", "-o x ls --user" },
		{ "-ox --user ls", "-ox ls" },
		{ "-qo x --user", "-qo x" },
		{ "--output x --user ls", "--output x ls" },
		{ "--out x --user ls", "--out x ls" },
		{ "--output=x --user ls", "--output=x ls" },
		{ "--no-output --user", "--no-output" },
		{ "-g fp --user ls", "-g fp ls" },
		{ "-g --user ls", "-g ls" },
		{ "--sort --user ls", "--sort ls" },
		{ "-o --user ls", NULL }, /* a file of this name */
		{ "ls --user", NULL },
		{ "-q ls --user", NULL },
		{ "--sort ls --user", NULL },
		{ "-q -- --user", NULL },
		{ "-o x - --user", NULL },
		{ "--unknown --user", "--unknown" },
		{ "-q", NULL },
	};
	struct strbuf left = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *wanted = cases[i].left ? cases[i].left : cases[i].line;

		assert_int_equal(words_left(cases[i].line, &left) >= 0, cases[i].left != NULL);
		assert_string_equal(strbuf_cstr(&left), wanted);
	}
	strbuf_release(&left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_options),
		cmocka_unit_test(clusters_end_in_a_value),
		cmocka_unit_test(long_options),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(values_that_may_be_left_out),
		cmocka_unit_test(end_of_options),
		cmocka_unit_test(numbers_are_checked),
		cmocka_unit_test(refusals),
		cmocka_unit_test(callbacks),
		cmocka_unit_test(another_commands_word),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
