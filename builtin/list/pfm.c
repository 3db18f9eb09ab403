// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: names and codes of libpfm4, of this machine and of all models of CPUs. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "builtin/list/internal.h"
#include "event/parse.h"
#include "event/pfm.h"

static char *full_name(const struct pfm_event *e)
{
	return xasprintf("%s%s%s", e->event, e->mask ? ":" : "", e->mask ? e->mask : "");
}

/* ---- this machine's ---- */

struct listing {
	struct list_printer *p;
	const char *pattern; /* or NULL */
};

static void print_own(void *arg, const struct pfm_event *e)
{
	struct listing *l = arg;
	struct list_printer *p = l->p;
	char *event = full_name(e), *name = xasprintf("%s::%s", e->pmu, event);

	if ((p->settings->deprecated || !e->deprecated) &&
	    (!l->pattern || !fnmatch(l->pattern, name, FNM_CASEFOLD) ||
	     !fnmatch(l->pattern, event, FNM_CASEFOLD))) {
		const struct list_item item = { .name = name,
						.type = "libpfm4 event",
						.unit = e->pmu,
						.description = e->description };

		if (p->settings->json || p->settings->raw_dump) {
			list_print_item(p, &item);
		} else {
			out_f(&p->out, "  %s\n", name);
			if (!p->settings->no_desc && e->description)
				out_f(&p->out, "       [%s]\n", e->description);
			p->printed++;
		}
	}
	free(name);
	free(event);
	out_done(&p->out);
}

int list_print_pfm(struct list_printer *p, const char *pattern, struct reason *r)
{
	struct listing l = { p, pattern };

	if (!pfm_built_in() && !pattern)
		return reason_set(r, EOPNOTSUPP, "this perf is built without libpfm4");
	pfm_each(p->settings->details, print_own, &l);
	return 0;
}

/* ---- all models ---- */

/* One name with one code, and the CPUs that have it. */
struct known {
	char *name, *description;
	u64 code;
	bool has_code;
	struct strbuf models;
};

struct found {
	const struct list_settings *settings;
	VEC(struct known) list;
	struct strmap by_name; /* "NAME CODE" -> place */
};

static void collect(void *arg, const struct pfm_event *e)
{
	struct found *f = arg;
	char *name = full_name(e);
	char *key = xasprintf("%s %" PRIx64 " %d", name, e->code, e->has_code);
	struct known *k;
	bool added;
	u64 *place;

	if (e->deprecated && !f->settings->deprecated) {
		free(name);
		free(key);
		return;
	}
	place = strmap_put(&f->by_name, key, &added);
	if (added) {
		*place = f->list.count;
		k = vec_push_zero(&f->list);
		k->name = xstrdup(name);
		k->description = xstrdup(e->description ? e->description : "");
		k->code = e->code;
		k->has_code = e->has_code;
	}
	k = &f->list.items[*place];
	strbuf_f(&k->models, "%s%s", k->models.len ? ", " : "", e->model);
	free(name);
	free(key);
}

static void found_release(struct found *f)
{
	vec_for_each(&f->list, it) {
		free(it->name);
		free(it->description);
		strbuf_release(&it->models);
	}
	vec_release(&f->list);
	strmap_release(&f->by_name);
}

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->code < y->code ? -1 : x->code > y->code;
}

static void search(struct found *f, const char *glob, u64 code)
{
	pfm_all_models(glob, code, collect, f);
	vec_sort(&f->list, by_name);
}

void list_print_models(struct list_printer *p, const char *glob, u64 code)
{
	struct found f = { .settings = p->settings };
	const char *last = "";

	search(&f, glob, code);
	vec_for_each(&f.list, it) {
		char text[24] = "";

		if (it->has_code)
			snprintf(text, sizeof(text), "r%" PRIx64, it->code);
		if (p->settings->json || p->settings->raw_dump || strcmp(last, it->name))
			list_print_item(p, &(struct list_item){
						   .name = it->name,
						   .type = "libpfm4 event",
						   .models = it->models.s,
						   .description = *it->description ? it->description
										   : NULL,
						   .code = *text ? text : NULL });
		if (!p->settings->json && !p->settings->raw_dump)
			out_f(&p->out, "       %s: %s\n", *text ? text : "no code", it->models.s);
		last = it->name;
	}
	found_release(&f);
}

void list_print_code(struct list_printer *p, const struct event_row *row)
{
	const struct event_parser parser = { .command = "stat", .counting = true, .sys = &p->sys };
	struct found f = { .settings = p->settings };
	struct event_set set;

	event_set_init(&set);
	if (!event_parse(&parser, &set, row->alias ? row->alias : row->name, NULL) &&
	    set.list.items[0]->attr.type != PERF_TYPE_HARDWARE) {
		u64 code = set.list.items[0]->attr.config;

		out_f(&p->out, "       r%" PRIx64 "\n", code);
		if (code)
			search(&f, NULL, code);
		vec_for_each(&f.list, it)
			out_f(&p->out, "       %s: %s\n", it->name, it->models.s);
	}
	found_release(&f);
	event_set_release(&set);
}
