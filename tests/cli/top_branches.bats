#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top on CPUs that record branches, which branch-shim.c plays: samples and branches are chosen.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	gcc -shared -fPIC -o "$FILES/shim.so" "$BATS_TEST_DIRNAME/branch-shim.c" -ldl
	cat >"$FILES/prog.c" <<-'END'
	#include <unistd.h>
	static volatile int n;
	#define FUNCTION(name) __attribute__((noinline)) void name(void) { for (int i = 0; i < 9; i++) n += i; }
	FUNCTION(alpha)
	FUNCTION(beta)
	FUNCTION(gamma_)
	FUNCTION(delta)
	FUNCTION(epsilon)
	int main(void) { alpha(), beta(), gamma_(), delta(), epsilon(); for (;;) pause(); }
	END
	gcc -O0 -no-pie -o "$FILES/prog" "$FILES/prog.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || skip "the program's addresses are those of x86-64"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$FILES/prog" 3>&- &
	pid=$!
	until_true comm_is $pid prog
	nm "$FILES/prog" >symbols
	export BRANCH_SAMPLES=$PWD/samples
}

teardown() {
	end_jobs
}

# The address of FUNCTION, so many bytes behind its begin.
at() {
	printf %x $((0x$(awk -v f="$1" '$3 == f { print $1 }' symbols) + ${2:-0}))
}

# One table of what is in the file "samples".
table() {
	LD_PRELOAD=$FILES/shim.so "$PERF" top -e cycles:u -p "$pid" --stdio -d 0.3 --iterations 1 "$@" >out 2>err || {
		cat out err
		return 1
	}
	run ! grep -qi warning err
}

# From alpha to beta, from there to gamma_: 30 times; from gamma_ to alpha: 10 times.
three_branches() {
	cat >samples <<-END
	30 $pid $(at gamma_ 8) $(at beta 12)-$(at gamma_)-7,$(at alpha 16)-$(at beta)-3 -
	10 $pid $(at alpha 4) $(at gamma_ 20)-$(at alpha)-5 -
	END
}

@test "with keys of branches each branch is a row's sample" {
	three_branches
	table -b -s symbol_from,symbol_to -x, -n
	cat out
	# number of the table, event, percentage, samples, ends
	grep -q '^1,cycles:u,42.86%,30,\[\.\] alpha,\[\.\] beta$' out
	grep -q '^1,cycles:u,42.86%,30,\[\.\] beta,\[\.\] gamma_$' out
	grep -q '^1,cycles:u,14.29%,10,\[\.\] gamma_,\[\.\] alpha$' out
	[ "$(grep -c '^1,' out)" -eq 3 ]
	# asked for by the keys alone, and the title says what is counted
	table -s dso_to,mispredict
	grep -q '100% is 70 branches' out
	grep -q '100.00%  prog *N' out
}

@test "without such keys samples are rows, as in perf 6.1, and functions show cycles" {
	three_branches
	table -b -s symbol -x, -n
	grep -q '^1,cycles:u,75.00%,30,\[\.\] gamma_$' out
	grep -q '^1,cycles:u,25.00%,10,\[\.\] alpha$' out
	[ "$(grep -c '^1,' out)" -eq 2 ]
	# from the begin of gamma_ to its first jump: 7 cycles
	jump=$(objdump -d --disassemble=gamma_ "$FILES/prog" | awk '/\tjmp / { sub(":", "", $1); print $1; exit }')
	echo "30 $pid $(at gamma_) $jump-$(at gamma_)-7,$(at beta)-$(at gamma_)-3 -" >samples
	table -b --sym-annotate gamma_
	cat out
	grep -q 'IPC Cycle' out
	grep -qE '^ +[0-9.]* +0\.57 +7 .*jmp' out # four instructions
	echo "30 $pid $(at gamma_) - -" >samples
	table -b --sym-annotate gamma_
	grep -q 'Disassembly of prog' out
	run ! grep -q 'IPC Cycle' out
}

@test "-j: kinds of branches, of which a wrong one is named" {
	export BRANCH_TYPES=$PWD/types
	# the kinds that the events ask for, in hex; bits from 16 on say what is told of a branch
	kinds() {
		rm -f types
		table "$@"
		for type in $(sort -u types); do printf '%x\n' $((0x$type & 0xffff)); done
	}
	three_branches
	[ "$(kinds -j any_call,u -s symbol)" = 11 ]
	grep -q '\[\.\] gamma_' out
	[ "$(kinds -j any_ret,cond -s symbol)" = 420 ]
	# keys that ask for branches of any kind change nothing about it
	[ "$(kinds -j any_call -s symbol_to -x,)" = 10 ]
	grep -q '\[\.\] gamma_$' out
	[ "$(kinds -s symbol_to)" = 8 ]
	[ "$(kinds -b -s symbol)" = 8 ]
	run "$PERF" top -j nosuch --iterations 1
	[ "$status" -eq 129 ]
	[[ "$output" == *"'nosuch' is not a branch filter"* ]]
}

@test "--branch-history: branches stand in front of the call chain" {
	# the chain: gamma_ was called by delta
	printf '20 %d %s %s %s\n' $pid "$(at gamma_ 8)" "$(at beta 12)-$(at gamma_)-7,$(at alpha 16)-$(at beta)-3" \
		"fffffffffffffe00,$(at gamma_ 8),$(at delta 9)" >samples
	table --branch-history -s symbol --no-children --call-graph fp,folded,0,callee
	cat out
	grep -qE 'gamma_.*;gamma_.*;beta.*;beta.*;alpha.*;delta' out
	# frames differ by address, not by function
	grep -q 'gamma_ +8;gamma_ +0;beta +12;beta +0;alpha +16;delta +9' out
	# the rows are source lines, and then functions
	table --branch-history
	cat out
	grep -qE '^# Children +Self +Source:Line +Symbol +Shared Object' out
	# the word branch of --call-graph does the same, frame by function
	table --call-graph fp,folded,0,callee,branch -s symbol --no-children
	grep -qE 'gamma_.*;beta.*;alpha.*;delta' out
	# without, the chain is the kernel's
	table -b --call-graph fp,folded,0,callee -s symbol --no-children
	grep -qE 'gamma_;delta' out
	run ! grep -q beta out
}

@test "--call-graph lbr: callers are those of the CPU's registers, which --stitch-lbr continues" {
	# three registers: epsilon is the fourth function, so the call from alpha is lost
	cat >samples <<-END
	10 $pid $(at delta 8) $(at gamma_ 9)-$(at delta)-0,$(at beta 9)-$(at gamma_)-0,$(at alpha 9)-$(at beta)-0 fffffffffffffe00,$(at delta 8)
	10 $pid $(at epsilon 8) $(at delta 9)-$(at epsilon)-0,$(at gamma_ 9)-$(at delta)-0,$(at beta 9)-$(at gamma_)-0 fffffffffffffe00,$(at epsilon 8)
	END
	share() { awk -F, -v f="[.] $1" '$NF == f { print $3 }' out; }
	table --call-graph lbr -s symbol -x,
	cat out
	[ "$(share beta)" = 100.00% ]
	[ "$(share alpha)" = 50.00% ]
	table --call-graph lbr --stitch-lbr -s symbol -x,
	[ "$(share beta)" = 100.00% ]
	[ "$(share alpha)" = 100.00% ]
}

@test "what excludes each other is refused, and so is what the kernel cannot do" {
	check() { # EXIT TEXT OPTION...
		local code=$1 text=$2
		shift 2
		run "$PERF" top --iterations 1 "$@"
		echo "$* -> $status: $output"
		[ "$status" -eq "$code" ] && [[ $output == *"$text"* ]]
	}
	check 129 "recorded branches and '--call-graph lbr' exclude each other" -b --call-graph lbr
	check 129 "--stitch-lbr continues call chains" --stitch-lbr
	check 129 "--stitch-lbr continues call chains" --stitch-lbr -g
	check 129 "call chains and keys of branches exclude each other" -g -s symbol_from
	check 129 "'ipc_lbr' is for perf report only" -s ipc_lbr
	check 129 "--parallelism" --parallelism x
	# a clock has no branches
	check 1 "branch" -b -e cpu-clock
}
