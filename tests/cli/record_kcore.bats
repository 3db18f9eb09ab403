#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record --kcore: a directory with the kernel's code beside the data.  Its /proc/kcore
# is played by kcore-shim.c.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	export HOME=$PWD # a build-id cache of its own
}

# root/{kcore,kallsyms,modules}: the kernel's own places; each page is a function made of nop, ret
fake_proc() {
	mkdir root
	gcc -shared -fPIC -O1 -o shim.so "$BATS_TEST_DIRNAME/kcore-shim.c" -ldl
	python3 - <<-'END'
	import struct
	names = [line.split() for line in open("/proc/kallsyms")]
	at = {name[2]: int(name[0], 16) for name in names if len(name) == 3}
	text, end = at["_stext"] & ~4095, (at["_etext"] + 4095) & ~4095
	with open("root/kallsyms", "w") as f:
	    f.write(f"{text:x} T _text\n{text:x} T _stext\n")
	    for at in range(text, end, 4096):
	        f.write(f"{at:x} t made_up_{at:x}\n")
	    f.write(f"{end:x} T _etext\n")
	open("root/modules", "w").close()
	with open("root/kcore", "wb") as f:
	    f.write(b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0))
	    f.write(struct.pack("<IIQQQQQQ", 1, 7, 4096, 0xffff888000000000, 0, 4096, 4096, 4096))
	    f.write(struct.pack("<IIQQQQQQ", 1, 7, 8192, text, 0, end - text, end - text, 4096))
	    f.seek(8192)
	    f.write(b"\x90\xc3" * ((end - text) // 2))
	END
}

with_kcore() {
	env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/shim.so" KCORE_ROOT="$PWD/root" "$@"
}

@test "the directory holds the code, and what reads it uses that" {
	fake_proc
	with_kcore "$PERF" record -q --kcore -N -e cpu-clock:k -c 50000 -o d -- dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null
	[ "$(cd d && find . -type f | LC_ALL=C sort | xargs)" = "./data ./kcore_dir/kallsyms ./kcore_dir/kcore ./kcore_dir/modules" ]
	cmp root/kallsyms d/kcore_dir/kallsyms
	[ "$(readelf -lW d/kcore_dir/kcore | grep -c LOAD)" -eq 1 ]
	"$PERF" script -i d -F ip,sym 2>/dev/null >syms
	most=$(awk '{ print $2 }' syms | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
	[ "$(grep -c made_up_ syms)" -gt 10 ]
	# by wish the names of another list
	"$PERF" script -i d --kallsyms /proc/kallsyms -F ip,sym 2>/dev/null >syms
	run ! grep -q made_up_ syms
	"$PERF" annotate -i d --stdio -s "$most" 2>/dev/null >code
	grep -q 'nop' code
	grep -q 'ret' code
	# 6.1 reads the same samples there, and names them the same
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf to compare with"
	diff <("${RIVAL_PERF:-/usr/bin/perf}" script -i d -F comm,tid,time,ip 2>/dev/null) <("$PERF" script -i d -F comm,tid,time,ip 2>/dev/null)
	! "${RIVAL_PERF:-/usr/bin/perf}" report -i d --header-only | grep -q 'directory data version' || return 1
}

@test "--threads and --kcore in one directory; each switched one has the code" {
	fake_proc
	with_kcore "$PERF" record -q --kcore --threads -N -e cpu-clock -o d -- true
	[ -e d/data.0 ]
	[ -e d/kcore_dir/kcore ]
	"$PERF" script -i d >/dev/null
	with_kcore "$PERF" record -q --kcore -N -e cpu-clock --switch-output=signal -o s -- true
	[ "$(ls -d s.*/kcore_dir | wc -l)" -eq 1 ]
}

@test "no kcore, no stream: said before an older recording is touched" {
	"$PERF" record -q -e cpu-clock -o d -- true
	if [ ! -r /proc/kcore ]; then
		run "$PERF" record --kcore -e cpu-clock -o d -- true
		[ "$status" -eq 1 ]
		[[ "$output" == *"/proc/kcore"* ]]
		[[ "$output" == *"CONFIG_PROC_KCORE"* ]]
	fi
	run --separate-stderr "$PERF" record --kcore -e cpu-clock -o - -- true
	[ "$status" -eq 129 ]
	[[ "$stderr" == *"stream"* ]]
	[ -f d ]
	[ ! -e d.old ]
}

@test "a killed recorder leaves a directory that can be read and recorded over" {
	fake_proc
	# the number of perf itself, not of a shell around it
	(exec env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/shim.so" KCORE_ROOT="$PWD/root" "$PERF" record -q --kcore -N -e cpu-clock:k -c 50000 -o d -- dd if=/dev/zero of=/dev/null bs=1 2>/dev/null 3>&-) & recorder=$!
	for _ in $(seq 200); do [ -s d/data ] && [ "$(stat -c %s d/data)" -gt 10000 ] && break; sleep 0.05; done
	kill -KILL $recorder
	wait $recorder || true
	run -0 --separate-stderr "$PERF" script -i d -F ip,sym
	[ "$(grep -c made_up_ <<<"$output")" -gt 10 ]
	[[ "$stderr" == *"stopped early"* ]]
	with_kcore "$PERF" record -q --kcore -N -e cpu-clock:k -o d -- true
	[ "$(cd d && find . -type f | LC_ALL=C sort | xargs)" = "./data ./kcore_dir/kallsyms ./kcore_dir/kcore ./kcore_dir/modules" ]
	[ -s d.old/kcore_dir/kcore ]
}
