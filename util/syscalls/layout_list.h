/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs that system calls take: "name:type[/kind] ...", with the layout of a C compiler for the
 * traced task's ABI. Types: s8 u8 s16 u16 s32 u32 s64 u64, long ulong ptr (the task's word), and
 * with [N] an array; char[N] is text. kind: a set of values, mode, dev, hex, sigset, fd. A field
 * that begins with '-' is shown only when all are requested; '_' is padding. A name with ".ARCH"
 * after it comes before the one without. A single field without a name is shown as its value.
 * Source: include/uapi of Linux.
 */
#ifndef SYSCALLS_LAYOUT_LIST_H
#define SYSCALLS_LAYOUT_LIST_H

static const struct layout_row {
	const char *name, *fields;
	bool packed;
} layout_rows[] = {
	/* the parts of bpf()'s union without an entry in commands_list.h */
	{ "bpf_attr", "word0:u32/hex word1:u32/hex word2:u32/hex word3:u32/hex", false },
	{ "bpf_attach",
	  "target_fd:u32/fd attach_bpf_fd:u32/fd attach_type:u32 attach_flags:u32/hex", false },
	{ "bpf_bind_map", "prog_fd:u32/fd map_fd:u32/fd flags:u32/hex", false },
	{ "bpf_btf_load",
	  "btf:u64/hex btf_log_buf:u64/hex btf_size:u32 btf_log_size:u32 btf_log_level:u32",
	  false },
	{ "bpf_elem", "map_fd:u32/fd _:u32 key:u64/hex value:u64/hex flags:u64/bpf_elem_flags",
	  false },
	{ "bpf_freeze", "map_fd:u32/fd", false },
	{ "bpf_id", "id:u32 -next_id:u32 -open_flags:u32/hex", false },
	{ "bpf_info", "bpf_fd:u32/fd info_len:u32 info:u64/hex", false },
	{ "bpf_link_create", "prog_fd:u32/fd target_fd:u32/fd attach_type:u32 flags:u32/hex",
	  false },
	{ "bpf_map_create",
	  "map_type:u32/bpf_map_type key_size:u32 value_size:u32 max_entries:u32 "
	  "map_flags:u32/bpf_map_flags "
	  "-inner_map_fd:u32 -numa_node:u32 map_name:char[16] -map_ifindex:u32 -btf_fd:u32 "
	  "-btf_key_type_id:u32 -btf_value_type_id:u32",
	  false },
	{ "bpf_next_id", "start_id:u32 -next_id:u32 -open_flags:u32/hex", false },
	{ "bpf_obj", "pathname:u64/hex bpf_fd:u32 file_flags:u32/hex", false },
	{ "bpf_prog_load",
	  "prog_type:u32/bpf_prog_type insn_cnt:u32 insns:u64/hex license:u64/hex -log_level:u32 "
	  "-log_size:u32 -log_buf:u64/hex -kern_version:u32/hex -prog_flags:u32/hex "
	  "prog_name:char[16] "
	  "-prog_ifindex:u32 -expected_attach_type:u32 -prog_btf_fd:u32",
	  false },
	{ "bpf_raw_tp", "name:u64/hex prog_fd:u32/fd", false },
	{ "bpf_stats", "type:u32", false },
	{ "bpf_test_run",
	  "prog_fd:u32/fd -retval:u32 data_size_in:u32 data_size_out:u32 -data_in:u64/hex "
	  "-data_out:u64/hex "
	  "repeat:u32",
	  false },
	{ "cachestat",
	  "nr_cache:u64 nr_dirty:u64 nr_writeback:u64 nr_evicted:u64 nr_recently_evicted:u64",
	  false },
	{ "cachestat_range", "off:u64 len:u64", false },
	/* of version 3; others have the first three fields only */
	{ "cap_data",
	  "effective:u32/cap_low permitted:u32/cap_low inheritable:u32/cap_low "
	  "effective_high:u32/cap_high "
	  "permitted_high:u32/cap_high inheritable_high:u32/cap_high",
	  false },
	{ "cap_header", "version:u32/cap_version pid:s32", false },
	{ "futex_waitv", "val:u64 uaddr:u64/hex flags:u32/futex2_flags _:u32", false },
	{ "group", ":u32", false },
	{ "io_event", "data:u64/hex obj:u64/hex res:s64 -res2:s64", false },
	{ "landlock_ruleset",
	  "handled_access_fs:u64/landlock_fs -handled_access_net:u64/hex -scoped:u64/hex", false },
	{ "mount_attr_args",
	  "attr_set:u64/mount_attr attr_clr:u64/mount_attr propagation:u64/mount_propagation "
	  "userns_fd:u64",
	  false },
	{ "mq_attr", "mq_flags:long/open_flags mq_maxmsg:long mq_msgsize:long mq_curmsgs:long",
	  false },
	{ "sembuf", "sem_num:u16 sem_op:s16 sem_flg:u16/sem_flags", false },
	{ "sigevent",
	  "sigev_value:ptr/hex sigev_signo:s32/signals sigev_notify:s32/sigev_notify "
	  "-sigev_notify_thread_id:s32",
	  false },
	/* of 64 bits: what follows the three numbers is aligned */
	{ "siginfo",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_code _:s32 si_pid:s32 si_uid:u32 "
	  "si_value:ptr/hex",
	  false },
	{ "siginfo.i386",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_code si_pid:s32 si_uid:u32 "
	  "si_value:ptr/hex",
	  false },
	{ "siginfo.arm",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_code si_pid:s32 si_uid:u32 "
	  "si_value:ptr/hex",
	  false },
	{ "siginfo.ppc",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_code si_pid:s32 si_uid:u32 "
	  "si_value:ptr/hex",
	  false },
	{ "siginfo_child",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_child _:s32 si_pid:s32 si_uid:u32 "
	  "si_status:s32",
	  false },
	{ "siginfo_child.i386",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_child si_pid:s32 si_uid:u32 "
	  "si_status:s32",
	  false },
	{ "siginfo_child.arm",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_child si_pid:s32 si_uid:u32 "
	  "si_status:s32",
	  false },
	{ "siginfo_child.ppc",
	  "si_signo:s32/signals -si_errno:s32 si_code:u32/si_child si_pid:s32 si_uid:u32 "
	  "si_status:s32",
	  false },
	{ "timex",
	  "modes:u32/adj_modes offset:long freq:long -maxerror:long -esterror:long "
	  "status:s32/time_status -constant:long "
	  "-precision:long -tolerance:long time.tv_sec:long time.tv_usec:long -tick:long",
	  false },
	{ "uring_params",
	  "sq_entries:u32 cq_entries:u32 flags:u32/uring_setup -sq_thread_cpu:u32 "
	  "-sq_thread_idle:u32 "
	  "features:u32/uring_features -wq_fd:u32",
	  false },
	{ "clone_args",
	  "flags:u64/clone_flags -pidfd:u64/hex -child_tid:u64/hex -parent_tid:u64/hex "
	  "exit_signal:u64/signals stack:u64/hex stack_size:u64/hex -tls:u64/hex -set_tid:u64/hex "
	  "-set_tid_size:u64 -cgroup:u64",
	  false },
	{ "epoll_event", "events:u32/epoll_events data:u64/hex", false },
	{ "epoll_event.x86_64", "events:u32/epoll_events data:u64/hex", true },
	{ "itimerspec",
	  "it_interval.tv_sec:long it_interval.tv_nsec:long it_value.tv_sec:long "
	  "it_value.tv_nsec:long",
	  false },
	{ "itimerspec.64",
	  "it_interval.tv_sec:s64 it_interval.tv_nsec:s64 it_value.tv_sec:s64 it_value.tv_nsec:s64",
	  false },
	{ "itimerval",
	  "it_interval.tv_sec:long it_interval.tv_usec:long it_value.tv_sec:long "
	  "it_value.tv_usec:long",
	  false },
	{ "open_how", "flags:u64/open_flags mode:u64/mode resolve:u64/resolve_flags", false },
	{ "perf_event_attr",
	  "type:u32/perf_type size:u32 config:u64/hex sample_period:u64 "
	  "sample_type:u64/perf_sample read_format:u64/perf_read_format flags:u64/perf_attr_flags "
	  "-wakeup_events:u32 -bp_type:u32/hex -config1:u64/hex -config2:u64/hex "
	  "-branch_sample_type:u64/hex "
	  "-sample_regs_user:u64/hex -sample_stack_user:u32 -clockid:s32 -sample_regs_intr:u64/hex",
	  false },
	{ "linger", "l_onoff:s32 l_linger:s32", false },
	{ "pollfd", "fd:s32/fd events:s16/poll_events revents:s16/poll_events", false },
	{ "rlimits", "rlim_cur:ulong/limit rlim_max:ulong/limit", false },
	{ "rlimit64", "rlim_cur:u64/limit rlim_max:u64/limit", false },
	{ "rusage",
	  "ru_utime.tv_sec:long ru_utime.tv_usec:long ru_stime.tv_sec:long ru_stime.tv_usec:long "
	  "-ru_maxrss:long _1:long _2:long _3:long -ru_minflt:long -ru_majflt:long",
	  false },
	{ "sigaction",
	  "sa_handler:ptr/handler sa_flags:ulong/sa_flags -sa_restorer:ptr/hex sa_mask:u64/sigset",
	  false },
	{ "sigaction.aarch64", "sa_handler:ptr/handler sa_flags:ulong/sa_flags sa_mask:u64/sigset",
	  false },
	{ "stack", "ss_sp:ptr/hex ss_flags:s32 ss_size:ulong", false },
	{ "stat.x86_64",
	  "-st_dev:u64/dev -st_ino:u64 -st_nlink:u64 st_mode:u32/mode -st_uid:u32 -st_gid:u32 "
	  "_:u32 st_rdev:u64/devif "
	  "st_size:s64 -st_blksize:s64 -st_blocks:s64",
	  false },
	{ "stat.ppc64le",
	  "-st_dev:u64/dev -st_ino:u64 -st_nlink:u64 st_mode:u32/mode -st_uid:u32 -st_gid:u32 "
	  "_:u32 st_rdev:u64/devif "
	  "st_size:s64 -st_blksize:s64 -st_blocks:s64",
	  false },
	{ "stat.i386",
	  "-st_dev:u32/dev -st_ino:u32 st_mode:u16/mode -st_nlink:u16 -st_uid:u16 -st_gid:u16 "
	  "st_rdev:u32/devif st_size:u32",
	  false },
	{ "stat",
	  "-st_dev:u64/dev -st_ino:u64 st_mode:u32/mode -st_nlink:u32 -st_uid:u32 -st_gid:u32 "
	  "st_rdev:u64/devif _:u64 "
	  "st_size:s64 -st_blksize:s32 _2:s32 -st_blocks:s64",
	  false },
	{ "stat64",
	  "-st_dev:u64/dev _1:u32 _2:u32 st_mode:u32/mode -st_nlink:u32 -st_uid:u32 -st_gid:u32 "
	  "st_rdev:u64/devif "
	  "_3:u32 st_size:s64",
	  true },
	{ "statfs",
	  "f_type:long/fs_magic f_bsize:long f_blocks:long f_bfree:long -f_bavail:long "
	  "-f_files:long -f_ffree:long "
	  "-f_fsid:u64/hex -f_namelen:long -f_frsize:long -f_flags:long/hex",
	  false },
	{ "statx",
	  "stx_mask:u32/statx_mask -stx_blksize:u32 -stx_attributes:u64/hex -stx_nlink:u32 "
	  "-stx_uid:u32 -stx_gid:u32 "
	  "stx_mode:u16/mode _1:u16 -stx_ino:u64 stx_size:u64",
	  false },
	{ "sysinfo",
	  "uptime:long -load0:ulong -load1:ulong -load2:ulong totalram:ulong freeram:ulong",
	  false },
	{ "timespec", "tv_sec:long tv_nsec:long", false },
	{ "timespec.64", "tv_sec:s64 tv_nsec:s64", false },
	{ "timespec2",
	  "atime.tv_sec:long atime.tv_nsec:long/utime mtime.tv_sec:long mtime.tv_nsec:long/utime",
	  false },
	{ "timespec2.64",
	  "atime.tv_sec:s64 atime.tv_nsec:s64/utime mtime.tv_sec:s64 mtime.tv_nsec:s64/utime",
	  false },
	{ "timeval", "tv_sec:long tv_usec:long", false },
	{ "timeval2", "atime.tv_sec:long atime.tv_usec:long mtime.tv_sec:long mtime.tv_usec:long",
	  false },
	{ "tms", "tms_utime:long tms_stime:long tms_cutime:long tms_cstime:long", false },
	{ "utimbuf", "actime:long modtime:long", false },
	{ "utsname",
	  "sysname:char[65] nodename:char[65] -release:char[65] -version:char[65] "
	  "-machine:char[65]",
	  false },
	{ "f_owner_ex", "type:s32/f_owner pid:s32", false },
	{ "fiemap",
	  "fm_start:u64 fm_length:u64 fm_flags:u32/hex -fm_mapped_extents:u32 fm_extent_count:u32",
	  false },
	{ "file_clone_range", "src_fd:s64 src_offset:u64 src_length:u64 dest_offset:u64", false },
	{ "flock", "l_type:s16/lock_type l_whence:s16/whence l_start:long l_len:long l_pid:s32",
	  false },
	{ "flock64", "l_type:s16/lock_type l_whence:s16/whence l_start:s64 l_len:s64 l_pid:s32",
	  false },
	{ "hd_geometry", "heads:u8 sectors:u8 cylinders:u16 start:ulong", false },
	{ "ifconf", "ifc_len:s32 ifc_buf:ptr/hex", false },
	{ "ifreq_addr", "ifr_name:char[16] ifr_addr:u8[16]/sockaddr", false },
	{ "ifreq_flags", "ifr_name:char[16] ifr_flags:u16/if_flags", false },
	{ "ifreq_hwaddr", "ifr_name:char[16] _:u16 ifr_hwaddr:u8[6]/mac", false },
	{ "ifreq_index", "ifr_name:char[16] ifr_index:s32", false },
	{ "ifreq_mtu", "ifr_name:char[16] ifr_mtu:s32", false },
	{ "ifreq_qlen", "ifr_name:char[16] ifr_qlen:s32", false },
	{ "inode_flags", "flags:u32/inode_flags", false },
	{ "range", "start:u64 length:u64", false },
	{ "rtc_time", "tm_sec:s32 tm_min:s32 tm_hour:s32 tm_mday:s32 tm_mon:s32 tm_year:s32",
	  false },
	{ "sched_attr",
	  "size:u32 sched_policy:u32/sched_policy sched_flags:u64/sched_flags sched_nice:s32 "
	  "sched_priority:u32 "
	  "-sched_runtime:u64 -sched_deadline:u64 -sched_period:u64 -sched_util_min:u32 "
	  "-sched_util_max:u32",
	  false },
	{ "termios",
	  "c_iflag:u32/termios_iflag c_oflag:u32/termios_oflag c_cflag:u32/termios_cflag "
	  "c_lflag:u32/termios_lflag "
	  "-c_line:u8",
	  false },
	{ "termios.ppc64",
	  "c_iflag:u32/termios_iflag c_oflag:u32/termios_oflag c_cflag:u32/termios_cflag "
	  "c_lflag:u32/termios_lflag "
	  "_cc:u8[19] -c_line:u8",
	  false },
	{ "termios.ppc64le",
	  "c_iflag:u32/termios_iflag c_oflag:u32/termios_oflag c_cflag:u32/termios_cflag "
	  "c_lflag:u32/termios_lflag "
	  "_cc:u8[19] -c_line:u8",
	  false },
	{ "winsize", "ws_row:u16 ws_col:u16 ws_xpixel:u16 ws_ypixel:u16", false },
};

#endif
