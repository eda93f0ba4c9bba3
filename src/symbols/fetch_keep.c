/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fetch_keep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "symbols/fetch_url.h"
#include "symbols/shelf.h"

/* How often what came may have been compressed: as a file, and on its way. */
#define LAYERS 2u

static bool
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		const bool good = mkdir(path, 0755) == 0 || errno == EEXIST;
		*slash = '/';
		if (!good)
			return false;
	}
	return true;
}

static bool
is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

bool
fetch_keep_path(char *path, size_t *folder, const char *directory,
		const struct fetch_wanted *wanted, bool code)
{
	/* It has the module's id, so that it is kept where everybody looks first. */
	const bool other = code && (wanted->name[0] == '\0' || is_zero(wanted->id));
	const char *name = other ? wanted->code_name : wanted->name;
	const int length = snprintf(path, FETCH_PATH_SIZE, "%s/%s/%s/%.*s.sym", directory, name,
				    other ? wanted->code_id : wanted->id,
				    (int)fetch_url_stem(name, other), name);

	if (length <= 0 || (size_t)length >= FETCH_PATH_SIZE) {
		errno = ENAMETOOLONG;
		return false;
	}
	*folder = (size_t)(strrchr(path, '/') - path);
	return make_folders(path);
}

/* Put what compressed bytes hold in their place; `packed`: they were compressed. */
static const char *
unpack(struct fetch_part *part, uint64_t most, bool *packed, char *why, size_t size)
{
	struct inflated inflated;
	const char *reason = NULL;
	struct file file;

	if (file_open_mapped(&file, part->path, NULL) != ERROR_NONE)
		return "what came can't be read again";
	const enum inflate_kind kind = inflate_identify(file.data, file.size);
	*packed = kind != INFLATE_NONE;
	if (*packed) {
		inflate_bytes(kind, file.data, file.size, most, &inflated);
		if (inflated.end == INFLATE_LIMIT) {
			snprintf(why, size, "more than %llu MB come out of what is compressed",
				 (unsigned long long)(most >> 20));
			reason = why;
		} else if (inflated.end != INFLATE_WHOLE) {
			snprintf(why, size, "what comes is compressed and damaged: %s",
				 inflated.reason);
			reason = why;
		} else if (!fetch_part_begin(part, "", 0) ||
			   !fetch_part_add(part, inflated.data, (size_t)inflated.size) ||
			   !fetch_part_end(part)) {
			snprintf(why, size, "it can't be written to the cache: %s", strerror(errno));
			reason = why;
		}
		inflate_free(&inflated);
	}
	file_close(&file);
	return reason;
}

/* Why plain bytes are not the wanted file; NULL: they are. */
static const char *
refuse(const struct fetch_part *part, const struct fetch_header *header, const char *id, char *why,
       size_t size)
{
	struct shelf_head head;
	struct arena arena;
	char shown[FETCH_VALUE_SIZE];
	const char *reason = NULL;

	arena_init(&arena, 0);
	shelf_head_read(&head, part->path, &arena);
	if (head.id == NULL && head.empty) {
		reason = "what comes is empty";
	} else if (head.id == NULL) {
		const bool coded = header->encoding[0] != '\0' &&
				   strcasecmp(header->encoding, "gzip") != 0 &&
				   strcasecmp(header->encoding, "identity") != 0;

		snprintf(why, size, "what comes is no symbol file%s%s",
			 head.utf16 ? ": it is UTF-16 text"
			 : coded    ? ": it is encoded as "
			 : header->type[0] != '\0' ? ", but of the type "
						   : "",
			 head.utf16 ? "" : coded ? header->encoding : header->type);
		reason = why;
	} else if (!is_zero(id) && strcasecmp(head.id, id) != 0) {
		text_printable(shown, sizeof(shown), text_of(head.id));
		snprintf(why, size, "what comes is for another build, with the id %s", shown);
		reason = why;
	}
	arena_free(&arena);
	return reason;
}

static bool
ends_in_line(const struct fetch_part *part)
{
	return part->bytes > 0 && fseeko(part->file, -1, SEEK_END) == 0 && getc(part->file) != '\n';
}

const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header, const char *id,
		 uint64_t most, char *why, size_t size)
{
	const char *reason = NULL;
	bool packed = true, any = false;

	for (unsigned i = 0; reason == NULL && packed && i < LAYERS; i++) {
		reason = unpack(part, most, &packed, why, size);
		any = any || packed;
	}
	if (reason == NULL)
		reason = refuse(part, header, id, why, size);
	/* Compressed bytes say themselves where they end. */
	if (reason == NULL && !any && !header->framed && ends_in_line(part))
		reason = "it ends inside a line, and the server did not say how long it is";
	return reason;
}
