// SPDX-License-Identifier: GPL-2.0-or-later
/* User call chains that follow their samples (CALLCHAIN_DEFERRED), joined record by record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "session/session.h"
#include "synth.h"

#define KERNEL   ((u64)-128)
#define USER     ((u64)-512)
#define DEFERRED ((u64)-640)

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
	.flags = ATTR_SAMPLE_ID_ALL,
};

static void sample(struct synth *s, u32 tid, u64 time, u64 cookie)
{
	const u64 chain[] = { KERNEL, 0xffffffff81000010, 0xffffffff81000020, DEFERRED, cookie };

	synth_sample(s, .pid = 1, .tid = tid, .time = time, .ip = chain[1],
		     .mode = PERF_RECORD_MISC_KERNEL, .chain = chain, .chain_count = 5);
}

/* Adds a deferred chain. count: what the record says; it really holds `held`. */
static void deferred(struct synth *s, u32 tid, u64 time, u64 cookie, u64 count, const u64 *ips,
		     size_t held)
{
	synth_begin(s, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	synth_u64(s, cookie);
	synth_u64(s, count);
	for (size_t i = 0; i < held; i++)
		synth_u64(s, ips[i]);
	synth_end_side(s, 1, tid, time);
}

static void fill(struct synth *s)
{
	static const u64 marked[] = { USER, 0x1000, 0x1008 }, bare[] = { 0x2000 };

	synth_event(s, &attr, "cpu-clock");
	sample(s, 1, 10, 7); /* two samples, one chain */
	sample(s, 1, 11, 7);
	sample(s, 2, 12, 8); /* a chain without a marker */
	deferred(s, 1, 13, 7, 3, marked, 3);
	deferred(s, 2, 14, 8, 1, bare, 1);
	sample(s, 1, 15, 9); /* its chain never came */
	sample(s, 1, 16, 10);
	deferred(s, 2, 17, 10, 1, bare, 1); /* another task's */
	sample(s, 1, 18, 11);
	deferred(s, 1, 19, 11, 1ULL << 60, bare, 1); /* damaged */
	sample(s, 1, 20, 12);
	deferred(s, 1, 21, 12, 0, bare,
		 0); /* no frame: a kernel thread, or the stack cannot be read */
}

static const char joined[] =
	"10 k 10 20 u 1000 1008\n11 k 10 20 u 1000 1008\n12 k 10 20 u 2000\n15 k 10 20 d 9\n16 k "
	"10 20 d a\n"
	"18 k 10 20 d b\n20 k 10 20\n";
static const char apart[] =
	"10 k 10 20 d 7\n11 k 10 20 d 7\n12 k 10 20 d 8\nr\nr\n15 k 10 20 d 9\n16 k 10 20 d "
	"a\nr\n18 k 10 20 d b\nr\n"
	"20 k 10 20 d c\nr\n";

struct seen {
	struct strbuf text;
	bool swap;
};

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct seen *seen = arg;

	(void)worker;
	(void)r;
	strbuf_f(&seen->text, "%llu", (unsigned long long)ss->key.time);
	for (u64 i = 0; i < ss->sample->chain_count; i++) {
		u64 ip = load_u64(ss->sample->chain + 8 * i, seen->swap);

		if (ip == KERNEL || ip == USER || ip == DEFERRED)
			strbuf_f(&seen->text, " %c", ip == KERNEL ? 'k' : ip == USER ? 'u' : 'd');
		else
			strbuf_f(&seen->text, " %llx", (unsigned long long)(ip & 0xffffff));
	}
	strbuf_char(&seen->text, '\n');
	return 0;
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct seen *seen = arg;

	(void)rec;
	(void)key;
	(void)r;
	strbuf_str(&seen->text, "r\n");
	return 0;
}

static const struct session_ops ordered = { .order = SESSION_ORDERED, .sample = on_sample };
static const struct session_ops with_records = {
	.order = SESSION_ORDERED,
	.sample = on_sample,
	.record = on_record,
	.want = { BIT64(PERF_RECORD_CALLCHAIN_DEFERRED) },
};

static void expect(const char *path, const struct session_ops *ops, bool keep, bool swap,
		   const char *want, u64 missing)
{
	struct session_options o = { .input = path, .force = true, .keep_deferred = keep };
	struct context ctx = { .workers = 1, .buildid_dir = "", .symfs = "" };
	struct seen seen = { .text = STRBUF_INIT, .swap = swap };
	struct reason r = REASON_INIT;
	struct session *s;
	u64 said = 0;

	if (session_open(&ctx, &o, &s, &r) || session_run(s, ops, &seen, &r))
		fail_msg("%s", r.text);
	assert_string_equal(strbuf_cstr(&seen.text), want);
	session_free(s);
	vec_for_each(&ctx.conditions.list, c)
		said += strcmp(c->code, "chain-not-deferred") ? 0 : c->count;
	assert_int_equal(said, missing);
	condition_list_release(&ctx.conditions);
	strbuf_release(&seen.text);
}

static void each_order(bool swap)
{
	char path[] = "/tmp/perf-deferred-XXXXXX";
	int fd = mkstemp(path);
	struct strbuf bytes = STRBUF_INIT;
	struct synth s;

	assert_true(fd >= 0);
	close(fd);
	synth_init(&s, swap);
	fill(&s);
	assert_int_equal(synth_write(&s, path), 0);
	expect(path, &ordered, false, swap, joined, 3);
	expect(path, &with_records, true, swap, apart, 0);
	/* a stream: what has come before the samples go out */
	synth_round(&s);
	synth_pipe(&s, &bytes);
	assert_int_equal(synth_write_bytes(path, &bytes), 0);
	expect(path, &ordered, false, swap, joined, 3);
	expect(path, &with_records, true, swap, apart, 0);
	unlink(path);
	strbuf_release(&bytes);
	synth_release(&s);
}

static void chains_are_joined(void **state)
{
	(void)state;
	each_order(false);
	each_order(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(chains_are_joined) };

	return cmocka_run_group_tests_name("deferred", tests, NULL, NULL);
}
