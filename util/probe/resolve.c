// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a definition to events: places by debug information, or functions by name.
 *
 * A definition without lines and variables still asks the debug information first, since
 * only that knows of inlined instances; what it does not know of (assembly, a stripped
 * file) is found in the symbol table.
 */
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "arch/arch.h"
#include "probe/boundary.h"
#include "probe/debuginfo.h"
#include "probe/functions.h"
#include "probe/ifunc.h"
#include "probe/internal.h"
#include "probe/tracefs.h"
#include "sys/sys.h"

static int too_many(const struct prober *p, const struct probe_definition *d, size_t found,
		    struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	probe_point_text(&b, &d->point);
	reason_set(r, E2BIG, "'%s' is %s%zu places, more than %u", strbuf_cstr(&b),
		   found > p->s.max_probes ? "" : "over ", found, p->s.max_probes);
	reason_hint(r, "--max-probes allows more");
	strbuf_release(&b);
	return -E2BIG;
}

/* The functions with a probe that the kernel itself forbids: in debugfs, when mounted. */
static bool is_blacklisted(const struct prober *p, const char *symbol)
{
	struct strbuf b = STRBUF_INIT;
	char *line, *rest;
	bool found = false;

	sys_read(p->s.sys, &b, "/sys/kernel/debug/kprobes/blacklist");
	for (rest = b.s; !found && rest && (line = strsep(&rest, "\n"));) {
		char *name = strchr(line, '\t');

		found = name && !strcmp(name + 1, symbol);
	}
	strbuf_release(&b);
	return found;
}

static void set_people_text(const struct probe_definition *d, const char *function,
			    const char *target, struct probe_event *e)
{
	struct strbuf b = STRBUF_INIT;

	if (function && probe_point_has_glob(&d->point))
		strbuf_f(&b, "%s%s", function, d->point.is_return ? "%return" : "");
	else
		probe_point_text(&b, &d->point);
	e->place = strbuf_detach(&b);
	e->target = target ? xstrdup(target) : NULL;
	vec_for_each(&d->arguments, a)
		strbuf_f(&b, "%s%s%s%s%s%s", b.len ? " " : "", a->name ? a->name : "",
			 a->name ? "=" : "", a->text, a->type ? ":" : "", a->type ? a->type : "");
	e->shown_arguments = b.len ? strbuf_detach(&b) : NULL;
	strbuf_release(&b);
}

static void start_event(const struct prober *p, const struct probe_definition *d,
			struct probe_event *e)
{
	e->is_return = d->point.is_return;
	e->maxactive = d->target.kind == PROBE_USER || !e->is_return ? 0 : p->s.maxactive;
}

static void set_group(const struct probe_definition *d, struct probe_event *e)
{
	e->group = d->group ? xstrdup(d->group) : probe_group_name(e->path);
}

/* What the event is called after. */
static char *base_name(const struct probe_definition *d, const char *function)
{
	char *name, *with_line;

	if (d->event)
		return xstrdup(d->event);
	if (d->point.is_absolute)
		return xasprintf("abs_%llx", (unsigned long long)d->point.address);
	if (d->point.function && !probe_point_has_glob(&d->point))
		function = d->point.function;
	name = probe_event_base_name(function ? function : "probe", d->point.is_return);
	if (!d->point.function || !d->point.line)
		return name;
	with_line = xasprintf("%s_L%u", name, d->point.line);
	free(name);
	return with_line;
}

static int user_place(struct prober *p, const struct probe_definition *d, u64 file_offset,
		      struct probe_event *e, struct reason *r)
{
	char *told, *read;
	int err = prober_user_paths(p, d->target.name, &told, &read, r);

	if (err)
		return err;
	free(read);
	e->path = told;
	e->offset = file_offset;
	if (file_offset == UINT64_MAX)
		return reason_set(r, EINVAL, "the place is in no segment of '%s'", told);
	return 0;
}

int prober_set_place(struct prober *p, const struct probe_definition *d,
		     const struct probe_place *place, struct probe_event *e, struct reason *r)
{
	int err;

	if (d->target.kind == PROBE_USER)
		return user_place(p, d, place->file_offset, e, r);
	if (d->target.kind == PROBE_MODULE) {
		if (!place->symbol)
			return reason_set(r, ENOENT, "no symbol covers '%s' in the module",
					  place->function ? place->function : "the place");
		e->module = prober_module_name(d->target.name);
		e->symbol = xstrdup(place->symbol);
		e->offset = place->symbol_offset;
		return 0;
	}
	/* For another kernel, which may have no other use for addresses. */
	if (p->s.offline && p->s.vmlinux && place->symbol_is_unique) {
		e->symbol = xstrdup(place->symbol);
		e->offset = place->symbol_offset;
		return 0;
	}
	err = prober_kernel_base(p, r);
	if (err)
		return err;
	e->symbol = xstrdup(p->kernel_base_name);
	e->offset = place->address - p->kernel_base;
	return 0;
}

/* One place that debug information gave. */
static int add_place(struct prober *p, const struct probe_definition *d,
		     const struct probe_place *place, bool suffix, struct probe_events *out,
		     struct reason *r)
{
	struct probe_event e = { NULL };
	char *base = base_name(d, place->function);
	bool at_entry = !place->function_offset && !place->inlined;
	int err;

	start_event(p, d, &e);
	err = prober_set_place(p, d, place, &e, r);
	if (!err && d->target.kind != PROBE_USER && place->symbol && is_blacklisted(p, place->symbol))
		err = reason_set(r, EINVAL, "'%s' cannot be probed: the kernel marks it as unsafe (blacklisted)",
				 place->symbol);
	if (!err)
		err = prober_arguments(p, d, place, at_entry, &e, r);
	if (!err) {
		set_group(d, &e);
		set_people_text(d, place->function, e.path ? e.path : e.module, &e);
		err = prober_name(p, base, suffix, &e, r);
	}
	free(base);
	if (err)
		probe_event_release(&e);
	else
		vec_push(&out->list, e);
	return err;
}

/* A return probe has no place inside another function. */
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

/* Of a place that cannot be had, when others of the definition can. */
static bool is_of_one_place(int err)
{
	return err == -ERANGE || err == -ENOTSUP || err == -ENOENT || err == -EINVAL;
}

static void warn_left_out(struct prober *p, const struct probe_place *place, const struct reason *why)
{
	char *where = xasprintf("%s+%llu", place->function ? place->function : "?",
				(unsigned long long)place->function_offset);

	condition_add(&p->ctx->conditions, CONDITION_WARNING, "probe-place", where, NULL, 1, why->hint,
		      "no probe at %s: %s", where, why->text ? why->text : "it cannot be probed");
	free(where);
}

/* Each place is an event of its own: what one of them has not, others may have. */
static int add_places(struct prober *p, const struct probe_definition *d,
		      const struct probe_places *places, struct probe_events *out, struct reason *r)
{
	struct probe_place *left_out = NULL;
	struct reason first = REASON_INIT;
	size_t start = out->list.count;
	int err, failed = 0;

	vec_for_each(&places->list, it) {
		struct reason why = REASON_INIT;

		err = add_place(p, d, it, out->list.count > start, out, &why);
		if (err && !left_out) {
			left_out = it;
			first = why;
			failed = err;
		} else {
			if (err && is_of_one_place(err))
				warn_left_out(p, it, &why);
			reason_release(&why);
		}
		if (err && !is_of_one_place(err)) {
			failed = err;
			break;
		}
	}
	if (failed && (out->list.count == start || !is_of_one_place(failed))) {
		reason_set(r, -failed, "%s", first.text ? first.text : "it cannot be probed");
		if (first.hint)
			reason_hint(r, "%s", first.hint);
	} else if (failed) {
		warn_left_out(p, left_out, &first);
		failed = 0;
	}
	reason_release(&first);
	return failed;
}

static int by_debuginfo(struct prober *p, const struct probe_definition *d, struct debuginfo *debug,
			struct probe_events *out, struct reason *r)
{
	const struct probe_search search = { .no_inlines = p->s.no_inlines, .max = p->s.max_probes,
					     .source = p->s.source };
	struct probe_places places = { VEC_INIT };
	int err = debuginfo_points(debug, d, &search, &places, r);

	if (!err)
		err = drop_inlined(d, &places, r);
	if (!err && places.list.count > p->s.max_probes)
		err = too_many(p, d, places.list.count, r);
	if (!err)
		err = add_places(p, d, &places, out, r);
	probe_places_release(&places);
	return err;
}

/* _text of the running kernel, or 0. */
static u64 running_base(struct prober *p, const char **name)
{
	static const char *const names[] = { "_text", "_stext" };
	u64 base = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !base; i++) {
		struct probe_functions f = { VEC_INIT };

		if (!probe_kernel_functions(p->s.sys, "", names[i], false, &f, NULL))
			base = f.list.items[0].address;
		*name = names[i];
		probe_functions_release(&f);
	}
	return base;
}

static int set_function(struct prober *p, const struct probe_definition *d,
			const struct probe_function *f, struct probe_event *e, struct reason *r)
{
	u64 more = d->point.offset, base;
	const char *name;

	if (more && f->size && more >= f->size)
		return reason_set(r, EINVAL, "offset %llu is behind '%s', which has %llu bytes",
				  (unsigned long long)more, f->name, (unsigned long long)f->size);
	if (d->target.kind == PROBE_USER)
		return user_place(p, d, f->file_offset == UINT64_MAX ? UINT64_MAX : f->file_offset + more,
				  e, r);
	if (is_blacklisted(p, f->name))
		return reason_set(r, EINVAL, "'%s' cannot be probed: the kernel marks it as unsafe (blacklisted)",
				  f->name);
	e->module = f->module ? xstrdup(f->module) : NULL;
	if (!f->module && d->target.kind == PROBE_MODULE)
		e->module = prober_module_name(d->target.name);
	e->symbol = xstrdup(f->name);
	e->offset = more;
	base = e->module || f->file_offset != UINT64_MAX ? 0 : running_base(p, &name);
	if (base) {
		free(e->symbol);
		e->symbol = xstrdup(name);
		e->offset = f->address - base + more;
	}
	return 0;
}

static int add_function(struct prober *p, const struct probe_definition *d,
			const struct probe_function *f, bool suffix, struct probe_events *out,
			struct reason *r)
{
	struct probe_event e = { NULL };
	char *base = base_name(d, f->name);
	int err;

	start_event(p, d, &e);
	err = set_function(p, d, f, &e, r);
	if (!err)
		err = prober_arguments(p, d, NULL, !d->point.offset, &e, r);
	if (!err) {
		set_group(d, &e);
		set_people_text(d, f->name, e.path ? e.path : e.module, &e);
		err = prober_name(p, base, suffix, &e, r);
	}
	free(base);
	if (err)
		probe_event_release(&e);
	else
		vec_push(&out->list, e);
	return err;
}

static void say_ifunc(struct prober *p, const struct probe_function *f, const struct ifunc_targets *t)
{
	struct condition_list *l = &p->ctx->conditions;

	if (!t->list.count)
		condition_add(l, CONDITION_WARNING, "probe-ifunc", f->name, NULL, 1,
			      "find the one in use ('perf probe -F' lists them), and probe that",
			      "'%s' is a GNU indirect function: it runs once, to choose the real one", f->name);
	else if (!t->in_use)
		condition_add(l, CONDITION_WARNING, "probe-ifunc", f->name, NULL, 1, NULL,
			      "'%s' is a GNU indirect function: a probe is at each function of the file that it "
			      "may choose (%zu)", f->name, t->list.count);
}

/* An indirect function is replaced by what it stands for. */
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
			struct probe_function real = { .address = *target, .file_offset = UINT64_MAX };
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

/* Of several names for one address a glob takes one. */
static bool is_alias(const struct probe_functions *f, size_t i)
{
	return i && f->list.items[i].address == f->list.items[i - 1].address;
}

static int add_functions(struct prober *p, const struct probe_definition *d,
			 const struct probe_functions *f, struct probe_events *out, struct reason *r)
{
	size_t first = out->list.count, n = 0;
	int err = 0;

	for (size_t i = 0; i < f->list.count; i++)
		n += !is_alias(f, i);
	if (n > p->s.max_probes)
		return too_many(p, d, n, r);
	for (size_t i = 0; i < f->list.count && !err; i++)
		if (!is_alias(f, i))
			err = add_function(p, d, &f->list.items[i], out->list.count > first, out, r);
	return err;
}

/* Which modules hold a function that the target has not. */
static void hint_modules(struct prober *p, const struct probe_definition *d, struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	struct strlist names = { VEC_INIT };
	struct strbuf b = STRBUF_INIT;

	if (!probe_kernel_functions(p->s.sys, NULL, d->point.function,
				    p->s.demangle_kernel, &f, NULL))
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

static bool module_loaded(const struct prober *p, const char *name)
{
	char *plain = prober_module_name(name);
	bool loaded = sys_exists(p->s.sys, "/sys/module/%s", plain);

	free(plain);
	return loaded;
}

static int explain_module(struct prober *p, const struct probe_definition *d, struct reason *r)
{
	bool loaded = module_loaded(p, d->target.name);

	if (!loaded)
		reason_set(r, ENOENT, "module '%s' is not loaded", d->target.name);
	if (!loaded)
		reason_hint(r, "modprobe %s; or give the path of its .ko file to -m", d->target.name);
	hint_modules(p, d, r);
	return -ENOENT;
}

/* Without -m a function may also be in one of the modules. */
static int by_kallsyms(struct prober *p, const struct probe_definition *d,
		       struct probe_events *out, struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	int err = prober_functions(p, &d->target, d->point.function, &f, r);
	char *told, *read;

	if (!err && d->target.kind == PROBE_USER && !prober_user_paths(p, d->target.name, &told, &read, NULL)) {
		replace_ifuncs(p, read, &f);
		free(told);
		free(read);
	}
	if (err == -ENOENT && d->target.kind == PROBE_KERNEL && !p->s.vmlinux)
		err = probe_kernel_functions(p->s.sys, NULL, d->point.function,
					     p->s.demangle_kernel, &f, r);
	if (err == -ENOENT && d->target.kind == PROBE_USER)
		reason_hint(r, "%s'perf probe -x %s -F' lists the functions that its symbols name",
			    p->no_debug.err ? "it has no debug information; " : "", d->target.name);
	if (err == -ENOENT && d->target.kind == PROBE_MODULE && !p->s.offline)
		err = explain_module(p, d, r);
	if (!err)
		err = add_functions(p, d, &f, out, r);
	probe_functions_release(&f);
	return err;
}

/* An address needs no symbols. */
static int by_address(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		      struct reason *r)
{
	struct probe_function f = { .name = NULL, .address = d->point.address };
	char *told, *read;
	struct elf *e;
	bool is_code;
	int err;

	if (d->target.kind == PROBE_USER) {
		err = prober_user_paths(p, d->target.name, &told, &read, r);
		if (err)
			return err;
		err = elf_open(read, &e, r);
		free(told);
		free(read);
		if (err)
			return err;
		if (!elf_addr_to_offset(e, f.address, &f.file_offset))
			f.file_offset = UINT64_MAX;
		is_code = elf_address_is_code(e, f.address);
		elf_close(e);
		if (!is_code)
			return reason_set(r, EINVAL, "0x%llx is not in the code of '%s'",
					  (unsigned long long)f.address, d->target.name);
		return add_function(p, d, &f, false, out, r);
	} else {
		struct probe_event ev = { .is_return = d->point.is_return, .offset = f.address };
		char *base = base_name(d, NULL);

		err = prober_arguments(p, d, NULL, false, &ev, r);
		set_group(d, &ev);
		set_people_text(d, NULL, NULL, &ev);
		if (!err)
			err = prober_name(p, base, false, &ev, r);
		free(base);
		vec_push(&out->list, ev);
		return err;
	}
}

/* Function by function: each has places and instances of its own. */
static int by_glob(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		   struct reason *r)
{
	struct probe_functions f = { VEC_INIT };
	char *pattern = d->point.function;
	struct probe_definition one = *d;
	struct debuginfo *debug;
	int err = prober_functions(p, &d->target, pattern, &f, r);
	size_t n = 0;

	for (size_t i = 0; i < f.list.count; i++)
		n += !is_alias(&f, i);
	if (!err && n > p->s.max_probes)
		err = too_many(p, d, n, r);
	if (!err)
		err = prober_debuginfo(p, &d->target, &debug, r);
	for (size_t i = 0; i < f.list.count && !err; i++) {
		one.point.function = f.list.items[i].name;
		if (is_alias(&f, i))
			continue;
		/* Not every function of a pattern has the variable or line. */
		err = by_debuginfo(p, &one, debug, out, r);
		if (err == -ENOENT || err == -ERANGE || err == -ENODATA)
			err = 0;
	}
	probe_functions_release(&f);
	if (!err && !out->list.count && (!r || !r->text))
		err = reason_set(r, ENOENT, "no function '%s' has such a place", pattern);
	else if (!err && !out->list.count)
		err = -ENOENT;
	else if (!err && r)
		reason_release(r), *r = (struct reason)REASON_INIT;
	return err;
}

static int resolve_point(struct prober *p, const struct probe_definition *d,
			 struct probe_events *out, struct reason *r);

/* Without -m: the modules that have the function, where the kernel's debug information has not. */
static bool find_modules(const struct prober *p, const struct probe_definition *d,
			 struct strlist *names)
{
	struct probe_functions f = { VEC_INIT };

	if (p->s.offline || p->s.vmlinux || !d->point.function || d->target.kind != PROBE_KERNEL)
		return false;
	if (!probe_kernel_functions(p->s.sys, NULL, d->point.function, p->s.demangle_kernel, &f, NULL))
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

/* "memcpy@GLIBC_2.14" is a function of a file GLIBC_2.14: the '@' of a version is escaped. */
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
		return by_address(p, d, out, r);
	if (probe_point_has_glob(&d->point) && !needs)
		return by_kallsyms(p, d, out, r);
	if (probe_point_has_glob(&d->point)) {
		err = by_glob(p, d, out, r);
	} else {
		err = prober_debuginfo(p, &d->target, &debug, r);
		if (!err)
			err = by_debuginfo(p, d, debug, out, r);
	}
	if (needs && (err == -ENOENT || err == -ENODATA) && find_modules(p, d, &modules))
		err = by_modules(p, d, &modules, out, r);
	strlist_release(&modules);
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

static int check_bytes(const struct elf *elf, const struct probe_function *f,
		       const struct probe_event *e, struct reason *r)
{
	const struct arch *arch = arch_by_elf(elf_machine(elf), elf_is_64(elf),
					      elf_is_swapped(elf) ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	size_t size;
	const u8 *bytes = elf_data(elf, &size);
	u64 before;

	if (e->offset > size || f->file_offset > e->offset ||
	    probe_on_boundary(arch, bytes + f->file_offset, e->offset - f->file_offset, &before))
		return 0;
	reason_set(r, EILSEQ, "'%s+%llu' is inside of an instruction", f->name,
		   (unsigned long long)(e->offset - f->file_offset));
	reason_hint(r, "it begins at %s+%llu; a probe inside would change the program", f->name,
		    (unsigned long long)before);
	return -EILSEQ;
}

/* Where an offset or an address was given; the kernel checks its own code itself. */
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
		err = check_bytes(elf, f, e, r);
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

	if (p->s.maxactive && (d->target.kind == PROBE_USER || (!d->point.is_return && !d->is_cached))) {
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
