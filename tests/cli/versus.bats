#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it needs a compiler.
# perf stat --versus and perf bench --compare: the arithmetic against Python's, ends, failures, what is refused.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	# pages N: touches that many pages more, which is a count without noise
	cat >pages.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>

		int main(int argc, char **argv)
		{
			size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) * 4096 : 0;
			char *p = size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;

			if (p) {
				madvise(p, size, MADV_NOHUGEPAGE);
				for (size_t i = 0; i < size; i += 4096)
					p[i] = 1;
			}
			return 0;
		}
	END
	gcc -O1 -o pages pages.c
	# turn FILE A B: A pages in its odd runs, B in the even ones
	cat >turn <<-END
		#!/bin/sh
		echo >>"\$1"
		[ \$((\$(wc -l <"\$1") % 2)) = 1 ] || shift
		exec "$BATS_FILE_TMPDIR/pages" "\$2"
	END
	# fails FILE N: ends with 7 in its Nth run
	cat >fails <<-'END'
		#!/bin/sh
		echo >>"$1"
		[ "$(wc -l <"$1")" != "$2" ] || exit 7
	END
	chmod +x turn fails
	cat >check.py <<-'END'
		import json, math, sys

		def density(t, n):
		    return math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(n * math.pi) * (1 + t * t / n) ** (-(n + 1) / 2)

		def quantile(n):
		    """t of 95 %, by Simpson's rule over the density"""
		    low, high = 0.0, 20.0
		    for _ in range(60):
		        t, steps = (low + high) / 2, 2000
		        h = t / steps
		        area = density(0, n) + density(t, n) + sum((4 if i % 2 else 2) * density(i * h, n) for i in range(1, steps))
		        if 2 * area * h / 3 < 0.95:
		            low = t
		        else:
		            high = t
		    return low

		def mean(v):
		    return math.fsum(v) / len(v)

		def variance(v):
		    m = mean(v)
		    return math.fsum((x - m) ** 2 for x in v) / (len(v) - 1)

		def close(a, b, what):
		    if not math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6):
		        sys.exit(f"{what}: {a} is not {b}")

		def on_edge(base, other, ratio, t, what):
		    """Fieller: other - ratio * base is just so far from 0"""
		    d = [y - ratio * x for x, y in zip(base, other)]
		    off = abs(mean(d)) / (t * math.sqrt(variance(d) / len(d)))
		    if not math.isclose(off, 1, rel_tol=1e-3):
		        sys.exit(f"{what}: {off} of the interval")
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export PATH=$BATS_FILE_TMPDIR:$PATH
	top=$BATS_TEST_DIRNAME/../..
}

teardown() {
	end_jobs
}

@test "-j: means, differences and intervals follow from the single pairs" {
	"$PERF" stat --versus 'turn a 20 30' --versus 'pages 500' -r 12 -e page-faults,task-clock -j -o out -- turn b 20 100
	"$PERF" stat --versus 'pages 1' -r 4 -e page-faults -x';' -o csv -- pages 300
	cat out csv
	cat "$BATS_FILE_TMPDIR/check.py" - >it.py <<-'END'
		rows = [json.loads(line) for line in open("out")]
		runs = [r for r in rows if "pair" in r]
		results = [r for r in rows if "verdict" in r]
		last = rows[-1]
		assert last["pairs"] == 12 and last["ended-by"] == "repeat" and last["failures"] == [0, 0, 0], last
		assert len(runs) == 36 and len(results) == 2 * 5, len(results)
		for pair in range(1, 13):
		    places = {r["rival"]: r["position"] for r in runs if r["pair"] == pair}
		    assert sorted(places.values()) == [1, 2, 3], places
		    if pair % 2 == 0:
		        # backwards
		        assert all(before[k] + places[k] == 4 for k in places), (before, places)
		    before = places
		t = quantile(11)
		close(last["quantile"], t, "t")
		for r in results:
		    event, what = r["event"], f"{r['event']} of {r['rival']}"
		    base = [x["values"][event] for x in runs if x["rival"] == 0]
		    other = [x["values"][event] for x in runs if x["rival"] == r["rival"]]
		    d = [y - x for x, y in zip(base, other)]
		    half = t * math.sqrt(variance(d) / 12)
		    assert r["pairs"] == 12
		    for key, value in (("baseline-mean", mean(base)), ("rival-mean", mean(other)), ("difference", mean(d)),
		                       ("difference-low", mean(d) - half), ("difference-high", mean(d) + half)):
		        close(r[key], value, f"{what}: {key}")
		    shown = 1 if mean(d) - half > 0 else -1 if mean(d) + half < 0 else 0
		    words = ("faster", "", "slower") if "time" in event or event == "task-clock" else ("fewer", "", "more")
		    assert r["verdict"] == words[shown + 1], r
		    if r["change-percent"] is None:
		        # the baseline's own interval, by the same t, holds 0
		        assert mean(base) <= t * math.sqrt(variance(base) / 12), r
		        continue
		    close(r["change-percent"], 100 * (mean(other) / mean(base) - 1), f"{what}: change")
		    if variance(d) > 1e-9:
		        on_edge(base, other, 1 + r["change-low-percent"] / 100, t, what)
		        on_edge(base, other, 1 + r["change-high-percent"] / 100, t, what)
		faults = {r["rival"]: r for r in results if r["event"] == "page-faults"}
		# 20 and 30 against 20 and 100; 500 against these
		assert faults[1]["verdict"] == "fewer" and -40 < faults[1]["difference"] < -30, faults[1]
		assert faults[2]["verdict"] == "more", faults[2]

		# rival;event;unit;pairs;means;difference, low, high;change, low, high;verdict
		csv = {f[1]: f for f in (line.rstrip("\n").split(";") for line in open("csv") if ";" in line)}
		assert list(csv) == ["duration_time", "user_time", "system_time", "page-faults"], csv
		f = csv["page-faults"]
		assert f[0] == "'pages 1'" and f[2] == "" and f[3] == "4" and f[12] == "fewer" and len(f) == 13, f
		base, other, difference, low, high = map(float, f[4:9])
		close(difference, other - base, "difference")
		assert -302 < difference < -296 and low <= difference <= high < 0
		close(float(f[9]), round(100 * (other / base - 1), 4), "change")
	END
	python3 it.py
}

@test "without -r the width ends it at a checkpoint and two pairs later, or --max-time after ten" {
	"$PERF" stat --versus 'pages 5' --within 100000% -n -j -o out -- pages 5
	tail -n 1 out
	grep -q '"pairs" : 12, .*"ended-by" : "within", .*"quantile" : 2.262157' out
	# a width that no comparison reaches
	"$PERF" stat --versus 'pages 5' --within 0.0001% --max-time 1ms -n -j -o out -- pages 5
	tail -n 1 out
	grep -q '"pairs" : 10, .*"ended-by" : "max-time", .*"quantile" : 2.262157' out
	"$PERF" stat --versus 'pages 5' --within 0.0001% --max-time 1ms -n -o out -- pages 5
	grep -q '^ 10 pairs in .* after a warm-up run of each command: --max-time has passed (--within 0.0001%)$' out
	# the event of --fail-above is what must be narrow
	"$PERF" stat --versus 'pages 1000' --within 5% --fail-above page-faults:1000% -j -e page-faults -o out -- pages 900
	tail -n 1 out
	grep -q '"pairs" : 12, .*"ended-by" : "within"' out
}

@test "--fail-above: 3 where all of the interval is above, 0 below it and where it is not decided" {
	run -3 --separate-stderr "$PERF" stat --versus 'pages 400' --versus 'pages 5' -r 4 --fail-above page-faults:20% -o out -- pages 100
	[[ "$stderr" == *"warning: --fail-above page-faults:20% does not hold for 'pages 400': +"*"% (+"*"% to +"*"%)"* ]]
	[[ "$stderr" != *"'pages 5'"* ]]
	grep -q "^ 'pages 400' has more by page-faults: " out
	# not printing changes nothing
	run -3 "$PERF" stat --quiet --versus 'pages 400' -r 4 --fail-above page-faults:20 -- pages 100
	run -0 --separate-stderr "$PERF" stat --versus 'pages 400' -r 4 --fail-above page-faults:1000% -o out -- pages 100
	[[ "$stderr" != *fail-above* ]]
	# 500 and 900 against 400, each beside some hundred of the shell: an interval that is wide
	run -0 --separate-stderr "$PERF" stat --versus 'turn a 500 900' -r 6 --fail-above page-faults:30% -o out -- turn b 400 400
	[[ "$stderr" == *"warning: --fail-above page-faults:30% is not decided for 'turn a 500 900': "* ]]
	# wall time is what a percentage alone means
	run -0 "$PERF" stat --versus 'pages 5' -r 2 -n --fail-above 10000000% -o out -- pages 5
	run -129 "$PERF" stat --versus 'pages 5' --fail-above page-fault:2% -- pages 5
	[[ "$output" == *"error: --fail-above: 'page-fault' is not counted"*"hint: did you mean 'page-faults'?"* ]]
	for wrong in x page-faults: :2% page-faults:x 2%%; do
		run -129 "$PERF" stat --versus 'pages 5' --fail-above "$wrong" -- pages 5
		[[ "$output" == *"error: --fail-above: '$wrong' is not an event and a percentage"*"hint: give EVENT:PERCENT"* ]]
	done
}

@test "a command that fails ends it with its status, and nothing is claimed" {
	# its third run is that of the second pair
	run -7 "$PERF" stat --versus 'fails a 3' -r 5 -- pages 5
	[ "${lines[0]}" = "error: 'fails a 3' ended with status 7 in pair 2, so nothing is compared" ]
	[[ "${lines[1]}" == "hint: --show-output shows what it prints; --ignore-failure compares commands that fail" ]]
	[ "${#lines[@]}" -eq 2 ]
	run -7 "$PERF" stat --versus 'pages 5' -j -r 5 --fail-above 1% -- fails b 1
	[[ "${lines[0]}" == "error: 'fails b 1' ended with status 7 in its warm-up run"* ]]
	[ "${#lines[@]}" -eq 2 ]
	run -137 "$PERF" stat --versus "sh -c 'kill -9 \$\$'" -- pages 5
	[[ "${lines[0]}" == *" was ended by signal 9 in its warm-up run, so nothing is compared" ]]
	run -127 "$PERF" stat --versus ./missing -- pages 5
	[ "${lines[0]}" = "error: cannot run './missing': No such file or directory" ]
	# told to, it goes on, and counts them
	run -0 "$PERF" stat --versus 'fails c 3' -r 5 --ignore-failure -o out -- pages 5
	grep -q "^ failures: 1 of 5 runs of 'fails c 3' did not end with status 0, the last with 7$" out
	run -0 "$PERF" stat --versus false -r 3 --ignore-failure -n -j -o out -- true
	grep -q '"failures" : \[0, 3\]' out
	[ "$(grep -c '"rival" : 1, "position" : [12], "status" : 1, ' out)" -eq 3 ]
}

@test "the rival is split into words without a shell" {
	printf '#!/bin/sh\nprintf "<%%s>" "$@" >words\n' >show
	chmod +x show
	"$PERF" stat --versus "./show a 'b  c' \"d'e\" f\\ g \$HOME ;*" -r 2 -n -o out -- true
	[ "$(cat words)" = "<a><b  c><d'e><f g><\$HOME><;*>" ]
	for wrong in "pages 'x" 'pages "x'; do
		run -129 "$PERF" stat --versus "$wrong" -- pages 5
		[[ "${lines[0]}" == "error: --versus: '$wrong' has a quote that is not closed" ]]
		[[ "${lines[1]}" == "hint: give the rival as one word of the shell: "* ]]
	done
	run -129 "$PERF" stat --versus ' ' -- pages 5
	[ "${lines[0]}" = "error: --versus: ' ' has no command" ]
	# names that could control the terminal are shown as text
	run -0 "$PERF" stat --versus $'pages 5 \e[31m' -r 2 -n -- pages 5
	[[ "$output" == *'pages 5 \x1b[31m'* && "$output" != *$'\e'* ]]
}

@test "commands write to /dev/null and read from it, unless --show-output shows what they write" {
	run -0 --separate-stderr "$PERF" stat --versus 'echo rival' -r 2 -n -o out -- sh -c 'echo base; echo err >&2'
	[ -z "$output$stderr" ]
	run -0 --separate-stderr "$PERF" stat --versus 'echo rival' -r 2 -n -o out --show-output -- sh -c 'echo base; echo err >&2'
	# with the warm-up
	[ "$(grep -cx rival <<<"$output")" -eq 3 ]
	[ "$(grep -cx base <<<"$output")" -eq 3 ]
	[ "$(grep -cx err <<<"$stderr")" -eq 3 ]
	printf 'kept\n' | { "$PERF" stat --versus cat -r 2 -n -o out --show-output -- cat >all; cat >rest; }
	[ ! -s all ]
	[ "$(cat rest)" = kept ]
}

@test "text, Markdown, -o, --append, --pre, --post, --hide-zero-events" {
	"$PERF" stat --versus 'pages 50' -r 4 -e page-faults,cpu-migrations --pre 'echo pre >>log' --post 'echo post >>log' -o out -- pages 5
	cat out
	# a warm-up run and four of each command
	[ "$(tr '\n' ' ' <log)" = "$(printf 'pre post %.0s' 1 2 3 4 5 6 7 8 9 10)" ]
	grep -q "^ 'pages 50' against 'pages 5' (4 pairs of runs):$" out
	grep -qE '^#   Baseline +Rival +Change +95% interval  Event' out
	grep -qE '^ +[0-9.]+ msec +[0-9.]+ msec +[-+0-9.%]+ .*  duration_time ' out
	# of about a hundred faults and 45 more
	awk '/page-faults +more$/ { found = 1; if ($2 - $1 < 43 || $2 - $1 > 47 || $3 + 0 < 100 * ($2 / $1 - 1) - 0.1 || $3 + 0 > 100 * ($2 / $1 - 1) + 0.1) bad = 1 }
		END { exit !found || bad }' out
	grep -q "^ 4 pairs in [0-9.]* s, after a warm-up run of each command: as -r says$" out
	"$PERF" stat --versus 'pages 50' -r 2 -e page-faults --markdown -o out --append -- pages '5|6'
	[ "$(grep -c 'pairs of runs' out)" -eq 2 ]
	grep -qxF "\`\`'pages 50'\`\` against \`\`'pages 5/6'\`\` (2 pairs of runs):" out
	grep -qxF '|---:|---:|---:|---:|:---|:---|' out
	[ "$(grep -c '^| ' out)" -eq 5 ]
	[ "$(grep '^| ' out | tr -cd '|\n' | sort -u)" = '|||||||' ]
	grep -q '^- 2 pairs in ' out
	# user space alone never migrates
	"$PERF" stat --versus 'pages 50' -r 2 -e page-faults,alignment-faults --hide-zero-events -x, -o out -- pages 5
	grep -q ',page-faults,' out
	run ! grep -q ',alignment-faults,' out
	"$PERF" stat --versus 'pages 50' -r 2 -e page-faults,alignment-faults -x, -o out -- pages 5
	grep -q ',alignment-faults,,2,0,0,0,0,0,,,,$' out
}

@test "outliers are named, and counted in the mean" {
	# 500 pages in one of twelve runs, and else 3 to 5
	cat >odd <<-END
		#!/bin/sh
		echo >>odd.log
		n=\$(wc -l <odd.log)
		[ \$n = 7 ] && exec pages 500
		exec pages \$((3 + n % 3))
	END
	chmod +x odd
	"$PERF" stat --versus ./odd -r 12 -e page-faults --fail-above page-faults:100000% -o out -- pages 5
	cat out
	grep -qE "^ outliers: 1 of 12 runs of './odd', up to [0-9.]+ times its median of page-faults; they are counted$" out
	rm odd.log
	"$PERF" stat --versus ./odd -r 12 -e page-faults -j -o out -- pages 5
	python3 - <<-'END'
		import json
		rows = [json.loads(line) for line in open("out")]
		values = [r["values"]["page-faults"] for r in rows if r.get("rival") == 1 and "pair" in r]
		row = [r for r in rows if r.get("event") == "page-faults"][0]
		assert row["rival-outliers"] == 1 and max(values) - 400 > min(values), row
		assert abs(row["rival-mean"] - sum(values) / 12) < 1e-6, row
	END
}

@test "the short forms of --verbose mean that" {
	for form in --v --ve --ver --verb; do
		run -0 --separate-stderr "$PERF" stat $form -e page-faults -o out -- pages 5
		grep -q ' page-faults' out
	done
}

@test "without hardware counters it compares times and software events, and says so" {
	[ -z "$(find /sys/bus/event_source/devices/ -name 'cpu*' -o -name 'armv*')" ] || skip "this machine has a PMU"
	run -0 --separate-stderr "$PERF" stat --versus 'pages 5' -r 2 -o out -- pages 5
	[[ "$stderr" == *"warning: compared by times and software events, without cycles, instructions, branches, branch-misses: "* ]]
	grep -q ' task-clock ' out
	grep -q ' user_time ' out
	run ! grep -q ' cycles ' out
	run -1 "$PERF" stat --versus 'pages 5' -r 2 --fail-above cycles:2% -- pages 5
	[[ "${lines[0]}" == "error: --fail-above: 'cycles' cannot be counted here" ]]
	[[ "${lines[1]}" == "hint: "*"; judge duration_time, user_time or task-clock" ]]
}

@test "a signal ends it: what was complete is printed, and perf dies by the signal" {
	"$PERF" stat --versus 'turn a 5 5' -r 1000 -j -n -o out -- turn b 5 5 3>&- &
	local perf=$! code=0
	until_true eval '[ "$(wc -l <a)" -ge 6 ]'
	kill -TERM $perf
	wait $perf || code=$?
	[ $code -eq 143 ]
	tail -n 1 out
	grep -q '"ended-by" : "signal"' out
	[ "$(grep -c '"pair" : ' out)" -eq $((2 * $(sed -n 's/.*"pairs" : \([0-9]*\), "seconds".*/\1/p' out))) ]
}

@test "what cannot be compared is refused, each with its reason" {
	refused() { # PATTERN OPTION...
		local pattern=$1
		shift
		run -129 "$PERF" stat --versus true "$@" -- true
		[[ "${lines[0]}" == "error: "$pattern ]] || { echo "$*: $output"; return 1; }
	}
	refused '-a counts all CPUs, *' -a
	refused '-C counts CPUs, *' -C 0
	refused '-p counts *' -p 1
	refused '-t counts *' -t 1
	refused '-u counts *' -u 0
	refused 'cgroups are counted on CPUs, *' --for-each-cgroup /
	refused '-b counts *' -b 1
	refused '--versus compares sums: *' -A
	refused '--versus compares sums: *' --per-socket
	refused '-I shows parts of a run, *' -I 100
	refused '--timeout cuts *' --timeout 100
	refused '-D counts a part *' -D 10
	refused '--control changes *' --control fd:9
	refused '--versus compares events, *' -M foo
	refused '--versus compares events, *' --topdown
	refused '--versus compares events, *' --metric-only
	refused '--versus opens counters *' --bpf-counters
	refused '--versus has tables *' --table -r 2
	refused '--versus has tables *' --no-merge
	refused '-r says how many *' -r 3 --within 1%
	refused '-r says how many *' -r 3 --max-time 1
	refused '--versus needs at least 2 pairs*' -r 1
	refused '--versus needs at least 2 pairs*' -r 0
	refused '--markdown, -j and -x *' -j --markdown
	refused '-j and -x are two forms *' -j -x,
	refused "option '--within': '0' *" --within 0
	refused "option '--within': 'x%' *" --within x%
	refused "option '--max-time': 'x' *" --max-time x
	run -129 "$PERF" stat --versus true
	[[ "${lines[0]}" == "error: --versus needs a command to compare with: "* ]]
	run -129 "$PERF" stat record --versus true -- true
	[[ "${lines[0]}" == "error: perf stat record writes one run, "* ]]
	run -129 "$PERF" stat report --versus true
	[[ "$output" == "error: option '--versus': --versus runs commands, and a recording has none to run"* ]]
	for alone in "--within 1%" "--max-time 1" "--fail-above 2%" --show-output --ignore-failure --markdown; do
		# shellcheck disable=SC2086
		run -129 "$PERF" stat $alone true
		[[ "${lines[0]}" == "error: --within, "*" need --versus" ]]
	done
	[ ! -e perf.data ]
}

# FILE BENCHMARK VALUE...: one run of perf bench --json for each value
made() {
	local file=$1 benchmark=$2 value
	shift 2
	for value; do
		printf '{"benchmark": "%s", "metrics": [{"name": "total-time", "value": %s, "unit": "sec"}, {"name": "rate", "value": %s, "unit": "1/sec"}, {"name": "rate", "value": 5, "unit": "1/sec"}]}\n' \
			"$benchmark" "$value" "$(awk "BEGIN { print 1 / $value }")"
	done >>"$file"
}

@test "bench --compare: Welch's interval of made-up runs, as Python works it out" {
	made A x/y 1.02 0.99 1.01 1.00 1.03
	made B x/y 1.10 1.14 1.08 1.12
	"$PERF" bench --json --compare A B >out
	cat out
	cat "$BATS_FILE_TMPDIR/check.py" - >it.py <<-'END'
		rows = {(r["name"], r["number"]): r for r in map(json.loads, open("out"))}
		assert len(rows) == 3, rows
		a, b = [1.02, 0.99, 1.01, 1.00, 1.03], [1.10, 1.14, 1.08, 1.12]
		r = rows["total-time", 1]
		va, vb = variance(a) / 5, variance(b) / 4
		t = quantile(int((va + vb) ** 2 / (va ** 2 / 4 + vb ** 2 / 3)))
		d, half = mean(b) - mean(a), t * math.sqrt(va + vb)
		assert r["runs"] == [5, 4] and r["verdict"] == "slower", r
		close(r["difference"], d, "difference")
		close(r["difference-low"], d - half, "low")
		close(r["difference-high"], d + half, "high")
		for key in "low", "high":
		    ratio = 1 + r[f"change-{key}-percent"] / 100
		    close(abs(mean(b) - ratio * mean(a)), t * math.sqrt(vb + ratio * ratio * va), key)
		# less done in a second is slower as well, and equal values show nothing
		assert rows["rate", 1]["verdict"] == "slower" and rows["rate", 1]["difference"] < 0
		assert rows["rate", 2]["verdict"] == "" and rows["rate", 2]["difference-high"] == 0
	END
	python3 it.py
	run -0 "$PERF" bench --compare A B
	grep -qE '^  x/y total-time +sec +5, 4 +1\.01 +1\.11 +\+9\.90% +\+[0-9.]+% to \+[0-9.]+%  slower$' <<<"$output"
	run -0 "$PERF" bench --compare B A
	grep -qE '^  x/y total-time .*-9\.01% .*  faster$' <<<"$output"
}

@test "bench --compare reads what bench --json writes, and refuses the rest" {
	"$PERF" bench --json syscall basic -l 100 >A
	"$PERF" bench --json syscall basic -l 100 >B
	run -0 "$PERF" bench --compare A B
	grep -qE '^  syscall/basic total-time +sec +1, 1 .*  one run says nothing about chance$' <<<"$output"
	"$PERF" bench --json syscall basic -l 100 >>A
	"$PERF" bench --json syscall basic -l 100 >>B
	run -0 "$PERF" bench --compare A B
	[[ "$output" != *"one run"* ]]
	made A only/a 1
	made B only/b 1
	run -0 --separate-stderr "$PERF" bench --compare A B
	grep -q "^warning: only 'A' has total-time of only/a$" <<<"$stderr"
	grep -q "^warning: only 'B' has rate of only/b$" <<<"$stderr"
	made C only/c 1
	run -1 "$PERF" bench --compare A C
	[[ "$output" == *"error: 'A' and 'C' have no metric in common"* ]]
	: >empty
	run -1 "$PERF" bench --compare empty B
	[[ "${lines[0]}" == "error: 'empty' is empty" ]]
	run -1 "$PERF" bench --compare A missing
	[[ "${lines[0]}" == "error: "*"'missing': No such file or directory" ]]
	# cut at any place, and other texts
	line=$(head -n 1 A)
	for i in 1 10 20 40 60 $((${#line} - 1)); do
		{ cat B; printf '%s\n' "${line:0:i}"; } >cut
		run -1 "$PERF" bench --compare B cut
		[[ "${lines[0]}" == "error: 'cut', line 4, is not from perf bench --json" ]] || { echo "$i: $output"; return 1; }
	done
	for wrong in '[]' '{"benchmark": "a", "metrics": [{"name": "b", "value": nan, "unit": "c"}]}' \
		'{"benchmark": "a", "metrics": [{"name": "b", "value": 1e999, "unit": "c"}]}' '{"benchmark": "a", "metrics": [,]}' 'x'; do
		printf '%s\n' "$wrong" >wrong
		run -1 "$PERF" bench --compare wrong B
		[[ "${lines[0]}" == "error: 'wrong', line 1, is not from perf bench --json" ]]
	done
	run -129 "$PERF" bench --compare A
	run -129 "$PERF" bench --compare A B C
	run -129 "$PERF" bench --format simple --compare A B
	[[ "${lines[0]}" == "error: --compare takes two files of perf bench --json, and no --format" ]]
}

@test "the trials say what they cannot run, and refuse what they do not know" {
	local python
	python=$(python3 -c 'import sys; print(sys.executable)')
	mkdir bin
	run -0 env PATH="$PWD/bin" CC="$(type -P gcc) -B$(dirname "$(type -P as)")" "$python" "$top/tests/trials/run" --perf "$PERF" hyperfine
	[ "$output" = "hyperfine: skipped: hyperfine is not installed (Debian package hyperfine)" ]
	run -2 "$python" "$top/tests/trials/run" other
	[[ "$output" == *"'other' is none of same, two, hyperfine"* ]]
}
