/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_BINARY_PLACES_H
#define LOCATE_BINARY_PLACES_H

#include "binary/binary.h"

/**
 * Where the files of a crash's modules were looked for, and what stood there.
 *
 * Searches note every place as they go, in some bytes each; paths are made again when somebody
 * wants to see them.
 */

/** How a place comes from what was given. */
enum binaries_way {
	BINARIES_GIVEN,			/* itself */
	BINARIES_BY_BUILD_ID,		/* .build-id/xx/yyyy */
	BINARIES_BY_CACHE,		/* xxyyyy/executable, xxyyyy/debuginfo */
	BINARIES_BY_CODE_ID,		/* NAME/CODE_ID/NAME */
	BINARIES_BY_DEBUG_ID,		/* NAME/DEBUG_ID/NAME */
	BINARIES_BY_KEY,		/* NAME/elf-buildid-xxyyyy/NAME */
	BINARIES_BY_PATH,		/* PATH/OF/NAME */
	BINARIES_BY_NAME,		/* NAME, or with '.debug' behind it */
	BINARIES_BY_LINK,		/* the name in a .gnu_debuglink */
	BINARIES_BY_SUPPLEMENT,		/* the name in a .gnu_debugaltlink */
	BINARIES_WITHIN,		/* in .gnu_debugdata of another file */
	BINARIES_BY_SERVER,		/* a server for debug files */
	BINARIES_WAY_COUNT
};

enum binaries_outcome {
	BINARIES_NOT_THERE,
	BINARIES_REFUSED,
	BINARIES_ASIDE,			/* a program was wanted, and it has debug information alone */
	BINARIES_USED,
};

/** A place that a search looked at. Texts are the visitor's until it returns. */
struct binaries_place {
	enum binaries_kind kind;	/* what was wanted */
	enum binaries_way way;
	enum binaries_outcome outcome;
	const char *path;
	size_t directory_length;	/* of the path, that was given or another file is in; 0: all */
	const char *why;		/* it was refused, or what else is there; NULL */
};

typedef void binaries_visit(void *context, const struct binaries_place *place);

/**
 * Tell the places where the files of loaded module `module` were looked for so far, in order.
 * What nobody has asked for (binaries_load) was not looked for. Returns how many places are not
 * told because the record was full (LIMIT_BINARY_PLACES). NULL has none.
 */
size_t
binaries_places(const struct binaries *binaries, size_t module, binaries_visit *visit,
		void *context);

/** Whether a file of a module was looked for. False on NULL. */
bool
binaries_looked(const struct binaries *binaries, size_t module, enum binaries_kind kind);

#endif
