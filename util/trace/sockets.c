// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a socket is that was made before perf looked: "TCP:[127.0.0.1:43460->127.0.0.1:8077]", as
 * strace -yy spells it.  The kernel lists the sockets of a network namespace by inode; the list is
 * read when a process with unknown sockets is first seen, and read again for an inode that it
 * lacks.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "trace/process.h"

/* "127.0.0.1:80->127.0.0.1:43460" by inode, of one network namespace. */
struct trace_sockets {
	dev_t device; /* of the namespace */
	ino_t inode;
	struct map64 by_inode; /* -> number of its text */
	struct strtab texts;
	struct map64 peers; /* of sockets between processes: inode -> the other's */
	u64 took, ended;    /* ns: the last reading */
};

static void note(struct trace_sockets *all, u64 inode, const char *text)
{
	if (inode)
		*map64_put(&all->by_inode, inode, NULL) = strtab_add(&all->texts, text);
}

/* Words of an address are in the machine's order, the port is a number; true: not 0. */
static bool print_address(const char *hex, unsigned port, struct strbuf *out)
{
	enum { WORD_DIGITS = 8, MOST_WORDS = 4 };
	u32 words[MOST_WORDS] = { 0 }, count = (u32)strlen(hex) / WORD_DIGITS;
	char text[INET6_ADDRSTRLEN] = "";
	bool any = port;

	for (u32 i = 0; i < MIN(count, (u32)MOST_WORDS); i++) {
		char digits[WORD_DIGITS + 1] = "";

		memcpy(digits, hex + (size_t)i * WORD_DIGITS, WORD_DIGITS);
		words[i] = (u32)strtoul(digits, NULL, 16);
		any |= words[i];
	}
	inet_ntop(count > 1 ? AF_INET6 : AF_INET, words, text, sizeof(text));
	strbuf_f(out, count > 1 ? "[%s]:%u" : "%s:%u", text, port);
	return any;
}

/* "0: 0100007F:1F8D 0100007F:A9C4 01 ... inode": two addresses and ports. */
static void take_internet(struct trace_sockets *all, const char *line)
{
	struct strbuf b = STRBUF_INIT;
	unsigned port, peer_port;
	char own[33], peer[33];
	unsigned long long inode;
	size_t length;

	if (sscanf(line,
		   " %*u: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %llu",
		   own, &port, peer, &peer_port, &inode) != 5)
		return;
	print_address(own, port, &b);
	length = b.len;
	strbuf_str(&b, "->");
	if (!print_address(peer, peer_port, &b))
		strbuf_truncate(&b, length);
	note(all, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

/* "address: references protocol flags type state inode path" */
static void take_unix(struct trace_sockets *all, const char *line)
{
	struct strbuf b = STRBUF_INIT;
	unsigned long long inode;
	const u64 *peer;
	int at = 0;

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %llu%n", &inode, &at) != 1)
		return;
	peer = map64_get(&all->peers, inode);
	strbuf_f(&b, "%llu", inode);
	if (peer)
		strbuf_f(&b, "->%" PRIu64, *peer);
	line += at;
	if (*line == ' ')
		line++;
	if (*line == '@')
		strbuf_f(&b, ",@\"%s\"", line + 1);
	else if (*line)
		strbuf_f(&b, ",\"%s\"", line);
	note(all, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

/* "address protocol port groups ... inode" */
static void take_netlink(struct trace_sockets *all, const char *line)
{
	struct strbuf b = STRBUF_INIT;
	unsigned long long inode;
	unsigned protocol, port;

	if (sscanf(line, "%*x %u %u %*x %*u %*u %*u %*u %*u %llu", &protocol, &port, &inode) != 3)
		return;
	if (syscall_netlink_name(protocol))
		strbuf_str(&b, syscall_netlink_name(protocol));
	else
		strbuf_dec(&b, protocol);
	strbuf_f(&b, ":%u", port);
	note(all, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

static void take_peer(struct trace_sockets *all, const struct nlmsghdr *h)
{
	const struct unix_diag_msg *m = (const struct unix_diag_msg *)NLMSG_DATA(h);
	const struct nlattr *a;
	u32 left;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return;
	left = h->nlmsg_len - (u32)NLMSG_LENGTH(sizeof(*m));
	a = (const struct nlattr *)(m + 1);
	while (left >= sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= left) {
		u32 step = ALIGN_UP((u32)a->nla_len, 4U), peer;

		if (a->nla_type == UNIX_DIAG_PEER && a->nla_len >= sizeof(*a) + sizeof(peer)) {
			memcpy(&peer, a + 1, sizeof(peer));
			*map64_put(&all->peers, m->udiag_ino, NULL) = peer;
		}
		if (step >= left)
			return;
		left -= step;
		a = (const struct nlattr *)((const char *)a + step);
	}
}

/* False at the end of the list. */
static bool take_peers(struct trace_sockets *all, const char *bytes, size_t size)
{
	const struct nlmsghdr *h = (const struct nlmsghdr *)bytes;

	for (; NLMSG_OK(h, size); h = NLMSG_NEXT(h, size)) {
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return false;
		take_peer(all, h);
	}
	return true;
}

/* /proc does not say which two sockets are connected; the kernel does, in perf's own namespace. */
static void read_peers(struct trace_sockets *all)
{
	struct {
		struct nlmsghdr h;
		struct unix_diag_req q;
	} ask = {
		.h = { .nlmsg_len = sizeof(ask),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.q = { .sdiag_family = AF_UNIX,
		       .udiag_states = UINT32_MAX,
		       .udiag_show = UDIAG_SHOW_PEER },
	};
	union {
		struct nlmsghdr h; /* aligned */
		char bytes[32768];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t n;

	if (fd < 0)
		return;
	if (send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask))
		do {
			n = recv(fd, answer.bytes, sizeof(answer.bytes), 0);
		} while (n > 0 && take_peers(all, answer.bytes, (size_t)n));
	close(fd);
}

static void read_list(struct trace_sockets *all, u32 pid, const char *name,
		      void (*take)(struct trace_sockets *all, const char *line))
{
	char path[64], *line = NULL;
	size_t space = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/net/%s", pid, name);
	f = fopen(path, "re");
	while (f && (n = getline(&line, &space, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		take(all, line); /* the headline has no numbers */
	}
	free(line);
	if (f)
		fclose(f);
}

static void forget(struct trace_sockets *all)
{
	map64_release(&all->by_inode);
	map64_release(&all->peers);
	strtab_release(&all->texts);
}

/* The network namespace of a process; false: it is gone, or not for this user's eyes. */
static bool namespace_of(u32 pid, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	return !stat(path, st);
}

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Lists may be long, and calls come meanwhile: a twentieth of the time may go into reading. */
static bool read_lately(const struct trace_sockets *all)
{
	return now() - all->ended < all->took * 20;
}

static void read_sockets(struct trace_sockets *all, u32 pid, const struct stat *space)
{
	static const char *const internet[] = { "tcp",     "tcp6",     "udp", "udp6",
						"udplite", "udplite6", "raw", "raw6" };
	struct stat own;
	u64 begin = now();

	forget(all);
	all->device = space->st_dev;
	all->inode = space->st_ino;
	if (namespace_of((u32)getpid(), &own) && own.st_ino == space->st_ino &&
	    own.st_dev == space->st_dev)
		read_peers(all);
	for (size_t i = 0; i < ARRAY_SIZE(internet); i++)
		read_list(all, pid, internet[i], take_internet);
	read_list(all, pid, "unix", take_unix);
	read_list(all, pid, "netlink", take_netlink);
	all->ended = now();
	all->took = all->ended - begin;
}

static const char *find_text(const struct trace_sockets *all, u64 inode)
{
	const u64 *text = map64_get(&all->by_inode, inode);

	return text ? strtab_get(&all->texts, (u32)*text) : NULL;
}

/* What is known of the inode. */
static const char *text_of(struct trace *t, u32 pid, u64 inode, bool *reread)
{
	struct trace_sockets *all = t->sockets;
	struct stat space;
	const char *text;

	if (!namespace_of(pid, &space))
		return NULL;
	if (!all)
		all = t->sockets = xcalloc(1, sizeof(*all));
	if (space.st_dev == all->device && space.st_ino == all->inode) {
		text = find_text(all, inode);
		if (text || *reread || read_lately(all))
			return text;
	}
	read_sockets(all, pid, &space);
	*reread = true;
	return find_text(all, inode);
}

char *socket_name(struct trace *t, u32 pid, const char *fd, const char *link, bool *reread)
{
	char path[64], protocol[32];
	unsigned long long inode;
	const char *text;
	ssize_t n;

	if (sscanf(link, "socket:[%llu]", &inode) != 1)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/fd/%.16s", pid, fd);
	n = getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1);
	if (n <= 0)
		return NULL;
	protocol[n] = '\0';
	text = text_of(t, pid, inode, reread);
	return text ? xasprintf("%s:[%s]", protocol, text)
		    : xasprintf("%s:[%llu]", protocol, inode);
}

void sockets_free(struct trace *t)
{
	if (t->sockets)
		forget(t->sockets);
	free(t->sockets);
	t->sockets = NULL;
}
