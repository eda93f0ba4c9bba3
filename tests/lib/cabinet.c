/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "tests/lib/cabinet.h"
#include "tests/lib/bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* Bytes in a block before compression. */
#define BLOCK 32768u
#define HEADER 36u
#define FOLDER 8u
#define ENTRY 16u
#define DATA 8u

static uint32_t
checksum(const uint8_t *bytes, size_t size, uint32_t sum)
{
	uint32_t last = 0;

	for (; size >= 4; size -= 4, bytes += 4)
		sum ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	/* The last bytes are in reverse order. */
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
/* Tests that need MSZIP are skipped in a build without zlib. */
static size_t
pack_mszip(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	return pack_stored(bytes, size, first, out);
}
#endif

/* 16-bit words, highest bit first: 1 bit for call translation (only in the first block; off),
 * 3 bits for the type (3: uncompressed), 24 bits for the size, three old offsets, then the bytes. */
static size_t
pack_lzx(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	const unsigned left = first ? 4 : 5;
	const uint32_t bits = (uint32_t)((UINT64_C(3) << 24 | size) << left);

	put_le(out, bits >> 16, 2);
	put_le(out + 2, bits, 2);
	for (unsigned i = 0; i < 3; i++)
		put_le(out + 4 + (size_t)i * 4, 1, 4);
	memcpy(out + 16, bytes, size);
	out[16 + size] = 0;
	return 16 + size + size % 2;
}

/* Quantum: an arithmetic coder that writes each byte as selector, a number below 7, and literal. */
#define MODEL_SYMBOLS 64u
#define SELECTORS 7u

struct model {
	unsigned count, until;		/* `until`: halvings before the symbols are sorted */
	uint16_t symbols[MODEL_SYMBOLS + 1], sums[MODEL_SYMBOLS + 1];
};

static struct quantum {
	struct model selector, literals[4];
	uint32_t high, low, pending;
	uint8_t *out;
	size_t bits;
} quantum;

static void
model_begin(struct model *model, unsigned first, unsigned count)
{
	*model = (struct model){ .count = count, .until = 4 };
	for (unsigned i = 0; i <= count; i++) {
		model->symbols[i] = (uint16_t)(first + i);
		model->sums[i] = (uint16_t)(count - i);
	}
}

/* Sort the symbols, the most frequent first. */
static void
model_sort(struct model *model)
{
	for (unsigned i = 0; i < model->count; i++)
		model->sums[i] = (uint16_t)((model->sums[i] - model->sums[i + 1] + 1) >> 1);
	for (unsigned i = 0; i + 1 < model->count; i++)
		for (unsigned j = i + 1; j < model->count; j++) {
			const uint16_t sum = model->sums[i], symbol = model->symbols[i];
			if (sum >= model->sums[j])
				continue;
			model->sums[i] = model->sums[j];
			model->symbols[i] = model->symbols[j];
			model->sums[j] = sum;
			model->symbols[j] = symbol;
		}
	for (unsigned i = model->count; i-- > 0;)
		model->sums[i] = (uint16_t)(model->sums[i] + model->sums[i + 1]);
}

static void
model_shrink(struct model *model)
{
	if (--model->until == 0) {
		model->until = 50;
		model_sort(model);
		return;
	}
	for (unsigned i = model->count; i-- > 0;) {
		model->sums[i] >>= 1;
		if (model->sums[i] <= model->sums[i + 1])
			model->sums[i] = (uint16_t)(model->sums[i + 1] + 1);
	}
}

static void
put_bit(unsigned bit)
{
	quantum.out[quantum.bits / 8] |= (uint8_t)(bit << (7 - quantum.bits % 8));
	quantum.bits++;
}

/* Write a bit that is decided now, and the bits that waited for it. */
static void
settle_bit(unsigned bit)
{
	put_bit(bit);
	for (; quantum.pending > 0; quantum.pending--)
		put_bit(1 - bit);
}

static void
put_symbol(struct model *model, unsigned symbol)
{
	const uint32_t range = quantum.high - quantum.low + 1, all = model->sums[0];
	unsigned i = 0;

	while (model->symbols[i] != symbol)
		i++;
	quantum.high = quantum.low + model->sums[i] * range / all - 1;
	quantum.low += model->sums[i + 1] * range / all;
	for (unsigned j = 0; j <= i; j++)
		model->sums[j] = (uint16_t)(model->sums[j] + 8);
	if (model->sums[0] > 3800)
		model_shrink(model);
	for (;;) {
		if (((quantum.low ^ quantum.high) & 0x8000) == 0) {
			settle_bit(quantum.low >> 15);
		} else if ((quantum.low & 0x4000) != 0 && (quantum.high & 0x4000) == 0) {
			quantum.pending++;
			quantum.low &= 0x3fff;
			quantum.high |= 0x4000;
		} else {
			return;
		}
		quantum.low = quantum.low << 1 & 0xffff;
		quantum.high = (quantum.high << 1 & 0xffff) | 1;
	}
}

static size_t
pack_quantum(const uint8_t *bytes, size_t size, bool first, uint8_t *out)
{
	if (first) {
		model_begin(&quantum.selector, 0, SELECTORS);
		for (unsigned i = 0; i < 4; i++)
			model_begin(&quantum.literals[i], i * MODEL_SYMBOLS, MODEL_SYMBOLS);
	}
	memset(out, 0, 2 * BLOCK);
	quantum.high = 0xffff;
	quantum.low = quantum.pending = 0;
	quantum.out = out;
	quantum.bits = 0;
	for (size_t i = 0; i < size; i++) {
		put_symbol(&quantum.selector, bytes[i] / MODEL_SYMBOLS);
		put_symbol(&quantum.literals[bytes[i] / MODEL_SYMBOLS], bytes[i]);
	}
	quantum.pending++;
	settle_bit(quantum.low >> 14 & 1);
	return (quantum.bits + 7) / 8 + 4;
}

static const struct {
	uint16_t type;
	size_t (*pack)(const uint8_t *bytes, size_t size, bool first, uint8_t *out);
} methods[CABINET_METHODS] = {
	[CABINET_STORED] = { 0, pack_stored },
	[CABINET_MSZIP] = { 1, pack_mszip },
	[CABINET_LZX] = { 3 | 16 << 8, pack_lzx },
	[CABINET_QUANTUM] = { 2 | 1 << 4 | 15 << 8, pack_quantum },
};

/* Write the blocks of all files one after another. Returns the end. */
static uint8_t *
write_blocks(uint8_t *at, enum cabinet_method method, const uint8_t *bytes, size_t size)
{
	for (size_t done = 0; done < size; done += BLOCK) {
		const size_t length = size - done < BLOCK ? size - done : BLOCK;
		const size_t packed = methods[method].pack(bytes + done, length, done == 0, at + DATA);

		put_le(at + 4, packed, 2);
		put_le(at + 6, length, 2);
		put_le(at, checksum(at + 4, 4, checksum(at + DATA, packed, 0)), 4);
		at += DATA + packed;
	}
	return at;
}

uint8_t *
cabinet_make(enum cabinet_method method, const struct cabinet_file *files, size_t count, size_t *size)
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
		put_le(entry, files[i].size, 4);
		put_le(entry + 4, done, 4);
		put_le(entry + 10, 0x58, 2);
		memcpy(entry + ENTRY, files[i].name, strlen(files[i].name) + 1);
		memcpy(plain + done, files[i].bytes, files[i].size);
		entry += ENTRY + strlen(files[i].name) + 1;
		done += files[i].size;
	}
	*size = (size_t)(write_blocks(made + begin, method, plain, all) - made);
	free(plain);
	memcpy(made, "MSCF", 4);
	put_le(made + 8, *size, 4);
	put_le(made + 16, HEADER + FOLDER, 4);
	made[24] = 3;
	made[25] = 1;
	put_le(made + 26, 1, 2);
	put_le(made + 28, count, 2);
	put_le(made + HEADER, begin, 4);
	put_le(made + HEADER + 4, blocks, 2);
	put_le(made + HEADER + 6, methods[method].type, 2);
	return made;
}
