/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dump/described.h"

#include "base/compiler.h"
#include "dump/core.h"
#include "tests/lib/accepted.h"
#include "tests/lib/corefile.h"

/*
 * Every row of the tables of structures, flags and codes, as it appears in the description of bytes
 * that count up, of single bits and of small numbers. tests/unit/dump/tables.txt has the accepted
 * values in paragraphs, one for each structure (the place of each field, OFFSET+SIZE in its stream,
 * or +SIZE directly after the previous field, and its value, if that is not the number there: in
 * hexadecimal, or in decimal after "d") and one for each field with names of its values. A path
 * that begins with / or . continues as the previous one. The layouts are those of
 * minidumpapiset.h, Breakpad's minidump_format.h and the kernel's elfcore.h.
 */
#define BYTES 0x200u
#define MISC_SIZE 1368u		/* with the states of the processor */

#define COLUMNS 140		/* the width of the accepted file */
#define MOST_PARAGRAPHS 4000

/* Items under a heading. Items of one heading need not be added one after the other. */
struct paragraph {
	char *heading, *text;
	size_t size, column;
	uint64_t next;			/* after the last field */
	FILE *out;
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
	made->out = open_memstream(&made->text, &made->size);
	made->column = strlen(heading) + 1;
	return made;
}

/* Add an item to the paragraph of this heading. */
ATTRIBUTE_PRINTF(2, 3) static void
add(const char *heading, const char *format, ...)
{
	struct paragraph *to = paragraph_of(heading);
	char item[1000];
	va_list arguments;

	va_start(arguments, format);
	const size_t length = (size_t)vsnprintf(item, sizeof(item), format, arguments);
	va_end(arguments);
	const bool fits = to->column + length + 2 < COLUMNS;
	fprintf(to->out, "%s%s;", fits ? " " : "\n  ", item);
	to->column = (fits ? to->column + 1 : 2) + length + 1;
}

/* "OFFSET+SIZE", or "+SIZE" for a field that directly follows the previous one of the paragraph. */
static const char *
place_of(const char *heading, uint64_t at, uint64_t size, char text[32])
{
	struct paragraph *paragraph = paragraph_of(heading);
	const size_t length = at == paragraph->next ? 0
			      : (size_t)snprintf(text, 32, "%" PRIu64, at);

	snprintf(text + length, 32 - length, "+%" PRIu64, size);
	paragraph->next = at + size;
	return text;
}

/*
 * Add a code with its reason, as Breakpad has it, and its cause. The code in a text is "CODE", a
 * cause that contains the reason has "=" in its place, "~" is the previous beginning of a cause, a
 * note that follows itself is left out, and codes that are equal otherwise are one item.
 */
static void
add_reason(const char *heading, const char *key, uint32_t code, const char *reason, const char *cause,
	   const char *note)
{
	static char last[1000], last_heading[200], last_note[200], last_front[200];
	char front[200];
	char number[16], meaning[900], *at;
	const char *inside = strstr(cause, reason);
	const bool same = strcmp(reason, cause) == 0, again = strcmp(note, last_note) == 0;

	snprintf(number, sizeof(number), "0x%08x", code);
	snprintf(front, sizeof(front), "%.*s", inside == NULL ? 0 : (int)(inside - cause), cause);
	snprintf(meaning, sizeof(meaning), "%s%s%s%s%s%s%.60s", reason, same ? "" : " ",
		 front[0] != '\0' && strcmp(front, last_front) == 0 ? "~" : front, same ? "" : "=",
		 same ? "" : inside != NULL ? inside + strlen(reason) : cause,
		 note[0] != '\0' && !again ? ", " : "", again ? "" : note);
	snprintf(last_note, sizeof(last_note), "%s", note);
	snprintf(last_front, sizeof(last_front), "%s", front);
	while ((at = strstr(meaning, number)) != NULL) {
		memcpy(at, "CODE", 4);
		memmove(at + 4, at + 10, strlen(at + 10) + 1);
	}
	if (strcmp(last, meaning) == 0 && strcmp(last_heading, heading) == 0)
		add(heading, "%s", key);
	else
		add(heading, "%s %s", key, meaning);
	snprintf(last, sizeof(last), "%s", meaning);
	snprintf(last_heading, sizeof(last_heading), "%s", heading);
}

/* All paragraphs, in the order in which their first items were added. The caller frees the text. */
static char *
paragraphs_text(void)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < paragraph_count; i++) {
		fclose(paragraphs[i].out);
		fprintf(out, "%s:%s\n", paragraphs[i].heading, paragraphs[i].text);
		free(paragraphs[i].heading);
		free(paragraphs[i].text);
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

/*
 * A value as the accepted file has it: "" if it is the number at its place in hexadecimal, "d" if it
 * is that number in decimal, else a blank and its text.
 */
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
			snprintf(hexadecimal + length, sizeof(hexadecimal) - length,
				 length > 2 ? "%02x" : "%x", byte);
	}
	snprintf(decimal, sizeof(decimal), "%" PRIu64, number);
	snprintf(text, 64, " %.40s", one->text);
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
	const bool shared = *last != NULL && strncmp(path, *last, parent + 1) == 0 &&
			    strpbrk(*last + parent + 1, "/.") == NULL;
	*last = path;
	return path + (shared ? parent : 0);
}

/* Write the places of values in the stream. Values found elsewhere have no place in it. */
static void
write_layout(const char *name, const struct described *told, const struct stream *stream,
	     const struct crash *crash)
{
	char text[64], place[32];
	const char *last = NULL;
	bool second = false;

	for (size_t i = 0; i < told->count; i++) {
		const struct told *one = &told->values[i];
		const uint64_t at = one->value.place.offset - stream->offset;

		if (has_index_above(one->path, 1) || is_unknown_auxv(one->path) ||
		    one->value.place.input == NULL || at >= stream->size)
			continue;
		/* The first field of a second element has its distance from the first element. */
		const bool again = second;
		second = has_index_above(one->path, 0);
		if (second && again)
			continue;
		/*
		 * Marks: a key of its record (*), found elsewhere (~), private (#), a reference to
		 * another place (>).
		 */
		add(name, "%s%s%s%s%s %s%s", short_path(one->path, &last),
		    one->value.key ? "*" : "",
		    one->value.derived ? "~" : "", one->value.private ? "#" : "",
		    one->value.link != DESCRIBE_LINK_NONE ? ">" : "",
		    place_of(name, at, one->value.place.length, place),
		    value_text(one, crash, text));
	}
}

/* Write the meanings of a number in each field that has them; for flags, of one bit. */
static void
write_notes(const char *name, const struct described *told, const char *number)
{
	for (size_t i = 0; i < told->count; i++) {
		const struct told *one = &told->values[i];

		/* Entries of the auxiliary vector have names instead. */
		if (i == 0 && strncmp(one->path, "AT_", 3) == 0)
			add(name, "%s %s", number, one->path);
		/* A number of 64 bits has two bits here. */
		const char *more = strstr(one->note, ", ");

		if (one->note[0] != '\0' &&
		    !has_index_above(one->path, 0) &&
		    (one->note[0] < '0' || one->note[0] > '9') &&
		    strcmp(one->note, "invalid") != 0 &&
		    (more == NULL || strstr(more + 1, ", ") == NULL) && !one->value.broken) {
			char heading[400];

			snprintf(heading, sizeof(heading), "%s %s", name, one->path);
			add(heading, "%s %s", number, one->note);
		}
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
describe_bytes(const struct type *type, const struct image *image, const char *number)
{
	struct opened opened;
	struct described told;

	open_image(&opened, ARCH_AMD64, CRASH_OS_WINDOWS, type->type, image, NULL, 0);
	const struct describe_sink sink = described_sink(&told);
	for (size_t i = opened.crash.stream_count; i-- > 0;) {
		if (opened.crash.streams[i].type != type->type)
			continue;
		describe_stream(&opened.crash, i, &sink);
		if (number == NULL)
			write_layout(type->name, &told, &opened.crash.streams[i], &opened.crash);
		else
			write_notes(type->name, &told, number);
		break;
	}
	described_free(&told);
	close_synth(&opened);
}

/* Types with tests of their own: offsets of Crashpad, states of x86, text of Linux. */
static bool
is_left_out(const struct type *type)
{
	static const char *const names[] = {
		"CrashpadInfo", "NT_X86_XSTATE", "NT_FPREGSET", "LinuxMaps", "LinuxCmdLine", "LinuxEnviron",
		"LinuxProcStatus", "LinuxCpuInfo", "LinuxLsbRelease",
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
		{ 14, "UnloadedModuleList", 12, 24 }, { 16, "MemoryInfoList", 16, 48 },
		{ 17, "ThreadInfoList", 12, 64 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		for (unsigned step = 0; step <= 32 + 16; step++) {
			const struct type type = { lists[i].type, lists[i].name };
			const uint32_t word = step < 32 ? 1u << step : step - 32;
			struct image image = { .size = 0 };
			char number[16];

			put(&image, lists[i].head, 4);
			put(&image, lists[i].entry, 4);
			put(&image, 1, 4);
			put(&image, 0, lists[i].head - 12);
			/* Words 2 and 3 of a handle are the offsets of its names; 0: no names. */
			for (unsigned at = 0; at < lists[i].entry; at += 4)
				if (step == 48)
					put(&image, 0x03020100 + 0x04040404 * (at / 4), 4);
				else
					put(&image,
					    type.type == 12 && (at == 8 || at == 12) ? 0 : word, 4);
			snprintf(number, sizeof(number), "%#x", word);
			describe_bytes(&type, &image, step == 48 ? NULL : number);
		}
}

/*
 * The result for a stream of each size: rows, broken rows, messages, and the contents of the
 * model.
 */
static void
size_text(const struct type *type, const struct image *image, char *text, size_t room)
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
	snprintf(text, room, "%zu/%u/%zu %zu %zu %zu %zu %zu %d%d%d%d", told.count, told.broken,
		 (size_t)message_total(&crash->messages), crash->thread_count, crash->module_count,
		 crash->unloaded_count, crash->mapping_count, crash->region_count,
		 crash->exception.present, crash->misc.has_process_id, crash->misc.has_times,
		 crash->misc.build != NULL && crash->misc.build[0] != '\0');
	described_free(&told);
	close_synth(&opened);
}

static void
write_sizes(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		char before[200] = "", heading[100];

		if (is_left_out(&types[i]))
			continue;
		snprintf(heading, sizeof(heading), "%s by size", types[i].name);
		/* The largest structure is that of assertions, of 776 bytes. */
		/* Texts grow by a row with each word. */
		if (strcmp(types[i].name, "arguments") == 0 ||
		    strcmp(types[i].name, "environment") == 0)
			continue;
		for (unsigned size = 0; size <= 780; size += size == 0x120 ? 770 - size : 1) {
			struct image image = { .size = 0 };
			char text[200];

			for (unsigned at = 0; at < size; at++)
				put(&image, at % 4 == 0, 1);
			/* All flags are set. */
			for (unsigned at = 4; at < 8 && at < size; at++)
				image.bytes[at] = 0xff;
			size_text(&types[i], &image, text, sizeof(text));
			if (strcmp(text, before) != 0)
				add(heading, "%u = %s", size, text);
			memcpy(before, text, sizeof(before));
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
			const uint32_t word = step < 32	      ? 1u << step
					      : step < 32 + 70 ? step - 32
							       : levels[step - 32 - 70];
			const unsigned size = types[i].type == 15 ? MISC_SIZE : BYTES;
			struct image image = { .size = 0 };
			char number[16];

			if (is_left_out(&types[i]))
				break;
			const bool wide = strstr(types[i].name, "uxv") != NULL ||
					  strstr(types[i].name, "AUXV") != NULL;
			for (unsigned at = 0; at < size / 8; at++) {
				put(&image, word, 4);
				put(&image, wide ? 0 : word, 4);
			}
			/* All flags of MiscInfo: each field counts. */
			if (types[i].type == 15 && step >= 32 + 70)
				memset(image.bytes + 4, 0xff, 4);
			snprintf(number, sizeof(number), "%#x", word);
			describe_bytes(&types[i], &image, number);
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
			const struct stream context = { .offset = place.offset,
							.size = place.length };

			for (size_t at = 0; at < place.length; at++)
				if (opened.bytes[place.offset + at] == 0)
					opened.bytes[place.offset + at] = (uint8_t)(at + at / 256);
			describe_again(&opened, &told);
			write_layout(arch_by_id(arch)->name, &told, &context, &opened.crash);
			described_free(&told);
		}
		close_synth(&opened);
	}
}

/* The meaning of each bit in a context's words: flags, status and control registers. */
static void
write_context_bits(enum arch_id arch, unsigned bit)
{
	const uint64_t registers[ARCH_REGISTERS] = { 0 };
	struct synth *synth = synth_create(arch, CRASH_OS_LINUX, false);
	struct opened opened;
	struct described told;
	char number[16];

	synth_thread(synth, 1, registers, 0, NULL, 0);
	open_synth(&opened, synth);
	if (opened.crash.thread_count > 0) {
		const struct place place = opened.crash.threads[0].context.place;

		/* In the word of the flags the processor's bits stay. */
		for (size_t at = 0; at + 4 <= place.length; at += 4)
			opened.bytes[place.offset + at + bit / 8] |= (uint8_t)(1u << bit % 8);
		describe_again(&opened, &told);
		/* A bit without a name is the number at the end. */
		snprintf(number, sizeof(number), "%#x", 1u << bit);
		for (size_t i = 0; i < told.count; i++) {
			const char *note = told.values[i].note, *last = strrchr(note, ' ');

			if (note[0] != '\0' && strchr(told.values[i].path, '[') == NULL &&
			    strcmp(last != NULL ? last + 1 : note, number) != 0) {
				char heading[400];

				snprintf(heading, sizeof(heading), "%s %s", arch_by_id(arch)->name,
					 told.values[i].path);
				add(heading, "bit %u %s", bit, note);
			}
		}
		described_free(&told);
	}
	close_synth(&opened);
}

static void
write_all_context_bits(void)
{
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++)
		for (unsigned bit = 0; bit < 32; bit++)
			write_context_bits(arch, bit);
}

/* The place of each register in contexts of dumps and in the status of a core's thread. */
static void
write_registers(const char *what, const struct context_layout *layout)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = layout != NULL ? context_registers(layout->fields, registers) : 0;
	const struct arch *arch = layout != NULL ? arch_by_id(layout->arch) : NULL;
	char heading[100], place[32];

	for (size_t i = 0; i < count; i++) {
		const char *name = arch->registers[registers[i].number].name;

		snprintf(heading, sizeof(heading), "registers of %s %s", what, layout->name);
		add(heading, "%u=%s %s", registers[i].number, name != NULL ? name : "",
		    place_of(heading, registers[i].offset, registers[i].size, place));
	}
}

static void
write_structure(const char *what, const struct structure *structure)
{
	char heading[100];

	if (structure == NULL)
		return;
	snprintf(heading, sizeof(heading), "%s, %u bytes", what, (unsigned)structure->size);
	for (size_t i = 0; i < structure->count; i++)
		add(heading, "%s %u+%u*%u", structure->rows[i].name, structure->rows[i].offset,
		    structure->rows[i].size, structure->rows[i].count);
}

/* Parts of contexts that cores have in notes, and the layouts of those notes. */
static void
write_floats(const char *layout)
{
	const struct core_floats *row;

	for (size_t at = 0; (row = core_floats_of(layout, &at)) != NULL; at++) {
		char heading[200];

		snprintf(heading, sizeof(heading), "%s, note %u of %u bytes, flag %x", layout,
			 row->note, row->size, row->flag);
		for (size_t i = 0; i < ARRAY_COUNT(row->parts); i++)
			add(heading, "%u=%u+%u", row->parts[i].context, row->parts[i].note,
			    row->parts[i].size);
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
		write_structure(contexts[i].name, contexts[i].fields);
		write_floats(contexts[i].name);
	}
	write_structure("FXSAVE", &context_fxsave);
	for (unsigned wide = 0; wide < 2; wide++) {
		write_structure("ELF header", &core_header_structures[wide]);
		write_structure("program header", &core_segment_structures[wide]);
	}
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++)
		for (uint32_t note = CORE_STREAMS; note < CORE_STREAMS + 64; note++) {
			const struct structure *const *form =
				core_float_forms(arch_by_id(arch), note);

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
		write_registers("context", context_layout_named(layouts[i]));
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++) {
		const struct core_abi *abi = core_abi(arch_by_id(arch));
		const unsigned word = arch_by_id(arch)->word_size;

		write_registers(arch_by_id(arch)->name,
				core_context_layout(arch_by_id(arch), word));
		if (abi != NULL)
			add("cores: size of the status, narrow ids, flags of the header, parts",
			    "%s %u %d %x %x", arch_by_id(arch)->name, abi->status_size,
			    abi->narrow_ids, abi->header_flags, abi->context_parts);
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

		core = (struct corefile){ .machine = machines[i].machine,
					  .wide = machines[i].wide,
					  .big_endian = machines[i].big_endian };
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
			snprintf(name, sizeof(name), "%s %s %zu", crash.system.arch->name,
				 crash.streams[stream].name, stream);
			write_layout(name, &told, &crash.streams[stream], &crash);
			described_free(&told);
		}
		crash_free(&crash);
	}
}

/* The reason of a crash, by the numbers of its exception: a paragraph for each kind of fault. */
static void
write_reason(const char *system, enum arch_id arch, enum crash_os os, uint32_t code,
	     uint32_t flags, uint64_t full)
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
	if ((strstr(cause->text, " / 0x") == NULL || cause->note != NULL) &&
	    strstr(cause->text, "TYPE_unknown") == NULL) {
		snprintf(heading, sizeof(heading), "%s, fault %d, address %d", system,
			 (int)cause->fault, (int)cause->address);
		if (full != 0)
			snprintf(number, sizeof(number), "/%llx", (unsigned long long)full);
		snprintf(key, sizeof(key), "%x/%x%s", code, flags, number);
		/* The number in the reason of macOS is that of the flags. */
		add_reason(heading, key, flags, opened.crash.reason, cause->text,
			   cause->note != NULL ? cause->note : "");
	}
	close_synth(&opened);
}

/* Large codes of macOS, for each processor; and signals. */
static void
write_mac_codes(void)
{
	static const enum arch_id processors[] = { ARCH_X86, ARCH_AMD64, ARCH_ARM, ARCH_ARM64,
						   ARCH_PPC, ARCH_PPC64 };
	static const uint32_t firsts[] = { 0x100, 0x10000, 0x10100, 48, 0xdeadc0dc };

	for (size_t i = 0; i < ARRAY_COUNT(processors); i++) {
		char system[40];

		snprintf(system, sizeof(system), "macOS of %s", arch_by_id(processors[i])->name);
		for (uint32_t code = 1; code < 7; code++)
			for (uint32_t step = 0; step < 8 * ARRAY_COUNT(firsts); step++)
				write_reason(system, processors[i], CRASH_OS_MAC, code,
					     firsts[step / 8] + step % 8, 0);
	}
	for (uint32_t signal = 0; signal < 34; signal++)
		write_reason("macOS, signals", ARCH_AMD64, CRASH_OS_MAC, 10,
			     signal << 24 | 1 << 20 | 0x1234, 0);
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
		{ "Linux", ARCH_AMD64, CRASH_OS_LINUX, 34, 10 },
		{ "Linux of mips", ARCH_MIPS, CRASH_OS_LINUX, 34, 4 },
		{ "Linux of sparc", ARCH_SPARC, CRASH_OS_LINUX, 34, 4 },
		{ "macOS", ARCH_AMD64, CRASH_OS_MAC, 16, 16 },
		{ "macOS of arm64", ARCH_ARM64, CRASH_OS_MAC, 16, 16 },
		{ "macOS of x86", ARCH_X86, CRASH_OS_MAC, 8, 8 },
		{ "macOS of ppc", ARCH_PPC, CRASH_OS_MAC, 12, 12 },
		{ "Solaris", ARCH_SPARC, CRASH_OS_SOLARIS, 42, 4 },
		{ "Fuchsia", ARCH_AMD64, CRASH_OS_FUCHSIA, 12, 1 },
		{ "PlayStation 3", ARCH_PPC64, CRASH_OS_PS3, 24, 1 },
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
	/*
	 * macOS: guards and resources (mach/exception_types.h, kern/exc_guard.h,
	 * kern/exc_resource.h).
	 */
	for (uint32_t kind = 0; kind < 8; kind++) {
		for (uint32_t bit = 0; bit < 20; bit++)
			write_reason("macOS, guards", ARCH_AMD64, CRASH_OS_MAC, 12, kind << 29 | 1u << bit, 0);
		for (uint64_t flavor = 0; flavor < 8; flavor++)
			write_reason("macOS, resources", ARCH_AMD64, CRASH_OS_MAC, 11, kind << 29,
				     flavor << 58 | 0x123456789);
	}
}

/* The address of exceptions and their first parameter, if no other ones are in the key. */
#define WINDOWS_ADDRESS UINT64_C(0xffffffff00000099)
#define CXX_MAGIC 0x19930520u

/* An exception of Windows with its parameters. */
static void
write_windows(enum arch_id arch, uint32_t code, unsigned count, uint64_t first, uint64_t second,
	      uint64_t third)
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
	char heading[100], key[64], address[32] = "";
	/* Leave out the many codes of facilities without names. */
	if (strncmp(cause->text, "unknown", 7) != 0 || code >= 0xf0000000) {
		snprintf(heading, sizeof(heading),
			 "Windows of %s, %u parameters, fault %d, access %d, address %d",
			 arch_by_id(arch)->name, count, (int)cause->fault, (int)cause->access,
			 (int)cause->address);
		if (opened.crash.reason_address != WINDOWS_ADDRESS)
			snprintf(address, sizeof(address), " %llx",
				 (unsigned long long)opened.crash.reason_address);
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
		0x0, 0x5, 0x6ba, 0x40010005, 0x40010006, 0x4001000a, 0x40080201, 0x40080202,
		0x406d1388, 0x80000001, 0x80000002, 0x80000003, 0x80000004, 0xc0000005, 0xc0000006,
		0xc0000008, 0xc000001d, 0xc0000025, 0xc0000026, 0xc000008c, 0xc000008d, 0xc000008e,
		0xc000008f, 0xc0000090, 0xc0000091, 0xc0000092, 0xc0000093, 0xc0000094, 0xc0000095,
		0xc0000096, 0xc0000097, 0xc00000fd, 0xc00000ff, 0xc0000194, 0xc000027b, 0xc0000374,
		0xc0000409, 0xc0000420, 0xc0000602, 0xe0000008, 0xe0434352, 0xe0434f4d, 0xe06d7363,
		0xe073616e, 0xe24c4a02, 0x0517a7ed, 0x0eedfade, 0x20474343, 0xf0000001,
	};

	for (size_t i = 0; i < ARRAY_COUNT(codes); i++)
		for (unsigned count = 0; count <= 3; count += 3)
			write_windows(ARCH_AMD64, codes[i], count, CXX_MAGIC, 0x1234, 0xc0000022);
	static const uint64_t kinds[] = { 0, 1, 2, 8 };
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const uint64_t kind = kinds[i];

		write_windows(ARCH_X86, 0xc0000005, 2, kind, 0x1234, 0);
		write_windows(ARCH_AMD64, 0xc0000005, 2, kind, UINT64_MAX, 0);
		write_windows(ARCH_AMD64, 0xc0000006, 3, kind, 0x1234,
			      kind == 0 ? 0x1234 : 0xc000000e);
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

		open_synth(&opened, synth);
		opened.bytes[24 + bit / 8] |= (uint8_t)(1u << bit % 8);
		open_again(&opened);
		const struct describe_sink sink = described_sink(&told);
		describe_header(&opened.crash, &sink);
		for (size_t i = 0; i < told.count; i++)
			if (strcmp(told.values[i].path, "flags") == 0)
				add("header flags", "bit %u %s", bit, told.values[i].note);
		described_free(&told);
		close_synth(&opened);
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
	write_all_context_bits();
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
