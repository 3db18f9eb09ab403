/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does an instruction begin here?  A breakpoint inside one would change the program.
 *
 * Threads: no state.  Without the disassembler only machines with instructions of one
 * size can be answered.
 */
#ifndef PROBE_BOUNDARY_H
#define PROBE_BOUNDARY_H

#include "base/types.h"

struct arch;

/*
 * code: the bytes of a function up to where the probe is to be, size of them.  before is
 * set to where the instruction begins that covers that place.  1 yes, 0 no, -1 not known.
 */
int probe_on_boundary(const struct arch *arch, const u8 *code, size_t size, u64 *before);

#endif
