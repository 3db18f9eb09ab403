// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuse-call NAME ERRNO COMMAND...: runs it under a seccomp filter, as containers do, that answers
 * one system call (perf_event_open or bpf) with EPERM or ENOSYS.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int call = argc > 1 && !strcmp(argv[1], "bpf") ? SYS_bpf : SYS_perf_event_open;
	int err = argc > 2 && !strcmp(argv[2], "ENOSYS") ? ENOSYS : EPERM;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	/* root needs no no_new_privs for a filter, which would be a cause of its own */
	if (argc < 4 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refuse-call");
		return 1;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
