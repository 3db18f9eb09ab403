/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every command that looks into a recording begins and ends with.
 *
 *	analysis_prepare()	once the options are parsed: defaults, debuginfod servers
 *	analysis_begin()	opens the file of a->open.input, and standard output
 *	...			the command's own work, which may fail with a reason
 *	analysis_end()		output, error, conditions, session: the exit code
 *	analysis_release()	the servers; after the last file
 *
 * begin and end may come several times, once for each file.  One thread.
 * Errors: -errno with a reason, unless noted.  analysis_end() is what prints it.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/options.h"
#include "base/out.h"
#include "session/session.h"

struct analysis {
	struct context *ctx;
	struct session_options open;
	struct debuginfod_wish debuginfod;
	bool demangle;
	unsigned traces; /* what to make of hardware traces in the file: SPE_WANT_*; 0: nothing */

	struct session *session; /* valid between begin and end */
	struct out out;          /* likewise; writes to standard output */
};

/* Sets the defaults. Call it before options are parsed. */
void analysis_init(struct analysis *a, struct context *ctx);
/*
 * Applies the settings annotate.demangle and annotate.demangle_kernel. For commands that show code.
 */
void analysis_name_settings(struct analysis *a);
int analysis_prepare(struct analysis *a, struct reason *r) MUST_CHECK;
int analysis_begin(struct analysis *a, struct reason *r) MUST_CHECK;
/*
 * Ends the output and closes the session. Returns the exit code. code: an exit code, or -errno with
 * its reason, which is printed and released. Free everything that refers to the session before.
 */
int analysis_end(struct analysis *a, int code, struct reason *r) MUST_CHECK;
void analysis_release(struct analysis *a);

/*
 * Finds the servers to ask: those of the option, or else of the setting buildid-cache.debuginfod.
 * *out is NULL when no server is to be asked. Close them before say_conditions().
 */
int open_debug_servers(struct context *ctx, const struct debuginfod_wish *wish,
		       struct debug_servers **out, struct reason *r) MUST_CHECK;
void close_debug_servers(struct context *ctx, struct debug_servers *s);

#endif
