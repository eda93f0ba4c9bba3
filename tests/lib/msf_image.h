/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_MSF_IMAGE_H
#define TESTS_MSF_IMAGE_H

#include "pdb/msf.h"

/**
 * The streams of a PDB taken out of their container, and put into another one with small blocks: so
 * that a stream can be cut, and that a file has little beside its streams.
 */
struct msf_image {
	uint8_t **streams;		/* in memory of exactly their size */
	uint32_t *sizes;
	uint32_t count;
};

/** Copy all streams. */
void
msf_image_read(struct msf_image *image, const struct msf *msf);

void
msf_image_free(struct msf_image *image);

/** The bytes of a container with blocks of 512 bytes, to be freed; exactly `*size` of them. */
uint8_t *
msf_image_write(const struct msf_image *image, size_t *size);

/**
 * Where a byte of a stream is in what msf_image_write makes, or of the directory for `stream`
 * equal to the number of streams.
 */
size_t
msf_image_place(const struct msf_image *image, uint32_t stream, uint32_t offset);

#endif
