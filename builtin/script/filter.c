// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples come through. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/script/internal.h"

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

bool script_listed(const u32 *numbers, size_t count, u32 v)
{
	return !numbers || bsearch(&v, numbers, count, sizeof(v), compare_u32);
}

bool script_keep(void *arg, const struct sample *sample, const struct order_key *key)
{
	struct script *s = arg;
	const struct script_options *o = s->o;

	(void)key;
	__atomic_store_n(&s->any_sample, true, __ATOMIC_RELAXED);
	return sample_choice_keep(&o->choice, sample) &&
	       script_listed(o->pids, o->pid_count, sample->id.pid) &&
	       script_listed(o->tids, o->tid_count, sample->id.tid);
}

static bool wanted_dso(struct script *s, u32 image)
{
	const struct image *im = image_get(session_images(s->session), image);

	return image && (strlist_has(&s->o->dsos, im->name) || strlist_has(&s->o->dsos, im->path) ||
			 strlist_has(&s->o->dsos, path_base(im->path)));
}

static bool wanted_address(struct script *s, u64 ip)
{
	vec_for_each(&s->o->addresses, a)
		if (ip >= *a && ip - *a < MAX(s->o->address_range, (u64)1))
			return true;
	return false;
}

static bool wanted_symbol(struct script *s, const struct session_sample *ss)
{
	const char *name = script_symbol_name(s, &ss->leaf);

	return (name && strlist_has(&s->o->symbols, name)) || wanted_address(s, ss->sample->ip);
}

bool script_wanted(struct script *s, const struct session_sample *ss)
{
	const struct script_options *o = s->o;

	if (o->comms.list.count && !strlist_has(&o->comms, history_comm_text(s->history, ss->comm)))
		return false;
	if (o->dsos.list.count && !wanted_dso(s, ss->leaf.image))
		return false;
	return !o->symbols.list.count || wanted_symbol(s, ss);
}

int script_find_switches(struct script *s, struct reason *r)
{
	char *where = xasprintf("'%s'", data_path(session_data(s->session)));
	int err = event_switch_init(&s->sw, s->set, s->o->switch_on, s->o->switch_off, where, r);

	s->sw.show = s->o->show_switches;
	if (err)
		reason_hint(r, "perf evlist -i FILE lists those that are");
	free(where);
	return err;
}

bool script_is_on(struct script *s, const struct session_sample *ss)
{
	return event_switch_passes(&s->sw, ss->sample->event);
}

void script_check_order(struct script *s, const struct session_sample *ss)
{
	u64 time = ss->sample->id.time;

	s->misordered += time < s->newest;
	s->newest = time;
}

void script_add_checks(struct script *s, struct strbuf *b)
{
	const struct session_stats *stats = session_stats(s->session);

	strbuf_f(b, "Misordered timestamps: %" PRIu64 "\n", s->misordered);
	strbuf_f(b, "Late records: %" PRIu64 "\n", stats->late);
	strbuf_f(b, "Lost events: %" PRIu64 "\n", stats->lost_events);
	strbuf_f(b, "Lost samples: %" PRIu64 "\n", stats->lost_samples);
	strbuf_f(b, "Samples of unknown events: %" PRIu64 "\n", stats->unresolved_id);
}

void script_warn_if_empty(struct script *s)
{
	const struct script_options *o = s->o;
	bool names = o->comms.list.count || o->dsos.list.count || o->symbols.list.count ||
		     o->graph_functions.list.count || o->calls || s->sw.on || s->sw.off;

	if (!s->any_sample || s->any_shown || o->debug ||
	    (!names && !o->pids && !o->tids && !sample_choice_any(&o->choice)))
		return;
	condition_add(&session_context(s->session)->conditions, CONDITION_WARNING, "script-nothing",
		      NULL, NULL, 1,
		      "perf report --sort comm,dso,symbol,pid,cpu shows what there is",
		      "no sample of '%s' passes the filters", data_path(session_data(s->session)));
}
