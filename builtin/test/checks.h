/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The self-checks, for the table in selftest.c. */
#ifndef BUILTIN_TEST_CHECKS_H
#define BUILTIN_TEST_CHECKS_H

#include "builtin/test/selftest.h"

enum selftest_result check_software_count(struct selftest *t);
enum selftest_result check_task_clock(struct selftest *t);
enum selftest_result check_hardware_cycles(struct selftest *t);
enum selftest_result check_tracepoint_count(struct selftest *t);
enum selftest_result check_breakpoint_count(struct selftest *t);
enum selftest_result check_system_wide(struct selftest *t);
enum selftest_result check_probe_pmu_kernel(struct selftest *t);
enum selftest_result check_probe_pmu_user(struct selftest *t);
enum selftest_result check_kallsyms(struct selftest *t);
enum selftest_result check_file_descriptors(struct selftest *t);
enum selftest_result check_parse_events(struct selftest *t);
enum selftest_result check_parse_errors(struct selftest *t);
enum selftest_result check_own_symbols(struct selftest *t);
enum selftest_result check_kernel_symbols(struct selftest *t);
enum selftest_result check_own_build_id(struct selftest *t);
enum selftest_result check_round_trip(struct selftest *t);
enum selftest_result check_code(struct selftest *t);

#endif
