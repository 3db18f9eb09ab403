// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --threads: readers in separate threads, each with the rings of its CPUs and a file for each of
 * those. An order (go on, halt, end) is a number under one lock; a thread that halted has emptied
 * its rings and waits for the next order.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/threads.h"
#include "record/internal.h"
#include "sys/topology.h"

enum order { GO_ON, HALT, END };

struct pooled {
	struct reader_pool *pool;
	struct record_reader reader;
	const struct record_thread *spec;
	pthread_t thread;
	int wake_fd;
	bool started, alive; /* alive: atomic */
};

struct reader_pool {
	struct recorder *rec;
	struct pooled *threads;
	size_t count, running;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	enum order order;
	size_t halted;
	bool failed; /* atomic */
	int err;
	struct reason why; /* the reason of the first one that failed */
};

static void fail(struct reader_pool *p, int err, struct reason *why)
{
	pthread_mutex_lock(&p->lock);
	if (!p->err) {
		p->err = err;
		p->why = *why;
		*why = (struct reason)REASON_INIT;
	}
	pthread_mutex_unlock(&p->lock);
	reason_release(why);
	__atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
	loop_wake();
}

static enum order current_order(struct reader_pool *p)
{
	enum order o;

	pthread_mutex_lock(&p->lock);
	o = p->order;
	pthread_mutex_unlock(&p->lock);
	return o;
}

/* Reports that the order is carried out and waits for the next one; false at the end. */
static bool halt(struct reader_pool *p)
{
	enum order o;

	pthread_mutex_lock(&p->lock);
	p->halted++;
	pthread_cond_broadcast(&p->changed);
	while (p->order == HALT)
		pthread_cond_wait(&p->changed, &p->lock);
	p->halted--;
	o = p->order;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return o != END;
}

static int one_turn(struct record_reader *rd, struct reason *r)
{
	const struct record_settings *s = rd->rec->settings;
	u64 since = clock_now(), before = rd->taken;
	int err = reader_turn(rd, s->flush_bytes, r);

	rd->counts.emptying_ns += clock_now() - since;
	/* the main thread looks after sizes */
	if ((rd->taken != before || rd->left) && (s->max_size || s->switch_output.size))
		loop_wake();
	return err;
}

static void *run(void *arg)
{
	struct pooled *t = arg;
	struct record_reader *rd = &t->reader;
	struct reason why = REASON_INIT;
	enum order o = GO_ON;
	int err = 0;

	run_on_cpus(t->spec->affinity, t->spec->affinity_count);
	while (o != END) {
		reader_wait(rd, -1);
		o = current_order(t->pool);
		if (!err)
			err = o == GO_ON ? one_turn(rd, &why) : reader_drain(rd, &why);
		if (err && !__atomic_load_n(&t->pool->failed, __ATOMIC_RELAXED))
			fail(t->pool, err, &why);
		if (t->alive && !reader_alive(rd)) {
			__atomic_store_n(&t->alive, false, __ATOMIC_RELAXED);
			loop_wake();
		}
		if (o == HALT && !halt(t->pool))
			break; /* the end was ordered while it was halted: no records came since */
	}
	rd->counts.waited_ns = record_waited_ns();
	reason_release(&why);
	return NULL;
}

static bool has_cpu(const struct record_thread *t, s32 cpu)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		if ((s32)t->cpus[i] == cpu)
			return true;
	return false;
}

static void share_out(struct reader_pool *p, struct record_reader *rest)
{
	struct live *live = p->rec->live;

	for (u32 ring = 0; ring < live_ring_count(live); ring++) {
		struct record_reader *owner = rest;

		for (size_t i = 0; i < p->count; i++)
			if (has_cpu(p->threads[i].spec, live_ring_cpu(live, ring)))
				owner = &p->threads[i].reader;
		vec_push(&owner->rings, ring);
	}
}

/* Starts a thread. Signals go to the main thread. */
static int start_thread(struct pooled *t, struct reason *r)
{
	int err;

	t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->wake_fd < 0)
		return reason_errno(r, errno, "cannot make an eventfd");
	reader_init(&t->reader, t->pool->rec, t->wake_fd);
	t->alive = true;
	err = thread_beside(&t->thread, run, t);
	if (err)
		return reason_errno(r, err, "cannot start a thread");
	t->started = true;
	t->pool->running++;
	return 0;
}

int readers_start(struct recorder *rec, struct record_reader *rest, struct reader_pool **out,
		  struct reason *r)
{
	const struct record_settings *s = rec->settings;
	struct reader_pool *p = xcalloc(1, sizeof(*p));
	int err = 0;

	p->rec = rec;
	p->threads = xcalloc(s->threads.count, sizeof(*p->threads));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	for (size_t i = 0; i < s->threads.count; i++)
		p->threads[p->count++] =
			(struct pooled){ .pool = p, .spec = &s->threads.items[i], .wake_fd = -1 };
	share_out(p, rest);
	*out = p;
	for (size_t i = 0; i < p->count && !err; i++)
		if (p->threads[i].reader.rings.count)
			err = start_thread(&p->threads[i], r);
	return err;
}

static void give_order(struct reader_pool *p, enum order o)
{
	const u64 one = 1;

	pthread_mutex_lock(&p->lock);
	p->order = o;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].started && write(p->threads[i].wake_fd, &one, sizeof(one)) < 0)
			continue; /* full: it is readable */
}

static int told_error(struct reader_pool *p, struct reason *r)
{
	if (!p->err)
		return 0;
	reason_set(r, -p->err, "%s", p->why.text ? p->why.text : strerror(-p->err));
	if (p->why.hint)
		reason_hint(r, "%s", p->why.hint);
	return p->err;
}

int readers_halt(struct reader_pool *p, struct reason *r)
{
	int err;

	give_order(p, HALT);
	pthread_mutex_lock(&p->lock);
	while (p->halted < p->running)
		pthread_cond_wait(&p->changed, &p->lock);
	err = told_error(p, r);
	pthread_mutex_unlock(&p->lock);
	return err;
}

void readers_resume(struct reader_pool *p)
{
	give_order(p, GO_ON);
	/* no thread may still be halted when the next order to halt comes */
	pthread_mutex_lock(&p->lock);
	while (p->halted)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

int readers_end(struct reader_pool *p, struct reason *r)
{
	int err;

	give_order(p, END);
	for (size_t i = 0; i < p->count; i++) {
		struct pooled *t = &p->threads[i];

		if (t->started)
			pthread_join(t->thread, NULL);
		record_counts_add(&p->rec->counts, &t->reader.counts);
		reader_release(&t->reader);
		if (t->wake_fd >= 0)
			close(t->wake_fd);
	}
	err = told_error(p, r);
	reason_release(&p->why);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->threads);
	free(p);
	return err;
}

bool readers_alive(const struct reader_pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].started &&
		    __atomic_load_n(&p->threads[i].alive, __ATOMIC_RELAXED))
			return true;
	return false;
}

bool readers_left(const struct reader_pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].reader.left)
			return true;
	return false;
}

int readers_drain_and_halt(struct recorder *rec, struct record_reader *own, struct reader_pool *p,
			   struct reason *r)
{
	u64 noted = rec->carried ? carried_noted(rec->carried) : 0;
	int err = reader_drain(own, r);

	if (!err && p)
		err = readers_halt(p, r);
	rec->left = own->left || (p && readers_left(p));
	if (rec->carried && !err && !rec->left)
		carried_drained(rec->carried, noted);
	return err;
}

void readers_rings_changed(struct reader_pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->threads[i].started)
			loop_rings_changed(&p->threads[i].reader.loop);
}

bool readers_failed(const struct reader_pool *p)
{
	return __atomic_load_n(&p->failed, __ATOMIC_RELAXED);
}

/* The words of the option */

static void thread_release(struct record_thread *t)
{
	free(t->cpus);
	free(t->affinity);
}

void record_clear_threads(struct record_settings *s)
{
	vec_for_each(&s->threads, t)
		thread_release(t);
	vec_clear(&s->threads);
}

void record_settings_release(struct record_settings *s)
{
	record_clear_threads(s);
	vec_release(&s->threads);
	vec_release(&s->ranges);
}

static u32 *copy_cpus(const u32 *cpus, size_t n)
{
	u32 *copy = xcalloc(n + 1, sizeof(*copy));

	memcpy(copy, cpus, n * sizeof(*copy));
	return copy;
}

static int parse_cpus(const struct sys *sys, const char *text, u32 **cpus, size_t *count,
		      struct reason *r)
{
	int err = sys_choose_cpus(sys, text, "possible", cpus, count, r);

	if (err == -EINVAL)
		reason_hint(r,
			    "cpu, core, package, numa, or CPUS/AFFINITY with ':' between threads: "
			    "0-3/0:4-7/4");
	return err;
}

static int overlaps(const struct record_settings *s, const struct record_thread *t,
		    struct reason *r)
{
	vec_for_each(&s->threads, other)
		for (size_t i = 0; i < t->cpu_count; i++)
			if (other != t && has_cpu(other, (s32)t->cpus[i])) {
				reason_set(r, EINVAL, "CPU %u belongs to two threads", t->cpus[i]);
				reason_hint(r, "before the '/' name each CPU once: 0-3/0:4-7/4");
				return -EINVAL;
			}
	return 0;
}

/* Adds one thread: CPUS, or CPUS/AFFINITY. */
static int add_thread(struct record_settings *s, const char *text, const struct sys *sys,
		      struct reason *r)
{
	const char *slash = strchr(text, '/');
	char *cpus = slash ? xstrndup(text, (size_t)(slash - text)) : xstrdup(text);
	struct record_thread *t = vec_push_zero(&s->threads);
	int err = parse_cpus(sys, cpus, &t->cpus, &t->cpu_count, r);

	if (!err && slash)
		err = parse_cpus(sys, slash + 1, &t->affinity, &t->affinity_count, r);
	else if (!err) {
		t->affinity = copy_cpus(t->cpus, t->cpu_count);
		t->affinity_count = t->cpu_count;
	}
	free(cpus);
	return err ? err : overlaps(s, t, r);
}

/* Adds a thread for each list of the machine's nodes, packages or cores. */
static int add_lists(struct record_settings *s, const char *word, const struct sys *sys,
		     struct reason *r)
{
	struct cpu_topology t = { 0 };
	struct numa_topology numa = { 0 };
	int err = 0;

	if (!strcmp(word, "numa")) {
		err = numa_topology_read(sys, &numa);
		vec_for_each(&numa.nodes, n)
			if (!err && n->cpus && *n->cpus)
				err = add_thread(s, n->cpus, sys, r);
		numa_topology_release(&numa);
	} else {
		err = cpu_topology_read(sys, &t, r);
		if (!err) {
			const struct strlist *l = !strcmp(word, "core") ? &t.cores : &t.packages;

			vec_for_each(&l->list, cpus)
				err = err ? err : add_thread(s, *cpus, sys, r);
		}
		cpu_topology_release(&t);
	}
	if (!err && !s->threads.count)
		err = reason_set(r, ENOTSUP, "this system does not list its CPUs by %s", word);
	return err;
}

static int add_each_cpu(struct record_settings *s, const u32 *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct record_thread *t = vec_push_zero(&s->threads);

		t->cpus = copy_cpus(&cpus[i], 1);
		t->affinity = copy_cpus(&cpus[i], 1);
		t->cpu_count = t->affinity_count = 1;
	}
	return 0;
}

static int add_custom(struct record_settings *s, const char *text, const struct sys *sys,
		      struct reason *r)
{
	struct strlist parts = { VEC_INIT };
	int err = 0;

	strlist_split(&parts, text, ":");
	vec_for_each(&parts.list, p)
		err = err ? err : add_thread(s, *p, sys, r);
	strlist_release(&parts);
	return err;
}

int record_parse_threads(struct record_settings *s, const char *text, const struct sys *sys,
			 struct reason *r)
{
	u32 *cpus = NULL;
	size_t n;
	int err = sys_cpus(sys, "online", &cpus, &n, r);

	record_clear_threads(s);
	if (err)
		return err;
	if (!text || !strcmp(text, "cpu"))
		err = add_each_cpu(s, cpus, n);
	else if (!strcmp(text, "core") || !strcmp(text, "package") || !strcmp(text, "numa"))
		err = add_lists(s, text, sys, r);
	else
		err = add_custom(s, text, sys, r);
	free(cpus);
	return err;
}
