#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# AUX areas (Intel PT, Arm SPE ...): no machine at hand has one, so events of a PMU that
# aux-shim.c plays are recorded, and the files are read back, also with perf 6.1.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export HOME=$PWD
	gcc -shared -fPIC -O1 -o shim.so "$BATS_TEST_DIRNAME/aux-shim.c" -ldl
	mkdir devices
	for d in /sys/bus/event_source/devices/*; do ln -s "$(readlink -f "$d")" devices/; done
	pmu intel_pt 8001
	echo 'config:10' >devices/intel_pt/format/tsc
	echo 'config:9' >devices/intel_pt/format/mtc
	echo 'config:14-17' >devices/intel_pt/format/mtc_period
	echo 30 >devices/intel_pt/caps/max_nonturbo_ratio
	cpus=$(getconf _NPROCESSORS_ONLN)
}

teardown() {
	touch stop
	end_jobs
}

pmu() { # NAME TYPE
	mkdir -p "devices/$1/format" "devices/$1/caps"
	echo "$2" >"devices/$1/type"
	AUX_TYPE=$2
}

# perf record with the PMUs of devices/
record_aux() {
	AUX_TYPE=$AUX_TYPE unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices
		exec env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so "$@"' sh "$PERF" record -N "$@"
}

# how many records of type $2 there are in $1
count() {
	"$PERF" report -i "$1" --stats 2>/dev/null |
		awk -v t="$2" '$1 == t && $2 == "events:" { n = $3 } END { print n + 0 }'
}

# The bytes behind the AUXTRACE records of file $1, by its index: offset size sum
pieces() {
	python3 - "$1" <<-'X'
	import struct, sys
	f = open(sys.argv[1], 'rb').read()
	begin, size = struct.unpack_from('<QQ', f, 40)
	bits = struct.unpack_from('<4Q', f, 72)
	assert bits[0] >> 18 & 1, 'no AUXTRACE feature'
	table = begin + size + 16 * bin(bits[0] & ((1 << 18) - 1)).count('1')
	at, n = struct.unpack_from('<QQ', f, table)
	count, = struct.unpack_from('<Q', f, at)
	for i in range(count):
	    where, head = struct.unpack_from('<QQ', f, at + 8 + 16 * i)
	    kind, misc, rsize, bytes_, offset = struct.unpack_from('<IHHQQ', f, where)
	    assert (kind, rsize, head) == (71, 48, 48), (kind, rsize, head)
	    data = f[where + 48:where + 48 + bytes_]
	    wrong = [i for i in range(bytes_) if data[i] != ((offset + i) * 7 + 1) % 251]
	    print(offset, bytes_, wrong[0] if wrong else 'right')
	X
}

@test "a full trace: every byte of the AUX areas is in the file and found by its index" {
	AUX_BYTES=1000 record_aux -e intel_pt//u -m 16,16 -o d true
	[ "$(count d AUXTRACE)" -eq "$cpus" ]
	[ "$(count d AUX)" -eq "$cpus" ]
	[ "$(count d ITRACE_START)" -eq "$cpus" ]
	[ "$(count d AUXTRACE_INFO)" -eq 1 ]
	[ "$(pieces d | sort -u)" = "0 1000 right" ]
	"$PERF" evlist -i d | grep -q '^intel_pt//u$'
	"$PERF" evlist -v -i d | grep intel_pt | grep -q 'aux_watermark: 16384'
	# a decoder follows the tasks
	"$PERF" evlist -v -i d | grep dummy | grep -q 'context_switch: 1'
	"$PERF" script -D -i d | grep -cE 'PERF_RECORD_AUX offset: 0 +size: 0x3e8|PERF_RECORD_AUX .*0x3e8' | grep -qx "$cpus"
	"$PERF" report --header-only -i d | grep -q '^# contains AUX area data'
}

@test "perf 6.1 takes the file: its records, its index, its events" {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	AUX_BYTES=4096 record_aux -e intel_pt//u -m 16,16 -o d true
	"$ORACLE" report --header-only -i d | grep -q 'contains AUX area data'
	"$ORACLE" script --no-itrace -D -i d >dump 2>/dev/null
	[ "$(grep -c 'PERF_RECORD_AUXTRACE size: 0x1000  offset: 0 ' dump)" -eq "$cpus" ]
	grep -q 'PERF_RECORD_AUXTRACE_INFO type: 1' dump
	grep -qE 'PMU Type +8001' dump
	grep -qE 'TSC bit +0x400' dump
	grep -qE 'MTC bit +0x200' dump
	grep -qE 'MTC freq bits +0x3c000' dump
	grep -qE 'Max non-turbo ratio +30' dump
	[ "$("$ORACLE" evlist -i d 2>/dev/null | head -1)" = intel_pt//u ]
}

@test "in a stream, compressed, and in a directory" {
	AUX_BYTES=1000 record_aux -q -e intel_pt//u -m 16,16 -o - true >s 2>/dev/null
	[ "$("$PERF" report -i - --stats <s | awk '$1 == "AUXTRACE" { print $3 }')" -eq "$cpus" ]
	AUX_BYTES=1000 record_aux -q -z -e intel_pt//u -m 16,16 -o z true
	[ "$(count z AUXTRACE)" -eq "$cpus" ]
	[ "$(pieces z | sort -u)" = "0 1000 right" ]
	AUX_BYTES=1000 record_aux -q --threads -e intel_pt//u -m 16,16 -o t true
	[ "$(count t AUXTRACE)" -eq "$cpus" ]
	[ "$(count t AUX)" -eq "$cpus" ]
	# inject carries it
	"$PERF" inject -b -i d -o e 2>/dev/null || "$PERF" inject -b -i z -o e
	[ "$(count e AUXTRACE)" -eq "$cpus" ]
	[ "$(pieces e | sort -u)" = "0 1000 right" ]
}

@test "-S: the newest bytes, when SIGUSR2 or --control asks, and e: at the end" {
	# 100000 bytes went through 64 kB: the place is 34464
	export AUX_BYTES=100000 AUX_PLACE=1
	record_aux -e intel_pt//u -m 16,16 --snapshot=e -o d true
	[ "$(count d AUXTRACE)" -eq "$cpus" ]
	[ "$(pieces d | awk '{ print $2 }' | sort -u)" = 65536 ]
	record_aux -e intel_pt//u -m 16,16 --snapshot=8Ke -o d true
	[ "$(pieces d | awk '{ print $2 }' | sort -u)" = 8192 ]
	# without e: none at the end
	record_aux -e intel_pt//u -m 16,16 -S -o d true
	[ "$(count d AUXTRACE)" -eq 0 ]
	mkfifo ctl ack
	record_aux -e intel_pt//u -m 16,16 -S --control fifo:ctl,ack -o d -- sh -c 'while [ ! -e stop ]; do sleep 0.02; done' 3>&- &
	pid=$!
	exec 7<>ctl 8<>ack
	echo snapshot >&7
	read -r -t 60 answer <&8
	[ "$answer" = ack ]
	touch stop
	wait $pid
	exec 7>&- 8>&-
	[ "$(count d AUXTRACE)" -eq "$cpus" ]
}

@test "an area that wrapped is put together in the right order" {
	# 70000 bytes in 64 kB, head says all of it: the newest 65536 are there
	export AUX_BYTES=70000
	record_aux -e intel_pt//u -m 16,16 --snapshot=e -o d true
	[ "$(pieces d | sort -u)" = "4464 65536 right" ]
}

@test "--aux-sample puts it into the samples of its group" {
	record_aux -e '{intel_pt//u,cpu-clock:u}' -m 16,16 --aux-sample=8K -o d true
	"$PERF" evlist -v -i d | grep cpu-clock | grep -q 'aux_sample_size: 8192'
	"$PERF" evlist -v -i d | grep cpu-clock | grep -q 'sample_type: .*AUX'
	run ! grep -q 'aux_sample_size' <("$PERF" evlist -v -i d | grep intel_pt)
	[ "$(count d AUXTRACE)" -eq 0 ]
	record_aux -e '{intel_pt//u,cpu-clock/aux-sample-size=4096/u}' -m 16,16 -o d true
	"$PERF" evlist -v -i d | grep cpu-clock | grep -q 'aux_sample_size: 4096'
	run record_aux -e intel_pt//u -e cpu-clock --aux-sample -o d true
	[ "$status" -eq 1 ]
	[[ "$output" == *"in a group with 'intel_pt//u'"* ]]
	[[ "$output" == *"hint: -e '{intel_pt//u,cycles}'"* ]]
}

@test "the other kinds say what they are" {
	for k in 'intel_bts 2' 'cs_etm 3' 'arm_spe_0 4' 'hisi_ptt2_0 6'; do
		pmu "${k% *}" 8100
		record_aux -q -e "${k% *}//" -m 16,16 -o d true
		"$PERF" script -D -i d | grep -q "AUXTRACE_INFO type: ${k#* }"
		[ "$(count d AUXTRACE)" -eq "$cpus" ]
	done
}

@test "what cannot be is said" {
	run "$PERF" record -e cpu-clock -S true
	[ "$status" -eq 129 ]
	[[ "$output" == *"AUX area"* ]]
	[[ "$output" == *"hint: "*"--snapshot"* || "$output" == *"hint: "*" -e "*"//"* ]]
	run record_aux -e cpu-clock -S true
	[[ "$output" == *"hint: record an event that has one: -e intel_"*"//"* ]]
	run "$PERF" record -e cpu-clock --snapshot=x true
	[ "$status" -eq 129 ]
	run "$PERF" record -e cpu-clock --aux-sample=1G true
	[ "$status" -eq 129 ]
	[[ "$output" == *"'1G' is not a size of AUX data"*"hint: up to 60K, as in --aux-sample=8K"* ]]
	run "$PERF" record -e cpu-clock --aux-sample true
	[ "$status" -eq 129 ]
	[[ "$output" == *"leave --aux-sample out"* || "$output" == *"hint: record an event that has one: -e "*"//"* ]]
	run record_aux -e cpu-clock --aux-sample true
	[[ "$output" == *"--aux-sample: none of the events"*"hint: record an event that has one: -e intel_"*"//"* ]]
	# of no use, as in a script for several machines
	run "$PERF" record -e cpu-clock -m 16,4 -o d true
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "note: no event has an AUX area, so -m sets the size of the other rings alone" ]
	run "$PERF" record -e cpu-clock -m 16,x true
	[ "$status" -eq 129 ]
	[[ "$output" == *"AUX areas: 'x' is not a size of a ring"*"hint: -m ,1024 (pages)"* ]]
	run record_aux -e intel_pt//u --threads -S -o d true
	[ "$status" -eq 129 ]
	[[ "$output" == *--threads* ]]
}

# The branch_sample_type of the first event of file $1
branch_bits() {
	python3 -c '
import struct, sys
f = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<Q", f, 24)
assert struct.unpack_from("<Q", f, at + 24)[0] >> 11 & 1, "no BRANCH_STACK"
print(struct.unpack_from("<Q", f, at + 72)[0])' "$1"
}

@test "-j: each word is its bit in the event; of the sides alone any branch; -b is any" {
	# bits of enum perf_branch_sample_type_shift; a side alone is of any branch (bit 3)
	n=0
	while read -r word bit; do
		want=$((1 << bit))
		case $word in u | k | hv) want=$((want | 8)) ;; esac
		record_aux -q -B -e intel_pt//u -j "$word" -m 16,16 -o d true
		[ "$(($(branch_bits d) & ~7))" -eq "$((want & ~7))" ] || { echo "$word: $(branch_bits d)"; return 1; }
		[ "$bit" -gt 2 ] || [ "$(branch_bits d)" -eq "$want" ]
		n=$((n + 1))
	done <<-'END'
	u 0
	k 1
	hv 2
	any 3
	any_call 4
	any_ret 5
	ind_call 6
	abort_tx 7
	in_tx 8
	no_tx 9
	cond 10
	stack 11
	ind_jmp 12
	call 13
	no_flags 14
	no_cycles 15
	save_type 16
	hw_index 17
	priv 18
	counter 19
	END
	[ "$n" -eq 20 ]
	record_aux -q -B -e intel_pt//u -b -m 16,16 -o d true
	[ "$(($(branch_bits d) & ~7))" -eq 8 ]
	record_aux -q -B -e intel_pt//u -j any_call,u,no_flags -m 16,16 -o d true
	[ "$(branch_bits d)" -eq $((1 << 4 | 1 | 1 << 14)) ]
	run record_aux -e intel_pt//u -j nothing -o d true
	[ "$status" -eq 129 ]
}
