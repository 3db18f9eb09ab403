// SPDX-License-Identifier: GPL-2.0-or-later
/* The event language, on strings with known answers. */
#include "builtin/test/checks.h"
#include "event/event.h"
#include "event/parse.h"

struct event_case {
	const char *text;
	u32 type;
	u64 config;
	size_t count; /* events it makes */
};

static const struct event_case cases[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1 },
	{ "instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1 },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
	{ "page-faults,cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 2 },
	{ "r1a2", PERF_TYPE_RAW, 0x1a2, 1 },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 1 },
	{ "{task-clock,faults}:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 2 },
};

static enum selftest_result one_case(struct selftest *t, const struct event_case *c)
{
	struct event_parser parser = { .command = "stat", .counting = true };
	struct reason r = REASON_INIT;
	struct event_set set;
	enum selftest_result result = SELFTEST_OK;

	event_set_init(&set);
	if (event_parse(&parser, &set, c->text, &r))
		result = selftest_fail(t, "'%s': %s", c->text, r.text);
	else if (set.list.count != c->count)
		result = selftest_fail(t, "'%s' makes %zu events, not %zu", c->text, set.list.count,
				       c->count);
	else if (set.list.items[0]->attr.type != c->type ||
		 set.list.items[0]->attr.config != c->config)
		result =
			selftest_fail(t, "'%s' is type %u config %#" PRIx64, c->text,
				      set.list.items[0]->attr.type, set.list.items[0]->attr.config);
	strbuf_f(&t->log, "%s: %zu events\n", c->text, set.list.count);
	event_set_release(&set);
	reason_release(&r);
	return result;
}

enum selftest_result check_parse_events(struct selftest *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (one_case(t, &cases[i]) != SELFTEST_OK)
			return SELFTEST_FAILED;
	return SELFTEST_OK;
}

enum selftest_result check_parse_errors(struct selftest *t)
{
	static const char *const wrong[] = { "",        "cyclse", "cycles:", "cycles:z",
					     "{cycles", "r",      ",",       "cycles,,cs" };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct event_parser parser = { .command = "stat", .counting = true };
		struct reason r = REASON_INIT;
		struct event_set set;
		int err;

		event_set_init(&set);
		err = event_parse(&parser, &set, wrong[i], &r);
		strbuf_f(&t->log, "'%s': %s\n", wrong[i], r.text ? r.text : "accepted");
		event_set_release(&set);
		reason_release(&r);
		if (!err)
			return selftest_fail(t, "'%s' is accepted", wrong[i]);
	}
	return SELFTEST_OK;
}
