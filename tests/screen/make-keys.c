/* SPDX-License-Identifier: GPL-3.0-or-later */
/** make-keys SEED COUNT: a script of COUNT random keys (random_keys.h). The same seed makes the same script. */
#include <stdlib.h>

#include "tests/screen/random_keys.h"

int
main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: make-keys SEED COUNT\n");
		return 2;
	}
	struct chance chance = chance_of(strtoull(argv[1], NULL, 10), 1);
	random_keys(stdout, &chance, strtoul(argv[2], NULL, 10));
	return ferror(stdout) != 0;
}
