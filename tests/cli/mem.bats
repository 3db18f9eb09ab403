#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf mem: which events it records on machines that are played by a sysfs tree, what it shows of
# accesses that make-samples wrote.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	"$BATS_TEST_DIRNAME/make-samples" memory memory
	"$BATS_TEST_DIRNAME/make-samples" --big-endian memory big-memory
}

setup() {
	cd "$FILES"
	rm -rf devices
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
}

# perf with the PMUs of devices/
on_machine() {
	unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && exec "$@"' sh "$PERF" "$@"
}

# The command line of perf record
called() {
	on_machine mem "$@" 2>&1 | sed -n 's/^note: calling: //p'
}

needs_namespaces() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
}

@test "record: the events of the machine, and perf record's options" {
	needs_namespaces
	intel
	[ "$(called record -v --dry-run true)" = \
		"record -W -d -e cpu/mem-loads,ldlat=30/P -e cpu/mem-stores/P --dry-run -- true" ]
	[ "$(called -t load record -v --dry-run --ldlat 70 -p --data-page-size -C 0 -F 99 -g -o x -- sleep -t 1)" = \
		"record -W -d --phys-data --data-page-size -e cpu/mem-loads,ldlat=70/P -C 0 --dry-run --freq=99 -g --output=x -- sleep -t 1" ]
	[ "$(called -v record --dry-run true)" = "$(called record -v --dry-run true)" ]
	[ "$(called record -v --dry-run -t store -UK true)" = \
		"record -d -e cpu/mem-stores/P --all-user --all-kernel --dry-run -- true" ]
	run on_machine mem record -v -e list
	[ "$status" -eq 0 ]
	[ "$output" = "ldlat-loads  cpu/mem-loads,ldlat=30/P : available
ldlat-stores cpu/mem-stores/P         : available" ]
	run on_machine mem record -e spe true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: 'spe' is not an event that samples memory accesses on this machine (Intel PEBS)"* ]]
	[[ "$output" == *"hint: -e takes ldlat-loads, ldlat-stores"* ]]
}

@test "record: AMD samples both kinds in one event" {
	needs_namespaces
	put ibs_op/type 11
	put ibs_op/format/cnt_ctl config:19
	[ "$(called record -v --dry-run true)" = "record -W -d -e ibs_op// --dry-run -- true" ]
	run on_machine mem record -t load --dry-run true
	[[ "$output" == *"warning: AMD IBS samples loads and stores alike: -t load records both"* ]]
}

@test "record: a machine without such a PMU, and what is possible there" {
	needs_namespaces
	run on_machine mem record true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot sample memory accesses: "*"(ibs_op)"*"(arm_spe_0)"* ]]
	[[ "$output" == *"hint: possible here: page faults by data address (perf record -d -e page-faults)"* ]]
	[ ! -e perf.data ]
	run on_machine mem record -e list
	[ "$status" -eq 1 ]
}

@test "report is perf report --mem-mode -n with its own keys" {
	diff <("$PERF" mem report -i memory --stdio) <("$PERF" report -i memory --mem-mode -n --stdio)
	diff <("$PERF" mem -i memory report -t store --stdio) <("$PERF" report -i memory --mem-mode -n --stdio \
		-s mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked)
	diff <("$PERF" mem -p -i memory report --data-page-size --stdio) <("$PERF" report -i memory --mem-mode -n \
		--stdio -s local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,phys_daddr,data_page_size)
	diff <("$PERF" mem report -s mem -x, -i memory) <("$PERF" report -s mem -t, --mem-mode -n -i memory)
	[ "$("$PERF" mem report -C 1 -i memory --stdio | grep -c '%')" -eq 0 ]
	[ "$("$PERF" mem report -C 3 -i memory --stdio | grep -c '%')" -eq 71 ]
	"$PERF" mem report -U -i memory --stdio | grep -vq '%'
	"$PERF" mem report -T -i memory --stdio 2>/dev/null | grep -q '^# Sort order   : mem,snoop,tlb,type$'
}

@test "report has the rows of Debian's perf" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	for options in "-s locked" "-s symbol_daddr,dso_daddr" "-s local_weight,dso" "-t store -s dso_daddr"; do
		# shellcheck disable=SC2086
		"$RIVAL" mem -i memory report --stdio $options 2>/dev/null | grep "^[^#]*%" |
			sed -E 's/ -      - *$//; s/ +$//' | sort >theirs # an empty column: report-ipc-null
		# shellcheck disable=SC2086
		"$PERF" mem -i memory report --stdio $options 2>/dev/null | grep "^[^#]*%" | sed -E 's/ +$//' | sort >ours
		[ -s ours ]
		diff -w theirs ours
	done
}

@test "-D: a line for each sample" {
	"$PERF" mem -D -i memory >dump
	[ "$(head -1 dump)" = "# PID, TID, IP, ADDR, LOCAL WEIGHT, DSRC, SYMBOL" ]
	[ "$(wc -l <dump)" -eq 72 ]
	# the second value of make-samples: weight 3, at START + 8
	[ "$(sed -n 3p dump)" = "  100   101 0x0000555555556010 0x0000555555554008     3 0x1e05080021 /bin/true:???" ]
	diff <("$PERF" mem -i memory report -D) dump
	diff <("$PERF" mem -D -i big-memory | cut -d: -f1 | cut -c1-50) <(cut -d: -f1 dump | cut -c1-50)
	[ "$("$PERF" mem -D -x, -p --data-page-size -i memory | sed -n '1p;3p')" = \
		"# PID, TID, IP, ADDR, PHYS ADDR, DATA PAGE SIZE, LOCAL WEIGHT, DSRC, SYMBOL
100,101,0x555555556010,0x555555554008,0x1000,2M,3,0x1e05080021,/bin/true:???" ]
	[ "$("$PERF" mem -D -U -i memory | wc -l)" -eq 1 ]
	[ "$("$PERF" mem -D -C 0-2 -i memory | wc -l)" -eq 1 ]
	if command -v "$RIVAL" >/dev/null; then
		# but for the zeros that 6.1 writes as the digits 016 (ledger: mem-dump-zeros)
		"$RIVAL" mem -D -x, -i memory report | sed 1d >theirs
		"$PERF" mem -D -x, -i memory | sed 1d | diff theirs -
	fi
}

@test "AMD's raw data: every bit of every register, as Debian's perf shows it" {
	make=$BATS_TEST_DIRNAME/make-ibs
	registers() { grep -E '^(ibs|Ibs|ic_ibs)'; }
	for options in "" "--cpuid AuthenticAMD,25,1,1" --zen4 --fetch "--fetch --cpuid AuthenticAMD,25,1,1" "--fetch --zen4"; do
		# shellcheck disable=SC2086
		"$make" $options ibs
		"$PERF" report -D -i ibs 2>/dev/null | registers >ours
		[ "$(wc -l <ours)" -ge 187 ]
		! command -v "$RIVAL" >/dev/null || diff <("$RIVAL" report -D -i ibs 2>/dev/null | registers) ours
	done
	"$make" ibs
	"$PERF" report -D -i ibs 2>/dev/null | registers >ours
	# by the manual: bit 1 of IbsOpData3 is a store, bits 32 to 47 are the latency of a miss
	grep -q '^ibs_op_data3:.0000000000060002 LdOp 0 StOp 1 ' ours
	grep -q '^ibs_op_data3:.0000000100060000 .* DcMissLat     1 TlbRefillLat     0$' ours
	grep -q '^ibs_op_data3:.0001000000060000 .* DcMissLat     0 TlbRefillLat     1$' ours
	# a sample that the processor did not mark as valid shows nothing
	[ "$(grep -c '^ibs_op_ctl' ours)" -eq 60 ]
}

@test "AMD without data sources: every command reads the registers" {
	make=$BATS_TEST_DIRNAME/make-ibs
	for how in raw empty kernel other; do "$make" --accesses $how ibs.$how; done
	"$make" --accesses raw --big-endian ibs.big
	# six times each: 2 of line 0 are modified elsewhere
	"$PERF" mem report -i ibs.raw --stdio -s mem,tlb,locked,snoop,local_weight | sed -n 's/  */ /g; s/ $//; s/^ //; /%/p' >got
	cat >want <<-'END'
		46.55% 6 Remote node, same socket RAM hit L1 hit N/A N/A 500
		27.93% 6 Local RAM or RAM hit L2 hit N/A N/A 300
		13.04% 6 core, same node Any cache hit L1 hit N/A HitM 140
		12.10% 6 core, same node Any cache hit L1 hit N/A HitM 130
		0.09% 6 L1 or L1 hit L1 hit N/A N/A 0
		0.09% 6 L1 or L1 hit L1 hit Yes N/A 0
		0.09% 6 L2 or L2 hit L1 hit N/A N/A 0
		0.09% 6 N/A N/A N/A N/A 0
	END
	diff want got
	if command -v "$RIVAL" >/dev/null; then
		"$RIVAL" mem report -i ibs.kernel --stdio -s mem,tlb,locked,snoop,local_weight 2>/dev/null |
			sed -n '/^#/d; s/  */ /g; s/ $//; s/^ //; /%/p' | sort | diff <(sort want) -
	fi
	"$PERF" c2c report -i ibs.raw --stats --stdio >stats 2>/dev/null
	grep -qE '^  Load Local HITM +: +12$' stats
	grep -qE '^  Load Remote DRAM +: +6$' stats
	grep -qE '^  Store L1D Hit +: +6$' stats
	for command in "mem report" "mem report -p" "mem -D -p report" "c2c report --no-source" \
		"script -F tid,addr,data_src,weight,ins_lat,phys_addr"; do
		# shellcheck disable=SC2086
		"$PERF" $command -i ibs.kernel >want 2>/dev/null
		[ "$(wc -l <want)" -gt 12 ]
		for how in raw empty big; do
			# shellcheck disable=SC2086
			"$PERF" $command -i ibs.$how 2>/dev/null | diff want -
		done
	done
	"$PERF" inject -i ibs.raw -o - 2>/dev/null | "$PERF" mem -i - -D | diff <("$PERF" mem -D -i ibs.kernel) -
	# what the kernel says is not touched
	[ "$("$PERF" mem -D -x, -i ibs.other | sed 1d | cut -d, -f4-6 | sort -u)" = "0x1000,0,0x200000144" ]
	# an event of another PMU has raw data of its own
	sed 's/ibs_op/ibs_os/' ibs.raw >none
	run "$PERF" mem report -i none --stdio
	[ "$status" -eq 1 ]
	[[ "$output" == *"has no data addresses"* ]]
	run "$PERF" mem -D -i none
	[ "$status" -eq 1 ]
	[[ "$output" == *"'none' has no data addresses"* ]]
}

@test "wrong ways to call it" {
	run "$PERF" mem
	[ "$status" -eq 129 ]
	[[ "$output" == *"error: need a subcommand: record or report"* ]]
	run "$PERF" mem repot
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown subcommand 'repot'"*"hint: did you mean 'report'?"* ]]
	run "$PERF" mem -t lod report
	[ "$status" -eq 129 ]
	[[ "$output" == *"'lod' is not a kind of memory access"* ]]
	run "$PERF" mem report -D --stdio -i memory
	[ "$status" -eq 129 ]
	[[ "$output" == *"cannot be combined with '--stdio'"* ]]
	run "$PERF" mem report --no-such-option
	[ "$status" -eq 129 ]
	run "$PERF" mem -D -i not-there
	[ "$status" -eq 1 ]
	run "$PERF" mem -D -C x -i memory
	[ "$status" -eq 129 ]
	run "$PERF" mem report -h
	[ "$status" -eq 0 ]
	[[ "$output" == *"--type-profile"*"--call-graph"* ]]
	# a letter of perf mem is not listed for the option of perf report that has it there
	[ -z "$(grep -oE '^    -., ' <<<"$output" | sort | uniq -d)" ]
	run "$PERF" mem record -h
	[ -z "$(grep -oE '^    -., ' <<<"$output" | sort | uniq -d)" ]
	[[ "$output" == *"--ldlat"*"--all-cpus"* ]]
}

@test "a recording without accesses: an error, and no heading before it" {
	"$PERF" record -q -e cpu-clock -c 1000000 -o none -- "$PERF" test -w noploop 0.1
	run "$PERF" mem report --stdio -i none
	[ "$status" -eq 1 ]
	[[ "$output" == "error: 'none' has no data addresses, but --mem-mode needs them"* ]] || { echo "$output"; return 1; }
	# what was asked for is not such a heading
	run "$PERF" mem report --stdio --header -i none
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: 'none' has no data addresses"* ]]
}
