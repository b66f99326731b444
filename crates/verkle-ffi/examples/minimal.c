/* Commits to 256 values, proves two of them, verifies the proof. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prova_verkle.h"

static void must(prova_verkle_status status, const prova_verkle_error *error) {
    if (status != PROVA_VERKLE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", prova_verkle_status_message(status), error->message);
        exit(1);
    }
}

int main(void) {
    static uint8_t values[PROVA_VERKLE_WIDTH * PROVA_VERKLE_SCALAR_LEN];
    static uint8_t prover[2 * PROVA_VERKLE_PROVER_QUERY_LEN];
    uint8_t verifier[2 * PROVA_VERKLE_VERIFIER_QUERY_LEN];
    uint8_t commitment[PROVA_VERKLE_POINT_LEN], proof[PROVA_VERKLE_PROOF_LEN];
    const uint8_t *label = (const uint8_t *)PROVA_VERKLE_LABEL;
    const size_t label_len = strlen(PROVA_VERKLE_LABEL);
    const uint32_t format = PROVA_VERKLE_FORMAT_COMPRESSED;
    prova_verkle_error error;
    prova_verkle_context *context;
    must(prova_verkle_context_new(0, &context, &error), &error);

    for (int i = 0; i < PROVA_VERKLE_WIDTH; i++) {
        values[i * PROVA_VERKLE_SCALAR_LEN] = (uint8_t)i;
    }
    must(prova_verkle_commit(context, format, values, sizeof values, commitment,
                             sizeof commitment, &error), &error);

    for (int i = 0; i < 2; i++) {
        const uint8_t z = (uint8_t)(i + 1), *y = values + z * PROVA_VERKLE_SCALAR_LEN;
        uint8_t *query = prover + i * PROVA_VERKLE_PROVER_QUERY_LEN;
        memcpy(query, commitment, 32);
        memcpy(query + 32, values, sizeof values);
        query[32 + sizeof values] = z;
        memcpy(query + 32 + sizeof values + 1, y, 32);
        query = verifier + i * PROVA_VERKLE_VERIFIER_QUERY_LEN;
        memcpy(query, commitment, 32);
        query[32] = z;
        memcpy(query + 33, y, 32);
    }
    must(prova_verkle_create_proof(context, format, label, label_len, prover, sizeof prover,
                                   proof, sizeof proof, &error), &error);
    must(prova_verkle_verify_proof(context, format, label, label_len, proof, sizeof proof,
                                   verifier, sizeof verifier, &error), &error);
    puts("the proof holds");
    prova_verkle_context_free(context);
    return 0;
}
