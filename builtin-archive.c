// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf archive: what a report needs on another machine, in one tar file.
 *
 * tar(1) packs and unpacks; the members are paths below the build-id cache, as
 * other versions of perf have them.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/buildid_list.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "data/writer.h"
#include "object/cache.h"

struct archive {
	struct context *ctx;
	const char *data, *tar, *excluded_file;
	bool all, unpack, force;
	struct strlist excluded;
	size_t missing; /* objects that the cache does not have */
};

extern char **environ;

/* The exit status of tar, or -errno; its output goes to the file log, if not NULL. */
static int run_tar_to(const char *const *argv, const char *log, struct reason *r)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status, err;

	posix_spawn_file_actions_init(&files);
	if (log)
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_TRUNC, 0600);
	err = posix_spawnp(&pid, "tar", &files, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (err) {
		reason_errno(r, err, "cannot run tar");
		reason_hint(r, "perf archive needs the programs tar and bzip2");
		return -err;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return reason_errno(r, errno, "cannot wait for tar");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int run_tar(const char *const *argv, struct reason *r)
{
	return run_tar_to(argv, NULL, r);
}

static int cannot_open(const char *path, const char *hint, struct reason *r)
{
	int err = reason_errno(r, errno, "cannot open '%s'", path);

	reason_hint(r, "%s", hint);
	return err;
}

static int read_excluded(struct archive *a, struct reason *r)
{
	FILE *f = fopen(a->excluded_file, "re");
	char *line = NULL;
	size_t space = 0;

	if (!f)
		return cannot_open(a->excluded_file, "build-ids, one a line: 'perf buildid-list' writes such a list", r);
	while (getline(&line, &space, f) > 0) {
		line[strspn(line, "0123456789abcdefABCDEF")] = '\0';
		if (*line)
			strlist_add(&a->excluded, line);
	}
	free(line);
	fclose(f);
	return 0;
}

/* The link of a build-id and the directory that it points to, relative to the cache. */
static bool add_members(const struct archive *a, const char *root, const char *hex, struct strbuf *b)
{
	char *link = xasprintf("%s/.build-id/%.2s/%s", a->ctx->buildid_dir, hex, hex + 2);
	char *real = realpath(link, NULL);
	bool inside = real && str_starts(real, root) && real[strlen(root)] == '/';

	if (inside)
		strbuf_f(b, ".build-id/%.2s/%s\n%s\n", hex, hex + 2, real + strlen(root) + 1);
	free(real);
	free(link);
	return inside;
}

/* A line of perf buildid-list: the id, if there is one, and the path. */
static void add_object(struct archive *a, const char *root, char *line, struct strbuf *b)
{
	size_t hex = strspn(line, "0123456789abcdef");
	const char *path = line + hex + strspn(line + hex, " ");

	line[hex] = '\0';
	if (hex && strlist_has(&a->excluded, line))
		return;
	if (hex > 2 && add_members(a, root, line, b))
		return;
	a->missing++;
	say_warning(hex ? "the cache does not have '%s'" :
			     "the build-id of '%s' was not recorded, so it cannot be found", path);
}

static int make_manifest(struct archive *a, struct strbuf *b, struct reason *r)
{
	char *root = realpath(a->ctx->buildid_dir, NULL), *next = NULL;
	struct strbuf list = STRBUF_INIT;
	const struct buildid_list l = { .input = a->data, .force = a->force };
	int err = buildid_list_text(a->ctx, &l, &list, r);

	if (!err && !root)
		err = reason_set(r, ENOENT, "there is no build-id cache '%s'", a->ctx->buildid_dir);
	if (!err && list.len)
		for (char *line = strtok_r(list.s, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
			add_object(a, root, line, b);
	if (!err && a->missing)
		say_hint("'perf buildid-cache -a FILE' adds what is still there");
	strbuf_release(&list);
	free(root);
	return err;
}

static int write_manifest(const struct strbuf *b, char *name, struct reason *r)
{
	int fd = mkstemp(name), err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot write '%s'", name);
	err = write_all(fd, strbuf_cstr(b), b->len);
	close(fd);
	return err ? reason_errno(r, -err, "cannot write '%s'", name) : 0;
}

static int pack_objects(struct archive *a, const char *tar, struct reason *r)
{
	char name[] = "/tmp/perf-archive-XXXXXX";
	struct strbuf members = STRBUF_INIT;
	int err = make_manifest(a, &members, r);

	if (!err && !members.len)
		err = reason_set(r, ENOENT, "nothing to archive: the cache holds none of the objects of '%s'",
				 a->data);
	if (!err)
		err = write_manifest(&members, name, r);
	strbuf_release(&members);
	if (err)
		return err;
	err = run_tar((const char *[]){ "tar", "--warning=no-file-changed", "-cjf", tar, "-C", a->ctx->buildid_dir, "-T", name, NULL },
		      r);
	unlink(name);
	/* 1: a file changed meanwhile, as one does that another cache takes a hard link to */
	if (err == 1)
		return 0;
	return err > 0 ? reason_set(r, EIO, "tar could not write '%s'", tar) : err;
}

/* perf.all-HOST-DATE.tar.bz2: the recording, and the objects in their own archive. */
static int pack_all(struct archive *a, const char *objects, struct reason *r)
{
	time_t now = time(NULL);
	struct utsname host;
	struct tm tm;
	char day[32], *tar;
	int err;

	uname(&host);
	localtime_r(&now, &tm);
	strftime(day, sizeof(day), "%Y%m%d-%H%M%S", &tm);
	tar = xasprintf("perf.all-%s-%s.tar.bz2", host.nodename, day);
	err = run_tar((const char *[]){ "tar", "cjf", tar, a->data, objects, NULL }, r);
	unlink(objects);
	if (err > 0)
		err = reason_set(r, EIO, "tar could not write '%s'", tar);
	if (!err)
		printf("Now please run:\n\n$ perf archive --unpack %s\n\nwherever you need to run "
		       "'perf report' on.\n", tar);
	free(tar);
	return err;
}

static int pack(struct archive *a, struct reason *r)
{
	char *tar = xasprintf("%s.tar.bz2", a->data);
	int err = a->excluded_file ? read_excluded(a, r) : 0;

	if (!err)
		err = pack_objects(a, tar, r);
	if (!err && a->all)
		err = pack_all(a, tar, r);
	else if (!err)
		printf("Now please run:\n\n$ tar xvf %s -C ~/.debug\n\nwherever you need to run "
		       "'perf report' on.\n", tar);
	free(tar);
	return err;
}

/* tar stopped in the middle of the last file that it named. */
static void drop_cut_file(const char *dir, const char *log)
{
	FILE *f = fopen(log, "re");
	char *line = NULL, *last = NULL;
	size_t space = 0;

	while (f && getline(&line, &space, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		free(last);
		last = xasprintf("%s/%s", dir, line);
	}
	if (last) {
		unlink(last);
		say_warning("'%s' is cut in the archive and was not kept", last);
	}
	free(last);
	free(line);
	if (f)
		fclose(f);
}

/* *damaged: the end is missing or cannot be read. */
static int extract(const char *tar, const char *dir, bool *damaged, struct reason *r)
{
	char log[] = "/tmp/perf-archive-XXXXXX";
	int fd = mkstemp(log), err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot write '%s'", log);
	close(fd);
	err = run_tar_to((const char *[]){ "tar", "xvf", tar, "-C", dir, NULL }, log, r);
	if (err > 0) {
		*damaged = true;
		drop_cut_file(dir, log);
		err = 0;
	}
	unlink(log);
	return err;
}

static char *only_match(const char *dir, const char *pattern)
{
	char *all = xasprintf("%s/%s", dir, pattern), *found = NULL;
	glob_t g = { 0 };

	if (!glob(all, 0, NULL, &g) && g.gl_pathc == 1)
		found = xstrdup(g.gl_pathv[0]);
	globfree(&g);
	free(all);
	return found;
}

/* From --all: the recording goes here, the objects into the cache. */
static int unpack_all(struct archive *a, const char *inner, bool *damaged, struct reason *r)
{
	char *data = xstrdup(inner), *name;
	struct stat st;
	int err = 0;

	data[strlen(data) - strlen(".tar.bz2")] = '\0';
	name = xstrdup(path_base(data));
	if (!stat(name, &st)) {
		err = reason_set(r, EEXIST, "'%s' is here already", name);
		reason_hint(r, "mv '%s' '%s.old'", name, name);
	} else if (stat(data, &st)) {
		*damaged = true;
	} else if (rename(data, name)) {
		err = reason_errno(r, errno, "cannot put '%s' here", name);
	}
	if (!err)
		err = extract(inner, a->ctx->buildid_dir, damaged, r);
	if (!err)
		printf("'%s' is here, its objects are in '%s'\n", name, a->ctx->buildid_dir);
	free(name);
	free(data);
	return err;
}

/* What a damaged archive did not bring, as far as a recording here can tell. */
static void name_gaps(struct archive *a)
{
	struct strbuf members = STRBUF_INIT;
	struct reason none = REASON_INIT;

	if (!access(a->data, R_OK))
		make_manifest(a, &members, &none);
	reason_release(&none);
	strbuf_release(&members);
}

/* Its names tell: PERF.DATA and PERF.DATA.tar.bz2, or paths of a cache. */
static bool holds_recording(const char *tar)
{
	char log[] = "/tmp/perf-archive-XXXXXX", *line = NULL;
	int fd = mkstemp(log);
	bool inner = false;
	size_t space = 0;
	FILE *f;

	if (fd < 0)
		return false;
	run_tar_to((const char *[]){ "tar", "tf", tar, NULL }, log, NULL);
	f = fdopen(fd, "r");
	while (f && getline(&line, &space, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		inner |= !strchr(line, '/') && str_ends(line, ".tar.bz2");
	}
	free(line);
	if (f)
		fclose(f);
	unlink(log);
	return inner;
}

/* Beside its final place, so that the recording can be moved there. */
static int unpack_both(struct archive *a, const char *tar, bool *damaged, struct reason *r)
{
	char dir[] = "perf-archive-XXXXXX", *inner;
	int err;

	if (!mkdtemp(dir))
		return reason_errno(r, errno, "cannot write here");
	err = extract(tar, dir, damaged, r);
	inner = only_match(dir, "*.tar.bz2");
	if (!err && inner)
		err = unpack_all(a, inner, damaged, r);
	if (inner)
		unlink(inner);
	free(inner);
	if (err)
		data_remove(dir, NULL);
	else if (rmdir(dir))
		say_warning("the rest of '%s' is in '%s'", tar, dir);
	return err;
}

static int unpack_from(struct archive *a, const char *tar, struct reason *r)
{
	bool damaged = false;
	int err;

	if (access(tar, R_OK))
		return cannot_open(tar, "'perf archive' makes it on the machine that was recorded", r);
	if (mkdir(a->ctx->buildid_dir, 0755) && errno != EEXIST)
		return reason_errno(r, errno, "cannot make '%s'", a->ctx->buildid_dir);
	err = holds_recording(tar) ? unpack_both(a, tar, &damaged, r) :
				     extract(tar, a->ctx->buildid_dir, &damaged, r);
	if (err || !damaged)
		return err;
	name_gaps(a);
	return reason_set(r, EIO, "'%s' is damaged: what could be read of it is in the cache", tar);
}

static int unpack(struct archive *a, struct reason *r)
{
	char *found = a->tar ? xstrdup(a->tar) : only_match(".", "perf.all-*.tar.bz2");
	int err;

	if (!found)
		found = xstrdup("perf.data.tar.bz2");
	err = unpack_from(a, found, r);
	free(found);
	return err;
}

int cmd_archive(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf archive [<options>] [FILE]", "perf archive --unpack [TAR]", NULL
	};
	struct archive a = { .ctx = ctx, .data = "perf.data" };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 0, "all", &a.all, .help = "put the recording into the archive, too" },
		{ OPTION_FLAG, 0, "unpack", &a.unpack, .help = "unpack an archive into the build-id cache" },
		{ OPTION_STRING, 0, "exclude-buildids", &a.excluded_file, .arg = "FILE",
		  .help = "leave out the build-ids that this file lists" },
		{ OPTION_FLAG, 'f', "force", &a.force, .help = "read a file of another user" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "archive", .usage = usage, .rows = rows };
	struct reason r = REASON_INIT;
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "'%s' is one argument too many", argv[1]);
	if (!*ctx->buildid_dir)
		return options_usage_error(&o, "there is no cache: neither HOME nor --buildid-dir says where");
	if (a.unpack)
		a.tar = argc ? argv[0] : NULL;
	else if (argc)
		a.data = argv[0];
	if (a.unpack ? unpack(&a, &r) : pack(&a, &r))
		code = say_reason(&r);
	strlist_release(&a.excluded);
	return say_conditions(ctx) ? 1 : code;
}
