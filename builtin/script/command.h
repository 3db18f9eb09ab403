/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf script above the field printer: its options, and the run over a file.
 *
 *	script_command_init()	defaults
 *	script_command_rows()	the options; parse them into it
 *	script_command_run()	reads the recording and prints it: the exit code
 *	script_command_release()
 *
 * One thread; what fails is reported on standard error.
 */
#ifndef BUILTIN_SCRIPT_COMMAND_H
#define BUILTIN_SCRIPT_COMMAND_H

#include "analysis/analysis.h"
#include "builtin/script/script.h"

struct script_command {
	struct analysis a;
	struct script_options script;
	/* as typed */
	const char *time, *pid, *tid, *cpus;
	const char *comms, *dsos, *symbols, *stop_at, *graph_functions;
	bool header, header_only, full_header, list_filters, as_text, json_given, tsv_given,
		merge_callchains;
	struct itrace_wish itrace;
	struct strbuf fields_help;
	/*
	 * Called with the opened session instead of printing it, unless NULL; returns the exit
	 * code, or -errno with a reason.
	 */
	int (*instead)(void *arg, struct session *s, struct script_options *o, struct reason *r);
	void *instead_arg;
};

void script_command_init(struct script_command *c, struct context *ctx);
void script_command_rows(struct script_command *c, option_rows *rows);
/* Runs the command after its options were parsed; o is for usage errors. */
int script_command_run(struct script_command *c, const struct options *o);
void script_command_release(struct script_command *c);

#endif
