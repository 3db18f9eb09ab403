/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the samples that a command looks at by --cpu and --time, before anything is resolved.
 * Parses the lists of numbers of --pid and --tid.
 *
 * Call sample_choice_parse() once, sample_choice_open() for each file (percents are of that file),
 * and sample_choice_keep() for each sample, from any thread.
 */
#ifndef SESSION_CHOICE_H
#define SESSION_CHOICE_H

#include "base/text.h"
#include "base/time_ranges.h"
#include "session/session.h"

struct sample_choice {
	u32 *cpus; /* ascending; NULL: all */
	size_t cpu_count;
	struct time_ranges times; /* if empty, all times */
	bool guests_alone;        /* choose by the processor's mode, as perf kvm does */
	/* even so, keep the host's tracepoints and breakpoints: they describe guests */
	bool host_describes;
};

/*
 * Parses a list of CPUs such as "0,2-3"; NULL means all. Returns -EINVAL with a reason that names
 * --cpu.
 */
int sample_choice_cpus(struct sample_choice *c, const char *cpus, struct reason *r) MUST_CHECK;
/*
 * Sets the times to choose from the session's file, replacing earlier ones: "12.5,13", "10%/2", or
 * NULL for all. Fails with a reason if the file lacks the CPUs of samples, or its first and last
 * time.
 */
int sample_choice_open(struct sample_choice *c, const char *time, struct session *s,
		       struct reason *r) MUST_CHECK;
bool sample_choice_any(const struct sample_choice *c);
/* Was the processor in a guest? */
bool sample_of_guest(const struct sample *s);
bool sample_choice_keep(const struct sample_choice *c, const struct sample *s);
/*
 * Reports whether the CPU, or the time, is chosen: for what begins on one CPU and may end on
 * another.
 */
bool sample_choice_cpu(const struct sample_choice *c, u32 cpu);
bool sample_choice_time(const struct sample_choice *c, u64 time);
void sample_choice_release(struct sample_choice *c);

/*
 * Adds names that commas outside of brackets separate to l; "file:///PATH" or "file://PATH" stands
 * for the lines of a file. The reason names the option (--OPTION).
 */
int sample_choice_names(struct strlist *l, const char *option, const char *text,
			struct reason *r) MUST_CHECK;

/*
 * Parses a list of tasks and sorts it: "12,7" becomes 7 12, and -1 stands for tasks that had ended.
 * The reason names `option`. The caller frees *out, which is not NULL even for an empty list.
 */
int parse_task_numbers(const char *option, const char *text, u32 **out, size_t *count,
		       struct reason *r) MUST_CHECK;

/* ---- all filters of samples together ---- */

struct sample_filters {
	/* as given; sample_filters_parse() reads the texts */
	const char *pid_text, *tid_text, *cpu_text;
	const char *time;                    /* for sample_choice_open() */
	struct strlist comms, dsos, symbols; /* empty: all */

	u32 *pids, *tids; /* ascending; NULL: all */
	size_t pid_count, tid_count;
	struct sample_choice choice; /* CPUs; times once a file is open */
};

/* Parses the texts of the filters. Returns -EINVAL with a reason that names the option. */
int sample_filters_parse(struct sample_filters *f, struct reason *r) MUST_CHECK;
void sample_filters_release(struct sample_filters *f);

#endif
