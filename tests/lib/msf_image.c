/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/msf_image.h"
#include "tests/lib/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512u
/* After the header, two free block maps and the block with the directory's block numbers. */
#define FIRST_BLOCK 4u

static void *
allocated(void *memory)
{
	if (memory == NULL) {
		perror("msf_image");
		exit(99);
	}
	return memory;
}

void
msf_image_read(struct msf_image *image, const struct msf *msf)
{
	image->count = msf->stream_count;
	image->streams = allocated(calloc(image->count + 1, sizeof(*image->streams)));
	image->sizes = allocated(calloc(image->count + 1, sizeof(*image->sizes)));
	for (uint32_t i = 0; i < image->count; i++) {
		const size_t size = (size_t)msf_size(msf, i);
		image->sizes[i] = (uint32_t)size;
		image->streams[i] = allocated(malloc(size > 0 ? size : 1));
		if (!msf_read(msf, i, 0, image->streams[i], size))
			image->sizes[i] = 0;
	}
}

void
msf_image_free(struct msf_image *image)
{
	for (uint32_t i = 0; i < image->count; i++)
		free(image->streams[i]);
	free(image->streams);
	free(image->sizes);
}

static uint32_t
blocks_of(uint32_t size)
{
	return (size + BLOCK - 1) / BLOCK;
}

/* The first block of a stream; for the number after the last stream, of the directory. */
static uint32_t
first_block(const struct msf_image *image, uint32_t stream)
{
	uint32_t block = FIRST_BLOCK;

	for (uint32_t i = 0; i < stream && i < image->count; i++)
		block += blocks_of(image->sizes[i]);
	return block;
}

size_t
msf_image_place(const struct msf_image *image, uint32_t stream, uint32_t offset)
{
	return (size_t)first_block(image, stream) * BLOCK + offset;
}

uint8_t *
msf_image_write(const struct msf_image *image, size_t *size)
{
	static const char magic[32] = "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS";
	const uint32_t directory = first_block(image, image->count);
	const uint32_t bytes = 4 + 4 * image->count + 4 * (directory - FIRST_BLOCK);
	const uint32_t blocks = directory + blocks_of(bytes);
	const uint32_t header[] = { BLOCK, 1, blocks, bytes, 0, FIRST_BLOCK - 1 };
	uint8_t *file = allocated(calloc(blocks, BLOCK));
	uint8_t *to = file + (size_t)directory * BLOCK;

	*size = (size_t)blocks * BLOCK;
	memcpy(file, magic, sizeof(magic));
	for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		put_le(file + sizeof(magic) + 4 * i, header[i], 4);
	for (uint32_t i = 0; i < blocks_of(bytes); i++)
		put_le(file + (FIRST_BLOCK - 1) * BLOCK + 4 * (size_t)i, directory + i, 4);
	put_le(to, image->count, 4);
	for (uint32_t i = 0; i < image->count; i++) {
		put_le(to + 4 + 4 * (size_t)i, image->sizes[i], 4);
		memcpy(file + msf_image_place(image, i, 0), image->streams[i], image->sizes[i]);
	}
	for (uint32_t i = FIRST_BLOCK; i < directory; i++)
		put_le(to + 4 + 4 * (size_t)image->count + 4 * (size_t)(i - FIRST_BLOCK), i, 4);
	return file;
}
