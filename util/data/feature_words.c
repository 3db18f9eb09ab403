// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers and texts as features have them. */
#include <string.h>

#include "data/feature_build.h"

void feature_add_u32(struct strbuf *b, u32 v)
{
	strbuf_add(b, &v, sizeof(v));
}

void feature_add_text(struct strbuf *b, const char *s)
{
	size_t len = strlen(s), size = ALIGN_UP(len + 1, TEXT_ALIGN);

	feature_add_u32(b, (u32)size);
	strbuf_add(b, s, len);
	strbuf_pad(b, 0, (int)(size - len));
}

void feature_add_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}
