// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The screen is drawn with S-Lang's SLsmg, which sends only what changed. We read the keys
 * ourselves, to recognize a single ESC and to notice the loss of the terminal.
 */
#include "ui/tui/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <slang.h>

#include "base/lost_pages.h"
#include "base/text.h"
#include "ui/tui/keyboard.h"

/* Bytes of a key that may still come after its ESC. */
#define ESC_WAIT_MS 40

/*
 * Makes the terminal send UP and DOWN for the mouse wheel; text can still be selected with the
 * mouse.
 */
#define WHEEL_ON  "\033[?1007h"
#define WHEEL_OFF "\033[?1007l"

static struct {
	bool open, utf8, atexit_set, interrupts;
	struct termios before;
	volatile sig_atomic_t resized, drawn; /* drawn: there is something to restore */
	u8 input[64];
	size_t input_count;
	struct sigaction old[NSIG];
	char restore[128]; /* what leaves the screen, for handlers */
	size_t restore_len;
} screen;

static const int deadly[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
};

bool screen_built_in(void)
{
	return true;
}

/*
 * Reports whether the terminal moves its cursor. Asked once: S-Lang keeps what it reads about a
 * terminal.
 */
static bool moves_its_cursor(void)
{
	static bool asked, moves;
	const char *term = getenv("TERM");

	if (!asked)
		moves = term && *term && strcmp(term, "dumb") &&
			SLtt_initialize((char *)term) >= 0 && SLtt_tgetstr((char *)"cm") != NULL;
	asked = true;
	return moves;
}

bool screen_fits_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && moves_its_cursor();
}

/* ---- signals ---- */

/*
 * Makes only async-signal-safe calls.  The previous action of the signal is restored and taken; a
 * fault recurs as soon as this returns.
 */
static void restore_and_die(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sig == SIGBUS && lost_pages_replace(info))
		return;
	if (screen.drawn) {
		ssize_t ignored = write(STDOUT_FILENO, screen.restore, screen.restore_len);

		(void)ignored;
		tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
		screen.drawn = 0;
	}
	sigaction(sig, &screen.old[sig], NULL);
	if (info->si_code <= 0 ||
	    (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL))
		raise(sig);
}

static void note_resize(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	screen.resized = 1;
}

static void catch (int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(sig, NULL, &screen.old[sig]);
	/* what the caller ignores (nohup) stays ignored */
	if (screen.old[sig].sa_handler != SIG_IGN)
		sigaction(sig, &sa, NULL);
}

static void signals(bool on)
{
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		if (on)
			catch (deadly[i], restore_and_die);
		else
			sigaction(deadly[i], &screen.old[deadly[i]], NULL);
	}
	if (on)
		catch (SIGWINCH, note_resize);
	else
		sigaction(SIGWINCH, &screen.old[SIGWINCH], NULL);
}

/* ---- life ---- */

/*
 * Takes the size that a terminal reports, within limits: S-Lang would need gigabytes for the
 * largest size that it can report.
 */
static void take_size(void)
{
	enum { MOST_ROWS = 512, MOST_COLUMNS = 1024 };

	SLtt_get_screen_size();
	SLtt_Screen_Rows = MIN(SLtt_Screen_Rows, MOST_ROWS);
	SLtt_Screen_Cols = MIN(SLtt_Screen_Cols, MOST_COLUMNS);
}

static void add_restore(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (screen.restore_len + len > sizeof(screen.restore))
		return;
	memcpy(screen.restore + screen.restore_len, s ? s : "", len);
	screen.restore_len += len;
}

static void make_restore(void)
{
	screen.restore_len = 0;
	add_restore(WHEEL_OFF);
	add_restore("\033[0m\r\n");
	add_restore(SLtt_tgetstr((char *)"ve"));
	add_restore(SLtt_tgetstr((char *)"te"));
}

/* Sets warm colours for neighbouring boxes, of which a terminal with eight colours has two. */
static void set_flame_colors(void)
{
	static const char *const many[SCREEN_FLAMES] = { "color208", "color214", "color202",
							 "color220", "color209", "color179" };
	static const char *const few[2] = { "red", "yellow" };
	bool rich = SLtt_tgetnum((char *)"Co") >= 256;

	for (int i = 0; i < SCREEN_FLAMES; i++) {
		SLtt_set_color(SCREEN_FLAME + i, NULL, (char *)"black",
			       (char *)(rich ? many[i] : few[i % 2]));
		SLtt_set_mono(SCREEN_FLAME + i, NULL, SLTT_REV_MASK);
	}
	SLtt_set_color(SCREEN_KERNEL, NULL, (char *)"black", (char *)(rich ? "color110" : "cyan"));
	SLtt_set_mono(SCREEN_KERNEL, NULL, SLTT_REV_MASK | SLTT_ULINE_MASK);
	SLtt_set_color(SCREEN_WAITS, NULL, (char *)"black",
		       (char *)(rich ? "color141" : "magenta"));
	SLtt_set_mono(SCREEN_WAITS, NULL, SLTT_ULINE_MASK);
}

/*
 * The colours of the user's settings; "": none.  They are global, since there is only one terminal.
 */
static struct chosen_color {
	char fg[24], bg[24];
} chosen_colors[SCREEN_MATCH + 1];

/* Sets the colours. Names of the first eight mean the same with 8, 16 and 256. */
static void set_colors(void)
{
	static const struct {
		const char *fg, *bg;
		SLtt_Char_Type mono;
	} colors[SCREEN_MATCH + 1] = {
		[SCREEN_NORMAL] = { "default", "default", 0 },
		[SCREEN_TITLE] = { "white", "blue", SLTT_REV_MASK },
		[SCREEN_SELECTED] = { "black", "yellow", SLTT_REV_MASK },
		[SCREEN_HOT] = { "red", "default", SLTT_BOLD_MASK },
		[SCREEN_WARM] = { "green", "default", 0 },
		[SCREEN_ADDRESS] = { "magenta", "default", 0 },
		[SCREEN_ARROW] = { "blue", "default", 0 },
		[SCREEN_MATCH] = { "black", "cyan", SLTT_ULINE_MASK },
	};
	const char *no = getenv("NO_COLOR");

	if (no && *no)
		SLtt_Use_Ansi_Colors = 0;
	set_flame_colors();
	for (int i = 0; i <= SCREEN_MATCH; i++) {
		const struct chosen_color *own = &chosen_colors[i];

		SLtt_set_color(i, NULL, (char *)(own->fg[0] ? own->fg : colors[i].fg),
			       (char *)(own->bg[0] ? own->bg : colors[i].bg));
		SLtt_set_mono(i, NULL, colors[i].mono);
	}
}

void screen_set_color(enum screen_color color, const char *fg, const char *bg)
{
	if (color > SCREEN_MATCH)
		return;
	snprintf(chosen_colors[color].fg, sizeof(chosen_colors[color].fg), "%s", fg);
	snprintf(chosen_colors[color].bg, sizeof(chosen_colors[color].bg), "%s", bg);
}

static void set_terminal(void)
{
	struct termios raw = screen.before;

	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | ISTRIP);
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	if (!screen.interrupts)
		raw.c_lflag &= ~(tcflag_t)ISIG;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void screen_interrupts(bool on)
{
	screen.interrupts = on;
	if (screen.open)
		set_terminal();
}

static int refuse(struct reason *r, const char *term)
{
	reason_set(r, ENOTSUP, "the terminal '%s' cannot show a full screen", term ? term : "");
	reason_hint(r, "use --stdio, or set TERM to what the terminal is");
	return -ENOTSUP;
}

int screen_open(struct reason *r)
{
	const char *term = getenv("TERM");

	if (screen.open)
		return 0;
	if (!moves_its_cursor() || tcgetattr(STDIN_FILENO, &screen.before))
		return refuse(r, term);
	SLang_TT_Write_FD = STDOUT_FILENO;
	take_size();
	screen.utf8 = SLutf8_enable(-1) > 0;
	make_restore();
	signals(true);
	set_terminal();
	screen.drawn = 1;
	if (SLsmg_init_smg() < 0) {
		screen.open = true;
		screen_close();
		return refuse(r, term);
	}
	set_colors();
	screen.open = true;
	if (!screen.atexit_set)
		atexit(screen_close);
	screen.atexit_set = true;
	if (write(STDOUT_FILENO, WHEEL_ON, strlen(WHEEL_ON)) < 0)
		screen.resized = 0; /* a lost terminal is noticed when a key is read */
	return 0;
}

void screen_close(void)
{
	if (!screen.open)
		return;
	screen.open = false;
	if (write(STDOUT_FILENO, WHEEL_OFF, strlen(WHEEL_OFF)) < 0)
		screen.input_count = 0;
	SLsmg_gotorc(SLtt_Screen_Rows - 1, 0);
	SLsmg_reset_smg();
	SLtt_flush_output();
	tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
	screen.drawn = 0;
	signals(false);
}

/* ---- drawing ---- */

bool screen_utf8(void)
{
	return screen.utf8;
}

int screen_rows(void)
{
	return SLtt_Screen_Rows;
}

int screen_columns(void)
{
	return SLtt_Screen_Cols;
}

void screen_color(enum screen_color color)
{
	SLsmg_set_color(color);
}

/* Writes the text with a '?' for each column of a non-ASCII character. */
static void put_ascii(const char *s, size_t len)
{
	while (len) {
		size_t n = MAX(utf8_letter(s, len), (size_t)1);
		u8 c = (u8)*s;

		if (c >= 0x20 && c < 0x7f)
			SLsmg_write_char(c);
		else
			for (int i = c < 0x80 ? 1 : text_columns(s, n); i > 0; i--)
				SLsmg_write_char('?');
		s += n;
		len -= n;
	}
}

/* Returns how many bytes fit. SLsmg_strbytes() of S-Lang 2.3 stops one column early. */
static size_t bytes_that_fit(SLuchar_Type *s, size_t len, int room)
{
	size_t fit = SLsmg_strbytes(s, s + len, (unsigned)room + 1);

	if ((int)SLsmg_strwidth(s, s + fit) > room)
		fit = SLsmg_strbytes(s, s + len, (unsigned)room);
	return fit;
}

void screen_text(int row, int column, const char *s, size_t len, int width)
{
	int room = MIN(width, screen_columns() - column), written;

	if (room <= 0 || row < 0 || row >= screen_rows())
		return;
	SLsmg_gotorc(row, column);
	if (screen.utf8) {
		len = bytes_that_fit((SLuchar_Type *)s, len, room);
		SLsmg_write_nchars((char *)s, (unsigned)len);
	} else {
		put_ascii(s, text_fit(s, len, room));
	}
	written = SLsmg_get_column() - column;
	for (; written < room; written++)
		SLsmg_write_char(' ');
}

void screen_clear(void)
{
	SLsmg_set_color(SCREEN_NORMAL);
	SLsmg_cls();
}

void screen_box(int row, int column, int rows, int columns)
{
	SLsmg_fill_region(row, column, (unsigned)rows, (unsigned)columns, ' ');
	SLsmg_draw_box(row, column, (unsigned)rows, (unsigned)columns);
}

void screen_show(int row, int column)
{
	SLsmg_gotorc(row, column);
	SLsmg_refresh();
}

/* ---- keys ---- */

static int take_resize(void)
{
	screen.resized = 0;
	take_size();
	SLsmg_reinit_smg();
	return KEY_RESIZE;
}

static struct {
	void (*begin)(void *arg), (*end)(void *arg);
	void *arg;
	int wake; /* -1: none */
} waiting = { .wake = -1 };

void screen_wake_by(int fd)
{
	waiting.wake = fd;
}

void screen_while_waiting(void (*begin)(void *arg), void (*end)(void *arg), void *arg)
{
	waiting.begin = begin;
	waiting.end = end;
	waiting.arg = arg;
}

static void empty_wake(void)
{
	u64 count;

	if (read(waiting.wake, &count, sizeof(count)) < 0)
		return; /* somebody else was quicker */
}

/*
 * Waits for input. Returns the number of bytes, 0 on timeout and when woken, -1 if the terminal has
 * gone, -2 on a signal.
 */
static int fill(int timeout_ms, bool wakes)
{
	struct pollfd p[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = wakes ? waiting.wake : -1, .events = POLLIN },
	};
	ssize_t got;
	int n;

	if (waiting.begin)
		waiting.begin(waiting.arg);
	n = poll(p, ARRAY_SIZE(p), timeout_ms);
	if (waiting.end) {
		int saved = errno;

		waiting.end(waiting.arg);
		errno = saved;
	}
	if (n <= 0)
		return n < 0 ? -2 : 0;
	if (p[1].revents)
		empty_wake();
	if (!p[0].revents)
		return 0;
	got = read(STDIN_FILENO, screen.input + screen.input_count,
		   sizeof(screen.input) - screen.input_count);
	if (got <= 0)
		return got < 0 && errno == EINTR ? -2 : -1;
	screen.input_count += (size_t)got;
	return (int)got;
}

static void drop_input(size_t n)
{
	screen.input_count -= n;
	memmove(screen.input, screen.input + n, screen.input_count);
}

static int next_key(void)
{
	size_t used;
	int key = keyboard_decode(screen.input, screen.input_count, &used);

	if (!used && fill(ESC_WAIT_MS, false) > 0 && screen.input_count < sizeof(screen.input))
		return KEY_NONE; /* try again with more */
	if (!used) {
		key = KEY_ESC;
		used = 1;
	}
	drop_input(used);
	return key;
}

static void stop_until_continued(void)
{
	screen_close();
	raise(SIGTSTP);
	if (screen_open(NULL) == 0)
		screen.resized = 1;
}

int screen_key(int timeout_ms)
{
	for (;;) {
		int got, key;

		if (screen.resized)
			return take_resize();
		if (screen.input_count) {
			key = next_key();
			if (key == KEY_CTRL('z'))
				stop_until_continued();
			else if (key != KEY_NONE)
				return key;
			continue;
		}
		got = fill(timeout_ms, timeout_ms >= 0);
		if (got == -1)
			return KEY_GONE;
		if (!got)
			return KEY_NONE;
	}
}
