/* Files of labels in JSON, object by object. */
#include "bench/recorded/answers_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/columns.h"
#include "bench/recorded/items_json.h"

enum { NAME_BYTES = 200, SHOWN = 40, NUMBER_BYTES = 40 };

/* ---- values ---- */

static bool fail_label_count(const og_answers *answers, size_t count)
{
    return og_rows_fail(answers->rows, "%zu labels in one answer, where one is expected", count);
}

/* Without blanks around it, as in tables. */
static char *trimmed_copy(og_rows *rows, const char *text)
{
    const char *begin = text + strspn(text, " \t"), *end = begin + strlen(begin);
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    rows->trimmed += begin > text || *end != '\0';
    char *copy = strndup(begin, (size_t)(end - begin));
    if (copy == NULL) {
        og_rows_no_memory(rows);
    }
    return copy;
}

/* The text of a value, to be freed: "" for null and for an empty list. NULL, and a failure, for an
 * object, a list of several values, or without memory. */
static char *text_of(const og_answers *answers, const json_t *value)
{
    char number[NUMBER_BYTES];
    const char *text = "";
    while (json_is_array(value) || json_is_object(value)) {
        const json_t *choices = json_object_get(value, "choices");
        value = choices != NULL ? choices : value;
        if (json_is_object(value)) {
            og_rows_fail(answers->rows, "an object where a text or a number is expected");
            return NULL;
        }
        if (json_array_size(value) > 1) {
            fail_label_count(answers, json_array_size(value));
            return NULL;
        }
        value = json_array_get(value, 0);
    }
    if (json_is_string(value)) {
        text = json_string_value(value);
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
    } else if (json_is_real(value)) {
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
        text = number;
    } else if (json_is_boolean(value)) {
        text = json_is_true(value) ? "true" : "false";
    }
    return trimmed_copy(answers->rows, text);
}

/* The value at "data.id". */
static const json_t *value_at(const json_t *object, const char *path)
{
    const json_t *found = json_object_get(object, path);
    const char *point = strchr(path, '.');
    char name[NAME_BYTES];
    if (found != NULL || point == NULL) {
        return found;
    }
    snprintf(name, sizeof name, "%.*s", (int)(point - path), path);
    const json_t *inner = json_object_get(object, name);
    return inner != NULL ? value_at(inner, point + 1) : NULL;
}

/* The value of the key that --columns gives for this column; NULL: none is given. *given tells. */
static const json_t *given_value(const og_answers *answers, const json_t *object, og_column column,
                                 bool *given)
{
    char name[NAME_BYTES];
    *given = og_columns_given(answers->how, column, 0, name, sizeof name);
    const json_t *found = *given ? value_at(object, name) : NULL;
    if (*given && found == NULL && !answers->gold) {
        og_rows_fail(answers->rows, "no key '%.*s' (--columns)", SHOWN, name);
    }
    return found;
}

static const json_t *usual_value(const json_t *object, og_column column)
{
    const char *const *names = og_column_names(column);
    for (int i = 0; names[i] != NULL; i++) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)object, key, value)
        {
            if (og_column_named(key, names[i])) {
                return value;
            }
        }
    }
    return NULL;
}

/* Passes on a label; an object takes the place of no text. */
static bool pass(const og_answers *answers, const json_t *task, const json_t *worker,
                 const json_t *label)
{
    char *words[3] = {text_of(answers, task), NULL, NULL};
    words[1] = words[0] != NULL ? text_of(answers, worker) : NULL;
    words[2] = words[1] != NULL ? text_of(answers, label) : NULL;
    bool going = words[2] != NULL &&
                 answers->take(answers->user, answers->rows, words[0], words[1], words[2]);
    for (int k = 0; k < 3; k++) {
        free(words[k]);
    }
    return going;
}

/* ---- keys by their usual names ---- */

static const json_t *value_of(const og_answers *answers, const json_t *object, og_column column)
{
    bool given;
    const json_t *found = given_value(answers, object, column, &given);
    return found != NULL || answers->rows->status != OG_OK ? found : usual_value(object, column);
}

static bool fail_key(const og_answers *answers, const json_t *object, og_column column)
{
    char list[OG_MESSAGE_BYTES / 2] = "";
    size_t used = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (used + SHOWN + 8 < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.*s'",
                                     used > 0 ? ", " : "", SHOWN, key);
        }
    }
    return og_rows_fail(answers->rows, "no key '%s'; there are %s; name it by --columns %s=NAME",
                        og_column_word(column), list, og_column_word(column));
}

/* ---- one person's work: Prodigy, doccano ---- */

static bool is_known(const json_t *value)
{
    return value != NULL && !json_is_null(value);
}

/* Passes on a label of a person whom the object may not name: then it is the file's. */
static bool pass_own(const og_answers *answers, const json_t *task, const json_t *worker,
                     const json_t *label)
{
    const char *path = strrchr(answers->rows->path, '/');
    path = path != NULL ? path + 1 : answers->rows->path;
    json_t *own = json_stringn_nocheck(path, strcspn(path, "."));
    bool going = own != NULL ? pass(answers, task, is_known(worker) ? worker : own, label)
                             : og_rows_no_memory(answers->rows);
    json_decref(own);
    return going;
}

static bool take_prodigy(const og_answers *answers, const json_t *object)
{
    const char *answer = json_string_value(json_object_get(object, "answer"));
    const json_t *accept = json_object_get(object, "accept");
    bool given[3], chosen = accept != NULL;
    const json_t *task = given_value(answers, object, OG_COLUMN_TASK, &given[0]);
    const json_t *worker = given_value(answers, object, OG_COLUMN_WORKER, &given[1]);
    const json_t *label = given_value(answers, object, OG_COLUMN_LABEL, &given[2]);
    if (answers->rows->status != OG_OK) {
        return false;
    }
    if (task == NULL) { /* a binary question is about a text and a label */
        const char *hash = chosen ? "_input_hash" : "_task_hash";
        task = json_object_get(object, hash);
    }
    worker = is_known(worker) ? worker : json_object_get(object, "_annotator_id");
    worker = is_known(worker) ? worker : json_object_get(object, "_session_id");
    if (label == NULL) {
        label = chosen ? accept : json_object_get(object, "answer");
    }
    bool none = answer == NULL || strcmp(answer, "ignore") == 0 ||
                (chosen && strcmp(answer, "accept") != 0);
    return task == NULL ? fail_key(answers, object, OG_COLUMN_TASK)
                        : pass_own(answers, task, worker, none ? NULL : label);
}

static bool take_doccano(const og_answers *answers, const json_t *object)
{
    const json_t *task = value_of(answers, object, OG_COLUMN_TASK);
    const json_t *worker = value_of(answers, object, OG_COLUMN_WORKER);
    const json_t *annotations = json_object_get(object, "annotations");
    const json_t *label = value_of(answers, object, OG_COLUMN_LABEL);
    label = label == NULL ? json_object_get(object, "labels") : label;
    bool going = answers->rows->status == OG_OK;
    task = task != NULL ? task : json_object_get(object, "text");
    if (going && annotations == NULL) {
        return pass_own(answers, task, worker, label);
    }
    if (going && json_array_size(annotations) == 0) {
        return pass(answers, task, NULL, NULL);
    }
    for (size_t i = 0; going && i < json_array_size(annotations); i++) {
        const json_t *one = json_array_get(annotations, i);
        going = pass(answers, task, json_object_get(one, "user"), json_object_get(one, "label"));
    }
    return going;
}

/* ---- Label Studio ---- */

/* The answer in a result; NULL: it is not a class. */
static const json_t *answer_of(const json_t *result)
{
    static const char *const kinds[] = {"choices", "rating", "number", "selected", NULL};
    const json_t *value = json_object_get(result, "value"), *found = NULL;
    for (int i = 0; kinds[i] != NULL && found == NULL; i++) {
        found = json_object_get(value, kinds[i]);
    }
    return found;
}

/* The answer of an annotation, of the control that --columns label=NAME gives, else of the only
 * one. False after a failure. */
static bool find_answer(const og_answers *answers, const json_t *annotation, const json_t **out)
{
    const json_t *results = json_object_get(annotation, "result");
    char name[NAME_BYTES];
    const char *first = NULL;
    bool given = og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof name),
         other = false;
    *out = NULL;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i), *answer = answer_of(one);
        const char *control = json_string_value(json_object_get(one, "from_name"));
        control = control != NULL ? control : "";
        other = other || answer == NULL;
        if (answer == NULL || (given && strcmp(control, name) != 0)) {
            continue;
        }
        if (*out != NULL && strcmp(first, control) != 0) {
            return og_rows_fail(answers->rows,
                                "answers of '%.*s' and of '%.*s'; choose by --columns label=NAME",
                                SHOWN, first, SHOWN, control);
        }
        if (*out != NULL) {
            return fail_label_count(answers, 2);
        }
        first = control;
        *out = answer;
    }
    return *out != NULL || given || !other ||
           og_rows_fail(answers->rows, "an annotation without choices, a rating or a number");
}

static bool take_annotation(const og_answers *answers, const json_t *task, const json_t *annotation)
{
    const json_t *worker = json_object_get(annotation, "completed_by"), *answer;
    bool skipped = json_is_true(json_object_get(annotation, "was_cancelled"));
    if (json_is_object(worker)) {
        const json_t *mail = json_object_get(worker, "email");
        worker = mail != NULL ? mail : json_object_get(worker, "id");
    }
    if (answers->gold && !json_is_true(json_object_get(annotation, "ground_truth"))) {
        return true;
    }
    return find_answer(answers, annotation, &answer) &&
           pass(answers, task, answers->gold ? NULL : worker, skipped ? NULL : answer);
}

static bool take_label_studio(const og_answers *answers, const json_t *object)
{
    char name[NAME_BYTES];
    const json_t *annotations = json_object_get(object, "annotations"), *task;
    task = json_object_get(object, "id");
    if (og_columns_given(answers->how, OG_COLUMN_TASK, 0, name, sizeof name)) {
        task = value_at(object, name);
        task = task != NULL ? task : value_at(json_object_get(object, "data"), name);
    }
    if (task == NULL) {
        return fail_key(answers, object, OG_COLUMN_TASK);
    }
    bool going =
        json_array_size(annotations) > 0 || answers->gold || pass(answers, task, NULL, NULL);
    for (size_t i = 0; going && i < json_array_size(annotations); i++) {
        going = take_annotation(answers, task, json_array_get(annotations, i));
    }
    return going;
}

/* ---- SageMaker Ground Truth ---- */

/* A worker's label, from JSON in a text. */
static bool take_content(const og_answers *answers, char *task, const json_t *one,
                         const char *content)
{
    char *worker = text_of(answers, json_object_get(one, "workerId"));
    char *label = worker != NULL ? og_answer_in_json(answers->rows, content) : NULL;
    bool going = label != NULL && answers->take(answers->user, answers->rows, task, worker, label);
    free(worker);
    free(label);
    return going;
}

/* Of an object's own file of answers: it is in a folder with the object's number. */
static bool take_worker_responses(const og_answers *answers, const json_t *object)
{
    const char *path = answers->rows->path, *end = strrchr(path, '/'), *begin = end;
    const json_t *list = json_object_get(object, "answers");
    while (begin != NULL && begin > path && begin[-1] != '/') {
        begin--;
    }
    if (begin == NULL) {
        return fail_key(answers, object, OG_COLUMN_TASK);
    }
    char *task = strndup(begin, (size_t)(end - begin));
    bool going = task != NULL || og_rows_no_memory(answers->rows);
    for (size_t i = 0; going && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const json_t *answer = json_object_get(one, "answerContent");
        if (!json_is_object(answer)) {
            going = og_rows_fail(answers->rows, "an answer without an object answerContent");
            break;
        }
        char *content = json_dumps(answer, JSON_COMPACT);
        going = content != NULL ? take_content(answers, task, one, content)
                                : og_rows_no_memory(answers->rows);
        free(content);
    }
    free(task);
    return going;
}

/* The only job's metadata, or that which --columns label=JOB gives. */
static const json_t *metadata_of(const og_answers *answers, const json_t *object)
{
    char name[NAME_BYTES];
    bool given = og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof name);
    const char *key, *first = NULL;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        const char *mark = strstr(key, "-metadata");
        bool wanted =
            mark != NULL && mark[9] == '\0' && json_object_get(value, "class-name") != NULL;
        size_t length = mark != NULL ? (size_t)(mark - key) : 0;
        if (!wanted || (given && (strlen(name) != length || strncmp(key, name, length) != 0))) {
            continue;
        }
        if (first != NULL) {
            og_rows_fail(answers->rows,
                         "answers of '%.*s' and of '%.*s'; choose by --columns "
                         "label=JOB, without -metadata",
                         SHOWN, first, SHOWN, key);
            return NULL;
        }
        first = key;
    }
    return first != NULL ? json_object_get(object, first) : NULL;
}

/* A line of an output manifest: the label on which its workers agreed. */
static bool take_manifest(const og_answers *answers, const json_t *object)
{
    bool given;
    const json_t *task = given_value(answers, object, OG_COLUMN_TASK, &given);
    const json_t *metadata = metadata_of(answers, object);
    task = given ? task : json_object_get(object, "source-ref");
    task = task != NULL ? task : json_object_get(object, "source");
    return answers->rows->status == OG_OK &&
           (task != NULL ? pass(answers, task, NULL, json_object_get(metadata, "class-name"))
                         : fail_key(answers, object, OG_COLUMN_TASK));
}

/* The content of each worker's annotation is JSON in a text. */
static bool take_ground_truth(const og_answers *answers, const json_t *object)
{
    if (json_is_array(json_object_get(object, "answers"))) {
        return take_worker_responses(answers, object);
    }
    const json_t *annotations = json_object_get(object, "annotations");
    if (annotations == NULL) {
        return take_manifest(answers, object);
    }
    const json_t *id = json_object_get(object, "datasetObjectId");
    bool given, going;
    const json_t *task = given_value(answers, object, OG_COLUMN_TASK, &given);
    char *name = answers->rows->status == OG_OK ? text_of(answers, given ? task : id) : NULL;
    char nothing[] = "";
    going = name != NULL && (json_array_size(annotations) > 0 ||
                             answers->take(answers->user, answers->rows, name, nothing, nothing));
    for (size_t i = 0; going && i < json_array_size(annotations); i++) {
        const json_t *one = json_array_get(annotations, i);
        const json_t *data = json_object_get(one, "annotationData");
        const char *content = json_string_value(json_object_get(data, "content"));
        going = content != NULL
                    ? take_content(answers, name, one, content)
                    : og_rows_fail(answers->rows, "an annotation without annotationData.content");
    }
    free(name);
    return going;
}

/* ---- Argilla ---- */

/* The question whose answers are the labels: by --columns label=NAME, else the only one. */
static const json_t *question_of(const og_answers *answers, const json_t *questions)
{
    char name[NAME_BYTES];
    if (og_columns_given(answers->how, OG_COLUMN_LABEL, 0, name, sizeof name)) {
        return json_object_get(questions, name);
    }
    if (json_object_size(questions) > 1) {
        void *first = json_object_iter((json_t *)questions);
        void *second = json_object_iter_next((json_t *)questions, first);
        og_rows_fail(answers->rows,
                     "answers of '%.*s' and of '%.*s'; choose by --columns label=NAME", SHOWN,
                     json_object_iter_key(first), SHOWN, json_object_iter_key(second));
        return NULL;
    }
    return json_object_iter_value(json_object_iter((json_t *)questions));
}

static bool take_argilla(const og_answers *answers, const json_t *object)
{
    bool given;
    const json_t *task = given_value(answers, object, OG_COLUMN_TASK, &given);
    const json_t *list = question_of(answers, json_object_get(object, "responses"));
    bool going = answers->rows->status == OG_OK;
    task = given ? task : json_object_get(object, "id");
    if (going && task == NULL) {
        return fail_key(answers, object, OG_COLUMN_TASK);
    }
    if (going && json_array_size(list) == 0) {
        return pass(answers, task, NULL, NULL);
    }
    for (size_t i = 0; going && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *status = json_string_value(json_object_get(one, "status"));
        bool done = status == NULL || strcmp(status, "submitted") == 0;
        going = pass(answers, task, json_object_get(one, "user_id"),
                     done ? json_object_get(one, "value") : NULL);
    }
    return going;
}

/* ---- Potato ---- */

/* Of the options of a question the one that is chosen, by its name; of a text box its text. */
static bool take_potato(const og_answers *answers, const json_t *object)
{
    bool given;
    const json_t *task = given_value(answers, object, OG_COLUMN_TASK, &given), *chosen = NULL;
    const json_t *options = question_of(answers, json_object_get(object, "label_annotations"));
    const char *key;
    json_t *value, *made = NULL;
    size_t count = 0;
    task = given ? task : json_object_get(object, "instance_id");
    if (answers->rows->status != OG_OK || task == NULL) {
        return answers->rows->status == OG_OK && fail_key(answers, object, OG_COLUMN_TASK);
    }
    json_object_foreach((json_t *)options, key, value)
    {
        bool empty = json_is_string(value) && *json_string_value(value) == '\0';
        if (is_known(value) && !json_is_false(value) && !empty) {
            json_decref(made);
            made = strcmp(key, "text_box") == 0 ? NULL : json_string(key);
            chosen = made != NULL ? made : value;
            count++;
        }
    }
    const json_t *user = json_object_get(object, "user_id");
    user = user != NULL ? user : json_object_get(object, "user");
    bool going = count > 1 ? fail_label_count(answers, count) : pass(answers, task, user, chosen);
    json_decref(made);
    return going;
}

/* ---- all ---- */

static json_t *parse(og_rows *rows, const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &error);
    if (value == NULL && json_error_code(&error) == json_error_out_of_memory) {
        og_rows_no_memory(rows);
    } else if (value == NULL) {
        og_rows_fail(rows, "not valid JSON: %.200s", error.text);
    }
    return value;
}

/* The forms of annotation tools. */
typedef struct {
    const char *format, *title;
    bool (*take)(const og_answers *answers, const json_t *object);
} json_form;

static const json_form forms[] = {
    {"label-studio", "Label Studio (JSON)", take_label_studio},
    {"prodigy", "Prodigy (JSON)", take_prodigy},
    {"doccano", "doccano (JSON)", take_doccano},
    {"ground-truth", "Ground Truth (JSON)", take_ground_truth},
    {"argilla", "Argilla (JSON)", take_argilla},
    {"potato", "Potato (JSON)", take_potato},
    {NULL, NULL, NULL},
};

static bool is_ground_truth(const json_t *object)
{
    const json_t *answer = json_array_get(json_object_get(object, "answers"), 0);
    bool listed = json_is_array(json_object_get(object, "annotations"));
    if (json_object_get(answer, "answerContent") != NULL ||
        (listed && json_object_get(object, "datasetObjectId") != NULL)) {
        return true;
    }
    const char *key;
    json_t *value;
    bool any = false;
    json_object_foreach((json_t *)object, key, value)
    {
        const json_t *type = json_object_get(value, "type");
        any = any || (strstr(key, "-metadata") != NULL && json_is_string(type) &&
                      strncmp(json_string_value(type), "groundtruth/", 12) == 0);
    }
    return any;
}

static bool has(const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL;
}

/* The form that the object shows; NULL: keys are columns. */
static const char *form_shown(const json_t *object)
{
    bool annotations = json_is_array(json_object_get(object, "annotations"));
    bool hashed = has(object, "_task_hash") || has(object, "_input_hash");
    bool listed = json_is_array(json_object_get(object, "label")) ||
                  json_is_array(json_object_get(object, "labels"));
    return hashed && json_is_string(json_object_get(object, "answer")) ? "prodigy"
           : is_ground_truth(object)                                   ? "ground-truth"
           : annotations && has(object, "data")                        ? "label-studio"
           : has(object, "text") && (annotations || listed)            ? "doccano"
           : has(object, "fields") && json_is_object(json_object_get(object, "responses"))
               ? "argilla"
           : json_is_object(json_object_get(object, "label_annotations")) ? "potato"
                                                                          : NULL;
}

/* The form by name, unless it is Label Studio's JSON-MIN, else by looking; NULL: a table. */
static const json_form *form_of(const og_answers *answers, const json_t *object)
{
    const char *format = answers->how != NULL ? answers->how->format : NULL;
    bool min = has(object, "annotation_id"), shown = format == NULL || strcmp(format, "auto") == 0;
    format = shown ? form_shown(object) : format;
    const json_form *form = forms;
    while (form->format != NULL && (format == NULL || strcmp(form->format, format) != 0)) {
        form++;
    }
    return form->format == NULL || (form->take == take_label_studio && min) ? NULL : form;
}

/* If the only object has items as keys, the rows that it means take its place. */
static bool read_items(const og_answers *answers)
{
    char *list = og_items_as_rows(answers);
    if (list != NULL) {
        og_rows_reopen_text(answers->rows, list, strlen(list));
        og_answers_read(answers);
    }
    free(list);
    return list != NULL || answers->rows->status != OG_OK;
}

bool og_answers_read_json(const og_answers *answers)
{
    const json_form *form = NULL;
    bool going = true, lone = og_rows_peek(answers->rows) == '{';
    og_rows_values(answers->rows);
    while (going && og_rows_next(answers->rows)) {
        json_t *object = parse(answers->rows, answers->rows->field[0]);
        if (object != NULL && form == NULL) {
            form = form_of(answers, object);
        }
        if (object != NULL && form == NULL) {
            json_decref(object);
            if (lone && read_items(answers)) {
                return true;
            }
            og_rows_keys(answers->rows);
            return false;
        }
        if (object != NULL) {
            og_answers_form(answers, "%s", form->title);
        }
        going = object != NULL && form->take(answers, object);
        json_decref(object);
    }
    return true;
}

/* ---- a cell ---- */

typedef struct {
    const json_t *value; /* a text or a number; or */
    const char *key;     /* of a true */
    int count;
} leaf;

/* Of a list of radio buttons the key of the true one is the answer: {"cat": true, "dog": false}. */
static void find_leaf(const json_t *value, const char *key, leaf *found)
{
    const char *inner_key;
    json_t *inner;
    for (size_t i = 0; i < json_array_size(value); i++) {
        find_leaf(json_array_get(value, i), key, found);
    }
    json_object_foreach((json_t *)value, inner_key, inner)
    {
        find_leaf(inner, inner_key, found);
    }
    if (json_is_string(value) || json_is_number(value)) {
        *found = (leaf){value, NULL, found->count + 1};
    } else if (json_is_true(value) && key != NULL) {
        *found = (leaf){NULL, key, found->count + 1};
    }
}

char *og_answer_in_json(og_rows *rows, const char *text)
{
    const og_answers answers = {.rows = rows};
    leaf found = {.count = 0};
    char *answer = NULL;
    json_t *value = parse(rows, text);
    if (value == NULL) {
        return NULL;
    }
    find_leaf(value, NULL, &found);
    if (found.count > 1) {
        fail_label_count(&answers, (size_t)found.count);
    } else {
        answer = found.key != NULL ? trimmed_copy(rows, found.key) : text_of(&answers, found.value);
    }
    json_decref(value);
    return answer;
}

char *og_answer_to(og_rows *rows, const char *text, const char *question)
{
    const og_answers answers = {.rows = rows};
    const json_t *found = NULL, *first = NULL;
    json_t *list = parse(rows, text);
    for (size_t i = 0; list != NULL && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i), *value = json_object_get(one, "value");
        const char *name = json_string_value(json_object_get(one, "task"));
        bool single = !json_is_array(value) && !json_is_object(value) && is_known(value);
        if (name != NULL && (*question != '\0' ? strcmp(name, question) == 0 : single)) {
            if (found != NULL) {
                og_rows_fail(rows,
                             "answers to '%.*s' and to '%.*s'; choose by --columns label=NAME",
                             SHOWN, json_string_value(json_object_get(first, "task")), SHOWN, name);
            }
            found = value;
            first = one;
        }
    }
    char *answer = list != NULL && rows->status == OG_OK ? text_of(&answers, found) : NULL;
    json_decref(list);
    return answer;
}
