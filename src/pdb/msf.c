/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/msf.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/reader.h"

/* The header (struct MSF_HB of msf.cpp): 32 bytes of magic, then words. */
#define MAGIC "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0"
#define MAGIC_SIZE 32u
#define OLD_MAGIC "Microsoft C/C++ program database 2.00\r\n\x1aJG"
#define AT_BLOCK_SIZE 32u
#define AT_BLOCK_COUNT 40u
#define AT_DIRECTORY_SIZE 44u
#define AT_DIRECTORY_MAP 52u
#define LEAST_BLOCK 512u
#define MOST_BLOCK 32768u
/* Size of a stream that was deleted. */
#define NO_STREAM 0xffffffffu
/* A file that was cut to less than 1/16 of its size is not read. */
#define LEAST_PART 16u

static struct reader
whole(const struct msf *msf)
{
	return (struct reader){ .input = &msf->file->input, .data = msf->file->data,
				.size = msf->file->size };
}

static enum error_code
fail(const struct msf *msf, uint64_t offset, const char *what, struct error *error)
{
	return error_set(error, ERROR_FORMAT,
			 (struct place){ .input = &msf->file->input, .offset = offset },
			 "the PDB's %s cannot be read (file offset %" PRIu64 ")", what, offset);
}

/* Refuse a file that looks like a PDB of another version. */
static enum error_code
refuse(const struct file *file, struct error *error)
{
	const struct place place = { .input = &file->input };

	if (file->size >= sizeof(OLD_MAGIC) - 1 &&
	    memcmp(file->data, OLD_MAGIC, sizeof(OLD_MAGIC) - 1) == 0)
		return error_set(error, ERROR_FORMAT, place,
				 "a PDB of version 2.0, from before 2002: not supported");
	if (file->size >= 4 && memcmp(file->data, "BSJB", 4) == 0)
		return error_set(error, ERROR_FORMAT, place,
				 "a portable PDB: it describes managed code only, not supported");
	return ERROR_NOT_FOUND;
}

static uint64_t
blocks_of(const struct msf *msf, uint64_t size)
{
	return (size + msf->block_size - 1) / msf->block_size;
}

static uint32_t
block_at(const uint8_t *blocks, uint64_t index)
{
	return (uint32_t)reader_number(blocks + 4 * index, 4, false);
}

/* Copy `size` bytes at `offset` of data whose blocks are listed from index `first` on. */
static bool
copy(const struct msf *msf, const uint8_t *blocks, uint64_t first, uint64_t offset, uint8_t *to,
     uint64_t size)
{
	while (size > 0) {
		const uint64_t skip = offset % msf->block_size;
		const uint64_t from = skip + (uint64_t)msf->block_size *
			block_at(blocks, first + offset / msf->block_size);
		const uint64_t left = msf->block_size - skip, part = left < size ? left : size;

		if (!checked_within(from, part, msf->file->size))
			return false;
		memcpy(to, msf->file->data + from, (size_t)part);
		to += part;
		offset += part;
		size -= part;
	}
	return true;
}

/* Read each stream's size, and the index of its first block in the list of all blocks. */
static enum error_code
read_streams(struct msf *msf, const uint8_t *directory, uint64_t size, struct arena *arena,
	     struct error *error)
{
	const uint32_t count = block_at(directory, 0);
	uint64_t blocks = 0;

	if (count > (size - 4) / 4)
		return fail(msf, AT_DIRECTORY_SIZE, "list of streams", error);
	msf->streams = arena_array(arena, (size_t)count + 1, sizeof(*msf->streams));
	if (msf->streams == NULL)
		return error_memory(error);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t bytes = block_at(directory, 1 + (uint64_t)i);

		msf->streams[i] = (struct msf_stream){ .size = bytes == NO_STREAM ? 0 : bytes,
						       .first = blocks };
		blocks += blocks_of(msf, msf->streams[i].size);
	}
	msf->stream_count = count;
	msf->blocks = directory + 4 + 4 * (uint64_t)count;
	/* No block belongs to two streams, so the file's size bounds the cost of all streams. */
	if (blocks > (size - 4) / 4 - count || blocks > msf->block_count)
		return fail(msf, AT_DIRECTORY_SIZE, "directory, which has too few blocks for its "
			    "streams,", error);
	return ERROR_NONE;
}

enum error_code
msf_open(struct msf *msf, const struct file *file, struct arena *arena, struct error *error)
{
	uint32_t size;

	*msf = (struct msf){ .file = file };
	if (file->size < MAGIC_SIZE || memcmp(file->data, MAGIC, MAGIC_SIZE) != 0)
		return refuse(file, error);
	const struct reader reader = whole(msf);
	if (!reader_u32(&reader, AT_BLOCK_SIZE, &msf->block_size) ||
	    !reader_u32(&reader, AT_BLOCK_COUNT, &msf->block_count) ||
	    !reader_u32(&reader, AT_DIRECTORY_SIZE, &size) || msf->block_size < LEAST_BLOCK ||
	    msf->block_size > MOST_BLOCK || (msf->block_size & (msf->block_size - 1)) != 0 ||
	    msf->block_count / LEAST_PART > blocks_of(msf, file->size))
		return fail(msf, AT_BLOCK_SIZE, "header", error);
	/* The numbers of the directory's blocks are stored in blocks, too. */
	const uint64_t count = blocks_of(msf, size), maps = blocks_of(msf, 4 * count);
	if (size < 4 || size > file->size || 4 * maps > msf->block_size - AT_DIRECTORY_MAP ||
	    !checked_within(AT_DIRECTORY_MAP, 4 * maps, file->size))
		return fail(msf, AT_DIRECTORY_SIZE, "directory", error);
	uint8_t *list = arena_alloc(arena, (size_t)(4 * count));
	uint8_t *directory = arena_alloc(arena, size);
	if (list == NULL || directory == NULL)
		return error_memory(error);
	if (!copy(msf, file->data + AT_DIRECTORY_MAP, 0, 0, list, 4 * count) ||
	    !copy(msf, list, 0, 0, directory, size))
		return fail(msf, AT_DIRECTORY_MAP,
			    msf->block_count > blocks_of(msf, file->size)
				    ? "directory, which is in the part that is cut off,"
				    : "directory",
			    error);
	return read_streams(msf, directory, size, arena, error);
}

uint64_t
msf_size(const struct msf *msf, uint32_t stream)
{
	return stream < msf->stream_count ? msf->streams[stream].size : 0;
}

bool
msf_read(const struct msf *msf, uint32_t stream, uint64_t offset, void *to, size_t size)
{
	return checked_within(offset, size, msf_size(msf, stream)) &&
	       copy(msf, msf->blocks, size > 0 ? msf->streams[stream].first : 0, offset, to, size);
}

bool
msf_u32(const struct msf *msf, uint32_t stream, uint64_t offset, uint32_t *value)
{
	uint8_t bytes[4];

	if (!msf_read(msf, stream, offset, bytes, sizeof(bytes)))
		return false;
	*value = (uint32_t)reader_number(bytes, 4, false);
	return true;
}

bool
msf_bytes(const struct msf *msf, uint32_t stream, uint64_t offset, uint64_t size,
	  struct arena *arena, struct reader *bytes)
{
	*bytes = (struct reader){ .input = &msf->file->input, .data = msf->file->data };
	if (!checked_within(offset, size, msf_size(msf, stream)))
		return false;
	if (size == 0)
		return true;
	const uint64_t from = msf->streams[stream].first + offset / msf->block_size;
	const uint64_t upto = msf->streams[stream].first + (offset + size - 1) / msf->block_size;
	const uint32_t first = block_at(msf->blocks, from);
	bool together = true;

	for (uint64_t i = from; together && i < upto; i++)
		together = block_at(msf->blocks, i + 1) == block_at(msf->blocks, i) + 1;
	if (together) {
		const struct reader file = whole(msf);

		return reader_window(&file, (uint64_t)first * msf->block_size +
				     offset % msf->block_size, size, bytes);
	}
	uint8_t *to = size > LIMIT_PDB_STREAM ? NULL : arena_alloc(arena, (size_t)size);
	if (to == NULL || !msf_read(msf, stream, offset, to, (size_t)size))
		return false;
	bytes->data = to;
	bytes->size = size;
	return true;
}

struct place
msf_place(const struct msf *msf, uint32_t stream, uint64_t offset, uint32_t length)
{
	if (offset >= msf_size(msf, stream))
		return (struct place){ .input = &msf->file->input };
	const uint32_t block = block_at(msf->blocks, msf->streams[stream].first +
							     offset / msf->block_size);
	const uint64_t skip = offset % msf->block_size, left = msf->block_size - skip;
	const uint64_t at = (uint64_t)block * msf->block_size + skip;

	if (at >= msf->file->size)
		return (struct place){ .input = &msf->file->input, .offset = msf->file->size };
	return (struct place){ .input = &msf->file->input,
			       .offset = at,
			       .length = length < left ? length : (uint32_t)left };
}
