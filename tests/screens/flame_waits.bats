#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The flame view of a recording with waits: both kinds of time, or one.
bats_require_minimum_version 1.5.0

load screen

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	export FILES=$BATS_FILE_TMPDIR
	cat >prog.c <<-'END'
	void nap(void) { }
	void work(void) { }
	int main(void) { nap(); work(); }
	END
	gcc -O0 -fPIE -pie -fno-omit-frame-pointer prog.c -o prog
	"$BATS_TEST_DIRNAME/../cli/make-offcpu" "$PWD/prog" data <<-'END'
	run 25 1000000 work main
	wait 3 25000000 k:schedule nap main
	END
}

setup() {
	screen_setup
}

teardown() {
	screen_teardown
}

@test "both kinds together, w shows the list's event alone" {
	start 80x24 "$PERF report -i $FILES/data --kallsyms $FILES/data.kallsyms"
	see "Available samples" "offcpu-time"
	key Enter
	see "Press '?'"
	key f
	see "Times of 'cpu-clock' and 'offcpu-time'" "all: 100.00%, self 0.00%, 0.100000 s, 75% waiting"
	wait_for line_is 5 '^nap {57}work *$'
	key Down Down Down
	see "nap: 75.00%, 75.00% of its caller, self 0.00%, 0.075000 s, 100% waiting"
	t capture-pane -p -e >colours
	# the selected box, and what it calls, which waited
	grep -E $'\x1b\\[[0-9;]*48;5;141m *schedule' colours
	grep -E $'\x1b\\[[0-9;]*48;5;[0-9]*m *work' colours
	run ! grep -E $'\x1b\\[[0-9;]*48;5;141m *work' colours
	key w
	see "all: 100.00%, self 0.00%, 25 samples"
	gone schedule
	key w
	see "75% waiting"
	key Escape
	see "Press '?'"
}
