#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top on a terminal, in a tmux of our own.
bats_require_minimum_version 1.5.0

setup_file() {
	command -v tmux >/dev/null || { export MISSING="no tmux (Debian package tmux)"; return; }
	[ "$(id -u)" -eq 0 ] || { export MISSING="needs root"; return; }
	export FILES=$BATS_FILE_TMPDIR HOME=$BATS_FILE_TMPDIR
	# begins with one function, goes on with another at SIGUSR1, and with the first again at SIGUSR2
	cat >"$FILES/shares.c" <<-'END'
	#include <signal.h>
	static volatile unsigned long n;
	static volatile sig_atomic_t other;
	#define WORK(name, rounds) \
		__attribute__((noinline)) void name(void) { for (int i = 0; i < rounds * 1000; i++) n += i; }
	WORK(early_work, 60)
	WORK(late_work, 60)
	WORK(steady_work, 40)
	static void change(int sig) { other = sig == SIGUSR1; }
	int main(void)
	{
		signal(SIGUSR1, change);
		signal(SIGUSR2, change);
		for (;;) {
			if (other)
				late_work();
			else
				early_work();
			steady_work();
		}
	}
	END
	gcc -O0 -o "$FILES/shares" "$FILES/shares.c"
	"$FILES/shares" 3>&- &
	echo $! >"$FILES/pid"
}

teardown_file() {
	[ ! -f "${FILES:-/none}/pid" ] || kill "$(cat "$FILES/pid")"
}

load screen

setup() {
	screen_setup
	export HOME=$FILES
	pid=$(cat "$FILES/pid")
	top="$PERF top -e cpu-clock:u -p $pid"
}

teardown() {
	screen_teardown
	[ -z "${started:-}" ] || kill "$started" 2>/dev/null || true
}

# Of how many samples the title's 100% is.
of_all() {
	shot | sed -n '1s/.*100% is \([0-9]*\) samples.*/\1/p'
}

another_table() {
	[ "$(of_all)" != "$1" ]
}

@test "rows live: the selected one stays selected while it moves; SPACE freezes" {
	start 100x30 "$top -d 0.4 -z"
	see "[.] early_work" "[.] steady_work" "/s of [4000Hz cpu-clock:u]" "100% is"
	moves Down
	at "steady_work"
	kill -USR1 "$pid"
	# late_work takes the first place, the row of steady_work stays selected
	wait_for line_is 3 "late_work"
	gone "early_work"
	at "steady_work"
	key Space
	see "[paused]"
	shot | tail -n +3 | head -5 >before
	sleep 1.5
	shot | tail -n +3 | head -5 >after
	diff before after
	key p
	gone "[paused]"
}

@test "a function opens while it runs: its counts grow, and q goes back" {
	count() { shot | awk -F"│" '/addl.*0x1/ { print $1 + 0; exit }'; }
	grown() { [ "$(count)" -gt "$1" ]; }
	start 100x40 "$top -d 0.3"
	see "[.] steady_work"
	at_function() {
		local first
		first=$(shot | sed -n 3p)
		[[ $first == *_work* ]]
	}
	wait_for at_function
	key a
	see "Samples since the start, event 'cpu-clock:u'" "Percent: local period" "addl"
	key t # the sum of periods
	key t # samples
	wait_for grown 0
	before=$(count)
	wait_for grown "$before"
	key q
	see "100% is"
	key q
	see "left=0"
}

@test "the title says over which time samples count" {
	start 160x10 "$top -d 0.3"
	see "100% is" "user 100.0%, older ones fade by 1/8 in 2 s"
	key z
	see ", each table has new ones alone"
	key z
	see ", older ones fade by 1/8 in 2 s"
}

@test "the picture changes when a table is ready, although nobody types" {
	samples() { shot | sed -n 's/.*100% is \([0-9]*\) .*/\1/p'; }
	moved() { [ "$(samples)" != "$was" ]; }
	start 100x30 "$top -d 0.2"
	see "[.] steady_work" "100% is"
	# without being woken the screen looks once a minute
	for _ in 1 2 3 4 5; do
		was=$(samples)
		PATIENCE=200 wait_for moved
	done
	key q
	see "left=0"
}

@test "a zoom and what is open survive refreshes; help, menus, and the way out" {
	start 100x30 "$top -g -d 0.4"
	see "[.] steady_work" "Children"
	key +
	see_re '^ +[-+] '
	sleep 1.5
	see_re '^ +[-+] '
	key c
	key d
	see ", DSO: "
	gone "Shared Object"
	sleep 1
	see ", DSO: "
	key Escape
	gone ", DSO: "
	see "Shared Object" "[.] steady_work"
	key '?'
	see "Key bindings"
	gone "Switch to another data file"
	key Escape
	gone "Key bindings"
	key U
	see "samples of user space are left out"
	key U
	see "all samples count"
	key z
	see "each table shows only what is new"
	key q
	see "left=0" " echo"
}

@test "a row of a call chain stays selected from table to table" {
	kill -USR2 "$pid"
	start 100x30 "$top -g -d 0.3"
	see "main"
	key E
	see_re '^ .*[0-9]%.* early_work$'
	key Home
	down_to '^ .*[0-9]%.* steady_work$'
	for _ in 1 2 3 4 5; do
		of=$(of_all)
		wait_for another_table "$of"
		at '^ .*[0-9]%.* steady_work$'
	done
}

@test "a run of frames that gets a branch, and loses it, stays open, and the row in it selected" {
	cat >branch.c <<-'END'
	#include <signal.h>
	static volatile unsigned long n;
	static volatile sig_atomic_t more;
	static void change(int sig) { more = sig == SIGUSR1; }
	#define WORK(name) __attribute__((noinline)) void name(void) { for (int i = 0; i < 60000; i++) n += i; }
	WORK(always_work)
	WORK(at_times_work)
	__attribute__((noinline)) void inner(void) { always_work(); }
	__attribute__((noinline)) void outer(void)
	{
		inner();
		if (more)
			at_times_work();
	}
	int main(void)
	{
		signal(SIGUSR1, change);
		signal(SIGUSR2, change);
		for (;;)
			outer();
	}
	END
	gcc -O0 -fno-omit-frame-pointer -o branch branch.c
	./branch 3>&- &
	started=$!
	start 100x30 "$PERF top -e cpu-clock:u -p $started -g -z -d 0.3"
	see "] outer"
	key E
	see_re '^ +([0-9.]+% )?inner *$'
	key Home
	down_to '^ +([0-9.]+% )?inner *$'
	kill -USR1 $started
	see_re '% at_times_work *$'
	at '^ .*inner *$'
	see_re '^ +always_work *$'
	kill -USR2 $started
	gone "at_times_work"
	at '^ +([0-9.]+% )?inner *$'
	see_re '^ +always_work *$'
}

@test "-H: one key below the other in the browser; what is open and selected stays so from table to table" {
	kill -USR2 "$pid"
	start 100x30 "$top -g -H -s comm,dso,sym -d 0.3"
	see_re 'Overhead +Command / Shared Object / Symbol'
	see_re '^- +100.00% +shares *$'
	line_is 4 '^\+ +[0-9.]+% +shares *$'
	at ' shares *$'
	moves Down
	key +
	see_re '^\+ +[0-9.]+% +\[\.\] steady_work'
	down_to 'steady_work'
	key +
	see_re '^- +[0-9.]+% +\[\.\] steady_work'
	for _ in 1 2 3; do
		of=$(of_all)
		wait_for another_table "$of"
		see_re '^\+ +[0-9.]+% +\[\.\] early_work'
		see_re '^- +[0-9.]+% +\[\.\] steady_work'
		at 'steady_work'
	done
	# a level that was closed stays closed, a closed one keeps what is open below it
	key Home
	at ' shares *$'
	key +
	gone "steady_work"
	of=$(of_all)
	wait_for another_table "$of"
	wait_for count_is 1 '^[+-] '
	key +
	see_re '^- +[0-9.]+% +\[\.\] steady_work'
	# a zoom leaves each level its name
	key t
	see ", Thread: shares" "Overhead  Command / Shared Object / Symbol"
	line_is 3 '^- +100.00% +shares *$'
}

@test "--stdio: keys change what is shown, and the terminal is as before" {
	start 100x30 "$top --stdio -d 0.4"
	see "PerfTop:" "[.] steady_work"
	key e
	see "Rows, 0: no limit:"
	key 1 Enter
	wait_for count_is 1 '%.*\[\.\]'
	key h
	see "Keys:" "e, N" "p, SPACE" "q, Q, Ctrl-C" "ask for the number of rows" "1 rows"
	key x
	see "PerfTop:"
	key K
	see "PerfTop:"
	key q
	see "left=0" " echo"
}

@test "--stdio: s shows a function instead of the table, S the table again" {
	start 100x40 "$top --stdio -d 0.4"
	see "PerfTop:" "[.] steady_work"
	key s
	see "Function to open:"
	key n o s u c h Enter
	see "No samples in 'nosuch' yet, and no object"
	gone "[.] steady_work"
	key s
	see "Function to open:"
	key s t e a d y _ w o r k Enter
	see "Disassembly of shares for cpu-clock:u" "<steady_work>"
	# the loop has instructions below 3 % and above, whatever the CPU: the first and the last are run once
	see " ret"
	key F
	see "Minimum share of an instruction in percent:"
	key 3 Enter
	gone " ret"
	see "<steady_work>" "Disassembly of shares for cpu-clock:u"
	key F
	see "Minimum share of an instruction in percent:"
	key 0 Enter
	see " ret"
	key S
	see "[.] steady_work"
	gone "Disassembly of"
	key q
	see "left=0" " echo"
}

@test "--stdio: w sets the widths of columns; what is no list of them changes nothing" {
	start 100x40 "$top --stdio -d 0.4 -s dso,sym"
	see "PerfTop:" "%  shares         [.] steady_work"
	key w
	see "Widths of the columns"
	key 0 , 2 0 Enter
	see "%  shares                [.] steady_work"
	key w
	see "Widths of the columns"
	key x Enter
	gone "Widths of the columns"
	see "%  shares                [.] steady_work"
	key w
	see "Widths of the columns"
	key 0 Enter
	see "%  shares         [.] steady_work"
	key q
	see "left=0" " echo"
}

# line_cells N: how wide what was drawn on line N is, blanks included.
line_cells() {
	t capture-pane -p -N | sed -n "$1p" | tr -d '\n' | wc -m
}

# The browser's picture fills a terminal: title, headings and rows lie at the top and the status line at the bottom,
# each once and as wide as the terminal, with nothing between them but what the rows leave empty.
fills() { # COLUMNS ROWS
	local status="^Press '\\?' for help" row

	if [ "$1" -lt 80 ] && [ "$2" -lt 24 ]; then
		status="^\\[$1x$2 is small"
	elif [ "$1" -lt 80 ]; then
		status="^\\[$1 columns are"
	elif [ "$2" -lt 24 ]; then
		status="^\\[$2 lines are f"
	fi
	# cut as the terminal cuts it
	status=${status:0:$(($1 < 18 ? $1 : 18))}
	for row in 1 2 "$2"; do
		[ "$(line_cells "$row")" -eq "$1" ] || return 1
	done
	[ "$(grep -c . screen)" -eq 5 ] &&
		line_is 1 '^[0-9]+/s of \[4000Hz' && line_is 2 '^ *Overhead  Shared' &&
		line_is 3 '^ +[0-9.]+%  shares' && line_is 4 '^ +[0-9.]+%  shares' && line_is "$2" "$status"
}

resizes() { # COLUMNSxROWS..., each after a terminal of one cell
	for size in "$@"; do
		t resize-window -x 1 -y 1
		sleep 0.5
		t resize-window -x "${size%x*}" -y "${size#*x}"
		wait_for fills "${size%x*}" "${size#*x}"
	done
}

@test "a terminal of one cell and back: everything is where it belongs, and nothing of the old picture is left" {
	start 80x24 "$top -d 0.4"
	wait_for fills 80 24
	key E
	see "E (The table of the next event): there is only one event"
	resizes 80x24 200x60 20x5 80x24 200x60
	key q
	see "left=0"
}

@test "a paused picture is drawn again for a terminal of another size" {
	start 80x24 "$top -d 0.4"
	wait_for fills 80 24
	key p
	see "[paused]"
	resizes 200x60 20x5 80x24
	key q
	see "left=0"
}

@test "--stdio: a picture never has more lines or columns than the terminal" {
	# the title is the first line of the screen, and the rows below the headings fill the rest
	shows() { # ROWS
		line_is 1 '^ *PerfTop: ' && line_is 2 '^ *100% is' && line_is 3 '^-+$' && line_is 4 '^$' &&
			line_is 5 '^ +[0-9.]+%  ' && count_is 1 'PerfTop:' && count_is 1 '^-+$' &&
			[ "$(grep -c '^ *[0-9.]*%  ' screen)" -ge 1 ] && [ "$(sed -n '5,$p' screen | grep -c .)" -le "$1" ] &&
			[ "$(grep -cv -e '^ *[0-9.]*%  ' -e '^ *PerfTop' -e '^ *100%' -e '^-*$' screen)" -eq 0 ]
	}
	start 80x24 "$PERF top -e cpu-clock --stdio -d 0.3 -s pid,comm,dso,sym"
	wait_for shows 20
	for size in 200x60 20x6 80x24; do
		t resize-window -x 1 -y 1
		sleep 0.5
		t resize-window -x "${size%x*}" -y "${size#*x}"
		wait_for shows $((${size#*x} - 4))
	done
	# a picture that is paused is cut to a smaller terminal, and whole again afterwards
	key p
	wait_for count_is 1 'PerfTop:'
	sleep 0.5
	for size in 40x8 80x24; do
		t resize-window -x "${size%x*}" -y "${size#*x}"
		wait_for shows $((${size#*x} - 4))
	done
	key q
	see "left=0"
}

@test "a signal ends it, and the terminal is as before" {
	start 100x30 "$top -d 0.4"
	see "[.] steady_work"
	kill "$(pgrep -f -x "$top -d 0.4")"
	see "left=143" " echo"
	gone "Shared Object"
}

@test "the menu of events: counts grow while it is open, those of 0 are listed, and a choice opens" {
	count() { shot | awk '$2 == "cpu-clock:u" { print $1 + 0; exit }'; }
	grown() { [ "$(count)" -gt "$1" ]; }
	start 100x30 "$PERF top -p $pid -e cpu-clock:u,major-faults:u,alignment-faults:u -F 50 -d 0.3"
	see "Available samples" "cpu-clock:u" "0   major-faults:u" "0   alignment-faults:u"
	wait_for grown 0
	before=$(count)
	wait_for grown $((before + 5))
	key Down
	wait_for grown $((before + 10))
	line_matches major-faults # what was selected stays selected
	key Up
	key Enter
	see "steady_work" "100% is"
	key Escape
	see "Available samples"
	key q
	see "left=0"
}

# answer KEY QUESTION TEXT: to what the key asks for
answer() {
	key "$1"
	see "$2"
	key -l "$3"
	key Enter
	gone "$2"
}

@test "o: rows stay where they are while their numbers change, until it is pressed again" {
	start 100x60 "$top -d 0.3 -z"
	kill -USR2 "$pid"
	wait_for line_is 3 "early_work"
	wait_for line_is 4 "steady_work"
	key o
	see "[order pinned]" "rows stay where they are"
	kill -USR1 "$pid"
	gone early_work
	# late_work has more samples, but it is new
	wait_for line_is 3 "steady_work"
	wait_for line_is 4 "late_work"
	key o
	gone "[order pinned]"
	wait_for line_is 3 "late_work"
	wait_for line_is 4 "steady_work"
	key '?'
	see "Rows stay where they are, or are sorted by their numbers"
	key q
	key q
	see "left=0"
}

@test "keys that ask: the number of rows, of samples, the widths, the time, and a function" {
	rows() { [ "$(grep -c '%.*\[\.\]' screen)" "$1" "$2" ]; }
	start 100x40 "$top -d 0.3"
	see "[.] steady_work"
	wait_for rows -ge 2
	answer e "Rows, 0: no limit" 1
	wait_for rows -eq 1
	answer N "Rows, 0: no limit" x
	see "that is not a number; nothing has changed"
	answer N "Rows, 0: no limit" 0
	wait_for rows -ge 2
	answer M "Minimum number of samples of a row" 100000000
	wait_for rows -eq 0
	answer M "Minimum number of samples of a row" 0
	wait_for rows -ge 2
	# as in perf report
	key f
	see "all: 100.00%, self"
	key q
	see "100% is"
	answer w "Widths of the columns" 0,30
	see_re '%  shares {26}\[\.\] steady_work'
	answer w "Widths of the columns" x
	see "that is not a list of widths; nothing has changed"
	answer w "Widths of the columns" 0
	see_re '%  shares {9}\[\.\] steady_work'
	answer s "Function to open" nosuch
	see "no samples in a function 'nosuch' yet"
	answer s "Function to open" steady_work
	see "Samples since the start" "steady_work  $FILES/shares"
	key S
	see "100% is"
	answer D "Seconds between two tables" 600
	see "the time between two tables has changed"
	key q
	see "left=0"
}

@test "-E and -f hold in the browser; without a DSO d asks for the time, with several events E is the next one" {
	rows() { [ "$(grep -c '%.*\[\.\]' screen)" -eq "$1" ]; }
	start 100x30 "$top -d 0.3 -E 1"
	see "100% is"
	wait_for rows 1
	start 100x30 "$top -d 0.3 -f 100000000"
	see "100% is"
	wait_for rows 0
	start 100x30 "$PERF top -p $pid -e cpu-clock:u,major-faults:u -s sym -d 0.3"
	see "Available samples"
	key Enter
	see "[.] steady_work"
	key E
	see "major-faults:u]"
	key E
	see "[.] steady_work"
	answer d "Seconds between two tables" 60
	see "the time between two tables has changed"
	key q
	see "left=0"
}

@test "F hides the instructions below a share in a function that is open, S leaves what was opened" {
	start 100x60 "$top -d 0.3"
	see "[.] steady_work"
	answer s "Function to open" steady_work
	# the first instructions and the last ones are run once
	see "addl" " ret"
	answer F "Minimum share of an instruction in percent" 3
	gone " ret"
	see_re '^ *[0-9]{2}\.[0-9]+ │' # which instructions the samples fall on depends on the processor
	answer F "Minimum share of an instruction in percent" 101
	see "that is not a percentage"
	answer F "Minimum share of an instruction in percent" 0
	see "addl" " ret"
	key S
	see "100% is"
	key q
	see "left=0"
}

@test "columns are as wide as the rows on the screen need, and wider when others are scrolled to" {
	long=a_program_whose_name_is_much_longer
	# works only when it is told to: the row that is first in the first table stays selected
	cat >rare.c <<-'END'
	#include <signal.h>
	#include <unistd.h>
	static volatile unsigned long n;
	static volatile sig_atomic_t begun;
	static void begin(int sig) { begun = sig; }
	int main(void)
	{
		signal(SIGUSR1, begin);
		while (!begun)
			usleep(30000);
		for (;;) {
			for (int i = 0; i < 100000; i++)
				n += i;
			usleep(30000);
		}
	}
	END
	gcc -O0 -o $long rare.c
	./$long 3>&- &
	started=$!
	start 100x30 "$PERF top -e cpu-clock:u -p $pid,$started -d 0.3"
	see_re '%  shares {9}\[\.\] [a-z]+_work'
	until grep -q '^SigCgt:.*2..$' /proc/$started/status; do sleep 0.1; done
	kill -USR1 $started
	see "$long" "[.] main"
	see_re "%  shares {$((${#long} - 4))}\\[\\.\\] [a-z]+_work"
	t resize-window -x 100 -y 4
	see_re '%  shares {9}\[\.\] [a-z]+_work'
	key End
	see_re 'Shared Object {10,}Symbol' # the rows above count, too
}

@test "after a very small window the list is where it was, also while it runs" {
	kill -USR2 "$pid"
	start 100x30 "$top -d 0.3"
	see "[.] early_work" "[.] steady_work"
	moves Down
	t resize-window -x 1 -y 1
	sleep 1
	t resize-window -x 100 -y 30
	see "early_work" "steady_work"
	key q
	see "left=0"
}

@test "debug files that appear and change: rows get their new names, also behind a function that is open" {
	gcc -g -O0 -o watched "$FILES/shares.c"
	objcopy --only-keep-debug watched watched.debug
	objcopy --strip-all --add-gnu-debuglink=watched.debug watched
	mv watched.debug away
	./watched 3>&- &
	started=$!
	# samples of all instructions; 0 while these are percentages
	count() { shot | awk -F"│" '/^ *[0-9]+\.[0-9]+ │/ { n = 0; exit } /^ *[0-9]+ │/ { n += $1 } END { print n + 0 }'; }
	grown() { [ "$(count)" -gt "$1" ]; }
	named() {
		see "[.] early_work" "[.] steady_work"
		gone "[.] [watched+0x"
	}
	open_early_work() {
		key s
		see "Function to open"
		key -l early_work
		key Enter
		see "addl"
		key t
		key t # samples
	}
	start 100x60 "$PERF top -e cpu-clock:u -p $started -d 0.2"
	several() { [ "$(grep -c '\[\.\] \[watched+0x' screen)" -gt 1 ]; }
	wait_for several
	gone _work
	moves Down
	cp away watched.debug
	named
	open_early_work
	# what is open keeps its text, and its counts grow, however often the file changes
	: >watched.debug
	wait_for grown 0
	before=$(count)
	wait_for grown "$before"
	see "early_work  $PWD/watched ["
	cp away watched.debug
	: >watched.debug
	key q
	see "[.] [watched+0x"
	gone early_work
	# the instructions of an address, until its function has a name again
	cp away watched.debug
	named
	open_early_work
	wait_for grown "$before" # the counts of before are kept
	rm watched.debug
	key q
	see "[.] early_work" "[.] steady_work"
	key q
	see "left=0"
}

@test "W lists why stacks are cut and names are missing; the title has the shares" {
	start 140x30 "$top -g -d 0.3"
	see "[.] early_work"
	see_re '100% is [0-9]+ samples, [0-9.]+% whole, [0-9.]+% named, kernel'
	key W
	see "How much of this profile is true" "% of stacks whole" "% of samples named" "0 lost, throttled 0 times"
	key Escape
	see "[.] steady_work"
}

@test "keys are answered while source lines are looked for" {
	gcc -g -O0 -o other "$FILES/shares.c"
	cat >slow <<-EOF
		#!/bin/sh
		: >"$PWD/asked"
		while [ -e "$PWD/wait" ]; do sleep 0.05; done
		exec addr2line "\$@"
	EOF
	chmod +x slow
	sh -c 'while [ ! -e go ]; do :; done; ./other & echo $! >child; wait' 3>&- &
	started=$!
	start 100x30 "$PERF top -e cpu-clock:u -p $started -d 0.2 -s dso,srcline --addr2line $PWD/slow --addr2line-style addr2line"
	see_re '[0-9]% +[a-z]'
	: >wait
	rm -f asked
	: >go
	wait_for test -e asked
	key z
	see "only what is new"
	gone shares.c
	rm wait
	see "shares.c:"
	key q
	see "left=0"
	kill "$(cat child)"
}

@test "what matters most is first in the title, where a narrow terminal cuts it" {
	cp "$FILES/shares" ended
	./ended 3>&- &
	started=$!
	start 80x24 "$PERF top -e cpu-clock:u -p $started -d 0.3"
	see "[.] early_work"
	kill $started
	see ", what was watched has ended"
	key d
	see ", DSO: ended"
}

@test "a terminal that goes away ends it, also where SIGHUP is ignored" {
	runs() { # process, which may be left for nobody to wait for
		grep -qE '^[0-9]+ \(.*\) [^ZX]' "/proc/$1/stat" 2>/dev/null
	}
	for form in "" --stdio; do
		# in the table, a text, a function, a question, a menu, the flame view, a filter, a search
		for keys in '' '?' a D m g / C-s; do
			[[ -z "$form" || -z "$keys" || "$keys" == [?D] ]] || continue
			# The plain screen does not draw again before the test has given up, nor is it told to
			# go on, as the first program of a terminal is: it has to end because it reads.
			start 80x24 "trap '' HUP; $top $form -d $([ -n "$form" ] && echo 200 || echo 0.4); exit"
			see "[.] steady_work"
			watcher=$(pgrep -P "$(t display-message -p '#{pane_pid}')")
			started=$watcher
			[ -z "$keys" ] || key "$keys"
			t kill-session
			for ((i = 0; i < PATIENCE; i++)); do
				runs "$watcher" || break
				sleep 0.1
			done
			run ! runs "$watcher"
			started=
		done
	done
}

# dash leaves the terminal as a stopped program has left it
@test "it is stopped, the terminal is as before, and it goes on" {
	type dash >/dev/null || skip "no dash"
	for form in "" --stdio; do
		start 100x30 "PS1='prompt: ' dash -i"
		see "prompt:"
		key -l "$top $form -d 0.4"
		key Enter
		see "[.] steady_work" "100% is"
		key C-z
		see "Stopped" "prompt:"
		[ -n "$form" ] || gone "100% is"
		key -l "stty -a | grep -o ' -*echo '"
		key Enter
		see_re '^ echo'
		key -l clear
		key Enter
		gone " echo"
		key -l fg
		key Enter
		see "[.] steady_work" "100% is"
		samples() { sed -n 's/.*100% is \([0-9]*\) .*/\1/p' screen; }
		moved() { [ "$(samples)" != "$was" ]; }
		was=$(samples)
		wait_for moved
		key q
		see "prompt:"
		key -l "echo left=\$?; exit"
		key Enter
		see "left=0"
	done
}

@test "--stdio answers keys as soon as it goes on, and draws its table again" {
	type dash >/dev/null || skip "no dash"
	start 100x30 "PS1='prompt: ' dash -i"
	see "prompt:"
	# the second table is due after the test has given up
	key -l "$top --stdio -d 200"
	key Enter
	see "[.] steady_work" "100% is"
	key C-z
	see "Stopped" "prompt:"
	key -l clear
	key Enter
	gone "100% is"
	key -l fg
	key Enter
	see "[.] steady_work" "100% is"
	# a question that waits is asked again, and half an answer is none
	key d
	see "Seconds between two tables:"
	key 3
	see "Seconds between two tables: 3"
	key C-z
	see "Stopped" "prompt:"
	key -l clear
	key Enter
	gone "Seconds between"
	key -l fg
	key Enter
	see "Seconds between two tables: 3"
	key Escape
	gone "Seconds between"
	# a picture that does not change is drawn again
	key p
	key C-z
	see "Stopped" "prompt:"
	key -l clear
	key Enter
	gone "100% is"
	key -l fg
	key Enter
	see "[.] steady_work" "100% is"
	key q
	see "prompt:"
	key -l "echo left=\$?; exit"
	key Enter
	see "left=0"
}

@test "after it was stopped the browser shows what it showed: a paused picture, an open question" {
	type dash >/dev/null || skip "no dash"
	away_and_back() {
		key C-z
		see "Stopped" "prompt:"
		key -l clear
		key Enter
		gone "Stopped"
		key -l fg
		key Enter
	}
	start 100x30 "PS1='prompt: ' dash -i"
	see "prompt:"
	key -l "$top -d 0.4"
	key Enter
	see "[.] steady_work" "100% is"
	key p
	see "[paused]"
	shot | sed -n 3,6p >before
	away_and_back
	see "[paused]" "[.] steady_work"
	shot | sed -n 3,6p >after
	diff before after
	key p
	gone "[paused]"
	key D
	see "Seconds between two tables"
	key -l 3.25
	see "3.25"
	away_and_back
	see "Seconds between two tables" "3.25"
	key Escape
	gone "Seconds between"
	see "[.] steady_work"
	key Escape
	see "Do you really want to exit?"
	away_and_back
	see "Do you really want to exit?"
	key Enter
	see "prompt:"
	key -l "echo left=\$?; exit"
	key Enter
	see "left=0"
}

@test "without colours, and on a terminal that cannot move its cursor; --tui is stronger than tui.top" {
	colours() { t capture-pane -p -e | grep -cE $'\x1b\\[[0-9;]*\\b[34][0-7][;m]'; }
	start 80x24 "$top -d 0.4"
	see "[.] steady_work"
	[ "$(colours)" -gt 0 ]
	for without in TERM=vt100 NO_COLOR=1; do
		start 80x24 "export $without; $top -d 0.4"
		see "[.] steady_work" "Press '?'"
		[ "$(colours)" -eq 0 ]
		# the selected line is marked all the same
		moves Down
		t capture-pane -p -e | grep -qE $'\x1b\\[[0-9;]*7m.*_work'
		key q
		see "left=0"
		start 80x24 "export $without; $top --stdio -d 0.4"
		see "[.] steady_work" "PerfTop:"
		[ "$without" = TERM=vt100 ] || [ "$(colours)" -eq 0 ]
		key q
		see "left=0"
	done
	start 80x24 "export TERM=dumb; $top -d 0.4"
	see "[.] steady_work" "PerfTop:"
	# one table below the other
	several() { [ "$(grep -c PerfTop: screen)" -gt 1 ]; }
	wait_for several
	[ "$(colours)" -eq 0 ]
	key q
	see "left=0"
	start 80x24 "TERM=dumb $top --tui"
	see "the terminal 'dumb' cannot show a full screen" "left=1"
	printf '[tui]\n\ttop = false\n' >config
	start 80x24 "PERF_CONFIG=config $top -d 0.4"
	see "PerfTop:" "[.] steady_work"
	start 80x24 "PERF_CONFIG=config $top -d 0.4 --tui"
	see "Press '?'" "[.] steady_work"
	gone "PerfTop:"
	run "$PERF" top --tui </dev/null
	[[ "$status" -eq 1 && "$output" == *"--tui needs a terminal"* ]]
}
