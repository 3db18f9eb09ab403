// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains as text.
 *
 * The text of a chain that was printed recently is copied whole: a small direct-mapped cache,
 * keyed by the recorded addresses, the address spaces they were seen in and the
 * style of line.  Its slot first only notes the key; the text is kept when the
 * chain comes again, so chains that never repeat cost one hash.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "script/internal.h"

enum {
	SLOTS = 8192,
	MOST_BYTES = 16 << 20, /* the most text that is kept, all slots together */
};

struct script_chain {
	struct hash128 key;
	struct strbuf text; /* empty: seen once */
};

static struct hash128 key_of(struct script *s, const struct session_sample *ss,
			     const struct line_table *lines)
{
	const struct sample *sample = ss->sample;
	u64 user = history_space(s->history, ss->task, &ss->key);
	u64 kernel = history_kernel_space(s->history, ss->task->machine, &ss->key);

	return hash128_bytes(sample->chain, sample->chain_count * 8,
			     hash_combine(hash_combine(user << 32 | kernel, (uintptr_t)lines),
					  (u64)ss->task->machine << 32 ^ sample->chain_unwound));
}

static void render(struct script *s, const struct session_sample *ss, struct line_table *lines,
		   struct strbuf *b)
{
	const struct sample *sample = ss->sample;
	size_t count;
	const struct recorded_chain recorded = {
		.ips = sample->chain, .count = sample->chain_count,
		.unwound = sample->chain_unwound, .swap = s->set->swap, .max = s->o->max_stack,
	};
	const frame_id *frames = chain_frames(s->chains, ss->task, sample->cpumode, &recorded,
					      &ss->key, &count);

	script_add_frames(s, lines, frames, count, b);
}

void script_add_chain(struct script *s, const struct session_sample *ss,
		      struct line_table *lines, struct strbuf *b)
{
	struct hash128 key = key_of(s, ss, lines);
	struct script_chain *slot;
	size_t start = b->len;

	if (!s->recent)
		s->recent = xcalloc(SLOTS, sizeof(*s->recent));
	slot = &s->recent[key.a & (SLOTS - 1)];
	if (slot->key.a != key.a || slot->key.b != key.b) {
		slot->key = key;
		s->recent_bytes -= slot->text.len;
		strbuf_clear(&slot->text);
		render(s, ss, lines, b);
		return;
	}
	if (slot->text.len) {
		strbuf_add(b, slot->text.s, slot->text.len);
		return;
	}
	render(s, ss, lines, b);
	if (s->recent_bytes + b->len - start > MOST_BYTES)
		return;
	strbuf_add(&slot->text, b->s + start, b->len - start);
	s->recent_bytes += slot->text.len;
}

void script_chains_release(struct script *s)
{
	for (size_t i = 0; s->recent && i < SLOTS; i++)
		strbuf_release(&s->recent[i].text);
	free(s->recent);
}
