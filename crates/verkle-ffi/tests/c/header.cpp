#include "prova_verkle.h"

static_assert(PROVA_VERKLE_STATUS_OK == 0, "zero is success");

prova_verkle_status use(prova_verkle_context *context, prova_verkle_error *error) {
    const char *label = PROVA_VERKLE_LABEL;
    const prova_verkle_format format = PROVA_VERKLE_FORMAT_COMPRESSED;
    return prova_verkle_verify_proof(context, format, reinterpret_cast<const uint8_t *>(label), 6,
                                     nullptr, 0, nullptr, 0, error);
}
