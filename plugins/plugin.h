/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between perf and a script engine.
 *
 * An engine is a shared object, perf-NAME.so, that is opened when the first script in its language
 * is run. It exports one object, perf_engine, and links nothing of perf: all that it may ask is in
 * the table of functions that start() receives. Both begin with the number of this interface; an
 * engine that was built for another one is refused.
 *
 *	perf                      the engine
 *	start(host, script, args)   loads the script, calls its trace_begin
 *	sample(sample) ...          calls the handler of the event, or the general one
 *	record(record) ...          switches, throttling, errors of traces, counts
 *	stop(whole)                 calls trace_end, ends the interpreter
 *
 * The arguments are plain data that lives until the call returns, except where a comment says "for
 * the whole run": engines keep objects of their language by the address of such texts. One thread.
 *
 * Calls return 0, ENGINE_DONE when the script wants no more (it ended itself with status 0, or
 * nobody reads its output), or ENGINE_FAILED after the engine has said why on standard error.
 *
 * Tracepoint fields are numbers in the byte order of the recording machine (host->swap says that it
 * is not this machine's). perf has checked that all of fixed size are inside of the raw data.
 */
#ifndef PLUGINS_PLUGIN_H
#define PLUGINS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENGINE_INTERFACE = 3 };
#define ENGINE_SYMBOL "perf_engine"

/* ENGINE_FAILED + n: it ended itself with status n + 1. */
enum engine_answer { ENGINE_GO_ON, ENGINE_DONE, ENGINE_FAILED };

enum engine_field_flag {
	ENGINE_SIGNED = 1,
	ENGINE_ARRAY = 2,
	ENGINE_STRING = 4,
	ENGINE_DYNAMIC = 8,
	ENGINE_RELATIVE = 16,
};

/* All of an event for the whole run. */
struct engine_field {
	const char *name;
	uint32_t offset, size, flags;
};

/* Names that a print format gives to a field's values, or to its bits, with a delimiter. */
struct engine_value {
	uint64_t value;
	const char *text;
};
struct engine_naming {
	const char *field;
	const char *delimiter; /* NULL: symbolic values */
	const struct engine_value *values;
	uint32_t count;
};

struct engine_event {
	uint32_t index;
	const char *name;                /* "cycles:u", "sched:sched_switch" */
	const char *system, *tracepoint; /* NULL: no tracepoint, or its format is not known */
	bool is_tracepoint;
	const struct engine_field *fields; /* without common_* */
	uint32_t field_count;
	const struct engine_naming *namings;
	uint32_t naming_count;
	const void *attr; /* struct perf_event_attr as perf 6.1 has it */
	uint32_t attr_size;
	uint64_t read_format;
};

/* What is at an address: the mapped object and the function. Texts: for the whole run. */
struct engine_place {
	const char *dso;      /* NULL: nothing is mapped there */
	const char *build_id; /* hex, "" when not known */
	uint64_t map_start, map_end;
	const char *symbol;  /* NULL: none is known */
	uint64_t start, end; /* the range of the function, in its object */
	uint64_t offset;     /* in the function */
	uint64_t at;         /* the address in its object */
	uint8_t binding;     /* STB_* */
};

/* One of a call chain. Texts: for the whole run. */
struct engine_frame {
	uint64_t ip;
	const char *symbol;  /* NULL: none is known */
	uint64_t start, end; /* the range of the function, in its object */
	uint64_t offset;     /* in the function */
	const char *dso;     /* NULL: nothing is mapped there */
	const char *source;  /* "file.c:12", or NULL */
	uint8_t binding;     /* STB_* */
};

struct engine_branch {
	uint64_t from, to;
	uint64_t cycles;
	bool mispredicted, predicted, in_transaction, aborted;
};

struct engine_read_value {
	uint64_t id, value, lost;
};

struct engine_sample {
	const struct engine_event *event;
	uint32_t pid, tid, cpu; /* UINT32_MAX: not recorded */
	int32_t common_pid;     /* tracepoints: of the raw data */
	uint64_t ip, time, period, addr, phys_addr;
	uint64_t id, stream_id, weight, transaction, data_src;
	uint32_t ins_lat;
	uint8_t cpumode;
	const char *comm; /* for the whole run */
	const uint8_t *raw;
	uint32_t raw_size;
	const uint8_t *record; /* all of it, as it is in the file */
	uint32_t record_size;
	uint64_t time_enabled, time_running;
	uint32_t read_count;
	bool addr_has_place;  /* place() of the data address is worth asking for */
	uint32_t machine_pid; /* the hypervisor's process, for a guest; 0: none */
	int32_t vcpu;
};

enum engine_record_kind {
	ENGINE_SWITCH,
	ENGINE_THROTTLE,
	ENGINE_UNTHROTTLE,
	ENGINE_TRACE_ERROR,
	ENGINE_STAT,
	ENGINE_INTERVAL,
	ENGINE_COMMAND,
};

struct engine_record {
	enum engine_record_kind kind;
	uint64_t time;
	int32_t cpu, pid, tid;
	int32_t machine_pid;     /* ENGINE_SWITCH: of the machine; -1: host */
	int32_t guest_pid, vcpu; /* 0 and -1 of no guest */
	/* ENGINE_SWITCH */
	bool out, preempted;
	int32_t next_prev_pid, next_prev_tid;
	/* (UN)THROTTLE */
	uint64_t id, stream_id;
	/* ENGINE_TRACE_ERROR */
	uint32_t type, code, cpumode;
	uint64_t ip;
	const char *message;
	/* ENGINE_COMMAND: a task has another name, or runs another program */
	bool exec;
	/* ENGINE_STAT */
	const char *name; /* the name of the event; ENGINE_COMMAND: the task's name */
	int32_t thread;
	uint64_t value, enabled, running;
};

enum engine_common { ENGINE_PREEMPT_COUNT, ENGINE_FLAGS, ENGINE_LOCK_DEPTH };

/*
 * What a task is called, since when (0: before the recording), and which of all tasks that had its
 * number it is.
 */
struct engine_command_name {
	const char *name; /* for the whole run */
	uint64_t since;
	uint32_t task;
};

/* Functions for the engine, about the sample that it was just given. */
struct engine_host {
	uint32_t interface, size;
	void *arg;
	bool swap;
	/* data: of the data address, else of ip. */
	void (*place)(void *arg, bool data, struct engine_place *out);
	/* Leaf first; good until the next call. */
	uint32_t (*chain)(void *arg, const struct engine_frame **frames);
	uint32_t (*branch_count)(void *arg);
	void (*branch)(void *arg, uint32_t n, struct engine_branch *out);
	/* for any address of the sample's process, in whichever mode the sample was taken */
	void (*place_of)(void *arg, uint64_t addr, struct engine_place *out);
	void (*read_value)(void *arg, uint32_t n, struct engine_read_value *out);
	/* "|OP LOAD|LVL ...", " AX:0x12 ..."; good until the next call. */
	const char *(*data_src)(void *arg, uint64_t data_src);
	const char *(*registers)(void *arg, bool user);
	int64_t (*common)(void *arg, enum engine_common which);
	/* The line of ip: false when not known. */
	bool (*source)(void *arg, const char **file, uint32_t *line);
	/* The instruction at ip: false when it cannot be read; good until the next call. */
	bool (*instruction)(void *arg, const uint8_t **bytes, uint32_t *size);
	/* The name of a system call of the recording machine, or NULL. */
	const char *(*syscall_name)(void *arg, uint64_t number);
	/* Of a task of the host, at the time of the sample or record at hand. */
	void (*command)(void *arg, int32_t pid, int32_t tid, struct engine_command_name *out);
	/* Has the user asked for the end? */
	bool (*cancelled)(void *arg);
	/*
	 * The directory of perf's own scripts and helpers; PERF_EXEC_PATH may name another perf's.
	 */
	const char *home;
};

struct engine_plugin {
	uint32_t interface, size;
	const char *language; /* "Python 3.11" */
	/* *state belongs to the engine and is passed to all other calls; NULL after a failure. */
	int (*start)(const struct engine_host *host, const char *script, int argc,
		     const char *const *argv, void **state);
	int (*sample)(void *state, const struct engine_sample *s);
	int (*record)(void *state, const struct engine_record *r);
	/* run_end: call trace_end. Frees the state. */
	int (*stop)(void *state, bool run_end);
};

/* Of the plugin's own: all of it is hidden except for this. */
#define ENGINE_EXPORT extern __attribute__((visibility("default")))

#endif
