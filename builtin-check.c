// SPDX-License-Identifier: GPL-2.0-or-later
/* perf check feature: is an optional part built in? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/features.h"
#include "cli/options.h"
#include "cli/say.h"

/* Prints a hint with the name that was most likely meant, or with all names. */
static void hint_features(const char *typed)
{
	struct strbuf all = STRBUF_INIT;
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct feature *f = features; f->name; f++) {
		vec_push(&names, f->name);
		strbuf_f(&all, "%s%s", all.len ? ", " : "", f->name);
	}
	near = nearest_name(typed, names.items, names.count);
	if (near)
		say_hint("did you mean '%s'?", near);
	else
		say_hint("the features are %s", strbuf_cstr(&all));
	strbuf_release(&all);
	vec_release(&names);
}

static int unknown_feature(const char *typed, size_t len)
{
	char *name = xstrndup(typed, len);

	say_error("unknown feature '%s'", name);
	hint_features(name);
	free(name);
	return EXIT_USAGE;
}

/* Reports an unknown subcommand, also one such as "perf check libelf", without the word feature. */
static int unknown_subcommand(const char *word)
{
	say_error("unknown subcommand '%s'", word);
	if (nearest_name(word, (const char *const[]){ "feature" }, 1))
		say_hint("did you mean 'feature'?");
	else if (feature_find(word, strcspn(word, ",")))
		say_hint("perf check feature %s", word);
	else
		hint_features(word);
	return EXIT_USAGE;
}

/* Checks the named features: "libelf,zstd". */
static int check_features(const char *names, bool quiet)
{
	int code = 0;

	while (*names) {
		size_t len = strcspn(names, ",");
		const struct feature *f = feature_find(names, len);

		if (!f)
			return unknown_feature(names, len);
		if (!quiet)
			feature_print(f);
		if (!f->on)
			code = 1;
		names += len + (names[len] == ',');
	}
	return code;
}

int cmd_check(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf check [-q] feature NAME[,NAME]...", NULL };
	static const char *const subcommands[] = { "feature", NULL };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'q', "quiet", &ctx->quiet,
		  .help = "print nothing; the exit status is the answer" },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "check",
		.usage = usage,
		.rows = rows,
		.subcommands = subcommands,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc < 1)
		return options_usage_error(&o, "nothing to check");
	if (strcmp(argv[0], "feature") != 0)
		return unknown_subcommand(argv[0]);
	if (argc != 2 || !*argv[1])
		return options_usage_error(&o, "give one list of features");
	return check_features(argv[1], ctx->quiet);
}
