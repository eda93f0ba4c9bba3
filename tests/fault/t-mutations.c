/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled dumps and their symbol files with single bytes changed, by a seeded sequence: each
 * copy is opened, walked, printed and explained without harm. */
#include <unistd.h>

#include "dump/dump.h"
#include "system/inflate.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define DUMP_MUTATIONS 500u
#define SYMBOL_MUTATIONS 1200u
#define CORE_MUTATIONS 300u
#define CORE_NOTES 0x1300u	/* bytes of the bundled core that have its headers and notes */
#define CORE_LIMIT (1u << 20)

/* Typical limit values, and random ones. */
static uint8_t
other_byte(uint8_t old, uint64_t *state)
{
	static const uint8_t special[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	uint32_t choice = damage_random(state);

	switch (choice % 3) {
	case 0:
		return special[choice / 3 % sizeof(special)];
	case 1:
		return old ^ (uint8_t)(1u << choice / 3 % 8);
	default:
		return (uint8_t)(choice >> 8);
	}
}

static const char *
try_dump(const uint8_t *bytes, size_t size, const char *symbols)
{
	struct error error = { 0 };
	const char *wrong = NULL;
	struct crash crash;

	if (dump_from_memory(&crash, "mutated.dmp", bytes, size, 0, &error) == ERROR_NONE)
		wrong = damage_look(&crash, symbols, DAMAGE_ALL);
	else if (error.text[0] == '\0')
		wrong = "refused without a word";
	crash_free(&crash);
	return wrong;
}

static void
test_dump(const struct bundle *bundle, uint64_t seed)
{
	size_t size, bad = 0;
	uint8_t *bytes = damage_read(bundle->dump, &size);

	for (unsigned i = 0; i < DUMP_MUTATIONS && size > 0; i += damage_stride()) {
		size_t at = damage_random(&seed) % size;
		uint8_t old = bytes[at];

		bytes[at] = other_byte(old, &seed);
		damage_note(&bad, try_dump(bytes, size, bundle->symbols), "changed at", at);
		bytes[at] = old;
	}
	ok(size > 0 && bad == 0, "%s with a byte changed is looked at in peace", bundle->name);
	free(bytes);
}

/* Try a changed symbol file of the crashed module; the store finds it by its ID. */
static void
test_symbols(const struct bundle *bundle, const char *path, uint64_t seed)
{
	char name[] = "unspool-mutation.XXXXXX";
	size_t size, dump_size, bad = 0;
	uint8_t *bytes = damage_read(path, &size);
	uint8_t *dump = damage_read(bundle->dump, &dump_size);
	int file = mkstemp(name);

	for (unsigned i = 0; i < SYMBOL_MUTATIONS && size > 0 && file >= 0; i += damage_stride()) {
		size_t at = damage_random(&seed) % size;
		uint8_t old = bytes[at];

		bytes[at] = other_byte(old, &seed);
		damage_note(&bad, pwrite(file, bytes, size, 0) == (ssize_t)size ? try_dump(dump, dump_size, name)
					  : "the file can't be written", "changed at", at);
		bytes[at] = old;
	}
	ok(file >= 0 && size > 0 && bad == 0, "%s with a byte of its symbols changed is, too", bundle->name);
	if (file >= 0) {
		close(file);
		unlink(name);
	}
	free(bytes);
	free(dump);
}

/* The bundled core, changed in its headers and notes, and cut within them. */
static void
test_core(uint64_t seed)
{
	struct inflated core = { .data = NULL };
	size_t size, bad = 0;

	const char *path = tap_path("data/cores/list-amd64/core.gz");
	uint8_t *packed = damage_read(path, &size);
	inflate_bytes(INFLATE_GZIP, packed, size, CORE_LIMIT, &core);
	for (unsigned i = 0; i < CORE_MUTATIONS && core.size > CORE_NOTES; i += damage_stride()) {
		const size_t at = damage_random(&seed) % CORE_NOTES;
		const uint8_t old = core.data[at];

		core.data[at] = other_byte(old, &seed);
		damage_note(&bad, try_dump(core.data, core.size, "."), "changed at", at);
		core.data[at] = old;
	}
	ok(core.size > CORE_NOTES && bad == 0, "a core with a byte changed is looked at in peace");
	bad = 0;
	for (size_t cut = 18; cut < CORE_NOTES && cut < core.size; cut += 3 * damage_stride()) {
		uint8_t *bytes = damage_copy(core.data, cut);
		damage_note(&bad, try_dump(bytes, cut, "."), "cut at", cut);
		free(bytes);
	}
	ok(bad == 0, "a core that is cut anywhere is read or refused");
	inflate_free(&core);
	free(packed);
}

/* Each byte value at each place of a text whose length is no multiple of eight. */
static void
test_control(void)
{
	char text[19];
	size_t bad = 0;

	memset(text, '~', sizeof(text));
	for (size_t at = 0; at < sizeof(text); at++) {
		for (unsigned byte = 0; byte < 256; byte++) {
			const bool control = (byte < ' ' && byte != '\n') || byte == 0x7f;
			text[at] = (char)byte;
			bad += damage_has_control(text, sizeof(text)) != control || damage_has_control(text, at);
		}
		text[at] = '\n';
	}
	ok(bad == 0, "a control character is detected at every position");
}

int
main(void)
{
	static const struct {
		const char *bundle, *path;
	} symbols[] = {
		{ "frame-data-x86", "ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81/ledger.sym" },
		{ "scan-only-amd64", "tailcall/E224856808435AF187B02CC20CA9017F0/tailcall.sym" },
	};

	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		struct bundle bundle;
		char path[1024];

		bundle_find(&bundle, i);
		test_dump(&bundle, 7 + i);
		for (size_t j = 0; j < sizeof(symbols) / sizeof(symbols[0]); j++) {
			if (strcmp(symbols[j].bundle, bundle.name) != 0)
				continue;
			snprintf(path, sizeof(path), "%s/%s", bundle.symbols, symbols[j].path);
			test_symbols(&bundle, path, 77 + i);
		}
	}
	test_core(777);
	test_control();
	return done_testing();
}
