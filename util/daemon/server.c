// SPDX-License-Identifier: GPL-2.0-or-later
/* The server's loop: requests, changes of the configuration, signals, what is due. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "cli/config.h"
#include "daemon/internal.h"

struct loop {
	struct server *sv;
	int socket, changes, signals;
	char *files[2]; /* the files of the configuration: real paths, or NULL */
};

static struct session *find(struct server *sv, const char *name)
{
	vec_for_each(&sv->sessions, s)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static void want(struct server *sv, const struct wanted_session *w)
{
	struct session *s = find(sv, w->name), new;

	if (!s) {
		new = (struct session){ .name = xstrdup(w->name), .pid = -1, .wanted = true,
					.next_run = xstrdup(w->run), .start = time(NULL),
					.dir = xasprintf("%s/session-%s", sv->base, w->name) };
		vec_push(&sv->sessions, new);
		return;
	}
	s->wanted = true;
	free(s->next_run);
	s->next_run = s->run && !strcmp(s->run, w->run) ? NULL : xstrdup(w->run);
	if (s->next_run)
		server_say("session '%s' has changed", s->name);
}

void server_configure(struct server *sv, struct wanted *w)
{
	vec_for_each(&sv->sessions, s)
		s->wanted = false;
	vec_for_each(&w->sessions, it)
		want(sv, it);
}

/* What cannot be understood leaves everything as it is. */
static void reconfigure(struct server *sv)
{
	struct wanted w = { .base = NULL };
	struct reason r = REASON_INIT;
	char *base = NULL;

	if (wanted_read(sv->settings, &w, &r)) {
		server_say("the configuration is left as it was: %s", r.text);
	} else {
		base = daemon_base(sv->settings, &w, NULL);
		if (!base || strcmp(base, sv->base) != 0)
			server_say("the base stays '%s' until the daemon is started again", sv->base);
		server_configure(sv, &w);
	}
	free(base);
	reason_release(&r);
	wanted_release(&w);
}

static void watch_file(struct loop *l, int i, const char *path)
{
	char *slash;

	l->files[i] = path ? realpath(path, NULL) : NULL;
	if (!l->files[i])
		return;
	slash = strrchr(l->files[i], '/');
	*slash = '\0';
	/* editors write a new file and rename it */
	inotify_add_watch(l->changes, slash == l->files[i] ? "/" : l->files[i],
			  IN_CLOSE_WRITE | IN_MOVED_TO);
	*slash = '/';
}

static void watch_config(struct loop *l)
{
	const struct daemon_settings *s = l->sv->settings;
	char *paths[] = { s->config ? NULL : config_path(CONFIG_SYSTEM),
			  s->config ? xstrdup(s->config) : config_path(CONFIG_USER) };

	l->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		watch_file(l, i, paths[i]);
		free(paths[i]);
	}
}

static bool is_config(const struct loop *l, const struct inotify_event *e)
{
	for (int i = 0; i < 2 && e->len; i++)
		if (l->files[i] && !strcmp(path_base(l->files[i]), e->name))
			return true;
	return false;
}

static bool config_changed(struct loop *l)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool changed = false;
	ssize_t n;

	while ((n = read(l->changes, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= n;) {
			const struct inotify_event *e = (const void *)(buf + at);

			/* what did not fit in the queue may have been it */
			changed |= is_config(l, e) || (e->mask & IN_Q_OVERFLOW);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	}
	return changed;
}

static void reap(struct server *sv)
{
	vec_for_each(&sv->sessions, s) {
		int status;

		if (s->pid > 0 && waitpid(s->pid, &status, WNOHANG) == s->pid)
			session_ended(sv, s, status);
	}
}

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGHUP)
			reconfigure(l->sv);
		else if (si.ssi_signo != SIGCHLD)
			l->sv->ending = true;
	}
	/* several children that end make one signal */
	reap(l->sv);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* one that is ignored, as shells leave it to background jobs, would not arrive */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* When something is due next, ns; sessions that are over leave the list. */
static u64 step(struct server *sv)
{
	u64 next = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < sv->sessions.count; i++) {
		struct session *s = &sv->sessions.items[i];

		session_step(sv, s, &next);
		if (s->forgotten)
			session_release(s);
		else
			sv->sessions.items[kept++] = *s;
	}
	sv->sessions.count = kept;
	return next;
}

static int timeout_ms(u64 next)
{
	u64 now = daemon_now();

	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)MIN((next - now) / 1000000 + 1, 60000ULL);
}

static void serve(struct loop *l)
{
	struct server *sv = l->sv;

	for (;;) {
		struct pollfd p[] = { { .fd = l->signals, .events = POLLIN },
				      { .fd = l->changes, .events = POLLIN },
				      { .fd = l->socket, .events = POLLIN } };
		u64 next = step(sv);

		if (sv->ending && !sv->sessions.count)
			return;
		if (poll(p, ARRAY_SIZE(p), timeout_ms(next)) < 0)
			continue;
		if (p[0].revents)
			take_signals(l);
		if ((p[1].revents & POLLIN) && config_changed(l))
			reconfigure(sv);
		if (p[2].revents & POLLIN) {
			int client = accept4(l->socket, NULL, NULL, SOCK_CLOEXEC);

			if (client >= 0 && server_answer(sv, client))
				sv->ending = true;
		}
	}
}

int server_run(struct server *sv, int socket)
{
	struct loop l = { .sv = sv, .socket = socket };

	l.signals = open_signals();
	watch_config(&l);
	serve(&l);
	close(l.signals);
	if (l.changes >= 0)
		close(l.changes);
	free(l.files[0]);
	free(l.files[1]);
	vec_release(&sv->sessions);
	return 0;
}
