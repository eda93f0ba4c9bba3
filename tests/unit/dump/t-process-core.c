/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of a stopped process, a child that sends itself a signal. The core is compared with the
 * kernel's information about the child, by ptrace and in /proc. */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dump/dump.h"
#include "dump/write/write.h"
#include "tests/lib/tap.h"

/* Sanitizers map more memory than a core may have. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOWED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHADOWED
#endif
#endif

#if defined(__linux__) && defined(__LP64__) && !defined(SHADOWED)

/* A child that has stopped with a signal, or -1 if the machine has no ptrace. */
static pid_t
stopped_child(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			raise(SIGUSR1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return -1;
	return child;
}

static FILE *
open_proc(pid_t process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	return fopen(path, "r");
}

/* The bytes of a file, or NULL if it cannot be read. */
static uint8_t *
bytes_of(FILE *file, size_t *size)
{
	uint8_t *bytes = NULL;
	size_t room = 0;

	*size = 0;
	while (file != NULL && !feof(file)) {
		if (room - *size < 65536)
			bytes = realloc(bytes, room = 2 * room + 65536);
		*size += fread(bytes + *size, 1, room - *size, file);
	}
	if (file != NULL)
		fclose(file);
	return bytes;
}

static void
test_header(const uint8_t *core, pid_t child)
{
	const Elf64_Ehdr *header = (const void *)core;
	size_t size;
	uint8_t *program = bytes_of(open_proc(child, "exe"), &size);
	const Elf64_Ehdr *own = (const void *)program;

	ok(memcmp(header->e_ident, own->e_ident, EI_NIDENT) == 0 &&
	   header->e_machine == own->e_machine && header->e_flags == own->e_flags, "the core is for the machine of its program");
	ok(header->e_type == ET_CORE && header->e_version == EV_CURRENT &&
	   header->e_phoff == sizeof(*header) && header->e_ehsize == sizeof(*header) &&
	   header->e_phentsize == sizeof(Elf64_Phdr) && header->e_shnum == 0, "its header is that of a core");
	free(program);
}

/* Each line of /proc/PID/maps is a segment, whose bytes are those of the process. */
static void
test_segments(const uint8_t *core, size_t core_size, pid_t child)
{
	const Elf64_Ehdr *header = (const void *)core;
	const Elf64_Phdr *segments = (const void *)(core + header->e_phoff);
	FILE *maps = open_proc(child, "maps");
	char line[4500], memory[64], rights[5], name[4096];
	unsigned count = 0, wrong = 0, other_bytes = 0, kept = 0;
	uint64_t start, end, offset = segments[0].p_offset + segments[0].p_filesz;

	snprintf(memory, sizeof(memory), "/proc/%d/mem", (int)child);
	const int descriptor = open(memory, O_RDONLY);
	offset = (offset + 4095) / 4096 * 4096;
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		name[0] = '\0';
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %4095s", &start, &end, rights, name);
		const Elf64_Phdr *segment = &segments[++count];
		const uint32_t flags = (rights[0] == 'r' ? PF_R : 0u) | (rights[1] == 'w' ? PF_W : 0u) |
				       (rights[2] == 'x' ? PF_X : 0u);
		const bool kernel = strncmp(name, "[v", 2) == 0 && strcmp(name, "[vdso]") != 0;
		const uint64_t written = rights[0] == 'r' && !kernel ? end - start : 0;

		wrong += segment->p_type != PT_LOAD || segment->p_vaddr != start ||
			 segment->p_memsz != end - start || segment->p_flags != flags ||
			 segment->p_filesz != written || segment->p_offset != offset || segment->p_align != 4096;
		offset += written;
		uint8_t *bytes = malloc((size_t)(end - start));
		if (written > 0 && bytes != NULL && pread(descriptor, bytes, (size_t)written, (off_t)start) == (ssize_t)written) {
			other_bytes += memcmp(bytes, core + segment->p_offset, (size_t)written) != 0;
			kept++;
		}
		free(bytes);
	}
	if (maps != NULL)
		fclose(maps);
	close(descriptor);
	is_u64(header->e_phnum, count + 1, "each mapping of the process is a segment");
	is_u64(wrong, 0, "each segment has its address, its permissions and the next bytes of the file");
	is_u64(other_bytes, 0, "the bytes are those of the process");
	ok(kept > 4, "of several mappings");
	is_u64(core_size, offset, "the file ends after the segments");
}

/* The contents of the core's `nth` note of a type, or NULL. */
static const uint8_t *
note_of(const uint8_t *core, uint32_t type, unsigned nth, size_t *size)
{
	const Elf64_Ehdr *header = (const void *)core;
	const Elf64_Phdr *notes = (const void *)(core + header->e_phoff);
	const uint8_t *at = core + notes->p_offset, *end = at + notes->p_filesz;

	while (at < end) {
		const Elf64_Nhdr *note = (const void *)at;
		const uint8_t *contents = at + sizeof(*note) + (note->n_namesz + 3) / 4 * 4;

		*size = note->n_descsz;
		if (note->n_type == type && nth-- == 0)
			return strcmp((const char *)at + sizeof(*note), "CORE") == 0 ? contents : NULL;
		at = contents + (note->n_descsz + 3) / 4 * 4;
	}
	return NULL;
}

static void
test_notes(const uint8_t *core, pid_t child)
{
	struct elf_prstatus status = { .pr_pid = 0 };
	struct iovec registers = { &status.pr_reg, sizeof(status.pr_reg) };
	uint8_t floats[4096];
	struct iovec vector = { floats, sizeof(floats) };
	siginfo_t info;
	char name[32] = "";
	size_t size, auxv_size;

	ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &registers);
	ptrace(PTRACE_GETREGSET, child, (void *)NT_FPREGSET, &vector);
	ptrace(PTRACE_GETSIGINFO, child, NULL, &info);
	const struct elf_prstatus *got = (const void *)note_of(core, NT_PRSTATUS, 0, &size);
	ok(got != NULL && size == sizeof(*got) && got->pr_pid == child &&
		   got->pr_cursig == SIGUSR1 && got->pr_info.si_signo == SIGUSR1 && got->pr_fpvalid != 0 &&
		   memcmp(&got->pr_reg, &status.pr_reg, sizeof(status.pr_reg)) == 0,
	   "the thread has its registers and its signal");
	ok(note_of(core, NT_PRSTATUS, 1, &size) == NULL, "there is one thread");
	const uint8_t *bytes = note_of(core, NT_FPREGSET, 0, &size);
	ok(bytes != NULL && size == vector.iov_len && memcmp(bytes, floats, size) == 0, "the thread has its floating point registers");
	bytes = note_of(core, NT_SIGINFO, 0, &size);
	ok(bytes != NULL && size == sizeof(info) && memcmp(bytes, &info, 16) == 0, "the kernel's description of the signal is included");
	uint8_t *auxv = bytes_of(open_proc(child, "auxv"), &auxv_size);
	bytes = note_of(core, NT_AUXV, 0, &size);
	ok(bytes != NULL && size == auxv_size && memcmp(bytes, auxv, size) == 0, "the auxiliary vector is included");
	free(auxv);
	FILE *comm = open_proc(child, "comm");
	if (comm != NULL && fscanf(comm, "%31s", name) == 1)
		fclose(comm);
	const struct elf_prpsinfo *process = (const void *)note_of(core, NT_PRPSINFO, 0, &size);
	ok(process != NULL && size == sizeof(*process) && process->pr_pid == child && process->pr_sname == 't' &&
	   strcmp(process->pr_fname, name) == 0 && strcmp(process->pr_psargs, name) == 0, "the process has its name");
}

/* NT_FILE, compared with the lines of /proc/PID/maps that name a file. */
static void
test_files(const uint8_t *core, pid_t child)
{
	size_t size;
	const uint8_t *note = note_of(core, NT_FILE, 0, &size);
	FILE *maps = open_proc(child, "maps");
	char line[4500];
	unsigned count = 0, wrong = 0, path;
	uint64_t start, end, offset, want[3], numbers[2] = { 0, 0 };

	if (note != NULL)
		memcpy(numbers, note, sizeof(numbers));
	const char *names = (const char *)note + 16 + 24 * numbers[0];
	while (note != NULL && maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		path = 0;
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &start, &end, &offset, (int *)&path);
		if (path == 0 || line[path] != '/')
			continue;
		memcpy(want, note + 16 + 24 * count++, sizeof(want));
		wrong += want[0] != start || want[1] != end || want[2] != offset / 4096 || strcmp(names, line + path) != 0;
		names += strlen(names) + 1;
	}
	if (maps != NULL)
		fclose(maps);
	ok(note != NULL && numbers[0] == count && numbers[1] == 4096 && count > 1, "the mapped files are listed");
	ok(wrong == 0 && note != NULL && (const uint8_t *)names == note + size, "with their places and names");
}

static void
test_saved(const char *path, pid_t child)
{
	struct error error = { 0 };
	const int threads[] = { child };
	struct crash crash;
	size_t size;

	if (!ok(process_core_save(path, child, threads, 1, SIGUSR1, &error) == ERROR_NONE, "the core of a child is written"))
		return;
	ok(process_core_save(path, child, threads, 1, SIGUSR1, &error) != ERROR_NONE, "an existing file is not replaced");
	uint8_t *core = bytes_of(fopen(path, "r"), &size);
	test_header(core, child);
	test_segments(core, size, child);
	test_notes(core, child);
	test_files(core, child);
	free(core);
	ok(dump_open(&crash, path, 0, &error) == ERROR_NONE && crash.thread_count == 1 && crash.exception.code == SIGUSR1 &&
	   crash.module_count > 0 && message_total(&crash.messages) == 0, "it is opened, and nothing is wrong with it");
	crash_free(&crash);
	unlink(path);
	ok(process_core_save(path, 0x7ffffff0, threads, 1, SIGUSR1, &error) != ERROR_NONE &&
	   access(path, F_OK) != 0, "no file is made for a missing process");
}

int
main(void)
{
	const char *folder = getenv("TMPDIR");
	const pid_t child = stopped_child();
	char path[4096];

	if (child < 0) {
		skip(1, "processes cannot be stopped here");
		return done_testing();
	}
	snprintf(path, sizeof(path), "%s/process-core.%ld", folder != NULL ? folder : "/tmp", (long)getpid());
	test_saved(path, child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done_testing();
}

#else

int
main(void)
{
	skip(1, "cores of processes are made on 64-bit Linux, and not of large ones");
	return done_testing();
}

#endif
