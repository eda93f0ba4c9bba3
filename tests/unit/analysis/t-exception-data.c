/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data to which the parameters of Windows exceptions point. tests/pe/thrown.cpp is the source of the programs that throw; the
 * compiler wrote the type information. The addresses are those of the public symbols that llvm-pdbutil prints. */
#include "analysis/analysis.h"
#include "tests/lib/bytes.h"
#include "tests/unit/walk/scene.h"

#define LINKED 0x10000000u
#define MOVED 0x20000000u	/* a base that differs from the linker's */
#define OBJECT 0x9000u
#define MESSAGE 0x9100u
#define INFO 0x9200u

/* The source of the type information. */
enum origin { IN_DUMP, IN_FILE, IN_PDB, NOWHERE };

static const struct throwing_program {
	enum arch_id arch;
	const char *library, *pdb;
	unsigned word;
	uint32_t number, text, failed;	/* offsets of each type's throw info */
	uint32_t rdata, rdata_size, data, data_size;	/* sections: llvm-readobj */
} programs[] = {
	{ ARCH_X86, "thrown-x86.dll", "thrown-x86.pdb.xz", 4, 0x21d4, 0x2238, 0x22bc, 0x2000, 0x2cc, 0x3000, 0x8c },
	{ ARCH_AMD64, "thrown-amd64.dll", "thrown-amd64.pdb.xz", 8, 0x21f8, 0x2260, 0x22e0, 0x2000, 0x2f0, 0x3000, 0xe8 },
};

struct example {
	const struct throwing_program *program;
	enum origin origin;
	uint64_t base;
	uint32_t code;
	uint32_t count;
	uint64_t parameters[4];
	bool no_object;
};

/* The findings of a crash as text: a line for each finding, followed by its evidence, with '-'. */
struct told {
	char text[2000];
	char names[64];
	unsigned confidence;		/* the first finding's */
};

static const char *
in_tests(char path[500], const char *name)
{
	const char *source = getenv("srcdir");

	snprintf(path, 500, "%s/tests/pe/%s", source != NULL ? source : ".", name);
	return path;
}

/* The sections of the library, as linked. */
static void
add_sections(struct synth *synth, const struct binary *binary, const struct throwing_program *program)
{
	const struct { uint32_t rva, size; } parts[] = {
		{ program->rdata, program->rdata_size }, { program->data, program->data_size },
	};

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const struct binary_section *section = binary_section_at(binary, parts[i].rva);
		synth_memory(synth, LINKED + parts[i].rva, section->data, parts[i].size, false);
	}
}

static void
tell(const struct analysis *analysis, struct told *told)
{
	size_t used = 0, named = 0;

	*told = (struct told){ .text = "",
			       .confidence = analysis->finding_count > 0 ? analysis->findings[0].confidence : 0 };
	for (size_t i = 0; i < analysis->finding_count; i++) {
		const struct finding *finding = &analysis->findings[i];

		named += (size_t)snprintf(told->names + named, sizeof(told->names) - named, "%s ", finding_words[finding->kind].name);
		used += (size_t)snprintf(told->text + used, sizeof(told->text) - used, "%s\n", finding->text);
		for (size_t j = 0; j < finding->evidence_count; j++)
			used += (size_t)snprintf(told->text + used, sizeof(told->text) - used, "- %s\n", finding->evidence[j]);
	}
}

/* An exception object: a pointer to its functions, then one to the message. */
static void
add_object(struct synth *synth, unsigned word)
{
	uint8_t object[16] = { 0 };

	put_le(object, 0x10002000, word);
	put_le(object + word, MESSAGE, word);
	synth_memory(synth, OBJECT, object, sizeof(object), false);
	synth_memory(synth, MESSAGE, "no seats left\033", 15, false);
}

static void
explain(const struct example *example, void (*more)(struct synth *synth, unsigned word), bool redacted, struct told *told)
{
	const struct throwing_program *program = example->program;
	const struct arch *arch = arch_by_id(program->arch);
	struct synth *synth = synth_create(program->arch, CRASH_OS_WINDOWS, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	char library[500], pdb[500];
	struct error error = { 0 };
	struct binary *binary;
	struct crash crash;
	size_t size;

	if (binary_open(&binary, in_tests(library, program->library), &error) != ERROR_NONE) {
		tap_diag("%s", error.text);
		exit(1);
	}
	registers[arch->pc] = example->base + 0x1000;
	registers[arch->sp] = 0x8000;
	synth_module(synth, example->base, 0x5000, program->library, "thrown.pdb", binary->debug_id);
	synth_module_version(synth, 0, 0, (uint32_t)strtoul((char[9]){ binary->id[0],
		binary->id[1], binary->id[2], binary->id[3], binary->id[4], binary->id[5], binary->id[6], binary->id[7], 0 }, NULL, 16));
	synth_thread(synth, 1, registers, 0x8000, (uint8_t[64]){ 0 }, 64);
	synth_exception(synth, 1, example->code, 1, example->base + 0x1000);
	for (uint32_t i = 0; i < example->count; i++)
		synth_parameter(synth, example->parameters[i]);
	if (example->origin == IN_DUMP)
		add_sections(synth, binary, program);
	if (!example->no_object)
		add_object(synth, program->word);
	if (more != NULL)
		more(synth, program->word);
	uint8_t *bytes = synth_finish(synth, &size);
	synth_free(synth);
	binary_close(binary);
	if (dump_from_memory(&crash, "thrown.dmp", bytes, size, 0, &error) != ERROR_NONE) {
		tap_diag("%s", error.text);
		exit(1);
	}
	crash.redacted = redacted;
	in_tests(pdb, program->pdb);
	const char *place = example->origin == IN_FILE ? library : pdb;
	struct binaries *binaries = binaries_create(&crash, &place, example->origin == IN_FILE || example->origin == IN_PDB);
	struct analysis *analysis = analysis_create(&crash, NULL, binaries, NULL);
	tell(analysis, told);
	analysis_free(analysis);
	binaries_free(binaries);
	crash_free(&crash);
	free(bytes);
}

static struct example
thrown(const struct throwing_program *program, enum origin origin, uint64_t base, uint32_t info)
{
	return (struct example){ program, origin, base, 0xe06d7363, program->word == 8 ? 4 : 3,
				 { 0x19930520, OBJECT, base + info, base }, false };
}

static void
test_types(void)
{
	static const struct {
		enum origin origin;
		uint64_t base;
		const char *title;
	} ways[] = {
		{ IN_DUMP, LINKED, "in the dump" }, { IN_FILE, LINKED, "in the program's file" },
		{ IN_FILE, MOVED, "in the file of a program that was moved" }, { IN_PDB, MOVED, "in the names of the PDB" },
	};
	struct told told;

	for (size_t i = 0; i < ARRAY_COUNT(programs) * ARRAY_COUNT(ways); i++) {
		const struct throwing_program *program = &programs[i / ARRAY_COUNT(ways)];
		const size_t way = i % ARRAY_COUNT(ways);
		const enum origin origin = ways[way].origin;
		struct example example = thrown(program, origin, ways[way].base, program->number);

		explain(&example, NULL, false, &told);
		ok(strncmp(told.text, "a C++ exception of type int was thrown\n", 39) == 0,
		   "a number that was thrown is %s (%s)", ways[way].title, program->library);
		example = thrown(program, origin, ways[way].base, program->text);
		explain(&example, NULL, false, &told);
		ok(strncmp(told.text, origin == IN_PDB ? "a C++ exception of type char * was thrown\n- the PDB has"
				: "a C++ exception of type char * was thrown\n"
				  "- it is also caught as void *\n", 54) == 0,
		   "a pointer that was thrown is %s (%s)", ways[way].title, program->library);
		example = thrown(program, origin, ways[way].base, program->failed);
		explain(&example, NULL, false, &told);
		if (origin == IN_PDB)
			ok(strstr(told.text, "of type app::failed<long> was thrown\n- the PDB has "
					     "the name of its throw info at 0x2000") != NULL,
			   "a PDB gives the class of the object by its throw info");
		else
			is_str(told.text, "a C++ exception of type app::failed<long> was thrown\n"
			       "- it is also caught as std::runtime_error, std::exception\n"
			       "- its what() is \"no seats left\\x1b\", if the object is laid out as Visual C++ does\n",
			       "the class, its bases and its message are read");
	}
}

/* Data that is missing, malformed or must not be shown. */
static void
test_missing(void)
{
	struct told told;

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
		const struct throwing_program *program = &programs[i];
		struct example example = thrown(program, NOWHERE, MOVED, program->failed);

		explain(&example, NULL, false, &told);
		ok(strstr(told.text, "of unknown type was thrown\n- the type information at 0x2000")
		   != NULL, "missing type information is reported (%s)", program->library);
		example = thrown(program, IN_FILE, MOVED, program->failed);
		example.no_object = true;
		explain(&example, NULL, false, &told);
		ok(strstr(told.text, "- the object at 0x9000 is not in the dump") != NULL, "a missing object is reported");
		example.no_object = false;
		explain(&example, NULL, true, &told);
		ok(strstr(told.text, "seats") == NULL && strstr(told.text, "(redacted)") != NULL,
		   "a message is left out if memory is redacted");
		example = thrown(program, IN_FILE, MOVED, program->failed + 4);
		explain(&example, NULL, false, &told);
		ok(strstr(told.text, "unknown type") != NULL && strstr(told.text, "std::") == NULL,
		   "an address next to the type information gives no type");
		example = thrown(program, IN_FILE, MOVED, program->failed);
		example.parameters[0] = 0x19930523;
		explain(&example, NULL, false, &told);
		is_str(told.names, "", "with another magic number nothing is reported");
		example = thrown(program, IN_FILE, MOVED, 0);
		example.parameters[1] = example.parameters[2] = 0;
		explain(&example, NULL, false, &told);
		ok(strstr(told.text, "was thrown again by 'throw;'") != NULL, "an exception that is thrown again has no type");
	}
	struct example example = thrown(&programs[1], IN_FILE, MOVED, programs[1].failed);
	example.parameters[3] += 0x1000;
	explain(&example, NULL, false, &told);
	ok(strstr(told.text, "unknown type") != NULL &&
	   strstr(told.text, "no module is loaded at its image base 0x20001000") != NULL,
	   "an image base without a module is reported");
	is_u64(told.confidence, 75, "a C++ exception without its module is only likely");
	example.count = 3;
	explain(&example, NULL, false, &told);
	is_str(told.names, "", "a C++ exception of 64 bits without an image base is no finding");
}

/* DelayLoadInfo: its size, two pointers, the library, whether the function has a name, the name or
 * ordinal, two more pointers, the last error. */
static void
add_delay_info(struct synth *synth, unsigned word, bool named)
{
	uint8_t info[72] = { 0 };
	const unsigned size = word == 8 ? 72 : 36;

	put_le(info, size, 4);
	put_le(info + 3 * word, MESSAGE + 0x40, word);
	put_le(info + 4 * word, named, 4);
	put_le(info + 5 * word, named ? MESSAGE + 0x50 : 0x70007, word);
	put_le(info + 8 * word, 126, 4);
	synth_memory(synth, INFO, info, size, false);
	synth_memory(synth, MESSAGE + 0x40, "seats.dll\0......find_seat", 26, false);
}

static void
add_named(struct synth *synth, unsigned word)
{
	add_delay_info(synth, word, true);
}

/* The low bytes of the size are right, its highest byte is 1. */
static void
add_huge(struct synth *synth, unsigned word)
{
	uint8_t info[72] = { 0 };

	put_le(info, (word == 8 ? 72 : 36) | 0x1000000u, 4);
	put_le(info + 3 * word, MESSAGE + 0x40, word);
	synth_memory(synth, INFO, info, sizeof(info), false);
	synth_memory(synth, MESSAGE + 0x40, "seats.dll\0", 11, false);
}

static void
add_numbered(struct synth *synth, unsigned word)
{
	add_delay_info(synth, word, false);
}

static void
test_delay_load(void)
{
	struct told told;

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
		struct example example = { &programs[i], NOWHERE, MOVED, 0xc06d007e, 1,
					   { INFO },	 false };

		explain(&example, add_named, false, &told);
		is_str(told.text, "the library seats.dll could not be loaded when it was needed\n"
		       "- find_seat was called\n- the last error is 126 (ERROR_MOD_NOT_FOUND)\n",
		       "a library that is missing is named (%s)", programs[i].library);
		is_u64(told.confidence, 95, "a missing library is very likely");
		example.code = 0xc06d007f;
		explain(&example, add_named, false, &told);
		ok(strstr(told.text, "the library seats.dll was loaded and has no find_seat\n") ==
		   told.text, "a function that the library lacks is named");
		explain(&example, add_numbered, false, &told);
		ok(strstr(told.text, "has no ordinal 458759\n") != NULL, "an ordinal that the library lacks is named");
		explain(&example, add_huge, false, &told);
		is_str(told.names, "", "all four bytes of the size of DelayLoadInfo count");
		example.parameters[0]++;
		explain(&example, add_named, false, &told);
		is_str(told.names, "", "DelayLoadInfo of another size is not read");
		example.parameters[0] = 0x12345;
		explain(&example, add_named, false, &told);
		is_str(told.names, "", "DelayLoadInfo outside of the dump gives no finding");
	}
}

static void
add_name(struct synth *synth, unsigned word)
{
	(void)word;
	synth_memory(synth, INFO, "worker\n", 8, false);
}

static void
test_naming(void)
{
	struct example example = { &programs[1], NOWHERE, MOVED, 0x406d1388, 3,
				   { 0x1000, INFO, 0x77 }, false };
	struct told told;

	explain(&example, add_name, false, &told);
	is_str(told.text, "thread 0x77 was named \"worker\\x0a\"\n- debuggers take this exception; a program "
	       "ignores it\n", "the name of a thread is reported with escaped control characters");
	is_u64(told.confidence, 95, "a named thread is very likely");
	example.parameters[2] = UINT32_MAX;
	explain(&example, add_name, false, &told);
	ok(strstr(told.text, "the thread named itself \"worker") == told.text, "a thread that names itself is reported");
	is_u64(told.confidence, 95, "a thread that names itself is very likely");
	example.parameters[0] = 0x1001;
	explain(&example, add_name, false, &told);
	is_str(told.names, "", "another type in THREADNAME_INFO gives no finding");
}

/* Type information made by hand in the memory of a module at LINKED (ehdata.h): a throw info with its array of types at 0x4020;
 * each type is at 0x4100 + 0x40 * its number, its name 0x1000 bytes higher. */
#define THROW_INFO 0x4000u
#define MOST_NAMES 34

static const struct laid_out {
	const char *title;
	uint32_t count;			/* in the array, as it claims */
	const char *names[MOST_NAMES];
	uint32_t offset, indirect;	/* fields of the last type */
	uint64_t message;		/* the address in the object */
	bool no_array;
	const char *told;
} laid_out[] = {
	{ "a class", 1, { ".?AVa@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n" },
	{ "a class in a namespace", 1, { ".?AVa@b@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of type b::a was thrown\n" },
	{ "a name without its point", 1, { "?AVa@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of unknown "
	  "type was thrown\n- the data at 0x10004000 are not type information\n" },
	{ "a name with an invalid letter", 1, { ".?AVa\x7f@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of "
	  "unknown type was thrown\n- the data at 0x10004000 are not type information\n" },
	{ "a name with a control", 1, { ".?AVa\x1f@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of unknown "
	  "type was thrown\n- the data at 0x10004000 are not type information\n" },
	{ "an invalid type before a valid one", 2, { ".?AV", ".?AVb@@" }, 0, UINT32_MAX, 0, false,
	  "a C++ exception of unknown type was thrown\n- the data at 0x10004000 are not type information\n" },
	{ "nine types", 9, { ".?AVa@@", ".?AVb@@", ".?AVc@@", ".?AVd@@", ".?AVe@@", ".?AVf@@", ".?AVg@@", ".?AVh@@", ".?AVi@@" }, 0,
	  UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n- it is also caught as b, c, d, e, f, g, h, i\n" },
	{ "ten types", 10, { ".?AVa@@", ".?AVb@@", ".?AVc@@", ".?AVd@@", ".?AVe@@", ".?AVf@@", ".?AVg@@", ".?AVh@@", ".?AVi@@", ".?AVj@@"
	  }, 0, UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n- it is also caught as b, c, d, e, f, g, h, i and more\n" },
	{ "a type of two that is no type", 2, { ".?AVa@@", "?AVb@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n" },
	{ "more types than there are", 3, { ".?AVa@@", ".?AVb@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n- it "
	  "is also caught as b\n- the type information at 0x10004184 is neither in the dump nor in a file of its module\n" },
	{ "no types", 0, { NULL }, 0, UINT32_MAX, 0, false, "a C++ exception of unknown type was thrown\n- the "
	  "data at 0x10004000 are not type information\n" },
	{ "a missing array", 1, { ".?AVa@@" }, 0, UINT32_MAX, 0, true, "a C++ exception of unknown type was thrown\n- the type "
	  "information at 0x10006000 is neither in the dump nor in a file of its module (--binaries DIR)\n" },
	{ "an exception with a message", 2, { ".?AVa@@", ".?AVexception@std@@" }, 0, UINT32_MAX, MESSAGE, false,
	  "a C++ exception of type a was thrown\n- it is also caught as std::exception\n- its what() is \"no seats left\\x1b\", if the object is laid out as Visual C++ does\n"
	  },
	{ "one without", 2, { ".?AVa@@", ".?AVexception@std@@" }, 0, UINT32_MAX, 0, false, "a C++ exception of type a was thrown\n- it is "
	  "also caught as std::exception\n- it has no text for what()\n" },
	{ "an exception whose message is missing", 2, { ".?AVa@@", ".?AVexception@std@@" }, 0, UINT32_MAX, 0x12340, false,
	  "a C++ exception of type a was thrown\n- it is also caught as std::exception\n- its what(), at 0x12340, is not in the dump\n" },
	/* The base begins 16 bytes before the object, so its second word is the one just before the object. */
	{ "a base class before the object", 2, { ".?AVa@@", ".?AVexception@std@@" }, 0u - 16, UINT32_MAX, MESSAGE, false,
	  "a C++ exception of type a was thrown\n- it is also caught as std::exception\n- the object at 0x9000 is not in the dump\n" },
	{ "a virtual base class", 2, { ".?AVa@@", ".?AVexception@std@@" }, 0, 0, MESSAGE, false,
	  "a C++ exception of type a was thrown\n- it is also caught as std::exception\n" },
};
static const struct laid_out *laid;

static void
add_laid_out(struct synth *synth, unsigned word)
{
	uint8_t info[0x100] = { 0 }, object[16] = { 0 };

	put_le(info + 12, laid->no_array ? 0x6000 : 0x4020, 4);
	put_le(info + 0x20, laid->count, 4);
	for (uint32_t i = 0; i < MOST_NAMES; i++)
		put_le(info + 0x24 + 4 * i, 0x4100 + 0x40 * i, 4);
	synth_memory(synth, LINKED + THROW_INFO, info, sizeof(info), false);
	for (uint32_t i = 0; i < MOST_NAMES && laid->names[i] != NULL; i++) {
		const bool last = i + 1 == MOST_NAMES || laid->names[i + 1] == NULL;
		uint8_t type[0x20] = { 0 }, name[0x40] = { 0 };

		put_le(type + 4, 0x5100 + 0x40 * i - 2 * word, 4);
		put_le(type + 8, last ? laid->offset : 0, 4);
		put_le(type + 12, last ? laid->indirect : UINT32_MAX, 4);
		synth_memory(synth, LINKED + 0x4100 + 0x40 * i, type, sizeof(type), false);
		snprintf((char *)name, sizeof(name), "%s", laid->names[i]);
		synth_memory(synth, LINKED + 0x5100 + 0x40 * i, name, sizeof(name), false);
	}
	put_le(object + word, laid->message, word);
	synth_memory(synth, OBJECT, object, sizeof(object), false);
	synth_memory(synth, MESSAGE, "no seats left\033", 15, false);
}

static void
test_laid_out(void)
{
	struct told told;

	for (size_t i = 0; i < ARRAY_COUNT(laid_out); i++) {
		struct example example = thrown(&programs[1], NOWHERE, LINKED, THROW_INFO);
		laid = &laid_out[i];
		example.no_object = true;
		explain(&example, add_laid_out, false, &told);
		is_str(told.text, laid->told, "%s: the type is reported", laid->title);
		is_u64(told.confidence, 95, "%s: the type is very likely", laid->title);
	}
	laid = &laid_out[0];
	for (uint32_t magic = 0x1993051f; magic <= 0x19930523; magic++) {
		struct example example = thrown(&programs[1], NOWHERE, LINKED, THROW_INFO);
		example.no_object = true;
		example.parameters[0] = magic;
		explain(&example, add_laid_out, false, &told);
		is_str(told.text, magic >= 0x19930520 && magic <= 0x19930522 ? laid->told : "",
		       "for magic number 0x%x the type is reported, or nothing", magic);
	}
}

int
main(void)
{
	test_types();
	test_missing();
	test_laid_out();
	test_delay_load();
	test_naming();
	return done_testing();
}
