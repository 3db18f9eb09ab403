// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes KSYMBOL and BPF_EVENT records for BPF programs that are already loaded, as the kernel does
 * for those that are loaded later. Source: struct bpf_prog_info in include/uapi/linux/bpf.h. Names
 * follow the kernel's bpf_prog_TAG_NAME, where NAME comes from the program's types (BTF) if it has
 * them.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/btf.h"
#include "base/bytes.h"
#include "synth/internal.h"

enum {
	KSYMBOL_BPF = 1, /* ksym_type */
	BPF_EVENT_LOAD = 1,
	MOST_FUNCTIONS = 4096, /* most functions of one program; the kernel allows 256 */
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

/* What the kernel is asked for about each function of a program. release_functions() frees it. */
struct functions {
	u32 count, type_size; /* type_size: bytes of an entry of types; 0: no types */
	u64 *addresses;
	u32 *lengths;
	u8 (*tags)[BPF_TAG_SIZE];
	u8 *types; /* struct bpf_func_info of each: u32 first instruction, u32 number in btf */
	u8 *btf;
	u32 btf_size;
};

/* Makes room, and has info ask for them. */
static void ask_for_functions(struct functions *f, const struct bpf_prog_info *known,
			      struct bpf_prog_info *info)
{
	u32 n = MIN(known->nr_jited_ksyms, (u32)MOST_FUNCTIONS);

	*f = (struct functions){ .count = n };
	f->addresses = xcalloc(n, sizeof(*f->addresses));
	f->lengths = xcalloc(n, sizeof(*f->lengths));
	f->tags = xcalloc(n, sizeof(*f->tags));
	info->nr_jited_ksyms = info->nr_jited_func_lens = info->nr_prog_tags = n;
	info->jited_ksyms = (u64)(uintptr_t)f->addresses;
	info->jited_func_lens = (u64)(uintptr_t)f->lengths;
	info->prog_tags = (u64)(uintptr_t)f->tags;
	if (!known->btf_id || known->nr_func_info < n || known->func_info_rec_size < 8 ||
	    known->func_info_rec_size > 256)
		return;
	f->type_size = known->func_info_rec_size;
	f->types = xcalloc(n, f->type_size);
	info->func_info_rec_size = f->type_size;
	info->nr_func_info = n;
	info->func_info = (u64)(uintptr_t)f->types;
	f->btf = bpf_types(known->btf_id, &f->btf_size);
}

static void release_functions(struct functions *f)
{
	free(f->addresses);
	free(f->lengths);
	free(f->tags);
	free(f->types);
	free(f->btf);
}

static const char *function_name(const struct functions *f, const struct bpf_prog_info *info, u32 i)
{
	const char *name = NULL;

	if (f->btf)
		name = btf_type_name(f->btf, f->btf_size, false,
				     load_u32(f->types + (size_t)i * f->type_size + 4, false));
	return name ? name : info->nr_jited_ksyms > 1 ? "F" : info->name;
}

/*
 * Writes records that say where the functions of a program are: the program itself, then those that
 * it calls.
 */
static void add_program(struct strbuf *out, size_t id_size, int fd)
{
	struct bpf_prog_info info = { 0 }, again = { 0 };
	struct functions f;

	if (get_info(fd, &info) || !info.nr_jited_ksyms)
		return; /* not compiled, so it has no address */
	ask_for_functions(&f, &info, &again);
	if (!get_info(fd, &again)) {
		for (u32 i = 0; i < MIN(f.count, again.nr_jited_ksyms); i++) {
			char name[512], tag[2 * BPF_TAG_SIZE + 1];
			const char *own = function_name(&f, &again, i);

			if (!f.addresses[i])
				continue; /* hidden by kptr_restrict */
			add_tag(tag, i < again.nr_prog_tags ? f.tags[i] : again.tag);
			snprintf(name, sizeof(name), "bpf_prog_%s%s%s", tag, *own ? "_" : "", own);
			add_symbol(out, id_size, f.addresses[i], f.lengths[i], name);
		}
		add_load(out, id_size, &again);
	}
	release_functions(&f);
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
			return; /* this was the last program, or the user may not see them */
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* unloaded meanwhile */
		add_program(out, ev->sample_id_size, fd);
		close(fd);
	}
}
