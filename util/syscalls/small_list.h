/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls of 32-bit tasks that take 64-bit numbers in two registers, that the kernel has
 * kept only for old programs, or whose arguments come in another order. The format is that of
 * table_list.h, which has all others. "name:+kind" takes two registers: the upper half comes first
 * on big-endian machines. On Arm and PowerPC the first of them has an even number, and the one
 * before it may stay unused. "name:=kind" takes the next two, the lower half first, everywhere.
 * machine: 0 for all. Source: arch/x86/kernel/sys_ia32.c, arch/arm/kernel/entry-common.S,
 * arch/powerpc/kernel/sys_ppc32.c, the __ARCH_WANT_COMPAT_ and CONFIG_CLONE_BACKWARDS choices,
 * kernel/signal.c, ipc/syscall.c, net/socket.c.
 */
#ifndef SYSCALLS_SMALL_LIST_H
#define SYSCALLS_SMALL_LIST_H

enum { FOR_X86 = 3, FOR_PPC = 20, FOR_ARM = 40 }; /* EM_386, EM_PPC, EM_ARM */

static const struct small_row {
	u16 machine;
	struct call_row row;
} small_rows[] = {
	{ 0, { "_sysctl", "args:hex", "" } },
	{ 0, { "afs_syscall", "", "" } },
	{ FOR_ARM, { "arm_fadvise64_64", "fd:fd advice:fadvise offset:+off len:+off", "" } },
	{ FOR_ARM,
	  { "arm_sync_file_range", "fd:fd flags:sync_range offset:+off nbytes:+off", "" } },
	{ 0, { "bdflush", "func:int data:long", "" } },
	{ 0, { "break", "", "" } },
	{ 0, { "create_module", "", "" } },
	{ 0, { "fadvise64", "fd:fd offset:+off len:ulong advice:fadvise", "" } },
	{ FOR_PPC, { "fadvise64_64", "fd:fd advice:fadvise offset:+off len:+off", "" } },
	{ 0, { "fadvise64_64", "fd:fd offset:+off len:+off advice:fadvise", "" } },
	{ 0, { "fallocate", "fd:fd mode:falloc_mode offset:+off len:+off", "" } },
	{ 0,
	  { "fanotify_mark", "fanotify_fd:fd flags:fan_mark mask:+fan_mask dfd:dir pathname:path",
	    "" } },
	{ 0, { "fstatfs64", "fd:fd sz:ulong buf:hex", "" } },
	{ 0, { "ftime", "", "" } },
	{ 0, { "ftruncate64", "fd:fd length:+off", "" } },
	{ 0, { "get_kernel_syms", "", "" } },
	{ 0, { "getpmsg", "", "" } },
	{ 0, { "gtty", "", "" } },
	{ 0, { "idle", "", "" } },
	{ 0, { "ipc", "call:ipc_call first:int second:ulong third:ulong ptr:hex fifth:long", "" } },
	{ 0, { "lock", "", "" } },
	{ 0, { "lookup_dcookie", "cookie64:+hex buf:hex len:ulong", "" } },
	{ 0, { "lsm_get_self_attr", "attr:uint ctx:hex size:hex flags:hex32", "" } },
	{ 0, { "lsm_list_modules", "ids:hex size:hex flags:hex32", "" } },
	{ 0, { "lsm_set_self_attr", "attr:uint ctx:hex size:uint flags:hex32", "" } },
	{ FOR_X86, { "mmap", "arg:hex", "x" } },
	{ 0, { "mpx", "", "" } },
	{ 0, { "nfsservctl", "", "" } },
	{ 0, { "nice", "increment:int", "" } },
	{ 0, { "oldfstat", "fd:fd statbuf:hex", "" } },
	{ 0, { "oldlstat", "filename:path statbuf:hex", "" } },
	{ 0, { "oldolduname", "name:hex", "" } },
	{ 0, { "oldstat", "filename:path statbuf:hex", "" } },
	{ 0, { "olduname", "name:hex", "" } },
	{ 0, { "pciconfig_iobase", "which:long bus:ulong devfn:ulong", "" } },
	{ 0, { "pciconfig_read", "bus:ulong dfn:ulong off:ulong len:ulong buf:hex", "" } },
	{ 0, { "pciconfig_write", "bus:ulong dfn:ulong off:ulong len:ulong buf:hex", "" } },
	{ 0, { "pread64", "fd:fd buf:>buf@2 count:ulong pos:+long", "" } },
	{ 0, { "preadv", "fd:fd vec:>iovec@2 vlen:ulong pos:=long", "" } },
	{ 0, { "preadv2", "fd:fd vec:>iovec@2 vlen:ulong pos:=long flags:rwf_flags", "" } },
	{ 0, { "prof", "", "" } },
	{ 0, { "profil", "", "" } },
	{ 0, { "putpmsg", "", "" } },
	{ 0, { "pwrite64", "fd:fd buf:buf@2 count:ulong pos:+long", "" } },
	{ 0, { "pwritev", "fd:fd vec:iovec@2 vlen:ulong pos:=long", "" } },
	{ 0, { "pwritev2", "fd:fd vec:iovec@2 vlen:ulong pos:=long flags:rwf_flags", "" } },
	{ 0, { "query_module", "", "" } },
	{ 0, { "readahead", "fd:fd offset:+off count:ulong", "" } },
	{ 0, { "readdir", "fd:fd dirent:hex count:uint", "" } },
	{ 0, { "removexattrat", "dfd:dir pathname:path at_flags:at_flags name:text", "" } },
	{ FOR_X86, { "select", "arg:hex", "timeout" } },
	{ 0,
	  { "setxattrat", "dfd:dir pathname:path at_flags:at_flags name:text uargs:hex usize:ulong",
	    "" } },
	{ 0, { "sgetmask", "", "x" } },
	{ 0, { "sigaction", "sig:sig act:hex oact:hex", "" } },
	{ 0, { "signal", "sig:sig handler:hex", "x" } },
	{ 0, { "sigpending", "set:hex", "" } },
	{ 0, { "sigprocmask", "how:sig_how set:hex oset:hex", "" } },
	{ FOR_PPC, { "sigsuspend", "mask:hex32", "" } },
	{ 0, { "sigsuspend", "unused1:none unused2:none mask:hex32", "" } },
	{ 0, { "socketcall", "call:socketcall args:socketcall_args", "" } },
	{ 0, { "ssetmask", "newmask:hex32", "x" } },
	{ 0, { "statfs64", "pathname:path sz:ulong buf:hex", "" } },
	{ 0, { "stime", "tptr:hex", "" } },
	{ 0, { "stty", "", "" } },
	{ 0, { "sync_file_range", "fd:fd offset:+off nbytes:+off flags:sync_range", "" } },
	{ 0, { "sync_file_range2", "fd:fd flags:sync_range offset:+off nbytes:+off", "" } },
	{ 0, { "truncate64", "path:path length:+long", "" } },
	{ 0, { "ulimit", "", "" } },
	{ 0, { "umount", "name:path", "" } },
	{ 0, { "vm86", "cmd:ulong v86:hex", "" } },
	{ 0, { "vm86old", "v86:hex", "" } },
	{ 0, { "vserver", "", "" } },
};

#endif
