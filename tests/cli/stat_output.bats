#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat: JSON, ratios alone, cgroups, the control channel, special aggregation.
bats_require_minimum_version 1.5.0

load pmu
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	oracle=${RIVAL_PERF:-/usr/bin/perf}
}

cgroup_root() {
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$root" ] && mkdir "$root/perf-test-$$" 2>/dev/null || skip "no cgroup can be made"
	group=perf-test-$$
}

teardown() {
	end_jobs
	[ -z "${group:-}" ] || rmdir "$root/$group/in.ner" "$root/$group" 2>/dev/null || true
}

# Numbers as N; a ratio that 6.1 lacks has no unit but (null) there.
json_shape() {
	sed -E 's/[0-9]+\.[0-9]+|[0-9]+/N/g; s/(K|M|G)\/sec/\/sec/; s/\(null\)//' "$1"
}

@test "counts that cannot be written: exit 1 and the reason, however the command ended" {
	for args in "" "-x," "-j" "-I 10 --interval-count 1" "-r 2"; do
		run -1 "$PERF" stat -e cs $args -o /dev/full sh -c 'exit 3'
		[ "$output" = "error: cannot write '/dev/full': No space left on device" ]
	done
	run -1 sh -c '"$PERF" stat -e cs --log-fd 1 true >/dev/full'
	[ "$output" = "error: cannot write to standard output: No space left on device" ]
	run -1 sh -c '"$PERF" stat -e cs --log-fd 5 true 5>/dev/full'
	[ "$output" = "error: cannot write the counts to descriptor 5: No space left on device" ]
}

@test "-j: the keys and values of Debian's perf, each line JSON" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "" "-a -A" "-a --per-core" "-a --per-socket" "-a --per-die" "-a --per-node" "-r 2"; do
		$oracle stat -j -e cs,cpu-clock,r1 $args sleep 0.02 2>want
		"$PERF" stat -j -e cs,cpu-clock,r1 $args sleep 0.02 2>got
		json_shape want >want.shape
		json_shape got >got.shape
		diff want.shape got.shape || { echo "args: $args"; return 1; }
		python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]' <got
	done
	"$PERF" stat -j -I 15 --interval-count 1 -a -e cs 2>got
	$oracle stat -j -I 15 --interval-count 1 -a -e cs 2>want
	diff <(json_shape want) <(json_shape got)
}

@test "-j: names are escaped, the numbers are those of -x" {
	"$PERF" stat -j -e 'faults/name=a"b\c/,faults' true 2>got
	python3 - <<-'END'
		import json
		rows = [json.loads(l) for l in open('got')]
		assert rows[0]['event'] == 'a"b\\c', rows
		assert float(rows[0]['counter-value']) == float(rows[1]['counter-value']) > 20, rows
	END
	"$PERF" stat -j -o j -n true
	[ ! -s j ]
}

@test "--metric-only: heads and domains as Debian's perf, without rates" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "-A" "--per-core" "--per-die -I 10 --interval-count 1" "--per-core -I 10 --interval-count 1"; do
		$oracle stat -a --metric-only -e cs,cpu-clock $args sleep 0.02 2>want
		"$PERF" stat -a --metric-only -e cs,cpu-clock $args sleep 0.02 2>got
		diff <(sed -E 's/[0-9.]+/N/g; s/ +$//' want) <(sed -E '/^(warning|hint):/d; s/[0-9.]+/N/g; s/ +$//' got) ||
			{ echo "$args"; return 1; }
	done
	"$PERF" stat -a -x, --metric-only -e cs --per-core true 2>got
	[ "$(head -1 got)" = "core,cpus," ]
	"$PERF" stat -a -j --metric-only -e cs -A true 2>got
	[ "$(head -1 got)" = '{"cpu" : "0"}' ]
}

@test "--summary with -x: rows begin with summary, unless --no-csv-summary" {
	"$PERF" stat -x, -I 15 --summary -e cs sleep 0.02 2>got
	[ "$(grep -c '^         summary,[0-9]*,,cs,' got)" -eq 1 ]
	"$PERF" stat -x, -I 15 --summary --no-csv-summary -e cs sleep 0.02 2>got
	[[ "$(tail -1 got)" == [0-9]*,,cs,* ]]
	! grep -q summary got || return 1
}

@test "--hide-zero-events leaves out what did not happen" {
	run "$PERF" stat -x, --hide-zero-events -e alignment-faults,faults,r1 true
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == *,faults,* ]]
}

@test "-G: each event in its cgroup; what runs elsewhere is not counted" {
	cgroup_root
	sh -c "echo \$\$ >$root/$group/cgroup.procs; exec $PERF test -w noploop 100" 3>&- &
	load=$!
	until_true comm_is $load perf-noploop
	"$PERF" stat -a -x, -e task-clock,task-clock,task-clock -G "$group,,/" sleep 0.5 2>got
	"$PERF" stat -a -x, -e cpu-clock -G "$group" sleep 0.1 2>one
	kill $load
	wait $load || :
	# one CPU was busy in the group, which is a part of all
	awk -F, -v g="$group" '$4 == g { own = $1 } $4 == "/" { all = $1 }
		END { exit !(own > 10 && all > 10 && own < all * 1.1) }' got
	[ "$(cut -d, -f4 got | head -1)" = "$group" ]
	[ "$(grep -c ",$group," one)" -eq 1 ]
	"$PERF" stat -a -x, -e cs -G "$group" sleep 0.02 2>got
	# the share is 100 or 0: the kernel says for how long an event waited, or that it never did
	grep -qE "^<not counted>,,cs,$group,0,(100|0)\.00,,$" got
}

@test "--for-each-cgroup: names and regular expressions, rows as Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	cgroup_root
	mkdir "$root/$group/in.ner"
	for names in "$group,/" "$group.*" "$group/in.ner,$group" "^${group%?}"; do
		$oracle stat -a -x, -e cs,faults --for-each-cgroup "$names" sleep 0.02 2>want
		"$PERF" stat -a -x, -e cs,faults --for-each-cgroup "$names" sleep 0.02 2>got
		diff <(cut -d, -f3,4 want) <(cut -d, -f3,4 got)
	done
	run "$PERF" stat -a -e cs --for-each-cgroup nosuch true
	[ "$status" -ne 0 ]
	[[ "$output" == *"no cgroup 'nosuch' below $root"* ]]
	run "$PERF" stat -a -e cs --for-each-cgroup 'a(' true
	[ "$status" -eq 129 ]
	[[ "$output" == "error: 'a(' is not a regular expression"* ]]
	run "$PERF" stat -e cs -G "$group" true
	[ "$status" -eq 129 ]
	run "$PERF" stat -a -G "$group" -e cs true
	[[ "$output" == *"no event before it"* ]]
}

@test "--control: enable, disable, stop; every command is acknowledged" {
	mkfifo ctl ack
	exec 7<>ctl 8<>ack
	"$PERF" stat -x, -o out -D -1 -a -e cpu-clock --control fifo:ctl,ack sleep 33.3 2>err 3>&- &
	pid=$!
	for command in enable ping evlist 'disable cpu-clock' nonsense; do
		now=${EPOCHREALTIME/./}
		case $command in
		enable) begin=$now ;;
		disable*) least=$((now - enabled)) ;;
		esac
		echo "$command" >&7
		read -r -t 60 -u 8 answer
		now=${EPOCHREALTIME/./}
		[[ "$answer" == *ack ]]
		case $command in
		enable) enabled=$now; sleep 0.2 ;;
		disable*) most=$((now - begin)) ;;
		esac
	done
	sleep 0.3
	echo stop >&7
	wait $pid
	grep -q '^cpu-clock' err
	# on between the two, on each CPU
	awk -F, -v n="$(getconf _NPROCESSORS_ONLN)" -v least=$least -v most=$most '$3 == "cpu-clock" { print least, most, n, $0
		us = $1 * 1000 / n; exit !(us > least * 0.95 && us < most * 1.05) }' out
	exec 7>&- 8>&-
	run "$PERF" stat --control nothing:1 true
	[[ "$output" == *"is not a control channel"* ]]
	run "$PERF" stat --control fd:77 true
	[[ "$output" == *"descriptor 77 is not open"* ]]
}

@test "--control by descriptors: the end of the giver is no end" {
	"$PERF" stat -x, -o out -e cs --control fd:5 sleep 0.1 5</dev/null
	grep -q ,cs, out
}

@test "--per-thread -a: threads that were counted, the largest first" {
	# two at least
	for i in 1 2; do while [ ! -e stop ]; do sleep 0.01; done 3>&- & done
	"$PERF" stat -x, -o out -a --per-thread -e cs sleep 0.5
	touch stop
	awk -F, '$4 == "cs" { if (n++ && $2 > last) bad = 1; last = $2; if ($2 < 1) bad = 1 }
		END { exit bad || n < 2 }' out
}

@test "--per-cache, --aggr-socket, --affinity" {
	[ -e /sys/devices/system/cpu/cpu0/cache/index0 ] || skip "no caches are told"
	"$PERF" stat -x, -o out -a --per-cache=L1 -e cs sleep 0.02
	n=$(cat /sys/devices/system/cpu/cpu*/cache/index0/shared_cpu_list | sort -u | wc -l)
	[ "$(grep -cE '^S[0-9]+-D[0-9]+-L1-ID[0-9]+,[0-9]+,' out)" -eq "$n" ]
	run "$PERF" stat -a --per-cache=9 -e cs true
	[[ "$output" == *"reports no level 9 cache"* ]]
	"$PERF" stat -x, -o out -a --aggr-socket -e cs true
	grep -q '^S0,' out
	"$PERF" stat -x, -o out --affinity -a -A -e cs true
	[ "$(grep -c ,cs, out)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	# each CPU's counters are read there, and not without the option
	for option in --affinity --no-affinity; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e trace=sched_setaffinity \
			"$PERF" stat -x, -o out $option -a -A -e cs true
		sed -n 's/.*sched_setaffinity(0, [0-9]*, \[\([0-9]*\)\]).*/\1/p' calls | sort -u >on
		case $option in
		--affinity) [ "$(wc -l <on)" -ge "$(getconf _NPROCESSORS_ONLN)" ] ;;
		*) [ ! -s on ] ;;
		esac
	done
	# we run where we did before
	[ "$("$PERF" stat --affinity -a -e cs taskset -p $$ 2>/dev/null)" = "$(taskset -p $$)" ]
}

@test "--interval-clear clears, --quiet is quiet" {
	"$PERF" stat -I 10 --interval-count 2 --interval-clear -a -e cs 2>got
	[ "$(grep -c $'^\033\[H\033\[2J#' got)" -eq 2 ]
	run "$PERF" stat --quiet -I 10 -e cs sleep 0.02
	[ -z "$output" ]
}

@test "digits are grouped as the locale says, unless --no-big-num" {
	[ -e /usr/share/i18n/locales/en_US ] || skip "no sources of locales (Debian package locales)"
	localedef -i en_US -f UTF-8 ./en_US.UTF-8
	export LOCPATH=$PWD LC_ALL=en_US.UTF-8
	for args in "" -B; do
		"$PERF" stat $args -e duration_time sleep 0.01 2>got
		grep -qE '^ +[0-9]{1,3}(,[0-9]{3})+ ns +duration_time' got
	done
	"$PERF" stat --no-big-num -e duration_time sleep 0.01 2>got
	grep -qE '^ +[0-9]{8,} ns +duration_time' got
}

@test "-S calls sync before each run" {
	# a leak checker cannot run under ptrace
	ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e trace=sync,execve "$PERF" stat -x, -S -r 2 -e cs true 2>/dev/null
	[ "$(grep -c '^[0-9 ]*sync(' calls)" -eq 2 ]
}

@test "warnings are not among the rows of -x and -j" {
	for form in "-x," "-j"; do
		# there is something to warn of, on any machine
		run "$PERF" stat --append -e r1,cs,alignment-faults true
		[[ "$output" == *"warning: --append is ignored"* ]]
		"$PERF" stat $form --append -e r1,cs,alignment-faults true 2>got
		[ "$(grep -cvE '^\{.*\}$|^[0-9<][^:]*,' got)" -eq 0 ]
		[ "$(wc -l <got)" -eq 3 ]
	done
}

@test "-M: values follow from the counts of their lines" {
	"$PERF" stat -x, -M cs_per_second,page_faults_per_second,CPUs_utilized "$PERF" test -w noploop 1 2>got
	awk -F, '$3 == "task-clock" { ms = $1 } $3 == "page-faults" { n = $1 } $3 == "duration_time" { ns = $1 }
		$NF ~ /page_faults_per_second/ { got = $(NF - 1) } $NF == "CPUs_utilized" { used = $(NF - 1) }
		END { want = n * 1000 / ms; print got, want, used, ms * 1e6 / ns
			exit !(got > want * 0.999 && got < want * 1.001 && used - ms * 1e6 / ns < 0.01) }' got
	# what several metrics need is counted once
	[ "$(grep -c ',task-clock,' got)" -eq 1 ]
	"$PERF" stat -x, --metric-no-merge -M cs_per_second,page_faults_per_second true 2>got
	[ "$(grep -c ',task-clock,' got)" -eq 2 ]
}

@test "-M: groups, columns, and names that do not exist" {
	"$PERF" stat -M Software --metric-only true 2>got
	for name in cs_per_second migrations_per_second page_faults_per_second major_fault_ratio; do
		grep -q "$name" got
	done
	"$PERF" stat -j -a -A -M Software --metric-only true 2>got
	python3 -c 'import json; [json.loads(l)["cs/sec  cs_per_second"] for l in open("got")]'
	run "$PERF" stat -M page_fault_per_second true
	[ "$status" -ne 0 ]
	[[ "$output" == *"did you mean 'page_faults_per_second'?"* ]]
	! has_pmu_of_cpus || return 0
	run "$PERF" stat --topdown true
	[[ "${lines[0]}" == "error: --topdown needs "* ]]
	run "$PERF" stat --td-level 2 true
	[ "$status" -eq 129 ]
}

@test "-M: of a group the impossible metrics are left out, with a warning" {
	! has_pmu_of_cpus || skip "this machine may have all of them"
	export PERF_CPUID=GenuineIntel,6,85,7 # whatever the processor is
	run "$PERF" stat -M Software,BadSpec true
	[ "$status" -eq 0 ]
	[[ "$output" == *" page_faults_per_second"* ]]
	[[ "$output" == *"warning: metrics 'tma_"*"', 'tma_"*"' cannot be measured here: "* ]]
	[ "$(grep -c warning: <<<"$output")" -le 2 ]
	run "$PERF" stat -M tma_bad_speculation true
	[ "$status" -ne 0 ]
	[[ "$output" == "error: metric 'tma_bad_speculation': "* ]]
	run "$PERF" stat -M TopdownL1 true
	[ "$status" -ne 0 ]
	[[ "$output" != *"no metric or metric group"* ]]
}

@test "PERF_CPUID: metrics of a processor that the user names" {
	for id in AuthenticAMD,25,1,1 AuthenticAMD-19-1-1; do
		PERF_CPUID=$id "$PERF" list -v metric >amd
		grep -q branch_misprediction_ratio amd
		run ! grep tma_ amd
	done
	for id in GenuineIntel,6,85,7 GenuineIntel-6-55-7; do
		PERF_CPUID=$id "$PERF" list -v metric >intel
		grep -q tma_bad_speculation intel
		run ! grep branch_misprediction_ratio intel
	done
	# what is no processor has the metrics of all machines alone
	PERF_CPUID=nonsense "$PERF" list -v metric >none
	grep -q page_faults_per_second none
	run ! grep -E 'tma_|branch_misprediction' none
}

@test "what needs hardware says so in one line" {
	run "$PERF" stat --iostat true
	[ "$status" -ne 0 ]
	[[ "${lines[0]}" == "error: "*" needs "* ]]
	! has_pmu_of_cpus || skip "this machine may have the rest"
	for o in -T --smi-cost; do
		run "$PERF" stat $o true
		[[ "${lines[0]}" == "error: $o needs "* ]]
	done
	run "$PERF" stat --cputype core -e cycles true
	[[ "$output" == *"no CPUs of type 'core'"* ]]
}

@test "a filter is checked before anything runs" {
	[ -e /sys/kernel/tracing/events/sched/sched_switch ] || skip "no tracepoints"
	run "$PERF" stat -e sched:sched_switch --filter 'prev_pidd == 1 && next_pid > 2' touch ran
	[ "$status" -ne 0 ]
	[ ! -e ran ]
	[[ "$output" == *"there is no field 'prev_pidd'"* ]]
	[[ "$output" == *$'\n'"  prev_pidd == 1"*$'\n'"  ^^^^^^^^^"* ]]
	[[ "$output" == *"did you mean 'prev_pid'?"* ]]
	run "$PERF" stat -e faults --filter 'x == 1' true
	[[ "$output" == *"'faults' is not a tracepoint"*"only perf record filters samples"* ]]
	run "$PERF" record -o data -e sched:sched_switch --filter 'prev_pid => 1' true
	[[ "$output" == *"did you mean '>='?"* ]]
}

@test "the kernel takes what the check lets through" {
	[ -e /sys/kernel/tracing/events/syscalls/sys_enter_write ] || skip "no system-call tracepoints"
	for filter in 'count == 7 && !(fd == 9)' 'cpu >= 0 && COMM ~ "ca*"' 'count & 4' \
		'common_pid > 0 || comm == "x y"'; do
		"$PERF" stat -x, -o out -e syscalls:sys_enter_write --filter "$filter" cat /dev/null
		grep -q ',syscalls:sys_enter_write,' out
	done
	[ -e /sys/kernel/tracing/events/ext4 ] || skip "this kernel has no ext4"
	dev=$(stat -c %d .)
	"$PERF" stat -x, -o out -e ext4:ext4_mark_inode_dirty --filter "dev == $((dev >> 8)),$((dev & 255))" \
		touch new
}

@test "tool events are facts of the machine, in intervals too" {
	"$PERF" stat -x, -e 'num_cpus_online,tool/num_cores/,smt_on,num_packages,duration_time' true 2>got
	[ "$(awk -F, '$3 == "num_cpus_online" { print $1 }' got)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	cores=$(for c in /sys/devices/system/cpu/cpu[0-9]*/topology; do
		echo "$(cat $c/physical_package_id) $(cat $c/core_id)"; done | sort -u | wc -l)
	[ "$(awk -F, '$3 == "tool/num_cores/" { print $1 }' got)" -eq "$cores" ]
	"$PERF" stat -x, -I 10 --interval-count 2 -e num_cpus_online sleep 1 2>got
	[ "$(cut -d, -f2 got | uniq)" = "$(getconf _NPROCESSORS_ONLN)" ]
	"$PERF" stat -x, -a -A -e duration_time,cs true 2>got
	[ "$(grep -c '^CPU0,[0-9]*,ns,duration_time,' got)" -eq 1 ]
	# which is no CPU's number, and stands once
	[ "$(grep -c ',duration_time,' got)" -eq 1 ]
	[ "$(grep -c ',cs,' got)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	run "$PERF" stat -e tool/nothing/ true
	[[ "$output" == *"no tool event 'nothing'"* ]]
}

@test "a tool event in front of a group does not stop the others" {
	for how in "-e {duration_time,faults,cs}" "-g -e duration_time,faults,cs" "-e {num_cpus,faults,cs}:W"; do
		for whole in "" -a; do
			"$PERF" stat -x, $how $whole true 2>got
			[ "$(wc -l <got)" -eq 3 ]
			awk -F, '$3 == "faults" { n = $1 } END { exit !(n > 20) }' got
			grep -qE '^[0-9]+,,cs,' got
		done
	done
	"$PERF" stat record -o data -x, -e '{duration_time,faults}' true 2>live
	"$PERF" stat report -i data -x, 2>got
	diff live got
}

@test "names of libpfm4, by option and in -e" {
	"$PERF" check feature libpfm4 >/dev/null || skip "built without libpfm4"
	"$PERF" stat -x, --pfm-events perf::PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_CPU_CLOCK \
		-e perf::PERF_COUNT_SW_PAGE_FAULTS:u,faults,faults:u true 2>got
	[ "$(awk -F, '$3 ~ /FAULTS$|^faults$/ { print $1 }' got | uniq | wc -l)" -eq 1 ]
	[ "$(awk -F, '$3 ~ /:u$/ { print $1 }' got | uniq | wc -l)" -eq 1 ]
	# without the name of the PMU, as perf list -v prints codes
	"$PERF" stat -x, -e PERF_COUNT_SW_PAGE_FAULTS:u,faults:u,PERF_COUNT_SW_PAGE_FAULTS true 2>got
	[ "$(grep -c 'FAULTS\|faults' got)" -eq 3 ]
	[ "$(awk -F, '$3 ~ /:u$/ { print $1 }' got | uniq | wc -l)" -eq 1 ]
	"$PERF" stat -x, -e PERF_COUNT_HW_CACHE_L1D:READ:ACCESS,PERF_COUNT_HW_CACHE_DTLB:MISS,cs true 2>got
	grep -q ',PERF_COUNT_HW_CACHE_L1D:READ:ACCESS,' got
	grep -q ',PERF_COUNT_HW_CACHE_DTLB:MISS,' got
	grep -q '^[0-9]*,,cs,' got
	run "$PERF" stat -e PERF_COUNT_HW_CACHE_L1D:NOTHING true
	[[ "$output" == *"invalid or missing unit mask"* ]]
	run "$PERF" stat -e nosuchsystem:nothing true
	[[ "$output" == *"nosuchsystem"* && "$output" != *"mask or modifier"* ]]
	run "$PERF" stat -e perf::NOTHING true
	[[ "$output" == *"unknown event 'perf::NOTHING'"*"hint: 'perf list pfm' shows"* ]]
	run "$PERF" stat -e perf::PERF_COUNT_SW_PAGE_FAULTS:zz true
	[[ "$output" == *"invalid or missing unit mask"* ]]
	"$PERF" list pfm | grep -q '^  perf::PERF_COUNT_SW_PAGE_FAULTS$'
}

@test "perf list metric, metricgroup: with reasons, descriptions, formulas" {
	"$PERF" list metric >got
	grep -A1 '^  page_faults_per_second$' got | grep -q '\[page faults in each'
	run ! grep -q 'not available' <(grep -A2 '^  page_faults_per_second$' got)
	if ! has_pmu_of_cpus; then
		run ! grep -q insn_per_cycle got
		"$PERF" list -v metric | grep -A4 '^  insn_per_cycle$' | grep -q "not available: '.*' cannot be counted here"
	fi
	run ! grep -q 'page faults in each' <("$PERF" list --no-desc metric)
	"$PERF" list -v metric | grep -q 'instructions / cycles'
	"$PERF" list -o file metricgroup
	sed -n '/^Software:/,/^[A-Z].*:$/p' file | grep -q '^  cs_per_second$'
	run "$PERF" list -o /nowhere/file metric
	[ "$status" -ne 0 ]
}

@test "perf help events, perf help filter" {
	"$PERF" help events | grep -q 'PMU/TERM'
	"$PERF" help filter | grep -q 'CPUS{LIST}'
}

@test "-I: a CPU that goes offline and returns is counted again, without -I it is said" {
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	[ $last -gt 0 ] || skip "needs two CPUs"
	cp /sys/devices/system/cpu/online all
	cp all list
	unshare -m mount --bind list /sys/devices/system/cpu/online 2>/dev/null || skip "no mount namespaces here"
	counting() { # OPTION...: perf stat, that sees the CPUs of the list
		rm -f out err
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount --bind list /sys/devices/system/cpu/online; exec "$@"' - \
			"$PERF" --trace=live stat -a -e cpu-clock "$@" 2>err 3>&- & stat=$!
	}
	intervals() { # at least so many have been printed
		[ "$(grep -c "CPU$last " out)" -ge "$1" ]
	}
	counting -A --no-big-num -I 200 -o out sleep 1000
	until_true intervals 2
	echo 0 >list
	until_true grep -q "CPU $last went offline" err
	cp all list
	until_true grep -q "CPU $last is online again: its events were opened again" err
	until_true intervals $(($(grep -c "CPU$last " out) + 2))
	kill -INT $stat
	wait $stat || true
	[ "$(grep -c '^warning: .*went offline' err)" -eq $last ]
	grep -qxE "warning: CPU $last went offline while it was counted: what ran on it until the interval after its return is missing" err
	# the clock of a CPU in ms: none is counted twice, and none is less than nothing
	awk -v cpu="CPU$last" '$2 == cpu { n++; sum += $3; end = $1; bad += $3 < 0 || $3 > 1e6 }
		END { exit !(n >= 4 && !bad && sum > 0 && sum < end * 1000 * 1.5) }' out
	cp all list
	counting -o out sleep 1000
	until_true grep -q "noticed when one goes offline" err
	echo 0 >list
	kill -TERM $stat
	wait $stat || true
	grep -qxE "warning: CPU $last went offline while it was counted: what ran on it after its return is missing" err
}
