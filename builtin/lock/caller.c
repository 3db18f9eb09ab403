// SPDX-License-Identifier: GPL-2.0-or-later
/* From a call chain to the place that wanted the lock. */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "base/bytes.h"
#include "builtin/lock/internal.h"
#include "symbol/runtime.h"

enum { LOCK_CODE = 1, OTHER_CODE = 2 };

/* ---- which functions are lock code ---- */

/*
 * Finds the bounds of the lock code. Spinning locks have their own section; code that sleeps is
 * among the scheduler's functions.
 */
static void find_bounds(struct lock_callers *c)
{
	static const char *const names[2][2] = {
		{ "__lock_text_start", "__lock_text_end" },
		{ "__sched_text_start", "__sched_text_end" },
	};

	c->looked = true;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			c->bounds[i][j] = kernel_symbol_address(c->session, names[i][j]);
}

/*
 * Reports whether a name is that of lock code, for the tracepoints' functions, unknown bounds, and
 * code outside of them.
 */
static bool is_lock_name(const char *name)
{
	/* clang-format off */
	static const char *const starts[] = {
		"__traceiter_contention", "trace_contention", "perf_trace_contention", "__bpf_trace_contention",
		"bpf_prog_", "bpf_trace_run", "bpf_get_stack", "bpf_trampoline_", "trace_call_bpf",
		"mutex_lock", "__mutex_lock", "ww_mutex_lock", "__ww_mutex_lock", "rt_mutex_", "__rt_mutex_",
		"rwsem_down_", "down_read", "down_write", "__down", "down_killable", "down_interruptible",
		"queued_spin_lock", "native_queued_spin", "__pv_queued_spin", "pv_queued_spin",
		"queued_read_lock", "queued_write_lock", "_raw_spin_", "_raw_read_", "_raw_write_",
		"__raw_spin_", "__raw_read_", "__raw_write_", "percpu_down_", "__percpu_down_",
		"percpu_rwsem_wait", "rtlock_slowlock", "rt_spin_lock", "rt_read_lock", "rt_write_lock",
		"__raw_callee_save___", "resilient_queued_spin", "raw_res_spin_lock",
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return !strcmp(name, "down");
}

static bool look(struct lock_callers *c, u64 addr)
{
	struct kernel_function f;

	if (!c->looked)
		find_bounds(c);
	for (int i = 0; i < 2; i++)
		if (addr >= c->bounds[i][0] && addr < c->bounds[i][1])
			return true;
	return kernel_function_at(c->session, addr - 1, NULL, &f) && is_lock_name(f.name);
}

bool lock_is_lock_code(struct lock_callers *c, u64 addr)
{
	bool added;
	u64 *known = map64_put(&c->functions, addr, &added);

	if (added) {
		bool is = look(c, addr);

		known = map64_put(&c->functions, addr, NULL);
		*known = is ? LOCK_CODE : OTHER_CODE;
	}
	return *known == LOCK_CODE;
}

/* ---- chains ---- */

void lock_chain_read(struct lock_callers *c, const struct session_sample *s, struct lock_chain *out)
{
	const struct sample *in = s->sample;
	bool swap = session_events(c->session)->swap,
	     kernel = in->cpumode == PERF_RECORD_MISC_KERNEL;
	u32 seen = 0;

	out->kernel = out->count = 0;
	for (u64 i = 0; i < in->chain_count && seen < c->max_stack; i++) {
		u64 ip = load_u64(in->chain + 8 * i, swap);

		if (ip >= PERF_CONTEXT_MAX) {
			kernel = ip == PERF_CONTEXT_KERNEL;
			continue;
		}
		if (kernel == c->user || (seen++ < c->skip) || (kernel && lock_is_lock_code(c, ip)))
			continue;
		out->ips[out->count++] = ip;
		out->kernel += kernel;
	}
	out->hash = hash_bytes(out->ips, out->count * sizeof(*out->ips)) ^ out->kernel;
}

u64 lock_chain_hash(struct lock_callers *c, const struct session_sample *s)
{
	enum { MOST_CHAINS = 1 << 16 };
	const struct sample *in = s->sample;
	bool kernel = in->cpumode == PERF_RECORD_MISC_KERNEL, added;
	u64 whole = hash_combine(hash_bytes(in->chain, in->chain_count * 8), kernel), *known;
	struct lock_chain chain;

	if (c->chains.count == MOST_CHAINS)
		map64_release(&c->chains);
	known = map64_put(&c->chains, whole, &added);
	if (added) {
		lock_chain_read(c, s, &chain);
		*known = chain.hash;
	}
	return *known;
}

/* ---- names ---- */

void lock_frame_name(struct session *s, const struct task *task, const struct order_key *key,
		     bool kernel, u64 ip, bool is_return, struct strbuf *b)
{
	struct kernel_function f;
	const struct symbol_table *t;
	struct location at;
	u32 n;

	if (kernel) {
		if (kernel_function_at(s, ip - is_return, key, &f))
			strbuf_f(b, ip == f.start ? "%s" : "%s+%#" PRIx64, f.name, ip - f.start);
		return;
	}
	if (!task || !history_locate(session_history(s), task, PERF_RECORD_MISC_USER, ip, key, &at))
		return;
	t = symbols_of(session_symbols(s), at.image);
	n = symbol_find(t, at.offset - is_return);
	if (n != NO_SYMBOL)
		strbuf_f(b, "%s+%#" PRIx64, symbol_get(t, n)->name,
			 at.offset - symbol_get(t, n)->start);
	else
		strbuf_f(b, "[%s+%#" PRIx64 "]", image_get(session_images(s), at.image)->name,
			 at.offset);
}

static bool is_runtime(struct lock_callers *c, const struct task *task, const struct order_key *key,
		       u64 ip, const char *name)
{
	struct location at;

	return task &&
	       history_locate(session_history(c->session), task, PERF_RECORD_MISC_USER, ip, key,
			      &at) &&
	       symbol_is_runtime(image_get(session_images(c->session), at.image)->name, name);
}

void lock_row_name(struct lock_callers *c, struct lock_row *row, const struct lock_chain *chain,
		   const struct task *task, const struct order_key *key)
{
	struct strbuf b = STRBUF_INIT;

	row->frames = xcalloc(chain->count + 1, sizeof(*row->frames));
	row->depth = chain->count;
	for (u32 i = 0; i < chain->count; i++) {
		strbuf_clear(&b);
		lock_frame_name(c->session, task, key, i < chain->kernel, chain->ips[i], true, &b);
		row->frames[i] = (struct lock_frame){
			.ip = chain->ips[i],
			.name = printable_copy(strbuf_cstr(&b)),
			.runtime = i >= chain->kernel &&
				   is_runtime(c, task, key, chain->ips[i], strbuf_cstr(&b)),
		};
		if (!row->name && b.len)
			row->name = printable_copy(b.s);
	}
	if (!row->name)
		row->name = xstrdup("Unknown");
	strbuf_release(&b);
}

void lock_callers_release(struct lock_callers *c)
{
	map64_release(&c->functions);
	map64_release(&c->chains);
	lock_rows_release(&c->places);
}
