// SPDX-License-Identifier: GPL-2.0-or-later
/* How reports in JSON begin. */
#include "base/json.h"
#include "builtin/report/internal.h"
#include "ui/stdio/document.h"

static void header_json(struct report *p, struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;

	data_header_print(session_data(p->a.session), &text, p->o.show_info);
	json_header(strbuf_cstr(&text), b);
	strbuf_release(&text);
}

void report_json_begin(struct report *p)
{
	struct strbuf *b = out_buf(&p->a.out);

	strbuf_str(b, "{\"version\":1,\"file\":");
	json_text(b, data_path(session_data(p->a.session)));
	if (p->o.header || p->o.header_only)
		header_json(p, b);
}
