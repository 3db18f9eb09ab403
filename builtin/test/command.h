/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf test does, once its options are known.  Each function returns the exit status. */
#ifndef BUILTIN_TEST_COMMAND_H
#define BUILTIN_TEST_COMMAND_H

struct context;
struct selftest_settings;

/* Runs the checks that the words name, or all, and prints a line for each; junit may be NULL. */
int test_run(struct context *ctx, const struct selftest_settings *s, const char *junit, int argc,
	     const char **argv);
/* Lists the checks that the words name, or all. */
int test_list(int argc, const char **argv);
/* Lists the bundled workloads. */
int test_list_workloads(void);
/* Runs a bundled workload, measured through the pipes of control unless that is NULL. */
int test_run_workload(const char *name, const char *control, int argc, const char **argv);

#endif
