// SPDX-License-Identifier: GPL-2.0-or-later
/* perf config: read and write settings. */
#include <errno.h>
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
};

static bool good_name(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);

	return dot && dot > name && dot + 1 < name + len;
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

static int show(const struct config *c, const char *name)
{
	const char *value = config_find(c, name);

	if (!value)
		return 1;
	print(name, value);
	return 0;
}

static void say_unknown(const char *name)
{
	const char *near = config_nearest(name);

	say_warning("no command of this perf reads the setting '%s'", name);
	if (near)
		say_hint("did you mean '%s'?", near);
}

static int write_one(const struct config_settings *s, const char *name, const char *value)
{
	struct reason r = REASON_INIT;
	char *path = config_path(s->system ? CONFIG_SYSTEM : CONFIG_USER);
	int err;

	if (!path) {
		say_error("there is no home directory to write '.perfconfig' in");
		say_hint("set HOME, or use --system");
		return 1;
	}
	err = config_write(path, name, value, &r);
	free(path);
	if (err)
		return say_reason(&r);
	if (!config_known(name))
		say_unknown(name);
	return 0;
}

/* "section.name" or "section.name=value" */
static int one_argument(const struct config_settings *s, const struct config *c, const char *arg)
{
	size_t len = strcspn(arg, "=");
	char *name;
	int code;

	if (!good_name(arg, len)) {
		say_error("'%.*s' is not the name of a setting", (int)len, arg);
		say_hint("write SECTION.NAME, as in report.children");
		return 1;
	}
	if (!arg[len])
		return show(c, arg);
	name = xstrndup(arg, len);
	code = write_one(s, name, arg + len + 1);
	free(name);
	return code;
}

int cmd_config(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf config [--user | --system] SECTION.NAME[=VALUE]...",
		"perf config [--user | --system] -l", NULL
	};
	struct config_settings s = { 0 };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'l', "list", &s.list, .help = "print every setting" },
		{ OPTION_FLAG, 0, "user", &s.user, .help = "read or write only ~/.perfconfig" },
		{ OPTION_FLAG, 0, "system", &s.system,
		  .help = "read or write only /etc/perfconfig" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "config", .usage = usage, .rows = rows };
	struct config c = { VEC_INIT };
	struct reason r = REASON_INIT;
	int code = options_parse(&o, &argc, argv);

	(void)ctx;
	if (code)
		return code < 0 ? 0 : code;
	if (s.user && s.system)
		return options_usage_error(&o, "--user and --system exclude each other");
	if (s.list && argc)
		return options_usage_error(&o, "--list takes no names");
	if (!s.list && !argc)
		return options_usage_error(&o, "nothing to read or write");
	if (config_load(&c, s.user ? CONFIG_USER : s.system ? CONFIG_SYSTEM :
			    CONFIG_SYSTEM | CONFIG_USER, &r))
		code = say_reason(&r);
	if (!code && s.list)
		code = list(&c);
	for (int i = 0; i < argc && !code; i++)
		code = one_argument(&s, &c, argv[i]);
	config_release(&c);
	return code;
}
