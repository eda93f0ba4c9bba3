/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_MSF_IMAGE_H
#define TESTS_MSF_IMAGE_H

#include "pdb/msf.h"

/** The streams of a PDB, copied from its container into another one with small blocks. A test can
 * cut a single stream, and the file has little except its streams. */
struct msf_image {
	uint8_t **streams;		/* each in an allocation of exactly its size */
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

/** The file offset of a byte of a stream in the output of msf_image_write. The directory has
 * the number after those of the streams. */
size_t
msf_image_place(const struct msf_image *image, uint32_t stream, uint32_t offset);

#endif
