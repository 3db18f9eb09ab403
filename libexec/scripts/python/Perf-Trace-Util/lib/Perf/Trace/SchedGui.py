# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of a view of the scheduler: spans of time, one row for each CPU, drawn as text.

A script fills a Timeline and calls draw(); Timeline.rectangles() gives what a window would paint.
"""


class Timeline:
    """Spans (row, start, end, label, load); times in ns, load from 0 to 1."""

    def __init__(self):
        self.spans = []

    def add(self, row, start, end, label, load=1.0):
        if end > start:
            self.spans.append((row, start, end, label, load))

    def bounds(self):
        if not self.spans:
            return 0, 0
        return min(s[1] for s in self.spans), max(s[2] for s in self.spans)

    def rows(self):
        return sorted({s[0] for s in self.spans})

    def rectangles(self, width, height):
        """(x, y, w, h, label, load) of each span in a picture of that size."""
        first, last = self.bounds()
        rows = self.rows()
        if last == first:
            return
        scale, step = width / (last - first), height / len(rows)
        for row, start, end, label, load in self.spans:
            yield ((start - first) * scale, rows.index(row) * step, (end - start) * scale, step, label, load)

    def loads(self, row, columns):
        """The share of each column of time that the row was busy, weighted by load."""
        first, last = self.bounds()
        sums = [0.0] * columns
        if last == first:
            return sums
        step = (last - first) / columns
        for r, start, end, label, load in self.spans:
            if r != row:
                continue
            at = int((start - first) / step)
            while at < columns and first + at * step < end:
                inside = min(end, first + (at + 1) * step) - max(start, first + at * step)
                sums[at] += max(0.0, inside) / step * load
                at += 1
        return sums

    def draw(self, columns=64, marks=" .:-=+*#%@"):
        for row in self.rows():
            loads = self.loads(row, columns)
            print("CPU %3d |%s|" % (row, "".join(marks[min(len(marks) - 1, int(v * (len(marks) - 1) + 0.5))]
                                                 for v in loads)))
