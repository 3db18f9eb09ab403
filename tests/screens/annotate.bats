#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The terminal's annotate screen: keys in, screen text out, in a tmux of our own; where Debian's
# browser has the same screen, it gets the same keys beside ours.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}
bats_require_minimum_version 1.5.0

setup_file() {
	command -v tmux >/dev/null || { export MISSING="no tmux (Debian package tmux)"; return; }
	export FILES=$BATS_FILE_TMPDIR HOME=$BATS_FILE_TMPDIR
	cat >"$FILES/work.c" <<-'EOF'
	#include <string.h>
	#include <time.h>
	struct point { int x, y; long w; };
	struct point points[4000];
	__attribute__((noinline)) long helper(long a)
	{
		return a * 31 + strlen((char *)points);
	}
	__attribute__((noinline)) long inner(struct point *p, int n)
	{
		long s = 0;
		for (int i = 0; i < n; i++) {
			s += p[i].w;
			if (p[i].x > p[i].y)
				s ^= p[i].x;
			else
				p[i].y += s & 3;
		}
		s += helper(s);
		return s + 1;
	}
	int main(void)
	{
		clock_t end = clock() + CLOCKS_PER_SEC / 3;
		long t = 0;

		for (int i = 0; i < 4000; i++)
			points[i] = (struct point){ i * 7 % 13, i * 5 % 11, i };
		while (clock() < end)
			t += inner(points, 4000);
		return t == 1;
	}
	EOF
	gcc -O2 -g -o "$FILES/work" "$FILES/work.c"
	cd "$FILES"
	"$RIVAL" record -q -e cpu-clock:u -F 1999 -o one ./work
	"$RIVAL" record -q -e '{cpu-clock:u,task-clock:u}' -F 499 -o two ./work
}

load screen

setup() {
	screen_setup
	export HOME=$FILES
}

teardown() {
	screen_teardown
}

# Rows without what the two browsers draw differently: blanks at the end, the
# scroll bar.
rows() {
	sed -n '3,22p' | sed -E 's/[▒◆]$//; s/[[:space:]]+$//'
}

# Screen 1 is theirs, 2 ours.
same_rows() {
	screens=1 shot | rows >theirs
	screens=2 shot | rows >ours
	cmp -s theirs ours && [ -s ours ]
}

ours_changed() {
	screens=2 shot | rows >ours
	! cmp -s ours before || return 1
}

@test "rows are those of Debian's browser, whatever the keys show" {
	start 100x24 "$RIVAL annotate -i $FILES/one inner"
	see "Press 'h' for help"
	start 100x24 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help" "inner  $FILES/work [Percent: local period]"
	[ "$(sed -n 1p screen | grep -c "Samples: .* of event 'cpu-clock:u'")" -eq 1 ]
	for screens in 1 2; do
		key PPage PPage PPage PPage
		see "Disassembly of section"
	done
	wait_for same_rows || { diff theirs ours; return 1; }
	# the first O shows offsets of calls: there is none in these rows
	for k in s O- O O t t t; do
		shot | rows >before
		screens=1 key "${k%-}"
		key "${k%-}"
		[ "$k" = O- ] || wait_for ours_changed
		wait_for same_rows || { echo "key $k"; diff theirs ours; return 1; }
	done
}

@test "keys: hottest, next, jump target, call, back" {
	start 100x30 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	"$PERF" annotate -i "$FILES/one" --stdio2 --no-source inner | grep -E '^ +[0-9]+\.[0-9]+ ' | sort -rn | head -1 |
		awk '{ print $1 }' >hottest
	key Home s
	at 'push|test|lea|xor|mov|sub|endbr'
	key H
	at "^ +$(cat hottest) "
	key /
	see "Part of a line"
	grep -qF Search screen # the title, whole
	key -l 'call'
	key Enter
	gone "Part of a line"
	see "call   helper"
	key Enter
	see "helper  $FILES/work"
	key Escape
	see "inner  $FILES/work"
	key Enter
	see "helper  $FILES/work"
	key q
	see "inner  $FILES/work"
	key q
	see "left=0" " echo"
}

# coloured CODE: a piece of the screen in the colours of this escape sequence
coloured() {
	t capture-pane -p -e >colours
	grep -qE $'\033'"\\[$1m *[^ "$'\033]' colours
}

@test "colors.addr, jump_arrows, top, selected: the colours of code" {
	printf '[colors]\naddr = cyan, default\njump_arrows = red, default\ntop = yellow, default\nmedium = yellow, default\nselected = white, green\n' >colors
	start 100x40 "PERF_CONFIG=$PWD/colors $PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key Home
	# addresses of targets, arrows, percentages, the cursor
	for code in 36 31 93 42; do
		wait_for coloured "[0-9;]*$code[0-9;]*" || { cat -v colours; return 1; }
	done
	# and without settings other colours
	start 100x40 "PERF_CONFIG=/dev/null $PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key Home
	for code in 35 34; do
		wait_for coloured "[0-9;]*$code[0-9;]*" || { cat -v colours; return 1; }
	done
	run ! coloured 36
}

# shown SETTING REGEX: a line of the screen with this setting matches
shown() {
	printf '[annotate]\n\t%s\n' "$1" >config
	start 100x40 "PERF_CONFIG=$PWD/config $PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key s Home
	see_re "$2"
}

@test "annotate.jump_arrows, show_nr_jumps, show_linenr, use_offset, offset_level: what is shown first" {
	# usual: the target of a jump has its offset, other instructions have none
	shown "use_offset = true" '│[0-9a-f]+:   add '
	shown "use_offset = false" '│ *[0-9a-f]{4,}:   add '
	shown "show_nr_jumps = true" '│[1-9] +[0-9a-f]+: +add '
	shown "offset_level = 3" '│ *[0-9a-f]+: +nop'
	shown "offset_level = 1" '│ +nop'
	printf '[annotate]\n\tshow_linenr = true\n' >config
	start 100x40 "PERF_CONFIG=$PWD/config $PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key Home # which instruction is the hottest one depends on the processor
	see_re "│$(grep -n 'long s = 0' "$FILES/work.c" | cut -d: -f1) +long s = 0"
	# the arrow of the selected jump leads to its target
	for arrows in true false; do
		printf '[annotate]\n\tjump_arrows = %s\n' $arrows >config
		start 100x40 "PERF_CONFIG=$PWD/config $PERF annotate -i $FILES/one inner"
		see "Press 'h' for help"
		key s Home
		key /
		see "Part of a line"
		key -l jle
		key Enter
		gone "Part of a line"
		at 'jle'
		if [ $arrows = true ]; then
			see_re '│ +┌↓ jle'
		else
			see_re '│ +↓ jle'
		fi
	done
}

cursor_above() {
	[ "$(cursor)" -lt "$1" ]
}

@test "keys with the same meaning: screens, ends, sideways, help, follow and back" {
	start 100x16 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key s Home
	wait_for cursor_is 2
	shot | sed -n 3p >first
	first() { sed -n 3p screen | diff -q first - >/dev/null; }
	for k in NPage Space; do
		key $k
		wait_for not_first
		key PPage
		wait_for first
		key Home
		wait_for cursor_is 2
	done
	key End
	wait_for not_first
	see " ret"
	key Home
	wait_for first
	moves Down
	moves Up
	key '>'
	wait_for not_first
	key '<'
	wait_for first
	for k in h F1; do
		key $k
		see "Key bindings"
		key q
		gone "Key bindings"
	done
	for k in Right Enter; do
		key /
		see "Part of a line"
		key -l call
		key Enter
		gone "Part of a line"
		at 'call   helper'
		key $k
		see "helper  $FILES/work"
		key Left
		see "inner  $FILES/work"
		key Home
	done
	key r
	see "Scripts" "check-perf-trace"
	key Escape
	see "inner  $FILES/work"
	key C-c
	see "left=0" " echo"
}

not_first() { ! first; }

@test "j draws the selected jump; ENTER goes along it" {
	start 100x40 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key s Home
	gone "Disassembly of section"
	for _ in $(seq 30); do
		moves Down
		line_matches '↑' && break
	done
	at '↑'
	see "┌" "└"
	key j
	gone "┌"
	from=$(cursor)
	key Enter
	wait_for cursor_above "$from"
}

@test "search, location, values, percent types, printing" {
	start 120x40 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key /
	see "Part of a line"
	grep -qF Search screen # the title, whole
	key -l 'call'
	key Enter
	see "call   helper"
	key l
	see "work.c:"
	key -l '?'
	see "Part of a line"
	key -l 'nowhere'
	key Enter
	see "'nowhere' is not there"
	key p
	see "[Percent: global period]"
	key b
	see "[Percent: global hits]"
	key p b
	see "[Percent: local period]"
	key P
	see "inner.annotation written!"
	grep -q 'call   helper' inner.annotation
	key f
	see_re '│[0-9a-f]{4}: '
	key o
	see "<helper>"
}

@test "keys: jumps to a target, source numbers, in order of heat, search again" {
	start 120x50 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	"$PERF" annotate -i "$FILES/one" --stdio2 --no-source inner | grep -E '^ +[0-9]+\.[0-9]+ ' | sort -srn | awk '{ print $1 }' >heat
	at "^ +$(sed -n 1p heat) "
	key Tab
	at "^ +$(sed -n 2p heat) "
	key Tab
	at "^ +$(sed -n 3p heat) "
	key BTab
	at "^ +$(sed -n 2p heat) "
	key H
	at "^ +$(sed -n 1p heat) "
	# the loop's begin has two jumps to it, as objdump tells
	target=$(objdump -d --no-show-raw-insn "$FILES/work" | sed -n '/<inner>:/,/^$/p' | awk '$2 ~ /^j/ { print $3 }' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
	key J
	see_re "│ *$target +[0-9a-f]+: "
	key J
	key k
	line=$(grep -n 's += p\[i\].w' "$FILES/work.c" | cut -d: -f1)
	see_re "│ *$line +s \+= p\[i\].w"
	key k
	key /
	see "Part of a line"
	key -l cmp
	key Enter
	gone "Part of a line" # what is typed would match
	at '│.*cmp '
	first=$(cursor)
	moves n
	at '│.*cmp '
	key N
	wait_for cursor_is "$first"
}

@test "T shows types and fields" {
	start 120x60 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key T
	see "# data-type: struct point +0x4 (y)" "# data-type: struct point +0x8 (w)"
	key T
	gone "# data-type"
}

@test "the help is made of the keys that work" {
	start 100x50 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key h
	see "Go to the hottest instruction" "Source lines" "Print to SYMBOL.annotation" "ENTER RIGHT" "PGUP PGDN SPACE" "q ESC LEFT" "/ ?"
	key q
	see "inner  "
}

@test "a box is as wide as its title" {
	start 100x50 "$PERF annotate -i $FILES/one inner"
	see "Press 'h' for help"
	key F
	see_re '─ *Minimum share of an instruction in percent *─'
	key Escape
}

@test "a list of functions, and back to it" {
	start 100x24 "$PERF annotate -i $FILES/one"
	see "Percent  Function" "inner  work"
	key Enter
	see "inner  $FILES/work"
	key Left
	see "Percent  Function"
	key q
	see "left=0"
}

@test "from report by key and by menu" {
	start 100x24 "$PERF report -i $FILES/one"
	see "inner" "Press '?' for help"
	key a
	see "inner  $FILES/work [Percent"
	key q
	see "Press '?' for help"
	key Enter
	see "Annotate inner"
	key Enter
	see "inner  $FILES/work [Percent"
	key Escape
	see "Press '?' for help"
	key a
	see "inner  $FILES/work [Percent"
	key C-c
	see "left=0"
}

@test "a group has a column for each event" {
	start 100x24 "$PERF annotate -i $FILES/two inner"
	see "of events 'anon group { cpu-clock:u, task-clock:u }'"
	see_re '^ +[0-9.]+ +[0-9.]+ │'
}

@test "no UTF-8, small, --tui without a terminal" {
	start 60x10 "LC_ALL=C $PERF annotate -i $FILES/one inner"
	see "is small" "|"
	run -1 "$PERF" annotate --tui -i "$FILES/one" inner </dev/null
	[[ "$output" == *"--tui needs a terminal"* ]]
	run -129 "$PERF" annotate --tui --stdio -i "$FILES/one" inner
}

@test "tui.annotate=false is plain text on a terminal" {
	printf '[tui]\n\tannotate = false\n' >config
	start 100x24 "PERF_CONFIG=$PWD/config PAGER=cat $PERF annotate -i $FILES/one inner"
	see "left=0" "ret"
}

@test "what cannot be disassembled is said on the screen" {
	start 100x24 "$PERF annotate --objdump /no/objdump -i $FILES/one inner"
	see "No disassembly" "/no/objdump"
	key q
	see "left="
	# a long reason takes several lines, and its end is seen
	long=/no/$(printf 'directory/%.0s' {1..12})objdump-of-mine
	start 60x24 "$PERF annotate --objdump $long -i $FILES/one inner"
	see "No disassembly" "objdump-of-mine"
	t resize-window -x 200 -y 24
	see "$long"
	key q
	see "left="
}

@test "c shows the range of a block's cycles" {
	gcc -O1 -c -o loop.o -x c - <<<'long hot(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * n; return s; } int main(void) { return hot(9); }'
	gcc -o loop loop.o
	read -r jump < <(objdump -d --no-show-raw-insn loop | sed -n '/<hot>:/,/ret/p' | awk '$2 ~ /^j/ { sub(":", "", $1); print $1 }' | tail -1)
	start=$(nm loop | awk '$3 == "hot" { print $1 }')
	"$BATS_TEST_DIRNAME/../cli/make-branches" "$PWD/loop" cycles \
		"hot:$(printf %x $((0x$jump - 0x$start))):4:30:5,7,9"
	start 100x50 "$PERF annotate -i cycles hot"
	see "IPC" "(Average IPC: "
	see_re '^ +[0-9.]* +[0-9.]+ +7 │.*j'
	key c
	see_re '^ +[0-9.]* +[0-9.]+ +7\(5/9\) │.*j'
	key h
	see "Cycles of blocks"
	key q
	see "Press 'h'"
	key c
	gone "7(5/9)"
	key q
	start 100x160 "$PERF annotate --tui --asm-raw -i $FILES/one inner"
	see_re '│ +85 f6 +test '
	key h
	see "Key bindings"
	run ! grep -q "Cycles of blocks" screen
}

@test "files that change while they are open: the recording, the program" {
	cp "$FILES/one" data
	start 100x24 "$PERF report -i data"
	see "Press '?'" "inner"
	: >data
	key f
	see "all: 100.00%"
	key Escape
	see "Press '?'"
	key i
	see "Header information"
	key q
	see "Press '?'"
	key a
	see "inner  $FILES/work [Percent"
	key C-c
	see "left=0"
	# a program that is cut short: an error that names it, and a terminal as it was
	cp "$FILES/work" work
	"$RIVAL" record -q -N -e cpu-clock:u -F 999 -o cut ./work
	start 100x24 "$PERF --buildid-dir $PWD/none annotate -i cut"
	see "Percent  Function" "inner  work"
	: >work
	key Enter
	see "error: a file was truncated while it was read" "$PWD/work" "left=1" " echo"
}
