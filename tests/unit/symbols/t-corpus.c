/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/symbols/symtext.h"

#include <ftw.h>

/* Real files. The expected answers come from their text, or from Breakpad. */

static char corpus[512];
static size_t files, unsound, unanswered;

static const char *
corpus_path(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/%s", corpus, name);
	return path;
}

static struct symfile *
open_corpus(const char *name)
{
	struct symfile *symfile = NULL;
	struct error error = { 0 };

	if (symfile_open(&symfile, corpus_path(name), NULL, &error) != ERROR_NONE)
		tap_diag("%s", error.text);
	return symfile;
}

/* The innermost type 4 records of kernel32 and test_app that a walk of minidump2.dmp uses. */
TEST(windows)
{
	struct symfile *symfile = open_corpus("breakpad/symbols/test_app.pdb/5A9832E5287241C1838ED98914E9B7FF1/test_app.sym");
	struct stack_win win;
	char got[512];

	if (symfile == NULL) {
		skip(4, "test_app.sym is not in the corpus");
		return;
	}
	is_str(frames_of(symfile, &as_breakpad, 0x429e, got, sizeof(got)),
	       "`anonymous namespace'::CrashFunction c:\\test_app.cc:58", "the crash has its line");
	is_str(frames_of(symfile, &as_breakpad, 0x41ff, got, sizeof(got)),
	       "main c:\\test_app.cc:65", "the call of the crashing function has its line");
	ok(symfile_stack_win(symfile, &as_breakpad, 4, 0x429e, &win) && win.prologue == 4 &&
	   win.parameters == 0 && win.saved_registers == 0 && win.locals == 4, "the crash has its record for unwinding");
	ok(!symfile_stack_win(symfile, &as_breakpad, 4, 0x1dfe, &win) &&
	   symfile_stack_win(symfile, &as_breakpad, 0, 0x1dfe, &win) && win.address == 0x1db0 &&
	   win.parameters == 8, "FPO data are used without frame data");
	symfile_close(symfile);
	symfile = open_corpus("breakpad/symbols/kernel32.pdb/BCE8785C57B44245A669896B6A19B9542/kernel32.sym");
	ok(symfile != NULL && symfile_stack_win(symfile, &as_breakpad, 4, 0x16fd6, &win) && win.address == 0x16fb4 &&
	   symfile_place(symfile, win.offset, 1).line == 3029, "the first of crossing records in the file counts");
	is_str(name_of(symfile, &as_breakpad, 0x16fd6, got, sizeof(got)), "BaseProcessStart@16fb4", "a PUBLIC names its surroundings");
	is_str(name_of(symfile, &as_breakpad, 0x83780, got, sizeof(got)), "LZCharNextA@8063f",
	       "the last PUBLIC names even the data after it");
	symfile_close(symfile);
}

TEST(linux)
{
	struct symfile *symfile = open_corpus("breakpad/symbols-inline/linux_inline/BBA6FA10B8AAB33D00000000000000000/linux_inline.sym");
	char got[512];

	if (symfile == NULL) {
		skip(1, "linux_inline.sym is not in the corpus");
		return;
	}
	is_str(frames_of(symfile, &as_breakpad, 0x161b6, got, sizeof(got)),
	       "main linux_inline.cpp:27 < func() at c.cpp:32 < bar() at b.cpp:39"
	       " < foo() at a.cpp:42", "inlined calls nest in their order");
	symfile_close(symfile);
}

/* Look up every function of a file, at its start and in its middle. */
static size_t
count_unanswered(const struct symfile *symfile)
{
	size_t wrong = 0;

	for (size_t row = 0; row < symfile_count(symfile, SYMBOL_FUNC); row++) {
		uint64_t offset, address = 0, size = 0;
		uint32_t length;
		struct function function;

		symfile_record(symfile, SYMBOL_FUNC, row, &offset, &length);
		const char *text = (const char *)symfile_file(symfile)->data + offset + 5;
		char *end;
		address = strtoull(text + (text[0] == 'm' ? 2 : 0), &end, 16);
		size = strtoull(end, NULL, 16);
		if (size == 0)
			continue;
		wrong += !symfile_function(symfile, &whole_file, address, &function) ||
			 address - function.address >= function.size;
		wrong += !symfile_covering_function(symfile, &whole_file, address + size / 2, &function) &&
			 seen(symfile, MESSAGE_SYMBOL_OVERLAP) == 0;
	}
	return wrong;
}

static int
read_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	struct symfile *symfile;
	struct error error = { 0 };
	size_t length = strlen(path);

	(void)status;
	(void)walk;
	if (type != FTW_F || length < 4 || strcmp(path + length - 4, ".sym") != 0)
		return 0;
	files++;
	if (symfile_open(&symfile, path, NULL, &error) != ERROR_NONE) {
		tap_diag("%s: %s", path, error.text);
		unsound++;
		return 0;
	}
	if (symfile_corrupt(symfile) || symfile_identity(symfile).name.length == 0 || seen(symfile, MESSAGE_SYMBOL_LINE) != 0) {
		tap_diag("%s is corrupt", path);
		unsound++;
	}
	unanswered += count_unanswered(symfile);
	symfile_close(symfile);
	return 0;
}

int
main(void)
{
	const char *given = getenv("UNSPOOL_CORPUS"), *source = getenv("srcdir");

	if (given != NULL && given[0] != '\0')
		snprintf(corpus, sizeof(corpus), "%s", given);
	else
		snprintf(corpus, sizeof(corpus), "%s/../shared/corpus", source != NULL ? source : ".");
	nftw(corpus_path("."), read_one, 16, FTW_PHYS);
	if (files == 0) {
		skip(1, "there is no corpus at '%s'", corpus);
		return done_testing();
	}
	is_u64(unsound, 0, "none of %zu real files is corrupt", files);
	is_u64(unanswered, 0, "each function in them is found at its address");
	run_tests();
	return done_testing();
}
