# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The function tracers, in a guest whose kernel has them (busybox sh): one "ok NAME" or "not ok NAME" a check.
mount -t debugfs none /sys/kernel/debug 2>/dev/null
tracing=/sys/kernel/tracing
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
# What a user could have set, and what a run must leave as it was.
state() {
	for f in current_tracer tracing_on set_ftrace_pid set_ftrace_filter set_ftrace_notrace set_graph_function \
		set_graph_notrace max_graph_depth tracing_thresh buffer_size_kb tracing_cpumask trace_options; do
		echo "$f: $(sed 's/ (expanded.*//' $tracing/$f)"
	done
	ls $tracing/instances
}

functions() {
	perf ftrace trace -T vfs_read -T vfs_write -- dd if=/dev/zero of=/dev/null bs=777 count=5 >out || return 1
	head -20 out
	[ "$(grep -c ' vfs_write ' out)" -ge 5 ] && [ "$(grep -c ' vfs_read ' out)" -ge 5 ] &&
		! grep -q ' do_sys_open' out && grep -q '^# tracer: function$' out
}
graph() {
	perf ftrace trace -G vfs_read -- dd if=/dev/zero of=/dev/null bs=777 count=5 >out || return 1
	head -20 out
	grep -q 'vfs_read() {' out && grep -q ' us ' out
}
depth() {
	perf ftrace trace -G vfs_read --graph-opts depth=1 -- dd if=/dev/zero of=/dev/null count=5 >out || return 1
	head -20 out
	# "vfs_read() {" is what is read before the end of the call was written
	grep -q 'vfs_read()\(;\| {\)' out && ! grep '[a-z](' out | grep -qv 'vfs_read()'
}
call_graph() {
	perf ftrace trace -T vfs_write --func-opts call-graph -- dd if=/dev/zero of=/dev/null count=2 >out || return 1
	head -20 out
	grep -q '=> ksys_write' out
}
profile() {
	perf ftrace profile -T vfs_write -s count -- dd if=/dev/zero of=/dev/null bs=1 count=100 >out || return 1
	cat out
	n=$(awk '$5 == "vfs_write" { print $4 }' out)
	[ "$n" -ge 100 ] && [ "$n" -le 110 ]
}
latency() {
	perf ftrace latency -T vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=100 >out || return 1
	cat out
	n=$(awk '/count:/ { print $2 }' out)
	[ "$n" -ge 100 ] && [ "$n" -le 110 ] &&
		[ "$(awk -F'|' '/-/ && !/DURATION/ { s += $2 } END { print s }' out)" = "$n" ]
}
latency_bpf() {
	perf ftrace latency -b -T vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=100 >out || return 1
	cat out
	n=$(awk '/count:/ { print $2 }' out)
	[ "$n" -ge 100 ] && [ "$n" -le 110 ]
}
list() {
	perf ftrace -F 'vfs_re*' >out || return 1
	head -20 out
	grep -qx vfs_read out && ! grep -q vfs_write out
}
no_function() {
	if perf ftrace trace -T no_such_function -- true 2>err; then return 1; fi
	cat err
	grep -q "no function that can be traced matches 'no_such_function'" err
}
children() {
	perf ftrace trace -T vfs_write --inherit -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=20; true' >out || return 1
	head -5 out
	[ "$(grep -c ' vfs_write ' out)" -ge 20 ] || return 1
	perf ftrace trace -T vfs_write -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=20; true' >out
	[ "$(grep -c ' vfs_write ' out)" -lt 20 ]
}
system() {
	perf ftrace trace -a -T vfs_write -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=20; true' >out || return 1
	[ "$(grep -c ' vfs_write ' out)" -ge 20 ]
}
killed() {
	state >before
	perf ftrace trace -a -T vfs_write >out 2>err &
	pid=$!
	sleep 2
	kill -9 $pid
	sleep 2
	state >after
	diff before after
}
busy() { # a kernel whose instances have no graph tracer needs tracefs itself, which is someone's here
	echo vfs_fsync >$tracing/set_ftrace_filter # all functions would take very long here
	echo function >$tracing/current_tracer
	if perf ftrace trace -G vfs_read -- true >out 2>err; then
		cat err
		r=0 # it has one
	else
		cat err
		grep -q 'is in use' err
		r=$?
	fi
	[ "$(cat $tracing/current_tracer)" = function ] || r=1
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	return $r
}

# Linux before 6.7 forgets that tracefs's own ring is to be enlarged once an instance has a tracer.
instance_first() {
	cat $tracing/buffer_size_kb
	usual=$(sed 's/.*expanded: //; s/).*//' $tracing/buffer_size_kb)
	perf ftrace trace -a -t nop -m 64K -- true || return 1
	perf ftrace trace -T vfs_read -- true >out || return 1
	cat $tracing/buffer_size_kb
	[ "$(sed 's/.*expanded: //; s/).*//' $tracing/buffer_size_kb)" -ge "$usual" ] # the kernel rounds it up
}
# A ring as small as one that was forgotten is large enough while perf uses it.
small_ring() {
	usual=$(cat $tracing/buffer_size_kb)
	echo 7 >$tracing/buffer_size_kb
	perf ftrace profile -T 'vfs_*' -s count -- dd if=/dev/zero of=/dev/null bs=1 count=3000 >out 2>err
	small=$(cat $tracing/buffer_size_kb)
	echo "${usual%% *}" >$tracing/buffer_size_kb
	cat err
	head -5 out
	n=$(awk '$5 == "vfs_write" { print $4 }' out)
	[ "$n" -ge 3000 ] && [ "$n" -le 3010 ] && ! grep -q lost err && [ "$small" = 7 ]
}
overrun() {
	perf ftrace profile -m 4K -T 'vfs_*' -T 'ksys_*' -- dd if=/dev/zero of=/dev/null bs=1 count=20000 >out 2>err || return 1
	cat err
	grep -q 'events were lost because' err
}

check instance-first instance_first
check small-ring small_ring
check overrun overrun
# The kernel gives its buffer the whole size when a tracer is first chosen, and keeps it.
echo nop >$tracing/current_tracer
state >first
check functions functions
check graph graph
check depth depth
check call-graph call_graph
check profile profile
check latency latency
check latency-bpf latency_bpf
check list list
check no-function no_function
check children children
check system system
check killed killed
check busy busy
state >last
check untouched diff first last
