// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of events that the file does not name (a killed recorder, a stream):
 * from the numbers in the attr, as perf makes them up.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/guard.h"
#include "base/text.h"
#include "data/feature.h" /* data_feature() of the reader */
#include "event/parse.h"
#include "tracepoint/tracepoint.h"

const struct tracepoint_formats *data_tracepoints(struct data_reader *d, struct reason *r)
{
	size_t size;
	const void *data = data_feature(d, FEATURE_TRACING_DATA, &size);
	struct tracepoint_formats *f;

	if (d->tracepoints)
		return d->tracepoints;
	if (!data) {
		reason_set(r, ENOENT, "'%s' holds no tracepoint formats", d->path);
		return NULL;
	}
	f = tracepoint_formats_new(d->big_endian, data_arch(d)->bits / 8);
	if (tracepoint_formats_load(f, data, size, r)) {
		tracepoint_formats_free(f);
		return NULL;
	}
	vec_for_each(&d->events.list, ev)
		if (event_is_tracepoint(*ev))
			(*ev)->format = tracepoint_by_id(f, (u32)(*ev)->attr.config);
	d->tracepoints = f;
	return f;
}

/*
 * Adds the modifiers that say what is counted: "k", "u", "h" when one of them is left out, a "p"
 * per level of precision, and H, G when the guest is treated other than by default.
 */
static void add_modifiers(struct strbuf *b, u64 flags)
{
	static const struct {
		u64 excluded;
		char letter;
	} spaces[] = { { ATTR_EXCLUDE_KERNEL, 'k' },
		       { ATTR_EXCLUDE_USER, 'u' },
		       { ATTR_EXCLUDE_HV, 'h' } };
	unsigned precise = (flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT;
	bool guest_out = false,
	     any = flags & (ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV);
	size_t colon = b->len;

	strbuf_char(b, ':');
	for (size_t i = 0; any && i < ARRAY_SIZE(spaces); i++)
		if (!(flags & spaces[i].excluded))
			strbuf_char(b, spaces[i].letter);
	guest_out = any || precise;
	strbuf_pad(b, 'p', (int)precise);
	if ((flags & ATTR_EXCLUDE_HOST) || !!(flags & ATTR_EXCLUDE_GUEST) == guest_out) {
		if (!(flags & ATTR_EXCLUDE_HOST))
			strbuf_char(b, 'H');
		if (!(flags & ATTR_EXCLUDE_GUEST))
			strbuf_char(b, 'G');
	}
	if (b->len == colon + 1)
		strbuf_truncate(b, colon);
}

static void breakpoint_name(struct strbuf *b, const struct perf_event_attr *attr)
{
	strbuf_f(b, "mem:0x%" PRIx64 ":%s%s%s", attr->config1,
		 attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
		 attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
		 attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

static void tracepoint_name(struct data_reader *d, struct strbuf *b, u64 id)
{
	const struct tracepoint_formats *f = data_tracepoints(d, NULL);
	const struct tracepoint_format *t = f ? tracepoint_by_id(f, (u32)id) : NULL;

	if (t)
		strbuf_f(b, "%s:%s", t->system, t->name);
	else
		strbuf_str(b, "unknown tracepoint");
}

static char *made_up_name(struct data_reader *d, const struct perf_event_attr *attr)
{
	struct strbuf b = STRBUF_INIT;
	char buf[128];
	const char *name = event_static_name(attr->type, attr->config, buf, sizeof(buf));

	if (attr->type == PERF_TYPE_TRACEPOINT) {
		tracepoint_name(d, &b, attr->config);
		strbuf_printable_names(&b, 0);
		return strbuf_detach(&b);
	}
	if (attr->type == PERF_TYPE_BREAKPOINT)
		breakpoint_name(&b, attr);
	else if (name)
		strbuf_str(&b, name);
	else
		strbuf_f(&b, "unknown attr type: %u", attr->type);
	add_modifiers(&b, attr->flags);
	return strbuf_detach(&b);
}

void names_make_up(struct data_reader *d)
{
	vec_for_each(&d->events.list, e)
		if (!(*e)->name)
			(*e)->name = made_up_name(d, &(*e)->attr);
}
