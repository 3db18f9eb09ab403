# SPDX-License-Identifier: GPL-2.0-or-later
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

Path = Union[str, bytes, "os.PathLike[Any]"]

class error(OSError): ...
class DamageWarning(RuntimeWarning): ...

class Frame(NamedTuple):
    ip: int
    sym: Optional[str]
    symoff: Optional[int]
    dso: Optional[str]
    @property
    def symbol(self) -> str: ...

callchain_node = Frame

class callchain(Tuple[Frame, ...]): ...

class Branch(NamedTuple):
    from_ip: int
    to_ip: int
    predicted: Optional[bool]
    in_tx: bool
    abort: bool
    cycles: int
    type: int
    @property
    def mispred(self) -> bool: ...

branch_entry = Branch

class branch_stack(Tuple[Branch, ...]): ...

class Sample:
    event: str
    comm: str
    mode: str
    period: int
    cpumode: int
    misc: int
    time: Optional[int]
    pid: Optional[int]
    tid: Optional[int]
    cpu: Optional[int]
    id: Optional[int]
    stream_id: Optional[int]
    ip: Optional[int]
    addr: Optional[int]
    phys_addr: Optional[int]
    weight: Optional[int]
    ins_lat: Optional[int]
    retire_lat: Optional[int]
    data_src: Optional[int]
    transaction: Optional[int]
    data_page_size: Optional[int]
    code_page_size: Optional[int]
    sym: Optional[str]
    symoff: Optional[int]
    dso: Optional[str]
    dsoff: Optional[int]
    cgroup: Optional[str]
    raw: Optional[bytes]
    stack: Optional[bytes]
    callchain: "callchain"
    brstack: branch_stack
    uregs: Optional[Dict[str, int]]
    iregs: Optional[Dict[str, int]]
    values: Tuple[Tuple[int, int, int], ...]
    fields: Dict[str, Union[int, str, bytes, None]]
    trace: Optional[str]
    dso_long_name: Optional[str]
    dso_bid: Optional[str]
    map_start: Optional[int]
    map_end: Optional[int]
    map_pgoff: Optional[int]
    sym_start: Optional[int]
    sym_end: Optional[int]
    evsel: evsel
    symbol: Optional[str]
    raw_buf: bytes
    type: int
    sample_insn_count: int
    sample_cyc_count: int
    sample_time: int
    sample_pid: int
    sample_tid: int
    sample_cpu: int
    sample_id: int
    sample_stream_id: int
    sample_period: int
    sample_ip: int
    sample_addr: int
    sample_phys_addr: int
    sample_weight: int
    sample_data_src: int
    def insn(self) -> Optional[bytes]: ...
    def srccode(self, addr: int = ..., /) -> Tuple[Optional[str], int, Optional[str]]: ...
    def __getitem__(self, name: str) -> Union[int, str, bytes, None]: ...
    def __getattr__(self, name: str) -> Any: ...

class SampleIterator:
    def __iter__(self) -> SampleIterator: ...
    def __next__(self) -> Sample: ...

class Column(Sequence[Any]):
    name: str
    names: Optional[List[Optional[str]]]
    format: str
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...
    def __buffer__(self, flags: int) -> memoryview: ...

class Recording:
    path: str
    events: List[Dict[str, Any]]
    hostname: Optional[str]
    os_release: Optional[str]
    arch: Optional[str]
    version: Optional[str]
    command: List[str]
    warnings: List[str]
    def __iter__(self) -> SampleIterator: ...
    def columns(self, *fields: str) -> Dict[str, Column]: ...
    def group_by(self, *fields: str) -> Dict[Any, Tuple[int, int]]: ...
    def __enter__(self) -> Recording: ...
    def __exit__(self, *args: Any) -> None: ...

def open(
    path: Optional[Path] = None,
    *,
    chains: bool = False,
    force: bool = False,
    symfs: Optional[Path] = None,
    kallsyms: Optional[Path] = None,
    vmlinux: Optional[Path] = None,
) -> Recording: ...

class Live:
    events: List[Dict[str, Any]]
    lost: int
    def __iter__(self) -> SampleIterator: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Live: ...
    def __exit__(self, *args: Any) -> None: ...

def live(
    events: Optional[str] = None,
    *,
    pids: Union[int, Iterable[int], None] = None,
    cpus: Optional[str] = None,
    freq: Optional[int] = None,
    period: Optional[int] = None,
    chains: Union[bool, str, None] = False,
    refresh: float = 0.1,
) -> Live: ...

class data:
    path: Path
    def __init__(self, path: Path = "perf.data", fd: int = -1) -> None: ...

class thread:
    pid: int
    tid: int
    cpu: int
    @property
    def ppid(self) -> int: ...
    def comm(self) -> str: ...

class session:
    data: data
    def __init__(
        self,
        data: data,
        sample: Optional[Callable[[Sample], Any]] = None,
        stat: Optional[Callable[[Union[stat_event, stat_round_event], Optional[str]], Any]] = None,
        kallsyms: Optional[Path] = None,
        vmlinux: Optional[Path] = None,
    ) -> None: ...
    def process_events(self) -> int: ...
    def find_thread(self, tid: int) -> thread: ...

class cpu_map(Sequence[int]):
    def __init__(self, cpustr: Optional[str] = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...

class thread_map(Sequence[int]):
    def __init__(self, pid: int = -1, tid: int = -1, uid: int = -1) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...

class counts_values(Sequence[int]):
    val: int
    ena: int
    run: int
    id: int
    lost: int
    values: List[int]
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...

class evsel:
    name: str
    size: int
    ids: List[int]
    tracking: bool
    type: int
    config: int
    config1: int
    config2: int
    sample_freq: int
    sample_period: int
    sample_type: int
    read_format: int
    branch_sample_type: int
    wakeup_events: int
    bp_type: int
    bp_addr: int
    bp_len: int
    def __init__(self, **attr: int) -> None: ...
    def open(
        self, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None, group: int = 0, inherit: int = -1
    ) -> None: ...
    def close(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def read(self, cpu: int, thread: int, /) -> counts_values: ...
    def cpus(self) -> Optional[cpu_map]: ...
    def threads(self) -> Optional[thread_map]: ...

class _record:
    type: int
    misc: int
    evsel: Optional[evsel]
    sample_ip: int
    sample_addr: int
    sample_period: int
    sample_weight: int
    sample_data_src: int
    sample_phys_addr: int
    sample_pid: int
    sample_tid: int
    sample_time: int
    sample_id: int
    sample_stream_id: int
    sample_cpu: int
    def __getattr__(self, name: str) -> Any: ...

class mmap_event(_record):
    pid: int
    tid: int
    start: int
    len: int
    pgoff: int
    filename: str

class mmap2_event(mmap_event):
    prot: int
    flags: int
    maj: Optional[int]
    min: Optional[int]
    ino: Optional[int]
    ino_generation: Optional[int]
    build_id: Optional[bytes]

class task_event(_record):
    pid: int
    ppid: int
    tid: int
    ptid: int
    time: int

class comm_event(_record):
    pid: int
    tid: int
    comm: str

class throttle_event(_record):
    time: int
    id: int
    stream_id: int

class lost_event(_record):
    id: int
    lost: int

class read_event(_record):
    pid: int
    tid: int
    value: int

class context_switch_event(_record):
    next_prev_pid: int
    next_prev_tid: int

switch_event = context_switch_event

class sample_event(_record):
    raw_buf: bytes
    sample_insn_count: int
    sample_cyc_count: int
    callchain: Tuple[int, ...]
    brstack: Optional[branch_stack]
    dso: Optional[str]
    dso_long_name: Optional[str]
    dso_bid: Optional[str]
    map_start: Optional[int]
    map_end: Optional[int]
    map_pgoff: Optional[int]
    symbol: Optional[str]
    sym_start: Optional[int]
    sym_end: Optional[int]
    def insn(self) -> Optional[bytes]: ...
    def srccode(self, addr: int = ..., /) -> Tuple[Optional[str], int, Optional[str]]: ...

class stat_event(_record):
    id: int
    cpu: int
    thread: int
    val: int
    ena: int
    run: int

class stat_round_event(_record):
    stat_round_type: int
    time: int

class other_event(_record): ...

class evlist(Sequence[evsel]):
    def __init__(self, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...
    def add(self, evsel: evsel, /) -> int: ...
    def config(self) -> None: ...
    def open(self) -> None: ...
    def close(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def mmap(self, pages: int = 128, overwrite: int = 0) -> None: ...
    def poll(self, timeout: int = -1) -> int: ...
    def get_pollfd(self) -> List[int]: ...
    def metrics(self) -> List[str]: ...
    def compute_metric(self, metric: str, cpu: int, thread: int) -> float: ...
    def all_cpus(self) -> cpu_map: ...
    def read_on_cpu(self, cpu: int, sample_id_all: int = 1) -> Optional[_record]: ...

def parse_events(str: str, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None) -> evlist: ...
def metrics() -> List[Dict[str, Union[str, List[str]]]]: ...
def parse_metrics(
    metrics: str, pmu: Optional[str] = None, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None
) -> evlist: ...
def tracepoint(sys: str, name: str) -> int: ...

class pmu:
    def name(self) -> str: ...
    def events(self) -> List[Dict[str, str]]: ...

class PmuIterator:
    def __iter__(self) -> PmuIterator: ...
    def __next__(self) -> pmu: ...

def pmus() -> PmuIterator: ...
def syscall_name(id: int, *, elf_machine: int = -1) -> Optional[str]: ...
def syscall_id(name: str, *, elf_machine: int = -1) -> int: ...
def config_get(name: str, /) -> Optional[str]: ...

COUNT_HW_BRANCH_INSTRUCTIONS: int
COUNT_HW_BRANCH_MISSES: int
COUNT_HW_BUS_CYCLES: int
COUNT_HW_CACHE_BPU: int
COUNT_HW_CACHE_DTLB: int
COUNT_HW_CACHE_ITLB: int
COUNT_HW_CACHE_L1D: int
COUNT_HW_CACHE_L1I: int
COUNT_HW_CACHE_LL: int
COUNT_HW_CACHE_MISSES: int
COUNT_HW_CACHE_OP_PREFETCH: int
COUNT_HW_CACHE_OP_READ: int
COUNT_HW_CACHE_OP_WRITE: int
COUNT_HW_CACHE_REFERENCES: int
COUNT_HW_CACHE_RESULT_ACCESS: int
COUNT_HW_CACHE_RESULT_MISS: int
COUNT_HW_CPU_CYCLES: int
COUNT_HW_INSTRUCTIONS: int
COUNT_HW_REF_CPU_CYCLES: int
COUNT_HW_STALLED_CYCLES_BACKEND: int
COUNT_HW_STALLED_CYCLES_FRONTEND: int
COUNT_SW_ALIGNMENT_FAULTS: int
COUNT_SW_BPF_OUTPUT: int
COUNT_SW_CGROUP_SWITCHES: int
COUNT_SW_CONTEXT_SWITCHES: int
COUNT_SW_CPU_CLOCK: int
COUNT_SW_CPU_MIGRATIONS: int
COUNT_SW_DUMMY: int
COUNT_SW_EMULATION_FAULTS: int
COUNT_SW_PAGE_FAULTS: int
COUNT_SW_PAGE_FAULTS_MAJ: int
COUNT_SW_PAGE_FAULTS_MIN: int
COUNT_SW_TASK_CLOCK: int
FORMAT_GROUP: int
FORMAT_ID: int
FORMAT_LOST: int
FORMAT_TOTAL_TIME_ENABLED: int
FORMAT_TOTAL_TIME_RUNNING: int
RECORD_AUX: int
RECORD_BPF_EVENT: int
RECORD_CGROUP: int
RECORD_COMM: int
RECORD_EXIT: int
RECORD_FORK: int
RECORD_ITRACE_START: int
RECORD_KSYMBOL: int
RECORD_LOST: int
RECORD_LOST_SAMPLES: int
RECORD_MISC_SWITCH_OUT: int
RECORD_MMAP: int
RECORD_MMAP2: int
RECORD_NAMESPACES: int
RECORD_READ: int
RECORD_SAMPLE: int
RECORD_STAT: int
RECORD_STAT_ROUND: int
RECORD_SWITCH: int
RECORD_SWITCH_CPU_WIDE: int
RECORD_TEXT_POKE: int
RECORD_THROTTLE: int
RECORD_UNTHROTTLE: int
SAMPLE_ADDR: int
SAMPLE_BRANCH_STACK: int
SAMPLE_CALLCHAIN: int
SAMPLE_CGROUP: int
SAMPLE_CODE_PAGE_SIZE: int
SAMPLE_CPU: int
SAMPLE_DATA_PAGE_SIZE: int
SAMPLE_DATA_SRC: int
SAMPLE_ID: int
SAMPLE_IDENTIFIER: int
SAMPLE_IP: int
SAMPLE_PERIOD: int
SAMPLE_PHYS_ADDR: int
SAMPLE_RAW: int
SAMPLE_READ: int
SAMPLE_REGS_INTR: int
SAMPLE_REGS_USER: int
SAMPLE_STACK_USER: int
SAMPLE_STREAM_ID: int
SAMPLE_TID: int
SAMPLE_TIME: int
SAMPLE_TRANSACTION: int
SAMPLE_WEIGHT: int
SAMPLE_WEIGHT_STRUCT: int
TYPE_BREAKPOINT: int
TYPE_HARDWARE: int
TYPE_HW_CACHE: int
TYPE_RAW: int
TYPE_SOFTWARE: int
TYPE_TRACEPOINT: int
