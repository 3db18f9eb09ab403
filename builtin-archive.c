// SPDX-License-Identifier: GPL-2.0-or-later
/* perf archive: what a report needs on another machine, in one tar file. */
#include <stdio.h>
#include <stdlib.h>

#include "archive/archive.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "sys/obstacles.h"

static int pack(struct context *ctx, const struct archive_request *q)
{
	struct reason r = REASON_INIT;
	char *tar, *shown;

	if (archive_pack(ctx, q, &tar, &r))
		return say_reason(&r);
	shown = printable_copy(tar);
	printf("Now please run:\n\n$ %s %s%s\n\nwherever you need to run 'perf report' on.\n",
	       q->all ? "perf archive --unpack" : "tar xvf", shown, q->all ? "" : " -C ~/.debug");
	free(shown);
	free(tar);
	return 0;
}

static int unpack(struct context *ctx, const struct archive_request *q, const char *tar)
{
	struct reason r = REASON_INIT;
	char *recording, *shown;
	int err = archive_unpack(ctx, q, tar, &recording, &r);

	if (recording) {
		shown = printable_copy(recording);
		printf("'%s' is here, its objects are in '%s'\n", shown, ctx->buildid_dir);
		free(shown);
	}
	free(recording);
	return err ? say_reason(&r) : 0;
}

int cmd_archive(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf archive [<options>] [FILE]",
					     "perf archive --unpack [TAR]", NULL };
	struct archive_request q = { .data = "perf.data" };
	const char *input = NULL;
	bool unpacks = false;
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &input, .arg = "FILE",
		  .help = "pack for this recording instead of perf.data" },
		{ OPTION_FLAG, 0, "all", &q.all,
		  .help = "put the recording into the archive as well" },
		{ OPTION_FLAG, 0, "unpack", &unpacks,
		  .help = "unpack an archive into the build-id cache" },
		{ OPTION_STRING, 0, "exclude-buildids", &q.excluded_file, .arg = "FILE",
		  .help = "leave out the build-ids that this file lists" },
		{ OPTION_FLAG, 'f', "force", &q.force,
		  .help = "read the file even if another user owns it" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "archive", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "'%s' is one argument too many", argv[1]);
	if (!*ctx->buildid_dir)
		return options_usage_error(&o, "%s", obstacle_rows[OBSTACLE_CACHE_NONE].cause);
	if (input && (argc || unpacks))
		return options_usage_error(&o, "-i %s and %s exclude each other", input,
					   unpacks ? "--unpack" : argv[0]);
	if (input || (argc && !unpacks))
		q.data = input ? input : argv[0];
	code = unpacks ? unpack(ctx, &q, argc ? argv[0] : NULL) : pack(ctx, &q);
	return say_conditions(ctx) ? 1 : code;
}
