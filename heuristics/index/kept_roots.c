/* A table of open addressing that does not grow, so that its entries stay where they are. */
#include "heuristics/index/kept_roots.h"

#include <stdlib.h>
#include <xxhash.h>

#include "dp/base/parallel.h"

enum { SLOTS = 2 * OG_KEPT_ROOTS_MAX };

struct og_kept_roots {
    og_lock lock;
    int32_t count;
    og_kept_root root[SLOTS];
};

og_status og_kept_roots_new(og_kept_roots **out)
{
    og_kept_roots *kept = calloc(1, sizeof *kept); /* pages that are not used take no memory */
    OG_TRY(OG_ALLOCATED(kept));
    og_lock_init(&kept->lock);
    *out = kept;
    return OG_OK;
}

void og_kept_roots_free(og_kept_roots *kept)
{
    if (kept != NULL) {
        og_lock_clear(&kept->lock);
    }
    free(kept);
}

static bool is_of(const og_kept_root *root, const og_kept_key *key)
{
    const og_kept_key *own = &root->key;
    return own->a.num == key->a.num && own->a.den == key->a.den && own->b.num == key->b.num &&
           own->b.den == key->b.den && own->threshold.num == key->threshold.num &&
           own->threshold.den == key->threshold.den && own->rule == key->rule &&
           own->delta == key->delta && own->end == key->end && own->look == key->look;
}

og_kept_root *og_kept_roots_at(og_kept_roots *kept, const og_kept_key *key)
{
    if (kept == NULL) {
        return NULL;
    }
    const og_fraction parts[] = {key->a, key->b, key->threshold}; /* without padding */
    uint32_t slot = (uint32_t)XXH3_64bits(parts, sizeof parts);
    og_kept_root *found = NULL;
    og_lock_take(&kept->lock);
    for (slot %= SLOTS; kept->root[slot].used && !is_of(&kept->root[slot], key);) {
        slot = (slot + 1) % SLOTS;
    }
    if (kept->root[slot].used || kept->count < OG_KEPT_ROOTS_MAX) {
        found = &kept->root[slot];
        kept->count += !found->used;
        found->used = true;
        found->key = *key;
    }
    og_lock_release(&kept->lock);
    return found;
}
