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
	! "$PERF" report -i data --stdio 2>&1 | grep -q 'lost [1-9]' || return 1
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
	[[ "$output" == "error: option '--filter': 'cp == 1': a term is expected at 'cp == 1'"*"terms: ip id tid"* ]]
	run -129 "$PERF" record -o data --filter 'cpu == 1' true
	[[ "$output" == "error: option '--filter': 'cpu == 1' has no event before it"* ]]
	run -129 "$PERF" stat -e cs --filter 'cpu == 1' true
	[[ "$output" == "error: option '--filter': 'cpu == 1': 'cs' is not a tracepoint"* ]]
	run -129 "$PERF" record -o data -e cpu-clock --filter "$(seq -f 'cpu==%g' -s, 65)" true
	[[ "$output" == "error: option '--filter': a filter has at most 64 tests"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'cpu = 1' true
	[[ "$output" == *"expected an operator"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'mem_lvl == l9' true
	[[ "$output" == *"values of mem_lvl: l1 l2"* ]]
	run "$PERF" record -o data -e cpu-clock --filter 'cpu ==' true
	[[ "$output" == *"a value is expected at the end"* ]]
	has_bpf
	run -1 "$PERF" record -o data -u root -e cpu-clock --filter "$(seq -f 'cpu==%g' -s, 64)" true
	[[ "$output" == "error: -u adds a test to --filter: a filter has at most 64 tests"* ]]
	# terms that are parts of one field each have their own name
	run -1 "$PERF" record -o data -e cpu-clock --filter 'mem_lvl == l1' true
	[[ "$output" == *"--filter tests 'mem_lvl', which the samples do not have (PERF_SAMPLE_DATA_SRC)"*"record it with --data"* ]]
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
	for words in "-e cpu-clock" "-o data" "-F 99" "-a" "--no-inherit" "-e cpu-clock --filter ip>0" "-g" "--off-cpu" "-p 1"; do
		# shellcheck disable=SC2086 # words
		run -129 "$PERF" record --setup-filter unpin $words
		echo "$words: $output"
		[[ "$output" == *"--setup-filter records nothing, so -"*" has no place beside it"* ]] || return 1
		# shellcheck disable=SC2086 # words
		run -129 "$PERF" record $words --setup-filter pin
	done
	run -129 "$PERF" record -o data --setup-filter unpin
	[[ "$output" == *", so --output has no place beside it"* ]]
	run -129 "$PERF" record --setup-filter unpin -- true
	[[ "$output" == *"it takes no command"* ]]
	[ ! -e /sys/fs/bpf/perf_filter ]
}

@test "a kernel whose samples are not filled in when the filter is asked (before Linux 6.3)" {
	has_bpf
	unshare -m true 2>why || skip "no mount namespace: $(cat why)"
	mkdir -p types
	# the member that came with it has another name in these types, which are as long as before
	python3 -c 'import sys; b = open("/sys/kernel/btf/vmlinux", "rb").read(); assert b"\0dyn_size\0" in b; sys.stdout.buffer.write(b.replace(b"\0dyn_size\0", b"\0dyn_sizd\0"))' >types/vmlinux
	before() { unshare -m sh -c 'mount --bind types /sys/kernel/btf && exec "$@"' sh "$PERF" "$@"; }
	rm -f data
	run -1 before record -o data -e page-faults -c 1 -d --filter 'addr > 0' -- ./faults
	echo "$output"
	[[ "$output" == *"error: --filter of an event that is not a tracepoint needs Linux 6.3 or later, and this is Linux "* ]]
	[ ! -e data ]
	run -1 before record --setup-filter pin
	[[ "$output" == *"error: --setup-filter needs Linux 6.3 or later"* ]]
	[ ! -e /sys/fs/bpf/perf_filter ]
	# it is the types that decide
	before record -q -o data -e page-faults -c 1 -d -- ./faults
}

@test "--setup-filter: a map that another user has written by hand" {
	has_bpf
	install -m 755 "$BATS_TEST_DIRNAME/write-pinned-map" .
	# the workload itself writes the map, so that the filter is the written one when it touches its pages
	cat >written.sh <<-'END'
		# as its input, since the directories above may be closed
		python3 - /sys/fs/bpf/perf_filter/perf_filters "$@" <write-pinned-map || exit 9
		exec ./faults
	END
	own_fs '
		written() {
			name=$1
			shift
			rm -f data
			as_user ./user-perf record -o data -e page-faults -c 1 -d --filter "addr != 1" -- sh written.sh "$@" 2>>said ||
				{ echo "$name: $?"; cat said; exit 1; }
			mv data "map.$name"
		}
		: >said && chmod 666 said
		user_record || exit 77
		./user-perf record --setup-filter pin
		for seed in 1 2 3 4 5 6 7 8; do written "random$seed" random $seed; done
		written ones ones
		# what the samples do not hold is 0, whatever the kernel has there: txn, weight, phys_addr,
		# page sizes, cgroup, and fields that there are not
		for field in 8 9 10 11 12 13 14 15 17 20 77 255; do
			written "dropped.$field" test $field 1 0
			written "kept.$field" test $field 0 0
		done
		written removed remove
		written flooded flood 20000
		./write-pinned-map /sys/fs/bpf/perf_filter/perf_filters replace
		! ./user-perf record --setup-filter unpin 2>foreign || exit 3
		ls /sys/fs/bpf/perf_filter
		rm /sys/fs/bpf/perf_filter/perf_filters
		./user-perf record --setup-filter unpin
		[ ! -e /sys/fs/bpf/perf_filter ] || exit 4
	'
	[ "$status" -ne 77 ] || skip "ordinary users may not record here: $output"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = $'perf_filter\nperf_filters' ]
	grep -q "'/sys/fs/bpf/perf_filter/perf_filters' was not made by this perf, and nothing is removed" foreign
	chmod 666 map.*
	for f in map.*; do
		cp "$f" data
		# never more than without a filter
		echo "$f $(count)"
	done >counts
	cat counts
	[ "$(awk '/^map.random|^map.ones/ && $2 <= 64' counts | wc -l)" -eq 9 ]
	[ "$(awk '/^map.dropped/ && $2 == 0' counts | wc -l)" -eq 12 ]
	[ "$(awk '/^map.kept/ && $2 == 64' counts | wc -l)" -eq 12 ]
	[ "$(awk '/^map.removed|^map.flooded/ && $2 == 64' counts | wc -l)" -eq 2 ]
	grep -q 'the filter of a counter was displaced' said
}
