// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without capstone, where nothing uses the operands of x86-64. */
#include "annotate/operands.h" /* a source file may not be empty */
