#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf archive: packed, unpacked, damaged.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	type tar bzip2 >/dev/null || skip "no tar or bzip2"
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME"
	"$PERF" record -q -e cpu-clock:u -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' </dev/null
	id=$(readelf -n /bin/dash | sed -n 's/.*Build ID: //p')
}

cached() { # home
	ls "$1/.debug/.build-id/${id:0:2}/${id:2}/elf"
}

@test "objects go into FILE.tar.bz2 and come out in another cache; 6.1 finds them there" {
	run "$PERF" archive
	[ "$status" -eq 0 ]
	[[ "$output" == *"tar xvf perf.data.tar.bz2 -C ~/.debug"* ]]
	mkdir other
	HOME=$PWD/other "$PERF" archive --unpack perf.data.tar.bz2
	cmp "$(cached other)" /bin/dash
	[ ! -x /usr/bin/perf ] || HOME=$PWD/other /usr/bin/perf buildid-cache -l | grep -q "^$id "
}

@test "--all carries the recording; one that is here already is not touched" {
	"$PERF" archive --all
	mkdir there other
	mv perf.all-*.tar.bz2 there/
	cd there
	HOME=$PWD/../other "$PERF" archive --unpack
	cmp perf.data ../perf.data
	cached ../other
	run ! ls -d perf-archive-*
	run "$PERF" archive --unpack
	[ "$status" -eq 1 ]
	[[ "$output" == *"perf.data"*"already"*"hint: mv 'perf.data' 'perf.data.old'"* ]]
	run ! ls -d perf-archive-*
}

@test "--exclude-buildids leaves some out" {
	echo "$id /usr/bin/dash" >out
	"$PERF" archive --exclude-buildids out || :
	run ! grep -q "${id:2}" <(tar tf perf.data.tar.bz2 2>/dev/null)
	"$PERF" archive
	tar tf perf.data.tar.bz2 | grep -q "${id:2}"
}

@test "what the cache does not have is named" {
	"$PERF" buildid-cache -P
	run "$PERF" archive
	[ "$status" -eq 1 ]
	[[ "$output" == *"does not have"*dash* ]]
	[ ! -e perf.data.tar.bz2 ]
}

@test "a damaged archive is used as far as it goes and the gaps are named" {
	# two objects, the second of which is cut
	head -c 300000 /dev/urandom >noise
	tar cjf two.tar.bz2 -C "$HOME/.debug" ".build-id/${id:0:2}/${id:2}" \
		"$(cd "$HOME/.debug" && find . -path "*$id/elf" | head -1)" -C "$PWD" noise
	size=$(stat -c %s two.tar.bz2)
	bzip2 -dc two.tar.bz2 | head -c -200000 | bzip2 >cut.tar.bz2
	mkdir other
	HOME=$PWD/other run "$PERF" archive --unpack cut.tar.bz2
	[ "$status" -eq 1 ]
	[[ "$output" == *"noise' is cut"* ]]
	[[ "$output" == *"cut.tar.bz2' is damaged"* ]]
	cached other
	[ ! -e other/.debug/noise ]
}

@test "files that are not there: what makes them is said" {
	run "$PERF" archive --unpack nosuch.tar.bz2
	[ "$status" -eq 1 ]
	[[ "$output" == *"nosuch.tar.bz2"*"hint: 'perf archive'"* ]]
	"$PERF" record -q -e cpu-clock -o data true
	run "$PERF" archive --exclude-buildids nosuch data
	[ "$status" -eq 1 ]
	[[ "$output" == *"nosuch"*"hint: "*"buildid-list"* ]]
}

@test "a file of another user needs -f" {
	chown 12345 perf.data
	run "$PERF" archive
	[ "$status" -eq 1 ]
	[[ "$output" == *"not owned by"*"hint: "*"-f"* ]]
	[ ! -e perf.data.tar.bz2 ]
	"$PERF" archive -f
	tar tf perf.data.tar.bz2 | grep -q "${id:2}"
}
