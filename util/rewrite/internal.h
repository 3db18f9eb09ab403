/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the rewrite component share. run.c opens, drives and closes; build_id.c finds
 * the build-id of an image; objects.c is the pass that finds the objects of a file; hits.c finds
 * them as a stream passes. maps.c writes mappings with build-ids; chain.c converts chains; jit.c
 * inserts mappings of code that was made at run time. sched.c merges scheduler events; aslr.c moves
 * addresses; guest.c inserts the records of a guest.
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

/*
 * Finds the build-id of the kernel that --vmlinux or --kallsyms names; size 0 if neither is given.
 */
int kernel_named(const struct rewrite_settings *s, struct build_id *id, struct reason *r);

/* Finds the files of images. */
struct image_files {
	struct image_table *images;
	struct history *history;
	const struct rewrite_known *known;                 /* or NULL */
	const struct build_id *kernel;                     /* or NULL for the running one */
	const char *guestmount;                            /* or NULL */
	char *(*held)(void *arg, const struct image *img); /* as in struct rewrite_objects */
	bool (*held_id)(void *arg, const struct image *img, struct build_id *id);
	void *held_arg;
	s32 *owners; /* by image: a live process that has it mapped; NULL until needed */
	u32 owner_count;
};
/*
 * Returns the path of the file that was mapped: under its name, or under that name in the mount
 * namespace of a process that has it mapped (a container). Returns NULL if it is gone or was
 * replaced. The caller frees it.
 */
char *image_file(struct image_files *f, const struct image *img);
/* Reports whether the file of that name is the one that was mapped. */
bool image_is_file(const struct image *img, const char *path);
/* Appends an entry of the BUILD_ID feature to b. */
void image_add_build_id(struct strbuf *b, const struct image *img, const struct build_id *id);
/* Finds an image's build-id; file is that of image_file(), or NULL. Returns 0 or -ENOENT. */
int image_find_build_id(const struct image_files *f, const struct image *img, const char *file,
			struct build_id *id);
void image_files_release(struct image_files *f);

/* The state of one run. */
struct rewriter {
	struct context *ctx;
	const struct rewrite_settings *s;
	struct session *session;
	struct data_reader *reader;
	struct data_writer *writer;
	struct event_set *in; /* the reader's */
	struct event_set out; /* a copy with changed attrs */
	bool to_stream, from_stream;
	bool in_order;     /* records come in order of time */
	bool needs_stacks; /* a later run will convert them */
	bool no_rounds;    /* leave out FINISHED_ROUND records, which would be wrong */
	struct strbuf buf; /* records that wait to be written */
	struct rewrite_known known;
	struct build_id kernel; /* the kernel that the user named; size 0 if none */
	struct image_files files;
	/* hits.c */
	struct chains *chains;
	frame_id frames_seen;
	VEC(u8) image_seen;  /* by image */
	struct strbuf found; /* BUILD_ID entries for the file's end */
	/* maps.c */
	struct strmap maps_seen;
	/* jit.c; NULL if unused */
	struct jit_pass *jit;
	struct sched_pass *sched; /* sched.c */
	struct aslr_pass *aslr;   /* aslr.c */
	struct guest_pass *guest; /* guest.c */
	u64 written_at_round;
};

/* Notes the build-ids of objects that a sample touches (hits.c). */
void hits_note(struct rewriter *w, const struct session_sample *s);
/* Writes a build-id: into a stream immediately, before the sample; into a file at its end. */
void hits_tell(struct rewriter *w, const struct image *img, const struct build_id *id);
void hits_release(struct rewriter *w);
/* Calls fn for each image that a sample and its chain touch. */
void hits_each_location(struct rewriter *w, const struct session_sample *s,
			void (*fn)(struct rewriter *w, const struct session_sample *s,
				   const struct location *l));

/* Starts the pass of jit.c. */
void jit_start(struct rewriter *w);
void jit_release(struct rewriter *w);
/* Maps what was made until this time, before a record or a sample of it. */
int jit_before(struct rewriter *w, u64 time, struct reason *r);
/* Writes mappings and objects of the code that a sample touches, after jit_before(). */
int jit_touch(struct rewriter *w, const struct session_sample *s, struct reason *r);
/* Takes a record; sets *drop if it must not be written. */
int jit_take_record(struct rewriter *w, const struct record *rec, bool *drop, struct reason *r);
void jit_end(struct rewriter *w);
/*
 * Returns the place of the objects: beside the output, or beside each jitdump file if that is a
 * stream.
 */
struct jit_objects *jit_objects_new(const char *output, bool stream);
/* Frees it; if failed, also removes the directories and objects that were made. */
void jit_objects_free(struct jit_objects *o, bool failed);

/* Starts the pass of sched.c. */
int sched_start(struct rewriter *w, struct reason *r);
/* Takes a sample. Returns true if it did; what to write of it is in w->buf. */
bool sched_take(struct rewriter *w, const struct session_sample *s);
void sched_release(struct rewriter *w);

/* Starts the pass of aslr.c. */
void aslr_start(struct rewriter *w);
void aslr_attr(struct perf_event_attr *attr);
void aslr_put_sample(struct rewriter *w, const struct session_sample *s);
/* Takes a record. Returns true if it did. */
bool aslr_take_record(struct rewriter *w, const struct record *rec, const struct order_key *key);
void aslr_release(struct rewriter *w);

/* Starts the pass of guest.c. These functions do nothing, or are not called, without a guest. */
int guest_start(struct rewriter *w, struct reason *r);
/* Adds the guest's events, after the host's. */
void guest_add_events(struct rewriter *w);
void guest_add_build_ids(struct rewriter *w, struct strbuf *b);
/* Prepares the guest's records, after the header was written and before any record. */
int guest_begin(struct rewriter *w, struct reason *r);
/* Writes the guest's records up to that time, which come before this record of the host. */
int guest_before(struct rewriter *w, const struct record *rec, u64 time, struct reason *r);
int guest_end(struct rewriter *w, struct reason *r);
void guest_release(struct rewriter *w);

/* generated.c */
/*
 * Keeps the description of generated code in the cache: a jitdump file that this image is from, or
 * the perf map of generated code that was hit. Returns false if it is neither, or cannot be kept.
 */
bool generated_keep(struct context *ctx, struct image_files *f, const struct image *img, bool hit,
		    struct build_id *id);

/* maps.c */
struct map_text {
	u32 pid, tid;
	u64 start, len, pgoff;
	u32 prot, flags;
	const char *name;
	const struct build_id *id; /* NULL: write device and inode */
	u32 maj, min;
	u64 ino;
};
/* Writes a new mapping at the given time. */
void maps_put_at(struct rewriter *w, const struct map_text *m, u64 time);
/* Writes a mapping's record, with its build-id if known. */
void maps_put_record(struct rewriter *w, const struct record *rec);
/* Writes the build-id of a mapping, once for each file. */
void maps_note_record(struct rewriter *w, const struct record *rec);
/* Writes the mappings that a sample touches, before it, once for each process. */
void maps_put_hits(struct rewriter *w, const struct session_sample *s);
void maps_release(struct rewriter *w);

#endif
