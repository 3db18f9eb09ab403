// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes numbers in the byte order and word size of the machine that wrote the jitdump. */
#include "base/bytes.h"
#include "jit/internal.h"

void jit_put16(struct strbuf *b, u16 v, const struct jit_format *f)
{
	v = load_u16(&v, f->swap);
	strbuf_add(b, &v, sizeof(v));
}

void jit_put32(struct strbuf *b, u32 v, const struct jit_format *f)
{
	v = load_u32(&v, f->swap);
	strbuf_add(b, &v, sizeof(v));
}

void jit_put64(struct strbuf *b, u64 v, const struct jit_format *f)
{
	v = load_u64(&v, f->swap);
	strbuf_add(b, &v, sizeof(v));
}

void jit_put_word(struct strbuf *b, u64 v, const struct jit_format *f)
{
	if (f->is64)
		jit_put64(b, v, f);
	else
		jit_put32(b, (u32)v, f);
}
