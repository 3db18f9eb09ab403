#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script over traces of all branches and what decoders of traces write, in files of known content.

load rival

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >prog.s <<-'CODE'
		.text
		.globl main, outer, inner
		.type main, @function
		main:	call outer
			call inner
			xor %eax, %eax
			ret
		.size main, . - main
		.type outer, @function
		outer:	call inner
			nop
			jmp 1f
		1:	ret
		.size outer, . - outer
		.type inner, @function
		inner:	syscall
			jne 1f
		1:	ret
		.size inner, . - inner
		.section .note.GNU-stack, "", @progbits
	CODE
	gcc -o prog prog.s
	# main calls outer, which calls inner, which calls the kernel; then main calls inner, and is interrupted
	"$BATS_TEST_DIRNAME/make-calls" branches "$PWD/prog" calls \
		main+0\>outer+0 101:main+0\>outer+0 outer+0\>inner+0 inner+0\>+ffff800000000000 +0\>inner+2 \
		inner+2\>inner+4 inner+4\>outer+5 outer+6\>outer+8 outer+8\>main+5 main+5\>inner+0 inner+4\>main+a \
		main+a\>+ffff800000000100
	"$BATS_TEST_DIRNAME/make-calls" synth "$PWD/prog" synth
	: >empty
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || skip "the program is one for x86-64"
	export PERF_PAGER=cat
}

# The functions of a call trace, with their indentation.
names() {
	"$PERF" script -i calls --kallsyms empty "$@" | sed 's/.*)\t//; s/ *$//'
}

@test "flags: what sort of branch each one is, by the code of the program" {
	"$PERF" script -i calls --kallsyms empty -F flags | sed 's/^ *//; s/ *$//' >kinds
	diff kinds - <<-'END'
		call
		call
		call
		syscall
		tr strt
		jcc
		return
		jmp
		return
		call
		return
		hw int
	END
	# a column of 24
	[ "$("$PERF" script -i calls -F flags,ip | grep -c '^  [a-z ]\{21\}  *[0-9a-f]* *$')" -eq 12 ]
}

@test "--call-trace: calls below their callers, for each thread" {
	names --call-trace >got
	diff - got <<-'END'
		    outer
		    outer
		        inner
		            ffff800000000000
		    inner
		    ffff800000000100
	END
	names --call-trace --tid 100 >got
	[ "$(grep -c outer got)" -eq 1 ]
	"$PERF" script -i calls --call-trace --kallsyms empty >got
	grep -qE "^ +prog +100 \[001\] +1\.000001000: +\($PWD/prog\)	    outer {4,}\$" got
}

@test "--call-ret-trace: returns below the calls that they end" {
	names --call-ret-trace --tid 100 >got
	diff - got <<-'END'
		    outer
		        inner
		            ffff800000000000
		            inner
		        inner
		    outer
		    inner
		    inner
		    ffff800000000100
	END
}

@test "--graph-function: from the call of a function to its return" {
	kinds() {
		"$PERF" script -i calls --kallsyms empty --tid 100 -F flags --graph-function "$1" |
			sed 's/^ *//; s/ *$//' | tr '\n' ','
	}
	[ "$(kinds inner)" = "call,syscall,tr strt,jcc,return,call,return," ]
	[ "$(kinds outer)" = "call,call,syscall,tr strt,jcc,return,jmp,return," ]
	[ "$(kinds outer,inner)" = "call,call,syscall,tr strt,jcc,return,jmp,return,call,return," ]
	run -0 --separate-stderr "$PERF" script -i calls --kallsyms empty --graph-function nosuch
	[ -z "$output" ]
	[[ "$stderr" == *"no sample of 'calls' passes the filters"* ]]
}

@test "a long trace without returns stays readable" {
	for _ in $(seq 1500); do echo "outer+0>inner+0"; done >many
	xargs "$BATS_TEST_DIRNAME/make-calls" branches "$PWD/prog" deep <many
	"$PERF" script -i deep --call-trace | sed 's/.*)\t//; s/inner *$//' >indents
	[ "$(wc -l <indents)" -eq 1500 ]
	[ "$(wc -L <indents)" -eq 4096 ]
}

@test "--json and --tsv have flags and the depth" {
	"$PERF" script -i calls --kallsyms empty --json -F flags,callindent,tid | head -n 4 >rows
	diff rows - <<-'END'
		{"tid":100,"flags":"call","callindent":1,"function":"outer"}
		{"tid":101,"flags":"call","callindent":1,"function":"outer"}
		{"tid":100,"flags":"call","callindent":2,"function":"inner"}
		{"tid":100,"flags":"syscall","callindent":3}
	END
	[ "$("$PERF" script -i calls --kallsyms empty --tsv -F flags,callindent,tid | head -n 2 | tr '\t\n' ' ,')" = \
		"tid flags callindent function,100 call 1 outer," ]
}

@test "branches of a program whose file is another one are counted, not guessed" {
	mkdir -p none
	run -0 --separate-stderr "$PERF" script -i calls --symfs none --kallsyms empty -F flags
	[ "$(sed 's/ //g' <<<"$output" | sort | uniq -c | tr -s ' \n' ' ,')" != "" ]
	! grep -qw call <<<"$output" || return 1
	[[ "$stderr" == *"the instructions of 9 branches cannot be read"* ]]
}

@test "a file without a trace of branches is refused" {
	"$BATS_TEST_DIRNAME/make-samples" memory memory
	for option in --call-trace --call-ret-trace --graph-function=main; do
		run -1 "$PERF" script -i memory $option
		[[ "$output" == *"'memory' has no branch trace from which calls could be taken"*"branches:u -c 1 -d"* ]]
	done
	run -1 "$PERF" script -i memory -F +callindent
}

@test "synth: what a decoder of Intel PT wrote, as 6.1 shows it" {
	"$PERF" script -i synth >got
	[ "$(wc -l <got)" -eq 9 ]
	grep -qE ' ptwrite:  IP: 1 payload: 0x123456789abc ' got
	grep -qE ' cbr:  cbr: 36 freq: 3600 MHz \(150%\) ' got
	grep -qE ' pwrx:  deepest cstate: 6 last cstate: 3 wake reason: 0x4 ' got
	grep -qE ' iflag:  IFLAG: 0->1 via branch ' got
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] && "${RIVAL_PERF:-/usr/bin/perf}" version | grep -q ' 6\.1\.' || skip "no perf 6.1 to compare with"
	"${RIVAL_PERF:-/usr/bin/perf}" script -i synth 2>/dev/null >want
	diff want got
}

@test "--guest-code: what guests run is mapped in their hypervisors" {
	"$BATS_TEST_DIRNAME/make-samples" guest_code guest
	"$PERF" script -i guest -F ip,sym,dso,misc | grep 'guest.kernel'
	"$PERF" script -i guest -F ip,sym,dso >rows
	run ! grep -q '(/bin/true)' rows
	[ "$("$PERF" script -i guest --guest-code -F ip,sym,dso | grep -c '(/bin/true)$')" -eq 2 ]
	[ "$("$PERF" script -i guest --guest-code -F ip,dsoff | grep -o '+0x[0-9a-f]*' | tr '\n' ' ')" = "+0x2014 +0x2015 " ]
	"$PERF" report -i guest --guest-code --stdio --sort dso 2>/dev/null | grep -q '100.00%.*true'
}

@test "scripts have the bytes of any instruction, and the function that a branch leads to, as 6.1 hands them" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	cat >look.py <<-'CODE'
		from perf_trace_context import *
		def process_event(sample):
		    about = sample["sample"]
		    print(sample["ev_name"], perf_sample_insn(perf_script_context), about.get("addr_symbol"),
		          about.get("addr_correlates_sym"))
	CODE
	"$PERF" script -i calls -s look.py >got
	grep -q "b'.xe8.x08.x00.x00.x00' outer True" got
	grep -q "b'.x0f.x05' None True" got
	[ "$("$PERF" script -i calls --symfs none -s look.py | grep -c '^[^ ]* None ')" -eq 12 ]
	[ -x "$RIVAL" ] && "$RIVAL" version | grep -q ' 6\.1\.' || skip "no perf 6.1 to compare with"
	rival script -i calls -s look.py >want
	diff want got
}

@test "intel-pt-events: events of decoders and branches" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	run -0 "$PERF" script report intel-pt-events -i synth
	grep -qE "prog +100/100 +\[001\] +1\.000001000  ptwrite +IP: 1 payload: 0x123456789abc " <<<"$output"
	grep -qE "  cbr +36  freq: 3600 MHz \(150%\)  [0-9a-f]+ main \($PWD/prog\)$" <<<"$output"
	grep -qE "  evt +cfe: INTR IP: 1 vector: 236 PFA: 0x7f0000001000 " <<<"$output"
	grep -qE "  iflag +0->1 by branch at 0x555555555010" <<<"$output"
	for name in ptwrite mwait pwre exstop pwrx cbr psb evt iflag; do grep -qx "$name: 1" <<<"$output"; done
	run -0 "$PERF" script report intel-pt-events --insn-trace -i calls
	grep -qE "  branches +[0-9a-f]+ main \($PWD/prog\) -> [0-9a-f]+ outer \($PWD/prog\)  insn: e8 " <<<"$output"
	grep -qx "branches: 12" <<<"$output"
	"$BATS_TEST_DIRNAME/make-samples" memory memory
	run -0 "$PERF" script report intel-pt-events -i memory
	[[ "$output" == *"no sample of a decoded trace is in the file"* ]]
}

@test "arm-cs-trace-disasm: the code from where a branch landed to where the next one left" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	"$BATS_TEST_DIRNAME/make-calls" branches "$PWD/prog" run main+0\>outer+0 outer+0\>inner+0 inner+2\>inner+4 \
		inner+4\>outer+5 outer+6\>outer+8
	run -0 "$PERF" script report arm-cs-trace-disasm -i run
	# between the five branches: call, syscall jne, ret, nop jmp
	[ "$(grep -oP '^\t[0-9a-f]+\t\K[a-z]+' <<<"$output" | tr '\n' ' ')" = "call syscall jne ret nop jmp " ]
	[ "${lines[-1]}" = "branches: 5, instructions: 6, ranges left out: 0" ]
	grep -qP "^\t[0-9a-f]+\tcall +[0-9a-f]+ <inner>\$" <<<"$output"
	"$BATS_TEST_DIRNAME/make-calls" branches "$PWD/prog" gap outer+0\>inner+0 main+5\>inner+0
	run -0 "$PERF" script report arm-cs-trace-disasm -v -i gap
	[[ "$output" == *"is left out: the trace has a gap"* ]]
	run -1 "$PERF" script report arm-cs-trace-disasm -d /nonexistent -i run
	[[ "$output" == *"objdump cannot be run"* ]]
}

@test "parallel-perf: pieces of time and CPUs together are the whole" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/sched/sched_switch ] || skip "this kernel has no tracepoint sched:sched_switch"
	"$PERF" record -q -a -o whole -e sched:sched_switch,cpu-clock -F 500 -- sh -c 'for i in 1 2 3 4 5; do sleep 0.05; done'
	"$PERF" script -i whole --ns >all
	[ "$(wc -l <all)" -gt 50 ]
	"$PERF" script report parallel-perf -i whole -n 7 -j 3 -- perf script --ns | cmp - all
	"$PERF" script report parallel-perf -i whole --interval 0.06 -- perf script --ns | cmp - all
	"$PERF" script report parallel-perf -i whole --per-cpu -n 2 -- perf script --ns | sort >got
	sort all | cmp - got
	"$PERF" script report parallel-perf -i whole -n 3 -o pieces --pipe-to 'wc -l' -- perf script --ns
	[ "$(cat pieces/piece-*.txt | awk '{ n += $1 } END { print n }')" -eq "$(wc -l <all)" ]
	[ "$(ls pieces | wc -l)" -eq 3 ]
	run -2 "$PERF" script report parallel-perf -i whole -o pieces
	[[ "$output" == *"'pieces' exists already"* ]]
	run -1 "$PERF" script report parallel-perf -i whole -n 2 -- perf script --nonsense
	[[ "$output" == *"2 of 2 pieces failed"* ]]
	[ "$("$PERF" script report parallel-perf -i whole -n 4 -d -- perf report | grep -c -- '--time')" -eq 4 ]
}
