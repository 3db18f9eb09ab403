// SPDX-License-Identifier: GPL-2.0-or-later
/* Without capstone nothing asks for operands. */
#include "annotate/operands.h"
