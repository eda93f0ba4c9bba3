/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands without memory: each allocation that src/cmd asks for fails once, alone. The command then says so and ends with 3, or
 * with 4 if only a part of its output is missing. tests/fault/memory.t lets the other allocations of the program fail. */
#include <config.h>

#include "tests/lib/folder.h"

/* Others have their own allocator. */
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	defined(__clang__)

int
main(void)
{
	skip(1, "allocations of this C library or of a sanitizer cannot be replaced");
	return done_testing();
}

#else

#include <errno.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cmd/subject.h"
#include "system/shortage.h"
#include "tests/unit/cmd/run.h"

/* The C library exports its own functions under these names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

enum { CALLERS = 7, SITES = 512, NEAR = 0x8000 };

/* Functions of src/cmd: what lies near one of them does, too. */
static uintptr_t own[100];
static size_t own_count;
/* The allocation that fails in this process, and whether it came; the calls that came before. */
static _Thread_local unsigned wanted;
static bool *came;
static uint64_t sites[SITES];
static size_t site_count;

static bool
is_own(uintptr_t address)
{
	for (size_t i = 0; i < own_count; i++)
		if (address - own[i] + NEAR < 2 * NEAR)
			return true;
	return false;
}

/* Whether this allocation fails: it is the wanted one of those that a call in src/cmd asks for. */
static __attribute__((noinline)) bool
fails(void)
{
	static _Thread_local bool inside;
	void *callers[CALLERS];
	uint64_t hash = 1;
	bool found = false;

	if (wanted == 0 || inside)
		return false;
	inside = true;
	const int count = backtrace(callers, CALLERS);
	inside = false;
	for (int i = 2; i < count && !found; i++) {
		found = is_own((uintptr_t)callers[i]);
		hash = hash * 31 + (uintptr_t)callers[i];
	}
	for (size_t i = 0; i < site_count && found; i++)
		found = sites[i] != hash;
	if (!found || site_count == SITES)
		return false;
	sites[site_count++] = hash;
	if (site_count != wanted)
		return false;
	wanted = 0;
	*came = true;
	shortage_note(ENOMEM, NULL);
	return true;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

/* Run a command in a child, whose n-th allocation fails; returns its status, -1 for a signal. */
static int
run_lacking(const char *top, const char *line, unsigned n)
{
	char *words[RUN_WORDS + 1] = { "unspool" };
	int status = -1;
	const pid_t id = fork();

	if (id == 0) {
		const int count = run_split(strdup(line), words + 1);
		if (freopen("/dev/null", "r", stdin) == NULL || freopen(path_in("out"), "w", stdout) == NULL ||
		    freopen(path_in("messages"), "w", stderr) == NULL || chdir(top) != 0)
			_exit(99);
		wanted = n;
		status = cmd_main(count + 1, words);
		wanted = 0;
		fflush(NULL);
		_exit(status);
	}
	waitpid(id, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether a file of the last run has a text; an empty one: whether it has any. */
static bool
has(const char *name, const char *text)
{
	struct file file;

	if (file_open(&file, path_in(name), NULL) != ERROR_NONE)
		return false;
	const bool found = file.size > 0 && memmem(file.data, file.size, text, strlen(text)) != NULL;
	file_close(&file);
	return found;
}

#define CRASHES "data/crashes/"
#define LEDGER " " CRASHES "frame-data-x86/crash.dmp " CRASHES "frame-data-x86/symbols"
#define LEDGER_SYM CRASHES "frame-data-x86/symbols/ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81/ledger.sym"
#define PARCEL CRASHES "sframe-amd64/binaries/parcel"
#define PARCEL_SYM CRASHES "sframe-amd64/symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym"
#define BROKEN CRASHES "broken-cfi-amd64/"

static const char *const commands[] = {
	"walk --signature-rules /dev/null" LEDGER, "walk --fold --stack" LEDGER,
	"walk --format markdown" LEDGER, "walk --json data/crashes", "walk --against data/crashes/scan-only-amd64/crash.dmp" LEDGER,
	"summary --methods scan --redact" LEDGER, "group --all data/crashes/frame-data-x86",
	"report --source a=b" LEDGER, "explain --all-methods" LEDGER, "explain --prose" LEDGER,
	"explain --drawing" LEDGER, "stack --registers" LEDGER, "locals" LEDGER,
	"register-history -r ebp" LEDGER, "streams --stream ThreadList" LEDGER, "teb" LEDGER,
	"find" LEDGER " 7f", "identify" LEDGER " eip", "disassemble" LEDGER, "cfi" LEDGER,
	"lookup" LEDGER " 401001", "symbols" LEDGER, "step --at main+1 " PARCEL,
	"step --at add_up " LEDGER_SYM, "unwind-check " PARCEL " " PARCEL_SYM, "unwind-check --sarif data/crashes/sframe-amd64",
	"repair --binary " BROKEN "binaries/till " BROKEN
	"symbols/till/B5BD3192C5502D1E4E76175E9C24A5EA0/till.sym " BROKEN "crash.dmp",
	"lint --binary " PARCEL " --accept-file /dev/null data/crashes/sframe-amd64/symbols",
	"symdiff " PARCEL " " PARCEL_SYM, "dump-syms " PARCEL, "sframe --from " PARCEL,
	"sframe --at 1145 " PARCEL, "eval 1 2 +", "policy", "help cfa", "lesson --list",
	"lesson --grade data/lessons/basics-01-frame/solution", "lesson --answers data/lessons/basics-01-frame/solution basics-01-frame",
	"lesson --lint data/lessons/basics-01-frame", "lesson --html basics-01-frame", "cache", "dap" LEDGER, "--plain --no-config" LEDGER,
};

static void
test_command(const char *top, const char *line)
{
	unsigned n = 0, wrong = 0;

	run_lacking(top, line, 0);
	const bool prints = has("out", "");
	for (*came = true; *came && n < SITES;) {
		*came = false;
		const int status = run_lacking(top, line, ++n);
		/* Readline ends the program with a message of its own. */
		const bool left = has("messages", "xmalloc: out of virtual memory");
		const bool named = has("messages", "out of memory") || has("messages", strerror(ENOMEM));
		const bool part = status == CMD_INCOMPLETE && has("out", "") >= prints;
		if (!*came || left || (named && (part || status == CMD_UNREADABLE)))
			continue;
		wrong++;
		tap_diag("%u fails: status %d, %s", n, status, named ? "nothing is printed" : "no message names it");
	}
	ok(wrong == 0 && n > 3, "%s: a message says that memory ran out", line);
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	void *first[1];

	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	came = mmap(NULL, sizeof(*came), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (top == NULL || came == MAP_FAILED || !folder_make())
		return 99;
	run_begin();
	setenv("UNSPOOL_SANDBOX", "off", 1);
	setenv("UNSPOOL_DATA", "data", 1);
	/* The first call of backtrace() asks for memory itself. */
	backtrace(first, 1);
	for (size_t i = 0; i < cmd_command_count; i++)
		own[own_count++] = cmd_commands[i]->run_alone != NULL ? (uintptr_t)cmd_commands[i]->run_alone
					   : (uintptr_t)cmd_commands[i]->run;
	const uintptr_t more[] = {
		(uintptr_t)cmd_parse, (uintptr_t)cmd_say, (uintptr_t)cmd_run,
		(uintptr_t)cmd_sort_paths, (uintptr_t)cmd_written_open, (uintptr_t)subject_open,
	};
	memcpy(own + own_count, more, sizeof(more));
	own_count += ARRAY_COUNT(more);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		test_command(top, commands[i]);
	folder_remove();
	free(top);
	return done_testing();
}

#endif
