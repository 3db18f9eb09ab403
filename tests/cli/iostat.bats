#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf iostat is perf stat --iostat; its tables are also tested in tests/unit/test_stat_metrics.c.

load rival

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# The same as perf stat with these options, which come before a | in the arguments.
same() { # IOSTAT-ARGUMENTS... | STAT-ARGUMENTS...
	local ours=()
	while [ "$1" != "|" ]; do
		ours+=("$1")
		shift
	done
	shift
	"$PERF" stat "$@" >wanted 2>&1 && want=0 || want=$?
	"$PERF" iostat "${ours[@]}" >got 2>&1 && got=0 || got=$?
	diff wanted got
	[ "$want" -eq "$got" ]
}

# on_ports PERF ARGUMENTS...: perf on a machine with two I/O stacks, whose counts iostat-shim.c plays
on_ports() {
	mkdir -p tree
	cat >ports.sh <<-'END'
		mount -t tmpfs none tree && mkdir tree/devices || exit
		for d in /sys/devices/*; do
			mkdir "tree/${d##*/}"
			mount --bind "$d" "tree/${d##*/}"
		done
		for i in 0 1; do
			mkdir -p tree/uncore_iio_$i/format
			(
				cd tree/uncore_iio_$i || exit
				echo $((30 + i)) >type
				echo 0 >cpumask
				echo 0000:${i}0 >die0
				echo config:0-7 >format/event
				echo config:8-15 >format/umask
				echo config:36-43 >format/ch_mask
				echo config:44-46 >format/fc_mask
			)
			ln -s /sys/devices/uncore_iio_$i tree/devices/
		done
		for d in /sys/bus/event_source/devices/*; do ln -s "$(readlink -f "$d")" tree/devices/; done
		mount --bind tree/devices /sys/bus/event_source/devices
		mount --move tree /sys/devices
		exec env LD_PRELOAD="$PWD/shim.so" "$@"
	END
	unshare -m sh ports.sh "$@"
}

# What was counted, whatever the columns' widths
figures() {
	grep -E '^[0-9 ]*[0-9.]*[ ,:]*0000:|^port,' | tr -s ' ' | sed -E 's/^ *([0-9]+\.[0-9]+)([ ,:])/TIME\2/'
}

@test "two I/O stacks: counts by hand, and those of Debian's perf" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "this machine has I/O stacks of its own"
	gcc -O1 -Wall -shared -fPIC -o shim.so "$BATS_TEST_DIRNAME/iostat-shim.c" -ldl
	on_ports "$PERF" iostat list 2>got
	printf 'S0-uncore_iio_0<0000:00>\nS0-uncore_iio_1<0000:10>\n' | diff - got
	# units of 4 bytes: 2 MB and 800000 bytes are 2.76 MB
	on_ports "$PERF" iostat -x , -- true 2>got
	printf '%s\n' "port,Inbound Read(MB),Inbound Write(MB),Outbound Read(MB),Outbound Write(MB)," "0000:00,1,5,3,3," \
		"0000:10,10,50,28,30," | diff - got
	on_ports "$PERF" iostat 0000:10 -- true 2>&1 | figures >got
	echo "0000:10 10 50 28 30 " | diff - got
	run on_ports "$PERF" iostat 0000:77 -- true
	[ "$status" -eq 1 ]
	[[ "$output" == *"no root port '0000:77'"* ]]
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	on_ports "$RIVAL" stat --iostat=list >theirs 2>&1 # one after the other: both write ports.sh
	on_ports "$PERF" stat --iostat=list 2>&1 | diff theirs -
	for words in "--iostat" "--iostat -x," "--iostat=0000:00" "--iostat -I 300" "--iostat -I 300 -x:"; do
		# shellcheck disable=SC2086
		on_ports "$RIVAL" stat $words sleep 0.4 2>&1 | figures >theirs
		# shellcheck disable=SC2086
		on_ports "$PERF" stat $words sleep 0.4 2>&1 | figures >ours
		[ "$(wc -l <ours)" -ge 1 ]
		diff theirs ours
	done
}

@test "list, ports, options and a command go to perf stat" {
	same list "|" --iostat=list
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "figures differ from run to run"
	same "|" --iostat
	same 0000:16,0000:64 -- true "|" --iostat=0000:16,0000:64 -- true
	same -I 100 -x , -- true "|" --iostat -I 100 -x , -- true
	same true "|" --iostat -- true
	[ -s got ]
}

@test "a machine without root ports is an error that says so" {
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "this machine has root ports"
	run "$PERF" iostat list
	[ "$status" -eq 1 ]
	[[ "$output" == "error: "*iostat* || "$output" == "error: "*root* || "$output" == "error: "*uncore* ]]
}
