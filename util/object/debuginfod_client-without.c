// SPDX-License-Identifier: GPL-2.0-or-later
/* For a build without libdebuginfod: the reason names it when a file is needed. */
#include <errno.h>

#include "object/debug_servers.h"
#include "object/internal.h"

struct debuginfod_client_state *debuginfod_client_open(void)
{
	return NULL;
}

void debuginfod_client_close(struct debuginfod_client_state *c)
{
	(void)c;
}

int debuginfod_client_find(struct debuginfod_client_state *c, const struct debug_servers_options *o,
			   enum debug_server_file what, const struct build_id *id, const char *name,
			   char **path)
{
	(void)c, (void)o, (void)what, (void)id, (void)name, (void)path;
	return -ENOSYS;
}
