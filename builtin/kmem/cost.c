// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: what a recording would cost, estimated from the present rate of its events. */
#include <poll.h>
#include <string.h>

#include "builtin/kmem/internal.h"
#include "event/parse.h"
#include "live/live.h"

enum {
	LOOK_MS = 100,
	/* the bytes of a sample with its event's fields; with a call chain of the kernel */
	PLAIN_BYTES = 104,
	CHAIN_BYTES = 280,
};

static int parse_events(const struct strlist *args, struct event_set *set, struct reason *r)
{
	const struct event_parser parser = { .command = "stat", .counting = true };
	int err = 0;

	for (size_t i = 0; !err && i + 1 < args->list.count; i++)
		if (!strcmp(args->list.items[i], "-e") &&
		    !strncmp(args->list.items[i + 1], "kmem:", 5))
			err = event_parse(&parser, set, args->list.items[i + 1], r);
	return err;
}

/* Counts the events of all CPUs for this many ms. */
static int count_events(struct context *ctx, struct event_set *set, u64 *sum, struct reason *r)
{
	const struct live_options o = { .counting = true, .no_inherit = true };
	struct target everywhere = { .system_wide = true };
	struct live_count c;
	struct live *live;
	int err = live_open(ctx, set, &everywhere, &o, &live, r);

	if (err)
		return err;
	err = live_enable(live);
	if (!err)
		poll(NULL, 0, LOOK_MS);
	live_disable(live);
	for (size_t cpu = 0; cpu < live_cpu_count(live); cpu++)
		vec_for_each(&set->list, it)
			if (!live_read(live, *it, cpu, 0, &c))
				*sum += c.value;
	live_close(live);
	return err;
}

bool kmem_forecast(struct kmem *k, const struct strlist *args, struct kmem_cost *cost)
{
	u64 bytes = k->want[KMEM_PAGE] ? CHAIN_BYTES : PLAIN_BYTES, sum = 0;
	struct reason r = REASON_INIT;
	struct event_set set;
	int err;

	event_set_init(&set);
	err = parse_events(args, &set, &r);
	if (!err)
		err = count_events(k->a.ctx, &set, &sum, &r);
	event_set_release(&set);
	reason_release(&r); /* perf record will say it */
	cost->events = sum * 1000 / LOOK_MS;
	cost->bytes = cost->events * bytes;
	return !err;
}
