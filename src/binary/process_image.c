/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "crash/memory.h"

/*
 * Copies the image of a module from the process's memory. The copy has all bytes at their offsets
 * in the file, so the readers of files can read it.
 */

struct process_image {
	const struct memory_view *memory;
	uint64_t base;
	uint64_t size;			/* bytes of the file up to the end of the last piece */
	uint64_t copied;		/* bytes of all pieces */
	struct binary_piece pieces[BINARY_PIECES];
	size_t count;
};

/* Find the pieces of the image at `base`; false: no image, or part of its code is missing. */
static bool
find_image(struct process_image *image, const struct memory_view *memory, uint64_t base)
{
	const struct reader head = memory_rest(memory, base);
	bool code = false;

	*image = (struct process_image){ .memory = memory, .base = base };
	if (head.data == NULL)
		return false;
	image->count = elf_pieces(&head, image->pieces);
	if (image->count == 0)
		image->count = mach_pieces(&head, image->pieces);
	if (image->count == 0)
		image->count = pe_pieces(&head, image->pieces);
	for (size_t i = 0; i < image->count; i++) {
		struct binary_piece *piece = &image->pieces[i];
		uint64_t known = 0, more = 1, end;

		/* Count the bytes up to the first gap. */
		for (; known < piece->size && more > 0; known += more)
			more = memory_rest(memory, base + piece->address + known).size;
		known = known < piece->size ? known : piece->size;
		if (piece->executable && known < piece->size)
			return false;
		piece->size = known;
		code |= piece->executable && known > 0;
		if (!checked_add(piece->offset, known, &end))
			return false;
		if (known > 0 && end > image->size)
			image->size = end;
		image->copied += known;
	}
	return code;
}

SORTED_BY(compare_pieces, struct binary_piece, offset)

/* Copy the pieces to their places in the file, and list the known bytes. */
static void
copy_pieces(struct process_image *image, uint8_t *bytes, struct binary_memory *known)
{
	SORT(image->pieces, image->count, compare_pieces);
	for (size_t i = 0; i < image->count; i++) {
		const struct binary_piece *piece = &image->pieces[i];
		struct binary_known *last =
			known->count > 0 ? &known->items[known->count - 1] : NULL;
		uint64_t size = 0;

		for (uint64_t at = 0; at < piece->size; at += size) {
			const struct reader rest =
				memory_rest(image->memory, image->base + piece->address + at);

			size = rest.size < piece->size - at ? rest.size : piece->size - at;
			memcpy(bytes + piece->offset + at, rest.data, (size_t)size);
		}
		if (piece->size == 0)
			continue;
		if (last == NULL || piece->offset > last->offset + last->size)
			known->items[known->count++] =
				(struct binary_known){ piece->offset, piece->size };
		else if (piece->offset + piece->size > last->offset + last->size)
			last->size = piece->offset + piece->size - last->offset;
	}
}

enum error_code
binary_from_process(struct binary **binary, const char *name, const struct memory_view *memory,
		    uint64_t base, uint64_t *budget, struct error *error)
{
	struct process_image image;

	*binary = NULL;
	if (!find_image(&image, memory, base))
		return error_plain(error, ERROR_NOT_FOUND,
				   "the dump has no image there with all of its code");
	const uint64_t cost = image.size > image.copied ? image.size : image.copied;
	if (cost > *budget)
		return error_plain(error, ERROR_FORMAT,
				   "the images in the dump are larger than the dump");
	*budget -= cost;
	struct binary_memory *known =
		calloc(1, sizeof(*known) + image.count * sizeof(*known->items));
	uint8_t *bytes = calloc(1, (size_t)image.size);
	char *copied_name = strdup(name);
	if (known == NULL || bytes == NULL || copied_name == NULL) {
		free(known);
		free(bytes);
		free(copied_name);
		return error_memory(error);
	}
	known->base = base;
	copy_pieces(&image, bytes, known);
	struct file file = { .input = { .name = copied_name }, .data = bytes, .size = image.size };
	return binary_finish(binary, &file, known, NULL, error);
}

bool
binary_in_process(const struct memory_view *memory, uint64_t base)
{
	struct process_image image;

	return find_image(&image, memory, base);
}
