/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts by name.
 *	record NAME [options] [-- command]	runs bin/NAME-record
 *	report NAME [arguments]			runs bin/NAME-report
 *	NAME [options] [arguments] [-- command]	both, with a pipe between them; options of perf
 *						record
 *	FILE [arguments]			a script without starters: as -s FILE
 *
 * The starters are shell scripts.  They find this program as "perf": its directory comes first
 * in PATH, and $PERF names it.
 */
#ifndef BUILTIN_SCRIPT_ENGINE_STARTERS_H
#define BUILTIN_SCRIPT_ENGINE_STARTERS_H

#include "builtin/script/engine.h"

typedef VEC(const char *) engine_words;

/* The words of a live script: for the recording, for the script. */
struct engine_live_words {
	engine_words record, report;
	bool targets; /* record's options say what is recorded */
	/*
	 * set before: does the script's recorder, perf stat, have this option? NULL: it is perf
	 * record
	 */
	engine_has_option *stat_has;
	/* set before: perf script's, which starters take that declare none; NULL takes any */
	const struct options *script;
	const char *refused; /* an option of perf record that the recorder does not have, or NULL */
	const char *unknown; /* an option that neither the recorder nor the script has, or NULL */
};
/*
 * Takes the options at the beginning of argv; args is the script's "# args:". The rest begins with
 * a word that is not an option, or with "--". The caller frees the two lists; the words still
 * belong to argv.
 */
void engine_live_options(struct context *ctx, struct engine_live_words *l, const char *args,
			 int *argc, const char ***argv);
/* Does the script have this option, or its starter, which hands those of perf script on? */
bool engine_live_has(const struct engine_live_words *l, const char *args, const char *word,
		     const char *next, bool *with_value);

int engine_start(struct engine_command *c, const struct options *o, int argc, const char **argv,
		 char **script);

#endif
