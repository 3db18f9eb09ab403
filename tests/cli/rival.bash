# SPDX-License-Identifier: GPL-2.0-or-later
# For bats files: load rival

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

# rival ARG...: Debian's perf, whose output ours is compared with. It has been seen to abort on
# one kind of machine while it runs a script; then there is nothing to compare, and the test is
# skipped with that as its reason. Not to be called in a subshell, where nothing can be skipped.
rival() {
	local status=0

	"$RIVAL" "$@" || status=$?
	[ "$status" -le 128 ] || skip "$RIVAL was ended by signal $((status - 128))"
	return "$status"
}
