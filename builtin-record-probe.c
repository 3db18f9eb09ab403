// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record --probe and -e sdt_PROVIDER:NAME: probes that live as long as the recording. */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "builtin-record.h"
#include "event/parse.h"
#include "probe/temporary.h"

int record_add_probe(struct record_probes *p, struct event_set *set, const char *text,
		     struct reason *r)
{
	static const struct event_parser parser = { .command = "record" };
	struct strbuf names = STRBUF_INIT;
	int err;

	if (!p->probes)
		p->probes = probe_temporary_new(p->ctx);
	err = probe_temporary_add(p->probes, text, &names, r);
	if (!err)
		err = event_parse(&parser, set, names.s, r);
	strbuf_release(&names);
	return err;
}

int record_resolve_event(void *arg, struct event_set *set, const char *name, struct reason *r)
{
	int err;

	if (*name != '%' && !(str_starts(name, "sdt_") && strchr(name, ':')))
		return 0;
	reason_release(r);
	err = record_add_probe(arg, set, name, r);
	return err ? err : 1;
}

void record_probes_release(struct record_probes *p)
{
	probe_temporary_free(p->probes);
	p->probes = NULL;
}
