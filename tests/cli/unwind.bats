#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# User stacks from registers and a piece of stack: whole, from the leaf to _start.

bats_require_minimum_version 1.5.0

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	command -v gcc >/dev/null || { export MISSING="no compiler"; return; }
	cat >deep.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 9000000; i++) sink += i; }
__attribute__((noinline)) int big(int n) { volatile char b[3000]; memset((char *)b, n, sizeof(b)); leaf(); return b[n & 15]; }
__attribute__((noinline)) int again(int n) { return n ? again(n - 1) + 1 : big(n); }
static int compare(const void *a, const void *b) { leaf(); return *(const int *)a - *(const int *)b; }
static void handler(int sig) { (void)sig; big(7); }
int main(int argc, char **argv)
{
	int v[4] = { 4, 3, 2, 1 };

	(void)argv;
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3 * argc; i++) {
		again(5);
		qsort(v, 4, sizeof(int), compare);
		raise(SIGUSR1);
	}
	return 0;
}
EOF
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls deep.c -o pie
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -no-pie deep.c -o nopie
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -static deep.c -o static
	for p in pie nopie static; do
		"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,8192 -o $p.data ./$p >/dev/null 2>&1 ||
			skip "cannot record here"
	done
}

# distinct chains of names, leaf first, "count names" a line
chains() {
	"$PERF" script -i "$1" -F ip,sym 2>/dev/null |
		awk '/^$/ { if (c != "") n[c]++; c = ""; next }
		     { sub(/\+.*/, "", $2); c = c " " $2 }
		     END { if (c != "") n[c]++; for (k in n) print n[k] k }'
}

whole() { # file: nearly every chain must begin in the program and end at its root
	chains "$1" >all
	total=$(awk '{ s += $1 } END { print s + 0 }' all)
	good=$(grep -E ' (_start|_dl_start_user)$' all | awk '{ s += $1 } END { print s + 0 }')
	[ "$total" -ge 20 ]
	[ $((good * 100)) -ge $((total * 95)) ]
}

@test "a program without frame pointers: chains reach _start" {
	cd "$BATS_FILE_TMPDIR"
	whole pie.data
	grep -q ' leaf big again again again again again again main .*_start$' all
}

@test "not position independent: addresses are not offsets" {
	cd "$BATS_FILE_TMPDIR"
	whole nopie.data
	grep -q ' leaf big again again again again again again main .*_start$' all
}

@test "static: the C library is in the program" {
	cd "$BATS_FILE_TMPDIR"
	whole static.data
	grep -q ' leaf big again again again again again again main .*_start$' all
}

@test "through the C library and a signal's trampoline" {
	cd "$BATS_FILE_TMPDIR"
	chains pie.data >all
	grep -Eq ' leaf compare .*qsort.* main .*_start$' all
	grep -Eq ' leaf big handler __restore_rt .*raise.* main .*_start$' all
}

@test "through a signal's trampoline without CFI" {
	[ "$(uname -m)" = x86_64 ] || skip "the trampoline is code of x86-64"
	cd "$BATS_TEST_TMPDIR"
	cat >sig.c <<'EOF'
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 9000000; i++) sink += i; }
__attribute__((noinline)) void handler(int sig) { leaf(); sink += sig; }
/* behind a function with CFI, as musl's is; RETURN: one of two ways to write it */
asm(".text\n.type before, @function\nbefore: .cfi_startproc\nret\n.cfi_endproc\n.size before, .-before\n"
    ".globl restorer\n.type restorer, @function\nrestorer: " RETURN "\n.size restorer, .-restorer");
void restorer(void);
__attribute__((noinline)) int raised(void)
{
	return kill(getpid(), SIGUSR1) + 1;
}
int main(void)
{
	struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } act = {
		handler, 0x04000000, restorer, 0 };

	syscall(SYS_rt_sigaction, SIGUSR1, &act, 0, 8);
	for (int i = 0; i < 9; i++)
		sink += raised();
	return 0;
}
EOF
	for register in rax eax; do
		gcc -O2 -fno-optimize-sibling-calls "-DRETURN=\"mov \$15, %$register; syscall\"" sig.c -o sig
		"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf -o sig.data ./sig
		chains sig.data | grep -Eq ' leaf handler restorer .*kill raised main .*_start$'
		run ! grep -q before <(chains sig.data)
	done
}

@test "a file without section headers: its program headers lead to the tables" {
	[ "$(od -An -tx1 -N6 pie | tr -d ' ')" = 7f454c460201 ] || skip "not a 64-bit little-endian program"
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -rdynamic deep.c -o bare
	printf '\0\0\0\0\0\0\0\0' | dd of=bare bs=1 seek=40 conv=notrunc status=none
	printf '\0\0\0\0' | dd of=bare bs=1 seek=60 conv=notrunc status=none
	readelf -h bare | grep -q 'Number of section headers: *0'
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,8192 -o bare.data ./bare >/dev/null 2>&1
	"$PERF" script -i bare.data -F ip 2>/dev/null | awk 'BEGIN { RS = "" } { n++; deep += NF >= 4 } END { exit !(n > 50 && deep > 0.9 * n) }'
}

@test "through the vdso, and code made at run time by its frame pointer" {
	cd "$BATS_TEST_TMPDIR"
	cat >ask.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
volatile long n;
__attribute__((noinline)) void ask(void)
{
	struct timespec t;

	/* this clock never needs the kernel's help */
	for (int i = 0; i < 1000; i++) {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
		n += t.tv_nsec;
	}
}
int main(void)
{
	/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char made[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *f;

	memcpy(code, made, sizeof(made));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "w");
	fprintf(f, "%lx %zx made_at_run_time\n", (unsigned long)code, sizeof(made));
	fclose(f);
	puts(name);
	for (int i = 0; i < 40000; i++)
		((void (*)(void (*)(void)))code)(ask);
	return 0;
}
EOF
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls ask.c -o ask
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,8192 -o ask.data ./ask >map
	for style in native libdw libunwind; do
		"$PERF" script -i ask.data --unwind-style=$style -F ip,sym 2>/dev/null |
			awk 'BEGIN { RS = "" } { for (i = 2; i <= NF; i += 2) printf " %s", $i; print "" }' >$style
	done
	rm "$(cat map)"
	[ "$(grep -Ec '^ __vdso_clock_gettime clock_gettime.* ask made_at_run_time main .*_start$' native)" -ge 10 ]
	# none ends in the vdso or in what was made (but where that is in its first two instructions itself)
	run ! grep -Eq '^( (__vdso_[a-z_]*|clock_gettime[^ ]*|ask))+( made_at_run_time)?$' native
	# the libraries come as far as there is call frame information
	for style in libdw libunwind; do
		grep -Eq '^ __vdso_clock_gettime clock_gettime.* ask made_at_run_time' $style
	done
}

@test "the same frames as the frame pointers of the same program" {
	cd "$BATS_FILE_TMPDIR"
	gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls deep.c -o withfp
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph fp -o fp.data ./withfp >/dev/null 2>&1
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf -o dwarf.data ./withfp >/dev/null 2>&1
	# not seen by pointers: the caller of a leaf without a frame, what lies above the C
	# library's own start
	for f in fp dwarf; do
		# one sample can lie before its function has its frame
		chains $f.data | awk '$1 > 1' | grep -o 'again again.* main __libc_start_call_main' | sort -u >by_$f
	done
	[ -s by_fp ]
	diff by_fp by_dwarf
}

@test "report adds up callers of unwound stacks" {
	cd "$BATS_FILE_TMPDIR"
	run "$PERF" report -i pie.data --stdio --children --sort sym -g none
	[[ "$output" =~ (9[0-9]|100)\.[0-9]+%.*\ main ]]
}

@test "the system's perf gives the same chains, or shorter ones" {
	cd "$BATS_FILE_TMPDIR"
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	"$PERF" script -i pie.data -F ip,sym >ours
	"${RIVAL_PERF:-/usr/bin/perf}" script -i pie.data -F ip,sym --no-inline 2>/dev/null |
		grep -v '\[unknown\]\|@plt' >theirs # differences dwarf-root, dwarf-trampoline, plt-slots
	diff ours theirs | grep '^>' && return 1
	[ -s theirs ]
}

# One line for each sample: its addresses, "|", its objects and names.
stacks() { # file style
	"$PERF" script -i "$1" --unwind-style="$2" --no-inline -F ip,sym,dso |
		awk '/^$/ { if (c) print c "|" n; c = n = ""; next }
		     { c = c " " $1; $1 = ""; n = n $0 } END { if (c) print c "|" n }'
}

# What they differ in by their nature is met with fixed content in unwind_steps.bats.
@test "native, libdw and libunwind give the same frames of a large C++ program" {
	cd "$BATS_FILE_TMPDIR"
	command -v clang >/dev/null || skip "no clang"
	for i in 0 1 2 3 4 5; do
		echo "#include <map>
#include <string>
#include <functional>
int f$i(std::map<std::string, std::function<int(int)>> &m) { return m[\"$i\"]($i); }"
	done >large.cc
	"$PERF" record -q -F 1500 -e cpu-clock:u --call-graph dwarf,8192 -o large.data \
		clang++ -O2 -c large.cc -o large.o >/dev/null 2>&1
	stacks large.data native >native
	for style in libdw libunwind; do
		stacks large.data $style >other
		[ "$(wc -l <native)" -eq "$(wc -l <other)" ]
		# but where it begins and ends: code without CFI (_fini), and the resolver of the loader
		paste -d '|' native other | grep -Ev '^[^|]*\|[^|]*(/ld-linux|exit)' >pairs
		total=$(wc -l <pairs)
		[ "$total" -ge 100 ]
		awk -F '|' '$1 != $3' pairs >differ
		cat differ
		[ "$(wc -l <differ)" -le $((total / 100 + 2)) ]
	done
}

@test "libdw unwinds what is no sense to native: too deep a stack of rows" {
	cd "$BATS_FILE_TMPDIR"
	{
		echo ".text; .globl odd; .type odd,@function; odd: .cfi_startproc"
		echo "push %rbx; .cfi_adjust_cfa_offset 8; .cfi_offset %rbx,-16"
		for i in $(seq 40); do echo ".cfi_remember_state"; done
		echo "call work; pop %rbx"
		echo "ret; .cfi_endproc; .size odd,.-odd; .section .note.GNU-stack"
	} >odd.s
	echo 'volatile long n; void odd(void);
	__attribute__((noinline)) void work(void) { for (int i = 0; i < 60000000; i++) n++; }
	int main(void) { odd(); return n & 1; }' >oddmain.c
	gcc -O2 -fno-ipa-ra -fomit-frame-pointer oddmain.c odd.s -o odd
	"$PERF" record -q -F 500 -e cpu-clock:u --call-graph dwarf -o odd.data ./odd >/dev/null 2>&1
	chains odd.data >all
	grep -q ' work odd main .*_start$' all
	# without its help the stack ends there
	"$PERF" script -i odd.data --unwind-style=native -F ip,sym >alone
	grep -q ' odd' alone
	run ! grep -q ' main' alone
}

@test "a style that there is not, and two that do not fit" {
	cd "$BATS_FILE_TMPDIR"
	run "$PERF" report --stdio -i pie.data --unwind-style=dwarf
	[ "$status" -eq 129 ]
	[[ "$output" == *"no style 'dwarf'"*"native, libdw and libunwind"* ]]
	run "$PERF" script -i pie.data --unwind-style=
	[ "$status" -eq 129 ]
	run -129 "$PERF" script -i pie.data --unwind-style=native,,libdw
	[[ "$output" == *"there is no style ''"* ]]
	run "$PERF" report --stdio -i pie.data --unwind-style=libunwind,libdw,libunwind
	[ "$status" -eq 0 ]
	run "$PERF" inject -i pie.data -o x.data --unwind-style=libdw
	[ "$status" -eq 129 ]
	"$PERF" inject -i pie.data -o x.data --convert-callchain --unwind-style=libdw
	"$PERF" inject -i pie.data -o y.data --convert-callchain --unwind-style=native
	"$PERF" script -i x.data >x.txt
	"$PERF" script -i y.data | diff x.txt -
	[ -s x.txt ]
}

@test "why stacks end: the piece of stack, by object, with the option that helps" {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,1024 -o small.data ./pie >/dev/null 2>&1
	"$PERF" report --stats -i small.data 2>/dev/null >stats
	grep -Eq "cut off stacks: +[0-9]+ .* in .*/pie: the recorded piece of stack is too small" stats
	grep -q "hint: record with more stack: --call-graph dwarf,16384" stats
	# a line of the table sums up, --stats and -v have each object
	run --separate-stderr "$PERF" report --stdio -i small.data
	[ -z "$stderr" ]
	[ "$(grep -cE "^# [0-9]+ call chains end early in '[^']+'.*: report --stats shows why$" <<<"$output")" -eq 1 ]
	run --separate-stderr "$PERF" report -q --stdio -i small.data
	[ -z "$stderr" ]
	[[ "$output" != *"end early"* ]]
	run "$PERF" report -v --stdio -i small.data
	[[ "$output" == *"note: user stacks end early in '$PWD/pie': the recorded piece of stack is too small ("*"times)"*"hint: record with more stack"* ]]
	run --separate-stderr "$PERF" report --flamegraph small.svg -i small.data
	# the object with most of them, which is libc where its qsort takes more stack
	[[ "$stderr" == *"warning: the flame graph has stacks that end early in '"@(pie|libc.so.6)"'"*"hint: report --stats shows why"* ]]
	# chains that were made of them end where they did
	"$PERF" inject --convert-callchain -i small.data -o converted.data
	"$PERF" report --stats -i converted.data 2>/dev/null >converted
	diff <(grep -A1 'stacks: ' stats | sed 's/ *$//') <(grep -A1 'stacks: ' converted | sed 's/ *$//')
	# nothing to say of whole ones
	run --separate-stderr "$PERF" report --flamegraph static.svg -i static.data
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run "$PERF" report --stdio -i static.data
	[[ "$output" != *"end early"* ]]
	"$PERF" report --stats -i static.data 2>/dev/null | grep -Eq "whole stacks: .*\((9[5-9]|100)\."
}

@test "why stacks end: the table says that chains of frame pointers end at once" {
	cd "$BATS_TEST_TMPDIR"
	cat >lost.s <<-'EOF'
	.globl main
	.type main, @function
	main:
		push %rbp
		mov $1, %ebp # no address
		mov $1500000000, %rcx
	1:	dec %rcx
		jnz 1b
		pop %rbp
		xor %eax, %eax
		ret
	.size main, . - main
	.section .note.GNU-stack,"",@progbits
	EOF
	sed 's/mov $1, %ebp.*/mov %rsp, %rbp/' lost.s >kept.s
	gcc -o lost lost.s
	gcc -o kept kept.s
	for p in lost kept; do
		"$PERF" record -q -e cpu-clock:u -F 500 -g -o $p.data ./$p
		"$PERF" report --stdio -i $p.data >$p.table 2>$p.brief
		"$PERF" report -v --stdio -i $p.data >/dev/null 2>$p.says
	done
	[ ! -s lost.brief ]
	grep -qE "^# [0-9]+ call chains end early in 'lost': report --stats shows why$" lost.table
	run ! grep -q 'end early' kept.table
	grep -q "^note: call chains end after their first frame in '$PWD/lost', which keeps no frame pointer (" lost.says
	grep -q '^hint: record with --call-graph dwarf' lost.says
	run ! grep -q 'first frame' kept.says
	# a register that is no frame pointer may lead to an address where nothing is
	sed 's/mov $1, %ebp.*/push $0x1234567; push $0; mov %rsp, %rbp/; s/^[[:blank:]]*pop.*/add $16, %rsp; pop %rbp/' lost.s >wild.s
	gcc -o wild wild.s
	"$PERF" record -q -e cpu-clock:u -F 500 -g -o wild.data ./wild
	"$PERF" script -i wild.data -F ip | grep -q '^[[:blank:]]*1234567$'
	"$PERF" report --stats -i wild.data >stats
	grep -Eq "in .*/wild: functions that keep no frame pointer" stats
	run ! grep -q "not mapped" stats
	for p in lost kept; do
		"$PERF" report --flamegraph $p.svg -i $p.data 2>$p.flames
	done
	grep -q "^warning: the flame graph has stacks that end early in 'lost'" lost.flames
	[ ! -s kept.flames ]
	# nobody calls what a program begins with
	sed 's/main/_start/g; s/mov $1500000000/mov $800000000/; s/^pop.*/mov $60, %eax/; s/^ret/syscall/; s/xor %eax, %eax/xor %edi, %edi/' lost.s >first.s
	gcc -nostdlib -static -o first first.s
	"$PERF" record -q -e cpu-clock:u -F 500 -g -o first.data ./first
	run ! grep -q 'first frame' < <("$PERF" report --stdio -i first.data 2>&1 >/dev/null)
	"$PERF" report --stats -i first.data 2>/dev/null | grep -q 'whole stacks: .*(100.0%)'
	# where no chain is shown nothing is said of them
	run ! grep -q 'first frame' < <("$PERF" report --stdio -g none --no-children -i lost.data 2>&1 >/dev/null)
	# asked to be short, they are
	"$PERF" record -q -e cpu-clock/max-stack=1/u -F 500 -g -o one.data ./kept
	run ! grep -q 'first frame' < <("$PERF" report --stdio -i one.data 2>&1 >/dev/null)
}

@test "why stacks end: a missing file, a missing frame pointer" {
	cd "$BATS_FILE_TMPDIR"
	cp nopie gone
	"$PERF" record -q -N -F 2000 -e cpu-clock:u --call-graph dwarf -o gone.data ./gone >/dev/null 2>&1
	rm gone
	"$PERF" --buildid-dir /dev/null report --stats -i gone.data 2>/dev/null >stats
	grep -Eq "cut off stacks: +[0-9]+ .* in .*/gone: its file is not here" stats
	grep -q "hint: --symfs DIR, --debuginfod, or perf archive" stats
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph fp -o fp2.data ./pie >/dev/null 2>&1
	"$PERF" report --stats -i fp2.data >stats
	grep -Eq "in .*/(pie|libc.so.6): functions that keep no frame pointer" stats
	grep -q "hint: build it with -fno-omit-frame-pointer, or record with --call-graph dwarf" stats
}

@test "why stacks end: another stack, and a frame larger than any copy" {
	cd "$BATS_TEST_TMPDIR"
	cat >far.c <<-'EOF'
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sum += i; __asm__ volatile(""); }
	__attribute__((noinline)) void handler(int s) { (void)s; work(300000000); __asm__ volatile(""); }
	__attribute__((noinline)) int large(int n)
	{
		volatile char room[100000];

		memset((void *)room, n, sizeof(room));
		work(300000000);
		return room[n];
	}
	int main(int argc, char **argv)
	{
		stack_t st = { .ss_sp = malloc(65536), .ss_size = 65536 };
		struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

		(void)argv;
		if (argc > 1)
			return large(argc) == 1;
		sigaltstack(&st, NULL);
		sigaction(SIGUSR1, &a, NULL);
		raise(SIGUSR1);
		return 0;
	}
	EOF
	gcc -O1 -o far far.c
	for how in dwarf dwarf,65528 dwarf,live; do
		for args in '' large; do
			# shellcheck disable=SC2086
			"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph $how -o far.data ./far $args
			"$PERF" report --stats -i far.data >stats
			cat stats
			grep -A1 'in .*: the caller is on another stack, or farther away than the kernel copies$' stats >why
			grep -q 'hint: no size helps: record with -g' why
			run ! grep -q 'too small\|page not in memory' stats
		done
	done
	# what the hint says
	gcc -O1 -fno-omit-frame-pointer -o far far.c
	"$PERF" record -q -N -e cpu-clock:u -F 300 -g -o far.data ./far large
	"$PERF" report --stdio --no-children --folded -i far.data 2>/dev/null | grep -qE ';main;(large;)?work '
}

@test "why stacks end: rules that need what is below the stack pointer, or beyond the piece" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is assembly of x86-64"
	cd "$BATS_TEST_TMPDIR"
	# the CFA is a word of the stack, 8 bytes below the stack pointer or 512 above, as in OpenSSL
	make_rules() { # NAME DISTANCE ITS-BYTES
		cat >$1.s <<-EOF
		.globl main
		.type main, @function
		main:
			.cfi_startproc
			lea 8(%rsp), %rax
			sub \$600, %rsp
			mov %rax, $2(%rsp)
			mov %rax, 512(%rsp)
			.cfi_escape 0x0f, $3, 0x06
			mov \$400000000, %rcx
		1:	dec %rcx
			jnz 1b
			add \$600, %rsp
			.cfi_def_cfa %rsp, 8
			xor %eax, %eax
			ret
			.cfi_endproc
		.size main, . - main
		.section .note.GNU-stack,"",@progbits
		EOF
		gcc -o $1 $1.s
		"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph "$4" -o $1.data ./$1
		"$PERF" report --stats -i $1.data >stats
		cat stats
	}
	for how in dwarf dwarf,live; do
		make_rules below -8 '3, 0x77, 0x78' $how
		grep -q 'in .*/below: what leads to the caller is below the stack pointer, where nothing is copied$' stats
		make_rules above 512 '4, 0x77, 0x80, 0x04' $how
		grep -Eq 'whole stacks: .*\((9[5-9]|100)\.' stats
		make_rules above 512 '4, 0x77, 0x80, 0x04' $how,256
		grep -q 'in .*/above: the recorded piece of stack is too small$' stats
	done
}

@test "a stack that makecontext() made is whole" {
	cd "$BATS_TEST_TMPDIR"
	cat >context.c <<-'EOF'
	#include <stdlib.h>
	#include <ucontext.h>
	static volatile unsigned long sum;
	static ucontext_t back, other;
	__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sum += i; __asm__ volatile(""); }
	__attribute__((noinline)) void runs(void) { work(300000000); __asm__ volatile(""); }
	int main(void)
	{
		getcontext(&other);
		other.uc_stack.ss_sp = malloc(65536);
		other.uc_stack.ss_size = 65536;
		other.uc_link = &back;
		makecontext(&other, runs, 0);
		return swapcontext(&back, &other);
	}
	EOF
	gcc -O1 -o context context.c
	for how in dwarf dwarf,live; do
		"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph $how -o context.data ./context
		"$PERF" report --stats -i context.data >stats
		cat stats
		grep -Eq 'whole stacks: .*\((9[5-9]|100)\.' stats
		"$PERF" script -F ip,sym -i context.data | grep -A2 '[[:blank:]]work$' >stacks
		grep -A1 '[[:blank:]]runs$' stacks | grep -qE '[0-9a-f]+ (__start_context|\[libc.so.6\+0x[0-9a-f]+\])$'
	done
}

@test "a zero in the register of the frame pointer is not the root of a stack without CFI" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is assembly of x86-64"
	cd "$BATS_TEST_TMPDIR"
	# the register holds 0, or leads to a 0 in the stack
	for zero in 'xor %ebp, %ebp' 'push $0; push $0; push $0; mov %rsp, %rbp'; do
		cat >burn.s <<-EOF
		.globl burn
		.type burn, @function
		burn:
			push %rbp
			mov %rsp, %rdx
			$zero
			mov \$300000000, %rcx
		1:	dec %rcx
			jnz 1b
			mov %rdx, %rsp
			pop %rbp
			ret
		.size burn, . - burn
		.section .note.GNU-stack,"",@progbits
		EOF
		echo 'void burn(void); int main(void) { burn(); return 0; }' >main.c
		gcc -O1 -o zero main.c burn.s
		for how in dwarf dwarf,live; do
			"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph $how -o zero.data ./zero
			"$PERF" report --stats -i zero.data >stats
			cat stats
			grep -Eq 'whole stacks: +[0-9]+ +\( ?[0-4]\.' stats
			grep -A1 'in .*/zero: no call frame information, and no frame pointer$' stats |
				grep -q 'hint: build it with -fasynchronous-unwind-tables (assembly needs .cfi directives)'
		done
	done
	# what the hint says
	sed -i 's/^burn:/&\n.cfi_startproc/; s/^\tpush %rbp/&\n.cfi_def_cfa_offset 16/; s/mov %rsp, %rdx/&\n.cfi_def_cfa rdx, 16/; s/^.size/.cfi_endproc\n&/' burn.s
	gcc -O1 -o zero main.c burn.s
	"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph dwarf -o zero.data ./zero
	"$PERF" report --stats -i zero.data | grep -Eq 'whole stacks: .*\((9[5-9]|100)\.'
	# a program begins with code of which nobody says that
	printf '.globl _start\n_start: xor %%ebp, %%ebp\nmov $300000000, %%rcx\n1: dec %%rcx\njnz 1b\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' >first.s
	gcc -nostdlib -static -o first first.s
	"$PERF" record -q -N -e cpu-clock:u -F 300 --call-graph dwarf -o first.data ./first
	"$PERF" report --stats -i first.data | grep -q 'whole stacks: .*(100.0%)'
}

@test "why stacks end: words of data after a frame without a frame pointer are no callers" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is assembly of x86-64"
	cd "$BATS_TEST_TMPDIR"
	# the register leads through a list whose values are numbers, or addresses of data
	cat >list.c <<-'EOF'
	#include <stdlib.h>
	struct item { struct item *next; void *value; } here[3];
	void walk(struct item *, long);
	__asm__(".globl walk\n.type walk, @function\nwalk: push %rbp\nmov %rdi, %rbp\n1: dec %rsi\njnz 1b\npop %rbp\nret\n.size walk, . - walk\n");
	int main(int argc, char **argv)
	{
		(void)argv;
		for (int i = 0; i < 3; i++) {
			here[i].next = i < 2 ? &here[i + 1] : NULL;
			here[i].value = argc > 1 ? (i ? (void *)&here : malloc(8)) : (void *)(0x1234560 + i * 16L);
		}
		walk(here, 300000000);
		return 0;
	}
	EOF
	gcc -O1 -no-pie -o list list.c
	for args in '' data; do
		# shellcheck disable=SC2086
		"$PERF" record -q -N -d -e cpu-clock:u -F 300 -g -o list.data ./list $args
		"$PERF" report --stats -i list.data >stats
		cat stats
		grep -Eq 'cut off stacks: +[0-9]+ +\((9[5-9]|100)\..* in .*/list: functions that keep no frame pointer$' stats
		run ! grep -q 'not mapped\|heap' stats
		run -3 --separate-stderr "$PERF" report -q --require 'whole>=95%' -i list.data
		[[ "$stderr" == *"list: functions that keep no frame pointer"* ]]
		[[ "$stderr" != *"not mapped"* && "$stderr" != *heap* ]]
	done
}
