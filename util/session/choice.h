/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples a command looks at: --cpu and --time, tested before anything is
 * resolved, and the lists of numbers that --pid and --tid are.
 *
 * sample_choice_parse() once, sample_choice_open() for each file (percents are of that
 * file), sample_choice_keep() for each sample, from any thread.
 */
#ifndef SESSION_CHOICE_H
#define SESSION_CHOICE_H

#include "base/text.h"
#include "base/time_ranges.h"
#include "session/session.h"

struct sample_choice {
	u32 *cpus; /* ascending; NULL: all */
	size_t cpu_count;
	struct time_ranges times; /* none: always */
	bool guests_alone;        /* as perf kvm asks for, by the mode in which the processor was */
	/* even so, keep the host's tracepoints and breakpoints: they describe guests */
	bool host_describes;
};

/* "0,2-3", or NULL.  -EINVAL with a reason that names --cpu. */
int sample_choice_cpus(struct sample_choice *c, const char *cpus, struct reason *r) MUST_CHECK;
/*
 * For the session's file: time is "12.5,13", "10%/2", or NULL, in place of an earlier
 * one.  Refused if the file lacks what this needs: CPUs of samples, or its first and last time.
 */
int sample_choice_open(struct sample_choice *c, const char *time, struct session *s,
		       struct reason *r) MUST_CHECK;
bool sample_choice_any(const struct sample_choice *c);
/* Was the processor in a guest? */
bool sample_of_guest(const struct sample *s);
bool sample_choice_keep(const struct sample_choice *c, const struct sample *s);
/* Each alone, for what begins on one CPU and may end on another. */
bool sample_choice_cpu(const struct sample_choice *c, u32 cpu);
bool sample_choice_time(const struct sample_choice *c, u64 time);
void sample_choice_release(struct sample_choice *c);

/*
 * Names separated by commas, except commas inside brackets, added to l; "file:///PATH" or
 * "file://PATH" stands for the lines of a file.  The reason names the option (--OPTION).
 */
int sample_choice_names(struct strlist *l, const char *option, const char *text,
			struct reason *r) MUST_CHECK;

/*
 * "12,7" -> 7 12; -1 stands for tasks that had ended.  option names the option in the reason.
 * The caller frees *out, which is not NULL even for an empty list.
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

/* -EINVAL with a reason that names the option. */
int sample_filters_parse(struct sample_filters *f, struct reason *r) MUST_CHECK;
void sample_filters_release(struct sample_filters *f);

#endif
