/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "cmd/cmd.h"

#ifndef HAVE_ELF
#define ELF_NAME "built without libelf (ELF files are not read)"
#endif
#ifndef HAVE_DWARF
#define DWARF_NAME "built without libdw (.eh_frame is not read)"
#endif
#ifndef HAVE_DEBUGINFOD
#define DEBUGINFOD_NAME "no libdebuginfod (debug files are not fetched)"
#endif
#ifndef HAVE_CURL
#define CURL_NAME "built without libcurl (symbol files are not downloaded)"
#endif
#ifndef HAVE_CAPSTONE
#define CAPSTONE_NAME "built without capstone (instructions are not shown)"
#endif
#ifndef HAVE_DEMANGLER
#define DEMANGLER_NAME "built without libiberty (names stay mangled)"
#endif

const char *
cmd_libraries(void)
{
	return ELF_NAME ", " DWARF_NAME ", " CAPSTONE_NAME "\n" ZLIB_NAME ", " LZMA_NAME ", " ZSTD_NAME
	       ", " CURL_NAME "\n" DEBUGINFOD_NAME ", " DEMANGLER_NAME;
}

bool
cmd_reads_dwarf(void)
{
#ifdef HAVE_DWARF
	return true;
#else
	return false;
#endif
}
