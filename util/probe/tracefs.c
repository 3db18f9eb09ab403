// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes in the running kernel. */
#include "probe/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "sys/tracefs.h"

struct probe_tracefs {
	const struct sys *sys;
	char *dir;
	struct strbuf readme;
};

int probe_tracefs_open(const struct sys *sys, struct probe_tracefs **out, struct reason *r)
{
	char *dir = tracefs_find(sys, r), *readme;
	struct probe_tracefs *t;

	if (!dir && geteuid()) {
		if (r)
			reason_release(r);
		reason_set(r, EACCES, "probes need root: tracefs cannot be read");
		reason_hint(r, "run it as root; -D, -L, -V and -F of programs need no tracefs");
		return -EACCES;
	}
	if (!dir)
		return r && r->err ? -r->err : -ENOENT;
	t = xcalloc(1, sizeof(*t));
	t->sys = sys;
	t->dir = dir;
	readme = xasprintf("%s/README", dir);
	sys_read(sys, &t->readme, readme);
	free(readme);
	*out = t;
	return 0;
}

void probe_tracefs_close(struct probe_tracefs *t)
{
	if (!t)
		return;
	strbuf_release(&t->readme);
	free(t->dir);
	free(t);
}

bool probe_tracefs_knows(const struct probe_tracefs *t, const char *word)
{
	return !t->readme.len || strstr(t->readme.s, word);
}

static const char *events_file(bool user)
{
	return user ? "uprobe_events" : "kprobe_events";
}

int probe_tracefs_check(const struct probe_tracefs *t, const struct probe_event *events,
			size_t count, struct reason *r)
{
	for (size_t i = 0; i < count; i++) {
		bool user = probe_event_is_user(&events[i]);
		char *path = sys_path(t->sys, "%s/%s", t->dir, events_file(user));
		bool missing = file_access(path, F_OK) && errno == ENOENT;

		free(path);
		if (missing)
			return tracefs_refuse_change(t->dir, events_file(user), ENOENT, r);
	}
	return 0;
}

static int read_file(const struct probe_tracefs *t, const char *name, struct strbuf *b)
{
	char *path = xasprintf("%s/%s", t->dir, name);
	int err = sys_read(t->sys, b, path);

	free(path);
	return err;
}

static int list_file(const struct probe_tracefs *t, bool user, struct probe_events *out,
		     struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = read_file(t, events_file(user), &b);
	char *rest = b.s, *line;

	while (!err && rest && (line = strsep(&rest, "\n"))) {
		struct probe_event e = { NULL };

		/* Probes of other tools that cannot be expressed here are not listed. */
		if (*line && !probe_event_parse(&e, line, NULL))
			vec_push(&out->list, e);
		else
			probe_event_release(&e);
	}
	strbuf_release(&b);
	if (err == -ENOENT)
		return 0;
	return err ? tracefs_refuse_change(t->dir, events_file(user), -err, r) : 0;
}

int probe_tracefs_list(const struct probe_tracefs *t, struct probe_events *out, struct reason *r)
{
	int err = list_file(t, false, out, r);

	return err ? err : list_file(t, true, out, r);
}

/*
 * Reads the last entry of error_log:
 *	[ 5380.175396] trace_uprobe: error: Invalid register name
 *	  Command: p:g/e /bin/x:0x1050 a=%foo:u8
 *	                                 ^
 * as three lines: what, command, caret. before is the log as it was before the call. Returns false
 * if there is no new entry.
 */
static bool read_error_log(const struct probe_tracefs *t, const char *before, struct strbuf *text)
{
	static const char error[] = "error: ", command[] = "  Command: ";
	struct strbuf b = STRBUF_INIT;
	char *last = NULL, *end;

	if (!read_file(t, "error_log", &b) && b.len && strcmp(b.s, before))
		for (char *p = b.s; (p = strstr(p, error)); p++)
			last = p;
	if (last) {
		last += strlen(error);
		end = last + strcspn(last, "\n");
		strbuf_add(text, last, (size_t)(end - last));
		for (int line = 0; line < 2 && *end; line++) {
			char *s = end + 1;

			end = s + strcspn(s, "\n");
			if ((size_t)(end - s) < strlen(command))
				break;
			strbuf_char(text, '\n');
			s += strlen(command);
			strbuf_add(text, s, (size_t)(end - s));
		}
	}
	strbuf_release(&b);
	return last != NULL;
}

static int explain_write(const struct probe_tracefs *t, bool user, int err, const char *before,
			 struct reason *r)
{
	struct strbuf text = STRBUF_INIT;

	if (err == EBADF || err == EACCES || err == EPERM) {
		tracefs_refuse_change(t->dir, events_file(user), err, r);
	} else if (read_error_log(t, before, &text)) {
		reason_set(r, err, "the kernel refused the probe: %s", strbuf_cstr(&text));
		if (str_starts(text.s, "Failed to register"))
			reason_hint(
				r,
				"the function may be one that the kernel forbids to probe "
				"(/sys/kernel/debug/kprobes/blacklist), or that it cannot trace: "
				"where 'perf ftrace -F' "
				"does not list it, try another one near it");
	} else {
		reason_errno(r, err, "the kernel refused the probe");
		if (err == EEXIST)
			reason_hint(r, "an event of this name exists; 'perf probe -l' lists them");
	}
	strbuf_release(&text);
	return -err;
}

/* Writes all commands in one write(2). */
static int write_commands(const struct probe_tracefs *t, bool user, const struct strbuf *commands,
			  struct reason *r)
{
	char *path = sys_path(t->sys, "%s/%s", t->dir, events_file(user));
	int fd = file_open_system(path, O_WRONLY | O_APPEND), err = 0;
	struct strbuf before = STRBUF_INIT;

	free(path);
	if (fd < 0)
		return tracefs_refuse_change(t->dir, events_file(user), errno, r);
	read_file(t, "error_log", &before);
	if (write(fd, commands->s, commands->len) != (ssize_t)commands->len)
		err = explain_write(t, user, errno ? errno : EIO, strbuf_cstr(&before), r);
	close(fd);
	strbuf_release(&before);
	return err;
}

static bool in_list(const struct probe_events *events, const struct probe_event *e)
{
	vec_for_each(&events->list, it)
		if (!strcmp(it->group, e->group) && !strcmp(it->event, e->event))
			return true;
	return false;
}

/* Removes those of the events that exist now and did not before. */
static void take_back(const struct probe_tracefs *t, const struct probe_events *before,
		      const struct probe_event *events, size_t count)
{
	struct probe_events now = { VEC_INIT };

	if (!probe_tracefs_list(t, &now, NULL))
		for (size_t i = 0; i < count; i++)
			if (in_list(&now, &events[i]) && !in_list(before, &events[i]))
				probe_tracefs_delete(t, &events[i], NULL);
	probe_events_release(&now);
}

static int add_kind(const struct probe_tracefs *t, bool user, const struct probe_event *events,
		    size_t count, struct reason *r)
{
	struct strbuf commands = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		if (probe_event_is_user(&events[i]) == user) {
			probe_event_text(&commands, &events[i]);
			strbuf_char(&commands, '\n');
		}
	if (commands.len)
		err = write_commands(t, user, &commands, r);
	strbuf_release(&commands);
	return err;
}

int probe_tracefs_add(const struct probe_tracefs *t, const struct probe_event *events, size_t count,
		      struct reason *r)
{
	struct probe_events before = { VEC_INIT };
	int err = probe_tracefs_list(t, &before, r);

	if (!err)
		err = add_kind(t, false, events, count, r);
	if (!err)
		err = add_kind(t, true, events, count, r);
	if (err)
		take_back(t, &before, events, count);
	probe_events_release(&before);
	return err;
}

int probe_tracefs_delete(const struct probe_tracefs *t, const struct probe_event *e,
			 struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	strbuf_f(&b, "-:%s/%s\n", e->group, e->event);
	err = write_commands(t, probe_event_is_user(e), &b, r);
	strbuf_release(&b);
	if (err == -EBUSY) {
		reason_set(r, EBUSY, "'%s:%s' is in use: a recorder or tracer has it open",
			   e->group, e->event);
		reason_hint(r, "end what uses it, then remove it");
	} else if (err) {
		reason_prefix(r, "cannot remove '%s:%s'", e->group, e->event);
	}
	return err;
}
