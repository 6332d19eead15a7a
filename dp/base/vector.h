#ifndef OG_DP_BASE_VECTOR_H
#define OG_DP_BASE_VECTOR_H

/*
 * Inner loops are compiled for several vector units; the loader picks. The bits are the same on all
 * of them: what is done to an element does not depend on its neighbours, and no product is fused
 * with a sum (-ffp-contract=off). Functions that are cloned must be static. Sanitizers do not get
 * along with that.
 */
#if defined OG_NO_CLONES || !defined __x86_64__
#define OG_VECTOR_CLONES
#else
#define OG_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif

#endif
