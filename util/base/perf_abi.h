/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf_event ABI and the record numbers of perf.data, as numbers of our own:
 * the system's linux/perf_event.h may be older than the files we read.
 * Source: include/uapi/linux/perf_event.h (6.18) and, for the user record types
 * from 64 up, the files that perf 6.1 and 7.3 write.
 *
 * attr.flags is one u64 with ATTR_* bits (the kernel's bit fields in little
 * endian order); a big-endian file is brought to this order when it is read.
 */
#ifndef BASE_PERF_ABI_H
#define BASE_PERF_ABI_H

#include "base/types.h"

enum {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5,
};
#define PERF_TYPE_SYNTH 0x80000000U /* perf's own: samples of decoded traces */

enum {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_BUS_CYCLES,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	PERF_COUNT_HW_REF_CPU_CYCLES,
	PERF_COUNT_HW_MAX,
};

enum {
	PERF_COUNT_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK,
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS,
	PERF_COUNT_SW_DUMMY,
	PERF_COUNT_SW_BPF_OUTPUT,
	PERF_COUNT_SW_CGROUP_SWITCHES,
	PERF_COUNT_SW_MAX,
};

enum {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_AUX = 1U << 20,
	PERF_SAMPLE_CGROUP = 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
	PERF_SAMPLE_KNOWN = (1U << 25) - 1,
	/* those that precede all others, each a u64 */
	PERF_SAMPLE_FIXED = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
};

enum {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
};

enum {
	PERF_SAMPLE_BRANCH_USER = 1U << 0,
	PERF_SAMPLE_BRANCH_KERNEL = 1U << 1,
	PERF_SAMPLE_BRANCH_HV = 1U << 2,
	PERF_SAMPLE_BRANCH_ANY = 1U << 3,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1U << 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1U << 5,
	PERF_SAMPLE_BRANCH_IND_CALL = 1U << 6,
	PERF_SAMPLE_BRANCH_ABORT_TX = 1U << 7,
	PERF_SAMPLE_BRANCH_IN_TX = 1U << 8,
	PERF_SAMPLE_BRANCH_NO_TX = 1U << 9,
	PERF_SAMPLE_BRANCH_COND = 1U << 10,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1U << 11,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1U << 12,
	PERF_SAMPLE_BRANCH_CALL = 1U << 13,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1U << 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1U << 15,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1U << 16,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1U << 17,
	PERF_SAMPLE_BRANCH_PRIV_SAVE = 1U << 18,
	PERF_SAMPLE_BRANCH_COUNTERS = 1U << 19,
};

#define ATTR_DISABLED                 BIT64(0)
#define ATTR_INHERIT                  BIT64(1)
#define ATTR_PINNED                   BIT64(2)
#define ATTR_EXCLUSIVE                BIT64(3)
#define ATTR_EXCLUDE_USER             BIT64(4)
#define ATTR_EXCLUDE_KERNEL           BIT64(5)
#define ATTR_EXCLUDE_HV               BIT64(6)
#define ATTR_EXCLUDE_IDLE             BIT64(7)
#define ATTR_MMAP                     BIT64(8)
#define ATTR_COMM                     BIT64(9)
#define ATTR_FREQ                     BIT64(10)
#define ATTR_INHERIT_STAT             BIT64(11)
#define ATTR_ENABLE_ON_EXEC           BIT64(12)
#define ATTR_TASK                     BIT64(13)
#define ATTR_WATERMARK                BIT64(14)
#define ATTR_PRECISE_SHIFT            15 /* two bits */
#define ATTR_PRECISE_MASK             (3ULL << ATTR_PRECISE_SHIFT)
#define ATTR_MMAP_DATA                BIT64(17)
#define ATTR_SAMPLE_ID_ALL            BIT64(18)
#define ATTR_EXCLUDE_HOST             BIT64(19)
#define ATTR_EXCLUDE_GUEST            BIT64(20)
#define ATTR_EXCLUDE_CALLCHAIN_KERNEL BIT64(21)
#define ATTR_EXCLUDE_CALLCHAIN_USER   BIT64(22)
#define ATTR_MMAP2                    BIT64(23)
#define ATTR_COMM_EXEC                BIT64(24)
#define ATTR_USE_CLOCKID              BIT64(25)
#define ATTR_CONTEXT_SWITCH           BIT64(26)
#define ATTR_WRITE_BACKWARD           BIT64(27)
#define ATTR_NAMESPACES               BIT64(28)
#define ATTR_KSYMBOL                  BIT64(29)
#define ATTR_BPF_EVENT                BIT64(30)
#define ATTR_AUX_OUTPUT               BIT64(31)
#define ATTR_CGROUP                   BIT64(32)
#define ATTR_TEXT_POKE                BIT64(33)
#define ATTR_BUILD_ID                 BIT64(34)
#define ATTR_INHERIT_THREAD           BIT64(35)
#define ATTR_REMOVE_ON_EXEC           BIT64(36)
#define ATTR_SIGTRAP                  BIT64(37)
#define ATTR_DEFER_CALLCHAIN          BIT64(38)
#define ATTR_DEFER_OUTPUT             BIT64(39)

enum {
	ATTR_SIZE_VER0 = 64,  /* first published */
	ATTR_SIZE_VER1 = 72,  /* config2 */
	ATTR_SIZE_VER2 = 80,  /* branch_sample_type */
	ATTR_SIZE_VER3 = 96,  /* sample_regs_user, sample_stack_user */
	ATTR_SIZE_VER4 = 104, /* sample_regs_intr */
	ATTR_SIZE_VER5 = 112, /* aux_watermark */
	ATTR_SIZE_VER6 = 120, /* aux_sample_size */
	ATTR_SIZE_VER7 = 128, /* sig_data; what 6.1 writes and the most it reads */
	ATTR_SIZE_VER8 = 136, /* config3 */
	ATTR_SIZE_VER9 = 144, /* config4 */
};

struct perf_event_attr {
	u32 type;
	u32 size; /* bytes, ATTR_SIZE_* */
	u64 config;
	union {
		u64 sample_period;
		u64 sample_freq; /* Hz, with ATTR_FREQ */
	};
	u64 sample_type;
	u64 read_format;
	u64 flags; /* ATTR_* */
	union {
		u32 wakeup_events;
		u32 wakeup_watermark; /* bytes, with ATTR_WATERMARK */
	};
	u32 bp_type;
	u64 config1; /* or bp_addr */
	u64 config2; /* or bp_len */
	u64 branch_sample_type;
	u64 sample_regs_user;
	u32 sample_stack_user; /* bytes */
	s32 clockid;
	u64 sample_regs_intr;
	u32 aux_watermark; /* bytes */
	u16 sample_max_stack;
	u16 reserved_2;
	u32 aux_sample_size;
	u32 aux_action; /* bits: start paused, pause, resume */
	u64 sig_data;
	u64 config3;
	u64 config4;
};
_Static_assert(sizeof(struct perf_event_attr) == ATTR_SIZE_VER9, "attr layout");

/*
 * Mirrors the flags. Bit fields begin at the lowest bit on little-endian machines and at the
 * highest one on big-endian ones: this converts from either to the other. precise_ip has two bits,
 * which keep their order.
 */
static inline u64 attr_flags_mirrored(u64 flags)
{
	const unsigned low = ATTR_PRECISE_SHIFT, high = 62 - ATTR_PRECISE_SHIFT;
	u64 out = (flags >> low & 3) << high | (flags >> high & 3) << low;

	flags &= ~(3ULL << low | 3ULL << high);
	for (unsigned i = 0; i < 64; i++)
		if (flags & BIT64(i))
			out |= BIT64(63 - i);
	return out;
}

/* Returns the flags as this machine's kernel expects them. */
static inline u64 attr_flags_of_host(u64 flags)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? attr_flags_mirrored(flags) : flags;
}

enum {
	HW_BREAKPOINT_R = 1,
	HW_BREAKPOINT_W = 2,
	HW_BREAKPOINT_RW = 3,
	HW_BREAKPOINT_X = 4,
};

/* Every record starts with this. size: bytes, header included. */
struct record_header {
	u32 type;
	u16 misc;
	u16 size;
};

enum record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_KERNEL_MAX = 23,

	PERF_RECORD_USER_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_AUXTRACE_ERROR = 72,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_BPF_METADATA = 84,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
	PERF_RECORD_USER_MAX = 87,
};

enum {
	PERF_RECORD_MISC_CPUMODE_MASK = 7,
	PERF_RECORD_MISC_CPUMODE_UNKNOWN = 0,
	PERF_RECORD_MISC_KERNEL = 1,
	PERF_RECORD_MISC_USER = 2,
	PERF_RECORD_MISC_HYPERVISOR = 3,
	PERF_RECORD_MISC_GUEST_KERNEL = 4,
	PERF_RECORD_MISC_GUEST_USER = 5,
	PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT = 1 << 12,
	PERF_RECORD_MISC_MMAP_DATA = 1 << 13,
	PERF_RECORD_MISC_COMM_EXEC = 1 << 13,
	PERF_RECORD_MISC_FORK_EXEC = 1 << 13,
	PERF_RECORD_MISC_SWITCH_OUT = 1 << 13,
	PERF_RECORD_MISC_EXACT_IP = 1 << 14,
	PERF_RECORD_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	PERF_RECORD_MISC_MMAP_BUILD_ID = 1 << 14,
	PERF_RECORD_MISC_LOST_SAMPLES_BPF = 1 << 15, /* LOST_SAMPLES: a filter dropped them */
	PERF_RECORD_MISC_EXT_RESERVED = 1 << 15,
};

/* Markers inside call chains. */
#define PERF_CONTEXT_HV            ((u64)-32)
#define PERF_CONTEXT_KERNEL        ((u64)-128)
#define PERF_CONTEXT_USER          ((u64)-512)
#define PERF_CONTEXT_USER_DEFERRED ((u64)-640)
#define PERF_CONTEXT_GUEST         ((u64)-2048)
#define PERF_CONTEXT_GUEST_KERNEL  ((u64)-2176)
#define PERF_CONTEXT_GUEST_USER    ((u64)-2560)
#define PERF_CONTEXT_MAX           ((u64)-4095)

enum {
	PERF_SAMPLE_REGS_ABI_NONE = 0,
	PERF_SAMPLE_REGS_ABI_32 = 1,
	PERF_SAMPLE_REGS_ABI_64 = 2,
};

/* Feature sections of perf.data, by bit. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CLN_SIZE = 34,
	FEATURE_OURS = 255, /* our own facts, versioned; files only */
	FEATURE_BITS = 256,
};

#endif
