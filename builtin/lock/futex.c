// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks of user space, seen through the system call in which threads wait for them.
 *
 * A futex has no owner that the kernel knows.  The task that wakes a waiter has released the lock,
 * and its call chain shows where; that is all that can be known about the owner.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/lock/internal.h"

/* Operations, by include/uapi/linux/futex.h. */
/* clang-format off */
enum {
	OP_MASK = 0x7f,
	OP_WAIT = 0, OP_WAKE = 1, OP_CMP_REQUEUE = 4, OP_WAKE_OP = 5, OP_LOCK_PI = 6, OP_UNLOCK_PI = 7,
	OP_WAIT_BITSET = 9, OP_WAKE_BITSET = 10, OP_WAIT_REQUEUE_PI = 11, OP_LOCK_PI2 = 13,
};
/* clang-format on */

struct wait {
	u64 addr, row, time;
	u32 pid;
	bool open;
};

/* The task that last woke the waiters of an address. */
struct waking {
	u64 time;
	u32 tid, comm;
	const char *place;
	u32 waiters; /* how many wait now */
};

static u64 futex_key(u32 pid, u64 addr)
{
	return hash_combine(pid, addr);
}

/* ---- which frames are the library's ---- */

/* clang-format off */
static const struct {
	const char *start;
	u32 kind; /* 0: it does not say */
} library[] = {
	{ "pthread_mutex_", KIND_USER_MUTEX }, { "lll_lock", KIND_USER_MUTEX },
	{ "lll_mutex_lock", KIND_USER_MUTEX },
	{ "pthread_rwlock_", KIND_USER_RWLOCK }, { "pthread_cond_", KIND_USER_CONDITION },
	{ "new_sem_", KIND_USER_SEMAPHORE }, { "sem_", KIND_USER_SEMAPHORE },
	{ "pthread_barrier_", KIND_USER_BARRIER }, { "pthread_join", KIND_USER_JOIN },
	{ "pthread_clockjoin", KIND_USER_JOIN }, { "pthread_timedjoin", KIND_USER_JOIN },
	{ "futex_", 0 }, { "internal_syscall_cancel", 0 }, { "syscall_cancel", 0 }, { "syscall", 0 },
	{ "do_futex_wait", 0 }, { "cnd_", KIND_USER_CONDITION }, { "mtx_", KIND_USER_MUTEX },
	{ "thrd_join", KIND_USER_JOIN }, { "std::mutex", KIND_USER_MUTEX },
	{ "std::condition_variable", KIND_USER_CONDITION }, { "std::thread::join", KIND_USER_JOIN },
};
/* clang-format on */

/* Reports whether the function is the library's, rather than the program's own. */
static bool in_library(const char *name, u32 *kind)
{
	name += strspn(name, "_");
	if (!strncmp(name, "GI_", 3)) /* the C library's own name of it */
		name += 2 + strspn(name + 2, "_");
	for (size_t i = 0; i < ARRAY_SIZE(library); i++)
		if (!strncmp(name, library[i].start, strlen(library[i].start))) {
			*kind |= library[i].kind;
			return true;
		}
	return false;
}

/* Adds the functions that called it: " <- serve <- run". */
static void put_callers(const struct lock_row *row, u32 from, u32 most, struct strbuf *out)
{
	for (u32 i = from; i < row->depth && most; i++) {
		const char *name = row->frames[i].name;
		const char *plus = strrchr(name, '+');

		if (!*name)
			continue;
		/* [OBJECT+0xSTART] is also a name */
		if (plus && *name == '[' && plus[-1] != ']')
			plus = NULL;
		strbuf_f(out, " <- %.*s", (int)(plus ? (size_t)(plus - name) : strlen(name)), name);
		most--;
	}
}

void lock_name_user_row(struct lock_row *row, u32 callers)
{
	struct strbuf name = STRBUF_INIT;
	u32 kind = 0, i = 0;

	/* the library's own functions determine the kind */
	while (i < row->depth && (!*row->frames[i].name || in_library(row->frames[i].name, &kind) ||
				  row->frames[i].runtime))
		i++;
	if (i < row->depth) {
		strbuf_str(&name, row->frames[i].name);
		put_callers(row, i + 1, callers, &name);
		free(row->name);
		row->name = strbuf_detach(&name);
	}
	row->flags = KIND_FUTEX | (kind & -kind);
}

static struct lock_row *place_of(struct lock_result *res, struct lock_rows *rows,
				 const struct session_sample *s, u64 addr, enum lock_by by)
{
	struct lock_chain chain;
	struct lock_row *row;
	bool added;
	u64 key;

	lock_chain_read(&res->callers, s, &chain);
	key = by == LOCK_BY_ADDRESS ? futex_key(s->sample->id.pid, addr)
	      : by == LOCK_BY_TASK  ? lock_life_key(s)
				    : hash_combine(chain.hash, s->sample->id.pid);
	row = lock_row_put(rows, key, &added);
	if (!added)
		return row;
	row->addr = addr;
	row->tid = s->sample->id.tid;
	lock_row_name(&res->callers, row, &chain, s->task, &s->key);
	lock_name_user_row(row, rows == &res->rows ? LOCK_USER_CALLERS : 0);
	if (by == LOCK_BY_TASK) {
		free(row->name);
		row->name =
			printable_copy(history_comm_text(session_history(res->session), s->comm));
	}
	return row;
}

/* ---- events ---- */

/*
 * Reports whether -Y and -S select a chain. Its names determine the kind of lock, so the answer is
 * kept for each chain.
 */
bool lock_user_chain_wanted(struct lock_result *res, const struct lock_chain *chain, u32 pid,
			    const struct task *task, const struct order_key *key)
{
	struct lock_chain its = *chain;
	struct lock_row row = { 0 };
	u64 *known;
	bool added;

	its.hash = hash_combine(its.hash, pid);
	if (!lock_chain_wanted(res, &its, task, key))
		return false;
	if (!res->l->types)
		return true;
	known = map64_put(&res->filters.kinds, its.hash, &added);
	if (added) {
		lock_row_name(&res->callers, &row, &its, task, key);
		lock_name_user_row(&row, 0);
		*known = row.flags;
		lock_row_release(&row);
	}
	return lock_types_have(res->l->types, (u32)*known);
}

static bool wait_wanted(struct lock_result *res, const struct session_sample *s)
{
	struct lock_chain chain;

	if (!res->l->types && !res->filters.callers.list.count)
		return true;
	lock_chain_read(&res->callers, s, &chain);
	return lock_user_chain_wanted(res, &chain, s->sample->id.pid, s->task, &s->key);
}

static void begin_wait(struct lock_result *res, const struct session_sample *s, u64 addr)
{
	u32 pid = s->sample->id.pid;
	struct waking *wake;
	struct lock_row *row;
	struct wait *w;

	if (!lock_task_wanted(res, s->sample) || !wait_wanted(res, s))
		return;
	w = tracer_state(&res->pending, s->sample->id.tid);
	wake = tracer_state(&res->futexes, futex_key(pid, addr));
	row = place_of(res, &res->rows, s, addr, res->l->by);
	row->contended++;
	wake->waiters++;
	lock_task_met(res, s);
	*w = (struct wait){
		.addr = addr, .row = row->key, .time = s->key.time, .pid = pid, .open = true
	};
}

static void wakes(struct lock_result *res, const struct session_sample *s, u64 addr)
{
	struct waking *wake = tracer_state_find(&res->futexes, futex_key(s->sample->id.pid, addr));

	if (!wake || !wake->waiters)
		return;
	wake->time = s->key.time;
	wake->tid = s->sample->id.tid;
	wake->comm = s->comm;
	wake->place = place_of(res, &res->callers.places, s, 0, LOCK_BY_CALLER)->name;
}

int lock_on_futex(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct lock_result *res = arg;
	const struct session_sample *s = tracer_hit_sample(hit);
	u64 addr = tracer_u64(hit, FUTEX_ADDR);
	int err = lock_filters_open(res, r);

	if (err)
		return err;
	switch (tracer_u64(hit, FUTEX_OP) & OP_MASK) {
	case OP_WAIT:
	case OP_WAIT_BITSET:
	case OP_LOCK_PI:
	case OP_LOCK_PI2:
	case OP_WAIT_REQUEUE_PI:
		begin_wait(res, s, addr);
		break;
	case OP_WAKE:
	case OP_WAKE_BITSET:
	case OP_WAKE_OP:
	case OP_UNLOCK_PI:
	case OP_CMP_REQUEUE:
		wakes(res, s, addr);
		break;
	default:
		break;
	}
	return 0;
}

static void count_wake(struct lock_result *res, u64 row_key, const struct waking *wake)
{
	u64 row = *map64_get(&res->rows.by_key, row_key);
	u64 key = hash_combine(hash_combine(row, wake->tid), (u64)(uintptr_t)wake->place);
	bool added;
	u64 *at = map64_put(&res->by_wake, key, &added);

	if (added) {
		*at = res->wakes.count;
		vec_push(&res->wakes, (struct lock_wake){ .row = (u32)row,
							  .tid = wake->tid,
							  .comm = wake->comm,
							  .place = wake->place });
	}
	res->wakes.items[*at].count++;
}

int lock_on_futex_done(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct lock_result *res = arg;
	const struct session_sample *s = tracer_hit_sample(hit);
	u32 tid = s->sample->id.tid;
	struct wait *w = tracer_state_find(&res->pending, tid);
	struct lock_row *row = w && w->open ? lock_row_find(&res->rows, w->row) : NULL;
	struct waking *wake;

	(void)r;
	if (!row)
		return 0;
	if (s->key.time >= w->time) {
		lock_row_waited(row, s->key.time - w->time);
		row->acquired++;
	} else {
		res->backwards++;
	}
	wake = tracer_state_find(&res->futexes, futex_key(w->pid, w->addr));
	if (wake && wake->waiters)
		wake->waiters--;
	if (wake && wake->time >= w->time && wake->tid != tid)
		count_wake(res, w->row, wake);
	tracer_state_drop(&res->pending, tid);
	return 0;
}

/* ---- at the end ---- */

static int most_first(const void *a, const void *b)
{
	const struct lock_wake *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Adds "worker/123 in unlock_all+0x12 (7), ..." to each row. */
void lock_futexes_finish(struct lock_result *res)
{
	enum { MOST_WAKERS = 3 };
	struct strbuf b = STRBUF_INIT;

	vec_sort(&res->wakes, most_first);
	for (size_t i = 0, n; i < res->wakes.count; i += n) {
		struct lock_wake *first = &res->wakes.items[i];

		strbuf_clear(&b);
		for (n = 0; i + n < res->wakes.count && first[n].row == first->row; n++) {
			if (n == MOST_WAKERS)
				strbuf_str(&b, ", ...");
			if (n >= MOST_WAKERS)
				continue;
			strbuf_str(&b, n ? ", " : "");
			strbuf_printable(&b, history_comm_text(session_history(res->session),
							       first[n].comm));
			strbuf_f(&b, "/%u in %s (%" PRIu64 ")", first[n].tid, first[n].place,
				 first[n].count);
		}
		res->rows.list.items[first->row].wakers = xstrdup(b.s);
	}
	strbuf_release(&b);
}
