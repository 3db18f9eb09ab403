#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf inject --guest-data: a guest's recording inside of its host's.
# The guest is this machine, recorded twice: its hypervisor is a program whose threads have
# the names of a guest's CPUs, and its root, below --guestmount, is this machine's.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	cd "$BATS_FILE_TMPDIR"
	[ "$(id -u)" -eq 0 ] && [ -x "$ORACLE" ] || return 0
	# names that no other program has: outside of a container, there are others with other files of the same paths
	cp "$(readlink -f /bin/sh)" guestsh
	cp "$(command -v dd)" guestdd
	cat >vm.py <<-'END'
		import ctypes, os, threading
		libc = ctypes.CDLL(None)
		def run(n):
		    libc.prctl(15, b"CPU %d/KVM" % n, 0, 0, 0)
		    x = 0
		    while not os.path.exists("done"):
		        for i in range(1000):
		            x += i
		cpus = [threading.Thread(target=run, args=(n,)) for n in range(os.cpu_count())]
		[c.start() for c in cpus]
		open("runs", "w").close()
		[c.join() for c in cpus]
	END
	"$PERF" record -q --sample-identifier --sample-cpu -e cpu-clock -F 500 -o host -- python3 vm.py 3>&- &
	until_true test -e runs
	"$PERF" record -q -a -g --sample-identifier --switch-events --buildid-all -e cpu-clock -F 500 -o guest -- \
		./guestsh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; ./guestdd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null'
	: >done
	wait
	"$PERF" script --show-task-events -F comm,pid,tid,time -i host | sed -n 's|.*COMM: CPU 0/KVM:\([0-9]*\)/.*|\1|p' >pid
	mkdir roots
	ln -s / "roots/$(cat pid)"
}

teardown_file() {
	end_jobs
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	cd "$BATS_FILE_TMPDIR"
	pid=$(cat pid)
	[ -n "$pid" ]
	[ -e out ] || "$PERF" inject --guest-data="guest,$pid" -i host -o out
}

# Records of tasks, maps and switches, without their places in the file.
sideband() {
	"$ORACLE" script -D -i "$1" 2>/dev/null | grep -E 'PERF_RECORD_(COMM|FORK|EXIT|MMAP|SWITCH)' |
		sed -E 's/ 0x[0-9a-f]+ \[/ [/' | sort
}

@test "the records that tell of tasks are those of 6.1's inject" {
	"$ORACLE" inject --guest-data="guest,$pid" -i host -o theirs
	# the CPU of a host's thread that was not seen yet is 0 there
	sideband theirs | sed 's/^[-0-9]* //' | sort >want
	[ "$(wc -l <want)" -gt 100 ]
	sideband out | sed 's/^[-0-9]* //' | sort | diff - want
	# ids of its own for each event and CPU, and whose they are
	"$PERF" script -D -i out | grep machine_pid >ids
	[ "$(grep -c "machine_pid: $pid  vcpu: " ids)" -ge 2 ]
	"$ORACLE" script -D -i theirs 2>/dev/null | grep machine_pid | sed 's/id: [0-9]*//' >want
	sed 's/id: [0-9]*//' ids | diff - want
	"$PERF" script -D -i out | grep -o '^ \.\.\. id: [0-9]*  ' | sort >all
	[ -z "$(uniq -d all)" ]
}

@test "its samples have the names that they have in the guest's own file" {
	fields=comm,pid,tid,time,ip,sym,symoff
	# of programs whose files are below this root for sure
	"$PERF" script --comms guestsh,guestdd -F $fields -i guest >want
	"$PERF" script --comms guestsh,guestdd --guestmount=roots -F $fields,machine_pid,vcpu -i out >all
	# a sample of the guest goes from its line to the end of its chain
	# (where a library outside of this root has the same name, the build-id tells them apart)
	awk '/^VM:/ { of = 1; sub("^VM: *[0-9]* VCPU:[0-9]* ", "") } of { print } /^$/ { of = 0 }' all |
		sed 's/@[0-9a-f]*+/+/' >got
	sed 's/@[0-9a-f]*+/+/' want | diff got -
	[ "$(grep -c "^VM: *$pid VCPU:" all)" -gt 10 ]
	# and the host's samples are as they were
	# (an object's name says which build it is where host and guest have two of the name)
	"$PERF" script -F $fields,machine_pid,vcpu -i out | awk '/^VM:/ { of = 1 } !of { print } /^$/ { of = 0 }' |
		sed -E 's/@[0-9a-f]{8}\+/+/' | diff - <("$PERF" script -F $fields -i host)
}

# Functions that unwind tables alone tell of (unwind-ranges), as 6.1 has them.
unnamed() {
	sed -E 's/\[[^] ]+\+0x[0-9a-f]+\]$/[unknown]/'
}

@test "6.1 reads what is written as we do" {
	fields=comm,pid,tid,time,ip,machine_pid,vcpu
	# 6.1 takes names from the wrong file where two builds with one path were recorded, as beside a container
	[ "$("$PERF" buildid-list -i guest | grep -c ' /usr/lib/x86_64-linux-gnu/libc.so.6$')" -gt 1 ] || fields+=,sym
	"$ORACLE" script --comms guestsh,guestdd --guestmount=roots -F $fields -G -i out 2>/dev/null | grep -v @plt >want
	grep -q "^VM: *$pid VCPU:00" want
	"$PERF" script --comms guestsh,guestdd --guestmount=roots -F $fields -G -i out | grep -v @plt | unnamed >got
	diff got want
	# the guest's tasks have names of their own, also before a line of a record
	# (tasks that are gone, -1, aside)
	fields=comm,pid,tid,time
	for p in "$ORACLE" "$PERF"; do
		"$p" script --guestmount=roots --show-task-events --show-mmap-events --show-switch-events \
			-F $fields -i out 2>/dev/null | grep ": PERF_RECORD" | grep -v "/-1 " >"${p//\//_}"
	done
	grep -q SWITCH "${ORACLE//\//_}"
	diff "${ORACLE//\//_}" "${PERF//\//_}"
	run "$PERF" evlist -i out
	[[ "$output" == *"cpu-clock"*"cpu-clock:G"* ]]
	"$PERF" report --stdio --guestmount=roots --sort comm,sym -i out >text
	grep -q '\[g\] [a-z_]' text
	grep -q '\[u\] [a-zA-Z_]' text
}

@test "in order of time, on the CPU that the guest's CPU has" {
	"$PERF" script -F tid,cpu,time,machine_pid,vcpu -G -i out >lines
	awk '{ sub(":$", "", $NF); if ($NF + 0 < last) bad = 1; last = $NF + 0 } END { exit bad }' lines
	# between its first and last sample the host's are mixed with the guest's
	[ "$(awk '/^VM/ != was { turns++; was = /^VM/ } END { print turns }' lines)" -gt 4 ]
	"$PERF" script --show-task-events -F comm,pid,tid,time -i host |
		sed -n 's|.*COMM: CPU \([0-9]*\)/KVM:[0-9]*/\([0-9]*\)|\1 \2|p' >cpus
	# each vcpu: the host's CPU of its thread's newest sample, or unknown
	awk 'NR == FNR { thread[$1 + 0] = $2; next }
		/^VM/ { sub("VM: *", ""); v = $2; sub("VCPU:", "", v); cpu = $4
			if (thread[v + 0] in at) { seen++; if (cpu != at[thread[v + 0]]) bad++ } next }
		{ at[$1] = $2 } END { exit bad || !seen }' cpus lines
}

@test "OFFSET and SCALE: guest time less the offset, by the scale" {
	first() { "$PERF" script --ns -F time,machine_pid -G -i "$1" | sed -n 's/^VM:[ 0-9]* \([0-9]*\)\.\([0-9]*\):.*/\1\2/p' | head -n 1; }
	was=$("$PERF" script --ns -F time -G -i guest | sed -n '1s/[ .:]//gp')
	[ "$(first out)" = "$was" ]
	"$PERF" inject --guest-data="guest,$pid,1000" -i host -o moved
	[ "$(first moved)" = $((was - 1000)) ]
	"$PERF" inject --guest-data="guest,$pid,-1000,2" -i host -o moved
	[ "$(first moved)" = $(((was + 1000) / 2)) ]
	"$ORACLE" inject --guest-data="guest,$pid,0x1000,0.5" -i host -o theirs
	"$PERF" inject --guest-data="guest,$pid,0x1000,0.5" -i host -o moved
	sideband theirs | sed 's/^[-0-9]* //' | sort >want
	sideband moved | sed 's/^[-0-9]* //' | sort | diff - want
}

@test "OFFSET and SCALE are of the counter where both files tell of it" {
	cat >conv.py <<-'END'
		import struct, sys
		src, out, shift, mult, zero = sys.argv[1:3] + list(map(int, sys.argv[3:]))
		d = open(src, "rb").read()
		offset, size = struct.unpack_from("<QQ", d, 40)
		# TIME_CONV: shift, multiplier, zero, cycles, mask, two flags
		rec = struct.pack("<IHHQQQQQBB6x", 79, 0, 56, shift, mult, zero, 0, 0, 1, 0)
		rest = bytearray(d[offset + size:])
		bits = sum(bin(b).count("1") for b in d[72:104])
		for i in range(bits):
		    at, n = struct.unpack_from("<QQ", rest, i * 16)
		    struct.pack_into("<QQ", rest, i * 16, at + len(rec), n)
		head = bytearray(d[:offset])
		struct.pack_into("<Q", head, 48, size + len(rec))
		open(out, "wb").write(bytes(head) + rec + d[offset:offset + size] + bytes(rest))
	END
	python3 conv.py guest guest-tsc 31 715827882 123456789
	python3 conv.py host host-tsc 29 536870912 777
	for more in "" ,1000 ,0xfffffffffffff000,0.5; do
		"$ORACLE" inject --guest-data="guest-tsc,$pid$more" -i host-tsc -o theirs
		"$PERF" inject --guest-data="guest-tsc,$pid$more" -i host-tsc -o moved
		sideband theirs | sed 's/^[-0-9]* //' | sort >want
		sideband moved | sed 's/^[-0-9]* //' | sort | diff - want
	done
	# a counter of another speed: not the times of the guest's file
	sideband out | sed 's/^[-0-9]* //' | sort >plain
	run ! cmp -s plain want
}

@test "--aslr: the guest's addresses change, too, its names do not" {
	"$PERF" inject --aslr -i out -o moved
	fields=comm,pid,tid,time,ip,sym,symoff,machine_pid,vcpu
	for f in out moved; do
		"$PERF" script --comms guestsh,guestdd --guestmount=roots -F $fields -i $f | sed 's/^\t *[0-9a-f]* //' >$f.names
		"$PERF" script --guestmount=roots -F ip,machine_pid -G -i $f | awk '/^VM:/ { print $NF }' |
			grep -v '^f' | sort -u >$f.ips
	done
	grep -q '^[a-z_]*+0x' out.names
	diff out.names moved.names
	[ "$(wc -l <moved.ips)" -gt 3 ]
	[ -z "$(comm -12 out.ips moved.ips)" ]
}

@test "the build-ids of its files are of the guest" {
	"$PERF" buildid-list -i guest | sort >guests
	"$PERF" buildid-list -i host | sort >hosts
	[ -s guests ]
	"$PERF" buildid-list -i out | sed 's/\[guest\.\(kernel\.kallsyms\)[^]]*\]/[\1]/' | sort -u >all
	sort -u guests hosts | diff - all
}

@test "what does not fit together is said" {
	refused() {
		run "$PERF" inject --guest-data="$1" -i "$2" -o none
		[ "$status" -ne 0 ]
		[[ "$output" == *"$3"* ]]
		[ ! -e none ]
	}
	refused guest host "is not FILE,PID"
	refused "guest,x" host "is not FILE,PID"
	refused "guest,$pid,1,0" host "is not FILE,PID"
	refused "guest,$pid,1,2,3" host "is not FILE,PID"
	refused "guest,4194303" host "no process 4194303 in 'host'"
	refused "missing,$pid" host "missing"
	"$PERF" record -q --sample-identifier -e cpu-clock -o plain -- sh -c 'echo $$ >own; exec true'
	refused "guest,$(cat own)" plain "no thread of process"
	[[ "$output" == *debug-threads=on* ]]
	"$PERF" record -q -e cpu-clock -o bare true
	refused "bare,$pid" host "has no identifier"
	[[ "$output" == *--sample-identifier* ]]
	refused "guest,$pid" bare "has no identifier"
	run "$PERF" inject -b --guest-data="guest,$pid" -i host -o none
	[ "$status" -eq 129 ]
	run bash -c '"$PERF" inject --guest-data="guest,$1" -o none <host' - "$pid"
	[[ "$output" == *"needs two files"* ]]
}
