/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading perf.data: a file, a directory's files, or a pipe.
 *
 * What it is: the header, the events with their ids, the feature sections, and the data section as
 * chunks of whole records. A file is cut in blocks of at most 256 KB on record boundaries.
 * data_scan() walks them once in order (pass 1) and finds the boundaries; after that data_block()
 * gives any block to any thread, in any order (pass 2). A pipe, and a compressed file, can only be
 * walked with data_next(). Payload outside header.size (after AUXTRACE and TRACING_DATA) is never
 * in a chunk: a chunk ends after such a record and the next one begins after the payload, which
 * data_payload() reads.
 * Memory: chunks are read into buffers of 256 KB that are used again, so a file of any size costs
 * one buffer for each chunk in use.
 * Damage: a record of impossible size ends or re-synchronises the walk; it is noted as a condition
 * with its offset, and never a crash.
 * Byte order: the header, attrs and features are converted to the host's; records are not (see
 * event/sample.h), but struct record is.
 * Threads: data_block() may be called by many threads simultaneously; the rest by one.
 * data_scan_sideband() starts threads where a file is large; its callbacks run on the caller's.
 * Source: Documentation/perf.data-format.md
 */
#ifndef DATA_READER_H
#define DATA_READER_H

#include "base/context.h"
#include "event/sample.h"

struct data_reader;
struct arch;
struct tracepoint_formats;

/* A run of whole records that stays readable until chunk_release(). */
struct data_chunk {
	const u8 *data;
	size_t size;     /* bytes */
	u64 position;    /* where data[0] is, after decompression */
	u64 file_offset; /* where data[0] is in the file, or its compressed record */
	bool swap;
	bool inflated; /* came out of COMPRESSED records: file_offset is the first of those */
	u32 file;      /* file number, for order keys */
	void *owner;
	void *payload; /* what data_payload() returned: heap memory */
};
void data_chunk_release(struct data_chunk *c);
/*
 * Steps through a chunk. *at is an offset in it, 0 at the start. Returns false at the end. Records
 * in chunks are whole.
 */
static inline bool data_chunk_record(const struct data_chunk *c, size_t *at, struct record *rec)
{
	size_t from = *at;

	if (from >= c->size || c->size - from < sizeof(struct record_header))
		return false;
	rec->data = c->data + from;
	rec->type = load_u32(rec->data, c->swap);
	rec->misc = load_u16(rec->data + 4, c->swap);
	rec->size = load_u16(rec->data + 6, c->swap);
	if (unlikely(rec->size < sizeof(struct record_header) || rec->size > c->size - from))
		return false;
	rec->position = c->position + from;
	rec->file_offset = c->inflated ? c->file_offset : c->file_offset + from;
	rec->file = c->file;
	*at = from + rec->size;
	return true;
}

/*
 * Opens a recording. path "-" is standard input; NULL is "perf.data", or standard input when that
 * is a pipe. A directory means all of its data files. Unless force, the file must belong to the
 * user or to root.
 */
int data_open(struct context *ctx, const char *path, bool force, struct data_reader **out,
	      struct reason *r) MUST_CHECK;
void data_close(struct data_reader *d);

const char *data_path(const struct data_reader *d);
/*
 * Returns PATH/kcore_dir/NAME of a directory that has it (record --kcore), which the caller frees,
 * or NULL.
 */
char *data_kernel_file(const struct data_reader *d, const char *name);
bool data_is_pipe(const struct data_reader *d);
bool data_is_swapped(const struct data_reader *d);
/* Returns the size of the data section (all files), 0 for a pipe. */
u64 data_size(const struct data_reader *d);
/*
 * Returns the events. From a pipe they arrive during reading, and are complete before the first
 * sample.
 */
struct event_set *data_events(struct data_reader *d);
/*
 * Returns the architecture of the recording machine (FEATURE_ARCH, E_MACHINE), or the host's if the
 * file does not say.
 */
const struct arch *data_arch(const struct data_reader *d);
/*
 * Returns the formats, loaded from TRACING_DATA on first use, or NULL with a reason when there are
 * none.
 */
const struct tracepoint_formats *data_tracepoints(struct data_reader *d, struct reason *r);

/*
 * Reads the next chunk in file order. Returns 1, 0 at the end, or -errno. Handles COMPRESSED
 * records, HEADER_* records of a pipe, and every file of a directory.
 */
int data_next(struct data_reader *d, struct data_chunk *c, struct reason *r);
int data_rewind(struct data_reader *d, struct reason *r);
/* Refuses an output ("-": standard output) that is the recording which is read, under any name. */
int data_refuse_same(const char *input, const char *output, struct reason *r) MUST_CHECK;
/*
 * Reads records of a pipe, before the first data_next(), until decides() returns true or the pipe
 * ends. data_next() delivers all of them again.
 */
int data_read_until(struct data_reader *d, bool (*decides)(void *arg, const struct record *rec),
		    void *arg, struct reason *r) MUST_CHECK;

/*
 * Least and greatest key time of a block's records, ns.  A kernel record's key is
 * its time (0: before everything); a record without one takes its predecessor's.
 */
struct data_block_info {
	u64 file_offset, size;
	u64 min_time, max_time;
	u64 first_order; /* key time that the block's first record without a time takes */
	u32 file;
};
/*
 * Runs pass 1: calls record() (may be NULL) for each record in file order and fills the block
 * table. After it data_block_count() > 0 for files that are not compressed. record() returns < 0 to
 * stop.
 */
int data_scan(struct data_reader *d,
	      int (*record)(void *arg, const struct record *rec, const struct order_key *key),
	      void *arg, struct reason *r);
/*
 * The same for callers that need no more of samples than how many there are and their least time.
 */
struct data_scanned {
	u32 file;
	u64 position;          /* where the chunk's first record is */
	u64 min_time, samples; /* over all of its records, ns; the number of SAMPLE records in it */
};
struct data_scan_ops {
	/* Every other record; before: key time of the record before it, samples included. */
	int (*record)(void *arg, const struct record *rec, const struct order_key *key, u64 before);
	/* After the records of each chunk. */
	void (*chunk)(void *arg, const struct data_scanned *c);
};
int data_scan_sideband(struct data_reader *d, const struct data_scan_ops *ops, void *arg,
		       struct reason *r);
size_t data_block_count(const struct data_reader *d);
const struct data_block_info *data_block_info(const struct data_reader *d, size_t block);
int data_block(struct data_reader *d, size_t block, struct data_chunk *c, struct reason *r);

/*
 * Returns how many COMPRESSED (or COMPRESSED2) records have been seen so far. data_next() and
 * data_scan() replace them by what is in them, so nothing else sees them.
 */
u64 data_compressed_records(const struct data_reader *d, u32 type);

/*
 * Reads the payload that follows an AUXTRACE or TRACING_DATA record, which data_chunk_release()
 * frees. For a stream, only that of the newest chunk's last record, once.
 */
int data_payload(struct data_reader *d, const struct record *rec, struct data_chunk *c,
		 struct reason *r);

/* Reports whether the file has a feature. */
bool data_has_feature(const struct data_reader *d, unsigned feature);
/* Returns a feature's name, such as "HOSTNAME", or NULL when it is unknown. */
const char *data_feature_name(unsigned feature);
/* Returns the raw section, which d owns, or NULL when it is absent. */
const void *data_feature(const struct data_reader *d, unsigned feature, size_t *size);
/* Returns a string feature (HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID), or NULL. */
const char *data_feature_string(struct data_reader *d, unsigned feature);
/* Returns CMDLINE: argc strings, owned by d. */
const char *const *data_cmdline(struct data_reader *d, size_t *argc);

/*
 * Returns the name that the PMU of this type had on the recording machine (PMU_MAPPINGS), or NULL
 * if the file does not say.
 */
const char *data_pmu_name(struct data_reader *d, u32 type);

/*
 * Calls fn with what each PMU of the recording machine says by this name (PMU_CAPS), which lives as
 * long as d.
 */
void data_pmu_caps(struct data_reader *d, const char *name,
		   void (*fn)(void *arg, const char *value), void *arg);

struct data_build_id {
	u16 misc; /* cpumode */
	s32 pid;  /* -1, or a guest's */
	u8 id[20], size;
	const char *name;
};
/* Returns the build IDs of the feature section or of a pipe's records; d owns them. */
const struct data_build_id *data_build_ids(struct data_reader *d, size_t *count);

/* Where a CPU sits; node -1: not known. */
struct data_place {
	s32 core, die, socket, node;
};
/*
 * Finds the place of each CPU. Returns how many there are, 0 when the file does not say; the caller
 * frees *out.
 */
u32 data_places(struct data_reader *d, struct data_place **out);
/*
 * Finds the cache of a level (0 means the last) that serves each of count CPUs: the first CPU that
 * shares it, and its level; -1 means unknown.
 */
void data_place_caches(struct data_reader *d, u32 level, s32 *caches, s32 *levels, u32 count);

struct strbuf;
/* Prints the "# hostname : ..." block of --header as 6.1 does; full is for -I. */
void data_header_print(struct data_reader *d, struct strbuf *out, bool full);

#endif
