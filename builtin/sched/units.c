// SPDX-License-Identifier: GPL-2.0-or-later
/* Times as the tables of perf sched have them. */
#include "builtin/sched/internal.h"

void sched_put_seconds(struct strbuf *b, u64 ns, int width)
{
	strbuf_dec_pad(b, ns / 1000000000, width - 7);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, ns % 1000000000 / 1000, 6);
}

void sched_put_ms(struct strbuf *b, u64 ns, int width)
{
	strbuf_dec_pad(b, ns / 1000000, width);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, ns % 1000000 / 1000, 3);
	strbuf_char(b, ' ');
}
