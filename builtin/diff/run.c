// SPDX-License-Identifier: GPL-2.0-or-later
/* perf diff: reads the files and prints the tables. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/diff/branches.h"
#include "builtin/diff/command.h"
#include "cli/say.h"
#include "dump/raw_dump.h"

/* ---- from a file to its histogram ---- */

static bool keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	(void)key;
	return sample_choice_keep(&((struct diff_file *)arg)->choice, s);
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct diff_file *f = arg;
	const struct hist_sample h = {
		.sample = s->sample,
		.key = &s->key,
		.task = s->task,
		.comm = s->comm,
		.leaf = s->leaf,
		.stack_end = s->stack_end,
		.swap = session_events(f->session)->swap,
	};

	(void)r;
	hist_collector_add(f->collectors[worker], &h);
	return 0;
}

static u64 chain_end(void *arg, u32 image, u64 offset)
{
	return session_chain_end(arg, image, offset);
}

/*
 * Returns the settings that the table and the conditions need; only conditions look at call chains.
 */
static struct hist_settings settings_of(const struct diff_command *c, struct diff_file *f)
{
	struct hist_settings set = c->set;

	set.truth = true;
	set.truth_places = require_asks(&c->require, REQUIRE_NAMED);
	set.chains = require_asks(&c->require, REQUIRE_WHOLE) &&
		     event_set_has_chains(session_events(f->session));
	set.services.chain_end = chain_end;
	set.services.chain_end_arg = f->session;
	return set;
}

static int prepare(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	const struct hist_settings set = settings_of(c, f);
	int err;

	f->hist = hist_new(c->ctx, session_events(f->session), session_history(f->session),
			   session_images(f->session), &set);
	err = hist_set_keys(f->hist, c->sort ? c->sort : "dso,symbol", NULL, false, r);
	if (!err && hist_shows_programs(f->hist)) {
		err = reason_set(
			r, EINVAL,
			"the sort key 'place' needs call chains, which perf diff does not compare");
		reason_hint(r, "perf report -s place shows those of one file");
	}
	if (!err && (session_events(f->session)->sample_type_any & PERF_SAMPLE_RAW))
		hist_set_tracepoints(f->hist, data_tracepoints(session_data(f->session), NULL));
	return err;
}

static int collect(struct diff_file *f, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS,
		.sample = add_sample,
		.no_chains = !hist_settings(f->hist)->chains,
		.filter = sample_choice_any(&f->choice) ? keep_sample : NULL,
	};
	int err;

	f->collector_count = session_workers(f->session);
	f->collectors = xcalloc(f->collector_count, sizeof(struct hist_collector *));
	for (unsigned i = 0; i < f->collector_count; i++)
		f->collectors[i] = hist_collector_new(f->hist);
	err = session_run(f->session, &ops, f, r);
	if (!err)
		err = hist_finish(f->hist, f->collectors, f->collector_count,
				  session_symbols(f->session), r);
	for (unsigned i = 0; i < f->collector_count; i++)
		hist_collector_free(f->collectors[i]);
	free(f->collectors);
	return err;
}

static int read_file(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err = diff_open_file(c, f, r);

	if (!err)
		err = prepare(c, f, r);
	if (!err)
		err = collect(f, r);
	if (!err)
		truth_find(&f->truth, f->session, f->hist);
	return err;
}

/* Checks the conditions and collects the lines to print, each with the file's name. */
static void check_require(struct diff_command *c, struct diff_file *f)
{
	struct require_lines lines = { 0 };

	require_check(&c->require, &f->truth, &lines);
	vec_for_each(&lines.broken.list, line) {
		char *text = xasprintf("'%s': %s", f->path, *line);

		strlist_add(&c->lines.broken, text);
		free(text);
	}
	vec_for_each(&lines.notes.list, line) {
		char *text = xasprintf("'%s': %s", f->path, *line);

		strlist_add(&c->lines.notes, text);
		free(text);
	}
	require_lines_release(&lines);
}

static void release_file(struct diff_file *f)
{
	branch_profile_free(f->branches);
	line_store_free(f->lines);
	sample_choice_release(&f->choice);
	hist_free(f->hist);
	truth_release(&f->truth);
	session_free(f->session);
}

/* ---- tables ---- */

/* Warns about events without a counterpart in the baseline: their rows are not shown. */
static void warn_lone_events(const struct diff_command *c, const struct diff *d)
{
	for (size_t f = 1; f < c->file_count; f++) {
		bool any = false;

		for (size_t i = 0; i < diff_table_count(d); i++)
			any |= diff_table(d, i)->totals[f].present;
		if (!any)
			say_warning("'%s' and '%s' have no event in common", c->files[0].path,
				    c->files[f].path);
	}
}

static bool is_compared(const struct diff_command *c, const struct diff_table *t)
{
	bool any = false;

	for (size_t f = 1; f < c->file_count; f++)
		any |= t->totals[f].present;
	return any;
}

static void say_sureness(const struct diff_command *c, const struct diff_table *t, struct out *out)
{
	if (t->row_count && is_compared(c, t) && c->draw.confidence && !c->draw.no_heads &&
	    !c->draw.separator && !diff_changed_rows(&c->diff, t))
		out_f(out, "#\n# No significant change (%.4g%% confidence)\n", 100 * c->diff.level);
}

/* Prints one line for each file, about all its events. */
static void print_truth(const struct diff_command *c, struct out *out)
{
	for (size_t i = 0; i < c->file_count; i++) {
		const struct diff_file *f = &c->files[i];
		const struct event_set *set = session_events(f->session);
		struct strbuf *b = out_buf(out);

		strbuf_str(b, "# Truth of '");
		strbuf_printable(b, f->path);
		strbuf_str(b, "': ");
		truth_line(&f->truth, (const struct event *const *)set->list.items, set->list.count,
			   b);
		strbuf_char(b, '\n');
	}
}

static void put_tables(struct diff_command *c, const struct diff *d, struct out *out)
{
	bool first = true;

	for (size_t i = 0; i < diff_table_count(d); i++) {
		const struct diff_table *t = diff_table(d, i);

		if (!t->row_count && diff_table_count(d) > 1)
			continue;
		if (!first && !c->draw.no_heads)
			out_str(out, "\n");
		first = false;
		diff_table_text(&c->diff, t, &c->draw, out_buf(out));
		say_sureness(c, t, out);
		out_done(out);
	}
	if (!c->draw.no_heads && !c->draw.separator)
		print_truth(c, out);
}

static int print_tables(struct diff_command *c)
{
	const char **paths = xcalloc(c->file_count, sizeof(*paths));
	struct hist **hists = xcalloc(c->file_count, sizeof(struct hist *));
	struct diff *d;
	struct out out;

	for (size_t f = 0; f < c->file_count; f++) {
		paths[f] = c->files[f].path;
		hists[f] = c->files[f].hist;
	}
	c->draw.paths = paths;
	d = diff_new(hists, c->file_count, &c->diff, c->ctx->verbose > 0);
	out_init(&out, STDOUT_FILENO);
	if (c->brief)
		diff_brief(c, d, out_buf(&out));
	else
		put_tables(c, d, &out);
	warn_lone_events(c, d);
	diff_free(d);
	free(paths);
	free(hists);
	return say_output(out_release(&out));
}

static int dump_files(struct diff_command *c, struct reason *r)
{
	struct out out;
	int err = 0, written;

	out_init(&out, STDOUT_FILENO);
	for (size_t i = 0; !err && i < c->file_count; i++) {
		struct diff_file *f = &c->files[i];

		err = diff_open_session(c, f, r);
		if (!err)
			err = raw_dump(f->session, true, false, &out, r);
	}
	written = out_release(&out);
	return err ? err : say_output(written);
}

static int compare(struct diff_command *c, struct reason *r)
{
	if (c->dump)
		return dump_files(c, r);
	if (c->stream || c->diff.method == DIFF_CYCLES)
		return diff_branches(c, r);
	for (size_t i = 0; i < c->file_count; i++) {
		int err = read_file(c, &c->files[i], r);

		if (err)
			return err;
		check_require(c, &c->files[i]);
	}
	return c->ctx->quiet && c->require.list.count ? 0 : print_tables(c);
}

static int run(struct diff_command *c)
{
	struct reason r = REASON_INIT;
	int code = compare(c, &r), broken;

	if (code < 0)
		code = say_reason(&r);
	if (say_conditions(c->ctx) && !code)
		code = 1;
	for (size_t i = 0; i < c->file_count; i++)
		release_file(&c->files[i]);
	broken = say_broken(&c->lines.broken, &c->lines.notes, c->ctx->quiet);
	return code ? code : broken;
}

/*
 * Takes the files from the command line. Without one, these are the last two recordings or, in perf
 * kvm with guests, the host's and the guests'. A single one is compared with the older of these.
 */
static void take_files(struct diff_command *c, int argc, const char **argv)
{
	bool guests = c->ctx->count_guests;

	c->file_count = argc > 2 ? (size_t)argc : 2;
	c->files = xcalloc(c->file_count, sizeof(*c->files));
	c->files[0].of_host = argc < 2 && guests;
	c->files[0].path = argc > 1 ? argv[0] : guests ? "perf.data.host" : "perf.data.old";
	c->files[1].path = argc > 1 ? argv[1]
			   : argc   ? argv[0]
			   : guests ? "perf.data.guest"
				    : "perf.data";
	for (int i = 2; i < argc; i++)
		c->files[i].path = argv[i];
}

int diff_command_run(struct diff_command *c, int argc, const char **argv)
{
	struct strlist times = { 0 };
	struct reason r = REASON_INIT;
	int code;

	take_files(c, argc, argv);
	if (diff_command_parse(c, &times, &r) || analysis_prepare(&c->a, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	} else {
		code = run(c);
	}
	analysis_release(&c->a);
	strlist_release(&times);
	return code;
}

void diff_command_release(struct diff_command *c)
{
	strlist_release(&c->set.comms);
	strlist_release(&c->set.dsos);
	strlist_release(&c->set.symbols);
	require_release(&c->require);
	require_lines_release(&c->lines);
	free(c->set.pids);
	free(c->set.tids);
	free(c->files);
}
