# SPDX-License-Identifier: GPL-2.0-or-later
# For suites of the terminal's screens: keys in, screen text out, in a tmux of our own.

screen_setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
	command -v tmux >/dev/null || skip "no tmux (Debian package tmux)"
	"$PERF" version --build-options | grep -q 'libslang: \[ on' || skip "built without S-Lang"
	cd "$BATS_TEST_TMPDIR"
	unset TMUX NO_COLOR
	export LC_ALL=C.UTF-8
}

screen_teardown() {
	for socket in "$BATS_TEST_TMPDIR"/tmux.*; do
		tmux -S "$socket" kill-server 2>/dev/null || true
	done
}

t() {
	tmux -S "$BATS_TEST_TMPDIR/tmux.$screens" -u -f /dev/null "$@"
}

# start COLUMNSxROWS COMMAND: on a terminal of its own; what comes after it stays visible.
start() {
	screens=$((${screens:-0} + 1))
	t new-session -d -x "${1%x*}" -y "${1#*x}" "$2; echo left=\$?; stty -a | grep -o ' -*echo '; sleep 600"
}

shot() {
	t capture-pane -p
}

# Waits end when what is waited for is there; a minute is enough on a machine that does much else.
PATIENCE=600 # tenths of a second

# wait_for COMMAND...: until it succeeds with a new picture in "screen".
wait_for() {
	local i
	for ((i = 0; i < PATIENCE; i++)); do
		shot >screen
		! "$@" || return 0
		sleep 0.1
	done
	echo "not so: $*"
	cat screen
	return 1
}

has() { # TEXT...
	local text
	for text; do grep -qF -- "$text" screen || return 1; done
}

has_not() {
	! grep -qF -- "$1" screen || return 1
}

# see TEXT...: until all of the texts are on the screen.
see() {
	wait_for has "$@"
}

# see_re REGEX: until a line matches.
see_re() {
	wait_for grep -qE -- "$1" screen
}

# gone TEXT: until the text is not on the screen.
gone() {
	wait_for has_not "$1"
}

# The row of the cursor, once it stays: while a picture is drawn it goes over the screen.
cursor() {
	local row last=none i

	for ((i = 0; i < PATIENCE; i++)); do
		row=$(t display-message -p '#{cursor_y}')
		[ "$row" != "$last" ] || break
		last=$row
		sleep 0.05
	done
	echo "$row"
}

cursor_is() {
	[ "$(cursor)" -eq "$1" ]
}

# count_is N REGEX: so many lines match.
count_is() {
	[ "$(grep -cE -- "$2" screen)" -eq "$1" ]
}

# line_is N REGEX: the screen's line N matches.
line_is() {
	sed -n "$1p" screen | grep -qE -- "$2"
}

line_matches() {
	sed -n "$(($(cursor) + 1))p" screen | grep -qE -- "$1"
}

# at REGEX: until the line with the cursor matches.
at() {
	wait_for line_matches "$1"
}

other_line() {
	[ "$(cursor)" != "$1" ]
}

# moves KEY: until it has brought the cursor to another row.
moves() {
	local from
	from=$(cursor)
	key "$1"
	wait_for other_line "$from"
}

# down_to REGEX: DOWN until the line with the cursor matches; no list of these tests has a hundred rows.
down_to() {
	local i

	for ((i = 0; i < 100; i++)); do
		! line_matches "$1" || return 0
		moves Down || return 1
		shot >screen
	done
	echo "no such row: $1"
	cat screen
	return 1
}

key() {
	t send-keys "$@"
}
