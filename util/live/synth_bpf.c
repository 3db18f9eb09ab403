// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KSYMBOL and BPF_EVENT records for BPF programs that are loaded already: what the
 * kernel writes itself when one is loaded later.
 *
 * Source: struct bpf_prog_info in include/uapi/linux/bpf.h; names as the kernel's
 * bpf_prog_TAG_NAME.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/internal.h"

enum {
	KSYMBOL_BPF = 1,	 /* ksym_type */
	BPF_EVENT_LOAD = 1,
	MOST_FUNCTIONS = 4096,	 /* of one program; the kernel allows 256 */
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int get_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (u64)(uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static void add_tag(char *out, const u8 *tag)
{
	for (unsigned i = 0; i < BPF_TAG_SIZE; i++)
		sprintf(out + 2 * i, "%02x", tag[i]);
}

static void add_symbol(struct strbuf *out, size_t id_size, u64 addr, u32 len, const char *name)
{
	size_t at = record_begin(out, PERF_RECORD_KSYMBOL, 0);

	record_u64(out, addr);
	record_u32(out, len);
	record_u32(out, KSYMBOL_BPF); /* u16 type, u16 flags */
	record_string(out, name, strlen(name));
	record_end(out, at, id_size);
}

static void add_load(struct strbuf *out, size_t id_size, const struct bpf_prog_info *info)
{
	size_t at = record_begin(out, PERF_RECORD_BPF_EVENT, 0);

	record_u32(out, BPF_EVENT_LOAD); /* u16 type, u16 flags */
	record_u32(out, info->id);
	strbuf_add(out, info->tag, sizeof(info->tag));
	record_end(out, at, id_size);
}

/* Where its functions lie: the program itself, then those that it calls. */
static void add_program(struct strbuf *out, size_t id_size, int fd)
{
	struct bpf_prog_info info = { 0 }, again = { 0 };
	u64 *addresses;
	u32 *lengths;
	u8 (*tags)[BPF_TAG_SIZE];
	u32 n;

	if (get_info(fd, &info) || !info.nr_jited_ksyms)
		return; /* not compiled: it has no address */
	n = MIN(info.nr_jited_ksyms, (u32)MOST_FUNCTIONS);
	addresses = xcalloc(n, sizeof(*addresses));
	lengths = xcalloc(n, sizeof(*lengths));
	tags = xcalloc(n, sizeof(*tags));
	again.nr_jited_ksyms = again.nr_jited_func_lens = again.nr_prog_tags = n;
	again.jited_ksyms = (u64)(uintptr_t)addresses;
	again.jited_func_lens = (u64)(uintptr_t)lengths;
	again.prog_tags = (u64)(uintptr_t)tags;
	if (!get_info(fd, &again)) {
		for (u32 i = 0; i < MIN(n, again.nr_jited_ksyms); i++) {
			char name[64], tag[2 * BPF_TAG_SIZE + 1];
			const char *own = again.nr_jited_ksyms > 1 ? "F" : again.name;

			if (!addresses[i])
				continue; /* kptr_restrict */
			add_tag(tag, i < again.nr_prog_tags ? tags[i] : again.tag);
			snprintf(name, sizeof(name), "bpf_prog_%s%s%s", tag, *own ? "_" : "", own);
			add_symbol(out, id_size, addresses[i], lengths[i], name);
		}
		add_load(out, id_size, &again);
	}
	free(addresses);
	free(lengths);
	free(tags);
}

void synth_bpf(struct strbuf *out, const struct event *ev)
{
	union bpf_attr attr;
	u32 id = 0;

	if (!(ev->attr.flags & ATTR_BPF_EVENT))
		return;
	for (;;) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			return; /* the last one, or not ours to see */
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* gone meanwhile */
		add_program(out, ev->sample_id_size, fd);
		close(fd);
	}
}
