/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weighs nested parcels; one of them has no label, which label_length finds out the hard way. */
#include <stddef.h>
#include <string.h>

struct parcel {
	const char *label;
	struct parcel *inner;
	int weight;
};

static volatile int shown;

__attribute__((noinline)) static int
label_length(const struct parcel *parcel)
{
	const char *at = parcel->label;

	while (*at != '\0')
		at++;
	return (int)(at - parcel->label);
}

/* A frame of 320 bytes: the row's offset needs two bytes. */
__attribute__((noinline)) static int
print_label(const struct parcel *parcel)
{
	char line[300];
	int length = label_length(parcel);

	memset(line, '.', sizeof(line));
	line[length % 300] = '\0';
	shown += line[7];
	return length + line[0];
}

/* Calls itself: one descriptor, several frames. */
__attribute__((noinline)) static int
weigh(const struct parcel *parcel)
{
	if (parcel->inner == NULL)
		return parcel->weight + print_label(parcel);
	return parcel->weight + weigh(parcel->inner);
}

/* A frame whose size is known at run time only: its CFA comes from the frame pointer. */
__attribute__((noinline)) static int
sort_and_weigh(const struct parcel *parcel, int count)
{
	int weights[count];

	for (int i = 0; i < count; i++)
		weights[i] = parcel->weight * i;
	shown += weights[count / 2];
	return weigh(parcel) + weights[count - 1];
}

int
main(int argc, char **argv)
{
	struct parcel letter = { NULL, NULL, 20 };
	struct parcel box = { "box", &letter, 900 };
	struct parcel crate = { argv[0], &box, 12000 };

	return sort_and_weigh(&crate, argc + 5) > 0 ? 0 : 1;
}
