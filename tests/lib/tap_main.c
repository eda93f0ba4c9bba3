/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main program of a test that has none of its own. */
#include "tap.h"

int
main(void)
{
	run_tests();
	return done_testing();
}
