// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs and libraries that may have gone when the recording ends: deleted immediately, in memory
 * (memfd), in a mount namespace that ended with them.
 *
 * A separate thread has its own events and small rings, which wake it at each executable mapping,
 * since the recorder's rings wait until they are half full. It keeps mapped files open (kept.c)
 * until the build IDs of the sampled objects are looked up; then the build ID cache takes a copy.
 * The same is done for descriptions of generated code (held_generated.c).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/threads.h"
#include "data/reader.h"
#include "event/sample.h"
#include "jit/code.h"
#include "object/image.h"
#include "record/internal.h"

struct held_programs {
	struct context ctx; /* a failure costs only names, so it is not reported */
	struct event_set set;
	struct live *live;
	struct kept_objects *kept;
	struct held_generated *generated;
	pthread_mutex_t lock;  /* guards kept and generated while the thread runs */
	bool of_target;        /* of chosen processes that run already */
	struct strbuf records; /* the records of one ring, in one piece */
	pthread_t thread;
	bool started;
	int end_fd;
	VEC(int) copies; /* descriptors that held_path() made */
};

/*
 * Reports whether a mapping is held. Of what runs already, that is everything that a target's
 * process maps; of a whole machine's, only what no name leads to.
 */
static bool is_wanted(const struct held_programs *h, const struct record_mmap *m, bool run_already)
{
	return !run_already || h->of_target || image_may_be_generated(m->filename) ||
	       image_classify_mapping(m->filename, true, m->prot, m->flags) == IMAGE_JIT ||
	       jitdump_names(m->filename);
}

static void note_records(struct held_programs *h, const void *data, size_t size, bool run_already)
{
	enum { MOST = 20000 }; /* mappings of a process are limited */

	const struct data_chunk c = { .data = data, .size = size };
	struct record rec;
	struct record_mmap m;
	size_t at = 0;

	pthread_mutex_lock(&h->lock);
	while (data_chunk_record(&c, &at, &rec))
		if (rec.type == PERF_RECORD_MMAP2 && !record_get_mmap(&h->set, &rec, &m, NULL) &&
		    m.prot & PROT_EXEC && is_wanted(h, &m, run_already) &&
		    !held_generated_note(h->generated, &m) && kept_count(h->kept) < MOST)
			kept_note(h->kept, &m, 1);
	pthread_mutex_unlock(&h->lock);
}

void held_note_running(struct held_programs *h, const void *records, size_t size)
{
	note_records(h, records, size, true);
}

static void empty_rings(struct held_programs *h)
{
	for (u32 i = 0; i < live_ring_count(h->live); i++) {
		struct ring_data d;

		if (!live_ring_get(h->live, i, &d))
			continue;
		strbuf_clear(&h->records);
		strbuf_add(&h->records, d.first, d.first_size);
		strbuf_add(&h->records, d.second, d.second_size);
		live_ring_done(h->live, i, &d);
		note_records(h, h->records.s, h->records.len, false);
	}
}

static void *hold(void *arg)
{
	struct held_programs *h = arg;
	size_t n = live_ring_count(h->live);
	struct pollfd *fds = xcalloc(n + 1, sizeof(*fds));

	for (u32 i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = live_ring_fd(h->live, i), .events = POLLIN };
	fds[n] = (struct pollfd){ .fd = h->end_fd, .events = POLLIN };
	while (!fds[n].revents && (poll(fds, n + 1, -1) >= 0 || errno == EINTR)) {
		empty_rings(h);
		for (size_t i = 0; i < n; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1; /* its task and all children have ended */
	}
	free(fds);
	return NULL;
}

static int start_thread(struct held_programs *h)
{
	int err;

	err = thread_beside(&h->thread, hold, h);
	h->started = !err;
	return -err;
}

static int add_event(struct held_programs *h, const struct recorder *rec)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.flags = ATTR_DISABLED | ATTR_MMAP | ATTR_MMAP2 | ATTR_SAMPLE_ID_ALL |
			 ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_WATERMARK |
			 (record_tracking_event(rec->set)->attr.flags & ATTR_INHERIT),
		.wakeup_watermark = 1,
	};

	event_set_add(&h->set, &a, "dummy:u");
	return event_set_finish(&h->set, NULL);
}

static int open_event(struct held_programs *h, const struct recorder *rec)
{
	enum { PAGES = 8 };

	const struct live_options o = { .ring_pages = PAGES, .sys = rec->sys };
	int err = live_open(&h->ctx, &h->set, rec->target, &o, &h->live, NULL);

	return err ? err : live_enable(h->live);
}

struct held_programs *held_new(const struct recorder *rec)
{
	struct held_programs *h;

	if (rec->backend)
		return NULL;
	h = xcalloc(1, sizeof(*h));
	h->ctx.quiet = true;
	h->of_target = rec->target->tid_count && !rec->target->held;
	pthread_mutex_init(&h->lock, NULL);
	h->kept = kept_new();
	h->generated = held_generated_new();
	event_set_init(&h->set);
	h->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/*
	 * Of -p and -t only existing mappings are held: a process may have thousands of threads,
	 * and it seldom ends with what it maps later.
	 */
	if (h->end_fd >= 0 && !add_event(h, rec) &&
	    (h->of_target || (!open_event(h, rec) && !start_thread(h))))
		return h;
	held_free(h);
	return NULL;
}

void held_stop(struct held_programs *h)
{
	const u64 one = 1;

	if (h->started && write(h->end_fd, &one, sizeof(one)) == sizeof(one)) {
		pthread_join(h->thread, NULL);
		h->started = false;
		empty_rings(h);
	}
}

char *held_path(void *arg, const struct image *img)
{
	struct held_programs *h = arg;
	int fd = held_generated_open(h->generated, img);

	if (fd < 0)
		fd = kept_copy(h->kept, img);
	if (fd < 0)
		return NULL;
	vec_push(&h->copies, fd);
	return xasprintf("/proc/self/fd/%d", fd);
}

bool held_id(void *arg, const struct image *img, struct build_id *id)
{
	struct held_programs *h = arg;

	return kept_id(h->kept, img, id);
}

void held_free(struct held_programs *h)
{
	if (!h)
		return;
	held_stop(h);
	vec_for_each(&h->copies, fd)
		close(*fd);
	vec_release(&h->copies);
	if (h->end_fd >= 0)
		close(h->end_fd);
	live_close(h->live);
	pthread_mutex_destroy(&h->lock);
	kept_free(h->kept);
	held_generated_free(h->generated);
	event_set_release(&h->set);
	strbuf_release(&h->records);
	condition_list_release(&h->ctx.conditions);
	free(h);
}
