/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST_MEMBERS 64u

struct crew {
	void (*work)(void *context, size_t member, size_t item);
	void *context;
	size_t items;
	atomic_size_t members, next;	/* numbers given out so far */
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
	struct crew *crew = context;
	const size_t member = atomic_fetch_add(&crew->members, 1);

	for (size_t item; (item = atomic_fetch_add(&crew->next, 1)) < crew->items;)
		crew->work(crew->context, member, item);
	return NULL;
}

void
crew_run(size_t members, size_t items, void (*work)(void *context, size_t member, size_t item),
	 void *context)
{
	struct crew crew = { .work = work, .context = context, .items = items };
	pthread_t threads[MOST_MEMBERS];
	size_t started = 0;

	atomic_init(&crew.members, 1);
	while (started + 1 < members && started + 1 < items && started + 1 < MOST_MEMBERS &&
	       pthread_create(&threads[started], NULL, run_member, &crew) == 0)
		started++;
	for (size_t item; (item = atomic_fetch_add(&crew.next, 1)) < items;)
		work(context, 0, item);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

struct ordered_crew {
	void (*work)(void *context, size_t item);
	void (*finish)(void *context, size_t item);
	void *context;
	size_t ahead;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;			/* item to finish next */
	bool ready[CREW_MOST_AHEAD];
};

/* Do the work of an item, then finish the ready items that are next in order. */
static void
run_in_order(void *context, size_t member, size_t item)
{
	struct ordered_crew *crew = context;

	(void)member;
	pthread_mutex_lock(&crew->lock);
	while (item >= crew->next + crew->ahead)
		pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	crew->work(crew->context, item);
	pthread_mutex_lock(&crew->lock);
	crew->ready[item % crew->ahead] = true;
	for (; crew->ready[crew->next % crew->ahead]; crew->next++) {
		crew->finish(crew->context, crew->next);
		crew->ready[crew->next % crew->ahead] = false;
	}
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

bool
crew_run_in_order(size_t members, size_t items, size_t ahead,
		  void (*work)(void *context, size_t item),
		  void (*finish)(void *context, size_t item), void *context)
{
	struct ordered_crew crew = { .work = work, .finish = finish, .context = context,
				     .ahead = ahead };

	if (pthread_mutex_init(&crew.lock, NULL) != 0)
		return false;
	const bool good = pthread_cond_init(&crew.changed, NULL) == 0;
	if (good) {
		crew_run(members, items, run_in_order, &crew);
		pthread_cond_destroy(&crew.changed);
	}
	pthread_mutex_destroy(&crew.lock);
	return good;
}
