// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The unwinders against each other, on the stacks of a recording.
 *
 * usage: unwind-styles FILE [STYLE...]   (default: native libdw libunwind)
 *
 * A line for each style: its name, samples, frames, seconds, frames a second, and how
 * many samples in a million have the very frames that native gives.  Each style sees
 * the samples in turn, so that what the machine does besides hits all alike; opening
 * files and compiling tables is in the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/perf_abi.h"
#include "session/session.h"

#define MAX_FRAMES 127

struct competitor {
	enum unwind_style style;
	struct unwinder *unwinder;
	u64 ips[MAX_FRAMES];
	u32 count;
	u64 frames, nanoseconds, same;
};

struct contest {
	struct session *session;
	struct competitor list[UNWIND_STYLES];
	unsigned count;
	u64 samples;
};

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static int sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct contest *k = arg;
	const struct unwind_request q = {
		.history = session_history(k->session),
		.set = session_events(k->session),
		.sample = s->sample,
		.task = s->task,
		.key = &s->key,
		.arch = data_arch(session_data(k->session)),
	};

	(void)worker, (void)r;
	if (!s->sample->user_regs || !s->sample->stack_size)
		return 0;
	k->samples++;
	for (unsigned i = 0; i < k->count; i++) {
		struct competitor *c = &k->list[i];
		u64 begin = now();

		c->count = unwind_sample(c->unwinder, &q, c->ips, MAX_FRAMES).count;
		c->nanoseconds += now() - begin;
		c->frames += c->count;
		c->same += c->count == k->list[0].count &&
			   !memcmp(c->ips, k->list[0].ips, c->count * sizeof(u64));
	}
	return 0;
}

static void enter(struct contest *k, const char *name)
{
	struct unwind_styles styles = { 0 };
	struct reason r = REASON_INIT;
	struct competitor *c = &k->list[k->count];

	if (unwind_styles_parse(&styles, name, &r)) {
		fprintf(stderr, "%s\n", r.text);
		exit(1);
	}
	c->style = styles.style[0];
	c->unwinder = unwinder_new(session_images(k->session),
				   symbol_store_search(session_symbols(k->session)));
	unwinder_set_styles(c->unwinder, &styles);
	k->count++;
}

int main(int argc, char **argv)
{
	static struct contest k;
	struct context ctx = { .symfs = "", .buildid_dir = "", .workers = 1 };
	struct session_options o = { .force = true };
	const struct session_ops ops = {
		.order = SESSION_ORDERED, .sample = sample, .no_chains = true, .no_locations = true
	};
	struct reason r = REASON_INIT;

	o.input = argc > 1 ? argv[1] : NULL;
	o.symbols.symfs = o.symbols.buildid_dir = "";
	if (session_open(&ctx, &o, &k.session, &r)) {
		fprintf(stderr, "%s\n", r.text);
		return 1;
	}
	for (int i = 2; i < argc && k.count < UNWIND_STYLES; i++)
		enter(&k, argv[i]);
	for (int i = 0; i < UNWIND_STYLES && argc <= 2; i++)
		enter(&k, unwind_style_name((enum unwind_style)i));
	if (session_run(k.session, &ops, &k, &r) || !k.samples) {
		fprintf(stderr, "%s\n", r.text ? r.text : "no samples with stacks");
		return 1;
	}
	for (unsigned i = 0; i < k.count; i++) {
		const struct competitor *c = &k.list[i];
		double seconds = (double)c->nanoseconds / 1e9;

		printf("%s %llu %llu %.4f %.0f %llu\n", unwind_style_name(c->style),
		       (unsigned long long)k.samples, (unsigned long long)c->frames, seconds,
		       (double)c->frames / seconds,
		       (unsigned long long)(c->same * 1000000 / k.samples));
		unwinder_free(c->unwinder);
	}
	session_free(k.session);
	condition_list_release(&ctx.conditions);
	return 0;
}
