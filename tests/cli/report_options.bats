#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf report: options that change which samples count, what is left out and how it is written.
bats_require_minimum_version 1.5.0

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	# Samples by their process and their addresses, leaf first; k: in the kernel.
	cat >write <<-'EOF'
	#!/usr/bin/env python3
	import struct, sys
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	data = b""
	for pid, comm in ((0, b"swapper\0"), (100, b"prog\0\0\0\0"), (200, b"other\0\0\0")):
	    data += record(3, 0x2000, struct.pack("<II", pid, pid) + comm)
	time = 10**9
	for line in sys.stdin:
	    count, pid, *ips = line.split()
	    chain, kernel = [], None
	    for ip in ips:
	        if kernel != ip.startswith("k:"):
	            kernel = ip.startswith("k:")
	            chain.append(0xffffffffffffff80 if kernel else 0xfffffffffffffe00)
	        chain.append(int(ip.removeprefix("k:"), 16))
	    for _ in range(int(count)):
	        time += 1
	        data += record(9, 1 if ips[0].startswith("k:") else 2, struct.pack("<QIIQQQ", chain[1], int(pid), int(pid), time, 1000,
	                       len(chain)) + struct.pack(f"<{len(chain)}Q", *chain))
	attr = struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", 1, 128, 0, 1000, 1 | 2 | 4 | 32 | 256, 0, 1 << 8 | 1 << 9 | 1 << 13, *[0] * 15)
	begin = 104 + len(attr) + 16
	head = struct.pack("<QQQ", 0x32454c4946524550, 104, len(attr) + 16)
	head += struct.pack("<QQQQQQ", 104, len(attr) + 16, begin, len(data), 0, 0) + b"\0" * 32
	open(sys.argv[1], "wb").write(head + attr + b"\0" * 16 + data)
	EOF
	chmod +x write
	./write mixed <<-'EOF'
	60 0 k:ffffffff81000010
	30 100 1000 2000
	9 100 k:ffffffff81000020 1000 2000
	1 200 3000
	EOF
	cat >inlined.c <<-'EOF'
	#include <time.h>
	static volatile unsigned long x;
	static inline __attribute__((always_inline)) void hot_inlined(void)
	{
		for (int i = 0; i < 1000; i++)
			x += i;
	}
	__attribute__((noinline)) void spin(void)
	{
		hot_inlined();
		x++;
	}
	int main(void)
	{
		clock_t end = clock() + CLOCKS_PER_SEC / 5;

		while (clock() < end)
			spin();
	}
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -o inlined inlined.c
	"$PERF" record -q -e cpu-clock:u -F 1999 -g -o inlines ./inlined
}

setup() {
	cd "$FILES"
}

@test "--hide-idle: without the idle task, in tables, folded stacks and pictures" {
	"$PERF" report --stdio -q -i mixed --no-children -g none -s comm -n >all 2>/dev/null
	[ "$(awk 'NF { print $3, $2 }' all | tr '\n' ' ')" = "swapper 60 prog 39 other 1 " ]
	"$PERF" report --stdio -q -i mixed --no-children -g none -s comm -n --hide-idle >busy 2>/dev/null
	[ "$(awk 'NF { print $3, $2, $1 }' busy | tr '\n' ' ')" = "prog 39 97.50% other 1 2.50% " ]
	"$PERF" report -i mixed --folded --hide-idle | grep -c swapper | grep -qx 0
	[ "$("$PERF" report -i mixed --folded --hide-idle | awk '{ n += $NF } END { print n }')" -eq 40 ]
	"$PERF" report -i mixed --flamegraph - --hide-idle 2>/dev/null | grep -q '<title>all (40 samples'
}

@test "folded stacks: branches below the limit are left out" {
	[ "$("$PERF" report -i mixed --folded --percent-limit 5 | awk '{ n += $NF } END { print n }')" -eq 99 ]
	[ "$("$PERF" report -i mixed --folded --percent-limit 10 | awk '{ n += $NF } END { print n }')" -eq 90 ]
	[ "$("$PERF" report -i mixed --folded | awk '{ n += $NF } END { print n }')" -eq 100 ]
	"$PERF" report -i mixed --flamegraph - --percent-limit 5 2>/dev/null >few.svg
	run ! grep -q '<title>other' few.svg
	grep -q '<title>prog' few.svg
}

@test "folded stacks: kernel and inlined frames can be marked" {
	"$PERF" report -i mixed --folded --mark-frames >marked
	grep -qx 'swapper;[^;]*_\[k\] 60' marked # whatever this kernel has there
	grep -qx 'prog;\[unknown\];\[unknown\];[^;]*_\[k\] 9' marked
	grep -qx 'prog;\[unknown\];\[unknown\] 30' marked
	"$PERF" report -i inlines --folded --mark-frames | grep -q ';spin;hot_inlined_\[i\] [0-9]*$'
	run ! grep -q '_\[' <("$PERF" report -i mixed --folded)
	run "$PERF" report -i mixed --mark-frames
	[[ "$status" -eq 129 && "$output" == *"--mark-frames marks the frames of --folded"* ]]
}

@test "folded stacks: -g srcline adds source lines" {
	"$PERF" report -i inlines --folded -g srcline >lines
	grep -q ';spin inlined.c:1[012];hot_inlined inlined.c:[67] [0-9]*$' lines
	run ! grep -q 'inlined\.c' <("$PERF" report -i inlines --folded)
}

@test "a flame graph has the command line as title, and nothing narrower than a pixel" {
	"$PERF" report -i inlines --flamegraph a.svg
	grep -q 'font-size:17px">[^<]*record -q -e cpu-clock:u -F 1999 -g -o inlines ./inlined</text>' a.svg
	grep -q '>cpu-clock:u, inlines, [^<]* percent of samples named, 0 lost</text>' a.svg
	./write thin <<-'EOF'
	1999 100 1000
	1 200 2000
	EOF
	"$PERF" report -i thin --flamegraph b.svg 2>/dev/null
	run ! grep -q '<title>other' b.svg
	grep -q '<title>prog (1,999' b.svg
}

@test "a flame graph works as an element of a page: nothing in it is global" {
	"$PERF" report -i inlines --flamegraph a.svg
	run ! grep -q ' id="' a.svg
	# every rule is of the picture's own class
	sed -n 's/.*<style>\(.*\)<\/style>.*/\1/p' a.svg | tr '}' '\n' | grep . | while read -r rule; do
		[[ "$rule" == .perf-flame* ]] || { echo "$rule"; exit 1; }
	done
	grep -q "currentScript" a.svg
}

@test "a picture of unknown functions says how to record them" {
	./write nameless <<<'5 100 1000 2000'
	run "$PERF" report -i nameless --flamegraph c.svg
	[[ "$status" -eq 0 && "$output" == *"--call-graph dwarf"* ]]
	run "$PERF" report -i inlines --flamegraph c.svg
	[[ "$status" -eq 0 && "$output" != *"--call-graph dwarf"* ]]
}

@test "a flame graph without samples is an empty picture, whatever leaves them out" {
	empty() { # WARNING FILE OPTIONS...
		local warning=$1
		shift
		echo "an older picture" >d.svg
		run "$PERF" report --flamegraph d.svg -i "$@"
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(grep -v 'the file has no features' <<<"$output")" = "warning: $warning" ]
		# a whole picture, without a frame
		grep -q '<svg ' d.svg
		[ "$(tail -n 1 d.svg)" = "</svg>" ]
		run ! grep -qE 'older|<title>' d.svg
	}
	empty "no sample of 'mixed' passes the filters" mixed --comm nosuch
	empty "no sample of 'mixed' is from the requested CPUs, times and tasks" mixed --time 5,6
	empty "no sample of 'mixed' is from the requested CPUs, times and tasks" mixed --time 5,6 --comm prog
	./write none </dev/null
	empty "'none' has no samples" none
}

@test "--group-sort-idx without a group, or past its end, says that it has no effect" {
	run "$PERF" report --stdio -i mixed --group-sort-idx 1
	[[ "$status" -eq 0 && "$output" == *"--group-sort-idx has no effect: no group of events"* ]]
	"$PERF" record -q -e '{cpu-clock,page-faults}' -o group true
	run "$PERF" report --stdio -i group --group-sort-idx 2
	[[ "$status" -eq 0 && "$output" == *"no group has an event 2"* ]]
	run "$PERF" report --stdio -i group --group-sort-idx 1
	[[ "$status" -eq 0 && "$output" != *"no effect"* ]]
}

@test "--stats counts the records that were compressed, once" {
	"$PERF" check -q feature zstd || skip "built without zstd"
	"$PERF" record -q -z -e cpu-clock -o packed "$PERF" test -w noploop 1 >/dev/null
	"$PERF" report --stats -i packed >ours
	grep -qE '^ +COMPRESSED2? events: +[1-9]' ours
	total=$(awk '$1 == "TOTAL" { print $3; exit }' ours)
	sum=$(awk '$2 == "events:" && /%\)$/ { n += $3 } END { print n }' ours)
	[ "$total" -eq "$sum" ]
	"$PERF" report --stats -i - <packed | grep -E 'COMPRESSED' | diff - <(grep COMPRESSED ours)
	"$PERF" report --stats --json -i packed | grep -q '"COMPRESSED2\?":'
	command -v "$RIVAL" >/dev/null || return 0
	"$RIVAL" report --stats -i packed 2>/dev/null | grep -E 'TOTAL|COMPRESSED' | diff - <(grep -E 'TOTAL|COMPRESSED' ours)
}

@test "--header: the time of capture is that of the last change to the data" {
	cp mixed old
	touch -d '2001-02-03 04:05:06' old
	"$PERF" report --header-only -i old | grep -q '^# captured on *: Sat Feb  *3 04:05:06 2001'
}

@test "widths: values stand under their heads, whatever width was asked for" {
	"$PERF" report --stdio -i mixed --no-children -g none -s comm,sym -w 5,5,10 2>/dev/null >narrow
	end=$(grep -m1 '^# Overhead' narrow | grep -bo 'Overhead' | cut -d: -f1)
	grep '%' narrow | while IFS= read -r line; do
		[ "${line:0:$((end + 8))}" = "$(printf "%$((end + 8))s" "$(awk '{ print $1 }' <<<"$line")")" ]
	done
	"$PERF" report --stdio -i mixed --children -g none -s comm,sym -w 5,5,10 2>/dev/null >narrow
	end=$(grep -m1 '^# Children' narrow | grep -bo 'Self' | cut -d: -f1)
	[ "$(grep -c '%' narrow)" -ge 3 ]
	grep '%' narrow | while IFS= read -r line; do
		[ "$(awk '{ print $2 }' <<<"${line:0:$((end + 4))}")" = "$(awk '{ print $2 }' <<<"$line")" ]
	done
	run "$PERF" report -i mixed -w 5,x
	[[ "$status" -eq 129 && "$output" == *"'x' is not a width"* ]]
}

@test "heads: the last column's dots are as wide as the widest row that is shown, and at most 100" {
	long=$(printf 'long%0296d' 0)
	middle=$(printf 'middle%034d' 0)
	cat >names.c <<-EOF
	#include <time.h>
	volatile long x;
	void $long(void) { x++; }
	void $middle(void) { x++; }
	void spin(void) { x++; }
	int main(void)
	{
		while (clock() < CLOCKS_PER_SEC / 10)
			$long(), $middle(), spin();
	}
	EOF
	gcc -O1 -o names names.c
	"$PERF" record -q -e cpu-clock:u -F 1999 -o live ./names
	printf '%s\n' '90 spin' "9 $middle" "1 $long" | "$BATS_TEST_DIRNAME/set-samples" live names named
	dots() { "$PERF" "$@" --stdio -i named -s dso,sym | tee shown | awk '/^# ?\.+ / { print length($NF); exit }'; }
	[ "$(dots report)" -eq 100 ]
	grep -q "\[\.\] $long\$" shown
	[ "$(grep -c ' $' shown)" -eq 1 ] # the heads, as 6.1 has them
	[ "$(dots report --percent-limit 5)" -eq 44 ]
	[ "$(dots report --percent-limit 50)" -eq 8 ]
	# a key that others follow is as wide as its rows
	"$PERF" report --stdio -i named -s sym,dso | grep -qE "^# \.+  \.{304}  "
	"$PERF" report --stdio -i named -s sym,dso --percent-limit 5 | grep -qE "^# \.+  \.{44}  "
	"$PERF" diff -s dso,sym named named >shown
	[ "$(awk '/^# ?\.+ / { print length($NF); exit }' shown)" -eq 100 ]
	grep -q "$long\$" shown
}

@test "hierarchy: values among the keys are not levels" {
	"$PERF" report --stdio -i mixed --hierarchy -s comm,sym 2>/dev/null >plain
	"$PERF" report --stdio -i mixed --hierarchy -s overhead,comm,sym 2>/dev/null >with
	grep -q '^#  *Overhead  Command / Symbol$' with
	diff plain with
	# there are no totals of callers on levels: what was asked to be sorted by them is sorted by the sums
	"$PERF" report --stdio -i mixed --hierarchy -s overhead_children,overhead,comm,sym 2>/dev/null >totals
	names() { awk '/^ *(N\/A |[0-9.]+%) / { sub(/^[ N\/A0-9.%]*%/, ""); $1 = $1; print }' "$1"; }
	[ "$(names plain)" != "$(names plain | sort)" ]
	grep -q ' N/A ' totals
	diff <(names plain) <(names totals)
}

@test "--showcpuutilization is the older name of --show-cpu-utilization" {
	"$PERF" report --stdio -i mixed --show-cpu-utilization -s comm >a 2>/dev/null
	"$PERF" report --stdio -i mixed --showcpuutilization -s comm 2>/dev/null | diff a -
	grep -q ' sys .* usr' a
}

@test "an unknown key: the one that was meant, or all of them by kind, in lines that fit" {
	run "$PERF" report -i mixed --sort symbl
	[[ "$status" -eq 129 && "$output" == *"did you mean 'symbol'?"* ]]
	[[ "$output" != *"dso_from"* ]]
	run "$PERF" report -i mixed --sort nosuchkey
	[[ "$status" -eq 129 && "$output" == *"of branches (-b):"*"of memory accesses (--mem-mode):"*"values:"* ]]
	for line in "${lines[@]}"; do
		[[ "$line" == warning:* || "${#line}" -le 80 ]]
	done
}

# peak OUT COMMAND...: the most memory that it had, in kB, into OUT.
peak() {
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[1], "w"))' "$@"
}

@test "a recording of many processes takes less memory than the rival's report of it" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	cat >crowd.py <<-'EOF'
	import struct
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	data = b""
	parts = []
	for i in range(60000): # fork, exec, a mapping, a sample, exit
	    pid, t = 1000 + i, 10**9 + i * 10
	    who = struct.pack("<IIQ", pid, pid, t)
	    parts.append(record(7, 0, struct.pack("<IIIIQ", pid, 500, pid, 500, t) + who))
	    parts.append(record(3, 0x2000, struct.pack("<II", pid, pid) + b"prog\0\0\0\0" + who))
	    parts.append(record(10, 2, struct.pack("<IIQQQ", pid, pid, 0x1000, 0x1000, 0) +
	                        struct.pack("<IIQQII", 8, 1, 77, 0, 5, 2) + b"/bin/true\0\0\0\0\0\0\0" + who))
	    parts.append(record(9, 2, struct.pack("<QIIQQ", 0x1000, pid, pid, t, 1000)))
	    parts.append(record(4, 0, struct.pack("<IIIIQ", pid, 500, pid, 500, t) + who))
	data = b"".join(parts)
	attr = struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", 1, 128, 0, 1000, 1 | 2 | 4 | 256, 0, 1 << 8 | 1 << 9 | 1 << 18, *[0] * 15)
	begin = 104 + len(attr) + 16
	head = struct.pack("<QQQ", 0x32454c4946524550, 104, len(attr) + 16)
	head += struct.pack("<QQQQQQ", 104, len(attr) + 16, begin, len(data), 0, 0) + b"\0" * 32
	open("crowd", "wb").write(head + attr + b"\0" * 16 + data)
	EOF
	python3 crowd.py
	peak ours "$PERF" report --stdio -s comm -i crowd
	peak theirs "$RIVAL" report --stdio -s comm -i crowd
	echo "ours $(cat ours) kB, theirs $(cat theirs) kB"
	[ "$(cat ours)" -lt "$(cat theirs)" ]
}

@test "numbers are decimal: no nan, infinity, other base or exponent" {
	"$PERF" record -q -e cpu-clock -o numbers sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
	for words in "--percent-limit nan" "--percent-limit 0x5" "-g graph,nan" "-g graph,inf" "-g graph,0x1" "--time 10%/nan" \
		"--time nan%" "--time 10%/1e0" "--max-stack 0x10" "--max-stack 1e1" "-w 0x8"; do
		# shellcheck disable=SC2086 # an option and its value
		run "$PERF" report --stdio -i numbers $words
		[ "$status" -ne 0 ] || { echo "report $words"; return 1; }
	done
	for words in "record -F 0x63 -o x" "record -c 1e6 -o x" "record -m 0x10 -o x" "stat -r 0x2" "trace --duration nan" "trace --duration 1e3"; do
		# shellcheck disable=SC2086 # a command and its options
		run "$PERF" $words true
		[ "$status" -ne 0 ] || { echo "$words"; return 1; }
	done
	"$PERF" script -i numbers -F time | sed 's/[: ]//g' >times
	first=$(sed -n 1p times)
	last=$(sed -n '$p' times)
	"$PERF" script -i numbers --time "$first, $last" >spaced
	[ "$(grep -c . spaced)" -ge $(($(grep -c . times) - 1)) ]
	"$PERF" script -i numbers --time "$first,$last" | diff - spaced
	# also where it leaves something out
	middle=$(sed -n "$(($(grep -c . times) / 2))p" times)
	"$PERF" report -i numbers --folded --time "$first, $middle" >spaced
	"$PERF" report -i numbers --folded --time "$first,$middle" | diff - spaced
	[ "$(awk '{ n += $NF } END { print n }' spaced)" -lt "$(grep -c . times)" ]
	"$PERF" report --stdio -i numbers --percent-limit 010 | grep -q sh
}

@test "code made at run time that nothing names: whose it is, and how its program names it" {
	[ "$(uname -m)" = x86_64 ] || skip "the program's code is that of x86-64"
	cat >made.c <<-'EOF'
	#include <stdio.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <time.h>
	#include <unistd.h>
	int main(int c, char **v)
	{
		/* dec %rdi; jne; ret */
		static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
		char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
		FILE *map;

		memcpy(code, loop, sizeof(loop));
		if (c > 1) {
			snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
			map = fopen(path, "w");
			fprintf(map, "%lx 6 named_loop\n", (long)code);
			fclose(map);
		}
		while (clock() < CLOCKS_PER_SEC / 5)
			((void (*)(long))code)(1000000);
	}
	EOF
	gcc -O1 -o qemu-made made.c
	cp qemu-made other
	for program in qemu-made other; do
		"$PERF" record -q -B -e cpu-clock:u -F 999 -o made.$program ./$program
		pid=$("$PERF" script -i made.$program -F pid | awk '{ print $1; exit }')
		run --separate-stderr "$PERF" report --stdio -i made.$program
		[ "$status" -eq 0 ]
		[[ "$output" == *"[JIT] tid $pid "* ]]
		[[ "$stderr" == "warning: "[0-9]*" % is code that '$program' (process $pid) made at run time and that nothing names"* ]]
		[ "$(grep -c '^hint: .* QEMU (8.0 or later) with -perfmap' <<<"$stderr")" -eq $([ $program = other ]; echo $?) ]
	done
	"$PERF" record -q -B -e cpu-clock:u -F 999 -o made.named ./qemu-made named
	run --separate-stderr "$PERF" report --stdio -i made.named
	rm -f "/tmp/perf-$("$PERF" script -i made.named -F pid 2>/dev/null | awk '{ print $1; exit }').map"
	[[ "$output" == *named_loop* && "$stderr" != *"nothing names"* ]]
}
