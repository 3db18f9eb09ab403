#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# A perf that has more rights than its user does not hand them to code that the user chooses.

bats_require_minimum_version 1.5.0

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give rights"
	type setcap setpriv gcc >/dev/null || skip "no setcap, setpriv or gcc"
	cd "$BATS_TEST_TMPDIR"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" . || true
	mkdir own work
	cp "$PERF" own/perf
	chmod 755 own own/perf
	chmod 777 work
	plugins=$(dirname "$PERF")/build/plugins
	[ -e "$plugins" ] || plugins=$(dirname "$PERF")/plugins
	"$PERF" record -q -e cpu-clock -o d -- true
	chmod 644 d
	cat >caps.c <<-'CODE'
		#include <stdio.h>
		#include <string.h>
		static void show(void)
		{
			char line[256];
			FILE *f = fopen("/proc/self/status", "r"), *out = fopen("work/rights", "w");
			while (fgets(line, sizeof(line), f))
				if (!strncmp(line, "CapPrm", 6) || !strncmp(line, "CapEff", 6))
					fputs(line, out);
			fclose(out);
			fclose(f);
		}
		__attribute__((constructor)) static void begin(void) { show(); }
		int filter_event(void *d, const void *s, void *c) { (void)d; (void)s; (void)c; return 0; }
	CODE
	gcc -shared -fPIC -o caps.so caps.c
}

give_capabilities() {
	setcap cap_perfmon,cap_bpf+ep own/perf 2>/dev/null || skip "no capabilities on this file system"
	user sh -c './own/perf version' >/dev/null 2>&1 || skip "capabilities of files do not work here"
	[ -z "$(findmnt -no OPTIONS -T own/perf 2>/dev/null | grep -w nosuid)" ] || skip "nosuid here"
}

user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$BATS_TEST_TMPDIR/work" "$@"
}

none=$'CapPrm:\t0000000000000000\nCapEff:\t0000000000000000'

@test "a filter gets no capabilities" {
	give_capabilities
	user ./own/perf script -i d --dlfilter ./caps.so >/dev/null
	[ "$(cat work/rights)" = "$none" ]
	rm work/rights
	mkdir -p lib/dlfilters && cp caps.so lib/dlfilters
	user ./own/perf --exec-path=lib script --list-dlfilters | grep caps.so
	[ "$(cat work/rights)" = "$none" ]
}

@test "a script gets no capabilities" {
	"$PERF" check -q feature libpython || skip "built without libpython"
	give_capabilities
	cp -rL "$plugins" own/plugins # others may not read the tree that perf was built in
	echo 'print("".join(l for l in open("/proc/self/status") if l[:6] in ("CapPrm", "CapEff")), end="")' >caps.py
	run --separate-stderr user ./own/perf script -i d -s caps.py
	[ "$status" -eq 0 ]
	[ "$output" = "$none" ]
}

@test "a plugin in PERF_EXEC_PATH is not loaded" {
	give_capabilities
	mkdir -p lib/plugins
	cp caps.so lib/plugins/perf-python.so
	echo 'print(1)' >one.py
	PERF_EXEC_PATH=$PWD/lib user ./own/perf script -i d -s one.py >/dev/null 2>&1 || true
	user ./own/perf --exec-path="$PWD/lib" script -i d -s one.py >/dev/null 2>&1 || true
	[ ! -e work/rights ]
}

@test "a BPF program in a file is refused" {
	"$PERF" check -q feature bpf || skip "built without libbpf"
	give_capabilities
	echo x >x.o
	run user ./own/perf record -e ./x.o -o work/o -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"'./x.o' is not loaded: this perf has rights that its user lacks"* ]]
}

@test "what a set-user-ID perf starts runs as the user, without capabilities" {
	chmod 4755 own/perf
	[ -z "$(findmnt -no OPTIONS -T own/perf 2>/dev/null | grep -w nosuid)" ] || skip "nosuid here"
	run --separate-stderr user ./own/perf stat -e cpu-clock -o work/stat -- id -u
	[ "$output" = 65534 ]
	run --separate-stderr user ./own/perf stat -e cpu-clock -o work/stat -- grep -E '^Cap(Prm|Eff)' /proc/self/status
	[ "$output" = "$none" ]
	user ./own/perf script -i d --dlfilter ./caps.so >/dev/null
	[ "$(cat work/rights)" = "$none" ]
}

@test "tracefs is read with the capabilities of perf's file" {
	give_capabilities
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted at /sys/kernel/tracing"
	! user test -r /sys/kernel/tracing/events/sched || skip "every user may read tracefs here"
	run user ./own/perf stat -e sched:sched_switch true
	[ "$status" -ne 0 ]
	[[ "$output" == *"setcap cap_dac_read_search"* ]]
	[[ "$output" != *chmod* ]]
	setcap cap_perfmon,cap_dac_read_search+ep own/perf
	user ./own/perf stat -e sched:sched_switch true 2>counts
	grep -qE '[0-9]+ +sched:sched_switch' counts
}

@test "files that the user names are not opened with lent rights" {
	give_capabilities
	printf 'secret of root\n' >secret.c
	chmod 600 secret.c
	cat >work/a.c <<-CODE
	# 1 "$PWD/secret.c"
	int burn(void) { return 1; }
	# 2 "a.c"
	int main(void) { return burn(); }
	CODE
	gcc -g -O0 -o work/a work/a.c
	mkdir shut
	chmod 755 shut
	refused() { # with what perf was given just now
		run user ./own/perf probe -x work/a -L burn
		[[ "$output" != *"secret of root"* ]]
		run user ./own/perf report --stdio -i secret.c
		[ "$status" -ne 0 ]
		[[ "$output" == *"Permission denied"* ]]
		run user ./own/perf stat -e task-clock -o shut/x true
		[ "$status" -ne 0 ]
		[ ! -e shut/x ]
		run user ./own/perf record -e cpu-clock:u -o shut/d true
		[ "$status" -ne 0 ]
		[ -z "$(ls shut)" ]
	}
	setcap cap_perfmon,cap_dac_read_search,cap_dac_override,cap_fowner,cap_chown+ep own/perf
	refused
	# tracefs is still there
	[ ! -e /sys/kernel/tracing/events/sched ] || user ./own/perf stat -e sched:sched_switch true
	setcap -r own/perf
	chown 0:0 own/perf
	chmod 4755 own/perf
	refused
	[ ! -e /sys/kernel/tracing/events/sched ] || user ./own/perf stat -e sched:sched_switch true
}

@test "archive packs with a perf that has capabilities" {
	give_capabilities
	type tar bzip2 >/dev/null || skip "no tar or bzip2"
	user ./own/perf record -q -e cpu-clock:u -F 5000 -o work/r -- "$PWD/own/perf" test -w noploop 0.2
	cd work
	user ../own/perf archive r
	tar tjf r.tar.bz2 | grep -q '/elf$'
	user ../own/perf archive --all -f r || user ../own/perf archive --all r
	tar tjf perf.all-*.tar.bz2 >members
	[ "$(sort members | tr '\n' ' ')" = "r r.tar.bz2 " ]
}
