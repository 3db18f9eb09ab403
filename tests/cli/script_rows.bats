#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf script --json and --tsv: what the text shows, for other programs.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >w.c <<-'EOF'
		#include <sys/prctl.h>
		#include <unistd.h>
		volatile long sink;
		/* one product after the other: about as long on each CPU */
		static inline __attribute__((always_inline)) void inner(int n) { for (int i = 0; i < n; i++) sink = sink * 6364136223846793005 + i; }
		__attribute__((noinline)) void leaf(int n) { inner(n); sink++; }
		int main(int argc, char **argv)
		{
			prctl(PR_SET_NAME, argc > 1 ? argv[1] : "plain");
			for (int i = 0; i < 400; i++)
				leaf(30000);
			return 0;
		}
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -o w w.c
	"$PERF" record -q -o chains -e cpu-clock -F 5000 -g ./w $'two\twords\\' >/dev/null
	"$PERF" record -q -o traces -e sched:sched_process_exec,sched:sched_process_fork,sched:sched_switch \
		sh -c './w; :' >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	make="$BATS_TEST_DIRNAME/make-samples"
}

# python SCRIPT: rows of stdin are the list "rows"
rows() {
	python3 -c "
import json, sys
def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
rows = [json.loads(line, object_pairs_hook=once) for line in sys.stdin]
$1"
}

@test "--json has what the text has" {
	"$PERF" script -i chains -G --ns -F pid,tid,time,event,period,ip,sym,symoff,dso >text
	"$PERF" script -i chains -G --json | rows '
for r in rows:
    place = r.get("sym", "[unknown]") + ("+0x%x" % r["symoff"] if "sym" in r else "")
    print("%5d/%-5d %5d.%09d: %10d %s: %16s %s (%s)" % (r["pid"], r["tid"], r["time"] // 10**9,
          r["time"] % 10**9, r["period"], r["event"], r["ip"][2:], place, r.get("dso", "[unknown]")))' >again
	[ "$(wc -l <text)" -gt 10 ]
	sed 's/  *$//; s/ \([^ ]*\): *\([0-9a-f]* [^ ]* (\)/ \1: \2/' text | tr -s ' ' >a
	sed 's/  *$//' again | tr -s ' ' >b
	cmp a b
}

@test "comms with blanks, tabs, backslashes are whole, in both forms" {
	"$PERF" script -i chains --json | rows '
names = {r["comm"] for r in rows}
assert "two\twords\\" in names, names'
	"$PERF" script -i chains --tsv | cut -f2 | grep -qxF 'two\twords\\'
	[ "$("$PERF" script -i chains --tsv | awk -F'\t' '{ print NF }' | sort -u | wc -l)" -eq 1 ]
}

@test "call chains: leaf first, inlined functions marked, as the text has them" {
	"$PERF" script -i chains -F ip,sym,srcline --json | rows '
for r in rows:
    assert all(f["ip"].startswith("0x") for f in r["callchain"])
    assert r["callchain"][0]["ip"] == r["ip"], r
# the dynamic linker has inlined functions, too
inlined = [r for r in rows if r["callchain"][0].get("inlined") and "leaf" in [f.get("sym") for f in r["callchain"]]]
assert inlined and all(r["callchain"][0]["sym"] == "inner" and r["callchain"][1]["sym"] == "leaf" for r in inlined)
assert all(r["callchain"][0]["srcline"].startswith("w.c:") for r in inlined)'
	"$PERF" script -i chains --tsv | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["sym"] == "leaf" { n++; if ($at["callchain"] !~ /^leaf;main;/) exit 1 }
		END { exit !n }'
}

@test "tracepoints: text, and each field with its type" {
	"$PERF" script -i traces -F trace >text
	"$PERF" script -i traces --json | rows '
for r in rows:
    print(r["trace"])
    f = r["fields"]
    if r["event"] == "sched:sched_switch":
        assert r["trace"].startswith("prev_comm=%s prev_pid=%d prev_prio=%d " % (f["prev_comm"], f["prev_pid"], f["prev_prio"]))
    if r["event"] == "sched:sched_process_exec":
        assert f["pid"] == r["pid"] and f["filename"] in r["trace"], r' >again
	diff <(sed 's/^ *//; s/ *$//' text) <(sed 's/^ *//; s/ *$//' again)
	grep -q filename= again
}

@test "memory samples, registers, branches: numbers as the text has them" {
	"$make" memory memory
	"$PERF" script -i memory -F addr,weight,data_src,phys_addr 2>/dev/null >text
	"$PERF" script -i memory --json 2>/dev/null | rows '
for r in rows:
    print(r["addr"][2:], r["data_src"][2:], r["data_src_text"], r["weight"], r["phys_addr"][2:])' >again
	[ "$(wc -l <again)" -gt 50 ]
	diff <(tr -s ' ' <text | sed 's/^ //; s/ $//') <(tr -s ' ' <again | sed 's/ $//')
	"$make" registers registers
	"$PERF" script -i registers -F uregs 2>/dev/null | grep -oE '[A-Za-z0-9]+:0x[0-9a-f]+' >text
	"$PERF" script -i registers -F uregs --json 2>/dev/null | rows '
for r in rows:
    for name, value in r.get("uregs", {}).items():
        print(name + ":" + value)' >again
	[ -s again ]
	cmp text again
	"$make" branches branches
	"$PERF" script -i branches -F brstack 2>/dev/null | tr ' ' '\n' | grep / >text
	"$PERF" script -i branches -F brstack --json 2>/dev/null | rows '
for r in rows:
    for b in r["brstack"]:
        p = b.get("predicted")
        print("%s/%s/%s/%s/%s/%d/%s" % (b["from"], b["to"], "-" if p is None else "P" if p else "M",
              "X" if b.get("in_tx") else "-", "A" if b.get("abort") else "-", b.get("cycles", 0), b.get("type", "")))' >again
	diff text again
}

@test "--tsv: -F chooses the columns; the head names them" {
	[ "$("$PERF" script -i chains --tsv -F comm,time,period | head -n 1)" = $'comm\ttime\tperiod' ]
	"$PERF" script -i traces --tsv | head -n 1 | grep -qx $'event\tcomm\tpid\ttid\tcpu\ttime\ttrace\|event\tcomm\tpid\ttid\ttime\ttrace'
}

@test "other records as objects" {
	"$PERF" script -i chains --show-task-events --show-mmap-events --json | rows '
kinds = {r.get("record") for r in rows}
assert {"PERF_RECORD_COMM", "PERF_RECORD_MMAP2", None} <= kinds, kinds
exec_ = [r for r in rows if r.get("record") == "PERF_RECORD_COMM" and " exec" in r["text"]]
assert exec_ and exec_[0]["text"].startswith("PERF_RECORD_COMM exec: "), exec_'
	run -129 "$PERF" script -i chains --tsv --show-task-events
	run -129 "$PERF" script -i chains --json -D
	run -129 "$PERF" script -i chains --tsv --header
}

@test "filters and --per-event-dump hold for rows, too" {
	n=$("$PERF" script -i chains -G -S leaf | wc -l)
	[ "$("$PERF" script -i chains -G -S leaf --json | wc -l)" -eq "$n" ]
	rm -f traces.*.dump
	"$PERF" script -i traces --json --per-event-dump >/dev/null
	[ "$(cat traces.*.dump | wc -l)" -eq "$("$PERF" script -i traces | wc -l)" ]
	cat traces.*.dump | rows 'assert rows'
}

@test "JSON has the bytes of names that are no UTF-8: of programs, objects, functions, fields, records" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	mkdir -p $'d\xfe'
	cp w $'d\xfe/w\xff'
	"$PERF" record -q -o bytes -e cpu-clock,sched:sched_process_exec -g $'d\xfe/w\xff' $'w\xff' >/dev/null
	"$PERF" script -i bytes --json --show-task-events | iconv -f utf-8 -t utf-8 | rows '
def raw(of, name): return bytes.fromhex(of[name + "_bytes"])
mine = [r for r in rows if r.get("comm") == "w\ufffd"]
assert mine and all(raw(r, "comm") == b"w\xff" for r in mine)
places = [r for r in mine if r.get("sym") == "leaf"]
assert places and all(raw(r, "dso").endswith(b"/d\xfe/w\xff") for r in places), mine
assert any(raw(f, "dso").endswith(b"/w\xff") for r in places for f in r["callchain"] if "dso_bytes" in f), places
fields = [r for r in mine if "filename" in r.get("fields", {})]
assert fields and all(r["fields"]["filename"] == "d\ufffd/w\ufffd" and
                      bytes.fromhex(r["fields_bytes"]["filename"]) == b"d\xfe/w\xff" for r in fields), mine
records = [r for r in rows if r.get("record") == "PERF_RECORD_COMM" and r["comm"] == "w\ufffd"]
assert records and all(b"w\xff" in raw(r, "text") and raw(r, "comm") == b"w\xff" for r in records), records'
}

@test "names that are no UTF-8 and control characters make valid JSON" {
	"$PERF" record -q -o odd -e cpu-clock ./w $'\xff\x1b[31m"' >/dev/null
	"$PERF" script -i odd --json | iconv -f utf-8 -t utf-8 | rows '
odd = [r for r in rows if r["comm"] == "\ufffd\x1b[31m\""]
assert odd and all(bytes.fromhex(r["comm_bytes"]) == b"\xff\x1b[31m\"" for r in odd), rows
assert not any("comm_bytes" in r for r in rows if "\ufffd" not in r["comm"])'
	"$PERF" script -i odd --tsv >out
	! grep -qP '\x1b' out || return 1
}

@test "--json and --tsv exclude each other" {
	run -129 "$PERF" script -i nosuch --json --tsv
	[[ "$output" == "error: --json and --tsv exclude each other"* ]]
}
