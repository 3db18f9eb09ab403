// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoint formats and texts: known answers, and damaged TRACING_DATA. All formats of kernels:
 * test_formats.c.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/text.h"
#include "config.h"
#include "event/tracing_data.h"
#include "sys/tracefs.h"
#include "tracepoint/internal.h"
#include "tracepoint/tracepoint.h"

/* Payloads are written as this machine stores numbers. */
enum { HOST_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static const char wakeup[] =
	"name: sched_wakeup\nID: 374\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 args[3];\toffset:40;\tsize:6;\tsigned:0;\n"
	"\n"
	"print fmt: \"comm=%s pid=%d path=%s f=%s s=%s %03d%%\", REC->comm, REC->pid, "
	"__get_str(path), __print_flags(REC->flags, \"|\", { 1, \"ONE\" }, { 6, \"SIX\" }), "
	"__print_symbolic(REC->pid, { 7, \"seven\" }, { 8, \"eight\" }), REC->pid\n";

static void raw_of_wakeup(u8 raw[64])
{
	memset(raw, 0, 64);
	store_u16(raw, 374);
	memcpy(raw + 8, "bash", 5);
	store_u32(raw + 24, 8);
	store_u32(raw + 28, 5 << 16 | 48);
	store_u64(raw + 32, 0x17);
	raw[44] = 9;
	memcpy(raw + 48, "/etc", 5);
}

static struct tracepoint_formats *formats_with(const char *text)
{
	struct tracepoint_formats *f = tracepoint_formats_new(HOST_BIG, 8);

	assert_int_equal(tracepoint_formats_add(f, "sched", text, strlen(text), NULL), 0);
	return f;
}

static void test_fields(void **state)
{
	struct tracepoint_formats *f = formats_with(wakeup);
	const struct tracepoint_format *t = tracepoint_by_id(f, 374);
	const struct tracepoint_field *comm, *args;
	u8 raw[64];
	u64 v;
	u32 len;

	(void)state;
	assert_non_null(t);
	assert_ptr_equal(t, tracepoint_by_name(f, "sched", "sched_wakeup"));
	assert_null(tracepoint_by_id(f, 375));
	assert_int_equal(t->field_count, 9);
	comm = tracepoint_field(t, "comm");
	assert_string_equal(comm->type, "char[16]");
	assert_int_equal(comm->flags, FIELD_ARRAY | FIELD_STRING);
	assert_int_equal(tracepoint_field(t, "common_pid")->flags, FIELD_COMMON | FIELD_SIGNED);
	args = tracepoint_field(t, "args");
	assert_int_equal(args->element_size, 2);
	raw_of_wakeup(raw);
	assert_true(tracepoint_get_int(f, tracepoint_field(t, "flags"), raw, 64, &v));
	assert_int_equal(v, 0x17);
	assert_false(tracepoint_get_int(f, tracepoint_field(t, "flags"), raw, 39, &v));
	assert_memory_equal(tracepoint_get_bytes(f, comm, raw, 64, &len), "bash", 4);
	assert_int_equal(len, 4);
	assert_memory_equal(tracepoint_get_bytes(f, tracepoint_field(t, "path"), raw, 64, &len),
			    "/etc", 4);
	assert_int_equal(len, 4);
	assert_null(tracepoint_get_bytes(f, tracepoint_field(t, "path"), raw, 50, &len));
	store_u32(raw + 24, (u32)-5);
	assert_true(tracepoint_get_int(f, tracepoint_field(t, "pid"), raw, 64, &v));
	assert_int_equal((s64)v, -5);
	tracepoint_formats_free(f);
}

static void test_text(void **state)
{
	struct tracepoint_formats *f = formats_with(wakeup);
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	const struct tracepoint_format *t = tracepoint_by_id(f, 374);
	struct strbuf out = STRBUF_INIT;
	u8 raw[64];

	(void)state;
	raw_of_wakeup(raw);
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
#ifdef HAVE_LIBTRACEEVENT
	assert_true(tracepoint_printer_is_compiled(p, t));
	assert_string_equal(out.s, "comm=bash pid=8 path=/etc f=ONE|SIX|0x10 s=eight 008%");
#endif
	strbuf_clear(&out);
	tracepoint_print_fields(tracepoint_printer_formats(p), t, raw, sizeof(raw), &out);
	assert_string_equal(out.s, " comm=bash pid=8 path=/etc flags=0x17 "
				   "args=ARRAY[00, 00, 00, 00, 09, 00]");
	/* cut raw data: no crash, what is there is shown */
	strbuf_clear(&out);
	tracepoint_print(p, t, raw, 26, 0, &out);
	assert_true(out.len > 0);
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&out);
}

static void test_bad_formats(void **state)
{
	static const char *const bad[] = {
		"",
		"name: x\n",
		"ID: 5\n",
		"name: x\nID: 1\nformat:\n\tfield:int a\n",
		"name: x\nID: 1\nformat:\n\tfield:int ;\toffset:0;\tsize:4;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:99999999999;\tsize:4;\n",
	};
	struct tracepoint_formats *f = tracepoint_formats_new(HOST_BIG, 8);
	struct reason r = REASON_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tracepoint_formats_add(f, "s", bad[i], strlen(bad[i]), &r),
				 -EINVAL);
	assert_non_null(strstr(r.text, "system 's'"));
	reason_release(&r);
	tracepoint_formats_free(f);
}

#ifdef HAVE_LIBTRACEEVENT
static const char greedy[] =
	"name: greedy\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:u32 count;\toffset:4;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] data;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"n=%u\t%s\", REC->count, "
	"__print_hex(__get_dynamic_array(data), REC->count)\n";

/* libtraceevent would read as many bytes as the data says: it is not asked to. */
static void test_lying_count(void **state)
{
	struct tracepoint_formats *f = formats_with(greedy);
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	const struct tracepoint_format *t = tracepoint_by_id(f, 9);
	struct strbuf out = STRBUF_INIT;
	u8 raw[16] = { 0 };

	(void)state;
	store_u16(raw, 9);
	memcpy(raw + 12, "\1\2\3\4", 4);
	store_u32(raw + 4, 2);
	store_u32(raw + 8, 4 << 16 | 12);
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_string_equal(out.s, "n=2\t01 02"); /* the tab is the format's own */
	strbuf_clear(&out);
	store_u32(raw + 4, UINT32_MAX);
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_string_equal(out.s, " count=4294967295 data=ARRAY[01, 02, 03, 04]");
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&out);
}

static const char counted[] =
	"name: counted\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:u32 n;\toffset:4;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] data;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%s\", __print_hex(&REC->n, __get_str(data)[0])\n";

/* A count that is a byte of a dynamic field. */
static void test_lying_byte(void **state)
{
	struct tracepoint_formats *f = formats_with(counted);
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	const struct tracepoint_format *t = tracepoint_by_id(f, 9);
	struct strbuf out = STRBUF_INIT;
	u8 raw[16] = { 0 };

	(void)state;
	assert_true(tracepoint_printer_is_compiled(p, t));
	store_u16(raw, 9);
	memcpy(raw + 4, "\1\2\3\4", 4);
	store_u32(raw + 8, 2 << 16 | 12);
	raw[12] = 3;
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_string_equal(out.s, "01 02 03");
	strbuf_clear(&out);
	raw[12] = 0xff; /* -1 */
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_ptr_equal(strstr(out.s, " n="), out.s);
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&out);
}

/* libtraceevent's parser crashes on some of them. */
static void test_damaged_c(void **state)
{
	static const char *const damaged[] = {
		"\"%p (%s)\", REC->s, __print_flags(REC->fl}gs, \"|\", { (1U << 0), \"SPIN\" }, { "
		"(1U << 1), \"READ\" }, "
		"{ (1U << 2), \"WRITE\" }, { (1U << 3), \"RT\" }, { (1U << 4), \"PERCPU\" }, { "
		"(1U << 5), \"MUTEX\" } )",
		"\"%p (%s)\", REC->s, __print_flags(REC->f-ags, \"|\", { (1U << 0), \"SPIN\" }, { "
		"(1U << 1), \"READ\" }, "
		"{ (1U << 2), \"WRITE\" }, { (1U << 30, \"RT\" }, { (1U << 4), \"PERCPU\" }, { "
		"(1U << 5), \"MUTEX\" } )",
		"\"%.*s\", (REC->n1] > REC->n), REC->s",
		"\"%d\", REC->ent.?ype",
		/* functions of a field that there is not */
		"\"%s\", __print_symbolic(REC->m, { 7, \"seven\" })",
		"\"%s\", __print_flags(~REC->m, \"|\", { 7, \"seven\" })",
		"\"%s\", __print_symbolic(REC->n, { REC->m, \"seven\" })",
	};
	struct strbuf out = STRBUF_INIT;
	u8 raw[12] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		char *text = xasprintf(
			"name: damaged\nID: 9\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			"\tfield:u32 n;\toffset:4;\tsize:4;\tsigned:0;\n\nprint fmt: %s\n",
			damaged[i]);
		struct tracepoint_formats *f = formats_with(text);
		struct tracepoint_printer *p = tracepoint_printer_new(f);

		store_u16(raw, 9);
		store_u32(raw + 4, 5);
		strbuf_clear(&out);
		tracepoint_print(p, tracepoint_by_id(f, 9), raw, sizeof(raw), 0, &out);
		assert_string_equal(out.s, " n=5");
		tracepoint_printer_free(p);
		tracepoint_formats_free(f);
		free(text);
	}
	strbuf_release(&out);
}

/*
 * Nor does it see a field with an array that does not end, after which a function it does not know
 * is too much.
 */
static void test_damaged_array(void **state)
{
	struct tracepoint_formats *f =
		formats_with("name: a\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char c[16Y;\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:u64 n;\toffset:24;\tsize:8;\tsigned:0;\n"
			     "\tfield:__data_loc char[] p;\toffset:32;\tsize:4;\tsigned:0;\n"
			     "\tfield:u16 l[3];\toffset:36;\tsize:6;\tsigned:0;\n\n"
			     "print fmt: \"f=%s s=%s\", "
			     "__print_flags(REC->n, \"|\", { 1, \"ONE\" }, { 6UL, \"SIX\" }), "
			     "__print_simbolic(REC->n, { 7, \"seven\" })\n");
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	struct strbuf out = STRBUF_INIT;
	u8 raw[48] = { 7 };

	(void)state;
	if (tracepoint_by_id(f, 7))
		tracepoint_print(p, tracepoint_by_id(f, 7), raw, sizeof(raw), 0, &out);
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&out);
}

static const char divider[] =
	"name: divider\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:u32 count;\toffset:4;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%0*d\", 5, 12 / REC->count\n";

/* libtraceevent divides by what the data says: not by 0. */
static void test_division(void **state)
{
	struct tracepoint_formats *f = formats_with(divider);
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	const struct tracepoint_format *t = tracepoint_by_id(f, 9);
	struct strbuf out = STRBUF_INIT;
	u8 raw[16] = { 0 };

	(void)state;
	store_u16(raw, 9);
	store_u32(raw + 4, 3);
	assert_false(tracepoint_printer_is_compiled(p, t));
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_string_equal(out.s, "00004");
	strbuf_clear(&out);
	store_u32(raw + 4, 0);
	tracepoint_print(p, t, raw, sizeof(raw), 0, &out);
	assert_string_equal(out.s, " count=0");
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&out);
}

/* A number with so many digits takes minutes: neither a plan nor the library prints it. */
static void test_too_wide(void **state)
{
	static const struct {
		const char *conversion;
		size_t len; /* of the text; 0: the fields are printed instead */
	} rows[] = {
		{ "%.200d", 200 },    { "%200d", 200 },
		{ "%+0200d", 200 },   { "%.201d", 0 },
		{ "%201d", 0 },       { "%.999999999d", 0 },
		{ "%999999999d", 0 }, { "%-1.99999999999999999999d", 0 },
		{ "%.300s", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf(
			"name: wide\nID: 9\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			"\tfield:u32 count;\toffset:4;\tsize:4;\tsigned:0;\n"
			"\nprint fmt: \"%s\", REC->count\n",
			rows[i].conversion);
		struct tracepoint_formats *f = formats_with(text);
		struct tracepoint_printer *p = tracepoint_printer_new(f);
		struct strbuf out = STRBUF_INIT;
		u8 raw[16] = { 0 };

		store_u16(raw, 9);
		store_u32(raw + 4, 3);
		tracepoint_print(p, tracepoint_by_id(f, 9), raw, sizeof(raw), 0, &out);
		if (rows[i].len)
			assert_int_equal(out.len, rows[i].len);
		else
			assert_string_equal(out.s, " count=3");
		strbuf_release(&out);
		tracepoint_printer_free(p);
		tracepoint_formats_free(f);
		free(text);
	}
}
#endif

#ifdef HAVE_LIBTRACEEVENT
#define EVERY_FIELD                                                                                \
	"name: every\nID: 10\nformat:\n"                                                           \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                   \
	"\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n"                                      \
	"\tfield:u8 ip[4];\toffset:16;\tsize:4;\tsigned:0;\n"                                      \
	"\tfield:u8 ip6[16];\toffset:24;\tsize:16;\tsigned:0;\n"                                   \
	"\tfield:u8 uuid[16];\toffset:40;\tsize:16;\tsigned:0;\n"                                  \
	"\tfield:s32 h[3];\toffset:56;\tsize:12;\tsigned:1;\n"                                     \
	"\tfield:u32 n;\toffset:68;\tsize:4;\tsigned:0;\n"                                         \
	"\tfield:char * s;\toffset:72;\tsize:8;\tsigned:0;\n"                                      \
	"\tfield:u8 sa[28];\toffset:80;\tsize:28;\tsigned:0;\n"                                    \
	"\tfield:__data_loc u32[] d;\toffset:108;\tsize:4;\tsigned:0;\n\nprint fmt: "

enum { EVERY_SIZE = 120 };

static void raw_of_every(u8 raw[256])
{
	memset(raw, 0xee, 256); /* behind the data: must not be seen */
	memset(raw, 0, EVERY_SIZE);
	store_u16(raw, 10);
	for (u32 i = 0; i < 16; i++)
		raw[40 + i] = (u8)(0xa0 + i);
	memcpy(raw + 8, "\1\2\3\4\5\xff", 6);
	memcpy(raw + 16, "\x7f\0\0\1", 4);
	memcpy(raw + 24, "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	store_u32(raw + 64, (u32)-7);
	store_u32(raw + 68, 2);
	store_u64(raw + 72, 0xffffffff81000010);
	store_u16(raw + 80, AF_INET);
	memcpy(raw + 82, "\0\x50\xa\0\0\2", 6);
	store_u32(raw + 108, 8 << 16 | 112);
	store_u32(raw + 112, 70000);
	store_u32(raw + 116, 5);
}

/* The text of this print format; "" when it is not compiled. */
static void print_every(const char *print, const u8 raw[256], struct strbuf *out)
{
	char *text = xasprintf(EVERY_FIELD "%s\n", print);
	struct tracepoint_formats *f = formats_with(text);
	struct tracepoint_printer *p;

	strbuf_str(&f->printk, "0xffffffff81000010 : \"Start idle\\n\"\n"
			       "0xffffffff81000020 : \"x\"\n0xffffffff81000030 : \"plain\"\n");
	p = tracepoint_printer_new(f);
	strbuf_clear(out);
	if (tracepoint_printer_is_compiled(p, tracepoint_by_id(f, 10)))
		tracepoint_print(p, tracepoint_by_id(f, 10), raw, EVERY_SIZE, 0, out);
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	free(text);
}

/* The text of a format of EVERY_FIELD; whether nothing in it can need to be escaped. */
static bool is_printable(const char *print, const u8 raw[256], struct strbuf *out)
{
	char *text = xasprintf(EVERY_FIELD "%s\n", print);
	struct tracepoint_formats *f = formats_with(text);
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	bool printable;

	strbuf_clear(out);
	assert_true(tracepoint_printer_is_compiled(p, tracepoint_by_id(f, 10)));
	printable = tracepoint_print(p, tracepoint_by_id(f, 10), raw, EVERY_SIZE, 0, out);
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	free(text);
	return printable;
}

/* Numbers of fields, with and without columns and casts, beside other steps and long texts. */
static void test_numbers_in_place(void **state)
{
	static const struct {
		const char *print, *want;
		bool printable;
	} cases[] = {
		{ "\"\"", "", true },
		{ "\"%u|%5u|%05u|%x|%5x|%05x|%d\", REC->n, REC->n, REC->n, REC->n, REC->n, "
		  "REC->n, REC->n",
		  "2|    2|00002|2|    2|00002|2", true },
		{ "\"%d %u %x %lx %hd %hhu %hhx\", REC->h[2], REC->h[2], REC->h[2], REC->h[2], "
		  "REC->h[2], REC->h[2], REC->h[2]",
		  "-7 4294967289 fffffff9 fffffffffffffff9 -7 249 f9", true },
		{ "\"%d %x %lx %lu\", (u8)REC->h[2], (u16)REC->h[2], (s8)REC->h[2], (unsigned "
		  "long)(u32)REC->h[2]",
		  "249 fff9 fffffffffffffff9 4294967289", true },
		{ "\"%d %3d|%p %p\", REC->h[2], REC->h[2], REC->s, REC->h[0]",
		  "-7  -7|0xffffffff81000010 (nil)", false },
		{ "\"%016lx %40lx %lu\", REC->s, REC->s, REC->s",
		  "ffffffff81000010                         ffffffff81000010 18446744071578845200",
		  true },
		{ "\"a text of more than sixteen bytes %u and another one of more than that\", "
		  "REC->n",
		  "a text of more than sixteen bytes 2 and another one of more than that", true },
		{ "\"%u\\t%u\", REC->n, REC->n", "2\t2", true },
		{ "\"%u\\r%u\", REC->n, REC->n", "2\r2", false },
		{ "\"%u %s %u\", REC->n, REC->n ? \"yes\" : \"no\", REC->n", "2 yes 2", false },
		{ "\"%u\", REC->n + 3", "5", false },
	};
	struct strbuf out = STRBUF_INIT;
	u8 raw[256];

	(void)state;
	raw_of_every(raw);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(is_printable(cases[i].print, raw, &out), cases[i].printable);
		assert_string_equal(strbuf_cstr(&out), cases[i].want);
	}
	strbuf_release(&out);
}

static void test_addresses(void **state)
{
	struct strbuf out = STRBUF_INIT;
	u8 raw[256];

	(void)state;
	raw_of_every(raw);
	print_every("\"%pM %pm %pI4 %pI6 %pI6c\", REC->mac, REC->mac, REC->ip, REC->ip6, REC->ip6",
		    raw, &out);
	assert_string_equal(strbuf_cstr(&out),
			    "01:02:03:04:05:ff 0102030405ff 127.0.0.1 "
			    "2001:0db8:0000:0000:0000:0000:0000:0001 2001:db8::1");
	print_every("\"%pU %pUB %pUL\", REC->uuid, REC->uuid, REC->uuid", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf "
					       "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF "
					       "A3A2A1A0-A5A4-A7A6-A8A9-AAABACADAEAF");
	print_every("\"%pISpc %pISc\", REC->sa, REC->sa", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "10.0.0.2:80 10.0.0.2");
	store_u16(raw + 80, AF_INET6);
	memset(raw + 84, 0, 4);
	raw[103] = 1;
	memcpy(raw + 24, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 16);
	print_every("\"%pISpc %pI6c\", REC->sa, REC->ip6", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "[::1]:80 ::ffff:1.2.3.4");
	raw[85] = 0xff;
	store_u32(raw + 104, 3);
	print_every("\"%pISpsfc %pISpc\", REC->sa, REC->sa", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "[::1]:80/983040%3 [::1]:80");
	memcpy(raw + 24, "\xfe\x80\0\0\0\0\0\0\0\0\x5e\xfe\1\2\3\4", 16);
	print_every("\"%pI6c\", REC->ip6", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "fe80::5efe:1.2.3.4");
	/* another size, another byte order: not ours */
	print_every("\"%pI4\", REC->mac", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	print_every("\"%pI4h\", REC->ip", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	strbuf_release(&out);
}

static void test_arrays(void **state)
{
	struct strbuf out = STRBUF_INIT;
	u8 raw[256];

	(void)state;
	raw_of_every(raw);
	print_every("\"%d %x %c%d\", REC->h[2], REC->ip[3], 65, REC->n % 4", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "-7 1 A2");
	print_every("\"%d %d %d %c\", '\\0', '0', '\\n', REC->ip[3] == '\\0' ? 'y' : 'n'", raw,
		    &out);
	assert_string_equal(strbuf_cstr(&out), "0 48 10 n");
	print_every("\"%d\", REC->h[3]", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	print_every("\"%s|%s|%s\", __print_array(__get_dynamic_array(d), REC->n, 4), "
		    "__print_hex(REC->mac, REC->n), __print_hex_str(REC->mac, REC->n)",
		    raw, &out);
	assert_string_equal(strbuf_cstr(&out), "70000 5|01 02|0102");
	print_every("\"%s %.*s\", REC->s, REC->n, \"abc\"", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "Start idle ab");
	store_u64(raw + 72, 0xffffffff81000030);
	print_every("\"%s\", REC->s", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "plain");
	store_u64(raw + 72, 0xffffffff81000040);
	print_every("\"%s\", REC->s", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "ffffffff81000040");
	/* more than there is: zeros; more than is sane: the fields */
	store_u32(raw + 68, 10);
	print_every("\"%s\", __print_hex_str(__get_dynamic_array(d), REC->n)", raw, &out);
	assert_string_equal(strbuf_cstr(&out),
			    HOST_BIG ? "00011170000000050000" : "70110100050000000000");
	print_every("\"%s\", __print_array(__get_dynamic_array(d), 3, 4)", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "70000 5 0");
	store_u32(raw + 68, UINT32_MAX);
	print_every("\"%s\", __print_hex(REC->mac, REC->n)", raw, &out);
	assert_non_null(strstr(strbuf_cstr(&out), " n=4294967295 "));
	strbuf_release(&out);
}
#endif

#ifdef HAVE_LIBTRACEEVENT
/* Print formats are C: what binds more strongly, from which side, and what has a sign. */
static void test_c(void **state)
{
	static const struct {
		const char *print, *text;
	} known[] = {
		{ "\"%d %d\", REC->n - 5 + 2, 100 / 10 * REC->n", "-1 20" },
		{ "\"%x %x\", REC->n & (1 | 4), 0x12 & ~REC->n >> 1", "0 12" },
		{ "\"%s\", !REC->n ? \"none\" : REC->n == 1 ? \"one\" : \"more\"", "more" },
		{ "\"%s %d\", REC->h[2] < 0 ? \"below\" : \"above\", REC->h[2] / 2", "below -3" },
		{ "\"%lld %llu\", (s64)(REC->n - 3), (u64)(REC->n - 3)", "4294967295 4294967295" },
		{ "\"%ld %d\", REC->h[2] * 1000000000L, (u8)(REC->n - 3)", "-7000000000 255" },
		{ "\"%c%c\", REC->n ? 'Y' : 'N', '!'", "Y!" },
		{ "\"%zu %d\", sizeof(u32) * REC->n, __builtin_bswap16(REC->n)", "8 512" },
		{ "\"%d\", ({ int a = (REC->n); int b = (5); ((a) < (b) ? (a) : (b)); })", "2" },
		{ "\"%s\", __print_symbolic(REC->h[2], { -7, \"minus\" }, { -1, 0 })", "minus" },
		{ "\"%s\", __print_symbolic(REC->h[2], { NAME, \"name\" })", "0xfffffff9" },
		{ "\"%s\", __print_flags(REC->n, \"|\", { 2, \"TWO\" }, { 1ULL << 63, \"LAST\" })",
		  "TWO" },
		{ "\"[%-6s][%6s]\", __print_flags(3, \"|\", { 1, \"A\" }), __print_symbolic(9, { "
		  "1, \"A\" })",
		  "[A|0x2 ][   0x9]" },
		{ "\"%*ph %*phN\", 6, REC->mac, 2, REC->mac", "01 02 03 04 05 ff 0102" },
		{ "\"%s\", __print_dynamic_array(d, 4)", "70000 5" },
		{ "\"%d\", REC->ent.type", "10" },
	};
	struct strbuf out = STRBUF_INIT;
	u8 raw[256];

	(void)state;
	raw_of_every(raw);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		print_every(known[i].print, raw, &out);
		assert_string_equal(strbuf_cstr(&out), known[i].text);
	}
	/* not C, or not known */
	print_every("\"%d\", (REC->n", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	print_every("\"%d\", REC->n +", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	print_every("\"%d\", function_of(REC->n)", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	print_every("\"%d\", REC->nothing", raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	strbuf_release(&out);
}

/* Formats of damaged files: neither time nor stack without end. */
static void test_endless_c(void **state)
{
	struct strbuf print = STRBUF_INIT, out = STRBUF_INIT;
	u8 raw[256];

	(void)state;
	raw_of_every(raw);
	strbuf_str(&print, "\"%d\", ");
	for (int i = 0; i < 300000; i++)
		strbuf_char(&print, '(');
	print_every(strbuf_cstr(&print), raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	strbuf_clear(&print);
	strbuf_str(&print, "\"%s\", __print_symbolic(REC->n, { 1");
	for (int i = 0; i < 300000; i++)
		strbuf_str(&print, "+1");
	strbuf_str(&print, ", \"many\" })");
	print_every(strbuf_cstr(&print), raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	strbuf_clear(&print);
	strbuf_str(&print, "\"%s\", __print_symbolic(REC->n, ");
	for (int i = 0; i < 250000; i++) /* fewer than the nodes that a tree may have */
		strbuf_char(&print, '{');
	print_every(strbuf_cstr(&print), raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	/* each local is twice the one before it */
	strbuf_clear(&print);
	strbuf_str(&print, "\"%d\", ({ int v0 = 1; ");
	for (int i = 1; i < 39; i++)
		strbuf_f(&print, "int v%d = v%d + v%d; ", i, i - 1, i - 1);
	strbuf_str(&print, "v38; })");
	print_every(strbuf_cstr(&print), raw, &out);
	assert_string_equal(strbuf_cstr(&out), "");
	strbuf_release(&print);
	strbuf_release(&out);
}
#endif

static struct event_set *two_tracepoints(void)
{
	struct event_set *set = xcalloc(1, sizeof(*set));
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = ATTR_SIZE_VER7 };

	event_set_init(set);
	event_set_add(set, &attr, "sched:sched_switch");
	event_set_add(set, &attr, "sched:sched_wakeup:u");
	event_set_add(set, &attr, "irq:softirq_entry");
	event_set_add(set, &attr, "sched:sched_switch");
	attr.type = PERF_TYPE_SOFTWARE;
	event_set_add(set, &attr, "cpu-clock");
	return set;
}

static void test_collect(void **state)
{
	struct event_set *set = two_tracepoints();
	struct strbuf data = STRBUF_INIT;
	struct tracepoint_formats *f = tracepoint_formats_new(true, 4);

	(void)state;
	if (tracing_data_collect(set, &data, NULL)) {
		event_set_release(set);
		free(set);
		tracepoint_formats_free(f);
		skip(); /* no tracefs, or not root */
	}
	assert_int_equal(tracing_data_size(data.s, data.len, NULL), data.len);
	assert_int_equal(tracepoint_formats_load(f, data.s, data.len, NULL), 0);
	assert_non_null(tracepoint_by_name(f, "sched", "sched_switch"));
	assert_non_null(tracepoint_by_name(f, "sched", "sched_wakeup"));
	assert_non_null(tracepoint_by_name(f, "irq", "softirq_entry"));
	tracepoint_formats_free(f);
	/* cut anywhere: an error, never a read outside (the copy is exact, for the sanitizer) */
	for (size_t n = 0; n < data.len; n += 1 + n / 16) {
		u8 *copy = xmemdup(data.s, n);

		assert_true(tracing_data_size(copy, n, NULL) < 0);
		free(copy);
	}
	event_set_release(set);
	free(set);
	strbuf_release(&data);
}

/* ---- printers of several threads ---- */

enum { FORMATS = 300, PRINTERS = 4, TIMES = 6 };

/* Formats that differ in length and in what their tables hold; each tenth one is the library's. */
static struct tracepoint_formats *many_formats(void)
{
	struct tracepoint_formats *f = tracepoint_formats_new(HOST_BIG, 8);

	for (int i = 0; i < FORMATS; i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_f(&text,
			 "name: e%d\nID: %d\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			 "\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n\n"
			 "print fmt: \"%.*s v=%%d f=%%s%s\", REC->v, __print_flags(REC->v, \"|\"",
			 i, 10 + i, 1 + i % 20, "abcdefghijklmnopqrst", i % 10 ? "" : " %*d");
		for (int bit = 0; bit < 30; bit++)
			strbuf_f(&text, ", { 1 << %d, \"F%d_%d\" }", (bit + i) % 30, i,
				 (bit + i) % 30);
		strbuf_f(&text, ")%s\n", i % 10 ? "" : ", REC->v, REC->v");
		assert_int_equal(tracepoint_formats_add(f, "many", text.s, text.len, NULL), 0);
		strbuf_release(&text);
	}
	return f;
}

struct printing {
	const struct tracepoint_formats *formats;
	pthread_barrier_t *all_ready;
	struct strbuf out;
};

static void *print_all(void *arg)
{
	struct printing *job = arg;
	struct tracepoint_printer *p = tracepoint_printer_new(job->formats);
	u8 raw[16] = { 0 };

	store_u32(raw + 8, 19);
	pthread_barrier_wait(job->all_ready);
	for (u32 i = 0; i < FORMATS; i++) {
		store_u16(raw, (u16)(10 + i));
		tracepoint_print(p, tracepoint_by_id(job->formats, 10 + i), raw, sizeof(raw), 0,
				 &job->out);
		strbuf_char(&job->out, '\n');
	}
	tracepoint_printer_free(p);
	return NULL;
}

/*
 * Each of several threads compiles all formats at the same time; one that is alone says what is
 * right.
 */
static void test_printers_in_threads(void **state)
{
	struct tracepoint_formats *f = many_formats();
	struct printing jobs[PRINTERS] = { { 0 } }, alone = { .formats = f };
	pthread_barrier_t one, all;
	pthread_t threads[PRINTERS];

	(void)state;
	pthread_barrier_init(&one, NULL, 1);
	pthread_barrier_init(&all, NULL, PRINTERS);
	alone.all_ready = &one;
	print_all(&alone);
#ifdef HAVE_LIBTRACEEVENT
	assert_non_null(strstr(alone.out.s, "\nab v=19 f=F1_1|F1_4|F1_0\n"));
#endif
	for (int times = 0; times < TIMES; times++) {
		for (int i = 0; i < PRINTERS; i++) {
			jobs[i] = (struct printing){ .formats = f, .all_ready = &all };
			assert_int_equal(pthread_create(&threads[i], NULL, print_all, &jobs[i]), 0);
		}
		for (int i = 0; i < PRINTERS; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < PRINTERS; i++) {
			assert_string_equal(strbuf_cstr(&jobs[i].out), strbuf_cstr(&alone.out));
			strbuf_release(&jobs[i].out);
		}
	}
	pthread_barrier_destroy(&one);
	pthread_barrier_destroy(&all);
	strbuf_release(&alone.out);
	tracepoint_formats_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printers_in_threads),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_bad_formats),
		cmocka_unit_test(test_collect),
#ifdef HAVE_LIBTRACEEVENT
		cmocka_unit_test(test_numbers_in_place),
		cmocka_unit_test(test_lying_count),
		cmocka_unit_test(test_lying_byte),
		cmocka_unit_test(test_damaged_c),
		cmocka_unit_test(test_damaged_array),
		cmocka_unit_test(test_division),
		cmocka_unit_test(test_too_wide),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_endless_c),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
