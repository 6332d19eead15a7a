/* Computes the gain of an instance as a function of the price, class by class, each layer from the
 * layer with one worker less to come.
 */
#include "heuristics/families/delayed_index.h"

#include <stdlib.h>

#include "heuristics/families/polygon.h"

typedef struct {
    const og_delayed_layers *layers;
    double arrival_rate, service_rate;
    double slack;            /* allowance for rounding, for values and prices */
    og_polygon *below;       /* [classes of the layer `made`] */
    og_polygon *here;        /* [classes of this layer] */
    int32_t made;            /* the layer of `below` */
    og_polygon_draft better; /* scratch */
    uint64_t bytes, memory_bytes;
    og_stop *stop;
} maker;

static bool make_class(maker *m, int32_t left, uint32_t c, double *index)
{
    const og_delayed_layer *layer = &m->layers->layer[left];
    double q = m->arrival_rate + m->service_rate * layer->row[c].rate_total;
    og_polygon_draft *d = &m->better;
    bool good = og_polygon_larger(m->slack, &m->below[layer->row[c].down],
                                  &m->below[layer->row[c].given], layer->row[c].reward, d, index);
    for (uint32_t k = layer->row[c].first; good && k < layer->row[c].end; k++) {
        /* The first term also scales the arrival's term. */
        double scale = k == layer->row[c].first ? m->arrival_rate / q : 1;
        good = og_polygon_add(m->slack, d, scale, m->service_rate * layer->way[k].rate / q,
                              &m->here[layer->way[k].to]);
    }
    m->bytes += d->count * sizeof *d->corner;
    return good && m->bytes <= m->memory_bytes && og_polygon_store(d, &m->here[c]);
}

static void free_polygons(maker *m, og_polygon *polygons, uint32_t count)
{
    for (uint32_t c = 0; polygons != NULL && c < count; c++) {
        m->bytes -= polygons[c].corner != NULL ? polygons[c].count * sizeof(og_corner) : 0;
        free(polygons[c].corner);
    }
    free(polygons);
}

static bool make_layers(maker *m, og_delayed_index *out)
{
    const og_delayed_layer *layer = m->layers->layer;
    m->below = calloc(layer[0].class_count, sizeof *m->below);
    bool good = m->below != NULL;
    for (int32_t left = 1; good && left <= m->layers->workers; left++) {
        m->here = calloc(layer[left].class_count, sizeof *m->here);
        good = m->here != NULL;
        for (uint32_t c = 0; good && c < layer[left].class_count; c++) {
            good = !og_stop_asked(m->stop) &&
                   make_class(m, left, c, &out->index[out->first[left] + c]);
        }
        free_polygons(m, m->below, layer[left - 1].class_count);
        m->below = m->here;
        m->here = NULL;
        m->made = left;
    }
    free_polygons(m, m->below, layer[m->made].class_count);
    free(m->better.corner);
    return good;
}

static og_status refuse(int32_t workers, uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "its index for %d workers does not fit the memory limit of %s",
                          (int)workers, og_bytes_format(memory_bytes, limit));
}

/* Fills the tables; the layers exist. */
static og_status fill_index(og_delayed_index *made, const og_delay *delay, uint64_t memory_bytes,
                            og_stop *stop, og_message *message)
{
    double dearest;
    og_arena *arena = &made->arena;
    made->first = og_arena_array(arena, (size_t)made->arms->budget + 1, sizeof *made->first);
    OG_TRY(og_arena_status(arena));
    size_t count = og_delayed_layers_first(made->layers, made->first, &dearest);
    made->index = og_arena_array(arena, count, sizeof *made->index);
    made->rank = og_arena_array(arena, count, sizeof *made->rank);
    maker m = {.layers = made->layers,
               .arrival_rate = og_fraction_double(delay->arrival_rate),
               .service_rate = og_fraction_double(delay->service_rate),
               .slack = 1e-13 * dearest,
               .bytes = made->layers->bytes,
               .memory_bytes = memory_bytes,
               .stop = stop};
    bool good = !arena->failed && make_layers(&m, made);
    OG_TRY(og_stop_status(stop));
    return good && og_price_ranks(made->index, count, OG_DELAYED_TIE * dearest, made->rank,
                                  &made->tolerance_ties)
               ? OG_OK
               : refuse(made->arms->budget, memory_bytes, message);
}

og_status og_delayed_index_new(const og_arms *arms, const og_delay *delay, const og_policy_use *use,
                               og_delayed_index **out, og_message *message)
{
    const og_delayed_layers_use layers = {.merge = true,
                                          .keep = true,
                                          .most = delay->most,
                                          .memory_bytes = use->memory_bytes,
                                          .stop = use->stop};
    og_delayed_index *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    made->arms = arms;
    og_status status = og_delayed_layers_new(arms, &layers, &made->layers, message);
    OG_THEN(status, fill_index(made, delay, use->memory_bytes, use->stop, message));
    return OG_MADE(status, made, og_delayed_index_free, out);
}

void og_delayed_index_free(og_delayed_index *index)
{
    if (index != NULL) {
        og_delayed_layers_free(index->layers);
    }
    og_arena_free(index);
}

static size_t class_at(const og_delayed_index *index, int32_t arm, uint32_t node, int32_t at_work,
                       int32_t left)
{
    return index->first[left] +
           og_delayed_class(index->layers, index->arms, arm, node, at_work, left);
}

double og_delayed_index_at(const og_delayed_index *index, int32_t arm, uint32_t node,
                           int32_t at_work, int32_t left)
{
    return index->index[class_at(index, arm, node, at_work, left)];
}

uint32_t og_delayed_index_rank(const og_delayed_index *index, int32_t arm, uint32_t node,
                               int32_t at_work, int32_t left)
{
    return index->rank[class_at(index, arm, node, at_work, left)];
}
