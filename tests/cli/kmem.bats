#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf kmem: sums of known allocations, forms of all kernels, the same tables as the system's perf.
bats_require_minimum_version 1.5.0

other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >eventfds.py <<-'END'
		import os, sys
		fds = [os.eventfd(0) for _ in range(int(sys.argv[1]))]
		for fd in fds[:int(sys.argv[2])]:
		    os.close(fd)
		os._exit(0) if len(sys.argv) < 4 else os.kill(os.getpid(), 9)
	END
	slab | "$BATS_TEST_DIRNAME/make-tracepoints" slab.data
	pages | "$BATS_TEST_DIRNAME/make-tracepoints" page.data
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	top=$BATS_TEST_DIRNAME/../..
}

# Three allocations of caller 1000 and two of caller 2000, on two nodes; two are freed.
slab() {
	cat <<-'END'
		nodes 0 1
		event kmem:kmalloc call_site:u64 ptr:ptr bytes_req:u64 bytes_alloc:u64 gfp_flags:u64 node:s32
		event kmem:kmem_cache_alloc call_site:u64 ptr:ptr name:text bytes_req:u64 bytes_alloc:u64 gfp_flags:u64 node:s32
		event kmem:kmalloc_node call_site:u64 ptr:ptr bytes_req:u64 bytes_alloc:u64 gfp_flags:u32 node:s32
		event kmem:kfree call_site:u64 ptr:ptr
		event kmem:kmem_cache_free call_site:u64 ptr:ptr name:text
		at 1000000000 0 7 kmem:kmalloc 0x1000 0xa0 100 128 0 -1
		at 2000000000 0 7 kmem:kmalloc 0x1000 0xb0 60 64 0 0
		at 3000000000 1 7 kmem:kfree 0x9 0xa0
		at 4000000000 0 7 kmem:kmem_cache_alloc 0x2000 0xc0 dentry 192 192 0 1
		at 5000000000 0 7 kmem:kmem_cache_free 0x9 0xc0 dentry
		at 5500000000 0 7 kmem:kmem_cache_free 0x9 0xc0 dentry
		at 6000000000 1 7 kmem:kmalloc_node 0x2000 0xd0 8 8 0 0
		at 7000000000 1 7 kmem:kmalloc 0x1000 0xa0 30 32 0 1
		at 8000000000 1 7 kmem:kfree 0x9 0xeeee
	END
}

# Blocks of order 0 and 2; the larger one comes back in parts, one of the others as a whole.
pages() {
	cat <<-'END'
		kernel 80000000 10000
		event kmem:mm_page_alloc pfn:u64 order:u32 gfp_flags:u64 migratetype:s32
		print "page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s", 0, REC->pfn, REC->order, REC->migratetype, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", { 0x3UL, "GFP_KERNEL" }, { 0x4UL, "__GFP_ZERO" }, { 0x8UL, "__GFP_NEWEST" } ) : "none"
		event kmem:mm_page_free pfn:u64 order:u32
		chain 80000010 80000210 80000310
		at 1000 0 7 kmem:mm_page_alloc 64 0 3 0
		chain 80000010 80000210 80000310
		at 2000 0 7 kmem:mm_page_alloc 128 2 7 1
		chain 80000010 80000410
		at 3000 0 7 kmem:mm_page_alloc 65 0 8 2
		chain 80000010 80000410
		at 3500 0 7 kmem:mm_page_alloc 0xffffffffffffffff 3 8 2
		at 4000 0 7 kmem:mm_page_free 65 0
		at 5000 0 7 kmem:mm_page_free 130 0
		at 6000 0 7 kmem:mm_page_free 4096 1
	END
}

symbols() {
	printf '%s\n' '0000000080000000 T __alloc_frozen_pages_noprof' '0000000080000200 T alloc_pages_noprof' \
		'0000000080000300 T maker' '0000000080000400 T other_maker' '0000000080000500 T end'
}

@test "slab: sums of what was asked for, given, wasted and freed; a second free counts nothing" {
	run -0 "$PERF" kmem -i slab.data stat
	grep -qx 'Total bytes requested: 390' <<<"$output"
	grep -qx 'Total bytes allocated: 424' <<<"$output"
	grep -qx 'Total bytes freed:     320' <<<"$output"
	grep -qx 'Net total bytes allocated: 104' <<<"$output"
	grep -qx 'Total bytes wasted on internal fragmentation: 34' <<<"$output"
	grep -qx 'Internal fragmentation: 8.018868%' <<<"$output"
	# nor where freed addresses are remembered for a table
	"$PERF" kmem -i slab.data --alloc stat | grep -qx 'Total bytes freed:     320'
	# two of five have a node of another CPU: 192 on CPU 0, 8 on CPU 1
	grep -qx 'Cross CPU allocations: 2/5' <<<"$output"
}

@test "slab: callers and addresses, with what was freed on another CPU" {
	run -0 "$PERF" kmem stat -i slab.data --caller --raw-ip
	[ "$(grep '^ 0x' <<<"$output" | tr -d ' |')" = "0x1000224/74190/633115.179%
0x2000200/100200/100200.000%" ]
	run -0 "$PERF" kmem stat -i slab.data --alloc -s ptr
	[ "$(grep -oE '^ 0x[a-f0-9]+' <<<"$output" | tr -d '\n')" = " 0xd0 0xc0 0xb0 0xa0" ]
	grep -qE '^ 0xa0 +\| +160/80 +\| +130/65 +\| +2 \| +1 \| 18.750%' <<<"$output"
}

@test "slab: --live is what is not freed" {
	run -0 "$PERF" kmem stat -i slab.data --caller --alloc --live --raw-ip
	grep -q 'Live_alloc/Per' <<<"$output"
	grep -qE '^ 0x1000 +\| +96/48 +\| +90/45 +\| +2 \|' <<<"$output"
	grep -qE '^ 0x2000 +\| +8/8 +\| +8/8 +\| +1 \|' <<<"$output"
	! grep -qE '^ 0xc0 ' <<<"$output" || return 1
}

@test "slab: an address that is given again was freed, and what failed is nothing" {
	"$BATS_TEST_DIRNAME/make-tracepoints" again.data <<-'END'
		event kmem:kmalloc call_site:u64 ptr:ptr bytes_req:u64 bytes_alloc:u64 gfp_flags:u64 node:s32
		event kmem:kfree call_site:u64 ptr:ptr
		at 1000 0 7 kmem:kmalloc 0x1000 0xa0 100 128 0 -1
		at 2000 0 7 kmem:kmalloc 0x1000 0xa0 60 64 0 -1
		at 3000 0 7 kmem:kmalloc 0x1000 0x0 60 64 0 -1
		at 4000 0 7 kmem:kmalloc 0x1000 0xb0 8 8 0 -1
	END
	run -0 "$PERF" kmem stat -i again.data --alloc --live
	grep -qx 'Total bytes allocated: 200' <<<"$output"
	grep -qx 'Total bytes freed:     128' <<<"$output"
	# the net total is that of the objects that live
	grep -qx 'Net total bytes allocated: 72' <<<"$output"
	[ "$(awk -F'[|/]' '/^ 0x/ { n += $2 } END { print n }' <<<"$output")" -eq 72 ]
}

@test "--sort, --line and --time" {
	run -0 "$PERF" kmem stat -i slab.data --caller -s hit,bytes -l 1 --raw-ip
	[ "$(grep -c '^ 0x' <<<"$output")" -eq 1 ]
	grep -q '^ \.\.\. ' <<<"$output"
	grep -q '^ 0x1000 ' <<<"$output"
	# each table has its own keys and lines
	run -0 "$PERF" kmem stat -i slab.data --caller -l 1 -s callsite --alloc -l 2 -s ptr --raw-ip
	[ "$(grep -oE '^ 0x[a-f0-9]+' <<<"$output" | tr -d '\n')" = " 0x2000 0xd0 0xc0" ]
	run -0 "$PERF" kmem stat -i slab.data --time 1.5,4.5
	grep -qx 'Total bytes allocated: 256' <<<"$output"
	grep -qx 'Total bytes freed:     0' <<<"$output"
}

@test "pages: callers are named by the first function that is not the allocator's" {
	symbols >ks
	run -0 "$PERF" kmem stat -i page.data --page --caller --kallsyms ks
	grep -qE '^ +16 \| +1 \| +2 \|  MOVABLE \| K\|Z +\| maker$' <<<"$output"
	grep -qE '^ +4 \| +1 \| +0 \| UNMOVABL \| K +\| maker$' <<<"$output"
	# a flag without a short form keeps its name
	grep -qE '^ +4 \| +1 \| +0 \|  RECLAIM \| __GFP_NEWEST \| other_maker$' <<<"$output"
	grep -qxE '# 00000007: +K\|Z: GFP_KERNEL\|__GFP_ZERO' <<<"$output"
}

@test "pages: requests, failures, and the orders by type" {
	run -0 "$PERF" kmem stat -i page.data --page
	[ "$(sed -n 's/^\(Total [a-z+-]* [a-z]*\) *: *\([0-9]*\)   \[ *\([0-9]*\) KB \]$/\1 \2 \3/p' <<<"$output")" = \
"Total allocation requests 4 56
Total free requests 3 16
Total alloc+freed requests 2 8
Total alloc-only requests 2 48
Total free-only requests 1 8
Total allocation failures 1 32" ]
	[ "$(grep -A3 '^-----' <<<"$output" | tail -3 | tr -s ' ')" = " 0 1 . 1 . .
 1 . . . . .
 2 . 1 . . ." ]
	# before 4.4 the types 1 and 2 were the other way round
	{ echo release 4.3.0; pages; } | "$BATS_TEST_DIRNAME/make-tracepoints" old.data
	run -0 "$PERF" kmem stat -i old.data --page --caller
	grep -qE '\| +2 \|  RECLAIM \| K\|Z' <<<"$output"
	grep -q '^Order     Unmovable   Reclaimable       Movable      Reserved' <<<"$output"
}

@test "pages: --live keeps what is left of a block of which a part was freed" {
	run -0 "$PERF" kmem stat -i page.data --page --alloc --live -s page
	[ "$(awk '/^ +[0-9]+ \|/ { print $1, $3, $7 }' <<<"$output")" = "131 4 0
128 8 1
64 4 0" ]
}

@test "pages: what is handed out again was freed unseen; what is left of a larger block lives" {
	{
		pages | head -4
		echo 'at 1000 0 7 kmem:mm_page_alloc 64 2 3 0' # 64 to 67
		echo 'at 2000 0 7 kmem:mm_page_alloc 66 0 3 0'
		echo 'at 3000 0 7 kmem:mm_page_alloc 128 0 3 0'
		echo 'at 4000 0 7 kmem:mm_page_alloc 130 0 3 0'
		echo 'at 5000 0 7 kmem:mm_page_alloc 128 1 3 0' # not 130
		echo 'at 6000 0 7 kmem:mm_page_alloc 66 0 3 0'
	} | "$BATS_TEST_DIRNAME/make-tracepoints" again.data
	run -0 "$PERF" kmem stat -i again.data --page --alloc --live -s page
	[ "$(awk '/^ +[0-9]+ \|/ { print $1, $3 }' <<<"$output" | sort -n)" = "64 8
66 4
67 4
128 8
130 4" ]
}

@test "addresses of struct page, as kernels before 4.2 recorded them, and the other byte order" {
	pages | sed -e 's/pfn:u64/page:ptr/' -e 's/REC->pfn/REC->page/' -e 's/0xffffffffffffffff/0/' >lines
	"$BATS_TEST_DIRNAME/make-tracepoints" old.data <lines
	run -0 "$PERF" kmem stat -i old.data --page --alloc
	grep -q '^ Page  ' <<<"$output"
	grep -qE '^ 0000000000000080 \| +16 \|' <<<"$output"
	grep -qE '^Total allocation failures +: +1 ' <<<"$output"
	slab | "$BATS_TEST_DIRNAME/make-tracepoints" --big-endian other.data
	[ "$("$PERF" kmem stat -i other.data --caller --alloc --raw-ip)" = \
		"$("$PERF" kmem stat -i slab.data --caller --alloc --raw-ip)" ]
}

@test "a program that opens N eventfds and closes some: N allocations by do_eventfd, the rest lives" {
	[ -r /sys/kernel/tracing/events/kmem/kmalloc/id ] || skip "no tracepoints"
	"$PERF" record -q -e kmem:kmalloc,kmem:kfree -c 1 -o n.data -- python3 eventfds.py 300 120 kill || true
	run -0 "$PERF" kmem stat -i n.data --caller -s hit
	grep -qE '^ do_eventfd\+[0-9a-f]+ +\|.* \|      300 \|' <<<"$output"
	# the sums are those of the rows
	[ "$(awk -F'[|/]' '/\+[0-9a-f]+ +\|/ { a += $2; r += $4; h += $6 } END { print a, r, h }' <<<"$output")" = \
		"$(awk '/bytes allocated: / && !/Net/ { a = $NF } /requested/ { r = $NF } /^Cross/ { split($NF, c, "/") } END { print a, r, c[2] }' <<<"$output")" ]
}

@test "the same summary as the system's perf, whose tables differ in what they cannot know" {
	[ -x $other ] || skip "no other perf"
	[ -r /sys/kernel/tracing/events/kmem/kmalloc/id ] || skip "no tracepoints"
	"$PERF" kmem record --slab --page -q -m 4M -o both.data -- ls -lR /usr/share/perl5 >/dev/null
	"$PERF" evlist -i both.data | grep -qx kmem:mm_page_free
	LC_ALL=C $other kmem -i both.data --slab --caller stat 2>/dev/null | cut -d'|' -f1-4,6 | sort >theirs
	LC_ALL=C "$PERF" kmem -i both.data --slab --caller stat | cut -d'|' -f1-4,6 | sort >ours
	# bytes freed twice are counted twice by the other perf
	diff <(grep -vE 'freed|Net' theirs) <(grep -vE 'freed|Net' ours)
	LC_ALL=C $other kmem -i both.data --page stat 2>/dev/null | sed -n '/^Total/p' >theirs
	LC_ALL=C "$PERF" kmem -i both.data --page stat | sed -n '/^Total/p' >ours
	diff <(grep -E 'requests +:|failures' theirs | grep -v +freed | grep -v only) \
		<(grep -E 'requests +:|failures' ours | grep -v +freed | grep -v only)
	# chains lead past the allocator
	run -0 "$PERF" kmem stat -i both.data --page --caller
	! grep -qE '\| _*alloc_(frozen_)?pages' <<<"$output" || return 1
}

@test "record: --slab and --page anywhere among the options" {
	[ -r /sys/kernel/tracing/events/kmem/kmalloc/id ] || skip "no tracepoints"
	"$PERF" kmem record -q -o words.data --page -m 256 true --slab
	[ "$("$PERF" evlist -i words.data | grep -c '^kmem:mm_page_')" -eq 2 ]
	! "$PERF" evlist -i words.data | grep -q kmalloc || return 1
}

@test "through a pipe" {
	[ -r /sys/kernel/tracing/events/kmem/kmalloc/id ] || skip "no tracepoints"
	"$PERF" record -q -e kmem:kmalloc,kmem:kfree -c 1 -o - -- python3 eventfds.py 50 0 kill 2>/dev/null >stream || true
	run -0 bash -c '"$PERF" kmem stat --caller -i - <stream'
	grep -qE '^ do_eventfd\+[0-9a-f]+ +\|.* \|       50 \|' <<<"$output"
}

has_bpf() {
	"$PERF" kmem stat --bpf -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
}

@test "--bpf: the same N allocations, and what of them lives, without a recording" {
	has_bpf
	run -0 "$PERF" kmem stat --bpf --caller -s hit -- python3 eventfds.py 300 120
	grep -qE '^ do_eventfd\+[0-9a-f]+ +\|.* \|      300 \|' <<<"$output"
	[ "$(awk -F'[|/]' '/\+[0-9a-f]+ +\|/ { a += $2; r += $4; h += $6 } END { print a, r, h }' <<<"$output")" = \
		"$(awk '/bytes allocated: / && !/Net/ { a = $NF } /requested/ { r = $NF } /^Cross/ { split($NF, c, "/") } END { print a, r, c[2] }' <<<"$output")" ]
	# a table each interval: nothing, then 40 that are open
	cat >open.py <<-'END'
		import os, time
		fds = [os.eventfd(0) for _ in range(40)]
		time.sleep(1.2)
	END
	run -0 "$PERF" kmem stat --bpf --caller --live -I 1 -- python3 open.py
	[ "$(grep -c '^# after ' <<<"$output")" -ge 2 ]
	[ "$(grep -cE '^ do_eventfd\+[0-9a-f]+ +\|.* \|       40 \|' <<<"$output")" -ge 1 ]
}

@test "--bpf --page: the N pages of a pipe, by who asked for them, and what of them lives" {
	has_bpf
	cat >pipe.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			static char page[65536];
			int fds[2], size = getpagesize();
			if (pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, 256 * size) < 0)
				return 1;
			for (int i = 0; i < 200; i++)
				if (write(fds[1], page, size) != size)
					return 1;
			for (int i = 0; i < 80; i++)
				if (read(fds[0], page, size) != size)
					return 1;
			usleep(argc > 1 ? atoi(argv[1]) : 0);
			return 0;
		}
	END
	cc -O1 -o pipe pipe.c
	pages_of_pipe() { awk -F'|' '/pipe_(write|get_page)/ { kb += $1; n += $2; o[$3 + 0] } END { print kb, n, length(o), 0 in o }'; }
	page=$(($(getconf PAGESIZE) / 1024))
	run -0 "$PERF" kmem stat --bpf --page --caller -- ./pipe
	[ "$(pages_of_pipe <<<"$output")" = "$((200 * page)) 200 1 1" ] || { echo "$output"; return 1; }
	# the sums are those of the rows
	[ "$(awk -F'|' '/^ +[0-9]+ \| +[0-9]+ \| +[0-9]+ \|/ { n += $2 } END { print n }' <<<"$output")" = \
		"$(awk '/^Total allocation requests/ { n = $5 } /^Total allocation failures/ { n -= $5 } END { print n }' <<<"$output")" ]
	# what the process had is free once it has ended
	[ "$(awk '/^Total alloc[+]freed requests/ { print $5 }' <<<"$output")" -ge 200 ]
	! [ -r /sys/kernel/tracing/events/kmem/mm_page_alloc/format ] || grep -qE '^# [0-9a-f]{8}: .*GFP_' <<<"$output"
	# two of the pages that are read may be kept for the next write
	run -0 "$PERF" kmem stat --bpf --page --caller --live -I 1 -- ./pipe 2500000
	[ "$(grep -c '^# after ' <<<"$output")" -ge 2 ]
	awk -F'|' '/^# after/ { n = 0 } /pipe_(write|get_page)/ { n += $2; if (n >= 120 && n <= 122) found = 1 } END { exit !found }' <<<"$output" ||
		{ echo "$output"; return 1; }
	run -0 "$PERF" kmem stat --bpf --slab --page --alloc --live -l 3 -- ./pipe
	[[ "$output" == *"SUMMARY (SLAB allocator)"*"SUMMARY (page allocator)"* ]]
	run -0 --separate-stderr "$PERF" kmem stat --bpf --page -M 2 -- ./pipe
	[[ "$stderr" == *"the map of blocks was full"*"--map-nr-entries"* ]]
}

@test "--bpf: a full map is said; what needs it, and what it cannot" {
	has_bpf
	run -0 --separate-stderr "$PERF" kmem stat --bpf -M 2 -- python3 eventfds.py 50 0
	[[ "$stderr" == *"the map of objects was full"*"--map-nr-entries"* ]]
	run -129 "$PERF" kmem stat -I 1
	run -129 "$PERF" kmem stat --bpf -i slab.data
	run -129 "$PERF" kmem stat --bpf --alloc
	run -129 "$PERF" kmem stat --bpf --page --alloc
	run -127 "$PERF" kmem stat --bpf -- ./no-such-program
}

@test "what a recording lacks is said, with what records it" {
	run -1 "$PERF" kmem stat --page -i slab.data
	[ "${lines[0]}" = "error: 'slab.data' has no page allocations" ]
	[ "${lines[1]}" = "hint: record with: perf kmem record --page" ]
	run -1 "$PERF" kmem stat -i page.data
	[ "${lines[1]}" = "hint: record with: perf kmem record --slab" ]
	slab | sed -e 's/ bytes_alloc:u64//' -e 's/ [0-9]* 0 \(-\?[01]\)$/ 0 \1/' >lines
	"$BATS_TEST_DIRNAME/make-tracepoints" bare.data <lines
	run -1 "$PERF" kmem stat -i bare.data
	[[ "$output" == *"'bytes_alloc'"* ]]
}

@test "wrong uses" {
	run -129 "$PERF" kmem
	[[ "$output" == *"need a subcommand: record or stat"* ]]
	run -129 "$PERF" kmem start
	run -129 "$PERF" kmem stat more
	run -129 "$PERF" kmem stat -s ptr,size
	[[ "$output" == *"'size' is not a sort key of the slab allocator: ptr, callsite, bytes, hit, pingpong, frag"* ]]
	run -129 "$PERF" kmem --page stat -s ptr
	run -129 "$PERF" kmem stat -l x
	run -129 "$PERF" kmem stat -s ''
	printf '[kmem]\ndefault = page\n' >config
	PERF_CONFIG=config run -0 "$PERF" kmem stat -i page.data
	grep -q 'page allocator' <<<"$output"
}

@test "damaged files: truncated at any place, nothing but a message" {
	for size in 0 100 200 400 800 1200; do
		head -c $size slab.data >cut.data
		run timeout 20 "$PERF" kmem stat --caller --alloc -i cut.data
		[ "$status" -lt 2 ] || { echo "$size: $status $output"; return 1; }
	done
	python3 - <<-'END'
		import random, os, subprocess
		random.seed(5)
		for name in "slab.data", "page.data":
		    data = open(name, "rb").read()
		    for _ in range(60):
		        b = bytearray(data)
		        for _ in range(3):
		            b[random.randrange(len(b))] = random.randrange(256)
		        open("bad.data", "wb").write(b)
		        for kind in "--slab", "--page":
		            p = subprocess.run([os.environ["PERF"], "kmem", "stat", kind, "--alloc", "--caller", "--live", "-i", "bad.data"],
		                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
		            assert p.returncode in (0, 1), p
	END
}

@test "record says what it will cost, and -q does not" {
	grep -q tracefs /proc/mounts || skip "tracefs is not mounted"
	"$PERF" kmem record -o cost -- true >said 2>&1 || { cat said; return 1; }
	grep -qE '^\[ perf kmem record: about [0-9]+ events a second now, [0-9]+\.[0-9] MB a minute; .*stat --bpf' said
	# a busy allocator is told from what came in that time
	sh -c 'while :; do /bin/true; done' 3>&- &
	busy=$!
	"$PERF" kmem record --page -o cost -- true >said 2>&1
	kill $busy
	[ "$(sed -n 's/.*about \([0-9]*\) events.*/\1/p' said)" -ge 100 ]
	"$PERF" kmem record -q -o cost -- true >said 2>&1
	! grep -q 'kmem record: about' said || return 1
	# nothing comes before an error
	run "$PERF" kmem record -o cost -- nosuchprogram-at-all
	[ "$status" -eq 127 ]
	[[ "${lines[0]}" == "error: cannot run 'nosuchprogram-at-all'"* ]]
}
