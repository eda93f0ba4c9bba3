/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDBs whose streams are cut at every second byte, and whose 16-bit and 32-bit fields (including the container's fields) get
 * limit values, and files that are cut or have a few random bytes: functions, lines, calls and unwind records are read from the
 * rest, and a symbol file is made. UNSPOOL_FUZZ_DAMAGE is the number of damaged copies of each stream in each way (0: all). */
#include <time.h>

#include "debug_info/debug_info.h"
#include "debug_info/debug_pdb.h"
#include "dump_syms/dump_syms.h"
#include "pdb/pdb.h"
#include "tests/fault/damage.h"
#include "tests/lib/msf_image.h"
#include "tests/lib/tap.h"

#define FEW 40u
#define MOST_ADDRESSES 16u
#define MUTATIONS 500u
#define CUTS 16u
/* Seconds of processor time that one copy, of some 20 KB, may take. */
#define SLOW 1.0

/* Answers of a PDB: how many addresses have a name, how many have a line, how many calls. */
struct known {
	unsigned names, lines, calls;
	size_t said;			/* messages */
	struct damage_sink text;	/* the symbol file */
};

static struct {
	uint64_t addresses[MOST_ADDRESSES];
	size_t count;
	unsigned long every;		/* copies of each stream in each way; 0: all */
	unsigned copies, refused, wordless, misplaced, unclean, large, slow, silent;
	struct known whole;
} test;

static void
take_function(void *context, const char *name, uint64_t relative)
{
	(void)context;
	(void)name;
	if (test.count + 1 < MOST_ADDRESSES) {
		test.addresses[test.count++] = relative;
		test.addresses[test.count++] = relative + 9;
	}
}

static void
ask(struct binaries *binaries, struct known *known)
{
	for (size_t i = 0; i < test.count; i++) {
		struct arena arena = { 0 };
		struct debug_answer answer;
		struct debug_body body;

		if (debug_info_find(binaries, 0, test.addresses[i], &arena, &answer)) {
			known->names += answer.size != 0;
			known->lines += answer.line.line != 0;
			known->calls += answer.call_count != 0;
		}
		debug_info_body(binaries, 0, test.addresses[i], &arena, &body);
		arena_free(&arena);
	}
}

static void
ask_frames(const struct pdb *pdb)
{
	for (size_t i = 0; i < test.count; i++) {
		struct arena arena = { 0 };
		struct stack_win record;
		uint64_t change;

		for (unsigned type = 0; type <= 4; type += 4) {
			debug_pdb_stack_win(pdb, type, test.addresses[i], &arena, &record);
			debug_pdb_stack_win_change(pdb, type, test.addresses[i], &change);
		}
		arena_free(&arena);
	}
}

/* Read all data of a PDB; false if it is refused. */
static bool
look(const uint8_t *bytes, size_t size, struct known *known, struct error *error)
{
	const struct output output = { .write = damage_swallow, .context = &known->text };
	const struct dump_syms_options options = { .threads = 1 };
	struct error ignored;
	struct binary *binary;
	struct dump_syms dump;
	struct crash crash;

	*known = (struct known){ 0 };
	if (binary_from_memory(&binary, "damaged.pdb", bytes, size, error) != ERROR_NONE)
		return false;
	if (!binary_as_crash(binary, "damaged.pdb", &crash))
		exit(99);
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	if (test.count == 0)
		debug_info_functions(binaries, 0, DEBUG_NAMES_DWARF, take_function, NULL);
	ask(binaries, known);
	if (binary->pdb != NULL)
		ask_frames(binary->pdb);
	known->said = binaries_messages(binaries)->count;
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &ignored) == ERROR_NONE) {
		known->said += dump.damaged;
		dump_syms_write(&dump, &output);
		dump_syms_free(&dump);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return true;
}

/* Try a damaged copy. `cut`: bytes are missing, so that missing answers need a message. */
static void
try(const uint8_t *bytes, size_t size, bool cut, const char *what, uint32_t stream, uint32_t offset)
{
	uint8_t *copy = damage_copy(bytes, size);
	struct error error = { 0 };
	struct known known;
	const clock_t begun = clock();

	test.copies++;
	if (!look(copy, size, &known, &error)) {
		test.refused++;
		test.wordless += error.text[0] == '\0';
		test.misplaced += error.place.offset > size;
	}
	test.unclean += known.text.control;
	test.large += known.text.length > 100 * test.whole.text.length && test.whole.text.length > 0;
	if ((double)(clock() - begun) / CLOCKS_PER_SEC > SLOW && test.slow++ < 5)
		tap_diag("slow: %s, stream %u, offset %u", what, (unsigned)stream, (unsigned)offset);
	if (cut && error.text[0] == '\0' && known.said == 0 &&
	    (known.names < test.whole.names || known.lines < test.whole.lines ||
	     known.calls < test.whole.calls) && test.silent++ < 5)
		tap_diag("nothing is said: %s, stream %u, offset %u", what, (unsigned)stream, (unsigned)offset);
	free(copy);
}

static void
cut_stream(struct msf_image *image, uint32_t stream)
{
	const uint32_t whole = image->sizes[stream];

	for (uint32_t at = 0; 2 * at < whole; at += damage_apart(whole / 2, test.every)) {
		size_t size;
		image->sizes[stream] = 2 * at;
		uint8_t *bytes = msf_image_write(image, &size);
		try(bytes, size, true, "cut", stream, 2 * at);
		free(bytes);
	}
	image->sizes[stream] = whole;
}

/* Damage every field of `size` bytes from `first` on; all fields begin at even offsets. */
static void
limit_fields(uint8_t *bytes, size_t file, size_t first, uint32_t size, uint32_t stream)
{
	const uint32_t all = size / 2 * DAMAGE_LIMITS * 2;

	for (uint32_t i = 0; i < all; i += damage_apart(all, test.every)) {
		const unsigned which = i / 2 % DAMAGE_LIMITS, width = i % 2 == 0 ? 2 : 4;
		uint8_t *at = bytes + first + (size_t)(i / 2 / DAMAGE_LIMITS) * 2;
		uint8_t was[4];

		if (at + width > bytes + file)
			continue;
		memcpy(was, at, width);
		damage_field(at, width, which, size, (uint32_t)file);
		if (memcmp(was, at, width) != 0)
			try(bytes, file, false, "field", stream, (uint32_t)((size_t)(at - bytes) - first));
		memcpy(at, was, width);
	}
}

/* Cut the file, and change up to eight of its bytes. */
static void
damage_file(const uint8_t *bytes, size_t size)
{
	uint64_t state = 20;
	const unsigned refused = test.refused;

	for (size_t cut = 0; cut < CUTS; cut++)
		try(bytes, size * cut / CUTS, true, "end", UINT32_MAX, (uint32_t)cut);
	ok(test.refused - refused > CUTS / 2, "most files that end early are refused: the directory comes last");
	for (uint32_t i = 0; i < MUTATIONS; i++) {
		uint8_t *copy = damage_copy(bytes, size);
		for (unsigned j = damage_random(&state) % 8 + 1; j > 0; j--) {
			const size_t at = damage_random(&state) % size;
			const uint32_t value = damage_random(&state);

			copy[at] = value % 4 == 0 ? 0xff : (uint8_t)(value >> 8);
		}
		try(copy, size, false, "random bytes", UINT32_MAX, i);
		free(copy);
	}
	ok(test.refused - refused < CUTS + MUTATIONS / 2, "most files with other bytes are read");
}

static void
test_pdb(const char *name)
{
	struct error error = { 0 };
	struct msf_image image;
	struct binary *binary = NULL;
	size_t size;

	test.count = test.copies = test.refused = test.wordless = test.misplaced = 0;
	test.unclean = test.large = test.slow = test.silent = 0;
	if (binary_open(&binary, tap_path("%s", name), &error) != ERROR_NONE || binary->pdb == NULL) {
		skip(1, "%s: %s", name, error.text);
		binary_close(binary);
		return;
	}
	msf_image_read(&image, &binary->pdb->msf);
	binary_close(binary);
	uint8_t *bytes = msf_image_write(&image, &size);
	if (ok(look(bytes, size, &test.whole, &error) && test.whole.said == 0 &&
	       test.whole.names > 3 && test.whole.lines > 3 && test.whole.text.length > 300,
	       "%s: all of its streams in another container say all", name)) {
		for (uint32_t i = 0; i < image.count; i++)
			cut_stream(&image, i);
		for (uint32_t i = 0; i < image.count; i++)
			limit_fields(bytes, size, msf_image_place(&image, i, 0), image.sizes[i], i);
		limit_fields(bytes, size, 0, 60, UINT32_MAX);
		const size_t directory = msf_image_place(&image, image.count, 0);
		limit_fields(bytes, size, directory, (uint32_t)(size - directory), image.count);
		limit_fields(bytes, size, 3 * 512, 16, image.count);
		damage_file(bytes, size);
	}
	tap_diag("%s: %u copies, %u of them refused", name, test.copies, test.refused);
	is_u64(test.wordless + test.misplaced, 0, "what is refused has a reason, and a place in the file");
	is_u64(test.unclean, 0, "no control character is written");
	is_u64(test.large, 0, "no symbol file is much larger than that of the whole PDB");
	is_u64(test.slow, 0, "no copy takes long");
	is_u64(test.silent, 0, "where a cut takes answers away a message says so");
	free(bytes);
	msf_image_free(&image);
}

int
main(void)
{
	const char *every = getenv("UNSPOOL_FUZZ_DAMAGE");

	test.every = every != NULL ? strtoul(every, NULL, 10) : FEW;
	test_pdb("data/crashes/pdb-x86/binaries/kiosk.pdb");
	test_pdb("tests/pe/folded-msvc.pdb.xz");
	test_pdb("tests/pe/folded-mingw.pdb.xz");
	test_pdb("tests/windows/classes.pdb.gz");
	return done_testing();
}
