#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf record: what happens to the files and directories that the output's name meets.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# A directory of the user's, and a list of all that is in it.
user_directory() {
	mkdir -p "$1/deep" && echo precious >"$1/deep/file" && echo x >"$1/data"
}

@test "a directory X.old that is not a recording is neither removed nor renamed" {
	for option in '' --kcore --threads; do
		[ "$option" != --kcore ] || [ -r /proc/kcore ] || continue
		rm -rf d d.old
		"$PERF" record -q -e cpu-clock -o d true
		user_directory d.old
		find d d.old | sort >before
		cp -a d first
		run "$PERF" record $option -e cpu-clock -o d true
		[ "$status" -eq 1 ]
		[[ "$output" == *"error: cannot keep 'd' as 'd.old': 'd.old' holds 'deep', which is not part of a recording"*"hint: move the directory away"* ]]
		find d d.old | sort | diff before -
		cmp d first
		[ "$(cat d.old/deep/file)" = precious ]
		rm -rf first
	done
}

@test "a directory of that name that is not a recording stays" {
	for option in '' --threads; do
		rm -rf d && user_directory d
		run "$PERF" record $option -e cpu-clock -o d true
		[ "$status" -eq 1 ]
		[[ "$output" == *"'d' holds 'deep', which is not part of a recording"* ]]
		[ "$(cat d/deep/file)" = precious ] && [ ! -e d.old ]
		rm -rf d && mkdir d && echo mine >d/data
		run "$PERF" record $option -e cpu-clock -o d true
		[ "$status" -eq 1 ]
		[[ "$output" == *"'d' is a directory and not a recording"* ]]
		[ "$(cat d/data)" = mine ] && [ ! -e d.old ]
	done
}

@test "a link in a recording's directory is not followed" {
	mkdir away && echo precious >away/data.0
	"$PERF" record -q --threads -e cpu-clock -o d true
	mkdir d.old && cp d/data d.old/ && ln -s ../away d.old/kcore_dir
	run "$PERF" record -e cpu-clock -o d true
	[ "$status" -eq 1 ]
	[[ "$output" == *"'d.old' holds 'kcore_dir'"* ]]
	[ -L d.old/kcore_dir ] && [ "$(cat away/data.0)" = precious ]
}

@test "recordings that are directories replace one another" {
	"$PERF" record -q --threads -e cpu-clock -o d true
	"$PERF" record -q --threads -e cpu-clock -o d sh -c true
	"$PERF" record -q --threads -e cpu-clock -o d sh -c :
	[ "$(ls -d d*)" = "d
d.old" ]
	"$PERF" report --header-only -i d.old | grep -q 'sh -c true'
	"$PERF" record -q -e cpu-clock -o d true
	[ -f d ] && [ -d d.old ]
	"$PERF" report --header-only -i d.old | grep -q 'sh -c :'
	"$PERF" record -q -e cpu-clock -o d true
	[ -f d ] && [ -f d.old ]
}

@test "an empty directory takes a recording, and a program that cannot run takes nothing" {
	mkdir d && mkdir d.old && echo keep >d.old/file
	"$PERF" record -q --threads -e cpu-clock -o d true
	[ -f d/data ] && [ "$(cat d.old/file)" = keep ]
	cp -a d first
	mv d.old other
	run -127 "$PERF" record --threads -e cpu-clock -o d no-such-program-here
	diff -r d first && [ ! -e d.old ]
	echo '#!/no/such/interpreter' >bad && chmod +x bad
	run "$PERF" record --threads -e cpu-clock -o d ./bad
	[ "$status" -ne 0 ]
	diff -r d first && [ ! -e d.old ]
}

@test "inject refuses before it writes when a directory of the user's is in the way" {
	"$PERF" record -q -e cpu-clock -o file true
	echo older >out && user_directory out.old
	run "$PERF" inject -i file -o out
	[ "$status" -eq 1 ]
	[[ "$output" == *"'out.old' holds 'deep'"* ]]
	[ "$(cat out)" = older ] && [ "$(cat out.old/deep/file)" = precious ]
	[ -z "$(ls -d out.new* 2>/dev/null)" ]
}

@test "compressed files carry version 0 of the feature, as perf's" {
	"$PERF" record -q -z -e cpu-clock -o d -- "$PERF" test -w noploop 1
	# feature 27, COMPRESSED: offset and size stand in the table after the data
	python3 - d <<-'X'
	import struct, sys
	b = open(sys.argv[1], 'rb').read()
	data_at, data_size = struct.unpack_from('<QQ', b, 40)
	bits = struct.unpack_from('<4Q', b, 72)
	ids = [i for i in range(256) if bits[i // 64] >> (i % 64) & 1]
	at, size = struct.unpack_from('<QQ', b, data_at + data_size + 16 * ids.index(27))
	version, kind, level, ratio, length = struct.unpack_from('<5I', b, at)
	assert (version, kind, level) == (0, 1, 1), (version, kind, level)
	assert length > 0
	X
}

@test "a build-id cache that takes nothing is one warning, and the recording is whole" {
	said() { # REASON
		[ "$status" -eq 0 ]
		[ "$(grep -c 'build-id cache' <<<"$output")" -eq 1 ]
		[[ "$output" == *"warning: programs are not kept in the build-id cache '$PWD/cache': "*"$1"* ]]
		[ -n "$("$PERF" buildid-list -i d)" ]
	}
	echo 'not a directory' >cache
	run "$PERF" --buildid-dir "$PWD/cache" record -e cpu-clock --buildid-all -o d true
	said 'Not a directory'
	[ "$(cat cache)" = 'not a directory' ]
	run "$PERF" --buildid-dir "$PWD/cache" record -N -e cpu-clock --buildid-all -o d true
	[[ "$output" != *'build-id cache'* ]]
	rm cache && mkdir cache
	mount -t tmpfs -o size=64k none cache
	run "$PERF" --buildid-dir "$PWD/cache" record -e cpu-clock --buildid-all -o d true
	umount cache
	said 'No space left on device'
}
