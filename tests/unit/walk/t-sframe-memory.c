/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframes.h"
#include "dump/dump.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/section.h"
#include "walk/walk.h"

/* A full dump has the module's image and its SFrame section, which is found through the program
 * headers in memory and used for the walk without any file. */
#define BASE UINT64_C(0x555500000000)
#define STACK UINT64_C(0x7ffe00001000)
#define SECTION_AT 0x400u
#define IMAGE_SIZE 0x600u

static const struct section_function functions[] = {
	{ .start = BASE + 0x1000, .size = 0x40, .rows = { { 0, 8 }, { 4, 32 } }, .row_count = 2 },
	{ .start = BASE + 0x1040, .size = 0x40, .rows = { { 0, 8 }, { 1, 16 } }, .row_count = 2 },
	{ .start = BASE + 0x1080, .size = 0x20, .rows = { { 0, 0 } }, .row_count = 1 },
};

struct image {
	uint8_t bytes[IMAGE_SIZE];
	bool wide;
};

static void
put(struct image *image, unsigned at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		image->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* Write a program header (gABI); the fields of the two classes are at different places. */
static void
put_segment(struct image *image, unsigned index, uint32_t type, uint64_t address, uint64_t size)
{
	const unsigned at = image->wide ? 64 + index * 56 : 52 + index * 32;
	const unsigned word = image->wide ? 8 : 4;

	put(image, at, 4, type);
	put(image, at + (image->wide ? 8 : 4), word, address);
	put(image, at + (image->wide ? 16 : 8), word, address);
	put(image, at + (image->wide ? 32 : 16), word, size);
	put(image, at + (image->wide ? 40 : 20), word, size);
}

/* The beginning of a shared object as the loader maps it, linked at 0. */
static void
make_image(struct image *image, bool wide, const struct section *section)
{
	const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', wide ? 2 : 1, 1, 1 };

	*image = (struct image){ .wide = wide };
	memcpy(image->bytes, ident, sizeof(ident));
	put(image, wide ? 32 : 28, wide ? 8 : 4, wide ? 64 : 52);
	put(image, wide ? 54 : 42, 2, wide ? 56 : 32);
	put(image, wide ? 56 : 44, 2, 2);
	put_segment(image, 0, 1, 0, 0x2000);
	put_segment(image, 1, SFRAME_SEGMENT_TYPE, SECTION_AT, section->size);
	memcpy(image->bytes + SECTION_AT, section->bytes, section->size);
}

struct scene {
	struct crash crash;
	uint8_t *bytes;
	struct binaries *binaries;
};

/* Frame 0 is in the first function, frame 1 in the second, frame 2 in the third. */
static void
open_scene(struct scene *scene, const struct image *image, size_t image_size)
{
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	uint64_t stack[16] = { 0 };
	struct error error = { 0 };
	size_t size;
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	const struct arch *arch = arch_by_id(ARCH_AMD64);

	registers[arch->pc] = BASE + 0x1010;
	registers[arch->sp] = STACK;
	stack[3] = BASE + 0x1050;	/* at CFA - 8 = sp + 24 */
	stack[5] = BASE + 0x1090;	/* the caller's sp is + 32, its CFA + 16 */
	synth_module(synth, BASE, 0x2000, "/bin/app", "app", NULL);
	synth_thread(synth, 1, registers, STACK, synth_words64(synth, stack, ARRAY_COUNT(stack)), sizeof(stack));
	synth_memory(synth, BASE, image->bytes, image_size, true);
	scene->bytes = synth_finish(synth, &size);
	synth_free(synth);
	if (dump_from_memory(&scene->crash, "full.dmp", scene->bytes, size, 0, &error) != ERROR_NONE)
		tap_diag("%s", error.text);
	scene->binaries = binaries_create(&scene->crash, NULL, 0);
}

static void
close_scene(struct scene *scene)
{
	binaries_free(scene->binaries);
	crash_free(&scene->crash);
	free(scene->bytes);
}

static struct walk *
walk_scene(struct scene *scene)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create(&scene->crash, NULL, scene->binaries, 0, &policy);

	walk_run(walk, 0);
	return walk;
}

TEST_BOTH(walk, wide)
{
	struct section section;
	struct image image;
	struct scene scene;

	section_make(&section, 0, BASE + SECTION_AT, functions, ARRAY_COUNT(functions));
	make_image(&image, wide, &section);
	open_scene(&scene, &image, sizeof(image.bytes));
	struct walk *walk = walk_scene(&scene);
	is_u64(walk->count, 3, "the walk by the section in memory (%s) has three frames", wide ? "ELF64" : "ELF32");
	if (walk->count == 3) {
		const int sp = walk->arch->sp;

		ok(walk->frames[1].trust == TRUST_SFRAME && walk->frames[2].trust == TRUST_SFRAME, "two frames were found by SFrame");
		is_u64(walk->frames[1].lookup, BASE + 0x104f, "the caller is looked up at its call");
		is_u64(walk->frames[1].registers.value[sp], STACK + 32, "the caller has its stack pointer");
		is_u64(walk->frames[2].lookup, BASE + 0x108f, "the caller's caller is looked up at its call");
		is_u64(walk->frames[2].registers.value[sp], STACK + 48, "the caller's caller has its stack pointer");
		ok(strstr(walk->end.text, "return address is undefined") != NULL, "the last row says that its function has no caller");
	}
	is_str(sframes_found(scene.binaries, 0), "memory in the dump", "the section's source is reported");
	const struct sframe *sframe = sframes_load(scene.binaries, 0);
	ok(sframe != NULL && sframe->tables[0].reader.input == &scene.crash.file.input, "the bytes of the section are the dump's");
	walk_free(walk);
	close_scene(&scene);
}

/* An incomplete section is not used for the walk, and does no harm. */
TEST(damage)
{
	struct section section;
	struct image image;
	struct scene scene;
	size_t by_sframe = 0;

	section_make(&section, 0, BASE + SECTION_AT, functions, ARRAY_COUNT(functions));
	make_image(&image, true, &section);
	for (size_t size = 16; size < SECTION_AT + section.size; size += 16) {
		open_scene(&scene, &image, size);
		struct walk *walk = walk_scene(&scene);
		by_sframe += walk->count > 1 && walk->frames[1].trust == TRUST_SFRAME;
		walk_free(walk);
		close_scene(&scene);
	}
	is_u64(by_sframe, 0, "a section that the dump cuts off is not walked by");
	put_segment(&image, 1, SFRAME_SEGMENT_TYPE, UINT64_MAX - 8, 64);
	open_scene(&scene, &image, sizeof(image.bytes));
	ok(sframes_load(scene.binaries, 0) == NULL, "a section outside of the module is not read");
	close_scene(&scene);
	put_segment(&image, 1, SFRAME_SEGMENT_TYPE, SECTION_AT, 0x1c00);
	open_scene(&scene, &image, sizeof(image.bytes));
	ok(sframes_load(scene.binaries, 0) != NULL, "a program header that is longer than the section does no harm");
	close_scene(&scene);
	image.bytes[SECTION_AT + 4] = 2;
	open_scene(&scene, &image, sizeof(image.bytes));
	struct binaries *binaries = scene.binaries;
	ok(sframes_load(binaries, 0) == NULL, "a section of another architecture is not read");
	is_u64(message_total(sframes_messages(binaries)), 1, "about which there is a message");
	close_scene(&scene);
}

/* The recorded rows of a function with 40 rows, one for each byte: the 17th is in force. */
TEST(trace)
{
	struct section_function many = { .start = BASE + 0x1000, .size = 0x40, .row_count = 40 };
	size_t chosen = 0, rows = 0, fields = 0, places = 0;
	const char *before = "", *after = "", *text = "", *bytes = "";
	struct section section;
	struct verdict verdict;
	struct image image;
	struct scene scene;
	struct trace trace;
	struct frame caller;

	for (unsigned i = 0; i < many.row_count; i++)
		many.rows[i] = (struct section_row){ i, 8 };
	section_make(&section, 0, BASE + SECTION_AT, &many, 1);
	make_image(&image, true, &section);
	open_scene(&scene, &image, sizeof(image.bytes));
	struct walk *walk = walk_scene(&scene);
	trace_init(&trace);
	unwind_step(walk, 0, &trace, &caller, &verdict);
	for (size_t i = 0; i < trace.count; i++) {
		const struct event *at = &trace.events[i];
		if (at->kind == EVENT_ROW && at->place.input != NULL) {
			rows++;
			places += at->place.input == &scene.crash.file.input && at->place.length == 3;
			chosen += at->status == EVENT_OK;
			text = at->status == EVENT_OK ? at->text : text;
		} else if (at->kind == EVENT_ROW && strstr(at->text, "before") != NULL) {
			before = at->text;
		} else if (at->kind == EVENT_ROW && strstr(at->text, "follow") != NULL) {
			after = at->text;
		} else if (at->kind == EVENT_FIELD) {
			fields++;
			bytes = at->text;
		}
	}
	is_u64(chosen, 1, "one row of the trace is in force");
	is_str(text, "0000555500001010  sp+8      u         f", "the row in force is the one at the address");
	is_u64(rows, 25, "twelve rows on either side of it are listed");
	is_u64(places, rows, "each row has its bytes in the dump");
	is_str(before, "4 more before", "the number of rows before them is shown");
	is_str(after, "11 more follow", "the number of rows after them is shown");
	is_u64(fields, 7 + 3, "descriptor and row have their fields");
	is_str(bytes, "CFA: sp+8", "the last one is the row's data word");
	trace_free(&trace);
	walk_free(walk);
	close_scene(&scene);
}
