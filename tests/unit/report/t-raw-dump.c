/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_dump.h"

#include "tests/unit/report/scene.h"

static struct place
place_at(const struct scene *scene, uint64_t offset, uint32_t length)
{
	return (struct place){ .input = &scene->crash.file.input, .offset = offset, .length = length };
}

/* The row of the 16 bytes at `offset`, or the row of carets under it. */
static const char *
row_of(struct scene *scene, const struct raw_file *file, uint64_t offset, uint64_t start, uint64_t end, bool carets)
{
	char bytes[64] = "", letters[24] = "", marks[64] = "";
	const bool first = start < end && offset == start / 16 * 16;

	for (uint64_t at = offset; at < offset + 16 && at < file->size; at++) {
		const uint8_t byte = file->data[at];
		snprintf(bytes + strlen(bytes), 4, "%02x ", byte);
		snprintf(letters + strlen(letters), 2, "%c", byte < 0x20 || byte > 0x7e ? '.' : byte);
		if (at >= start && at < end)
			snprintf(marks, sizeof(marks), "%-*s^^", (int)(at - offset) * 3, strdupa(marks));
	}
	return carets ? arena_format(&scene->arena, "         %s", marks)
		      : arena_format(&scene->arena, "%c%06x  %-49s%s", first ? '>' : ' ', (unsigned)offset, bytes, letters);
}

/* All rows of files of 1 to 300 bytes with marks: eight rows have carets under them. */
static void
test_rows(struct scene *scene)
{
	static const struct {
		uint64_t size, start, length;	/* length 0 marks a byte; UINT64_MAX: no mark */
	} marks[] = { { 1, UINT64_MAX, 0 }, { 1, 0, 1 }, { 15, 14, 0 }, { 16, 15, 1 }, { 17, 16, 1 }, { 17, 17, 1 }, { 32, 1, 2 },
		      { 300, 0x1e, 4 }, { 300, 0x10, 16 }, { 300, 0x1f, 2 }, { 300, 3, 128 }, { 300, 0, 128 }, { 300, 1, 128 },
		      { 300, 0, 144 }, { 300, 20, UINT32_MAX }, { 300, 299, 9 } };
	uint8_t data[300];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
		const uint64_t start = marks[i].start, size = marks[i].size, length = marks[i].length;
		const struct raw_file file = { .input = &scene->crash.file.input, .data = data, .size = size, .crash = &scene->crash };
		const bool marked = start < size;
		const uint64_t end = !marked ? 0 : length == 0 ? start + 1 : start + length < size ? start + length : size;
		const struct listing rows = raw_dump_listing(&file, (struct place){
			.input = start == UINT64_MAX ? NULL : file.input, .offset = start, .length = (uint32_t)length }, &scene->arena);
		size_t row = 0, lines = 0;

		for (uint64_t at = 0; at < size; at += 16) {
			const bool carets = marked && at + 16 > start && at < end && lines++ < 8;
			const uint64_t about = marked && at + 16 > start && at < end ? at < start ? start : at : at;

			is_u64(raw_dump_row(&rows, at), row, "case %zu: the row of offset %u", i, (unsigned)at);
			is_u64(raw_dump_row(&rows, at + 15), row, "case %zu: the row of the byte 15 after it", i);
			for (int under = 0; under <= carets; under++) {
				is_str(scene_row(scene, &rows, row, 80), row_of(scene, &file, at, start, end, under),
				       "case %zu: row %zu", i, row);
				ok(strstr(scene_explain(scene, &rows, row++), arena_format(&scene->arena,
					  "offset 0x%x   ", (unsigned)about)) != NULL, "case %zu: the byte of the row", i);
			}
		}
		is_u64(rows.count, row, "case %zu: no row follows", i);
		is_u64(raw_dump_row(&rows, size + 1000), row - 1, "case %zu: an offset past the end has the last row", i);
	}
	struct raw_file file = { .input = &scene->crash.file.input, .data = data, .crash = &scene->crash };
	struct listing rows = raw_dump_listing(&file, (struct place){ 0 }, &scene->arena);
	is_str(scene_row(scene, &rows, 0, 80), "the file is empty", "an empty file has a row that says so");
	file.data = arena_array(&scene->arena, file.size = 0x1000000, 1);
	rows = raw_dump_listing(&file, (struct place){ 0 }, &scene->arena);
	ok(strncmp(scene_row(scene, &rows, 1, 80), " 0000010  00 00", 15) == 0, "offsets have the digits of the size");
}

static void
test_words(struct scene *scene)
{
	const struct raw_file file = raw_file_of_dump(&scene->crash, NULL);
	const struct memory_region *stack = scene->crash.threads[1].stack;
	struct listing dump = raw_dump_listing(&file, place_at(scene, stack->offset + 12, 4), &scene->arena);
	size_t row = raw_dump_row(&dump, stack->offset + 12);

	row_clear(&scene->row);
	listing_head(&dump, 0, &scene->row);
	is_str(row_text(&scene->row), " test.dmp   ThreadList, thread 0xbf4, stack +0xc", "the head says what the marked bytes belong to");
	struct target target = listing_target(&dump, row);
	ok(target.kind == TARGET_MEMORY && target.address == 0x12f00c, "bytes of memory lead to their address");
	ok(strstr(scene_explain(scene, &dump, row), "stack +0xc, 4 bytes") != NULL, "bytes of memory are explained");
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
	test_words(&scene);
	scene_close(&scene);
	return done_testing();
}
