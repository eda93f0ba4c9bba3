/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

/* The results of RtlVirtualUnwind for each address that standard input names, relative to the DLL's
 * base. Registers and stack are as t-pe-answers.c has them: register N points N KiB into the
 * stack's upper half, and a word of the stack is its own address with a mark. */
#define STACK 0x200000000u
#define STACK_SIZE 0x1000000u
#define MARK 0x5a00000000000000u

static const char *const names[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				       "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

static uint64_t
register_of(unsigned number)
{
	return number == 4 ? STACK + 0x1000 : STACK + STACK_SIZE / 2 + number * 1024;
}

static void
answer(uint64_t base, uint64_t address)
{
	CONTEXT context = { .ContextFlags = CONTEXT_FULL };
	DWORD64 *registers = &context.Rax, image = 0, frame = 0;
	PVOID data = NULL;

	for (unsigned i = 0; i < 16; i++)
		registers[i] = register_of(i);
	context.Rip = base + address;
	RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context.Rip, &image, NULL);
	if (function != NULL) {
		RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, context.Rip, function, &context, &data, &frame, NULL);
	} else {
		context.Rip = *(uint64_t *)context.Rsp;
		context.Rsp += 8;
	}
	printf("%x rip=%I64x rsp=%I64x", (unsigned)address, context.Rip, context.Rsp);
	for (unsigned i = 0; i < 16; i++)
		if (i != 4 && registers[i] != register_of(i))
			printf(" %s=%I64x", names[i], registers[i]);
	printf("\n");
}

int
main(int argc, char **argv)
{
	const HMODULE dll = argc == 2 ? LoadLibraryExA(argv[1], NULL, DONT_RESOLVE_DLL_REFERENCES) : NULL;
	uint64_t *const stack = VirtualAlloc((void *)(uintptr_t)STACK, STACK_SIZE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	char line[32];

	if (dll == NULL || stack != (void *)(uintptr_t)STACK)
		return 1;
	for (size_t i = 0; i < STACK_SIZE / 8; i++)
		stack[i] = MARK | (STACK + i * 8);
	while (fgets(line, sizeof(line), stdin) != NULL)
		answer((uint64_t)dll, strtoull(line, NULL, 16));
	return 0;
}
