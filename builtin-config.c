// SPDX-License-Identifier: GPL-2.0-or-later
/* perf config: read and write settings. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/say.h"

struct config_settings {
	bool list, user, system;
	struct strlist unset;
};

static bool good_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name && dot[1];
}

static void print(const char *name, const char *value)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "%s=%s\n", name, value);
	strbuf_printable_from(&b, 0); /* a value may hold newlines and tabs */
	fputs(b.s, stdout);
	strbuf_release(&b);
}

static bool printed_later(const struct config *c, size_t i)
{
	for (size_t j = i + 1; j < c->entries.count; j++)
		if (!strcmp(c->entries.items[j].name, c->entries.items[i].name))
			return true;
	return false;
}

static int list(const struct config *c)
{
	for (size_t i = 0; i < c->entries.count; i++)
		if (!printed_later(c, i))
			print(c->entries.items[i].name, c->entries.items[i].value);
	return 0;
}

/* The program has warned of the name already where a file sets it. */
static int show(const struct context *ctx, const struct config *c, const char *name)
{
	const char *value = config_find(c, name);

	if (value)
		print(name, value);
	else if (!config_known(name) && !config_get(ctx, name)) {
		say_warning("'%s' is not the name of a setting", name);
		config_hint_nearest(name);
	}
	return value ? 0 : 1;
}

static char *path_to_write(const struct config_settings *s)
{
	char *path = config_path(s->system ? CONFIG_SYSTEM : CONFIG_USER);

	if (!path) {
		say_error("there is no home directory to write '.perfconfig' in");
		say_hint("set HOME, or use --system");
	}
	return path;
}

static int unset_all(const struct config_settings *s)
{
	struct reason r = REASON_INIT;
	char *path = path_to_write(s);
	int err;

	if (!path)
		return 1;
	err = config_unset(path, &s->unset, &r);
	free(path);
	return err ? say_reason(&r) : 0;
}

static int write_one(const struct config_settings *s, const char *name, const char *value)
{
	struct reason r = REASON_INIT;
	char *path = path_to_write(s);
	int err;

	if (!path)
		return 1;
	err = config_write(path, name, value, &r);
	free(path);
	return err ? say_reason(&r) : 0;
}

/* May name be set to value?  value NULL: it is only read. */
static bool good_setting(const char *name, const char *value)
{
	const char *wrong = value ? config_wrong_value(name, value) : NULL;

	if (!good_name(name)) {
		say_error("'%s' is not the name of a setting", name);
		say_hint("write SECTION.NAME, as in report.children");
		return false;
	}
	if (value && !config_known(name)) {
		say_error("'%s' is not the name of a setting", name);
		config_hint_nearest(name);
		return false;
	}
	if (value && !config_can_write(name)) {
		say_error("'%s' is not the name of a setting that a file can hold", name);
		say_hint("write letters, digits, '-' and '_' around the dots");
		return false;
	}
	if (wrong)
		say_error("'%s' cannot be '%s', which is %s", name, value, wrong);
	return !wrong;
}

/* "section.name" or "section.name=value"; with check, only whether it can be one. */
static int one_argument(const struct context *ctx, const struct config_settings *s,
			const struct config *c, const char *arg, bool check)
{
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : NULL;
	char *name = xstrndup(arg, len);
	int code;

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (check)
		code = good_setting(name, value) ? 0 : 1;
	else
		code = value ? write_one(s, name, value) : show(ctx, c, name);
	free(name);
	return code;
}

/* Nothing is written unless everything can be. */
static int all_arguments(const struct context *ctx, const struct config_settings *s,
			 const struct config *c, int argc, const char **argv)
{
	int code = 0;

	for (int i = 0; i < argc && !code; i++)
		code = one_argument(ctx, s, c, argv[i], true);
	if (!code && s->unset.list.count)
		code = unset_all(s);
	for (int i = 0; i < argc && !code; i++)
		code = one_argument(ctx, s, c, argv[i], false);
	return code;
}

static int run(const struct context *ctx, const struct config_settings *s, int argc,
	       const char **argv)
{
	struct config c = { VEC_INIT };
	struct reason r = REASON_INIT;
	int code = 0;

	if (config_load(&c,
			s->user     ? CONFIG_USER
			: s->system ? CONFIG_SYSTEM
				    : CONFIG_SYSTEM | CONFIG_USER,
			&r))
		code = say_reason(&r);
	else if (s->list)
		code = list(&c);
	else
		code = all_arguments(ctx, s, &c, argc, argv);
	config_release(&c);
	return code;
}

int cmd_config(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf config [--user | --system] SECTION.NAME[=VALUE]...",
		"perf config [--user | --system] --unset SECTION.NAME",
		"perf config [--user | --system] -l", NULL
	};
	struct config_settings s = { .unset = { VEC_INIT } };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'l', "list", &s.list, .help = "print every setting" },
		{ OPTION_LIST, 0, "unset", &s.unset, .arg = "NAME", .help = "remove a setting" },
		{ OPTION_FLAG, 0, "user", &s.user, .help = "read or write only ~/.perfconfig" },
		{ OPTION_FLAG, 0, "system", &s.system,
		  .help = "read or write only /etc/perfconfig" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "config", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (code)
		code = code < 0 ? 0 : code;
	else if (s.user && s.system)
		code = options_usage_error(&o, "--user and --system exclude each other");
	else if (s.list && (argc || s.unset.list.count))
		code = options_usage_error(&o, "--list takes no names");
	else if (!s.list && !argc && !s.unset.list.count)
		code = options_usage_error(&o, "nothing to read or write");
	else
		code = run(ctx, &s, argc, argv);
	strlist_release(&s.unset);
	return code;
}
