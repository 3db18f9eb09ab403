/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 1 of a large file, by several threads where there are some, inside the data room. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include "data/internal.h"

/*
 * Reads the first records of the file, or all, or none, as many as can be read in parts; called
 * after data_rewind(). d->walk says where the walk continues, and *time is the key time of the last
 * record. Returns 0, or what a callback returned.
 */
int split_scan(struct data_reader *d, const struct data_scan_ops *ops, void *arg, u64 *time);

#endif
