// SPDX-License-Identifier: GPL-2.0-or-later
/* "%sdt_shop:buy arg2:string": types and names for arguments of an SDT marker. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/internal.h"
#include "probe/sdt.h"

static bool is_text(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "ustring");
}

/* Bits that are read for "s32", "char", "b3@2/8"; 0: as many as there are. */
static unsigned type_bits(const char *type)
{
	unsigned bits = 0;

	if (!strcmp(type, "char"))
		return 8;
	if (!strcmp(type, "symbol") || !strcmp(type, "symstr"))
		return 64;
	if (sscanf(type, "b%*u@%*u/%u", &bits) == 1 || sscanf(type, "%*1[usx]%u", &bits) == 1)
		return bits;
	return 0;
}

/* The marker's own arguments, before any was changed. */
struct marker {
	const struct probe_event *e; /* for its name */
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

/* "+8(+16(arg1))": what is read in memory, from the innermost step on. */
static int follow(const struct probe_argument *given, struct strbuf *fetch, struct reason *r)
{
	vec_for_each(&given->steps, step) {
		struct strbuf outer = STRBUF_INIT;

		if (step->kind != PROBE_DEREFERENCE) {
			strbuf_release(&outer);
			return reason_set(
				r, EINVAL,
				"'%s': the members of a marker's argument are not known; +8(%s) reads memory at it",
				given->text, given->base_name);
		}
		strbuf_f(&outer, "%s%+lld(%s)", step->user ? "+u" : "", (long long)step->first,
			 strbuf_cstr(fetch));
		strbuf_release(fetch);
		*fetch = outer;
	}
	return 0;
}

/* The kernel reads as many bytes as the type has, of which the marker may promise fewer. */
static int check_width(const struct probe_event *e, const struct probe_event_argument *a,
		       const char *type, bool is_address, struct reason *r)
{
	enum { ADDRESS_BITS = 32 }; /* or 64, by the program */

	unsigned promised = type_bits(a->type), asked = is_address ? ADDRESS_BITS : type_bits(type);

	if (a->type[0] == 'b')
		return reason_set(
			r, EINVAL,
			"%s of marker %s:%s is a part of a register, which has no other type",
			a->name, e->group, e->event);
	if (asked > promised)
		return reason_set(r, EINVAL, "%s of marker %s:%s has %u bits, too few for %s",
				  a->name, e->group, e->event, promised,
				  is_address ? "an address" : type);
	return 0;
}

/* "x" keeps the size that the marker says. */
static char *whole_type(const struct probe_event_argument *a, const struct probe_argument *given)
{
	struct strbuf type = STRBUF_INIT;

	if (!given->type[1])
		strbuf_f(&type, "%c%u", given->type[0],
			 given->steps.count ? 64 : type_bits(a->type));
	else
		strbuf_str(&type, given->type);
	if (given->array)
		strbuf_f(&type, "[%u]", given->array);
	return strbuf_detach(&type);
}

/* Makes the argument that was asked for of the marker's own. */
static int make(const struct marker *m, const struct probe_event_argument *own,
		const struct probe_argument *given, struct probe_event_argument *out,
		struct reason *r)
{
	bool in_memory = given->steps.count, text = given->type && is_text(given->type);
	struct strbuf fetch = STRBUF_INIT;
	int err = 0;

	if (given->type || in_memory)
		err = check_width(m->e, own, given->type, text || in_memory, r);
	strbuf_str(&fetch, own->fetch);
	if (!err)
		err = follow(given, &fetch, r);
	if (!err) {
		out->name = xstrdup(given->name ? given->name : own->name);
		/* a value that is a text is its address */
		out->fetch = text && !in_memory ? xasprintf("+0(%s)", fetch.s) : xstrdup(fetch.s);
		out->type = given->type ? whole_type(own, given)
					: xstrdup(in_memory ? "x64" : own->type);
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

/* Asked for once, it takes the place of the marker's own; more often, it is added. */
static int set_argument(const struct marker *m, struct probe_event *e, bool *replaced,
			const struct probe_argument *given, struct reason *r)
{
	const struct probe_event_argument *own =
		given->base == PROBE_VARIABLE ? find_argument(m, given->base_name) : NULL;
	struct probe_event_argument made = { NULL };
	size_t i;
	int err;

	if (!own)
		return no_argument(m, given, r);
	i = (size_t)(own - m->own);
	if (replaced[i] && !given->name)
		return reason_set(r, EINVAL, "%s is asked for twice: name the second one, NAME=%s",
				  own->name, given->text);
	err = make(m, own, given, &made, r);
	if (err)
		return err;
	if (replaced[i]) {
		vec_push(&e->arguments, made);
	} else {
		release(&e->arguments.items[i]);
		e->arguments.items[i] = made;
	}
	replaced[i] = true;
	return 0;
}

int marker_set_arguments(struct probe_event *e, const struct probe_definition *d, struct reason *r)
{
	size_t count = e->arguments.count;
	struct probe_event_argument *own = xcalloc(count + 1, sizeof(*own));
	const struct marker m = { e, own, count };
	bool *replaced = xcalloc(count + 1, sizeof(*replaced));
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		const struct probe_event_argument *a = &e->arguments.items[i];

		own[i] = (struct probe_event_argument){ .name = xstrdup(a->name),
							.fetch = xstrdup(a->fetch),
							.type = xstrdup(a->type) };
	}
	vec_for_each(&d->arguments, given)
		if (!err)
			err = set_argument(&m, e, replaced, given, r);
	for (size_t i = 0; i < count; i++)
		release(&own[i]);
	free(own);
	free(replaced);
	return err;
}
