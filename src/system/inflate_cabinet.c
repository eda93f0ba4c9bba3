/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "system/inflate_internal.h"

#ifdef HAVE_MSPACK

#include <mspack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/*
 * Cabinets ([MS-CAB]) with one file, as symbol servers of Windows keep PDBs and programs. libmspack
 * decodes MSZIP, LZX and Quantum; it reads the bytes of the job and writes into its room, and never
 * opens a file of the system. The name in the cabinet is ignored.
 */

/* Where the header has the number of files (CFHEADER, cFiles). */
#define FILES_AT 28u

/* The argument of the library's callbacks; its own struct comes first. */
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
	else
		say(job, decoder->extract(decoder, cabinet->files, ""));
	decoder->close(decoder, cabinet);
}

void
inflate_cabinet(struct inflate_job *job)
{
	struct cabinet cabinet = {
		.system = { .open = open_stream, .close = close_stream, .read = read_stream,
			    .write = write_stream, .seek = seek_stream, .tell = tell_stream,
			    .message = ignore_message, .alloc = alloc_bytes, .free = free,
			    .copy = copy_bytes },
		.job = job,
	};
	struct mscab_decompressor *decoder = mspack_create_cab_decompressor(&cabinet.system);

	if (decoder == NULL) {
		inflate_stop(job, INFLATE_MEMORY, OUT_OF_MEMORY);
		return;
	}
	extract(decoder, job);
	mspack_destroy_cab_decompressor(decoder);
}

#else

void
inflate_cabinet(struct inflate_job *job)
{
	inflate_stop(job, INFLATE_LEFT_OUT, "this unspool was built without libmspack");
}

#endif
