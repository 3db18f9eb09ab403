#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf mem and perf c2c record on machines that sysfs trees and mem-shim.c play: mem-workload.c says which
# accesses it made, and every table is worked out from its lines by hand.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	gcc -shared -fPIC -O1 -o shim.so "$BATS_TEST_DIRNAME/mem-shim.c" -ldl
	# without position-independent code nm gives the addresses; without endbr64 a function begins with its access
	local plain=
	[ "$(uname -m)" != x86_64 ] || plain=-fcf-protection=none
	gcc -g -O1 $plain -no-pie -o accesses "$BATS_TEST_DIRNAME/mem-workload.c" -pthread
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cd "$FILES"
	rm -rf devices samples data
	mkdir devices
	for d in /sys/bus/event_source/devices/*; do
		case ${d##*/} in cpu* | ibs_* | arm_spe*) continue ;; esac
		ln -s "$(readlink -f "$d")" devices/
	done
}

put() { # FILE TEXT
	mkdir -p "devices/${1%/*}"
	echo "$2" >"devices/$1"
}

intel() {
	put cpu/type 4
	put cpu/format/event config:0-7
	put cpu/format/umask config:8-15
	put cpu/format/ldlat config1:0-15
	put cpu/events/mem-loads event=0xcd,umask=0x1,ldlat=3
	put cpu/events/mem-stores event=0xd0,umask=0x82
	export MEM_TYPE=4
}

# perf with the PMUs of devices/; the samples are those that the program wrote
on_machine() {
	MEM_SAMPLES=$PWD/samples unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices
		exec env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so "$@"' sh "$PERF" "$@"
}

# The rows of tables, with single blanks
rows() { sed -n 's/  */ /g; s/^ //; s/ $//; /^[0-9.]*%/p'; }

where() { echo "0x$(nm accesses | awk -v n="$1" '$3 == n { print $1 }' | sed 's/^0*//')"; }

# The weights of the loads: 6 of 100, one of 450, one of 350. A store has none and counts as 1.
loads="42.86% 6 100 L3 hit [.] load_first accesses [.] hot+0x0 accesses HitM L1 hit No N/A
32.14% 1 450 Local RAM hit [.] load_depth accesses [.] cold+0x4 accesses None L1 hit No N/A
25.00% 1 350 L1 hit [.] load_depth accesses [.] cold+0x4 accesses None L1 hit No N/A"
stores="75.00% 3 0 L1 hit [.] store_second accesses [.] hot+0x8 accesses N/A L1 hit No N/A
25.00% 1 0 L1 miss [.] store_second accesses [.] hot+0x8 accesses N/A L1 hit No N/A"
KEYS=local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked

@test "Intel: loads and stores, with all that a sample says" {
	intel
	on_machine mem record -q -k mono -p --data-page-size -o data ./accesses samples 1cd 82d0
	[ "$(wc -l <samples)" -eq 12 ]
	"$PERF" mem report -i data -s $KEYS --stdio >text
	[ "$(rows <text)" = "$loads
$stores" ] || { cat text; return 1; }
	[ "$(grep '^# Total weight' text)" = "# Total weight : 1400
# Total weight : 4" ]
	# 6 * 7 + 8 + 32 cycles until the instruction was done
	[ "$("$PERF" mem report -i data -s local_ins_lat --stdio | rows | head -3)" = "42.86% 6 7
32.14% 1 32
25.00% 1 8" ]
	[ "$("$PERF" mem report -i data -s phys_daddr,data_page_size,sym --stdio | rows | head -2)" = \
		"57.14% 2 [.] 0x$(printf '%016x' $((0x40000000 + ($(where cold) + 4) % 4096))) 4K [.] load_depth
42.86% 6 [.] 0x$(printf '%016x' $((0x40000000 + $(where hot) % 4096))) 4K [.] load_first" ]
	[ "$("$PERF" mem report -t store -i data -s sym --stdio | rows | tail -1)" = "100.00% 4 [.] store_second" ]
	# the events ask for the most precise that there is: without that they sample no addresses
	[ "$("$PERF" evlist -v -i data | grep -c 'precise_ip: 3')" -eq 2 ]
	"$PERF" evlist -v -i data | grep -q 'config: 0x1cd.*config1 }: 0x1e'
}

@test "Intel: each access on a line, and its type" {
	intel
	on_machine mem record -q -k mono -o data ./accesses samples 1cd 82d0
	# what the program wrote, as the table has it
	while read -r _ _ _ _ _ ip addr weight source _; do
		echo "0x$ip 0x$addr $((0x${weight%%,*})) 0x$source"
	done <samples >want
	"$PERF" mem -D -x, -i data | awk -F, 'NR > 1 { print $3, $4, $5, $6 }' >got
	diff want got
	[ "$("$PERF" mem -D -x, -i data | cut -d, -f7 | sed 's/.*://' | uniq -c | awk 'NR > 1 { print $1, $2 }')" = "6 load_first
4 store_second
2 load_depth" ]
	[ "$(uname -m)" = x86_64 ] || skip "types are told from x86-64 code"
	[ "$("$PERF" mem report -T -i data --stdio | rows)" = "42.86% 6 L3 hit HitM L1 hit struct counters
32.14% 1 Local RAM hit None L1 hit struct settings
25.00% 1 L1 hit None L1 hit struct settings
75.00% 3 L1 hit N/A L1 hit struct counters
25.00% 1 L1 miss N/A L1 hit struct counters" ]
	[ "$("$PERF" mem report -i data -s typeoff --stdio | rows)" = "57.14% 2 struct settings +0x4 (depth)
42.86% 6 struct counters +0x0 (first)
100.00% 4 struct counters +0x8 (second)" ]
}

@test "Intel with an auxiliary event: the group is recorded, and the loads have a table of their own" {
	intel
	put cpu/events/mem-loads-aux event=0x03,umask=0x82
	on_machine mem record -q -k mono -o data ./accesses samples 1cd 82d0
	"$PERF" report -i data --header-only | grep -q '^# group: {cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}'
	"$PERF" evlist -v -i data | grep -q '^cpu/mem-loads-aux/: .*config: 0x8203.*precise_ip: 3'
	[ "$("$PERF" mem report -i data -s $KEYS --stdio | rows)" = "$loads
$stores" ]
	command -v "$RIVAL" >/dev/null || return 0
	diff <("$RIVAL" mem -i data report --stdio -s $KEYS 2>/dev/null | rows | sed 's/ - -$//') <("$PERF" mem report -i data --stdio -s $KEYS | rows)
}

@test "AMD: loads and stores are one event" {
	put ibs_op/type 11
	put ibs_op/format/cnt_ctl config:19
	export MEM_TYPE=11
	on_machine mem record -q -k mono -o data ./accesses samples 0 0
	[ "$("$PERF" evlist -i data)" = "ibs_op//" ]
	# weights: 1400 of loads, and 1 for each store
	[ "$("$PERF" mem report -i data -s mem,sym --stdio | rows)" = "42.74% 6 L3 hit [.] load_first
32.05% 1 Local RAM hit [.] load_depth
24.93% 1 L1 hit [.] load_depth
0.21% 3 L1 hit [.] store_second
0.07% 1 L1 miss [.] store_second" ]
}

@test "POWER: a sample's weight is three numbers" {
	put cpu/type 4
	put cpu/format/event config:0-19
	put cpu/events/mem-loads event=0x401e0
	put cpu/events/mem-stores event=0x401ee
	export MEM_TYPE=4
	on_machine mem record -q -k mono -o data ./accesses samples 401e0 401ee
	[ "$("$PERF" evlist -i data)" = "cpu/mem-loads/
cpu/mem-stores/" ]
	"$PERF" evlist -v -i data | grep -q '^cpu/mem-loads/.*WEIGHT_STRUCT'
	[ "$("$PERF" mem report -i data -s local_weight,local_ins_lat,local_p_stage_cyc,sym --stdio | rows | head -3)" = \
		"42.86% 6 100 7 3 [.] load_first
32.14% 1 450 32 0 [.] load_depth
25.00% 1 350 8 1 [.] load_depth" ]
}

@test "c2c: the line that two threads fight for" {
	intel
	on_machine c2c record -q --clockid mono -o data ./accesses samples 1cd 82d0
	"$PERF" c2c report -i data --stdio >text
	total() { sed -n "s/^ *$1 *: *//p" text; }
	[ "$(total "Total records")" = 12 ]
	[ "$(total "Load Operations")" = 8 ]
	[ "$(total "Load LLC hit")" = 6 ]
	[ "$(total "Load Local HITM")" = 6 ]
	[ "$(total "Load Local DRAM")" = 1 ]
	[ "$(total "Load L1D hit")" = 1 ]
	[ "$(total "Store Operations")" = 4 ]
	[ "$(total "Store L1D Hit")" = 3 ]
	[ "$(total "Store L1D Miss")" = 1 ]
	# cold is not shared: it was only loaded, and no cache had it modified
	[ "$(total "Total Shared Cache Lines")" = 1 ]
	[ "$(total "Total Merged records")" = 10 ]
	# number, address; share, HITMs, of this node, of others; records, loads, stores: hits, misses, unknown
	[ "$(sed -n '/Shared Data Cache Line Table/,/Distribution Pareto/p' text | awk '$2 ~ /^0x/ { print $2, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 }')" = \
		"$(where hot) 100.00% 6 6 0 10 6 4 3 1 0" ]
	sed -n '/Distribution Pareto/,$p' text | awk '/%/ { print $1, $2, $3, $4, $6, $9 }' >accesses.got
	[ "$(cat accesses.got)" = "0.00% 100.00% 0.00% 0.00% 0x0 $(where load_first)
0.00% 0.00% 100.00% 100.00% 0x8 $(where store_second)" ] || { cat text; return 1; }
	sed -n '/Distribution Pareto/,$p' text | grep -Eq "load_first +accesses +mem-workload.c:$(grep -n '^ACCESS.*load_first' "$BATS_TEST_DIRNAME/mem-workload.c" | cut -d: -f1) "
	command -v "$RIVAL" >/dev/null || return 0
	squeeze() { sed -E 's/ +/ /g; s/ $//; s/\.\.+/./g; s/-+/-/g'; }
	diff <("$RIVAL" c2c report -i data --stdio 2>/dev/null | squeeze) <(squeeze <text)
}

# perf with an SPE of type $AUX_TYPE, whose trace is the file "trace"
on_arm() {
	put arm_spe_0/type "$AUX_TYPE"
	put arm_spe_0/format/ts_enable config:0
	put arm_spe_0/format/pa_enable config:1
	put arm_spe_0/format/load_filter config:33
	put arm_spe_0/format/store_filter config:34
	put arm_spe_0/format/min_latency config2:0-11
	AUX_TRACE=$PWD/trace unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices
		exec env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/aux.so "$@"' sh "$PERF" "$@"
}

@test "Arm SPE: what the trace of a program says" {
	export AUX_TYPE=8009
	gcc -shared -fPIC -O1 -o aux.so "$BATS_TEST_DIRNAME/aux-shim.c" -ldl
	./accesses 3>&- &
	pid=$!
	until [ "$(readlink /proc/$pid/exe)" = "$PWD/accesses" ]; do sleep 0.01; done
	# events: 4 first level, 8 refilled, 0x10 TLB, 0x100 last level
	for i in 1 2 3; do echo "$((1000 * i)) $pid load $(where load_first) $(where hot) 40000180 50 11c 9"; done >ops
	echo "4000 $pid load $(where load_depth) $(printf %x $(($(where cold) + 4))) 0 200 14 0" >>ops
	echo "5000 $pid store $(where store_second) $(printf %x $(($(where hot) + 8))) 0 5 14 0" >>ops
	"$BATS_TEST_DIRNAME/make-spe" --trace trace <ops
	on_arm mem record -q -o data --pid $pid -- true
	kill $pid
	[ "$("$PERF" mem -D -x, -p -i data | cut -d, -f1-6 | sed 1d)" = "$(awk -v p="$pid" '{
		print p "," p ",0x" $4 ",0x" $5 ",0x" ($6 ? $6 : "0") "," $7 }' ops | sed 's/0x0x/0x/g')" ]
	# 3 * 50 + 200 + 5
	"$PERF" mem report -i data -s sym,symbol_daddr,dso --stdio >text
	[ "$(rows <text | grep -v '^100')" = "56.34% 1 [.] load_depth [.] cold+0x4 accesses
42.25% 3 [.] load_first [.] hot+0x0 accesses
1.41% 1 [.] store_second [.] hot+0x8 accesses" ] || { cat text; return 1; }
	[ "$("$PERF" evlist -v -i data | grep -c 'sample_period, sample_freq }: 1,')" -ge 1 ]
	# loads alone; one operation of so many
	[ "$(on_arm mem record -v -q -t load -c 5000 -o loads --pid $$ -- true 2>&1 | sed -n 's/^note: calling: //p' | grep -o 'load_filter=.*min')" = \
		"load_filter=1,store_filter=0,min" ]
	"$PERF" evlist -v -i loads | grep -q '^arm_spe_0.*sample_freq }: 5000,.*config2 }: 0x1e'
}
