/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf mem: single memory accesses, sampled and shown.
 *
 * record and report are perf record and perf report with other defaults: this component turns its
 * options into their command line. -D prints the samples one by one by itself.
 *
 *	mem_init()
 *	mem_option_rows()                       of the command
 *	mem_record_rows(), mem_report_rows()    of a subcommand, before those passed on
 *	mem_record_words(), mem_report_words()  the command line of record, of report
 *	mem_dump()                              -D
 *	mem_release()
 *
 * One thread. Errors: -errno with a reason; mem_dump() returns the exit code.
 */
#ifndef BUILTIN_MEM_MEM_H
#define BUILTIN_MEM_MEM_H

#include "analysis/analysis.h"
#include "event/memory.h"

struct mem {
	struct context *ctx;
	/* as typed */
	unsigned ops;
	bool ops_given;
	const char *input, *cpus, *separator, *sort, *events;
	bool force, dump, hide_unresolved, phys, page_size, types;
	bool all_user, all_kernel;
	u64 latency;
	bool latency_given;

	struct strlist words; /* words for the other command, as they were forwarded */
	struct memory_events choice;
};

void mem_init(struct mem *m, struct context *ctx);
void mem_option_rows(struct mem *m, option_rows *rows);
void mem_record_rows(struct mem *m, option_rows *rows);
void mem_report_rows(struct mem *m, option_rows *rows);

/* Adds the lines of -e list to out. */
int mem_list_events(struct mem *m, struct strbuf *out, struct reason *r) MUST_CHECK;
/* Adds the whole command line with its name first, except what m->words holds. */
int mem_record_words(struct mem *m, struct strlist *line, struct reason *r) MUST_CHECK;
void mem_report_words(struct mem *m, struct strlist *line);
int mem_dump(struct mem *m);
void mem_release(struct mem *m);

#endif
