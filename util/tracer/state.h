/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State by key (a tid, a CPU, an address) for tracepoint handlers, which is not trusted after
 * records were lost.
 *
 *	struct tracer_states threads = { .size = sizeof(struct thread) };
 *	struct thread *th = tracer_state(&threads, tid);	// zeroed at first, and after a loss
 *	tracer_states_lose(&threads);			// from the lost handler
 *	doubtful = tracer_states_lost(&threads);	// this many began again, which the command
 *							says
 *	tracer_states_release(&threads);
 *
 * A loss costs the same however many states there are: a state is reset when it is next asked for.
 * A state that is dropped (tracer_state_drop) when nothing is open in it is never in doubt.
 * Life: a state stays where it is until it is dropped or released.  Not thread-safe.
 */
#ifndef TRACER_STATE_H
#define TRACER_STATE_H

#include "base/hash.h"

struct tracer_entry;
struct tracer_states {
	size_t size;                /* bytes of one; set by the owner */
	void (*clear)(void *state); /* called before a reset or free, for what it owns; or NULL */
	/* used by the functions below */
	struct map64 by_key;
	u64 epoch, lost;
	struct tracer_entry *spare; /* memory of states that were dropped, for new ones */
};

/* Returns the state of this key; a new one is zeroed. */
void *tracer_state(struct tracer_states *s, u64 key);
/* Returns the state, or NULL if it does not exist or was lost. */
void *tracer_state_find(struct tracer_states *s, u64 key);
void tracer_state_drop(struct tracer_states *s, u64 key);
/* Puts all states, or that of one key (a CPU), in doubt after records were lost. */
void tracer_states_lose(struct tracer_states *s);
void tracer_state_lose(struct tracer_states *s, u64 key);
/* States that a loss has reset, or will when they are asked for. */
u64 tracer_states_lost(const struct tracer_states *s);
void tracer_states_release(struct tracer_states *s);

#endif
