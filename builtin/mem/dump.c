// SPDX-License-Identifier: GPL-2.0-or-later
/* perf mem -D: each sample on a line. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "builtin/mem/mem.h"
#include "cli/say.h"
#include "event/data_src.h"
#include "spe/decode.h"

struct dump {
	const struct mem *m;
	struct analysis a;
	struct sample_choice choice;
};

static bool keep(void *arg, const struct sample *s, const struct order_key *key)
{
	const struct dump *d = arg;

	(void)key;
	return sample_choice_keep(&d->choice, s);
}

static void add_hex(const struct dump *d, u64 v, int width, struct strbuf *b)
{
	strbuf_str(b, "0x");
	if (d->m->separator)
		strbuf_hex(b, v);
	else
		strbuf_hex_zero(b, v, width);
	strbuf_str(b, d->m->separator ? d->m->separator : " ");
}

static void add_number(const struct dump *d, u64 v, struct strbuf *b)
{
	if (d->m->separator)
		strbuf_f(b, "%" PRIu64 "%s", v, d->m->separator);
	else
		strbuf_f(b, "%5" PRIu64 " ", v);
}

/*
 * Returns the name of a function, or NULL if none is known at the place. *named means that it has a
 * symbol.
 */
static const char *symbol_name(const struct dump *d, const struct session_sample *s, bool *named)
{
	const struct symbol_table *t;
	u32 number;

	*named = false;
	if (!s->leaf.image)
		return NULL;
	t = symbols_of(session_symbols(d->a.session), s->leaf.image);
	number = symbol_find(t, s->leaf.offset);
	*named = symbol_is_named(number);
	return number == NO_SYMBOL ? NULL : symbol_get(t, number)->name;
}

static int print_sample(void *arg, unsigned worker, const struct session_sample *s,
			struct reason *r)
{
	struct dump *d = arg;
	struct strbuf *b = out_buf(&d->a.out);
	bool named;
	const char *name = symbol_name(d, s, &named);
	char page[32];

	(void)worker;
	(void)r;
	if (d->m->hide_unresolved && !named)
		return 0;
	add_number(d, s->sample->id.pid, b);
	add_number(d, s->sample->id.tid, b);
	add_hex(d, s->sample->ip, 16, b);
	add_hex(d, s->sample->addr, 16, b);
	if (d->m->phys)
		add_hex(d, s->sample->phys_addr, 16, b);
	if (d->m->page_size)
		strbuf_f(b, "%s%s", page_size_name(s->sample->data_page_size, page),
			 d->m->separator ? d->m->separator : " ");
	add_number(d, s->sample->weight, b);
	add_hex(d, s->sample->data_src, 6, b);
	if (s->leaf.image)
		strbuf_printable(b, image_get(session_images(d->a.session), s->leaf.image)->path);
	else
		strbuf_str(b, "???");
	strbuf_char(b, ':');
	strbuf_printable(b, name ? name : "???");
	strbuf_char(b, '\n');
	out_done(&d->a.out);
	return 0;
}

static int dump_file(struct dump *d, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = print_sample,
		.filter = keep,
		.no_chains = true,
		.whole_samples = true,
	};
	int err = sample_choice_open(&d->choice, NULL, d->a.session, r);

	if (err)
		return err;
	if (!(event_set_tells(session_events(d->a.session)) & PERF_SAMPLE_ADDR)) {
		reason_set(r, EINVAL, "'%s' has no data addresses, but -D prints them",
			   data_path(session_data(d->a.session)));
		reason_hint(r, "record with: perf mem record ...");
		return -EINVAL;
	}
	out_f(&d->a.out, "# PID, TID, IP, ADDR, %s%sLOCAL WEIGHT, DSRC, SYMBOL\n",
	      d->m->phys ? "PHYS ADDR, " : "", d->m->page_size ? "DATA PAGE SIZE, " : "");
	return session_run(d->a.session, &ops, d, r);
}

int mem_dump(struct mem *m)
{
	struct dump d = { .m = m };
	struct reason r = REASON_INIT;
	int code;

	analysis_init(&d.a, m->ctx);
	d.a.open.input = m->input;
	d.a.open.force = m->force;
	d.a.traces = SPE_WANT_MEMORY;
	if (sample_choice_cpus(&d.choice, m->cpus, &r)) {
		say_reason(&r);
		sample_choice_release(&d.choice);
		return EXIT_USAGE;
	}
	if (analysis_prepare(&d.a, &r) || analysis_begin(&d.a, &r))
		code = say_reason(&r);
	else
		code = analysis_end(&d.a, dump_file(&d, &r), &r);
	sample_choice_release(&d.choice);
	analysis_release(&d.a);
	return code;
}
