/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads written as text: those of tests/sframe, whose frames come from the specification of SFrame, and files of a few lines. */
#include <config.h>

#include <glob.h>
#include <unistd.h>

#include "base/policy_rows.h"
#include "crash/memory.h"
#include "locate/binaries.h"
#include "sframe/sframes.h"
#include "system/file.h"
#include "tests/lib/tap.h"
#include "tests/lib/walk_file.h"
#include "walk/walk.h"

/* An opened walk file, with the section in the file that it names. */
struct vector {
	struct walk_file file;
	struct file section;
	struct binaries *binaries;
	struct walk *walk;
};

/* Only SFrame: no guesses, and no search for the bottom of the stack. */
static bool
open_vector(struct vector *vector, const char *folder, const char *path, const char *name)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct sframe sframe;
	struct error error;
	char section[1200];

	policy.value[POLICY_END_OF_STACK] = 0;
	policy.methods[0] = METHOD_SFRAME;
	policy.method_count = 1;
	if (!ok(walk_file_open(&vector->file, path, &error) == ERROR_NONE, "%s is opened", path))
		return false;
	snprintf(section, sizeof(section), "%s/%s", folder, name);
	if (!ok(file_open(&vector->section, section, &error) == ERROR_NONE && sframe_open(&sframe,
				    &(struct sframe_bytes){ &vector->section.input, vector->section.data, vector->section.size, 0,
							    vector->file.section_address, NULL },
				    NULL, 0, &error) == ERROR_NONE, "its section %s is opened", section))
		return false;
	vector->binaries = binaries_create(&vector->file.crash, NULL, 0);
	sframes_set(vector->binaries, 0, &sframe);
	vector->walk = walk_create(&vector->file.crash, NULL, vector->binaries, 0, &policy);
	walk_run(vector->walk, 0);
	return ok(vector->walk->count > 0, "the file's thread has frames");
}

static void
print_frame(FILE *out, const struct walk *walk, size_t number)
{
	const struct frame *frame = &walk->frames[number];
	const struct arch *arch = walk->arch;
	struct sframe_function function;
	struct sframe_row row;

	fprintf(out, "frame %zu pc=0x%" PRIx64 " sp=0x%" PRIx64, number,
		frame->registers.value[arch->pc], frame->registers.value[arch->sp]);
	if (registers_known(&frame->registers, arch->fp))
		fprintf(out, " fp=0x%" PRIx64, frame->registers.value[arch->fp]);
	const enum sframe_found found = sframe_lookup(walk_sframe(walk, 0), frame->lookup, &function, &row, NULL);
	if (found != SFRAME_NO_FUNCTION)
		fprintf(out, " fde=%" PRIu32, function.number);
	if (found == SFRAME_ROW || (found == SFRAME_OUTERMOST && function.row_count > 0))
		fprintf(out, " row=+0x%" PRIx64 "%s", row.offset, function.signal ? " signal" : "");
	fputc('\n', out);
}

/* The kind of the walk's end, as the vectors write it. */
static const char *
end_kind(struct walk *walk)
{
	const struct frame *last = &walk->frames[walk->count - 1];
	struct sframe_function function;
	struct sframe_row row;
	struct frame caller = { 0 };
	struct verdict verdict;

	unwind_step(walk, walk->count - 1, NULL, &caller, &verdict);
	switch (sframe_lookup(walk_sframe(walk, 0), last->lookup, &function, &row, NULL)) {
	case SFRAME_NO_FUNCTION:
	case SFRAME_NO_ROWS:
	case SFRAME_NO_ROW:
		return "no-fde";
	case SFRAME_OUTERMOST:
		return "outermost";
	case SFRAME_ROW:
		return registers_known(&caller.registers, walk->arch->pc) && caller.registers.value[walk->arch->pc] == 0
			       ? "return-address-zero" : "error";
	case SFRAME_BROKEN:
		break;
	}
	return "error";
}

/* The frames and the kind of end that a walk file expects, without its words about the end. */
static char *
expected_frames(const char *path)
{
	struct file file;
	struct error error;

	if (!ok(file_open(&file, path, &error) == ERROR_NONE, "%s is read", path))
		return NULL;
	char *text = strndup((const char *)file.data, file.size);
	file_close(&file);
	char *frames = text != NULL ? strstr(text, "[expect]\n") : NULL;
	char *end = frames != NULL ? strstr(frames, "\nend ") : NULL;
	if (end != NULL)
		end[1 + strcspn(end + 1, ":\n")] = '\0';
	frames = frames != NULL ? strdup(frames + strlen("[expect]\n")) : NULL;
	free(text);
	return frames;
}

static void
test_vector(const char *folder, const char *path, const char *name, const char *want)
{
	struct vector vector = { .walk = NULL };
	char *got = NULL;
	size_t size = 0;

	if (open_vector(&vector, folder, path, name)) {
		FILE *out = open_memstream(&got, &size);
		for (size_t i = 0; i < vector.walk->count; i++)
			print_frame(out, vector.walk, i);
		fprintf(out, "end %s", end_kind(vector.walk));
		fclose(out);
		is_str(got, want, "%s has the frames and the end that it expects, by %s", strrchr(path, '/') + 1, name);
	}
	free(got);
	walk_free(vector.walk);
	binaries_free(vector.binaries);
	file_close(&vector.section);
	crash_free(&vector.file.crash);
}

/* Each section that the file names gives the frames that it expects. */
static void
test_sections(const char *folder, const char *path)
{
	char *want = expected_frames(path), name[200];
	struct walk_file file;
	struct error error;
	int length;

	if (ok(walk_file_open(&file, path, &error) == ERROR_NONE, "%s is a walk file", path))
		for (const char *at = file.sframe_name; sscanf(at, "%199s%n", name, &length) == 1; at += length)
			test_vector(folder, path, name, want);
	crash_free(&file.crash);
	free(want);
}

static void
test_vectors(const char *top)
{
	char folder[1000], pattern[1100];
	glob_t found = { 0 };

	snprintf(folder, sizeof(folder), "%s/tests/sframe", top);
	snprintf(pattern, sizeof(pattern), "%s/*.walk", folder);
	if (ok(glob(pattern, 0, NULL, &found) == 0, "there are walks"))
		for (size_t i = 0; i < found.gl_pathc; i++)
			test_sections(folder, found.gl_pathv[i]);
	globfree(&found);
}

static char path[] = "/tmp/unspool-walk.XXXXXX";

static enum error_code
read_lines(struct walk_file *file, const char *lines, struct error *error)
{
	FILE *out = fopen(path, "w");

	*error = (struct error){ 0 };
	if (out == NULL || fputs(lines, out) < 0)
		tap_diag("cannot write %s", path);
	if (out != NULL)
		fclose(out);
	return walk_file_open(file, path, error);
}

#define WHOLE "abi: amd64\nsframe: a.sframe\nreg pc 0x401010\nreg sp 0x1000\n"
#define NO_VALUE "expected 'reg' with a register and a value, found "
#define EIGHTY "01234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const struct {
	const char *title, *lines;
	const char *problem;		/* NULL: none */
	uint32_t line;
} files[] = {
	{ "a whole file", WHOLE, NULL, 0 },
	{ "a file without a line feed at its end", "abi: amd64\nsframe: a\nreg pc 1\nreg sp 2", NULL, 0 },
	{ "lines for people", "what: a test\nsymbols: none\n\n" WHOLE, NULL, 0 },
	{ "lines after [expect]", WHOLE "[expect]\nreg nothing\nmem\n", NULL, 0 },
	{ "an unknown ABI", "what: x\nabi: arm\n", "expected an ABI: amd64, aarch64-le, aarch64-be or s390x, found 'abi: arm'", 2 },
	{ "a register before the ABI", "reg pc 1\n", "expected 'abi:' before the first register, found 'reg pc 1'", 1 },
	{ "an unknown register", "abi: amd64\nreg xx 1\n", NO_VALUE "'reg xx 1'", 2 },
	{ "a number that no register has", "abi: amd64\nreg r200 1\n", NO_VALUE "'reg r200 1'", 2 },
	{ "a register without a number", "abi: amd64\nreg r 1\n", NO_VALUE "'reg r 1'", 2 },
	{ "a number with a letter", "abi: amd64\nreg r3x 1\n", NO_VALUE "'reg r3x 1'", 2 },
	{ "a register without a value", "abi: amd64\nreg r3\n", NO_VALUE "'reg r3'", 2 },
	{ "a negative value", "abi: amd64\nreg r3 -1\n", NO_VALUE "'reg r3 -1'", 2 },
	{ "a value with letters", "abi: amd64\nreg r3 1z\n", NO_VALUE "'reg r3 1z'", 2 },
	{ "memory without a value", "mem 0x1000\n", "expected 'mem' with an address and a value, found 'mem 0x1000'", 1 },
	{ "memory without an address", "mem \n", "expected 'mem' with an address and a value, found 'mem '", 1 },
	{ "a value that is longer than numbers are", "mem 0x1000 0x0000000000000000000000000000000000000000001\n",
	  "expected 'mem' with an address and a value, found 'mem 0x1000 0x0000000000000000000000000000000000000000001'", 1 },
	{ "an invalid address of the section", "section-address: x\n",
	  "expected an address after 'section-address:', found 'section-address: x'", 1 },
	{ "a long line", "abi: " EIGHTY "\n", "expected an ABI: amd64, aarch64-le, aarch64-be or s390x, found 'abi: "
	  "012345678901234567890123456789012345678901234567890123456789012345678901234'", 1 },
	{ "a file without an ABI", "sframe: a\n", "expected lines 'abi:' and 'sframe:' in the file, found 'sframe: a'", 1 },
	{ "a file without a section", "abi: amd64\nreg pc 1\nreg sp 2\n",
	  "expected lines 'abi:' and 'sframe:' in the file, found 'reg sp 2'", 3 },
	{ "a file without a pc", "abi: amd64\nsframe: a\nreg sp 2\n", "expected the registers pc and sp, found 'reg sp 2'", 3 },
	{ "a file without an sp", "abi: amd64\nsframe: a\nreg pc 2\n", "expected the registers pc and sp, found 'reg pc 2'", 3 },
};

static void
test_files(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		struct walk_file file;
		struct error error;
		const enum error_code code = read_lines(&file, files[i].lines, &error);

		is_str(code == ERROR_NONE ? NULL : error.text, files[i].problem, "%s is %s",
		       files[i].title, files[i].problem == NULL ? "read" : "refused");
		if (code != ERROR_NONE)
			is_u64(error.place.line, files[i].line, "the error names the line");
		crash_free(&file.crash);
	}
}

/* For each ABI: the byte order, the registers by DWARF number, and the bits that do not belong to an address. */
static const struct {
	const char *abi;
	enum sframe_abi id;
	enum arch_id arch;
	bool big_endian;
	const char *registers;		/* r1, r6, r11 and fp */
	uint64_t mask;
} abis[] = {
	/* psABI: 1 is rdx, 6 rbp, 11 r11 */
	{ "amd64", SFRAME_AMD64, ARCH_AMD64, false, "rdx rbp r11 rbp", 0 },
	{ "aarch64-le", SFRAME_AARCH64, ARCH_ARM64, false, "x1 x6 x11 fp", UINT64_C(0xffff000000000000) },
	{ "aarch64-be", SFRAME_AARCH64_BIG, ARCH_ARM64, true, "x1 x6 x11 fp", UINT64_C(0xffff000000000000) },
	{ "s390x", SFRAME_S390X, ARCH_S390X, true, "r1 r6 r11 r11", 0 },
};

static void
test_abi(size_t index)
{
	struct walk_file file;
	struct error error;
	char lines[400], names[4][16];
	struct arena arena = { 0 };
	struct memory_view view;
	uint64_t value = 0;

	snprintf(lines, sizeof(lines), "abi: %s\nsframe:  some file \nsection-address:  0x402000\nreg pc 0x401010\nreg "
		 "sp 0x1000\n"
		 "reg r1 0x11\nreg r6 0x16\nreg r11 0x1b\nmem 0x1008 0x1122334455667788\n"
		 "mem 0x1000 8\nmem 0x2000 9 3\n", abis[index].abi);
	if (!is_u64(read_lines(&file, lines, &error), ERROR_NONE, "a thread of %s is read", abis[index].abi)) {
		crash_free(&file.crash);
		return;
	}
	const struct crash_context *context = &file.crash.threads[0].context;
	sscanf(abis[index].registers, "%15s %15s %15s %15s", names[0], names[1], names[2], names[3]);
	is_u64(file.abi, abis[index].id, "the file's ABI is read");
	is_str(file.sframe_name, "some file", "the file's section is named");
	is_u64(file.section_address, 0x402000, "the file's section has its address");
	ok(file.crash.system.arch == arch_by_id(abis[index].arch) && context->present &&
	   context->arch == file.crash.system.arch, "the file's processor is that of the ABI");
	is_str(file.crash.system.cpu_name, file.crash.system.arch->name, "the file's processor has a name");
	ok(file.crash.reader.big_endian == abis[index].big_endian, "the file's byte order is that of the ABI");
	is_u64(file.crash.address_mask, abis[index].mask, "bits that sign addresses are no address");
	for (size_t i = 0; i < 3; i++) {
		static const uint64_t values[] = { 0x11, 0x16, 0x1b };
		const int reg = arch_register(context->arch, text_of(names[i]), ARCH_NAMES_ALIASES);

		ok(reg >= 0 && registers_known(&context->registers, reg) &&
		   context->registers.value[reg] == values[i], "%s has its value", names[i]);
	}
	is_u64(file.crash.region_count, 2, "words without a gap are one region");
	is_u64(file.crash.regions[0].size, 16, "a region of two words has their size");
	is_u64(file.crash.regions[0].available, 16, "all bytes of the region are available");
	is_u64(file.crash.regions[1].base, 0x2000, "another region begins after the gap");
	memory_view_all(&view, &file.crash, &arena);
	ok(memory_read(&view, 0x1008, 8, &value, NULL) && value == 0x1122334455667788, "a word is read as it was written");
	is_u64(file.crash.regions[0].data[8], abis[index].big_endian ? 0x11 : 0x88, "a word is stored in the byte order of the processor");
	ok(memory_read(&view, 0x1000, 8, &value, NULL) && value == 8, "a word that is written later is read");
	ok(memory_read(&view, 0x2010, 8, &value, NULL) && value == 9 &&
	   !memory_read(&view, 0x2018, 8, &value, NULL), "equal words are as many as their count");
	arena_free(&arena);
	crash_free(&file.crash);
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	struct walk_file file;
	struct error error;
	const int made = mkstemp(path);

	if (!ok(made >= 0, "there is a file to write to"))
		return done_testing();
	close(made);
	for (size_t i = 0; i < ARRAY_COUNT(abis); i++)
		test_abi(i);
	test_files();
	unlink(path);
	ok(walk_file_open(&file, path, &error) != ERROR_NONE, "a missing file is refused");
	crash_free(&file.crash);
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	if (top != NULL)
		test_vectors(top);
	free(top);
	return done_testing();
}
