// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collects the BPF programs of the kernel with their code, lines and types, as the features
 * BPF_PROG_INFO and BPF_BTF hold them. perf annotate has no other source for this code, which is
 * gone once the program is unloaded. Source: struct bpf_prog_info and struct bpf_btf_info in
 * include/uapi/linux/bpf.h; for the layout see Documentation/perf.data-format.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "synth/internal.h"

/* MOST_BYTES: of one program; TAG_SIZE: bytes of a tag */
enum { MOST_BYTES = 64 << 20, TAG_SIZE = BPF_TAG_SIZE };

/* The arrays that are kept, indexed by their bit in the feature. */
static const struct array {
	unsigned bit;
	size_t address, count, size; /* offsets in struct bpf_prog_info; size 0: `each` bytes */
	u32 each;
} arrays[] = {
#define FIELD(name) offsetof(struct bpf_prog_info, name)
	{ 0, FIELD(jited_prog_insns), FIELD(jited_prog_len), 0, 1 },
	{ 3, FIELD(jited_ksyms), FIELD(nr_jited_ksyms), 0, 8 },
	{ 4, FIELD(jited_func_lens), FIELD(nr_jited_func_lens), 0, 4 },
	{ 5, FIELD(func_info), FIELD(nr_func_info), FIELD(func_info_rec_size), 0 },
	{ 6, FIELD(line_info), FIELD(nr_line_info), FIELD(line_info_rec_size), 0 },
	{ 7, FIELD(jited_line_info), FIELD(nr_jited_line_info), FIELD(jited_line_info_rec_size),
	  0 },
	{ 8, FIELD(prog_tags), FIELD(nr_prog_tags), 0, TAG_SIZE },
#undef FIELD
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int get_info(int fd, void *info, u32 size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = size;
	attr.info.info = (u64)(uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static u32 get32(const struct bpf_prog_info *info, size_t offset)
{
	u32 v;

	memcpy(&v, (const u8 *)info + offset, sizeof(v));
	return v;
}

static u64 get64(const struct bpf_prog_info *info, size_t offset)
{
	u64 v;

	memcpy(&v, (const u8 *)info + offset, sizeof(v));
	return v;
}

static void set64(struct bpf_prog_info *info, size_t offset, u64 v)
{
	memcpy((u8 *)info + offset, &v, sizeof(v));
}

static u64 array_bytes(const struct bpf_prog_info *info, const struct array *a)
{
	return (u64)get32(info, a->count) * (a->size ? get32(info, a->size) : a->each);
}

/*
 * Prepares *ask with the counts of *info and lays out room for each array (at, total). Returns
 * false if they need more than MOST_BYTES.
 */
static bool lay_out(const struct bpf_prog_info *info, struct bpf_prog_info *ask, u64 at[],
		    u64 *total)
{
	*ask = (struct bpf_prog_info){ 0 };
	*total = 0;
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];

		at[i] = *total;
		*total += ALIGN_UP(array_bytes(info, a), 8);
		memcpy((u8 *)ask + a->count, (const u8 *)info + a->count, 4);
		if (a->size)
			memcpy((u8 *)ask + a->size, (const u8 *)info + a->size, 4);
	}
	return *total <= MOST_BYTES;
}

static bool add_program(struct bpf_programs *p, int fd, u32 *btf_id)
{
	struct bpf_prog_info info = { 0 }, full;
	u64 at[ARRAY_SIZE(arrays)], total, kept = 0;
	u8 *data;
	bool whole;

	if (get_info(fd, &info, sizeof(info)) || !lay_out(&info, &full, at, &total))
		return false;
	data = xcalloc(1, total + 1);
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		if (array_bytes(&info, &arrays[i]))
			set64(&full, arrays[i].address, (u64)(uintptr_t)(data + at[i]));
	whole = !get_info(fd, &full, sizeof(full));
	for (size_t i = 0; whole && i < ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];

		/*
		 * longer than its room: it changed meanwhile; no address: the user may not see it
		 */
		whole = array_bytes(&full, a) <= array_bytes(&info, a);
		if (get64(&full, a->address) && array_bytes(&full, a)) {
			kept |= BIT64(a->bit);
			set64(&full, a->address, at[i]);
		} else {
			set64(&full, a->address, 0);
		}
	}
	if (whole) {
		record_u32(&p->infos, sizeof(full));
		record_u32(&p->infos, (u32)total);
		record_u64(&p->infos, kept);
		strbuf_add(&p->infos, &full, sizeof(full));
		strbuf_add(&p->infos, data, total);
		p->count++;
		*btf_id = full.btf_id;
	}
	free(data);
	return whole;
}

u8 *bpf_types(u32 id, u32 *size)
{
	struct bpf_btf_info info = { 0 };
	union bpf_attr attr;
	u8 *data = NULL;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.btf_id = id;
	fd = bpf(BPF_BTF_GET_FD_BY_ID, &attr);
	if (fd < 0)
		return NULL;
	if (!get_info(fd, &info, sizeof(info)) && info.btf_size && info.btf_size <= MOST_BYTES) {
		u32 room = info.btf_size;

		data = xcalloc(1, room);
		info = (struct bpf_btf_info){ .btf = (u64)(uintptr_t)data, .btf_size = room };
		if (get_info(fd, &info, sizeof(info)) || info.btf_size > room) {
			free(data);
			data = NULL;
		}
	}
	*size = info.btf_size;
	close(fd);
	return data;
}

static void add_btf(struct bpf_programs *p, u32 id)
{
	u32 size;
	u8 *data;

	vec_for_each(&p->btf_ids, known)
		if (*known == id)
			return;
	data = bpf_types(id, &size);
	if (!data)
		return;
	record_u32(&p->btfs, id);
	record_u32(&p->btfs, size);
	strbuf_add(&p->btfs, data, size);
	vec_push(&p->btf_ids, id);
	free(data);
}

static bool is_known(const struct bpf_programs *p, u32 id)
{
	vec_for_each(&p->ids, known)
		if (*known == id)
			return true;
	return false;
}

void bpf_programs_update(struct bpf_programs *p)
{
	union bpf_attr attr;
	u32 id = 0;

	if (!p->infos.len) {
		record_u32(&p->infos, 0);
		record_u32(&p->btfs, 0);
	}
	for (;;) {
		u32 btf_id = 0, n;
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			break; /* this was the last program, or the user may not see them */
		id = attr.next_id;
		if (is_known(p, id))
			continue;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* unloaded meanwhile */
		vec_push(&p->ids, id);
		if (add_program(p, fd, &btf_id) && btf_id)
			add_btf(p, btf_id);
		close(fd);
		n = (u32)p->btf_ids.count;
		memcpy(p->infos.s, &p->count, 4);
		memcpy(p->btfs.s, &n, 4);
	}
}

void bpf_programs_release(struct bpf_programs *p)
{
	strbuf_release(&p->infos);
	strbuf_release(&p->btfs);
	vec_release(&p->ids);
	vec_release(&p->btf_ids);
	*p = (struct bpf_programs){ .infos = STRBUF_INIT, .btfs = STRBUF_INIT };
}
