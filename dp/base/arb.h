#ifndef OG_DP_BASE_ARB_H
#define OG_DP_BASE_ARB_H

/*
 * The only way to include Arb, wherever its headers are: FLINT 3 includes it and keeps them in
 * flint/; before, it was a separate library.
 */
#if __has_include(<flint/arb.h>)
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#endif
