#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record --filter of samples: what passes is recorded, what does not is counted.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >faults.c <<-'END'
		#include <sys/mman.h>
		#include <unistd.h>
		/* 64 pages are touched, each once */
		int main(void)
		{
			char *p = mmap((void *)0x200000000000, 64 << 12, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			madvise(p, 64 << 12, MADV_NOHUGEPAGE);
			for (int i = 0; i < 64; i++)
				p[i << 12] = 1;
			return 0;
		}
	END
	cc -O1 -o faults faults.c
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

record() { "$PERF" record -q -o data -e page-faults -c 1 -d "$@" -- ./faults; }

has_bpf() {
	record --filter 'uid >= 0' 2>why || skip "no BPF: $(cat why)"
}

count() { "$PERF" script -i data -F addr | awk '$1 >= "200000000000" && $1 < "200000040000"' | wc -l; }

@test "samples that fit are recorded, the others are counted as dropped, none as lost" {
	has_bpf
	record --filter 'addr >= 0x200000010000, addr < 0x200000020000'
	[ "$(count)" -eq 16 ]
	[ "$("$PERF" script -i data -F addr | wc -l)" -eq 16 ]
	dropped=$("$PERF" script -i data -D | sed -n 's/.*dropped by the filter \([0-9]*\)$/\1/p')
	[ "$dropped" -ge 48 ]
	! "$PERF" report -i data --stdio 2>&1 | grep -q 'lost [1-9]'
	record
	[ "$(count)" -eq 64 ]
}

@test "any of a group, all of the groups; a second filter narrows the first" {
	has_bpf
	record --filter 'addr == 0x200000001000 || addr == 0x200000002000 || addr == 0x200000003000, uid == 0 || uid > 0'
	[ "$(count)" -eq 3 ]
	record --filter 'addr >= 0x200000000000, addr < 0x200000040000' --filter 'addr & 0x1000'
	[ "$(count)" -eq 32 ]
	record --filter 'addr != 0, pid == 1'
	[ "$(count)" -eq 0 ]
}

@test "what the samples do not hold, and what is no filter" {
	run "$PERF" record -o data -e cpu-clock --filter 'period > 1, weight > 4' -c 1000 true
	[ "$status" -ne 0 ]
	[[ "$output" == *"--filter tests '"*"', which the samples do not have"*"record it with --"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'cp == 1' true
	[ "$status" -eq 129 ]
	[[ "$output" == *"a term is expected at 'cp == 1'"*"terms: ip id tid"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'cpu = 1' true
	[[ "$output" == *"expected an operator"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'mem_lvl == l9' true
	[[ "$output" == *"values of mem_lvl: l1 l2"* ]]
}
