/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include <sys/types.h>

/*
 * Returns another process that has the open file open for writing, or 0 if /proc shows none.
 * An ordinary user sees only their own processes; processes of other PID namespaces are not
 * visible.
 */
pid_t file_writer(int fd);

#endif
