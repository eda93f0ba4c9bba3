/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SFRAME_H
#define CMD_SFRAME_H

#include "cmd/cmd.h"

/** `unspool sframe --walk`: walk the registers and memory of a walk file and print its frames. */
enum cmd_status
sframe_walk_print(const char *path);

#endif
