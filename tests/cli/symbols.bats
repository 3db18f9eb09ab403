#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of functions: the same as the system's perf gives, on the same files.

load wait

bats_require_minimum_version 1.5.0

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/spinning" ] || kill $(cat "$BATS_TEST_TMPDIR/spinning") 2>/dev/null || :
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	# the cache is removed below: not the user's
	mkdir home
	export HOME=$PWD/home
	unset PERF_BUILDID_DIR
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || { export MISSING="no other perf here"; return; }
	export ORACLE
	cat >work.cpp <<'EOF'
#include <map>
#include <string>
namespace shop {
template <class T> struct Stock {
	std::map<std::string, T> items;
	__attribute__((noinline)) T add(const std::string &n, T v) { return items[n] += v; }
};
}
int main(int argc, char **)
{
	shop::Stock<double> s;
	double sum = 0;
	for (int i = 0; i < 400000; i++)
		sum += s.add(std::to_string(i % 1000), argc);
	return sum < 0;
}
EOF
	g++ -O1 -g work.cpp -o work || skip "no C++ compiler"
	g++ -O1 -s work.cpp -o stripped
	"$ORACLE" record -q -e cpu-clock -F 4000 -o a.data ./work >/dev/null 2>&1 ||
		skip "no recording here"
	"$ORACLE" record -q -e cpu-clock -F 4000 -o b.data ./stripped >/dev/null 2>&1
	"$ORACLE" record -q -e cpu-clock -F 4000 -o c.data -- sh -c \
		'ls -lR /usr/lib | sort | wc; date; grep -r include /usr/include/linux | wc' \
		>/dev/null 2>&1
}

rows() { # perf, file: samples, object, symbol, without padding
	"$1" report -i "$2" --no-children -g none --sort dso,sym -n --stdio 2>/dev/null |
		sed '/^#/d; /^$/d; s/  */ /g; s/ *$//' | LC_ALL=C sort
}

# 6.1 has no names for stubs in .plt.got (difference plt-got), and wrong or empty ones where
# indirect functions are among them (plt-slots); code of the kernel that came and went while it was
# recorded (BPF programs of others) has no name in either; nor has it rows of functions that unwind tables
# alone tell of (unwind-ranges)
same_rows() { # file, object that is left out
	rows "$ORACLE" "$1" | grep -vF "${2:-no such object}" | grep -vE ' \[k\] 0x[0-9a-f]{16}$' >theirs
	rows "$PERF" "$1" | grep -vF "${2:-no such object}" | grep -vE ' \[k\] 0x[0-9a-f]{16}$' >ours
	[ -s theirs ]
	LC_ALL=C comm -23 theirs ours >without_name
	LC_ALL=C comm -13 theirs ours >with_name
	cat without_name with_name
	[ -z "$(grep -Ev '\[\.\] 0x[0-9a-f]{16}$|@plt$' without_name)" ]
	[ -z "$(grep -Ev '@plt$|\[\.\] \[[^] ]+\+0x[0-9a-f]+\]$' with_name)" ]
	diff <(objects without_name) <(objects with_name)
}

objects() { awk '{ n[$3] += $2 } END { for (o in n) print o, n[o] }' "$1" | sort; }

@test "a C++ program: names demangled without parameters, PLT entries, kernel" {
	cd "$BATS_FILE_TMPDIR"
	same_rows a.data
	grep -q 'shop::Stock<double>::add$' ours
}

# 6.1 makes no PLT names for an object without any other symbol: difference plt-alone
@test "a stripped program: its PLT has names, its functions are rows" {
	cd "$BATS_FILE_TMPDIR"
	same_rows b.data ' stripped ['
	rows "$PERF" b.data >ours
	grep -q ' stripped \[\.\] \[stripped+0x' ours
	run ! grep -q 'shop::Stock' ours
}

@test "a function of a stripped object is one row, one frame and one name everywhere" {
	mkdir "$BATS_TEST_TMPDIR/x"
	cd "$BATS_TEST_TMPDIR/x"
	cat >lib.c <<'EOF'
__attribute__((noinline)) static long hot(long n)
{
	volatile long a = 0, b = 1;
	for (long i = 0; i < n; i++) {
		a += i * b;
		b ^= a >> 3;
	}
	return a + b;
}
long entry(long n) { return hot(n) + 1; }
EOF
	gcc -O1 -shared -fPIC lib.c -o libx.so
	hot=$(nm libx.so | awk '$3 == "hot" { sub(/^0*/, "", $1); print $1 }')
	strip libx.so
	echo 'long entry(long); int main(void) { return entry(60000000) == 0; }' >main.c
	gcc -O1 main.c -o prog ./libx.so
	"$PERF" record -q -N -g -e cpu-clock:u -F 2000 -o f ./prog
	name="[libx.so+0x$hot]"
	"$PERF" script -i f -G -F ip,sym,dso >each 2>/dev/null
	n=$(grep -cF "$name (" each)
	[ "$n" -gt $(($(wc -l <each) * 8 / 10)) ]
	[ "$(rows "$PERF" f | awk '/libx/ { print $2, $5 }')" = "$n $name" ]
	# the offsets are those of the samples' addresses
	"$PERF" script -i f -G -F ip,sym,symoff 2>/dev/null | grep -F "$name+0x" >places
	[ "$(wc -l <places)" -eq "$n" ]
	while read -r ip at; do
		[ $(((0x$ip - ${at##*+}) & 0xfff)) -eq $((0x$hot & 0xfff)) ] || echo "$ip $at"
	done <places >wrong
	[ ! -s wrong ]
	"$PERF" report -i f --no-children --folded 2>/dev/null | grep -F ";$name $n"
	"$PERF" report -i f --no-children -g none -n --stdio -q --symbols "$name" 2>/dev/null >only
	[ "$(awk 'NF { print $2 }' only)" = "$n" ]
	"$PERF" report -i f --no-children --json 2>/dev/null | grep -F "$name"
	"$PERF" report -i f --flamegraph=f.html 2>/dev/null >&2
	grep -qF "$name" f.html
	"$PERF" annotate -i f --stdio "$name" >code 2>/dev/null
	grep -F "<$name>:" code
	grep -qF "<$name+0x" code
	[ "$("$PERF" diff f f 2>/dev/null | grep -cF "$name")" = 1 ]
	# who asks for symbols alone gets symbols alone
	"$PERF" report -i f --no-children -g none --stdio -q -U >named 2>/dev/null
	run ! grep libx named
}

@test "a stripped Go program: its runtime's table names its functions" {
	mkdir "$BATS_TEST_TMPDIR/x"
	cd "$BATS_TEST_TMPDIR/x"
	cat >prog.c <<'EOF'
__attribute__((noipa, used)) static long hot(long n)
{
	volatile long a = 0, b = 1;
	for (long i = 0; i < n; i++) {
		a += i * b;
		b ^= a >> 3;
	}
	return a + b;
}
asm(".globl hot_end\nhot_end:");
int main(void) { return hot(60000000) == 0; }
/* what Go 1.20 writes: the header; names; entries of one function and its end; its struct _func */
asm(".section .gopclntab,\"aw\",@progbits\n"
    "0: .long 0xfffffff1\n.byte 0, 0, 1, 8\n"
    ".quad 1, 0, hot, 1f - 0b, 0, 0, 0, 2f - 0b\n"
    "1: .asciz \"main.(*T).hot\"\n"
    "2: .long 0, 3f - 2b, hot_end - hot\n"
    "3: .long 0, 0\n"
    ".text");
EOF
	for how in -no-pie -pie; do
		gcc -O1 -fno-toplevel-reorder $how prog.c -o prog
		strip prog
		"$PERF" record -q -N -e cpu-clock:u -F 2000 -o f ./prog
		"$PERF" script -i f -F ip,sym,dso 2>/dev/null >each
		n=$(grep -cF 'main.(*T).hot (' each)
		[ "$n" -gt $(($(wc -l <each) * 8 / 10)) ]
		[ "$(rows "$PERF" f | awk '/main/ { print $2, $5 }')" = "$n main.(*T).hot" ]
		"$PERF" annotate -i f --stdio 'main.(*T).hot' 2>/dev/null | grep -qF '<main.(*T).hot>:'
		[ "$("$PERF" probe -x ./prog -F --filter 'main*')" = 'main.(*T).hot' ]
	done
}

@test "a stripped program: a branch into another function has that function's name" {
	[ "$(uname -m)" = x86_64 ] || skip "the branch is one of x86-64"
	mkdir "$BATS_TEST_TMPDIR/x"
	cd "$BATS_TEST_TMPDIR/x"
	cat >away.c <<'EOF'
volatile long x;
__attribute__((noinline)) void other(void) { for (long i = 0; i < 3; i++) x ^= i; }
__attribute__((noinline)) void hot(long n)
{
	for (long i = 0; i < n; i++)
		x += i;
	asm volatile("test %%rsp,%%rsp\n\tjz other+4" ::: "memory", "cc");
}
int main(void) { hot(200000000); other(); }
EOF
	gcc -O1 away.c -o away
	place() { nm away | awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print $1 }'; }
	other=$(place other) hot=$(place hot)
	strip away
	"$PERF" record -q -B -e cpu-clock:u -F 999 -o d ./away
	for how in "" "--objdump objdump"; do
		"$PERF" annotate -i d --stdio $how "[away+0x$hot]" >code 2>/dev/null
		grep -qE "je +$(printf %x $((0x$other + 4))) <\[away\+0x$other\]\+0x4>" code
	done
}

@test "a shell pipeline of system programs" {
	cd "$BATS_FILE_TMPDIR"
	same_rows c.data
}

@test "a file that was replaced is not used, and that is said" {
	cd "$BATS_FILE_TMPDIR"
	cp work gone
	"$ORACLE" record -q -e cpu-clock -F 4000 -o d.data ./gone >/dev/null 2>&1
	rm -rf "$HOME/.debug"
	sed 's/1000/999/' work.cpp >other.cpp
	g++ -O0 other.cpp -o gone
	run "$PERF" report -i d.data --stdio --sort dso,sym
	[ "$status" -eq 0 ]
	[[ "$output" != *"shop::Stock"* ]]
	[[ "$output" == *"gone' is not the file that was recorded (build-ids differ)"* ]]
}

@test "--symfs finds objects below another root" {
	cd "$BATS_FILE_TMPDIR"
	mkdir -p root"$PWD"
	cp work root"$PWD"/moved
	cp work moved
	"$ORACLE" record -q -N -e cpu-clock -F 4000 -o e.data ./moved >/dev/null 2>&1
	rm moved
	rm -rf "$HOME/.debug"
	run "$PERF" report -i e.data --stdio --sort dso,sym --symfs "$PWD/root"
	[[ "$output" == *"shop::Stock<double>::add"* ]]
}

@test "--kallsyms names kernel functions from the file given" {
	cd "$BATS_FILE_TMPDIR"
	sed 's/ \([tTwW]\) / \1 given_/' /proc/kallsyms | sed 's/given__text/_text/; s/given__stext/_stext/' >list
	run "$PERF" report -i c.data --stdio --sort sym --kallsyms list
	[[ "$output" == *"[k] given_"* ]]
	[[ "$output" != *"[k] do_"* ]]
	run "$PERF" report -i c.data --stdio --sort sym --kallsyms /dev/null
	[[ "$output" == *"warning: '/dev/null' names no function"*"hint: "*"/proc/kallsyms"* ]]
	run "$PERF" report -i c.data --stdio --sort sym --kallsyms .
	[ "$status" -ne 0 ]
	[[ "$output" == *"--kallsyms: cannot read '.': Is a directory"* ]]
}

@test "--vmlinux: what is no kernel is not used, and that is said" {
	cd "$BATS_FILE_TMPDIR"
	for no in /bin/ls ./list; do
		run "$PERF" report -i c.data --stdio --sort sym --vmlinux $no
		[ "$status" -eq 0 ]
		[[ "$output" == *"warning: --vmlinux is not used: '$no'"*"hint: give the file with the symbols of the kernel"* ]]
	done
	# without build-ids the addresses tell
	"$PERF" record -q -B -N -e cpu-clock -F 4000 -o plain.data -- dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none
	run "$PERF" report -i plain.data --stdio --sort sym --vmlinux /bin/ls
	[[ "$output" == *"--vmlinux is not used: '/bin/ls' is not a kernel"* ]]
}

# The last column's head and dots without their widths: report-last-head.
without_dots() { sed -E '/^# Truth: /,+1d; /^# (Overhead|\.)/{ s/ +$//; s/\.\.+$/../; }' "$1"; }

# No stubs, whose names differ, nor the width that they may give to a column; nor what has no name in
# the rival, which is named by unwind tables here.
without_stubs() { grep -vE '^# \(Tip|^# \.|@plt *$|\[unknown\]$|0x[0-9a-f]{16} *$|\[[^ ]+\+0x[0-9a-f]+\]$'; }

@test "names with commas inside of brackets are one name, of report, script, annotate and diff" {
	cd "$BATS_TEST_TMPDIR"
	cat >commas.cpp <<-'END'
	namespace deep {
	volatile long v;
	template <class A, class B> struct pair { __attribute__((noinline)) B work(A n) { for (A i = 0; i < n; i++) v += i; return v; } };
	template <class F> __attribute__((noinline)) long call(F f) { for (long i = 0; i < 30000000; i++) v ^= i; return f(1, 2); }
	}
	__attribute__((noinline)) long other() { for (long i = 0; i < 30000000; i++) deep::v -= i; return deep::v; }
	int main() { deep::pair<long, long> p; p.work(30000000); deep::call([](int a, int b) { return (long)a + b; }); other(); }
	END
	g++ -O1 -o commas commas.cpp
	"$PERF" record -q -N -e cpu-clock:u -o c.data ./commas
	shown() { "$PERF" report -i c.data --stdio -q -s sym -F sym "$@" | sed 's/^ *//; s/ *$//' | grep . | LC_ALL=C sort; }
	[ "$(shown -S 'deep::pair<long, long>::work')" = "[.] deep::pair<long, long>::work" ]
	[ "$(shown -S 'other,deep::pair<long, long>::work')" = "[.] deep::pair<long, long>::work
[.] other" ]
	[ "$(shown -S 'deep::pair<long, long>::work,other')" = "$(shown -S 'other,deep::pair<long, long>::work')" ]
	"$PERF" report -i c.data --stdio -q -s sym -F sym | sed -n 's/ *$//; /deep::call</s/^ *\[\.\] //p' >lambda
	grep -qF 'int, int' lambda
	[ "$(shown -S "$(cat lambda),other")" = "[.] $(cat lambda)
[.] other" ]
	[ "$("$PERF" script -i c.data -F ip,sym -S 'other,deep::pair<long, long>::work' | sed -E 's/^ *[0-9a-f]+ //' | sort -u)" = "deep::pair<long, long>::work
other" ]
	# half of a name is none
	run ! grep -q work < <("$PERF" report -i c.data --stdio -q -s sym -F sym -S 'deep::pair<long' 2>/dev/null)
	"$PERF" annotate -i c.data --stdio -s "other,deep::pair<long, long>::work,$(cat lambda)" >out
	[ "$(grep -c 'Source code' out)" -eq 3 ]
	[ "$("$PERF" diff -S 'other,deep::pair<long, long>::work' c.data c.data | grep -cE '\[\.\] (other|deep::pair<long, long>::work) *$')" -eq 2 ]
}

@test "--demangle: on, off, of the kernel" {
	cd "$BATS_FILE_TMPDIR"
	for command in "report --stdio --sort sym -g none" "script -F ip,sym"; do
		"$ORACLE" $command -i a.data --no-demangle 2>/dev/null | without_stubs >theirs
		"$PERF" $command -i a.data --no-demangle | without_stubs >ours
		diff <(without_dots theirs) <(without_dots ours)
		grep -q ' _ZN4shop5StockIdE3add' ours
		"$PERF" $command -i a.data >ours
		run ! grep ' _ZN4shop' ours
		sed -E 's/^([0-9a-f]+ [tTwW]) ([a-z])/\1 _ZN6kernel4nameE_\2/; s/ _ZN6kernel4nameE_([a-z_]+).*/ _RNvC6kernel4name/' \
			/proc/kallsyms >mangled
		"$PERF" $command -i c.data --kallsyms mangled >ours
		grep -q '_RNvC6kernel4name' ours
		"$PERF" $command -i c.data --kallsyms mangled --demangle-kernel >ours
		grep -q 'kernel::name' ours
		run ! grep '_RNvC6kernel4name' ours
	done
}

# The page is gone from most systems; a made-up recording has it.
@test "the entries of the vsyscall page" {
	cd "$BATS_FILE_TMPDIR"
	cat >vsyscall.py <<'EOF'
import struct
ATTR, BASE = 128, 0xffffffffff600000
def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
name = b"[vsyscall]\0".ljust(16, b"\0")
data = record(3, 1 << 13, struct.pack("<II", 7, 7) + b"old\0\0\0\0\0")
data += record(10, 2, struct.pack("<IIQQQIIQQII", 7, 7, BASE, 4096, 0, 0, 0, 0, 0, 5, 2) + name)
for offset in (0, 0x402, 0x807, 0xc00):
    data += record(9, 2, struct.pack("<QIIQ", BASE + offset, 7, 7, 1))
attr = struct.pack("<IIQQQQQ", 1, ATTR, 0, 1000, 1 | 2 | 256, 0, 1 << 8 | 1 << 9 | 1 << 23).ljust(ATTR, b"\0")
header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, ATTR + 16, 104, ATTR + 16, 104 + ATTR + 16, len(data), 0, 0)
open("vsyscall.data", "wb").write(header + bytes(32) + attr + bytes(16) + data)
EOF
	python3 vsyscall.py
	"$PERF" script -i vsyscall.data -F ip,sym,dso >ours
	cat ours
	grep -q '600000 vgettimeofday (\[vsyscall\])' ours
	grep -q '600402 vtime (\[vsyscall\])' ours
	grep -q '600807 vgetcpu (\[vsyscall\])' ours
	grep -q '600c00 \[unknown\] (\[vsyscall\])' ours
}

@test "kernels of guests: kallsyms, a mounted root, a vmlinux" {
	cd "$BATS_TEST_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" guest g.data
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000010 T guest_function' 'ffffffff81000020 T next' \
		$'ffffffffc0000000 t guest_module_function\t[mod]' >list
	names() { "$PERF" script -i g.data -F ip,sym,dso "$@" 2>/dev/null; }
	run ! grep -q guest_function < <(names)
	names --guestkallsyms list >out
	[ "$(grep -c 'guest_function (\[guest.kernel.kallsyms.100\])' out)" -eq 2 ]
	grep -Fq 'guest_module_function ([guest.kernel.kallsyms.100])' out
	printf '%s\n' 'mod 16384 0 - Live 0xffffffffc0000000' >modules
	names --guestkallsyms list --guestmodules modules | grep -Fq 'guest_module_function ([mod])'
	mkdir -p mnt/100/proc && cp list mnt/100/proc/kallsyms
	names --guestmount mnt | grep -Fq 'guest_module_function ([guest.kernel.kallsyms.100])'
	cp modules mnt/100/proc/modules
	names --guestmount mnt >out
	[ "$(grep -c 'guest_function (\[guest.kernel.kallsyms.100\])' out)" -eq 2 ]
	grep -Fq 'guest_module_function ([mod])' out
	"$PERF" report --stdio -i g.data --guestmount mnt --sort sym | grep -q '\[g\] guest_function'
	echo '.text; .globl from_vmlinux; .type from_vmlinux,@function; from_vmlinux: .fill 64,1,0x90; .size from_vmlinux,64' >v.s
	gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-e0 v.s -o v
	names --guestvmlinux v | grep -q from_vmlinux
	# the host's kernel holds none of the guest's code
	"$PERF" annotate --stdio -i g.data --guestvmlinux v -s from_vmlinux 2>/dev/null >out
	grep -Eq '50.00 : +ffffffff81000018: +nop' out
	for where in "--guestkallsyms list" "--guestmount mnt"; do
		run "$PERF" annotate --stdio -i g.data $where -s guest_function
		[[ "$output" == *"'guest_function' cannot be disassembled: no kernel image of the guest is known"*"hint: --guestvmlinux FILE names it"* ]]
	done
	run "$PERF" script -i g.data --guestkallsyms nowhere
	[ "$status" -ne 0 ]
	[[ "$output" == *"--guestkallsyms: cannot read 'nowhere'"* ]]
	run "$PERF" report --stdio -i g.data --guestmount list
	[[ "$output" == *"--guestmount: 'list' is not a directory"* ]]
	# a directory for no guest
	mkdir empty
	run --separate-stderr "$PERF" report --stdio -i g.data --guestmount empty
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"warning: --guestmount: 'empty' has no directory that is named by a pid"*"hint: in it, mount the root of each guest"* ]] || { echo "$stderr"; return 1; }
	run --separate-stderr "$PERF" report --stdio -i g.data --guestmount mnt
	[[ "$stderr" != *guestmount* ]]
	printf '%s\n' 'mod 16384 0 - Live 0x0000000000000000' >hidden
	run "$PERF" script -i g.data --guestmodules hidden
	[ "$status" -eq 0 ]
	[[ "$output" == *"'hidden' gives no module an address"*"hint: copy /proc/modules in the guest as root"* ]]
	run "$PERF" report --stdio -i g.data --guestmodules nowhere
	[[ "$output" == *"--guestmodules: cannot read 'nowhere'"*"hint: copy the file out of the guest"* ]]
}

# Mounts that nobody else sees: in a chroot whose root is no mount point there are none.
need_mounts() {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
}

@test "files of guests: below their mounted root, and never this machine's" {
	cd "$BATS_TEST_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" guest_files g.data
	mkdir -p root/opt root/lib/modules/1 mnt
	# (.rept counts lines of its own with newer assemblers)
	echo ".text; .globl in_guest; .type in_guest,@function; in_guest: $(printf 'nop; %.0s' {1..64}).size in_guest,64" >p.s
	sed 's/in_guest/in_module/g; s/^/\n\n/' p.s >m.s
	gcc -g -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-e0 p.s -o root/opt/guest-program
	gcc -g -c m.s -o root/lib/modules/1/guestmod.ko
	names() { "$PERF" script -i g.data -F ip,sym,dso "$@"; }
	cp -r root mnt/100
	names --guestmount mnt >out
	grep -Fq 'in_guest (/opt/guest-program)' out
	grep -Fq 'in_module ([guestmod])' out
	"$PERF" script -i g.data -F ip,sym,srcline --guestmount mnt >out
	grep -A 1 -w in_guest out | grep -q 'p\.s:1$'
	grep -A 1 -w in_module out | grep -q 'm\.s:3$'
	"$PERF" report --stdio -i g.data -s srcline --guestmount mnt >out
	grep -q ' p\.s:1 *$' out
	grep -q ' m\.s:3 *$' out
}

@test "files of guests: what lies here under their path is another file" {
	need_mounts
	cd "$BATS_TEST_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" guest_files g.data
	mkdir -p root/opt
	echo '.text; .globl in_guest; .type in_guest,@function; in_guest: .rept 64; nop; .endr; .size in_guest,64' >p.s
	gcc -g -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-e0 p.s -o root/opt/guest-program
	run unshare -m sh -c 'mount --bind "$1/root/opt" /opt && shift && exec "$@"' - "$PWD" "$PERF" script -v -i g.data -F ip,sym,dso
	[ "$status" -eq 0 ]
	[[ "$output" != *in_guest* ]]
	[[ "$output" == *"'/opt/guest-program' lies in guest 100"*"hint: --guestmount DIR"* ]]
}

@test "--no-modules: modules have no names; -m: their files come first" {
	cd "$BATS_TEST_TMPDIR"
	python3 - "$BATS_TEST_DIRNAME/make-samples" <<'CODE'
import importlib.machinery, importlib.util, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
w = m.Writer("<")
name = b"[mod]\0\0\0"
w.record(1, 1, w.pack("IIQQQ", 0xffffffff, 0, 0xffffffffc0000000, 0x1000, 0) + name + w.sample_id())
w.sample(b"", ip=0xffffffffc0000010, misc=1)
open("m.data", "wb").write(w.file(1, 0, m.BASE))
CODE
	printf '%s\n' 'ffffffff81000000 T _text' $'ffffffffc0000000 t module_function\t[mod]' >list
	"$PERF" script -i m.data -F ip,sym --kallsyms list | grep -q module_function
	run ! grep -q module_function <("$PERF" script -i m.data -F ip,sym --kallsyms list --no-modules)
	run ! grep -q module_function <("$PERF" report --stdio -i m.data --kallsyms list --no-modules)
	"$PERF" report --stdio -i m.data --kallsyms list -m | grep -q module_function
}

# A program that spins in a function of its own.
make_spin() {
	cd "$BATS_TEST_TMPDIR"
	cat >spin.c <<'CODE'
#include <stdio.h>
volatile unsigned long n;
__attribute__((noinline)) void only_there(void) { for (;;) n++; }
int main(void) { puts("ready"); fflush(stdout); only_there(); }
CODE
	gcc -O1 -Wl,--build-id=none spin.c -o spin
}

@test "a stripped file in the build-id cache does not hide the symbols of the whole program" {
	mkdir -p strip && cd strip
	cat >c1.c <<-'END'
	static volatile long sum;
	__attribute__((noinline)) static void spin_here(void) { for (long i = 0; i < 40000000; i++) sum += i; }
	int main(void) { spin_here(); return 0; }
	END
	gcc -O1 -g c1.c -o c1
	strip c1 -o c1.s
	"$PERF" --buildid-dir "$PWD/cache" record -q -e cpu-clock:u -o bare ./c1.s
	"$PERF" --buildid-dir "$PWD/cache" record -q -e cpu-clock:u -o whole ./c1
	[ "$("$PERF" --buildid-dir "$PWD/cache" buildid-list -i bare | grep c1.s | cut -d' ' -f1)" = \
		"$("$PERF" --buildid-dir "$PWD/cache" buildid-list -i whole | grep c1 | cut -d' ' -f1)" ]
	! readelf -SW "$(find cache -name elf -path '*c1.s*' | head -n 1)" | grep -q '[.]symtab' || false
	"$PERF" --buildid-dir "$PWD/cache" report --stdio -i whole -s sym,srcline >out 2>/dev/null
	grep -Eq '[0-9]% +\[\.\] spin_here +c1\.c:2' out || { cat out; false; }
	"$PERF" --buildid-dir "$PWD/cache" annotate --stdio -i whole spin_here >out 2>/dev/null
	grep -q 'sum += i' out
	# another build at that path is not used
	gcc -O1 -g -DOTHER -Wl,--build-id=0x0102030405060708 c1.c -o c1
	"$PERF" --buildid-dir "$PWD/cache" report --stdio -i whole -s sym >out 2>/dev/null
	! grep -q spin_here out || false
	grep -q '\[c1+0x' out
}

@test "a file that only its process can name: deleted" {
	make_spin
	cp spin gone
	./gone >ready 3>&- &
	pid=$!
	echo $pid >>spinning
	until_true test -s ready
	record_some 20 gone.data -N -e cpu-clock:u -p $pid
	rm gone
	"$PERF" report --stdio -i gone.data --sort sym >out 2>/dev/null
	# another file of that name is not taken for it
	printf 'int main(void) { return 0; }' >other.c && gcc other.c -o gone
	"$PERF" report --stdio -i gone.data --sort sym >other_out 2>/dev/null
	kill $pid
	grep -q only_there out
	grep -q only_there other_out
	wait $pid || true
	run "$PERF" report -v --stdio -i gone.data --sort sym
	[[ "$output" != *only_there* ]]
	[[ "$output" == *"gone' is not the file that was recorded (inode "* ]]
}

@test "a file that only its process can name: in a mount namespace" {
	need_mounts
	make_spin
	mkdir -p inside
	unshare -m sh -c 'mount -t tmpfs none inside && cp spin inside/spin && exec ./inside/spin' >ready2 3>&- &
	pid=$!
	echo $pid >>spinning
	until_true test -s ready2
	[ ! -e inside/spin ]
	record_some 20 ns.data -N -e cpu-clock:u -p $pid
	"$PERF" report --stdio -i ns.data --sort sym >out 2>/dev/null
	kill $pid
	grep -q only_there out
}

@test "a file that only its process can name: in memory" {
	command -v python3 >/dev/null || skip "no python3"
	make_spin
	python3 -c '
import os, sys
fd = os.memfd_create("code")
os.write(fd, open("spin", "rb").read())
os.execve(fd, ["code"], {})' >ready3 3>&- &
	pid=$!
	echo $pid >>spinning
	until_true test -s ready3
	record_some 20 mem.data -N -e cpu-clock:u -p $pid
	"$PERF" report --stdio -i mem.data --sort sym >out 2>/dev/null
	kill $pid
	grep -q only_there out
}

@test "a program in an overlay: of the lower layer, copied up, replaced" {
	cd "$BATS_TEST_TMPDIR"
	mkdir low up work all
	echo 'volatile long n; __attribute__((noinline)) void in_overlay(void) { for (long i = 0; i < 30000000; i++) n++; }
	int main(void) { in_overlay(); return 0; }' | gcc -O1 -x c - -o low/prog
	cat >inside <<'EOF'
set -e
mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work all || exit 99
record() { "$PERF" record -q -N -B -e cpu-clock:u -o "$1" all/prog; }
names() { "$PERF" --buildid-dir "$PWD/none" report --stdio -i "$1" -s sym "${@:2}"; }
# the device is the overlay's own, the inode that of a layer
record low.data
names low.data | grep -q in_overlay
names low.data -v 2>&1 >out | grep -q "all/prog' is used by its path, since no build-id of it was recorded"
touch all/prog
record up.data
names up.data | grep -q in_overlay
# another file of that name
cp all/prog other
mv other all/prog
names up.data >out 2>err
if grep -q in_overlay out; then exit 1; fi
grep -q "all/prog' is not the file that was recorded" err
EOF
	need_mounts
	run unshare -m bash inside
	[ "$status" -ne 99 ] || skip "no overlay file system can be mounted"
	[ "$status" -eq 0 ]
}

@test "objects that are not here: said, a few by name and the others counted" {
	cd "$BATS_TEST_TMPDIR"
	python3 - "$BATS_TEST_DIRNAME/make-samples" <<'CODE'
import importlib.machinery, importlib.util, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
w = m.Writer("<")
for i in range(8):
    name = b"/nowhere/object%d" % i
    name += b"\0" * (8 - len(name) % 8)
    w.record(10, 2, w.pack("IIQQQIIQQII", 100, 100, 0x400000 + i * 0x100000, 0x1000, 0, 8, 1, 5, 0, 5, 2)
             + name + w.sample_id())
    w.sample(b"", ip=0x400008 + i * 0x100000)
open("away.data", "wb").write(w.file(1, 0, m.BASE))
CODE
	"$PERF" script -F ip,sym -i away.data >out 2>err
	[ "$(grep -c "^warning: .*/nowhere/object[0-4]'.*No such file" err)" -eq 5 ]
	grep -q '^note: 3 more of this kind; -v shows them' err
	[ "$(grep -c "^hint: run 'perf archive' on the recording machine" err)" -eq 1 ]
	"$PERF" report -v --stdio -s sym -i away.data >out 2>err
	[ "$(grep -c "^warning: .*/nowhere/object[0-7]'" err)" -eq 8 ]
	run ! grep -q 'more of this kind\|more: see' err
	# report: three lines, and what is left
	"$PERF" report --stdio -s sym -i away.data >out 2>err
	[ "$(cut -d: -f1 err | xargs)" = "warning hint warning note" ] # one of each kind
	grep -q "^warning: .*/nowhere/object0'" err
	grep -qx 'note: 7 more: see -v' err
	# what decides the exit code comes first, whatever else there is
	head -c -8 away.data >cut.data
	run -1 --separate-stderr "$PERF" report --stdio -s sym -i cut.data
	[[ "${stderr_lines[0]}" == "warning: cut.data, offset "*": the file ends here, its header promises "* ]]
	[[ "${#stderr_lines[@]}" -eq 4 && "${stderr_lines[3]}" =~ ^note:\ [0-9]+\ more:\ see\ -v$ ]]
	run -1 --separate-stderr "$PERF" report -v --stdio -s sym -i cut.data
	[ "${#stderr_lines[@]}" -gt 8 ]
	"$PERF" report -q --stdio -s sym -i away.data 2>err
	run ! grep -q nowhere err
}

@test "--symfs DIR,flat: files by their last names" {
	cd "$BATS_TEST_TMPDIR"
	printf 'volatile long n;\n__attribute__((noinline)) void in_flat(void) { for (int i = 0; i < 90000000; i++) n++; }\nint main(void) { in_flat(); }' >f.c
	mkdir -p deep/er all tree"$PWD"/deep/er
	gcc -O1 f.c -o deep/er/prog
	"$PERF" record -q -N -e cpu-clock:u -o f.data deep/er/prog >/dev/null 2>&1
	mv deep/er/prog all/prog
	names() { "$PERF" report --stdio -i f.data --sort sym "$@" 2>/dev/null; }
	run ! grep -q in_flat <(names)
	names --symfs all,flat | grep -q in_flat
	run ! grep -q in_flat <(names --symfs all)
	run ! grep -q in_flat <(names --symfs all,hierarchy)
	cp all/prog tree"$PWD"/deep/er/
	names --symfs tree,hierarchy | grep -q in_flat
	names --symfs tree | grep -q in_flat
	run "$PERF" report --stdio -i f.data --symfs nowhere,flat
	[ "$status" -ne 0 ]
	[[ "$output" == *"--symfs: 'nowhere' is not a directory"* ]]
}

@test "addresses in mapped data are no reason to warn" {
	# the dynamic linker reads /etc/ld.so.cache, which it maps
	"$PERF" record -q -d -e page-faults -c 1 -o faults cat /dev/null
	run --separate-stderr "$PERF" report --stdio --mem-mode -v -i faults -s dso_daddr,symbol_daddr
	[[ "$output" == *ld.so.cache* ]]
	[[ "$stderr" == *"note: '/etc/ld.so.cache': not an ELF file"* ]]
	run --separate-stderr "$PERF" report --stdio --mem-mode -i faults -s dso_daddr,symbol_daddr
	[[ "$stderr" != *"not an ELF file"* ]]
}
