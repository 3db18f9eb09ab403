/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording again, with something changed or added.
 *
 * Records of a file, a directory or a stream go through a row of changes, and are written to a file
 * or a stream. Each change may leave a record as it is, change it, drop it or insert others before
 * it. `perf inject` consists of this; the recorder uses parts (chains, build-ids).
 *
 * Order: a file's records keep their places, including FINISHED_ROUND records. If a change needs
 * them in order of time, or the input is a directory, they are written in that order. A stream is
 * passed on as it comes, within the window that sorting needs.
 * Byte order: the output has the input's.
 * Threads: one; finding the objects of a file uses all.
 * Errors: 0 or -errno with a reason; an incomplete output file is removed.
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
	MAPS_HIT_WITH_ID, /* only those that samples hit, with their build-ids */
	MAPS_ALL_WITH_ID,
};

struct rewrite_settings {
	struct unwind_styles unwind; /* for convert_chains; count 0 means the default */
	const char *input, *output;  /* "-" means a stream */
	struct data_reader *stream;  /* used inside the component */
	bool force;

	bool build_ids;     /* add those of the objects that have samples */
	bool build_ids_all; /* add those of all objects */
	const char *known;  /* "HEX PATH,HEX PATH", or file://NAME; or NULL */
	enum rewrite_maps maps;
	const char *vmlinux;    /* has the kernel's build-id; or NULL */
	const char *guestmount; /* directory with the root of each guest, by pid; or NULL */
	/* likewise: a copy in a directory named by build-id, or /proc/kallsyms */
	const char *kallsyms;

	/* insert code from jitdump files that samples touch, and write its objects */
	bool jit;
	struct jit_objects *objects; /* used inside the component */
	bool merge_sched;            /* merge sched_switch and sched_stat_* */
	bool aslr;                   /* addresses that reveal nothing about the machine's layout */
	bool decode_traces;          /* --itrace: those of Arm SPE; others are refused */
	unsigned traces;             /* what to make of them: SPE_WANT_* */
	bool strip;                  /* with decode_traces: drop other samples */
	bool convert_chains;         /* registers and stacks to call chains */
	/* "FILE,PID[,OFFSET[,SCALE]]": insert a guest's records and do nothing else; or NULL */
	const char *guest_data;
};

int rewrite_recording(struct context *ctx, const struct rewrite_settings *s, struct reason *r);

/* chain.c: user registers and stack replaced by an ordinary call chain */

/* Reports whether the event's samples have registers and stack. */
bool rewrite_has_stack(const struct perf_event_attr *attr);
/* Changes the attr of an event whose samples are converted. */
void rewrite_chain_attr(struct perf_event_attr *attr);
/*
 * Appends the sample to out: its chain is s->chain (the session's, with the unwound part);
 * registers and stack are left out. Cuts off what does not fit in a record, from the root's end.
 */
void rewrite_chain(const struct event_set *set, const struct record *rec, const struct sample *s,
		   struct strbuf *out);

/* objects.c: the pass that finds objects and their build-ids */

struct rewrite_objects {
	bool ids;                          /* put build-ids into the writer */
	bool all;                          /* list all objects, not only those with samples */
	bool cache;                        /* copy the objects into the build-id cache */
	struct debug_servers *servers;     /* and what only they have; NULL uses no servers */
	const struct rewrite_known *known; /* or NULL */
	const struct build_id *kernel;     /* or NULL for the running one */
	const char *guestmount;            /* or NULL */
	/*
	 * Returns the path of a kept file of the image, which is not found under its name, or NULL.
	 * The caller frees the path. May be NULL.
	 */
	char *(*held)(void *arg, const struct image *img);
	/*
	 * The build-id that a file had when it was mapped, of size 0 where it had none: it may have
	 * been overwritten since.  false: not known.  held_id NULL: of none.
	 */
	bool (*held_id)(void *arg, const struct image *img, struct build_id *id);
	void *held_arg;
	bool say_ended;   /* warn of programs at whose exec the kernel stopped the events ... */
	const char *said; /* except this one, which the user knows about; or NULL */
};
/*
 * Reads the records of path, finds the objects that have samples (or all) and puts their build-ids
 * into w's features; also the times of the first and last sample. Anything missing is a condition
 * and only costs names later.
 */
void rewrite_find_objects(struct context *ctx, struct data_writer *w, const char *path,
			  const struct rewrite_objects *o);

#endif
