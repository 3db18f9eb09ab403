# SPDX-License-Identifier: GPL-2.0-or-later
"""How long packets took: from the interrupt to the task that read them, from the queue to the network device.

tx and rx choose one of the two, dev=NAME one device; debug says what was left over at the end."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import dispatch, nanoseconds

NET_RX = 3  # the soft interrupt
MOST = 65536  # packets that are remembered

words = set(sys.argv[1:])
device = next((w[len("dev="):] for w in words if w.startswith("dev=")), None)
unknown = {w for w in words if w not in ("tx", "rx", "debug") and not w.startswith("dev=")}
if unknown:
    sys.exit("usage: perf script -s netdev-times.py [tx] [rx] [dev=NAME] [debug]")
show_tx = "tx" in words or "rx" not in words
show_rx = "rx" in words or "tx" not in words

queued, sent, done = {}, {}, []       # packets that leave, by address
irqs, soft, received, hunks = {}, {}, {}, []  # by CPU; packets that came, by address
dropped = {"queued": 0, "sent": 0, "received": 0}


def msec(since, until):
    return (until - since) / 1e6


def remember(table, name, key, value):
    if len(table) >= MOST:
        del table[next(iter(table))]
        dropped[name] += 1
    table[key] = value


# ---- packets that come ----

def irq_entry(f, context):
    irqs.setdefault(f['common_cpu'], []).append(
        {"time": nanoseconds(f), "irq": f['irq'], "name": f['name'], "raised": False, "open": True, "packets": []})


def irq_exit(f, context):
    stack = irqs.get(f['common_cpu'], [])
    for irq in reversed(stack):
        if irq["open"] and irq["irq"] == f['irq']:
            irq["open"] = False
            if not irq["raised"] and not irq["packets"]:
                stack.remove(irq)
            return


def softirq_raise(f, context):
    for irq in reversed(irqs.get(f['common_cpu'], [])):
        if irq["open"] and f['vec'] == NET_RX:
            irq["raised"] = True
            return


def netif_rx(f, context):
    for irq in reversed(irqs.get(f['common_cpu'], [])):
        if irq["open"]:
            irq["packets"].append((nanoseconds(f), f['skbaddr'], f['len'], f['name']))
            return


def softirq_entry(f, context):
    if f['vec'] == NET_RX:
        soft[f['common_cpu']] = {"time": nanoseconds(f), "cpu": f['common_cpu'], "events": [], "irqs":
                                 [i for i in irqs.pop(f['common_cpu'], []) if i["raised"] or i["packets"]]}


def softirq_exit(f, context):
    hunk = soft.pop(f['common_cpu'], None) if f['vec'] == NET_RX else None
    if hunk and hunk["events"] and (device is None or any(e["name"] == device for e in hunk["events"])):
        hunks.append(hunk)


def napi_poll(f, context):
    if f['common_cpu'] in soft:
        soft[f['common_cpu']]["events"].append({"kind": "poll", "time": nanoseconds(f), "name": f['dev_name']})


def receive_skb(f, context):
    event = {"kind": "receive", "time": nanoseconds(f), "name": f['name'], "skb": f['skbaddr'], "len": f['len'],
             "end": None}
    if f['common_cpu'] in soft:
        soft[f['common_cpu']]["events"].append(event)
    remember(received, "received", f['skbaddr'], event)


def ended(what):
    def handler(f, context):
        skb = f['skbaddr']
        event = received.pop(skb, None)
        if event:
            event["end"] = what, nanoseconds(f), f['common_pid'], f['common_comm'], f.get('location')
        if what != "skb_copy_datagram_iovec":
            packet = sent.pop(skb, None)
            if packet:
                packet["free"] = nanoseconds(f)
                done.append(packet)
            queued.pop(skb, None)
    return handler


# ---- packets that leave ----

def dev_queue(f, context):
    if device is None or f['name'] == device:
        remember(queued, "queued", f['skbaddr'], {"dev": f['name'], "len": f['len'], "queue": nanoseconds(f)})


def dev_xmit(f, context):
    packet = queued.pop(f['skbaddr'], None) if f['rc'] == 0 else None
    if packet:
        packet["xmit"] = nanoseconds(f)
        remember(sent, "sent", f['skbaddr'], packet)


trace_unhandled = dispatch({
    'irq__irq_handler_entry': irq_entry, 'irq__irq_handler_exit': irq_exit,
    'irq__softirq_raise': softirq_raise, 'irq__softirq_entry': softirq_entry,
    'irq__softirq_exit': softirq_exit, 'napi__napi_poll': napi_poll, 'net__netif_rx': netif_rx,
    'net__netif_receive_skb': receive_skb, 'net__net_dev_queue': dev_queue, 'net__net_dev_xmit': dev_xmit,
    'skb__kfree_skb': ended("kfree_skb"), 'skb__consume_skb': ended("consume_skb"),
    'skb__skb_copy_datagram_iovec': ended("skb_copy_datagram_iovec"),
})


def print_transmit(p):
    print("%7s %5d %6d.%06dsec %12.3fmsec      %12.3fmsec" %
          (p["dev"], p["len"], p["queue"] // 10 ** 9, p["queue"] % 10 ** 9 // 1000,
           msec(p["queue"], p["xmit"]), msec(p["xmit"], p["free"])))


def print_receive_event(event, start, last):
    if event["kind"] == "poll":
        print("  napi_poll_exit(+%.3fmsec %s)" % (msec(start, event["time"]), event["name"]))
        print("" if last else "         |")
        return
    print("         |---netif_receive_skb(+%.3fmsec skb=%x len=%d)" %
          (msec(start, event["time"]), event["skb"], event["len"]))
    if event["end"]:
        what, time, pid, comm, location = event["end"]
        who = "%d:%s" % (pid, comm)
        print("         |            |")
        print("         |      %s(+%.3fmsec %s%s)" %
              (what, msec(start, time), who, " location=%x" % location if location else ""))
    print("         |")


def print_receive(hunk):
    start = hunk["irqs"][0]["time"] if hunk["irqs"] else hunk["time"]
    print("%d.%06dsec cpu=%d" % (start // 10 ** 9, start % 10 ** 9 // 1000, hunk["cpu"]))
    for irq in hunk["irqs"]:
        print("  irq_entry(+%.3fmsec irq=%d:%s)" % (msec(start, irq["time"]), irq["irq"], irq["name"]))
        print("         |")
        for time, skb, length, name in irq["packets"]:
            print("         |---netif_rx(+%.3fmsec skb=%x)" % (msec(start, time), skb))
            print("         |")
    print("  softirq_entry(+%.3fmsec)" % msec(start, hunk["time"]))
    print("         |")
    for event in hunk["events"]:
        print_receive_event(event, start, event is hunk["events"][-1])


def trace_end():
    for hunk in hunks if show_rx else ():
        print_receive(hunk)
    if show_tx:
        print("   dev    len      Qdisc               netdevice             free")
        for packet in done:
            print_transmit(packet)
    if "debug" in words:
        print("debug buffer status")
        print("----------------------------")
        print("xmit Qdisc:remain:%d overflow:%d" % (len(queued), dropped["queued"]))
        print("xmit netdevice:remain:%d overflow:%d" % (len(sent), dropped["sent"]))
        print("receive:remain:%d overflow:%d" % (len(received), dropped["received"]))
