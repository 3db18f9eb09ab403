/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: samples grouped by keys, with their call chains.
 *
 * Collect: hist_collector_add() per sample and worker makes one row per distinct
 * (event, sample key, leaf, chain) with samples, period, weight.
 * Finish: collectors are merged, frames named, chains folded, children totalled,
 * entries made, filtered and sorted: hist_finish().
 * Draw: ui reads struct hist_view: columns, entries, call trees; it needs no
 * knowledge of what a column is.
 *
 * Columns are registered descriptors (struct hist_column); other rooms add their
 * own (c2c, diff, mem).  Sort keys and fields have perf's names.
 * Sums are integers (u64); percentages are made when drawing.
 * Order of entries: sort columns, then content, then first order key: never ids.
 * Threads: a collector belongs to one worker; the rest is single-threaded but
 * for naming.
 */
#ifndef HIST_HIST_H
#define HIST_HIST_H

#include "base/strbuf.h"
#include "chain/chain.h"
#include "event/sample.h"
#include "process/history.h"
#include "symbol/symbol.h"

#endif
