// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a definition to events: places by debug information, or functions by name.
 *
 * A definition without lines and variables still asks the debug information first, since only that
 * knows inlined instances. What it does not know (assembly, a stripped file) is found in the symbol
 * table.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "arch/arch.h"
#include "probe/boundary.h"
#include "probe/places.h"
#include "probe/functions.h"
#include "probe/ifunc.h"
#include "probe/internal.h"
#include "sys/sys.h"

/* Drops the inlined places, in which there is no return to probe. */
static int drop_inlined(const struct probe_definition *d, struct probe_places *places,
			struct reason *r)
{
	size_t kept = 0;

	if (!d->point.is_return)
		return 0;
	for (size_t i = 0; i < places->list.count; i++) {
		struct probe_place *it = &places->list.items[i];

		if (it->inlined)
			probe_place_release(it);
		else
			places->list.items[kept++] = *it;
	}
	places->list.count = kept;
	if (kept)
		return 0;
	reason_set(r, ENOENT, "'%s' is inlined everywhere: it has no return", d->point.function);
	reason_hint(r, "probe its entry (without %%return), or the function it is inlined in");
	return -ENOENT;
}

static int by_search(struct prober *p, const struct probe_definition *d, struct debuginfo *debug,
		     const struct probe_search *search, struct probe_events *out, struct reason *r)
{
	struct probe_places places = { VEC_INIT };
	int err = probe_places_find(debug, d, search, &places, r);

	if (!err)
		err = drop_inlined(d, &places, r);
	if (!err && places.list.count > p->s.max_probes)
		err = prober_too_many(p, d, places.list.count, r);
	if (!err)
		err = prober_add_places(p, d, &places, out, r);
	probe_places_release(&places);
	return err;
}

/*
 * Resolves by debug information. names are the functions of this name that were found before, or
 * none.
 */
static int by_debuginfo(struct prober *p, const struct probe_definition *d, struct debuginfo *debug,
			const struct probe_function_name *names, size_t name_count,
			struct probe_events *out, struct reason *r)
{
	const struct probe_search search = { .no_inlines = p->s.no_inlines,
					     .max = p->s.max_probes,
					     .source = p->s.source,
					     .exact = name_count > 0,
					     .names = names,
					     .name_count = name_count };

	return by_search(p, d, debug, &search, out, r);
}

/*
 * Resolves by debug information without the inlined copies of wrappers in headers. _FORTIFY_SOURCE
 * leaves one of memcpy in each function that calls it, and none of them is the function that the
 * file has by this name.
 */
static int by_debuginfo_without_wrappers(struct prober *p, const struct probe_definition *d,
					 struct debuginfo *debug, struct probe_events *out,
					 struct reason *r)
{
	const struct probe_search search = { .no_inlines = p->s.no_inlines,
					     .no_wrappers = true,
					     .max = p->s.max_probes,
					     .source = p->s.source };

	return by_search(p, d, debug, &search, out, r);
}

/* Hints at the modules that have a function which the target lacks. */
static void hint_modules(struct prober *p, const struct probe_definition *d, struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	struct strlist names = { VEC_INIT };
	struct strbuf b = STRBUF_INIT;

	if (!probe_kernel_functions(p->s.sys, NULL, d->point.function, p->s.demangle_kernel, &f,
				    NULL))
		vec_for_each(&f.list, it) {
			const char *module = it->module ? it->module : "the kernel itself";

			if (strlist_has(&names, module))
				continue;
			strlist_add(&names, module);
			strbuf_f(&b, "%s%s", b.len ? ", " : "", module);
		}
	if (b.len)
		reason_hint(r, "'%s' is in: %s", d->point.function, b.s);
	strbuf_release(&b);
	strlist_release(&names);
	probe_functions_release(&f);
}

static void say_ifunc(struct prober *p, const struct probe_function *f,
		      const struct ifunc_targets *t)
{
	struct condition_list *l = &p->ctx->conditions;

	if (!t->list.count)
		condition_add(
			l, CONDITION_WARNING, "probe-ifunc", f->name, NULL, 1,
			"find the one in use ('perf probe -F' lists them), and probe that",
			"'%s' is a GNU indirect function: it runs once, to choose the real one",
			f->name);
	else if (!t->in_use)
		condition_add(
			l, CONDITION_WARNING, "probe-ifunc", f->name, NULL, 1, NULL,
			"'%s' is a GNU indirect function: a probe is at each function of the file "
			"that it "
			"may choose (%zu)",
			f->name, t->list.count);
}

/* Replaces indirect functions by those that they stand for. */
static void replace_ifuncs(struct prober *p, const char *path, struct probe_functions *f)
{
	struct elf *elf = NULL;
	size_t count = f->list.count;

	for (size_t i = 0; i < count; i++) {
		struct probe_function one = f->list.items[i];
		struct ifunc_targets t;

		if (!one.ifunc || (!elf && elf_open(path, &elf, NULL)))
			continue;
		ifunc_targets_of(elf, path, &one, &t);
		say_ifunc(p, &one, &t);
		vec_for_each(&t.list, target) {
			struct probe_function real = { .address = *target,
						       .file_offset = UINT64_MAX };
			bool first = target == t.list.items;

			real.name = first ? one.name : xstrdup(one.name);
			elf_addr_to_offset(elf, *target, &real.file_offset);
			if (first)
				f->list.items[i] = real;
			else
				vec_push(&f->list, real);
		}
		ifunc_targets_release(&t);
	}
	elf_close(elf);
}

/* Resolves by kallsyms. Without -m a function may also be in one of the modules. */
static int by_kallsyms(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		       struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	int err = prober_functions(p, &d->target, d->point.function, &f, r);
	char *told, *read;
	bool has_file = d->target.kind == PROBE_USER &&
			!prober_user_paths(p, d->target.name, &told, &read, NULL);

	if (!err && has_file)
		replace_ifuncs(p, read, &f);
	if (has_file) {
		free(told);
		free(read);
	}
	if (err == -ENOENT && d->target.kind == PROBE_KERNEL && !p->s.vmlinux) {
		reason_release(r);
		err = probe_kernel_functions(p->s.sys, NULL, d->point.function,
					     p->s.demangle_kernel, &f, r);
	}
	if (err == -ENOENT && d->target.kind == PROBE_USER && has_file)
		reason_hint(r, "%s'perf probe -x %s -F' lists the functions that its symbols name",
			    p->no_debug.err ? "it has no debug information; " : "", d->target.name);
	if (err == -ENOENT && d->target.kind == PROBE_MODULE)
		hint_modules(p, d, r);
	if (!err)
		err = prober_add_functions(p, d, &f, out, r);
	probe_functions_release(&f);
	return err;
}

/* A definition with a glob while its functions are visited. */
struct glob_search {
	struct prober *p;
	const struct probe_definition *d;
	bool needs_dwarf;
	struct debuginfo *debug;
	struct probe_function_names names; /* the names of functions in the debug information */
	size_t first;                      /* the first of its events in out */
	struct probe_events *out;
	struct reason *r;
};

/* Reports whether a function of a pattern is left out: not every one has the variable or line. */
static bool is_left_out(int err)
{
	return err == -ENOENT || err == -ERANGE || err == -ENODATA;
}

static int check_count(const struct glob_search *g)
{
	size_t n = g->out->list.count - g->first;

	return n > g->p->s.max_probes ? prober_too_many(g->p, g->d, n, g->r) : 0;
}

static int add_one_by_debuginfo(struct glob_search *g, const char *name,
				const struct probe_function_name *names, size_t count)
{
	struct probe_definition one = *g->d;
	int err;

	one.point.function = (char *)(uintptr_t)name;
	err = by_debuginfo(g->p, &one, g->debug, names, count, g->out, g->r);
	return is_left_out(err) ? 0 : err;
}

static int add_by_names(struct glob_search *g)
{
	const struct probe_function_name *names;
	size_t count;
	int err = 0;

	probe_function_names(g->debug, g->d->point.function, &g->names);
	names = g->names.list.items;
	for (size_t i = 0; i < g->names.list.count && !err; i += count) {
		for (count = 1; i + count < g->names.list.count &&
				!strcmp(names[i].name, names[i + count].name);)
			count++;
		err = add_one_by_debuginfo(g, names[i].name, names + i, count);
	}
	return err ? err : check_count(g);
}

static int compare_name(const void *key, const void *name)
{
	return strcmp(key, ((const struct probe_function_name *)name)->name);
}

static bool has_name(const struct glob_search *g, const char *name)
{
	return g->names.list.count && bsearch(name, g->names.list.items, g->names.list.count,
					      sizeof(struct probe_function_name), compare_name);
}

/*
 * Reports whether a function was already added. A program's go by address, the kernel's by name:
 * "f.isra.0" is f.
 */
static bool is_covered(const struct glob_search *g, const struct probe_function *f)
{
	char *plain = xstrndup(f->name, strcspn(f->name, "."));
	bool covered = has_name(g, f->name) || (*plain && has_name(g, plain));

	free(plain);
	for (size_t i = g->first; !covered && i < g->out->list.count; i++)
		covered = g->out->list.items[i].path &&
			  g->out->list.items[i].offset == f->file_offset;
	return covered;
}

/*
 * Adds what only symbols name: assembly, other names of a function, units without debug
 * information.
 */
static int add_by_symbols(struct glob_search *g)
{
	struct probe_functions f = { VEC_INIT }, rest = { VEC_INIT };
	int err = prober_functions(g->p, &g->d->target, g->d->point.function, &f, g->r);

	if (err == -ENOENT && g->out->list.count > g->first)
		err = 0;
	for (size_t i = 0; i < f.list.count && !err; i++) {
		if (probe_function_is_alias(&f, i) || is_covered(g, &f.list.items[i]))
			continue;
		if (g->needs_dwarf)
			err = add_one_by_debuginfo(g, f.list.items[i].name, NULL, 0);
		else
			vec_push(&rest.list, f.list.items[i]);
	}
	if (!err && rest.list.count)
		err = prober_add_functions(g->p, g->d, &rest, g->out, g->r);
	vec_release(&rest.list);
	probe_functions_release(&f);
	return err ? err : check_count(g);
}

/* Resolves a glob function by function: each has its own places and instances. */
static int by_glob(struct prober *p, const struct probe_definition *d, bool needs_dwarf,
		   struct probe_events *out, struct reason *r)
{
	struct glob_search g = { .p = p,
				 .d = d,
				 .needs_dwarf = needs_dwarf,
				 .first = out->list.count,
				 .out = out,
				 .r = r };
	int err = prober_debuginfo(p, &d->target, &g.debug, r);

	if (err && needs_dwarf)
		return err;
	if (err)
		reason_release(r);
	if (err || (!needs_dwarf && p->s.no_inlines))
		return by_kallsyms(p, d, out, r);
	err = add_by_names(&g);
	if (!err)
		err = add_by_symbols(&g);
	probe_function_names_release(&g.names);
	if (!err && out->list.count == g.first && (!r || !r->text))
		err = reason_set(r, ENOENT, "no function '%s' has such a place", d->point.function);
	else if (!err && out->list.count == g.first)
		err = -ENOENT;
	else if (!err && r)
		reason_release(r);
	return err;
}

static int resolve_point(struct prober *p, const struct probe_definition *d,
			 struct probe_events *out, struct reason *r);

/*
 * Finds, without -m, the modules that have the function, where the kernel's debug information lacks
 * it.
 */
static bool find_modules(const struct prober *p, const struct probe_definition *d,
			 struct strlist *names)
{
	struct probe_functions f = { VEC_INIT };

	if (p->s.offline || p->s.vmlinux || !d->point.function || d->target.kind != PROBE_KERNEL)
		return false;
	if (!probe_kernel_functions(p->s.sys, NULL, d->point.function, p->s.demangle_kernel, &f,
				    NULL))
		vec_for_each(&f.list, it)
			if (it->module && !strlist_has(names, it->module))
				strlist_add(names, it->module);
	probe_functions_release(&f);
	return names->list.count > 0;
}

static int by_modules(struct prober *p, const struct probe_definition *d,
		      const struct strlist *names, struct probe_events *out, struct reason *r)
{
	int err = 0;

	reason_release(r);
	vec_for_each(&names->list, name) {
		struct probe_definition one = *d;

		one.target = (struct probe_target){ PROBE_MODULE, *name };
		if (!err)
			err = resolve_point(p, &one, out, r);
	}
	return err;
}

/* Hints at an escaped '@': "memcpy@GLIBC_2.14" is a function of a file GLIBC_2.14. */
static void hint_version(struct prober *p, const struct probe_definition *d, struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	char *name;

	if (d->target.kind != PROBE_USER || !d->point.function || !d->point.file)
		return;
	name = xasprintf("%s@%s", d->point.function, d->point.file + strspn(d->point.file, "@"));
	if (!prober_functions(p, &d->target, name, &f, NULL))
		reason_hint(r, "the function of that version is '%s\\@%s'", d->point.function,
			    d->point.file + strspn(d->point.file, "@"));
	probe_functions_release(&f);
	free(name);
}

static int resolve_point(struct prober *p, const struct probe_definition *d,
			 struct probe_events *out, struct reason *r)
{
	bool needs = probe_definition_needs_dwarf(d);
	struct strlist modules = { VEC_INIT };
	struct debuginfo *debug = NULL;
	struct reason ignored = REASON_INIT;
	int err;

	if (d->point.is_absolute && !needs)
		return prober_add_address(p, d, out, r);
	if (probe_point_has_glob(&d->point)) {
		err = by_glob(p, d, needs, out, r);
		if (!needs)
			return err;
	} else {
		err = prober_debuginfo(p, &d->target, &debug, r);
		if (!err)
			err = by_debuginfo_without_wrappers(p, d, debug, out, r);
		if (debug && err == -ENOENT && !needs && !by_kallsyms(p, d, out, &ignored)) {
			reason_release(r);
			return 0;
		}
		reason_release(&ignored);
		if (debug && err == -ENOENT)
			err = by_debuginfo(p, d, debug, NULL, 0, out, r);
	}
	if (needs && (err == -ENOENT || err == -ENODATA) && find_modules(p, d, &modules))
		err = by_modules(p, d, &modules, out, r);
	strlist_release(&modules);
	if (!err)
		reason_release(r); /* why an earlier way failed */
	if (err == -ENOENT || err == -ENODATA)
		hint_version(p, d, r);
	if (!err || needs || (err != -ENODATA && err != -ENOENT))
		return err;
	if (!debug) {
		reason_release(r);
		return by_kallsyms(p, d, out, r);
	}
	/* When neither knows it, why debug information does not is the better reason. */
	if (!by_kallsyms(p, d, out, &ignored)) {
		reason_release(r);
		err = 0;
	}
	reason_release(&ignored);
	return err;
}

/*
 * Reports whether both offsets are in one section: a function without a size ends with its section
 * at the latest.
 */
static bool in_one_section(const struct elf *elf, u64 from, u64 to)
{
	for (u32 i = 0; i < elf_section_count(elf); i++) {
		const struct elf_section *s = elf_section_at(elf, i);

		if (s->offset > from && s->offset <= to && (s->flags & SHF_EXECINSTR))
			return false;
	}
	return true;
}

static int inside(const struct probe_function *f, u64 offset, u64 before, bool hex,
		  struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	probe_offset_text(&b, offset, hex);
	reason_set(r, EILSEQ, "'%s%s' is inside of an instruction", f->name, strbuf_cstr(&b));
	strbuf_clear(&b);
	probe_offset_text(&b, before, hex);
	reason_hint(r, "it begins at %s%s; a probe inside would change the program", f->name,
		    strbuf_cstr(&b));
	strbuf_release(&b);
	return -EILSEQ;
}

static int check_bytes(const struct elf *elf, const struct probe_function *f,
		       const struct probe_event *e, bool hex, struct reason *r)
{
	const struct arch *arch =
		arch_by_elf(elf_machine(elf), elf_is_64(elf),
			    elf_is_swapped(elf) ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	size_t size;
	const u8 *bytes = elf_data(elf, &size);
	u64 before;

	if (e->offset > size || f->file_offset > e->offset ||
	    !in_one_section(elf, f->file_offset, e->offset) ||
	    probe_on_boundary(arch, bytes + f->file_offset, e->offset - f->file_offset, &before))
		return 0;
	return inside(f, e->offset - f->file_offset, before, hex, r);
}

/*
 * Checks that a given offset or address begins an instruction. The kernel checks its own code
 * itself.
 */
static int check_boundary(struct prober *p, const struct probe_definition *d,
			  const struct probe_event *e, struct reason *r)
{
	struct probe_functions all = { VEC_INIT };
	const struct probe_function *f = NULL;
	char *told, *read;
	struct elf *elf;
	int err = 0;

	if (!e->path || !(d->point.offset || d->point.is_absolute))
		return 0;
	if (prober_functions(p, &d->target, NULL, &all, NULL) ||
	    prober_user_paths(p, d->target.name, &told, &read, NULL))
		goto out;
	f = probe_function_at(&all, true, e->offset);
	if (f && !elf_open(read, &elf, NULL)) {
		err = check_bytes(elf, f, e, d->point.offset_is_hex, r);
		elf_close(elf);
	}
	free(told);
	free(read);
out:
	probe_functions_release(&all);
	return err;
}

int prober_resolve(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		   struct reason *r)
{
	size_t first = out->list.count;
	int err;

	if (p->s.maxactive &&
	    (d->target.kind == PROBE_USER || (!d->point.is_return && !d->is_cached))) {
		reason_set(r, EINVAL, "--maxactive is for returns of kernel functions only");
		reason_hint(r, "'FUNCTION%%return', without -x");
		return -EINVAL;
	}
	err = d->is_cached ? prober_resolve_cached(p, d, out, r) : resolve_point(p, d, out, r);

	for (size_t i = first; !err && i < out->list.count; i++)
		err = check_boundary(p, d, &out->list.items[i], r);
	while (err && out->list.count > first)
		probe_event_release(&out->list.items[--out->list.count]);
	return err;
}
