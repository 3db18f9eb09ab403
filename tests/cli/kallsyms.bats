#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# Kernel symbols by name.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000010 t twice' 'ffffffff81000020 T between' \
		'ffffffff81000040 T alias_a' 'ffffffff81000040 T alias_b' 'ffffffff81000050 t twice' \
		'ffffffff81000080 T last' $'ffffffffc0000000 t init_it\t[mod_a]' $'ffffffffc0000100 t twice\t[mod_a]' \
		$'ffffffffc0000140 t behind\t[mod_a]' $'ffffffffc0001000 t bpf_prog_1_x\t[bpf]' >list
}

@test "kernel, module, BPF program, alias: object and range" {
	run "$PERF" kallsyms --kallsyms list between init_it bpf_prog_1_x alias_a
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "between: [kernel] [kernel.kallsyms] 0xffffffff81000020-0xffffffff81000040 (0xffffffff81000020-0xffffffff81000040)" ]
	[ "${lines[1]}" = "init_it: [mod_a] [mod_a] 0xffffffffc0000000-0xffffffffc0000100 (0xffffffffc0000000-0xffffffffc0000100)" ]
	[[ "${lines[2]}" == "bpf_prog_1_x: [bpf] [bpf] 0xffffffffc0001000-"* ]]
	[[ "${lines[3]}" == *" 0xffffffff81000040-0xffffffff81000050 "* ]]
}

@test "a name that several have, and one that none has" {
	run "$PERF" kallsyms --kallsyms list twice nothing
	[ "$status" -eq 1 ]
	[ "$(grep -c '^twice: ' <<<"$output")" -eq 3 ]
	[ "${lines[3]}" = "nothing: not found" ]
}

@test "the running kernel: the system's perf says the same" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	for name in schedule vfs_read do_exit; do
		"${RIVAL_PERF:-/usr/bin/perf}" kallsyms $name >theirs
		"$PERF" kallsyms $name >ours
		diff theirs ours
	done
}

@test "hidden addresses are explained" {
	sed 's/^[0-9a-f]*/0000000000000000/' list >hidden
	run "$PERF" kallsyms --kallsyms hidden between
	[ "$status" -eq 1 ]
	[[ "$output" == *"holds no addresses"*"hint: as root: cp /proc/kallsyms FILE"* ]]
	[ "$(id -u)" -eq 0 ] || skip "not root"
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod 755 .
	cp "$PERF" ./p
	run setpriv --reuid 65534 --clear-groups ./p kallsyms schedule
	if setpriv --reuid 65534 --clear-groups head -n 50 /proc/kallsyms | grep -qv '^0* '; then
		[ "$status" -eq 0 ]
	else
		[ "$status" -eq 1 ]
		[[ "$output" == *"hides the addresses"*"kptr_restrict is $(cat /proc/sys/kernel/kptr_restrict)"* ]]
	fi
}

@test "wrong use" {
	run "$PERF" kallsyms
	[ "$status" -eq 129 ]
	[[ "$output" == *"name a kernel symbol"* ]]
	run "$PERF" kallsyms --kallsyms nowhere x
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot open 'nowhere'"* ]]
	run "$PERF" kallsyms --kallsyms /bin/true x
	[ "$status" -eq 1 ]
}
