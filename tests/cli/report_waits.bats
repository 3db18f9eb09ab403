#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf report and perf script on the waits of perf record --off-cpu, on files whose times are known.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export DIR=$BATS_TEST_DIRNAME
	cat >prog.c <<-'END'
	void nap(void) { }
	void work(void) { }
	void both(void) { nap(); work(); }
	int main(void) { both(); }
	END
	gcc -O0 -fPIE -pie -fno-omit-frame-pointer prog.c -o prog
	# 26 ms of running, 74 ms of waiting
	cat >lines <<-'END'
	run 20 1000000 work both main
	run 1 1000000 k:schedule k:do_syscall nap both main
	run 5 1000000 main
	wait 3 20000000 k:schedule k:do_syscall nap both main
	wait 1 14000000 k:futex k:do_syscall main
	END
	"$DIR/make-offcpu" "$PWD/prog" plain <lines
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

report() { # FILE OPTIONS...
	"$PERF" report --kallsyms plain.kallsyms -i "$@"
}

# "NAME TEXT FILL" of each frame of a picture
frames() {
	python3 -c '
import re, sys
for title, fill in re.findall(r"<title>(.*?)</title><rect [^>]*fill=\"rgb\((.*?)\)\"", sys.stdin.read()):
    print(title, fill)'
}

@test "the key place names what the program waited in, and two callers" {
	report plain --stdio -q --no-children -g none -s place >rows
	# a place of each event; the first event ran
	grep -qE '^ +76\.92% +work <- both <- main *$' rows
	grep -qE '^ +81\.08% +nap <- both <- main *$' rows
	grep -qE '^ +18\.92% +main *$' rows
	# by default the rows are those of 6.1, and the last line says how to see the places
	report plain --stdio --no-children -g none >rows
	grep -q '\[k\] schedule *$' rows
	grep -qx '# (Tip: where the program waited: perf report --no-children -s place)' rows
	report plain --stdio -s place >rows
	run ! grep -q 'where the program waited' rows
	cat >runtime.c <<-'END'
	void park(void) __asm__("runtime.park");
	void park(void) { }
	void buy(void) { park(); }
	void serve(void) { buy(); }
	int main(void) { serve(); }
	END
	gcc -O0 -fPIE -pie -fno-omit-frame-pointer runtime.c -o runtime
	"$DIR/make-offcpu" "$PWD/runtime" parked <<-'END'
	wait 3 20000000 k:schedule k:do_syscall runtime.park buy serve main
	wait 1 20000000 k:schedule k:do_syscall runtime.park
	wait 1 20000000 k:schedule
	END
	"$PERF" report --kallsyms parked.kallsyms -i parked --stdio -q --no-children -g none -s place >rows
	grep -qE '^ +60\.00% +buy <- serve <- main *$' rows
	grep -qE '^ +20\.00% +runtime\.park *$' rows
	grep -qE '^ +20\.00% +schedule *$' rows
	run -1 "$PERF" diff -s place parked parked
	[[ "$output" == *"the sort key 'place' needs call chains, which perf diff does not compare"* ]]
	# without chains nothing is known of it
	"$PERF" record -q -e cpu-clock:u -o flat true
	run -1 "$PERF" report -i flat --stdio -s place
	[[ "$output" == *"has no call chains, but the sort key 'place' needs them"* ]]
}

@test "a flame graph has both times, and waits in their own colours" {
	report plain --flamegraph a.svg
	frames <a.svg >frames
	grep -q '^all (0\.100000 s, 100\.00%, 74% of it waiting)' frames
	grep -q '^both (0\.081000 s, 81\.00%, 74% of it waiting)' frames
	grep -q '^work (0\.020000 s, 20\.00%, 0% of it waiting)' frames
	grep -q '^nap (0\.061000 s, 61\.00%, 98% of it waiting)' frames
	grep -q '^futex (0\.014000 s, 14\.00%, 100% of it waiting)' frames
	# where tasks ran in the same function of the kernel it is a frame of its own
	grep -q '^schedule (0\.001000 s, 1\.00%, 0% of it waiting)' frames
	grep -q '^schedule (0\.060000 s, 60\.00%, 100% of it waiting)' frames
	# blue is most in what waited, red in what ran
	sed 's/.*) //' frames | tr , ' ' | paste -d ' ' - <(sed 's/ (.* \([0-9]*\)% of it waiting.*/ \1/' frames) |
		awk '$4 == "all" || $4 == "prog" { next } ($3 > $1) != ($5 >= 90) { print; exit 1 }'
	# the title has both events, and what waited is on the right
	grep -q '>cpu-clock and offcpu-time<' a.svg
	python3 - <<-'END'
	import re
	x = {}
	for title, at in re.findall(r'<title>(\w+) .*?<rect x="([\d.]+)"', open("a.svg").read()):
	    x.setdefault(title, float(at))
	assert x["work"] < x["nap"], x
	END
}

@test "times come from frequencies, too; events that are no times are left out" {
	sed 's/ 1000000 / 77 /' lines | "$DIR/make-offcpu" --event cycles "$PWD/prog" cycles
	report cycles --flamegraph - | frames >frames
	grep -q '^all (0\.100000 s, 100\.00%, 74% of it waiting)' frames
	"$DIR/make-offcpu" --event count:cycles "$PWD/prog" count <lines
	report count --flamegraph - 2>said | frames >frames
	grep -q '^all (0\.074000 s, 100\.00%, 100% of it waiting)' frames
	grep -qx "note: the flame graph shows only event 'offcpu-time': samples of the others do not measure time" said
}

@test "waits as raw data (perf 7) are read as those with call chains, in either byte order" {
	"$DIR/make-offcpu" --raw "$PWD/prog" raw <lines
	"$DIR/make-offcpu" --raw --big-endian "$PWD/prog" big <lines
	"$DIR/make-offcpu" --big-endian "$PWD/prog" bigplain <lines
	# an event with the call chain beside raw data has an empty line for the latter
	"$PERF" script --kallsyms plain.kallsyms -i plain | grep . >want
	grep -A2 '20000000 offcpu-time:' want | grep -q ' do_syscall+0x4 '
	report plain --stdio >table
	report plain --folded >folded
	grep -qx 'offcpu-time;prog;main;both;nap;do_syscall;schedule 60000000' folded
	for form in raw big bigplain; do
		"$PERF" script --kallsyms plain.kallsyms -i $form | grep . | cmp - want
		report $form --stdio | cmp - table
		report $form --folded | cmp - folded
	done
	"$PERF" script --json --kallsyms plain.kallsyms -i raw | tail -1 | grep -q '"callchain":\[{"ip":"0xffffffff81001084","sym":"futex"'
}

@test "call chains of waits alone are shown, too" {
	"$DIR/make-offcpu" --raw --chains-of-waits "$PWD/prog" alone <lines
	report alone --folded >folded
	grep -qx 'offcpu-time;prog;main;do_syscall;futex 14000000' folded
	report alone --stdio | grep -q -- '--18.92%--do_syscall'
}

@test "waits that do not fit into their raw data are refused one by one" {
	"$DIR/make-offcpu" --raw "$PWD/prog" raw <lines
	python3 - <<-'END'
	import struct
	data = bytearray(open("raw", "rb").read())
	# the number of addresses of the last wait: pid, tid, ns, then it
	at = data.rindex(struct.pack("<IIQ", 100, 100, 14000000)) + 16
	data[at:at + 8] = struct.pack("<Q", 1 << 61)
	open("damaged", "wb").write(data)
	END
	report damaged --folded >folded 2>said || true
	grep -qx 'offcpu-time;prog;main;both;nap;do_syscall;schedule 60000000' folded
	! grep -q futex folded || false
	[ -s said ]
}

@test "both kinds side by side in a table" {
	report plain --group --stdio -g none --no-children -F overhead,sym >table
	grep -qE '^ +76\.92% +0\.00% +\[\.\] work' table
	grep -qE '^ +3\.85% +81\.08% +\[k\] schedule' table
}

@test "stackcollapse.py and flamegraph.py weigh waits by time, as report --folded does" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	collapse() { # FILE
		"$PERF" script --kallsyms plain.kallsyms -i "$1" -s stackcollapse.py
	}
	graph() { # FILE, prints "NAME VALUE"
		"$PERF" script --kallsyms plain.kallsyms -i "$1" -s flamegraph.py -- -f json -o - | python3 -c '
import json, sys
def show(node):
    print(node["n"], node["v"])
    for child in node["c"]:
        show(child)
show(json.load(sys.stdin))'
	}
	"$DIR/make-offcpu" "$PWD/prog" plain <lines
	"$DIR/make-offcpu" --raw "$PWD/prog" raw <lines
	sed 's/ 1000000 / 77 /' lines | "$DIR/make-offcpu" --event cycles "$PWD/prog" cycles
	for file in plain raw cycles; do
		# the event is no frame of the scripts
		report $file --folded | sed 's/^[^;]*;//' | awk '
			{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort >want
		grep -qx 'prog;main;both;nap;do_syscall;schedule 61000000' want
		collapse $file | sort | diff want -
		graph $file >got
		grep -qx 'all 100000000' got
		grep -qx 'work 20000000' got
		grep -qx 'nap 61000000' got
		grep -qx 'futex 14000000' got
	done
	"$PERF" script -i plain -s flamegraph.py -- -o page.html
	grep -q '"unit": "ns"' page.html
	# samples that are no times cannot be added to waits
	"$DIR/make-offcpu" --event count:cycles "$PWD/prog" count <lines
	collapse count >got 2>said
	printf 'prog;main;%s\n' 'both;nap;do_syscall;schedule 60000000' 'do_syscall;futex 14000000' | diff - got
	grep -qx "note: event 'cycles' is left out: its samples do not measure time, as waits do" said
	# without waits samples are counted
	grep run lines | "$DIR/make-offcpu" "$PWD/prog" ran
	collapse ran >got
	grep -qx 'prog;main 5' got
	"$PERF" script -i ran -s flamegraph.py -- -o page.html
	grep -q '"unit": "samples"' page.html
}
