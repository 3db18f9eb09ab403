/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the subcommands of perf sched share: common.c has options, begin and end, times as text.
 */
#ifndef BUILTIN_SCHED_INTERNAL_H
#define BUILTIN_SCHED_INTERNAL_H

#include "base/strbuf.h"
#include "builtin/sched/sched.h"
#include "tasks/tasks.h"

/* A subcommand's options, for -h and errors. */
struct sched_use {
	const char *name;
	const char *usage[3];
	int *words; /* how many words of a command follow, in argv[0..]; NULL: it takes none */
};

/* Parses; as options_parse(). */
int sched_parse(struct sched *s, const struct sched_use *u, option_rows *rows, int argc,
		const char **argv);

/* One analysis by util/tasks: the recording is open while run() and print() are called. */
struct sched_analysis {
	struct tasks_ops ops;
	void *arg;
	const char *time; /* --time, or NULL */
	const char *cpus; /* a list of CPUs for choice, or NULL */
	bool chains;
	bool only_running; /* ops.interval() is for what ran alone */
	/* before the first event; NULL: nothing to do */
	int (*begin)(void *arg, struct session *session, struct reason *r);
	void (*print)(void *arg, struct tasks *t, struct out *out);
	/* after print, while the session is open; NULL */
	void (*release)(void *arg);

	/* set while it runs */
	struct sample_choice choice;
	struct tasks *tasks;
	struct out *out;
};
int sched_analyse(struct sched *s, struct sched_analysis *a);
/* Reports whether the CPU is one of those that were requested. */
bool sched_chose_cpu(const struct sched_analysis *a, u32 cpu);
static inline bool sched_wants_cpu(const struct sched_analysis *a, u32 cpu)
{
	return likely(!a->choice.cpus) || sched_chose_cpu(a, cpu);
}

/* Parses "a,b". A list without any name is refused. */
int sched_parse_names(const char *option, const char *text, struct strlist *names,
		      struct reason *r) MUST_CHECK;

/* Returns how many CPUs the recording's machine had, or 0 if the file does not say. */
u32 sched_cpus_of(struct session *session);

/* Adds seconds: "12.345678". */
void sched_put_seconds(struct strbuf *b, u64 ns, int width);
/* Adds ms: "    12.345 ", with width columns before the point and a space after. */
void sched_put_ms(struct strbuf *b, u64 ns, int width);
/* Sums of tasks and CPUs, for -v. */
void sched_put_sums(struct tasks *t, struct context *ctx, struct out *out);
/* Reports whether most switches contradict what was recorded, as where only some tasks were. */
bool sched_has_some_tasks(struct tasks *t);
#define SCHED_WERE_ALL_RECORDED "were all tasks recorded, without -p, -t, -u and --filter?"
/* Prints "  INFO: ..." about losses and contradictions. */
void sched_put_losses(struct tasks *t, struct out *out);

/* ---- absent.c: a warning for each of these that the recording does not have ---- */

void sched_say_absent_numbers(struct context *ctx, const struct tasks *t, bool of_process,
			      const u32 *list, size_t count);
/* Reports a --time range that contains no events. */
void sched_say_absent_time(struct context *ctx, const struct tasks *t, const char *time);
/* Reports names that no task has; with part, anywhere in its name. */
void sched_say_absent_names(struct context *ctx, const struct tasks *t, const struct strlist *names,
			    bool part);

#endif
