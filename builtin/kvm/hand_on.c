// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs other perf commands with guests' recordings and files. */
#include <stdlib.h>

#include "base/alloc.h"
#include "builtin/kvm/kvm.h"
#include "cli/forward.h"

static void add_option(struct strlist *line, const char *name, const char *value)
{
	char *word;

	if (!value)
		return;
	word = xasprintf("--%s=%s", name, value);
	strlist_add(line, word);
	free(word);
}

/* Adds the options that say where the guests' files are, for commands that show symbols. */
static void add_guest_files(const struct kvm_command *k, struct strlist *line)
{
	add_option(line, "guestkallsyms", k->symbols.guest_kallsyms);
	add_option(line, "guestmodules", k->symbols.guest_modules);
	add_option(line, "guestvmlinux", k->symbols.guest_vmlinux);
	add_option(line, "guestmount", k->symbols.guest_mount);
	if (k->symbols.guest_code)
		strlist_add(line, "--guest-code");
}

int kvm_hand_on(const struct kvm_command *k, const char *name, const char *option, bool symbols,
		int argc, const char **argv,
		int (*command)(struct context *ctx, int argc, const char **argv))
{
	struct strlist line = { 0 }, rest = { 0 };
	const char *file = k->file ? k->file : kvm_file_name(k->host, k->guest);
	int code;

	strlist_add(&line, name);
	add_option(&line, option, option ? file : NULL);
	if (symbols)
		add_guest_files(k, &line);
	for (int i = 1; i < argc; i++)
		strlist_add(&rest, argv[i]);
	code = forward_run(k->ctx, &line, &rest, 0, NULL, command);
	strlist_release(&line);
	strlist_release(&rest);
	return code;
}
