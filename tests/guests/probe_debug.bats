#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf probe in a kernel that has kprobes, with its debug information; each check of the guest is a test here.

load common

setup() {
	[ -z "${MISSING:-}" ] || skip "$MISSING"
}

setup_file() {
	local here=$BATS_TEST_DIRNAME log=$BATS_FILE_TMPDIR/log source=$BATS_FILE_TMPDIR/source disk
	disk=$("$here/kernel-debug" --disk amd64) ||
		{ export MISSING="no debug information of a kernel here: 'make kernel-debug' fetches it (282 MB)"; return; }
	mkdir -p "$source/fs" "$source/drivers/net"
	seq 1 2000 | sed 's/^/line /' >"$source/fs/read_write.c"
	cp "$source/fs/read_write.c" "$source/drivers/net/dummy.c"
	"$here/guest" --perf "$PERF" --module dummy --memory 1024 --file "$source:/test/source" \
		--disk "$disk:/usr/lib/debug" amd64 "$here/probe-debug-guest.sh" >"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

@test "-V: the variables of a function of the running kernel" { passed variables; }
@test "entry: parameters, a name through four structures" { passed entry; }
@test "members of structures are what stat(1) says" { passed members; }
@test "bit fields" { passed bits; }
@test "a line" { passed line; }
@test "return: typed by debug information" { passed return; }
@test "--filter on a variable" { passed filter; }
@test "strings out of the task's memory" { passed string; }
@test "a module by name" { passed module; }
@test "a module's function found without -m" { passed module-found; }
@test "a module by the path of its file, and of its debug file" { passed module-file; }
@test "a line of a module" { passed module-line; }
@test "a glob with variables, found in a module without -m" { passed module-glob; }
@test "inlined instances" { passed inlined; }
@test "-l: function, line and file" { passed listed; }
@test "record --probe: its values; nothing is left" { passed session; }
@test "refusals: line, variable, dead variable, inlined everywhere, boundary" {
	passed no-line && passed no-variable && passed not-here && passed inlined-return && passed boundary
}
@test "nothing is left" { passed clean; }
