/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples a command looks at: --cpu and --time, tested before anything is
 * resolved, and the lists of numbers that --pid and --tid are.
 *
 * sample_choice_parse() once, sample_choice_times() for each file (percents are of that
 * file), sample_choice_keep() for each sample, from any thread.
 */
#ifndef SESSION_CHOICE_H
#define SESSION_CHOICE_H

#include "base/time_ranges.h"
#include "session/session.h"

struct sample_choice {
	u32 *cpus; /* ascending; NULL: all */
	size_t cpu_count;
	struct time_ranges times; /* none: always */
};

/* "0,2-3", or NULL.  -EINVAL with a reason that names --cpu. */
int sample_choice_cpus(struct sample_choice *c, const char *cpus, struct reason *r) MUST_CHECK;
/* In place of earlier ones: "12.5,13", "10%/2", or NULL.  Percents need the session's file. */
int sample_choice_times(struct sample_choice *c, const char *time, struct session *s,
			struct reason *r) MUST_CHECK;
bool sample_choice_any(const struct sample_choice *c);
bool sample_choice_keep(const struct sample_choice *c, const struct sample *s);
void sample_choice_release(struct sample_choice *c);

/*
 * "12,7" -> 7 12; -1 is the task that had ended.  option names it in the reason.
 * The caller frees *out, which is not NULL even for an empty list.
 */
int parse_task_numbers(const char *option, const char *text, u32 **out, size_t *count,
		       struct reason *r) MUST_CHECK;

#endif
