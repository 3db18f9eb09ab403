// SPDX-License-Identifier: GPL-2.0-or-later
/* perf inject: a recording in another form, with something changed or added. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "rewrite/rewrite.h"
#include "spe/decode.h"

struct inject {
	struct rewrite_settings s;
	bool maps_hit, maps_all, ignore_vmlinux, has_traces;
	const char *traces; /* the traces of --itrace, or NULL */
};

static int settle(struct inject *in, const struct options *o)
{
	struct rewrite_settings *s = &in->s;
	bool ids = s->build_ids || s->build_ids_all || in->maps_hit || in->maps_all;

	if (in->maps_hit && in->maps_all)
		return options_usage_error(
			o, "--mmap2-buildids and --mmap2-buildid-all exclude each other");
	if (s->known && !ids)
		return options_usage_error(o, "--known-build-ids needs -b or -B");
	if ((s->vmlinux || s->kallsyms) && !ids)
		return options_usage_error(o,
					   "--vmlinux and --kallsyms name the kernel for -b or -B");
	if (s->guestmount && !s->build_ids && !s->build_ids_all)
		return options_usage_error(o,
					   "--guestmount says where -b finds the files of guests");
	if (s->unwind.count && !s->convert_chains)
		return options_usage_error(o, "--unwind-style needs --convert-callchain");
	if (s->strip && !in->has_traces)
		return options_usage_error(o, "--strip needs --itrace");
	s->decode_traces = in->has_traces;
	s->maps = in->maps_hit ? MAPS_HIT_WITH_ID : in->maps_all ? MAPS_ALL_WITH_ID : MAPS_KEPT;
	if (s->aslr && (s->maps || s->merge_sched))
		return options_usage_error(
			o, "--aslr cannot be combined with -B or -s: inject in two steps");
	if (s->guest_data &&
	    (ids || s->convert_chains || s->jit || s->merge_sched || s->aslr || s->strip))
		return options_usage_error(
			o,
			"--guest-data cannot be combined with other changes: inject in two steps");
	if (in->ignore_vmlinux)
		s->vmlinux = NULL;
	if (!strcmp(s->output, "-") && isatty(STDOUT_FILENO))
		return options_usage_error(
			o,
			"refusing to write a recording to a terminal; name a file with -o, or use "
			"a pipe");
	if (!strcmp(s->input, "-") && isatty(STDIN_FILENO))
		return options_usage_error(o,
					   "no input: name a file with -i, or pipe a recording in");
	return 0;
}

static bool roots_are_there(const struct inject *in, struct reason *r)
{
	const struct symbol_options guests = { .guest_mount = in->s.guestmount };

	return !symbol_options_check(&guests, r);
}

int cmd_inject(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf inject [<options>]", NULL };
	struct inject in = { .s = { .input = "-", .output = "-" } };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'b', "build-ids", &in.s.build_ids,
		  .help = "add the build-ids of the objects that have samples" },
		{ OPTION_FLAG, 0, "buildid-all", &in.s.build_ids_all,
		  .help = "add the build-ids of all objects" },
		{ OPTION_STRING, 0, "known-build-ids", &in.s.known, .arg = "LIST",
		  .help = "use these build-ids: \"ID PATH[,ID PATH...]\", or file://FILE" },
		{ OPTION_FLAG, 'B', "mmap2-buildids", &in.maps_hit,
		  .help = "keep only mappings that samples hit, with their build-ids" },
		{ OPTION_FLAG, 0, "mmap2-buildid-all", &in.maps_all,
		  .help = "add build-ids to all mappings" },
		{ OPTION_FLAG, 0, "convert-callchain", &in.s.convert_chains,
		  .help = "unwind copied user stacks and write call chains instead" },
		UNWIND_STYLE_ROW(&in.s.unwind),
		{ OPTION_FLAG, 'j', "jit", &in.s.jit,
		  .help = "add code generated at run time, from jitdump files" },
		{ OPTION_FLAG, 's', "sched-stat", &in.s.merge_sched,
		  .help = "merge sched_switch and sched_stat_*: where and how long tasks slept" },
		{ OPTION_FLAG, 0, "aslr", &in.s.aslr,
		  .help = "change addresses to hide the memory layout" },
		{ OPTION_STRING, 0, "itrace", &in.traces, .arg = "WHAT", .flags = OPT_OPTIONAL,
		  .given = &in.has_traces,
		  .help = "decode instruction traces (refused where there are any)" },
		{ OPTION_FLAG, 0, "strip", &in.s.strip,
		  .help = "with --itrace, leave out samples that are not decoded from traces" },
		{ OPTION_STRING, 'i', "input", &in.s.input, .arg = "FILE",
		  .help = "the recording (default: -, standard input)" },
		{ OPTION_STRING, 'o', "output", &in.s.output, .arg = "FILE",
		  .help = "the new recording (default: -, standard output)" },
		{ OPTION_STRING, 'k', "vmlinux", &in.s.vmlinux, .arg = "FILE",
		  .help = "the recorded kernel, whose build-id is used" },
		{ OPTION_STRING, 0, "kallsyms", &in.s.kallsyms, .arg = "FILE",
		  .help = "the same by a copy of its symbols in a build-id cache" },
		{ OPTION_STRING, 0, "guestmount", &in.s.guestmount, .arg = "DIR",
		  .help = "directory with the root of each guest, mounted at its pid" },
		{ OPTION_STRING, 0, "guest-data", &in.s.guest_data,
		  .arg = "FILE,PID[,OFFSET[,SCALE]]",
		  .help = "merge the recording that was made in a guest" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &in.ignore_vmlinux, .help = "ignore -k" },
		{ OPTION_FLAG, 'f', "force", &in.s.force,
		  .help = "read the file even if another user owns it" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "report more" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "inject", .usage = usage, .rows = rows };
	struct reason r = REASON_INIT;
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc)
		return options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	code = settle(&in, &o);
	if (!code && in.has_traces && spe_parse_wish(in.traces, &in.s.traces, &r))
		code = options_usage_error(&o, "%s", r.text);
	if (code) {
		reason_release(&r);
		return code;
	}
	code = !roots_are_there(&in, &r) || rewrite_recording(ctx, &in.s, &r) ? say_reason(&r) : 0;
	reason_release(&r);
	return say_conditions(ctx) || code;
}
