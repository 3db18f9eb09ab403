// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of settings: those of perf-config(1) of Linux 6.1 and later, and our own. A name in
 * this list need not mean anything to this program; one that is missing is most likely misspelt.
 */
#include <string.h>

#include "base/text.h"
#include "cli/config.h"
#include "cli/say.h"

/* clang-format off */
static const char *const names[] = {
	"addr2line.style", "annotate.addr2line", "annotate.demangle", "annotate.demangle_kernel", "annotate.disassembler_style", "annotate.disassemblers",
	"annotate.hide_src_code", "annotate.jump_arrows", "annotate.objdump", "annotate.offset_level",
	"annotate.show_br_cntr", "annotate.show_linenr", "annotate.show_nr_jumps",
	"annotate.show_nr_samples", "annotate.show_total_period", "annotate.use_offset",
	"auxtrace.dumpdir", "buildid-cache.debuginfod", "buildid-cache.debuginfod-timeout", "buildid.dir",
	"call-graph.dump-size", "call-graph.order", "call-graph.print-limit", "call-graph.print-type",
	"call-graph.record-mode", "call-graph.sort-key", "call-graph.threshold", "color.ui",
	"colors.addr", "colors.code", "colors.jump_arrows", "colors.medium", "colors.normal",
	"colors.root", "colors.selected", "colors.top", "convert.queue-size", "core.addr2line-timeout",
	"core.proc-map-timeout", "core.workers", "daemon.base", "diff.compute", "diff.order",
	"ftrace.tracer", "help.autocorrect", "help.browser", "help.format", "hist.percentage",
	"intel-pt.all-switch-events", "intel-pt.cache-divisor", "intel-pt.max-loops",
	"intel-pt.mispred-all", "itrace.debug-log-buffer-size", "kmem.default", "llvm.clang-bpf-cmd-template", "llvm.clang-opt",
	"llvm.clang-path", "llvm.dump-obj", "llvm.kbuild-dir", "llvm.kbuild-opts", "llvm.opts",
	"man.viewer", "record.aio", "record.build-id", "record.call-graph", "record.debuginfod", "record.fallback-warning",
	"report.children", "report.group", "report.percent-limit", "report.queue-size",
	"report.skip-empty", "report.sort-order", "report.sort_order", "report.ui", "samples.context",
	"stat.big-num", "stat.bpf-counter-events", "stat.no-csv-summary", "top.call-graph",
	"top.children", "trace.add_events", "trace.args_alignment", "trace.no_inherit",
	"trace.show_arg_names", "trace.show_duration", "trace.show_prefix", "trace.show_timestamp",
	"trace.show_zeros", "trace.tracepoint_beautifiers", "tui.annotate", "tui.report", "tui.top",
	"gtk.annotate", "gtk.report", "gtk.top", "ui.show-headers",
};
/* clang-format on */

/* Settings that are true or false, and numbers. */
/* clang-format off */
static const char *const switches[] = {
	"annotate.demangle", "annotate.demangle_kernel", "annotate.hide_src_code", "annotate.jump_arrows",
	"annotate.show_linenr", "annotate.show_nr_jumps", "annotate.show_nr_samples",
	"annotate.show_total_period", "annotate.use_offset", "record.fallback-warning", "report.children", "report.group",
	"report.skip-empty", "stat.big-num", "stat.no-csv-summary", "top.children", "trace.no_inherit",
	"trace.show_arg_names", "trace.show_duration", "trace.show_prefix", "trace.show_timestamp",
	"trace.show_zeros", "tui.annotate", "tui.report", "tui.top", "ui.show-headers",
};
/* clang-format on */
/* clang-format off */
static const char *const counts[] = {
	"annotate.offset_level", "buildid-cache.debuginfod-timeout", "call-graph.print-limit", "core.addr2line-timeout",
	"core.proc-map-timeout", "core.workers", "diff.order", "help.autocorrect", "intel-pt.cache-divisor", "intel-pt.max-loops",
	"record.aio", "samples.context", "trace.args_alignment",
};
/* clang-format on */
static const char *const percentages[] = { "call-graph.threshold", "report.percent-limit" };
static const char *const sizes[] = {
	"call-graph.dump-size",
	"convert.queue-size",
	"itrace.debug-log-buffer-size",
	"report.queue-size",
};

/* Parts of these are names of the user's. */
static const char *const patterns[] = {
	"alias.*",    "browser.*.cmd", "browser.*.path", "man.*.cmd",
	"man.*.path", "pager.*",       "scripts.*",      "session-*.run",
};

static bool listed(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

bool config_known(const char *name)
{
	if (listed(names, ARRAY_SIZE(names), name))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (glob_match(patterns[i], name))
			return true;
	return false;
}

const char *config_nearest(const char *name)
{
	if (str_starts(name, "session-"))
		return "session-NAME.run";
	return nearest_name(name, names, ARRAY_SIZE(names));
}

const char *config_wrong_value(const char *name, const char *value)
{
	double percent;
	bool on;
	u64 n;

	if (!*value && !listed(counts, ARRAY_SIZE(counts), name) &&
	    !listed(percentages, ARRAY_SIZE(percentages), name) &&
	    !listed(sizes, ARRAY_SIZE(sizes), name))
		return NULL;
	if (*value && listed(switches, ARRAY_SIZE(switches), name) &&
	    !config_parse_bool(value, &on))
		return "neither true nor false";
	if (listed(counts, ARRAY_SIZE(counts), name) && parse_count(value, &n))
		return "not a number";
	if (listed(percentages, ARRAY_SIZE(percentages), name) && parse_percent(value, &percent))
		return "not a percentage";
	if (listed(sizes, ARRAY_SIZE(sizes), name) && parse_size(value, &n))
		return "not a size (like 4096, 64K or 1M)";
	return NULL;
}

/* Warns about a wrong value. Of several settings of a name, only the last one counts. */
static void check_value(const struct config *config, const struct config_entry *e)
{
	const char *wrong = config_wrong_value(e->name, e->value);

	if (wrong && config_find(config, e->name) == e->value)
		say_warning("the configuration sets '%s' to '%s', which is %s", e->name, e->value,
			    wrong);
}

void config_hint_nearest(const char *name)
{
	const char *near = config_nearest(name);

	if (near)
		say_hint("did you mean '%s'?", near);
}

void config_say_unknown(const struct config *config)
{
	struct strlist seen = { VEC_INIT };

	vec_for_each(&config->entries, e) {
		check_value(config, e);
		if (config_known(e->name) || strlist_has(&seen, e->name))
			continue;
		strlist_add(&seen, e->name);
		say_warning("the configuration sets '%s', which is not the name of a setting",
			    e->name);
		config_hint_nearest(e->name);
	}
	strlist_release(&seen);
}
