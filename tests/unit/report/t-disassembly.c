/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/report/scene.h"

#include "code/instruction.h"
#include "report/code/disassembly.h"

/* Code of a made-up x86 crash. GNU as makes the bytes from the text next to them; addresses and
 * meanings were worked out by hand from Intel's manual. */

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

/* At 500000: three letters, a text without end at 500008, texts of 4 and 32 letters, an address in main. */
static const char texts[] = "abc\0    open\1   abcd\0           xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\0\0\x10\x11\x40";

/* Adds `code` at 401000, or nothing (NULL), to a crash in a module of `module` bytes. */
static struct synth *
describe(const void *bytes, size_t size, uint32_t module, const uint64_t *registers)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);

	synth_module(synth, 0x400000, module, "c:\\app.exe", "c:\\app.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_thread(synth, 0xbf4, registers, 0x12f000, synth_words32(synth, scene_stack, ARRAY_COUNT(scene_stack)), sizeof(scene_stack));
	synth_exception(synth, 0xbf4, 0xc0000005, 0, 0x0c);
	synth_exception_registers(synth, registers);
	if (bytes != NULL)
		synth_memory(synth, 0x401000, bytes, size, false);
	synth_memory(synth, 0x500000, texts, sizeof(texts), false);
	return synth;
}

struct shown {
	struct scene scene;
	struct surroundings around;
	struct binaries *binaries;
	struct disassembly *disassembly;
	struct listing listing;
};

/* Symbols and the path of the first module's file may be NULL. */
static void
open_dump(struct shown *shown, struct synth *synth, const char *symbols, const char *file)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct scene *scene = &shown->scene;
	struct error error;
	size_t size;

	*shown = (struct shown){ 0 };
	scene->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&scene->crash, "test.dmp", scene->bytes, size, 0, &error);
	if (!folder_make())
		exit(1);
	scene->paths[0] = put_text("app.sym", text_or_empty(symbols));
	scene->symbols = symbols_create(scene->crash.modules, scene->crash.module_count, scene->paths, symbols != NULL ? 1 : 0);
	if (file != NULL) {
		shown->binaries = binaries_create(&scene->crash, NULL, 0);
		binaries_add_named(shown->binaries, place_base_name(file), file);
		binaries_load(shown->binaries, 0, LOCATE_IMAGE);
	}
	scene->walk = walk_create(&scene->crash, scene->symbols, shown->binaries, 0, &policy);
	walk_run(scene->walk, 0);
	arena_init(&scene->arena, 0);
	row_init(&scene->row, &scene->arena);
	surroundings_init(&shown->around, &scene->crash, scene->symbols, shown->binaries, &policy, NULL);
	shown->around.loads = true;
}

static const uint64_t crash_registers[10] = { 0x401015, 0x12f000, 0x12f008 };

static void
open_shown(struct shown *shown, bool with_code, bool with_symbols)
{
	open_dump(shown, describe(with_code ? code : NULL, sizeof(code), 0x3000, crash_registers),
		  with_symbols ? scene_symbols : NULL, NULL);
}

/* Other code at 401000, which is a function of so many bytes; 0: without symbols. */
static void
open_made(struct shown *shown, const void *bytes, size_t size, unsigned function)
{
	char symbols[160];
	struct synth *synth = describe(bytes, size, 0x40000, (const uint64_t[10]){ 0x401000, 0x12f000, 0x12f008 });

	snprintf(symbols, sizeof(symbols), "MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 app.pdb\n"
					   "FUNC 1000 %x 0 long\n", function);
	if (scene_more != NULL)
		scene_more(synth);
	open_dump(shown, synth, function != 0 ? symbols : NULL, NULL);
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
	binaries_free(shown->binaries);
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
	{ "       app.c:18", 9, 0 }, { "       unwind CFA ebp+8  ra c-4  ebp c-8  STACK CFI", 16, 0 },
	{ "       00401000 +0x0   55              push   ebp", 0, 0 }, { "       00401001 +0x1   89 e5           mov    ebp, esp", 0, 0 },
	{ "       00401003 +0x3   8b 45 08        mov    eax, dword ptr [ebp + 8]", 0, 0 },
	/* je 401008 -> 40100f spans fewer rows than jmp 40100f -> 401006: it is the inner arrow. */
	{ "   /-> 00401006 +0x6   85 c0           test   eax, eax", 0, 0 },
	{ "   |/- 00401008 +0x8   74 05           je     0x40100f <+0xf>", 0, 0x40100f },
	{ "   ||  0040100a +0xa   e8 f1 00 00 00  call   0x401100 <main>", 0, 0x401100 },
	{ "   \\\\> 0040100f +0xf   eb f5           jmp    0x401006 <+0x6>", 0, 0x401006 },
	{ "       inlined middle called at app.c:20", 7, 0 }, { "       inner.h:3", 10, 0 },
	{ "       00401011 +0x11  90              nop   ", 0, 0 }, { "       00401012 +0x12  31 c0           xor    eax, eax", 0, 0 },
	{ "       inlined leaf called at inner.h:7", 8, 0 }, { "       inner.h:3", 10, 0 },
	{ "       00401014 +0x14  90              nop   ", 0, 0 },
	{ "=>     00401015 +0x15  8b 48 0c        mov    ecx, dword ptr [eax + 0xc]", 0, 0 },
	/* eax is 0 in the context of synth. */
	{ "           reads eax 0x0", 0, 0 }, { "           reads 4 bytes at eax + 0xc = 0xc: not in the dump", 0, 0 },
	{ "           eax: the nearest write above is at 0x401012, xor eax, eax", 0, 0 },
	{ "       00401018 +0x18  c3              ret   ", 0, 0 }, { "       00401019 +0x19  06              push   es", 0, 0 },
	{ "       0040101a +0x1a  a1 10 00 50 00  mov    eax, dword ptr [0x500010]  \"abcd\"", 0, 0x500010 },
	{ "       inlined middle called at app.c:20", 7, 0 }, { "       inner.h:3", 10, 0 },
	{ "       0040101f +0x1f  a1 00 00 50 00  mov    eax, dword ptr [0x500000]", 0, 0x500000 },
	{ "       the function itself", 0, 0 }, { "       app.c:22", 11, 0 },
	{ "       00401024 +0x24  a1 20 00 50 00  mov    eax, dword ptr [0x500020]  \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"...", 0, 0x500020 },
	{ "       00401029 +0x29  a1 08 00 50 00  mov    eax, dword ptr [0x500008]", 0, 0x500008 },
	{ "       0040102e +0x2e  .byte  0x0f   not decoded", 0, 0 }, { "       0040102f +0x2f  04 0f           add    al, 0xf", 0, 0 },
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
		if (strlen(rows[i].text) <= 100)
			is_str(scene_row(&shown.scene, &shown.listing, i, 100), rows[i].text, "row %zu of 100 columns", i);
		/* An instruction is explained with its address and its bytes, which are in these columns. */
		if (strlen(rows[i].text) > 22 && strncmp(rows[i].text + 16, "+0x", 3) == 0)
			ok(strncmp(scene_explain(&shown.scene, &shown.listing, i), rows[i].text + 7, 8) == 0 &&
			   (rows[i].text[22] == '.' ||
			    strncmp(row_text(&shown.scene.row) + 10, rows[i].text + 22, strcspn(rows[i].text + 22, " ")) == 0),
			   "row %zu is explained", i);
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
	is_str(scene_explain(&shown.scene, &shown.listing, 1), "00401000", "a rule is explained with its address");
	is_str(scene_row(&shown.scene, &shown.listing, 2, 99), "       00401000 +0x0   push   ebp",
	       "a view of less than 100 columns has no bytes");
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

static void
has_parts(struct shown *shown, const char *const *parts, size_t count)
{
	struct output_string string;
	struct json json;

	output_string_init(&string, &shown->scene.arena);
	json_begin(&json, &string.output, false);
	FACTS_WRITE(&json, NULL, disassembly, shown->disassembly);
	json_finish(&json);
	for (size_t i = 0; i < count; i++)
		ok(strstr(string.text, parts[i]) != NULL, "the document has %s", parts[i]);
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
	struct shown shown;

	open_shown(&shown, true, true);
	show(&shown, 0, 0);
	has_parts(&shown, parts, ARRAY_COUNT(parts));
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

/* Frame 1 returns to 401110; its code is not in the dump. */
TEST(serves)
{
	struct shown shown;

	open_shown(&shown, true, true);
	const struct disassembly_options options = { .around = &shown.around, .walk = shown.scene.walk, .of_frame = true };
	struct disassembly_options others[] = { options, options, options, options, options, options, options };
	others[0].frame = 1;
	others[1].frame = 99;
	others[2].walk = NULL;
	others[3].of_frame = false;
	others[4].address = 1;
	others[5].around = &(struct surroundings){ 0 };
	others[6].source = &(struct source_options){ 0 };
	shown.disassembly = disassembly_create(&options);
	ok(disassembly_serves(shown.disassembly, &options), "a disassembly serves the same request again");
	is_u64(disassembly_address(shown.disassembly), 0x401015, "its address is that of the frame's instruction");
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		ok(!disassembly_serves(shown.disassembly, &others[i]), "a disassembly does not serve other options: %zu", i);
	shown.scene.walk->frames[0].registers.value[1]++;
	ok(!disassembly_serves(shown.disassembly, &options), "a disassembly does not serve other registers");
	ok(!disassembly_serves(NULL, &options), "a disassembly that was not made serves no request");
	close_shown(&shown);
}

/* The rows from column `column` on that have only blanks before it, joined by "|". */
static const char *
rows_at(struct shown *shown, size_t column)
{
	struct output_string joined;

	output_string_init(&joined, &shown->scene.arena);
	for (size_t i = 0; i < shown->listing.count; i++) {
		const char *row = scene_row(&shown->scene, &shown->listing, i, 0);
		if (strspn(row, " ") == column)
			output_format(&joined.output, "%s%s", joined.length > 0 ? "|" : "", row + column);
	}
	return text_or_empty(joined.text);
}

/* Notes ---------------------------------------------------------------------------------------- */

/* mov ebx, 500000; nop; then an instruction, to which eip points. */
#define BEFORE_NOTES "\xbb\x00\x00\x50\x00\x90"
#define EBX "|ebx: the nearest write above is at 0x401000, mov ebx, 0x500000"

/* ebx is 500000, where the dump has memory; pages of others have states: esi 600000 read-only, edi
 * 610000 only executed, eax 620000 written, not in the dump, ecx 630000 free, edx 700000 unknown. */
static const struct {
	const char *code, *notes;
} noted[] = {
	{ "\x8b\x03", "reads ebx 0x500000|reads 4 bytes at ebx = 0x500000: is in the dump" EBX },
	{ "\x8a\x03", "reads ebx 0x500000|reads 1 byte at ebx = 0x500000: is in the dump" EBX },
	{ "\x89\x03", "reads ebx 0x500000, eax 0x620000|writes 4 bytes at ebx = 0x500000: is in the dump" EBX },
	{ "\x88\x06", "reads esi 0x600000, eax 0x620000|writes 1 byte at esi = 0x600000: is not writable" },
	{ "\x01\x06", "reads esi 0x600000, eax 0x620000|reads and writes 4 bytes at esi = 0x600000: is not writable" },
	{ "\x8b\x06", "reads esi 0x600000|reads 4 bytes at esi = 0x600000: mapped, not in the dump" },
	{ "\x8b\x07", "reads edi 0x610000|reads 4 bytes at edi = 0x610000: is not readable" },
	{ "\x89\x07", "reads edi 0x610000, eax 0x620000|writes 4 bytes at edi = 0x610000: is not writable" },
	{ "\x8b\x40\x10", "reads eax 0x620000|reads 4 bytes at eax + 0x10 = 0x620010: mapped, not in the dump" },
	{ "\x8b\x01", "reads ecx 0x630000|reads 4 bytes at ecx = 0x630000: nothing is mapped there" },
	{ "\x8b\x44\x5a\x04", "reads ebx 0x500000, edx 0x700000|reads 4 bytes at edx + ebx*2 + 0x4 = 0x1100004: nothing is mapped there" EBX },
	{ "\x64\xa1\x18\x01\x01\x01", "reads 4 bytes at a hidden base: the address is not known" },
	{ "\x64\x8b\x03", "reads ebx 0x500000|reads 4 bytes at ebx: the address is not known" EBX },
	{ "\xa4", "reads esi 0x600000, edi 0x610000|writes 1 byte at edi = 0x610000: is not writable|reads 1 byte at esi = 0x600000: mapped, not in the dump" },
	{ "\xff\x33", "reads esp 0x12f000, ebx 0x500000|reads 4 bytes at ebx = 0x500000: is in the dump|writes 4 bytes at esp - 0x4 = 0x12effc: nothing is mapped there" EBX },
	{ "\x0f\xae\x03", "reads ebx 0x500000|writes memory at ebx = 0x500000: is in the dump" EBX },
	{ "\x8d\x43\x08", "reads ebx 0x500000" },
	{ "\x8b\x04\x24", "reads esp 0x12f000|reads 4 bytes at esp = 0x12f000: is in the dump" }, { "\x90", "" },
};

TEST(notes)
{
	static const struct {
		uint64_t base;
		uint32_t state, protection;	/* MEM_COMMIT or MEM_FREE; PAGE_ constants */
	} pages[] = { { 0x500000, 0x1000, 4 }, { 0x600000, 0x1000, 2 }, { 0x610000, 0x1000, 0x10 },
		      { 0x620000, 0x1000, 4 }, { 0x630000, 0x10000, 1 } };
	static const uint64_t registers[] = { 0x401006, 0x12f000, 0x12f008, 0x500000, 0x600000, 0x610000, 0x620000, 0x630000, 0x700000, 0 };
	char bytes[64];
	struct shown shown;

	for (size_t i = 0; i < ARRAY_COUNT(noted); i++) {
		const size_t size = (size_t)snprintf(bytes, sizeof(bytes), "......%s", noted[i].code);
		struct synth *synth = describe(memcpy(bytes, BEFORE_NOTES, 6), size, 0x3000, registers);

		for (size_t j = 0; j < ARRAY_COUNT(pages); j++)
			synth_memory_info(synth, pages[j].base, 0x10000, pages[j].state, pages[j].protection, 0x20000);
		open_dump(&shown, synth, NULL, NULL);
		show(&shown, 0, 0);
		is_str(rows_at(&shown, 7), noted[i].notes, "notes of instruction %zu", i);
		close_shown(&shown);
	}
}

TEST(comments)
{
	static const struct {
		uint8_t code[8];
		const char *row;
	} commented[] = {
		{ { 0xff, 0x15, 0x44, 0, 0x50 }, "ff 15 44 00 50 00  call   dword ptr [0x500044]  to main + 0x10" },
		{ { 0x8d, 0x05, 0x10, 0, 0x50 }, "8d 05 10 00 50 00  lea    eax, [0x500010]" },
		{ { 0x64, 0xa1, 0x10, 0, 0x50 }, "64 a1 10 00 50 00  mov    eax, dword ptr fs:[0x500010]" },
		{ { 0x8b, 0x04, 0x8d, 0x10, 0, 0x50 }, "8b 04 8d 10 00 50 00  mov    eax, dword ptr [ecx*4 + 0x500010]" },
		{ { 0xe8, 0xfb, 0xfe }, "e8 fb fe 00 00  call   0x410f00" },
		{ { 0xe8, 0x0b, 0x01 }, "e8 0b 01 00 00  call   0x401110 <main + 0x10>" },
		{ { 0xa1, 0x44, 0, 0x50 }, "a1 44 00 50 00  mov    eax, dword ptr [0x500044]" },
	};
	struct shown shown;

	for (size_t i = 0; i < ARRAY_COUNT(commented); i++) {
		open_dump(&shown, describe(commented[i].code, 8, 0x3000, crash_registers), scene_symbols, NULL);
		show(&shown, 0, 0x401000);
		is_str(row_with(&shown, " +0x0 ") + 19, commented[i].row, "comment %zu", i);
		close_shown(&shown);
	}
}

/* Code of modules is shown although the crash is redacted, memory is not. */
TEST(redacted)
{
	struct shown shown;

	open_shown(&shown, true, true);
	crash_redact(&shown.scene.crash, true);
	show(&shown, 0, 0);
	is_str(row_with(&shown, "0040101a "), "       0040101a +0x1a  a1 10 00 50 00  mov    eax, dword ptr [0x500010]",
	       "an instruction has no comment with memory");
	is_str(row_with(&shown, "0040102e "), "       0040102e +0x2e  " CRASH_REDACTED, "bytes of memory are hidden");
	show(&shown, 0, 0x500000);
	is_str(scene_row(&shown.scene, &shown.listing, 0, 0),
	       "process memory is omitted (--redact), and no module is here", "memory has a row that reports it");
	close_shown(&shown);
}

/* Thumb code: push {r7, lr}; mov r7, sp; ldr r0, [r1]; bl 401000; nop; four bytes that are not decoded; b 40101e. */
TEST(thumb)
{
	static const uint8_t bytes[] = { 0x80, 0xb5, 0x6f, 0x46, 0x08, 0x68, 0xff, 0xf7, 0xfb, 0xff, 0x00, 0xbf, 0xff, 0xff, 0xff, 0xff, 0xf2, 0xe7 };
	static const char *const thumb_rows[] = {
		"00401000 80 b5        push   {r7, lr}", "00401002 6f 46        mov    r7, sp", "00401004 08 68        ldr    r0, [r1]",
	};
	/* The mode of a user's program is 10 and, in Thumb state, 30. */
	static const struct {
		uint32_t cpsr;
		uint64_t address;	/* 0: that of the frame */
		bool thumb;
		size_t count;
		const char *current;
	} states[] = {
		{ 0x30, 0, true, 10, "=> 00401004 08 68        ldr    r0, [r1]" },
		{ 0x30, 0x401002, true, 8, "   00401002 6f 46        mov    r7, sp" },
		{ 0x10, 0x401003, true, 8, "   00401002 6f 46        mov    r7, sp" },
		{ 0x10, 0, false, 6, "=> 00401004 .byte  0x08 0x68 0xff 0xf7   not decoded" },
		{ 0x10, 0x401000, false, 6, "   00401000 80 b5 6f 46  strbtmi fp, [pc], -r0, lsl #11 <app + 0x1008>" },
		{ 0, 0x401000, false, 6, "   00401000 80 b5 6f 46  strbtmi fp, [pc], -r0, lsl #11 <app + 0x1008>" },
	};
	const uint64_t registers[17] = { [1] = 0x500000, [13] = 0x12f000, [15] = 0x401004, [16] = 0x10 };
	struct synth *synth = synth_create(ARCH_ARM, CRASH_OS_LINUX, false);
	struct shown shown;

	synth_module(synth, 0x400000, 0x3000, "/app", NULL, NULL);
	synth_thread(synth, 1, registers, 0x12f000, "stack", 5);
	synth_memory(synth, 0x401000, bytes, sizeof(bytes), false);
	open_dump(&shown, synth, NULL, NULL);
	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		shown.scene.walk->frames[0].registers.value[16] = states[i].cpsr;
		show(&shown, 0, states[i].address);
		for (size_t j = 0; j < ARRAY_COUNT(thumb_rows) && states[i].thumb; j++)
			is_str(scene_row(&shown.scene, &shown.listing, j, 0) + 3, thumb_rows[j], "row %zu of thumb code: %zu", j, i);
		is_u64(shown.listing.count, states[i].count, "the number of rows: %zu", i);
		is_str(scene_row(&shown.scene, &shown.listing, shown.listing.current, 0), states[i].current, "the current row: %zu", i);
	}
	close_shown(&shown);
}

/* On mips the pc of a caller is that of its call, here of the second one, which returns after its delay slot. */
TEST(mips_call)
{
	static const uint32_t words[] = { 0x0c100410, 0, 0x0c100410, 0 };
	const uint64_t registers[ARCH_REGISTERS] = { [29] = 0x12f000, [31] = 0x401010, [32] = 0x401040 };
	struct synth *synth = synth_create(ARCH_MIPS, CRASH_OS_LINUX, true);
	struct shown shown;
	bool found = false;

	synth_module(synth, 0x400000, 0x3000, "/app", "app", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_thread(synth, 1, registers, 0x12f000, "stack", 5);
	synth_memory(synth, 0x401000, synth_words32(synth, words, ARRAY_COUNT(words)), sizeof(words), false);
	synth_style(synth)->elf_ids = false;
	open_dump(&shown, synth, "MODULE Linux mips 5A9832E5287241C1838ED98914E9B7FF1 app\nFUNC 1000 40 0 caller\nFUNC 1040 20 0 callee\n"
		  "STACK CFI INIT 1040 20 .cfa: $sp 8 + .ra: $ra\n", NULL);
	show(&shown, 1, 0);
	is_u64(disassembly_address(shown.disassembly), 0x401008, "the call of frame 1 is the second one");
	for (size_t row = 0; row < shown.listing.count; row++)
		found |= strstr(scene_row(&shown.scene, &shown.listing, row, 0), "this call made frame 0; it returns to 00401010") != NULL;
	ok(found, "the note about the call has its return address");
	close_shown(&shown);
}

/* Arrows --------------------------------------------------------------------------------------- */

TEST(arrows)
{
	/* Six jumps to six nops, the first to the last; there are five lanes. Two arrows that cross, and two that
	 * share a row. A call within the function and a jump to a register have none. */
	static const uint8_t nested[] = { 0xeb, 15, 0xeb, 12, 0xeb, 9, 0xeb, 6, 0xeb, 3, 0xeb, 0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
					  0xeb, 2, 0xeb, 1, 0x90, 0x90,
					  0xeb, 1, 0x90, 0xeb, 1, 0x90, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0xff, 0xe0 };
	static const char *const drawn[] = {
		"      ", "/-----", "|/----", "||/---", "|||/--", "||||/-", "||||\\>", "|||\\->", "||\\-->", "|\\--->", "\\---->", "      ",
		"    /-", "   /+-", "   |\\>", "   \\->", "    /-", "    | ", "   /\\>", "   |  ", "   \\->", "      ",
	};
	struct shown shown;

	open_made(&shown, nested, sizeof(nested), sizeof(nested));
	show(&shown, 0, 0);
	is_u64(shown.listing.count, ARRAY_COUNT(drawn), "each instruction has a row");
	for (size_t i = 0; i < ARRAY_COUNT(drawn); i++) {
		const char *row = scene_row(&shown.scene, &shown.listing, i, 0);
		ok(strncmp(row + 3, drawn[i], 6) == 0, "the arrows of row %zu are '%s', not '%.9s'", i, drawn[i], row);
	}
	close_shown(&shown);
}

/* A jump over nops to the ret after them: at most 256 rows have an arrow. */
TEST(long_arrows)
{
	for (unsigned nops = 255; nops <= 256; nops++) {
		uint8_t bytes[5 + 256 + 1] = { 0xe9, (uint8_t)nops, (uint8_t)(nops >> 8), 0, 0 };
		struct shown shown;

		memset(bytes + 5, 0x90, 256);
		bytes[5 + nops] = 0xc3;
		open_made(&shown, bytes, nops + 6, nops + 6);
		show(&shown, 0, 0x401000);
		is_str(scene_row(&shown.scene, &shown.listing, nops + 1, 0), nops == 255
		       ? "   \\> 00401104 +0x104  c3              ret   " : "   00401105 +0x105  c3              ret   ",
		       "an arrow spans at most 256 rows: %u", nops);
		close_shown(&shown);
	}
}

/* Bounds --------------------------------------------------------------------------------------- */

static uint8_t nops[0x200];

static void
add_islands(struct synth *synth)
{
	synth_memory(synth, 0x410f00, nops, sizeof(nops), false);
	synth_memory(synth, 0x41ff00, nops, sizeof(nops), false);
	synth_memory(synth, 0x430f00, nops, 0x100, false);
}

/* A function of at most 0x20000 bytes is whole; else 0x10000 are shown before and after, of other code 96 and 256. */
TEST(bounds)
{
	static const struct {
		unsigned function;
		uint64_t address;
		const char *head;
	} heads[] = {
		{ 0x20000, 0x401000, " long   00401000-00420fff" }, { 0x20001, 0x401000, " long   00401000-00410fff" },
		{ 0x20001, 0x411000, " long   00401000-00420fff" }, { 0x20001, 0x411001, " long   00410fa1-00421000" },
		{ 0x30000, 0x411001, " long   00410fa1-00421000" }, { 0x30000, 0x430fff, " long   00430f9f-00430fff" },
		{ 0, 0x401000, " app.exe   00401000-004010ff" }, { 0, 0x401060, " app.exe   00401000-0040115f" },
		{ 0, 0x401061, " app.exe   00401001-00401160" }, { 0, 0x420000, " app.exe   0041ffa0-004200ff" },
		{ 0, 0x500000, " in no module   00500000-005000ff" },
	};
	struct shown shown;

	memset(nops, 0x90, sizeof(nops));
	scene_more = add_islands;
	for (size_t i = 0; i < ARRAY_COUNT(heads); i++) {
		open_made(&shown, nops, sizeof(nops), heads[i].function);
		show(&shown, 0, heads[i].address);
		row_clear(&shown.scene.row);
		listing_head(&shown.listing, 0, &shown.scene.row);
		is_str(row_text(&shown.scene.row), arena_format(&shown.scene.arena, "%s   from the dump", heads[i].head),
		       "the bounds of case %zu", i);
		is_u64(scene_row(&shown.scene, &shown.listing, 0, 0)[11 + (i < 1 ? 1 : 0)] == '+', i < 1,
		       "offsets in a function are shown if it is whole: %zu", i);
		close_shown(&shown);
	}
	scene_more = NULL;
}

/* Instructions that compilers emit for x86. */
static const char *const emitted[] = {
	"\x55", "\x89\xe5", "\x83\xec\x18", "\x8b\x45\x08", "\x8b\x55\x0c", "\x01\xd0", "\x89\x45\xf4",
	"\xc7\x45\xf0\x01\x02\x03\x04", "\xe8\x10\x01\x01\x01", "\x83\xc4\x10", "\x85\xc0", "\x74\x05",
	"\x0f\xb6\xc0", "\x8d\x44\x24\x04", "\x89\x04\x24", "\x5d", "\x31\xc0", "\x0f\x84\x10\x01\x01\x01",
	"\xff\x75\x08", "\x6a\x01", "\x68\x10\x10\x40\x01", "\xa1\x10\x10\x50\x01", "\x53", "\x5b",
};

/* Decoding backwards finds a boundary 96 bytes before, or at most the length of an instruction more. */
TEST(boundaries)
{
	unsigned random = 1, wrong = 0, far = 0;

	for (unsigned n = 0; n < 100; n++) {
		char bytes[400];
		bool begins[400] = { false };
		size_t size = 0, known = 0;
		struct shown shown;

		while (size < 380) {
			random = random * 1103515245u + 12345u;
			const char *next = emitted[(random >> 16) % ARRAY_COUNT(emitted)];
			begins[size] = true;
			known = size < 200 ? size : known;
			memcpy(bytes + size, next, strlen(next));
			size += strlen(next);
		}
		open_made(&shown, bytes, size, 0);
		show(&shown, 0, 0x401000 + known);
		const size_t first = strtoul(scene_row(&shown.scene, &shown.listing, 0, 0), NULL, 16) - 0x401000;
		wrong += first >= size || !begins[first];
		far += known - first < 96 || known - first >= 96 + 7;
		close_shown(&shown);
	}
	ok(wrong <= 1, "the first row is an instruction's in at least 99 of 100 cases, not in %u", wrong);
	ok(far <= 1, "it is as near as possible in at least 99 of 100 cases, not in %u", far);
}

/* Lines, calls and rules ----------------------------------------------------------------------- */

/* Calls and rules begin and end at instructions, but for a rule that begins in the second byte of that at 1002. */
TEST(changes)
{
	static const uint8_t bytes[] = { 0x90, 0x90, 0x66, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };
	static const char symbols[] = "MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 app.pdb\nFILE 0 a.c\n"
		"INLINE_ORIGIN 0 f\nINLINE_ORIGIN 1 g\nFUNC 1000 10 0 main\nINLINE 0 5 0 0 1002 6\nINLINE 1 6 0 1 1004 2\n"
		"INLINE 0 7 0 1 1008 1\nINLINE 0 8 0 0 100a 2 100d 1\n1000 2 10 0\n1002 6 20 0\n1008 4 10 0\n100c 4 30 0\n"
		"STACK CFI INIT 1000 c .cfa: $esp 4 + .ra: .cfa 4 - ^\nSTACK CFI 1001 .cfa: $esp 8 +\nSTACK CFI 1003 .cfa: $esp 12 +\n";
	struct output_string joined;
	struct shown shown;

	open_dump(&shown, describe(bytes, sizeof(bytes), 0x3000, crash_registers), symbols, NULL);
	show(&shown, 0, 0x401000);
	output_string_init(&joined, &shown.scene.arena);
	for (size_t i = 0; i < shown.listing.count; i++) {
		const char *row = scene_row(&shown.scene, &shown.listing, i, 60) + 3;
		output_format(&joined.output, "%.*s|", (int)(row[0] == '0' ? 8 : strlen(row)), row);
	}
	is_str(joined.text, "a.c:10|unwind CFA esp+4  ra c-4  STACK CFI|00401000|unwind CFA esp+8  STACK CFI|00401001|inlined f called at a.c:5|"
	       "a.c:20|00401002|inlined g called at a.c:6|a.c:20|unwind CFA esp+12  STACK CFI|00401004|00401005|inlined f called at a.c:5|a.c:20|"
	       "00401006|00401007|inlined g called at a.c:7|a.c:10|00401008|the function itself|a.c:10|00401009|inlined f called at a.c:8|a.c:10|"
	       "0040100a|0040100b|the function itself|a.c:30|unwind STACK CFI has no rules from here on|0040100c|inlined f called at a.c:8|a.c:30|"
	       "0040100d|the function itself|a.c:30|0040100e|0040100f|", "lines, calls and rules are where they change");
	close_shown(&shown);
}

/* Calls and files ------------------------------------------------------------------------------ */

/* Frame 1 returns to 401110; the bytes before that address are a call or not. */
TEST(calls)
{
	static const struct {
		const char *code, *note, *marked;
		uint64_t address;
	} calls[] = {
		{ "\xe8\xf0\xfe\xff\xff", "this call made frame 0; it returns to 00401110",
		  "=> 0040110b +0xb   e8 f0 fe ff ff  call   0x401000 <crash>", 0x40110b },
		{ "\xff\xd0", "this call made frame 0; it returns to 00401110", "=> 0040110e +0xe   ff d0  call   eax", 0x40110e },
		{ "\x89\xc8", "not a call, but frame 0 returns after it: the frame may be wrong",
		  "=> 0040110e +0xe   89 c8  mov    eax, ecx", 0x40110f },
	};
	struct shown shown;

	for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
		uint8_t bytes[0x140];
		const size_t size = strlen(calls[i].code);

		memset(bytes, 0x90, sizeof(bytes));
		memcpy(bytes, code, sizeof(code));
		memcpy(bytes + 0x110 - size, calls[i].code, size);
		open_dump(&shown, describe(bytes, sizeof(bytes), 0x3000, crash_registers), scene_symbols, NULL);
		show(&shown, 1, 0);
		is_u64(disassembly_address(shown.disassembly), calls[i].address, "the address of call %zu", i);
		is_str(rows_at(&shown, 7), calls[i].note, "the note about call %zu", i);
		is_str(scene_row(&shown.scene, &shown.listing, shown.listing.current, 0), calls[i].marked,
		       "the row before the return address is marked: %zu", i);
		close_shown(&shown);
	}
}

/* The code of label_length in data/crashes/sframe-amd64/binaries/parcel (objdump -d), at 1129: 17 bytes of it are in
 * the dump, and one of these differs: mov rax, rdx became mov rax, rbx. */
TEST(patched)
{
	static const uint8_t bytes[] = { 0x48, 0x8b, 0x17, 0x80, 0x3a, 0x00, 0x74, 0x0f, 0x48, 0x89, 0xd8, 0x48,
					 0x83, 0xc0, 0x01, 0x80, 0x38 };
	static const char *const expected[] = {
		"       555555555129 +0x0   48 8b 17     mov    rdx, qword ptr [rdi]",
		"       55555555512c +0x3   80 3a 00     cmp    byte ptr [rdx], 0",
		"   /-- 55555555512f +0x6   74 0f        je     0x555555555140 <+0x17>",
		"   |   555555555131 +0x8   48 89 d8     mov    rax, rbx", " ! |   other bytes in parcel: 48 89 d0  mov rax, rdx",
		"   |/> 555555555134 +0xb   48 83 c0 01  add    rax, 1", "   ||  555555555138 +0xf   80 38 00     cmp    byte ptr [rax], 0",
		"   |\\- 55555555513b +0x12  75 f7        jne    0x555555555134 <+0xb>",
		"   |/> 55555555513d +0x14  29 d0        sub    eax, edx", "   ||  55555555513f +0x16  c3           ret   ",
		"   \\+> 555555555140 +0x17  48 89 d0     mov    rax, rdx",
		"    \\- 555555555143 +0x1a  eb f8        jmp    0x55555555513d <+0x14>",
	};
	const char *top = getenv("srcdir");
	char file[512];
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	static const char *const parts[] = {
		"{\"row\":\"instruction\",\"address\":\"0x0000555555555131\",\"bytes\":\"4889d8\",\"from\":\"dump\",\"text\":\"mov rax, rbx\"",
		"{\"row\":\"patched\",\"address\":\"0x0000555555555131\",\"bytes\":\"4889d0\",\"from\":\"", "parcel\",\"text\":\"ret\"",
	};
	const uint64_t registers[17] = { 0 };
	struct shown shown;

	snprintf(file, sizeof(file), "%s/data/crashes/sframe-amd64/binaries/parcel", top != NULL ? top : ".");
	synth_module(synth, 0x555555554000, 0x5000, "/parcel", NULL, NULL);
	synth_thread(synth, 1, registers, 0x7000, "stack", 5);
	synth_memory(synth, 0x555555555129, bytes, sizeof(bytes), false);
	open_dump(&shown, synth, NULL, file);
	show(&shown, 0, 0x555555555131);
	is_u64(shown.listing.count, ARRAY_COUNT(expected), "the function has 12 rows");
	for (size_t i = 0; i < shown.listing.count; i++)
		is_str(scene_row(&shown.scene, &shown.listing, i, 0), expected[i], "row %zu of code in the dump and a file", i);
	row_clear(&shown.scene.row);
	listing_head(&shown.listing, 0, &shown.scene.row);
	is_str(row_text(&shown.scene.row), " label_length   555555555129-555555555144   from the dump and parcel", "the head names both");
	has_parts(&shown, parts, ARRAY_COUNT(parts));
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
