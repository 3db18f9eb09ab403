#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf annotate --data-type and its kin: the fields that instructions touch.  The judge is the
# program itself, which prints offsetof() and sizeof(); what is touched is known from its text.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR HOME=$BATS_FILE_TMPDIR
	cat >"$FILES/types.c" <<-'EOF'
	#include <stddef.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <time.h>
	struct inner { short tag; int counts[3]; };
	typedef struct node { struct node *next; char pad[20]; struct inner in; volatile long hits; } node_t;
	struct table { node_t *head; volatile long total; union { int i; float f; } u; };
	struct table table;
	static node_t nodes[64];

	__attribute__((noinline)) node_t *first(struct table *t) { return t->head; }
	__attribute__((noinline)) void walk(struct table *t)
	{
		for (node_t *n = first(t); n; n = n->next) {
			n->hits += n->in.counts[1];
			t->total++;
		}
	}
	__attribute__((noinline)) void global(int n)
	{
		for (int i = 0; i < n; i++)
			table.u.i ^= i * 3, table.total += i;
	}
	__attribute__((noinline)) long local(int n)
	{
		volatile struct inner in = { 1, { 2, 3, 4 } };

		for (int i = 0; i < n; i++)
			in.counts[2] += i;
		return in.counts[2];
	}
	int main(int argc, char **argv)
	{
		clock_t end = clock() + CLOCKS_PER_SEC / 2;
		long sum = 0;

	#define SHOW(type, field) printf(#type " " #field " %zu %zu\n", offsetof(type, field), sizeof(((type *)0)->field))
		SHOW(struct node, next); SHOW(struct node, in.counts); SHOW(struct node, hits);
		SHOW(struct table, head); SHOW(struct table, total); SHOW(struct table, u.i);
		SHOW(struct inner, counts);
		printf("struct node size 0 %zu\nstruct table size 0 %zu\n", sizeof(struct node), sizeof(struct table));
		fflush(stdout);
		if (argc > 1)
			return 0;
		for (int i = 0; i < 63; i++)
			nodes[i].next = &nodes[i + 1], nodes[i].in.counts[1] = i;
		table.head = nodes;
		while (clock() < end) {
			for (int i = 0; i < 50; i++)
				walk(&table);
			global(3000);
			sum += local(3000);
		}
		(void)argv;
		return sum == 1;
	}
	EOF
	cd "$FILES"
	for c in gcc clang; do
		for o in 0 2; do
			$c -g -O$o -o "$c$o" types.c 2>/dev/null
			"$RIVAL" record -q -e cpu-clock:u -F 3999 -o "$c$o.data" "./$c$o" >"$c$o.facts"
		done
	done
}

setup() {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	cd "$FILES"
	export HOME=$FILES
}

# touches FILE FUNCTION TYPE FIELD: beside an instruction stands this field, inside of the bytes
# that the program printed for it.
touches() {
	local offset size
	read -r offset size < <(awk -v t="$3" -v f="$4" '$2 == t && $3 == f { print $4, $5 }' "$1.facts")
	"$PERF" annotate -i "$1.data" --stdio --no-source --code-with-type -s "$2" >notes
	sed -nE "s/.*# data-type: struct $3 \+(0x[0-9a-f]+) \($4\)\$/\1/p" notes >offsets
	[ -s offsets ] || { echo "$1: $2 does not touch $3.$4"; cat notes; return 1; }
	while read -r o; do
		[ $((o)) -ge "$offset" ] && [ $((o)) -lt $((offset + size)) ] || { echo "$1: $3.$4 at $o"; cat notes; return 1; }
	done <offsets
}

@test "fields of structs through pointers, at the offsets that the program prints" {
	for f in gcc0 gcc2 clang0 clang2; do
		for field in next hits in.counts; do
			touches "$f" walk node "$field"
		done
		touches "$f" walk table total
	done
	# the whole: its size, and each field with its offset and size
	"$PERF" annotate -i gcc2.data --data-type='struct node' >out
	while read -r _ type field offset size; do
		[ "$type" != node ] || [ "$field" = size ] ||
			grep -qE "^ +[0-9.]+ +$offset +$size +[^ ].*${field##*.}(;| \{)$" out ||
			{ echo "$field $offset $size"; cat out; return 1; }
	done <gcc2.facts
	grep -qE "^ +100.00 +0 +$(awk '$2 == "node" && $3 == "size" { print $5 }' gcc2.facts) +struct node \{$" out
}

@test "globals and unions" {
	for f in gcc0 clang0; do
		touches "$f" global table u.i
		touches "$f" global table total
	done
	touches gcc2 global table total
	touches clang2 global table total
}

@test "variables on the stack" {
	for f in gcc0 gcc2 clang0 clang2; do
		read -r offset < <(awk '$2 == "inner" && $3 == "counts" { print $4 }' "$f.facts")
		# counts[2]
		"$PERF" annotate -i "$f.data" --stdio --code-with-type -s local >out
		grep -F "(%rsp)" out >/dev/null || grep -qF "(%rbp" out
		grep -qF "# data-type: struct inner +0x$(printf %x $((offset + 8))) (counts)" out || { echo "$f"; cat out; return 1; }
	done
}

@test "--code-with-type: type and field beside the instruction" {
	read -r offset < <(awk '$2 == "node" && $3 == "hits" { print $4 }' gcc2.facts)
	"$PERF" annotate -i gcc2.data --stdio --code-with-type walk >out
	grep -qF "# data-type: struct node +0x$(printf %x "$offset") (hits)" out
	# the instructions there have this displacement
	grep -F "(hits)" out | grep -qF "0x$(printf %x "$offset")("
	"$PERF" annotate -i gcc2.data --stdio2 --code-with-type walk | grep -qF "(hits)"
	grep -q '# data-type: (stack operation)' out
	"$PERF" annotate -i gcc2.data --stdio walk >plain
	sed 's/\t\t# data-type:.*//' out | diff -u plain -
}

@test "the shares of a type add up, and are those of its instructions" {
	"$PERF" annotate -i gcc2.data --data-type=node -n >out
	total=$(sed -n "s/^Annotate type: 'struct node' in .* (\([0-9]*\) samples):$/\1/p" out)
	awk -v total="$total" '$1 ~ /^[0-9]+$/ && /^ +[0-9]+ +[0-9]+ +[0-9]+  / {
		if (/  struct node \{/) all = $1; else if (/^ +[0-9]+ +[0-9]+ +[0-9]+      [^ ]/) sum += $1 }
		END { print all, sum, total; exit !(all == total && sum == total && total > 20) }' out
	"$PERF" annotate -i gcc2.data --stdio --no-source -n --code-with-type -d gcc2 |
		awk '/struct node/ { sum += $1 } END { print sum }' | grep -qx "$total"
}

@test "--type-stat and --insn-stat count all samples" {
	"$PERF" annotate -i gcc2.data --type-stat --insn-stat >out
	all=$("$PERF" annotate -i gcc2.data --stdio --no-source -n | awk '/^ +[0-9]+ : +[0-9a-f]+:/ { sum += $1 } END { print sum }')
	grep -A1 'data type stats' out | grep -q "^total $all, ok [0-9]* ("
	[ "$(sed -n '/^----/,/^$/p' out | sed '/^$/q' | awk '$2 == ":" { sum += $1 } END { print sum }')" -eq "$all" ]
	grep -qE '^  (mov|add|movslq) +: +[0-9]+ +[0-9]+$' out
	[ "$(awk '$2 == ":" && $3 == "ok" { print $1 }' out)" -gt $((all / 20)) ]
}

@test "what there is not is said" {
	run -1 "$PERF" annotate -i gcc2.data --data-type=nothing
	[[ "$output" == *"no sample touched type 'nothing'"* ]]
	gcc -O2 -o bare types.c
	"$RIVAL" record -q -e cpu-clock:u -F 999 -o bare.data ./bare >/dev/null
	run -1 "$PERF" annotate -i bare.data -d bare --data-type
	[[ "$output" == *"no sample's data has a type that is known"*"--type-stat"* ]]
	"$PERF" annotate -i bare.data -d bare --type-stat | grep -q ' : no_dbginfo$'
}

@test "report's keys type, typeoff, typecln count what annotate does" {
	local type want field offset named=
	for f in gcc2 gcc0 clang2; do
		for type in "struct node" "struct table" "struct inner"; do
			want=$("$PERF" annotate -i $f.data --data-type="$type" 2>/dev/null |
				sed -nE "s/^Annotate type: '$type' in .* \(([0-9]+) samples\):/\1/p")
			[ -z "$want" ] || named="$named $f:${type#struct }"
			[ "$("$PERF" report -i $f.data -q -t'|' -F sample,type | sed -n "s/|$type$//p")" = "$want" ]
			[ "$("$PERF" report -i $f.data -q -t'|' -F sample,typecln | sed -n "s/|$type: cache-line 0$//p")" = "$want" ]
			[ "$("$PERF" report -i $f.data -q -t'|' -F sample,typeoff | grep -F "|$type +" | awk -F'|' '{ sum += $1 } END { print sum }')" = "$want" ]
		done
	done
	[ "$(wc -w <<<"$named")" -ge 6 ] || { echo "compared: $named"; return 1; }
	for f in gcc2 gcc0 clang2; do [[ "$named" == *"$f:node"* ]]; done
	offset=$(awk '$2 == "node" && $3 == "hits" { print $4 }' gcc2.facts)
	"$PERF" report -i gcc2.data -q -F sample,typeoff | grep -qE " struct node \+0x$(printf %x "$offset") \(hits\)$"
	# nothing is lost: what has no type is a row, too
	[ "$("$PERF" report -i gcc2.data -q -t'|' -F sample,type | awk -F'|' '{ sum += $1 } END { print sum }')" = \
	  "$("$PERF" report -i gcc2.data -q -t'|' -F sample,dso | awk -F'|' '{ sum += $1 } END { print sum }')" ]
	run ! "$PERF" diff gcc2.data gcc0.data -s type
	[[ "$output" == *"for perf report only"* ]]
}
