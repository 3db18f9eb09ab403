// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the plain screen. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "builtin/top/internal.h"

enum { LINES = ICANON | ECHO }; /* what keys are read without */

static struct termios saved, wanted;
static bool changed;
static atomic_bool continued;

/* In the background the terminal is not ours to change. */
static bool in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Not every shell takes care of the terminal that a stopped program leaves to it. */
static void stop(int sig)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction ours;
	sigset_t set, old;
	int err = errno;

	if (in_foreground())
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	sigaction(sig, &usual, &ours);
	raise(sig);
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, &old); /* stops here */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(sig, &ours, NULL);
	errno = err;
}

/* The shell has given the terminal back before it sends this, with echo and lines. */
static void go_on(int sig)
{
	int err = errno;

	(void)sig;
	if (in_foreground())
		tcsetattr(STDIN_FILENO, TCSANOW, &wanted);
	continued = true;
	errno = err;
}

static void catch_signal(int sig, void (*handler)(int sig))
{
	const struct sigaction ours = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction now;

	if (!sigaction(sig, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaction(sig, &ours, NULL);
}

static void catch_stop(bool on)
{
	catch_signal(SIGTSTP, on ? stop : SIG_DFL);
	catch_signal(SIGCONT, on ? go_on : SIG_DFL);
}

void top_keys_end(void)
{
	if (!changed)
		return;
	catch_stop(false);
	if (in_foreground())
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	changed = false;
}

bool top_keys_begin(void)
{
	if (!isatty(STDIN_FILENO) || !in_foreground() || tcgetattr(STDIN_FILENO, &saved))
		return false;
	wanted = saved;
	wanted.c_lflag &= ~(tcflag_t)LINES;
	wanted.c_cc[VMIN] = 0;
	wanted.c_cc[VTIME] = 0;
	if (!changed)
		atexit(top_keys_end);
	changed = !tcsetattr(STDIN_FILENO, TCSANOW, &wanted);
	if (changed)
		catch_stop(true);
	return changed;
}

void top_keys_resume(void)
{
	struct termios now;

	if (changed && in_foreground() && !tcgetattr(STDIN_FILENO, &now) && now.c_lflag & LINES)
		tcsetattr(STDIN_FILENO, TCSANOW, &wanted);
}

bool top_keys_continued(void)
{
	return atomic_exchange(&continued, false);
}

/* The next event that has samples of its own, wrapping around after the last one. */
static void next_event(struct top *t)
{
	const struct event_set *set = session_events(t->session);
	bool after = !t->event;

	for (int round = 0; round < 2; round++)
		vec_for_each(&set->list, it) {
			const struct event *ev = *it;

			if (top_is_side_band(ev))
				continue;
			if (after || (round && t->event == ev)) {
				t->event = ev;
				return;
			}
			after = t->event == ev;
		}
}

/* Waits half a minute for a key.  Who stops perf meanwhile and goes on sees the question again. */
static bool read_key(const char *what, const char *line, size_t n, char *key)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready;

	while ((ready = poll(&in, 1, 30000)) < 0 && errno == EINTR && !loop_ending_signal())
		if (top_keys_continued()) {
			top_keys_resume();
			printf("\n%s: %.*s", what, (int)n, line);
			fflush(stdout);
		}
	return ready > 0 && read(STDIN_FILENO, key, 1) == 1;
}

/* A line typed below the table; false: given up with ESC, or by not typing any more. */
static bool ask_line(const char *what, char *line, size_t size)
{
	size_t n = 0;

	printf("\n%s: ", what);
	fflush(stdout);
	while (n < size - 1) {
		if (!read_key(what, line, n, &line[n]) || line[n] == '\033')
			return false;
		if (line[n] == '\n' || line[n] == '\r')
			break;
		if (line[n] == 127 || line[n] == '\b') {
			n -= n > 0;
			printf("\b \b");
		} else {
			putchar(line[n++]);
		}
		fflush(stdout);
	}
	line[n] = '\0';
	return true;
}

/* ---- settings that are asked for ---- */

static const char no_number[] = "that is not a number; nothing has changed";

static bool read_number(const char *text, double *number)
{
	size_t n = parse_decimal(text, number);

	return n && !text[n];
}

static const char *set_refresh(struct top *t, const char *text)
{
	double seconds;

	if (!read_number(text, &seconds))
		return no_number;
	t->o.refresh = (u64)(MIN(MAX(seconds, 0.05), 86400.0) * 1e9);
	return "the time between two tables has changed";
}

static const char *set_entries(struct top *t, const char *text)
{
	double rows;

	if (!read_number(text, &rows))
		return no_number;
	t->o.entries = (unsigned)MIN(rows, 1e6);
	return t->o.entries ? "rows after these are left out" : "all rows are shown";
}

static const char *set_least_count(struct top *t, const char *text)
{
	double samples;

	if (!read_number(text, &samples))
		return no_number;
	t->o.least_count = (u64)MIN(samples, 1e15);
	return t->o.least_count ? "rows of fewer samples are left out" : "all rows are shown";
}

static const char *set_least_share(struct top *t, const char *text)
{
	double percent;

	if (!read_number(text, &percent))
		return no_number;
	t->o.least_share = MIN(percent, 100.0);
	return "other instructions are left out";
}

static const char *set_widths(struct top *t, const char *text)
{
	struct reason why = REASON_INIT;
	int err = top_set_widths(t, text, &why);

	reason_release(&why);
	return err ? "that is not a list of widths; nothing has changed"
		   : "the columns have these widths";
}

static const struct setting {
	const char *keys, *question;
	const char *(*set)(struct top *t, const char *text); /* what to say of it */
} settings[] = {
	{ "dD", "Seconds between two tables", set_refresh },
	{ "eN", "Rows, 0: no limit", set_entries },
	{ "fM", "Minimum number of samples of a row", set_least_count },
	{ "F", "Minimum share of an instruction in percent", set_least_share },
	{ "w", "Widths of the columns: N[,N]..., 0: as wide as needed", set_widths },
};

static const struct setting *setting_of(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (key && strchr(settings[i].keys, key))
			return &settings[i];
	return NULL;
}

const char *top_setting_question(int key)
{
	return setting_of(key)->question;
}

const char *top_setting_answer(struct top *t, int key, const char *text)
{
	return setting_of(key)->set(t, text);
}

/* As the picture is drawn again at once, it shows what has changed, or that nothing has. */
static void ask_setting(struct top *t, char key)
{
	char line[64];

	if (ask_line(top_setting_question(key), line, sizeof(line)))
		top_setting_answer(t, key, line);
}

static void ask_function(struct top *t)
{
	char name[sizeof(t->function)];

	if (!ask_line("Function to open", name, sizeof(name)) || !*name)
		return;
	strcpy(t->function, name);
	t->o.annotate = t->function;
	if (!t->code)
		top_code_begin(t);
}

static void close_function(struct top *t)
{
	t->o.annotate = NULL;
}

static void toggle_kernel(struct top *t)
{
	t->o.hide_kernel = !t->o.hide_kernel;
	t->o.hide_user = false;
}

static void toggle_user(struct top *t)
{
	t->o.hide_user = !t->o.hide_user;
	t->o.hide_kernel = false;
}

static void toggle_zero(struct top *t)
{
	t->o.zero = !t->o.zero;
}

static void toggle_pause(struct top *t)
{
	t->paused = !t->paused;
}

static void end(struct top *t)
{
	t->ends = true;
}

static void help(struct top *t);

static const struct {
	const char *keys; /* any of these keys does it */
	const char *purpose;
	void (*run)(struct top *t); /* NULL: it asks for one of the settings */
} table[] = {
	{ "dD", "ask for the time between two tables", NULL },
	{ "eN", "ask for the number of rows", NULL },
	{ "fM", "ask for the minimum number of samples of a row", NULL },
	{ "F", "ask for the minimum share of an instruction of the function", NULL },
	{ "w", "ask for the widths of the columns", NULL },
	{ "E", "the table of the next event", next_event },
	{ "s", "ask for a function, and show where its samples fall from then on", ask_function },
	{ "S", "return from the function to the table", close_function },
	{ "K", "leave out samples of the kernel, or show them again", toggle_kernel },
	{ "U", "leave out samples of user space, or show them again", toggle_user },
	{ "z", "forget everything between two tables, or stop doing so", toggle_zero },
	{ "p ", "pause or resume the display", toggle_pause },
	{ "h?", "this list", help },
	{ "qQ\003", "end", end },
};

/* "d, D", "p, SPACE", "q, Q, Ctrl-C" */
static void names_of(const char *keys, struct strbuf *b)
{
	for (const char *k = keys; *k; k++) {
		strbuf_str(b, k > keys ? ", " : "");
		if (*k == ' ')
			strbuf_str(b, "SPACE");
		else if (*k < ' ')
			strbuf_f(b, "Ctrl-%c", *k | 0x40);
		else
			strbuf_char(b, *k);
	}
}

static void help(struct top *t)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct strbuf names = STRBUF_INIT;
	char key;

	printf("\033[H\033[JKeys:\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		strbuf_clear(&names);
		names_of(table[i].keys, &names);
		printf("  %-12s %s\n", strbuf_cstr(&names), table[i].purpose);
	}
	strbuf_release(&names);
	printf("\nEvery %.6g s, ", (double)t->o.refresh / 1e9);
	printf(t->o.entries ? "%u rows" : "as many rows as fit", t->o.entries);
	printf(", of at least %llu samples.  Press any key to continue.\n",
	       (unsigned long long)t->o.least_count);
	fflush(stdout);
	/* samples wait in their rings for as long as they have room */
	if (poll(&in, 1, 30000) > 0 && read(STDIN_FILENO, &key, 1) != 1)
		t->ends = true;
}

bool top_keys_read(struct top *t)
{
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
	bool draw = false;

	if (n <= 0)
		t->ends = true; /* the terminal has gone */
	for (ssize_t i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(table); k++)
			if (keys[i] && strchr(table[k].keys, keys[i])) {
				if (table[k].run)
					table[k].run(t);
				else
					ask_setting(t, keys[i]);
				draw = true;
			}
	return draw;
}
