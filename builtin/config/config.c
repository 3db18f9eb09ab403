// SPDX-License-Identifier: GPL-2.0-or-later
/* perf config: which settings are read and written, and where. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "builtin/config/config.h"
#include "cli/config.h"
#include "cli/say.h"

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

/* Prints a value.  Names in a file were checked when it was read, so they get no warning here. */
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

/* Reports whether name may be set to value, or read if value is NULL; prints an error if not. */
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

/* Reads "section.name" or writes "section.name=value"; with check, only checks the argument. */
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

/* Checks all arguments before it writes anything. */
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

int config_command_run(const struct context *ctx, const struct config_settings *s, int argc,
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
