#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that are gone when the recording ends have names all the same: the build-id cache
# gets what was held from its first mapping on.
load wait

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >spin.c <<-'CODE'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <time.h>
		#include <unistd.h>
		extern char **environ;
		volatile unsigned long sink;
		__attribute__((noinline)) static void burn_here(double s)
		{
			struct timespec b;
			do {
				for (int i = 0; i < 100000; i++)
					sink += i;
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
			} while (b.tv_sec + b.tv_nsec / 1e9 < s);
		}
		int main(int argc, char **argv)
		{
			if (argc > 2 && !strcmp(argv[1], "memfd")) { /* the file argv[2], from memory */
				char buf[65536], *words[] = { "inmem", NULL };
				int from = open(argv[2], O_RDONLY), to = memfd_create("inmem", MFD_CLOEXEC);
				ssize_t n;
				while ((n = read(from, buf, sizeof(buf))) > 0)
					if (write(to, buf, n) != n)
						return 1;
				fexecve(to, words, environ);
				return 1;
			}
			if (argc > 2 && !strcmp(argv[1], "gone"))
				unlink(argv[2]);
			burn_here(0.3);
			return 0;
		}
	CODE
	gcc -O1 -Wl,--build-id -o spin spin.c
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/spin" .
	export PERF_BUILDID_DIR=$BATS_TEST_TMPDIR/cache
}

# The function that most samples of program $1 are in; the rest: options of record and the command.
hottest() {
	local dso=$1
	shift
	"$PERF" record -q -e cpu-clock:u -o d "$@"
	"$PERF" report --stdio -i d -s dso,sym 2>/dev/null | awk -v dso="$dso" '$2 == dso { print $NF; exit }'
}

@test "a program in memory alone" {
	[ "$(hottest memfd:inmem ./spin memfd spin)" = burn_here ]
	# what it was is in the cache, under its build-id
	id=$("$PERF" buildid-list -i d | sed -n 's/ .*memfd:inmem.*//p')
	[ -n "$id" ]
	[ "$(readelf -n spin | sed -n 's/.*Build ID: //p')" = "$id" ]
	cmp spin cache/.build-id/"${id:0:2}"/"${id:2}"/elf
}

@test "a program that is deleted at once, also when all of the machine is recorded" {
	cp spin gone
	[ "$(hottest gone ./gone gone ./gone)" = burn_here ]
	[ ! -e gone ]
	[ "$(id -u)" -eq 0 ] || skip "needs root for -a"
	rm -rf cache
	cp spin gone
	[ "$(hottest gone -a -- ./gone gone ./gone)" = burn_here ]
}

@test "a program that has another one in its place at the end: each keeps its own names" {
	cp spin gone
	sed 's/burn_here/other_one/' "$BATS_FILE_TMPDIR/spin.c" >other.c
	gcc -O1 -Wl,--build-id -o other other.c
	[ "$(hottest gone sh -c './gone gone ./gone; cp other gone')" = burn_here ]
}

@test "a program that another one is written over has no names of that one" {
	sed 's/burn_here/other_one/' "$BATS_FILE_TMPDIR/spin.c" >other.c
	gcc -O1 -Wl,--build-id -o other other.c
	gcc -O1 -Wl,--build-id=none -o without "$BATS_FILE_TMPDIR/spin.c"
	for program in spin without; do
		for and in true ./over; do
			cp $program over
			inode=$(stat -c %i over)
			export PERF_BUILDID_DIR=$PWD/cache-$program-$and
			"$PERF" record -q -e cpu-clock:u -o d sh -c "./over; cat other >over; $and"
			[ "$(stat -c %i over)" = "$inode" ]
			run "$PERF" buildid-list -i d
			[[ "$output" != *"$(readelf -n other | awk '/Build ID/ { print $3 }')"* ]] || { echo "$output"; return 1; }
			[ $program = spin ] || continue # without a build-id nobody can tell
			run "$PERF" report -i d --stdio -s sym --comm over
			[[ "$output" == *"over' is not the file that was recorded (build-ids differ)"* && "$output" != *other_one* ]] ||
				{ echo "$output"; return 1; }
		done
	done
}

@test "a program in a mount namespace that has ended" {
	mkdir m
	unshare -m sh -c 'mount -t tmpfs none m' 2>/dev/null || skip "needs to make a mount namespace"
	[ "$(hottest inside unshare -m sh -c 'mount -t tmpfs none m && cp spin m/inside && ./m/inside')" = burn_here ]
	[ ! -e m/inside ]
}

@test "nothing of what was held stays open or is left behind" {
	cp spin gone
	"$PERF" record -q -e cpu-clock:u -o d -- sh -c './gone gone ./gone; ls -l /proc/$PPID/fd >fds'
	! grep -q 'gone' fds || return 1 # mapped, without a descriptor for each program
}

# Records the running program $1 (pid $2) until it has ended, after its file has gone.
attached() {
	"$PERF" record -q -e cpu-clock:u -o d "${@:3}"
	end_jobs
	[ ! -e "$1" ]
	"$PERF" report --stdio -i d -s sym 2>err | awk '$2 == "[.]" { print $NF; exit }'
}

@test "programs that are gone when one attaches: deleted, replaced, in memory alone" {
	sed 's/(0.3)/(30)/' "$BATS_FILE_TMPDIR/spin.c" >long.c
	gcc -O1 -Wl,--build-id -o long long.c
	for how in deleted memfd; do
		cp long gone
		if [ "$how" = deleted ]; then
			./gone gone gone 3>&- &
		else
			./gone memfd gone 3>&- &
		fi
		pid=$!
		until_true grep -q '(deleted)' "/proc/$pid/maps"
		rm -f gone
		rm -rf cache
		[ "$(attached gone "$pid" -p "$pid" -- sleep 0.3)" = burn_here ] || { echo "$how"; cat err; false; }
	done
}

@test "files without a build-id that are gone are kept, under a digest of their bytes" {
	gcc -O1 -Wl,--build-id=none -o plain "$BATS_FILE_TMPDIR/spin.c"
	[ "$(readelf -n plain | grep -c 'Build ID')" = 0 ]
	cp plain gone
	[ "$(hottest gone ./gone gone ./gone)" = burn_here ]
	[ ! -e gone ]
	id=$("$PERF" buildid-list -i d | sed -n 's/ .*\/gone$//p')
	[ "${#id}" = 40 ]
	copy=cache/.build-id/${id:0:2}/${id:2}/elf
	cmp plain "$copy"
	[ "$(stat -c %a "$copy")" = 600 ]
	# other bytes have another digest, and what the copy became later is not taken for it
	[ "$(hottest memfd:inmem ./spin memfd plain)" = burn_here ]
	[ "$("$PERF" buildid-list -i d | sed -n 's/ .*memfd:inmem.*//p')" = "$id" ]
	sed 's/burn_here/other_one/' "$BATS_FILE_TMPDIR/spin.c" >other.c
	gcc -O1 -Wl,--build-id=none -o other other.c
	cat other >"$copy"
	"$PERF" report --stdio -i d -s sym >out 2>/dev/null
	! grep -E 'burn_here|other_one' out || return 1
	# a library that was replaced before one attached
	sed 's/(0.3)/(30)/; s/int main(.*/void burn_long(void) { burn_here(30); } int unused(int argc, char **argv)/' \
		"$BATS_FILE_TMPDIR/spin.c" >lib.c
	gcc -O1 -shared -fPIC -Wl,--build-id=none -o libspin.so lib.c
	echo 'void burn_long(void); int main(void) { burn_long(); }' >use.c
	gcc -o use use.c -L. -lspin -Wl,-rpath,"$PWD"
	./use 3>&- &
	pid=$!
	until_true grep -q 'libspin.so$' "/proc/$pid/maps"
	rm libspin.so
	cp plain libspin.so
	"$PERF" record -q -e cpu-clock:u -o d -p "$pid" -- sleep 0.3
	end_jobs
	[ "$("$PERF" report --stdio -i d -s sym 2>/dev/null | awk '$2 == "[.]" { print $NF; exit }')" = burn_here ]
}

@test "without a cache a warning names each file that is gone" {
	cp spin gone
	PERF_BUILDID_DIR=/dev/null run --separate-stderr "$PERF" record -e cpu-clock:u -o d ./gone gone ./gone
	[[ "$stderr" == *"warning: '$PWD/gone' is gone, and there is no build-id cache to keep it in"*"--buildid-dir DIR"* ]]
	PERF_BUILDID_DIR=/dev/null run --separate-stderr "$PERF" record -N -e cpu-clock:u -o d ./spin
	[[ "$stderr" != *warning:* ]]
}

@test "a program that is deleted or ends while one is attached to it" {
	sed 's/(0.3)/(30)/' "$BATS_FILE_TMPDIR/spin.c" >long.c
	gcc -O1 -Wl,--build-id -o long long.c
	cp long gone
	./gone 3>&- &
	pid=$!
	until_true grep -q '/gone$' "/proc/$pid/maps"
	[ "$(attached gone "$pid" -p "$pid" -- sh -c "sleep 0.3; rm gone; kill $pid")" = burn_here ]
}

@test "text that was moved to huge pages before one attaches" {
	[ "$(uname -m)" = x86_64 ] || skip "pages of 2 MB are those of x86-64"
	cat >huge.c <<-'CODE'
		#define _GNU_SOURCE
		#include <string.h>
		#include <sys/mman.h>
		volatile unsigned long sink;
		#define HOT __attribute__((noinline, section(".hot"), aligned(2097152)))
		HOT void hot_one(void) { for (;;) sink++; }
		HOT void hot_end(void) { sink = 1; }
		int main(void)
		{
			size_t n = 2097152;
			char *copy = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memcpy(copy, (void *)hot_one, n);
			mmap((void *)hot_one, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			memcpy((void *)hot_one, copy, n);
			mprotect((void *)hot_one, n, PROT_READ | PROT_EXEC);
			hot_one();
			return 0;
		}
	CODE
	for kind in -no-pie -pie; do
		gcc -O1 "$kind" $([ "$kind" != -pie ] || echo -fPIE) -Wl,-z,max-page-size=2097152 -o huge huge.c
		./huge 3>&- &
		pid=$!
		until_true grep -Eq '^[0-9a-f]+00000-[0-9a-f]+00000 r-xp 00000000 00:00 0' "/proc/$pid/maps"
		"$PERF" record -q -e cpu-clock:u -o d -p "$pid" -- sleep 0.3
		end_jobs
		[ "$("$PERF" report --stdio -i d -s dso,sym | awk '$2 == "huge" { print $NF; exit }')" = hot_one ]
	done
}

teardown() { end_jobs; }
