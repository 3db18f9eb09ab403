/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf diff above the tables: its options and the run over the files; branches_run.c compares
 * branch stacks.  One thread; what fails is reported on standard error.
 *
 *	diff_command_init()	defaults
 *	diff_command_rows()	the options; parse them into it
 *	diff_command_run()	reads and compares the files: the exit code
 *	diff_command_release()
 */
#ifndef BUILTIN_DIFF_COMMAND_H
#define BUILTIN_DIFF_COMMAND_H

#include "analysis/analysis.h"
#include "builtin/diff/diff.h"
#include "session/choice.h"
#include "truth/require.h"
#include "truth/truth.h"

struct diff_file {
	const char *path, *time;
	bool of_host; /* perf.data.host, for perf kvm */
	struct session *session;
	struct hist *hist;
	struct branch_profile *branches; /* for cycles and streams */
	struct line_store *lines;
	struct hist_collector **collectors;
	unsigned collector_count;
	struct sample_choice choice;
	struct truth truth;
};

struct diff_command {
	struct context *ctx;
	struct analysis a; /* its options; each file has its own session */
	struct hist_settings set;
	struct diff_settings diff;
	struct diff_draw draw;
	struct diff_file *files;
	size_t file_count;

	/* as typed */
	const char *sort, *compute, *percentage, *time, *cpus, *pids, *tids, *confidence;
	unsigned order;
	bool order_given, dump, confidence_given;
	bool stream, histogram;
	u64 brief;                  /* bytes of the digest, 0: no digest */
	struct require require;     /* conditions on each of the files */
	struct require_lines lines; /* lines to print about them at the end */
};

/* Opens the file. */
int diff_open_session(struct diff_command *c, struct diff_file *f, struct reason *r) MUST_CHECK;
/* Opens the file like diff_open_session(), and decides which of its samples count. */
int diff_open_file(struct diff_command *c, struct diff_file *f, struct reason *r) MUST_CHECK;
/*
 * Compares with -c cycles or --stream, from files to output. Returns 0, an exit code, or -errno
 * with a reason.
 */
int diff_branches(struct diff_command *c, struct reason *r) MUST_CHECK;

/* brief.c: --brief */
int diff_set_brief(const struct option_call *call, struct reason *r);
int diff_check_brief(const struct diff_command *c, struct reason *r) MUST_CHECK;
void diff_brief(const struct diff_command *c, const struct diff *diff, struct strbuf *out);

void diff_command_init(struct diff_command *c, struct context *ctx);
void diff_command_rows(struct diff_command *c, option_rows *rows);
/* options.c: parses the options' texts; the caller releases times */
int diff_command_parse(struct diff_command *c, struct strlist *times, struct reason *r) MUST_CHECK;
/* Compares the files that the command line names. Returns the exit code. */
int diff_command_run(struct diff_command *c, int argc, const char **argv);
void diff_command_release(struct diff_command *c);

#endif
