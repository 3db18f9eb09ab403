// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layouts that no recorder on this machine writes: the other byte order, 32-bit
 * feature bits, every attr size from 64 up, records and features of later
 * versions, both kinds of compressed records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/strbuf.h"
#include "data/reader.h"

enum { EVENTS = 2, SAMPLES = 50, HEADER = 104, SECTION = 16 };

struct layout {
	bool swap;
	bool bits32;    /* feature bits were written as 32-bit words */
	u32 attr_size;  /* the size of the attr itself */
	u32 entry_more; /* bytes between attr and ids section that nobody knows */
};

static struct layout layout;

static void put_u16(struct strbuf *b, u16 v)
{
	v = load_u16(&v, layout.swap);
	strbuf_add(b, &v, 2);
}

static void put_u32(struct strbuf *b, u32 v)
{
	v = load_u32(&v, layout.swap);
	strbuf_add(b, &v, 4);
}

static void put_u64(struct strbuf *b, u64 v)
{
	v = load_u64(&v, layout.swap);
	strbuf_add(b, &v, 8);
}

static void put_header(struct strbuf *b, u32 type, u16 misc, u16 size)
{
	put_u32(b, type);
	put_u16(b, misc);
	put_u16(b, size);
}

static void put_text(struct strbuf *b, const char *s)
{
	size_t size = ALIGN_UP(strlen(s) + 1, 64);

	put_u32(b, (u32)size);
	strbuf_str(b, s);
	strbuf_pad(b, 0, (int)(size - strlen(s)));
}

/* disabled, freq, precise_ip 2, sample_id_all: as a bit field of the writer's machine. */
static u64 flags_word(void)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	if (layout.swap != host_big)
		return BIT64(63) | BIT64(63 - 10) | 2ULL << (62 - ATTR_PRECISE_SHIFT) |
		       BIT64(63 - 18);
	return ATTR_DISABLED | ATTR_FREQ | 2ULL << ATTR_PRECISE_SHIFT | ATTR_SAMPLE_ID_ALL;
}

static void put_attr(struct strbuf *b, u64 config)
{
	size_t begin = b->len;

	put_u32(b, PERF_TYPE_SOFTWARE);
	put_u32(b, layout.attr_size);
	put_u64(b, config);
	put_u64(b, 4000);
	put_u64(b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put_u64(b, PERF_FORMAT_ID);
	put_u64(b, flags_word());
	put_u32(b, 0);
	put_u32(b, 0);
	put_u64(b, 0x1111);
	while (b->len - begin + 8 <= layout.attr_size)
		put_u64(b, (u64)(b->len - begin) << 32 | (b->len - begin));
}

static void put_records(struct strbuf *b)
{
	for (u64 i = 0; i < SAMPLES; i++) {
		put_header(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 40);
		put_u64(b, 100 + i % EVENTS);
		put_u64(b, 0x400000 + i);
		put_u32(b, 11);
		put_u32(b, 12);
		put_u64(b, 1000 + i);
	}
	/* what later versions add */
	put_header(b, PERF_RECORD_CALLCHAIN_DEFERRED, 0, 24 + 8 + 24);
	put_u64(b, 1);
	put_u64(b, 1);
	put_u64(b, 0x1234);
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 5000);
	put_u64(b, 100);
	for (u32 t = PERF_RECORD_BPF_METADATA; t <= PERF_RECORD_SCHEDSTAT_DOMAIN; t++) {
		put_header(b, t, 0, 16);
		put_u64(b, 0);
	}
}

struct section {
	unsigned id;
	struct strbuf data;
};

static void make_features(struct section f[5])
{
	f[0].id = FEATURE_HOSTNAME;
	put_text(&f[0].data, "host");
	f[1].id = FEATURE_ARCH;
	put_text(&f[1].data, "ppc64");
	f[2].id = FEATURE_NRCPUS;
	put_u32(&f[2].data, 8);
	put_u32(&f[2].data, 4);
	f[3].id = FEATURE_EVENT_DESC;
	put_u32(&f[3].data, EVENTS);
	put_u32(&f[3].data, layout.attr_size);
	for (u64 i = 0; i < EVENTS; i++) {
		put_attr(&f[3].data, i);
		put_u32(&f[3].data, 1);
		put_text(&f[3].data, i ? "second" : "first");
		put_u64(&f[3].data, 100 + i);
	}
	f[4].id = FEATURE_CLN_SIZE;
	put_u32(&f[4].data, 64);
}

static void put_feature_bits(struct strbuf *b, const struct section *f, size_t n)
{
	u64 bits[4] = { 0 };

	for (size_t i = 0; i < n; i++)
		bits[f[i].id / 64] |= BIT64(f[i].id % 64);
	for (size_t i = 0; i < 4; i++) {
		if (!layout.bits32) {
			put_u64(b, bits[i]);
			continue;
		}
		put_u32(b, (u32)bits[i]);
		put_u32(b, (u32)(bits[i] >> 32));
	}
}

static void put_features(struct strbuf *b, const struct section *f, size_t n)
{
	u64 at = b->len + n * SECTION;

	for (size_t i = 0; i < n; i++) {
		put_u64(b, at);
		put_u64(b, f[i].data.len);
		at += f[i].data.len;
	}
	for (size_t i = 0; i < n; i++)
		strbuf_add(b, f[i].data.s, f[i].data.len);
}

/* The whole file; records: bytes of the data section. */
static void make_file(struct strbuf *b, const struct strbuf *records)
{
	struct section f[5] = { { 0 } };
	u32 entry = layout.attr_size + layout.entry_more + SECTION;
	u64 attrs = HEADER + 8 * EVENTS, data = attrs + EVENTS * (u64)entry;

	make_features(f);
	put_u64(b, 0x32454c4946524550ULL);
	put_u64(b, HEADER);
	put_u64(b, entry);
	put_u64(b, attrs);
	put_u64(b, EVENTS * (u64)entry);
	put_u64(b, data);
	put_u64(b, records->len);
	put_u64(b, 0);
	put_u64(b, 0);
	put_feature_bits(b, f, 5);
	for (u64 i = 0; i < EVENTS; i++)
		put_u64(b, 100 + i);
	for (u64 i = 0; i < EVENTS; i++) {
		put_attr(b, i);
		strbuf_pad(b, 0x7e, (int)layout.entry_more);
		put_u64(b, HEADER + 8 * i);
		put_u64(b, 8);
	}
	assert_int_equal(b->len, data);
	strbuf_add(b, records->s, records->len);
	put_features(b, f, 5);
	for (size_t i = 0; i < 5; i++)
		strbuf_release(&f[i].data);
}

static struct data_reader *open_bytes(struct context *ctx, const struct strbuf *b)
{
	struct reason r = REASON_INIT;
	struct data_reader *d = NULL;
	int fd = memfd_create("file", MFD_CLOEXEC);
	char path[64];

	assert_int_equal(write(fd, b->s, b->len), b->len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (data_open(ctx, path, true, &d, &r))
		fail_msg("%s", r.text);
	close(fd);
	return d;
}

struct count {
	struct data_reader *d;
	u64 samples[EVENTS], others, last;
};

static int count_record(void *arg, const struct record *rec, const struct order_key *key)
{
	struct count *c = arg;
	struct sample s;

	if (rec->type != PERF_RECORD_SAMPLE) {
		c->others++;
		c->last = key->time;
		return 0;
	}
	assert_int_equal(sample_decode(data_events(c->d), rec, &s, NULL), 0);
	assert_int_equal(s.id.pid, 11);
	assert_int_equal(s.id.tid, 12);
	assert_true(s.ip >= 0x400000 && s.ip < 0x400000 + SAMPLES);
	assert_int_equal(key->time, 1000 + s.ip - 0x400000);
	c->samples[s.event->index]++;
	return 0;
}

static void check_events(struct data_reader *d)
{
	const struct event_set *set = data_events(d);

	assert_int_equal(set->list.count, EVENTS);
	for (u32 i = 0; i < EVENTS; i++) {
		const struct event *ev = set->list.items[i];

		assert_string_equal(ev->name, i ? "second" : "first");
		assert_int_equal(ev->ids.count, 1);
		assert_int_equal(ev->ids.items[0], 100 + i);
		assert_int_equal(ev->attr.config, i);
		assert_int_equal(ev->attr.config1, 0x1111);
		assert_true(ev->attr.flags == (ATTR_DISABLED | ATTR_FREQ | ATTR_SAMPLE_ID_ALL |
					       2ULL << ATTR_PRECISE_SHIFT));
		assert_int_equal(ev->attr.clockid, layout.attr_size > 88 ? 88 : 0);
		assert_true(ev->attr.config4 == (layout.attr_size > 136 ? 136ULL << 32 | 136 : 0));
	}
}

static void check_file(const struct strbuf *records)
{
	struct context ctx = { 0 };
	struct strbuf b = STRBUF_INIT, text = STRBUF_INIT;
	struct count c = { NULL };

	make_file(&b, records);
	c.d = open_bytes(&ctx, &b);
	assert_int_equal(data_is_swapped(c.d), layout.swap);
	check_events(c.d);
	assert_string_equal(data_feature_string(c.d, FEATURE_HOSTNAME), "host");
	assert_string_equal(data_arch(c.d)->name, arch_by_name("ppc64")->name);
	data_header_print(c.d, &text, true);
	assert_non_null(strstr(text.s, "# nrcpus online : 4\n# nrcpus avail : 8\n"));
	assert_non_null(strstr(text.s, "# cacheline size: 64\n"));
	assert_non_null(strstr(text.s, "precise_ip = 2"));
	assert_int_equal(data_scan(c.d, count_record, &c, NULL), 0);
	assert_int_equal(c.samples[0], SAMPLES / 2);
	assert_int_equal(c.samples[1], SAMPLES / 2);
	assert_int_equal(c.others, 4);
	assert_int_equal(c.last, 5000);
	assert_int_equal(ctx.conditions.list.count, 0);
	data_close(c.d);
	strbuf_release(&b);
	strbuf_release(&text);
}

static void test_attr_sizes(void **state)
{
	static const u32 sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 200, 1024 };

	(void)state;
	for (unsigned swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct strbuf records = STRBUF_INIT;

			layout = (struct layout){ .swap = swap, .attr_size = sizes[i] };
			put_records(&records);
			check_file(&records);
			strbuf_release(&records);
		}
}

/* The entry is larger than attr and section: its size is the header's. */
static void test_entry_size(void **state)
{
	struct strbuf records = STRBUF_INIT;

	(void)state;
	layout = (struct layout){ .attr_size = 128, .entry_more = 24 };
	put_records(&records);
	check_file(&records);
	strbuf_release(&records);
}

static void test_32_bit_writer(void **state)
{
	struct strbuf records = STRBUF_INIT;

	(void)state;
	layout = (struct layout){ .swap = true, .bits32 = true, .attr_size = 112 };
	put_records(&records);
	check_file(&records);
	strbuf_release(&records);
}

#ifdef HAVE_ZSTD
/* One stream, flushed every step bytes, each flush in a record: frames and records overlap. */
static void compress(const struct strbuf *in, struct strbuf *out, u32 type, size_t step,
		     bool frames)
{
	ZSTD_CStream *z = ZSTD_createCStream();

	for (size_t at = 0; at < in->len; at += step) {
		size_t n = MIN(step, in->len - at);
		ZSTD_inBuffer from = { in->s + at, n, 0 };
		u8 buf[4096];
		ZSTD_outBuffer to = { buf, sizeof(buf), 0 };
		bool two = type == PERF_RECORD_COMPRESSED2;
		size_t size;

		assert_int_equal(
			ZSTD_compressStream2(z, &to, &from, frames ? ZSTD_e_end : ZSTD_e_flush), 0);
		size = two ? ALIGN_UP(16 + to.pos, 8) : 8 + to.pos;
		put_header(out, type, 0, (u16)size);
		if (two)
			put_u64(out, to.pos);
		strbuf_add(out, buf, to.pos);
		strbuf_pad(out, 0, (int)(size - to.pos - (two ? 16 : 8)));
	}
	ZSTD_freeCStream(z);
}

static void test_compressed(void **state)
{
	static const u32 types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	static const size_t steps[] = { 7, 40, 333, 4096 };

	(void)state;
	for (unsigned swap = 0; swap < 2; swap++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++)
			for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
				struct strbuf plain = STRBUF_INIT, records = STRBUF_INIT;

				layout = (struct layout){ .swap = swap, .attr_size = 128 };
				put_records(&plain);
				compress(&plain, &records, types[t], steps[i], t && i % 2);
				check_file(&records);
				strbuf_release(&plain);
				strbuf_release(&records);
			}
}

/* 60 KB that inflate to 200 MB of records: read in bounded memory, every record there. */
static void test_expansion(void **state)
{
	struct context ctx = { 0 };
	struct strbuf plain = STRBUF_INIT, records = STRBUF_INIT, b = STRBUF_INIT;
	ZSTD_CStream *z = ZSTD_createCStream();
	struct data_reader *d;
	struct data_chunk c;
	u64 n = 0, bytes = 0;
	u8 *buf = malloc(65000);
	ZSTD_outBuffer to = { buf, 65000, 0 };

	(void)state;
	layout = (struct layout){ .attr_size = 128 };
	for (unsigned i = 0; i < 1000; i++) {
		put_header(&plain, PERF_RECORD_FINISHED_ROUND, 0, 8);
		put_header(&plain, PERF_RECORD_FINISHED_INIT, 0, 8);
	}
	for (unsigned i = 0; i < 200 << 20 >> 14; i++) {
		ZSTD_inBuffer from = { plain.s, 16000, 0 };

		ZSTD_compressStream2(z, &to, &from, ZSTD_e_continue);
	}
	assert_int_equal(ZSTD_compressStream2(z, &to, &(ZSTD_inBuffer){ 0 }, ZSTD_e_end), 0);
	put_header(&records, PERF_RECORD_COMPRESSED, 0, (u16)(8 + to.pos));
	strbuf_add(&records, buf, to.pos);
	make_file(&b, &records);
	d = open_bytes(&ctx, &b);
	while (data_next(d, &c, NULL) == 1) {
		assert_true(c.size <= 1 << 20);
		assert_true(c.position >= bytes);
		bytes += c.size;
		n++;
		data_chunk_release(&c);
	}
	assert_int_equal(bytes, (200 << 20 >> 14) * 16000);
	assert_true(n >= 190);
	assert_int_equal(ctx.conditions.list.count, 0);
	data_close(d);
	ZSTD_freeCStream(z);
	free(buf);
	strbuf_release(&plain);
	strbuf_release(&records);
	strbuf_release(&b);
}
#endif

/* The machine's number says what its name does not. */
static void test_machine_number(void **state)
{
	(void)state;
	assert_non_null(data_feature_name(FEATURE_E_MACHINE));
	assert_null(data_feature_name(200));
	for (unsigned i = 1; i <= FEATURE_CLN_SIZE; i++)
		assert_non_null(data_feature_name(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_sizes),     cmocka_unit_test(test_entry_size),
		cmocka_unit_test(test_32_bit_writer),
#ifdef HAVE_ZSTD
		cmocka_unit_test(test_compressed),     cmocka_unit_test(test_expansion),
#endif
		cmocka_unit_test(test_machine_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
