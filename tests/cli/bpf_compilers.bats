#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it needs compilers.
# Takes up to 600 seconds, also where others compute beside it.
# Each version of clang makes other BPF programs of the same source; the verifier must accept all of them.
bats_require_minimum_version 1.5.0

# "clang-19" and so on: the versions that are installed.
compilers() {
	compgen -c | grep -E '^clang-[0-9]+$' | sort -u
}

# accepted DIRECTORY COMPILER: the verifier takes the objects in it
accepted() {
	"$root/build/obj/tests/unit/test_bpf_programs" "$1" >log 2>&1 || {
		echo "$2, $1:"
		tail -50 log
		return 1
	}
}

@test "the verifier accepts the BPF programs of every clang here, whatever the settings, and their variants for old kernels" {
	local root objects=$BATS_TEST_TMPDIR compiler programs=() made
	root=$(dirname "$PERF")
	[ -x "$root/build/obj/tests/unit/test_bpf_programs" ] || skip "the unit tests are not built: make unit-bins"
	cd "$objects"
	compilers >list
	[ -s list ] || skip "no clang with a version in its name"
	for source in "$root"/util/bpf/*.bpf.c "$root"/build/gen/bpf/*_old.bpf.o; do
		programs+=("gen/bpf/$(basename "${source%.[co]}").o")
	done
	while read -r compiler; do
		make -s -C "$root" BPF_CLANG="$compiler" O="$objects/$compiler" "${programs[@]/#/$objects/$compiler/}"
		made=$objects/$compiler/gen/bpf
		accepted "$made" "$compiler"
		for old in "$made"/*_old.bpf.o; do
			mv "$old" "${old%_old.bpf.o}.bpf.o"
		done
		accepted "$made" "$compiler"
	done <list
}
