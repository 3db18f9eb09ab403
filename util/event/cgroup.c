// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/cgroup.h"

#include <errno.h>
#include <string.h>

#include "sys/cgroup.h"

static int bind(const struct sys *sys, struct event *ev, const char *name, struct reason *r)
{
	struct strlist one = { VEC_INIT };
	int err = cgroup_expand(sys, name, &one, r);

	if (!err && one.list.count > 1)
		err = reason_set(r, EINVAL, "'%s' matches %zu cgroups: use --for-each-cgroup", name,
				 one.list.count);
	if (!err) {
		free(ev->cgroup);
		ev->cgroup = xstrdup(one.list.items[0]);
	}
	strlist_release(&one);
	return err;
}

int event_set_cgroups(const struct sys *sys, struct event_set *set, const char *list, size_t *next,
		      struct reason *r)
{
	bool all = !strchr(list, ',');
	int err = 0;

	if (*next >= set->list.count) {
		reason_set(r, EINVAL, "-G '%s' has no event before it", list);
		reason_hint(r, "give -e EVENT first, then -G");
		return -EINVAL;
	}
	for (const char *at = list; !err && at; *next += 1) {
		size_t n = strcspn(at, ",");
		char *name = xstrndup(at, n);

		if (*next >= set->list.count)
			err = reason_set(r, EINVAL,
					 "-G '%s' names more cgroups than there are events", list);
		else if (n)
			err = bind(sys, set->list.items[*next], name, r);
		free(name);
		if (!all)
			at = at[n] ? at + n + 1 : NULL;
		else if (*next + 1 >= set->list.count)
			at = NULL;
	}
	return err;
}

/* Copies of the first count events; groups and instances among them are kept. */
static void add_copies(struct event_set *set, size_t count, const char *cgroup)
{
	size_t base = set->list.count;

	for (size_t i = 0; i < count; i++) {
		const struct event *from = set->list.items[i];
		struct event *to = event_set_copy(set, from);

		to->leader = set->list.items[base + from->leader->index];
		if (from->instance_of)
			to->instance_of = set->list.items[base + from->instance_of->index];
		to->cgroup = xstrdup(cgroup);
	}
}

int event_set_for_each_cgroup(const struct sys *sys, struct event_set *set, const char *list,
			      struct reason *r)
{
	struct strlist names = { VEC_INIT };
	size_t count = set->list.count;
	int err = cgroup_expand(sys, list, &names, r);

	for (size_t i = 1; !err && i < names.list.count; i++)
		add_copies(set, count, names.list.items[i]);
	for (size_t i = 0; !err && i < count; i++) {
		free(set->list.items[i]->cgroup);
		set->list.items[i]->cgroup = xstrdup(names.list.items[0]);
	}
	strlist_release(&names);
	return err;
}
