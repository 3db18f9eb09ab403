#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Setting up: packages, quickstart, the Makefile's promises, installation, completion.
bats_require_minimum_version 1.5.0

setup() {
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	cd "$BATS_TEST_TMPDIR"
	out=$BATS_TEST_TMPDIR/out
}

build() {
	make -s -C "$top" O="$out" "$@"
}

# A directory with the usual small programs, but neither compiler nor make, and with
# apt-get, dpkg-query and sudo that only write down what they are asked.
bare_path() {
	mkdir -p bin
	for p in sh env sed grep dirname cat id; do ln -sf "$(command -v $p)" bin/$p; done
	for p in apt-get sudo; do
		printf '#!/bin/sh\necho "%s $*" >>%s/asked\n[ ! -t 0 ] || echo terminal >>%s/asked\n' \
			$p "$PWD" "$PWD" >bin/$p
	done
	printf '#!/bin/sh\ncase "$3" in bats|make) echo "deinstall ok config-files" ;; less) exit 1 ;; *) echo "install ok installed" ;; esac\n' >bin/dpkg-query
	printf '#!/bin/sh\necho 2\n' >bin/nproc
	chmod +x bin/*
}

@test "packages.list: a stage, a package and a reason on each line, no package twice" {
	grep -v '^#' "$top/packages.list" >lines
	run ! grep -nvE '^(build|test)	[a-z0-9][a-z0-9.+-]+	[^	]+$' lines
	cut -f 2 lines | sort | uniq -d >twice
	[ ! -s twice ]
}

@test "no setup_file skips: bats takes that for a failure" {
	for f in "$top"/tests/*/*.bats; do
		awk '/^setup_file\(/ { on = 1 } /^}/ { on = 0 } on && /(^|[ \t;{|&])skip / { print FILENAME ": " $0 }' "$f"
	done >found
	[ ! -s found ] || { cat found; return 1; }
}

# A suite that neither runs in a guest nor says why it cannot, though it names no compiler and no other perf.
forgotten_in_guests() {
	local suite

	for suite; do
		! grep -qE '^# (Runs in a guest|Not in a guest): .' "$suite" || continue
		grep -qE '/usr/bin/perf|^load rival|(^|[^a-zA-Z_-])(cc|gcc|g\+\+|clang)([^a-zA-Z_0-9-]|$)|-linux-gnu-gcc' "$suite" ||
			echo "$suite says neither '# Runs in a guest: ...' nor '# Not in a guest: REASON'"
	done
}

# Lines of suites for the guests in which a script of the tests compiles, though no compiler is named.
compiled_in_guests() {
	local suite

	for suite; do
		! grep -q '^# Runs in a guest' "$suite" || grep -H 'generate-chains' "$suite" | grep -v -e --program || :
	done
}

@test "a suite that needs neither a compiler nor another perf runs in the guests, or says why not" {
	printf '@test "x" {\n\t%s\n}\n' '"$PERF" version' >forgotten
	printf '@test "x" {\n\t%s\n}\n' 'gcc -o x x.c' >compiles
	sed '1i# Runs in a guest: it reads files.' forgotten >marked
	[ "$(forgotten_in_guests forgotten compiles marked)" = \
		"forgotten says neither '# Runs in a guest: ...' nor '# Not in a guest: REASON'" ]
	forgotten_in_guests "$top"/tests/cli/*.bats >found
	[ ! -s found ] || { cat found; return 1; }
	[ "$(grep -l '^# Runs in a guest' "$top"/tests/cli/*.bats | wc -l)" -ge 30 ]
	printf '# Runs in a guest: it reads files.\n%s\n' 'generate-chains --program p out' 'generate-chains out' >chains
	[ "$(compiled_in_guests chains)" = "chains:generate-chains out" ]
	compiled_in_guests "$top"/tests/cli/*.bats >found
	[ ! -s found ] || { cat found; return 1; }
}

# bash's "set -e", by which a test fails, passes over a command that "!" denies, unless it is the last one.
denials_that_cannot_fail() {
	awk 'held { if (!/^}/) print held; held = "" }
	     /^[ \t]+! / && !/\|\|/ { held = FILENAME ":" FNR ":" $0 }' "$@"
}

@test "in a test '! command' can fail: it is the last line, or followed by '|| false'" {
	printf '@test "x" {\n\t%s\n\t! true || false\n\ttrue\n\t! true\n}\n' '! true' >planted
	[ "$(denials_that_cannot_fail planted)" = "planted:2:	! true" ]
	denials_that_cannot_fail "$top"/tests/*/*.bats "$top"/tests/*/*.bash >found
	[ ! -s found ] || { cat found; return 1; }
}

@test "every library of scripts/libraries has its package in packages.list" {
	grep -v '^#' "$top/scripts/libraries" | cut -f 5 | while read -r package; do
		grep -qE "^build	$package	" "$top/packages.list" || { echo "$package"; return 1; }
	done
}

@test "quickstart without make and compiler asks for just what is missing, never on the terminal" {
	bare_path
	mkdir copy
	cp "$top/quickstart" "$top/packages.list" copy/
	PATH=$PWD/bin run sh -c 'sh copy/quickstart || exit 1'
	[ "$status" -ne 0 ] # nothing was really installed
	grep -q 'apt-get.* update' asked
	grep -q 'apt-get.*install --no-install-recommends make less' asked
	run ! grep -q bats asked
	run ! grep -q terminal asked
	rm asked
	PATH=$PWD/bin run sh -c 'sh copy/quickstart check || exit 1'
	grep -q 'apt-get.*install --no-install-recommends make less bats' asked
}

@test "quickstart asks apt nothing when all is there" {
	bare_path
	printf '#!/bin/sh\necho "install ok installed"\n' >bin/dpkg-query
	printf '#!/bin/sh\necho "$*" >>%s/made\nexit 7\n' "$PWD" >bin/make
	chmod +x bin/make
	mkdir copy
	cp "$top/quickstart" "$top/packages.list" copy/
	PATH=$PWD/bin run sh -c 'sh copy/quickstart check || exit $?'
	[ "$status" -eq 7 ] # that of the build
	[ ! -e asked ]
	grep -q unit-bins made
	printf '#!/bin/sh\n' >bin/make
	mkdir copy/tests
	printf '#!/bin/sh\necho "run $*"\n' >copy/tests/run
	chmod +x copy/tests/run
	PATH=$PWD/bin run sh copy/quickstart check cli/stat
	[ "${lines[-1]}" = "run cli/stat" ]
	run sh copy/quickstart check cli/stat more
	[ "$status" -eq 129 ]
}

@test "check-debian: both commands of the README in one tree of a fresh system, of which nothing is left" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir bin places
	cat >bin/debootstrap <<-'END'
		#!/bin/sh
		[ "$2" != nosuch ] || { echo "E: No such script"; exit 1; }
		mkdir -p "$3/root" "$3/etc/apt/apt.conf.d" "$3/proc" "$3/sys" "$3/dev"
	END
	cat >bin/chroot <<-'END'
		#!/bin/sh
		[ -e "$1/proc/self" ] && [ -e "$1/dev/null" ] && [ -d "$1/old-root" ] || exit 9
		rmdir "$1/old-root"
		cd "$1/root/perf" && [ -f Makefile ] && [ ! -e .git ] || exit 9
		until [ "$1" = sh ] && [ "$2" = -c ]; do shift; done
		shift 4
		echo "$*, then $(ls perf.data 2>&1)" >>"$ASKED"
		touch perf.data
		[ $# -eq 1 ] || exit 3
	END
	printf '#!/bin/sh\n' >bin/pivot_root
	chmod +x bin/*
	export ASKED=$PWD/asked TMPDIR=$PWD/places
	PATH=$PWD/bin:$PATH run "$top/tests/debian" trixie cli/stat
	[ "$status" -eq 3 ]
	printf '%s\n' "./quickstart, then ls: cannot access 'perf.data': No such file or directory" \
		"./quickstart check cli/stat, then perf.data" | diff - asked
	[ -z "$(ls places)" ]
	run ! grep -q "$PWD/places" /proc/self/mountinfo
	KEEP=$PWD/kept PATH=$PWD/bin:$PATH run "$top/tests/debian" bookworm
	[[ "$status" -eq 3 && -e kept/root/perf/perf.data && ! -e kept/proc/self ]]
	PATH=$PWD/bin:$PATH run "$top/tests/debian" nosuch
	[[ "$status" -eq 77 && "$output" == *"No such script"*"cannot install Debian nosuch"* ]]
	run "$top/tests/debian"
	[[ "$status" -eq 129 && "$output" == "usage: debian RELEASE [PATTERN]" ]]
}

@test "quickstart refuses what it does not know" {
	run "$top/quickstart" something
	[ "$status" -eq 129 ]
	run "$top/quickstart" --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"quickstart check"* ]]
	[ -x "$top/quickstart" ]
}

# ci QUICKSTART MAKE: a .ci/run whose parts end with these commands.
ci() {
	mkdir -p ci/.ci bin
	cp "$top/.ci/run" ci/.ci/
	printf '#!/bin/sh\necho "quickstart $*" >>asked\necho "a line of tests"\n%s\n' "$1" >ci/quickstart
	printf '#!/bin/sh\necho "make $*" >>asked\necho "a line of fuzzing"\n%s\n' "$2" >bin/make
	printf '#!/bin/sh\necho 2\n' >bin/nproc
	chmod +x ci/quickstart bin/*
	PATH=$PWD/bin:$PATH run ci/.ci/run
}

@test ".ci/run: all tests, then the fuzz targets; one line counts both, and any failure is its exit code" {
	ci 'echo "7 passed, 0 failed, 2 skipped"' 'echo "3 passed, 0 failed, 0 skipped"'
	[ "$status" -eq 0 ]
	[ "$(cat ci/asked)" = $'quickstart check\nmake -s -j2 fuzz-smoke' ]
	[ "$output" = $'a line of tests\na line of fuzzing\n\n10 passed, 0 failed, 2 skipped' ]
	# a failure in either part, and what is fuzzed although tests failed
	ci 'echo "7 passed, 1 failed, 2 skipped"; exit 1' 'echo "3 passed, 0 failed, 0 skipped"'
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "10 passed, 1 failed, 2 skipped" ]
	ci 'echo "7 passed, 0 failed, 2 skipped"' 'echo "2 passed, 1 failed, 0 skipped"; exit 1'
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "9 passed, 1 failed, 2 skipped" ]
	# a part that dies before it counts, or after
	ci 'exit 3' 'echo "3 passed, 0 failed, 0 skipped"'
	[ "$status" -eq 1 ]
	[[ "$output" == *"not ok - ./quickstart check ended with exit code 3"* ]]
	[ "${lines[-1]}" = "3 passed, 1 failed, 0 skipped" ]
	ci 'echo "7 passed, 0 failed, 2 skipped"' 'echo "error: no clang" >&2; exit 2'
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: no clang"*"not ok - make fuzz-smoke ended with exit code 2"* ]]
	[ "${lines[-1]}" = "7 passed, 1 failed, 2 skipped" ]
	ci 'true' 'echo "3 passed, 0 failed, 0 skipped"'
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "3 passed, 1 failed, 0 skipped" ]
	# counts in the middle are text
	ci 'echo "1 passed, 1 failed, 1 skipped"; echo more; echo "7 passed, 0 failed, 0 skipped"' 'echo "1 passed, 0 failed, 0 skipped"'
	[ "$status" -eq 0 ]
	[[ "$output" == *$'1 passed, 1 failed, 1 skipped\nmore\n'* ]]
	[ "${lines[-1]}" = "8 passed, 0 failed, 0 skipped" ]
}

@test "tests/fuzz/run --together: a target that finds something, dies or has no inputs is a failure" {
	mkdir -p fuzz/tests/fuzz bins corpus/good corpus/bad
	cp "$top/tests/fuzz/run" fuzz/tests/fuzz/
	touch fuzz/tests/lsan.supp corpus/good/1 corpus/bad/1
	# says how long it was to run, and finds what is in BAD
	printf '#!/bin/sh\ntouch "$TMPDIR/left"\necho "$TMPDIR" >%s/tmp\necho "$1" >>%s/times\necho "stat::number_of_executed_units: 5"\n' "$PWD" "$PWD" |
		tee bins/fuzz_good >bins/fuzz_bad
	printf 'echo "ERROR: AddressSanitizer: planted"\nexit 77\n' >>bins/fuzz_bad
	cp bins/fuzz_good bins/fuzz_without
	chmod +x bins/*
	run fuzz/tests/fuzz/run --together bins corpus 60
	[ "$status" -eq 1 ]
	[[ "$output" == *"not ok - fuzz bad"*"ERROR: AddressSanitizer: planted"*"good: nothing found, 5 inputs"* ]]
	[[ "$output" == *"not ok - fuzz without: it has no inputs"* ]]
	[ "${lines[-1]}" = "1 passed, 2 failed, 0 skipped" ]
	[ "$(sort -u times)" = "-max_total_time=20" ]
	[ ! -e "$(cat tmp)" ]
	rm bins/fuzz_bad bins/fuzz_without
	run fuzz/tests/fuzz/run --together bins corpus 60
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	run fuzz/tests/fuzz/run bins corpus 3 good
	[ "$status" -eq 0 ]
	[ "$output" = "good: nothing found, 5 inputs" ]
}

@test "every fuzz target has inputs and is built" {
	for f in "$top"/tests/fuzz/fuzz_*.c; do
		target=${f##*/fuzz_}
		grep -qw "${target%.c}" "$top/tests/fuzz/corpus" || { echo "${target%.c}"; return 1; }
	done
}

@test "tests/run: the last line counts, a skip has its reason, a file that dies early fails" {
	mkdir -p copy/tests/x
	cp "$top/tests/run" copy/tests/
	cat >copy/tests/x/a.tap <<-'EOF'
	#!/bin/sh
	echo 1..3; echo "ok 1 - a"; echo "ok 2 - b # SKIP no b here"; echo "not ok 3 - c"
	EOF
	printf '#!/bin/sh\necho 1..2; echo "ok 1 - a"\n' >copy/tests/x/b.tap
	printf '#!/bin/sh\nexit 0\n' >copy/tests/x/c.tap
	chmod +x copy/tests/x/*.tap
	run copy/tests/run
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "2 passed, 3 failed, 1 skipped" ]
	[[ "$output" == *"no b here"* ]]
	run copy/tests/run nothing
	[ "$status" -eq 1 ]
	[ "${lines[-2]}" = "no test file has a name that holds 'nothing'" ]
}

@test "tests/run: a failure counts unless the file passes two of three more runs, and is named even then" {
	mkdir -p copy/tests/x
	cp "$top/tests/run" copy/tests/
	# fails in the runs whose numbers are in "bad"
	cat >copy/tests/x/a.tap <<-'EOF'
	#!/bin/sh
	echo x >>n; echo 1..1
	case " $(cat bad) " in *" $(grep -c x n) "*) echo "not ok 1 - chance" ;; *) echo "ok 1 - chance" ;; esac
	EOF
	chmod +x copy/tests/x/a.tap
	echo 1 >copy/bad
	run copy/tests/run
	[ "$status" -eq 0 ]
	[ "$(grep -c x copy/n)" -eq 3 ]
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	[ "${lines[-2]}" = "  unsteady: x/a.tap: not ok 1 - chance" ]
	rm copy/n
	echo 1 3 >copy/bad
	run copy/tests/run
	[ "$status" -eq 0 ]
	[ "$(grep -c x copy/n)" -eq 4 ]
	for bad in '1 2 3' '1 3 4'; do
		rm copy/n
		echo "$bad" >copy/bad
		run copy/tests/run
		[ "$status" -eq 1 ]
		[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
	done
	rm copy/n
	run copy/tests/run --once
	[ "$status" -eq 1 ]
	[ "$(grep -c x copy/n)" -eq 1 ]
	# unit tests are files like others
	rm copy/n
	mkdir copy/unit
	mv copy/tests/x/a.tap copy/unit/test_a
	echo 1 >copy/bad
	run copy/tests/run --unit "$PWD/copy/unit"
	[ "$status" -eq 0 ]
	[ "${lines[-2]}" = "  unsteady: unit/test_a: not ok 1 - chance" ]
}

@test "tests/run: two lanes share what runs beside others, and one of them has all the rest" {
	mkdir -p copy/tests/x copy/unit
	cp "$top/tests/run" copy/tests/
	# each says when it begins and ends, and which signals were ignored when it began
	for kind in alone1 alone2 beside1 beside2; do
		printf '#!/bin/sh\n%s\nexec 9>>%s\n%s\n' "$([[ $kind == beside* ]] && echo '# Runs beside others.')" "$PWD/log" \
			"echo + $kind >&9; sleep 0.5; echo - $kind >&9; grep SigIgn /proc/\$\$/status >>$PWD/ignored; echo 1..1; echo ok 1 - a" \
			>copy/tests/x/$kind.tap
		chmod +x copy/tests/x/$kind.tap
	done
	run copy/tests/run --lanes 2
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "4 passed, 0 failed, 0 skipped" ]
	[ "$(sort log | uniq -d)" = "" ] # each ran once
	# what runs alone is never with its like, and something was beside it
	[ "$(grep alone log | tr '\n' ' ')" = "+ alone1 - alone1 + alone2 - alone2 " ]
	[ "$(grep -c beside <(sed -n '/+ alone1/,/- alone2/p' log))" -gt 0 ]
	# SIGINT and SIGQUIT, bits 1 and 2
	while read -r _ mask; do [ $((0x$mask & 6)) -eq 0 ] || { cat ignored; false; }; done <ignored
	rm log
	run copy/tests/run --lanes 1
	[ "$(awk '{ n += $1 == "+" ? 1 : -1; if (n > 1) print }' log)" = "" ]
	[ "$(grep -c + log)" -eq 4 ]
	# files of one name in two directories are two files
	mkdir copy/tests/y
	cp copy/tests/x/* copy/tests/y/
	run copy/tests/run
	[ "${lines[-1]}" = "8 passed, 0 failed, 0 skipped" ]
	run copy/tests/run y/beside
	[ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
	for wrong in 0 x ''; do run -129 copy/tests/run --lanes "$wrong"; done
}

@test "tests/run: a file that takes longer than it says is stopped, and fails" {
	mkdir -p copy/tests/x
	cp "$top/tests/run" copy/tests/
	printf '#!/bin/sh\n# Takes up to 1 seconds.\necho 1..1; sleep 30; echo ok 1 - a\n' >copy/tests/x/long.tap
	printf '#!/bin/sh\necho 1..1; sleep 2; echo ok 1 - a\n' >copy/tests/x/usual.tap
	chmod +x copy/tests/x/*.tap
	run copy/tests/run --lanes 1
	[ "$status" -eq 1 ]
	[[ "$output" == *"not ok - x/long.tap was stopped after 1 seconds"* ]]
	[ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
}

@test "tests/run ends with what it has begun" {
	mkdir -p copy/tests/x
	cp "$top/tests/run" copy/tests/
	for kind in a b; do
		printf '#!/bin/sh\n# Runs beside others.\necho $$ >%s\nexec sleep 60\n' "$PWD/pid.$kind" >copy/tests/x/$kind.tap
		chmod +x copy/tests/x/$kind.tap
	done
	copy/tests/run --lanes 2 >log 3>&- &
	run=$!
	for i in $(seq 100); do [ -s pid.a ] && [ -s pid.b ] && break; sleep 0.1; done
	kill $run
	code=0
	wait $run || code=$?
	[ $code -eq 143 ]
	for kind in a b; do ! kill -0 "$(cat pid.$kind)" 2>/dev/null || false; done
}

@test "make help lists every target and every switch" {
	make -s -C "$top" help >help
	sed -n 's/^\.PHONY://p' "$top/Makefile" | tr ' ' '\n' | sed '/^$/d' | while read -r target; do
		[ "$target" = all ] || grep -qE "^  make $target " help || { echo "$target"; return 1; }
	done
	grep -oE '^[A-Za-z]+ \?=' "$top/Makefile" | sed 's/ .*//' | while read -r switch; do
		grep -qE "(^|[ /(])$switch([= /]|\$)" help || { echo "$switch"; return 1; }
	done
}

@test "an object is made again when flags change, and only then" {
	build CFLAGS=-O1 "$out/obj/util/base/text.o" >log 2>&1
	build CFLAGS=-O1 "$out/obj/util/base/text.o" >log 2>&1
	run ! grep -q 'CC util/base/text.c' log
	touch -r "$out/obj/util/base/text.o" before
	sleep 0.01
	build CFLAGS=-O0 "$out/obj/util/base/text.o"
	[ "$out/obj/util/base/text.o" -nt before ]
}

@test "a missing library is said once, with its package, and its twin is built in its place" {
	# a compiler that has never heard of zstd
	cat >nozstd <<-'EOF'
	#!/bin/sh
	for a; do
		case $a in *.c) ! grep -qs "include <zstd.h>" "$a" || exit 1 ;; esac
	done
	exec cc "$@"
	EOF
	chmod +x nozstd
	run make -s -C "$top" O="$out" CC="$PWD/nozstd" "$out/gen/config.mk"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'apt-get install' <<<"$output")" -eq 1 ]
	[[ "$output" == *"without compressed perf.data files"*": libzstd-dev is missing (apt-get install libzstd-dev)"* ]]
	grep -q 'HAVE_ZLIB 1' "$out/gen/config.h"
	run ! grep -q 'define HAVE_ZSTD' "$out/gen/config.h"
	grep '^SKIPPED_SRCS' "$out/gen/config.mk" | grep -q 'util/data/zstd.c'
	run make -s -C "$top" O="$out" CC="$PWD/nozstd" "$out/obj/util/data/zstd-without.o"
	[ "$status" -eq 0 ]
	[[ "$output" != *apt-get* ]]
}

@test "the files that need a library have a twin for its absence" {
	grep -v '^#' "$top/scripts/libraries" | cut -f 6 | grep -v '^-$\|^plugin:' | while read -r files; do
		twins=0
		for file in ${files//,/ }; do
			[ ! -f "$top/${file%.c}-without.c" ] || twins=$((twins + 1))
		done
		[ $twins -ge 1 ] || { echo "$files"; return 1; }
	done
}

@test "no library is asked for that no source file uses" {
	grep -v '^#' "$top/scripts/libraries" | cut -f 3 | while read -r header; do
		grep -rqF "#include <$header>" "$top/util" "$top/builtin" "$top/ui" "$top/plugins" || { echo "$header"; return 1; }
	done
}

@test "an include that util/COMPONENTS does not list stops the build, and so does a line that no include needs" {
	mkdir -p copy/util/base copy/util/cli copy/builtin/x copy/builtin/y copy/scripts
	cp "$top/scripts/check-components" copy/scripts/
	printf '%s\n' '# a comment' 'base: : the ground' $'\tpublic: text.h' 'cli: base: options' $'\tpublic: options.h' \
		'builtin/x: cli: perf x' $'\tpublic: x.h' 'builtin/y: : perf y' >copy/util/COMPONENTS
	for f in util/base/text.h util/cli/options.h builtin/x/x.h builtin/y/y.c; do
		echo '/* nothing yet */' >copy/$f
	done
	echo '#include "base/text.h"' >copy/util/cli/a.c
	echo '#include "cli/options.h"' >copy/builtin/x/a.c
	echo '#include "builtin/x/x.h"' >copy/builtin-x.c
	copy/scripts/check-components
	copy/scripts/check-components --dot | grep -q '"cli" -> "base";'
	[ "$(copy/scripts/check-components --table | sed -n 6p)" = "| 2 | builtin/x | perf x | cli |" ]
	# what is not listed, what is not public, what is private, the root, another command's component
	fails() { # FILE LINE MESSAGE
		cp "copy/$1" kept 2>/dev/null || rm -f kept
		echo "$2" >>"copy/$1"
		run copy/scripts/check-components
		echo "$output"
		[ "$status" -ne 0 ]
		[[ "$output" == *"$3"* ]]
		rm "copy/$1"
		[ ! -f kept ] || cp kept "copy/$1"
	}
	fails util/base/a.c '#include "cli/options.h"' "util/base/a.c:1: component base may not use cli"
	fails util/cli/b.c '#include "base/bytes.h"' 'util/cli/b.c:1: "base/bytes.h" is not public'
	fails util/cli/b.c '#include "base/x_internal.h"' 'util/cli/b.c:1: "base/x_internal.h" is for component base alone'
	fails builtin-x.c '#include "cli/internal.h"' 'builtin-x.c:2: "cli/internal.h" is for component cli alone'
	fails util/base/a.c '#include "builtin.h"' "util/base/a.c:1: a component may not use the root"
	fails builtin/y/b.c '#include "builtin/x/x.h"' "builtin/y/b.c:1: component builtin/y may not use builtin/x"
	fails util/COMPONENTS 'cli2: builtin/x: shared' "cli2 uses builtin/x, which is for its command alone"
	fails util/COMPONENTS 'cli: base: once more' "component cli is there twice"
	fails util/COMPONENTS 'ui: base: draws' "ui includes nothing of base"
	fails util/COMPONENTS $'ui: : draws\n\tpublic: color.h' "nothing outside ui includes color.h"
	# lines of perf --trace in the name of another component
	printf '#define TRACE_COMPONENTS(X) X(cli) X(nowhere)\n' >copy/util/base/trace.h
	fails util/base/a.c $'\tTRACE(cli, "x");' "util/base/a.c:1: these lines would be those of component cli"
	fails util/base/a.c '' "base/trace.h: nowhere is not a component"
	fails util/base/a.c '' "base/trace.h: component cli has no TRACE() line"
	rm copy/util/base/trace.h
	# --update writes what is needed
	mkdir copy/util/new
	sed -i '/^builtin.y/i new: : more' copy/util/COMPONENTS
	printf '#include "base/bytes.h"\n#include "cli/options.h"\n' >copy/util/new/a.c
	echo '/* nothing yet */' >copy/util/base/bytes.h
	run ! copy/scripts/check-components
	copy/scripts/check-components --update
	copy/scripts/check-components
	grep -qx 'new: base cli: more' copy/util/COMPONENTS
	grep -qx $'\tpublic: bytes.h text.h' copy/util/COMPONENTS
}

@test "check-includes finds an include of which nothing is used" {
	mkdir -p copy/scripts copy/util/base copy/util/cli
	cp "$top/scripts/check-includes" "$top/scripts/sources" copy/scripts/
	touch copy/.gitignore
	printf '%s\n' '#ifndef BASE_A_H' '#define BASE_A_H' 'struct cup {' $'\tint handle;' '};' 'extern int tea, milk;' \
		'enum size { SMALL, LARGE };' 'int pour(struct cup *c);' '#endif' >copy/util/base/a.h
	for use in 'struct cup' 'int x = milk;' 'int x = LARGE;' 'int x = pour(0);' 'x->handle = 1;'; do
		printf '#include "base/a.h"\n%s\n' "$use" >copy/util/cli/x.c
		copy/scripts/check-includes
	done
	printf '#include "base/a.h"\n/* pour() */ char *x = "milk";\n' >copy/util/cli/x.c
	run copy/scripts/check-includes
	[ "$status" -eq 1 ]
	[[ "$output" == *'util/cli/x.c:1: nothing of "base/a.h" is used'* ]]
	sed -i '1s,$, /* for whom */,' copy/util/cli/x.c
	copy/scripts/check-includes
	"$top/scripts/check-includes"
}

@test "the table and the drawing of the design pages are those of util/COMPONENTS" {
	"$top/scripts/check-components" --table >table
	[ "$(wc -l <table)" -gt 50 ]
	sed -n '/^| level | component/,/^$/{/^$/!p}' "$top/Documentation/design/components.md" >page
	diff table page
	# the drawing of the overview has each component that is not a command's own, by level
	sed -nE 's/^\| ([0-9]+) \| ([a-z_]+) \|.*/\1 \2/p' table | LC_ALL=C sort >levels
	sed -nE 's/^ +([0-9]+) \| ([a-z_ ]+) \|.*/\1 \2/p' "$top/Documentation/design/README.md" |
		awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | LC_ALL=C sort | diff levels -
}

@test "design pages: each function, type, path and page that they name exists, and lines have 100 columns" {
	cd "$top"
	local pages=(Documentation/design/*.md)
	[ ${#pages[@]} -ge 17 ]
	for page in "${pages[@]}"; do
		tr '\n' ' ' <"$page" >"$BATS_TEST_TMPDIR/text"
		# of the kernel: perf_callchain_user(), regs_query_register_offset()
		grep -oE '`[a-z0-9_]+\(\)`' "$BATS_TEST_TMPDIR/text" | tr -d '`()' | sort -u |
			grep -vxE 'perf_callchain_user|regs_query_register_offset' | while read -r name; do
			grep -rqE "\b$name\(" util builtin ui python plugins --include='*.[ch]' || { echo "$page: no $name()"; return 1; }
		done
		grep -oE '`(struct|enum) [a-z_]+' "$BATS_TEST_TMPDIR/text" | tr -d '`' | sort -u | while read -r type; do
			grep -rqE "$type( \{|;)" arch util builtin ui plugins --include='*.h' || { echo "$page: no $type"; return 1; }
		done
		grep -oE '(^|[^A-Za-z0-9_./-])(arch|util|builtin|ui|tests|python|plugins|scripts|include|libexec|Documentation)/[A-Za-z0-9_./*-]+' \
			"$BATS_TEST_TMPDIR/text" | sed 's/^[^a-zA-Z]//; s/[.]$//' | grep -v '[A-Z][A-Z]' | sort -u | while read -r path; do
			compgen -G "$path" >/dev/null || { echo "$page: no $path"; return 1; }
		done
		grep -oE '\]\([^)#:]+\)' "$page" | tr -d ']()' | while read -r other; do
			[ -e "Documentation/design/$other" ] || { echo "$page: no $other"; return 1; }
		done
		# tables and the drawn table of components are as wide as they are
		run grep -nvE '^.{0,100}$|^\|' "$page"
		[ -z "$output" ] || [ "$page" = Documentation/design/architectures.md ] || { echo "$page: $output"; return 1; }
	done
	# the overview names every page
	for page in "${pages[@]}"; do
		[ "$page" = Documentation/design/README.md ] || grep -qF "(${page##*/})" Documentation/design/README.md
	done
}

@test "glossary: words in alphabetical order, two lines at most, types that exist" {
	cd "$top"
	sed -n '/^## Words of this tree/,/^## perf/p' Documentation/glossary.md >"$BATS_TEST_TMPDIR/words"
	sed -nE 's/^- \*\*([^*]+)\*\*.*/\1/p' "$BATS_TEST_TMPDIR/words" >"$BATS_TEST_TMPDIR/order"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/order")" -ge 50 ]
	LC_ALL=C sort -f -c "$BATS_TEST_TMPDIR/order"
	[ -z "$(awk '/^- / { n = 0 } /^(- |  )/ && ++n > 2' "$BATS_TEST_TMPDIR/words")" ]
	grep -oE '`struct [a-z_]+' Documentation/glossary.md | tr -d '`' | while read -r type; do
		grep -rqE "$type( \{|;)" arch util --include='*.h' || { echo "no $type"; return 1; }
	done
}

@test "check-components --circles names the objects that need each other" {
	mkdir -p util/base objects/util/base
	cp -r "$top/scripts" . # names of objects are names of sources
	printf '%s\n' 'int b(void);' 'int a(void) { return b(); }' 'int d(void) { return 1; }' >util/base/a.c
	printf '%s\n' 'int a(void);' 'int b(void) { return a(); }' >util/base/b.c
	printf '%s\n' 'int d(void);' 'int c(void) { return d(); }' >util/base/c.c
	for f in a b c; do
		gcc -c -o objects/util/base/$f.o util/base/$f.c
	done
	run scripts/check-components --circles objects
	[ "$status" -eq 1 ]
	[ "$output" = $'util/base/a util/base/b: not in util/CIRCLES\n1 circles' ]
	echo 'util/base/a util/base/b: they take turns' >util/CIRCLES
	run scripts/check-components --circles objects
	[ "$status" -eq 0 ]
	[ "$output" = $'util/base/a util/base/b: they take turns\n1 circles' ]
	# the list only gets shorter; what this build leaves out is no proof
	printf '%s\n' 'util/base/a util/base/c: gone' 'util/base/a util/base/z: not built' >>util/CIRCLES
	run scripts/check-components --circles objects
	[ "$status" -eq 1 ]
	[[ "$output" == *'util/CIRCLES: this circle is gone: util/base/a util/base/c'* ]]
	[[ "$output" != *'util/base/z'* ]]
}

@test "object files need each other only where util/CIRCLES says why" {
	[ "$(realpath "$PERF")" = "$(realpath "$top")/perf" ] || skip "build/obj is not the build that is tested"
	"$top/scripts/check-components" --circles "$top/build/obj"
	[ "$(grep -c '^[^#]' "$top/util/CIRCLES")" -le 8 ]
}

@test "make install-files puts everything below DESTDIR and prefix" {
	make -s -C "$top" install-files DESTDIR="$PWD/dest" prefix=/opt/p BIN="$PERF" >log
	[ -x dest/opt/p/bin/perf ]
	[ -f dest/opt/p/share/bash-completion/completions/perf ]
	[ -f dest/opt/p/share/zsh/site-functions/_perf ]
	[ -f dest/opt/p/share/doc/perf/README.md ]
	[ -f dest/opt/p/share/doc/perf/perf.data-format.md ]
	[ -d dest/opt/p/lib/perf-core/plugins ]
	[ -d dest/opt/p/libexec/perf-core/scripts ]
	[ "$(ls dest)" = opt ]
	[ ! -f "$top/build/man/perf.1" ] || [ -f dest/opt/p/share/man/man1/perf.1 ]
	[ "$(dest/opt/p/bin/perf version)" = "$("$PERF" version)" ]
}

@test "the installed program keeps its symbol table" {
	nm "$PERF" | grep -q ' T main$'
	nm "$PERF" | grep -q ' [tT] cmd_version$'
}

# Complete the words given (the last one is being typed).
complete_words() {
	PATH="$(dirname "$PERF"):$PATH" bash -c '
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		_perf
		printf "%s\n" "${COMPREPLY[@]}"' "$top/scripts/perf-completion.bash" "$@"
}

@test "completion: commands, options in front, options of a command, subcommands" {
	complete_words perf ver | grep -qx version
	complete_words perf "" | grep -qx config
	complete_words perf --no | grep -qx -- --no-pager
	complete_words perf config --sy | grep -qx -- --system
	complete_words perf check f | grep -qx feature
	complete_words perf --buildid-dir /x ver | grep -qx version
	complete_words perf help con | grep -qx config
	complete_words perf sched latency --hist-m | grep -qx -- --hist-mode
	complete_words perf kvm --host stat report --tu | grep -qx -- --tui
	complete_words perf c2c report -i file --objd | grep -qx -- --objdump
	complete_words perf bench futex has | grep -qx hash
}

@test "completion: events with a colon, keys of --sort, workloads" {
	complete_words perf record -e cpu-clo | grep -qx cpu-clock
	complete_words perf stat -e cs,cpu-clo | grep -qx cs,cpu-clock
	for key in com:comm dso,sym:dso,symbol; do
		complete_words perf report --sort "${key%%:*}" | grep -qx "${key#*:}"
		complete_words perf report --sort = "${key%%:*}" | grep -qx "${key#*:}"
	done
	complete_words perf test -w nop | grep -qx noploop
	[ "$(complete_words perf test -w inl)" = inlineloop ]
	[ -e /sys/kernel/tracing/events/sched ] && [ "$(id -u)" -eq 0 ] || skip "no tracepoints to complete"
	# bash has split the word at ':' and replaces what is after it
	complete_words perf record -e sched : sched_sw | grep -qx sched_switch
	complete_words perf record -e cs,sched : sched_sw | grep -qx sched_switch
	complete_words perf record -a -e sched : | grep -qx sched_switch
}

@test "completion: scripts, settings, system calls, features and metrics" {
	complete_words perf script fla | grep -qx flamegraph
	complete_words perf script record fla | grep -qx flamegraph
	complete_words perf script -s fla | grep -qx flamegraph
	complete_words perf script rep | grep -qx report
	complete_words perf config annotate.show_n | grep -qx annotate.show_nr_jumps
	complete_words perf config -l core.w | grep -qx core.workers
	complete_words perf check feature lib | grep -qx libelf
	complete_words perf check feature libelf,zs | grep -qx libelf,zstd
	complete_words perf doctor --for tr | grep -qx trace
	complete_words perf stat -M CPUs_u | grep -qx CPUs_utilized
	complete_words perf stat -M CPUs_utilized,Softw | grep -qx CPUs_utilized,Software
	complete_words perf trace -e netw | grep -qx network
	[ -e /sys/kernel/tracing/events/syscalls ] && [ "$(id -u)" -eq 0 ] || skip "no system calls to complete"
	complete_words perf trace -e read,opena | grep -qx read,openat
	complete_words perf trace -e '!opena' | grep -qx '!openat'
	complete_words perf trace -e "'!read,!opena" | grep -qx '!read,!openat'
	complete_words perf trace -e sched : sched_sw | grep -qx sched_switch
	# which records events, not calls
	[ -z "$(complete_words perf trace record -e opena)" ]
	complete_words perf trace record -e cpu-clo | grep -qx cpu-clock
	complete_words perf trace -e sche >words
	grep -qx sched_yield words
	grep -qx sched:sched_switch words
}

@test "completion: the settings are those that perf knows" {
	. "$top/scripts/perf-completion.bash"
	perf=$PERF
	# without an old spelling
	sed -n '/names\[\] = {/,/^};/p' "$top/util/cli/config_names.c" | grep -o '"[^"]*"' | tr -d '"' |
		grep -vx report.sort-order | LC_ALL=C sort >known
	[ "$(wc -l <known)" -gt 90 ]
	_perf_settings | sed '/^$/d' | LC_ALL=C sort | diff known -
}

@test "completion asks the program that is typed, not the one called perf" {
	printf '#!/bin/sh\necho another-command\n' >perf-other
	chmod +x perf-other
	PATH="$PWD:$PATH" bash -c '
		. "$0"
		COMP_WORDS=(perf-other ano) COMP_CWORD=1
		_perf perf-other ano perf-other
		echo "${COMPREPLY[@]}"' "$top/scripts/perf-completion.bash" >completed
	[ "$(cat completed)" = another-command ]
}

# The line after TAB, typed into bash on a terminal; perf lists these events.
tab() {
	mkdir -p bin
	cat >bin/perf <<-X
	#!/bin/sh
	[ "\$*" != "list --raw-dump" ] || exec echo cs cpu-clock sched:sched_switch sched:sched_stat_wait
	exec "$PERF" "\$@"
	X
	chmod +x bin/perf
	PATH="$PWD/bin:$PATH" "$BATS_TEST_DIRNAME/press-tab" "${@:1:$#-1}" "$top/scripts/perf-completion.${shell:-bash}" "${*: -1}"
}

@test "completion: TAB in bash itself, with colons, quotes, commas and '='" {
	command -v python3 >/dev/null || skip "no python3"
	[ "$(tab "perf record -e sched:sched_sw")" = "perf record -e sched:sched_switch " ]
	[ "$(tab "perf record -a -e cs,sched:sched_sw")" = "perf record -a -e cs,sched:sched_switch " ]
	[ "$(tab "perf record --event=sched:sched_sw")" = "perf record --event=sched:sched_switch " ]
	[ "$(tab "perf record -e 'sched:sched_sw")" = "perf record -e 'sched:sched_switch' " ]
	[ "$(tab "perf stat -e \"cs,sched:sched_sw")" = 'perf stat -e "cs,sched:sched_switch" ' ]
	[ "$(tab "perf stat -e '{cs,sched:sched_sw")" = "perf stat -e '{cs,sched:sched_switch' " ]
	[ "$(tab --all "perf record -e sched:")" = "perf record -e sched:sched_stat_wait sched_switch " ]
	[ "$(tab "perf record -e cpu-c")" = "perf record -e cpu-clock " ]
	[ "$(tab "perf report --sort comm,dso,symb")" = "perf report --sort comm,dso,symbol" ]
	[ "$(tab "perf report --sort=comm,pare")" = "perf report --sort=comm,parent " ]
	[ "$(tab "perf report --sort 'comm,parent,sym_dadd")" = "perf report --sort 'comm,parent,sym_dadd" ]
	[[ "$(tab --all "perf report --sort comm,")" == *" comm,pid "*" comm,symbol "* ]]
	[ "$(tab "perf test -w nop")" = "perf test -w noploop " ]
	[[ "$(tab --all "perf test -w ")" == "perf test -w "*" noploop "* ]]
	[ "$(tab "perf ver")" = "perf version " ]
}

@test "completion: TAB in zsh, after each kind of word" {
	command -v python3 >/dev/null || skip "no python3"
	command -v zsh >/dev/null || skip "no zsh"
	shell=zsh
	# typed, and the word that TAB makes of its end
	while IFS='|' read -r typed ends; do
		[ "$(tab "$typed")" = "$ends " ] || { echo "$typed: $(tab "$typed")"; return 1; }
	done <<-'X'
	perf ver|perf version
	perf --no-p|perf --no-pager
	perf --trace data,obj|perf --trace data,object
	perf --buildid-dir /x ver|perf --buildid-dir /x version
	perf help con|perf help config
	perf record --call-g|perf record --call-graph
	perf config --sy|perf config --system
	perf config annotate.show_nr_j|perf config annotate.show_nr_jumps
	perf config -l core.w|perf config -l core.workers
	perf check fea|perf check feature
	perf check feature libelf,zs|perf check feature libelf,zstd
	perf doctor --for tr|perf doctor --for trace
	perf sched latency --hist-m|perf sched latency --hist-mode
	perf kvm --host stat report --tu|perf kvm --host stat report --tui
	perf c2c report -i file --objd|perf c2c report -i file --objdump
	perf record -a -e sched:sched_sw|perf record -a -e sched:sched_switch
	perf record -e cs,sched:sched_sw|perf record -e cs,sched:sched_switch
	perf record --event=sched:sched_sw|perf record --event=sched:sched_switch
	perf record -e 'sched:sched_sw|perf record -e 'sched:sched_switch'
	perf stat -e '{cs,sched:sched_sw|perf stat -e '{cs,sched:sched_switch'
	perf stat -M CPUs_utilized,Softw|perf stat -M CPUs_utilized,Software
	perf report --sort=comm,pare|perf report --sort=comm,parent
	perf diff -s comm,pare|perf diff -s comm,parent
	perf script fla|perf script flamegraph
	perf script -s fla|perf script -s flamegraph
	perf script record fla|perf script record flamegraph
	perf test -w nop|perf test -w noploop
	perf trace -e netw|perf trace -e network
	perf trace -e '!netw|perf trace -e '!network'
	perf trace record -e sched:sched_sw|perf trace record -e sched:sched_switch
	perf report --unwind-style libd|perf report --unwind-style libdw
	X
	touch recording-of-mine
	[ "$(tab "perf report -i recording-of")" = "perf report -i recording-of-mine " ]
	[ "$(tab "perf record setpri")" = "perf record setpriv " ]
	[ "$(tab --all "perf record -e sched:")" = "perf record -e sched:sched_stat_wait sched:sched_switch " ]
	# the program that is typed is asked
	mkdir -p other
	printf '#!/bin/sh\necho another-command\n' >other/perf
	chmod +x other/perf
	[ "$(tab "$PWD/other/perf ano")" = "$PWD/other/perf another-command " ]
}

@test "completion: zsh has the settings and keys that bash has" {
	command -v zsh >/dev/null || skip "no zsh"
	sed '$d' "$top/scripts/perf-completion.zsh" >functions # without the call
	zsh -fc 'setopt extended_glob; . ./functions; perf=$1; _perf_settings; print -l $reply ${=_perf_sort_keys}' - "$PERF" |
		LC_ALL=C sort >zsh
	bash -c '. "$0"; perf=$1; _perf_settings | sed "/^$/d"; printf "%s\n" $_perf_sort_keys' \
		"$top/scripts/perf-completion.bash" "$PERF" | LC_ALL=C sort | diff zsh -
	[ "$(wc -l <zsh)" -gt 130 ]
}

@test "completion: the keys of --sort are those of perf report" {
	for key in $(. "$top/scripts/perf-completion.bash"; echo "$_perf_sort_keys"); do
		run "$PERF" report -i /nosuch --sort "$key"
		[[ "$output" == *"/nosuch"* && "$output" != *"sort"* ]] || { echo "$key: $output"; return 1; }
	done
}

@test "the shell scripts pass shellcheck" {
	command -v shellcheck >/dev/null || skip "no shellcheck here"
	cd "$top"
	shellcheck -x -S warning quickstart .ci/run tests/run tests/rival tests/debian tests/fuzz/run tests/fuzz/corpus scripts/pages scripts/features scripts/check-components scripts/check-words scripts/check-format scripts/sysroot scripts/dist scripts/sources scripts/deb \
		scripts/packaging/debian/opened scripts/packaging/debian/perf-standalone.postinst scripts/packaging/debian/perf-standalone.prerm
	shellcheck -s bash -e SC2207 scripts/perf-completion.bash
}

@test "the C code is laid out as .clang-format says, and no line is over 100 columns" {
	run "$top/scripts/check-format"
	[ "$status" -ne 77 ] || skip "clang-format 14 is missing: later ones lay out a few lines differently"
	[ "$status" -eq 0 ] || { echo "$output" | head -20; return 1; }
	# what it looks for
	mkdir -p tree/scripts
	cp "$top/scripts/check-format" "$top/scripts/sources" tree/scripts/
	cp "$top/.clang-format" "$top/.gitignore" tree/
	printf 'static int a[] = { %s };\n' "$(seq -s ', ' 40)" >tree/wide.c
	printf '/* clang-format off */\nstatic int a[] = { %s };\n/* clang-format on */\n' "$(seq -s ', ' 40)" >tree/table.c
	printf 'int  main(void)\n{\n\treturn 0;\n}\n' >tree/blank.c
	run tree/scripts/check-format
	[ "$status" -eq 1 ]
	[[ "$output" == *"wide.c:1: 1"*" columns"* && "$output" == *"blank.c:1:4: "* && "$output" != *"table.c"* ]]
}

@test "pages, README and strings are free of words that read like a translation" {
	"$top/scripts/check-words"
	printf '*-x*\n\tColumns are parted by blanks.\n' >page.1.scd
	printf 'say_error("nothing behind the brace");\n/* behind it */\nint tells;\n' >strings.c
	run "$top/scripts/check-words" "$PWD/page.1.scd" "$PWD/strings.c"
	[ "$status" -eq 1 ]
	[ "$(grep -c "$PWD" <<<"$output")" -eq 2 ]
}

@test "compile_commands.json names every source file once, and how it is compiled" {
	# beside the tree, which may have one of its own
	mkdir tree
	ln -s "$top"/* tree/
	rm -f tree/compile_commands.json
	make -s -C tree compile_commands.json O="$out" >log 2>&1 || { cat log; return 1; }
	python3 - tree/compile_commands.json <<-'EOF'
	import json, os, sys
	rows = json.load(open(sys.argv[1]))
	files = [r["file"] for r in rows]
	assert len(files) == len(set(files)) > 400, len(files)
	assert all(os.path.exists(os.path.join(r["directory"], r["file"])) for r in rows)
	assert all(" -Iutil " in r["command"] and r["command"].endswith(r["file"]) for r in rows)
	EOF
}

@test "every file carries the licence line" {
	cd "$top"
	# forms of Debian without comments have no place for it
	scripts/sources | grep -vxE 'LICENSE|tests/data/.*\.tar\.xz|scripts/packaging/debian/(copyright|source/format|.*\.links)' | while read -r f; do [ -L "$f" ] || echo "$f"; done >"$BATS_TEST_TMPDIR/files"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/files")" -gt 500 ]
	xargs <"$BATS_TEST_TMPDIR/files" grep -L 'SPDX-License-Identifier: GPL-2.0-or-later' >"$BATS_TEST_TMPDIR/without" || true
	cat "$BATS_TEST_TMPDIR/without"
	[ ! -s "$BATS_TEST_TMPDIR/without" ]
}

# Directories of commands, so that git is not found.
without_git() {
	local command

	mkdir -p no-git
	for command in sh dirname find sed sort; do ln -sf "$(command -v $command)" no-git/$command; done
}

@test "outside of a checkout, what the build and a recording leave is not part of the sources" {
	without_git
	mkdir -p copy/scripts/__pycache__ copy/build copy/util/build copy/.git
	cp "$top/scripts/sources" copy/scripts/
	cp "$top/.gitignore" "$top/README.md" copy/
	ln -s README.md copy/README
	touch copy/perf copy/perf.data copy/perf.data.old copy/compile_commands.json copy/build/x copy/.git/x \
		copy/scripts/__pycache__/x copy/util/build/x copy/util/perf
	printf '%s\n' .gitignore README README.md scripts/sources util/build/x util/perf >want
	PATH=$PWD/no-git copy/scripts/sources >got
	diff want got
	copy/scripts/sources >got # git, but no checkout of it
	diff want got
}

@test "what git leaves out is what is left out without git" {
	command -v git >/dev/null && git -C "$top" ls-files --error-unmatch Makefile >/dev/null 2>&1 || skip "not a checkout"
	without_git
	# new files that are not tracked yet are sources
	git -C "$top" ls-files --cached --others --exclude-standard | LC_ALL=C sort | while read -r f; do
		[ ! -e "$top/$f" ] && [ ! -L "$top/$f" ] || echo "$f"
	done >want
	PATH=$PWD/no-git "$top/scripts/sources" >got
	diff want got
}

@test "only scripts/sources lists the files of the tree" {
	cd "$top"
	grep -nE 'git ls-files|(^|[^a-z])find \.( |$)|os\.walk\(top' scripts/* tests/run tests/cli/setup.bats tests/cli/packages.bats |
		grep -vE '^scripts/sources:|^scripts/check-components:|^tests/cli/setup.bats:.*(grep -nE|git -C)|cd tree && find' >"$BATS_TEST_TMPDIR/found" || true
	[ ! -s "$BATS_TEST_TMPDIR/found" ] || { cat "$BATS_TEST_TMPDIR/found"; return 1; }
}

# util/base/replace.h has the rules; a line that breaks none of them says why, or the one before or after it:
# "replace-ok: REASON".
named_outputs() { # DIRECTORY
	grep -rnE '\b(rename|renameat|renameat2|creat|truncate|mkstemps?|mkostemps?)\(|O_TRUNC\b|\bfopen\([^,]*, *"[wa]' \
		--include='*.c' "$1/util" "$1/builtin" "$1/ui" "$1/plugins" "$1/perf.c" "$1"/builtin-*.c |
		grep -vE "^$1/(util/base/(replace|temporary)|util/syscalls/|builtin/test/|builtin/ftrace/)" |
		while IFS=: read -r file line text; do
			sed -n "$((line > 1 ? line - 1 : 1)),$((line + 1))p" "$file" | grep -q 'replace-ok: [a-z]' ||
				echo "$file:$line:$text"
		done
}

@test "nothing but base/replace renames or truncates a named output" {
	mkdir -p planted/util planted/builtin planted/ui planted/plugins
	printf 'int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);\n\tif (rename(a, b))\n' >planted/util/x.c
	printf 'unlink(x); /* rename */\nrename(a, b); /* replace-ok: a file of the kernel */\n' >planted/builtin/y.c
	touch planted/perf.c planted/builtin-x.c
	[ "$(named_outputs planted | wc -l)" -eq 2 ]
	run named_outputs "$top"
	echo "$output"
	[ -z "$output" ]
}

# Calls that ask for the rights of the real user, who a program with capabilities or set-user-ID is not.
real_rights() { # DIRECTORY
	grep -rnE --include='*.c' '(^|[^A-Za-z0-9_.>"])(access|faccessat)\(' "$1"/util "$1"/builtin "$1"/ui "$1"/plugins "$1"/perf.c "$1"/builtin-*.c |
		grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)|AT_EACCESS'
}

@test "rights are asked for as the effective user" {
	mkdir -p planted/util planted/builtin planted/ui planted/plugins
	printf 'if (access(path, R_OK))\n\tx = faccessat(fd, name, X_OK, 0);\n' >planted/util/x.c
	printf '/* access(2) */\nfile_access(a, R_OK); faccessat(fd, name, R_OK, AT_EACCESS);\n' >planted/builtin/y.c
	touch planted/perf.c planted/builtin-x.c
	[ "$(real_rights planted | wc -l)" -eq 2 ]
	run real_rights "$top"
	echo "$output"
	[ -z "$output" ]
}

@test "README, CONTRIBUTING and the design page: each function and path that they name exists" {
	cd "$top"
	[ "$(readlink README)" = README.md ]
	# `name()` (util/component/file.h)
	tr '\n' ' ' <Documentation/design/README.md | grep -oE '`[a-z0-9_]+\(\)` +\([a-z/_]+\.h\)' | tr -d '`()' >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -ge 14 ]
	while read -r name header; do
		grep -qE "[ *]$name\(" "$header" || { echo "$name is not in $header"; return 1; }
	done <"$BATS_TEST_TMPDIR/named"
	grep -ohE '`[A-Za-z./-]+/[A-Za-z./-]+`' README.md CONTRIBUTING.md | tr -d '`' | grep -v '[A-Z][A-Z]' | while read -r path; do
		[ -e "$path" ] || [ -e "${path%/*}" ] || { echo "no $path"; return 1; }
	done
	tr '\n' ' ' <CONTRIBUTING.md | grep -oE '`[a-z0-9_]+\(\)`' | tr -d '`()' | sort -u | while read -r name; do
		grep -rqE "\b$name\(" util builtin ui --include='*.[ch]' || { echo "no $name()"; return 1; }
	done
	grep -ohE '\]\([^)#:]+\)' README.md CONTRIBUTING.md | tr -d ']()' | while read -r path; do
		[ -e "$path" ] || { echo "no $path"; return 1; }
	done
}

@test "README: its table of times is that of the page on performance" {
	cd "$top"
	# "times as fast", as the ratio of the row of that name, rounded
	for row in 'report -g, build:17' 'report many:28' 'report C++ stacks:132' 'script many:15' 'sched latency, long:6' 'annotate whole file:45'; do
		ratio=$(awk -F ' *[|] *' -v row="${row%:*}" '$2 == row && NF > 12 { printf "%.0f\n", $9; exit }' Documentation/performance.md)
		[ "$ratio" = "${row#*:}" ] || { echo "$row: $ratio"; return 1; }
		grep -qE "^\| .* \| ${row#*:} \| [0-9]" README.md || { echo "$row is not in the README"; return 1; }
	done
}

@test "README: its pictures are there, small and well-formed" {
	cd "$top"
	grep -oE '\]\([^)]+\.svg\)' README.md | tr -d ']()' >"$BATS_TEST_TMPDIR/pictures"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/pictures")" -ge 3 ]
	while read -r picture; do
		[ "$(stat -c %s "$picture")" -lt 100000 ]
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture"
	done <"$BATS_TEST_TMPDIR/pictures"
	printf '\033[31;44ma <b>\033[0m c\n' | Documentation/images/screen-to-svg >"$BATS_TEST_TMPDIR/svg"
	grep -qF '&lt;b&gt;</text>' "$BATS_TEST_TMPDIR/svg"
}

@test "README: the commands of the tour work" {
	sed -n '/^## A tour/,/^## For maintainers/s/^\$ //p' "$top/README.md" | sed 's/ *#.*//' >tour
	[ "$(wc -l <tour)" -ge 5 ]
	mkdir bin
	ln -s "$PERF" bin/perf
	while read -r line; do
		PATH=$PWD/bin:$PATH bash -c "$line" >out 2>&1 </dev/null || { echo "$line"; cat out; return 1; }
	done <tour
}

@test "quickstart says that it builds before it does, so that nobody waits in silence" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "the build begins"\nexit 7\n' >"$BATS_TEST_TMPDIR/bin/make"
	printf '#!/bin/sh\necho "install ok installed"\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	printf '#!/bin/sh\nexit 8\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	run env PATH="$BATS_TEST_TMPDIR/bin:$PATH" "$BATS_TEST_DIRNAME/../../quickstart"
	[ "$status" -eq 7 ]
	[[ "${lines[0]}" == "Building perf with "* ]] || { echo "$output"; return 1; }
	[ "${lines[1]}" = "the build begins" ]
}
