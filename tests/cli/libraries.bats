#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it builds perf.
# Runs beside others: it reads files, or records what it starts itself.
# A library that is missing costs only its feature: perf is built without each one and without any,
# and records and reports a program.
bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MAKELEVEL
}

# A copy of the sources, with the objects that are already there if they are asked for.
copy_tree() { # directory, what to copy besides the sources...
	mkdir "$1"
	(cd "$top" && tar cf - Makefile perf.c builtin* arch include libexec plugins python ui util scripts Documentation "${@:2}") | tar xf - -C "$1"
}

names() {
	awk -F '\t' '!/^#/ && NF { print $1 }' "$top/scripts/libraries"
}

build() { # directory, argument of make...
	(cd "$1" && make -s -j2 WERROR=1 perf "${@:2}" >build.log 2>&1) || { cat "$1/build.log"; return 1; }
}

works() { # directory
	"$1/perf" record -q -e cpu-clock:u -o data -- "$1/perf" test -w noploop 1
	"$1/perf" report -i data --stdio 2>/dev/null | grep -qE '[0-9]+\.[0-9]+%.*\bperf +\[\.\] .*noploop'
	"$1/perf" stat -e page-faults -- true 2>&1 | grep -qE '[0-9] +page-faults'
	"$1/perf" script -i data | grep -q 'noploop'
}

names_missing() { # directory, name
	"$1/perf" doctor >said
	grep -A2 '^can use every library that perf can be built with: no$' said >lines
	grep -q "cause: this perf was built without $2, so it lacks " lines
	grep -q "cure: apt-get install $(awk -F '\t' -v name="$2" '$1 == name { print $5 }' "$top/scripts/libraries"), and build again" lines
}

@test "without any library, and without their headers" {
	copy_tree bare
	# a header that is still there would hide that a file of the rest includes it
	mkdir bare/absent
	{
		awk -F '\t' '!/^#/ && NF { print $3 }' "$top/scripts/libraries"
		printf '%s\n' dwarf.h bfd.h libelf.h gelf.h elfutils/libdwfl.h elfutils/version.h \
			traceevent/trace-seq.h capstone.h libunwind.h
	} | while read -r header; do
		mkdir -p "bare/absent/$(dirname "$header")"
		echo "#error $header belongs to a library that is missing" >"bare/absent/$header"
	done
	build bare WITHOUT=all CFLAGS="-O0 -Iabsent"
	for name in $(names); do
		grep -q "HAVE_$name:" bare/build/gen/config.h
	done
	works bare
	run ! bare/perf check -q feature libtraceevent
}

@test "without each library" {
	[ -d "$top/build/obj" ] || skip "the objects are not in build/obj"
	copy_tree each build/obj build/gen
	for name in $(names); do
		echo "without $name"
		build each WITHOUT="$name"
		grep -q "HAVE_$name:" each/build/gen/config.h
		works each
		# which perf doctor says, with the package; this one is for x86-64 alone
		[ "$name" = LIBUNWIND ] || names_missing each "$name"
	done
}

@test "a library that nobody knows is refused, and one that is left out need not be installed" {
	for wrong in LIBFOO libdw "LIBDW nonsense"; do
		WITHOUT=$wrong run "$top/scripts/features" out
		[ "$status" -eq 1 ]
		[ "${lines[0]}" = "error: WITHOUT: '${wrong#LIBDW }' is not a library that can be left out" ]
		[[ "${lines[1]}" == "hint: these are LIBDW LIBTRACEEVENT "*" CLANG, and all" ]]
		[ "${#lines[@]}" -eq 2 ]
		[ ! -e out ]
	done
	for left in "CLANG SLANG" all; do
		WITHOUT=$left run -0 "$top/scripts/features" out
		grep -qxF "without the terminal browser of perf report: left out by WITHOUT" <<<"$output"
		! grep -E 'libslang2-dev|clang is missing' <<<"$output" || false
	done
}

@test "clang as the compiler finds what gcc finds" {
	command -v clang >/dev/null || skip "no clang"
	for tool in gcc clang clang-19; do
		command -v $tool >/dev/null || continue
		CC=$tool run -0 "$top/scripts/features" $tool
		diff gcc/config.h $tool/config.h
		diff <(grep BPF gcc/config.mk) <(grep BPF $tool/config.mk)
	done
	grep -q HAVE_BPF_PROGRAMS gcc/config.h
}
