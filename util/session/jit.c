// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that was made at run time, and that its compiler describes in a jitdump file.
 *
 * A process announces its file by mapping a page of it executable. From then on each function of
 * the file becomes a mapping of that process at the time when it was made. Its image is the object
 * of a part of the file (jit/code.h).
 *
 * Times in the file are those of the monotonic clock, or cycles. A recording with another clock
 * does not say how the two compare. But the file begins with the time when it was created (V8
 * writes the time of day there), and the process mapped it right after that. So the two clocks
 * differ by the difference of those times. A file that was mapped before the recording has no such
 * time: all of its functions exist from the beginning then, and the later one wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "session/internal.h"

static bool on_monotonic(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if (!((*it)->attr.flags & ATTR_USE_CLOCKID) ||
		    (*it)->attr.clockid != CLOCK_MONOTONIC)
			return false;
	return true;
}

static u64 to_ns(const struct session_jit *j, const struct jit_process *p, u64 time)
{
	switch (p->clock) {
	case JIT_EXACT:
		return time;
	case JIT_CYCLES:
		return jit_clock_ns(&j->clock, time);
	case JIT_SHIFTED:
		return time + p->shift;
	default:
		return 0;
	}
}

/*
 * Returns when the file was mapped, by the clock of its functions; 0 if unknown. That is between
 * its creation and the first function. Where these are close the latter is taken: a function that
 * appears a little too early names all of its samples, one that appears too late does not.
 */
static u64 time_of_mapping(const struct jit_code *c)
{
	const u64 close = 100000000ULL, longest = 60000000000ULL; /* ns */
	u64 first = jit_code_count(c) ? jit_code_at(c, 0)->time : 0;
	u64 made = jitdump_time(jit_code_dump(c));

	return made <= first && first - made > close && first - made < longest ? made : first;
}

static void settle_clock(struct session *s, struct jit_process *p)
{
	const struct jitdump *d = jit_code_dump(p->code);
	u64 made = time_of_mapping(p->code);
	const char *text = NULL;

	if (jitdump_in_cycles(d)) {
		p->clock = s->jit.clock.known ? JIT_CYCLES : JIT_UNKNOWN;
	} else if (on_monotonic(s->set)) {
		p->clock = JIT_EXACT;
	} else if (p->mapped_at && made) {
		p->clock = JIT_SHIFTED;
		p->shift = p->mapped_at - made;
		text = "the times of '%s' come from another clock than those of the recording, and "
		       "were converted to it, to within some milliseconds";
	}
	if (p->clock == JIT_UNKNOWN)
		text = "the times of '%s' cannot be compared with those of the recording: where "
		       "code "
		       "was replaced, the later function is named";
	if (text && s->data)
		condition_add(&s->ctx->conditions, CONDITION_NOTE, "jitdump-clock", p->path, NULL,
			      1, "record with -k mono", text, p->path);
}

static void say(struct session *s, const char *code, const char *path, const char *hint,
		const struct reason *why)
{
	condition_add(&s->ctx->conditions, CONDITION_WARNING, code, path, NULL, 1, hint, "%s",
		      why->text);
}

static int by_time(const void *pa, const void *pb)
{
	const struct jit_waiting *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void read_file(struct session *s, struct jit_process *p)
{
	struct reason why = REASON_INIT;

	p->size = jitdump_size(jit_code_dump(p->code));
	if (!p->damaged && jit_code_read(p->code, &why) < 0) {
		p->damaged = true;
		say(s, "damaged-jitdump", p->path, "what precedes the damage was used", &why);
	}
	reason_release(&why);
}

/* Queues the functions that were read, sorted by their times. */
static void take_functions(struct session *s, struct jit_process *p)
{
	if (p->taken == jit_code_count(p->code))
		return;
	if (p->next == p->waiting.count)
		p->next = p->waiting.count = 0;
	for (; p->taken < jit_code_count(p->code); p->taken++)
		vec_push(&p->waiting,
			 (struct jit_waiting){
				 to_ns(&s->jit, p, jit_code_at(p->code, p->taken)->time),
				 p->taken });
	qsort(p->waiting.items + p->next, p->waiting.count - p->next, sizeof(*p->waiting.items),
	      by_time);
}

/* Reads what the file has so far. Settles the clock with its first function. */
static void read_more(struct session *s, struct jit_process *p)
{
	read_file(s, p);
	if (!p->settled && jit_code_count(p->code)) {
		settle_clock(s, p);
		p->settled = true;
	}
	take_functions(s, p);
}

static void settle_next(struct session_jit *j)
{
	j->next = NULL;
	vec_for_each(&j->processes, it)
		if ((*it)->next < (*it)->waiting.count &&
		    (!j->next || (*it)->waiting.items[(*it)->next].time <
					 j->next->waiting.items[j->next->next].time))
			j->next = *it;
}

/*
 * Opens the code of a dump. Checks the owner, except of a copy in the build-id cache, which was
 * checked when it was made.
 */
static int open_code(const struct session *s, const struct record_mmap *m, struct jit_code **code,
		     struct reason *r)
{
	bool kept;
	char *path = jit_find_dump(s, m, &kept, r);
	int err = path ? jit_code_open(path, code, r) : -ESTALE;

	free(path);
	if (!err && !kept && !symbol_store_takes_foreign(s->symbols)) {
		err = jitdump_check_owner(jit_code_dump(*code), r);
		if (err) {
			jit_code_free(*code);
			*code = NULL;
		}
	}
	return err;
}

static void open_dump(struct session *s, const struct record_mmap *m, u64 time)
{
	struct jit_process *p = xcalloc(1, sizeof(*p));
	struct reason why = REASON_INIT;

	p->pid = m->pid;
	p->maj = m->maj;
	p->min = m->min;
	p->ino = m->ino;
	p->generation = m->ino_generation;
	p->path = xstrdup(m->filename);
	if (!open_code(s, m, &p->code, &why)) {
		p->mapped_at = time;
		read_more(s, p);
	} else {
		say(s, "no-jitdump", p->path,
		    why.hint ? why.hint
			     : "perf record keeps a copy in the build-id cache, unless -N or -B",
		    &why);
	}
	/* keep a file that cannot be read as well, so it is tried only once */
	vec_push(&s->jit.processes, p);
	settle_next(&s->jit);
	reason_release(&why);
}

static u32 image_of(struct session *s, struct jit_process *p, u32 part)
{
	struct jit_part *known;

	while (p->parts.count <= part)
		vec_push(&p->parts, 0);
	if (!p->parts.items[part]) {
		pthread_mutex_lock(&s->jit.lock);
		vec_push(&s->jit.parts, (struct jit_part){ .code = p->code, .part = part });
		p->parts.items[part] = (u32)s->jit.parts.count;
		pthread_mutex_unlock(&s->jit.lock);
	}
	known = &s->jit.parts.items[p->parts.items[part] - 1];
	if (!known->image)
		known->image = image_intern(s->images,
					    &(struct image){ .kind = IMAGE_DUMP,
							     .pid = (s32)p->pid,
							     .path = p->path,
							     .part = p->parts.items[part] - 1 });
	return known->image;
}

static void map_next(struct session *s, const struct order_key *key)
{
	struct jit_process *p = s->jit.next;
	const struct jit_waiting *w = &p->waiting.items[p->next++];
	const struct jit_function *f = jit_code_at(p->code, w->function);
	const struct mapping m = {
		.start = f->addr,
		.end = f->size > UINT64_MAX - f->addr ? UINT64_MAX : f->addr + f->size,
		.pgoff = f->offset,
		.image = image_of(s, p, f->part),
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};

	history_map_code(s->history, 0, p->pid, &m, key);
	settle_next(&s->jit);
}

void session_jit_map_until(struct session *s, u64 time)
{
	while (s->jit.next) {
		u64 at = s->jit.next->waiting.items[s->jit.next->next].time;

		if (at > time)
			return;
		/* map functions without a time at the history's current time */
		map_next(s, &(struct order_key){ .time = at });
	}
}

static bool is_known(const struct session_jit *j, const struct record_mmap *m)
{
	vec_for_each(&j->processes, it)
		if ((*it)->pid == m->pid && jit_is_file(*it, m))
			return true;
	return false;
}

void session_jit_take_record(struct session *s, const struct record *rec, u64 time)
{
	struct record_mmap m;

	if (rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2)
		return;
	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER || s->jit.off ||
	    record_get_mmap(s->set, rec, &m, NULL) || !jitdump_names(m.filename) ||
	    (m.is_mmap2 ? !(m.prot & PROT_EXEC) : m.is_data) || is_known(&s->jit, &m))
		return;
	open_dump(s, &m, time);
}

void session_jit_read_more(struct session *s)
{
	vec_for_each(&s->jit.processes, it)
		if ((*it)->code && jitdump_size(jit_code_dump((*it)->code)) != (*it)->size)
			read_more(s, *it);
	settle_next(&s->jit);
}

const u8 *session_jit_kept(struct session *s, const struct image *img, size_t *size)
{
	struct jit_part part = { NULL };

	if (img->kind != IMAGE_DUMP)
		return NULL;
	pthread_mutex_lock(&s->jit.lock);
	if (img->part < s->jit.parts.count)
		part = s->jit.parts.items[img->part];
	pthread_mutex_unlock(&s->jit.lock);
	return part.code ? jit_code_object(part.code, part.part, size) : NULL;
}

const u8 *session_jit_kept_symbols(void *arg, const struct image *img, size_t *size)
{
	return session_jit_kept(arg, img, size);
}

static void free_process(struct session_jit *j, struct jit_process *p)
{
	vec_for_each(&j->parts, part)
		if (part->code == p->code)
			part->code = NULL;
	jit_code_free(p->code);
	vec_release(&p->waiting);
	vec_release(&p->parts);
	free(p->path);
	free(p);
}

void session_jit_sweep(struct session *s, const bool *named)
{
	struct session_jit *j = &s->jit;
	size_t left = 0;

	vec_for_each(&j->parts, part) {
		if (!part->image || named[part->image])
			continue;
		if (part->code)
			jit_code_drop(part->code, part->part);
		part->image = 0;
	}
	for (size_t i = 0; i < j->processes.count; i++) {
		struct jit_process *p = j->processes.items[i];
		bool used = false;

		for (u32 image = 1; !used && image < image_count(s->images); image++)
			used = named[image] && !strcmp(image_get(s->images, image)->path, p->path);
		if (used)
			j->processes.items[left++] = p;
		else
			free_process(j, p);
	}
	j->processes.count = left;
	settle_next(j);
}

void session_jit_init(struct session *s)
{
	pthread_mutex_init(&s->jit.lock, NULL);
}

void session_jit_release(struct session *s)
{
	vec_for_each(&s->jit.processes, it)
		free_process(&s->jit, *it);
	vec_release(&s->jit.processes);
	vec_release(&s->jit.parts);
	pthread_mutex_destroy(&s->jit.lock);
}
