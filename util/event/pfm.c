// SPDX-License-Identifier: GPL-2.0-or-later
/* The library's header has a struct perf_event_attr of its own: base/perf_abi.h stays out. */
#include "event/pfm.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
} pfm;

static bool open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "pfm_initialize", (void **)&pfm.initialize },
		{ "pfm_get_os_event_encoding", (void **)&pfm.get_os_event_encoding },
		{ "pfm_get_event_next", (void **)&pfm.get_event_next },
		{ "pfm_get_event_info", (void **)&pfm.get_event_info },
		{ "pfm_get_pmu_info", (void **)&pfm.get_pmu_info },
	};

	return library_open("libpfm.so.4", symbols, ARRAY_SIZE(symbols));
}

static bool ready(void)
{
	static int state; /* 1: yes, -1: no */

	if (!state)
		state = open_library() && pfm.initialize() == PFM_SUCCESS ? 1 : -1;
	return state > 0;
}

bool pfm_built_in(void)
{
	return true;
}

int pfm_encode(const char *text, struct pfm_code *code)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int err;

	if (!ready())
		return 0;
	err = pfm.get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (err == PFM_ERR_ATTR || err == PFM_ERR_ATTR_VAL || err == PFM_ERR_UMASK ||
	    err == PFM_ERR_ATTR_SET)
		return -EINVAL;
	if (err != PFM_SUCCESS)
		return 0;
	*code = (struct pfm_code){
		.type = attr.type, .config = attr.config, .config1 = attr.config1,
		.config2 = attr.config2, .exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel, .exclude_hv = attr.exclude_hv,
	};
	return 1;
}

static void each_of_pmu(const pfm_pmu_info_t *pmu,
			void (*each)(void *arg, const char *name, const char *description), void *arg)
{
	for (int i = pmu->first_event; i >= 0; i = pfm.get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		char name[256];

		if (pfm.get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, info.name);
		each(arg, name, info.desc);
	}
}

void pfm_each(void (*each)(void *arg, const char *name, const char *description), void *arg)
{
	if (!ready())
		return;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm.get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && pmu.is_present)
			each_of_pmu(&pmu, each, arg);
	}
}
