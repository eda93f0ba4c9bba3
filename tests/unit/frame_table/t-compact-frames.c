/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_tables_internal.h"
#include "tests/unit/binary/mach_image.h"

/* Compact encodings, by hand from Apple's compact_unwind_encoding.h. The file has one page; the
 * function at MACH_CODE has the encoding, the code 0x100 bytes after it has none. */
enum { AMD64 = 0x1000007, X86 = 7, ARM64 = 0x100000c, SIZE_AT = 0x20 };

static const struct {
	const char *title;
	uint32_t processor, encoding;
	const char *rules;		/* for the CFA, the return address and registers; NULL: no rules */
} cases[] = {
	{ "rbp, no registers", AMD64, 0x01000000, ".cfa=rbp 16 + .ra=.cfa -8 + ^ rbp=.cfa -16 + ^ " },
	{ "rbp, with rbx and r14 from 2 words below it", AMD64, 0x01020021,
	  ".cfa=rbp 16 + .ra=.cfa -8 + ^ rbx=.cfa -32 + ^ rbp=.cfa -16 + ^ r14=.cfa -24 + ^ " },
	{ "rbp, with a gap and r15", AMD64, 0x01030142,
	  ".cfa=rbp 16 + .ra=.cfa -8 + ^ rbp=.cfa -16 + ^ r12=.cfa -40 + ^ r15=.cfa -24 + ^ " },
	{ "an unknown register", AMD64, 0x01010007, NULL },
	{ "rsp, only the return address", AMD64, 0x02010000, ".cfa=rsp 8 + .ra=.cfa -8 + ^ " },
	/* Two of six: ranks 0 and 4 are rbx and, of the rest, rbp. */
	{ "rsp, with rbx and rbp", AMD64, 0x02060804, ".cfa=rsp 48 + .ra=.cfa -8 + ^ rbx=.cfa -24 + ^ rbp=.cfa -16 + ^ " },
	/* 5 * 120 + 4 * 24 + 3 * 6 + 2 * 2 + 1: from the last to the first. */
	{ "rsp, with all six in the opposite order", AMD64, 0x02070000 | 6 << 10 | 719,
	  ".cfa=rsp 56 + .ra=.cfa -8 + ^ rbx=.cfa -16 + ^ rbp=.cfa -56 + ^ r12=.cfa -24 + ^ "
	  "r13=.cfa -32 + ^ r14=.cfa -40 + ^ r15=.cfa -48 + ^ " },
	{ "an order that no six registers have", AMD64, 0x02070000 | 6 << 10 | 720, NULL },
	{ "seven registers", AMD64, 0x02080000 | 7 << 10, NULL },
	{ "rsp, the size in the code and 3 words", AMD64, 0x03000000 | SIZE_AT << 16 | 3 << 13, ".cfa=rsp 74592 + .ra=.cfa -8 + ^ " },
	{ "a frame without its return address", AMD64, 0x03000000, NULL },
	{ "rbx in the place of rbp", AMD64, 0x01000001, NULL }, { "in .eh_frame", AMD64, 0x04000010, NULL },
	{ "an unknown mode", AMD64, 0x05000000, NULL },
	{ "ebp, with edi", X86, 0x01010004, ".cfa=ebp 8 + .ra=.cfa -4 + ^ ebp=.cfa -8 + ^ edi=.cfa -12 + ^ " },
	{ "esp, with esi", X86, 0x02020000 | 1 << 10 | 4, ".cfa=esp 8 + .ra=.cfa -4 + ^ esi=.cfa -8 + ^ " },
	{ "fp", ARM64, 0x04000000, ".cfa=fp 16 + .ra=.cfa -8 + ^ fp=.cfa -16 + ^ " },
	{ "fp, with x19, x20, x27, x28 and a language", ARM64, 0x54000011,
	  ".cfa=fp 16 + .ra=.cfa -8 + ^ x19=.cfa -24 + ^ x20=.cfa -32 + ^ x27=.cfa -40 + ^ x28=.cfa -48 + ^ fp=.cfa -16 + ^ " },
	{ "a leaf", ARM64, 0x02000000, ".cfa=sp .ra=lr " },
	{ "a leaf with 32 bytes and x21, x22", ARM64, 0x02002002, ".cfa=sp 32 + .ra=lr x21=.cfa -8 + ^ x22=.cfa -16 + ^ " },
	{ "in .eh_frame of arm64", ARM64, 0x03000010, NULL },
};

/* A section with an index of one page and its end, and the page, which is empty. */
static size_t
make_index(struct mach_image *image, uint32_t kind)
{
	const uint32_t words[] = { 1, 28, 1, 32, 0, 32, 2, 0x02010000, MACH_CODE, 56, 0, MACH_CODE + MACH_CODE_SIZE, 0, 0, kind };

	mach_image_make(image);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		mach_put(image, MACH_UNWIND + 4 * i, 4, words[i]);
	return MACH_UNWIND + 56;
}

static void
make_regular(struct mach_image *image, uint32_t encoding)
{
	const size_t page = make_index(image, 2);

	mach_put(image, page + 4, 2, 8);
	mach_put(image, page + 6, 2, 2);
	mach_put(image, page + 8, 4, MACH_CODE);
	mach_put(image, page + 12, 4, encoding);
	mach_put(image, page + 16, 4, MACH_CODE + 0x100);
	mach_put(image, MACH_CODE + SIZE_AT, 4, 0x12348);
}

/* The rules of a row as text; NULL: there is no row. */
static const char *
rules_at(void *state, const struct binary *binary, uint64_t relative, struct arena *arena, const char **problem)
{
	const struct arch *arch = binary_arch(binary);
	const struct frame_table_question question = { .relative = relative, .table = FRAME_TABLE_COMPACT };
	const struct unwind_row *row = compact_frames_reader.find(state, arch, &question, arena, problem);
	const char *text = row == NULL ? NULL : "", *cannot;

	for (unsigned i = 0; row != NULL && i < claim_columns(arch); i++) {
		const char *name = i == 0 ? ".cfa" : i == 1 ? ".ra" : claim_column_name(arch, i);
		const char *rule = row->claims[i].kind == CLAIM_RULE ? unwind_row_expression(row, arch, i, arena, &cannot) : NULL;

		/* Rules of arm64 have other names for fp and lr than reports. */
		if (rule != NULL)
			text = arena_format(arena, "%s%s=%s ", text, name, rule);
	}
	return text;
}

/* A text without the marks of names in rules. */
static const char *
plain(const char *text, struct arena *arena)
{
	char *copy = text == NULL ? NULL : arena_copy(arena, text, strlen(text)), *to = copy;

	for (const char *from = copy; from != NULL && *from != '\0'; from++) {
		if (strncmp(from, "x29", 3) == 0 || strncmp(from, "x30", 3) == 0) {
			memcpy(to, from[2] == '9' ? "fp" : "lr", 2);
			to += 2;
			from += 2;
		} else if (*from != '$') {
			*to++ = *from;
		}
	}
	if (to != NULL)
		*to = '\0';
	return copy;
}

TEST_EACH(encodings, cases)
{
	struct mach_image image = { .processor = cases[i].processor, .type = 6 };
	struct elf_damage damage = { 0 };
	struct frame_extent extent;
	struct arena arena = { 0 };
	const char *problem = NULL;

	make_regular(&image, cases[i].encoding);
	struct binary *binary = mach_image_open(&image);
	void *state = compact_frames_reader.open(binary, &damage);
	const char *rules = plain(rules_at(state, binary, MACH_CODE + 0xff, &arena, &problem), &arena);
	is_str(rules != NULL ? rules : "none", cases[i].rules != NULL ? cases[i].rules : "none", "%s", cases[i].title);
	ok((rules == NULL) == (problem != NULL), "%s: a reason if there is no rule", cases[i].title);
	compact_frames_reader.extent(state, MACH_CODE + 0x20, &extent);
	ok(extent.first == MACH_CODE && extent.last == MACH_CODE + 0xff &&
	   extent.entry == (problem == NULL || strstr(problem, ".eh_frame") == NULL),
	   "%s: the range of the entry", cases[i].title);
	problem = NULL;
	ok(rules_at(state, binary, MACH_CODE + 0x100, &arena, &problem) == NULL &&
	   problem == NULL, "%s: the code after it has no rules", cases[i].title);
	compact_frames_reader.close(state);
	binary_close(binary);
	arena_free(&arena);
}

/* Entries of 4 bytes: one of all pages' encodings, one of the page's own, one that is missing. */
static void
make_compressed(struct mach_image *image)
{
	const size_t page = make_index(image, 3);
	const uint32_t entries[] = { 0, 0x01000080, 0x02000100 };

	mach_put(image, page + 4, 2, 12);
	mach_put(image, page + 6, 2, 3);
	mach_put(image, page + 8, 2, 24);
	mach_put(image, page + 10, 2, 1);
	for (size_t i = 0; i < 3; i++)
		mach_put(image, page + 12 + 4 * i, 4, entries[i]);
	mach_put(image, page + 24, 4, 0x01000000);
	mach_put(image, page + 28, 4, 0x01000000);
}

TEST(compressed)
{
	static const struct {
		uint64_t at;
		const char *cfa;
	} places[] = { { MACH_CODE - 1, NULL }, { MACH_CODE, ".cfa=$rsp 8 +" },
		       { MACH_CODE + 0x7f, ".cfa=$rsp 8 +" },
		       { MACH_CODE + 0x80, ".cfa=$rbp 16 +" },
		       { MACH_CODE + 0x100, NULL }, { MACH_CODE + MACH_CODE_SIZE, NULL } };
	struct mach_image image = { .processor = AMD64, .type = 6 };
	struct elf_damage damage = { 0 };
	struct arena arena = { 0 };
	const char *problem = NULL;

	make_compressed(&image);
	struct binary *binary = mach_image_open(&image);
	void *state = compact_frames_reader.open(binary, &damage);
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		const char *rules = rules_at(state, binary, places[i].at, &arena, &problem);
		ok(places[i].cfa == NULL ? rules == NULL : rules != NULL &&
				     strncmp(rules, places[i].cfa, strlen(places[i].cfa)) == 0,
		   "a compressed page at %x: %s", (unsigned)places[i].at, rules != NULL ? rules : "none");
	}
	compact_frames_reader.close(state);
	binary_close(binary);
	arena_free(&arena);
}

/* Each byte of the section changed: an answer is about the address that was asked for. */
TEST_BOTH(damage, compressed)
{
	unsigned outside = 0;

	for (size_t at = 0; at < 0x60 * 2; at++) {
		struct mach_image image = { .processor = AMD64, .type = 6 };
		struct elf_damage damage = { 0 };
		struct frame_extent extent;
		struct arena arena = { 0 };
		const char *problem = NULL;

		if (compressed)
			make_compressed(&image);
		else
			make_regular(&image, 0x02060804);
		image.bytes[MACH_UNWIND + at / 2] ^= at % 2 == 0 ? 0xff : 0x80;
		struct binary *binary = mach_image_open(&image);
		void *state = compact_frames_reader.open(binary, &damage);
		for (uint64_t to = 0; state != NULL && to < 0x1000; to += 0x3f) {
			compact_frames_reader.extent(state, to, &extent);
			outside += to < extent.first || to > extent.last;
			rules_at(state, binary, to, &arena, &problem);
		}
		if (state != NULL)
			compact_frames_reader.close(state);
		binary_close(binary);
		arena_free(&arena);
	}
	ok(outside == 0, "damaged %s pages: every range contains its address", compressed ? "compressed" : "regular");
}
