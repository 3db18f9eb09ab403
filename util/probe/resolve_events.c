// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of places, functions and addresses that were found: place, arguments, name. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "probe/places.h"
#include "probe/functions.h"
#include "probe/internal.h"
#include "sys/sys.h"

int prober_too_many(const struct prober *p, const struct probe_definition *d, size_t found,
		    struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	probe_point_text(&b, &d->point);
	reason_set(r, E2BIG, "'%s' matches %s%zu places, more than %u", strbuf_cstr(&b),
		   found > p->s.max_probes ? "" : "over ", found, p->s.max_probes);
	reason_hint(r, "--max-probes allows more");
	strbuf_release(&b);
	return -E2BIG;
}

/*
 * Reports whether the kernel itself forbids a probe on the function, as debugfs says where it is
 * mounted.
 */
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

/* Returns what the event is named after. */
static const char *named_after(const struct probe_definition *d, const char *function)
{
	return d->point.function && !probe_point_has_glob(&d->point) ? d->point.function : function;
}

/*
 * Reports whether the event's name is shorter than its function's, so other functions may have the
 * same.
 */
static bool is_cut(const struct probe_definition *d, const char *function, const char *base)
{
	return !d->event && named_after(d, function) && !str_starts(base, named_after(d, function));
}

static char *base_name(const struct probe_definition *d, const char *function)
{
	char *name, *with_line;

	if (d->event)
		return xstrdup(d->event);
	if (d->point.is_absolute)
		return xasprintf("abs_%llx", (unsigned long long)d->point.address);
	function = named_after(d, function);
	name = probe_event_base_name(function ? function : "probe", d->point.is_return);
	if (!d->point.function || !d->point.line)
		return name;
	with_line = xasprintf("%s_L%u", name, d->point.line);
	free(name);
	return with_line;
}

/*
 * Returns the bytes from a function's entry to the one that calls within the program use (powerpc's
 * ELFv2 ABI); a probe before that would miss them.
 */
static u64 to_local_entry(const char *path, u64 file_offset)
{
	struct elf *elf;
	u64 address, bytes = 0;

	if (elf_open(path, &elf, NULL))
		return 0;
	if (elf_machine(elf) == EM_PPC64 && elf_offset_to_addr(elf, file_offset, &address))
		bytes = probe_local_entry(elf, address);
	elf_close(elf);
	return bytes;
}

/*
 * Sets the place in a program. at_entry means that of a function, which was named without an
 * offset.
 */
static int user_place(struct prober *p, const struct probe_definition *d, u64 file_offset,
		      bool at_entry, struct probe_event *e, struct reason *r)
{
	char *told, *read;
	int err = prober_user_paths(p, d->target.name, &told, &read, r);

	if (err)
		return err;
	e->path = told;
	e->offset = file_offset;
	if (at_entry && file_offset != UINT64_MAX)
		e->offset += to_local_entry(read, file_offset);
	free(read);
	if (file_offset == UINT64_MAX)
		return reason_set(r, EINVAL, "the place is in no segment of '%s'", told);
	return 0;
}

/* Sets an event's place: symbol, module, path and offset, and the target that people see. */
static int prober_set_place(struct prober *p, const struct probe_definition *d,
			    const struct probe_place *place, struct probe_event *e,
			    struct reason *r)
{
	int err;

	if (d->target.kind == PROBE_USER)
		return user_place(p, d, place->file_offset,
				  !place->function_offset && !place->inlined, e, r);
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

/*
 * Completes the event e at a place: its arguments, texts and name.  Adds it to out, or releases it
 * after an error; err: the result of finding the place.  place: what debug information says of it,
 * or NULL; function: what the event is named after, or NULL.
 */
static int finish_event(struct prober *p, const struct probe_definition *d,
			const struct probe_place *place, const char *function, bool at_entry,
			bool suffix, int err, struct probe_event *e, struct probe_events *out,
			struct reason *r)
{
	char *base = base_name(d, function);

	if (!err)
		err = prober_arguments(p, d, place, at_entry, e, r);
	if (!err) {
		set_group(d, e);
		set_people_text(d, function, e->path ? e->path : e->module, e);
		err = prober_name(p, base, suffix, is_cut(d, function, base), e, r);
	}
	free(base);
	if (err)
		probe_event_release(e);
	else
		vec_push(&out->list, *e);
	return err;
}

static int refuse_blacklisted(const struct prober *p, const char *symbol, struct reason *r)
{
	if (!is_blacklisted(p, symbol))
		return 0;
	return reason_set(r, EINVAL,
			  "'%s' cannot be probed: the kernel marks it as unsafe (blacklisted)",
			  symbol);
}

/* Adds the event of one place that debug information gave. */
static int add_place(struct prober *p, const struct probe_definition *d,
		     const struct probe_place *place, bool suffix, struct probe_events *out,
		     struct reason *r)
{
	struct probe_event e = { NULL };
	int err;

	start_event(p, d, &e);
	err = prober_set_place(p, d, place, &e, r);
	if (!err && d->target.kind != PROBE_USER && place->symbol)
		err = refuse_blacklisted(p, place->symbol, r);
	return finish_event(p, d, place, place->function,
			    !place->function_offset && !place->inlined, suffix, err, &e, out, r);
}

/* Reports whether the error concerns one place, while others of the definition may work. */
static bool is_of_one_place(int err)
{
	return err == -ERANGE || err == -ENOTSUP || err == -ENOENT || err == -EINVAL;
}

static void warn_left_out(struct prober *p, const struct probe_place *place,
			  const struct reason *why)
{
	char *where = xasprintf("%s+%llu", place->function ? place->function : "?",
				(unsigned long long)place->function_offset);

	condition_add(&p->ctx->conditions, CONDITION_WARNING, "probe-place", where, NULL, 1,
		      why->hint, "no probe at %s: %s", where,
		      why->text ? why->text : "it cannot be probed");
	free(where);
}

/* Adds an event for each place. What one of them lacks, others may have. */
int prober_add_places(struct prober *p, const struct probe_definition *d,
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

/* Returns _text of the running kernel, or 0. */
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
		return reason_set(
			r, EINVAL,
			d->point.offset_is_hex
				? "offset 0x%llx is past the end of '%s', which has %llu bytes"
				: "offset %llu is past the end of '%s', which has %llu bytes",
			(unsigned long long)more, f->name, (unsigned long long)f->size);
	if (d->target.kind == PROBE_USER)
		return user_place(p, d,
				  f->file_offset == UINT64_MAX ? UINT64_MAX : f->file_offset + more,
				  !more && !d->point.is_absolute, e, r);
	if (refuse_blacklisted(p, f->name, r))
		return -EINVAL;
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
	int err;

	start_event(p, d, &e);
	err = set_function(p, d, f, &e, r);
	return finish_event(p, d, NULL, f->name, !d->point.offset, suffix, err, &e, out, r);
}

int prober_add_functions(struct prober *p, const struct probe_definition *d,
			 const struct probe_functions *f, struct probe_events *out,
			 struct reason *r)
{
	size_t first = out->list.count, n = 0;
	int err = 0;

	for (size_t i = 0; i < f->list.count; i++)
		n += !probe_function_is_alias(f, i);
	if (n > p->s.max_probes)
		return prober_too_many(p, d, n, r);
	for (size_t i = 0; i < f->list.count && !err; i++)
		if (!probe_function_is_alias(f, i))
			err = add_function(p, d, &f->list.items[i], out->list.count > first, out,
					   r);
	return err;
}

/* Adds the event of an address, which needs no symbols. */
int prober_add_address(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		       struct reason *r)
{
	struct probe_function f = { .name = NULL, .address = d->point.address };
	struct probe_event ev = { NULL };
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
	}
	start_event(p, d, &ev);
	ev.offset = f.address;
	return finish_event(p, d, NULL, NULL, false, false, 0, &ev, out, r);
}
