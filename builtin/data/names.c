// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of fields that both formats can have once. */
#include <string.h>

#include "builtin/data/internal.h"

static bool is_reserved(const char *const *reserved, const char *name)
{
	for (; reserved && *reserved; reserved++)
		if (!strcmp(*reserved, name))
			return true;
	return false;
}

void field_name(const struct tracepoint_format *f, u32 field, const char *const *reserved,
		struct strbuf *out)
{
	const char *name = f->fields[field].name;
	unsigned same = is_reserved(reserved, name);

	for (u32 i = 0; i < field; i++)
		same += !strcmp(f->fields[i].name, name);
	strbuf_str(out, name);
	if (same)
		strbuf_f(out, "_dupl_%u", same);
}
