/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between dlfilter.c, which runs filters, and dlfilter_answers.c, which they ask. */
#ifndef BUILTIN_SCRIPT_DLFILTER_INTERNAL_H
#define BUILTIN_SCRIPT_DLFILTER_INTERNAL_H

#include "builtin/script/dlfilter.h"

#include "../include/perf/perf_dlfilter.h"

enum { MOST_INSN = 16 };

struct dlfilter {
	struct script *s;
	char *path;
	void *handle;
	int (*start)(void **data, void *ctx);
	int (*stop)(void *data, void *ctx);
	int (*event)(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
	int (*early)(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
	void *data; /* the filter's own */
	char **args;
	int arg_count;
	bool in_start_or_stop;
	/* about the sample at hand; NULL outside of a filter function */
	const struct session_sample *ss;
	struct perf_dlfilter_sample sample;
	struct perf_dlfilter_al ip, addr; /* size 0: not requested yet */
	struct perf_event_attr attr;
	u8 insn[MOST_INSN];
	VEC(struct sample_branch) branches; /* copies of those in the file's byte order */
	VEC(u64) chain;
	VEC(u8) word_sizes; /* by image: 0 not known yet, else 4 or 8 */
};

extern const struct perf_dlfilter_fns dlfilter_answers;

#endif
