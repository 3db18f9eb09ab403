// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A PMU as sysfs describes it: each line "FILE=TEXT" is a file of it. What is read is used: its
 * events are parsed, and its format files say where their terms go.
 */
#include "event/parse.h"
#include "event/pmu.h"
#include "machine.h"
#include "sys/facts.h"
#include "text.h"

enum { MAX_FILES = 32 };

/* Names of files as sysfs has them: nothing above the PMU. */
static bool is_file(const char *name)
{
	return *name && *name != '/' && strlen(name) < 100 && !strstr(name, "..") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
		       strlen(name);
}

static void put_files(char *text)
{
	char *line;

	for (int n = 0; n < MAX_FILES && (line = strsep(&text, "\n"));) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (is_file(line)) {
			char *path = xasprintf(DEVICES "fuzz/%s", line);

			fuzz_put(path, value);
			free(path);
			n++;
		}
	}
}

static void parse_event(const char *name)
{
	const struct event_parser p = { .command = "stat", .counting = true, .sys = &fuzz_sys };
	char *text = xasprintf("fuzz/%s/", name);
	struct event_set set;

	event_set_init(&set);
	(void)!event_parse(&p, &set, text, NULL);
	event_set_release(&set);
	free(text);
}

static void use_pmu(void)
{
	struct pmu *pmu = pmu_load(&fuzz_sys, "fuzz", NULL);
	struct pmu_caps caps = { VEC_INIT };
	struct strlist names = { VEC_INIT };

	pmu_match(&fuzz_sys, "fu*", &names);
	strlist_release(&names);
	pmu_caps_read(&fuzz_sys, "fuzz", &caps);
	pmu_caps_release(&caps);
	if (!pmu)
		return;
	for (size_t i = 0; i < pmu->formats.count; i++) {
		u64 word = 0, mask = pmu->formats.items[i].mask;

		if (pmu->formats.items[i].word >= PMU_CONFIG_WORDS)
			abort();
		if (!pmu_fill_bits(mask, UINT64_MAX >> 1, &word) && word & ~mask)
			abort();
	}
	for (size_t i = 0; i < pmu->events.count; i++)
		parse_event(pmu->events.items[i].name);
	pmu_free(pmu);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);
	u64 mask;
	u8 word;

	if (!*fuzz_root)
		fuzz_make_tree();
	if (!pmu_format_parse(text, &word, &mask) && word >= PMU_CONFIG_WORDS)
		abort();
	put_files(text);
	use_pmu();
	fuzz_remove_tree();
	free(text);
	return 0;
}
