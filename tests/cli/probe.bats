#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf probe on programs: definitions, the events they make, the values they record.
bats_require_minimum_version 1.5.0

load wait

gone() { # TEXT: no probe of the system has it
	! grep -q "$1" /sys/kernel/tracing/uprobe_events || return 1
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export ORACLE
	cat >work.c <<'EOS'
#include <stdio.h>
struct in { int a; char name[8]; };
struct s { int x; struct in *in; unsigned b : 4, c : 5; long arr[4]; };
int global = 5;
static inline __attribute__((always_inline)) int inl(int q) { return q * global + 3; }
__attribute__((noinline)) int work(struct s *p, int n, const char *str)
{
	int r = 0;
	for (int i = 0; i < n; i++)
		r += p->arr[i & 3] + inl(i);
	printf("work %d %s %d\n", n, str, r);
	return r;
}
__attribute__((noinline)) int again(int v)
{
	global++;
	return inl(v) - 1000;
}
int main(void)
{
	struct in i = { 7, "hello" };
	struct s s = { 3, &i, 5, 6, { 1, 2, 3, 4 } };
	for (int k = 1; k < 4; k++) {
		work(&s, k, "abc");
		printf("again %d\n", again(k));
	}
	return 0;
}
EOS
	gcc -O2 -g -o work work.c || skip "no compiler"
	gcc -O0 -g -o work0 work.c
	gcc -O1 -gdwarf-4 -o work4 work.c
	gcc -O2 -no-pie -g -o fixed work.c
	gcc -O2 -static -g -o static work.c
	strip -o stripped work
	# Its provider is named after this process, so that two runs do not meet.
	shop=shop$$
	export shop
	sed "s/SHOP/$shop/g" >mark.c <<'EOS'
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <stdio.h>
unsigned short SHOP_buy_semaphore __attribute__((section(".probes")));
unsigned short SHOP_open_semaphore __attribute__((section(".probes")));
long stock = 12;
__attribute__((noinline)) void buy(int n, const char *what)
{
	if (SHOP_open_semaphore)
		puts("watched");
	DTRACE_PROBE4(SHOP, buy, n, what, -7, stock);
	DTRACE_PROBE(SHOP, open);
}
int main(void)
{
	for (int i = 1; i < 4; i++)
		buy(i, "pen");
	return 0;
}
EOS
	gcc -O2 -g -o mark mark.c 2>/dev/null || rm -f mark
	writable=
	if [ -w /sys/kernel/tracing/uprobe_events ]; then writable=1; fi
	export writable
}

# Groups are named after this test's process, so that two runs do not meet.
setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
	group=t$$
}

teardown() {
	[ -z "$writable" ] || "$PERF" probe -q -d "$group:*" 2>/dev/null || true
	[ -z "$writable" ] || "$PERF" probe -q -d "sdt_$shop:*" 2>/dev/null || true
}

need_uprobes() {
	[ -n "$writable" ] || skip "uprobe_events of tracefs cannot be written here"
}

# The lines -D shows, without the path
definition() { # program, definition...
	local program=$1
	shift
	"$PERF" probe -x "./$program" -D "$@" | sed "s| $PWD/$program:| |"
}

# Addresses of the instructions of a function
instructions() { # function
	objdump -d --no-show-raw-insn work | sed -n "/<$1>:/,/^\$/s/^ *\([0-9a-f]*\):.*/\1/p"
}

same() { # program, definition: as 6.1 has it
	"$PERF" probe -x "./$1" -D "$2" >ours 2>&1 || { echo "$2: $(cat ours)"; return 1; }
	"$ORACLE" probe -x "./$1" -D "$2" >theirs 2>/dev/null
	diff ours theirs || { echo "differs: $1 '$2'"; return 1; }
}

@test "equal definitions give the event strings of 6.1" {
	[ -x "$ORACLE" ] || skip "no other perf here"
	mapfile -t at < <(instructions work)
	for d in work 'work%return' 'work%return $retval:x64' 'work n str:string' 'work p->in->a' \
		'work p->arr[1]' 'work p->in->name:string' 'work %di' "x=work+$((0x${at[2]} - 0x${at[0]}))" 'g:x=work' \
		'work a=%di:u32' 'work $params' 'work $stack1 $comm' 'work n:u8 n:x' \
		'work +8(%di):u32' 'work p->in' 'work p->x:s64' 'work@work.c' 'w*' 'work:5 n' \
		'work.c:11' 'work;printf*' 'mine=work:5'; do
		same work "$d"
	done
	for d in work 'work n str:string p->in->a' 'work%return' 'main' 'again v'; do
		same work0 "$d"
		same work4 "$d"
		same fixed "$d"
	done
}

@test "what 6.1 gets wrong" {
	"$PERF" probe -x ./work -D 'work%return $retval' >ours
	grep -q ' \$retval:s32$' ours
	if [ -x "$ORACLE" ]; then "$ORACLE" probe -x ./work -D 'work%return $retval' | sed 's/$/:s32/' | diff - ours; fi
	address=$(nm work | awk '$3 == "global" { print "0x" $1 }')
	[ "$(definition work 'work global' | grep -o '@+.*')" = \
		"$(printf '@+0x%x:s32' "$address")" ]
	[ "$(definition work 'work p->b')" = "$(definition work 'work' ) b=+16(%di):b4@0/32" ]
	[ "$(definition work 'work p->c')" = "$(definition work 'work' ) c=+16(%di):b5@4/32" ]
	[ "$(definition work 'work p->arr[1..2]')" = "$(definition work 'work' ) arr=+32(%di):s64[2]" ]
	[ "$(definition work 'work $arg2')" = "$(definition work 'work' ) %si" ]
	# instances have names of their own
	[ "$(definition work inl | sed 's/ .*//')" = $'p:probe_work/inl\np:probe_work/inl_1' ]
	# $vars has what is inlined at the place too, but each name once: the kernel takes no second one
	cat >twice.c <<'EOS'
static inline __attribute__((always_inline)) void add(long a, int more) { __asm__ volatile("nop" : : "r"(a), "r"(more)); }
__attribute__((noinline)) void twice(long a, int b) { add(a, b); add(a, 7); }
int main(int argc, char **argv) { (void)argv; twice(argc, 2); return 0; }
EOS
	gcc -O2 -g -o twice twice.c
	[ "$(definition twice 'twice $vars' | sed 's/.*0x[0-9a-f]* //')" = 'a=%di:s64 b=%si:s32 more=%si:s32' ]
	# a shared library's stub of a function is not the function: 6.1 puts a return probe on both
	gcc -O0 -g -shared -fPIC -o twice.so twice.c
	[ "$("$PERF" probe -x ./twice.so -D 'twice%return' | wc -l)" -eq 1 ]
}

@test "the recorded values are what the program printed" {
	need_uprobes
	for program in work work0 work4 fixed static; do
		"$PERF" probe -q -x ./$program -a "$group:in=work n str:string p->in->a p->in->name:string" \
			-a "$group:out=work%return ret=\$retval:s32" -a "$group:global=again global v" 
		"$PERF" record -q -o data -e "$group:*" ./$program >printed
		"$PERF" script -i data -F event,trace >script
		sed -n 's/^work \([0-9]*\) \([a-z]*\) .*/n=\1 str_string="\2" a=7 name="hello"/p' printed >want
		sed -n 's/.*:in: *([0-9a-f]*) //p' script | diff want -
		sed -n 's/^work [0-9]* [a-z]* /ret=/p' printed | diff - <(sed -n 's/.*:out: *([^)]*) //p' script)
		[ "$(sed -n 's/.*:global: *([0-9a-f]*) //p' script)" = $'global=5 v=1\nglobal=6 v=2\nglobal=7 v=3' ]
		"$PERF" probe -q -d "$group:*"
	done
}

@test "add says what 6.1 says; list, globs of del; nothing is left" {
	need_uprobes
	run "$PERF" probe -x ./work -a "$group:one=work n" -a "$group:two=work%return"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Added new events:" ]
	[ "$(echo "${lines[1]}" | tr -s ' ')" = " $group:one (on work in $PWD/work with n)" ]
	[[ "$output" == *"perf record -e $group:two -aR sleep 1"* ]]
	"$PERF" probe -l "$group:*" >ours
	[ "$(wc -l <ours)" -eq 2 ]
	if [ -x "$ORACLE" ]; then "$ORACLE" probe -l "$group:*" | diff - ours; fi
	"$PERF" list "$group:*" | grep -q "$group:one"
	"$PERF" stat -x, -e "$group:one" ./work 2>&1 >/dev/null | grep -q "^3,.*$group:one"
	run "$PERF" probe -n -d "$group:*"
	[ "$(grep -c "$group/" /sys/kernel/tracing/uprobe_events)" -eq 2 ]
	run "$PERF" probe -d "$group:o*"
	[ "$output" = "Removed event: $group:one" ]
	run "$PERF" probe -d "$group:*"
	run grep "$group/" /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
	run "$PERF" probe -d "$group:*"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: no probe is called '$group:*'" ]
}

@test "-n and -D change nothing; all or nothing is added" {
	need_uprobes
	"$PERF" probe -n -x ./work "$group:a=work"
	"$PERF" probe -x ./work -D "$group:a=work"
	run "$PERF" probe -x ./work -a "$group:a=work" -a "$group:b=work %nosuch"
	[ "$status" -eq 1 ]
	run "$PERF" probe -x ./work -a "$group:a=work" -a "$group:b=nosuch"
	[ "$status" -eq 1 ]
	run grep "$group/" /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
}

@test "a name that is taken: refused with what helps, _1 with -f" {
	need_uprobes
	"$PERF" probe -q -x ./work "$group:a=work"
	run "$PERF" probe -x ./work "$group:a=work"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: event '$group:a' already exists" ]
	"$PERF" probe -q -f -x ./work "$group:a=work"
	"$PERF" probe -q "$PWD/work" -f "$group:a=work"
	[ "$("$PERF" probe -l "$group:*" | awk '{ print $1 }' | tr '\n' ' ')" = \
		"$group:a $group:a_1 $group:a_2 " ]
}

@test "the kernel's refusal is shown with its caret" {
	need_uprobes
	deep=%di
	for _ in {1..17}; do deep="+0($deep)"; done
	run "$PERF" probe -x ./work "$group:a=work $deep"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "error: the kernel refused the probe: Argument expression is too long" ]]
	command=${lines[1]}
	caret=${lines[2]%^}
	[[ "${command:${#caret}}" == "$deep" ]]
}

@test "an ordinary user: shown is what needs no root, and adding says that it does" {
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod o+rx "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
	install -m 755 "$PERF" user-perf
	user() { run setpriv --reuid 65534 --regid 65534 --clear-groups ./user-perf probe -x ./work "$@"; }
	user -D 'work n'
	[ "$status" -eq 0 ]
	[[ "$output" == *"/work $PWD/work:0x"*" n=%si:s32" ]] || { echo "$output"; return 1; }
	[ -e /sys/kernel/tracing/uprobe_events ] || skip "this kernel has no uprobes"
	! setpriv --reuid 65534 --regid 65534 --clear-groups ls /sys/kernel/tracing >/dev/null 2>&1 || skip "tracefs is open to all"
	user work
	[ "$status" -eq 1 ]
	[[ "$output" == *"probes need root"* && "$output" != *"mount"* ]]
}

@test "faults in a definition are under a caret; refusals say why" {
	check() { # definition, text
		run "$PERF" probe -x ./work -D "$1"
		[ "$status" -eq 1 ] && [[ "$output" == *"$2"* ]] || { echo "$1: $output"; return 1; }
	}
	check 'work $foo' 'expected $retval'
	check 'work%return:3' 'leave out line'
	check 'nosuch' "no function 'nosuch'"
	check 'work:99' 'nearest'
	check 'work nosuch' "variable 'nosuch' is not visible"
	check 'work $retval' 'where the function returns only'
	check 'inl%return' 'never returns'
	check 'work n:symstr' 'for kernel probes only'
	check 'work @vfs_read' 'a symbol is for kernel probes only'
	check 'work +9999999999999999999(%di)' 'this offset is out of range'
	check 'work+4000' '4000'
	run "$PERF" probe -x ./nosuch -D main
	[ "$status" -eq 1 ]
	run "$PERF" probe -x ./stripped -D 'main:3'
	[ "$status" -eq 1 ]
	[[ "$output" == *"debug information"* ]]
	# the first instruction that is longer than one byte
	while read -r address; do
		[ -z "$last" ] || [ $((0x$address - 0x$last)) -eq 1 ] || break
		last=$address
		first=${first:-$address}
	done < <(instructions work)
	"$PERF" check -q feature libcapstone || return 0
	check "work+$((0x$last - 0x$first + 1))" "begins at work+$((0x$last - 0x$first))"
}

@test "without debug information: functions of dynamic symbols, registers" {
	cat >lib.c <<<'int exported(int a) { return a + 1; }'
	gcc -O1 -shared -fPIC -s -o lib.so lib.c
	[ "$("$PERF" probe -x ./lib.so -D 'exported $arg1 %di:u8' | sed 's/.*:0x[0-9a-f]* //')" = "%di %di:u8" ]
	[ "$("$PERF" probe -x ./lib.so -D 'exported%return +0($retval):string' | cut -d' ' -f3)" = '+0($retval):string' ]
	[ "$("$PERF" probe -x ./lib.so -F)" = exported ]
}

@test "-F of a stripped program, and a filter that no function passes, say so" {
	gcc -O1 -s -o stripped -x c - <<<'int main(void) { return 0; }'
	run "$PERF" probe -x ./stripped -F
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: no symbols in $PWD/stripped" ]
	[ "${lines[1]}" = "hint: it is stripped: install its debug symbols (Debian: find-dbgsym-packages '$PWD/stripped')" ]
	run "$PERF" probe -x ./work -F 'nosuch*'
	[ "$status" -eq 1 ]
	[ "$output" = "error: no function passes the filter 'nosuch*'" ]
}

@test "a separate debug file is used" {
	objcopy --only-keep-debug work work.debug
	objcopy --strip-all --add-gnu-debuglink=work.debug work linked
	[ "$(definition linked 'work n p->in->a')" = \
		"$(definition work 'work n p->in->a' | sed s/probe_work/probe_linked/)" ]
}

@test "-V, -L and -F as 6.1 shows them; options in any order" {
	[ -x "$ORACLE" ] || skip "no other perf here"
	for l in main work work:3-5 work.c:7-12 work@work.c; do
		diff <("$PERF" probe -L "$l" -x ./work) <("$ORACLE" probe -x ./work -L "$l")
	done
	diff <("$PERF" probe -V main -x ./work0) <("$ORACLE" probe -x ./work0 -V main)
	"$PERF" probe -V --externs main -x ./work0 >one
	"$PERF" probe -x ./work0 main -V --externs >two
	diff one two
	grep -q global one
	"$PERF" probe -x ./work0 -V main --externs --filter 'glob*' | grep -q global
	[ -z "$("$PERF" probe -x ./work0 -V main --externs --filter '!glob*' | grep global)" ]
	run "$PERF" probe -L work:900 -x ./work
	[ "$status" -eq 1 ]
	[[ "$output" == *"no such lines: work ends before"* ]]
	[ "$("$PERF" probe -x ./work -F 'wor* | again')" = $'again\nwork' ]
}

@test "--target-ns: a file that only another mount namespace has" {
	need_uprobes
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir -p inner
	unshare -m sh -c "mount -t tmpfs none inner && cp work inner/apart && touch ready && exec sleep 1000" 3>&- &
	pid=$!
	until_true test -e ready || { kill $pid; return 1; }
	run "$PERF" probe --target-ns $pid -x "$PWD/inner/apart" "$group:apart=work n"
	[ "$status" -eq 0 ] || { kill $pid; echo "$output"; return 1; }
	run "$PERF" probe -l "$group:*"
	kill $pid
	[[ "$output" == *"(on work@"*"/inner/apart with n)"* ]]
}

@test "--target-ns: absolute symbolic links are those of the namespace" {
	need_uprobes
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	mkdir -p inner2
	rm -f ready2
	unshare -m sh -c 'mount -t tmpfs none inner2 && cp work inner2/real && ln -s "$PWD/inner2/real" inner2/link &&
		ln -s ./link inner2/near && : >ready2 && exec sleep 1000' 3>&- &
	pid=$!
	until_true test -e ready2 || { kill $pid; return 1; }
	run "$PERF" probe --target-ns $pid -x "$PWD/inner2/near" -D "$group:n=work n"
	kill $pid
	[ "$status" -eq 0 ]
	[[ "$output" == *"/proc/$pid/root$PWD/inner2/real:0x"*"n="* ]]
}

@test "SDT markers: arguments, semaphores, the program's memory" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	[ "$("$PERF" probe -x ./mark -D %sdt_$shop:buy | sed 's/ [^ ]*:0x/ 0x/; s/0x[0-9a-f]*/N/g; s/arg1=[^ :]*/arg1=R/; s/arg2=[^ :]*/arg2=R/')" = \
		"p:sdt_$shop/buy N(N) arg1=R:s32 arg2=R:u64 arg3=\-7:s32 arg4=@+N:s64" ]
	need_uprobes
	"$PERF" probe -q -x ./mark "%sdt_$shop:*"
	"$PERF" record -q -o data -e "sdt_$shop:*" ./mark >printed
	"$PERF" probe -q -d "sdt_$shop:*"
	[ "$(cat printed)" = $'watched\nwatched\nwatched' ]
	[ "$("$PERF" script -i data -F event,trace | sed -n 's/.*buy: *([0-9a-f]*) //p' | sed 's/arg2=[0-9]* //')" = \
		$'arg1=1 arg3=-7 arg4=12\narg1=2 arg3=-7 arg4=12\narg1=3 arg3=-7 arg4=12' ]
	[ -z "$(./mark)" ]
}

@test "SDT markers: a text, another type, a name, memory behind an argument" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	shows() { # arguments of the marker, as tracefs gets them, registers aside
		"$PERF" probe -x ./mark -D "%sdt_$shop:buy $1" | sed 's/.*(0x[0-9a-f]*) //; s/%[a-z0-9]*/R/g; s/@+0x[0-9a-f]*/@N/'
	}
	[ "$(shows arg2:string)" = 'arg1=R:s32 arg2=+0(R):string arg3=\-7:s32 arg4=@N:s64' ]
	[ "$(shows 'what=arg2:ustring arg1:x arg4:u8')" = 'arg1=R:x32 what=+0(R):ustring arg3=\-7:s32 arg4=@N:u8' ]
	[ "$(shows '+0(arg2):x8[4] same=arg3')" = 'arg1=R:s32 arg2=+0(R):x8[4] same=\-7:s32 arg4=@N:s64' ]
	[ "$(shows 'arg2:x second=+1(arg2):char')" = 'arg1=R:s32 arg2=R:x64 arg3=\-7:s32 arg4=@N:s64 second=+1(R):char' ]
	refuses() { # arguments, words
		run "$PERF" probe -x ./mark -D "%sdt_$shop:buy $1"
		[ "$status" -eq 1 ] && [[ "$output" == *"$2"* ]] || { echo "$1: $output"; return 1; }
	}
	refuses arg1:x64 "arg1 of marker sdt_$shop:buy has 32 bits, too few for x64"
	refuses arg5:u8 "marker sdt_$shop:buy has no argument 'arg5' that a probe can fetch"
	[[ "$output" == *"hint: its arguments: arg1, arg2, arg3, arg4" ]]
	refuses 'arg2:string arg2:x' "arg2 is asked for twice: name the second one, NAME=arg2"
	refuses 'arg2->name:string' "the members of a marker's argument are not known"
	[[ "$output" == *"hint: +8(arg2):u32 reads memory "* ]]
	refuses 'arg2[1]' "the elements of a marker's argument are not known"
	[[ "$output" == *"hint: +0(arg2):u32[4] reads an array "* ]]
	refuses arg1:symbol "type 'symbol' is for kernel probes only"
	refuses arg1:string "arg1 of marker sdt_$shop:buy has 32 bits, too few for an address"
	refuses arg3:string "arg3 of marker sdt_$shop:buy is the constant -7, not an address"
	refuses '+8(arg3)' "arg3 of marker sdt_$shop:buy is the constant -7, not an address"
	refuses 'arg1:x32[2]' "'arg1:x32[2]': an array needs memory, but 'arg1' is a single value"
	[ "$(shows 'arg4:x8[4]')" = 'arg1=R:s32 arg2=R:u64 arg3=\-7:s32 arg4=@N:x8[4]' ]
	refuses 'arg4:x64[2]' "arg4 of marker sdt_$shop:buy has 64 bits, too few for x64[2]"
	names="two arguments of marker sdt_$shop:buy have the name"
	refuses 'n=arg1 n=arg2' "$names 'n': 'n=arg1' and 'n=arg2'"
	refuses 'arg2=arg1' "$names 'arg2': 'arg2=arg1' and the marker's own arg2"
	refuses 'arg1=arg2:string' "$names 'arg1': the marker's own arg1 and 'arg1=arg2:string'"
	refuses 'arg1:x arg4=arg1' "$names 'arg4': the marker's own arg4 and 'arg4=arg1'"
	[ "$(shows 'arg2=arg1:x arg1=arg2:x')" = 'arg2=R:x32 arg1=R:x64 arg3=\-7:s32 arg4=@N:s64' ]
	need_uprobes
	"$PERF" probe -q -x ./mark "%sdt_$shop:buy what=arg2:string second=+1(arg2):char"
	"$PERF" record -q -o data -e "sdt_$shop:buy" ./mark >printed
	"$PERF" probe -q -d "sdt_$shop:*"
	[ "$("$PERF" script -i data -F event,trace | sed -n 's/.*buy: *([0-9a-f]*) //p')" = \
		$'arg1=1 what="pen" arg3=-7 arg4=12 second=\'e\'\narg1=2 what="pen" arg3=-7 arg4=12 second=\'e\'\narg1=3 what="pen" arg3=-7 arg4=12 second=\'e\'' ]
	"$PERF" record -q -o data --probe "./mark %sdt_$shop:buy arg2:string" ./mark >printed
	[ "$("$PERF" script -i data -F event,trace | grep -c 'arg2="pen"')" -eq 3 ]
}

@test "SDT markers: a constant address of a program that is not moved is a text" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	cat >still.c <<-EOS
	#include <sys/sdt.h>
	char text[] = "still", room[8];
	int main(void)
	{
		__builtin_strcpy(room, "bss");
		__asm__ volatile(STAP_PROBE_ASM($shop, still, 8@\$text 8@\$room -8@\$5) ::: "memory");
		return 0;
	}
	EOS
	gcc -O2 -no-pie -fno-pie -o still still.c 2>/dev/null || skip "no constant of this form on this architecture"
	run "$PERF" probe -x ./still -D "%sdt_$shop:still arg3:string"
	[ "$status" -eq 1 ]
	[[ "$output" == *"arg3 of marker sdt_$shop:still is the constant 5, not an address" ]]
	need_uprobes
	"$PERF" record -q -o data --probe "./still %sdt_$shop:still arg1:string arg2:string" ./still
	"$PERF" script -i data -F event,trace | grep -q 'arg1="still" arg2="bss" arg3=5$'
}

@test "SDT markers: addresses of a 32-bit program" {
	cat >small.c <<-EOS
	#include <sys/sdt.h>
	void _start(void)
	{
		const char *text = "small";
		__asm__ volatile("" : "+r"(text));
		DTRACE_PROBE2($shop, small, text, (short)7);
		for (;;)
			;
	}
	EOS
	gcc -m32 -O2 -nostdlib -static -ffreestanding -fno-pie -no-pie \
		-idirafter "/usr/include/$(gcc -print-multiarch)" -o small small.c 2>/dev/null ||
		skip "no 32-bit compiler or no sys/sdt.h (package systemtap-sdt-dev)"
	shows() {
		"$PERF" probe -x ./small -D "%sdt_$shop:small $1" | sed 's/.*(*0x[0-9a-f]*)* arg1/arg1/; s/%[a-z]*/R/g'
	}
	[[ "$(shows arg1:string)" == "arg1=+0(R):string arg2="* ]]
	[[ "$(shows '+4(arg1):x')" == "arg1=+4(R):x32 arg2="* ]]
	[[ "$(shows '+4(arg1)')" == "arg1=+4(R):x32 arg2="* ]]
	run "$PERF" probe -x ./small -D "%sdt_$shop:small arg1:x64"
	[[ "$output" == *"arg1 of marker sdt_$shop:small has 32 bits, too few for x64"* ]]
}

@test "an array of a value that is not in memory is refused" {
	refused() { # program, definition, value, hint
		run "$PERF" probe -x "./$1" -D "work $2"
		[ "$status" -eq 1 ]
		[ "${lines[0]}" = "error: '$2': an array needs memory, but '$3' is a single value" ]
		[ "${lines[1]:-}" = "$4" ]
	}
	refused work 'n:x32[2]' n ""
	refused work 'p:x64[3]' p "hint: 'p[0..2]' reads the elements that it points to"
	refused work '\7:x8[2]' '\7' ""
	[ "$(definition work 'work +0(%di):x32[2] global:x8[2]' | sed 's/@+0x[0-9a-f]*/@N/; s/^[^ ]* [^ ]* //')" = \
		'+0(%di):x32[2] global_x8=@N:x8[2]' ]
	refused work '%di:x32[2]' %di 'hint: +0(%di):x32[2] reads an array at the address in %di'
}

@test "SDT markers: an upper byte; what no probe can fetch is left out, and said why" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	need_uprobes
	sed "s/SHOP/$shop/" >upper.c <<'EOS'
#include <sys/sdt.h>
int main(void)
{
	__asm__ volatile("movl $0xc834, %%eax\n"
			 STAP_PROBE_ASM(SHOP, upper, 1@%%ah -2@%%ax 4@4(%%rsp,%%rax,2) 8f@%%xmm0 2@0(,%%rsp,1)) : : : "eax");
	return 0;
}
EOS
	gcc -O1 -o upper upper.c
	run --separate-stderr "$PERF" probe -x ./upper -D "%sdt_$shop:upper"
	[ "$status" -eq 0 ]
	[[ "$output" == *" arg1=%ax:b8@8/16 arg2=%ax:s16 arg5=+0(%sp):u16" ]]
	[[ "$stderr" == *"sdt_$shop:upper leaves out what a probe cannot fetch: arg3 (4@4(%rsp,%rax,2)) is at the sum of two registers; arg4 (8f@%xmm0) is a floating point number" ]]
	"$PERF" probe -q -x ./upper "%sdt_$shop:upper" 2>/dev/null
	"$PERF" record -q -o data -e "sdt_$shop:upper" ./upper
	"$PERF" script -i data -F event,trace | grep -q 'arg1=200 arg2=-14284 '
}

@test "a marker of another version of its file: index it again" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	need_uprobes
	cp mark changes
	"$PERF" --buildid-dir "$PWD/old-index" buildid-cache -a "$PWD/changes"
	sed 's/"pen"/"ink"/' mark.c >changes.c
	gcc -O2 -g -o changes changes.c
	for command in "probe %sdt_$shop:buy" "stat -e sdt_$shop:buy true"; do
		# shellcheck disable=SC2086
		run "$PERF" --buildid-dir "$PWD/old-index" $command
		[ "$status" -ne 0 ]
		[[ "$output" == *"for another version of $PWD/changes"*"perf buildid-cache -a $PWD/changes"* ]] || { echo "$output"; return 1; }
	done
}

@test "SDT markers that are not there: what the file has; a cache that nobody made" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	says() { # text, hint, arguments
		local text=$1 hint=$2
		shift 2
		run "$PERF" --buildid-dir "$PWD/no-cache" probe "$@"
		[ "$status" -eq 1 ] && [[ "$output" == *"$text"*"$hint"* ]] || { echo "$*: $output"; return 1; }
	}
	says "no SDT marker or cached probe is called 'sdt_$shop:byu' in $PWD/mark" "did you mean 'sdt_$shop:buy'?" -x ./mark -D %sdt_$shop:byu
	says "called '$shop:buy'" "did you mean 'sdt_$shop:buy'?" -x ./mark -D %$shop:buy
	says "called 'sdt_entirely:other'" "its markers: sdt_$shop:buy, sdt_$shop:open" -x ./mark -D %sdt_entirely:other
	says "called 'sdt_$shop:buy' in $PWD/work" "it has no SDT markers" -x ./work -D %sdt_$shop:buy
	says "called 'sdt_$shop:buy'" "perf buildid-cache -a PROGRAM" -D %sdt_$shop:buy
	says "no cached probe is called 'kept'" "--cache -l" --cache -d kept
	run "$PERF" --buildid-dir "$PWD/no-cache" probe --cache -l
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "words after the first are arguments: said, when one is a place" {
	while read -r words; do
		# shellcheck disable=SC2086
		run "$PERF" probe -x ./work -n $words
		[ "$status" -eq 1 ] || { echo "taken: $words"; return 1; }
		[[ "$output" == *"several probes: -a 'work' -a '${words##* }'"* ]] || { echo "$words: $output"; return 1; }
	done <<-'EOS'
		work main
		work n again:2
		work x=main
		work again%return
		work work.c:8
	EOS
	run "$PERF" probe -x ./work -n work nosuch
	[[ "$output" != *"several probes"* ]]
}

@test "--cache: kept by name, listed, added again, removed" {
	need_uprobes
	dir=$PWD/cache
	"$PERF" --buildid-dir "$dir" probe -q --cache -x ./work "$group:kept=work n str:string"
	"$PERF" probe -q -d "$group:*"
	"$PERF" --buildid-dir "$dir" probe --cache -l | grep -q "$group:kept=work n str:string"
	if [ -x "$ORACLE" ]; then
		"$ORACLE" --buildid-dir "$dir" probe --cache -l | grep -q "^$group:kept=work n str:string"
	fi
	"$PERF" --buildid-dir "$dir" probe -q -x ./work "%kept"
	grep -q "$group/kept .* n=.*str_string=" /sys/kernel/tracing/uprobe_events
	"$PERF" --buildid-dir "$dir" probe -q --cache -d "$group:kept"
	[ -z "$("$PERF" --buildid-dir "$dir" probe --cache -l)" ]
}

@test "--cache: no probe stays if the cache cannot be written" {
	need_uprobes
	: >file
	run "$PERF" --buildid-dir "$PWD/file/cache" probe --cache -x ./work "$group:kept=work"
	[ "$status" -ne 0 ]
	[[ "$output" == *"error: "* && "$output" != *"Added"* ]]
	run ! grep -q "$group/kept" /sys/kernel/tracing/uprobe_events
}

@test "record --probe: there for the recording, with its filter" {
	need_uprobes
	"$PERF" record -q -o data --probe "./work $group:in=work n str:string" --filter 'n > 1' \
		--probe "./work $group:out=work%return ret=\$retval:s32" ./work >printed
	run grep "$group/" /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
	[ "$("$PERF" script -i data -F event,trace | sed -n 's/.*:in: *([0-9a-f]*) //p')" = \
		$'n=2 str_string="abc"\nn=3 str_string="abc"' ]
	[ "$("$PERF" script -i data -F event,trace | grep -c ':out:.*ret=')" -eq 3 ]
	run "$PERF" record -o data --probe './work nosuch' true
	[ "$status" -ne 0 ]
	[[ "$output" == *"no function 'nosuch'"* ]]
}

@test "record --probe: gone also after kill -9" {
	need_uprobes
	"$PERF" record -q -o data --probe "./work $group:in=work" -- sleep 1000 3>&- &
	pid=$!
	until_true pgrep -P $pid -x sleep || { kill $pid; return 1; }
	sleeper=$(pgrep -P $pid -x sleep)
	grep "$group/in" /sys/kernel/tracing/uprobe_events || { kill $pid; return 1; }
	kill -9 $pid
	until_true gone "$group/in" || { kill "$sleeper"; return 1; }
	kill "$sleeper" 2>/dev/null || true
}

@test "record --probe without arguments: by the uprobe PMU, unless new processes inherit it" {
	need_uprobes
	[ -e /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobe PMU"
	type=$(cat /sys/bus/event_source/devices/uprobe/type)
	"$PERF" record -q -a -o data --probe "./work $group:in=work" --probe "./work $group:out=work%return" \
		-- sh -c "grep -c $group/ /sys/kernel/tracing/uprobe_events >listed; ./work; ./work" >printed
	[ "$(cat listed)" = 0 ]
	[ "$("$PERF" evlist -v -i data | grep -c "^$group:\(in\|out\): type: $type, ")" -eq 2 ]
	[ "$("$PERF" script -i data -F event,ip,sym | grep -c "$group:in: .* work$")" -eq 6 ]
	[ "$("$PERF" script -i data -F event,ip,sym | grep -c "$group:out: .* main$")" -eq 6 ]
	if [ -x "$ORACLE" ]; then
		[ "$("$ORACLE" script -i data -F event,ip,sym 2>/dev/null | grep -c "$group:in: .* work$")" -eq 6 ]
	fi
	# The PMU's event would make the forks of the shell fail.
	"$PERF" record -q -o data --probe "./work $group:in=work" -- sh -c './work; ./work' >printed
	[ "$("$PERF" script -i data -F event | grep -c "$group:in:")" -eq 6 ]
	# It has no filter.
	"$PERF" record -q -a -o data --probe "./work $group:in=work" --filter 'common_pid > 0' -- ./work >printed
	[ "$("$PERF" script -i data -F event | grep -c "$group:in:")" -eq 3 ]
	run grep "$group/" /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
}

@test "stat -e sdt_PROVIDER:NAME: counted from the index, removed at the end" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	need_uprobes
	dir=$PWD/index
	"$PERF" --buildid-dir "$dir" buildid-cache -a ./mark
	"$PERF" --buildid-dir "$dir" stat -x, -o counts -e sdt_$shop:buy -e "sdt_$shop:o*" ./mark >/dev/null
	grep -q "^3,,sdt_$shop:buy," counts
	grep -q ",sdt_$shop:open," counts
	run grep sdt_$shop/ /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
	run "$PERF" --buildid-dir "$dir" stat -e sdt_$shop:nosuch true
	[ "$status" -ne 0 ]
	[[ "$output" == *"no SDT marker or cached probe is called 'sdt_$shop:nosuch'"* ]]
}

@test "record -e sdt_PROVIDER:NAME: from the index, for the recording" {
	[ -x mark ] || skip "no sys/sdt.h (package systemtap-sdt-dev)"
	need_uprobes
	dir=$PWD/index
	"$PERF" --buildid-dir "$dir" buildid-cache -a ./mark
	[ "$("$PERF" --buildid-dir "$dir" list sdt_$shop | tr -s ' ')" = \
		" sdt_$shop:buy [SDT event]"$'\n'" sdt_$shop:open [SDT event]" ]
	if [ -x "$ORACLE" ]; then
		"$ORACLE" --buildid-dir "$dir" list sdt 2>/dev/null | grep -q sdt_$shop:buy
	fi
	"$PERF" --buildid-dir "$dir" record -q -o data -e sdt_$shop:buy ./mark >/dev/null
	[ "$("$PERF" script -i data -F event,trace | grep -c "sdt_$shop:buy: .*arg1=[123] .*arg3=-7 arg4=12")" -eq 3 ]
	run grep sdt_$shop/buy /sys/kernel/tracing/uprobe_events
	[ "$status" -eq 1 ]
	run "$PERF" --buildid-dir "$dir" record -o data -e sdt_$shop:nosuch true
	[ "$status" -ne 0 ]
	[[ "$output" == *"no SDT marker or cached probe is called 'sdt_$shop:nosuch'"* ]]
}

@test "inlined copies of a header's wrapper are not the function that the file has" {
	need_uprobes
	cat >copies.c <<'EOS'
#include <stdlib.h>
int twice(int x);
extern __inline __attribute__((always_inline, gnu_inline, artificial)) int twice(int x) { return x + atoi("1"); }
extern __inline __attribute__((always_inline, gnu_inline, artificial)) int alone(int x) { return x + atoi("2"); }
int main(int argc, char **argv) { (void)argv; return twice(argc) + twice(argc + 1) + alone(argc); }
EOS
	echo 'int twice(int x) { return 2 * x; }' >twice.c
	gcc -O1 -c twice.c
	gcc -O1 -g -o copies copies.c twice.o
	run "$PERF" probe -x ./copies -D twice
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	at=$(nm copies | awk '$3 == "twice" { print $1 }')
	[[ "$output" == *":0x"*"$(printf %x 0x"$at")" ]] || { echo "$output, not $at"; return 1; }
	# where the file has no such function they are what there is
	"$PERF" probe -x ./copies -D alone
}

@test "GNU indirect functions: the one in use, or all that may be; versions of symbols" {
	need_uprobes
	cat >copy.c <<'EOS'
#include <string.h>
#include <stdio.h>
static char from[20000], to[20000];
int main(int argc, char **argv)
{
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	(void)argv;
	for (int i = 0; i < 7; i++)
		copy(to, from, 12345 + argc);
	return 0;
}
EOS
	gcc -O1 -o copy copy.c
	libc=$(ldd ./copy | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
	"$PERF" probe -q -x "$libc" "$group:copy=memcpy size=%dx:u64"
	"$PERF" record -q -o data -e "$group:copy" --filter 'size == 12346' ./copy
	[ "$("$PERF" script -i data -F trace | grep -c size=12346)" -eq 7 ]
	# Not the resolver, which is what the symbol says
	resolver=$(readelf --dyn-syms -W "$libc" | awk '$4 == "IFUNC" && $8 ~ /^memcpy@@/ { print $2 }')
	if [ -n "$resolver" ]; then run ! grep -q "0x0*$(printf %x 0x"$resolver") *$" <("$PERF" probe -x "$libc" -D memcpy); fi
	cat >choose.c <<'EOS'
#include <stdio.h>
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static void *choose(void) { return (void *)getc == (void *)putc ? (void *)one : (void *)two; }
int chosen(int x) __attribute__((ifunc("choose")));
int main(int argc, char **argv) { (void)argv; return chosen(argc) + chosen(argc + 1) - 7; }
EOS
	for how in "" -s; do
		# shellcheck disable=SC2086
		gcc -O1 $how -fno-inline -rdynamic -o choose choose.c
		run "$PERF" probe -x ./choose "$group:c=chosen" "x=%di:s32"
		[ "$status" -eq 0 ]
		[[ "$output" == *"'chosen' is a GNU indirect function"*"(2)"* ]]
		"$PERF" record -q -o data -e "$group:c*" ./choose || true
		[ "$("$PERF" script -i data -F trace | grep -o 'x=[0-9]' | tr '\n' ' ')" = "x=1 x=2 " ]
		"$PERF" probe -q -d "$group:*"
	done
	cat >versions.c <<'EOS'
int old_f(int x) { return x; }
int new_f(int x) { return x + 1; }
__asm__(".symver old_f,f@V1\n.symver new_f,f@@V2");
EOS
	echo 'V1 { global: f; local: *; }; V2 { } V1;' >map
	gcc -shared -fPIC -s -Wl,--version-script=map -o versions.so versions.c
	at() { readelf --dyn-syms -W versions.so | awk -v n="$1" '$8 == n { print $2 }' | sed 's/^0*/0x/'; }
	place() { "$PERF" probe -x ./versions.so -D "$1" | sed 's/.*:0x/0x/'; }
	[ $(($(place f))) -eq $(($(at f@@V2))) ]
	[ $(($(place 'f\@V2'))) -eq $(($(at f@@V2))) ]
	[ $(($(place 'f\@V1'))) -eq $(($(at f@V1))) ]
	run "$PERF" probe -x ./versions.so -D f@V1
	[ "$status" -eq 1 ]
	[[ "$output" == *"the function of that version is 'f\@V1'"* ]]
}

@test "wrong ways: each says what is wrong, and what helps" {
	refuses() { # text, arguments of probe...
		local text=$1
		shift
		run "$PERF" probe "$@"
		[ "$status" -eq 1 ] && [[ "$output" == *"$text"* ]] || { echo "$*: $status $output"; return 1; }
	}
	refuses "cannot probe '/nonexistent': No such file" -x /nonexistent f
	refuses "cannot probe '/tmp': Is a directory" -x /tmp f
	refuses "'/etc/passwd': not an ELF file" -x /etc/passwd f
	refuses "did you mean 'work'" -x ./work wrok
	refuses "'perf probe -F' with the same options lists" -x ./work entirely_other_function
	refuses "'x' in 'n->x' is not in a structure" -x ./work -n 'work n->x'
	refuses "lists those there are" -x ./work -n 'work zzzzzzzz'
	refuses "no source file 'nofile.c'" -x ./work -n nofile.c:3
	refuses "0x1 is not in the code" -x ./work -n 0x1
	refuses "has no code" -x ./work -n work:100
	refuses "past the end of the function" -x ./work -n work+99999
	refuses "no line of 'work' that can be probed matches" -x ./work -n 'work;nothing*'
	refuses "known where the function returns only" -x ./work -n 'work $retval'
	refuses "is gone when 'work' returns" -x ./work -n 'work%return n'
	refuses "for kernel probes only" -x ./work -n 'work p:%pd'
	refuses "no process 999999999" --target-ns 999999999 -x ./work -n work
	refuses "--maxactive is for returns of kernel functions" --maxactive 5 -x ./work -n work%return
	refuses "kernel probes only" --bootconfig -x ./work -D work
	refuses "ends before" -x ./work -L work:500-600
	refuses "x86_64 has no register '%rdi'" -x ./work -n 'work %rdi'
	refuses "its registers: %ax" -x ./work -D 'work +0(%foo):string'
	refuses "module 'nosuchmodule' is not loaded" -m nosuchmodule -n f
	refuses "module 'nosuchmodule' is not loaded" -m nosuchmodule -F
	refuses "a source file takes a line or a pattern: work.c:LINE" -x ./work -n work.c
	refuses "a pattern contains no spaces" -x ./work -n 'work.c;return code*'
	refuses "'work;*printf*' finds it anywhere" -x ./work -n 'work;printf'
	refuses "-L FUNCTION shows the one of a function" -x ./work -L entirely/other/file.c
	refuses "-D, -V, -L and -F take its file" -k ./work -n vfs_read
	refuses "no probe is called '$group:none'" -d "$group:none"
	strip -o bare work
	refuses "it has no debug information; 'perf probe -x ./bare -F' lists" -x ./bare -n work
	refuses "more than 1" --max-probes 1 -x ./work -n inl
	run grep "$group" /sys/kernel/tracing/uprobe_events
	[ "$status" -ne 0 ]
	run "$PERF" probe -x ./work -a work -d x
	[ "$status" -eq 129 ]
	[[ "$output" == *"one thing at a time"* && "$output" != *"too many words"* ]]
	run "$PERF" probe -D %sdt_a:b arg1:string
	[[ "$status" -eq 129 && "$output" == *"one word of the shell: -D '%sdt_a:b arg1:string'"* ]]
	run "$PERF" probe -l work -d x
	[ "$status" -eq 129 ]
}

@test "wrong uses: 129 and what is wrong" {
	for words in "" "-l -d x" "-x a -m b main" "-V" "-q -v main" "--externs main" "--max-probes 0 main" "--filter x* main" "--filter x* -l" \
		"--max-probes -1 main"; do
		# shellcheck disable=SC2086
		run "$PERF" probe $words
		[ "$status" -eq 129 ] || { echo "'$words': $status $output"; return 1; }
	done
}

@test "a kernel without kprobes: said, with its option" {
	[ ! -e /sys/kernel/tracing/kprobe_events ] || skip "this kernel has kprobes"
	need_uprobes
	run "$PERF" probe vfs_read
	[ "$status" -eq 1 ]
	[[ "$output" == *CONFIG_KPROBE_EVENTS* ]]
	run "$PERF" probe -n vfs_read
	[ "$status" -eq 1 ]
	[[ "$output" == *CONFIG_KPROBE_EVENTS* ]]
	run "$PERF" probe -l
	[ "$status" -eq 0 ]
	[[ "$output" != *kprobe_events* ]]
}
