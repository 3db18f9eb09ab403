# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the bats files of guests: load common

# foreign_build LOG [ARCH]: perf for arm64 or ARCH, and what compiles programs for it.  Sets $cc, $libs (a sysroot) and
# $foreign (a copy of perf); fails with the reason in LOG, in guest's words when something needed is missing.
foreign_build() {
	local top arch=${2:-arm64} machine

	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	case $arch in
	arm64) machine=aarch64 ;;
	ppc64el) machine=powerpc64le ;;
	*) machine=$arch ;;
	esac
	cc=$machine-linux-gnu-gcc foreign=$BATS_FILE_TMPDIR/foreign-perf
	if ! command -v "$cc" >/dev/null; then
		printf '%s\n' "guest: $cc is missing (Debian package gcc-$machine-linux-gnu)" "guest ended with 77" >"$1"
		return 1
	fi
	if ! libs=$("$top/scripts/sysroot" "$arch" 2>"$1.sysroot"); then
		{ sed 's/^sysroot:/guest:/' "$1.sysroot"; echo "guest ended with 77"; } >"$1"
		return 1
	fi
	# One at a time in a tree, and nothing of how make was called that runs the tests.
	mkdir -p "$top/build"
	(
		flock 9
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j"$(nproc)" -C "$top" CROSS="$arch" "build/$arch/perf" 9>&- &&
			cp "$top/build/$arch/perf" "$foreign"
	) 9>"$top/build/$arch.lock" >"$1" 2>&1
}

# passed CHECK: the guest whose output is in the file's log said so.
passed() {
	local log=$BATS_FILE_TMPDIR/log

	if grep -q '^guest ended with 77' "$log"; then skip "$(sed -n 's/^guest: //p' "$log" | head -1)"; fi
	grep -q "^ok $1\$" "$log" && return
	# what it printed, or all when it did not run
	grep -q "^not ok $1\$" "$log" || { cat "$log"; return 1; }
	sed -n "/^not ok $1\$/,/^\(not \)*ok /p" "$log"
	return 1
}

# counters_guest ARCH [OPTION of guest]...: counters-guest.sh runs there; the file's log has what it said, out what it left.
counters_guest() {
	local here=$BATS_TEST_DIRNAME log=$BATS_FILE_TMPDIR/log spin=$BATS_FILE_TMPDIR/spin arch=$1 cc libs foreign

	shift
	foreign_build "$log" "$arch" || return 0
	$cc -nostdlib -static -o "$spin" "$here/spin.S" >>"$log" 2>&1 || return 0
	"$here/guest" --perf "$foreign" --libs "$libs" --file "$spin" "$@" --out "$BATS_FILE_TMPDIR/out" \
		"$arch" "$here/counters-guest.sh" >>"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

# For machines of which the build and the guest are too much for make check: only make check-guests runs them.
only_when_asked() { # what to ask for
	[ -z "${PERF_ALL_GUESTS-}" ] || return 0
	printf '%s\n' "guest: only when asked: make check-guests TESTS=$1" "guest ended with 77" >"$BATS_FILE_TMPDIR/log"
	return 1
}

# The recording that `recorded` left, read by this machine's perf.
read_here() { # the machine as the header has it, what registers look like
	passed recorded
	"$PERF" report -i "$BATS_FILE_TMPDIR/out/perf.data" --stdio --header-only | grep -q "^# arch : $1\$"
	"$PERF" script -i "$BATS_FILE_TMPDIR/out/perf.data" -F ip,uregs | grep -qE "$2"
}
