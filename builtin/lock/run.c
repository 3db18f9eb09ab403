// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording in order of time, or the running kernel; then the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/lock/internal.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "data/reader.h"

#define CONTENTION(event, of)                                                                      \
	{ "lock:contention_begin", .optional = of, .fn = lock_on_begin,                            \
	  .fields = { [BEGIN_ADDR] = { "lock_addr" }, [BEGIN_FLAGS] = { "flags" } } },             \
	{                                                                                          \
		"lock:contention_end", .optional = of, .fn = lock_on_end, .fields = {              \
			[END_ADDR] = { "lock_addr" }                                               \
		}                                                                                  \
	}
#define LOCKDEP(event, handler)                                                                    \
	{                                                                                          \
		event, .optional = true, .fn = handler, .fields = {                                \
			[DEP_ADDR] = { "lockdep_addr" },                                           \
			[DEP_NAME] = { "name", TRACER_TEXT },                                      \
			[DEP_FLAGS] = { "flags", .optional = true }                                \
		}                                                                                  \
	}
#define FUTEX(event, from)                                                                         \
	{                                                                                          \
		event, .optional = true, .fn = from, .fields = {                                   \
			[FUTEX_ADDR] = { "uaddr" },                                                \
			[FUTEX_OP] = { "op" }                                                      \
		}                                                                                  \
	}

static const struct tracer_row report_rows[] = {
	LOCKDEP("lock:lock_acquire", lock_on_acquire),
	LOCKDEP("lock:lock_acquired", lock_on_acquired),
	LOCKDEP("lock:lock_contended", lock_on_contended),
	LOCKDEP("lock:lock_release", lock_on_release),
	CONTENTION(, true),
};
static const struct tracer_row contention_rows[] = { CONTENTION(, false) };
static const struct tracer_row user_rows[] = {
	FUTEX("syscalls:sys_enter_futex", lock_on_futex),
	{ "syscalls:sys_exit_futex", .optional = true, .fn = lock_on_futex_done,
	  .fields = { [FUTEX_RET] = { "ret" } } },
};

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct lock_result *res = arg;

	(void)gap; /* a task may have moved, so the CPU does not show which waits are in doubt */
	tracer_states_lose(&res->pending);
	tracer_states_lose(&res->futexes);
}

/*
 * Keeps samples by time alone. A wait belongs to the CPU on which it began, so lock_task_wanted()
 * looks at CPUs.
 */
static bool keep(void *arg, const struct sample *s)
{
	const struct lock_result *res = arg;

	return sample_choice_time(&res->choice, s->id.time);
}

/* Hints at the command that reads a recording of the other kind of locks. */
static void hint_at_kind(const struct lock_result *res, struct reason *r)
{
	const struct event_set *set = session_events(res->session);
	bool futex = false, contention = false;

	for (size_t i = 0; i < set->list.count; i++) {
		const char *name = set->list.items[i]->name;

		futex |= name && !strcmp(name, "syscalls:sys_enter_futex");
		contention |= name && !strcmp(name, "lock:contention_begin");
	}
	if (res->l->user && contention)
		reason_hint(r, "it has locks of the kernel: leave out --user");
	else if (!res->l->user && futex)
		reason_hint(r, "it has locks of user space: perf lock contention --user");
}

static int read_recording(struct lock_result *res, struct reason *r)
{
	const struct lock *l = res->l;
	bool contention = l->command == LOCK_CONTENTION;
	struct tracer_settings o = {
		.rows = !contention ? report_rows
			: l->user   ? user_rows
				    : contention_rows,
		.row_count = !contention ? ARRAY_SIZE(report_rows)
			     : l->user   ? ARRAY_SIZE(user_rows)
					 : ARRAY_SIZE(contention_rows),
		.arg = res,
		.lost = on_lost,
		.record = l->user ? "record with: perf lock record --user"
				  : "record with: perf lock record",
		.keep = res->choice.times.list.count ? keep : NULL,
		/* frames of the kernel have their names for any task */
		.no_tasks = !l->user && !l->threads,
		.no_locations = true,
		.no_chains = !l->user,
		.names_kernel = !l->user,
	};
	struct tracer *t = tracer_new(&o);
	int err = tracer_run(t, res->session, r);

	if (err == -ENOENT)
		hint_at_kind(res, r);
	tracer_free(t);
	return err;
}

/*
 * Returns the number of waits in the table whose end was not seen: above all those of a deadlock.
 */
static u64 unended(const struct lock_result *res, u64 doubtful)
{
	u64 known = doubtful + res->backwards + res->no_wait, open = 0;

	vec_for_each(&res->rows.list, row)
		if (row->contended > row->waits)
			open += row->contended - row->waits;
	return res->l->command == LOCK_CONTENTION && open > known ? open - known : 0;
}

static void warn_doubt(const struct lock_result *res)
{
	struct condition_list *c = &res->l->a.ctx->conditions;
	u64 doubtful = tracer_states_lost(&res->pending), open = unended(res, doubtful);

	if (open)
		condition_add(
			c, CONDITION_WARNING, "lock-open", NULL, NULL, open, NULL,
			"a wait had not ended when the %s did: it is counted, but its time is not "
			"known",
			res->l->use_bpf ? "counting" : "recording");
	if (doubtful)
		condition_add(c, CONDITION_WARNING, "lock-doubt", NULL, NULL, doubtful, NULL,
			      "waits that were open when records were lost are left out");
	if (res->backwards)
		condition_add(c, CONDITION_WARNING, "lock-backwards", NULL, NULL, res->backwards,
			      NULL, "waits that ended before they began are left out");
	if (res->lost)
		condition_add(c, CONDITION_WARNING, "lock-full", NULL, NULL, res->lost,
			      "--map-nr-entries makes the maps larger",
			      "waits for which the maps had no room are left out");
	if (res->no_stack)
		condition_add(c, CONDITION_WARNING, "lock-stacks", NULL, NULL, res->no_stack,
			      "--map-nr-entries makes the maps larger",
			      "a row has no call chain, because that map was full");
	if (res->delayed)
		condition_add(c, CONDITION_WARNING, "lock-delayed", NULL, NULL, res->delayed, NULL,
			      "a task that had waited for a lock was delayed by --inject-delay");
}

static int parse_tasks(struct lock_result *res, struct reason *r)
{
	const struct lock *l = res->l;
	int err = 0;

	if (l->pids)
		err = parse_task_numbers("--pid", l->pids, &res->pids, &res->pid_count, r);
	if (!err && l->tids)
		err = parse_task_numbers("--tid", l->tids, &res->tids, &res->tid_count, r);
	return err ? err : sample_choice_cpus(&res->choice, l->cpus, r);
}

static void explain_empty(const struct lock_result *res)
{
	const struct lock *l = res->l;
	bool report = l->command == LOCK_REPORT;

	vec_for_each(&res->rows.list, row)
		if (report ? row->acquired : row->contended)
			return;
	say_empty_table(l->a.ctx,
			report ? "no lock was acquired or waited for" : "no task waited for a lock",
			l->pids || l->tids || l->cpus || l->time || l->types || l->locks ||
				l->callers || l->cgroups);
}

static void show(struct lock_result *res)
{
	struct lock *l = res->l;
	struct strbuf *b = out_buf(&l->a.out);

	if (l->command == LOCK_INFO) {
		lock_print_info(res, b);
		return;
	}
	if (l->user && !l->use_bpf)
		lock_futexes_finish(res);
	/* callers differ by chains, which only -v and --json show */
	if (l->combine || (l->command == LOCK_CONTENTION && l->by == LOCK_BY_CALLER &&
			   l->a.ctx->verbose <= 0 && !l->json))
		lock_rows_combine(&res->rows, !l->combine);
	lock_rows_sort(&res->rows, &res->columns);
	explain_empty(res);
	if (l->json)
		lock_print_json(res, b);
	else
		lock_print(res, b);
}

/* Opens the output. input is the file that is read, or NULL. */
static int open_output(struct lock *l, const char *input, struct reason *r)
{
	int err;

	if (!l->output || !strcmp(l->output, "-"))
		return 0;
	if (input && data_refuse_same(input, l->output, r))
		return -EINVAL;
	err = replace_begin(&l->file, l->output, 0666, REPLACE_ANY, r);
	if (!err)
		l->a.out.fd = l->file.fd;
	return err;
}

static int analyse(struct lock_result *res, struct reason *r)
{
	struct lock *l = res->l;
	int err;

	res->session = res->callers.session = l->a.session;
	err = open_output(l, data_path(session_data(l->a.session)), r);
	if (!err)
		err = sample_choice_open(&res->choice, l->time, res->session, r);
	return err ? err : read_recording(res, r);
}

static void release(struct lock_result *res)
{
	lock_rows_release(&res->rows);
	lock_callers_release(&res->callers);
	lock_filters_release(&res->filters);
	tracer_states_release(&res->pending);
	tracer_states_release(&res->futexes);
	map64_release(&res->threads);
	map64_release(&res->by_wake);
	vec_release(&res->wakes);
	sample_choice_release(&res->choice);
	free(res->pids);
	free(res->tids);
}

static int read_file(struct lock_result *res, struct reason *r)
{
	int err;

	pager_start(res->l->a.ctx, "lock");
	err = analysis_begin(&res->l->a, r);

	return err ? err : analyse(res, r);
}

static int count_live(struct lock_result *res, int argc, const char **argv, struct reason *r)
{
	int err;

	out_init(&res->l->a.out, STDOUT_FILENO);
	err = open_output(res->l, NULL, r);
	return err ? err : lock_run_live(res, argc, argv, r);
}

static int put_in_place(struct lock *l, struct reason *r)
{
	struct out *out = &l->a.out;
	int err;

	out_flush(out);
	err = out->err;
	out->err = 0; /* reported here */
	return err ? reason_errno(r, err, "cannot write '%s'", l->output)
		   : replace_end(&l->file, r);
}

int lock_run(struct lock *l, int argc, const char **argv)
{
	struct lock_result res = {
		.l = l,
		.pending = { .size = 64 },
		.futexes = { .size = 64 },
		.callers = { .max_stack = l->max_stack, .skip = l->stack_skip, .user = l->user },
	};
	struct reason r = REASON_INIT;
	int err = lock_columns_parse(&res.columns, l->command, l->fields, l->key, &r);

	l->file = (struct replace)REPLACE_INIT;

	if (!err)
		err = parse_tasks(&res, &r);
	if (!err)
		err = analysis_prepare(&l->a, &r);
	if (!err && l->use_bpf)
		err = count_live(&res, argc, argv, &r);
	else if (!err)
		err = read_file(&res, &r);
	if (!err) {
		pager_start(l->a.ctx, "lock"); /* not while a command ran, which has the terminal */
		show(&res);
		warn_doubt(&res);
	}
	if (!err && l->file.path)
		err = put_in_place(l, &r);
	err = analysis_end(&l->a, err, &r);
	replace_drop(&l->file);
	release(&res);
	if (l->use_bpf)
		event_set_release(&res.live_set);
	analysis_release(&l->a);
	return err;
}
