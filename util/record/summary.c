// SPDX-License-Identifier: GPL-2.0-or-later
/* The closing lines of a recording, as text. */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "record/command.h"

/* Adds the counters that lost records, with -v. */
static void add_losses(const struct recorder *rec, struct strbuf *out)
{
	vec_for_each(&rec->losses, l) {
		strbuf_f(out, "%12llu lost  %s", (unsigned long long)l->lost, l->event->name);
		if (l->cpu >= 0)
			strbuf_f(out, "  CPU %d", l->cpu);
		if (l->thread >= 0 && live_thread_count(rec->live) > 1)
			strbuf_f(out, "  thread %d", (int)l->thread);
		strbuf_char(out, '\n');
	}
}

void record_summary_lost(struct recorder *rec, struct strbuf *out)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;
	struct loss_facts f;

	record_loss_facts(rec, &f);
	if (!f.lost)
		return;
	record_explain_loss(&f, &cause, &remedy);
	condition_add(&rec->ctx->conditions, CONDITION_WARNING, "record-lost", NULL, NULL, 1,
		      remedy.s, "%llu samples and other records were lost: %s",
		      (unsigned long long)f.lost, cause.s);
	if (rec->ctx->verbose > 0)
		add_losses(rec, out);
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

void record_summary_captured(const struct recorder *rec, u64 bytes, u64 taken, const char *name,
			     struct strbuf *out)
{
	strbuf_f(out, "[ perf record: Captured and wrote %.3f MB ", (double)bytes / 1024 / 1024);
	strbuf_printable(out, name);
	if (rec->counts.samples)
		strbuf_f(out, " (%llu samples)", (unsigned long long)rec->counts.samples);
	if (rec->counts.own && rec->ctx->verbose > 0)
		strbuf_f(out, ", %llu samples of perf itself left out",
			 (unsigned long long)rec->counts.own);
	if (rec->settings->compress_level && bytes)
		strbuf_f(out, ", compressed (original %.3f MB, ratio is %.3f)",
			 (double)taken / 1024 / 1024, (double)taken / (double)bytes);
	strbuf_str(out, " ]\n");
}

void record_summary_stacks(const struct recorder *rec, struct strbuf *out)
{
	const u64 *ends;
	u64 all = 0, early;

	if (!rec->stacks)
		return;
	ends = record_stacks_ends(rec->stacks);
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		all += ends[i];
	early = all - ends[UNWIND_ROOT] - ends[UNWIND_LIMIT];
	strbuf_f(out, "[ perf record: Unwound %llu user stacks", (unsigned long long)all);
	if (early)
		strbuf_f(out, ", %llu of them not to their root%s", (unsigned long long)early,
			 rec->ctx->verbose ? "" : " (-v says why)");
	if (record_stacks_spilled(rec->stacks))
		strbuf_f(out, ", after %.1f MB had to wait on disk",
			 (double)record_stacks_spilled(rec->stacks) / 1024 / 1024);
	if (rec->ctx->verbose > 0)
		strbuf_f(out, ", %.1f MB read in the rings, priority raised %llu time%s",
			 (double)record_stacks_uncopied(rec->stacks) / 1024 / 1024,
			 (unsigned long long)record_stacks_hurries(rec->stacks),
			 record_stacks_hurries(rec->stacks) == 1 ? "" : "s");
	strbuf_f(out, " ]\n");
	if (rec->ctx->verbose > 0)
		record_stacks_cut_text(rec->stacks, out);
}
