#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf stat: lines, columns and their widths are pinned by tests/data/stat-golden.txt, which perf 6.1
# made.  To make it anew: STAT_GOLDEN=/usr/bin/perf bats tests/cli/stat_golden.bats prints it.

setup() {
	cd "$BATS_TEST_TMPDIR"
	golden=$BATS_TEST_DIRNAME/../data/stat-golden.txt
}

shape() { # form
	python3 "$BATS_TEST_DIRNAME/../data/stat-shape.py" "$1"
}

outputs() { # perf
	local events=cpu-clock,page-faults,dummy form args
	for form in text csv json; do
		for args in "-e $events -C 0" "-e $events -C 0 -A" "-e $events -C 0 --per-core" \
			"-e $events -C 0 --per-die" "-e $events -C 0 --per-socket" "-e $events -C 0 --per-node" \
			"-e $events -C 0 -r 2" "-e $events -C 0 -I 15 --interval-count 1" \
			"-e $events -C 0 -A -I 15 --interval-count 1" "-e task-clock:u,page-faults" "-n" \
			"-e {cpu-clock,page-faults} -r 2" "-e duration_time,page-faults"; do
			case $form in csv) set -- "$1" -x, ;; json) set -- "$1" -j ;; *) set -- "$1" ;; esac
			echo "== $form $args"
			"$1" stat ${2:+"$2"} $args sleep 0.02 2>&1 | shape "$form"
		done
	done
}

@test "text, -x and -j have the lines, columns and widths of perf 6.1" {
	if [ -n "${STAT_GOLDEN:-}" ]; then
		outputs "$STAT_GOLDEN" >&3
		return
	fi
	outputs "$PERF" >got
	diff <(sed 1d "$golden") got
}
