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

# same_but_stubs THEIRS OURS: whether two files are the same line for line, but for the lines in which
# ours names a stub of the PLT, which Debian's perf names differently or not at all (difference plt-slots).
# A sample falls into one of them now and then.  An address of data has the name of the variable that lies
# there, where Debian's perf prefers the label __TMC_END__ without a size (difference label-size).
# _init has no size: ours ends where the stubs begin, Debian's perf where the next function does.
same_but_stubs() {
	[ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || { diff "$1" "$2" | head -n 20; return 1; }
	awk 'NR == FNR { theirs[FNR] = $0; next }
		$0 != theirs[FNR] && !/@plt/ && !/ _init\+/ && theirs[FNR] !~ /addr_symbol .__TMC_END__/ { print "theirs: " theirs[FNR]; print "ours:   " $0; bad = 1 }
		END { exit bad }' "$1" "$2"
}
