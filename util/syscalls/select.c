// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the calls that a word means: a name, a glob, /a regular expression/, %a group. */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/reason.h"
#include "base/text.h"
#include "syscalls/internal.h"

/* Groups by the kinds of arguments, and by names for the others; globs. */
static const struct group {
	const char *name, *calls;
	bool paths, descriptors;
} groups[] = {
	{ "clock",
	  "adjtimex clock_adjtime clock_getres clock_gettime clock_settime gettimeofday "
	  "settimeofday time",
	  false, false },
	{ "creds", "*get*id capget capset getgroups set*uid set*gid setgroups", false, false },
	{ "desc", "poll ppoll select pselect6 _newselect mmap mmap2 epoll_* dup* pipe pipe2", false,
	  true },
	{ "file", "", true, false },
	{ "fstat", "fstat fstat64", false, false },
	{ "fstatfs", "fstatfs*", false, false },
	{ "ipc", "ipc msg* sem* shm*", false, false },
	{ "lstat", "lstat lstat64", false, false },
	{ "memory",
	  "brk get_mempolicy io_destroy io_setup madvise mbind migrate_pages mincore mlock* mmap* "
	  "move_pages "
	  "mprotect mremap mseal msync munlock munlockall munmap pkey_mprotect remap_file_pages "
	  "set_mempolicy* "
	  "shmat shmdt",
	  false, false },
	{ "net",
	  "accept* bind connect getpeername getsockname getsockopt listen recv* send* setsockopt "
	  "shutdown socket*",
	  false, false },
	{ "network",
	  "accept* bind connect getpeername getsockname getsockopt listen recv* send* setsockopt "
	  "shutdown socket*",
	  false, false },
	{ "process",
	  "clone clone3 execve execveat exit exit_group fork vfork wait4 waitid waitpid kill "
	  "tkill tgkill "
	  "pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo arch_prctl unshare",
	  false, false },
	{ "pure", "get*id gettid getpgrp", false, false },
	{ "signal", "kill tkill tgkill pause rt_sig* sig* pidfd_send_signal", false, false },
	{ "stat", "stat stat64", false, false },
	{ "%stat", "stat* fstat fstat64 lstat* newfstatat fstatat64 statx", false, false },
	{ "statfs", "statfs*", false, false },
};

/* Lists that perf installs as strace/groups/file and string: words without a percent sign. */
static const struct group lists[] = {
	{ "file",
	  "access chmod creat execve faccessat getcwd lstat mkdir open openat quotactl read "
	  "readlink rename rmdir "
	  "stat statfs symlink unlink write",
	  false, false },
	{ "string",
	  "access acct add_key chdir chmod chown chroot creat delete_module execve execveat "
	  "faccessat fchmodat "
	  "fchownat fgetxattr finit_module fremovexattr fsetxattr futimesat getxattr "
	  "inotify_add_watch lchown "
	  "lgetxattr link linkat listxattr llistxattr lremovexattr lsetxattr lstat memfd_create "
	  "mkdir mkdirat "
	  "mknod mknodat mq_open mq_timedsend mq_unlink name_to_handle_at newfstatat open openat "
	  "pivot_root "
	  "pwrite64 quotactl readlink readlinkat removexattr rename renameat renameat2 "
	  "request_key rmdir "
	  "setxattr stat statfs statx swapoff swapon symlink symlinkat truncate unlink unlinkat "
	  "utimensat",
	  false, false },
};

/* Writes "%desc %file ..." for messages. */
static void syscall_group_names(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		strbuf_f(out, "%s%%%s", i ? " " : "", groups[i].name);
}

static bool has_kind(const struct syscall *c, u8 first, u8 second)
{
	for (u32 i = 0; i < c->arg_count; i++)
		if (c->args[i].kind == first || c->args[i].kind == second)
			return true;
	return false;
}

static bool in_group(const struct group *g, const struct strlist *globs, const struct syscall *c)
{
	if (g->paths && has_kind(c, KIND_PATH, KIND_PATH))
		return true;
	if (g->descriptors && has_kind(c, KIND_FD, KIND_DIR))
		return true;
	vec_for_each(&globs->list, glob)
		if (glob_match(*glob, c->name))
			return true;
	return false;
}

static void add(struct syscall_set *set, u32 nr)
{
	set->bits[nr / 64] |= BIT64(nr % 64);
}

static void add_group(const struct syscall_book *b, const struct group *g, struct syscall_set *set)
{
	struct strlist globs = { 0 };

	strlist_split(&globs, g->calls, " ");
	for (u32 nr = 0; nr <= syscall_most(b); nr++) {
		const struct syscall *c = syscall_find(b, nr);

		if (c && in_group(g, &globs, c))
			add(set, nr);
	}
	strlist_release(&globs);
}

static bool select_list(const struct syscall_book *b, const char *word, struct syscall_set *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(lists[i].name, word) != 0)
			continue;
		add_group(b, &lists[i], set);
		return true;
	}
	return false;
}

static int select_group(const struct syscall_book *b, const char *word, struct syscall_set *set,
			struct reason *r)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (strcmp(groups[i].name, word) != 0)
			continue;
		add_group(b, &groups[i], set);
		return 0;
	}
	reason_set(r, EINVAL, "there is no group of system calls '%%%s'", word);
	syscall_group_names(&names);
	reason_hint(r, "the groups are %s", strbuf_cstr(&names));
	strbuf_release(&names);
	return -EINVAL;
}

static int select_regex(const struct syscall_book *b, const char *word, struct syscall_set *set,
			struct reason *r)
{
	char *text = xstrndup(word + 1, strlen(word) - 2), error[128];
	bool any = false;
	regex_t re;
	int err = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);

	if (err) {
		regerror(err, &re, error, sizeof(error));
		free(text);
		return reason_set(r, EINVAL, "'%s' is not a regular expression: %s", word, error);
	}
	for (u32 nr = 0; nr <= syscall_most(b); nr++) {
		const struct syscall *c = syscall_find(b, nr);

		if (c && !regexec(&re, c->name, 0, NULL, 0)) {
			add(set, nr);
			any = true;
		}
	}
	regfree(&re);
	free(text);
	return any ? 0 : reason_set(r, EINVAL, "no system call matches '%s'", word);
}

/* Returns the name of a call for another one that a kernel's tracepoints or a C library use. */
static const char *real_name(const char *word)
{
	static const char *const other[][2] = {
		{ "newstat", "stat" },      { "newfstat", "fstat" },      { "newlstat", "lstat" },
		{ "newuname", "uname" },    { "sendfile64", "sendfile" }, { "pread", "pread64" },
		{ "pwrite", "pwrite64" },   { "fstatat", "newfstatat" },  { "umount", "umount2" },
		{ "prlimit", "prlimit64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (!strcmp(other[i][0], word))
			return other[i][1];
	return word;
}

/* Reads "syscall_500", the name that lines have for a call in no table. */
static bool is_number(const char *word, u32 *nr)
{
	static const char begin[] = "syscall_";
	u64 n;

	if (!str_starts(word, begin) || parse_u64(word + strlen(begin), &n) || n >= SYSCALL_NUMBERS)
		return false;
	*nr = (u32)n;
	return true;
}

int syscall_select(const struct syscall_book *b, const char *word, struct syscall_set *set,
		   struct reason *r)
{
	const struct syscall *c = syscall_by_name(b, word);
	bool any = false;
	u32 number;

	if (!c && is_number(word, &number)) {
		add(set, number);
		return 0;
	}
	if (word[0] == '%')
		return select_group(b, word + 1, set, r);
	if (word[0] == '/' && strlen(word) > 2 && str_ends(word, "/"))
		return select_regex(b, word, set, r);
	if (!c && select_list(b, word, set))
		return 0;
	if (!c)
		c = syscall_by_name(b, real_name(word));
	if (c) {
		/* x32 tasks have another number for some */
		for (u32 nr = 0; nr <= syscall_most(b); nr++)
			if (syscall_find(b, nr) && !strcmp(syscall_find(b, nr)->name, c->name))
				add(set, nr);
		return 0;
	}
	for (u32 nr = 0; has_glob(word) && nr <= syscall_most(b); nr++) {
		c = syscall_find(b, nr);
		if (c && glob_match(word, c->name)) {
			add(set, nr);
			any = true;
		}
	}
	return any ? 0 : -ENOENT;
}
