/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fault/damage.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/pe_bytes.h"
#define ROW_ARCH ARCH_AMD64
#include "tests/unit/frame_table/row_text.h"

/* Unwind information of x64, assembled by hand from Microsoft's "x64 exception handling": one
 * function at 1000, with its code and its information in a PE file that this test makes. */
enum { CODE = 0x1000, INFO = 0x2000, TABLE = 0x3000, FILE_SIZE = 0x800 };

static void
make_file(uint8_t bytes[FILE_SIZE], const char *code, const char *info, uint32_t length)
{
	memset(bytes, 0, FILE_SIZE);
	put_headers(bytes, X64, 3, 0x140000000, 0x5000);
	put(bytes, 0x58 + 112 + 3 * 8, 4, TABLE);
	put(bytes, 0x58 + 112 + 3 * 8 + 4, 4, 24);
	put_section(bytes, 0, ".text", CODE, 0x60000020);
	if (code == NULL)		/* a file that has the tables only */
		put(bytes, 0x148 + 16, 4, 0);
	put_section(bytes, 1, ".xdata", INFO, 0x40000040);
	put_section(bytes, 2, ".pdata", TABLE, 0x40000040);
	memset(bytes + RAW, 0x90, RAW);
	bytes_of(code != NULL ? code : "", bytes + RAW, RAW);
	bytes_of(info, bytes + 2 * RAW, RAW);
	put(bytes, 3 * RAW, 4, CODE);
	put(bytes, 3 * RAW + 4, 4, CODE + length);
	put(bytes, 3 * RAW + 8, 4, INFO);
	put(bytes, 3 * RAW + 12, 4, CODE + 0x180);
	put(bytes, 3 * RAW + 16, 4, CODE + 0x190);
	put(bytes, 3 * RAW + 20, 4, INFO);
}

/* push rbp; sub rsp,20; three nops; add rsp,20 (at 8); pop rbp (12); ret (13). */
#define PLAIN_CODE "55 4883ec20 909090 4883c420 5d c3"
#define PLAIN_INFO "01 05 02 00 0532 0150"
/* A function that ends with a jump. */
#define JUMP_CODE(jump) "55 4883ec20 909090 4883c420 5d " jump
/* push rbp; sub rsp,20; jz 13; add rsp,20 (at 7); pop rbp; ret; at 13 the prologue continues. */
#define EARLY_CODE "55 4883ec20 7406 4883c420 5d c3 4889742438 90"
#define EARLY_INFO "01 12 04 00 1264 0700 0532 0150"
/* push rbp; sub rsp,40; lea rbp,[rsp+20]; nop; lea rsp,[rbp+20] (at 11); pop rbp; ret. */
#define FRAME_CODE "55 4883ec40 488d6c2420 90 488d6520 5d c3"
#define FRAME_INFO "01 0a 03 25 0a03 0572 0150 0000"
/* push r12; mov r12,rsp as frame register; lea rsp,[r12+0] with 32 bits (at 6); pop r12; ret. */
#define R12_CODE "4154 4989e4 90 498da42400000000 415c c3"
#define R12_INFO "01 05 02 0c 0503 02c0"
/* push rbp; push r12; sub rsp,20, and an epilogue of 4 bytes at the end. */
#define TWO_PUSHES "02 07 04 00 0416 0732 03c0 0150"
/* The information of a part at 2000, that of the whole function at 2040. */
#define PADDING "0000000000000000 0000000000000000 0000000000000000"
#define CHAINED(whole) "21 00 00 00 00110000 10110000 40200000 " PADDING PADDING whole

#define PLAIN PLAIN_CODE, PLAIN_INFO, 14
#define EARLY EARLY_CODE, EARLY_INFO, 32
#define FRAME FRAME_CODE, FRAME_INFO, 17
#define R12 R12_CODE, R12_INFO, 17
#define JUMP(jump) JUMP_CODE(jump), PLAIN_INFO
#define HERE false, false
/* Rules within PLAIN: at its start, after the push, and with its whole frame. */
#define ENTERED "$rsp 8 +", "$rsp ^", ""
#define PUSHED "$rsp 16 +", "$rsp 8 + ^", "rbp=$rsp ^;"
#define FRAMED "$rsp 48 +", "$rsp 40 + ^", "rbp=$rsp 32 + ^;"
#define NO_RULE NULL, NULL, NULL

static const struct {
	const char *title, *code, *info;
	uint32_t length, offset;
	bool call;			/* `offset` is after a call, not where a thread stopped */
	bool signal;
	const char *cfa, *return_address, *registers;	/* a NULL cfa: no rule */
} cases[] = {
	{ "at the first instruction", PLAIN, 0, HERE, ENTERED }, { "after a push", PLAIN, 1, HERE, PUSHED },
	{ "in the body", PLAIN, 5, HERE, FRAMED }, { "at the beginning of the epilogue", PLAIN, 8, HERE, FRAMED },
	{ "at the epilogue's pop", PLAIN, 12, HERE, PUSHED }, { "at the return", PLAIN, 13, HERE, ENTERED },
	{ "after a call, with an epilogue's bytes next", PLAIN, 13, true, false, FRAMED },
	{ "at a jump to another function", JUMP("e9ee000000"), 18, 13, HERE, ENTERED },
	{ "at a short jump to its own beginning", JUMP("ebf1"), 15, 13, HERE, ENTERED },
	{ "at a jump within the function, no epilogue", JUMP("ebf6"), 15, 13, HERE, FRAMED },
	{ "at a jump through memory", JUMP("ff2500000000"), 19, 12, HERE, PUSHED },
	{ "at a jump through a register", JUMP("48ffe0"), 16, 13, HERE, ENTERED },
	{ "at a return with a prefix", JUMP("f3c3"), 15, 13, HERE, ENTERED },
	{ "at a return that frees arguments", JUMP("c21000"), 16, 13, HERE, "$rsp 24 +", "$rsp ^", "" },
	{ "at the pop before a return that frees arguments", JUMP("c21000"), 16, 12, HERE, "$rsp 32 +", "$rsp 8 + ^", "rbp=$rsp ^;" },
	{ "at an early return's add in the prologue", EARLY, 7, HERE, FRAMED }, { "at an early return's pop", EARLY, 11, HERE, PUSHED },
	{ "at an early return", EARLY, 12, HERE, ENTERED }, { "after an early return, still in the prologue", EARLY, 13, HERE, FRAMED },
	{ "at a pop before vzeroupper", JUMP("c5f877 c3"), 17, 12, HERE, PUSHED },
	{ "at vzeroupper before the return", JUMP("c5f877 c3"), 17, 13, HERE, ENTERED },
	{ "at vzeroupper elsewhere, no epilogue", JUMP("c5f877 90"), 17, 13, HERE, FRAMED },
	{ "with a frame register", FRAME, 10, HERE, "$rbp 48 +", "$rbp 40 + ^", "rbp=$rbp 32 + ^;" },
	{ "before the frame register is set", FRAME, 5, HERE, "$rsp 80 +", "$rsp 72 + ^", "rbp=$rsp 64 + ^;" },
	{ "at the lea of an epilogue", FRAME, 11, HERE, "$rbp 48 +", "$rbp 40 + ^", "rbp=$rbp 32 + ^;" },
	{ "after the lea of an epilogue", FRAME, 15, HERE, PUSHED },
	{ "r12 as frame register", R12, 5, HERE, "$r12 16 +", "$r12 8 + ^", "r12=$r12 ^;" },
	{ "a lea from r12", R12, 6, HERE, "$r12 16 +", "$r12 8 + ^", "r12=$r12 ^;" },
	{ "a frame of 4096 bytes", "90", "01 07 02 00 0701 0002", 32, 16, HERE, "$rsp 4104 +", "$rsp 4096 + ^", "" },
	{ "a frame of 1 MiB", "90", "01 07 03 00 0711 00001000 0000", 32, 16, HERE, "$rsp 1048584 +", "$rsp 1048576 + ^", "" },
	{ "a register that is saved by a move", "90", "01 0c 03 00 0c34 0500 0462",
	  32, 16, HERE, "$rsp 64 +", "$rsp 56 + ^", "rbx=$rsp 40 + ^;" },
	{ "a register that is saved far away", "90", "01 0c 04 00 0c75 28000000 0462",
	  32, 16, HERE, "$rsp 64 +", "$rsp 56 + ^", "rdi=$rsp 40 + ^;" },
	{ "xmm registers, which have no rule", "90", "01 0c 06 00 0c68 0100 0c79 20000000 0462",
	  32, 16, HERE, "$rsp 64 +", "$rsp 56 + ^", "" },
	{ "a frame that the processor pushed", "90", "01 00 01 00 000a", 32, 16, false, true, "$rsp 24 + ^", "$rsp ^", "" },
	{ "a frame that the processor pushed with an error code",
	  "90", "01 04 02 00 0402 001a", 32, 16, false, true, "$rsp 40 + ^", "$rsp 16 + ^", "" },
	{ "a part of a function", "90", CHAINED("01 05 02 00 0532 0150"), 32, 16, HERE, FRAMED },
	{ "a function that is a part of itself", "90", "21 00 00 00 00100000 20100000 00200000", 32, 16, HERE, NO_RULE },
	{ "version 2, within the epilogue", PLAIN_CODE, "02 05 04 00 0216 0006 0532 0150", 14, 12, HERE, PUSHED },
	{ "version 2, before the epilogue", PLAIN_CODE, "02 05 04 00 0216 0006 0532 0150", 14, 8, HERE, FRAMED },
	{ "version 2, an epilogue before the end", PLAIN_CODE, "02 05 04 00 0206 0a06 0532 0150", 22, 12, HERE, PUSHED },
	{ "version 2, at an epilogue that is not listed", PLAIN_CODE, "02 05 04 00 0206 0806 0532 0150", 22, 12, HERE, FRAMED },
	{ "version 2 without the code, before the epilogue", NULL, "02 05 04 00 0216 0006 0532 0150", 14, 8, HERE, FRAMED },
	{ "version 2 without the code, at the epilogue's first pop", NULL,
	  TWO_PUSHES, 17, 13, HERE, "$rsp 24 +", "$rsp 16 + ^", "rbp=$rsp 8 + ^;r12=$rsp ^;" },
	{ "version 2 without the code, after a pop of two bytes", NULL, TWO_PUSHES, 17, 15, HERE, PUSHED },
	{ "version 2 without the code, at the return", NULL, TWO_PUSHES, 17, 16, HERE, ENTERED },
	{ "version 2 without the code, at the epilogue before the end", NULL, "02 05 04 00 0206 0a06 0532 0150", 22, 12, HERE, PUSHED },
	{ "a function that calls none", "90", PLAIN_INFO, 32, 0x100, HERE, ENTERED },
	{ "a function without an entry that did call", "90", PLAIN_INFO, 32, 0x100, true, false, NO_RULE },
	{ "an unknown operation", "90", "01 05 02 00 053b 0150", 32, 16, HERE, NO_RULE },
	{ "a code that is cut off", "90", "01 05 01 00 0501 0000", 32, 16, HERE, NO_RULE },
	{ "version 3", "90", "03 05 02 00 0532 0150", 32, 16, HERE, NO_RULE },
	{ "a frame register that is set but not named", "90", "01 05 01 00 0503 0000", 32, 16, HERE, NO_RULE },
};

static const struct unwind_row *
find(const struct binary *binary, uint64_t relative, bool exact, struct arena *arena, const char **problem)
{
	const struct frame_table_question question = { .relative = relative, .exact = exact };
	void *frames = pe_frames_reader.open(binary, NULL);

	*problem = NULL;
	if (frames == NULL)
		return NULL;
	const struct unwind_row *row = pe_frames_reader.find(frames, arch_by_id(ARCH_AMD64), &question, arena, problem);
	pe_frames_reader.close(frames);
	return row;
}

TEST_EACH(case, cases)
{
	uint8_t bytes[FILE_SIZE];
	struct error error = { 0 };
	struct binary *binary;
	struct arena arena = { 0 };
	const char *problem;

	make_file(bytes, cases[i].code, cases[i].info, cases[i].length);
	if (binary_from_memory(&binary, "a.exe", bytes, sizeof(bytes), &error) != ERROR_NONE) {
		ok(false, "%s: the file is opened: %s", cases[i].title, error.text);
		return;
	}
	const struct unwind_row *row = find(binary, CODE + cases[i].offset, !cases[i].call, &arena, &problem);
	if (cases[i].cfa == NULL) {
		ok(row == NULL && problem != NULL && (strstr(cases[i].title, "version 3") == NULL) ==
				   (strstr(problem, "version 3") == NULL),
		   "%s: the entry is refused with a reason: %s", cases[i].title, problem != NULL ? problem : "no reason");
	} else if (ok(row != NULL, "%s: there is a row", cases[i].title)) {
		is_str(expression_of(row, CLAIM_CFA, &arena), cases[i].cfa, "%s: the CFA is right", cases[i].title);
		is_str(expression_of(row, CLAIM_RETURN_ADDRESS, &arena), cases[i].return_address,
		       "%s: the return address is right", cases[i].title);
		is_str(registers_of(row, &arena), cases[i].registers, "%s: the rules of saved registers are right", cases[i].title);
		ok(row->signal == cases[i].signal, "%s: the mark of an interrupted caller is right", cases[i].title);
		ok(row->first <= CODE + cases[i].offset && row->last >= CODE + cases[i].offset,
		   "%s: the row covers the address", cases[i].title);
	}
	arena_free(&arena);
	binary_close(binary);
}

TEST(place)
{
	uint8_t bytes[FILE_SIZE];
	struct binary *binary;
	struct arena arena = { 0 };
	const char *problem;

	make_file(bytes, PLAIN_CODE, PLAIN_INFO, 14);
	if (binary_from_memory(&binary, "a.exe", bytes, sizeof(bytes), NULL) == ERROR_NONE) {
		const struct unwind_row *row = find(binary, CODE + 0x184, true, &arena, &problem);
		ok(row != NULL && row->place.offset == 3 * RAW + 12 && row->place.length == 12,
		   "a row has the place of its entry in the file");
		binary_close(binary);
	}
	arena_free(&arena);
}

/* Bytes of the tables, of the code and of the headers changed at random. */
TEST(damage)
{
	uint64_t seed = 7;
	size_t bad = 0;

	for (unsigned round = 0; round < 20000; round++) {
		uint8_t bytes[FILE_SIZE];
		const size_t i = damage_random(&seed) % ARRAY_COUNT(cases);
		struct binary *binary;
		struct arena arena = { 0 };
		const char *problem;

		make_file(bytes, cases[i].code, cases[i].info, cases[i].length);
		for (unsigned changes = 1 + round % 4; changes > 0; changes--) {
			const uint32_t where = damage_random(&seed);
			const size_t at = where % 8 == 0 ? damage_random(&seed) % RAW
					  : (1 + where % 3) * RAW + damage_random(&seed) % 0x80;

			bytes[at] = (uint8_t)damage_random(&seed);
		}
		const size_t size = round % 5 == 0 ? damage_random(&seed) % FILE_SIZE : FILE_SIZE;
		if (binary_from_memory(&binary, "a.exe", bytes, size, NULL) != ERROR_NONE)
			continue;
		const struct unwind_row *row = find(binary, CODE + damage_random(&seed) % 0x20, round % 2, &arena, &problem);
		bad += row != NULL && (expression_of(row, CLAIM_CFA, &arena) == NULL ||
				       expression_of(row, CLAIM_RETURN_ADDRESS, &arena) == NULL);
		arena_free(&arena);
		binary_close(binary);
	}
	is_u64(bad, 0, "damaged tables give complete rows or no row");
}
