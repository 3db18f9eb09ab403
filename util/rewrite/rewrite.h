/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording written again, with something changed or added.
 *
 * What it is: records of a file, a directory or a stream go through a row of
 * changes, each of which may leave a record as it is, change it, drop it or put
 * others before it, and are written to a file or a stream.  `perf inject` is all of
 * it; the recorder uses the pieces (chains, build-ids).
 *
 * Order: a file's records keep their places, FINISHED_ROUND records too, unless a
 * change needs them in order of time (or the input is a directory): then they are
 * written in that order.  A stream is passed on as it comes, within the window that
 * sorting needs.
 * Byte order: the output has the input's.
 * Threads: one; finding the objects of a file uses all.
 * Errors: 0 or -errno with a reason; a file that fails is not left behind.
 */
#ifndef REWRITE_REWRITE_H
#define REWRITE_REWRITE_H

#include "unwind/unwind.h"
#include "base/context.h"
#include "data/writer.h"
#include "event/sample.h"
#include "object/image.h"

enum rewrite_maps {
	MAPS_KEPT,        /* as they are */
	MAPS_HIT_WITH_ID, /* those that samples hit, with their build-ids; no others */
	MAPS_ALL_WITH_ID,
};

struct rewrite_settings {
	struct unwind_styles unwind; /* for convert_chains; count 0: the default */
	const char *input, *output;  /* "-": stream */
	struct data_reader *stream;  /* the component's own */
	bool force;

	bool build_ids;     /* add those of the objects that have samples */
	bool build_ids_all; /* add those of all objects */
	const char *known;  /* "HEX PATH,HEX PATH", or file://NAME; NULL: none */
	enum rewrite_maps maps;
	const char *vmlinux;    /* whose build-id the kernel has, or NULL */
	const char *guestmount; /* directory with the root of each guest, by pid; NULL: none */
	/* the same: a copy in a directory named by build-id, or /proc/kallsyms */
	const char *kallsyms;

	/* put in code that jitdump files tell of and samples touch, and write its objects */
	bool jit;
	struct jit_objects *objects; /* the component's own */
	bool merge_sched;            /* sched_switch and sched_stat_* into one */
	bool aslr;                   /* addresses that reveal nothing about the machine's layout */
	bool decode_traces;  /* --itrace: those of Arm SPE; a recording with others is refused */
	unsigned traces;     /* what is made of them: SPE_WANT_* */
	bool strip;          /* with decode_traces: drop samples that were not decoded */
	bool convert_chains; /* registers and stacks to call chains */
	/* "FILE,PID[,OFFSET[,SCALE]]": records of a guest to put in, alone; NULL: none */
	const char *guest_data;
};

int rewrite_recording(struct context *ctx, const struct rewrite_settings *s, struct reason *r);

/* chain.c: user registers and stack replaced by an ordinary call chain */

/* Does the event's sample carry both? */
bool rewrite_has_stack(const struct perf_event_attr *attr);
/* Changes the attr of an event whose samples are converted. */
void rewrite_chain_attr(struct perf_event_attr *attr);
/*
 * Append the sample to out: its chain is s->chain (the session's, with the unwound part),
 * registers and stack are left out.  What does not fit in a record is cut off at the
 * root's end.
 */
void rewrite_chain(const struct event_set *set, const struct record *rec, const struct sample *s,
		   struct strbuf *out);

/* objects.c: the pass that finds objects and their build-ids */

struct rewrite_objects {
	bool ids;                          /* put build-ids into the writer */
	bool all;                          /* list all objects, not only those with samples */
	bool cache;                        /* copy the objects into the build-id cache */
	struct debug_servers *servers;     /* and what only they have; NULL: nobody is asked */
	const struct rewrite_known *known; /* or NULL */
	const struct build_id *kernel;     /* or NULL: of the running one */
	const char *guestmount;            /* or NULL */
	/*
	 * A file with what the image was, which is not found under its name; NULL: not held.  The
	 * caller frees the path.  held NULL: nothing is held.
	 */
	char *(*held)(void *arg, const struct image *img);
	void *held_arg;
	bool say_ended;   /* warn of programs at whose start the kernel ended the events ... */
	const char *said; /* except of this one, which the user knows of; or NULL */
};
/*
 * Read the records of path, find the objects that have samples (or all) and put
 * their build-ids into w's features; also the times of the first and last
 * sample.  What is missing is a condition and costs only names later.
 */
void rewrite_find_objects(struct context *ctx, struct data_writer *w, const char *path,
			  const struct rewrite_objects *o);

#endif
