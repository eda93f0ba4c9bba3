/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/code_flow/flow_case.h"

static const struct flow_case cases[] = {
	{ ARCH_ARM64, "a frame, by stores that move the stack pointer",
	  /* stp x29, x30, [sp, #-32]!; mov x29, sp; str x19, [sp, #16]; bl 1f; mov x19, x0;
	   * ldr x19, [sp, #16]; ldp x29, x30, [sp], #32; ret; nop */
	  "fd7bbea9fd030091f30b00f905000094f30300aaf30b40f9fd7bc2a8c0035fd61f2003d5", { .size = 0 },
	  { { 0x4, "c-32 fp x19 lr -32: fp -24: lr" },
	    { 0xc, "c-32 c-32 x19 lr -32: fp -24: lr -16: x19" },
	    { 0x10, "c-32 c-32 x19 other -32: fp -24: lr -16: x19" },
	    { 0x14, "c-32 c-32 other other -32: fp -24: lr -16: x19" },
	    { 0x18, "c-32 c-32 x19 other -32: fp -24: lr -16: x19" },
	    { 0x1c, "c+0 fp x19 lr -32: fp -24: lr -16: x19" } } },
	{ ARCH_ARM64, "a frame made first, then filled",
	  /* sub sp, sp, #48; stp x29, x30, [sp, #32]; add x29, sp, #32; stp x19, x20, [sp, #16]; ldp x19, x20, [sp, #16]; ldp
	   * x29, x30, [sp, #32]; add sp, sp, #48; ret */
	  "ffc300d1fd7b02a9fd830091f35301a9f35341a9fd7b42a9ffc30091c0035fd6", { .size = 0 },
	  { { 0x4, "c-48 fp x19 lr" }, { 0xc, "c-48 c-16 x19 lr -16: fp -8: lr" },
	    { 0x10, "c-48 c-16 x19 lr -16: fp -8: lr -32: x19 -24: x20" },
	    { 0x1c, "c+0 fp x19 lr -16: fp -8: lr -32: x19 -24: x20" } } },
	{ ARCH_ARM64, "a large frame",
	  /* mov x12, #0x2040; movk x12, #1, lsl #16; sub sp, sp, x12; sub sp, sp, #1, lsl #12;
	   * add sp, sp, #1, lsl #12; add sp, sp, x12; ret */
	  "0c0884d22c00a0f2ff632ccbff0740d1ff074091ff632c8bc0035fd6", { .size = 0 },
	  { { 0xc, "c-73792 fp x19 lr" }, { 0x10, "c-77888 fp x19 lr" },
	    { 0x18, "c+0 fp x19 lr" } } },
	{ ARCH_ARM64, "a loop that probes the stack",
	  /* sub x9, sp, #3, lsl #12; sub sp, sp, #1, lsl #12; str xzr, [sp, #1024];
	   * cmp sp, x9; b.ne 1b; add sp, sp, #3, lsl #12; ret */
	  "e90f40d1ff0740d1ff0302f9ff6329eba1ffff54ff0f4091c0035fd6", { .size = 0 },
	  { { 0x8, "? fp x19 lr" }, { 0x14, "c-12288 fp x19 lr" }, { 0x18, "c+0 fp x19 lr" } } },
	{ ARCH_ARM64, "a stack of unknown size",
	  /* stp x29, x30, [sp, #-16]!; mov x29, sp; sub sp, sp, x0; str x19, [sp]; mov sp, x29; ldp x29, x30, [sp], #16; ret */
	  "fd7bbfa9fd030091ff6320cbf30300f9bf030091fd7bc1a8c0035fd6", { .size = 0 },
	  { { 0xc, "@8+0 c-16 x19 lr -16: fp -8: lr" },
	    { 0x10, "@8+0 c-16 x19 lr -16: fp -8: lr @0: x19" },
	    { 0x18, "c+0 fp x19 lr -16: fp -8: lr @0: x19" } } },
	{ ARCH_ARM64, "a stack that is aligned",
	  /* stp x29, x30, [sp, #-16]!; mov x29, sp; sub x9, sp, #80;
	   * and sp, x9, #0xffffffffffffffc0; mov sp, x29; ldp x29, x30, [sp], #16; ret */
	  "fd7bbfa9fd030091e94301d13fe57a92bf030091fd7bc1a8c0035fd6", { .size = 0 },
	  { { 0x10, "@c+0 c-16 x19 lr -16: fp -8: lr" },
	    { 0x14, "c-16 c-16 x19 lr -16: fp -8: lr" },
	    { 0x18, "c+0 fp x19 lr -16: fp -8: lr" } } },
	{ ARCH_ARM64, "vector registers are saved and read",
	  /* stp d8, d9, [sp, #-32]!; st1 {v0.16b, v1.16b}, [sp], #32; ld1 {v0.16b}, [sp];
	   * str q0, [sp, #-16]!; ldr q0, [sp], #16; ret */
	  "e827be6de0a39f4ce073404ce00f9f3ce007c13cc0035fd6", { .size = 0 },
	  { { 0x4, "c-32 fp x19 lr" }, { 0x8, "c+0 fp x19 lr" }, { 0x10, "c-16 fp x19 lr" },
	    { 0x14, "c+0 fp x19 lr" } } },
	{ ARCH_ARM64, "a store over a saved register",
	  /* stp x19, x30, [sp, #-16]!; str xzr, [sp]; ldr x19, [sp]; ret */
	  "f37bbfa9ff0300f9f30340f9c0035fd6", { .size = 0 }, { { 0x8, "c-16 fp x19 lr -8: lr" }, { 0xc, "c-16 fp other lr -8: lr" } } },
	{ ARCH_ARM64, "a store over the return address",
	  /* str x30, [sp, #-16]!; str x0, [sp]; ldr x30, [sp], #16; ret */
	  "fe0f1ff8e00300f9fe0741f8c0035fd6", { .size = 0 }, { { 0x8, "c-16 fp x19 lr" }, { 0xc, "c+0 fp x19 ?" } } },
	{ ARCH_ARM64, "a store by a pointer over a saved register",
	  /* str x19, [sp, #-16]!; mov x1, sp; str x0, [x1]; ldr x19, [sp], #16; ret */
	  "f30f1ff8e1030091200000f9f30741f8c0035fd6", { .size = 0 }, { { 0xc, "c-16 fp x19 lr" }, { 0x10, "c+0 fp ? lr" } } },
	{ ARCH_ARM64, "a pointer that memory had, which callees may have changed",
	  /* sub sp, sp, #32; str x19, [sp, #8]; add x0, sp, #8; str x0, [sp]; ldr x1, [sp]; str x2, [x1]; ldr x19, [sp, #8]; ret */
	  "ff8300d1f30700f9e0230091e00300f9e10340f9220000f9f30740f9c0035fd6", { .size = 0 },
	  { { 0x10, "c-32 fp x19 lr -24: x19 -32: c-24" },
	    { 0x1c, "c-32 fp x19 lr -24: x19 -32: c-24" } } },
	{ ARCH_ARM64, "a part of a saved register",
	  /* stp x19, x30, [sp, #-16]!; str w0, [sp, #4]; ldr x19, [sp]; ret */
	  "f37bbfa9e00700b9f30340f9c0035fd6", { .size = 0 }, { { 0x8, "c-16 fp x19 lr -8: lr" }, { 0xc, "c-16 fp ? lr -8: lr" } } },
	{ ARCH_ARM64, "a signed return address",
	  /* paciasp; stp x29, x30, [sp, #-16]!; ldp x29, x30, [sp], #16; autiasp; ret */
	  "3f2303d5fd7bbfa9fd7bc1a8bf2303d5c0035fd6", { .size = 0 },
	  { { 0x4, "c+0 fp x19 lr" }, { 0x8, "c-16 fp x19 lr -16: fp -8: lr" },
	    { 0x10, "c+0 fp x19 lr -16: fp -8: lr" } } },
	{ ARCH_ARM64, "a signature by a register",
	  /* pacia x30, sp; str x30, [sp, #-16]!; ldr x30, [sp], #16; autia x30, sp; retaa */
	  "fe03c1dafe0f1ff8fe0741f8fe13c1daff0b5fd6", { .size = 0 },
	  { { 0x4, "c+0 fp x19 lr" }, { 0x8, "c-16 fp x19 lr -16: lr" },
	    { 0x10, "c+0 fp x19 lr -16: lr" } } },
	{ ARCH_ARM64, "a call changes the link register",
	  /* mov x19, x30; bl 1f; mov x29, x0; mov x30, x19; ret; nop */
	  "f3031eaa04000094fd0300aafe0313aac0035fd61f2003d5", { .size = 0 },
	  { { 0x4, "c+0 fp lr lr" }, { 0x8, "c+0 fp lr other" }, { 0x10, "c+0 other lr lr" } } },
	{ ARCH_ARM64, "a call by a register, that one way skips",
	  /* str x19, [sp, #-16]!; mov x19, x0; cbz x0, 1f; blr x0; ldr x19, [sp], #16; ret */
	  "f30f1ff8f30300aa400000b400003fd6f30741f8c0035fd6", { .size = 0 },
	  { { 0x8, "c-16 fp x0 lr -16: x19" }, { 0x10, "c-16 fp x0 ? -16: x19" },
	    { 0x14, "c+0 fp x19 ? -16: x19" } } },
	{ ARCH_ARM64, "registers that instructions write",
	  /* add w19, w19, #1; mov x19, x0; csel x19, x19, x19, eq; csinc x29, x29, x29, eq; ret */
	  "73060011f30300aa7302939abd079d9ac0035fd6", { .size = 0 },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 fp x0 lr" }, { 0xc, "c+0 fp x0 lr" },
	    { 0x10, "c+0 ? x0 lr" } } },
	{ ARCH_ARM64, "flags alone",
	  /* cmp x19, #1; ccmp x19, #1, #0, eq; tst x19, x19; cmn w19, w19; fcmp d19, d19; ret */
	  "7f0600f1600a41fa7f0213ea7f02132b6022731ec0035fd6", { .size = 0 }, { { 0x14, "c+0 fp x19 lr" } } },
	{ ARCH_ARM64, "general registers that vector instructions write",
	  /* fmov x19, d0; fmov d29, x0; umov x29, v0.d[0]; ret */
	  "1300669e1d00679e1d3c084ec0035fd6", { .size = 0 },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 fp other lr" },
	    { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM64, "atomic instructions",
	  /* ldaxr x19, [x0]; stlxr w29, x1, [x0]; ret */
	  "13fc5fc801fc1dc8c0035fd6", { .size = 0 }, { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" } } },
	{ ARCH_ARM64, "those of later processors",
	  /* ldaddal x1, x19, [x0]; casal x29, x1, [x0]; ret */
	  "1300e1f801fcfdc8c0035fd6", { .size = 0 }, { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" } } },
	{ ARCH_ARM64, "compare and swap of two",
	  /* casp x28, x29, x0, x1, [x2]; ret */
	  "407c3c48c0035fd6", { .size = 0 }, { { 0x4, "c+0 other x19 lr" } } },
	{ ARCH_ARM64, "loads of literals and with a register",
	  /* ldr x19, 1f; ldr x29, [x0, x1, lsl #3]; ret */
	  "530000581d7861f8c0035fd6", { .size = 0 }, { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" } } },
	{ ARCH_ARM64, "a pair that has its base",
	  /* ldp x19, x29, [x19]; ret */
	  "737640a9c0035fd6", { .size = 0 }, { { 0x4, "c+0 other other lr" } } },
	{ ARCH_ARM64, "a pair of the stack that has its base",
	  /* stp x29, x30, [sp, #-16]!; mov x29, sp; ldp x29, x30, [x29]; add sp, sp, #16; ret */
	  "fd7bbfa9fd030091bd7b40a9ff430091c0035fd6", { .size = 0 },
	  { { 0xc, "c-16 fp x19 lr -16: fp -8: lr" }, { 0x10, "c+0 fp x19 lr -16: fp -8: lr" } } },
	{ ARCH_ARM64, "tags of memory",
	  /* irg x19, sp; stg sp, [sp, #-16]!; st2g sp, [sp], #32; ret */
	  "f313df9affff3fd9ff27a0d9c0035fd6", { .size = 0 }, { { 0x4, "c+0 fp ? lr" }, { 0x8, "c-16 fp ? lr" }, { 0xc, "c+16 fp ? lr" } } },
	{ ARCH_ARM64, "a vector whose length is not known",
	  /* addvl sp, sp, #-1; cntd x19; ptrue p0.b; mov sp, x0; ret */
	  "ff573f04f3e3e004e0e318251f000091c0035fd6", { .size = 0 },
	  { { 0x4, "@0+0 fp x19 lr" }, { 0xc, "@0+0 fp ? lr" }, { 0x10, "? fp ? lr" } } },
	{ ARCH_ARM64, "a jump by a table of bytes",
	  /* cmp w0, #1; b.hi 9f; adr x1, 5f; ldrb w1, [x1, w0, uxtw]; adr x2, 1f; add x1, x2, w1, sxtb #2; br x1; str x19, [sp,
	   * #-16]!; ldr x19, [sp], #16; ret; .byte 0, 2 */
	  "1f040071080100540101001021486038620000104188218b20001fd6f30f1ff8f30741f8c0035fd60002", { .size = 0 },
	  { { 0x1c, "c+0 fp x19 lr" }, { 0x20, "c-16 fp x19 lr -16: x19" },
	    { 0x24, "c+0 fp x19 lr -16: ?" } } },
	{ ARCH_ARM64, "a jump by a table of words",
	  /* cmp w0, #2; b.cs 9f; adr x9, 5f; ldrsw x10, [x9, w0, uxtw #2]; add x9, x10, x9;
	   * br x9; str x19, [sp, #-16]!; ldr x19, [sp], #16; ret; .word 1b - 5b, 9b - 5b */
	  "1f080071e2000054e90000102a59a0b84901098b20011fd6f30f1ff8f30741f8c0035fd6f4fffffffcffffff", { .size = 0 },
	  { { 0x18, "c+0 fp x19 lr" }, { 0x1c, "c-16 fp x19 lr -16: x19" },
	    { 0x20, "c+0 fp x19 lr -16: ?" } } },
	{ ARCH_ARM64, "a jump to where it is not known",
	  /* str x19, [sp, #-16]!; br x0; ldr x19, [sp], #16; ret */
	  "f30f1ff800001fd6f30741f8c0035fd6", { .size = 0 }, { { 0x8, "c-16 fp x19 lr -16: x19" }, { 0xc, "c+0 fp x19 lr -16: x19" } } },
	{ ARCH_ARM64, "the code after a call shows that the call never returns",
	  /* str x30, [sp, #-16]!; cbz x0, 1f; sub sp, sp, #32; bl 2f; nop; ldr x30, [sp], #16; ret; nop */
	  "fe0f1ff8600000b4ff8300d1040000941f2003d5fe0741f8c0035fd61f2003d5", { .size = 0 },
	  { { 0xc, "c-48 fp x19 lr -16: lr" }, { 0x10, "c-16 fp x19 lr -16: lr" },
	    { 0x18, "c+0 fp x19 lr -16: lr" } } },
	{ ARCH_ARM64, "a call that never returns, by a register that only its way has changed",
	  /* str x30, [sp, #-32]!; cbz x0, 1f; str x19, [sp, #16]; mov x19, x1; bl 2f; nop; ldr x30, [sp], #32; ret; nop */
	  "fe0f1ef8800000b4f30b00f9f30301aa040000941f2003d5fe0742f8c0035fd61f2003d5", { .size = 0 },
	  { { 0x10, "c-32 fp x1 lr -32: lr -16: x19" }, { 0x14, "c-32 fp x19 lr -32: lr" },
	    { 0x1c, "c+0 fp x19 lr -32: lr" } } },
	{ ARCH_ARM64, "a register that is saved before ways part may differ where they meet",
	  /* stp x19, x30, [sp, #-16]!; cbz x0, 1f; mov x19, x1; bl 2f; nop; ldp x19, x30, [sp], #16; ret; nop */
	  "f37bbfa9600000b4f30301aa040000941f2003d5f37bc1a8c0035fd61f2003d5", { .size = 0 },
	  { { 0x10, "c-16 fp ? ? -16: x19 -8: lr" }, { 0x18, "c+0 fp x19 lr -16: x19 -8: lr" } } },
	{ ARCH_ARM64, "instructions that stop the program",
	  /* cbz x0, 1f; brk #1; cbz x1, 2f; udf #0; ret */
	  "400000b4200020d4410000b400000000c0035fd6", { .size = 0 }, { { 0x8, "c+0 fp x19 lr" }, { 0x10, "c+0 fp x19 lr" } } },
	{ ARCH_ARM64, "a system call",
	  /* svc #0; mrs x19, tpidr_el0; msr tpidr_el0, x29; ret */
	  "010000d453d03bd55dd01bd5c0035fd6", { .size = 0 }, { { 0x4, "c+0 fp x19 lr" }, { 0xc, "c+0 fp other lr" } } },
};

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		run_case(&cases[i]);
	run_random(ARCH_ARM64, false);
	return done_testing();
}
