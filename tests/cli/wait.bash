# SPDX-License-Identifier: GPL-2.0-or-later
# For bats files: load wait

# until_true COMMAND...: waits until it succeeds; fails after a minute.
until_true() {
	local i

	for i in $(seq 1200); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	echo "in a minute this did not come true: $*"
	return 1
}

# For teardown: ends what the test began in the background and, as it failed, did not end itself.
# Begin it with 3>&- all the same: the runner waits until everybody has closed that descriptor.
end_jobs() {
	local left i

	left=$(jobs -pr)
	# shellcheck disable=SC2086 # many
	kill $left 2>/dev/null || return 0
	for i in $(seq 100); do
		left=$(jobs -pr)
		[ -n "$left" ] || return 0
		sleep 0.05
	done
	# shellcheck disable=SC2086 # many
	kill -9 $left 2>/dev/null || :
}

# The recorder PID has its rings, so its events are open.
has_rings() {
	grep -q 'perf_event' "/proc/$1/maps"
}

comm_is() { # PID NAME
	[ "$(cat "/proc/$1/comm")" = "$2" ]
}

# FILE, being written by our recorder, holds more than N samples.
holds() {
	[ "$("$PERF" script -i "$1" -F comm,pid 2>/dev/null | grep -c .)" -gt "$2" ]
}

# FILE, being written by our recorder, has a sample of process PID.
holds_pid() {
	"$PERF" script -i "$1" -F pid 2>/dev/null | tr -d ' ' | grep -x "$2"
}

# record_some N FILE OPTION...: records into FILE until it holds more than N samples.
record_some() {
	local n=$1 file=$2 recorder code=0
	shift 2

	rm -rf "$file" # an older one may hold as many
	"$PERF" record -q -o "$file" "$@" 3>&- &
	recorder=$!
	until_true holds "$file" "$n" || code=1
	kill -INT $recorder
	wait $recorder || :
	return $code
}
