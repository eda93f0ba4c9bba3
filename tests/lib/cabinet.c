/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "tests/lib/cabinet.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* Bytes of a block of data before it is compressed. */
#define BLOCK 32768u
#define HEADER 36u
#define FOLDER 8u
#define ENTRY 16u
#define DATA 8u

static void
put(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t
checksum(const uint8_t *bytes, size_t size, uint32_t sum)
{
	uint32_t last = 0;

	for (; size >= 4; size -= 4, bytes += 4)
		sum ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		       (uint32_t)bytes[3] << 24;
	/* The bytes that are left stand the other way round. */
	for (size_t i = 0; i < size; i++)
		last = last << 8 | bytes[i];
	return sum ^ last;
}

static size_t
pack_stored(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	(void)first;
	memcpy(out, bytes, size);
	return size;
}

#ifdef HAVE_ZLIB
static size_t
pack_mszip(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	z_stream stream = { .zalloc = Z_NULL };

	(void)first;
	deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
	memcpy(out, "CK", 2);
	stream.next_in = (Bytef *)(uintptr_t)bytes;
	stream.avail_in = (uInt)size;
	stream.next_out = out + 2;
	stream.avail_out = 2 * BLOCK;
	deflate(&stream, Z_FINISH);
	const size_t used = 2 * BLOCK - stream.avail_out;
	deflateEnd(&stream);
	return used + 2;
}
#else
/* The tests that need it are left out without zlib. */
static size_t
pack_mszip(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	return pack_stored(bytes, size, first, out);
}
#endif

/*
 * Words of 16 bits, the highest bit first: whether calls are translated (only in the first block:
 * no), 3 bits of the type (3: as it is), 24 of the size; then three old offsets and the bytes.
 */
static size_t
pack_lzx(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	const unsigned left = first ? 4 : 5;
	const uint32_t bits = (uint32_t)((UINT64_C(3) << 24 | size) << left);

	put(out, bits >> 16, 2);
	put(out + 2, bits, 2);
	for (unsigned i = 0; i < 3; i++)
		put(out + 4 + (size_t)i * 4, 1, 4);
	memcpy(out + 16, bytes, size);
	out[16 + size] = 0;
	return 16 + size + size % 2;
}

static const struct {
	uint16_t type;
	size_t (*pack)(const uint8_t *bytes, size_t size, bool first, uint8_t *out);
} methods[CABINET_METHODS] = {
	[CABINET_STORED] = { 0, pack_stored },
	[CABINET_MSZIP] = { 1, pack_mszip },
	[CABINET_LZX] = { 3 | 16 << 8, pack_lzx },
};

/* Write the blocks of all files behind one another; returns the end. */
static uint8_t *
write_blocks(uint8_t *at, enum cabinet_method method, const uint8_t *bytes, size_t size)
{
	for (size_t done = 0; done < size; done += BLOCK) {
		const size_t length = size - done < BLOCK ? size - done : BLOCK;
		const size_t packed =
			methods[method].pack(bytes + done, length, done == 0, at + DATA);

		put(at + 4, packed, 2);
		put(at + 6, length, 2);
		put(at, checksum(at + 4, 4, checksum(at + DATA, packed, 0)), 4);
		at += DATA + packed;
	}
	return at;
}

uint8_t *
cabinet_make(enum cabinet_method method, const struct cabinet_file *files, size_t count,
	     size_t *size)
{
	size_t all = 0, begin = HEADER + FOLDER;

	for (size_t i = 0; i < count; i++) {
		all += files[i].size;
		begin += ENTRY + strlen(files[i].name) + 1;
	}
	const size_t blocks = (all + BLOCK - 1) / BLOCK;
	uint8_t *plain = malloc(all + 1), *made = calloc(1, begin + all + blocks * 64 + 3 * BLOCK);
	uint8_t *entry = made + HEADER + FOLDER;
	size_t done = 0;
	for (size_t i = 0; i < count; i++) {
		put(entry, files[i].size, 4);
		put(entry + 4, done, 4);
		put(entry + 10, 0x58, 2);
		memcpy(entry + ENTRY, files[i].name, strlen(files[i].name) + 1);
		memcpy(plain + done, files[i].bytes, files[i].size);
		entry += ENTRY + strlen(files[i].name) + 1;
		done += files[i].size;
	}
	*size = (size_t)(write_blocks(made + begin, method, plain, all) - made);
	free(plain);
	memcpy(made, "MSCF", 4);
	put(made + 8, *size, 4);
	put(made + 16, HEADER + FOLDER, 4);
	made[24] = 3;
	made[25] = 1;
	put(made + 26, 1, 2);
	put(made + 28, count, 2);
	put(made + HEADER, begin, 4);
	put(made + HEADER + 4, blocks, 2);
	put(made + HEADER + 6, methods[method].type, 2);
	return made;
}
