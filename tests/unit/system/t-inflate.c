/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "system/inflate.h"

#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#ifdef HAVE_LZ4
#include <lz4frame.h>
#endif

#include "base/limits.h"
#include "tests/lib/tap.h"

/* Bytes that compress moderately. */
#define PLAIN_SIZE 300000u
#define ROOM (PLAIN_SIZE + 65536u)

static uint8_t plain[PLAIN_SIZE];

static void
fill_plain(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < sizeof(plain); i++) {
		state = state * 1103515245u + 12345u;
		plain[i] = (uint8_t)(i % 3 == 0 ? state >> 28 : i / 1000);
	}
}

/* Compress with each format's own library; returns the size. */
static size_t
compress_gzip(const uint8_t *bytes, size_t size, uint8_t *out)
{
	z_stream stream = { .zalloc = Z_NULL };

	deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (Bytef *)(uintptr_t)bytes;
	stream.avail_in = (uInt)size;
	stream.next_out = out;
	stream.avail_out = ROOM;
	deflate(&stream, Z_FINISH);
	size_t used = ROOM - stream.avail_out;
	deflateEnd(&stream);
	return used;
}

/* With the checksum that the tool writes and the library leaves out. */
static size_t
compress_zstd(const uint8_t *bytes, size_t size, uint8_t *out)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size_t used = ZSTD_compress2(context, out, ROOM, bytes, size);
	ZSTD_freeCCtx(context);
	return used;
}

static size_t
compress_xz(const uint8_t *bytes, size_t size, uint8_t *out)
{
	size_t used = 0;

	lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, bytes, size, out, &used, ROOM);
	return used;
}

#ifdef HAVE_LZ4
static size_t
compress_lz4(const uint8_t *bytes, size_t size, uint8_t *out)
{
	const LZ4F_preferences_t sums = {
		.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled,
	};

	LZ4F_cctx *context;

	LZ4F_createCompressionContext(&context, LZ4F_VERSION);
	size_t used = LZ4F_compressBegin(context, out, ROOM, &sums);
	/* In parts: the library demands room for the worst case. */
	for (size_t at = 0; at < size; at += 1000)
		used += LZ4F_compressUpdate(context, out + used, ROOM - used, bytes + at, size - at < 1000 ? size - at : 1000, NULL);
	used += LZ4F_compressEnd(context, out + used, ROOM - used, NULL);
	LZ4F_freeCompressionContext(context);
	return used;
}
#endif

static const struct {
	enum inflate_kind kind;
	const char *name;
	size_t (*compress)(const uint8_t *bytes, size_t size, uint8_t *out);
} formats[] = {
	{ INFLATE_GZIP, "gzip", compress_gzip }, { INFLATE_ZSTD, "zstd", compress_zstd }, { INFLATE_XZ, "xz", compress_xz },
#ifdef HAVE_LZ4
	{ INFLATE_LZ4, "lz4", compress_lz4 },
#endif
};

static void
test_whole(size_t row)
{
	const char *name = formats[row].name;
	uint8_t *packed = malloc(2 * ROOM);
	size_t size = formats[row].compress(plain, PLAIN_SIZE, packed);
	struct inflated out;

	is_u64(inflate_identify(packed, size), formats[row].kind, "%s is recognised by its first bytes", name);
	is_u64(inflate_identify(packed, 2), INFLATE_NONE, "two bytes do not identify %s", name);
	is_str(inflate_name(formats[row].kind), name, "%s has its name", name);
	inflate_bytes(formats[row].kind, packed, size, PLAIN_SIZE, &out);
	ok(out.end == INFLATE_WHOLE && out.size == PLAIN_SIZE && memcmp(out.data, plain, PLAIN_SIZE) == 0,
	   "%s gives back what was compressed, with no byte to spare", name);
	is_str(out.reason, "", "%s: a complete stream has no error", name);
	inflate_free(&out);

	inflate_bytes(formats[row].kind, packed, size, PLAIN_SIZE - 1, &out);
	ok(out.end == INFLATE_LIMIT && out.size == PLAIN_SIZE - 1 && memcmp(out.data, plain, PLAIN_SIZE - 1) == 0,
	   "%s stops at the limit with what came out before", name);
	inflate_free(&out);

	/* The second of two consecutive streams, as `cat a.gz b.gz` makes them. */
	size_t second = formats[row].compress(plain, 1000, packed + size);
	inflate_bytes(formats[row].kind, packed, size + second, 2 * PLAIN_SIZE, &out);
	ok(out.end == INFLATE_WHOLE && out.size == PLAIN_SIZE + 1000 &&
	   memcmp(out.data + PLAIN_SIZE, plain, 1000) == 0, "%s: two streams are one", name);
	inflate_free(&out);
	memcpy(packed + size, "\0\0garbage", 9);
	inflate_bytes(formats[row].kind, packed, size + 9, PLAIN_SIZE, &out);
	ok(out.end == INFLATE_WHOLE && out.size == PLAIN_SIZE && out.ignored == 7,
	   "%s: bytes after the stream and its padding are ignored and counted", name);
	inflate_free(&out);
	free(packed);
}

/* Try bytes in an allocation of exactly their size, so that a read past the end is caught. */
static void
try_bytes(enum inflate_kind kind, const uint8_t *bytes, size_t size, struct inflated *out)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	memcpy(copy, bytes, size);
	inflate_bytes(kind, copy, size, UINT64_C(1) << 22, out);
	free(copy);
}

static void
test_cuts(size_t row)
{
	const char *name = formats[row].name;
	uint8_t *packed = malloc(ROOM);
	size_t size = formats[row].compress(plain, PLAIN_SIZE, packed);
	size_t wrong = 0, silent = 0, cuts = 0;
	uint64_t most = 0;

	for (size_t cut = 0; cut < size; cut += cut < 64 || cut + 64 > size ? 1 : 997) {
		struct inflated out;
		try_bytes(formats[row].kind, packed, cut, &out);
		silent += out.end == INFLATE_WHOLE || out.reason[0] == '\0';
		wrong += out.size > PLAIN_SIZE || (out.size > 0 && memcmp(out.data, plain, (size_t)out.size) != 0);
		most = out.size > most ? out.size : most;
		inflate_free(&out);
		cuts++;
	}
	ok(cuts > 128, "%s: more than 128 cuts are tried", name);
	is_u64(silent, 0, "%s: every truncation is reported", name);
	is_u64(wrong, 0, "%s: what comes out of a cut stream is right", name);
	ok(most > PLAIN_SIZE / 2, "%s: most comes out of most of a stream", name);
	free(packed);
}

static void
test_damage(size_t row)
{
	const char *name = formats[row].name;
	uint8_t *packed = malloc(ROOM);
	size_t size = formats[row].compress(plain, PLAIN_SIZE, packed);
	size_t silent = 0;

	/* Every format has a checksum over all bytes; some bytes of gzip's header have no meaning.
	 * A changed distance of lz4 may lead to equal bytes elsewhere, which is no damage. */
	for (size_t at = 10; at < size; at += 1 + size / 97) {
		struct inflated out;
		packed[at] ^= 0x55;
		try_bytes(formats[row].kind, packed, size, &out);
		silent += out.end == INFLATE_WHOLE && (out.size != PLAIN_SIZE || memcmp(out.data, plain, PLAIN_SIZE) != 0);
		inflate_free(&out);
		packed[at] ^= 0x55;
	}
	is_u64(silent, 0, "%s: every damaged byte is reported", name);
	free(packed);
}

static void
test_bomb(void)
{
	static uint8_t zeros[1u << 20];
	uint8_t *packed = malloc(ROOM);
	struct inflated out;

	for (size_t row = 0; row < ARRAY_COUNT(formats); row++) {
		size_t size = formats[row].compress(zeros, sizeof(zeros), packed);
		inflate_bytes(formats[row].kind, packed, size, 10000, &out);
		ok(out.end == INFLATE_LIMIT && out.size == 10000 && out.room <= 3 * 10000,
		   "a %s bomb of %zu bytes takes at most three times the limit", formats[row].name, size);
		inflate_free(&out);
	}
	ok(inflate_limit() > 0 && inflate_limit() <= UINT64_C(1) << 32, "the limit is between 1 byte and 4 GiB on any machine");
	free(packed);
}

#ifdef HAVE_LZ4
/* The tool's blocks have 4 MiB; a block gives no bytes until all of it is there. */
static void
test_lz4_blocks(void)
{
	const LZ4F_preferences_t large = { .frameInfo.blockSizeID = LZ4F_max4MB };
	const size_t plain_size = 6u << 20, room = LZ4F_compressFrameBound(plain_size, &large);
	uint8_t *noise = malloc(plain_size), *packed = malloc(room);
	struct inflated out;
	uint32_t state = 1;

	/* With some zeros: a block that does not shrink is stored, and is unpacked byte by byte. */
	for (size_t i = 0; i < plain_size; i++) {
		state = state * 1103515245u + 12345u;
		noise[i] = i % 1000 < 50 ? 0 : (uint8_t)(state >> 24);
	}
	size_t size = LZ4F_compressFrame(packed, room, noise, plain_size, &large);
	ok(size > inflate_head(INFLATE_LZ4), "the first block of lz4 is larger than the head");
	inflate_bytes(INFLATE_LZ4, packed, inflate_head(INFLATE_LZ4), 4096, &out);
	ok(out.end == INFLATE_LIMIT && out.size == 4096 && memcmp(out.data, noise, 4096) == 0,
	   "a head of lz4 is enough for the largest block");
	inflate_free(&out);
	size = LZ4F_compressFrame(packed, room, noise, 1000, NULL);
	packed[6] ^= 1;
	inflate_bytes(INFLATE_LZ4, packed, size, plain_size, &out);
	ok(out.end == INFLATE_CORRUPT && out.size == 0, "a damaged header of lz4 is an error");
	is_str(out.reason, "a wrong checksum of the lz4 header", "the error names the checksum of the header");
	inflate_free(&out);
	free(noise);
	free(packed);
}
#endif

/* One MiB of one byte, as a stream of its own, `times` times. */
static uint8_t *
repeated(size_t row, int byte, size_t times, size_t *size)
{
	static uint8_t bytes[1u << 20];
	uint8_t *packed = malloc(times * ROOM / 8);

	memset(bytes, byte, sizeof(bytes));
	const size_t one = formats[row].compress(bytes, sizeof(bytes), packed);
	for (size_t i = 1; i < times; i++)
		memcpy(packed + i * one, packed, one);
	*size = one * times;
	return packed;
}

/* How many pages are in memory. */
static size_t
resident(const struct inflated *out)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size_t)out->room / page;
	unsigned char *there = calloc(pages + 1, 1);
	size_t count = 0;

	mincore(out->data, pages * page, there);
	for (size_t i = 0; i < pages; i++)
		count += there[i] & 1;
	free(there);
	return count;
}

static void
test_memory(size_t row)
{
	const uint64_t some = UINT64_C(32) << 20;
	struct inflated out;
	size_t size;
	uint8_t *packed = repeated(row, 0, 32, &size);

	inflate_bytes(formats[row].kind, packed, size, some, &out);
	ok(out.end == INFLATE_WHOLE && out.size == some, "%s: 32 MiB of zeros are read", formats[row].name);
	ok(resident(&out) * (size_t)sysconf(_SC_PAGESIZE) < 1u << 20, "%s: zeros take less than 1 MiB of memory", formats[row].name);
	bool zero = out.data[0] == 0;
	zero = zero && memcmp(out.data, out.data + 1, some - 1) == 0;
	ok(zero, "%s: pages without memory read as zeros", formats[row].name);
	inflate_free(&out);
	free(packed);

	packed = repeated(row, 'A', 80, &size);
	const uint64_t most = LIMIT_INFLATED_MEMORY + (uint64_t)LIMIT_INFLATED_RATIO * size;
	inflate_bytes(formats[row].kind, packed, size, UINT64_C(1) << 30, &out);
	ok(most > UINT64_C(80) << 20 ? out.end == INFLATE_WHOLE : out.end == INFLATE_LIMIT && out.size >= most &&
		out.size < most + (8u << 20), "%s: other bytes are read up to the limit", formats[row].name);
	inflate_free(&out);
	free(packed);
}

static uint64_t asked_size;

static uint64_t
nothing_more(const uint8_t *head, uint64_t size, uint64_t stored)
{
	(void)head;
	asked_size = stored;
	return size == 1u << 20 ? 0 : UINT64_MAX;
}

static uint64_t
three(const uint8_t *head, uint64_t size, uint64_t stored)
{
	(void)stored;
	return size == 1u << 20 && head[0] == 'A' ? UINT64_C(3) << 20 : 0;
}

/* The first bytes decide the largest size. */
static void
test_most(void)
{
	struct inflated result;
	struct file file;
	size_t size;
	uint8_t *packed = repeated(0, 'A', 5, &size);

	ok(file_borrow(&file, "a.gz", packed, size) && file_inflate(&file, nothing_more, &result) && file.size == 1u << 20 &&
	   asked_size == size && result.end == INFLATE_LIMIT, "a compressed file is read up to its head if that is enough");
	file_close(&file);
	ok(file_borrow(&file, "a.gz", packed, size) && file_inflate(&file, three, &result) &&
	   file.size == 3u << 20 && result.end == INFLATE_LIMIT, "the head gives the largest size of a compressed file");
	file_close(&file);
	free(packed);
	static const char module[] = "MODULE Linux x86_64 0 a\n";
	const uint8_t *text = (const uint8_t *)module;
	is_u64(file_most_symbols(text, sizeof(module) - 1, 10), LIMIT_INFLATED_TEXT + 10 * LIMIT_INFLATED_RATIO,
	       "the limit of a symbol file grows with its packed size");
	is_u64(file_most_symbols(text, sizeof(module) - 1, 0), LIMIT_READ_PIPE, "a symbol file from a pipe has the limit of pipes");
	is_u64(file_most_symbols(text + 1, sizeof(module) - 2, 0), LIMIT_READ_WHOLE, "other text from a pipe has the limit of files");
	is_u64(file_most_symbols(text, sizeof(module), 10), 0, "a binary file is not read as a symbol file");
}

static void
test_file(void)
{
	uint8_t *packed = malloc(ROOM);
	size_t size = compress_gzip(plain, PLAIN_SIZE, packed);
	struct inflated result;
	struct file file;

	ok(file_borrow(&file, "a.gz", packed, size) && file_inflate(&file, file_most_symbols, &result),
	   "a compressed file is decompressed");
	ok(file.size == PLAIN_SIZE && memcmp(file.data, plain, PLAIN_SIZE) == 0, "a decompressed file has the plain bytes");
	ok(file.kind == INFLATE_GZIP && file.stored == size, "the file records its packed format and size");
	ok(!file_inflate(&file, file_most_symbols, &result), "plain bytes are left alone");
	file_close(&file);
	ok(file_borrow(&file, "a.gz", packed, 12) &&
		   !file_inflate(&file, file_most_symbols, &result) && file.size == 12 && result.end == INFLATE_CUT,
	   "a file from which nothing is decompressed stays as it is, and the reason is reported");
	file_close(&file);
	free(packed);
}

int
main(void)
{
	fill_plain();
	for (size_t row = 0; row < ARRAY_COUNT(formats); row++) {
		test_whole(row);
		test_cuts(row);
		test_damage(row);
		test_memory(row);
	}
	test_most();
	test_bomb();
#ifdef HAVE_LZ4
	test_lz4_blocks();
#endif
	test_file();
	return done_testing();
}
