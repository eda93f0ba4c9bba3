/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/file_pointer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "system/file.h"

/* Bytes of its text in a message. */
#define SHOWN 160u

bool
file_pointer_is_foreign(const char *path)
{
	return strchr(path, '\\') != NULL ||
	       (isalpha((unsigned char)path[0]) && path[1] == ':');
}

bool
file_pointer_read(const char *path, bool follow, char target[FILE_POINTER_SIZE], char *why,
		  size_t size)
{
	char shown[SHOWN];
	struct file file;
	bool good = false;

	target[0] = '\0';
	if (file_open_head(&file, path, FILE_POINTER_SIZE - 1, NULL) != ERROR_NONE) {
		snprintf(why, size, "its file.ptr cannot be read");
		return false;
	}
	const char *text = (const char *)file.data;
	size_t length = (size_t)file.size;
	const bool leads = length >= 5 && strncasecmp(text, "PATH:", 5) == 0;
	const bool says = length >= 4 && strncasecmp(text, "MSG:", 4) == 0;
	const size_t skip = leads ? 5 : says ? 4 : 0;
	length -= skip;
	if (length > 0)
		memcpy(target, text + skip, length);
	target[length] = '\0';
	length = strcspn(target, "\r\n");
	while (length > 0 && target[length - 1] == ' ')
		length--;
	target[length] = '\0';
	file_close(&file);
	const char *begin = target + strspn(target, " ");
	text_printable(shown, sizeof(shown), text_of(begin));
	if (says)
		snprintf(why, size, "its file.ptr says: %s", shown);
	else if (!leads)
		snprintf(why, size, "its file.ptr has neither PATH: nor MSG:");
	else if (file_pointer_is_foreign(begin))
		snprintf(why, size, "its file.ptr leads to '%s', a path of Windows", shown);
	else if (begin[0] != '/')
		snprintf(why, size, "its file.ptr leads to '%s', which is no absolute path", shown);
	else if (!follow)
		snprintf(why, size, "its file.ptr leads to '%s'; --follow-pointers would follow it",
			 shown);
	else
		good = true;
	memmove(target, begin, strlen(begin) + 1);
	return good;
}
