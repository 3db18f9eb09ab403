#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf report on files that Debian's perf records here and now, one of them with chosen samples; where it can,
# compared with that perf's own report of the same file.
bats_require_minimum_version 1.5.0

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/work.c" <<-'EOF'
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	#define N __attribute__((noinline))
	static volatile unsigned long x;
	N void leaf(int n) { for (int i = 0; i < n; i++) x += i; }
	N void kern(int n) { for (int i = 0; i < n; i++) syscall(SYS_getppid); }
	N void again(int d) { if (d) { again(d - 1); x++; } else leaf(20000); leaf(2000); }
	N void left(int n) { leaf(n); kern(n / 200); x++; }
	N void right(void) { again(4); left(15000); x++; }
	int main(void)
	{
		clock_t end = clock() + CLOCKS_PER_SEC / 2;

		while (clock() < end) { left(45000); right(); }
	}
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-plt -o "$FILES/work" "$FILES/work.c"
	cd "$FILES"
	"$RIVAL" record -q -e '{cpu-clock,page-faults}' -F 999 --sample-cpu -o group \
		sh -c 'for i in 1 2 3; do ls -lR /usr/share/doc; done' >/dev/null
	"$RIVAL" record -q -e sched:sched_process_exec -e sched:sched_process_exit -o traces \
		sh -c 'true; /bin/true; /bin/true'
	# Which of two equal branches or rows the rival draws first depends on addresses inside of it, so what
	# was sampled is chosen: no two that are drawn together have the same count.
	"$RIVAL" record -q -e cpu-clock -F 1999 -g -o live ./work
	"$BATS_TEST_DIRNAME/set-samples" live work chains <<-'EOF'
	421 leaf left main _start
	163 leaf again again again again again right main _start
	19 leaf again again again again right main _start
	17 leaf again again again right main _start
	13 leaf again again right main _start
	11 leaf again right main _start
	9 again again again right main _start
	3 again again right main _start
	6 again right main _start
	97 leaf left right main _start
	31 kern left main _start
	23 k:__x64_sys_getppid|__arm64_sys_getppid|sys_getppid k:do_syscall_64|el0_svc|schedule kern left main _start
	37 k:do_syscall_64|el0_svc|schedule kern left main _start
	7 k:__x64_sys_getppid|__arm64_sys_getppid|sys_getppid k:do_syscall_64|el0_svc|schedule kern left right main _start
	5 k:do_syscall_64|el0_svc|schedule kern left right main _start
	2 kern left right main _start
	8 left main _start
	4 left right main _start
	12 right main _start
	14 main _start
	1 k:schedule main _start
	EOF
}

setup() {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	cd "$FILES"
}

# Rows as a set: no comments, blanks squeezed.
rows() {
	grep -v '^#' | sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//' | grep . | LC_ALL=C sort
}

# same FILE OPTION...: both perfs print the same text but for the tip, and for what
# tests/differences has as report-rest-inlined, report-return-address and report-chain-inlines.
same() {
	local file=$1
	shift
	"$RIVAL" report --stdio -i "$file" "$@" 2>/dev/null | grep -v '^# (Tip' |
		sed 's/\[\.\.\.\] (inlined)$/[...]/' >theirs
	"$PERF" report --stdio --no-call-sites --no-inline -i "$file" "$@" | grep -v '^# (Tip' | sed '/^# Truth: /,+1d' |
		sed '/^user stacks:$/,$d' >ours # report-stats-stacks
	diff -u theirs ours
}

# The same but for the widths of columns: report-limit-widths.
same_limited() {
	same "$@" >/dev/null || diff -u <(unaligned theirs) <(unaligned ours)
}
unaligned() {
	sed -E '/^(# (Overhead|Children|\.\.)| +[0-9.]+%  )/{ s/\.\.+/../g; s/  +/  /g; s/ +$//; }' "$1"
}

# same_fields FILE OPTION...: with -t: 6.1 fills the cells up with blanks, ours does not.
same_fields() {
	local file=$1
	shift
	"$RIVAL" report --stdio -i "$file" "$@" 2>/dev/null | grep -v '^# (Tip' |
		sed -E '/^# To/!{ s/^ +//; s/ *, */,/g; s/ +$//; }' >theirs
	"$PERF" report --stdio --no-call-sites -i "$file" "$@" | grep -v '^# (Tip' | sed '/^# Truth: /,+1d' >ours
	diff -u theirs ours
}

# same_rows FILE OPTION...: the same set of rows.
same_rows() {
	local file=$1
	shift
	"$RIVAL" report --stdio -i "$file" "$@" 2>/dev/null | rows >theirs
	"$PERF" report --stdio --no-call-sites --no-inline -i "$file" "$@" | rows >ours
	[ -s ours ] && diff -u theirs ours
}


@test "rows without children are the rival's, to the integer" {
	same chains --no-children -g none
	same chains --no-children -g none -F overhead,sample,period,comm,dso,sym
	same chains --no-children -g none -n --show-total-period
	same chains --no-children -g none -s comm
	same chains --no-children -g none -s sym,dso
}

@test "children are totalled once however often a function recurs" {
	"$PERF" report --stdio -i chains -g none -F overhead_children,overhead,sym >ours
	grep -E '\[\.\] again$' ours
	awk '$1 ~ /%$/ && $1 + 0 > 100 { print; bad = 1 } END { exit bad }' ours
	same_rows chains -g none -F overhead_children,overhead,sample,sym --percent-limit 1
}

# Which of two equal branches comes first depends on addresses inside the rival, so text is
# compared where branches are large, and sets of lines where they are small.
same_lines() {
	local file=$1
	shift
	# addresses outside of all maps: report-unmapped-mark
	"$RIVAL" report --stdio -i "$file" "$@" 2>/dev/null | sed 's/ (inlined)$//' | tr '|' ' ' | rows |
		grep -vF '[unknown]' >theirs
	"$PERF" report --stdio --no-call-sites --no-inline -i "$file" "$@" | tr '|' ' ' | rows | grep -vF '[unknown]' >ours
	[ -s ours ] && diff -u theirs ours
}

@test "call chains: graph, fractal, flat, folded, both directions" {
	for order in callee caller; do
		for mode in graph flat folded; do
			same_lines chains --no-children -g "$mode,0.5,$order" --percent-limit 1
			same_lines chains --children -g "$mode,0.5,$order" --percent-limit 1
		done
		same_lines chains --no-children -g "fractal,0.5,$order" --percent-limit 0.5
		same_limited chains --no-children -g "graph,0.5,$order" --percent-limit 6
		same_limited chains --children -g "graph,0.5,$order" --percent-limit 6
		same_limited chains --no-children -g "fractal,0.5,$order" --percent-limit 20
	done
	same_limited chains --no-children -g graph,0.5,count --percent-limit 6
	same_limited chains --no-children -g graph,0.5,period --percent-limit 6
	same_limited chains --no-children -g graph,1,2 --percent-limit 6
	same_limited chains --no-children -G --percent-limit 6
	same_limited chains -s sym --percent-limit 6
}

@test "a chain's counts add up to the row's samples" {
	"$PERF" report --stdio -i chains --no-children -c work -s comm -n -g folded,0,count,callee >ours
	total=$(awk '/^ .*work/ { print $2 }' ours)
	sum=$(awk '/^[0-9]+ / { n += $1 } END { print n }' ours)
	[ "$total" -gt 100 ]
	[ "$total" -eq "$sum" ]
}

@test "the parent key and its filter" {
	same_limited chains --no-children -g none -p '^again$' --percent-limit 1
	same_limited chains --no-children -g none -x -p '^again$' --percent-limit 1
}

@test "rows that depend on chains are the same where chains are not shown" {
	for options in "-s sym --ignore-callees=^again$" "-s sym,parent -p ^again$" "-s sym -x -p ^again$" "-s sym"; do
		# shellcheck disable=SC2086 # words
		for mode in none fractal,99; do
			"$PERF" report --stdio --no-children -q -i chains -g $mode $options |
				grep -E '^ +[0-9.]+% .*\[[.k]\]' >$mode
		done
		[ -s none ]
		diff none fractal,99
	done
	"$PERF" report --stdio --no-children -q -i chains -g none -s sym --ignore-callees='^again$' >without
	"$PERF" report --stdio --no-children -q -i chains -g none -s sym >all
	run ! diff -q without all
}

# caller() ends with a call that does not return, so behind that call after() begins.
@test "callers are named by their calls, or by the return address itself" {
	cat >noreturn.c <<-'EOF'
	#include <stdlib.h>
	#include <time.h>
	#define N __attribute__((noinline, noipa))
	static volatile unsigned long x;
	__attribute__((noreturn)) N void spin(void)
	{
		for (int i = 0; i < 100000000 || clock() < CLOCKS_PER_SEC / 20; i++) x += i;
		exit(0);
	}
	N void caller(void) { x++; spin(); }
	N void after(void) { x++; }
	int main(int argc, char **argv) { if (argc > 1) after(); caller(); }
	EOF
	gcc -O1 -fno-omit-frame-pointer -falign-functions=1 -fno-plt -fno-toplevel-reorder -o noreturn noreturn.c
	"$RIVAL" record -q -e cpu-clock -F 1999 -g -o calls ./noreturn
	"$PERF" report --stdio -i calls --no-children -s sym -g folded,0,caller,count >ours
	grep -qE ';caller;spin$' ours
	run ! grep -E '(^|[ ;])after(;|$)' ours
	"$PERF" report --stdio -i calls --no-children -s sym -g folded,0,caller,count --no-call-sites >ours
	grep -qE ';after;spin$' ours
	run ! grep -E '(^|[ ;])caller(;|$)' ours
	same_lines calls -g none
	"$PERF" script -i calls -F ip,sym >ours
	grep -qE '^[[:space:]]*[0-9a-f]+ after$' ours
	"$PERF" script -i calls -F ip,sym --call-sites >ours
	grep -qE '^[[:space:]]*[0-9a-f]+ caller$' ours
	run ! grep -E '^[[:space:]]*[0-9a-f]+ after$' ours
}

@test "filters" {
	same chains --no-children -g none -S leaf
	same chains --no-children -g none -S leaf,again
	same chains --no-children -g none --symbol-filter=ea
	same chains --no-children -g none -d work
	same chains --no-children -g none -S kern --percentage relative
	same_rows group -c ls -s comm,dso --no-group
	cpu=$("$PERF" report --stdio -i group -q --no-group -s cpu | awk '/%/ { print $2 + 0; exit }')
	same_rows group -C "$cpu" -s cpu --no-group
	pid=$("$PERF" report --stdio -i chains -q --no-children -g none -s pid |
		sed -nE 's/.* ([0-9]+):work *$/\1/p')
	same chains --no-children -g none --pid "$pid"
	same chains --no-children -g none --tid "$pid"
	printf 'leaf\nagain\n' >names
	same chains --no-children -g none -S file://names
	diff <("$PERF" report --stdio -i chains -q -S kern,file://names) <("$PERF" report --stdio -i chains -q -S kern,leaf,again)
	run "$PERF" report -i chains -d file://nothing
	[ "$status" -eq 129 ]
	[[ "$output" == *"--dsos: cannot read 'nothing'"* ]]
	run --separate-stderr "$PERF" report --stdio -i chains --no-children -q -g none -c nobody
	[ "$status" -eq 0 ]
	[ -z "$(echo "$output" | rows)" ]
}

@test "time: slices of the whole and seconds" {
	same chains --no-children -g none --time 10%/2
	same chains --no-children -g none --time 0%-10%,30%-40%
	first=$("$PERF" report -i chains --header-only | sed -n 's/^# time of first sample : //p')
	same chains --no-children -g none --time "$first,$(echo "$first" | awk '{ print $1 + 0.1 }')"
	run "$PERF" report -i chains --time 20%/9
	[ "$status" -eq 129 ]
	[[ "$output" == *"invalid time range '20%/9'"* ]]
}

@test "key tid: the threads that the samples name, each with its count" {
	"$RIVAL" record -q -e cpu-clock -F 999 -o threads "$PERF" test -w thloop 1 2>/dev/null
	"$PERF" report -i threads --stdio -n -s tid --no-children |
		awk '/%/ { print $3, $2 }' | sort >ours
	"$RIVAL" script -i threads -F tid 2>/dev/null | sort | uniq -c | awk '{ print $2, $1 }' | sort >theirs
	[ "$(wc -l <theirs)" -ge 2 ]
	diff ours theirs
	# without the name of the command
	"$PERF" report -i threads --stdio -F tid | grep -qx '#     Tid'
}

@test "stacks of --call-graph dwarf: callers in user space, and -v says which stacks end early" {
	# large enough for the stacks of the dynamic linker, too
	"$RIVAL" record -q -e cpu-clock --call-graph dwarf,8192 -F 499 -o stacks ./work 2>/dev/null
	"$PERF" report -i stacks --stdio -G -s comm | grep -q ' main'
	"$PERF" report -i stacks --stdio --no-children -g caller -s comm | grep -q ' main'
	[ -z "$("$PERF" report -i stacks --stdio 2>&1 >/dev/null | grep 'user stacks')" ]
	# as much stack as the innermost frame needs, and no more
	"$RIVAL" record -q -e cpu-clock:u --call-graph dwarf,8 -F 999 -o short ./work 2>/dev/null
	"$PERF" report -i short -v --stdio 2>&1 >/dev/null | grep -q 'user stacks end early in .*too small'
}

@test "keys cpu, pid, socket, weights, latencies" {
	for key in cpu pid socket local_weight,weight local_ins_lat,ins_lat cgroup time; do
		same_rows group --no-group -s "$key"
	done
	same_rows chains --no-children -g none -s sym,pid
}

@test "columns: separator, widths, quiet, percent limit" {
	same_fields chains --no-children -g none -t,
	same_fields chains --no-children -g none -t, -n -s comm,sym
	same_rows chains --no-children -g none -w 5,10,8,7 # see report-widths
	same chains --no-children -g none -q
	same_limited chains --no-children -g none --percent-limit 20
	same_limited chains --percent-limit 20
	same_limited chains -g none -s +cpu --percent-limit 1
}

@test "a group is one table with a column for each event" {
	same_rows group -s dso
	"$PERF" report --stdio -i group -s comm >ours
	grep -q "of events 'anon group { cpu-clock, page-faults }'" ours
	"$PERF" report --stdio -i group --no-group -s comm >ours
	[ "$(grep -c '^# Samples' ours)" -eq 2 ]
}

@test "hierarchy: one key below the other" {
	same chains --hierarchy -s comm,dso,sym --percent-limit 2 -g none
	same chains --hierarchy -s dso,sym --percent-limit 8
	same chains --hierarchy -s '{comm,pid},sym' -n -g none
	same group --hierarchy -s comm,dso -n --show-total-period
	# a level that is alike in all rows keeps its name
	same chains --hierarchy -s comm,dso,sym --comms work --percent-limit 2 -g none
	# levels add up
	"$PERF" report -q --stdio -i chains --hierarchy -s dso,sym -n -g none -t, |
		awk -F, '/^   /{ low += $2; next } NF { high += $2 } END { exit !(high > 100 && high == low) }'
	run "$PERF" report -i chains --hierarchy -F overhead
	[ "$status" -eq 129 ]
	[[ "$output" == *"--hierarchy and --fields exclude each other"* ]]
	run "$PERF" report -i chains --hierarchy -s '{comm,pid'
	[ "$status" -eq 129 ]
	[[ "$output" == *"has a '{' without its '}'"* ]]
}

@test "callees that are ignored count for their caller" {
	same_limited chains --no-children --ignore-callees '^right$' -n -g callee,0.5 --percent-limit 20
	same_limited chains --no-children --ignore-callees '^again$' -g callee,0.5 --percent-limit 20
	"$PERF" report --stdio -i chains --no-children -g none --ignore-callees '^main$' -s sym -q |
		grep -q '^ *[0-9.]*%  \[.\] main$'
	run "$PERF" report -i chains --ignore-callees '['
	[ "$status" -ne 0 ]
	[[ "$output" == *"invalid --ignore-callees pattern '['"* ]]
}

@test "the event of a group that is sorted by" {
	same_rows group -s comm --group-sort-idx 1
	"$PERF" report --stdio -q -i group -s dso -t, --group-sort-idx 1 | grep . | cut -d, -f2 | tr -d % >shares
	sort -rn shares | diff shares -
}

@test "the raw dump as records lie in the file" {
	"$PERF" report -D -i chains --disable-order | grep -o '^0x[0-9a-f]*' >places
	[ "$(wc -l <places)" -gt 100 ]
	awk '{ print strtonum($1) }' places >numbers 2>/dev/null || printf '%d\n' $(cat places) >numbers
	sort -n numbers | diff -q numbers -
}

@test "tracepoints alone are told apart by their text" {
	same traces
	same traces -s comm
	"$PERF" report --stdio -i traces | grep -q 'Trace output'
}

@test "header, stats, tasks, raw dump" {
	same chains --header -g none --no-children
	same chains --header-only
	same chains --stats
	same_rows chains --tasks
	"$PERF" report -i chains --mmaps | grep -qE 'r-xp [0-9a-f]{8} [0-9]+ .*/work$'
	# A round's end may come before or after samples of the same time.
	dump() { "$1" report -D -i chains 2>/dev/null | grep '^[0-9].*PERF_RECORD_' | sort; }
	dump "$RIVAL" | sed 's/: unhandled!$//' >theirs
	dump "$PERF" >ours
	diff <(grep -v FINISHED theirs) <(grep -v FINISHED ours)
}

@test "the same bytes from 1, 2 and 7 workers" {
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 8000 --chains 5000 --functions 100 many >/dev/null
	for options in "" "--no-children" "--no-children -g caller" "-g callee" "-g flat -s comm,sym" "-g folded,0 -s sym" \
		"-g fractal,2 -s pid" "-g address,caller" "-s addr -g none" "--hierarchy -s comm,sym" "--json" "--folded" \
		"-p work_1 -s parent,comm" "-s place" "-s place,sym --no-children" "-x -p work_1." "--samples 3" "--samples 2 -p work_1 -s parent,comm" "--samples 2 --ignore-callees work_5 -s sym --json" "-S work_3,work_4" "--ignore-callees work_5" "-s cpu,time" "-F period,sym"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" report --stdio -i many $options 2>/dev/null >"ours.$n"
		done
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
	for options in "" "--no-children" "-g callee" "-s comm,cpu -g folded" "-s addr" "-s type,sym" "-s symoff,pid"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" report --stdio -i chains $options >"ours.$n"
		done
		cmp ours.1 ours.2
		cmp ours.1 ours.7
		PERF_WORKERS=7 "$PERF" report --stdio -i group $options -g none >ours.7
		PERF_WORKERS=1 "$PERF" report --stdio -i group $options -g none >ours.1
		cmp ours.1 ours.7
	done
}

@test "the outermost function has all of each task and command, of many chains and of few" {
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 3000 --chains 1500 --processes 200 tasks >/dev/null
	for key in pid comm; do
		"$PERF" report --stdio -i tasks --children -g none -s $key,sym -F overhead_children,$key,sym -t '|' 2>/dev/null |
			sed -n 's/|\[\.\] main$//p' | sort >outermost
		"$PERF" report --stdio -i tasks --no-children -g none -s $key -F overhead,$key -t '|' 2>/dev/null |
			grep -v '^#' | grep . | sort >whole
		[ "$(wc -l <whole)" -ge 7 ]
		diff outermost whole
	done
}

@test "a stream from a pipe" {
	"$RIVAL" record -q -e cpu-clock -F 999 -g -o - ./work 2>/dev/null >stream
	"$PERF" report --stdio -i - -s comm -n --no-children -g none <stream >ours
	"$RIVAL" report --stdio -i - -s comm -n --no-children -g none <stream >theirs 2>/dev/null
	[ "$(rows <ours)" = "$(rows <theirs)" ]
	[ -n "$(rows <ours)" ]
}

@test "leader sampling: the members' counts are differences of what was read" {
	"$RIVAL" record -q -e '{cpu-clock,page-faults}:S' -F 999 -o reads ./work
	same_rows reads -s comm -n --show-total-period
}

@test "a recording without samples is a warning, not a failure" {
	"$RIVAL" record -q -e sched:sched_kthread_stop -o nothing true
	run "$PERF" report --stdio -i nothing
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: 'nothing' has no samples"* ]]
	run "$PERF" report --stdio -i chains -c nobody
	[[ "$status" -eq 0 && "$output" == *"warning: no sample of 'chains' passes the filters"* ]]
	run "$PERF" report --stdio -i chains --time 1,2
	[[ "$output" == *"warning: no sample of 'chains' is from the requested CPUs, times and tasks"* ]]
	run "$PERF" report --stdio -i chains -s nothing
	[[ "$output" == *" typecln"*" op cache memory dtlb" ]]
}

@test "mistakes are named, with what to do" {
	run "$PERF" report -i nowhere
	[ "$status" -eq 1 ]
	[[ "$output" == "error: "*nowhere* ]]
	run "$PERF" report -i chains -s simbol
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown --sort key 'simbol'"*"did you mean 'symbol'"* ]]
	run "$PERF" report -i chains -g sideways
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown call graph setting 'sideways'"* ]]
	run "$PERF" report -i group -g caller
	[ "$status" -ne 0 ]
	[[ "$output" == *"no call chains"*"perf record -g"* ]]
	run "$PERF" report -i chains --percentage half
	[ "$status" -eq 129 ]
	run "$PERF" report -i chains --percent-limit x
	[ "$status" -eq 129 ]
}

@test "call chains with impossible entries: a few are said with -v alone, many always" {
	"$PERF" record -q -g -F 2000 -e cpu-clock:u -o whole "$PERF" test -w noploop 1
	cat >spoil.py <<-'END'
	import struct, sys
	every = int(sys.argv[1])
	d = bytearray(open("whole", "rb").read())
	user, at, n = struct.pack("<Q", 2**64 - 512), 0, 0
	while (at := d.find(user, at)) >= 0:
	    if n % every == 0:
	        d[at + 8:at + 16] = struct.pack("<Q", 2**64 - 100) # among the kernel's markers, and none of them
	    at, n = at + 8, n + 1
	open("spoilt", "wb").write(d)
	sys.exit(n < 200)
	END
	python3 spoil.py 100
	run --separate-stderr -0 "$PERF" report --stdio -i spoilt
	[ -z "$stderr" ] || { echo "$stderr"; return 1; }
	run --separate-stderr -0 "$PERF" report --stdio -v -i spoilt
	[[ "$stderr" == *"invalid call chains were dropped"* ]]
	python3 spoil.py 10
	run --separate-stderr -0 "$PERF" report --stdio -i spoilt
	[[ "$stderr" == *"warning: invalid call chains were dropped"* ]]
}
