/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header as text, inside the data component: header_print.c has the list of features and those
 * about the recording, header_machine.c the machine's, header_bpf.c BPF programs.
 *
 * A printer appends the lines of one feature, from a cursor at its beginning; what does not fit
 * sets c->bad and is left out.
 */
#ifndef DATA_HEADER_PRINT_H
#define DATA_HEADER_PRINT_H

#include "data/feature.h"

typedef void header_printer(struct data_reader *d, struct feature_cursor *c, struct strbuf *out);

/* Adds a name from a file, which must not control a terminal. */
void header_put(struct strbuf *out, const char *s);
/* Adds a line with the next string of the feature. */
void header_text_line(struct feature_cursor *c, struct strbuf *out, const char *label);

/* header_machine.c */
header_printer header_hostname;
header_printer header_release;
header_printer header_arch;
header_printer header_cpu_description;
header_printer header_cpuid;
header_printer header_cpus;
header_printer header_memory;
header_printer header_topology;
header_printer header_nodes;
header_printer header_pmus;
header_printer header_caches;
header_printer header_memory_topology;
header_printer header_cpu_caps;
header_printer header_pmu_caps;
header_printer header_hybrid;
header_printer header_machine;
header_printer header_cache_line;

/* header_bpf.c */
header_printer header_bpf_programs;
header_printer header_bpf_types;

#endif
