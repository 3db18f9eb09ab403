// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracing data of kernels of either byte order whose long has 4 or 8 bytes: what its own header
 * says applies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "config.h"
#include "tracepoint/tracepoint.h"

/* The kernel that recorded: an event of its, with fields at the places that its long gives them. */
struct kernel {
	bool big_endian;
	u8 word; /* bytes of a long */
};

static bool swaps(const struct kernel *k)
{
	return k->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void put(struct strbuf *b, const struct kernel *k, u64 v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		strbuf_char(b, (char)(v >> 8 * (k->big_endian ? bytes - 1 - i : i)));
}

/* Appends an event with these fields, followed by its print format. */
static void put_format(struct strbuf *out, const struct kernel *k, const char *name, int id,
		       const char *print)
{
	const int w = k->word;
	struct strbuf format = STRBUF_INIT;

	strbuf_f(&format,
		 "name: %s\nID: %d\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:unsigned long bytes;\toffset:8;\tsize:%d;\tsigned:0;\n"
		 "\tfield:long left;\toffset:%d;\tsize:%d;\tsigned:1;\n"
		 "\tfield:void * call_site;\toffset:%d;\tsize:%d;\tsigned:0;\n"
		 "\tfield:__data_loc unsigned long[] sizes;\toffset:%d;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: %s\n",
		 name, id, w, 8 + w, w, 8 + 2 * w, w, 8 + 3 * w, print);
	put(out, k, format.len, 8);
	strbuf_add(out, format.s, format.len);
	strbuf_release(&format);
}

static void put_section(struct strbuf *out, const struct kernel *k)
{
	static const char *const headers[] = { "header_page", "header_event" };
	struct strbuf print = STRBUF_INIT;

	strbuf_add(out, "\x17\x08\x44tracing0.6", 14); /* with its final zero */
	strbuf_char(out, k->big_endian);
	strbuf_char(out, (char)k->word);
	put(out, k, 4096, 4);
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		strbuf_add(out, headers[i], strlen(headers[i]) + 1);
		put(out, k, 0, 8);
	}
	put(out, k, 0, 4); /* formats of ftrace */
	put(out, k, 1, 4); /* systems */
	strbuf_add(out, "mine", 5);
	put(out, k, 2, 4);
	strbuf_f(&print,
		 "\"bytes=%%lu left=%%ld hex=%%lx site=%%lx sizes=%%s\", REC->bytes, REC->left, "
		 "REC->left, "
		 "(unsigned long)REC->call_site, "
		 "__print_array(__get_dynamic_array(sizes), __get_dynamic_array_len(sizes) / %d, "
		 "%d)",
		 k->word, k->word);
	put_format(out, k, "alloc", 77, strbuf_cstr(&print));
	put_format(out, k, "wide", 78, "\"[%*lu] pid=%d\", 12, REC->bytes, REC->common_pid");
	put(out, k, 0, 4); /* kallsyms */
	put(out, k, 0, 4); /* printk formats */
	put(out, k, 0, 8); /* comms */
	strbuf_release(&print);
}

static void put_record(struct strbuf *raw, const struct kernel *k, u64 id)
{
	const u32 sizes_at = 8 + 3 * k->word + 4;

	put(raw, k, id, 2);
	put(raw, k, 0, 2);
	put(raw, k, 1234, 4);
	put(raw, k, 4000000000, k->word);
	put(raw, k, (u64)-5, k->word);
	put(raw, k, 0xc0de0008, k->word);
	put(raw, k, 3u * k->word << 16 | sizes_at, 4);
	for (u64 i = 1; i <= 3; i++)
		put(raw, k, i * 0x1000, k->word);
}

static void check(const struct kernel *k)
{
	/* the loader says what it finds: it must not matter what was assumed before */
	struct tracepoint_formats *f = tracepoint_formats_new(!k->big_endian, k->word == 4 ? 8 : 4);
	struct strbuf section = STRBUF_INIT, raw = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT, by_library = STRBUF_INIT;
	const struct tracepoint_format *t, *other;
	struct tracepoint_printer *p;
	u64 v;
	u32 len;

	put_section(&section, k);
	put_record(&raw, k, 77);
	assert_int_equal(tracing_data_size(section.s, section.len, NULL), section.len);
	assert_int_equal(tracepoint_formats_load(f, section.s, section.len, NULL), 0);
	assert_true(tracepoint_swap(f) == swaps(k));
	assert_int_equal(tracepoint_page_size(f), 4096);
	t = tracepoint_by_id(f, 77);
	assert_non_null(t);
	assert_true(tracepoint_get_int(f, tracepoint_field(t, "bytes"), raw.s, (u32)raw.len, &v));
	assert_true(v == 4000000000);
	assert_true(tracepoint_get_int(f, tracepoint_field(t, "left"), raw.s, (u32)raw.len, &v));
	assert_true((s64)v == -5);
	assert_int_equal(tracepoint_field(t, "sizes")->element_size, k->word);
	assert_non_null(
		tracepoint_get_bytes(f, tracepoint_field(t, "sizes"), raw.s, (u32)raw.len, &len));
	p = tracepoint_printer_new(f);
	tracepoint_print(p, t, raw.s, (u32)raw.len, 0, &out);
	other = tracepoint_by_id(f, 78);
	assert_non_null(other);
	strbuf_clear(&raw);
	put_record(&raw, k, 78);
	tracepoint_print(p, other, raw.s, (u32)raw.len, 0, &by_library);
#ifdef HAVE_LIBTRACEEVENT
	assert_true(tracepoint_printer_is_compiled(p, t));
	assert_string_equal(
		strbuf_cstr(&out),
		k->word == 4
			? "bytes=4000000000 left=-5 hex=fffffffb site=c0de0008 sizes=4096 8192 "
			  "12288"
			: "bytes=4000000000 left=-5 hex=fffffffffffffffb site=c0de0008 sizes=4096 "
			  "8192 12288");
	/* plans have no widths that are arguments: libtraceevent reads the numbers of this one */
	assert_false(tracepoint_printer_is_compiled(p, other));
	assert_string_equal(strbuf_cstr(&by_library), "[  4000000000] pid=1234");
#endif
	tracepoint_printer_free(p);
	tracepoint_formats_free(f);
	strbuf_release(&section);
	strbuf_release(&raw);
	strbuf_release(&out);
	strbuf_release(&by_library);
}

static void each_kernel(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++)
		for (u8 word = 4; word <= 8; word += 4)
			check(&(struct kernel){ .big_endian = order, .word = word });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
