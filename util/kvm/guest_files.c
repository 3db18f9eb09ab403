// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks the files that give names to guests' code, before a live command begins. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "kvm/kvm.h"

static int check(const char *option, const char *path)
{
	int err = !path || !access(path, R_OK) ? 0 : errno;

	if (!err)
		return 0;
	say_error("--%s: cannot read '%s': %s", option, path, strerror(err));
	say_hint("copy the file out of the guest, as root there");
	return -err;
}

int kvm_guest_files(const struct symbol_options *s, bool guest)
{
	bool none = !s->guest_kallsyms && !s->guest_vmlinux && !s->guest_mount && !s->guest_code;
	int err = check("guestkallsyms", s->guest_kallsyms);

	if (!err)
		err = check("guestmodules", s->guest_modules);
	if (!err)
		err = check("guestvmlinux", s->guest_vmlinux);
	if (!err)
		err = check("guestmount", s->guest_mount);
	if (!err && guest && none) {
		say_warning("no file describes the guests' kernels: their functions will have no names");
		say_hint("copy /proc/kallsyms and /proc/modules out of the guest, and name them with --guestkallsyms and --guestmodules");
	}
	return err;
}
