/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/report/scene.h"

#include "code/instruction.h"
#include "report/code/disassembly.h"

/*
 * Code of a made-up x86 crash. GNU as makes the bytes from the text next to them; addresses and
 * meanings were worked out by hand from Intel's manual.
 */

/* The function crash of scene.h, at 401000: 0x40 bytes. */
static const uint8_t code[] = {
	0x55,				/* 401000 push ebp */
	0x89, 0xe5,			/* 401001 mov ebp, esp */
	0x8b, 0x45, 0x08,		/* 401003 mov eax, [ebp + 8] */
	0x85, 0xc0,			/* 401006 test eax, eax */
	0x74, 0x05,			/* 401008 je 40100f */
	0xe8, 0xf1, 0x00, 0x00, 0x00,	/* 40100a call 401100, main */
	0xeb, 0xf5,			/* 40100f jmp 401006 */
	0x90,				/* 401011 nop */
	0x31, 0xc0,			/* 401012 xor eax, eax */
	0x90,				/* 401014 nop */
	0x8b, 0x48, 0x0c,		/* 401015 mov ecx, [eax + 12]: the pc of frame 0 */
	0xc3,				/* 401018 ret */
	0x06,				/* 401019 push es: an instruction on x86 */
	0xa1, 0x10, 0x00, 0x50, 0x00,	/* 40101a mov eax, [500010] */
	0xa1, 0x00, 0x00, 0x50, 0x00,	/* 40101f mov eax, [500000] */
	0xa1, 0x20, 0x00, 0x50, 0x00,	/* 401024 mov eax, [500020] */
	0xa1, 0x08, 0x00, 0x50, 0x00,	/* 401029 mov eax, [500008] */
	0x0f, 0x04, 0x0f, 0x04,		/* 40102e: not an instruction */
};

/* At 500000: three letters, a text without end at 500008, texts of 4 and 32 letters. */
static const char texts[] = "abc\0    open\1   abcd\0           xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

static struct synth *
describe(bool with_code)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	const uint64_t registers[10] = { 0x401015, 0x12f000, 0x12f008 };

	synth_module(synth, 0x400000, 0x3000, "c:\\app.exe", "c:\\app.pdb",
		     "5A9832E5287241C1838ED98914E9B7FF1");
	synth_thread(synth, 0xbf4, registers, 0x12f000,
		     synth_words32(synth, scene_stack, ARRAY_COUNT(scene_stack)),
		     sizeof(scene_stack));
	synth_exception(synth, 0xbf4, 0xc0000005, 0, 0x0c);
	synth_exception_registers(synth, registers);
	if (with_code)
		synth_memory(synth, 0x401000, code, sizeof(code), false);
	synth_memory(synth, 0x500000, texts, sizeof(texts), false);
	return synth;
}

struct shown {
	struct scene scene;
	struct surroundings around;
	struct disassembly *disassembly;
	struct listing listing;
};

static void
open_shown(struct shown *shown, bool with_code, bool with_symbols)
{
	struct synth *synth = describe(with_code);
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct scene *scene = &shown->scene;
	struct error error;
	size_t size;

	*shown = (struct shown){ 0 };
	scene->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&scene->crash, "test.dmp", scene->bytes, size, 0, &error);
	scene_write_symbols(scene);
	scene->symbols = symbols_create(scene->crash.modules, scene->crash.module_count,
					scene->paths, with_symbols ? 1 : 0);
	scene->walk = walk_create(&scene->crash, scene->symbols, NULL, 0, &policy);
	walk_run(scene->walk, 0);
	arena_init(&scene->arena, 0);
	row_init(&scene->row, &scene->arena);
	surroundings_init(&shown->around, &scene->crash, scene->symbols, NULL, &policy, NULL);
	shown->around.loads = true;
}

static void
show(struct shown *shown, size_t frame, uint64_t address)
{
	const struct disassembly_options options = {
		.around = &shown->around, .walk = shown->scene.walk, .frame = frame,
		.of_frame = address == 0, .address = address,
	};

	disassembly_free(shown->disassembly);
	shown->disassembly = disassembly_create(&options);
	shown->listing = disassembly_listing(shown->disassembly);
}

static void
close_shown(struct shown *shown)
{
	disassembly_free(shown->disassembly);
	surroundings_free(&shown->around);
	walk_free(shown->scene.walk);
	symbols_free(shown->scene.symbols);
	crash_free(&shown->scene.crash);
	free(shown->scene.bytes);
	arena_free(&shown->scene.arena);
	folder_remove();
}

/* The first row that contains a text, or "". */
static const char *
row_with(struct shown *shown, const char *text)
{
	for (size_t i = 0; i < shown->listing.count; i++) {
		const char *row = scene_row(&shown->scene, &shown->listing, i, 0);

		if (strstr(row, text) != NULL)
			return row;
	}
	return "";
}

static size_t
index_of(struct shown *shown, const char *text)
{
	for (size_t i = 0; i < shown->listing.count; i++)
		if (strstr(scene_row(&shown->scene, &shown->listing, i, 0), text) != NULL)
			return i;
	return SIZE_MAX;
}

static bool
ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The rows, and their lines in the symbol file or the addresses to which they lead. */
static const struct {
	const char *text;
	uint32_t line;
	uint64_t to;
} rows[] = {
	{ "       app.c:18", 9, 0 },
	{ "       unwind CFA ebp+8  ra c-4  ebp c-8  STACK CFI", 16, 0 },
	{ "       00401000 +0x0   55              push   ebp", 0, 0 },
	{ "       00401001 +0x1   89 e5           mov    ebp, esp", 0, 0 },
	{ "       00401003 +0x3   8b 45 08        mov    eax, dword ptr [ebp + 8]", 0, 0 },
	/* je 401008 -> 40100f spans fewer rows than jmp 40100f -> 401006: it is the inner arrow. */
	{ "   /-> 00401006 +0x6   85 c0           test   eax, eax", 0, 0 },
	{ "   |/- 00401008 +0x8   74 05           je     0x40100f <+0xf>", 0, 0x40100f },
	{ "   ||  0040100a +0xa   e8 f1 00 00 00  call   0x401100 <main>", 0, 0x401100 },
	{ "   \\\\> 0040100f +0xf   eb f5           jmp    0x401006 <+0x6>", 0, 0x401006 },
	{ "       inlined middle called at app.c:20", 7, 0 },
	{ "       inner.h:3", 10, 0 },
	{ "       00401011 +0x11  90              nop   ", 0, 0 },
	{ "       00401012 +0x12  31 c0           xor    eax, eax", 0, 0 },
	{ "       inlined leaf called at inner.h:7", 8, 0 },
	{ "       inner.h:3", 10, 0 },
	{ "       00401014 +0x14  90              nop   ", 0, 0 },
	{ "=>     00401015 +0x15  8b 48 0c        mov    ecx, dword ptr [eax + 0xc]", 0, 0 },
	/* eax is 0 in the context of synth. */
	{ "           reads eax 0x0", 0, 0 },
	{ "           reads 4 bytes at eax + 0xc = 0xc: not in the dump", 0, 0 },
	{ "           eax: the nearest write above is at 0x401012, xor eax, eax", 0, 0 },
	{ "       00401018 +0x18  c3              ret   ", 0, 0 },
	{ "       00401019 +0x19  06              push   es", 0, 0 },
	{ "       0040101a +0x1a  a1 10 00 50 00  mov    eax, dword ptr [0x500010]  "
	  "\"abcd\"", 0, 0x500010 },
	{ "       inlined middle called at app.c:20", 7, 0 },
	{ "       inner.h:3", 10, 0 },
	{ "       0040101f +0x1f  a1 00 00 50 00  mov    eax, dword ptr [0x500000]", 0, 0x500000 },
	{ "       the function itself", 0, 0 },
	{ "       app.c:22", 11, 0 },
	{ "       00401024 +0x24  a1 20 00 50 00  mov    eax, dword ptr [0x500020]  "
	  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"...", 0, 0x500020 },
	{ "       00401029 +0x29  a1 08 00 50 00  mov    eax, dword ptr [0x500008]", 0, 0x500008 },
	{ "       0040102e +0x2e  .byte  0x0f   not decoded", 0, 0 },
	{ "       0040102f +0x2f  04 0f           add    al, 0xf", 0, 0 },
	{ "       00401031 +0x31  .byte  0x04   not decoded", 0, 0 },
	{ "       00401032 +0x32  14 bytes in neither the dump nor a file", 0, 0 },
};

/* A row in 40 columns: an instruction has no bytes, and no comment that does not fit. */
static const char *
narrow(const char *text, bool leads)
{
	static char row[160];
	const bool decoded = leads && strlen(text) > 39 && strncmp(text + 16, "+0x", 3) == 0;

	snprintf(row, sizeof(row), "%.*s%s", decoded ? 23 : 160, text, decoded ? text + 39 : "");
	char *comment = strstr(row, " <");
	if (comment != NULL)
		*comment = '\0';
	if (strlen(row) > 40)
		strcpy(row + 39, "~");
	return row;
}

TEST(function)
{
	struct shown shown;

	open_shown(&shown, true, true);
	show(&shown, 0, 0);
	is_u64(shown.listing.count, ARRAY_COUNT(rows), "the function has 34 rows");
	is_u64(shown.listing.current, 16, "the view begins at the frame's instruction");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct target target = listing_target(&shown.listing, i);
		const struct place *place = &target.place;

		is_str(scene_row(&shown.scene, &shown.listing, i, 0), rows[i].text, "row %zu", i);
		is_str(scene_row(&shown.scene, &shown.listing, i, 40),
		       strstr(rows[i].text, "middle") != NULL ? "       inlined mi~le called at app.c:20"
		       : narrow(rows[i].text, target.kind != TARGET_NONE), "row %zu, narrow", i);
		is_u64(target.kind == TARGET_CODE || target.kind == TARGET_MEMORY ? target.address : 0,
		       rows[i].to, "where row %zu leads", i);
		is_u64(place->line, rows[i].line, "the line to which row %zu leads", i);
		if (target.kind != TARGET_PLACE || place->line != 0)
			continue;
		char end[64];
		snprintf(end, sizeof(end), "   test.dmp+0x%x", (unsigned)place->offset);
		ok(ends_with(scene_explain(&shown.scene, &shown.listing, i), end), "the place of row %zu", i);
		const size_t at = strtoul(row_text(&shown.scene.row), NULL, 16) - 0x401000;
		ok(memcmp(shown.scene.bytes + place->offset, code + at, place->length) == 0,
		   "row %zu leads to the bytes of its instruction", i);
	}
	is_str(scene_explain(&shown.scene, &shown.listing, 0), "00401000  c:\\src\\app.c:18   app.sym:9",
	       "a line is explained with its path and its record");
	is_str(scene_explain(&shown.scene, &shown.listing, 17), "00401015  reads eax 0x0", "a note is its own explanation");
	row_clear(&shown.scene.row);
	listing_head(&shown.listing, 36, &shown.scene.row);
	is_str(row_text(&shown.scene.row), " crash   00401000-0040103f   from t~",
	       "the head has the function, its addresses and the origin of its bytes");
	is_u64(disassembly_row(shown.disassembly, 0x401016), index_of(&shown, "00401015 "),
		"the row of an address within an instruction is the instruction's");
	is_u64(disassembly_row(shown.disassembly, 0x40102e), index_of(&shown, "0040102e "),
		"the row of a byte that is no instruction is its own");
	is_u64(disassembly_row(shown.disassembly, 0x40103f), index_of(&shown, "00401032 "),
		"the row of a byte that is not in the dump is that of the gap");
	close_shown(&shown);
}

TEST(json)
{
	static const char *const parts[] = {
		"\"module\":\"c:\\\\app.exe\",\"function\":\"crash\",\"whole_function\":true,",
		"{\"row\":\"line\",\"address\":\"0x00401000\",\"file\":\"c:\\\\src\\\\app.c\",\"line\":18}",
		"{\"row\":\"inlined\",\"address\":\"0x00401014\",\"function\":\"leaf\",\"call_file\":\"c:\\\\src\\\\inner.h\",\"call_line\":7}",
		"{\"row\":\"instruction\",\"address\":\"0x0040100a\",\"bytes\":\"e8f1000000\",\"from\":\"dump\",",
		"\"does\":[\"call\"],\"target\":\"0x00401100\",\"symbol\":\"main\",\"marked\":false}",
		"\"does\":[\"jump\",\"conditional\"],\"target\":\"0x0040100f\"", "\"data\":\"0x00500010\",",
		"{\"row\":\"bytes\",\"address\":\"0x0040102e\",\"bytes\":\"0f\"}",
		"{\"row\":\"note\",\"address\":\"0x00401015\",\"text\":\"reads eax 0x0\"}",
		"{\"row\":\"gap\",\"address\":\"0x00401032\",\"size\":14}",
	};
	struct output_string string;
	struct shown shown;
	struct json json;

	open_shown(&shown, true, true);
	show(&shown, 0, 0);
	output_string_init(&string, &shown.scene.arena);
	json_begin(&json, &string.output, false);
	FACTS_WRITE(&json, NULL, disassembly, shown.disassembly);
	json_finish(&json);
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		ok(strstr(string.text, parts[i]) != NULL, "the document has %s", parts[i]);
	close_shown(&shown);
}

TEST(not_instructions)
{
	struct shown shown;

	open_shown(&shown, true, true);
	show(&shown, 0, 0x402000);
	is_u64(shown.listing.count, 1, "an address without code has one row");
	ok(strstr(scene_row(&shown.scene, &shown.listing, 0, 0), "--binaries") != NULL,
	   "the row of an address without code names an option");
	close_shown(&shown);
	open_shown(&shown, false, true);
	show(&shown, 0, 0);
	ok(strstr(scene_row(&shown.scene, &shown.listing, 0, 0), "neither the dump nor") != NULL,
	   "a dump without code has a row that reports it");
	close_shown(&shown);
}

/* Without symbols the start of the code is unknown: decoding must find the boundaries itself. */
TEST(backwards)
{
	struct shown shown;

	open_shown(&shown, true, false);
	show(&shown, 0, 0);
	static const char *const starts[] = { "00401000 ", "00401001 ", "00401003 ", "00401006 ",
					      "00401008 ", "0040100a ", "0040100f ", "00401011 ",
					      "00401012 ", "00401014 ", "00401015 " };
	for (size_t i = 0; i < ARRAY_COUNT(starts); i++)
		ok(index_of(&shown, starts[i]) != SIZE_MAX,
		   "an instruction before the known one begins at %s", starts[i]);
	is_u64(index_of(&shown, "0040100b "), SIZE_MAX,
	       "no instruction before the known one begins within another");
	show(&shown, 0, 0x40100a);
	ok(strstr(row_with(&shown, "0040100a "), "call") != NULL, "an address is shown as well");
	is_u64(index_of(&shown, "=> "), SIZE_MAX, "an address that is shown is not marked");
	close_shown(&shown);
}

/* Frame 1 returns to 401110; its code is not in the dump. */
TEST(serves)
{
	struct shown shown;

	open_shown(&shown, true, true);
	const struct disassembly_options options = { .around = &shown.around,
						     .walk = shown.scene.walk, .of_frame = true };
	struct disassembly_options other = options;
	other.frame = 1;
	shown.disassembly = disassembly_create(&options);
	ok(disassembly_serves(shown.disassembly, &options),
	   "a disassembly serves the same request again");
	ok(!disassembly_serves(shown.disassembly, &other),
	   "a disassembly does not serve another frame");
	ok(!disassembly_serves(NULL, &options),
	   "a disassembly that was not made serves no request");
	close_shown(&shown);
}

int
main(void)
{
	const struct arch *arch = arch_by_id(ARCH_X86);

	if (instruction_unsupported(arch) != NULL) {
		skip(1, "%s", instruction_unsupported(arch));
		return done_testing();
	}
	run_tests();
	return done_testing();
}
