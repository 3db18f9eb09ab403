// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests whose kernels and modules have no recorded addresses: their whole upper half is the
 * kernel's, except where a list of modules says otherwise (--guestmodules, or proc/modules below
 * --guestmount).
 */
#include "process/tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "object/modules_list.h"

struct guest_maps {
	struct mapping whole;
	bool modules_known;
	VEC(struct mapping) modules; /* in order of address */
};

void guests_release(struct history *h)
{
	for (size_t i = 0; i < h->guests.space; i++) {
		struct guest_maps *g = (struct guest_maps *)(uintptr_t)h->guests.slots[i].value;

		if (!h->guests.slots[i].used)
			continue;
		vec_release(&g->modules);
		free(g);
	}
	map64_release(&h->guests);
	map64_release(&h->guest_ids);
	map64_release(&h->cpu_ids);
	free(h->guest_modules);
	free(h->guest_mount);
}

void guests_each_image(const struct history *h, void (*fn)(void *arg, u32 image), void *arg)
{
	for (size_t i = 0; i < h->guests.space; i++) {
		const struct guest_maps *g =
			(const struct guest_maps *)(uintptr_t)h->guests.slots[i].value;

		if (!h->guests.slots[i].used)
			continue;
		fn(arg, g->whole.image);
		vec_for_each(&g->modules, m)
			fn(arg, m->image);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void add_module(struct history *h, u32 machine, struct guest_maps *g, const char *line)
{
	struct loaded_module m;
	char *path;

	if (!modules_list_line(line, &m))
		return;
	path = xasprintf("[%s]", m.name);
	vec_push(&g->modules,
		 (struct mapping){
			 .start = m.addr,
			 .end = m.addr + m.size,
			 .pgoff = m.addr,
			 .image = image_intern(h->images, &(struct image){ .kind = IMAGE_MODULE,
									   .kernel = true,
									   .path = path,
									   .pid = -1,
									   .guest = machine,
									   .addr = m.addr,
									   .size = m.size }),
		 });
	free(path);
}

static void read_modules(struct history *h, u32 machine, struct guest_maps *g)
{
	char *path = h->guest_modules ? xstrdup(h->guest_modules)
		     : h->guest_mount && machine != GUEST_UNKNOWN
			     ? xasprintf("%s/%u/proc/modules", h->guest_mount, machine)
			     : NULL;
	FILE *f = path ? file_stream(path, NULL) : NULL;
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		add_module(h, machine, g, line);
	free(line);
	if (f)
		fclose(f);
	free(path);
	if (g->modules.count)
		qsort(g->modules.items, g->modules.count, sizeof(*g->modules.items), by_start);
}

/* Checks the list of modules; one that an ordinary user copied has no addresses. */
static void check_list(struct history *h)
{
	FILE *f = file_stream(h->guest_modules, NULL);
	struct loaded_module m;
	char *line = NULL;
	size_t room = 0;
	bool good = false;

	while (f && !good && getline(&line, &room, f) > 0)
		good = modules_list_line(line, &m);
	free(line);
	if (f)
		fclose(f);
	if (!good)
		condition_add(
			&h->ctx->conditions, CONDITION_WARNING, "no-guest-modules",
			h->guest_modules, NULL, 1,
			"copy /proc/modules in the guest as root: other users see no addresses in "
			"it",
			"--guestmodules: '%s' gives no module an address", h->guest_modules);
}

void history_set_guests(struct history *h, const char *modules, const char *mount)
{
	h->guest_modules = modules ? xstrdup(modules) : NULL;
	h->guest_mount = mount ? xstrdup(mount) : NULL;
	if (modules)
		check_list(h);
}

void history_set_guest_code(struct history *h)
{
	h->guest_code = true;
}

/* Returns the maps of a guest. The caller holds h->lock. */
static struct guest_maps *maps_of(struct history *h, u32 machine)
{
	u64 *slot = map64_put(&h->guests, machine, NULL);
	struct guest_maps *g = (struct guest_maps *)(uintptr_t)*slot;
	char *path;

	if (g)
		return g;
	path = machine == GUEST_UNKNOWN ? xstrdup("[guest.kernel.kallsyms]")
					: xasprintf("[guest.kernel.kallsyms.%u]", machine);
	g = xcalloc(1, sizeof(*g));
	g->whole.end = UINT64_MAX;
	g->whole.image = image_intern(
		h->images,
		&(struct image){ .kind = IMAGE_KERNEL, .path = path, .pid = -1, .guest = machine });
	*slot = (u64)(uintptr_t)g;
	free(path);
	return g;
}

const struct mapping *guest_module(struct history *h, u32 machine, u64 addr)
{
	const struct mapping *found = NULL;
	struct guest_maps *g;

	if (!h->guest_modules && !h->guest_mount)
		return NULL;
	pthread_mutex_lock(&h->lock);
	g = maps_of(h, machine);
	if (!g->modules_known)
		read_modules(h, machine, g);
	g->modules_known = true;
	vec_for_each(&g->modules, m)
		if (addr >= m->start && addr < m->end)
			found = m;
	pthread_mutex_unlock(&h->lock);
	return found;
}

const struct mapping *whole_guest(struct history *h, u32 machine)
{
	const struct mapping *m;

	pthread_mutex_lock(&h->lock);
	m = &maps_of(h, machine)->whole;
	pthread_mutex_unlock(&h->lock);
	return m;
}
