// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options after a live script's name: those that the script declares in its "# args:" line are
 * its own. Those that perf record knows are for the recording, up to the first word that is not an
 * option.
 */
#include <string.h>

#include "builtin/script/engine_internal.h"
#include "builtin/script/engine_starters.h"
#include "cli/options.h"
#include "record/forward.h"

static bool ends_word(char c)
{
	return !c || strchr(" |]=", c);
}

/*
 * Reports whether an option is declared, as in "[-f|--format html|json] [--kernel]", and whether a
 * word comes after it.
 */
static bool declared(const char *args, const char *word, bool *with_value)
{
	size_t len = strcspn(word, "=");

	for (const char *p = args; (p = strchr(p, '-')); p += strcspn(p, " |]")) {
		if (strncmp(p, word, len) || !ends_word(p[len]))
			continue;
		p += strcspn(p, " ]=");
		*with_value = *p == ' ' && !strchr("[<", p[1]) && !word[len];
		return true;
	}
	return false;
}

bool engine_live_has(const struct engine_live_words *l, const char *args, const char *word,
		     const char *next, bool *with_value)
{
	*with_value = false;
	if (declared(args, word, with_value)) {
		*with_value &= next != NULL;
		return true;
	}
	if (!l->script)
		return true;
	return !strstr(args, "[-") && options_find(l->script, word, next, with_value);
}

/* The recording goes through the pipe, so these are never for it. */
static bool names_output(const struct option_row *row)
{
	return row->long_name && !strcmp(row->long_name, "output");
}

static bool names_target(const struct option_row *row)
{
	return row->short_name && strchr("aCptu", row->short_name);
}

static void take(engine_words *to, const char ***argv, int *argc)
{
	vec_push(to, **argv);
	++*argv;
	--*argc;
}

static void take_options(struct engine_live_words *l, const struct options *record,
			 const char *args, int *argc, const char ***argv)
{
	while (*argc && ***argv == '-' && (**argv)[1] && strcmp(**argv, "--") != 0) {
		const char *next = *argc > 1 ? (*argv)[1] : NULL;
		const struct option_row *row = NULL;
		bool with_value = false, recorders = false;

		if (!declared(args, **argv, &with_value)) {
			row = options_find(record, **argv, next, &with_value);
			recorders =
				l->stat_has ? l->stat_has(**argv, next, &with_value) : row != NULL;
			if (row && !recorders)
				l->refused = **argv;
		}
		if (!row && !recorders && !engine_live_has(l, args, **argv, next, &with_value))
			l->unknown = **argv;
		if (l->refused || l->unknown)
			return;
		l->targets |= row && names_target(row);
		for (int words = 1 + with_value; words; words--)
			take(recorders && !(row && names_output(row)) ? &l->record : &l->report,
			     argv, argc);
	}
}

void engine_live_options(struct context *ctx, struct engine_live_words *l, const char *args,
			 int *argc, const char ***argv)
{
	struct options o = { .command = "record" };
	struct strlist unused = { VEC_INIT };
	option_rows rows = VEC_INIT;

	record_forward_rows(ctx, &rows, &unused);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	take_options(l, &o, args, argc, argv);
	vec_release(&rows);
	strlist_release(&unused);
}
