#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf annotate on files that Debian's perf records here and now, compared with that perf's
# own text of the same file.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}
bats_require_minimum_version 1.5.0

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	export HOME=$BATS_FILE_TMPDIR
	cat >"$FILES/work.c" <<-'EOF'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <time.h>
	struct point { int x, y; long w; };
	struct point points[4000];
	volatile double area;

	static inline long mix(long a, long b) { return (a * 31) ^ (b >> 3); }
	__attribute__((noinline)) long inner(struct point *p, int n)
	{
		long s = 0;
		for (int i = 0; i < n; i++) {
			s += p[i].w;
			if (p[i].x > p[i].y)
				s = mix(s, p[i].x);
			else
				p[i].y += s & 3;
		}
		area += s * 0.5;
		return s;
	}
	__attribute__((noinline)) long outer(struct point *p, int n)
	{
		long t = inner(p, n);

		switch (t & 7) {
		case 0: return strlen((char *)p) + t;
		case 1: return t + 5;
		case 2: return labs(t);
		case 3: return t / 7;
		case 4: return -t;
		case 5: return t ^ 0x123456789abcdef;
		}
		return 0;
	}
	int main(void)
	{
		clock_t end = clock() + CLOCKS_PER_SEC / 3;
		long t = 0;

		for (int i = 0; i < 4000; i++)
			points[i] = (struct point){ rand(), rand(), i };
		while (clock() < end)
			t += outer(points, 4000);
		return t == 1;
	}
	EOF
	gcc -O2 -g -o "$FILES/work" "$FILES/work.c"
	gcc -O2 -o "$FILES/plain" "$FILES/work.c"
	strip -o "$FILES/stripped" "$FILES/plain"
	cd "$FILES"
	"$RIVAL" record -q -e cpu-clock:u -F 3999 -o one ./work
	"$RIVAL" record -q -e '{cpu-clock:u,task-clock:u}' -F 499 -o two ./work
	"$RIVAL" record -q -e cpu-clock:u -F 1999 -o bare ./plain
}

setup() {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	cd "$FILES"
	export HOME=$FILES
}

# The table of lines first, sorted: lines of equal shares come in any order.
ordered() {
	grep -E '^ +[0-9]+\.[0-9]+ +[^ ]+:[0-9]+ *$' "$1" | sort
	grep -vE '^ +[0-9]+\.[0-9]+ +[^ ]+:[0-9]+ *$' "$1"
}

# same FILE OPTION...: both perfs print the same text.
same() {
	local file=$1
	shift
	"$RIVAL" annotate -i "$file" "$@" >theirs 2>/dev/null </dev/null
	"$PERF" annotate -i "$file" "$@" >ours
	[ "$(wc -l <ours)" -gt 20 ]
	diff -u <(ordered theirs) <(ordered ours)
}

# The same but for the sums of lines, from which 6.1 leaves out instructions of half a percent and less.
same_but_sums() {
	local file=$1
	shift
	"$RIVAL" annotate -i "$file" "$@" 2>/dev/null </dev/null | grep -vE '^ +[0-9]+\.[0-9]+ +[^ ]+:[0-9]+ *$' >theirs
	"$PERF" annotate -i "$file" "$@" | grep -vE '^ +[0-9]+\.[0-9]+ +[^ ]+:[0-9]+ *$' >ours
	[ "$(wc -l <ours)" -gt 20 ]
	diff -u theirs ours
}

@test "--stdio is that of Debian's perf, with each of its options" {
	same one --stdio inner
	same_but_sums one --stdio -l -s inner
	same_but_sums one --stdio -l -P -s inner
	for o in --no-source --asm-raw -n --show-total-period -P \
		'--percent-type local-hits' '--stdio-color never' '-s inner' '--percent-limit 50' '-d work'; do

		# shellcheck disable=SC2086
		same one --stdio $o -s inner || { echo "$o"; return 1; }
	done
}

@test "--stdio of a program without line numbers, and of a group" {
	same bare --stdio inner
	same two --stdio inner
	same two --stdio -n inner
	same two --stdio --show-total-period inner
	# 6.1 crashes on --no-group
	[ "$("$PERF" annotate -i two --stdio --no-group inner | grep -c ' for cpu-clock:u (')" -eq 1 ]
	[ "$("$PERF" annotate -i two --stdio --no-group inner | grep -c ' for task-clock:u (')" -eq 1 ]
}

@test "--stdio2 is that of Debian's perf" {
	same one --stdio2 inner
	same one --stdio2 -n inner
	same one --stdio2 --show-total-period inner
	same one --stdio2 --no-source inner
	same bare --stdio2 inner
}

@test "--stdio2 follows annotate.use_offset, show_nr_jumps, offset_level and show_linenr" {
	for set in use_offset=false show_nr_jumps=true offset_level=2 offset_level=3; do
		printf '[annotate]\n\t%s\n' "$set" >settings
		PERF_CONFIG=settings same one --stdio2 inner || { echo "$set"; return 1; }
		PERF_CONFIG=settings same one --stdio2 --no-source inner || { echo "$set"; return 1; }
	done
	printf '[annotate]\n\tshow_linenr = true\n' >settings
	PERF_CONFIG=settings "$PERF" annotate -i one --stdio2 inner >ours
	n=$(grep -n 'area += s \* 0.5;' work.c | cut -d: -f1)
	grep -Eq "^ +$n +area \+= s \* 0.5;" ours
	"$PERF" annotate -i one --stdio2 inner | grep -Eq "^ +area \+= s"
}

# See annotate-group-count in tests/differences.
@test "--stdio2 of a group: the same but for the sum of both events" {
	"$RIVAL" annotate -i two --stdio2 inner 2>/dev/null </dev/null | sed 's/(approx.): [0-9]*/(approx.): N/' >theirs
	"$PERF" annotate -i two --stdio2 inner | sed 's/(approx.): [0-9]*/(approx.): N/' >ours
	diff -u theirs ours
	"$PERF" annotate -i two --stdio2 inner | grep -q "Samples: $("$PERF" script -i two -F ip,sym | grep -cw inner) "
}

# Odd ones: 0 as an address, fwait, prefixes that mean nothing, ports, x87 stacks; in 32-bit code also
# SIB bytes without an index.
odd_instructions() {
	cat >odd.s <<-'EOF'
	.globl odd
	.type odd, @function
	odd:
		leaq odd-here-0x1000(%rip), %r8
	here:	fstcw 2(%rsp)
		fstenv (%rax)
		fsave (%rax)
		fstsw %ax
		fstsw (%rax)
		fclex
		finit
		fwait
		fld1
		fwait
		nop
		fwait
		fwait
		fnstcw (%rax)
		.byte 0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0
		.byte 0x66, 0x48, 0xe8, 0, 0, 0, 0
		.byte 0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0
		.byte 0x48, 0xe8, 0, 0, 0, 0
		.byte 0x48, 0xe9, 0, 0, 0, 0
		.byte 0xdf, 0xc0, 0xdf, 0xc3
		.byte 0x66, 0x48, 0xff, 0x15, 0, 0, 0, 0
		.byte 0x66, 0x48, 0xff, 0xd0, 0x48, 0xff, 0xe0, 0x49, 0xff, 0xe3, 0x40, 0xff, 0xd0
		inb %dx, %al
		inw %dx, %ax
		outl %eax, %dx
		outb %al, $5
		.byte 0x67, 0xe8, 0, 0, 0, 0, 0x67, 0xe9, 0, 0, 0, 0, 0x67, 0x2e, 0xe8, 0, 0, 0, 0
		.byte 0x2e, 0xe8, 0, 0, 0, 0, 0x2e, 0x41, 0xff, 0xe3, 0x3e, 0xe8, 0, 0, 0, 0, 0x64, 0xe8, 0, 0, 0, 0
		.byte 0x3e, 0xff, 0xe0, 0x3e, 0xff, 0x10, 0x2e, 0xff, 0x25, 0, 0, 0, 0, 0x3e, 0xf2, 0xff, 0xe0
		.byte 0x2e, 0x74, 0, 0x3e, 0x74, 0, 0x3e, 0x0f, 0x84, 0, 0, 0, 0, 0xf2, 0x3e, 0x75, 0, 0x2e, 0xe3, 0
		.byte 0x2e, 0xc3, 0xf2, 0xc3, 0xf3, 0xc3
		enter $0x1130, $2
		movq %dr7, %rax
		.byte 0x2e, 0x48, 0x89, 0xc3, 0x3e, 0x89, 8, 0x3e, 0xf0, 0xff, 0
		.byte 0x9b, 0x9b, 0xd9, 0x38, 0x9b, 0x9b, 0x9b, 0xd9, 0x38, 0x9b, 0x9b, 0x9b, 0x9b, 0xd9, 0x38
		.byte 0x9b, 0x41, 0xd9, 0x39, 0x9b, 0x9b, 0x41, 0xd9, 0x39, 0x9b, 0x64, 0xd9, 0x38, 0x9b, 0x67, 0xd9, 0x38
		.byte 0x9b, 0x66, 0x90, 0x9b, 0x48, 0x89, 0xc0
		pushw $5
		pushw $-2
		ljmp *(%rax)
		lcall *(%rax)
		.byte 0x67, 0x8d, 0x74, 0x26, 0, 0x48, 0x8d, 0x34, 0x65, 0, 0, 0, 0
		insb
		insw
		insl
		outsb
		outsw
		outsl %fs:(%rsi), (%dx)
		rep insl
		rep outsb
		ret
		fwait
	.size odd, . - odd
	EOF
	gcc -shared -nostdlib -Wl,--section-start=.text=0x1000 -o odd.so odd.s
	cat >odd32.s <<-'EOF'
	.globl odd
	.type odd, @function
	odd:
		.byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0, 0x8d, 0x74, 0x26, 0, 0x8d, 0xbc, 0x27, 0, 0, 0, 0
		.byte 0x8d, 0x34, 0x65, 0, 0, 0, 0, 0x8d, 0x34, 0x25, 0, 0, 0, 0, 0x8d, 0x04, 0x64, 0x8d, 0x04, 0x24
		.byte 0x2e, 0x8d, 0x74, 0x26, 0, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x66, 0x66, 0x90
		.byte 0x3e, 0xff, 0x10, 0x2e, 0xff, 0x10, 0x3e, 0xff, 0x24, 0x85, 0, 0, 0, 0
		.byte 0x2e, 0xe8, 0, 0, 0, 0, 0x3e, 0xe8, 0, 0, 0, 0, 0x2e, 0xff, 0xe0, 0x2e, 0x74, 0
		.byte 0x9b, 0x64, 0xd9, 0x38, 0x9b, 0x48
		movl %gs:0x14, %eax
		pushw $5
		ljmp *(%eax)
		inb %dx, %al
		ret
	.size odd, . - odd
	EOF
	as --32 -o odd32.o odd32.s
	ld -m elf_i386 -shared -o odd32.so odd32.o
}

# wide: EVEX-encoded instructions, and others that came late
wide_instructions() {
	cat >wide.s <<-'EOF'
	.globl wide
	.type wide, @function
	wide:
		vpdpbusd %zmm1, %zmm2, %zmm3
		vaddpd {rn-sae}, %zmm1, %zmm2, %zmm3{%k1}{z}
		vaddps 64(%rax){1to16}, %zmm1, %zmm2
		vpermt2b 0x40(%rsp,%rcx,8), %zmm17, %zmm30
		vcmpps $5, %zmm1, %zmm2, %k3{%k2}
		vpscatterdd %zmm1, 4(%rax,%zmm2,4){%k1}
		vfmadd213ph %zmm1, %zmm2, %zmm3
		vgf2p8affineqb $3, %ymm1, %ymm2, %ymm3
		kmovq %k1, %rax
		tdpbssd %tmm1, %tmm2, %tmm3
		enqcmd (%rax), %rbx
		serialize
		xbegin 1f
	1:	ret
	.size wide, . - wide
	EOF
	gcc -shared -nostdlib -o wide.so wide.s
}

# mistaken: a function for each instruction that capstone 4 takes for another one
mistaken_instructions() {
	local n=0 bytes
	while read -r bytes; do
		n=$((n + 1))
		printf '.globl f%d\n.type f%d, @function\nf%d: .byte %s\nret\n.size f%d, . - f%d\n.skip 32, 0xcc\n' \
			$n $n $n "$bytes" $n $n
	done <<-'EOF' >mistaken.s
	0xf3, 0x0f, 0xae, 0xe8
	0xf3, 0x0f, 0xae, 0xf0
	0xf3, 0x0f, 0xae, 0x20
	0xf3, 0x0f, 0xae, 0x30
	0xf3, 0x0f, 0xc7, 0xf8
	0xf3, 0x0f, 0x09
	0x0f, 0x1c, 0
	0x67, 0x48, 0xe8, 0, 0, 0, 0
	0x67, 0x48, 0xe9, 0, 0, 0, 0
	0xdc, 0xd3
	0xdc, 0xdb
	0x66, 0xe8, 0, 0, 0, 0
	0x63, 0xc8
	0x48, 0xc9
	0x9b, 0x66, 0xd9, 0x38
	EOF
	gcc -shared -nostdlib -o mistaken.so mistaken.s
}

# own: which decoder is used where none is asked for
own_decoder() {
	if "$PERF" check -q feature libopcodes; then echo libopcodes; else echo objdump; fi
}

# without_libopcodes COMMAND...: empty files stand in front of the libraries, but not for objdump
without_libopcodes() {
	mkdir -p hidden programs
	ldconfig -p | grep -o 'libopcodes[^ ]*' | sort -u | while read -r lib; do : >"hidden/$lib"; done
	printf '#!/bin/sh\nunset LD_LIBRARY_PATH\nexec %s "$@"\n' "$(command -v objdump)" >programs/objdump
	chmod +x programs/objdump
	PATH=$PWD/programs:$PATH LD_LIBRARY_PATH=$PWD/hidden "$@"
}

# same_as_objdump OBJECT [OPTION...]: every function of it, not one of them decoded by a child
same_as_objdump() {
	local o=$1
	shift
	"$BATS_TEST_DIRNAME/make-samples" --of "$o" functions each
	"$PERF" annotate "$@" -i each --stdio >own
	"$PERF" annotate "$@" -v -i each --stdio | grep '^# .*, by ' >decoders
	run ! grep -v ", by $(own_decoder)\$" decoders
	"$PERF" annotate "$@" -i each --stdio --objdump objdump >by-objdump
	[ "$(wc -l <own)" -gt 20 ] || { echo "$o"; wc -l own; return 1; }
	diff -u by-objdump own
}

@test "the text is objdump's: odd code of 64 and 32 bits, AVX-512, whole libraries, both syntaxes" {
	odd_instructions
	mistaken_instructions
	wide_instructions
	for o in odd odd32 mistaken wide; do
		same_as_objdump "$PWD/$o.so"
		same_as_objdump "$PWD/$o.so" -M intel
	done
	same_as_objdump "$(readlink -f /lib/x86_64-linux-gnu/libm.so.6)"
	same_as_objdump "$(readlink -f /lib64/ld-linux-x86-64.so.2)" -M intel
}

@test "a call of an indirect function without a symbol in its relocation has that function's name" {
	printf '%s\n' 'static int one(void) { return 1; }' 'static void *choose(void) { return (void *)one; }' \
		'int chosen(void) __attribute__((ifunc("choose"), visibility("hidden")));' \
		'int use(void) { return chosen() + 1; }' >chosen.c
	gcc -O1 -shared -fPIC -o chosen.so chosen.c
	readelf -rW chosen.so | grep -q IRELATIV || skip "this linker leaves a symbol in the relocation"
	"$BATS_TEST_DIRNAME/make-samples" --of "$PWD/chosen.so" functions each
	"$PERF" annotate -i each --stdio use >use
	grep -q 'call .*<chosen@plt>' use || { cat use; return 1; }
}

@test "without libopcodes objdump is run, and without both capstone's own text is shown, which is said" {
	without_libopcodes "$PERF" annotate -v -i one --stdio inner | grep -q '^# inner: .*, by objdump$'
	"$PERF" annotate -i one --stdio inner >own
	without_libopcodes "$PERF" annotate -i one --stdio inner | diff -u - own
	mkdir -p nothing
	run --separate-stderr without_libopcodes env PATH="$PWD/nothing" "$PERF" annotate -i one --stdio --no-source inner
	if "$PERF" check -q feature libcapstone; then
		[ "$status" -eq 0 ]
		[[ "$stderr" == *"warning: instructions of '"*"' are shown as capstone reads them: "*"cannot be run"* ]]
		[[ "$stderr" == *"hint: install objdump"* ]]
		grep -qE ': +[0-9a-f]+: +mov. +\(%rdi\)' <<<"$output"
		run without_libopcodes env PATH="$PWD/nothing" "$PERF" annotate -i one --stdio --no-source -M intel inner
		grep -q 'dword ptr \[rdi\]' <<<"$output"
	else
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"objdump' cannot be run"* ]]
	fi
}

@test "-M: intel and att are known, any other style goes to objdump" {
	"$PERF" annotate -i one --stdio --no-source -M intel inner | grep -q 'mov    ecx,DWORD PTR \[rdi\]'
	"$PERF" annotate -i one --stdio --no-source -M att inner | grep -q 'mov    (%rdi),%ecx'
	"$PERF" annotate -v -i one --stdio --no-source -M suffix inner >suffix
	grep -q ', by objdump$' suffix
	grep -q 'movl   (%rdi),%ecx' suffix
}

@test "--objdump that is not there is an error that names it" {
	run -1 "$PERF" annotate -i one --stdio --objdump /no/objdump inner
	[[ "$output" == *"'/no/objdump' cannot be run: No such file"*"hint: without --objdump, "* ]]
}

@test "global percentages are of all samples" {
	"$PERF" annotate -i one --stdio --no-source --percent-type global-hits inner >ours
	"$PERF" annotate -i one --stdio --no-source -n inner >counts
	all=$("$PERF" script -i one -F ip | grep -c .)
	paste <(awk '/^ +[0-9.]+ :/{print $1}' ours) <(awk '/^ +[0-9]+ :/{print $1}' counts) |
		awk -v all="$all" '{ d = $1 - 100 * $2 / all; if (d > 0.006 || d < -0.006) { print; bad = 1 } n++ }
			END { exit bad || n < 20 }'
	grep -q 'percent: global hits' ours
}

@test "every sample is at its instruction" {
	"$PERF" annotate -i one --stdio --no-source -n inner | awk '/^ +[0-9]+ : +[0-9a-f]+:/ && $1 { sub(":", "", $3); print $3, $1 }' >ours
	"$PERF" script -i one -F ip,sym,symoff | awk '$2 ~ /^inner\+/ { sub(".*\\+", "", $2); print $2 }' | sort | uniq -c >offsets
	start=$(nm work | awk '$3 == "inner" { print $1 }')
	while read -r count offset; do
		printf '%x %d\n' $((0x$start + offset)) "$count"
	done <offsets | sort >theirs
	sort ours | diff -u theirs -
}

@test "--prefix and --prefix-strip find moved sources" {
	mkdir -p moved/src elsewhere
	mv work.c moved/src/
	"$PERF" annotate -i one --stdio inner | grep -c 's += p\[i\].w' | grep -qx 0
	parts=$(echo "$PWD" | tr -dc / | wc -c)
	"$PERF" annotate -i one --stdio --prefix "$PWD/moved/src" --prefix-strip "$parts" inner | grep -q 's += p\[i\].w'
	mv moved/src/work.c .
}

@test "filters: -d, -s, -C, --percent-limit" {
	"$PERF" annotate -i one --stdio | grep 'Source code' >all
	[ "$("$PERF" annotate -i one --stdio -d work | grep -c 'Disassembly of work for')" -ge 1 ]
	[ "$("$PERF" annotate -i one --stdio -d work | grep 'Source code' | grep -vc 'of work for')" -eq 0 ]
	[ "$("$PERF" annotate -i one --stdio --percent-limit 50 | grep -c 'Source code')" -eq 1 ]
	[ "$("$PERF" annotate -i one --stdio -s inner,outer | grep -c '<inner>:$')" -eq 1 ]
	run -1 "$PERF" annotate -i one --stdio -s nobody
	[[ "$output" == *"no sample fell in 'nobody'"*"hint: perf report -i one --sort dso,symbol lists the functions that have samples"* ]]
	run -1 "$PERF" annotate -i one --stdio iner
	[[ "$output" == *"no sample fell in 'iner'"*"did you mean 'inner'?"* ]]
	# what a program says that is no objdump
	printf '#!/bin/sh\necho "no such option" >&2\nexit 3\n' >"$BATS_TEST_TMPDIR/no-objdump"
	chmod +x "$BATS_TEST_TMPDIR/no-objdump"
	run -1 "$PERF" annotate -i one --stdio --objdump "$BATS_TEST_TMPDIR/no-objdump" inner
	[[ "$output" == *"(status 3): no such option"* ]]
	run -1 "$PERF" annotate -i one --stdio -C 4095
	[[ "$output" == *"passes the filters"* ]]
}

@test "an object that is gone: no function is known, and the hint says how to see what there is" {
	mkdir -p gone && gcc -O2 -g -Dinner=gone_inner -o gone/work work.c
	(cd gone && "$RIVAL" record -q -N -e cpu-clock:u -F 999 -o ../lost ./work)
	rm gone/work
	run --separate-stderr "$PERF" annotate -i lost --stdio -s gone_inner
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"error: no sample fell in 'gone_inner'"* ]]
	[[ "$stderr" == *"hint: "* ]]
}

# other_kernel: a recording of a kernel that is not this machine's, samples in two of its functions
other_kernel() {
	python3 - <<-'END'
	import struct
	base = 0xffffffff9ae00000
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18).ljust(128, b"\0")
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	name = b"[kernel.kallsyms]_text".ljust(24, b"\0")
	data = record(1, 1, struct.pack("<iiQQQ", -1, 0, base, 0x1000000, base) + name + struct.pack("<iiQ", -1, 0, 0))
	for i in range(8):
	    data += record(9, 1, struct.pack("<QIIQ", base + 0x1000 * (1 + i % 2) + i, 5, 5, 1000 + i))
	head = 104 + len(attr) + 16
	with open("kernel", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(data), 0, 0, 0, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + data)
	with open("symbols", "w") as f:
	    for offset, symbol in (0, "_text"), (0x1000, "first"), (0x2000, "second"), (0x3000, "third"):
	        f.write("%x T %s\n" % (base + offset, symbol))
	END
}

@test "the kernel without vmlinux is reported once, with its hint; --skip-missing reports nothing" {
	other_kernel
	run --separate-stderr "$PERF" annotate -i kernel --kallsyms symbols --stdio
	[ "$status" -eq 1 ]
	[ "$(grep -c 'no vmlinux' <<<"$stderr")" -eq 1 ]
	[[ "$stderr" == *"hint: -k VMLINUX names it"* ]]
	# it names the function once
	[ "$(grep -m1 'no vmlinux' <<<"$stderr" | grep -oE "'(first|second)'" | grep -c .)" -eq 1 ]
	[ -z "$output" ]
	run --separate-stderr "$PERF" annotate -i kernel --kallsyms symbols --stdio --skip-missing
	[ "$status" -eq 0 ]
	[[ "$stderr" != *"no vmlinux"* ]]
	run --separate-stderr "$PERF" annotate -i kernel --kallsyms symbols --stdio --no-skip-missing
	[ "$status" -eq 1 ]
	[ "$(grep -c 'no vmlinux' <<<"$stderr")" -eq 1 ]
}

@test "-f reads what belongs to another user" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	cp one given && chown nobody given
	setpriv --reuid daemon --clear-groups true 2>/dev/null || skip "no setpriv"
	cp one foreign && chmod 644 foreign && chown nobody foreign && chmod 711 .
	run setpriv --reuid daemon --clear-groups "$PERF" annotate -i foreign --stdio --no-source inner
	[ "$status" -eq 1 ] || { echo "$output"; return 1; }
	[[ "$output" == *"not owned by the current user"*"hint: use -f"* ]]
	run setpriv --reuid daemon --clear-groups "$PERF" annotate -f -i foreign --stdio --no-source inner
	[[ "$output" != *"not owned by"* ]]
}

@test "-l puts the hot lines first, -P shows whole paths of them" {
	"$PERF" annotate -i one --stdio inner | head -n 1 | grep -q 'Source code'
	"$PERF" annotate -l -i one --stdio inner >lines
	head -n 3 lines | grep -q '^Sorted summary for file '
	grep -qE '^ +[0-9.]+ +work\.c:[0-9]+$' lines
	run ! grep -qE "^ +[0-9.]+ +$PWD/work\.c:[0-9]+\$" lines
	"$PERF" annotate -l -P -i one --stdio inner | grep -qE "^ +[0-9.]+ +$PWD/work\.c:[0-9]+\$"
}

@test "-l adds up all instructions of a line, however small the share of each" {
	{
		printf 'volatile unsigned v[64];\n__attribute__((noinline)) void many(unsigned n) { for (unsigned i = 0; i < n; i++) {'
		for i in $(seq 400); do printf ' v[%d] += i;' $((i % 64)); done
		printf ' } }\nint main(void) { many(1000000); return 0; }\n'
	} >many.c
	gcc -O1 -g -o many many.c
	"$PERF" record -q -e cpu-clock:u -F 3999 -o many.data ./many
	"$PERF" annotate -l --stdio -i many.data many | sed -n '/^Sorted summary/,/^ Percent/p' >sums
	awk '$2 == "many.c:2" && $1 > 97 && $1 < 100.5 { found = 1 } END { exit !found }' sums || { cat sums; return 1; }
}

@test "wrong uses are refused with 129" {
	run -129 "$PERF" annotate -i one --percent-type global
	[[ "$output" == *"local-period, local-hits, global-period or global-hits"* ]]
	run -129 "$PERF" annotate -i one --percent-limit x
	run -129 "$PERF" annotate -i one --prefix-strip 2
	[[ "$output" == *"goes with --prefix"* ]]
	run -129 "$PERF" annotate -i one -C a-b
	run -129 "$PERF" annotate -i one --stdio-color=maybe
	run -129 "$PERF" annotate -i one -n --show-total-period
	run -129 "$PERF" annotate -i one --stdio --stdio2
	run -129 "$PERF" annotate -i one inner outer
	run -129 "$PERF" annotate -i one --tui --type-stat
	[[ "$output" == *"the browser (--tui) shows code"* ]]
	run -1 "$PERF" annotate -i /no/file
	[[ "$output" == *"/no/file"* ]]
}

@test "a stream is annotated as the file is" {
	"$PERF" annotate -i one --stdio inner >file
	"$RIVAL" record -q -e cpu-clock:u -F 999 -o - ./work | "$PERF" annotate -i - --stdio inner | grep -q '<inner>:$'
}

@test "-q keeps the titles, as in 6.1; -v names the decoder; -D dumps" {
	for layout in --stdio --stdio2; do
		"$PERF" annotate -i one $layout inner >loud
		"$PERF" annotate -q -i one $layout inner 2>err | diff loud -
		[ ! -s err ]
	done
	"$PERF" annotate -v -i one --stdio inner | grep -q "^# inner: .*, by $(own_decoder)\$"
	"$PERF" annotate -D -i one | grep -q PERF_RECORD_SAMPLE
}

@test "--stdio-color=always colours hot instructions" {
	"$PERF" annotate --stdio-color=always -i one --stdio inner | grep -q $'\033\[31m'
	run "$PERF" annotate --stdio-color=never -i one --stdio inner
	[[ "$output" != *$'\033'* ]]
}

@test "settings say what options say" {
	printf '[annotate]\n\tshow_nr_samples = true\n\thide_src_code = true\n' >settings
	PERF_CONFIG=$PWD/settings "$PERF" annotate -i one --stdio inner >by-config
	"$PERF" annotate -i one --stdio -n --no-source inner | diff -u - by-config
}

@test "the vdso: its text is in the process that shows it" {
	cat >clock.c <<-'END'
	#include <time.h>
	int main(void)
	{
		struct timespec t;
		for (clock_t end = clock() + CLOCKS_PER_SEC / 3; clock() < end;)
			for (int i = 0; i < 3000; i++)
				clock_gettime(CLOCK_MONOTONIC, &t);
		return 0;
	}
	END
	gcc -O1 -o clock clock.c
	"$RIVAL" record -q -e cpu-clock:u -F 1999 -o clocks ./clock
	"$PERF" annotate -i clocks --stdio -n -d '[vdso]' >out
	grep -q 'Disassembly of \[vdso\] for cpu-clock:u' out
	[ "$(awk '$2 == ":" { sum += $1 } END { print sum }' out)" -eq \
		"$("$PERF" script -i clocks -F ip,sym,dso | grep '\[vdso\]' | grep -vcF '[unknown]')" ]
	grep -q ': *[0-9a-f]*: *ret *$' out
}

# The program's own code stands in BPF_PROG_INFO: mov $7,%eax; ret in the second of two functions.
@test "a BPF program's code comes from the recording" {
	cd "$BATS_TEST_TMPDIR"
	python3 - "$BATS_TEST_DIRNAME/make-samples" <<'CODE'
import importlib.machinery, importlib.util, struct, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
BPF = 0xffffffffc0300000
codes = [b"\x31\xc0\xc3", b"\xb8\x07\0\0\0\x90\xc3"]
w = m.Writer("<")
for i, (name, code) in enumerate(zip((b"bpf_prog_1_one", b"bpf_prog_1_two"), codes)):
    w.time += 1000
    text = name + b"\0" * (8 - len(name) % 8)
    w.record(17, 0, w.pack("QIHH", BPF + i * 64, len(code), 1, 0) + text + w.sample_id())
for i in range(5):
    w.sample(b"", ip=BPF + 64 + 5, misc=1)
w.sample(b"", ip=BPF, misc=1)
# struct bpf_prog_info: jited_prog_len, jited_prog_insns, nr_jited_ksyms ..., offsets in the data behind it
info = bytearray(224)
data = b"".join(codes).ljust(16, b"\0") + struct.pack("<QQ", BPF, BPF + 64) + struct.pack("<II", 3, 7)
struct.pack_into("<I", info, 16, 10)
struct.pack_into("<Q", info, 24, 0)
struct.pack_into("<II", info, 104, 2, 2)
struct.pack_into("<QQ", info, 112, 16, 32)
section = struct.pack("<IIIQ", 1, len(info), len(data), 1 << 0 | 1 << 3 | 1 << 4) + bytes(info) + data
raw = bytearray(w.file(1, 0, m.BASE))
# the header's data ends the file: the table of features goes behind it
struct.pack_into("<Q", raw, 72, 1 << 6 | 1 << 25)
arch = struct.pack("<I", 64) + b"x86_64".ljust(64, b"\0")
at = len(raw) + 32
raw += struct.pack("<QQQQ", at, len(arch), at + len(arch), len(section)) + arch + section
open("d", "wb").write(raw)
CODE
	"$PERF" annotate --stdio -n -i d -s bpf_prog_1_two >out 2>err
	cat out err
	grep -qE '^ +5 : +ffffffffc0300045: +nop' out
	grep -qE '^ +0 : +ffffffffc0300040: +mov +\$0x7,%eax' out
	"$PERF" annotate --stdio -n -i d -s bpf_prog_1_one >out 2>err
	grep -qE '^ +1 : +ffffffffc0300000: +xor +%eax,%eax' out
	run ! grep -q '0x7' out
}

@test "samples of a probe are on the probed instruction, whatever their own address" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_TEST_TMPDIR"
	cat >spin.s <<-'END'
	.globl main
	.type main,@function
	main: mov $40, %ecx
	1: dec %ecx
	nop
	jnz 1b
	xor %eax, %eax
	ret
	.size main,.-main
	END
	gcc -o spin spin.s
	"$PERF" record -q --probe "$PWD/spin main+7" -o probed -- ./spin
	"$PERF" annotate -i probed --stdio -n main >out 2>&1
	cat out
	grep -qE '^ +40 : +[0-9a-f]+: +nop' out
	# some kernels hand on the address behind their break point
	python3 - <<-'END'
	import struct
	d = bytearray(open("probed", "rb").read())
	at, size = struct.unpack_from("<QQ", d, 40)
	end, moved = at + size, 0
	while at < end:
	    kind, misc, size = struct.unpack_from("<IHH", d, at)
	    if kind == 9:
	        ip, = struct.unpack_from("<Q", d, at + 8)
	        struct.pack_into("<Q", d, at + 8, ip + 3)
	        moved += 1
	    at += size
	assert moved == 40
	open("behind", "wb").write(d)
	END
	"$PERF" annotate -i behind --stdio -n main >behind.out 2>&1
	diff out behind.out
}

# made_up KERNEL_IP MODULE MODULE_IP: six samples in a kernel at 0xffffffff81000000, four in a module.
made_up() {
	python3 - "$BATS_TEST_DIRNAME/make-samples" "$@" <<'CODE'
import importlib.machinery, importlib.util, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
TEXT, MODULE = 0xffffffff81000000, 0xffffffffc0100000
w = m.Writer("<")
def padded(s):
    return s + b"\0" * (8 - len(s) % 8)
for at, size, offset, name in ((TEXT, 0x40000000, TEXT, "[kernel.kallsyms]_text"), (MODULE, 0x4000, 0, sys.argv[3])):
    w.record(1, 1, w.pack("IIQQQ", 0xffffffff, 0, at, size, offset) + padded(name.encode()) + w.sample_id())
for i in range(6):
    w.sample(b"", ip=TEXT + int(sys.argv[2]), misc=1)
for i in range(4):
    w.sample(b"", ip=MODULE + int(sys.argv[4]), misc=1)
open("d", "wb").write(w.file(1, 0, m.BASE))
CODE
}

@test "kernel and modules: -k, --ignore-vmlinux, -m, --no-modules, --demangle-kernel, --symfs" {
	cd "$BATS_TEST_TMPDIR"
	cat >v.s <<-'END'
	.globl _text, _Z5startPKc
	_text:
	.type _Z5startPKc,@function
	_Z5startPKc: xor %eax,%eax
	mov $9,%ecx
	ret
	.size _Z5startPKc,.-_Z5startPKc
	END
	gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-e0 v.s -o v
	gcc -O1 -fcf-protection=none -c -o made.ko -x c - <<<'int a(int x) { return x * 3; } int in_module(int x) { return x * 5 + 1; }'
	made_up 2 "$PWD/made.ko" $((0x$(nm made.ko | awk '$3 == "in_module" { print $1 }')))
	"$PERF" annotate -i d -k v --stdio -n -s _Z5startPKc 2>/dev/null >out
	grep -qE '^ +6 : +ffffffff81000002: +mov +\$0x9,%ecx' out
	"$PERF" annotate -i d -k v --demangle-kernel --stdio -n -s start 2>/dev/null | grep -q '0x9,%ecx'
	printf '[annotate]\n\tdemangle_kernel = true\n' >settings
	PERF_CONFIG=$PWD/settings "$PERF" annotate -i d -k v --stdio -n -s start 2>/dev/null | grep -q '0x9,%ecx'
	run env PERF_CONFIG="$PWD/settings" "$PERF" annotate -i d -k v --no-demangle-kernel --stdio -n -s start
	[ "$status" -ne 0 ]
	run "$PERF" annotate -i d --ignore-vmlinux --stdio -s in_module,_Z5startPKc
	[[ "$output" != *'0x9,%ecx'* ]]
	[[ "$output" == *"<in_module>:"* ]]
	"$PERF" annotate -i d -m --stdio -n -s in_module 2>/dev/null | grep -qE '^ +4 : +[0-9a-f]+: +lea +0x1\(%rdi,%rdi,4\),%eax'
	run -1 "$PERF" annotate -i d --no-modules --stdio -s in_module
	[[ "$output" == *"no sample fell in 'in_module'"* ]]
	mkdir -p "root$PWD"
	mv made.ko "root$PWD/"
	run -1 "$PERF" annotate -i d --stdio -s in_module
	"$PERF" annotate -i d --symfs root --stdio -n -s in_module 2>/dev/null | grep -q '0x1(%rdi,%rdi,4),%eax'
}

@test "--demangle, --symfs of a program, --skip-empty" {
	cd "$BATS_TEST_TMPDIR"
	g++ -O1 -o cxx -x c++ - <<-'END'
	#include <ctime>
	namespace deep { volatile long v; template <class A, class B> __attribute__((noinline)) B work(A n) { for (A i = 0; i < n; i++) v += i; return v; } }
	int main() { for (clock_t end = clock() + CLOCKS_PER_SEC / 4; clock() < end;) deep::work<int, long>(10000); }
	END
	# the second event of the group never happens
	"$RIVAL" record -q -N -e '{cpu-clock:u,alignment-faults:u}' -F 1999 -o c ./cxx
	"$PERF" annotate -i c --stdio -s 'deep::work<int, long>' >out
	grep -q '<long deep::work<int, long>(int)>:$' out
	"$PERF" annotate -i c --stdio -s 'nobody,deep::work<int, long>,main' | grep -c 'Source code' | grep -qx '[12]'
	"$PERF" annotate -i c --no-demangle --stdio -s _ZN4deep4workIilEET0_T_ >mangled
	diff out mangled
	run -1 "$PERF" annotate -i c --no-demangle --stdio -s 'deep::work<int, long>'
	[ "$(grep -cE '^ +[0-9.]+ +[0-9.]+ +:' out)" -gt 3 ]
	"$PERF" annotate -i c --skip-empty --stdio -s 'deep::work<int, long>' >single
	[ "$(grep -cE '^ +[0-9.]+ +[0-9.]+ +:' single)" -eq 0 ]
	[ "$(grep -cE '^ +[0-9.]+ +:' single)" -gt 3 ]
	mkdir -p "root$PWD"
	mv cxx "root$PWD/"
	run -1 "$PERF" annotate -i c --stdio -s 'deep::work<int, long>'
	"$PERF" annotate -i c --symfs root --stdio -s 'deep::work<int, long>' | diff out -
}

# Nine instructions in 5, 7 or 9 cycles, eight in 11; the last one lies in the midst of the first.
make_cycles() {
	cat >loop.s <<-'END'
	.globl main, hot
	.type main,@function
	main: ret
	.size main,.-main
	.type hot,@function
	hot:
	1: nop; nop; nop; nop
	2: nop; nop; nop; nop
	jmp 1b
	3: nop; nop; nop; nop; nop; nop; nop
	jmp 2b
	ret
	.size hot,.-hot
	END
	gcc -o loop loop.s
	"$BATS_TEST_DIRNAME/make-branches" "$PWD/loop" loop.data hot:8:0:30:5,7,9 hot:11:a:30:11 hot:8:4:10:3
}

@test "cycles of blocks beside their instructions" {
	make_cycles
	"$PERF" annotate --stdio2 -i loop.data hot >out
	# a block's instructions have its IPC, the branch at its end its cycles: of all that end there
	[ "$(grep -cE '^ +[0-9.]* +1\.29 ' out)" -eq 9 ]
	[ "$(grep -cE '^ +[0-9.]* +0\.73 ' out)" -eq 8 ]
	grep -qE '^ +[0-9.]* +1\.29 +6 .*jmp ' out
	grep -qE '^ +[0-9.]* +0\.73 +11 .*jmp ' out
	grep -qE '^ +← ret' out
	grep -qF '(Average IPC: 0.94, IPC Coverage: 94.4%)' out
	"$PERF" annotate --stdio2 -i one inner >plain
	run ! grep -q IPC plain
	# cycles were recorded without a precise mode; the way to do it is an event that perf record knows
	"$PERF" annotate --stdio -i loop.data hot 2>&1 >/dev/null | grep -q "^note: samples of 'cycles:HG' are shown .* (record cycles:HGpp for"
}

# A made-up recording: what the kernel changes in its own code while it is recorded.
@test "code that the kernel changed (text_poke), trampolines of ftrace and BPF" {
	cd "$BATS_TEST_TMPDIR"
	cat >v.s <<'CODE'
.text
.globl _text
_text:
.globl static_key
.type static_key,@function
static_key:
	xor %eax,%eax
	.byte 0x0f,0x1f,0x44,0x00,0x00
	mov $7,%ecx
	ret
.size static_key,.-static_key
CODE
	gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-e0 v.s -o v
	cat >make.py <<'CODE'
import importlib.machinery, importlib.util, struct, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
TEXT, TRAMPOLINE, BPF = 0xffffffff81000000, 0xffffffffc0200000, 0xffffffffc0300000
w = m.Writer("<")
def poke(addr, old, new):
    w.time += 1000
    body = w.pack("QHH", addr, len(old), len(new)) + old + new
    w.record(20, 1, body + b"\0" * (-len(body) % 8) + w.sample_id())
def ksymbol(addr, size, kind, name, remove=0):
    w.time += 1000
    name = name + b"\0" * (8 - len(name) % 8)
    w.record(17, 0, w.pack("QIHH", addr, size, kind, remove) + name + w.sample_id())
name = b"[kernel.kallsyms]_text\0\0"
w.record(1, 1, w.pack("IIQQQ", 0xffffffff, 0, TEXT, 0x40000000, TEXT) + name + w.sample_id())
nop, jump = b"\x0f\x1f\x44\0\0", b"\xe9\x05\0\0\0"
for before, after in ((nop, jump), (jump, nop), (nop, jump)):
    poke(TEXT + 2, before, after)
w.sample(b"", ip=TEXT + 2, misc=1)
code = b"\x9c\x50\x48\x83\xec\x18\xc3"
ksymbol(TRAMPOLINE, len(code), 2, b"ftrace_trampoline")
poke(TRAMPOLINE, b"", code)
w.sample(b"", ip=TRAMPOLINE + 2, misc=1)
ksymbol(BPF, 64, 1, b"bpf_trampoline_77")
w.sample(b"", ip=BPF + 3, misc=1)
ksymbol(BPF, 64, 1, b"bpf_trampoline_77", 1)
w.sample(b"", ip=BPF + 3, misc=1)
open("d", "wb").write(w.file(1, 0, m.BASE))
CODE
	python3 make.py "$BATS_TEST_DIRNAME/make-samples"
	"$PERF" script -i d -F ip,sym,dso -k v 2>/dev/null | sed 's/^ *//' >out
	cat out
	diff out - <<'TEXT'
ffffffff81000002 static_key ([kernel.kallsyms])
ffffffffc0200002 ftrace_trampoline (ftrace_trampoline)
ffffffffc0300003 bpf_trampoline_77 (bpf_trampoline_77)
ffffffffc0300003 [unknown] ([kernel.kallsyms])
TEXT
	"$PERF" annotate -v --stdio -i d -k v -s static_key >out 2>err
	cat out err
	grep -Eq '100.00 : +ffffffff81000002: +jmp' out
	run ! grep -q nop out
	grep -q "changed the code of 'static_key' 3 times" err
	# Samples of several forms: that of most of them, said.  Nobody says what the file's form was.
	sed 's/^for before, after/for n, (before, after)/; s/^w.sample(b"", ip=TEXT + 2, misc=1)$//
		s/in ((nop, jump), (jump, nop), (nop, jump)):/in enumerate(((nop, jump), (jump, nop), (nop, jump))):\
    for i in range(SAMPLES[n]): w.time += 10; w.sample(b"", ip=TEXT + 2, misc=1)/
		s/"d", "wb"/sys.argv[3], "wb"/; s/^w = m/SAMPLES = eval(sys.argv[2])\nw = m/' make.py >several.py
	shows() { # what is shown, of how many said, samples before the first, second, third change
		python3 several.py "$BATS_TEST_DIRNAME/make-samples" "$3" several
		"$PERF" annotate --stdio -i several -k v -s static_key >out 2>err
		cat out err
		grep -Eq "100.00 : +ffffffff81000002: +$1" out || return 1
		if [ -n "$2" ]; then grep -q "shown is what $2 samples saw" err; else run ! grep -q "changed the code" err; fi
	}
	shows nop '' '[5, 0, 0]'
	shows jmp '' '[0, 5, 0]'
	shows nop '' '[0, 0, 5]'
	shows nop '3 of its 5' '[3, 2, 0]'
	shows jmp '4 of its 6' '[1, 4, 1]'
	shows nop '3 of its 4' '[1, 1, 2]' # changed back: one form
	shows jmp '3 of its 5' '[1, 3, 1]'
	# before the first change there stood what its record says, not what the file holds
	sed -i 's/enumerate(((nop, /enumerate(((b"\\xb8\\1\\0\\0\\0", /' several.py
	shows 'mov +\$0x1,%eax' '' '[5, 0, 0]'
	"$PERF" annotate --stdio -i d -k v -s ftrace_trampoline >out 2>err
	cat out err
	grep -Eq '100.00 : +ffffffffc0200002: +sub +\$0x18,%rsp' out
	# nobody recorded the code of this one
	run "$PERF" annotate --stdio -i d -k v -s bpf_trampoline_77
	[[ "$output" == *"'bpf_trampoline_77' cannot be disassembled: the recording does not hold the code of this BPF program"* ]]
}
