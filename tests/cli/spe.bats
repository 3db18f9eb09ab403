#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Arm SPE: traces that make-spe writes packet by packet, as samples; by hand and against Debian's perf.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	local make=$BATS_TEST_DIRNAME/make-spe

	"$make" scene
	"$make" --no-context switches
	"$make" --damage damaged
	"$make" --count 2000 n1
	"$make" --count 2000 --midr 0x00000000410fd490 n2
	"$make" --count 2000 --midr 0x00000000c00fac30 ampere
}

setup() {
	cd "$FILES"
	export TMPDIR=$BATS_TEST_TMPDIR/decoded
	mkdir -p "$TMPDIR"
}

squeeze() {
	sed -E 's/ +/ /g; s/ $//; s/\.\.+/./g; s/-+/-/g'
}

@test "every access: thread, addresses, latency, where it was answered" {
	# a tag in the top byte is no part of the address; the kernel's half has its top byte again
	[ "$("$PERF" mem -D -x, -p -i scene | cut -d: -f1)" = "# PID, TID, IP, ADDR, PHYS ADDR, LOCAL WEIGHT, DSRC, SYMBOL
100,100,0x555555556100,0x555556000008,0x1000008,5,0x288100142,/bin/true
100,101,0x555555556100,0x555556000008,0x21000008,3,0x1e00080024,/bin/true
100,100,0x555555556110,0x555556000048,0x1000048,90,0x688200842,/bin/true
100,101,0x555555556110,0x555556000048,0x0,60,0x8400000442,/bin/true
100,100,0x555555556120,0x555556000010,0x1000010,700,0xbe90000022,/bin/true
200,200,0x555555556100,0x555556000008,0x0,400,0x1a00101042,/bin/true
200,200,0xffff800010000100,0xffff800010002000,0x0,7,0x200100142,[kernel.kallsyms]" ]
	"$PERF" script --itrace=M -F time,tid,data_src,weight -i scene >text
	[ "$(wc -l <text)" -eq 7 ]
	sed -n 1p text | grep -q '100 .*0.000002: .* |OP LOAD|LVL L1 or L1 hit|SNP None|TLB Walker hit|'
	grep -q '|OP LOAD|LVL L3 or L3 hit|SNP Hit|TLB Walker hit|' text
	grep -q 'TLB Walker miss' text
	# nothing is left behind
	[ -z "$(ls "$TMPDIR")" ]
}

@test "events by the letters of --itrace" {
	count() { "$PERF" script -i scene --itrace"$1" -F event 2>/dev/null | tr -d ' ' | sort | uniq -c | awk '{ print $2, $1 }'; }
	[ "$(count =f)" = "l1d-access: 7
l1d-miss: 4" ]
	[ "$(count =m)" = "llc-access: 2
llc-miss: 1" ]
	[ "$(count =t)" = "tlb-access: 3
tlb-miss: 1" ]
	[ "$(count =b)" = "branch-miss: 1" ]
	[ "$(count =a)" = "remote-access: 1" ]
	[ "$(count =M)" = "memory: 7" ]
	[ "$(count '' | awk '{ n += $2 } END { print n }')" -eq 27 ]
	[ "$("$PERF" script -i scene -F event 2>/dev/null | wc -l)" -eq 27 ]
	[ -z "$("$PERF" script -i scene --no-itrace -F event 2>/dev/null)" ]
	run "$PERF" script -i scene --itrace=X
	[ "$status" -eq 129 ]
	[[ "$output" == *"'X' is not something that traces hold"* ]]
	# a dump shows the file as it is
	"$PERF" report -D -i scene | grep -q PERF_RECORD_AUXTRACE
}

@test "without context packets the switches say which thread ran" {
	diff <("$PERF" mem -D -i scene) <("$PERF" mem -D -i switches)
}

@test "samples are those of Debian's perf" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	for f in scene n1 n2 ampere; do
		# the kernel of scene is not mapped; 6.1 shows what is not mapped as ???
		diff <("$RIVAL" mem -D -x, -i $f report 2>/dev/null | sed '1d; /0xffff8/d' | sort) \
			<("$PERF" mem -D -x, -i $f | sed '1d; /0xffff8/d' | sort)
		for k in f m t b a M tM; do
			"$RIVAL" script --itrace=$k -i $f -F tid,time,event,ip 2>/dev/null | squeeze | sort >theirs
			"$PERF" script --itrace=$k -i $f -F tid,time,event,ip 2>/dev/null | squeeze | sort >ours
			[ -s ours ]
			diff theirs ours
		done
	done
	for f in n1 n2 ampere; do
		# but for the event's name and halves in means (ledger: c2c-mean)
		"$RIVAL" c2c report --stdio -i $f 2>/dev/null | squeeze | sed -n '/Trace Event/,/c2c details/p; /Cache Line Table/,/Pareto/p' >theirs
		"$PERF" c2c report --stdio -i $f 2>/dev/null | squeeze | sed -n '/Trace Event/,/c2c details/p; /Cache Line Table/,/Pareto/p' >ours
		[ -s ours ]
		diff theirs ours
	done
}

@test "report of all events, and of memory alone" {
	"$PERF" report --stdio -i scene -s sym 2>/dev/null >text
	for e in l1d-miss l1d-access llc-miss llc-access tlb-miss tlb-access branch-miss remote-access memory; do
		grep -q "of event '$e" text
	done
	"$PERF" mem report --stdio -i scene 2>/dev/null >text
	grep -q "Samples: 7 .*of event 'memory" text
	# 5 + 3 + 90 + 60 + 700 + 400 + 7
	grep -q '^# Total weight : 1265$' text
	! grep -q "of event 'l1d-miss" text || return 1
}

@test "damaged traces: what is left is decoded, and how much is missing is said" {
	run --separate-stderr "$PERF" mem -D -i damaged
	[ "$status" -eq 1 ]
	[ "$(wc -l <<<"$output")" -ge 6 ]
	[[ "$stderr" == *"bytes of SPE traces that are not part of a packet were skipped"* ]]
	python3 - n1 <<-'X'
	import random, sys
	data = open(sys.argv[1], "rb").read()
	random.seed(5)
	for i in range(30):
	    d = bytearray(data if i % 3 else data[:random.randrange(600, len(data))])
	    for _ in range(100):
	        d[random.randrange(400, len(d))] = random.randrange(256)
	    open("bad.%d" % i, "wb").write(d)
	X
	for f in bad.*; do
		timeout 20 "$PERF" mem -D -i "$f" >out 2>&1 || [ $? -eq 1 ] || { cat out; false; }
		timeout 20 "$PERF" c2c report --stdio -i "$f" >out 2>&1 || [ $? -eq 1 ] || { cat out; false; }
	done
	rm bad.*
	[ -z "$(ls "$TMPDIR")" ]
}

@test "no room for the decoded trace" {
	TMPDIR=$PWD/not-there run "$PERF" mem -D -i scene
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: cannot make a temporary file for the decoded trace: No such file or directory"*"hint: TMPDIR=DIR names"* ]]
}

@test "a stream of traces gives the samples that the file gives, and nothing stays behind" {
	"$PERF" inject -i scene -o - >stream # the traces are still in it
	"$PERF" script -D -i stream | grep -q AUXTRACE
	for letters in "" =M =f; do
		"$PERF" script "--itrace$letters" -i scene >file
		[ -s file ]
		"$PERF" script "--itrace$letters" -i - <stream | diff file -
		cat stream | "$PERF" script "--itrace$letters" -i - | diff file -
		"$PERF" script "--itrace$letters" -i stream | diff file -
	done
	cat stream | "$PERF" mem -D -x, -i - | diff <("$PERF" mem -D -x, -i scene) -
	cat stream | "$PERF" c2c report --stdio -i - | diff <("$PERF" c2c report --stdio -i scene) -
	[ -z "$(ls "$TMPDIR")" ]
	# no room for it
	run bash -c "cat stream | TMPDIR=/nonexistent '$PERF' script -i -"
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot make a temporary file for the decoded trace: No such file or directory"* ]]
	# a stream of other events is passed on while it comes
	"$BATS_TEST_DIRNAME/make-samples" crowd crowd
	"$PERF" inject -i crowd -o - | "$PERF" script -i - | diff <("$PERF" script -i crowd) -
}

@test "a stream that is cut or damaged" {
	"$PERF" inject -i scene -o - >stream
	size=$(stat -c %s stream)
	for ((at = 100; at < size; at += 41)); do
		run bash -c "head -c $at stream | '$PERF' script -i - 2>&1"
		[ "$status" -le 1 ]
		run bash -c "{ head -c $at stream; printf '\\377\\377'; tail -c +$((at + 3)) stream; } | '$PERF' script -i - 2>&1"
		[ "$status" -le 1 ]
	done
	[ -z "$(ls "$TMPDIR")" ]
}

@test "inject --itrace writes samples in place of traces" {
	"$PERF" inject --itrace -i scene -o all
	"$PERF" script -i scene | diff <("$PERF" script -i all) -
	run ! grep -q AUXTRACE <("$PERF" script -D -i all)
	"$PERF" inject --itrace=M <scene >memory
	"$PERF" script --itrace=M -i scene | diff <("$PERF" script -i memory) -
	"$PERF" inject -i scene -o - | "$PERF" inject --itrace=M -i - -o memory
	"$PERF" script --itrace=M -i scene | diff <("$PERF" script -i memory) -
	# Debian's perf reads it as any recording
	if [ -x "$RIVAL" ]; then
		[ "$("$RIVAL" script -F tid,event,addr -i all 2>/dev/null | sort | squeeze)" = \
			"$("$PERF" script -F tid,event,addr -i scene | sort | squeeze)" ]
	fi
	# letters of other traces give nothing of these; the recording's own samples can be left out
	"$PERF" inject --itrace=i -i scene -o none
	[ -z "$("$PERF" script -i none)" ]
	"$PERF" inject --itrace --strip -i scene -o stripped
	"$PERF" script -i scene | diff <("$PERF" script -i stripped) -
	run "$PERF" inject --itrace=? -i scene -o none
	[ "$status" -eq 129 ]
	[[ "$output" == *"'?' is not something that traces hold"* ]]
	[ -z "$(ls "$TMPDIR")" ]
}
