// SPDX-License-Identifier: GPL-2.0-or-later
/* From the options to the printed recording. */
#include <unistd.h>

#include "analysis/live_cpus.h"
#include "builtin/kwork/internal.h"
#include "cli/say.h"
#include "dump/raw_dump.h"

static int run_session(struct kwork *k, const struct sort_order *order, struct reason *r)
{
	int err;

	if (k->dump)
		return raw_dump(k->a.session, false, false, &k->a.out, r);
	err = sample_choice_open(&k->filters.choice, k->filters.time, k->a.session, r);
	if (err)
		return err;
	return k->view == KWORK_TOP ? kwork_run_top(k, order, r) : kwork_run_works(k, order, r);
}

/* Runs with BPF, without a session. */
static int run_bpf(struct kwork *k, const struct sort_order *order)
{
	struct reason r = REASON_INIT;
	int err, written;

	out_init(&k->a.out, STDOUT_FILENO);
	err = kwork_run_bpf(k, order, &r);
	written = out_release(&k->a.out);
	if (err)
		return say_reason(&r);
	say_conditions(k->a.ctx);
	return say_output(written);
}

int kwork_run(struct kwork *k, const struct options *o)
{
	struct reason r = REASON_INIT;
	struct sort_order order;
	int err = kwork_kinds_parse(k, &r);

	if (!err)
		err = kwork_sort_parse(k->view, k->sort, &order, &r);
	if (!err)
		err = sample_filters_parse(&k->filters, &r);
	if (err) {
		options_usage_error(o, "%s", r.text);
		reason_release(&r);
		return EXIT_USAGE;
	}
	if (k->use_bpf && (k->a.open.input || k->filters.time || k->dump))
		return options_usage_error(o, "--use-bpf reads no recording: leave out --input, "
					      "--time and -D");
	if (k->use_bpf && live_cpus_check(&k->filters.choice, &r)) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	if (k->use_bpf)
		return run_bpf(k, &order);
	if (analysis_prepare(&k->a, &r) || analysis_begin(&k->a, &r))
		return say_reason(&r);
	return analysis_end(&k->a, run_session(k, &order, &r), &r);
}
