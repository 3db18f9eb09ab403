// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/test/selftest.h"

#include "builtin/test/checks.h"

const struct selftest_row selftests[] = {
	{ "Parse event strings", check_parse_events },
	{ "Refuse malformed event strings", check_parse_errors },
	{ "Count page faults of this process", check_software_count },
	{ "Task clock advances with work", check_task_clock },
	{ "Count a system call by its tracepoint", check_tracepoint_count },
	{ "Count writes with a breakpoint", check_breakpoint_count },
	{ "Count on every CPU", check_system_wide },
	{ "Count hardware cycles", check_hardware_cycles },
	{ "Kernel probes (kprobe PMU)", check_probe_pmu_kernel },
	{ "User probes (uprobe PMU)", check_probe_pmu_user },
	{ "Kernel symbols have addresses", check_kallsyms },
	{ "File descriptors for many events", check_file_descriptors },
	{ "Symbols", check_own_symbols },
	{ "Kernel symbols", check_kernel_symbols },
	{ "Build-id of this program", check_own_build_id },
	{ "Samples through a ring and a file", check_round_trip },
	{ "Code as objdump prints it", check_code },
	{ .name = NULL },
};
