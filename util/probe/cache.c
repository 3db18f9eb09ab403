// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes by name in the build-id cache: the file "probes" beside an object's copy.
 * It is always written whole and then put in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/replace.h"
#include "base/strbuf.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/elf.h"
#include "probe/probe.h"
#include "probe/sdt.h"
#include "sys/sys.h"

/* One name in a file. */
struct entry {
	bool sdt;
	char *group, *event, *definition;
	struct probe_events events;
};

struct entries {
	VEC(struct entry) list;
};

static void entry_release(struct entry *e)
{
	free(e->group);
	free(e->event);
	free(e->definition);
	probe_events_release(&e->events);
}

static void entries_release(struct entries *all)
{
	vec_for_each(&all->list, e)
		entry_release(e);
	vec_release(&all->list);
}

/* Parses "%GROUP:EVENT=DEFINITION" or "#...". */
static void parse_entry(struct entries *all, char *line)
{
	char *colon = strchr(line, ':'), *equals = colon ? strchr(colon, '=') : NULL;
	struct entry *e;

	if (!equals)
		return;
	*colon = *equals = '\0';
	e = vec_push_zero(&all->list);
	e->sdt = *line == '%';
	e->group = xstrdup(line + 1);
	e->event = xstrdup(colon + 1);
	e->definition = xstrdup(equals + 1);
}

static void parse_file(struct entries *all, char *text)
{
	char *line;

	while (text && (line = strsep(&text, "\n"))) {
		struct probe_event ev = { NULL };

		if (*line == '%' || *line == '#')
			parse_entry(all, line);
		else if (all->list.count && *line && !probe_event_parse(&ev, line, NULL))
			vec_push(&vec_last(&all->list)->events.list, ev);
		else
			probe_event_release(&ev);
	}
}

static int read_file(const char *path, struct entries *all)
{
	struct strbuf b = STRBUF_INIT;
	int err = sys_read(NULL, &b, path);

	if (!err)
		parse_file(all, b.s);
	strbuf_release(&b);
	return err;
}

static int write_file(const char *path, const struct entries *all, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	vec_for_each(&all->list, e) {
		strbuf_f(&b, "%c%s:%s=%s\n", e->sdt ? '%' : '#', e->group, e->event, e->definition);
		vec_for_each(&e->events.list, ev) {
			probe_event_text(&b, ev);
			strbuf_char(&b, '\n');
		}
	}
	err = replace_text(path, strbuf_cstr(&b), b.len, 0644, REPLACE_NO_LINK, r);
	strbuf_release(&b);
	return err;
}

/* Returns the file of probes of an object that is in the cache, or NULL. The caller frees it. */
static char *probes_file(const char *dir, const struct build_id *id)
{
	char *elf = cache_find(dir, id, "elf"), *copy = elf ? elf : cache_find(dir, id, "kallsyms");
	char *slash = copy ? strrchr(copy, '/') : NULL;
	char *path = slash ? xasprintf("%.*s/probes", (int)(slash - copy), copy) : NULL;

	free(copy);
	return path;
}

/* Puts the object (NULL: the running kernel) into the cache. *file is its "probes" file. */
static int open_object(const char *dir, const char *path, char **file, struct reason *r)
{
	struct cache_entry add = { .kind = CACHE_ELF, .name = path };
	int err;

	if (!*dir)
		return reason_set(r, ENOENT, "there is no build-id cache");
	if (!path)
		add = (struct cache_entry){ .kind = CACHE_KALLSYMS, .name = PROBE_CACHE_KERNEL };
	err = path ? build_id_of_file(path, &add.id, r) : build_id_of_kernel(NULL, &add.id, r);
	if (!err)
		err = cache_add(dir, &add, r);
	if (err)
		return err;
	*file = probes_file(dir, &add.id);
	return *file ? 0
		     : reason_set(r, ENOENT, "the build-id cache has no copy of '%s'", add.name);
}

static void drop(struct entries *all, bool sdt, const char *group, const char *event)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->list.count; i++) {
		struct entry *e = &all->list.items[i];

		if (sdt ? e->sdt : (!strcmp(e->group, group) && !strcmp(e->event, event)))
			entry_release(e);
		else
			all->list.items[kept++] = *e;
	}
	all->list.count = kept;
}

/* Returns the entry of an event. Markers of one name have one entry. */
static struct entry *entry_of(struct entries *all, const struct probe_event *ev)
{
	struct entry *e;

	vec_for_each(&all->list, it)
		if (it->sdt && !strcmp(it->group, ev->group) && !strcmp(it->event, ev->event))
			return it;
	e = vec_push_zero(&all->list);
	e->sdt = true;
	e->group = xstrdup(ev->group);
	e->event = xstrdup(ev->event);
	e->definition = xstrdup(ev->event);
	return e;
}

static int index_elf(const struct elf *e, const char *path, struct entries *all, struct reason *r)
{
	struct sdt_markers markers = { VEC_INIT };
	int err = sdt_read(e, &markers, r);

	vec_for_each(&markers.list, m) {
		struct probe_event ev = { NULL };

		if (!err)
			err = sdt_event(e, m, path, &ev, NULL, r);
		if (err)
			probe_event_release(&ev);
		else
			vec_push(&entry_of(all, &ev)->events.list, ev);
	}
	sdt_markers_release(&markers);
	return err;
}

int probe_cache_index(const char *buildid_dir, const char *path, struct reason *r)
{
	struct entries all = { VEC_INIT };
	char *file = NULL;
	struct elf *e;
	int err = elf_open(path, &e, r), count = 0;

	if (err)
		return err;
	if (elf_section(e, ".note.stapsdt"))
		err = open_object(buildid_dir, path, &file, r);
	if (file) {
		read_file(file, &all);
		drop(&all, true, NULL, NULL);
		err = index_elf(e, path, &all, r);
		if (!err)
			err = write_file(file, &all, r);
		vec_for_each(&all.list, it)
			count += it->sdt;
	}
	elf_close(e);
	entries_release(&all);
	free(file);
	return err ? err : count;
}

/* Copies it through its text, without the fields that are only for display. */
static void copy_events(struct probe_events *to, const struct probe_events *from)
{
	vec_for_each(&from->list, ev) {
		struct strbuf b = STRBUF_INIT;
		struct probe_event copy = { NULL };

		probe_event_text(&b, ev);
		if (!probe_event_parse(&copy, b.s, NULL))
			vec_push(&to->list, copy);
		strbuf_release(&b);
	}
}

int probe_cache_add(const char *buildid_dir, const char *path, const char *definition,
		    const struct probe_events *events, struct reason *r)
{
	const struct probe_event *first = events->list.items;
	struct entries all = { VEC_INIT };
	struct entry *e;
	char *file = NULL;
	int err = open_object(buildid_dir, path, &file, r);

	if (err)
		return err;
	read_file(file, &all);
	drop(&all, false, first->group, first->event);
	e = vec_push_zero(&all.list);
	e->group = xstrdup(first->group);
	e->event = xstrdup(first->event);
	e->definition = xstrdup(definition);
	copy_events(&e->events, events);
	err = write_file(file, &all, r);
	entries_release(&all);
	free(file);
	return err;
}

struct walk {
	const char *dir;
	int (*fn)(void *arg, const struct probe_cache_entry *e);
	void *arg;
	const char *pattern; /* remove these; NULL: only look */
	struct strlist *gone;
	int removed;
	struct reason *r;
};

/*
 * Returns "/usr/bin/ls" of "DIR/usr/bin/ls/HEX/probes", perhaps through a link. The caller frees
 * it.
 */
static char *object_path(const char *dir, const char *file, const char *hex)
{
	char *real = realpath(file, NULL), *base = realpath(dir, NULL), *path;
	const char *rest = real ? real : file, *end;

	if (base && str_starts(rest, base))
		rest += strlen(base);
	end = strstr(rest, hex);
	if (end && end > rest && end[-1] == '/')
		end--;
	rest += str_starts(rest, "/" PROBE_CACHE_KERNEL);
	path = end ? xstrndup(rest, (size_t)(end - rest)) : xstrdup(rest);
	free(real);
	free(base);
	return path;
}

static int visit_file(struct walk *w, const char *file, const char *hex)
{
	struct entries all = { VEC_INIT };
	char *path = object_path(w->dir, file, hex);
	int err = 0;

	read_file(file, &all);
	vec_for_each(&all.list, it) {
		const struct probe_cache_entry e = {
			.path = path,
			.build_id = hex,
			.group = it->group,
			.event = it->event,
			.definition = it->definition,
			.sdt = it->sdt,
			.events = &it->events,
		};

		if (!err)
			err = w->fn(w->arg, &e);
	}
	entries_release(&all);
	free(path);
	return err;
}

static int remove_from_file(struct walk *w, const char *file)
{
	struct entries all = { VEC_INIT };
	size_t kept = 0;
	int err = 0;

	read_file(file, &all);
	for (size_t i = 0; i < all.list.count; i++) {
		struct entry *e = &all.list.items[i];
		char *full = xasprintf("%s:%s", e->group, e->event);

		if (glob_match(w->pattern, strchr(w->pattern, ':') ? full : e->event)) {
			if (w->gone)
				strlist_add(w->gone, full);
			entry_release(e);
		} else {
			all.list.items[kept++] = *e;
		}
		free(full);
	}
	w->removed += (int)(all.list.count - kept);
	if (kept < all.list.count) {
		all.list.count = kept;
		err = kept ? write_file(file, &all, w->r) : unlink(file) ? -errno : 0;
	}
	entries_release(&all);
	return err;
}

static int visit_object(void *arg, const struct build_id *id, const char *path)
{
	struct walk *w = arg;
	char *file = probes_file(w->dir, id), hex[41];
	int err = 0;

	(void)path;
	if (file && !file_access(file, R_OK))
		err = w->pattern ? remove_from_file(w, file)
				 : visit_file(w, file, build_id_text(id, hex));
	free(file);
	return err;
}

/* Visits the objects of the cache. One that does not exist yet is empty. */
static int walk_objects(struct walk *w)
{
	char *top = xasprintf("%s/.build-id", w->dir);
	bool empty = !*w->dir || (file_access(top, F_OK) && errno == ENOENT);

	free(top);
	return empty ? 0 : cache_each(w->dir, visit_object, w, w->r);
}

int probe_cache_each(const char *buildid_dir,
		     int (*fn)(void *arg, const struct probe_cache_entry *e), void *arg,
		     struct reason *r)
{
	struct walk w = { .dir = buildid_dir, .fn = fn, .arg = arg, .r = r };

	return walk_objects(&w);
}

int probe_cache_remove(const char *buildid_dir, const char *pattern, struct strlist *gone,
		       struct reason *r)
{
	struct walk w = { .dir = buildid_dir, .pattern = pattern, .gone = gone, .r = r };
	int err = walk_objects(&w);

	return err ? err : w.removed;
}
