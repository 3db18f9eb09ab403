/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts in other languages, run over a recording: perf script -s, -g, -l, record, report.
 *
 * A script has handlers for events. An engine (plugin.h) for its language calls them, in order of
 * time, with the samples that pass perf script's filters. Bundled scripts are in
 * PERF_EXEC_PATH/scripts/LANGUAGE, with starters bin/NAME-record and bin/NAME-report, shell scripts
 * that run perf record and perf script.
 *
 *	engine_command_init()     nothing is requested
 *	engine_command_rows()     options
 *	engine_command_run()      after parsing: carries out the request; -1: samples as usual
 *	engine_command_release()
 *
 * Threads: one. Errors: reported on standard error; the result is an exit code.
 */
#ifndef BUILTIN_SCRIPT_ENGINE_H
#define BUILTIN_SCRIPT_ENGINE_H

#include "builtin/script/command.h"

struct engine_language {
	const char *name;       /* "python": in -s NAME:FILE, -g NAME and the scripts' directory */
	const char *shown;      /* "Python" */
	const char *extension;  /* "py" */
	const char *short_name; /* "py": the same as name for -s and -g */
	const char *package;    /* needed to build it */
	const char *library;    /* HAVE_... */
};

/* Is word an option, and does it take the word after it, next? */
typedef bool engine_has_option(const char *word, const char *next, bool *takes_next);

struct engine_command {
	struct script_command *script;
	engine_has_option *stat_has; /* perf stat's, for scripts that it records for */
	const char *script_text;     /* -s */
	const char *generate;        /* -g */
	const char *generated;       /* the file that it names; NULL: perf-script.py or .pl */
	bool list;                   /* -l */
	bool everything;             /* -a: a live script watches the whole system */
	/* found out */
	const struct engine_language *language;
	char *exec_path;
	char *script_file;
	int argc;
	const char **argv; /* the script's arguments */
};

void engine_command_init(struct engine_command *c, struct script_command *script);
void engine_command_rows(struct engine_command *c, option_rows *rows);
/* Runs the command; argc and argv are what is left after the options. */
int engine_command_run(struct engine_command *c, const struct options *o, int argc,
		       const char **argv);
void engine_command_release(struct engine_command *c);

/* NULL at the end. */
extern const struct engine_language engine_languages[];
/* Returns a language by a name such as "python", "py", "Python", or NULL when it is unknown. */
const struct engine_language *engine_language_by_name(const char *name, size_t len);

#endif
