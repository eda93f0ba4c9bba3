/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps by rows of SFrame sections in the memory of a full dump: each possible answer of a look-up,
 * the caller's registers, the explanation of descriptor and row, and edits of rules. The section is
 * written here by the specification of version 2 (section 4, "SFrame Section"). */
#include "tests/unit/binary/section.h"
#include "tests/unit/walk/scene.h"
#include "walk/edit_command.h"

#define BASE 0x400000u
#define SECTION_AT 0x800u
#define FUNCTIONS "FUNC 1000 40 0 f\nFUNC 1100 40 0 g\nFUNC 1200 40 0 h\n"

/* FRE info word: base register of the CFA, number of offsets of one byte, mangled RA. */
#define BY_SP 1u
#define BY_FP 0u
#define WORDS(count) ((count) << 1)
#define MANGLED 0x80u
#define KEY_B 0x20u	/* a flag of descriptors */

struct made_row {
	unsigned at, info;
	int words[3];		/* CFA; RA (arm64 only); FP */
};

struct descriptor {
	uint32_t start, size;
	unsigned repeat, info;
	struct made_row rows[26];
	unsigned row_count;
};

/* The descriptors for add_image, of the scene that is opened next. */
static const struct descriptor *descriptors;
static enum arch_id arch;

static void
make_section(struct section *section)
{
	size_t rows = 0, bytes = 0;
	const struct descriptor *one;

	*section = (struct section){ .big = 0 };
	for (one = descriptors; one->size != 0; one++)
		for (unsigned i = 0; i < one->row_count; i++, rows++)
			bytes += 2 + (one->rows[i].info >> 1 & 15);
	const size_t count = (size_t)(one - descriptors);
	section_put(section, 0xdee2, 2);
	section_put(section, 2, 1);
	section_put(section, 1, 1);
	section_put(section, arch == ARCH_AMD64 ? 3 : 2, 1);
	section_put(section, 0, 1);
	section_put(section, arch == ARCH_AMD64 ? 0xf8 : 0, 1);
	section_put(section, 0, 1);
	section_put(section, count, 4);
	section_put(section, rows, 4);
	section_put(section, bytes, 4);
	section_put(section, 0, 4);
	section_put(section, (uint64_t)count * SECTION_FUNCTION, 4);
	bytes = 0;
	for (one = descriptors; one->size != 0; one++) {
		section_put(section, BASE + one->start - (BASE + SECTION_AT), 4);
		section_put(section, one->size, 4);
		section_put(section, bytes, 4);
		section_put(section, one->row_count, 4);
		section_put(section, one->info | (one->repeat != 0 ? 0x10 : 0), 1);
		section_put(section, one->repeat, 1);
		section_put(section, 0, 2);
		for (unsigned i = 0; i < one->row_count; i++)
			bytes += 2 + (one->rows[i].info >> 1 & 15);
	}
	for (one = descriptors; one->size != 0; one++)
		for (unsigned i = 0; i < one->row_count; i++) {
			section_put(section, one->rows[i].at, 1);
			section_put(section, one->rows[i].info, 1);
			for (unsigned word = 0; word < (one->rows[i].info >> 1 & 15); word++)
				section_put(section, (uint64_t)(int64_t)one->rows[i].words[word], 1);
		}
}

static void
put(uint8_t *bytes, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

/* The module's first page: its ELF header and two program headers (gABI), then the section. */
static void
add_image(struct synth *synth)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	uint8_t image[0x1000] = { 0 };
	struct section section;

	make_section(&section);
	memcpy(image, ident, sizeof(ident));
	put(image + 32, 8, 64);
	put(image + 54, 2, 56);
	put(image + 56, 2, 2);
	put(image + 64, 4, 1);
	put(image + 64 + 40, 8, 0x5000);
	put(image + 120, 4, 0x6474e554);	/* PT_GNU_SFRAME */
	put(image + 120 + 8, 8, SECTION_AT);
	put(image + 120 + 16, 8, SECTION_AT);
	put(image + 120 + 32, 8, section.size);
	put(image + 120 + 40, 8, section.size);
	memcpy(image + SECTION_AT, section.bytes, section.size);
	synth_memory(synth, BASE, image, sizeof(image), true);
}

/* The thread is in f (1000), which g (1100) called. Both have a frame of 16 bytes from offset 4 on,
 * unless a case has rows of its own. */
#define IN_F "ctx 401010 8000"
#define PLAIN { { 0, BY_SP | WORDS(1), { 8 } }, { 4, BY_SP | WORDS(1), { 16 } } }, 2
#define G { 0x1100, 0x40, 0, 0, PLAIN }

static const struct {
	const char *title;
	struct descriptor descriptors[4];
	const char *registers, *memory, *frames;
	const char *names, *values;	/* the last frame's; NULL: not checked */
	const char *said[5];		/* words about the step to it */
} cases[] = {
	{ "a row from the stack pointer on", { { 0x1000, 0x40, 0, 0, PLAIN }, G },
	  "rip=401010 rsp=8000 rbp=8100 rbx=5", "8008=401110", IN_F ", sfr 401110 8010", "rbp rbx rax", "rbp=8100 rbx=? rax=?",
	  { "function descriptor 0 covers 0x401000 to 0x40103f, 64 (0x40) bytes; 2 rows ", "row 1, from 0x401004 on ",
	  "0000000000401004  sp+16     u         f", "unchanged: the row does not track it", "not restored by SFrame" } },
	{ "a function of one row", { { 0x1000, 0x40, 0, 0, { { 0, BY_SP | WORDS(1), { 8 } } }, 1 }, G },
	  "rip=401010 rsp=8000", "8000=401110", IN_F ", sfr 401110 8008", NULL, NULL, { "64 (0x40) bytes; 1 row " } },
	{ "the frame pointer that a row saves", { { 0x1000, 0x40, 0, 0, { { 0, BY_FP | WORDS(2),
	  { 16, -16 } } }, 1 }, G }, "rip=401010 rsp=8000 rbp=8020", "8020=8100 8028=401110", IN_F
	  ", sfr 401110 8030", "rbp", "rbp=8100", { "0000000000401000  fp+16     c-16      f" } },
	{ "a frame pointer that the callee saves in no memory", { { 0x1000, 0x40, 0, 0, { { 0, BY_SP | WORDS(2), { 8, -16 } } }, 1 }, G },
	  "rip=401010 rsp=8000 rbp=8020", "8000=401110", IN_F ", sfr 401110 8008", "rbp", "rbp=?", { "its rule fails" } },
	{ "a frame pointer at the stack pointer", { { 0x1000, 0x40, 0, 0, { { 0, BY_FP | WORDS(1), { 16 } } }, 1 }, G },
	  "rip=401010 rsp=8020 rbp=8020", "8028=401110", "ctx 401010 8020, sfr 401110 8030", NULL, NULL, { NULL } },
	{ "a frame pointer below it", { { 0x1000, 0x40, 0, 0, { { 0, BY_FP | WORDS(1), { 16 } } }, 1 }, G }, "rip=401010 rsp=8028 rbp=8020",
	  "8028=401110", "ctx 401010 8028, scan 401110 8030", NULL, NULL, { "the frame pointer lies below the stack pointer" } },
	{ "a CFA that is not aligned", { { 0x1000, 0x40, 0, 0, { { 0, BY_SP | WORDS(1), { 12 } } }, 1 }, G },
	  "rip=401010 rsp=8000", "8008=401110", IN_F ", scan 401110 8010", NULL, NULL, { "the CFA 0x800c is not aligned" } },
	{ "rows that begin after the address", { { 0x1000, 0x40, 0, 0, { { 0x11, BY_SP | WORDS(1), { 8 } } }, 1 }, G },
	  "rip=401010 rsp=8000", "8008=401110", IN_F ", scan 401110 8010",
	  NULL, NULL, { "the rows of function descriptor 0 begin after 0x401010", "0000000000401011  sp+8      u         f" } },
	{ "a descriptor without rows", { { 0x1000, 0x40, 0, 0, { { 0 } }, 0 }, G }, "rip=401010 rsp=8000",
	  "8008=401110", IN_F ", scan 401110 8010", NULL, NULL, { "function descriptor 0 has no rows", "64 (0x40) bytes; 0 rows " } },
	{ "no descriptor", { G }, "rip=401010 rsp=8000", "8008=401110",
	  IN_F ", scan 401110 8010", NULL, NULL, { "no function descriptor covers 0x401010" } },
	{ "rows that repeat", { { 0x1000, 0x40, 16, 0, { { 0, BY_SP | WORDS(1), { 8 } }, { 6, BY_SP | WORDS(1), { 16 } } }, 2 }, G },
	  "rip=401026 rsp=8000", "8008=401110",
	  "ctx 401026 8000, sfr 401110 8010", NULL, NULL, { "2 rows, repeating", "STARTPC[m]        CFA       FP        RA" } },
	{ "the first of them, 16 bytes on", { { 0x1000, 0x40, 16, 0, { { 0, BY_SP | WORDS(1), { 8 } }, { 6, BY_SP | WORDS(1), { 16 } } },
	  2 }, G }, "rip=401025 rsp=8000", "8000=401110", "ctx 401025 8000, sfr 401110 8008", NULL, NULL, { NULL } },
	{ "rows around the one in force", { { 0x1000, 0x40, 0, 0, { { 0, 3, { 8 } }, { 1, 3, { 8 } }, { 2, 3, { 8 } },
	  { 3, 3, { 8 } }, { 4, 3, { 8 } }, { 5, 3, { 8 } }, { 6, 3, { 8 } }, { 7, 3, { 8 } }, { 8, 3, { 8 } }, { 9, 3, { 8 } },
	  { 10, 3, { 8 } }, { 11, 3, { 8 } }, { 12, 3, { 8 } }, { 13, 3, { 16 } }, { 33, 3, { 8 } }, { 34, 3, { 8 } }, { 35, 3, { 8 } },
	  { 36, 3, { 8 } }, { 37, 3, { 8 } }, { 38, 3, { 8 } }, { 39, 3, { 8 } }, { 40, 3, { 8 } }, { 41, 3, { 8 } }, { 42, 3, { 8 } },
	  { 43, 3, { 8 } }, { 44, 3, { 8 } } }, 26 }, G }, "rip=40100d rsp=8000", "8008=401110", "ctx 40100d 8000, sfr 401110 8010",
	  NULL, NULL, { "row 13, from 0x40100d on", "1 more before", "0000000000401001  sp+8", "000000000040102c  sp+8" } },
};

/* On arm64 the return address may be in x30, and signed. */
#define RECORD { 0, BY_FP | WORDS(3), { 32, -24, -32 } }
static const struct {
	const char *title;
	struct descriptor descriptors[4];
	const char *registers, *memory, *frames;
	const char *names, *values;
	const char *said[3];
} arm64[] = {
	{ "a return address that is still in the link register", { { 0x1000, 0x40, 0, 0, { { 0, BY_SP | WORDS(1), { 0 } } }, 1 }, G },
	  "pc=401010 sp=8000 x29=8020 x30=401110", "", IN_F ", sfr 401110 8000", "x29", "x29=8020", { NULL } },
	{ "a frame record", { { 0x1000, 0x40, 0, 0, { RECORD }, 1 }, G }, "pc=401010 sp=8000 x29=8020",
	  "8020=8100 8028=401110", IN_F ", sfr 401110 8040", "x29", "x29=8100", { "0000000000401000  fp+32     c-32      c-24" } },
	{ "a signed return address", { { 0x1000, 0x40, 0, 0, { { 0, BY_FP | WORDS(3) | MANGLED, { 32, -24, -32 } } }, 1 }, G },
	  "pc=401010 sp=8000 x29=8020", "8020=8100 8028=ab000000401110", IN_F ", sfr 401110 8040", NULL,
	  NULL, { "; the return address is signed with key A", "c-24[s]", "pointer authentication bits of 0xab000000401110 stripped" } },
	{ "a return address signed with the other key",
	  { { 0x1000, 0x40, 0, KEY_B, { { 0, BY_FP | WORDS(3) | MANGLED, { 32, -24, -32 } } }, 1 }, G }, "pc=401010 sp=8000 x29=8020",
	  "8020=8100 8028=ab000000401110", IN_F ", sfr 401110 8040", NULL, NULL, { "; the return address is signed with key B" } },
	{ "a return address in the link register of a function that has made a call",
	  { { 0x1000, 0x40, 0, 0, { RECORD }, 1 }, { 0x1100, 0x40, 0, 0, { { 0, BY_SP | WORDS(1), { 0 } } }, 1 } },
	  "pc=401010 sp=8000 x29=8020 x30=401110", "8020=8100 8028=401110 8100=0 8108=401210", IN_F ", sfr 401110 8040, fp 401210 8110",
	  NULL, NULL, { "in this row the return address is still in a register, but the function has made a call" } },
};

static void
step_of(const char *title, const struct descriptor *of, const char *registers, const char *memory,
	const char *frames, const char *names, const char *values, const char *const *said, size_t said_count)
{
	const struct scene scene = {
		arch, CRASH_OS_LINUX, .registers = registers, .stack = 0x8000, .memory = memory,
		.modules = { { BASE, 0x5000, "app", FUNCTIONS } },
		.more = add_image, .binaries = "",
	};
	const size_t count = scene_count(frames);
	struct staged staged;
	char text[100];

	descriptors = of;
	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, count);
	is_str(staged.frames, frames, "%s: %s", arch_by_id(arch)->name, title);
	if (names != NULL)
		is_str(scene_registers(&staged, count - 1, names, text, sizeof(text)), values, "the caller has its registers");
	char *explained = scene_explained(&staged, count - 2);
	for (size_t i = 0; i < said_count && said[i] != NULL; i++)
		if (!ok(strstr(explained, said[i]) != NULL, "'%s' is said", said[i]))
			tap_diag("%s", explained);
	free(explained);
	scene_close(&staged);
}

/* A row without data words marks its function as the outermost one. */
TEST(outermost)
{
	static const struct descriptor outermost[] = {
		{ 0x1000, 0x40, 0, 0, { { 0, BY_SP | WORDS(0), { 0 } } }, 1 }, { 0 } };
	static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8000", "8000=401110",
		      { { BASE, 0x5000, "app", NULL } }, .more = add_image, .binaries = "");
	struct staged staged;

	arch = ARCH_AMD64;
	descriptors = outermost;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	is_u64(staged.walk->count, 1, "the outermost function has no caller");
	is_str(staged.walk->end.text, "outermost function: its SFrame row says that the return address is undefined",
	       "the end of the walk says that the function is the outermost");
	char *said = scene_explained(&staged, 0);
	ok(strstr(said, "0000000000401000  RA undefined") != NULL, "the explanation has the row of the outermost function");
	free(said);
	scene_close(&staged);
}

static struct walk *
walk_edited(const struct staged *staged, const struct overlay *overlay)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create_edited(&staged->crash, staged->symbols, staged->binaries, 0, &policy, overlay);

	walk_run(walk, 0);
	return walk;
}

/* An edit of a row's rule applies in both frames that use the row. */
TEST(edits)
{
	static const struct descriptor two[] = { { 0x1000, 0x40, 0, 0, PLAIN }, G, { 0 } };
	static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbp=7",
		      "8008=401020 8010=401110 8018=401030 8020=401030 8028=401110",
		      { { BASE, 0x5000, "app", NULL } }, .more = add_image, .binaries = "");
	struct overlay_edit edit, again;
	struct error error = { 0 };
	struct edit_check check;
	struct arena arena = { 0 };
	struct staged staged;

	arch = ARCH_AMD64;
	descriptors = two;
	scene_open(&staged, &scene);
	struct walk *walk = walk_edited(&staged, NULL);
	ok(walk->count > 2 && walk->frames[1].registers.value[7] == 0x8010 &&
		   walk->frames[2].registers.value[7] == 0x8020, "both frames are as large as the row says");
	const struct edit_step step = { walk, 0, METHOD_SFRAME };
	edit_check_rule(&step, text_of(".cfa"), text_of("$rsp 24 +"), &check);
	ok(check.good && check.value == 0x8018, "another rule of the row is tried");
	ok(edit_make_rule(&step, text_of(".cfa"), text_of("$rsp 24 +"), &arena, &edit, &error) == ERROR_NONE &&
		edit.kind == OVERLAY_RULE && edit.row_input != NULL && text_equal(edit.was, text_of("$rsp 16 +")),
		"the rule becomes an edit of the row, which keeps the rule that it had");
	const struct overlay *overlay = overlay_with(&arena, NULL, &edit);
	struct walk *edited = walk_edited(&staged, overlay);
	ok(edited->count > 2 && edited->frames[1].registers.value[7] == 0x8018 &&
		   edited->frames[1].registers.value[16] == 0x401110, "the frame follows the edit of its row");
	ok(edited->frames[1].trust == TRUST_SFRAME, "the edited frame is found by SFrame");
	const struct edit_step second = { edited, 0, METHOD_SFRAME };
	ok(edit_make_rule(&second, text_of(".cfa"), text_of("$rsp 32 +"), &arena, &again, &error) == ERROR_NONE &&
		   text_equal(again.was, text_of("$rsp 24 +")), "the edited rule is in force");
	overlay = overlay_with(&arena, overlay, &again);
	ok(overlay->count == 1 && text_equal(overlay->edits[0].was, text_of("$rsp 16 +")),
	   "an edit of the same row takes its place, and what was there stays known");
	walk_free(edited);
	again.row_offset++;
	ok(overlay_with(&arena, overlay, &again)->count == 2, "an edit of another row does not take the place of the first");
	again.row_offset--;
	again.name = text_of("$rbp");
	ok(overlay_with(&arena, overlay, &again)->count == 2, "an edit of another register does not take the place of the first");
	overlay = overlay_with(&arena, NULL, &edit);
	/* Frame 1 is in g, which has another row. */
	edited = walk_edited(&staged, overlay);
	const struct edit_step other = { edited, 1, METHOD_SFRAME };
	ok(edit_make_rule(&other, text_of(".cfa"), text_of("$rsp 8 +"), &arena, &again, &error) ==
			   ERROR_NONE && again.row_offset != edit.row_offset &&
		   text_equal(again.was, text_of("$rsp 16 +")), "the row of another function has its own rules");
	walk_free(edited);
	edited = walk_edited(&staged, overlay_with(&arena, overlay, &again));
	ok(edited->count > 2 && edited->frames[1].registers.value[7] == 0x8018 &&
		   edited->frames[2].registers.value[7] == 0x8020, "two edits hold, each in its row");
	walk_free(edited);
	walk->frames[0].lookup = 0x401200;
	ok(edit_make_rule(&step, text_of(".cfa"), text_of("1"), &arena, &edit, &error) == ERROR_NOT_FOUND &&
		   strcmp(error.text, "no SFrame row covers frame 0") == 0, "an address without a row has nothing to edit");
	walk_free(walk);
	arena_free(&arena);
	scene_close(&staged);
}

int
main(void)
{
	arch = ARCH_AMD64;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		step_of(cases[i].title, cases[i].descriptors, cases[i].registers, cases[i].memory,
			cases[i].frames, cases[i].names, cases[i].values, cases[i].said, ARRAY_COUNT(cases[i].said));
	arch = ARCH_ARM64;
	for (size_t i = 0; i < ARRAY_COUNT(arm64); i++)
		step_of(arm64[i].title, arm64[i].descriptors, arm64[i].registers, arm64[i].memory,
			arm64[i].frames, arm64[i].names, arm64[i].values, arm64[i].said, ARRAY_COUNT(arm64[i].said));
	run_tests();
	return done_testing();
}
