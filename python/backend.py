# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the wheel of the module with the Makefile: `pip install ./python` needs nothing else (PEP 517)."""
import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
NAME = "perf"


def version():
    with open(os.path.join(TOP, "util", "base", "version.h"), encoding="utf-8") as f:
        return re.search(r'PERF_VERSION "([^"]+)"', f.read()).group(1)


def metadata():
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
        "Summary: Recordings of perf, and the events of the machine\nLicense: GPL-2.0-or-later\n"
        "Requires-Python: >=3.11\n"
    )


def tag():
    return "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def build():
    subprocess.run(["make", "-C", TOP, "-s", "python"], check=True, stdout=2)
    return os.path.join(TOP, "build", "python", NAME)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{version()}.dist-info"
    files = {}
    directory = build()
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if os.path.isfile(path) and not name.endswith(".new"):
            with open(path, "rb") as f:
                files[f"{NAME}/{name}"] = f.read()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: perf\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in files.items():
            z.writestr(name, content)
    return wheel
