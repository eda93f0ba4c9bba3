/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dump/described.h"

#include <ctype.h>

#include "dump/core.h"
#include "tests/lib/accepted.h"
#include "tests/lib/corefile.h"

/*
 * Every row of the tables of structures, flags and codes, as it appears in the description of bytes that count up, of single bits
 * and of small numbers. tests/unit/dump/tables.txt has the accepted values in paragraphs; one text follows all headings that it
 * is true for. Items with equal values are joined, names or numbers that count up, or double, are FIRST..LAST, and parts of a
 * value that the last one has up to a slash are "..".
 *
 * A structure has its fields, each with +SIZE and the value, if that is not the number there in hexadecimal: "d" for decimal, "b"
 * for bytes. A field is at @OFFSET of the stream, or directly after the previous one. A path that begins with / or . continues as
 * the previous one. "sizes of" a stream has the sizes at which its result changes. The layouts are those of minidumpapiset.h,
 * Breakpad's minidump_format.h and the kernel's elfcore.h.
 */
#define BYTES 0x200u
#define MISC_SIZE 1368u		/* with the states of the processor */

#define COLUMNS 140		/* the width of the accepted file */
#define MOST_PARAGRAPHS 4000

struct item {
	char *name, *value;
};

/* Items under a heading. Items of one heading need not be added one after the other. */
struct paragraph {
	char *heading;
	struct item *items;
	size_t count;
	uint64_t next;			/* after the last field */
	bool written;
};

static struct paragraph paragraphs[MOST_PARAGRAPHS];
static size_t paragraph_count;

static struct paragraph *
paragraph_of(const char *heading)
{
	/* The last ones first: most items follow one of the same heading. */
	for (size_t i = paragraph_count; i-- > 0;)
		if (strcmp(paragraphs[i].heading, heading) == 0)
			return &paragraphs[i];
	if (paragraph_count == MOST_PARAGRAPHS)
		abort();
	struct paragraph *made = &paragraphs[paragraph_count++];
	made->heading = strdup(heading);
	return made;
}

/* Add an item to the paragraph of this heading. */
ATTRIBUTE_PRINTF(3, 4) static void
add(const char *heading, const char *name, const char *format, ...)
{
	struct paragraph *to = paragraph_of(heading);
	char value[1000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	to->items = realloc(to->items, (to->count + 1) * sizeof(*to->items));
	if (to->items == NULL)
		abort();
	to->items[to->count++] = (struct item){ strdup(name), strdup(value) };
}

/* Whether an item of this heading has the value. */
static bool
has_value(const char *heading, const char *value)
{
	const struct paragraph *paragraph = paragraph_of(heading);

	for (size_t i = 0; i < paragraph->count; i++)
		if (strcmp(paragraph->items[i].value, value) == 0)
			return true;
	return false;
}

/* Add a field with its value. */
static void
add_field(const char *heading, const char *name, uint64_t at, uint64_t size, const char *value)
{
	struct paragraph *paragraph = paragraph_of(heading);
	char placed[400];

	if (at == paragraph->next)
		snprintf(placed, sizeof(placed), "%s", name);
	else
		snprintf(placed, sizeof(placed), "@%" PRIu64 " %s", at, name);
	paragraph->next = at + size;
	add(heading, placed, "+%" PRIu64 "%s", size, value);
}

/* Add a code with its reason, as Breakpad has it, and its cause. The code in a text is "CODE", a cause that contains the reason
 * has "=" in its place, one that begins with the same words has "..", "~" is the previous beginning of a cause, of a long note
 * there are the ends, and a note that follows itself is left out. */
static void
add_reason(const char *heading, const char *key, uint32_t code, const char *reason, const char *cause, const char *note)
{
	static char last_note[200], last_front[200];
	char front[200], ends[32], number[16], meaning[900], *at;
	const char *inside = strstr(cause, reason), *words = strstr(reason, " / ");
	const bool same = strcmp(reason, cause) == 0, again = strcmp(note, last_note) == 0;
	const size_t first = words != NULL ? (size_t)(words - reason) : 0;
	const bool begins = words != NULL && strncmp(reason, cause, first + 3) == 0;

	snprintf(number, sizeof(number), "0x%08x", code);
	snprintf(front, sizeof(front), "%.*s", inside == NULL ? 0 : (int)(inside - cause), cause);
	const size_t length = strlen(note);
	if (length > 28)
		snprintf(ends, sizeof(ends), "%.12s..%s", note, note + length - 14);
	snprintf(meaning, sizeof(meaning), "%s%s%s%s%s%s%s", reason, same ? "" : " ", front[0] != '\0' &&
		 strcmp(front, last_front) == 0 ? "~" : front, same ? "" : inside == NULL && begins ? ".." : "=",
		 same	      ? "" : inside != NULL ? inside + strlen(reason) : cause + (begins ? first : 0), length > 0 &&
		 !again ? ", " : "", again ? "" : length > 28 ? ends : note);
	snprintf(last_note, sizeof(last_note), "%s", note);
	snprintf(last_front, sizeof(last_front), "%s", front);
	while ((at = strstr(meaning, number)) != NULL) {
		memcpy(at, "CODE", 4);
		memmove(at + 4, at + 10, strlen(at + 10) + 1);
	}
	add(heading, key, "%s", meaning);
}

/* A name without the place of its field and the number of its register. */
static const char *
plain(const char *name)
{
	const char *blank = strchr(name, ' '), *sign = strchr(name, '=');

	return sign != NULL ? sign + 1 : name[0] == '@' && blank != NULL ? blank + 1 : name;
}

/* Whether the number in a name is one more than that in the last name: decimal, or hexadecimal at
 * the end of a code, where its lowest bit may also move up by one. */
static bool
counts_up(const char *last, const char *name)
{
	size_t from = 0;
	char *rest, *last_rest;

	while (last[from] != '\0' && last[from] == name[from])
		from++;
	while (from > 0 && isxdigit((unsigned char)name[from - 1]))
		from--;
	const bool code = from > 0 && name[from - 1] == '/';
	if (!code)
		from += strcspn(name + from, "0123456789");
	const uint64_t before = strtoull(last + from, &last_rest, code ? 16 : 10);
	const uint64_t number = strtoull(name + from, &rest, code ? 16 : 10);
	const uint64_t low = code ? before & -before : 1;
	return rest != name + from && last_rest != last + from && strcmp(rest, last_rest) == 0 &&
	       (number == before + 1 || number == before + low);
}

/* Append a word to a text of lines. */
static void
append(FILE *out, size_t *column, const char *word)
{
	const size_t length = strlen(word);
	const bool fits = *column + 1 + length < COLUMNS;

	fprintf(out, "%s%s", *column == 0 ? "" : fits ? " " : "\n  ", word);
	*column = (*column == 0 ? 0 : fits ? *column + 1 : 2) + length;
}

/* Append the names of items with one value, and the value without the parts of the last one. */
static void
append_run(FILE *out, size_t *column, const struct item *items, size_t count, const char *last)
{
	const char *value = items[0].value;
	size_t same = 0;
	char word[1500];

	for (size_t i = 0; value[i] != '\0' && value[i] == last[i]; i++)
		if (i >= 2 && strncmp(value + i - 2, " / ", 3) == 0)
			same = i + 1;

	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count; next++)
			if (!counts_up(plain(items[next - 1].name), items[next].name))
				break;
		/* Two names are shorter without the dots. */
		const bool range = next > i + 2;
		next = range ? next : i + 1;
		snprintf(word, sizeof(word), "%s%s%s%s%s%s%s", items[i].name, range ? ".." : "",
			 range ? items[next - 1].name : "", next < count ? "" : " ", next < count || same == 0 ? "" : "..",
			 next < count ? "" : value + same, next < count ? "" : ";");
		append(out, column, word);
	}
}

static bool
is_equal(const struct paragraph *one, const struct paragraph *other)
{
	bool equal = one->count == other->count;

	for (size_t i = 0; equal && i < one->count; i++)
		equal = strcmp(one->items[i].name, other->items[i].name) == 0 &&
			strcmp(one->items[i].value, other->items[i].value) == 0;
	return equal;
}

/* Append a heading; of "X of Y" after another "X of Z" only Y. */
static void
append_heading(FILE *out, size_t *column, const char *heading, const char *last)
{
	const char *of = strstr(heading, " of ");
	char word[500];

	if (last != NULL && of != NULL && strncmp(heading, last, (size_t)(of - heading) + 4) == 0)
		heading = of + 4;
	snprintf(word, sizeof(word), "%s%s", last != NULL ? "= " : "", heading);
	append(out, column, word);
}

static void
append_paragraph(FILE *out, struct paragraph *paragraph)
{
	size_t column = 0;
	const char *last = NULL;

	for (struct paragraph *other = paragraph; other < paragraphs + paragraph_count; other++) {
		if (other->written || !is_equal(paragraph, other))
			continue;
		append_heading(out, &column, other->heading, last);
		other->written = true;
		last = other->heading;
	}
	putc(':', out);
	column++;
	for (size_t i = 0, end; i < paragraph->count; i = end) {
		for (end = i + 1; end < paragraph->count; end++)
			if (strcmp(paragraph->items[end].value, paragraph->items[i].value) != 0)
				break;
		append_run(out, &column, paragraph->items + i, end - i, i > 0 ? paragraph->items[i - 1].value : "");
	}
	putc('\n', out);
}

/* All paragraphs, in the order in which their first items were added. The caller frees the text. */
static char *
paragraphs_text(void)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < paragraph_count; i++)
		if (!paragraphs[i].written)
			append_paragraph(out, &paragraphs[i]);
	for (size_t i = 0; i < paragraph_count; i++) {
		for (size_t j = 0; j < paragraphs[i].count; j++) {
			free(paragraphs[i].items[j].name);
			free(paragraphs[i].items[j].value);
		}
		free(paragraphs[i].items);
		free(paragraphs[i].heading);
	}
	fclose(out);
	return text;
}

/* Whether a path has an index above `last`. */
static bool
has_index_above(const char *path, unsigned long last)
{
	for (const char *at = strchr(path, '['); at != NULL; at = strchr(at + 1, '['))
		if (strtoul(at + 1, NULL, 10) > last)
			return true;
	return false;
}

/* Whether a path is an entry of the auxiliary vector that has no name. */
static bool
is_unknown_auxv(const char *path)
{
	return strncmp(path, "AT_", 3) == 0 && strtoull(path + 3, NULL, 10) > 1000;
}

/* A value as the accepted file has it: "" if it is the number at its place in hexadecimal, "d" if it is that number in decimal,
 * "b" for bytes, else a blank and its text, only the beginning of a string. */
static const char *
value_text(const struct told *one, const struct crash *crash, char text[64])
{
	const uint32_t size = one->value.place.length;
	const uint8_t *bytes = crash->file.data + one->value.place.offset;
	char hexadecimal[40] = "0x", decimal[40];
	uint64_t number = 0;

	for (uint32_t i = 0; i < size && size <= 16; i++) {
		const uint8_t byte = bytes[crash->reader.big_endian ? i : size - 1 - i];
		const size_t length = strlen(hexadecimal);

		number = number << 8 | byte;
		/* Without leading zeros, but with the last digit. */
		if (length > 2 || byte != 0 || i + 1 == size)
			snprintf(hexadecimal + length, sizeof(hexadecimal) - length, length > 2 ? "%02x" : "%x", byte);
	}
	snprintf(decimal, sizeof(decimal), "%" PRIu64, number);
	if (one->value.kind == DESCRIBE_BYTES)
		return "b";
	snprintf(text, 64, " %.*s", one->value.kind == DESCRIBE_TEXT ? 4 : 40, one->text);
	for (char *c = text; *c != '\0'; c++)
		*c = *c < ' ' || *c > '~' ? '?' : *c;
	return size > 0 && strcmp(one->text, hexadecimal) == 0 ? ""
	       : size > 0 && size <= 8 && strcmp(one->text, decimal) == 0 ? "d" : text;
}

/* A path without the parent that it shares with the last one; this is the next `last`. */
static const char *
short_path(const char *path, const char **last)
{
	size_t parent = 0;

	for (size_t i = 0; path[i] != '\0'; i++)
		if (path[i] == '/' || path[i] == '.')
			parent = i;
	const bool shared = *last != NULL && strncmp(path, *last, parent + 1) == 0 && strpbrk(*last + parent + 1, "/.") == NULL;
	*last = path;
	return path + (shared ? parent : 0);
}

/* Write the places of values in the stream, of the elements below `most` of a list. Values found elsewhere have no place in it. */
static void
write_layout(const char *name, const struct described *told, unsigned long most,
	     const struct stream *stream, const struct crash *crash)
{
	char text[64], path[400];
	const char *last = NULL;
	bool second = false;

	for (size_t i = 0; i < told->count; i++) {
		const struct told *one = &told->values[i];
		const uint64_t at = one->value.place.offset - stream->offset;

		if (has_index_above(one->path, most - 1) || is_unknown_auxv(one->path) ||
		    one->value.place.input == NULL || at >= stream->size)
			continue;
		/* The first field of a second element has its distance from the first element. */
		const bool again = second;
		second = most == 2 && has_index_above(one->path, 0);
		if (second && again)
			continue;
		/* Marks: a key of its record (*), found elsewhere (~), private (#), a reference to another place (>). */
		snprintf(path, sizeof(path), "%s%s%s%s%s", short_path(one->path, &last),
			 one->value.key ? "*" : "", one->value.derived ? "~" : "", one->value.private ? "#" : "",
			 one->value.link != DESCRIBE_LINK_NONE ? ">" : "");
		add_field(name, path, at, one->value.place.length, value_text(one, crash, text));
	}
}

/* The length of the names in a note: those of flags, without the number of the rest. */
static size_t
names_length(const char *note)
{
	const char *rest = strstr(note, ", 0x");

	return strncmp(note, "0x", 2) == 0 ? 0 : rest != NULL ? (size_t)(rest - note) : strlen(note);
}

/* Write each meaning of numbers in each field that has them once; for flags, of one bit. */
static void
write_notes(const char *name, const struct described *told, uint32_t word)
{
	char number[16];

	snprintf(number, sizeof(number), "%#x", word);
	for (size_t i = 0; i < told->count; i++) {
		const struct told *one = &told->values[i];
		char heading[400], names[512];

		/* Entries of the auxiliary vector have names instead, if they are known. */
		if (i == 0 && strncmp(one->path, "AT_", 3) == 0 && strtoul(one->path + 3, NULL, 10) != word && !has_value(name, one->path))
			add(name, number, "%s", one->path);
		snprintf(names, sizeof(names), "%.*s", (int)names_length(one->note), one->note);
		snprintf(heading, sizeof(heading), "%s %s", name, one->path);
		if (names[0] != '\0' && (names[0] < '0' || names[0] > '9') &&
		    !has_index_above(one->path, 0) && !one->value.broken &&
		    strcmp(names, "invalid") != 0 && !has_value(heading, names) &&
		    ((word & (word - 1)) == 0 || strstr(names, ", ") == NULL))
			add(heading, number, "%s", names);
	}
}

struct type {
	uint32_t type;
	const char *name;
};

static const struct type types[] = {
#define STREAM_SHOWN(type, name, ...) { (uint32_t)(type), name },
#define STREAM_READ STREAM_SHOWN
#define LAYOUT_READ STREAM_SHOWN
#define LAYOUT_SHOWN STREAM_SHOWN
#include "dump/stream.def"
};

/* Describe a dump with one stream of these bytes, of this type. */
static void
describe_bytes(const struct type *type, const struct image *image, const uint32_t *word)
{
	struct opened opened;
	struct described told;

	open_image(&opened, ARCH_AMD64, CRASH_OS_WINDOWS, type->type, image, NULL, 0);
	const struct describe_sink sink = described_sink(&told);
	for (size_t i = opened.crash.stream_count; i-- > 0;) {
		if (opened.crash.streams[i].type != type->type)
			continue;
		describe_stream(&opened.crash, i, &sink);
		if (word == NULL)
			write_layout(type->name, &told, 2, &opened.crash.streams[i], &opened.crash);
		else
			write_notes(type->name, &told, *word);
		break;
	}
	described_close(&told, &opened);
}

/* Types with tests of their own: offsets of Crashpad, states of x86, text of Linux. */
static bool
is_left_out(const struct type *type)
{
	static const char *const names[] = {
		"CrashpadInfo", "NT_X86_XSTATE", "NT_FPREGSET", "LinuxMaps", "LinuxCmdLine",
		"LinuxEnviron", "LinuxProcStatus", "LinuxCpuInfo", "LinuxLsbRelease", "environment",
	};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(type->name, names[i]) == 0)
			return true;
	return false;
}

/* A structure that begins with its size gets a size that stands for the newest version. */
static void
write_streams(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		struct image image = { .size = 0 };
		for (unsigned at = 0; at < 4 * BYTES; at++)
			put(&image, (uint8_t)(at + at / 256), 1);
		memcpy(image.bytes, (const uint8_t[]){ 0x54, 5, 0, 0 }, 4);
		if (!is_left_out(&types[i]))
			describe_bytes(&types[i], &image, NULL);
	}
}

/* Lists whose head has its own size and that of an entry (minidumpapiset.h). */
static void
write_headed(void)
{
	static const struct {
		uint32_t type;
		const char *name;
		uint32_t head, entry;
	} lists[] = {
		{ 12, "HandleDataStream", 16, 32 }, { 12, "HandleDataStream 2", 16, 40 },
		{ 14, "UnloadedModuleList", 12, 24 }, { 16, "MemoryInfoList", 16, 48 }, { 17, "ThreadInfoList", 12, 64 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		for (unsigned step = 0; step <= 32 + 16; step++) {
			const struct type type = { lists[i].type, lists[i].name };
			const uint32_t word = step < 32 ? 1u << step : step - 32;
			struct image image = { .size = 0 };

			put(&image, lists[i].head, 4);
			put(&image, lists[i].entry, 4);
			put(&image, 1, 4);
			put(&image, 0, lists[i].head - 12);
			/* Words 2 and 3 of a handle are the offsets of its names; 0: no names. */
			for (unsigned at = 0; at < lists[i].entry; at += 4)
				if (step == 48)
					put(&image, 0x03020100 + 0x04040404 * (at / 4), 4);
				else
					put(&image, type.type == 12 && (at == 8 || at == 12) ? 0 : word, 4);
			describe_bytes(&type, &image, step == 48 ? NULL : &word);
		}
}

enum { ROWS, BROKEN, MESSAGES, PARTS = 11 };

/* The result for a stream: rows, broken rows, messages, and the contents of the model. */
static void
count_parts(const struct type *type, const struct image *image, int parts[PARTS])
{
	struct opened opened;
	struct described told;

	open_image(&opened, ARCH_AMD64, CRASH_OS_WINDOWS, type->type, image, NULL, 0);
	const struct crash *crash = &opened.crash;
	const struct describe_sink sink = described_sink(&told);
	for (size_t i = crash->stream_count; i-- > 0;)
		if (crash->streams[i].type == type->type) {
			describe_stream(crash, i, &sink);
			break;
		}
	const int counts[PARTS] = {
		[ROWS] = (int)told.count, (int)told.broken, (int)message_total(&crash->messages),
		(int)crash->thread_count, (int)crash->module_count, (int)crash->unloaded_count,
		(int)crash->region_count, crash->exception.present, crash->misc.has_process_id,
		crash->misc.has_times, crash->misc.build != NULL && crash->misc.build[0] != '\0',
	};
	memcpy(parts, counts, sizeof(counts));
	described_close(&told, &opened);
}

/* Write how many parts a stream of this size has more or less than a shorter one, if any. */
static void
write_size(const char *heading, unsigned size, const int before[PARTS], const int parts[PARTS])
{
	static const char *const names[PARTS] = {
		"rows", "broken", "messages", "threads", "modules", "unloaded", "regions", "exception", "id", "times", "build",
	};
	char text[200] = "", number[16];

	for (unsigned i = 0; i < PARTS; i++)
		if (parts[i] != before[i])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%+d %s",
				 text[0] != '\0' ? ", " : "", parts[i] - before[i], names[i]);
	snprintf(number, sizeof(number), "%u", size);
	if (text[0] != '\0' || size == 0)
		add(heading, number, "%s", text);
}

static void
write_sizes(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		int before[PARTS] = { 0 }, parts[PARTS];
		char heading[100];

		/* Texts grow by a row with each word. */
		if (is_left_out(&types[i]) || strcmp(types[i].name, "arguments") == 0)
			continue;
		snprintf(heading, sizeof(heading), "sizes of %s", types[i].name);
		/* The largest structure is that of assertions, of 776 bytes. */
		for (unsigned size = 0; size <= 780; size += size == 0x120 ? 770 - size : 1) {
			struct image image = { .size = 0 };
			for (unsigned at = 0; at < size; at++)
				put(&image, at % 4 == 0, 1);
			/* All flags are set. */
			for (unsigned at = 4; at < 8 && at < size; at++)
				image.bytes[at] = 0xff;
			count_parts(&types[i], &image, parts);
			write_size(heading, size, before, parts);
			memcpy(before, parts, sizeof(before));
		}
	}
}

static void
write_meanings(void)
{
	/* Integrity levels that are no powers of two. */
	static const uint32_t levels[] = { 0x2100, 0x3000, 0x5000 };

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		for (unsigned step = 0; step < 32 + 70 + ARRAY_COUNT(levels); step++) {
			const uint32_t word = step < 32	      ? 1u << step : step < 32 + 70 ? step - 32 : levels[step - 32 - 70];
			const unsigned size = types[i].type == 15 ? MISC_SIZE : BYTES;
			struct image image = { .size = 0 };

			if (is_left_out(&types[i]))
				break;
			const bool wide = strstr(types[i].name, "uxv") != NULL || strstr(types[i].name, "AUXV") != NULL;
			for (unsigned at = 0; at < size / 8; at++) {
				put(&image, word, 4);
				put(&image, wide ? 0 : word, 4);
			}
			/* All flags of MiscInfo: each field counts. */
			if (types[i].type == 15 && step >= 32 + 70)
				memset(image.bytes + 4, 0xff, 4);
			describe_bytes(&types[i], &image, &word);
		}
}

/* Describe the first thread's context after its bytes were changed. */
static void
describe_again(struct opened *opened, struct described *told)
{
	const struct describe_sink sink = described_sink(told);

	open_again(opened);
	if (opened->crash.thread_count > 0)
		describe_processor(&opened->crash, &opened->crash.threads[0].context, &sink);
}

/* SPARC has two contexts. */
static const char *
title_of(enum arch_id arch)
{
	return arch == ARCH_SPARC32 ? "sparc of 32 bits" : arch_by_id(arch)->name;
}

/* Contexts of all processors: bytes that the writer sets stay, bytes that are 0 count up. */
static void
write_contexts(void)
{
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++) {
		const uint64_t registers[ARCH_REGISTERS] = { 0 };
		struct synth *synth = synth_create(arch, CRASH_OS_LINUX, false);
		struct opened opened;
		struct described told;

		synth_thread(synth, 1, registers, 0, NULL, 0);
		open_synth(&opened, synth);
		if (opened.crash.thread_count > 0) {
			const struct place place = opened.crash.threads[0].context.place;
			const struct stream context = { .offset = place.offset, .size = place.length };

			for (size_t at = 0; at < place.length; at++)
				if (opened.bytes[place.offset + at] == 0)
					opened.bytes[place.offset + at] = (uint8_t)(at + at / 256);
			describe_again(&opened, &told);
			write_layout(title_of(arch), &told, 100, &context, &opened.crash);
			described_free(&told);
		}
		close_synth(&opened);
	}
}

/* Write the meaning of a bit in a context's words, if it changes a name. */
static void
write_context_bit(enum arch_id arch, unsigned bit, const struct described *base, const struct described *told)
{
	char heading[400], name[16];

	for (size_t i = 0; i < told->count && i < base->count; i++) {
		const char *note = told->values[i].note;
		if (note[0] == '\0' || strchr(told->values[i].path, '[') != NULL ||
		    (names_length(note) == names_length(base->values[i].note) &&
		     strncmp(note, base->values[i].note, names_length(note)) == 0))
			continue;
		snprintf(heading, sizeof(heading), "%s %s", title_of(arch), told->values[i].path);
		snprintf(name, sizeof(name), "bit %u", bit);
		add(heading, name, "%s", note);
	}
}

static void
write_context_bits(enum arch_id arch)
{
	const uint64_t registers[ARCH_REGISTERS] = { 0 };
	struct synth *synth = synth_create(arch, CRASH_OS_LINUX, false);
	struct opened opened;
	struct described base, told;
	uint8_t bytes[2048];

	synth_thread(synth, 1, registers, 0, NULL, 0);
	open_synth(&opened, synth);
	if (opened.crash.thread_count > 0) {
		const struct place place = opened.crash.threads[0].context.place;
		memcpy(bytes, opened.bytes + place.offset, place.length);
		describe_again(&opened, &base);
		for (unsigned bit = 0; bit < 32; bit++) {
			/* In the word of the flags the processor's bits stay. */
			for (size_t at = bit / 8; at < place.length; at += 4)
				opened.bytes[place.offset + at] |= (uint8_t)(1u << bit % 8);
			describe_again(&opened, &told);
			write_context_bit(arch, bit, &base, &told);
			described_free(&told);
			memcpy(opened.bytes + place.offset, bytes, place.length);
		}
		described_free(&base);
	}
	close_synth(&opened);
}

/* The place of each register in contexts of dumps and in the status of a core's thread. */
static void
write_registers(const char *what, const struct context_layout *layout)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = layout != NULL ? context_registers(layout->fields, registers) : 0;
	const struct arch *arch = layout != NULL ? arch_by_id(layout->arch) : NULL;
	unsigned next = ARCH_REGISTERS;
	char heading[100], name[100];

	for (size_t i = 0; i < count; i++) {
		const unsigned number = registers[i].number;
		const char *known = arch->registers[number].name;

		snprintf(heading, sizeof(heading), "registers%s of %s", what, layout->name);
		/* A register without NUMBER= follows the one before. */
		snprintf(name, sizeof(name), "%u=%s", number, known != NULL ? known : "");
		add_field(heading, known != NULL && number == next ? known : name, registers[i].offset, registers[i].size, "");
		next = number + 1;
	}
}

static void
write_structure(const char *what, const struct structure *structure)
{
	char heading[100], count[16];

	if (structure == NULL)
		return;
	snprintf(heading, sizeof(heading), "%s, %u bytes", what, (unsigned)structure->size);
	for (size_t i = 0; i < structure->count; i++) {
		const struct field *row = &structure->rows[i];
		snprintf(count, sizeof(count), row->count > 0 ? "*%u" : "%.0u", row->count);
		add_field(heading, row->name, row->offset, row->size, count);
	}
}

/* Parts of contexts that cores have in notes, and the layouts of those notes. */
static void
write_floats(const char *layout)
{
	const struct core_floats *row;

	for (size_t at = 0; (row = core_floats_of(layout, &at)) != NULL; at++) {
		char heading[200], name[32];
		snprintf(heading, sizeof(heading), "%s, note %u of %u bytes, flag %x", layout, row->note, row->size, row->flag);
		for (size_t i = 0; i < ARRAY_COUNT(row->parts) && row->parts[i].size > 0; i++) {
			snprintf(name, sizeof(name), "at %u", row->parts[i].context);
			add_field(heading, name, row->parts[i].note, row->parts[i].size, "");
		}
	}
}

static void
write_structures(void)
{
	static const struct {
		const char *name;
		const struct structure *fields;
	} contexts[] = {
#define LAYOUT(fields, name, ...) { name, &context_##fields },
#include "dump/context/context.def"
	};

	for (size_t i = 0; i < ARRAY_COUNT(contexts); i++) {
		/* write_contexts() shows those that are not "(old)". */
		if (strchr(contexts[i].name, '(') != NULL)
			write_structure(contexts[i].name, contexts[i].fields);
		write_floats(contexts[i].name);
	}
	for (unsigned wide = 0; wide < 2; wide++) {
		write_structure("ELF header", &core_header_structures[wide]);
		write_structure("program header", &core_segment_structures[wide]);
	}
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++)
		for (uint32_t note = CORE_STREAMS; note < CORE_STREAMS + 64; note++) {
			const struct structure *const *form = core_float_forms(arch_by_id(arch), note);
			for (; form != NULL && *form != NULL; form++)
				write_structure(arch_by_id(arch)->name, *form);
		}
}

static void
write_all_registers(void)
{
	static const char *const layouts[] = {
#define LAYOUT(fields, name, ...) name,
#include "dump/context/context.def"
	};

	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		write_registers("", context_layout_named(layouts[i]));
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++) {
		const struct core_abi *abi = core_abi(arch_by_id(arch));
		const unsigned word = arch_by_id(arch)->word_size;

		write_registers(" in notes", core_context_layout(arch_by_id(arch), word));
		if (abi != NULL)
			add("cores: size of the status, narrow ids, flags of the header, parts", title_of(arch), "%u %d %x %x",
			    abi->status_size, abi->narrow_ids, abi->header_flags, abi->context_parts);
	}
}

/* Notes of cores of each kind of machine: words that count up by four. */
static void
write_notes_of_cores(void)
{
	static const struct {
		uint16_t machine;
		bool wide, big_endian;
		size_t status;
	} machines[] = {
		{ 3, false, false, 144 }, { 62, true, false, 336 }, { 40, false, false, 148 },
		{ 183, true, false, 392 }, { 8, false, true, 256 }, { 8, true, true, 480 },
		{ 20, false, true, 268 }, { 21, true, true, 504 }, { 22, true, true, 336 },
		{ 243, true, false, 376 }, { 2, false, true, 268 }, { 43, true, true, 504 },
	};
	static struct corefile core;

	for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
		uint8_t bytes[1024];
		struct error error;
		struct crash crash;

		core = (struct corefile){ .machine = machines[i].machine, .wide = machines[i].wide, .big_endian = machines[i].big_endian };
		for (unsigned at = 0; at < sizeof(bytes); at++)
			bytes[at] = (uint8_t)(at + at / 256);
		corefile_note(&core, "CORE", 1, bytes, machines[i].status);
		corefile_note(&core, "CORE", 3, bytes, machines[i].wide ? 136 : 124);
		corefile_note(&core, "CORE", 0x53494749, bytes, 128);
		corefile_note(&core, "CORE", 2, bytes, 512);
		corefile_note(&core, "LINUX", 0x405, bytes, 64);
		corefile_note(&core, "LINUX", 0x406, bytes, 16);
		corefile_note(&core, "LINUX", 0x100, bytes, 544);
		corefile_note(&core, "LINUX", 0x102, bytes, 256);
		corefile_memory(&core, 0x1000, sizeof(bytes), 4, bytes, sizeof(bytes));
		corefile_finish(&core);
		dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
		for (size_t stream = 0; stream < crash.stream_count; stream++) {
			struct described told;
			const struct describe_sink sink = described_sink(&told);
			char name[100];

			describe_stream(&crash, stream, &sink);
			/* SPARC's cores are of unknown processors. */
			snprintf(name, sizeof(name), "%s of %s %s", crash.streams[stream].name,
				 crash.system.arch->name, machines[i].wide ? "64" : "32");
			write_layout(name, &told, 2, &crash.streams[stream], &crash);
			described_free(&told);
		}
		crash_free(&crash);
	}
}

/* The reason of a crash, by the numbers of its exception: a paragraph for each kind of fault. */
static void
write_reason(const char *system, enum arch_id arch, enum crash_os os, uint32_t code, uint32_t flags, uint64_t full)
{
	char heading[100], number[32] = "", key[64];

	struct synth *synth = synth_create(arch, os, false);
	struct opened opened;

	synth_exception(synth, 1, code, flags, 0x99);
	if (full != 0) {
		synth_parameter(synth, code);
		synth_parameter(synth, full);
		synth_parameter(synth, 0x12345);
	}
	open_synth(&opened, synth);
	const struct crash_cause *cause = &opened.crash.cause;
	/* Leave out the many numbers without a name. */
	if ((strstr(cause->text, " / 0x") == NULL || cause->note != NULL) && strstr(cause->text, "TYPE_unknown") == NULL) {
		snprintf(heading, sizeof(heading), "fault %d, address %d of %s", (int)cause->fault, (int)cause->address, system);
		if (full != 0)
			snprintf(number, sizeof(number), "/%" PRIx64, full >> 58);
		snprintf(key, sizeof(key), "%x/%x%s", code, flags, number);
		/* The number in the reason of macOS is that of the flags. */
		add_reason(heading, key, flags, opened.crash.reason, cause->text, cause->note != NULL ? cause->note : "");
	}
	close_synth(&opened);
}

/* Large codes of macOS, for each processor; and signals. */
static void
write_mac_codes(void)
{
	static const enum arch_id processors[] = { ARCH_X86, ARCH_AMD64, ARCH_ARM, ARCH_ARM64, ARCH_PPC, ARCH_PPC64 };
	static const uint32_t firsts[] = { 0x100, 0x10000, 0x10100, 48, 0xdeadc0dc };

	for (size_t i = 0; i < ARRAY_COUNT(processors); i++) {
		char system[40];
		snprintf(system, sizeof(system), "macOS on %s, large codes", arch_by_id(processors[i])->name);
		for (uint32_t code = 1; code < 7; code++)
			for (uint32_t step = 0; step < 8 * ARRAY_COUNT(firsts); step++)
				write_reason(system, processors[i], CRASH_OS_MAC, code, firsts[step / 8] + step % 8, 0);
	}
	for (uint32_t signal = 0; signal < 34; signal++)
		write_reason("macOS, signals", ARCH_AMD64, CRASH_OS_MAC, 10, signal << 24 | 1 << 20 | 0x1234, 0);
}

static void
write_reasons(void)
{
	static const struct {
		const char *name;
		enum arch_id arch;
		enum crash_os os;
		uint32_t codes, flags;
	} systems[] = {
		{ "Linux", ARCH_AMD64, CRASH_OS_LINUX, 34, 10 }, { "Linux on mips", ARCH_MIPS, CRASH_OS_LINUX, 34, 4 },
		{ "Linux on sparc", ARCH_SPARC, CRASH_OS_LINUX, 34, 4 }, { "macOS", ARCH_AMD64, CRASH_OS_MAC, 16, 16 },
		{ "macOS on arm64", ARCH_ARM64, CRASH_OS_MAC, 16, 16 }, { "macOS on x86", ARCH_X86, CRASH_OS_MAC, 8, 8 },
		{ "macOS on ppc", ARCH_PPC, CRASH_OS_MAC, 12, 12 }, { "Solaris", ARCH_SPARC, CRASH_OS_SOLARIS, 42, 4 },
		{ "Fuchsia", ARCH_AMD64, CRASH_OS_FUCHSIA, 12, 1 }, { "PlayStation 3", ARCH_PPC64, CRASH_OS_PS3, 24, 1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++) {
		for (uint32_t code = 0; code < systems[i].codes; code++)
			for (uint32_t flags = 0; flags < systems[i].flags; flags++)
				write_reason(systems[i].name, systems[i].arch, systems[i].os, code, flags, 0);
		for (uint32_t flags = 0xfffffff0; flags != 0; flags++)
			write_reason(systems[i].name, systems[i].arch, systems[i].os, 11, flags, 0);
		write_reason(systems[i].name, systems[i].arch, systems[i].os, 11, 0x80, 0);
	}
	write_mac_codes();
	/* macOS: guards and resources (mach/exception_types.h, kern/exc_guard.h, kern/exc_resource.h). */
	for (uint32_t kind = 0; kind < 8; kind++) {
		for (uint32_t bit = 0; bit < 20; bit++)
			write_reason("macOS, guards", ARCH_AMD64, CRASH_OS_MAC, 12, kind << 29 | 1u << bit, 0);
		for (uint64_t flavor = 0; flavor < 8; flavor++)
			write_reason("macOS, resources", ARCH_AMD64, CRASH_OS_MAC, 11, kind << 29, flavor << 58 | 0x123456789);
	}
}

/* The address of exceptions and their first parameter, if no other ones are in the key. */
#define WINDOWS_ADDRESS UINT64_C(0xffffffff00000099)
#define CXX_MAGIC 0x19930520u

/* An exception of Windows with its parameters. */
static void
write_windows(enum arch_id arch, uint32_t code, unsigned count, uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t parameters[3] = { first, second, third };
	struct synth *synth = synth_create(arch, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_exception(synth, 1, code, 0, WINDOWS_ADDRESS);
	for (unsigned i = 0; i < count; i++)
		synth_parameter(synth, parameters[i]);
	open_synth(&opened, synth);
	const struct crash_cause *cause = &opened.crash.cause;
	const char *note = cause->note != NULL ? cause->note : "";
	static char last[1000];
	char heading[100], key[64], address[32] = "", result[1000];
	snprintf(heading, sizeof(heading), "fault %d, access %d, address %d of Windows on %s",
		 (int)cause->fault, (int)cause->access, (int)cause->address, arch_by_id(arch)->name);
	snprintf(result, sizeof(result), "%x %s %" PRIx64 " %s %s %s", code, heading,
		 opened.crash.reason_address, opened.crash.reason, cause->text, note);
	const bool again = strcmp(result, last) == 0;
	snprintf(last, sizeof(last), "%s", result);
	/* Leave out parameters that change nothing, and the many codes without names. */
	if (!again && (strncmp(cause->text, "unknown", 7) != 0 || code >= 0xf0000000)) {
		snprintf(heading + strlen(heading), sizeof(heading) - strlen(heading), ", parameters %u", count);
		if (opened.crash.reason_address != WINDOWS_ADDRESS)
			snprintf(address, sizeof(address), " %" PRIx64, opened.crash.reason_address);
		if (first == CXX_MAGIC)
			snprintf(key, sizeof(key), "%x%s", code, address);
		else
			snprintf(key, sizeof(key), "%x/%llx%s", code, (unsigned long long)first, address);
		add_reason(heading, key, code, opened.crash.reason, cause->text, note);
	}
	close_synth(&opened);
}

static void
write_windows_reasons(void)
{
	/* winnt.h, ntstatus.h, winerror.h, ehdata.h and the runtimes' own. */
	static const uint32_t codes[] = {
		0x0, 0x5, 0x6ba, 0x40010005, 0x40010006, 0x4001000a, 0x40080201, 0x40080202, 0x406d1388, 0x80000001, 0x80000002, 0x80000003,
		0x80000004, 0xc0000005, 0xc0000006, 0xc0000008, 0xc000001d, 0xc0000025, 0xc0000026, 0xc000008c, 0xc000008d, 0xc000008e,
		0xc000008f, 0xc0000090, 0xc0000091, 0xc0000092, 0xc0000093, 0xc0000094, 0xc0000095, 0xc0000096, 0xc0000097, 0xc00000fd,
		0xc00000ff, 0xc0000194, 0xc000027b, 0xc0000374, 0xc0000409, 0xc0000420, 0xc0000602, 0xe0000008, 0xe0434352, 0xe0434f4d,
		0xe06d7363, 0xe073616e, 0xe24c4a02, 0x0517a7ed, 0x0eedfade, 0x20474343, 0xf0000001,
	};

	for (size_t i = 0; i < ARRAY_COUNT(codes); i++)
		for (unsigned count = 0; count <= 3; count += 3)
			write_windows(ARCH_AMD64, codes[i], count, CXX_MAGIC, 0x1234, 0xc0000022);
	static const uint64_t kinds[] = { 0, 1, 2, 8 };
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const uint64_t kind = kinds[i];
		write_windows(ARCH_X86, 0xc0000005, 2, kind, 0x1234, 0);
		write_windows(ARCH_AMD64, 0xc0000005, 2, kind, UINT64_MAX, 0);
		write_windows(ARCH_AMD64, 0xc0000006, 3, kind, 0x1234, kind == 0 ? 0x1234 : 0xc000000e);
		write_windows(ARCH_AMD64, 0xe06d7363, 3, 0x1993051f + i, 2, 3);
	}
	write_windows(ARCH_AMD64, 0xe0434352, 1, 0x80070005, 0, 0);
	for (uint64_t failure = 0; failure < 80; failure++)
		write_windows(ARCH_AMD64, 0xc0000409, 1, failure, 0, 0);
	for (uint32_t facility = 0; facility < 0xfff; facility++)
		write_windows(ARCH_AMD64, 0xa0000005 | facility << 16, 0, 0, 0, 0);
}

/* The meaning of each bit of the header's flags (MINIDUMP_TYPE). */
static void
write_header_flags(void)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
		struct opened opened;
		struct described told;
		char name[16];

		snprintf(name, sizeof(name), "bit %u", bit);
		open_synth(&opened, synth);
		opened.bytes[24 + bit / 8] |= (uint8_t)(1u << bit % 8);
		open_again(&opened);
		const struct describe_sink sink = described_sink(&told);
		describe_header(&opened.crash, &sink);
		for (size_t i = 0; i < told.count; i++)
			if (strcmp(told.values[i].path, "flags") == 0)
				add("header flags", name, "%s", told.values[i].note);
		described_close(&told, &opened);
	}
}

int
main(void)
{
	write_streams();
	write_meanings();
	write_header_flags();
	write_sizes();
	write_headed();
	write_contexts();
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++)
		write_context_bits(arch);
	write_all_registers();
	write_structures();
	write_notes_of_cores();
	write_reasons();
	write_windows_reasons();
	char *said = paragraphs_text();
	is_as_accepted(said, "tests/unit/dump/tables.txt");
	free(said);
	return done_testing();
}
