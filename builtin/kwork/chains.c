// SPDX-License-Identifier: GPL-2.0-or-later
/* The code that started a piece of work: " asm_sysvec <- do_idle <- ...", leaf first. */
#include <string.h>

#include "builtin/kwork/internal.h"
#include "chain/chain.h"

/* Reports whether this is one of the kernel's dispatchers of softirqs, which top each chain. */
static bool is_dispatcher(const char *name)
{
	return !strcmp(name, "handle_softirqs") || !strcmp(name, "__do_softirq") ||
	       !strcmp(name, "__softirqentry_text_start");
}

static const char *name_of(struct works *w, const struct frame *f)
{
	const struct symbol_table *t;
	u32 n;

	if (!f->image)
		return NULL;
	t = symbols_of(session_symbols(w->session), f->image);
	n = symbol_find(t, f->is_return && f->offset ? f->offset - 1 : f->offset);
	return n == NO_SYMBOL ? NULL : symbol_get(t, n)->name;
}

char *kwork_chain_text(struct works *w, const struct session_sample *s)
{
	const struct sample *sample = s->sample;
	struct strbuf b = STRBUF_INIT;
	size_t count = 0;
	unsigned shown = 0;
	const struct recorded_chain recorded = {
		.ips = sample->chain,
		.count = sample->chain_count,
		.unwound = sample->chain_unwound,
		.swap = session_events(w->session)->swap,
	};
	const frame_id *frames;

	if (!sample->chain_count)
		return NULL;
	frames = chain_frames(w->chains, s->task, sample->cpumode, &recorded, &s->key, &count);
	for (size_t i = 0; i < count && shown < w->k->max_stack; i++) {
		const char *name = name_of(w, chain_frame(w->chains, frames[i]));

		if (name && is_dispatcher(name))
			continue;
		strbuf_str(&b, shown++ ? " <- " : " ");
		strbuf_printable(&b, name ? name : "[unknown]");
	}
	return b.len ? strbuf_detach(&b) : NULL;
}
