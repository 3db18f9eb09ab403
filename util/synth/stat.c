// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the records of perf stat record. Their layouts are in Documentation/perf.data-format. */
#include "synth/internal.h"

enum { CONFIG_AGGREGATION, CONFIG_INTERVAL, CONFIG_SCALE };

void synth_stat_config(struct strbuf *out, u64 aggregation, u64 interval_ms, bool scale)
{
	size_t at = record_begin(out, PERF_RECORD_STAT_CONFIG, 0);
	const u64 words[] = { 3,           CONFIG_AGGREGATION, aggregation, CONFIG_INTERVAL,
			      interval_ms, CONFIG_SCALE,       scale };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		record_u64(out, words[i]);
	record_end(out, at, 0);
}

void synth_stat(struct strbuf *out, u64 id, s32 cpu, u32 thread, const struct live_count *c)
{
	size_t at = record_begin(out, PERF_RECORD_STAT, 0);

	record_u64(out, id);
	record_u32(out, (u32)cpu);
	record_u32(out, thread);
	record_u64(out, c->value);
	record_u64(out, c->enabled);
	record_u64(out, c->running);
	record_end(out, at, 0);
}

void synth_stat_round(struct strbuf *out, bool final, u64 time)
{
	size_t at = record_begin(out, PERF_RECORD_STAT_ROUND, 0);

	record_u64(out, final);
	record_u64(out, time);
	record_end(out, at, 0);
}
