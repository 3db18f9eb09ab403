/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request of `perf probe`, and carrying it out.
 *
 * The command fills a struct probe_request from its options, has the words of the command line and
 * the combination checked, and runs it. Nothing is printed here: results go to out, and said
 * receives what was done or would be done.
 * Threads: one at a time. Errors: -errno and a reason.
 * Life: the caller zeroes the struct; probe_request_release() frees its lists and target.
 */
#ifndef PROBE_REQUEST_H
#define PROBE_REQUEST_H

#include "base/reason.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/definition.h"

struct context;
struct debug_servers;
struct out;
struct prober;

struct probe_request {
	struct context *ctx;
	struct strlist add, define, remove;
	const char *list, *lines, *variables, *functions; /* their values, or NULL */
	bool list_given, lines_given, variables_given, functions_given;
	const char *module, *exec, *vmlinux, *source, *symfs, *filter;
	bool dry_run, force, externs, range, inlines, cache, bootconfig;
	bool demangle, demangle_kernel;
	unsigned max_probes, maxactive;
	int ns_pid;
	const char **words; /* the words of the command line: one definition without -a */
	int word_count;
	struct probe_target target;
	struct debug_servers *servers;
	struct out *out;
	struct strbuf *said;
};

/* Takes the words that are not options: [FILE] DEFINITION. */
void probe_request_words(struct probe_request *q, int argc, const char **argv);
/* Returns -EINVAL when options are missing or exclude each other. */
int probe_request_check(const struct probe_request *q, struct reason *r);
int probe_request_run(struct probe_request *q, struct reason *r);
void probe_request_release(struct probe_request *q);

#endif
