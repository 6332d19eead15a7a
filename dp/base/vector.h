#ifndef OG_DP_BASE_VECTOR_H
#define OG_DP_BASE_VECTOR_H

/*
 * Inner loops are compiled for several vector units, and the loader picks one. The bits are the
 * same on all of them: the computation of an element does not depend on its neighbours, and no
 * product is fused with a sum (-ffp-contract=off). Cloned functions must be static, and no two of
 * the same name: clang's resolvers of static functions are global symbols. Sanitizers do not
 * support this.
 */
#if defined OG_NO_CLONES || !defined __x86_64__
#define OG_VECTOR_CLONES
#else
#define OG_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif

#endif
