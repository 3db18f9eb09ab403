#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes up to 900 seconds, also where others compute beside it.
# Not in a guest: it needs a compiler and the programs that the examples name.
# The commands that the pages print as examples, run as printed but for the changes of as_here().  What cannot run on
# the machine of the tests has a marker in the page's source, "; not run, REASON: COMMAND".
bats_require_minimum_version 1.5.0
load wait

top=$BATS_TEST_DIRNAME/../..

# Reads pages; prints each example as "PAGE<tab>COMMAND", and writes what "; example file: NAME" marks into DIR/PAGE/NAME.
examples() { # DIR
	awk -v dir="$1" '
	FNR == 1 { page = FILENAME; gsub(/.*\/|\.1\.scd$/, "", page); inside = 0; file = "" }
	/^; example file: / { file = dir "/" page "/" substr($0, 17); system("mkdir -p " dir "/" page); next }
	/^# / && !inside { examples = /^# EXAMPLES/ }
	/^```/ { if (inside && file) { close(file); file = "" } inside = !inside; count = 0; next }
	inside && file { print >file; next }
	inside && (/^(perf|gcc) / || count || examples) { sub(/ +# .*/, ""); print page "\t" $0; count++ }
	!inside && examples && /^\*perf .*\*$/ { gsub(/[*\\]/, ""); print page "\t" $0 }' "$top"/Documentation/*.1.scd
}

# "PAGE<tab>COMMAND" of each marker
markers() {
	awk '/^; not run, / { page = FILENAME; gsub(/.*\/|\.1\.scd$/, "", page); sub(/^; not run, [^:]*: /, "")
		print page "\t" $0 }' "$top"/Documentation/*.1.scd
}

setup_file() {
	unset PERF_CONFIG # settings are those of each page's HOME
	cd "$BATS_FILE_TMPDIR" || return 1
	cat >program.c <<'EOS'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct user { char *name; };
struct request { long length; struct user *user; };
static struct user someone = { "someone" };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long served;

__attribute__((noinline)) void handle_request(struct request *req)
{
	long sum = 0;

	req->user = &someone;
	for (long i = 0; i < req->length; i++)
		sum += i ^ sum;
	served += sum;
	if (sum & 1)
		served++;
	else
		served += 2;
	if (served > 1L << 40)
		served = 0;
	served += req->user->name[0];
	memset(req, 0, sizeof(*req));
}

__attribute__((noinline)) long hot_function(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i * sum ^ i;
	return sum;
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 100; i++) {
		struct request *req = malloc(sizeof(*req));

		req->length = hot_function(4000) ? 500 : 1;
		handle_request(req);
		free(req);
		for (int k = 0; k < 30; k++)
			free(malloc((size_t)k * 16 + 1200000 * (k == 7)));
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 60;

	for (int i = 0; i < rounds; i++) {
		pthread_t t[2];

		for (int k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, serve, NULL);
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
		if (argc > 1)
			usleep(1000);
	}
	return 0;
}
EOS
	gcc -g -O1 -fno-omit-frame-pointer -fno-builtin-malloc -fno-builtin-free -no-pie -pthread -o program program.c || return 1
	for name in server old new nginx; do cp program $name; done
	mkdir bin
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$PERF" >bin/perf
	cat >bin/sleep <<'EOS'
#!/bin/sh
exec /bin/sleep "$(echo "$1" | awk '{ print $1 / 10 }')"
EOS
	printf '#!/bin/sh\nshift\nexec "$@"\n' >bin/ssh # ssh HOST COMMAND
	printf '#!/bin/sh\ncat "$@"\n' | tee bin/flamegraph.pl bin/stackcollapse-perf.pl >bin/less
	# where these are missing, they read all and say nothing
	for name in jq sqlite3 babeltrace; do
		command -v $name >/dev/null || printf '#!/bin/sh\n[ -t 0 ] || cat >/dev/null\n' >bin/$name
	done
	chmod +x bin/*
	printf 'all:\n\t@gcc -c -o made.o program.c\n' >Makefile
	./server 100000 3>&- & echo $! >server.pid
	./nginx 100000 3>&- &
	echo $! >nginx.pid
	examples "$PWD/files" >all
	markers >marked
	cat /etc/perfconfig >settings 2>/dev/null || :
	HOME=$PWD PATH=$PWD/bin:$PATH record_inputs
}

# What the examples read: perf.data of several kinds
record_inputs() {
	PERF_BUILDID_DIR=$PWD/.debug
	export PERF_BUILDID_DIR
	mkdir usual
	(cd usual && perf record -q -F 2000 -g -e cpu-clock -e sched:sched_switch -- ../program &&
		cp perf.data perf.data.old && cp perf.data other.data && cp perf.data before && cp perf.data after)
}

teardown_file() {
	cd "$BATS_FILE_TMPDIR" || return 0
	for name in server nginx; do kill "$(cat $name.pid)" 2>/dev/null || :; done
	for group in probe_server probe_libc; do "$PERF" probe -q -d "$group:*" 2>/dev/null || :; done
}

# The same command for this machine: processes that run, shorter times, and no directory outside.
as_here() {
	sed -E "s/-p (1234|4711)\b/-p $(cat ../server.pid)/; s,/opt/perfdata,$PWD/opt/perfdata,g
		s/--timeout [0-9]+[ms]/--timeout 500ms/; s/ -D 1s/ -D 100ms/; s/-d 10 --iterations 6/-d 1 --iterations 2/
		s/pgrep -d, nginx/cat ..\/nginx.pid/; s/^perf archive --unpack /mkdir elsewhere \&\& cd elsewhere \&\& &..\//"
}

# Commands that run until Ctrl-C, which they get after two seconds
is_endless() {
	case $1 in
	'perf top'*--iterations*) false ;;
	'perf top'*|'perf stat '*-I*|'perf record -z'*|'perf trace -s '*|'perf trace -a '*|'perf kwork latency -b'*| \
	'perf sched latency --bpf '*|'perf kvm '*' top'|'perf ftrace latency '*' -p '*) true ;;
	*) false ;;
	esac
}

# Makes a page's directory, in which its examples run one after the other
prepare() { # PAGE
	mkdir "$1"
	cd "$1" || return 1
	cp ../program.c ../program ../server ../old ../new ../Makefile .
	cp ../usual/* .
	cp -rl ../.debug .
	[ ! -d "../files/$1" ] || cp -r "../files/$1/." .
	case $1 in
	perf-archive) perf archive --all >/dev/null && mv perf.all-*.tar.bz2 perf.all-host-20260101-120000.tar.bz2 ;;
	perf-buildid-cache) perf buildid-cache -a /usr/bin/ls ;;
	perf-c2c|perf-mem) "$BATS_TEST_DIRNAME/make-c2c" perf.data ;;
	perf-inject)
		perf record -q --call-graph dwarf -F 500 -- ./program && perf record -q -k mono -o raw.data ./program ;;
	perf-kvm) "$BATS_TEST_DIRNAME/make-kvm" perf.data.guest; mkdir guest; cp /proc/kallsyms guest; : >guest/modules ;;
	perf-daemon) mkdir opt; [ ! -e .perfconfig ] || sed -i "s,/opt/perfdata,$PWD/opt/perfdata," .perfconfig ;;
	esac
}

# run_example COMMAND: prints why it is not as it should be
run_example() {
	local command limit=60 status=0 private=()
	command=$(as_here <<<"$1")
	! is_endless "$1" || limit=2
	# the system's settings are changed in a copy, or where no mounts can be made (a chroot), not at all
	[[ $1 != *' --system '* ]] || unshare -m true 2>/dev/null || return 0
	[[ $1 != *' --system '* ]] || { cp -a /etc etc; private=(unshare -m sh -c 'mount --bind etc /etc && exec "$@"' -); }
	"${private[@]}" timeout --preserve-status -s INT -k 5 $limit bash -c "$command" >out 2>err </dev/null 3>&- || status=$?
	if { [ $status -ne 0 ] && ! { is_endless "$1" && [ $status -eq 130 ]; }; } || grep -q '^error:' err; then
		echo "status $status"
		head -n 5 err
	fi
}

run_page() { # PAGE
	local page=$1 said=$PWD/said command
	(
		HOME=$PWD/$page PERF_BUILDID_DIR=$PWD/$page/.debug PATH=$PWD/bin:$PATH
		C_INCLUDE_PATH=$top/include
		export HOME PERF_BUILDID_DIR PATH C_INCLUDE_PATH
		prepare "$page" 2>"$said" || { echo "$page: not prepared"; cat "$said"; }
		awk -F'\t' -v page="$page" 'FILENAME ~ /marked$/ { skip[$0]; next } $1 == page && !($0 in skip) { print $2 }' \
			../marked ../all >../commands
		while read -r command; do
			began=$EPOCHREALTIME
			run_example "$command" >"$said"
			[ -z "${PERF_EXAMPLES_TIMES-}" ] || echo "$((${EPOCHREALTIME/./} / 1000 - ${began/./} / 1000)) ms: $command" >>"$PERF_EXAMPLES_TIMES"
			[ ! -s "$said" ] || { echo "$page: $command"; sed 's/^/    /' "$said"; }
		done <../commands
	)
}

@test "at most 20 examples are marked as not run, each of which is on its page" {
	cd "$BATS_FILE_TMPDIR"
	cat marked
	[ "$(wc -l <marked)" -le 20 ]
	[ "$(wc -l <all)" -ge 120 ]
	grep -vxF -f all marked && return 1
	[ "$(sort marked | uniq -d | wc -l)" -eq 0 ]
}

@test "the examples of the pages run" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_FILE_TMPDIR"
	# PERF_EXAMPLES: a pattern of pages
	for page in $(cut -f1 all | uniq); do
		# shellcheck disable=SC2053
		[ -z "${PERF_EXAMPLES-}" ] || [[ $page == $PERF_EXAMPLES ]] || continue
		run_page "$page"
	done >failed
	cat failed
	[ ! -s failed ]
	[ "$(cat /etc/perfconfig 2>/dev/null)" = "$(cat settings)" ]
}
