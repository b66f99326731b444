/* Exercises every function of the C interface. Inputs stand in read-only memory right before a page
 * that cannot be touched, and outputs before such a page too: the library's own accesses are not
 * instrumented, so this is what catches one byte too many. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prova_verkle.h"
#include "vectors.h"

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define EXPECT(call, status) expect((call), PROVA_VERKLE_STATUS_##status, #call, __LINE__)
/* The call must fail, and name the item. */
#define EXPECT_AT(call, status, at, part)                                                          \
    do {                                                                                           \
        EXPECT(call, status);                                                                      \
        CHECK(error.index == (size_t)(at));                                                        \
        CHECK(error.position == (size_t)(part));                                                   \
    } while (0)

enum {
    COMPRESSED = PROVA_VERKLE_FORMAT_COMPRESSED,
    UNCOMPRESSED = PROVA_VERKLE_FORMAT_UNCOMPRESSED,
    UNCHECKED = PROVA_VERKLE_FORMAT_UNCOMPRESSED_UNCHECKED,
    VALUES = PROVA_VERKLE_WIDTH * PROVA_VERKLE_SCALAR_LEN,
};
#define NONE PROVA_VERKLE_NO_INDEX
#define LABEL (const uint8_t *)PROVA_VERKLE_LABEL, strlen(PROVA_VERKLE_LABEL)

static _Thread_local prova_verkle_error error;

static void check(int holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "line %d: does not hold: %s\n", line, what);
        exit(1);
    }
}

static void expect(prova_verkle_status got, prova_verkle_status wanted, const char *call, int line) {
    if (got != wanted || error.status != wanted) {
        fprintf(stderr, "line %d: got %d (%s), wanted %d: %s\n", line, (int)got, error.message,
                (int)wanted, call);
        exit(1);
    }
    check(memchr(error.message, 0, sizeof error.message) != NULL, "message ends", line);
    check((error.message[0] == 0) == (wanted == PROVA_VERKLE_STATUS_OK), "message", line);
}

static uint8_t *before_a_guard(const uint8_t *data, size_t len, int protection) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (len + page - 1) / page * page;
    uint8_t *start = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(start != MAP_FAILED);
    if (data != NULL) {
        memcpy(start + size - len, data, len);
    } else {
        memset(start + size - len, 0xAA, len);
    }
    CHECK(size == 0 || mprotect(start, size, protection) == 0);
    CHECK(mprotect(start + size, page, PROT_NONE) == 0);
    return start + size - len;
}

static const uint8_t *in(const uint8_t *data, size_t len) {
    return before_a_guard(data, len, PROT_READ);
}

static uint8_t *out(size_t len) {
    return before_a_guard(NULL, len, PROT_READ | PROT_WRITE);
}

static int untouched(const uint8_t *data, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (data[i] != 0xAA) {
            return 0;
        }
    }
    return 1;
}

static prova_verkle_context *new_context(uint32_t threads) {
    prova_verkle_context *context = NULL;
    EXPECT(prova_verkle_context_new(threads, &context, &error), OK);
    CHECK(context != NULL);
    CHECK(threads == 0 ? prova_verkle_context_threads(context) > 0
                       : prova_verkle_context_threads(context) == threads);
    return context;
}

/* The polynomial of the published proof: f(i) = i. */
static uint8_t values[VALUES];

static size_t point_len(uint32_t format) {
    return format == COMPRESSED ? PROVA_VERKLE_POINT_LEN : PROVA_VERKLE_POINT_UNCOMPRESSED_LEN;
}

static size_t proof_len(uint32_t format) {
    return format == COMPRESSED ? PROVA_VERKLE_PROOF_LEN : PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN;
}

static size_t prover_len(uint32_t format) {
    return format == COMPRESSED ? PROVA_VERKLE_PROVER_QUERY_LEN
                                : PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN;
}

static size_t verifier_len(uint32_t format) {
    return format == COMPRESSED ? PROVA_VERKLE_VERIFIER_QUERY_LEN
                                : PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN;
}

/* The two openings of the published proof, for both sides. */
typedef struct {
    uint8_t prover[2 * PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN];
    uint8_t verifier[2 * PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN];
} openings;

static openings *new_openings(const prova_verkle_context *context, uint32_t format) {
    openings *o = calloc(1, sizeof *o);
    uint8_t commitment[PROVA_VERKLE_POINT_UNCOMPRESSED_LEN];
    const size_t point = point_len(format);
    CHECK(o != NULL);
    EXPECT(prova_verkle_commit(context, format, values, VALUES, commitment, point, &error), OK);
    for (uint8_t i = 0; i < 2; i++) {
        const uint8_t z = (uint8_t)(i + 1);
        uint8_t *query = o->prover + i * prover_len(format);
        memcpy(query, commitment, point);
        memcpy(query + point, values, VALUES);
        query[point + VALUES] = z;
        memcpy(query + point + VALUES + 1, values + 32 * z, 32);
        query = o->verifier + i * verifier_len(format);
        memcpy(query, commitment, point);
        query[point] = z;
        memcpy(query + point + 1, values + 32 * z, 32);
    }
    return o;
}

static void test_context(void) {
    prova_verkle_context *context = (prova_verkle_context *)values;
    EXPECT(prova_verkle_context_new(1, NULL, &error), NULL_POINTER);
    EXPECT(prova_verkle_context_new(PROVA_VERKLE_MAX_THREADS + 1, &context, &error), BAD_ARGUMENT);
    CHECK(context == NULL);
    CHECK(prova_verkle_context_threads(NULL) == 0);
    prova_verkle_context_free(NULL);
    prova_verkle_context_free(new_context(0));
    EXPECT(prova_verkle_context_prepare(NULL, &error), NULL_POINTER);
    context = new_context(2);
    for (int i = 0; i < 2; i++) {
        EXPECT(prova_verkle_context_prepare(context, &error), OK);
    }
    CHECK(prova_verkle_context_prepare(context, NULL) == PROVA_VERKLE_STATUS_OK);
    uint8_t one[32] = {1}, point[32];
    EXPECT(prova_verkle_commit(context, COMPRESSED, one, 32, point, 32, &error), OK);
    CHECK(memcmp(point, generator_0, 32) == 0);
    prova_verkle_context_free(context);
    for (int32_t status = -1; status < 20; status++) {
        CHECK(strlen(prova_verkle_status_message(status)) > 0);
    }
    CHECK(strcmp(prova_verkle_status_message(PROVA_VERKLE_STATUS_OK), "success") == 0);
}

static void test_commit(const prova_verkle_context *c) {
    const size_t len = sizeof pedersen_scalars;
    const uint8_t *scalars = in(pedersen_scalars, len), zero[32] = {0};
    uint8_t *point = out(32), *wide = out(64), *hash = out(32), one[32] = {1};

    EXPECT(prova_verkle_commit(c, COMPRESSED, one, 32, point, 32, &error), OK);
    CHECK(memcmp(point, generator_0, 32) == 0);
    EXPECT(prova_verkle_commit(c, COMPRESSED, NULL, 0, point, 32, &error), OK);
    CHECK(memcmp(point, zero, 32) == 0);

    EXPECT(prova_verkle_commit(c, COMPRESSED, scalars, len, point, 32, &error), OK);
    EXPECT(prova_verkle_hash(c, COMPRESSED, point, 32, hash, 32, &error), OK);
    CHECK(memcmp(hash, pedersen_hash, 32) == 0);
    for (uint32_t format = UNCOMPRESSED; format <= UNCHECKED; format++) {
        EXPECT(prova_verkle_commit(c, format, scalars, len, wide, 64, &error), OK);
        EXPECT(prova_verkle_hash(c, format, wide, 64, hash, 32, &error), OK);
        CHECK(memcmp(hash, pedersen_hash, 32) == 0);
    }
    CHECK(prova_verkle_commit(c, COMPRESSED, one, 32, point, 32, NULL) == PROVA_VERKLE_STATUS_OK);

    point = out(32);
    EXPECT(prova_verkle_commit(NULL, COMPRESSED, scalars, len, point, 32, &error), NULL_POINTER);
    EXPECT(prova_verkle_commit(c, COMPRESSED, NULL, len, point, 32, &error), NULL_POINTER);
    EXPECT(prova_verkle_commit(c, COMPRESSED, scalars, len, NULL, 32, &error), NULL_POINTER);
    EXPECT(prova_verkle_commit(c, COMPRESSED, scalars, len, NULL, 0, &error), BAD_LENGTH);
    EXPECT(prova_verkle_commit(c, COMPRESSED, scalars, len, point, 31, &error), BAD_LENGTH);
    EXPECT(prova_verkle_commit(c, UNCOMPRESSED, scalars, len, point, 32, &error), BAD_LENGTH);
    EXPECT(prova_verkle_commit(c, COMPRESSED, scalars, len - 1, point, 32, &error), BAD_LENGTH);
    EXPECT(prova_verkle_commit(c, COMPRESSED, values, SIZE_MAX, point, 32, &error), BAD_LENGTH);
    EXPECT(prova_verkle_commit(c, 3, scalars, len, point, 32, &error), BAD_ARGUMENT);

    static uint8_t many[VALUES + 32];
    EXPECT(prova_verkle_commit(c, COMPRESSED, many, sizeof many, point, 32, &error), BAD_LENGTH);
    memcpy(many, order, 32);
    memcpy(many + 5 * 32, order, 32);
    EXPECT_AT(prova_verkle_commit(c, COMPRESSED, many + 32, VALUES, point, 32, &error), BAD_SCALAR, 4, NONE);
    many[5 * 32] -= 1;
    EXPECT(prova_verkle_commit(c, COMPRESSED, many + 32, VALUES, wide, 32, &error), OK);
    CHECK(prova_verkle_commit(c, 3, scalars, len, point, 32, NULL) == PROVA_VERKLE_STATUS_BAD_ARGUMENT);
    CHECK(untouched(point, 32));
}

static void test_update(const prova_verkle_context *c) {
    static uint8_t updates[PROVA_VERKLE_WIDTH * PROVA_VERKLE_UPDATE_LEN], changed[VALUES];
    for (int i = 0; i < PROVA_VERKLE_WIDTH; i++) {
        uint8_t *update = updates + i * PROVA_VERKLE_UPDATE_LEN;
        memcpy(update + 32, values + 32 * i, 32);
        update[64] = (uint8_t)i;
    }
    for (uint32_t format = COMPRESSED; format <= UNCHECKED; format++) {
        const size_t point = point_len(format);
        uint8_t *from = out(point), *to = out(point), *wanted = out(point);
        uint8_t hashes[2][32];
        EXPECT(prova_verkle_commit(c, format, NULL, 0, from, point, &error), OK);
        EXPECT(prova_verkle_update(c, format, from, point, in(updates, sizeof updates),
                                   sizeof updates, to, point, &error), OK);
        EXPECT(prova_verkle_commit(c, format, values, VALUES, wanted, point, &error), OK);
        EXPECT(prova_verkle_hash(c, format, to, point, hashes[0], 32, &error), OK);
        EXPECT(prova_verkle_hash(c, format, wanted, point, hashes[1], 32, &error), OK);
        CHECK(memcmp(hashes[0], hashes[1], 32) == 0);

        /* Two changes of one value, in place. */
        uint8_t twice[2 * PROVA_VERKLE_UPDATE_LEN] = {0};
        memcpy(changed, values, VALUES);
        twice[0] = 7, twice[32] = 99, twice[64] = 7;
        twice[65] = 99, twice[65 + 32] = 0, twice[65 + 33] = 1, twice[65 + 64] = 7;
        changed[7 * 32] = 0, changed[7 * 32 + 1] = 1;
        EXPECT(prova_verkle_update(c, format, to, point, twice, sizeof twice, to, point, &error), OK);
        EXPECT(prova_verkle_commit(c, format, changed, VALUES, wanted, point, &error), OK);
        EXPECT(prova_verkle_hash(c, format, to, point, hashes[0], 32, &error), OK);
        EXPECT(prova_verkle_hash(c, format, wanted, point, hashes[1], 32, &error), OK);
        CHECK(memcmp(hashes[0], hashes[1], 32) == 0);
        memcpy(from, to, point);
        EXPECT(prova_verkle_update(c, format, from, point, NULL, 0, to, point, &error), OK);
        CHECK(memcmp(from, to, point) == 0);

        to = out(point);
        memcpy(twice + 65, order, 32);
        EXPECT_AT(prova_verkle_update(c, format, from, point, twice, sizeof twice, to, point, &error),
                  BAD_SCALAR, 1, NONE);
        memcpy(twice + 32, order, 32);
        EXPECT_AT(prova_verkle_update(c, format, from, point, twice, sizeof twice, to, point, &error),
                  BAD_SCALAR, 0, NONE);
        EXPECT(prova_verkle_update(c, format, from, point, updates, 64, to, point, &error), BAD_LENGTH);
        EXPECT(prova_verkle_update(c, format, from, point - 1, NULL, 0, to, point, &error), BAD_LENGTH);
        EXPECT(prova_verkle_update(c, format, from, point, NULL, 0, to, point + 1, &error), BAD_LENGTH);
        EXPECT(prova_verkle_update(c, format, NULL, point, NULL, 0, to, point, &error), NULL_POINTER);
        EXPECT(prova_verkle_update(c, format, from, point, NULL, 65, to, point, &error), NULL_POINTER);
        EXPECT(prova_verkle_update(c, format, from, point, NULL, 0, NULL, point, &error), NULL_POINTER);
        EXPECT(prova_verkle_update(NULL, format, from, point, NULL, 0, to, point, &error), NULL_POINTER);
        EXPECT(prova_verkle_update(c, 77, from, point, NULL, 0, to, point, &error), BAD_ARGUMENT);
        memset(from, 0xFF, point);
        EXPECT_AT(prova_verkle_update(c, format, from, point, NULL, 0, to, point, &error), BAD_POINT, 0, NONE);
        CHECK(untouched(to, point));
    }
}

static void test_points(const prova_verkle_context *c) {
    /* Coordinates that are known from outside; the second time those of (-x, -y). */
    uint8_t three[3 * 64], *narrow = out(3 * 32), *wide = out(3 * 64), zero[64] = {0};
    for (int i = 0; i < 3; i++) {
        memcpy(three + 64 * i, i == 1 ? point_negated : point_uncompressed, 64);
    }
    const uint8_t *points = in(three, sizeof three);
    for (uint32_t format = UNCOMPRESSED; format <= UNCHECKED; format++) {
        EXPECT(prova_verkle_convert(c, format, COMPRESSED, points, 192, narrow, 96, &error), OK);
        for (int i = 0; i < 3; i++) {
            CHECK(memcmp(narrow + 32 * i, point_compressed, 32) == 0);
        }
        EXPECT(prova_verkle_convert(c, COMPRESSED, format, narrow, 96, wide, 192, &error), OK);
        EXPECT(prova_verkle_convert(c, format, COMPRESSED, wide, 192, wide, 96, &error), OK);
        CHECK(memcmp(narrow, wide, 96) == 0);
    }
    EXPECT(prova_verkle_convert(c, COMPRESSED, COMPRESSED, NULL, 0, NULL, 0, &error), OK);
    EXPECT(prova_verkle_hash(c, COMPRESSED, zero, 32, wide, 32, &error), OK);
    CHECK(memcmp(wide, zero, 32) == 0);
    EXPECT(prova_verkle_hash(c, UNCOMPRESSED, points, 192, wide, 96, &error), OK);
    EXPECT(prova_verkle_hash(c, COMPRESSED, narrow, 96, wide + 96, 96, &error), OK);
    CHECK(memcmp(wide, wide + 96, 96) == 0);

    uint8_t *to = out(96);
    const uint8_t *bad[] = {bad_not_in_subgroup, bad_not_on_curve, bad_not_canonical};
    for (int i = 0; i < 3; i++) {
        uint8_t three[96];
        memcpy(three, narrow, 96);
        memcpy(three + 32 * i, bad[i], 32);
        EXPECT_AT(prova_verkle_hash(c, COMPRESSED, three, 96, to, 96, &error), BAD_POINT, i, NONE);
        EXPECT_AT(prova_verkle_convert(c, COMPRESSED, COMPRESSED, three, 96, to, 96, &error), BAD_POINT, i, NONE);
    }
    for (int coordinate = 0; coordinate < 2; coordinate++) {
        memcpy(three, points, 192);
        three[128 + 32 * coordinate] ^= 1;
        EXPECT_AT(prova_verkle_hash(c, UNCOMPRESSED, three, 192, to, 96, &error), BAD_POINT, 2, NONE);
        EXPECT(prova_verkle_hash(c, UNCHECKED, three, 192, wide, 96, &error), OK);
        memset(three + 64 + 32 * coordinate, 0xFF, 32);
        EXPECT_AT(prova_verkle_hash(c, UNCOMPRESSED, three, 192, to, 96, &error), BAD_POINT, 1, NONE);
        EXPECT_AT(prova_verkle_hash(c, UNCHECKED, three, 192, to, 96, &error), BAD_POINT, 1, NONE);
    }
    EXPECT_AT(prova_verkle_hash(c, UNCOMPRESSED, zero, 64, to, 32, &error), BAD_POINT, 0, NONE);
    EXPECT(prova_verkle_hash(c, UNCHECKED, zero, 64, wide, 32, &error), OK);
    EXPECT(prova_verkle_hash(NULL, COMPRESSED, narrow, 96, to, 96, &error), NULL_POINTER);
    EXPECT(prova_verkle_hash(c, COMPRESSED, NULL, 96, to, 96, &error), NULL_POINTER);
    EXPECT(prova_verkle_hash(c, COMPRESSED, narrow, 96, NULL, 96, &error), NULL_POINTER);
    EXPECT(prova_verkle_hash(c, COMPRESSED, narrow, 95, to, 96, &error), BAD_LENGTH);
    EXPECT(prova_verkle_hash(c, UNCOMPRESSED, points, 96, to, 96, &error), BAD_LENGTH);
    EXPECT(prova_verkle_hash(c, COMPRESSED, narrow, 96, to, 64, &error), BAD_LENGTH);
    EXPECT(prova_verkle_hash(c, 3, narrow, 96, to, 96, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_convert(c, COMPRESSED, 3, narrow, 96, to, 96, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_convert(c, 3, COMPRESSED, narrow, 96, to, 96, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_convert(NULL, COMPRESSED, COMPRESSED, narrow, 96, to, 96, &error), NULL_POINTER);
    EXPECT(prova_verkle_convert(c, COMPRESSED, UNCOMPRESSED, narrow, 96, to, 96, &error), BAD_LENGTH);
    CHECK(untouched(to, 96));
}

/* The proof of the published openings, with its points compressed whatever the format. */
static void prove_compressed(const prova_verkle_context *c, uint32_t format, uint8_t *compressed) {
    openings *o = new_openings(c, format);
    const size_t len = proof_len(format), queries = 2 * prover_len(format);
    const size_t scalar = len - 32;
    uint8_t *proof = out(len);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, in(o->prover, queries), queries, proof, len,
                                     &error), OK);
    EXPECT(prova_verkle_verify_proof(c, format, LABEL, in(proof, len), len,
                                     in(o->verifier, 2 * verifier_len(format)),
                                     2 * verifier_len(format), &error), OK);
    EXPECT(prova_verkle_convert(c, format, COMPRESSED, proof, scalar, compressed, 17 * 32, &error), OK);
    memcpy(compressed + 17 * 32, proof + scalar, 32);
    free(o);
}

static void test_create_proof(const prova_verkle_context *c, uint32_t format) {
    openings *o = new_openings(c, format);
    const size_t point = point_len(format), query = prover_len(format), len = 2 * query;
    const size_t size = proof_len(format), value = point + VALUES + 1;
    uint8_t compressed[PROVA_VERKLE_PROOF_LEN], saved[32], *proof = out(size), *q = o->prover;
    prove_compressed(c, format, compressed);
    CHECK(memcmp(compressed, published_proof, sizeof compressed) == 0);

    EXPECT(prova_verkle_create_proof(NULL, format, LABEL, q, len, proof, size, &error), NULL_POINTER);
    EXPECT(prova_verkle_create_proof(c, format, NULL, 6, q, len, proof, size, &error), NULL_POINTER);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, NULL, len, proof, size, &error), NULL_POINTER);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, q, len, NULL, size, &error), NULL_POINTER);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, q, len - 1, proof, size, &error), BAD_LENGTH);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size - 1, &error), BAD_LENGTH);
    EXPECT(prova_verkle_create_proof(c, 9, LABEL, q, len, proof, size, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, q, 0, proof, size, &error), NO_QUERIES);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, NULL, 0, proof, size, &error), NO_QUERIES);

    q[query + value] ^= 1;
    EXPECT_AT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size, &error), WRONG_VALUE, 1, NONE);
    q[query + value] ^= 1;
    q[query + value - 1] ^= 1;
    EXPECT_AT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size, &error), WRONG_VALUE, 1, NONE);
    q[query + value - 1] ^= 1;
    memcpy(saved, q + value, 32);
    memcpy(q + value, order, 32);
    EXPECT_AT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size, &error), BAD_SCALAR, 0, NONE);
    memcpy(q + value, saved, 32);
    memcpy(saved, q + query + point + 200 * 32, 32);
    memcpy(q + query + point + 200 * 32, order, 32);
    EXPECT_AT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size, &error), BAD_SCALAR, 1, 200);
    memcpy(q + query + point + 200 * 32, saved, 32);
    memcpy(saved, q + query, 32);
    memset(q + query, 0xFF, 32);
    EXPECT_AT(prova_verkle_create_proof(c, format, LABEL, q, len, proof, size, &error), BAD_POINT, 1, NONE);
    memcpy(q + query, saved, 32);
    CHECK(untouched(proof, size));

    /* Into its own input, from an address with no alignment. */
    uint8_t *unaligned = malloc(len + 1);
    CHECK(unaligned != NULL);
    memcpy(unaligned + 1, q, len);
    EXPECT(prova_verkle_create_proof(c, format, LABEL, unaligned + 1, len, unaligned + 1, size, &error), OK);
    EXPECT(prova_verkle_verify_proof(c, format, LABEL, unaligned + 1, size, o->verifier,
                                     2 * verifier_len(format), &error), OK);
    free(unaligned);
    free(o);
}

static void rejected(prova_verkle_status status, int line) {
    check(status == PROVA_VERKLE_STATUS_REJECTED || status == PROVA_VERKLE_STATUS_BAD_PROOF ||
              status == PROVA_VERKLE_STATUS_BAD_POINT || status == PROVA_VERKLE_STATUS_BAD_SCALAR,
          "not accepted", line);
}

static void test_verify_proof(const prova_verkle_context *c) {
    openings *o = new_openings(c, COMPRESSED);
    uint8_t proof[PROVA_VERKLE_PROOF_LEN + 1] = {0}, *q = o->verifier, copy[130];
    const size_t size = PROVA_VERKLE_PROOF_LEN, len = 2 * PROVA_VERKLE_VERIFIER_QUERY_LEN;
    memcpy(proof, published_proof, size);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), OK);

    EXPECT(prova_verkle_verify_proof(NULL, COMPRESSED, LABEL, proof, size, q, len, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, NULL, 6, proof, size, q, len, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, NULL, size, q, len, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, NULL, len, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, NULL, 0, &error), NO_QUERIES);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, NULL, 0, q, len, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size - 1, q, len, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size + 1, q, len, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_proof(c, UNCOMPRESSED, LABEL, proof, size, q, len, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len - 1, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_proof(c, 3, LABEL, proof, size, q, len, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len / 2, &error), REJECTED);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, (const uint8_t *)"vt", 2, proof, size, q, len, &error), REJECTED);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, NULL, 0, proof, size, q, len, &error), REJECTED);

    for (size_t word = 0; word < 18; word++) {
        /* The lowest bit: of a point, big-endian, in the last byte. */
        const size_t at = 32 * word + (word < 17 ? 31 : 0);
        proof[at] ^= 1;
        rejected(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), __LINE__);
        memcpy(proof, published_proof, size);
        memcpy(proof + 32 * word, word < 17 ? bad_not_in_subgroup : order, 32);
        EXPECT_AT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), BAD_PROOF, NONE, word);
        memcpy(proof, published_proof, size);
    }
    memcpy(copy, q, len);
    for (size_t at = 0; at < len; at++) {
        /* Every byte of z, and some of the others. */
        if (at % 65 == 32 || at % 13 == 0) {
            q[at] ^= 1;
            rejected(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), __LINE__);
            q[at] ^= 1;
        }
    }
    memcpy(q, copy + 65, 65);
    memcpy(q + 65, copy, 65);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), REJECTED);
    memcpy(q, copy, len);
    memcpy(q + 65 + 33, order, 32);
    EXPECT_AT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), BAD_SCALAR, 1, NONE);
    memcpy(q + 65, bad_not_on_curve, 32);
    EXPECT_AT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, size, q, len, &error), BAD_POINT, 1, NONE);
    free(o);
}

static void test_verify_uncompressed(const prova_verkle_context *c) {
    openings *o = new_openings(c, UNCOMPRESSED);
    uint8_t proof[PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN], copy[sizeof proof], *q = o->verifier;
    const size_t size = sizeof proof, len = 2 * verifier_len(UNCOMPRESSED);
    EXPECT(prova_verkle_convert(c, COMPRESSED, UNCOMPRESSED, published_proof, 17 * 32, proof, 17 * 64, &error), OK);
    memcpy(proof + 17 * 64, published_proof + 17 * 32, 32);
    memcpy(copy, proof, size);
    for (uint32_t format = UNCOMPRESSED; format <= UNCHECKED; format++) {
        EXPECT(prova_verkle_verify_proof(c, format, LABEL, proof, size, q, len, &error), OK);
        memcpy(proof + 17 * 64, order, 32);
        EXPECT_AT(prova_verkle_verify_proof(c, format, LABEL, proof, size, q, len, &error), BAD_PROOF, NONE, 17);
        memcpy(proof, copy, size);
    }
    proof[64 * 3] ^= 1;
    EXPECT_AT(prova_verkle_verify_proof(c, UNCOMPRESSED, LABEL, proof, size, q, len, &error), BAD_PROOF, NONE, 3);
    memcpy(proof, copy, size);
    q[97] ^= 1;
    EXPECT_AT(prova_verkle_verify_proof(c, UNCOMPRESSED, LABEL, proof, size, q, len, &error), BAD_POINT, 1, NONE);
    q[97] ^= 1;
    q[97 + 65] ^= 1;
    EXPECT(prova_verkle_verify_proof(c, UNCOMPRESSED, LABEL, proof, size, q, len, &error), REJECTED);
    free(o);
}

enum { BATCH = 5 };

/* As many items as a batch has, all of the published proof. */
static void fill(prova_verkle_batch_item *items, uint32_t format, const uint8_t *proof,
                 const uint8_t *queries) {
    for (int i = 0; i < BATCH; i++) {
        items[i] = (prova_verkle_batch_item){
            .label = (const uint8_t *)PROVA_VERKLE_LABEL,
            .label_len = strlen(PROVA_VERKLE_LABEL),
            .proof = proof,
            .proof_len = proof_len(format),
            .queries = queries,
            .queries_len = 2 * verifier_len(format),
        };
    }
}

static int all_are(const uint8_t *verdicts, uint8_t wanted) {
    for (int i = 0; i < BATCH; i++) {
        if (verdicts[i] != wanted) {
            return 0;
        }
    }
    return 1;
}

static void test_verify_batch(const prova_verkle_context *c) {
    openings *o = new_openings(c, COMPRESSED);
    const size_t size = PROVA_VERKLE_PROOF_LEN, len = 2 * PROVA_VERKLE_VERIFIER_QUERY_LEN;
    const uint8_t *proof = in(published_proof, size), *q = in(o->verifier, len);
    prova_verkle_batch_item items[BATCH], *copy;
    uint8_t *verdicts = out(BATCH), wrong_value[130], wrong_point[130], wrong_scalar[130];
    uint8_t wrong_proof[PROVA_VERKLE_PROOF_LEN];

    fill(items, COMPRESSED, proof, q);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, (const void *)in((const uint8_t *)items, sizeof items),
                                     BATCH, verdicts, BATCH, &error), OK);
    CHECK(all_are(verdicts, 0));
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, NULL, 0, &error), OK);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, NULL, 0, NULL, 0, &error), OK);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, NULL, 0, verdicts, 0, &error), OK);
    CHECK(prova_verkle_verify_batch(c, COMPRESSED, items, 1, NULL, 0, NULL) == PROVA_VERKLE_STATUS_OK);

    /* One item that is wrong, in every place and in every way. */
    memcpy(wrong_value, q, len), wrong_value[65 + 33] ^= 1;
    memcpy(wrong_point, q, len), memcpy(wrong_point + 65, bad_not_on_curve, 32);
    memcpy(wrong_scalar, q, len), memcpy(wrong_scalar + 65 + 33, order, 32);
    memcpy(wrong_proof, proof, size), memcpy(wrong_proof + 32 * 4, bad_not_in_subgroup, 32);
    for (size_t at = 0; at < BATCH; at++) {
        prova_verkle_batch_item *item = &items[at], right = items[at];
        const struct {
            prova_verkle_batch_item item;
            prova_verkle_status status;
            size_t position;
        } wrong[] = {
            {{right.label, 5, proof, size, q, len}, PROVA_VERKLE_STATUS_REJECTED, NONE},
            {{NULL, 0, proof, size, q, len}, PROVA_VERKLE_STATUS_REJECTED, NONE},
            {{NULL, 6, proof, size, q, len}, PROVA_VERKLE_STATUS_NULL_POINTER, NONE},
            {{right.label, 6, NULL, size, q, len}, PROVA_VERKLE_STATUS_NULL_POINTER, NONE},
            {{right.label, 6, proof, size - 1, q, len}, PROVA_VERKLE_STATUS_BAD_LENGTH, NONE},
            {{right.label, 6, NULL, 0, q, len}, PROVA_VERKLE_STATUS_BAD_LENGTH, NONE},
            {{right.label, 6, wrong_proof, size, q, len}, PROVA_VERKLE_STATUS_BAD_PROOF, 4},
            {{right.label, 6, proof, size, NULL, len}, PROVA_VERKLE_STATUS_NULL_POINTER, NONE},
            {{right.label, 6, proof, size, NULL, 0}, PROVA_VERKLE_STATUS_NO_QUERIES, NONE},
            {{right.label, 6, proof, size, q, len - 1}, PROVA_VERKLE_STATUS_BAD_LENGTH, NONE},
            {{right.label, 6, proof, size, q, SIZE_MAX}, PROVA_VERKLE_STATUS_BAD_LENGTH, NONE},
            {{right.label, 6, proof, size, q, len / 2}, PROVA_VERKLE_STATUS_REJECTED, NONE},
            {{right.label, 6, proof, size, wrong_value, len}, PROVA_VERKLE_STATUS_REJECTED, NONE},
            {{right.label, 6, proof, size, wrong_point, len}, PROVA_VERKLE_STATUS_BAD_POINT, 1},
            {{right.label, 6, proof, size, wrong_scalar, len}, PROVA_VERKLE_STATUS_BAD_SCALAR, 1},
        };
        for (size_t way = 0; way < sizeof wrong / sizeof *wrong; way++) {
            *item = wrong[way].item;
            memset(verdicts, 0xAA, BATCH);
            expect(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, verdicts, BATCH, &error),
                   wrong[way].status, "a batch", __LINE__);
            CHECK(error.index == at && error.position == wrong[way].position);
            CHECK(verdicts[at] == wrong[way].status);
            verdicts[at] = 0;
            CHECK(all_are(verdicts, 0));
        }
        *item = right;
    }

    /* All bad ones are named, well-formed or not; the first is the answer. */
    items[1].queries = wrong_value;
    items[2].proof = wrong_proof;
    items[4].label_len = 0;
    EXPECT_AT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, verdicts, BATCH, &error), REJECTED, 1, NONE);
    CHECK(strncmp(error.message, "3 of 5 proofs", 13) == 0);
    const uint8_t named[BATCH] = {0, PROVA_VERKLE_STATUS_REJECTED, PROVA_VERKLE_STATUS_BAD_PROOF, 0, PROVA_VERKLE_STATUS_REJECTED};
    CHECK(memcmp(verdicts, named, BATCH) == 0);
    EXPECT_AT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, NULL, 0, &error), REJECTED, 1, NONE);
    EXPECT_AT(prova_verkle_verify_batch(c, COMPRESSED, items + 2, 3, NULL, 0, &error), BAD_PROOF, 0, 4);

    /* What is wrong with the call is the verdict on all, so that none reads as zero. */
    fill(items, COMPRESSED, proof, q);
    memset(verdicts, 0, BATCH);
    EXPECT_AT(prova_verkle_verify_batch(NULL, COMPRESSED, items, BATCH, verdicts, BATCH, &error), NULL_POINTER, NONE, NONE);
    CHECK(all_are(verdicts, PROVA_VERKLE_STATUS_NULL_POINTER));
    memset(verdicts, 0, BATCH);
    EXPECT(prova_verkle_verify_batch(c, 3, items, BATCH, verdicts, BATCH, &error), BAD_ARGUMENT);
    CHECK(all_are(verdicts, PROVA_VERKLE_STATUS_BAD_ARGUMENT));
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, NULL, BATCH, verdicts, BATCH, &error), NULL_POINTER);
    CHECK(all_are(verdicts, PROVA_VERKLE_STATUS_NULL_POINTER));
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, SIZE_MAX, verdicts, BATCH, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, SIZE_MAX / sizeof *items, verdicts, BATCH, &error), BAD_LENGTH);
    CHECK(all_are(verdicts, PROVA_VERKLE_STATUS_BAD_LENGTH));
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, NULL, BATCH, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH - 1, verdicts, BATCH, &error), BAD_LENGTH);
    memset(verdicts, 0xAA, BATCH);
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, verdicts, 0, &error), BAD_LENGTH);
    CHECK(untouched(verdicts, BATCH));
    EXPECT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, verdicts, BATCH - 1, &error), BAD_LENGTH);
    CHECK(untouched(verdicts + BATCH - 1, 1));

    /* From an address with no alignment, with the verdicts over the items. */
    uint8_t *unaligned = malloc(sizeof items + 1);
    CHECK(unaligned != NULL);
    items[3].queries = wrong_value;
    memcpy(unaligned + 1, items, sizeof items);
    copy = (prova_verkle_batch_item *)(void *)(unaligned + 1);
    EXPECT_AT(prova_verkle_verify_batch(c, COMPRESSED, copy, BATCH, unaligned + 1, BATCH, &error), REJECTED, 3, NONE);
    const uint8_t third[BATCH] = {0, 0, 0, PROVA_VERKLE_STATUS_REJECTED, 0};
    CHECK(memcmp(unaligned + 1, third, BATCH) == 0);
    free(unaligned);
    free(o);
}

static void test_verify_batch_uncompressed(const prova_verkle_context *c) {
    openings *o = new_openings(c, UNCOMPRESSED);
    uint8_t proof[PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN], *verdicts = out(BATCH);
    prova_verkle_batch_item items[BATCH];
    EXPECT(prova_verkle_convert(c, COMPRESSED, UNCOMPRESSED, published_proof, 17 * 32, proof, 17 * 64, &error), OK);
    memcpy(proof + 17 * 64, published_proof + 17 * 32, 32);
    fill(items, UNCOMPRESSED, in(proof, sizeof proof), in(o->verifier, 2 * 97));
    for (uint32_t format = UNCOMPRESSED; format <= UNCHECKED; format++) {
        EXPECT(prova_verkle_verify_batch(c, format, items, BATCH, verdicts, BATCH, &error), OK);
        CHECK(all_are(verdicts, 0));
    }
    EXPECT_AT(prova_verkle_verify_batch(c, COMPRESSED, items, BATCH, verdicts, BATCH, &error), BAD_LENGTH, 0, NONE);
    CHECK(all_are(verdicts, PROVA_VERKLE_STATUS_BAD_LENGTH));
    o->verifier[97] ^= 1;
    items[2].queries = o->verifier;
    EXPECT_AT(prova_verkle_verify_batch(c, UNCOMPRESSED, items, BATCH, verdicts, BATCH, &error), BAD_POINT, 2, 1);
    free(o);
}

#define BLOCK(name) in(name, sizeof name), sizeof name, in(name##_root, 32), 32

static void test_verify_witness(const prova_verkle_context *c) {
    const size_t len = sizeof valid_block_1;
    const uint8_t *json = in(valid_block_1, len), *root = in(valid_block_1_root, 32);
    prova_verkle_witness_summary *s = (void *)out(sizeof *s);
    for (uint32_t strict = 0; strict < 2; strict++) {
        EXPECT(prova_verkle_verify_witness(c, json, len, root, 32, strict, s, &error), OK);
        CHECK(s->stems == 1 && s->present == 0 && s->absent == 1);
        CHECK(s->commitments == 2 && s->openings == 3 && s->ambiguous == 0);
        EXPECT(prova_verkle_verify_witness(c, BLOCK(valid_block_72), strict, s, &error), OK);
        CHECK(s->stems == 5 && s->present == 16 && s->absent == 5);
        CHECK(s->commitments == 14 && s->openings == 65 && s->ambiguous == 0);
        EXPECT(prova_verkle_verify_witness(c, json, len, root, 32, strict, NULL, &error), OK);
    }
    CHECK(prova_verkle_verify_witness(c, json, len, root, 32, 0, NULL, NULL) == PROVA_VERKLE_STATUS_OK);

    EXPECT(prova_verkle_verify_witness(c, BLOCK(ambiguous_block), 0, s, &error), OK);
    CHECK(s->stems == 2 && s->present == 1 && s->absent == 1 && s->ambiguous == 1);
    memset(s, 0xAA, sizeof *s);
    EXPECT_AT(prova_verkle_verify_witness(c, BLOCK(ambiguous_block), 1, s, &error), AMBIGUOUS, 1, NONE);
    CHECK(s->stems == 2 && s->present == 1 && s->absent == 1 && s->ambiguous == 1);
    EXPECT_AT(prova_verkle_verify_witness(c, BLOCK(ambiguous_block), 1, NULL, &error), AMBIGUOUS, 1, NONE);

    memset(s, 0xAA, sizeof *s);
    EXPECT(prova_verkle_verify_witness(c, BLOCK(invalid_block_72), 0, s, &error), REJECTED);
    EXPECT(prova_verkle_verify_witness(c, BLOCK(invalid_block_73), 0, s, &error), BAD_WITNESS);
    EXPECT(prova_verkle_verify_witness(c, json, len, valid_block_72_root, 32, 0, s, &error), REJECTED);
    EXPECT(prova_verkle_verify_witness(c, json, len, bad_not_on_curve, 32, 0, s, &error), BAD_POINT);
    EXPECT(prova_verkle_verify_witness(c, json, len, bad_not_canonical, 32, 0, s, &error), BAD_POINT);
    for (size_t cut = 0; cut + 1 < len; cut += 1 + cut / 8) {
        EXPECT(prova_verkle_verify_witness(c, in(json, cut), cut, root, 32, 0, s, &error), BAD_WITNESS);
    }
    const char *texts[] = {"", "{}", "[]", "\"\\u0000\"", "\xff", "{\"stateDiff\":[]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        EXPECT(prova_verkle_verify_witness(c, (const uint8_t *)texts[i], strlen(texts[i]), root, 32, 0, s, &error), BAD_WITNESS);
    }
    uint8_t *deep = malloc(1 << 20);
    CHECK(deep != NULL);
    memset(deep, '[', 1 << 20);
    EXPECT(prova_verkle_verify_witness(c, deep, 1 << 20, root, 32, 0, s, &error), BAD_WITNESS);
    free(deep);

    /* The final scalar: another one, and none. */
    uint8_t *changed = malloc(len);
    const char *name = "\"finalEvaluation\": \"0x";
    CHECK(changed != NULL);
    memcpy(changed, json, len);
    uint8_t *digits = memmem(changed, len, name, strlen(name));
    CHECK(digits != NULL);
    digits += strlen(name) + 63;
    *digits = *digits == '0' ? '1' : '0';
    EXPECT(prova_verkle_verify_witness(c, changed, len, root, 32, 0, s, &error), REJECTED);
    *digits = 'g';
    EXPECT(prova_verkle_verify_witness(c, changed, len, root, 32, 0, s, &error), BAD_WITNESS);
    CHECK(strstr(error.message, "finalEvaluation") != NULL);
    free(changed);

    EXPECT(prova_verkle_verify_witness(NULL, json, len, root, 32, 0, s, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_witness(c, NULL, len, root, 32, 0, s, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_witness(c, NULL, 0, root, 32, 0, s, &error), BAD_WITNESS);
    EXPECT(prova_verkle_verify_witness(c, json, len, NULL, 32, 0, s, &error), NULL_POINTER);
    EXPECT(prova_verkle_verify_witness(c, json, len, root, 31, 0, s, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_witness(c, json, len, NULL, 0, 0, s, &error), BAD_LENGTH);
    EXPECT(prova_verkle_verify_witness(c, json, len, root, 32, 2, s, &error), BAD_ARGUMENT);
    EXPECT(prova_verkle_verify_witness(c, json, SIZE_MAX, root, 32, 0, s, &error), BAD_LENGTH);
    CHECK(untouched((const uint8_t *)s, sizeof *s));
}

/* A commitment that is not the polynomial's gives a proof that does not hold. */
static void test_wrong_commitment(const prova_verkle_context *c) {
    openings *o = new_openings(c, COMPRESSED);
    uint8_t proof[PROVA_VERKLE_PROOF_LEN];
    memcpy(o->prover, generator_0, 32);
    memcpy(o->verifier, generator_0, 32);
    EXPECT(prova_verkle_create_proof(c, COMPRESSED, LABEL, o->prover, 2 * 8257, proof, sizeof proof, &error), OK);
    EXPECT(prova_verkle_verify_proof(c, COMPRESSED, LABEL, proof, sizeof proof, o->verifier, 130, &error), REJECTED);
    free(o);
}

static void *prove_and_verify(void *context) {
    uint8_t compressed[PROVA_VERKLE_PROOF_LEN];
    prove_compressed(context, COMPRESSED, compressed);
    CHECK(memcmp(compressed, published_proof, sizeof compressed) == 0);
    return NULL;
}

static void test_concurrent_use(prova_verkle_context *context) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, prove_and_verify, context) == 0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

int main(void) {
    for (int i = 0; i < PROVA_VERKLE_WIDTH; i++) {
        values[32 * i] = (uint8_t)i;
    }
    test_context();
    prova_verkle_context *context = new_context(2);
    test_commit(context);
    test_update(context);
    test_points(context);
    for (uint32_t format = COMPRESSED; format <= UNCHECKED; format++) {
        test_create_proof(context, format);
    }
    test_verify_proof(context);
    test_verify_uncompressed(context);
    test_verify_batch(context);
    test_verify_batch_uncompressed(context);
    test_verify_witness(context);
    test_wrong_commitment(context);
    prova_verkle_context_free(context);
    /* Without tables of the generators. */
    context = new_context(1);
    test_verify_witness(context);
    prova_verkle_context_free(context);
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        context = new_context(threads);
        test_concurrent_use(context);
        prova_verkle_context_free(context);
    }
    puts("all passed");
    return 0;
}
