// SPDX-License-Identifier: GPL-2.0-or-later
/* Which probes the kprobe and uprobe PMUs can do. */
#include "probe/pmu.h"

#include <stdio.h>

#include "sys/sys.h"

#define DEVICES "/sys/bus/event_source/devices"

/*
 * Parses "config:0" or "config:32-63" and finds its lowest bit. Returns false without such a file.
 */
static bool format_bit(const struct sys *sys, const char *pmu, const char *term, unsigned *bit)
{
	char *text = sys_read_line(sys, DEVICES "/%s/format/%s", pmu, term);
	bool known = text && sscanf(text, "config:%u", bit) == 1 && *bit < 64;

	free(text);
	return known;
}

bool probe_pmu_of(const struct sys *sys, const struct probe_event *e, struct probe_pmu *out)
{
	unsigned bit;
	u64 type;

	*out = (struct probe_pmu){ .name = e->path ? "uprobe" : "kprobe",
				   .offset = e->offset,
				   .text = e->path ? e->path : e->symbol };
	/* A module's functions and bare addresses go by the rules of tracefs. */
	if (e->arguments.count || e->maxactive || !out->text || e->module ||
	    sys_read_u64(sys, &type, DEVICES "/%s/type", out->name))
		return false;
	out->type = (u32)type;
	if (e->is_return) {
		if (!format_bit(sys, out->name, "retprobe", &bit))
			return false;
		out->config |= BIT64(bit);
	}
	if (e->semaphore) {
		if (!format_bit(sys, out->name, "ref_ctr_offset", &bit) ||
		    e->semaphore > UINT64_MAX >> bit)
			return false;
		out->config |= e->semaphore << bit;
	}
	return true;
}
