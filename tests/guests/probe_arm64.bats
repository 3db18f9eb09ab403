#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf probe on arm64: a guest with a perf that was built for it; each check of the guest is a test here.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME log=$BATS_FILE_TMPDIR/log cc libs foreign
	cd "$BATS_FILE_TMPDIR" || return 1
	foreign_build "$log" || return 0
	cat >work.c <<'EOS'
#include <stdio.h>
struct s { short a; unsigned b : 5, c : 9; long last; };
__attribute__((noinline)) int work(struct s *p, int n, const char *str)
{
	printf("n=%d str_string=\"%s\" b=%u last=%ld\n", n, str, p->b, p->last);
	return n * -3;
}
int main(void)
{
	struct s s = { 1, 21, 300, -123456789012 };
	for (int i = -1; i < 3; i++, s.b++)
		printf("ret=%d\n", work(&s, i, "text"));
	return 0;
}
EOS
	$cc --sysroot="$libs" -static -O1 -g -o work work.c >>"$log" 2>&1 || return 0
	cat >printed <<-'EOS'
	n=-1 str_string="text" b=21 last=-123456789012
	ret=3
	n=0 str_string="text" b=22 last=-123456789012
	ret=0
	n=1 str_string="text" b=23 last=-123456789012
	ret=-3
	n=2 str_string="text" b=24 last=-123456789012
	ret=-6
	EOS
	"$here/guest" --perf "$foreign" --libs "$libs" --file "$PWD/work" --file "$PWD/printed" arm64 \
		"$here/probe-arm64-guest.sh" >>"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

@test "registers of arm64, and \$argN of the kernel" { passed registers; }
@test "return of a kernel function" { passed return; }
@test "functions of one name, by their distance from the kernel's start" { passed instances; }
@test "what functions of one name return" { passed instances-return; }
@test "text of the task, by a register" { passed string; }
@test "a program's variables, bit fields and negative numbers" { passed variables; }
@test "\$argN of a program is the register of the calling convention" { passed user-argument; }
@test "what a program's function returns, with its sign" { passed user-return; }
@test "record --probe by the kprobe PMU" { passed pmu; }
