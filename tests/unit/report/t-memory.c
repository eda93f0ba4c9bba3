/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/identify.h"
#include "report/memory/memory_bytes.h"
#include "report/memory/telescope.h"

#include <inttypes.h>

#include "tests/unit/binary/image.h"
#include "tests/unit/report/scene.h"

static struct memory_view view;

static void
add_part(struct synth *synth)
{
	synth_memory(synth, 0x400ffc, "dumpe", 5, false);
	synth_memory(synth, 0x4010f0, "bytes of a dump", 16, false);
}

static struct telescope_state state;

static struct telescope_options
options_of(struct scene *scene)
{
	return (struct telescope_options){ .crash = &scene->crash, .memory = &view, .walk = scene->walk, .state = &state, .base = 16 };
}

static void
test_views(struct scene *scene)
{
	struct telescope_options options = options_of(scene);

	options.walk = NULL;
	struct listing memory = telescope_memory(&options, 0x13f001, &scene->arena);
	is_u64(telescope_address(&memory, 0), 0x13f001, "rows begin where the address says, aligned or not");
	is_u64(memory.count, 23, "the memory has whole words only");
	is_str(scene_row(scene, &memory, 1, 58), " 0013f005  18004011                ", "no frame owns a word without a walk");
	options = options_of(scene);
	memory = telescope_memory(&options, 0x500, &scene->arena);
	is_str(scene_row(scene, &memory, 0, 0), "the dump has no memory at 00000500 or near to it; "
	       "':memory-map' lists what the process had", "memory that is absent says so");
	is_u64(telescope_row(&memory, 0x500), 0, "absent memory has one row");
	memory = telescope_memory(&options, 0x12f000 - 8, &scene->arena);
	is_str(scene_row(scene, &memory, 0, 0), "the dump has no memory at 0012eff8; the nearest begins "
	       "8 bytes above, at 0012f000; ':memory-map' lists what the process had", "memory above it is named");
	const struct memory_run *run = memory_run_of(options.memory, 0x12f000);
	const uint64_t last = run->base + run->size - 1;
	memory = telescope_memory(&options, last + 1, &scene->arena);
	is_str(scene_row(scene, &memory, 0, 0), arena_format(&scene->arena,
			    "the dump has no memory at %08" PRIx64 "; the nearest ends 1 byte below, at %08" PRIx64
			    "; ':memory-map' lists what the process had", last + 1, last), "memory below it, too");
}

/* The section that contains an address, as the view of an address says it. */
static const char *
section_of(struct surroundings *around, struct walk *walk, const char *address)
{
	static char text[60];
	const struct expression_scope scope = { walk, 0, 0 };
	struct identification *found = identify_create(around, &scope, text_of(address));

	text[0] = '\0';
	for (size_t i = 0; i < found->lines.count; i++)
		if (strcmp(found->lines.items[i].label, "section") == 0)
			snprintf(text, sizeof(text), "%.*s", (int)found->lines.items[i].text.length, found->lines.items[i].text.start);
	identify_free(found);
	return text;
}

/* The section of the file is 401000 to 40117f; the dump has its first byte, and 4010f0 to 4010ff. */
static void
test_file_bytes(struct scene *scene, struct binaries *binaries)
{
	static const struct {
		uint64_t address;
		size_t before;		/* rows before that of the address */
		const char *row, *why;
	} rows[] = {
		{ 0x400ffb, 0, " 0x2b1f9c bytes are not in the dump; 400ffc-401000 5 bytes app.exe",
		  "0x2b1f9c bytes are not in the dump; 400ffc-401000 5 bytes app.exe   test.dmp+0x1030" },
		{ 0x400ffc, 0, " 400ff0                             706d7564              dump",
		  "400ffc-400fff app.exe   test.dmp+0x1030" },
		{ 0x401000, 0, " 401000  ????????                             e               ",
		  "401000-401000 app.exe   test.dmp+0x1034" },
		{ 0x401004, 1, " 401001-4010ef 239 bytes of the file app.exe app.exe",
		  "401001-4010ef 239 bytes of the file app.exe app.exe   app.exe+0x401" },
		{ 0x401004, 0, " 401000  ???????? 07060504 0b0a0908 0f0e0d0c   ...............",
		  "401001-40100f of the file app.exe app.exe   app.exe+0x401" },
		{ 0x401014, 0, " 401010  13121110 17161514 1b1a1918 1f1e1d1c  ................",
		  "401010-40101f of the file app.exe app.exe   app.exe+0x410" },
		{ 0x4010ef, 0, " 4010e0  e3e2e1e0 e7e6e5e4 ebeae9e8 efeeedec  ................",
		  "4010e0-4010ef of the file app.exe app.exe   app.exe+0x4e0" },
		{ 0x4010f0, 0, " 4010f0  65747962 666f2073 64206120 00706d75  bytes of a dump.",
		  "4010f0-4010ff app.exe   test.dmp+0x1038" },
	};
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct surroundings around;

	surroundings_init(&around, &scene->crash, scene->symbols, binaries, &policy, NULL);
	const struct memory_bytes_options lacking = { &around, 0x401004, 4 }, there = { &around, 0x4010f0, 4 };
	const struct listing bytes = memory_bytes_listing(&lacking, &scene->arena);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const size_t row = memory_bytes_row(&bytes, rows[i].address) - rows[i].before;
		is_str(scene_row(scene, &bytes, row, 0), rows[i].row, "the row of %" PRIx64, rows[i].address);
		is_str(scene_explain(scene, &bytes, row), rows[i].why, "the explanation of %" PRIx64, rows[i].address);
	}
	is_str(section_of(&around, scene->walk, "400fff"), "", "no section contains the headers");
	is_str(section_of(&around, scene->walk, "401000"), ".text + 0x0 of app.exe", "a section has a first byte");
	is_str(section_of(&around, scene->walk, "40117f"), ".text + 0x17f of app.exe", "a section has a last byte");
	is_str(section_of(&around, scene->walk, "401180"), "", "no section contains the byte after it");
	is_u64(bytes.count - memory_bytes_listing(&there, &scene->arena).count, 16, "bytes of the dump need none of the file");
	surroundings_free(&around);
}

/* If the dump lacks bytes, those of a module's file are shown and marked as the file's. */
static void
test_files(struct scene *scene)
{
	const char *folder = root;
	struct telescope_options options = options_of(scene);
	struct image image;

	image_pe(&image, false, 0x14c, 1, 0x3000);
	put_bytes("app.exe", image.bytes, image.size);
	options.binaries = binaries_create(&scene->crash, &folder, 1);
	struct listing memory = telescope_memory(&options, 0x401004, &scene->arena);
	is_u64(telescope_address(&memory, 0), 0x401000, "a section of a file is a run of memory");
	is_str(scene_row(scene, &memory, 1, 58), " 00401004  07060504                ", "a section of a file has its words");
	row_clear(&scene->row);
	listing_head(&memory, 0, &scene->row);
	ok(strstr(row_text(&scene->row), "reading, bytes of the file app.exe") != NULL, "the head says whose bytes these are");
	is_str(scene_explain(scene, &memory, 1), "[00401004] = 07060504   app.exe+0x404 (the file, not the dump)   ",
	       "a word is explained by its place in the file");
	is_u64(listing_target(&memory, 1).kind, TARGET_NONE, "a word of a file leads to no view");
	memory = telescope_memory(&options, 0x12f000, &scene->arena);
	is_str(scene_row(scene, &memory, 0, 58), " 0012f000  64636261   0  esp of 0  \"abcd\"", "memory in the dump comes from the dump");
	test_file_bytes(scene, options.binaries);
	memory = telescope_memory(&options, 0x402000, &scene->arena);
	is_str(scene_row(scene, &memory, 0, 0),
	       "the dump has no memory at 00402000; the nearest ends 3841 bytes below, at 004010ff; "
	       "':memory-map' lists what the process had", "memory that the program could write is not taken from a file");
	binaries_free(options.binaries);
}

int
main(void)
{
	struct scene scene;

	scene_more = add_part;
	scene_open(&scene);
	memory_view_all(&view, &scene.crash, &scene.arena);
	test_views(&scene);
	test_files(&scene);
	telescope_state_free(&state);
	scene_close(&scene);
	return done_testing();
}
