/* JSON in a build without Jansson: there is none. */
#include "bench/document.h"

char *og_document_json(const og_document *document)
{
    (void)document;
    return NULL;
}

char *og_document_json_line(const og_document *document)
{
    return og_document_json(document);
}
