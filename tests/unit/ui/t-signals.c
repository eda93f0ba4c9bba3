/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "system/file.h"
#include "tests/lib/tap.h"
#include "ui/terminal/term.h"

static int terminal[2], notify[2];

static void
take_signals(void)
{
	signals_start(&(struct signals_options){ .terminal = terminal[1], .restore = { "sane", 4 },
						 .farewell = ", farewell", .notify = notify[1] });
	signals_arm(true);
}

/* A file that is large enough to be mapped, and is cut after its first page. */
static bool
open_and_truncate(struct file *file)
{
	char path[] = "unspool-signals-XXXXXX";
	struct error error;
	int descriptor = mkstemp(path);
	bool made = descriptor >= 0 && ftruncate(descriptor, (off_t)LIMIT_READ_WHOLE + 4096) == 0 &&
		    file_open(file, path, &error) == ERROR_NONE && file->mapped &&
		    ftruncate(descriptor, 0) == 0;

	if (descriptor >= 0) {
		close(descriptor);
		unlink(path);
	}
	return made;
}

/* The work of a child that reads a lost page of its file. */
static void
read_lost_page(bool file_first)
{
	struct file file;

	if (!file_first)
		take_signals();
	if (!open_and_truncate(&file))
		_exit(77);
	if (file_first)
		take_signals();
	_exit(file.data[LIMIT_READ_WHOLE] == 0 ? 42 : 1);
}

static void
fault(bool file_first)
{
	struct file file;

	if (file_first && !open_and_truncate(&file))
		_exit(77);
	take_signals();
	if (!file_first && !open_and_truncate(&file))
		_exit(77);
	kill(getpid(), SIGBUS);
	_exit(1);
}

/* Run `work` in a child; returns its exit status. */
static int
run(void (*work)(bool), bool argument)
{
	struct rlimit none = { 0, 0 };
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		dup2(terminal[1], STDERR_FILENO);
		/* A user's program has no handlers of a sanitizer. */
		signal(SIGBUS, SIG_DFL);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		work(argument);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status;
}

static const char *
restored(void)
{
	static char bytes[64];
	ssize_t length = read(terminal[0], bytes, sizeof(bytes) - 1);

	bytes[length < 0 ? 0 : length] = '\0';
	return bytes;
}

static void
test_lost_pages(void)
{
	for (int file_first = 0; file_first < 2; file_first++) {
		const char *order = file_first ? "before" : "after";
		int status = run(read_lost_page, file_first);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			skip(4, "no file can be made");
			return;
		}
		ok(WIFEXITED(status) && WEXITSTATUS(status) == 42,
		   "a page lost by a file that was opened %s reads as zeros", order);
		is_str(restored(), "", "the screen stays if a page is lost");
		status = run(fault, file_first);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS,
		   "another SIGBUS ends the program with a file opened %s", order);
		is_str(restored(), "sane, farewell", "the terminal is restored after another SIGBUS");
	}
}

static void
end_with(bool unarmed)
{
	take_signals();
	signals_arm(!unarmed);
	raise(SIGTERM);
	_exit(1);
}

static void
end_ignoring(bool unused)
{
	(void)unused;
	signal(SIGHUP, SIG_IGN);
	take_signals();
	raise(SIGHUP);
	_exit(42);
}

static void
test_ends(void)
{
	int status = run(end_with, false);

	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "SIGTERM ends the program");
	is_str(restored(), "sane", "the terminal is restored after SIGTERM");
	status = run(end_with, true);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "SIGTERM ends the program while the screen is lent");
	is_str(restored(), "", "a lent screen is not restored");
	status = run(end_ignoring, false);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 42, "a signal that nohup ignores stays ignored");
	is_str(restored(), "", "an ignored signal does not touch the terminal");
}

/* Use more stack than there is; `enough` is never set. */
static int
overflow(volatile char *above)
{
	static volatile bool enough;
	volatile char block[4096];

	if (enough)
		return 0;
	block[0] = above == NULL ? 'a' : above[0];
	return overflow(block) + block[0];
}

static void
end_by_overflow(bool unused)
{
	(void)unused;
	take_signals();
	_exit(overflow(NULL));
}

static void
end_by_abort(bool unused)
{
	(void)unused;
	take_signals();
	abort();
}

static void
end_by_fault(bool unused)
{
	/* Not the null pointer, which a sanitizer would report before the processor faults. */
	static volatile uintptr_t nowhere = 64;

	(void)unused;
	take_signals();
	*(volatile int *)nowhere = 1;
	_exit(1);
}

static void
test_own_faults(void)
{
	static const struct {
		const char *name;
		void (*work)(bool unused);
		int signal;
	} ends[] = {
		{ "a write to an address without memory", end_by_fault, SIGSEGV }, { "a stack overflow", end_by_overflow, SIGSEGV },
		{ "a call of abort", end_by_abort, SIGABRT },
	};

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		const int status = run(ends[i].work, false);

		ok(WIFSIGNALED(status) && WTERMSIG(status) == ends[i].signal, "%s ends the program", ends[i].name);
		is_str(restored(), "sane, farewell",
		       "the terminal is restored after %s, and the user gets a message", ends[i].name);
	}
}

static int raised;

static void
end_by_raise(bool unused)
{
	(void)unused;
	/* A sanitizer has handlers of its own. */
	signal(raised, SIG_DFL);
	take_signals();
	raise(raised);
	_exit(1);
}

static void
test_each_end(void)
{
	static const int ends[] = { SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU, SIGVTALRM, SIGPROF, SIGUSR1,
				    SIGUSR2, SIGALRM, SIGINT, SIGQUIT, SIGHUP };

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		raised = ends[i];
		const int status = run(end_by_raise, false);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == raised, "signal %d ends the program", raised);
		is_str(restored(), i < 2 ? "sane, farewell" : "sane",
		       "the terminal is restored after signal %d, with a message after a fault", raised);
	}
}

static void
exit_with(bool killed)
{
	raise(killed ? SIGKILL : SIGCONT);
	_exit(7);
}

static void
test_children(void)
{
	static const char *const commands[][4] = { { "/bin/sh", "-c", "exit 3" }, { "/nonexistent/program" } };

	for (int killed = 0; killed < 2; killed++) {
		const pid_t child = fork();

		if (child == 0)
			exit_with(killed);
		is_u64((uint64_t)signals_wait(child), killed ? 128 + SIGKILL : 7, "a child's end has a number");
	}
	is_u64((uint64_t)(signals_wait(-1) + 1), 0, "a child that was not started has none");
	is_u64((uint64_t)signals_run(commands[0]), 3, "a program's status is returned");
	is_u64((uint64_t)signals_run(commands[1]), 127, "a program that does not exist has status 127");
}

/* The largest text is kept, a larger one changes nothing. */
static void
end_with_text(bool large)
{
	static char bytes[513];

	memset(bytes, 'r', sizeof(bytes));
	take_signals();
	signals_restore_with((struct text){ bytes, large ? 513 : 512 });
	raise(SIGTERM);
	_exit(1);
}

static void
test_texts(void)
{
	run(end_with_text, true);
	is_str(restored(), "sane", "bytes that have no room are refused");
	run(end_with_text, false);
	is_u64(strspn(restored(), "r"), 63, "bytes that have room are used");
}

static void
test_flags(void)
{
	char bytes[8];

	take_signals();
	is_u64(signals_take(), 0, "no signal is recorded at first");
	raise(SIGWINCH);
	raise(SIGCONT);
	is_u64(signals_take(), SIGNALS_RESIZE | SIGNALS_CONTINUE, "signals set their flags");
	is_u64(signals_take(), 0, "each flag is returned once");
	is_u64((uint64_t)read(notify[0], bytes, sizeof(bytes)), 2, "each signal wakes the loop");
	signals_stop();
	raise(SIGWINCH);
	is_u64(signals_take(), 0, "signals that were given back set none");
}

int
main(void)
{
	if (pipe2(terminal, O_NONBLOCK) != 0 || pipe2(notify, O_NONBLOCK) != 0) {
		skip(1, "no pipe can be made");
		return done_testing();
	}
	test_lost_pages();
	test_ends();
	test_own_faults();
	test_each_end();
	test_texts();
	while (restored()[0] != '\0')
		;
	test_children();
	test_flags();
	return done_testing();
}
