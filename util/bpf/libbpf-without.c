// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without libbpf: opening fails, so nothing else is called. */
#include <errno.h>

#include "bpf/bpf.h"
#include "bpf/internal.h"

bool libbpf_ready(void)
{
	return false;
}

struct bpf_run *bpf_run_open(const char *image, struct reason *r)
{
	bpf_usable(image, r);
	return NULL;
}

struct bpf_run *bpf_run_open_file(const char *path, const char *name, struct reason *r)
{
	(void)name;
	bpf_usable(path, r);
	return NULL;
}

void bpf_run_say_missed(struct context *ctx, struct bpf_run *run)
{
	(void)ctx;
	(void)run;
}

bool bpf_kernel_has(enum bpf_fact kind, const char *name, const char *member)
{
	(void)kind;
	(void)name;
	(void)member;
	return false;
}

void bpf_run_close(struct bpf_run *run)
{
	(void)run;
}

const char *bpf_run_log(const struct bpf_run *run)
{
	(void)run;
	return "";
}

void *bpf_run_variable(struct bpf_run *run, const char *name, size_t size)
{
	(void)run;
	(void)name;
	(void)size;
	return NULL;
}

int bpf_run_map_entries(struct bpf_run *run, const char *map, u32 entries)
{
	(void)run;
	(void)map;
	(void)entries;
	return -ENOTSUP;
}

int bpf_run_map_share(struct bpf_run *run, const char *map, int fd)
{
	(void)fd;
	return bpf_run_map_entries(run, map, 0);
}

int bpf_run_target(struct bpf_run *run, const char *program, int of_program, const char *function)
{
	(void)function;
	return bpf_run_map_share(run, program, of_program);
}

char *bpf_function_name(u32 types, u32 type)
{
	(void)types;
	(void)type;
	return NULL;
}

int bpf_run_enable(struct bpf_run *run, const char *program, bool enable)
{
	return bpf_run_map_entries(run, program, enable);
}

int bpf_run_load(const struct context *ctx, struct bpf_run *run, struct reason *r)
{
	(void)ctx;
	(void)run;
	return bpf_usable("this", r);
}

int bpf_run_attach(struct bpf_run *run, struct reason *r)
{
	return bpf_run_load(NULL, run, r);
}

int bpf_run_attach_one(struct bpf_run *run, const char *program, struct reason *r)
{
	(void)program;
	return bpf_run_load(NULL, run, r);
}

int bpf_run_attach_event(struct bpf_run *run, const char *program, int event_fd, struct reason *r)
{
	(void)program;
	(void)event_fd;
	return bpf_run_load(NULL, run, r);
}

void bpf_run_detach(struct bpf_run *run)
{
	(void)run;
}

int bpf_run_map(const struct bpf_run *run, const char *map)
{
	(void)run;
	(void)map;
	return -ENOTSUP;
}

int bpf_run_program(const struct bpf_run *run, const char *program)
{
	return bpf_run_map(run, program);
}

const char *bpf_run_program_name(const struct bpf_run *run, size_t i)
{
	(void)run;
	(void)i;
	return NULL;
}

const char *bpf_run_program_section(const struct bpf_run *run, size_t i)
{
	return bpf_run_program_name(run, i);
}

const char *bpf_run_map_name(const struct bpf_run *run, size_t i, u32 *type)
{
	*type = 0;
	return bpf_run_program_name(run, i);
}

int bpf_run_set_type(struct bpf_run *run, const char *program, u32 type)
{
	return bpf_run_map_entries(run, program, type);
}
