#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The same keys drive the system's browser and ours: the same rows on both.

load screen
other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	command -v tmux >/dev/null || { export MISSING="no tmux (Debian package tmux)"; return; }
	[ -x $other ] || { export MISSING="no other perf (Debian package linux-perf)"; return; }
	export FILES=$BATS_FILE_TMPDIR
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	"$top/tests/bench/generate-chains" --samples 5000 --depth 8 --chains 60 --processes 2 \
		--functions 40 "$FILES/chains" >/dev/null
}

setup() {
	screen_setup
}

teardown() {
	screen_teardown
}

# Screen 1 is theirs, 2 ours; see() and key() go to the one in $screens.
both() { # function, arguments...
	for screens in 1 2; do "$@"; done
}

open_both() { # options
	start 110x30 "HOME=$BATS_TEST_TMPDIR $other report $* -i $FILES/chains"
	# it warns of the kernel's hidden addresses first
	see "Press any key"
	key x
	gone "Press any key"
	start 110x30 "$PERF report $* -i $FILES/chains"
	both see "Samples: 5K of event" "[.] work_"
}

# Rows without the sign in front, title and status line (they are worded differently), and
# their scroll bar on the right.
rows() {
	shot | sed '1d;$d' | cut -c1-100 | sed 's/^[-+]/ /; s/ *$//'
}

# Share and symbol alone: a column that says the same in all rows is left out here.
shares() {
	shot | sed '1,2d;$d' | cut -c1-100 | awk 'NF { print $(/^[-+]/ ? 2 : 1), $NF }'
}

alike() {
	screens=1 "$1" >theirs
	screens=2 "$1" >ours
	cmp -s theirs ours && [ -s ours ]
}

# same [shares]: until the rows are alike on both.
same() {
	wait_for alike "${1:-rows}" || { diff theirs ours; return 1; }
}

# Arrows and page keys do not reach their browser through tmux, so other keys are used.

@test "the first screen, without heads, with them" {
	open_both
	same
	both key H
	same
	both key H
	same
}

@test "call chains: one level, everything, closed again" {
	open_both
	both key +
	both see "   + main"
	same
	both key +
	both gone "   + main"
	same
	both key E
	both see "      - "
	same
	both key C
	both gone "      - "
	same
}

@test "zooms: object, thread, symbols by name" {
	open_both --no-children
	both key d
	both see "DSO: chains.elf"
	same
	both key d
	both gone "DSO: chains.elf"
	both key t
	both see "Thread: worker"
	same shares
	both key t
	both gone "Thread: worker"
	same shares
	both key /
	both see "ESC"
	both key -l work_1
	both key Enter
	same shares
}

@test "percentages of what is shown, and a limit" {
	open_both --no-children
	both key t
	both see "Thread: worker"
	both key F
	same shares
	both key F
	both key t
	both gone "Thread: worker"
	both key L
	both see "ESC"
	both key -l 3
	both key Enter
	same shares
}
