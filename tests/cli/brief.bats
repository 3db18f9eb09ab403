#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf report --brief: where the time goes, in a bounded number of bytes, and the member "paths" of --json.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export DIR=$BATS_TEST_DIRNAME
	cat >prog.c <<-'END'
	void leaf(void) { }
	void left(void) { leaf(); }
	void right(void) { }
	void nap(void) { }
	void work(void) { left(); right(); }
	void inner(void) { work(); nap(); }
	void outer(void) { inner(); }
	int main(void) { outer(); }
	END
	gcc -O0 -fPIE -pie -fno-omit-frame-pointer prog.c -o prog
	cat >lines <<-'END'
	run 60 1000000 leaf left work inner outer main
	run 25 1000000 right work inner outer main
	run 10 1000000 work inner outer main
	run 5 1000000 k:clear_page k:do_fault right work inner outer main
	wait 3 20000000 k:schedule k:do_syscall nap inner outer main
	wait 1 14000000 k:futex k:do_syscall main
	END
	"$DIR/make-offcpu" "$PWD/prog" plain <lines
	grep run lines | "$DIR/make-offcpu" "$PWD/prog" ran
	gcc -O1 -g -fno-omit-frame-pointer -pthread "$DIR/../trials/planted.c" -o planted
	"$PERF" record -q -e cpu-clock:u -F 1000 -o flat ./planted two
	"$PERF" record -q -e cpu-clock/period=1000000/u,page-faults/period=1/ -g -o events ./planted two
	"$PERF" record -q -e cpu-clock:u -F 2000 -g -o live ./planted library
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

report() { # FILE OPTIONS...
	"$PERF" report --kallsyms plain.kallsyms -i "$@"
}

agrees() { # at least so many numbers were compared
	least=$1
	shift
	run -0 "$DIR/brief-agrees" "$PERF" "$@"
	[ "$output" -ge "$least" ]
}

@test "runs of frames are folded, and branches are below them, with Wilson's intervals" {
	# 60, 30, 25, 10 and 5 of 100 samples
	report ran --brief >got
	cat >want <<-'END'
	cpu-clock: 100 samples, 0.100 s, 95% intervals in brackets
	  hot: leaf 60.0% (50.2-69.1), right 25.0% (17.5-34.3), work 10.0% (5.5-17.4), clear_page 5.0% (2.2-11.2)
	  100.0% (96.3-100.0)  prog: main -> outer -> inner -> work, itself 10.0% (5.5-17.4)
	    60.0% (50.2-69.1)  left -> leaf
	    30.0% (21.9-39.6)  right, itself 25.0% (17.5-34.3)
	      5.0% (2.2-11.2)  do_fault -> clear_page
	END
	diff want <(grep -v -e ^truth -e ^next got)
	[[ "$(head -1 got)" == "truth: "*", 100.0 percent of samples named, 0 lost" ]]
	grep -qx 'next: perf annotate -i ran --stdio leaf' got
	grep -qx 'next: perf report -i ran --no-children -g caller -S leaf' got
}

@test "the commands to type next work as they are printed" {
	mkdir -p next
	cp flat prog planted next
	cd next
	PATH=$(dirname "$PERF"):$PATH
	for f in flat "it's one"; do
		[ -e "$f" ] || cp flat "$f"
		"$PERF" report -i "$f" --brief | sed -n 's/^next: //p' | grep '^perf [a-z]* -i' >commands
		[ "$(wc -l <commands)" -eq 2 ]
		while IFS= read -r command; do
			sh -c "$command" >out </dev/null
			grep -q tokenize_input out
		done <commands
	done
}

@test "waits have places and exact shares; the event with more time comes first" {
	report plain --brief >got
	cat >want <<-'END'
	offcpu-time: 4 samples, 0.074 s
	  waits: nap 81.1%, main 18.9%
	cpu-clock: 100 samples, 0.100 s, 95% intervals in brackets
	END
	# what ran took longer here
	diff <(sed -n '3p;1,2p' want | sort) <(grep -e ^offcpu -e '^  waits' -e ^cpu-clock got | sort)
	[[ "$(sed -n 2p got)" == "cpu-clock: "* ]]
	[[ "$(sed -n 4p got)" == "offcpu-time: "* ]]
	sed -n '/^paths of offcpu/,/^next/p' got >paths
	cat >want <<-'END'
	paths of offcpu-time:
	  100.0%  prog: main
	    81.1%  outer -> inner -> nap -> do_syscall -> schedule
	    18.9%  do_syscall -> futex
	END
	diff want <(grep -v ^next paths)
	grep -qx 'next: perf report -i plain --no-children -s place' got
	sed 's/^wait 3 20/wait 3 40/' lines | "$DIR/make-offcpu" "$PWD/prog" more
	report more --brief >got
	[[ "$(sed -n 2p got)" == "offcpu-time: "* ]]
	agrees 30 --kallsyms plain.kallsyms -i plain
	agrees 30 --kallsyms plain.kallsyms -i more
}

@test "a wait is named by the program's function and what it called in the C library" {
	cat >libc.c <<-'END'
	void lock(void) __asm__("pthread_mutex_lock");
	void lock(void) { }
	void pay(void) { lock(); }
	int main(void) { pay(); }
	END
	gcc -O0 -fPIE -pie libc.c -o libc
	"$DIR/make-offcpu" "$PWD/libc" lock <<-'END'
	wait 3 20000000 k:schedule k:do_syscall pthread_mutex_lock pay main
	wait 1 20000000 k:schedule k:do_syscall pthread_mutex_lock
	wait 1 20000000 k:schedule
	END
	"$PERF" report --kallsyms lock.kallsyms -i lock --brief >got
	grep -qx '  waits: pay in pthread_mutex_lock 60.0%, pthread_mutex_lock 20.0%, schedule 20.0%' got
	"$PERF" report --kallsyms lock.kallsyms -i lock --json |
		jq -e '.paths[0].places[0] | .name == "pay" and .in == "pthread_mutex_lock" and (has("low") | not)'
}

@test "recursion is folded, also where functions call each other in a circle" {
	cat >circle.c <<-'END'
	void end(void) { }
	void odd(void) { }
	void even(void) { odd(); }
	int main(void) { even(); }
	END
	gcc -O0 -fPIE -pie circle.c -o circle
	"$DIR/make-offcpu" "$PWD/circle" rounds <<-'END'
	run 10 1000000 end odd odd odd odd main
	run 10 1000000 end odd odd main
	END
	"$PERF" report -i rounds --brief >got
	grep -qx '  100.0% (83.9-100.0)  prog: main -> odd (recursive) -> end' got
	"$DIR/make-offcpu" "$PWD/circle" rounds <<-'END'
	run 10 1000000 end odd even odd even odd even main
	run 10 1000000 end odd even odd even odd even odd even odd even main
	END
	"$PERF" report -i rounds --brief >got
	grep -qx '  100.0% (83.9-100.0)  prog: main -> even -> odd -> even (recursive) -> odd -> end' got
	# twice is no circle: the same function under a signal handler
	"$DIR/make-offcpu" "$PWD/circle" rounds <<-'END'
	run 10 1000000 odd even odd main
	END
	"$PERF" report -i rounds --brief | grep -qx '  100.0% (72.2-100.0)  prog: main -> odd -> even -> odd'
	agrees 5 -i rounds
}

@test "shares of weighted samples have wider intervals" {
	# ten samples of weight 9 and ninety of weight 1: as sure as 5 of 15.. draws, not as 50 of 100
	"$DIR/make-offcpu" "$PWD/prog" weighted <<-'END'
	run 10 9000000 right work inner outer main
	run 90 1000000 leaf left work inner outer main
	END
	"$PERF" report -i weighted --json >json
	python3 - <<-'END'
	import json, math
	f = {x["name"]: x for x in json.load(open("json"))["paths"][0]["functions"]}
	p, squares, rest, total, z = 0.5, 10 * 81, 90, 180, 1.959964
	n = p * (1 - p) / ((squares * (1 - p) ** 2 + rest * p ** 2) / total ** 2)
	middle, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
	low, high = [100 * x / (1 + z * z / n) for x in (middle - half, middle + half)]
	assert f["right"]["samples"] == 10 and f["right"]["percent"] == 50, f
	assert abs(f["right"]["low"] - low) < 1e-4 and abs(f["right"]["high"] - high) < 1e-4, (f, low, high)
	END
	agrees 15 -i weighted
}

@test "every number is that of --json" {
	for f in ran plain; do
		agrees 20 --kallsyms plain.kallsyms -i $f
		agrees 5 --kallsyms plain.kallsyms -i $f --time ,1.06
		agrees 5 --kallsyms plain.kallsyms -i $f -S work,right
		agrees 5 --kallsyms plain.kallsyms -i $f -S work --percentage relative
		agrees 5 --kallsyms plain.kallsyms -i $f -C 0 --comm prog
		agrees 5 --kallsyms plain.kallsyms -i $f --percent-limit 20
	done
	agrees 10 -i flat
	agrees 10 -i events
	for kind in tree crowd memory counters history cgroup; do
		"$DIR/make-samples" $kind $kind
		# samples are counted, also where branches were recorded
		agrees 10 -i $kind --no-branch-stack
	done
	agrees 10 -i live
	agrees 10 -i live --no-inline
	agrees 5 -i live --max-stack 3
	agrees 5 -i live --no-call-graph
}

@test "never more than so many bytes, in whole lines that belong together" {
	report plain --brief=100K >all
	for size in 512 513 600 700 800 1000 1024 1200 1500 2k 3000 4096; do
		report plain --brief=$size >got
		bytes=$(numfmt --from=iec "${size^^}")
		[ "$(wc -c <got)" -le "$bytes" ]
		[ "$(tail -c1 got | od -An -c | tr -d ' ')" = '\n' ]
		[[ "$(head -1 got)" == "truth: "* ]]
		[ "$(wc -l <got)" -ge 5 ]
		[ "$bytes" -lt 1200 ] || [ -z "$(grep -vxFf all got)" ]
	done
	# there is more with more room
	[ "$(report plain --brief=512 | wc -l)" -lt "$(report plain --brief=1200 | wc -l)" ]
	report plain --brief=4096 | cmp - <(report plain --brief)
	for size in 512 1024 4096; do
		"$PERF" report -i live --brief=$size >got
		[ "$(wc -c <got)" -le $size ]
		[ "$(wc -c <got)" -ge $((size / 4)) ] || [ "$size" -gt 512 ]
	done
}

@test "the same bytes each time, on any number of threads" {
	"$DIR/make-samples" crowd crowd
	for f in crowd live events plain; do
		report $f --brief >one
		report $f --brief | cmp - one
		for n in 1 2 4; do
			PERF_WORKERS=$n "$PERF" report --kallsyms plain.kallsyms -i $f --brief | cmp - one
		done
	done
}

@test "several events: each has its lines, the fifth is only counted" {
	"$PERF" report -i events --brief >got
	[[ "$(sed -n 2p got)" == "cpu-clock"*" samples, "*" s, 95% intervals in brackets" ]]
	grep -q '^page-faults' got
	grep -q '^paths of cpu-clock.*:$' got
	# each fault was counted, so nothing is left to chance
	[ -z "$(grep '^page-faults' got | grep intervals)" ]
	"$PERF" record -q -e task-clock:u,cpu-clock:u,page-faults:u,minor-faults:u,page-faults -c 1000 -o five ./planted faults
	"$PERF" report -i five --brief | grep -qx '1 more event: --json has their paths'
	agrees 10 -i five
}

@test "without call chains: functions, and how to get chains" {
	"$PERF" report -i flat --brief >got
	[ "$(grep -c 'tokenize_input' got)" -ge 2 ]
	grep -qx 'next: perf record -g COMMAND shows who called these functions' got
	run ! grep -q -e '-g caller' got
	"$PERF" report -i flat --json | jq -e '[.paths[0].functions[].name] | index("tokenize_input") != null'
}

@test "names that try to control the terminal are made harmless, and all of it is UTF-8" {
	type objcopy >/dev/null || skip "no objcopy (Debian package binutils)"
	mkdir -p d
	"$DIR/make-hostile" d
	for size in 512 4096; do
		"$PERF" report -i d/perf.data --brief=$size >out 2>/dev/null
		"$DIR/make-hostile" --check-text out
		iconv -f utf-8 -t utf-8 out >/dev/null
		[ "$(wc -c <out)" -le $size ]
	done
	grep -q 'x1b\]0' out
	# of a file whose path is as bad; what is made harmless counts
	bad=$(printf 'd/\033]0;x\007\nFORGED\377')
	cp d/perf.data "$bad"
	for size in 512 4096; do
		"$PERF" diff -s comm,symbol --brief=$size d/perf.data "$bad" >out 2>/dev/null
		"$DIR/make-hostile" --check-text out
		iconv -f utf-8 -t utf-8 out >/dev/null
		[ "$(wc -c <out)" -le $size ]
	done
	grep -q 'truth of .*x1b\]0;x.x07.x0aFORGED.xff: ' out
	"$PERF" report -i "$bad" --brief >out 2>/dev/null
	"$DIR/make-hostile" --check-text out
	iconv -f utf-8 -t utf-8 out >/dev/null
	# a byte that is no UTF-8, and a name of many letters that take two bytes each
	name=$(printf 'é%.0s' {1..200})
	cat >odd.c <<-END
	void hot(void) __asm__("$name");
	void hot(void) { }
	void byte(void) __asm__("bXte");
	void byte(void) { }
	int main(void) { hot(); byte(); }
	END
	gcc -O0 -fPIE -pie odd.c -o odd
	printf 'run 6 1000000 %s main\nrun 4 1000000 bXte main\n' "$name" | "$DIR/make-offcpu" "$PWD/odd" long
	LC_ALL=C sed -i 's/bXte/b\xffte/g' odd
	"$PERF" report -i long --brief >out
	iconv -f utf-8 -t utf-8 out >/dev/null
	[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 250 ]
	grep -q 'éé\.\. 60.0%' out
	grep -q 'b\\xffte 40.0%' out
	agrees 5 -i long
}

@test "no samples: the digest says so" {
	"$PERF" record -q -e page-faults:u -c 1000000000 -o empty true 2>/dev/null
	run -0 --separate-stderr "$PERF" report -i empty --brief
	[ "$output" = $'truth: 0 lost\nno samples' ]
	[[ "$stderr" == *"has no samples"* ]]
	agrees 1 -i empty
	run -0 --separate-stderr "$PERF" report -i flat --brief --comm nobody
	[ "${lines[-1]}" = "no samples" ]
	agrees 1 -i flat --comm nobody
	run -0 --separate-stderr "$PERF" report -i flat --brief --time 0,1
	[ "${lines[-1]}" = "no samples" ]
}

@test "a damaged file: what can be read, and status 1" {
	head -c $(($(wc -c <events) * 2 / 3)) events >cut
	run --separate-stderr "$PERF" report -i cut --brief
	[ "$status" -eq 1 ]
	[ -n "$stderr" ]
	[ "${#output}" -le 4096 ]
	run -1 --separate-stderr "$PERF" report -i /dev/null --brief
	[ -z "$output" ]
}

@test "from standard input" {
	"$PERF" record -q -e cpu-clock:u -F 1000 -g -o - ./planted two >piped
	"$PERF" report -i - --brief <piped >got
	[[ "$(sed -n 3p got)" == "  hot: "*"tokenize_input"* ]]
	"$PERF" report -i piped --brief >file
	diff <(grep -v ^next got) <(grep -v ^next file)
}

@test "it has a form of its own, and does not take the short form of another option" {
	for other in --json --folded --flamegraph=- --header --header-only --stats --tasks --mmaps -D --tui --total-cycles \
		--threads --hierarchy --samples=2 --branch-history -b -t, '-s comm' '-F sym'; do
		# shellcheck disable=SC2086
		run -129 "$PERF" report -i flat --brief $other
		[[ "$output" == "error: --brief and -"*" exclude each other"* ]]
	done
	for bad in 0 511 x -1 1.5 ''; do
		run -129 "$PERF" report -i flat --brief="$bad"
		[[ "$output" == "error: option '--brief'"*"bytes"* ]]
	done
	run -129 "$PERF" report -i flat --brief 600
	[[ "$output" == *"hint: --brief=600"* ]]
	# the last one counts, and a symbol is a filter
	"$PERF" report -i flat --brief=600 --no-brief --stdio | grep -q '^# Overhead'
	"$PERF" report -i flat --brief tokenize | sed -n 3p | grep -q '^  hot: tokenize_input'
	for short in --branch-s --branch-h; do
		run ! "$PERF" report -i flat $short
		[[ "$output" != *ambiguous* ]]
	done
	# settings of tables do not touch it
	printf '[report]\nsort_order = dso\nchildren = false\n' >config
	PERF_CONFIG=$PWD/config "$PERF" report -i flat --brief | cmp - <("$PERF" report -i flat --brief)
	run -3 --separate-stderr "$PERF" report -i flat --brief --require 'samples<1'
	[[ "$output" == "truth: "* ]]
	[[ "$stderr" == "error: 'samples<1' does not hold"* ]]
}

@test "on a terminal it is plain text" {
	PAGER=cat python3 - "$PERF" <<-'END'
	import os, pty, sys
	pid, fd = pty.fork()
	if not pid:
	    os.execv(sys.argv[1], ["perf", "report", "-i", "flat", "--brief"])
	out = b""
	while True:
	    try:
	        piece = os.read(fd, 4096)
	    except OSError:
	        break
	    if not piece:
	        break
	    out += piece
	assert os.waitpid(pid, 0)[1] == 0
	assert out.startswith(b"truth: ") and b"\x1b" not in out, out
	END
}

@test "tables without places have no paths" {
	"$PERF" report -i flat -s comm --json | jq -e '.paths == null'
	"$DIR/make-samples" branches branches
	"$PERF" report -i branches --json | jq -e '.paths == null'
	"$PERF" report -i flat --json | jq -e '.paths[0] | .event == "cpu-clock:u" and .level == 0.95 and .of == .period'
}

@test "diff: the rows that changed beyond chance, as the table has them, and how many" {
	sed 's/^run 60/run 20/; s/^run 5 /run 50 /' lines | "$DIR/make-offcpu" "$PWD/prog" other
	changed() {
		"$PERF" diff --kallsyms plain.kallsyms "$@" plain other
	}
	for options in '' '-s symbol' '-c ratio' '-c delta' '-c wdiff:1,2' '--confidence=99.9' '-d prog'; do
		# shellcheck disable=SC2086
		changed $options --brief >got
		# shellcheck disable=SC2086
		changed $options >table
		# "DIFFERENCE INTERVAL" of the rows that changed, event by event
		sed -nE 's/^ +[0-9.]+% +([^ ]+) +(\[[^]]*\]) .*/\1 \2/p; s/^ +([^ ]+) +(\[[^]]*\]) .*/\1 \2/p' table >want
		sed -nE 's/^  ([^ ]+) (\[[^]]*\])  .*/\1 \2/p' got >have
		diff want have
		[ "$(sed -nE 's/^[^ ].*; ([0-9]+) of .*/\1/p' got | paste -sd+ | bc)" -eq "$(wc -l <have)" ]
		[ "$(sed -nE 's/.*  was ([0-9.]+%)  .*/\1/p' got | sort)" = \
			"$(sed -nE 's/^ +([0-9.]+%) +[^ ]+ +\[.*/\1/p' table | sort)" ]
	done
	changed --brief >got
	grep -qE '^cpu-clock: 100 and 105 samples; [1-4] of 4 rows changed \(95% confidence\), the others had [0-9.]+% of the baseline$' got
	grep -qE '^  -[0-9.]+% \[.*\]  was 60.00%  prog +\[\.\] leaf$' got
	[ "$(head -1 got)" = "truth of plain: $(report plain --stdio | sed -n 's/^# Truth: //p' | head -1)" ] ||
		[[ "$(head -1 got)" == "truth of plain: "* ]]
	for size in 512 700 4096; do
		[ "$(changed --brief=$size | wc -c)" -le $size ]
	done
	"$PERF" diff --kallsyms plain.kallsyms --brief plain plain >got
	grep -qx 'cpu-clock: 100 and 100 samples; 0 of 4 rows changed (95% confidence), the others had 100.00% of the baseline' got
	for n in 1 2 4; do
		PERF_WORKERS=$n changed --brief | cmp - <(changed --brief)
	done
}

@test "diff --brief: what excludes it, and short forms that it does not take" {
	for other in -D --stream -t, --formula --period --no-confidence '-o 0'; do
		# shellcheck disable=SC2086
		run -129 "$PERF" diff --brief $other plain plain
		[[ "$output" == "error: --brief and -"*" exclude each other"* ]]
	done
	run -129 "$PERF" diff --brief=9 plain plain
	[[ "$output" == "error: option '--brief': 9 bytes are too few"* ]]
	"$PERF" diff --b plain plain 2>/dev/null | cmp - <("$PERF" diff --baseline-only plain plain 2>/dev/null)
	run -3 --separate-stderr "$PERF" diff --brief --require 'samples<1' plain plain
	[[ "$output" == "truth of plain: "* ]]
	run -1 "$PERF" diff --brief plain nothing
}

@test "what was planted is named in the first five lines" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$DIR/../trials/run" --perf "$PERF" --programs "inlined recursion syscalls contention" brief
}
