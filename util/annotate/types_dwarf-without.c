// SPDX-License-Identifier: GPL-2.0-or-later
/* Without libdw, all types are unknown. */
#include "annotate/types.h"

struct types_file *types_open(const char *path)
{
	(void)path;
	return NULL;
}

void types_close(struct types_file *f)
{
	(void)f;
}

bool types_load_of(struct types_file *f, const struct place_type *at, struct place_type *value)
{
	(void)f;
	(void)at;
	(void)value;
	return false;
}

bool types_settle(struct types_file *f, struct place_type *p)
{
	(void)f;
	(void)p;
	return false;
}

const struct data_type *types_get(struct types_file *f, u64 die)
{
	(void)f;
	(void)die;
	return NULL;
}

const char *data_type_name(const struct data_type *t)
{
	(void)t;
	return "";
}

u64 data_type_size(const struct data_type *t)
{
	(void)t;
	return 0;
}

const struct data_field *data_type_fields(const struct data_type *t, size_t *count)
{
	(void)t;
	*count = 0;
	return NULL;
}
