#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The terminal browser of perf c2c report: the list of lines, the accesses of one, its keys.
bats_require_minimum_version 1.5.0

load screen

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	"$BATS_TEST_DIRNAME/../cli/make-c2c" "$FILES/data"
}

setup() {
	screen_setup
}

teardown() {
	screen_teardown
}

@test "the list has the rows of plain text, ENTER shows the accesses of a line" {
	"$PERF" c2c report --stdio -i "$FILES/data" >text
	start 260x40 "$PERF c2c report -i $FILES/data"
	see "Shared Data Cache Line Table     (9 entries, sorted on Total HITMs)" "------- Load Hitm -------" "RmtHitm"
	grep -E '^ +[0-9] +0x' screen | sed 's/ *$//; s/^ *//' >rows
	sed -n '/Cache Line Table/,/Pareto/p' text | grep -E '^ +[0-9] +0x' | sed 's/^ *//' >plain
	diff -u plain rows
	key Down Enter
	address=$(awk 'NR == 2 { print $2 }' plain)
	see "Cacheline $address" "Code address" "RmtHitm"
	first=$(awk '/Pareto/ { on = 1 } on && /^ +-----/ { rule++ } rule == 4 && $6 == "0x0" { print $1, $2, $3; exit }' text)
	wait_for grep -qE "^ *${first// / +} " screen
	key n
	see 'Node{cpus %hitms %stores}'
	key n
	see 'Node{cpu list}'
	key q
	see "Shared Data Cache Line Table"
	key t
	see "Trace Event Information" "Total records                     :        600"
	key q
	see "(9 entries"
	key '?'
	see "the accesses of the line, by offset" "UP DOWN wheel" "ENTER d RIGHT" "/ Ctrl-S" "q ESC Ctrl-C"
	key q
	see "(9 entries"
	key q
	see "left=0" " echo"
}

@test "long names are cut until s is pressed" {
	cat >fight.c <<-'X'
	int a_function_whose_name_is_longer_than_its_column(int n) { return n * n + n / 3 - n % 7; }
	int main(int n) { return a_function_whose_name_is_longer_than_its_column(n); }
	X
	gcc -g -O0 -o fight fight.c
	"$BATS_TEST_DIRNAME/../cli/make-c2c" --of "$PWD/fight" --code "$(nm fight | awk '$3 ~ /^a_function/ { print $1 }')" long
	start 260x40 "$PERF c2c report -i long"
	see "entries, sorted on"
	key Enter
	see "Cacheline 0x" "[.] a_function_whose_name_is_l "
	key s
	see "[.] a_function_whose_name_is_longer_than_its_column"
	key q
	key q
	see "left=0"
}

@test "from an access to its code, its callers and the threads of the line" {
	cat >called.c <<-'X'
	__attribute__((noinline, noclone)) int leaf(int n) { return n * n + n / 3 - n % 7 + n / 11 - n % 13 + n / 17; }
	__attribute__((noinline, noclone)) int first(int n) { return leaf(n) + 1; }
	__attribute__((noinline, noclone)) int second(int n) { return leaf(n) + 2; }
	int main(int n) { return first(n) + second(n); }
	X
	gcc -O1 -o called called.c
	at() { nm called | awk -v name="$1" '$3 == name { print $1 }'; }
	"$BATS_TEST_DIRNAME/../cli/make-c2c" --of "$PWD/called" --code "$(at leaf)" \
		--callers "$(at first),$(at second),$(at main)" chains
	"$PERF" c2c report --stdio -i chains >text
	printf '#!/bin/sh\necho "$@" >>"%s"\nexec objdump "$@"\n' "$PWD/asked" >disassembler
	chmod +x disassembler
	start 200x40 "$PERF c2c report -g -M intel --objdump $PWD/disassembler -i chains"
	see "entries, sorted on"
	key Enter
	see "Cacheline 0x" "[.] leaf"
	key a
	see "leaf" "Percent" "eax"
	wait_for has_not "%eax"
	grep -q called asked
	key Left
	see "Cacheline 0x"
	key c
	see "first" "main" "100.00%"
	key q
	key p
	see "Threads that accessed cacheline 0x" "RmtHitm"
	# the records of the threads are those of the line
	records=$(awk '/^ +[0-9]+ +[0-9]+  [a-z]/ { sum += $4; hitm += $5 + $6 } END { print sum, hitm }' screen)
	[ "$records" = "$(sed -n '/Cache Line Table/,/Pareto/p' text | awk '$1 == "0" && $2 ~ /^0x/ { print $9, $6 }')" ]
	key q
	key q
	key q
	see "left=0"
}

@test "callers without -g, and code without a symbol, are said to be missing" {
	start 200x40 "$PERF c2c report -i $FILES/data"
	see "entries, sorted on"
	key Enter
	see "Cacheline 0x"
	key c
	see "callers are collected with -g"
	key q
	key q
	see "left=0"
}

@test "/ searches lines and accesses, N goes to the next one" {
	start 260x40 "$PERF c2c report -i $FILES/data"
	see "entries, sorted on" "/ search"
	first=$(cursor)
	# the last address that no other process has
	read -r row address < <(grep -E '^ +[0-9]+ +0x' screen | awk '
		{ times[$2]++; row[$2] = NR; at[NR] = $2 } END { for (i = NR; times[at[i]] > 1; i--); print i, at[i] }')
	key /
	see "Part of a line"
	key -l "${address^^}"
	key Enter
	wait_for cursor_is $((first + row - 1))
	key Enter
	see "Cacheline $address"
	accesses=$(cursor)
	[ "$(grep -cE '^ .* 0x[0-9a-f]+ ' screen)" -ge 2 ]
	# each access has an address of code: from the first one to the second
	key /
	see "ENTER: search, ESC"
	key -l 0x
	key Enter
	wait_for cursor_is $((accesses + 1))
	key /
	see "the same again"
	key -l "no such access"
	key Enter
	see "no line has 'no such access'"
	key q
	see "entries, sorted on"
	key q
	see "left=0"
}
