# SPDX-License-Identifier: GPL-2.0-or-later
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

Path = Union[str, bytes, "os.PathLike[Any]"]

class error(OSError): ...

class Frame(NamedTuple):
    ip: int
    sym: Optional[str]
    symoff: Optional[int]
    dso: Optional[str]

class Branch(NamedTuple):
    from_ip: int
    to_ip: int
    predicted: Optional[bool]
    in_tx: bool
    abort: bool
    cycles: int
    type: int

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
    callchain: Tuple[Frame, ...]
    brstack: Tuple[Branch, ...]
    uregs: Optional[Dict[str, int]]
    iregs: Optional[Dict[str, int]]
    values: Tuple[Tuple[int, int, int], ...]
    fields: Dict[str, Union[int, str, bytes, None]]
    trace: Optional[str]
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
    tid: int
    def comm(self) -> str: ...

class session:
    data: data
    def __init__(self, data: data, sample: Optional[Callable[[Sample], Any]] = None, stat: None = None) -> None: ...
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

class evsel:
    name: str
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
    def read(self, cpu: int, thread: int, /) -> Tuple[int, int, int, int]: ...
    def cpus(self) -> Optional[cpu_map]: ...
    def threads(self) -> Optional[thread_map]: ...

class _record:
    type: int
    misc: int
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

class sample_event(_record):
    evsel: str
    sample_ip: int
    sample_addr: int
    sample_period: int
    sample_weight: int
    sample_data_src: int
    sample_phys_addr: int
    raw_buf: Optional[bytes]
    callchain: Tuple[int, ...]

class other_event(_record): ...

class evlist(Sequence[evsel]):
    def __init__(self, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: Any) -> Any: ...
    def add(self, evsel: evsel, /) -> int: ...
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
def metrics() -> List[Dict[str, Any]]: ...
def parse_metrics(
    metrics: str, pmu: Optional[str] = None, cpus: Optional[cpu_map] = None, threads: Optional[thread_map] = None
) -> evlist: ...
def tracepoint(sys: str, name: str) -> int: ...

def __getattr__(name: str) -> int: ...  # TYPE_*, COUNT_*, SAMPLE_*, FORMAT_*, RECORD_*
