// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The addr2line program as a last resort: one child for each file, asked over a socket as long as
 * it answers. After each address it gets a comma, which is not an address. Its answer to that ends
 * the list of frames, of any length.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "symbol/internal.h"
#include "symbol/srcline.h"

/* ms: the program may have gigabytes to read before its first answer */
#define PATIENCE_MS 60000

extern char **environ;

struct addr2line {
	pthread_mutex_t lock; /* one question at a time */
	pid_t pid;            /* 0: none, or it failed */
	int fd;
	struct strbuf in; /* read and not used yet: from at on */
	size_t at;
	struct strtab texts;
};

static int spawn(struct addr2line *a, const char *program, const char *file, int theirs)
{
	char *argv[] = { (char *)program, (char *)"-a", (char *)"-f", (char *)"-i",
			 (char *)"-e",    (char *)file, NULL };
	posix_spawn_file_actions_t actions;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, theirs, 0);
	posix_spawn_file_actions_adddup2(&actions, theirs, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&a->pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

struct addr2line *addr2line_new(const char *program, const char *file)
{
	struct addr2line *a = xcalloc(1, sizeof(*a));
	int pair[2];

	pthread_mutex_init(&a->lock, NULL);
	a->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return a;
	if (spawn(a, program, file, pair[1]))
		a->pid = 0;
	close(pair[1]);
	a->fd = pair[0];
	return a;
}

static void stop(struct addr2line *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	if (a->pid > 0) {
		kill(a->pid, SIGKILL);
		while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	a->pid = 0;
}

void addr2line_free(struct addr2line *a)
{
	if (!a)
		return;
	stop(a);
	pthread_mutex_destroy(&a->lock);
	strbuf_release(&a->in);
	strtab_release(&a->texts);
	free(a);
}

static bool read_more(struct addr2line *a)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	char buffer[4096];
	ssize_t n;
	int ready;

	do
		ready = poll(&p, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	n = ready > 0 ? read(a->fd, buffer, sizeof(buffer)) : -1;
	if (n <= 0)
		return false;
	strbuf_add(&a->in, buffer, (size_t)n);
	return true;
}

/* Reads a line, valid until the next one is read. Returns NULL if the program has died. */
static const char *read_line(struct addr2line *a)
{
	for (;;) {
		const char *start = strbuf_cstr(&a->in) + a->at;
		char *end =
			a->in.len > a->at ? memchr(a->in.s + a->at, '\n', a->in.len - a->at) : NULL;

		if (end) {
			*end = '\0';
			a->at = (size_t)(end + 1 - a->in.s);
			return start;
		}
		if (a->in.len > 1 << 20 || !read_more(a))
			return NULL;
	}
}

/* Parses "FILE:12", "FILE:12 (discriminator 3)", "??:0", "??:?". */
static void parse_place(struct addr2line *a, char *text, struct source_frame *f)
{
	char *colon = strrchr(text, ':');

	if (!colon)
		return;
	f->line = (u32)strtoul(colon + 1, NULL, 10);
	*colon = '\0';
	if (f->line && strcmp(text, "??"))
		f->file = strtab_get(&a->texts, strtab_add(&a->texts, text));
	else
		f->line = 0;
}

static bool is_end(const char *line)
{
	return !strcmp(line, ",") || (!strncmp(line, "0x", 2) && !line[2 + strspn(line + 2, "0")]);
}

/*
 * Reads pairs of lines, function and place, up to the answer to the comma. Returns how many, or -1
 * if the program has died.
 */
static int read_frames(struct addr2line *a, struct source_frame *out, u32 max)
{
	const char *line = read_line(a); /* the requested address */
	u32 n = 0;

	while (line && (line = read_line(a)) && !is_end(line)) {
		struct source_frame f = { NULL };
		char *place;

		if (strcmp(line, "??"))
			f.function = strtab_get(&a->texts, strtab_add(&a->texts, line));
		line = read_line(a);
		if (!line)
			return -1;
		place = xstrdup(line);
		parse_place(a, place, &f);
		free(place);
		if (n < max)
			out[n++] = f;
	}
	if (!line || !read_line(a) || !read_line(a))
		return -1;
	for (u32 i = 0; i + 1 < n; i++)
		out[i].is_inlined = true;
	return n == 1 && !out[0].file ? 0 : (int)n;
}

static bool send_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		text += sent;
		n -= (size_t)sent;
	}
	return true;
}

u32 addr2line_ask(struct addr2line *a, u64 addr, struct source_frame *out, u32 max)
{
	struct strbuf question = STRBUF_INIT;
	int n = -1;

	if (!addr) /* its answer could not be distinguished from the end */
		return 0;
	strbuf_f(&question, "%#" PRIx64 "\n,\n", addr);
	pthread_mutex_lock(&a->lock);
	strbuf_clear(&a->in);
	a->at = 0;
	if (a->pid && send_all(a->fd, question.s, question.len))
		n = read_frames(a, out, max);
	if (n < 0)
		stop(a);
	pthread_mutex_unlock(&a->lock);
	strbuf_release(&question);
	return n < 0 ? 0 : (u32)n;
}
