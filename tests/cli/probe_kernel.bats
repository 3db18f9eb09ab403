#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf probe with a whole kernel's debug information: nothing here needs kprobes.
bats_require_minimum_version 1.5.0

setup_file() {
	KERNEL=$("$BATS_TEST_DIRNAME/../guests/kernel-debug" --print amd64) ||
		{ export MISSING="no debug information of a kernel here: 'make kernel-debug' fetches it (282 MB)"; return; }
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export KERNEL ORACLE
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir -p source/kernel/sched source/fs
	# Any text will do: only the numbers of the lines count.
	seq 1 12000 | sed 's/^/line /' >source/kernel/sched/core.c
	cp source/kernel/sched/core.c source/fs/read_write.c
}

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
	cd "$BATS_FILE_TMPDIR" || return 1
}

both() { # arguments: perf's and the oracle's standard output in ours and theirs
	"$PERF" probe -k "$KERNEL" "$@" >ours || return 1
	"$ORACLE" probe -k "$KERNEL" "$@" >theirs 2>/dev/null || true
}
same() { both "$@" && [ -s ours ] && diff theirs ours || { echo "differs: $*"; return 1; }; }

@test "-D: definitions as Debian's perf has them" {
	while read -r definition; do
		same -D "$definition" || return 1
	done <<-'EOS'
	vfs_read count
	vfs_read file->f_path.dentry->d_name.name:string count pos
	vfs_read file->f_flags file->f_mode file->f_pos
	do_sys_openat2 dfd filename how
	do_sys_openat2 filename:ustring how->flags
	tcp_sendmsg size sk->__sk_common.skc_state sk
	tcp_sendmsg sk->sk_protocol sk->sk_type
	tcp_sendmsg msg->msg_flags msg->msg_iter.count
	vfs_read%return $retval:s64
	vfs_read%return got=$retval:x64
	put_pid%return
	kernel_clone%return pid=$retval:s32
	ip_rcv skb->dev->name:string
	__dev_queue_xmit skb->len skb->dev->name:string
	do_exit code
	do_sys_openat2:10 fd
	vfs_read:14 ret
	vfs_write $vars
	vfs_write $params
	vfs_read+5
	submit_bio bio->bi_iter.bi_sector bio->bi_opf
	inode_permission inode->i_ino inode->i_sb->s_dev inode->i_mode
	generic_permission inode->i_uid
	path_openat nd->name->name:string
	sched_fork p->policy p->prio
	security_file_open file->f_inode->i_sb->s_id:string
	g:my=vfs_read buf
	vfs_read@fs/read_write.c:6
	fs/read_write.c:461
	kernel/sched/core.c:6660
	tcp_set_state state sk->__sk_common.skc_dport
	task_tick_fair rq->cpu curr->se.vruntime
	__x64_sys_read regs->di
	vfs_read $stack $stack0 $comm
	vfs_read +8(%di):u32
	schedule
	tcp_ack
	EOS
}

@test "-D: bit fields in DWARF 5, and globals of other files, that Debian's perf refuses" {
	both -D 'tcp_v4_rcv skb->len skb->pkt_type'
	[ ! -s theirs ]
	grep -qx 'p:probe/tcp_v4_rcv tcp_v4_rcv+0 len=+112(%di):x32 pkt_type=+128(%di):b3@0/8' ours
	both -D 'vfs_read init_task.comm:string'
	[ ! -s theirs ]
	grep -q 'comm=@init_task+[0-9]*:string$' ours
	both -D 'vfs_read nr_cpu_ids jiffies'
	[ ! -s theirs ]
	grep -q 'vfs_read+0 nr_cpu_ids=@nr_cpu_ids+0:x32 jiffies=@jiffies+0:x64$' ours
}

@test "-D: \$retval has the type that the function returns" {
	both -D 'vfs_read%return got=$retval'
	diff theirs <(sed 's/:s64$//' ours)
	grep -q ':s64$' ours
	both -D 'kfree%return $retval' # void: the register
	diff theirs ours
}

@test "-D: inlined instances have names of their own, as when they are added" {
	both -D 'wake_up_process p->comm:string'
	# Debian's perf gives all of them one name; the places and arguments are the same.
	sed 's/_[0-9]* / /' ours | diff theirs -
	[ "$(sed 's/ .*//' ours | sort -u | wc -l)" = "$(wc -l <ours)" ]
}

@test "-D: a place where a variable has no value does not fail the others" {
	"$PERF" probe -k "$KERNEL" -D 'dev_queue_xmit skb' >ours 2>said
	"$ORACLE" probe -k "$KERNEL" -D 'dev_queue_xmit skb' >theirs 2>/dev/null
	sed 's/_[0-9]* / /' ours | sort >a
	sort theirs | diff - a
}

@test "-V: variables as Debian's perf has them" {
	for place in do_sys_openat2 vfs_read tcp_sendmsg schedule vfs_read:11 tcp_push \
		submit_bio generic_permission inode_permission skb_release_data tcp_ack ip_rcv try_to_wake_up \
		__alloc_pages get_page_from_freelist copy_process do_exit udp_sendmsg path_openat vfs_write+4; do
		same -V "$place" || return 1
	done
}

@test "-V --range: where each one lives; --externs: those of other files, too" {
	both -V __alloc_pages --range
	[ -z "$(comm -13 <(sort ours) <(sort theirs))" ]
	grep -q '\[INV\].*alloc_flags.*@<__alloc_pages+\[42-235,' ours
	"$PERF" probe -k "$KERNEL" -V __alloc_pages --externs >ours
	grep -q '	int	node_reclaim_mode$' ours
	grep -q '	struct mutex	oom_lock$' ours
	! grep -q __UNIQUE_ID___addressable ours || return 1
}

@test "-V: void and constants, where Debian's perf has no name or nothing" {
	both -V fsnotify
	grep -q '(unknown_type)	data' theirs
	grep -q '	void\*	data$' ours
	both -V link_path_walk --range
	grep -q '\[VAL\].int.depth' ours
}

@test "-L: lines of a function and of a file" {
	same -s source -L vfs_read
	same -s source -L vfs_read:3-12
	same -s source -L fs/read_write.c:450-480
	"$PERF" probe -k "$KERNEL" -s source -L schedule >ours
	"$ORACLE" probe -k "$KERNEL" -s source -L schedule >theirs
	# "do {" can be probed, which Debian's perf takes but does not show.
	diff theirs ours | grep '^[<>]' | tr -s ' ' >changes
	printf '%s\n' '< line 6658' '> 5 line 6658' | diff - changes
	"$ORACLE" probe -k "$KERNEL" -D schedule:5 | grep -q 'schedule+76$'
}

@test "-F: each function once; without those that are gone once the kernel runs" {
	both -F
	[ -z "$(sort ours | uniq -d)" ]
	grep -qx vfs_read ours
	run ! grep -qx start_kernel ours
	# What only Debian's perf has are labels of assembly, which is no function's code.
	[ -z "$(comm -23 ours <(sort -u theirs))" ]
	[ "$(comm -13 ours <(sort -u theirs) | wc -l)" -lt 200 ]
	comm -13 ours <(sort -u theirs) | grep -qx asm_exc_page_fault
	both -F 'tcp_send*'
	sort -u theirs | diff - ours
}

@test "a file of another kernel is refused where the running one is probed" {
	run "$PERF" probe -n -k "$KERNEL" vfs_read
	[ "$status" -ne 0 ]
	[[ $output == *"build-id"* || $output == *"kprobe"* ]]
}

@test "lines without code, functions and variables that are not there: near ones are named" {
	run "$PERF" probe -k "$KERNEL" -D vfs_read:15
	[ "$status" = 1 ]
	[[ $output == *"line 15 of 'vfs_read' has no code"*"nearest lines"* ]]
	run "$PERF" probe -k "$KERNEL" -D vfs_raed
	[[ $output == *"did you mean 'vfs_read'"* ]]
	run "$PERF" probe -k "$KERNEL" -D 'vfs_read cuont'
	[[ $output == *"count"* ]]
	run "$PERF" probe -k "$KERNEL" -D 'fsnotify_access%return'
	[ "$status" = 1 ]
	[[ $output == *inline* ]]
}
