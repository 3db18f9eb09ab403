/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf record. */
#ifndef BUILTIN_RECORD_H
#define BUILTIN_RECORD_H

#include "base/context.h"
#include "analysis/analysis.h"
#include "probe/session.h"
#include "record/record.h"

/* What the command line says, before it is checked against the machine. */
struct request {
	struct context *ctx;
	struct event_set set;
	struct event_set switch_set; /* of --switch-output-event */
	struct session_probes probes; /* of this recording alone */
	struct target target;
	struct record_settings s;
	const char *pids, *tids, *user, *cpus, *ring;
	const char *control_text, *for_each_cgroup;
	size_t next_cgroup; /* events before it were looked at by -G */
	struct control control;
	bool inherit, buffering, samples, bpf_event;
	bool call_graph_given, max_freq, strict_freq, group, exclude_perf, exclude_perf_given, dry_run;
	bool build_ids, build_ids_given, build_id_cache, build_id_all, timestamp_boundary;
	struct debuginfod_wish debuginfod;
	struct debug_servers *servers; /* for the build-id cache; NULL: nobody is asked */
	bool latency, g_given;
	unsigned realtime;
	char **full_argv; /* of the whole program, for the header */
	int full_argc;
};

/* builtin-record-options.c: as options_parse(). */
int record_parse_options(struct request *q, int *argc, const char **argv);
/* "?" as the value of a register option: lists them, true. */
bool record_lists_registers(int argc, const char **argv);

/*
 * Read the records of path again (flushed, not yet finished), find the objects
 * that have samples (or all) and put their build-ids into w's features (if ids); cache:
 * also copy the objects into the build-id cache, with what only servers (or NULL) have.
 * Also the times of the first
 * and last sample.  0, or -errno when it could not be read; what is missing
 * then costs only names later.
 */
int record_add_build_ids(struct context *ctx, struct data_writer *w, const char *path, bool ids,
			 bool all, bool cache, struct debug_servers *servers);

#endif
