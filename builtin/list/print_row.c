// SPDX-License-Identifier: GPL-2.0-or-later
/* An event of this machine as an item, with its code and fields as far as known. */
#include "builtin/list/internal.h"

static void print_details(struct list_printer *p, const struct event_row *row)
{
	if (row->detail)
		out_f(&p->out, "       %s\n", row->detail);
	if (row->kind == EVENT_KIND_PMU && row->core)
		list_print_code(p, row);
	if (row->kind == EVENT_KIND_TRACEPOINT)
		list_put_format(p, out_buf(&p->out), row->name, false);
}

void list_print_row(struct list_printer *p, const struct event_row *row)
{
	const struct list_item item = { .name = row->name,
					.alias = row->alias,
					.type = event_kind_name(row->kind),
					.unit = row->pmu,
					.terms = row->detail,
					.tracepoint = row->kind == EVENT_KIND_TRACEPOINT };

	list_print_item(p, &item);
	if (p->settings->details && !p->settings->json && !p->settings->raw_dump)
		print_details(p, row);
}
