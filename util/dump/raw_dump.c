// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/raw_dump.h"

#include "dump/record_text.h"
#include "session/summary.h"

struct raw_dump {
	struct session *session;
	struct out *out;
};

static int dump_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct raw_dump *d = arg;

	(void)key;
	(void)r;
	record_dump(d->session, rec, out_buf(d->out));
	out_done(d->out);
	return d->out->err ? -d->out->err : 0;
}

static int dump_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct raw_dump *d = arg;

	(void)worker;
	if (session_is_first_step(s))
		dump_record(d, s->record, &s->key, r);
	record_dump_resolved(d->session, s, out_buf(d->out));
	return d->out->err ? -d->out->err : 0;
}

int raw_dump(struct session *s, bool skip_empty, bool file_order, struct out *out, struct reason *r)
{
	const struct session_ops ops = {
		.order = file_order ? SESSION_FILE_ORDER : SESSION_ORDERED,
		.sample = dump_sample,
		.no_chains = true, /* show them as recorded */
		.record = dump_record,
		.want = { ~BIT64(PERF_RECORD_SAMPLE), UINT64_MAX },
	};
	struct raw_dump d = { s, out };
	int err = session_run(s, &ops, &d, r);

	if (!err)
		session_counts_text(s, session_events(s), skip_empty, out_buf(out));
	return err;
}
