#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# Documentation/perf.data-format.md says the numbers that the code uses.

setup() {
	top=$BATS_TEST_DIRNAME/../..
	page=$top/Documentation/perf.data-format.md
	abi=$top/util/base/perf_abi.h
	cd "$BATS_TEST_TMPDIR"
}

# Rows of the table whose head begins with $1, columns $2 and $3: "NUMBER NAME".
table() {
	awk -F ' *[|] *' -v head="$1" -v number="$2" -v name="$3" '
		$0 ~ "^[|] " head { on = 1; next }
		on && /^[|] ---/ { next }
		on && !/^[|]/ { on = 0 }
		on { print $(number + 1), $(name + 1) }' "$page"
}

# "NUMBER NAME" of "PREFIXNAME = NUMBER," or "= 1U << NUMBER," in perf_abi.h.
numbers() {
	sed -nE "s/^[[:space:]]+$1([A-Z0-9_]+) = (1U << )?([0-9]+),.*/\3 \1/p" "$abi"
}

@test "types of records" {
	table "type [|] name" 1 2 | sort -n >page_rows
	numbers PERF_RECORD_ | awk '{ $2 = $2 } $2 !~ /^(MISC_|KERNEL_MAX|USER_START|USER_MAX|KERNEL$|USER$)/' |
		grep -vE ' (MISC_.*)$' | sort -n >code_rows
	[ "$(wc -l <page_rows)" -ge 45 ]
	diff code_rows page_rows
}

@test "features" {
	table "bit [|] name [|] section" 1 2 | sort -n >page_rows
	numbers FEATURE_ | grep -v ' BITS$' | sort -n >code_rows
	[ "$(wc -l <page_rows)" -ge 35 ]
	diff code_rows page_rows
}

@test "sizes of the attr" {
	table "attr size" 1 2 | awk '{ print $1 }' >page_rows
	sed -nE 's/^[[:space:]]+ATTR_SIZE_VER[0-9]+ = ([0-9]+),.*/\1/p' "$abi" >code_rows
	[ "$(wc -l <page_rows)" -eq 10 ]
	diff code_rows page_rows
}

@test "bits of sample_type and read_format" {
	table "order [|] bit" 2 3 | sort -n >page_rows
	numbers PERF_SAMPLE_ | grep -vE ' (BRANCH_[A-RT-Z].*|BRANCH_STACK_.*|KNOWN)$' | sed '/BRANCH_/{/BRANCH_STACK$/!d}' |
		grep -v ' REGS_ABI' | sort -n >code_rows
	[ "$(wc -l <page_rows)" -eq 25 ]
	diff code_rows page_rows
	table "bit [|] read_format" 1 2 >page_rows
	numbers PERF_FORMAT_ >code_rows
	diff code_rows page_rows
}

@test "the order of sample fields is that of the decoder" {
	table "order [|] bit" 1 3 | awk '{ print $2 }' >page_rows
	# the order in which sample.c takes them, each bit once
	sed -n '/^static int take_rest/,/^}/p;/^static int take_variable/,/^}/p;/^static.* const u8 \*load_fixed/,/^}/p' \
		"$top/util/event/sample.c" >functions
	for f in load_fixed take_variable take_rest; do
		sed -n "/$f(/,/^}/p" functions | grep -oE 'type & \(?PERF_SAMPLE_[A-Z_]+( \| PERF_SAMPLE_[A-Z_]+)?' |
			grep -oE 'SAMPLE_[A-Z_]+' | sed 's/^SAMPLE_//'
	done >code_rows
	diff code_rows page_rows
}
