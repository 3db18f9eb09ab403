// SPDX-License-Identifier: GPL-2.0-or-later
/* Options about symbols and stacks that several commands have. */
#include "builtin-symbols.h"

int set_unwind_styles(const struct option_call *call, struct reason *r)
{
	return unwind_styles_parse(call->row->value, call->value, r);
}
