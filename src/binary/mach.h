/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_MACH_H
#define BINARY_MACH_H

/**
 * Linker tables of a Mach-O file, as found through its load commands. They are listed as sections
 * without an address, under these names.
 */
#define MACH_SYMBOLS "symbol table"		/* struct nlist */
#define MACH_STRINGS "string table"
#define MACH_FUNCTION_STARTS "function starts"	/* distances in ULEB128 */
#define MACH_EXPORTS "exports trie"
/* Symbol numbers for stubs and for slots with addresses in other libraries */
#define MACH_INDIRECT "indirect symbol table"

/** Types of sections, in the low byte of their flags. */
#define MACH_SECTION_TYPE 0xffu
#define MACH_SLOTS 6u			/* S_NON_LAZY_SYMBOL_POINTERS */
#define MACH_LAZY_SLOTS 7u		/* S_LAZY_SYMBOL_POINTERS */
#define MACH_STUBS 8u			/* S_SYMBOL_STUBS */

#endif
