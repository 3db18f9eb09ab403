#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf buildid-list: the same lists as the system's perf.

other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ -x $other ] || return 0
	$other record -q -F 4000 -g -e cpu-clock -o plain -- find /usr/lib /etc >/dev/null
	# not all of the system: 6.1 mixes up files of the same name in several mount namespaces
	$other record -q -F 4000 -e cpu-clock -o several -- sh -c 'find /usr/lib | sort | gzip; ls -lR /etc' >/dev/null
	$other record -q -B -F 4000 -e cpu-clock:u -o without -- find /usr/lib >/dev/null
	$other record -q --threads -F 4000 -e cpu-clock -o directory -- find /usr/lib >/dev/null
	$other record -q -F 4000 -e cpu-clock:u -o - -- find /usr/lib 2>/dev/null | cat >stream
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "the recorder's list" {
	[ -x $other ] || skip "no other perf"
	for f in plain several directory; do
		diff <($other buildid-list -i $f) <("$PERF" buildid-list -i $f)
	done
}

@test "-H: only objects with samples" {
	[ -x $other ] || skip "no other perf"
	for f in plain several directory; do
		# BPF programs that others have loaded have no build-id; 6.1 leaves those with samples out
		diff <($other buildid-list -H -i $f) <("$PERF" buildid-list -H -i $f | grep -v '^ *bpf_prog_')
	done
	"$PERF" buildid-list -H -i plain | grep -q /find
}

@test "a file without a list: objects with samples, no build-ids" {
	[ -x $other ] || skip "no other perf"
	"$PERF" buildid-list -i without >ours
	grep -qE '^ {41}/.*/find$' ours
	# theirs names the vdso by a temporary file
	diff <($other buildid-list -i without | grep -v vdso) <(grep -v vdso ours)
}

@test "a stream" {
	[ -x $other ] || skip "no other perf"
	"$PERF" buildid-list -i - <stream | grep -q '/find$'
	"$PERF" buildid-list -i stream | grep -q '/find$'
}

@test "an ELF file's own build-id" {
	run "$PERF" buildid-list -i /bin/ls
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^[0-9a-f]{40}$ ]]
	readelf -n /bin/ls | grep -q "Build ID: $output"
	run "$PERF" buildid-list -i /etc/passwd
	[ "$status" -eq 1 ]
}

@test "-k and -m: the running kernel" {
	[ -r /sys/kernel/notes ] || skip "no /sys/kernel/notes"
	run "$PERF" buildid-list -k
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^[0-9a-f]{40}$ ]]
	id=$output
	[ -x $other ] || skip "no other perf"
	[ "$id" = "$($other buildid-list -k)" ]
	diff <($other buildid-list -m) <("$PERF" buildid-list -m)
}

@test "a file of another user needs -f" {
	[ -x $other ] && [ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	cp plain theirs
	chown 12345 theirs
	run "$PERF" buildid-list -i theirs
	[ "$status" -eq 1 ]
	[[ "$output" == *"not owned by"*"hint: "*"-f"* ]]
	diff <("$PERF" buildid-list -f -i theirs) <("$PERF" buildid-list -i plain)
}
