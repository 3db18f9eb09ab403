# SPDX-License-Identifier: GPL-2.0-or-later
# For bats files: load pmu

# Does this machine have a PMU of its CPUs? It has another name on each kind (cpu, armv8_pmuv3, cpu_core); raw events
# are for whichever is there.
has_pmu_of_cpus() {
	! "$PERF" stat -x, -e r1 true 2>&1 | grep -q '^<not supported>'
}
