/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "base/checked.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "system/door.h"
#include "system/inflate.h"
#include "system/shortage.h"

static const char *const source_ends[] = {
	"c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc",
	"tpp", "txx", "cppm", "ixx", "mpp", "cuh", "hip", "cl", "metal", "ispc", "vala", "jl",
	"m", "mm", "s", "asm", "rs", "go", "swift", "zig", "nim", "d", "f", "f90", "pas", "adb",
	"ads", "ml", "hs", "java", "kt", "scala", "cs", "cu", "y", "l", "def", "cr", "odin", "v",
	"f95", "f03", "f08", "for", "ftn", "yy", "ll", "ypp", "lpp", "rl", "gperf", "re", "ccm",
	"cxxm", "mxx", "ii", "tpl", "sx", "nasm", "glsl", "hlsl", "pyx", "moc",
};

/* First bytes of a file that decide whether it is text. */
#define TEXT_HEAD ((size_t)4096)

/*
 * Reading a mapped page that the file no longer has raises SIGBUS. A signal handler cannot be given
 * an argument, so the mappings that it may repair are in this registry. If the registry is full, a
 * file is read into memory.
 */
struct guard {
	_Atomic uintptr_t start;	/* 0: free */
	_Atomic uintptr_t end;
	atomic_bool lost;		/* a page was replaced by zeros */
	int descriptor;			/* kept to query the size */
};

static struct guard guards[1024];
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;
static bool handler_installed;
static struct sigaction previous_action;
static uintptr_t page_size;

static struct guard *
guard_of(uintptr_t address)
{
	for (size_t i = 0; i < ARRAY_COUNT(guards); i++) {
		uintptr_t start = atomic_load(&guards[i].start);

		if (start != 0 && address >= start && address < atomic_load(&guards[i].end))
			return &guards[i];
	}
	return NULL;
}

static void
pass_on(int number, siginfo_t *info, void *context)
{
	if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
		previous_action.sa_sigaction(number, info, context);
	} else if (previous_action.sa_handler == SIG_DFL ||
		   (previous_action.sa_handler == SIG_IGN && info->si_code > 0)) {
		/* A fault cannot be ignored: it would repeat for ever. */
		signal(number, SIG_DFL);
		raise(number);
	} else if (previous_action.sa_handler != SIG_IGN) {
		previous_action.sa_handler(number);
	}
}

static void
replace_lost_page(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	uintptr_t address = (uintptr_t)info->si_addr;
	struct guard *guard = info->si_code > 0 ? guard_of(address) : NULL;

	if (guard == NULL) {
		pass_on(number, info, context);
	} else {
		char *page = (char *)info->si_addr - address % page_size;

		atomic_store(&guard->lost, true);
		if (mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			pass_on(number, info, context);
	}
	errno = saved;
}

/* Guard the descriptor's mapping; false if that is impossible. */
static bool
guard_mapping(const void *start, uint64_t size, int descriptor)
{
	struct sigaction action = { .sa_sigaction = replace_lost_page,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	bool taken = false;

	pthread_mutex_lock(&guards_lock);
	if (!handler_installed) {
		page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
		sigemptyset(&action.sa_mask);
		handler_installed = sigaction(SIGBUS, NULL, &previous_action) == 0 &&
				    sigaction(SIGBUS, &action, NULL) == 0;
	}
	for (size_t i = 0; handler_installed && !taken && i < ARRAY_COUNT(guards); i++) {
		if (atomic_load(&guards[i].start) != 0)
			continue;
		guards[i].descriptor = descriptor;
		atomic_store(&guards[i].lost, false);
		atomic_store(&guards[i].end, (uintptr_t)start + (uintptr_t)size);
		atomic_store(&guards[i].start, (uintptr_t)start);
		taken = true;
	}
	pthread_mutex_unlock(&guards_lock);
	return taken;
}

static enum error_code
fail(struct error *error)
{
	return error_set(error, ERROR_IO, (struct place){ .input = NULL }, "%s",
			 door_strerror(errno));
}

/* Bytes of a pipe, or of compressed data, that suffice to recognise the kind of file. */
#define HEAD_SIZE (UINT64_C(1) << 20)

/* Largest allocation for a file in bytes: with 32 bits, one more doubling would overflow. */
#define ROOM_MOST (LIMIT_STDIN < SIZE_MAX / 2 ? 2 * (size_t)LIMIT_STDIN : SIZE_MAX / 2)

/* The number of bytes to read from a pipe that begins like the file. */
static uint64_t
most_of(const struct file *file, file_most *most)
{
	const uint64_t inflated = inflate_identify(file->data, file->size) != INFLATE_NONE
					  ? LIMIT_READ_PACKED : 0;
	const uint64_t told = most == NULL ? LIMIT_READ_WHOLE : most(file->data, file->size, 0);

	return told > LIMIT_STDIN ? LIMIT_STDIN : told > inflated ? told : inflated;
}

/* Read more, up to the end or `most`, into a buffer of size `room`. */
static enum error_code
read_more(struct file *file, int descriptor, size_t *room, uint64_t most, struct error *error)
{
	uint8_t *data = (uint8_t *)(uintptr_t)file->data;
	uint64_t settled = file->size;
	ssize_t got = 1;

	while (file->size < most && got != 0) {
		if (file->size == *room || data == NULL) {
			*room = data == NULL ? *room : *room * 2;
			uint8_t *larger = *room <= ROOM_MOST ? realloc(data, *room) : NULL;

			if (larger == NULL)
				return error_memory(error);
			file->data = data = larger;
		}
		const size_t free_room = *room - (size_t)file->size;
		const size_t left = free_room < most - file->size ? free_room
								  : (size_t)(most - file->size);
		got = read(descriptor, data + file->size, left);
		if (got < 0 && errno != EINTR)
			return fail(error);
		file->size += got > 0 ? (uint64_t)got : 0;
		settled = inflate_give_back(data, settled, file->size, NULL);
	}
	return ERROR_NONE;
}

/*
 * Read up to the end or `most`; `expected`: likely number of bytes. After a failure the caller
 * closes the file.
 */
static enum error_code
read_file(struct file *file, int descriptor, uint64_t expected, uint64_t most,
	  struct error *error)
{
	size_t room = expected < LIMIT_STDIN ? (size_t)expected + 1 : (size_t)LIMIT_STDIN;

	room = room < 4096 ? 4096 : room;
	return read_more(file, descriptor, &room, most, error);
}

/* Read a pipe or a device up to the limit for its first bytes. */
static enum error_code
read_pipe(struct file *file, int descriptor, file_most *most, struct error *error)
{
	enum error_code code = read_file(file, descriptor, 0, HEAD_SIZE, error);
	size_t room = (size_t)HEAD_SIZE;
	uint8_t next;

	if (code != ERROR_NONE || file->size < HEAD_SIZE)
		return code;
	const uint64_t all = most_of(file, most);
	code = read_more(file, descriptor, &room, all, error);
	if (code == ERROR_NONE && file->size >= all)
		file->cut = read(descriptor, &next, 1) == 1;
	if (file->cut && most == NULL)
		code = error_plain(error, ERROR_IO, "too large to be read from a pipe");
	return code;
}

static enum error_code
load(struct file *file, int descriptor, uint64_t whole, file_most *most, bool *keep,
     struct error *error)
{
	struct stat status;

	if (fstat(descriptor, &status) != 0)
		return fail(error);
	if (S_ISDIR(status.st_mode))
		return error_plain(error, ERROR_IO, "is a directory");
	uint64_t size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	if (size > LIMIT_PLAIN_FILE && (most == NULL || most == file_most_symbols))
		return error_plain(error, ERROR_IO, TOO_LARGE);
	if (S_ISREG(status.st_mode)) {
		file->modified = status.st_mtim;
		file->inode = status.st_ino;
		void *data = size > whole && size <= SIZE_MAX ? mmap(NULL, (size_t)size, PROT_READ,
								     MAP_PRIVATE, descriptor, 0)
							      : MAP_FAILED;
		*keep = data != MAP_FAILED && guard_mapping(data, size, descriptor);
		file->mapped = *keep;
		if (*keep) {
			file->data = data;
			file->size = size;
			return ERROR_NONE;
		}
		if (data != MAP_FAILED)
			munmap(data, (size_t)size);
	}
	/* Files of /proc are plain, but have size 0. Bytes appended meanwhile are ignored. */
	return size > 0 ? read_file(file, descriptor, size, size, error)
			: read_pipe(file, descriptor, most, error);
}

enum error_code
file_open_most(struct file *file, const char *path, uint64_t whole, file_most *most,
	       struct error *error)
{
	bool standard_input = strcmp(path, "-") == 0, keep = false;
	const char *name = standard_input ? "standard input" : path;

	*file = (struct file){ .data = NULL };
	int descriptor = standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: door_open(path);
	if (descriptor < 0) {
		shortage_note(errno, name);
		return fail(error);
	}
	enum error_code code = load(file, descriptor, whole, most, &keep, error);
	if (code != ERROR_NONE)
		shortage_note(errno, name);
	if (!keep)
		close(descriptor);
	file->input.name = strdup(name);
	if (code == ERROR_NONE && file->input.name == NULL)
		code = error_memory(error);
	if (code != ERROR_NONE)
		file_close(file);
	return code;
}

enum error_code
file_open(struct file *file, const char *path, struct error *error)
{
	return file_open_most(file, path, LIMIT_READ_WHOLE, NULL, error);
}

static struct guard *
find_guard(const struct file *file)
{
	return file->mapped ? guard_of((uintptr_t)file->data) : NULL;
}

bool
file_read_at(const struct file *file, uint64_t offset, void *to, size_t length)
{
	struct guard *guard = find_guard(file);
	size_t done = 0;

	if (!checked_within(offset, length, file->size))
		return false;
	if (guard == NULL) {
		if (length != 0)
			memcpy(to, file->data + offset, length);
		return true;
	}
	while (done < length) {
		const ssize_t got = pread(guard->descriptor, (char *)to + done, length - done,
					  (off_t)(offset + done));

		if (got == 0)
			atomic_store(&guard->lost, true);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

bool
file_status(const struct file *file, struct stat *status)
{
	const struct guard *guard = find_guard(file);

	return guard != NULL && fstat(guard->descriptor, status) == 0;
}

enum error_code
file_open_head(struct file *file, const char *path, uint64_t most, struct error *error)
{
	int descriptor = door_open(path);

	if (descriptor < 0)
		shortage_note(errno, path);
	*file = (struct file){ .input.name = strdup(path) };
	enum error_code code = descriptor < 0 || file->input.name == NULL
				       ? fail(error)
				       : read_file(file, descriptor, most, most, error);
	if (descriptor >= 0)
		close(descriptor);
	if (code != ERROR_NONE)
		file_close(file);
	return code;
}

bool
file_is_plain(const char *path)
{
	struct stat status;

	return file_stat(path, &status) && S_ISREG(status.st_mode);
}

bool
file_has_source_name(const char *path)
{
	const char *end = strrchr(place_base_name(path), '.');

	/* A header of C++ may have no suffix, but is in a directory of headers. */
	if (end == NULL)
		return strstr(path, "/include/") != NULL;
	for (size_t i = 0; i < ARRAY_COUNT(source_ends); i++)
		if (strcasecmp(end + 1, source_ends[i]) == 0)
			return true;
	return false;
}

/* Open a file only to check its kind: opening a device or pipe to read has effects. */
static int
look_at(const char *path)
{
#ifdef O_PATH
	return open(path, O_PATH | O_CLOEXEC);
#else
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
#endif
}

bool
file_is_data(int descriptor, struct stat *status)
{
	bool data = fstat(descriptor, status) == 0 && S_ISREG(status->st_mode);
#ifdef __linux__
	static const long of_kernel[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
		PSTOREFS_MAGIC, EFIVARFS_MAGIC, NSFS_MAGIC, BINFMTFS_MAGIC, AAFS_MAGIC,
		SMACK_MAGIC, XENFS_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC,
	};
	struct statfs system;

	data = data && fstatfs(descriptor, &system) == 0;
	for (size_t i = 0; data && i < ARRAY_COUNT(of_kernel); i++)
		data = (uint32_t)system.f_type != (uint32_t)of_kernel[i];
#endif
	return data;
}

const char *
file_why_no_data(const char *path, struct stat *status)
{
	const int look = look_at(path);
	const bool data = look >= 0 && (errno = 0, file_is_data(look, status));
	const int reason = data ? 0 : errno;

	if (look >= 0)
		close(look);
	if (reason != 0)
		shortage_note(reason, path);
	return data ? NULL : reason != 0 ? strerror(reason)
	       : S_ISREG(status->st_mode) ? "a system file" : "not a regular file";
}

bool
file_borrow(struct file *file, const char *name, const void *bytes, size_t size)
{
	*file = (struct file){ .data = bytes, .size = size, .borrowed = true };
	file->input.name = strdup(name);
	return file->input.name != NULL;
}

static void
release_bytes(struct file *file)
{
	void *data = (void *)(uintptr_t)file->data;

	if (file->mapped) {
		/* Remove the guard first: the addresses may be reused right after munmap. */
		pthread_mutex_lock(&guards_lock);
		struct guard *guard = guard_of((uintptr_t)data);
		if (guard != NULL) {
			if (atomic_load(&guard->lost))
				shortage_note_text(file->input.name, "truncated while it was read");
			close(guard->descriptor);
			atomic_store(&guard->start, 0);
		}
		pthread_mutex_unlock(&guards_lock);
		munmap(data, (size_t)file->size);
	} else if (file->anonymous != 0) {
		munmap(data, (size_t)file->anonymous);
	} else if (!file->borrowed) {
		free(data);
	}
}

static void
take_inflated(struct file *file, const struct inflated *result)
{
	release_bytes(file);
	file->stored = file->size;
	file->data = result->data;
	file->size = result->size;
	file->anonymous = result->room;
	file->mapped = false;
	file->borrowed = false;
}

bool
file_open_content(struct file *file, const char *path, uint64_t most)
{
	struct inflated inflated;

	/* Bytes of a pipe that are read here would be lost. */
	if (!file_is_plain(path) || file_open_head(file, path, most, NULL) != ERROR_NONE)
		return false;
	const enum inflate_kind kind = inflate_identify(file->data, file->size);
	if (kind == INFLATE_NONE)
		return true;
	file_close(file);
	if (file_open_head(file, path, inflate_head(kind), NULL) != ERROR_NONE)
		return false;
	file->kind = kind;
	inflate_bytes(kind, file->data, file->size, most, &inflated);
	if (inflated.data != NULL)
		take_inflated(file, &inflated);
	return true;
}

uint64_t
file_most_symbols(const uint8_t *head, uint64_t size, uint64_t stored)
{
	const bool text = memchr(head, 0, size < TEXT_HEAD ? (size_t)size : TEXT_HEAD) == NULL;
	const bool symbols = size >= 7 && memcmp(head, "MODULE ", 7) == 0;

	if (!text)
		return 0;
	if (stored > 0)
		return inflate_ratio(LIMIT_INFLATED_TEXT, LIMIT_INFLATED_RATIO, stored);
	return symbols ? LIMIT_READ_PIPE : LIMIT_READ_WHOLE;
}

bool
file_inflate(struct file *file, file_most *most, struct inflated *result)
{
	enum inflate_kind kind = inflate_identify(file->data, file->size);

	*result = (struct inflated){ .data = NULL };
	if (kind == INFLATE_NONE)
		return false;
	inflate_bytes(kind, file->data, file->size, HEAD_SIZE, result);
	const uint64_t all =
		result->end == INFLATE_LIMIT ? most(result->data, result->size, file->size) : 0;
	if (all > HEAD_SIZE) {
		inflate_free(result);
		inflate_bytes(kind, file->data, file->size,
			      all < inflate_limit() ? all : inflate_limit(), result);
	}
	if (result->data == NULL)
		return false;
	take_inflated(file, result);
	file->kind = kind;
	return true;
}

void
file_close(struct file *file)
{
	release_bytes(file);
	free((void *)(uintptr_t)file->input.name);
	*file = (struct file){ .data = NULL };
}

bool
file_truncated(const struct file *file)
{
	const struct guard *guard = find_guard(file);
	struct stat status;

	return guard != NULL && (atomic_load(&guard->lost) ||
				 (fstat(guard->descriptor, &status) == 0 &&
				  (uint64_t)status.st_size < file->size));
}

const char *
file_expand_home(struct arena *arena, const char *path)
{
	const char *home = getenv("HOME");

	if (path[0] != '~' || (path[1] != '/' && path[1] != '\0') || home == NULL ||
	    home[0] == '\0')
		return path;
	return arena_format(arena, "%s%s", home, path + 1);
}

struct identity
identity_of(const struct stat *status)
{
	return (struct identity){ .device = status->st_dev, .inode = status->st_ino,
				  .size = status->st_size, .modified = status->st_mtim };
}

bool
file_stat(const char *path, struct stat *status)
{
	const bool there = stat(path, status) == 0;

	if (!there)
		shortage_note(errno, path);
	return there;
}

struct identity
identity_at(const char *path)
{
	struct stat status;

	return file_stat(path, &status) ? identity_of(&status) : (struct identity){ 0 };
}

bool
identity_equal(const struct identity *one, const struct identity *other)
{
	return one->device == other->device && one->inode == other->inode &&
	       one->size == other->size &&
	       one->modified.tv_sec == other->modified.tv_sec &&
	       one->modified.tv_nsec == other->modified.tv_nsec;
}
