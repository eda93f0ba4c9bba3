/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_DEBUG_LINKS_H
#define LOCATE_DEBUG_LINKS_H

#include "binary/binary.h"

/**
 * A file's links to the files that have its debug information (GDB manual, Debugging Information in
 * Separate Files; MiniDebugInfo; dwz(1)).
 */
struct debug_link {
	const char *name;		/* as stored, unsafe as a path; lives with the binary */
	uint32_t crc;			/* CRC-32 of the whole file; only in .gnu_debuglink */
	char id[2 * 64 + 1];		/* build ID in lower-case hex; only in .gnu_debugaltlink */
};

/** The name and the checksum in .gnu_debuglink; false if it is missing or broken. */
bool
debug_link_read(const struct binary *binary, struct debug_link *link);

/** The name and the build ID in .gnu_debugaltlink; false if it is missing or broken. */
bool
debug_link_read_supplement(const struct binary *binary, struct debug_link *link);

/** The CRC-32 of a whole file, as in .gnu_debuglink. */
uint32_t
debug_link_checksum(const struct binary *binary);

/** Whether the file has a .gnu_debugdata section. */
bool
debug_link_has_mini(const struct binary *binary);

/**
 * Open the ELF file that is compressed in .gnu_debugdata. It has the symbols that .dynsym lacks,
 * with the addresses of `binary`. Its ID need not be checked. The caller owns `*mini`.
 */
enum error_code
debug_link_open_mini(struct binary **mini, const struct binary *binary, struct error *error);

#endif
