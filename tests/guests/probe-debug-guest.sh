# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel probes with debug information, in a guest (busybox sh): "ok NAME" or "not ok NAME" a check.
mount -t debugfs none /sys/kernel/debug 2>/dev/null
events=/sys/kernel/tracing/kprobe_events
release=$(uname -r)
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
fails() { # text of the refusal, command...
	text=$1
	shift
	if "$@" 2>err; then echo "was taken"; return 1; fi
	cat err
	grep -q "$text" err
}
record() { # event, options...: reads of 777 bytes
	event=$1
	shift
	perf record -q -o data -e "$event" "$@" -- dd if=/test/script of=/dev/null bs=777 count=5 2>/dev/null
	perf script -i data >script
	cat script
}

entry() {
	perf probe -q 'vfs_read count:u64 name=file->f_path.dentry->d_name.name:string' || return 1
	cat $events
	record probe:vfs_read
	[ "$(grep -c 'count_u64=777 name="script"' script)" = 5 ]
}
members() {
	perf probe -q 'v=vfs_read file->f_mode file->f_inode->i_ino:u64 file->f_inode->i_mode:x16' || return 1
	record probe:v
	want=$(printf 'i_ino=%d i_mode=0x%x' "$(stat -c %i /test/script)" 0x"$(stat -c %f /test/script)")
	echo "want $want"
	[ "$(grep -c "$want" script)" = 5 ]
}
bits_and_arrays() {
	perf probe -q 'b=wake_up_new_task p->sched_reset_on_fork p->comm:string p->comm[0..2] last=p->comm[1]:u8' || return 1
	cat $events
	perf record -q -o data -e probe:b -- sh -c 'true & wait' && perf script -i data >script
	cat script
	# "sh"
	grep -q 'sched_reset_on_fork=0 comm="sh" comm_1={115,104,0} last=104' script
}
line() {
	l=$(perf probe -L vfs_read -s /test/source | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' | sed -n 4p)
	echo "line $l"
	perf probe -q "l=vfs_read:$l count:u64" || return 1
	cat $events
	record probe:l
	[ "$(grep -c 'count_u64=777' script)" = 5 ]
}
return_value() {
	perf probe -q 'vfs_read%return got=$retval' || return 1
	cat $events
	record probe:vfs_read__return
	[ "$(grep -c 'got=777' script)" = 5 ]
}
filter() {
	perf probe -q 'vfs_read count' || return 1
	record probe:vfs_read --filter 'count == 777'
	[ "$(wc -l <script)" = 5 ]
}
string() {
	echo secret >unmistakable
	perf probe -q 'o=do_sys_openat2 filename:ustring how->flags' || return 1
	cat $events
	perf record -q -o data -e probe:o -- cat unmistakable && perf script -i data >script
	cat script
	grep -q 'filename_ustring="unmistakable"' script
}
variables() {
	perf probe -V vfs_read >v
	cat v
	grep -q '	size_t	count$' v && grep -q '	struct file\*	file$' v
}
module() {
	perf probe -q -m dummy 'n=dummy_xmit skb->len' || return 1
	cat $events
	grep -q 'dummy:dummy_xmit len=+112(%di):x32' $events
}
module_found() {
	perf probe 'dummy_xmit skb->len dev->name:string' || return 1
	ip link add d8 type dummy && ip link set d8 up && ip addr add 10.9.9.1/24 dev d8
	perf record -q -o data -e probe:dummy_xmit -a -- ping -c 1 -W 1 10.9.9.2 >/dev/null
	perf script -i data >script
	cat script
	ip link del d8
	grep -q 'name="d8"' script && perf probe -l | grep 'dummy_xmit in dummy\|dummy_xmit@'  
}
module_file() {
	perf probe -q -m /lib/modules/"$release"/kernel/drivers/net/dummy.ko 'f=dummy_xmit skb->len' || return 1
	grep -q 'p:probe/f dummy:dummy_xmit len=' $events || { cat $events; return 1; }
	perf probe -m /usr/lib/debug/lib/modules/"$release"/kernel/drivers/net/dummy.ko -V dummy_xmit | grep -q 'sk_buff\*	skb'
}
module_glob() {
	perf probe -q 'G=dummy_xm* skb->len' || return 1
	grep 'p:probe/G dummy:dummy_xmit len=+112(%di):x32' $events
}
module_line() {
	l=$(perf probe -m dummy -L dummy_xmit -s /test/source | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' | sed -n 2p)
	perf probe -q -m dummy "dummy_xmit:$l dev" && grep 'dummy:dummy_xmit' $events
}
inlined() {
	perf probe -q 'i=fsnotify_modify file' 2>err || { cat err; return 1; }
	cat $events
	[ "$(grep -c 'probe/i' $events)" -ge 2 ]
}
listed() {
	perf probe -q 'vfs_read:6 count' 2>/dev/null || perf probe -q 'vfs_read count' || return 1
	perf probe -l >l
	cat l
	grep -q 'probe:vfs_read.* (on vfs_read.*@fs/read_write.c with count)' l
}
session() {
	perf record -q -o data --probe 'vfs_read count:u64' -- dd if=/test/script of=/dev/null bs=777 count=5 2>/dev/null
	perf script -i data >script
	cat script
	[ "$(grep -c 'probe:vfs_read: .*count_u64=777' script)" = 5 ] && [ -z "$(cat $events)" ]
}

check variables variables
check entry entry
check members members
check bits bits_and_arrays
check line line
check return return_value
check filter filter
check string string
check module module
check module-found module_found
check module-file module_file
check module-line module_line
check module-glob module_glob
check inlined inlined
check listed listed
check session session
check no-line fails 'nearest lines' perf probe -q vfs_read:15
check no-variable fails "did you mean 'count'" perf probe -q 'vfs_read cuont'
check not-here fails 'has no value here\|optimised out' perf probe -q 'vfs_read:6 ret'
check inlined-return fails 'inlined' perf probe -q 'fsnotify_modify%return'
check boundary fails 'instruction boundary\|inside of an instruction' perf probe -q vfs_read+1
check clean test -z "$(cat $events)"
