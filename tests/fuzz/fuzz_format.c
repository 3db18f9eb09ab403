// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats of tracepoints with their print formats, in both byte orders; after a NUL, the raw data
 * that is printed, which also is printed when it is cut.
 */
#include "base/strbuf.h"
#include "text.h"
#include "tracepoint/tracepoint.h"

static void print(const struct tracepoint_formats *f, const struct tracepoint_format *t,
		  const u8 *raw, size_t size)
{
	struct tracepoint_printer *p = tracepoint_printer_new(f);
	struct strbuf b = STRBUF_INIT;

	for (int cut = 0; cut < 2; cut++) {
		size_t n = cut ? size / 2 : size;
		u8 *copy = xmemdup(raw, n);

		tracepoint_print(p, t, copy, (u32)n, 1, &b);
		tracepoint_print_fields(tracepoint_printer_formats(p), t, copy, (u32)n, &b);
		free(copy);
	}
	strbuf_release(&b);
	tracepoint_printer_free(p);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);
	size_t raw_size;
	u8 *raw = fuzz_rest(data, size, &raw_size);

	for (int big = 0; big < 2; big++) {
		struct tracepoint_formats *f = tracepoint_formats_new(big, big ? 4 : 8);
		const struct tracepoint_format *t = NULL;

		if (!tracepoint_formats_add(f, "fuzz", text, strlen(text), NULL))
			t = tracepoint_by_id(f, 7);
		if (t)
			print(f, t, raw, raw_size);
		tracepoint_formats_free(f);
	}
	free(raw);
	free(text);
	return 0;
}
