// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command table and the runner: the only place that exits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/report.h"

const struct command commands[] = {
	{ .name = NULL },
};

struct main_options {
	bool help, list_commands;
	int version;
	const char *buildid_dir, *debugfs_dir;
};

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void print_command_names(void)
{
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	putchar('\n');
}

static int unknown_command(const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct command *c = commands; c->name; c++)
		vec_push(&names, c->name);
	near = nearest_name(name, names.items, names.count);
	fprintf(stderr, "perf: '%s' is not a perf-command. See 'perf --help'.\n", name);
	if (near)
		fprintf(stderr, "\nDid you mean this?\n\t%s\n", near);
	vec_release(&names);
	return 1;
}

static int run(struct context *ctx, int argc, const char **argv)
{
	const struct command *c = find_command(argv[0]);

	return c ? c->run(ctx, argc, argv) : unknown_command(argv[0]);
}

/* "perf --help CMD" is "perf help CMD", "perf -v" is "perf version". */
static int run_as(struct context *ctx, const char *name, int argc, const char **argv)
{
	const char **args = xcalloc((size_t)argc + 2, sizeof(*args));
	int code;

	args[0] = name;
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	code = run(ctx, argc + 1, args);
	free(args);
	return code;
}

static void apply(struct context *ctx, const struct main_options *m)
{
	if (m->buildid_dir)
		ctx->buildid_dir = m->buildid_dir;
	if (m->debugfs_dir)
		ctx->debugfs_dir = m->debugfs_dir;
}

static int front_end(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf [--version] [--help] [OPTIONS] COMMAND [ARGS]", NULL
	};
	struct main_options m = { 0 };
	const struct option_row rows[] = {
		{ OPTION_FLAG, .long_name = "help", .value = &m.help, .flags = OPT_NO_NEGATE,
		  .short_name = 'h', .help = "list the commands, or show the page of COMMAND" },
		{ OPTION_COUNT, .long_name = "version", .value = &m.version, .short_name = 'v',
		  .flags = OPT_NO_NEGATE, .help = "print the version; -vv: what is built in, too" },
		{ OPTION_STRING, .long_name = "buildid-dir", .value = &m.buildid_dir, .arg = "DIR",
		  .help = "use the build-id cache in DIR" },
		{ OPTION_STRING, .long_name = "debugfs-dir", .value = &m.debugfs_dir, .arg = "DIR",
		  .help = "debugfs is mounted at DIR" },
		{ OPTION_FLAG, .long_name = "list-cmds", .value = &m.list_commands,
		  .flags = OPT_NO_NEGATE, .help = "print the names of the commands" },
		OPT_END_ROW,
	};
	const struct options o = { .usage = usage, .rows = rows, .stop_at_command = true };
	int err = options_parse(&o, &argc, argv);

	if (err)
		return err < 0 ? 0 : err;
	apply(ctx, &m);
	if (m.list_commands) {
		print_command_names();
		return 0;
	}
	if (m.version)
		return run_as(ctx, "version", m.version > 1, (const char *[]){ "--build-options" });
	if (m.help)
		return run_as(ctx, "help", argc, argv);
	if (argc == 0) {
		run_as(ctx, "help", 0, argv);
		return 1;
	}
	return run(ctx, argc, argv);
}

static void memory_exhausted(size_t size)
{
	report_error("out of memory (%zu bytes more were needed)", size);
	_exit(1);
}

static void context_init(struct context *ctx)
{
	const char *dir = getenv("PERF_BUILDID_DIR");
	const char *home = getenv("HOME");
	u64 workers;

	if (dir)
		ctx->buildid_dir = dir;
	else
		ctx->buildid_dir = home ? xasprintf("%s/.debug", home) : "";
	ctx->symfs = "";
	if (getenv("PERF_WORKERS") && !parse_u64(getenv("PERF_WORKERS"), &workers) &&
	    workers <= 1024)
		ctx->workers = (unsigned)workers;
}

/* A full disk shows here at the latest. */
static int check_output(int code)
{
	int err = 0;

	if (fflush(stdout) || ferror(stdout))
		err = errno ? -errno : -EIO;
	else if (fclose(stdout) && errno != EBADF)
		err = -errno;
	return report_output(err) ? 1 : code;
}

int main(int argc, const char **argv)
{
	struct context ctx = { .buildid_dir = "" };

	alloc_set_exhausted(memory_exhausted);
	context_init(&ctx);
	return check_output(front_end(&ctx, argc, argv));
}
