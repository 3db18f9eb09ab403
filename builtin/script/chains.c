// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains as text.
 *
 * The text of a chain that was printed recently is copied whole: a small cache, keyed by the
 * recorded addresses, the address spaces they were seen in and the style of line. Its slot first
 * only notes the key; the text is kept when the chain comes again, so chains that never repeat cost
 * one hash and a look at the tags of a set, which are one line of the processor's cache. Where
 * hardly any of them repeats soon, most are rendered without a look.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "builtin/script/internal.h"

enum {
	WAYS = 8, /* slots of a set */
	SETS = 1024,
	MOST_BYTES = 16 << 20, /* the most text that is kept, all slots together */
	/*
	 * chains: of so many that were looked for, one in RARE was found at least, or as many as
	 * are SKIPPED are not
	 */
	ROUND = 4096,
	RARE = 8,
	SKIPPED = 16 * ROUND,
};

struct script_chain {
	struct hash128 key;
	struct strbuf text; /* empty: seen once */
};

struct script_chains {
	struct chain_set {
		/* key.b of its slots; 0: none yet, or by chance one that is not found here */
		u64 tags[WAYS];
	} sets[SETS];
	u8 next[SETS]; /* the way that is used again next */
	struct script_chain slots[SETS][WAYS];
	size_t bytes;
	u32 looked, found; /* of this round */
	u32 skip;          /* so many are not looked for */
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
		.ips = sample->chain,
		.count = sample->chain_count,
		.unwound = sample->chain_unwound,
		.swap = s->set->swap,
		.max = s->o->max_stack,
	};
	const frame_id *frames =
		chain_frames(s->chains, ss->task, sample->cpumode, &recorded, &ss->key, &count);

	script_add_frames(s, lines, frames, count, b);
}

/* Returns a chain, or NULL if it is not there. */
static inline struct script_chain *find_chain(struct script_chains *c, const struct hash128 *key)
{
	size_t set = key->a % SETS;

	for (unsigned way = 0; way < WAYS; way++) {
		struct script_chain *slot = &c->slots[set][way];

		if (c->sets[set].tags[way] == key->b && slot->key.a == key->a &&
		    slot->key.b == key->b)
			return slot;
	}
	return NULL;
}

/* Notes a chain instead of the one that was noted first in its set. */
static void note_chain(struct script_chains *c, const struct hash128 *key)
{
	size_t set = key->a % SETS, way = c->next[set]++ % WAYS;
	struct script_chain *slot = &c->slots[set][way];

	c->sets[set].tags[way] = key->b;
	slot->key = *key;
	c->bytes -= slot->text.len;
	strbuf_clear(&slot->text);
}

/* Reports whether looking up the next chain is worthwhile. */
static inline bool is_worth_it(struct script_chains *c)
{
	if (unlikely(c->skip)) {
		c->skip--;
		return false;
	}
	if (unlikely(++c->looked == ROUND)) {
		c->skip = c->found * RARE < ROUND ? SKIPPED : 0;
		c->looked = c->found = 0;
	}
	return true;
}

void script_add_chain(struct script *s, const struct session_sample *ss, struct line_table *lines,
		      struct strbuf *b)
{
	struct script_chain *slot;
	struct hash128 key;
	size_t start = b->len;

	if (!s->recent)
		s->recent = xcalloc_apart(1, sizeof(*s->recent));
	if (!is_worth_it(s->recent)) {
		render(s, ss, lines, b);
		return;
	}
	key = key_of(s, ss, lines);
	slot = find_chain(s->recent, &key);
	if (!slot) {
		note_chain(s->recent, &key);
		render(s, ss, lines, b);
		return;
	}
	s->recent->found++;
	if (slot->text.len) {
		strbuf_add(b, slot->text.s, slot->text.len);
		return;
	}
	render(s, ss, lines, b);
	if (s->recent->bytes + b->len - start > MOST_BYTES)
		return;
	strbuf_add(&slot->text, b->s + start, b->len - start);
	s->recent->bytes += slot->text.len;
}

void script_chains_release(struct script *s)
{
	if (!s->recent)
		return;
	for (size_t i = 0; i < SETS * WAYS; i++)
		strbuf_release(&s->recent->slots[i / WAYS][i % WAYS].text);
	free(s->recent);
}
