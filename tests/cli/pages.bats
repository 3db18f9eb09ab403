#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# Pages, option tables and -h say the same.

setup() {
	top=$BATS_TEST_DIRNAME/../..
	cd "$BATS_TEST_TMPDIR"
}

# The OPTIONS of a page, as printed, until the next heading.
options_of() {
	[ -f "$1.options" ] ||
		"$PERF" help "$1" 2>/dev/null | sed -n '/^OPTIONS/,/^[A-Z]/{/^OPTIONS/!p}' >"$1.options"
	cat "$1.options"
}

# Every --option that heads an entry of OPTIONS.
page_options() {
	options_of "$1" | grep -E '^ {7}-' | grep -oE -- '--[a-z0-9][a-z0-9-]*' | sort -u
}

@test "every row of every option table is in OPTIONS of its page" {
	for c in perf $("$PERF" --list-cmds); do
		args=$([ "$c" = perf ] || echo "$c")
		for o in $("$PERF" $args --list-opts); do
			options_of "$c" | grep -qE -- "(^|[^a-z-])${o}([^a-z0-9-]|\$)" ||
				echo "perf-$c.1.scd: $o is missing"
		done
	done >missing
	cat missing
	[ ! -s missing ]
}

@test "every option of a page exists, and its short form is that of the table" {
	for c in perf $("$PERF" --list-cmds); do
		args=$([ "$c" = perf ] || echo "$c")
		"$PERF" $args --list-opts | tr ' ' '\n' >table
		echo "--list-opts" >>table
		for o in $(page_options "$c"); do
			grep -qx -- "$o" table && continue
			# the other form of the same
			grep -qx -- "--no-${o#--}" table && continue
			case $o in --no-*) grep -qx -- "--${o#--no-}" table && continue ;; esac
			[ -n "$("$PERF" $args --list-cmds)" ] && [ "$c" != perf ] && [ "$c" != stat ] && continue
			echo "perf-$c.1.scd: $o is no option"
		done
		if [ "$c" = perf ]; then continue; fi
		"$PERF" "$c" -h | grep -oE '^    -., --[a-z0-9-]+' | while read -r short long; do
			options_of "$c" | grep -qE -- "^ {7}${short%,}(,| |\[|\$)" ||
				echo "perf-$c.1.scd: ${short%,} ($long) is missing"
		done
	done >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "every page has NAME, SYNOPSIS, DESCRIPTION and a purpose" {
	for page in "$top"/Documentation/*.1.scd; do
		name=$(basename "$page" .1.scd)
		"$PERF" help "$name" >text
		for heading in NAME SYNOPSIS DESCRIPTION; do
			grep -qx "$heading" text || { echo "$page: no $heading"; return 1; }
		done
		grep -qE "^       $name - [a-z]" text || { echo "$page: no purpose"; return 1; }
		# paragraphs are wrapped; only what is printed as it stands may be wider
		! grep -nE '.{96}' text || { echo "$page: too wide"; return 1; }
	done
}

@test "the text is what man shows, word for word" {
	command -v scdoc >/dev/null && command -v man >/dev/null || skip "no scdoc or man here"
	for page in "$top"/Documentation/*.1.scd; do
		name=$(basename "$page" .1.scd)
		"$PERF" help "$name" | tr -s ' \n' '\n\n' | sed '/^$/d' >ours
		scdoc <"$page" >page.1
		MANWIDTH=900 man --nh --nj -P cat ./page.1 >shown 2>said || { cat said; return 1; }
		<shown col -bx | sed '1,/^ *NAME/s/.*NAME/NAME/' |
			tr -s ' \n' '\n\n' | sed '/^$/d' >man
		# man adds a line at the top and one at the bottom, and has bullets of its own
		sed -i 's/^\xe2\x80\xa2$/-/; s/^o$/-/; s/^\*$/-/' man
		sed -i 's/^o$/-/' ours
		grep -vxF -f man ours >only || true
		[ ! -s only ] || { echo "$page:"; cat only; return 1; }
	done
}

@test "the examples of pages name commands and options that exist" {
	for page in "$top"/Documentation/*.1.scd; do
		name=$(basename "$page" .1.scd)
		"$PERF" help "$name" | sed -n '/^EXAMPLES/,/^[A-Z][A-Z]/p' |
			grep -oE '^ +perf [a-z][a-z0-9-]*' | sed 's/.*perf //' | sort -u >used
		while read -r c; do
			[ -f "$top/Documentation/perf-$c.1.scd" ] || echo "$page: perf $c has no page"
		done <used
	done >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "the usage lines of -h are in the SYNOPSIS of the page" {
	for c in $("$PERF" --list-cmds); do
		synopsis=$("$PERF" help "$c" 2>/dev/null | sed -n '/^SYNOPSIS/,/^[A-Z]/p' | tr -s ' \n' ' ')
		"$PERF" "$c" -h | sed -n 's/^ *\(Usage\|or\): *//p' | tr -s ' ' | while read -r usage; do
			[[ "$synopsis" == *"$usage"* ]] || echo "perf-$c.1.scd: no '$usage'"
		done
	done >wrong
	cat wrong
	[ ! -s wrong ]
}
