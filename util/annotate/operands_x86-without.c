// SPDX-License-Identifier: GPL-2.0-or-later
/* Without capstone nothing asks for the operands of x86-64. */
#include "annotate/operands.h" /* a source file may not be empty */
