/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of names in fixed memory. The last name is one byte too long for its room and more: it reaches
 * into the pointer behind it, and the walk over the list takes text for an address.
 *
 * No C library, so that the core holds the whole process and is small.
 */
struct entry {
	char name[8];
	struct entry *next;
	long size;
};

static struct entry entries[3];

static void
copy(char *to, const char *from)
{
	while ((*to++ = *from++) != '\0')
		continue;
}

__attribute__((noinline)) static long
total(const struct entry *entry)
{
	long sum = 0;

	for (; entry != 0; entry = entry->next)
		sum += entry->size;
	return sum;
}

__attribute__((noinline)) static long
report(int count)
{
	long sum = total(entries);

	return sum / count + 1;
}

__attribute__((noinline)) static int
run(void)
{
	static const char *const names[] = { "alpha", "beta", "delta-and-more-names" };

	for (int i = 0; i < 3; i++) {
		entries[i].next = i < 2 ? &entries[i + 1] : 0;
		entries[i].size = 10 * i;
		copy(entries[i].name, names[i]);
	}
	return (int)report(3) + 1;
}

__attribute__((noreturn)) void
_start(void)
{
	long status = run();

	__asm__ volatile("syscall" : : "a"(60), "D"(status));
	__builtin_unreachable();
}
