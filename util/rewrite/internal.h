/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rewrite component's own view of itself.
 *
 * run.c opens, drives and closes; build_id.c says which build-id an image has;
 * objects.c is the pass that finds the objects of a file; hits.c finds them as a
 * stream goes by; maps.c writes mappings with build-ids; chain.c converts chains;
 * jit.c puts in mappings of code that was made at run time; sched.c merges scheduler
 * events; aslr.c moves addresses; guest.c puts in the records of a guest.
 */
#ifndef REWRITE_INTERNAL_H
#define REWRITE_INTERNAL_H

#include "base/text.h"
#include "chain/chain.h"
#include "data/reader.h"
#include "object/image.h"
#include "rewrite/rewrite.h"
#include "session/session.h"

/* build_id.c */

struct rewrite_known {
	struct known_id {
		struct build_id id;
		char *path;
	} * items;
	size_t count;
};
int known_parse(struct rewrite_known *k, const char *text, struct reason *r);
const struct build_id *known_find(const struct rewrite_known *k, const char *path);
void known_release(struct rewrite_known *k);

/* The build-id of the kernel that --vmlinux or --kallsyms names; size 0: neither does. */
int kernel_named(const struct rewrite_settings *s, struct build_id *id, struct reason *r);

/* Finds the files behind images. */
struct image_files {
	struct image_table *images;
	struct history *history;
	const struct rewrite_known *known;                 /* or NULL */
	const struct build_id *kernel;                     /* or NULL: of the running one */
	const char *guestmount;                            /* or NULL */
	char *(*held)(void *arg, const struct image *img); /* as in struct rewrite_objects */
	void *held_arg;
	s32 *owners; /* by image: a live process that has it mapped; NULL: not asked yet */
	u32 owner_count;
};
/*
 * The file that was mapped: under its name, or under that name in the mount
 * namespace of a process that has it mapped (a container).  NULL: gone, or another
 * one has its place.  The caller frees it.
 */
char *image_file(struct image_files *f, const struct image *img);
/* Is the file of that name the one that was mapped? */
bool image_is_file(const struct image *img, const char *path);
/* Append it to b as an entry of the BUILD_ID feature. */
void image_add_build_id(struct strbuf *b, const struct image *img, const struct build_id *id);
/* file: of image_file(), or NULL.  0, or -ENOENT. */
int image_find_build_id(const struct image_files *f, const struct image *img, const char *file,
			struct build_id *id);
void image_files_release(struct image_files *f);

/* What one run works with. */
struct rewriter {
	struct context *ctx;
	const struct rewrite_settings *s;
	struct session *session;
	struct data_reader *reader;
	struct data_writer *writer;
	struct event_set *in; /* the reader's */
	struct event_set out; /* the same with changed attrs */
	bool to_stream, from_stream;
	bool in_order;     /* records come in order of time */
	bool needs_stacks; /* a run after this one will convert them */
	bool no_rounds;    /* FINISHED_ROUND records would be wrong in the output */
	struct strbuf buf; /* records that wait to be written */
	struct rewrite_known known;
	struct build_id kernel; /* the kernel that was named; size 0: none */
	struct image_files files;
	/* hits.c */
	struct chains *chains;
	frame_id frames_seen;
	VEC(u8) image_seen;  /* by image */
	struct strbuf found; /* BUILD_ID entries for the file's end */
	/* maps.c */
	struct strmap maps_seen;
	/* jit.c; NULL: not asked for */
	struct jit_pass *jit;
	struct sched_pass *sched; /* sched.c */
	struct aslr_pass *aslr;   /* aslr.c */
	struct guest_pass *guest; /* guest.c */
	u64 written_at_round;
};

/* hits.c: build-ids as samples go by */
void hits_note(struct rewriter *w, const struct session_sample *s);
/* In a stream at once, before the sample; a file has them at its end. */
void hits_tell(struct rewriter *w, const struct image *img, const struct build_id *id);
void hits_release(struct rewriter *w);
/* Each image that a sample and its chain touch: fn(). */
void hits_each_location(struct rewriter *w, const struct session_sample *s,
			void (*fn)(struct rewriter *w, const struct session_sample *s,
				   const struct location *l));

/* jit.c */
void jit_start(struct rewriter *w);
void jit_release(struct rewriter *w);
/* Before a record or a sample of this time: what was made until then is in memory. */
int jit_before(struct rewriter *w, u64 time, struct reason *r);
/* After that, before a sample: mappings and objects of the code that it touches. */
int jit_touch(struct rewriter *w, const struct session_sample *s, struct reason *r);
/* A record on its way; *drop: it is not written. */
int jit_take_record(struct rewriter *w, const struct record *rec, bool *drop, struct reason *r);
void jit_end(struct rewriter *w);
/* Where objects go: beside the output, or, when that is a stream, beside each jitdump file. */
struct jit_objects *jit_objects_new(const char *output, bool stream);
/* failed: removes the directories that were made, and the objects in them. */
void jit_objects_free(struct jit_objects *o, bool failed);

/* sched.c */
int sched_start(struct rewriter *w, struct reason *r);
/* True: the sample was taken, what is to be written of it is in w->buf. */
bool sched_take(struct rewriter *w, const struct session_sample *s);
void sched_release(struct rewriter *w);

/* aslr.c */
void aslr_start(struct rewriter *w);
void aslr_attr(struct perf_event_attr *attr);
void aslr_put_sample(struct rewriter *w, const struct session_sample *s);
/* True: taken. */
bool aslr_take_record(struct rewriter *w, const struct record *rec, const struct order_key *key);
void aslr_release(struct rewriter *w);

/* guest.c; the functions do nothing, or are not called, where no guest is put in */
int guest_start(struct rewriter *w, struct reason *r);
/* Its events, after the host's. */
void guest_add_events(struct rewriter *w);
void guest_add_build_ids(struct rewriter *w, struct strbuf *b);
/* After the header was written, before any record. */
int guest_begin(struct rewriter *w, struct reason *r);
/* Writes the guest's records up to that time, which come before this record of the host. */
int guest_before(struct rewriter *w, const struct record *rec, u64 time, struct reason *r);
int guest_end(struct rewriter *w, struct reason *r);
void guest_release(struct rewriter *w);

/* generated.c */
/*
 * Keep what describes generated code in the cache: a jitdump file that this image is of, or the
 * perf map of generated code that was hit.  False: it is neither, or cannot be kept.
 */
bool generated_keep(struct context *ctx, struct image_files *f, const struct image *img, bool hit,
		    struct build_id *id);

/* maps.c */
struct map_text {
	u32 pid, tid;
	u64 start, len, pgoff;
	u32 prot, flags;
	const char *name;
	const struct build_id *id; /* NULL: device and inode */
	u32 maj, min;
	u64 ino;
};
/* A new mapping at a time of its own. */
void maps_put_at(struct rewriter *w, const struct map_text *m, u64 time);
/* A mapping's record, with its build-id if that is known. */
void maps_put_record(struct rewriter *w, const struct record *rec);
/* Report its build-id, once for each file. */
void maps_note_record(struct rewriter *w, const struct record *rec);
/* The mappings that a sample touches, before it, once for each process. */
void maps_put_hits(struct rewriter *w, const struct session_sample *s);
void maps_release(struct rewriter *w);

#endif
