/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * make-core CORE LARGE GIGABYTES: an ELF core of amd64 with invented memory.
 *
 * LARGE is CORE with SEGMENTS more memory segments, of this many gigabytes in all. They are holes of the file, which read as
 * zeros and need no space on the disk; the program headers are at the former end of CORE.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define CORE_MOST (1u << 20)
#define SEGMENTS 64u
#define HEADERS_MOST 64u
#define HEAP 0x600000000000u
#define PAGE 0x1000u

static uint64_t
on_page(uint64_t offset)
{
	return (offset + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Read the core; returns its size. */
static size_t
read_core(const char *path, uint8_t *bytes)
{
	FILE *file = fopen(path, "rb");

	if (file == NULL)
		give_up(path);
	const size_t size = fread(bytes, 1, CORE_MOST, file);
	fclose(file);
	return size;
}

int
main(int argc, char **argv)
{
	static uint8_t bytes[CORE_MOST + PAGE + (HEADERS_MOST + SEGMENTS) * sizeof(Elf64_Phdr)];
	const unsigned long gigabytes = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	Elf64_Ehdr header;

	if (gigabytes == 0 || gigabytes > 1024) {
		fprintf(stderr, "usage: make-core CORE LARGE GIGABYTES\n");
		return 2;
	}
	const size_t size = read_core(argv[1], bytes), at = on_page(size);
	memcpy(&header, bytes, sizeof(header));
	const size_t old = header.e_phnum * sizeof(Elf64_Phdr);
	if (memcmp(bytes, ELFMAG, SELFMAG) != 0 || header.e_phnum > HEADERS_MOST || size < old || header.e_phoff > size - old) {
		fprintf(stderr, "make-core: %s is no small core\n", argv[1]);
		return 1;
	}
	memcpy(bytes + at, bytes + header.e_phoff, old);
	const size_t end = at + old + SEGMENTS * sizeof(Elf64_Phdr);
	const uint64_t each = gigabytes * 1000000000 / SEGMENTS & ~(uint64_t)(PAGE - 1);
	for (unsigned i = 0; i < SEGMENTS; i++) {
		const Elf64_Phdr segment = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_align = PAGE,
			.p_offset = on_page(end) + i * each, .p_vaddr = HEAP + 2 * i * each,
			.p_filesz = each, .p_memsz = each,
		};

		memcpy(bytes + at + old + i * sizeof(segment), &segment, sizeof(segment));
	}
	header.e_phoff = at;
	header.e_phnum = (uint16_t)(header.e_phnum + SEGMENTS);
	memcpy(bytes, &header, sizeof(header));
	int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, bytes, end) != (ssize_t)end ||
	    ftruncate(fd, (off_t)(on_page(end) + SEGMENTS * each)) != 0 || close(fd) != 0)
		give_up(argv[2]);
	return 0;
}
