// SPDX-License-Identifier: GPL-2.0-or-later
/* %NAME: an SDT marker of a file, or a probe of this name in the build-id cache. */
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/buildid.h"
#include "object/elf.h"
#include "probe/internal.h"
#include "probe/sdt.h"

struct looking {
	struct prober *p;
	const struct probe_definition *d;
	struct probe_events *out;
	struct reason *r;
	const char *path; /* only entries of this object; NULL: of all */
	char *stale;      /* a file of which another version has it; NULL: none */
	size_t first;
	struct strlist files;  /* whose markers were handed out */
	struct strlist others; /* markers of path with other names: "sdt_shop:buy" */
};

static bool name_fits(const struct probe_definition *d, const char *group, const char *event)
{
	return (!d->group || glob_match(d->group, group)) && glob_match(d->event, event);
}

/* Takes over the contents of *e. */
static int hand_out(struct looking *l, struct probe_event *e)
{
	char *base = xstrdup(e->event);
	int err = prober_name(l->p, base, l->out->list.count > l->first, false, e, l->r);

	free(base);
	e->place = xasprintf("%%%s", l->d->event);
	e->target = e->path ? xstrdup(e->path) : e->module ? xstrdup(e->module) : NULL;
	if (err)
		probe_event_release(e);
	else
		vec_push(&l->out->list, *e);
	return err;
}

static void say_skipped(struct looking *l, const struct probe_event *e, const char *skipped)
{
	char *name = xasprintf("%s:%s", e->group, e->event);

	condition_add(&l->p->ctx->conditions, CONDITION_WARNING, "probe-sdt-operand", name, NULL, 1,
		      NULL, "%s leaves out what a probe cannot fetch: %s", name, skipped);
	free(name);
}

static void note_other(struct looking *l, const struct probe_event *e)
{
	char *name = xasprintf("%s:%s", e->group, e->event);

	if (!strlist_has(&l->others, name))
		strlist_add(&l->others, name);
	free(name);
}

static int markers_of(struct looking *l, const struct elf *elf, const char *path)
{
	struct sdt_markers markers = { VEC_INIT };
	int err = 0;

	if (sdt_read(elf, &markers, NULL))
		return 0;
	vec_for_each(&markers.list, m) {
		struct strbuf skipped = STRBUF_INIT;
		struct probe_event e = { NULL };

		if (err)
			break;
		err = sdt_event(elf, m, path, &e, &skipped, l->r);
		if (err || !name_fits(l->d, e.group, e.event)) {
			if (!err)
				note_other(l, &e);
			probe_event_release(&e);
		} else {
			if (skipped.len)
				say_skipped(l, &e, skipped.s);
			err = marker_set_arguments(elf, &e, l->d, l->r);
			if (err)
				probe_event_release(&e);
			else
				err = hand_out(l, &e);
		}
		strbuf_release(&skipped);
	}
	sdt_markers_release(&markers);
	return err;
}

/* Reports whether the object is still the one that was indexed; it may have been replaced. */
static bool same_version(const char *path, const char *hex)
{
	struct build_id id;
	char now[41];

	if (!strcmp(path, PROBE_CACHE_KERNEL))
		return !build_id_of_kernel(NULL, &id, NULL) &&
		       !strcmp(build_id_text(&id, now), hex);
	return !build_id_of_file(path, &id, NULL) && !strcmp(build_id_text(&id, now), hex);
}

static int from_file(struct looking *l, const char *told, const char *read)
{
	struct elf *e;
	int err = elf_open(read, &e, l->r);

	if (err)
		return err;
	err = markers_of(l, e, told);
	elf_close(e);
	return err;
}

static int from_cache(void *arg, const struct probe_cache_entry *c)
{
	struct looking *l = arg;
	int err = 0;

	if (!name_fits(l->d, c->group, c->event) || (l->path && strcmp(l->path, c->path)))
		return 0;
	if (!same_version(c->path, c->build_id)) {
		if (!l->stale)
			l->stale = xstrdup(c->path);
		return 0;
	}
	/* The file itself says more than an index that an older perf made. */
	if (c->sdt) {
		if (strlist_has(&l->files, c->path))
			return 0;
		strlist_add(&l->files, c->path);
		return from_file(l, c->path, c->path);
	}
	if (l->d->arguments.count)
		return reason_set(l->r, EINVAL, "'%s' already has arguments of its own",
				  l->d->event);
	vec_for_each(&c->events->list, ev) {
		struct strbuf b = STRBUF_INIT;
		struct probe_event copy = { NULL };

		probe_event_text(&b, ev);
		if (!err && !probe_event_parse(&copy, b.s, NULL))
			err = hand_out(l, &copy);
		strbuf_release(&b);
	}
	return err;
}

/* How many names a hint can have. */
#define HINT_NAMES 8

/* Hints at what the file has instead. */
static void hint_others(const struct looking *l)
{
	const struct probe_definition *d = l->d;
	char *typed = d->group ? xasprintf("%s%s:%s", str_starts(d->group, "sdt_") ? "" : "sdt_",
					   d->group, d->event)
			       : NULL;
	struct strbuf b = STRBUF_INIT;
	const char *near = NULL;

	if (typed)
		near = nearest_name(typed, (const char *const *)l->others.list.items,
				    l->others.list.count);
	for (size_t i = 0; !near && i < l->others.list.count && i < HINT_NAMES; i++)
		strbuf_f(&b, "%s%s", i ? ", " : "", l->others.list.items[i]);
	if (near)
		reason_hint(l->r, "did you mean '%s'?", near);
	else if (b.len)
		reason_hint(l->r, "its markers: %s%s", b.s,
			    l->others.list.count > HINT_NAMES ? " ..." : "");
	else
		reason_hint(l->r,
			    "it has no SDT markers; 'perf probe -x %s -F' lists its functions",
			    l->d->target.name);
	strbuf_release(&b);
	free(typed);
}

static int none(const struct looking *l)
{
	const struct probe_definition *d = l->d;
	const char *group = d->group ? d->group : "";

	if (l->stale) {
		reason_set(l->r, ESTALE,
			   "'%s%s%s' is in the build-id cache for another version of %s", group,
			   d->group ? ":" : "", d->event, l->stale);
		reason_hint(l->r, "index it again: perf buildid-cache -a %s", l->stale);
		return -ESTALE;
	}
	reason_set(l->r, ENOENT, "no SDT marker or cached probe is called '%s%s%s'%s%s", group,
		   d->group ? ":" : "", d->event, l->path ? " in " : "", l->path ? l->path : "");
	if (l->path)
		hint_others(l);
	else
		reason_hint(
			l->r,
			"index the program: perf buildid-cache -a PROGRAM ('perf probe' finds it "
			"with -x PROGRAM, too)");
	return -ENOENT;
}

int prober_resolve_cached(struct prober *p, const struct probe_definition *d,
			  struct probe_events *out, struct reason *r)
{
	struct looking l = { .p = p, .d = d, .out = out, .r = r, .first = out->list.count };
	char *told = NULL, *read = NULL;
	int err = 0;

	if (d->target.kind == PROBE_USER) {
		err = prober_user_paths(p, d->target.name, &told, &read, r);
		if (err)
			return err;
		l.path = told;
		err = from_file(&l, told, read);
	}
	if (!err && out->list.count == l.first)
		err = probe_cache_each(p->s.buildid_dir, from_cache, &l, r);
	if (!err && out->list.count == l.first)
		err = none(&l);
	strlist_release(&l.files);
	strlist_release(&l.others);
	free(l.stale);
	free(told);
	free(read);
	return err;
}
