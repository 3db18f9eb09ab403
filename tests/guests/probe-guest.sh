# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel probes, in a guest with kprobes (busybox sh): one "ok NAME" or "not ok NAME" a check.
mount -t debugfs none /sys/kernel/debug 2>/dev/null
events=/sys/kernel/tracing/kprobe_events
cd /tmp || exit 1

check() { # name, command...
	name=$1
	shift
	if "$@" >log 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' log
	fi
}
fails() { # text of the refusal, command...
	text=$1
	shift
	if "$@" 2>err; then echo "was taken"; return 1; fi
	cat err
	grep -q "$text" err
}
record() { perf record -q -o data "$@" -a -- dd if=/dev/zero of=/dev/null bs=777 count=5; }

entry() {
	perf probe -q 'vfs_read count=%dx:u64 third=$arg3:u64 comm=$comm' || return 1
	record -e probe:vfs_read 2>/dev/null
	perf script -i data >script
	cat script
	[ "$(grep -c 'count=777 third=777 comm="dd"' script)" = 5 ]
}
filter() {
	record -e probe:vfs_read --filter 'count == 777' 2>/dev/null
	perf script -i data >script
	cat script
	[ "$(wc -l <script)" = 5 ]
}
counted() {
	perf stat -x, -o st -e probe:vfs_read dd if=/dev/zero of=/dev/null bs=1 count=500
	cat st
	n=$(sed -n 's/^\([0-9]*\),.*probe:vfs_read.*/\1/p' st)
	[ "$n" -ge 500 ] && [ "$n" -lt 600 ]
}
listed() {
	perf probe -l >l
	cat l
	perf list 'probe:*' | grep -q probe:vfs_read &&
		grep -q 'probe:vfs_read  *(on vfs_read with count third comm)' l
}
return_value() {
	perf probe -q 'vfs_read%return ret=$retval:s64' || return 1
	record -e probe:vfs_read__return 2>/dev/null
	perf script -i data >script
	cat script
	[ "$(grep -c 'ret=777' script)" = 5 ]
}
maxactive() {
	perf probe -q --maxactive 20 'm=vfs_write%return' || return 1
	cat $events
	grep -q '^r20:probe/m ' $events
}
string() {
	echo secret >/tmp/unmistakable
	perf probe -q 'opened=do_sys_openat2 name=+0(%si):ustring' || return 1
	perf record -q -o data -e probe:opened -- cat /tmp/unmistakable
	perf script -i data >script
	cat script
	grep -q 'name="/tmp/unmistakable"' script
}
glob() {
	perf probe -q 'vfs_read*' -f || return 1
	cat $events
	[ "$(grep -c 'probe/vfs_read' $events)" -ge 4 ]
}
in_module() {
	perf probe 'dummy_dev_init' || return 1
	perf probe -q -m dummy 'setup=dummy_setup' || return 1
	perf probe -l >l
	cat l
	grep -q 'probe:dummy_dev_init *(on dummy_dev_init in dummy)' l || return 1
	perf record -q -o data -e 'probe:dummy_dev_init,probe:setup' -a -- ip link add d7 type dummy || return 1
	perf script -i data >script
	cat script
	grep -q dummy_dev_init script && grep -q probe:setup script
}
cached() {
	perf probe -q --cache 'kept=vfs_read count=%dx:u64' || return 1
	perf probe -q -d kept || return 1
	perf probe --cache -l >l
	cat l
	grep -q '^\[kernel.kallsyms\] ([0-9a-f]*):$' l && grep -q '^probe:kept=vfs_read count=%dx:u64$' l || return 1
	perf probe -q %kept || return 1
	cat $events
	grep -q 'p:probe/kept _text+[0-9]* count=%dx:u64' $events || return 1
	perf probe --cache -d kept && [ -z "$(perf probe --cache -l)" ]
}
by_pmu() {
	[ -e /sys/bus/event_source/devices/kprobe/type ] || return 1
	perf record -q -a -o data --probe 'entry=vfs_read' --probe 'left=vfs_read%return' -- \
		sh -c "cat $events >listed; dd if=/dev/zero of=/dev/null bs=777 count=5" 2>/dev/null || return 1
	perf script -i data -F comm,event,ip,sym >script
	tail -20 script
	[ -z "$(cat listed)" ] && [ "$(grep -c 'dd *probe:entry:.*vfs_read' script)" -ge 5 ] &&
		[ "$(grep -c 'dd *probe:left:' script)" -ge 5 ]
}
removed() {
	perf probe -d '*' || return 1
	cat $events
	[ -z "$(cat $events)" ] && [ -z "$(perf probe -l)" ]
}
dry_run() { perf probe -n vfs_read; perf probe -D vfs_read; [ -z "$(cat $events)" ]; }
definition() { perf probe -D 'vfs_read%return $retval' | grep -q '^r:probe/vfs_read__return .*[+][0-9]* \$retval'; }
bootconfig() { perf probe --bootconfig -D 'vfs_read c=%dx' | grep -q "^ftrace.event.kprobes.vfs_read.probes = '.*c=%dx'"; }

check entry entry
check filter filter
check listed listed
check counted counted
check return return_value
check maxactive maxactive
check string string
check glob glob
check module in_module
check cached cached
check removed removed
check pmu by_pmu
check dry-run dry_run
check definition definition
check bootconfig bootconfig
check other-module fails 'is in: dummy' perf probe -m virtio_blk dummy_setup
check no-module fails 'not loaded' perf probe -m nosuchmodule f
check no-debuginfo fails 'linux-image-.*-dbg' perf probe vfs_read:3
check no-function fails "no function 'nosuchfunction'" perf probe nosuchfunction
check boundary fails 'instruction boundary' perf probe vfs_read+1
check blacklist fails 'blacklisted' perf probe kprobe_dispatcher
check clean test -z "$(cat $events)"
