#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The terminal browser of perf report: keys in, screen text out, in a tmux of our own.
# The facts come from a generated file whose totals the generator printed.
bats_require_minimum_version 1.5.0

setup_file() {
	command -v tmux >/dev/null || { export MISSING="no tmux (Debian package tmux)"; return; }
	export FILES=$BATS_FILE_TMPDIR
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	"$top/tests/bench/generate-chains" --samples 5000 --depth 8 --chains 60 --processes 2 \
		--functions 40 "$FILES/chains" >"$FILES/made"
	# "worker0" becomes a name that would turn a terminal red
	sed 's/worker0/w\x1b[31mX/g' "$FILES/chains" >"$FILES/odd"
	"${RIVAL_PERF:-/usr/bin/perf}" record -q -e page-faults -e sched:sched_process_exec -o "$FILES/two" \
		sh -c '/bin/true; ls /' >/dev/null 2>&1 || rm -f "$FILES/two"
}

load screen
bats_require_minimum_version 1.5.0

setup() {
	screen_setup
}

teardown() {
	screen_teardown
}

made() { # the number behind this word in what the generator printed
	sed -E "s/.*\b$1 ([0-9]+).*/\1/" "$FILES/made"
}

@test "a person at a terminal gets the browser: title, head, rows, status line" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Samples: 5K of event 'cpu-clock:HG', Event count (approx.): $(made periods)" \
		"Press '?' for help on key bindings"
	[ "$(made samples)" -eq 5000 ]
	wait_for line_is 2 '^  Children +Self  Command  Shared Object  Symbol'
	wait_for count_is 21 '^\+'
	# both processes' main together are everything
	grep -E '^\+ +[0-9.]+% +0.00%  worker[01] +chains.elf +\[\.\] main$' screen >mains
	[ "$(wc -l <mains)" -eq 2 ]
	awk '{ sum += $2 } END { exit !(sum > 99.98 && sum < 100.02) }' mains
	key q
	see "left=0" " echo"
	gone "Press '?'"
}

@test "rows are those of plain text, in its order" {
	"$PERF" report --stdio -g none -i "$FILES/chains" 2>/dev/null | grep '%' | head -37 | sed 's/^ *//' >plain
	start 120x40 "$PERF report -i $FILES/chains"
	see "Press '?'"
	wait_for count_is 37 '^\+'
	grep '^+' screen | sed 's/^+ *//' >rows
	diff -u plain rows
}

@test "a long name of an object or a command leaves 30 columns to the symbol, and a file has all of it" {
	long=an-object-with-a-name-that-is-far-too-long-for-a-terminal-of-80-columns
	cp "$(type -P true)" $long
	"$PERF" record -q -e page-faults:u -c 1 -o long "./$long" 2>/dev/null
	start 80x24 "$PERF report -i long"
	see "Press '?'"
	wait_for line_is 2 '^  Overhead +Command +Shared Object +Symbol'
	head -2 screen | tail -1 >head
	before=$(sed 's/Symbol.*//' head | wc -m)
	symbol=$("$PERF" report --stdio -i long -s sym -F sym 2>/dev/null | grep -o '\[[.k]\].*' | wc -L)
	[ "$symbol" -le 30 ] || symbol=30
	[ "$symbol" -ge 16 ] # it was measured
	[ $((before - 1 + symbol)) -le 80 ] || { cat screen; false; }
	has "  an-object-with-" "  [.] "
	has_not "for-a-terminal"
	t resize-window -x 140 -y 24
	see "$long  [.] "
	t resize-window -x 80 -y 24
	gone "for-a-terminal"
	key P
	see "perf.hist.0 written!"
	grep -qF -- "$long  [.] " perf.hist.0
}

@test "30 columns stay for the symbol beside more columns: callers and callees, three keys" {
	long=an-object-with-a-name-that-is-far-too-long-for-a-terminal-of-80-columns
	printf '%s\n' 'volatile long s;' \
		'__attribute__((noinline)) void a_function_whose_name_needs_thirty(void) { for (int i = 0; i < 90000000; i++) s += i; }' \
		'int main(void) { a_function_whose_name_needs_thirty(); return 0; }' >long.c
	gcc -O1 -o $long long.c
	"$PERF" record -q -g -e cpu-clock:u -o long "./$long" 2>/dev/null
	for keys in "" --children --no-children "-s comm,dso,sym" "--no-children -s comm,dso,sym" "-s dso,sym -n"; do
		start 80x24 "$PERF report $keys -i long"
		see "Press '?'" "[.] a_function_whose_name_need" # 30 columns
		key q
	done
}

@test "call chains: one level, an entry, all; closing goes up" {
	start 100x30 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key +
	see "   + main"
	wait_for line_is 3 '^-  '
	key Down + Down +
	see "   - main" "      - "
	key c c c
	gone "   - main"
	key c
	gone "   + main"
	key e
	see "   - main"
	see_re '^      - [0-9.]+% work_[0-9]+$'
	see_re '^         - [0-9.]+% work_[0-9]+$'
	key e
	gone "   - main"
	key E End
	gone "[.] main"
	key C Home
	see "[.] main"
	wait_for count_is 27 '^\+'
}

all_of_it() {
	grep -o '[0-9.]*%' screen | awk '{ sum += $1 } END { exit !(sum > 95 && sum < 100.1) }'
}

@test "zooms are crumbs, undone one by one; F rebases the percentages" {
	start 120x40 "$PERF report --no-children -i $FILES/chains"
	see "Press '?'"
	shot | sed -n 3p >first
	read -r _ percent comm _ <first
	key t
	see ", Thread: $comm"
	gone Command
	key d
	see ", Thread: $comm, DSO: chains.elf"
	gone 'Shared Object'
	wait_for line_is 3 "${percent//./\\.}"
	key F
	see "[relative]"
	wait_for all_of_it
	key F
	gone "[relative]"
	key Left
	gone "DSO: chains.elf"
	see "Thread: $comm"
	key Escape
	gone "Thread: $comm"
	key Escape
	see "Do you really want to exit?"
	key n
	gone "Do you really"
	see "Press '?'"
}

# choose TEXT: the menu's line with it; the first one, below the title, is selected.
choose() {
	local line
	line=$(grep -nF "$1" screen | cut -d: -f1)
	for ((; line > 2; line--)); do key Down; done
	key Enter
}

@test "menu of a row: symbol zoom, map details" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key Enter
	see "Zoom into chains.elf DSO" "Zoom into main symbol" "Expand [main] callchain" "ESC: exit, ENTER|->: Select option"
	choose "Zoom into main symbol"
	see ", Symbol: main"
	wait_for count_is 2 '^\+'
	key Enter
	see "Zoom out of main symbol" "Browse map details"
	choose "Browse map details"
	see "symbols"
	see "work_0"
	key q
	see ", Symbol: main"
}

@test "menu of a branch: code and zooms of where it began and where it ended" {
	cat >two.s <<-'END'
		.globl first, second, main
		.type first, @function
		.type second, @function
		first:	nop; nop; nop; nop
			ret
		.size first, . - first
		second:	nop; nop; nop; nop; nop
			jmp first
		.size second, . - second
		main:	ret
	END
	gcc -o two two.s
	# 120 branches from second+5 to first+1, 80 inside of second
	place() { nm two | awk -v n=$1 '$3 == n { print $1 }'; }
	"$BATS_TEST_DIRNAME/../cli/make-branches" "$PWD/two" branches \
		"first:$(printf %x $((0x$(place second) - 0x$(place first) + 5))):1:30:5" second:5:2:20:7
	start 100x30 "$PERF report -b -i branches"
	see "Press '?'" "[.] second" "[.] first"
	key Enter
	see "Annotate second, where it branched from" "Annotate first, where it branched to" \
		"Zoom into two source DSO" "Zoom into first target symbol"
	choose "Annotate second, where it branched from"
	see_re '^second  .*two'
	# 200 branches left from the jump, 80 came to the third instruction
	see_re '^ +71.43 .*jmp'
	see_re '^ +28.57 .*nop'
	key Escape
	see "Press '?'"
	key Enter
	see "where it branched to"
	choose "Annotate first, where it branched to"
	see_re '^first  .*two'
	see_re '^ *100.00 .*nop'
	key Escape
	see "Press '?'"
	key Enter
	see "target symbol"
	choose "Zoom into first target symbol"
	see ", Target Symbol: first"
	wait_for count_is 1 '%'
	key Left
	gone "Target Symbol:"
	key Down Enter
	see "Annotate second"
	gone "where it branched"
}

@test "--samples: the menu of a row shows some of its samples" {
	start 100x30 "$PERF report -i $FILES/chains --samples 4 --no-children -s comm,sym"
	see "Press '?'"
	key Enter
	see "Show 4 of its samples"
	choose "Show 4 of its samples"
	see "Samples of"
	wait_for count_is 4 'worker[01] [0-9]+ \[[0-9]+\] [0-9]+\.[0-9]{6}:'
	key q
	see "Press '?'"
}

@test "filter by name, search while typing, percent limit" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key /
	see "Symbol to show"
	key main Enter
	see "Symbols with: main"
	wait_for count_is 2 '^\+'
	key Left
	gone "Symbols with"
	key C-s
	see "Search: "
	key zz
	see "zz [not found]"
	key Escape
	gone "Search"
	key L
	see "Percent limit"
	key 45 Enter
	see "over 45%"
	wait_for count_is 2 '^\+'
	key L
	see "Percent limit"
	key many Enter
	see "'many' is not a percentage"
}

@test "keys that move: lines, screens, both ends, sideways" {
	"$PERF" report --stdio -q -g none --no-children -s comm,sym -i "$FILES/chains" 2>/dev/null |
		awk 'NF { print "^ *" $1 " +" $2 " .* " $NF "$" }' >plain
	[ "$(wc -l <plain)" -gt 50 ]
	row() { sed -n "$1p" plain; }
	start 80x24 "$PERF report --no-children -g none -s comm,sym -i $FILES/chains"
	see "Press '?'"
	wait_for line_is 3 "$(row 1)"
	wait_for cursor_is 2
	key Down Down Down
	wait_for cursor_is 5
	key Up
	wait_for cursor_is 4
	for page in NPage Space; do
		key Home
		wait_for line_is 3 "$(row 1)"
		wait_for cursor_is 2
		key $page
		wait_for line_is 3 "$(row 22)"
		key PPage
		wait_for line_is 3 "$(row 1)"
	done
	key End
	see_re "$(tail -1 plain)"
	key Home '>'
	gone "$(awk 'NR == 1 { print $2 }' plain | tr -d '*')"
	key '<'
	wait_for line_is 3 "$(row 1)"
}

@test "keys with the same meaning: help, the menu of a line, closing, the end" {
	start 80x40 "$PERF report --no-children -i $FILES/chains"
	see "Press '?'"
	for k in h '?' F1; do
		key $k
		see "Key bindings" "Zoom into this DSO"
		key q
		gone "Key bindings"
	done
	for k in Enter Right m; do
		key $k
		see "Browse map details"
		key Escape
		gone "Browse map details"
	done
	for k in c -; do
		key +
		wait_for line_is 3 '^-'
		key $k
		wait_for line_is 3 '^\+'
	done
	key k
	see "this list has no kernel entries"
	key V
	see "Verbosity level set to 1"
	see " $FILES/chains.elf "
	key V
	see "Verbosity level set to 0"
	gone "$FILES"
	key C-c
	see "left=0" " echo"
}

@test "zooms into a socket and the kernel; the event of a group that is sorted by" {
	# 1 sh and 3 true begin, 3 true and 4 sh end
	"$PERF" record -q -e '{sched:sched_process_exec,sched:sched_process_exit}' -o group \
		sh -c 'for i in 1 2 3; do /bin/true; done; (:) & (:) & (:) & wait' || skip "tracepoints cannot be recorded here"
	start 120x40 "$PERF report --no-children -s socket,comm,dso -i group"
	see "Press '?'"
	wait_for line_is 3 '^ +75.00% +42.86% .* true '
	key 1
	see "sorted by sched:sched_process_exit"
	wait_for line_is 3 '^ +25.00% +57.14% .* sh '
	key 0
	see "sorted by sched:sched_process_exec"
	wait_for line_is 3 '^ +75.00% +42.86% .* true '
	key 2
	see "this group has events 0 to 1"
	key S
	see "Socket: "
	key S
	gone "Socket: "
	key k
	see "DSO: [kernel.kallsyms]"
	key k
	gone "DSO: "
}

@test "the limit leaves the samples of rows as they are" {
	start 100x30 "$PERF report --samples 3 -i $FILES/chains"
	see "Press '?'"
	for limit in 1 0; do
		key L
		see "Percent limit"
		key -l "$limit"
		key Enter
		gone "Percent limit"
	done
	key Enter
	see "Browse map details"
}

@test "the limit prunes call chains too, and brings back what it left out" {
	start 100x40 "$PERF report -g caller --no-children -i $FILES/chains"
	see "Press '?'"
	key C-s
	see "Search: "
	key -l work_0
	key Enter
	gone "Search: "
	key e
	see_re '^ +[-+]? *[0-9.]+% work_'
	n=0
	for limit in 2 0 0.5; do
		key L
		see "Percent limit"
		key -l "$limit"
		key Enter
		gone "Percent limit"
		key C E P
		see "perf.hist.$n written"
		n=$((n + 1))
	done
	# as many lines of branches as report itself makes with these limits
	n=0
	for limit in 2 0 0.5; do
		"$PERF" report --stdio -g "caller,$limit" --percent-limit "$limit" --no-children -i "$FILES/chains" \
			2>/dev/null | grep -oE '(work_[0-9]+|main)$' | sort >plain
		grep -oE '(work_[0-9]+|main)$' "perf.hist.$n" | sort >seen
		[ "$(wc -l <seen)" -gt 30 ]
		diff plain seen
		wc -l <seen
		n=$((n + 1))
	done | uniq | wc -l | grep -qx 3
}

@test "help is what the keys do: it names those that can be used, no others" {
	start 80x40 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key '?'
	see "Key bindings" "Ctrl-S" "Zoom into this DSO" "Percentages of everything"
	run ! grep -qE 'Switch events|processor socket|event n of the group' screen
	key Escape
	see "Press '?'"
	key q
	see "left=0" " echo"
}

@test "r runs an installed script over the file and shows what it prints" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	mkdir -p "$BATS_TEST_TMPDIR/own/scripts/python/bin"
	printf 'n = 0\ndef process_event(d):\n    global n; n += 1\ndef trace_end(): print("it got", n, "samples")\n' \
		>"$BATS_TEST_TMPDIR/own/scripts/python/count.py"
	printf '# description: counts\nperf script "$@" -s "$PERF_EXEC_PATH"/scripts/python/count.py\n' \
		>"$BATS_TEST_TMPDIR/own/scripts/python/bin/count-report"
	start 80x24 "PERF_EXEC_PATH=$BATS_TEST_TMPDIR/own $PERF report -i $FILES/chains"
	see "Press '?'"
	key r
	see "Scripts" "count" "counts"
	key Enter
	see "it got $(made samples) samples"
	key Escape
	see "[.] main"
	key q
	see "left=0" " echo"
	start 80x24 "PERF_EXEC_PATH=/nonexistent $PERF report -i $FILES/chains"
	see "Press '?'"
	key r
	see "no scripts are installed"
}

@test "scripts.NAME: a command line of the settings in the menu of scripts" {
	printf '[scripts]\n\tcount-lines = "echo it got $(wc -l <named) lines of"\n\tfails = false\n' >settings
	seq 17 >named
	start 100x24 "PERF_CONFIG=$PWD/settings PERF_EXEC_PATH=/nonexistent $PERF report -i $FILES/chains"
	see "Press '?'"
	key r
	see "Scripts" "count-lines" "fails"
	key Enter
	see "it got 17 lines of -i $FILES/chains"
	key Escape
	see "[.] main"
	key r
	see "Scripts"
	key Down Enter
	see "fails (it has failed, status 1)"
	key Escape
	key q
	see "left=0" " echo"
}

@test "ui.show-headers and samples.context" {
	printf '[ui]\n\tshow-headers = false\n[samples]\n\tcontext = 0\n' >settings
	start 100x24 "PERF_CONFIG=$PWD/settings $PERF report --samples 3 -i $FILES/chains"
	see "Press '?'" "[.] main"
	gone Children
	key H
	see "Children"
	key q
	see "left=0"
	# the one sample that was made at that time, and with more time those around it
	start 100x40 "PERF_CONFIG=$PWD/settings $PERF report --no-children -g none --samples 3 -i $FILES/chains"
	see "[.] "
	key Enter
	choose_sample
	wait_for count_is 1 '[0-9]+\.[0-9]{9}:'
	key Escape
	see "Samples of"
	key q
	see "Press '?'"
	key q
	see "left=0"
	printf '[samples]\n\tcontext = 1000000000\n' >settings
	start 100x40 "PERF_CONFIG=$PWD/settings $PERF report --no-children -g none --samples 3 -i $FILES/chains"
	see "[.] "
	key Enter
	choose_sample
	wait_for grep -qE '[0-9]+\.[0-9]{9}:' screen
	[ "$(grep -cE '[0-9]+\.[0-9]{9}:' screen)" -gt 1 ]
}

choose_sample() {
	see "Show 3 of its samples"
	choose "Show 3 of its samples"
	see "Samples of"
	key Enter
	see "What was sampled around it"
}

@test "P writes what is seen to perf.hist.N, H hides the head, i shows the header" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key P
	see "perf.hist.0 written!"
	head -1 perf.hist.0 | grep -qF "Event count (approx.): $(made periods)"
	[ "$(grep -c '%' perf.hist.0)" -eq "$("$PERF" report --stdio -g none -i "$FILES/chains" 2>/dev/null | grep -c '%')" ]
	key P
	see "perf.hist.1 written!"
	key H
	gone Children
	key i
	see "Header information" "header version : 1"
}

@test "W lists why stacks are cut and names are missing; the title has the shares" {
	start 140x30 "$PERF report -i $FILES/chains"
	see "Press '?'"
	"$PERF" report --json -i "$FILES/chains" 2>/dev/null >json
	see "$(jq -r '.truth.events[0] | "\(.whole.percent) \(.named.percent)"' json |
		LC_ALL=C awk '{ printf ", %.1f%% whole, %.1f%% named", $1, $2 }')"
	key W
	see "How much of this profile is true" "% of stacks whole" "% of samples named" "0 lost, throttled 0 times"
}

@test "several events: a menu with counts, TAB goes on, LEFT goes back" {
	[ -f "$FILES/two" ] || skip "page faults and tracepoints cannot be recorded here"
	start 80x24 "$PERF report -i $FILES/two"
	see "Available samples" "sched:sched_process_exec" "page-faults"
	execs=$("${RIVAL_PERF:-/usr/bin/perf}" script -i "$FILES/two" 2>/dev/null | grep -c sched_process_exec:)
	grep -qE "^ +$execs  +sched:sched_process_exec" screen
	key Enter
	see "of event 'page-faults" "Press '?'"
	key Tab
	see "of event 'sched:sched_process_exec'"
	key BTab
	see "of event 'page-faults"
	key Left
	see "Available samples"
	key q
	see "left=0"
}

@test "another recorded file is chosen from this directory" {
	cp "$FILES/chains" one.data
	cp "$FILES/odd" other.data
	echo no >text
	start 80x24 "$PERF report -i one.data"
	see worker0
	key s
	see "Recorded files here" one.data other.data
	run ! grep -q text screen
	key Down Enter
	see "w\\x1b[31mX" worker1
	key q
	see "left=0"
}

@test "escape sequences in names are shown, not sent" {
	start 80x24 "$PERF report -i $FILES/odd"
	see "w\\x1b[31mX"
	t capture-pane -p -e >colours
	grep -qF 'w\x1b[31mX' colours
	run ! grep -E $'\x1b\\[31mX' colours
	key e
	see "   - main"
	key t
	see "Thread: "
}

@test "names in UTF-8, and what a terminal without it shows" {
	sed 's/worker0/w\xc3\xb6rkr0/g' "$FILES/chains" >utf8
	start 80x24 "LC_ALL=C.UTF-8 $PERF report -i utf8"
	see "w"$'\xc3\xb6'"rkr0   chains.elf" "worker1  chains.elf"
	start 80x24 "LC_ALL=C $PERF report -i utf8"
	see "w?rkr0   chains.elf"
	# two letters of two columns; three letters and a mark
	sed $'s/worker0/\xe6\xbc\xa2\xe5\xad\x970/g; s/worker1/woe\xcc\x81r1/g' "$FILES/chains" >utf8
	start 80x24 "LC_ALL=C.UTF-8 $PERF report -i utf8"
	see $'\xe6\xbc\xa2\xe5\xad\x970    chains.elf' $'woe\xcc\x81r1    chains.elf'
	start 80x24 "LC_ALL=C $PERF report -i utf8"
	see "????0    chains.elf"
}

@test "resize, and a terminal below 80x24 stays usable" {
	start 120x40 "$PERF report -i $FILES/chains"
	see "Press '?'"
	t resize-window -x 40 -y 10
	see "[40x10 is small: 80x24 shows more]"
	wait_for count_is 7 '^\+'
	# until the next key
	key End
	gone "[.] main" "is small"
	see "Press '?'"
	key e
	t resize-window -x 100 -y 30
	gone "is small"
	# it speaks of the side that is short
	t resize-window -x 100 -y 22
	see "[22 lines are few: 24 show more]"
	t resize-window -x 72 -y 30
	see "[72 columns are few: 80 show more]"
	t resize-window -x 100 -y 30
	gone "are few"
	see "Press '?'"
	t resize-window -x 5 -y 2
	t resize-window -x 80 -y 24
	see "Press '?'"
	key q
	see "left=0"
}

@test "after a very small window the list is where it was" {
	start 100x30 "$PERF report --no-children -g none -i $FILES/chains"
	see "Press '?'" "[.] "
	moves Down
	moves Down
	shot | sed -n 3,12p >before
	t resize-window -x 1 -y 1
	sleep 0.5
	t resize-window -x 100 -y 30
	see "Press '?'"
	shot | sed -n 3,12p >after
	diff before after
	cursor_is 4
}

@test "the wheel moves, whatever way the terminal tells it" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Press '?'"
	t send-keys -l $'\e[<65;5;5M\e[<65;5;5M\e[<64;5;5M'
	key P
	see "perf.hist.0 written!"
	wait_for cursor_is 5
}

@test "signals and a crash leave the terminal as it was" {
	for sig in TERM INT SEGV; do
		start 80x24 "ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0 $PERF report -i $FILES/chains"
		see "Press '?'"
		pid=$(pgrep -P "$(t display-message -p '#{pane_pid}')" -x perf)
		kill -$sig "$pid"
		see "left=$((128 + $(kill -l $sig)))" " echo"
		[ "$(t display-message -p '#{alternate_on}#{cursor_flag}')" = 01 ]
	done
}

runs() { # process, which may be left for nobody to wait for
	grep -qE '^[0-9]+ \(.*\) [^ZX]' "/proc/$1/stat" 2>/dev/null
}

@test "a terminal that goes away ends every screen, also where SIGHUP is ignored" {
	for keys in '' '?' Enter f C-s a; do
		start 80x24 "trap '' HUP; exec $PERF report -i $FILES/chains"
		see "Press '?'"
		pid=$(t display-message -p '#{pane_pid}')
		[ -z "$keys" ] || key "$keys"
		t kill-session
		for ((i = 0; i < 600; i++)); do
			runs "$pid" || break
			sleep 0.1
		done
		run ! runs "$pid"
	done
}

@test "no full screen: pipes, TERM=dumb, --stdio, settings; --tui says why not" {
	run "$PERF" report --tui -i "$FILES/chains" </dev/null
	[ "$status" -ne 0 ]
	[[ "$output" == *"--tui needs a terminal"* ]]
	"$PERF" report -i "$FILES/chains" 2>/dev/null | grep -q '^# Overhead\|^# Children'
	export PAGER=cat
	start 80x24 "TERM=dumb $PERF report -g none -i $FILES/chains | tail -3; TERM=dumb $PERF report -i $FILES/chains --tui"
	see "# (Tip:" "cannot show a full screen" "left=1"
	start 80x24 "$PERF report --stdio -g none -i $FILES/chains"
	see "# (Tip:" "left=0"
	printf '[tui]\n\treport = false\n' >config
	start 80x24 "PERF_CONFIG=config $PERF report -g none -i $FILES/chains"
	see "# (Tip:" "left=0"
	# report.ui is stronger, the option strongest
	printf '[tui]\n\treport = false\n[report]\n\tui = tui\n' >config
	start 80x24 "PERF_CONFIG=config $PERF report -g none -i $FILES/chains"
	see "Press '?'"
	printf '[report]\n\tui = stdio\n' >config
	start 80x24 "PERF_CONFIG=config $PERF report -g none -i $FILES/chains"
	see "# (Tip:" "left=0"
	start 80x24 "PERF_CONFIG=config $PERF report --tui -g none -i $FILES/chains"
	see "Press '?'"
}

@test "colors.normal, medium, top, selected, root: the colours of rows and of the title" {
	printf '[colors]\nnormal = cyan, default\nmedium = black, blue\ntop = yellow, default\nselected = white, green\nroot = black, magenta\n' >config
	start 100x24 "PERF_CONFIG=$PWD/config $PERF report --no-children -g none -i $FILES/chains"
	see "Press '?'"
	t capture-pane -p -e | cat -v >colours
	for code in 36 45 42 44; do # cyan, on magenta, on green, on blue
		grep -qE "\^\[\[[0-9;]*\b$code[m;]" colours || { echo "no $code"; cat colours; return 1; }
	done
	grep -qE '\^\[\[[0-9;]*\b(93|33)[m;]' colours || { cat colours; return 1; }
}

@test "without colours the selected line is still marked" {
	start 80x24 "TERM=vt100 $PERF report -i $FILES/chains"
	see "Press '?'"
	key Down Down Down P
	see "perf.hist.0 written!"
	t capture-pane -p -e >colours
	grep -qE $'\x1b\\[[0-9;]*7m\\+' colours
	run ! grep -qE $'\x1b\\[[0-9;]*(31|33|43)m' colours
}

@test "a recording without samples is said in plain words" {
	"${RIVAL_PERF:-/usr/bin/perf}" record -q -e sched:sched_process_hang -o none true 2>/dev/null || skip "cannot record"
	start 80x24 "$PERF report -i none"
	see "'none' has no samples" "left=0"
}

@test "while a large file is read: how far it is" {
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	"$top/tests/bench/generate-chains" --samples 300000 --depth 20 --chains 150000 \
		--functions 2000 big >/dev/null
	start 80x24 "PERF_WORKERS=1 script -qfc '$PERF report -i big' log"
	see "Press '?'"
	grep -aq 'Reading big' log
	grep -aqE 'of 300,000 samples|now sorting' log
	key q
	see "left=0" # script(1) would outlive its terminal
}

@test "options say how a function is shown: syntax, bytes, percentages" {
	start 100x30 "$PERF report -i $FILES/chains -s sym --no-children -M intel --asm-raw --percent-type global-hits --no-source"
	see "Press '?'"
	key a
	see "[Percent: global hits]"
	grep -qE '│ +c3 +← ret$' screen
	grep -qE '│ +([0-9a-f]{2} )+ +lea +e[a-z]+, ?' screen
}

@test "a hierarchy: one key below the other, opened and closed, down to the call chains" {
	start 100x30 "$PERF report -i $FILES/chains --hierarchy --sort comm,dso,sym"
	see "Command / Shared Object / Symbol" "Press '?'"
	# two commands with an object each; symbols are closed
	wait_for count_is 4 '^[-+] '
	wait_for count_is 2 '^- .*  worker[01]'
	wait_for count_is 2 '^[+] .*     chains.elf'
	key Down
	key +
	wait_for count_is 1 '^- .*     chains.elf'
	see "[.] "
	key -
	wait_for count_is 2 '^[+] .*     chains.elf'
	# everything, then nothing
	key E
	wait_for count_is 0 '^[+] .*     chains.elf'
	key C
	wait_for count_is 2 '^[+] .*  worker[01]'
	# zooms work on nodes
	key d
	see "DSO: chains.elf"
	key q
	see "left=0"
}

@test "a hierarchy with a least share: the levels above sum what is left out, too" {
	chains="$PERF report -i $FILES/chains --hierarchy --sort comm,dso,sym"
	$chains --stdio -g none 2>/dev/null | grep -oE '[0-9.]+% +worker[01]' | tr -s ' ' >plain
	[ "$(wc -l <plain)" -eq 2 ]
	# no function has as much
	start 100x30 "$chains --percent-limit 20"
	see "over 20%"
	wait_for count_is 4 '^[-+ ] .*%'
	grep -oE '[0-9.]+% +worker[01]' screen | tr -s ' ' | diff - plain
	count_is 2 '^  .*     chains.elf'
	key L
	see "Percent limit"
	key 0 Enter
	gone "over 20%"
	wait_for count_is 2 '^[+] .*     chains.elf'
}

@test "a key that has nothing to act on says so; long messages take several lines" {
	start 80x24 "$PERF report -i $FILES/chains --sort sym"
	see "Press '?'"
	key S
	see "Zoom into this processor socket" "--sort socket,..."
	key q
	see "left=0"
}

@test "lists of texts say that there is more, search, and have help" {
	start 80x24 "$PERF report -i $FILES/chains"
	see "Press '?'"
	key '?'
	see "Key bindings" "more lines below"
	key '?'
	see "PGUP PGDN SPACE" "UP DOWN wheel" "HOME END" "/ Ctrl-S" "ESC LEFT" "q Ctrl-C"
	gone "Select the line"
	key '?'
	key Escape
	see "more lines below"
	key /
	see "Part of a line."
	key perf.hist
	key Enter
	see "Print the list to perf.hist.N"
	key q
	see "Press '?'"
	key q
	see "left=0"
}
