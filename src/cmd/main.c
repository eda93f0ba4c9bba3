/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"

int
main(int argc, char **argv)
{
	return cmd_main(argc, argv);
}
