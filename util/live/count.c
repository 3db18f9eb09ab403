// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading counters.  A group's values come in one read of its leader and are
 * kept for the members that are read next.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "live/internal.h"

struct count_reader {
	const u64 *at;
	size_t left; /* words */
	bool short_read;
};

static u64 next_word(struct count_reader *w)
{
	if (!w->left) {
		w->short_read = true;
		return 0;
	}
	w->left--;
	return *w->at++;
}

static int read_words(const struct live *l, int fd, u64 *words, size_t space,
		      struct count_reader *w)
{
	ssize_t n = l->backend->read(l->backend->arg, fd, words, space * sizeof(*words));

	if (n < 0)
		return (int)n;
	*w = (struct count_reader){ .at = words, .left = (size_t)n / sizeof(*words) };
	return 0;
}

static int read_single(const struct live *l, const struct cell *cell, u64 format,
		       struct live_count *c)
{
	u64 words[5];
	struct count_reader w = { 0 };
	int err = read_words(l, cell->fd, words, ARRAY_SIZE(words), &w);

	if (err)
		return err;
	if (!w.left)
		return 1; /* a pinned event in error state reads as end of file */
	c->value = next_word(&w);
	c->enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? next_word(&w) : 0;
	c->running = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? next_word(&w) : 0;
	if (format & PERF_FORMAT_ID)
		next_word(&w);
	c->lost = format & PERF_FORMAT_LOST ? next_word(&w) : 0;
	return w.short_read ? -EIO : 0;
}

static struct cell *member_by_id(struct live *l, const struct event *leader, size_t cpu,
				 size_t thread, u64 id)
{
	for (size_t i = leader->index; i < l->set->list.count; i++) {
		struct event *ev = l->set->list.items[i];
		struct cell *cell = live_cell(l, ev, cpu, thread);

		if (ev->leader != leader)
			break;
		if (cell->fd >= 0 && cell->kernel_id == id)
			return cell;
	}
	return NULL;
}

static int read_group(struct live *l, const struct event *leader, size_t cpu, size_t thread)
{
	size_t space = 3 + 3 * (size_t)leader->members;
	u64 format = leader->attr.read_format, enabled, running, count;
	u64 *words = xcalloc(space, sizeof(*words));
	struct count_reader w = { 0 };
	int err = read_words(l, live_cell(l, leader, cpu, thread)->fd, words, space, &w);

	if (!err && !w.left)
		err = 1;
	count = next_word(&w);
	enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? next_word(&w) : 0;
	running = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? next_word(&w) : 0;
	for (u64 i = 0; !err && i < count && !w.short_read; i++) {
		u64 value = next_word(&w), id = next_word(&w);
		struct cell *cell = member_by_id(l, leader, cpu, thread, id);
		u64 lost = format & PERF_FORMAT_LOST ? next_word(&w) : 0;

		if (!cell)
			continue;
		cell->group = (struct live_count){ value, enabled, running, lost, true };
		cell->group_fresh = true;
	}
	free(words);
	if (!err && w.short_read)
		err = -EIO;
	return err;
}

static int read_cell(struct live *l, const struct event *ev, size_t cpu, size_t thread,
		     struct live_count *c)
{
	struct cell *cell = live_cell(l, ev, cpu, thread);
	int err = 0;

	memset(c, 0, sizeof(*c));
	c->supported = !l->unsupported[ev->index];
	if (cell->fd < 0)
		return 1;
	if (!(ev->attr.read_format & PERF_FORMAT_GROUP))
		return read_single(l, cell, live_read_format(l, ev), c);
	if (ev->leader == ev || !cell->group_fresh)
		err = read_group(l, ev->leader, cpu, thread);
	if (err)
		return err;
	if (!cell->group_fresh)
		return 1;
	*c = cell->group;
	cell->group_fresh = false;
	return 0;
}

int live_read(struct live *l, const struct event *ev, size_t cpu, size_t thread,
	      struct live_count *c)
{
	const struct live_count *before = &live_cell(l, ev, cpu, thread)->before;
	int got = read_cell(l, ev, cpu, thread, c);

	if (got < 0)
		return got;
	c->value += before->value;
	c->enabled += before->enabled;
	c->running += before->running;
	c->lost += before->lost;
	return got && before->enabled ? 0 : got;
}
