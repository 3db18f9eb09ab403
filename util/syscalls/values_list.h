/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of numbers, as in the kernel's interface on x86-64 and, if they are the same, everywhere.
 *
 * They are numbers, not macros of this build's C library, since recordings of other machines are
 * read as well. Source: include/uapi of Linux (asm-generic and the subsystem of each set).
 */
#ifndef SYSCALLS_VALUES_LIST_H
#define SYSCALLS_VALUES_LIST_H

static const struct value_name open_flags_names[] = {
	{ 0x1, "WRONLY" },        { 0x2, "RDWR" },         { 0x40, "CREAT" },
	{ 0x80, "EXCL" },         { 0x100, "NOCTTY" },     { 0x200, "TRUNC" },
	{ 0x400, "APPEND" },      { 0x800, "NONBLOCK" },   { 0x101000, "SYNC" },
	{ 0x1000, "DSYNC" },      { 0x4000, "DIRECT" },    { 0x8000, "LARGEFILE" },
	{ 0x10000, "DIRECTORY" }, { 0x20000, "NOFOLLOW" }, { 0x40000, "NOATIME" },
	{ 0x80000, "CLOEXEC" },   { 0x200000, "PATH" },    { 0x410000, "TMPFILE" },
	{ 0x2000, "ASYNC" },
};
static const struct value_name at_flags_names[] = {
	{ 0x100, "SYMLINK_NOFOLLOW" }, { 0x200, "REMOVEDIR" },   { 0x400, "SYMLINK_FOLLOW" },
	{ 0x800, "NO_AUTOMOUNT" },     { 0x1000, "EMPTY_PATH" }, { 0x2000, "STATX_FORCE_SYNC" },
	{ 0x4000, "STATX_DONT_SYNC" }, { 0x8000, "RECURSIVE" },
};
static const struct value_name faccess_flags_names[] = {
	{ 0x100, "SYMLINK_NOFOLLOW" },
	{ 0x200, "EACCESS" },
	{ 0x1000, "EMPTY_PATH" },
};
static const struct value_name access_mode_names[] = {
	{ 0, "F" },
	{ 0x4, "R" },
	{ 0x2, "W" },
	{ 0x1, "X" },
};
static const struct value_name prot_names[] = {
	{ 0, "NONE" },
	{ 0x1, "READ" },
	{ 0x2, "WRITE" },
	{ 0x4, "EXEC" },
	{ 0x8, "SEM" },
	{ 0x1000000, "GROWSDOWN" },
	{ 0x2000000, "GROWSUP" },
};
static const struct value_name map_flags_names[] = {
	{ 0x1, "SHARED" },        { 0x2, "PRIVATE" },      { 0x10, "FIXED" },
	{ 0x20, "ANONYMOUS" },    { 0x100, "GROWSDOWN" },  { 0x800, "DENYWRITE" },
	{ 0x1000, "EXECUTABLE" }, { 0x2000, "LOCKED" },    { 0x4000, "NORESERVE" },
	{ 0x8000, "POPULATE" },   { 0x10000, "NONBLOCK" }, { 0x20000, "STACK" },
	{ 0x40000, "HUGETLB" },   { 0x80000, "SYNC" },     { 0x100000, "FIXED_NOREPLACE" },
	{ 0x40, "32BIT" },
};
static const struct value_name mremap_flags_names[] = {
	{ 0x1, "MAYMOVE" },
	{ 0x2, "FIXED" },
	{ 0x4, "DONTUNMAP" },
};
static const struct value_name msync_flags_names[] = {
	{ 0x1, "ASYNC" },
	{ 0x2, "INVALIDATE" },
	{ 0x4, "SYNC" },
};
static const struct value_name mlock_flags_names[] = {
	{ 0x1, "ONFAULT" },
};
static const struct value_name mlockall_flags_names[] = {
	{ 0x1, "CURRENT" },
	{ 0x2, "FUTURE" },
	{ 0x4, "ONFAULT" },
};
static const struct value_name madvise_names[] = {
	{ 0, "NORMAL" },      { 1, "RANDOM" },          { 2, "SEQUENTIAL" },
	{ 3, "WILLNEED" },    { 4, "DONTNEED" },        { 8, "FREE" },
	{ 9, "REMOVE" },      { 10, "DONTFORK" },       { 11, "DOFORK" },
	{ 12, "MERGEABLE" },  { 13, "UNMERGEABLE" },    { 14, "HUGEPAGE" },
	{ 15, "NOHUGEPAGE" }, { 16, "DONTDUMP" },       { 17, "DODUMP" },
	{ 18, "WIPEONFORK" }, { 19, "KEEPONFORK" },     { 20, "COLD" },
	{ 21, "PAGEOUT" },    { 22, "POPULATE_READ" },  { 23, "POPULATE_WRITE" },
	{ 100, "HWPOISON" },  { 101, "SOFT_OFFLINE" },  { 24, "DONTNEED_LOCKED" },
	{ 25, "COLLAPSE" },   { 102, "GUARD_INSTALL" }, { 103, "GUARD_REMOVE" },
};
static const struct value_name whence_names[] = {
	{ 0, "SET" }, { 1, "CUR" }, { 2, "END" }, { 3, "DATA" }, { 4, "HOLE" },
};
/* clang-format off */
static const struct value_name fcntl_cmd_names[] = {
	{ 0, "DUPFD" }, { 1, "GETFD" }, { 2, "SETFD" }, { 3, "GETFL" }, { 4, "SETFL" },
	{ 5, "GETLK" }, { 6, "SETLK" }, { 7, "SETLKW" }, { 8, "SETOWN" }, { 9, "GETOWN" },
	{ 10, "SETSIG" }, { 11, "GETSIG" }, { 12, "GETLK64" }, { 13, "SETLK64" }, { 14, "SETLKW64" }, { 15, "SETOWN_EX" }, { 16, "GETOWN_EX" },
	{ 36, "OFD_GETLK" }, { 37, "OFD_SETLK" }, { 38, "OFD_SETLKW" }, { 1024, "SETLEASE" },
	{ 1025, "GETLEASE" }, { 1026, "NOTIFY" }, { 1030, "DUPFD_CLOEXEC" },
	{ 1031, "SETPIPE_SZ" }, { 1032, "GETPIPE_SZ" }, { 1033, "ADD_SEALS" },
	{ 1034, "GET_SEALS" }, { 1035, "GET_RW_HINT" }, { 1036, "SET_RW_HINT" },
	{ 1037, "GET_FILE_RW_HINT" }, { 1038, "SET_FILE_RW_HINT" },
};
static const struct value_name fd_flags_names[] = {
	{ 0x1, "CLOEXEC" },
};
static const struct value_name flock_cmd_names[] = {
	{ 0x1, "SH" }, { 0x2, "EX" }, { 0x4, "NB" }, { 0x8, "UN" },
};
static const struct value_name sig_how_names[] = {
	{ 0, "BLOCK" }, { 1, "UNBLOCK" }, { 2, "SETMASK" },
};
static const struct value_name sa_flags_names[] = {
	{ 0x1, "NOCLDSTOP" }, { 0x2, "NOCLDWAIT" }, { 0x4, "SIGINFO" },
	{ 0x4000000, "RESTORER" }, { 0x8000000, "ONSTACK" }, { 0x10000000, "RESTART" },
	{ 0x40000000, "NODEFER" }, { 0x80000000, "RESETHAND" },
};
static const struct value_name signals_names[] = {
	{ 1, "HUP" }, { 2, "INT" }, { 3, "QUIT" }, { 4, "ILL" }, { 5, "TRAP" }, { 6, "ABRT" },
	{ 7, "BUS" }, { 8, "FPE" }, { 9, "KILL" }, { 10, "USR1" }, { 11, "SEGV" },
	{ 12, "USR2" }, { 13, "PIPE" }, { 14, "ALRM" }, { 15, "TERM" }, { 16, "STKFLT" },
	{ 17, "CHLD" }, { 18, "CONT" }, { 19, "STOP" }, { 20, "TSTP" }, { 21, "TTIN" },
	{ 22, "TTOU" }, { 23, "URG" }, { 24, "XCPU" }, { 25, "XFSZ" }, { 26, "VTALRM" },
	{ 27, "PROF" }, { 28, "WINCH" }, { 29, "IO" }, { 30, "PWR" }, { 31, "SYS" },
};
static const struct value_name clone_flags_names[] = {
	{ 0x100, "VM" }, { 0x200, "FS" }, { 0x400, "FILES" }, { 0x800, "SIGHAND" },
	{ 0x1000, "PIDFD" }, { 0x2000, "PTRACE" }, { 0x4000, "VFORK" }, { 0x8000, "PARENT" },
	{ 0x10000, "THREAD" }, { 0x20000, "NEWNS" }, { 0x40000, "SYSVSEM" },
	{ 0x80000, "SETTLS" }, { 0x100000, "PARENT_SETTID" }, { 0x200000, "CHILD_CLEARTID" },
	{ 0x400000, "DETACHED" }, { 0x800000, "UNTRACED" }, { 0x1000000, "CHILD_SETTID" },
	{ 0x2000000, "NEWCGROUP" }, { 0x4000000, "NEWUTS" }, { 0x8000000, "NEWIPC" },
	{ 0x10000000, "NEWUSER" }, { 0x20000000, "NEWPID" }, { 0x40000000, "NEWNET" },
	{ 0x80000000, "IO" }, { 0x100000000, "CLEAR_SIGHAND" }, { 0x200000000, "INTO_CGROUP" },
	{ 0x80, "NEWTIME" },
};
static const struct value_name wait_options_names[] = {
	{ 0x1, "NOHANG" }, { 0x2, "UNTRACED" }, { 0x4, "EXITED" }, { 0x8, "CONTINUED" },
	{ 0x1000000, "NOWAIT" }, { 0x20000000, "NOTHREAD" }, { 0x40000000, "ALL" },
	{ 0x80000000, "CLONE" },
};
static const struct value_name waitid_which_names[] = {
	{ 0, "ALL" }, { 1, "PID" }, { 2, "PGID" }, { 3, "PIDFD" },
};
static const struct value_name rlimit_names[] = {
	{ 0, "CPU" }, { 1, "FSIZE" }, { 2, "DATA" }, { 3, "STACK" }, { 4, "CORE" }, { 5, "RSS" },
	{ 6, "NPROC" }, { 7, "NOFILE" }, { 8, "MEMLOCK" }, { 9, "AS" }, { 10, "LOCKS" },
	{ 11, "SIGPENDING" }, { 12, "MSGQUEUE" }, { 13, "NICE" }, { 14, "RTPRIO" },
	{ 15, "RTTIME" },
};
static const struct value_name rusage_who_names[] = {
	{ 0, "SELF" }, { 0xffffffff, "CHILDREN" }, { 1, "THREAD" },
};
static const struct value_name prio_which_names[] = {
	{ 0, "PROCESS" }, { 1, "PGRP" }, { 2, "USER" },
};
static const struct value_name ioprio_which_names[] = {
	{ 1, "PROCESS" }, { 2, "PGRP" }, { 3, "USER" },
};
static const struct value_name itimer_names[] = {
	{ 0, "REAL" }, { 1, "VIRTUAL" }, { 2, "PROF" },
};
static const struct value_name clockid_names[] = {
	{ 0, "REALTIME" }, { 1, "MONOTONIC" }, { 2, "PROCESS_CPUTIME_ID" },
	{ 3, "THREAD_CPUTIME_ID" }, { 4, "MONOTONIC_RAW" }, { 5, "REALTIME_COARSE" },
	{ 6, "MONOTONIC_COARSE" }, { 7, "BOOTTIME" }, { 8, "REALTIME_ALARM" },
	{ 9, "BOOTTIME_ALARM" }, { 11, "TAI" },
};
static const struct value_name timer_flags_names[] = {
	{ 0x1, "ABSTIME" },
};
static const struct value_name timerfd_flags_names[] = {
	{ 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" },
};
static const struct value_name timerfd_set_names[] = {
	{ 0x1, "ABSTIME" }, { 0x2, "CANCEL_ON_SET" },
};
static const struct value_name family_names[] = {
	{ 0, "UNSPEC" }, { 1, "LOCAL" }, { 2, "INET" }, { 3, "AX25" }, { 4, "IPX" },
	{ 5, "APPLETALK" }, { 6, "NETROM" }, { 7, "BRIDGE" }, { 8, "ATMPVC" }, { 9, "X25" },
	{ 10, "INET6" }, { 11, "ROSE" }, { 12, "DECnet" }, { 13, "NETBEUI" }, { 14, "SECURITY" },
	{ 15, "KEY" }, { 16, "NETLINK" }, { 17, "PACKET" }, { 18, "ASH" }, { 19, "ECONET" },
	{ 20, "ATMSVC" }, { 21, "RDS" }, { 22, "SNA" }, { 23, "IRDA" }, { 24, "PPPOX" },
	{ 25, "WANPIPE" }, { 26, "LLC" }, { 27, "IB" }, { 28, "MPLS" }, { 29, "CAN" },
	{ 30, "TIPC" }, { 31, "BLUETOOTH" }, { 32, "IUCV" }, { 33, "RXRPC" }, { 34, "ISDN" },
	{ 35, "PHONET" }, { 36, "IEEE802154" }, { 37, "CAIF" }, { 38, "ALG" }, { 39, "NFC" },
	{ 40, "VSOCK" }, { 41, "KCM" }, { 42, "QIPCRTR" }, { 43, "SMC" }, { 44, "XDP" },
	{ 45, "MCTP" },
};
static const struct value_name sock_type_names[] = {
	{ 1, "STREAM" }, { 2, "DGRAM" }, { 3, "RAW" }, { 4, "RDM" }, { 5, "SEQPACKET" },
	{ 6, "DCCP" }, { 10, "PACKET" },
};
static const struct value_name sock_flags_names[] = {
	{ 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" },
};
static const struct value_name ip_proto_names[] = {
	{ 0, "IP" }, { 1, "ICMP" }, { 2, "IGMP" }, { 4, "IPIP" }, { 8, "EGP" }, { 6, "TCP" },
	{ 12, "PUP" }, { 17, "UDP" }, { 22, "IDP" }, { 29, "TP" }, { 33, "DCCP" },
	{ 41, "IPV6" }, { 46, "RSVP" }, { 47, "GRE" }, { 50, "ESP" }, { 51, "AH" },
	{ 92, "MTP" }, { 94, "BEETPH" }, { 98, "ENCAP" }, { 103, "PIM" }, { 108, "COMP" },
	{ 132, "SCTP" }, { 136, "UDPLITE" }, { 137, "MPLS" }, { 143, "ETHERNET" },
	{ 255, "RAW" }, { 58, "ICMPV6" }, { 262, "MPTCP" },
};
static const struct value_name netlink_proto_names[] = {
	{ 0, "ROUTE" }, { 1, "UNUSED" }, { 2, "USERSOCK" }, { 3, "FIREWALL" },
	{ 4, "SOCK_DIAG" }, { 5, "NFLOG" }, { 6, "XFRM" }, { 7, "SELINUX" }, { 8, "ISCSI" },
	{ 9, "AUDIT" }, { 10, "FIB_LOOKUP" }, { 11, "CONNECTOR" }, { 12, "NETFILTER" },
	{ 13, "IP6_FW" }, { 14, "DNRTMSG" }, { 15, "KOBJECT_UEVENT" }, { 16, "GENERIC" },
	{ 18, "SCSITRANSPORT" }, { 19, "ECRYPTFS" }, { 20, "RDMA" }, { 21, "CRYPTO" },
	{ 22, "SMC" },
};
static const struct value_name msg_flags_names[] = {
	{ 0x1, "OOB" }, { 0x2, "PEEK" }, { 0x4, "DONTROUTE" }, { 0x8, "CTRUNC" },
	{ 0x10, "PROXY" }, { 0x20, "TRUNC" }, { 0x40, "DONTWAIT" }, { 0x80, "EOR" },
	{ 0x100, "WAITALL" }, { 0x200, "FIN" }, { 0x400, "SYN" }, { 0x800, "CONFIRM" },
	{ 0x1000, "RST" }, { 0x2000, "ERRQUEUE" }, { 0x4000, "NOSIGNAL" }, { 0x8000, "MORE" },
	{ 0x10000, "WAITFORONE" }, { 0x40000, "BATCH" }, { 0x4000000, "ZEROCOPY" },
	{ 0x20000000, "FASTOPEN" }, { 0x40000000, "CMSG_CLOEXEC" },
};
static const struct value_name sol_level_names[] = {
	{ 0, "IP" }, { 1, "SOCKET" }, { 6, "TCP" }, { 17, "UDP" }, { 41, "IPV6" },
	{ 58, "ICMPV6" }, { 255, "RAW" }, { 263, "PACKET" }, { 270, "NETLINK" },
};
static const struct value_name so_option_names[] = {
	{ 1, "DEBUG" }, { 2, "REUSEADDR" }, { 3, "TYPE" }, { 4, "ERROR" }, { 5, "DONTROUTE" },
	{ 6, "BROADCAST" }, { 7, "SNDBUF" }, { 8, "RCVBUF" }, { 9, "KEEPALIVE" },
	{ 10, "OOBINLINE" }, { 11, "NO_CHECK" }, { 12, "PRIORITY" }, { 13, "LINGER" },
	{ 14, "BSDCOMPAT" }, { 15, "REUSEPORT" }, { 16, "PASSCRED" }, { 17, "PEERCRED" },
	{ 18, "RCVLOWAT" }, { 19, "SNDLOWAT" }, { 20, "RCVTIMEO" }, { 21, "SNDTIMEO" },
	{ 25, "BINDTODEVICE" }, { 26, "ATTACH_FILTER" }, { 27, "DETACH_FILTER" },
	{ 28, "PEERNAME" }, { 29, "TIMESTAMP" }, { 30, "ACCEPTCONN" }, { 31, "PEERSEC" },
	{ 32, "SNDBUFFORCE" }, { 33, "RCVBUFFORCE" }, { 34, "PASSSEC" }, { 36, "MARK" },
	{ 38, "PROTOCOL" }, { 39, "DOMAIN" }, { 40, "RXQ_OVFL" }, { 42, "PEEK_OFF" },
	{ 46, "BUSY_POLL" }, { 49, "INCOMING_CPU" }, { 50, "ATTACH_BPF" }, { 57, "COOKIE" },
	{ 60, "ZEROCOPY" }, { 61, "TXTIME" },
};
static const struct value_name tcp_option_names[] = {
	{ 1, "NODELAY" }, { 2, "MAXSEG" }, { 3, "CORK" }, { 4, "KEEPIDLE" }, { 5, "KEEPINTVL" },
	{ 6, "KEEPCNT" }, { 7, "SYNCNT" }, { 8, "LINGER2" }, { 9, "DEFER_ACCEPT" },
	{ 10, "WINDOW_CLAMP" }, { 11, "INFO" }, { 12, "QUICKACK" }, { 13, "CONGESTION" },
	{ 14, "MD5SIG" }, { 18, "USER_TIMEOUT" }, { 23, "FASTOPEN" }, { 24, "TIMESTAMP" },
	{ 31, "ULP" },
};
static const struct value_name shutdown_how_names[] = {
	{ 0, "RD" }, { 1, "WR" }, { 2, "RDWR" },
};
static const struct value_name epoll_op_names[] = {
	{ 1, "ADD" }, { 2, "DEL" }, { 3, "MOD" },
};
static const struct value_name epoll_flags_names[] = {
	{ 0x80000, "CLOEXEC" },
};
static const struct value_name epoll_events_names[] = {
	{ 0x1, "IN" }, { 0x2, "PRI" }, { 0x4, "OUT" }, { 0x8, "ERR" }, { 0x10, "HUP" },
	{ 0x40, "RDNORM" }, { 0x80, "RDBAND" }, { 0x100, "WRNORM" }, { 0x200, "WRBAND" },
	{ 0x400, "MSG" }, { 0x2000, "RDHUP" }, { 0x10000000, "EXCLUSIVE" },
	{ 0x20000000, "WAKEUP" }, { 0x40000000, "ONESHOT" }, { 0x80000000, "ET" },
};
static const struct value_name poll_events_names[] = {
	{ 0x1, "IN" }, { 0x2, "PRI" }, { 0x4, "OUT" }, { 0x8, "ERR" }, { 0x10, "HUP" },
	{ 0x20, "NVAL" }, { 0x40, "RDNORM" }, { 0x80, "RDBAND" }, { 0x100, "WRNORM" },
	{ 0x200, "WRBAND" }, { 0x400, "MSG" }, { 0x2000, "RDHUP" },
};
static const struct value_name eventfd_flags_names[] = {
	{ 0x1, "SEMAPHORE" }, { 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" },
};
static const struct value_name signalfd_flags_names[] = {
	{ 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" },
};
static const struct value_name inotify_flags_names[] = {
	{ 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" },
};
static const struct value_name inotify_mask_names[] = {
	{ 0x1, "ACCESS" }, { 0x2, "MODIFY" }, { 0x4, "ATTRIB" }, { 0x8, "CLOSE_WRITE" },
	{ 0x10, "CLOSE_NOWRITE" }, { 0x20, "OPEN" }, { 0x40, "MOVED_FROM" },
	{ 0x80, "MOVED_TO" }, { 0x100, "CREATE" }, { 0x200, "DELETE" }, { 0x400, "DELETE_SELF" },
	{ 0x800, "MOVE_SELF" }, { 0x1000000, "ONLYDIR" }, { 0x2000000, "DONT_FOLLOW" },
	{ 0x4000000, "EXCL_UNLINK" }, { 0x10000000, "MASK_CREATE" }, { 0x20000000, "MASK_ADD" },
	{ 0x40000000, "ISDIR" }, { 0x80000000, "ONESHOT" },
};
static const struct value_name pipe_flags_names[] = {
	{ 0x80000, "CLOEXEC" }, { 0x800, "NONBLOCK" }, { 0x4000, "DIRECT" },
};
static const struct value_name dup_flags_names[] = {
	{ 0x80000, "CLOEXEC" },
};
static const struct value_name futex_op_names[] = {
	{ 0, "WAIT" }, { 1, "WAKE" }, { 2, "FD" }, { 3, "REQUEUE" }, { 4, "CMP_REQUEUE" },
	{ 5, "WAKE_OP" }, { 6, "LOCK_PI" }, { 7, "UNLOCK_PI" }, { 8, "TRYLOCK_PI" },
	{ 9, "WAIT_BITSET" }, { 10, "WAKE_BITSET" }, { 11, "WAIT_REQUEUE_PI" },
	{ 12, "CMP_REQUEUE_PI" }, { 13, "LOCK_PI2" },
};
static const struct value_name futex_flags_names[] = {
	{ 0x80, "PRIVATE_FLAG" }, { 0x100, "CLOCK_REALTIME" },
};
static const struct value_name random_flags_names[] = {
	{ 0x1, "NONBLOCK" }, { 0x2, "RANDOM" }, { 0x4, "INSECURE" },
};
static const struct value_name memfd_flags_names[] = {
	{ 0x1, "CLOEXEC" }, { 0x2, "ALLOW_SEALING" }, { 0x4, "HUGETLB" }, { 0x8, "NOEXEC_SEAL" },
	{ 0x10, "EXEC" },
};
static const struct value_name arch_prctl_names[] = {
	{ 0x1001, "SET_GS" }, { 0x1002, "SET_FS" }, { 0x1003, "GET_FS" }, { 0x1004, "GET_GS" },
	{ 0x1011, "GET_CPUID" }, { 0x1012, "SET_CPUID" }, { 0x3001, "CET_STATUS" },
	{ 0x1021, "GET_XCOMP_SUPP" }, { 0x1022, "GET_XCOMP_PERM" }, { 0x1023, "REQ_XCOMP_PERM" },
	{ 0x5001, "SHSTK_ENABLE" }, { 0x5002, "SHSTK_DISABLE" }, { 0x5003, "SHSTK_LOCK" },
	{ 0x5005, "SHSTK_STATUS" },
};
static const struct value_name prctl_option_names[] = {
	{ 1, "SET_PDEATHSIG" }, { 2, "GET_PDEATHSIG" }, { 3, "GET_DUMPABLE" },
	{ 4, "SET_DUMPABLE" }, { 5, "GET_UNALIGN" }, { 6, "SET_UNALIGN" }, { 7, "GET_KEEPCAPS" },
	{ 8, "SET_KEEPCAPS" }, { 9, "GET_FPEMU" }, { 10, "SET_FPEMU" }, { 13, "GET_TIMING" },
	{ 14, "SET_TIMING" }, { 15, "SET_NAME" }, { 16, "GET_NAME" }, { 21, "GET_SECCOMP" },
	{ 22, "SET_SECCOMP" }, { 23, "CAPBSET_READ" }, { 24, "CAPBSET_DROP" }, { 25, "GET_TSC" },
	{ 26, "SET_TSC" }, { 27, "GET_SECUREBITS" }, { 28, "SET_SECUREBITS" },
	{ 29, "SET_TIMERSLACK" }, { 30, "GET_TIMERSLACK" }, { 31, "TASK_PERF_EVENTS_DISABLE" },
	{ 32, "TASK_PERF_EVENTS_ENABLE" }, { 33, "MCE_KILL" }, { 34, "MCE_KILL_GET" },
	{ 35, "SET_MM" }, { 0x59616d61, "SET_PTRACER" }, { 36, "SET_CHILD_SUBREAPER" },
	{ 37, "GET_CHILD_SUBREAPER" }, { 38, "SET_NO_NEW_PRIVS" }, { 39, "GET_NO_NEW_PRIVS" },
	{ 40, "GET_TID_ADDRESS" }, { 41, "SET_THP_DISABLE" }, { 42, "GET_THP_DISABLE" },
	{ 47, "CAP_AMBIENT" }, { 52, "GET_SPECULATION_CTRL" }, { 53, "SET_SPECULATION_CTRL" },
	{ 57, "SET_IO_FLUSHER" }, { 58, "GET_IO_FLUSHER" }, { 59, "SET_SYSCALL_USER_DISPATCH" },
	{ 62, "SCHED_CORE" }, { 65, "SET_MDWE" }, { 66, "GET_MDWE" }, { 0x53564d41, "SET_VMA" },
};
static const struct value_name bpf_cmd_names[] = {
	{ 0, "MAP_CREATE" }, { 1, "MAP_LOOKUP_ELEM" }, { 2, "MAP_UPDATE_ELEM" },
	{ 3, "MAP_DELETE_ELEM" }, { 4, "MAP_GET_NEXT_KEY" }, { 5, "PROG_LOAD" },
	{ 6, "OBJ_PIN" }, { 7, "OBJ_GET" }, { 8, "PROG_ATTACH" }, { 9, "PROG_DETACH" },
	{ 10, "PROG_TEST_RUN" }, { 11, "PROG_GET_NEXT_ID" }, { 12, "MAP_GET_NEXT_ID" },
	{ 13, "PROG_GET_FD_BY_ID" }, { 14, "MAP_GET_FD_BY_ID" }, { 15, "OBJ_GET_INFO_BY_FD" },
	{ 16, "PROG_QUERY" }, { 17, "RAW_TRACEPOINT_OPEN" }, { 18, "BTF_LOAD" },
	{ 19, "BTF_GET_FD_BY_ID" }, { 20, "TASK_FD_QUERY" },
	{ 21, "MAP_LOOKUP_AND_DELETE_ELEM" }, { 22, "MAP_FREEZE" }, { 23, "BTF_GET_NEXT_ID" },
	{ 24, "MAP_LOOKUP_BATCH" }, { 25, "MAP_LOOKUP_AND_DELETE_BATCH" },
	{ 26, "MAP_UPDATE_BATCH" }, { 27, "MAP_DELETE_BATCH" }, { 28, "LINK_CREATE" },
	{ 29, "LINK_UPDATE" }, { 30, "LINK_GET_FD_BY_ID" }, { 31, "LINK_GET_NEXT_ID" },
	{ 32, "ENABLE_STATS" }, { 33, "ITER_CREATE" }, { 34, "LINK_DETACH" },
	{ 35, "PROG_BIND_MAP" },
};
static const struct value_name seccomp_op_names[] = {
	{ 0, "SET_MODE_STRICT" }, { 1, "SET_MODE_FILTER" }, { 2, "GET_ACTION_AVAIL" },
	{ 3, "GET_NOTIF_SIZES" },
};
static const struct value_name seccomp_flags_names[] = {
	{ 0x1, "TSYNC" }, { 0x2, "LOG" }, { 0x4, "SPEC_ALLOW" }, { 0x8, "NEW_LISTENER" },
	{ 0x10, "TSYNC_ESRCH" },
};
static const struct value_name keyctl_option_names[] = {
	{ 0, "GET_KEYRING_ID" }, { 1, "JOIN_SESSION_KEYRING" }, { 2, "UPDATE" }, { 3, "REVOKE" },
	{ 4, "CHOWN" }, { 5, "SETPERM" }, { 6, "DESCRIBE" }, { 7, "CLEAR" }, { 8, "LINK" },
	{ 9, "UNLINK" }, { 10, "SEARCH" }, { 11, "READ" }, { 12, "INSTANTIATE" },
	{ 13, "NEGATE" }, { 14, "SET_REQKEY_KEYRING" }, { 15, "SET_TIMEOUT" },
	{ 16, "ASSUME_AUTHORITY" }, { 17, "GET_SECURITY" }, { 18, "SESSION_TO_PARENT" },
	{ 19, "REJECT" }, { 21, "INVALIDATE" }, { 22, "GET_PERSISTENT" }, { 31, "CAPABILITIES" },
};
static const struct value_name membarrier_cmd_names[] = {
	{ 0x1, "GLOBAL" }, { 0x2, "GLOBAL_EXPEDITED" }, { 0x4, "REGISTER_GLOBAL_EXPEDITED" },
	{ 0x8, "PRIVATE_EXPEDITED" }, { 0x10, "REGISTER_PRIVATE_EXPEDITED" },
	{ 0x20, "PRIVATE_EXPEDITED_SYNC_CORE" },
	{ 0x40, "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE" }, { 0x80, "PRIVATE_EXPEDITED_RSEQ" },
	{ 0x100, "REGISTER_PRIVATE_EXPEDITED_RSEQ" },
};
static const struct value_name sched_policy_names[] = {
	{ 0, "NORMAL" }, { 1, "FIFO" }, { 2, "RR" }, { 3, "BATCH" }, { 5, "IDLE" },
	{ 6, "DEADLINE" }, { 7, "EXT" },
};
static const struct value_name uring_enter_names[] = {
	{ 0x1, "GETEVENTS" }, { 0x2, "SQ_WAKEUP" }, { 0x4, "SQ_WAIT" }, { 0x8, "EXT_ARG" },
	{ 0x10, "REGISTERED_RING" },
};
static const struct value_name xattr_flags_names[] = {
	{ 0x1, "CREATE" }, { 0x2, "REPLACE" },
};
static const struct value_name mount_flags_names[] = {
	{ 0x1, "RDONLY" }, { 0x2, "NOSUID" }, { 0x4, "NODEV" }, { 0x8, "NOEXEC" },
	{ 0x10, "SYNCHRONOUS" }, { 0x20, "REMOUNT" }, { 0x40, "MANDLOCK" }, { 0x80, "DIRSYNC" },
	{ 0x100, "NOSYMFOLLOW" }, { 0x400, "NOATIME" }, { 0x800, "NODIRATIME" },
	{ 0x1000, "BIND" }, { 0x2000, "MOVE" }, { 0x4000, "REC" }, { 0x8000, "SILENT" },
	{ 0x10000, "POSIXACL" }, { 0x20000, "UNBINDABLE" }, { 0x40000, "PRIVATE" },
	{ 0x80000, "SLAVE" }, { 0x100000, "SHARED" }, { 0x200000, "RELATIME" },
	{ 0x400000, "KERNMOUNT" }, { 0x800000, "I_VERSION" }, { 0x1000000, "STRICTATIME" },
	{ 0x2000000, "LAZYTIME" },
};
static const struct value_name umount_flags_names[] = {
	{ 0x1, "MNT_FORCE" }, { 0x2, "MNT_DETACH" }, { 0x4, "MNT_EXPIRE" },
	{ 0x8, "UMOUNT_NOFOLLOW" },
};
static const struct value_name rename_flags_names[] = {
	{ 0x1, "NOREPLACE" }, { 0x2, "EXCHANGE" }, { 0x4, "WHITEOUT" },
};
static const struct value_name splice_flags_names[] = {
	{ 0x1, "MOVE" }, { 0x2, "NONBLOCK" }, { 0x4, "MORE" }, { 0x8, "GIFT" },
};
static const struct value_name rwf_flags_names[] = {
	{ 0x1, "HIPRI" }, { 0x2, "DSYNC" }, { 0x4, "SYNC" }, { 0x8, "NOWAIT" },
	{ 0x10, "APPEND" },
};
static const struct value_name falloc_mode_names[] = {
	{ 0x1, "KEEP_SIZE" }, { 0x2, "PUNCH_HOLE" }, { 0x4, "NO_HIDE_STALE" },
	{ 0x8, "COLLAPSE_RANGE" }, { 0x10, "ZERO_RANGE" }, { 0x20, "INSERT_RANGE" },
	{ 0x40, "UNSHARE_RANGE" },
};
static const struct value_name fadvise_names[] = {
	{ 0, "NORMAL" }, { 1, "RANDOM" }, { 2, "SEQUENTIAL" }, { 3, "WILLNEED" },
	{ 4, "DONTNEED" }, { 5, "NOREUSE" },
};
static const struct value_name statx_mask_names[] = {
	{ 0x1, "TYPE" }, { 0x2, "MODE" }, { 0x4, "NLINK" }, { 0x8, "UID" }, { 0x10, "GID" },
	{ 0x20, "ATIME" }, { 0x40, "MTIME" }, { 0x80, "CTIME" }, { 0x100, "INO" },
	{ 0x200, "SIZE" }, { 0x400, "BLOCKS" }, { 0x800, "BTIME" }, { 0x1000, "MNT_ID" },
	{ 0x2000, "DIOALIGN" }, { 0x4000, "MNT_ID_UNIQUE" },
};
static const struct value_name close_range_flags_names[] = {
	{ 0x2, "UNSHARE" }, { 0x4, "CLOEXEC" },
};
static const struct value_name kcmp_type_names[] = {
	{ 0, "FILE" }, { 1, "VM" }, { 2, "FILES" }, { 3, "FS" }, { 4, "SIGHAND" }, { 5, "IO" },
	{ 6, "SYSVSEM" }, { 7, "EPOLL_TFD" },
};
static const struct value_name rseq_flags_names[] = {
	{ 0x1, "UNREGISTER" },
};
static const struct value_name mempolicy_names[] = {
	{ 0, "DEFAULT" }, { 1, "PREFERRED" }, { 2, "BIND" }, { 3, "INTERLEAVE" }, { 4, "LOCAL" },
	{ 5, "PREFERRED_MANY" },
};
static const struct value_name perf_flags_names[] = {
	{ 0x1, "FD_NO_GROUP" }, { 0x2, "FD_OUTPUT" }, { 0x4, "PID_CGROUP" },
	{ 0x8, "FD_CLOEXEC" },
};
static const struct value_name ipc_flags_names[] = {
	{ 0x200, "CREAT" }, { 0x400, "EXCL" }, { 0x800, "NOWAIT" },
};
static const struct value_name ipc_call_names[] = {
	{ 1, "SEMOP" }, { 2, "SEMGET" }, { 3, "SEMCTL" }, { 4, "SEMTIMEDOP" }, { 11, "MSGSND" }, { 12, "MSGRCV" },
	{ 13, "MSGGET" }, { 14, "MSGCTL" }, { 21, "SHMAT" }, { 22, "SHMDT" }, { 23, "SHMGET" }, { 24, "SHMCTL" },
};
static const struct value_name socketcall_names[] = {
	{ 1, "SOCKET" }, { 2, "BIND" }, { 3, "CONNECT" }, { 4, "LISTEN" }, { 5, "ACCEPT" }, { 6, "GETSOCKNAME" },
	{ 7, "GETPEERNAME" }, { 8, "SOCKETPAIR" }, { 9, "SEND" }, { 10, "RECV" }, { 11, "SENDTO" },
	{ 12, "RECVFROM" }, { 13, "SHUTDOWN" }, { 14, "SETSOCKOPT" }, { 15, "GETSOCKOPT" }, { 16, "SENDMSG" },
	{ 17, "RECVMSG" }, { 18, "ACCEPT4" }, { 19, "RECVMMSG" }, { 20, "SENDMMSG" },
};
static const struct value_name ipc_cmd_names[] = {
	{ 0, "RMID" }, { 1, "SET" }, { 2, "STAT" }, { 3, "INFO" },
};
static const struct value_name shmat_flags_names[] = {
	{ 0x1000, "RDONLY" }, { 0x2000, "RND" }, { 0x4000, "REMAP" }, { 0x8000, "EXEC" },
};
static const struct value_name ptrace_request_names[] = {
	{ 0, "TRACEME" }, { 1, "PEEKTEXT" }, { 2, "PEEKDATA" }, { 3, "PEEKUSER" },
	{ 4, "POKETEXT" }, { 5, "POKEDATA" }, { 6, "POKEUSER" }, { 7, "CONT" }, { 8, "KILL" },
	{ 9, "SINGLESTEP" }, { 12, "GETREGS" }, { 13, "SETREGS" }, { 14, "GETFPREGS" },
	{ 15, "SETFPREGS" }, { 16, "ATTACH" }, { 17, "DETACH" }, { 24, "SYSCALL" },
	{ 0x4200, "SETOPTIONS" }, { 0x4201, "GETEVENTMSG" }, { 0x4202, "GETSIGINFO" },
	{ 0x4203, "SETSIGINFO" }, { 0x4204, "GETREGSET" }, { 0x4205, "SETREGSET" },
	{ 0x4206, "SEIZE" }, { 0x4207, "INTERRUPT" }, { 0x4208, "LISTEN" },
	{ 0x4209, "PEEKSIGINFO" }, { 0x420a, "GETSIGMASK" }, { 0x420b, "SETSIGMASK" },
	{ 0x420c, "SECCOMP_GET_FILTER" }, { 0x420e, "GET_SYSCALL_INFO" },
	{ 0x420f, "GET_RSEQ_CONFIGURATION" },
};
static const struct value_name pidfd_flags_names[] = {
	{ 0x800, "NONBLOCK" }, { 0x80, "THREAD" },
};
static const struct value_name unshare_flags_names[] = {
	{ 0x80, "NEWTIME" }, { 0x100, "VM" }, { 0x200, "FS" }, { 0x400, "FILES" },
	{ 0x800, "SIGHAND" }, { 0x10000, "THREAD" }, { 0x20000, "NEWNS" },
	{ 0x40000, "SYSVSEM" }, { 0x2000000, "NEWCGROUP" }, { 0x4000000, "NEWUTS" },
	{ 0x8000000, "NEWIPC" }, { 0x10000000, "NEWUSER" }, { 0x20000000, "NEWPID" },
	{ 0x40000000, "NEWNET" },
};
static const struct value_name userfault_flags_names[] = {
	{ 0x80000, "O_CLOEXEC" }, { 0x800, "O_NONBLOCK" }, { 0x1, "UFFD_USER_MODE_ONLY" },
};
static const struct value_name resolve_flags_names[] = {
	{ 0x1, "NO_XDEV" }, { 0x2, "NO_MAGICLINKS" }, { 0x4, "NO_SYMLINKS" }, { 0x8, "BENEATH" },
	{ 0x10, "IN_ROOT" }, { 0x20, "CACHED" },
};
static const struct value_name file_type_names[] = {
	{ 0xc000, "FSOCK" }, { 0xa000, "FLNK" }, { 0x8000, "FREG" }, { 0x6000, "FBLK" },
	{ 0x4000, "FDIR" }, { 0x2000, "FCHR" }, { 4096, "FIFO" },
};
static const struct value_name seal_flags_names[] = {
	{ 0x1, "SEAL" }, { 0x2, "SHRINK" }, { 0x4, "GROW" }, { 0x8, "WRITE" },
	{ 0x10, "FUTURE_WRITE" },
};
static const struct value_name lock_type_names[] = {
	{ 0, "RDLCK" }, { 1, "WRLCK" }, { 2, "UNLCK" },
};
static const struct value_name perf_type_names[] = {
	{ 0, "HARDWARE" }, { 1, "SOFTWARE" }, { 2, "TRACEPOINT" }, { 3, "HW_CACHE" },
	{ 4, "RAW" }, { 5, "BREAKPOINT" },
};
static const struct value_name ioctl_names[] = {
	{ 0x5401, "TCGETS" }, { 0x5402, "TCSETS" }, { 0x5403, "TCSETSW" }, { 0x5404, "TCSETSF" },
	{ 0x5405, "TCGETA" }, { 0x5406, "TCSETA" }, { 0x5409, "TCSBRK" }, { 0x540a, "TCXONC" },
	{ 0x540b, "TCFLSH" }, { 0x540c, "TIOCEXCL" }, { 0x540d, "TIOCNXCL" },
	{ 0x540e, "TIOCSCTTY" }, { 0x540f, "TIOCGPGRP" }, { 0x5410, "TIOCSPGRP" },
	{ 0x5411, "TIOCOUTQ" }, { 0x5412, "TIOCSTI" }, { 0x5413, "TIOCGWINSZ" },
	{ 0x5414, "TIOCSWINSZ" }, { 0x5415, "TIOCMGET" }, { 0x541b, "FIONREAD" },
	{ 0x541d, "TIOCCONS" }, { 0x5421, "FIONBIO" }, { 0x5422, "TIOCNOTTY" },
	{ 0x5429, "TIOCGSID" }, { 0x80045430, "TIOCGPTN" }, { 0x40045431, "TIOCSPTLCK" },
	{ 0x5441, "TIOCGPTPEER" }, { 0x5450, "FIONCLEX" }, { 0x5451, "FIOCLEX" },
	{ 0x5452, "FIOASYNC" }, { 0x5460, "FIOQSIZE" }, { 0x8912, "SIOCGIFCONF" },
	{ 0x8913, "SIOCGIFFLAGS" }, { 0x8914, "SIOCSIFFLAGS" }, { 0x8915, "SIOCGIFADDR" },
	{ 0x8921, "SIOCGIFMTU" }, { 0x8927, "SIOCGIFHWADDR" }, { 0x8933, "SIOCGIFINDEX" },
	{ 0x8910, "SIOCGIFNAME" }, { 0x8946, "SIOCETHTOOL" }, { 0x40049409, "FICLONE" },
	{ 0x4020940d, "FICLONERANGE" }, { 0xc0189436, "FIDEDUPERANGE" },
	{ 0x80086601, "FS_IOC_GETFLAGS" }, { 0x40086602, "FS_IOC_SETFLAGS" },
	{ 0xc020660b, "FS_IOC_FIEMAP" }, { 0x80081272, "BLKGETSIZE64" },
	{ 0x1260, "BLKGETSIZE" }, { 0x1268, "BLKSSZGET" }, { 0x1261, "BLKFLSBUF" },
	{ 0x80045439, "TIOCGPTLCK" }, { 0xb701, "NS_GET_USERNS" }, { 0xb702, "NS_GET_PARENT" },
	{ 0xb703, "NS_GET_NSTYPE" }, { 0x2400, "PERF_EVENT_IOC_ENABLE" },
	{ 0x2401, "PERF_EVENT_IOC_DISABLE" }, { 0x2402, "PERF_EVENT_IOC_REFRESH" },
	{ 0x2403, "PERF_EVENT_IOC_RESET" }, { 0x40082404, "PERF_EVENT_IOC_PERIOD" },
	{ 0x2405, "PERF_EVENT_IOC_SET_OUTPUT" }, { 0x40082406, "PERF_EVENT_IOC_SET_FILTER" },
	{ 0x80082407, "PERF_EVENT_IOC_ID" }, { 0x40042408, "PERF_EVENT_IOC_SET_BPF" },
	{ 0x40042409, "PERF_EVENT_IOC_PAUSE_OUTPUT" },
	{ 0x4008240b, "PERF_EVENT_IOC_MODIFY_ATTRIBUTES" }, { 0xae00, "KVM_GET_API_VERSION" },
	{ 0xae01, "KVM_CREATE_VM" }, { 0xae03, "KVM_CHECK_EXTENSION" },
	{ 0xae04, "KVM_GET_VCPU_MMAP_SIZE" }, { 0xae41, "KVM_CREATE_VCPU" },
	{ 0xae80, "KVM_RUN" }, { 0x80247009, "RTC_RD_TIME" }, { 0x80045200, "RNDGETENTCNT" },
	{ 0xc048ff0b, "PIDFD_GET_INFO" }, { 0x301, "HDIO_GETGEO" }, { 0x125e, "BLKROGET" },
	{ 0x1277, "BLKDISCARD" }, { 0x127b, "BLKPBSZGET" }, { 0x80081270, "BLKBSZGET" },
	{ 0x40081271, "BLKBSZSET" }, { 0x80087601, "FS_IOC_GETVERSION" },
	{ 0x40087602, "FS_IOC_SETVERSION" },
	{ 0x8916, "SIOCSIFADDR" }, { 0x8919, "SIOCGIFBRDADDR" }, { 0x891b, "SIOCGIFNETMASK" },
	{ 0x891c, "SIOCSIFNETMASK" }, { 0x8922, "SIOCSIFMTU" }, { 0x8942, "SIOCGIFTXQLEN" },
};

static const struct value_name bpf_elem_flags_names[] = {
	{ 0, "ANY" }, { 1, "NOEXIST" }, { 2, "EXIST" }, { 4, "F_LOCK" },
};
static const struct value_name bpf_map_flags_names[] = {
	{ 0x1, "NO_PREALLOC" }, { 0x2, "NO_COMMON_LRU" }, { 0x4, "NUMA_NODE" }, { 0x8, "RDONLY" },
	{ 0x10, "WRONLY" }, { 0x20, "STACK_BUILD_ID" }, { 0x40, "ZERO_SEED" },
	{ 0x80, "RDONLY_PROG" }, { 0x100, "WRONLY_PROG" }, { 0x200, "CLONE" },
	{ 0x400, "MMAPABLE" }, { 0x800, "PRESERVE_ELEMS" }, { 0x1000, "INNER_MAP" },
	{ 0x2000, "LINK" }, { 0x4000, "PATH_FD" }, { 0x8000, "VTYPE_BTF_OBJ_FD" },
	{ 0x10000, "TOKEN_FD" }, { 0x20000, "SEGV_ON_FAULT" }, { 0x40000, "NO_USER_CONV" },
};
static const struct value_name bpf_map_type_names[] = {
	{ 0, "UNSPEC" }, { 1, "HASH" }, { 2, "ARRAY" }, { 3, "PROG_ARRAY" },
	{ 4, "PERF_EVENT_ARRAY" }, { 5, "PERCPU_HASH" }, { 6, "PERCPU_ARRAY" },
	{ 7, "STACK_TRACE" }, { 8, "CGROUP_ARRAY" }, { 9, "LRU_HASH" }, { 10, "LRU_PERCPU_HASH" },
	{ 11, "LPM_TRIE" }, { 12, "ARRAY_OF_MAPS" }, { 13, "HASH_OF_MAPS" }, { 14, "DEVMAP" },
	{ 15, "SOCKMAP" }, { 16, "CPUMAP" }, { 17, "XSKMAP" }, { 18, "SOCKHASH" },
	{ 19, "CGROUP_STORAGE" }, { 20, "REUSEPORT_SOCKARRAY" }, { 21, "PERCPU_CGROUP_STORAGE" },
	{ 22, "QUEUE" }, { 23, "STACK" }, { 24, "SK_STORAGE" }, { 25, "DEVMAP_HASH" },
	{ 26, "STRUCT_OPS" }, { 27, "RINGBUF" }, { 28, "INODE_STORAGE" }, { 29, "TASK_STORAGE" },
	{ 30, "BLOOM_FILTER" }, { 31, "USER_RINGBUF" }, { 32, "CGRP_STORAGE" }, { 33, "ARENA" },
};
static const struct value_name bpf_prog_type_names[] = {
	{ 0, "UNSPEC" }, { 1, "SOCKET_FILTER" }, { 2, "KPROBE" }, { 3, "SCHED_CLS" },
	{ 4, "SCHED_ACT" }, { 5, "TRACEPOINT" }, { 6, "XDP" }, { 7, "PERF_EVENT" },
	{ 8, "CGROUP_SKB" }, { 9, "CGROUP_SOCK" }, { 10, "LWT_IN" }, { 11, "LWT_OUT" },
	{ 12, "LWT_XMIT" }, { 13, "SOCK_OPS" }, { 14, "SK_SKB" }, { 15, "CGROUP_DEVICE" },
	{ 16, "SK_MSG" }, { 17, "RAW_TRACEPOINT" }, { 18, "CGROUP_SOCK_ADDR" },
	{ 19, "LWT_SEG6LOCAL" }, { 20, "LIRC_MODE2" }, { 21, "SK_REUSEPORT" },
	{ 22, "FLOW_DISSECTOR" }, { 23, "CGROUP_SYSCTL" }, { 24, "RAW_TRACEPOINT_WRITABLE" },
	{ 25, "CGROUP_SOCKOPT" }, { 26, "TRACING" }, { 27, "STRUCT_OPS" }, { 28, "EXT" },
	{ 29, "LSM" }, { 30, "SK_LOOKUP" }, { 31, "SYSCALL" }, { 32, "NETFILTER" },
};
static const struct value_name f_owner_names[] = {
	{ 0, "TID" }, { 1, "PID" }, { 2, "PGRP" },
};
static const struct value_name if_flags_names[] = {
	{ 0x1, "UP" }, { 0x2, "BROADCAST" }, { 0x4, "DEBUG" }, { 0x8, "LOOPBACK" },
	{ 0x10, "POINTOPOINT" }, { 0x20, "NOTRAILERS" }, { 0x40, "RUNNING" }, { 0x80, "NOARP" },
	{ 0x100, "PROMISC" }, { 0x200, "ALLMULTI" }, { 0x400, "MASTER" }, { 0x800, "SLAVE" },
	{ 0x1000, "MULTICAST" }, { 0x2000, "PORTSEL" }, { 0x4000, "AUTOMEDIA" },
	{ 0x8000, "DYNAMIC" },
};
static const struct value_name inode_flags_names[] = {
	{ 0x1, "SECRM_FL" }, { 0x2, "UNRM_FL" }, { 0x4, "COMPR_FL" }, { 0x8, "SYNC_FL" },
	{ 0x10, "IMMUTABLE_FL" }, { 0x20, "APPEND_FL" }, { 0x40, "NODUMP_FL" },
	{ 0x80, "NOATIME_FL" }, { 0x1000, "INDEX_FL" }, { 0x4000, "JOURNAL_DATA_FL" },
	{ 0x10000, "DIRSYNC_FL" }, { 0x20000, "TOPDIR_FL" }, { 0x40000, "HUGE_FILE_FL" },
	{ 0x80000, "EXTENT_FL" }, { 0x100000, "VERITY_FL" }, { 0x800000, "NOCOW_FL" },
	{ 0x2000000, "DAX_FL" }, { 0x10000000, "INLINE_DATA_FL" },
	{ 0x20000000, "PROJINHERIT_FL" }, { 0x40000000, "CASEFOLD_FL" },
};
static const struct value_name perf_attr_flags_names[] = {
	{ 0x1, "DISABLED" }, { 0x2, "INHERIT" }, { 0x4, "PINNED" }, { 0x8, "EXCLUSIVE" },
	{ 0x10, "EXCLUDE_USER" }, { 0x20, "EXCLUDE_KERNEL" }, { 0x40, "EXCLUDE_HV" },
	{ 0x80, "EXCLUDE_IDLE" }, { 0x100, "MMAP" }, { 0x200, "COMM" }, { 0x400, "FREQ" },
	{ 0x800, "INHERIT_STAT" }, { 0x1000, "ENABLE_ON_EXEC" }, { 0x2000, "TASK" },
	{ 0x4000, "WATERMARK" }, { 0x8000, "PRECISE_IP_1" }, { 0x10000, "PRECISE_IP_2" },
	{ 0x20000, "MMAP_DATA" }, { 0x40000, "SAMPLE_ID_ALL" }, { 0x80000, "EXCLUDE_HOST" },
	{ 0x100000, "EXCLUDE_GUEST" }, { 0x200000, "EXCLUDE_CALLCHAIN_KERNEL" },
	{ 0x400000, "EXCLUDE_CALLCHAIN_USER" }, { 0x800000, "MMAP2" }, { 0x1000000, "COMM_EXEC" },
	{ 0x2000000, "USE_CLOCKID" }, { 0x4000000, "CONTEXT_SWITCH" },
	{ 0x8000000, "WRITE_BACKWARD" }, { 0x10000000, "NAMESPACES" }, { 0x20000000, "KSYMBOL" },
	{ 0x40000000, "BPF_EVENT" }, { 0x80000000, "AUX_OUTPUT" }, { 0x100000000, "CGROUP" },
	{ 0x200000000, "TEXT_POKE" }, { 0x400000000, "BUILD_ID" },
	{ 0x800000000, "INHERIT_THREAD" }, { 0x1000000000, "REMOVE_ON_EXEC" },
	{ 0x2000000000, "SIGTRAP" },
};
static const struct value_name perf_read_format_names[] = {
	{ 0x1, "TOTAL_TIME_ENABLED" }, { 0x2, "TOTAL_TIME_RUNNING" }, { 0x4, "ID" },
	{ 0x8, "GROUP" }, { 0x10, "LOST" },
};
static const struct value_name perf_sample_names[] = {
	{ 0x1, "IP" }, { 0x2, "TID" }, { 0x4, "TIME" }, { 0x8, "ADDR" }, { 0x10, "READ" },
	{ 0x20, "CALLCHAIN" }, { 0x40, "ID" }, { 0x80, "CPU" }, { 0x100, "PERIOD" },
	{ 0x200, "STREAM_ID" }, { 0x400, "RAW" }, { 0x800, "BRANCH_STACK" },
	{ 0x1000, "REGS_USER" }, { 0x2000, "STACK_USER" }, { 0x4000, "WEIGHT" },
	{ 0x8000, "DATA_SRC" }, { 0x10000, "IDENTIFIER" }, { 0x20000, "TRANSACTION" },
	{ 0x40000, "REGS_INTR" }, { 0x80000, "PHYS_ADDR" }, { 0x100000, "AUX" },
	{ 0x200000, "CGROUP" }, { 0x400000, "DATA_PAGE_SIZE" }, { 0x800000, "CODE_PAGE_SIZE" },
	{ 0x1000000, "WEIGHT_STRUCT" },
};
static const struct value_name termios_iflag_names[] = {
	{ 0x1, "IGNBRK" }, { 0x2, "BRKINT" }, { 0x4, "IGNPAR" }, { 0x8, "PARMRK" },
	{ 0x10, "INPCK" }, { 0x20, "ISTRIP" }, { 0x40, "INLCR" }, { 0x80, "IGNCR" },
	{ 0x100, "ICRNL" }, { 0x200, "IUCLC" }, { 0x400, "IXON" }, { 0x800, "IXANY" },
	{ 0x1000, "IXOFF" }, { 0x2000, "IMAXBEL" }, { 0x4000, "IUTF8" },
};
static const struct value_name termios_oflag_names[] = {
	{ 0x1, "OPOST" }, { 0x2, "OLCUC" }, { 0x4, "ONLCR" }, { 0x8, "OCRNL" }, { 0x10, "ONOCR" },
	{ 0x20, "ONLRET" }, { 0x40, "OFILL" }, { 0x80, "OFDEL" }, { 0x1800, "TAB3" },
	{ 0x800, "TAB1" }, { 0x1000, "TAB2" }, { 0x2000, "BS1" }, { 0x8000, "FF1" },
	{ 0x4000, "VT1" },
};
static const struct value_name termios_cflag_names[] = {
	{ 0xf, "B38400" }, { 0xe, "B19200" }, { 0xd, "B9600" }, { 0xc, "B4800" },
	{ 0xb, "B2400" }, { 0x9, "B1200" }, { 0x7, "B300" }, { 0x1001, "B57600" },
	{ 0x1002, "B115200" }, { 0x1003, "B230400" }, { 0x30, "CS8" }, { 0x20, "CS7" },
	{ 0x10, "CS6" }, { 0x40, "CSTOPB" }, { 0x80, "CREAD" }, { 0x100, "PARENB" },
	{ 0x200, "PARODD" }, { 0x400, "HUPCL" }, { 0x800, "CLOCAL" }, { 0x40000000, "CMSPAR" },
	{ 0x80000000, "CRTSCTS" },
};
static const struct value_name termios_lflag_names[] = {
	{ 0x1, "ISIG" }, { 0x2, "ICANON" }, { 0x4, "XCASE" }, { 0x8, "ECHO" }, { 0x10, "ECHOE" },
	{ 0x20, "ECHOK" }, { 0x40, "ECHONL" }, { 0x80, "NOFLSH" }, { 0x100, "TOSTOP" },
	{ 0x200, "ECHOCTL" }, { 0x400, "ECHOPRT" }, { 0x800, "ECHOKE" }, { 0x1000, "FLUSHO" },
	{ 0x4000, "PENDIN" }, { 0x8000, "IEXTEN" }, { 0x10000, "EXTPROC" },
};

static const struct value_name adj_modes_names[] = {
	{ 0x1, "OFFSET" }, { 0x2, "FREQUENCY" }, { 0x4, "MAXERROR" }, { 0x8, "ESTERROR" }, { 0x10, "STATUS" },
	{ 0x20, "TIMECONST" }, { 0x80, "TAI" }, { 0x100, "SETOFFSET" }, { 0x1000, "MICRO" },
	{ 0x2000, "NANO" }, { 0x4000, "TICK" },
};
static const struct value_name cap_high_names[] = {
	{ 0x1, "MAC_OVERRIDE" }, { 0x2, "MAC_ADMIN" }, { 0x4, "SYSLOG" }, { 0x8, "WAKE_ALARM" },
	{ 0x10, "BLOCK_SUSPEND" }, { 0x20, "AUDIT_READ" }, { 0x40, "PERFMON" }, { 0x80, "BPF" },
	{ 0x100, "CHECKPOINT_RESTORE" },
};
static const struct value_name cap_low_names[] = {
	{ 0x1, "CHOWN" }, { 0x2, "DAC_OVERRIDE" }, { 0x4, "DAC_READ_SEARCH" }, { 0x8, "FOWNER" },
	{ 0x10, "FSETID" }, { 0x20, "KILL" }, { 0x40, "SETGID" }, { 0x80, "SETUID" }, { 0x100, "SETPCAP" },
	{ 0x200, "LINUX_IMMUTABLE" }, { 0x400, "NET_BIND_SERVICE" }, { 0x800, "NET_BROADCAST" },
	{ 0x1000, "NET_ADMIN" }, { 0x2000, "NET_RAW" }, { 0x4000, "IPC_LOCK" }, { 0x8000, "IPC_OWNER" },
	{ 0x10000, "SYS_MODULE" }, { 0x20000, "SYS_RAWIO" }, { 0x40000, "SYS_CHROOT" },
	{ 0x80000, "SYS_PTRACE" }, { 0x100000, "SYS_PACCT" }, { 0x200000, "SYS_ADMIN" },
	{ 0x400000, "SYS_BOOT" }, { 0x800000, "SYS_NICE" }, { 0x1000000, "SYS_RESOURCE" },
	{ 0x2000000, "SYS_TIME" }, { 0x4000000, "SYS_TTY_CONFIG" }, { 0x8000000, "MKNOD" },
	{ 0x10000000, "LEASE" }, { 0x20000000, "AUDIT_WRITE" }, { 0x40000000, "AUDIT_CONTROL" },
	{ 0x80000000, "SETFCAP" },
};
static const struct value_name cap_version_names[] = {
	{ 0x19980330, "VERSION_1" }, { 0x20071026, "VERSION_2" }, { 0x20080522, "VERSION_3" },
};
static const struct value_name capability_names[] = {
	{ 0, "CHOWN" }, { 1, "DAC_OVERRIDE" }, { 2, "DAC_READ_SEARCH" }, { 3, "FOWNER" }, { 4, "FSETID" },
	{ 5, "KILL" }, { 6, "SETGID" }, { 7, "SETUID" }, { 8, "SETPCAP" }, { 9, "LINUX_IMMUTABLE" },
	{ 10, "NET_BIND_SERVICE" }, { 11, "NET_BROADCAST" }, { 12, "NET_ADMIN" }, { 13, "NET_RAW" },
	{ 14, "IPC_LOCK" }, { 15, "IPC_OWNER" }, { 16, "SYS_MODULE" }, { 17, "SYS_RAWIO" },
	{ 18, "SYS_CHROOT" }, { 19, "SYS_PTRACE" }, { 20, "SYS_PACCT" }, { 21, "SYS_ADMIN" },
	{ 22, "SYS_BOOT" }, { 23, "SYS_NICE" }, { 24, "SYS_RESOURCE" }, { 25, "SYS_TIME" },
	{ 26, "SYS_TTY_CONFIG" }, { 27, "MKNOD" }, { 28, "LEASE" }, { 29, "AUDIT_WRITE" },
	{ 30, "AUDIT_CONTROL" }, { 31, "SETFCAP" }, { 32, "MAC_OVERRIDE" }, { 33, "MAC_ADMIN" },
	{ 34, "SYSLOG" }, { 35, "WAKE_ALARM" }, { 36, "BLOCK_SUSPEND" }, { 37, "AUDIT_READ" },
	{ 38, "PERFMON" }, { 39, "BPF" }, { 40, "CHECKPOINT_RESTORE" },
};
static const struct value_name fan_init_names[] = {
	{ 0x1, "CLOEXEC" }, { 0x2, "NONBLOCK" }, { 0x4, "CLASS_CONTENT" }, { 0x8, "CLASS_PRE_CONTENT" },
	{ 0x10, "UNLIMITED_QUEUE" }, { 0x20, "UNLIMITED_MARKS" }, { 0x40, "ENABLE_AUDIT" },
	{ 0x80, "REPORT_PIDFD" }, { 0x100, "REPORT_TID" }, { 0x200, "REPORT_FID" },
	{ 0x400, "REPORT_DIR_FID" }, { 0x800, "REPORT_NAME" }, { 0x1000, "REPORT_TARGET_FID" },
};
static const struct value_name fan_mark_names[] = {
	{ 0x1, "ADD" }, { 0x2, "REMOVE" }, { 0x4, "DONT_FOLLOW" }, { 0x8, "ONLYDIR" },
	{ 0x20, "IGNORED_MASK" }, { 0x40, "IGNORED_SURV_MODIFY" }, { 0x80, "FLUSH" }, { 0x200, "EVICTABLE" },
	{ 0x400, "IGNORE" }, { 0x10, "MOUNT" }, { 0x100, "FILESYSTEM" },
};
static const struct value_name fan_mask_names[] = {
	{ 0x1, "ACCESS" }, { 0x2, "MODIFY" }, { 0x4, "ATTRIB" }, { 0x8, "CLOSE_WRITE" },
	{ 0x10, "CLOSE_NOWRITE" }, { 0x20, "OPEN" }, { 0x40, "MOVED_FROM" }, { 0x80, "MOVED_TO" },
	{ 0x100, "CREATE" }, { 0x200, "DELETE" }, { 0x400, "DELETE_SELF" }, { 0x800, "MOVE_SELF" },
	{ 0x1000, "OPEN_EXEC" }, { 0x4000, "Q_OVERFLOW" }, { 0x8000, "FS_ERROR" }, { 0x10000, "OPEN_PERM" },
	{ 0x20000, "ACCESS_PERM" }, { 0x40000, "OPEN_EXEC_PERM" }, { 0x10000000, "RENAME" },
	{ 0x40000000, "ONDIR" }, { 0x8000000, "EVENT_ON_CHILD" },
};
static const struct value_name fs_magic_names[] = {
	{ 0xadf5, "ADFS_SUPER_MAGIC" }, { 0x5346414f, "AFS_SUPER_MAGIC" }, { 0x42494e4d, "BINFMTFS_MAGIC" },
	{ 0xcafe4a11, "BPF_FS_MAGIC" }, { 0x9123683e, "BTRFS_SUPER_MAGIC" },
	{ 0x63677270, "CGROUP2_SUPER_MAGIC" }, { 0x27e0eb, "CGROUP_SUPER_MAGIC" },
	{ 0x28cd3d45, "CRAMFS_MAGIC" }, { 0x64626720, "DEBUGFS_MAGIC" }, { 0x1cd1, "DEVPTS_SUPER_MAGIC" },
	{ 0xde5e81e4, "EFIVARFS_MAGIC" }, { 0xe0f5e1e2, "EROFS_SUPER_MAGIC_V1" },
	{ 0xef53, "EXT4_SUPER_MAGIC" }, { 0xf2f52010, "F2FS_SUPER_MAGIC" },
	{ 0x65735546, "FUSE_SUPER_MAGIC" }, { 0x958458f6, "HUGETLBFS_MAGIC" },
	{ 0x9660, "ISOFS_SUPER_MAGIC" }, { 0x4d44, "MSDOS_SUPER_MAGIC" }, { 0x6969, "NFS_SUPER_MAGIC" },
	{ 0x6e736673, "NSFS_MAGIC" }, { 0x794c7630, "OVERLAYFS_SUPER_MAGIC" }, { 0x50495045, "PIPEFS_MAGIC" },
	{ 0x9fa0, "PROC_SUPER_MAGIC" }, { 0x6165676c, "PSTOREFS_MAGIC" }, { 0x858458f6, "RAMFS_MAGIC" },
	{ 0x73636673, "SECURITYFS_MAGIC" }, { 0xf97cff8c, "SELINUX_MAGIC" },
	{ 0xfe534d42, "SMB2_SUPER_MAGIC" }, { 0x534f434b, "SOCKFS_MAGIC" }, { 0x73717368, "SQUASHFS_MAGIC" },
	{ 0x62656572, "SYSFS_MAGIC" }, { 0x1021994, "TMPFS_MAGIC" }, { 0x74726163, "TRACEFS_MAGIC" },
	{ 0x15013346, "UDF_SUPER_MAGIC" }, { 0x1021997, "V9FS_MAGIC" }, { 0x58465342, "XFS_SUPER_MAGIC" },
};
static const struct value_name fsconfig_cmd_names[] = {
	{ 0, "SET_FLAG" }, { 1, "SET_STRING" }, { 2, "SET_BINARY" }, { 3, "SET_PATH" },
	{ 4, "SET_PATH_EMPTY" }, { 5, "SET_FD" }, { 6, "CMD_CREATE" }, { 7, "CMD_RECONFIGURE" },
};
static const struct value_name fsmount_flags_names[] = {
	{ 0x1, "CLOEXEC" },
};
static const struct value_name fsopen_flags_names[] = {
	{ 0x1, "CLOEXEC" },
};
static const struct value_name fspick_flags_names[] = {
	{ 0x1, "CLOEXEC" }, { 0x2, "SYMLINK_NOFOLLOW" }, { 0x4, "NO_AUTOMOUNT" }, { 0x8, "EMPTY_PATH" },
};
static const struct value_name futex2_flags_names[] = {
	{ 0x1, "SIZE_U16" }, { 0x2, "SIZE_U32" }, { 0x4, "NUMA" }, { 0x8, "MPOL" }, { 0x80, "PRIVATE" },
};
static const struct value_name kexec_file_names[] = {
	{ 0x1, "UNLOAD" }, { 0x2, "ON_CRASH" }, { 0x4, "NO_INITRAMFS" },
};
static const struct value_name landlock_create_names[] = {
	{ 0x1, "VERSION" },
};
static const struct value_name landlock_fs_names[] = {
	{ 0x1, "EXECUTE" }, { 0x2, "WRITE_FILE" }, { 0x4, "READ_FILE" }, { 0x8, "READ_DIR" },
	{ 0x10, "REMOVE_DIR" }, { 0x20, "REMOVE_FILE" }, { 0x40, "MAKE_CHAR" }, { 0x80, "MAKE_DIR" },
	{ 0x100, "MAKE_REG" }, { 0x200, "MAKE_SOCK" }, { 0x400, "MAKE_FIFO" }, { 0x800, "MAKE_BLOCK" },
	{ 0x1000, "MAKE_SYM" }, { 0x2000, "REFER" }, { 0x4000, "TRUNCATE" }, { 0x8000, "IOCTL_DEV" },
};
static const struct value_name landlock_rule_names[] = {
	{ 1, "PATH_BENEATH" }, { 2, "NET_PORT" },
};
static const struct value_name mbind_flags_names[] = {
	{ 0x1, "STRICT" }, { 0x2, "MOVE" }, { 0x4, "MOVE_ALL" },
};
static const struct value_name module_flags_names[] = {
	{ 0x1, "IGNORE_MODVERSIONS" }, { 0x2, "IGNORE_VERMAGIC" }, { 0x4, "COMPRESSED_FILE" },
};
static const struct value_name mount_attr_names[] = {
	{ 0x1, "RDONLY" }, { 0x2, "NOSUID" }, { 0x4, "NODEV" }, { 0x8, "NOEXEC" }, { 0x10, "NOATIME" },
	{ 0x20, "STRICTATIME" }, { 0x80, "NODIRATIME" }, { 0x100000, "IDMAP" }, { 0x200000, "NOSYMFOLLOW" },
};
static const struct value_name mount_propagation_names[] = {
	{ 0x20000, "UNBINDABLE" }, { 0x40000, "PRIVATE" }, { 0x80000, "SLAVE" }, { 0x100000, "SHARED" },
};
static const struct value_name mount_setattr_flags_names[] = {
	{ 0x100, "SYMLINK_NOFOLLOW" }, { 0x800, "NO_AUTOMOUNT" }, { 0x1000, "EMPTY_PATH" },
	{ 0x8000, "RECURSIVE" },
};
static const struct value_name move_mount_flags_names[] = {
	{ 0x1, "F_SYMLINKS" }, { 0x2, "F_AUTOMOUNTS" }, { 0x4, "F_EMPTY_PATH" }, { 0x10, "T_SYMLINKS" },
	{ 0x20, "T_AUTOMOUNTS" }, { 0x40, "T_EMPTY_PATH" }, { 0x100, "SET_GROUP" }, { 0x200, "BENEATH" },
};
static const struct value_name open_tree_flags_names[] = {
	{ 0x1, "OPEN_TREE_CLONE" }, { 0x80000, "OPEN_TREE_CLOEXEC" }, { 0x100, "AT_SYMLINK_NOFOLLOW" },
	{ 0x800, "AT_NO_AUTOMOUNT" }, { 0x1000, "AT_EMPTY_PATH" }, { 0x8000, "AT_RECURSIVE" },
};
static const struct value_name personality_names[] = {
	{ 0x20000, "UNAME26" }, { 0x40000, "ADDR_NO_RANDOMIZE" }, { 0x80000, "FDPIC_FUNCPTRS" },
	{ 0x100000, "MMAP_PAGE_ZERO" }, { 0x200000, "ADDR_COMPAT_LAYOUT" }, { 0x400000, "READ_IMPLIES_EXEC" },
	{ 0x800000, "ADDR_LIMIT_32BIT" }, { 0x1000000, "SHORT_INODE" }, { 0x2000000, "WHOLE_SECONDS" },
	{ 0x4000000, "STICKY_TIMEOUTS" }, { 0x8000000, "ADDR_LIMIT_3GB" }, { 0x8, "PER_LINUX32" },
};
/* clang-format on */
static const struct value_name pidfd_signal_names[] = {
	{ 0x1, "THREAD" },
	{ 0x2, "THREAD_GROUP" },
	{ 0x4, "PROCESS_GROUP" },
};
static const struct value_name pkey_rights_names[] = {
	{ 0x1, "DISABLE_ACCESS" },
	{ 0x2, "DISABLE_WRITE" },
};
static const struct value_name policy_flags_names[] = {
	{ 0x1, "NODE" },
	{ 0x2, "ADDR" },
	{ 0x4, "MEMS_ALLOWED" },
};
static const struct value_name reboot_cmd_names[] = {
	{ 0x1234567, "LINUX_REBOOT_CMD_RESTART" },     { 0xcdef0123, "LINUX_REBOOT_CMD_HALT" },
	{ 0x89abcdef, "LINUX_REBOOT_CMD_CAD_ON" },     { 0, "LINUX_REBOOT_CMD_CAD_OFF" },
	{ 0x4321fedc, "LINUX_REBOOT_CMD_POWER_OFF" },  { 0xa1b2c3d4, "LINUX_REBOOT_CMD_RESTART2" },
	{ 0xd000fce2, "LINUX_REBOOT_CMD_SW_SUSPEND" }, { 0x45584543, "LINUX_REBOOT_CMD_KEXEC" },
};
static const struct value_name reboot_magic_names[] = {
	{ 0xfee1dead, "LINUX_REBOOT_MAGIC1" },  { 0x28121969, "LINUX_REBOOT_MAGIC2" },
	{ 0x5121996, "LINUX_REBOOT_MAGIC2A" },  { 0x16041998, "LINUX_REBOOT_MAGIC2B" },
	{ 0x20112000, "LINUX_REBOOT_MAGIC2C" },
};
static const struct value_name sched_flags_names[] = {
	{ 0x1, "RESET_ON_FORK" },   { 0x2, "RECLAIM" },      { 0x4, "DL_OVERRUN" },
	{ 0x8, "KEEP_POLICY" },     { 0x10, "KEEP_PARAMS" }, { 0x20, "UTIL_CLAMP_MIN" },
	{ 0x40, "UTIL_CLAMP_MAX" },
};
static const struct value_name sem_flags_names[] = {
	{ 0x800, "IPC_NOWAIT" },
	{ 0x1000, "SEM_UNDO" },
};
static const struct value_name si_child_names[] = {
	{ 1, "EXITED" },  { 2, "KILLED" },  { 3, "DUMPED" },
	{ 4, "TRAPPED" }, { 5, "STOPPED" }, { 6, "CONTINUED" },
};
static const struct value_name si_code_names[] = {
	{ 0, "USER" },           { 128, "KERNEL" },       { 0xffffffff, "QUEUE" },
	{ 0xfffffffe, "TIMER" }, { 0xfffffffd, "MESGQ" }, { 0xfffffffc, "ASYNCIO" },
	{ 0xfffffffb, "SIGIO" }, { 0xfffffffa, "TKILL" },
};
static const struct value_name sigev_notify_names[] = {
	{ 0, "SIGNAL" },
	{ 1, "NONE" },
	{ 2, "THREAD" },
	{ 4, "THREAD_ID" },
};
static const struct value_name swap_flags_names[] = {
	{ 0x8000, "PREFER" },
	{ 0x10000, "DISCARD" },
	{ 0x20000, "DISCARD_ONCE" },
	{ 0x40000, "DISCARD_PAGES" },
};
static const struct value_name sync_range_names[] = {
	{ 0x1, "WAIT_BEFORE" },
	{ 0x2, "WRITE" },
	{ 0x4, "WAIT_AFTER" },
};
static const struct value_name syslog_action_names[] = {
	{ 0, "CLOSE" },         { 1, "OPEN" },        { 2, "READ" },         { 3, "READ_ALL" },
	{ 4, "READ_CLEAR" },    { 5, "CLEAR" },       { 6, "CONSOLE_OFF" },  { 7, "CONSOLE_ON" },
	{ 8, "CONSOLE_LEVEL" }, { 9, "SIZE_UNREAD" }, { 10, "SIZE_BUFFER" },
};
static const struct value_name time_status_names[] = {
	{ 0x1, "PLL" },         { 0x2, "PPSFREQ" },     { 0x4, "PPSTIME" },
	{ 0x8, "FLL" },         { 0x10, "INS" },        { 0x20, "DEL" },
	{ 0x40, "UNSYNC" },     { 0x80, "FREQHOLD" },   { 0x100, "PPSSIGNAL" },
	{ 0x200, "PPSJITTER" }, { 0x400, "PPSWANDER" }, { 0x800, "PPSERROR" },
	{ 0x1000, "CLOCKERR" }, { 0x2000, "NANO" },     { 0x4000, "MODE" },
	{ 0x8000, "CLK" },
};
static const struct value_name uring_features_names[] = {
	{ 0x1, "SINGLE_MMAP" },      { 0x2, "NODROP" },           { 0x4, "SUBMIT_STABLE" },
	{ 0x8, "RW_CUR_POS" },       { 0x10, "CUR_PERSONALITY" }, { 0x20, "FAST_POLL" },
	{ 0x40, "POLL_32BITS" },     { 0x80, "SQPOLL_NONFIXED" }, { 0x100, "EXT_ARG" },
	{ 0x200, "NATIVE_WORKERS" }, { 0x400, "RSRC_TAGS" },      { 0x800, "CQE_SKIP" },
	{ 0x1000, "LINKED_FILE" },   { 0x2000, "REG_REG_RING" },  { 0x4000, "RECVSEND_BUNDLE" },
	{ 0x8000, "MIN_TIMEOUT" },
};
static const struct value_name uring_register_names[] = {
	{ 0, "REGISTER_BUFFERS" },         { 1, "UNREGISTER_BUFFERS" },
	{ 2, "REGISTER_FILES" },           { 3, "UNREGISTER_FILES" },
	{ 4, "REGISTER_EVENTFD" },         { 5, "UNREGISTER_EVENTFD" },
	{ 6, "REGISTER_FILES_UPDATE" },    { 7, "REGISTER_EVENTFD_ASYNC" },
	{ 8, "REGISTER_PROBE" },           { 9, "REGISTER_PERSONALITY" },
	{ 10, "UNREGISTER_PERSONALITY" },  { 11, "REGISTER_RESTRICTIONS" },
	{ 12, "REGISTER_ENABLE_RINGS" },   { 13, "REGISTER_FILES2" },
	{ 14, "REGISTER_FILES_UPDATE2" },  { 15, "REGISTER_BUFFERS2" },
	{ 16, "REGISTER_BUFFERS_UPDATE" }, { 17, "REGISTER_IOWQ_AFF" },
	{ 18, "UNREGISTER_IOWQ_AFF" },     { 19, "REGISTER_IOWQ_MAX_WORKERS" },
	{ 20, "REGISTER_RING_FDS" },       { 21, "UNREGISTER_RING_FDS" },
	{ 22, "REGISTER_PBUF_RING" },      { 23, "UNREGISTER_PBUF_RING" },
	{ 24, "REGISTER_SYNC_CANCEL" },    { 25, "REGISTER_FILE_ALLOC_RANGE" },
};
static const struct value_name uring_setup_names[] = {
	{ 0x1, "IOPOLL" },           { 0x2, "SQPOLL" },           { 0x4, "SQ_AFF" },
	{ 0x8, "CQSIZE" },           { 0x10, "CLAMP" },           { 0x20, "ATTACH_WQ" },
	{ 0x40, "R_DISABLED" },      { 0x80, "SUBMIT_ALL" },      { 0x100, "COOP_TASKRUN" },
	{ 0x200, "TASKRUN_FLAG" },   { 0x400, "SQE128" },         { 0x800, "CQE32" },
	{ 0x1000, "SINGLE_ISSUER" }, { 0x2000, "DEFER_TASKRUN" },
};

static const struct syscall_values all_values[] = {
	{ "access_mode", "", access_mode_names, ARRAY_SIZE(access_mode_names), true },
	{ "adj_modes", "ADJ_", adj_modes_names, ARRAY_SIZE(adj_modes_names), true },
	{ "arch_prctl", "ARCH_", arch_prctl_names, ARRAY_SIZE(arch_prctl_names), false },
	{ "at_flags", "AT_", at_flags_names, ARRAY_SIZE(at_flags_names), true },
	{ "bpf_cmd", "BPF_", bpf_cmd_names, ARRAY_SIZE(bpf_cmd_names), false },
	{ "bpf_elem_flags", "BPF_", bpf_elem_flags_names, ARRAY_SIZE(bpf_elem_flags_names), false },
	{ "bpf_map_flags", "BPF_F_", bpf_map_flags_names, ARRAY_SIZE(bpf_map_flags_names), true },
	{ "bpf_map_type", "BPF_MAP_TYPE_", bpf_map_type_names, ARRAY_SIZE(bpf_map_type_names),
	  false },
	{ "bpf_prog_type", "BPF_PROG_TYPE_", bpf_prog_type_names, ARRAY_SIZE(bpf_prog_type_names),
	  false },
	{ "cap_high", "CAP_", cap_high_names, ARRAY_SIZE(cap_high_names), true },
	{ "cap_low", "CAP_", cap_low_names, ARRAY_SIZE(cap_low_names), true },
	{ "cap_version", "_LINUX_CAPABILITY_", cap_version_names, ARRAY_SIZE(cap_version_names),
	  false },
	{ "capability", "CAP_", capability_names, ARRAY_SIZE(capability_names), false },
	{ "clockid", "CLOCK_", clockid_names, ARRAY_SIZE(clockid_names), false },
	{ "clone_flags", "CLONE_", clone_flags_names, ARRAY_SIZE(clone_flags_names), true },
	{ "close_range_flags", "CLOSE_RANGE_", close_range_flags_names,
	  ARRAY_SIZE(close_range_flags_names), true },
	{ "dup_flags", "O_", dup_flags_names, ARRAY_SIZE(dup_flags_names), true },
	{ "epoll_events", "EPOLL", epoll_events_names, ARRAY_SIZE(epoll_events_names), true },
	{ "epoll_flags", "EPOLL_", epoll_flags_names, ARRAY_SIZE(epoll_flags_names), true },
	{ "epoll_op", "EPOLL_CTL_", epoll_op_names, ARRAY_SIZE(epoll_op_names), false },
	{ "eventfd_flags", "EFD_", eventfd_flags_names, ARRAY_SIZE(eventfd_flags_names), true },
	{ "f_owner", "F_OWNER_", f_owner_names, ARRAY_SIZE(f_owner_names), false },
	{ "faccess_flags", "AT_", faccess_flags_names, ARRAY_SIZE(faccess_flags_names), true },
	{ "fadvise", "POSIX_FADV_", fadvise_names, ARRAY_SIZE(fadvise_names), false },
	{ "falloc_mode", "FALLOC_FL_", falloc_mode_names, ARRAY_SIZE(falloc_mode_names), true },
	{ "family", "AF_", family_names, ARRAY_SIZE(family_names), false },
	{ "fan_init", "FAN_", fan_init_names, ARRAY_SIZE(fan_init_names), true },
	{ "fan_mark", "FAN_MARK_", fan_mark_names, ARRAY_SIZE(fan_mark_names), true },
	{ "fan_mask", "FAN_", fan_mask_names, ARRAY_SIZE(fan_mask_names), true },
	{ "fcntl_cmd", "F_", fcntl_cmd_names, ARRAY_SIZE(fcntl_cmd_names), false },
	{ "fd_flags", "FD_", fd_flags_names, ARRAY_SIZE(fd_flags_names), true },
	{ "file_type", "S_I", file_type_names, ARRAY_SIZE(file_type_names), false },
	{ "flock_cmd", "LOCK_", flock_cmd_names, ARRAY_SIZE(flock_cmd_names), true },
	{ "fs_magic", "", fs_magic_names, ARRAY_SIZE(fs_magic_names), false },
	{ "fsconfig_cmd", "FSCONFIG_", fsconfig_cmd_names, ARRAY_SIZE(fsconfig_cmd_names), false },
	{ "fsmount_flags", "FSMOUNT_", fsmount_flags_names, ARRAY_SIZE(fsmount_flags_names), true },
	{ "fsopen_flags", "FSOPEN_", fsopen_flags_names, ARRAY_SIZE(fsopen_flags_names), true },
	{ "fspick_flags", "FSPICK_", fspick_flags_names, ARRAY_SIZE(fspick_flags_names), true },
	{ "futex2_flags", "FUTEX2_", futex2_flags_names, ARRAY_SIZE(futex2_flags_names), true },
	{ "futex_flags", "", futex_flags_names, ARRAY_SIZE(futex_flags_names), true },
	{ "futex_op", "FUTEX_", futex_op_names, ARRAY_SIZE(futex_op_names), false },
	{ "if_flags", "IFF_", if_flags_names, ARRAY_SIZE(if_flags_names), true },
	{ "inode_flags", "FS_", inode_flags_names, ARRAY_SIZE(inode_flags_names), true },
	{ "inotify_flags", "IN_", inotify_flags_names, ARRAY_SIZE(inotify_flags_names), true },
	{ "inotify_mask", "IN_", inotify_mask_names, ARRAY_SIZE(inotify_mask_names), true },
	{ "ioctl", "", ioctl_names, ARRAY_SIZE(ioctl_names), false },
	{ "ioprio_which", "IOPRIO_WHO_", ioprio_which_names, ARRAY_SIZE(ioprio_which_names),
	  false },
	{ "ip_proto", "IPPROTO_", ip_proto_names, ARRAY_SIZE(ip_proto_names), false },
	{ "ipc_call", "", ipc_call_names, ARRAY_SIZE(ipc_call_names), false },
	{ "ipc_cmd", "IPC_", ipc_cmd_names, ARRAY_SIZE(ipc_cmd_names), false },
	{ "ipc_flags", "IPC_", ipc_flags_names, ARRAY_SIZE(ipc_flags_names), true },
	{ "itimer", "ITIMER_", itimer_names, ARRAY_SIZE(itimer_names), false },
	{ "kcmp_type", "KCMP_", kcmp_type_names, ARRAY_SIZE(kcmp_type_names), false },
	{ "kexec_file", "KEXEC_FILE_", kexec_file_names, ARRAY_SIZE(kexec_file_names), true },
	{ "keyctl_option", "KEYCTL_", keyctl_option_names, ARRAY_SIZE(keyctl_option_names), false },
	{ "landlock_create", "LANDLOCK_CREATE_RULESET_", landlock_create_names,
	  ARRAY_SIZE(landlock_create_names), true },
	{ "landlock_fs", "LANDLOCK_ACCESS_FS_", landlock_fs_names, ARRAY_SIZE(landlock_fs_names),
	  true },
	{ "landlock_rule", "LANDLOCK_RULE_", landlock_rule_names, ARRAY_SIZE(landlock_rule_names),
	  false },
	{ "lock_type", "F_", lock_type_names, ARRAY_SIZE(lock_type_names), false },
	{ "madvise", "MADV_", madvise_names, ARRAY_SIZE(madvise_names), false },
	{ "map_flags", "MAP_", map_flags_names, ARRAY_SIZE(map_flags_names), true },
	{ "mbind_flags", "MPOL_MF_", mbind_flags_names, ARRAY_SIZE(mbind_flags_names), true },
	{ "membarrier_cmd", "MEMBARRIER_CMD_", membarrier_cmd_names,
	  ARRAY_SIZE(membarrier_cmd_names), true },
	{ "memfd_flags", "MFD_", memfd_flags_names, ARRAY_SIZE(memfd_flags_names), true },
	{ "mempolicy", "MPOL_", mempolicy_names, ARRAY_SIZE(mempolicy_names), false },
	{ "mlock_flags", "MLOCK_", mlock_flags_names, ARRAY_SIZE(mlock_flags_names), true },
	{ "mlockall_flags", "MCL_", mlockall_flags_names, ARRAY_SIZE(mlockall_flags_names), true },
	{ "module_flags", "MODULE_INIT_", module_flags_names, ARRAY_SIZE(module_flags_names),
	  true },
	{ "mount_attr", "MOUNT_ATTR_", mount_attr_names, ARRAY_SIZE(mount_attr_names), true },
	{ "mount_flags", "MS_", mount_flags_names, ARRAY_SIZE(mount_flags_names), true },
	{ "mount_propagation", "MS_", mount_propagation_names, ARRAY_SIZE(mount_propagation_names),
	  true },
	{ "mount_setattr_flags", "AT_", mount_setattr_flags_names,
	  ARRAY_SIZE(mount_setattr_flags_names), true },
	{ "move_mount_flags", "MOVE_MOUNT_", move_mount_flags_names,
	  ARRAY_SIZE(move_mount_flags_names), true },
	{ "mremap_flags", "MREMAP_", mremap_flags_names, ARRAY_SIZE(mremap_flags_names), true },
	{ "msg_flags", "MSG_", msg_flags_names, ARRAY_SIZE(msg_flags_names), true },
	{ "msync_flags", "MS_", msync_flags_names, ARRAY_SIZE(msync_flags_names), true },
	{ "netlink_proto", "NETLINK_", netlink_proto_names, ARRAY_SIZE(netlink_proto_names),
	  false },
	{ "open_flags", "O_", open_flags_names, ARRAY_SIZE(open_flags_names), true },
	{ "open_tree_flags", "", open_tree_flags_names, ARRAY_SIZE(open_tree_flags_names), true },
	{ "perf_attr_flags", "", perf_attr_flags_names, ARRAY_SIZE(perf_attr_flags_names), true },
	{ "perf_flags", "PERF_FLAG_", perf_flags_names, ARRAY_SIZE(perf_flags_names), true },
	{ "perf_read_format", "PERF_FORMAT_", perf_read_format_names,
	  ARRAY_SIZE(perf_read_format_names), true },
	{ "perf_sample", "PERF_SAMPLE_", perf_sample_names, ARRAY_SIZE(perf_sample_names), true },
	{ "perf_type", "PERF_TYPE_", perf_type_names, ARRAY_SIZE(perf_type_names), false },
	{ "personality", "", personality_names, ARRAY_SIZE(personality_names), true },
	{ "pidfd_flags", "PIDFD_", pidfd_flags_names, ARRAY_SIZE(pidfd_flags_names), true },
	{ "pidfd_signal", "PIDFD_SIGNAL_", pidfd_signal_names, ARRAY_SIZE(pidfd_signal_names),
	  true },
	{ "pipe_flags", "O_", pipe_flags_names, ARRAY_SIZE(pipe_flags_names), true },
	{ "pkey_rights", "PKEY_", pkey_rights_names, ARRAY_SIZE(pkey_rights_names), true },
	{ "policy_flags", "MPOL_F_", policy_flags_names, ARRAY_SIZE(policy_flags_names), true },
	{ "poll_events", "POLL", poll_events_names, ARRAY_SIZE(poll_events_names), true },
	{ "prctl_option", "PR_", prctl_option_names, ARRAY_SIZE(prctl_option_names), false },
	{ "prio_which", "PRIO_", prio_which_names, ARRAY_SIZE(prio_which_names), false },
	{ "prot", "PROT_", prot_names, ARRAY_SIZE(prot_names), true },
	{ "ptrace_request", "PTRACE_", ptrace_request_names, ARRAY_SIZE(ptrace_request_names),
	  false },
	{ "random_flags", "GRND_", random_flags_names, ARRAY_SIZE(random_flags_names), true },
	{ "reboot_cmd", "", reboot_cmd_names, ARRAY_SIZE(reboot_cmd_names), false },
	{ "reboot_magic", "", reboot_magic_names, ARRAY_SIZE(reboot_magic_names), false },
	{ "rename_flags", "RENAME_", rename_flags_names, ARRAY_SIZE(rename_flags_names), true },
	{ "resolve_flags", "RESOLVE_", resolve_flags_names, ARRAY_SIZE(resolve_flags_names), true },
	{ "rlimit", "RLIMIT_", rlimit_names, ARRAY_SIZE(rlimit_names), false },
	{ "rseq_flags", "RSEQ_FLAG_", rseq_flags_names, ARRAY_SIZE(rseq_flags_names), true },
	{ "rusage_who", "RUSAGE_", rusage_who_names, ARRAY_SIZE(rusage_who_names), false },
	{ "rwf_flags", "RWF_", rwf_flags_names, ARRAY_SIZE(rwf_flags_names), true },
	{ "sa_flags", "SA_", sa_flags_names, ARRAY_SIZE(sa_flags_names), true },
	{ "sched_flags", "SCHED_FLAG_", sched_flags_names, ARRAY_SIZE(sched_flags_names), true },
	{ "sched_policy", "SCHED_", sched_policy_names, ARRAY_SIZE(sched_policy_names), false },
	{ "seal_flags", "F_SEAL_", seal_flags_names, ARRAY_SIZE(seal_flags_names), true },
	{ "seccomp_flags", "SECCOMP_FILTER_FLAG_", seccomp_flags_names,
	  ARRAY_SIZE(seccomp_flags_names), true },
	{ "seccomp_op", "SECCOMP_", seccomp_op_names, ARRAY_SIZE(seccomp_op_names), false },
	{ "sem_flags", "", sem_flags_names, ARRAY_SIZE(sem_flags_names), true },
	{ "shmat_flags", "SHM_", shmat_flags_names, ARRAY_SIZE(shmat_flags_names), true },
	{ "shutdown_how", "SHUT_", shutdown_how_names, ARRAY_SIZE(shutdown_how_names), false },
	{ "si_child", "CLD_", si_child_names, ARRAY_SIZE(si_child_names), false },
	{ "si_code", "SI_", si_code_names, ARRAY_SIZE(si_code_names), false },
	{ "sig_how", "SIG_", sig_how_names, ARRAY_SIZE(sig_how_names), false },
	{ "sigev_notify", "SIGEV_", sigev_notify_names, ARRAY_SIZE(sigev_notify_names), false },
	{ "signalfd_flags", "SFD_", signalfd_flags_names, ARRAY_SIZE(signalfd_flags_names), true },
	{ "signals", "SIG", signals_names, ARRAY_SIZE(signals_names), false },
	{ "so_option", "SO_", so_option_names, ARRAY_SIZE(so_option_names), false },
	{ "sock_flags", "SOCK_", sock_flags_names, ARRAY_SIZE(sock_flags_names), true },
	{ "sock_type", "SOCK_", sock_type_names, ARRAY_SIZE(sock_type_names), false },
	{ "socketcall", "", socketcall_names, ARRAY_SIZE(socketcall_names), false },
	{ "sol_level", "", sol_level_names, ARRAY_SIZE(sol_level_names), false },
	{ "splice_flags", "SPLICE_F_", splice_flags_names, ARRAY_SIZE(splice_flags_names), true },
	{ "statx_mask", "STATX_", statx_mask_names, ARRAY_SIZE(statx_mask_names), true },
	{ "swap_flags", "SWAP_FLAG_", swap_flags_names, ARRAY_SIZE(swap_flags_names), true },
	{ "sync_range", "SYNC_FILE_RANGE_", sync_range_names, ARRAY_SIZE(sync_range_names), true },
	{ "syslog_action", "SYSLOG_ACTION_", syslog_action_names, ARRAY_SIZE(syslog_action_names),
	  false },
	{ "tcp_option", "TCP_", tcp_option_names, ARRAY_SIZE(tcp_option_names), false },
	{ "termios_cflag", "", termios_cflag_names, ARRAY_SIZE(termios_cflag_names), true },
	{ "termios_iflag", "", termios_iflag_names, ARRAY_SIZE(termios_iflag_names), true },
	{ "termios_lflag", "", termios_lflag_names, ARRAY_SIZE(termios_lflag_names), true },
	{ "termios_oflag", "", termios_oflag_names, ARRAY_SIZE(termios_oflag_names), true },
	{ "time_status", "STA_", time_status_names, ARRAY_SIZE(time_status_names), true },
	{ "timer_flags", "TIMER_", timer_flags_names, ARRAY_SIZE(timer_flags_names), true },
	{ "timerfd_flags", "TFD_", timerfd_flags_names, ARRAY_SIZE(timerfd_flags_names), true },
	{ "timerfd_set", "TFD_TIMER_", timerfd_set_names, ARRAY_SIZE(timerfd_set_names), true },
	{ "umount_flags", "", umount_flags_names, ARRAY_SIZE(umount_flags_names), true },
	{ "unshare_flags", "CLONE_", unshare_flags_names, ARRAY_SIZE(unshare_flags_names), true },
	{ "uring_enter", "IORING_ENTER_", uring_enter_names, ARRAY_SIZE(uring_enter_names), true },
	{ "uring_features", "IORING_FEAT_", uring_features_names, ARRAY_SIZE(uring_features_names),
	  true },
	{ "uring_register", "IORING_", uring_register_names, ARRAY_SIZE(uring_register_names),
	  false },
	{ "uring_setup", "IORING_SETUP_", uring_setup_names, ARRAY_SIZE(uring_setup_names), true },
	{ "userfault_flags", "", userfault_flags_names, ARRAY_SIZE(userfault_flags_names), true },
	{ "wait_options", "W", wait_options_names, ARRAY_SIZE(wait_options_names), true },
	{ "waitid_which", "P_", waitid_which_names, ARRAY_SIZE(waitid_which_names), false },
	{ "whence", "SEEK_", whence_names, ARRAY_SIZE(whence_names), false },
	{ "xattr_flags", "XATTR_", xattr_flags_names, ARRAY_SIZE(xattr_flags_names), true },
};

/* ---- what other architectures have in place of a set above ---- */

static const struct value_name arm_open_flags_names[] = {
	{ 0x1, "WRONLY" },      { 0x2, "RDWR" },          { 0x40, "CREAT" },
	{ 0x80, "EXCL" },       { 0x100, "NOCTTY" },      { 0x200, "TRUNC" },
	{ 0x400, "APPEND" },    { 0x800, "NONBLOCK" },    { 0x101000, "SYNC" },
	{ 0x1000, "DSYNC" },    { 0x4000, "DIRECTORY" },  { 0x8000, "NOFOLLOW" },
	{ 0x10000, "DIRECT" },  { 0x20000, "LARGEFILE" }, { 0x40000, "NOATIME" },
	{ 0x80000, "CLOEXEC" }, { 0x200000, "PATH" },     { 0x404000, "TMPFILE" },
	{ 0x2000, "ASYNC" },
};
static const struct value_name powerpc_open_flags_names[] = {
	{ 0x1, "WRONLY" },        { 0x2, "RDWR" },         { 0x40, "CREAT" },
	{ 0x80, "EXCL" },         { 0x100, "NOCTTY" },     { 0x200, "TRUNC" },
	{ 0x400, "APPEND" },      { 0x800, "NONBLOCK" },   { 0x101000, "SYNC" },
	{ 0x1000, "DSYNC" },      { 0x4000, "DIRECTORY" }, { 0x8000, "NOFOLLOW" },
	{ 0x10000, "LARGEFILE" }, { 0x20000, "DIRECT" },   { 0x40000, "NOATIME" },
	{ 0x80000, "CLOEXEC" },   { 0x200000, "PATH" },    { 0x404000, "TMPFILE" },
	{ 0x2000, "ASYNC" },
};
static const struct value_name arm_prot_names[] = {
	{ 0, "NONE" },
	{ 0x1, "READ" },
	{ 0x2, "WRITE" },
	{ 0x4, "EXEC" },
	{ 0x8, "SEM" },
	{ 0x10, "BTI" },
	{ 0x20, "MTE" },
	{ 0x1000000, "GROWSDOWN" },
	{ 0x2000000, "GROWSUP" },
};
static const struct value_name powerpc_prot_names[] = {
	{ 0, "NONE" },  { 0x1, "READ" }, { 0x2, "WRITE" },           { 0x4, "EXEC" },
	{ 0x8, "SEM" }, { 0x10, "SAO" }, { 0x1000000, "GROWSDOWN" }, { 0x2000000, "GROWSUP" },
};
static const struct value_name arm_map_flags_names[] = {
	{ 0x1, "SHARED" },        { 0x2, "PRIVATE" },      { 0x10, "FIXED" },
	{ 0x20, "ANONYMOUS" },    { 0x100, "GROWSDOWN" },  { 0x800, "DENYWRITE" },
	{ 0x1000, "EXECUTABLE" }, { 0x2000, "LOCKED" },    { 0x4000, "NORESERVE" },
	{ 0x8000, "POPULATE" },   { 0x10000, "NONBLOCK" }, { 0x20000, "STACK" },
	{ 0x40000, "HUGETLB" },   { 0x80000, "SYNC" },     { 0x100000, "FIXED_NOREPLACE" },
};
static const struct value_name powerpc_map_flags_names[] = {
	{ 0x1, "SHARED" },      { 0x2, "PRIVATE" },      { 0x10, "FIXED" },
	{ 0x20, "ANONYMOUS" },  { 0x40, "NORESERVE" },   { 0x80, "LOCKED" },
	{ 0x100, "GROWSDOWN" }, { 0x800, "DENYWRITE" },  { 0x1000, "EXECUTABLE" },
	{ 0x8000, "POPULATE" }, { 0x10000, "NONBLOCK" }, { 0x20000, "STACK" },
	{ 0x40000, "HUGETLB" }, { 0x80000, "SYNC" },     { 0x100000, "FIXED_NOREPLACE" },
};
static const struct value_name powerpc_mlockall_flags_names[] = {
	{ 0x2000, "CURRENT" },
	{ 0x4000, "FUTURE" },
	{ 0x8000, "ONFAULT" },
};
static const struct value_name powerpc_so_option_names[] = {
	{ 1, "DEBUG" },         { 2, "REUSEADDR" },      { 3, "TYPE" },
	{ 4, "ERROR" },         { 5, "DONTROUTE" },      { 6, "BROADCAST" },
	{ 7, "SNDBUF" },        { 8, "RCVBUF" },         { 9, "KEEPALIVE" },
	{ 10, "OOBINLINE" },    { 11, "NO_CHECK" },      { 12, "PRIORITY" },
	{ 13, "LINGER" },       { 14, "BSDCOMPAT" },     { 15, "REUSEPORT" },
	{ 16, "RCVLOWAT" },     { 17, "SNDLOWAT" },      { 18, "RCVTIMEO" },
	{ 19, "SNDTIMEO" },     { 20, "PASSCRED" },      { 21, "PEERCRED" },
	{ 25, "BINDTODEVICE" }, { 26, "ATTACH_FILTER" }, { 27, "DETACH_FILTER" },
	{ 28, "PEERNAME" },     { 29, "TIMESTAMP" },     { 30, "ACCEPTCONN" },
	{ 31, "PEERSEC" },      { 32, "SNDBUFFORCE" },   { 33, "RCVBUFFORCE" },
	{ 34, "PASSSEC" },      { 36, "MARK" },          { 38, "PROTOCOL" },
	{ 39, "DOMAIN" },       { 40, "RXQ_OVFL" },      { 42, "PEEK_OFF" },
	{ 46, "BUSY_POLL" },    { 49, "INCOMING_CPU" },  { 50, "ATTACH_BPF" },
	{ 57, "COOKIE" },       { 60, "ZEROCOPY" },      { 61, "TXTIME" },
};
static const struct value_name powerpc_termios_iflag_names[] = {
	{ 0x1, "IGNBRK" },   { 0x2, "BRKINT" },     { 0x4, "IGNPAR" },   { 0x8, "PARMRK" },
	{ 0x10, "INPCK" },   { 0x20, "ISTRIP" },    { 0x40, "INLCR" },   { 0x80, "IGNCR" },
	{ 0x100, "ICRNL" },  { 0x200, "IXON" },     { 0x400, "IXOFF" },  { 0x800, "IXANY" },
	{ 0x1000, "IUCLC" }, { 0x2000, "IMAXBEL" }, { 0x4000, "IUTF8" },
};
static const struct value_name powerpc_termios_oflag_names[] = {
	{ 0x1, "OPOST" },  { 0x2, "ONLCR" },   { 0x4, "OLCUC" },  { 0x8, "OCRNL" },
	{ 0x10, "ONOCR" }, { 0x20, "ONLRET" }, { 0x40, "OFILL" }, { 0x80, "OFDEL" },
	{ 0xc00, "TAB3" }, { 0x400, "TAB1" },  { 0x800, "TAB2" }, { 0x4000, "FF1" },
	{ 0x8000, "BS1" }, { 0x10000, "VT1" },
};
static const struct value_name powerpc_termios_cflag_names[] = {
	{ 0xf, "B38400" },    { 0xe, "B19200" },        { 0xd, "B9600" },
	{ 0xc, "B4800" },     { 0xb, "B2400" },         { 0x9, "B1200" },
	{ 0x7, "B300" },      { 0x10, "B57600" },       { 0x11, "B115200" },
	{ 0x12, "B230400" },  { 0x300, "CS8" },         { 0x200, "CS7" },
	{ 0x100, "CS6" },     { 0x400, "CSTOPB" },      { 0x800, "CREAD" },
	{ 0x1000, "PARENB" }, { 0x2000, "PARODD" },     { 0x4000, "HUPCL" },
	{ 0x8000, "CLOCAL" }, { 0x40000000, "CMSPAR" }, { 0x80000000, "CRTSCTS" },
};
static const struct value_name powerpc_termios_lflag_names[] = {
	{ 0x80, "ISIG" },          { 0x100, "ICANON" },      { 0x4000, "XCASE" },
	{ 0x8, "ECHO" },           { 0x2, "ECHOE" },         { 0x4, "ECHOK" },
	{ 0x10, "ECHONL" },        { 0x80000000, "NOFLSH" }, { 0x400000, "TOSTOP" },
	{ 0x40, "ECHOCTL" },       { 0x20, "ECHOPRT" },      { 0x1, "ECHOKE" },
	{ 0x800000, "FLUSHO" },    { 0x20000000, "PENDIN" }, { 0x400, "IEXTEN" },
	{ 0x10000000, "EXTPROC" },
};

static const struct arch_values {
	const char *arch; /* the beginning of the architecture's name */
	struct syscall_values values;
} arch_values[] = {
	{ "aarch64",
	  { "map_flags", "MAP_", arm_map_flags_names, ARRAY_SIZE(arm_map_flags_names), true } },
	{ "aarch64",
	  { "open_flags", "O_", arm_open_flags_names, ARRAY_SIZE(arm_open_flags_names), true } },
	{ "aarch64", { "prot", "PROT_", arm_prot_names, ARRAY_SIZE(arm_prot_names), true } },
	{ "arm",
	  { "map_flags", "MAP_", arm_map_flags_names, ARRAY_SIZE(arm_map_flags_names), true } },
	{ "arm",
	  { "open_flags", "O_", arm_open_flags_names, ARRAY_SIZE(arm_open_flags_names), true } },
	{ "ppc",
	  { "map_flags", "MAP_", powerpc_map_flags_names, ARRAY_SIZE(powerpc_map_flags_names),
	    true } },
	{ "ppc",
	  { "mlockall_flags", "MCL_", powerpc_mlockall_flags_names,
	    ARRAY_SIZE(powerpc_mlockall_flags_names), true } },
	{ "ppc",
	  { "open_flags", "O_", powerpc_open_flags_names, ARRAY_SIZE(powerpc_open_flags_names),
	    true } },
	{ "ppc", { "prot", "PROT_", powerpc_prot_names, ARRAY_SIZE(powerpc_prot_names), true } },
	{ "ppc",
	  { "so_option", "SO_", powerpc_so_option_names, ARRAY_SIZE(powerpc_so_option_names),
	    false } },
	{ "ppc",
	  { "termios_cflag", "", powerpc_termios_cflag_names,
	    ARRAY_SIZE(powerpc_termios_cflag_names), true } },
	{ "ppc",
	  { "termios_iflag", "", powerpc_termios_iflag_names,
	    ARRAY_SIZE(powerpc_termios_iflag_names), true } },
	{ "ppc",
	  { "termios_lflag", "", powerpc_termios_lflag_names,
	    ARRAY_SIZE(powerpc_termios_lflag_names), true } },
	{ "ppc",
	  { "termios_oflag", "", powerpc_termios_oflag_names,
	    ARRAY_SIZE(powerpc_termios_oflag_names), true } },
};

#endif
