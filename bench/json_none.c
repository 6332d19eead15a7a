/* JSON in a build without Jansson: there is none. */
#include "bench/document.h"

char *og_document_json(const og_document *document)
{
    (void)document;
    return NULL;
}
