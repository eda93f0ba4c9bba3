/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/call.h"

#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

/* Instructions of 64-bit code, by the opcode maps and tables 2-1 to 2-3 of the Intel SDM, volume 2. */
static const struct {
	const char *hex;
	unsigned length;
	const char *title;
} cases[] = {
	{ "c3", 1, "ret" }, { "c20800", 3, "ret 8" }, { "55", 1, "push rbp" }, { "4157", 2, "push r15" },
	{ "4889e5", 3, "mov rbp, rsp" }, { "4883ec28", 4, "sub rsp, 0x28" }, { "4881ec00010000", 7, "sub rsp, 0x100" },
	{ "6681ec0001", 5, "sub sp, 0x100: an operand of two bytes" },
	{ "488d442408", 5, "lea rax, [rsp + 8]: a SIB byte and a byte of distance" },
	{ "488d0424", 4, "lea rax, [rsp]: a SIB byte alone" }, { "488d0578563412", 7, "lea rax, [rip + 0x12345678]" },
	{ "488b842478563412", 8, "mov rax, [rsp + 0x12345678]" },
	{ "488b042578563412", 8, "mov rax, [0x12345678]: a SIB byte without a base" },
	{ "488b4405f8", 5, "mov rax, [rbp + rax - 8]" }, { "b878563412", 5, "mov eax, 0x12345678" },
	{ "48b8efcdab8967452301", 10, "mov rax, an operand of eight bytes" }, { "66b83412", 4, "mov ax, 0x1234" },
	{ "a1efcdab8967452301", 9, "mov eax, [an address of eight bytes]" }, { "67a178563412", 6, "mov eax, [an address of four bytes]" },
	{ "f6c101", 3, "test cl, 1, which has an operand" }, { "f7c178563412", 6, "test ecx, 0x12345678" },
	{ "f7d8", 2, "neg eax, which has no operand" }, { "e800000000", 5, "call" },
	{ "66e800000000", 6, "call with a prefix that it does not need" }, { "0f8478563412", 6, "je" },
	{ "7405", 2, "je, near" }, { "0f1f840000000000", 8, "nop of eight bytes" },
	{ "662e0f1f840000000000", 10, "nop of ten bytes" }, { "f30f1efa", 4, "endbr64" },
	{ "0f0b", 2, "ud2" }, { "c8100000", 4, "enter 16, 0" }, { "68785634126a05", 5, "push 0x12345678" }, { "6a05", 2, "push 5" },
	{ "69c078563412", 6, "imul eax, eax, 0x12345678" }, { "0fa4c205", 4, "shld edx, eax, 5" },
	{ "660f3a0fc108", 6, "palignr xmm0, xmm1, 8" }, { "660f3800c1", 5, "pshufb xmm0, xmm1" },
	{ "c5f877", 3, "vzeroupper" }, { "c5f96fc1", 4, "vmovdqa xmm0, xmm1" }, { "c4e37d39c101", 6, "vextracti128 xmm1, ymm0, 1" },
	{ "c4e279180578563412", 9, "vbroadcastss xmm0, [rip + 0x12345678]" },
	{ "62f17c48100578563412", 10, "vmovups zmm0, [rip + 0x12345678]" },
	{ "8fe878c0c103", 6, "vprotb xmm0, xmm1, 3 (XOP)" }, { "8f00", 2, "pop qword [rax]" },
	{ "f2e800000000", 6, "bnd call" }, { "06", 0, "push es: not of 64-bit code" },
	{ "9a", 0, "call far: not of 64-bit code" }, { "0f04", 0, "an opcode that does not exist" },
	{ "6666666666666666666666666666666690", 0, "sixteen bytes of prefixes" }, { "48", 0, "a prefix alone" },
	{ "48b8efcdab89674523", 0, "an operand that is cut off" }, { "4883", 0, "a ModRM byte that is missing" },
};

int
main(void)
{
	uint8_t bytes[32];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const size_t size = bytes_of(cases[i].hex, bytes, sizeof(bytes));
		is_u64(x86_length(bytes, size), cases[i].length, "the length is right: %s", cases[i].title);
	}
	return done_testing();
}
