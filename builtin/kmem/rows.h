/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of the kmem tracepoints, by the names that kernels have given them. */
#ifndef BUILTIN_KMEM_ROWS_H
#define BUILTIN_KMEM_ROWS_H

enum { ALLOC_SITE, ALLOC_PTR, ALLOC_REQUESTED, ALLOC_ALLOCATED, ALLOC_NODE };
enum { FREE_PTR };
/* "page", a struct page, became "pfn" in 4.2. */
enum { PAGE_PFN, PAGE_PAGE, PAGE_ORDER, PAGE_GFP, PAGE_TYPE };

#endif
