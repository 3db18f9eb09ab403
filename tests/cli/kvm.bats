#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf kvm: the tables of kvm stat against Debian's perf and by arithmetic, on recordings that make-kvm
# writes; the files and event modes of the other commands.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	local make=$BATS_TEST_DIRNAME/make-kvm

	"$make" vmx
	"$make" --machine svm svm
	"$make" --big-endian big
	"$make" --scene table table
	"$make" --scene lost lost
	"$make" --machine svm --scene table table.svm
	"$make" --machine arm64 --scene table arm
	"$make" --machine power --scene table power
	"$BATS_TEST_DIRNAME/make-samples" guest guest
}

setup() {
	cd "$FILES"
}

# same FILE OPTION...: the rows of Debian's perf; equals come in the order of its hash table there
same() {
	local file=$1
	shift
	"$RIVAL" kvm -i "$file" stat report "$@" 2>&1 | sort >theirs
	"$PERF" kvm -i "$file" stat report "$@" | sort >ours
	[ "$(wc -l <ours)" -gt 8 ]
	diff -u theirs ours
}

# NAME COUNT MIN MAX MEAN of each row, in order
rows() {
	"$PERF" kvm -i "$@" 2>/dev/null | sed -n 's/^ *\([^ ].*[^ ]\) \+\([0-9]\+\) \+[0-9.]*% \+[0-9.]*% \+\([0-9.]*\)us \+\([0-9.]*\)us \+\([0-9.]*\)us .*/\1 \2 \3 \4 \5/p'
}

@test "every table is that of Debian's perf" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	[ "$(uname -m)" = x86_64 ] || skip "6.1 knows the exits of its own architecture alone"
	for f in vmx svm; do
		same $f
		same $f -k time
		same $f --event mmio
		same $f --event ioport
		same $f --event msr
		same $f -p 20
		same $f -p 20,10 --event ioport
	done
	# the order, where nothing is equal
	diff <("$RIVAL" kvm -i table.svm stat report -k time 2>&1 | grep us | grep -v UNKN | awk '{ print $1 }') \
		<("$PERF" kvm -i table.svm stat report -k time | grep us | grep -v UNKN | awk '{ print $1 }')
	diff <("$PERF" kvm -i vmx stat report) <("$PERF" kvm -i big stat report)
}

@test "x86: a table worked out by hand" {
	# the exit before the first entry is not counted: nothing says which CPU that is
	[ "$(rows table stat report)" = "CPUID 6 3.00 30.00 12.67
HLT 1 400.00 400.00 400.00
UNKNOWN 0x270f 1 10.00 10.00 10.00" ]
	[ "$(rows table.svm stat report)" = "cpuid 6 3.00 30.00 12.67
hlt 1 400.00 400.00 400.00
UNKNOWN 0x270f 1 10.00 10.00 10.00" ]
	"$PERF" kvm -i table stat report >text
	grep -qx 'Total Samples:8, Total events handled time:486.00us.' text
	grep -q '^               CPUID          6    75.00%    15.64% .* ( +-  33.60% )$' text
	[ "$(rows table stat report -k time | cut -d' ' -f1)" = "HLT
CPUID
UNKNOWN" ]
	[ "$(rows table stat report -k max_t | cut -d' ' -f1 | head -1)" = HLT ]
	[ "$(rows table stat report -k min_t | cut -d' ' -f1 | tail -1)" = CPUID ]
	[ "$(rows table stat report --vcpu 0)" = "CPUID 3 10.00 30.00 20.00
HLT 1 400.00 400.00 400.00" ]
	[ "$(rows table stat report --event mmio)" = "0xfee00380:R 1 4.00 4.00 4.00
0xfee00380:W 1 8.00 8.00 8.00" ]
	[ "$(rows table stat report --event ioport)" = "0x70:POUT 1 2.00 2.00 2.00" ]
	# a table without rows says why
	run -0 --separate-stderr "$PERF" kvm -i table stat report --vcpu 77
	[ "$stderr" = "note: the table is empty: no exit of a guest was seen from its start to its end, of what the options choose" ]
	run -0 --separate-stderr "$PERF" kvm -i table stat report --event mmio
	[ -z "$stderr" ]
	[ "$(rows table stat report --event msr)" = "0x10:R 1 3.00 3.00 3.00" ]
	[ -z "$(rows table stat report -p 99)" ]
}

@test "Arm and POWER: tables worked out by hand" {
	[ "$(rows arm stat report)" = "DABT_LOW 2 10.00 40.00 25.00
IRQ 1 20.00 20.00 20.00
WFx 1 30.00 30.00 30.00
UNKNOWN 0x4d 1 1.00 1.00 1.00" ]
	# kvm_entry does not say which CPU: the thread's name does
	[ "$(rows arm stat report --vcpu 0)" = "WFx 1 30.00 30.00 30.00
DABT_LOW 1 10.00 10.00 10.00" ] || [ "$(rows arm stat report --vcpu 0 | sort)" = "DABT_LOW 1 10.00 10.00 10.00
WFx 1 30.00 30.00 30.00" ]
	[ "$(rows power stat report -k time)" = "HV_DECREMENTER 1 9.00 9.00 9.00
SYSCALL 1 7.00 7.00 7.00" ]
	[ "$(rows power stat report --event hcall)" = "H_CEDE 1 4.00 4.00 4.00" ]
}

@test "an interval in which records were lost is not counted" {
	run --separate-stderr "$PERF" kvm -i lost stat report
	[ "$status" -eq 0 ]
	[[ "$output" != *HLT* ]]
	[[ "$output" == *"Lost events: 1"* ]]
	[[ "$stderr" == *"the kernel lost records"* ]]
	# nor is what began before on other CPUs
	[ "$(rows lost stat report)" = "CPUID 6 3.00 30.00 12.67" ]
}

@test "sums: shares are 100%, times add up" {
	for event in vmexit mmio ioport msr; do
		"$PERF" kvm -i vmx stat report --event $event | awk '
			/%.*us/ { n += $2; share += $3; time += $4; sum += $2 * $7 }
			/^Total Samples/ { split($2, a, /[:,]/); total = a[2]; gsub(/[^0-9.]/, "", $6); all = $6 }
			END { exit !(n && n == total && share > 99.9 && share < 100.1 && time > 99.9 && time < 100.1 &&
				sum > all * 0.99 && sum < all * 1.01) }'
	done
}

@test "files: each command finds that of its mode" {
	"$PERF" kvm --host --no-guest record -q -e cpu-clock -- true 2>/dev/null
	[ -f perf.data.host ]
	"$PERF" kvm --guest record -q -e dummy,dummy:H -- true 2>/dev/null
	[ -f perf.data.guest ]
	"$PERF" kvm --host record -q -e cpu-clock -- true 2>/dev/null
	[ -f perf.data.kvm ]
	"$PERF" evlist -v -i perf.data.host >of.host
	grep -q 'exclude_guest: 1' of.host
	! grep -q exclude_host of.host || false
	"$PERF" kvm --guest evlist -v >of.guest
	sed -n 1p of.guest | grep -q 'exclude_host: 1'
	! sed -n 1p of.guest | grep -q exclude_guest || false
	# what an event says itself stays
	sed -n 2p of.guest | grep -q 'exclude_guest: 1'
	! sed -n 2p of.guest | grep -q exclude_host || false
	! "$PERF" kvm --guest --host evlist -v | grep -q 'exclude_[gh]' || false
	diff <("$PERF" kvm --host --no-guest evlist) <("$PERF" evlist -i perf.data.host)
	diff <("$PERF" kvm --host --no-guest report --stdio 2>/dev/null) <("$PERF" report -i perf.data.host --stdio 2>/dev/null)
	diff <("$PERF" kvm --host --no-guest script 2>/dev/null) <("$PERF" script -i perf.data.host 2>/dev/null)
	diff <("$PERF" kvm --host --no-guest buildid-list) <("$PERF" buildid-list -i perf.data.host)
	"$PERF" kvm --host -o else record -q -e cpu-clock -- true 2>/dev/null
	[ -f else ]
	run "$PERF" kvm --host stat -e cs true
	[ "$status" -eq 0 ]
	[[ "$output" == *cs* ]]
}

@test "guests alone: an event that cannot leave out the host is refused, and report goes by the mode of the CPU" {
	for command in "record -o none" "stat" "top --stdio --iterations 1"; do
		# shellcheck disable=SC2086
		run --separate-stderr timeout 60 "$PERF" kvm $command -e cpu-clock -- true </dev/null
		[[ "$command" != top* ]] || run --separate-stderr timeout 60 "$PERF" kvm $command -e cpu-clock </dev/null
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"error: 'cpu-clock' cannot leave out the host: it would count no guest's events"* ]] || { echo "$stderr"; return 1; }
	done
	[ ! -e none ]
	"$PERF" kvm --host record -q -o both -e cpu-clock -- true
	"$PERF" kvm --host stat -e cpu-clock true
	# a recording of both: the host's samples are no guest's
	"$PERF" record -q -e cpu-clock -F 5000 -o of.host -- "$PERF" test -w thloop 0.1
	"$PERF" kvm --host -i of.host report --stdio -n 2>/dev/null | grep -q '^ .*%.*perf'
	"$PERF" kvm --guest -i of.host report --stdio -n >shown 2>/dev/null || true
	run ! grep -q '%' shown
	"$PERF" kvm --guest -i guest report --stdio -n 2>/dev/null | grep -q '\[g\]'
}

@test "an event that cannot leave out the host is refused with the modifier G" {
	for event in cpu-clock:G cs:G '{cycles,page-faults:uG}' mem:0x1000:w:G; do
		for command in "record -o none" "stat" "top --stdio --iterations 1"; do
			# shellcheck disable=SC2086
			run timeout 60 "$PERF" $command -e "$event" </dev/null
			[[ "$command" == top* ]] || run timeout 60 "$PERF" $command -e "$event" true
			[ "$status" -eq 1 ]
			[[ "$output" == *"error: '"*"G' cannot leave out the host: it would count no guest's events"*"hint: "*"leave out the modifier G"* ]] || { echo "$event: $output"; return 1; }
		done
	done
	[ ! -e none ]
	"$PERF" stat -e cpu-clock:GH,cs:H,dummy:G,duration_time true
}

@test "guests alone: script and diff show no sample of the host" {
	"$BATS_TEST_DIRNAME/make-samples" guest_beside both
	"$PERF" script -i both -F ip >all 2>/dev/null
	[ "$(grep -c . all)" -eq 5 ]
	"$PERF" kvm --guest -i both script -F ip 2>/dev/null | diff <("$PERF" script -i guest -F ip 2>/dev/null) -
	"$PERF" kvm --host -i both script -F ip 2>/dev/null | diff all -
	"$PERF" kvm diff both guest --sort sym >shown 2>/dev/null
	[ "$(grep -c '33.33%.*\[g\]' shown)" -eq 3 ]
	run ! grep -q '\[[k.]\]' shown
	"$PERF" kvm --host diff both guest --sort sym >shown 2>/dev/null
	[ "$(grep -c '20.00%.*\[g\]' shown)" -eq 3 ] && [ "$(grep -c '20.00%.*\[[k.]\]' shown)" -eq 2 ]
	"$PERF" record -q -e cpu-clock -F 5000 -o of.host -- "$PERF" test -w thloop 0.1
	run "$PERF" kvm --guest -i of.host script
	[[ "$output" == *"no sample of 'of.host' passes the filters"* ]] && [[ "$output" != *cpu-clock* ]]
	# without names the one is the host's and the other the guests'
	cp of.host perf.data.host
	cp both perf.data.guest
	"$PERF" kvm diff --sort sym >shown 2>/dev/null
	grep -q '%.*\[[k.]\]' shown
	[ "$(grep -c '33.33%.*\[g\]' shown)" -eq 3 ]
}

@test "guests alone: script keeps tracepoints and breakpoints, which describe guests" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "no tracefs"
	"$PERF" kvm --guest record -q -e sched:sched_process_exit,mem:0x1000:w -o exits -- sh -c '/bin/true; exit 0'
	[ "$("$PERF" script -i exits | grep -c sched_process_exit:)" -ge 2 ]
	"$PERF" kvm --guest script -i exits | diff <("$PERF" script -i exits) -
	"$PERF" script -i exits -F event | sort | uniq -c >before
	"$PERF" kvm --host script -i exits -F event | sort | uniq -c | diff before -
	# report still goes by the mode in which the processor was
	run "$PERF" kvm --guest -i exits report --stdio
	[[ "$output" != *" [k] "* ]]
}

@test "diff compares the host's recording with the guests'" {
	"$PERF" record -q -e cpu-clock:u -F 5000 -o perf.data.host -- "$PERF" test -w thloop 0.1 2>/dev/null
	cp guest perf.data.guest
	"$PERF" kvm --host diff >of.mode 2>/dev/null
	"$PERF" diff perf.data.host perf.data.guest >of.files 2>/dev/null
	grep -q '^# Baseline' of.mode
	diff of.mode of.files
	cp perf.data.host other
	"$PERF" kvm --host diff other perf.data.guest >of.mode 2>/dev/null
	sed "s/'other'/'perf.data.host'/" of.mode | diff - of.files
}

@test "record excludes what Debian's perf excludes" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	# with u the host stays out, too (ledger: kvm-modifiers)
	for mode in "" --host "--host --no-guest" "--host --guest"; do
		# with guests alone, software events are refused (difference kvm-software)
		events=cpu-clock,dummy:G,cs:Hk
		[ -n "$mode" ] || events=sched:sched_process_exec,sched:sched_process_exit:G,cs:Hk
		[ -n "$mode" ] || [ -e /sys/kernel/tracing/events/sched ] || continue
		# shellcheck disable=SC2086
		"$RIVAL" kvm -o theirs.data $mode record -e $events true >/dev/null 2>&1
		# shellcheck disable=SC2086
		"$PERF" kvm -o ours.data $mode record -q -e $events true 2>/dev/null
		for f in theirs ours; do
			"$PERF" evlist -v -i $f.data | grep -v '^dummy:HG\|^dummy:u' |
				awk '{ printf "%s", $1; for (i = 2; i <= NF; i++) if ($i ~ /exclude_(guest|host)/) printf " %s", $i; print "" }' >$f
		done
		grep -q exclude ours
		diff theirs ours
	done
}

@test "report: guests' functions by their kallsyms" {
	printf 'ffffffff81000000 T guest_function\nffffffff82000000 T other\n' >kallsyms
	"$PERF" kvm -i guest --guestkallsyms=kallsyms report --stdio 2>/dev/null | grep -q '\[g\] guest_function'
	"$PERF" kvm -i guest --guestkallsyms=kallsyms script -F ip,sym 2>/dev/null | grep -q 'ffffffff81000018 guest_function'
}

@test "--guest-code is handed on: what guests run is mapped in their hypervisors" {
	"$BATS_TEST_DIRNAME/make-samples" guest_code code
	"$PERF" kvm -i code script -F ip,sym,dso >rows
	run ! grep -q '(/bin/true)' rows
	"$PERF" kvm -i code --guest-code script -F ip,sym,dso >rows
	[ "$(grep -c '(/bin/true)$' rows)" -eq 2 ]
	"$PERF" kvm -i code report --stdio --sort dso >rows 2>/dev/null
	run ! grep -q '100.00%.*true' rows
	"$PERF" kvm -i code --guest-code report --stdio --sort dso >rows 2>/dev/null
	grep -q '100.00%.*true' rows
}

@test "stat record has KVM's tracepoints; stat live draws tables and ends" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/kvm/kvm_entry ] || skip "this kernel has no KVM tracepoints"
	[ "$(uname -m)" = x86_64 ] || skip "the list is that of x86"
	[ "$("$PERF" kvm -v stat record --dry-run -a -- sleep 1 2>&1 | sed -n 's/^note: calling: //p')" = \
		"record -R -m 1024 -c 1 -e kvm:kvm_entry -e kvm:kvm_exit -e kvm:kvm_mmio -e kvm:kvm_pio -e kvm:kvm_msr -o perf.data.guest --dry-run --all-cpus -- sleep 1" ]
	"$PERF" kvm -o recorded stat record -q -a -- true
	"$PERF" kvm -i recorded stat report | grep -q '^Total Samples:0, '
	timeout 50 "$PERF" kvm stat live -d 200ms --iterations 2 </dev/null >live 2>why
	pgrep -x 'qemu.*' >/dev/null || grep -qx 'note: the table is empty: no exit of a guest was seen from its start to its end' why
	[ "$(grep -c '^Analyze events for all VMs, all VCPUs:$' live)" -eq 2 ]
	grep -qE '^[0-9:]{8}\.[0-9]{6}$' live
	# rings of 8 pages and the control page, where usually there are 512
	command -v strace >/dev/null || skip "needs strace"
	rings() { timeout 50 strace -f -e trace=mmap -o calls "$PERF" kvm stat live --iterations 1 -d 100ms "$@" >/dev/null </dev/null; grep -o 'mmap(NULL, [0-9]*, PROT_READ|PROT_WRITE, MAP_SHARED, [0-9]*, 0)' calls | awk -F, '{ print $2 / 1 }' | sort -u; }
	page=$(getconf PAGESIZE)
	rings -m 8 --proc-map-timeout 100 >got
	grep -qx $((9 * page)) got
	rings >got
	grep -qx $(((2 << 20) + page)) got
}

@test "wrong ways to call it" {
	run "$PERF" kvm
	[ "$status" -eq 129 ]
	run "$PERF" kvm nothing
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown subcommand 'nothing'"* ]]
	run "$PERF" kvm -i vmx stat report --event disk
	[ "$status" -eq 129 ]
	[[ "$output" == *"'disk' is not an event of x86_64 guests"*"hint: it has vmexit, mmio, ioport, msr"* ]]
	run "$PERF" kvm -i arm stat report --event mmio
	[ "$status" -eq 129 ]
	[[ "$output" == *"hint: it has vmexit"* ]]
	run "$PERF" kvm -i vmx stat report -k size
	[ "$status" -eq 129 ]
	run "$PERF" kvm -i vmx stat report --vcpu -3
	[ "$status" -eq 129 ]
	run "$PERF" kvm -i vmx stat report -p x
	[ "$status" -eq 129 ]
	run "$PERF" kvm -i not-there stat report
	[ "$status" -eq 1 ]
	run "$PERF" kvm -i vmx stat report extra
	[ "$status" -eq 129 ]
	run "$PERF" kvm stat live -d 0
	[ "$status" -eq 129 ]
	run "$PERF" kvm stat live -m many
	[ "$status" -eq 129 ]
	[[ "$output" == *"'many'"* ]]
	# a recording without these tracepoints, one without a processor's id
	run "$PERF" kvm -i guest stat report
	[ "$status" -eq 1 ]
	[[ "$output" == *"exit reasons depend on"* || "$output" == *"kvm_entry"* ]]
}

@test "damaged files: each byte changed or the end cut off" {
	"$BATS_TEST_DIRNAME/make-damage" table 40 11 860
	for f in bad[0-9]*; do
		for event in vmexit mmio; do
			timeout 20 "$PERF" kvm -i "$f" stat report --event $event >out 2>&1 || [ $? -eq 1 ] || [ $? -eq 129 ] || { cat out; false; }
		done
	done
	rm bad[0-9]*
}

@test "files of guests that cannot be read are an error of every command, and none writes anything" {
	"$BATS_TEST_DIRNAME/make-samples" guest guest
	rm -f made
	for option in guestkallsyms guestmodules guestvmlinux guestmount; do
		for command in "record true" "report --stdio" script evlist buildid-list "stat record true" "stat report" "stat live" "diff guest guest"; do
			# shellcheck disable=SC2086
			run --separate-stderr timeout 60 "$PERF" kvm -i guest -o made --$option=/nonexistent $command
			[ "$status" -eq 1 ]
			[ -z "$output" ]
			[ "$(head -1 <<<"$stderr")" = "error: --$option: cannot read '/nonexistent': No such file or directory" ] || { echo "$command: $stderr"; return 1; }
			[[ "$stderr" == *"hint: "* ]]
			[ ! -e made ]
		done
	done
	run --separate-stderr "$PERF" inject -b --guestmount /nonexistent -i guest -o made
	[ "$status" -eq 1 ]
	[[ "$stderr" == "error: --guestmount: cannot read '/nonexistent'"* ]]
	[ ! -e made ]
	# a directory without the root of any guest
	mkdir -p nobody
	run --separate-stderr "$PERF" kvm -i guest --guestmount=nobody report --stdio
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"warning: --guestmount: 'nobody' has no directory that is named by a pid"* ]]
}

@test "kvm top names a file of the guest's that cannot be read, and says when none is named" {
	for option in guestkallsyms guestmodules guestvmlinux guestmount; do
		run --separate-stderr timeout 60 "$PERF" kvm --$option=/nonexistent top --stdio --iterations 1
		[ "$status" -eq 1 ]
		[ "$(head -1 <<<"$stderr")" = "error: --$option: cannot read '/nonexistent': No such file or directory" ] || { echo "$stderr"; return 1; }
		[ -z "$output" ]
	done
	# record is not the matter here: whatever top can open, the warning comes first
	run --separate-stderr timeout 60 "$PERF" kvm top --stdio --iterations 1 -d 1 -e cpu-clock
	[[ "$stderr" == "warning: no file describes the guests' kernels: their functions will have no names"* ]] || { echo "$stderr"; return 1; }
	run --separate-stderr timeout 60 "$PERF" kvm --host --no-guest top --stdio --iterations 1 -d 1 -e cpu-clock
	[[ "$stderr" != *"guests' kernels"* ]]
}
