/* Common code of models: expansions whose scratch holds all of their arrays. */
#include "dp/engine/model.h"

#include <string.h>

#include "dp/base/arena.h"

void og_model_free(og_model *model)
{
    if (model->free != NULL) {
        model->free((void *)model->self); /* owned by the maker of the model */
    }
    memset(model, 0, sizeof *model);
}

og_status og_expansion_init(void *scratch, size_t actions, size_t outcomes, og_expansion *x)
{
    og_arena *arena = scratch;
    *x = (og_expansion){.action = og_arena_array(arena, actions, sizeof *x->action),
                        .outcome = og_arena_array(arena, outcomes, sizeof *x->outcome),
                        .scratch = scratch};
    og_status status = og_arena_status(arena);
    if (status != OG_OK) {
        og_expansion_free(x);
    }
    return status;
}

void og_expansion_free(og_expansion *expansion)
{
    og_arena_free(expansion->scratch);
    memset(expansion, 0, sizeof *expansion);
}
