/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crashes made to order; the expected conclusions were drawn by hand from the instructions. */
#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "code/instruction.h"
#include "tests/lib/bytes.h"
#include "tests/unit/walk/scene.h"

#define MAPS								\
	"00400000-00401000 r-xp 00000000 00:00 0 /bin/a\n00600000-00601000 rw-p 00000000 00:00 0 /bin/a\n" \
	"07000000-07001000 ---p 00000000 00:00 0 \n07001000-07010000 rw-p 00000000 00:00 0 [stack]\n" \
	"08000000-08010000 rwxp 00000000 00:00 0 [stack:2]\n"

/* The exception, code and memory map of a crash. */
static const struct example {
	const char *maps;
	uint64_t code_at;
	const char *code;		/* its bytes in hexadecimal */
	uint32_t signal, flags;
	uint64_t address;
	unsigned parameter_count;
	uint64_t parameters[3];
} *current;

static uint64_t other_pc;		/* pc of another thread; 0: it has no registers */

static void
add_example(struct synth *synth)
{
	static const uint8_t stack[0x100] = { 0x50, 0, 0x40 };		/* the return address 400050 */
	uint8_t code[16];
	size_t size = bytes_of(current->code, code, sizeof(code));
	uint64_t registers[ARCH_REGISTERS] = { 0 };

	registers[arch_by_id(ARCH_AMD64)->pc] = other_pc;
	registers[arch_by_id(ARCH_AMD64)->sp] = 0x9000000;
	synth_thread(synth, 2, other_pc != 0 ? registers : NULL, 0x9000000, stack, sizeof(stack));
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
					 access->size, access->address, permissions[access->permission],
					 access->faulted ? " faulted" : "", access->guard_page ? " guard" : "",
					 access->null_pointer ? " null" : "");
	}
	return buffer;
}

/* The number of bit flips, and for the first two confidence, register and bit, right address and neighbours. */
static const char *
flips_text(const struct analysis *analysis, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "%zu", analysis->bit_flip_count);

	for (size_t i = 0; i < analysis->bit_flip_count && i < 2; i++) {
		const struct analysis_bit_flip *flip = &analysis->bit_flips[i];
		used += (size_t)snprintf(buffer + used, size - used, ", %u %s^%u %" PRIx64 " %u%s%s",
					 flip->confidence, flip->reg == ARCH_NO_REGISTER ? "-"
					 : arch_by_id(ARCH_AMD64)->registers[flip->reg].label, flip->bit,
					 flip->address, flip->nearby_registers, flip->was_low ? " low" : "",
					 flip->poison_registers ? " poison" : "");
	}
	return buffer;
}

static const char *
findings_text(const struct analysis *analysis, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->finding_count; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s %u", i > 0 ? " " : "",
					 finding_words[analysis->findings[i].kind].name, analysis->findings[i].confidence);
	return buffer;
}

/* Crashes of each kind, and thresholds: a value at the limit, and the next one. The findings are compared by name and
 * confidence or, if a sentence is given, with all sentences and all evidence. The signal is 11, its
 * code 1, the system Linux; on Windows the exception is an access violation by a read. */
#define AT "rip=400100 rsp=7001800 "
#define PAGES "00400000-00401000 r-xp 00000000 00:00 0 /bin/a\n"
#define STACK "07001000-07010000 rw-p 00000000 00:00 0 [stack]\n"
#define NO_CODE UINT32_MAX
#define DATA(permissions) "00600000-00601000 " permissions " 00000000 00:00 0 \n"
#define SMALL "was used as a pointer: a null pointer and an offset, or a small number"
#define NEVER(bytes) "; the address lies in the first " bytes " bytes, which are never mapped"
#define LETTERS "100: the address is really 0x4847464544434241, which is not a canonical address; 'mov eax, "	\
	"dword ptr [rbx]' uses it as rbx\n95: the address 0x4847464544434241 is text: \"ABCDEFGH\"; something "	\
	"wrote a string over a pointer; rbx holds it"
#define HUNDRED "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"
#define X(at) " 7001" at "=5858585858585858"
#define X14 X("908") X("910") X("918") X("920") X("928") X("930") X("938") X("940") X("948") X("950") X("958")	\
	X("960") X("968") X("970")
#define CFI "STACK CFI INIT 100 10 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
#define NO_CALL(pc, why) "80: frame 1 is not a call: " pc " cannot be code; " why "; STACK CFI says that frame 0 "	\
	"returns there: either its record is wrong, or the stack was overwritten; 'unspool explain --frame 0 "	\
	"--all-methods' shows what the other methods find"
/* A return to `pc`, a word of the stack, and the memory after a hole from 601000 on. */
#define GONE(pc, word, after) "rip=" #pc " rsp=7001800", "90", 0x ## pc, .stack = "70017f8=" #pc " 7001808=" word, \
	.maps = PAGES DATA("rw-p") after " rw-p 00000000 00:00 0 \n" STACK
#define LARGE(sp, bytes) "rip=400100 rsp=" sp, "cc", 0x400100, .signal = 5, .flags = 0x80, .stack = "70017f8=400205",	\
	.symbols = "FUNC 100 10 0 f\nSTACK CFI INIT 100 10 .cfa: $rsp " bytes " + .ra: .cfa -8 + ^\n"
#define NAMELESS_STACK PAGES "07001800-07002000 ---p 00000000 00:00 0 \n07002000-07010000 rw-p 00000000 00:00 0 \n"
/* The record of f leads one word too far, to `value`; the word before it leads to g and to _start. */
#define DETOUR(value) AT "rbx=900000", "8b03", 0x900000, .stack = "7001800=7001900 7001808=400210 7001810=" value	\
	" 7001818=400310", .symbols = "FUNC 100 100 0 f\nFUNC 200 100 0 g\nFUNC 300 100 0 _start\n"		\
	"STACK CFI INIT 100 100 .cfa: $rsp 24 + .ra: .cfa -8 + ^\nSTACK CFI INIT 200 200 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
static const struct edge {
	const char *registers, *code;
	uint64_t address;
	const char *told, *maps, *stack;	/* maps NULL: MAPS; "": none */
	uint32_t signal, flags;			/* 0: 11 and 1; flags NO_CODE: 0 */
	enum crash_os os;			/* 0: Linux */
	const char *symbols;			/* records of the module at 400000 */
	bool trusting;				/* the walk is Breakpad's, which does not check records */
	bool unloads;				/* thread 1 is in dlclose() */
	const char *accesses;			/* "read 4 8 unmapped faulted, ..." */
	const char *flips;			/* the output of flips_text() */
	unsigned access;			/* Windows: 0 a read, 1 a write, 8 an execution */
	uint64_t code_at;			/* 0: 400100 */
	enum arch_id arch;			/* 0: amd64 */
} edges[] = {
	/* Each kind of crash. 41 ff d4 is call r12; ff d4 without the prefix would be call rsp. */
	{ AT, "c3", 0, .told = "90: the return address of f was overwritten with 0x4141414141414141; "
	  "'ret' reads it from 0x7001800; it is text: \"AAAAAAAA\"\n100: the program jumped to 0x4141414141414141, which is not a canonical address; 'ret' leads there\n95: the address 0x4141414141414141 is text: \"AAAAAAAA\"; something wrote a string over a pointer; only the word at 0x7001800 is this text, part of 8 characters at 0x7001800: \"AAAAAAAA\""
	  , .stack = "7001800=4141414141414141", .flags = 0x80,
	  .symbols = "FUNC 100 10 0 f\nSTACK CFI INIT 100 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" },
	{ "rip=414243444546 rsp=7001800", "90", 0x414243444546, .told = "90: a function returned to "
	  "0x414243444546: its return address was overwritten; the word below the stack pointer, which a return has just read, is the program counter; it is text: \"FEDCBA\""
	  , .stack = "70017f8=414243444546", .symbols = CFI },
	{ "rip=0 rsp=7001800", "90", 0, .told = "60: a function returned to 0x0: its return address was overwritten; the word below the "
	  "stack pointer, which a return has just read, is the program counter", .stack = "7001800=600010", .symbols = CFI },
	{ "rip=1000 rsp=7001800", "90", 0x1000, .told = "90: a function returned to 0x1000: its return address "
	  "was overwritten; the word below the stack pointer, which a return has just read, is the program "
	  "counter", .stack = "70017f8=1000 7001800=600010", .symbols = CFI },
	{ AT "rax=0", "894008", 0x8, .told = "95: a null pointer was used with an offset of 0x8, as for a member of a structure; the base "
	  "register rax is 0\n95: the program wrote to 0x8, which is read-only; the memory map says r--p for unnamed memory", .maps =
	  "00000000-00001000 r--p 00000000 00:00 0 \n" MAPS, .stack = "7001800=600010", .symbols = CFI, .flags = 2 },
	{ AT "rdx=0", "8b041508000000", 0x8, .told = "95: a null pointer was used with an offset of 0x8, as for a "
	  "member of a structure; the base register rdx is 0; the address lies in the first 0x1000 bytes, which "
	  "are never mapped", .stack = "7001800=600010", .symbols = CFI },
	{ AT "rax=0 rdx=3", "8b0490", 0xc, .told = "95: a null pointer was used with an offset of 0xc, as for an "
	  "element of an array; the base register rax is 0; the address lies in the first 0x1000 bytes, which are "
	  "never mapped", .stack = "7001800=600010", .symbols = CFI },
	{ "rip=0 rsp=7001800 r12=0", "9090904c89e741ffd4", 0, .told = "95: the program called or jumped to 0x0, a null pointer; the "
	  "program counter is 0x0; 'call r12' at 0x400106 in a + 0x106 likely led there", .stack = "7001800=400109", .symbols = CFI },
	{ AT "rbx=7001800", "f633", 0x400100, .told = "95: the instruction divides an integer by zero; 'div byte ptr [rbx]' at the crash; "
	  "the divisor in memory at rbx is 0", .stack = "70017f8=ffffffffffffffff 7001800=ffffffffffffff00", .symbols = CFI, .signal = 8 },
	{ "rip=400100 rsp=8000000", "50", 0x7fffff8, .told = "90: the thread's stack overflowed; the access hit the gap below the stack, "
	  "which begins at 0x8000000", .maps = PAGES "08000000-08010000 rw-p 00000000 00:00 0 [stack]\n" },
	{ AT "rbx=600010", "488b03", 0x400103, .told = "80: the instruction does not use the crash address "
	  "0x400103; 'mov rax, qword ptr [rbx]' at 0x400100; it accesses 0x600010" },
	{ AT, "f4", 0, .told = "95: only the kernel may execute the instruction; 'hlt' at 0x400100", .flags = 0x80 },
	{ AT "rax=0 rcx=0 rdx=0", "f7f1", 0x400100, .told = "95: the instruction divides an integer by zero; "
	  "'div ecx' at the crash; the divisor rcx is 0", .signal = 8 },
	/* 0x100 may be 0 in a part of the register. */
	{ AT "rax=0 rcx=100 rdx=1", "f7f1", 0x400100, .told = "95: the instruction divides integers, by zero or "
	  "with a result too large; 'div ecx' at the crash", .signal = 8 },
	{ AT "rbx=601800 r12=601700", "48030b", 0x601800, .told = "" },
	{ AT, "cc", 0x400100, .told = "100: the memory at the stack pointer is writable and executable; the memory map says rwxp", .maps =
	  PAGES "07001000-07010000 rwxp 00000000 00:00 0 [stack]\n", .signal = 5, .flags = 0x80 },
	{ "rip=900100 rsp=7001800 rax=70018f8", "909090909090ff5008", 0x900100, .told = "95: the program jumped "
	  "to 0x900100, where there is no code; nothing is mapped there; 'call qword ptr [rax + 8]' at 0x400106 "
	  "in a + 0x106 likely led there", .stack = "7001800=400109 7001900=900100", .symbols = CFI },
	{ "rip=656c706d6178 rsp=7001800 rax=70018f8", "909090909090ff5008", 0x656c706d6178, .told =
	  "95: the program jumped to 0x656c706d6178, where there is no code; nothing is mapped there; it is text: \"xample\"; 'call qword ptr [rax + 8]' at 0x400106 in a + 0x106 likely led there"
	  , .stack = "7001800=400109 7001900=656c706d6178", .symbols = CFI },
	{ "rip=900100 rsp=7001800", "90909090e8f7000000", 0x900100, .told = "95: the program jumped to 0x900100, "
	  "where there is no code; nothing is mapped there; the last call was likely 'call 0x400200' at 0x400104 "
	  "in a + 0x104", .stack = "7001800=400109", .symbols = CFI },
	{ "rip=7001900 rsp=7001800", "90", 0x7001900, .told = "95: the program jumped to 0x7001900 in the "
	  "thread's own stack, which is not executable; the memory map says rw-p for [stack]", .flags = 2 },
	{ AT "rax=0", "8b00", 0, .told = "85: the return address of frame 0, a + 0x100, is 0x4242424241414141, "
	  "which cannot be code: it was overwritten; it is text: \"AAAABBBB\"; STACK CFI reads it at 0x7001808; the walk ends there\n95: a null pointer was used; the base register rax is 0; the address lies in the first 0x1000 bytes, which are never mapped"
	  , .stack = "7001808=4242424241414141", .symbols = CFI },
	{ AT "rbx=ffffffff81000000", "8b03", 0xffffffff81000000, .told = "90: 0xffffffff81000000 lies in the "
	  "kernel's half of the address space, where a program has no memory; addresses from 0xffff800000000000 "
	  "on are the kernel's; 'mov eax, dword ptr [rbx]' uses it as rbx" },
	{ AT "rbx=fffffffffffffff4", "8b03", 0xfffffffffffffff4, .told = "75: the address is -12, a small "
	  "negative number such as an error code, used as a pointer; addresses from 0xffff800000000000 on are the "
	  "kernel's; 'mov eax, dword ptr [rbx]' uses it as rbx" },
	{ AT "rbx=600800", "8b03", 0x600800, .told = "85: 0x600800 lies in a mapped file that has no such page: it was truncated after it "
	  "was mapped, or reading it failed; /bin/a is mapped there, from 0x600000 on", .signal = 7, .flags = 2 },
	{ "rip=400107 rsp=7001800", "b8e60000000f0590", 0x3e80000014a, .told = "95: process 330, user id 1000 sent the signal from "
	  "outside: the crash has no address; the thread was in system call 230, 'syscall' at 0x400105", .signal = 6, .flags = NO_CODE },
	{ "rip=400107 rsp=7001800", "b8e60000000f0590", 0x14a, .told = "95: process 330 sent the signal from "
	  "outside: the crash has no address; the si_code is SI_USER, so the address field holds the sender; "
	  "'nop' does not use 0x14a; the thread was in system call 230, 'syscall' at 0x400105", .flags = NO_CODE },
	{ AT "rax=0", "8b804a010000", 0x14a, .told = "null-pointer 95", .flags = NO_CODE },
	{ "rip=400107 rsp=7001800", "b8e60000000f0590", 1, .told = "95: the process ended itself: code in it "
	  "found that it could not continue; the reason is SIGABRT / SI_TKILL\n85: process 1, this process itself, user id 0 sent the signal from another thread: the crash has no address; the thread was in system call 230, 'syscall' at 0x400105"
	  , .signal = 6, .flags = 0xfffffffa },
	{ AT "rax=1230000", "8b00", 1, .told = "85: this instruction failed, and a handler of the signal sent "
	  "the signal again: 0x1230000 is not mapped; the thread was at 'mov eax, dword ptr [rax]', not in a system call: signals sent by a handler arrive when it has returned\n95: process 1, this process itself, user id 0 sent the signal: the crash has no address; the thread was not in a system call"
	  , .flags = 0xfffffffa },
	{ "rip=700100 rsp=7001800", "90", 0x700100, .told = "75: the program returned to 0x700100, likely to "
	  "code that has been unmapped, such as an unloaded library's; the word below the stack pointer, which a return has just read, is the program counter; nothing is mapped from 0x601000 to 0x7fffff, and the word of the stack at 0x7001810 also points there: 0x700200"
	  , .maps = MAPS "00800000-00801000 rw-p 00000000 00:00 0 \n", .stack = "70017f8=700100 7001810=700200", .symbols = CFI },
	{ "rip=400100 rsp=900000", "cc", 0x400100, .told = "80: the stack pointer 0x900000 points to unmapped "
	  "memory", .signal = 5, .flags = 0x80 },
	{ "rip=400100 rsp=900800", "cc", 0x400100, .told = "80: the stack pointer 0x900800 points to memory that is not writable (r--p)",
	  .maps = MAPS "00900000-00901000 r--p 00000000 00:00 0 \n", .signal = 5, .flags = 0x80 },
	{ "rip=400100 rsp=600800", "cc", 0x400100, .told = "90: the stack pointer 0x600800 points to memory that "
	  "is not a stack; /bin/a is mapped there (rw-p)", .signal = 5, .flags = 0x80 },
	{ "rip=400100 rsp=7001000", "50", 0x7000ff8, .told = "95: the thread's stack overflowed; the access "
	  "hit the guard page below it at 0x7000000\n80: 0x7000ff8 lies in what is likely a guard page: the program ran past the end of its memory; 0x1000 bytes from 0x7000000 on, next to memory in use, allow no access"
	  , .maps = PAGES "07000000-07001000 ---p 00000000 00:00 0 \n07001000-07010000 rw-p 00000000 00:00 0 \n"
	  , .flags = 2 },
	{ AT, "64488b042528000000", 0, .told = "", .flags = 0x80 },
	{ "rip=400100 rsp=7001000 rax=400200", "ffd0", 0x7000ff8, .told = "stack-overflow 95 guard-page 80", .flags = 2 },
	{ "rip=400105 rsp=7001800", "b8e60000000f0590", 0x14a, .told = "95: process 330, user id 0 sent the signal from outside: the "
	  "crash has no address; the thread was in system call 230, 'syscall' at 0x400105", .signal = 6, .flags = NO_CODE },
	{ AT "rax=1230000", "8b00", 1, .told = "abort 95 sent-signal 85", .signal = 6, .flags = 0xfffffffa },
	{ AT "rax=1230000", "8b00", 1, .told = "earlier-fault 85 sent-signal 95", .signal = 7, .flags = 0xfffffffa },
	{ AT "rbx=4141414141414141", "488b03", 0x500000, .told = "95: rbx is text: \"AAAAAAAA\"; something wrote "
	  "a string over a pointer\n80: the instruction does not use "
	  "the crash address 0x500000; 'mov rax, qword ptr [rbx]' at 0x400100; it accesses 0x4141414141414141" },
	{ AT "rbx=600010", "488b03", 0x400102, .told = "" },
	{ AT "rbx=4141414141414141", "488b03", 0, .told = "non-canonical 100 text-pointer 95", .flags = 0x80 },
	{ AT "rbx=414141414141417e", "488b4318", 0, .told = "100: the address is really 0x4141414141414196, "
	  "which is not a canonical address; 'mov rax, qword ptr [rbx + 0x18]' uses it as rbx + 0x18\n95: rbx is text: \"~AAAAAAA\"; something wrote a string over a pointer; the address 0x4141414141414196 was computed from it; only the word at 0x7001900 is this text, part of 8 characters at 0x7001900: \"~AAAAAAA\""
	  , .flags = 0x80, .stack = "7001900=414141414141417e" },
	{ AT "rax=0 rbx=4141414141414141", "488918", 0, .told = "null-pointer 95" },
	{ AT "rbx=e5e5e5e5e5e5e5e5", "488b4318", 0, .told = "100: the address is really 0xe5e5e5e5e5e5e5fd, "
	  "which is not a canonical address; 'mov rax, qword ptr [rbx + 0x18]' uses it as rbx + 0x18\n75: the program used a fill pattern as a pointer; rbx is 0xe5e5e5e5e5e5e5e5: 0xe5e5e5e5 is the pattern of memory freed by Mozilla's jemalloc, which no module of the process is known to use"
	  , .flags = 0x80 },
	{ "rip=900100 rsp=7001800", "90", 0x900100, .told = "bad-call 95" },
	{ AT, "90", 0x400100, .told = "90: the reason is a division by zero, but the instruction does not divide; "
	  "'nop' at 0x400100", .signal = 8 },
	{ AT "rbx=600008", "0f2803", 0, .told = "unaligned 85", .flags = 0x80 },
	{ AT "rbx=600010", "0f2803", 0, .told = "80: the reason is a non-canonical address, but the instruction "
	  "uses none; 'movaps xmm0, xmmword ptr [rbx]' at 0x400100", .flags = 0x80 },
	{ AT "rbx=600000", "8b8300000000", 0x400105, .told = "" }, { AT "rbx=600000", "8b03", 0x600000, .told = "allowed-access 85" },
	{ AT "rbx=600000", "8b03", 0x600000, .told = "", .flags = 4 },	/* SEGV_PKUERR: the map proves nothing */
	{ AT "rbx=600000", "8b03", 0x900000, .told = "no-such-access 80" },
	{ AT "rbx=600000", "8b03", 0, .told = "false-address 80", .flags = 0x80 },
	{ AT "rbx=900000", "8b03", 0, .told = "85: the kernel could not call the handler of the signal: the stack "
	  "has no room for its frame; 'mov eax, dword ptr [rbx]' at 0x400100 accesses 0x900000; the processor "
	  "would have reported a failure of this access, but the code is SI_KERNEL", .flags = 0x80 },
	{ AT, "90", 0x3e800003465, .told = "sent-signal 95", .signal = 6, .flags = 0xffffffff },
	{ AT "rbx=900000", "8b03", 0x900000, .told = "" },
	/* Accesses; other processors and systems. 47 98, blx r3 in Thumb, leaves its address + 2 with bit 0 set. */
	{ AT "rax=0", "8b4008", 0x8, .told = "95: a null pointer was used with an offset of 0x8, as for a member "
	  "of a structure; the base register rax is 0; the address lies in the first 0x1000 bytes, which are "
	  "never mapped", .accesses = "read 4 8 unmapped faulted null" },
	{ AT "rbx=600000 rcx=e5e5e5e5e5e5e5e5", "8b040b", 0, .told = "100: the address is really "
	  "0xe5e5e5e5e645e5e5, which is not a canonical address; 'mov eax, dword ptr [rbx + rcx]' uses it as rbx + rcx*1\n75: the program used a fill pattern as a pointer; rcx is 0xe5e5e5e5e5e5e5e5: 0xe5e5e5e5 is the pattern of memory freed by Mozilla's jemalloc, which no module of the process is known to use"
	  , .accesses = "read 4 e5e5e5e5e645e5e5 unmapped faulted", .flags = 0x80 },
	{ AT "rax=dead000000000000", "ffd0", 0, .told = "100: the program jumped to 0xdead000000000000, which is not a canonical address; "
	  "'call rax' leads there", .accesses = "write 8 70017f8 allowed", .flags = 0x80 },
	{ "rip=0 rsp=7001800", "90", 0, .told = "70: the program called or jumped to 0x0, a null pointer; the "
	  "program counter is 0x0", .accesses = "execute 0 0 unmapped faulted null" },
	{ "rip=600100 rsp=7001800", "90", 0x600100, .told = "95: the program jumped to 0x600100 in the headers of "
	  "b, which is not executable; the memory map says rw-p for /bin/a",
	  .accesses = "execute 0 600100 denied faulted", .flags = 2, .code_at = 0x600100 },
	{ AT "rax=400010", "8908", 0x400010, .told = "95: the program wrote to 0x400010, which is read-only; the "
	  "memory map says r-xp for /bin/a", .accesses = "write 4 400010 denied faulted", .flags = 2 },
	{ "rip=400100 rsp=7001000", "50", 0x7000ff8, .told = "95: the thread's stack overflowed; the access "
	  "hit the guard page below it at 0x7000000\n80: 0x7000ff8 lies in what is likely a guard page: the program ran past the end of its memory; 0x1000 bytes from 0x7000000 on, next to memory in use, allow no access"
	  , .accesses = "write 8 7000ff8 denied faulted guard", .flags = 2 },
	{ AT, "f4", 0x400100, .told = "", .maps = "", .signal = 0xc0000096, .os = CRASH_OS_WINDOWS },
	{ AT, "90", 0x400100, .told = "90: the reason is a privileged instruction, but the instruction is not "
	  "privileged; 'nop' at 0x400100", .maps = "", .signal = 0xc0000096, .os = CRASH_OS_WINDOWS },
	{ AT "rsi=600000 rdi=600800 rcx=10", "f3a4", 0x900000, .told = "", .accesses = "write 1 600800 allowed, read 1 600000 allowed" },
	{ "eip=400100 esp=7001800 ebx=600000", "8b03", 0, .told = "", .accesses = "read 4 600000 allowed",
	  .flags = 0x80, .arch = ARCH_X86 },
	{ "rip=fff rsp=7001800", "00000000", 0xfff, .told = "70: the program called or jumped to 0xfff, a null pointer and an offset; the "
	  "program counter is 0xfff", .accesses = "execute 0 fff unmapped faulted", .code_at = 0xfff },
	{ "rip=ff0 rsp=7001800 rbx=900000", "8b03", 0x900000, .told = "", .maps = "00000000-00001000 r-xp "
	  "00000000 00:00 0 \n" MAPS, .accesses = "read 4 900000 unmapped faulted", .code_at = 0xff0 },
	{ "pc=900100 sp=7001800 x30=400800", "1f2003d5", 0x900100, .told = "95: the program jumped to 0x900100, where there is no code; "
	  "nothing is mapped there", .accesses = "execute 0 900100 unmapped faulted", .arch = ARCH_ARM64 },
	{ "eip=400100 esp=7001800 ecx=cdcdcdcd", "8b4104", 0xcdcdcdd1, .told = "75: the program used a pointer that was never set; ecx is "
	  "0xcdcdcdcd: 0xcdcdcdcd is the pattern of fresh memory of the debug heap of Microsoft's C library", .maps = "", .accesses =
	  "read 4 cdcdcdd1 unknown faulted", .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=400100 esp=7001800 ecx=dddddddd", "8b4104", 0xdddddde1, .told = "80: the program used a pointer that it read from freed "
	  "memory; ecx is 0xdddddddd: 0xdddddddd is the pattern of memory freed by the debug heap of Microsoft's C library", .maps = "",
	  .accesses = "read 4 dddddde1 unknown faulted", .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=45 esp=7001800", "90", 0x45, .told = "85: the program called or jumped to 0x45, a null pointer and "
	  "an offset; the program counter is 0x45", .maps = "", .accesses = "execute 0 45 unknown faulted",
	  .access = 8, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "pc=400100 sp=7001800 x0=8", "010000b9", 0, .told = "75: 0x8 was used as a pointer: a null pointer and "
	  "an offset, or a small number; the address lies in the first 0x1000 bytes, which are never mapped",
	  .accesses = "write 4 8 unmapped faulted", .flags = NO_CODE, .arch = ARCH_ARM64 },
	{ "pc=400100 sp=7001800 x0=900000", "010000b9", 0, .told = "",
	  .accesses = "write 4 900000 unmapped faulted", .flags = NO_CODE, .arch = ARCH_ARM64 },
	{ "pc=900100 sp=7001800 x30=900100", "1f2003d5", 0x900100, .told = "90: a function returned to 0x900100: "
	  "its return address was overwritten; the link register holds the program counter",
	  .accesses = "execute 0 900100 unmapped faulted", .arch = ARCH_ARM64 },
	{ "pc=0 sp=7001800 lr=400105 r3=0", "00bf9847", 0, .told = "95: the program called or jumped to 0x0, a "
	  "null pointer; the program counter is 0x0; 'blx r3' at 0x400102 in a + 0x102 likely led there",
	  .accesses = "execute 0 0 unmapped faulted null", .arch = ARCH_ARM },
	{ "eip=9000040 esp=7001800", "90", 0x9000040, .told = "85: the program jumped to 0x9000040 in the stack "
	  "of thread id 0x2, which is not executable", .maps = "", .accesses = "execute 0 9000040 unknown faulted",
	  .access = 8, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=400100 esp=7001800 ecx=600800", "8b4104", 0x600804, .told = "85: 0x600804 lies in a mapped file that has no such page: it "
	  "was truncated after it was mapped, or reading it failed; /bin/b is mapped there, from 0x600000 on", .maps = "", .accesses =
	  "read 4 600804 unknown faulted", .signal = 0xc0000006, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=400100 esp=7001800 ecx=900000", "8b4104", 0x900004, .told = "80: the exception record says write, "
	  "but the instruction only reads there; 'mov eax, dword ptr [ecx + 4]' at 0x400100", .maps = "",
	  .accesses = "read 4 900004 unknown faulted", .access = 1, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=400100 esp=7001000", "50", 0x7000ffc, .told = "100: the thread's stack overflowed; the system "
	  "reports it; the stack pointer is 0x7001000", .maps = "", .accesses = "write 4 7000ffc unknown",
	  .signal = 0xc00000fd, .access = 1, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=400100 esp=7001800", "90", 0xfeeefeee, .told = "80: the program used a pointer that it read "
	  "from freed memory; the crash address is 0xfeeefeee: 0xfeeefeee is the pattern of memory freed by the Windows heap under a debugger"
	  , .maps = "", .code_at = 0x400800, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "pc=400104 sp=7001800 x8=83", "010000d41f2003d5", 0x1, .told = "95: the process ended itself: code "
	  "in it found that it could not continue; the reason is SIGABRT / SI_TKILL\n95: process 1, this process itself, user id 0 sent the signal: the crash has no address; the thread was in system call 131, 'svc #0' at 0x400100"
	  , .signal = 6, .flags = 0xfffffffa, .arch = ARCH_ARM64 },
	/* mov eax, [rbx]; [rdx*4 + 8], [rdx*1 + 8], [8], [0], [0xfff], [0x1000], [rbx + 0xfff8] */
	{ AT "rbx=fff", "8b03", 0xfff, .told = "75: 0xfff " SMALL NEVER("0x1000") }, { AT "rbx=1000", "8b03", 0x1000, .told = "" },
	{ AT "rbx=ffff", "8b03", 0xffff, .told = "75: 0xffff " SMALL NEVER("0x10000"), .maps = "", .os = CRASH_OS_WINDOWS },
	{ AT "rbx=10000", "8b03", 0x10000, .told = "", .maps = "", .os = CRASH_OS_WINDOWS },
	{ AT "rdx=0", "8b049508000000", 8, .told = "75: 0x8 " SMALL NEVER("0x1000") },
	{ AT "rdx=0", "8b041508000000", 8, .told = "null-pointer 95" },
	{ AT, "8b042508000000", 8, .told = "75: 0x8 " SMALL NEVER("0x1000") },
	{ AT, "8b042500000000", 0, .told = "95: a null pointer was used" NEVER("0x1000") },
	{ AT, "8b0425ff0f0000", 0xfff, .told = "75: 0xfff " SMALL NEVER("0x1000") }, { AT, "8b042500100000", 0x1000, .told = "" },
	{ AT "rbx=0", "8b83f8ff0000", 0xfff8, .told = "60: a null pointer was used with an offset of "
	  "0xfff8, as for a member of a structure; the base register rbx is 0" },
	/* The kernel's half and its last page. */
	{ AT "rbx=ffff7fffffffffff", "8b03", 0xffff7fffffffffff, .told = "" },
	{ AT "rbx=ffff800000000000", "8b03", 0xffff800000000000, .told = "kernel-address 90" },
	{ AT "rbx=ffffffffffffefff", "8b03", 0xffffffffffffefff, .told = "kernel-address 90" },
	{ AT "rbx=fffffffffffff000", "8b03", 0xfffffffffffff000, .told = "kernel-address 75" },
	/* Guard pages: their largest size; memory in use on either side. By the weights of bit_flip.c
	 * 63 is 25 for a match and 50 for a neighbour (the pc or the stack pointer): 100 - 75 * 50 / 100. */
	{ AT "rbx=7000800", "8b03", 0x7000800, .told = "stack-overflow 95 guard-page 80",
	  .maps = PAGES "06f01000-07001000 ---p 00000000 00:00 0 \n" STACK, .flags = 2 },
	{ AT "rbx=7000800", "8b03", 0x7000800, .told = "63: bit 12 of rbx may have flipped: 0x7001800 would "
	  "have been right; memory there allows the access; 1 other register lies with nearby values; 7 other bit flips are also possible"
	  , .maps = PAGES "06f00000-07001000 ---p 00000000 00:00 0 \n" STACK, .flags = 2 },
	{ AT "rbx=401800", "8b03", 0x401800, .told = "80: 0x401800 lies in what is likely a guard page: the "
	  "program ran past the end of its memory; 0x1000 bytes from 0x401000 on, next to memory in use, allow no access\n63: bit 12 of rbx may have flipped: 0x400800 would have been right; memory there allows the access; 1 other register lies with nearby values; 1 other bit flip is also possible"
	  , .maps = PAGES "00401000-00402000 ---p 00000000 00:00 0 \n" STACK, .flags = 2 },
	{ AT "rbx=601800", "8903", 0x601800, .told = "guard-page 80", .maps = PAGES DATA("r--p")
	  "00601000-00602000 ---p 00000000 00:00 0 \n" STACK, .flags = 2 },
	{ AT "rbx=601800", "8903", 0x601800, .told = "", .maps = PAGES DATA("--xp")
	  "00601000-00602000 ---p 00000000 00:00 0 \n" STACK, .flags = 2 },
	{ AT "rbx=601800", "8903", 0x601800, .told = "", .maps = PAGES DATA("rw-p")
	  "00601000-00602000 --xp 00000000 00:00 0 \n" STACK, .flags = 2 },
	/* The map and the access: what is only written or executed can also be read. */
	{ AT "rbx=600800", "8b03", 0x600800, .told = "85: the read of 0x600800 is allowed there; the memory map says -w-p for unnamed "
	  "memory; another thread may have mapped it since", .maps = PAGES DATA("-w-p") STACK, .flags = 2 },
	{ AT "rbx=600800", "8b03", 0x600800, .told = "allowed-access 85", .maps = PAGES DATA("--xp") STACK },
	{ AT "rbx=600800", "8b03", 0x600800, .told = "", .flags = 3 }, { AT "rbx=600800", "8b03", 0x600800, .told = "", .signal = 7 },
	{ AT "rbx=600800", "8b03", 0x600800, .told = "allowed-access 85", .os = CRASH_OS_ANDROID },
	{ AT "rbx=600000", "8b03", 0x900000, .told = "", .flags = 3 },
	{ AT "rbx=600000", "8b03", 0x900000, .told = "no-such-access 80", .flags = 2 },
	{ AT "rbx=600000", "8b03", 0x900000, .told = "no-such-access 80", .maps = "", .access = 1, .os = CRASH_OS_WINDOWS },
	{ AT "rbx=400800", "0103", 0x400800, .told = "95: the program wrote to 0x400800, which is read-only; "
	  "the memory map says r-xp for /bin/a", .flags = 2 },
	{ AT "rbx=600800", "8903", 0x600800, .told = "", .maps = PAGES DATA("--xp") STACK, .flags = 2 },
	/* The stack: the distance of the fault from the stack pointer, and the kernel's gap. */
	{ "rip=400100 rsp=7100800 rbx=7000800", "8903", 0x7000800, .told = "stack-overflow 95 guard-page 80" },
	{ "rip=400100 rsp=7100801 rbx=7000800", "8903", 0x7000800, .told = "stack-pointer 80 guard-page 80" },
	{ "rip=400100 rsp=6f00800 rbx=7000800", "8903", 0x7000800, .told = "stack-overflow 95 guard-page 80" },
	{ "rip=400100 rsp=6f007ff rbx=7000800", "8903", 0x7000800, .told = "stack-pointer 80 guard-page 80" },
	{ "rip=400100 rsp=6f80000 rbx=6f01000", "8903", 0x6f01000, .told = "stack-overflow 90", .maps = PAGES STACK },
	{ "rip=400100 rsp=6f80000 rbx=6f00fff", "8903", 0x6f00fff, .told = "stack-pointer 80", .maps = PAGES STACK },
	/* The stack pointer is lost by a frame of more than 1 MiB; one of 1 MiB is not said to be large. */
	{ LARGE("6f017ff", "1048577"), .told = "80: the stack pointer 0x6f017ff points to unmapped memory; frame 0, f, takes "
	  "1048577 bytes of the stack" },
	{ LARGE("6f01800", "1048576"), .told = "80: the stack pointer 0x6f01800 points to unmapped memory" },
	/* A stack without a name, known by the stack pointer of frame 1, 7002010, or not. */
	{ "rip=400100 rsp=7001ff8", "50", 0x7001ff0, .told = "stack-overflow 95 guard-page 80", .maps = NAMELESS_STACK,
	  .flags = 2, .stack = "7001ff8=400205", .symbols = "STACK CFI INIT 100 10 .cfa: $rsp 24 + .ra: .cfa -24 + ^\n" },
	{ "rip=400100 rsp=7001ff8", "50", 0x7001ff0, .told = "stack-pointer 80 guard-page 80", .maps = NAMELESS_STACK, .flags = 2 },
	/* The memory above a guard page: none, read-only memory, the heap, another stack. */
	{ "rip=400100 rsp=6fff800 rbx=7000800", "8b03", 0x7000800, .told = "guard-page 80", .maps = PAGES
	  "06ff0000-07000000 rw-p 00000000 00:00 0 \n07000000-07001000 ---p 00000000 00:00 0 \n", .flags = 2 },
	{ "rip=400100 rsp=700a800 rbx=7000800", "8b03", 0x7000800, .told = "stack-pointer 90 guard-page 80", .maps = PAGES
	  "07000000-07001000 ---p 00000000 00:00 0 \n07001000-07010000 r--p 00000000 00:00 0 /x\n", .flags = 2 },
	{ "rip=400100 rsp=800a800 rbx=8000800", "8b03", 0x8000800, .told = "guard-page 80", .maps = PAGES
	  "08000000-08001000 ---p 00000000 00:00 0 \n08001000-08010000 rw-p 00000000 00:00 0 [heap]\n", .flags = 2 },
	{ "rip=400100 rsp=800a800 rbx=8000800", "8b03", 0x8000800, .told = "stack-overflow 95 guard-page 80", .maps = PAGES
	  "08000000-08001000 ---p 00000000 00:00 0 \n08001000-08010000 rw-p 00000000 00:00 0 [stack:9]\n", .flags = 2 },
	/* Divisions; without a code a SIGFPE may be another error than a division by zero. */
	{ AT, "90", 0x400100, .told = "", .signal = 8, .flags = NO_CODE },
	{ AT "rax=0 rcx=1 rdx=0", "f7f1", 0x400100, .told = "95: the instruction divides integers, and the "
	  "result is too large for its register; 'div ecx' at the crash; the divisor rcx is not 0", .signal = 8 },
	{ AT "rax=0 rcx=1 rdx=0", "f6f5", 0x400100, .told = "95: the instruction divides integers, by zero or "
	  "with a result too large; 'div ch' at the crash", .signal = 8 },
	{ AT "rbx=7001800", "48f733", 0x400100, .told = "95: the instruction divides an integer by zero; 'div qword ptr [rbx]' at the "
	  "crash; the divisor in memory at rbx is 0", .stack = "7001800=0", .signal = 8 },
	{ AT "rbx=7001800", "48f733", 0x400100, .told = "95: the instruction divides integers, and the result "
	  "is too large for its register; 'div qword ptr [rbx]' at the crash; the divisor in memory at rbx is not 0"
	  , .stack = "7001800=100000000000000", .signal = 8 },
	/* Memory without a file does not lack a page of one. */
	{ AT "rbx=600800", "8b03", 0x600800, .told = "", .maps = PAGES
	  "00600000-00601000 rw-p 00000000 00:00 0 [heap]\n" STACK, .signal = 7, .flags = 2 },
	{ AT "rbx=600800", "8b03", 0x600800, .told = "", .maps = PAGES
	  "00600000-00601000 rw-p 00000000 00:00 0 /anon_hugepage\n" STACK, .signal = 7, .flags = 2 },
	/* 32 bytes at a multiple of 16. */
	{ AT "rbx=600010", "c5fc2803", 0, .told = "85: 0x600010 is not a multiple of 32, as some vector "
	  "instructions require; 'vmovaps ymm0, ymmword ptr [rbx]' at 0x400100", .flags = 0x80 },
	/* Senders: the largest id of a process; instructions that access other memory, or none. */
	{ AT "rbx=600000", "8b03", 0x400000, .told = "75: process 4194304 sent the signal from outside: the crash "
	  "has no address; the si_code is SI_USER, so the address field holds the sender; 'mov eax, dword ptr "
	  "[rbx]' does not use 0x400000; the thread was not in a system call", .flags = NO_CODE },
	{ AT "rbx=600000", "8b03", 0x400001, .told = "", .flags = NO_CODE },
	{ AT "rbx=600000", "90", 0x14a, .told = "sent-signal 85", .flags = NO_CODE },
	{ AT "rbx=600000", "8b03", 0x14a, .told = "null-pointer 75 no-such-access 80" },
	{ AT "rbx=900000", "8b03", 0x14a, .told = "null-pointer 75", .flags = NO_CODE },
	{ AT "rax=400010", "8900", 1, .told = "85: this instruction failed, and a handler of the signal sent the signal again: "
	  "0x400010 does not allow the access; the thread was at 'mov dword ptr [rax], eax', not in a system call: signals "
	  "sent by a handler arrive when it has returned\n95: process 1, this process itself, user id 0 sent the signal: the "
	  "crash has no address; the thread was not in a system call", .flags = 0xfffffffa },
	{ AT, "64488b042528000000", 0x14a, .told = "null-pointer 75", .flags = NO_CODE },
	{ AT, "f4", 0x14a, .told = "null-pointer 75", .flags = NO_CODE },
	{ "pc=400102 sp=7001800 r7=10c cpsr=20", "00df00bf", 1, .told = "95: the process ended itself: code in it "
	  "found that it could not continue; the reason is SIGABRT / SI_TKILL\n95: process 1, this process itself sent the "
	  "signal: the crash has no address; the thread was in system call 268, 'svc #0' at 0x400100", .signal = 6, .flags = 0xfffffffa, .arch = ARCH_ARM },
	/* Text of four, five and eight letters; memory that has it once or twice. */
	{ AT "rbx=44434241", "8b03", 0x44434241, .told = "75: the address 0x44434241 is text: \"ABCD\"; "
	  "something wrote a string over a pointer; rbx holds it" },
	{ AT "rax=44434241", "8b00", 0x44434241, .told = "75: the address 0x44434241 is text: \"ABCD\"; "
	  "something wrote a string over a pointer; rax holds it" },
	{ "eip=400100 esp=7001800 ecx=44434241", "8b4104", 0x44434245, .told = "75: ecx is text: \"ABCD\"; something wrote a "
	  "string over a pointer; the address 0x44434245 was computed from it", .arch = ARCH_X86 },
	{ AT "rbx=4544434241", "8b03", 0x4544434241, .told = "" },
	/* Calls of a pattern, and of an address that is canonical. */
	{ AT "rax=e5e5e5e5e5e5e5e5", "ffd0", 0, .told = "non-canonical 100 poison 75", .flags = 0x80 },
	{ AT "rax=400200", "ffd0", 0, .told = "false-address 80", .flags = 0x80 },
	{ AT "rbx=4847464544434241", "8b03", 0, .told = LETTERS "; only the word at 0x7001900 is this text, part of 13 characters at "
	  "0x70018fe: \"yzABCDEFGH IJ\"", .flags = 0x80, .stack = "70018f8=7a79000000000000 7001900=4847464544434241 7001908=4a4920" },
	{ AT "rbx=4847464544434241", "8b03", 0, .told = LETTERS, .flags = 0x80,
	  .stack = "7001900=4847464544434241 7001908=4847464544434241" },
	/* Bit flips: 25 for a match and, by the number of neighbours, 50, 75, 90 or 95; 40 for null. The
	 * doubts are multiplied. A small value keeps half of its confidence, a pattern leaves 30 percent. */
	{ AT "rbx=4000600010", "8b03", 0x4000600010, .told = "" },
	{ AT "rbx=4000600010 rax=601010", "8b03", 0x4000600010, .told = "bit-flip 63" },
	{ AT "rbx=4000600010 rcx=601011", "8b03", 0x4000600010, .told = "" },
	{ AT "rbx=4000601010 rcx=600010", "8b03", 0x4000601010, .told = "" },
	{ AT "rbx=4000600010 rcx=600020 rdx=600030 rsi=600040", "8b03", 0x4000600010, .told = "bit-flip 93" },
	{ AT "rbx=4000600010 rcx=600020 rdx=600030 rsi=600040 rdi=600050", "8b03", 0x4000600010, .told = "bit-flip 97" },
	{ AT "rbx=4000600010 rcx=600020 rdx=600030 rsi=600040 rdi=600050 rbp=600060", "8b03", 0x4000600010,
	  .told = "97: bit 38 of rbx may have flipped: 0x600010 would have been right; memory there allows the "
	  "access; 5 other registers lie with nearby values; 1 other bit flip is also possible" },
	/* 63 and 97 by 30 percent are 18.9 and 29.1, 82 by 50 percent is 41. */
	{ AT "rbx=4000600010 rcx=600020 rsi=e5e5e5e5e5e5e5e5", "8b03", 0x4000600010, .told = "",
	  .flips = "2, 18 rbx^38 600010 1 poison, 18 -^38 600010 1 poison" },
	{ AT "rbx=4000600010 rcx=600020 rdx=600030 rdi=600040 rbp=600050 rsi=e5e5e5e5e5e5e5e5", "8b03", 0x4000600010,
	  .told = "", .flips = "2, 29 rbx^38 600010 4 poison, 29 -^38 600010 4 poison" },
	{ AT "rbx=18010 rcx=10020 rdx=10030", "8b03", 0x18010, .told = "bit-flip 41", .maps =
	  "00010000-00011000 rw-p 00000000 00:00 0 \n" MAPS, .flips = "2, 41 rbx^15 10010 2, 41 -^15 10010 2" },
	/* One mapping; the highest bit; an offset that leads to memory; the limit of small values, and low ones. */
	{ "rip=400100 rsp=690800 rbx=4000680010 rcx=680020", "8b03", 0x4000680010, .told = "bit-flip 63 executable-stack 100",
	  .maps = "00400000-00700000 rwxp 00000000 00:00 0 \n", .flips = "2, 63 rbx^38 680010 1, 63 -^38 680010 1" },
	{ AT "rbx=8000000000600010 rcx=600020", "8b03", 0, .told = "non-canonical 100 bit-flip 82", .flags = 0x80,
	  .flips = "2, 82 rbx^63 600010 1, 82 -^63 600010 1" },
	{ AT "rdx=40005ff010 rcx=5fe020", "8b8200100000", 0x4000600010, .told = "bit-flip 63",
	  .flips = "2, 63 rdx^38 5ff010 1, 25 -^38 600010 0" },
	{ AT "rbx=2000", "8b03", 0x2000, .told = "", .flips = "4, 27 rbx^13 0 0 low, 27 -^13 0 0 low" },
	{ AT "rbx=4000", "8b03", 0x4000, .told = "", .flips = "4, 27 rbx^14 0 0, 27 -^14 0 0" },
	{ AT "rbx=4000002000 rcx=2010", "8b03", 0x4000002000, .told = "", .flips = "2, 25 rbx^38 2000 0, 25 -^38 2000 0",
	  .maps = "00002000-00003000 rw-p 00000000 00:00 0 \n" MAPS },
	/* Accesses by one register twice, by none, by the pc, by two registers; a fault after an access; no code. */
	{ "rip=400100 rsp=4007001808", "ff7424f8", 0x4007001800, .told = "stack-pointer 80",
	  .flips = "2, 25 rsp^38 7001808 0, 25 -^38 7001800 0" },
	{ AT, "8b042510002000", 0x200010, .told = "", .flips = "1, 25 -^22 600010 0" },
	{ AT, "8b050affdfff", 0x200010, .told = "", .flips = "1, 25 -^22 600010 0" },
	{ AT "rsi=601010 rdi=5010", "a4", 0x601010, .told = "", .flips = "2, 25 rsi^12 600010 0, 25 -^12 600010 0",
	  .maps = "00005000-00006000 rw-p 00000000 00:00 0 \n" MAPS },
	{ AT "rbx=4000600010", "8b03", 0x4000600014, .told = "no-such-access 80", .flips = "1, 25 -^38 600014 0" },
	{ AT "rcx=600020", "8b03", 0x4000600010, .told = "bit-flip 63", .code_at = 0x400800, .flips = "1, 63 -^38 600010 1" },
	{ AT "rcx=400200", "90", 0x4000400000, .told = "sent-signal 95", .signal = 6, .flags = NO_CODE, .flips = "0" },
	/* Neighbours that are as near to the wrong value, or nearer. */
	{ AT "rbx=602010 rcx=601010", "8b03", 0x602010, .told = "", .flips = "2, 25 rbx^13 600010 0, 25 -^13 600010 0" },
	{ AT "rbx=600010 rcx=600020", "8903", 0x600010, .told = "", .flips = "2, 25 rbx^12 601010 0, 25 -^12 601010 0",
	  .maps = PAGES "00601000-00602000 rw-p 00000000 00:00 0 \n" STACK },
	{ AT "rbx=4000600010 rcx=600020 rdx=4000600018", "8b4208", 0x4000600020, .told = "63: bit 38 of rdx may "
	  "have flipped: 0x600018 would have been right; memory there allows the access; 1 other register lies "
	  "with nearby values; 1 other bit flip is also possible" },
	{ AT "rbx=40000000600010 rcx=600020 rdx=601010", "8b03", 0, .told = "100: the address is really "
	  "0x0040000000600010, which is not a canonical address; 'mov eax, dword ptr [rbx]' uses it as rbx\n91: bit 54 of rbx may have flipped: 0x600010 would have been right; memory there allows the access; the wrong value is not a pointer; 2 other registers lie with nearby values; 1 other bit flip is also possible"
	  , .flags = 0x80 },
	/* Reads of 8 bytes that begin at the last bytes of memory, after it and before it; a flipped bit of null. */
	{ "rip=400100 rsp=8000800 rbx=600ffc rcx=5ffff0", "488b03", 0x601000, .told = "executable-stack 100" },
	{ "rip=400100 rsp=8000800 rbx=601006 rcx=600020", "488b03", 0x601006, .told = "executable-stack 100" },
	{ "rip=400100 rsp=8000800 rbx=601007 rcx=600020", "488b03", 0x601007, .told = "bit-flip 63 executable-stack 100" },
	{ "rip=400100 rsp=8000800 rbx=7000ff9 rcx=7001800", "488b03", 0x7000ff9, .told = "guard-page 80 executable-stack 100" },
	{ "rip=400100 rsp=8000800 rbx=7000ff8 rcx=7001800", "488b03", 0x7000ff8, .told = "guard-page 80 bit-flip 63 executable-stack 100" },
	{ AT "rax=4000600010", "488b00", 0x4000600014, .told = "", .flips = "2, 25 rax^38 600010 0, 25 -^38 600010 0" },
	{ AT "rbx=4000000000 rcx=20 rdx=600040", "8b03", 0x4000000000, .told = "55: bit 38 of rbx may have flipped: 0x0 would have been "
	  "right; the right value is a null pointer, which the program may have tested for; 1 other bit flip is also possible" },
	{ AT "rax=e5e5e5e5e5e5e5e5 rbx=900000", "8b03", 0x900000, .told = "" }, { AT "rbx=80000", "8b03", 0x80000, .told = "" },
	{ "rip=900100 rsp=7001800 rax=e5e5e5e5e5e5e5e5", "90", 0x900100, .told = "bad-call 95" },
	{ AT "rbx=100000", "8b03", 0x100000, .told = "55: bit 20 of rbx may have flipped: 0x0 would have been right; the right value is a "
	  "null pointer, which the program may have tested for; 1 other bit flip is also possible" },
	{ "rip=4000400100 rsp=7001800 rcx=400200", "90", 0x4000400100, .told = "95: the program jumped to "
	  "0x4000400100, where there is no code; nothing is mapped there\n63: bit 38 of the crash address may have flipped: 0x400100 would have been right; memory there allows the access; 1 other register lies with nearby values"
	  },
	{ AT "rbx=4000602010 rcx=602020", "8b03", 0x4000602010, .told = "bit-flip 63", .maps = "", .os = CRASH_OS_WINDOWS },
	{ "rip=401000 rsp=7001800 rcx=400010", "90", 0x401000, .told = "bad-call 95 bit-flip 63" },
	{ AT "rbx=4007001800", "8b03", 0x4007001800, .told = "bit-flip 63", .maps = "", .os = CRASH_OS_WINDOWS },
	{ AT "rbx=4000900000 rcx=900000", "8b03", 0x4000900000, .told = "", .maps = "", .os = CRASH_OS_WINDOWS },
	/* 19 bits lead from the hole to memory, in rbx and in the address; 32 of the 38 are kept. */
	{ "rip=400100 rsp=7001800 rbx=30000800 rcx=30001001", "8b03", 0x30000800, .told = "63: bit 12 of rbx may have flipped: 0x30001800 "
	  "would have been right; memory there allows the access; 1 other register lies with nearby values; 31 other bit flips are also "
	  "possible", .maps = PAGES "00401000-30000000 rw-p 00000000 00:00 0 \n30001000-7fff0000 rw-p 00000000 00:00 0 \n" },
	{ AT "rbx=4141414141414141", "488b4301", 0, .told = "non-canonical 100 text-pointer 95", .flags = 0x80 },
	{ AT "rbx=4847464544434241", "8b03", 0, .told = LETTERS "; only the word at 0x7001900 is this text, part of 120 characters at "
	  "0x7001900: \"ABCDEFGH" HUNDRED "XXXXXXXXXXXX\"", .flags = 0x80, .stack = "7001900=4847464544434241" X14 },
	{ AT "rbx=4847464544434241", "8b03", 0, .told = LETTERS "; only the word at 0x7001900 is this text, part of "
	  "128 characters at 0x7001900: \"ABCDEFGH" HUNDRED "XXXXXXXXXXXX\"", .flags = 0x80,
	  .stack = "7001900=4847464544434241" X14 " 7001978=5858585858585858" },
	{ AT "rbx=600000", "8b03", 0, .told = "", .flags = NO_CODE },
	/* Signals that the process sent itself: code that the dump lacks, or a call without its number, proves nothing. */
	{ "rip=400102 rsp=7001800", "0f0590", 1, .told = "95: the process ended itself: code in it found that it could not "
	  "continue; the reason is SIGABRT / SI_TKILL\n95: process 1, this process itself, user id 0 sent the signal: the "
	  "crash has no address; the thread was in a system call, 'syscall' at 0x400100", .signal = 6, .flags = 0xfffffffa },
	{ "rip=400800 rsp=7001800", "90", 1, .told = "abort 95 sent-signal 95", .signal = 6, .flags = 0xfffffffa },
	{ AT, "90", 1, .told = "abort 95 sent-signal 85", .signal = 6, .flags = 0xfffffffa },
	/* Records that lead to no code, in walks that check the address and in those that do not. */
	{ AT "rbx=900000", "8b03", 0x900000, .told = "", .stack = "7001808=12345678", .symbols = CFI },
	{ AT "rbx=4141414141414141", "488b03", 0, .told = "return-address 85 non-canonical 100 text-pointer 95", .flags = 0x80,
	  .stack = "7001808=4242424241414141", .symbols = CFI },
	{ DETOUR("44434241"), .told = "85: the return address of frame 0, f, is 0x44434241, which cannot be code: it was "
	  "overwritten; it is text: \"ABCD\"; STACK CFI reads it at 0x7001810; frame 1 was found by stack scan instead, "
	  "and the walk reaches the stack's bottom" },
	{ DETOUR("12345678"), .told = "60: the return address of frame 0, f, is 0x12345678, which cannot be code: either the "
	  "stack was overwritten, or its record is wrong; STACK CFI reads it at 0x7001810; frame 1 was found by stack scan "
	  "instead, and the walk reaches the stack's bottom" },
	{ AT "rbx=900000", "8b03", 0x900000, .told = "", .stack = "7001808=400205", .symbols = CFI, .trusting = true },
	{ AT "rbx=900000", "8b03", 0x900000, .told = NO_CALL("0x7000800", "it is not executable"),
	  .stack = "7001808=7000800", .symbols = CFI, .trusting = true },
	{ AT "rbx=900000", "8b03", 0x900000, .told = NO_CALL("0x7001900", "it lies in the thread's stack"),
	  .stack = "7001808=7001900", .symbols = CFI, .trusting = true },
	{ AT "rbx=900000", "8b03", 0x900000, .told = NO_CALL("0x70117ff", "it lies in the thread's stack"),
	  .stack = "7001808=70117ff", .symbols = CFI, .trusting = true },
	{ AT "rbx=900000", "8b03", 0x900000, .told = NO_CALL("0x7011800", "nothing is mapped there"),
	  .stack = "7001808=7011800", .symbols = CFI, .trusting = true },
	/* Returns to code that may have been unmapped: the distance of the other word, and the hole's size. */
	{ GONE(701100, "8010ff", "00a00000-00a01000"), .told = "bad-call 75" },
	{ GONE(701100, "7011ff", "00a00000-00a01000"), .told = "75: the program returned to 0x701100, likely "
	  "to code that has been unmapped, such as an unloaded library's; the word below the stack pointer, which a return has just read, is the program counter; nothing is mapped from 0x601000 to 0x9fffff, and the word of the stack at 0x7001808 also points there: 0x7011ff; thread 1 is unloading a library: its frame 1 is _dl_close_worker"
	  , .unloads = true, .symbols = "FUNC 0 100 0 _dl_close_worker\n" },
	{ GONE(701100, "801100", "00a00000-00a01000"), .told = "return-address 90" },
	{ GONE(701100, "8010ff", "00a00000-00a01000"), .told = "return-address 90", .os = CRASH_OS_WINDOWS, .access = 8 },
	{ GONE(701100, "601101", "00a00000-00a01000"), .told = "bad-call 75" },
	{ GONE(701100, "601100", "00a00000-00a01000"), .told = "return-address 90" },
	{ GONE(9ff100, "9fffff", "00a00000-00a01000"), .told = "bad-call 75" },
	{ GONE(9ff100, "a00000", "00a00000-00a01000"), .told = "return-address 90" },
	{ GONE(602100, "601000", "00a00000-00a01000"), .told = "bad-call 75" },
	{ GONE(602100, "600fff", "00a00000-00a01000"), .told = "return-address 90" },
	{ GONE(602100, "602100", "00a00000-00a01000"), .told = "return-address 90" },
	{ GONE(602100, "602101", "04601000-04602000"), .told = "bad-call 75" },
	{ GONE(602100, "602101", "04601001-04602000"), .told = "return-address 90" },
	{ "rip=400107 rsp=7001800", "b8e60000000f0590", 0x400107, .told = "95: a seccomp filter of this process refused a "
	  "system call; the thread was in system call 230, 'syscall' at 0x400105", .signal = 31 },
	/* Calls by a word of the stack, and from code that the dump lacks; jumps to data of several kinds. */
	{ "rip=900100 rsp=7001800", "9090909090ff542408", 0x900100, .told = "95: the program jumped to 0x900100, where "
	  "there is no code; nothing is mapped there; 'call qword ptr [rsp + 8]' at 0x400105 in a + 0x105 likely led "
	  "there", .stack = "7001800=400109 7001810=900100", .symbols = CFI },
	{ "rip=900100 rsp=7001800", "90", 0x900100, .told = "return-address 70", .stack = "70017f8=900100 7001800=400800" },
	{ "rip=7005900 rsp=7001800", "90", 0x7005900, .told = "95: the program jumped to 0x7005900 in the thread's own "
	  "stack, which is not executable; the memory map says rw-p for [stack]", .flags = 2 },
	{ "eip=7001900 esp=7001800", "90", 0x7001900, .told = "85: the program jumped to 0x7001900 in the thread's own "
	  "stack, which is not executable", .maps = "", .access = 8, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "rip=900100 rsp=7001800", "90", 0x900101, .told = "bad-call 95", .accesses = "execute 0 900100 unmapped" },
	{ "rip=0 rsp=7001800 rax=900000", "909090909090ff5008", 0, .told = "85: the program called or jumped to 0x0, a null "
	  "pointer; the program counter is 0x0; the last call was likely 'call qword ptr [rax + 8]' at 0x400106 in a + 0x106",
	  .stack = "7001800=400109", .symbols = CFI },
	{ "eip=900100 esp=7001800", "90", 0x900100, .told = "95: the program jumped to 0x900100, where there is no code",
	  .maps = "", .access = 8, .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "eip=900100 esp=7001800", "90", 0x900100, .told = "", .maps = "", .arch = ARCH_X86, .os = CRASH_OS_WINDOWS },
	{ "pc=900100 sp=7001800 lr=400105 r3=900101", "00bf9847", 0x900100, .told = "95: the program jumped to 0x900100, where there is "
	  "no code; nothing is mapped there; 'blx r3' at 0x400102 in a + 0x102 likely led there", .arch = ARCH_ARM },
	{ "rip=402100 rsp=7001800", "90", 0x402100, .told = "bad-call 75", .stack = "70017f8=402100 7001808=402200", .maps = PAGES
	  "00a00000-00a01000 rw-p 00000000 00:00 0 \n" STACK },
	{ "rip=ffffffff81000000 rsp=7001800", "90", 0xffffffff81000000, .told = "kernel-address 90", .maps = "" },
	{ "rip=0 rsp=7001800", "90", 0, .told = "null-call 70", .flags = NO_CODE },
	{ "rip=400100 rsp=ffffffff81000000", "58", 0xffffffff81000000, .told = "80: the stack pointer 0xffffffff81000000 points to "
	  "unmapped memory\n90: 0xffffffff81000000 lies in the kernel's half of the address space, where a program has no memory; "
	  "addresses from 0xffff800000000000 on are the kernel's" },
	/* A read without an operand; the kernel's page of code; an error that has no address. */
	{ "rip=400100 rsp=0", "58", 0, .told = "80: the stack pointer 0x0 points to unmapped memory\n95: a null pointer was used"
	  NEVER("0x1000") },
	{ AT "rbx=ffffffffff600800", "8b03", 0xffffffffff600800, .told = "allowed-access 85",
	  .maps = MAPS "ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0 [vsyscall]\n" },
	{ AT "rbx=4141414141414141", "488b03", 0, .told = "", .signal = 4 },
	/* Addresses without an instruction; reported as 0 or as all ones; memory of a short name, written to. */
	{ AT, "90", 8, .told = "75: a null pointer was used with an offset of 0x8, as for a member of a structure"
	  NEVER("0x1000"), .code_at = 0x400800 },
	{ AT, "90", 0, .told = "95: a null pointer was used" NEVER("0x1000"), .code_at = 0x400800 },
	{ AT, "90", 0xffffffff81000000, .told = "90: 0xffffffff81000000 lies in the kernel's half of the address space, "
	  "where a program has no memory; addresses from 0xffff800000000000 on are the kernel's", .code_at = 0x400800 },
	{ AT "rbx=4141414141414141", "488b03", 0, .told = "non-canonical 100 text-pointer 95" },
	{ AT "rbx=4141414141414141", "488b03", UINT64_MAX, .told = "non-canonical 100 text-pointer 95" },
	{ AT "rax=0", "8b00", 0, .told = "null-pointer 95", .flags = NO_CODE },
	{ AT "rbx=601800", "8903", 0x601800, .told = "95: the program wrote to 0x601800, which is read-only; the memory "
	  "map says r--p for x", .maps = PAGES DATA("rw-p") "00601000-00602000 r--p 00000000 00:00 0 x\n" STACK, .flags = 2 },
	{ AT, "90", 0x400800, .told = "write-protected 95", .code_at = 0x600800, .access = 1, .os = CRASH_OS_WINDOWS },
	{ "rip=fff rsp=7001800", "90", 0xfff, .told = "return-address 60", .stack = "70017f8=fff 7001800=600010" },
	{ "rip=601000 rsp=7001800", "90", 0x601000, .told = "95: the program jumped to 0x601000 in the data of b, "
	  "which is not executable; the memory map says rw-p for unnamed memory", .flags = 2,
	  .maps = PAGES "00600000-00603000 rw-p 00000000 00:00 0 \n" STACK },
};

/* All findings with their evidence: "90: sentence; evidence" for each. */
static const char *
all_text(const struct analysis *analysis, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->finding_count; i++) {
		used += (size_t)snprintf(buffer + used, size - used, "%s", i > 0 ? "\n" : "");
		used += strlen(finding_text(&analysis->findings[i], buffer + used, size - used));
	}
	return buffer;
}

static void
test_edge(const struct edge *edge)
{
	const bool windows = edge->os == CRASH_OS_WINDOWS;
	const struct example example = {
		.code_at = edge->code_at != 0 ? edge->code_at : 0x400100, .code = edge->code,
		.address = windows ? 0x400100 : edge->address,
		.signal = edge->signal != 0 ? edge->signal : windows ? 0xc0000005 : 11,
		.flags = edge->flags == NO_CODE || windows ? 0 : edge->flags != 0 ? edge->flags : 1,
		/* A privileged instruction has no parameter; an error of a page has its status, too. */
		.parameter_count = !windows || edge->signal == 0xc0000096 ? 0 : edge->signal == 0xc0000006 ? 3 : 2,
		.parameters = { edge->access, edge->address, 0xc000009c },
		.maps = edge->maps == NULL ? MAPS : edge->maps[0] != '\0' ? edge->maps : NULL };
	const struct scene scene = { .arch = edge->arch, .os = edge->os != 0 ? edge->os : CRASH_OS_LINUX,
				     .registers = edge->registers, .stack = 0x7001000, .memory = edge->stack,
				     .modules = { { 0x400000, 0x1000, "/bin/a", edge->symbols },
						  { 0x600000, 0x3000, "/bin/b",
						    edge->unloads ? "STACK CFI INIT 200 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
								  : NULL } }, .more = add_example };
	struct staged staged;
	char text[2000];

	current = &example;
	other_pc = edge->unloads ? 0x600250 : 0;
	scene_play(&staged, &scene, edge->trusting ? POLICY_BREAKPAD : POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	if (instruction_unsupported(staged.walk->arch) != NULL)
		skip(1, "no disassembler: %s", edge->code);
	else
		is_str(strchr(edge->told, ':') != NULL ? all_text(analysis, text, sizeof(text))
						       : findings_text(analysis, text, sizeof(text)),
		       edge->told, "registers %s and code %s give their findings", edge->registers, edge->code);
	ok(!analysis->has_address || analysis->adjustment != ANALYSIS_NO_ADDRESS, "a known address is not called missing");
	if (edge->accesses != NULL && instruction_unsupported(staged.walk->arch) == NULL)
		is_str(accesses_text(analysis, text, sizeof(text)), edge->accesses, "the accesses of the code %s are known", edge->code);
	if (edge->flips != NULL && instruction_unsupported(staged.walk->arch) == NULL)
		is_str(flips_text(analysis, text, sizeof(text)), edge->flips, "the bit flips that explain %s are known", edge->registers);
	struct analysis *alone = analysis_create(&staged.crash, NULL, NULL, NULL);
	ok(alone->finding_count <= analysis->finding_count, "without a walk there are no other findings for %s", edge->registers);
	analysis_free(alone);
	struct crash bare = staged.crash;
	bare.requesting_thread = -1;
	bare.exception.context.present = false;
	alone = analysis_create(&bare, NULL, NULL, NULL);
	ok(alone->thread == -1 && alone->finding_count <= 2 && strncmp(alone->signature, "EMPTY", 5) == 0,
	   "without registers the signal alone is known for %s", edge->registers);
	analysis_free(alone);
	analysis_free(analysis);
	scene_close(&staged);
}

/* The longest cycle: functions that call each other, by frame pointers 0x20 bytes apart, until the stack ends. */
static const struct {
	const char *title;
	const char *functions;		/* functions of frames 1 and on: e is_even, o is_odd, others */
	const char *told;
} recursions[] = {
	{ "one cycle of two", "oeoeoeoeoeoe", "frames 1 to 12 are calls of is_odd, is_even" },
	{ "a short cycle before a long one", "ffffoeoeoeoe", "frames 5 to 12 are calls of is_odd, is_even" },
	{ "a long one before a short one", "oeoeoeoeffff", "frames 1 to 8 are calls of is_odd, is_even" },
	{ "a long one of one function", "oeoeffffffff", "frames 5 to 12 are calls of f" },
	{ "a cycle of four", "oefgoefgoefg", "frames 1 to 12 are calls of is_odd, is_even, f, g" },
	{ "a cycle of five", "oefghoefghoefgh", "frames 1 to 15 are calls of is_odd, is_even, f, g and others" },
};

static void
test_recursion(size_t index)
{
	static const struct example example = { MAPS, 0x400100, "50", 11, 2, 0x7000ff8, 0, { 0 } };
	char memory[1000] = "", text[2000], wanted[600];
	size_t used = 0;
	struct staged staged;

	const unsigned count = (unsigned)strlen(recursions[index].functions);
	for (unsigned i = 0; i < count; i++) {
		const char function = recursions[index].functions[i];
		used += (size_t)snprintf(memory + used, sizeof(memory) - used, "%x=%x %x=%x ",
					 0x7001010 + i * 0x20, 0x7001030 + i * 0x20, 0x7001018 + i * 0x20,
					 function == 'o'   ? 0x400250 : function == 'e' ? 0x400150
							   : 0x400350 + 0x100 * (unsigned)(function - 'f'));
	}
	const struct scene scene = {
		.arch = ARCH_AMD64,
		.os = CRASH_OS_LINUX,
		.registers = "rip=400100 rsp=7001000 rbp=7001010",
		.stack = 0x7001000,
		.memory = memory,
		.more = add_example,
		.modules = { { 0x400000, 0x1000, "/bin/a", "FUNC 100 100 0 is_even\nFUNC 200 100 0 is_odd\nFUNC 300 100 0 "
			       "f\nFUNC 400 100 0 g\nFUNC 500 100 0 h\n" } },
	};
	current = &example;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	snprintf(wanted, sizeof(wanted), "95: the thread's stack overflowed; the access hit the guard page below it at "
		 "0x7000000; at least %u frames are on it; a recursion: %s", count + 1, recursions[index].told);
	all_text(analysis, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	is_str(text, wanted, "a stack overflow says which functions recurse: %s", recursions[index].title);
	analysis_free(analysis);
	scene_close(&staged);
}

/* f, called by the handler g of a signal in a failed assertion, has its sp 0x80 bytes below an alternate stack of 0x180 bytes at
 * 7001100. The frame of the signal is at 7001190: uc_stack at +0x10, rsp and rip of mcontext at
 * +0xa0 and +0xa8 (asm/ucontext.h and asm/sigcontext.h). */
#define ASSERTED(frame, first) "95: an assertion failed: frame " #frame ", main, called __assert_fail\n95: a signal came "	\
	"first: it interrupted frame " #first ", __assert_fail; frame 1, g, is the handler of this signal, or the handler "	\
	"jumped to it\n"
#define BELOW(bytes) "95: the stack of signal handlers overflowed: the stack pointer is " bytes " bytes below it; "	\
	"sigaltstack gave it 384 bytes at 0x7001100; the signal interrupted frame 3"
#define TAKES(bytes) "; frame 0, f, takes " bytes " bytes of the stack"
#define ALLOWED(address) "85: the write of " address " is allowed there; the memory map says rw-p for [stack]; another thread "	\
	"may have mapped it since"
#define WRITES(address) "\n" ALLOWED(address)
static const struct {
	const char *maps;
	uint64_t sp;			/* f takes all bytes up to 7001180 */
	const char *frames;		/* addresses of the interrupted frames' callers */
	const char *told;
	uint32_t signal;		/* 0: 11 */
} handlers[] = {
	{ MAPS, 0x7001080, "7001700=400510", .told = ASSERTED(4, 3) BELOW("128") TAKES("256") WRITES("0x7001078") },
	/* The write failed; the largest distance, and one more; none; half of the stack, and one more byte; a recursion. */
	{ PAGES "07000000-07001000 rw-p 00000000 00:00 0 \n07001000-07002000 r--p 00000000 00:00 0 x\n", 0x7001080,
	  "7001700=400510", .told = ASSERTED(4, 3) BELOW("128") TAKES("256") "; the program wrote to 0x7001078, which is read-only\n"
	  "85: 0x7001078 lies in a mapped file that has no such page: it was truncated after it was mapped, or reading it failed; "
	  "x is mapped there, from 0x7001000 on", .signal = 7 },
	{ MAPS, 0x6f01100, "7001700=400510", .told = ASSERTED(4, 3) BELOW("1048576") TAKES("1048704") },
	{ MAPS, 0x6f010ff, "7001700=400510", .told = ASSERTED(4, 3) "80: the stack pointer 0x6f010ff points to unmapped memory"
	  TAKES("1048705") },
	{ MAPS, 0x7001100, "7001700=400510", .told = ASSERTED(4, 3) ALLOWED("0x70010f8") },
	{ MAPS, 0x70010c0, "7001700=400510", .told = ASSERTED(4, 3) BELOW("64") WRITES("0x70010b8") },
	{ MAPS, 0x70010bf, "7001700=400410 7001708=400410 7001710=400410 7001718=400410 7001720=400410 7001728=400410 "
	  "7001730=400410 7001738=400410 7001740=400510", .told = ASSERTED(12, 3) BELOW("65") TAKES("193") "; a recursion: frames 3 to 11 "
	  "are calls of __assert_fail" WRITES("0x70010b7") },
};

static void
test_handler_overflow(size_t index)
{
	const uint32_t signal = handlers[index].signal != 0 ? handlers[index].signal : 11;
	const struct example example = { handlers[index].maps, 0x400100, "50", signal, 2, handlers[index].sp - 8, 0, { 0 } };
	char registers[40], memory[400], symbols[400];
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = registers,
		.stack = 0x7001080, .more = add_example, .memory = memory,
		.modules = { { 0x400000, 0x1000, "/bin/a", symbols } },
	};
	struct staged staged;
	char text[2000];

	snprintf(registers, sizeof(registers), "rip=400100 rsp=%" PRIx64, handlers[index].sp);
	snprintf(memory, sizeof(memory), "7001178=400210 7001188=400300 70011a0=7001100 70011b0=180 7001230=7001700 "
		 "7001238=400410 7001240=202 7001248=2b000000000033 %s", handlers[index].frames);
	snprintf(symbols, sizeof(symbols), "FUNC 100 100 0 f\nFUNC 200 100 0 g\nFUNC 300 9 0 __restore_rt\n"
		 "FUNC 400 100 0 __assert_fail\nFUNC 500 100 0 main\nSTACK CFI INIT 100 100 .cfa: $rsp %" PRIu64 " + .ra: "
		 ".cfa 8 - ^\nSTACK CFI INIT 200 100 .cfa: $rsp 16 + .ra: .cfa 8 - ^\n"
		 "STACK CFI INIT 400 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n", 0x7001180 - handlers[index].sp);
	current = &example;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	is_str(all_text(analysis, text, sizeof(text)), handlers[index].told,
	       "a stack of signal handlers that overflowed is reported, %zu", index);
	analysis_free(analysis);
	scene_close(&staged);
}

/* A dump without an exception, and one without a thread. */
static void
test_no_crash(void)
{
	const struct scene scene = { .arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=400100 rsp=7001800" };
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	ok(analysis->reason == NULL, "a dump without an exception is no crash");
	is_u64(analysis->finding_count, 0, "a dump without an exception has no findings");
	is_u64(analysis->adjustment, ANALYSIS_AS_REPORTED, "the address of no crash is not adjusted");
	analysis_free(analysis);
	staged.walk->horizon.blind = BLIND_WALK;
	analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	is_str(analysis->signature, "", "a blind walk has no signature, which would reveal its frames");
	analysis_free(analysis);
	analysis = analysis_create(&staged.crash, NULL, NULL, NULL);
	is_str(analysis->signature, "EMPTY: no crashing thread identified",
	       "a dump without a crashing thread has a signature that says so");
	analysis_free(analysis);
	scene_close(&staged);
}

/* Reports of dumps without a crash: damage may have hidden the exception record, stream 6. */
static void
test_no_reason(void)
{
#define LOST "unknown: the dump is damaged and has no readable exception record"
#define NONE "none: the process was running when the dump was made"
	static const struct {
		enum message_kind seen;
		uint32_t stream;
		size_t threads;
		bool core;
		const char *invented, *reason;
	} rows[] = {
		{ MESSAGE_STREAM_BROKEN, 6, 1, .reason = LOST }, { MESSAGE_STREAM_DUPLICATE, 6, 1, .reason = LOST },
		{ MESSAGE_ENTRY_BROKEN, 6, 1, .reason = LOST }, { MESSAGE_STRING_BROKEN, 6, 1, .reason = LOST },
		{ MESSAGE_CONTEXT_BROKEN, 6, 1, .reason = LOST }, { MESSAGE_TRUNCATED, 5, 1, .reason = LOST },
		{ MESSAGE_STREAM_BROKEN, 5, 1, .reason = NONE }, { MESSAGE_STREAM_BROKEN, 7, 1, .reason = NONE },
		{ MESSAGE_SYMBOL_ID, 6, 1, .reason = NONE }, { MESSAGE_SYMBOL_ID, 6, 0, .reason = NONE },
		{ MESSAGE_ENTRY_BROKEN, 5, 1, true, .reason = LOST }, { MESSAGE_SYMBOL_ID, 5, 1, true, .reason = NONE },
		{ MESSAGE_SYMBOL_ID, 5, 0, true, .reason = "unknown: the core has no thread that can be shown" },
		{ MESSAGE_ENTRY_BROKEN, 6, 1, .invented = "made up", .reason = "made up" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct stream streams[2] = { { .type = rows[i].stream }, { .type = 3 } };
		struct crash crash = { .streams = streams, .stream_count = 2, .core = rows[i].core,
				       .invented = rows[i].invented, .thread_count = rows[i].threads, .requesting_thread = -1 };

		crash.messages.seen[rows[i].seen] = 2;
		is_str(analysis_no_reason(&crash), rows[i].reason,
		       "a dump without a crash says why, with stream %u and message %u", rows[i].stream, (unsigned)rows[i].seen);
	}
}

static void
add_generated_code(struct synth *synth)
{
	synth_memory_info(synth, 0x400000, 0x4000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x910000, 0x1000, 0x1000, 0x40, 0x20000);
}

/* Frames by a frame pointer that a function need not keep, or that passes over a return address. */
static const struct {
	const char *title, *words;
	struct scene scene;
} chains[] = {
	{ "a frame pointer is a guess in a function that the module's records leave out", "2 frames: 1 exact, "
	  "1 guessed; trust frame 0", SCENE(AMD64, LINUX, "rip=401020 rsp=8000 rbp=8010", "8010=8030 8018=401005", { {
	  0x400000, 0x4000, "app", "STACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" } }) },
	{ "a frame pointer is a guess if generated code has the address of other code below it",
	  "2 frames: 1 exact, 1 guessed; trust frame 0", SCENE(AMD64, LINUX, "rip=910020 rsp=8000 rbp=8020",
	  "8008=910055 8020=8040 8028=401005", APP(NULL), .more = add_generated_code) },
	{ "a frame pointer is a guess if the address of generated code is below it", "2 frames: 1 exact, 1 guessed; trust frame 0",
	  SCENE(AMD64, LINUX, "rip=401020 rsp=8000 rbp=8020", "8008=910055 8020=8040 8028=910025", APP(NULL), .more = add_generated_code) },
	{ "a frame pointer of generated code is followed where no such address is below it",
	  "2 frames: 1 exact, 1 by frame pointer; trust frames 0 to 1",
	  SCENE(AMD64, LINUX, "rip=910020 rsp=8000 rbp=8020", "8008=55 8020=8040 8028=401005", APP(NULL), .more = add_generated_code) },
	{ "a frame pointer is a guess if a return address of the module is in no record below it",
	  "2 frames: 1 exact, 1 guessed; trust frame 0", SCENE(ARM64, LINUX, "pc=401020 sp=8000 x29=8040",
	  "8008=7 8010=402034 8040=8060 8048=501004", { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x4000, "lib", NULL } }) },
	{ "a frame record that the module's code left does not make a chain doubtful",
	  "2 frames: 1 exact, 1 by frame pointer; trust frames 0 to 1", SCENE(ARM64, LINUX, "pc=401020 sp=8000 x29=8040",
	  "8008=8030 8010=402034 8040=8060 8048=501004", { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x4000, "lib", NULL } }) },
};

static void
test_trust_of_chain(size_t index)
{
	struct stack_trust trust;
	struct staged staged;

	scene_play_limited(&staged, &chains[index].scene, POLICY_UNSPOOL, 2);
	stack_trust_of(staged.walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena), chains[index].words, "%s", chains[index].title);
	scene_close(&staged);
}

/* Nine frames by records, four by frame pointer, the last one by a scan. */
static void
test_trust(void)
{
	const struct scene scene = { .arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=400100 rsp=7001800" };
	struct frame frames[257] = { 0 };
	struct stack_trust trust;
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct walk walk = *staged.walk;
	walk.arena = (struct arena){ 0 };
	walk.frames = frames;
	walk.count = 14;
	for (size_t i = 0; i < ARRAY_COUNT(frames); i++) {
		frames[i].trust = i == 0    ? TRUST_CONTEXT : i < 9   ? TRUST_CFI : i >= 13 ? TRUST_SCAN : TRUST_FRAME_POINTER;
		frames[i].module = MODULE_NONE;
	}
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena),
	       "14 frames: 9 exact, 4 by frame pointer, 1 guessed; trust frames 0 to 12", "frames before a guess are trusted");
	is_str(stack_trust_help(&trust, &walk, &staged.walk->arena), NULL, "without a module there is no help");
	/* Exact frames after a guess are as reliable as the guess. */
	frames[3].trust = TRUST_CFI_SCAN;
	walk.trust = NULL;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 2, 4, &staged.walk->arena),
	       "14 frames and 2 inlined calls: 8 exact, 4 by frame pointer, 2 guessed; trust frames 0 to 4",
	       "no frame after a guess is trusted, and inlined calls are numbered");
	/* The walk continues: earlier judgements stay. */
	walk.count = 256;
	stack_trust_of(&walk, &trust);
	ok(trust.compared == 256 && strstr(stack_trust_text(&trust, 0, 2, &staged.walk->arena),
					   "compared") == NULL, "256 frames are compared");
	walk.count = 257;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, 2, &staged.walk->arena),
	       "257 frames: 8 exact, 4 by frame pointer, 245 guessed; only frames 0 to 255 were "
	       "compared with other sources; trust frames 0 to 2", "a walk of 257 frames says that 256 were compared");
	walk.trust = NULL;
	walk.count = 1;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena),
	       "1 frame: 1 exact; trust frame 0", "one frame has the singular");
	walk.count = 9;
	stack_trust_of(&walk, &trust);
	frames[4].trust = TRUST_SCAN;
	walk.count = 14;
	stack_trust_of(&walk, &trust);
	is_str(stack_trust_text(&trust, 0, trust.trusted - 1, &staged.walk->arena),
	       "14 frames: 8 exact, 4 by frame pointer, 2 guessed; trust frames 0 to 2",
	       "frames that were judged are not judged again as the walk goes on");
	arena_free(&walk.arena);
	scene_close(&staged);
}

/* Guesses in four modules without rules: three are named, the one with the most guesses first. */
static void
test_helps(void)
{
	/* The guess of a frame's caller lacks rules of the frame's module. */
	static const struct {
		int modules[10];
		const char *help;
		const char *symbols;		/* records of the first module */
		bool pe;			/* 32-bit code of Windows, whose files have no unwind rules */
		bool off;			/* the policy allows no frame tables */
	} walks[] = {
		{ { 0, 0, 0, -1, -1, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for a (3 guesses): "
		  "STACK records in symbol files", .off = true },
		{ { 0, -1, -1, -1, -1, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for a (1 guess): "
		  "STACK records in symbol files or --binaries DIR", .symbols = "FUNC 1000 10 0 f\n" },
		{ { 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for a (2 "
		  "guesses): --binaries DIR", .symbols = CFI },
		{ { 0, 0, 0, -1, -1, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for a (3 guesses): "
		  "STACK records in symbol files", .pe = true },
		{ { 0, 0, 0, -1, -1, -1, -1, -1, -1, -1 }, NULL, .symbols = "STACK WIN 4 100 10 0 0 0 0 0 0 0 0\n", .pe = true },
		{ { 0, 0, 0, 1, 1, 2, -1, -1, -1, -1 }, .help = "unwind rules would help for a (3 guesses), b "
		  "(2), c (1): STACK records in symbol files or --binaries DIR" },
		{ { 1, 0, 0, 2, 0, 1, -1, -1, -1, -1 }, .help = "unwind rules would help for a (3 guesses), b "
		  "(2), c (1): STACK records in symbol files or --binaries DIR" },
		{ { 2, 1, 1, 0, 3, 3, 3, 3, 0, 0 }, .help = "unwind rules would help for a (3 guesses), b (2), "
		  "c (1): STACK records in symbol files or --binaries DIR" },
		{ { 1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for b (1 guess): "
		  "STACK records in symbol files or --binaries DIR" },
		{ { 2, 1, 0, 1, 0, -1, -1, -1, -1, -1 }, .help = "unwind rules would help for b (2 guesses), a (2), c (1): "
		  "STACK records in symbol files or --binaries DIR" },
		{ { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }, .help = NULL },
	};

	for (size_t n = 0; n < ARRAY_COUNT(walks); n++) {
		const bool pe = walks[n].pe;
		const struct scene scene = {
			.arch = pe ? ARCH_X86 : ARCH_AMD64, .os = pe ? CRASH_OS_WINDOWS : CRASH_OS_LINUX,
			.registers = pe ? "eip=401100 esp=7001800" : "rip=401100 rsp=7001800",
			.modules = { { 0x400000, 0x5000, "/bin/a", walks[n].symbols },
				     { 0x500000, 0x5000, "/bin/b", NULL }, { 0x600000, 0x5000, "/bin/c", NULL },
				     { 0x700000, 0x5000, "/bin/d", NULL } } };
		struct frame frames[11] = { 0 };
		struct stack_trust trust;
		struct staged staged;

		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct walk walk = *staged.walk;
		walk.arena = (struct arena){ 0 };
		walk.frames = frames;
		walk.count = ARRAY_COUNT(frames);
		walk.trust = NULL;
		if (walks[n].off)
			walk.policy.value[POLICY_FRAME_TABLES] = 0;
		for (size_t i = 0; i < ARRAY_COUNT(frames); i++) {
			frames[i].trust = i == 0 ? TRUST_CONTEXT : TRUST_SCAN;
			frames[i].module = i < 10 ? walks[n].modules[i] : MODULE_NONE;
			frames[i].module = frames[i].module < 0 ? MODULE_NONE : frames[i].module;
		}
		stack_trust_of(&walk, &trust);
		is_str(stack_trust_help(&trust, &walk, &staged.walk->arena), walks[n].help,
		       "modules whose rules would replace guesses are named");
		is_u64(trust.trusted, 1, "frames before the first guess are trusted");
		is_u64(trust.counts[CERTAINTY_GUESSED], 10, "guesses are counted");
		arena_free(&walk.arena);
		scene_close(&staged);
	}
}

static void
test_trust_words(void)
{
	static const struct {
		struct stack_trust trust;
		size_t inlined, last;
		const char *text;
	} rows[] = {
		{ { .frames = 2, .counts = { [CERTAINTY_EXACT] = 2 }, .compared = 2, .trusted = 2 }, 1, 1,
		  "2 frames and 1 inlined call: 2 exact; trust frames 0 to 1" },
		{ { .frames = 3, .counts = { [CERTAINTY_EXACT] = 1 }, .contradicted = 2, .compared = 3, .trusted
		  = 1 }, 0, 0, "3 frames: 1 exact, 2 contradicted; trust frame 0" },
		{ { .frames = 300, .counts = { [CERTAINTY_CONVENTION] = 299 }, .contradicted = 1, .compared =
		  256, .trusted = 4 }, 0, 3, "300 frames: 299 by convention, 1 contradicted; only frames 0 to "
		  "255 were compared with other sources; trust frames 0 to 3" },
		{ { .frames = 1, .counts = { [CERTAINTY_GUESSED] = 1 }, .compared = 1, .trusted = 0 }, 0, 0,
		  "1 frame: 1 guessed; trust none" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_str(stack_trust_text(&rows[i].trust, rows[i].inlined, rows[i].last, &arena),
		       rows[i].text, "the trust of a stack is printed in words");
	arena_free(&arena);
}

static void
test_names(void)
{
	is_str(finding_words[FINDING_STACK_OVERFLOW].name, "stack-overflow", "findings have names for programs");
	is_str(finding_words[FINDING_STACK_OVERFLOW].title, "stack overflow", "findings have titles for people");
	/* crash_inconsistencies of rust-minidump */
	static const struct {
		enum finding_kind kind;
		const char *name;
	} inconsistencies[] = {
		{ FINDING_NO_DIVISION, "int_div_by_zero_not_possible" },
		{ FINDING_NO_PRIVILEGE, "priv_instruction_crash_without_priv_instruction" },
		{ FINDING_FALSE_ADDRESS, "non_canonical_address_falsely_reported" },
		{ FINDING_ALLOWED_ACCESS, "access_violation_when_access_allowed" },
		{ FINDING_NO_SUCH_ACCESS, "crashing_access_not_found_in_memory_accesses" }, { FINDING_NULL_POINTER, NULL },
	};
	for (size_t i = 0; i < ARRAY_COUNT(inconsistencies); i++)
		is_str(finding_inconsistency(inconsistencies[i].kind), inconsistencies[i].name,
		       "a contradiction has the name that rust-minidump gives it, another finding has none");
	static const struct {
		unsigned from;
		const char *name;
	} likely[] = { { 100, "certain" }, { 95, "very likely" }, { 70, "likely" }, { 40, "possible" }, { 0, "weak" } };
	for (size_t i = 0; i < ARRAY_COUNT(likely); i++) {
		is_str(analysis_confidence_name(likely[i].from), likely[i].name, "%u is the least that is %s",
		       likely[i].from, likely[i].name);
		is_str(analysis_confidence_name(i > 0 ? likely[i - 1].from - 1 : 100), likely[i].name,
		       "the most that is %s", likely[i].name);
	}
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(edges); i++)
		test_edge(&edges[i]);
	for (size_t i = 0; i < ARRAY_COUNT(recursions); i++)
		test_recursion(i);
	for (size_t i = 0; i < ARRAY_COUNT(handlers); i++)
		test_handler_overflow(i);
	test_no_crash();
	test_no_reason();
	for (size_t i = 0; i < ARRAY_COUNT(chains); i++)
		test_trust_of_chain(i);
	test_trust();
	test_helps();
	test_trust_words();
	test_names();
	return done_testing();
}
