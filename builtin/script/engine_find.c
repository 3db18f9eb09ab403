// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where scripts and plugins are.
 *
 * A program that was built but not installed finds them relative to itself: libexec/scripts beside
 * it and build/plugins (objects of a sanitized build: plugins beside them).  Else they are in
 * PERF_EXEC_PATH, or where `make install` put them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "builtin/script/engine_internal.h"

const struct engine_language engine_languages[] = {
	{ "python", "Python", "py", "py", "libpython3-dev", "libpython" },
	{ "perl", "Perl", "pl", "pl", "libperl-dev", "libperl" },
	{ NULL },
};

const struct engine_language *engine_language_by_name(const char *name, size_t len)
{
	for (const struct engine_language *l = engine_languages; l->name; l++) {
		const char *const names[] = { l->name, l->shown, l->short_name };

		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (strlen(names[i]) == len && !strncmp(names[i], name, len))
				return l;
	}
	return NULL;
}

static bool exists(const char *path)
{
	return !file_access(path, F_OK);
}

/* Returns the directory of the running program, or "" if unknown; the caller frees it. */
static char *program_directory(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (len <= 0)
		return xstrdup("");
	path[len] = 0;
	slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return xstrdup(path);
}

/* Returns the first of the paths that exists, or NULL, and frees the others. */
static char *first_existing(char **paths, size_t count)
{
	char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!found && exists(paths[i]))
			found = paths[i];
		else
			free(paths[i]);
	}
	return found;
}

char *engine_own_path(void)
{
	char *dir = program_directory(), *found;

	found = first_existing(
		(char *[]){
			xasprintf("%s/libexec/scripts", dir),
			xasprintf("%s/../../libexec/scripts", dir), /* from build/sanitize-* */
			xasprintf("%s/../libexec/perf-core/scripts", dir),
		},
		3);
	free(dir);
	if (!found)
		return xstrdup(PERF_EXEC_PATH);
	found[strlen(found) - strlen("/scripts")] = 0;
	return found;
}

char *engine_exec_path(void)
{
	const char *asked = getenv("PERF_EXEC_PATH");

	return asked && *asked ? xstrdup(asked) : engine_own_path();
}

char *engine_plugin_path(const struct engine_language *l, struct reason *r)
{
	const char *asked = secure_getenv("PERF_EXEC_PATH");
	char *dir = program_directory(), *found;

	found = first_existing(
		(char *[]){
			xasprintf("%s/plugins/perf-%s.so", dir, l->name),
			xasprintf("%s/build/plugins/perf-%s.so", dir, l->name),
			xasprintf("%s/plugins/perf-%s.so", asked ? asked : dir, l->name),
			xasprintf("%s/../lib/perf-core/plugins/perf-%s.so", dir, l->name),
			xasprintf(PERF_PLUGIN_DIR "/perf-%s.so", l->name),
		},
		5);
	free(dir);
	if (!found) {
		reason_set(
			r, ENOENT,
			"cannot run a %s script: this perf was built without %s, or perf-%s.so is "
			"not installed",
			l->shown, l->library, l->name);
		reason_hint(r, "install %s and build perf again", l->package);
	}
	return found;
}

char *engine_find_script(const char *exec_path, const char *name)
{
	if (strchr(name, '/'))
		return exists(name) ? xstrdup(name) : NULL;
	for (const struct engine_language *l = engine_languages; l->name; l++) {
		char *found = first_existing(
			(char *[]){
				xasprintf("%s/scripts/%s/%s", exec_path, l->name, name),
				xasprintf("%s/scripts/%s/%s.%s", exec_path, l->name, name,
					  l->extension),
			},
			2);

		if (found)
			return found;
	}
	return strchr(name, '.') && exists(name) ? xstrdup(name) : NULL;
}

char *engine_find_starter(const char *exec_path, const char *name, const char *side)
{
	char *found = NULL;

	for (const struct engine_language *l = engine_languages; l->name && !found; l++)
		if (*name && !strchr(name, '/'))
			found = first_existing((char *[]){ xasprintf("%s/scripts/%s/bin/%s-%s",
								     exec_path, l->name, name,
								     side) },
					       1);
	return found;
}
