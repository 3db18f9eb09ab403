// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest of a dozen instructions, which stops for known reasons a known number of times. */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char code[] = {
	0xe6, 0x10,                         /* L: out %al, $0x10 */
	0xe4, 0x20,                         /* in $0x20, %al */
	0x88, 0x07,                         /* mov %al, (%bx) */
	0x66, 0xb9, 0x77, 0x02, 0x00, 0x00, /* mov $0x277, %ecx: the page attribute table */
	0x0f, 0x32,                         /* rdmsr */
	0x0f, 0x30,                         /* wrmsr */
	0x0f, 0xa2,                         /* cpuid */
	0x31, 0xdb,                         /* xor %bx, %bx */
	0x4f,                               /* dec %di */
	0x75, 0xe9,                         /* jnz L */
	0xf4,                               /* hlt */
};

static int call(int fd, unsigned long what, unsigned long arg, const char *name)
{
	int got = ioctl(fd, what, arg);

	if (got < 0) {
		perror(name);
		exit(77);
	}
	return got;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	int kvm = open("/dev/kvm", O_RDWR), vm, cpu, size, io = 0, mmio = 0;
	struct kvm_userspace_memory_region memory = { 0 };
	struct kvm_sregs s;
	struct kvm_regs r = { 0 };
	struct kvm_run *run;
	void *page;

	if (kvm < 0) {
		perror("/dev/kvm");
		return 77;
	}
	vm = call(kvm, KVM_CREATE_VM, 0, "KVM_CREATE_VM");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof(code));
	memory.guest_phys_addr = 0x1000;
	memory.memory_size = 4096;
	memory.userspace_addr = (unsigned long)page;
	call(vm, KVM_SET_USER_MEMORY_REGION, (unsigned long)&memory, "memory");
	cpu = call(vm, KVM_CREATE_VCPU, 0, "KVM_CREATE_VCPU");
	size = call(kvm, KVM_GET_VCPU_MMAP_SIZE, 0, "size");
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	call(cpu, KVM_GET_SREGS, (unsigned long)&s, "KVM_GET_SREGS");
	s.cs.base = 0;
	s.cs.selector = 0;
	s.ds.base = 0x10000; /* where no memory is */
	call(cpu, KVM_SET_SREGS, (unsigned long)&s, "KVM_SET_SREGS");
	r.rip = 0x1000;
	r.rflags = 2;
	r.rdi = rounds;
	call(cpu, KVM_SET_REGS, (unsigned long)&r, "KVM_SET_REGS");
	for (;;) {
		call(cpu, KVM_RUN, 0, "KVM_RUN");
		if (run->exit_reason == KVM_EXIT_IO)
			io++;
		else if (run->exit_reason == KVM_EXIT_MMIO)
			mmio++;
		else
			break;
	}
	printf("reason %u, %d accesses to ports, %d to memory\n", run->exit_reason, io, mmio);
	return run->exit_reason == KVM_EXIT_HLT ? 0 : 1;
}
