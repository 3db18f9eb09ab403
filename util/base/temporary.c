// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

#define MARK ".perf-new-"
enum { MOST_NAMES = 16, NAME_ROOM = NAME_MAX - (int)sizeof(MARK) - 8 };

bool temporary_always_named;

/* ---- names that signals remove ---- */

static struct {
	int dir;
	enum temporary_kind kind;
	char name[PATH_MAX];
	volatile sig_atomic_t used;
} named[MOST_NAMES];
static pthread_mutex_t named_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile pid_t owner;

/* Removes a directory, using only functions that a signal handler may call. */
static void remove_tree(const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void remove_named(int sig)
{
	for (int i = MOST_NAMES - 1; i >= 0 && owner == getpid(); i--) {
		if (named[i].used && named[i].kind == TEMPORARY_TREE)
			remove_tree(named[i].name);
		else if (named[i].used)
			unlinkat(named[i].dir, named[i].name, 0);
	}
	/* SA_RESETHAND has restored what the signal does by itself */
	raise(sig);
}

static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = remove_named, .sa_flags = (int)SA_RESETHAND }, now;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH ||
		    sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
			continue;
		if (!sigaction(sig, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == SIG_DFL)
			sigaction(sig, &act, NULL);
	}
}

/* Remembers a name to remove. More names than there is room for are left to the next run. */
static void remember(int dir, const char *name, enum temporary_kind kind)
{
	pthread_mutex_lock(&named_lock);
	/* a child's parent has names that are not the child's to remove */
	for (int i = 0; i < MOST_NAMES && owner != getpid(); i++)
		named[i].used = 0;
	owner = getpid();
	catch_signals();
	for (int i = 0; i < MOST_NAMES; i++) {
		if (named[i].used)
			continue;
		named[i].dir = dir;
		named[i].kind = kind;
		snprintf(named[i].name, sizeof(named[i].name), "%s", name);
		named[i].used = 1;
		break;
	}
	pthread_mutex_unlock(&named_lock);
}

static void forget(int dir, const char *name)
{
	pthread_mutex_lock(&named_lock);
	for (int i = 0; i < MOST_NAMES; i++)
		if (named[i].used && named[i].dir == dir && !strcmp(named[i].name, name))
			named[i].used = 0;
	pthread_mutex_unlock(&named_lock);
}

void temporary_note(const char *path, enum temporary_kind kind)
{
	if (strlen(path) < PATH_MAX)
		remember(AT_FDCWD, path, kind);
}

void temporary_forget(const char *path)
{
	forget(AT_FDCWD, path);
}

/* ---- names that a killed process left ---- */

static void remove_content(int dir, dev_t device);

/*
 * Opens a directory in dir, also one without search permission, or returns -1 if it is something
 * else. Changes apply to the opened directory, even if another one has taken the name.
 */
static int open_inner(int dir, const char *name, dev_t device)
{
	int place = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd = -1;
	struct stat st;
	char path[40];

	if (place < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	if (!fstat(place, &st) && st.st_dev == device) {
		if ((st.st_mode & 0700) != 0700 && st.st_uid == geteuid())
			chmod(path, (st.st_mode & 0777) | 0700);
		fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	close(place);
	return fd;
}

static void remove_entry(int dir, const char *name, dev_t device)
{
	int fd;

	if (!unlinkat(dir, name, 0))
		return;
	fd = open_inner(dir, name, device);
	if (fd < 0)
		return;
	remove_content(fd, device);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* Removes the contents of the directory, except other file systems, and closes it. */
static void remove_content(int dir, dev_t device)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;

	if (!d) {
		close(dir);
		return;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_entry(dir, e->d_name, device);
	closedir(d);
}

/* Removes the open directory, which has this name in dir unless somebody has moved it. */
static void remove_directory(int dir, const char *name, int fd)
{
	int inner = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (inner >= 0 && !fstat(inner, &st))
		remove_content(inner, st.st_dev);
	else if (inner >= 0)
		close(inner);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static bool is_ours(int dir, const char *name, int fd)
{
	struct stat st, named_now;

	return !fstat(fd, &st) && st.st_uid == geteuid() &&
	       ((S_ISREG(st.st_mode) && st.st_nlink == 1) || S_ISDIR(st.st_mode)) &&
	       !fstatat(dir, name, &named_now, AT_SYMLINK_NOFOLLOW) &&
	       named_now.st_ino == st.st_ino && named_now.st_dev == st.st_dev;
}

/*
 * Removes what an ended process has left. A process that still writes to the file or directory
 * holds a lock on it.
 */
static void remove_stale(int dir, const char *name)
{
	const char *mark = strstr(name, MARK);
	int fd;

	if (*name != '.' || !mark || strlen(mark) != strlen(MARK) + 6)
		return;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_ours(dir, name, fd) && !flock(fd, LOCK_EX | LOCK_NB) && is_ours(dir, name, fd) &&
	    unlinkat(dir, name, 0) && errno == EISDIR)
		remove_directory(dir, name, fd);
	close(fd);
}

/* Looks through each directory once, however many files go there. */
static void clean(int dir)
{
	static struct stat last;
	struct stat st;
	struct dirent *e;
	bool known;
	int fd;
	DIR *d;

	if (fstat(dir, &st))
		return;
	pthread_mutex_lock(&named_lock);
	known = st.st_ino == last.st_ino && st.st_dev == last.st_dev;
	last = st;
	pthread_mutex_unlock(&named_lock);
	if (known)
		return;
	fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)))
		remove_stale(dir, e->d_name);
	closedir(d);
}

/* ---- files ---- */

static char *new_name(const char *final)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char random[6];
	char tail[7] = "";

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		snprintf(tail, sizeof(tail), "%06u", (unsigned)getpid() % 1000000);
	else
		for (size_t i = 0; i < sizeof(random); i++)
			tail[i] = letters[random[i] % (sizeof(letters) - 1)];
	return xasprintf(".%.*s" MARK "%s", NAME_ROOM, path_base(final), tail);
}

/* Locks a new file. Returns false if a cleanup has taken it before it was locked. */
static bool lock(int fd)
{
	struct stat st;

	return flock(fd, LOCK_EX | LOCK_NB) ? errno != EWOULDBLOCK : !fstat(fd, &st) && st.st_nlink;
}

static int open_named(struct temporary *t, const char *final, mode_t mode)
{
	for (int tries = 0; tries < 100; tries++) {
		t->name = new_name(final);
		t->fd = openat(t->dir, t->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			       mode);
		if (t->fd >= 0 && lock(t->fd)) {
			remember(t->dir, t->name, TEMPORARY_FILE);
			return 0;
		}
		if (t->fd >= 0)
			close(t->fd);
		else if (errno != EEXIST)
			break;
		t->fd = -1;
		free(t->name);
		t->name = NULL;
	}
	free(t->name);
	t->name = NULL;
	return errno ? -errno : -EEXIST;
}

/* Reports whether linkat() can link the file, which it finds through /proc. */
static bool can_be_linked(int fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW | AT_EACCESS);
}

static bool lacks_unnamed(int err)
{
	return err == EOPNOTSUPP || err == EISDIR || err == EINVAL || err == ENOENT;
}

int temporary_open(struct temporary *t, int dir, const char *final, mode_t mode)
{
	*t = (struct temporary){ .fd = -1, .dir = dir };
	if (!temporary_always_named) {
		t->fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
		if (t->fd < 0 && !lacks_unnamed(errno))
			return -errno;
	}
	if (t->fd >= 0 && can_be_linked(t->fd))
		return 0;
	if (t->fd >= 0)
		close(t->fd);
	clean(dir);
	return open_named(t, final, mode);
}

int temporary_unnamed(const char *dir)
{
	const char *tmp = getenv("TMPDIR");
	char *name;
	int fd;

	if (!dir)
		dir = tmp && *tmp ? tmp : "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	name = xasprintf("%s/perf-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(name);
	free(name);
	return fd;
}

static int link_as(struct temporary *t, const char *name)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->fd);
	return linkat(AT_FDCWD, path, t->dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Closes a duplicate, since a file system may report only at close() that it has no room. */
static int flush(const struct temporary *t)
{
	int fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 || close(fd) ? -errno : 0;
}

static int move(struct temporary *t, const char *final, unsigned how)
{
	int err = renameat2(t->dir, t->name, t->dir, final, how) ? -errno : 0;

	if (err == -EINVAL && how &&
	    faccessat(t->dir, final, F_OK, AT_SYMLINK_NOFOLLOW | AT_EACCESS))
		err = renameat(t->dir, t->name, t->dir, final) ? -errno : 0;
	if (err)
		return err;
	forget(t->dir, t->name);
	free(t->name);
	t->name = NULL;
	return 0;
}

int temporary_place_new(struct temporary *t, const char *final)
{
	int err = flush(t);

	if (err)
		return err;
	return t->name ? move(t, final, RENAME_NOREPLACE) : link_as(t, final);
}

/* Gives the file its name. linkat() does not replace a file, so it takes a name in between. */
static int name_it(struct temporary *t, const char *final)
{
	int err = -EEXIST;

	clean(t->dir);
	lock(t->fd);
	for (int tries = 0; err == -EEXIST && tries < 100; tries++) {
		t->name = new_name(final);
		remember(t->dir, t->name, TEMPORARY_FILE);
		err = link_as(t, t->name);
		if (!err)
			break;
		forget(t->dir, t->name);
		free(t->name);
		t->name = NULL;
	}
	return err;
}

int temporary_place(struct temporary *t, const char *final)
{
	int err = flush(t);

	if (!err && !t->name)
		err = name_it(t, final);
	return err ? err : move(t, final, 0);
}

void temporary_close(struct temporary *t)
{
	if (t->name) {
		unlinkat(t->dir, t->name, 0);
		forget(t->dir, t->name);
	}
	free(t->name);
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct temporary)TEMPORARY_INIT;
}

/* ---- directories ---- */

static void clean_beside(const char *final)
{
	char *path = xasprintf("%.*s.", (int)(path_base(final) - final), final);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(path);
	if (dir >= 0) {
		clean(dir);
		close(dir);
	}
}

int temporary_directory(struct temporary_directory *t, const char *final, mode_t mode)
{
	int err = -EEXIST;

	clean_beside(final);
	for (int tries = 0; tries < 100; tries++) {
		char *name = new_name(final);

		t->path = xasprintf("%.*s%s", (int)(path_base(final) - final), final, name);
		free(name);
		err = mkdir(t->path, mode | 0700) ? -errno : 0;
		t->fd = err ? -1 : open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (t->fd >= 0 && lock(t->fd)) {
			temporary_note(t->path, TEMPORARY_TREE);
			return 0;
		}
		if (t->fd >= 0)
			close(t->fd);
		free(t->path);
		*t = (struct temporary_directory)TEMPORARY_DIRECTORY_INIT;
		if (err && err != -EEXIST)
			break;
	}
	return err ? err : -EEXIST;
}

int temporary_directory_place(struct temporary_directory *t, const char *final)
{
	int err = renameat2(AT_FDCWD, t->path, AT_FDCWD, final, RENAME_NOREPLACE) ? -errno : 0;

	/* a file system may lack that; rename() replaces nothing but an empty directory */
	if (err == -EINVAL)
		err = rename(t->path, final) ? -errno : 0;
	if (err)
		return err;
	temporary_forget(t->path);
	free(t->path);
	t->path = NULL;
	return 0;
}

void temporary_directory_end(struct temporary_directory *t)
{
	if (t->path) {
		remove_directory(AT_FDCWD, t->path, t->fd);
		temporary_forget(t->path);
	}
	free(t->path);
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct temporary_directory)TEMPORARY_DIRECTORY_INIT;
}
