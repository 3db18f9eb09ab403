// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/debug_servers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "object/internal.h"

#define URLS            "DEBUGINFOD_URLS"
#define TIMEOUT         "DEBUGINFOD_TIMEOUT"
#define RETRIES         "DEBUGINFOD_RETRY_LIMIT"
#define DEFAULT_SECONDS 90

static char *hidden;
static bool timeout_is_ours, retries_are_ours;

/* Restores the variables in child processes, such as a workload or a pager. */
static void show_to_child(void)
{
	if (timeout_is_ours)
		unsetenv(TIMEOUT);
	if (retries_are_ours)
		unsetenv(RETRIES);
	if (hidden)
		setenv(URLS, hidden, 1);
	else
		unsetenv(URLS);
}

void debug_servers_hide(void)
{
	const char *urls = getenv(URLS);

	if (urls && !hidden)
		hidden = xstrdup(urls);
	unsetenv(URLS);
	pthread_atfork(NULL, NULL, show_to_child);
}

const char *debug_servers_default(void)
{
	return hidden;
}

struct debug_servers {
	struct debug_servers_options o;
	pthread_mutex_t lock;
	struct debuginfod_client_state *client; /* NULL until opened */
	struct strmap absent;                   /* ids that no server has */
	int down;                               /* errno of a server that does not answer, or 0 */
	u64 fetched;
	char *trouble; /* the first failure */
};

struct debug_servers *debug_servers_new(const struct debug_servers_options *o)
{
	struct debug_servers *s = xcalloc(1, sizeof(*s));

	s->o = *o;
	if (!s->o.seconds)
		s->o.seconds = DEFAULT_SECONDS;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void debug_servers_free(struct debug_servers *s)
{
	if (!s)
		return;
	if (s->client)
		debuginfod_client_close(s->client);
	strmap_release(&s->absent);
	pthread_mutex_destroy(&s->lock);
	free(s->trouble);
	free(s);
}

void debug_servers_be_quiet(struct debug_servers *s)
{
	if (s)
		s->o.progress = NULL;
}

void debug_servers_conditions(struct debug_servers *s, struct condition_list *l)
{
	if (!s)
		return;
	if (s->trouble)
		condition_add(l, CONDITION_WARNING, "debuginfod-failed", s->o.urls, NULL, 1,
			      s->down == ENOSYS
				      ? "apt-get install libdebuginfod1"
				      : "see whether the server answers: curl URL/metrics",
			      "%s", s->trouble);
	if (s->fetched)
		condition_add(l, CONDITION_NOTE, "debuginfod-fetched", s->o.urls, NULL, s->fetched,
			      NULL, "files came from '%s'", s->o.urls);
}

/*
 * Notes that a file could not be fetched. After one failure to reach a server, no more attempts are
 * made, because each would take as long again. Returns -errno.
 */
static int note_failure(struct debug_servers *s, const char *key, int err, const char *name,
			struct reason *r)
{
	bool added;

	*strmap_put(&s->absent, key, &added) = 1;
	if (err == -ENOENT)
		return reason_set(r, ENOENT, "no debuginfod server has '%s'", name);
	if (err == -ECANCELED)
		return reason_set(r, ECANCELED, "fetching '%s' was cancelled", name);
	s->down = -err;
	if (!s->trouble && err == -ETIMEDOUT)
		s->trouble = xasprintf("'%s' did not come from '%s' within %u seconds; no more "
				       "files are requested",
				       name, s->o.urls, s->o.seconds);
	else if (!s->trouble)
		s->trouble = xasprintf("'%s' could not be fetched from '%s': %s", name, s->o.urls,
				       err == -ENOSYS ? "libdebuginfod is not installed"
						      : strerror(-err));
	return reason_set(r, -err, "%s", s->trouble);
}

/*
 * Opens the client. The library of elfutils 0.192 does not call back while a server is silent, so
 * it has to know the limit itself. Without retries, because another try would take as long again.
 */
static void open_client(struct debug_servers *s)
{
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%u", s->o.seconds);
	timeout_is_ours |= !getenv(TIMEOUT);
	retries_are_ours |= !getenv(RETRIES);
	setenv(TIMEOUT, seconds, 0);
	setenv(RETRIES, "0", 0);
	setenv(URLS, s->o.urls, 1);
	s->client = debuginfod_client_open();
}

static int fetch(struct debug_servers *s, enum debug_server_file what, const struct build_id *id,
		 const char *name, char **path, struct reason *r)
{
	char hex[41], *key = xasprintf("%d %s %s", what, build_id_text(id, hex),
				       what == SERVER_SOURCE ? name : "");
	int err;

	if (s->down) {
		err = reason_set(r, s->down, "no debuginfod server answers");
	} else if (strmap_get(&s->absent, key)) {
		err = reason_set(r, ENOENT, "no debuginfod server has '%s'", name);
	} else {
		if (!s->client)
			open_client(s);
		err = s->client ? debuginfod_client_find(s->client, &s->o, what, id, name, path)
				: -ENOSYS;
		if (err)
			err = note_failure(s, key, err, name, r);
		else
			s->fetched++;
	}
	free(key);
	return err;
}

int debug_servers_fetch(struct debug_servers *s, enum debug_server_file what,
			const struct build_id *id, const char *name, char **path, struct reason *r)
{
	int err;

	*path = NULL;
	if (!s)
		return reason_set(r, ENOENT, "no debuginfod server is to be asked");
	if (!id->size)
		return reason_set(r, ENOENT, "'%s' has no build-id", name);
	pthread_mutex_lock(&s->lock);
	err = fetch(s, what, id, name, path, r);
	pthread_mutex_unlock(&s->lock);
	return err;
}
