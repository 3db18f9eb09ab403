# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counters of a riscv64 guest (busybox sh): one "ok NAME" or "not ok NAME" a check.  /test/spin N runs a
# loop of 2 instructions N times.
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

# With those of the kernel, whose clock ticks meanwhile.
instructions() {
	a=$(count instructions /test/spin 10000000)
	b=$(count instructions /test/spin 30000000)
	echo "$a $b"
	near $((b - a)) 40000000 10
}
ipc() {
	perf stat -e cycles,instructions /test/spin 1000000 2>st
	cat st
	cycles=$(sed -n 's/^ *\([0-9]*\) *cycles.*/\1/p' st)
	instructions=$(sed -n 's/^ *\([0-9]*\) *instructions.*/\1/p' st)
	line=$(sed -n 's/^.* instructions .*# *0*\([0-9]*\)\.\([0-9][0-9]\) *insn per cycle *$/\1\2/p' st)
	[ "${line#0}" = "$(((instructions * 1000 / cycles + 5) / 10))" ]
}
group() {
	perf stat -x, -o st -e '{cycles,instructions}' /test/spin 1000000
	cat st
	[ "$(grep -c ',100.00,' st)" = 2 ]
}
modes() {
	perf stat -x, -o st -e cycles:u /test/spin 1000
	cat st
	grep -q '^<not supported>,,cycles:u,' st || return 1
	perf record -o data -e cycles:u /test/spin 1000 2>err && return 1
	cat err
	grep -q "^error: .*'cycles:u'" err
}
sampled() {
	perf record -o data -e cycles /test/spin 1000 2>err && return 1
	cat err
	grep -q "^error: 'cycles' can be counted but not sampled" err && grep -q 'cpu-clock' err
}
recorded() {
	perf record -q -o /out/perf.data -e cpu-clock:u -c 1000000 --call-graph dwarf,256 /test/spin 100000000 || return 1
	perf report -i /out/perf.data --stdio -g none --sort sym >report
	cat report
	awk '/ turn$/ { share = $1 + 0 } END { exit !(share > 95) }' report
}
cpuid() {
	perf record -q -o data -e cpu-clock -c 1000000 /test/spin 1000000
	want=$(sed -n 's/^m[a-z]*id[[:space:]]*: //p' /proc/cpuinfo | head -n 3 | tr '\n' - | sed 's/-$//')
	perf report -i data --header-only >head
	grep cpuid head
	grep -qx "# cpuid : $want" head
}

check instructions instructions
check ipc ipc
check group group
check modes modes
check sampled sampled
check recorded recorded
check cpuid cpuid
