#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf report: source lines and inlined functions, in columns and in call chains.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	mkdir src
	cat >src/t.cc <<-'EOF'
		#define IN static inline __attribute__((always_inline))
		#define N __attribute__((noinline))
		IN long inner(long x)
		{
			for (int i = 0; i < 100; i++)
				x = x * 31 + (x >> 7);
			return x;
		}
		IN long middle(long x)
		{
			return inner(x + 1) ^
			       inner(x + 2);
		}
		N long outer(long x)
		{
			long r = middle(x);
			asm volatile("" : "+r"(r));
			return r + 1;
		}
		N long work(long n)
		{
			long s = 0;
			for (long i = 0; i < n; i++)
				s += outer(i);
			return s + 1;
		}
		int main()
		{
			return work(1500000) == 1;
		}
	EOF
	g++ -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o t "$PWD/src/t.cc"
	g++ -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o bare src/t.cc
	"$PERF" record -q -e cpu-clock:u -F 1000 --call-graph dwarf,2048 -o dwarf.data ./t
	"$PERF" record -q -e cpu-clock:u -F 1000 -g -o fp.data ./t
	"$PERF" record -q -e cpu-clock:u -F 1000 --call-graph dwarf,2048 -o bare.data ./bare
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

oracle() {
	command -v "$RIVAL" >/dev/null || skip "needs $RIVAL (Debian package linux-perf)"
}

report() {
	"$PERF" report --stdio "$@" >ours
}

# 6.1 now and then takes a return address of 0 for one more caller, at the byte before it: -1.  No program
# has that, so it is left out, and chains that are equal without it are one.
rows() {
	grep -v '^#' | sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//; s/0xf{16};//; s/;0xf{16}$//; / 0xf{16}$/d' | grep . |
		awk '/^[0-9]+ / { n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n; next } { print }
		     END { for (chain in sum) print sum[chain], chain }' | LC_ALL=C sort
}

# Rows of our own object: in libc the rival takes aliases for inlined functions.
same_rows() {
	"$RIVAL" report --stdio "$@" 2>/dev/null | rows >theirs
	"$PERF" report --stdio "$@" >whole
	! grep 0xffffffffffffffff whole || return 1
	rows <whole >ours
	[ -s ours ] && diff -u theirs ours
}

@test "columns srcline and srcfile" {
	oracle
	for keys in srcline srcfile sym,srcline,srcfile dso,srcfile; do
		same_rows -i dwarf.data --no-children -g none -d t -s $keys
	done
	same_rows -i dwarf.data --no-children -g none -d t -s srcline --full-source-path
	grep -qF "$BATS_FILE_TMPDIR/src/t.cc:6" ours
	# a file without debug information, and no file at all
	same_rows -i bare.data --no-children -g none -d bare -s srcline,srcfile,sym
	grep -qF '??:0' ours
}

@test "columns srcline_from and srcline_to" {
	oracle
	"$BATS_TEST_DIRNAME/make-branches" "$PWD/t" branches.data _Z5outerl:1f:7:60:18,22 main:9:0:20:3 _Z4workl:10:5:10:1
	for keys in srcline_from,srcline_to srcline_to srcline_from; do
		same_rows -i branches.data -s $keys
		grep -q 't.cc:[0-9]' ours
	done
}

@test "columns of the kernel: the function and the distance" {
	oracle
	"$PERF" record -q -e cpu-clock:k -F 500 -o kernel.data dd if=/dev/zero of=/dev/null bs=64k count=20000
	same_rows -i kernel.data --no-children -s srcline
	grep -qE ' [a-z_0-9.]+\+[0-9]+$' ours
}

@test "frames of inlined functions, each once in the totals" {
	report -i dwarf.data -d t -s sym -g none -F overhead_children,overhead,sample,sym
	[ "$(awk '/\[\.\] inner \(inlined\)$/ { print $2, $3 }' ours)" = '0.00% 0' ]
	# little, if any, of outer is in nothing that was inlined
	for name in outer middle inner; do
		eval "$name=$(awk -v n=$name '$5 == n { print $1 * 100 }' ours)"
	done
	((inner > 5000 && inner <= middle && middle <= outer && inner > outer - 1500))
	report -i dwarf.data --no-children -d t -s sym -g folded,0,caller,count
	grep -qE ';main;work;outer;middle \(inlined\);inner \(inlined\)$' ours
	run ! grep -qE ';(inner|middle)(;|$)' ours
	# chains of frame pointers, too
	report -i fp.data --no-children -d t -s sym -g folded,0,caller,count
	grep -qE ';outer;middle \(inlined\);inner \(inlined\)$' ours
	# the counts of the chains are those of the row
	report -i dwarf.data --no-children -n -c t -s comm -g folded,0,caller,count
	[ "$(awk '/^ .* t *$/ { print $2 }' ours)" -eq "$(awk '/^[0-9]+ / { n += $1 } END { print n }' ours)" ]
}

@test "--no-inline: the functions alone" {
	oracle
	report -i dwarf.data -g folded,0,caller,count
	grep -q inlined ours
	same_rows -i dwarf.data -g none -s sym --no-inline
	same_rows -i dwarf.data -s sym --no-children -g folded,0,caller,count --no-inline
	run ! grep -q inlined ours
}

@test "a function and the same function inlined are two rows; the parent key finds inlined ones" {
	report -i dwarf.data --no-children -d t -s parent -p '^middle$' -g none
	grep -qE ' middle *$' ours
	report -i dwarf.data --children -s sym -g none --symbol-filter=inner
	[ "$(grep -c 'inner (inlined)' ours)" -eq 1 ]
}

@test "lines behind the frames of a chain: -g srcline, -g address" {
	report -i dwarf.data --no-children -d t -s sym -g folded,0,caller,count,srcline
	grep -qE ';main t.cc:29;work t.cc:24;outer t.cc:16;middle t.cc:11 \(inlined\);inner t.cc:[56] \(inlined\)$' ours
	grep -qE ';outer t.cc:16;middle t.cc:12 \(inlined\);inner t.cc:[56] \(inlined\)$' ours
	grep -qE '^[0-9]+ _start \?\?:0;' ours
	lines=$(grep -cE '^[0-9]' ours)
	report -i dwarf.data --no-children -d t -s sym -g folded,0,caller,count,address
	grep -qE '^[0-9]+ _start \+[0-9]+;' ours
	# addresses tell more apart than lines
	[ "$(grep -cE '^[0-9]' ours)" -gt "$lines" ]
	report -i dwarf.data --no-children -d t -s sym -g folded,0,caller,count,srcline --no-inline
	grep -qE ';work t.cc:24;outer t.cc:[56]$' ours
	report -i bare.data --no-children -d bare -s sym -g folded,0,caller,count,srcline
	grep -qE ';work \?\?:0;outer \?\?:0$' ours
}

@test "paths of source files: whole, with another beginning" {
	report -i dwarf.data --no-children -d t -s srcfile -g none --full-source-path
	grep -qE " $BATS_FILE_TMPDIR/src/t.cc$" ours
	report -i dwarf.data --no-children -d t -s srcfile -g none --full-source-path --prefix /other/
	grep -qE " /other$BATS_FILE_TMPDIR/src/t.cc$" ours
	report -i dwarf.data --no-children -d t -s srcfile -g none --full-source-path --prefix /o --prefix-strip 1
	grep -qE " /o/${BATS_FILE_TMPDIR#/*/}/src/t.cc$" ours
	report -i dwarf.data --no-children -d t -s srcline -g none --full-source-path --prefix /o --prefix-strip 99
	grep -qE ' /o/t.cc:6$' ours
	report -i dwarf.data --no-children -d t -s srcfile -g none --prefix /o
	grep -qE ' t.cc$' ours
	run -129 "$PERF" report -i dwarf.data --prefix-strip 2
	[[ $output == *'--prefix-strip requires --prefix'* ]]
	run -129 "$PERF" report -i dwarf.data -g sourceline
	[[ $output == *srcline* ]]
}

@test "addr2line: asked for odd debug information, or when it is wanted" {
	# native and addr2line agree (binutils 2.40 takes wrong files in DWARF 5 of libc)
	args="-i dwarf.data --no-children -d t -s sym -g folded,0,caller,count,srcline"
	report $args
	# in lines; addr2line 2.40 gives the first inlined functions that it is asked for the name of the
	# function around them, so that names depend on which addresses were sampled
	lines() {
		rows <ours | sed 's/_start.*;main/main/; s/[^ ;]* t\.cc/t.cc/g; s/ (inlined)//g' |
			awk '{ n[$2 " " $3] += $1 } END { for (k in n) print n[k], k }' | sort
	}
	lines >native
	grep -q 't.cc:16;t.cc:12;t.cc:6' native
	report $args --addr2line-style addr2line
	lines | diff native -
	# a child for each object, not for each address
	cat >asked <<-'EOF'
		#!/bin/sh
		echo "$@" >>asked.log
		exec addr2line "$@"
	EOF
	chmod +x asked
	report $args --addr2line ./asked --addr2line-style addr2line,native
	lines | diff native -
	[ -s asked.log ]
	[ -z "$(sort asked.log | uniq -d)" ]
	rm asked.log
	hot_lines() { "$PERF" annotate --stdio -l -d t -i dwarf.data "$@" 2>/dev/null | grep -E '^ +[0-9.]+ t\.cc:[0-9]+$'; }
	hot_lines >native
	[ ! -e asked.log ]
	hot_lines --addr2line ./asked --addr2line-style addr2line | diff native -
	[ -s asked.log ]
	rm asked.log
	report $args --addr2line ./asked
	report $args --addr2line ./asked --addr2line-style libdw
	[ ! -e asked.log ]
	# one that dies at once: no lines, and no harm; one that is not there
	report $args --addr2line /bin/false --addr2line-style addr2line
	grep -q 'outer ??:0' ours
	for program in ./nowhere nowhere-at-all; do
		run "$PERF" report --stdio $args --addr2line $program
		[ "$status" -ne 0 ]
		[[ "$output" == *"--addr2line: there is no program '$program'"*"hint: name its path"* ]]
		run "$PERF" script -i dwarf.data --addr2line $program
		[ "$status" -ne 0 ]
		run "$PERF" annotate --stdio -i dwarf.data --addr2line $program
		[ "$status" -ne 0 ]
	done
	# stabs are beyond our reader; newer compilers do not write them any more
	cat >stabs.s <<-'EOF'
			.stabs "/src/", 100, 0, 0, .Lbegin
			.stabs "stabs.c", 100, 0, 0, .Lbegin
			.text
		.Lbegin:
			.globl main
			.type main, @function
			.stabs "main:F(0,1)", 36, 0, 2, main
		main:
			.stabn 68, 0, 4, .Lfour - main
		.Lfour:
			movl $50000000, %ecx
			.stabn 68, 0, 5, .Lfive - main
		.Lfive:
			addq $1, sink(%rip)
			decl %ecx
			jnz .Lfive
			xorl %eax, %eax
			ret
			.size main, . - main
			.stabs "", 100, 0, 0, .Lend
		.Lend:
			.comm sink, 8
			.section .note.GNU-stack, ""
	EOF
	gcc -o stabs stabs.s
	"$PERF" record -q -e cpu-clock:u -F 500 -o stabs.data ./stabs
	report -i stabs.data -d stabs -s sym,srcline
	grep -qE '\[\.\] main +.*:[45]' ours
	"$PERF" script -i stabs.data -F ip,sym,srcline | grep -qE '^  .*:[45]$'
	report -i stabs.data -d stabs -s sym,srcline --addr2line-style native
	run ! grep -qE ':[45]' ours
	for wrong in gdb native,gdb ,; do
		run -129 "$PERF" report -i dwarf.data --addr2line-style $wrong
		[[ $output == *addr2line-style* ]]
		run -129 "$PERF" script -i dwarf.data --addr2line-style $wrong
	done
}

@test "script: paths of source files" {
	"$PERF" script -i dwarf.data -F ip,sym,srcline --full-source-path --prefix /o --prefix-strip 99 >ours
	grep -qE '^  /o/t.cc:6( |$)' ours
	run -129 "$PERF" script -i dwarf.data --prefix-strip 1
	[[ $output == *--prefix* ]]
}

@test "the same bytes from 1, 2 and 7 workers" {
	for options in "-g caller,srcline" "-g callee,address --no-children" "-s srcline,sym"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" report --stdio -i dwarf.data $options >"ours.$n"
		done
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
}

@test "kernel modules: lines, inlined functions and code, packed or not, with a debug file or not" {
	cd "$BATS_TEST_TMPDIR"
	cat >mod.c <<'CODE'
volatile unsigned long total;
static inline __attribute__((always_inline)) void add(unsigned long n)
{
	total += n;
}
__attribute__((section(".init.text"))) int init_module(void)
{
	add(1);
	return 0;
}
__attribute__((noinline)) int other(unsigned long n)
{
	return n + total;
}
__attribute__((noinline)) int work(unsigned long n)
{
	add(n);
	return total > 3;
}
CODE
	gcc -g -O2 -ffunction-sections -c mod.c -o m.o
	ld -r --build-id m.o -o mod.ko
	size=$(readelf -SW mod.ko | awk '$2 == ".text.other" || $3 == ".text.other" { print $(NF - 5) }')
	# other is there first; work follows, aligned to 16; 7 bytes in: what was inlined
	at=$(( (0x$size + 15) / 16 * 16 + 7 ))
	python3 - "$BATS_TEST_DIRNAME/make-samples" "$at" mod.ko mod.ko.gz mod.ko.xz mod.ko.zst <<'CODE'
import importlib.machinery, importlib.util, os, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
for file in sys.argv[3:]:
    w = m.Writer("<")
    name = (os.getcwd() + "/" + file).encode() + b"\0"
    name += b"\0" * (-len(name) % 8)
    kernel = w.pack("IIQQQB3x", 0xffffffff, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, 20) + b"\xab" * 20
    w.record(10, 1 | 1 << 14, kernel + w.pack("II", 5, 2) + b"[kernel.kallsyms]_text\0\0" + w.sample_id())
    w.record(1, 1, w.pack("IIQQQ", 0xffffffff, 0, 0xffffffffc0000000, 0x1000, 0) + name + w.sample_id())
    w.sample(b"", ip=0xffffffffc0000000 + int(sys.argv[2]), misc=1)
    open(file + ".data", "wb").write(w.file(1, 0, m.BASE))
CODE
	gzip -k mod.ko
	xz -k mod.ko
	zstd -q mod.ko
	id=$(printf 'ab%.0s' {1..20})
	mkdir -p "cache/.build-id/ab/${id:2}"
	{
		echo 'ffffffff81000000 T _text'
		printf '%x t named\t[mod]\n' $((0xffffffffc0000000 + at - 7))
	} >"cache/.build-id/ab/${id:2}/kallsyms"
	for file in mod.ko mod.ko.gz mod.ko.xz mod.ko.zst; do
		"$PERF" script -i $file.data -F ip,sym,srcline 2>/dev/null >out
		cat out
		grep -q ' work$' out
		grep -q 'mod.c:4$' out
		"$PERF" report --stdio -i $file.data -s srcline,sym,dso 2>/dev/null | grep -q 'mod.c:4 *\[k\] work *\[mod\]'
		"$PERF" annotate --stdio -i $file.data -s work 2>/dev/null >out
		grep -Eq '100.00 .*%rdi' out
		grep -q 'add():' out
		# kallsyms names the function, its code is in the file all the same
		"$PERF" --buildid-dir "$PWD/cache" annotate --stdio -i $file.data -s named >out 2>err
		grep -Eq '100.00 .*%rdi' out
		grep -q 'add():' out
	done
	# split off, below another root; the module's name is without ".xz" there
	mkdir -p "root/usr/lib/debug$PWD" "root$PWD"
	objcopy --only-keep-debug mod.ko "root/usr/lib/debug$PWD/mod.ko.debug"
	strip --strip-debug mod.ko
	xz -c mod.ko >"root$PWD/mod.ko.xz"
	rm mod.ko mod.ko.gz mod.ko.xz mod.ko.zst
	"$PERF" script -i mod.ko.xz.data -F ip,sym,srcline --symfs root 2>/dev/null | grep -q 'mod.c:4$'
}

@test "split units in a .dwp package are found when the program comes from the cache" {
	command -v dwp >/dev/null || command -v llvm-dwp >/dev/null || skip "no dwp here"
	mkdir -p packed && cd packed
	cat >s.c <<-'END'
	volatile long sum;
	static inline __attribute__((always_inline)) void split_fn(long e) { for (long i = 0; i < e; i++) sum += i * e; }
	int main(void) { split_fn(30000000); return 0; }
	END
	gcc -g -O1 -gsplit-dwarf -c s.c && gcc s.o -o s
	dwp -e s -o s.dwp || llvm-dwp -e s -o s.dwp
	mv s.dwo gone
	"$PERF" --buildid-dir "$PWD/cache" record -q -e cpu-clock:u -g -o d ./s || skip "cannot record here"
	find cache -name elf | grep -q .
	"$PERF" --buildid-dir "$PWD/cache" script -i d -F ip,sym,srcline --inline >out 2>err
	grep -q '[0-9a-f] split_fn$' out || { cat out err; false; }
	# libdw reads packages itself from 0.191 on; before that, the hint says so
	run "$PERF" probe -x s -D 'split_fn e'
	[ "$status" -eq 0 ] || [[ "$output" == *"hint: libdw 0.1"*" does not read '$PWD/s.dwp' (0.191 does): keep the .dwo files beside the program"* ]]
	run "$PERF" probe -x s -L main
	[ "$status" -eq 0 ] || [[ "$output" == *"hint: libdw 0.1"*"'$PWD/s.dwp'"* ]]
	# the debug file has another name, and the package is beside the program
	objcopy --only-keep-debug s other.dbg
	strip -g s && objcopy --add-gnu-debuglink=other.dbg s
	rm -rf cache
	"$PERF" --buildid-dir "$PWD/cache" record -q -e cpu-clock:u -g -o d ./s
	"$PERF" --buildid-dir "$PWD/cache" script -i d -F ip,sym,srcline --inline >out 2>err
	grep -q '[0-9a-f] split_fn$' out || { cat out err; false; }
	# a .dwo file beside the program does as well; without both, the message names the program
	rm s.dwp && mkdir moved && cp s other.dbg moved && mv gone moved/s.dwo && cd moved
	"$PERF" --buildid-dir "$PWD/../cache" record -q -e cpu-clock:u -g -o d ./s
	"$PERF" --buildid-dir "$PWD/../cache" script -i d -F ip,sym,srcline --inline >out 2>err
	grep -q '[0-9a-f] split_fn$' out || { cat out err; false; }
	rm s.dwo
	run --separate-stderr "$PERF" --buildid-dir "$PWD/../cache" script -i d -F ip,sym,srcline --inline
	[[ "$stderr" == *"neither that file nor a .dwp package beside '$PWD/s'"* ]]
}

@test "a missing .dwo file is named once, by report, script, annotate and probe" {
	mkdir -p split && cd split
	cat >s.c <<-'END'
	static inline __attribute__((always_inline)) int inner(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
	__attribute__((noinline)) int hot(int n) { return inner(n) + 1; }
	int main(void) { int s = 0; for (int i = 0; i < 300; i++) s += hot(100000); return s == 1; }
	END
	gcc -g -O1 -gsplit-dwarf -c s.c && gcc s.o -o s
	"$PERF" record -q -N -e cpu-clock:u -o d ./s || skip "cannot record here"
	missing() {
		run --separate-stderr "$PERF" "$@"
		[ "$status" -eq 0 ] && [ "$(grep -c '\.dwo' <<<"$stderr")" -eq 2 ] &&
			[[ "$stderr" == *"warning: debug information of '$PWD/s' is missing: there is no '$PWD/s.dwo', and neither that file nor a .dwp package beside '$PWD/s'"* ]] ||
			{ echo "$*: $stderr"; return 1; }
	}
	run --separate-stderr "$PERF" script -i d -F ip,sym,srcline
	[[ "$stderr" != *.dwo* ]]
	mv s.dwo gone
	missing report -i d --stdio -s srcline
	missing script -i d -F ip,sym,srcline
	missing annotate -i d --stdio -l hot
	run "$PERF" probe -x s -L hot
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: 'hot' is in the symbols of '$PWD/s' only: its debug information is missing: '$PWD/s.dwo'" ]
	run "$PERF" probe -x s -D inner
	[[ "$output" == *"hint: some of it is missing: '$PWD/s.dwo'" ]]
	# beside the program is a place to look
	mkdir there && cp s there && mv gone there/s.dwo
	cp there/s.dwo .
	run --separate-stderr "$PERF" script -i d -F ip,sym,srcline
	[[ "$stderr" != *.dwo* ]]
}
