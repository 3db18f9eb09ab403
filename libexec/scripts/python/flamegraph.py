# SPDX-License-Identifier: GPL-2.0-or-later
"""Flame graphs: a page of its own (flamegraph.html), or the tree as JSON, as d3-flame-graph reads it.

Widths are samples; of a recording with waits (perf record --off-cpu) they are ns."""

import argparse
import json
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Weights import Weights

parser = argparse.ArgumentParser(prog="flamegraph.py", description=__doc__)
parser.add_argument("-f", "--format", default="html", choices=["html", "json"])
parser.add_argument("-o", "--output", help="the file that is written; - for standard output")
parser.add_argument("--template", help="an HTML page with /** @flamegraph_json **/ and "
                    "/** @options_json **/ where the data belong")
parser.add_argument("--colorscheme", default="blue-green", choices=["blue-green", "orange"])
options = parser.parse_args()


class Node:
    def __init__(self, name, kind):
        self.name, self.kind, self.sums, self.children = name, kind, {}, {}

    def child(self, name, kind):
        return self.children.setdefault((name, kind), Node(name, kind))

    def to_json(self):
        children = (self.children[k].to_json() for k in sorted(self.children))
        return {"n": self.name, "l": self.kind, "v": weights.value(self.sums), "c": [c for c in children if c["v"]]}


weights = Weights()
root = Node("all", "root")

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Flame graph</title><style>
body { font: 12px sans-serif; margin: 12px }
#graph { position: relative }
#graph div { position: absolute; height: 17px; overflow: hidden; white-space: nowrap; box-sizing: border-box;
border: 1px solid #fff; border-radius: 2px; padding: 0 3px; cursor: pointer }
</style></head><body><h3>Flame graph</h3>
<p><input id="search" placeholder="search"> <span id="found"></span></p><div id="graph"></div>
<p id="detail">&nbsp;</p><script>
const stacks = /** @flamegraph_json **/;
const options = /** @options_json **/;
const graph = document.getElementById("graph"), detail = document.getElementById("detail");
let top_node = stacks;
function color(node) {
	let h = 0;
	for (const c of node.n) h = (h * 31 + c.charCodeAt(0)) % 997;
	const base = options.colorscheme === "orange" ? 20 : node.l === "kernel" ? 210 : 140;
	return "hsl(" + (base + h % 40) + ",60%," + (65 + h % 15) + "%)";
}
function depth(node) { return 1 + Math.max(0, ...node.c.map(depth)); }
function draw() {
	const word = document.getElementById("search").value, levels = depth(top_node);
	let found = 0;
	graph.textContent = "";
	graph.style.height = levels * 18 + "px";
	function add(node, left, level, inside) {
		const width = node.v / top_node.v, hit = word && node.n.includes(word);
		if (hit && !inside) found += node.v;
		if (width < 0.0005) return;
		const box = document.createElement("div");
		box.style.left = left * 100 + "%";
		box.style.width = width * 100 + "%";
		box.style.top = (levels - level - 1) * 18 + "px";
		box.style.background = hit ? "#e0e" : color(node);
		box.textContent = node.n;
		const say = node.n + ": " + node.v + " " + options.unit + " (" + (100 * node.v / stacks.v).toFixed(2) + "%)";
		box.title = say;
		box.onmouseover = () => detail.textContent = say;
		box.onclick = () => { top_node = top_node === node ? stacks : node; draw(); };
		graph.append(box);
		for (const c of node.c) { add(c, left, level + 1, inside || hit); left += c.v / top_node.v; }
	}
	add(top_node, 0, 0, false);
	document.getElementById("found").textContent = word ? (100 * found / top_node.v).toFixed(2) + "%" : "";
}
document.getElementById("search").oninput = draw;
draw();
</script></body></html>
"""


def kind_of(dso):
    if not dso:
        return ""
    return "kernel" if dso.startswith("[") and dso not in ("[vdso]", "[vsyscall]") else "user"


def process_event(sample):
    node = root.child(sample['comm'], "")
    weights.add(root.sums, sample)
    weights.add(node.sums, sample)
    for frame in reversed(sample['callchain']):
        name = frame['sym']['name'] if 'sym' in frame else "[unknown]"
        node = node.child(name, kind_of(frame.get('dso')))
        weights.add(node.sums, sample)
    if not sample['callchain']:
        node = node.child(sample.get('symbol', "[unknown]"), kind_of(sample.get('dso')))
        weights.add(node.sums, sample)


def trace_unhandled(event_name, context, fields, sample):
    process_event(sample)


def page(stacks):
    template = PAGE
    if options.template:
        with open(options.template, encoding="utf-8") as f:
            template = f.read()
    # names come from the recording: none may end the script element
    stacks = stacks.replace("<", "\\u003c")
    return (template.replace("/** @flamegraph_json **/", stacks)
            .replace("/** @options_json **/", json.dumps({"colorscheme": options.colorscheme, "unit": weights.unit()})))


def trace_end():
    weights.note_left_out()
    sys.setrecursionlimit(10000)
    text = json.dumps(root.to_json())
    if options.format == "html":
        text = page(text)
    name = options.output or ("flamegraph.html" if options.format == "html" else "stacks.json")
    if name == "-":
        sys.stdout.write(text)
        return
    with open(name, "w", encoding="utf-8", errors="replace") as f:
        f.write(text)
    print("dumping data to %s" % name)
