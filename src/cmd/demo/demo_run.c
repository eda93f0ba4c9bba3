/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#endif

#include "cmd/demo/demo.h"
#include "dump/write/write.h"

/* Exit statuses of a child that failed before it ran the program. */
#define NOT_FOUND 127
#define NOT_TRACED 126

/* Maximum number of a crashed program's threads in its core. */
#define MOST_THREADS 64u

/* Descriptors that a child may have inherited. */
#define MOST_DESCRIPTORS 64

static const struct {
	int what;
	rlim_t most;
} limits[] = {
	{ RLIMIT_CPU, 10 },
	{ RLIMIT_AS, (rlim_t)4 << 30 },
	{ RLIMIT_FSIZE, 1 << 20 },
	{ RLIMIT_STACK, 8 << 20 },
	{ RLIMIT_CORE, 0 },
};

static double
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Wait for a child (-1: any) until a time. Returns 0 at that time. */
static pid_t
wait_until(pid_t which, int *status, double end)
{
	static const struct timespec pause = { 0, 2000000 };
	int flags = WNOHANG;

#ifdef __linux__
	flags |= __WALL;
#endif
	for (;;) {
		const pid_t found = waitpid(which, status, flags);

		if (found > 0 || (found < 0 && errno != EINTR))
			return found;
		if (seconds_now() > end)
			return 0;
		nanosleep(&pause, NULL);
	}
}

struct demo_end
demo_run(const char *const *words, const char *directory, unsigned seconds)
{
	struct demo_end end = { .status = -1 };
	const double last = seconds_now() + seconds;
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (chdir(directory) == 0)
			execvp(words[0], (char *const *)(uintptr_t)words);
		_exit(NOT_FOUND);
	}
	const pid_t found = child > 0 ? wait_until(child, &status, last) : -1;
	end.late = found == 0;
	if (end.late) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	if (found > 0 && WIFEXITED(status))
		end.status = WEXITSTATUS(status);
	end.started = child > 0 && end.status != NOT_FOUND;
	return end;
}

#ifdef __linux__

/* In the child: keep only standard output and error, allow tracing, and run the program. */
static void
become(const char *program, const char *directory)
{
	static char *const nothing[] = { NULL };
	char *const words[] = { (char *)(uintptr_t)program, NULL };
	const int input = open("/dev/null", O_RDONLY);

	if (input >= 0)
		dup2(input, STDIN_FILENO);
	for (int i = STDERR_FILENO + 1; i < MOST_DESCRIPTORS; i++)
		close(i);
	for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
		struct rlimit limit = { 0 };

		getrlimit((unsigned)limits[i].what, &limit);
		if (limits[i].most < limit.rlim_max)
			limit.rlim_max = limits[i].most;
		limit.rlim_cur = limit.rlim_max;
		setrlimit((unsigned)limits[i].what, &limit);
	}
	signal(SIGPIPE, SIG_DFL);
	/* Equal addresses in each run make runs comparable. */
	personality(ADDR_NO_RANDOMIZE);
	if (chdir(directory) != 0)
		_exit(NOT_FOUND);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(NOT_TRACED);
	execve(program, words, nothing);
	_exit(NOT_FOUND);
}

struct traced {
	pid_t process;
	int threads[MOST_THREADS];	/* the crashed thread first */
	size_t count;
	double last;			/* time at which waiting for the program ends */
};

static void
note_thread(struct traced *traced, int thread)
{
	for (size_t i = 0; i < traced->count; i++)
		if (traced->threads[i] == thread)
			return;
	if (traced->count < MOST_THREADS)
		traced->threads[traced->count++] = thread;
}

static void
forget_thread(struct traced *traced, int thread)
{
	for (size_t i = 0; i < traced->count; i++)
		if (traced->threads[i] == thread)
			traced->threads[i] = traced->threads[--traced->count];
}

/* A thread begins at the stop of the thread that made it; its own first stop can be seen later. */
static void
note_stop(struct traced *traced, int thread, int status)
{
	unsigned long made = 0;

	note_thread(traced, thread);
	if (status >> 16 == PTRACE_EVENT_CLONE &&
	    ptrace(PTRACE_GETEVENTMSG, thread, NULL, &made) == 0)
		note_thread(traced, (int)made);
}

/* Stop the other threads, to read their registers; the crashed one becomes the first. */
static void
stop_others(struct traced *traced, int crashed)
{
	forget_thread(traced, crashed);
	if (traced->count == MOST_THREADS)
		traced->count--;
	traced->threads[traced->count++] = traced->threads[0];
	traced->threads[0] = crashed;
	for (size_t i = 1; i < traced->count;) {
		int status = 0;

		syscall(SYS_tgkill, traced->process, traced->threads[i], SIGSTOP);
		if (wait_until(traced->threads[i], &status, traced->last) > 0 && WIFSTOPPED(status))
			note_stop(traced, traced->threads[i++], status);
		else
			forget_thread(traced, traced->threads[i]);
	}
}

/* Continue a stopped thread. False if it crashed; `end->signal` is then the signal. */
static bool
go_on(struct traced *traced, pid_t thread, int status, struct demo_end *end)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	const int signal = WSTOPSIG(status);
	const bool event = status >> 16 != 0;
	const bool begins = signal == SIGSTOP && thread != traced->process;

	note_stop(traced, thread, status);
	for (size_t i = 0; i < ARRAY_COUNT(crashes) && !event; i++)
		if (signal == crashes[i])
			end->signal = signal;
	if (end->signal != 0)
		return false;
	ptrace(PTRACE_CONT, thread, NULL, (void *)(intptr_t)(event || begins ? 0 : signal));
	return true;
}

/* Follow the program until it crashes or ends. Returns the crashed thread, or 0. */
static pid_t
follow(struct traced *traced, struct demo_end *end)
{
	for (;;) {
		int status = 0;
		const pid_t thread = wait_until(-1, &status, traced->last);

		end->late = thread == 0;
		if (thread <= 0)
			return 0;
		if (WIFSTOPPED(status)) {
			if (!go_on(traced, thread, status, end))
				return thread;
			continue;
		}
		forget_thread(traced, thread);
		if (thread != traced->process)
			continue;
		end->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		return 0;
	}
}

struct demo_end
demo_run_to_crash(const char *program, const char *directory, const char *core, unsigned seconds,
		  struct error *error)
{
	struct traced traced = { .last = seconds_now() + seconds };
	struct demo_end end = { .status = -1 };
	int status = 0;

	traced.process = fork();
	if (traced.process == 0)
		become(program, directory);
	if (traced.process < 0 || wait_until(traced.process, &status, traced.last) <= 0)
		return end;
	if (!WIFSTOPPED(status)) {
		end.traced = !WIFEXITED(status) || WEXITSTATUS(status) != NOT_TRACED;
		return end;
	}
	end.started = end.traced = true;
	note_thread(&traced, traced.process);
	ptrace(PTRACE_SETOPTIONS, traced.process, NULL,
	       (void *)(uintptr_t)(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE));
	ptrace(PTRACE_CONT, traced.process, NULL, NULL);
	const pid_t crashed = follow(&traced, &end);
	if (crashed > 0) {
		stop_others(&traced, crashed);
		process_core_save(core, traced.process, traced.threads, traced.count, end.signal,
				  error);
	}
	/* A process ends when all its threads have ended. */
	if (crashed > 0 || end.late)
		kill(traced.process, SIGKILL);
	while ((crashed > 0 || end.late) && waitpid(-1, &status, __WALL) > 0)
		;
	return end;
}

#else

struct demo_end
demo_run_to_crash(const char *program, const char *directory, const char *core, unsigned seconds,
		  struct error *error)
{
	(void)program, (void)directory, (void)core, (void)seconds, (void)error;
	return (struct demo_end){ .status = -1 };
}

#endif
