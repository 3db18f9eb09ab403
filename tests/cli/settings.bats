#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Each setting does what perf-config(1) says, and the command line overrides it.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$PWD
	unset PERF_CONFIG
}

# SECTION.NAME=VALUE..., or nothing: what is set from here on
settings() {
	: >.perfconfig
	for s; do
		"$PERF" config --user "$s"
	done
}

record() {
	"$PERF" record -q -o d "$@" >/dev/null 2>&1 || skip "cannot record here"
}

@test "alias.NAME: words, arguments behind them, the shell; not for what there is" {
	settings "alias.v=version" "alias.list-opts=list --raw-dump" "alias.sh=!echo one" "alias.version=help" \
		"alias.bad=nothing" "alias.quote=version 'x"
	[ "$("$PERF" v)" = "$("$PERF" version)" ]
	[ "$("$PERF" list-opts sw | tr ' ' '\n' | grep -c '^cpu-clock$')" -eq 1 ]
	[ "$("$PERF" sh two "three four")" = "one two three four" ]
	[[ "$("$PERF" version)" == "perf version "* ]]
	run "$PERF" bad
	[ "$status" -eq 1 ]
	[ "$output" = "error: the alias 'bad' stands for 'nothing', which is not a command" ]
	run "$PERF" quote
	[ "$status" -eq 1 ]
	settings "alias.a=b" "alias.b=a"
	run timeout 10 "$PERF" a
	[ "$status" -eq 1 ]
}

@test "call-graph.record-mode, dump-size, record.call-graph: what -g records" {
	settings call-graph.record-mode=dwarf call-graph.dump-size=4000
	record -g -e cpu-clock:u -- true
	run "$PERF" evlist -v -i d
	[[ "$output" == *STACK_USER*"sample_stack_user: 4000"* ]]
	record --call-graph dwarf,1024 -e cpu-clock:u -- true
	[[ "$("$PERF" evlist -v -i d)" == *"sample_stack_user: 1024"* ]]
	record --call-graph dwarf -e cpu-clock:u -- true
	[[ "$("$PERF" evlist -v -i d)" == *"sample_stack_user: 4000"* ]]
	record --call-graph fp -e cpu-clock:u -- true
	[[ "$("$PERF" evlist -v -i d)" != *STACK_USER* ]]
	settings call-graph.record-mode=dwarf record.call-graph=fp
	record -g -e cpu-clock:u -- true
	[[ "$("$PERF" evlist -v -i d)" == *CALLCHAIN* && "$("$PERF" evlist -v -i d)" != *STACK_USER* ]]
	settings call-graph.record-mode=nonsense
	run "$PERF" record -o e -- true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: the setting 'call-graph.record-mode' cannot be 'nonsense'"$'\n'"hint: fp, dwarf or lbr" ]]
	settings call-graph.dump-size=70000
	run "$PERF" record -o e -- true
	[ "$status" -eq 1 ]
	[ ! -e e ]
}

@test "record.build-id: cache, no-cache, skip, mmap" {
	for how in cache no-cache skip mmap; do
		settings record.build-id=$how
		rm -rf .debug
		"$PERF" record -q -o d -e page-faults:u -c 1 -- true >/dev/null 2>&1 || skip "cannot record here"
		ids=$("$PERF" evlist -i d -v >/dev/null; "$PERF" script --header-only -i d | grep -c 'BUILD_ID\|missing features:.*BUILD_ID' || true)
		case $how in
		cache) [ -d .debug/.build-id ] ;;
		*) [ ! -d .debug/.build-id ] ;;
		esac
		missing=$("$PERF" script --header-only -i d | grep 'missing features' || true)
		case $how in
		skip) [[ "$missing" == *BUILD_ID* ]] ;;
		cache | no-cache) [[ "$missing" != *BUILD_ID* ]] ;;
		mmap) [[ "$("$PERF" evlist -v -i d)" == *build_id* ]] ;;
		esac
	done
	settings record.build-id=maybe
	run "$PERF" record -o e -- true
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot be 'maybe'"*"hint: cache, no-cache, skip or mmap"* ]]
}

@test "record.aio, core.proc-map-timeout" {
	settings record.aio=2
	run "$PERF" record -vv -o d -e cpu-clock:u -- true
	[ "$status" -eq 0 ]
	run "$PERF" record --threads -o d -e cpu-clock:u -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *--aio* ]]
	printf "[record]\n\taio = many\n" >.perfconfig
	run "$PERF" record -o d -- true
	[ "$status" -eq 1 ]
	settings core.proc-map-timeout=1000
	"$PERF" record -q -o d -e cpu-clock:u -- true
	printf "[core]\n\tproc-map-timeout = soon\n" >.perfconfig
	run "$PERF" record -o d -- true
	[ "$status" -eq 1 ]
	[[ "$output" == *"the setting 'core.proc-map-timeout' cannot be 'soon'"* ]]
}

@test "report.sort_order, percent-limit, skip-empty, children" {
	record -e cpu-clock:u,dummy:u -- "$PERF" test -w thloop 0.2
	settings report.sort_order=comm
	[ "$("$PERF" report --stdio -i d | grep -v '^#')" = "$(HOME=/ "$PERF" report --stdio -i d -s comm | grep -v '^#')" ]
	[ "$("$PERF" report --stdio -s sym -i d | grep -v '^#')" = "$(HOME=/ "$PERF" report --stdio -i d -s sym | grep -v '^#')" ]
	settings report.percent-limit=50
	[ "$("$PERF" report --stdio -i d -s sym | grep -v '^#')" = "$(HOME=/ "$PERF" report --stdio -i d -s sym --percent-limit 50 | grep -v '^#')" ]
	[ "$("$PERF" report --stdio -i d -s sym --percent-limit 0 | grep -v '^#')" = "$(HOME=/ "$PERF" report --stdio -i d -s sym | grep -v '^#')" ]
	settings
	! "$PERF" report --stdio -i d | grep -q "event 'dummy:u'" || false
	settings report.skip-empty=false
	"$PERF" report --stdio -i d | grep -q "event 'dummy:u'"
}

@test "call-graph.print-type, threshold, order, print-limit: as the words of -g" {
	record -g -e cpu-clock:u -- "$PERF" test -w thloop 0.3
	same() { # SETTINGS... -- OPTIONS
		local s=()
		while [ "$1" != -- ]; do
			s+=("$1")
			shift
		done
		shift
		settings "${s[@]}"
		"$PERF" report --stdio --no-children -i d | grep -v '^#' >ours
		HOME=/ "$PERF" report --stdio --no-children -i d "$@" | grep -v '^#' >wanted
		diff wanted ours
	}
	same call-graph.print-type=folded -- -g folded
	same call-graph.print-type=none -- -g none
	same call-graph.print-type=fractal call-graph.order=caller -- -g fractal,0.5,caller
	same call-graph.threshold=40 -- -g graph,40
	same call-graph.print-limit=1 -- -g graph,0.5,1
	settings call-graph.order=sideways
	run "$PERF" report --stdio -i d
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: the setting 'call-graph' is ignored: "*sideways* ]]
}

@test "stat.big-num, stat.no-csv-summary" {
	settings stat.big-num=false
	run env LC_ALL=en_US.UTF-8 "$PERF" stat -e task-clock:u,page-faults:u -- true
	[ "$status" -eq 0 ]
	! grep -qE '^ +[0-9]+,[0-9]' <<<"$output" || false
	settings stat.no-csv-summary=true
	run "$PERF" stat -x, -I 100 --summary -e page-faults:u -- sleep 0.15
	[[ "$output" != *summary* ]]
	settings
	run "$PERF" stat -x, -I 100 --summary -e page-faults:u -- sleep 0.15
	[[ "$output" == *summary* ]]
}

@test "hist.percentage, diff.compute, annotate.show_nr_samples, annotate.hide_src_code" {
	record -e cpu-clock:u -- "$PERF" test -w thloop 0.2
	settings annotate.show_nr_samples=true
	"$PERF" annotate --stdio -i d | grep -q ' Samples '
	settings annotate.hide_src_code=true
	[ "$("$PERF" annotate --stdio -i d)" = "$(HOME=/ "$PERF" annotate --no-source --stdio -i d)" ]
	settings hist.percentage=nonsense
	run "$PERF" report --stdio -i d
	[ "$status" -ne 0 ]
	cp d e
	settings diff.compute=ratio
	"$PERF" diff d e | grep -qi ratio
}

@test "annotate.demangle: names in report and annotate" {
	command -v g++ >/dev/null || skip "no C++ compiler"
	cat >names.cc <<-'X'
	namespace space { __attribute__((noinline)) long spin(long n) { long s = 0; while (n--) s += n ^ (s >> 3); return s; } }
	int main() { return (int)space::spin(200000000) & 1; }
	X
	g++ -O1 -o names names.cc
	record -e cpu-clock:u ./names
	"$PERF" report --stdio -s sym -i d | grep -q 'space::spin$'
	"$PERF" annotate --stdio -s space::spin -i d | grep -q Percent
	run "$PERF" annotate --stdio -s _ZN5space4spinEl -i d
	[ "$status" -ne 0 ]
	settings annotate.demangle=false
	"$PERF" report --stdio -s sym -i d | grep -q '_ZN5space4spinEl$'
	"$PERF" annotate --stdio -s _ZN5space4spinEl -i d | grep -q Percent
	# the option overrides it
	"$PERF" report --stdio --demangle -s sym -i d | grep -q 'space::spin$'
}

@test "annotate.disassembler_style, annotate.show_total_period, call-graph.sort-key: as their options" {
	record -g -e cpu-clock:u -- "$PERF" test -w thloop 0.2
	same() { # SETTING COMMAND OPTION...
		settings "$1"
		"$PERF" "$2" --stdio -i d >ours
		HOME=/ "$PERF" "$2" --stdio -i d "${@:3}" >wanted
		HOME=/ "$PERF" "$2" --stdio -i d >usual
		diff wanted ours
		run cmp -s usual ours
		[ "$status" -eq 1 ]
	}
	same annotate.show_total_period=true annotate --show-total-period
	same call-graph.sort-key=address report -g address
	[ "$(uname -m)" = x86_64 ] || skip "the styles are those of x86"
	same annotate.disassembler_style=intel annotate -M intel
}

@test "trace.*: which columns there are, what arguments look like, whose calls are traced" {
	"$PERF" trace record -q -o t -- sh -c 'cat /dev/null; true' >/dev/null 2>&1 || skip "cannot trace system calls here"
	# the last close() of cat
	last() {
		settings "$@"
		"$PERF" trace -i t -e close 2>&1 | grep 'cat/' | tail -1 | sed -E 's/[0-9]+\.[0-9]{3}/N/g; s/[0-9]+ *close/PID close/'
	}
	[[ "$(last)" =~ ^\ +N\ \(\ N\ ms\):\ cat/PID\ close\(fd:\ 2\)\ {50,}=\ 0$ ]]
	[[ "$(last trace.show_timestamp=false)" =~ ^\(\ N\ ms\):\ cat/PID\ close ]]
	[[ "$(last trace.show_duration=false)" =~ ^\ +N\ cat/PID\ close ]]
	[[ "$(last trace.show_arg_names=false)" == *"close(2) "* ]]
	[[ "$(last trace.args_alignment=20)" =~ close\(fd:\ 2\)\ {8}=\ 0$ ]]
	settings trace.show_zeros=true
	"$PERF" trace -i t -e mmap 2>&1 | grep -q 'addr: 0, .*off: 0[,)]'
	settings
	run grep -q 'off: 0[,)]' <("$PERF" trace -i t -e mmap 2>&1)
	[ "$status" -eq 1 ]
	"$PERF" trace -i t -e openat 2>&1 | grep -q 'flags: RDONLY'
	settings trace.show_prefix=true
	"$PERF" trace -i t -e openat 2>&1 | grep -q 'flags: O_RDONLY'
	# live: processes that the command makes, and events as libtraceevent prints them
	settings
	"$PERF" trace -e close sh -c 'cat /dev/null; true' 2>&1 | grep -q 'cat/[0-9]* close'
	settings trace.no_inherit=true
	run grep -q 'cat/[0-9]* close' <("$PERF" trace -e close sh -c 'cat /dev/null; true' 2>&1)
	[ "$status" -eq 1 ]
	settings
	"$PERF" trace --no-syscalls -e sched:sched_process_exec true 2>&1 | grep -q 'exec(filename: "'
	settings trace.tracepoint_beautifiers=libtraceevent
	"$PERF" trace --no-syscalls -e sched:sched_process_exec true 2>&1 | grep -q 'exec(filename=/'
}

@test "ftrace.tracer is what perf ftrace runs" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	settings ftrace.tracer=nonsense
	run "$PERF" ftrace true
	[ "$status" -ne 0 ]
	[[ "$output" == *nonsense* ]] || skip "no tracefs here"
	run "$PERF" ftrace -t function_graph true
	[[ "$output" != *nonsense* ]]
}

@test "report.group, core.workers, buildid.dir, annotate.objdump, diff.order" {
	record -e '{cpu-clock:u,task-clock:u}' -- "$PERF" test -w thloop 0.2
	"$PERF" report --stdio -i d | grep -q "^# Samples: .* of events 'anon group { cpu-clock:u, task-clock:u }'"
	settings report.group=false
	[ "$("$PERF" report --stdio -i d | grep -c "^# Samples: .* of event '")" -eq 2 ]
	HOME=/ "$PERF" report --group --stdio -i d >wanted
	"$PERF" report --group --stdio -i d | diff wanted -
	if command -v strace >/dev/null; then
		# a few samples are one thread's work, whatever the setting
		"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 20000 --chains 200 many >/dev/null
		workers() { strace -f -e trace=clone,clone3 "$PERF" report --stdio -i many 2>&1 >/dev/null | grep -c 'clone3\?(.*CLONE_THREAD' || true; }
		settings core.workers=1
		one=$(workers)
		settings core.workers=4
		[ "$(workers)" -gt "$one" ]
	fi
	rm -rf .debug
	settings buildid.dir="$PWD/kept"
	"$PERF" record -q -o e -e cpu-clock:u -- "$PERF" test -w thloop 0.1 >/dev/null 2>&1
	[ -d "kept/.build-id" ]
	[ ! -e .debug ]
	"$PERF" --buildid-dir "$PWD/other" record -q -o e -e cpu-clock:u -- "$PERF" test -w thloop 0.1 >/dev/null 2>&1
	[ -d "other/.build-id" ]
	settings buildid.dir=/dev/null
	"$PERF" record -q -o e -e cpu-clock:u -- true >/dev/null 2>&1
	[ ! -e .debug ]
	cp d e
	settings diff.order=1
	HOME=/ "$PERF" diff -o 1 d e >wanted
	"$PERF" diff d e | diff wanted -
	HOME=/ "$PERF" diff -o 0 d e >other-order
	"$PERF" diff -o 0 d e | diff other-order -
	printf "[diff]\n\torder = nonsense\n" >.perfconfig
	run "$PERF" diff d e
	[ "$status" -ne 0 ]
	command -v objdump >/dev/null || return 0
	printf '#!/bin/sh\necho called >>"%s"\nexec objdump "$@"\n' "$PWD/called" >mine
	chmod +x mine
	settings annotate.objdump="$PWD/mine"
	"$PERF" annotate --stdio -i d >/dev/null 2>&1
	[ -s called ]
	rm called
	"$PERF" annotate --objdump objdump --stdio -i d >/dev/null 2>&1
	[ ! -e called ]
}

@test "top.children, top.call-graph: what top shows and records" {
	loop() { "$PERF" test -w thloop 20 & pid=$!; }
	loop
	table() { "$PERF" top --stdio -e cpu-clock:u -p $pid -d 1 --iterations 1 "$@" >got 2>&1 || { cat got; return 1; }; }
	table -g
	grep -q '^# Children' got
	settings top.children=false
	table -g
	grep -q test_loop got
	! grep -q Children got || false
	table -g --children
	grep -q Children got
	settings top.call-graph=nonsense
	table -g
	grep -q "^warning: the setting 'top.call-graph' is ignored: 'nonsense'" got
	for how in fp dwarf; do
		command -v strace >/dev/null || break
		settings top.call-graph=$how
		strace -f -v -e trace=perf_event_open -o calls "$PERF" top --stdio -g -e cpu-clock:u -p $pid -d 1 --iterations 1 >/dev/null 2>&1
		grep -q 'sample_type=.*PERF_SAMPLE_CALLCHAIN' calls
		[ "$(grep -c 'sample_type=.*PERF_SAMPLE_STACK_USER' calls)" -gt 0 ] && got=dwarf || got=fp
		[ $got = $how ]
	done
	kill $pid
}

@test "every setting that is known is on a page" {
	cd "$BATS_TEST_DIRNAME/../.."
	sed -n '/names\[\] = {/,/^};/p' util/cli/config_names.c | grep -o '"[^"]*"' | tr -d '"' >"$BATS_TEST_TMPDIR/names"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -gt 90 ]
	while read -r n; do
		[ "$n" = report.sort-order ] || # an old spelling
			grep -qF "*$n*" Documentation/*.scd || { echo "$n"; return 1; }
	done <"$BATS_TEST_TMPDIR/names"
}

@test "settings of the page are known; those without effect, too" {
	grep -oE '\*[a-z-]+\.[a-zA-Z_-]+\*' "$BATS_TEST_DIRNAME/../../Documentation/perf-config.1.scd" | tr -d '*' | sort -u >names
	[ "$(wc -l <names)" -gt 50 ]
	: >.perfconfig
	while read -r n; do
		case $n in *.NAME | *.COMMAND | session-NAME.run) continue ;; esac
		printf '[%s]\n%s = 1\n' "${n%%.*}" "${n#*.}" >>.perfconfig
	done <names
	run "$PERF" version
	[[ "$output" != *"not the name of a setting"* ]] || { echo "$output"; return 1; }
}
