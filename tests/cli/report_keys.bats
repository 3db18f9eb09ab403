#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Sort keys and fields of perf report: fields of tracepoints, branches, memory accesses, who ran
# when.  Files that this machine cannot record are written by make-samples.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	local make=$BATS_TEST_DIRNAME/make-samples

	cd "$FILES"
	mkdir program
	"$BATS_TEST_DIRNAME/make-true" program/true
	export PROGRAM=$FILES/program/true
	for kind in branches memory switches transactions namespaces history crowd tree; do
		"$make" $kind $kind
		"$make" --big-endian $kind big-$kind
	done
	"$PERF" record -q -e sched:sched_process_exec -e sched:sched_process_exit -e sched:sched_switch \
		-o traces sh -c 'true; /bin/true; sleep 0.01; /bin/true'
}

setup() {
	cd "$FILES"
}

rows() {
	grep -v '^#' | sed -E 's/ *\| */|/g; s/^ +//; s/ +$//' | grep . | grep -vE '^[A-Z0-9_]+: +[0-9.]+%$' | LC_ALL=C sort
}

# same_rows FILE OPTION...: the same fields in the same rows as Debian's perf.
same_rows() {
	local file=$1
	shift
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	# an empty column that 6.1 adds for the word "symbol": report-ipc-null
	"$RIVAL" report --stdio -t'|' -i "$file" "$@" 2>/dev/null | rows | sed 's/|-      -$//' >theirs
	"$PERF" report --stdio -t'|' -i "$file" "$@" | rows >ours
	[ -s ours ] && diff -u theirs ours
}

ours() { # OPTION...
	"$PERF" report --stdio -q -t'|' "$@" | sed '/^$/,$d'
}

@test "fields of tracepoints" {
	same_rows traces -s next_comm
	same_rows traces -s next_comm,next_pid
	same_rows traces -s sched_process_exec.filename
	same_rows traces -s switch.prev_prio,%1.filename
	same_rows traces -s prev_state/raw
	same_rows traces -s trace_fields
	same_rows traces --raw-trace -s prev_state
	[ "$("$PERF" report --stdio -i traces --raw-trace | grep -c '^# Overhead .* prev_pid .* next_prio$')" -eq 1 ]
	# a column belongs to the tables of its event
	"$PERF" report --stdio -i traces -s next_comm >all
	[ "$(grep -c '^# Overhead  next_comm *$' all)" -eq 1 ]
	# texts begin below each other, numbers end below each other
	"$PERF" report --stdio -i traces -s next_comm,next_pid,prev_comm 2>/dev/null | sed -n '/next_comm/,$p' >texts
	place() { sed -n 1p texts | grep -bo "$1" | cut -d: -f1; }
	grep '%' texts | cut -c$(($(place next_comm) + 1))- >from
	[ "$(grep -c . from)" -ge 2 ]
	run ! grep -q '^ ' from
	grep '%' texts | cut -c$(($(place prev_comm) - 2))- >from
	run ! grep -vqE '^[0-9]  [^ ]' from
	[ "$(grep -c '^# Overhead$' all)" -eq 2 ]
}

@test "fields of tracepoints: events that are not there or not clear" {
	run "$PERF" report -i traces -s sched_process.pid
	[ "$status" -eq 129 ]
	[[ "$output" == *"event 'sched_process' of a sort key can be 'sched:sched_process_exec' or"* ]]
	run "$PERF" report -i traces -s %4.pid
	[ "$status" -eq 129 ]
	[[ "$output" == *"there are 3 events"* ]]
	run "$PERF" report -i traces -s next_com/hex
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown --sort key"* ]]
}

@test "branches: each is a sample at its target" {
	[ "$(ours -b -i branches -F sample,symbol_to | sort)" = "64|[.] 0x00005555eeeed999
64|[.] __stack_chk_fail@plt" ]
	[ "$(ours -b -i branches -F sample,mispredict | LC_ALL=C sort)" = "32|N/A
32|Y
64|N" ]
	[ "$(ours -b -i branches -F sample,abort | sort)" = "64|.
64|A" ]
	[ "$(ours -b -i branches -F sample,in_tx | sort)" = "64|.
64|T" ]
	same_rows branches -b -s cycles -F overhead,sample,cycles
	[ "$(ours -b -i branches -F sample,dso_from)" = "128|true" ]
	[ "$(ours -b -i branches -F sample,dso_to | sort)" = "64|[unknown]
64|true" ]
	[ "$(ours -b -i branches -F sample,addr_from | wc -l)" -eq 64 ]
	[ "$(ours -b -i branches -F sample,addr_to | sort)" = "64|[.] 0x00005555eeeed999
64|[.] __stack_chk_fail@plt" ]
	# found by itself, and not wanted
	"$PERF" report --stdio -i branches | grep -q 'Source Shared Object'
	"$PERF" report --stdio -i branches | grep -q '^ *COND:   6.7%'
	"$PERF" report --stdio -i branches --no-branch-stack | grep -q 'Samples: 64 '
	diff <(ours -b -i branches -n -s cycles,in_tx) <(ours -b -i big-branches -n -s cycles,in_tx)
}

@test "memory accesses count by their weight" {
	# of one column each: 6.1 keeps rows apart that look the same in mem, snoop, tlb, blocked
	for key in symbol_daddr dso_daddr locked dcacheline symbol_iaddr local_weight ins_lat; do
		same_rows memory --mem-mode -s $key -F overhead,sample,$key
	done
	same_rows memory --mem-mode
	total=0
	for i in $(seq 0 70); do
		total=$((total + (i ? i * 3 : 1)))
	done
	"$PERF" report --stdio -i memory --mem-mode | grep -qx "# Total weight : $total"
	"$PERF" report --stdio -i memory --mem-mode | grep -q '^# Sort order   : local_weight,mem,sym,dso'
	ours -i memory --mem-mode -F sample,mem | grep -qx '1|L1 hit'
	ours -i memory --mem-mode -F sample,mem | grep -qx '1|Remote RAM (1 hop)'
	ours -i memory --mem-mode -F sample,snoop | grep -qx '1|HitM'
	ours -i memory --mem-mode -F sample,tlb | grep -qx '2|L1 or L2 hit'
	ours -i memory --mem-mode -F sample,blocked | grep -qx '1|Addr'
	ours -i memory --mem-mode -F sample,data_page_size | grep -q '|2M$'
	ours -i memory --mem-mode -F sample,phys_daddr | grep -qx '1|\[.\] 0x0000000000046000'
	diff <(ours -i memory --mem-mode) <(ours -i big-memory --mem-mode)
}

@test "averages of weights" {
	# 0 + 3 + .. + 210 and 0 + 5 + .. + 350 of 71 samples
	[ "$(ours -i memory -F weight1,weight2,weight3)" = "105.0|175.0|35.0" ]
}

@test "keys of another kind of rows say what they need" {
	run "$PERF" report -i memory -s symbol_from
	[ "$status" -eq 129 ]
	[[ "$output" == *"'symbol_from' is of branch stacks"*"-b"* ]]
	run "$PERF" report -i branches -b -s dcacheline
	[ "$status" -eq 129 ]
	[[ "$output" == *"'dcacheline' is of memory accesses"*"--mem-mode"* ]]
	run "$PERF" report -i memory -b
	[ "$status" -ne 0 ]
	[[ "$output" == *"no branch stacks"* ]]
	run "$PERF" report -i branches --mem-mode
	[ "$status" -ne 0 ]
	[[ "$output" == *"no data addresses"* ]]
	run "$PERF" report -i memory -s parallelism
	[ "$status" -eq 129 ]
	[[ "$output" == *"no context switches"* ]]
	run "$PERF" report -i memory --latency
	[ "$status" -ne 0 ]
	[[ "$output" == *"no context switches"* ]]
}

@test "latency: a sample's share of the time by how many threads ran" {
	# 100 ran alone for 4 samples, then with 101 for 4 (2 of each)
	[ "$(ours -i switches -F sample,parallelism | sort)" = "4|1
4|2" ]
	[ "$(ours -i switches -F overhead,latency,tid | tr -d ' ')" = "75.00%|83.33%|100
25.00%|16.67%|101" ]
	# the records tell that it can be shown, not the recorded command line; 6.1 does not know the column
	"$PERF" report --stdio -i switches -s tid | grep -q '^# Overhead   Latency      Tid'
	same_rows switches -F overhead,pid
	"$PERF" record -q --latency -e cpu-clock -o asked sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
	"$PERF" report --stdio -i asked -s tid | grep -q '^# Overhead   Latency      Tid'
	"$PERF" record -q --switch-events -e cpu-clock -o other sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
	"$PERF" report --stdio -i other -s tid | grep -q '^# Overhead   Latency      Tid'
	"$PERF" record -q -e cpu-clock -o named sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' sh --latency
	"$PERF" report --stdio -i named --header-only | grep -q '^# cmdline : .*--latency'
	"$PERF" report --stdio -i named -s tid | grep -q '^# Overhead      Tid'
	"$PERF" report --stdio -i switches -s tid --latency | grep -q '^#  Latency  Overhead      Tid'
	# the one that --sort names stands alone, and in front, as perf 7.3 has it; rows are in the order of the keys
	head() { "$PERF" report --stdio -i switches "$@" | grep '^#.*Tid' | tr -s ' '; }
	[ "$(head -s tid)" = "# Overhead Latency Tid" ]
	[ "$(head -s tid,overhead)" = "# Overhead Tid" ]
	[ "$(head -s tid,latency)" = "# Latency Tid" ]
	[ "$(head -s tid,latency,overhead)" = "# Overhead Latency Tid" ]
	[ "$(head -s latency,tid --latency)" = "# Latency Overhead Tid" ]
	"$PERF" report --stdio -i switches -s tid,overhead | sed -n 's/^.*%  *\([0-9]\{1,\}\).*/\1/p' >order
	[ "$(wc -l <order)" -gt 1 ]
	sort -n order | diff order -
	[ "$(ours -i switches -F sample,tid --parallelism 2 | tr -d ' ')" = "2|100
2|101" ]
	[ "$(ours -i switches -F sample,tid --parallelism 1 | tr -d ' ')" = "4|100" ]
	run "$PERF" report -i switches --parallelism x
	[ "$status" -eq 129 ]
	diff <(ours -i switches -F overhead,latency,tid) <(ours -i big-switches -F overhead,latency,tid)
	diff <(ours -i switches -F overhead,latency,tid) <(PERF_WORKERS=7 ours -i switches -F overhead,latency,tid)
}

# sum OPTION...: of the periods, which tells the samples: each has a period of its own, see make-samples.
sum() {
	"$PERF" report --stdio -q -i crowd -F period "$@" | tr -d ' \n'
}

@test "filters: each takes its samples and no others" {
	while read -r want options; do
		[ "$(sum $options)" = "$want" ] || { echo "$options: $(sum $options), not $want"; false; }
		[ "$(sum $options)" = "$("$PERF" report --stdio -q -i big-crowd -F period $options | tr -d ' \n')" ]
	done <<-'END'
	127
	48 --pid 200
	79 --pid 100,300
	12 --tid 101
	67 --tid 100,300
	21 -C 0
	21 --cpu 0
	106 -C 1,3-5
	12 -c helper
	60 --comms helper,other
	47 -d true
	16 --dsos none.so
	37 -S __stack_chk_fail@plt
	37 --symbols __stack_chk_fail@plt,main
	37 --symbol-filter=_chk_
	37 -U
	37 --hide-unresolved
	12 --time 1.1,1.18
	124 --time 1.1,
	5 -C 0 --pid 100
	32 -U --pid 200
	END
	[ -z "$(sum --pid 400)" ]
	[ "$(ours -i crowd -F period,time | tr -d ' ')" = "112|1.200000
12|1.100000
3|1.000000" ]
	[ "$(ours -i crowd -F period,time --time-quantum 50ms | tr -d ' ')" = "64|1.250000
48|1.200000
8|1.150000
4|1.100000
2|1.050000
1|1.000000" ]
}

@test "--group: events that were not recorded as one are side by side" {
	[ "$("$PERF" report --stdio -i traces -s comm | grep -c '^# Samples:')" -eq 3 ]
	"$PERF" report --stdio -i traces --group -s comm >together
	[ "$(grep -c '^# Samples:' together)" -eq 1 ]
	"$RIVAL" report --stdio -t'|' --group -i traces -s comm 2>/dev/null | rows | sed -E 's/ +\|?/|/g' >theirs
	"$PERF" report --stdio -t'|' --group -i traces -s comm | rows | diff -u theirs -
}

@test "--skip-empty, -I, --stdio-color: what is around the rows, and how it looks" {
	"$PERF" report --stats -i crowd >short
	"$PERF" report --stats --no-skip-empty -i crowd >long
	grep -qE '^ +SAMPLE events: +7 ' short
	run ! grep -E '^ +(FORK|LOST) events:' short
	[ "$(grep -cE '^ +(FORK|LOST) events: +0 ' long)" -eq 2 ]
	"$PERF" report --stats --no-skip-empty --skip-empty -i crowd | cmp - short
	# what is many lines of the header, and not without being asked for
	"$PERF" report --header-only -i traces >short
	for i in -I --show-info; do
		"$PERF" report --header-only $i -i traces >long
		grep -q '^# sibling sockets' long
		run ! grep -q 'use -I to display' long
	done
	grep -q '^# CPU_TOPOLOGY info available, use -I to display$' short
	run ! grep '^# sibling sockets' short
	"$PERF" report --stdio -q -i crowd -s pid --stdio-color=always | grep -q $'\033\\[31m *50.39%'
	"$PERF" report --stdio -q -i crowd -s pid --stdio-color | grep -q $'\033\\[31m *50.39%'
	"$PERF" report --stdio -q -i crowd --stdio-color always -s pid | grep -q $'\033\\[31m *50.39%'
	for never in --no-stdio-color --stdio-color=never '--stdio-color never'; do
		"$PERF" report --stdio -q $never -i crowd -s pid >plain
		grep -q '50.39%' plain
		run ! grep -q $'\033' plain
	done
	"$PERF" annotate --stdio -i crowd --stdio-color 2>/dev/null | grep -q $'\033\\[31m'
	run ! grep -q $'\033' <("$PERF" annotate --stdio -i crowd 2>/dev/null)
}

@test "--itrace: AUX area data is not decoded, and that is said" {
	python3 - <<-'END'
	import struct
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18).ljust(128, b"\0")
	info = struct.pack("<IHHII", 70, 0, 16, 1, 0)
	head = 104 + len(attr) + 16
	with open("pt", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(info), 0, 0, 1 << 18, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + info)
	    f.write(struct.pack("<QQQ", head + len(info) + 16, 8, 0))
	END
	for option in --itrace --itrace=i100us; do
		run "$PERF" report --stats -i pt $option
		[[ "$output" == *"warning: AUX area data is not decoded: --itrace has no effect"* ]]
	done
	run "$PERF" report --stats -i pt --no-itrace
	[[ "$status" -eq 0 && "$output" != *warning* ]]
	run "$PERF" report --stats -i crowd --itrace
	[[ "$status" -eq 0 && "$output" != *"has no effect"* ]]
}

@test "-f: what is another user's" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	cp crowd theirs
	chown 12345 theirs
	run -1 "$PERF" report --stdio -i theirs
	[[ "$output" == *"is not owned by the current user or root"*"hint: use -f"* ]]
	for f in -f --force; do
		diff <(ours -i theirs $f -s pid) <(ours -i crowd -s pid)
	done
}

@test "keys: head, text, order and sums of each, on samples of which they are known" {
	while IFS='|' read -r key head rows; do
		for file in crowd big-crowd; do
			"$PERF" report --stdio -t'|' -i $file -F "$key,period" >text 2>/dev/null
			[ "$(grep '^# .*|' text)" = "# $head|Period" ] || { echo "$key: head $(grep '^# .*|' text)"; false; }
			got=$(grep -v '^#' text | grep . | tr '\n' ' ' | sed 's/ $//')
			[ "$got" = "$rows" ] || { echo "$key: $got, not $rows"; false; }
		done
	done <<-'END'
	pid|Pid:Command|100:prog|3 101:helper|12 200:other|48 300:lost|64
	tgid|Tgid:Command|100:prog|15 200:other|48 300:lost|64
	tid|Tid|100|3 101|12 200|48 300|64
	comm|Command|helper|12 lost|64 other|48 prog|3
	cpu|CPU|000|21 001|42 005|64
	socket|Socket|-001|127
	local_weight|Local Weight|10|85 20|42
	weight|Weight|40|85 60|42
	local_ins_lat|Local INSTR Latency|100|73 200|18 300|36
	ins_lat|INSTR Latency|300|73 400|18 600|36
	local_p_stage_cyc|Local Pipeline Stage Cycle|1000|85 2000|42
	p_stage_cyc|Pipeline Stage Cycle|4000|85 6000|42
	local_retire_lat|Local Retire Latency|1000|85 2000|42
	retire_lat|Retire Latency|4000|85 6000|42
	cgroup|Cgroup|/a/b|15 unknown|112
	code_page_size|Code Page Size|4K|85 2M|42
	time|Time|1.000000|3 1.100000|12 1.200000|112
	trace|Trace output|N/A|127
	transaction|Transaction||127
	cgroup_id|cgroup id (dev/inode)|0/0x0|127
	ipc_null|IPC   [IPC Coverage]|-      -|127
	dso|Shared Object|[unknown]|64 none.so|16 true|47
	dso_size|DSO size|unknown|64 1048576|63
	symbol_size|Symbol size|unknown|90 16|37
	addr|Address|0x555555556010|10 0x555555556100|101 0x555555d54000|16
	srcline|Source:Line|??:0|64 __stack_chk_fail@plt+0|37 none.so[0]|16 true[2010]|10
	srcfile|Source File||127
	overhead_sys|sys|0.00%|127
	overhead_us|usr|100.00%|127
	sample|Samples|7|127
	overhead|Overhead|100.00%|127
	type|Data Type|(unknown)|127
	END
}

@test "sums of callees, of guests, of the time: each column's own" {
	# as in 6.1 where nothing is totalled: no call chains, or --no-children
	[ "$(ours -i crowd -F overhead_children,overhead,pid | head -1 | tr -d ' ')" = "N/A|50.39%|300:lost" ]
	[ "$(ours -i tree -g none --no-children -F overhead_children,overhead)" = "N/A|100.00%" ]
	"$PERF" report -i tree --no-children --json -F overhead_children,overhead | grep -Eq '"overhead_children": ?null'
	[ "$(ours -i tree -g none -F overhead_children,overhead,sample,sym)" = "100.00%|20.00%|1|[.] 0x0000555555955000
80.00%|80.00%|5|[.] __stack_chk_fail@plt
80.00%|0.00%|0|[.] 0x0000555555956000" ]
	[ "$(ours -i switches -F latency_children,latency,tid | tr -d ' ')" = "N/A|83.33%|100
N/A|16.67%|101" ]
	"$BATS_TEST_DIRNAME/make-samples" guest in-guest
	[ "$(ours -i in-guest -F overhead_guest_sys,overhead_guest_us,overhead_sys,overhead_us,sample 2>/dev/null)" = "100.00%|0.00%|0.00%|0.00%|3" ]
	[ "$(ours -b -i branches -F addr_from,sample | head -2)" = "[.] 0x0000000000002000|2
[.] 0x0000000000002001|2" ]
}

@test "-g: modes, orders, keys, values, limits of a tree of known shares" {
	top=0x555555955000 mid=0x555555956000 plt=__stack_chk_fail@plt
	while IFS='|' read -r form want; do
		got=$("$PERF" report --stdio -q -i tree --no-children -s comm -g "$form" | tail -n +2 | tr -s ' |\n' ' ' | sed 's/^ //; s/ $//')
		[ "$got" = "$want" ] || { echo "$form: '$got', not '$want'"; false; }
		cmp <("$PERF" report --stdio -q -i tree --no-children -s comm -g "$form") \
			<("$PERF" report --stdio -q -i big-tree --no-children -s comm -g "$form")
	done <<-END
	none|
	graph|--80.00%--$plt $mid $top --20.00%--$top
	callee|--80.00%--$plt $mid $top --20.00%--$top
	caller|---$top --80.00%--$mid $plt
	fractal,caller|---$top --80.00%--$mid $plt --20.00%--[...]
	flat|80.00% $plt $mid $top 20.00% $top
	folded|80.00% $plt;$mid;$top 20.00% $top
	folded,caller|80.00% $top;$mid;$plt 20.00% $top
	folded,percent,count|5 $plt;$mid;$top 1 $top
	caller,count|---$top --5--$mid $plt
	caller,period|---$top --24--$mid $plt
	caller,count,percent|---$top --80.00%--$mid $plt
	flat,address|66.67% $plt +8 $mid $top 20.00% $top 13.33% $plt +2 $mid $top
	flat,address,function|80.00% $plt $mid $top 20.00% $top
	caller,address|---$top --80.00%--$mid --66.67%--$plt +8 --13.33%--$plt +2
	caller,address,30|---$top --80.00%--$mid --66.67%--$plt +8
	fractal,caller,address,30|---$top --80.00%--$mid --83.33%--$plt +8 --16.67%--[...] --20.00%--[...]
	caller,address,0,1|---$top --80.00%--$mid --66.67%--$plt +8
	END
	drawn() { "$PERF" report --stdio -q -i tree --no-children -s comm "$@"; }
	cmp <(drawn -G) <(drawn -g caller)
	cmp <(drawn --inverted) <(drawn -g caller)
	run ! cmp -s <(drawn -G) <(drawn)
	# with children callers come first, as in 6.1
	cmp <("$PERF" report --stdio -q -i tree -s comm -g) <("$PERF" report --stdio -q -i tree -s comm -g caller)
	[ -z "$(drawn --no-call-graph | tail -n +2)" ]
	# only the innermost frames are looked at
	[ "$(drawn --max-stack 1 -g folded | tail -n +2 | grep .)" = "80.00% $plt
20.00% $top" ]
	[ "$(drawn --max-stack 2 -g folded | tail -n +2 | grep .)" = "80.00% $plt;$mid
20.00% $top" ]
	# --percent-limit is the threshold of branches, too
	cmp <(drawn -g caller,address --percent-limit 30) <(drawn -g caller,address,30)
}

@test "transactions" {
	same_rows transactions -s transaction -n
	ours -i transactions -s transaction -F sample,transaction | grep -qx '1|TX SYNC CAP-WRITE :2a'
}

@test "cgroup namespaces" {
	same_rows namespaces -s cgroup_id -n
	[ "$(ours -i namespaces -F sample,cgroup_id | sort)" = "1|0/0x0
1|3/0xeffffffb
1|4/0x77" ]
	diff <(ours -i namespaces -F sample,cgroup_id) <(ours -i big-namespaces -F sample,cgroup_id)
	# processes of one namespace make one row
	if [ "$(id -u)" -eq 0 ]; then
		"$PERF" record -q --namespaces -e page-faults -c 1 -o many \
			sh -c 'for i in 1 2 3; do /bin/true; done'
		[ "$("$PERF" report --stdio -q -i many -F cgroup_id | grep -c .)" -eq 1 ]
		same_rows many -s cgroup_id -n
	fi
}

@test "names and numbers: tgid, comm_nodigit, symoff, ns, sizes" {
	[ "$(ours -i switches -F sample,comm_nodigit)" = "8|w<N>-x<N>" ]
	[ "$(ours -i switches -F sample,tgid | tr -d ' ')" = "8|100:w1-x22" ]
	[ "$(ours -i branches --no-branch-stack -F sample,symoff)" = "64|[.] 0x0000000000002010" ]
	ours -b -i branches -F sample,symoff | grep -qx '64|\[.\] __stack_chk_fail@plt+0x0'
	[ "$(ours -i memory -F sample,dso_size,symbol_size)" = "71|1048576|unknown" ]
	ours -i switches -F sample,time --time-quantum 1us | grep -q '|1\.[0-9]\{6\}$'
	ours -i switches -F sample,time --time-quantum 1us --ns | grep -q '|1\.[0-9]\{9\}$'
	same_rows memory -s time --ns
}

@test "only one socket" {
	"$PERF" record -q -e cpu-clock -a -o cpus sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	ours -i cpus -F sample,socket >sockets
	[ -s sockets ]
	while IFS='|' read -r samples socket; do
		ours -i cpus -F sample,dso --socket-filter "$((socket))" |
			awk -F'|' -v all="$samples" '{ n += $1 } END { exit n != all }'
	done <sockets
	run -1 "$PERF" report -i cpus --socket-filter 77
	[[ "$output" == *"no socket 77 in 'cpus'"* ]]
	run -1 "$PERF" report -i switches --socket-filter 0
	[[ "$output" == *"does not say which sockets"* ]]
	run "$PERF" report -i cpus --socket-filter x
	[ "$status" -eq 129 ]
}

@test "samples between two events" {
	# on: from the first exec to the first exit
	ours -i traces -F sample,trace --switch-on sched:sched_process_exec --no-group >rest
	"$PERF" script -i traces -F event >order
	want=$(awk '/sched_process_exec/ && !on { on = 1; next } on && /sched_switch/ { n++ } END { print n + 0 }' order)
	got=$("$PERF" report --stdio -q -t'|' -i traces -F sample --switch-on sched:sched_process_exec |
		awk 'NF { n += $1 } END { print n }')
	all=$(awk '/sched_process_exec/ && !on { on = 1; next } on { n++ } END { print n }' order)
	[ "$got" -eq "$all" ]
	got=$("$PERF" report --stdio -q -t'|' -i traces -F sample --switch-on sched:sched_process_exec \
		--show-on-off-events | awk 'NF { n += $1 } END { print n }')
	[ "$got" -eq $((all + 1)) ]
	off=$(awk '/sched_process_exit/ { exit } { n++ } END { print n }' order)
	got=$("$PERF" report --stdio -q -t'|' -i traces -F sample --switch-off sched:sched_process_exit |
		awk 'NF { n += $1 } END { print n }')
	[ "$got" -eq "$off" ]
	run "$PERF" report -i traces --switch-on nosuch
	[ "$status" -ne 0 ]
	[[ "$output" == *"event 'nosuch'"*"perf evlist"* ]]
}

@test "counters of threads" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	"$RIVAL" record -q -s -e cpu-clock,page-faults -o reads "$PERF" test -w thloop 1 2>/dev/null
	"$RIVAL" report --stdio -i reads -T -s comm 2>/dev/null |
		awk '/^# *PID/ { on = 1; next } on && NF { print $1, $2, $3, $4 }' | sort >theirs
	"$PERF" report --stdio -i reads -T -s comm |
		awk '/^# *PID/ { on = 1; next } on && NF { print $1, $2, $3, $4 }' | sort >ours
	[ -s ours ]
	diff theirs ours
	"$PERF" report --stdio -i reads -T -s comm --pretty raw | grep -qE '^ +[0-9]+ +[0-9]+ +page-faults +[0-9]+$'
	run "$PERF" report -i reads -T --pretty fancy
	[ "$status" -eq 129 ]
}

@test "shares of kernel and user code" {
	same_rows memory --show-cpu-utilization -s dso
}

@test "with a separator a field that holds it is quoted" {
	"$PERF" report --stdio -q -i branches -b -t. -F sample,dso_from | grep -qx '128.true'
	"$PERF" report --stdio -q -i branches -b -t. -F sample,symbol_to | grep -qx '64."\[.\] __stack_chk_fail@plt"'
	# a value, too: "50.00%"
	"$PERF" report --stdio -q -i branches -b -t. -F overhead,symbol_to | grep -qx '"50.00%"."\[.\] __stack_chk_fail@plt"'
}

@test "no entry has less with its callees than by itself, whatever is filtered out" {
	"$BATS_TEST_DIRNAME/make-samples" apart apart
	for filter in '' '--dsos true'; do
		"$PERF" report --stdio -q -i apart --children -g none -s comm -n $filter >rows
		[ "$(awk 'NF { print $1, $2, $3 }' rows)" = "100.00% 100.00% 3" ] || { cat rows; false; }
	done
}

@test "call chains that are all empty: samples without callers" {
	"$BATS_TEST_DIRNAME/make-samples" unchained unchained
	for options in "" "-g caller" "--no-children -g callee" "-p main -s sym,parent" "--hierarchy" "--samples 2"; do
		"$PERF" report --stdio -q -i unchained $options >rows
		grep -q '100.00%' rows
	done
	[ "$("$PERF" report -i unchained --folded 2>/dev/null)" = ":101;[true] 3" ]
}

@test "a flame graph of deep stacks that share nothing is drawn at once" {
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 200 --depth 100 --chains 200 --functions 50 deep >/dev/null
	timeout 60 "$PERF" report -i deep --flamegraph deep.svg
	grep -c '<g class="f">' deep.svg >frames
	[ "$(cat frames)" -gt 100 ]
}

@test "branches in front of call chains" {
	# the call at 2100 is a branch and, by its return address, in the chain: it is drawn once
	printf '0x%s\n' 555555956010 555555956000 555555956100 5555559560f0 555555956050 555555956205 >want
	for file in history big-history; do
		"$PERF" report --stdio -i $file --branch-history -s comm -g flat,callee,count >text
		grep -qx ' *3' text
		grep -o '0x5555559[0-9a-f]*' text | diff want -
	done
	"$PERF" report --stdio -i history -s comm -g flat,callee,address,count,branch >text
	grep -o '0x5555559[0-9a-f]*' text | diff want -
	"$PERF" report --stdio -i history --no-branch-stack -s comm -g flat,callee,address,count >text
	grep -o '0x5555559[0-9a-f]*' text | diff <(grep -E '(6010|6105|6205)$' <(sed 's/6100/6105/' want)) -
	"$PERF" report --stdio -i history --branch-history | grep -q '^# .*Source:Line'
	run "$PERF" report -i memory --branch-history
	[ "$status" -ne 0 ]
	[[ "$output" == *"no branch stacks, but --branch-history needs them"* ]]
}

# first() turns in a loop of eight instructions, second() in one of nine
make_loops() {
	cat >loops.s <<-'END'
		.globl first, second
		.type first, @function
		.type second, @function
		first:	nop; nop; nop; nop; nop; nop; nop
		1:	jmp first
			ret
		.size first, . - first
		second:	nop; nop; nop; nop; nop; nop; nop; nop
		2:	jmp second
			ret
		.size second, . - second
		.globl main
		main:	ret
	END
	gcc -o loops loops.s
	"$BATS_TEST_DIRNAME/make-branches" "$PWD/loops" loop.data first:7:0:60:18,22 second:8:0:40:30
}

@test "why there is nothing: no blocks, no chains to take" {
	run "$PERF" report --stdio --total-cycles -i branches
	[[ "$status" -eq 0 && "$output" == *"no two consecutive branches of event "*" enclose code of a function"* ]]
	run "$PERF" report --stdio --total-cycles -S nothing -i history
	[[ "$output" == *"warning: "* ]]
	run "$PERF" report --stdio --show-ref-call-graph -i history
	[[ "$output" == *"call chains are not shown"* ]]
	run "$PERF" report --stdio --no-branch-stack --show-ref-call-graph -i history
	[[ "$output" == *"--show-ref-call-graph has no effect: all events have call chains"* ]]
	run "$PERF" report --stdio --show-ref-call-graph -i switches
	[[ "$output" == *"--show-ref-call-graph has no effect"* ]]
	"$BATS_TEST_DIRNAME/make-samples" calls calls
	run -1 "$PERF" report -i calls -b --stitch-lbr
	[[ "$output" == *"which -b leaves out"* ]]
}

@test "--total-cycles: basic blocks by their cycles" {
	make_loops
	# 240 branches of 20, 160 of 30 cycles: 9600; three of four end a block: 180 and 120 times
	"$PERF" report --stdio -q --total-cycles -t'|' -i loop.data >ours
	[ "$(cat ours)" = "37.50%|3.6K|60.81%|30|[second+0x0 -> second+0x8]|loops
36.25%|3.5K|39.19%|19|[first+0x0 -> first+0x7]|loops" ]
	"$PERF" report --json --total-cycles -i loop.data | python3 -c '
import json, sys
t = json.load(sys.stdin)["tables"][0]
assert t["cycles"] == 9600
assert [(b["symbol"], b["count"], b["cycles"]) for b in t["blocks"]] == [("second", 120, 3600), ("first", 180, 3480)]'
	[ "$("$PERF" report --stdio -q --total-cycles -S first -t'|' -i loop.data | cut -d'|' -f1)" = "36.25%" ]
	[ "$("$PERF" report --stdio -q --total-cycles --percentage relative -S first -t'|' -i loop.data | cut -d'|' -f1)" = "100.00%" ]
	[ "$("$PERF" report --stdio -q --total-cycles --percent-limit 37 -i loop.data | grep -c %)" -eq 1 ]
	[ -z "$("$PERF" report --stdio -q --total-cycles --comms nobody -i loop.data)" ]
	"$PERF" report --stdio --total-cycles -i loop.data | grep -qF '# Sampled Cycles%  Sampled Cycles  Avg Cycles%  Avg Cycles  '
	run -1 "$PERF" report --total-cycles -i memory
	[[ "$output" == *"no branch stacks, but --total-cycles needs them"*"record -b"* ]]
	run -129 "$PERF" report --total-cycles --folded -i loop.data
}

@test "ipc_lbr: instructions for each cycle of a function" {
	make_loops
	# 8 * 180 instructions in 3480 cycles, 9 * 120 in 3600; all but the ret were seen
	[ "$(ours -b -s symbol -i loop.data | sed 's/ *$//')" = "60.00%|[.] first|0.41  [ 88.9%]
40.00%|[.] second|0.30  [ 90.0%]" ]
	[ "$(ours -b -F sample,ipc_lbr -i loop.data | sed 's/ *$//')" = "240|0.41  [ 88.9%]
160|0.30  [ 90.0%]" ]
	[ "$(ours -b -s sym -i loop.data)" = "60.00%|[.] first
40.00%|[.] second" ]
	run -129 "$PERF" report --no-branch-stack -s ipc_lbr -i loop.data
	[[ "$output" == *"of branch stacks"* ]]
}

@test "call chains of branch registers, stitched" {
	"$BATS_TEST_DIRNAME/make-samples" calls calls
	"$BATS_TEST_DIRNAME/make-samples" --big-endian calls big-calls
	for file in calls big-calls; do
		"$PERF" report --stdio -q -i $file --no-children -s pid -g folded,address,0,count,callee >ours
		grep -qx '1 0x555555958020;0x555555957010;0x555555956010;0x555555955010;0x555555954010' ours
		grep -qx '1 0x55555595a020;0x555555959010;0x555555958010;0x555555957010;0x555555956010' ours
		"$PERF" report --stdio -q -i $file --no-children -s pid -g folded,address,0,count,callee --stitch-lbr >ours
		grep -qx '1 0x555555958020;0x555555957010;0x555555956010;0x555555955010;0x555555954010' ours
		grep -qx '1 0x55555595a020;0x555555959010;0x555555958010;0x555555957010;0x555555956010;0x555555955010;0x555555954010' ours
	done
	# 6.1 begins with the start of the sample's function, report-lbr-leaf
	if command -v "$RIVAL" >/dev/null; then
		diff <("$RIVAL" report --stdio -q -i calls --no-children -s pid -g folded,address,0,count,callee 2>/dev/null | grep ';' | cut -d';' -f2- | sort) \
			<("$PERF" report --stdio -q -i calls --no-children -s pid -g folded,address,0,count,callee | grep ';' | cut -d';' -f2- | sort)
	fi
	run -1 "$PERF" report --stitch-lbr -i history
	[[ "$output" == *"--stitch-lbr needs"*"--call-graph lbr"* ]]
}

@test "--show-ref-call-graph: chains of another event" {
	"$PERF" record -q -e cpu-clock/call-graph=fp/ -e task-clock/call-graph=no/ -o chains \
		sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
	chains() {
		"$PERF" report --stdio -q -i chains --no-children -c sh -s comm -g folded,0,count "$@" |
			awk '/^ *[0-9.]+%/ { table++ } /^[0-9]+ / { n[table] += $1 } END { print n[1] + 0, n[2] + 0 }'
	}
	[[ "$(chains)" =~ ^[1-9][0-9]*\ 0$ ]]
	[[ "$(chains --show-ref-call-graph)" =~ ^[1-9][0-9]*\ [1-9][0-9]*$ ]]
}

@test "options of the browser's functions are checked in any form" {
	run -129 "$PERF" report -i memory --stdio --percent-type odd
	[[ "$output" == *"local-period"* ]]
	"$PERF" report -i memory --stdio -q -M intel --objdump objdump --asm-raw --no-source --percent-type global-hits -s pid | grep -q 101
}

@test "shares of guests" {
	"$BATS_TEST_DIRNAME/make-samples" guest guests
	"$PERF" report --stdio -i guests --show-cpu-utilization --guestkallsyms /dev/null -s pid | grep -q 'guest sys  guest usr'
	[ "$("$PERF" report --stdio -i guests --show-cpu-utilization -s pid | grep -c 'guest sys')" -eq 0 ]
	"$PERF" report --stdio -q -t, -i guests --show-cpu-utilization --guestkallsyms /dev/null -s dso | grep -q '^100.00%,0.00%,0.00%,100.00%,0.00%,'
}

@test "op, cache, memory, dtlb: parts of a row's period by what its accesses did" {
	"$PERF" report -i memory --json -F +op,cache,memory,dtlb,op_store -s local_weight >parts.json
	python3 - <<-'EOF'
	import json
	values = [0, 0x1e05080021, 0x68100142, 0x268100842] + [1 << b for b in range(46)]
	values += [n << 33 | 1 << 37 | 2 for n in range(16)] + [h << 43 | 1 for h in range(5)]
	bits = lambda v, at, n: v >> at & (1 << n) - 1
	numbers = {1: "cache_l1", 2: "cache_l2", 3: "cache_l3", 4: "cache_l4", 5: "cache_l2_buffer", 12: "cache_l1_buffer",
	           6: "memory_msc", 8: "memory_uncached", 9: "memory_cxl", 10: "memory_io", 13: "memory_ram", 14: "memory_pmem"}
	levels = {3: "cache_l1", 4: "cache_l1_buffer", 5: "cache_l2", 6: "cache_l3", 7: "memory_ram", 8: "memory_ram",
	          9: "memory_ram", 12: "memory_io", 13: "memory_uncached"}
	def classes(v):
	    n, place = bits(v, 33, 4), None
	    if n % 15:
	        place = numbers.get(n)
	    else:
	        found = [c for b, c in levels.items() if bits(v, 5, 14) >> b & 1]
	        place = found[0] if found else None
	    yield {2: "op_load", 4: "op_store", 8: "op_prefetch", 16: "op_exec"}.get(bits(v, 0, 5), "op_other")
	    yield place if place and place.startswith("cache") else "cache_other"
	    yield place if place and place.startswith("memory") else "memory_other"
	    tlb = bits(v, 26, 7)
	    yield "dtlb_miss" if tlb & 4 else "dtlb_other" if not tlb & 2 else {8: "dtlb_l1", 16: "dtlb_l2"}.get(tlb & 24, "dtlb_any")
	d = json.load(open("parts.json"))["tables"][0]
	rows = {int(r["local_weight"]): r for r in d["rows"]}
	assert len(rows) == len(values)
	shown = set()
	for i, v in enumerate(values):
	    ours = {k for k, x in rows[i * 3].items() if k.partition("_")[0] in ("op", "cache", "memory", "dtlb") and x}
	    assert ours == set(classes(v)), (hex(v), ours, set(classes(v)))
	    assert all(rows[i * 3][k] == 100 for k in ours)
	    shown |= ours
	assert {c["name"] for c in d["columns"]} - {"overhead", "local_weight"} == shown
	EOF
	# of all together: by the periods, which are the weights in --mem-mode
	"$PERF" report -i memory --mem-mode --json -F op,comm >all.json
	"$PERF" report -i memory --mem-mode --json -F period,op_load,local_weight >each.json
	python3 - <<-'EOF'
	import json
	(row,) = json.load(open("all.json"))["tables"][0]["rows"]
	each = json.load(open("each.json"))["tables"][0]["rows"]
	whole = sum(r["period"] for r in each)
	assert abs(row["op_load"] - sum(r["period"] * r["op_load"] for r in each) / whole) < 0.001
	assert abs(sum(v for k, v in row.items() if k.startswith("op_")) - 100) < 0.001
	EOF
	run -129 "$PERF" report -i branches -F overhead,cache
	[[ "$output" == *"key 'cache' is of memory accesses"*"hint: record with: perf mem record"* ]]
	run -129 "$PERF" report -i memory -s simd
	[[ "$output" == *"Arm SPE"* ]]
}

@test "functions of stripped objects of one name are different rows, with and without build-ids" {
	mkdir -p one_name/L1 one_name/L2 && cd one_name
	for i in 1 2; do
		cat >w$i.c <<-END
		volatile long s;
		static __attribute__((noinline)) void body$i(long n) { for (long i = 0; i < n; i++) s += i * $i; }
		void run$i(long n) { body$i(n); s++; }
		END
	done
	cat >m.c <<-'END'
	void run1(long), run2(long);
	int main(void) { run1(30000000); run2(30000000); return 0; }
	END
	for id in sha1 none; do
		for i in 1 2; do
			gcc -O1 -shared -fPIC -Wl,--build-id=$id w$i.c -o L$i/_core.so
			strip L$i/_core.so
		done
		gcc -O1 m.c -o m L1/_core.so L2/_core.so
		"$PERF" record -q -N -g -e cpu-clock:u -o data ./m
		"$PERF" report -i data --stdio -g none --no-children -s sym,dso 2>/dev/null | grep _core.so | awk '$1 > 20' >rows
		cat rows
		[ "$(wc -l <rows)" -eq 2 ]
		"$PERF" report -i data --folded 2>/dev/null | grep -o '_core.so[^;]*+0x' | sort -u >folded
		[ "$(wc -l <folded)" -eq 2 ] || [ $id = none ]
		for i in 1 2; do
			name=_core.so@$(file L$i/_core.so | sed -n 's/.*BuildID\[sha1\]=\(.\{8\}\).*/\1/p')
			[ $id = sha1 ] || name=$PWD/L$i/_core.so
			grep -qE "\[\.\] \[$name\+0x[0-9a-f]+\] +_core.so" rows
		done
	done
	"$PERF" annotate -i data --stdio "[$(sed -nE 's/.*\[([^]]*L2[^]]*)\].*/\1/p' rows)]" 2>/dev/null | grep -q 'imul\|add\|lea'
	# the same object at another path is one with the first
	gcc -O1 -shared -fPIC w1.c -o L1/_core.so && strip L1/_core.so && cp L1/_core.so L2/_core.so
	cat >m.c <<-'END'
	#include <dlfcn.h>
	int main(int argc, char **argv)
	{
		for (int i = 1; i < argc; i++)
			((void (*)(long))dlsym(dlopen(argv[i], RTLD_NOW), "run1"))(30000000);
		return 0;
	}
	END
	gcc -O1 m.c -o m -ldl
	"$PERF" record -q -N -e cpu-clock:u -o data ./m L1/_core.so L2/_core.so
	"$PERF" report -i data --stdio -s sym 2>/dev/null | grep _core.so | awk '$1 > 20' >rows
	[ "$(wc -l <rows)" -eq 1 ]
	grep -qE '\[_core.so\+0x[0-9a-f]+\]' rows
}

@test "code without symbols and unwind tables has the same address in its row and in its chain" {
	printf 'volatile long x; int main(void) { for (long i = 0; i < 100000000; i++) x += i; return 0; }' >plain.c
	gcc -O1 -fno-asynchronous-unwind-tables -o plain plain.c
	strip plain
	"$PERF" record -q -N -g -e cpu-clock:u -o nameless ./plain
	"$PERF" report --stdio -q -g caller -i nameless -s dso,sym 2>/dev/null >text
	row=$(awk '/ plain +\[\.\] 0x/ { print $NF; exit }' text)
	chain=$(sed -n 's/.*---\(0x[0-9a-f]*\)$/\1/p' text | head -n 1)
	[ -n "$row" ] && [ $((row)) -eq $((chain)) ] || { head -20 text; return 1; }
}

@test "a table that shows no places reads no symbols, and the others do" {
	"$PERF" record -q -N -e cpu-clock:u -o places "$PERF" test -w noploop 0.3
	tables() { # OPTIONS...: of files, which the whole of unknown places is not
		"$PERF" --trace=symbol report --stdio -i places "$@" 2>&1 >/dev/null | grep -c "symbols, from '" || true
	}
	[ "$(tables -s comm)" -eq 0 ]
	[ "$(tables -s pid,cpu)" -eq 0 ]
	[ "$(tables -s comm,sym)" -ge 1 ]
	[ "$(tables -s comm -S noploop)" -ge 1 ]
}
