/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For headers whose structs a BPF program and perf both use: fixed-width types on either side. Such
 * structs have no pointers and no holes, which a reader could mistake for data.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#ifdef __bpf__
#include "bpf/program.h"
#else
#include "base/types.h"
#endif

#endif
