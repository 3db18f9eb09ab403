/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of record: which thread reads which rings.
 *
 * begin.c writes the beginning and the end of a file; reader.c empties rings; threads.c runs
 * readers in separate threads; recorder.c watches the clock, the signals and the targets;
 * features.c fills the header; loss.c counts and explains losses.
 */
#ifndef RECORD_INTERNAL_H
#define RECORD_INTERNAL_H

#include <pthread.h>

#include "base/hash.h"
#include "data/times.h"
#include "live/offline.h"
#include "record/record.h"

/*
 * Samples of the recorder itself: pid_at is the offset of the u32 pid in a record; 0: none are left
 * out.  id_at: the same of the u64 id, by which samples of each event are counted; 0: they are not.
 */
struct record_own {
	u32 pid;
	u16 pid_at, id_at;
	const struct event_set *set; /* with id_at */
};

/*
 * One thread's rings.  Nothing in it is touched by another thread while it runs.
 */
struct record_reader {
	struct recorder *rec;
	VEC(u32) rings; /* indexes of rec->live's rings */
	struct loop loop;
	size_t extra; /* place in it for the owner's use */
	struct record_counts counts;
	struct record_own own;
	struct strbuf others;      /* what a ring has besides the recorder's own samples */
	u64 taken, taken_at_round; /* bytes out of rings */
	u64 since;                 /* it exists, ns of clock_now() */
	bool left;    /* the last turn left records in rings, since the file has no room for them */
	u64 fullest;  /* bytes of the fullest ring in this turn */
	u64 pace;     /* ns between turns; 0: as long as it takes */
	size_t first; /* ring with which the next turn begins: the first one that was left */
	struct cpu_list {
		u32 *cpus;
		size_t count;
	} * where;    /* by ring: the CPUs to run on; NULL: anywhere */
	bool hurries; /* its priority was raised */
	u32 here;     /* ring whose CPUs it runs on + 1; 0: none */
};

void reader_init(struct record_reader *rd, struct recorder *rec, int wake_fd);
void reader_release(struct record_reader *rd);
/*
 * Waits until there is data, the wake fd or the extra one (-1: none) is readable, a timer of the
 * loop is due, or even rings with little data must be emptied.
 */
void reader_wait(struct record_reader *rd, int extra_fd);
/* Makes one turn over all of its rings. Those with fewer than `least` bytes may wait. */
int reader_turn(struct record_reader *rd, u64 least, struct reason *r);
/*
 * Writes everything in the rings, including those that overwrite. If the file has no room for that,
 * only the side-band records that its samples need are written, and the rings keep their records.
 */
int reader_drain(struct record_reader *rd, struct reason *r);
/* Reports whether any ring still has a task that writes to it, after a wait. */
bool reader_alive(struct record_reader *rd);

/*
 * threads.c: the readers of settings.threads.  All calls by the main thread.
 * Between start and end they run, but between halt (when it returns all rings are
 * empty and nothing is written) and resume.
 */
struct reader_pool;
/* Starts the threads. rest gets the rings that no thread takes. */
int readers_start(struct recorder *rec, struct record_reader *rest, struct reader_pool **out,
		  struct reason *r);
int readers_halt(struct reader_pool *p, struct reason *r);
void readers_resume(struct reader_pool *p);
/* Halts them if necessary, adds their counts to rec->counts, and frees p. */
int readers_end(struct reader_pool *p, struct reason *r);
bool readers_alive(const struct reader_pool *p);
/* Reports, while they are halted, whether the file had no room for all that is in their rings. */
bool readers_left(const struct reader_pool *p);
/* Empties the rings of all threads and of the caller as far as the file has room (rec->left). */
int readers_drain_and_halt(struct recorder *rec, struct record_reader *own, struct reader_pool *p,
			   struct reason *r);
/* Notes, while they are halted, that rings were opened again. */
void readers_rings_changed(struct reader_pool *p);
/* Reports whether one of them could not go on; readers_end() says why. */
bool readers_failed(const struct reader_pool *p);

/*
 * rotate.c: bytes of records that the file may still take under --max-size and --switch-output;
 * UINT64_MAX: no limit.  From any thread.
 */
u64 record_room(const struct recorder *rec);
/*
 * Returns the same for what a consumer of records writes. With a consumer, record_room() always
 * allows rings to be read.
 */
u64 record_file_room(const struct recorder *rec);
/* Reports whether the file has reached the size at which --switch-output begins the next one. */
bool record_file_full(const struct recorder *rec);

/*
 * carry.c: records about tasks, kept for files that begin while the rings still have records of
 * tasks that ended. From any thread.
 */
struct carried_tasks {
	pthread_mutex_t lock;
	/* the records of tasks carried over, of the file's beginning and of its rings */
	struct strbuf records;
	u64 noted; /* bytes of rings, in all */
	/* how many bytes of these were noted before all rings were last emptied */
	u64 drained;
	/* pids of which the first begin or a ring had records: no others have samples */
	struct map64 recorded;
	struct map64 ended; /* pid -> noted when its end was read, while rings have records */
	bool begun;
};
struct carried_tasks *carried_new(void);
void carried_free(struct carried_tasks *c);
/* Notes records that are about to be written. */
void carried_note(struct carried_tasks *c, const struct ring_data *d);
/*
 * Returns how many bytes are noted.  Once all rings have been emptied, pass the number back: tasks
 * that ended before it have no more samples in the rings.
 */
u64 carried_noted(struct carried_tasks *c);
void carried_drained(struct carried_tasks *c, u64 noted);
/*
 * Adds the records needed for ended tasks to begin, the records that a file begins with. ring_bytes
 * is the capacity of all rings.
 */
void carried_begin(struct carried_tasks *c, struct strbuf *begin, u64 ring_bytes);

/* forecast.c: each time round the loop. */
struct forecast {
	u64 since, bytes; /* ns of clock_now(), and the file's size then; since 0: not begun */
	u64 told_at;
	bool warned;
};
void forecast_update(struct recorder *rec, struct forecast *f, u64 now);

/*
 * hotplug.c: CPUs that go offline. Their events are opened again when they return, and a warning
 * says what is missing. From the main thread; rings: its own, pool: those of other threads (or
 * NULL).
 */
struct record_cpus {
	struct offline_watch watch;
	struct reason why; /* the last one that could not be opened again */
};
/* Opens rings of CPUs that have come back; called in each turn of the loop. */
int cpus_update(struct recorder *rec, struct record_cpus *c, struct record_reader *rings,
		struct reader_pool *pool, u64 now, struct reason *r);
/* Reports the CPUs that did not come back, and releases c. */
void cpus_end(struct recorder *rec, struct record_cpus *c);

/* aux.c */
struct event *record_aux_event(const struct event_set *set); /* NULL: none traces */
int record_configure_aux(struct event_set *set, const struct record_settings *s, struct reason *r);
void record_build_aux_info(const struct recorder *rec, struct strbuf *out);
void record_build_time_conv(const struct recorder *rec, struct strbuf *out);
int reader_take_aux(struct record_reader *rd, u32 ring, struct reason *r);
int reader_aux_snapshot(struct record_reader *rd, struct reason *r);

/* trigger.c: has one of its events hit since the last call? */
bool trigger_fired(struct record_trigger *t);
void trigger_free(struct record_trigger *t);

/* threads.c: the calling thread, from here on. */
void run_on_cpus(const u32 *cpus, size_t count);

/*
 * loss.c: walks over records before they are written. If they are more than `most` bytes, d is cut
 * to its first records, of about that size. Returns how many samples in d are the recorder's own;
 * `samples` does not count them.
 */
size_t record_tally(struct record_counts *c, struct ring_data *d, size_t most,
		    const struct record_own *own);
/* Copies the whole records without the recorder's own samples into out, which is cleared first. */
void record_without_own(const struct ring_data *d, const struct record_own *own,
			struct strbuf *out);
/* Returns how to recognize the recorder's own samples in any ring; called after record_open(). */
struct record_own record_own_samples(const struct recorder *rec);
void record_counts_add(struct record_counts *to, const struct record_counts *c);
/* truth.c: lets record_tally() count samples of each event, if that was asked for. */
void record_count_events(const struct recorder *rec, struct record_own *own);
void record_count_sample(struct record_counts *c, const struct event *ev);
/* Writes LOST_SAMPLES records for the losses that the counters report. */
int record_write_lost_samples(struct recorder *rec, struct reason *r);
/* times.c: for each file, after its last record of a ring. */
enum data_time_state record_time_state(enum live_timed timed);
int record_write_times(struct recorder *rec, struct reason *r);

/* stacks.c: sets rec->sink and rec->written. */
int record_stacks_new(struct recorder *rec, struct record_stacks **out, struct reason *r);
void record_stacks_free(struct record_stacks *s);
/*
 * Returns how much a ring should contain when its turn comes, so the worker waits little; 0 means
 * as much as it can.
 */
u64 record_stacks_turn_bytes(const struct recorder *rec);

/*
 * kept.c: files that are mapped executable, held from the moment they are mapped.
 * Threads: kept_note() by one; kept_find() and kept_sweep() by another one.
 */
struct kept_objects;
struct kept_objects *kept_new(void);
void kept_free(struct kept_objects *k);
struct record_mmap;
struct image;
/*
 * Opens the file that this record maps, unless it is already open. piece is the number of the
 * record's piece, from 1.
 */
void kept_note(struct kept_objects *k, const struct record_mmap *m, u64 piece);
/*
 * Closes the files of images for which named[id] is false, unless a piece after `done`, which the
 * session has not seen yet, maps them.
 */
struct image_table;
void kept_sweep(struct kept_objects *k, const struct image_table *images, const bool *named,
		u64 done);
size_t kept_count(struct kept_objects *k);
/* Returns a descriptor of the file that this record maps, or -1 if it cannot be reached. */
int kept_open_mapped(const struct record_mmap *m);
/* Returns the kept bytes of an image, for object_search; arg is the struct kept_objects. */
const u8 *kept_find(void *arg, const struct image *img, size_t *size);
/* The build-id that a file had when it was mapped, of size 0 where it had none; false: not held. */
bool kept_id(struct kept_objects *k, const struct image *img, struct build_id *id);
/*
 * Returns a descriptor of a file in memory with the held bytes, owner and mode, or -1 if nothing is
 * held.
 */
int kept_copy(struct kept_objects *k, const struct image *img);

/*
 * stack_ends.c: why stacks ended that were unwound while recording, by the path of the object.
 * Threads: one at a time.
 */
struct record_ends;
struct session;
struct record_ends *record_ends_new(void);
void record_ends_free(struct record_ends *e);
/* Keeps what the session is about to forget: it drops the images for which named[id] is false. */
void record_ends_sweep(struct record_ends *e, const struct session *s, const bool *named);
/* Writes what no file before has; bytes is how much of each stack was copied. */
void record_ends_write(struct record_ends *e, const struct session *s, u32 bytes,
		       struct data_writer *w);
/* Appends a line for each object and reason, of stacks that do not reach their root. */
void record_ends_text(struct record_ends *e, const struct session *s, struct strbuf *out);

/*
 * held_generated.c: jitdump files and perf maps, held from the first mapping that reports them.
 * Threads: one at a time.
 */
struct held_generated;
struct held_generated *held_generated_new(void);
void held_generated_free(struct held_generated *g);
/* Notes a mapping. Reports whether it is generated code or its jitdump file. */
bool held_generated_note(struct held_generated *g, const struct record_mmap *m);
/*
 * Returns a new descriptor of what describes the code of this image. Returns -1 if nothing is held
 * for it, or the user of its process does not own the file.
 */
int held_generated_open(struct held_generated *g, const struct image *img);

/* ---- filter_pinned.c: the same for ordinary users, by a program that root has pinned ---- */

/* Returns 0, or why samples cannot be filtered here by any user. */
int record_filter_usable(const char *for_what, struct reason *r) MUST_CHECK;
/*
 * Opens two descriptors. Returns -ENOENT, -EACCES and others without a reason if there is no
 * program that this user may use.
 */
int pinned_filter_open(int *program, int *map, struct reason *r) MUST_CHECK;
int pinned_filter_set(const struct live *live, const struct event *ev, int program, int map,
		      struct reason *r) MUST_CHECK;
/*
 * Returns how many samples were dropped. *missing is for how many of the event's counters others
 * have evicted the filter.
 */
u64 pinned_filter_dropped(const struct live *live, const struct event *ev, int map, u64 *missing);
void pinned_filter_forget(const struct live *live, const struct event *ev, int map);

#endif
