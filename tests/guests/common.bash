# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the bats files of guests: load common

# foreign_build LOG [ARCH]: perf for arm64 or ARCH, and what compiles programs for it.  Sets $cc, $libs (a sysroot) and
# $foreign (a copy of perf); fails with the reason in LOG, in guest's words when something needed is missing.
foreign_build() {
	local top arch=${2:-arm64} machine=aarch64

	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	[ "$arch" = arm64 ] || machine=$arch
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
