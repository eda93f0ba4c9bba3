/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_PROCESS_CORE_H
#define DUMP_PROCESS_CORE_H

#include <stddef.h>

#include "base/error.h"

/**
 * The ELF core of a process of this machine (Linux, 64 bits) whose threads the caller has stopped
 * with ptrace: registers, the signal, the auxiliary vector, the mapped files and all readable
 * memory. In the kernel's form (Linux, fs/binfmt_elf.c), except that mapped files are written
 * completely.
 *
 * `threads` are their numbers, the crashed one first; `signal` is the one that stopped it. An
 * existing file is not replaced.
 */
enum error_code
process_core_save(const char *path, int process, const int *threads, size_t count, int signal,
		  struct error *error);

#endif
