/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands.
 *
 * To add a command "foo":
 *   1. builtin-foo.c with  int cmd_foo(struct context *ctx, int argc, const char **argv)
 *      (argv[0] is "foo"; returns the exit code; prints through cli/say.h);
 *   2. its prototype here and one row in the table of perf.c (in the order of names);
 *   3. Documentation/perf-foo.1.scd (the page; its OPTIONS must name every row of
 *      the option table: tests/cli/pages.bats holds them together; copy the form
 *      of perf-check.1.scd; it becomes the man page and `perf help foo`);
 *   4. tests/cli/foo.bats;
 *   5. an entry in the README's tour if it belongs there.
 * Completion and `perf help` come from the tables.  tests/cli/commands.bats fails
 * when a step is missing.
 */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "base/context.h"

/* Where `perf help` lists a command. */
enum command_group {
	COMMAND_MEASURE, /* counts, records, watches a running system */
	COMMAND_ANALYSE, /* shows what was recorded */
	COMMAND_FILES,   /* handles perf.data, build-ids, caches */
	COMMAND_SELF,    /* about this perf and this machine */
	COMMAND_GROUPS,
};

struct command {
	const char *name;
	enum command_group group;
	const char *purpose;  /* one line, lower case, no full stop */
	bool pager;           /* prints much: through the pager when on a terminal */
	const char *recorder; /* what makes its recordings; NULL: perf record */
	/* Returns the exit code; argv[0] is the name, argv[argc] is NULL. */
	int (*run)(struct context *ctx, int argc, const char **argv);
};

/* Every command, ordered by name, ended by a row without name. */
extern const struct command commands[];

int cmd_annotate(struct context *ctx, int argc, const char **argv);
int cmd_archive(struct context *ctx, int argc, const char **argv);
int cmd_bench(struct context *ctx, int argc, const char **argv);
int cmd_buildid_cache(struct context *ctx, int argc, const char **argv);
int cmd_buildid_list(struct context *ctx, int argc, const char **argv);
int cmd_c2c(struct context *ctx, int argc, const char **argv);
int cmd_check(struct context *ctx, int argc, const char **argv);
int cmd_config(struct context *ctx, int argc, const char **argv);
int cmd_daemon(struct context *ctx, int argc, const char **argv);
int cmd_data(struct context *ctx, int argc, const char **argv);
int cmd_diff(struct context *ctx, int argc, const char **argv);
int cmd_doctor(struct context *ctx, int argc, const char **argv);
int cmd_evlist(struct context *ctx, int argc, const char **argv);
int cmd_ftrace(struct context *ctx, int argc, const char **argv);
int cmd_help(struct context *ctx, int argc, const char **argv);
int cmd_inject(struct context *ctx, int argc, const char **argv);
int cmd_iostat(struct context *ctx, int argc, const char **argv);
int cmd_kallsyms(struct context *ctx, int argc, const char **argv);
int cmd_kmem(struct context *ctx, int argc, const char **argv);
int cmd_kwork(struct context *ctx, int argc, const char **argv);
int cmd_kvm(struct context *ctx, int argc, const char **argv);
int cmd_list(struct context *ctx, int argc, const char **argv);
int cmd_lock(struct context *ctx, int argc, const char **argv);
int cmd_mem(struct context *ctx, int argc, const char **argv);
int cmd_probe(struct context *ctx, int argc, const char **argv);
int cmd_record(struct context *ctx, int argc, const char **argv);
int cmd_report(struct context *ctx, int argc, const char **argv);
int cmd_sched(struct context *ctx, int argc, const char **argv);
int cmd_script(struct context *ctx, int argc, const char **argv);
int cmd_stat(struct context *ctx, int argc, const char **argv);
int cmd_test(struct context *ctx, int argc, const char **argv);
int cmd_timechart(struct context *ctx, int argc, const char **argv);
int cmd_top(struct context *ctx, int argc, const char **argv);
int cmd_trace(struct context *ctx, int argc, const char **argv);
int cmd_version(struct context *ctx, int argc, const char **argv);

#endif
