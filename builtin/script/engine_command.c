// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script with scripts: the request. */
#include "builtin/script/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/privileges.h"
#include "builtin/script/engine_internal.h"
#include "builtin/script/engine_list.h"
#include "builtin/script/engine_run.h"
#include "builtin/script/engine_starters.h"
#include "cli/say.h"

void engine_command_init(struct engine_command *c, struct script_command *script)
{
	*c = (struct engine_command){ .script = script };
}

void engine_command_rows(struct engine_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Scripts" },
		{ OPTION_STRING, 's', "script", &c->script_text, "[LANG:]FILE",
		  "give the samples to this script; -s lang lists the languages", OPT_NO_NEGATE },
		{ OPTION_STRING, 'g', "gen-script", &c->generate, "LANG|FILE",
		  "write perf-script.py or .pl, or FILE, with a handler for each tracepoint",
		  OPT_NO_NEGATE },
		{ OPTION_FLAG, 'l', "list", &c->list,
		  .help = "list the scripts that are installed" },
		{ OPTION_FLAG, 'a', "all-cpus", &c->everything,
		  .help = "record SCRIPT and live scripts: watch the whole system (default "
			  "without a command)" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static int list_languages(void)
{
	printf("\nScripting language extensions (used in perf script -s "
	       "[spec:]script.[spec]):\n\n");
	for (const struct engine_language *l = engine_languages; l->name; l++)
		printf("  %-42s [%s]\n  %-42s [%s]\n", l->name, l->shown, l->short_name, l->shown);
	printf("\n");
	return 0;
}

static int unknown_language(const char *name, size_t len)
{
	say_error("'%.*s' is not a language that scripts can be written in", (int)len, name);
	say_hint("the languages are python (py) and perl (pl)");
	return EXIT_USAGE;
}

/* Takes -s LANG:FILE, or FILE whose extension says the language. */
static int take_script(struct engine_command *c)
{
	const char *colon = strchr(c->script_text, ':'), *file = c->script_text;
	const char *dot = strrchr(file, '.');

	if (colon) {
		size_t len = (size_t)(colon - file);

		c->language = engine_language_by_name(file, len);
		if (!c->language)
			return unknown_language(file, len);
		file = colon + 1;
	} else if (dot) {
		c->language = engine_language_by_name(dot + 1, strlen(dot + 1));
	}
	if (!*file) {
		say_error("-s needs the name of a script");
		return EXIT_USAGE;
	}
	if (!c->language) {
		say_error("the language of the script '%s' is not known", file);
		say_hint("name it: -s python:%s or -s perl:%s", file, file);
		return EXIT_USAGE;
	}
	c->script_file =
		file_access(file, F_OK) ? engine_find_script(c->exec_path, file) : xstrdup(file);
	if (c->script_file)
		return 0;
	say_error("cannot read the script '%s': %s", file, strerror(ENOENT));
	say_hint("'perf script -l' lists the scripts that are installed");
	return 1;
}

static int run_script(void *arg, struct session *s, struct script_options *o, struct reason *r)
{
	struct engine_command *c = arg;
	const struct engine_script script = {
		.language = c->language, .file = c->script_file, .argc = c->argc, .argv = c->argv
	};

	return engine_run_script(&script, s, o, r);
}

static int generate(void *arg, struct session *s, struct script_options *o, struct reason *r)
{
	struct engine_command *c = arg;

	(void)o;
	return engine_generate(s, c->language, c->generated, r);
}

/* Takes -g LANG, or a file whose extension says the language. */
static int take_generated(struct engine_command *c)
{
	const char *dot = strrchr(c->generate, '.');

	c->language = engine_language_by_name(c->generate, strlen(c->generate));
	if (c->language)
		return 0;
	for (const struct engine_language *l = engine_languages; dot && l->name; l++)
		if (!strcmp(dot + 1, l->extension)) {
			c->language = l;
			c->generated = c->generate;
			return 0;
		}
	return unknown_language(c->generate, strlen(c->generate));
}

static int run_on_file(struct engine_command *c, const struct options *o)
{
	const struct script_options *s = &c->script->script;
	struct reason r = REASON_INIT;
	int code = 0;

	/* what a script prints has the form that it likes */
	if (c->script->json_given || c->script->tsv_given || s->per_event)
		return options_usage_error(o, "-%s and --%s exclude each other",
					   c->generate ? "g" : "s",
					   s->per_event            ? "per-event-dump"
					   : c->script->json_given ? "json"
								   : "tsv");
	if (c->generate) {
		c->script->instead = generate;
		code = take_generated(c);
	} else {
		code = take_script(c);
		c->script->instead = run_script;
	}
	c->script->instead_arg = c;
	/* before there are threads, and before the plugin and the script are loaded */
	if (!code && !c->generate && privileges_drop(&r))
		return say_reason(&r);
	return code ? code : script_command_run(c->script, o);
}

int engine_command_run(struct engine_command *c, const struct options *o, int argc,
		       const char **argv)
{
	char *script;
	int code;

	if (!c->exec_path)
		c->exec_path = engine_exec_path();
	/* for the scripts, which add to their search path by it, and for starters */
	setenv("PERF_EXEC_PATH", c->exec_path, 1);
	if (c->list)
		return engine_list(c->exec_path);
	if (c->script_text && (!strcmp(c->script_text, "lang") || !strcmp(c->script_text, "list")))
		return list_languages();
	if (c->script_text || c->generate) {
		if (c->script_text && c->generate)
			return options_usage_error(o, "-s and -g exclude each other: one runs a "
						      "script, the other writes one");
		if (argc && c->generate)
			return options_usage_error(
				o, "'%s': -g takes nothing but a language or a file", argv[0]);
		c->argc = argc;
		c->argv = argv;
		return run_on_file(c, o);
	}
	if (argc) {
		code = engine_start(c, o, argc, argv, &script);
		if (!script)
			return code;
		c->script_text = script;
		c->argc = argc - 1;
		c->argv = argv + 1;
		code = run_on_file(c, o);
		free(script);
		return code;
	}
	if (c->everything)
		return options_usage_error(o, "-a needs a script that records");
	return -1;
}

void engine_command_release(struct engine_command *c)
{
	free(c->exec_path);
	free(c->script_file);
}
