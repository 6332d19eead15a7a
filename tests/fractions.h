#ifndef OG_TESTS_FRACTIONS_H
#define OG_TESTS_FRACTIONS_H

#include <gmp.h>

/* Fractions of a block, 0 at first and cleared at its end: OWN_MPQ a = MPQ_NEW, b = MPQ_NEW; */
#define OWN_MPQ __attribute__((cleanup(fraction_clear))) mpq_t
#define MPQ_NEW                                                                                    \
    {                                                                                              \
        fraction_new()                                                                             \
    }

static inline __mpq_struct fraction_new(void)
{
    mpq_t made;
    mpq_init(made);
    return *made;
}

static inline void fraction_clear(mpq_t *t)
{
    mpq_clear(*t);
}

#endif
