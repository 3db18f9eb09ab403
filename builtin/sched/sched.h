/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf sched: what the scheduler did in a recording.
 *
 * One function for each subcommand: argv[0] is its name, it parses its own options, reads the
 * recording and prints; the exit code comes back.  s has the options given before the subcommand.
 * Times are ns of the recording's clock.  One thread; what fails is reported on standard error.
 */
#ifndef BUILTIN_SCHED_SCHED_H
#define BUILTIN_SCHED_SCHED_H

#include "analysis/analysis.h"

typedef int (*sched_command)(struct context *ctx, int argc, const char **argv);

struct sched {
	struct context *ctx;
	struct analysis a;
	bool dump;                    /* -D */
	sched_command record, script; /* the commands of these names */
};

void sched_init(struct sched *s, struct context *ctx);
/* Adds -i -f -D -v, which every subcommand that reads has. */
void sched_common_rows(struct sched *s, option_rows *rows);
void sched_close(struct sched *s);

int sched_record(struct sched *s, int argc, const char **argv);
int sched_script(struct sched *s, int argc, const char **argv);
int sched_latency(struct sched *s, int argc, const char **argv);
int sched_timehist(struct sched *s, int argc, const char **argv);
int sched_map(struct sched *s, int argc, const char **argv);
int sched_waits(struct sched *s, int argc, const char **argv);
int sched_replay(struct sched *s, int argc, const char **argv);
int sched_stats(struct sched *s, int argc, const char **argv);

#endif
