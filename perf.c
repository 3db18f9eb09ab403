// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command table and the runner: the only place that exits.
 */
#include <stdio.h>
#include <string.h>

#include "builtin.h"

struct command {
	const char *name;
	int (*run)(struct context *ctx, int argc, const char **argv);
};

static const struct command commands[] = {
	{ NULL, NULL },
};

int main(int argc, const char **argv)
{
	struct context ctx = { .buildid_dir = "" };

	if (argc > 1)
		for (const struct command *c = commands; c->name; c++)
			if (!strcmp(c->name, argv[1]))
				return c->run(&ctx, argc - 1, argv + 1);
	return 1;
}
