/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The field printer of `perf script`: one block of text for each sample, in time order, and lines
 * for the requested side-band records.
 *
 * The default text is that of perf 6.1 to the byte, since other programs parse it: a header line,
 * then either " ip symbol+off (dso)" or a call chain of lines that begin with a tab, ended by an
 * empty line. Each type of event (hw, sw, trace, ...) has its own set of fields. Text goes to the
 * out given; nothing is printed here otherwise.
 */
#ifndef BUILTIN_SCRIPT_SCRIPT_H
#define BUILTIN_SCRIPT_SCRIPT_H

#include "base/out.h"
#include "base/text.h"
#include "session/choice.h"

/* The types of -F TYPE:list, in perf's order. */
enum script_type {
	SCRIPT_HARDWARE,
	SCRIPT_SOFTWARE,
	SCRIPT_TRACEPOINT,
	SCRIPT_HW_CACHE,
	SCRIPT_RAW,
	SCRIPT_BREAKPOINT,
	SCRIPT_SYNTH,
	SCRIPT_OTHER,
	SCRIPT_TYPES,
};

/* Fields are bits; names in fields.c. */
/* clang-format off */
enum script_field {
	SHOW_COMM, SHOW_TID, SHOW_PID, SHOW_TIME, SHOW_CPU, SHOW_EVENT, SHOW_TRACE, SHOW_IP,
	SHOW_SYM, SHOW_DSO, SHOW_ADDR, SHOW_SYMOFF, SHOW_PERIOD, SHOW_IREGS,
	SHOW_UREGS, SHOW_BRSTACK, SHOW_BRSTACKSYM, SHOW_DATA_SRC, SHOW_WEIGHT, SHOW_BPF_OUTPUT,
	SHOW_BRSTACKOFF, SHOW_PHYS_ADDR, SHOW_MISC, SHOW_TOD, SHOW_DATA_PAGE_SIZE,
	SHOW_CODE_PAGE_SIZE, SHOW_INS_LAT, SHOW_RETIRE_LAT, SHOW_CGROUP, SHOW_DSOFF,
	SHOW_SYNTH, SHOW_IPC, SHOW_MACHINE_PID, SHOW_VCPU, SHOW_FLAGS, SHOW_SRCLINE,
	SHOW_SRCCODE, SHOW_INSN, SHOW_INSNLEN, SHOW_DISASM, SHOW_BRSTACKINSN, SHOW_BRSTACKINSNLEN,
	SHOW_BRSTACKDISASM, SHOW_BRCNTR, SHOW_CALLINDENT, SHOW_METRIC,
	SHOW_FIELDS,
};
/* clang-format on */

struct script_fields {
	struct script_type_fields {
		u64 fields;    /* bits of enum script_field */
		u64 asked;     /* fields that the user named */
		u64 refused;   /* fields that the user removed */
		bool user_set; /* by -F */
	} type[SCRIPT_TYPES];
};

void script_fields_init(struct script_fields *f);
/* Parses one -F argument: "comm,ip", "+addr,-sym", "sw:ip,sym". */
int script_fields_parse(struct script_fields *f, const char *text, struct reason *r);
enum script_type script_type_of(const struct event *ev);
/* Reports whether the data addresses of its samples can have symbols. */
bool script_addr_has_symbol(const struct perf_event_attr *a);
/* Reports whether addr is a place, the target of a branch, shown with the same fields as ip. */
bool script_addr_is_place(const struct event *ev);
/* Adds PERF_SAMPLE_DATA_SRC in words: "|OP LOAD|LVL L1 hit|...". */
void script_add_data_src(u64 data_src, struct strbuf *b);
/* Replaces the fields of instructions' bytes by those of their text. */
void script_fields_as_text(struct script_fields *f);
/* Adds all field names, comma-separated, for help. */
void script_fields_names(struct strbuf *b);

/* Which side-band records get a line. */
struct script_shown {
	bool mmap, task, switches, lost, namespaces, cgroup, round, bpf, text_poke;
	bool deferred; /* user call chains that are not joined with their samples */
};

/*
 * Receives the samples that pass the filters, and other records, instead of the printer; script
 * engines are fed by it.   In order of time.
 */
struct script_consumer {
	int (*sample)(void *arg, const struct session_sample *ss, struct reason *r);
	int (*record)(void *arg, const struct record *rec, const struct order_key *key,
		      struct reason *r);
	u64 want[2]; /* types of records: see session_ops */
	void *arg;
};

enum script_form {
	SCRIPT_TEXT,
	SCRIPT_JSON, /* an object for each line */
	SCRIPT_TSV,  /* columns, with a head */
};

/* Of traced branches. */
enum script_calls { SCRIPT_ALL_BRANCHES, SCRIPT_CALLS, SCRIPT_CALLS_AND_RETURNS };

struct script_options {
	bool truth; /* after the samples, how true they are */
	enum script_form form;
	const struct script_consumer *consumer; /* NULL: samples are printed */
	struct script_fields fields;
	struct script_shown show;
	bool nanoseconds, relative_time, delta_time;
	bool hide_chains;          /* -G */
	bool latency;              /* -L: narrow comm and cpu */
	bool full_kernel_path;     /* --show-kernel-path */
	struct line_options lines; /* srcline */
	/* unwound frames, or those with lines, also show the functions inlined there */
	bool inlines;
	bool dump;                   /* -D */
	bool call_sites;             /* name a caller by its call, not by the address after it */
	unsigned max_stack;          /* frames */
	struct sample_choice choice; /* by CPU and time */
	struct strlist comms, dsos, symbols, stop_at; /* empty: all / none */
	u32 *pids, *tids;                             /* sorted; NULL: all */
	size_t pid_count, tid_count;
	VEC(u64) addresses;                 /* beside symbols: of samples */
	u64 address_range;                  /* bytes from each address; 0: that address alone */
	const char *switch_on, *switch_off; /* events that begin and end the output, or NULL */
	bool show_switches;                 /* also these events */
	bool debug;    /* -d: count what is out of order or lost, print that alone */
	bool unsorted; /* in the order of the file, not of time */
	enum script_calls calls;
	struct strlist graph_functions; /* only what they and their callees did; empty: all */
	bool stitch;         /* calls that overflowed the registers come from the previous sample */
	unsigned max_blocks; /* the most blocks of code for brstackinsn; 0: all */
	const char *dlfilter; /* a shared object that filters, or NULL; its arguments: */
	struct strlist dlargs;
	bool per_event; /* text of each event goes to a separate file, INPUT.EVENT.dump */
};

/*
 * Prints the whole session to out, and does not change o. Returns 0 or -errno with a reason
 * (-EINVAL: a requested field was not recorded).
 */
int script_run(struct session *s, const struct script_options *o, struct out *out,
	       struct reason *r);

#endif
