// SPDX-License-Identifier: GPL-2.0-or-later
/* Branch stacks compared: cycles of basic blocks, and streams. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/diff/branches.h"
#include "builtin/diff/command.h"
#include "cli/say.h"

static bool keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	(void)key;
	return sample_choice_keep(&((struct diff_file *)arg)->choice, s);
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	(void)worker;
	(void)r;
	branch_profile_add(((struct diff_file *)arg)->branches, s);
	return 0;
}

static int read_file(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	const struct session_ops ops = {
		/* the first values of each block are kept */
		.order = SESSION_ORDERED,
		.sample = add_sample,
		.no_chains = true,
		.filter = sample_choice_any(&f->choice) ? keep_sample : NULL,
	};
	int err = diff_open_file(c, f, r);

	if (err)
		return err;
	if (!(session_events(f->session)->sample_type_any & PERF_SAMPLE_BRANCH_STACK)) {
		reason_set(r, EINVAL, "'%s' has no branch stacks, but %s needs them", f->path,
			   c->stream ? "--stream" : "-c cycles");
		reason_hint(r, "record on a CPU that has them: perf record -b ...");
		return -EINVAL;
	}
	f->lines = line_store_new(session_symbols(f->session), NULL);
	f->branches = branch_profile_new(f->session, f->lines, c->stream);
	return session_run(f->session, &ops, f, r);
}

static const struct event *partner(const struct event *ev, struct session *s)
{
	vec_for_each(&session_events(s)->list, other)
		if (!strcmp((*other)->name, ev->name))
			return *other;
	return NULL;
}

static void print_pair(struct diff_command *c, struct diff_file *data, const struct event *ev,
		       struct out *out)
{
	const struct block_draw draw = {
		.separator = c->draw.separator,
		.no_heads = c->draw.no_heads,
		.histogram = c->histogram,
		.confidence = c->draw.confidence,
		.level = c->diff.level,
	};
	const struct event *other = partner(ev, data->session);

	if (!other) {
		say_warning("'%s' has no event '%s'", data->path, ev->name);
		return;
	}
	if (!c->draw.no_heads) {
		out_str(out, "# Event '");
		strbuf_printable(out_buf(out), ev->name);
		out_str(out, "'\n#\n");
		if (c->file_count > 2)
			out_f(out, "# Data files:\n#  [0] %s (Baseline)\n#  [%zu] %s\n#\n",
			      c->files[0].path, (size_t)(data - c->files), data->path);
	}
	if (c->stream)
		stream_text(c->files[0].branches, data->branches, ev->index, other->index,
			    out_buf(out));
	else
		block_table_text(c->files[0].branches, data->branches, ev->index, other->index,
				 &draw, out_buf(out));
	out_done(out);
}

int diff_branches(struct diff_command *c, struct reason *r)
{
	struct out out;
	bool first = true;

	for (size_t i = 0; i < c->file_count; i++) {
		int err = read_file(c, &c->files[i], r);

		if (err)
			return err;
	}
	out_init(&out, STDOUT_FILENO);
	vec_for_each(&session_events(c->files[0].session)->list, ev)
		for (size_t i = 1; i < c->file_count; i++) {
			if (!first && !c->draw.no_heads)
				out_str(&out, "\n");
			first = false;
			print_pair(c, &c->files[i], *ev, &out);
		}
	return say_output(out_release(&out));
}
