#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Files by build-id from debuginfod: a real server on the loopback.
bats_require_minimum_version 1.5.0

load wait

build_id() { readelf -n "$1" | awk '/Build ID/ { print $3 }'; }

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	command -v debuginfod >/dev/null || { export MISSING="no debuginfod"; return; }
	export HOME=$BATS_FILE_TMPDIR/home DEBUGINFOD_CACHE_PATH=$BATS_FILE_TMPDIR/cache PERF_CONFIG=/dev/null
	mkdir -p home away bare
	cat >work.c <<'CODE'
volatile long n;
static __attribute__((noinline)) void hidden_function(void) { for (int i = 0; i < 80000000; i++) n++; }
int main(void) { hidden_function(); return n & 1; }
CODE
	gcc -g -O1 -Wl,--build-id work.c -o work
	cp work away/work
	objcopy --only-keep-debug work away/work.debug
	strip work
	mkdir apart
	printf 'int main(void)\n{\n\treturn 40 + 2;\n}\n' >apart/main.c
	gcc -g -O1 -Wl,--build-id "$PWD/apart/main.c" -o source
	cp source away/source
	"$PERF" record -q -N -e cpu-clock:u -o work.data ./work >/dev/null 2>&1
	# instructions: without them the assembler writes no debug information
	echo '.text; .globl _text; _text: .fill 64,1,0x90; .globl from_vmlinux; .type from_vmlinux,@function
	from_vmlinux: xor %eax,%eax; .fill 61,1,0x90; ret; .size from_vmlinux,64' >v.s
	gcc -g -nostdlib -static -Wl,--build-id -Wl,-Ttext=0xffffffff81000000 -Wl,-e0 v.s -o away/vmlinux
	id=$(build_id work)
	for _ in 1 2 3 4 5; do # a port can be taken
		port=$((20000 + RANDOM % 10000))
		debuginfod -F away -d "$PWD/db.sqlite" -p $port -t 0 -g 0 -vv </dev/null >server.log 2>&1 3>&- &
		server=$!
		echo $server >server.pid
		until_true settled
		! kill -0 $server || break
	done
	echo "http://127.0.0.1:$port" >url
	serves
}

# It has read all of the directory by the time that it serves the last one.
serves() {
	python3 - "http://127.0.0.1:$port/buildid" "$id" "$(build_id away/source)" "$(build_id away/vmlinux)" "$PWD" <<'CODE'
import sys, urllib.request as u
base, work, source, vmlinux, here = sys.argv[1:]
for what in (f"{work}/debuginfo", f"{work}/executable", f"{source}/source{here}/apart/main.c", f"{vmlinux}/debuginfo"):
    u.urlopen(f"{base}/{what}", timeout=60)
CODE
}

settled() {
	! kill -0 $server || serves
}

teardown_file() {
	cd "$BATS_FILE_TMPDIR" || return
	[ -f server.pid ] && kill "$(cat server.pid)"
	true
}

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
	cd "$BATS_FILE_TMPDIR" || return 1
	unset DEBUGINFOD_URLS
	rm -rf cache
	url=$(cat url)
}

names() { "$PERF" report --stdio -i "${file:-work.data}" --sort sym "$@"; }

requests() { grep -c "GET /buildid/" server.log; }

@test "a stripped program gets its names, and is asked for once" {
	run names
	[[ "$output" != *hidden_function* ]]
	before=$(requests)
	run names --debuginfod="$url"
	[[ "$output" == *hidden_function* ]]
	after=$(requests)
	[ "$after" -gt "$before" ]
	run names --debuginfod="$url"
	[[ "$output" == *hidden_function* ]]
	[ "$(requests)" -eq "$after" ]
	"$PERF" script -i work.data -F ip,sym --debuginfod="$url" | grep -q hidden_function
	"$PERF" annotate --stdio -i work.data --debuginfod="$url" hidden_function 2>/dev/null | grep -q hidden_function
}

@test "DEBUGINFOD_URLS alone is not asking; with --debuginfod it names the servers" {
	before=$(requests)
	export DEBUGINFOD_URLS=$url
	run names
	[[ "$output" != *hidden_function* ]]
	"$PERF" script -i work.data --unwind-style=libdw >/dev/null
	[ "$(requests)" -eq "$before" ]
	run names --debuginfod
	[[ "$output" == *hidden_function* ]]
	# what perf starts has the variable again
	run "$PERF" record -q -o env.data -e cpu-clock:u sh -c 'echo "urls=$DEBUGINFOD_URLS"'
	[[ "$output" == *"urls=$url"* ]]
}

@test "perf probe: debug information and source; DEBUGINFOD_URLS alone is not asking" {
	before=$(requests)
	export DEBUGINFOD_URLS=$url
	run "$PERF" probe -x ./work -D 'hidden_function i'
	[ "$status" -eq 1 ]
	[[ "$output" == *"no debug information"* ]]
	run "$PERF" probe -x ./work -V main
	[ "$status" -eq 1 ]
	[ "$(requests)" -eq "$before" ]
	"$PERF" probe --debuginfod -x ./work -V main >/dev/null
	unset DEBUGINFOD_URLS
	"$PERF" probe --debuginfod="$url" -x ./work -D 'hidden_function:0' | grep -q ^p:
	unshare -m true 2>/dev/null || return 0
	# The source is gone for perf, not for the server.
	run unshare -m sh -c 'mount -t tmpfs none apart && "$@"' - "$PERF" probe --debuginfod="$url" -x ./source -L main
	[ "$status" -eq 0 ]
	[[ "$output" == *"return 40 + 2;"* ]]
	run unshare -m sh -c 'mount -t tmpfs none apart && "$@"' - "$PERF" probe -x ./source -L main
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot read the source file"*"--source"* ]]
}

@test "the setting asks, and --no-debuginfod does not" {
	printf '[buildid-cache]\n\tdebuginfod = %s\n' "$url" >config
	export PERF_CONFIG=$PWD/config
	run names --no-debuginfod
	[[ "$output" != *hidden_function* ]]
	run names
	[[ "$output" == *hidden_function* ]]
}

@test "the program itself comes when it is gone" {
	cp work gone
	"$PERF" record -q -N --buildid-mmap -e cpu-clock:u -o gone.data ./gone >/dev/null 2>&1
	rm gone
	file=gone.data run names --debuginfod="$url"
	[[ "$output" == *hidden_function* ]]
}

@test "an id that nobody has is asked for once" {
	gcc -O1 -Wl,--build-id=0xdeadbeef00112233445566778899aabbccddeeff work.c -s -o other
	"$PERF" record -q -N -e cpu-clock:u -o other.data ./other >/dev/null 2>&1
	file=other.data names --debuginfod="$url" >/dev/null
	count=$(grep -c "GET /buildid/deadbeef00112233445566778899aabbccddeeff" server.log)
	[ "$count" -ge 1 ]
	file=other.data names --debuginfod="$url" --children >/dev/null
	[ "$(grep -c "GET /buildid/deadbeef00112233445566778899aabbccddeeff" server.log)" -eq "$count" ]
}

@test "record and buildid-cache keep what came" {
	run "$PERF" --buildid-dir "$PWD/kept" record -q --debuginfod="$url" -e cpu-clock:u -o kept.data ./work
	[ "$status" -le 1 ]
	[ -s "$(echo kept"$PWD"/work/*/debug)" ]
	file=kept.data
	"$PERF" --buildid-dir "$PWD/kept" report --stdio -i kept.data --sort sym | grep -q hidden_function
	run "$PERF" --buildid-dir "$PWD/kept2" buildid-cache --debuginfod="$url" -a work
	[ "$status" -eq 0 ]
	[ -s "$(echo kept2"$PWD"/work/*/debug)" ]
}

@test "record.debuginfod is record's --debuginfod" {
	printf '[record]\n\tdebuginfod = %s\n' "$url" >config
	run env PERF_CONFIG="$PWD/config" "$PERF" --buildid-dir "$PWD/kept3" record -q -e cpu-clock:u -o kept.data ./work
	[ "$status" -le 1 ]
	[ -s "$(echo kept3"$PWD"/work/*/debug)" ]
	run env PERF_CONFIG="$PWD/config" "$PERF" --buildid-dir "$PWD/kept4" record --no-debuginfod -q -e cpu-clock:u -o kept.data ./work
	[ "$status" -le 1 ]
	[ ! -e "$(echo kept4"$PWD"/work/*/debug)" ]
}

@test "a server that does not answer costs its time once, and is said" {
	python3 -c '
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(5)
print(s.getsockname()[1], flush=True)
held = []
while True:
    held.append(s.accept()); print("asked", file=sys.stderr, flush=True)
' >mute.port 2>mute.log 3>&- &
	mute=$!
	until_true test -s mute.port || { kill $mute; return 1; }
	printf '[buildid-cache]\n\tdebuginfod-timeout = 2\n' >config
	PERF_CONFIG=$PWD/config run names --debuginfod="http://127.0.0.1:$(cat mute.port)"
	until_true grep asked mute.log || { kill $mute; return 1; }
	kill $mute
	[ "$status" -eq 0 ]
	[[ "$output" == *"did not come from 'http://127.0.0.1:"*"within 2 seconds"* ]]
	[ "$(grep -c asked mute.log)" -eq 1 ]
}

@test "a server that is not there, and none at all" {
	run names --debuginfod=http://127.0.0.1:1
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: "*"could not be fetched from 'http://127.0.0.1:1'"* ]]
	for c in "report --stdio" script record buildid-cache; do
		run "$PERF" $c --debuginfod -i work.data
		[ "$status" -eq 129 ]
	done
	run names --debuginfod
	[[ "$output" == *"no server is named"*"hint: --debuginfod=URL"* ]]
}

@test "a kernel of another machine: its vmlinux by build-id; -k names one that is here" {
	python3 - "$BATS_TEST_DIRNAME/make-samples" "$(build_id away/vmlinux)" <<'CODE'
import importlib.machinery, importlib.util, sys
l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
l.exec_module(m)
w = m.Writer("<")
text = 0xffffffff81000000
name = b"[kernel.kallsyms]_text\0\0"
w.record(10, 1 | 1 << 14, w.pack("IIQQQ", 0xffffffff, 0, text, 0x40000000, text) + w.pack("B3x", 20)
         + bytes.fromhex(sys.argv[2]) + w.pack("II", 5, 2) + name + w.sample_id())
w.sample(b"", ip=text + 0x48, misc=1)
open("kernel.data", "wb").write(w.file(1, 0, m.BASE))
CODE
	named() { "$PERF" script -i kernel.data -F ip,sym "$@" 2>/dev/null | grep -q ' from_vmlinux'; }
	run ! named
	named --debuginfod="$url"
	run ! named --debuginfod="$url" --ignore-vmlinux
	"$PERF" annotate --stdio -i kernel.data --debuginfod="$url" -s from_vmlinux 2>/dev/null | grep -Eq '100.00 : +ffffffff81000048'
	named -k away/vmlinux
	# another kernel's is not taken for it
	run "$PERF" script -i kernel.data -F ip,sym -k away/source
	[[ "$output" != *from_vmlinux* ]]
	[[ "$output" == *"away/source"*"build-id"* ]]
}
