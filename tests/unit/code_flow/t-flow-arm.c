/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_row.h"
#include "tests/unit/code_flow/flow_case.h"

static const struct flow_case cases[] = {
	{ ARCH_ARM, "Thumb: a frame, by push and pop",
	  /* push {r4, r7, lr}; sub sp, #12; add r7, sp, #4; bl 1f; mov r4, r0; adds r7, #8; mov sp, r7; pop {r4, r7, pc}; nop */
	  "90b583b001af00f004f804460837bd4690bd00bf", { .halfwords = true },
	  { { 0x2, "c-12 fp r4 lr -12: r4 -8: r7 -4: lr" },
	    { 0x4, "c-24 fp r4 lr -12: r4 -8: r7 -4: lr" },
	    { 0x6, "c-24 fp r4 lr -12: r4 -8: r7 -4: lr" },
	    { 0xa, "c-24 fp r4 other -12: r4 -8: r7 -4: lr" },
	    { 0xc, "c-24 fp other other -12: r4 -8: r7 -4: lr" },
	    { 0x10, "c-12 fp other other -12: r4 -8: r7 -4: lr" } } },
	{ ARCH_ARM, "Thumb: lists of one halfword and of two",
	  /* push.w {r4-r11, lr}; stmdb sp!, {r0, r1}; ldmia.w sp!, {r0, r1}; pop.w {r4-r11, lr}; bx lr */
	  "2de9f04f2de90300bde80300bde8f04f7047", { .halfwords = true },
	  { { 0x4, "c-36 fp r4 lr -36: r4 -32: r5 -28: r6 -24: r7 -20: r8 -16: r9 -12: r10 -8: fp -4: lr" },
	    { 0x8, "c-44 fp r4 lr -36: r4 -32: r5 -28: r6 -24: r7 -20: r8 -16: r9 -12: r10 -8: fp -4: lr" },
	    { 0xc, "c-36 fp r4 lr -36: r4 -32: r5 -28: r6 -24: r7 -20: r8 -16: r9 -12: r10 -8: fp -4: lr" },
	    { 0x10, "c+0 fp r4 lr -36: r4 -32: r5 -28: r6 -24: r7 -20: r8 -16: r9 -12: r10 -8: fp -4: lr" } } },
	{ ARCH_ARM, "Thumb: one register",
	  /* str lr, [sp, #-4]!; str.w r4, [sp, #-8]!; ldr r4, [sp], #8; ldr pc, [sp], #4 */
	  "4df804ed4df8084d5df8084b5df804fb", { .halfwords = true },
	  { { 0x4, "c-4 fp r4 lr -4: lr" }, { 0x8, "c-12 fp r4 lr -4: lr -12: r4" },
	    { 0xc, "c-4 fp r4 lr -4: lr -12: r4" } } },
	{ ARCH_ARM, "Thumb: two registers",
	  /* strd r4, r11, [sp, #-8]!; ldrd r4, r11, [sp]; add sp, #8; bx lr */
	  "6de9024bdde9004b02b07047", { .halfwords = true },
	  { { 0x4, "c-8 fp r4 lr -8: r4 -4: fp" }, { 0x8, "c-8 fp r4 lr -8: r4 -4: fp" },
	    { 0xa, "c+0 fp r4 lr -8: r4 -4: fp" } } },
	{ ARCH_ARM, "Thumb: vector registers",
	  /* vpush {d8-d9}; vpush {s16}; vstmdb sp!, {d8}; vst1.64 {d8-d9}, [sp]!; vld1.32 {d16}, [sp]; vpop {d8}; nop */
	  "2ded048b2ded018a2ded028b0df9cd8a6df98f07bdec028b00bf", { .halfwords = true },
	  { { 0x4, "c-16 fp r4 lr" }, { 0x8, "c-20 fp r4 lr" }, { 0xc, "c-28 fp r4 lr" },
	    { 0x10, "c-12 fp r4 lr" }, { 0x14, "c-12 fp r4 lr" }, { 0x18, "c-4 fp r4 lr" } } },
	{ ARCH_ARM, "Thumb: a large frame",
	  /* movw r12, #0x2040; movt r12, #1; sub sp, sp, r12; subw sp, sp, #4095; sub.w sp, sp, #4096; add sp, r12; nop */
	  "42f2400cc0f2010cadeb0c0dadf6ff7dadf5805de54400bf", { .halfwords = true },
	  { { 0x8, "c+0 fp r4 lr" }, { 0xc, "c-73792 fp r4 lr" }, { 0x10, "c-77887 fp r4 lr" },
	    { 0x14, "c-81983 fp r4 lr" }, { 0x16, "c-8191 fp r4 lr" } } },
	{ ARCH_ARM, "Thumb: a stack that is aligned",
	  /* push {r7, lr}; mov r7, sp; mov r3, sp; bic r3, r3, #15; mov sp, r3; mov sp, r7; nop */
	  "80b56f466b4623f00f039d46bd4600bf", { .halfwords = true },
	  { { 0x6, "c-8 fp r4 lr -8: r7 -4: lr" }, { 0xa, "c-8 fp r4 lr -8: r7 -4: lr" },
	    { 0xc, "? fp r4 lr -8: r7 -4: lr" }, { 0xe, "c-8 fp r4 lr -8: r7 -4: lr" } } },
	{ ARCH_ARM, "Thumb: a stack of unknown size",
	  /* push {r7, lr}; add r7, sp, #0; sub sp, sp, r0; mov sp, r7; pop {r7, pc} */
	  "80b500afadeb000dbd4680bd", { .halfwords = true },
	  { { 0x4, "c-8 fp r4 lr -8: r7 -4: lr" }, { 0x8, "@4+0 fp r4 lr -8: r7 -4: lr" },
	    { 0xa, "c-8 fp r4 lr -8: r7 -4: lr" } } },
	{ ARCH_ARM, "Thumb: a block of instructions that may not be done",
	  /* push {r4, lr}; cmp r0, #0; ittt eq; moveq r4, r0; moveq r1, #1; popeq {r4, pc}; mov r4, r1; pop {r4, pc} */
	  "10b5002802bf0446012110bd0c4610bd", { .halfwords = true },
	  { { 0x6, "c-8 fp r4 lr -8: r4 -4: lr" }, { 0x8, "c-8 fp ? lr -8: r4 -4: lr" },
	    { 0xa, "c-8 fp ? lr -8: r4 -4: lr" }, { 0xc, "c-8 fp ? lr -8: r4 -4: lr" },
	    { 0xe, "c-8 fp ? lr -8: r4 -4: lr" } } },
	{ ARCH_ARM, "Thumb: a stack pointer that may have moved",
	  /* cmp r0, #0; it ne; subne sp, #8; nop */
	  "002818bf82b000bf", { .halfwords = true }, { { 0x4, "c+0 fp r4 lr" }, { 0x6, "? fp r4 lr" } } },
	{ ARCH_ARM, "Thumb: a call that may not be done",
	  /* push {r4, lr}; cmp r0, #0; it ne; blxne r0; pop {r4, pc} */
	  "10b5002818bf804710bd", { .halfwords = true }, { { 0x8, "c-8 fp r4 ? -8: r4 -4: lr" } } },
	{ ARCH_ARM, "Thumb: a branch on zero",
	  /* push {r4, lr}; cbz r0, 1f; mov r4, r0; pop {r4, pc} */
	  "10b500b1044610bd", { .halfwords = true }, { { 0x4, "c-8 fp r4 lr -8: r4 -4: lr" }, { 0x6, "c-8 fp ? lr -8: r4 -4: lr" } } },
	{ ARCH_ARM, "Thumb: a jump by a table of bytes",
	  /* cmp r0, #1; bhi 9f; tbb [pc, r0]; .byte (1f - 5b) / 2, (9f - 5b) / 2; push {r4}; pop {r4}; bx lr */
	  "012804d8dfe800f0010310b410bc7047", { .halfwords = true },
	  { { 0xa, "c+0 fp r4 lr" }, { 0xc, "c-4 fp r4 lr -4: r4" },
	    { 0xe, "c+0 fp r4 lr -4: ?" } } },
	{ ARCH_ARM, "Thumb: a jump by a table of halfwords",
	  /* cmp r0, #1; bhi.w 9f; tbh [pc, r0, lsl #1]; .short (1f - 5b) / 2, (9f - 5b) / 2; push {r4}; pop {r4}; bx lr */
	  "012800f20680dfe810f00200040010b410bc7047", { .halfwords = true },
	  { { 0xe, "c+0 fp r4 lr" }, { 0x10, "c-4 fp r4 lr -4: r4" },
	    { 0x12, "c+0 fp r4 lr -4: ?" } } },
	{ ARCH_ARM, "Thumb: data after a call that never returns",
	  /* push {r4, lr}; ldr r0, 1f; bl 2f; .word 0xbd10b082; nop */
	  "10b5014800f002f882b010bd00bf00bf", { .halfwords = true }, { { 0x4, "c-8 fp r4 lr -8: r4 -4: lr" }, { 0x8, "" } } },
	{ ARCH_ARM, "Thumb: what instructions write",
	  /* adds r4, r4, #1; mov r4, r0; mvn r4, r4; uxtb r11, r0; vmov r4, s0; bx lr */
	  "013404466fea04045ffa80fb10ee104a7047", { .halfwords = true },
	  { { 0x2, "c+0 fp other lr" }, { 0x4, "c+0 fp r0 lr" }, { 0x8, "c+0 fp other lr" },
	    { 0xc, "c+0 other other lr" }, { 0x10, "c+0 other other lr" } } },
	{ ARCH_ARM, "Thumb: a mark for Valgrind, and one that keeps a part",
	  /* orr.w r4, r4, r4; and.w r11, r11, #15; bx lr */
	  "44ea04040bf00f0b7047", { .halfwords = true }, { { 0x4, "c+0 fp r4 lr" }, { 0x8, "c+0 other r4 lr" } } },
	{ ARCH_ARM, "Thumb: multiplication and division",
	  /* mul r4, r0, r1; smull r4, r11, r0, r1; udiv r11, r0, r1; bx lr */
	  "00fb01f480fb014bb0fbf1fb7047", { .halfwords = true },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" },
	    { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM, "Thumb: words that others may change",
	  /* ldrex r4, [r0]; strex r11, r1, [r0]; ldrd r4, r5, [r0]; bx lr */
	  "50e8004f40e8001bd0e900457047", { .halfwords = true },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" },
	    { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM, "Thumb: a return by a register",
	  /* push {r4, lr}; pop {r4}; pop {r3}; bx r3 */
	  "10b510bc08bc1847", { .halfwords = true }, { { 0x4, "c-4 fp r4 lr -8: r4 -4: lr" }, { 0x6, "c+0 fp r4 lr -8: r4 -4: lr" } } },
	{ ARCH_ARM, "Thumb: what stops",
	  /* cbz r0, 1f; udf #0; cbz r1, 2f; bkpt #0; bx lr */
	  "00b100de01b100be7047", { .halfwords = true }, { { 0x4, "c+0 fp r4 lr" }, { 0x8, "c+0 fp r4 lr" } } },
	{ ARCH_ARM, "a frame of the old kind",
	  /* mov ip, sp; push {r4, fp, ip, lr, pc}; sub fp, ip, #4; sub sp, sp, #8; bl 1f; ldmdb fp, {r4, fp, sp, pc}; nop */
	  "0dc0a0e110d82de904b04ce208d04de2000000eb10a81be900f020e3", { .halfwords = false },
	  { { 0x8, "c-20 fp r4 lr -20: r4 -16: fp -12: c+0 -8: lr" },
	    { 0xc, "c-20 c-4 r4 lr -20: r4 -16: fp -12: c+0 -8: lr" },
	    { 0x14, "c-28 c-4 r4 other -20: r4 -16: fp -12: c+0 -8: lr" } } },
	{ ARCH_ARM, "a frame with a frame pointer",
	  /* push {fp, lr}; add fp, sp, #4; sub sp, sp, #16; sub sp, fp, #4; pop {fp, pc} */
	  "00482de904b08de210d04de204d04be20088bde8", { .halfwords = false },
	  { { 0x4, "c-8 fp r4 lr -8: fp -4: lr" }, { 0x8, "c-8 c-4 r4 lr -8: fp -4: lr" },
	    { 0xc, "c-24 c-4 r4 lr -8: fp -4: lr" }, { 0x10, "c-8 c-4 r4 lr -8: fp -4: lr" } } },
	{ ARCH_ARM, "a return on a condition",
	  /* push {r4, lr}; cmp r0, #0; popeq {r4, pc}; mov r4, r0; ldmfd sp!, {r4, pc} */
	  "10402de9000050e31080bd080040a0e11080bde8", { .halfwords = false },
	  { { 0xc, "c-8 fp r4 lr -8: r4 -4: lr" }, { 0x10, "c-8 fp r0 lr -8: r4 -4: lr" } } },
	{ ARCH_ARM, "single words and pairs",
	  /* str lr, [sp, #-4]!; strd r4, r5, [sp, #-8]!; ldrd r4, r5, [sp], #8; ldr pc, [sp], #4 */
	  "04e02de5f8406de1d840cde004f09de4", { .halfwords = false },
	  { { 0x4, "c-4 fp r4 lr -4: lr" }, { 0x8, "c-12 fp r4 lr -4: lr -12: r4 -8: r5" },
	    { 0xc, "c-4 fp r4 lr -4: lr -12: r4 -8: r5" } } },
	{ ARCH_ARM, "vector registers",
	  /* vpush {d8-d15}; fstmdbx sp!, {d8}; vstr d8, [sp, #8]; vldmia sp!, {d0-d7}; vst1.64 {d0-d3}, [sp]!; nop */
	  "108b2ded038b2ded028b8ded100bbdeccd020df400f020e3", { .halfwords = false },
	  { { 0x4, "c-64 fp r4 lr" }, { 0x8, "c-76 fp r4 lr" }, { 0xc, "c-76 fp r4 lr" },
	    { 0x10, "c-12 fp r4 lr" }, { 0x14, "c+20 fp r4 lr" } } },
	{ ARCH_ARM, "numbers of sixteen bits and of eight, turned",
	  /* movw ip, #0x2040; movt ip, #1; sub sp, sp, ip; sub sp, sp, #0x1000; add sp, sp, ip; add sp, sp, #4096; bx lr */
	  "40c002e301c040e30cd04de001da4de20cd08de001da8de21eff2fe1", { .halfwords = false },
	  { { 0xc, "c-73792 fp r4 lr" }, { 0x10, "c-77888 fp r4 lr" }, { 0x14, "c-4096 fp r4 lr" },
	    { 0x18, "c+0 fp r4 lr" } } },
	{ ARCH_ARM, "a jump by a table of addresses",
	  /* cmp r0, #1; ldrls pc, [pc, r0, lsl #2]; b 9f; .word 1f, 9f; push {r4}; pop {r4}; bx lr */
	  "010050e300f19f97030000ea140040001c00400004402de504409de41eff2fe1",
	  { .halfwords = false },
	  { { 0x8, "c+0 fp r4 lr" }, { 0x14, "c+0 fp r4 lr" }, { 0x18, "c-4 fp r4 lr -4: r4" },
	    { 0x1c, "c+0 fp r4 lr -4: ?" } } },
	{ ARCH_ARM, "a jump by a table of distances",
	  /* cmp r0, #1; bhi 9f; adr r1, 5f; ldr r0, [r1, r0, lsl #2]; add pc, r0, r1;
	   * .word 1f - 5b, 9f - 5b; push {r4}; pop {r4}; bx lr */
	  "010050e30600008a04108fe2000191e701f080e0080000001000000004402de504409de41eff2fe1",
	  { .halfwords = false },
	  { { 0x1c, "c+0 fp r4 lr" }, { 0x20, "c-4 fp r4 lr -4: r4" },
	    { 0x24, "c+0 fp r4 lr -4: ?" } } },
	{ ARCH_ARM, "a call on a condition",
	  /* push {r4, lr}; cmp r0, #0; blne 1f; pop {r4, pc}; nop */
	  "10402de9000050e30000001b1080bde800f020e3", { .halfwords = false }, { { 0xc, "c-8 fp r4 ? -8: r4 -4: lr" } } },
	{ ARCH_ARM, "registers that instructions write",
	  /* add r4, r4, #1; mul r4, r0, r1; umull r4, fp, r0, r1; clz r4, r0; uxtah r4, r0, r1; bx lr */
	  "014084e2900104e090418be0104f6fe17140f0e61eff2fe1", { .halfwords = false },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 fp other lr" }, { 0xc, "c+0 other other lr" },
	    { 0x10, "c+0 other other lr" }, { 0x14, "c+0 other other lr" } } },
	{ ARCH_ARM, "words that others may change",
	  /* ldrex r4, [r0]; strex fp, r1, [r0]; ldrexd r4, r5, [r0]; bx lr */
	  "9f4f90e191bf80e19f4fb0e11eff2fe1", { .halfwords = false },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" },
	    { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM, "halfwords and bytes",
	  /* ldrh r4, [r0, r1]; ldrsb fp, [r0, #3]; ldrb r4, [r0], r1; bx lr */
	  "b14090e1d3b0d0e10140d0e61eff2fe1", { .halfwords = false },
	  { { 0x4, "c+0 fp other lr" }, { 0x8, "c+0 other other lr" },
	    { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM, "the system, and what it keeps",
	  /* svc #0; mrc p15, 0, r4, c13, c0, 3; vmrs r11, fpscr; bx lr */
	  "000000ef704f1dee10baf1ee1eff2fe1", { .halfwords = false },
	  { { 0x4, "c+0 fp r4 lr" }, { 0x8, "c+0 fp other lr" }, { 0xc, "c+0 other other lr" } } },
	{ ARCH_ARM, "the end by a move",
	  /* push {r4, lr}; pop {r4, lr}; mov pc, lr */
	  "10402de91040bde80ef0a0e1", { .halfwords = false },
	  { { 0x4, "c-8 fp r4 lr -8: r4 -4: lr" }, { 0x8, "c+0 fp r4 lr -8: r4 -4: lr" } } },
	{ ARCH_ARM, "instructions that stop the program",
	  /* cmp r0, #0; bxeq lr; udf #0; nop */
	  "000050e31eff2f01f000f0e700f020e3", { .halfwords = false }, { { 0x8, "c+0 fp r4 lr" } } },
};

/* push {r7, lr}; nop: on this path r7 still has its value. */
TEST(saved)
{
	struct code_bytes code = { .halfwords = true };
	const struct flow_code flow = { .arch = arch_by_id(ARCH_ARM), .halfwords = true,
		.linked = 0x400000, .context = &code, .bytes = bytes, .begins = begins,
		.callee = callee, .caught = caught, .goes_on = goes_on };
	struct flow_function *function = flow_function_create(&flow);
	struct flow_row row = { 0 };
	struct flow_point point;
	char saved[64];

	code.size = bytes_of("80b500bf", code.data, sizeof(code.data));
	flow_function_run(function, 0, code.size);
	if (ok(flow_function_at(function, 2, &point) && flow_row_make(&flow, point.state, true, &row) == NULL && row.count == 3,
	       "a row has a rule of what was saved alone"))
		is_str(claim_expression(flow.arch, &row.rules[2].claim, saved, sizeof(saved)), ".cfa -8 + ^",
		       "the saved value counts, although the register seems to be unchanged");
	flow_function_free(function);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		run_case(&cases[i]);
	run_random(ARCH_ARM, false);
	run_random(ARCH_ARM, true);
	run_tests();
	return done_testing();
}
