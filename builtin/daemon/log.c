// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the server's log. */
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin/daemon/internal.h"

/* Prints a line. If the disk is full, nothing can be done about it. */
void server_say(const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	struct timeval now;
	struct tm tm;
	char stamp[32];
	va_list ap;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf_f(&line, "[%s.%06lu] ", stamp, (unsigned long)now.tv_usec);
	va_start(ap, fmt);
	strbuf_vf(&line, fmt, ap);
	va_end(ap);
	strbuf_printable_names(&line, 0);
	strbuf_char(&line, '\n');
	if (write_all(STDERR_FILENO, line.s, line.len))
		clearerr(stderr);
	strbuf_release(&line);
}
