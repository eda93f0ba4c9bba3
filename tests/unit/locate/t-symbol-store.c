/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/symbols/symtext.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "locate/fetch.h"
#include "locate/symbol_store.h"
#include "tests/lib/folder.h"

/* Places of symbol files. */

static struct module
module_of(const char *debug_file, const char *debug_id)
{
	return (struct module){ .base = 0x400000, .size = 0x1000, .code_file = "code",
				.code_id = "", .debug_file = debug_file, .debug_id = debug_id,
				.version = "" };
}

/* The name in the MODULE record of the file that is found for a module, or "-". */
static const char *
found(const struct module *module, const char *const *paths, size_t count, char *buffer,
      size_t size, enum message_kind *kind)
{
	struct symbols *symbols = symbols_create(module, 1, paths, count);
	const struct symfile *symfile = symbols_load(symbols, 0);

	snprintf(buffer, size, "-");
	if (symfile != NULL) {
		buffer[0] = '\0';
		append_text(buffer, size, symfile_identity(symfile).name);
	}
	*kind = MESSAGE_KIND_COUNT;
	if (symbols_messages(symbols)->count != 0)
		*kind = symbols_messages(symbols)->messages[0].kind;
	symbols_free(symbols);
	return buffer;
}

#define NO_MESSAGE MESSAGE_KIND_COUNT

TEST(layout)
{
	static const struct {
		const char *title, *debug_file, *debug_id, *want;
		enum message_kind kind;
	} cases[] = {
		{ "a file lies at NAME/ID/NAME.sym", "a.out", "ID1", "first", NO_MESSAGE },
		{ "only the last part of a path is used", "/usr/bin/a.out", "ID1", "first", NO_MESSAGE },
		{ "only the last part of a Windows path is used, and .pdb becomes .sym",
		  "c:\\build\\app.pdb", "ID2", "windows", NO_MESSAGE },
		{ ".pdb becomes .sym in upper or lower case", "app.PDB", "ID2", "loud", NO_MESSAGE },
		{ "a name of .pdb alone stays whole", ".pdb", "ID2", "short", NO_MESSAGE },
		{ "roots are tried in order", "second", "ID3", "in-second", NO_MESSAGE },
		{ "another id is another file", "a.out", "ID9", "-", NO_MESSAGE },
		{ "an id that differs from the MODULE record's is a message, the file is used", "lied", "ID4", "lied", MESSAGE_SYMBOL_ID },
		{ "IDs that differ only in case are equal", "case", "abc", "case", NO_MESSAGE },
		{ "without a MODULE record there is nothing to compare", "none", "ID6", "", NO_MESSAGE },
		{ "a folder is not a symbol file", "folder", "ID7", "-", MESSAGE_SYMBOL_UNREADABLE },
		{ "a module without a debug file has no symbols", "", "ID1", "-", NO_MESSAGE },
		{ "a module without an id has no symbols", "a.out", "", "-", NO_MESSAGE },
		{ "an id does not lead out of the root", "x", "../../outside", "-", MESSAGE_SYMBOL_ID },
		{ "an id does not lead to the parent folder", "a.out", "..", "-", MESSAGE_SYMBOL_ID },
		{ "a name does not lead out of the root", "..", "outside", "-", MESSAGE_SYMBOL_ID },
		{ "a backslash in an id does not lead out of the root", "a.out", "..\\outside", "-", MESSAGE_SYMBOL_ID },
	};
	const char *paths[] = { path_in("one"), path_in("two") };
	char got[64];
	enum message_kind kind;

	put_text("one/a.out/ID1/a.out.sym", "MODULE Linux x86 ID1 first\n");
	put_text("two/a.out/ID1/a.out.sym", "MODULE Linux x86 ID1 never\n");
	put_text("one/app.pdb/ID2/app.sym", "MODULE windows x86 ID2 windows\n");
	put_text("one/app.PDB/ID2/app.sym", "MODULE windows x86 ID2 loud\n");
	put_text("one/.pdb/ID2/.pdb.sym", "MODULE windows x86 ID2 short\n");
	put_text("two/second/ID3/second.sym", "MODULE Linux x86 ID3 in-second\n");
	put_text("one/lied/ID4/lied.sym", "MODULE Linux x86 ID5 lied\n");
	put_text("one/case/abc/case.sym", "MODULE Linux x86 ABC case\n");
	put_text("one/none/ID6/none.sym", "FUNC 1000 10 0 f\n");
	put_text("one/folder/ID7/folder.sym/x", "");
	put_text("outside/x.sym", "MODULE Linux x86 ID outside\n");
	put_text("outside/outside/...sym", "MODULE Linux x86 ID outside\n");
	put_text("one/a.out/a.out.sym", "MODULE Linux x86 ID outside\n");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct module module = module_of(cases[i].debug_file, cases[i].debug_id);

		is_str(found(&module, paths, ARRAY_COUNT(paths), got, sizeof(got), &kind), cases[i].want, "%s", cases[i].title);
		is_u64(kind, cases[i].kind, "the message is as expected: %s", cases[i].title);
	}
}

/* "WAY, OUTCOME: WHY" of each place. */
static void
note_reason(void *context, const struct locate_place *place)
{
	char *seen = context;
	const size_t used = strlen(seen);

	snprintf(seen + used, 2048 - used, "%d%c: %s\n", (int)place->way,
		 place->outcome == LOCATE_USED ? '+' : place->outcome == LOCATE_REFUSED ? '!' : '-', text_or_empty(place->why));
}

TEST(plain_files)
{
	static const struct {
		const char *title, *debug_file, *debug_id, *given, *want;
		enum message_kind kind;
	} rows[] = {
		{ "a plain file is used for the module with its id, in any case of letters", "other name", "abcd", "good.sym", "plain", NO_MESSAGE },
		{ "a plain file for another build of a module is not used", "/bin/plain", "ABCE", "good.sym", "-", MESSAGE_SYMBOL_ID },
		{ "a file for something else is no message", "unrelated", "123", "good.sym", "-", NO_MESSAGE },
		{ "a file without a MODULE record is a message", "unrelated", "123", "bare.sym", "-", MESSAGE_SYMBOL_ID },
		{ "a missing path is a message", "unrelated", "123", "missing", "-", MESSAGE_SYMBOL_UNREADABLE },
	};
	const struct module module = module_of("/bin/plain", "ABCE");
	const char *good = put_text("good.sym", "MODULE Linux x86 ABCD plain\nFUNC 1000 10 0 f\n");
	char got[64];
	enum message_kind kind;

	put_text("bare.sym", "FUNC 1000 10 0 f\n");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct module other = module_of(rows[i].debug_file, rows[i].debug_id);
		const char *path = path_in(rows[i].given);

		is_str(found(&other, &path, 1, got, sizeof(got), &kind), rows[i].want, "%s", rows[i].title);
		is_u64(kind, rows[i].kind, "%s: the message", rows[i].title);
	}
	struct symbols *symbols = symbols_create(&module, 1, &good, 1);
	char want[300], seen[2048] = "";
	symbols_load(symbols, 0);
	snprintf(want, sizeof(want), "'%s' is for another build of 'plain', expected id ABCE, found ABCD", good);
	is_str(symbols_messages(symbols)->messages[0].text, want, "the message about another build has both IDs");
	is_str(symbols_messages(symbols)->messages[0].hint, "not used", "it is not used");
	symbols_search(symbols, 0, note_reason, seen);
	is_str(seen, "0!: its MODULE record has the id ABCD\n", "the place of another build has its ID");
	symbols_free(symbols);
	const char *const others[] = { good, path_in("bare.sym"), path_in("missing") };
	const struct module unrelated = module_of("unrelated", "123");
	symbols = symbols_create(&unrelated, 1, others, 3);
	seen[0] = '\0';
	symbols_search(symbols, 0, note_reason, seen);
	is_str(seen, "0!: it is for another module, with the id ABCD\n0!: cannot be read, or has no MODULE record\n"
	       "0!: cannot be read, or has no MODULE record\n", "each given file has a place");
	is_str(symbols_problem(symbols, others[2]), "No such file or directory", "a missing file has a problem");
	is_str(symbols_problem(symbols, others[1]), "it does not begin with a MODULE record", "a file of no module has one");
	is_str(symbols_problem(symbols, good), NULL, "a symbol file has none");
	symbols_free(symbols);
}

/* The message about a file that cannot be used names it and gives the reason. */
TEST(reasons)
{
	static const struct {
		const char *name, *debug_file, *text;	/* the text follows the file's name */
		const char *file;			/* in a given folder; "": it was given itself */
	} rows[] = {
		{ "one", "folder", "': not a regular file", "/folder/ID7/folder.sym" },
		{ "missing", "x", "': No such file or directory", "" }, { "loop", "x", "': Too many levels of symbolic links", "" },
		{ "bare.sym", "x", "' does not begin with a MODULE record", "" },
		{ "utf16.sym", "x", "' is UTF-16 text, not UTF-8 as symbol files are", "" },
	};

	put_text("bare.sym", "FUNC 1000 10 0 f\n");
	FILE *wide = fopen(put_text("utf16.sym", ""), "w");
	fwrite("\xff\xfeM\0O\0D\0U\0", 1, 10, wide);
	fclose(wide);
	ok(symlink("loop", path_in("loop")) == 0, "a link that leads to itself is made");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct module module = module_of(rows[i].debug_file, "ID7");
		const char *path = path_in(rows[i].name);
		struct symbols *symbols = symbols_create(&module, 1, &path, 1);
		char want[512];

		ok(symbols_load(symbols, 0) == NULL, "%s is not used", rows[i].name);
		const struct message_list *list = symbols_messages(symbols);
		snprintf(want, sizeof(want), "%s%s%s", path, rows[i].file, rows[i].text);
		ok(list->count == 1 && strstr(list->messages[0].text, want) != NULL,
		   "one message says that %s%s", rows[i].name, rows[i].text);
		symbols_free(symbols);
	}
}

/* Two files for one module: the first is used, and a message names the other. */
TEST(second_file)
{
	const struct module module = module_of("twice", "ID1");
	const char *const paths[] = {
		put_text("twice/a.sym", "MODULE Linux x86_64 ID1 twice\nPUBLIC 10 0 a\n"),
		put_text("twice/b.sym", "MODULE Linux x86_64 id1 twice\nPUBLIC 10 0 b\n"),
		put_text("twice/c.sym", "MODULE Linux x86_64 ID2 twice\nPUBLIC 10 0 c\n"),
	};
	struct symbols *symbols = symbols_create(&module, 1, paths, 2);
	const struct message_list *list = symbols_messages(symbols);

	is_u64(list->count, 1, "a second file for a module is a message");
	ok(list->count == 1 && strstr(list->messages[0].text, "b.sym' is for the same module as") &&
	   strstr(list->messages[0].text, "a.sym'"),
	   "the message about a second file names both files");
	ok(strstr(symfile_file(symbols_load(symbols, 0))->input.name, "a.sym") != NULL, "the first is used");
	symbols_free(symbols);
	const char *const others[] = { paths[0], paths[2] };
	symbols = symbols_create(&module, 1, others, 2);
	is_u64(symbols_messages(symbols)->count, 0, "a file for another module is no message");
	symbols_free(symbols);
}

TEST(states)
{
	const char *path = path_in("one");
	struct module modules[] = { module_of("a.out", "ID1"), module_of("/x/a.out", "ID1"),
				    module_of("a.out", "ID9") };
	struct symbols *symbols = symbols_create(modules, ARRAY_COUNT(modules), &path, 1);
	enum symbols_state state;

	ok(symbols_configured(symbols), "symbols are configured if a path is given");
	ok(symbols_peek(symbols, 0, &state) == NULL && state == SYMBOLS_PENDING, "nothing is loaded before it is needed");
	const struct symfile *symfile = symbols_load(symbols, 0);
	ok(symfile != NULL && symbols_peek(symbols, 0, &state) == symfile &&
	   state == SYMBOLS_LOADED, "a file is loaded when it is needed");
	ok(symbols_load(symbols, 1) == symfile, "modules with one file share it");
	ok(symbols_load(symbols, 2) == NULL && symbols_peek(symbols, 2, &state) == NULL &&
	   state == SYMBOLS_ABSENT, "symbols that are not found are absent");
	symbols_free(symbols);
	symbols = symbols_create(modules, ARRAY_COUNT(modules), NULL, 0);
	ok(!symbols_configured(symbols) && symbols_load(symbols, 0) == NULL,
	   "symbols without a path are not configured and not found");
	symbols_free(symbols);
}

#define THREADS 4u
#define MODULES 64u

struct loader {
	struct symbols *symbols;
	const struct symfile *got[MODULES];
	unsigned start;
};

static void *
load_all(void *argument)
{
	struct loader *loader = argument;

	for (unsigned turn = 0; turn < MODULES; turn++) {
		unsigned module = (turn + loader->start) % MODULES;
		enum symbols_state state;

		symbols_peek(loader->symbols, module, &state);
		loader->got[module] = symbols_load(loader->symbols, module);
	}
	return NULL;
}

TEST(threads)
{
	const char *path = path_in("one");
	struct module modules[MODULES];
	struct loader loaders[THREADS];
	pthread_t threads[THREADS];
	size_t wrong = 0;

	for (unsigned module = 0; module < MODULES; module++)
		modules[module] = module % 3 == 0 ? module_of("a.out", "ID1")
				: module % 3 == 1 ? module_of("app.pdb", "ID2")
						  : module_of("gone", "ID1");
	struct symbols *symbols = symbols_create(modules, MODULES, &path, 1);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		loaders[thread] = (struct loader){ .symbols = symbols, .start = thread * 7 };
		pthread_create(&threads[thread], NULL, load_all, &loaders[thread]);
	}
	for (unsigned thread = 0; thread < THREADS; thread++)
		pthread_join(threads[thread], NULL);
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned module = 0; module < MODULES; module++)
			wrong += loaders[thread].got[module] != loaders[0].got[module % 3] ||
				 (loaders[thread].got[module] == NULL) != (module % 3 == 2);
	is_u64(wrong, 0, "threads that load at once get the same files");
	symbols_free(symbols);
}

static void *
load_first(void *symbols)
{
	symbols_load(symbols, 0);
	return NULL;
}

/* Opening a file on which another process has a lease waits until the lease ends. */
TEST(loading)
{
	const char *path = path_in("one");
	struct module module = module_of("a.out", "ID1");
	struct symbols *symbols = symbols_create(&module, 1, &path, 1);
	enum symbols_state state = SYMBOLS_PENDING;
	int lease = open(path_in("one/a.out/ID1/a.out.sym"), O_RDWR | O_CLOEXEC);
	pthread_t thread;

	signal(SIGIO, SIG_IGN);
	if (fcntl(lease, F_SETLEASE, F_WRLCK) != 0) {
		skip(2, "no lease on this file system");
		close(lease);
		symbols_free(symbols);
		return;
	}
	pthread_create(&thread, NULL, load_first, symbols);
	for (unsigned turn = 0; turn < 5000 && state == SYMBOLS_PENDING; turn++) {
		symbols_peek(symbols, 0, &state);
		usleep(1000);
	}
	ok(symbols_peek(symbols, 0, &state) == NULL && state == SYMBOLS_LOADING,
	   "a file that is being read is distinguished from a missing one");
	fcntl(lease, F_SETLEASE, F_UNLCK);
	pthread_join(thread, NULL);
	ok(symbols_peek(symbols, 0, &state) != NULL && state == SYMBOLS_LOADED,
	   "a file that was being read is available afterwards");
	close(lease);
	symbols_free(symbols);
}

TEST(shared)
{
	const char *folder[] = { path_in("shared") };
	struct module module = module_of("one.pdb", "AA1");
	struct symbols_cache *cache = symbols_cache_create();
	const struct symbols_source source = { .paths = folder, .path_count = 1, .cache = cache };

	put_text("shared/one.pdb/AA1/one.sym", "MODULE windows x86 AA1 one.pdb\n");
	struct symbols *first = symbols_open(&module, 1, &source);
	struct symbols *second = symbols_open(&module, 1, &source);
	const struct symfile *symfile = symbols_load(first, 0);
	ok(symfile != NULL && symbols_load(second, 0) == symfile, "two sets with one cache share an open file");
	symbols_free(first);
	is_u64(symfile_count(symbols_load(second, 0), SYMBOL_MODULE), 1, "it outlives the set that opened it");
	symbols_free(second);

	mkdir(path_in("shared/bad.pdb"), 0700);
	mkdir(path_in("shared/bad.pdb/AA1"), 0700);
	mkdir(path_in("shared/bad.pdb/AA1/bad.sym"), 0700);
	module = module_of("bad.pdb", "AA1");
	for (int i = 0; i < 2; i++) {
		struct symbols *symbols = symbols_open(&module, 1, &source);

		symbols_load(symbols, 0);
		is_u64(symbols_messages(symbols)->seen[MESSAGE_SYMBOL_UNREADABLE], 1,
		       "an unreadable file is a message in every set");
		symbols_free(symbols);
	}
	symbols_cache_free(cache);
	symbols_cache_free(NULL);
}

/* The list of a directory is kept for later sets until the directory changes. */
TEST(shared_directory)
{
	const char *folder[] = { path_in("flat") };
	struct module module = module_of("one.pdb", "aB1");
	struct symbols_cache *cache = symbols_cache_create();
	const struct symbols_source source = { .paths = folder, .path_count = 1, .cache = cache,
					       .any_layout = true };
	static const char *const want[] = { "x.sym", "b.sym", NULL };

	put_text("flat/x.sym", "MODULE windows x86 AB1 one.pdb\n");
	put_text("flat/y.sym", "MODULE windows x86 AB1 one.pdb\n");
	put_text("flat/z.sym", "MODULE windows x86 AB2 one.pdb\n");
	for (size_t i = 0; want[i] != NULL; i++) {
		struct symbols *symbols = symbols_open(&module, 1, &source);
		const struct symfile *symfile = symbols_load(symbols, 0);

		is_str(symfile == NULL ? NULL : place_base_name(symfile_file(symfile)->input.name),
		       want[i], "the first of two files of a module by name is used");
		symbols_free(symbols);
		symbols_cache_close_files(cache);
		put_text("flat/b.sym", "MODULE windows x86 ab1 one.pdb\n");
	}
	/* An ID of zeros needs the name, too. */
	put_text("flat/n.sym", "MODULE windows x86 000 two.pdb\n");
	const struct module others[] = { module_of("TWO.pdb", "000"), module_of("one.pdb", "000"), module_of("two.pdb", "AB9") };
	struct symbols *symbols = symbols_open(others, 3, &source);
	for (size_t i = 0; i < 3; i++) {
		char seen[2048] = "";

		symbols_search(symbols, i, note_reason, seen);
		is_u64(strstr(seen, "6+: \n") != NULL, i == 0, "module %zu is found by its record or not", i);
		is_u64(strstr(seen, "6-: 5 files there with a MODULE record, none with the id\n") != NULL, i != 0, "module %zu: the reason", i);
	}
	symbols_free(symbols);
	symbols_cache_free(cache);
}

TEST(code_file)
{
	const char *folder[] = { path_in("by-code") };
	struct module module = module_of("", "CC3");

	put_text("by-code/code/CC3/code.sym", "MODULE Linux x86_64 CC3 code\n");
	for (int by_code_file = 0; by_code_file < 2; by_code_file++) {
		const struct symbols_source source = { .paths = folder, .path_count = 1,
						       .by_code_file = by_code_file != 0 };
		struct symbols *symbols = symbols_open(&module, 1, &source);

		is_u64(symbols_load(symbols, 0) != NULL, (uint64_t)by_code_file,
		       "a module without a debug file is found by its code file %s",
		       by_code_file ? "if that is requested" : "only if requested");
		symbols_free(symbols);
	}
}

/* The places searched for a module, one a line, relative to the root. */
static void
note_place(void *context, const struct locate_place *place)
{
	char *seen = context;
	const size_t used = strlen(seen), length = strlen(root);

	snprintf(seen + used, 2048 - used, "%d%c%s\n", (int)place->way,
		 place->outcome == LOCATE_USED ? '+' : place->outcome == LOCATE_REFUSED ? '!' : '-',
		 strncmp(place->path, root, length) == 0 ? place->path + length : place->path);
}

TEST(any_layout)
{
	const char *folder[] = { path_in("any") };
	const struct symbols_source source = { .paths = folder, .path_count = 1,
					       .any_layout = true };
	struct module module = module_of("a.pdb", "EE5");
	char seen[2048] = "";

	module.code_file = "c:\\a.dll";
	module.code_id = "4B2F1D008000";
	put_text("any/a.pdb/EE5/a.sym.xz", "not compressed");
	put_text("any/a.dll/4B2F1D008000/a.sym", "MODULE windows x86 EE6 a.pdb\n");
	put_text("any/flat", "MODULE windows x86 EE5 a.pdb\n");
	struct symbols *symbols = symbols_open(&module, 1, &source);
	symbols_search(symbols, 0, note_place, seen);
	is_str(seen, "1-/any/a.pdb/EE5/a.sym\n2!/any/a.pdb/EE5/a.sym.xz\n"
	       "3!/any/a.pdb/EE5/a.sym.xz\n4!/any/a.dll/4B2F1D008000/a.sym\n"
	       "4!/any/a.dll/4B2F1D008000/a.sym\n5-/any/4b/2f1d008000/breakpad\n6+/any/flat\n",
	       "layouts are tried in order, and a file of another build is refused");
	ok(symbols_load(symbols, 0) != NULL, "the file used by the search is the one loaded");
	symbols_free(symbols);
	symbols = symbols_create(&module, 1, folder, 1);
	seen[0] = '\0';
	symbols_search(symbols, 0, note_place, seen);
	is_str(seen, "1-/any/a.pdb/EE5/a.sym\n", "a search without any_layout tries only the first layout");
	symbols_free(symbols);
}

/* An unreadable file does not hide a file in a later place. */
TEST(unreadable)
{
	const char *folders[] = { path_in("bad"), path_in("good") };
	struct symbols_source source = { .paths = folders, .path_count = 2, .any_layout = true };
	const struct module modules[] = { module_of("a.pdb", "EE7"), module_of("b.pdb", "EE8"),
					  module_of("c.pdb", "EE9"), module_of("d.pdb", "EEA") };
	const char *denied = path_in("bad/b.pdb/EE8/b.sym");
	char seen[2048] = "";
	struct identity identity;

	put_text("bad/a.pdb/EE7/a.sym/x", "");
	put_text("bad/b.pdb/EE8/x", "");
	put_text("bad/c.pdb/EE9/x", "");
	put_text("bad/d.pdb/EEA/d.sym/x", "");
	put_text("good/a.pdb/EE7/a.sym", "MODULE windows x86 EE7 a.pdb\n");
	put_text("good/b.pdb/EE8/b.sym", "MODULE windows x86 EE8 b.pdb\n");
	put_text("good/c.pdb/EE9/c.sym", "MODULE windows x86 EE9 c.pdb\n");
	/* A plain file whose first bytes cannot be read, not even by root. */
	if (symlink("/proc/self/mem", denied) != 0 ||
	    symlink("c.sym", path_in("bad/c.pdb/EE9/c.sym")) != 0 || access(denied, F_OK) != 0) {
		skip(1, "no file that cannot be read");
		return;
	}
	struct symbols *symbols = symbols_open(modules, ARRAY_COUNT(modules), &source);
	ok(symbols_load(symbols, 0) != NULL, "a folder in a file's place is skipped");
	ok(symbols_load(symbols, 1) != NULL, "an unreadable file is skipped");
	ok(symbols_load(symbols, 2) != NULL, "a link to itself is skipped");
	ok(symbols_load(symbols, 3) == NULL, "a module without another file has no symbols");
	is_u64(symbols_messages(symbols)->seen[MESSAGE_SYMBOL_UNREADABLE], 4, "each unusable file is one message");
	ok(!symbols_differ(symbols, 1, &identity) && !symbols_differ(symbols, 3, &identity),
	   "the file on disk is the one that was found");
	symbols_search(symbols, 2, note_place, seen);
	is_str(seen, "1!/bad/c.pdb/EE9/c.sym\n5-/bad/ee/9/breakpad\n6-/bad\n"
	       "1+/good/c.pdb/EE9/c.sym\n", "a search reports the damaged file");
	unlink(denied);
	put_text("bad/b.pdb/EE8/b.sym", "MODULE windows x86 EE8 repaired\n");
	ok(symbols_differ(symbols, 1, &identity), "a repaired file is used again");
	symbols_forget(symbols, 1);
	const struct symfile *symfile = symbols_load(symbols, 1);
	ok(symfile != NULL && text_equal(symfile_identity(symfile).name, text_of("repaired")), "a repaired file is read");
	symbols_free(symbols);

	source.any_layout = false;
	unlink(denied);
	ok(symlink("/proc/self/mem", denied) == 0, "the file cannot be read again");
	symbols = symbols_open(modules, ARRAY_COUNT(modules), &source);
	ok(symbols_load(symbols, 0) != NULL, "Breakpad skips a folder, too");
	ok(symbols_load(symbols, 1) == NULL && !symbols_differ(symbols, 1, &identity), "Breakpad does not skip a plain file");
	symbols_free(symbols);
}

/* Module names and IDs of a dump may be any text. */
TEST(hostile_names)
{
	static char longest[65537];
	static const char *const names[] = { "../../../etc/passwd", "/etc/passwd", "..", ".", "",
					     "a\nb", "..\\..\\x", "\x1b[2J", longest };
	const char *folder[] = { path_in("fort") };
	const struct symbols_source source = { .paths = folder, .path_count = 1,
					       .by_code_file = true, .any_layout = true };
	size_t outside = 0;

	memset(longest, 'a', sizeof(longest) - 1);
	put_text("fort/flat", "MODULE windows x86 EE5 a.pdb\n");
	for (size_t i = 0; i < ARRAY_COUNT(names) * ARRAY_COUNT(names); i++) {
		const char *name = names[i / ARRAY_COUNT(names)];
		struct module module = module_of(name, names[i % ARRAY_COUNT(names)]);
		char seen[2048] = "";

		module.code_file = name;
		module.code_id = module.debug_id;
		struct symbols *symbols = symbols_open(&module, 1, &source);
		symbols_load(symbols, 0);
		symbols_search(symbols, 0, note_place, seen);
		outside += strstr(seen, "/..") != NULL || strstr(seen, "etc/") != NULL;
		for (const char *line = seen; line != NULL && *line != '\0'; line = strchr(line + 1, '\n'))
			outside += *line != '\n' && strncmp(line + 2, "/fort", 5) != 0;
		symbols_free(symbols);
	}
	is_u64(outside, 0, "no name and no id leads out of the directory");
}

static bool
differs(struct symbols *symbols)
{
	struct identity identity;

	return symbols_differ(symbols, 0, &identity);
}

TEST(changes)
{
	const char *folder[] = { path_in("changing") };
	struct module module = module_of("a.pdb", "DD4");
	struct function function;
	const struct policy policy = { 0 };

	put_text("changing/a.pdb/DD4/other", "");
	struct symbols *symbols = symbols_create(&module, 1, folder, 1);
	ok(!differs(symbols), "a module that was not searched has no difference");
	ok(symbols_load(symbols, 0) == NULL && !differs(symbols), "a module that still has no file has no difference");
	put_text("changing/a.pdb/DD4/a.sym", "MODULE Linux x86_64 DD4 a.pdb\nFUNC 10 10 0 f\n");
	ok(differs(symbols), "a new file differs from a missing one");
	symbols_forget(symbols, 0);
	const struct symfile *first = symbols_load(symbols, 0);
	ok(first != NULL && !differs(symbols), "the new file is read once the old result is dropped");
	put_text("changing/a.pdb/DD4/a.sym", "MODULE Linux x86_64 DD4 a.pdb\nFUNC 10 10 0 longer\n");
	ok(differs(symbols), "an overwritten file differs");
	ok(symbols_load(symbols, 0) == first, "an overwritten file stays as it was until it is dropped");
	symbols_forget(symbols, 0);
	const struct symfile *second = symbols_load(symbols, 0);
	ok(second != NULL && second != first, "a forgotten file is read again");
	ok(symfile_function(second, &policy, 0x10, &function) && function.name.length == 6,
	   "a file that is read again has its new function");
	ok(symfile_count(first, SYMBOL_FUNC) == 1, "the old file stays valid for its users");
	unlink(path_in("changing/a.pdb/DD4/a.sym"));
	ok(differs(symbols), "a deleted file differs");
	symbols_free(symbols);
}

/* The versions of a file with edits: one for each set of edits of lines that the file has. */
TEST(versions)
{
	enum { FIRST = 30, SECOND = 45 };	/* offsets of the lines "FUNC 10 10 0 f" and "FUNC 20 10 0 g" */
#define EDIT(file, at, old, new) { file, at, 2, { old, sizeof(old) - 1 }, { new, sizeof(new) - 1 } }
	const char *paths[] = { put_text("v/a.sym", "MODULE Linux x86_64 DE4 a.pdb\nFUNC 10 10 0 f\nFUNC 20 10 0 g\n"),
				put_text("v/b.sym", "MODULE Linux x86_64 DE5 b.pdb\nFUNC 10 10 0 f\nFUNC 20 10 0 g\n") };
	const struct record_edit edits[] = {
		EDIT(paths[0], FIRST, "FUNC 10 10 0 f", "FUNC 10 10 0 one"), EDIT(paths[0], FIRST, "FUNC 10 10 0 f", "FUNC 10 10 0 two"),
		EDIT(paths[0], SECOND, "FUNC 20 10 0 g", "FUNC 20 10 0 three"), EDIT(paths[0], FIRST, "FUNC 10 10 0 x", "FUNC 10 10 0 four"),
		EDIT(paths[1], FIRST, "FUNC 10 10 0 f", "FUNC 10 10 0 five"),
	};
	static const struct {
		size_t module, from, count;
		const char *names;	/* the names of both functions; NULL: the file itself */
	} rows[] = {
		{ 0, 0, 0, NULL }, { 0, 0, 1, "one g" }, { 0, 1, 1, "two g" }, { 0, 2, 1, "f three" }, { 0, 1, 2, "two three" }, { 0, 3, 1, NULL },
		{ 0, 3, 2, NULL }, { 1, 0, 3, NULL }, { 1, 0, 5, "five g" }, { 0, 1, 4, "two three" },
	};
	const struct module modules[] = { module_of("a.pdb", "DE4"), module_of("b.pdb", "DE5") };
	const struct policy policy = { 0 };
	struct symbols *symbols = symbols_create(modules, 2, paths, 2);
	const struct symfile *made[ARRAY_COUNT(rows)];

	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			const struct symfile *file = symbols_load(symbols, rows[i].module);
			const struct record_edits some = { &edits[rows[i].from], rows[i].count };
			const struct symfile *version = symbols_version(symbols, file, &some);
			struct function one = { .name = text_of("") }, other = { .name = text_of("") };
			char names[64];

			symfile_function(version, &policy, 0x10, &one);
			symfile_function(version, &policy, 0x20, &other);
			snprintf(names, sizeof(names), "%.*s %.*s", (int)one.name.length, one.name.start, (int)other.name.length, other.name.start);
			is_str(names, rows[i].names != NULL ? rows[i].names : "f g", "row %zu: the functions", i);
			ok((version == file) == (rows[i].names == NULL) && (!again || version == made[i]), "row %zu: the same edits are the same version", i);
			made[i] = version;
		}
	ok(made[4] == made[9], "edits without effect make no version");
	symbols_free(symbols);
}

/* The state of a moment stays available, even if files are read and dropped later. */
TEST(moments)
{
	const char *folder[] = { path_in("moments") };
	const struct module modules[] = { module_of("a.pdb", "DE1"), module_of("b.pdb", "DE2") };
	const struct symfile *known;

	put_text("moments/a.pdb/DE1/a.sym", "MODULE Linux x86_64 DE1 a.pdb\nFUNC 10 10 0 f\n");
	struct symbols *symbols = symbols_create(modules, 2, folder, 1);
	const uint64_t before = symbols_moment(symbols);
	ok(!symbols_known_at(symbols, 0, before, &known) && known == NULL, "a file that was not loaded is unknown");
	const struct symfile *first = symbols_load(symbols, 0);
	const uint64_t loaded = symbols_moment(symbols);
	ok(!symbols_known_at(symbols, 0, before, &known), "a file that is read is unknown at the moment before");
	ok(symbols_known_at(symbols, 0, loaded, &known) && known == first && first != NULL,
	   "a file that is read is known at the moment after");
	ok(symbols_load(symbols, 1) == NULL && !symbols_known_at(symbols, 1, loaded, &known) &&
		   symbols_known_at(symbols, 1, symbols_moment(symbols), &known) && known == NULL,
	   "the absence of a file is known at the moment after");
	symbols_forget(symbols, 0);
	const uint64_t forgotten = symbols_moment(symbols);
	ok(!symbols_known_at(symbols, 0, forgotten, &known) && known == NULL, "a dropped file is no longer known");
	put_text("moments/a.pdb/DE1/a.sym", "MODULE Linux x86_64 DE1 a.pdb\nFUNC 10 10 0 longer\n");
	const struct symfile *second = symbols_load(symbols, 0);
	ok(second != first && !symbols_known_at(symbols, 0, forgotten, &known),
	   "a dropped file stays unknown when another one is read");
	ok(symbols_known_at(symbols, 0, symbols_moment(symbols), &known) && known == second,
	   "the file that was read again is known after it was read");
	ok(symbols_known_at(symbols, 0, loaded, &known) && known == first, "the first file is known at an earlier moment");
	ok(!symbols_known_at(symbols, 0, before, &known), "no file is known before it was read");
	symbols_free(symbols);
}

/* The checks of the progress of reading a file, and the answer to it. */
struct seen_progress {
	struct symbols *symbols;
	bool goes_on;
	size_t calls, wrong;
};

static bool
see_progress(void *context, size_t module, const char *path, uint64_t bytes, uint64_t total)
{
	struct seen_progress *seen = context;
	struct symbols_reading now[2] = { { .module = 9 }, { .module = 9 } };
	const char *file = path_in("progress/b.pdb/DF2/b.sym");

	seen->wrong += module != 1 || strcmp(path, file) != 0 || bytes > total || total != 47 || symbols_reading(seen->symbols, now, 1) != 1 ||
		       now[0].module != 1 || now[0].bytes != bytes || now[0].total != total || now[0].host != NULL || now[1].module != 9;
	seen->wrong += symbols_reading(seen->symbols, now, 0) != 1;
	seen->calls++;
	return seen->goes_on;
}

TEST(progress)
{
	const char *folder[] = { path_in("progress") };
	const struct module modules[] = { module_of("a.pdb", "DF1"), module_of("b.pdb", "DF2") };
	struct symbols_reading now[1];
	enum symbols_state state;

	put_text("progress/b.pdb/DF2/b.sym", "MODULE Linux x86_64 DF3 b.pdb\nFUNC 10 10 0 abc\n");
	struct symbols *symbols = symbols_create(modules, 2, folder, 1);
	struct seen_progress seen = { .symbols = symbols };
	symbols_tell(symbols, see_progress, &seen);
	const uint64_t moment = symbols_moment(symbols);
	ok(symbols_load(symbols, 1) == NULL && symbols_peek(symbols, 1, &state) == NULL && state == SYMBOLS_PENDING &&
	   symbols_moment(symbols) == moment, "a file whose reading is stopped is read later");
	symbols_stop(symbols, true);
	ok(symbols_load(symbols, 1) == NULL && !symbols_settled(symbols, 1) && seen.calls == 1, "while all is stopped no file is read");
	symbols_stop(symbols, false);
	seen.goes_on = true;
	ok(symbols_load(symbols, 1) != NULL && symbols_settled(symbols, 1) && seen.calls >= 2, "afterwards it is read");
	is_u64(seen.wrong, 0, "the progress has the module, the file and its bytes");
	is_u64(symbols_reading(symbols, now, 1), 0, "a file that was read is not being read");
	const struct message *message = symbols_messages(symbols)->messages;
	is_str(message->text, "MODULE record has another id than the module, expected DF2, found DF3", "a file of another build");
	is_str(message->hint, "used, because its path matches", "it is used");
	is_u64(message->place.line, 1, "its record is named");
	symbols_free(symbols);
}

/* Servers that are not asked (--offline): for which names they would be, and the directory of their files. */
TEST(servers)
{
#define URL "http://127.0.0.1:1"
#define OFFLINE "7-" URL "%s\n"
	static char longest[252], longer[253];
	static const struct {
		const char *debug_file, *debug_id, *code_file, *code_id, *url;	/* NULL: no request; "": one of any URL */
		bool compat;
		const char *message;
	} rows[] = {
		{ "a.pdb", "EF1", "", "", "/a.pdb/EF1/a.sym", false, NULL },
		{ "a.pdb", "EF1", "c:\\a.exe", "c1", "/a.exe/C1/a.exe.sym", false, NULL },
		{ "a.pdb", "EF1", "c:\\a.exe", "c1", "/a.exe/C1/a.exe.sym", true, NULL },
		{ "", "", "a.exe", "c1", "/a.exe/C1/a.exe.sym", false, NULL }, { "", "", "a.exe", "c1", NULL, true, NULL },
		{ "a.pdb", "", "", "", NULL, false, NULL },
		{ "a.pdb", "..", "", "", NULL, false, "debug file 'a.pdb' with id '..' is not a valid name of a symbol file|not searched" },
		{ "a\n.pdb", "EF1", "", "", NULL, false, "debug file 'a\\x0a.pdb' has unprintable characters in its name|servers are not asked for it" },
		{ "a\n.pdb", "EF1", "a.exe", "c1", "/a.exe/C1/a.exe.sym", false,
		  "debug file 'a\\x0a.pdb' has unprintable characters in its name|servers are not asked for it" },
		/* A name of 251 bytes and '.sym' are as long as file systems allow. */
		{ longest, "EF1", "", "", "", false, NULL }, { longer, "EF1", "", "", NULL, false, NULL },
		{ "a.pdb", longest, "", "", "", false, NULL }, { "a.pdb", longer, "", "", NULL, false, NULL },
	};
	const char *urls[] = { URL };
	char want[128], text[300], seen[2048];

	memset(longest, 'b', sizeof(longest) - 1);
	memset(longer, 'b', sizeof(longer) - 1);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of(rows[i].debug_file, rows[i].debug_id);
		struct symbols_cache *cache = symbols_cache_create();
		struct error error = { 0 };
		struct fetcher *fetcher = fetch_create(&(struct fetch_options){ .service = FETCH_STORE, .urls = urls, .url_count = 1,
			.directory = path_in("kept"), .memory = symbols_cache_answers(cache), .offline = true, .seconds = 60, .most = 1 << 20 }, &error);
		struct symbols *symbols = symbols_open(&module, 1, &(struct symbols_source){ .cache = cache, .any_layout = !rows[i].compat });

		module.code_file = rows[i].code_file;
		module.code_id = rows[i].code_id;
		if (fetcher == NULL) {
			skip(1, "no libcurl");
		} else {
			ok(symbols_add_servers(symbols, fetcher, &error) == ERROR_NONE && symbols_add_servers(symbols, fetcher, &error) == ERROR_NONE &&
			   symbols_configured(symbols) && symbols_load(symbols, 0) == NULL && symbols_settled(symbols, 0), "row %zu: no file", i);
			seen[0] = '\0';
			symbols_search(symbols, 0, note_place, seen);
			snprintf(want, sizeof(want), OFFLINE OFFLINE, rows[i].url != NULL ? rows[i].url : "", rows[i].url != NULL ? rows[i].url : "");
			for (char *query = seen; (query = strchr(query, '?')) != NULL;)
				memmove(query, query + strcspn(query, "\n"), strlen(query + strcspn(query, "\n")) + 1);
			ok(rows[i].url == NULL ? strstr(seen, "7-") == NULL : *rows[i].url == '\0' ? strncmp(seen, "7-", 2) == 0
			   : strncmp(seen, want, strlen(want)) == 0, "row %zu: the request: %s", i, seen);
			const struct message_list *list = symbols_messages(symbols);
			snprintf(text, sizeof(text), "%s|%s", list->count > 0 ? list->messages[0].text : "", list->count > 0 ? list->messages[0].hint : "");
			is_str(text, rows[i].message != NULL ? rows[i].message : "|", "row %zu: the message", i);
			is_str(symbols_ask_again(symbols, URL "/"), URL "/", "row %zu: the server is known", i);
			is_str(symbols_ask_again(symbols, URL "/other"), NULL, "row %zu: another one is not", i);
		}
		symbols_free(symbols);
		fetch_free(fetcher);
		symbols_cache_free(cache);
	}
}

/* Places that are added later. */
TEST(added)
{
	const struct module modules[] = { module_of("a.pdb", "EE1"), module_of("b.pdb", "EE2"),
					  module_of("c.pdb", "EE3") };
	struct error error = { 0 };
	enum symbols_state state;
	pthread_t thread;

	put_text("early/a.pdb/EE1/a.sym", "MODULE windows x86 EE1 early\nFUNC 10 10 0 f\n");
	put_text("late/a.pdb/EE1/a.sym", "MODULE windows x86 EE1 late\nFUNC 10 10 0 f\n");
	put_text("late/b.pdb/EE2/b.sym", "MODULE windows x86 EE2 b.pdb\nFUNC 10 10 0 f\n");
	const char *early = path_in("early"),
		   *file = put_text("c.sym", "MODULE windows x86 EE3 c.pdb\n");
	struct symbols *symbols = symbols_create(modules, ARRAY_COUNT(modules), &early, 1);
	const struct symfile *first = symbols_load(symbols, 0);
	symbols_load(symbols, 1);
	ok(symbols_add(symbols, path_in("nowhere"), &error) == ERROR_IO &&
	   strcmp(error.text, "No such file or directory") == 0, "a missing path is not added");
	ok(symbols_add(symbols, put_text("no.sym", "FUNC 10 10 0 f\n"), &error) == ERROR_FORMAT,
	   "a file for no module is not added");
	symbols_peek(symbols, 1, &state);
	ok(state == SYMBOLS_ABSENT, "refused paths cause no new search");
	ok(symbols_add(symbols, path_in("late"), &error) == ERROR_NONE, "a directory is added");
	symbols_peek(symbols, 1, &state);
	ok(state == SYMBOLS_PENDING, "a module without symbols is pending again");
	ok(symbols_peek(symbols, 0, &state) == first, "loaded symbols stay");
	ok(symbols_load(symbols, 1) != NULL, "the added directory is searched");
	struct identity identity;
	ok(!symbols_differ(symbols, 0, &identity), "the added directory comes after the earlier one");
	for (int i = 0; i < 40; i++)
		symbols_add(symbols, path_in("early"), &error);
	pthread_create(&thread, NULL, load_first, symbols);
	ok(symbols_add(symbols, file, &error) == ERROR_NONE, "a file is added while others load");
	pthread_join(thread, NULL);
	ok(symbols_load(symbols, 2) != NULL, "the added file is found for its module among many others");
	const struct module moved = module_of("c.pdb", "EE4");
	struct symbols *files = symbols_create(&moved, 1, &file, 1);
	ok(symbols_load(files, 0) == NULL && symbols_ask_again(files, path_in("early")) == NULL &&
	   symbols_peek(files, 0, &state) == NULL && state == SYMBOLS_ABSENT, "a directory that was not given is not searched again");
	put_text("c.sym", "MODULE windows x86 EE4 c.pdb\n");
	put_text("late/x", "");
	ok(symbols_ask_again(files, path_in("late/../c.sym")) == file &&
	   symbols_load(files, 0) != NULL,
			"a file that was given is added again by its present content");
	put_text("c.sym", "FUNC 10 10 0 f\n");
	ok(symbols_ask_again(files, file) == NULL, "a file that no longer belongs to a module is not added again");
	symbols_free(files);
	symbols_free(symbols);
	symbols = symbols_create(modules, ARRAY_COUNT(modules), NULL, 0);
	ok(!symbols_configured(symbols) && symbols_load(symbols, 0) == NULL, "a set without places");
	ok(symbols_add(symbols, path_in("late"), &error) == ERROR_NONE &&
	   symbols_configured(symbols) && symbols_load(symbols, 0) != NULL, "gets its first one");
	symbols_free(symbols);
}

FOLDER_MAIN
