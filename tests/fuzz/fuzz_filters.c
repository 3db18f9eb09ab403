// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters of tracepoints, of samples and of probes' names; after a NUL, the raw data that is
 * filtered.
 */
#include "event/filter.h"
#include "event/sample_filter.h"
#include "probe/filter.h"
#include "text.h"
#include "tracepoint/tracepoint.h"

static const char format_text[] =
	"name: probe\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[3];\toffset:40;\tsize:24;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:void * call_site;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:long prev_state;\toffset:80;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->common_pid\n";

static void of_tracepoints(const char *text, const u8 *raw, size_t raw_size)
{
	struct tracepoint_formats *formats = tracepoint_formats_new(false, 8);
	const struct tracepoint_format *t;
	struct filter_program *p;
	char *kernel = NULL;

	if (tracepoint_formats_add(formats, "sys", format_text, strlen(format_text), NULL))
		abort();
	t = tracepoint_by_name(formats, "sys", "probe");
	filter_check(t, text, &kernel, NULL);
	free(kernel);
	p = filter_compile(t, text, NULL);
	if (p)
		filter_matches(p, &(struct filter_sample){ .formats = formats,
							   .raw = raw,
							   .raw_size = (u32)raw_size,
							   .cpu = 3,
							   .comm = "bash" });
	filter_program_free(p);
	tracepoint_formats_free(formats);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct sample_filter f = { 0 };
	char *text = fuzz_text(data, size);
	size_t raw_size;
	u8 *raw = fuzz_rest(data, size, &raw_size);

	of_tracepoints(text, raw, raw_size);
	if (!sample_filter_parse(&f, text, NULL) && !sample_filter_parse(&f, text, NULL) &&
	    f.count > FILTER_TESTS)
		abort();
	if (sample_filter_check(&f, 0, NULL) && !f.count)
		abort();
	if (!probe_filter_check(text, NULL))
		probe_filter_match(text, "std::vector<int>::push_back(int)");
	free(raw);
	free(text);
	return 0;
}
