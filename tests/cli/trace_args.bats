#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: arguments that are sets, flags, structs and addresses of rarer calls, as strace tells them.
bats_require_minimum_version 1.5.0

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/args.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <linux/types.h>
	#include <sched.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mount.h>
	#include <sys/sem.h>
	#include <sys/select.h>
	#include <sys/syscall.h>
	#include <sys/timex.h>
	#include <sys/wait.h>
	#include <sys/vfs.h>
	#include <sys/sendfile.h>
	#include <sys/fanotify.h>
	#include <sys/personality.h>
	#include <sys/klog.h>
	#include <linux/capability.h>
	#include <linux/futex.h>
	#include <linux/landlock.h>
	#include <linux/mempolicy.h>
	#include <linux/io_uring.h>
	#include <unistd.h>
	#include <time.h>
	#include <grp.h>
	#include <netinet/in.h>
	#include <arpa/inet.h>
	#include <sys/socket.h>
	#include <linux/if_packet.h>
	#include <linux/if_alg.h>
	#include <linux/vm_sockets.h>
	int main(void)
	{
		struct timex tx = { .modes = 0 };
		struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
		struct __user_cap_data_struct d[2];
		fd_set r, w;
		struct timeval tv = { 0, 1000 };
		struct timespec ts = { 0, 1000 };
		int p[2], fd, sem;
		struct sembuf ops[2] = { { 0, 1, IPC_NOWAIT | SEM_UNDO }, { 0, -1, 0 } };
		struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
		timer_t t;
		siginfo_t si;
		loff_t off = 3, off2 = 1;
		off_t o3 = 2;
		gid_t g[4] = { 0, 4, 20 };
		struct statfs sf;
		unsigned long nodes[2] = { 1, 0 };
		struct io_uring_params up = { .flags = IORING_SETUP_CQSIZE, .cq_entries = 16 };
		char buf[256];
		sigset_t set;
		int pid;
		struct { unsigned long long val, uaddr; unsigned flags, r; } wv[2] = { { 1, (unsigned long)buf, 2, 0 }, { 2, (unsigned long)buf, 0x82, 0 } };
		struct { unsigned long long fs, net; } ll = { 3, 0 };

		adjtimex(&tx);
		syscall(SYS_capget, &h, d);
		d[0].effective &= ~1;
		syscall(SYS_capset, &h, d);
		pipe(p);
		FD_ZERO(&r); FD_SET(p[0], &r); FD_ZERO(&w); FD_SET(p[1], &w); FD_SET(p[1] + 3, &w); FD_CLR(p[1] + 3, &w);
		select(p[1] + 1, &r, &w, 0, &tv);
		pselect(p[1] + 1, &r, 0, 0, &ts, 0);
		sem = semget(IPC_PRIVATE, 1, 0600);
		semop(sem, ops, 2);
		semctl(sem, 0, IPC_RMID);
		timer_create(CLOCK_MONOTONIC, &ev, &t);
		pid = fork();
		if (!pid) _exit(3);
		waitid(P_PID, pid, &si, WEXITED);
		fd = open("/etc/passwd", O_RDONLY);
		splice(fd, &off, p[1], 0, 8, 0);
		int out = open("/dev/null", O_WRONLY);
		sendfile(out, fd, &o3, 10);
		copy_file_range(fd, &off, out, &off2, 5, 0);
		setgroups(3, g); getgroups(4, g);
		statfs("/proc", &sf); fstatfs(fd, &sf);
		syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, 65);
		syscall(SYS_set_mempolicy, MPOL_DEFAULT, 0, 0);
		syscall(SYS_io_uring_setup, 8, &up);
		fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_REPORT_FID, O_RDONLY);
		fanotify_mark(77, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN | FAN_CLOSE_WRITE, AT_FDCWD, "/tmp");
		personality(0xffffffff);
		personality(ADDR_NO_RANDOMIZE);
		syscall(SYS_fsopen, "tmpfs", 1);
		syscall(SYS_fsconfig, 77, 1, "size", "10", 0);
		syscall(SYS_fsmount, 77, 1, 6);
		syscall(SYS_move_mount, 77, "", AT_FDCWD, "/mnt", 4);
		syscall(SYS_futex_waitv, wv, 2, 0, 0, CLOCK_MONOTONIC);
		syscall(SYS_landlock_create_ruleset, &ll, 16, 0);
		syscall(SYS_landlock_create_ruleset, 0, 0, 1);
		klogctl(10, 0, 0);
		mount("none", "/nosuch", "tmpfs", MS_NOSUID, "size=1m,mode=700");
		sigemptyset(&set); sigaddset(&set, SIGUSR2); sigprocmask(SIG_BLOCK, &set, 0);
		union sigval sv = { .sival_int = 5 };
		sigqueue(getpid(), SIGUSR2, sv);
		sigtimedwait(&set, &si, &ts);
		syscall(SYS_sync_file_range, fd, 0LL, 100LL, 6);
		syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, (long[8]){ 0, 4, 100 });
		syscall(SYS_mq_unlink, "x");
		syscall(SYS_prctl, 23, 21, 0, 0, 0);
		struct sockaddr_in6 six = { AF_INET6, htons(80), htonl(7), IN6ADDR_LOOPBACK_INIT, 3 };
		struct sockaddr_ll ll2 = { AF_PACKET, htons(0x800), 2, 0, 0, 6, { 2, 0, 0, 0, 0, 0xfe } };
		struct sockaddr_alg alg = { .salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256" };
		struct sockaddr_vm vm = { .svm_family = AF_VSOCK, .svm_port = 5, .svm_cid = 2 };
		bind(77, (void *)&six, sizeof(six));
		bind(77, (void *)&ll2, sizeof(ll2));
		bind(77, (void *)&alg, sizeof(alg));
		bind(77, (void *)&vm, sizeof(vm));
		/* nothing is there, or less than the call might read */
		select(10, (void *)8, 0, 0, &tv);
		syscall(SYS_futex_waitv, 8, 1000000, 0, 0, CLOCK_MONOTONIC);
		syscall(SYS_semop, 77, ops, 0x80000000u);
		setgroups(0x7fffffff, g);
		return 0;
	}
	END
	gcc -w -o "$FILES/args" "$FILES/args.c"
	"$PERF" trace -o "$FILES/out" "$FILES/args" >"$FILES/log" 2>&1
}

# A line that holds this text, whatever its time and task
has() {
	grep -qF -- "$1" "$FILES/out" || {
		echo "no line has: $1"
		grep -F -- "${1%%(*}(" "$FILES/out"
		return 1
	}
}

@test "sets of descriptors and memory nodes are lists" {
	grep -qE 'p?select6?\(n: [0-9]+, inp: \[[0-9]+\], outp: \[[0-9]+\], ' "$FILES/out"
	grep -qE 'pselect6\(n: [0-9]+, inp: \[\], ' "$FILES/out" # nothing was ready
	has 'set_mempolicy(mode: PREFERRED, nmask: [0], maxnode: 65)'
}

@test "structs of signals, timers, semaphores, children and clocks" {
	has 'timer_event_spec: { .sigev_value: 0, .sigev_signo: USR1, .sigev_notify: SIGNAL }, created_timer_id: ['
	has 'tsops: [{ .sem_num: 0, .sem_op: 1, .sem_flg: IPC_NOWAIT|SEM_UNDO }, { .sem_num: 0, .sem_op: -1, .sem_flg: 0 }], nsops: 2'
	has 'infop: { .si_signo: CHLD, .si_code: EXITED, .si_pid: '
	has '.si_status: 3 }'
	grep -qE 'rt_sigqueueinfo\(.*uinfo: \{ \.si_signo: USR2, \.si_code: QUEUE, \.si_pid: [0-9]+, \.si_uid: 0, \.si_value: 0x5 \}' "$FILES/out"
	grep -qE 'rt_sigtimedwait\(.*uinfo: \{ \.si_signo: USR2, \.si_code: QUEUE' "$FILES/out"
	grep -qE '(clock_adjtime|adjtimex)\(.*\{ \.modes: 0, .*\.time\.tv_sec: [0-9]+' "$FILES/out"
	has 'mq_open(u_name: "x", oflag: RDWR|CREAT, mode: 0600, u_attr: { .mq_flags: RDONLY, .mq_maxmsg: 4, .mq_msgsize: 100'
	has 'waiters: [{ .val: 1, .uaddr: 0x'
	has '.flags: SIZE_U32|PRIVATE }], nr_futexes: 2'
}

@test "capabilities, groups, kinds of file systems and what mounts" {
	grep -qE 'capget\(header: \{ \.version: VERSION_3, \.pid: 0 \}, dataptr: \{ \.effective: CHOWN\|DAC_OVERRIDE' "$FILES/out"
	grep -qE 'capset\(header: \{ \.version: VERSION_3, \.pid: 0 \}, data: \{ \.effective: DAC_OVERRIDE' "$FILES/out"
	has 'prctl(option: CAPBSET_READ, arg2: SYS_ADMIN)'
	has 'setgroups(gidsetsize: 3, grouplist: [0, 4, 20])'
	has 'getgroups(gidsetsize: 4, grouplist: [0, 4, 20])'
	has 'statfs(pathname: "/proc", buf: { .f_type: PROC_SUPER_MAGIC, '
	has 'flags: NOSUID, data: "size=1m,mode=700")'
	has 'fsopen(_fs_name: "tmpfs", flags: CLOEXEC)'
	has 'fsconfig(fd: 77, cmd: SET_STRING, _key: "size", _value: "10"'
	has 'fsmount(fs_fd: 77, flags: CLOEXEC, attr_flags: NOSUID|NODEV)'
	grep -qE 'move_mount\(from_dfd: 77, .*flags: F_EMPTY_PATH\)' "$FILES/out"
}

@test "flags of rarer calls have names" {
	has 'fanotify_init(flags: CLOEXEC|REPORT_FID'
	has 'flags: ADD|MOUNT, mask: CLOSE_WRITE|OPEN, dfd: CWD, pathname: "/tmp")'
	has 'personality(personality: 0xffffffff)'
	has 'personality(personality: ADDR_NO_RANDOMIZE)'
	has 'landlock_create_ruleset(attr: { .handled_access_fs: EXECUTE|WRITE_FILE }, size: 16'
	has 'landlock_create_ruleset(flags: VERSION)'
	grep -qE 'syslog\(type: SIZE_BUFFER' "$FILES/out"
	grep -qE 'sync_file_range2?\(.*flags: WRITE\|WAIT_AFTER' "$FILES/out"
	has 'io_uring_setup(entries: 8, params: { .sq_entries: '
}

@test "a number that a call reads and changes is shown before and after" {
	grep -qE 'splice\(fd_in: .*, off_in: \[3 => 11\]' "$FILES/out"
	grep -qE 'sendfile(64)?\(.*, offset: \[2 => 12\]' "$FILES/out"
}

@test "addresses of rarer families" {
	has '.family: INET6, .port: 80, .addr: ::1, .flowinfo: 0x7, .scope_id: 3 }'
	has '.family: PACKET, .protocol: 0x800, .ifindex: 2, .pkttype: 0, .addr: 02:00:00:00:00:fe }'
	has '.family: ALG, .type: "hash", .name: "sha256" }'
	has '.family: VSOCK, .port: 5, .cid: 2 }'
}

@test "what is not there stays a pointer, and lengths are bounded" {
	grep -qE 'p?select6?\(n: 10, inp: 0x8, ' "$FILES/out"
	has 'waiters: 0x8, nr_futexes: 1000000'
	grep -qE 'sem(timed)?op\(semid: 77, tsops: (\[|0x).*nsops: 2147483648\)' "$FILES/out"
	grep -qE 'setgroups\(gidsetsize: 2147483647, grouplist: (\[|0x)' "$FILES/out"
	tail -n 1 "$FILES/out" | grep -qE 'exit_group\(\) += \?$'
}
