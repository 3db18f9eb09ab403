// SPDX-License-Identifier: GPL-2.0-or-later
/* Do not include base/perf_abi.h: the library's header defines its own struct perf_event_attr. */
#include "event/pfm.h"

#include <errno.h>
#include <fnmatch.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
	__typeof__(pfm_get_event_encoding) *get_event_encoding;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
} pfm;

static bool open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "pfm_initialize", (void **)&pfm.initialize },
		{ "pfm_get_os_event_encoding", (void **)&pfm.get_os_event_encoding },
		{ "pfm_get_event_encoding", (void **)&pfm.get_event_encoding },
		{ "pfm_get_event_attr_info", (void **)&pfm.get_event_attr_info },
		{ "pfm_get_event_next", (void **)&pfm.get_event_next },
		{ "pfm_get_event_info", (void **)&pfm.get_event_info },
		{ "pfm_get_pmu_info", (void **)&pfm.get_pmu_info },
	};

	return library_open("libpfm.so.4", symbols, ARRAY_SIZE(symbols));
}

static bool all_models;

static bool ready(void)
{
	/* the library encodes for other machines only if this is set when it starts */
	static const char variable[] = "LIBPFM_ENCODE_INACTIVE";
	static int state; /* 1: yes, -1: no */

	if (state)
		return state > 0;
	if (all_models)
		setenv(variable, "1", 1);
	state = open_library() && pfm.initialize() == PFM_SUCCESS ? 1 : -1;
	if (all_models)
		unsetenv(variable);
	return state > 0;
}

void pfm_want_all_models(void)
{
	all_models = true;
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
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
		.exclude_hv = attr.exclude_hv,
	};
	return 1;
}

/*
 * Encodes an event. The library's encoding is that of the counter's register. On x86, clears the
 * bits that the kernel sets: count in user and kernel mode, interrupt, enable.
 */
static bool encode_register(const struct pfm_event *e, u64 *code)
{
	enum { KERNEL_BITS = 1 << 16 | 1 << 17 | 1 << 20 | 1 << 22, ARM_EVENT = 0xffff };
	bool x86 = !strncmp(e->model, "Intel", 5) || !strncmp(e->model, "AMD", 3);
	bool arm = !strncmp(e->pmu, "arm", 3);
	char name[512];
	uint64_t *codes = NULL;
	int count = 0;

	snprintf(name, sizeof(name), "%s::%s%s%s", e->pmu, e->event, e->mask ? ":" : "",
		 e->mask ? e->mask : "");
	if (pfm.get_event_encoding(name, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &count) !=
		    PFM_SUCCESS ||
	    count < 1) {
		free(codes);
		return false;
	}
	*code = codes[0];
	free(codes);
	if (x86)
		*code &= ~(u64)KERNEL_BITS;
	else if (arm)
		*code &= ARM_EVENT;
	return true;
}

/* What to search for, and the callback for each match. */
struct search {
	const char *glob; /* NULL: search by code */
	u64 code;
	bool all, masks, by_code;
	pfm_visit visit;
	void *arg;
};

static bool is_deprecated(const char *text)
{
	return text && strcasestr(text, "deprecated");
}

static void visit_one(const struct search *s, struct pfm_event *e, u64 quick)
{
	char name[512];

	snprintf(name, sizeof(name), "%s::%s%s%s", e->pmu, e->event, e->mask ? ":" : "",
		 e->mask ? e->mask : "");
	/* on every CPU with masks, the low byte is the event's number */
	if (s->by_code && (quick & 0xff) != (s->code & 0xff))
		return;
	if (s->all && s->glob && fnmatch(s->glob, name, FNM_CASEFOLD) &&
	    fnmatch(s->glob, name + strlen(e->pmu) + 2, FNM_CASEFOLD) &&
	    fnmatch(s->glob, e->event, FNM_CASEFOLD))
		return;
	if (s->all)
		e->has_code = encode_register(e, &e->code);
	if (s->by_code && (!e->has_code || e->code != s->code))
		return;
	e->deprecated = is_deprecated(e->description) || is_deprecated(e->of_event) ||
			is_deprecated(e->model);
	s->visit(s->arg, e);
}

static void visit_event(const struct search *s, const pfm_pmu_info_t *pmu, int index)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	struct pfm_event e = { .pmu = pmu->name, .model = pmu->desc };
	bool any = false;

	if (pfm.get_event_info(index, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return;
	e.event = info.name;
	e.of_event = info.desc;
	for (int i = 0; s->masks && i < info.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm.get_event_attr_info(index, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		any = true;
		e.mask = attr.name;
		e.description = attr.desc;
		visit_one(s, &e, info.code);
	}
	e.mask = NULL;
	e.description = info.desc;
	if (!any)
		visit_one(s, &e, info.code);
}

static void visit_pmus(const struct search *s)
{
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm.get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS ||
		    (s->all ? pmu.type != PFM_PMU_TYPE_CORE && pmu.type != PFM_PMU_TYPE_UNCORE
			    : !pmu.is_present) ||
		    (s->by_code && pmu.type != PFM_PMU_TYPE_CORE))
			continue;
		for (int k = pmu.first_event; k >= 0; k = pfm.get_event_next(k))
			visit_event(s, &pmu, k);
	}
}

void pfm_each(bool masks, pfm_visit visit, void *arg)
{
	const struct search s = { .masks = masks, .visit = visit, .arg = arg };

	if (ready())
		visit_pmus(&s);
}

void pfm_all_models(const char *glob, u64 code, pfm_visit visit, void *arg)
{
	const struct search s = { .glob = glob,
				  .code = code,
				  .all = true,
				  .masks = true,
				  .by_code = !glob,
				  .visit = visit,
				  .arg = arg };

	if (ready())
		visit_pmus(&s);
}
