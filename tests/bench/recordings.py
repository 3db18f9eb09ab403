# SPDX-License-Identifier: GPL-2.0-or-later
"""
Recordings of real work, which the bench makes itself, and long ones made out of short ones.

A generated file has few distinct rows and regular chains; what people record has many of both.
"""
import os
import shutil
import subprocess
import sys

CXX = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct A {{ std::map<std::string, std::vector<A<N - 1>>> m; int f(const std::string &s)
{{ std::regex r(s); int n = 0; for (auto &p : m) for (auto &a : p.second) n += a.f(p.first); return n; }} }};
template <> struct A<0> {{ int f(const std::string &s) {{ return s.size(); }} }};
int run_{number}(const std::string &s)
{{ A<{depth}> a; std::unordered_map<std::string, std::function<int(int)>> g;
g[s] = [&](int x) {{ return x + a.f(s); }}; std::vector<int> v(s.begin(), s.end()); std::sort(v.begin(), v.end());
return g[s](v[0]); }}
"""

PYTHON = """
import ast, collections, json, os, re, tokenize
words = collections.Counter()
for top in ("/usr/lib/python3", "/usr/share/doc"):
    for dir, _, names in os.walk(top):
        for name in sorted(names):
            try:
                text = open(os.path.join(dir, name), encoding="utf-8").read()
            except (OSError, UnicodeDecodeError):
                continue
            words.update(re.findall(r"[A-Za-z_]+", text))
            if name.endswith(".py"):
                for node in ast.walk(ast.parse(text)):
                    words[type(node).__name__] += 1
            if sum(words.values()) > LIMIT:
                raise SystemExit(len(json.dumps(words)))
"""

KERNEL = """
for i in $(seq ROUNDS); do
	find /usr/include /usr/lib /usr/share -maxdepth 4 -type f -newer /etc/passwd >list &
	tar cf - -C /usr/share doc 2>/dev/null | dd of=/dev/null bs=4k 2>/dev/null &
	sh -c 'n=0; while [ $n -lt 200 ]; do /bin/true; n=$((n + 1)); done' &
	dd if=/dev/zero bs=1 count=20000 2>/dev/null | cat >copy
	wait
done
rm -f list copy
"""


def record(ours, cwd, name, options, program):
    subprocess.run([ours, "record", "-q", "-o", name, "-e", "cpu-clock", *options, "--", *program], cwd=cwd,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    size = os.path.getsize(os.path.join(cwd, name)) / 1e6
    print(f"# {name} {size:.1f} MB, recorded: {program[0]}", flush=True)


def build(ours, cwd, quick):
    """Two compilations at a time, system-wide, chains of frame pointers: most end after one frame."""
    for i in range(2 if quick else 12):
        with open(os.path.join(cwd, f"part{i}.cc"), "w", encoding="ascii") as f:
            f.write(CXX.format(number=i, depth=2 + i % 5))
    command = "ls part*.cc | xargs -P 2 -n 1 sh -c 'g++ -O1 -g -c \"$0\" -o \"$0.o\"'"
    record(ours, cwd, "build.data", ["-a", "-g", "-F", "4000" if quick else "9000", "-m", "16M"], ["sh", "-c", command])


def python(ours, cwd, quick):
    script = os.path.join(cwd, "words.py")
    with open(script, "w", encoding="ascii") as f:
        f.write(PYTHON.replace("LIMIT", "300000" if quick else "6000000"))
    record(ours, cwd, "python.data", ["-g", "-F", "9000"], [sys.executable, script])


def kernel(ours, cwd, quick):
    record(ours, cwd, "kernel.data", ["-a", "-g", "-F", "4000" if quick else "9000", "-m", "16M"],
           ["sh", "-c", KERNEL.replace("ROUNDS", "1" if quick else "6")])


# What was recorded, what makes it, what it needs, and how it is looked at.
REAL = (("build", build, "g++", (("report -g", []), ("report -g --no-children", ["--no-children"]),
                                 ("report by comm", ["--no-children", "-g", "none", "-s", "comm"]))),
        ("python", python, sys.executable, (("report -g", []),)),
        ("kernel", kernel, "sh", (("report -g", []), ("report -g --no-children", ["--no-children"]))))


def real_rows(cwd, ours, quick, pattern):
    """Recordings of a g++ build, a Python program and a kernel at work."""
    rows = []
    for name, make, needs, looks in REAL:
        of_file = [{"name": f"{look}, {name}", "args": ["report", "--stdio", "-i", f"{name}.data", *options],
                    "aim": 10, "rival_runs": 1} for look, options in looks]
        of_file.append({"name": f"script, {name}", "args": ["script", "-i", f"{name}.data"], "aim": 3, "rival_runs": 1})
        of_file = [row for row in of_file if pattern in row["name"]]
        if of_file and shutil.which(needs):
            make(ours, cwd, quick)
            rows += of_file
    return rows


def repeat(cwd, short, megabytes, long):
    """A long recording out of a short one; what was made, in words."""
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "repeat")
    return subprocess.run([tool, short, str(megabytes), long], cwd=cwd, check=True,
                          stdout=subprocess.PIPE).stdout.decode().strip()


def record_switches(cwd, ours, file, loops):
    """
    What perf sched record writes of 160 tasks that pass messages.  The work is given, not the time, so a
    machine under load records as much as one that is idle.
    """
    subprocess.run([ours, "sched", "record", "-m", "16M", "-o", file, "--", ours, "bench", "sched", "messaging",
                    "-g", "4", "-l", str(loops)], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)


def scale_rows(cwd, ours, sizes, pattern):
    """The same work at several lengths of a recording: time should grow with it, memory should not."""
    looks = (("report, {} GB", ["report", "--stdio", "--no-children", "-g", "none"]),
             ("sched latency, {} GB", ["sched", "latency"]), ("script -F comm,time, {} GB", ["script", "-F", "comm,time"]))
    rows = []
    for size in sizes.split(","):
        of_size = [{"name": name.format(size), "args": [*args, "-i", f"scale-{size}.data"], "rival": False, "runs": 2}
                   for name, args in looks]
        of_size = [row for row in of_size if pattern in row["name"]]
        if not of_size:
            continue
        if not os.path.exists(os.path.join(cwd, "seed.data")):
            record_switches(cwd, ours, "seed.data", 200)
        said = repeat(cwd, "seed.data", int(float(size) * 1000), f"scale-{size}.data")
        print(f"# scale-{size}.data: {said}", flush=True)
        rows += of_size
    return rows + chain_rows(cwd, sizes, pattern)


def chain_rows(cwd, sizes, pattern):
    """Chains that are all different, of 10,000 processes: 5 million are 0.8 GB. Memory grows with chains that are kept."""
    rows = []
    for size in sizes.split(","):
        file, samples = f"chains-{size}.data", int(float(size) * 6.2e6)
        of_size = [{"name": f"report {what}, {size} GB of chains", "args": ["report", "--stdio", "--no-children", *args,
                                                                              "-i", file], "rival": False, "runs": 2}
                   for what, args in (("-g", ["-g", "caller"]), ("-g none", ["-g", "none"]))]
        of_size = [row for row in of_size if pattern in row["name"]]
        if not of_size:
            continue
        said = subprocess.run([os.path.join(os.path.dirname(__file__), "generate-chains"), "--samples", str(samples),
                               "--chains", str(samples), "--processes", "10000", "--depth", "12",
                               "--functions", "3000", os.path.join(cwd, file)],
                              stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        print(f"# {file}: {said}", flush=True)
        rows += of_size
    return rows
