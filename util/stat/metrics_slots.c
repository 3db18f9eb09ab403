// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * #slots: how many operations each cycle of a core can begin. The PMU of an Arm processor reports
 * it (caps/slots, from PMMIR_EL1), so its topdown metrics need no table of models.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/expr.h"
#include "stat/metrics_internal.h"
#include "sys/numbers.h"
#include "sys/sys.h"

void metric_set_slots(struct metric_set *m, const char *value)
{
	u64 slots = strtoull(value, NULL, 0);

	m->slots_differ |= m->slots_said && m->slots != slots;
	m->slots_said = true;
	m->slots = slots;
}

void metric_slots_read(struct metric_set *m)
{
	vec_for_each(&m->cores.list, pmu) {
		char *value =
			sys_read_line(m->sys, "/sys/bus/event_source/devices/%s/caps/slots", *pmu);

		metric_set_slots(m, value ? value : "0");
		free(value);
	}
}

/* Reports whether the slots are known; the kernel reports 0 for a processor without PMMIR_EL1. */
static bool slots_known(const struct metric_set *m)
{
	return m->slots && !m->slots_differ;
}

int metric_number(const struct metric_set *m, const char *name, u64 *value)
{
	if (strcmp(name, "slots"))
		return m->topology ? topology_number(m->topology, name, value)
				   : machine_number(m->sys, name, value);
	*value = m->slots;
	return slots_known(m) ? 0 : -ENODATA;
}

static bool names_slots(const struct metric_entry *entry)
{
	struct strlist names = { VEC_INIT };
	struct expr *e = expr_parse(entry->expression, NULL);
	bool found;

	expr_names(e, &names);
	found = strlist_has(&names, "#slots");
	strlist_release(&names);
	expr_free(e);
	return found;
}

void metric_slots_settle(struct metric_set *m)
{
	for (size_t i = 0; !slots_known(m) && i < m->catalogue.list.count;) {
		if (names_slots(&m->catalogue.list.items[i]))
			catalogue_leave_out(&m->catalogue, i);
		else
			i++;
	}
}
