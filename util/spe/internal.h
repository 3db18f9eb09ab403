/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What decode.c and stream.c share. */
#ifndef SPE_INTERNAL_H
#define SPE_INTERNAL_H

#include "event/sample.h"
#include "spe/decode.h"

/* Reports whether this AUXTRACE_INFO record announces traces of Arm SPE. */
bool spe_is_info(const struct record *rec);
/*
 * Opens a file without a name; returns a path to its descriptor for spe_remove(), NULL with a
 * reason.
 */
char *spe_temporary_path(struct reason *r);

#endif
