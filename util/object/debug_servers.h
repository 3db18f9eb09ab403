/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches files by build-id from debuginfod servers.
 *
 * It contacts servers only if the user asked for that (--debuginfod, or the setting
 * buildid-cache.debuginfod): DEBUGINFOD_URLS alone is not enough. Since elfutils' own libraries
 * would use that variable, debug_servers_hide() removes it from this process; child processes get
 * it back.
 *
 * Fetched files are in the cache of libdebuginfod (DEBUGINFOD_CACHE_PATH, or
 * ~/.cache/debuginfod_client), which other programs share. An id that no server has is requested
 * only once; after a server that does not answer, no more requests are made. The library is opened
 * when the first file is needed.
 *
 * Threads: any; one file at a time.
 * Errors: -ENOENT if no server has it; -ETIMEDOUT; -ECANCELED; -ENOSYS without the library; others
 * as the library returns them.
 */
#ifndef OBJECT_DEBUG_SERVERS_H
#define OBJECT_DEBUG_SERVERS_H

#include "base/context.h"
#include "base/reason.h"
#include "object/image.h"

/* Hides DEBUGINFOD_URLS. Call it at the start of the program, while it has one thread. */
void debug_servers_hide(void);
/* Returns the value that DEBUGINFOD_URLS had then, or NULL. */
const char *debug_servers_default(void);

struct debug_servers;

struct debug_servers_options {
	const char *urls; /* separated by spaces */
	unsigned seconds; /* the limit for one file; 0 means 90 */
	/*
	 * Called now and then during a transfer: bytes so far, and in all (0 if unknown); done
	 * means that it ended.
	 */
	void (*progress)(void *arg, const char *name, u64 have, u64 all, bool done);
	void *arg;
	const atomic_bool *cancelled; /* may be NULL */
};

/* Makes a client; o->urls and o->cancelled must outlive it. */
struct debug_servers *debug_servers_new(const struct debug_servers_options *o);
void debug_servers_free(struct debug_servers *s);
/* Stops reporting progress, because a screen is drawn from now on. */
void debug_servers_be_quiet(struct debug_servers *s);
/* Adds what went wrong, and with -v what was fetched. */
void debug_servers_conditions(struct debug_servers *s, struct condition_list *l);

enum debug_server_file { SERVER_EXECUTABLE, SERVER_DEBUGINFO, SERVER_SOURCE };

/*
 * Fetches a file. name is for messages; for SERVER_SOURCE it is the absolute path in DWARF. *path
 * is malloc'ed and the caller frees it. Returns -ENOENT if s is NULL.
 */
int debug_servers_fetch(struct debug_servers *s, enum debug_server_file what,
			const struct build_id *id, const char *name, char **path,
			struct reason *r) MUST_CHECK;

#endif
