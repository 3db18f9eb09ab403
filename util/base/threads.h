/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on several threads, of which the calling one is the first.
 *
 *	threads_run(count, fn, args)		fn(args[i]) for each i, each on a thread
 *	threads_in_pieces(count, pieces, work, arg)
 *						work(arg, i) for each i, on so many threads; pieces
 *						are taken in ascending order
 *
 * Both return when all is done.  Where a thread cannot be started its work is done by the others.
 *
 *	thread_beside(&thread, fn, arg)		starts a thread that signals of others do not
 *						interrupt, nor
 *						those that it starts itself; 0 or an errno
 */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

enum { MOST_THREADS = 64 };

void threads_run(unsigned count, void *(*fn)(void *), void *const *args);
void threads_in_pieces(unsigned count, size_t pieces, void (*work)(void *arg, size_t piece),
		       void *arg);
int thread_beside(pthread_t *thread, void *(*fn)(void *), void *arg);

#endif
