/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "binary/binary.h"
#include "crash/crash.h"
#include "locate/symbol_path.h"
#include "locate/symbol_head.h"
#include "system/directory.h"
#include "system/door.h"
#include "system/file.h"

/* Bytes of a name: the limit of file systems. */
#define NAME_MOST 255u
/* Layers of compression that a download may have: of the file and of the transfer. */
#define LAYERS 2u

size_t
fetch_url_base(const char *url)
{
	size_t length = strcspn(url, "?#");

	while (length > 0 && url[length - 1] == '/')
		length--;
	return length;
}

/* Finds where the host in a URL begins and ends, without the user's name and password. */
static void
find_host(const char *url, size_t *scheme, size_t *begin, size_t *end)
{
	const char *slashes = strstr(url, "://");

	*scheme = slashes == NULL ? 0 : (size_t)(slashes - url) + 3;
	*end = *scheme + strcspn(url + *scheme, "/?#");
	*begin = *scheme;
	for (size_t i = *scheme; i < *end; i++)
		if (url[i] == '@')
			*begin = i + 1;
}

void
fetch_url_show(const char *url, char *buffer, size_t size)
{
	size_t scheme, begin, end;

	find_host(url, &scheme, &begin, &end);
	snprintf(buffer, size, "%.*s%.*s", (int)scheme, url, (int)strcspn(url + begin, "?#"),
		 url + begin);
}

void
fetch_url_host(const char *url, char *buffer, size_t size)
{
	size_t scheme, begin, end;

	find_host(url, &scheme, &begin, &end);
	text_printable(buffer, size, (struct text){ url + begin, end - begin });
}

bool
fetch_url_is_of(const char *url, const char *server)
{
	const size_t length = fetch_url_base(server);

	return length > 0 && strncmp(url, server, length) == 0 &&
	       strchr("/?#", url[length]) != NULL;
}

bool
fetch_url_same(const char *one, const char *other)
{
	const size_t length = fetch_url_base(one);

	return length == fetch_url_base(other) && memcmp(one, other, length) == 0 &&
	       strcmp(one + strcspn(one, "?#"), other + strcspn(other, "?#")) == 0;
}

bool
fetch_form_applies(const struct fetch_form *form, const struct locate_subject *subject)
{
	char *path = layout_path(subject, "", form->pattern);
	bool applies = path != NULL;

	/* Refuse names of directories that are too long or contain control characters. */
	if (applies && text_printable_length(text_of(path)) != strlen(path))
		applies = false;
	for (const char *part = path; applies && *part != '\0'; part += strcspn(part, "/")) {
		part += strspn(part, "/");
		applies = strcspn(part, "/") <= NAME_MOST;
	}
	free(path);
	return applies;
}

bool
fetch_url_make(char *url, const char *base, const struct locate_subject *subject,
	       const struct fetch_form *form, bool tiers)
{
	const size_t path = strcspn(base, "?#");
	const char *own = base[path] == '?' ? base + path + 1 : "";
	const int own_length = (int)strcspn(own, "#");
	char pattern[64];
	char *folder = strndup(base, fetch_url_base(base));
	char *query = form->query != NULL ? layout_url(subject, "", form->query) : NULL;
	bool good = false;

	snprintf(pattern, sizeof(pattern), "%s%s", tiers ? form->tier : "", form->pattern);
	char *file = folder == NULL ? NULL : layout_url(subject, folder, pattern);
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

static bool
make_path(char *path, const char *directory, const struct locate_subject *subject,
	  const struct fetch_form *form)
{
	/* A symbol file with the module's ID is kept in the layout that is searched first. */
	const bool other = form->kind == LOCATE_SYMBOLS &&
			   (subject->name[0] == '\0' || layout_is_zero(subject->id));
	char *made = layout_path(subject, directory, other ? "%C/%D/%T.sym" : form->kept);
	const size_t length = made == NULL ? SIZE_MAX : strlen(made);

	if (length < FETCH_PATH_SIZE)
		memcpy(path, made, length + 1);
	free(made);
	return length < FETCH_PATH_SIZE;
}

bool
fetch_keep_path(char *path, const char *directory, const struct locate_subject *subject,
		const struct fetch_form *form)
{
	errno = ENAMETOOLONG;
	/* Another thread may have removed an empty folder (fetch_keep_tidy). */
	return make_path(path, directory, subject, form) &&
	       (directory_make_above(path, 0755) ||
		(errno == ENOENT && directory_make_above(path, 0755)));
}

void
fetch_keep_tidy(const char *directory, const struct locate_subject *subject,
		const struct fetch_form *form)
{
	char path[FETCH_PATH_SIZE];
	bool empty = make_path(path, directory, subject, form);

	for (unsigned level = 0; empty && level < 2; level++) {
		*strrchr(path, '/') = '\0';
		empty = rmdir(path) == 0;
	}
}

/* Replace the bytes of a download; NULL, or why it failed, in `why`. */
static const char *
replace_bytes(struct fetch_part *part, const uint8_t *bytes, uint64_t length, char *why,
	      size_t size)
{
	if (fetch_part_begin(part, "", 0) && fetch_part_add(part, bytes, (size_t)length) &&
	    fetch_part_end(part))
		return NULL;
	snprintf(why, size, "cannot write to the cache: %s", door_strerror(errno));
	return why;
}

static const char *
unpack_once(struct fetch_part *part, enum inflate_kind kind, const struct file *file, uint64_t most,
       char *why, size_t size)
{
	struct inflated inflated;
	const char *reason = why;
	const uint64_t bound =
		inflate_ratio(LIMIT_INFLATED_TEXT, LIMIT_INFLATED_RATIO, file->size);

	most = most < bound ? most : bound;
	inflate_bytes(kind, file->data, file->size, most, &inflated);
	if (inflated.end == INFLATE_LIMIT)
		snprintf(why, size, "the decompressed file exceeds %llu MB",
			 (unsigned long long)(most >> 20));
	else if (inflated.end != INFLATE_WHOLE)
		snprintf(why, size, "the compressed download is damaged: %s", inflated.reason);
	else
		reason = replace_bytes(part, inflated.data, inflated.size, why, size);
	inflate_free(&inflated);
	return reason;
}

/* Why an unpacked download is not the wanted symbol file; NULL: it is. */
static const char *
refuse_symbols(const struct symbol_head *head, const struct file *file, const char *id, char *why,
	       size_t size)
{
	char shown[FETCH_VALUE_SIZE];

	if (!layout_is_zero(id) && strcasecmp(head->id, id) != 0) {
		text_printable(shown, sizeof(shown), text_of(head->id));
		snprintf(why, size, "the download is for another build, with the ID %s", shown);
		return why;
	}
	/* A file that begins like a symbol file may still be another kind of file. */
	if (memchr(file->data, '\0', (size_t)file->size) != NULL)
		return "the download is not text after its MODULE record";
	return file->data[file->size - 1] != '\n'
		       ? "the download ends inside a line; it is truncated" : NULL;
}

/* Why a file is not the wanted program or PDB; NULL: it is. */
static const char *
refuse_own(const struct binary *binary, const struct fetch_wanted *wanted, char *why, size_t size)
{
	const struct module *module = wanted->subject->module;
	const bool pdb = wanted->form->kind == LOCATE_DEBUG;
	char code[32], found[FETCH_VALUE_SIZE];

	snprintf(code, sizeof(code), "%08X%x", (unsigned)module->timestamp,
		 (unsigned)module->size);
	if (binary->format != (pdb ? BINARY_PDB : BINARY_PE))
		return pdb ? "the download is not a PDB" : "the download is not a PE file";
	if (strcasecmp(binary->id, pdb ? wanted->subject->pdb_id : code) != 0) {
		text_printable(found, sizeof(found), text_of(binary->id));
		snprintf(why, size, "the download is for another build, with the ID %s", found);
		return why;
	}
	return binary_is_whole(binary) ? NULL : "the download is truncated";
}

/* Why a download is not a file of the wanted kind. */
static const char *
refuse_other(const struct symbol_head *head, const struct fetch_header *header,
	     enum locate_kind kind, char *why, size_t size)
{
	static const char *const names[LOCATE_KINDS] = { [LOCATE_SYMBOLS] = "symbol file",
							 [LOCATE_IMAGE] = "PE file",
							 [LOCATE_DEBUG] = "PDB" };
	const bool coded = header->encoding[0] != '\0' &&
			   strcasecmp(header->encoding, "gzip") != 0 &&
			   strcasecmp(header->encoding, "identity") != 0;
	const char *join = header->type[0] != '\0' ? ", but has the type " : "";
	const char *instead = header->type;

	if (head->state == SYMBOL_HEAD_EMPTY)
		return "the download is empty";
	if (head->state == SYMBOL_HEAD_UTF16) {
		join = ": it is UTF-16 text";
		instead = "";
	} else if (coded) {
		join = ": it is encoded as ";
		instead = header->encoding;
	} else if (head->state == SYMBOL_HEAD_FOREIGN) {
		join = ", but ";
		instead = head->foreign->what;
	}
	snprintf(why, size, "the download is not a %s%s%s", names[kind], join, instead);
	return why;
}

/* Why an unpacked download is not the wanted file; NULL: it is. */
static const char *
refuse(const struct fetch_part *part, const struct file *file, const struct fetch_header *header,
       const struct fetch_wanted *wanted, char *why, size_t size)
{
	const enum locate_kind kind = wanted->form->kind;
	struct symbol_head head;
	struct arena arena = { 0 };
	struct error error = { 0 };
	struct binary *binary;
	const char *reason;

	symbol_head_read(&head, part->path, &arena);
	if (kind == LOCATE_SYMBOLS) {
		reason = head.id == NULL
				 ? refuse_other(&head, header, kind, why, size)
				 : refuse_symbols(&head, file, wanted->subject->id, why, size);
	} else if (binary_kind_of(part->path) != BINARY_KIND_OWN) {
		reason = refuse_other(&head, header, kind, why, size);
	} else if (binary_open(&binary, part->path, &error) != ERROR_NONE) {
		snprintf(why, size, "the download is damaged: %.160s", error.text);
		reason = why;
	} else {
		reason = refuse_own(binary, wanted, why, size);
		binary_close(binary);
	}
	arena_free(&arena);
	return reason;
}

/* Replace a file.ptr by the file that it leads to. */
static const char *
follow(struct fetch_part *part, const struct fetch_wanted *wanted, char *why, size_t size)
{
	char target[FILE_POINTER_SIZE];
	const char *reason = why;
	struct file file;

	if (!file_pointer_read(part->path, wanted->follow, target, why, size))
		return why;
	if (file_open_most(&file, target, LIMIT_READ_SMALL, NULL, NULL) != ERROR_NONE) {
		snprintf(why, size, "the file that its file.ptr leads to cannot be read");
		return why;
	}
	if (file.size > wanted->most)
		reason = "the file that its file.ptr leads to is too large";
	else
		reason = replace_bytes(part, file.data, file.size, why, size);
	file_close(&file);
	return reason;
}

const char *
fetch_keep_unpack(struct fetch_part *part, uint64_t most, char *why, size_t size)
{
	const char *reason = NULL;
	bool plain = false;

	for (unsigned layer = 0; reason == NULL && !plain && layer < LAYERS; layer++) {
		struct file file;

		if (file_open_most(&file, part->path, LIMIT_READ_SMALL, NULL, NULL) != ERROR_NONE)
			return "cannot read the download back";
		const enum inflate_kind kind = inflate_identify(file.data, file.size);
		plain = kind == INFLATE_NONE;
		if (!plain)
			reason = unpack_once(part, kind, &file, most, why, size);
		file_close(&file);
	}
	return reason;
}

const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header,
		 const struct fetch_wanted *wanted, char *why, size_t size)
{
	const char *reason = wanted->form->pointer ? follow(part, wanted, why, size) : NULL;
	struct file file;

	if (reason == NULL)
		reason = fetch_keep_unpack(part, wanted->most, why, size);
	if (reason != NULL)
		return reason;
	if (file_open_most(&file, part->path, LIMIT_READ_SMALL, NULL, NULL) != ERROR_NONE)
		return "cannot read the download back";
	reason = refuse(part, &file, header, wanted, why, size);
	file_close(&file);
	return reason;
}
