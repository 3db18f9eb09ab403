// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/runtime.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

static bool starts_with_any(const char *name, const char *const *starts)
{
	for (; *starts; starts++)
		if (str_starts(name, *starts))
			return true;
	return false;
}

/*
 * Reports whether the function belongs to a run-time. Static programs have that in their own
 * object: Go, Rust and C++ name its functions so.
 */
bool symbol_is_runtime(const char *object, const char *function)
{
	/* no whole name "lib*.so": the package's list of libraries is made from such words */
	static const char *const objects[] = { "libc.",      "libc-2.", "libpthread", "ld-linux",
					       "ld-2.",      "ld64.so", "ld.so",      "ld-musl",
					       "libstdc++.", "libc++.", "libgcc_s.",  "[vdso",
					       NULL };
	/* core is Rust's, but also a namespace of C++ programs, so only Rust's names in it count */
	static const char *const functions[] = {
		"runtime.",          "sync.(",       "internal/",      "std::",
		"core::ops::",       "core::ptr::",  "core::sync::",   "core::task::",
		"core::future::",    "core::iter::", "core::option::", "core::result::",
		"core::panic",       "parking_lot",  "pthread_",       "__pthread_",
		"___pthread_",       "__futex_",     "__lll_lock",     "__libc_",
		"__clock_nanosleep", "__nanosleep",  "__new_sem_",     NULL
	};
	/* functions of a static C library whose names a program is unlikely to use for its own */
	static const char *const whole[] = {
		"clock_nanosleep", "nanosleep", "usleep",    "epoll_wait",    "epoll_pwait",
		"ppoll",           "pselect",   "sem_wait",  "sem_timedwait", "sem_clockwait",
		"recvfrom",        "recvmsg",   "sendto",    "sendmsg",       "accept4",
		"waitpid",         "wait4",     "waitid",    "sigsuspend",    "sigtimedwait",
		"sigwaitinfo",     "syscall",   "fdatasync", "fsync",         NULL
	};

	/* Rust: <std::thread::thread::Thread>::park */
	for (const char *const *name = whole; *name; name++)
		if (!strcmp(function, *name))
			return true;
	return starts_with_any(object, objects) ||
	       starts_with_any(function + strspn(function, "<&"), functions);
}
