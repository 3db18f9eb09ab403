// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a sample whose user stack was unwound as if the kernel had done it: kernel part,
 * PERF_CONTEXT_USER, ip, call sites.
 */
#include "base/bytes.h"
#include "rewrite/rewrite.h"

enum { MOST = UINT16_MAX & ~7 }; /* bytes of a record */

bool rewrite_has_stack(const struct perf_event_attr *attr)
{
	const u64 both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (attr->sample_type & both) == both;
}

/*
 * Leaves exclude_callchain_user set: the kernel added no user frames, so those in the chains were
 * unwound later.  Readers ignore the flag, except ours, which does not judge such chains.
 */
void rewrite_chain_attr(struct perf_event_attr *attr)
{
	if (!rewrite_has_stack(attr))
		return;
	attr->sample_type &= ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
}

static u64 in_order(u64 v, bool swap)
{
	return load_u64(&v, swap);
}

void rewrite_chain(const struct event_set *set, const struct record *rec, const struct sample *s,
		   struct strbuf *out)
{
	size_t start = out->len, rest, room;
	struct sample_parts p;
	u64 count = s->chain_count, n;
	u16 size;

	sample_find_parts(set, rec, s, &p);
	rest = (p.user - p.chain_end) + (rec->size - p.user_end);
	room = (MOST - p.chain - 8 - rest) / 8;
	count = MIN(count, room);
	n = in_order(count, set->swap);
	strbuf_add(out, rec->data, p.chain);
	strbuf_add(out, &n, 8);
	strbuf_add(out, s->chain, count * 8);
	strbuf_add(out, rec->data + p.chain_end, p.user - p.chain_end);
	strbuf_add(out, rec->data + p.user_end, rec->size - p.user_end);
	size = (u16)(out->len - start);
	size = load_u16(&size, set->swap);
	memcpy(out->s + start + 6, &size, sizeof(size));
}
