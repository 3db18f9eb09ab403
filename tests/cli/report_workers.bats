#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Tables of many rows are sorted, measured and drawn by all threads: the text does not depend on how many.

bats_require_minimum_version 1.5.0

@test "thousands of rows: the same bytes from 1, 2 and 7 workers, and in the right order" {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 30000 --chains 9000 --functions 3000 --processes 4 \
		chains >/dev/null
	for options in "--no-children -g none" "--children" "-g caller,0.01 -s sym" "-t , -g none" "-s comm,tid,sym -w 8,7,9"; do
		for n in 1 2 7; do
			# shellcheck disable=SC2086
			PERF_WORKERS=$n "$PERF" report --stdio -i chains $options >"ours.$n"
		done
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
	PERF_WORKERS=7 "$PERF" report --stdio -i chains --no-children -g none -F period,sym -t , >table
	python3 - <<-'EOF'
		rows = [line.rstrip("\n").split(",") for line in open("table") if line[:1].isdigit()]
		assert len(rows) > 2000, len(rows)
		keys = [(-int(period), name) for period, name in rows]
		assert keys == sorted(keys)
		assert len({name for _, name in keys}) == len(keys)
	EOF
}

# more_workers FILE OPTIONS...
more_workers() {
	local file=$1 n

	shift
	for n in 1 2 7; do
		PERF_WORKERS=$n "$PERF" report --stdio -i "$file" "$@" >"$file.$n" 2>"$file.errors"
	done
	[ "$(grep -c '^ *[0-9.]*%' "$file.1")" -ge 1 ] || { echo "nothing shown: $*"; cat "$file.errors"; return 1; }
	cmp "$file.1" "$file.2"
	cmp "$file.1" "$file.7"
}

@test "one process, whose rows all threads add up: the same bytes from 1, 2 and 7 workers" {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 40000 --chains 30000 --functions 6000 --processes 1 \
		one >/dev/null
	more_workers one --no-children -g callee,0.01
	more_workers one --children -g caller,0.01
	more_workers one --no-children -g flat,0.01 -s sym
	more_workers one --children -g fractal,0.1 -s dso
	more_workers one --children -g folded,0.05 -F overhead_children,sample,period,weight1,sym
	more_workers one --children -g none -s addr,sym
	more_workers one --children -g caller,0.01 -S "$(seq -f work_%.0f -s , 40)"
	# one group that is larger than all others together
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 60000 --chains 50000 --functions 900 --processes 2 \
		two >/dev/null
	more_workers two --children -g caller,0.01 -s tid,sym
}

@test "source lines and inlined functions of many places: the same bytes from 1, 2 and 7 workers" {
	cd "$BATS_TEST_TMPDIR" || return 1
	python3 - >many.c <<-'EOF'
		print("volatile unsigned sink;")
		for i in range(64):
		    print(f"static inline __attribute__((always_inline)) unsigned inner{i}(unsigned x)\n{{ return x * {i}u ^ (x >> 3); }}")
		    print(f"__attribute__((noinline)) void outer{i}(unsigned n)\n{{\n\tfor (unsigned k = 0; k < n; k++)")
		    print(f"\t\tsink += inner{i}(k) +\n\t\t\tinner{i}(k + sink);\n}}")
		print("int main(void)\n{\n\tfor (int round = 0; round < 20; round++) {")
		for i in range(64):
		    print(f"\t\touter{i}(100000);")
		print("\t}\n\treturn 0;\n}")
	EOF
	gcc -g -O2 -fno-omit-frame-pointer -o many many.c
	"$PERF" record -q -e cpu-clock:u -F 5000 -g -o lines ./many >/dev/null
	# perf itself, where it has debug information: many units, which take long enough to read that threads meet
	"$PERF" record -q -e cpu-clock:u -F 5000 -g -o self -- "$PERF" report --stdio -i lines -s srcline >/dev/null
	for options in "-s srcline --no-children" "-s sym,srcline -g caller,address" "--children -g caller --inline"; do
		for n in 1 2 7 7 7; do
			for file in lines self; do
				# shellcheck disable=SC2086
				PERF_WORKERS=$n "$PERF" report --stdio -i $file $options >"$file.$n"
				cmp $file.1 "$file.$n"
			done
		done
	done
	PERF_WORKERS=7 "$PERF" report --stdio -i lines -s srcline --no-children -g none -F period,srcline >table
	[ "$(grep -c ' many\.c:[0-9]' table)" -gt 64 ]
}
