// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters that several perfs share: each event is opened once on every CPU, however many perfs
 * read it.
 *
 * A map that is pinned in a BPF file system leads from an event to the ids of the map with its
 * descriptors and of an empty one. Ids keep nothing alive. Every user has both maps open, so the
 * counter ends with the last of them, and a row whose ids lead nowhere counts as missing. The empty
 * map is there because programs, which know the other, end a moment after their perf. The directory
 * of the pinned map is locked while it is changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "builtin/stat/bpf.h"

static const char default_path[] = "/sys/fs/bpf/perf_shared_counters";

struct row {
	u32 events, users; /* ids of maps */
};

static const struct bpf_map_shape table_shape = {
	.type = BPF_MAP_TYPE_HASH,
	.key_size = sizeof(struct perf_event_attr),
	.value_size = sizeof(struct row),
	.entries = 128,
	.name = "perf_counters",
};

/* The table, while it is locked. */
struct table {
	const char *path;
	int lock, map; /* -1: none */
};

static void table_close(struct table *t)
{
	if (t->map >= 0)
		close(t->map);
	if (t->lock >= 0)
		close(t->lock);
}

/*
 * Locks a file. Others hold the lock only briefly, unless they are stopped, so the wait is bounded,
 * and short if the user wants to end.
 */
static int lock_file(int fd)
{
	enum { TURN_MS = 10, TURNS = 500, TURNS_AT_END = 50 };

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (i >= (loop_ending_signal() ? TURNS_AT_END : TURNS))
			return -EBUSY;
		poll(NULL, 0, TURN_MS);
	}
	return 0;
}

static int lock_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, MAX((size_t)(slash - path), (size_t)1)) : xstrdup(".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    err = fd < 0 ? -errno : lock_file(fd);

	free(dir);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Checks the shape of a table. A map that something else has made is neither used nor removed. */
static int check_table(const struct table *t, struct reason *r)
{
	struct bpf_map_shape is = { 0 };
	int err = bpf_map_look(t->map, &is);

	if (!err && is.type == table_shape.type && is.key_size == table_shape.key_size &&
	    is.value_size == table_shape.value_size && !strcmp(is.name, table_shape.name))
		return 0;
	reason_set(r, EINVAL, "'%s' is not a map of counters that this perf shares", t->path);
	reason_hint(r, "name another file with --bpf-attr-map; this one may be another program's");
	return -EINVAL;
}

static int no_table(const struct table *t, int err, struct reason *r)
{
	reason_errno(r, -err, "cannot pin the map of shared counters at '%s'", t->path);
	if (err == -EPERM || err == -ENOENT || err == -EINVAL)
		reason_hint(
			r,
			"the directory must be in a BPF file system: mount -t bpf bpf /sys/fs/bpf");
	return err;
}

static int table_open(struct table *t, bool make, struct reason *r)
{
	int err = 0;

	t->lock = lock_directory(t->path);
	if (t->lock < 0)
		return no_table(t, t->lock, r);
	t->map = bpf_object_pinned(t->path);
	if (t->map >= 0)
		return check_table(t, r);
	if (t->map == -ENOENT && make) {
		t->map = bpf_map_make(&table_shape);
		err = t->map < 0 ? t->map : bpf_object_pin(t->map, t->path);
	} else if (t->map < 0)
		err = t->map;
	return err ? no_table(t, err, r) : 0;
}

/* ---- one counter ---- */

static const struct bpf_map_shape events_shape = {
	.type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
	.key_size = 4,
	.value_size = 4,
	.flags = BPF_F_PRESERVE_ELEMS,
	.name = "perf_events",
};
static const struct bpf_map_shape users_shape = {
	.type = BPF_MAP_TYPE_ARRAY,
	.key_size = 4,
	.value_size = 4,
	.entries = 1,
	.name = "perf_users",
};

static int open_counter(struct stat_bpf *b, struct event *ev, struct shared_counter *s,
			struct reason *r)
{
	struct bpf_map_shape shape = events_shape;
	struct counted c = { 0 };
	int err = counted_open(b, &ev, 1, &c, r);

	shape.entries = counted_places(b, &c);
	s->events = err ? -1 : bpf_map_make(&shape);
	s->users = err ? -1 : bpf_map_make(&users_shape);
	if (!err && (s->events < 0 || s->users < 0))
		err = reason_errno(r, -MIN(s->events, s->users), "cannot make a BPF map");
	if (!err)
		err = counted_start(&c, s->events, r);
	s->supported = !err && counted_is_supported(&c, 0);
	counted_close(&c);
	return err;
}

static int open_map(u32 id, const struct bpf_map_shape *like, u32 entries)
{
	int map = bpf_object_open(BPF_MAP_KIND, id);
	struct bpf_map_shape is = { 0 };

	if (map < 0)
		return map;
	if (!bpf_map_look(map, &is) && is.type == like->type && !strcmp(is.name, like->name) &&
	    is.entries == entries)
		return map;
	close(map);
	return -ENOENT;
}

static void close_maps(struct shared_counter *s)
{
	if (s->events >= 0)
		close(s->events);
	if (s->users >= 0)
		close(s->users);
	s->events = s->users = -1;
}

/* Opens the maps that a row leads to. Returns false unless they still exist and are of our kind. */
static bool open_row(const struct stat_bpf *b, const struct row *row, struct shared_counter *s)
{
	s->users = open_map(row->users, &users_shape, 1);
	s->events = open_map(row->events, &events_shape, b->possible[b->possible_count - 1] + 1);
	if (s->users >= 0 && s->events >= 0)
		return true;
	close_maps(s);
	return false;
}

/*
 * Returns the key of an event. Equal events have equal keys, which do not depend on how they are
 * opened.
 */
static struct perf_event_attr key_of(const struct event *ev)
{
	struct perf_event_attr key = ev->attr;

	key.size = sizeof(key);
	key.sample_period = key.sample_type = key.read_format = 0;
	key.flags &= ~(ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT);
	return key;
}

static int get_from(struct stat_bpf *b, struct table *t, struct event *ev, struct shared_counter *s,
		    struct reason *r)
{
	struct row row = { 0 };
	int err;

	s->supported = t->map >= 0 && !bpf_map_read(t->map, &s->key, &row) && open_row(b, &row, s);
	if (s->supported)
		return 0;
	err = open_counter(b, ev, s, r);
	if (err || t->map < 0 || !s->supported)
		return err;
	/* if the table is full, the counter is not shared, but just as correct */
	row = (struct row){ bpf_object_id(BPF_MAP_KIND, s->events),
			    bpf_object_id(BPF_MAP_KIND, s->users) };
	bpf_map_write(t->map, &s->key, &row);
	return 0;
}

int shared_counter_get(struct stat_bpf *b, struct event *ev, struct shared_counter *s,
		       struct reason *r)
{
	const char *asked = b->q->ask.bpf_attr_map;
	struct table t = { asked ? asked : default_path, -1, -1 };
	struct reason why = REASON_INIT;
	/* -u alone does not ask for a file */
	bool alone = b->q->by_user && !b->q->ask.bpf_counters;
	int err = alone ? 0 : table_open(&t, true, &why);

	s->key = key_of(ev);
	if (err && asked) {
		reason_move(r, &why);
		table_close(&t);
		return err;
	}
	if (err) {
		condition_add(&b->q->ctx->conditions, CONDITION_NOTE, "stat-not-shared", NULL, NULL,
			      1, why.hint, "counters are not shared with other perfs: %s",
			      why.text);
		reason_release(&why);
		if (t.map >= 0)
			close(t.map);
		t.map = -1;
	}
	err = get_from(b, &t, ev, s, r);
	table_close(&t);
	return err;
}

static int count_row(void *arg, const void *key, void *value)
{
	size_t *rows = arg;

	(void)key;
	(void)value;
	++*rows;
	return 0;
}

/* Removes a row without users, and the table if it has no rows. */
static void tidy(struct table *t, const struct perf_event_attr *key)
{
	struct row row = { 0 };
	size_t rows = 0;
	int users;

	if (!bpf_map_read(t->map, key, &row)) {
		users = open_map(row.users, &users_shape, 1);
		if (users < 0)
			bpf_map_remove(t->map, key);
		else
			close(users);
	}
	bpf_map_each(t->map, sizeof(*key), sizeof(row), count_row, &rows);
	if (!rows)
		unlink(t->path);
}

void shared_counter_put(struct stat_bpf *b, struct shared_counter *s)
{
	const char *asked = b->q->ask.bpf_attr_map;
	struct table t = { asked ? asked : default_path, -1, -1 };
	struct reason r = REASON_INIT;
	bool was_shared = s->users >= 0 && (b->q->ask.bpf_counters || !b->q->by_user);

	close_maps(s);
	if (was_shared && !table_open(&t, false, &r))
		tidy(&t, &s->key);
	table_close(&t);
	reason_release(&r);
}
