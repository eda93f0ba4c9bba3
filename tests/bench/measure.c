/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * measure time|memory COMMAND...: run a command and discard its output.
 *
 * `time` prints the nanoseconds from its start to its end, and the processor time, which depends less on other load. `memory`
 * prints two numbers in KiB: the most memory without pages of mapped files, and the most memory with them. The second is the
 * kernel's own (ru_maxrss). The first is RssAnon, resident less shared in /proc/PID/statm, for which the kernel keeps no peak: it
 * is read every 200 microseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

static uint64_t
nanoseconds(struct timeval time)
{
	return ((uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec) * 1000;
}

static pid_t
start(char **command)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR);
	if (null >= 0)
		for (int i = 0; i < 3; i++)
			dup2(null, i);
	execvp(command[0], command);
	_exit(127);
}

/* KiB of a process without the pages of files. */
static long
anonymous(int statm)
{
	char text[128];
	ssize_t length = pread(statm, text, sizeof(text) - 1, 0);
	long resident = 0, shared = 0;

	if (length <= 0)
		return 0;
	text[length] = '\0';
	if (sscanf(text, "%*d %ld %ld", &resident, &shared) != 2)
		return 0;
	return (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

static int
watch(pid_t pid, long *most)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	char path[64];
	int status = -1;

	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
	int statm = open(path, O_RDONLY | O_CLOEXEC);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		long size = statm >= 0 ? anonymous(statm) : 0;
		if (size > *most)
			*most = size;
		nanosleep(&pause, NULL);
	}
	if (statm >= 0)
		close(statm);
	return status;
}

int
main(int argc, char **argv)
{
	long most = 0;
	int status = -1;

	if (argc < 3 || (strcmp(argv[1], "time") != 0 && strcmp(argv[1], "memory") != 0)) {
		fprintf(stderr, "usage: measure time|memory COMMAND...\n");
		return 2;
	}
	struct rusage usage;
	uint64_t began = now(CLOCK_MONOTONIC);
	pid_t pid = start(argv + 2);
	if (pid < 0) {
		perror(argv[2]);
		return 1;
	}
	if (argv[1][0] == 't') {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		const uint64_t taken = now(CLOCK_MONOTONIC) - began;
		getrusage(RUSAGE_CHILDREN, &usage);
		printf("%" PRIu64 " %" PRIu64 "\n", taken, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime));
	} else {
		status = watch(pid, &most);
		getrusage(RUSAGE_CHILDREN, &usage);
		printf("%ld %ld\n", most, usage.ru_maxrss);
	}
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
