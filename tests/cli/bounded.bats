#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files that it makes.
# Not in a guest: it measures memory and time.
# What small files and odd terminals ask for is bounded by what they hold.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	! nm -D "$PERF" | grep -q __asan_ || skip "a sanitized program has its own memory and time"
}

# needs MB SECONDS WORDS...: perf WORDS takes less memory and time of processors than that; its output is in out
needs() {
	PERF_WORKERS=2 python3 - "$PERF" "$@" <<-'END'
		import resource, subprocess, sys
		subprocess.run([sys.argv[1]] + sys.argv[4:], stdout=open("out", "w"), stderr=open("err", "w"), timeout=300, check=True)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print("%s: %d MB, %.1f s" % (" ".join(sys.argv[4:]), used.ru_maxrss >> 10, used.ru_utime))
		assert used.ru_maxrss >> 10 < int(sys.argv[2]) and used.ru_utime < float(sys.argv[3])
	END
}

@test "40,000 events in a file: time and memory by their number, not its square" {
	"$BATS_TEST_DIRNAME/make-many" events 40000 many
	needs 400 5 script -i many
	[ "$(grep -c cpu-clock out)" -eq 10 ]
	needs 1000 8 report --stdio -i many
	grep -q 'Samples: 10 ' out
	needs 400 5 evlist -i many
	[ "$(grep -c . out)" -eq 40000 ]
}

@test "the same records a million times in a compressed file are kept once" {
	"$PERF" check -q feature zstd && command -v zstd >/dev/null || skip "no zstd"
	"$BATS_TEST_DIRNAME/make-many" repeated 1000000 many
	[ "$(stat -c %s many)" -lt 100000 ]
	needs 120 60 report --stats -i many
	grep -qE 'MMAP2 events: +1000001 ' out
	grep -qE 'COMM events: +1000001 ' out
}

@test "a terminal that says it has 65535 rows and columns takes little memory" {
	"$BATS_TEST_DIRNAME/make-samples" tree d
	run "$PERF" check -q feature libslang
	[ "$status" -eq 0 ] || skip "no terminal browser"
	python3 - "$PERF" <<-'END'
		import fcntl, os, pty, select, struct, sys, termios, time
		pid, fd = pty.fork()
		if not pid:
		    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 65535, 65535, 0, 0))
		    os.environ["TERM"] = "xterm"
		    os.execv(sys.argv[1], ["perf", "report", "--tui", "-i", "d"])
		seen, until = b"", time.monotonic() + 120
		while b"Samples" not in seen and time.monotonic() < until:
		    if select.select([fd], [], [], 1)[0]:
		        seen += os.read(fd, 65536)
		most = [l for l in open("/proc/%d/status" % pid) if l.startswith("VmHWM")][0]
		os.write(fd, b"q")
		try:
		    while os.read(fd, 65536):
		        pass
		except OSError:
		    pass
		print(most, os.waitpid(pid, 0)[1], seen[-300:])
		assert b"Samples" in seen and int(most.split()[1]) < 300 << 10, most
	END
}
