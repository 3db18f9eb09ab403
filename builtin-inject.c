// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf inject: a recording in another form: with build-ids, decompressed, from a
 * stream to a file or the other way.
 *
 * What comes from a pipe is put aside first (in an unlinked file), because the
 * objects that have samples are known only when all of it was seen, and a
 * stream's build-ids should come before its samples.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "builtin-record.h"
#include "cli/options.h"
#include "cli/report.h"
#include "data/reader.h"
#include "data/writer.h"
#include "object/buildid.h"

struct inject {
	struct context *ctx;
	const char *input, *output, *known_file;
	bool build_ids, all, mmap_ids, force;
	struct known {
		struct build_id id;
		char *path;
	} *known;
	size_t known_count;
	char *spooled; /* path of the stream that was put aside, or NULL */
	int spool_fd;
	struct data_reader *reader;
	struct data_writer *writer;
};

/* The path to read: the input itself when it can be read twice. */
static int spool(struct inject *in, struct reason *r)
{
	const char *dir = getenv("TMPDIR");
	char *name, *buf;
	struct stat st;
	ssize_t n;
	int err = 0;

	if (strcmp(in->input, "-") || (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)))
		return 0;
	name = xasprintf("%s/perf-inject-XXXXXX", dir && *dir ? dir : "/tmp");
	in->spool_fd = mkstemp(name);
	if (in->spool_fd < 0) {
		err = reason_errno(r, errno, "cannot write '%s'", name);
		free(name);
		return err;
	}
	unlink(name);
	buf = xmalloc(1 << 20);
	while (!err && (n = read_all(STDIN_FILENO, buf, 1 << 20)) != 0)
		err = n < 0 ? (int)n : write_all(in->spool_fd, buf, (size_t)n);
	if (err)
		reason_errno(r, -err, "cannot put the stream aside in '%s'", name);
	free(buf);
	free(name);
	in->spooled = xasprintf("/proc/self/fd/%d", in->spool_fd);
	return err;
}

/* "HEX PATH" on each line */
static int read_known(struct inject *in, struct reason *r)
{
	FILE *f = fopen(in->known_file, "re");
	char *line = NULL;
	size_t space = 0;
	unsigned number = 0;
	int err = 0;

	if (!f)
		return reason_errno(r, errno, "cannot open '%s'", in->known_file);
	while (!err && getline(&line, &space, f) > 0) {
		size_t hex = strspn(line, "0123456789abcdefABCDEF");
		char *path = line + hex + strspn(line + hex, " \t");
		struct known k;

		number++;
		line[hex] = '\0';
		path[strcspn(path, "\r\n")] = '\0';
		if (path == line + hex || !*path || build_id_parse(line, &k.id)) {
			err = reason_set(r, EINVAL, "%s:%u: not a build-id and a path", in->known_file,
					 number);
			break;
		}
		k.path = xstrdup(path);
		in->known = xreallocarray(in->known, in->known_count + 1, sizeof(*in->known));
		in->known[in->known_count++] = k;
	}
	free(line);
	fclose(f);
	return err;
}

static const struct known *find_known(const struct inject *in, const char *path)
{
	for (size_t i = 0; i < in->known_count; i++)
		if (!strcmp(in->known[i].path, path))
			return &in->known[i];
	return NULL;
}

/* Sections that say how the input was written, not what it holds. */
static bool of_the_form(unsigned feature)
{
	return feature == FEATURE_BUILD_ID || feature == FEATURE_COMPRESSED ||
	       feature == FEATURE_DIR_FORMAT || feature == FEATURE_AUXTRACE;
}

static void copy_features(struct inject *in)
{
	for (unsigned i = FEATURE_TRACING_DATA; i < FEATURE_BITS; i++) {
		const void *section;
		size_t size;

		if (of_the_form(i) || !data_has_feature(in->reader, i))
			continue;
		section = data_feature(in->reader, i, &size);
		if (section || i == FEATURE_BRANCH_STACK)
			data_feature_set(in->writer, i, section ? section : "", section ? size : 0);
	}
	if (!data_has_feature(in->reader, FEATURE_EVENT_DESC))
		data_set_events(in->writer, data_events(in->reader));
}

static void add_known(const struct inject *in, struct strbuf *b)
{
	for (size_t i = 0; i < in->known_count; i++) {
		const struct known *k = &in->known[i];
		bool kernel = k->path[0] == '[' && !str_starts(k->path, "[vdso");

		data_build_id_add(b, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, -1,
				  k->id.id, k->id.size, k->path);
	}
}

/* The input's own list, where none is made; known ones win. */
static void keep_build_ids(struct inject *in)
{
	struct strbuf b = STRBUF_INIT;
	size_t n;
	const struct data_build_id *ids = data_build_ids(in->reader, &n);

	add_known(in, &b);
	for (size_t i = 0; i < n; i++)
		if (!find_known(in, ids[i].name))
			data_build_id_add(&b, ids[i].misc, ids[i].pid, ids[i].id, ids[i].size,
					  ids[i].name);
	if (b.len)
		data_feature_set(in->writer, FEATURE_BUILD_ID, b.s, b.len);
	strbuf_release(&b);
}

static int id_of_path(const struct inject *in, const char *path, struct build_id *id)
{
	const struct known *k = find_known(in, path);

	if (k) {
		*id = k->id;
		return 0;
	}
	if (!strcmp(path, "[vdso]"))
		return build_id_of_vdso(id, NULL);
	return path[0] == '/' ? build_id_of_file(path, id, NULL) : -ENOENT;
}

/*
 * MMAP2: header 8, pid, tid, start, len, pgoff: 40 bytes; then 24 that hold device and
 * inode, or (as MISC_MMAP_BUILD_ID says) u8 size, 3 bytes, 20 of build-id; prot,
 * flags, name.
 */
static void put_id_in_mmap(const struct inject *in, u8 *p, u16 size)
{
	enum { ID_AT = 40, NAME_AT = 72 };
	struct build_id id = { .size = 0 };
	u16 misc = load_u16(p + 4, false);

	if (size <= NAME_AT || misc & PERF_RECORD_MISC_MMAP_BUILD_ID ||
	    !memchr(p + NAME_AT, 0, size - NAME_AT) ||
	    id_of_path(in, (const char *)p + NAME_AT, &id) || id.size > sizeof(id.id))
		return;
	misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memcpy(p + 4, &misc, sizeof(misc));
	memset(p + ID_AT, 0, 24);
	p[ID_AT] = id.size;
	memcpy(p + ID_AT + 4, id.id, id.size);
}

/* What a writer says itself, in its own form. */
static bool of_a_header(u32 type, bool to_stream)
{
	return type == PERF_RECORD_HEADER_ATTR || type == PERF_RECORD_HEADER_EVENT_TYPE ||
	       type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_HEADER_BUILD_ID ||
	       type == PERF_RECORD_HEADER_FEATURE ||
	       (type == PERF_RECORD_EVENT_UPDATE && to_stream);
}

static int write_payload(struct inject *in, const struct record *rec, struct reason *r)
{
	struct data_chunk c;
	int err = data_payload(in->reader, rec, &c, r);

	if (err)
		return err;
	err = data_write(in->writer, c.data, c.size, r);
	data_chunk_release(&c);
	return err;
}

static int copy_chunk(struct inject *in, const struct data_chunk *c, struct strbuf *b,
		      struct reason *r)
{
	bool to_stream = !strcmp(in->output, "-");
	struct record rec;
	size_t at = 0;
	int err;

	strbuf_clear(b);
	rec.type = 0;
	while (data_chunk_record(c, &at, &rec)) {
		size_t start = b->len;

		if (of_a_header(rec.type, to_stream))
			continue;
		strbuf_add(b, rec.data, rec.size);
		if (in->mmap_ids && rec.type == PERF_RECORD_MMAP2)
			put_id_in_mmap(in, (u8 *)b->s + start, rec.size);
	}
	err = b->len ? data_write(in->writer, b->s, b->len, r) : 0;
	/* a chunk ends after a record with payload */
	return !err && rec.type == PERF_RECORD_AUXTRACE ? write_payload(in, &rec, r) : err;
}

static int copy_records(struct inject *in, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	struct data_chunk c;
	int err = 0, got;

	while (!err && (got = data_next(in->reader, &c, r)) != 0) {
		err = got < 0 ? got : copy_chunk(in, &c, &b, r);
		if (got > 0)
			data_chunk_release(&c);
	}
	strbuf_release(&b);
	return err;
}

/* Build-ids that are looked for come first in a stream: its reader needs them at the samples. */
static int find_build_ids(struct inject *in, struct reason *r)
{
	const char *path = in->spooled ? in->spooled : in->input;

	if (!in->build_ids && !in->all)
		return 0;
	if (in->known_count) {
		keep_build_ids(in);
		return data_send_build_ids(in->writer, r);
	}
	record_add_build_ids(in->ctx, in->writer, path, true, in->all, false);
	return data_send_build_ids(in->writer, r);
}

static int convert(struct inject *in, struct reason *r)
{
	int err;

	copy_features(in);
	err = data_write_header(in->writer, data_events(in->reader), r);
	if (!err)
		err = find_build_ids(in, r);
	if (!err)
		err = copy_records(in, r);
	/* those of a stream are known by now */
	if (!err && !in->build_ids && !in->all)
		keep_build_ids(in);
	return err;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(b, "-") && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int open_both(struct inject *in, struct reason *r)
{
	const char *path;
	int err = spool(in, r);

	path = in->spooled ? in->spooled : in->input;
	if (!err && same_file(path, in->output))
		err = reason_set(r, EINVAL, "'%s' cannot be read and written at once", path);
	if (!err)
		err = data_open(in->ctx, path, in->force, &in->reader, r);
	if (!err && data_is_swapped(in->reader))
		err = reason_set(r, ENOTSUP, "'%s' is in the byte order of another machine; "
				 "inject it there", path);
	if (!err)
		err = data_create(in->ctx, in->output, true, &in->writer, r);
	return err;
}

static int run(struct inject *in)
{
	struct reason r = REASON_INIT;
	int err = in->known_file ? read_known(in, &r) : 0;

	if (!err)
		err = open_both(in, &r);
	if (!err)
		err = convert(in, &r);
	if (in->writer && !err)
		err = data_finish(in->writer, &r);
	else if (in->writer)
		data_abandon(in->writer);
	data_close(in->reader);
	if (in->spool_fd >= 0)
		close(in->spool_fd);
	free(in->spooled);
	for (size_t i = 0; i < in->known_count; i++)
		free(in->known[i].path);
	free(in->known);
	if (err)
		report_reason(&r);
	return report_conditions(in->ctx) || err;
}

int cmd_inject(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf inject [<options>]", NULL };
	struct inject in = { .ctx = ctx, .input = "-", .output = "-", .spool_fd = -1 };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'b', "build-ids", &in.build_ids,
		  .help = "add the build-ids of the objects that have samples" },
		{ OPTION_FLAG, 0, "buildid-all", &in.all, .help = "add the build-ids of all objects" },
		{ OPTION_STRING, 0, "known-build-ids", &in.known_file, .arg = "FILE",
		  .help = "build-ids and paths, one pair in a line, that need not be looked for" },
		{ OPTION_FLAG, 'B', "mmap2-buildids", &in.mmap_ids,
		  .help = "put build-ids in the mappings themselves" },
		{ OPTION_STRING, 'i', "input", &in.input, .arg = "FILE", .help = "input file (-)" },
		{ OPTION_STRING, 'o', "output", &in.output, .arg = "FILE", .help = "output file (-)" },
		{ OPTION_FLAG, 'f', "force", &in.force, .help = "read a file of another user" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "say more" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "inject", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc)
		return options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!strcmp(in.output, "-") && isatty(STDOUT_FILENO))
		return options_usage_error(&o, "data is not written to a terminal");
	return run(&in);
}
