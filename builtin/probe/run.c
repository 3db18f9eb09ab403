// SPDX-License-Identifier: GPL-2.0-or-later
/* perf probe above its requests: answers go to standard output, notes to standard error. */
#include <stdio.h>
#include <unistd.h>

#include "base/out.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "builtin/probe/run.h"
#include "probe/request.h"

int probe_command_run(struct probe_request *q, struct reason *r)
{
	struct strbuf said = STRBUF_INIT;
	struct out out;
	int err, written;

	out_init(&out, STDOUT_FILENO);
	q->out = &out;
	q->said = &said;
	err = probe_request_run(q, r);
	strbuf_printable_from(&said, 0);
	fputs(strbuf_cstr(&said), stderr);
	strbuf_release(&said);
	written = out_release(&out);
	return !err && written ? reason_errno(r, -written, "cannot write the output") : err;
}
