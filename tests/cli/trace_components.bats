#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf --trace: what the components on a sample's way decide.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	"$PERF" --trace=live,unwind,object,bpf --debug-file recorded record -q -e cpu-clock:u \
		--call-graph dwarf,64 -o deep.data "$PERF" test -w callchain 40 1 >out 2>&1 || { cat out; return 1; }
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
}

@test "live: events that were opened, and those that were refused" {
	grep -qE "^live: 'cpu-clock:u' for thread [0-9]+ on CPU [0-9]+: opened as [0-9]+\$" recorded
	# the number of such an event is that of no tracepoint
	"$PERF" --trace=live stat -e 'cpu-clock/config=0x7fff/' -e software/config=0x7fff/ true >text 2>&1 || :
	grep -qE "^live: '.*' for thread [0-9-]+ on CPU [0-9-]+: refused: " text
	grep -qE "^live: '.*': there is nothing else to try\$" text
}

@test "data, session, process: what is in a file, the passes, the processes" {
	"$PERF" --trace=data,session,process report -i deep.data --stdio >out 2>text
	grep -qxE "data: header: [0-9]+ bytes of records at offset 0x[0-9a-f]+" text
	grep -qxE "data: feature CMDLINE \(11\): [0-9]+ bytes at offset 0x[0-9a-f]+" text
	grep -qxE "data: opened 'deep.data': a file's format, 1 files, this machine's byte order, 1 events" text
	grep -qxE "data: chunk of [0-9]+ bytes at offset 0x[0-9a-f]+ of file 0" text
	grep -qxE "session: run over 'deep.data': blocks in any order, a file in two passes" text
	grep -qxE "session: pass 1: [1-9][0-9]* records about processes, already in order" text
	grep -qxE "process: exec: pid [0-9]+ is now 'perf', time [0-9]+" text
	grep -qE "^process: mmap: pid [0-9]+ maps '.*/libc.so.6' at 0x" text
	# besides, that pieces of stacks were too small for so many calls
	! grep -vE '^(data|session|process|warning|hint): ' text || false
	# no component was asked for: no line
	"$PERF" report -i deep.data --stdio >out2 2>text
	! grep -E '^(data|session|process|object|symbol|unwind): ' text || false
	cmp out out2
}

@test "data: the place where a file is damaged" {
	head -c 3000 deep.data >cut.data
	run "$PERF" --trace=data report -i cut.data --stdio
	[[ "$output" == *"data: file-truncated at offset 0xbb8 of 'cut.data'"* ]]
}

@test "session: a stream, order of time, records that come too late" {
	"$PERF" record -q -e cpu-clock:u -o - true 2>/dev/null | "$PERF" --trace=session script -i - >out 2>text
	grep -qxF "session: run over '-': order of time, a stream in a bounded window" text
	"$PERF" --trace=session script -i deep.data >out 2>text
	grep -qxE "session: pass 2: [1-9][0-9]* blocks in order of their least times" text
}

@test "unwind: stacks that end too early, by cause" {
	"$PERF" --trace=unwind report -i deep.data --stdio >out 2>text
	grep -qE "^unwind: stack of thread [0-9]+ at time [0-9]+ ends after [0-9]+ frames in '.*': the recorded piece of stack is too small\$" text
}

@test "object, symbol: each file that was looked at, and why it was refused" {
	command -v gcc >/dev/null || skip "no compiler"
	printf 'int main(void) { volatile long i = 0; while (i < 300000000) i++; return 0; }\n' >a.c
	gcc -O1 -Wl,--build-id -o prog a.c
	"$PERF" --buildid-dir /dev/null record -q -e cpu-clock:u -o prog.data ./prog
	mv prog recorded-prog
	gcc -O2 -DOTHER -Wl,--build-id=0x1234567890 -o prog a.c
	"$PERF" --buildid-dir /dev/null --trace=object,symbol report -i prog.data --stdio >out 2>text
	grep -qxF "object: looking for '$PWD/prog'" text
	grep -qxF "object: refused: '$PWD/prog' is not the file that was recorded (build-ids differ)" text
	grep -qxF "symbol: '$PWD/prog': 0 symbols, from no file" text
	mv recorded-prog prog
	"$PERF" --buildid-dir /dev/null --trace=object,symbol report -i prog.data --stdio >out 2>text
	grep -qxF "object: took '$PWD/prog'" text
	grep -qE "^symbol: '$PWD/prog': [1-9][0-9]* symbols, from '$PWD/prog'\$" text
}

@test "bpf: programs loaded and attached" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" --trace=bpf record -q -e cpu-clock --off-cpu=bpf -o off.data true 2>text || {
		! grep -q 'BPF' text || skip "$(grep -m 1 BPF text)"
		cat text
		return 1
	}
	grep -qxF "bpf: programs of 'offcpu': loaded" text
	grep -qE "^bpf: '.*' of 'offcpu': attached\$" text
}

@test "names from a file cannot change the terminal; one line stays one line" {
	printf '\177ELF' >$'x\nobject: y\033[31m'
	run "$PERF" --trace=data report -i $'x\nobject: y\033[31m' --stdio
	[[ "$output" != *$'\033'* ]]
	! grep -q '^object: ' <<<"$output"
}

@test "an unknown component is an error that lists the components" {
	for wrong in nonsense data, ,data '' dat data,nonsense; do
		run "$PERF" --trace "$wrong" version
		[ "$status" -eq 129 ]
		[[ "$output" == *"is not a component that can be traced"*"hint: the components are data, "*", all"* ]]
	done
	"$PERF" --trace all version | grep -q '^perf version'
}

@test "completion knows the components, as the program lists them" {
	components=$("$PERF" --trace nonsense version 2>&1 | sed -n 's/^hint: the components are //p' | tr -d ,)
	for component in $components; do
		PATH="$(dirname "$PERF"):$PATH" bash -c '
			. "$1"
			COMP_WORDS=(perf --trace = "data,$2") COMP_CWORD=3 COMPREPLY=()
			_perf
			printf "%s\n" "${COMPREPLY[@]}"' - "$BATS_TEST_DIRNAME/../../scripts/perf-completion.bash" "$component" |
			grep -qx "data,$component"
		"$PERF" help perf | grep -qF "$component:" || { echo "$component is not on the page"; return 1; }
	done
	[ "$(wc -w <<<"$components")" -ge 9 ]
}
