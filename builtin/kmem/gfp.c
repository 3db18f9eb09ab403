// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of allocation flags.
 *
 * The bits move from kernel to kernel, so a set is named by the print format of its event.  The
 * short forms are those of perf kmem since 4.1, by the names in include/trace/events/mmflags.h.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/kmem/internal.h"

static const struct {
	const char *name, *compact;
} shorts[] = {
	{ "GFP_TRANSHUGE", "THP" },
	{ "GFP_TRANSHUGE_LIGHT", "THL" },
	{ "GFP_HIGHUSER_MOVABLE", "HUM" },
	{ "GFP_HIGHUSER", "HU" },
	{ "GFP_USER", "U" },
	{ "GFP_KERNEL_ACCOUNT", "KAC" },
	{ "GFP_KERNEL", "K" },
	{ "GFP_NOFS", "NF" },
	{ "GFP_ATOMIC", "A" },
	{ "GFP_NOIO", "NI" },
	{ "GFP_NOWAIT", "NW" },
	{ "GFP_DMA", "D" },
	{ "GFP_DMA32", "D32" },
	{ "__GFP_HIGHMEM", "HM" },
	{ "__GFP_HIGH", "H" },
	{ "__GFP_ATOMIC", "_A" },
	{ "__GFP_IO", "I" },
	{ "__GFP_FS", "F" },
	{ "__GFP_NOWARN", "NWR" },
	{ "__GFP_RETRY_MAYFAIL", "R" },
	{ "__GFP_NOFAIL", "NF" },
	{ "__GFP_NORETRY", "NR" },
	{ "__GFP_COMP", "C" },
	{ "__GFP_ZERO", "Z" },
	{ "__GFP_NOMEMALLOC", "NMA" },
	{ "__GFP_MEMALLOC", "MA" },
	{ "__GFP_HARDWALL", "HW" },
	{ "__GFP_THISNODE", "TN" },
	{ "__GFP_RECLAIMABLE", "RC" },
	{ "__GFP_MOVABLE", "M" },
	{ "__GFP_ACCOUNT", "AC" },
	{ "__GFP_WRITE", "WR" },
	{ "__GFP_RECLAIM", "R" },
	{ "__GFP_DIRECT_RECLAIM", "DR" },
	{ "__GFP_KSWAPD_RECLAIM", "KR" },
};

/* Returns the short form of a flag's name, or the name itself if it has none. */
static const char *compact_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(shorts); i++)
		if (!strcmp(shorts[i].name, name))
			return shorts[i].compact;
	return name;
}

static char *compact_all(const char *full)
{
	struct strbuf b = STRBUF_INIT;
	char *copy = xstrdup(full), *rest = copy, *name;

	while ((name = strsep(&rest, "|")))
		strbuf_f(&b, "%s%s", b.len ? "|" : "", compact_of(name));
	free(copy);
	return strbuf_detach(&b);
}

/* Returns the flags from "... gfp_flags=GFP_KERNEL|__GFP_ZERO ...". The caller frees them. */
static char *full_of(const char *text, u64 flags)
{
	static const char before[] = "gfp_flags=";
	const char *at = strstr(text, before);
	char *name;

	at = at ? at + sizeof(before) - 1 : "";
	name = xstrndup(at, strcspn(at, " "));
	if (*name)
		return name;
	free(name);
	return xasprintf("%#llx", (unsigned long long)flags);
}

static void learn(struct gfp_names *g, const struct tracepoint_formats *f,
		  const struct tracepoint_format *t, const void *raw, u32 raw_size, u32 cpu,
		  u64 flags)
{
	struct gfp_name *name;

	if (!g->printer && f)
		g->printer = tracepoint_printer_new(f);
	strbuf_clear(&g->text);
	if (t)
		tracepoint_print(g->printer, t, raw, raw_size, cpu, &g->text);
	name = vec_push_zero(&g->list);
	name->flags = flags;
	name->full = full_of(strbuf_cstr(&g->text), flags);
	name->compact = compact_all(name->full);
	g->width = MAX(g->width, (int)strlen(name->compact));
}

void gfp_learn(struct gfp_names *g, const struct tracepoint_formats *f,
	       const struct session_sample *s, u64 flags)
{
	const struct sample *in = s->sample;
	bool added;

	map64_put(&g->known, flags, &added);
	if (added)
		learn(g, f, tracepoint_by_id(f, (u32)in->event->attr.config), in->raw, in->raw_size,
		      in->id.cpu, flags);
}

/*
 * Learns the names of flags by printing them from a synthetic record, at the offset that the format
 * gives.
 */
void gfp_learn_live(struct gfp_names *g, const struct tracepoint_formats *f, u64 flags)
{
	enum { RECORD = 256 };
	const struct tracepoint_format *t =
		f ? tracepoint_by_name(f, "kmem", "mm_page_alloc") : NULL;
	const struct tracepoint_field *field = t ? tracepoint_field(t, "gfp_flags") : NULL;
	u8 raw[RECORD] = { 0 };
	u32 word = (u32)flags;
	bool added;

	map64_put(&g->known, flags, &added);
	if (!added)
		return;
	if (!field || (field->size != sizeof(flags) && field->size != sizeof(word)) ||
	    field->offset > RECORD - sizeof(flags)) {
		learn(g, f, NULL, NULL, 0, 0, flags);
		return;
	}
	if (field->size == sizeof(word))
		memcpy(raw + field->offset, &word, sizeof(word));
	else
		memcpy(raw + field->offset, &flags, sizeof(flags));
	learn(g, f, t, raw, RECORD, 0, flags);
}

static int by_flags(const void *a, const void *b)
{
	const struct gfp_name *x = a, *y = b;

	return x->flags < y->flags ? -1 : x->flags > y->flags;
}

void gfp_names_sort(struct gfp_names *g)
{
	vec_sort(&g->list, by_flags);
}

const char *gfp_compact(const struct gfp_names *g, u64 flags)
{
	struct gfp_name key = { .flags = flags };
	const struct gfp_name *found = NULL;

	if (g->list.count)
		found = bsearch(&key, g->list.items, g->list.count, sizeof(key), by_flags);
	return found ? found->compact : "?";
}

void gfp_names_release(struct gfp_names *g)
{
	vec_for_each(&g->list, n) {
		free(n->full);
		free(n->compact);
	}
	vec_release(&g->list);
	map64_release(&g->known);
	tracepoint_printer_free(g->printer);
	strbuf_release(&g->text);
}
