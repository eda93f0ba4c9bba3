/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "system/inflate.h"

#include <errno.h>
#include <limits.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_MSPACK
#include <mspack.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef HAVE_LZ4
#include <lz4frame.h>
#endif

#include "base/compiler.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
#include "system/library.h"
#include "system/shortage.h"

#define FIRST_ROOM (UINT64_C(1) << 20)
/* Bytes of output after which blocks of zeros are returned to the system. */
#define STEP (UINT64_C(4) << 20)
/* Bytes of a block of zeros, a multiple of every page size. */
#define BLOCK (UINT64_C(64) << 10)

/* The functions of the libraries. The first file of a format loads the format's library. */
#ifdef HAVE_ZLIB
#define ZLIB_FUNCTIONS(F) F(inflateInit2_) F(inflate) F(inflateReset) F(inflateEnd) F(crc32)
#else
#define ZLIB_FUNCTIONS(F)
#endif
#ifdef HAVE_ZSTD
#define ZSTD_FUNCTIONS(F) \
	F(ZSTD_createDStream) F(ZSTD_decompressStream) F(ZSTD_freeDStream) F(ZSTD_decompress) \
	F(ZSTD_isError) F(ZSTD_getErrorCode) F(ZSTD_getErrorName)
#else
#define ZSTD_FUNCTIONS(F)
#endif
#ifdef HAVE_LZMA
#define LZMA_FUNCTIONS(F) F(lzma_stream_decoder) F(lzma_code) F(lzma_end)
#else
#define LZMA_FUNCTIONS(F)
#endif
#ifdef HAVE_LZ4
#define LZ4_FUNCTIONS(F) \
	F(LZ4F_createDecompressionContext) F(LZ4F_decompress) F(LZ4F_freeDecompressionContext) \
	F(LZ4F_isError) F(LZ4F_getErrorName)
#else
#define LZ4_FUNCTIONS(F)
#endif
#ifdef HAVE_MSPACK
#define MSPACK_FUNCTIONS(F) F(mspack_create_cab_decompressor) F(mspack_destroy_cab_decompressor)
#else
#define MSPACK_FUNCTIONS(F)
#endif

struct inflate_library {
	char unused;			/* for a build without any of the libraries */
#define F(name) __typeof__(name) *name;
	ZLIB_FUNCTIONS(F) ZSTD_FUNCTIONS(F) LZMA_FUNCTIONS(F) LZ4_FUNCTIONS(F) MSPACK_FUNCTIONS(F)
#undef F
};

#define F(name) { #name, offsetof(struct inflate_library, name) },
static const struct library_function zlib_functions[] = { ZLIB_FUNCTIONS(F) { NULL, 0 } };
static const struct library_function zstd_functions[] = { ZSTD_FUNCTIONS(F) { NULL, 0 } };
static const struct library_function lzma_functions[] = { LZMA_FUNCTIONS(F) { NULL, 0 } };
static const struct library_function lz4_functions[] = { LZ4_FUNCTIONS(F) { NULL, 0 } };
static const struct library_function mspack_functions[] = { MSPACK_FUNCTIONS(F) { NULL, 0 } };
#undef F

struct inflate_job {
	struct inflate_library library;
	const uint8_t *next;
	uint64_t left;
	uint64_t limit;
	uint64_t memory, used;		/* limit of nonzero bytes, and their number so far */
	uint64_t settled;		/* bytes that were searched for blocks of zeros */
	uint64_t given;			/* room of the decoder's last call */
	/* The decoder filled its room, so it may have more output without further input */
	bool full;
	struct inflated *out;
};

/* Note why decompressing ended. The reason is copied. */
static void
inflate_stop(struct inflate_job *job, enum inflate_end end, const char *reason)
{
	job->out->end = end;
	if (end == INFLATE_MEMORY)
		shortage_note(ENOMEM, NULL);
	snprintf(job->out->reason, sizeof(job->out->reason), "%s", reason);
}

uint64_t
inflate_give_back(uint8_t *data, uint64_t from, uint64_t to, uint64_t *others)
{
	/* The first complete block: memory from malloc may begin anywhere. */
	uint8_t *block = data + from + (BLOCK - ((uintptr_t)data + from) % BLOCK) % BLOCK;

	for (; block < data + to && (uint64_t)(data + to - block) >= BLOCK; block += BLOCK) {
		const bool zero = *block == 0 && memcmp(block, block + 1, BLOCK - 1) == 0;

		if (zero)
			madvise(block, BLOCK, MADV_DONTNEED);
		else if (others != NULL)
			*others += BLOCK;
	}
	return block <= data + to ? (uint64_t)(block - data) : from;
}

/*
 * Give blocks of zeros back to the system: a core may consist mostly of them. False if the output
 * has too many other bytes.
 */
static bool
give_back(struct inflate_job *job)
{
	const struct inflated *out = job->out;

	job->settled = inflate_give_back(out->data, job->settled, out->size, &job->used);
	return job->used <= job->memory;
}

/*
 * Make room for more output. False: the limit is reached, or the input has ended. Only this
 * function checks the limit. It allows one byte more, to distinguish an output of exactly that size
 * from a larger one.
 */
static bool
inflate_room(struct inflate_job *job)
{
	struct inflated *out = job->out;
	uint64_t most = job->limit + 1;
	uint64_t room = out->room == 0 ? FIRST_ROOM : out->room * 2;

	if (out->size > job->limit || !give_back(job)) {
		out->size = out->size < job->limit ? out->size : job->limit;
		inflate_stop(job, INFLATE_LIMIT, "the decompressed data exceed the limit");
		return false;
	}
	job->given = out->room - out->size < STEP ? out->room - out->size : STEP;
	if (job->given > 0 && job->left == 0 && !job->full)
		inflate_stop(job, INFLATE_CUT, "the compressed data are truncated");
	if (job->given > 0)
		return job->left != 0 || job->full;
	if (room > most)
		room = most;
	void *data = MAP_FAILED;
	if (room <= SIZE_MAX)
		data = out->data == NULL
			? mmap(NULL, (size_t)room, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			: mremap(out->data, (size_t)out->room, (size_t)room, MREMAP_MAYMOVE);
	if (data == MAP_FAILED) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return false;
	}
	out->data = data;
	out->room = room;
	job->given = room - out->size < STEP ? room - out->size : STEP;
	return true;
}

static void
inflate_advance(struct inflate_job *job, uint64_t taken, uint64_t made)
{
	job->next += taken;
	job->left -= taken;
	job->out->size += made;
	job->full = made == job->given;
}

/*
 * Whether no other stream follows a stream's end. Then the bytes that follow are ignored; zeros at
 * their start are padding. Between streams only xz has padding. Decoders skip the frames whose
 * magic numbers are 0x184d2a50 to 0x184d2a5f (RFC 8878, 3.1.2; the same for lz4).
 */
static bool
is_last_stream(struct inflate_job *job, enum inflate_kind kind)
{
	uint64_t zeros = 0;

	while (zeros < job->left && job->next[zeros] == 0)
		zeros++;
	const uint64_t padding = kind == INFLATE_XZ ? zeros : 0, left = job->left - padding;
	const uint8_t *next = job->next + padding;
	const bool skipped = (kind == INFLATE_ZSTD || kind == INFLATE_LZ4) && left >= 4 &&
			     (*next & 0xf0) == 0x50 && memcmp(next + 1, "\x2a\x4d\x18", 3) == 0;

	if (skipped || inflate_identify(next, left) == kind) {
		inflate_advance(job, padding, 0);
		return false;
	}
	job->out->ignored = job->left - zeros;
	return true;
}

/* The decoder of a kind whose library this build lacks. It only reports the missing library. */
#define LEFT_OUT(function, library) \
	static void function(struct inflate_job *job) \
	{ \
		inflate_stop(job, INFLATE_LEFT_OUT, "this unspool was built without " library); \
	}

#ifdef HAVE_ZLIB
/* One call of zlib; its counters are narrower than the job's. */
static int
gzip_step(struct inflate_job *job, z_stream *stream)
{
	const uInt in = job->left < UINT_MAX ? (uInt)job->left : UINT_MAX;
	const uInt room = job->given < UINT_MAX ? (uInt)job->given : UINT_MAX;

	stream->next_in = (Bytef *)(uintptr_t)job->next;
	stream->avail_in = in;
	stream->next_out = job->out->data + job->out->size;
	stream->avail_out = room;
	int result = job->library.inflate(stream, Z_NO_FLUSH);
	inflate_advance(job, in - stream->avail_in, room - stream->avail_out);
	return result;
}

static void
gzip_run(struct inflate_job *job)
{
	z_stream stream = { .zalloc = Z_NULL };

	if (job->library.inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, sizeof(stream)) != Z_OK) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return;
	}
	while (inflate_room(job)) {
		int result = gzip_step(job, &stream);

		if (result == Z_STREAM_END) {
			if (is_last_stream(job, INFLATE_GZIP))
				break;
			job->library.inflateReset(&stream);
		} else if (result == Z_MEM_ERROR) {
			inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
			break;
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			inflate_stop(job, INFLATE_CORRUPT, stream.msg != NULL ? stream.msg
								      : "not valid gzip data");
			break;
		}
	}
	job->library.inflateEnd(&stream);
}
#else
LEFT_OUT(gzip_run, "zlib")
#endif

#ifdef HAVE_ZSTD
static void
zstd_run(struct inflate_job *job)
{
	const struct inflate_library *library = &job->library;
	ZSTD_DStream *stream = library->ZSTD_createDStream();
	struct inflated *out = job->out;

	if (stream == NULL) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return;
	}
	while (inflate_room(job)) {
		ZSTD_inBuffer in = { job->next, (size_t)job->left, 0 };
		ZSTD_outBuffer output = { out->data + out->size, (size_t)job->given, 0 };
		size_t result = library->ZSTD_decompressStream(stream, &output, &in);

		inflate_advance(job, in.pos, output.pos);
		if (library->ZSTD_isError(result)) {
			bool memory = library->ZSTD_getErrorCode(result) ==
				      ZSTD_error_memory_allocation;

			inflate_stop(job, memory ? INFLATE_MEMORY : INFLATE_CORRUPT,
			     library->ZSTD_getErrorName(result));
			break;
		}
		if (result == 0 && is_last_stream(job, INFLATE_ZSTD))
			break;
	}
	library->ZSTD_freeDStream(stream);
}
#else
LEFT_OUT(zstd_run, "libzstd")
#endif

#ifdef HAVE_LZMA
static const char *
xz_words(lzma_ret result)
{
	switch (result) {
	case LZMA_DATA_ERROR:
		return "invalid xz data or a wrong checksum";
	case LZMA_FORMAT_ERROR:
		return "not valid xz data";
	case LZMA_OPTIONS_ERROR:
		return "options that this version of xz does not support";
	case LZMA_MEMLIMIT_ERROR:
		return "a dictionary larger than the limit";
	default:
		return "xz failed";
	}
}

static void
xz_run(struct inflate_job *job)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct inflated *out = job->out;

	lzma_ret result = LZMA_STREAM_END;

	while (inflate_room(job)) {
		if (result == LZMA_STREAM_END &&
		    job->library.lzma_stream_decoder(&stream, LIMIT_INFLATE_DICTIONARY, 0) !=
			    LZMA_OK) {
			inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
			break;
		}
		stream.next_in = job->next;
		stream.avail_in = (size_t)job->left;
		stream.next_out = out->data + out->size;
		stream.avail_out = (size_t)job->given;
		result = job->library.lzma_code(&stream, LZMA_FINISH);

		inflate_advance(job, job->left - stream.avail_in, job->given - stream.avail_out);
		/* Without progress treat the input as ended. */
		if (result == LZMA_BUF_ERROR)
			job->left = 0;
		if (result == LZMA_STREAM_END && is_last_stream(job, INFLATE_XZ))
			break;
		if (result == LZMA_MEM_ERROR) {
			inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
			break;
		}
		if (result != LZMA_OK && result != LZMA_BUF_ERROR && result != LZMA_STREAM_END) {
			inflate_stop(job, INFLATE_CORRUPT, xz_words(result));
			break;
		}
	}
	job->library.lzma_end(&stream);
}
#else
LEFT_OUT(xz_run, "liblzma")
#endif

#ifdef HAVE_LZ4
/* An error that is not in this table is shown with the library's name. */
static const char *
lz4_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} errors[] = {
		{ "ERROR_decompressionFailed", "invalid lz4 data" },
		{ "ERROR_headerChecksum_invalid", "a wrong checksum of the lz4 header" },
		{ "ERROR_blockChecksum_invalid", "a wrong checksum of an lz4 block" },
		{ "ERROR_contentChecksum_invalid", "a wrong checksum of the lz4 data" },
		{ "ERROR_frameSize_wrong", "not the size that the lz4 header says" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
		if (strcmp(name, errors[i].name) == 0)
			return errors[i].words;
	return name;
}

static void
lz4_run(struct inflate_job *job)
{
	struct inflated *out = job->out;
	const struct inflate_library *library = &job->library;
	LZ4F_dctx *stream = NULL;

	if (library->LZ4F_isError(
		    library->LZ4F_createDecompressionContext(&stream, LZ4F_VERSION))) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return;
	}
	while (inflate_room(job)) {
		size_t taken = (size_t)job->left, given = (size_t)job->given;
		size_t result = library->LZ4F_decompress(stream, out->data + out->size, &given,
							 job->next, &taken, NULL);

		if (library->LZ4F_isError(result)) {
			const char *name = library->LZ4F_getErrorName(result);
			bool memory = strcmp(name, "ERROR_allocation_failed") == 0;

			inflate_stop(job, memory ? INFLATE_MEMORY : INFLATE_CORRUPT,
			     memory ? OUT_OF_MEMORY : lz4_words(name));
			break;
		}
		inflate_advance(job, taken, given);
		if (result == 0 && is_last_stream(job, INFLATE_LZ4))
			break;
	}
	library->LZ4F_freeDecompressionContext(stream);
}
#else
LEFT_OUT(lz4_run, "liblz4")
#endif

#ifdef HAVE_MSPACK

/*
 * Cabinets ([MS-CAB]) with one file. Windows symbol servers keep PDBs and programs in this form.
 * libmspack decodes MSZIP, LZX and Quantum; it reads the bytes of the job and writes into its room,
 * and never opens a file of the system. The name in the cabinet is ignored.
 */

/* Offset of the number of files in the header (CFHEADER, cFiles). */
#define FILES_AT 28u

/* The argument of the library's callbacks, which begins with the library's own struct. */
struct cabinet {
	struct mspack_system system;
	struct inflate_job *job;
};

/* A file of the library: the input or the output. */
struct cabinet_stream {
	struct cabinet *cabinet;
	uint64_t at;			/* offset in the input */
};

static struct mspack_file *
open_stream(struct mspack_system *system, const char *name, int mode)
{
	struct cabinet_stream *stream = calloc(1, sizeof(*stream));

	(void)name;
	(void)mode;
	if (stream != NULL)
		stream->cabinet = (struct cabinet *)system;
	return (struct mspack_file *)stream;
}

static void
close_stream(struct mspack_file *file)
{
	free(file);
}

static int
read_stream(struct mspack_file *file, void *to, int size)
{
	struct cabinet_stream *stream = (struct cabinet_stream *)file;
	const struct inflate_job *job = stream->cabinet->job;
	const uint64_t left = job->left - stream->at;
	const size_t length = size < 0 ? 0 : (uint64_t)size < left ? (size_t)size : (size_t)left;

	if (length > 0)
		memcpy(to, job->next + stream->at, length);
	stream->at += length;
	return (int)length;
}

static int
write_stream(struct mspack_file *file, void *from, int size)
{
	struct inflate_job *job = ((struct cabinet_stream *)file)->cabinet->job;
	size_t done = 0, all = size < 0 ? 0 : (size_t)size;

	while (done < all) {
		if (!inflate_room(job))
			return -1;
		const size_t length = all - done < job->given ? all - done : (size_t)job->given;
		memcpy(job->out->data + job->out->size, (const char *)from + done, length);
		inflate_advance(job, 0, length);
		done += length;
	}
	return (int)all;
}

static int
seek_stream(struct mspack_file *file, off_t offset, int mode)
{
	struct cabinet_stream *stream = (struct cabinet_stream *)file;
	const uint64_t size = stream->cabinet->job->left;
	const uint64_t from = mode == MSPACK_SYS_SEEK_START ? 0
			      : mode == MSPACK_SYS_SEEK_CUR ? stream->at : size;
	const bool back = offset < 0;
	const uint64_t by = back ? 0 - (uint64_t)offset : (uint64_t)offset;

	if (back ? by > from : by > size - from)
		return -1;
	stream->at = back ? from - by : from + by;
	return 0;
}

static off_t
tell_stream(struct mspack_file *file)
{
	return (off_t)((struct cabinet_stream *)file)->at;
}

static void
ignore_message(struct mspack_file *file, const char *format, ...)
{
	(void)file;
	(void)format;
}

static void *
alloc_bytes(struct mspack_system *system, size_t size)
{
	(void)system;
	return malloc(size);
}

static void
copy_bytes(void *from, void *to, size_t size)
{
	memmove(to, from, size);
}

/* Report the library's error, unless the end of the output was reported before. */
static void
say(struct inflate_job *job, int code)
{
	if (code == MSPACK_ERR_NOMEMORY)
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
	else if (code == MSPACK_ERR_READ || code == MSPACK_ERR_SEEK)
		inflate_stop(job, INFLATE_CUT, "the cabinet is truncated");
	else if (code == MSPACK_ERR_CHECKSUM)
		inflate_stop(job, INFLATE_CORRUPT, "a wrong checksum in the cabinet");
	else if (code != MSPACK_ERR_OK && code != MSPACK_ERR_WRITE)
		inflate_stop(job, INFLATE_CORRUPT, "invalid data in the cabinet");
}

static void
extract(struct mscab_decompressor *decoder, struct inflate_job *job)
{
	const unsigned files = job->left < FILES_AT + 2 ? 0 : job->next[FILES_AT] |
			       (unsigned)job->next[FILES_AT + 1] << 8;
	char reason[64];

	/* The library would search the list of folders for each file. */
	if (files > 1) {
		snprintf(reason, sizeof(reason), "the cabinet has %u files", files);
		inflate_stop(job, INFLATE_LEFT_OUT, reason);
		return;
	}
	struct mscabd_cabinet *cabinet = decoder->open(decoder, "");
	if (cabinet == NULL) {
		say(job, decoder->last_error(decoder));
		return;
	}
	if ((cabinet->flags & (MSCAB_HDR_PREVCAB | MSCAB_HDR_NEXTCAB)) != 0)
		inflate_stop(job, INFLATE_LEFT_OUT, "it is one of several cabinets");
	/* The library would decompress up to 2 GB that nothing reads. */
	else if (cabinet->files->offset != 0)
		inflate_stop(job, INFLATE_LEFT_OUT, "its file does not begin its data");
	else
		say(job, decoder->extract(decoder, cabinet->files, ""));
	decoder->close(decoder, cabinet);
}

static void
cabinet_run(struct inflate_job *job)
{
	struct cabinet cabinet = {
		.system = { .open = open_stream, .close = close_stream, .read = read_stream,
			    .write = write_stream, .seek = seek_stream, .tell = tell_stream,
			    .message = ignore_message, .alloc = alloc_bytes, .free = free,
			    .copy = copy_bytes },
		.job = job,
	};
	struct mscab_decompressor *decoder =
		job->library.mspack_create_cab_decompressor(&cabinet.system);

	if (decoder == NULL) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return;
	}
	extract(decoder, job);
	job->library.mspack_destroy_cab_decompressor(decoder);
}

#else
LEFT_OUT(cabinet_run, "libmspack")
#endif

static const struct {
	const char *name, *magic;
	size_t magic_size;
	uint64_t head;
	const char *unpack, *test;
	void (*run)(struct inflate_job *job);
	const char *libraries[3];
	const struct library_function *functions;
} formats[INFLATE_KIND_COUNT] = {
	[INFLATE_GZIP] = { "gzip", "\x1f\x8b\x08", 3, UINT64_C(160) << 10, "gzip -d", "gzip -t",
			   gzip_run, { LIBRARY_FILES("libz", 1) }, zlib_functions },
	[INFLATE_ZSTD] = { "zstd", "\x28\xb5\x2f\xfd", 4, UINT64_C(160) << 10, "zstd -d", "zstd -t",
			   zstd_run, { LIBRARY_FILES("libzstd", 1) }, zstd_functions },
	[INFLATE_XZ] = { "xz",
			 "\xfd"
			 "7zXZ\0",
			 6, UINT64_C(160) << 10, "xz -d", "xz -t", xz_run,
			 { LIBRARY_FILES("liblzma", 5) }, lzma_functions },
	[INFLATE_CABINET] = { "cabinet", "MSCF", 4, UINT64_C(160) << 10, "cabextract",
			      "cabextract -t", cabinet_run,
			      { LIBRARY_FILES("libmspack", 0) }, mspack_functions },
	[INFLATE_LZ4] = { "lz4", "\x04\x22\x4d\x18", 4, (UINT64_C(4) << 20) + 64, "lz4 -d",
			  "lz4 -t", lz4_run, { LIBRARY_FILES("liblz4", 1) }, lz4_functions },
};

/* Fill in the functions for a format. False if its library was built in but cannot be loaded. */
static bool
open_library(enum inflate_kind kind, struct inflate_library *library)
{
#ifdef LIBRARIES_LINKED
	*library = (struct inflate_library){
		.unused = 0,
#define F(name) .name = name,
		ZLIB_FUNCTIONS(F) ZSTD_FUNCTIONS(F) LZMA_FUNCTIONS(F) LZ4_FUNCTIONS(F)
		MSPACK_FUNCTIONS(F)
#undef F
	};
	return kind != INFLATE_NONE;
#else
	return formats[kind].functions->name == NULL ||
	       library_load(formats[kind].libraries, formats[kind].functions, library);
#endif
}

enum inflate_kind
inflate_identify(const uint8_t *bytes, uint64_t size)
{
	for (unsigned kind = INFLATE_NONE + 1; kind < INFLATE_KIND_COUNT; kind++)
		if (size >= formats[kind].magic_size &&
		    memcmp(bytes, formats[kind].magic, formats[kind].magic_size) == 0)
			return (enum inflate_kind)kind;
	return INFLATE_NONE;
}

const char *
inflate_name(enum inflate_kind kind)
{
	return text_or_empty(formats[kind].name);
}

uint64_t
inflate_head(enum inflate_kind kind)
{
	return formats[kind].head;
}

const char *
inflate_tool(enum inflate_kind kind, bool test)
{
	return text_or_empty(test ? formats[kind].test : formats[kind].unpack);
}

uint64_t
inflate_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2
					      : LIMIT_INFLATED;

	return half < LIMIT_INFLATED ? half : LIMIT_INFLATED;
}

uint64_t
inflate_ratio(uint64_t all, uint64_t ratio, uint64_t size)
{
	const uint64_t most = inflate_limit();

	return size > (most - all) / ratio || all > most ? most : all + ratio * size;
}

void
inflate_bytes(enum inflate_kind kind, const uint8_t *bytes, uint64_t size, uint64_t limit,
	      struct inflated *inflated)
{
	struct inflate_job job = { .next = bytes, .left = size, .limit = limit, .out = inflated,
			   .memory = inflate_ratio(LIMIT_INFLATED_MEMORY, LIMIT_INFLATED_RATIO,
						   size) };

	*inflated = (struct inflated){ .data = NULL };
	if (kind <= INFLATE_NONE || kind >= INFLATE_KIND_COUNT) {
		inflate_stop(&job, INFLATE_CORRUPT, "unknown compression");
		return;
	}
	if (open_library(kind, &job.library))
		formats[kind].run(&job);
	else
		inflate_stop(&job, INFLATE_LEFT_OUT, "its library cannot be loaded");
	give_back(&job);
	/* The additional byte was room for the last call, not output. */
	if (inflated->size > limit) {
		inflated->size = limit;
		inflate_stop(&job, INFLATE_LIMIT, "the decompressed data exceed the limit");
	}
	if (inflated->size == 0)
		inflate_free(inflated);
	if (inflated->size == inflated->room)
		return;
	/* Give back the unused part of the last doubling. */
	void *data = mremap(inflated->data, (size_t)inflated->room, (size_t)inflated->size,
			    MREMAP_MAYMOVE);
	if (data != MAP_FAILED) {
		inflated->data = data;
		inflated->room = inflated->size;
	}
}

/* inflate_exactly() without the library of a format. */
#define DECLINE(function) \
	static bool function(const uint8_t *bytes, uint64_t size, uint8_t *to, uint64_t room) \
	{ \
		(void)bytes, (void)size, (void)to, (void)room; \
		return false; \
	}

#ifdef HAVE_ZSTD
static bool
zstd_exactly(const uint8_t *bytes, uint64_t size, uint8_t *to, uint64_t room)
{
	struct inflate_library library;

	return open_library(INFLATE_ZSTD, &library) &&
	       library.ZSTD_decompress(to, (size_t)room, bytes, (size_t)size) == room;
}
#else
DECLINE(zstd_exactly)
#endif

#ifdef HAVE_ZLIB
static bool
zlib_exactly(const uint8_t *bytes, uint64_t size, uint8_t *to, uint64_t room)
{
	struct inflated out = { .data = to, .room = room };
	struct inflate_job job = { .next = bytes, .left = size, .out = &out, .given = room };
	z_stream stream = { .zalloc = Z_NULL };
	int result = Z_OK;

	if (!open_library(INFLATE_GZIP, &job.library) ||
	    job.library.inflateInit2_(&stream, 15, ZLIB_VERSION, sizeof(stream)) != Z_OK)
		return false;
	/* zlib counts in 32 bits; without progress it reports a buffer that is too small. */
	while (result == Z_OK) {
		job.given = room - out.size;
		result = gzip_step(&job, &stream);
	}
	job.library.inflateEnd(&stream);
	return result == Z_STREAM_END && out.size == room;
}
#else
DECLINE(zlib_exactly)
#endif

bool
inflate_exactly(bool zstd, const uint8_t *bytes, uint64_t size, uint8_t *to, uint64_t room)
{
	return zstd ? zstd_exactly(bytes, size, to, room) : zlib_exactly(bytes, size, to, room);
}

uint32_t
inflate_crc32(uint32_t crc, const uint8_t *bytes, uint32_t size)
{
#ifdef HAVE_ZLIB
	struct inflate_library library;

	if (open_library(INFLATE_GZIP, &library))
		return (uint32_t)library.crc32(crc, bytes, size);
#endif
	crc = ~crc;
	for (uint32_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

void
inflate_free(struct inflated *inflated)
{
	if (inflated->data != NULL)
		munmap(inflated->data, (size_t)inflated->room);
	inflated->data = NULL;
	inflated->size = 0;
	inflated->room = 0;
}
