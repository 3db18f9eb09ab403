#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top: options that choose what is sampled, how perf runs, and what a table and a function show.
# Each test has a table with and one without the option, so that one that is ignored is noticed.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	mkdir "$FILES/src"
	# all time in leaf, in whose loop a function is inlined
	cat >"$FILES/src/chain.cc" <<-'EOF'
		static volatile unsigned long n;
		static inline __attribute__((always_inline)) void melted(void)
		{
			for (int i = 0; i < 1000; i++)
				n += i;
		}
		#define CALLS(name, what) \
			__attribute__((noinline)) void name(void) { for (volatile int i = 0; i < 9; i++) what; }
		extern "C" {
		CALLS(leaf, melted())
		CALLS(middle, leaf())
		CALLS(upper, middle())
		}
		int main(void) { for (;;) upper(); }
	EOF
	g++ -O1 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o "$FILES/chain" "$FILES/src/chain.cc"
	cat >"$FILES/reads.c" <<-'EOF'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			static char b[65536];
			int fd = open("/dev/zero", O_RDONLY);

			while (read(fd, b, sizeof(b)) > 0) {
			}
		}
	EOF
	gcc -O1 -o "$FILES/reads" "$FILES/reads.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

teardown() {
	[ -z "${child:-}" ] || kill "$child" 2>/dev/null || :
	end_jobs
	[ -z "${group:-}" ] || until_true rmdir "$group"
}

# run_it PROGRAM ARGUMENT...
run_it() {
	"$@" 3>&- &
	pid=$!
	until_true comm_is $pid "$(basename "${1##*/}")"
}

# table EVENT OPTION...: one with samples: on a busy machine a program may have to wait for its turn.
table() {
	local event=$1 i
	shift
	for i in 1 2 3 4 5; do
		"$PERF" top -e "$event" -d 0.5 --iterations 1 "$@" >newest
		grep -q '100% is 0 samples' newest || break
	done
	cat newest
}

# one OPTION...: of what runs in user space.
one() {
	table cpu-clock:u "$@"
}

# calls NAME,... OPTION...: what strace says of these calls of perf, and of its threads, is in the file "calls".
calls() {
	local names=$1
	shift
	command -v strace >/dev/null || skip "strace is missing (package strace)"
	ASAN_OPTIONS=detect_leaks=0 strace -f -v -o calls -e trace="$names" \
		"$PERF" top -d 0.1 --iterations 1 "$@" >/dev/null
}

@test "-C, -t, -u: CPUs, threads and users" {
	cat >two.c <<-'EOF'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static void *spin(void *arg) { for (;;) ; return arg; }
		int main(void)
		{
			pthread_t other;

			pthread_create(&other, NULL, spin, NULL);
			spin(NULL);
		}
	EOF
	gcc -O0 -o two two.c
	run_it ./two
	until_true test "$(ls /proc/$pid/task | wc -l)" -eq 2
	other=$(ls /proc/$pid/task | grep -vx $pid)
	one -p $pid -s tid,comm -d 1 >both
	for thread in $pid $other; do
		grep -qE "% +$thread  two *\$" both
		one -t $thread -s tid,comm >single
		grep -qE "100\.00% +$thread  two *\$" single
	done
	first=$(cut -d, -f1 </sys/devices/system/cpu/online | cut -d- -f1)
	taskset -pc $first $pid >/dev/null
	one -a -p $pid 2>&1 >/dev/null | grep -q -- '-a is ignored with -p, -t or -u'
	one -C $first -s cpu,comm >cpus
	grep -qE '%  0*'$first' +two *$' cpus
	run ! grep -qvE "^ *$|^---|PerfTop|100% is|%  0*$first " cpus
	last=$(($(nproc) - 1))
	if taskset -pc $last $pid >/dev/null 2>&1 && [ $last -ne $first ]; then
		one -C $last -s cpu,comm >cpus
		grep -qE '%  0*'$last' +two *$' cpus
		one -C $first -s tid >cpus
		run ! grep -qE "% +$pid *\$" cpus
	fi
	id nobody >/dev/null 2>&1 || return 0
	chmod 755 "$FILES"
	setpriv --reuid nobody --clear-groups "$FILES/chain" 3>&- &
	mine=$!
	until_true comm_is $mine chain
	one -p $pid -t $mine -u nobody -E 1 >several
	grep -q "(target_pid: $pid, target_tid: $mine, uid: nobody)" several
	one -u nobody -s tid,comm >users
	grep -qE "% +$mine  chain *\$" users
	run ! grep -q ' two *$' users
	kill $mine
	# what starts later, where BPF can filter samples
	run "$PERF" record -v -B -u nobody -e cpu-clock -o probe.data true
	[[ "$output" != *"none that start later"* ]] || return 0
	(sleep 0.5; exec setpriv --reuid nobody --clear-groups "$FILES/chain") 3>&- &
	mine=$!
	table cpu-clock:u -u nobody -d 3 -s tid,comm >users
	grep -qE "% +$mine  chain *\$" users
	kill $mine
}

@test "-G and --all-cgroups" {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no cgroup2 file system"
	mkdir "$mount/perf-top-$$" 2>/dev/null || skip "cannot make a cgroup"
	group=$mount/perf-top-$$
	run_it "$FILES/reads"
	run_it "$FILES/chain"
	echo $pid >"$group/cgroup.procs"
	one -G "${group##*/}" -s comm >inside
	grep -qE '100\.00% +chain *$' inside
	# the kernel would sample all tasks of the cgroup
	for others in "-p $pid" "-t $pid" "-u root"; do
		# shellcheck disable=SC2086 # an option and its value
		run "$PERF" top -e cpu-clock -G "${group##*/}" $others --iterations 1
		[ "$status" -eq 129 ]
		[[ $output == "error: a cgroup is watched on CPUs: -G and ${others% *} exclude each other"* ]]
	done
	table cpu-clock -s comm -d 1 >all
	grep -q ' reads *$' all
	one -p $pid --all-cgroups -s comm,cgroup >named
	grep -qE "100\.00% +chain +/.*perf-top-$$" named
	one -p $pid -s comm,cgroup >implied
	grep -qE "100\.00% +chain +/.*perf-top-$$" implied
}

@test "-i: children that begin later are left out" {
	for option in "" -i --no-inherit; do
		rm -f go
		sh -c 'until [ -e go ]; do sleep 0.05; done; "$1" & exec sleep 100' - "$FILES/chain" 3>&- &
		parent=$!
		"$PERF" top -e cpu-clock:u -p $parent -s comm -d 0.3 $option >tables 3>&- &
		top=$!
		until_true has_rings $top
		: >go
		until_true pgrep -x -P $parent chain
		child=$(pgrep -x -P $parent chain)
		if [ -z "$option" ]; then
			until_true grep -q ' chain *$' tables
		else
			n=$(grep -c PerfTop: tables) || :
			more() { [ "$(grep -c PerfTop: tables)" -gt $((n + 2)) ]; }
			until_true more
			run ! grep -q ' chain *$' tables
		fi
		kill $child $top
		wait $top || :
	done
}

@test "-F, -c, -d: how often samples are taken, and tables made" {
	run_it "$FILES/chain"
	# the usual time is two seconds
	"$PERF" top -e cpu-clock:u -p $pid -d 2.5 --iterations 1 --json |
		python3 -c 'import json, sys; assert json.load(sys.stdin)["seconds"] >= 2.5'
	counted() {
		one -p $pid "$@" --json | python3 -c 'import json, sys; t = json.load(sys.stdin); print(t["new"]["samples"], t["seconds"])'
	}
	# at most so many a second, however much of it the program had
	counted -F 50 >few
	awk '{ print } !($1 > 0 && $1 <= 50 * ($2 + 0.1) * 1.3) { exit 1 }' few
	counted -c 20000000 >few
	awk '{ print } !($1 > 0 && $1 <= 50 * ($2 + 0.1) * 1.3) { exit 1 }' few
	counted -F 2000 >many
	[ "$(cut -d' ' -f1 many)" -gt "$(cut -d' ' -f1 few)" ]
	one -p $pid -c 20000000 | grep -q '\[20000000 cpu-clock:u\]'
	one -p $pid -F 50 | grep -q '\[50Hz cpu-clock:u\]'
}

@test "-f, -E: rows that are left out of each form of output" {
	cat >touches.c <<-'EOF'
		#include <stdio.h>
		#include <sys/mman.h>
		#include <unistd.h>
		#define TOUCH(name, pages) \
			__attribute__((noinline)) void name(char *p) { for (int i = 0; i < pages; i++) p[i * 4096L] = 1; }
		TOUCH(many_pages, 2500)
		TOUCH(some_pages, 300)
		TOUCH(few_pages, 20)
		int main(void)
		{
			char *p = mmap(NULL, 2900 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			madvise(p, 2900 * 4096L, MADV_NOHUGEPAGE);
			while (access("go", F_OK))
				usleep(10000);
			many_pages(p);
			some_pages(p + 2500 * 4096L);
			few_pages(p + 2800 * 4096L);
			unlink("go");
			pause();
		}
	EOF
	gcc -O0 -o touches touches.c
	# functions OPTION...: of tables that have seen everything
	functions() {
		run_it ./touches
		"$PERF" top -e page-faults:u -c 1 -p $pid -s sym -d 0.2 "$@" >tables 3>&- &
		local top=$! n
		until_true has_rings $top
		: >go
		until_true test ! -e go
		n=$(grep -c many_pages tables) || :
		more() { [ "$(grep -c many_pages tables)" -gt $((n + 2)) ]; }
		until_true more
		kill $top
		wait $top || :
		kill $pid
		grep -oE 'many_pages|some_pages|few_pages' tables | sort -u | xargs
	}
	for form in "" -x, --json -H "-H --json"; do
		# shellcheck disable=SC2086 # none, one or two
		[ "$(functions $form)" = "few_pages many_pages some_pages" ]
		[ "$(functions $form -f 100)" = "many_pages some_pages" ]
		[ "$(functions $form -f 800)" = "many_pages" ]
		[ "$(functions $form -E 1)" = "many_pages" ]
	done
}

@test "--group, --group-sort-idx: one table of several events, sorted by one of them" {
	cat >faults.c <<-'EOF'
		#include <sys/mman.h>
		static char *memory;
		static volatile unsigned long n;
		__attribute__((noinline)) void spins(void) { for (int i = 0; i < 3000000; i++) n += i; }
		__attribute__((noinline)) void touches(void)
		{
			for (int page = 0; page < 50; page++)
				memory[page * 4096L] = 1;
		}
		int main(void)
		{
			memory = mmap(0, 50 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(memory, 50 * 4096L, MADV_NOHUGEPAGE);
			for (;;) {
				spins();
				touches();
				madvise(memory, 50 * 4096L, MADV_DONTNEED);
			}
		}
	EOF
	gcc -O0 -w -o faults faults.c
	run_it ./faults
	one -p $pid -e page-faults:u -s sym >apart
	[ "$(grep -c PerfTop: apart)" -eq 2 ]
	one -p $pid -e page-faults:u -s sym --group >group
	[ "$(grep -c PerfTop: group)" -eq 1 ]
	first() { awk '$NF ~ /^(spins|touches)$/ { print $NF; exit }' "$1"; }
	grep -qE '^ +[0-9.]+% +0\.00% +\[\.\] spins' group
	[ "$(first group)" = spins ]
	one -p $pid -e page-faults:u -s sym --group --group-sort-idx 1 >second
	[ "$(first second)" = touches ]
}

@test "what the kernel is asked for: --namespaces, --no-bpf-event, -m" {
	run_it "$FILES/chain"
	calls perf_event_open -e cpu-clock:u -p $pid
	grep -q 'bpf_event=1' calls || skip "strace does not show it"
	run ! grep -q 'namespaces=1' calls
	calls perf_event_open -e cpu-clock:u -p $pid --namespaces
	grep -q 'namespaces=1' calls
	calls perf_event_open -e cpu-clock:u -p $pid --no-bpf-event
	run ! grep -q 'bpf_event=1' calls
	# rings of so many pages, behind one that describes them
	page=$(getconf PAGESIZE)
	for size in 8:8 64:64 1M:$((1048576 / page)); do
		calls mmap -e cpu-clock:u -p $pid -m "${size%:*}"
		grep -q "mmap(NULL, $(((1 + ${size#*:}) * page)), PROT_READ|PROT_WRITE, MAP_SHARED" calls
	done
	run "$PERF" top -m x --iterations 1
	[[ "$status" -ne 0 && "$output" == *"'x' is not a size of a ring"* ]]
}

@test "how perf runs: -r, --num-thread-synthesize, --proc-map-timeout" {
	run_it "$FILES/chain"
	threads() {
		# where there is much to draw, threads help with that
		calls clone,clone3 -e page-faults:u -c 1000000000 "$@"
		grep -c CLONE_THREAD calls
	}
	[ "$(threads --num-thread-synthesize 4)" -eq $(($(threads) + 4)) ]
	gcc -o many "$BATS_TEST_DIRNAME/many-maps.c"
	run_it ./many
	many=$pid
	until_true test -e ready
	one -p $many --proc-map-timeout 100000 2>said
	run ! grep -q -- --proc-map-timeout said
	one -p $many --proc-map-timeout 1 2>said
	grep -q "in 1 ms" said
	grep -q -- --proc-map-timeout said
	# last, as it may not be allowed
	chrt -f 3 true || skip "no real-time priorities here"
	"$PERF" top -r 3 -e cpu-clock:u -p $many -d 0.3 >tables 3>&- &
	top=$!
	until_true grep -q PerfTop tables
	chrt -p $top >policy
	grep -q SCHED_FIFO policy
	grep -q 'priority: 3$' policy
	run "$PERF" top -r 1000 -e cpu-clock:u -p $many --iterations 1
	[[ "$status" -eq 1 && "$output" == *"cannot run with real-time priority 1000"* ]]
}

@test "-g, --no-children, --max-stack, --ignore-callees, --inline: frames of call chains" {
	run_it "$FILES/chain"
	one -p $pid -s sym -g >with
	grep -q '^# Children' with
	awk '$NF == "main" { found = $1 + 0 > 95 } END { exit !found }' with
	# callers come first with totals, and the function itself without
	inner_first() { # of upper, which main calls
		awk '$NF ~ /(^|-)upper$/ && !u { u = NR } $NF ~ /(^|-)main$/ && !m { m = NR } END { exit !(u && m && u < m) }' "$1"
	}
	run ! inner_first with
	grep -q upper with
	one -p $pid -s sym -g --no-children >without
	inner_first without
	run ! grep -q '^# Children' without
	# one line for each chain of the row of the program, the innermost frame first
	chains() { one -p $pid -s comm --no-children --call-graph fp,folded,0,callee "$@" | grep leaf; }
	chains | grep -q 'leaf;middle;upper;main'
	chains --max-stack 2 >two
	grep -q 'leaf;middle *$' two
	run ! grep -q ';.*;' two
	chains --max-stack 0 | grep -q 'leaf;middle;upper;main'
	run ! eval "chains | grep -q melted"
	chains --inline | grep -q 'melted (inlined);leaf;middle'
	# what this function calls is its own; but for samples in front of the instructions that make a frame
	one -p $pid -s sym -g --no-children --ignore-callees '^middle$' >ignoring
	cat ignoring
	awk '$NF == "middle" && $1 ~ /%$/ { found = $1 + 0 > 80 } END { exit !found }' ignoring
}

@test "a function's text: -M, --asm-raw, --objdump, --no-source, --prefix, --prefix-strip" {
	[ "$(uname -m)" = x86_64 ] || skip "the instructions are those of x86-64"
	run_it "$FILES/chain"
	text() { one -p $pid --sym-annotate leaf "$@"; }
	text >plain
	grep -q 'mov .*%rsp,%rbp' plain
	grep -q 'n += i;' plain
	text --no-source --source | grep -q 'n += i;'
	text -M intel | grep -q 'mov .*rbp,rsp'
	run ! grep -q ': *48 89 e5 ' plain
	text --asm-raw | grep -qE ': +48 89 e5 +mov '
	text --no-source >bare
	run ! grep -q 'n += i;' bare
	grep -q 'mov .*%rsp,%rbp' bare
	printf '#!/bin/sh\necho "$@" >>"%s"\nexec objdump "$@"\n' "$PWD/called" >mine
	chmod +x mine
	text --objdump "$PWD/mine" | grep -q '%rsp,%rbp'
	grep -q chain called
	# a source that lies elsewhere
	mkdir -p "else$FILES/src" short
	mv "$FILES/src/chain.cc" "else$FILES/src/"
	text >nowhere
	run ! grep -q 'n += i;' nowhere
	text --prefix "$PWD/else" >elsewhere
	cp "else$FILES/src/chain.cc" short/
	text --prefix "$PWD/short" --prefix-strip 99 >stripped
	mv "else$FILES/src/chain.cc" "$FILES/src/"
	grep -q 'n += i;' elsewhere
	grep -q 'n += i;' stripped
}

@test "source lines in rows: --addr2line, --full-source-path, --prefix" {
	run_it "$FILES/chain"
	printf '#!/bin/sh\necho "$@" >>"%s"\nexec addr2line "$@"\n' "$PWD/called" >asked
	chmod +x asked
	one -p $pid -s srcline --addr2line "$PWD/asked" --addr2line-style addr2line >lines
	grep -qE '% +chain.cc:[456] *$' lines
	grep -q chain called
	rm called
	one -p $pid -s srcline >lines
	grep -qE '% +chain.cc:[456] *$' lines
	[ ! -e called ]
	one -p $pid -s srcfile --full-source-path --prefix /o --prefix-strip 1 >lines
	grep -qE "% +/o/${FILES#/*/}/src/chain.cc *\$" lines
	run "$PERF" top --addr2line ./nowhere -s srcline --iterations 1 -d 0.1
	[[ "$status" -ne 0 && "$output" == *"--addr2line: there is no program './nowhere'"* ]]
}

@test "names of the kernel: --kallsyms, -k, --ignore-vmlinux, --demangle-kernel; -K leaves it out" {
	grep -q '[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms || skip "this kernel hides its addresses"
	[ "$(uname -m)" = x86_64 ] || skip "the kernel's addresses are those of x86-64"
	run_it "$FILES/reads"
	kernel() { table cpu-clock:k -p $pid -s sym "$@"; }
	kernel >plain
	grep -q '\[k\] [a-z]' plain
	run ! grep -q copied_ plain
	sed -E 's/^([0-9a-f]+ [a-zA-Z] )/\1copied_/' /proc/kallsyms >copy
	kernel --kallsyms copy >copied
	grep -q '\[k\] copied_' copied
	run ! grep -q '\[k\] [abd-z]' copied
	# one function, as large as a kernel; of this build
	cat >v.s <<-'EOF'
		.globl _text, _Z5startPKc
		.section .code, "ax", @nobits
		_text:
		.type _Z5startPKc, @function
		_Z5startPKc: .skip 0x8000000
		.size _Z5startPKc, .-_Z5startPKc
	EOF
	id=$("$PERF" buildid-list --kernel)
	gcc -nostdlib -static -Wl,--section-start=.code=0xffffffff81000000 -Wl,-e0 -Wl,--build-id=0x$id -o v v.s
	kernel -k v >mangled
	grep -q '\[k\] _Z5startPKc' mangled
	kernel -k v --demangle-kernel | grep -q '\[k\] start'
	kernel -k v --ignore-vmlinux >ignored
	run ! grep -q startPKc ignored
	# one that lies here by its name
	cp v vmlinux
	kernel | grep -q '\[k\] _Z5startPKc'
	kernel --ignore-vmlinux >ignored
	run ! grep -q startPKc ignored
	grep -q '\[k\] [a-z]' ignored
	rm vmlinux
	kernel -K >left
	run ! grep -q '\[k\]' left
	grep -q '100% is 0 samples' left
	kernel -U | grep -q '\[k\]'
}

@test "--show-on-off-events: the events that switch are counted, too" {
	"$PERF" list tracepoint 2>/dev/null | grep -q raw_syscalls:sys_enter || skip "no raw_syscalls:sys_enter"
	run_it "$FILES/reads"
	# each of them switches
	switching() {
		"$PERF" top -e raw_syscalls:sys_enter -p $pid -s comm -d 0.5 --iterations 1 \
			--switch-on raw_syscalls:sys_enter --switch-off raw_syscalls:sys_enter "$@"
	}
	switching | grep -q '100% is 0 samples'
	switching --show-on-off-events | grep -qE '100\.00% +reads'
}

@test "names of the kernel come from its list in the cache, also from one of another boot" {
	grep -q '[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms || skip "this kernel hides its addresses"
	[ "$(uname -m)" = x86_64 ] || skip "the kernel's addresses are those of x86-64"
	grep -qm1 -E '^ffffffff[89ab]' /proc/kallsyms || skip "the kernel's addresses are unusual"
	id=$("$PERF" buildid-list --kernel)
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	# the kernel itself 256 MB further up
	sed -E '/\[/b names
		s/^(ffffffff)b/\1c/; t names; s/^(ffffffff)a/\1b/; t names
		s/^(ffffffff)9/\1a/; t names; s/^(ffffffff)8/\19/
		:names
		/ _[se]?text$/!s/^([0-9a-f]+ [a-zA-Z] )/\1copied_/' \
		/proc/kallsyms >"cache/.build-id/${id:0:2}/${id:2}/kallsyms"
	run_it "$FILES/reads"
	timeout 60 "$PERF" --buildid-dir "$PWD/cache" top -e cpu-clock:k -p $pid -s sym -d 0.5 --iterations 2 >copied
	grep -q '\[k\] copied_' copied
	# what reads files is there, and not by chance a neighbour that is as far from it
	grep -qE '\[k\] copied_.*(read|sys|copy|zero)' copied
	run ! grep -q '\[k\] [abd-z]' copied
	# not from one that is cut short, nor where no address tells how far it is to be moved
	list=cache/.build-id/${id:0:2}/${id:2}/kallsyms
	cp "$list" whole
	head -n 20000 whole >"$list"
	timeout 60 "$PERF" --buildid-dir "$PWD/cache" top -e cpu-clock:k -p $pid -s sym -d 0.5 --iterations 2 >short
	grep -qE '\[k\] .*(read|sys|copy|zero)' short
	cp whole "$list"
	timeout 60 setpriv --bounding-set -syslog --inh-caps -syslog "$PERF" --buildid-dir "$PWD/cache" \
		top -e cpu-clock:k -p $pid -s sym -d 0.5 --iterations 2 >hidden 2>hidden.err
	cat short hidden hidden.err
	grep -q '\[k\]' hidden
	run ! grep -q copied_ short hidden
}
