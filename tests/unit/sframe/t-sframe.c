/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>

#include "report/file/sframe_text.h"
#include "tests/lib/tap.h"

/* The vectors of tests/sframe: sections that assemblers and linkers wrote, or that were made by hand from the specification, with
 * the expected answers of a reader. The text was checked with readelf 2.40 (version 1), LLVM 22's readobj (version 2) and
 * binutils 2.46's output (version 3). VERDICT says how far a section is usable. */

static char *
read_text(const char *name, const char *ending, size_t *size)
{
	FILE *file = fopen(tap_path("tests/sframe/%s%s", name, ending), "rb");
	char *bytes;

	if (file == NULL)
		return NULL;
	bytes = calloc(1, 1 << 20);
	*size = bytes != NULL ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
	fclose(file);
	/* Exactly as large as the section, so that a sanitizer sees a read past the end. */
	char *exact = realloc(bytes, *size + 1);
	return exact != NULL ? exact : bytes;
}

/* The text after `key` up to the end of the line. */
static const char *
header(const char *expect, const char *key, char *buffer, size_t size)
{
	const char *at = strstr(expect, key);

	snprintf(buffer, size, "%.*s", at != NULL ? (int)strcspn(at + strlen(key), "\n") : 0, at != NULL ? at + strlen(key) : "");
	return buffer;
}

/* The part "[title]\n..." up to the next one, without trailing white space. */
static char *
part(const char *expect, const char *title)
{
	const char *at = strstr(expect, title);

	if (at == NULL)
		return NULL;
	at = strchr(at, '\n') + 1;
	const char *end = strstr(at, "\n[");
	size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
	while (length > 0 && strchr(" \n", at[length - 1]) != NULL)
		length--;
	return strndup(at, length);
}

static char *
trimmed(struct output_string *text)
{
	while (text->length > 0 && text->text[text->length - 1] == '\n')
		text->text[--text->length] = '\0';
	return text->text;
}

static void
test_dump(const char *name, const char *expect, const struct sframe *sframe)
{
	char *want = part(expect, "[dump, binutils 2.46 layout]");
	struct output_string text;
	struct arena arena = { 0 };

	if (want == NULL)
		return;
	output_string_init(&text, &arena);
	sframe_text_header(&text.output, sframe);
	for (size_t i = 0; i < sframe->function_count; i++) {
		struct sframe_function function;
		sframe_function(sframe, i, &function);
		sframe_text_function(&text.output, &function, false);
	}
	is_str(trimmed(&text), want, "%s is printed as readelf prints it", name);
	free(want);
	arena_free(&arena);
}

static void
test_lookups(const char *name, const char *expect, const struct sframe *sframe)
{
	char *want = part(expect, "[lookup]");
	struct output_string text;
	struct arena arena = { 0 };

	if (want == NULL)
		return;
	output_string_init(&text, &arena);
	for (const char *line = want; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		sframe_text_lookup(&text.output, sframe, strtoull(line, NULL, 16), false);
	}
	is_str(trimmed(&text), want, "%s answers for each address", name);
	free(want);
	arena_free(&arena);
}

static size_t
warnings(const struct sframe *sframe, enum message_kind kind)
{
	return (size_t)sframe->messages.seen[kind];
}

static void
test_verdict(const char *name, const char *verdict, const struct sframe *sframe)
{
	const size_t functions = warnings(sframe, MESSAGE_SFRAME_FUNCTION);
	const size_t rows = warnings(sframe, MESSAGE_SFRAME_ROW);
	const size_t odd = warnings(sframe, MESSAGE_SFRAME_ODD);

	if (strcmp(verdict, "accept") == 0 || strcmp(verdict, "walk-error") == 0)
		ok(functions + rows + odd == 0, "%s causes no message", name);
	else if (strcmp(verdict, "warn") == 0)
		ok(functions + rows == 0 && odd > 0, "%s causes a warning, but loses no function or row", name);
	else if (strcmp(verdict, "reject-fde") == 0)
		ok(functions > 0 && rows == 0, "%s loses a function, with a message", name);
	else
		ok(functions == 0 && rows > 0, "%s loses a row, with a message", name);
	for (size_t i = 0; i < sframe->messages.count; i++)
		ok(sframe->messages.messages[i].place.input != NULL && sframe->messages.messages[i].place.offset <= 1024,
		   "the message has a place: %s", sframe->messages.messages[i].text);
}

/* The expectations of a section: those of the little-endian twin if it has none of its own. */
static char *
read_expected(const char *name, size_t *size)
{
	char *own = read_text(name, ".expect", size), twin[256];

	snprintf(twin, sizeof(twin), "%s", name);
	char *order = strstr(twin, "-be-");
	if (own != NULL || order == NULL)
		return own;
	order[1] = 'l';
	return read_text(twin, ".expect", size);
}

static void
test_vector(const char *name)
{
	char value[256], verdict[64];
	size_t size = 0, expect_size = 0;
	char *bytes = read_text(name, ".sframe", &size);
	char *expect = read_expected(name, &expect_size);
	const struct input input = { name };
	struct sframe sframe;
	struct error error = { 0 };

	if (bytes == NULL || expect == NULL) {
		ok(false, "%s exists", name);
		return;
	}
	expect[expect_size] = '\0';
	uint8_t *section = malloc(size > 0 ? size : 1);
	memcpy(section, bytes, size);
	uint64_t address = strtoull(header(expect, "section-address: ", value, sizeof(value)), NULL, 16);
	header(expect, "verdict: ", verdict, sizeof(verdict));
	enum error_code code = sframe_open(
		&sframe, &(struct sframe_bytes){ &input, section, size, 0, address, NULL }, NULL, 0, &error);
	if (strcmp(verdict, "reject") == 0) {
		ok(code == ERROR_FORMAT && error.text[0] != '\0' && error.place.input == &input, "%s is refused: %s", name, error.text);
	} else if (ok(code == ERROR_NONE, "%s opens", name)) {
		test_dump(name, expect, &sframe);
		test_lookups(name, expect, &sframe);
		sframe_check(&sframe);
		test_verdict(name, verdict, &sframe);
		sframe_close(&sframe);
	} else {
		tap_diag("%s", error.text);
	}
	free(section);
	free(bytes);
	free(expect);
}

TEST(vectors)
{
	struct dirent **entries;
	int count = scandir(tap_path("tests/sframe"), &entries, NULL, alphasort);
	size_t seen = 0;

	for (int i = 0; i < count; i++) {
		char *dot = strrchr(entries[i]->d_name, '.');

		/* The sections of walks have none. */
		if (dot != NULL && strcmp(dot, ".sframe") == 0 && strncmp(entries[i]->d_name, "walk-", 5) != 0) {
			*dot = '\0';
			test_vector(entries[i]->d_name);
			seen++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	ok(seen >= 50, "%zu vectors were tried", seen);
}

static struct sframe_code
code_range(uint64_t low, uint64_t high)
{
	return (struct sframe_code){ low, high };
}

/* Two tables in succession: the functions that the note of the vector lists. */
TEST(concatenated)
{
	const struct sframe_code code = code_range(0x4000b0, 0x4000b3);
	const struct input input = { "concatenated" };
	struct sframe_function function;
	struct sframe_row row;
	struct sframe sframe;
	size_t size;
	char *bytes = read_text("v1-amd64-concatenated-by-plain-linker", ".sframe", &size);

	if (!ok(bytes != NULL && sframe_open(&sframe, &(struct sframe_bytes){ &input, (const uint8_t *)bytes, size, 0, 0x4000b8, NULL },
					     &code, 1, NULL) == ERROR_NONE, "two concatenated tables open"))
		return;
	is_u64(sframe.table_count, 2, "both concatenated tables are counted");
	ok(sframe_lookup(&sframe, 0x4000b0, &function, &row, NULL) == SFRAME_ROW &&
	   row.cfa.offset == 8, "the first function is found where the linker put it");
	ok(sframe_lookup(&sframe, 0x4000b3, &function, &row, NULL) == SFRAME_ROW &&
	   function.number == 1 && row.number == 1 && row.cfa.offset == 16, "the second row of the second table is found");
	ok(sframe_lookup(&sframe, 0x4000b4, &function, &row, NULL) == SFRAME_NO_FUNCTION, "no function covers the addresses after them");
	sframe_close(&sframe);
	free(bytes);
}

/* Every prefix and every changed byte of a section: no read past the end, no endless loop. */
static void
test_damage(const char *name)
{
	const struct input input = { name };
	size_t size, opened = 0, looked = 0;
	char *bytes = read_text(name, ".sframe", &size);

	for (size_t i = 0; bytes != NULL && i < size * 5; i++) {
		static const uint8_t values[] = { 0, 0xff, 0x7f, 0x80 };
		size_t length = i < size ? i : size;
		uint8_t *copy = malloc(length > 0 ? length : 1);
		struct sframe sframe;
		struct sframe_function function;
		struct sframe_row row;

		memcpy(copy, bytes, length);
		if (i >= size)
			copy[(i - size) / 4] = values[i % 4];
		if (sframe_open(&sframe, &(struct sframe_bytes){ &input, copy, length, 0, 0x402000, NULL },
				NULL, 0, NULL) == ERROR_NONE) {
			opened++;
			sframe_check(&sframe);
			for (uint64_t at = 0x400ff0; at < 0x401100; at += 3)
				looked += sframe_lookup(&sframe, at, &function, &row, NULL) == SFRAME_ROW;
			sframe_close(&sframe);
		}
		free(copy);
	}
	ok(opened > 0 && looked > 0, "%s: %zu damaged copies open, %zu look-ups answer", name, opened, looked);
	free(bytes);
}

int
main(void)
{
	run_tests();
	test_damage("v2-amd64-pcrel");
	test_damage("v3-amd64-flex-signal-outermost");
	test_damage("v2-aarch64-be-mangled-ra");
	return done_testing();
}
