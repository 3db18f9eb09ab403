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
/* Calls each() for every event of the PMUs of this machine. */
void pfm_each(void (*each)(void *arg, const char *name, const char *description), void *arg);

#endif
