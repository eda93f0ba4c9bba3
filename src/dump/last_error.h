/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_LAST_ERROR_H
#define DUMP_LAST_ERROR_H

#include "crash/crash.h"

/**
 * What GetLastError would have told each thread of a Windows crash: thread->last_error.
 *
 * The value lies in the thread environment block, which full dumps have and small ones may have.
 * The crash's memory must be indexed (memory_index).
 */
void
last_error_read(struct crash *crash);

#endif
