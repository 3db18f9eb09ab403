#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf archive: packed, unpacked, damaged.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	type tar bzip2 >/dev/null || skip "no tar or bzip2"
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME"
	"$PERF" record -q -e cpu-clock:u -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' </dev/null
	id=$(readelf -n /bin/dash | sed -n 's/.*Build ID: //p')
}

cached() { # home
	ls "$1/.debug/.build-id/${id:0:2}/${id:2}/elf"
}

@test "objects go into FILE.tar.bz2 and come out in another cache; 6.1 finds them there" {
	run "$PERF" archive
	[ "$status" -eq 0 ]
	[[ "$output" == *"tar xvf perf.data.tar.bz2 -C ~/.debug"* ]]
	[ "$(stat -c %a perf.data.tar.bz2)" = 600 ] # it can hold what only its owner may read
	mkdir other
	HOME=$PWD/other "$PERF" archive --unpack perf.data.tar.bz2
	cmp "$(cached other)" /bin/dash
	[ ! -x "${RIVAL_PERF:-/usr/bin/perf}" ] || HOME=$PWD/other "${RIVAL_PERF:-/usr/bin/perf}" buildid-cache -l | grep -q "^$id "
}

@test "a slow archive shows progress on a terminal, and none elsewhere" {
	mkdir slow
	printf '#!/bin/sh\nsleep 2\nexec %s "$@"\n' "$(type -P tar)" >slow/tar
	chmod +x slow/tar
	PATH=$PWD/slow:$PATH timeout 60 python3 -c 'import os, pty, sys
status = pty.spawn(sys.argv[1:], stdin_read=lambda fd: b"")
sys.exit(os.waitstatus_to_exitcode(status))' "$PERF" archive >typed
	grep -q 'packing objects: [0-9]* s' typed
	grep -q 'tar xvf perf.data.tar.bz2' typed
	PATH=$PWD/slow:$PATH "$PERF" archive >out 2>&1
	run ! grep -q 'packing' out
}

@test "--all carries the recording; one that is here already is not touched" {
	"$PERF" archive --all
	mkdir there other
	mv perf.all-*.tar.bz2 there/
	cd there
	HOME=$PWD/../other "$PERF" archive --unpack
	cmp perf.data ../perf.data
	cached ../other
	run ! ls -d .archive.perf-new-*
	run "$PERF" archive --unpack
	[ "$status" -eq 1 ]
	[[ "$output" == *"perf.data"*"already"*"hint: mv 'perf.data' 'perf.data.old'"* ]]
	run ! ls -d .archive.perf-new-*
}

@test "--exclude-buildids leaves some out" {
	echo "$id /usr/bin/dash" >out
	"$PERF" archive --exclude-buildids out || :
	run ! grep -q "${id:2}" <(tar tf perf.data.tar.bz2 2>/dev/null)
	"$PERF" archive
	tar tf perf.data.tar.bz2 | grep -q "${id:2}"
}

@test "what the cache does not have is named" {
	"$PERF" buildid-cache -P
	run "$PERF" archive
	[ "$status" -eq 1 ]
	[[ "$output" == *"does not have"*dash* ]]
	[ ! -e perf.data.tar.bz2 ]
}

@test "a damaged archive is used as far as it goes and the gaps are named" {
	# two objects, the second of which is cut
	head -c 300000 /dev/urandom >noise
	tar cjf two.tar.bz2 -C "$HOME/.debug" ".build-id/${id:0:2}/${id:2}" \
		"$(cd "$HOME/.debug" && find . -path "*$id/elf" | head -1)" -C "$PWD" noise
	size=$(stat -c %s two.tar.bz2)
	bzip2 -dc two.tar.bz2 | head -c -200000 | bzip2 >cut.tar.bz2
	mkdir other
	HOME=$PWD/other run "$PERF" archive --unpack cut.tar.bz2
	[ "$status" -eq 1 ]
	[[ "$output" == *"noise' is cut"* ]]
	[[ "$output" == *"cut.tar.bz2' is damaged"* ]]
	cached other
	[ ! -e other/.debug/noise ]
}

@test "files that are not there: what makes them is said" {
	run "$PERF" archive --unpack nosuch.tar.bz2
	[ "$status" -eq 1 ]
	[[ "$output" == *"nosuch.tar.bz2"*"hint: 'perf archive'"* ]]
	echo text >text
	run "$PERF" archive --unpack text
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: 'text' is not an archive that tar can read" ]
	[[ "${lines[1]}" == "hint: "*"tar -tf"* ]]
	"$PERF" record -q -e cpu-clock -o data true
	run -1 "$PERF" archive nofile
	[ "${lines[1]}" = "hint: make it with 'perf record', or name another file with -i" ]
	run -1 "$PERF" archive -i nofile
	[ "${lines[0]}" = "error: cannot open 'nofile': No such file or directory" ]
	run -129 "$PERF" archive -i data data
	[ "${lines[0]}" = "error: -i data and data exclude each other" ]
	run -129 "$PERF" archive -i data --unpack
	run "$PERF" archive --exclude-buildids nosuch data
	[ "$status" -eq 1 ]
	[[ "$output" == *"nosuch"*"hint: "*"buildid-list"* ]]
}

@test "a file of another user needs -f" {
	chown 12345 perf.data
	run "$PERF" archive
	[ "$status" -eq 1 ]
	[[ "$output" == *"not owned by"*"hint: "*"-f"* ]]
	[ ! -e perf.data.tar.bz2 ]
	"$PERF" archive -f
	tar tf perf.data.tar.bz2 | grep -q "${id:2}"
}

@test "--all keeps a file that has the name of the archive of the objects; names with colons, dashes, directories" {
	echo mine >perf.data.tar.bz2
	"$PERF" archive --all
	[ "$(cat perf.data.tar.bz2)" = mine ]
	mkdir -p sub other there
	cp perf.data sub/host:x
	"$PERF" archive sub/host:x
	tar --force-local -tf sub/host:x.tar.bz2 | grep -q "${id:2}"
	rm perf.all-*
	cp perf.data -- -data
	"$PERF" archive --all -- -data
	mv perf.all-* there/
	cd there
	HOME=$PWD/../other "$PERF" archive --unpack
	cmp -- -data ../perf.data
	cached ../other
	[ "$(ls | wc -l)" -eq 2 ]
	! ls -d .archive.perf-new-??????
}

@test "a failed archive leaves the one before it" {
	echo mine >perf.data.tar.bz2
	"$PERF" buildid-cache -P
	run ! "$PERF" archive
	[ "$(cat perf.data.tar.bz2)" = mine ]
	"$PERF" record -q -e cpu-clock:u -o again -- dash -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	mkdir bin
	printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" != -cjf ] || echo part >"$2"; shift; done; exit 2\n' >bin/tar
	chmod +x bin/tar
	PATH=$PWD/bin:$PATH run "$PERF" archive
	[ "$status" -eq 1 ]
	[[ "$output" == *"tar could not write"* ]]
	[ "$(cat perf.data.tar.bz2)" = mine ]
	[ -z "$(ls | grep new-)" ]
}

@test "names in the cache are neither options of tar nor two names" {
	secret=$PWD/secret
	echo secret >secret
	mkdir -p "$PWD/--add-file=secret" "$PWD/two
lines"
	for dir in "--add-file=secret" "two
lines"; do
		cp /bin/dash "$PWD/$dir/prog"
		"$PERF" record -q -e cpu-clock:u -- "./$dir/prog" -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
		"$PERF" buildid-cache -r /bin/dash || :
		link=$HOME/.debug/.build-id/${id:0:2}/${id:2}
		rm -rf "$link" "$HOME/.debug/--add-file=$secret" "$HOME/.debug/two
lines"
		# as a hostile cache, or one of another version, could have it
		mkdir -p "$HOME/.debug/.build-id/${id:0:2}" "$HOME/.debug/$dir/prog/$id"
		cp /bin/dash "$HOME/.debug/$dir/prog/$id/elf"
		ln -s "../../$dir/prog/$id" "$link"
		"$PERF" archive
		[ "$(tar tf perf.data.tar.bz2 | grep -c "$id/elf")" -eq 1 ]
		run ! grep -q '^secret' <(tar tf perf.data.tar.bz2)
		rm -rf other
		mkdir other
		HOME=$PWD/other "$PERF" archive --unpack perf.data.tar.bz2
		cached other
		rm -rf "$HOME/.debug"
	done
}

hostile() { # OUT SHELL: what the shell makes in a fresh directory, in the order of names
	mkdir tree
	(cd tree && eval "$2")
	tar -cjf "$1" -P -C tree --no-recursion "${@:3}"
	rm -r tree
}

@test "a hostile archive reaches nothing outside of the cache" {
	mkdir -p other/.debug elsewhere
	echo victim >elsewhere/victim
	# through a link, cut in the middle of the victim
	python3 - "$PWD/elsewhere" hostile.tar <<-'END'
		import io, sys, tarfile
		out = io.BytesIO()
		t = tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT)
		link = tarfile.TarInfo("d")
		link.type, link.linkname = tarfile.SYMTYPE, sys.argv[1]
		t.addfile(link)
		big = tarfile.TarInfo("d/victim")
		big.size = 100000
		t.addfile(big, io.BytesIO(b"x" * 100000))
		open(sys.argv[2], "wb").write(out.getvalue()[:5000])
	END
	HOME=$PWD/other run "$PERF" archive --unpack hostile.tar
	[ "$status" -eq 1 ]
	[ "$(cat elsewhere/victim)" = victim ]
	[ "$(ls elsewhere)" = victim ]
	[ ! -L other/.debug/d ]
	# a link of the cache's own is not followed, a link out of the cache is not made, a pipe neither,
	# what is there stays
	ln -s "$PWD/elsewhere" other/.debug/usr
	mkdir -p other/.debug/kept
	echo old >other/.debug/kept/file
	hostile hostile.tar 'mkdir -p usr kept .build-id/ab; echo new >usr/victim; echo new >kept/file
		ln -s ../../../../elsewhere .build-id/ab/out; ln -s ../../usr .build-id/ab/in; mkfifo pipe
		ln -s /etc/passwd passwd; cp /bin/true suid; chmod 4777 suid' \
		usr usr/victim kept kept/file .build-id .build-id/ab .build-id/ab/out .build-id/ab/in pipe passwd suid
	HOME=$PWD/other run "$PERF" archive --unpack hostile.tar
	[ "$status" -eq 1 ]
	for name in usr .build-id/ab/out pipe passwd; do
		[[ "$output" == *"'$name'"*"was not unpacked"* ]]
	done
	[ "$(cat elsewhere/victim)" = victim ]
	[ "$(cat other/.debug/kept/file)" = old ]
	[ ! -e other/.debug/pipe ] && [ ! -L other/.debug/passwd ] && [ ! -L other/.debug/.build-id/ab/out ]
	[ -L other/.debug/.build-id/ab/in ]
	[ "$(stat -c %a other/.debug/suid)" = 755 ]
	[ -z "$(find other/.debug -name '.unpack.perf-new-*')" ]
}

@test "a recording that is a link, or holds one, is not put here" {
	for kind in 'ln -s /etc/passwd got' 'mkdir got; ln -s /dev/zero got/data.1'; do
		hostile all.tar "$kind; tar cjf got.tar.bz2 -T /dev/null" got $([ "${kind#ln}" != "$kind" ] || echo got/data.1) got.tar.bz2
		run "$PERF" archive --unpack all.tar
		[ "$status" -eq 1 ]
		[[ "$output" == *"'got' in the archive is not a recording"* ]]
		[ ! -L got ] && [ ! -e got ]
		[ -z "$(ls -d .archive.perf-new-* 2>/dev/null)" ]
	done
}

@test "what KILL left of an unpacking is removed by the next one" {
	mkdir -p objects/.build-id there/cache
	head -c 12000000 /dev/urandom >objects/large
	tar cjf there/some.tar.bz2 -C objects .
	(cd there && ln -s some.tar.bz2 x && tar cf all.tar some.tar.bz2 && rm x)
	cd there
	for tar in some.tar.bz2 all.tar; do
		PERF_BUILDID_DIR=$PWD/cache "$PERF" archive --unpack $tar >said 2>&1 3>&- &
		pid=$!
		for _ in $(seq 400); do
			[ -n "$(find . -path '*.perf-new-*' -name large)" ] && break
			sleep .01
		done
		kill -KILL $pid
		wait $pid || true
		[ -n "$(find . -name '.*.perf-new-*')" ]
	done
	PERF_BUILDID_DIR=$PWD/cache run "$PERF" archive --unpack all.tar
	[ -z "$(find . -name '.*.perf-new-*')" ]
}

@test "an archive that ends between two members loses no whole file" {
	head -c 3000 /dev/urandom >whole
	tar cf two.tar whole
	head -c 3584 two.tar >cut.tar # header and data of the one member, then no header
	head -c 1024 /dev/urandom >>cut.tar
	mkdir -p other
	HOME=$PWD/other run "$PERF" archive --unpack cut.tar
	[ "$status" -eq 1 ]
	cmp other/.debug/whole whole
}
