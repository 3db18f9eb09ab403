#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Names in a recording never control the terminal: each command, each form, each option that
# prints another name.  make-hostile says which names there are, and judges what was printed.
bats_require_minimum_version 1.5.0

setup_file() {
	type gcc objcopy python3 >/dev/null || return 0
	mkdir -p "$BATS_FILE_TMPDIR/d"
	"$BATS_TEST_DIRNAME/make-hostile" "$BATS_FILE_TMPDIR/d"
}

setup() {
	type gcc objcopy python3 >/dev/null || skip "no gcc, objcopy or python3"
	cd "$BATS_FILE_TMPDIR/d"
	export HOME=$BATS_TEST_TMPDIR
}

# clean STATUS COMMAND...: it ends with that status, shows a name that was made printable, and none as it is
clean() {
	want=$1 status=0
	shift
	timeout 60 "$PERF" "$@" </dev/null >"$BATS_TEST_TMPDIR/out" 2>&1 || status=$?
	echo "perf $*"
	[ "$status" -eq "$want" ] || { cat -v "$BATS_TEST_TMPDIR/out"; return 1; }
	"$BATS_TEST_DIRNAME/make-hostile" --check-text "$BATS_TEST_TMPDIR/out"
	grep -q -e 'x1b\]0' -e 'u001b\]0' -e $'\xef\xbf\xbd\]0' "$BATS_TEST_TMPDIR/out"
}

@test "the judge finds each of them" {
	for evil in '\033]0;x' '\007' '\233m' '\302\2332J' '\342\200\256' '\nFORGED'; do
		printf "name $evil\n" >"$BATS_TEST_TMPDIR/out"
		run ! "$BATS_TEST_DIRNAME/make-hostile" --check "$BATS_TEST_TMPDIR/out"
	done
	printf 'name \033[31m\n' >"$BATS_TEST_TMPDIR/out"
	run ! "$BATS_TEST_DIRNAME/make-hostile" --check-text "$BATS_TEST_TMPDIR/out"
	printf 'box \342\224\233 and \303\233\n' >"$BATS_TEST_TMPDIR/out" # 9b inside of letters
	"$BATS_TEST_DIRNAME/make-hostile" --check "$BATS_TEST_TMPDIR/out"
}

@test "report: titles, columns, trees, dumps" {
	while read -r options; do
		# shellcheck disable=SC2086
		clean 0 report --stdio $options
	done <<-'EOF'

		--sort comm,dso,sym,srcline,srcfile,cgroup,tid,cpu,trace
		--sort sym,who,what
		--raw-trace --sort trace
		--hierarchy
		-g caller,address,srcline
		-g folded
		--folded
		-v
		-D
		--stats
		--tasks
		--mmaps
		-T
		--header -I
		--no-group
		-t ,
		-q
		--dsos nosuch
		--json
		--flamegraph -
	EOF
}

@test "script, evlist, buildid-list, diff, annotate" {
	for options in '' -v -D -L --header '-F comm,tid,event,trace,ip,sym,dso,cgroup -G' '-F ip,sym,srcline' \
		'--show-mmap-events --show-task-events --show-cgroup-events' '--max-stack 1' --tsv --json \
		'--tsv -F ip,comm,event,trace,sym,dso,srcline,cgroup' '--header-only -I'; do
		# shellcheck disable=SC2086
		clean 0 script $options
	done
	for options in '' -v -g --trace-fields; do
		# shellcheck disable=SC2086
		clean 0 evlist $options
	done
	clean 0 trace -i perf.data
	clean 0 trace -i perf.data --libtraceevent_print
	clean 0 buildid-list
	clean 0 buildid-list -H
	clean 0 buildid-cache -M perf.data
	mkdir "$HOME/.debug"
	clean 1 archive perf.data
	clean 0 diff -v perf.data perf.data
	clean 0 diff -s comm,dso,sym perf.data perf.data
	for options in '' -l -P -v -q; do
		# shellcheck disable=SC2086
		clean 0 annotate --stdio $options
	done
	clean 0 annotate --stdio2 -l
}

@test "the architecture" {
	for command in 'report --stdio --header-only -I' 'report --stdio' 'report -D' 'script --header' 'evlist -v' \
		'annotate --stdio' 'annotate --stdio2' 'mem report --stdio' 'c2c report --stdio' 'kvm report --stdio' \
		'data convert --to-json json --force -v'; do
		# shellcheck disable=SC2086
		timeout 60 "$PERF" $command -i arch </dev/null >"$BATS_TEST_TMPDIR/out" 2>&1 || [ $? -lt 126 ]
		echo "$command"
		"$BATS_TEST_DIRNAME/make-hostile" --check-text "$BATS_TEST_TMPDIR/out"
	done
	clean 0 report --stdio --header-only -I -i arch
}

@test "counts: units and names of events, names of threads" {
	"$PERF" stat record -e cpu-clock,page-faults -o - -- true 2>/dev/null | "$BATS_TEST_DIRNAME/make-hostile" --counts >counts
	for options in '' -x, -j --per-thread; do
		# shellcheck disable=SC2086
		clean 0 stat report -i counts $options
	done
	clean 0 script -i counts
	clean 0 script -i counts -D
	clean 0 evlist -i counts
}

@test "live: cgroups of perf stat, and programs of perf probe -l" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	evil=$'evil\033]0;x\007\302\233m\342\200\256'
	printf 'volatile int x;\n__attribute__((noinline)) void work(void) { x++; }\nint main(void) { work(); return 0; }\n' \
		>"$BATS_TEST_TMPDIR/work.c"
	gcc -g -O1 -o "$BATS_TEST_TMPDIR/$evil" "$BATS_TEST_TMPDIR/work.c"
	if "$PERF" probe -q -x "$BATS_TEST_TMPDIR/$evil" hostile_work=work 2>/dev/null; then
		run clean 0 probe -l
		probe=$status said=$output
		"$PERF" probe -q -d 'probe_evil*:hostile_work'
		[ "$probe" -eq 0 ] || { echo "$said"; return 1; }
	fi
	top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	{ [ -n "$top" ] && mkdir "$top/evil"$'\033''_0;x'; } 2>/dev/null || skip "no cgroups of version 2"
	rmdir "$top/evil"$'\033''_0;x'
	# a pattern that fits the name, which may itself not be one
	mkdir "$top/$evil"
	bad=
	for form in "" "-x," "--json" "-A"; do
		# shellcheck disable=SC2086
		run clean 0 stat -a $form -e task-clock --for-each-cgroup '^evil.*' -- true
		[ "$status" -eq 0 ] || bad+="$form: $output"
	done
	rmdir "$top/$evil"
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}

@test "bundled scripts, and conversions" {
	"$PERF" data convert --to-json "$BATS_TEST_TMPDIR/json" --force
	grep -q 'u001b\]0' "$BATS_TEST_TMPDIR/json"
	"$BATS_TEST_DIRNAME/make-hostile" --check-text "$BATS_TEST_TMPDIR/json"
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$BATS_TEST_TMPDIR/json"
	"$PERF" check -q feature libpython || skip "built without libpython"
	scripts=$BATS_TEST_DIRNAME/../../libexec/scripts/python
	for script in event_analyzing_sample.py stackcollapse.py gecko.py; do
		clean 0 script -s "$scripts/$script"
	done
	"$BATS_TEST_DIRNAME/make-tracepoints" calls <<-EOF
		event raw_syscalls:sys_enter id:s64 args:words
		event raw_syscalls:sys_exit id:s64 ret:s64
		event syscalls:sys_enter_read fd:u64 buf:u64 count:u64
		event syscalls:sys_exit_read ret:s64
		comm 7 $(printf '\033]0;EV\007\342\200\256') 0
		at 1000 0 7 raw_syscalls:sys_enter 0 1,2
		at 1100 0 7 syscalls:sys_enter_read 1 2 3
		at 1200 0 7 syscalls:sys_exit_read -2
		at 1300 0 7 raw_syscalls:sys_exit 0 -2
	EOF
	for script in syscall-counts-by-pid failed-syscalls-by-pid rw-by-pid; do
		clean 0 script -i calls -s "$scripts/$script.py"
	done
	# a script of the user's gets and prints what is there
	printf 'def process_event(d):\n    print(ascii(d["comm"]))\n' >own.py
	"$PERF" script -s own.py | grep -q "x1b\]0;EVIL.x07"
}

@test "a file without the names of its events takes them from its formats; a pipe has the same" {
	"$PERF" inject -i perf.data -o - >piped
	"$PERF" report --stdio -i - <piped >"$BATS_TEST_TMPDIR/out" 2>&1
	"$BATS_TEST_DIRNAME/make-hostile" --check "$BATS_TEST_TMPDIR/out"
	"$PERF" script -i - <piped >"$BATS_TEST_TMPDIR/out" 2>&1
	"$BATS_TEST_DIRNAME/make-hostile" --check "$BATS_TEST_TMPDIR/out"
}

@test "the browser: rows, the event menu, a symbol's menu, code, flame view" {
	"$PERF" version --build-options | grep -qi 'slang.*on' || skip "built without the browser"
	type script >/dev/null || skip "no script(1)"
	for command in report annotate; do
		{
			sleep 2
			for key in '\r' '\r' 'a' 'h' 'q' 'q' 'f' 'q' '\003' '\003'; do
				printf "$key"
				sleep 0.3
			done
		} | timeout 60 script -qec "stty rows 50 cols 200; TERM=xterm LC_ALL=C.UTF-8 $PERF $command --tui; echo left=\$?" typed >/dev/null || :
		grep -q 'x1b\]0' typed
		[ $command = annotate ] || grep -q 'samples  ?: help' typed # the line below the flame view
		# it is left by the keys, not by the timeout
		grep -q 'left=[0-9]' typed
		"$BATS_TEST_DIRNAME/make-hostile" --check typed
	done
}

@test "record: the last line names its file, and the file has that name" {
	cd "$BATS_TEST_TMPDIR"
	name=$'a\033[31mb\xc2\x9b.data'
	run -0 "$PERF" record -N -e cpu-clock -o "$name" true
	[[ "$output" == *'wrote '*' MB a\x1b[31mb\xc2\x9b.data ('* && "$output" != *$'\033'* && "$output" != *$'\xc2'* ]]
	[ -s "$name" ]
}
