#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf inject --jit: code that was made at run time gets its names and lines, by time.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	gcc -O1 -o jitprog "$BATS_TEST_DIRNAME/jitprog.c"
	[ "$(id -u)" -eq 0 ] || return 0
	"$PERF" record -q -k mono -F 2000 -e cpu-clock:u -o raw ./jitprog 150000000
	"$PERF" inject --jit -i raw -o jit
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ "$(uname -m)" = x86_64 ] || skip "the program's code is that of x86-64"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

functions() { # reader, file
	"$1" script -F ip,sym -i "$2" 2>/dev/null | awk '/_function$/ { print $2 }' | sort | uniq -c
}

@test "6.1 and we name the functions alike, as in the file that 6.1 makes" {
	functions "$ORACLE" jit >got
	grep -q '[0-9][0-9] first_function$' got
	grep -q '[0-9][0-9] second_function$' got
	functions "$PERF" jit | diff - got
	mkdir -p theirs
	cp raw theirs
	objects=(jit.jit/jitted-*.so)
	[ "${#objects[@]}" -eq 2 ]
	[ "$(ls jitted-*.so 2>/dev/null)" = "" ]
	"$ORACLE" inject --jit -i raw -o theirs/jit # its objects are here
	functions "$ORACLE" theirs/jit | diff - got
	rm jitted-*.so
}

@test "a code address that is used again resolves by time" {
	# where both functions were, one follows the other and never comes back
	"$PERF" script -F time,ip,sym -i jit >all
	first=$(awk '$3 == "first_function" { print $2; exit }' all)
	awk -v at="${first%???}" 'index($2, at) == 1 { print $3 }' all | uniq >order
	[ "$(cat order)" = "first_function
second_function" ]
	# the recording itself is read with the jitdump file, and tells the same
	[ "$("$PERF" script -F time,ip,sym -i raw)" = "$(cat all)" ]
}

@test "lines" {
	"$PERF" script -F ip,sym,srcline -i jit >got
	grep -A1 first_function got | grep -q first.js:20
	grep -A1 second_function got | grep -q second.js:20
	run ! grep -q 'second.js:10$' <(grep -A1 first_function got)
	"$PERF" report --stdio -s srcline -i jit | grep -q 'second.js:20'
}

@test "annotate: the code that ran at that time, with its lines and samples" {
	for f in first:3 second:5; do
		function=${f%:*}_function
		"$PERF" annotate -i jit --stdio --no-source -n -s "$function" >got
		cat got
		grep -q "<$function>:\$" got
		[ "$(grep -cE ': +nop' got)" -eq "${f#*:}" ]
		awk '$2 == ":" && $3 ~ /^[0-9a-f]+:$/ { print $4 }' got | grep -v nop | tr '\n' ' ' | grep -q '^dec jne ret $'
		# second_function ran in two places: its code is one
		[ "$(awk '$2 == ":" { sum += $1 } END { print sum }' got)" -eq \
			"$("$PERF" script -F ip,sym -i jit | grep -c " $function\$")" ]
	done
	"$PERF" annotate -i jit --stdio -l -s second_function | grep -q 'second.js:20$'
}

@test "the objects are whole ELF files" {
	for object in jit.jit/jitted-*.so; do
		readelf -W -S -s -n -l --debug-dump=decodedline,info "$object" >text 2>errors
		[ ! -s errors ]
		grep -q 'FUNC *GLOBAL.*_function$' text
		grep -q 'Build ID' text
		grep -Eq 'js +10 +0x80' text
		grep -Eq 'js +20 +0x8[35]' text
		objdump -d "$object" | grep -q 'dec *%rdi'
	done
}

@test "a stream, while the program runs" {
	"$PERF" record -q -k mono -F 2000 -e cpu-clock:u -o - ./jitprog 150000000 |
		"$PERF" inject -j >stream
	"$ORACLE" script -F ip,sym -i - <stream 2>/dev/null | grep -c second_function | grep -q '[0-9][0-9]'
	"$PERF" script -F ip,sym -i - <stream | grep -c second_function | grep -q '[0-9][0-9]'
}

@test "stacks through made code are converted in the same run, from a file and a stream" {
	"$PERF" record -q -k mono -F 1000 -e cpu-clock:u --call-graph dwarf,4096 -o stacks ./jitprog 100000000
	"$PERF" inject --jit -i stacks -o one
	"$PERF" inject --convert-callchain -i one -o steps
	mkdir -p tmp
	"$PERF" inject --jit --convert-callchain -b -i stacks -o both
	TMPDIR=$PWD/tmp "$PERF" inject --jit --convert-callchain <stacks >piped
	chains() { "$PERF" script -F time,ip,sym -i "$1"; }
	chains steps >want
	# made code, and who called it
	awk -v RS= '/_function/ && /[0-9a-f] main$|[0-9a-f] main\n/ { n++ } END { exit n < 20 }' want
	chains both | diff want -
	chains - <piped | diff want -
	"$ORACLE" script -F ip,sym -i both 2>/dev/null | awk -v RS= '/_function/ && / main(\n|$)/ { n++ } END { exit n < 20 }'
	# objects that were made have their build-ids in the same run
	"$PERF" buildid-list -i both | grep -q '/both.jit/jitted-[0-9]*-0.so$'
	# nothing stays behind
	[ -z "$(ls -A tmp; ls -A | grep perf-inject)" ]
	# addresses that tell nothing, with the names of made code
	"$PERF" inject --jit --aslr -i raw -o moved
	functions "$PERF" moved | grep -q '[0-9][0-9] second_function$'
}

@test "what cannot be done is said" {
	"$PERF" record -q -F 2000 -e cpu-clock:u -o other ./jitprog 1000000
	run "$PERF" inject -j -i other -o none
	[ "$status" -eq 1 ]
	[[ "$output" == *"monotonic"*"hint: "*"-k mono"* ]]
	[ ! -e none ]
	"$PERF" record -q -k mono -e cpu-clock:u -o other true
	run "$PERF" inject -j -i other -o none
	[ "$status" -eq 0 ]
	[[ "$output" == *"no process of 'other' has mapped a jitdump file"* ]]
	# a damaged file: what is whole before is used
	"$PERF" record -q -k mono -F 2000 -e cpu-clock:u -o cut ./jitprog 50000000
	dump=$(ls -t jit-*.dump | head -n 1)
	size=$(stat -c %s "$dump")
	truncate -s $((size - 30)) "$dump"
	printf '\0\0\0\0\1\0\0\0' >>"$dump"
	printf '%0100d' 0 >>"$dump"
	run "$PERF" inject -j -i cut -o half
	"$PERF" script -F ip,sym -i half | grep -q first_function
}

@test "only functions with samples have objects, in a directory beside the output" {
	grep -q unused_function jit-*.dump
	readelf -Ws jit.jit/*.so | grep -q second_function
	run ! grep -q unused_function <(readelf -Ws jit.jit/*.so)
	[ "$("$PERF" script --show-mmap-events -i jit | grep -c "$PWD/jit.jit/jitted-[0-9]*-[01].so$")" -eq 3 ]
	# a stream has no name: beside the jitdump file
	"$PERF" inject -j -i raw >piped
	"$PERF" script --show-mmap-events -i - <piped | grep -q "$PWD/jit-[0-9]*.dump.jit/jitted-[0-9]*-0.so$"
	rm -r jit-*.dump.jit
	# what fails leaves nothing, and what was there stays
	run "$PERF" inject -j -i raw -o /dev/full
	[ "$status" -eq 1 ]
	[ -z "$(ls -d *.dump.jit 2>/dev/null)" ]
	echo mine >not.jit
	run "$PERF" inject -j -i raw -o not
	[ "$status" -eq 1 ]
	[[ "$output" == *"'$PWD/not.jit' is not a directory"* ]]
	[ ! -e not ]
	[ "$(cat not.jit)" = mine ]
	# again: the same objects
	before=$(ls -i jit.jit)
	"$PERF" inject -j -i raw -o jit
	[ "$(ls -i jit.jit)" = "$before" ]
}

@test "a function that only a user chain that comes later has" {
	mkdir later && cd later
	"$BATS_TEST_DIRNAME/make-samples" made file
	"$PERF" inject -j -i file -o made
	rm jit-100.dump
	readelf -Ws made.jit/jitted-100-0.so | grep -q made_function
	"$PERF" script -F ip,sym -i made 2>/dev/null | grep -q ' made_function$'
}

@test "a child that runs its parent's code" {
	"$PERF" record -q -k mono -F 2000 -e cpu-clock:u -o forked ./jitprog 150000000 fork
	"$PERF" inject -j -i forked -o with_child
	"$PERF" script -F pid,ip,sym -i with_child 2>/dev/null | awk '/first_function$/ { print $1 }' | uniq -c >both
	[ "$(grep -c . both)" -eq 2 ]
	[ "$(awk '$1 >= 20' both | grep -c .)" -eq 2 ]
	functions "$ORACLE" with_child | grep -q '[0-9][0-9] first_function$'
}
