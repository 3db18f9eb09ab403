# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Leaves a copy of the tracepoints' formats in /out, with the names of the modules that are loaded.
cd /sys/kernel/tracing || exit 1
for file in events/*/*/format; do
	mkdir -p "/out/${file%/format}"
	cat "$file" >"/out/$file"
done
cut -d' ' -f1 /proc/modules >/out/modules
uname -r
