/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf probe above its requests: answers go to standard output, notes to standard error. */
#ifndef BUILTIN_PROBE_RUN_H
#define BUILTIN_PROBE_RUN_H

#include "base/reason.h"

struct probe_request;

/* Runs the request and prints what it says.  -errno with a reason. */
int probe_command_run(struct probe_request *q, struct reason *r) MUST_CHECK;

#endif
