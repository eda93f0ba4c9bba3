/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/compiler.h"

/* Static, because handlers get no context. */
static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE,	SIGILL,	 SIGABRT,
			     SIGTERM, SIGHUP,  SIGQUIT, SIGINT,	 SIGALRM,
			     SIGUSR1, SIGUSR2, SIGPROF, SIGTRAP, SIGVTALRM,
			     SIGXCPU, SIGSYS };
static const int flagged[] = { SIGWINCH, SIGTSTP, SIGCONT };
static struct sigaction before_fatal[ARRAY_COUNT(fatal)], before_flagged[ARRAY_COUNT(flagged)];
static bool fatal_taken[ARRAY_COUNT(fatal)];
static struct termios modes;
static bool have_modes;
static int terminal = -1, notify = -1;
static char restore_bytes[512], farewell_bytes[2048];
static size_t restore_length, farewell_length;
static char stack[65536];
static atomic_bool armed;
static atomic_uint flags;

static void
write_all(int descriptor, const char *bytes, size_t length)
{
	while (length != 0) {
		ssize_t written = write(descriptor, bytes, length);

		if (written <= 0)
			return;
		bytes += written;
		length -= (size_t)written;
	}
}

/*
 * Call the previous handler of SIGBUS. True if it repaired the file. If not, it has set the default
 * action and raised the signal again; that signal is pending until we return.
 */
static bool
was_repaired(const struct sigaction *before, siginfo_t *info, void *context)
{
	struct sigaction now;

	if ((before->sa_flags & SA_SIGINFO) == 0)
		return false;
	before->sa_sigaction(SIGBUS, info, context);
	return sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0;
}

static bool
is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGABRT;
}

static void
handle_fatal(int number, siginfo_t *info, void *context)
{
	size_t index = 0;
	int saved = errno;

	while (fatal[index] != number)
		index++;
	if (number == SIGBUS && was_repaired(&before_fatal[index], info, context)) {
		errno = saved;
		return;
	}
	if (atomic_exchange(&armed, false)) {
		write_all(terminal, restore_bytes, restore_length);
		if (have_modes)
			tcsetattr(terminal, TCSANOW, &modes);
		if (is_fault(number))
			write_all(STDERR_FILENO, farewell_bytes, farewell_length);
	}
	/* The previous handler of SIGBUS has already been called. */
	if (number == SIGBUS)
		signal(number, SIG_DFL);
	else
		sigaction(number, &before_fatal[index], NULL);
	/* A fault repeats on return, and the previous handler gets it. Raise other signals. */
	if (info->si_code <= 0 || !is_fault(number))
		raise(number);
	errno = saved;
}

static void
handle_flagged(int number)
{
	int saved = errno;

	atomic_fetch_or(&flags, number == SIGWINCH  ? SIGNALS_RESIZE
				: number == SIGTSTP ? SIGNALS_STOP
						    : SIGNALS_CONTINUE);
	if (notify >= 0)
		write_all(notify, "", 1);
	errno = saved;
}

void
signals_start(const struct signals_options *options)
{
	struct sigaction ending = { .sa_sigaction = handle_fatal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction flagging = { .sa_handler = handle_flagged };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	terminal = options->terminal;
	notify = options->notify;
	have_modes = tcgetattr(terminal, &modes) == 0;
	signals_restore_with(options->restore);
	farewell_length = options->farewell == NULL ? 0 : strlen(options->farewell);
	if (farewell_length > sizeof(farewell_bytes))
		farewell_length = sizeof(farewell_bytes);
	if (farewell_length != 0)
		memcpy(farewell_bytes, options->farewell, farewell_length);
	sigaltstack(&alternate, NULL);
	sigfillset(&ending.sa_mask);
	for (size_t i = 0; i < ARRAY_COUNT(fatal); i++) {
		sigaction(fatal[i], NULL, &before_fatal[i]);
		/* A signal that the parent ignored (nohup) stays ignored. */
		fatal_taken[i] = (before_fatal[i].sa_flags & SA_SIGINFO) != 0 ||
				 before_fatal[i].sa_handler != SIG_IGN;
		if (fatal_taken[i])
			sigaction(fatal[i], &ending, NULL);
	}
	sigemptyset(&flagging.sa_mask);
	for (size_t i = 0; i < ARRAY_COUNT(flagged); i++)
		sigaction(flagged[i], &flagging, &before_flagged[i]);
}

void
signals_stop(void)
{
	struct sigaction now;

	/* A handler set after ours may call ours, so do not replace it. */
	for (size_t i = 0; i < ARRAY_COUNT(fatal); i++)
		if (fatal_taken[i] && sigaction(fatal[i], NULL, &now) == 0 &&
		    (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle_fatal)
			sigaction(fatal[i], &before_fatal[i], NULL);
	for (size_t i = 0; i < ARRAY_COUNT(flagged); i++)
		sigaction(flagged[i], &before_flagged[i], NULL);
	notify = -1;
}

void
signals_restore_with(struct text restore)
{
	sigset_t all, old;

	if (restore.length > sizeof(restore_bytes))
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (restore.length != 0)
		memcpy(restore_bytes, restore.start, restore.length);
	restore_length = restore.length;
	sigprocmask(SIG_SETMASK, &old, NULL);
}

void
signals_arm(bool now)
{
	atomic_store(&armed, now);
}

unsigned
signals_take(void)
{
	return atomic_exchange(&flags, 0);
}

void
signals_stop_here(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, ours;

	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &ours);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	/* The caller handles this stop and the continuation itself. */
	atomic_fetch_and(&flags, ~(unsigned)(SIGNALS_CONTINUE | SIGNALS_STOP));
}

void
signals_lend(bool lent)
{
	static const int lendable[] = { SIGINT, SIGQUIT, SIGTSTP };
	static struct sigaction ours[ARRAY_COUNT(lendable)];

	for (size_t i = 0; i < ARRAY_COUNT(lendable); i++) {
		bool stops = lendable[i] == SIGTSTP;
		struct sigaction action = { .sa_handler = stops ? SIG_DFL : SIG_IGN };

		sigemptyset(&action.sa_mask);
		sigaction(lendable[i], lent ? &action : &ours[i], lent ? &ours[i] : NULL);
	}
}

int
signals_wait(pid_t child)
{
	int status = -1;

	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
signals_run(const char *const *arguments)
{
	pid_t child = fork();
	if (child == 0) {
		signals_stop();
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		if (!isatty(STDIN_FILENO))
			dup2(open("/dev/tty", O_RDONLY), STDIN_FILENO);
		execvp(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	return signals_wait(child);
}
