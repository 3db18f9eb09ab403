// SPDX-License-Identifier: GPL-2.0-or-later
/* Kinds of locks, by the flags of the event contention_begin and of BPF. */
#include <errno.h>
#include <string.h>

#include "builtin/lock/internal.h"

static const struct {
	u32 flags;
	const char *name;
} kinds[] = {
	{ 0, "semaphore" },
	{ KIND_SPIN, "spinlock" },
	{ KIND_SPIN | KIND_READ, "rwlock:R" },
	{ KIND_SPIN | KIND_WRITE, "rwlock:W" },
	{ KIND_READ, "rwsem:R" },
	{ KIND_WRITE, "rwsem:W" },
	{ KIND_RT, "rt-mutex" },
	{ KIND_RT | KIND_READ, "rwlock-rt:R" },
	{ KIND_RT | KIND_WRITE, "rwlock-rt:W" },
	{ KIND_PERCPU | KIND_READ, "pcpu-sem:R" },
	{ KIND_PERCPU | KIND_WRITE, "pcpu-sem:W" },
	{ KIND_MUTEX, "mutex" },
	{ KIND_MUTEX | KIND_SPIN, "mutex" },
	{ KIND_FUTEX, "futex" },
	{ KIND_FUTEX | KIND_USER_MUTEX, "user-mutex" },
	{ KIND_FUTEX | KIND_USER_RWLOCK, "user-rwlock" },
	{ KIND_FUTEX | KIND_USER_SEMAPHORE, "user-sem" },
	{ KIND_FUTEX | KIND_USER_CONDITION, "condition" },
	{ KIND_FUTEX | KIND_USER_BARRIER, "barrier" },
	{ KIND_FUTEX | KIND_USER_JOIN, "join" },
};

const char *lock_type_name(u32 flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].flags == flags)
			return kinds[i].name;
	return NULL;
}

/* Reports whether text names the kind. "rwsem" names both rwsem:R and rwsem:W. */
static bool names(const char *text, size_t len, const char *name)
{
	return !strncmp(text, name, len) && (!name[len] || name[len] == ':');
}

int lock_types_check(const char *text, struct reason *r)
{
	for (;; text++) {
		size_t len = strcspn(text, ","), i = 0;

		while (i < ARRAY_SIZE(kinds) && !names(text, len, kinds[i].name))
			i++;
		if (!len || i == ARRAY_SIZE(kinds))
			return reason_set(
				r, EINVAL,
				"'%.*s' is not a kind of lock: semaphore, spinlock, rwlock[:R|:W], "
				"rwsem[:R|:W], rt-mutex, rwlock-rt[:R|:W], pcpu-sem[:R|:W], mutex, "
				"futex, user-mutex, user-rwlock, user-sem, condition, barrier, "
				"join",
				(int)len, text);
		text += len;
		if (!*text)
			return 0;
	}
}

bool lock_types_have(const char *text, u32 flags)
{
	const char *name = lock_type_name(flags);

	for (; name; text++) {
		size_t len = strcspn(text, ",");

		if (names(text, len, name))
			return true;
		text += len;
		if (!*text)
			break;
	}
	return false;
}
