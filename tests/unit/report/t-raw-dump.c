/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_dump.h"

#include "tests/unit/report/scene.h"

static struct place
place_at(const struct scene *scene, uint64_t offset, uint32_t length)
{
	return (struct place){ .input = &scene->crash.file.input, .offset = offset,
			       .length = length };
}

static void
test_rows(struct scene *scene)
{
	const struct raw_file file = raw_file_of_dump(&scene->crash, NULL);
	struct listing dump =
		raw_dump_listing(&file, (struct place){ 0 }, &scene->arena);
	uint64_t size = scene->crash.file.size;

	is_u64(dump.count, (size + 15) / 16, "there is a row for each 16 bytes");
	/* Signature, version 0xa793 with the writer's high word, number of streams, directory. */
	ok(strncmp(scene_row(scene, &dump, 0, 0), " 000000  4d 44 4d 50 93 a7 ", 27) == 0,
	   "the first row has the signature");
	ok(strstr(scene_row(scene, &dump, 0, 0), " MDMP") != NULL,
	   "the first row has the signature as characters");
	is_u64(raw_dump_row(&dump, 0x25), 2, "an offset has its row");
	is_u64(raw_dump_row(&dump, size + 1000), dump.count - 1,
	       "an offset past the end has the last row");
}

static void
test_marks(struct scene *scene)
{
	const struct raw_file file = raw_file_of_dump(&scene->crash, NULL);
	struct listing dump =
		raw_dump_listing(&file, place_at(scene, 0x1e, 4), &scene->arena);
	uint64_t size = scene->crash.file.size;

	is_u64(dump.count, (size + 15) / 16 + 2, "each marked row has one more below it");
	is_str(scene_row(scene, &dump, 2, 0),
	       "                                                   ^^ ^^",
	       "carets are under the marked bytes");
	is_str(scene_row(scene, &dump, 4, 0), "         ^^ ^^",
	       "carets go on under the next marked row");
	ok(scene_row(scene, &dump, 1, 0)[0] == '>' && scene_row(scene, &dump, 3, 0)[0] == ' ',
	   "the row of the first marked byte has a mark in front");
	ok(strncmp(scene_row(scene, &dump, 5, 0), " 000030", 7) == 0,
	   "rows continue without a gap after the carets");
	is_u64(raw_dump_row(&dump, 0x1f), 1, "the row of a marked byte is known");
	is_u64(raw_dump_row(&dump, 0x20), 3, "the row of a byte in the next marked row is known");
	is_u64(raw_dump_row(&dump, 0x30), 5, "the row of a byte after the marked ones is known");
	struct listing large = raw_dump_listing(
		&file, place_at(scene, 0, UINT32_MAX), &scene->arena);
	is_u64(large.count, (size + 15) / 16 + 8, "a large range has carets in its first rows");
	struct listing outside = raw_dump_listing(
		&file, place_at(scene, UINT64_MAX, 4), &scene->arena);
	is_u64(outside.count, (size + 15) / 16, "a place outside marks nothing");
}

static void
test_words(struct scene *scene)
{
	const struct raw_file file = raw_file_of_dump(&scene->crash, NULL);
	const struct memory_region *stack = scene->crash.threads[1].stack;
	struct listing dump = raw_dump_listing(
		&file, place_at(scene, stack->offset + 12, 4), &scene->arena);
	size_t row = raw_dump_row(&dump, stack->offset + 12);

	row_clear(&scene->row);
	listing_head(&dump, 0, &scene->row);
	is_str(row_text(&scene->row), " test.dmp   ThreadList, thread 0xbf4, stack +0xc",
	       "the head says what the marked bytes belong to");
	struct target target = listing_target(&dump, row);
	ok(target.kind == TARGET_MEMORY && target.address == 0x12f00c,
	   "bytes of memory lead to their address");
	ok(strstr(scene_explain(scene, &dump, row), "stack +0xc, 4 bytes") != NULL,
	   "bytes of memory are explained");
	ok(listing_target(&dump, 0).kind == TARGET_NONE, "bytes of the header lead nowhere");
	for (size_t i = 0; i < scene->crash.region_count; i++) {
		const struct memory_region *region = &scene->crash.regions[i];
		const struct place last = place_at(scene, region->offset + region->available - 1, 1);

		dump = raw_dump_listing(&file, last, &scene->arena);
		target = listing_target(&dump, raw_dump_row(&dump, last.offset));
		is_u64(target.address, region->base + region->available - 1, "memory %zu leads to itself", i);
	}
}

static void
add_memory(struct synth *synth)
{
	synth_memory(synth, 0x500000, "memory", 6, false);
}

int
main(void)
{
	struct scene scene;

	scene_more = add_memory;
	scene_open(&scene);
	test_rows(&scene);
	test_marks(&scene);
	test_words(&scene);
	scene_close(&scene);
	return done_testing();
}
