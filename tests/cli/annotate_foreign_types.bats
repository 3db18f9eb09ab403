#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Types of data in programs of other machines, which qemu runs an instruction at a time
# (tests/cli/make-foreign), so that each load and store is sampled.  The judge is the program itself: it
# prints offsetof() and sizeof().

bats_require_minimum_version 1.5.0

setup_file() {
	export MAKE=$BATS_TEST_DIRNAME/make-foreign HOME=$BATS_FILE_TMPDIR
	cd "$BATS_FILE_TMPDIR" || return 1
	for tool in llvm-readelf qemu-aarch64-static aarch64-linux-gnu-gcc powerpc64le-linux-gnu-gcc; do
		command -v $tool >/dev/null || { export MISSING="no $tool"; return; }
	done
	cat >types.c <<-'CODE'
	#include <stddef.h>
	#include <stdio.h>
	struct inner { short tag; int counts[3]; };
	struct node { struct node *next; char pad[20]; struct inner in; volatile long hits; };
	struct table { struct node *head, *tail; volatile long total; union { int i; float f; } u; };
	struct table table;
	static struct node nodes[8];

	__attribute__((noinline)) struct node *first(struct table *t) { return t->head; }
	__attribute__((noinline)) void walk(struct table *t)
	{
		for (struct node *n = first(t); n; n = n->next) {
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
	/* both pointers at once, and each followed */
	__attribute__((noinline)) long ends(struct table *t)
	{
		struct node *head = t->head, *tail = t->tail;

		return head->hits + tail->in.counts[0];
	}
	__attribute__((noinline)) long steps(struct node *n, int count)
	{
		long sum = 0;

		while (count--)
			sum += (n++)->hits;
		return sum;
	}
	int main(int argc, char **argv)
	{
	#define SHOW(type, field) printf(#type " " #field " %zu %zu\n", offsetof(struct type, field), sizeof(((struct type *)0)->field))
		if (argc > 1) {
			SHOW(node, next); SHOW(node, in.counts); SHOW(node, hits);
			SHOW(table, head); SHOW(table, tail); SHOW(table, total); SHOW(table, u.i); SHOW(inner, counts);
			return !argv;
		}
		for (int i = 0; i < 7; i++)
			nodes[i].next = &nodes[i + 1], nodes[i].in.counts[1] = i;
		table.head = nodes;
		table.tail = nodes + 7;
		walk(&table);
		global(3);
		return (int)(local(3) + ends(&table) + steps(nodes, 5)) & 0;
	}
	CODE
	export BUILT=
	for arch in aarch64 ppc64le ppc64; do
		cc=${arch/ppc/powerpc}-linux-gnu-gcc
		command -v $cc qemu-$arch-static >/dev/null || continue
		for o in 0 2; do
			$cc -g -O$o -static -o $arch$o types.c 2>/dev/null || continue 2
			"qemu-$arch-static" ./$arch$o facts >$arch$o.facts || return 1
			for f in walk global local ends steps; do
				timeout 300 "$MAKE" --silent --steps 100 --stack 64 $arch ./$arch$o $arch$o.$f $f || return 1
			done
			BUILT="$BUILT $arch$o"
		done
	done
}

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
	[ -n "$BUILT" ] || skip "the cross compilers do not work"
	cd "$BATS_FILE_TMPDIR" || return 1
}

# touches PROGRAM FUNCTION TYPE FIELD...: beside instructions stand these fields, inside of the bytes that
# the program printed for them.
touches() {
	local program=$1 function=$2 type=$3 field offset size o
	"$PERF" annotate -i "$program.$function" --stdio --no-source --code-with-type -s "$function" >notes
	for field in "${@:4}"; do
		read -r offset size < <(awk -v t="$type" -v f="$field" '$1 == t && $2 == f { print $3, $4 }' "$program.facts")
		sed -nE "s/.*# data-type: struct $type \+(0x[0-9a-f]+) \($field\)\$/\1/p" notes >offsets
		[ -s offsets ] || { echo "$program: $function does not touch $type.$field"; cat notes; return 1; }
		while read -r o; do
			[ $((o)) -ge "$offset" ] && [ $((o)) -lt $((offset + size)) ] ||
				{ echo "$program: $type.$field at $o"; cat notes; return 1; }
		done <offsets
	done
}

@test "fields of structs through pointers" {
	for p in $BUILT; do
		touches "$p" walk node next hits in.counts
		touches "$p" walk table total
	done
}

@test "fields of global variables and unions" {
	for p in $BUILT; do
		touches "$p" global table u.i total
	done
}

@test "variables on the stack" {
	for p in $BUILT; do
		touches "$p" local inner counts
	done
}

@test "two pointers that one instruction loads, and a pointer that moves on" {
	for p in $BUILT; do
		touches "$p" ends node hits in.counts
		touches "$p" ends table head
		touches "$p" steps node hits
	done
	# that is what makes the first one a test: one load of both
	! grep -q aarch64 <<<"$BUILT" || aarch64-linux-gnu-objdump -d --disassemble=ends aarch642 | grep -qE 'ldp\s+x'
}

@test "registers that a function saves are the stack's own, and every access has an answer" {
	for p in $BUILT; do
		"$PERF" annotate -i "$p.walk" --type-stat >out
		grep -q ' : stack_op$' out
		grep -q ' : ok$' out
		grep -qE ' : (no_insn|no_dbginfo)$' out && { echo "$p"; cat out; return 1; }
		# of what touches memory in the function itself, all is known; behind its end is a table without samples
		"$PERF" annotate -i "$p.walk" --stdio --no-source --code-with-type walk |
			grep -E '^ +[0-9.]+ : ' | grep -E '\[|\(r[0-9]' | grep -vE 'data-type:|^ +0.00 ' && { echo "$p"; return 1; }
	done
	:
}

@test "report's key type counts what annotate does" {
	for p in $BUILT; do
		want=$("$PERF" annotate -i "$p.walk" --data-type="struct node" |
			sed -nE "s/^Annotate type: 'struct node' in .* \(([0-9]+) samples\):/\1/p")
		[ "$want" -ge 15 ]
		[ "$("$PERF" report -i "$p.walk" -q -t'|' -F sample,type | sed -n "s/|struct node$//p")" = "$want" ]
	done
}
