// SPDX-License-Identifier: GPL-2.0-or-later
/* The run over the recording, and what both writers share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "builtin/data/internal.h"
#include "cli/say.h"

static const struct convert_writer *writer_of(const struct convert *c)
{
	return c->s->to_json ? &json_writer : &ctf_writer;
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct convert *c = arg;

	(void)worker;
	c->samples++;
	c->bytes += s->record->size;
	return writer_of(c)->sample(c, s, r);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct convert *c = arg;

	if (c->choice.times.list.count && !time_ranges_have(&c->choice.times, key->time))
		return 0;
	c->others++;
	c->bytes += rec->size;
	return writer_of(c)->record(c, rec, key->time, r);
}

static bool keep(void *arg, const struct sample *s, const struct order_key *key)
{
	struct convert *c = arg;

	(void)key;
	return sample_choice_keep(&c->choice, s);
}

/* Finds the clocks: u32 version, u32 clock id, u64 wall clock ns, u64 the file's clock ns. */
static int find_tod(struct convert *c, struct reason *r)
{
	size_t size = 0;
	const u8 *clocks = data_feature(c->data, FEATURE_CLOCK_DATA, &size);

	if (!clocks || size < 24) {
		reason_set(r, EINVAL, "--tod: the recording does not say what time of day it was");
		reason_hint(r, "record with -k CLOCK, as in -k mono");
		return -EINVAL;
	}
	c->tod_offset = (s64)(load_u64(clocks + 8, data_is_swapped(c->data)) -
			      load_u64(clocks + 16, data_is_swapped(c->data)));
	return 0;
}

static int convert(struct convert *c, struct reason *r)
{
	static const u32 side_band[] = { PERF_RECORD_MMAP, PERF_RECORD_COMM, PERF_RECORD_EXIT,
					 PERF_RECORD_FORK, PERF_RECORD_MMAP2 };
	struct session_ops ops = { .order = SESSION_ORDERED, .sample = on_sample };
	int err = sample_choice_open(&c->choice, c->s->time, c->session, r);

	if (!err && c->s->tod)
		err = find_tod(c, r);
	if (!err)
		err = data_refuse_same(data_path(c->data),
				       c->s->to_json ? c->s->to_json : c->s->to_ctf, r);
	if (!err)
		err = writer_of(c)->begin(c, r);
	if (err)
		return err;
	/* CTF contains addresses as they were recorded */
	ops.no_chains = ops.no_locations = ops.no_tasks = c->s->to_ctf != NULL;
	if (sample_choice_any(&c->choice))
		ops.filter = keep;
	if (c->s->all) {
		ops.record = on_record;
		for (size_t i = 0; i < ARRAY_SIZE(side_band); i++)
			ops.want[side_band[i] / 64] |= BIT64(side_band[i] % 64);
	}
	err = session_run(c->session, &ops, c, r);
	if (!err && context_cancelled(c->s->a.ctx))
		err = reason_set(r, ECANCELED, "the conversion was interrupted");
	/* only the first failure is reported */
	return err ? (writer_of(c)->end(c, false, NULL), err) : writer_of(c)->end(c, true, r);
}

static void say_done(const struct convert *c)
{
	char *from, *to;

	if (c->s->a.ctx->quiet)
		return;
	from = printable_copy(data_path(c->data));
	to = printable_copy(c->s->to_json ? c->s->to_json : c->s->to_ctf);
	fprintf(stderr, "[ perf data convert: Converted '%s' into %s data '%s' ]\n", from,
		c->s->to_json ? "JSON" : "CTF", to);
	free(from);
	free(to);
	fprintf(stderr, "[ perf data convert: Converted and wrote %.3f MB (%" PRIu64 " samples",
		(double)c->bytes / 1024 / 1024, c->samples);
	if (c->others)
		fprintf(stderr, ", %" PRIu64 " non-samples", c->others);
	fprintf(stderr, ") ]\n");
}

int convert_run(struct convert_settings *s)
{
	struct convert c = { .s = s };
	struct reason r = REASON_INIT;
	int err = analysis_prepare(&s->a, &r);

	if (err)
		return say_reason(&r);
	err = analysis_begin(&s->a, &r);
	if (!err) {
		c.session = s->a.session;
		c.data = session_data(c.session);
		err = convert(&c, &r);
		if (!err)
			say_done(&c);
		sample_choice_release(&c.choice);
	}
	err = analysis_end(&s->a, err, &r);
	analysis_release(&s->a);
	return err;
}
