/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer's own view of itself, inside the data component.
 *
 * writer.c opens, finishes and closes; old.c makes room for the output; writer_records.c brings
 * records to the file, packed or by a thread, and reports how many; writer_header.c makes what
 * comes before and after them.
 */
#ifndef DATA_WRITER_INTERNAL_H
#define DATA_WRITER_INTERNAL_H

#include "base/temporary.h"
#include "data/behind.h"
#include "data/compress.h"
#include "data/internal.h"
#include "data/writer.h"

enum {
	DATA_SIZE_AT = 48, /* where data.size is in the header */
};

struct aux_place {
	u64 offset, size; /* the extent of a record in the file, without its payload */
};

/* How an older recording made way for the new one. */
enum data_way {
	DATA_WAY_NONE,
	DATA_WAY_RENAMED,   /* it is PATH.old, and PATH is free */
	DATA_WAY_EXCHANGED, /* it is PATH.old, and what that was is at PATH */
};

struct data_writer {
	struct context *ctx;
	char *path;
	int fd;
	bool pipe, header_written;
	u64 begin;      /* offset of the first record */
	u64 written;    /* bytes of records */
	u64 flushed;    /* the same as the header says */
	int err;        /* what the first failed write failed with */
	int reserve_fd; /* an unlinked file that keeps room for the features; -1: none */
	u64 ids_size;   /* bytes of the ids, between header and attrs */
	u64 attrs_size;
	u32 attr_size;
	u64 taken; /* bytes of records that the caller gave */
	/* for other threads: written and what the compressor keeps, and taken */
	u64 shown_written, shown_taken;
	bool directory;
	int at;           /* path's last part is in this directory; AT_FDCWD: path says all */
	int directory_fd; /* of a directory: it is locked until this is closed; else -1 */
	bool made;        /* nothing had this name */
	/* what has no name yet: a file, or the directory that path's file is in */
	struct temporary whole;
	struct temporary_directory whole_directory;
	char *final; /* the path that it gets, or NULL */
	bool made_way;
	enum data_way way;
	bool part;                       /* data.N of a directory: records alone */
	VEC(struct data_writer *) parts; /* the files of a directory; closed with it */
	VEC(struct aux_place) aux;       /* AUXTRACE records */
	struct compressor *compressor;   /* NULL: records are written as they are */
	int level;
	struct behind *behind; /* NULL: writes are done immediately */
	struct strbuf packed;  /* COMPRESSED records on their way */
	struct strbuf features[FEATURE_BITS];
	bool has_feature[FEATURE_BITS];
	bool ordered_feature[FEATURE_BITS]; /* in the file's byte order already */
	bool swap;                          /* the file has the other byte order than the host */
};

/* writer_records.c */

/* Sets the reason, once; later calls fail with the same error. Returns -err. */
int writer_failed(struct data_writer *w, int err, struct reason *r);
/* Waits until everything so far is written. */
int writer_wait_behind(struct data_writer *w, struct reason *r);
/* Waits until all is written; what could not be written is cut off. */
int writer_end_behind(struct data_writer *w, struct reason *r);
int writer_write_buffer(struct data_writer *w, const struct strbuf *b, struct reason *r);
/* Writes whole records in two pieces (each may be empty), unchanged; they count as written. */
int writer_write_records(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
			 struct reason *r);

/* old.c: is the entry of dir, no symbolic link, of this type (S_IFREG ...)? */
bool data_is_type(int dir, const char *name, mode_t type);
bool data_is_empty_directory(int dir, const char *name);
/* Renames the recording at PATH, if one is there, to PATH.old; data_begun() has the rules. */
int data_keep_old(const char *path, enum data_way *way, struct reason *r);
/* Undoes it, as far as it can be undone. */
void data_give_back_old(const char *path, enum data_way way);
/* Locks an open directory until fd is closed. Returns -EBUSY if another recorder writes to it. */
int data_lock_directory(int fd, const char *path, struct reason *r);
/*
 * Returns where an output of that name goes, following a link, or NULL if that is not allowed. The
 * caller frees it.
 */
char *data_place(const char *path, struct reason *r);

/* writer_header.c */

int writer_write_file_header(struct data_writer *w, const struct event_set *set, struct reason *r);
int writer_write_stream_header(struct data_writer *w, const struct event_set *set,
			       struct reason *r);
/* Appends the header with these feature bits to b. */
void writer_file_header(const struct data_writer *w, struct strbuf *b, const u64 bits[4]);
/* Sets the feature COMPRESSED from what was written; the next function sets AUXTRACE. */
void writer_set_compressed(struct data_writer *w);
void writer_set_aux_places(struct data_writer *w);
/* Brings the sections that were built here into the file's byte order, from here on. */
void writer_order_features(struct data_writer *w);
/* Appends the table and the sections after it to b, and sets their bits. */
void writer_build_features(const struct data_writer *w, struct strbuf *b, u64 bits[4]);

#endif
