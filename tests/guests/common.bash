# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the bats files of guests: load common

# foreign_build LOG [ARCH [TARGET]]: perf for arm64 or ARCH, and what compiles programs for it.  Sets $cc, $libs (a sysroot)
# and $foreign (a copy of perf); TARGET is what make builds, that perf or all; fails with the reason in LOG, in guest's
# words when something needed is missing.
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
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j"$(nproc)" -C "$top" CROSS="$arch" "${3:-build/$arch/perf}" 9>&- &&
			cp "$top/build/$arch/perf" "$foreign"
	) 9>"$top/build/$arch.lock" >"$1" 2>&1
}

# passed CHECK: the guest whose output is in the file's log said so.  What it refused, as it should on an older
# kernel, is skipped.
passed() {
	local log=$BATS_FILE_TMPDIR/log

	if grep -q '^guest ended with 77' "$log"; then skip "$(sed -n 's/^guest: //p' "$log" | head -1)"; fi
	grep -q "^ok $1\$" "$log" && return
	if grep -q "^skipped $1: ." "$log"; then skip "$(sed -n "s/^skipped $1: //p" "$log" | head -1)"; fi
	if grep -q "^refused $1: ." "$log"; then skip "$(sed -n "s/^refused $1: \(error: \)*/refused: /p" "$log" | head -1)"; fi
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

# suites_guest ARCH PERF PLUGINS [OPTION of guest]...: every tests/cli/*.bats that says "# Runs in a guest" runs in a Debian
# system of that machine, with that perf and the plugins in that directory.  What tests/run says there is printed
# when it fails, and kept in build/suites.ARCH either way.  With the environment's
# SUITES="WORD...", only those whose names hold one of the words.
suites_guest() {
	local top arch=$1 perf=$2 plugins=$3 disk tree=$BATS_FILE_TMPDIR/tree suite word chosen status=0 said

	shift 3
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	said=$top/build/suites.$arch
	mkdir -p "$top/build" "$tree/tests" "$tree/build"
	cp -a "$top"/{arch,builtin*.c,builtin.h,Documentation,libexec,perf.c,scripts,ui,util} "$tree/"
	cp -a "$top"/tests/{run,lsan.supp,cli,data,bench} "$tree/tests/"
	cp -L "$perf" "$tree/perf"
	cp -a "$plugins" "$tree/build/plugins"
	for suite in "$tree"/tests/cli/*.bats; do
		chosen=${SUITES:+no}
		for word in ${SUITES-}; do
			[[ ${suite##*/} != *"$word"* ]] || chosen=
		done
		[ -z "$chosen" ] && grep -q '^# Runs in a guest' "$suite" || mv "$suite" "$suite.elsewhere"
	done
	{
		disk=$("$BATS_TEST_DIRNAME/userland" "$arch") &&
			"$BATS_TEST_DIRNAME/guest" "$@" --memory 3072 --timeout 5300 --append mitigations=off \
				--file "$tree:/test/tree" --disk "$disk:/system" "$arch" "$BATS_TEST_DIRNAME/suites-guest.sh"
	} >"$said" 2>&1 || status=$?
	rm -rf "$tree"
	skip_what_is_missing $status "$said"
	[ $status -eq 0 ] || { cat "$said"; return 1; }
}

# skip_what_is_missing STATUS LOG: skips the test when STATUS is 77, for the reason in LOG.
skip_what_is_missing() {
	[ "$1" -ne 77 ] || skip "$(sed -n 's/^guest: //p' "$2" | head -1)"
}

# new_clang_objects: the BPF programs made by the newest clang here from version 19 on, in objects/new, and their variants
# for old kernels in objects/old of the file's directory.  Fails where there is none.
new_clang_objects() {
	local top made=$BATS_FILE_TMPDIR/objects clang source programs=() old
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	clang=$(compgen -c | grep -E '^clang-(19|[2-9][0-9])$' | sort -u | tail -1)
	[ -n "$clang" ] || return 1
	for source in "$top"/util/bpf/*.bpf.c "$top"/build/gen/bpf/*_old.bpf.o; do
		programs+=("$made/gen/bpf/$(basename "${source%.[co]}").o")
	done
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top" BPF_CLANG="$clang" O="$made" "${programs[@]}" || return 1
	mkdir -p "$made/new" "$made/old"
	cp "$made"/gen/bpf/*.bpf.o "$made/old/"
	for old in "$made"/old/*_old.bpf.o; do
		mv "$old" "${old%_old.bpf.o}.bpf.o"
	done
	mv "$made"/gen/bpf/*.bpf.o "$made/new/"
	rm "$made"/new/*_old.bpf.o
}

# live_guest [CHECK...]: live-guest.sh runs on the kernel of PERF_GUEST_KERNEL, all checks or these.
live_guest() {
	local here=$BATS_TEST_DIRNAME bpf=/usr/lib/x86_64-linux-gnu/libbpf.so.1 more=() log=$BATS_FILE_TMPDIR/log
	local unit=${UNIT:-$here/../../build/obj/tests/unit}/test_bpf_programs

	if [ ! -e $bpf ]; then
		printf '%s\n' "guest: no libbpf.so.1 to take along" "guest ended with 77" >"$log"
		return
	fi
	if [ -x "$unit" ]; then
		more=(--program "$unit")
		! new_clang_objects >"$log" 2>&1 ||
			more+=(--file "$BATS_FILE_TMPDIR/objects/new:/test/new" --file "$BATS_FILE_TMPDIR/objects/old:/test/old")
	fi
	{ echo "CHECKS='$*'"; cat "$here/live-guest.sh"; } >"$BATS_FILE_TMPDIR/script"
	"$here/guest" --timeout 1500 --memory 1024 --file "$(realpath $bpf):/lib/x86_64-linux-gnu/libbpf.so.1" "${more[@]}" \
		--perf "$PERF" amd64 "$BATS_FILE_TMPDIR/script" >"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}
