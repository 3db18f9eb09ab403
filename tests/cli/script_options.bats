#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script: which samples are printed, in which form, and where to.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >w.c <<-'EOF'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		volatile long sink;
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void top(int n) { leaf(n); sink++; }
		int main(void)
		{
			for (int i = 0; i < 300; i++) {
				char *p = malloc(300000);
				top(150000);
				memset(p, 1, 300000);
				free(p);
			}
			if (!fork())
				_exit(0);
			return 0;
		}
	EOF
	gcc -O1 -g -fno-plt -fno-omit-frame-pointer -o w w.c
	"$PERF" record -q -o clock -e cpu-clock -F 5000 ./w >/dev/null
	"$PERF" record -q -o several -e cpu-clock,page-faults ./w >/dev/null
	"$PERF" record -q -o tasks -e sched:sched_process_exec,sched:sched_process_fork,sched:sched_process_exit \
		sh -c './w; ./w; :' >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	make="$BATS_TEST_DIRNAME/make-samples"
}

oracle() {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	"$RIVAL" version | grep -q ' 6\.1\.' || skip "$RIVAL is not 6.1"
}

# same ARGS...: both print the same, and something
same() {
	"$RIVAL" script "$@" >theirs 2>theirs.err </dev/null
	"$PERF" script "$@" >ours 2>ours.err </dev/null || { cat ours.err; return 1; }
	[ -s ours ] || { echo "nothing printed: $*"; return 1; }
	cmp -s ours theirs || { echo "perf script $*"; diff theirs ours | head -n 6; return 1; }
}

# The first line of the named function, by its address in the process.
address_of() {
	"$PERF" script -i clock -F ip,sym,symoff | sed -n "s/^ *\([0-9a-f]*\) $1+0x\([0-9a-f]*\)\$/\1 \2/p" | head -n 1
}

@test "-S takes addresses: of a sample, of a range" {
	oracle
	read -r at offset <<<"$(address_of leaf)"
	start=$(printf %x $((0x$at - 0x$offset)))
	all=$("$PERF" script -i clock -S leaf | wc -l)
	[ "$all" -gt 10 ]
	same -i clock -S leaf
	same -i clock -S $at
	# on some processors all samples of a loop are at one instruction
	[ "$(wc -l <ours)" -eq "$("$PERF" script -i clock -F ip | grep -c "^ *$at *$")" ]
	[ -z "$("$PERF" script -i clock -S $(printf %x $((0x$at + 1))) 2>/dev/null)" ]
	same -i clock -S $start --addr-range 64
	[ "$(wc -l <ours)" -eq "$all" ]
	# the end is outside
	[ "$("$PERF" script -i clock -S $start --addr-range $((0x$offset)) 2>/dev/null | grep -c $at)" -eq 0 ]
	[ "$("$PERF" script -i clock -S $start --addr-range $((0x$offset + 1)) | grep -c $at)" -gt 0 ]
	run -129 "$PERF" script -i clock -S leaf --addr-range 5
	[[ "$output" == *"--addr-range counts from the addresses of -S"* ]]
}

@test "a function whose name is also a hexadecimal number is found by its name" {
	cat >add.c <<-'EOF'
		volatile long sink;
		__attribute__((noinline)) void add(int n) { for (int i = 0; i < n; i++) sink += i; }
		int main(void) { for (int i = 0; i < 200; i++) add(100000); return 0; }
	EOF
	gcc -O1 -o add add.c
	"$PERF" record -q -o add.data -e cpu-clock -F 5000 ./add
	[ "$("$PERF" script -i add.data -S add -F ip,sym | awk '{ print $2 }' | sort -u)" = add ]
}

@test "--switch-on and --switch-off" {
	oracle
	same -i tasks --switch-on sched:sched_process_exec
	[ "$(wc -l <ours)" -lt "$("$PERF" script -i tasks | wc -l)" ]
	same -i tasks --switch-on sched:sched_process_exec --show-on-off-events
	same -i tasks --switch-on sched:sched_process_fork --switch-off sched:sched_process_exit
	same -i tasks --switch-on sched:sched_process_fork --switch-off sched:sched_process_exit --show-on-off-events
	run -129 "$PERF" script -i tasks --switch-on nosuch
	[[ "$output" == *"'nosuch' of --switch-on is not in 'tasks'"* ]]
	run -129 "$PERF" script -i tasks --show-on-off-events
}

@test "--switch-off alone ends what is shown (difference script-switch-off)" {
	"$PERF" script -i tasks -F event >all
	"$PERF" script -i tasks -F event --switch-off sched:sched_process_exit >before
	sed '/process_exit/,$d' all >expected
	[ -s expected ]
	cmp before expected
}

@test "--per-event-dump: a file for each event, whose text is that of the event alone" {
	rm -f several.*.dump
	run -0 "$PERF" script -i several --per-event-dump
	[ "$(grep -c '^\[ perf script: Wrote [0-9.]* MB several\..*\.dump ([0-9]* samples) \]$' <<<"$output")" -ge 2 ]
	for e in $("$PERF" evlist -i several | grep -v '^#'); do
		[ -f "several.$e.dump" ]
		n=$(grep -c . <several.$e.dump || true)
		[[ "$output" == *"several.$e.dump ($n samples)"* ]]
	done
	"$PERF" script -i several | sort >whole
	sort several.*.dump | cmp - whole
	if [ -x "$RIVAL" ]; then
		mkdir -p mine && mv several.*.dump mine
		"$RIVAL" script -i several --per-event-dump >/dev/null
		for f in several.*.dump; do cmp $f mine/$f; done
	fi
}

@test "--per-event-dump: a file that cannot be written is said" {
	mkdir -p 'full.cpu-clock:ppp.dump' full.cpu-clock.dump 'full.cpu-clock:pppH.dump'
	cp clock full
	run -1 "$PERF" script -i full --per-event-dump
	[[ "$output" == *"error: cannot write 'full.cpu-clock"*"Is a directory"* ]]
}

@test "-d counts what is out of order and lost" {
	run -0 "$PERF" script -i clock -d
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[0]}" = "Misordered timestamps: 0" ]
	[ "${lines[2]}" = "Lost events: 0" ]
}

@test "--dump-unsorted-raw-trace: every record, in the order of the file" {
	"$PERF" script -i clock --dump-unsorted-raw-trace |
		grep -oE '^[0-9-]* ?[0-9]* 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD' |
		grep -oE '0x[0-9a-f]+ ' >places
	[ "$(wc -l <places)" -gt 50 ]
	while read -r p; do echo $((p)); done <places >numbers
	sort -n numbers | cmp - numbers
	[ "$("$PERF" script -i clock --dump-unsorted-raw-trace | grep -c PERF_RECORD_SAMPLE)" -eq \
		"$("$PERF" script -i clock -D | grep -c PERF_RECORD_SAMPLE)" ]
}

@test "insn, insnlen, srccode: the instruction and the line at each sample, as 6.1 has them" {
	oracle
	same -i clock -F ip,sym,insn,insnlen --dsos w
	[ "$(grep -c 'leaf ilen: [1-9][0-9]* insn: [0-9a-f][0-9a-f]' ours)" -gt 10 ]
	same -i clock -F ip,sym,srccode --dsos w
	[ "$(grep -c '^|[0-9]* .*void leaf(int n)' ours)" -eq 1 ]
}

@test "disasm: the text of the sampled instruction is objdump's" {
	"$PERF" script -i clock -F ip,sym,symoff,disasm -S leaf | sed 's/.*leaf+0x\([0-9a-f]*\)\t\t\([a-z]*\).*/\1 \2/' |
		sort -u >shown
	[ -s shown ]
	start=$(nm w | awk '$3 == "leaf" { print $1 }')
	while read -r offset mnemonic; do
		at=$(printf %x $((0x$start + 0x$offset)))
		objdump -d --no-show-raw-insn w | grep -qE "^ *$at:.$mnemonic( |\$)" ||
			{ echo "$offset $mnemonic"; return 1; }
	done <shown
}

# The loop of leaf and the start of top, as branch stacks.
branches() {
	jump=$(objdump -d --no-show-raw-insn w --disassemble=leaf | awk '$2 ~ /^j/ && $4 ~ /leaf/ { last = $1 " " $3 } END { sub(":", "", last); print last }')
	start=$(nm w | awk '$3 == "leaf" { print $1 }')
	read -r from to <<<"$jump"
	[ -s branches ] && return
	"$BATS_TEST_DIRNAME/make-branches" "$PWD/w" branches \
		leaf:$(printf %x $((0x$from - 0x$start))):$(printf %x $((0x$to - 0x$start))):5:10,20 top:4:1:2:0,3
}

@test "brstackinsn, brstackinsnlen, --max-blocks: the code between branches, as 6.1 has it" {
	oracle
	branches
	same -i branches -F ip,brstackinsn
	[ "$(grep -c ' PRED 20 cycles \[20\]$' ours)" -eq 5 ]
	grep -q ' 10 cycles \[30\] 0\.[0-9]* IPC$' ours
	same -i branches -F +srccode,+brstackinsnlen
	same -i branches -F +srcline,+brstackinsn
	same -i branches -F ip,brstackinsn --max-blocks 1
	[ "$(grep -c 'cycles \[' ours)" -le 14 ]
	"$make" history history
	same -i history -F +brstackinsn
	run -1 "$PERF" script -i clock -F +brstackinsn
	[[ "$output" == *"Display of branch stack assembler requested, but non all-branch filter set"* ]]
}

@test "brstackdisasm: as brstackinsn, with text in place of bytes" {
	branches
	"$PERF" script -i branches -F ip,brstackinsn >bytes
	"$PERF" script -i branches -F ip,brstackdisasm >text
	[ "$(wc -l <text)" -eq "$(wc -l <bytes)" ]
	! grep -q 'insn:' text || false
	grep -qP '^\t[0-9a-f]{16}\tj[a-z]+ +[0-9a-f]+ <leaf\+0x' text
	paste <(cut -f2 bytes) <(cut -f2 text) | awk -F'\t' '$1 != $2 { exit 1 }'
}

@test "brstackinsn of a program that is another one now says so" {
	branches
	# a file of its own: the build-id cache can have a link to the one that was recorded
	cp w other
	read -r at size < <(nm -S w | awk '$4 == "leaf" { print "0x" $1, "0x" $2 }')
	head -c $((size)) /dev/zero | tr '\0' '\6' | dd of=other bs=1 conv=notrunc status=none seek=$((at))
	mv w saved
	mv other w
	"$PERF" script -i branches -F ip,brstackinsn >out 2>err || true
	mv saved w
	grep -q '<bad>' out
	grep -q 'mismatch of LBR data and executable' out
}

@test "--insn-trace and --xed: fields of instruction traces, of any recording" {
	"$PERF" script -i clock --insn-trace >short
	"$PERF" script -i clock -F +insn,-event,-period --ns | cmp - short
	"$PERF" script -i clock --insn-trace=disasm | cmp - <("$PERF" script -i clock --insn-trace --xed)
	"$PERF" script -i clock --insn-trace --xed -S leaf | grep -qP '\t\t[a-z]+'
	branches
	"$PERF" script -i branches -F ip,brstackinsn --xed | cmp - <("$PERF" script -i branches -F ip,brstackdisasm)
	run -129 "$PERF" script -i clock --insn-trace=xx
	[[ "$output" == *"--insn-trace takes raw or disasm, not 'xx'"* ]]
}

@test "call chains of branch registers are those of 6.1; --stitch-lbr" {
	oracle
	"$make" calls calls
	same -i calls
	grep -q 555555954010 ours
	# the second sample's register was full: the callers that it lost are the first one's
	"$PERF" script -i calls --stitch-lbr 2>/dev/null | awk 'NF { n++ } !NF { print n; n = 0 }' >frames
	[ "$(tr '\n' ' ' <frames)" = "6 8 " ]
	"$PERF" script -i calls --stitch-lbr 2>/dev/null | tail -n 3 | grep -q 555555954010
	same -i calls -G
	"$make" --big-endian calls big
	"$PERF" script -i big -F ip | cmp - <("$PERF" script -i calls -F ip)
	run -1 "$PERF" script -i clock --stitch-lbr
	[[ "$output" == *"--stitch-lbr needs"*"--call-graph lbr"* ]]
}

@test "a print format with bytes that no kernel writes is shown as fields" {
	"$PERF" record -q -o switches -a -e sched:sched_switch true >/dev/null
	for at in 40 90 150 200 250 300 330; do
		python3 -c '
import sys
d = bytearray(open("switches", "rb").read())
at = d.index(b"print fmt:", d.index(b"name: sched_switch")) + int(sys.argv[1])
d[at] = 0xff
open("odd", "wb").write(d)' $at
		run "$PERF" script -i odd -F event,trace
		[ "$status" -lt 2 ] || { echo "$at: $status"; return 1; }
		[[ "$output" == *"sched:sched_switch: "* ]]
	done
}

@test "metric: ratios of each reading of a group, as 6.1 has them where all counters went on" {
	oracle
	"$make" counters counters
	same -i counters -F +metric
	same -i counters -F comm,period,metric
	[ "$(grep -c 'metric: ' ours)" -eq 3 ]
	"$PERF" script -i counters -F event,metric --json | grep -o '"value":[0-9.]*' | paste -sd' ' |
		grep -qx '"value":2 "value":0.5 "value":1'
}

@test "metric: of software events that were recorded here (difference script-metric)" {
	"$PERF" record -q -o group -e '{page-faults,task-clock}:S' -c 5 ./w >/dev/null
	"$PERF" script -i group -F event,period,metric >out
	[ "$(grep -c 'metric: ' out)" -gt 10 ]
	# what was shown of a reading is the ratio of its own two numbers
	awk '$2 ~ /page-faults/ { faults = $1 } $2 ~ /task-clock/ { clock = $1 }
		/metric:/ {
			unit = $3 == "G/sec" ? 1e9 : $3 == "M/sec" ? 1e6 : $3 == "K/sec" ? 1e3 : 1
			expected = faults * 1e9 / clock / unit
			if ($2 < expected - 0.001 || $2 > expected + 0.001) bad = 1
		}
		END { exit bad }' out
	run -1 "$PERF" script -i clock -F +metric
	[[ "$output" == *"'clock' has no group of counters that were read together. Cannot print 'metric' field."* ]]
}

@test "ipc: of a group that counts both, of the code between branches (difference script-ipc)" {
	"$make" counters counters
	"$PERF" script -i counters -F event,ipc >out
	[ "$(grep -c 'IPC: 2.00 (2000/1000) $' out)" -eq 2 ]
	[ "$(grep -c 'IPC: 0.50 (250/500) $' out)" -eq 2 ]
	branches
	# three times the loop, in 10, 20 and 10 cycles; of the code before the oldest branch nothing is known
	loop=$(objdump -d --no-show-raw-insn w --disassemble=leaf |
		awk -v from="$from:" -v to="$to:" '$1 == to { inside = 1 } inside { n++ } $1 == from { inside = 0 } END { print n }')
	"$PERF" script -i branches -S leaf -F ip,ipc >out
	[ "$(grep -c " ($((3 * loop))/40) $" out)" -eq 5 ]
	# not where only some branches were noted: the code between them is not what ran
	"$make" calls calls
	[ "$("$PERF" script -i calls -G -F event,ipc | grep -c IPC)" -eq 0 ]
	[ -z "$("$PERF" script -i clock -F ipc | tr -d '\n')" ]
}
