/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real dumps, compared with the output of minidump_stackwalk -m: the lines OS, CPU, Crash and Module. */
#include <glob.h>

#include "dump/dump.h"
#include "tests/lib/tap.h"

/* Write text as in the machine-readable form: without '|' and line feeds. */
static void
put_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text != '|' && *text != '\n')
			fputc(*text, out);
}

static void
put_crash(FILE *out, const struct crash *crash)
{
	int number = 0, requesting = -1;

	for (size_t i = 0; i < crash->thread_count; i++) {
		if ((int)i == crash->requesting_thread)
			requesting = number;
		number += !crash->threads[i].wrote_dump;
	}
	fputs("Crash|", out);
	if (crash->reason != NULL) {
		put_text(out, crash->reason);
		fprintf(out, "|0x%" PRIx64 "|", crash->reason_address);
	} else {
		put_text(out, crash->assertion != NULL ? crash->assertion : "No crash");
		fputs("||", out);
	}
	if (requesting >= 0)
		fprintf(out, "%d", requesting);
	fputc('\n', out);
}

static int
compare_modules(const void *left, const void *right)
{
	const struct module *a = left, *b = right;

	return a->base < b->base ? -1 : a->base > b->base;
}

static char *
summary(struct crash *crash)
{
	const uint64_t first = crash->module_count != 0 ? crash->modules[0].base : 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputs("OS|", out);
	put_text(out, crash->system.os_name);
	fputc('|', out);
	put_text(out, crash->system.os_version);
	fprintf(out, "\nCPU|%s|", crash->system.cpu_name);
	put_text(out, crash->system.cpu_info);
	fprintf(out, "|%" PRIu32 "\n", crash->system.cpu_count);
	put_crash(out, crash);
	qsort(crash->modules, crash->module_count, sizeof(crash->modules[0]), compare_modules);
	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		fputs("Module|", out);
		put_text(out, place_base_name(module->code_file));
		fprintf(out, "|%s|", module->version);
		put_text(out, place_base_name(module->debug_file));
		fprintf(out, "|%s|0x%08" PRIx64 "|0x%08" PRIx64 "|%d\n", module->debug_id,
			module->base, module->base + module->size - 1, module->base == first);
	}
	fclose(out);
	return text;
}

/* The lines OS, CPU, Crash and Module of a stored answer; NULL if there is no answer. */
static char *
stored(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL, *line = NULL;
	size_t size = 0, room = 0;

	if (in == NULL)
		return NULL;
	FILE *out = open_memstream(&text, &size);
	while (getline(&line, &room, in) > 0)
		if (strncmp(line, "OS|", 3) == 0 || strncmp(line, "CPU|", 4) == 0 ||
		    strncmp(line, "Crash|", 6) == 0 || strncmp(line, "Module|", 7) == 0)
			fputs(line, out);
	free(line);
	fclose(out);
	fclose(in);
	return text;
}

/* The path of the answer for a dump: oracle/ in its folder, or made/breakpad/ARCH.NAME. */
static void
answer_path(char *buffer, size_t size, const char *corpus, const char *dump)
{
	const char *name = place_base_name(dump);
	int length = (int)(strlen(name) - strlen(".dmp"));
	const char *made = strstr(dump, "/made/");

	if (made == NULL)
		snprintf(buffer, size, "%s/breakpad/oracle/%.*s.none.m.txt", corpus, length, name);
	else
		snprintf(buffer, size, "%s/made/breakpad/%.*s.%.*s.none.m.txt", corpus,
			 (int)(name - 1 - (made + 6)), made + 6, length, name);
}

static bool
compare(const char *corpus, const char *dump)
{
	char path[1024];
	struct error error;
	struct crash crash;

	answer_path(path, sizeof(path), corpus, dump);
	char *want = stored(path);
	if (want == NULL)
		return false;
	ok(dump_open(&crash, dump, 0, &error) == ERROR_NONE, "%s opens", place_base_name(dump));
	char *got = summary(&crash);
	is_str(got, want, "it says what Breakpad says");
	crash_free(&crash);
	free(got);
	free(want);
	return true;
}

int
main(void)
{
	static const char *const folders[] = { "breakpad/*.dmp", "made/*/*.dmp" };
	const char *corpus = getenv("UNSPOOL_CORPUS");
	size_t compared = 0;

	for (size_t i = 0; corpus != NULL && i < ARRAY_COUNT(folders); i++) {
		char pattern[1024];
		glob_t found = { .gl_pathc = 0 };

		snprintf(pattern, sizeof(pattern), "%s/%s", corpus, folders[i]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t n = 0; n < found.gl_pathc; n++)
				compared += compare(corpus, found.gl_pathv[n]);
		globfree(&found);
	}
	if (compared == 0)
		skip(1, "no corpus of real dumps");
	return done_testing();
}
