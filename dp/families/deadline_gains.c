/* Gains of labels in batches, from layer to layer. */
#include "dp/families/deadline_gains.h"

/* D of a class of layer `left`; `below` is that of the layer below. */
static void fill_gains(const og_layer *layer, uint32_t class, int32_t most, int32_t bits,
                       const double *below, double *gain)
{
    gain[0] = layer->reward[class];
    for (int32_t w = 1; w < most; w++) {
        for (uint32_t k = layer->outcome_first[class]; k < layer->outcome_first[class + 1]; k++) {
            gain[w] += layer->probability[k] * below[((size_t)layer->next[k] << bits) + w - 1];
        }
    }
}

og_status og_deadline_gains(const og_layers *layers, const og_deadline *deadline,
                            uint64_t memory_bytes, og_arena *arena, double ***out,
                            og_message *message)
{
    const int32_t labels = layers->budget, batch = og_deadline_at_once(deadline);
    const int32_t bits = og_deadline_bits(deadline, labels);
    uint64_t bytes = layers->bytes;
    double **gain = og_arena_array(arena, (size_t)labels + 1, sizeof *gain);
    OG_TRY(og_arena_status(arena));
    for (int32_t l = 1; l <= labels; l++) {
        const og_layer *layer = &layers->layer[l];
        size_t items = (size_t)layer->class_count << bits;
        bytes += items * sizeof **gain;
        if (items > UINT32_MAX || bytes > memory_bytes) {
            return og_message_set(
                message, OG_NO_MEMORY,
                "the gains of labels under way need more than the limit of %llu MB",
                (unsigned long long)(memory_bytes >> 20));
        }
        gain[l] = og_arena_array(arena, items, sizeof **gain);
        OG_TRY(og_arena_status(arena));
        for (uint32_t c = 0; c < layer->class_count; c++) {
            fill_gains(layer, c, batch < l ? batch : l, bits, gain[l - 1],
                       gain[l] + ((size_t)c << bits));
        }
    }
    *out = gain;
    return OG_OK;
}
