// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/stdio/branch_types.h"

static const char *const type_names[PROFILE_BRANCH_TYPES] = {
	"UNKNOWN", "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET",  "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "EXTEND_ABI",
};

static void add_share(struct strbuf *b, const char *name, u64 count, u64 total)
{
	if (count)
		strbuf_f(b, "%8s: %5.1f%%\n", name, (double)count * 100.0 / (double)total);
}

void stdio_branch_types(const struct profile *p, struct strbuf *b)
{
	struct profile_branch_types all;
	u64 total = profile_branch_types(p, &all);

	if (!total)
		return;
	strbuf_str(b, "\n#\n# Branch Statistics:\n#\n");
	add_share(b, "COND_FWD", all.forward, total);
	add_share(b, "COND_BWD", all.backward, total);
	add_share(b, "CROSS_4K", all.cross_4k, total);
	add_share(b, "CROSS_2M", all.cross_2m, total);
	for (int i = 0; i < PROFILE_BRANCH_TYPES; i++)
		add_share(b, type_names[i], all.counts[i], total);
}

void json_branch_types(const struct profile *p, struct strbuf *b)
{
	struct profile_branch_types all;

	if (!profile_branch_types(p, &all))
		return;
	strbuf_f(b,
		 ",\n\"branch_types\":{\"COND_FWD\":%" PRIu64 ",\"COND_BWD\":%" PRIu64
		 ",\"CROSS_4K\":%" PRIu64 ",\"CROSS_2M\":%" PRIu64,
		 all.forward, all.backward, all.cross_4k, all.cross_2m);
	for (int i = 0; i < PROFILE_BRANCH_TYPES; i++)
		if (all.counts[i])
			strbuf_f(b, ",\"%s\":%" PRIu64, type_names[i], all.counts[i]);
	strbuf_str(b, "}");
}
