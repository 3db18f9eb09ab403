/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: /etc/perfconfig, then ~/.perfconfig, or the one file of PERF_CONFIG.
 *
 * The format is that of perf-config(1): [section], name = value, "#" and ";" comments, quoted
 * values, a backslash that continues a line. A setting is called "section.name"; upper and lower
 * case are the same. Of several, the last one counts. Pointers to values live as long as the
 * config.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "base/context.h"
#include "base/reason.h"

struct strlist;

enum config_scope {
	CONFIG_SYSTEM = 1,
	CONFIG_USER = 2,
};

struct config_entry {
	char *name;        /* "section.name", lower case */
	char *value;       /* "true" for a name without "=" */
	size_t start, end; /* which bytes of the file it is */
};

struct config {
	VEC(struct config_entry) entries; /* in the order they were read */
};

/* Returns the one path of a scope, which the caller frees, or NULL without HOME. */
char *config_path(enum config_scope scope);
/*
 * Reads the files of the scopes (a set of bits); one that does not exist is empty. Everything
 * well-formed is kept even on failure: -EINVAL names file and line.
 */
int config_load(struct config *c, unsigned scopes, struct reason *r);
/* Parses text in the format above; name is for messages. */
int config_parse(struct config *c, const char *name, const char *text, struct reason *r);
void config_release(struct config *c);

/* Returns the value, or NULL when it is not set. */
const char *config_find(const struct config *c, const char *name);
const char *config_get(const struct context *ctx, const char *name);
/* Parses a word for true or false. Returns false if it is neither. */
bool config_parse_bool(const char *text, bool *v);
/*
 * Returns the value converted to the type, or def when it is not of that type, about which
 * config_say_unknown() has warned.
 */
bool config_bool(const struct context *ctx, const char *name, bool def);
u64 config_u64(const struct context *ctx, const char *name, u64 def);

/* Reports whether this is the name of a setting, "section.name" in lower case. */
bool config_known(const char *name);
/* Returns the name that was most likely meant, or NULL. */
const char *config_nearest(const char *name);
/* Prints a hint with that name, if there is one. */
void config_hint_nearest(const char *name);
/* Says what is wrong with a value: "not a number". NULL means that name may have it. */
const char *config_wrong_value(const char *name, const char *value);
/*
 * Warns of each name that is not one of a setting, once, however often it is set, and of values
 * that are not of their setting's type.
 */
void config_say_unknown(const struct config *c);

/*
 * Puts name = value into the file at path (made when missing), replacing the last such line and
 * nothing else. Writes a new file beside it and renames that.
 */
int config_write(const char *path, const char *name, const char *value, struct reason *r);
/*
 * Reports whether config_parse() would read name, "section.name" in lower case, back from a line
 * that config_write() writes.
 */
bool config_can_write(const char *name);
/*
 * Removes every line of the file that sets one of the names, and its section's heading where
 * nothing else follows it. -ENOENT means that no line sets one of them: then the file stays as it
 * is.
 */
int config_unset(const char *path, const struct strlist *names, struct reason *r);

#endif
