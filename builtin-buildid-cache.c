// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-cache: look after the copies of objects in ~/.debug. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "analysis/analysis.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "data/reader.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/debug_servers.h"
#include "object/locate.h"
#include "probe/probe.h"

struct buildid_cache {
	struct context *ctx;
	struct strlist add, remove, purge, update;
	bool purge_all, list, force;
	const char *missing, *kcore;
	struct debuginfod_wish debuginfod;
	struct debug_servers *servers;
	unsigned target; /* process whose mount namespace the names are of; 0: ours */
};

struct entries {
	char *dir; /* real path of the cache */
	VEC(struct cached {
		struct build_id id;
		char *name;
	}) list;
};

/* DIR/usr/bin/ls/HEX -> /usr/bin/ls; names in brackets have no slash. */
static int keep_entry(void *arg, const struct build_id *id, const char *path)
{
	struct entries *e = arg;
	const char *name = str_starts(path, e->dir) ? path + strlen(e->dir) : path;
	const char *slash = strrchr(name, '/');

	name += name[0] == '/' && name[1] == '[';
	vec_push(&e->list, (struct cached){ *id, slash > name ? xstrndup(name, (size_t)(slash - name)) :
							       xstrdup(name) });
	return 0;
}

static int read_cache(struct context *ctx, struct entries *e, struct reason *r)
{
	*e = (struct entries){ NULL, VEC_INIT };
	e->dir = realpath(ctx->buildid_dir, NULL);
	if (!e->dir) /* nobody has put anything there yet */
		return 0;
	return cache_each(e->dir, keep_entry, e, r) == -ENOENT ? 0 : -r->err;
}

static void release_entries(struct entries *e)
{
	vec_for_each(&e->list, it)
		free(it->name);
	vec_release(&e->list);
	free(e->dir);
}

static int list_cache(struct buildid_cache *c, struct reason *r)
{
	struct entries e;
	struct out out;
	int err = read_cache(c->ctx, &e, r), written;

	out_init(&out, STDOUT_FILENO);
	vec_for_each(&e.list, it) {
		char hex[41];

		strbuf_f(out_buf(&out), "%s ", build_id_text(&it->id, hex));
		strbuf_printable(out_buf(&out), it->name);
		strbuf_char(out_buf(&out), '\n');
		out_done(&out);
	}
	release_entries(&e);
	written = out_release(&out);
	return err ? err : say_output(written) ? reason_set(r, EIO, "the list is not complete") : 0;
}

/* Names of another namespace begin at its root, as our directory is none there. */
static char *name_in_target(const char *path)
{
	return xasprintf("%s%s", path[0] == '/' ? "" : "/", path);
}

static char *source_of(const struct buildid_cache *c, const char *path)
{
	char *name, *source;

	if (!c->target)
		return xstrdup(path);
	name = name_in_target(path);
	source = xasprintf("/proc/%u/root%s", c->target, name);
	free(name);
	return source;
}

static int check_target(const struct buildid_cache *c, struct reason *r)
{
	char *path = xasprintf("/proc/%u/root/.", c->target);
	int err = c->target && access(path, F_OK) ? errno : 0;

	free(path);
	if (!err)
		return 0;
	reason_errno(r, err, "cannot see the files of process %u", c->target);
	reason_hint(r, err == ENOENT ? "it may have ended; 'ps -e' lists what runs" :
				       "as root, or as the owner of that process");
	return -err;
}

static void say_done(const struct buildid_cache *c, const char *what, const struct build_id *id,
		     const char *name)
{
	char hex[41];

	if (c->ctx->verbose)
		say_note("%s %s %s", what, build_id_text(id, hex), name);
}

/* What was stripped off it, when a server has it. */
static int add_debug_file(struct buildid_cache *c, const char *name, const struct build_id *id,
			  struct reason *r)
{
	const struct object_search search = { .symfs = "", .buildid_dir = c->ctx->buildid_dir,
					      .servers = c->servers };
	const struct image img = { .kind = IMAGE_ELF, .path = name, .name = path_base(name),
				   .build_id = *id };

	return object_cache_from_servers(&search, &img, r);
}

static int add_one(struct buildid_cache *c, const char *path, bool replace, struct reason *r)
{
	char *given = source_of(c, path), *real = c->target ? name_in_target(path) : realpath(given, NULL);
	struct cache_entry e = { .kind = CACHE_ELF, .name = real ? real : path, .source = given };
	int err = build_id_of_file(given, &e.id, r);

	if (!err && replace)
		cache_remove(c->ctx->buildid_dir, &e.id, NULL);
	if (!err)
		err = cache_add(c->ctx->buildid_dir, &e, r);
	/* Its SDT markers become events by name; a path of another namespace is not ours to probe. */
	if (!err && !c->target)
		err = MIN(probe_cache_index(c->ctx->buildid_dir, e.name, r), 0);
	if (!err)
		err = add_debug_file(c, e.name, &e.id, r);
	if (!err)
		say_done(c, replace ? "updated" : "added", &e.id, e.name);
	free(real);
	free(given);
	return err;
}

static int add_new(struct buildid_cache *c, const char *path, struct reason *r)
{
	return add_one(c, path, false, r);
}

static int add_again(struct buildid_cache *c, const char *path, struct reason *r)
{
	return add_one(c, path, true, r);
}

static int remove_one(struct buildid_cache *c, const char *path, struct reason *r)
{
	char *given = source_of(c, path);
	struct build_id id;
	int err = build_id_of_file(given, &id, r);

	if (!err)
		err = cache_remove(c->ctx->buildid_dir, &id, r);
	if (!err)
		say_done(c, "removed", &id, path);
	free(given);
	return err;
}

/* Every version of that path; NULL: all there is. */
static int purge_one(struct buildid_cache *c, const char *path, struct reason *r)
{
	char *real = path ? realpath(path, NULL) : NULL;
	struct entries e;
	int err = read_cache(c->ctx, &e, r);
	size_t gone = 0;

	vec_for_each(&e.list, it) {
		if (err || (path && strcmp(it->name, path) && (!real || strcmp(it->name, real))))
			continue;
		err = cache_remove(e.dir, &it->id, r);
		if (!err)
			say_done(c, "removed", &it->id, it->name);
		gone++;
	}
	if (!err && path && !gone)
		err = reason_set(r, ENOENT, "nothing of '%s' is in the cache", path);
	release_entries(&e);
	free(real);
	return err;
}

static int add_kcore(struct buildid_cache *c, struct reason *r)
{
	char *home;
	bool added;
	int err = cache_add_kcore(c->ctx->buildid_dir, c->kcore, c->force, &home, &added, r);

	if (!err && (added || c->ctx->verbose))
		say_note(added ? "kcore added to build-id cache directory %s" :
				    "the same kernel and modules are in the cache already: %s", home);
	free(home);
	return err;
}

/* Build-ids of a recording that the cache cannot serve. */
static int list_missing(struct buildid_cache *c, struct reason *r)
{
	struct data_reader *d;
	const struct data_build_id *ids;
	struct out out;
	size_t n;
	int err = data_open(c->ctx, c->missing, c->force, &d, r);

	if (err)
		return err;
	ids = data_build_ids(d, &n);
	out_init(&out, STDOUT_FILENO);
	for (size_t i = 0; i < n; i++) {
		static const char *const kinds[] = { "elf", "kallsyms", "vdso" };
		struct build_id id = { .size = ids[i].size };
		char *found = NULL, hex[41];

		memcpy(id.id, ids[i].id, sizeof(id.id));
		for (size_t k = 0; k < ARRAY_SIZE(kinds) && !found; k++)
			found = cache_find(c->ctx->buildid_dir, &id, kinds[k]);
		if (!found) {
			strbuf_f(out_buf(&out), "%-40s ", build_id_text(&id, hex));
			strbuf_printable(out_buf(&out), ids[i].name);
			strbuf_char(out_buf(&out), '\n');
		}
		free(found);
	}
	data_close(d);
	return say_output(out_release(&out)) ? reason_set(r, EIO, "the list is not complete") : 0;
}

/* Each of the files; one that fails does not keep the others from it. */
static int each(struct buildid_cache *c, const struct strlist *files,
		int (*fn)(struct buildid_cache *c, const char *path, struct reason *r))
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

static int run(struct buildid_cache *c)
{
	struct reason r = REASON_INIT;
	int code;

	if (check_target(c, &r)) {
		code = say_reason(&r);
		reason_release(&r);
		return code;
	}
	if (open_debug_servers(c->ctx, &c->debuginfod, &c->servers, &r))
		return say_reason(&r), EXIT_USAGE;
	code = each(c, &c->add, add_new);
	code |= each(c, &c->remove, remove_one);
	code |= each(c, &c->purge, purge_one);
	if (c->purge_all && purge_one(c, NULL, &r))
		code = say_reason(&r);
	code |= each(c, &c->update, add_again);
	if (c->kcore && add_kcore(c, &r))
		code = say_reason(&r);
	if (c->missing && list_missing(c, &r))
		code = say_reason(&r);
	if (c->list && list_cache(c, &r))
		code = say_reason(&r);
	close_debug_servers(c->ctx, c->servers);
	return say_conditions(c->ctx) ? 1 : code;
}

int cmd_buildid_cache(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-cache [<options>]", NULL };
	struct buildid_cache c = { .ctx = ctx };
	const struct option_row rows[] = {
		{ OPTION_LIST, 'a', "add", &c.add, .arg = "FILES", .help = "add copies of these files" },
		{ OPTION_LIST, 'r', "remove", &c.remove, .arg = "FILES",
		  .help = "remove what has the build-ids of these files" },
		{ OPTION_LIST, 'p', "purge", &c.purge, .arg = "PATHS",
		  .help = "remove all versions of these paths" },
		{ OPTION_FLAG, 'P', "purge-all", &c.purge_all, .help = "remove everything" },
		{ OPTION_LIST, 'u', "update", &c.update, .arg = "FILES",
		  .help = "add these files, in place of what is there" },
		{ OPTION_STRING, 'k', "kcore", &c.kcore, .arg = "FILE",
		  .help = "add a copy of the kernel's code: /proc/kcore" },
		{ OPTION_STRING, 'M', "missing", &c.missing, .arg = "FILE",
		  .help = "list what a perf.data file needs and the cache does not have" },
		{ OPTION_FLAG, 'l', "list", &c.list, .help = "list the cache" },
		{ OPTION_UINT, 0, "target-ns", &c.target, .arg = "PID",
		  .help = "take the files as this process sees them" },
		DEBUGINFOD_ROW(&c.debuginfod),
		{ OPTION_FLAG, 'f', "force", &c.force, .help = "read a file of another user; add a kcore that is there" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "say what is done" },
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
		code = options_usage_error(&o, "there is no cache: neither HOME nor --buildid-dir says where");
	else if (!code)
		code = run(&c);
	strlist_release(&c.add);
	strlist_release(&c.remove);
	strlist_release(&c.purge);
	strlist_release(&c.update);
	return code < 0 ? 0 : code;
}
