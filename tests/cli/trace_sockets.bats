#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: sockets that are older than perf, how long a line gets, and where probes are.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
}

named() { # descriptors of getsockopt, each with all names that it got
	sed -n 's/.*getsockopt(fd: \([0-9]*<.*>\), level.*/\1/p' out | sort -u | sort -sn
}

has_unix_diag() { # whether the kernel answers a request for the UNIX sockets
	python3 - <<-'END'
	import socket, struct
	s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) # NETLINK_SOCK_DIAG
	s.send(struct.pack("=IHHIIBBHIIIII", 40, 20, 0x301, 1, 0, socket.AF_UNIX, 0, 0, 2**32 - 1, 0, 4, 0, 0))
	NLMSG_ERROR = 2
	raise SystemExit(struct.unpack_from("=H", s.recv(65536), 4)[0] == NLMSG_ERROR)
	END
}

teardown() {
	[ -z "${PROBE:-}" ] || "$PERF" probe -q -d "$PROBE:*" 2>/dev/null || true
	end_jobs
}

@test "sockets that were open before perf are named by their addresses" {
	cat >old.py <<-'END'
	import os, socket, time
	sockets, names = [], {}
	def old(s, name):
	    sockets.append(s)
	    names[s.fileno()] = name
	def inet(s):
	    return "%s:%d" % s.getsockname()
	def inode(s):
	    return os.fstat(s.fileno()).st_ino
	server = socket.create_server(("127.0.0.1", 0))
	client = socket.create_connection(server.getsockname())
	taken, _ = server.accept()
	old(server, f"TCP:[{inet(server)}]")
	old(client, f"TCP:[{inet(client)}->{inet(server)}]")
	old(taken, f"TCP:[{inet(server)}->{inet(client)}]")
	udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	udp.bind(("127.0.0.1", 0))
	old(udp, f"UDP:[{inet(udp)}]")
	fresh = socket.socket()
	old(fresh, f"TCP:[{inode(fresh)}]")
	named = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	named.bind("named")
	old(named, f'UNIX:[{inode(named)},"named"]')
	hidden = socket.socket(socket.AF_UNIX)
	hidden.bind("\0perf-%d" % os.getpid())
	old(hidden, f'UNIX-STREAM:[{inode(hidden)},@"perf-{os.getpid()}"]')
	route = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
	route.bind((0, 0))
	old(route, f"NETLINK:[ROUTE:{route.getsockname()[0]}]")
	try:
	    six = socket.create_server(("::1", 0), family=socket.AF_INET6)
	    old(six, f"TCPv6:[[::1]:{six.getsockname()[1]}]")
	except OSError:
	    pass # a machine without IPv6
	with open("want.new", "w") as f:
	    for fd, name in sorted(names.items()):
	        print(f"{fd}<{name}>", file=f)
	os.rename("want.new", "want")
	end = time.time() + 60
	while time.time() < end:
	    for s in sockets:
	        s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
	    time.sleep(0.05)
	END
	python3 old.py 3>&- &
	old=$!
	until_true [ -s want ]
	[ "$(wc -l <want)" -ge 8 ]
	timeout 60 "$PERF" trace -p $old -e getsockopt --max-events 40 -o out
	kill $old
	named | diff want -
}

@test "a socket of a pair is named with the other end" {
	has_unix_diag || skip "no CONFIG_UNIX_DIAG: this kernel does not say which UNIX sockets are connected"
	cat >pair.py <<-'END'
	import os, socket, time
	pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
	a, b = (os.fstat(s.fileno()).st_ino for s in pair)
	with open("want.new", "w") as f:
	    print(f"{pair[0].fileno()}<UNIX:[{a}->{b}]>\n{pair[1].fileno()}<UNIX:[{b}->{a}]>", file=f)
	os.rename("want.new", "want")
	end = time.time() + 60
	while time.time() < end:
	    for s in pair:
	        s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
	    time.sleep(0.05)
	END
	python3 pair.py 3>&- &
	old=$!
	until_true [ -s want ]
	timeout 60 "$PERF" trace -p $old -e getsockopt --max-events 10 -o out
	kill $old
	named | diff want -
}

# The name of a UNIX socket may hold newlines, and /proc/net/unix prints them as they are.
@test "a UNIX socket's name cannot pass for another socket's" {
	cat >forge.py <<-'END'
	import os, socket, sys, time
	def inode(s):
	    return os.fstat(s.fileno()).st_ino
	victims = [socket.socket()] + [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(16)]
	for n, s in enumerate(victims[1:]):
	    s.bind("\0perf-%d-%d" % (os.getpid(), n))
	line = "%016x: 00000002 00000000 00010000 0001 01 %d /spoof"
	liars = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in victims]
	for liar, victim in zip(liars, victims):
	    liar.bind("\0x%d\n" % inode(victim) + line % (0, inode(victim)))
	with open("want.new", "w") as f:
	    print(f"{victims[0].fileno()}<TCP:[{inode(victims[0])}]>", file=f)
	    for n, s in enumerate(victims[1:]):
	        name = f',@"perf-{os.getpid()}-{n}"' if sys.argv[1] == "asked" else ""
	        print(f"{s.fileno()}<UNIX:[{inode(s)}{name}]>", file=f)
	os.rename("want.new", "want")
	end = time.time() + 60
	while time.time() < end:
	    for s in victims:
	        s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
	    time.sleep(0.05)
	END
	# in perf's own network namespace the kernel is asked; elsewhere, no name is better than a wrong one
	for where in "env" "unshare -n"; do
		$where true 2>/dev/null || continue
		rm -f want
		known=listed
		[ "$where" != env ] || ! has_unix_diag || known=asked
		$where python3 forge.py $known 3>&- &
		old=$!
		until_true [ -s want ]
		timeout 60 "$PERF" trace -p $old -e getsockopt --max-events 40 -o out
		kill $old
		named | diff want - || { echo "$where"; return 1; }
	done
}

@test "the sockets of each network namespace are read once" {
	command -v strace >/dev/null || skip "no strace"
	unshare -n true 2>/dev/null || skip "no network namespaces here"
	cat >turns.py <<-'END'
	import ctypes, os, socket, time
	CLONE_NEWNET = 0x40000000
	libc = ctypes.CDLL(None, use_errno=True)
	home = os.open("/proc/self/ns/net", os.O_RDONLY)
	assert not libc.unshare(CLONE_NEWNET)
	spaces = [home, os.open("/proc/self/ns/net", os.O_RDONLY)]
	start, go = os.pipe()
	pids, made = [], []
	for i in range(6):
	    libc.setns(spaces[i % 2], CLONE_NEWNET)
	    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    s.bind(("0.0.0.0", 0))
	    made.append("UDP:[0.0.0.0:%d]" % s.getsockname()[1])
	    pid = os.fork()
	    if not pid:
	        time.sleep(2 + i / 5) # one after the other
	        end = time.time() + 60
	        while time.time() < end:
	            s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
	            time.sleep(0.05)
	        os._exit(0)
	    pids.append(pid)
	    s.close()
	with open("want.new", "w") as f:
	    print(*made, sep="\n", file=f)
	with open("pids", "w") as f:
	    print(*pids, sep=",", file=f)
	os.rename("want.new", "want")
	time.sleep(60)
	END
	python3 turns.py 3>&- &
	old=$!
	until_true [ -s want ]
	timeout 60 strace -f -e trace=openat -o calls "$PERF" trace -p "$(cat pids)" -e getsockopt --max-events 100 -o out
	kill $old $(tr , ' ' <pids)
	[ "$(grep -o 'UDP:[^>]*' out | sort -u)" = "$(sort want)" ]
	[ "$(grep -c '"/proc/[0-9]*/net/tcp"' calls)" -eq 2 ]
}

@test "an array in a line ends at ten times --string-limit characters" {
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	cat >long.c <<-'END'
	#include <fcntl.h>
	#include <poll.h>
	#include <sys/uio.h>
	enum { COUNT = 16 };
	int main(void)
	{
		struct iovec v[COUNT];
		struct pollfd p[COUNT];
		int fd = open("/dev/null", O_WRONLY);

		for (int i = 0; i < COUNT; i++) {
			v[i] = (struct iovec){ "0123456789", 10 };
			p[i] = (struct pollfd){ fd, POLLOUT, 0 };
		}
		writev(fd, v, 2);
		writev(fd, v, COUNT);
		poll(p, COUNT, 0);
		return 0;
	}
	END
	gcc -O1 -o long long.c
	entry='\{ \.base: "0123456789", \.len: 10 \}'
	# an entry and its comma have 37 characters; the one that reaches the limit is the last
	"$PERF" trace --string-limit 11 -e writev,poll -o out ./long
	grep -qE "vec: \[$entry, $entry\], vlen: 2\) " out
	grep -qE "vec: \[($entry, ){4}\.\.\], vlen: 16\) " out
	grep -qE 'ufds: \[(\{ \.fd: [0-9]+<[^}]*\}, )+\.\.\], nfds: 16\) ' out
	"$PERF" trace --string-limit 11 --json -e writev -o json ./long
	python3 - <<-'END'
	import json
	for line in open("json"):
	    assert len(json.loads(line)["args"]) < 220, line
	END
	"$PERF" trace --string-limit 0 -e writev -o all ./long
	run ! grep -qE "vec: \[($entry, ){4}\.\.\], vlen: 16\) " all
}

@test "places of probes are in hexadecimal, with names" {
	PROBE=trace_place$$
	cat >probed.c <<-'END'
	__attribute__((noinline)) int probed(int k) { __asm__ volatile("" : "+r"(k)); return k + 1; }
	int main(void) { return probed(3) == 5; }
	END
	gcc -O1 -fcf-protection=none -o probed probed.c 2>/dev/null || gcc -O1 -o probed probed.c
	"$PERF" probe -q -x ./probed "$PROBE:in=probed" || skip "no uprobes here"
	"$PERF" probe -q -x ./probed "$PROBE:out=probed%return"
	"$PERF" trace --no-syscalls -e "$PROBE:*" -o out ./probed
	at=$((16#$(nm probed | sed -n 's/ T probed$//p')))
	grep -qE "$PROBE:in\(__probe_ip: 0x[0-9a-f]+ \(probed\+0x0\)\)$" out
	grep -qE "$PROBE:out\(__probe_func: 0x[0-9a-f]+ \(probed\+0x0\), __probe_ret_ip: 0x[0-9a-f]+ \(main\+0x[0-9a-f]+\)\)$" out
	# the address is that of the running program: its last three digits are those of the file
	[ $((16#$(sed -n 's/.*:in(__probe_ip: 0x\([0-9a-f]*\) .*/\1/p' out) % 4096)) -eq $((at % 4096)) ]
}
