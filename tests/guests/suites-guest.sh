# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest whose /system is a Debian system (tests/guests/userland) and whose /test/tree is perf's own tree: runs the
# command-line tests of that tree in that system.
mount -t tmpfs none /system/tmp
mount -t tmpfs none /system/root
mount -t tmpfs none /system/run
mount -t tmpfs none /system/var/tmp
mkdir -p /dev/shm /dev/pts
mount -t tmpfs none /dev/shm
mount -t devpts none /dev/pts
# devtmpfs has none of these, which bash looks for.
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
mount -t cgroup2 none /sys/fs/cgroup
# Enabling any controller also brings the implicit ones, such as perf_event.
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
mount --bind /test/tree /system/perf
for dir in proc sys dev; do mount --rbind /$dir /system/$dir; done
# Not only a root of its own: the kernel refuses new user namespaces to what is not at the root of its mounts.
cd /system || exit 1
mount --move . /
exec chroot . /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C PATH=/usr/local/bin:/usr/bin:/usr/sbin \
	sh -c 'cd /perf && exec tests/run --once --lanes 1 cli/'
