// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/record/require.h"

#include "analysis/analysis.h"
#include "cli/say.h"
#include "profile/profile.h"
#include "truth/truth.h"

static int read_truth(struct analysis *a, const struct require *conditions, struct truth *t,
		      struct reason *r)
{
	struct profile p;
	int err = profile_by_function(&p, a->session, require_asks(conditions, REQUIRE_WHOLE), r);

	if (!err)
		truth_find(t, a->session, p.hist);
	profile_release(&p);
	return err;
}

/* Of the file only shares of stacks and names are of use where the recorder has counted. */
static void take_counts(struct truth *t, const struct truth *counted, bool samples)
{
	t->lost = counted->lost;
	t->throttled = counted->throttled;
	t->delivered = counted->delivered;
	vec_for_each(&t->events, to) {
		to->name = ""; /* the session's does not last */
		vec_for_each(&counted->events, from) {
			if (from->event != to->event)
				continue;
			to->name = from->name;
			to->times = from->times;
			to->counts = from->counts;
			if (samples)
				to->samples = from->samples;
		}
	}
}

static int read_file(struct context *ctx, const char *file, const struct require *conditions,
		     const struct truth *counted, struct truth *t, struct reason *r)
{
	struct analysis a;
	int err;

	analysis_init(&a, ctx);
	a.open.input = file;
	err = analysis_prepare(&a, r);
	if (!err)
		err = session_open(ctx, &a.open, &a.session, r);
	if (!err)
		err = read_truth(&a, conditions, t, r);
	if (!err)
		take_counts(t, counted, require_asks(conditions, REQUIRE_SAMPLES));
	session_free(a.session);
	analysis_release(&a);
	return err;
}

int record_check_require(struct context *ctx, const char *file, const struct require *conditions,
			 const struct truth *counted)
{
	bool reads =
		require_asks(conditions, REQUIRE_WHOLE) || require_asks(conditions, REQUIRE_NAMED);
	struct require_lines lines = { 0 };
	struct reason r = REASON_INIT;
	struct truth t = { 0 };
	int code;

	if (!conditions->list.count)
		return 0;
	if (reads && read_file(ctx, file, conditions, counted, &t, &r)) {
		code = say_reason(&r);
	} else {
		require_check(conditions, reads ? &t : counted, &lines);
		code = say_broken(&lines.broken, &lines.notes, ctx->quiet);
	}
	/* the lines say what keeps functions from having names, or it was not requested */
	condition_list_release(&ctx->conditions);
	require_lines_release(&lines);
	truth_release(&t);
	return code;
}
