/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files by build-id from debuginfod servers.
 *
 * Nobody is asked unless the user said so (--debuginfod, or the setting
 * buildid-cache.debuginfod): DEBUGINFOD_URLS alone is not asking.  elfutils' own
 * libraries see it otherwise, so debug_servers_hide() takes the variable away from this
 * process; what it starts has it again.
 * What came lies in the cache of libdebuginfod (DEBUGINFOD_CACHE_PATH, or
 * ~/.cache/debuginfod_client), which other programs share.  An id that no server
 * has is asked for once; after a server that does not answer nobody is asked any more.
 * The library is opened when the first file is wanted.
 * Threads: any; one file at a time.
 * Errors: -ENOENT nobody has it; -ETIMEDOUT; -ECANCELED; -ENOSYS without the library;
 * others as the library gives them.
 */
#ifndef OBJECT_DEBUG_SERVERS_H
#define OBJECT_DEBUG_SERVERS_H

#include "base/context.h"
#include "base/reason.h"
#include "object/image.h"

/* At the start of the program, while it has one thread. */
void debug_servers_hide(void);
/* What DEBUGINFOD_URLS was then; NULL: not set. */
const char *debug_servers_default(void);

struct debug_servers;

struct debug_servers_options {
	const char *urls; /* separated by spaces */
	unsigned seconds; /* how long one file may take; 0: 90 */
	/*
	 * Now and then while a file comes: bytes so far, and in all (0: not known); done: it ended.
	 */
	void (*progress)(void *arg, const char *name, u64 have, u64 all, bool done);
	void *arg;
	const atomic_bool *cancelled; /* may be NULL */
};

/* urls and cancelled must live as long. */
struct debug_servers *debug_servers_new(const struct debug_servers_options *o);
void debug_servers_free(struct debug_servers *s);
/* From now on no progress is reported, because a screen is drawn. */
void debug_servers_be_quiet(struct debug_servers *s);
/* Adds what went wrong, and with -v what was fetched. */
void debug_servers_conditions(struct debug_servers *s, struct condition_list *l);

enum debug_server_file { SERVER_EXECUTABLE, SERVER_DEBUGINFO, SERVER_SOURCE };

/*
 * name: for messages; for SERVER_SOURCE the absolute path as DWARF has it.
 * *path is malloc'ed, the caller frees it.  s NULL: -ENOENT.
 */
int debug_servers_fetch(struct debug_servers *s, enum debug_server_file what,
			const struct build_id *id, const char *name, char **path,
			struct reason *r) MUST_CHECK;

#endif
