/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and functions of a PDB: records written by hand from cvinfo.h, in streams whose blocks are in no order. */
#include "pdb/pdb_types.h"
#include "tests/lib/tap.h"
#include "tests/unit/pdb/records.h"

#define BLOCK 512u
#define FIRST 0x1000u
/* The smallest records, after the others; so many that the last record is far from the first. */
#define FILLERS 3000u

enum { TYPES = 2, IDS = 4, HINTS = 6, STREAMS = 7 };
enum { TYPE_BLOCKS = 64, BLOCKS = TYPE_BLOCKS + 2 };

static const struct record types[] = {
	/* 1000 */ { 0x1505, "3/2 0/2 0/4 0/4 0/4 18/2 'S'" },
	/* 1001 */ { 0x1505, "0/2 80/2 0/4 0/4 0/4 0/2 'S'" },
	/* 1002 */ { 0x1505, "0/2 80/2 0/4 0/4 0/4 0/2 'gone'" },
	/* 1003 */ { 0x1504, "0/2 0/2 1039/4 0/4 0/4 8002/2 9000/2 'C'" },
	/* 1004 */ { 0x1506, "0/2 0/2 1039/4 8004/2 12345678/4 'U'" },
	/* 1005 */ { 0x1507, "2/2 0/2 75/4 0/4 'E'" },
	/* 1006 */ { 0x1519, "0/2 0/2 1039/4 0/4 0/4 8/2 'I'" },
	/* 1007 */ { 0x1002, "1000/4 1000c/4" },		/* S *, 8 bytes */
	/* 1008 */ { 0x1002, "1007/4 840a/4" },			/* a constant pointer to it, 4 */
	/* 1009 */ { 0x1001, "1000/4 1/2" },			/* const S */
	/* 100a */ { 0x1002, "1009/4 1002c/4" },		/* a reference to it */
	/* 100b */ { 0x1002, "74/4 1008c/4" },			/* one to an int that is moved */
	/* 100c */ { 0x1001, "74/4 2/2" },			/* volatile int */
	/* 100d */ { 0x1001, "1007/4 1/2" },			/* S *const */
	/* 100e */ { 0x1503, "74/4 23/4 28/2 ''" },		/* int[10] */
	/* 100f */ { 0x1201, "5/4 74/4 1007/4 100a/4 603/4 0/4" },
	/* 1010 */ { 0x1008, "3/4 0/1 0/1 5/2 100f/4" },
	/* 1011 */ { 0x1201, "0/4 74/4" },			/* an int after the last */
	/* 1012 */ { 0x1009, "3/4 1000/4 1007/4 0/1 0/1 0/2 1011/4 0/4" },
	/* 1013 */ { 0x1201, "1/4 1008/4" },
	/* 1014 */ { 0x1009, "3/4 1000/4 1007/4 0/1 0/1 1/2 1013/4 0/4" },
	/* 1015 */ { 0x1008, "3/4 0/1 0/1 0/2 1000/4" },	/* with no list of arguments */
	/* 1016 */ { 0x1201, "3/4 74/4 70/4" },			/* one is missing */
	/* 1017 */ { 0x1008, "3/4 0/1 0/1 3/2 1016/4" },
	/* 1018 */ { 0x1201, "9/4 1001/4 1003/4 1004/4 1005/4 1006/4 1009/4 100b/4 100c/4 100d/4" },
	/* 1019 */ { 0x1008, "3/4 0/1 0/1 9/2 1018/4" },
	/* 101a */ { 0x1503, "74/4 23/4 800a/2 100000000/8 ''" },
	/* 101b */ { 0x1503, "74/4 23/4 8000/2 7f/1 ''" },
	/* 101c */ { 0x1503, "74/4 23/4 8003/2 10000/4 ''" },
	/* 101d */ { 0x1503, "74/4 23/4 8009/2 5/8 ''" },
	/* 101e */ { 0x1503, "74/4 23/4 8001/2 7fff/2 ''" },
	/* 101f */ { 0x1503, "74/4 23/4 7fff/2 ''" },
	/* 1020 */ { 0x1505, "0/2 0/2 0/4 0/4 0/4 8005/2 5/4 'odd'" },	/* no whole number */
	/* 1021 */ { 0x1001, "1021/4 1/2" },			/* modifies itself */
	/* 1022 */ { 0x1201, "21/4 3/4 8/4 10/4 11/4 12/4 13/4 14/4 20/4 21/4 22/4 23/4 24/4 30/4 "
			     "31/4 32/4 40/4 41/4 42/4 68/4 69/4 70/4 71/4 72/4 73/4 74/4 75/4 76/4 77/4 78/4 79/4 7a/4 7b/4 7c/4" },
	/* 1023 */ { 0x1008, "3/4 0/1 0/1 21/2 1022/4" },
	/* 1024 */ { 0x1201, "4/4 3ff/4 474/4 670/4 1010/4" },
	/* 1025 */ { 0x1008, "3/4 0/1 0/1 4/2 1024/4" },
	/* 1026 */ { 0x1506, "0/2 80/2 0/4 0/2 'U'" },
	/* 1027 */ { 0x1002, "74/4 1000c/4" },		/* 16 pointers, each to the one before */
	/* 1028 */ { 0x1002, "1027/4 1000c/4" },
	/* 1029 */ { 0x1002, "1028/4 1000c/4" },
	/* 102a */ { 0x1002, "1029/4 1000c/4" },
	/* 102b */ { 0x1002, "102a/4 1000c/4" },
	/* 102c */ { 0x1002, "102b/4 1000c/4" },
	/* 102d */ { 0x1002, "102c/4 1000c/4" },
	/* 102e */ { 0x1002, "102d/4 1000c/4" },
	/* 102f */ { 0x1002, "102e/4 1000c/4" },
	/* 1030 */ { 0x1002, "102f/4 1000c/4" },
	/* 1031 */ { 0x1002, "1030/4 1000c/4" },
	/* 1032 */ { 0x1002, "1031/4 1000c/4" },
	/* 1033 */ { 0x1002, "1032/4 1000c/4" },
	/* 1034 */ { 0x1002, "1033/4 1000c/4" },
	/* 1035 */ { 0x1002, "1034/4 1000c/4" },
	/* 1036 */ { 0x1002, "1035/4 1000c/4" },
	/* 1037 */ { 0x1201, "2/4 1035/4 1036/4" },
	/* 1038 */ { 0x1008, "3/4 0/1 0/1 2/2 1037/4" },
	/* 1039 */ { 0x1203, "1400/2 3/2 1000/4 0/2 f2/1 f1/1 150d/2 3/2 103b/4 18/2 'b' "
			     "1511/2 13/2 1010/4 8/4 'm' 1401/2 3/2 1000/4 1007/4 4/2 2/2 150e/2 3/2 74/4 's' 1404/2 0/2 103a/4" },
	/* 103a */ { 0x1203, "1502/2 3/2 8000/2 fe/1 'E2' 1502/2 3/2 8004/2 12345678/4 'E3'" },
	/* 103b */ { 0x1205, "75/4 b/1 5/1" },
	/* 103c */ { 0x1203, "150d/2 3/2 74/4 0/2 'x' 1404/2 0/2 103c/4" },	/* a circle */
	/* 103d */ { 0x1507, "2/2 0/2 74/4 103a/4 'N::F'" },
	/* 103e */ { 0x1505, "0/2 0/2 0/4 0/4 0/4 8/2 'two'" },
	/* 103f */ { 0x1505, "0/2 0/2 1039/4 0/4 0/4 8/2 'two'" },
	/* 1040 */ { 0x1505, "0/2 200/2 0/4 0/4 0/4 8/2 'V' '.?AU1@'" },
	/* 1041 */ { 0x1505, "0/2 200/2 0/4 0/4 0/4 10/2 'V' '.?AU2@'" },
	/* 1042 */ { 0x1505, "0/2 280/2 0/4 0/4 0/4 0/2 'V' '.?AU1@'" },
	/* 1043 */ { 0x1505, "0/2 280/2 0/4 0/4 0/4 0/2 'V' '.?AU2@'" },
	/* 1044 */ { 0x1201, "" },				/* without data */
	/* 1045 */ { 0x1203, "1409/2 0/2 60/4 140a/2 0/2 61/4 140c/2 0/2 62/4 8/4 150c/2 0/2 63/4 "
			     "'f' f2/1 f1/1 150f/2 2/2 64/4 'm' f2/1 f1/1 1510/2 0/2 65/4 'n' "
			     "f2/1 f1/1 1512/2 1/2 66/4 'x' f2/1 f1/1 151a/2 3/2 67/4 4/2 f2/1 f1/1 "
			     "1511/2 1b/2 69/4 c/4 'p' f2/1 f1/1 1402/2 3/2 68/4 1007/4 5/2 2/2" },
	/* 1046 */ { 0x1203, "f0/1 f0/1 0/2" },			/* padding of no size */
};

static const struct record ids[] = {
	/* 1000 */ { 0x1605, "0/4 'ns'" },
	/* 1001 */ { 0x1601, "1000/4 1010/4 'f'" },
	/* 1002 */ { 0x1601, "0/4 1012/4 'g'" },
	/* 1003 */ { 0x1602, "1003/4 1014/4 'm'" },
	/* 1004 */ { 0x1602, "1fff/4 1014/4 'n'" },
	/* 1005 */ { 0x1601, "1001/4 1010/4 'h'" },		/* in what is no scope */
	/* 1006 */ { 0x1602, "1005/4 1014/4 'o'" },
	/* 1007 */ { 0x1602, "1007/4 1014/4 'p'" },		/* in what has no name */
};

static uint8_t bytes[BLOCKS * BLOCK], blocks[4 * BLOCKS];
static struct msf_stream streams[STREAMS];
static struct file file = { .data = bytes, .size = sizeof(bytes) };

/* Records of a stream after its header (struct HDR of tpi.h); hints are pairs in HINTS. */
static size_t
put_stream(uint8_t *to, const struct record *records, size_t count, size_t fillers, unsigned hints)
{
	static const struct record filler = { 0x1201, "0/4" },
				   last = { 0x1505, "0/2 0/2 0/4 0/4 0/4 30/2 'last'" };
	size_t at = 56, header = 0;

	for (size_t i = 0; i < count; i++)
		put_record(to, &at, &records[i]);
	for (size_t i = 0; i < fillers; i++)
		put_record(to, &at, &filler);
	if (fillers > 0)
		put_record(to, &at, &last);
	put(to, &header, 20040203, 4);
	put(to, &header, 56, 4);
	put(to, &header, FIRST, 4);
	put(to, &header, FIRST + count + fillers + (fillers > 0), 4);
	put(to, &header, at - 56, 4);
	put(to, &header, HINTS, 2);
	header = 40;
	put(to, &header, 16, 4);
	put(to, &header, 8 * hints, 4);
	return at;
}

/* The streams of types, functions and hints; the blocks of the first one are in reverse order. */
static void
make(struct pdb *pdb, unsigned hints)
{
	static uint8_t stream[TYPE_BLOCKS * BLOCK];
	static const struct record two[] = { { 0x1505, "3/2 0/2 0/4 0/4 0/4 18/2 'S'" },
					     { 0x1505, "0/2 80/2 0/4 0/4 0/4 0/2 'S'" } };
	uint8_t *hint = bytes + (TYPE_BLOCKS + 1) * BLOCK;
	size_t at = 16, skip = 0;

	memset(bytes, 0, sizeof(bytes));
	memset(stream, 0, sizeof(stream));
	streams[TYPES].size = put_stream(stream, types, ARRAY_COUNT(types), FILLERS, hints);
	for (unsigned i = 0; i < TYPE_BLOCKS; i++) {
		memcpy(bytes + (TYPE_BLOCKS - 1 - i) * BLOCK, stream + i * BLOCK, BLOCK);
		blocks[4 * i] = (uint8_t)(TYPE_BLOCKS - 1 - i);
	}
	streams[IDS].size = put_stream(bytes + TYPE_BLOCKS * BLOCK, ids, ARRAY_COUNT(ids), 0, 0);
	streams[IDS].first = TYPE_BLOCKS;
	/* The first record, and the third, which has two before it. */
	put(hint, &at, FIRST, 4);
	put(hint, &at, 0, 4);
	for (size_t i = 0; i < ARRAY_COUNT(two); i++)
		put_record(stream, &skip, &two[i]);
	put(hint, &at, FIRST + 2, 4);
	put(hint, &at, skip, 4);
	streams[HINTS] = (struct msf_stream){ .size = at, .first = TYPE_BLOCKS + 1 };
	blocks[4 * TYPE_BLOCKS] = TYPE_BLOCKS;
	blocks[4 * (TYPE_BLOCKS + 1)] = TYPE_BLOCKS + 1;
	*pdb = (struct pdb){ .msf = { .file = &file, .block_size = BLOCK, .block_count = BLOCKS,
				      .streams = streams, .stream_count = STREAMS, .blocks = blocks }, .has_ids = true };
}

static const struct {
	uint32_t type;
	uint64_t size;
	const char *what;
} sizes[] = {
	{ 0x1000, 24, "a structure" }, { 0x1001, 24, "one that is defined elsewhere" },
	{ 0x1002, 0, "one that is defined nowhere" }, { 0x1003, 0x9000, "a class" },
	{ 0x1004, 0x12345678, "a union" }, { 0x1005, 4, "an enumeration of an unsigned int" },
	{ 0x1006, 8, "an interface" }, { 0x1007, 8, "a pointer of 64 bits" },
	{ 0x1008, 4, "one of 32" }, { 0x1009, 24, "a constant structure" }, { 0x100c, 4, "a volatile int" }, { 0x100e, 40, "an array" },
	{ 0x1010, 0, "a function" }, { 0x101a, UINT64_C(1) << 32, "an unsigned number of 8 bytes" },
	{ 0x101b, 0x7f, "one of 1 byte" }, { 0x101c, 0x10000, "one of 4" }, { 0x101d, 5, "one of 8" }, { 0x101e, 0x7fff, "one of 2" },
	{ 0x101f, 0x7fff, "the largest without a form" }, { 0x1020, 0, "a number of another form" }, { 0x1021, 0, "a type of itself" },
	{ 0x1026, 0x12345678, "a union that is defined elsewhere" },
	{ 0x1042, 8, "one of two structures with a name, by its unique name," }, { 0x1043, 16, "the other one" },
	{ FIRST + ARRAY_COUNT(types), 0, "a list of arguments" },
	{ FIRST + ARRAY_COUNT(types) + FILLERS + 1, 0, "a number after the last" },
	{ 0x03, 0, "void" }, { 0x08, 4, "HRESULT" }, { 0x10, 1, "char" }, { 0x12, 4, "long" },
	{ 0x11, 2, "a short" }, { 0x21, 2, "unsigned short" }, { 0x22, 4, "unsigned long" },
	{ 0x23, 8, "unsigned __int64" }, { 0x31, 2, "short bool" }, { 0x32, 4, "long bool" },
	{ 0x68, 1, "__int8" }, { 0x69, 1, "unsigned __int8" }, { 0x70, 1, "a real char" },
	{ 0x73, 2, "a real unsigned short" }, { 0x75, 4, "unsigned int" },
	{ 0x77, 8, "a real unsigned __int64" }, { 0x78, 16, "a real __int128" }, { 0x79, 16, "a real unsigned __int128" },
	{ 0x13, 8, "__int64" }, { 0x14, 16, "__int128" }, { 0x20, 1, "unsigned char" },
	{ 0x24, 16, "unsigned __int128" }, { 0x30, 1, "bool" }, { 0x40, 4, "float" },
	{ 0x41, 8, "double" }, { 0x42, 10, "long double" }, { 0x71, 2, "wchar_t" },
	{ 0x72, 2, "short" }, { 0x74, 4, "int" }, { 0x76, 8, "__int64 as a number" },
	{ 0x7a, 2, "char16_t" }, { 0x7b, 4, "char32_t" }, { 0x7c, 1, "char8_t" },
	{ 0xff, 0, "a number of no type" }, { 0x103, 2, "a near pointer" },
	{ 0x203, 4, "a far one" }, { 0x303, 4, "a huge one" }, { 0x403, 4, "one of 32 bits" },
	{ 0x503, 6, "one of 16:32" }, { 0x603, 8, "one of 64 bits" }, { 0x703, 16, "one of 128" }, { 0, 0, "no type" },
};

static const struct {
	uint32_t type;
	const char *text;
} parameters[] = {
	{ 0x1010, "(int, struct S *, const struct S &, void *, ...)" },
	{ 0x1012, "()" }, { 0x1014, "(struct S * * const)" }, { 0x1015, "()" }, { 0x1017, "(int, char)" },
	{ 0x1019, "(struct S, class C, union U, enum E, __interface I, const struct S, int &&, int, struct S * const)" },
	{ 0x1023, "(void, HRESULT, char, short, long, __int64, __int128, unsigned char, "
		  "unsigned short, unsigned long, unsigned __int64, unsigned __int128, bool, "
		  "short bool, long bool, float, double, long double, __int8, unsigned __int8, "
		  "char, wchar_t, short, unsigned short, int, unsigned int, __int64, "
		  "unsigned __int64, __int128, unsigned __int128, char16_t, char32_t, char8_t)" },
	{ 0x1025, "( *, int *, char *, )" },
	/* LIMIT_PDB_TYPE_DEPTH: an int after 15 pointers is the sixteenth type. */
	{ 0x1038, "(int * * * * * * * * * * * * * * *,  * * * * * * * * * * * * * * * *)" },
	{ 0x1000, "()" }, { 0x74, "()" }, { 0xffffffff, "()" },
};

static const struct {
	uint32_t id;
	const char *name;
	uint32_t type;
} functions[] = {
	{ 0x1000, "", 0 }, { 0x1001, "ns::f", 0x1010 }, { 0x1002, "g", 0x1012 },
	{ 0x1003, "C::m", 0x1014 }, { 0x1004, "n", 0x1014 }, { 0x1005, "h", 0x1010 },
	{ 0x1006, "E::o", 0x1014 }, { 0x1007, "p", 0x1014 }, { 0x1008, "", 0 }, { 0xfff, "", 0 },
};

static void
test_all(struct pdb_types *all, const char *how)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
		is_u64(pdb_type_size(all, sizes[i].type), sizes[i].size, "%s has its size, %s", sizes[i].what, how);
	for (size_t i = 0; i < ARRAY_COUNT(parameters); i++)
		is_str(pdb_type_parameters(all, parameters[i].type, &arena), parameters[i].text,
		       "type %x has its parameters, %s", parameters[i].type, how);
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
		is_str(pdb_id_name(all, functions[i].id, &arena), functions[i].name, "function %x has its name, %s", functions[i].id, how);
		is_u64(pdb_id_type(all, functions[i].id), functions[i].type, "function %x has its type, %s", functions[i].id, how);
	}
	arena_free(&arena);
}

/* Compare the entries of a list, and of the list that it continues in. */
static void
compare_list(struct pdb_types *all, uint32_t list, const struct pdb_field *expected, size_t wanted)
{
	struct arena arena = { 0 };
	struct pdb_fields fields;
	struct pdb_field field;
	size_t count = 0;

	ok(pdb_fields_open(&fields, all, list, &arena), "list %x is opened", list);
	for (; pdb_fields_next(&fields, &field); count++)
		ok(count < wanted && field.leaf == expected[count].leaf && field.type == expected[count].type &&
			   field.value == expected[count].value && text_equal(field.name, expected[count].name),
		   "entry %zu of list %x is read", count, list);
	is_u64(count, wanted, "list %x has all its entries", list);
	arena_free(&arena);
}

/* Lists of members: a base, a bit field, a virtual method, a virtual base, enumerators. */
static void
test_members(struct pdb_types *all)
{
	static const struct pdb_field expected[] = {
		{ 0x1400, 0x1000, 0, { "", 0 } }, { 0x150d, 0x103b, 0x18, { "b", 1 } },
		{ 0x1511, 0x1010, 0, { "m", 1 } }, { 0x1401, 0x1000, 4, { "", 0 } },
		{ 0x150e, 0x74, 0, { "s", 1 } }, { 0x1502, 0, (uint64_t)-2, { "E2", 2 } }, { 0x1502, 0, 0x12345678, { "E3", 2 } },
	}, others[] = {
		{ 0x1409, 0x60, 0, { "", 0 } }, { 0x140a, 0x61, 0, { "", 0 } },
		{ 0x140c, 0x62, 0, { "", 0 } }, { 0x150c, 0x63, 0, { "f", 1 } },
		{ 0x150f, 0x64, 0, { "m", 1 } }, { 0x1510, 0x65, 0, { "n", 1 } },
		{ 0x1512, 0x66, 0, { "x", 1 } }, { 0x151a, 0x67, 4, { "", 0 } },
		{ 0x1511, 0x69, 0, { "p", 1 } }, { 0x1402, 0x68, 5, { "", 0 } },
	};
	static const struct {
		uint32_t type, list;
	} lists[] = {
		{ 0x1003, 0x1039 }, { 0x1004, 0x1039 }, { 0x1006, 0x1039 }, { 0x1010, 0x100f },
		{ 0x1014, 0x1013 }, { 0x103d, 0x103a }, { 0x103f, 0x1039 },
	};
	struct arena arena = { 0 };
	struct pdb_fields fields;
	struct pdb_field field;
	struct pdb_type type;
	size_t count = 0;

	compare_list(all, 0x1039, expected, ARRAY_COUNT(expected));
	compare_list(all, 0x1045, others, ARRAY_COUNT(others));
	ok(pdb_fields_open(&fields, all, 0x103c, &arena), "a list that continues in itself");
	for (count = 0; pdb_fields_next(&fields, &field); count++)
		continue;
	is_u64(count, 257, "a circle of lists ends");
	ok(pdb_fields_open(&fields, all, 0x1046, &arena) && !pdb_fields_next(&fields, &field), "padding of no size ends a list");
	ok(!pdb_fields_open(&fields, all, 0x1000, &arena), "a structure is no list");
	ok(pdb_type_read(all, 0x103b, &arena, &type) && type.kind == PDB_TYPE_BITFIELD &&
		   type.bits == 11 && type.bit == 5 && type.of == 0x75, "a bit field is read");
	for (uint32_t i = 0; i < ARRAY_COUNT(lists); i++)
		ok(pdb_type_read(all, lists[i].type, &arena, &type) && type.fields == lists[i].list,
		   "type %x has its list of members", lists[i].type);
	is_u64(pdb_type_enumerating(all, text_of("E2")), 0x103d, "an enumerator is found");
	is_u64(pdb_type_enumerating(all, text_of("E4")), 0, "another one is not");
	is_u64(pdb_type_named(all, text_of("S")), 0x1000, "a definition has a name");
	is_u64(pdb_type_named(all, text_of("two")), 0, "a name with two definitions has no type");
	ok(pdb_simple_named(text_of("unsigned int")) == 0x75 && pdb_simple_named(text_of("unsigned")) == 0,
	   "a type without a record has its number");
	arena_free(&arena);
}

int
main(void)
{
	struct pdb_types all;
	struct pdb pdb;

	for (unsigned hints = 0; hints <= 2; hints++) {
		make(&pdb, hints);
		pdb_types_open(&all, &pdb);
		ok(all.types.hints == 16 && all.types.hint_count == hints && all.types.hint_stream == HINTS,
		   "the stream of hints and the number of hints are read");
		test_all(&all, "as hints lead there");
		pdb_type_size(&all, FIRST + (hints == 2 ? 2 : 0) + 2048);
		is_u64(all.types.own_count, 0, "types that hints lead to are read without a pass over all");
		is_u64(pdb_type_size(&all, FIRST + ARRAY_COUNT(types) + FILLERS), 0x30, "the size of the last of many types is read");
		is_u64(all.types.own_count, (ARRAY_COUNT(types) + FILLERS + 1 + PDB_RECORDS_STEP - 1) / PDB_RECORDS_STEP,
		       "the first type without a hint costs one pass over all types");
		test_all(&all, "after that");
		pdb_types_close(&all);
	}
	pdb_types_open(&all, &pdb);
	test_members(&all);
	pdb_types_close(&all);
	pdb.has_ids = false;
	pdb_types_open(&all, &pdb);
	is_u64(pdb_id_type(&all, 0x1001), 0, "old PDBs have no numbers of functions");
	pdb_types_close(&all);
	return done_testing();
}
