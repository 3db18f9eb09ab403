# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Probes on arm64, in a guest (busybox sh): its registers and calling convention.  "ok NAME" or "not ok NAME" a check.
kernel=/sys/kernel/tracing/kprobe_events
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
	perf probe -q -d '*' 2>/dev/null
}
record() { # event, options...: reads of 777 bytes
	perf record -q -o data -e "$@" -- dd if=/bin/busybox of=/dev/null bs=777 count=5 2>/dev/null
	perf script -i data >script
	cat script
}
registers() {
	perf probe -q 'vfs_read count=%x2:u64 third=$arg3:u64 comm=$comm' || return 1
	cat $kernel
	record probe:vfs_read --filter 'count == 777'
	[ "$(grep -c 'count=777 third=777 comm="dd"' script)" = 5 ]
}
returned() {
	perf probe -q 'vfs_read%return ret=$retval:s64' || return 1
	record probe:vfs_read__return
	[ "$(grep -c 'ret=777' script)" = 5 ]
}
# functions of one name are told apart by their distance from the start of the kernel's text
instances() { # "" or "%return"
	awk '{ print $2 }' /sys/kernel/debug/kprobes/blacklist 2>/dev/null >never
	awk 'NF == 3 && $2 == "t" && $3 ~ /^[a-z][a-z_]*$/ { n[$3]++ } END { for (f in n) if (n[f] == 2) print f }' /proc/kallsyms |
		sort >twice
	{ if [ -s never ]; then grep -vxFf never twice; else cat twice; fi; } | grep '_show$' >names || return 1
	twin=$(head -n 1 names)
	perf probe -q "i=$twin$1" || return 1
	cat $kernel
	awk -v f="$twin" 'NF == 3 && $3 == f { print $1 }' /proc/kallsyms | sort >wanted
	start=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	base=_text
	grep -q ' _text+' $kernel || { base=_stext; start=$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms); }
	for more in $(sed -n "s/.* $base+\(0x[0-9a-f]*\|[0-9]*\).*/\1/p" $kernel); do
		printf '%016x\n' $((0x$start + more))
	done | sort >found
	cat wanted found
	[ "$(wc -l <found)" = 2 ] && cmp wanted found
}
string() {
	echo secret >unmistakable
	perf probe -q 'opened=do_sys_openat2 name=+0(%x1):ustring' || return 1
	perf record -q -o data -e probe:opened -- cat unmistakable && perf script -i data >script
	cat script
	grep -q 'name="unmistakable"' script
}
program() { # definition, what perf script prints of it
	perf probe -q -x /test/work -a "e=$1" || return 1
	cat /sys/kernel/tracing/uprobe_events
	perf record -q -o data -e 'probe_work:e' -- /test/work >printed && perf script -i data -F trace |
		sed 's/^ *([0-9a-f <-]*) //; s/ *$//' >script
	cat script printed
	[ "$(cat script)" = "$2" ]
}
by_pmu() {
	perf record -q -a -o data --probe 'entry=vfs_read' -- dd if=/dev/zero of=/dev/null bs=777 count=5 2>/dev/null
	perf script -i data -F comm,event,ip,sym >script
	[ "$(grep -c 'dd *probe:entry:.*vfs_read' script)" -ge 5 ]
}

check registers registers
check return returned
check instances instances ''
check instances-return instances %return
check string string
check variables program 'work n str:string p->b p->last' "$(sed 's/^ret.*//; /^$/d' /test/printed)"
check user-argument program 'work second=$arg2:s32 same=%x1:s32' "$(sed -n 's/^n=\(-*[0-9]*\) .*/second=\1 same=\1/p' /test/printed)"
check user-return program 'work%return $retval' "$(sed -n 's/^ret=/arg1=/p' /test/printed)"
check pmu by_pmu
