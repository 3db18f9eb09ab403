// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The jitdump files and perf maps of processes that may take them along when they end: deleted, or
 * in a mount namespace that ends with them.  Both are still written when they are noticed, so a
 * descriptor is held rather than the bytes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/sample.h"
#include "jit/code.h"
#include "object/image.h"
#include "record/internal.h"
#include "symbol/symbol.h"

/* Each takes a descriptor, of which the recorder needs many itself. */
enum { MOST_HELD = 128 };

struct held_dump {
	u64 ino, generation;
	u32 maj, min;
	int fd;
};

/* A process whose map is not found under the name that its pid here gives it. */
struct held_maps {
	s32 pid, inner; /* here, and as the process itself sees it */
	int tmp_fd;	/* its /tmp */
};

struct held_generated {
	VEC(struct held_dump) dumps;
	VEC(struct held_maps) maps;
	VEC(s32) seen; /* processes that were looked at and need no held_maps */
};

struct held_generated *held_generated_new(void)
{
	return xcalloc(1, sizeof(struct held_generated));
}

void held_generated_free(struct held_generated *g)
{
	if (!g)
		return;
	vec_for_each(&g->dumps, it)
		close(it->fd);
	vec_for_each(&g->maps, it)
		close(it->tmp_fd);
	vec_release(&g->dumps);
	vec_release(&g->maps);
	vec_release(&g->seen);
	free(g);
}

static struct held_dump *find_dump(struct held_generated *g, u32 maj, u32 min, u64 ino, u64 generation)
{
	vec_for_each(&g->dumps, it)
		if (it->ino == ino && it->maj == maj && it->min == min && it->generation == generation)
			return it;
	return NULL;
}

static void note_dump(struct held_generated *g, const struct record_mmap *m)
{
	int fd = -1;

	if (g->dumps.count < MOST_HELD && m->ino && !find_dump(g, m->maj, m->min, m->ino, m->ino_generation))
		fd = kept_open_mapped(m);
	if (fd >= 0)
		vec_push(&g->dumps, (struct held_dump){ m->ino, m->ino_generation, m->maj, m->min, fd });
}

static bool is_our_tmp(int fd)
{
	struct stat ours, theirs;

	return !stat("/tmp", &ours) && !fstat(fd, &theirs) && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

static bool was_seen(const struct held_generated *g, s32 pid)
{
	vec_for_each(&g->maps, it)
		if (it->pid == pid)
			return true;
	vec_for_each(&g->seen, it)
		if (*it == pid)
			return true;
	return false;
}

/* The map itself is often made only after the memory for the code. */
static void note_process(struct held_generated *g, s32 pid)
{
	struct held_maps p = { .pid = pid };
	char path[40];

	if (was_seen(g, pid) || g->maps.count >= MOST_HELD)
		return;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp", pid);
	p.inner = perf_map_pid(pid);
	p.tmp_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p.tmp_fd >= 0 && (p.inner != pid || !is_our_tmp(p.tmp_fd))) {
		vec_push(&g->maps, p);
		return;
	}
	if (p.tmp_fd >= 0)
		close(p.tmp_fd);
	if (g->seen.count == MOST_HELD)
		g->seen.count = 0;
	vec_push(&g->seen, pid);
}

bool held_generated_note(struct held_generated *g, const struct record_mmap *m)
{
	if ((s32)m->pid <= 0)
		return false;
	if (jitdump_names(m->filename)) {
		note_dump(g, m);
		return true;
	}
	if (image_classify(m->filename, false, true) != IMAGE_JIT)
		return false;
	note_process(g, (s32)m->pid);
	return true;
}

int held_generated_open(struct held_generated *g, const struct image *img)
{
	struct held_dump *d;
	char name[40];

	if (img->kind == IMAGE_ELF && jitdump_names(img->path)) {
		d = find_dump(g, img->maj, img->min, img->ino, img->ino_generation);
		return d ? fcntl(d->fd, F_DUPFD_CLOEXEC, 0) : -1;
	}
	if (img->kind != IMAGE_JIT)
		return -1;
	vec_for_each(&g->maps, it) {
		if (it->pid != img->pid)
			continue;
		snprintf(name, sizeof(name), "perf-%d.map", it->inner);
		/* a link would be followed among our files, not among those of the process */
		return openat(it->tmp_fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	}
	return -1;
}
