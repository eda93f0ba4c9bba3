/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "dump/wrapper.h"

#include "tests/lib/tap.h"

/* Dumps among other parts of a file; the layouts are those of the formats' specifications. */

static const char dump[] = "MDMP, and what follows";
#define DUMP_SIZE (sizeof(dump) - 1)

static unsigned looked;	/* number of calls of is_dump() */

static bool
is_dump(const uint8_t *bytes, uint64_t size)
{
	looked++;
	return size >= 4 && memcmp(bytes, "MDMP", 4) == 0;
}

/* A file that is made. */
static uint8_t bytes[8192];
static size_t used;

static void
put(const void *from, size_t size)
{
	memcpy(bytes + used, from, size);
	used += size;
}

static void
put_text(const char *text)
{
	put(text, strlen(text));
}

static void
put_number(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		bytes[used++] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

static enum error_code
open_made(struct wrapped_dump *wrapped, struct error *error)
{
	struct file file;

	if (!file_borrow(&file, "made", bytes, used))
		return ERROR_MEMORY;
	*error = (struct error){ 0 };
	const enum error_code code = wrapper_open(&file, is_dump, wrapped, error);
	file_close(&file);
	return code;
}

/* Check that the made file gives `content` as the part `name` at an offset. */
static void
gives(const char *title, const char *name, uint64_t offset, const char *content, size_t size)
{
	struct wrapped_dump wrapped;
	struct error error;
	const enum error_code code = open_made(&wrapped, &error);

	is_u64(code, ERROR_NONE, "%s is opened", title);
	ok(code == ERROR_NONE && wrapped.size == size && memcmp(wrapped.bytes, content, size) == 0 && wrapped.offset == offset,
	   "%s: the dump and its place", title);
	is_str(wrapped.name, name, "%s: the name of the part", title);
	ok(wrapper_recognise(bytes, used), "%s is recognised", title);
	free(wrapped.bytes);
	used = 0;
}

static void
refuses(const char *title, const char *text)
{
	struct wrapped_dump wrapped;
	struct error error;

	is_u64(open_made(&wrapped, &error), ERROR_FORMAT, "%s is refused", title);
	ok(strstr(error.text, text) != NULL && error.hint[0] != '\0', "%s: the reason and a remedy", title);
	used = 0;
}

/* A member; `ustar`: with the format's mark and no checksum, else the other way round. */
static void
put_member(bool ustar, const char *name, const char *content, size_t size)
{
	uint8_t block[512] = { 0 };
	unsigned sum = 0;

	strcpy((char *)block, name);
	snprintf((char *)block + 124, 12, "%011o", (unsigned)size);
	block[156] = '0';
	if (ustar) {
		memcpy(block + 257, "ustar", 6);
	} else {
		memset(block + 148, ' ', 8);
		for (size_t i = 0; i < sizeof(block); i++)
			sum += block[i];
		snprintf((char *)block + 148, 8, "%06o", sum);
	}
	put(block, sizeof(block));
	memset(block, 0, sizeof(block));
	memcpy(block, content, size);
	put(block, sizeof(block));
}

TEST(tar)
{
	put_member(true, "log.txt", "log", 3);
	put_member(true, "d/crash.dmp", dump, DUMP_SIZE);
	gives("a tar archive", "d/crash.dmp", 1536, dump, DUMP_SIZE);
	put_member(true, "a.dmp", dump, DUMP_SIZE);
	put_member(true, "b.dmp", dump, DUMP_SIZE);
	refuses("a tar archive of two dumps", "several dumps");
	put_member(true, "log.txt", "log", 3);
	refuses("a tar archive without a dump", "without a dump");
	put_member(false, "crash.dmp", dump, DUMP_SIZE);
	gives("a tar archive of the oldest format", "crash.dmp", 512, dump, DUMP_SIZE);
}

static uint32_t
checksum(const char *from, size_t size)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		sum ^= (uint8_t)from[i];
		for (unsigned bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
	}
	return ~sum;
}

/* An archive with one file: a local header, its bytes, and the central directory. */
/* The fields that the header of a part and its entry in the directory share. */
static void
put_entry(uint16_t method, uint16_t flags, size_t size)
{
	put_number(20, 2);
	put_number(flags, 2);
	put_number(method, 2);
	put_number(0, 4);
	put_number(checksum(dump, DUMP_SIZE), 4);
	put_number(size, 4);
	put_number(DUMP_SIZE, 4);
	put_number(5, 2);
}

static void
make_zip(uint16_t method, uint16_t flags, const void *stored, size_t size)
{
	put_text("PK\3\4");
	put_entry(method, flags, size);
	put_number(0, 2);
	put_text("x.dmp");
	put(stored, size);
	const size_t directory = used;
	put_text("PK\1\2");
	put_number(20, 2);
	put_entry(method, flags, size);
	put_number(0, 2 + 2 + 2 + 2 + 4);
	put_number(0, 4);
	put_text("x.dmp");
	const size_t end = used;
	put_text("PK\5\6");
	put_number(0, 4);
	put_number(1, 2);
	put_number(1, 2);
	put_number(end - directory, 4);
	put_number(directory, 4);
	put_number(0, 2);
}

#ifdef HAVE_ZLIB
/* Three entries of a directory have the same bytes: together they are longer than the file. */
static void
test_shared(void)
{
	enum { TEXT = 600, ENTRY = 51, END = 22 };
	uint8_t block[5 + TEXT] = { 1, TEXT & 0xff, TEXT >> 8, ~TEXT & 0xff, ~TEXT >> 8 & 0xff };
	struct wrapped_dump wrapped;
	struct error error;
	uint8_t end[END];

	make_zip(8, 0, block, sizeof(block));
	used -= END;
	memcpy(end, bytes + used, END);
	for (unsigned i = 0; i < 2; i++)
		put(bytes + used - ENTRY, ENTRY);
	put(end, END);
	looked = 0;
	is_u64(open_made(&wrapped, &error), ERROR_FORMAT, "an archive without a dump is refused");
	is_u64(looked, 1, "the decompressed parts have at most the size of the archive");
	used = 0;
}
#endif

TEST(zip)
{
	make_zip(0, 0, dump, DUMP_SIZE);
	gives("a zip archive", "x.dmp", 35, dump, DUMP_SIZE);
	make_zip(0, 1, dump, DUMP_SIZE);
	refuses("an encrypted dump", "its part x.dmp is encrypted");
	make_zip(14, 0, dump, DUMP_SIZE);
	refuses("a dump in LZMA", "its part x.dmp is compressed with LZMA");
	make_zip(0, 0, dump, DUMP_SIZE);
	bytes[used - 2] = 22;
	put_text("PK\5\6 is the mark of an end");
	gives("a zip archive whose comment has the mark of the end", "x.dmp", 35, dump, DUMP_SIZE);
	make_zip(0, 0, dump, DUMP_SIZE);
	memmove(bytes + 10, bytes, used);
	memcpy(bytes, "#!/bin/sh\n", 10);
	used += 10;
	gives("a zip archive after a script", "x.dmp", 45, dump, DUMP_SIZE);
#ifdef HAVE_ZLIB
	/* A block of deflate that is stored (RFC 1951, 3.2.4), and the same in gzip (RFC 1952). */
	uint8_t block[5 + DUMP_SIZE] = { 1, DUMP_SIZE, 0, 0xff ^ DUMP_SIZE, 0xff };
	char gzip[18 + sizeof(block)] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";

	memcpy(block + 5, dump, DUMP_SIZE);
	memcpy(gzip + 10, block, sizeof(block));
	for (unsigned i = 0; i < 4; i++)
		gzip[10 + sizeof(block) + i] = (char)(checksum(dump, DUMP_SIZE) >> 8 * i);
	gzip[14 + sizeof(block)] = DUMP_SIZE;
	make_zip(8, 0, block, sizeof(block));
	gives("a deflated dump", "x.dmp", 35, gzip, sizeof(gzip));
	test_shared();
#endif
}

TEST(texts)
{
	static const char mime[] = "--b12\r\nContent-Disposition: form-data; name=\"prod\"\r\n\r\n"
				   "Chrome\r\n--b12\r\nContent-Disposition: form-data; name=\"file\"; filename=\"dump\"\r\n\r\n";
	static const char lines[] = "--b\nContent-Type: text/plain\n\nlog\n--b\n"
				    "Content-Disposition: form-data; name=\"file\"\n\n";
	static const char mail[] = "Subject: it crashed\nContent-Type: multipart/mixed; "
				   "boundary=\"b\"\n\n--no boundary\n--b\nContent-Type: text/plain"
				   "\n\nsee\n--b\nContent-Disposition: attachment; "
				   "filename=\"a.dmp\"\nContent-Transfer-Encoding: base64\n\n";
	static const char item[] = "{\"dsn\":\"https://x@y/1\"}\n{\"type\":\"event\"}\n"
				   "{\"message\":\"m\"}\n{\"type\":\"attachment\",\"length\":22,\"filename\":\"m.dmp\"}\n";

	put_text(mime);
	put_text(dump);
	put_text("\r\n--b12--\r\n");
	gives("a MIME body", "dump", sizeof(mime) - 1, dump, DUMP_SIZE);
	put_text("Parts in MIME format.\n");
	put_text(lines);
	put_text(dump);
	gives("a MIME body after a preamble", "file", sizeof(lines) + 21, dump, DUMP_SIZE);
	put_text(lines);
	put_text(dump);
	put_text("\n--b--\n");
	gives("a MIME body with bare line feeds", "file", sizeof(lines) - 1, dump, DUMP_SIZE);
	put_text(mail);
	put_text("TURNUCwgYW5kIHdo\nYXQgZm9sbG93cw==\n--b--\n");
	gives("a mail", "a.dmp", sizeof(mail) - 1, dump, DUMP_SIZE);
	put_text(item);
	put_text(dump);
	put_text("\n");
	gives("a Sentry envelope", "m.dmp", sizeof(item) - 1, dump, DUMP_SIZE);
	put_text("ProblemType: Crash\nCoreDump: base64\n TURN\n UA==\nDate: today\n");
	gives("a report of apport", "CoreDump", 36, "MDMP", 4);
	put_text("ProblemType: Crash\nCoreDump: base64\n SGVsbG8=\n");
	refuses("a report of apport without a core", "without a dump");
}

/* Each file is cut at each byte: nothing outside of it is read (with AddressSanitizer). */
TEST(cut)
{
	static uint8_t whole[sizeof(bytes)];
	unsigned opened = 0;

	make_zip(0, 0, dump, DUMP_SIZE);
	const size_t size = used;
	memcpy(whole, bytes, size);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut + 1);
		struct wrapped_dump wrapped = { .bytes = NULL };
		struct error error = { 0 };
		struct file file;

		if (copy == NULL)
			return;
		memcpy(copy, whole, cut);
		if (file_borrow(&file, "cut", copy, cut)) {
			opened += wrapper_open(&file, is_dump, &wrapped, &error) == ERROR_NONE;
			file_close(&file);
		}
		free(wrapped.bytes);
		free(copy);
	}
	is_u64(opened, 0, "an archive without its end has no directory");
	used = 0;
}

int
main(void)
{
	struct wrapped_dump wrapped;
	struct error error;

	run_tests();
	put_text("{\"a\":1}\n[1]\n");
	is_u64(open_made(&wrapped, &error), ERROR_NOT_FOUND, "other files have no parts");
	return done_testing();
}
