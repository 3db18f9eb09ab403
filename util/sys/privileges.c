// SPDX-License-Identifier: GPL-2.0-or-later
/* What this process is allowed, and in which namespaces it is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/explain.h"
#include "sys/obstacles.h"

/* The first namespaces have the same numbers on every kernel (PROC_USER_INIT_INO and others). */
static bool is_first(const struct sys *sys, const char *path, const char *first)
{
	char *at = sys_path(sys, "%s", path), link[64];
	ssize_t n = readlink(at, link, sizeof(link));

	free(at);
	return n <= 0 || ((size_t)n == strlen(first) && !memcmp(link, first, (size_t)n));
}

bool in_first_user_namespace(const struct sys *sys)
{
	return is_first(sys, "/proc/self/ns/user", "user:[4026531837]");
}

bool in_first_pid_namespace(const struct sys *sys)
{
	return is_first(sys, "/proc/self/ns/pid", "pid:[4026531836]");
}

/* Returns the value of "KEY:\tVALUE" in /proc/self/status, or 0. */
static u64 status_field(const char *status, const char *key, int base)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

void privileges_read(const struct sys *sys, struct privileges *p)
{
	struct strbuf status = STRBUF_INIT;

	memset(p, 0, sizeof(*p));
	if (!sys_read(sys, &status, "/proc/self/status")) {
		if (in_first_user_namespace(sys))
			p->effective = status_field(status.s, "\nCapEff:", 16);
		p->seccomp = status_field(status.s, "\nSeccomp:", 10) == 2;
	}
	strbuf_release(&status);
	if (sys_read_s64(sys, &p->paranoid, "/proc/sys/kernel/perf_event_paranoid"))
		p->paranoid = 2;
	p->perf = p->paranoid < 0 || privileges_has(p, CAPABILITY_PERFMON) ||
		  privileges_has(p, CAPABILITY_SYS_ADMIN);
}
