/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/crew.h"

#include <pthread.h>
#include <unistd.h>

/* Most members of a crew. */
#define MOST_MEMBERS 64u

struct crew_member {
	void (*work)(void *context, size_t member);
	void *context;
	size_t number;
	pthread_t thread;
};

unsigned
crew_size(unsigned most)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors < 1 ? 1 : processors > (long)most ? most : (unsigned)processors;
}

static void *
run_member(void *context)
{
	const struct crew_member *self = context;

	self->work(self->context, self->number);
	return NULL;
}

void
crew_run(size_t count, void (*work)(void *context, size_t member), void *context)
{
	struct crew_member members[MOST_MEMBERS];
	size_t started = 1;

	for (; started < count && started < MOST_MEMBERS; started++) {
		struct crew_member *member = &members[started];

		*member = (struct crew_member){ .work = work, .context = context,
						.number = started };
		if (pthread_create(&member->thread, NULL, run_member, member) != 0)
			break;
	}
	work(context, 0);
	while (started > 1)
		pthread_join(members[--started].thread, NULL);
}
