#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorder that runs as root reads for the build-id cache only what the user of a process may read, and
# nobody can read in the cache what was hidden before.  Perf maps and jitdump files of others need --force.
bats_require_minimum_version 1.5.0

load wait

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	chmod a+rx "$BATS_RUN_TMPDIR" .
	cp "$PERF" perf # nobody may not see where it is
	gcc -O1 -o jitprog "$BATS_TEST_DIRNAME/jitprog.c"
	cat >mapprog.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		/* mapprog ROUNDS [FILE]: writes its map, or makes a link to FILE instead; FILE "-": tells where the code is */
		int main(int c, char **v)
		{
			static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
			char name[64], *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			FILE *f = NULL;
			memcpy(code, loop, sizeof(loop));
			snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
			if (c > 2 && strcmp(v[2], "-"))
				return symlink(v[2], name) ? 1 : (((void (*)(long))code)(atol(v[1])), 0);
			if (c > 2)
				snprintf(name, sizeof(name), "at.new");
			f = fopen(name, "w");
			if (!f || fprintf(f, "%lx %zx mapped_function\n", (long)code, sizeof(loop)) < 0 || fclose(f))
				return 1;
			if (c > 2)
				rename(name, "at");
			for (;;) {
				((void (*)(long))code)(atol(v[1]));
				if (c == 2)
					return 0;
			}
		}
	END
	gcc -O1 -o mapprog mapprog.c
}

setup() {
	[ "$(uname -m)" = x86_64 ] || skip "the program's code is that of x86-64"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	id nobody >/dev/null 2>&1 || skip "no user nobody"
	id daemon >/dev/null 2>&1 || skip "no user daemon"
	cd "$BATS_TEST_TMPDIR"
	chmod 777 .
	cp "$BATS_FILE_TMPDIR"/{jitprog,mapprog} .
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -m 711 home
	made=
}

teardown() {
	end_jobs
	# shellcheck disable=SC2086 # several
	[ -z "${made-}" ] || rm -f $made
}

# A function in the background would have a process of its own.
nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
record() { "$PERF" record -q -F 2000 -e cpu-clock:u "$@"; }
# The process of recording $1 that ran program $2; its map is removed when the test ends.
pid_of() {
	pid=$("$PERF" script --comms "$2" -F pid -i "$1" | awk '{ print $1; exit }')
	[ "$pid" -gt 1 ]
	map=/tmp/perf-$pid.map
	made+=" $map"
}
# The entry of file $2 in the cache, by recording $1; nothing: it was not kept.
kept() {
	local id
	id=$("$PERF" buildid-list -i "$1" | awk -v name="$2" '$2 == name { print $1 }')
	[ -z "$id" ] || echo "$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf"
}
names() { "$PERF" report --stdio -s sym "$@" 2>err | grep -c "$name"; }

# A process of nobody that runs made code; its line of a perf map is in the file at.
spin() {
	rm -f at
	"${nobody[@]}" ./mapprog 10000000 - 3>&- &
	pid=$!
	map=/tmp/perf-$pid.map
	made+=" $map"
	until_true test -s at
}

@test "a perf map of an ordinary user is kept, for its owner alone" {
	record -o d -- "${nobody[@]}" ./mapprog 200000000
	pid_of d mapprog
	[ "$(stat -c %U "$map")" = nobody ]
	entry=$(kept d "$map")
	cmp "$map" "$entry"
	[ "$(stat -Lc '%a %u' "$entry")" = "600 0" ]
	rm "$map"
	name=mapped_function
	[ "$(names -i d)" -eq 1 ]
}

@test "a perf map that is a link leads root to nothing that its user may not read" {
	echo "0 ffffffffffffffff hidden_function" >secret
	chmod 600 secret
	for way in command system; do
		rm -rf home/.debug
		where=()
		[ $way = command ] || where=(-a)
		record "${where[@]}" -o d -- "${nobody[@]}" ./mapprog 200000000 "$PWD/secret"
		pid_of d mapprog
		[ -L "$map" ]
		[ -z "$(kept d "$map")" ]
		run ! grep -rq hidden_function home/.debug
		"$PERF" archive d || :
		run ! grep -qF "${map##*/}" <(tar tf d.tar.bz2)
		# nor while the recording is read, whoever's file it is
		name=hidden_function
		[ "$(names -i d)" -eq 0 ]
		[ "$(names -f -i d)" -eq 0 ]
		grep -q "^warning: '$map' is a symbolic link of another user and is not followed" err
		rm -f "$map"
	done
}

@test "a perf map of a process that is watched: its user's, or root's that the user may read" {
	spin
	check() {
		record -o d -p "$pid" -- sleep 0.3
		entry=$(kept d "$map")
		echo "$(stat -c '%U %a' "$map"): $entry"
		[ -n "$entry" ] && [ "$(stat -Lc %a "$entry")" -eq 600 ] && cmp "$map" "$entry"
	}
	cp at "$map"
	chown nobody "$map"
	chmod 600 "$map"
	check
	# as a compiler leaves it that was root when it began
	{ cat at; echo "# root's"; } >new
	chmod 644 new
	chown root new
	mv new "$map"
	check
	chmod 600 "$map"
	run ! check
	chmod 666 "$map"
	run ! check
	chmod 644 "$map"
	chown daemon "$map"
	run ! check
	# which is read only with --force
	name=mapped_function
	[ "$(names -i d)" -eq 0 ]
	grep -q "^warning: '.*$map' is not owned by you or root and is not used" err
	grep -q '^hint: --force ' err
	[ "$(names -f -i d)" -eq 1 ]
	kill "$pid"
}

@test "a jitdump file of an ordinary user is kept, for its owner alone; else it needs --force" {
	name=_function
	record -k mono -o d -- "${nobody[@]}" ./jitprog 100000000
	dump=$(echo "$PWD"/jit-*.dump)
	[ "$(stat -c %U "$dump")" = nobody ]
	entry=$(kept d "$dump")
	cmp "$dump" "$entry"
	[ "$(stat -Lc '%a %u' "$entry")" = "600 0" ]
	[ "$(names -i d)" -eq 2 ]
	"$PERF" buildid-cache -P
	[ "$(names -i d)" -eq 0 ]
	grep -q "^warning: '$dump' is not owned by you or root and is not used" err
	grep -q '^hint: --force ' err
	[ "$(names -f -i d)" -eq 2 ]
	"$PERF" inject -j -i d -o injected 2>err
	grep -q "^warning: '$dump' is not owned by you or root and is not used" err
	[ "$("$PERF" script --show-mmap-events -i injected | grep -c jitted-)" -eq 0 ]
	"$PERF" inject -f -j -i d -o injected
	[ "$("$PERF" script --show-mmap-events -i injected | grep -c jitted-)" -gt 0 ]
	# a link where the file was
	rm -rf home/.debug
	cp "$dump" secret
	chmod 600 secret
	"${nobody[@]}" ./jitprog 10000000000 3>&- &
	pid=$!
	until_true test -s jit-$pid.dump
	mv jit-$pid.dump real
	"${nobody[@]}" ln -s "$PWD/secret" jit-$pid.dump
	record -o d -p $pid -- sleep 0.3
	[ -z "$(kept d "$PWD/jit-$pid.dump")" ]
	kill $pid
}

@test "a program that only its owner may read stays so in the cache, also when it is gone" {
	cat >spin.c <<-'END'
		#include <unistd.h>
		volatile unsigned long n;
		int main(int c, char **v) { if (c > 1) unlink(v[0]); for (unsigned long i = 0; i < 200000000; i++) n += i; return 0; }
	END
	gcc -O1 -Wl,--build-id -o spin spin.c
	for words in "700:700" "711:711" "755:755" "700:700:gone"; do
		IFS=: read -r mode want gone <<<"$words"
		rm -rf home/.debug
		cp spin mine
		chmod "$mode" mine
		# shellcheck disable=SC2086 # none or one
		record -o d ./mine $gone
		entry=$(kept d "$PWD/mine")
		cmp spin "$entry"
		echo "$words: $(stat -Lc %a "$entry")"
		[ "$(stat -Lc %a "$entry")" = "$want" ]
	done
	# whoever may not read an object leaves it out of an archive
	find home -type d -exec chmod a+rx {} +
	cp d copy
	chown nobody copy
	mkdir -m 777 theirs
	cd theirs
	run "${nobody[@]}" "$BATS_FILE_TMPDIR/perf" archive ../copy
	echo "$output"
	[[ "$output" == *"warning: only its owner may read the cache's copy of '"*"/mine'"* ]]
}
