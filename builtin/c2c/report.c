// SPDX-License-Identifier: GPL-2.0-or-later
/* perf c2c report: from the options to the output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/perf_abi.h"
#include "builtin/c2c/internal.h"
#include "cli/config.h"
#include "cli/say.h"
#include "ui/open.h"
#include "ui/tui/screen.h"

enum { USUAL_LINE = 64, GREATEST_LINE = 4096 };

static int parse_display(struct c2c *c, struct reason *r)
{
	static const char *const names[] = {
		[C2C_TOTAL] = "tot",
		[C2C_LOCAL] = "lcl",
		[C2C_REMOTE] = "rmt",
		[C2C_PEER] = "peer",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(c->display, names[i])) {
			c->lines.display = (enum c2c_display)i;
			return 0;
		}
	reason_set(r, EINVAL, "--display: '%s' is not known", c->display);
	reason_hint(r, "tot, lcl, rmt or peer");
	return -EINVAL;
}

static int parse_key(struct c2c *c, const char *name, int *count, struct reason *r)
{
	static const char *const names[] = {
		[C2C_KEY_PID] = "pid",
		[C2C_KEY_TID] = "tid",
		[C2C_KEY_CODE] = "iaddr",
		[C2C_KEY_DSO] = "dso",
	};

	if (!strcmp(name, "offset")) /* which is always one */
		return 0;
	for (size_t i = C2C_KEY_PID; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]))
			continue;
		if (*count < C2C_KEYS - 1)
			c->lines.keys[(*count)++] = (enum c2c_key)i;
		return 0;
	}
	reason_set(r, EINVAL, "--coalesce: '%s' is not a key", name);
	reason_hint(r, "pid, tid, iaddr or dso");
	return -EINVAL;
}

static int parse_texts(struct c2c *c, struct reason *r)
{
	struct strlist keys = { 0 };
	int count = 0, err = c->display ? parse_display(c, r) : 0;

	strlist_split(&keys, c->coalesce ? c->coalesce : "iaddr", ", ");
	vec_for_each(&keys.list, key)
		if (!err)
			err = parse_key(c, *key, &count, r);
	if (!err && !count)
		err = reason_set(r, EINVAL, "--coalesce: there is no key in '%s'", c->coalesce);
	strlist_release(&keys);
	if (!err)
		err = line_options_check(&c->sources, r);
	return err;
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct c2c *c = arg;
	struct c2c_added what;

	(void)worker;
	(void)r;
	lines_add(&c->lines, s, &what);
	side_add(&c->side, s, &what);
	return 0;
}

static int add_to_part(void *part, unsigned worker, const struct session_sample *s,
		       struct reason *r)
{
	struct c2c_added what;

	(void)worker;
	(void)r;
	lines_add(part, s, &what);
	return 0;
}

static int end_piece(void *part, struct reason *r)
{
	(void)r;
	lines_join(part);
	return 0;
}

/*
 * Returns the line size of the recording machine, or twice that with double_line: pairs of lines
 * are fetched together.
 */
static u32 line_size(const struct c2c *c)
{
	u32 size = c->nodes.line_size;

	if (!size || size & (size - 1) || size > GREATEST_LINE)
		size = USUAL_LINE;
	return c->double_line ? 2 * size : size;
}

static void say_unknown(struct c2c *c)
{
	struct condition_list *l = &c->a.ctx->conditions;

	if (!c->nodes.known)
		condition_add(
			l, CONDITION_WARNING, "c2c-nodes", NULL, NULL, 1, NULL,
			"the file does not say which CPU is on which node: all count as node 0");
	if (c->lines.no_cpus)
		condition_add(l, CONDITION_WARNING, "c2c-cpus", NULL, NULL, 1,
			      "perf c2c record, or perf record --sample-cpu",
			      "samples do not say their CPU: all count as CPU 0");
	else if (c->lines.unknown_cpus)
		condition_add(l, CONDITION_WARNING, "c2c-cpus", NULL, NULL, c->lines.unknown_cpus,
			      NULL,
			      "samples on CPUs that the header does not know count for no node");
	if (c->lines.unknown_memory)
		condition_add(l, CONDITION_WARNING, "c2c-memory", NULL, NULL,
			      c->lines.unknown_memory, NULL,
			      "samples whose physical address is on no node that the header knows");
}

static bool wants_tui(const struct c2c *c)
{
	if (c->stdio || c->stats)
		return false;
	return c->tui || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && screen_built_in());
}

/*
 * Reports whether the recording can be read in pieces: callers, threads and code are gathered
 * sample by sample.
 */
static bool takes_pieces(const struct c2c *c)
{
	return session_workers(c->a.session) > 1 && !data_is_pipe(session_data(c->a.session)) &&
	       !c->side.callers.wanted && !c->side.threads && !c->side.code;
}

static int run_pieces(struct c2c *c, struct reason *r)
{
	unsigned count = session_workers(c->a.session);
	struct c2c_lines **parts = xcalloc(count, sizeof(*parts));
	const struct session_ops ops = { .order = SESSION_ORDERED,
					 .sample = add_to_part,
					 .no_chains = true,
					 .piece_end = end_piece,
					 .piece_args = (void **)parts };
	int err;

	for (unsigned i = 0; i < count; i++)
		parts[i] = lines_begin_part(&c->lines);
	err = session_run(c->a.session, &ops, c, r);
	for (unsigned i = 0; i < count; i++) {
		lines_release(parts[i]);
		free(parts[i]);
	}
	free(parts);
	return err;
}

static int read_lines(struct c2c *c, struct reason *r)
{
	const struct session_ops ops = { .order = SESSION_ORDERED,
					 .sample = add_sample,
					 .no_chains = !c->side.callers.wanted };
	int err = side_begin(&c->side, c->a.session, r);

	lines_init(&c->lines);
	if (!err)
		err = takes_pieces(c) ? run_pieces(c, r) : session_run(c->a.session, &ops, c, r);
	if (err)
		return err;
	lines_finish(&c->lines);
	side_end(&c->side, c->a.ctx);
	return 0;
}

static void show(struct c2c *c, bool tui)
{
	struct c2c_view v = {
		.lines = &c->lines,
		.session = c->a.session,
		.full_symbols = c->full_symbols,
		.narrow = tui,
		.nodes = (enum c2c_node_detail)MIN(c->node_info, 2),
		.sources = c->no_source
				   ? NULL
				   : line_store_new(session_symbols(c->a.session), &c->sources),
	};

	if (tui)
		c2c_browse(c, &v);
	else
		c2c_print(c, &v, out_buf(&c->a.out));
	c2c_view_release(&v);
}

static int report_file(struct c2c *c, struct reason *r)
{
	struct data_reader *d = session_data(c->a.session);
	bool tui = wants_tui(c);
	int err =
		open_browser_or_pager(c->a.ctx, "c2c", c->tui, &tui, c->a.open.symbols.servers, r);

	if (err)
		return err;
	data_nodes_read(&c->nodes, d);
	c->side.threads = c->side.code = tui;
	c->side.callers.wanted |= c->side.callers.stitch;
	c->lines.session = c->a.session;
	c->lines.nodes = &c->nodes;
	c->lines.line_size = line_size(c);
	c->lines.show_all = c->show_all;
	/* Arm's caches do not say that a line was modified */
	if (!c->display && !strcmp(data_arch(d)->name, "aarch64"))
		c->lines.display = C2C_PEER;
	err = read_lines(c, r);
	if (!err && !(event_set_tells(session_events(c->a.session)) & PERF_SAMPLE_DATA_SRC)) {
		err = reason_set(r, EINVAL, "'%s' has no samples of memory accesses", data_path(d));
		reason_hint(r,
			    "record with perf c2c record, or with perf record -d -W -e EVENT where "
			    "EVENT samples addresses");
	}
	if (!err) {
		say_unknown(c);
		show(c, tui);
	}
	return err;
}

int c2c_report(struct c2c *c)
{
	struct reason r = REASON_INIT;
	int code;

	if (parse_texts(c, &r) || analysis_prepare(&c->a, &r))
		return say_reason(&r), EXIT_USAGE;
	if (analysis_begin(&c->a, &r))
		return say_reason(&r);
	c->grouping = xasprintf("offset,%s", c->coalesce ? c->coalesce : "iaddr");
	code = report_file(c, &r);
	screen_close();
	side_release(&c->side);
	lines_release(&c->lines);
	data_nodes_release(&c->nodes);
	free(c->grouping);
	return analysis_end(&c->a, code, &r);
}
