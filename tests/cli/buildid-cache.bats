#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf buildid-cache, and that perf 6.1 uses the same cache.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	ORACLE=/usr/bin/perf
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME"
	for n in 1 2; do
		echo "int main(void) { return $n; }" >p.c
		gcc -Wl,--build-id -o p$n p.c
	done
	here=$(pwd -P)
	id1=$(readelf -n p1 | sed -n 's/.*Build ID: //p')
	id2=$(readelf -n p2 | sed -n 's/.*Build ID: //p')
}

@test "-a adds, -l lists in 6.1's form, each sees what the other added" {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	[ -z "$("$PERF" buildid-cache -l)" ]
	"$PERF" buildid-cache -a p1
	"$ORACLE" buildid-cache -a "$here/p2"
	"$PERF" buildid-cache -l | sort >ours
	"$ORACLE" buildid-cache -l | sort >theirs
	cmp ours theirs
	grep -qx "$id1 $here/p1" ours
	cmp p1 "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf"
}

@test "-r removes by build-id, -p by path, -P all" {
	"$PERF" buildid-cache -a p1,p2
	"$PERF" buildid-cache -r p1
	[ "$("$PERF" buildid-cache -l)" = "$id2 $here/p2" ]
	"$PERF" buildid-cache -a p1
	# two versions of one path
	cp p2 keep && cp p1 p2 2>/dev/null && "$PERF" buildid-cache -u p2
	"$PERF" buildid-cache -p "$here/p2"
	! "$PERF" buildid-cache -l | grep -q '/p2$'
	run "$PERF" buildid-cache -p /no/such
	[ "$status" -eq 1 ]
	"$PERF" buildid-cache -a keep
	"$PERF" buildid-cache -P
	[ -z "$("$PERF" buildid-cache -l)" ]
	[ -z "$(find "$HOME/.debug" -name elf)" ]
}

@test "-u replaces a damaged copy, -v says so" {
	"$PERF" buildid-cache -a p1
	copy=$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf
	rm "$copy"
	echo damage >"$copy"
	"$PERF" buildid-cache -a p1
	! cmp -s p1 "$copy"
	"$PERF" buildid-cache -v -u p1 2>err
	cmp p1 "$copy"
	grep -q "updated $id1" err
}

@test "-M lists what a recording needs and is not there" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -q -N -e cpu-clock:u -o d -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
	"$PERF" buildid-cache -M d >missing
	grep -qE '^[0-9a-f]{40} .*dash$' missing
	"$PERF" buildid-cache -a "$(sed -n 's/^[0-9a-f]* \(.*dash\)$/\1/p' missing)"
	! "$PERF" buildid-cache -M d | grep -q dash
}

@test "--target-ns takes the file of a process" {
	"$PERF" buildid-cache --target-ns $$ -a "$here/p1"
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
}

@test "a file that fails is named and the others are done; nothing to do is an error" {
	echo text >text
	run "$PERF" buildid-cache -a text,p1,gone
	[ "$status" -eq 1 ]
	[[ "$output" == *text* && "$output" == *gone* ]]
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
	run "$PERF" buildid-cache
	[ "$status" -eq 129 ]
}
