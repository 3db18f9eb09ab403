/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vendors' event names from libpfm4: "PMU::EVENT[:UMASK][:MODIFIER]", or the event without its PMU.
 * Without the library no name is known. Threads: one.
 */
#ifndef EVENT_PFM_H
#define EVENT_PFM_H

#include "base/types.h"

struct pfm_code {
	u32 type;
	u64 config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
};

/*
 * Encodes a name. Returns 1 if it did, 0 if there is no such event here, or -EINVAL if the event is
 * known but the rest is wrong.
 */
int pfm_encode(const char *text, struct pfm_code *code);
bool pfm_built_in(void);

/* Texts are valid during the visit. */
struct pfm_event {
	const char *pmu, *model;  /* "skl", "Intel Skylake" */
	const char *event, *mask; /* mask is NULL if the event has none */
	const char *description;  /* the description of the mask, else of the event; or NULL */
	const char *of_event;     /* description of the event */
	bool deprecated;          /* according to its description, or its PMU's */
	bool has_code;
	u64 code; /* as in rNNN */
};
typedef void (*pfm_visit)(void *arg, const struct pfm_event *e);

/* Visits every event of the PMUs of this machine; with masks, also each of its masks. */
void pfm_each(bool masks, pfm_visit visit, void *arg);
/* Gives names of other machines' CPUs codes as well. Call it before any other function. */
void pfm_want_all_models(void);
/*
 * Visits events (with masks) of all CPUs that the library knows, on any machine. They match a glob,
 * ignoring case, or with glob NULL have this code.
 */
void pfm_all_models(const char *glob, u64 code, pfm_visit visit, void *arg);

#endif
