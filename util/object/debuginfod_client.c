// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls libdebuginfod, which is opened when the first file is needed, because it loads libcurl. */
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/library.h"
#include "object/debug_servers.h"
#include "object/internal.h"

static struct {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_find_executable) *find_executable;
	__typeof__(debuginfod_find_source) *find_source;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	__typeof__(debuginfod_get_user_data) *get_user_data;
} lib;

struct debuginfod_client_state {
	debuginfod_client *client;
	/* about the current file */
	const struct debug_servers_options *o;
	const char *name;
	time_t since;
	int stopped; /* ETIMEDOUT or ECANCELED if it was stopped, else 0 */
};

static bool open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "debuginfod_begin", (void **)&lib.begin },
		{ "debuginfod_end", (void **)&lib.end },
		{ "debuginfod_find_debuginfo", (void **)&lib.find_debuginfo },
		{ "debuginfod_find_executable", (void **)&lib.find_executable },
		{ "debuginfod_find_source", (void **)&lib.find_source },
		{ "debuginfod_set_progressfn", (void **)&lib.set_progressfn },
		{ "debuginfod_set_user_data", (void **)&lib.set_user_data },
		{ "debuginfod_get_user_data", (void **)&lib.get_user_data },
	};

	return library_open(DEBUGINFOD_SONAME, symbols, ARRAY_SIZE(symbols));
}

static time_t seconds(void)
{
	return (time_t)(clock_now() / 1000000000);
}

/*
 * Called at least once a second. Until the size is known, have counts calls. A result other than 0
 * stops the transfer.
 */
static int on_progress(debuginfod_client *client, long have, long all)
{
	struct debuginfod_client_state *c = lib.get_user_data(client);

	if (c->o->cancelled && atomic_load(c->o->cancelled))
		c->stopped = ECANCELED;
	else if (seconds() - c->since >= (time_t)c->o->seconds)
		c->stopped = ETIMEDOUT;
	else if (c->o->progress)
		c->o->progress(c->o->arg, c->name, all > 0 ? (u64)have : 0, all > 0 ? (u64)all : 0,
			       false);
	return c->stopped;
}

struct debuginfod_client_state *debuginfod_client_open(void)
{
	struct debuginfod_client_state *c;

	if (!open_library())
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->client = lib.begin();
	if (!c->client) {
		free(c);
		return NULL;
	}
	lib.set_user_data(c->client, c);
	lib.set_progressfn(c->client, on_progress);
	return c;
}

void debuginfod_client_close(struct debuginfod_client_state *c)
{
	lib.end(c->client);
	free(c);
}

int debuginfod_client_find(struct debuginfod_client_state *c, const struct debug_servers_options *o,
			   enum debug_server_file what, const struct build_id *id, const char *name,
			   char **path)
{
	int fd;

	c->o = o;
	c->name = name;
	c->since = seconds();
	c->stopped = 0;
	if (what == SERVER_SOURCE)
		fd = lib.find_source(c->client, id->id, id->size, name, path);
	else if (what == SERVER_DEBUGINFO)
		fd = lib.find_debuginfo(c->client, id->id, id->size, path);
	else
		fd = lib.find_executable(c->client, id->id, id->size, path);
	if (o->progress)
		o->progress(o->arg, name, 0, 0, true);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	*path = NULL;
	if (c->stopped)
		return -c->stopped;
	/* the library's own limit, when nothing arrives at all */
	return fd == -ETIME ? -ETIMEDOUT : fd;
}
