#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Bad input: every reading command says what is wrong, where, and ends in order.
bats_require_minimum_version 1.5.0
load wait

other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ -x $other ] || return 0
	work='ls -lR /usr/include; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
	$other record -N -q -F 2000 -g -e cpu-clock -o whole -- sh -c "$work" >/dev/null
	$other record -N -q -z -F 2000 -g -e cpu-clock -o packed -- sh -c "$work" >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ -x $other ] || skip "no other perf to record with"
}

teardown() {
	end_jobs
}

# Run each reader on a file: no signal, no time-out, and never silent failure.
# Prints "STATUS COMMAND"; what was said is in COMMAND.err.
read_all() {
	for c in "evlist -v" "buildid-list -H" "report --stdio" "script" "report --header-only -I"; do
		name=${c%% *}
		status=0
		timeout 100 "$PERF" $c -i "$1" >out 2>"$name.err" || status=$?
		if [ "$status" -gt 1 ]; then
			echo "perf $c -i $1: status $status"
			cat "$name.err"
			return 1
		fi
		if [ "$status" -eq 1 ] && ! grep -qE '^(error|warning): ' "$name.err"; then
			echo "perf $c -i $1: failed without a word"
			return 1
		fi
		echo "$status $c"
	done
}

word_at() { # FILE OFFSET: the u64 there
	od -An -tu8 -j "$2" -N 8 "$1" | tr -d ' '
}

@test "a whole file: every reader is content" {
	read_all whole >said
	run ! grep -v '^0' said
	read_all packed >said
	! grep -v '^0' said || return 1
}

@test "cut anywhere: what is left is read, the place is named, the exit is 1" {
	size=$(stat -c %s whole)
	begin=$(word_at whole 40)
	length=$(word_at whole 48)
	for at in 1 15 50 103 150 $((begin + 5)) $((begin + 1000)) $((begin + length / 2)) \
		$((begin + length - 1)) $((begin + length + 3)); do
		head -c "$at" whole >cut
		read_all cut >said
		grep -q '^1 script' said
	done
	head -c $((begin + length / 2)) whole >cut
	run "$PERF" script -i cut
	[ "$status" -eq 1 ]
	grep -qE '^warning: .*cut, offset 0x[0-9a-f]+: ' <<<"$output"
	# however many times the file was opened and read, it ends once
	[[ "$output" != *" times)"* ]]
	[ "$("$PERF" script -F time -i cut 2>/dev/null | grep -c :)" -gt 5 ]
	# the other perf agrees on what is whole
	head -c "$size" whole >again
	diff <("$PERF" script -F time -i again) <($other script -F time -i again)
}

@test "empty, foreign, a directory without data" {
	: >empty
	mkdir -p nothing
	seq 100 >numbers
	for f in empty nothing numbers /bin/ls /dev/null; do
		run "$PERF" script -i $f
		[ "$status" -eq 1 ]
		[ "$(grep -c '^error: ' <<<"$output")" -eq 1 ]
	done
	run "$PERF" report --stdio -i empty
	grep -q "^error: 'empty' is empty" <<<"$output"
	grep -q '^hint: ' <<<"$output"
}

@test "one damaged record costs one record" {
	begin=$(word_at whole 40)
	length=$(word_at whole 48)
	# walk to a sample in the middle and set its size to 0
	python3 - "$begin" "$length" <<'END'
import struct, sys
d = bytearray(open("whole", "rb").read())
begin, length = map(int, sys.argv[1:])
at, n = begin, 0
while at < begin + length:
    t, _, size = struct.unpack_from("<IHH", d, at)
    if t == 9:
        n += 1
        if n == 20:
            struct.pack_into("<H", d, at + 6, 0)
            print(hex(at))
    at += size
open("hurt", "wb").write(d)
END
	whole=$("$PERF" script -F time -i whole | grep -c :)
	[ "$("$PERF" script -F time -i hurt 2>err | grep -c :)" -eq $((whole - 1)) ]
	grep -q "^warning: .*hurt, offset 0x" err
	run "$PERF" report --stdio -i hurt
	[ "$status" -eq 1 ]
}

@test "flipped bytes" {
	for f in whole packed; do
		python3 - $f <<'END'
import random, sys
random.seed(7)
d = open(sys.argv[1], "rb").read()
for i in range(10):
    b = bytearray(d)
    for _ in range(1 + i % 5):
        where = random.randrange(600) if i % 3 == 0 else random.randrange(len(b))
        b[where] = random.randrange(256)
    open(f"flipped.{i}", "wb").write(b)
END
		for i in $(seq 0 9); do
			read_all flipped.$i >said || { cat said; return 1; }
		done
	done
}

@test "a recorder that was killed: a warning, exit 0" {
	# Debian's perf leaves data.size 0 and the feature bits set
	cp whole killed
	dd if=/dev/zero of=killed bs=1 seek=48 count=8 conv=notrunc status=none
	truncate -s $(($(word_at whole 40) + $(word_at whole 48) - 13)) killed
	run "$PERF" script -F time -i killed
	[ "$status" -eq 0 ]
	grep -q '^warning: .*records are read to its end: its recorder was stopped early' <<<"$output"
	whole=$("$PERF" script -F time -i whole | grep -c :)
	[ "$("$PERF" script -F time -i killed 2>/dev/null | grep -c :)" -ge $((whole - 1)) ]
}

@test "kill -9 of our recorder leaves a file that both read" {
	"$PERF" record -q -m 16 -F 10000 -g -e cpu-clock -o ours -- \
		sh -c 'while [ ! -e stop ]; do :; done' >/dev/null 2>err 3>&- &
	recorder=$!
	flushed() { [ "$(word_at ours 48)" -gt 20000 ]; }
	until_true flushed
	kill -9 $recorder
	wait $recorder || true
	touch stop
	run "$PERF" script -F time -i ours
	[ "$status" -eq 0 ]
	grep -q '^warning: .*no features' <<<"$output"
	"$PERF" script -F time -i ours 2>/dev/null >times
	[ "$(wc -l <times)" -gt 10 ]
	diff times <($other script -F time -i ours 2>/dev/null)
}

@test "a full disk: one error, exit 1, the older file is kept, what was written can be read" {
	"$PERF" record -q -e cpu-clock -o disk -- true
	cp disk before
	# a limit on the size of files stands for the disk's end
	run bash -c "trap '' XFSZ; ulimit -f 32; '$PERF' record -F 20000 -g -e cpu-clock -o disk -- \
		sh -c 'trap \"\" XFSZ; ls -lR /usr/include /usr/lib >/dev/null'"
	[ "$status" -ne 0 ]
	[ "$(grep -c "^error: cannot write 'disk'" <<<"$output")" -eq 1 ]
	cmp before disk.old
	"$PERF" script -F time -i disk 2>/dev/null >times
	[ "$(wc -l <times)" -gt 10 ]
	diff times <($other script -F time -i disk 2>/dev/null)
}

@test "a program that is cut short while its lines are read: one error that names it" {
	cat >one.c <<-'END'
	volatile long x;
	void second(void);
	/* one product after the other, which takes about as long on each CPU */
	__attribute__((noinline)) void first(void) { unsigned long y = 1; for (long i = 0; i < 600000000; i++) y = y * 6364136223846793005 + i; x = y; }
	int main(void) { first(); second(); }
	END
	cat >two.c <<-'END'
	extern volatile long x;
	void second(void) { for (long i = 0; i < 60000000; i++) x += i; }
	END
	gcc -g -O1 -gz=none one.c two.c -o cut
	"$PERF" record -q -N -e cpu-clock:u -F 25000 -o lines -- ./cut
	# the pipe is full before second() is reached
	mkfifo ask
	{ "$PERF" script -i lines -F comm,ip,sym,srcline 2>err || echo $? >code; } >ask 3>&- &
	{
		read -r _
		truncate -s 4000 cut
		cat >/dev/null
	} <ask
	wait
	grep -q "^error: a file was truncated while it was read.*/cut$" err
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(cat code)" -eq 1 ]
}

@test "files that never end or never begin: parts of a directory, lists of symbols, settings" {
	cd "$BATS_TEST_TMPDIR"
	mkdir parts
	cp "$BATS_FILE_TMPDIR/whole" parts/data
	mkfifo fifo
	for to in "$PWD/fifo" /dev/zero; do
		ln -sfn "$to" parts/data.0
		run timeout 20 "$PERF" report --stdio -i parts
		[ "$status" -eq 1 ]
		[[ "$output" == *"data.0' is not a regular file"* ]]
		run timeout 20 "$PERF" report --stdio -i "$BATS_FILE_TMPDIR/whole" --kallsyms "$to"
		[ "$status" -eq 1 ]
		[[ "$output" == *"--kallsyms: '$to' is not a regular file"* ]]
		PERF_CONFIG=$to run timeout 20 "$PERF" version
		[ "$status" -eq 0 ]
		[[ "$output" == *"'$to' is not a regular file"* ]]
		mkdir -p kcore
		ln -sfn "$to" kcore/kallsyms
		ln -sfn "$to" kcore/kcore
		run timeout 20 "$PERF" --buildid-dir "$PWD/cache" buildid-cache -k kcore/kcore
		[ "$status" -eq 1 ]
	done
}

@test "a recorded name with .. does not leave --symfs, nor the build-id cache" {
	cd "$BATS_TEST_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" tree data
	sed -i 's|/bin/true|/../a/tru|' data
	mkdir a root
	cp /bin/true a/tru
	run "$PERF" report --stdio --symfs root -i data
	[[ "$output" == *"cannot open 'root/a/tru'"* ]]
	mkdir root/a
	cp /bin/true root/a/tru
	run "$PERF" report --stdio --symfs root -i data
	[[ "$output" != *"cannot open"* ]]
}

@test "buildid-cache removes nothing outside of the cache" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p precious cache/.build-id/ab
	echo mine >precious/file
	ln -s "$PWD/precious" cache/.build-id/ab/cdef0123456789abcdef0123456789abcdef01
	"$PERF" --buildid-dir "$PWD/cache" buildid-cache -P
	[ "$(cat precious/file)" = mine ]
	[ ! -L cache/.build-id/ab/cdef0123456789abcdef0123456789abcdef01 ]
}

@test "bpf-output without data is a sample without text" {
	"$BATS_TEST_DIRNAME/make-samples" bpf_silent "$BATS_TEST_TMPDIR/data"
	run "$PERF" script -i "$BATS_TEST_TMPDIR/data"
	[ "$status" -eq 0 ]
	[[ "$output" == *bpf-output* && "$output" != *"runtime error"* && "$output" != *"BPF output"* ]]
}

@test "a record that is too short is named by its kind, number and place" {
	python3 - whole short <<-'X' >at
	import struct, sys
	d = bytearray(open(sys.argv[1], "rb").read())
	at, size = struct.unpack_from("<QQ", d, 40)
	while struct.unpack_from("<I", d, at)[0] != 10:
	    at += struct.unpack_from("<H", d, at + 6)[0]
	struct.pack_into("<H", d, at + 6, 16)
	open(sys.argv[2], "wb").write(d)
	print(hex(at))
	X
	"$PERF" report -i short --stdio 2>&1 >/dev/null | grep "at offset $(cat at): PERF_RECORD_MMAP2 (10) of 16 bytes is too short, it needs "
}
