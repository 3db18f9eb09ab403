// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"

static int bad_form(const char *text, struct reason *r)
{
	reason_usage(r, "'%s' is not a control channel", text);
	reason_hint(r,
		    "fd:CTL[,ACK] with numbers of open descriptors, or fifo:CTL[,ACK] with paths");
	return -EINVAL;
}

static int not_open(const char *text, struct reason *r)
{
	int err = reason_errno(r, EBADF, "descriptor %s is not open", text);

	reason_hint(r, "open it in the shell, such as: perf ... --control fd:%s %s<>FIFO", text,
		    text);
	return err;
}

static int open_number(const char *text, int *fd, struct reason *r)
{
	u64 n;

	if (parse_count(text, &n) || n > INT_MAX)
		return bad_form(text, r);
	if (fcntl((int)n, F_GETFD) < 0)
		return not_open(text, r);
	*fd = (int)n;
	return 0;
}

/* Both ends, so that a reader that comes late, or ends, is no error. */
static int open_fifo(const char *path, int *fd, struct reason *r)
{
	struct stat st;

	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0 && !fstat(*fd, &st) && S_ISFIFO(st.st_mode))
		return 0;
	if (*fd >= 0) { /* a file would be overwritten with commands or answers */
		close(*fd);
		*fd = -1;
		reason_set(r, EINVAL, "'%s' is not a fifo", path);
		reason_hint(r, "make one with a name of its own: mkfifo control");
		return -EINVAL;
	}
	reason_errno(r, errno, "cannot open the fifo '%s'", path);
	if (r && r->err == ENOENT)
		reason_hint(r, "make it first: mkfifo '%s'", path);
	else
		reason_hint(r, "ls -l '%s' shows who may read and write it", path);
	return r ? -r->err : -EINVAL;
}

int control_open(struct control *c, const char *text, struct reason *r)
{
	bool fifo = str_starts(text, "fifo:");
	int (*open_one)(const char *, int *, struct reason *) = fifo ? open_fifo : open_number;
	char *first, *second;
	int err;

	*c = (struct control)CONTROL_INIT;
	if (!fifo && !str_starts(text, "fd:"))
		return bad_form(text, r);
	first = xstrdup(text + (fifo ? 5 : 3));
	second = strchr(first, ',');
	if (second)
		*second++ = '\0';
	c->own_fds = fifo;
	err = *first ? open_one(first, &c->fd, r) : bad_form(text, r);
	if (!err && second && *second)
		err = open_one(second, &c->ack_fd, r);
	if (!err && !fifo)
		fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
	free(first);
	if (err)
		control_close(c);
	return err;
}

void control_close(struct control *c)
{
	if (c->own_fds && c->fd >= 0)
		close(c->fd);
	if (c->own_fds && c->ack_fd >= 0)
		close(c->ack_fd);
	strbuf_release(&c->text);
	free(c->argument);
	*c = (struct control)CONTROL_INIT;
}

enum { LONGEST_COMMAND = 4096, ONE_LOOK = 64 << 10 };

static void forget_used(struct control *c)
{
	if (c->used)
		memmove(c->text.s, c->text.s + c->used, c->text.len - c->used);
	strbuf_truncate(&c->text, c->text.len - c->used);
	c->used = 0;
}

static void read_more(struct control *c)
{
	char buf[4096];
	ssize_t n = 1;

	while (c->looked < ONE_LOOK && (n = read(c->fd, buf, sizeof(buf))) > 0) {
		strbuf_add(&c->text, buf, (size_t)n);
		c->looked += (size_t)n;
		/* somebody writes without end of line */
		if (c->text.len - c->used > LONGEST_COMMAND &&
		    !memchr(c->text.s + c->used, '\n', c->text.len - c->used))
			strbuf_truncate(&c->text, c->used);
	}
	if (!n) { /* end of file: the sender of the commands is gone */
		if (c->own_fds)
			close(c->fd);
		c->fd = -1;
	}
}

static enum control_command command_of(struct control *c, const char *line)
{
	static const struct {
		const char *word;
		enum control_command command;
	} words[] = {
		{ "enable", CONTROL_ENABLE },     { "disable", CONTROL_DISABLE },
		{ "evlist", CONTROL_EVLIST },     { "ping", CONTROL_PING },
		{ "snapshot", CONTROL_SNAPSHOT }, { "stop", CONTROL_STOP },
	};
	size_t n = strcspn(line, " \t\r");

	free(c->argument);
	c->argument = xstrdup(line + n + strspn(line + n, " \t\r"));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == n && !strncmp(words[i].word, line, n))
			return words[i].command;
	return CONTROL_UNKNOWN;
}

enum control_command control_next(struct control *c)
{
	enum control_command command;
	char *line, *end;

	if (c->fd >= 0)
		read_more(c);
	line = c->text.len ? c->text.s + c->used : NULL;
	end = line ? memchr(line, '\n', c->text.len - c->used) : NULL;
	if (!end) {
		forget_used(c);
		c->looked = 0;
		return CONTROL_NONE;
	}
	*end = '\0';
	command = command_of(c, line);
	c->used = (size_t)(end - c->text.s) + 1;
	return command;
}

/* Pipes that can be written to have room for all of it. */
static bool has_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0 && p.revents == POLLOUT;
}

void control_done(struct control *c)
{
	static const char ack[] = "ack\n"; /* perf sends the NUL, too */

	if (c->ack_fd >= 0 && has_room(c->ack_fd))
		(void)!write(c->ack_fd, ack, sizeof(ack));
}

/* An older answer that nobody has read must not be taken for the one to this command. */
/* A descriptor of another process's may block.  Returns whether there was anything. */
static bool discard_answers(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool some = false;
	char buf[256];

	while (poll(&p, 1, 0) > 0 && p.revents & POLLIN && read(fd, buf, sizeof(buf)) > 0)
		some = true;
	return some;
}

static int await_answer(int fd, const char *command, struct reason *r)
{
	enum { PATIENCE_MS = 30000 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	while ((n = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		;
	if (n > 0 && discard_answers(fd))
		return 0;
	if (n > 0)
		return reason_set(r, EPIPE, "nobody answers '%s': the other end is closed",
				  command);
	if (n < 0)
		return reason_errno(r, errno, "cannot wait for the answer to '%s'", command);
	reason_set(r, ETIMEDOUT, "'%s' was not answered within %d seconds", command,
		   PATIENCE_MS / 1000);
	reason_hint(r, "start perf record or perf stat with --control and the same pipes first");
	return -ETIMEDOUT;
}

int control_tell(struct control *c, const char *command, struct reason *r)
{
	char *line = xasprintf("%s\n", command);
	int err;

	if (c->ack_fd >= 0)
		discard_answers(c->ack_fd);
	err = write_all(c->fd, line, strlen(line));
	free(line);
	if (err)
		return reason_errno(r, -err, "cannot send '%s' on the control channel", command);
	return c->ack_fd >= 0 ? await_answer(c->ack_fd, command, r) : 0;
}
