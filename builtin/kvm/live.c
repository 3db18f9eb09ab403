// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kvm stat live: a table each second of what happened in it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/clock.h"
#include "base/guard.h"
#include "builtin/kvm/internal.h"
#include "cli/say.h"
#include "event/parse.h"
#include "event/tracing_data.h"
#include "live/live.h"
#include "record/record.h"
#include "sys/facts.h"
#include "tracepoint/tracepoint.h"
#include "watch/watch.h"

struct live_stat {
	struct kvm_stat *k;
	enum kvm_sort by;
	struct event_set set;
	struct target target;
	struct record_settings settings;
	struct live *live;
	struct session *session;
	struct watch *watch;
	struct tracepoint_formats *formats;
	struct tracer *tracer;
	struct out out;
	int wake_fd; /* readable when a signal has come */
	bool terminal, ended;
	u64 tables;
	bool has_rows; /* of any table */
};

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	const struct live_stat *l = arg;

	(void)worker;
	return tracer_sample(l->tracer, s, r);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	const struct live_stat *l = arg;

	(void)r;
	tracer_record(l->tracer, rec, key);
	return 0;
}

/* ---- open ---- */

static int add_events(struct live_stat *l, struct reason *r)
{
	const struct event_parser parser = { .command = "kvm" };
	int err = 0;

	for (const char *const *e = l->k->exits.arch->events; *e && !err; e++)
		err = event_parse(&parser, &l->set, *e, r);
	return err;
}

static int settle_target(struct live_stat *l, struct reason *r)
{
	l->target.system_wide = !l->k->pids;
	l->target.inherit = true;
	return l->k->pids ? target_add_pids(&l->target, l->k->pids, r) : 0;
}

static int settle_machine(struct live_stat *l, struct reason *r)
{
	struct machine_facts f;
	int err = machine_facts_read(NULL, &f, r);

	if (err)
		return err;
	err = kvm_settle(l->k, arch_host()->name, f.cpuid, r);
	machine_facts_release(&f);
	return err;
}

static int open_live(struct live_stat *l, struct reason *r)
{
	static const struct symbol_options no_symbols = { .symfs = "", .buildid_dir = "" };
	static const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = on_sample,
		.record = on_record,
		.no_chains = true,
		.no_locations = true,
		.want = { BIT64(PERF_RECORD_LOST) },
	};
	const struct feed_settings feed = { .ops = &ops, .arg = l };
	const struct live_options options = {
		.ring_pages = l->settings.ring_pages,
		.ring_bytes = l->settings.ring_pages ? 0 : 1 << 21,
	};
	const struct synth_how how = { 0, l->k->map_timeout, 0 };
	int err = add_events(l, r);

	if (!err)
		err = settle_target(l, r);
	if (!err)
		err = record_configure(&l->set, &l->settings, &l->target, false, r);
	if (!err)
		err = live_open(l->k->a.ctx, &l->set, &l->target, &options, &l->live, r);
	if (!err)
		err = event_set_finish(&l->set, r);
	if (err)
		return err;
	l->session = session_new_live(l->k->a.ctx, &l->set, &no_symbols);
	l->watch = watch_new(l->live, l->session, &feed);
	l->k->exits.history = session_history(l->session);
	l->k->exits.out = &l->out;
	l->tracer = exits_tracer(&l->k->exits);
	l->formats = tracing_data_formats(&l->set, r);
	if (!l->formats)
		return -ENOENT;
	tracer_use_formats(l->tracer, l->formats);
	err = tracer_bind(l->tracer, l->session, r);
	if (!err)
		err = watch_begin(l->watch, record_tracking_event(&l->set), &l->target, &how, r);
	return err ? err : watch_start(l->watch, r);
}

static void close_live(struct live_stat *l)
{
	tracer_free(l->tracer);
	watch_free(l->watch);
	session_free(l->session);
	live_close(l->live);
	tracepoint_formats_free(l->formats);
	event_set_release(&l->set);
	target_release(&l->target);
	record_settings_release(&l->settings);
}

/* ---- run ---- */

static void draw(struct live_stat *l)
{
	struct strbuf whose = STRBUF_INIT;
	struct timeval t;
	struct tm at;
	char text[32] = "";

	gettimeofday(&t, NULL);
	if (localtime_r(&t.tv_sec, &at))
		strftime(text, sizeof(text), "%H:%M:%S", &at);
	if (l->terminal) {
		out_allow_codes();
		out_str(&l->out, "\033[H\033[2J");
	}
	out_f(&l->out, "%s.%06ld", text, (long)t.tv_usec);
	kvm_whose(l->k, &whose);
	exits_sort(&l->k->exits, l->by);
	l->has_rows |= l->k->exits.rows.count > 0;
	kvm_print(&l->k->exits, strbuf_cstr(&whose), out_buf(&l->out));
	out_flush(&l->out);
	exits_clear(&l->k->exits);
	strbuf_release(&whose);
	l->tables++;
}

/* Ends the live view at q, or at the end of standard input, a terminal. */
static void read_key(struct live_stat *l)
{
	char c = 'q';

	if (read(STDIN_FILENO, &c, 1) <= 0 || c == 'q')
		l->ended = true;
}

static int wait_and_step(struct live_stat *l, u64 until, struct reason *r)
{
	enum { TURN_NS = 100000000 };

	struct pollfd fds[] = { { .fd = watch_fd(l->watch), .events = POLLIN },
				{ .fd = l->terminal ? STDIN_FILENO : -1, .events = POLLIN },
				{ .fd = l->wake_fd, .events = POLLIN } };
	u64 now = clock_now();
	int err;

	poll(fds, 3, now < until ? (int)MIN((until - now) / 1000000 + 1, 1000) : 0);
	if (fds[1].revents)
		read_key(l);
	/* not until the next table: signals and keys are looked at in between */
	err = watch_step(l->watch, MIN(until, clock_now() + TURN_NS), r);
	return err < 0 ? err : 0;
}

static int run(struct live_stat *l, struct reason *r)
{
	u64 next = clock_now() + l->k->refresh;
	int err = live_enable(l->live);

	while (!err && !l->ended) {
		err = wait_and_step(l, next, r);
		l->ended |= loop_ending_signal() != 0;
		if (err || (clock_now() < next && !l->ended))
			continue;
		draw(l);
		next += l->k->refresh;
		if ((l->k->iterations && l->tables >= l->k->iterations) || l->out.err)
			l->ended = true;
	}
	return err;
}

int kvm_stat_live(struct kvm_stat *k)
{
	struct live_stat l = { .k = k,
			       .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO),
			       .settings = { .period = 1, .period_given = true, .raw = true },
			       .wake_fd = -1 };
	struct reason r = REASON_INIT;
	int err, written, code = 0;

	if (!k->refresh) {
		reason_set(&r, EINVAL, "--display: a table every 0 seconds cannot be drawn");
		return say_reason(&r), EXIT_USAGE;
	}
	if (kvm_parse_texts(k, &r) || kvm_parse_key(k, &l.by, &r) ||
	    (k->ring && record_parse_ring_pages(k->ring, &l.settings.ring_pages, &r)))
		return say_reason(&r), EXIT_USAGE;
	err = settle_machine(&l, &r);
	if (err)
		return say_reason(&r), err == -EINVAL ? EXIT_USAGE : 1;
	event_set_init(&l.set);
	out_init(&l.out, STDOUT_FILENO);
	err = loop_signals(k->a.ctx, 0, &l.wake_fd, &r);
	if (!err)
		err = open_live(&l, &r);
	if (!err)
		err = run(&l, &r);
	k->a.ctx->ended_by = loop_ending_signal();
	close_live(&l);
	written = out_release(&l.out);
	if (err)
		code = say_reason(&r);
	else if (l.tables && !l.has_rows)
		say_empty_table(k->a.ctx, kvm_empty_reasons[k->exits.kind],
				k->pids || k->exits.vcpu >= 0);
	say_conditions(k->a.ctx);
	return written ? say_output(written) : code;
}
