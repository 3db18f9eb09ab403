// SPDX-License-Identifier: GPL-2.0-or-later
/* The place of an event, for people: "work:3@src/t.c in /tmp/t with n str". */
#include <string.h>

#include "base/strbuf.h"
#include "object/elf.h"
#include "probe/places.h"
#include "probe/functions.h"
#include "probe/internal.h"

/* Returns the last directories of a long path: "net/ipv4/tcp.c". */
static const char *short_path(const char *path)
{
	size_t len = strlen(path);
	const char *tail = len > 30 ? path + len - 30 : path, *slash = strchr(tail, '/');

	return len <= 30 ? path : slash ? slash + 1 : tail;
}

/* Adds the line if the address begins one, else the distance; nothing at the entry. */
static void put_place(struct strbuf *b, const struct probe_event *e,
		      const struct probe_place *place)
{
	strbuf_str(b, place->function ? place->function : "?");
	if (e->is_return)
		strbuf_str(b, "%return");
	else if (place->begins_line && place->function_line &&
		 place->line >= place->function_line && place->function_offset)
		strbuf_f(b, ":%u", place->line - place->function_line);
	else if (place->function_offset)
		strbuf_f(b, "+%llu", (unsigned long long)place->function_offset);
	if (place->file)
		strbuf_f(b, "@%s", short_path(place->file));
}

/* Finds the virtual address of the event in the file that the debug information is of. */
static bool file_address(struct prober *p, const struct probe_event *e, u64 *address)
{
	struct elf *elf;
	bool known;

	if (!e->path) {
		if (e->module || !e->symbol || prober_kernel_base(p, NULL) ||
		    strcmp(e->symbol, p->kernel_base_name))
			return false;
		*address = p->kernel_base + e->offset;
		return true;
	}
	if (elf_open(e->path, &elf, NULL))
		return false;
	known = elf_offset_to_addr(elf, e->offset, address);
	elf_close(elf);
	return known;
}

static bool by_debuginfo(struct prober *p, const struct probe_target *t,
			 const struct probe_event *e, struct strbuf *b)
{
	struct probe_place place = { .function = NULL };
	struct debuginfo *debug;
	u64 address;
	bool known;

	if (prober_debuginfo(p, t, &debug, NULL) || !file_address(p, e, &address))
		return false;
	known = !probe_place_of(debug, address, &place, NULL);
	if (known)
		put_place(b, e, &place);
	probe_place_release(&place);
	return known;
}

/* Adds the function of the running kernel at "_text+N". Returns false if it is not one. */
static bool kernel_function(struct prober *p, const struct probe_event *e, struct strbuf *b)
{
	struct probe_functions all = { VEC_INIT };
	const struct probe_function *f, *base = NULL;
	bool known = false;

	if (e->module || !e->symbol || strcmp(e->symbol, "_text") ||
	    probe_kernel_functions(p->s.sys, "", NULL, false, &all, NULL))
		goto out;
	vec_for_each(&all.list, it)
		if (!base && !strcmp(it->name, "_text"))
			base = it;
	f = base ? probe_function_at(&all, false, base->address + e->offset) : NULL;
	known = f != NULL;
	if (known) {
		u64 more = base->address + e->offset - f->address;

		strbuf_str(b, f->name);
		if (more)
			strbuf_f(b, "+%llu", (unsigned long long)more);
	}
out:
	probe_functions_release(&all);
	return known;
}

static bool user_function(struct prober *p, const struct probe_target *t,
			  const struct probe_event *e, struct strbuf *b)
{
	struct probe_functions all = { VEC_INIT };
	const struct probe_function *f = NULL;

	if (!prober_functions(p, t, NULL, &all, NULL))
		f = probe_function_at(&all, true, e->offset);
	if (f) {
		strbuf_str(b, f->name);
		if (e->offset > f->file_offset)
			strbuf_f(b, "+%llu", (unsigned long long)(e->offset - f->file_offset));
	}
	probe_functions_release(&all);
	return f != NULL;
}

static void by_symbols(struct prober *p, const struct probe_target *t, const struct probe_event *e,
		       struct strbuf *b)
{
	bool known = e->path ? user_function(p, t, e, b) : kernel_function(p, e, b);

	if (!known && e->symbol) {
		strbuf_str(b, e->symbol);
		if (e->offset)
			strbuf_f(b, "+%llu", (unsigned long long)e->offset);
	} else if (!known) {
		strbuf_f(b, "0x%llx", (unsigned long long)e->offset);
	}
	if (e->is_return)
		strbuf_str(b, "%return");
}

void prober_describe(struct prober *p, const struct probe_event *e, struct strbuf *b)
{
	struct probe_target t = { .kind = e->path     ? PROBE_USER
					  : e->module ? PROBE_MODULE
						      : PROBE_KERNEL };

	t.name = e->path ? e->path : e->module;
	if (e->place)
		strbuf_str(b, e->place);
	else if (!by_debuginfo(p, &t, e, b))
		by_symbols(p, &t, e, b);
	if (t.name)
		strbuf_f(b, " in %s", t.name);
	if (e->shown_arguments) {
		strbuf_f(b, " with %s", e->shown_arguments);
		return;
	}
	for (size_t i = 0; !e->place && i < e->arguments.count; i++)
		strbuf_f(b, "%s %s", i ? "" : " with",
			 e->arguments.items[i].name ? e->arguments.items[i].name
						    : e->arguments.items[i].fetch);
}
