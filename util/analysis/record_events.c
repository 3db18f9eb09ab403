// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/record_events.h"

#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "sys/tracefs.h"

static bool has(const char *dir, const char *event)
{
	const char *colon = strchr(event, ':');
	char *system = xstrndup(event, (size_t)(colon - event));
	u64 id;
	bool found = !tracefs_id(NULL, dir, system, colon + 1, &id);

	free(system);
	return found;
}

bool kernel_has_tracepoint(const char *event)
{
	char *dir = tracefs_find(NULL, NULL);
	bool found = dir && has(dir, event);

	free(dir);
	return found;
}

void record_event_words(struct strlist *words, const char *event)
{
	char *dir = tracefs_find(NULL, NULL);
	bool add = !dir || has(dir, event);

	free(dir);
	if (!add) {
		say_warning("this kernel has no tracepoint %s: it is not recorded", event);
		return;
	}
	strlist_add(words, "-e");
	strlist_add(words, event);
}

void record_words(struct strlist *line, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		strlist_add(line, words[i]);
}

void record_events(struct strlist *line, const char *system, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *event = xasprintf("%s:%s", system, names[i]);

		strlist_add(line, "-e");
		strlist_add(line, event);
		free(event);
	}
}

const char *missing_tracepoint(const char *dir, const char *system, const char *const *names,
			       size_t count)
{
	u64 id;

	for (size_t i = 0; i < count; i++)
		if (tracefs_id(NULL, dir, system, names[i], &id))
			return names[i];
	return NULL;
}

const char **record_argv(const struct strlist *words)
{
	const char **argv = xcalloc(words->list.count + 1, sizeof(*argv));

	for (size_t i = 0; i < words->list.count; i++)
		argv[i] = words->list.items[i];
	return argv;
}
