// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-list: which objects, by build-id. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/buildid_list.h"
#include "analysis/options.h"
#include "base/out.h"
#include "builtin.h"
#include "cli/say.h"

struct buildid_command {
	struct context *ctx;
	struct buildid_list list;
	bool kernel, kernel_maps;
};

static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = path && strcmp(path, "-") ? fopen(path, "re") : NULL;
	bool elf = f && fread(magic, 4, 1, f) == 1 && !memcmp(magic, "\177ELF", 4);

	if (f)
		fclose(f);
	return elf;
}

static int run(const struct buildid_command *c, struct strbuf *b, struct reason *r)
{
	if (c->kernel)
		return buildid_of_kernel_text(b, r);
	if (c->kernel_maps)
		return buildid_kernel_maps_text(b, r);
	if (is_elf(c->list.input))
		return buildid_of_elf_text(c->list.input, b, r);
	return buildid_list_text(c->ctx, &c->list, b, r);
}

static void add_rows(struct buildid_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'H', "with-hits", &c->list.with_hits,
		  .help = "only objects that have samples" },
		{ OPTION_FLAG, 'k', "kernel", &c->kernel,
		  .help = "build-id of the running kernel" },
		{ OPTION_FLAG, 'm', "kernel-maps", &c->kernel_maps,
		  .help = "build-ids and addresses of the running kernel and its modules" },
		{ OPTION_COUNT, 'v', "verbose", &c->ctx->verbose,
		  .help = "be more verbose about problems" },
		OPT_END_ROW,
	};

	input_option_rows(rows, &c->list.input, &c->list.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

int cmd_buildid_list(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-list [<options>]", NULL };
	struct buildid_command c = { .ctx = ctx };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "buildid-list", .usage = usage };
	struct reason r = REASON_INIT;
	struct out out;
	int code, err;

	add_rows(&c, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	vec_release(&rows);
	if (code)
		return code < 0 ? 0 : code;
	out_init(&out, STDOUT_FILENO);
	err = run(&c, out_buf(&out), &r);
	code = say_output(out_release(&out));
	if (err)
		code = say_reason(&r);
	return say_conditions(ctx) ? 1 : code;
}
