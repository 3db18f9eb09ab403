// SPDX-License-Identifier: GPL-2.0-or-later
/* Begins and ends commands that read a recording. */
#include "analysis/analysis.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/say.h"
#include "object/debug_servers.h"
#include "spe/decode.h"

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

void analysis_name_settings(struct analysis *a)
{
	a->demangle = config_bool(a->ctx, "annotate.demangle", true);
	a->open.symbols.demangle_kernel = config_bool(a->ctx, "annotate.demangle_kernel", false);
}

static bool is_file(const char *input)
{
	struct stat st;

	if (!input && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return false;
	if (input && !strcmp(input, "-"))
		return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
	return !stat(input ? input : "perf.data", &st) && S_ISREG(st.st_mode);
}

static bool is_stream(const char *input)
{
	struct stat st;

	return (!input || !strcmp(input, "-")) && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/*
 * Decodes the traces of a stream; *decoded is NULL if it has none. Then the data that was read to
 * find that out is not lost, because the session goes on with the same reader.
 */
static int decode_stream(struct analysis *a, struct session_options *open, char **decoded,
			 struct reason *r)
{
	int err = data_open(a->ctx, "-", open->force, &open->data, r);

	if (!err)
		err = spe_decode_stream(a->ctx, open->data, a->traces, decoded, r);
	if (err || *decoded) {
		data_close(open->data);
		open->data = NULL;
	}
	return err;
}

int analysis_begin(struct analysis *a, struct reason *r)
{
	struct session_options open = a->open;
	char *decoded = NULL;
	int err = 0;

	if (a->traces && is_file(open.input))
		err = spe_decode_file(a->ctx, open.input, open.force, a->traces, &decoded, r);
	else if (a->traces && is_stream(open.input))
		err = decode_stream(a, &open, &decoded, r);
	if (decoded)
		open.input = decoded;
	if (!err)
		err = session_open(a->ctx, &open, &a->session, r);
	spe_remove(decoded);
	if (!err)
		out_init(&a->out, STDOUT_FILENO);
	return err;
}

int analysis_end(struct analysis *a, int code, struct reason *r)
{
	int written;

	if (code < 0 && r->wrong_use) /* drop the heading of a table that does not follow */
		strbuf_clear(out_buf(&a->out));
	written = out_release(&a->out);
	if (code < 0 && written)
		reason_release(r); /* the command failed because nobody reads its output any more */
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
