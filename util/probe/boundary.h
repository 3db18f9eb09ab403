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
 * Reports whether a probe would be at the start of an instruction: 1 if so, 0 if not, -1 if
 * unknown. code has the function's bytes up to there, size of them. *before is where the
 * instruction begins that covers that place.
 */
int probe_on_boundary(const struct arch *arch, const u8 *code, size_t size, u64 *before);

#endif
