#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf diff: the rows and numbers of the system's perf, and what is ours.

bats_require_minimum_version 1.5.0
other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >prog.c <<-'END'
	#include <stdlib.h>
	volatile long x;
	__attribute__((noinline)) void first(long n) { for (long i = 0; i < n; i++) x += i; }
	__attribute__((noinline)) void second(long n) { for (long i = 0; i < n; i++) x ^= i; }
	__attribute__((noinline)) void NAME(long n) { for (long i = 0; i < n; i++) x -= i; }
	int main(int argc, char **argv)
	{
		for (int i = 0; i < 1000; i++) { /* some hundred samples */
			first(atol(argv[1]));
			second(atol(argv[2]));
			NAME(atol(argv[3]));
		}
	}
	END
	mkdir old new
	gcc -O1 -DNAME=gone prog.c -o old/prog
	gcc -O1 -DNAME=come -Wl,--section-start=.text=0x20000 prog.c -o new/prog
	# What was sampled is chosen: rows of nearly the same share change places, and a change of less than
	# 0.005 % is +0.00% here and -0.00% there.
	for n in old new; do
		"$PERF" record -q -e cpu-clock:u -F 2000 --sample-cpu -o live.$n -- $n/prog 90000 90000 90000
	done
	set_samples() { printf '%s\n' "${@:3}" | "$BATS_TEST_DIRNAME/set-samples" live.$1 $1/prog $2; }
	set_samples old A '1280 first' '480 second' '234 gone' '6 main'
	set_samples new B '320 first' '1276 second' '192 come' '12 main'
	set_samples new C '800 first' '760 second' '190 come' '30 main'
	"$PERF" record -q -e page-faults -c 1 -o faults -- old/prog 1 1 1
	mkdir program
	"$BATS_TEST_DIRNAME/make-true" program/true
	PROGRAM=$PWD/program/true "$BATS_TEST_DIRNAME/make-samples" crowd crowd
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# The same but for the name of a stub of libc and so the width of its column: difference plt-slots.
alike() {
	grep -q '@plt' ours && diff <(plain theirs) <(plain ours)
}
plain() { sed -E 's/[^ ]*@plt/@plt/; s/\.{2,}/../g; s/ +/ /g' "$1" | sort; }

# The lines that say how true each file is (diff-truth).
without_truth() { grep -v "^# Truth of '"; }

# What only one file has has its difference in ours (diff-gone); 6.1 leaves column and formula empty, or says N/A.
without_gone() {
	python3 -c 'import re, sys
for line in sys.stdin:
    line = re.sub(r"^( +([0-9.]+%).* )(-\2)(?= )", lambda m: m[1] + " " * len(m[3]), line)
    print(re.sub(r"\(0 \* 100 / \d+\) - \(\d+ \* 100 / \d+\)", lambda m: " " * len(m[0]), line), end="")'
}

@test "rows and numbers of the system's perf" {
	[ -x $other ] || skip "no other perf"
	while read -r args; do
		"$PERF" diff --no-confidence $args | without_truth | without_gone | sort >ours
		$other diff $args 2>/dev/null | sort >theirs
		# N/A or empty in 6.1 (diff-gone); tested below
		case $args in *ratio* | *wdiff*) sed -i -E '/ (come|gone)$/d' ours theirs ;; esac
		[ -s ours ]
		diff theirs ours || alike || { echo "$args"; false; }
	done <<-'END'
	A B
	-c delta A B
	-c ratio A B
	-c wdiff:1,2 A B
	-c wdiff:3,-4 -F A B
	-p -F A B
	-q A B
	-s comm A B
	-s dso A B
	-s sym A B
	-s pid,dso,sym A B
	-d prog A B
	-d prog --percentage relative A B
	-C prog -p A B
	-c ratio -p -F A B C
	--time 0%-50% A B
	END
}

@test "the order of rows" {
	[ -x $other ] || skip "no other perf"
	while read -r without args; do
		"$PERF" diff --no-confidence -d prog $args | without_truth | grep -vE " ($without)$" >ours
		diff <($other diff -d prog $args 2>/dev/null | grep -vE " ($without)$") ours || { echo "$args"; false; }
	done <<-'END'
	gone A B
	gone -o 0 A B
	gone -o 2 A B C
	gone -c delta A B
	come|gone -c ratio A B
	come|gone -c wdiff:1,2 A B
	END
}

@test "what is gone has its difference, and what is sure comes first" {
	order() { "$PERF" diff -q -d prog "$@" | awk '{ print $NF }' | tr '\n' ' '; }
	"$PERF" diff -d prog A B >ours
	grep -E '^ +11\.70% +-11\.70% +\[-[0-9.]+%, -[0-9.]+%\] +\[\.\] gone$' ours
	[ "$(order A B)" = "second first gone come main " ]
	[ "$(order -c delta A B)" = "second come gone first main " ]
	[ "$(order -c delta --no-confidence A B)" = "second come main gone first " ]
	[ "$(order -o 0 A B)" = "first second gone main come " ]
}

@test "a ratio calls what one file lacks new or gone; its weighted difference is known" {
	order() { "$PERF" diff -q -d prog "$@" | awk '{ print $NF }' | tr '\n' ' '; }
	"$PERF" diff -c ratio -F -d prog A B >ours
	grep -E '^ +new +\[51\.55, inf\] +192000000 / 0 +\[\.\] come$' ours
	grep -E '^ +11\.70% +gone +\[0\.00, 0\.02\] +0 / 234000000 +\[\.\] gone$' ours
	[ "$(order -c ratio A B)" = "come second first gone main " ]
	[ "$(order -c ratio --no-confidence A B)" = "come second main first gone " ]
	"$PERF" diff -c wdiff:1,2 -F -d prog A B >ours
	grep -E '^ +384000000 +\[329558764, 438316115\] +\(192000000 \* 2\) - \(0 \* 1\) +\[\.\] come$' ours
	grep -E '^ +11\.70% +-234000000 +\[-263981684, -203123914\] +\(0 \* 2\) - \(234000000 \* 1\) +\[\.\] gone$' ours
	[ "$(order -c wdiff:1,2 A B)" = "second come main gone first " ]
	# a file without the event has nothing to compare
	"$PERF" diff -q -c ratio -d prog A faults >ours
	run ! grep -E '% +gone' ours
}

@test "the files: none, one, many; settings" {
	mkdir -p two && cp A two/perf.data.old && cp B two/perf.data
	diff <("$PERF" diff A B | without_truth) <(cd two && "$PERF" diff | without_truth)
	diff <("$PERF" diff A C | without_truth) <(cd two && "$PERF" diff ../C | without_truth)
	"$PERF" diff A B C | grep -q '^#  \[2\] C'
	[ "$("$PERF" diff A B C | grep -c 'Delta Abs/[12]')" -eq 1 ]
	printf '[diff]\ncompute = ratio\norder = 0\n' >config
	PERF_CONFIG=$PWD/config "$PERF" diff A B | grep -q '  Ratio '
	diff <(PERF_CONFIG=$PWD/config "$PERF" diff A B) <("$PERF" diff -c ratio -o 0 A B)
}

@test "-b: what both have, with the same shares" {
	"$PERF" diff -b A B >ours
	grep -q '[]] first$' ours
	run ! grep -E '[]] (gone|come)$' ours
	diff <(grep -E '[]] (first|second)$' ours | sed 's/ \+/ /g') \
		<("$PERF" diff A B | grep -E '[]] (first|second)$' | sed 's/ \+/ /g')
}

@test "-S chooses functions; file:// names a list" {
	"$PERF" diff -S first,come A B >ours
	grep -q '[]] first$' ours
	grep -q '[]] come$' ours
	run ! grep '[]] second$' ours
	printf 'first\ncome\n' >names
	diff ours <("$PERF" diff -S "file://$PWD/names" A B)
	run -129 "$PERF" diff -S file://nowhere A B
	[[ "$output" == *"cannot read '"*"nowhere'"* ]]
}

# periods OPTION...: the sums of both files, which tell the samples: see make-samples
periods() {
	"$PERF" diff -q --no-confidence -p -t'|' -s pid "$@" crowd crowd 2>/dev/null |
		awk -F'|' '{ base += $2; other += $4 } END { print base + 0, other + 0 }'
}

@test "filters: each takes its samples and no others, of both files or of one" {
	while read -r base other options; do
		[ "$(periods $options)" = "$base $other" ] || { echo "$options: $(periods $options), not $base $other"; false; }
	done <<-'END'
	127 127
	48 48 --pid 200
	12 12 --tid 101
	67 67 --tid 100,300
	21 21 --cpu 0
	106 106 --cpu 1,3-5
	12 12 -C helper
	60 60 --comms helper,other
	47 47 -d true
	16 16 --dsos none.so
	37 37 -S __stack_chk_fail@plt
	37 37 --symbols __stack_chk_fail@plt,main
	12 12 --time 1.1,1.18
	3 112 --time ,1.1:1.2,
	127 12 --time :1.1,1.18
	END
	"$PERF" diff -q -t'|' --no-confidence -s tid --pid 200 crowd crowd 2>/dev/null | grep -qE '^37.80\|'
	"$PERF" diff -q -t'|' --no-confidence -s tid --pid 200 --percentage relative crowd crowd 2>/dev/null | grep -qE '^100.00\|'
}

@test "-v names the files and shows addresses; -f reads what is another user's" {
	"$PERF" diff -v A B >ours
	grep -qx '#  \[0\] A (Baseline)' ours
	grep -qE '%  .* 0x[0-9a-f]+ +[a-zA-Z!] \[\.\] second$' ours
	run ! grep -E '#  \[0\]|0x[0-9a-f]+ +[a-zA-Z!] \[\.\] second$' <("$PERF" diff A B)
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	cp B theirs
	chown 12345 theirs
	run -1 "$PERF" diff A theirs
	[[ "$output" == *"is not owned by the current user or root"*"hint: use -f"* ]]
	for f in -f --force; do
		diff <("$PERF" diff -q $f A theirs) <("$PERF" diff -q A B)
	done
}

@test "how sure it is: great changes, small ones, none" {
	"$PERF" diff A B >ours
	grep -q '95% interval' ours
	grep -E '[]] second$' ours | grep -qF '[+'
	grep -E '[]] first$' ours | grep -qF '[-'
	"$PERF" diff A A >same
	grep -q '^# No significant change (95% confidence)$' same
	[ "$(grep -c 'no significant change' same)" -eq "$(grep -c '%.*\[' same)" ]
	# the interval grows with the confidence
	ends() { "$PERF" diff --confidence="$1" -S second A B | sed -n 's/.*\[+\(.*\)%, +\(.*\)%\].*/\1 \2/p'; }
	echo "$(ends 99) $(ends 50)" | awk '{ exit !(NF == 4 && $1 < $3 && $2 > $4) }'
	"$PERF" diff -t, A B | grep -q '^# Baseline,Delta Abs,Shared Object,Symbol$'
	"$PERF" diff -t, --confidence A B | grep -q '^# Baseline,Delta Abs,95% interval,'
}

@test "functions and libraries that a build or a release named anew" {
	for n in 0 7; do
		mkdir -p clone$n
		cat >clone$n/lib.c <<-END
		volatile long x;
		void work(long) __asm__("work.constprop.$n");
		void work(long n) { for (long i = 0; i < n; i++) x += i; }
		void both(void) { work(60000000); }
		END
		gcc -O1 -shared -fPIC clone$n/lib.c -o clone$n/libwork.so.$n -Wl,-soname,libwork.so.$n
		echo 'void both(void); int main(void) { both(); }' >clone$n/main.c
		gcc clone$n/main.c clone$n/libwork.so.$n -Wl,-rpath,"$PWD/clone$n" -o clone$n/prog
		"$PERF" record -q -e cpu-clock:u -F 2000 -o clone$n/data -- clone$n/prog
	done
	"$PERF" diff clone0/data clone7/data >ours
	grep -qE '^ +[0-9.]+% +[-+][0-9.]+% .* libwork.so.0 +\[\.\] work.constprop.0$' ours
	run ! grep -q 'work.constprop.7' ours
}

@test "-D, pipes, quoted fields" {
	diff <("$PERF" diff -D A B) <(for f in A B; do "$PERF" report -D -i $f | tail -n +3; done)
	[ "$("$PERF" diff A B | head -1)" = "# Event 'cpu-clock:u'" ]
	"$PERF" diff -t. -q A B | grep -q '"[0-9]*\.[0-9]*"\."'
}

@test "mistakes are named, with what to do" {
	refused() { # exit code, text, arguments
		local code=$1 text=$2
		shift 2
		run -"$code" "$PERF" diff "$@"
		[[ "$output" == *"error: "*"$text"* ]] || { echo "$output"; false; }
	}
	refused 129 "'foo' is not a way to compare" -c foo A B
	refused 129 "two weights" -c wdiff:1 A B
	refused 129 "takes no" -c delta:1 A B
	refused 129 "the files are numbered 0 to 1" -o 2 A B
	refused 129 "foo" -s foo A B
	refused 129 "'relative' or 'absolute'" --percentage x A B
	refused 129 "not a percentage" --confidence=100 A B
	refused 129 "3 ranges for 2 files" --time 1,:2,:3, A B
	refused 129 "--cpu" --cpu x A B
	refused 129 "--pid" --pid x A B
	refused 1 "nowhere" A nowhere
	refused 1 "do not say on which CPU" --cpu 0 A faults
	run "$PERF" diff A faults
	[[ "$output" == *"'A' and 'faults' have no event in common"* ]]
	[[ "$output" != *"No significant change"* ]]
	head -c 3000 B >cut
	run "$PERF" diff A cut
	[ "$status" -eq 1 ]
}

# first() of both programs loops from its offset 0x22 to 0xa; see make-branches.
make_branches() {
	here=$BATS_TEST_DIRNAME
	mkdir -p loose tight
	gcc -O1 -DNAME=gone prog.c -o tight/prog
	gcc -O1 -DNAME=come -falign-functions=64 prog.c -o loose/prog
	"$here/make-branches" "$PWD/tight/prog" BA first:22:a:60:18,22 second:22:a:40:30
	"$here/make-branches" "$PWD/loose/prog" BB first:22:a:50:23,27 second:22:a:50:30
}

@test "-c cycles: mean cycles of the same blocks" {
	make_branches
	"$PERF" diff -c cycles BA BB >ours
	# four branches are three blocks: 180 of 18, 22, 18 cycles, 150 of 23, 27, 23: 5 more,
	# +-1.96 sqrt(v/180 + v/150), v = 32/9
	grep -qE '^ +60.00% +\[first\+0xa -> first\+0x22\] +5 +\[\+4\.6, \+5\.4\] +prog +\[\.\] first$' ours
	grep -qE '^ +40.00% +\[second.* 0 +no significant change' ours
	[ "$(grep -vc '^#' ours)" -eq 2 ]
	"$PERF" diff -c cycles --cycles-hist --no-confidence BA BB | grep first | grep -qF '± 9.8% █  '
	"$PERF" diff -c cycles --cycles-hist --no-confidence BA BB | grep first | grep -qF '± 7.8% '
	"$PERF" diff -c cycles -t, -q BA BB | grep -qF 'first+0x22]    5,prog,[.] first'
	run -129 "$PERF" diff --cycles-hist BA BB
	[[ "$output" == *"needs -c cycles"* ]]
	run -1 "$PERF" diff -c cycles A B
	[[ "$output" == *"has no branch stacks"*"record -b"* ]]
}

@test "--stream: the runs of branches that are common, and those that are not" {
	make_branches
	"$BATS_TEST_DIRNAME/make-branches" "$PWD/loose/prog" BC first:22:a:50:23 come:22:a:50:30
	"$PERF" diff --stream BA BC >ours
	grep -qE 'cycles: 80, hits: 60.00%.*cycles: 92, hits: 50.00%' ours
	sed -n '/in old/,/in new/p' ours | grep -q 'hits: 40.00%'
	sed -n '/in old/,/in new/p' ours | grep -q 'second+0x22'
	sed -n '/in new/,$p' ours | grep -q 'come+0x22'
	run -1 "$PERF" diff --stream A B
}

@test "a missing file: the hint names what diff takes, which has no -i" {
	run -1 "$PERF" diff nosuch A
	[[ "$output" == *"error: cannot open 'nosuch'"*"hint: name the recordings to compare: perf diff OLD NEW"* ]]
	[[ "$output" != *" -i"* ]]
	run -1 "$PERF" diff -D A nosuch
	[[ "$output" == *"hint: name the recordings to compare"* ]]
}

@test "diff compares stripped code by address only within one build" {
	mkdir -p stripped && cd stripped
	for name in gone fresh; do
		printf 'volatile long s;\nstatic __attribute__((noinline)) void %s(long n) { for (long i = 0; i < n; i++) s += i * %d; }\nint main(void) { %s(30000000); return 0; }\n' \
			$name ${#name} $name >$name.c
		gcc -O1 $name.c -o prog && strip prog
		"$PERF" record -q -e cpu-clock:u -o $name.1 ./prog
		"$PERF" record -q -e cpu-clock:u -o $name.2 ./prog
	done
	rows() {
		"$PERF" diff "$@" 2>/dev/null | grep -E '\[prog\+0x[0-9a-f]+\]' | grep -E '[0-9]{2}\.[0-9]{2}%'
	}
	rows gone.1 fresh.1 >out
	cat out
	[ "$(wc -l <out)" -eq 2 ]
	grep -qE '^ +[0-9.]+% +-[0-9.]+% ' out # the old function is lost, the new one has no baseline
	grep -qE '^ {10,}\+[0-9.]+% ' out
	[ "$(rows gone.1 gone.2 | wc -l)" -eq 1 ]
}
