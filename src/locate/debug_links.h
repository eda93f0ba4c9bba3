/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_DEBUG_LINKS_H
#define LOCATE_DEBUG_LINKS_H

#include "binary/binary.h"

/**
 * What a file says of the files that its debug information was moved to (GDB manual, Debugging
 * Information in Separate Files; MiniDebugInfo; dwz(1)).
 */
struct debug_link {
	const char *name;		/* as stored, not safe; lives as long as the binary */
	uint32_t crc;			/* CRC-32 of the whole file; of .gnu_debuglink */
	char id[2 * 64 + 1];		/* build id in lower-case hex; of .gnu_debugaltlink */
};

/** The name and the checksum in .gnu_debuglink; false where there is none or it is broken. */
bool
debug_link_read(const struct binary *binary, struct debug_link *link);

/** The name and the build id in .gnu_debugaltlink; false where there is none or it is broken. */
bool
debug_link_read_supplement(const struct binary *binary, struct debug_link *link);

/** The CRC-32 that .gnu_debuglink means, of a whole file. */
uint32_t
debug_link_checksum(const struct binary *binary);

/** Whether there is a .gnu_debugdata. */
bool
debug_link_has_mini(const struct binary *binary);

/**
 * Open the ELF file that is compressed in .gnu_debugdata: it has the symbols that .dynsym lacks.
 * Its addresses are those of `binary`, to which it belongs by construction. `*mini` is the
 * caller's.
 */
enum error_code
debug_link_open_mini(struct binary **mini, const struct binary *binary, struct error *error);

#endif
