/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the last argument of a call with commands points to. By call and command: a struct of
 * layout_list.h; "s32" ... "u64", "long" for a number; or "comm" for a name. 'i': the call reads
 * it, 'o': it fills it. Numbers of ioctl are those of x86-64 and arm64; ioctl_number() converts
 * them to those of powerpc and of 32 bits. Source: include/uapi/asm-generic/ioctls.h, linux/fs.h,
 * linux/sockios.h, asm-generic/fcntl.h, linux/bpf.h.
 */
#ifndef SYSCALLS_COMMANDS_LIST_H
#define SYSCALLS_COMMANDS_LIST_H

static const struct command_row {
	u8 which; /* enum syscall_commands */
	u32 command;
	const char *what, *way;
} command_rows[] = {
	{ COMMANDS_IOCTL, 0x5401, "termios", "o" }, /* TCGETS */
	{ COMMANDS_IOCTL, 0x5402, "termios", "i" },
	{ COMMANDS_IOCTL, 0x5403, "termios", "i" },
	{ COMMANDS_IOCTL, 0x5404, "termios", "i" },
	{ COMMANDS_IOCTL, 0x540f, "s32", "o" }, /* TIOCGPGRP */
	{ COMMANDS_IOCTL, 0x5410, "s32", "i" },
	{ COMMANDS_IOCTL, 0x5411, "s32", "o" }, /* TIOCOUTQ */
	{ COMMANDS_IOCTL, 0x5413, "winsize", "o" },
	{ COMMANDS_IOCTL, 0x5414, "winsize", "i" },
	{ COMMANDS_IOCTL, 0x5415, "s32", "o" },     /* TIOCMGET */
	{ COMMANDS_IOCTL, 0x541b, "s32", "o" },     /* FIONREAD */
	{ COMMANDS_IOCTL, 0x5421, "s32", "i" },     /* FIONBIO */
	{ COMMANDS_IOCTL, 0x5429, "s32", "o" },     /* TIOCGSID */
	{ COMMANDS_IOCTL, 0x5452, "s32", "i" },     /* FIOASYNC */
	{ COMMANDS_IOCTL, 0x80045430, "s32", "o" }, /* TIOCGPTN */
	{ COMMANDS_IOCTL, 0x40045431, "s32", "i" }, /* TIOCSPTLCK */
	{ COMMANDS_IOCTL, 0x80045439, "s32", "o" }, /* TIOCGPTLCK */
	{ COMMANDS_IOCTL, 0x301, "hd_geometry", "o" },
	{ COMMANDS_IOCTL, 0x125e, "s32", "o" },     /* BLKROGET */
	{ COMMANDS_IOCTL, 0x1260, "long", "o" },    /* BLKGETSIZE */
	{ COMMANDS_IOCTL, 0x1268, "s32", "o" },     /* BLKSSZGET */
	{ COMMANDS_IOCTL, 0x1277, "range", "i" },   /* BLKDISCARD */
	{ COMMANDS_IOCTL, 0x127b, "u32", "o" },     /* BLKPBSZGET */
	{ COMMANDS_IOCTL, 0x80081270, "s32", "o" }, /* BLKBSZGET */
	{ COMMANDS_IOCTL, 0x40081271, "s32", "i" },
	{ COMMANDS_IOCTL, 0x80081272, "u64", "o" }, /* BLKGETSIZE64 */
	{ COMMANDS_IOCTL, 0x80086601, "inode_flags", "o" },
	{ COMMANDS_IOCTL, 0x40086602, "inode_flags", "i" },
	{ COMMANDS_IOCTL, 0x80087601, "u32", "o" }, /* FS_IOC_GETVERSION */
	{ COMMANDS_IOCTL, 0x40087602, "u32", "i" },
	{ COMMANDS_IOCTL, 0xc020660b, "fiemap", "io" },
	{ COMMANDS_IOCTL, 0x4020940d, "file_clone_range", "i" },
	{ COMMANDS_IOCTL, 0x80082407, "u64", "o" }, /* PERF_EVENT_IOC_ID */
	{ COMMANDS_IOCTL, 0x40082404, "u64", "i" }, /* PERF_EVENT_IOC_PERIOD */
	{ COMMANDS_IOCTL, 0x80045200, "s32", "o" }, /* RNDGETENTCNT */
	{ COMMANDS_IOCTL, 0x80247009, "rtc_time", "o" },
	{ COMMANDS_IOCTL, 0x8910, "ifreq_index", "io" }, /* SIOCGIFNAME */
	{ COMMANDS_IOCTL, 0x8912, "ifconf", "io" },
	{ COMMANDS_IOCTL, 0x8913, "ifreq_flags", "io" },
	{ COMMANDS_IOCTL, 0x8914, "ifreq_flags", "i" },
	{ COMMANDS_IOCTL, 0x8915, "ifreq_addr", "io" },
	{ COMMANDS_IOCTL, 0x8916, "ifreq_addr", "i" },
	{ COMMANDS_IOCTL, 0x8919, "ifreq_addr", "io" }, /* SIOCGIFBRDADDR */
	{ COMMANDS_IOCTL, 0x891b, "ifreq_addr", "io" }, /* SIOCGIFNETMASK */
	{ COMMANDS_IOCTL, 0x891c, "ifreq_addr", "i" },
	{ COMMANDS_IOCTL, 0x8921, "ifreq_mtu", "io" },
	{ COMMANDS_IOCTL, 0x8922, "ifreq_mtu", "i" },
	{ COMMANDS_IOCTL, 0x8927, "ifreq_hwaddr", "io" },
	{ COMMANDS_IOCTL, 0x8933, "ifreq_index", "io" },
	{ COMMANDS_IOCTL, 0x8942, "ifreq_qlen", "io" }, /* SIOCGIFTXQLEN */
	{ COMMANDS_FCNTL, 5, "flock", "io" },
	{ COMMANDS_FCNTL, 6, "flock", "i" },
	{ COMMANDS_FCNTL, 7, "flock", "i" },
	{ COMMANDS_FCNTL, 12, "flock64", "io" }, /* numbers of 32-bit tasks */
	{ COMMANDS_FCNTL, 13, "flock64", "i" },
	{ COMMANDS_FCNTL, 14, "flock64", "i" },
	{ COMMANDS_FCNTL, 15, "f_owner_ex", "i" },
	{ COMMANDS_FCNTL, 16, "f_owner_ex", "o" },
	{ COMMANDS_FCNTL, 36, "flock64", "io" }, /* OFD_GETLK */
	{ COMMANDS_FCNTL, 37, "flock64", "i" },
	{ COMMANDS_FCNTL, 38, "flock64", "i" },
	{ COMMANDS_FCNTL, 1035, "u64", "o" }, /* GET_RW_HINT */
	{ COMMANDS_FCNTL, 1036, "u64", "i" },
	{ COMMANDS_FCNTL, 1037, "u64", "o" },
	{ COMMANDS_FCNTL, 1038, "u64", "i" },
	{ COMMANDS_BPF, 0, "bpf_map_create", "i" },
	{ COMMANDS_BPF, 1, "bpf_elem", "i" },
	{ COMMANDS_BPF, 2, "bpf_elem", "i" },
	{ COMMANDS_BPF, 3, "bpf_elem", "i" },
	{ COMMANDS_BPF, 4, "bpf_elem", "i" },
	{ COMMANDS_BPF, 5, "bpf_prog_load", "i" },
	{ COMMANDS_BPF, 6, "bpf_obj", "i" },
	{ COMMANDS_BPF, 7, "bpf_obj", "i" },
	{ COMMANDS_BPF, 8, "bpf_attach", "i" },
	{ COMMANDS_BPF, 9, "bpf_attach", "i" },
	{ COMMANDS_BPF, 10, "bpf_test_run", "i" },
	{ COMMANDS_BPF, 11, "bpf_next_id", "i" },
	{ COMMANDS_BPF, 12, "bpf_next_id", "i" },
	{ COMMANDS_BPF, 13, "bpf_id", "i" },
	{ COMMANDS_BPF, 14, "bpf_id", "i" },
	{ COMMANDS_BPF, 15, "bpf_info", "i" },
	{ COMMANDS_BPF, 17, "bpf_raw_tp", "i" },
	{ COMMANDS_BPF, 18, "bpf_btf_load", "i" },
	{ COMMANDS_BPF, 19, "bpf_id", "i" },
	{ COMMANDS_BPF, 21, "bpf_elem", "i" },
	{ COMMANDS_BPF, 22, "bpf_freeze", "i" },
	{ COMMANDS_BPF, 23, "bpf_next_id", "i" },
	{ COMMANDS_BPF, 28, "bpf_link_create", "i" },
	{ COMMANDS_BPF, 30, "bpf_id", "i" },
	{ COMMANDS_BPF, 31, "bpf_next_id", "i" },
	{ COMMANDS_BPF, 32, "bpf_stats", "i" },
	{ COMMANDS_BPF, 35, "bpf_bind_map", "i" },
	{ COMMANDS_PRCTL, 2, "s32", "o" },   /* GET_PDEATHSIG */
	{ COMMANDS_PRCTL, 15, "comm", "i" }, /* SET_NAME */
	{ COMMANDS_PRCTL, 16, "comm", "o" },
	{ COMMANDS_PRCTL, 37, "s32", "o" }, /* GET_CHILD_SUBREAPER */
};

#endif
