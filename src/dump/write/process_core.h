/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_PROCESS_CORE_H
#define DUMP_PROCESS_CORE_H

#include <stddef.h>

#include "base/error.h"

/**
 * The ELF core of a process of this machine (Linux, 64 bits) whose threads the caller has stopped
 * with ptrace: registers, the signal, the auxiliary vector, the mapped files and all memory that
 * can be read. As the kernel writes it (Linux, fs/binfmt_elf.c), but that mapped files are
 * written whole.
 *
 * `threads` are their numbers, the one that crashed first; `signal` is what stopped that one. A
 * existing file is not replaced.
 */
enum error_code
process_core_save(const char *path, int process, const int *threads, size_t count, int signal,
		  struct error *error);

#endif
