// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf kmem; some mean the table that was named before them. */
#include <errno.h>
#include <string.h>

#include "builtin/kmem/internal.h"
#include "cli/config.h"
#include "cli/say.h"

static int set_table(const struct option_call *call, struct reason *r)
{
	struct kmem *k = call->settings;

	(void)r;
	k->last = (s32)call->row->unit;
	k->table[k->last] = true;
	return 0;
}

static int set_sort(const struct option_call *call, struct reason *r)
{
	struct kmem *k = call->settings;

	(void)r;
	for (int t = 0; t < KMEM_TABLES; t++)
		if (k->last < 0 || k->last == t)
			k->sort[t] = call->value;
	return 0;
}

static int set_lines(const struct option_call *call, struct reason *r)
{
	struct kmem *k = call->settings;
	u64 lines;

	if (parse_count(call->value, &lines) || lines > INT32_MAX)
		return reason_set(r, EINVAL, "'%s' is not a number of lines", call->value);
	for (int t = 0; t < KMEM_TABLES; t++)
		if (k->last < 0 || k->last == t)
			k->lines[t] = (s64)lines;
	return 0;
}

void kmem_init(struct kmem *k, struct context *ctx)
{
	enum { MAP_ENTRIES = 262144 };

	*k = (struct kmem){ .last = -1, .lines = { -1, -1 }, .map_entries = MAP_ENTRIES };
	analysis_init(&k->a, ctx);
}

void kmem_option_rows(struct kmem *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What to show" },
		{ OPTION_FLAG, 0, "slab", &k->want[KMEM_SLAB],
		  .help = "the slab allocator (default)" },
		{ OPTION_FLAG, 0, "page", &k->want[KMEM_PAGE], .help = "the page allocator" },
		{ OPTION_CALLBACK, 0, "caller", NULL, .set = set_table, .unit = KMEM_CALLERS,
		  .flags = OPT_NO_NEGATE, .help = "a table of the places that allocated" },
		{ OPTION_CALLBACK, 0, "alloc", NULL, .set = set_table, .unit = KMEM_ALLOCS,
		  .flags = OPT_NO_NEGATE,
		  .help = "a table of the addresses or pages that were handed out" },
		{ OPTION_FLAG, 0, "live", &k->live, .help = "tables of what is not freed yet" },
		{ OPTION_CALLBACK, 's', "sort", NULL, .arg = "KEY[,KEY]...", .set = set_sort,
		  .flags = OPT_NO_NEGATE,
		  .help = "ptr callsite bytes hit pingpong frag page order migtype gfp" },
		{ OPTION_CALLBACK, 'l', "line", NULL, .arg = "N", .set = set_lines,
		  .flags = OPT_NO_NEGATE, .help = "show at most N lines of a table" },
		{ OPTION_FLAG, 0, "raw-ip", &k->raw_ip,
		  .help = "show addresses instead of functions" },
		{ OPTION_STRING, 0, "time", &k->time, .arg = "RANGE",
		  .help = "only samples in this time range" },
		{ OPTION_GROUP, .help = "Counting in the running kernel" },
		{ OPTION_FLAG, 0, "bpf", &k->bpf,
		  .help = "stat: count what is allocated now; no recording" },
		{ OPTION_FLAG, 'a', "all-cpus", &k->all_cpus, .given = &k->bpf_words,
		  .help = "the whole system, for as long as a command runs" },
		{ OPTION_DURATION, 'I', "interval", &k->interval, .arg = "SECONDS",
		  .unit = 1000000000, .given = &k->bpf_words,
		  .help = "print the tables at this interval" },
		{ OPTION_U64, 'M', "map-nr-entries", &k->map_entries, .arg = "N",
		  .given = &k->bpf_words,
		  .help = "room for N objects or blocks that are not freed (262144)" },
		{ OPTION_COUNT, 'v', "verbose", &k->a.ctx->verbose, .help = "say more" },
	};
	const struct option_row end = OPT_END_ROW;

	input_option_rows(rows, &k->a.open.input, &k->a.open.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
	symbol_option_rows(rows, &k->a);
	option_rows_add(rows, &end, 1);
}

static void choose_default(struct kmem *k)
{
	const char *set = config_get(k->a.ctx, "kmem.default");

	if (k->want[KMEM_SLAB] || k->want[KMEM_PAGE])
		return;
	k->want[set && !strcmp(set, "page") ? KMEM_PAGE : KMEM_SLAB] = true;
	if (set && strcmp(set, "page") && strcmp(set, "slab"))
		say_warning("the setting kmem.default is '%s', neither 'slab' nor 'page'", set);
}

int kmem_settle(struct kmem *k, const struct options *o)
{
	struct reason r = REASON_INIT;
	int code = 0;

	choose_default(k);
	if (k->bpf_words && !k->bpf)
		return options_usage_error(
			o, "--all-cpus, --interval and --map-nr-entries need --bpf");
	if (k->bpf && (k->a.open.input || k->time))
		return options_usage_error(
			o, "--bpf counts what happens now: --input and --time are for recordings");
	if (k->bpf && k->table[KMEM_ALLOCS] && !k->live)
		return options_usage_error(
			o, "with --bpf only objects and pages that still live are known: "
			   "--alloc needs --live");
	if (!k->map_entries || k->map_entries > INT32_MAX)
		return options_usage_error(o, "--map-nr-entries must be from 1 to %d", INT32_MAX);
	for (int t = 0; !code && t < KMEM_TABLES; t++)
		if (k->sort[t] && kmem_check_keys(k, k->sort[t], &r))
			code = options_usage_error(o, "%s", r.text);
	reason_release(&r);
	return code;
}
