#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it is about what starts guests.
# Which kernel the guests of make check-guests boot, with an apt-get and a qemu that are played: nothing is fetched.
bats_require_minimum_version 1.5.0

setup() {
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MAKELEVEL PERF_GUEST_KERNEL KERNEL
	export PERF_GUEST_CACHE=$PWD/cache
	mkdir bin
	# It offers the kernel 2, and has no package to give.
	cat >bin/apt-get <<-END
		#!/bin/sh
		echo "\$*" >>$PWD/asked
		case "\$*" in
		*print-uris*) echo "'http://x/k_2.deb' k_2.deb 1 SHA256:0" ;;
		*update*) cat $PWD/answer 2>/dev/null ;;
		*) exit 100 ;;
		esac
	END
	printf '#!/bin/sh\nexit 1\n' >bin/qemu-system-x86_64
	cp bin/qemu-system-x86_64 bin/cpio
	chmod +x bin/*
	echo true >script
}

guest() { # status, suite or ''
	PATH=$PWD/bin:$PATH PERF_GUEST_KERNEL=$2 run "-$1" "$top/tests/guests/guest" amd64 script
}

@test "make check-guests KERNEL=SUITE: on the command line alone" {
	# in a place of its own: even make -n keeps the flags that it is called with
	dry() { make -n -C "$top" O="$PWD/out" WITHOUT=all check-guests TESTS=none "$@" >said 2>err || { cat err; return 1; }; }
	dry KERNEL=trixie-backports
	grep -q '^PERF_ALL_GUESTS=1 PERF_GUEST_KERNEL=trixie-backports tests/run .*guests/none$' said
	KERNEL=sid dry
	grep -q '^PERF_ALL_GUESTS=1 *tests/run .*guests/none$' said
}

@test "guest: the kernel of this machine's release, or of the suite that is asked for, each in a cache of its own" {
	guest 77 ''
	[[ "$output" == *"guest: cannot download the package linux-image-cloud-amd64 for amd64"* ]]
	[ -d cache/amd64/apt ]
	[ ! -e cache/amd64/apt/sources.list ]
	run ! grep -q Default-Release asked
	rm asked
	guest 77 trixie-backports
	[ "$(cat cache/amd64-trixie-backports/apt/sources.list)" = "deb http://deb.debian.org/debian trixie-backports main
deb http://deb.debian.org/debian trixie main" ]
	run ! grep -v 'APT::Default-Release=trixie-backports' asked
	grep -q 'download linux-image-cloud-amd64$' asked
	guest 77 sid
	[ "$(cat cache/amd64-sid/apt/sources.list)" = "deb http://deb.debian.org/debian sid main" ]
	guest 1 ../sid
	[ "$output" = "guest: PERF_GUEST_KERNEL is not the name of a suite: '../sid'" ]
}

@test "guest: a suite that Debian has not is a failure, a mirror that does not answer is none" {
	echo "Err:2 http://deb.debian.org/debian nosuch Release
  404  Not Found
E: The repository 'http://deb.debian.org/debian nosuch Release' does not have a Release file." >answer
	guest 1 nosuch
	[ "$output" = "guest: Debian has no suite 'nosuch' for amd64" ]
	[ ! -e cache/amd64-nosuch/apt ]
	echo "Err:1 http://deb.debian.org/debian nosuch InRelease
  Temporary failure resolving 'deb.debian.org'
E: The repository 'http://deb.debian.org/debian nosuch Release' does not have a Release file." >answer
	guest 77 nosuch
}

@test "guest: a suite that is asked for is looked at for a newer kernel once a day, this machine's is kept" {
	for kept in amd64 amd64-sid; do
		mkdir -p cache/$kept/kernel
		echo k_1.deb >cache/$kept/complete
		touch -d '2 days ago' cache/$kept/complete
	done
	guest 1 ''
	[ "$output" = "guest: the packages of the kernel for amd64 are not as expected" ]
	[ ! -e asked ]
	# another one is offered: what is kept goes
	guest 77 sid
	[ ! -e cache/amd64-sid/kernel ]
	[ ! -e cache/amd64-sid/complete ]
	# the same is offered: it stays, and nobody asks again today
	mkdir -p cache/amd64-sid/kernel
	echo k_2.deb >cache/amd64-sid/complete
	touch -d '2 days ago' cache/amd64-sid/complete
	guest 1 sid
	[ -e cache/amd64-sid/kernel ]
	rm asked
	guest 1 sid
	[ ! -e asked ]
}
