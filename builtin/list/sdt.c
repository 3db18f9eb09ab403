// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: SDT markers of the objects in the build-id cache. */
#include <stdlib.h>
#include <string.h>

#include "builtin/list/internal.h"
#include "probe/probe.h"

struct sdt_place {
	char *name, *path, *build_id;
};

struct sdt_listing {
	const char *pattern; /* NULL: all of them */
	VEC(struct sdt_place) list;
};

static int keep_sdt(void *arg, const struct probe_cache_entry *e)
{
	struct sdt_listing *l = arg;
	char *name = xasprintf("%s:%s", e->group, e->event);

	if (e->sdt && (!l->pattern || list_text_matches(name, l->pattern)))
		vec_push(&l->list, (struct sdt_place){ name, xstrdup(e->path ? e->path : ""),
						       xstrdup(e->build_id ? e->build_id : "") });
	else
		free(name);
	return 0;
}

static int by_name_and_object(const void *a, const void *b)
{
	const struct sdt_place *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->path, y->path);
	return order ? order : strcmp(x->build_id, y->build_id);
}

static bool same_name(const struct sdt_listing *l, size_t a, size_t b)
{
	return b < l->list.count && !strcmp(l->list.items[a].name, l->list.items[b].name);
}

/* Prints a marker. One that several objects have gets a row for each: "NAME@OBJECT(BUILD-ID)". */
static void print_sdt(struct list_printer *p, const struct sdt_listing *l, size_t i)
{
	const struct sdt_place *s = &l->list.items[i];
	bool several = (i && same_name(l, i, i - 1)) || same_name(l, i, i + 1);
	bool whole = several && !p->settings->json && !p->settings->raw_dump;
	char *row = whole ? xasprintf("%s@%s(%.12s)", s->name, s->path, s->build_id) : NULL;

	/* names alone: each once */
	if (!p->settings->raw_dump || !i || !same_name(l, i, i - 1))
		list_print_item(p, &(struct list_item){ .name = row ? row : s->name,
							.type = "SDT event",
							.object = s->path,
							.build_id = s->build_id });
	free(row);
}

void list_sdts(struct list_printer *p, const char *pattern)
{
	struct sdt_listing l = { .pattern = pattern };

	probe_cache_each(p->ctx->buildid_dir, keep_sdt, &l, NULL);
	vec_sort(&l.list, by_name_and_object);
	for (size_t i = 0; i < l.list.count; i++)
		if (!same_name(&l, i, i + 1) ||
		    by_name_and_object(&l.list.items[i], &l.list.items[i + 1]))
			print_sdt(p, &l, i);
	vec_for_each(&l.list, s) {
		free(s->name);
		free(s->path);
		free(s->build_id);
	}
	vec_release(&l.list);
}
