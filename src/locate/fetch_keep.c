/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "system/file.h"
#include "base/text.h"
#include "locate/symbol_head.h"

/* How often what came may have been compressed: as a file, and on its way. */
#define LAYERS 2u

size_t
fetch_url_base(const char *url)
{
	size_t length = strcspn(url, "?#");

	while (length > 0 && url[length - 1] == '/')
		length--;
	return length;
}

bool
fetch_url_same(const char *one, const char *other)
{
	const size_t length = fetch_url_base(one);

	return length == fetch_url_base(other) && memcmp(one, other, length) == 0 &&
	       strcmp(one + strcspn(one, "?#"), other + strcspn(other, "?#")) == 0;
}

bool
fetch_url_make(char *url, const char *base, const struct locate_subject *subject, bool code)
{
	const size_t path = strcspn(base, "?#");
	const char *own = base[path] == '?' ? base + path + 1 : "";
	const int own_length = (int)strcspn(own, "#");
	char *folder = strndup(base, fetch_url_base(base));
	char *file = folder == NULL ? NULL
				    : layout_url(subject, folder, code ? "%C/%K/%R.sym"
								       : LAYOUT_SYMBOLS);
	char *query = code ? NULL : layout_url(subject, "", "code_file=%C&code_id=%D");
	bool good = false;

	if (file != NULL) {
		const int length = snprintf(url, FETCH_PATH_SIZE, "%s%s%s%s%.*s", file,
					    query != NULL ? "?" : "",
					    query != NULL ? query + 1 : "",
					    own_length == 0 ? ""
					    : query != NULL ? "&"
							    : "?", own_length, own);
		good = length > 0 && (size_t)length < FETCH_PATH_SIZE;
	}
	free(folder);
	free(file);
	free(query);
	return good;
}

bool
fetch_keep_path(char *path, size_t *folder, const char *directory,
		const struct locate_subject *subject, bool code)
{
	/* It has the module's id, so it is kept where a search looks first. */
	const bool other = code && (subject->name[0] == '\0' || layout_is_zero(subject->id));
	char *made = layout_path(subject, directory, other ? "%C/%D/%T.sym" : LAYOUT_SYMBOLS);
	const size_t length = made == NULL ? SIZE_MAX : strlen(made);

	if (length < FETCH_PATH_SIZE) {
		memcpy(path, made, length + 1);
		*folder = (size_t)(strrchr(path, '/') - path);
	}
	free(made);
	errno = ENAMETOOLONG;
	bool good = length < FETCH_PATH_SIZE;
	for (char *slash = good ? strchr(path + 1, '/') : NULL; good && slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		good = mkdir(path, 0755) == 0 || errno == EEXIST;
		*slash = '/';
	}
	return good;
}

/* Put what compressed bytes hold in their place. */
static const char *
unpack(struct fetch_part *part, enum inflate_kind kind, const struct file *file, uint64_t most,
       char *why, size_t size)
{
	struct inflated inflated;
	const char *reason = why;

	inflate_bytes(kind, file->data, file->size, most, &inflated);
	if (inflated.end == INFLATE_LIMIT)
		snprintf(why, size, "the decompressed file exceeds %llu MB",
			 (unsigned long long)(most >> 20));
	else if (inflated.end != INFLATE_WHOLE)
		snprintf(why, size, "the compressed download is damaged: %s", inflated.reason);
	else if (!fetch_part_begin(part, "", 0) ||
		 !fetch_part_add(part, inflated.data, (size_t)inflated.size) ||
		 !fetch_part_end(part))
		snprintf(why, size, "cannot write to the cache: %s", strerror(errno));
	else
		reason = NULL;
	inflate_free(&inflated);
	return reason;
}

/* Why plain bytes are not the wanted file; NULL: they are. */
static const char *
refuse(const struct fetch_part *part, const struct fetch_header *header, const char *id, char *why,
       size_t size)
{
	struct symbol_head head;
	struct arena arena = { 0 };
	char shown[FETCH_VALUE_SIZE];
	const char *reason = NULL;
	const bool coded = header->encoding[0] != '\0' &&
			   strcasecmp(header->encoding, "gzip") != 0 &&
			   strcasecmp(header->encoding, "identity") != 0;

	symbol_head_read(&head, part->path, &arena);
	if (head.id == NULL && head.empty) {
		reason = "the download is empty";
	} else if (head.id == NULL) {
		snprintf(why, size, "the download is not a symbol file%s%s",
			 head.utf16		     ? ": it is UTF-16 text"
			 : coded		     ? ": it is encoded as "
			 : head.foreign != NULL	     ? ", but "
			 : header->type[0] != '\0' ? ", but has the type "
						     : "",
			 head.utf16		? ""
			 : coded		? header->encoding
			 : head.foreign != NULL ? head.foreign->what
						: header->type);
		reason = why;
	} else if (!layout_is_zero(id) && strcasecmp(head.id, id) != 0) {
		text_printable(shown, sizeof(shown), text_of(head.id));
		snprintf(why, size, "the download is for another build, with the ID %s", shown);
		reason = why;
	}
	arena_free(&arena);
	return reason;
}

const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header, const char *id,
		 uint64_t most, char *why, size_t size)
{
	const char *reason = NULL;
	bool plain = false;

	for (unsigned layer = 0; reason == NULL && !plain; layer++) {
		struct file file;

		if (file_open_mapped(&file, part->path, NULL, NULL) != ERROR_NONE)
			return "cannot read the download back";
		const enum inflate_kind kind = inflate_identify(file.data, file.size);
		plain = kind == INFLATE_NONE || layer == LAYERS;
		if (!plain)
			reason = unpack(part, kind, &file, most, why, size);
		else
			reason = refuse(part, header, id, why, size);
		/* What begins like a symbol file may not be the whole of one. */
		const bool begins = plain && reason == NULL;
		if (begins && memchr(file.data, '\0', (size_t)file.size) != NULL)
			reason = "the download is not text after its MODULE record";
		else if (begins && file.data[file.size - 1] != '\n')
			reason = "the download ends inside a line; it is truncated";
		file_close(&file);
	}
	return reason;
}
