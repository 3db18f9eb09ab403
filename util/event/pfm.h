/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event names of the vendors, by libpfm4: "PMU::EVENT[:UMASK][:MODIFIER]", or the
 * event without its PMU.  Without the library there are none.
 * Threads: one.
 */
#ifndef EVENT_PFM_H
#define EVENT_PFM_H

#include "base/types.h"

struct pfm_code {
	u32 type;
	u64 config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
};

/* 1: encoded; 0: no such event here; -EINVAL: the event is known, what follows it is not. */
int pfm_encode(const char *text, struct pfm_code *code);
bool pfm_built_in(void);

/* Texts live until the visit ends. */
struct pfm_event {
	const char *pmu, *model;  /* "skl", "Intel Skylake" */
	const char *event, *mask; /* mask NULL: the event has none */
	const char *description;  /* the description of the mask, else of the event; NULL: none */
	const char *of_event;     /* description of the event */
	bool deprecated;          /* by its description, or its PMU's */
	bool has_code;
	u64 code; /* as in rNNN */
};
typedef void (*pfm_visit)(void *arg, const struct pfm_event *e);

/* Every event of the PMUs of this machine; masks: each of its masks, too. */
void pfm_each(bool masks, pfm_visit visit, void *arg);
/* Before any other call: names of other machines' CPUs get codes, too. */
void pfm_want_all_models(void);
/*
 * Of the CPUs that the library knows, on whatever machine this is: events (with masks)
 * whose name fits a glob in any letter case, or, with glob NULL, that have this code.
 */
void pfm_all_models(const char *glob, u64 code, pfm_visit visit, void *arg);

#endif
