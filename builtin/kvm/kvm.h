/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf kvm stat: why guests stopped, how often, and for how long.
 *
 *	kvm_stat_init(), kvm_stat_report_rows() or kvm_stat_live_rows()
 *	kvm_stat_record_words()		the command line of perf record
 *	kvm_stat_report(), kvm_stat_live()	the exit code
 *	kvm_stat_release()
 *
 * What is timed begins at one tracepoint of a thread and ends at another; see stat.h.
 * One thread, except for the reader of rings. Times are ns. Errors: -errno with a reason, unless
 * noted.
 */
#ifndef BUILTIN_KVM_KVM_H
#define BUILTIN_KVM_KVM_H

#include "analysis/analysis.h"
#include "builtin/kvm/stat.h"

struct kvm_stat {
	struct analysis a;
	/* as typed */
	const char *kind, *key, *pids;
	int vcpu;
	bool vcpu_given, all_cpus, stdio, tui;
	u64 refresh;      /* the interval of kvm stat live, ns */
	u64 iterations;   /* tables of live; 0: until it is ended */
	const char *ring; /* of live, as typed; NULL: the usual size */
	u64 map_timeout;  /* ns for the maps of one process; 0: the usual */

	u32 *pid_list;
	struct kvm_exits exits;
};

void kvm_stat_init(struct kvm_stat *k, struct context *ctx, const char *input);
void kvm_stat_report_rows(struct kvm_stat *k, option_rows *rows);
void kvm_stat_live_rows(struct kvm_stat *k, option_rows *rows);
/* Prints what is wrong with the named files of guests. Returns the exit code, 0 if nothing is. */
int kvm_guest_files(const struct symbol_options *s) MUST_CHECK;
/* Warns, in a command that shows guests live, if nothing names their functions. */
void kvm_say_no_names(const struct symbol_options *s);
/* Adds the whole command line with its name first; output is the file to write. */
int kvm_stat_record_words(const char *output, struct strlist *line, struct reason *r) MUST_CHECK;
int kvm_stat_report(struct kvm_stat *k);
int kvm_stat_live(struct kvm_stat *k);
void kvm_stat_release(struct kvm_stat *k);

/* perf kvm itself, which runs other commands on guests. */
struct kvm_command {
	struct context *ctx;
	const char *file; /* -i, -o */
	bool host, guest;
	struct symbol_options symbols; /* where guests' kernels are */
};
/*
 * Runs command() with the options of perf kvm in front of its own words; argv[0] is its name.
 * option is the one that names the recording, or NULL. symbols means that it shows some, and needs
 * to know where guests' kernels are. Returns its exit code.
 */
int kvm_hand_on(const struct kvm_command *k, const char *name, const char *option, bool symbols,
		int argc, const char **argv,
		int (*command)(struct context *ctx, int argc, const char **argv));

/* Returns the default file name: perf.data.kvm, .guest or .host. */
const char *kvm_file_name(bool host, bool guest);

#endif
