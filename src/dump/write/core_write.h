/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_CORE_WRITE_H
#define DUMP_CORE_WRITE_H

#include "dump/write/dump_image.h"

/**
 * Writing an ELF core from the minidump of a Linux process, for debuggers that read no minidumps.
 *
 * Registers, signal, auxiliary vector, command line, mappings and memory are those of the dump. A
 * core has no list of modules: a debugger follows the dynamic linker's list in memory, which most
 * minidumps store elsewhere. If the dump has no memory there, the list and a header with the build
 * ID of each module are made up, and `made_up` counts their bytes; the program's dynamic section is
 * the dump's.
 */

/**
 * Make the core of a crash; the image points to memory of `arena` and of the crash. ERROR_FORMAT if
 * the dump is not a minidump of Linux, or cores have no layout for its processor; ERROR_MEMORY.
 */
enum error_code
core_write(const struct crash *crash, struct arena *arena, struct dump_image *image,
	   struct error *error);

#endif
