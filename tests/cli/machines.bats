#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Recordings that other machines made, of tests/data/machines: named, unwound, disassembled and compared
# here, with what lies beside them and nothing else.  The numbers are those that Debian's perf 6.1 counts.
bats_require_minimum_version 1.5.0

setup() {
	data=$BATS_TEST_DIRNAME/../data/machines
	cd "$BATS_TEST_TMPDIR"
	export PERF_BUILDID_DIR=$PWD/none
}

# Unpacks the recordings of a machine, with the program that they are of, into the directory of its name.
unpack() {
	local machine
	for machine; do
		mkdir -p "$machine"
		tar -xJf "$data/$machine.tar.xz" -C "$machine"
	done
}

# "106 leaf 23 other ": samples by function, the most first
shares() { # machine, recording
	"$PERF" report -i "$1/$2.data" --symfs "$1/root" --stdio -n -F sample,sym --no-children -g none 2>"said.$2" |
		awk '/^#/ || NF < 2 { next } { printf "%s%s%s", sep, $1, $2 == "[k]" ? " kernel" : " " $NF; sep = " " } END { print "" }'
}

# How often which chain is in a recording, outermost first: "23 _start outer other".  What the stack has
# above the function that the kernel entered (the count of arguments, 0) is no frame.
chains() {
	"$PERF" script -i "$1/$2.data" --symfs "$1/root" -F ip,sym 2>"said.$2" |
		awk '!NF { if (chain != "") print chain; chain = ""; next } { chain = $2 (chain == "" ? "" : " ") chain }
			END { if (chain != "") print chain }' | sort | uniq -c | sort -rn | sed 's/^ *//'
}

says() { # what it says, what it should say
	[ "$1" = "$2" ] || { printf 'says:\n%s\nshould say:\n%s\n' "$1" "$2"; return 1; }
}

@test "arm64, by this perf and by Debian's: shares of functions" {
	unpack arm64
	says "$(shares arm64 ours)" '106 leaf 23 other 2 _start'
	says "$(shares arm64 debian)" '101 leaf 37 other'
	says "$(shares arm64 ours-fp)" '43 leaf 23 other 1 outer'
	says "$(shares arm64 debian-fp)" '68 leaf 23 other 1 kernel 1 kernel 1 kernel'
}

@test "ppc64el, by this perf and by Debian's: shares of functions" {
	unpack ppc64el
	says "$(shares ppc64el ours)" '55 leaf 18 other'
	says "$(shares ppc64el ours-fp)" '43 leaf 19 other'
	says "$(shares ppc64el debian)" '53 leaf 23 other 6 middle'
	says "$(shares ppc64el debian-fp)" '42 leaf 13 other 1 kernel'
}

@test "32-bit programs under 64-bit kernels: shares of functions" {
	unpack i386 arm
	says "$(shares i386 ours)" '49 leaf 20 other'
	says "$(shares i386 debian)" '57 leaf 13 other'
	says "$(shares arm ours)" '57 leaf 15 other'
	says "$(shares arm debian)" '50 leaf 16 other'
}

@test "riscv64, by this perf and by Debian's: shares of functions" {
	unpack riscv64
	says "$(shares riscv64 ours)" '59 leaf 19 other'
	says "$(shares riscv64 debian)" '107 leaf 45 other'
	says "$(shares riscv64 ours-fp)" '66 leaf 14 other 1 kernel 1 kernel 1 kernel'
	says "$(shares riscv64 debian-fp)" '53 leaf 25 other 1 kernel'
}

# The kernel does not clear the registers of a new program: the return address of _start() is still that
# of the call of execve in the program before. Its own chains end with the caller of a leaf, whose frame
# has no return address.
@test "riscv64: stacks by CFI, and the chains that its kernel takes" {
	unpack riscv64
	says "$(chains riscv64 ours)" $'59 [unknown] _start outer middle leaf\n19 [unknown] _start outer other'
	says "$(chains riscv64 debian)" $'107 [unknown] _start outer middle leaf\n45 [unknown] _start outer other'
	says "$(chains riscv64 ours-fp | head -n 2)" $'66 middle leaf\n14 [unknown] _start outer other'
	says "$(chains riscv64 debian-fp | head -n 2)" $'53 middle leaf\n25 [unknown] _start outer other'
}

@test "stacks: by CFI, by .debug_frame of 32-bit Arm, by frame pointers with the link register of a leaf" {
	unpack arm64 ppc64el i386 arm
	says "$(chains arm64 ours)" $'106 _start outer middle leaf\n23 _start outer other\n2 _start'
	says "$(chains arm64 debian)" $'101 _start outer middle leaf\n37 _start outer other'
	says "$(chains arm64 ours-fp)" $'43 _start outer middle leaf\n23 _start outer other\n1 _start outer'
	says "$(chains ppc64el ours)" $'55 _start outer middle leaf\n18 _start outer other'
	says "$(chains ppc64el ours-fp)" $'43 _start outer middle leaf\n19 _start outer other'
	says "$(chains ppc64el debian)" $'53 _start outer middle leaf\n23 _start outer other\n6 _start outer middle'
	says "$(chains i386 ours)" $'49 _start outer middle leaf\n20 _start outer other'
	says "$(chains i386 debian)" $'57 _start outer middle leaf\n13 _start outer other'
	says "$(chains arm ours)" $'57 _start outer middle leaf\n15 _start outer other'
	says "$(chains arm debian)" $'50 _start outer middle leaf\n16 _start outer other'
}

# The instructions of leaf() with their percentages: "100.00 400150 eor x3, x4, x1"
listing() { # machine, recording
	"$PERF" annotate -i "$1/$2.data" --symfs "$1/root" --stdio --no-source leaf 2>/dev/null |
		sed -nE 's/[[:space:]]+/ /g; s/^ ([0-9.]+) : ([0-9a-f]+): (.*)$/\1 \2 \3/p; s/^ : 5 ([0-9a-f]+ <.*>:)$/\1/p'
}
# binutils PREFIX: or the test is left
binutils() { command -v "$1objdump" >/dev/null || skip "$1objdump is missing"; }

# annotated MACHINE RECORDING HEAD ROW...: the head is the first line, and each row a whole one.
annotated() {
	listing "$1" "$2" >list
	[ "$(head -n 1 list)" = "$3" ] || return 1
	shift 3
	for row; do grep -qx -- "$row" list || return 1; done
}

@test "annotate: the head, the hottest instruction and the targets of jumps" {
	unpack arm64 ppc64el i386
	binutils aarch64-linux-gnu-
	binutils powerpc64le-linux-gnu-
	binutils ''
	annotated arm64 ours '0000000000400144 <leaf>:' '0.00 400144 cbz x1, 400164 <leaf+0x20>' \
		'100.00 400150 eor x3, x4, x1' '0.00 40015c b.ne 400150 <leaf+0xc>.*'
	[ "$(tail -n 1 list)" = '0.00 400164 ret' ]
	annotated ppc64el debian '0000000010000148 <leaf>:' '100.00 1000015c xor r10,r8,r4' \
		'0.00 10000168 bdnz 1000015c <leaf+0x14>'
	annotated i386 ours '08049000 <leaf>:' '83.67 8049017 add %ecx,%edx' '0.00 804901c jne 8049013 <leaf+0x13>'
}

@test "annotate of riscv64: the head, the hottest instruction, targets of jumps" {
	unpack riscv64
	binutils riscv64-linux-gnu-
	annotated riscv64 ours '000000000001017c <leaf>:' '0.00 10182 beqz a1,10194 <leaf+0x18>' \
		'100.00 10188 xor a4,a3,a1' '0.00 10190 bnez a1,10188 <leaf+0xc>'
	[ "$(tail -n 1 list)" = '0.00 10198 ret' ]
}

@test "annotate: Thumb functions begin at even addresses, and mapping symbols name nothing" {
	unpack arm
	binutils arm-linux-gnueabihf-
	listing arm ours >list
	[ "$(head -n 1 list)" = '000100d8 <leaf>:' ]
	grep -qx '0.00 100d8 cbz r1, 100f4 <leaf+0x1c>' list
	grep -qx '100.00 100e2 eor.w r1, r4, r3' list
}

@test "annotate without binutils of the machine: capstone's words, of Thumb code too, and the package is named" {
	"$PERF" check -q feature libcapstone || skip "built without capstone"
	unpack arm
	mkdir tools
	ln -s "$(command -v sh)" tools/sh
	PATH=$PWD/tools "$PERF" annotate -i arm/ours.data --symfs arm/root --stdio --no-source leaf >list 2>said
	grep -qE ' 0\.00 : +100d8: +cbz +r1, 100f4 <leaf\+0x1c>$' list
	grep -qE ' 100\.00 : +100e2: +eor\.w +r1, r4, r3$' list
	run ! grep -q '\.byte' list
	grep -q "^warning: instructions of '.*program-arm' are shown as capstone reads them: " said
	grep -q '^hint: install objdump (Debian package binutils-arm-linux-gnueabihf), or' said
}

@test "big-endian ppc64: descriptors, stacks, and what calls go to" {
	unpack ppc64
	says "$(shares ppc64 made)" '33 leaf 8 middle'
	says "$(chains ppc64 made)" $'33 _start outer middle leaf\n8 _start outer middle'
	binutils powerpc64-linux-gnu-
	listing ppc64 made >list
	[ "$(head -n 1 list)" = '0000000010000148 <.leaf>:' ]
	grep -qx '21.21 10000168 bdnz 1000015c <.leaf+0x14>' list
	"$PERF" annotate -i ppc64/made.data --symfs ppc64/root --stdio --no-source middle 2>/dev/null >list
	grep -qE 'bl +10000148 <\.leaf>$' list
}

@test "big-endian ppc64, stripped: stacks by .eh_frame, names of .dynsym by their descriptors" {
	unpack ppc64
	command -v powerpc64-linux-gnu-gcc >/dev/null || skip "powerpc64-linux-gnu-gcc is missing"
	find ppc64/root -type f -exec powerpc64-linux-gnu-strip {} +
	# functions are named by what .eh_frame says of them
	outer='[program+0x10000260] [program+0x10000204] [program+0x10000180]'
	says "$(chains ppc64 made)" "33 $outer [program+0x10000148]"$'\n'"8 $outer"
	grep -q "has no symbols" said.made
	cat >lib.c <<-'END'
		static __attribute__((noinline)) int inner(int n) { return n * n + 1; }
		int first(int n) { return inner(n) + 2; }
		int second(int n) { return inner(n + 1); }
	END
	powerpc64-linux-gnu-gcc -O1 -shared -fPIC -nostdlib -o lib.so lib.c
	[ "$("$PERF" probe -x lib.so -F | tr '\n' ' ')" = "first inner second " ]
	"$PERF" probe -x lib.so -D second >whole 2>&1
	powerpc64-linux-gnu-strip lib.so
	[ "$("$PERF" probe -x lib.so -F | tr '\n' ' ')" = "first second " ]
	"$PERF" probe -x lib.so -D second >stripped 2>&1
	diff whole stripped
	# the place is in the code, not in the table of descriptors
	text=$(readelf -SW lib.so | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/0x\1 0x\2/p')
	at=$(sed -nE 's/.*lib\.so:(0x[0-9a-f]+).*/\1/p' stripped)
	[ $((at)) -ge $((${text% *})) ] && [ $((at)) -lt $((${text% *} + ${text#* })) ]
}

@test "32-bit Arm: a Thumb function is probed where it is, without the bit of its symbol" {
	command -v arm-linux-gnueabihf-gcc >/dev/null || skip "arm-linux-gnueabihf-gcc is missing"
	printf 'int work(int n) { return n * 3; }\nint _start(void) { return work(4); }\n' >thumb.c
	arm-linux-gnueabihf-gcc -mthumb -O1 -nostdlib -static -o thumb thumb.c
	value=$(readelf -sW thumb | awk '$8 == "work" { print $2 }')
	[ $((0x$value & 1)) = 1 ] # or this tests nothing
	"$PERF" probe -x thumb -D work >place
	# the one segment begins at 64 KB with the file
	[ $(($(sed 's/.*://' place))) = $((0x$value - 1 - 0x10000)) ]
}

@test "the kernel of another machine is not named by this one's symbols" {
	unpack arm64 ppc64el riscv64
	for each in arm64 ppc64el riscv64; do
		"$PERF" report -i $each/debian-fp.data --symfs $each/root --stdio -s dso,sym --no-children -g none 2>said >out
		grep -q '\[k\] 0x' out
		run ! grep '\[k\] [^0]' out
		grep -q 'no kallsyms and no vmlinux of the recorded kernel' said
	done
}

@test "diff of two recordings of another machine" {
	unpack arm64 ppc64el
	"$PERF" diff --symfs arm64/root arm64/ours.data arm64/debian.data >out
	grep -qE '^ +17\.56% +\+9\.25% .* other *$' out
	grep -qE '^ +80\.92% +-7\.73% .* leaf *$' out
	"$PERF" diff --symfs ppc64el/root ppc64el/debian.data ppc64el/debian-fp.data >out
	grep -qE '^ +64\.63% +\+10\.37% .* leaf *$' out
}

@test "the program by its build-id alone: from the cache, and from an archive" {
	unpack arm64
	[ "$("$PERF" buildid-list -i arm64/ours.data)" = "9015522d841b3072738920b886ef4dc70d149c6e /test/program" ]
	export PERF_BUILDID_DIR=$PWD/cache
	"$PERF" buildid-cache -a arm64/root/test/program
	says "$(shares arm64 ours)" '106 leaf 23 other 2 _start'
	rm arm64/root/test/program
	says "$(shares arm64 debian)" '101 leaf 37 other'
	(cd arm64 && "$PERF" archive ours.data >/dev/null 2>&1)
	export PERF_BUILDID_DIR=$PWD/other
	[ "$(shares arm64 ours)" != '106 leaf 23 other 2 _start' ]
	mkdir other
	tar -xf arm64/ours.data.tar.bz2 -C other
	says "$(shares arm64 ours)" '106 leaf 23 other 2 _start'
}

@test "annotate: a jump behind data inside a function is named by the function" {
	binutils aarch64-linux-gnu-
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for arm64"
	command -v qemu-aarch64-static >/dev/null || skip "qemu-user-static is missing"
	cat >data.S <<-'END'
		.global _start, turn
		_start:	mov x0, 3
			bl turn
			mov x8, 93
			mov x0, 0
			svc 0
		.type turn, %function
		turn:	cbz x0, 2f
			b 1f
			.word 0x11223344
		1:	sub x0, x0, 1
			b turn
		2:	ret
		.size turn, . - turn
	END
	aarch64-linux-gnu-gcc -nostdlib -static -o data data.S
	"$BATS_TEST_DIRNAME/make-foreign" --silent --steps 5 aarch64 "$PWD/data" data.data turn 2>/dev/null
	"$PERF" annotate -i data.data --stdio turn 2>/dev/null >list
	grep -qE 'b +[0-9a-f]+ <turn\+0xc>' list
	grep -qE 'cbz +x0, [0-9a-f]+ <turn\+0x14>' list
}
