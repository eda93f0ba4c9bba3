/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/dump_writer.h"

#if defined(__linux__) && defined(__LP64__)

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "system/new_file.h"

/* Maximum size of a core in bytes. A demonstration has a few megabytes. */
#define MOST_BYTES (UINT64_C(1) << 30)
#define PIECE 65536u
#define PAGE 4096u
#define MOST_AUXV 4096u

struct core_mapping {
	uint64_t start, end, offset;
	unsigned flags;			/* PF_R and similar flags */
	const char *path;		/* the mapped file; NULL: none */
	bool kept;			/* the range's bytes are written */
};

struct core_saving {
	int process;
	struct arena arena;
	struct core_mapping *mappings;
	size_t count, capacity;
	struct dump_writer notes;
	bool failed;			/* out of memory */
};

static FILE *
open_of(int process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", process, name);
	return fopen(path, "re");
}

/* List the mappings. Do not keep a mapping that makes the core larger than MOST_BYTES. */
static void
read_mappings(struct core_saving *core)
{
	FILE *file = open_of(core->process, "maps");
	uint64_t bytes = 0;
	char *line = NULL;
	size_t room = 0;

	while (file != NULL && getline(&line, &room, file) > 0) {
		char rights[5] = "";
		int path = 0;
		struct core_mapping read = { 0 };

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &read.start,
			   &read.end, rights, &read.offset, &path) < 4 || path == 0)
			continue;
		struct core_mapping *added = ARENA_PUSH(&core->arena, core->mappings, core->count,
						   core->capacity);
		core->failed = core->failed || added == NULL;
		if (added == NULL)
			break;
		*added = read;
		added->flags = (rights[0] == 'r' ? PF_R : 0) | (rights[1] == 'w' ? PF_W : 0) |
			       (rights[2] == 'x' ? PF_X : 0);
		if (line[path] == '/')
			added->path = arena_string(&core->arena, line + path);
		/* The kernel's own pages cannot be read through a file. */
		added->kept = rights[0] == 'r' && strncmp(line + path, "[vv", 3) != 0 &&
			      strncmp(line + path, "[vs", 3) != 0 &&
			      bytes + (read.end - read.start) <= MOST_BYTES;
		bytes += added->kept ? read.end - read.start : 0;
	}
	free(line);
	if (file != NULL)
		fclose(file);
}

/* Notes ---------------------------------------------------------------------------------------- */

static void
note(struct core_saving *core, uint32_t type, const void *bytes, size_t size)
{
	writer_put_bytes(&core->notes, writer_note(&core->notes, "CORE", type, size), bytes, size);
}

/* Read one set of registers. Returns its size in bytes, or 0. */
static size_t
read_registers(int thread, uint32_t type, void *bytes, size_t size)
{
	struct iovec vector = { bytes, size };

	return ptrace(PTRACE_GETREGSET, thread, (void *)(uintptr_t)type, &vector) == 0
		       ? vector.iov_len : 0;
}

static void
note_thread(struct core_saving *core, int thread, int signal)
{
	struct elf_prstatus status = { .pr_cursig = (short)signal, .pr_pid = thread,
				       .pr_ppid = getpid(), .pr_fpvalid = 1 };
	uint8_t floats[1024];

	status.pr_info.si_signo = signal;
	read_registers(thread, NT_PRSTATUS, &status.pr_reg, sizeof(status.pr_reg));
	note(core, NT_PRSTATUS, &status, sizeof(status));
	const size_t size = read_registers(thread, NT_FPREGSET, floats, sizeof(floats));
	if (size > 0)
		note(core, NT_FPREGSET, floats, size);
}

/* NT_FILE in the kernel's form: the count, the page size, ranges, then names. */
static void
note_files(struct core_saving *core)
{
	struct dump_writer list = { .arena = &core->arena }, names = list;
	uint64_t head[] = { 0, PAGE };

	writer_append(&list, head, sizeof(head));
	for (size_t i = 0; i < core->count; i++) {
		const struct core_mapping *mapping = &core->mappings[i];
		const uint64_t range[] = { mapping->start, mapping->end, mapping->offset / PAGE };

		if (mapping->path == NULL)
			continue;
		writer_append(&list, range, sizeof(range));
		writer_append_text(&names, mapping->path, true);
		head[0]++;
	}
	writer_put_bytes(&list, 0, head, sizeof(head));
	writer_append(&list, names.bytes, names.size);
	core->failed = core->failed || list.failed || names.failed;
	if (!core->failed)
		note(core, NT_FILE, list.bytes, list.size);
}

static void
note_process(struct core_saving *core, const int *threads, size_t count, int signal)
{
	struct elf_prpsinfo process = { .pr_sname = 't', .pr_pid = core->process };
	uint8_t vector[MOST_AUXV];
	siginfo_t info;
	FILE *file = open_of(core->process, "comm");

	if (file != NULL && fgets(process.pr_fname, sizeof(process.pr_fname), file) != NULL)
		process.pr_fname[strcspn(process.pr_fname, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	snprintf(process.pr_psargs, sizeof(process.pr_psargs), "%s", process.pr_fname);
	note_thread(core, threads[0], signal);
	note(core, NT_PRPSINFO, &process, sizeof(process));
	if (ptrace(PTRACE_GETSIGINFO, threads[0], NULL, &info) == 0)
		note(core, NT_SIGINFO, &info, sizeof(info));
	file = open_of(core->process, "auxv");
	if (file != NULL) {
		note(core, NT_AUXV, vector, fread(vector, 1, sizeof(vector), file));
		fclose(file);
	}
	note_files(core);
	for (size_t i = 1; i < count; i++)
		note_thread(core, threads[i], 0);
}

/* The file ------------------------------------------------------------------------------------- */

/* Take the kind of core from the header of the process's program; false: it is unsupported. */
static bool
take_kind(int process, Elf64_Ehdr *header)
{
	Elf64_Ehdr program;
	FILE *file = open_of(process, "exe");
	const bool good = file != NULL && fread(&program, sizeof(program), 1, file) == 1 &&
			  memcmp(program.e_ident, ELFMAG, SELFMAG) == 0 &&
			  program.e_ident[EI_CLASS] == ELFCLASS64;

	if (file != NULL)
		fclose(file);
	if (good) {
		memcpy(header->e_ident, program.e_ident, sizeof(header->e_ident));
		header->e_machine = program.e_machine;
		header->e_flags = program.e_flags;
	}
	return good;
}

static void
put_headers(const struct core_saving *core, Elf64_Ehdr *header, const struct output *output)
{
	const size_t table = sizeof(*header) + (core->count + 1) * sizeof(Elf64_Phdr);
	uint64_t offset = (table + core->notes.size + PAGE - 1) / PAGE * PAGE;
	const Elf64_Phdr notes = { .p_type = PT_NOTE, .p_offset = table,
				   .p_filesz = core->notes.size, .p_align = 4 };
	const uint64_t padding = offset - table - core->notes.size;
	static const char zeros[PAGE];

	header->e_type = ET_CORE;
	header->e_version = EV_CURRENT;
	header->e_phoff = header->e_ehsize = sizeof(*header);
	header->e_phentsize = sizeof(Elf64_Phdr);
	header->e_phnum = (uint16_t)(core->count + 1);
	output->write(output->context, (const char *)header, sizeof(*header));
	output->write(output->context, (const char *)&notes, sizeof(notes));
	for (size_t i = 0; i < core->count; i++) {
		const struct core_mapping *mapping = &core->mappings[i];
		const uint64_t size = mapping->end - mapping->start;
		const Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = mapping->flags,
					  .p_offset = offset, .p_vaddr = mapping->start,
					  .p_filesz = mapping->kept ? size : 0, .p_memsz = size,
					  .p_align = PAGE };

		output->write(output->context, (const char *)&load, sizeof(load));
		offset += load.p_filesz;
	}
	output->write(output->context, (const char *)core->notes.bytes, core->notes.size);
	output->write(output->context, zeros, (size_t)padding);
}

static void
put_memory(const struct core_saving *core, int memory, const struct output *output)
{
	char bytes[PIECE];

	for (size_t i = 0; i < core->count; i++) {
		const struct core_mapping *mapping = &core->mappings[i];

		for (uint64_t at = mapping->start; mapping->kept && at < mapping->end;) {
			const size_t size = mapping->end - at < PIECE ? (size_t)(mapping->end - at)
								      : PIECE;
			const ssize_t got = pread(memory, bytes, size, (off_t)at);
			const size_t read = got > 0 ? (size_t)got : 0;

			/* Unreadable bytes are 0, as in the kernel's cores. */
			memset(bytes + read, 0, size - read);
			output->write(output->context, bytes, size);
			at += size;
		}
	}
}

enum error_code
process_core_save(const char *path, int process, const int *threads, size_t count, int signal,
		  struct error *error)
{
	struct core_saving core = { .process = process };
	Elf64_Ehdr header = { .e_version = 0 };
	enum error_code code = ERROR_NONE;
	struct new_file file;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/mem", process);
	const int memory = open(name, O_RDONLY | O_CLOEXEC);
	core.notes.arena = &core.arena;
	read_mappings(&core);
	note_process(&core, threads, count, signal);
	writer_extend(&core.notes, 0);
	if (core.failed || core.notes.failed)
		code = error_memory(error);
	else if (memory < 0 || core.count == 0 || core.count >= PN_XNUM - 1)
		code = error_plain(error, ERROR_IO, "the memory of the process cannot be read");
	else if (!take_kind(process, &header))
		code = error_plain(error, ERROR_FORMAT, "only programs of 64 bits are supported");
	if (code == ERROR_NONE)
		code = new_file_open(&file, path, false, error);
	if (code == ERROR_NONE) {
		const struct output output = new_file_output(&file);

		put_headers(&core, &header, &output);
		put_memory(&core, memory, &output);
		code = new_file_close(&file, true, error);
	}
	if (memory >= 0)
		close(memory);
	arena_free(&core.arena);
	return code;
}

#else

enum error_code
process_core_save(const char *path, int process, const int *threads, size_t count, int signal,
		  struct error *error)
{
	(void)path, (void)process, (void)threads, (void)count, (void)signal;
	return error_plain(error, ERROR_FORMAT,
			   "the memory of a process can be read only on 64-bit Linux");
}

#endif
