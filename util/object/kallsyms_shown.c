// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports whether a list of the kernel's symbols shows addresses, and explains why not. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "object/cache.h"
#include "sys/explain.h"
#include "sys/sys.h"

/* Reports whether the list shows addresses. A list that hides all of them is useless later. */
static bool shows_addresses(const char *path)
{
	FILE *f = file_stream(path, NULL);
	char line[1024];
	bool shows = false;

	while (f && !shows && fgets(line, sizeof(line), f))
		shows = line[strspn(line, "0")] != ' ';
	if (f)
		fclose(f);
	return shows;
}

const char *kallsyms_hidden(const char *path, const char **hint)
{
	const char *why;

	if (strcmp(path, "/proc/kallsyms")) {
		*hint = "as root: cp /proc/kallsyms FILE";
		return "it was copied by a user who may not see them";
	}
	why = explain_kallsyms(NULL, hint);
	if (!*hint)
		*hint = "run perf as root";
	return why ? why : "this process may not see them";
}

bool kallsyms_shown_to_all(void)
{
	s64 restricted, paranoid;

	return !sys_read_s64(NULL, &restricted, "/proc/sys/kernel/kptr_restrict") && !restricted &&
	       !sys_read_s64(NULL, &paranoid, "/proc/sys/kernel/perf_event_paranoid") &&
	       paranoid <= 1;
}

int kallsyms_check(const char *source, struct reason *r)
{
	const char *why, *hint;

	if (shows_addresses(source))
		return 0;
	why = kallsyms_hidden(source, &hint);
	reason_set(r, EPERM, "'%s' shows no addresses: %s", source, why);
	reason_hint(r, "%s", hint);
	return -EPERM;
}
