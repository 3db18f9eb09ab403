/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as one JSON document (RFC 8259); perf-report(1) has its schema.
 * Percentages have six digits after the point; sums are integers.
 */
#ifndef UI_STDIO_JSON_H
#define UI_STDIO_JSON_H

#include "base/out.h"
#include "hist/hist.h"

/* Objects that follow each other are read line by line, a document also by people. */
enum json_lines { JSON_ONE_LINE, JSON_LINE_FOR_EACH_ROW };

/* Prints one table as an object: events, columns, rows with their call chains. */
void json_table(const struct hist_view *v, bool hierarchy, enum json_lines lines, struct out *out);

#endif
