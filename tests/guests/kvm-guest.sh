# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf kvm in a guest that has guests itself: KVM by the SVM that qemu plays (busybox sh).
# kvm-vm.c says which exits there are; /test/perf is Debian's perf where the host has one.
cd /tmp || exit 1
vm=/test/kvm-vm rival=/test/perf

check() { # name, command...
	name=$1
	shift
	if "$@" >log 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' log
	fi
}
if ! $vm 1 >log 2>&1; then
	echo "guest: KVM does not run here: $(head -1 log)"
	exit 77
fi
# A guest of its own, again and again, until it is ended.
begin() {
	(while :; do $vm 100 >/dev/null; done) &
	guests=$!
}
end() {
	kill "$guests"
	wait "$guests" 2>/dev/null
	return 0
}
# count TABLE NAME: the samples of a row
count() {
	awk -v name="$2" '$1 == name { print $2 }' "$1"
}

# Each exit as often as the guest's code makes it; the page of its code is one more fault.
exits() {
	perf kvm stat record -o recorded $vm 100 || return 1
	perf kvm -i recorded stat report >table || return 1
	cat table
	[ "$(count table io)" = 200 ] && [ "$(count table msr)" = 200 ] && [ "$(count table cpuid)" = 100 ] &&
		[ "$(count table npf)" -ge 101 ] && [ "$(count table npf)" -le 110 ] || return 1
	# what ends the run has no entry behind it
	[ -z "$(count table hlt)" ]
}
accesses() {
	perf kvm -i recorded stat report --event mmio >table && cat table || return 1
	[ "$(count table 0x10000:W)" = 100 ] && grep -q 'Total Samples:100,' table || return 1
	perf kvm -i recorded stat report --event ioport >table && cat table || return 1
	[ "$(count table 0x10:POUT)" = 100 ] && [ "$(count table 0x20:PIN)" = 100 ] && grep -q 'Total Samples:200,' table || return 1
	perf kvm -i recorded stat report --event msr >table && cat table || return 1
	[ "$(count table 0x277:R)" = 100 ] && [ "$(count table 0x277:W)" = 100 ] && grep -q 'Total Samples:200,' table
}
rival() {
	[ -x $rival ] || return 0
	$rival kvm stat record -o theirs $vm 50 || return 1
	for file in recorded theirs; do
		for event in vmexit mmio ioport msr; do
			# rows that are equal come in the order of a hash table there
			$rival kvm -i $file stat report --event $event 2>&1 | sort >a
			perf kvm -i $file stat report --event $event 2>&1 | sort >b
			grep -q 'Total Samples:[1-9]' b && diff a b || return 1
		done
	done
}
# Two tables while guests run; each round of a guest is an access of each kind.
live() {
	begin
	perf kvm stat live -d 1 --iterations 2 </dev/null >table
	perf kvm stat live --event ioport -d 1 --iterations 1 </dev/null >ports
	perf kvm stat live --event msr -d 1 --iterations 1 -p "$guests" </dev/null >none
	end
	cat table ports none
	# a table can begin and end within a round
	awk '$1 == "io" { io = $2; n++ } $1 == "cpuid" { d = 2 * $2 - io; if (d < -2 || d > 2 || !io) bad = 1 }
		END { exit bad || n != 2 }' table || return 1
	[ "$(count ports 0x10:POUT)" -gt 0 ] && [ "$(count ports 0x20:PIN)" -gt 0 ] || return 1
	grep -q '^Total Samples:0,' none
}
# One process that lives as long as is needed, by its pid; and by its virtual CPU.
live_pid() {
	$vm 100000000 >/dev/null &
	one=$!
	begin
	perf kvm stat live -p "$one" -d 1 --iterations 1 </dev/null >table
	perf kvm stat live -p "$one" --vcpu 1 -d 1 --iterations 1 </dev/null >other
	perf kvm stat live -p "$one" --duration 1 -d 1 --iterations 1 </dev/null >long
	end
	kill "$one"
	cat table other
	head -20 long
	grep -q "Analyze events for pid(s) $one, all VCPUs" table && [ "$(count table io)" -gt 0 ] || return 1
	grep -q '^Total Samples:0,' other || return 1
	# nothing here takes less than a microsecond; all are this process's
	awk '/ event took / { if ($3 != one ",") bad = 1; n++ } END { exit bad || !n }' one=$one long
}
# Host and guest side by side, and the guest's functions by a file of its kernel.
samples() {
	perf kvm --host --guest record -o both $vm 3000 || return 1
	perf kvm --host --guest -i both report --stdio >table 2>err || return 1
	head -30 table
	cat err
	grep -q '\[g\] 0x000000000000100[0-9a-f]' table && grep -q '\[k\]' table || return 1
	# the guests alone
	perf kvm --guest -i both report --stdio >table 2>err || return 1
	grep -q '\[g\] 0x000000000000100[0-9a-f]' table && ! grep -q '\[k\]' table || return 1
	printf '0000000000001000 T guest_begin\n0000000000001010 T guest_end\n' >symbols
	perf kvm --guest --guestkallsyms=symbols -i both report --stdio -s sym >table 2>err || return 1
	head -30 table
	cat err
	grep -q '\[g\] guest_begin$' table && grep -q '\[g\] guest_end$' table
}
check exits exits
check accesses accesses
check rival rival
check live live
check live-pid live_pid
check samples samples
