/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts what was built in the host's byte order for a file that has the other order; inside the
 * data component. All functions work in place, on whole structures.
 */
#ifndef DATA_ORDER_H
#define DATA_ORDER_H

#include "base/types.h"

void order_words(void *p, size_t bytes); /* p holds u64s */
/*
 * Reorders the first size bytes of a struct perf_event_attr, with flags as the host's bit fields.
 */
void order_attr(void *attr, size_t size);
/* Reorders consecutive records: their headers, and this many words of 8 bytes after each. */
void order_records(void *p, size_t bytes, unsigned words);
void order_build_ids(void *p, size_t bytes);
void order_event_updates(void *p, size_t bytes);
/*
 * Reorders a section of EVENT_DESC, GROUP_DESC, SAMPLE_TIME, AUXTRACE or BUILD_ID. Leaves others
 * alone.
 */
void order_feature(unsigned feature, void *p, size_t bytes);

#endif
