// SPDX-License-Identifier: GPL-2.0-or-later
/* "%sdt_shop:buy arg2:string": types and names for arguments of an SDT marker. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/elf.h"
#include "probe/internal.h"
#include "probe/sdt.h"

static bool is_text(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "ustring");
}

static bool is_kernel_type(const char *type)
{
	return !strcmp(type, "symbol") || !strcmp(type, "symstr") || type[0] == '%';
}

/* Returns how many bits are read for "s32", "char", "b3@2/8", or 0 for as many as there are. */
static unsigned type_bits(const char *type)
{
	unsigned bits = 0;

	if (!strcmp(type, "char"))
		return 8;
	if (sscanf(type, "b%*u@%*u/%u", &bits) == 1 || sscanf(type, "%*1[usx]%u", &bits) == 1)
		return bits;
	return 0;
}

/* The marker's own arguments, before any was changed. */
struct marker {
	const struct probe_event *e; /* for its name */
	const struct elf *elf;
	unsigned address_bits;
	const struct probe_event_argument *own;
	size_t count;
};

static const struct probe_event_argument *find_argument(const struct marker *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->own[i].name, name))
			return &m->own[i];
	return NULL;
}

static int no_argument(const struct marker *m, const struct probe_argument *given, struct reason *r)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < m->count; i++)
		strbuf_f(&names, "%s%s", i ? ", " : "", m->own[i].name);
	reason_set(r, ENOENT, "marker %s:%s has no argument '%s' that a probe can fetch",
		   m->e->group, m->e->event, given->text);
	if (names.len)
		reason_hint(r, "its arguments: %s", names.s);
	strbuf_release(&names);
	return -ENOENT;
}

/* Refuses a step: a marker says nothing about what its arguments point to. */
static int refuse_step(const struct probe_argument *given, const struct probe_step *step,
		       struct reason *r)
{
	bool is_member = step->kind == PROBE_MEMBER || step->kind == PROBE_ARROW;

	reason_set(r, EINVAL, "'%s': the %s of a marker's argument are not known", given->text,
		   is_member ? "members" : "elements");
	reason_hint(r,
		    is_member ? "+8(%s):u32 reads memory 8 bytes after the address in %s"
			      : "+0(%s):u32[4] reads an array at the address in %s",
		    given->base_name, given->base_name);
	return -EINVAL;
}

/* Adds "+8(+16(arg1))": what is read in memory, from the innermost step on. */
static int follow(const struct probe_argument *given, struct strbuf *fetch, struct reason *r)
{
	vec_for_each(&given->steps, step) {
		struct strbuf outer = STRBUF_INIT;

		if (step->kind != PROBE_DEREFERENCE) {
			strbuf_release(&outer);
			return refuse_step(given, step, r);
		}
		strbuf_f(&outer, "%s%+lld(%s)", step->user ? "+u" : "", (long long)step->first,
			 strbuf_cstr(fetch));
		strbuf_release(fetch);
		*fetch = outer;
	}
	return 0;
}

/* Returns whether a constant is an address in a program that always gets the same ones. */
static bool is_fixed_address(const struct elf *elf, const char *fetch)
{
	u64 address = strtoull(fetch + 1, NULL, 10);

	if (elf_type(elf) != ET_EXEC)
		return false;
	for (u32 i = 0; i < elf_segment_count(elf); i++) {
		const struct elf_segment *s = elf_segment_at(elf, i);

		if (s->type == PT_LOAD && address >= s->vaddr &&
		    address - s->vaddr < s->memory_size)
			return true;
	}
	return false;
}

/*
 * Checks that the type is not wider than what the marker promises, since the kernel reads as many
 * bytes as the type has.
 */
static int check_width(const struct marker *m, const struct probe_event_argument *a,
		       const struct probe_argument *given, bool is_address, struct reason *r)
{
	const struct probe_event *e = m->e;
	unsigned promised = type_bits(a->type), asked = m->address_bits;
	const char *what = "an address";

	if (!is_address) {
		asked = type_bits(given->type) * MAX(given->array, 1U);
		what = given->type;
	}
	if (a->type[0] == 'b')
		return reason_set(
			r, EINVAL,
			"%s of marker %s:%s is a part of a register, which has no other type",
			a->name, e->group, e->event);
	if (is_address && a->fetch[0] == '\\' && !is_fixed_address(m->elf, a->fetch))
		return reason_set(r, EINVAL,
				  "%s of marker %s:%s is the constant %s, not an address", a->name,
				  e->group, e->event, a->fetch + 1);
	if (asked <= promised)
		return 0;
	if (given->array && !is_address)
		return reason_set(r, EINVAL, "%s of marker %s:%s has %u bits, too few for %s[%u]",
				  a->name, e->group, e->event, promised, what, given->array);
	return reason_set(r, EINVAL, "%s of marker %s:%s has %u bits, too few for %s", a->name,
			  e->group, e->event, promised, what);
}

/* Checks the type that was given for a value of the marker, or for the memory at its address. */
static int check_type(const struct marker *m, const struct probe_event_argument *own,
		      const struct probe_argument *given, bool is_address, struct reason *r)
{
	if (given->type && is_kernel_type(given->type))
		return reason_set(r, EINVAL, "type '%s' is for kernel probes only", given->type);
	if (given->array && !is_address && !strchr("+-@", own->fetch[0])) {
		probe_refuse_array(given, r);
		reason_hint(r, "+0(%s):%s[%u] reads an array at the address in %s", given->text,
			    given->type, given->array, given->text);
		return -EINVAL;
	}
	return given->type || is_address ? check_width(m, own, given, is_address, r) : 0;
}

/*
 * Returns the type with its size, which the caller frees. "x" keeps the size that the marker gives.
 */
static char *whole_type(const struct marker *m, const struct probe_event_argument *a,
			const struct probe_argument *given)
{
	struct strbuf type = STRBUF_INIT;

	if (!given->type[1])
		strbuf_f(&type, "%c%u", given->type[0],
			 given->steps.count ? m->address_bits : type_bits(a->type));
	else
		strbuf_str(&type, given->type);
	if (given->array)
		strbuf_f(&type, "[%u]", given->array);
	return strbuf_detach(&type);
}

/* Makes the requested argument of the marker's own. */
static int make(const struct marker *m, const struct probe_event_argument *own,
		const struct probe_argument *given, struct probe_event_argument *out,
		struct reason *r)
{
	bool in_memory = given->steps.count, text = given->type && is_text(given->type);
	struct strbuf fetch = STRBUF_INIT;
	int err = check_type(m, own, given, text || in_memory, r);

	strbuf_str(&fetch, own->fetch);
	if (!err)
		err = follow(given, &fetch, r);
	if (!err) {
		out->name = xstrdup(given->name ? given->name : own->name);
		/* a value that is a text is its address */
		out->fetch = text && !in_memory ? xasprintf("+0(%s)", fetch.s) : xstrdup(fetch.s);
		out->type = given->type ? whole_type(m, own, given)
			    : in_memory ? xasprintf("x%u", m->address_bits)
					: xstrdup(own->type);
	}
	strbuf_release(&fetch);
	return err;
}

static void release(struct probe_event_argument *a)
{
	free(a->name);
	free(a->fetch);
	free(a->type);
}

/*
 * Sets one argument that was given.  The first one made from an argument of the marker replaces
 * it; more of them are added.  from says which arguments of the event were given.
 */
static int set_argument(const struct marker *m, struct probe_event *e,
			const struct probe_argument **from, const struct probe_argument *given,
			struct reason *r)
{
	const struct probe_event_argument *own =
		given->base == PROBE_VARIABLE ? find_argument(m, given->base_name) : NULL;
	struct probe_event_argument made = { NULL };
	size_t i;
	int err;

	if (!own)
		return no_argument(m, given, r);
	i = (size_t)(own - m->own);
	if (from[i] && !given->name)
		return reason_set(r, EINVAL, "%s is asked for twice: name the second one, NAME=%s",
				  own->name, given->text);
	err = make(m, own, given, &made, r);
	if (err)
		return err;
	if (from[i]) {
		i = e->arguments.count;
		vec_push(&e->arguments, made);
	} else {
		release(&e->arguments.items[i]);
		e->arguments.items[i] = made;
	}
	from[i] = given;
	return 0;
}

/* Adds "n=arg1:x" as it was given, or "the marker's own arg1". */
static void put_origin(struct strbuf *b, const char *name, const struct probe_argument *given)
{
	if (!given)
		strbuf_f(b, "the marker's own %s", name);
	else
		strbuf_f(b, "'%s%s%s%s%s'", given->name ? given->name : "", given->name ? "=" : "",
			 given->text, given->type ? ":" : "", given->type ? given->type : "");
}

static int refuse_name(const struct probe_event *e, const char *name,
		       const struct probe_argument *first, const struct probe_argument *second,
		       struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	put_origin(&b, name, first);
	strbuf_str(&b, " and ");
	put_origin(&b, name, second);
	reason_set(r, EINVAL, "two arguments of marker %s:%s have the name '%s': %s", e->group,
		   e->event, name, b.s);
	strbuf_release(&b);
	return -EINVAL;
}

/* Refuses two fields with one name, as the kernel does. */
static int check_names(const struct probe_event *e, const struct probe_argument *const *from,
		       struct reason *r)
{
	for (size_t i = 1; i < e->arguments.count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(e->arguments.items[i].name, e->arguments.items[j].name))
				return refuse_name(e, e->arguments.items[i].name, from[j], from[i],
						   r);
	return 0;
}

int marker_set_arguments(const struct elf *elf, struct probe_event *e,
			 const struct probe_definition *d, struct reason *r)
{
	size_t count = e->arguments.count;
	struct probe_event_argument *own = xcalloc(count + 1, sizeof(*own));
	const struct marker m = { e, elf, elf_is_64(elf) ? 64 : 32, own, count };
	const struct probe_argument **from = xcalloc(count + d->arguments.count + 1, sizeof(*from));
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		const struct probe_event_argument *a = &e->arguments.items[i];

		own[i] = (struct probe_event_argument){ .name = xstrdup(a->name),
							.fetch = xstrdup(a->fetch),
							.type = xstrdup(a->type) };
	}
	vec_for_each(&d->arguments, given)
		if (!err)
			err = set_argument(&m, e, from, given, r);
	if (!err)
		err = check_names(e, from, r);
	for (size_t i = 0; i < count; i++)
		release(&own[i]);
	free(own);
	free(from);
	return err;
}
