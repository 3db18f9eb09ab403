#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Stacks of every architecture at every instruction: programs run under qemu's debugger
# stub (tests/cli/make-foreign), so that prologues, epilogues, PLT stubs and trampolines
# are met for certain.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export MAKE=$BATS_TEST_DIRNAME/make-foreign
	for tool in qemu-aarch64-static aarch64-linux-gnu-gcc powerpc64le-linux-gnu-gcc llvm-readelf; do
		command -v $tool >/dev/null || { export MISSING="no $tool"; return; }
	done
	cat >prog.c <<'CODE'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile unsigned long sink;
#ifdef BY_HAND
void leaf(void);
#else
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 3; i++) sink += i; }
#endif
__attribute__((noinline)) int big(int n) { char b[1000]; memset(b, n, sizeof(b)); leaf(); return b[n & 15]; }
__attribute__((noinline)) int again(int n) { return n ? again(n - 1) + 1 : big(n); }
static int compare(const void *a, const void *b) { leaf(); return *(const int *)a - *(const int *)b; }
static void handler(int sig) { (void)sig; big(7); }
static void ignore(int sig) { (void)sig; }
int main(void)
{
	int v[4] = { 4, 3, 2, 1 };
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	puts("end");
	fflush(stdout);
	signal(SIGUSR2, ignore);
	raise(SIGUSR2);
	again(3);
	qsort(v, 4, sizeof(int), compare);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	return labs(v[0]) & 0;
}
CODE
	cat >alone.c <<'CODE'
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 3; i++) sink += i; }
__attribute__((noinline)) int big(int n) { volatile char b[300]; b[n] = 1; leaf(); return b[n & 15]; }
__attribute__((noinline)) int again(int n) { return n ? again(n - 1) + 1 : big(n); }
void _start(void) { again(3); for (;;) ; }
CODE
}

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
	cd "$BATS_FILE_TMPDIR" || return 1
}

FLAGS="-O2 -fno-optimize-sibling-calls"

chains() { # file [options]
	"$PERF" script -i "$1" -F ip,sym "${@:2}" 2>/dev/null |
		awk '/^$/ { if (c != "") n[c]++; c = ""; next }
		     { sub(/\+.*/, "", $2); c = c " " $2 }
		     END { if (c != "") n[c]++; for (k in n) print n[k] k }'
}

# Each sample of style has the frames that native gives, from the leaf on: "same shorter other".
agreement() { # file style
	for s in native "$2"; do
		"$PERF" script -i "$1" --unwind-style="$s" --no-inline -F ip |
			awk '/^$/ { if (c) print c; c = ""; next } { c = c " " $1 } END { if (c) print c }' >by_$s
	done
	paste -d '#' by_native "by_$2" |
		awk -F '#' '$1 == $2 { same++; next } index($1, $2) == 1 { shorter++; next } { other++ }
			    END { print same + 0, shorter + 0, other + 0 }'
}

# Where style gives other addresses than native: the names of native's frames, "|", and of that style's.
# But for a few in which native goes on to the root: the frame of a function lies by a register, and its callee has
# restored that register already (pop %rbp), whose place on the stack is below the recorded piece by then.  The
# library looks for it there.  Which functions are like that depends on the compiler of ld.so and libc.
differing() { # file style
	for s in native "$2"; do
		"$PERF" script -i "$1" --unwind-style="$s" --no-inline -F ip,sym |
			awk '/^$/ { if (c) print c "|" n; c = n = ""; next }
			     { c = c " " $1; n = n " " $2 } END { if (c) print c "|" n }' >by_$s
	done
	[ "$(wc -l <by_native)" -ge 500 ]
	[ "$(wc -l <by_native)" -eq "$(wc -l <"by_$2")" ]
	paste -d '|' by_native "by_$2" | awk -F '|' '$1 != $3 { print $2 "|" $4 }' >unlike
	grep -E '^ ([^ ]+ [^ ]+) .*_start\| \1$' unlike >shorter || true
	[ "$(wc -l <shorter)" -le 10 ]
	grep -vxFf shorter unlike || true
}

record() { timeout 400 "$MAKE" "$@"; }

# Every chain of the plain calls ends at the root; libdw agrees.
whole() { # file root
	chains "$1" >all
	grep -Eq " leaf big again again again again main .*$2$" all
	grep -Eq " leaf compare .*main .*$2$" all
	grep -Eq " leaf big handler .*(raise|__pthread_kill_.*) main" all
	run ! grep -q ' \(leaf\|big\|again\|compare\) ' <(grep -v handler all | grep -Ev " ($2|_start|__kernel_.*|\[unknown\])$")
	read -r same shorter other < <(agreement "$1" libdw)
	# behind a signal's trampoline without CFI a newer libdw (0.192) has a frame twice
	behind=$(awk '/ handler |^[0-9]+ (\[unknown\]|\[vdso\]|__kernel_)/ { n += $1 } END { print n + 0 }' all)
	[ "$same" -gt $((shorter * 3)) ] && [ "$other" -le "$behind" ]
}

@test "arm64: static, position independent, dynamic" {
	aarch64-linux-gnu-gcc $FLAGS -static prog.c -o prog
	record --steps 20 aarch64 ./prog a.data leaf
	whole a.data _start
	aarch64-linux-gnu-gcc $FLAGS -static-pie prog.c -o prog
	record --steps 20 aarch64 ./prog a.data leaf
	whole a.data _start
	aarch64-linux-gnu-gcc $FLAGS prog.c -o prog
	record --steps 20 --qemu-args "-L /usr/aarch64-linux-gnu" aarch64 ./prog a.data leaf
	chains a.data >all
	grep -Eq ' leaf big again again again again main .*_start$' all
}

@test "arm64: signed return addresses" {
	aarch64-linux-gnu-gcc $FLAGS -mbranch-protection=standard -static prog.c -o prog
	record --steps 20 --qemu-args "-cpu max" aarch64 ./prog pac.data leaf
	chains pac.data >all
	grep -Eq ' leaf big again again again again main .*_start$' all
	# on the stack they are signed: a libdw that knows nothing of that ends there
	read -r same shorter other < <(agreement pac.data libdw)
	if [ "$(printf '0.192\n%s\n' "$(pkg-config --modversion libdw)" | sort -V | head -n 1)" = 0.192 ]; then
		[ "$same" -gt $((3 * (shorter + other))) ]
	else
		[ $((shorter + other)) -gt "$same" ]
	fi
}

@test "arm64: .debug_frame alone, and a leaf by hand without any CFI" {
	cat >leaf.s <<'CODE'
	.text
	.globl leaf
	.type leaf, %function
leaf:	mov x0, #1
	mov x1, #2
	add x0, x0, x1
	ret
	.size leaf, .-leaf
CODE
	aarch64-linux-gnu-gcc $FLAGS -DBY_HAND -g -fno-asynchronous-unwind-tables -fno-unwind-tables \
		-fomit-frame-pointer -static prog.c leaf.s -o prog
	record --steps 6 aarch64 ./prog hand.data leaf
	chains hand.data >all
	grep -Eq ' leaf big again again again again main .*_start$' all
	grep -Eq '^[0-9]+ big again again again again main .*_start$' all
	# the same when it was stripped off into a debug file
	cp prog whole
	id=$(llvm-readelf -n prog | awk '/Build ID/ { print $3 }')
	mkdir -p root"$PWD" root/usr/lib/debug/.build-id/"${id:0:2}"
	objcopy=aarch64-linux-gnu-objcopy
	$objcopy --only-keep-debug whole root/usr/lib/debug/.build-id/"${id:0:2}/${id:2}.debug"
	aarch64-linux-gnu-strip -o root"$PWD"/prog whole
	chains hand.data --symfs root >all
	grep -Eq ' leaf big again again again again main .*_start$' all
}

@test "ppc64le: static and dynamic, stubs of the linker" {
	powerpc64le-linux-gnu-gcc $FLAGS -static prog.c -o prog
	record --steps 30 ppc64le ./prog p.data leaf
	whole p.data __libc_start_main_impl
	powerpc64le-linux-gnu-gcc $FLAGS prog.c -o prog
	record --steps 40 --qemu-args "-L /usr/powerpc64le-linux-gnu" ppc64le ./prog p.data big
	chains p.data >all
	grep -Eq ' again again again again main .*__libc_start_main' all
	# big calls memset: the stub in the program, then the library
	"$PERF" script -i p.data --unwind-style=native -F ip,sym,dso | grep -q 'libc\.so'
	# behind a trampoline without CFI libdw takes a stale word for a return address
	read -r same shorter other < <(agreement p.data libdw)
	[ "$other" -le 10 ] && [ "$same" -gt 20 ]
}

@test "ppc64: big endian, function descriptors" {
	powerpc64le-linux-gnu-gcc -mbig-endian -mabi=elfv1 $FLAGS -nostdlib -static alone.c -o alone
	record --silent --steps 12 ppc64 ./alone be.data leaf
	chains be.data >all
	grep -Eq ' leaf big again again again again _start( \[unknown\])?$' all
	[ "$(grep -Evc ' _start( \[unknown\])?$' all)" -eq 0 ]
	read -r same shorter other < <(agreement be.data libdw)
	[ "$same" -eq 13 ]
}

@test "the dump names the registers of the machine that was recorded" {
	aarch64-linux-gnu-gcc $FLAGS -nostdlib -static alone.c -o alone
	record --silent aarch64 ./alone d.data leaf
	"$PERF" script -D -i d.data | grep -Eq '^\.\.\.\. lr +0x[0-9a-f]{16}$'
	"$PERF" report -D -i d.data | grep -Eq '^\.\.\.\. x29 +0x[0-9a-f]{16}$'
	powerpc64le-linux-gnu-gcc $FLAGS -nostdlib -static alone.c -o alone
	record --silent ppc64le ./alone d.data leaf
	"$PERF" script -D -i d.data | grep -Eq '^\.\.\.\. nip +0x[0-9a-f]{16}$'
}

@test "x86-64 at every instruction: PLT, lazy binding, libdw and libunwind agree" {
	gcc $FLAGS -Wl,-z,lazy prog.c -o prog
	record --steps 400 --stack 4096 x86_64 ./prog x.data big
	"$PERF" script -i x.data -F ip,sym | grep -q _dl_runtime_resolve
	differing x.data libunwind >differ
	cat differ
	[ ! -s differ ]
	# libdw also ends behind the resolver, whose frame lies by %rbx, while its callee has not saved that yet
	differing x.data libdw >differ
	cat differ
	[ ! -s differ ]
	chains x.data >all
	grep -Eq ' qsort@plt main .*_start$' all
}

# lld lays the end of one segment and the beginning of the next in one page of the file, apart in memory.
@test "x86-64: segments that share a page of the file; native, libdw and libunwind agree in all" {
	command -v ld.lld >/dev/null || skip "no lld"
	gcc $FLAGS -fno-plt -fuse-ld=lld prog.c -o shared
	llvm-readelf -lW shared >segments
	cat segments
	python3 - <<'CODE'
loads = [line.split() for line in open("segments") if line.split()[:1] == ["LOAD"]]
n = next(i for i, part in enumerate(loads) if part[6:8] == ["R", "E"])
offset, addr = (int(loads[n][i], 16) for i in (1, 2))
end = sum(int(loads[n - 1][i], 16) for i in (1, 4))
assert offset >> 12 == (end - 1) >> 12 and offset >> 12 != addr >> 12
CODE
	record --steps 400 --stack 4096 x86_64 ./shared y.data big
	chains y.data >all
	grep -Eq ' leaf big again again again again main .*_start$' all
	grep -Eq ' big handler __restore_rt .*raise main ' all
	for style in libdw libunwind; do
		differing y.data $style >differ
		cat differ
		[ ! -s differ ]
	done
}

@test "x86-64: no .eh_frame_hdr, .debug_frame alone, stripped" {
	gcc $FLAGS -Wl,--no-eh-frame-hdr -nostdlib -static alone.c -o alone
	run ! grep -q eh_frame_hdr <(readelf -SW alone)
	record --silent --steps 12 x86_64 ./alone k.data leaf
	chains k.data >all
	[ "$(grep -Evc ' _start( \[unknown\])?$' all)" -eq 0 ]
	gcc $FLAGS -g -fno-asynchronous-unwind-tables -fomit-frame-pointer -nostdlib -static alone.c -o alone
	run ! grep -q ' \.eh_frame' <(readelf -SW alone)
	record --silent --steps 12 x86_64 ./alone k.data leaf
	chains k.data >all
	[ "$(grep -Evc ' _start( \[unknown\])?$' all)" -eq 0 ]
	gcc $FLAGS -nostdlib -static alone.c -o alone
	record --silent --steps 12 x86_64 ./alone k.data leaf
	strip alone
	"$PERF" script -i k.data -F ip | awk '/^$/ { if (n != last) print n; last = n; n = 0; next } { n++ }' | sort -u >depths
	grep -qx 7 depths
}

@test "x86-64: CFI by hand, and code without any by its frame pointer between others" {
	cat >mixed.s <<'CODE'
	.text
	.globl leaf
	.type leaf, @function
leaf:	push %rbp            # no CFI at all, but a frame pointer, as code of a JIT
	mov %rsp, %rbp
	nop
	nop
	pop %rbp
	ret
	.size leaf, .-leaf
	.globl big
	.type big, @function
big:	.cfi_startproc       # its frame is where r10 says
	mov %rsp, %r10
	.cfi_def_cfa_register %r10
	and $-64, %rsp
	sub $192, %rsp
	mov %r10, 8(%rsp)
	.cfi_escape 0x0f, 0x03, 0x77, 0x08, 0x06, 0x23, 0x00
	.cfi_def_cfa %r10, 8
	push %r10
	.cfi_escape 0x0f, 0x05, 0x77, 0x10, 0x06, 0x23, 0x08
	call leaf
	pop %r10
	.cfi_def_cfa %r10, 8
	mov %r10, %rsp
	.cfi_def_cfa %rsp, 8
	xor %eax, %eax
	ret
	.cfi_endproc
	.size big, .-big
	.section .note.GNU-stack
CODE
	cat >mixed.c <<'CODE'
int big(int);
__attribute__((noinline)) int again(int n) { return n ? again(n - 1) + 1 : big(n); }
void _start(void) { again(3); for (;;) ; }
CODE
	sed -i '/0x77, 0x08/d; s/, 0x05, 0x77, 0x10, 0x06, 0x23, 0x08/, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08/' mixed.s
	gcc $FLAGS -fomit-frame-pointer -nostdlib -static mixed.c mixed.s -o mixed
	record --silent --steps 12 x86_64 ./mixed m.data big
	chains m.data >all
	grep -Eq '^[0-9]+ big again again again again _start( \[unknown\])?$' all
	# leaf's first instruction and last one have no frame pointer of its own
	grep -Eq '^[0-9]+ leaf big again again again again _start( \[unknown\])?$' all
}

@test "a 32-bit task under x86-64" {
	gcc -m32 $FLAGS -fno-pic -no-pie -fomit-frame-pointer -nostdlib -static alone.c -o alone
	record --silent --steps 12 i386 ./alone i.data leaf
	chains i.data >all
	[ "$(grep -Ec ' _start( \[unknown\])?$' all)" -ge 1 ]
	[ "$(grep -Evc ' _start( \[unknown\])?$' all)" -eq 0 ]
	read -r same shorter other < <(agreement i.data libdw)
	[ "$same" -eq 13 ]
}

# Thumb and not, with the tables of .ARM.exidx alone, under the 64-bit kernel.
@test "32-bit Arm under arm64: .ARM.exidx, .ARM.extab and the link register" {
	command -v arm-linux-gnueabihf-gcc >/dev/null || skip "no arm-linux-gnueabihf-gcc"
	for mode in thumb arm; do
		arm-linux-gnueabihf-gcc $FLAGS -m$mode -funwind-tables -static prog.c -o prog
		run ! grep -q ' \.debug_frame' <(readelf -SW prog)
		record --steps 3 arm ./prog 32.data leaf
		chains 32.data >all
		cat all
		grep -Eq ' leaf big again again again again main .*_start$' all
		grep -Eq ' leaf compare .*qsort.* main .*_start$' all
		# the leaf has no frame: nothing else is between it and its caller
		run ! grep -Eq ' leaf (again|main)' all
	done
	# more than one word of instructions, in .ARM.extab
	cat >saves.c <<'CODE'
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 3; i++) sink += i; }
__attribute__((noinline)) int saves(int n)
{
	volatile char b[3000];

	b[n] = 1;
	leaf();
	asm volatile("" ::: "r4", "r6", "r8", "r9", "r10", "d8", "d9", "d10");
	leaf();
	return b[n & 15];
}
void _start(void) { saves(3); for (;;) ; }
void __aeabi_unwind_cpp_pr0(void) { }
void __aeabi_unwind_cpp_pr1(void) { }
CODE
	arm-linux-gnueabihf-gcc $FLAGS -funwind-tables -nostdlib -static saves.c -o saves
	readelf -u saves >tables
	cat tables
	grep -q 'vpop\|pop {D8' tables
	record --silent arm ./saves 32.data leaf
	chains 32.data >all
	[ "$(cat all)" = "1 leaf saves _start" ]
}

# What the kernel records with -g, at each instruction of the leaf and of its caller's first ones.
@test "arm64: a recorded chain gets the caller of a leaf from the link register" {
	aarch64-linux-gnu-gcc $FLAGS -fno-omit-frame-pointer -momit-leaf-frame-pointer -nostdlib -static alone.c -o alone
	record --chains --silent --steps 30 aarch64 ./alone f.data leaf
	chains f.data >all
	cat all
	# the callers were there without it; big was not
	grep -Eq '^[0-9]+ leaf big again again again again _start( \[unknown\])?$' all
	run ! grep -Eq ' leaf again| leaf leaf| big big' all
	# a function that stored its return address has it in its frame record
	grep -Eq '^[0-9]+ big again again again again _start( \[unknown\])?$' all
	# nothing is added to what does not carry the register
	"$PERF" script -i f.data -F ip,sym,uregs | grep -q 'lr:0x'
}

@test "ppc64le and ppc64: a recorded chain loses the link register where it is stale" {
	for order in little big; do
		arch=ppc64$([ $order = big ] || echo le) abi=elfv$([ $order = big ] && echo 1 || echo 2)
		powerpc64le-linux-gnu-gcc -m$order-endian -mabi=$abi $FLAGS -nostdlib -static alone.c -o alone
		record --chains --silent --steps 40 $arch ./alone g.data big
		chains g.data >all
		cat all
		grep -Eq '^[0-9]+ leaf big again again again again _start$' all
		grep -Eq '^[0-9]+ big again again again again _start$' all
		# the return address of the oldest frame is zero, which the kernel stores as well
		run ! grep -q '\[unknown\]' all
		# big's link register points behind its call of leaf once that is back
		run ! grep -Eq ' big big| leaf leaf| leaf again| again again again again again' all
	done
}

@test "ppc64: a back chain of 0 is the root of a stack" {
	cat >first.s <<'CODE'
	.text
	.globl _start
	.type _start, @function
_start:	addis 2, 12, .TOC.-_start@ha
	addi 2, 2, .TOC.-_start@l
	.localentry _start, .-_start
	li 0, 0
	stdu 0, -64(1)
	li 3, 3
	bl again
	nop
	b .
	.size _start, .-_start
CODE
	sed 's/^void _start.*//' alone.c >rest.c
	powerpc64le-linux-gnu-gcc $FLAGS -nostdlib -static rest.c first.s -o alone
	record --silent --steps 4 ppc64le ./alone r.data leaf
	"$PERF" script -v -i r.data -F ip,sym >all 2>said
	cat all said
	grep -q ' _start' all
	run ! grep -q 'end early' said
	run ! grep -q '\[unknown\]' all
}

@test "--unwind-style=libunwind on another architecture says that it cannot" {
	aarch64-linux-gnu-gcc $FLAGS -nostdlib -static alone.c -o alone
	record --silent aarch64 ./alone u.data leaf
	"$PERF" check -q feature libunwind || skip "built without libunwind"
	"$PERF" script --unwind-style=libunwind -i u.data -F ip,sym >all 2>said
	cat said
	grep -q 'user stacks are missing: libunwind cannot unwind those of aarch64' said
	grep -q 'native' said
	"$PERF" script --unwind-style=libunwind,native -i u.data -F ip,sym >all 2>said
	grep -q ' _start' all
	run ! grep -q 'missing' said
}

@test "annotate advises what the architecture of the recording has: precise modes, types of data" {
	for arch in aarch64 x86_64; do
		cc=$([ $arch = aarch64 ] && echo aarch64-linux-gnu-gcc || echo gcc)
		$cc $FLAGS -nostdlib -static alone.c -o alone
		record --silent $arch ./alone v.data leaf
		# of cycles: type and number of the event
		python3 - <<'CODE'
import struct
data = bytearray(open("v.data", "rb").read())
attrs = struct.unpack_from("<Q", data, 24)[0]
struct.pack_into("<I", data, attrs, 0)
struct.pack_into("<Q", data, attrs + 8, 0)
open("v.data", "wb").write(data)
CODE
		"$PERF" annotate -i v.data --stdio leaf >all 2>said
		cat said
		grep -q 'comes late' said
		[ $arch = aarch64 ] || grep -q 'cycles:pp\|cycles:.*pp for the exact' said
		[ $arch = x86_64 ] || run ! grep -q 'pp for the exact' said
		run -1 "$PERF" annotate -i v.data --data-type leaf
		[[ "$output" == *"gcc -g"* ]]
		# types of data are not found for every machine, and no debug information helps the others
		sed s/aarch64/riscv64/g v.data >other.data
		[ $arch = x86_64 ] || run -1 "$PERF" annotate -i other.data --data-type leaf
		[ $arch = x86_64 ] || [[ "$output" == *"powerpc, and these are of riscv64"* && "$output" != *"gcc -g"* ]]
	done
}
