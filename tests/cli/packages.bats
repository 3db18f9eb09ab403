#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is handed on: the sources as a tarball, a program that needs no library.
bats_require_minimum_version 1.5.0

setup() {
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MAKELEVEL
	export XZ_OPT=-1 # small enough, and quick
}

# The objects that are there already are taken over: a whole build takes minutes.
objects_here() {
	[ "$(realpath "$PERF")" = "$top/perf" ] && [ -d "$top/build/obj" ] || skip "the objects are not in build/obj"
}

# Builds with the compiler and the warnings of those objects, so that they hold.
build() { # directory, argument of make...
	local flags
	flags=$(cat "$top/build/obj/flags")
	(cd "$1" && make -s -j2 CC="${flags%% -std=*}" WERROR="$(grep -o -- ' -Werror ' <<<"$flags" | wc -l | tr -d 0)" "${@:2}" >build.log 2>&1) ||
		{ tail -40 "$1/build.log"; return 1; }
}

version() { sed -n 's/^#define PERF_VERSION "\(.*\)"/\1/p' "$top/util/base/version.h"; }

@test "make dist: the same bytes each time, no file too many or too few, builds without git" {
	make -s -C "$top" dist O="$PWD/one" >said
	tarball=one/dist/perf-$(version).tar.xz
	[ "$(cat said)" = "$PWD/$tarball" ]
	make -s -C "$top" dist O="$PWD/two" >said
	cmp "$tarball" "two/dist/${tarball##*/}"
	tar -xf "$tarball"
	cd "perf-$(version)"
	for f in Makefile perf.c quickstart packages.list LICENSE README.md tests/run arch/arch.h util/ROOMS; do
		[ -e $f ] || { echo "no $f"; return 1; }
	done
	for f in build perf .git; do
		[ ! -e $f ] || { echo "there is $f"; return 1; }
	done
	# a tarball of what is in the tarball holds the same files
	[ -x scripts/dist ]
	SOURCE_DATE_EPOCH=1 scripts/dist "$BATS_TEST_TMPDIR/three" >/dev/null
	tar -tf "$BATS_TEST_TMPDIR/$tarball" | sort >"$BATS_TEST_TMPDIR/first"
	tar -tf "$BATS_TEST_TMPDIR/three/${tarball##*/}" | sort >"$BATS_TEST_TMPDIR/second"
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "the sources of make dist build where there is no git" {
	objects_here
	make -s -C "$top" dist O="$PWD/one" >/dev/null
	tar -xf "one/dist/perf-$(version).tar.xz"
	mkdir bin "perf-$(version)/build"
	printf '#!/bin/sh\necho "$*" >>%s/asked\nexit 1\n' "$PWD" >bin/git
	chmod +x bin/git
	cp -a "$top/build/obj" "$top/build/gen" "perf-$(version)/build/"
	# the program is linked anew, and one file compiled
	# not older than the sources, whose time is the commit's, and all of one age
	find "perf-$(version)/build" -type f -exec touch -d "@$(date +%s)" {} +
	rm -f "perf-$(version)/build/obj/perf.o"
	PATH=$PWD/bin:$PATH build "perf-$(version)" perf
	[ "$("perf-$(version)/perf" version)" = "perf version $(version)" ]
	[ ! -e asked ]
}

@test "make STATIC=1: needs nothing but /proc, and is smaller than 8 MB" {
	objects_here
	mkdir tree
	(cd "$top" && tar cf - Makefile perf.c builtin* arch include libexec plugins python ui util scripts Documentation \
		build/obj build/gen) | tar xf - -C tree
	build tree STATIC=1 O=build build/perf
	readelf -lW tree/build/perf >segments
	readelf -dW tree/build/perf >dynamic
	run ! grep -q 'INTERP' segments
	run ! grep -q 'NEEDED' dynamic
	mkdir -p root/proc root/tmp
	strip -o root/perf tree/build/perf
	[ "$(stat -c %s root/perf)" -lt 8000000 ]
	[ "$(id -u)" -eq 0 ] || skip "root's rights are needed for a root of one program"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cat >run.sh <<-'EOF'
	set -e
	mount -t proc proc root/proc
	inside() { chroot root /perf "$@"; }
	inside stat -e page-faults,task-clock /perf version 2>stat
	inside record -q -e cpu-clock:u -o /tmp/data /perf test -w noploop 1
	inside report -i /tmp/data --stdio >report
	inside script -i /tmp/data >script
	EOF
	unshare -m --propagation private bash -e run.sh
	grep -q 'page-faults' stat
	grep -qE '[0-9]+\.[0-9]+% ' report
	grep -qE ' cpu-clock:u: +[0-9a-f]+ ' script
}

@test "make ARCH=NAME is CROSS=NAME, unless that is this machine; the environment's is not meant" {
	run make -s -C "$top" help ARCH=sparc64
	[ "$status" -ne 0 ]
	[[ "$output" == *"CROSS=sparc64: only arm64 is known"* ]]
	make -s -C "$top" help ARCH="$(uname -m)" >said
	grep -q 'make dist' said
	ARCH=sparc64 make -s -C "$top" help >said
	grep -q 'make dist' said
}
