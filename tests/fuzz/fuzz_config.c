// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of settings. */
#include "cli/config.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct config c = { VEC_INIT };
	bool value;

	if (config_parse(&c, "fuzz", text, NULL) && c.entries.count > strlen(text))
		abort();
	for (size_t i = 0; i < c.entries.count; i++) {
		const struct config_entry *e = &c.entries.items[i];

		if (e->start > e->end || e->end > strlen(text) || !config_find(&c, e->name))
			abort();
		config_parse_bool(e->value, &value);
		if (!config_known(e->name) && i < 16)
			config_nearest(e->name);
	}
	config_release(&c);
	free(text);
	return 0;
}
