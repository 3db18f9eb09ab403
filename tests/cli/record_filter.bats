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

count() { "$PERF" script -f -i data -F addr | awk '$1 >= "200000000000" && $1 < "200000040000"' | wc -l; }

@test "samples that fit are recorded, the others are counted as dropped, none as lost" {
	has_bpf
	record --filter 'addr >= 0x200000010000, addr < 0x200000020000'
	[ "$(count)" -eq 16 ]
	[ "$("$PERF" script -i data -F addr | wc -l)" -eq 16 ]
	dropped=$("$PERF" script -i data -D | sed -n 's/.*dropped by the filter \([0-9]*\)$/\1/p')
	[ "$dropped" -ge 48 ]
	! "$PERF" report -i data --stdio 2>&1 | grep -q 'lost [1-9]' || false
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

# own_fs SCRIPT: with a BPF file system that nobody else sees and that is gone afterwards; as_user
# runs a command without privileges.
own_fs() {
	has_bpf
	unshare -m sh -c 'mount -t bpf bpf /sys/fs/bpf' 2>why || skip "no BPF file system: $(cat why)"
	command -v setpriv >/dev/null || skip "no setpriv"
	install -m 755 "$PERF" user-perf # the directories above may be closed
	chmod 777 .
	cat >own_fs.sh <<-'END'
		set -eu
		mount -t bpf bpf /sys/fs/bpf
		as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"; }
		user_record() { rm -f data; as_user ./user-perf record -q -o data -e page-faults -c 1 -d "$@" -- ./faults; }
	END
	printf '%s\n' "$1" >>own_fs.sh
	run unshare -m sh own_fs.sh
}

@test "an ordinary user's filter by what root has pinned; nothing is left" {
	has_bpf
	own_fs '
		user_record || exit 77
		! user_record --filter "addr >= 0x200000010000" || exit 1
		./user-perf record --setup-filter pin
		! as_user ./user-perf record --setup-filter unpin || exit 2
		user_record --filter "addr >= 0x200000010000, addr < 0x200000020000"
		cp data one
		user_record --filter "addr == 0x200000001000 || addr == 0x200000002000"
		cp data two
		user_record
		cp data all
		# whose events are gone has nothing in the map
		! command -v bpftool >/dev/null || bpftool map dump pinned /sys/fs/bpf/perf_filter/perf_filters >map
		./user-perf record --setup-filter unpin
		ls -A /sys/fs/bpf
		! user_record --filter "addr >= 0x200000010000" || exit 3
	'
	[ "$status" -ne 77 ] || skip "ordinary users may not record here: $output"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"error: --filter of an event that is not a tracepoint needs BPF"*"perf record --setup-filter pin"* ]]
	[ "$(grep -cx perf_filter <<<"$output")" -eq 0 ]
	chmod 666 one two all
	for f in one two all; do mv $f data; [ "$f $(count)" = "$(grep "^$f " <<<$'one 16\ntwo 2\nall 64')" ] || return 1; cp data $f; done
	[ "$("$PERF" script -f -i one -D | sed -n 's/.*dropped by the filter \([0-9]*\)$/\1/p')" -ge 48 ]
	[ ! -e map ] || ! grep -q key map
}

@test "--setup-filter: two users at once, more tests than there is room for, what others pinned" {
	has_bpf
	own_fs '
		chmod 700 /sys/fs/bpf # as systemd mounts it
		./user-perf record --setup-filter pin 2>closed
		! user_record --filter "addr == 0x200000001000" 2>unseen || exit 6
		chmod 755 /sys/fs/bpf
		! ./user-perf record --setup-filter pin 2>again || exit 1
		long=$(printf "addr > %d, " $(seq 17))
		! user_record --filter "${long%, }" 2>long || exit 2
		# the filter of one recording is not the one of another
		user_record --filter "addr == 0x200000001000" &
		rm -f data2
		as_user ./user-perf record -q -o data2 -e page-faults -c 1 -d --filter "addr & 0x1000" -- ./faults
		wait $!
		mkdir /sys/fs/bpf/perf_filter/theirs
		! ./user-perf record --setup-filter unpin 2>foreign || exit 3
		ls /sys/fs/bpf/perf_filter
		rmdir /sys/fs/bpf/perf_filter/theirs
		./user-perf record --setup-filter unpin
		! ./user-perf record --setup-filter unpin 2>none || exit 4
		mkdir /sys/fs/bpf/perf_filter
		! ./user-perf record --setup-filter pin || exit 5
		ls -d /sys/fs/bpf/perf_filter
	'
	echo "$output"
	[ "$status" -ne 2 ] || ! grep -q permission long || skip "ordinary users may not record here"
	[ "$status" -eq 0 ]
	grep -q 'warning: ordinary users cannot use the filter yet: /sys/fs/bpf is closed to them' closed
	grep -q 'hint: chmod o+x /sys/fs/bpf' closed
	grep -q 'hint: run it as root, or let root allow' unseen
	grep -q "'/sys/fs/bpf/perf_filter' is there already" again
	grep -q 'has at most 16 tests, and this one has 17' long
	grep -q "'/sys/fs/bpf/perf_filter/theirs' was not made by this perf" foreign
	[[ "$output" == *$'perf_filter\nperf_filters\ntheirs\n'*"/sys/fs/bpf/perf_filter" ]]
	grep -q 'no filter is pinned' none
	chmod 666 data data2
	[ "$(count)" -eq 1 ]
	mv data2 data
	[ "$(count)" -eq 32 ]
}

@test "--setup-filter: what it takes" {
	run -129 "$PERF" record --setup-filter pinned
	[[ "$output" == *"'pinned' is neither 'pin' nor 'unpin'"* ]]
	run -129 "$PERF" record --setup-filter unpin -e cpu-clock
	run -129 "$PERF" record --setup-filter unpin -- true
	[[ "$output" == *"takes neither events nor a command"* ]]
}
