// SPDX-License-Identifier: GPL-2.0-or-later
/* Without capstone there is nothing to format: objdump.c does it all. */
#include "annotate/internal.h"
