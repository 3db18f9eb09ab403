// SPDX-License-Identifier: GPL-2.0-or-later
/* Hardware that samples memory accesses. */
#include "arch/memory.h"

#include <stddef.h>

const struct arch_memory_sampler arch_memory_samplers[] = {
	{ "AMD IBS", .pmus = "ibs_op", .latency_format = "format/ldlat", .raw_before = 601,
	  .events = { { "mem-ldst", MEMORY_LOAD | MEMORY_STORE, "@//", .has_cost = true } } },
	{ "Arm SPE", .pmus = "arm_spe_*", .latency_format = "format/min_latency",
	  .events = { { "spe-load", MEMORY_LOAD,
			"@/ts_enable=1,pa_enable=1,load_filter=1,store_filter=0,min_latency=#/",
			.has_cost = true },
		      { "spe-store", MEMORY_STORE,
			"@/ts_enable=1,pa_enable=1,load_filter=0,store_filter=1/" },
		      { "spe-ldst", MEMORY_LOAD | MEMORY_STORE,
			"@/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=#/",
			.has_cost = true } } },
	{ "Intel PEBS", .need = "format/ldlat", .latency_format = "format/ldlat",
	  .events = { { "ldlat-loads", MEMORY_LOAD, "@/mem-loads,ldlat=#/P", "events/mem-loads",
			"events/mem-loads-aux", "{@/mem-loads-aux/,@/mem-loads,ldlat=#/}:P", true },
		      { "ldlat-stores", MEMORY_STORE, "@/mem-stores/P", "events/mem-stores" } } },
	{ "POWER", .need = "format/ldlat", .without = true,
	  .events = { { "ldlat-loads", MEMORY_LOAD, "@/mem-loads/", "events/mem-loads",
			.has_cost = true },
		      { "ldlat-stores", MEMORY_STORE, "@/mem-stores/", "events/mem-stores" } } },
	{ NULL },
};
