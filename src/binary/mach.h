/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_MACH_H
#define BINARY_MACH_H

/**
 * Tables of the linker in a Mach-O file, which its load commands lead to. They are sections without
 * an address, under these names.
 */
#define MACH_SYMBOLS "symbol table"		/* struct nlist */
#define MACH_STRINGS "string table"
#define MACH_FUNCTION_STARTS "function starts"	/* distances in ULEB128 */
#define MACH_EXPORTS "exports trie"

#endif
