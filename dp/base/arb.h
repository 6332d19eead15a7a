#ifndef OG_DP_BASE_ARB_H
#define OG_DP_BASE_ARB_H

/*
 * Arb, wherever its headers lie: FLINT 3 has taken it in and keeps them in flint/; before, it was a
 * library of its own beside FLINT. All that includes Arb does so through here.
 */
#if __has_include(<flint/arb.h>)
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#endif
