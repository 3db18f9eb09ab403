// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-cache: look after the copies of objects in ~/.debug. */
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "archive/care.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "sys/obstacles.h"

struct buildid_cache {
	struct cache_care care;
	struct strlist add, remove, purge, update;
	bool purge_all, list, force;
	const char *missing, *kcore;
	struct debuginfod_wish debuginfod;
};

/*
 * Calls fn for each of the files and goes on with the others when one fails. Returns the exit code
 * of the last failure, or 0.
 */
static int each(const struct cache_care *c, const struct strlist *files,
		int (*fn)(const struct cache_care *c, const char *path, struct reason *r))
{
	int code = 0;

	vec_for_each(&files->list, it) {
		struct strlist parts = { VEC_INIT };

		strlist_split(&parts, *it, ",");
		vec_for_each(&parts.list, path) {
			struct reason r = REASON_INIT;

			if (fn(c, *path, &r))
				code = say_reason(&r);
			reason_release(&r);
		}
		strlist_release(&parts);
	}
	return code;
}

static int add_kcore(const struct buildid_cache *c)
{
	struct reason r = REASON_INIT;
	char *said;

	if (cache_care_kcore(&c->care, c->kcore, c->force, &said, &r))
		return say_reason(&r);
	if (said)
		say_note("%s", said);
	free(said);
	return 0;
}

static int print_lists(const struct buildid_cache *c)
{
	struct reason r = REASON_INIT;
	struct out out;
	int code = 0, failed;

	out_init(&out, STDOUT_FILENO);
	if (c->missing && cache_care_missing(&c->care, c->missing, c->force, out_buf(&out), &r))
		code = say_reason(&r);
	if (c->list && cache_care_list(&c->care, out_buf(&out), &r))
		code = say_reason(&r);
	failed = say_output(out_release(&out));
	return failed ? failed : code;
}

static int run(struct buildid_cache *c)
{
	struct context *ctx = c->care.ctx;
	struct reason r = REASON_INIT;
	int code;

	if (cache_care_check(&c->care, &r))
		return say_reason(&r);
	if (open_debug_servers(ctx, &c->debuginfod, &c->care.servers, &r))
		return say_reason(&r), EXIT_USAGE;
	code = each(&c->care, &c->add, cache_care_add);
	code |= each(&c->care, &c->remove, cache_care_remove);
	code |= each(&c->care, &c->purge, cache_care_purge);
	if (c->purge_all && cache_care_purge(&c->care, NULL, &r))
		code = say_reason(&r);
	code |= each(&c->care, &c->update, cache_care_update);
	if (c->kcore)
		code |= add_kcore(c);
	code |= print_lists(c);
	close_debug_servers(ctx, c->care.servers);
	return say_conditions(ctx) ? 1 : code;
}

int cmd_buildid_cache(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-cache [<options>]", NULL };
	struct buildid_cache c = { .care.ctx = ctx };
	const struct option_row rows[] = {
		{ OPTION_LIST, 'a', "add", &c.add, .arg = "FILES",
		  .help = "add copies of these files" },
		{ OPTION_LIST, 'r', "remove", &c.remove, .arg = "FILES",
		  .help = "remove what has the build-ids of these files" },
		{ OPTION_LIST, 'p', "purge", &c.purge, .arg = "PATHS",
		  .help = "remove all versions of these paths" },
		{ OPTION_FLAG, 'P', "purge-all", &c.purge_all, .help = "remove everything" },
		{ OPTION_LIST, 'u', "update", &c.update, .arg = "FILES",
		  .help = "add these files, replacing existing copies" },
		{ OPTION_STRING, 'k', "kcore", &c.kcore, .arg = "FILE",
		  .help = "add a copy of the kernel's code: /proc/kcore" },
		{ OPTION_STRING, 'M', "missing", &c.missing, .arg = "FILE",
		  .help = "list what a perf.data file needs and the cache does not have" },
		{ OPTION_FLAG, 'l', "list", &c.list, .help = "list the cache" },
		{ OPTION_UINT, 0, "target-ns", &c.care.target, .arg = "PID",
		  .help = "look up the files as this process sees them" },
		DEBUGINFOD_ROW(&c.debuginfod),
		{ OPTION_FLAG, 'f', "force", &c.force,
		  .help = "read files that another user owns; add a kcore that is there already" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "report each step" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "buildid-cache", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	else if (!code && !c.add.list.count && !c.remove.list.count && !c.purge.list.count &&
		 !c.purge_all && !c.update.list.count && !c.missing && !c.kcore && !c.list)
		code = options_usage_error(&o, "nothing to do");
	else if (!code && !*ctx->buildid_dir)
		code = options_usage_error(&o, "%s", obstacle_rows[OBSTACLE_CACHE_NONE].cause);
	else if (!code)
		code = run(&c);
	strlist_release(&c.add);
	strlist_release(&c.remove);
	strlist_release(&c.purge);
	strlist_release(&c.update);
	return code < 0 ? 0 : code;
}
