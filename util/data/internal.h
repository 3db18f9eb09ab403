/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data component's own view of a reader.
 *
 * reader.c opens and closes; header.c reads the file header and its attrs;
 * walk.c cuts a file in chunks of whole records and repairs damage; inflate.c sits on it for
 * COMPRESSED records; pipe.c takes the header records out of a stream; scan.c is pass 1, split.c
 * lets several threads do it; feature.c gives the sections, header_print.c their text.
 */
#ifndef DATA_INTERNAL_H
#define DATA_INTERNAL_H

#include <pthread.h>

#include "base/hash.h"
#include "data/reader.h"

enum {
	BUFFER_SIZE = 1 << 18, /* a chunk's most: it stays in the cache of the core that cuts it */
	HEADER_SIZE = 104,     /* the header of perf.data, feature bits included */
	HEADER_SIZE_OLD = 72,  /* without feature bits */
	PIPE_HEADER_SIZE = 16,
	SECTION_SIZE = 16, /* offset, size */
};
#define DATA_MAGIC 0x32454c4946524550ULL /* "PERFILE2" in the writer's byte order */

/* Buffers that are lent to chunks and come back: any thread may take and give. */
struct buffer {
	struct buffer *next;
	struct buffer_pool *pool;
	u8 bytes[BUFFER_SIZE];
};
struct buffer_pool {
	pthread_mutex_t lock;
	struct buffer *free;
	unsigned idle;
};
void buffer_pool_init(struct buffer_pool *p);
void buffer_pool_release(struct buffer_pool *p);
struct buffer *buffer_get(struct buffer_pool *p);
void buffer_put(struct buffer *b);

/* One file with records: perf.data, or data.N of a directory, or a stream. */
struct data_file {
	char *path;
	int fd;
	u64 size;       /* the size of the file; UINT64_MAX for a stream */
	u64 begin, end; /* where its records are, offsets in the file */
	bool open_end;  /* the header does not say where end is: a cut last record is not damage */
	/*
	 * it is shorter than its header says, which was reported: that its last record is also cut
	 * is not news
	 */
	bool cut;
};

/* The position of the walk. */
struct walk {
	u32 file;
	u64 offset;   /* where the next record is */
	u64 position; /* where the next record handed out is, after decompression */
	bool at_end;  /* nothing more in this file */
	u64 payload;  /* bytes to step over before the next record */
	/* a stream's bytes that were read but not handed out yet */
	struct buffer *pending;
	size_t pending_size;
};

/* What a walk over one raw chunk has seen. */
struct walked {
	bool compressed; /* it has COMPRESSED records */
	bool body;       /* it has records that follow the header of a stream */
};

struct feature_section {
	u64 offset, size; /* in the file; offset 0: data came from a pipe's record */
	u8 *data;         /* NULL until first use */
	bool present, failed;
};

struct inflate; /* inflate.c */

struct data_reader {
	struct context *ctx;
	char *path;
	bool force, is_pipe; /* is_pipe: laid out as a stream */
	bool seekable;
	bool swap, big_endian;
	bool compressed;           /* COMPRESSED records were seen */
	u64 compressed_records[2]; /* how many, and how many COMPRESSED2 */
	u32 compressed_file;       /* the last counted one: file, offset after it */
	u64 compressed_end;
	bool started; /* a stream has given a chunk */
	bool told;    /* a whole pass was made: damage was reported */
	VEC(struct data_file) files;
	struct event_set events;
	bool events_dirty; /* a stream brought attrs since event_set_finish() */
	bool events_named; /* the first ones have names; late ones need them immediately */
	u64 header_taken;  /* up to this position a stream's header records were read */
	struct buffer_pool pool;
	struct walk walk;
	/* chunks of a stream that data_open() took while it looked for the events */
	VEC(struct data_chunk) ahead;
	size_t ahead_given;
	struct inflate *inflate;
	VEC(struct data_block_info) blocks;

	struct feature_section features[FEATURE_BITS];
	char *strings[FEATURE_BITS]; /* the texts of string features */
	char **cmdline;
	size_t cmdline_count;
	VEC(struct data_build_id) build_ids;
	bool build_ids_loaded;
	struct arena names; /* owns the names in build_ids */
	u64 header_data_offset, header_data_size, header_feature_offset;
	s64 file_time; /* st_mtime, for --header */
	struct tracepoint_formats *tracepoints;
	const struct arch *arch;
};

/* header.c */
int header_read(struct data_reader *d, struct reason *r);
/* Converts an attr of at most size bytes from the file's order to the host's. */
void attr_from_file(const struct data_reader *d, const u8 *p, size_t size,
		    struct perf_event_attr *attr);
/* Reads exactly n bytes with pread. Returns 0, or -errno with a reason that names the file. */
int file_read(const struct data_file *f, u64 offset, void *p, size_t n, const char *what,
	      struct reason *r);

/* spool.c */
/*
 * Copies standard input, a file of which head was read, so the reader has a seekable copy
 * afterwards.
 */
int spool(struct data_reader *d, const void *head, size_t head_size, struct reason *r);

/* walk.c */
/* Reads the next run of raw records. Returns 1, 0 at the end of all files, or -errno. */
int walk_next(struct data_reader *d, struct data_chunk *c, struct walked *seen, struct reason *r);
/*
 * Reads all n of them into *bytes, which the caller frees (NULL on failure). The memory grows as
 * they come: an announced size is not trusted.
 */
int walk_whole_payload(struct data_reader *d, u64 n, u8 **bytes, struct reason *r);
void walk_reset(struct data_reader *d);
/* Reports whether the header describes a record that a perf could have written. */
bool record_plausible(u32 type, u16 size);
/* Adds a condition about an offset of a file. */
void damage(struct data_reader *d, enum condition_weight weight, const char *code, u32 file,
	    u64 offset, const char *fmt, ...) PRINTF_LIKE(6, 7);
/* Returns how many bytes follow this record outside its size. */
u64 record_payload(const struct record *rec, bool swap);

/* inflate.c */
/* Works like walk_next(), but replaces COMPRESSED records by what is in them. */
int inflate_next(struct data_reader *d, struct data_chunk *c, struct reason *r);
/* Starts with this raw chunk, which the inflater owns from now on. */
void inflate_begin(struct data_reader *d, struct data_chunk *raw);
void inflate_reset(struct data_reader *d);

/* zstd.c: one stream of frames. NULL with a reason when built without zstd. */
struct zstd_stream;
struct zstd_stream *zstd_stream_new(struct reason *r);
void zstd_stream_free(struct zstd_stream *z);
void zstd_stream_reset(struct zstd_stream *z);
/* Advances *in_at and *out_at as far as it can. Returns 0, or -EINVAL if it is not zstd data. */
int zstd_stream_inflate(struct zstd_stream *z, const u8 *in, size_t in_size, size_t *in_at, u8 *out,
			size_t out_size, size_t *out_at, struct reason *r);

/* The other way: separate frames. */
struct zstd_press;
struct zstd_press *zstd_press_new(int level, struct reason *r);
void zstd_press_free(struct zstd_press *z);
/* Compresses n bytes of in into a frame. Returns its size, or 0 if it needs more than space. */
size_t zstd_press(struct zstd_press *z, const void *in, size_t n, void *out, size_t space);

/* pipe.c */
/* Takes what belongs to the header of a stream out of a chunk. */
int pipe_take_header(struct data_reader *d, const struct data_chunk *c, struct reason *r);
/* Reads on until the events are known. */
int pipe_read_ahead(struct data_reader *d, struct reason *r);

/* feature.c */
void features_name_events(struct data_reader *d);
/* names.c: for the events that have none yet */
void names_make_up(struct data_reader *d);
/*
 * Finds the events whose raw data says more about a sample. Call it once their attrs and the
 * features are known.
 */
void pmus_read_events(struct data_reader *d);
/* Adds one build ID record or entry of the feature. */
void feature_add_build_id(struct data_reader *d, const u8 *p, size_t size);

#endif
