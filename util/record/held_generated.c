// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The jitdump files and perf maps of processes that may take them along when they end: deleted, or
 * in a mount namespace that ends with them. Both are still written when they are noticed, so a
 * descriptor is held rather than the bytes. They are read with the rights of the process's user
 * (rights.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "event/sample.h"
#include "jit/code.h"
#include "object/image.h"
#include "object/rights.h"
#include "record/internal.h"
#include "symbol/symbol.h"

/* Each takes a descriptor, of which the recorder needs many itself. */
enum { MOST_HELD = 128 };
/* Processes whose users are remembered; beyond that new ones are forgotten. */
enum { MOST_USERS = 1 << 16 };

struct held_dump {
	u64 ino, generation;
	u32 maj, min;
	struct user_rights user; /* of the process that mapped it */
	int fd;
};

/* A process whose map is not found under the name that its pid here gives it. */
struct held_maps {
	s32 pid, inner; /* here, and as the process itself sees it */
	int tmp_fd;     /* its /tmp */
};

struct held_generated {
	VEC(struct held_dump) dumps;
	VEC(struct held_maps) maps;
	/* pid -> its user when it last mapped memory for code: uid << 32 | gid */
	struct map64 users;
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
	map64_release(&g->users);
	free(g);
}

static struct held_dump *find_dump(struct held_generated *g, u32 maj, u32 min, u64 ino,
				   u64 generation)
{
	vec_for_each(&g->dumps, it)
		if (it->ino == ino && it->maj == maj && it->min == min &&
		    it->generation == generation)
			return it;
	return NULL;
}

static void note_dump(struct held_generated *g, const struct record_mmap *m)
{
	struct user_rights user;
	int fd = -1;

	if (g->dumps.count < MOST_HELD && m->ino &&
	    !find_dump(g, m->maj, m->min, m->ino, m->ino_generation) &&
	    !user_rights_of((s32)m->pid, &user))
		fd = kept_open_mapped(m);
	if (fd >= 0)
		vec_push(&g->dumps,
			 (struct held_dump){ m->ino, m->ino_generation, m->maj, m->min, user, fd });
}

static bool is_our_tmp(int fd)
{
	struct stat ours, theirs;

	return !stat("/tmp", &ours) && !fstat(fd, &theirs) && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* Holds the /tmp of a process. The map itself is often made only after the memory for the code. */
static void hold_tmp(struct held_generated *g, s32 pid)
{
	struct held_maps p = { .pid = pid, .inner = perf_map_pid(pid) };
	int root = process_root_open(pid);

	if (root < 0)
		return;
	p.tmp_fd = open_below(root, "/tmp", O_PATH | O_DIRECTORY);
	close(root);
	if (p.tmp_fd < 0)
		return;
	if (p.inner != pid || !is_our_tmp(p.tmp_fd))
		vec_push(&g->maps, p);
	else
		close(p.tmp_fd);
}

/* Notes the user of a process, each time: a daemon becomes another user after it began. */
static void note_process(struct held_generated *g, s32 pid)
{
	struct user_rights user;
	bool is_new;
	u64 *known;

	if (user_rights_of(pid, &user) ||
	    (g->users.count >= MOST_USERS && !map64_get(&g->users, (u64)pid)))
		return;
	known = map64_put(&g->users, (u64)pid, &is_new);
	*known = (u64)user.uid << 32 | user.gid;
	if (is_new && g->maps.count < MOST_HELD)
		hold_tmp(g, pid);
}

bool held_generated_note(struct held_generated *g, const struct record_mmap *m)
{
	if ((s32)m->pid <= 0)
		return false;
	if (jitdump_names(m->filename)) {
		note_dump(g, m);
		return true;
	}
	if (image_classify_mapping(m->filename, true, m->prot, m->flags) != IMAGE_JIT)
		return false;
	note_process(g, (s32)m->pid);
	return true;
}

static int open_map(struct held_generated *g, s32 pid, const struct user_rights *user)
{
	char name[40];
	int tmp, fd;

	vec_for_each(&g->maps, it) {
		if (it->pid != pid)
			continue;
		snprintf(name, sizeof(name), "perf-%d.map", it->inner);
		return open_as(user, it->tmp_fd, name);
	}
	tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tmp < 0)
		return -1;
	snprintf(name, sizeof(name), "perf-%d.map", pid);
	fd = open_as(user, tmp, name);
	close(tmp);
	return fd;
}

int held_generated_open(struct held_generated *g, const struct image *img)
{
	struct user_rights user;
	struct held_dump *d;
	const u64 *known;

	if (img->kind == IMAGE_ELF && jitdump_names(img->path)) {
		d = find_dump(g, img->maj, img->min, img->ino, img->ino_generation);
		return d && user_may_own(&d->user, d->fd) ? fcntl(d->fd, F_DUPFD_CLOEXEC, 0) : -1;
	}
	known = img->kind == IMAGE_JIT ? map64_get(&g->users, (u64)img->pid) : NULL;
	if (!known)
		return -1;
	user = (struct user_rights){ .uid = (uid_t)(*known >> 32), .gid = (gid_t)*known };
	return open_map(g, img->pid, &user);
}
