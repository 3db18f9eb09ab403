// SPDX-License-Identifier: GPL-2.0-or-later
/* script --header: how true the samples are, in comment lines after them. */
#include "truth/truth.h"

#include <stdlib.h>

#include "builtin/script/internal.h"
#include "hist/hist.h"

/* A table by function that counts the samples that are printed, and is never drawn. */
struct script_truth {
	struct hist *hist;
	VEC(struct hist_collector *) collectors; /* one for each worker that prints */
};

static u64 chain_end(void *arg, u32 image, u64 offset)
{
	return session_chain_end(arg, image, offset);
}

int script_truth_begin(struct script *s, struct reason *r)
{
	const struct hist_settings set = {
		.truth = true,
		.call_sites = true,
		.only_rows = true,
		.max_stack = 127,
		.chains = event_set_has_chains(s->set) && !s->o->hide_chains && !s->o->dump,
		.services = { .chain_end = chain_end, .chain_end_arg = s->session },
	};
	struct script_truth *t;
	int err;

	if (!s->o->truth || s->o->consumer || s->truth)
		return 0;
	t = s->truth = xcalloc(1, sizeof(*t));
	t->hist = hist_new(session_context(s->session), s->set, s->history,
			   session_images(s->session), &set);
	err = hist_set_keys(t->hist, "symbol", NULL, false, r);
	if (!err)
		s->collector = script_truth_collector(s);
	return err;
}

struct hist_collector *script_truth_collector(const struct script *s)
{
	struct hist_collector *c;

	if (!s->truth)
		return NULL;
	c = hist_collector_new(s->truth->hist);
	vec_push(&s->truth->collectors, c);
	return c;
}

void script_truth_add(struct script *s, const struct session_sample *ss)
{
	const struct hist_sample h = {
		.sample = ss->sample,
		.key = &ss->key,
		.task = ss->task,
		.comm = ss->comm,
		.leaf = ss->leaf,
		.stack_end = ss->stack_end,
		.swap = s->set->swap,
	};

	hist_collector_add(s->collector, &h);
}

int script_truth_print(struct script *s, struct reason *r)
{
	struct script_truth *t = s->truth;
	struct strbuf text = STRBUF_INIT;
	struct strlist lines = { 0 };
	struct truth truth = { 0 };
	int err;

	if (!t)
		return 0;
	err = hist_finish(t->hist, t->collectors.items, t->collectors.count,
			  session_symbols(s->session), r);
	if (err)
		return err;
	truth_find(&truth, s->session, t->hist);
	truth_causes_text(&truth, &text);
	strlist_split(&lines, strbuf_cstr(&text), "\n");
	vec_for_each(&lines.list, line)
		out_f(s->out, "# truth: %s\n", *line);
	strlist_release(&lines);
	strbuf_release(&text);
	truth_release(&truth);
	return 0;
}

void script_truth_free(struct script_truth *t)
{
	if (!t)
		return;
	vec_for_each(&t->collectors, c)
		hist_collector_free(*c);
	vec_release(&t->collectors);
	hist_free(t->hist);
	free(t);
}
