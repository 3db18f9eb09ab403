#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf inject: scheduler merges, addresses, traces, the other byte order, directories.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

busy='i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'

@test "-s merges as 6.1 does" {
	need_root
	stat=$(basename "$(ls -d /sys/kernel/tracing/events/sched/sched_stat_* | head -n 1)")
	"$ORACLE" record -q -e "sched:$stat,sched:sched_switch,sched:sched_process_exit,cpu-clock" -g -o raw -- \
		sh -c 'for i in 1 2 3 4 5; do sleep 0.01; ls >/dev/null; done'
	"$ORACLE" inject -s -i raw -o theirs
	"$PERF" inject -s -i raw -o ours
	fields=comm,pid,time,event,period,ip,sym
	"$ORACLE" script -F $fields -i theirs 2>/dev/null >want
	grep -q sched:sched_switch: want
	run ! grep -q "sched:\($stat\|sched_process_exit\):" want
	grep -q cpu-clock: want
	"$ORACLE" script -F $fields -i ours 2>/dev/null | diff - want
	"$PERF" inject -i raw | "$PERF" inject -s >stream
	"$ORACLE" script -F $fields -i - <stream 2>/dev/null | diff - want
	"$PERF" record -q -e cpu-clock -o other true
	run "$PERF" inject -s -i other -o none
	[ "$status" -eq 1 ]
	[[ "$output" == *"no sched:sched_switch events"*"hint: "* ]]
}

@test "--aslr: the same names, none of the addresses" {
	need_root
	"$PERF" record -q -F 5000 --call-graph dwarf -d -e cpu-clock -o raw -- sh -c "$busy"
	"$PERF" inject --convert-callchain -i raw -o plain
	"$PERF" inject --convert-callchain --aslr -i raw -o moved
	"$ORACLE" script -F comm,time,sym,symoff,dso -i plain 2>/dev/null >want
	"$ORACLE" script -F comm,time,sym,symoff,dso -i moved 2>/dev/null | diff - want
	"$PERF" script -F comm,time,ip,sym,symoff,dso -i moved | cut -c 18- | diff - \
		<("$PERF" script -F comm,time,ip,sym,symoff,dso -i plain | cut -c 18-)
	# every page that was mapped is elsewhere
	"$PERF" script --show-mmap-events -i raw | grep -o 'MMAP2.*' | grep -o '\[0x[57][0-9a-f]*(' | sort -u >were
	"$PERF" script --show-mmap-events -i moved | grep -o 'MMAP2.*' | grep -o '\[0x[0-9a-f]*(' | sort -u >are
	[ "$(wc -l <were)" -gt 3 ]
	[ "$(wc -l <are)" -gt 3 ]
	[ -z "$(comm -12 were are)" ]
	# without unwinding the stacks are left out: they hold addresses
	"$PERF" inject --aslr -i raw -o bare
	run ! grep -q 'REGS_USER\|STACK_USER\|REGS_INTR\|RAW' <("$ORACLE" evlist -v -i bare)
	# of where anything was nothing is left, in any byte of the file
	for f in raw bare moved; do od -An -v -tx1 $f | tr -d ' \n' >$f.x; done
	while read -r base; do
		base=$(sed 's/\[0x//; s/(//' <<<"$base")
		bytes=$(printf '%016x' "0x$base" | sed 's/../&\n/g' | tac | tr -d '\n')
		grep -q "${bytes:2:10}" raw.x
		run ! grep -q "${bytes:2:10}" bare.x moved.x
	done <were
	run "$PERF" inject --aslr -B -i raw -o none
	[ "$status" -eq 129 ]
}

# kernel_file BASE: a kernel at BASE, two modules and a BPF program at 0xffffffffc0..., samples in each,
# one outside of all, and tracing data with the kernel's addresses
kernel_file() {
	python3 - "$1" <<-'END'
	import struct, sys
	base = int(sys.argv[1], 16)
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18 | 1 << 8 | 1 << 23).ljust(128, b"\0")
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	def text(name):
	    return name.ljust(len(name) // 8 * 8 + 8, b"\0")
	def mapping(start, size, pgoff, name):
	    return record(1, 1, struct.pack("<iiQQQ", -1, 0, start, size, pgoff) + text(name) + struct.pack("<iiQ", -1, 0, 0))
	ext4, xfs, bpf = 0xffffffffc0123000, 0xffffffffc0456000, 0xffffffffc0789abc
	data = mapping(base, ~base & (1 << 64) - 1, base, b"[kernel.kallsyms]_text")
	data += mapping(ext4, 0x20000, 0, b"[ext4]") + mapping(xfs, 0x30000, 0, b"[xfs]")
	data += record(17, 0, struct.pack("<QIHH", bpf, 0x100, 1, 0) + text(b"bpf_prog_0123_x") + struct.pack("<iiQ", 0, 0, 1))
	for i, ip in enumerate((base + 0x1234, ext4 + 0x10, xfs + 0x20, bpf + 4, 0xffffffffff5fb000, base + 0x1234)):
	    data += record(9, 1, struct.pack("<QIIQ", ip, 5, 5, 1000 + i))
	pages = b"".join(n + b"\0" + struct.pack("<Q", 0) for n in (b"header_page", b"header_event"))
	tracing = b"\x17\x08\x44tracing" + b"0.6\0" + struct.pack("<BBI", 0, 8, 4096) + pages + struct.pack("<II", 0, 0)
	for lines in (b"%x T _text\n" % base, b'0x%x : "rcu"\n' % (base + 0x900000)):
	    tracing += struct.pack("<I", len(lines)) + lines
	tracing += struct.pack("<Q", 0)
	head = 104 + len(attr) + 16
	at = head + len(data) + 16
	with open("kernel", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(data), 0, 0, 1 << 1, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + data + struct.pack("<QQ", at, len(tracing)) + tracing)
	END
}

@test "--aslr: a file is the same wherever its kernel had been" {
	for base in 0xffffffff9ae00000 0xffffffffb2e00000; do
		kernel_file $base
		"$PERF" inject --aslr -i kernel -o "moved-$base"
	done
	cmp moved-0xffffffff9ae00000 moved-0xffffffffb2e00000
	"$PERF" script -F ip,dso -i moved-0xffffffff9ae00000 2>/dev/null | tr -s ' ' | diff - <(cat <<-'END'
	 ffffffff81001234 ([kernel.kallsyms])
	 ffffffffc0000010 ([ext4])
	 ffffffffc0020020 ([xfs])
	 ffffffffc0050004 (bpf_prog_0123_x)
	 0 ([unknown])
	 ffffffff81001234 ([kernel.kallsyms])
	END
	)
	run ! grep -q 'ffffffff9a' moved-0xffffffff9ae00000
	grep -q 'rcu' kernel
	run ! grep -q 'rcu' moved-0xffffffff9ae00000
}

@test "--aslr: of a host and its guests each kernel moves by itself, and one that lies nobody knows where goes" {
	python3 - <<-'END'
	import struct
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18 | 1 << 8 | 1 << 23).ljust(128, b"\0")
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	def mapping(misc, pid, start, size, pgoff, name):
	    name = name.ljust(len(name) // 8 * 8 + 8, b"\0")
	    return record(1, misc, struct.pack("<iiQQQ", pid, max(pid, 0), start, size, pgoff) + name +
	                  struct.pack("<iiQ", pid, max(pid, 0), 0))
	host, guest = 0xffffffff9ae00000, 0xffffffffb2310000
	data = mapping(1, -1, host, 0x1000000, host, b"[kernel.kallsyms]_text")
	data += mapping(4, 500, guest, 0x1000000, guest, b"[guest.kernel.kallsyms.500]_text")
	data += mapping(5, 500, 0x55d1a2b40000, 0x100000, 0x1000, b"/bin/true")
	for i, (misc, pid, ip) in enumerate(((1, 500, host + 0x1234), (4, 500, guest + 0x5678),
	                                     (5, 500, 0x55d1a2b40018), (4, 600, guest + 0x9abc))):
	    data += record(9, misc, struct.pack("<QIIQ", ip, pid, pid, 1000 + i))
	head = 104 + len(attr) + 16
	with open("guest", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(data), 0, 0, 0, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + data)
	END
	"$PERF" inject --aslr -i guest -o moved
	"$PERF" script --show-mmap-events -F pid,ip,dso -i moved 2>/dev/null | tr -s ' ' | sed 's/^ //' >got
	diff got - <<-'END'
	-1 PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000000) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
	500 PERF_RECORD_MMAP 500/500: [0xffffffff81110000(0x1000000) @ 0xffffffff81110000]: x [guest.kernel.kallsyms.500]_text
	500 PERF_RECORD_MMAP 500/500: [0x100001000(0x100000) @ 0x1000]: x /bin/true
	500 ffffffff81001234 ([kernel.kallsyms])
	500 ffffffff81115678 ([guest.kernel.kallsyms.500])
	500 100001018 (/bin/true)
	600 0 ([guest.kernel.kallsyms.600])
	END
}

@test "--itrace: traces are refused in one line, what has none passes" {
	python3 - <<-'END'
	import struct
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18).ljust(128, b"\0")
	info = struct.pack("<IHHII", 70, 0, 16, 1, 0)
	head = 104 + len(attr) + 16
	with open("pt", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(info), 0, 0, 0, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + info)
	END
	run "$PERF" inject --itrace -i pt -o none
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"error: 'pt' holds instruction traces (Intel PT), which this perf does not decode"* ]]
	[ ! -e none ]
	run "$PERF" inject --itrace='i100us*' -i pt -o none
	[ "$status" -eq 129 ]
	run "$PERF" inject --strip -i pt -o none
	[ "$status" -eq 129 ]
	# carried when nobody asks for decoding
	"$PERF" inject -i pt -o copy
	"$PERF" script -D -i copy | grep -q AUXTRACE_INFO
	need_root
	"$PERF" record -q -e cpu-clock -o file -- sh -c "$busy"
	"$PERF" inject --itrace=i100us -i file -o all
	diff <("$ORACLE" script -i all 2>/dev/null) <("$ORACLE" script -i file 2>/dev/null)
	"$PERF" inject --itrace --strip -i file -o none
	[ -z "$("$ORACLE" script -i none 2>/dev/null)" ]
	"$ORACLE" script --show-mmap-events -i none 2>/dev/null | grep -q dash
}

@test "-k and --kallsyms say which kernel was recorded" {
	need_root
	"$PERF" record -q -B -e cpu-clock -a -o file -- sh -c "$busy"
	id=0123456789abcdef0123456789abcdef01234567
	mkdir -p "cache/[kernel.kallsyms]/$id"
	cp /proc/kallsyms "cache/[kernel.kallsyms]/$id/kallsyms"
	"$PERF" inject -b --kallsyms "cache/[kernel.kallsyms]/$id/kallsyms" -i file -o f2
	"$ORACLE" buildid-list -i f2 | grep -q "^$id \[kernel.kallsyms\]"
	"$PERF" inject -b -k /bin/true -i file -o f3
	"$ORACLE" buildid-list -i f3 | grep -q "^$(readelf -n /bin/true | sed -n 's/.*Build ID: //p') \[kernel.kallsyms\]"
	"$PERF" inject -b --ignore-vmlinux -k /bin/true -i file -o f4
	"$PERF" inject -b -i file -o f5
	diff <("$ORACLE" buildid-list -i f4) <("$ORACLE" buildid-list -i f5)
	"$ORACLE" buildid-list -i f5 | grep -q "^$("$ORACLE" buildid-list -k) \[kernel.kallsyms\]"
	cp /proc/kallsyms plain
	run "$PERF" inject -b --kallsyms plain -i file -o none
	[ "$status" -eq 1 ]
	[[ "$output" == *"the build-id of the kernel in 'plain' is unknown"* ]]
	run "$PERF" inject -k /bin/true -i file -o none
	[ "$status" -eq 129 ]
}

@test "the other byte order stays, in files and streams" {
	for kind in branches memory cgroup registers bts bpf; do
		"$BATS_TEST_DIRNAME/make-samples" --big-endian $kind in
		"$PERF" inject -i in -o out
		"$PERF" inject -i in >stream
		"$PERF" inject <stream -o again
		[ "$(head -c 8 out)" = 2ELIFREP ]
		for f in out again; do
			for reader in "$ORACLE" "$PERF"; do
				diff <("$reader" script -i in 2>/dev/null) <("$reader" script -i $f 2>/dev/null)
				diff <("$reader" evlist -v -i in 2>/dev/null) <("$reader" evlist -v -i $f 2>/dev/null)
			done
		done
		diff <("$PERF" script -i in 2>/dev/null) <("$PERF" script -i - <stream 2>/dev/null)
	done
	# what is built anew: build-ids, mappings, rounds of a sorted file
	"$BATS_TEST_DIRNAME/make-samples" --big-endian memory in
	id=0123456789abcdef0123456789abcdef01234567
	"$PERF" inject -b --known-build-ids "$id /bin/true" -i in -o out
	"$ORACLE" buildid-list -i out 2>/dev/null | grep -q "^$id /bin/true"
	"$PERF" inject -B --known-build-ids "$id /bin/true" -i in -o maps
	"$ORACLE" script --show-mmap-events -i maps 2>/dev/null | grep -q "<$id>"
	diff <("$PERF" script -i in 2>/dev/null) <("$PERF" script -i maps 2>/dev/null)
	"$PERF" inject -i in | "$PERF" inject -b --known-build-ids "$id /bin/true" >stream
	"$PERF" buildid-list -i - <stream | grep -q "^$id /bin/true"
	# a file that is another one than was mapped gives no build-id
	"$PERF" inject -b -i in -o out
	! "$PERF" buildid-list -i out | grep -q '^[0-9a-f]\{40\} /bin/true' || return 1
}

@test "a directory becomes one file, in order of time" {
	need_root
	"$PERF" record -q --threads -a -e cpu-clock -o dir -- sh -c "echo \$\$ >pid; $busy; $busy"
	[ -d dir ]
	"$PERF" inject -i dir -o file
	[ -f file ]
	# names of our own program: files of others may go while they are looked at
	fields=comm,pid,time,cpu,event,ip,sym
	"$PERF" script --pid "$(cat pid)" -F $fields -i dir >want
	[ "$(wc -l <want)" -gt 50 ]
	"$PERF" script --pid "$(cat pid)" -F $fields -i file | diff - want
	"$PERF" inject -i dir >stream
	"$PERF" script --pid "$(cat pid)" -F $fields -i - <stream | diff - want
	fields=pid,time,cpu,event,ip
	"$PERF" script -F $fields -i dir >want
	"$ORACLE" script -F $fields -i file 2>/dev/null | diff - want
	"$ORACLE" script -F $fields -i - 2>/dev/null <stream | diff - want
}

@test "--guestmount: the files of a guest are the guest's" {
	python3 - <<-'END'
	import struct
	attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 7, 0, 1 << 18 | 1 << 8 | 1 << 23).ljust(128, b"\0")
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	ident = struct.pack("<IIQ", 500, 500, 0)
	name = b"/bin/true\0".ljust(16, b"\0")
	body = struct.pack("<IIQQQIIQQII", 500, 500, 0x400000, 0x100000, 0, 8, 1, 77, 0, 5, 2) + name + ident
	data = record(10, 5, body)
	for i in range(5):
	    data += record(9, 5, struct.pack("<QIIQ", 0x401000 + i, 500, 500, 1000 + i))
	head = 104 + len(attr) + 16
	with open("guest", "wb") as f:
	    f.write(b"PERFILE2" + struct.pack("<12Q", 104, len(attr) + 16, 104, len(attr) + 16,
	                                      head, len(data), 0, 0, 0, 0, 0, 0))
	    f.write(attr + struct.pack("<QQ", 104, 0) + data)
	END
	mkdir -p mnt/500/bin
	cp /bin/cat mnt/500/bin/true
	id=$(readelf -n /bin/cat | sed -n 's/.*Build ID: //p')
	"$PERF" inject -b -i guest -o none
	run ! grep -q '^[0-9a-f]\{40\}' <("$PERF" buildid-list -i none)
	"$PERF" inject -b --guestmount mnt -i guest -o with
	"$PERF" buildid-list -i with | grep -q "^$id /bin/true"
	"$ORACLE" buildid-list -i with | grep -q "^$id /bin/true"
	"$PERF" inject -i guest | "$PERF" inject -b --guestmount mnt | "$PERF" buildid-list -i - | grep -q "^$id"
	run "$PERF" inject --guestmount mnt -i guest -o none
	[ "$status" -eq 129 ]
}
