#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf config: what is read, what is written, and that nothing else changes.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset PERF_CONFIG
	export HOME=$BATS_TEST_TMPDIR
	# the machine's own file must not decide these tests
	[ ! -e /etc/perfconfig ] || skip "/etc/perfconfig exists here"
}

@test "write, read, list" {
	run "$PERF" config report.children=false report.percent-limit=5
	[ "$status" -eq 0 ]
	[ "$("$PERF" config report.children)" = "report.children=false" ]
	[ "$("$PERF" config -l)" = $'report.children=false\nreport.percent-limit=5' ]
	[ "$("$PERF" config report.percent-limit report.children)" = \
		$'report.percent-limit=5\nreport.children=false' ]
}

@test "what is not set prints nothing and is 1" {
	run "$PERF" config report.group
	[ "$status" -eq 1 ]
	[ -z "$output" ]
}

@test "an unknown name is refused when it is set, and nothing is written" {
	run "$PERF" config report.group=false reprot.children=1
	[ "$status" -eq 1 ]
	[ "$output" = "error: 'reprot.children' is not the name of a setting"$'\n'"hint: did you mean 'report.children'?" ]
	[ ! -e .perfconfig ]
	"$PERF" config REPORT.Children=1
	[ "$("$PERF" config report.children)" = report.children=1 ]
}

@test "an unknown name that is read is reported once" {
	run "$PERF" config report.childen
	[ "$status" -eq 1 ]
	[ "$output" = "warning: 'report.childen' is not the name of a setting"$'\n'"hint: did you mean 'report.children'?" ]
	printf '[report]\n\tchilden = 1\n' >.perfconfig
	run "$PERF" config report.childen
	[ "$status" -eq 0 ]
	[ "$(grep -c 'not the name of a setting' <<<"$output")" -eq 1 ]
	[ "${lines[2]}" = report.childen=1 ]
}

@test "a value that is not of the setting's type is refused" {
	run "$PERF" config report.children=maybe
	[ "$status" -eq 1 ]
	[ "$output" = "error: 'report.children' cannot be 'maybe', which is neither true nor false" ]
	run "$PERF" config core.workers=many
	[ "$status" -eq 1 ]
	[ "$output" = "error: 'core.workers' cannot be 'many', which is not a number" ]
	while read -r name value what; do
		run "$PERF" config "$name=$value"
		[ "$status" -eq 129 ] || [ "$status" -eq 1 ]
		[ "$output" = "error: '$name' cannot be '$value', which is $what" ]
		[ -z "$("$PERF" config "$name")" ]
	done <<-'X'
		report.percent-limit nan not a percentage
		report.percent-limit inf not a percentage
		report.percent-limit 0x10 not a percentage
		call-graph.threshold 1e1 not a percentage
		call-graph.print-limit 1e9 not a number
		call-graph.dump-size 0x10 not a size (like 4096, 64K or 1M)
		report.queue-size inf not a size (like 4096, 64K or 1M)
		core.workers 0x10 not a number
		diff.order nan not a number
		record.aio 1e9 not a number
		samples.context 1e9 not a number
		help.autocorrect 0x1 not a number
	X
	[ ! -e .perfconfig ]
	"$PERF" config report.percent-limit=2.5 call-graph.dump-size=8K call-graph.print-limit=4
}

@test "--unset removes a setting, each time that it is set, and nothing else" {
	printf '# mine\n[report]\n\tchildren = 1 ; why\n\tgroup = 0\n[top]\n\n  children = 1\n[alias] x = stat\n\ty = "a\\\nb"\n[report]children = 0\n# end' >.perfconfig
	"$PERF" config --unset report.children
	[ "$(cat .perfconfig)" = $'# mine\n[report]\n\tgroup = 0\n[top]\n\n  children = 1\n[alias] x = stat\n\ty = "a\\\nb"\n[report]\n# end' ]
	"$PERF" config --unset top.children --unset alias.y --unset Report.Group
	[ "$(cat .perfconfig)" = $'# mine\n[alias] x = stat\n[report]\n# end' ]
	run "$PERF" config --unset alias.y
	[ "$status" -eq 1 ]
	[ "$output" = "error: '$HOME/.perfconfig' does not set 'alias.y'" ]
	# a name that no setting has is removed as well
	printf '[reprot]\n\tchildren = 1\n' >.perfconfig
	"$PERF" config --unset reprot.children 2>/dev/null
	[ ! -s .perfconfig ]
	PERF_CONFIG=$PWD/other "$PERF" config alias.b=1
	PERF_CONFIG=$PWD/other "$PERF" config --unset alias.b
	[ ! -s other ]
	run "$PERF" config -l --unset alias.b
	[ "$status" -eq 129 ]
}

@test "--unset removes nothing unless each name is set" {
	printf '[alias]\n\ta = stat\n\tb = top\n' >.perfconfig
	cp .perfconfig before
	run "$PERF" config --unset alias.a --unset alias.notset
	[ "$status" -eq 1 ]
	[ "$output" = "error: '$HOME/.perfconfig' does not set 'alias.notset'" ]
	cmp .perfconfig before
	"$PERF" config --unset alias.b --unset alias.a
	[ ! -s .perfconfig ]
}

@test "a name that cannot be read back is refused, and nothing is written" {
	for name in 'alias.a b' alias.x/y 'alias.ünï' 'session-a b.run' 'session-a"b.run' 'session-a]b.run' $'alias.a\nb' \
		'pager.#a'; do
		run "$PERF" config "$name=c"
		[ "$status" -eq 1 ]
		[[ "$output" == "error: '"*"' is not the name of a setting that a file can hold"$'\n'"hint: "* ]]
		[ ! -e .perfconfig ]
	done
	"$PERF" config Alias.A-b_1=c session-a.b.run=x
	[ "$("$PERF" config -l)" = $'alias.a-b_1=c\nsession-a.b.run=x' ]
}

@test "writing keeps comments, order and other settings" {
	cat >.perfconfig <<-'EOF'
	# mine
	[report]
		children = true ; why
		sort_order = comm,dso

	[buildid]
		dir = ~/.debug
	EOF
	"$PERF" config report.children=false
	"$PERF" config report.group=true
	"$PERF" config top.children=true
	run cat .perfconfig
	[ "${lines[0]}" = "# mine" ]
	[ "${lines[1]}" = "[report]" ]
	[[ "${lines[2]}" == *"children = false" ]]
	[[ "${lines[3]}" == *"sort_order = comm,dso" ]]
	[[ "${lines[4]}" == *"group = true" ]]
	[ "${lines[5]}" = "[buildid]" ]
	[ "${lines[7]}" = "[top]" ]
	[ "$(ls -A | grep -c perfconfig)" -eq 1 ]
}

@test "Debian's perf reads what we write, and we what it writes" {
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	"$PERF" config report.children=false call-graph.order=callee "annotate.objdump=a b;c"
	[ "$("${RIVAL_PERF:-/usr/bin/perf}" config -l)" = "$("$PERF" config -l)" ]
	rm .perfconfig
	"${RIVAL_PERF:-/usr/bin/perf}" config report.children=true diff.order=3 kmem.default=slab
	[ "$("${RIVAL_PERF:-/usr/bin/perf}" config -l)" = "$("$PERF" config -l)" ]
}

@test "quotes, escapes, continued lines, subsections, flags" {
	cat >.perfconfig <<-'EOF'
	[a]
	x = " two  words " ; comment
	y = one \
	two
	z
	w = a\tb\"c
	[s "Sub"]
	k = v
	EOF
	run sh -c "\"$PERF\" config -l 2>/dev/null"
	[ "${lines[0]}" = "a.x= two  words " ]
	[ "${lines[1]}" = "a.y=one two" ]
	[ "${lines[2]}" = "a.z=true" ]
	[ "${lines[3]}" = $'a.w=a\tb"c' ]
	[ "${lines[4]}" = "s.sub.k=v" ]
}

@test "values survive a round trip" {
	for v in " lead" "trail " 'a"b' 'a\b' "a;b" "a#b" ""; do
		"$PERF" config "alias.y=$v"
		[ "$("$PERF" config alias.y)" = "alias.y=$v" ] || { echo "'$v'"; cat .perfconfig; return 1; }
	done
	[ "$("$PERF" config -l | wc -l)" -eq 1 ]
}

@test "PERF_CONFIG names the one file; /dev/null is none" {
	"$PERF" config alias.b=home
	PERF_CONFIG=$PWD/other "$PERF" config alias.b=other
	[ "$("$PERF" config alias.b)" = "alias.b=home" ]
	[ "$(PERF_CONFIG=$PWD/other "$PERF" config alias.b)" = "alias.b=other" ]
	[ -z "$(PERF_CONFIG=/dev/null "$PERF" config -l)" ]
}

@test "--user and --system choose the file" {
	"$PERF" config alias.b=mine
	[ "$("$PERF" config --user alias.b)" = "alias.b=mine" ]
	run "$PERF" config --system alias.b
	[ "$status" -eq 1 ]
	run "$PERF" config --system --user alias.b
	[ "$status" -eq 129 ]
}

@test "a broken line is named, and costs only itself" {
	printf '[a]\nb = 1\nwhat is this\n c = 2\n' >.perfconfig
	run "$PERF" config -l
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: line 3 of '$HOME/.perfconfig' is not a setting"* ]]
	run "$PERF" version
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: line 3 of "* ]]
}

@test "a file of another user in the home directory is not read" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	printf '[a]\nb = 1\n' >.perfconfig
	chown nobody .perfconfig
	run "$PERF" config a.b
	[ "$status" -eq 1 ]
	[[ "$output" == *"belongs to another user"* ]]
}

@test "a file in the home directory that others may write is not read" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to be another user"
	type setpriv >/dev/null || skip "no setpriv"
	as_owner() { setpriv --reuid "$1" --regid "$2" --clear-groups env HOME="$HOME" "$3" config a.b; }
	cp "$PERF" "$BATS_TEST_TMPDIR/perf" && chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
	printf '[a]\nb = 1\n' >.perfconfig
	chown nobody:nogroup .perfconfig
	for mode in 646 664; do
		chmod $mode .perfconfig
		run as_owner 65534 65534 "$BATS_TEST_TMPDIR/perf"
		[ "$status" -eq 1 ]
		[[ "$output" == *"'$HOME/.perfconfig' can be written by other users and is not read"* ]]
		[[ "$output" == *"hint: chmod go-w '$HOME/.perfconfig'"* ]]
	done
	chmod 644 .perfconfig
	run --separate-stderr as_owner 65534 65534 "$BATS_TEST_TMPDIR/perf"
	[ "$output" = a.b=1 ]
	# a group of the owner's own, as with the umask 002
	chown root:root .perfconfig
	chmod 664 .perfconfig
	grep -q '^root:[^:]*:0:\(root\)*$' /etc/group || return 0
	run --separate-stderr "$PERF" config a.b
	[ "$output" = a.b=1 ]
	chmod 666 .perfconfig
	run "$PERF" version
	[[ "$output" == *"warning: '$HOME/.perfconfig' can be written by other users"* ]]
}

@test "a name without section is refused" {
	for name in children .x x. ""; do
		run "$PERF" config "$name=1"
		[ "$status" -eq 1 ]
		[[ "$output" == *"is not the name of a setting"* ]]
	done
	run "$PERF" config
	[ "$status" -eq 129 ]
}

@test "a file that cannot be written is an error and stays" {
	mkdir ro
	printf '[a]\n\tb = 1\n' >ro/config
	cp ro/config before
	PERF_CONFIG=$PWD/no/such/dir/config run "$PERF" config alias.b=2
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: cannot write '"* ]]
	cmp ro/config before
}

@test "a name that no setting has is reported once, with the nearest" {
	printf '[reprot]\n\tchildren = true\n\tchildren = false\n[alias]\n\tx = stat\n[session-x]\n\trun = -e a\n' >.perfconfig
	run "$PERF" version
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "$output" == *"warning: the configuration sets 'reprot.children', which is not the name of a setting"* ]]
	[[ "$output" == *"hint: did you mean 'report.children'?"* ]]
}

@test "a value that is not of its setting's type is reported" {
	printf '[report]\n\tchildren = maybe\n\tgroup = x\n\tgroup = off\n\tskip-empty =\n[core]\n\tworkers = many\n[trace]\n\targs_alignment = 7\n' >.perfconfig
	run "$PERF" version
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[0]}" = "warning: the configuration sets 'report.children' to 'maybe', which is neither true nor false" ]
	[ "${lines[1]}" = "warning: the configuration sets 'core.workers' to 'many', which is not a number" ]
}

@test "the settings of the pages are known" {
	cd "$BATS_TEST_DIRNAME/../../Documentation"
	for name in $(sed -n 's/^\*\([a-z-]*\.[a-z_-]*\)\*.*/\1/p' ./*.scd | grep -vE '^kernel\.|\.(data|c|h|so)$' | sort -u); do
		printf '[%s]\n\t%s = 1\n' "${name%%.*}" "${name#*.}" >"$HOME/.perfconfig"
		run "$PERF" version
		[[ "$output" != *"not the name"* ]] || { echo "$name"; return 1; }
	done
}
