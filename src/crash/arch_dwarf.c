/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "crash/arch.h"

/*
 * DWARF register numbers: the psABI supplements of each architecture. A table of an architecture
 * whose registers stand in DWARF's order needs only a length.
 */
static const int dwarf_in_order[ARCH_COUNT] = {
	[ARCH_AMD64] = 17,	/* 16 is the return address column */
	[ARCH_ARM] = 16,
	[ARCH_ARM64] = 32,
	[ARCH_S390X] = 32,	/* r0 to r15, then the floating-point registers */
};

/* x86's registers in DWARF's order: eax, ecx, edx, ebx, esp, ebp, esi, edi, eip. */
static const int8_t dwarf_of_x86[] = { 6, 7, 8, 3, 1, 2, 4, 5, 0 };

int
arch_dwarf_register(const struct arch *arch, int number)
{
	if (arch->id == ARCH_X86 && number >= 0 && (size_t)number < ARRAY_COUNT(dwarf_of_x86))
		return dwarf_of_x86[number];
	return number >= 0 && number < dwarf_in_order[arch->id] ? number : ARCH_NO_REGISTER;
}
