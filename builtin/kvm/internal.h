/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the component: what report and live share. */
#ifndef BUILTIN_KVM_INTERNAL_H
#define BUILTIN_KVM_INTERNAL_H

#include "builtin/kvm/kvm.h"

/* Parses the options' texts; needs nothing from the machine. */
int kvm_parse_texts(struct kvm_stat *k, struct reason *r) MUST_CHECK;
int kvm_parse_key(const struct kvm_stat *k, enum kvm_sort *by, struct reason *r) MUST_CHECK;
/*
 * Chooses the recorded machine's KVM tracepoints and parses --event. Returns 0 or -errno with a
 * reason.
 */
int kvm_settle(struct kvm_stat *k, const char *arch, const char *cpuid,
	       struct reason *r) MUST_CHECK;
/* Adds whose exits they are: "all VMs". */
void kvm_whose(const struct kvm_stat *k, struct strbuf *b);

/* browse.c: the table on the terminal, initially sorted by this. */
void kvm_browse(struct kvm_exits *e, const char *whose, enum kvm_sort by);

/* Why a table of this kind of exits has no rows. */
extern const char *const kvm_empty_reasons[];

#endif
