#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf buildid-cache, and that perf 6.1 uses the same cache.
bats_require_minimum_version 1.5.0

load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME"
	for n in 1 2; do
		echo "int main(void) { return $n; }" >p.c
		gcc -Wl,--build-id -o p$n p.c
	done
	here=$(pwd -P)
	id1=$(readelf -n p1 | sed -n 's/.*Build ID: //p')
	id2=$(readelf -n p2 | sed -n 's/.*Build ID: //p')
}

teardown() { end_jobs; }

@test "-a adds, -l lists in 6.1's form, each sees what the other added" {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	[ -z "$("$PERF" buildid-cache -l)" ]
	"$PERF" buildid-cache -a p1
	"$ORACLE" buildid-cache -a "$here/p2"
	"$PERF" buildid-cache -l | sort >ours
	"$ORACLE" buildid-cache -l | sort >theirs
	cmp ours theirs
	grep -qx "$id1 $here/p1" ours
	cmp p1 "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf"
}

@test "a link whose copy is gone is not listed, and adding the file repairs it" {
	"$PERF" buildid-cache -a p1
	rm -r "$HOME/.debug$here/p1"
	[ -L "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}" ]
	[ -z "$("$PERF" buildid-cache -l)" ]
	"$PERF" buildid-cache -a p1
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
	rm "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf"
	[ -z "$("$PERF" buildid-cache -l)" ]
	rm -r "$HOME/.debug$here/p1"
	# the same program by another name: the link has to lead there
	cp p1 copy
	"$PERF" buildid-cache -a copy
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/copy" ]
	[ -s "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf" ]
	rm -r "$HOME/.debug$here/copy"
	"$PERF" buildid-cache -P
	[ ! -L "$HOME/.debug/.build-id/${id1:0:2}/${id1:2}" ]
}

@test "-r removes by build-id, -p by path, -P all" {
	"$PERF" buildid-cache -a p1,p2
	"$PERF" buildid-cache -r p1
	[ "$("$PERF" buildid-cache -l)" = "$id2 $here/p2" ]
	"$PERF" buildid-cache -a p1
	# two versions of one path
	cp p2 keep && cp p1 p2 2>/dev/null && "$PERF" buildid-cache -u p2
	"$PERF" buildid-cache -p "$here/p2"
	run ! grep -q '/p2$' <("$PERF" buildid-cache -l)
	run "$PERF" buildid-cache -p /no/such
	[ "$status" -eq 1 ]
	"$PERF" buildid-cache -a keep
	"$PERF" buildid-cache -P
	[ -z "$("$PERF" buildid-cache -l)" ]
	[ -z "$(find "$HOME/.debug" -name elf)" ]
}

@test "-u replaces a damaged copy, -v says so" {
	"$PERF" buildid-cache -a p1
	copy=$HOME/.debug/.build-id/${id1:0:2}/${id1:2}/elf
	rm "$copy"
	echo damage >"$copy"
	"$PERF" buildid-cache -a p1
	run ! cmp -s p1 "$copy"
	"$PERF" buildid-cache -v -u p1 2>err
	cmp p1 "$copy"
	grep -q "updated $id1" err
}

@test "-M lists what a recording needs and is not there" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -q -N -e cpu-clock:u -o d -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	"$PERF" buildid-cache -M d >missing
	grep -qE '^[0-9a-f]{40} .*dash$' missing
	"$PERF" buildid-cache -a "$(sed -n 's/^[0-9a-f]* \(.*dash\)$/\1/p' missing)"
	run ! grep -q dash <("$PERF" buildid-cache -M d)
}

@test "--target-ns takes the file of a process" {
	"$PERF" buildid-cache --target-ns $$ -a "$here/p1"
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
	# names begin at its root
	"$PERF" buildid-cache -P
	"$PERF" buildid-cache --target-ns $$ -a "${here#/}/p1"
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
	run "$PERF" buildid-cache --target-ns 999999999 -a "$here/p1"
	[ "$status" -eq 1 ]
	[[ "$output" == *"process 999999999"*"hint: "* ]]
}

@test "a file that fails is named and the others are done; nothing to do is an error" {
	echo text >text
	run "$PERF" buildid-cache -a text,p1,gone
	[ "$status" -eq 1 ]
	[[ "$output" == *text* && "$output" == *gone* ]]
	[ "$("$PERF" buildid-cache -l)" = "$id1 $here/p1" ]
	run "$PERF" buildid-cache
	[ "$status" -eq 129 ]
}

@test "-k copies the kernel's code as 6.1 does" {
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf to compare with"
	mkdir -p root/proc root/sys/kernel
	python3 - <<-'END'
	import struct
	text, modules = 0xffffffff81000000, 0xffffffffc0000000
	with open("root/proc/kcore", "wb") as f:
	    parts = [(0xffff888000000000, b"m" * 8192), (text, b"T" * 12288 + b"D" * 4096), (modules - 4096, b"x" * 4096 + b"M" * 8192)]
	    f.write(b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(parts), 0, 0, 0))
	    at = 4096
	    for addr, data in parts:
	        f.write(struct.pack("<IIQQQQQQ", 1, 7, at, addr, 0, len(data), len(data), 4096))
	        at += len(data)
	    f.seek(4096)
	    for addr, data in parts:
	        f.write(data)
	with open("root/proc/kallsyms", "w") as f:
	    f.write(f"{text:x} T _text\n{text:x} T _stext\n{text + 64:x} T some_function\n{text + 0x3000:x} T _etext\n"
	            f"{modules + 16:x} t in_module\t[mod]\n{modules + 0x1100:x} t last_in_module\t[mod]\n")
	with open("root/proc/modules", "w") as f:
	    f.write(f"mod 8192 0 - Live 0x{modules:x}\n")
	with open("root/sys/kernel/notes", "wb") as f:
	    f.write(struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(1, 21)))
	END
	id=$(python3 -c 'print(bytes(range(1, 21)).hex())')
	"$PERF" --buildid-dir ours buildid-cache -k root/proc/kcore 2>said
	grep -q "kcore added to build-id cache directory ours/\[kernel.kcore\]/$id/20" said
	"${RIVAL_PERF:-/usr/bin/perf}" --buildid-dir "$PWD/theirs" buildid-cache -k "$PWD/root/proc/kcore" >/dev/null 2>&1
	ours=(ours/*kcore*/$id/20*) theirs=(theirs/*kcore*/$id/20*)
	[ -d "${theirs[0]}" ]
	[ "${#ours[0]}" -eq $((${#theirs[0]} - 2)) ]
	diff "${ours[0]}/kallsyms" "${theirs[0]}/kallsyms"
	diff "${ours[0]}/modules" "${theirs[0]}/modules"
	diff <(readelf -lW "${ours[0]}/kcore" | awk '/LOAD/ { print $3, $5, $6 }') \
		<(readelf -lW "${theirs[0]}/kcore" | awk '/LOAD/ { print $3, $5, $6 }')
	diff <(tr -d '\0' <"${ours[0]}/kcore" | tr -cd 'TDMxm' | fold -w 1 | sort | uniq -c) \
		<(tr -d '\0' <"${theirs[0]}/kcore" | tr -cd 'TDMxm' | fold -w 1 | sort | uniq -c)
	# once, unless asked
	"$PERF" --buildid-dir ours buildid-cache -v -k root/proc/kcore 2>&1 | grep -q 'in the cache already'
	[ "$(ls ours/*kcore*/$id | wc -l)" -eq 1 ]
	"$PERF" --buildid-dir ours buildid-cache -f -k root/proc/kcore
	[ "$(ls ours/*kcore*/$id | wc -l)" -eq 2 ]
	# a copy knows its id by its directory
	"$PERF" --buildid-dir more buildid-cache -k "${ours[0]}/kcore"
	[ -f more/*kcore*/$id/20*/kcore ]
	run "$PERF" --buildid-dir ours buildid-cache -k root/proc/kallsyms
	[ "$status" -eq 1 ]
	rm root/proc/kcore
	run "$PERF" --buildid-dir none buildid-cache -k root/proc/kcore
	[ "$status" -eq 1 ]
	[ -z "$(find none -type f 2>/dev/null)" ]
}

@test "a program of a container is kept as it is there, not as the file that has its name here" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	echo 'volatile unsigned long n; int main(void) { for (;;) n++; }' >p.c
	gcc -Wl,--build-id -o there p.c
	there=$(readelf -n there | sed -n 's/.*Build ID: //p')
	unshare -m sh -c 'mount --bind there p1 && exec "$PWD/p1"' 3>&- &
	pid=$!
	until_true comm_is $pid p1
	"$PERF" record -q -e cpu-clock:u -o d -p $pid -- sleep 0.3
	cmp there "$HOME/.debug/.build-id/${there:0:2}/${there:2}/elf"
	[ "$(stat -c %h "$HOME/.debug/.build-id/${there:0:2}/${there:2}/elf")" -eq 1 ]
	cmp p1 "$BATS_TEST_TMPDIR/p1"
	run ! cmp -s p1 there
	# by the id of the process, also where a link inside leads to a name that is another file here
	mkdir inside
	cp there inside/real
	cp p2 real
	ln -s "$here/real" link
	"$PERF" buildid-cache -P
	kill $pid
	unshare -m sh -c 'mount --bind inside/real real && exec "$PWD/link"' 3>&- &
	pid=$!
	until_true comm_is $pid link
	"$PERF" buildid-cache --target-ns $pid -a "$here/link"
	[ "$("$PERF" buildid-cache -l)" = "$there $here/link" ]
	kill $pid
}
