// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the kernel's programs and maps by their ids, and names in a BPF file system, with bpf(2)
 * itself.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bpf/bpf.h"
#include "bpf/internal.h"

/* Calls bpf(2) with the attr's size; exec closes its descriptors. */
static int bpf_call(int command, union bpf_attr *attr)
{
	long n = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return n < 0 ? -errno : (int)n;
}

static int object_info(int fd, void *info, size_t size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = (u32)size;
	attr.info.info = (u64)(uintptr_t)info;
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

int bpf_object_open(enum bpf_kind kind, u32 id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_id = id; /* shares its place with prog_id */
	return bpf_call(kind == BPF_MAP_KIND ? BPF_MAP_GET_FD_BY_ID : BPF_PROG_GET_FD_BY_ID, &attr);
}

/*
 * Reports whether the kernel has a helper. The verifier first looks for the helper (EINVAL if the
 * kernel has none of this number), and then at its arguments, which this program does not set
 * (EACCES).
 */
bool bpf_kernel_has_helper(u32 helper)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = (s32)helper },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (u64)(uintptr_t)program;
	attr.insn_cnt = ARRAY_SIZE(program);
	attr.license = (u64)(uintptr_t) "GPL";
	fd = bpf_call(BPF_PROG_LOAD, &attr);
	if (fd >= 0)
		close(fd);
	return fd == -EACCES;
}

u64 bpf_program_missed(int program)
{
	struct bpf_prog_info info = { 0 };

	return program < 0 || object_info(program, &info, sizeof(info)) ? 0 : info.recursion_misses;
}

u32 bpf_object_id(enum bpf_kind kind, int fd)
{
	struct bpf_prog_info program = { 0 };
	struct bpf_map_info map = { 0 };

	if (kind == BPF_MAP_KIND)
		return object_info(fd, &map, sizeof(map)) ? 0 : map.id;
	return object_info(fd, &program, sizeof(program)) ? 0 : program.id;
}

int bpf_program_run(int program, u32 cpu)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (u32)program;
	attr.test.cpu = cpu;
	attr.test.flags = BPF_F_TEST_RUN_ON_CPU;
	return bpf_call(BPF_PROG_TEST_RUN, &attr);
}

char *bpf_program_function(int program, struct reason *r)
{
	struct bpf_prog_info info = { 0 };
	struct bpf_func_info first = { 0 };
	char *name = NULL;
	int err = object_info(program, &info, sizeof(info));

	if (!err && info.btf_id && info.nr_func_info) {
		u32 types = info.btf_id;

		memset(&info, 0, sizeof(info));
		info.nr_func_info = 1;
		info.func_info_rec_size = sizeof(first);
		info.func_info = (u64)(uintptr_t)&first;
		err = object_info(program, &info, sizeof(info));
		if (!err)
			name = bpf_function_name(types, first.type_id);
	}
	if (err)
		reason_errno(r, -err, "cannot ask what the BPF program is");
	else if (!name)
		reason_set(r, ENOTSUP, "the BPF program was loaded without type information (BTF)");
	return name;
}

int bpf_map_make(const struct bpf_map_shape *shape)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = shape->type;
	attr.key_size = shape->key_size;
	attr.value_size = shape->value_size;
	attr.max_entries = shape->entries;
	attr.map_flags = shape->flags;
	memcpy(attr.map_name, shape->name, sizeof(shape->name) - 1);
	return bpf_call(BPF_MAP_CREATE, &attr);
}

int bpf_map_look(int map, struct bpf_map_shape *shape)
{
	struct bpf_map_info info = { 0 };
	int err = object_info(map, &info, sizeof(info));

	*shape = (struct bpf_map_shape){ info.type,        info.key_size,  info.value_size,
					 info.max_entries, info.map_flags, "" };
	memcpy(shape->name, info.name, sizeof(shape->name) - 1);
	return err;
}

int bpf_program_look(int program, u32 *type, char name[16])
{
	struct bpf_prog_info info = { 0 };
	int err = object_info(program, &info, sizeof(info));

	*type = info.type;
	memset(name, 0, 16);
	memcpy(name, info.name, 15);
	return err;
}

int bpf_object_pin(int fd, const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.bpf_fd = (u32)fd;
	attr.pathname = (u64)(uintptr_t)path;
	return bpf_call(BPF_OBJ_PIN, &attr);
}

int bpf_object_pinned(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (u64)(uintptr_t)path;
	return bpf_call(BPF_OBJ_GET, &attr);
}
