// SPDX-License-Identifier: GPL-2.0-or-later
/* A plugin, opened and checked. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "builtin/script/engine_internal.h"

/*
 * Opens the plugin of a language. RTLD_GLOBAL lets modules that scripts load, which link to nothing
 * (Perl's XS, Python's extensions), see its library's symbols. It is never closed, which
 * interpreters do not survive.
 */
const struct engine_plugin *engine_open_plugin(const struct engine_language *l, struct reason *r)
{
	char *path = engine_plugin_path(l, r);
	const struct engine_plugin *plugin;
	void *handle;

	if (!path)
		return NULL;
	handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	plugin = handle ? dlsym(handle, ENGINE_SYMBOL) : NULL;
	if (!plugin) {
		const char *why = dlerror();

		reason_set(r, ENOEXEC, "cannot run a %s script: %s", l->shown, why ? why : path);
		reason_hint(r, "the library of %s must be installed, as it was when perf was built",
			    l->shown);
	} else if (plugin->interface != ENGINE_INTERFACE || plugin->size < sizeof(*plugin)) {
		reason_set(r, ENOEXEC,
			   "'%s' belongs to another version of perf: its interface is %u, not %u",
			   path, plugin->interface, ENGINE_INTERFACE);
		plugin = NULL;
	}
	free(path);
	return plugin;
}
