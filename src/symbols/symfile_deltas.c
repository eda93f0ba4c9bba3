/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

const struct table *
symfile_deltas(const struct symfile *symfile)
{
	struct late *late = symfile->late;

	if (symfile->scattered || symfile->delta_count == 0)
		return &symfile->tables[TABLE_DELTA];
	pthread_mutex_lock(&late->mutex);
	if (!late->made && !symfile_scan_deltas(symfile, &late->deltas))
		table_free(&late->deltas);
	late->made = late->deltas.count != 0;
	pthread_mutex_unlock(&late->mutex);
	return late->made ? &late->deltas : NULL;
}
