/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record above the recorder: from a command line to a finished recording.
 *
 *	record_request_init()
 *	record_request_parse()	  the command line -> asked (texts and flags, as typed), set,
 *				  probes, s
 *	record_request_settle()	  checks them against each other and against the machine;
 *				  afterwards s, set and target are complete
 *	record_request_run()	  opens, records, finishes the file
 *	record_request_release()
 *
 * Errors: -errno with a reason.  Nothing is printed here except by the two functions of struct
 * record_voice.  One thread calls, see record/record.h for the others.
 */
#ifndef RECORD_COMMAND_H
#define RECORD_COMMAND_H

#include "analysis/options.h"
#include "base/context.h"
#include "probe/session.h"
#include "record/programs.h"
#include "record/record.h"
#include "truth/require.h"

struct debug_servers;

/* The command line's own words, constant once they are parsed. */
struct record_asked {
	/* what to watch */
	const char *pids, *tids, *user, *cpus;
	const char *for_each_cgroup;
	bool inherit;
	bool exclude_perf, exclude_perf_given;
	bool latency;

	/* which events, how often, contents of samples */
	bool group, max_freq, strict_freq, samples, bpf_event;
	const char *usual_call_graph; /* what -g means by the configuration; NULL: fp */
	/* for dwarf without a size, by the configuration; 0: the usual one */
	u32 usual_stack_bytes;
	const char *setup_filter; /* "pin" or "unpin": nothing is recorded */
	char of_recording[48]; /* the first option that is of no use then, as "--NAME"; "": none was
				  given */
	bool g_given;          /* -g, after which an old form of the command names a mode */

	/* how, and what becomes of the file */
	const char *ring;    /* -m */
	const char *control; /* --control */
	bool buffering, dry_run, summary;
	unsigned realtime; /* priority; 0: as it is */
	bool off_cpu_threshold_given;
	const char *off_cpu; /* NULL: by BPF if that is possible */
	bool build_ids, build_ids_given, build_id_cache, build_id_all, timestamp_boundary;
	struct debuginfod_wish debuginfod;
	struct require require; /* conditions on the finished file, for the command */
};

/* How the command speaks while it runs. */
struct record_voice {
	void (*lines)(const char *text); /* whole lines; NULL: nothing is reported (-q) */
	/* prints ctx->conditions now: which events were replaced */
	void (*conditions)(struct context *ctx);
};

struct record_request {
	struct context *ctx;
	struct record_asked asked;
	char **argv; /* the arguments of the whole program, for the header; owned */
	int argc;

	/* what record_open() takes, complete once it is settled */
	struct event_set set;
	struct event_set switch_set;  /* the events of --switch-output-event */
	struct session_probes probes; /* made for this recording alone */
	struct record_programs programs;
	struct target target;
	struct record_settings s;
	bool user_is_own; /* -u names the user that runs perf */
	bool user_filter; /* -u: samples of all CPUs are filtered by user_id */
	u32 user_id;
	size_t next_cgroup; /* an index into set: the events before it have their cgroups (-G) */

	/* while it runs */
	const char *warned_of; /* the workload's program, if the kernel ends its events; or NULL */
	struct record_voice voice;
	struct control control;
	struct debug_servers *servers; /* for the build-id cache; NULL: nobody is asked */
	struct held_programs *held;    /* NULL: none are, see record.h */
};

/* How a recording ended, where it came that far. */
struct record_outcome {
	int code;   /* exit code: the workload's, or why it could not be run */
	int signal; /* the signal that ended recording or workload, and ends perf; 0: none */
	/* what the recorder counted, in the request's names; truth_release() */
	struct truth truth;
};

/* Initializes a request. argv has the command's name in front, and is copied. */
void record_request_init(struct record_request *q, struct context *ctx, int argc,
			 const char **argv);
/* Adds the options that record_request_parse() reads, for a table. */
void record_option_rows(struct record_request *q, option_rows *rows);
/*
 * Takes defaults from the configuration, after init and before parse. Returns -EINVAL if one cannot
 * be understood.
 */
int record_from_config(struct record_request *q, struct reason *r) MUST_CHECK;
/* Takes --call-graph HOW, with the configured size where HOW has none. */
int record_take_call_graph(struct record_request *q, const char *how, struct reason *r);
/* Parses the options as options_parse() does. */
int record_request_parse(struct record_request *q, int *argc, const char **argv);
/*
 * Settles the request. Returns -EINVAL if the command line is wrong in itself, whatever the
 * machine.
 */
int record_request_settle(struct record_request *q, bool has_command, struct reason *r) MUST_CHECK;
/* Runs the request; argv is the workload, if has_command. */
int record_request_run(struct record_request *q, bool has_command, const char **argv,
		       struct record_outcome *o, struct reason *r) MUST_CHECK;
void record_request_release(struct record_request *q);

/*
 * Loads, for "pin", the program with which ordinary users filter samples and pins it in the BPF
 * file system; "unpin" removes it. Returns -EINVAL if the request also asks for a recording.
 */
int record_setup_filter(const struct record_request *q, bool has_command,
			struct reason *r) MUST_CHECK;

/*
 * Adds the names of the registers to names and returns true if the value of a register option is
 * "?".
 */
bool record_lists_registers(int argc, const char **argv, struct strbuf *names);

/*
 * Removes word, an option of the command that records, from the options in front of the workload,
 * and reports whether it was there. argv lacks the command's name.
 */
bool record_take_word(struct context *ctx, int *argc, const char **argv, const char *word);

/* ---- inside the component ---- */

/* user.c: -u, after -p and -t; once the events are complete, their filters. */
int record_settle_user(struct record_request *q, bool has_command, struct reason *r) MUST_CHECK;
int record_filter_user(struct record_request *q, struct reason *r) MUST_CHECK;

/* summary.c: adds "[ perf record: Captured ... ]" and the unwound stacks. */
void record_summary_captured(const struct recorder *rec, u64 bytes, u64 taken, const char *name,
			     struct strbuf *out);
void record_summary_stacks(const struct recorder *rec, struct strbuf *out);
/* Adds lost records as a condition of rec->ctx; with -v also those of each counter. */
void record_summary_lost(struct recorder *rec, struct strbuf *out);

#endif
