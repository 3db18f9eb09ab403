// SPDX-License-Identifier: GPL-2.0-or-later
/* The begin and the end of a command that reads a recording. */
#include "analysis/analysis.h"

#include <unistd.h>

#include "cli/say.h"
#include "object/debug_servers.h"

void analysis_init(struct analysis *a, struct context *ctx)
{
	*a = (struct analysis){ .ctx = ctx, .demangle = true };
}

int analysis_prepare(struct analysis *a, struct reason *r)
{
	struct symbol_options *s = &a->open.symbols;

	if (!s->symfs)
		s->symfs = a->ctx->symfs ? a->ctx->symfs : "";
	s->no_demangle = !a->demangle;
	s->buildid_dir = a->ctx->buildid_dir;
	return open_debug_servers(a->ctx, &a->debuginfod, &s->servers, r);
}

int analysis_begin(struct analysis *a, struct reason *r)
{
	int err = session_open(a->ctx, &a->open, &a->session, r);

	if (!err)
		out_init(&a->out, STDOUT_FILENO);
	return err;
}

int analysis_end(struct analysis *a, int code, struct reason *r)
{
	int written;

	if (code < 0 && r->wrong_use) /* the heading of a table that will not come */
		strbuf_clear(out_buf(&a->out));
	written = out_release(&a->out);
	if (code < 0 && written)
		reason_release(r); /* it failed because nobody takes the output any more */
	if (code < 0 && !written)
		code = say_reason(r);
	if (written)
		code = say_output(written);
	debug_servers_conditions(a->open.symbols.servers, &a->ctx->conditions);
	if (say_conditions(a->ctx) && !code)
		code = 1;
	session_free(a->session);
	a->session = NULL;
	return code;
}

void analysis_release(struct analysis *a)
{
	debug_servers_free(a->open.symbols.servers);
	a->open.symbols.servers = NULL;
}
