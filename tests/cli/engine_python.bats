#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Python scripts: they get what perf 6.1 gives them, and fail in the open.

load rival

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" check -q feature libpython || return 0
	cat >w.c <<-'CODE'
		#include <fcntl.h>
		#include <string.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		volatile long sink;
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void top(int n) { leaf(n); sink++; }
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				top(200000);
			for (int i = 0; i < 37; i++)
				close(open("/nonexistent/\xc3\xa9\xff", O_RDONLY));
			prctl(PR_SET_NAME, "bad\xff\xc3name");
			top(20000000);
			return 0;
		}
	CODE
	gcc -O1 -g -fno-omit-frame-pointer -o w w.c
	"$PERF" record -q -g -d -F 2000 -e cpu-clock:u,page-faults -o clock ./w
	"$PERF" record -q -g -e syscalls:sys_enter_openat,raw_syscalls:sys_exit -o calls ./w
	# every value, but for the keys that 6.1 does not have, and those where the ledger says so
	cat >dump.py <<-'CODE'
		import os, sys
		sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
		from perf_trace_context import *
		from Core import *
		print(__name__, sys.argv[1:])
		def show(name, v, depth):
		    if name in ('id', 'stream_id', 'ins_lat', 'dso_map_end', 'addr_dso_map_end', 'addr_dso_bid') and depth < 8:
		        return
		    if isinstance(v, dict):
		        print(' ' * depth, name, type(v).__name__)
		        for k in sorted(v): show(k, v[k], depth + 2)
		    elif isinstance(v, list):
		        print(' ' * depth, name, 'list', len(v))
		        for i in v: show('-', i, depth + 4)
		    else:
		        print(' ' * depth, name, repr(v))
		def trace_begin(): print('begin')
		def trace_end(): print('end')
		def process_event(d): show('event', d, 0)
		def syscalls__sys_enter_openat(*a): show('never called: its arguments are counted', a, 0)
		def raw_syscalls__sys_exit(name, context, cpu, secs, nsecs, pid, comm, chain, id, ret):
		    print(name, cpu, secs, nsecs, pid, comm, id, ret, common_pc(context), common_flags(context))
		    show('chain', chain, 0)
		def trace_unhandled(name, context, fields, sample):
		    print(name)
		    show('fields', fields, 0)
		    show('sample', sample, 0)
	CODE
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" check -q feature libpython || skip "built without libpython"
}

has_rival() {
	"$RIVAL" version --build-options 2>/dev/null | grep -q 'libpython: \[ on'
}

@test "samples and tracepoints come as 6.1 gives them" {
	has_rival || skip "no other perf with Python"
	sed '/never called/d' dump.py >both.py
	for f in clock calls; do
		LC_ALL=C.UTF-8 PYTHONIOENCODING=utf-8:surrogateescape rival script -i $f --time 0,$(before_bad_name $f) -s both.py a b >theirs
		PYTHONIOENCODING=utf-8:surrogateescape "$PERF" script -i $f --time 0,$(before_bad_name $f) -s both.py a b >ours
		[ "$(wc -l <ours)" -gt 300 ]
		same_but_stubs theirs ours
	done
}

# Samples from a name on that is not UTF-8 would end the other perf.
before_bad_name() {
	"$PERF" script -i "$1" --ns -F comm,time | awk '/bad/ { exit } { t = $NF } END { sub(/:/, "", t); print t }'
}

@test "numbers of a run with a known answer" {
	cat >count.py <<-'CODE'
		n = {}
		def raw_syscalls__sys_exit(name, context, cpu, secs, nsecs, pid, comm, chain, id, ret):
		    assert isinstance(ret, int) and isinstance(chain, list) and secs * 10**9 + nsecs > 0
		    if ret == -2: n['missing'] = n.get('missing', 0) + 1
		def syscalls__sys_enter_openat(name, context, cpu, secs, nsecs, pid, comm, chain, nr, dfd, filename, flags, mode, *more):
		    n['open'] = n.get('open', 0) + 1
		def trace_end():
		    print(n['missing'] >= 37, n['open'] - n['missing'] >= 0)
	CODE
	run "$PERF" script -i calls -s count.py
	[ "$status" -eq 0 ]
	[ "$output" = "True True" ]
	cat >functions.py <<-'CODE'
		seen = {}
		def process_event(d):
		    names = [f['sym']['name'] for f in d['callchain'] if 'sym' in f]
		    if d['comm'] == 'w' and d.get('symbol') == 'leaf' and names[0] == 'leaf' and 'main' in names:
		        seen['chain'] = seen.get('chain', 0) + 1
		        assert d['dso'].endswith('/w') and d['symoff'] >= 0 and d['sample']['ip'] == d['callchain'][0]['ip']
		def trace_end(): print(seen.get('chain', 0) > 20)
	CODE
	run --separate-stderr "$PERF" script -i clock -s functions.py
	[ "$output" = True ]
}

@test "names that are not UTF-8 are handed over and printed" {
	cat >names.py <<-'CODE'
		names = set()
		def process_event(d): names.add(d['comm'])
		def trace_end():
		    for n in sorted(names): print(n)
	CODE
	"$PERF" script -i clock -s names.py >names
	grep -q $'^bad\xff\xc3name$' names
}

@test "filters choose what a script gets" {
	cat >cpus.py <<-'CODE'
		n = 0
		def process_event(d):
		    global n; n += 1
		def trace_end(): print(n)
	CODE
	all=$("$PERF" script -i clock -s cpus.py)
	bad=$("$PERF" script -i clock --comms "$(printf 'bad\xff\xc3name')" -s cpus.py)
	[ "$all" -eq "$("$PERF" script -i clock -F comm | wc -l)" ]
	[ "$bad" -gt 0 ] && [ "$bad" -lt "$all" ]
}

@test "the dictionary comes where there is a parameter for it" {
	cat >with.py <<-'CODE'
		def raw_syscalls__sys_exit(name, context, cpu, secs, nsecs, pid, comm, chain, id, ret, d):
		    assert d['sample']['cpu'] == cpu and d['comm'] == comm and d['callchain'] is chain
		    assert d['ev_name'] == 'raw_syscalls:sys_exit' and len(d['attr']) == 128
		    assert int.from_bytes(d['raw_buf'][8:16], 'little', signed=True) == id
		def trace_unhandled(name, context, fields):
		    assert name == 'syscalls__sys_enter_openat' and fields['common_comm']
		def trace_end(): print('all held')
	CODE
	run "$PERF" script -i calls -s with.py
	[ "$output" = "all held" ]
}

@test "flags and symbols have names" {
	"$PERF" record -q -e sched:sched_switch -e irq:softirq_raise -a -o switches -- sleep 0.05
	cat >flags.py <<-'CODE'
		import os, sys
		sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
		from Core import *
		states = set()
		def sched__sched_switch(name, context, cpu, secs, nsecs, pid, comm, chain, prev_comm, prev_pid, prev_prio, prev_state, *more):
		    states.add(flag_str(name, 'prev_state', prev_state))
		def irq__softirq_raise(name, context, cpu, secs, nsecs, pid, comm, chain, vec):
		    assert symbol_str(name, 'vec', vec) in ('HI', 'TIMER', 'NET_TX', 'NET_RX', 'BLOCK', 'IRQ_POLL', 'TASKLET', 'SCHED', 'HRTIMER', 'RCU')
		def trace_end(): print(sorted(states & {'R', 'S'}))
	CODE
	sed -i 's/, \*more):/, next_comm, next_pid, next_prio):/' flags.py
	run "$PERF" script -i switches -s flags.py
	[ "$output" = "['R', 'S']" ]
}

@test "branches name functions with the offset in them, and no object where nothing is mapped" {
	printf '.skip 0x1000\n.globl sled\n.type sled, @function\nsled: .skip 0x80, 0x90\n.size sled, 0x80\n' >sled.s
	# the path of the object has as much room as that of /bin/true
	short=$(mktemp -d /tmp/sXXXXX)
	gcc -shared -nostdlib -Wl,-Ttext=0x1000 -o "$short/s" sled.s
	"$BATS_TEST_DIRNAME/make-samples" branches branches
	python3 - "$short/s" <<-'CODE'
		import sys
		data, old = open("branches", "rb").read(), b"/bin/true".ljust(16, b"\0")
		assert data.count(old) == 1
		open("sled.data", "wb").write(data.replace(old, sys.argv[1].encode().ljust(16, b"\0")))
	CODE
	cat >branches.py <<-'CODE'
		def process_event(d):
		    for b, names in zip(d["brstack"], d["brstacksym"]):
		        print(b["from_dsoname"], b["to_dsoname"], names["from"], names["to"])
	CODE
	"$PERF" script -i sled.data -s branches.py 2>/dev/null >ours
	! has_rival || rival script -i sled.data -s branches.py >theirs
	rm -r "$short"
	[ "$(sed -n 1p ours)" = "$short/s [unknown] sled+0x0 [unknown]" ]
	[ "$(tail -1 ours)" = "$short/s $short/s sled+0x3f [unknown]" ]
	! has_rival || diff theirs ours
}

@test "an event calls only a function that the script's file defines" {
	"$BATS_TEST_DIRNAME/make-tracepoints" named <<-'EOF'
		event :loader__ name:text
		event os:system name:text
		event mod:own name:text
		event made:object name:text
		event File::Path:remove_tree name:text
		event my:own name:text
		event my:method name:text
		comm 7 c 0
		at 1100 0 7 :loader__ victim
		at 1200 0 7 os:system victim
		at 1300 0 7 mod:own victim
		at 1400 0 7 made:object victim
		at 1500 0 7 File::Path:remove_tree victim
		at 1600 0 7 my:own victim
		at 1700 0 7 my:method victim
	EOF
	echo 'def mod__own(*a): print("module", a)' >hands.py
	cat >own.py <<-'CODE'
		import os, shutil, functools
		from hands import mod__own
		os__system = os.system
		class Kept:
		    def hear(self, *a): print('method', a[8])
		my__method = Kept().hear
		made__object = functools.partial(print, 'partial')
		globals()['File::Path__remove_tree'] = lambda *a: print('name')
		def my__own(*a): print('own', a[8])
		def trace_end(): print('end')
	CODE
	run --separate-stderr "$PERF" script -i named -s own.py
	[ "$status" -eq 0 ]
	[ "$output" = $'own victim\nmethod victim\nend' ]
	echo "def trace_unhandled(name, context, fields): print('unhandled', name)" >>own.py
	run --separate-stderr "$PERF" script -i named -s own.py
	[ "$(grep -c ^unhandled <<<"$output")" -eq 5 ]
}

@test "a count called interval is not an interval, and calls nothing of another file" {
	printf 'def stat__evil(*a): print("module", a)\n' >counted.py
	printf 'from counted import *\ndef stat__interval(time): print("interval")\ndef stat__own(*a): print("own")\n' >named.py
	"$PERF" stat record -o evil -e cpu-clock/name=evil/,cpu-clock/name=interval/,cpu-clock/name=own/ -- true >/dev/null 2>&1
	run --separate-stderr "$PERF" script -i evil -s named.py
	[ "$status" -eq 0 ]
	[[ "$output" == *own* && "$output" == *interval* && "$output" != *module* ]]
}

@test "switches, throttling and counts" {
	has_rival || skip "no other perf with Python"
	cat >records.py <<-'CODE'
		def context_switch(*a): print('switch', a)
		def throttle(*a): print('throttle', a)
		def unthrottle(*a): print('unthrottle', a)
		def stat__interval(*a): print('interval', a)
		globals()['stat__cpu-clock'] = lambda *a: print('clock', a)
		globals()['stat__page-faults_u'] = lambda *a: print('faults', a)
	CODE
	"$PERF" record -q -a --switch-events -F 5000 -e cpu-clock -o switches2 -- sleep 0.05
	"$PERF" stat record -A -a -e cpu-clock,page-faults:u -o s1 -- sleep 0.05 2>/dev/null >/dev/null
	"$PERF" stat record -I 20 -e cpu-clock,page-faults:u -o s2 -- sleep 0.1 2>/dev/null >/dev/null
	for f in switches2 s1 s2; do
		rival script -i $f -s records.py >theirs
		"$PERF" script -i $f -s records.py >ours
		[ "$(wc -l <ours)" -gt 2 ]
		diff theirs ours
	done
}

@test "an event of a system called stat does not call what takes counts" {
	"$BATS_TEST_DIRNAME/make-tracepoints" stat.data <<-'END'
		event stat:interval x:u32
		event stat:own x:u32
		event my:own x:u32
		comm 7 c 0
		at 1000 0 7 stat:interval 1
		at 1100 0 7 stat:own 2
		at 1200 0 7 my:own 3
	END
	cat >counts.py <<-'CODE'
		def stat__interval(*a): print('interval', a)
		def stat__own(*a): print('counts', a)
		def my__own(*a): print('event', a[-2:])
		def trace_unhandled(name, *a): print('unhandled', name)
	CODE
	run -0 --separate-stderr "$PERF" script -i stat.data -s counts.py
	echo "$output"
	[[ "$output" != *interval\ \(* && "$output" != *counts* && "$output" == *event* ]]
}

@test "an exception shows its traceback and line, and is status 1" {
	printf 'def process_event(d):\n    x = 1\n    print(d["nothing"])\ndef trace_end():\n    print("END")\n' >fails.py
	run --separate-stderr "$PERF" script -i clock -s fails.py
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" == *'File "fails.py", line 3, in process_event'*"KeyError: 'nothing'"* ]]
	printf 'def f(:\n' >syntax.py
	run --separate-stderr "$PERF" script -i clock -s syntax.py
	[ "$status" -eq 1 ]
	[[ "$stderr" == *'syntax.py", line 1'*SyntaxError* ]]
	printf 'def trace_end():\n    raise ValueError("late")\n' >late.py
	run --separate-stderr "$PERF" script -i clock -s late.py
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ValueError: late"* ]]
}

@test "a script that ends itself" {
	printf 'import sys\ndef process_event(d):\n    print("one")\n    sys.exit(%s)\ndef trace_end():\n    print("END")\n' 3 >three.py
	run --separate-stderr "$PERF" script -i clock -s three.py
	[ "$status" -eq 3 ]
	[ "$output" = one ]
	sed 's/exit(3)/exit()/' three.py >zero.py
	run --separate-stderr "$PERF" script -i clock -s zero.py
	[ "$status" -eq 0 ]
	[ "$output" = one ]
	sed 's/exit(3)/exit("why")/' three.py >text.py
	run --separate-stderr "$PERF" script -i clock -s text.py
	[ "$status" -eq 1 ]
	[ "$stderr" = why ]
}

@test "a reader that leaves early" {
	printf 'def process_event(d):\n    for i in range(1000):\n        print("x" * 100)\n' >much.py
	"$PERF" script -i clock -s much.py 2>err | head -1 >first
	[ "$(cat first)" = "$(printf 'x%.0s' $(seq 100))" ]
	[ ! -s err ]
}

@test "children and threads of a script" {
	cat >fork.py <<-'CODE'
		import os
		def trace_begin():
		    if not os.fork():
		        print("child", flush=True)
		        os._exit(0)
		    os.wait()
		def trace_end(): print("parent")
	CODE
	run --separate-stderr "$PERF" script -i clock -s fork.py
	[ "$status" -eq 0 ]
	[ "$output" = "child
parent" ]
	cat >thread.py <<-'CODE'
		import threading
		ran = threading.Event()
		def trace_begin(): threading.Thread(target=ran.set, daemon=True).start()
		def process_event(d): pass
		def trace_end(): print(ran.wait(10))
	CODE
	run --separate-stderr "$PERF" script -i clock -s thread.py
	[ "$output" = True ]
}

@test "a context outside of a handler is refused, not followed" {
	cat >outside.py <<-'CODE'
		from perf_trace_context import *
		kept = []
		def trace_unhandled(name, context, fields): kept.append(context)
		def trace_end():
		    try: common_pc(kept[0])
		    except RuntimeError as e: print(e)
		    for wrong in (None, 3, "x"):
		        try: common_pc(wrong)
		        except ValueError: print("no context")
		        except TypeError: print("no context")
	CODE
	run "$PERF" script -i calls -s outside.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "there is no event at the moment: ask inside a handler" ]
	[ "$(grep -c 'no context' <<<"$output")" -eq 3 ]
}

@test "what cannot be run is refused by name" {
	run --separate-stderr "$PERF" script -i clock -s missing.py
	[ "$status" -eq 1 ]
	[[ "$stderr" == "error: cannot read the script 'missing.py': No such file or directory"* ]]
	run --separate-stderr "$PERF" script -i clock -s ruby:dump.py
	[ "$status" -eq 129 ]
	[[ "$stderr" == *"'ruby' is not a language"* ]]
	cp dump.py dump
	run --separate-stderr "$PERF" script -i clock -s dump
	[ "$status" -eq 129 ]
	[[ "$stderr" == *"-s python:dump"* ]]
	run "$PERF" script -i clock -s python:dump
	[ "$status" -eq 0 ]
	run "$PERF" script -s lang
	grep -qE '^  py +\[Python\]$' <<<"$output"
	run -129 "$PERF" script -i clock -s ''
	[ "$output" = "error: -s needs the name of a script" ]
	for form in json tsv per-event-dump; do
		run -129 "$PERF" script -i clock -s dump.py --$form
		[[ "$output" == "error: -s and --$form exclude each other"* ]]
		run -129 "$PERF" script -i clock -g python --$form
		[[ "$output" == "error: -g and --$form exclude each other"* ]]
	done
	mkdir -p elsewhere/scripts
	head -c 300 /dev/urandom >noise.py
	run "$PERF" script -i clock -s noise.py
	[ "$status" -eq 1 ]
}

@test "-g python: valid, runs at once, one handler for each tracepoint" {
	mkdir -p gen && cd gen
	run --separate-stderr "$PERF" script -i ../calls -g python
	[ "$status" -eq 0 ]
	[ "$stderr" = "generated Python script: perf-script.py" ]
	[ "$(grep -c '^def syscalls__sys_enter_openat(\|^def raw_syscalls__sys_exit(' perf-script.py)" -eq 2 ]
	python3 -c 'import ast, sys; ast.parse(open("perf-script.py").read())'
	"$PERF" script -i ../calls -s perf-script.py >out
	[ "$(head -1 out)" = "in trace_begin" ]
	[ "$(tail -1 out)" = "in trace_end" ]
	[ "$(grep -c '^raw_syscalls__sys_exit .* id=-*[0-9]*, ret=-*[0-9]' out)" -eq "$("$PERF" script -i ../calls -F event | grep -c sys_exit)" ]
	grep -qE '	\[[0-9a-f]*\] [a-z_0-9]+\+0x[0-9a-f]* \(\[kernel.kallsyms\]\)' out
	# of a file without tracepoints
	rm perf-script.py
	"$PERF" script -i ../clock -g py
	"$PERF" script -i ../clock -s perf-script.py | grep -q '	\[[0-9a-f]*\] leaf+0x'
}

@test "no object is left behind by a sample" {
	cat >blocks.py <<-'CODE'
		import sys
		n, blocks = 0, []
		def count(d=None):
		    global n
		    n += 1
		    if n % 500 == 0: blocks.append(sys.getallocatedblocks())
		def process_event(d): count()
		def raw_syscalls__sys_exit(name, context, cpu, secs, nsecs, pid, comm, chain, id, ret): count()
		def trace_unhandled(name, context, fields, d): count()
		# names that are met for the first time are kept
		def trace_end(): print((blocks[-1] - blocks[0]) * 20 < n, n > 3000)
	CODE
	"$PERF" record -q -a -g -e cs,raw_syscalls:sys_exit,raw_syscalls:sys_enter -o mixed -- sh -c 'for i in 1 2 3; do ls -R /usr/share/perl; done' >/dev/null
	# whatever ran on this machine may be gone, which is said on standard error
	run -0 --separate-stderr "$PERF" script -i mixed -s blocks.py
	[ "$output" = "True True" ]
	sed 's/def raw_syscalls__sys_exit/def other/' blocks.py >rest.py
	run -0 --separate-stderr "$PERF" script -i mixed -s rest.py
	[ "$output" = "True True" ]
}

@test "start-up time and the program's libraries do not know of Python" {
	[ -z "$(ldd "$PERF" | grep -iE 'python|perl')" ]
}
