# SPDX-License-Identifier: GPL-2.0-or-later
# For suites of the terminal's screens: keys in, screen text out, in a tmux of our own.

screen_setup() {
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
	t new-session -d -x "${1%x*}" -y "${1#*x}" "$2; echo left=\$?; stty -a | grep -o ' -*echo '; sleep 60"
}

shot() {
	t capture-pane -p
}

# see TEXT...: until all of the texts are on the screen; 10 seconds are enough on a busy machine.
see() {
	local text i missing
	for ((i = 0; i < 200; i++)); do
		shot >screen
		missing=
		for text; do grep -qF -- "$text" screen || missing=$text; done
		[ -n "$missing" ] || return 0
		sleep 0.05
	done
	echo "not seen: $missing"
	cat screen
	return 1
}

# gone TEXT: until the text is not on the screen.
gone() {
	local i
	for ((i = 0; i < 200; i++)); do
		shot >screen
		grep -qF -- "$1" screen || return 0
		sleep 0.05
	done
	echo "still there: $1"
	cat screen
	return 1
}

key() {
	t send-keys "$@"
}
