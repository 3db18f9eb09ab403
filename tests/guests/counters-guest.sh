# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counters of the processor in a guest of arm64, ppc64el or riscv64 (busybox sh): one "ok NAME" or "not ok NAME" a
# check; those of a machine are at the end.  /test/spin N runs a loop of 2 instructions N times.
#
# What the PMUs that qemu plays can do:
#           counts                  :u and :k          samples
#   arm64   by icount, exactly;     right              yes
#           stalls stand still
#   ppc64el instructions exactly,   accepted, and not  from qemu 10 on; an older one never
#           cycles by the clock     kept apart         raises the interrupt
#   riscv64 by icount, for all      refused            no (SBI without overflow)
cd /tmp || exit 1

check() { # name, command...
	name=$1
	shift
	if ("$@") >log 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' log
	fi
}
count() { # event, command...: its count
	event=$1
	shift
	perf stat -x, -o st -e "$event" "$@"
	sed -n "s|^\([0-9]*\),,$event,.*|\1|p" st
}
near() { # a, b, percent
	[ $(($1 * 100)) -ge $(($2 * (100 - $3))) ] && [ $(($1 * 100)) -le $(($2 * (100 + $3))) ]
}

instructions() { # event, turns, how far off in percent (0: less than an interrupt takes)
	a=$(count "$1" /test/spin "$2")
	b=$(count "$1" /test/spin $((3 * $2)))
	echo "$a $b"
	if [ "$3" -gt 0 ]; then
		near $((b - a)) $((4 * $2)) "$3"
	else
		[ $((b - a)) -ge $((4 * $2)) ] && [ $((b - a)) -le $((4 * $2 + 500)) ]
	fi
}
ipc() {
	perf stat -e cycles,instructions /test/spin 1000000 2>st
	cat st
	cycles=$(sed -n 's/^ *\([0-9]*\) *cycles.*/\1/p' st)
	instructions=$(sed -n 's/^ *\([0-9]*\) *instructions.*/\1/p' st)
	line=$(sed -n 's/^.* instructions .*# *0*\([0-9]*\)\.\([0-9][0-9]\) *insn per cycle *$/\1\2/p' st)
	want=$(((instructions * 1000 / cycles + 5) / 10))
	[ "${line#0}" = "$want" ]
}
modes() {
	perf stat -x, -o st -e cycles,cycles:u,cycles:k /test/spin 2000000
	cat st
	all=$(sed -n 's/^\([0-9]*\),,cycles,.*/\1/p' st)
	user=$(sed -n 's/^\([0-9]*\),,cycles:u,.*/\1/p' st)
	kernel=$(sed -n 's/^\([0-9]*\),,cycles:k,.*/\1/p' st)
	near $((user + kernel)) "$all" 1 && [ "$user" -gt $((4 * kernel)) ] || return 1
	perf stat -x, -o st -e cycles:u,cycles:k dd if=/dev/zero of=/dev/null bs=65536 count=300
	cat st
	[ "$(sed -n 's/^\([0-9]*\),,cycles:k,.*/\1/p' st)" -gt "$(sed -n 's/^\([0-9]*\),,cycles:u,.*/\1/p' st)" ]
}
# Each counts the loop at least, and has its own bit of the two; the rest is the PMU's.
modes_taken() {
	perf stat -x, -o st -e instructions:u,instructions:k /test/spin 1000000
	cat st
	[ "$(sed -n 's/^\([0-9]*\),,instructions:u,.*/\1/p' st)" -ge 2000000 ] || return 1
	[ "$(sed -n 's/^\([0-9]*\),,instructions:k,.*/\1/p' st)" -gt 0 ] || return 1
	perf stat -vv -e instructions:u,instructions:k true >bits 2>&1
	grep exclude_ bits
	grep -q 'exclude_kernel.*1' bits && grep -q 'exclude_user.*1' bits
}
modes_refused() {
	perf stat -x, -o st -e cycles:u /test/spin 1000
	cat st
	grep -q '^<not supported>,,cycles:u,' st || return 1
	perf record -o data -e cycles:u /test/spin 1000 2>err && return 1
	cat err
	grep -q "^error: .*'cycles:u'" err
}
group() { # events, how many
	perf stat -x, -o st -e "$1" /test/spin 1000000
	cat st
	[ "$(grep -c ',100.00,' st)" = "$2" ]
}
multiplexed() { # events, one of them that counts the loop's instructions, turns, how far off in percent
	perf stat -x, -o st -e "$1" /test/spin "$3"
	cat st
	perf stat -e "$1" /test/spin "$3" 2>text
	cat text
	# more events than counters: each ran for a share of the time, and the text shows it
	grep -qE '\([0-9]+\.[0-9]+%\)$' text || return 1
	n=$(sed -n "s/^\([0-9]*\),,$2,.*/\1/p" st)
	near "$n" $((2 * $3)) "$4"
}
record() {
	perf record -q -o data -e cycles:u -c 100000 /test/spin 5000000 || return 1
	perf script -i data -F event,period,ip,sym >script
	head -5 script
	n=$(wc -l <script)
	cycles=$(count cycles:u /test/spin 5000000)
	echo "$n samples, $cycles cycles"
	# each sample stands for 100000 cycles
	near $((n * 100000)) "$cycles" 3 || return 1
	# and lies in the loop
	[ "$(grep -c ' turn' script)" -ge $((n * 95 / 100)) ]
}
frequency() {
	perf record -q -o data -F 2000 -e cycles /test/spin 20000000 || return 1
	perf script -i data -F event,period,ip,sym >script
	tail -3 script
	# the periods, which the kernel chooses, add up to what was counted
	sum=$(awk '{ sum += $1 } END { printf "%d", sum }' script)
	cycles=$(count cycles /test/spin 20000000)
	echo "$sum of $cycles in $(wc -l <script)"
	[ "$(wc -l <script)" -gt 20 ] && near "$sum" "$cycles" 10
}
kernel() {
	perf record -q -o data -c 20000 -e cycles:k dd if=/dev/zero of=/dev/null bs=65536 count=400 2>/dev/null
	perf report -i data --stdio --sort sym >report
	cat report
	perf evlist -v -i data >list
	grep -q 'exclude_user: 1' list && grep -q '\[k\] __arch_clear_user' report
}
named() {
	perf list pmu >list
	cat list
	grep -q 'armv8_pmuv3.*/cpu_cycles/' list || return 1
	a=$(count armv8_pmuv3/cpu_cycles/u /test/spin 1000000)
	b=$(count cpu_cycles:u /test/spin 1000000)
	c=$(count r11:u /test/spin 1000000)
	echo "$a $b $c"
	near "$a" "$b" 1 && near "$a" "$c" 1
}
# Events of the architecture that this kernel's driver does not list: known by name, and opened (qemu counts none of them).
architecture() {
	perf list >list
	wc -l list
	[ "$(grep -c ' OR armv8_' list)" -gt 150 ] || return 1
	for event in inst_spec br_mis_pred l1d_cache_rd; do
		grep "^ *$event OR armv8_[a-z0-9_]*/$event/" list || return 1
	done
	perf stat -x, -o st -e inst_spec,br_mis_pred,l1d_cache_rd /test/spin 1000
	cat st
	[ "$(grep -c '^0,,[a-z]' st)" = 3 ]
}
instructions_named() { # events that all count instructions
	for event; do
		n=$(count "$event" /test/spin 10000000)
		echo "$event $n"
		near "$n" 20000000 10 || return 1
	done
}
metric() {
	perf stat -x, -o st -M ipc /test/spin 1000000
	cat st
	c=$(sed -n 's/^\([0-9]*\),,r11,.*/\1/p' st)
	i=$(sed -n 's/^\([0-9]*\),,r8,.*/\1/p' st)
	got=$(sed -n 's/^.*,0*\([0-9]*\)\.\([0-9][0-9]\),ipc$/\1\2/p' st)
	[ "${got#0}" = $(((i * 1000 / c + 5) / 10)) ] || return 1
	# with icount an instruction takes two cycles
	[ "${got#0}" -ge 49 ] && [ "${got#0}" -le 51 ]
}
value() { # metric: its value in st, without the point
	sed -n "s/^.*,0*\([0-9]*\)\.\([0-9]*\),%  $1\$/\1\2/p" st
}
# The counters of stalls that qemu plays stand still: 0 of the cycles, and of the slots that the PMU is made to say it has.
stalls() {
	perf stat -x, -o st -M frontend_stalled_cycles,backend_stalled_cycles /test/spin 1000000
	cat st
	[ "$(value frontend_stalled_cycles)" = 0 ] && [ "$(value backend_stalled_cycles)" = 0 ] || return 1
	[ "$(sed -n 's/^\([0-9]*\),,r11,.*/\1/p' st | head -n 1)" -gt 4000000 ]
}
topdown_said() {
	said=$(echo /sys/bus/event_source/devices/armv8_*/caps/slots)
	cat "$said"
	echo 0x00000004 >slots
	mount --bind slots "$said" || return 1
	perf stat -x, -o st --topdown -v /test/spin 1000000 2>&1
	perf stat -x, -o st -M TopdownL1 /test/spin 1000000
	umount "$said"
	cat st
	# no operation was counted either, so that there is no share of those that ended
	[ "$(value frontend_bound)" = 0 ] && [ "$(value backend_bound)" = 0 ] && [ -z "$(value retiring)" ]
}
repeated() {
	perf stat -x, -o st -r 3 -e instructions:u /test/spin 1000000
	cat st
	# the third field from the name on is the deviation: a loop repeats to the instruction
	noise=$(sed -n 's/^[0-9]*,,instructions:u,\([0-9.]*\)%,.*/\1/p' st)
	[ "${noise%%.*}" = 0 ]
}
topdown() {
	if perf stat --topdown true 2>err; then return 1; fi
	cat err
	grep -q '^error: --topdown needs' err
}
report_elsewhere() {
	perf stat record -o /out/stat.data -e r8,r11 /test/spin 1000000 2>/dev/null
	perf stat report -i /out/stat.data -x, -M ipc 2>st
	cat st
	perf record -q -o /out/perf.data -e cycles:u /test/spin 1000000
	grep -q ',ipc$' st
}

# What the clock of the CPU finds: in the loop, with stacks and registers, for the bats file to read elsewhere.
recorded() {
	perf record -q -o /out/perf.data -e cpu-clock:u -c 1000000 --call-graph dwarf,256 /test/spin 100000000 || return 1
	perf report -i /out/perf.data --stdio -g none --sort sym >report
	cat report
	awk '/ turn$/ { share = $1 + 0 } END { exit !(share > 95) }' report
}
# Samples of dd are the kernel's, those of the loop its own.
sides() {
	perf record -q -o data -e cpu-clock -c 1000000 /test/spin 50000000 || return 1
	perf report -i data --stdio --sort sym >report
	perf record -q -o data -e cpu-clock -c 1000000 dd if=/dev/zero of=/dev/null bs=65536 count=4000 2>/dev/null || return 1
	perf report -i data --stdio --sort sym >report.dd
	cat report report.dd
	awk '/\[\.\] turn$/ { share = $1 + 0 } END { exit !(share > 90) }' report || return 1
	awk '/\[k\]/ { share += $1 } END { exit !(share > 70) }' report.dd
}
sampling_refused() {
	perf record -o data -e cycles /test/spin 1000 2>err && return 1
	cat err
	grep -q "^error: 'cycles' can be counted but not sampled" err && grep -q 'cpu-clock' err
}
cpuid() { # what the header has to say
	perf record -q -o data -e cpu-clock -c 1000000 /test/spin 1000000
	perf report -i data --header-only >header
	grep cpuid header
	echo "wanted: $1"
	grep -qx "# cpuid : $1" header
}

# The text of hardware rows, for the bats file to compare with perf 6.1's.
forms() {
	for args in "" -d "-e cycles,instructions,branches,branch-misses" "-e cycles:u,instructions:u" \
		"-e {cycles,instructions}" "-a -A -e cycles,instructions" "-a --per-core -e cycles,instructions" \
		"-r 3 -e cycles,instructions" "-I 20 --interval-count 2 -a -e cycles,instructions"; do
		echo "==${args:+ }$args"
		# shellcheck disable=SC2086
		perf stat $args /test/spin 2000000 2>&1
	done >/out/forms
}

case $(uname -m) in
aarch64)
	check instructions instructions instructions:u 1000000 0
	check ipc ipc
	check modes modes
	check group group '{cycles,instructions},cycles' 3
	check multiplexed multiplexed cycles,r8,r11,r8:u,r11:u,r8:k,r11:k,r8:uk,r11:uk,cycles:u r8:u 30000000 15
	check record record
	check frequency frequency
	check kernel kernel
	check named named
	check architecture architecture
	check metric metric
	check repeated repeated
	check stalls stalls
	check topdown topdown
	check topdown_said topdown_said
	check elsewhere report_elsewhere
	check forms forms
	;;
ppc64le)
	check instructions instructions instructions 10000000 10
	check ipc ipc
	check modes modes_taken
	check group group '{cycles,instructions},cycles' 3
	check multiplexed multiplexed cycles,r2,r1e,r1001e,r20002,r30002,r40002,r500fa,r600f4,instructions r2 60000000 25
	check named instructions_named cpu/instructions/ r2 r500fa
	check recorded recorded
	check sides sides
	# "revision : 2.0 (pvr 004e 1200)"
	check cpuid cpuid "$(sed -n 's/.*pvr \([0-9a-f]*\) \([0-9a-f]*\)).*/\1 \2/p' /proc/cpuinfo |
		{ read -r version revision && echo "$((0x$version)),$((0x$revision))"; })"
	;;
riscv64)
	# With those of the kernel, whose clock ticks meanwhile.
	check instructions instructions instructions 10000000 10
	check ipc ipc
	check modes modes_refused
	check group group '{cycles,instructions}' 2
	check sampled sampling_refused
	check recorded recorded
	check cpuid cpuid "$(sed -n 's/^m[a-z]*id[[:space:]]*: //p' /proc/cpuinfo | head -n 3 | tr '\n' - | sed 's/-$//')"
	;;
esac
