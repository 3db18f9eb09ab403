// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the types that C gives to numbers: of literals, of casts, and of operands. */
#include <stdlib.h>
#include <string.h>

#include "tracepoint/compile.h"

const struct num_type compile_int = { 4, true };

struct num_type compile_literal_type(const char *text, u8 long_size, u64 *value)
{
	struct num_type type = compile_int;
	bool is_decimal = text[0] != '0';
	char *end;

	*value = strtoull(text, &end, 0);
	for (int longs = 0; *end; end++) {
		if (*end == 'u' || *end == 'U')
			type.is_signed = false;
		else if (*end == 'l' || *end == 'L')
			type.size = ++longs == 2 ? 8 : long_size;
		else
			break;
	}
	/* the first type that can hold it: signed, then unsigned, then a longer one */
	if (type.size == 4 && *value > (type.is_signed ? INT32_MAX : UINT32_MAX)) {
		if (type.is_signed && !is_decimal && *value <= UINT32_MAX)
			type.is_signed = false;
		else
			type.size = 8;
	}
	if (type.size == 8 && *value > INT64_MAX)
		type.is_signed = false;
	return type;
}

enum { AS_LONG = 0 }; /* a size: that of the machine */

bool compile_named_type(const char *name, u8 long_size, struct num_type *type)
{
	static const struct {
		u8 size;
		bool is_signed;
		const char *names; /* between commas */
	} known[] = {
		{ 1, false, ",bool,u8,__u8,uint8_t,unsigned char," },
		{ 1, true, ",s8,__s8,int8_t,char,signed char," },
		{ 2, false,
		  ",u16,__u16,uint16_t,unsigned short,short unsigned int,unsigned short "
		  "int,__le16,__be16,umode_t," },
		{ 2, true, ",s16,__s16,int16_t,short,short int," },
		{ 4, false,
		  ",u32,__u32,uint32_t,unsigned int,unsigned,uint,u_int,"
		  "__le32,__be32,gfp_t,fmode_t,dev_t,blk_opf_t,OM_uint32," },
		{ 4, true, ",s32,__s32,int32_t,int,pid_t,rwf_t,__kernel_rwf_t," },
		{ 8, false,
		  ",u64,__u64,uint64_t,unsigned long long,long long unsigned int,"
		  "unsigned long long int,__le64,__be64,sector_t," },
		{ 8, true, ",s64,__s64,int64_t,long long,long long int,loff_t,ktime_t," },
		{ AS_LONG, false,
		  ",unsigned long,long unsigned int,unsigned long "
		  "int,size_t,ulong,uintptr_t,ino_t," },
		{ AS_LONG, true, ",long,long int,ssize_t," },
	};
	size_t n = strlen(name);

	if (!n)
		return false;
	if (name[n - 1] == '*') {
		*type = (struct num_type){ long_size, false };
		return true;
	}
	if (!strncmp(name, "enum ", 5)) {
		*type = (struct num_type){ 4, false };
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const char *at = strstr(known[i].names, name);

		/* "int" is also a part of "uint" */
		while (at && (at[-1] != ',' || at[n] != ','))
			at = strstr(at + 1, name);
		if (!at)
			continue;
		*type = (struct num_type){ known[i].size == AS_LONG ? long_size : known[i].size,
					   known[i].is_signed };
		return true;
	}
	return false;
}

static struct num_type promoted(struct num_type type)
{
	return type.size < 4 ? compile_int : type;
}

struct num_type compile_common_type(struct num_type a, struct num_type b)
{
	a = promoted(a);
	b = promoted(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

bool compile_is_comparison(enum num_op op)
{
	switch (op) {
	case OP_LESS:
	case OP_LESS_EQUAL:
	case OP_MORE:
	case OP_MORE_EQUAL:
	case OP_EQUAL:
	case OP_NOT_EQUAL:
	case OP_LOGICAL_AND:
	case OP_LOGICAL_OR:
		return true;
	default:
		return false;
	}
}
