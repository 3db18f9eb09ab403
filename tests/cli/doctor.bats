#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: what it changes is in namespaces, limits and users of its own.
# perf doctor: environments in which something cannot be measured. It names the cause, and the cure, run as printed,
# makes the measurement work. Environments that need another kernel's settings are in tests/guests/doctor.bats.
bats_require_minimum_version 1.5.0

user=61042 # nobody else's, since locked memory is counted for each user

setup_file() {
	here=$BATS_TEST_DIRNAME
	gcc -O1 -o "$BATS_FILE_TMPDIR/refuse-call" "$here/refuse-call.c"
	gcc -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/pmu-shim.so" "$here/pmu-shim.c" -ldl
}

setup() {
	type jq >/dev/null || skip "no jq"
	cd "$BATS_TEST_TMPDIR"
	refuse=$BATS_FILE_TMPDIR/refuse-call
	mkdir bin home
	cp "$PERF" bin/perf
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" . bin bin/perf
	chown $user home 2>/dev/null || true
	# cures say "perf", and "command -v perf"
	export PATH=$PWD/bin:$PATH HOME=$PWD/home
}

needs_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	type setpriv unshare >/dev/null || skip "no setpriv or unshare (Debian package util-linux)"
}

as_user() {
	setpriv --reuid $user --regid $user --clear-groups "$@"
}

# In a mount namespace of its own: shell code, with the functions of this file.
in_mounts() {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	export user refuse
	export -f works fails cure as_user
	unshare -m bash -euo pipefail -c "$@"
}

# An ability, as JSON: NAME COMMAND..., which runs perf doctor
ability() {
	local name=$1
	shift
	"$@" --json >found
	jq -e --arg name "$name" '.abilities[] | select(.name == $name)' found
}

works() { # NAME COMMAND...
	ability=$(name=$1; shift; "$@" --json | jq -e --arg name "$name" '.abilities[] | select(.name == $name)')
	[ "$(jq .works <<<"$ability")" = true ] || { echo "$ability"; return 1; }
}

# NAME OBSTACLE CAUSE COMMAND...: it does not work, for this reason, whose text has these words; sets $cure
fails() {
	ability=$(name=$1; shift 3; "$@" --json | jq -e --arg name "$name" '.abilities[] | select(.name == $name)')
	[ "$(jq .works <<<"$ability")" = false ] || { echo "$ability"; return 1; }
	[ "$(jq -r .obstacle <<<"$ability")" = "$2" ] || { echo "$ability"; return 1; }
	[[ "$(jq -r .cause <<<"$ability")" == *"$3"* ]] || { echo "$ability"; return 1; }
	cure=$(jq -r .cure <<<"$ability")
}

# The command of a cure, as root: what follows the last "as root: ", or all of it
cure() {
	bash -c "${cure##*as root: }"
}

hidden_from_users() { # what perf_event_paranoid forbids
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge "$1" ] || skip "kernel.perf_event_paranoid is below $1 here"
}

# ---- what it prints ----

@test "each ability has one line, and a cause and a cure where it does not work" {
	run -0 perf doctor
	grep -qx 'can count events of programs: yes' <<<"$output" || skip "events of programs cannot be counted here"
	[ -z "$(grep -vE '^(can [^:]+: (yes|no)|    (cause|cure): .+)$' <<<"$output")" ]
	[ "$(grep -c ': no$' <<<"$output")" -eq "$(grep -c '^    cause: ' <<<"$output")" ]
	[ "$(grep '^can' <<<"$output" | head -2 | tail -1)" = "can sample user space: yes" ]
	# a cause follows the line that needs it
	[ -z "$(grep -B1 '^    cause' <<<"$output" | grep ': yes')" ]
}

@test "--json says the same" {
	perf doctor >text
	perf doctor --json >json
	jq -r '.abilities[] | "can \(.can): \(if .works then "yes" else "no" end)", if .works then empty else "    cause: \(.cause)" end,
		if .works or .cure == null then empty else "    cure: \(.cure)" end' json >from_json
	diff text from_json
	[ "$(jq '.abilities | length' json)" -ge 20 ]
	[ "$(jq '[.abilities[].name] | unique | length' json)" -eq "$(jq '.abilities | length' json)" ]
}

@test "--for: what a mode needs, and 3 where it does not work" {
	needs_root
	run -0 perf doctor --for stat
	[[ "$output" == *$'\n\nperf stat works here' ]]
	run -3 "$refuse" perf_event_open EPERM perf doctor --for stat
	[[ "$output" == *$'\n\nperf stat does not work here' ]]
	run -3 "$refuse" perf_event_open EPERM perf doctor --for record --json
	[ "$(jq -r '.for, .works' <<<"$output" | tr '\n' ' ')" = "record false " ]
	[ "$(jq -r '.abilities[] | select(.needed) | .name' <<<"$output")" = sample-user ]
	# without --for nothing was asked for
	run -0 "$refuse" perf_event_open EPERM perf doctor
}

@test "wrong words" {
	run -129 perf doctor --for recrod
	[[ "$output" == "error: --for knows no 'recrod'"*"hint: did you mean 'record'?" ]]
	run -129 perf doctor --for xyzzy
	[[ "$output" == *"hint: it takes record, stat, top, trace, probe and bpf" ]]
	run -129 perf doctor --for
	run -129 perf doctor --for ""
	run -129 perf doctor one two
	[[ "$output" == "error: give one recording"* ]]
	run -129 perf doctor --for record file
	[[ "$output" == "error: --for is about this machine, not about a recording"* ]]
	run -129 perf doctor --jsom
	run -1 perf doctor /nonexistent
	[[ "$output" == "error: "*"/nonexistent"* ]]
	run -1 perf doctor .
	echo text >text
	run -1 perf doctor text
	run -1 bash -c 'perf doctor >/dev/full'
}

@test "the machine is as it was" {
	needs_root
	state() {
		cat /proc/mounts /proc/sys/kernel/perf_event_* /proc/sys/kernel/kptr_restrict
		for f in uprobe_events kprobe_events dynamic_events current_tracer; do
			cat /sys/kernel/tracing/$f 2>/dev/null || true
		done
		find "$HOME"
		ps -eo comm= | grep -cx perf-doctor || true
	}
	state >before
	perf doctor >/dev/null
	state >after
	diff before after
	# not even its own limits outlive it
	strace -f -e trace=mount,umount2,move_mount,setxattr,unlink,rename,mkdir -o calls perf doctor >/dev/null 2>&1 || true
	[ ! -s calls ] || ! grep -E '^[0-9]+ +(mount|umount2|move_mount|setxattr|unlink|rename|mkdir)\(' calls
}

@test "a /proc that lies changes no answer" {
	needs_root
	hidden_from_users 2
	echo -1 >open
	echo 4 >closed
	chmod 644 open closed
	in_mounts '
		works sample-kernel perf doctor
		mount --bind closed /proc/sys/kernel/perf_event_paranoid
		works sample-kernel perf doctor
		works system-wide perf doctor
		mount --bind open /proc/sys/kernel/perf_event_paranoid
		ability=$(as_user perf doctor --json | jq ".abilities[] | select(.name == \"sample-kernel\") | .works")
		[ "$ability" = false ]'
}

# ---- the environments ----

@test "perf_event_paranoid" {
	needs_root
	hidden_from_users 2
	fails sample-kernel paranoid "measuring the kernel needs 1 or CAP_PERFMON" as_user perf doctor
	[ "$cure" = "as root: sysctl kernel.perf_event_paranoid=1" ]
	fails system-wide paranoid "measuring every process of a CPU needs 0" as_user perf doctor
	[ "$cure" = "as root: sysctl kernel.perf_event_paranoid=0" ]
	works sample-user as_user perf doctor
	# record says the same
	run -1 as_user perf record -a -o home/d true
	[[ "$output" == *"needs 0 or CAP_PERFMON"*"$cure"* ]]
	run -0 as_user perf doctor --for record
	run -3 as_user perf doctor --for top
}

@test "root without CAP_PERFMON and CAP_SYS_ADMIN" {
	needs_root
	hidden_from_users 2
	fails sample-kernel root-without-capability "root lacks CAP_PERFMON and CAP_SYS_ADMIN" \
		setpriv --bounding-set -perfmon,-sys_admin perf doctor
	[[ "$cure" == *"--cap-add PERFMON"* ]]
	works sample-kernel setpriv --bounding-set -sys_admin perf doctor
	run -1 setpriv --bounding-set -perfmon,-sys_admin perf record -a -o d true
	[[ "$output" == *"root lacks CAP_PERFMON"*"--cap-add PERFMON"* ]]
}

@test "seccomp refuses perf_event_open with EPERM or ENOSYS" {
	needs_root
	for err in EPERM ENOSYS; do
		for name in count sample-user sample-kernel system-wide; do
			fails $name seccomp "a seccomp filter refuses perf_event_open" "$refuse" perf_event_open $err perf doctor
			[[ "$cure" == *"--security-opt seccomp=unconfined"* ]]
		done
		run -1 "$refuse" perf_event_open $err perf record -o d true
		[[ "$output" == *"a seccomp filter refuses perf_event_open"*"--security-opt seccomp=unconfined"* ]]
	done
	# a filter that lets it pass is not the cause
	works sample-user "$refuse" bpf EPERM perf doctor
}

@test "seccomp refuses bpf()" {
	needs_root
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	perf doctor --for bpf || skip "no BPF here"
	for err in EPERM ENOSYS; do
		fails bpf bpf-seccomp "a seccomp filter refuses bpf()" "$refuse" bpf $err perf doctor
		[[ "$cure" == *"--cap-add BPF"*"seccomp=unconfined"* ]]
		run -3 "$refuse" bpf $err perf doctor --for bpf
		run -0 "$refuse" bpf $err perf doctor --for record
		run -1 "$refuse" bpf $err perf trace --bpf-summary -s true
		[[ "$output" == *"--bpf-summary needs BPF, and a seccomp filter refuses bpf()"*"hint: $cure"* ]]
	done
	works bpf "$refuse" perf_event_open EPERM perf doctor
}

@test "root of a user namespace" {
	needs_root
	hidden_from_users 2
	as_user unshare -Ur true 2>/dev/null || skip "users may not make user namespaces here"
	fails sample-kernel user-namespace "root of a user namespace has no rights over the machine" as_user unshare -Ur perf doctor
	[[ "$cure" == "run perf outside of the namespace"* ]]
	works sample-user as_user unshare -Ur perf doctor
	# and record measures what it may, as for every user
	run -0 as_user unshare -Ur perf record -o home/d -e cpu-clock true
	[[ "$output" == *"only user space is measured"* ]]
	works sample-kernel perf doctor
}

@test "a process of another PID namespace" {
	needs_root
	unshare -fp --mount-proc true 2>/dev/null || skip "no PID namespaces here"
	fails host-pids pid-namespace "numbers of its own for processes" unshare -fp --mount-proc perf doctor
	[[ "$cure" == "run perf on the host"* ]]
	sleep 60 3>&- &
	pid=$!
	run -1 unshare -fp --mount-proc perf record -e cpu-clock -o d -p $pid -- sleep 0.01
	[[ "$output" == *"no process $pid runs here"*"run perf on the host"* ]]
	run -0 perf record -e cpu-clock -o d -p $pid -- sleep 0.01
	kill $pid
	works host-pids perf doctor
}

@test "tracefs is not mounted" {
	needs_root
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs here"
	# root with all rights would have one of its own
	in_mounts '
		umount -l /sys/kernel/tracing
		umount -l /sys/kernel/debug 2>/dev/null || true
		! grep -q tracefs /proc/mounts || false
		fails tracepoints tracefs-not-mounted "tracefs is not mounted" setpriv --bounding-set -sys_admin perf doctor
		[ "$cure" = "as root: mount -t tracefs nodev /sys/kernel/tracing" ]
		cure
		works tracepoints setpriv --bounding-set -sys_admin perf doctor'
}

@test "tracefs may not be read by this user" {
	needs_root
	type setcap >/dev/null || skip "no setcap (Debian package libcap2-bin)"
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs here"
	! as_user test -r /sys/kernel/tracing/events/sched || skip "every user may read tracefs here"
	fails tracepoints tracefs-unreadable "may not be read by this user" as_user perf doctor
	[[ "$cure" == *"sudo setcap "* ]]
	give=${cure#*: sudo }
	bash -c "${give%%;*}" || skip "no capabilities on this file system"
	as_user perf stat -x, -e page-faults:k true >/dev/null 2>&1 || skip "capabilities of files do not work here"
	works tracepoints as_user perf doctor
}

@test "tracefs is read-only" {
	needs_root
	[ -e /sys/kernel/tracing/uprobe_events ] || skip "no uprobe_events here"
	works probes perf doctor
	in_mounts '
		mount --bind /sys/kernel/tracing /sys/kernel/tracing
		mount -o remount,bind,ro /sys/kernel/tracing
		fails probes tracefs-read-only "mounted read-only" perf doctor
		[ "$cure" = "as root: mount -o remount,bind,rw /sys/kernel/tracing" ]
		run=$(perf doctor --for probe) && exit 1
		grep -qx "perf probe does not work here" <<<"$run"
		said=$(perf probe -x /bin/true main 2>&1) && exit 1
		said=$(perf probe -d "probe_none:*" 2>&1) || true
		cure
		works probes perf doctor'
}

@test "locked memory is too small for large rings" {
	needs_root
	[ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -lt 1000 ] || skip "kernel.perf_event_mlock_kb is large here"
	ulimit -l 64
	fails rings locked-memory "exceed the locked memory that is allowed" as_user perf doctor
	[[ "$cure" =~ ^smaller\ rings\ with\ (-m\ [0-9]+),\ or\ as\ root: ]]
	fits=${BASH_REMATCH[1]}
	run -1 as_user perf record -m 64M -e cpu-clock:u -o home/d true
	[[ "$output" == *"hint: smaller rings with $fits, or as root: sysctl kernel.perf_event_mlock_kb="* ]]
	# shellcheck disable=SC2086
	run -0 as_user perf record $fits -e cpu-clock:u -o home/d true
	works rings perf doctor
}

@test "too few open files" {
	needs_root
	few() { (ulimit -n 40; as_user "$@"); }
	fails open-files open-files "open files, and 40 are allowed" few perf doctor
	[[ "$cure" =~ ^(ulimit\ -n\ [0-9]+),\ or\ name\ fewer\ events$ ]]
	enough() { (eval "${BASH_REMATCH[1]}"; as_user "$@"); }
	works open-files enough perf doctor
	list=$(printf 'page-faults,%.0s' {1..60})
	run -1 few perf stat -e "${list%,}" true
	[[ "$output" == *"open files, and 40 are allowed"*"hint: ulimit -n "* ]]
	run -0 enough perf stat -e "${list%,}" true
}

@test "no cgroup hierarchy is mounted" {
	needs_root
	perf doctor | grep -qx 'can measure cgroups (-G): yes' || skip "events cannot be bound to cgroups here"
	in_mounts '
		umount -R /sys/fs/cgroup
		fails cgroups cgroup-not-mounted "no cgroup hierarchy is mounted" perf doctor
		said=$(perf stat -a -e cs -G / true 2>&1) && exit 1
		[[ "$said" == *"hint: $cure"* ]]
		cure
		works cgroups perf doctor
		perf stat -a -e cs -G / true'
}

@test "no counters in the CPUs" {
	[ "$(perf stat -x, -e cycles:u true 2>&1 | grep -c '^<not supported>')" -eq 1 ] || skip "this machine has counters"
	fails hardware no-pmu "'cycles:u' is not available" perf doctor
	[[ "$cure" == "use a software event, for example -e cpu-clock" ]]
	run -0 perf record ${cure##*example } -o d true
}

@test "no type information of the kernel" {
	needs_root
	perf doctor --for bpf || skip "no BPF here"
	[ -d /sys/kernel/tracing/events/raw_syscalls ] || skip "no tracepoints of system calls"
	in_mounts '
		mount -t tmpfs none /sys/kernel/btf
		works bpf perf doctor
		fails bpf-types no-btf "this kernel has no /sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)" perf doctor
		[[ "$cure" == *"perf trace --no-bpf" ]]
		perf doctor --for bpf >/dev/null && exit 1
		perf doctor --for trace >/dev/null
		perf trace --no-bpf -o out true
		grep -q execve out'
}

@test "a process of another user" {
	needs_root
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] || skip "every user may measure everything here"
	fails other-users other-user "of another user" as_user perf doctor
	run -1 as_user perf record -e cpu-clock:u -o home/d -p 1 -- sleep 0.01
	[[ "$output" == *"no permission to measure process 1 of another user"*"$cure"* ]]
	as_user sleep 60 3>&- &
	pid=$!
	run -0 perf record -e cpu-clock:u -o d -p $pid -- sleep 0.01
	works other-users perf doctor
	kill $pid
}

@test "the NMI watchdog holds a counter" {
	needs_root
	type sysctl >/dev/null || skip "no sysctl (Debian package procps)"
	export shim=$BATS_FILE_TMPDIR/pmu-shim.so
	in_mounts '
		cp -r /proc/sys/kernel/perf_event_* /proc/sys/kernel/kptr_restrict .
		mount -t tmpfs none /proc/sys/kernel
		cp perf_event_* kptr_restrict /proc/sys/kernel
		with_counters() { LD_PRELOAD=$shim "$@"; }
		echo 1 >/proc/sys/kernel/nmi_watchdog
		works hardware with_counters perf doctor
		fails all-counters nmi-watchdog "the NMI watchdog holds one counter" with_counters perf doctor
		[ "$cure" = "as root: sysctl kernel.nmi_watchdog=0" ]
		cure
		works all-counters with_counters perf doctor'
	# without counters the question does not arise
	perf doctor | grep -q 'can count hardware events (cycles): yes' || ! perf doctor | grep -q 'use all counters'
}

with_file_capabilities() {
	type setcap >/dev/null || skip "no setcap (Debian package libcap2-bin)"
	hidden_from_users 2
	setcap cap_perfmon+ep bin/perf 2>/dev/null || skip "no capabilities on this file system"
	as_user perf version >/dev/null 2>&1 || skip "capabilities of files do not work here"
}

@test "no_new_privs: the capabilities of perf's file are ignored" {
	needs_root
	with_file_capabilities
	works sample-kernel as_user perf doctor
	fails sample-kernel no-new-privs "no_new_privs is set on this process" as_user setpriv --no-new-privs perf doctor
	[[ "$cure" == "start perf from a shell without no_new_privs, or as root: sysctl kernel.perf_event_paranoid=1" ]]
	run -1 as_user setpriv --no-new-privs perf record -e cpu-clock:k -o home/d true
	[[ "$output" == *"no_new_privs is set"* ]]
}

@test "a nosuid mount: the capabilities of perf's file are ignored" {
	needs_root
	with_file_capabilities
	in_mounts '
		mkdir other
		mount -t tmpfs -o nosuid,mode=755 none other
		cp --preserve=xattr,mode bin/perf other/perf
		export PATH=$PWD/other:$PATH
		mount -t tmpfs -o mode=755 none /usr/local/bin
		fails sample-kernel nosuid "its file system is mounted nosuid" as_user perf doctor
		cure
		chmod 755 /usr/local/bin/perf
		works sample-kernel as_user /usr/local/bin/perf doctor'
}

@test "/proc with hidepid" {
	needs_root
	# older ones share the option with all mounts of /proc
	[ "$(printf '%s\n' 5.8 "$(uname -r)" | sort -V | head -1)" = 5.8 ] || skip "Linux 5.8 has an option for each mount of /proc"
	in_mounts '
		may() { as_user --inh-caps=+perfmon --ambient-caps=+perfmon "$@"; }
		mount -t proc -o hidepid=2 proc /proc
		fails other-users hidepid "hides the processes of other users" may perf doctor
		said=$(may perf stat -e task-clock:u -p 1 -- true 2>&1) && exit 1
		[[ "$said" == *"hidepid"*"hint: $cure"* ]]
		cure
		works other-users may perf doctor
		may perf stat -e task-clock:u -p 1 -- true'
}

@test "the build-id cache cannot be written" {
	needs_root
	in_mounts '
		mkdir small
		mount -t tmpfs -o size=32k none small
		export HOME=$PWD/small
		fails build-ids build-id-cache-full "small/.debug is full" perf doctor
		[[ "$cure" == "perf --buildid-dir DIRECTORY, or for good: perf config buildid.dir=DIRECTORY" ]]
		works build-ids perf --buildid-dir "$PWD/cache" doctor
		mount -o remount,ro small
		fails build-ids build-id-cache "Read-only file system" perf doctor
		PERF_CONFIG=$PWD/config perf config buildid.dir="$PWD/cache"
		PERF_CONFIG=$PWD/config works build-ids perf doctor
		[ ! -e cache ]'
	works build-ids perf doctor
	[ -z "$(ls -A home)" ]
}

@test "every library is built in, or its package is named" {
	sed -n 's/^#define MISSING_LIBRARIES //p' "$(dirname "$PERF")/build/gen/config.h" >missing 2>/dev/null || skip "no build/gen/config.h"
	if [ -s missing ]; then
		fails libraries library "this perf was built without" perf doctor
		[[ "$cure" == "apt-get install "*", and build again" ]]
	else
		works libraries perf doctor
	fi
}

# ---- recordings ----

program() {
	cat >spin.c <<-'CODE'
	#include <stdlib.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) static void leaf(void) { for (int i = 0; i < 20000; i++) sum += i; }
	__attribute__((noinline)) static void middle(void) { for (int i = 0; i < 20; i++) leaf(); sum++; }
	int main(void) { for (int n = 0; n < 300; n++) middle(); return 0; }
	CODE
	gcc -O1 -g -fno-omit-frame-pointer -o spin spin.c
}

quality() { # NAME: as JSON
	perf doctor --json d | jq -e --arg name "$1" '.qualities[] | select(.name == $name)'
}

@test "a good recording" {
	program
	perf record -N -q -F 1000 -e cpu-clock:u -g -o d ./spin
	run -0 perf doctor d
	for line in "is complete: yes" "lost no samples: yes" "was never throttled: yes" "finds its objects here: yes"; do
		grep -qx "$line" <<<"$output"
	done
	[ "$(quality complete | jq .holds)" = true ]
	# text and JSON agree
	perf doctor --json d | jq -r '.qualities[] | .holds' | sed 's/true/yes/; s/false/no/' >holds
	diff <(sed -n 's/^[a-z].*: \(yes\|no\)$/\1/p' <<<"$output") holds
	[ "$(perf doctor --json d | jq .samples)" -eq "$(perf script -i d | grep -c cpu-clock)" ]
}

@test "a recording that was cut" {
	program
	perf record -N -q -F 1000 -e cpu-clock:u -g -o whole ./spin
	head -c "$(($(stat -c %s whole) * 2 / 3))" whole >d
	run -0 perf doctor d
	grep -qx "is complete: no" <<<"$output"
	grep -A1 -x "is complete: no" <<<"$output" | grep -q '^    cause: '
}

@test "a recording whose program is gone, and one of another version" {
	program
	perf record -N -q -F 1000 -e cpu-clock:u -o d ./spin
	mv spin away
	run -0 perf doctor d
	grep -qx "finds its objects here: no" <<<"$output"
	[[ "$output" == *"cause: "*"spin"* && "$output" == *"    cure: run 'perf archive'"* ]]
	gcc -O2 -g -o spin spin.c
	[[ "$(quality objects | jq -r '.causes[].cause')" == *spin* ]]
	mv away spin
	[ "$(quality objects | jq .holds)" = true ]
}

@test "a program without debug information; no server is named" {
	program
	gcc -O1 -fno-omit-frame-pointer -o spin spin.c
	perf record -N -q -F 1000 -e cpu-clock:u -o d ./spin
	unset DEBUGINFOD_URLS
	[ "$(quality lines | jq .holds)" = false ]
	[[ "$(quality lines | jq -r '.causes[0].cause')" == "'$PWD/spin' has no debug information: "*"DEBUGINFOD_URLS names no server" ]]
	[[ "$(quality lines | jq -r '.causes[0].cure')" == *"--debuginfod=https://"* ]]
	export DEBUGINFOD_URLS=http://127.0.0.1:1
	[[ "$(quality lines | jq -r '.causes[0].cause')" != *DEBUGINFOD_URLS* ]]
	# the package, as it were: debug information beside the program
	gcc -O1 -g -fno-omit-frame-pointer -o with spin.c
	gcc -O1 -g -fno-omit-frame-pointer -o spin spin.c
	perf record -N -q -F 1000 -e cpu-clock:u -o d ./spin
	[ "$(quality lines | jq "[.causes[] | select(.cause | contains(\"'$PWD/spin'\"))] | length")" -eq 0 ]
}

@test "stacks that end in a library without frame pointers" {
	cat >sorts.c <<-'CODE'
	#include <stdlib.h>
	static volatile unsigned long sum;
	static int cmp(const void *a, const void *b) { sum++; return *(const int *)a - *(const int *)b; }
	int main(void)
	{
		static int v[4000];
		for (int n = 0; n < 400; n++) {
			for (int i = 0; i < 4000; i++)
				v[i] = i * 7919 % 4001;
			qsort(v, 4000, sizeof(*v), cmp);
		}
		return 0;
	}
	CODE
	gcc -O1 -g -fno-omit-frame-pointer -o sorts sorts.c
	perf record -N -q -F 1000 -e cpu-clock:u -g -o d ./sorts
	of_libc() { quality whole | jq '[.causes[] | select(.cause | test("/libc.*: functions that keep no frame pointer"))] | .[0]'; }
	cause=$(of_libc)
	[ "$cause" != null ] || skip "this libc keeps frame pointers"
	[[ "$(jq -r .cure <<<"$cause")" == *"--call-graph dwarf"* ]]
	[ "$(jq .samples <<<"$cause")" -gt 10 ]
	perf record -N -q -F 1000 -e cpu-clock:u --call-graph dwarf -o d ./sorts
	[ "$(of_libc)" = null ]
}

@test "lost samples" {
	program
	perf record -N -q -m 1 -F 20000 -e cpu-clock:u --call-graph dwarf -o d ./spin 2>/dev/null || true
	lost=$(perf report --json -i d 2>/dev/null | jq .truth.lost)
	[ "$lost" -gt 0 ] || skip "nothing was lost"
	[[ "$(quality lost-nothing | jq -r '.causes[0].cause')" == "$lost samples ("*"%) were lost, since buffers were full" ]]
	[[ "$(quality lost-nothing | jq -r '.causes[0].cure')" == "record with larger buffers, -m 16M"* ]]
	perf record -N -q -m 16M -F 1000 -e cpu-clock:u --call-graph dwarf -o d ./spin
	[ "$(quality lost-nothing | jq .holds)" = true ]
}
