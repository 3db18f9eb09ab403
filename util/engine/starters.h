/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts by name.
 *	record NAME [options] [-- command]	runs bin/NAME-record
 *	report NAME [arguments]			runs bin/NAME-report
 *	NAME [options] [arguments] [-- command]	both, with a pipe between them; options of perf record
 *	FILE [arguments]			a script without starters: as -s FILE
 *
 * The starters are shell scripts.  They find this program as "perf": its directory comes first
 * in PATH, and $PERF names it.
 */
#ifndef ENGINE_STARTERS_H
#define ENGINE_STARTERS_H

#include "engine/engine.h"

typedef VEC(const char *) engine_words;

/* The words of a live script: for the recording, for the script. */
struct engine_live_words {
	engine_words record, report;
	bool targets; /* record's say what is recorded */
	bool by_stat; /* set before: the script's recorder is perf stat, "# recorder: perf stat" */
	const char *refused; /* an option of perf record that the recorder does not have, or NULL */
};
/*
 * Takes the options at the beginning of argv; args: the script's "# args:".  What is left begins with a
 * word that is not an option, or with "--".  The caller frees the two lists; the words stay argv's.
 */
void engine_live_options(struct context *ctx, struct engine_live_words *l, const char *args, int *argc,
			 const char ***argv);

int engine_start(struct engine_command *c, const struct options *o, int argc, const char **argv);

#endif
