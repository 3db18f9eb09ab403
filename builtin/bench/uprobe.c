// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe: what a probe on a function of a library costs, by a BPF program that does nothing or
 * prints into the kernel's trace buffer. The probes end with this process.
 * Source: perf_event_open(2) on the PMU "uprobe", bpf(2); the programs are so small that they are
 * written as instructions and need no compiler.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "object/elf.h"
#include "sys/sys.h"

#define IOC_SET_BPF _IOW('$', 8, u32) /* from linux/perf_event.h */

enum probe_kind { PROBE_NONE, PROBE_EMPTY, PROBE_PRINT };

static const char message[16] = "perf bench usl"; /* with what fills two words */

static int load(const struct bpf_insn *insns, u32 count)
{
	static const char license[] = "GPL";
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (u64)(uintptr_t)insns;
	attr.insn_cnt = count;
	attr.license = (u64)(uintptr_t)license;
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int load_empty(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load(insns, ARRAY_SIZE(insns));
}

/*
 * Loads a program that calls bpf_trace_printk(message, sizeof(message)), with the message on the
 * stack.
 */
static int load_print(void)
{
	s32 words[4];
	struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = BPF_REG_10, .off = -16 },
		{ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = BPF_REG_10, .off = -12 },
		{ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = BPF_REG_10, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -16 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_2,
		  .imm = sizeof(message) },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_trace_printk },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	memcpy(words, message, sizeof(words));
	for (int i = 0; i < 4; i++)
		insns[i].imm = words[i];
	return load(insns, ARRAY_SIZE(insns));
}

/*
 * Finds usleep(): the library's path and the offset in its file. Returns 0 or -errno with a reason.
 */
static int find_usleep(const char **path, u64 *offset, struct reason *r)
{
	Dl_info info;
	void *address = dlsym(RTLD_DEFAULT, "usleep");
	struct elf *e;
	u64 at;
	int err;

	if (!address || !dladdr(address, &info) || !info.dli_fname)
		return reason_set(r, ENOENT, "cannot find usleep() in the C library");
	err = elf_open(info.dli_fname, &e, r);
	if (err)
		return err;
	*path = info.dli_fname;
	at = (u64)(uintptr_t)address - (u64)(uintptr_t)info.dli_fbase;
	*offset = 0;
	for (u32 i = 0; i < elf_segment_count(e) && !*offset; i++) {
		const struct elf_segment *s = elf_segment_at(e, i);

		if (s->type != PT_LOAD || at < s->vaddr || at - s->vaddr >= s->file_size)
			continue;
		*offset = at - s->vaddr + s->offset;
	}
	elf_close(e);
	return *offset ? 0
		       : reason_set(r, ENOENT, "usleep() is in no segment of '%s'", info.dli_fname);
}

static int open_probe(bool on_return, struct reason *r)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const char *path = NULL;
	u64 type, offset = 0;
	int fd, err = find_usleep(&path, &offset, r);

	if (err)
		return err;
	if (sys_read_u64(NULL, &type, "/sys/bus/event_source/devices/uprobe/type"))
		return reason_set(r, ENODEV, "this kernel has no PMU 'uprobe'");
	attr.type = (u32)type;
	attr.config = on_return;
	attr.config1 = (u64)(uintptr_t)path;
	attr.config2 = offset;
	/* one CPU carries the event; the program runs on all */
	fd = sys_perf_event_open(&attr, -1, 0, -1, 0);
	return fd < 0 ? reason_errno(r, -fd, "cannot probe usleep() in '%s'", path) : fd;
}

/*
 * Attaches a BPF program to a probe. Returns the descriptor that keeps both, or -errno with a
 * reason.
 */
static int attach(enum probe_kind kind, bool on_return, struct reason *r)
{
	int program = kind == PROBE_PRINT ? load_print() : load_empty(), fd, err = 0;

	if (program < 0) {
		reason_errno(r, -program, "cannot load a BPF program");
		reason_hint(r, "it needs root, or CAP_BPF and CAP_PERFMON");
		return program;
	}
	fd = open_probe(on_return, r);
	if (fd >= 0 && ioctl(fd, IOC_SET_BPF, program))
		err = reason_errno(r, errno, "cannot attach a BPF program to the probe");
	close(program);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Reports a run and compares it with the collection's first run and with the one before. */
static void report(struct bench *b, unsigned loops, u64 ns)
{
	double us = (double)ns / 1e3, per = us / loops;

	bench_metric(b, "total-time", us, "usec");
	bench_metric(b, "time-per-operation", per, "usec");
	if (b->format == BENCH_SIMPLE)
		bench_text(b, "%.3f\n", us / 1e6);
	if (b->format == BENCH_DEFAULT) {
		bench_text(b, "# Executed %u usleep(1000) calls\n", loops);
		bench_text(b, "     Total time: %.0f usecs", us);
		if (b->baseline > 0)
			bench_text(b, " %+.0f to baseline", us - b->baseline * loops);
		if (b->previous > 0)
			bench_text(b, " %+.0f to previous", us - b->previous * loops);
		bench_text(b, "\n\n %.3f usecs/op", per);
		if (b->baseline > 0)
			bench_text(b, " %.3f usecs/op to baseline", per - b->baseline);
		if (b->previous > 0)
			bench_text(b, " %.3f usecs/op to previous", per - b->previous);
		bench_text(b, "\n");
	}
	b->previous = b->baseline > 0 ? per : 0;
	b->baseline = b->baseline > 0 ? b->baseline : per;
}

static int run(struct bench *b, int argc, const char **argv, enum probe_kind kind, bool on_return)
{
	unsigned loops = 1000;
	const struct option_row rows[] = {
		{ OPTION_UINT, 'l', "loop", &loops, .help = "number of loops (default: 1000)" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv), fd = -1;
	struct reason r = REASON_INIT;
	u64 start;

	if (code)
		return bench_parsed(code);
	if (!loops) {
		say_error("--loop: at least one is needed");
		return EXIT_USAGE;
	}
	bench_begin(b);
	if (kind != PROBE_NONE) {
		fd = attach(kind, on_return, &r);
		if (fd < 0)
			return say_reason(&r);
	}
	start = clock_now();
	for (unsigned i = 0; i < loops; i++)
		usleep(1000);
	report(b, loops, clock_now() - start);
	if (fd >= 0)
		close(fd);
	return 0;
}

static int baseline(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, PROBE_NONE, false);
}

static int empty(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, PROBE_EMPTY, false);
}

static int print(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, PROBE_PRINT, false);
}

static int empty_return(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, PROBE_EMPTY, true);
}

static int print_return(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, PROBE_PRINT, true);
}

const struct benchmark uprobe_benchmarks[] = {
	{ "baseline", "Baseline libc usleep(1000) call", baseline },
	{ "empty", "Attach empty BPF prog to uprobe on usleep, system wide", empty },
	{ "trace_printk", "Attach trace_printk BPF prog to uprobe on usleep, system wide", print },
	{ "empty_ret", "Attach empty BPF prog to uretprobe on usleep, system wide", empty_return },
	{ "trace_printk_ret", "Attach trace_printk BPF prog to uretprobe on usleep, system wide",
	  print_return },
	{ NULL },
};
