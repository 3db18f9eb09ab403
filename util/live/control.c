// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"

static int bad_form(const char *text, struct reason *r)
{
	reason_usage(r, "'%s' is not a control channel", text);
	reason_hint(r, "fd:CTL[,ACK] with numbers of open descriptors, or fifo:CTL[,ACK] with paths");
	return -EINVAL;
}

static int not_open(const char *text, struct reason *r)
{
	int err = reason_errno(r, EBADF, "descriptor %s is not open", text);

	reason_hint(r, "open it in the shell, such as: perf ... --control fd:%s %s<>FIFO", text, text);
	return err;
}

static int open_number(const char *text, int *fd, struct reason *r)
{
	u64 n;

	if (parse_u64(text, &n) || n > INT_MAX)
		return bad_form(text, r);
	if (fcntl((int)n, F_GETFD) < 0)
		return not_open(text, r);
	*fd = (int)n;
	return 0;
}

/* Both ends, so that a reader that comes late, or ends, is no error. */
static int open_fifo(const char *path, int *fd, struct reason *r)
{
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
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

enum { LONGEST_COMMAND = 4096 };

static void read_more(struct control *c)
{
	char buf[512];
	ssize_t n;

	while ((n = read(c->fd, buf, sizeof(buf))) > 0) {
		strbuf_add(&c->text, buf, (size_t)n);
		/* somebody writes without end of line */
		if (c->text.len > LONGEST_COMMAND && !memchr(c->text.s, '\n', c->text.len))
			strbuf_clear(&c->text);
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
		{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE },
		{ "evlist", CONTROL_EVLIST }, { "ping", CONTROL_PING },
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
	char *end;
	size_t n;

	if (c->fd >= 0)
		read_more(c);
	end = c->text.len ? memchr(c->text.s, '\n', c->text.len) : NULL;
	if (!end)
		return CONTROL_NONE;
	*end = '\0';
	n = (size_t)(end - c->text.s) + 1;
	command = command_of(c, c->text.s);
	memmove(c->text.s, c->text.s + n, c->text.len - n);
	strbuf_truncate(&c->text, c->text.len - n);
	return command;
}

void control_done(struct control *c)
{
	if (c->ack_fd >= 0)
		write_all(c->ack_fd, "ack\n", sizeof("ack\n")); /* perf sends the NUL too */
}
