/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Digits of a GUID, with which debug identifiers begin. */
#define GUID_DIGITS 32u

/* Whether all of an identifier's digits are zeros: the writer of the dump found none. */
static bool
is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

const char *
binaries_build_id(const struct crash *crash, const struct module *module)
{
	bool other = crash->system.os == CRASH_OS_WINDOWS || crash->system.os == CRASH_OS_MAC ||
		     crash->system.os == CRASH_OS_IOS;

	return other || is_zero(module->code_id) ? "" : module->code_id;
}

/* What the dump says that a file's id must be, in `wanted`; false where it says nothing. */
static bool
wanted_id(const struct crash *crash, const struct module *module, enum binary_format format,
	  char wanted[LOCATE_SHOWN], bool *guid)
{
	const char *id = binaries_build_id(crash, module);

	*guid = false;
	if (format == BINARY_PE) {
		snprintf(wanted, LOCATE_SHOWN, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
		return module->timestamp != 0;
	}
	if (*id == '\0' && !is_zero(module->debug_id) && strlen(module->debug_id) >= GUID_DIGITS) {
		id = module->debug_id;
		*guid = true;
	}
	snprintf(wanted, LOCATE_SHOWN, "%.*s", *guid ? (int)GUID_DIGITS : (int)LOCATE_SHOWN - 1, id);
	return *id != '\0';
}

enum binaries_match
binaries_match(const struct crash *crash, const struct module *module, enum binary_format format,
	       const char *id, char wanted[LOCATE_SHOWN], char found[LOCATE_SHOWN])
{
	bool guid;

	snprintf(found, LOCATE_SHOWN, "%s", *id != '\0' ? id : "none");
	if (!wanted_id(crash, module, format, wanted, &guid))
		return BINARIES_MATCH_UNCHECKED;
	if (*id != '\0' && guid)
		binary_guid(id, found);
	return strcasecmp(wanted, found) == 0 ? BINARIES_MATCH_YES : BINARIES_MATCH_NO;
}
