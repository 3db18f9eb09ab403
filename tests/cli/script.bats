#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script: the text is that of perf 6.1, to the byte; other programs' calls work.

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >w.c <<-'EOF'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		volatile long sink, watched;
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void top(int n) { leaf(n); sink++; }
		int main(void)
		{
			for (int i = 0; i < 300; i++) {
				char *p = malloc(300000);
				top(30000);
				watched++;
				memset(p, 1, 300000);
				free(p);
			}
			if (!fork())
				_exit(0);
			return 0;
		}
	EOF
	gcc -O1 -g -fno-plt -fno-omit-frame-pointer -o w w.c
	gcc -O1 -fno-plt -no-pie -o fixed w.c
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	make="$BATS_TEST_DIRNAME/make-samples"
}

oracle() {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	"$RIVAL" version | grep -q ' 6\.1\.' || skip "$RIVAL is not 6.1"
}

# record NAME ARGS...: once for the file, by the other perf
record() {
	local out=$1
	shift
	[ -s "$out" ] || "$RIVAL" record -q -o "$out" "$@" >/dev/null 2>record.err ||
		skip "cannot record: $(tail -n 1 record.err)"
}

# Lines that differ by a symbol alone: of stubs (difference plt-got), of functions that only unwind
# tables have (difference unwind-ranges), and of files that only a process of this machine has
# (memory, deleted), whose owner may still be there.
only_symbols_differ() {
	awk 'function plain(s) {
		if (match(s, /\([^(]* \(deleted\)\)$/)) { # names may hold spaces
			split(s, word, " ")
			return word[1] " " substr(s, RSTART)
		}
		gsub(/ (\[unknown\]|\[[^] ]+\+0x[0-9a-f]+\](\+0x[0-9a-f]+)?|_init\+0x[0-9a-f]+|[^ ]*@plt\+0x[0-9a-f]+) \(/, " (", s)
		return s
	}
	NR == FNR { theirs[FNR] = $0; n = FNR; next }
	theirs[FNR] != $0 && !(/@plt\+0x|\(deleted\)\)$/ && plain($0) == plain(theirs[FNR])) { bad = 1 }
	END { exit bad || n != FNR }' theirs ours
}

# same FILE ARGS...: both print the same, and something
same() {
	cat >input
	"$RIVAL" script -i "$@" >theirs 2>theirs.err <input
	"$PERF" script -i "$@" >ours 2>ours.err <input || { cat ours.err; return 1; }
	[ -s ours ] || { echo "nothing printed: $*"; return 1; }
	sed -i '/^# truth: /d' ours # difference script-truth
	sed -i 's/[^ ]*@plt/@plt/g' ours theirs # difference plt-slots
	sed -i 's/ __TMC_END__\>/ completed.0/g' theirs # difference label-size: a variable lies there
	cmp -s ours theirs || only_symbols_differ ||
		{ echo "perf script -i $*"; diff theirs ours | head -n 6; return 1; }
}

@test "software events: one event, several, per thread, all CPUs, groups" {
	oracle
	record clock.data -e cpu-clock -F 5000 ./w
	record several.data -e cpu-clock,page-faults,context-switches ./w
	record thread.data -e task-clock --per-thread ./w
	record all.data -e cpu-clock -a ./w
	record group.data -e '{cpu-clock,page-faults}:S' ./w
	for f in clock several thread group; do
		same $f.data
	done
	# without names: files of others may be gone, or in a name space of theirs
	same all.data -F comm,pid,tid,cpu,time,event,period,ip
}

@test "call chains, and -G, --max-stack, --stop-bt" {
	oracle
	record chain.data -e cpu-clock -F 5000 -g ./w
	same chain.data
	same chain.data -G
	same chain.data --max-stack 2
	same chain.data --stop-bt main,top
	grep -q 'main+0x' ours
	# nothing behind it in any chain
	awk '/ (main|top)\+0x/ { stopped = 1; next } NF && stopped { bad = 1 } !NF { stopped = 0 } END { exit bad }' ours
	same chain.data -F ip,sym
	same chain.data -F pid,tid,time,ip
	same chain.data -F comm,ip,sym,dso
}

inlined_program() {
	[ -s inl ] && return
	cat >inl.c <<-'EOF'
		volatile unsigned long sink;
		#define INLINE static inline __attribute__((always_inline))
		INLINE void inner(unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
				sink = sink * 6364136223846793005 + i; // as long on each CPU
		}
		INLINE void middle(unsigned long n)
		{
			inner(n);
			sink ^= 5;
		}
		__attribute__((noinline)) void outer(unsigned long n)
		{
			middle(n);
			sink++;
		}
		__attribute__((noinline)) int work(int n)
		{
			for (int i = 0; i < n; i++)
				outer(500000);
			return n - 100;
		}
		int main(void)
		{
			int left = work(100);

			sink++;
			return left;
		}
	EOF
	gcc -g -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o inl inl.c
}

@test "source lines: of samples, of chains, whole paths; where there is none" {
	oracle
	inlined_program
	record lines.data -e cpu-clock:u -F 500 ./inl
	record lines-chain.data -e cpu-clock:u -F 500 -g ./inl
	record lines-kernel.data -e cpu-clock:k -F 500 dd if=/dev/zero of=/dev/null bs=64k count=5000
	same lines.data -F +srcline --dsos inl
	grep -q '^  inl.c:6$' ours
	same lines.data -F ip,srcline --full-source-path --dsos inl
	grep -q "^  $BATS_FILE_TMPDIR/inl.c:6$" ours
	same lines-chain.data -F +srcline --stop-bt main --dsos inl --no-inline
	# a line is of the innermost function: its name stands there, as in report
	"$PERF" script -i lines-chain.data -F +srcline --dsos inl >lines
	grep -A1 ' inner+0x[0-9a-f]*$' lines | grep -q '^  inl.c:[0-9]* (inlined)$'
	same lines-kernel.data -F +srcline
	grep -qF '  [kernel.kallsyms][ffffffff' ours
}

# Behind main 6.1 gives aliases of libc's symbols as inlined.
@test "inlined functions: of unwound frames only, and none with --no-inline" {
	oracle
	inlined_program
	record inlines.data -e cpu-clock:u -F 500 --call-graph dwarf,2048 ./inl
	same inlines.data --stop-bt main --dsos inl
	grep -qP '^\t +[0-9a-f]+ inner\+0x[0-9a-f]+ \(inlined\)$' ours
	same inlines.data --stop-bt main --dsos inl -F +srcline
	same inlines.data --stop-bt main --dsos inl -F ip,srcline
	same inlines.data --stop-bt main --dsos inl --no-inline -F +srcline
	run ! grep -q inlined ours
	same inlines.data --stop-bt middle --dsos inl
	run ! grep -q outer ours
	record lines-chain.data -e cpu-clock:u -F 500 -g ./inl
	same lines-chain.data --inline --stop-bt main --dsos inl
	run ! grep -q inlined ours
}

@test "addresses and breakpoints" {
	oracle
	record fault.data -e page-faults -c 1 -d ./w
	same fault.data
	same fault.data -F +addr
	same fault.data -F addr,sym
	same fault.data -F +data_src
	record break.data -e "mem:0x$(nm fixed | awk '$3 == "watched" { print $1 }'):w" -c 1 ./fixed
	same break.data
}

@test "tracepoints of many systems, sorted by content" {
	oracle
	record trace.data -a -e 'sched:sched_*,irq:*,timer:hrtimer_*,kmem:kmalloc,kmem:kmem_cache_alloc,kmem:mm_page_alloc,block:block_rq_*,ext4:ext4_da_*,ext4:ext4_mark_inode_dirty,writeback:writeback_*inode*,signal:*,task:*,maple_tree:*' -- sh -c 'dd if=/dev/zero of=f bs=64k count=4 conv=fsync; ls /'
	# no flags at all: script-table-rows in tests/differences
	local none='s/(state|flags)=I_DIRTY_SYNC( |$)/\1=\2/g'
	"$RIVAL" script -i trace.data 2>/dev/null | sed -E "$none" | sort >theirs
	"$PERF" script -i trace.data 2>/dev/null | sed -E "$none" | sort >ours
	[ "$(wc -l <ours)" -gt 1000 ]
	cmp ours theirs || { diff theirs ours | head -n 6; return 1; }
	record syscall.data -e 'syscalls:sys_*_openat,syscalls:sys_*_mmap,syscalls:sys_*_execve' ./w
	same syscall.data -F comm,event,trace
	record switch.data -e sched:sched_switch -g -- sh -c 'for i in 1 2 3 4; do sleep 0.01; ls; done'
	same switch.data
	same switch.data -F trace:time,event,trace
}

@test "registers" {
	oracle
	record regs.data -e cpu-clock --user-regs=ax,bx,ip,sp --intr-regs=ip,sp,r8 ./w
	same regs.data -F +uregs,+iregs
	same regs.data -F +misc
}

@test "what this machine cannot record: branches, memory, BTS, cgroups; both byte orders" {
	oracle
	for order in "" --big-endian; do
		for kind in branches memory bts cgroup registers; do
			"$make" $order $kind $kind.data
			same $kind.data
		done
		for fields in pid,brstack ip,brstack brstack,dso +brstacksym +brstacksym,-dso; do
			same branches.data -F $fields
		done
		same registers.data -F +uregs
	done
	"$make" bpf bpf.data
	"$PERF" script -i bpf.data >ours
	grep -qx '      BPF output: 0000: 0f b4 00 01 02 03 04 05  ........' ours
	grep -qx '      BPF string: "hello"' ours
	"$make" cgroup cgroup.data
	run -0 "$PERF" script -i cgroup.data -F cgroup
	[ "${lines[0]}" = " /a/b" ]
	[ "${lines[1]}" = " unknown" ]
}

@test "side-band records" {
	oracle
	record side.data -e cpu-clock --switch-events --namespaces --all-cgroups ./w
	for what in mmap task switch namespace cgroup lost bpf text-poke; do
		same side.data --show-$what-events
	done
	"$PERF" script -i side.data --show-round-events | grep -qx PERF_RECORD_FINISHED_ROUND
	# a kernel symbol that came, and code that the kernel changed
	python3 - "$make" <<-'EOF'
		import importlib.machinery, importlib.util, sys
		l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
		m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
		l.exec_module(m)
		w = m.Writer("<")
		w.record(17, 0, w.pack("QIHH", 0xffffffffc0200000, 64, 2, 0) + b"ftrace_trampoline\0".ljust(24, b"\0") + w.sample_id())
		jump = b"\xe9\x05\0\0\0"
		for old, new in (bytes(5), jump), (b"", bytes(range(40))), (jump * 3 + b"\xc3", b""):
		    w.time += 1000
		    body = w.pack("QHH", 0xffffffff81000010, len(old), len(new)) + old + new
		    w.record(20, 1, body + b"\0" * (-len(body) % 8) + w.sample_id())
		w.sample(b"", ip=0x1000, misc=2)
		open("poke.data", "wb").write(w.file(1, 0, m.BASE))
	EOF
	for what in bpf text-poke; do
		same poke.data -F comm,ip --show-$what-events
		grep -q KSYMBOL ours
	done
	same poke.data -D
	grep -q TEXT_POKE ours
}

@test "times, columns, filters, header" {
	oracle
	record chain.data -e cpu-clock -F 5000 -g ./w
	record clock.data -e cpu-clock -F 5000 ./w
	pid=$("$PERF" script -i clock.data -F pid | awk 'NF { print $1; exit }')
	for args in --ns --reltime --deltatime "--ns --reltime" -L "--tid $pid" "--pid $pid,1" \
		"--comms w,x" "--dsos libc.so.6,w" "-S leaf" "--time 10%/1" "--time 0%-20%,50%-90%" \
		--header "--header -I" "--show-kernel-path" "--no-itrace" "--itrace=bl" "--no-inline" \
		"-F -period" "-F sw:ip,sym" "-F +flags"; do # the first sample is in the first tenth
		same clock.data $args
	done
	"$PERF" script -i clock.data --header-only | grep -q '^# captured on'
	run -0 "$PERF" script -i clock.data --header-only
	[[ "$output" != *cpu-clock:* ]]
	t=$("$PERF" script -i clock.data -F time | awk 'NR == 3 { sub(":", ""); print $1 }')
	same clock.data --time "$t,"
	same clock.data --time ",$t"
	run -0 --separate-stderr "$PERF" script -i clock.data --tid 1
	[ -z "$output" ]
	record all.data -e cpu-clock -a ./w
	cpu=$("$PERF" script -i all.data -c w -F cpu | awk -F'[][]' 'NF > 1 { print $2 + 0; exit }')
	same all.data -C "$cpu" -F comm,pid,tid,cpu,time,event,period,ip
}

@test "--dump-raw-trace shows each record, its bytes and its meaning" {
	oracle
	record chain.data -e cpu-clock -F 5000 -g ./w
	"$RIVAL" script -D -i chain.data | sort >theirs
	"$PERF" script -D -i chain.data | sort >ours
	cmp ours theirs || { diff theirs ours | head; return 1; }
	grep -q '^\.\.\. FP chain: nr:' ours
}

@test "the same bytes from 1, 2 and 7 workers" {
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --samples 30000 --chains 300 chains >/dev/null
	for options in "" "-F comm,tid,time,event" "--ns --show-mmap-events --show-task-events" "-G" "--max-stack 3" \
		"-C 0" "--deltatime"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" script -i chains $options >"ours.$n"
		done
		[ -s ours.1 ]
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
}

@test "stacks and inlined functions, with source lines: the same bytes from 1, 2 and 7 workers" {
	inlined_program
	"$PERF" record -q -e cpu-clock:u -F 5000 --call-graph dwarf,4096 -o stacks ./inl >/dev/null
	# more than a few blocks of 256 KB
	[ "$(stat -c %s stacks)" -gt 1000000 ]
	for options in "" "-F +srcline" "-F ip,sym,srcline --full-source-path" "--no-inline -F +srcline" "-F ip,sym,dso -G"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" script -i stacks $options >"ours.$n"
		done
		[ -s ours.1 ]
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
	PERF_WORKERS=2 "$PERF" script -i stacks >ours
	grep -qP '^\t +[0-9a-f]+ inner\+0x[0-9a-f]+ \(inlined\)$' ours
	# all print, and the one that reads prints too
	for n in 2 3; do
		PERF_WORKERS=$n "$PERF" --self-profile spans.json script -i stacks 2>&1 >/dev/null | grep -q "CPU time, $n threads"
	done
}

@test "tracepoints: the same bytes from 1, 2 and 7 workers, which compile print formats themselves" {
	python3 - >lines <<-'EOF'
		for n in range(60):
		    print(f"event sys{n % 5}:event{n} count:s32 flags:u32")
		    print('print "' + "x" * (n % 9) + ' count=%d ' + ("%*d " if n % 20 == 0 else "") + 'f=%s", REC->count, ' +
		          ("REC->count, REC->flags, " if n % 20 == 0 else "") +
		          f'__print_flags(REC->flags, "|", {{ 1 << 0, "ONE{n}" }}, {{ 1 << 1, "TWO" }}, {{ 1 << 4, "SIXTEEN" }})')
		print("comm 7 worker")
		for i in range(30000):
		    print(f"at {1000 * i} {i % 2} 7 sys{i * 7 % 60 % 5}:event{i * 7 % 60} {i % 100} {i % 32}")
	EOF
	"$BATS_TEST_DIRNAME/make-tracepoints" points <lines
	for n in 1 2 7 2 7; do
		PERF_WORKERS=$n "$PERF" script -i points >"ours.$n"
		cmp ours.1 "ours.$n"
	done
	[ "$(grep -c ' f=' ours.1)" -eq 30000 ]
	grep -qE ": sys1:event21: xxx count=3 f=ONE21\|TWO$" ours.1
	PERF_WORKERS=1 "$PERF" report --stdio -s trace -i points >table.1
	PERF_WORKERS=7 "$PERF" report --stdio -s trace -i points >table.7
	cmp table.1 table.7
	grep -q ONE21 table.1
}

@test "heads of lines: tasks, commands, CPUs and seconds that change; columns of other widths" {
	python3 - lines want <<-'EOF'
		import sys
		# 7, 70 and 133 have one place among the heads that are kept; 100000 is wider than its column
		pids, comms = [7, 70, 133, 100000], {7: "same", 70: "same", 133: "a-name-of-15-ch", 100000: "x"}
		lines = ["event a:short n:s32 at:u64", 'print "n=%d at=0x%08lx", REC->n, REC->at',
		         "event b:longer_name n:u32", 'print "[%5u]", REC->n']
		lines += [f"comm {pid} {name}" for pid, name in comms.items()]
		want = {False: "", True: ""}
		for i in range(20000):
		    # runs of one task on one CPU, in the midst of which it gets another name or goes to another CPU
		    time, pid, cpu = 999990000000 + i * 1234567, pids[i // 11 % 4], i // 44 % 3 * 64 + (i % 11 > 8)
		    if i % 11 == 5 and i % 9 == 0:
		        comms[pid] = f"name-{i}"
		        lines.append(f"comm {pid} {comms[pid]} {time - 1}")
		    if i % 3:
		        name, text, values = "a:short", f"n={i - 9000} at=0x{i << 40:08x}", f"{i - 9000} {i << 40}"
		    else:
		        name, text, values = "b:longer_name", f"[{i:5}]", f"{i}"
		    lines.append(f"at {time} {cpu} {pid} {name} {values}")
		    for ns in want:
		        rest = f"{time % 10**9:09}" if ns else f"{time % 10**9 // 1000:06}"
		        want[ns] += f"{comms[pid]:>16} {pid:>5} [{cpu:03}] {time // 10**9:>5}.{rest}: {name:>13}: {text}\n"
		open(sys.argv[1], "w").write("\n".join(lines) + "\n")
		open(sys.argv[2], "w").write(want[False])
		open(sys.argv[2] + ".ns", "w").write(want[True])
	EOF
	"$BATS_TEST_DIRNAME/make-tracepoints" heads <lines
	for n in 1 2 7; do
		PERF_WORKERS=$n "$PERF" script -i heads -F comm,tid,cpu,time,event,trace >ours
		cmp want ours
		PERF_WORKERS=$n "$PERF" script -i heads -F comm,tid,cpu,time,event,trace --ns >ours
		cmp want.ns ours
		# without the time, the second does not matter
		PERF_WORKERS=$n "$PERF" script -i heads -F comm,tid,event,trace >ours
		sed -E 's/ \[[0-9]{3}\] +[0-9.]+://' want | cmp - ours
	done
}

@test "lines of frames: short and long names, objects with long paths, more objects than are told apart by one byte" {
	python3 - chained want <<-'EOF'
		import struct, sys
		# as generate-chains, but with 600 objects, of which some have long names
		names = [f"/nowhere/{'d' * (i * 7 % 160)}/object-{i}" for i in range(600)]
		def record(kind, misc, body):
		    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
		data, want, offsets = b"", "", ""
		for i, name in enumerate(names):
		    padded = name.encode() + b"\0" * (8 - len(name) % 8)
		    data += record(1, 2, struct.pack("<IIQQQ", 50, 50, 0x10000000 + i * 0x10000, 0x10000, 0) + padded)
		for i in range(3000):
		    frames = [0x10000000 + (i * 31 + k * 17) % 600 * 0x10000 + k * 0x1111 for k in range(5)] + [0xf0000000 + i]
		    data += record(9, 2, struct.pack("<QIIQ", frames[0], 50, 50, 1000 + i) +
		                   struct.pack(f"<Q{len(frames) + 1}Q", len(frames) + 1, 2**64 - 512, *frames))
		    head = f":50    50     0.{(1000 + i) // 1000:06}: \n"
		    want += head
		    offsets += head
		    for f in frames:
		        known = f < 0xf0000000
		        offset = (f - 0x10000000) % 0x10000 if known else f
		        dso = names[(f - 0x10000000) // 0x10000] if known else "[unknown]"
		        want += f"\t{offset:16x} [unknown] ({dso})\n"
		        offsets += f"\t{offset:16x} [unknown] ({dso}{f'+{offset:#x}' if known else ''})\n"
		    want += "\n"
		    offsets += "\n"
		attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 1 | 2 | 4 | 32, 0, 0) + b"\0" * 80
		head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, 104, 144, 248, len(data), 0, 0) + b"\0" * 32
		open(sys.argv[1], "wb").write(head + attr + b"\0" * 16 + data)
		open(sys.argv[2], "w").write(want)
		open(sys.argv[2] + ".offsets", "w").write(offsets)
	EOF
	for n in 1 2 7; do
		PERF_WORKERS=$n "$PERF" script -i chained -F comm,tid,time,ip,sym,dso >ours
		cmp want ours
		PERF_WORKERS=$n "$PERF" script -i chained -F comm,tid,time,ip,sym,dsoff >ours
		cmp want.offsets ours
	done
}

@test "streams" {
	oracle
	"$RIVAL" record -q -e cpu-clock -F 5000 -g -o - ./w 2>/dev/null >stream
	same - <stream
	cp ours file
	cat stream | "$PERF" script | sed 's/[^ ]*@plt/@plt/g' | cmp - file
}

@test "stackcollapse's expressions match every line" {
	oracle
	record chain.data -e cpu-clock -F 5000 -g ./w
	"$PERF" script -i chain.data >ours
	python3 - ours <<-'EOF'
		import re, sys
		header = re.compile(r'^(\S.+?)\s+(\d+)\/*(\d+)*\s+')
		event = re.compile(r':\s*(\d+)*\s+(\S+):\s*$')
		frame = re.compile(r'^\s*(\w+)\s*(.+) \((.*)\)')
		speedscope = re.compile(r'^\s*(\w+)\s*(.+) \((\S*)\)')
		samples = open(sys.argv[1]).read().split('\n\n')
		assert samples.pop() == ''
		assert len(samples) > 5
		for s in samples:
		    first, *rest = s.split('\n')
		    assert header.match(first) and event.search(first), first
		    assert rest
		    for line in rest:
		        assert frame.match(line) and speedscope.match(line), line
	EOF
}

@test "perf2bolt's and llvm-profgen's calls" {
	oracle
	"$make" branches branches.data
	record chain.data -e cpu-clock -F 5000 -g ./w
	"$PERF" script -F pid,brstack -f -i branches.data |
		grep -qE '^ +[0-9]+ +(0x[0-9a-f]+/0x[0-9a-f]+/[PM-]/[X-]/[A-]/[0-9]+/[A-Z_]* ? ?)+$'
	"$PERF" script -F pid,event,ip -f -i branches.data | grep -qE '^ +100 +cpu-clock[^ ]*: +[0-9a-f]+$'
	"$PERF" script --show-mmap-events --no-itrace -f -i chain.data |
		grep -qE 'w +[0-9]+ +[0-9]+\.[0-9]+: PERF_RECORD_MMAP2 [0-9]+/[0-9]+: \[0x[0-9a-f]+\(0x[0-9a-f]+\) @ 0x[0-9a-f]+ [^]]*\]: r-xp .*/w$'
	"$PERF" script --show-task-events --no-itrace -f -i chain.data >ours
	grep -qE 'PERF_RECORD_COMM exec: w:[0-9]+/[0-9]+$' ours
	grep -qE 'PERF_RECORD_FORK\([0-9]+:[0-9]+\):\([0-9]+:[0-9]+\)$' ours
	run -1 "$PERF" script -F pid,event,addr,ip -f -i chain.data
	[[ "$output" == *"Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field."* ]]
	"$PERF" script --show-mmap-events -F comm,pid -i chain.data | grep -q 'PERF_RECORD_MMAP2'
	"$PERF" script --show-mmap-events -F ip,brstack -i branches.data --pid 100 |
		grep -qE '^ +555555556010 0x'
	"$PERF" script -F brstack -i branches.data | head -n 1 | grep -q '^ 0x'
}

@test "messages: unknown fields, types, mixed signs, two kinds of time" {
	"$make" bts bts.data
	run -129 "$PERF" script -i bts.data -F smy
	[[ "$output" == *"Invalid field requested: 'smy'"*"did you mean 'sym'?"* ]]
	run -129 "$PERF" script -i bts.data -F zz:ip
	[[ "$output" == *"Invalid event type in field string"* ]]
	run -129 "$PERF" script -i bts.data -F ip,+sym
	[[ "$output" == *"Cannot mix +-field with overridden fields"* ]]
	run -1 "$PERF" script -i bts.data -F +metric
	[[ "$output" == *"no group of counters that were read together. Cannot print 'metric' field."*"{cycles,instructions}:S"* ]]
	run -1 "$PERF" script -i bts.data -F comm,srcline
	[[ "$output" == *"sample IP is not selected. Hence, no address to lookup the source line"* ]]
	run -129 "$PERF" script -i bts.data --reltime --deltatime
	[[ "$output" == *"don't get along"* ]]
	run -129 "$PERF" script -i bts.data --tid x
	run -129 "$PERF" script -i bts.data myscript.py
	[[ "$output" == *"myscript.py"* ]]
	run -1 "$PERF" script -i bts.data --time 10%/2
	run -1 "$PERF" script -i bts.data -F +tod
	[[ "$output" == *"Can't provide 'tod' time, missing clock data."* ]]
	run -1 "$PERF" script -i missing.data
	[[ "$output" == *"error: "*missing.data* ]]
}

@test "damaged files: a message, no crash, what can be read is printed" {
	"$make" branches branches.data
	size=$(stat -c %s branches.data)
	for n in 0 50 104 200 300 1000 $((size - 13)); do
		head -c $n branches.data >cut.data
		run "$PERF" script -i cut.data -F +brstack
		[ "$status" -lt 128 ] || { echo "cut at $n: $status"; return 1; }
	done
	for at in 104 250 280 288 300 320 400 500 600; do
		cp branches.data hurt.data
		printf '\377\377\377\377' | dd of=hurt.data bs=1 seek=$at conv=notrunc 2>/dev/null
		run "$PERF" script -i hurt.data -D
		[ "$status" -lt 128 ] || { echo "hurt at $at: $status"; return 1; }
	done
}

@test "names with control characters cannot drive a terminal" {
	"$make" bts bts.data
	sed 's/prog/p\x1b[m/' bts.data >evil.data
	run "$PERF" script -i evil.data --show-task-events
	[[ "$output" != *$'\x1b'* ]]
	[[ "$output" == *'\x1b'* ]]
}

@test "a closed reader ends it quietly; a full disk is said" {
	"$make" branches branches.data
	"$PERF" script -i branches.data -D 2>err | (sleep 0.1; exec true)
	run ! grep -q error: err
	run -1 sh -c '"$PERF" script -i branches.data 2>err >/dev/full'
	grep -q 'error:' err
}

@test "a file of stat record is a table of its rounds, as in 6.1" {
	oracle
	"$RIVAL" stat record -e task-clock,context-switches,cycles -o once ./w 2>/dev/null
	"$RIVAL" stat record -I 100 -a -A -e cpu-clock,faults -o rounds sleep 0.35 2>/dev/null
	for f in once rounds; do
		"$RIVAL" script -i $f >want
		[ "$(wc -l <want)" -gt 3 ]
		"$PERF" script -i $f | diff want -
		"$PERF" script -i - <$f | diff want -
	done
	"$RIVAL" stat record -e task-clock,faults -o - ./w 2>/dev/null >stream
	"$PERF" script -i - <stream | grep -q ' faults$'
}

@test "filters that nothing passes are reported, and an empty file is not" {
	[ -s nothing.data ] || "$PERF" record -q -e cpu-clock:u -o nothing.data ./w
	for filter in "--comms nosuch" "--dsos nosuch" "-S nosuch" "--pid 999999999"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$PERF" script -i nothing.data $filter
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		[[ "$stderr" == *"warning: no sample of 'nothing.data' passes the filters"*"hint: perf report --sort "* ]]
	done
	run --separate-stderr "$PERF" script -i nothing.data --comms w
	[[ "$stderr" != *filters* ]]
	"$PERF" record -q -e dummy -o empty.data true
	run --separate-stderr "$PERF" script -i empty.data --comms nosuch
	[[ "$stderr" != *filters* ]]
}
