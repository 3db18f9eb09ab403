// SPDX-License-Identifier: GPL-2.0-or-later
/* The text that -D gives perf's own records (type 64 and up). */
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "dump/internal.h"

/* A record; its body reads as zero outside of it. */
struct body {
	const struct record *rec;
	bool swap;
};

static u64 body_u64(const struct body *r, u32 at)
{
	return at + 8 <= r->rec->size ? load_u64(r->rec->data + at, r->swap) : 0;
}

static u32 body_u32(const struct body *r, u32 at)
{
	return at + 4 <= r->rec->size ? load_u32(r->rec->data + at, r->swap) : 0;
}

static u16 body_u16(const struct body *r, u32 at)
{
	return at + 2 <= r->rec->size ? load_u16(r->rec->data + at, r->swap) : 0;
}

static void id_index(const struct body *r, struct strbuf *b)
{
	u64 count = body_u64(r, 8);

	strbuf_f(b, " nr: %" PRIu64 "\n", count);
	for (u64 i = 0; i < count && 16 + (i + 1) * 32 <= r->rec->size; i++) {
		u32 at = 16 + (u32)i * 32;

		strbuf_f(b,
			 " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64,
			 body_u64(r, at), body_u64(r, at + 8), (s64)body_u64(r, at + 16),
			 (s64)body_u64(r, at + 24));
		if (count <= (r->rec->size - 16u) / 48) /* it came from guests */
			strbuf_f(b, "  machine_pid: %" PRId64 "  vcpu: %" PRId64,
				 (s64)body_u64(r, 16 + (u32)count * 32 + (u32)i * 16),
				 (s64)body_u64(r, 24 + (u32)count * 32 + (u32)i * 16));
		strbuf_char(b, '\n');
	}
}

static void thread_map(const struct body *r, struct strbuf *b)
{
	u64 count = body_u64(r, 8);

	strbuf_f(b, " nr: %" PRIu64 " thread%s", count, count > 1 ? "s: " : ": ");
	for (u64 i = 0; i < count && 16 + (i + 1) * 24 <= r->rec->size; i++)
		strbuf_f(b, "%s%d", i ? ", " : "", (int)body_u64(r, 16 + (u32)i * 24));
	strbuf_char(b, '\n');
}

/*
 * Appends CPUs, which come as a list of numbers, a bit mask of words of 4 or 8 bytes, or a range.
 */
static void cpu_map(const struct body *r, struct strbuf *b)
{
	enum { LIST, MASK, RANGE };
	VEC(u32) cpus = VEC_INIT;
	u32 type = body_u16(r, 8), count = body_u16(r, 10), word = body_u16(r, 12);

	if (type == LIST)
		for (u32 i = 0; i < count && 12 + (i + 1) * 2 <= r->rec->size; i++)
			vec_push(&cpus, body_u16(r, 12 + i * 2));
	for (u32 i = 0; type == MASK && (word == 4 || word == 8) && i < count; i++) {
		/* words of 8 bytes come after 4 bytes of padding */
		u64 bits = word == 8 ? body_u64(r, 18 + i * 8) : body_u32(r, 14 + i * 4);

		for (u32 bit = 0; bit < word * 8; bit++)
			if (bits >> bit & 1)
				vec_push(&cpus, i * word * 8 + bit);
	}
	if (type == RANGE)
		for (u32 cpu = body_u16(r, 12); cpu <= body_u16(r, 14); cpu++)
			vec_push(&cpus, cpu);
	strbuf_str(b, ": ");
	format_cpu_list(b, cpus.items, cpus.count);
	strbuf_char(b, '\n');
	vec_release(&cpus);
}

static void add_text(const struct body *r, u32 at, struct strbuf *b)
{
	char *text = at < r->rec->size
			     ? xstrndup((const char *)r->rec->data + at, r->rec->size - at)
			     : xstrdup("");

	strbuf_printable(b, text);
	free(text);
	strbuf_char(b, '\n');
}

static void event_update(const struct body *r, struct strbuf *b)
{
	enum { UNIT, SCALE, NAME, CPUS };
	u64 kind = body_u64(r, 8), bits = body_u64(r, 24);
	double scale;

	strbuf_f(b, "\n... id:    %" PRIu64 "\n", body_u64(r, 16));
	switch (kind) {
	case SCALE:
		memcpy(&scale, &bits, sizeof(scale));
		strbuf_f(b, "... scale: %f\n", scale);
		break;
	case UNIT:
		strbuf_str(b, "... unit:  ");
		add_text(r, 24, b);
		break;
	case NAME:
		strbuf_str(b, "... name:  ");
		add_text(r, 24, b);
		break;
	case CPUS:
		strbuf_str(b, "... cpus\n");
		break;
	default:
		strbuf_str(b, "... unknown type\n");
	}
}

static void time_conv(const struct body *r, struct strbuf *b)
{
	strbuf_f(b,
		 "\n... Time Shift      %" PRIu64 "\n... Time Muliplier  %" PRIu64
		 "\n... Time Zero       %" PRIu64 "\n",
		 body_u64(r, 8), body_u64(r, 16), body_u64(r, 24));
}

static void auxtrace_info(const struct body *r, struct strbuf *b)
{
	strbuf_f(b, " type: %u\n", body_u32(r, 8));
	for (u32 at = 16; at + 8 <= r->rec->size; at += 8)
		strbuf_f(b, "  word %-3u %#" PRIx64 "\n", at / 8 - 2, body_u64(r, at));
}

static void auxtrace(const struct body *r, struct strbuf *b)
{
	strbuf_f(b,
		 " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64
		 "  idx: %u  tid: %d  cpu: %d\n",
		 body_u64(r, 8), body_u64(r, 16), body_u64(r, 24), body_u32(r, 32),
		 (s32)body_u32(r, 36), (s32)body_u32(r, 40));
}

static void auxtrace_error(const struct body *r, struct strbuf *b)
{
	strbuf_f(b, " type %u code %u cpu %d pid %d tid %d ip %#" PRIx64 ": ", body_u32(r, 8),
		 body_u32(r, 12), (s32)body_u32(r, 16), (s32)body_u32(r, 20), (s32)body_u32(r, 24),
		 body_u64(r, 32));
	add_text(r, 48, b);
}

void dump_user_record(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct body r = { rec, set->swap };
	const char *name = record_type_name(rec->type);

	if (name)
		strbuf_str(b, name);
	else
		strbuf_f(b, "PERF_RECORD_%u", rec->type);
	switch (rec->type) {
	case PERF_RECORD_ID_INDEX:
		id_index(&r, b);
		break;
	case PERF_RECORD_THREAD_MAP:
		thread_map(&r, b);
		break;
	case PERF_RECORD_CPU_MAP:
		cpu_map(&r, b);
		break;
	case PERF_RECORD_EVENT_UPDATE:
		event_update(&r, b);
		break;
	case PERF_RECORD_TIME_CONV:
		time_conv(&r, b);
		break;
	case PERF_RECORD_AUXTRACE_INFO:
		auxtrace_info(&r, b);
		break;
	case PERF_RECORD_AUXTRACE:
		auxtrace(&r, b);
		break;
	case PERF_RECORD_AUXTRACE_ERROR:
		auxtrace_error(&r, b);
		break;
	case PERF_RECORD_FINISHED_INIT:
		strbuf_str(b, ": unhandled!\n");
		break;
	default:
		strbuf_char(b, '\n');
	}
}
