/* Arenas: zeros, alignment, one failure for all. */
#include "dp/base/arena.h"

#include "tests/support.h"

OG_SUITE(arena, 60);

typedef struct {
    og_arena arena;
    int32_t *list;
} owner;

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

OG_TEST(arrays_are_zeros_of_their_own_and_stay_where_they_are)
{
    enum { ARRAYS = 100 };
    og_arena arena = {0};
    unsigned char *array[ARRAYS];
    for (size_t i = 0; i < ARRAYS; i++) {
        array[i] = og_arena_array(&arena, i, 3);
        ck_assert_ptr_nonnull(array[i]);
        ck_assert(all_zero(array[i], 3 * i));
        memset(array[i], (int)i, 3 * i);
    }
    for (size_t i = 1; i < ARRAYS; i++) {
        ck_assert(array[i][0] == i && array[i][3 * i - 1] == i);
    }
    ck_assert_int_eq(og_arena_status(&arena), OG_OK);
    og_arena_clear(&arena);
    ck_assert(all_zero((const unsigned char *)&arena, sizeof arena));
    og_arena_clear(&arena);
}

OG_TEST(aligned_arrays_are_aligned_and_zeros)
{
    og_arena arena = {0};
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        for (size_t count = 0; count < 40; count++) {
            unsigned char *array = og_arena_aligned(&arena, alignment, count, 8);
            ck_assert_ptr_nonnull(array);
            ck_assert_uint_eq((uintptr_t)array % alignment, 0);
            ck_assert(all_zero(array, 8 * count));
        }
    }
    og_arena_clear(&arena);
}

OG_TEST(copies_and_fractions_can_be_changed)
{
    const int32_t from[] = {3, 1, 4};
    og_arena arena = {0};
    int32_t *copy = og_arena_copy(&arena, from, 3, sizeof *from);
    mpq_t *fraction = og_arena_fractions(&arena, 5);
    ck_assert(og_arena_copy(&arena, NULL, 0, 8) != NULL && og_arena_fractions(&arena, 0) != NULL);
    ck_assert_int_eq(og_arena_status(&arena), OG_OK);
    ck_assert_mem_eq(copy, from, sizeof from);
    copy[0] = 5;
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(mpq_sgn(fraction[i]), 0);
        mpz_ui_pow_ui(mpq_numref(fraction[i]), 3, 1000); /* on the heap */
    }
    og_arena_clear(&arena);
}

OG_TEST(a_size_past_the_address_space_fails_and_the_failure_stays)
{
    og_arena arena = {0};
    char *before = og_arena_array(&arena, 2, 8);
    ck_assert_ptr_null(og_arena_array(&arena, SIZE_MAX / 4, 8));
    ck_assert_int_eq(og_arena_status(&arena), OG_NO_MEMORY);
    ck_assert_ptr_null(og_arena_array(&arena, 1, 1));
    ck_assert_ptr_null(og_arena_aligned(&arena, 64, 1, 1));
    ck_assert_ptr_null(og_arena_copy(&arena, "a", 1, 1));
    ck_assert_ptr_null(og_arena_fractions(&arena, 1));
    ck_assert_int_eq(og_arena_status(&arena), OG_NO_MEMORY);
    before[15] = 1; /* what stood before stands */
    og_arena_clear(&arena);
    ck_assert_int_eq(og_arena_status(&arena), OG_OK);
    ck_assert_ptr_null(og_arena_aligned(&arena, 64, SIZE_MAX / 4, 8));
    ck_assert_int_eq(og_arena_status(&arena), OG_NO_MEMORY);
    og_arena_clear(&arena);
    ck_assert_ptr_null(og_arena_aligned(&arena, 64, SIZE_MAX - 1, 1));
    og_arena_clear(&arena);
}

OG_TEST(an_object_is_freed_with_its_arrays)
{
    owner *object = og_arena_new(sizeof *object);
    ck_assert_ptr_nonnull(object);
    ck_assert(all_zero((const unsigned char *)object, sizeof *object));
    object->list = og_arena_array(&object->arena, 10, sizeof *object->list);
    object->list[9] = 1;
    og_arena_free(object);
    og_arena_free(NULL);
}
