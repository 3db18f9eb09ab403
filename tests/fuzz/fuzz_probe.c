// SPDX-License-Identifier: GPL-2.0-or-later
/* Definitions of probes, ranges of lines, the lines that tracefs lists, and names of functions. */
#include "base/strbuf.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/name.h"
#include "text.h"

static void define(const char *text)
{
	struct probe_definition d = { 0 };
	struct strbuf b = STRBUF_INIT;

	if (!probe_definition_parse(&d, text, NULL)) {
		probe_point_text(&b, &d.point);
		probe_definition_needs_dwarf(&d);
		probe_point_has_glob(&d.point);
	}
	strbuf_release(&b);
	probe_definition_release(&d);
}

static void lines(const char *text)
{
	struct probe_point p = { 0 };

	probe_line_range_parse(&p, text, NULL);
	probe_point_release(&p);
}

/* Checks that a definition that was read and written again is read as the same. */
static void list(const char *text)
{
	struct probe_event e = { 0 }, again = { 0 };
	struct strbuf b = STRBUF_INIT, twice = STRBUF_INIT;

	if (!probe_event_parse(&e, text, NULL)) {
		probe_event_text(&b, &e);
		probe_event_matches(&e, text);
		if (!probe_event_parse(&again, strbuf_cstr(&b), NULL)) {
			probe_event_text(&twice, &again);
			if (strcmp(strbuf_cstr(&b), strbuf_cstr(&twice)))
				abort();
		}
	}
	strbuf_release(&b);
	strbuf_release(&twice);
	probe_event_release(&e);
	probe_event_release(&again);
}

static void names(const char *text)
{
	free(name_last(text));
	free(probe_event_base_name(text, true));
	free(probe_group_name(text));
	name_is_qualified(text);
	name_has_parameters(text);
	name_has_glob(text);
	if (!name_is(text, text) && !name_has_parameters(text) && !strpbrk(text, " \t\n\\\""))
		abort();
	name_ends_in("std::vector<int>::push_back(int)", text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);

	define(text);
	lines(text);
	list(text);
	names(text);
	free(text);
	return 0;
}
