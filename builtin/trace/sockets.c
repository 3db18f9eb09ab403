// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a socket is that was made before perf looked: "TCP:[127.0.0.1:43460->127.0.0.1:8077]", as
 * strace -yy spells it.  The kernel lists the sockets of a network namespace by inode; the lists
 * are read when a process of a new namespace is first seen, and read again for an inode that they
 * lack.
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "builtin/trace/process.h"

/*
 * Each kind of list has its own table, since a user chooses the names of UNIX sockets: the kernel
 * prints them with their newlines, so a name can contain a line about any inode.
 */
enum family { INTERNET, LOCAL, NETLINK, FAMILIES };

/* The sockets of one network namespace. */
struct space {
	dev_t device; /* of the namespace */
	ino_t inode;
	struct map64 by_inode[FAMILIES]; /* -> number of the socket's text */
	struct strtab texts;             /* "127.0.0.1:80->127.0.0.1:43460" */
	u64 ended;                       /* ns: when it was read */
};

/* Namespaces that are remembered; a machine with containers may make new ones all the time. */
#define MOST_SPACES 64

struct trace_sockets {
	VEC(struct space) spaces;
	u64 took, ended; /* ns: the last reading, of any namespace */
};

/* Notes the text of an inode. The first one stays. */
static void note(struct space *all, enum family family, u64 inode, const char *text)
{
	bool added;
	u64 *number;

	if (!inode)
		return;
	number = map64_put(&all->by_inode[family], inode, &added);
	if (added)
		*number = strtab_add(&all->texts, text);
}

/*
 * Adds an address, whose words are in the machine's order; the port is a number. Returns true if it
 * is not 0.
 */
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

/* Takes a line "0: 0100007F:1F8D 0100007F:A9C4 01 ... inode": two addresses and ports. */
static void take_internet(struct space *all, const char *line)
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
	note(all, INTERNET, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

/*
 * Notes a line of /proc/net/unix.  One of two different lines of an inode is part of another
 * socket's name, so the socket then gets no name.
 */
static void note_local_line(struct space *all, u64 inode, const char *text)
{
	u64 *number = map64_get(&all->by_inode[LOCAL], inode);
	char plain[24];

	if (!number) {
		note(all, LOCAL, inode, text);
	} else if (strcmp(strtab_get(&all->texts, (u32)*number), text)) {
		snprintf(plain, sizeof(plain), "%" PRIu64, inode);
		*number = strtab_add(&all->texts, plain);
	}
}

/* Takes a line "address: references protocol flags type state inode path". */
static void take_local(struct space *all, const char *line)
{
	struct strbuf b = STRBUF_INIT;
	unsigned long long inode;
	int at = 0;

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %llu%n", &inode, &at) != 1)
		return;
	strbuf_f(&b, "%llu", inode);
	line += at;
	if (*line == ' ')
		line++;
	if (*line == '@')
		strbuf_f(&b, ",@\"%s\"", line + 1);
	else if (*line)
		strbuf_f(&b, ",\"%s\"", line);
	note_local_line(all, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

/* Takes a line "address protocol port groups ... inode". */
static void take_netlink(struct space *all, const char *line)
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
	note(all, NETLINK, inode, strbuf_cstr(&b));
	strbuf_release(&b);
}

/*
 * Appends ,"path" or ,@"name". The name of an abstract socket begins with a NUL and may contain
 * more.
 */
static void put_local_name(struct strbuf *b, const char *name, u32 length)
{
	bool abstract = length && !name[0];
	u32 i = abstract;

	if (!length)
		return;
	strbuf_str(b, abstract ? ",@\"" : ",\"");
	for (; i < length && (abstract || name[i]); i++)
		strbuf_char(b, name[i] ? name[i] : '@');
	strbuf_char(b, '"');
}

/* Finds the attribute of a socket: its bytes and their number, or NULL. */
static const char *find_attribute(const struct nlmsghdr *h, u16 type, u32 *length)
{
	const char *at = (const char *)NLMSG_DATA(h) + NLMSG_ALIGN(sizeof(struct unix_diag_msg));
	const char *end = (const char *)h + h->nlmsg_len;
	struct nlattr a;

	while (end - at >= (ptrdiff_t)sizeof(a)) {
		memcpy(&a, at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > end - at)
			break;
		*length = a.nla_len - (u32)sizeof(a);
		if (a.nla_type == type)
			return at + sizeof(a);
		if (ALIGN_UP((u32)a.nla_len, 4U) >= end - at)
			break;
		at += ALIGN_UP((u32)a.nla_len, 4U);
	}
	return NULL;
}

static void take_answer(struct space *all, const struct nlmsghdr *h)
{
	const struct unix_diag_msg *m = (const struct unix_diag_msg *)NLMSG_DATA(h);
	struct strbuf b = STRBUF_INIT;
	const char *bytes;
	u32 length, peer;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return;
	strbuf_f(&b, "%u", m->udiag_ino);
	bytes = find_attribute(h, UNIX_DIAG_PEER, &length);
	if (bytes && length >= sizeof(peer)) {
		memcpy(&peer, bytes, sizeof(peer));
		strbuf_f(&b, "->%u", peer);
	}
	bytes = find_attribute(h, UNIX_DIAG_NAME, &length);
	if (bytes)
		put_local_name(&b, bytes, length);
	note(all, LOCAL, m->udiag_ino, strbuf_cstr(&b));
	strbuf_release(&b);
}

/*
 * Takes the sockets of one message. 1: more will follow; 0: the list is complete; -1: it failed.
 */
static int take_answers(struct space *all, const char *bytes, size_t size)
{
	const struct nlmsghdr *h = (const struct nlmsghdr *)bytes;

	for (; NLMSG_OK(h, size); h = NLMSG_NEXT(h, size)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 0;
		if (h->nlmsg_type == NLMSG_ERROR)
			return -1;
		take_answer(all, h);
	}
	return 1;
}

/*
 * Asks the kernel for the UNIX sockets of perf's own network namespace.  Unlike /proc, it says
 * which two are connected, and a name cannot be taken for another socket.  False: it cannot.
 */
static bool ask_for_local(struct space *all)
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
		       .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER },
	};
	union {
		struct nlmsghdr h; /* aligned */
		char bytes[32768];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), more = -1;
	ssize_t n;

	if (fd < 0)
		return false;
	if (send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask))
		do {
			n = recv(fd, answer.bytes, sizeof(answer.bytes), 0);
			more = n > 0 ? take_answers(all, answer.bytes, (size_t)n) : -1;
		} while (more > 0);
	close(fd);
	return !more;
}

static void read_list(struct space *all, u32 pid, const char *name,
		      void (*take)(struct space *all, const char *line))
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

static void forget(struct space *all)
{
	for (size_t i = 0; i < FAMILIES; i++)
		map64_release(&all->by_inode[i]);
	strtab_release(&all->texts);
}

/* Finds a process's network namespace.  False: it has ended, or this user may not look at it. */
static bool namespace_of(u32 pid, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	return !stat(path, st);
}

static bool is_space(const struct space *all, const struct stat *st)
{
	return st->st_dev == all->device && st->st_ino == all->inode;
}

/* Lists may be long, and calls come meanwhile: a twentieth of the time may go into reading. */
static bool read_lately(const struct trace_sockets *all)
{
	return clock_now() - all->ended < all->took * 20;
}

static void read_local(struct space *all, u32 pid)
{
	struct stat own;

	if (namespace_of((u32)getpid(), &own) && is_space(all, &own)) {
		if (ask_for_local(all))
			return;
		map64_release(&all->by_inode[LOCAL]);
	}
	read_list(all, pid, "unix", take_local);
}

static void read_sockets(struct trace_sockets *t, struct space *all, u32 pid, const struct stat *st)
{
	static const char *const internet[] = { "tcp",     "tcp6",     "udp", "udp6",
						"udplite", "udplite6", "raw", "raw6" };
	u64 begin = clock_now();

	forget(all);
	all->device = st->st_dev;
	all->inode = st->st_ino;
	for (size_t i = 0; i < ARRAY_SIZE(internet); i++)
		read_list(all, pid, internet[i], take_internet);
	read_local(all, pid);
	read_list(all, pid, "netlink", take_netlink);
	t->ended = all->ended = clock_now();
	t->took = t->ended - begin;
}

/*
 * Returns the family that a protocol belongs to. A user could name a UNIX socket like a line about
 * another family's socket.
 */
static enum family family_of(const char *protocol)
{
	if (str_starts(protocol, "UNIX"))
		return LOCAL;
	return strcmp(protocol, "NETLINK") ? INTERNET : NETLINK;
}

static const char *find_text(const struct space *all, enum family family, u64 inode)
{
	const u64 *text = map64_get(&all->by_inode[family], inode);

	return text ? strtab_get(&all->texts, (u32)*text) : NULL;
}

static struct space *find_space(struct trace_sockets *t, const struct stat *st)
{
	vec_for_each(&t->spaces, it)
		if (is_space(it, st))
			return it;
	return NULL;
}

/* Finds room for a new namespace: where many are known, that of the one read longest ago. */
static struct space *room_for_space(struct trace_sockets *t)
{
	struct space *oldest = t->spaces.items;

	if (t->spaces.count < MOST_SPACES)
		return vec_push_zero(&t->spaces);
	if (read_lately(t))
		return NULL;
	vec_for_each(&t->spaces, it)
		if (it->ended < oldest->ended)
			oldest = it;
	return oldest;
}

/* Returns what is known of the inode, or NULL. */
static const char *text_of(struct trace *t, u32 pid, enum family family, u64 inode, bool *reread)
{
	struct trace_sockets *sockets = t->sockets;
	struct space *all;
	struct stat st;
	const char *text;

	if (!namespace_of(pid, &st))
		return NULL;
	if (!sockets)
		sockets = t->sockets = xcalloc(1, sizeof(*sockets));
	all = find_space(sockets, &st);
	if (all) {
		text = find_text(all, family, inode);
		if (text || *reread || read_lately(sockets))
			return text;
	} else {
		all = room_for_space(sockets);
		if (!all)
			return NULL;
	}
	read_sockets(sockets, all, pid, &st);
	*reread = true;
	return find_text(all, family, inode);
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
	text = text_of(t, pid, family_of(protocol), inode, reread);
	return text ? xasprintf("%s:[%s]", protocol, text)
		    : xasprintf("%s:[%llu]", protocol, inode);
}

void sockets_free(struct trace *t)
{
	if (!t->sockets)
		return;
	vec_for_each(&t->sockets->spaces, it)
		forget(it);
	vec_release(&t->sockets->spaces);
	free(t->sockets);
	t->sockets = NULL;
}
