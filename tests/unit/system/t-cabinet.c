/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cabinet with one file gives that file; other cabinets are refused within limits. */
#include <config.h>

#include "system/inflate.h"

#include "base/limits.h"
#include "tests/lib/cabinet.h"
#include "tests/lib/tap.h"

/* Three blocks, the last one short, of bytes that compress to a third. */
#define PLAIN_SIZE 70001u
#define MEGABYTE (UINT64_C(1) << 20)

static uint8_t plain[PLAIN_SIZE];
static const char *const names[CABINET_METHODS] = { "stored", "MSZIP", "LZX", "Quantum" };

/* Try bytes in an allocation of exactly their size, so that a read past the end is caught. */
static void
try_bytes(const uint8_t *bytes, size_t size, uint64_t limit, struct inflated *out)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	memcpy(copy, bytes, size);
	inflate_bytes(INFLATE_CABINET, copy, size, limit, out);
	free(copy);
}

static uint8_t *
make(enum cabinet_method method, const char *name, size_t *size)
{
	const struct cabinet_file file = { name, plain, PLAIN_SIZE };

	return cabinet_make(method, &file, 1, size);
}

static bool
is_plain(const struct inflated *out, size_t size)
{
	return out->size == size && (size == 0 || memcmp(out->data, plain, size) == 0);
}

static void
test_whole(enum cabinet_method method)
{
	struct inflated out;
	size_t size;
	uint8_t *cabinet = make(method, "../../x/KIOSK.PDB", &size);

	is_u64(inflate_identify(cabinet, size), INFLATE_CABINET, "%s: the first bytes identify a cabinet", names[method]);
	try_bytes(cabinet, size, PLAIN_SIZE, &out);
	ok(out.end == INFLATE_WHOLE && is_plain(&out, PLAIN_SIZE), "%s gives back the original file, by any name", names[method]);
	is_str(out.reason, "", "%s: a complete cabinet has no error", names[method]);
	inflate_free(&out);
	try_bytes(cabinet, size, PLAIN_SIZE - 1, &out);
	ok(out.end == INFLATE_LIMIT && is_plain(&out, PLAIN_SIZE - 1), "%s stops at the limit with what came out before", names[method]);
	inflate_free(&out);
	free(cabinet);
}

static void
test_cuts(enum cabinet_method method)
{
	size_t size, wrong = 0, silent = 0;
	uint8_t *cabinet = make(method, "kiosk.pdb", &size);
	uint64_t most = 0;
	struct inflated out;

	for (size_t cut = 0; cut < size; cut += cut < 128 || cut + 64 > size ? 1 : 97) {
		try_bytes(cabinet, cut, MEGABYTE, &out);
		silent += out.end == INFLATE_WHOLE || out.reason[0] == '\0';
		wrong += !is_plain(&out, (size_t)out.size);
		most = out.size > most ? out.size : most;
		inflate_free(&out);
	}
	is_u64(silent, 0, "%s: every truncation is reported", names[method]);
	is_u64(wrong, 0, "%s: what comes out of a cut cabinet is right", names[method]);
	/* libmspack reads ahead and loses those bytes if the next block is missing. */
	ok(most >= 32768, "%s: at least a block comes out of most of a cabinet", names[method]);
	free(cabinet);
}

/* Change each byte of the tables and of a block's header, and some others. */
static void
test_damage(enum cabinet_method method)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t size, wrong = 0, large = 0;
	uint8_t *cabinet = make(method, "kiosk.pdb", &size);
	struct inflated out;

	for (size_t at = 0; at < size; at += at < 128 ? 1 : 53)
		for (size_t i = 0; i < sizeof(values); i++) {
			const uint8_t old = cabinet[at];
			cabinet[at] = values[i];
			try_bytes(cabinet, size, MEGABYTE, &out);
			/* A changed size or offset selects other bytes. */
			wrong += out.end == INFLATE_WHOLE && at >= 128 && !is_plain(&out, PLAIN_SIZE);
			large += out.size > PLAIN_SIZE;
			inflate_free(&out);
			cabinet[at] = old;
		}
	is_u64(wrong, 0, "%s: damaged data are never whole", names[method]);
	is_u64(large, 0, "%s: a damaged cabinet gives at most the bytes of the original", names[method]);
	free(cabinet);
}

static void
test_several(void)
{
	const struct cabinet_file files[] = { { "a", plain, 10 }, { "b", plain, 20 } };
	struct inflated out;
	size_t size;
	uint8_t *cabinet = cabinet_make(CABINET_MSZIP, files, 2, &size);

	try_bytes(cabinet, size, MEGABYTE, &out);
	ok(out.end == INFLATE_LEFT_OUT && out.data == NULL, "a cabinet of two files is refused");
	is_str(out.reason, "the cabinet has 2 files", "the refusal of a split cabinet has its reason");
	memset(cabinet + 26, 0xff, 4);
	inflate_bytes(INFLATE_CABINET, cabinet, 36, PLAIN_SIZE, &out);
	is_str(out.reason, "the cabinet has 65535 files", "a cabinet of many files is refused");
	free(cabinet);
	cabinet = cabinet_make(CABINET_MSZIP, files, 0, &size);
	try_bytes(cabinet, size, MEGABYTE, &out);
	ok(out.end != INFLATE_WHOLE && out.data == NULL, "a cabinet without files is refused");
	free(cabinet);
	cabinet = make(CABINET_STORED, "x", &size);
	/* cfhdrNEXT_CABINET, with the next cabinet's name in the place of the folder. */
	cabinet[30] = 2;
	try_bytes(cabinet, size, MEGABYTE, &out);
	ok(out.end != INFLATE_WHOLE, "a file that is not the first of the cabinet is refused");
	inflate_free(&out);
	free(cabinet);
}

static void
test_bomb(void)
{
	const size_t all = (size_t)96 << 20;
	uint8_t *bytes = malloc(all);
	const struct cabinet_file file = { "x", bytes, all };
	struct inflated out;
	size_t size;

	memset(bytes, 'x', all);
	uint8_t *cabinet = cabinet_make(CABINET_MSZIP, &file, 1, &size);
	inflate_bytes(INFLATE_CABINET, cabinet, size, UINT64_C(1) << 32, &out);
	ok(size < LIMIT_INFLATED_MEMORY / LIMIT_INFLATED_RATIO && out.end == INFLATE_LIMIT &&
	   out.size < all, "96 MB out of 200 KB are more than is allowed");
	inflate_free(&out);
	free(cabinet);
	free(bytes);
}

int
main(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < sizeof(plain); i++) {
		state = state * 1103515245u + 12345u;
		plain[i] = (uint8_t)(i % 3 == 0 ? state >> 28 : i / 1000);
	}
#ifdef HAVE_MSPACK
	for (enum cabinet_method method = 0; method < CABINET_METHODS; method++) {
		test_whole(method);
		test_cuts(method);
		test_damage(method);
	}
	test_several();
	test_bomb();
#else
	struct inflated out;
	size_t size;
	uint8_t *cabinet = make(CABINET_STORED, "x", &size);

	try_bytes(cabinet, size, MEGABYTE, &out);
	ok(out.end == INFLATE_LEFT_OUT, "without libmspack a cabinet is left as it is");
	is_str(out.reason, "this unspool was built without libmspack", "a build without libmspack says so");
	free(cabinet);
	(void)test_whole, (void)test_cuts, (void)test_damage, (void)test_several, (void)test_bomb;
#endif
	return done_testing();
}
