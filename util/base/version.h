/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version, as `perf version` prints it and the VERSION feature of perf.data has it.
 *
 * Programs compare this number to learn what text and which options they may expect, so its first
 * two parts name the perf whose text formats are followed; the third is our own.
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define PERF_VERSION "6.1.0"

#endif
