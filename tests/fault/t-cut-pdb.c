/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A PDB, cut and with bytes changed, gives a symbol file or an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_syms/dump_syms.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define MUTATIONS 3000u
#define CUTS 64u

struct written {
	uint64_t bytes;
	bool clean;			/* no control characters */
};

static void
take(void *context, const char *text, size_t length)
{
	struct written *written = context;

	written->bytes += length;
	for (size_t i = 0; i < length; i++)
		written->clean &= (unsigned char)text[i] >= ' ' || text[i] == '\n';
}

/* Write the symbol file of these bytes; false if they are refused. */
static bool
try(const uint8_t *bytes, size_t size, struct written *written)
{
	const struct output output = { .write = take, .context = written };
	const struct dump_syms_options options = { .threads = 1 };
	struct error error = { 0 };
	struct binary *binary;
	struct dump_syms dump;
	struct crash crash;

	*written = (struct written){ .clean = true };
	if (binary_from_memory(&binary, "kiosk.pdb", bytes, size, &error) != ERROR_NONE)
		return false;
	if (!binary_as_crash(binary, "kiosk.pdb", &crash)) {
		binary_close(binary);
		return false;
	}
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	const bool good = dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &error) ==
			  ERROR_NONE;
	if (good) {
		dump_syms_write(&dump, &output);
		dump_syms_free(&dump);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return good;
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	unsigned opened = 0, unclean = 0, large = 0;
	struct written whole, written;
	uint64_t state = 20;
	char path[1024];
	size_t size;

	snprintf(path, sizeof(path), "%s/data/crashes/pdb-x86/binaries/kiosk.pdb",
		 srcdir != NULL ? srcdir : ".");
	uint8_t *bytes = damage_read(path, &size);
	ok(bytes != NULL && try(bytes, size, &whole) && whole.bytes > 1000, "the PDB is written");
	for (size_t cut = 0; bytes != NULL && cut < CUTS; cut++) {
		uint8_t *copy = damage_copy(bytes, size * cut / CUTS);

		opened += try(copy, size * cut / CUTS, &written);
		free(copy);
	}
	ok(opened < CUTS / 2, "most cuts are refused: the directory comes last");
	opened = 0;
	for (unsigned i = 0; bytes != NULL && i < MUTATIONS; i++) {
		uint8_t *copy = damage_copy(bytes, size);

		for (unsigned j = damage_random(&state) % 8 + 1; j > 0; j--) {
			const size_t at = damage_random(&state) % size;
			const uint32_t value = damage_random(&state);

			copy[at] = value % 4 == 0 ? 0xff : (uint8_t)(value >> 8);
		}
		opened += try(copy, size, &written);
		unclean += !written.clean;
		large += written.bytes > 100 * whole.bytes;
		free(copy);
	}
	ok(opened > MUTATIONS / 2, "most PDBs with bytes changed are written");
	is_u64(unclean, 0, "without control characters");
	is_u64(large, 0, "and no larger than what they are made of");
	free(bytes);
	return done_testing();
}
