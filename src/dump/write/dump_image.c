/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/dump_image.h"

#include "system/new_file.h"

enum error_code
dump_image_save(const struct dump_image *image, const char *path, struct error *error)
{
	struct new_file file;

	if (new_file_open(&file, path, false, error) != ERROR_NONE)
		return error->code;
	for (size_t i = 0; i < image->count; i++)
		if (image->pieces[i].size > 0)
			fwrite(image->pieces[i].bytes, 1, image->pieces[i].size, file.stream);
	return new_file_close(&file, true, error);
}
