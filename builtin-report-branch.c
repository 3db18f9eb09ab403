// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report of branch stacks: each branch a sample, and what kinds of branches there were. */
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "builtin-report.h"

static u8 kernel_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER
		       ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_KERNEL;
}

static u8 user_mode(u8 cpumode)
{
	return kernel_mode(cpumode) == PERF_RECORD_MISC_GUEST_KERNEL ? PERF_RECORD_MISC_GUEST_USER
								     : PERF_RECORD_MISC_USER;
}

void report_find_place(struct report *p, const struct session_sample *s, u64 addr,
		       struct hist_place *out)
{
	struct history *history = session_history(p->session);
	u8 modes[2] = { user_mode(s->sample->cpumode), kernel_mode(s->sample->cpumode) };

	out->addr = addr;
	out->cpumode = modes[(s64)addr < 0];
	history_locate(history, s->task, out->cpumode, addr, &s->key, &out->at);
	if (!out->at.mapping && addr <= UINT32_MAX) { /* a kernel of 32 bits is in that half */
		struct location at;

		if (history_locate(history, s->task, modes[1], addr, &s->key, &at) && at.mapping &&
		    at.mapping->end <= BIT64(32)) {
			out->cpumode = modes[1];
			out->at = at;
		}
	}
}

/* ---- kinds of branches ---- */

/* Source: PERF_BR_* in include/uapi/linux/perf_event.h. */
enum { BRANCH_UNKNOWN, BRANCH_CONDITIONAL };
static const char *const type_names[REPORT_BRANCH_TYPES] = {
	"UNKNOWN", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
	"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "EXTEND_ABI",
};

static bool crosses(u64 from, u64 to, unsigned shift)
{
	return from >> shift != to >> shift;
}

static void count_type(struct report_branch_types *t, const struct sample_branch *b)
{
	unsigned type = b->flags >> 20 & 15;

	if (type == BRANCH_UNKNOWN || !b->from)
		return;
	t->counts[type]++;
	if (type == BRANCH_CONDITIONAL) {
		t->forward += b->to > b->from;
		t->backward += b->to <= b->from;
	}
	if (crosses(b->from, b->to, 21))
		t->cross_2m++;
	else if (crosses(b->from, b->to, 12))
		t->cross_4k++;
}

static void add_share(struct report *p, const char *name, u64 count, u64 total)
{
	if (count)
		out_f(&p->out, "%8s: %5.1f%%\n", name, (double)count * 100.0 / (double)total);
}

static u64 sum_types(const struct report *p, struct report_branch_types *all)
{
	u64 total = 0;

	*all = (struct report_branch_types){ 0 };
	for (unsigned w = 0; w < session_workers(p->session); w++) {
		const struct report_branch_types *t = &p->branch_types[w];

		for (int i = 0; i < REPORT_BRANCH_TYPES; i++) {
			all->counts[i] += t->counts[i];
			total += t->counts[i];
		}
		all->forward += t->forward;
		all->backward += t->backward;
		all->cross_4k += t->cross_4k;
		all->cross_2m += t->cross_2m;
	}
	return total;
}

void report_print_branch_types(struct report *p)
{
	struct report_branch_types all;
	u64 total = sum_types(p, &all);

	if (!total)
		return;
	out_str(&p->out, "\n#\n# Branch Statistics:\n#\n");
	add_share(p, "COND_FWD", all.forward, total);
	add_share(p, "COND_BWD", all.backward, total);
	add_share(p, "CROSS_4K", all.cross_4k, total);
	add_share(p, "CROSS_2M", all.cross_2m, total);
	for (int i = 0; i < REPORT_BRANCH_TYPES; i++)
		add_share(p, type_names[i], all.counts[i], total);
}

void report_json_branch_types(struct report *p)
{
	struct report_branch_types all;

	if (!sum_types(p, &all))
		return;
	out_f(&p->out, ",\n\"branch_types\":{\"COND_FWD\":%" PRIu64 ",\"COND_BWD\":%" PRIu64
	      ",\"CROSS_4K\":%" PRIu64 ",\"CROSS_2M\":%" PRIu64, all.forward, all.backward,
	      all.cross_4k, all.cross_2m);
	for (int i = 0; i < REPORT_BRANCH_TYPES; i++)
		if (all.counts[i])
			out_f(&p->out, ",\"%s\":%" PRIu64, type_names[i], all.counts[i]);
	out_str(&p->out, "}");
}

/* ---- samples ---- */

/* Each branch is a row's sample of its own, at the branch's target. */
void report_add_branches(struct report *p, unsigned worker, const struct session_sample *s)
{
	struct sample copy = *s->sample;

	copy.period = 1;
	for (u64 i = 0; i < s->sample->branch_count; i++) {
		struct sample_branch b = sample_branch(session_events(p->session), s->sample, i);
		struct hist_branch branch = { .flags = b.flags };
		struct hist_sample h = { .sample = &copy, .branch = &branch };

		if (p->set.hide_unresolved && !(b.from && b.to))
			continue;
		report_find_place(p, s, b.from, &branch.from);
		report_find_place(p, s, b.to, &branch.to);
		count_type(&p->branch_types[worker], &b);
		copy.ip = b.to;
		copy.cpumode = branch.to.cpumode;
		copy.weight = MAX(b.flags >> 4 & 0xffff, 1);
		h.leaf = branch.to.at;
		if (p->annotate)
			report_annotate_add_branch(p, worker, &copy, &branch);
		report_add_one(p, worker, s, &h);
	}
}

/* ---- branch history ---- */

void report_push_address(struct report_path *path, u64 addr, bool swap)
{
	u64 marker = (s64)addr < 0 ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

	vec_push(&path->ips, swap ? __builtin_bswap64(marker) : marker);
	vec_push(&path->ips, swap ? __builtin_bswap64(addr) : addr);
}

/*
 * A call that is among the branches is a frame of the chain too: the return address
 * stands behind it, by no more than an instruction's length.
 */
static bool is_call_of(u64 from, u64 return_address)
{
	enum { LONGEST_CALL = 8 };

	return from < return_address && from + LONGEST_CALL >= return_address;
}

static u64 entry_at(const struct event_set *events, const struct sample *s, u64 i)
{
	return load_u64(s->chain + i * 8, events->swap);
}

static u64 skip_markers(const struct event_set *events, const struct sample *s, u64 i)
{
	while (i < s->chain_count && entry_at(events, s, i) >= PERF_CONTEXT_MAX)
		i++;
	return i;
}

/* Entries of the chain that are told already: the sample's own place, calls among the branches. */
static u64 known_entries(const struct event_set *events, const struct sample *s)
{
	u64 known = skip_markers(events, s, 0);

	if (known < s->chain_count && entry_at(events, s, known) == s->ip)
		known++;
	for (u64 i = 0; i < s->branch_count; i++) {
		known = skip_markers(events, s, known);
		if (known < s->chain_count &&
		    is_call_of(sample_branch(events, s, i).from, entry_at(events, s, known)))
			known++;
	}
	return known;
}

/* The marker that holds at an entry of the chain. */
static u64 marker_before(const struct event_set *events, const struct sample *s, u64 entry)
{
	while (entry-- > 0) {
		u64 ip = entry_at(events, s, entry);

		if (ip >= PERF_CONTEXT_MAX)
			return ip;
	}
	return PERF_CONTEXT_USER;
}

void report_add_history(struct report *p, unsigned worker, const struct session_sample *s)
{
	const struct event_set *events = session_events(p->session);
	struct report_path *path = &p->paths[worker];
	struct sample copy = *s->sample;
	struct hist_sample h = { .sample = &copy, .leaf = s->leaf };
	u64 rest = known_entries(events, &copy);

	vec_clear(&path->ips);
	report_push_address(path, copy.ip, events->swap);
	for (u64 i = 0; i < copy.branch_count; i++) {
		struct sample_branch b = sample_branch(events, &copy, i);

		report_push_address(path, b.to, events->swap);
		report_push_address(path, b.from, events->swap);
	}
	if (rest < copy.chain_count) {
		u64 marker = marker_before(events, &copy, rest);

		vec_push(&path->ips, events->swap ? __builtin_bswap64(marker) : marker);
	}
	for (u64 i = rest; i < copy.chain_count; i++) {
		u64 raw;

		memcpy(&raw, copy.chain + i * 8, sizeof(raw));
		vec_push(&path->ips, raw);
	}
	copy.chain = (const u8 *)path->ips.items;
	copy.chain_count = path->ips.count;
	copy.chain_unwound = 0;
	report_add_one(p, worker, s, &h);
}
