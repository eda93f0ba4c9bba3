/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Crashes made to order, and what a person who reads instructions would say of them.
 */
#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "code/instruction.h"
#include "tests/unit/walk/scene.h"

#define MAPS								\
	"00400000-00401000 r-xp 00000000 00:00 0 /bin/a\n"		\
	"00600000-00601000 rw-p 00000000 00:00 0 /bin/a\n"		\
	"07000000-07001000 ---p 00000000 00:00 0 \n"			\
	"07001000-07010000 rw-p 00000000 00:00 0 [stack]\n"		\
	"08000000-08010000 rwxp 00000000 00:00 0 [stack:2]\n"

static const struct example {
	const char *title;
	enum arch_id arch;
	enum crash_os os;
	const char *registers;
	const char *maps;
	uint64_t code_at;
	const char *code;		/* bytes in hexadecimal */
	uint32_t signal, flags;
	uint64_t address;
	unsigned parameter_count;
	uint64_t parameters[2];
	const char *text;		/* of the instruction; NULL: none */
	const char *accesses;		/* "read 4 8 unmapped faulted" and so on, by comma */
	const char *findings;		/* their names, by blank */
	enum analysis_adjustment adjustment;
	uint64_t counts;		/* the address that counts, or the offset */
} examples[] = {
	{ "a null pointer with an offset", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rax=0", MAPS, 0x400100, "8b4008", 11, 1, 8, 0, { 0 },
	  "mov eax, dword ptr [rax + 8]", "read 4 8 unmapped faulted null", "null-pointer",
	  ANALYSIS_NULL_OFFSET, 8 },
	{ "a pointer made of text", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rbx=4141414141414141", MAPS, 0x400100, "488b03", 11, 0x80, 0, 0,
	  { 0 }, "mov rax, qword ptr [rbx]", "read 8 4141414141414141 unmapped faulted",
	  "non-canonical text-pointer", ANALYSIS_NON_CANONICAL, 0x4141414141414141 },
	{ "a pointer from freed memory", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rbx=e5e5e5e5e5e5e5e5", MAPS, 0x400100, "488b4318", 11, 0x80, 0,
	  0, { 0 }, "mov rax, qword ptr [rbx + 0x18]",
	  "read 8 e5e5e5e5e5e5e5fd unmapped faulted", "non-canonical use-after-free",
	  ANALYSIS_NON_CANONICAL, 0xe5e5e5e5e5e5e5fd },
	{ "a call of such a pointer", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rax=dead000000000000", MAPS, 0x400100, "ffd0", 11, 0x80, 0, 0,
	  { 0 }, "call rax", "write 8 70017f8 allowed", "non-canonical", ANALYSIS_NON_CANONICAL,
	  0xdead000000000000 },
	{ "a null pointer that is called", ARCH_AMD64, CRASH_OS_LINUX, "rip=0 rsp=7001800", MAPS,
	  0x400100, "90", 11, 1, 0, 0, { 0 }, NULL, "execute 0 0 unmapped faulted null",
	  "null-call", ANALYSIS_AS_REPORTED, 0 },
	{ "a jump into data", ARCH_AMD64, CRASH_OS_LINUX, "rip=600100 rsp=7001800", MAPS, 0x600100,
	  "90", 11, 2, 0x600100, 0, { 0 }, "nop", "execute 0 600100 denied faulted",
	  "not-executable", ANALYSIS_AS_REPORTED, 0x600100 },
	{ "a jump to nowhere", ARCH_AMD64, CRASH_OS_LINUX, "rip=900100 rsp=7001800", MAPS,
	  0x400100, "90", 11, 1, 0x900100, 0, { 0 }, NULL, "execute 0 900100 unmapped faulted",
	  "bad-call", ANALYSIS_AS_REPORTED, 0x900100 },
	{ "a write to code", ARCH_AMD64, CRASH_OS_LINUX, "rip=400100 rsp=7001800 rax=400010", MAPS,
	  0x400100, "8908", 11, 2, 0x400010, 0, { 0 }, "mov dword ptr [rax], ecx",
	  "write 4 400010 denied faulted", "write-protected", ANALYSIS_AS_REPORTED, 0x400010 },
	{ "a stack that overflows into its guard page", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001000", MAPS, 0x400100, "50", 11, 2, 0x7000ff8, 0, { 0 }, "push rax",
	  "write 8 7000ff8 denied faulted guard", "stack-overflow guard-page",
	  ANALYSIS_AS_REPORTED, 0x7000ff8 },
	{ "a stack that overflows where the kernel keeps a gap", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=8000000",
	  "00400000-00401000 r-xp 00000000 00:00 0 /bin/a\n"
	  "08000000-08010000 rw-p 00000000 00:00 0 [stack]\n", 0x400100, "50", 11, 1, 0x7fffff8, 0,
	  { 0 }, "push rax", "write 8 7fffff8 unmapped faulted", "stack-overflow",
	  ANALYSIS_AS_REPORTED, 0x7fffff8 },
	{ "a divisor of zero", ARCH_AMD64, CRASH_OS_LINUX, "rip=400100 rsp=7001800 rcx=0", MAPS,
	  0x400100, "f7f1", 8, 1, 0x400100, 0, { 0 }, "div ecx", "", "division",
	  ANALYSIS_AS_REPORTED, 0x400100 },
	{ "a division fault without a division", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800", MAPS, 0x400100, "90", 8, 1, 0x400100, 0, { 0 }, "nop", "",
	  "no-division", ANALYSIS_AS_REPORTED, 0x400100 },
	{ "a privileged instruction", ARCH_AMD64, CRASH_OS_WINDOWS, "rip=400100 rsp=7001800", NULL,
	  0x400100, "f4", 0xc0000096, 0, 0x400100, 0, { 0 }, "hlt", "", "", ANALYSIS_AS_REPORTED,
	  0x400100 },
	{ "a privilege fault of an ordinary one", ARCH_AMD64, CRASH_OS_WINDOWS,
	  "rip=400100 rsp=7001800", NULL, 0x400100, "90", 0xc0000096, 0, 0x400100, 0, { 0 }, "nop",
	  "", "no-privilege", ANALYSIS_AS_REPORTED, 0x400100 },
	{ "an access that the map allows", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rbx=600000", MAPS, 0x400100, "8b03", 11, 1, 0x600000, 0, { 0 },
	  "mov eax, dword ptr [rbx]", "read 4 600000 allowed faulted", "allowed-access",
	  ANALYSIS_AS_REPORTED, 0x600000 },
	{ "an address that the instruction doesn't use", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rbx=600000", MAPS, 0x400100, "8b03", 11, 1, 0x900000, 0, { 0 },
	  "mov eax, dword ptr [rbx]", "read 4 600000 allowed", "no-such-access",
	  ANALYSIS_AS_REPORTED, 0x900000 },
	{ "no address, though the instruction's is a good one", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=7001800 rbx=600000", MAPS, 0x400100, "8b03", 11, 0x80, 0, 0, { 0 },
	  "mov eax, dword ptr [rbx]", "read 4 600000 allowed", "false-address",
	  ANALYSIS_NO_ADDRESS, 0 },
	{ "a signal that a process sent", ARCH_AMD64, CRASH_OS_LINUX, "rip=400100 rsp=7001800",
	  MAPS, 0x400100, "90", 6, 0xffffffff, 0x3e800003465, 0, { 0 }, "nop", "",
	  "sent-signal abort", ANALYSIS_NO_ADDRESS, 0x3e800003465 },
	{ "a stack pointer into a file's data", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=600800 rbx=900000", MAPS, 0x400100, "8b03", 11, 1, 0x900000, 0, { 0 },
	  "mov eax, dword ptr [rbx]", "read 4 900000 unmapped faulted", "stack-pointer",
	  ANALYSIS_AS_REPORTED, 0x900000 },
	{ "a stack that may be executed", ARCH_AMD64, CRASH_OS_LINUX,
	  "rip=400100 rsp=8000800 rbx=900000", MAPS, 0x400100, "8b03", 11, 1, 0x900000, 0, { 0 },
	  "mov eax, dword ptr [rbx]", "read 4 900000 unmapped faulted", "executable-stack",
	  ANALYSIS_AS_REPORTED, 0x900000 },
	{ "nothing special", ARCH_AMD64, CRASH_OS_LINUX, "rip=400100 rsp=7001800 rbx=900000", MAPS,
	  0x400100, "8b03", 11, 1, 0x900000, 0, { 0 }, "mov eax, dword ptr [rbx]",
	  "read 4 900000 unmapped faulted", "", ANALYSIS_AS_REPORTED, 0x900000 },
	{ "a pointer that was never set", ARCH_X86, CRASH_OS_WINDOWS,
	  "eip=400100 esp=7001800 ecx=cdcdcdcd", NULL, 0x400100, "8b4104", 0xc0000005, 0, 0x400100,
	  2, { 0, 0xcdcdcdd1 }, "mov eax, dword ptr [ecx + 4]", "read 4 cdcdcdd1 unknown faulted",
	  "poison", ANALYSIS_AS_REPORTED, 0xcdcdcdd1 },
	{ "execution that Windows tells of", ARCH_X86, CRASH_OS_WINDOWS, "eip=45 esp=7001800", NULL,
	  0x400100, "90", 0xc0000005, 0, 0x45, 2, { 8, 0x45 }, NULL, "execute 0 45 unknown faulted",
	  "null-call", ANALYSIS_AS_REPORTED, 0x45 },
	{ "a stack overflow that Windows tells of", ARCH_X86, CRASH_OS_WINDOWS,
	  "eip=400100 esp=7001000", NULL, 0x400100, "50", 0xc00000fd, 0, 0x400100, 2,
	  { 1, 0x7000ffc }, "push eax", "write 4 7000ffc unknown", "stack-overflow",
	  ANALYSIS_AS_REPORTED, 0x400100 },
	{ "a writer that stores no address", ARCH_ARM64, CRASH_OS_LINUX,
	  "pc=400100 sp=7001800 x0=8", MAPS, 0x400100, "010000b9", 11, 0, 0, 0, { 0 },
	  "str w1, [x0]", "write 4 8 unmapped faulted", "null-pointer", ANALYSIS_NULL_OFFSET, 8 },
	{ "the same with an address that means something", ARCH_ARM64, CRASH_OS_LINUX,
	  "pc=400100 sp=7001800 x0=900000", MAPS, 0x400100, "010000b9", 11, 0, 0, 0, { 0 },
	  "str w1, [x0]", "write 4 900000 unmapped faulted", "", ANALYSIS_OF_INSTRUCTION,
	  0x900000 },
};

static const struct example *current;

static size_t
unhex(const char *text, uint8_t *bytes)
{
	size_t count = 0;
	unsigned byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		bytes[count++] = (uint8_t)byte;
	return count;
}

static void
add_example(struct synth *synth)
{
	uint8_t code[16];
	size_t size = unhex(current->code, code);

	synth_exception(synth, 1, current->signal, current->flags, current->address);
	for (unsigned i = 0; i < current->parameter_count; i++)
		synth_parameter(synth, current->parameters[i]);
	synth_memory(synth, current->code_at, code, size, false);
	if (current->maps != NULL)
		synth_stream(synth, 0x47670009, current->maps, strlen(current->maps));
}

static const char *
accesses_text(const struct analysis *analysis, char *buffer, size_t size)
{
	static const char *const permissions[] = { "unknown", "allowed", "denied", "unmapped" };
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->instruction.access_count; i++) {
		const struct analysis_access *access = &analysis->instruction.accesses[i];

		used += (size_t)snprintf(buffer + used, size - used, "%s%s %u %" PRIx64 " %s%s%s%s",
					 i > 0 ? ", " : "", analysis_access_names[access->kind],
					 access->size, access->address,
					 permissions[access->permission],
					 access->faulted ? " faulted" : "",
					 access->guard_page ? " guard" : "",
					 access->null_pointer ? " null" : "");
	}
	return buffer;
}

static const char *
findings_text(const struct analysis *analysis, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->finding_count; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i > 0 ? " " : "",
					 finding_words[analysis->findings[i].kind].name);
	return buffer;
}

static void
test_examples(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
		const struct example *example = &examples[i];
		const struct scene scene = { .arch = example->arch, .os = example->os,
					     .registers = example->registers,
					     .more = add_example };
		struct staged staged;
		char text[400];

		current = example;
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL);
		bool decoded = analysis->instruction.present;
		uint64_t counts = analysis->adjustment == ANALYSIS_NULL_OFFSET ? analysis->offset
				  : analysis->adjustment == ANALYSIS_NON_CANONICAL ||
						  analysis->adjustment == ANALYSIS_OF_INSTRUCTION
					  ? analysis->adjusted
					  : analysis->address;
		if (instruction_unsupported(analysis->arch) != NULL) {
			skip(5, "no disassembler: %s", example->title);
		} else {
			is_str(findings_text(analysis, text, sizeof(text)), example->findings,
			       "%s is found", example->title);
			is_str(decoded ? analysis->instruction.text : NULL, example->text,
			       "its instruction is read");
			is_str(accesses_text(analysis, text, sizeof(text)), example->accesses,
			       "with its accesses");
			is_u64(analysis->adjustment, example->adjustment, "its address is judged");
			is_u64(counts, example->counts, "and told");
		}
		analysis_free(analysis);
		scene_close(&staged);
	}
}

/* Bit 38 of rbx: two registers hold pointers next to the right one. */
static void
test_bit_flip(void)
{
	static const struct example example = {
		"a flipped bit", ARCH_AMD64, CRASH_OS_LINUX,
		"rip=400100 rsp=7001800 rbx=4000600010 rcx=600020 rdx=600040", MAPS, 0x400100,
		"8b03", 11, 1, 0x4000600010, 0, { 0 }, NULL, NULL, NULL, ANALYSIS_AS_REPORTED, 0,
	};
	const struct scene scene = { .arch = ARCH_AMD64, .os = CRASH_OS_LINUX,
				     .registers = example.registers, .more = add_example };
	struct staged staged;
	char text[200];

	current = &example;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL);
	if (instruction_unsupported(analysis->arch) != NULL) {
		skip(1, "no disassembler");
	} else if (ok(analysis->bit_flip_count > 0, "a flipped bit is found")) {
		const struct analysis_bit_flip *flip = &analysis->bit_flips[0];

		is_str(findings_text(analysis, text, sizeof(text)), "bit-flip", "and told");
		is_u64(flip->bit, 38, "by its number");
		is_u64(flip->address, 0x600010, "with the right value");
		is_str(analysis->arch->registers[flip->reg].label, "rbx", "of the register");
		is_u64(flip->nearby_registers, 2, "other registers support it");
		/* One in four for fitting, three in four for two neighbours. */
		is_u64(flip->confidence, 100 - 75 * 25 / 100, "the doubts are multiplied");
		ok(!flip->was_non_canonical && !flip->was_low && !flip->is_null,
		   "nothing else is said for it");
	}
	analysis_free(analysis);
	scene_close(&staged);
}

/* Where there is no exception, and where there is not even a thread. */
static void
test_no_crash(void)
{
	const struct scene scene = { .arch = ARCH_AMD64, .os = CRASH_OS_LINUX,
				     .registers = "rip=400100 rsp=7001800" };
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL);
	ok(!analysis->crashed, "a dump without an exception is no crash");
	is_u64(analysis->finding_count, 0, "and nothing is concluded");
	analysis_free(analysis);
	analysis = analysis_create(&staged.crash, NULL, NULL);
	is_str(analysis->signature, "EMPTY: no crashing thread identified",
	       "without a thread the signature says so");
	analysis_free(analysis);
	scene_close(&staged);
}

/* Nine frames by records, four by frame pointer, the last by a scan. */
static void
test_trust(void)
{
	const struct scene scene = { .arch = ARCH_AMD64, .os = CRASH_OS_LINUX,
				     .registers = "rip=400100 rsp=7001800" };
	struct frame frames[14] = { 0 };
	struct stack_trust trust;
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct walk walk = *staged.walk;
	walk.frames = frames;
	walk.count = ARRAY_COUNT(frames);
	for (size_t i = 0; i < ARRAY_COUNT(frames); i++) {
		frames[i].trust = i == 0    ? TRUST_CONTEXT
				  : i < 9   ? TRUST_CFI
				  : i == 13 ? TRUST_SCAN
					    : TRUST_FRAME_POINTER;
		frames[i].module = MODULE_NONE;
	}
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena),
	       "14 frames: 9 exact, 4 by frame pointer, 1 guessed; trust frames 0 to 12",
	       "frames before a guess are trusted");
	is_str(stack_trust_help(&trust, &walk, &staged.walk->arena), NULL,
	       "without a module there is no help");
	/* Exact frames behind a guess are as good as the guess. */
	frames[3].trust = TRUST_CFI_SCAN;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 2, 4, &staged.walk->arena),
	       "14 frames and 2 inlined calls: 8 exact, 4 by frame pointer, 2 guessed; "
	       "trust frames 0 to 4", "and none behind it, in the numbers of the layout");
	walk.count = 1;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena),
	       "1 frame: 1 exact; trust frame 0", "one frame is a frame");
	scene_close(&staged);
}

static void
test_names(void)
{
	is_str(finding_words[FINDING_STACK_OVERFLOW].name, "stack-overflow", "findings have names");
	is_str(finding_words[FINDING_STACK_OVERFLOW].title, "stack overflow", "and titles");
	is_str(finding_inconsistency(FINDING_NO_DIVISION), "int_div_by_zero_not_possible",
	       "contradictions have rust-minidump's names");
	is_str(finding_inconsistency(FINDING_NULL_POINTER), NULL, "others have none");
	is_str(analysis_confidence_name(95), "very likely", "95 is very likely");
	is_str(analysis_confidence_name(94), "likely", "94 is likely");
	is_str(analysis_confidence_name(69), "possible", "69 is possible");
	is_str(analysis_confidence_name(39), "weak", "39 is weak");
}

int
main(void)
{
	test_examples();
	test_bit_flip();
	test_no_crash();
	test_trust();
	test_names();
	return done_testing();
}
