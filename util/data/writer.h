/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing perf.data, to a file or a pipe.
 *
 * Order of calls: data_create, data_write_header (events and ids fixed),
 * data_write* many times, data_flush after each round, data_finish with the
 * features.  After each flush the header's data.size is right, so a killed
 * recorder leaves a readable file.
 * What goes into a default file: see "What other tools must be able to read" in
 * Documentation/design.
 * A directory (data_create_directory) has a header file and parts with records
 * alone: data_part() after data_compress() and before data_finish(), which closes
 * them all.
 * Threads: one writer or part, one thread at a time; data_written() and data_taken()
 * of a directory may be asked while its parts are written.
 */
#ifndef DATA_WRITER_H
#define DATA_WRITER_H

#include "base/context.h"
#include "base/strbuf.h"
#include "event/event.h"

struct data_writer;
struct record;

/*
 * Creates a recording. path "-" is a pipe on standard output. An older recording of that name,
 * which becomes PATH.old if keep_old is true, stays there until data_begun(). The new one has mode
 * 0600.
 */
int data_create(struct context *ctx, const char *path, bool keep_old, struct data_writer **out,
		struct reason *r) MUST_CHECK;
/* Works like data_create(), but nothing changes until data_finish(): the file has no name. */
int data_create_whole(struct context *ctx, const char *path, struct data_writer **out,
		      struct reason *r) MUST_CHECK;
/*
 * Works like data_create(), with PATH a directory, which is locked: what this writer writes is
 * PATH/data. The caller may put other parts of a recording into data_directory(), which is valid
 * until data_begun().
 */
int data_create_directory(struct context *ctx, const char *path, bool keep_old,
			  struct data_writer **out, struct reason *r) MUST_CHECK;
char *data_directory(const struct data_writer *w); /* the caller frees it */
/*
 * Checks whether a recording could be created at PATH and replace what is there; changes nothing.
 * *keep, unless NULL, becomes true if an older one is there, which would become PATH.old.
 */
int data_may_create(const char *path, bool *keep, struct reason *r);
/*
 * Makes way before the work starts: an older recording gets the name PATH.old, or the error says
 * why it cannot. Unless data_begun() follows, closing the writer gives both names back.
 */
int data_make_way(struct data_writer *w, struct reason *r) MUST_CHECK;
/*
 * Gives the recording its name, now that the work has started. An existing one is kept as PATH.old;
 * an older PATH.old is removed if it is a file or a recording. A directory that is not a recording
 * is left alone, at either name, with -EEXIST. A symbolic link at PATH is followed, and one at
 * PATH.old is refused (base/replace.h). data_finish() does this where it was not done, and this
 * does what data_make_way() does.
 */
int data_begun(struct data_writer *w, struct reason *r) MUST_CHECK;
/* Makes the next part, PATH/data.0, data.1 and so on, for data_write() and data_flush() only. */
int data_part(struct data_writer *w, struct data_writer **part, struct reason *r) MUST_CHECK;
/* Removes a file, or a directory that is a recording and contains nothing else. */
int data_remove(const char *path, struct reason *r);
/*
 * Gives the file the other byte order than the host, before anything is set. What this header's
 * functions build is converted; records must come in that order. Not with data_compress(), nor with
 * features other than EVENT_DESC, GROUP_DESC, SAMPLE_TIME, BUILD_ID and copies.
 */
void data_set_other_order(struct data_writer *w);
/*
 * Compresses records from here on into COMPRESSED records, at a level of zstd (1 is quick, 22
 * small); called before data_write_header().
 */
int data_compress(struct data_writer *w, int level, struct reason *r);
/*
 * Copies writes from here on for a thread to do, of which this many may wait; called before
 * data_write_header(). A later call reports a failure.
 */
int data_write_behind(struct data_writer *w, unsigned buffers, struct reason *r);
int data_write_header(struct data_writer *w, const struct event_set *set, struct reason *r);
/* Writes whole records. */
int data_write(struct data_writer *w, const void *data, size_t size, struct reason *r);
/* Writes records in two pieces (a ring's wrap) in one system call. */
int data_write2(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
		struct reason *r);
/* A piece of an AUX area: an AUXTRACE record and its bytes, which are never compressed. */
struct data_aux {
	const u8 *first, *second; /* second NULL unless it wraps */
	u64 first_size, second_size;
	u64 offset;    /* the place of the piece in all data of the area so far */
	u64 reference; /* the same for pieces of one moment, different for others */
	u32 idx;       /* the number of the area */
	s32 tid, cpu;  /* -1: any */
};
int data_write_aux(struct data_writer *w, const struct data_aux *a, struct reason *r);
/* Writes one that was read from a file, unchanged. */
int data_write_auxtrace(struct data_writer *w, const struct record *rec, const void *payload,
			size_t size, struct reason *r);
/* Makes what was written so far readable. */
int data_flush(struct data_writer *w, struct reason *r);
/*
 * Works like data_flush(), also for what still waits. From then on the calling thread itself
 * writes.
 */
int data_settle(struct data_writer *w, struct reason *r);
/* Returns the bytes of records so far, as they are in the file and all parts. */
u64 data_written(const struct data_writer *w);
u64 data_taken(const struct data_writer *w);  /* the same before compression */
u64 data_offset(const struct data_writer *w); /* where the data section begins */

/*
 * Sets a feature section, in any order. A file has them at its end, so they are kept until
 * data_finish(). A stream has them at its beginning, so those for it must be set before
 * data_write_header() (except BUILD_ID, which data_finish() sends as records).
 */
void data_feature_set(struct data_writer *w, unsigned feature, const void *data, size_t size);
/* Works like data_feature_set(), for a section in the file's own byte order. */
void data_feature_copy(struct data_writer *w, unsigned feature, const void *data, size_t size);
void data_feature_set_string(struct data_writer *w, unsigned feature, const char *s);
/* Sends what BUILD_ID has now to a stream, before the samples. Does nothing for a file. */
int data_send_build_ids(struct data_writer *w, struct reason *r);
/*
 * Writes features and the final header and closes the file; returns 0 or -errno, and frees w in any
 * case. Also called after a write that failed: what is whole stays, and a disk that was full has
 * room reserved for the features.
 */
int data_finish(struct data_writer *w, struct reason *r);
/* Closes the file without features, as a killed recorder would. */
void data_abandon(struct data_writer *w);
/* Works like data_abandon(); before data_begun(), also removes what data_create() made. */
void data_take_back(struct data_writer *w);

/* What the features say of a machine and a recording; NULL, 0: leave that feature out. */
struct data_facts {
	const char *hostname, *release, *version, *arch, *cpu_description, *cpuid;
	u32 cpus_online, cpus_available;
	u64 memory_total; /* kB */
	const char *const *argv;
	size_t argc;

	struct data_topology {
		/* sibling lists: "0-3,8" */
		const char *const *packages, *const *cores, *const *dies;
		size_t package_count, core_count, die_count;
		/* cpus_available of them */
		const struct data_cpu {
			u32 core, package, die;
		} * cpus;
	} topology;
	const struct data_node {
		u32 node;
		u64 memory_total, memory_free; /* kB */
		const char *cpus;              /* "0-3" */
	} * nodes;
	size_t node_count;
	const struct data_pmu {
		u32 type;
		const char *name;
	} * pmus;
	size_t pmu_count;
	const struct data_cache {
		u32 level, line_size, sets, ways;
		const char *type, *size, *cpus; /* "Data", "32K", "0-1" */
	} * caches;
	size_t cache_count;
	u64 memory_block_size; /* bytes */
	const struct data_memory {
		u64 node;
		const u32 *blocks; /* numbers of present blocks, ascending */
		size_t block_count;
	} * memory;
	size_t memory_count;
	/* PMU "cpu" gives CPU_PMU_CAPS, the others PMU_CAPS */
	const struct data_pmu_caps {
		const char *pmu;
		const struct data_cap {
			const char *name, *value;
		} * caps;
		size_t cap_count;
	} * pmu_caps;
	size_t pmu_caps_count;
};
/* Sets the features HOSTNAME to CMDLINE and everything else that facts has. */
void data_set_facts(struct data_writer *w, const struct data_facts *facts);
/* Sets EVENT_DESC, and GROUP_DESC when there are groups. */
void data_set_events(struct data_writer *w, const struct event_set *set);
/* Sets the times of the first and last sample, in ns. */
void data_set_sample_time(struct data_writer *w, u64 first, u64 last);
/* Sets the clock of -k: its resolution in ns, and both clocks read at one moment. */
void data_set_clock(struct data_writer *w, u32 clockid, u64 resolution, u64 wall_ns, u64 clock_ns);
/*
 * Converts one record that is only a header (FINISHED_ROUND) to the other byte order; the next,
 * entries of BUILD_ID.
 */
void data_turn_header(void *record);
void data_turn_build_ids(void *entries, size_t size);
/* Appends one entry to b, the BUILD_ID feature's data; misc is the cpumode. */
void data_build_id_add(struct strbuf *b, u16 misc, s32 pid, const u8 *id, u8 size,
		       const char *name);

/* Appends a record to b, padded to 8 bytes, with its header filled in; so do the next functions. */
void record_build_finished_round(struct strbuf *b);
void record_build_finished_init(struct strbuf *b);
/* Appends EVENT_UPDATE records, unit, scale and name of each event, for streams. */
void record_build_event_updates(struct strbuf *b, const struct event_set *set);

#endif
