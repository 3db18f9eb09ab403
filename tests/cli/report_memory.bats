#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Memory of perf report for files that are large in one way: compared with another perf's in the same run.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ -x "$RIVAL" ] || skip "no other perf here"
	! nm -D "$PERF" | grep -q __asan_ || skip "a sanitized program has its own memory"
}

# KB that were resident at most
memory() {
	PERF_WORKERS=2 python3 - "$@" <<-'END'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], stdout=open("out", "w"), stderr=subprocess.DEVNULL, check=True)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

@test "many short processes, without mappings of theirs and with some" {
	for maps in 0 4; do
		"$BATS_TEST_DIRNAME/make-processes" 60000 $maps many
		ours=$(memory "$PERF" report --stdio -i many -s comm)
		grep -q '^ *100.00%  *sh' out
		theirs=$(memory "$RIVAL" report --stdio -i many -s comm)
		echo "$maps mappings: $ours KB, theirs $theirs KB"
		[ "$ours" -lt "$theirs" ]
	done
}
