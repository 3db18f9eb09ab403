#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf c2c: every table against Debian's perf on the same accesses, and by arithmetic.

bats_require_minimum_version 1.5.0
RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	local make=$BATS_TEST_DIRNAME/make-c2c

	cat >fight.c <<-'X'
	int fight(int n) { int x = 0; for (int i = 0; i < n; i++) x += i * n; return x; }
	int a_function_whose_name_is_longer_than_its_column(int n) { return fight(n) * n + n / 3 - n % 7 + fight(n + 1); }
	int main(int n) { return a_function_whose_name_is_longer_than_its_column(n); }
	X
	gcc -g -O0 -static-pie -o fight fight.c
	"$make" intel
	"$make" --big-endian big
	"$make" --peer --arch aarch64 peer
	"$make" --plain --count 50 plain
	"$make" --of "$PWD/fight" --code "$(printf %x $((0x$(nm fight | awk '$3 ~ /^a_function/ { print $1 }') - 32)))" --count 300 sources
}

setup() {
	cd "$FILES"
}

# Columns are as wide as all rows need here, as each block needs in 6.1 (ledger: c2c-widths).
squeeze() {
	sed -E 's/ +/ /g; s/ $//; s/\.\.+/./g; s/-+/-/g'
}

# same OPTION...: what Debian's perf prints
same() {
	"$RIVAL" c2c report --stdio "$@" 2>/dev/null | squeeze >theirs
	"$PERF" c2c report --stdio "$@" 2>/dev/null | squeeze >ours
	[ -s theirs ]
	diff -u theirs ours
}

# The rows of the list of lines; of the accesses of line $1, without its heading.
lines() {
	sed -n '/Shared Data Cache Line Table/,/Distribution Pareto/p' "$1" | grep -E '^ +[0-9]+ +0x'
}
accesses() {
	awk -v want="$2" '/Distribution Pareto/ { on = 1 } on && /^ +-----/ { rule++; next }
		on && rule % 2 { line = $1; next } on && rule && !(rule % 2) && line == want && NF' "$1"
}

@test "every table is that of Debian's perf" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	for options in "" "-d tot" "-d lcl" "-d rmt" "-d peer" "-c pid" "-c tid" "-c dso" "-c pid,tid,iaddr" "-c dso,tid" \
		-N -NN -NNN --show-all --stats --full-symbols --no-source; do
		echo "$options"
		# shellcheck disable=SC2086
		same -i intel $options
	done
	for options in "" -N "-d tot"; do
		# shellcheck disable=SC2086
		same -i peer $options
	done
	same -i big
	same -i sources
	same -i sources --full-symbols
}

@test "totals add up" {
	"$PERF" c2c report --stdio -i intel >text
	value() { sed -n "s/^  $1 *: *\([0-9.]*\)%*$/\1/p" text | head -1; }
	[ "$(value 'Total records')" -eq 600 ]
	# every record is a load, a store, or neither
	[ $(($(value 'Load Operations') + $(value 'Store Operations') + $(value 'Unable to parse data source'))) -eq 600 ]
	[ $(($(value 'Load Local DRAM') + $(value 'Load Remote DRAM'))) -eq \
		$(($(value 'Load MESI State Exclusive') + $(value 'Load MESI State Shared'))) ]
	[ $(($(value 'Load Local DRAM') + $(value 'Load Remote DRAM') + $(value 'Load Remote HITM') + $(value 'Load Remote HIT'))) -eq \
		"$(value 'Load LLC Misses')" ]
	# the lines have all HITMs, and their shares are 100%
	lines text | awk -v hitm=$(($(value 'Load Local HITM') + $(value 'Load Remote HITM'))) '
		{ sum += $6; share += $5; if ($6 != $7 + $8) exit 1; if ($9 != $10 + $12 + $13 + $14) exit 1 }
		END { exit !(sum == hitm && share > 99.9 && share < 100.1) }'
	# in each line the accesses have all of its HITMs and stores, and ascend by offset
	for i in $(lines text | awk '{ print $1 }'); do
		# of stores that do not occur in the line, each access has 0%
		accesses text "$i" | awk 'function whole(x) { return x > 99.9 && x < 100.1 || x == 0 }
			{ rmt += $1; lcl += $2; hit += $3; miss += $4; na += $5 }
			length($6) < length(last) || (length($6) == length(last) && $6 < last) { exit 1 } { last = $6 }
			END { exit !(rmt > 99.9 && rmt < 100.1 && lcl > 99.9 && lcl < 100.1 &&
				whole(hit) && whole(miss) && whole(na)) }'
	done
	[ "$(lines text | wc -l)" -eq "$(value 'Total Shared Cache Lines')" ]
}

@test "--double-cl joins neighbours" {
	"$PERF" c2c report --stdio -i intel >one
	"$PERF" c2c report --stdio --double-cl -i intel >two
	# 0x...000 and 0x...040 of both heaps, and of the shared file: of 9 lines 6 are left
	[ "$(lines one | wc -l)" -eq 9 ]
	[ "$(lines two | wc -l)" -eq 6 ]
	[ "$(lines one | awk '{ n += $6 } END { print n }')" -eq "$(lines two | awk '{ n += $6 } END { print n }')" ]
	grep -qE ' 0x78 ' two
	! grep -qE ' 0x78 ' one || return 1
}

@test "source lines and functions" {
	"$PERF" c2c report --stdio -i sources >text
	accesses text 0 | grep -qE '\[\.\] fight +fight +fight.c:1 '
	accesses text 0 | grep -qE '\[\.\] a_function_whose_name_is_l +fight +fight.c:2 '
	"$PERF" c2c report --stdio -i sources --full-symbols |
		grep -qE '\[\.\] a_function_whose_name_is_longer_than_its_column +fight +fight.c:2 '
	"$PERF" c2c report --stdio --no-source -i sources >short
	! grep -q 'Source:Line' short || return 1
}

@test "a file that does not say its nodes is shown as one node" {
	run --separate-stderr "$PERF" c2c report --stdio -i plain
	[ "$status" -eq 0 ]
	[[ "$output" == *"Total records                     :         50"* ]]
	[[ "$stderr" == *"which CPU is on which node"* ]]
}

@test "record: events of the machine, addresses, CPUs" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir -p devices/cpu/events devices/cpu/format
	for d in /sys/bus/event_source/devices/*; do
		case ${d##*/} in cpu* | ibs_* | arm_spe*) continue ;; esac
		ln -sf "$(readlink -f "$d")" devices/
	done
	echo 4 >devices/cpu/type
	echo config1:0-15 >devices/cpu/format/ldlat
	echo config:0-7 >devices/cpu/format/event
	echo config:8-15 >devices/cpu/format/umask
	echo event=0xcd,umask=0x1,ldlat=3 >devices/cpu/events/mem-loads
	echo event=0xd0,umask=0x82 >devices/cpu/events/mem-stores
	on_machine() {
		unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && exec "$@"' sh "$PERF" "$@"
	}
	[ "$(on_machine c2c record -v --dry-run -l 50 -u -a -- sleep 1 2>&1 | sed -n 's/^note: calling: //p')" = \
		"record -W -d --phys-data --sample-cpu -e cpu/mem-loads,ldlat=50/P -e cpu/mem-stores/P --all-user --dry-run --all-cpus -- sleep 1" ]
	[ "$(on_machine c2c record -v --dry-run -e stores -k true 2>&1 | sed -n 's/^note: calling: //p')" = \
		"record -d --phys-data --sample-cpu -e cpu/mem-stores/P --all-kernel --dry-run -- true" ]
	run on_machine c2c record -e list
	[ "$output" = "ldlat-loads  : available
ldlat-stores : available" ]
}

@test "wrong ways to call it" {
	run "$PERF" c2c
	[ "$status" -eq 129 ]
	run "$PERF" c2c repor2
	[ "$status" -eq 129 ]
	run "$PERF" c2c report -i intel -d all
	[ "$status" -eq 129 ]
	[[ "$output" == *"--display: 'all' is not known"*"hint: tot, lcl, rmt or peer"* ]]
	run "$PERF" c2c report -i intel -c pid,comm
	[ "$status" -eq 129 ]
	[[ "$output" == *"--coalesce: 'comm' is not a key"* ]]
	run "$PERF" c2c report -i intel -c ,
	[ "$status" -eq 129 ]
	run "$PERF" c2c report -i intel extra
	[ "$status" -eq 129 ]
	run "$PERF" c2c report -i not-there
	[ "$status" -eq 1 ]
	run "$PERF" c2c report --tui -i intel </dev/null
	[ "$status" -eq 1 ]
	[[ "$output" == *"--tui needs a terminal"* ]]
}

@test "damaged files: each byte changed or the end cut off" {
	"$BATS_TEST_DIRNAME/make-damage" intel 40 7 240
	for f in bad[0-9]*; do
		"$PERF" c2c report --stdio -i "$f" >out 2>&1 || [ $? -eq 1 ] || { cat out; false; }
		"$PERF" mem -D -i "$f" >out 2>&1 || [ $? -eq 1 ]
	done
	rm bad[0-9]*
}

@test "a recording without samples of memory accesses is refused, and what records them is said" {
	"$PERF" record -q -e page-faults -c 1 -o faults true
	run "$PERF" c2c report --stdio -i faults
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: 'faults' has no samples of memory accesses"*"hint: "*"perf c2c record"* ]]
}

@test "-g: who called the code of each access" {
	cat >called.c <<-'X'
	__attribute__((noinline, noclone)) int leaf(int n) { return n * n + n / 3 - n % 7 + n / 11 - n % 13 + n / 17; }
	__attribute__((noinline, noclone)) int first(int n) { return leaf(n) + 1; }
	__attribute__((noinline, noclone)) int second(int n) { return leaf(n) + 2; }
	int main(int n) { return first(n) + second(n); }
	X
	gcc -O1 -o called called.c
	at() { nm called | awk -v name="$1" '$3 == name { print $1 }'; }
	"$BATS_TEST_DIRNAME/make-c2c" --of "$PWD/called" --code "$(at leaf)" \
		--callers "$(at first),$(at second),$(at main)" chains
	"$PERF" c2c report --stdio --show-all -g caller,0 -i chains >got
	# outermost first: main has all, and the parts of the others make it up
	awk '/^ +[0-9.]+%  main$/ { n++; if ($1 != "100.00%") exit 1 } END { exit !n }' got
	awk '/^ +[0-9.]+%  main$/ { if (n++ && sum < 99.97) exit 1; sum = 0 }
		/^ +[0-9.]+%  (first|second)$/ { sum += $1 } END { exit !(n && sum > 99.97) }' got
	# three accesses in four came through first
	"$PERF" c2c report --stdio --show-all -c dso -g caller,0 -i chains |
		awk '/%  first$/ { sum += $1 } /%  (first|second)$/ { all += $1 } END { exit !(sum / all > 0.70 && sum / all < 0.80) }'
	"$PERF" c2c report --stdio --show-all -g 0 -i chains >callee
	awk '/^ +[0-9.]+%  first$/ { first++ } /^ +[0-9.]+%  second$/ { second++ } END { exit !(first > second && second) }' callee
	[ "$(grep -c '^ *[0-9.]*%  main$' callee)" -gt "$(grep -c '^ *[0-9.]*%  main$' got)" ]
	# small branches are left out
	"$PERF" c2c report --stdio --show-all -g caller,100 -i chains >got
	run ! awk '/%  (first|second)$/ && $1 != "100.00%" { found = 1 } END { exit !found }' got
	# the tables themselves stay as they are
	"$PERF" c2c report --stdio --show-all -i chains >plain
	grep -vE '^ +[0-9.]+%  (main|first|second|leaf|\[unknown\])$' callee | diff - plain
	"$PERF" c2c report --stdio --show-all -g none -i chains | diff - plain
	run "$PERF" c2c report --stdio -g flat -i chains
	[ "$status" -eq 129 ]
	[[ "$output" == *"'flat' is not a way to show callers"* ]]
	run "$PERF" c2c report --stdio --stitch-lbr -i chains
	[ "$status" -eq 1 ]
	[[ "$output" == *"no call chains from branch registers"*"--call-graph lbr"* ]]
}

@test "damaged call chains" {
	"$BATS_TEST_DIRNAME/make-c2c" --count 40 --callers 2000,3000,4000 chains
	python3 - chains <<-'X'
	import subprocess, sys, os
	good = open(sys.argv[1], "rb").read()
	for at in range(400, len(good), 7):
	    bad = bytearray(good)
	    bad[at] ^= 0xff
	    open("bad", "wb").write(bad)
	    p = subprocess.run([os.environ["PERF"], "c2c", "report", "--stdio", "-g", "-i", "bad"], capture_output=True)
	    assert p.returncode in (0, 1), (at, p.returncode, p.stderr)
	X
}

@test "workers: one, two, three or seven of them add up the same" {
	for spread in 0 100000; do
		"$BATS_TEST_DIRNAME/make-c2c" --count 30000 --spread $spread wide
		for form in "" "-c pid,tid,iaddr,dso -NN --show-all" "-d rmt --double-cl" --stats; do
			PERF_WORKERS=1 "$PERF" c2c report --stdio -i wide $form >one
			for n in 2 3 7; do
				PERF_WORKERS=$n "$PERF" c2c report --stdio -i wide $form >several
				cmp one several
			done
		done
		# accesses of every line are in it
		[ "$(sed -n 's/^ *Total records *: *//p' one)" -eq 30000 ]
	done
}
