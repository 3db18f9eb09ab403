// SPDX-License-Identifier: GPL-2.0-or-later
/* Options, begin and end of what perf sched reads. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "builtin/sched/chains.h"
#include "builtin/sched/internal.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "data/reader.h"
#include "dump/raw_dump.h"

enum { MOST_CPUS = 1 << 16 };

void sched_init(struct sched *s, struct context *ctx)
{
	*s = (struct sched){ .ctx = ctx };
	analysis_init(&s->a, ctx);
}

void sched_close(struct sched *s)
{
	analysis_release(&s->a);
}

void sched_common_rows(struct sched *s, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'D', "dump-raw-trace", &s->dump, .flags = OPT_NO_NEGATE,
		  .help = "dump every record before the analysis" },
		{ OPTION_COUNT, 'v', "verbose", &s->ctx->verbose,
		  .help = "print totals, and what could not be determined" },
		OPT_END_ROW,
	};

	input_option_rows(rows, &s->a.open.input, &s->a.open.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

int sched_parse(struct sched *s, const struct sched_use *u, option_rows *rows, int argc,
		const char **argv)
{
	struct options o = { .command = u->name,
			     .usage = u->usage,
			     .settings = s,
			     .stop_at_command = u->words != NULL };
	int code;

	o.rows = rows->items;
	code = options_parse(&o, &argc, argv);
	if (!code && u->words)
		*u->words = argc;
	else if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	vec_release(rows);
	return code;
}

int sched_parse_names(const char *option, const char *text, struct strlist *names, struct reason *r)
{
	strlist_split(names, text, ",");
	return names->list.count ? 0 : reason_set(r, EINVAL, "%s: no name is given", option);
}

bool sched_chose_cpu(const struct sched_analysis *a, u32 cpu)
{
	for (size_t i = 0; i < a->choice.cpu_count; i++)
		if (a->choice.cpus[i] == cpu)
			return true;
	return false;
}

static int one_window(const struct sched_analysis *a, struct tasks_settings *o, struct reason *r)
{
	const struct time_ranges *t = &a->choice.times;

	if (t->list.count > 1) {
		reason_set(r, EINVAL,
			   "--time '%s' has %zu ranges, but waits can extend from one to the next",
			   a->time, t->list.count);
		reason_hint(r, "give one range, such as --time 12.5,13");
		return -EINVAL;
	}
	if (t->list.count) {
		o->from = t->list.items[0].from;
		o->until = t->list.items[0].to == UINT64_MAX ? 0 : t->list.items[0].to;
	}
	return 0;
}

static int run(struct sched *s, struct sched_analysis *a, struct reason *r)
{
	struct session *session = s->a.session;
	struct tasks_settings o = { .ops = &a->ops,
				    .arg = a->arg,
				    .chains = a->chains && sched_has_chains(session),
				    .no_intervals = a->only_running ? ~(1U << TASKS_RUNNING) : 0 };
	size_t before;
	int err = sample_choice_open(&a->choice, a->time, session, r);

	if (!err)
		err = one_window(a, &o, r);
	if (!err && s->dump)
		err = raw_dump(session, true, false, &s->a.out, r);
	a->tasks = tasks_new(&o);
	a->out = &s->a.out;
	before = out_buf(a->out)->len;
	if (!err && a->begin)
		err = a->begin(a->arg, session, r);
	if (!err)
		err = tasks_run(a->tasks, session, r);
	/* no header of a table that the error leaves without lines */
	if (err && !tasks_stats(a->tasks)->end)
		strbuf_truncate(out_buf(a->out), before);
	if (!err) {
		tasks_check_sums(a->tasks, s->ctx);
		if (!tasks_stats(a->tasks)->end)
			condition_add(&s->ctx->conditions, CONDITION_WARNING, "sched-empty", NULL,
				      NULL, 1, NULL, "the recording has no samples");
		if (a->choice.times.list.count)
			sched_say_absent_time(s->ctx, a->tasks, a->time);
		a->print(a->arg, a->tasks, &s->a.out);
	}
	if (a->release)
		a->release(a->arg);
	tasks_free(a->tasks);
	return err;
}

int sched_analyse(struct sched *s, struct sched_analysis *a)
{
	struct reason r = REASON_INIT;
	int err = sample_choice_cpus(&a->choice, a->cpus, &r);

	if (err) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	if (s->ctx->pager != CONTEXT_PAGER_NEVER)
		pager_start(s->ctx, "sched");
	err = analysis_prepare(&s->a, &r);
	if (!err)
		err = analysis_begin(&s->a, &r);
	if (err) {
		err = say_reason(&r);
	} else {
		err = run(s, a, &r);
		err = analysis_end(&s->a, err, &r);
	}
	sample_choice_release(&a->choice);
	return err;
}

u32 sched_cpus_of(struct session *session)
{
	struct data_reader *d = session_data(session);
	size_t size;
	const u8 *cpus = d ? data_feature(d, FEATURE_NRCPUS, &size) : NULL;
	u32 count = cpus && size >= 4 ? load_u32(cpus, session_events(session)->swap) : 0;

	return count <= MOST_CPUS ? count : 0;
}

/* Finds a missing ring: other CPUs moved tasks to a CPU without any events. */
static void put_silent_cpus(struct tasks *t, struct out *out)
{
	size_t count;
	const struct tasks_cpu *cpus = tasks_cpus(t, &count);

	for (size_t i = 0; i < count; i++)
		if (!cpus[i].met && cpus[i].sent)
			out_f(out,
			      "  INFO: no event of CPU %zu was recorded, to which tasks were sent "
			      "%" PRIu64 " times: "
			      "what ran there is not known\n",
			      i, cpus[i].sent);
}

bool sched_has_some_tasks(struct tasks *t)
{
	const struct tasks_stats *ts = tasks_stats(t);

	return ts->contradictions > ts->switches / 2 && !tasks_tracer_stats(t)->lost;
}

void sched_put_losses(struct tasks *t, struct out *out)
{
	const struct tracer_stats *st = tasks_tracer_stats(t);
	const struct tasks_stats *ts = tasks_stats(t);

	put_silent_cpus(t, out);
	if (st->lost)
		out_f(out,
		      "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64
		      " chunks)\n",
		      100.0 * (double)st->lost / (double)(st->hits + st->lost), st->lost,
		      st->hits + st->lost, st->gaps);
	if (sched_has_some_tasks(t))
		out_str(out, "  INFO: most switches do not follow from those before, so times are "
			     "unknown: " SCHED_WERE_ALL_RECORDED "\n");
	if (ts->contradictions)
		out_f(out,
		      "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %" PRIu64 ")%s\n",
		      100.0 * (double)ts->contradictions / (double)MAX(ts->switches, 1U),
		      ts->contradictions, ts->switches, st->lost ? " (due to lost events?)" : "");
}
