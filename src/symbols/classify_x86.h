/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A classifier by vectors of x86, for classify.c, which includes this once for each width of
 * them: VECTOR, of LANES bytes, WIDTH(name) for an intrinsic, WHOLE(name) for one of a whole
 * vector, NAME(name) for what is defined here, and TARGET, the instructions it may have.
 */
#define INLINE __attribute__((target(TARGET), always_inline)) static inline

INLINE VECTOR
NAME(load)(const char *bytes)
{
	return WHOLE(loadu)((const VECTOR *)(const void *)bytes);
}

INLINE uint32_t
NAME(bits)(VECTOR lanes)
{
	return (uint32_t)WIDTH(movemask_epi8)(lanes);
}

INLINE VECTOR
NAME(is)(VECTOR bytes, char c)
{
	return WIDTH(cmpeq_epi8)(bytes, WIDTH(set1_epi8)(c));
}

/* Lanes whose byte is one of the `count` from `first` on. */
INLINE VECTOR
NAME(within)(VECTOR bytes, char first, char count)
{
	const VECTOR from_first = WIDTH(sub_epi8)(bytes, WIDTH(set1_epi8)(first));

	return WIDTH(cmpeq_epi8)(
		WIDTH(min_epu8)(from_first, WIDTH(set1_epi8)((char)(count - 1))), from_first);
}

/* The lines that begin with INLINE, among those with I first and a space as seventh byte. */
INLINE uint32_t
NAME(inlined)(const char *bytes)
{
	const VECTOR nl = WHOLE(and)(NAME(is)(NAME(load)(bytes + 2), 'N'),
				     NAME(is)(NAME(load)(bytes + 3), 'L'));
	const VECTOR in = WHOLE(and)(NAME(is)(NAME(load)(bytes + 4), 'I'),
				     NAME(is)(NAME(load)(bytes + 5), 'N'));

	return NAME(bits)(WHOLE(and)(WHOLE(and)(nl, in), NAME(is)(NAME(load)(bytes + 6), 'E')));
}

/* The events among the lanes; `newline` are those with a newline. */
INLINE uint32_t
NAME(events)(const char *bytes, VECTOR newline)
{
	const VECTOR first = NAME(load)(bytes + 1);
	const VECTOR hex = WHOLE(or)(NAME(within)(first, '0', 10), NAME(within)(first, 'a', 6));
	const VECTOR call = WHOLE(and)(NAME(is)(first, 'I'), NAME(is)(NAME(load)(bytes + 7), ' '));
	const uint32_t events = NAME(bits)(WHOLE(andnot)(hex, newline));
	const uint32_t calls = NAME(bits)(call) & events;

	return calls == 0 ? events : events & ~(calls & NAME(inlined)(bytes));
}

__attribute__((target(TARGET))) static struct classified
NAME(classify)(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	VECTOR returns = WHOLE(setzero)(), least = WIDTH(set1_epi8)((char)0xff);
	VECTOR most = WHOLE(setzero)();
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++) {
		uint64_t newline = 0, event = 0;

#pragma GCC unroll 4
		for (unsigned part = 0; part < CLASSIFY_WORD; part += LANES, bytes += LANES) {
			const VECTOR here = NAME(load)(bytes), fed = NAME(is)(here, '\n');

			newline |= (uint64_t)NAME(bits)(fed) << part;
			event |= (uint64_t)NAME(events)(bytes, fed) << part;
			returns = WHOLE(or)(returns, NAME(is)(here, '\r'));
			least = WIDTH(min_epu8)(least, here);
			most = WIDTH(max_epu8)(most, here);
		}
		newlines[word] = newline;
		events[word] = event;
		found.lines += (uint64_t)__builtin_popcountll(newline);
	}
	found.odd = (NAME(bits)(returns) != 0 ? CLASSIFY_RETURN : 0) |
		    (NAME(bits)(NAME(is)(least, 0)) != 0 ? CLASSIFY_NUL : 0) |
		    (NAME(bits)(NAME(is)(most, (char)0xff)) != 0 ? CLASSIFY_FF : 0);
	return found;
}

#undef INLINE
#undef VECTOR
#undef LANES
#undef WIDTH
#undef WHOLE
#undef NAME
#undef TARGET
