// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks the files that give names to guests' code, for all commands. */
#include "builtin/kvm/kvm.h"
#include "cli/say.h"

int kvm_guest_files(const struct symbol_options *s)
{
	struct reason r = REASON_INIT;

	return symbol_options_check(s, &r) ? say_reason(&r) : 0;
}

void kvm_say_no_names(const struct symbol_options *s)
{
	if (s->guest_kallsyms || s->guest_vmlinux || s->guest_mount || s->guest_code)
		return;
	say_warning("no file describes the guests' kernels: their functions will have no names");
	say_hint("copy /proc/kallsyms and /proc/modules out of the guest, and name them with "
		 "--guestkallsyms and --guestmodules");
}
