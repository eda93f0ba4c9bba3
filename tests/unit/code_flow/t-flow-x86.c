/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_state.h"
#include "code_flow/flow_row.h"
#include "tests/unit/code_flow/flow_case.h"

/* Functions of a few instructions, and the expected state before some of them. */

static const struct flow_case cases[] = {
	{ ARCH_AMD64, "a frame with a frame pointer",
	  /* push rbp; mov rbp, rsp; push rbx; sub rsp, 8; call; mov rbx, rax; add rsp, 8; pop rbx; pop rbp; ret */
	  "554889e5534883ec08e80a0000004889c34883c4085b5dc3c3", { .size = 0 },
	  { { 1, "c-16 rbp rbx -16: rbp" }, { 5, "c-24 c-16 rbx -16: rbp -24: rbx" },
	    { 0xe, "c-32 c-16 rbx -16: rbp -24: rbx" },
	    { 0x11, "c-32 c-16 other -16: rbp -24: rbx" },
	    { 0x16, "c-16 c-16 rbx -16: rbp -24: rbx" },
	    { 0x17, "c-8 rbp rbx -16: rbp -24: rbx" } } },
	{ ARCH_AMD64, "a push of two bytes",
	  /* push ax; nop; add rsp, 2; ret */
	  "6650904883c402c3", { .size = 0 }, { { 2, "c-10 rbp rbx" }, { 7, "c-8 rbp rbx" } } },
	{ ARCH_AMD64, "a register that one way saves and restores", "85ff74045389fb5b90c3",
	  { .size = 0 }, { { 7, "c-16 rbp other -16: rbx" }, { 8, "c-8 rbp rbx -16: ?" } } },
	{ ARCH_AMD64, "a loop that probes the stack",
	  /* lea r11, [rsp - 3000h]; 8: sub rsp, 1000h; or [rsp], 0; cmp rsp, r11; jne 8; ... */
	  "4c8d9c2400d0ffff4881ec0010000048830c24004c39dc75ef4883ec084881c408300000c3",
	  { .size = 0 },
	  { { 8, "? rbp rbx" }, { 0x19, "c-12296 rbp rbx" }, { 0x24, "c-8 rbp rbx" } } },
	{ ARCH_AMD64, "a jump by a table of two entries",
	  "4883ec0883ff017715488d1514000000486304ba4801d0ffe0535beb01904883c408c390f5fffffff9ffffff", { .size = 0 },
	  { { 0x19, "c-16 rbp rbx" }, { 0x1a, "c-24 rbp rbx -24: rbx" }, { 0x1d, "c-16 rbp rbx" }, { 0x22, "c-8 rbp rbx -24: ?" } } },
	{ ARCH_AMD64, "code that a jump to an unknown address may reach", "4883ec08ff6710535b4883c408c3", { .size = 0 },
	  { { 7, "c-16 rbp rbx" }, { 0xd, "c-8 rbp rbx -24: rbx" } } },
	{ ARCH_AMD64, "the code after a call shows that the call never returns",
	  /* push rbx; test; je e; sub rsp, 16; call; e: nop; pop rbx; ret */
	  "5385ff74094883ec10e803000000905bc3c3", { .size = 0 }, { { 9, "c-32 rbp rbx -16: rbx" }, { 0xe, "c-16 rbp rbx -16: rbx" } } },
	{ ARCH_AMD64, "a call that never returns by its name", "5385ff74094883ec10e803000000905bc3c3", { .stops = 0x11 },
	  { { 0xe, "c-16 rbp rbx -16: rbx" } } },
	{ ARCH_AMD64, "a handler for exceptions of a call, less the arguments of that call", "5385ff74094883ec10e803000000905bc3c3",
	  { .stops = 0x11, .back = 0xe, .pad = 0x11 }, { { 0x11, "c-16 rbp rbx -16: rbx" } } },
	{ ARCH_AMD64, "a store over a part of a saved register",
	  /* mov [rsp - 8], rbx; xor ebx, ebx; mov dword [rsp - 8], 1; ret */
	  "48895c24f831dbc74424f801000000c3", { .size = 0 }, { { 7, "c-8 rbp number -16: rbx" }, { 0xf, "c-8 rbp number" } } },
	{ ARCH_AMD64, "a store that seems to be over the only copy of a saved register",
	  /* push rbx; xor ebx, ebx; mov dword [rsp + 4], 1; pop rbx; ret */
	  "5331dbc7442404010000005bc3", { .size = 0 }, { { 0xb, "c-16 rbp number -16: rbx" }, { 0xc, "c-8 rbp rbx -16: rbx" } } },
	{ ARCH_AMD64, "a store that seems to be over the return address",
	  /* push rbx; mov dword [rsp + 8], 1; pop rbx; mov rbx, [rsp]; nop */
	  "53c7442408010000005b488b1c2490", { .size = 0 }, { { 0xe, "c-8 rbp rip -16: rbx" } } },
	{ ARCH_AMD64, "a store that makes a return a jump", "48890424488b1c2490", { .size = 0 }, { { 8, "c-8 rbp ?" } } },
	{ ARCH_AMD64, "a register that a callee of the same file may leave alone",
	  /* mov r11, rsp; sub rsp, 8; call; mov rsp, r11; ret */
	  "4989e34883ec08e8000100004c89dcc3", { .size = 0 }, { { 0xf, "? rbp rbx" } } },
	{ ARCH_AMD64, "a register that other callees change",
	  /* mov r11, rsp; sub rsp, 8; call rax; mov rsp, r11; ret */
	  "4989e34883ec08ffd04c89dcc3", { .size = 0 }, { { 0xc, "other rbp rbx" } } },
	{ ARCH_AMD64, "a call whose callee is given as one without return", "5385ff74094883ec10e803000000905bc3c3",
	  { .back = 0xe, .ends = true }, { { 0xe, "c-16 rbp rbx -16: rbx" } } },
	{ ARCH_X86, "a realigned stack, whose CFA is in memory", "8d4c240483e4f0ff71fc5589e55183ec048b4dfcc98d61fcc3", { .size = 0 },
	  { { 7, "@4+0 ebp ebx" }, { 0xe, "@4-12 @4-8 ebx @-4: eip @-8: ebp @-12: c+0" },
	    { 0x15, "@4-4 ebp ebx @-4: eip @-8: ebp @-12: c+0" },
	    { 0x18, "c-4 ebp ebx @-4: eip @-8: ebp @-12: c+0" } } },
	{ ARCH_X86, "a call of a function that tells the pc", "53e80800000081c3001000005bc38b1c24c3", { .size = 0 },
	  { { 6, "c-8 ebp number -8: ebx" }, { 0xd, "c-4 ebp ebx -8: ebx" } } },
	{ ARCH_X86, "a call of the next instruction", "e80000000058c3", { .size = 0 }, { { 5, "c-8 ebp ebx" }, { 6, "c-4 ebp ebx" } } },
	{ ARCH_X86, "a callee that takes its arguments off", "6a01e800000000e8010000005bc3",
	  { .pops = 4 }, { { 7, "c-12 ebp ebx" }, { 0xc, "c-8 ebp ebx" } } },
	{ ARCH_X86, "a callee whose argument size is given", "6a01e800010000e8010000005bc3",
	  { .back = 7, .taken = 4 }, { { 7, "c-4 ebp ebx" }, { 0xc, "c-4 ebp ebx" } } },
	{ ARCH_X86, "a callee whose code gives its argument size", "6a01e800010000e8010000005bc3",
	  { .back = 7, .taken = 4, .pops = 8 }, { { 7, "c+0 ebp ebx" } } },
};

#define RULE(from, by, read) { .kind = CLAIM_RULE, .base = (from), .offset = (by), .dereference = (read) }

/* The first frame of all cases, stopped at the call: claims that records may make. */
TEST(claims)
{
	static const struct {
		unsigned column;
		struct claim claim;
		enum flow_verdict verdict;
		const char *title;
	} claims[] = {
		{ CLAIM_CFA, RULE(7, 32, false), FLOW_AGREES, "the CFA by the stack pointer" },
		{ CLAIM_CFA, RULE(6, 16, false), FLOW_AGREES, "the CFA by the frame pointer" },
		{ CLAIM_CFA, RULE(7, 24, false), FLOW_CONTRADICTS, "a CFA that is too low" },
		{ CLAIM_CFA, RULE(3, 16, false), FLOW_CONTRADICTS, "a CFA by the caller's rbx" },
		{ CLAIM_CFA, RULE(5, 0, false), FLOW_CANNOT_SAY, "a CFA by an argument" },
		{ CLAIM_RETURN_ADDRESS, RULE(LINEAR_CFA, -8, true), FLOW_AGREES, "the return address" },
		{ CLAIM_RETURN_ADDRESS, RULE(LINEAR_CFA, -16, true), FLOW_CONTRADICTS, "another word as return address" },
		{ CLAIM_REGISTER + 3, RULE(LINEAR_CFA, -24, true), FLOW_AGREES, "a register where it was saved" },
		{ CLAIM_REGISTER + 3, { .kind = CLAIM_SAME }, FLOW_AGREES, "a register that is saved but still there" },
		{ CLAIM_REGISTER + 6, RULE(LINEAR_CFA, -24, true), FLOW_CONTRADICTS, "a register in another one's place" },
		{ CLAIM_REGISTER + 6, { .kind = CLAIM_SAME }, FLOW_CONTRADICTS, "a register that has changed" },
		{ CLAIM_REGISTER + 12, RULE(LINEAR_CFA, -40, true), FLOW_CONTRADICTS, "a register that was saved nowhere" },
		{ CLAIM_REGISTER + 12, RULE(3, 8, true), FLOW_CANNOT_SAY, "a word of memory that is no stack" },
	};
	struct code_bytes code = { .size = 0 };
	const struct flow_code flow = { .arch = arch_by_id(ARCH_AMD64), .context = &code, .bytes = bytes };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_point point;

	code.size = bytes_of(cases[0].hex, code.data, sizeof(code.data));
	flow_function_run(function, 0, code.size);
	ok(flow_function_call(function, 0xe, &point) && point.instruction->address == 9, "the call before a return address is found");
	ok(!flow_function_call(function, 0x11, &point), "an address after another instruction has no call");
	flow_function_at(function, 9, &point);
	for (size_t i = 0; i < ARRAY_COUNT(claims); i++)
		is_u64(flow_judge(flow.arch, false, point.state, claims[i].column, &claims[i].claim),
		       claims[i].verdict, "the claim about %s has its verdict", claims[i].title);
	flow_function_free(function);
}

/* A function that moves its return address, as in libffi, has its frame at the new place. */
TEST(moved)
{
	static const struct {
		const char *hex, *title;
		enum flow_verdict verdict;
	} ways[] = {
		/* mov r10, [rsp]; mov [rdi], r10; mov rbp, rdi; ret */
		{ "4c8b14244c891790904889fdc3", "a CFA by where the return address was put", FLOW_CANNOT_SAY },
		/* mov r10, [rsp]; nop; mov rbp, rdi; ret */
		{ "4c8b142490909090904889fdc3", "a CFA by an argument", FLOW_CONTRADICTS },
	};
	/* rbp + 16 is an argument and 8. */
	static const struct claim claim = RULE(6, 16, false);

	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		struct code_bytes code = { .size = 0 };
		const struct flow_code flow = { .arch = arch_by_id(ARCH_AMD64), .context = &code, .bytes = bytes };
		struct flow_function *function = flow_function_create(&flow);
		struct flow_point point;

		code.size = bytes_of(ways[i].hex, code.data, sizeof(code.data));
		flow_function_run(function, 0, code.size);
		flow_function_at(function, 0xc, &point);
		is_u64(flow_judge(flow.arch, false, point.state, CLAIM_CFA, &claim), ways[i].verdict, "%s", ways[i].title);
		flow_function_free(function);
	}
}

/* A function that gives its caller the pc changes a register that calls preserve. */
TEST(thunk)
{
	static const struct claim same = RULE(3, 0, false), slot = RULE(LINEAR_CFA, -4, true);
	struct code_bytes code = { .size = 0 };
	const struct flow_code flow = { .arch = arch_by_id(ARCH_X86), .context = &code, .bytes = bytes };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_point point;

	code.size = bytes_of("8b1c24c3", code.data, sizeof(code.data));
	flow_function_run(function, 0, code.size);
	flow_function_at(function, 3, &point);
	is_u64(flow_judge(flow.arch, false, point.state, CLAIM_REGISTER + 3, &same),
	       FLOW_CANNOT_SAY, "a function that tells the pc in ebx may do so");
	is_u64(flow_judge(flow.arch, false, point.state, CLAIM_REGISTER + 3, &slot),
	       FLOW_CONTRADICTS, "ebx cannot be saved in the place of the return address");
	flow_function_free(function);
}

/* The bytes that the imported function in the slot at 401000 pops. */
static struct flow_callee
imported(void *context, uint64_t slot)
{
	const struct code_bytes *code = context;

	return (struct flow_callee){ .settled = slot == 0x1000 && code->pops != 0, .pops = code->pops };
}

/* On 32-bit Windows only a callee's code or its linker name says how many bytes it pops: after a
 * call of another import esp is unknown, until it is set from ebp. */
TEST(loose)
{
	/* push ebp; mov ebp, esp; push 1; call [401000]; nop; leave; ret */
	static const char framed[] = "5589e56a01ff150010400090c9c3";
	/* push ebx; push 1; call; nop; ret */
	static const char bare[] = "536a01ff150010400090c3", direct[] = "536a01e80001000090c3";
	/* push ebx; push 1; call [402000]; nop; ret; the others call [eax], [eax * 4 + 401000] and fs:[401000] */
	static const char other[] = "536a01ff150020400090c3", loaded[] = "536a01ff10909090909090c3",
			  indexed[] = "536a01ff14850010400090c3",
			  segment[] = "536a0164ff150010400090c3";
	static const struct {
		const char *hex;
		uint32_t at;
		bool windows;
		uint16_t pops;
		const char *cfa, *title;
	} ways[] = {
		{ framed, 0xb, true, 0, "$ebp 8 +", "ebp gives the CFA after a call of an import" },
		{ framed, 0xd, true, 0, "$esp 4 +", "esp gives the CFA after it was set from ebp" },
		{ bare, 3, true, 0, "$esp 12 +", "esp gives the CFA before the call" },
		{ bare, 9, true, 0, NULL, "no register gives the CFA after the call" },
		{ bare, 9, false, 0, "$esp 12 +", "callers remove arguments on other systems, so esp gives the CFA" },
		{ direct, 8, true, 0, NULL, "esp is unknown after a call of a function with unknown code" },
		{ direct, 8, true, 4, "$esp 8 +", "bytes that a known function takes off count" },
		{ bare, 9, true, 4, "$esp 8 +", "bytes that an import takes off count" },
		{ other, 9, true, 4, NULL, "bytes that another word's function takes off do not count" },
		{ loaded, 5, true, 4, NULL, "a pointer in a register is no import" },
		{ indexed, 0xa, true, 4, NULL, "a pointer in a table is no import" },
		{ segment, 0xa, true, 4, NULL, "a pointer in the thread's block is no import" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		struct code_bytes code = { .pops = ways[i].pops };
		const struct flow_code flow = { .arch = arch_by_id(ARCH_X86), .context = &code,
						.windows = ways[i].windows, .linked = 0x400000, .bytes = bytes, .callee = callee,
						.imported = imported };
		struct flow_function *function = flow_function_create(&flow);
		struct flow_row row = { .count = 0 };
		struct flow_point point;
		char cfa[64];

		code.size = bytes_of(ways[i].hex, code.data, sizeof(code.data));
		flow_function_run(function, 0, code.size);
		const bool made = flow_function_at(function, ways[i].at, &point) &&
				  flow_row_make(&flow, point.state, false, &row) == NULL;
		claim_expression(flow.arch, &row.rules[0].claim, cfa, sizeof(cfa));
		is_str(made ? cfa : "", ways[i].cfa != NULL ? ways[i].cfa : "", "%s", ways[i].title);
		flow_function_free(function);
	}
}

/* A function that aligns its stack keeps the old stack pointer, CFA - 8, in a word there. */
TEST(kept)
{
	struct code_bytes code = { .size = 0 };
	const struct flow_code flow = { .arch = arch_by_id(ARCH_AMD64), .context = &code, .bytes = bytes };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_row row = { .count = 0 };
	struct flow_point point;
	char cfa[64];

	/* mov r10, rsp; and rsp, -32; push r10; xor r10d, r10d; nop */
	code.size = bytes_of("4989e24883e4e041524531d290", code.data, sizeof(code.data));
	flow_function_run(function, 0, code.size);
	ok(flow_function_at(function, 0xc, &point) && flow_row_make(&flow, point.state, false, &row) == NULL,
	   "a word of the stack gives the CFA");
	is_str(claim_expression(flow.arch, &row.rules[0].claim, cfa, sizeof(cfa)), "$rsp ^", "the word on top of the stack is read");
	is_u64((uint64_t)row.rules[0].beyond, 8, "the CFA is 8 bytes above the old stack pointer");
	flow_function_free(function);
}

int
main(void)
{
	const struct flow_code flow = { .arch = arch_by_id(ARCH_AMD64) },
			       none = { .arch = arch_by_id(ARCH_UNKNOWN) };
	struct flow_function *function = flow_function_create(&flow);

	ok(flow_function_create(&none) == NULL, "code of an unknown architecture is not run");
	if (function == NULL) {
		skip(1, "built without capstone");
		return done_testing();
	}
	flow_function_free(function);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		run_case(&cases[i]);
	run_tests();
	run_random(ARCH_AMD64, false);
	return done_testing();
}
