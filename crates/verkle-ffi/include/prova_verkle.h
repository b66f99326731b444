/* Prova's Verkle multiproofs: the C interface. Licensed under MIT or Apache-2.0.
 *
 * Generated from the crate prova-verkle-ffi; do not edit.
 *
 * Every function that can fail answers a prova_verkle_status, of which only zero is success, and
 * fills the prova_verkle_error it is given. On failure nothing is written to `out` or `proof`.
 * No panic leaves the library, but running out of memory ends the process.
 *
 * Of every pointer that is not null: a context is one that prova_verkle_context_new made and that
 * is not freed yet; as many bytes as the length says can be read or written. Nothing but a context
 * needs alignment, and inputs and outputs may overlap. An input may be null if its length is zero.
 *
 * Lengths count bytes and must be exact: those of outputs too.
 *
 * All that is committed, opened and proved is taken to be public: nothing runs in constant time.
 */

#ifndef PROVA_VERKLE_H
#define PROVA_VERKLE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The value of an index that does not apply: no number of items reaches it.
 */
#define PROVA_VERKLE_NO_INDEX SIZE_MAX

/**
 * The transcript label of rust-verkle's bindings: 6 bytes, without the terminating zero. Trees of
 * the clients use "vt".
 */
#define PROVA_VERKLE_LABEL "verkle"

/**
 * Bytes of a compressed point: x big-endian, of the representative with the larger y.
 */
#define PROVA_VERKLE_POINT_LEN 32

/**
 * Bytes of an uncompressed point: x, then y, both little-endian. Two encodings stand for the same
 * point, so compare compressed ones.
 */
#define PROVA_VERKLE_POINT_UNCOMPRESSED_LEN 64

/**
 * Bytes of a scalar: little-endian, below the order of the group.
 */
#define PROVA_VERKLE_SCALAR_LEN 32

/**
 * Values of a polynomial, and generators of a commitment.
 */
#define PROVA_VERKLE_WIDTH 256

/**
 * Bytes of one change of a committed value: old scalar, new scalar, position in one byte.
 */
#define PROVA_VERKLE_UPDATE_LEN 65

/**
 * Bytes of a prover's query: compressed commitment, 256 scalars, point z in one byte, the scalar
 * y = f(z).
 */
#define PROVA_VERKLE_PROVER_QUERY_LEN 8257

/**
 * Bytes of a prover's query with an uncompressed commitment.
 */
#define PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN 8289

/**
 * Bytes of a verifier's query: compressed commitment, point z in one byte, the scalar y.
 */
#define PROVA_VERKLE_VERIFIER_QUERY_LEN 65

/**
 * Bytes of a verifier's query with an uncompressed commitment.
 */
#define PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN 97

/**
 * Bytes of a proof: the points D, L_0 to L_7, R_0 to R_7, compressed, and a scalar.
 */
#define PROVA_VERKLE_PROOF_LEN 576

/**
 * Bytes of a proof whose 17 points are uncompressed.
 */
#define PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN 1120

/**
 * Bytes of the text of an error, the terminating zero among them.
 */
#define PROVA_VERKLE_MESSAGE_LEN 160

/**
 * The most threads a context can have.
 */
#define PROVA_VERKLE_MAX_THREADS 1024

/**
 * What a function answers. Only zero is success: a proof holds when the answer is zero.
 */
enum prova_verkle_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Done; for a verification: the proof holds.
   */
  PROVA_VERKLE_STATUS_OK = 0,
  /**
   * The proof, or the witness, is well-formed and does not show what it should.
   */
  PROVA_VERKLE_STATUS_REJECTED = 1,
  /**
   * A pointer is null.
   */
  PROVA_VERKLE_STATUS_NULL_POINTER = 2,
  /**
   * A length is not the right one, or not a multiple of an item's.
   */
  PROVA_VERKLE_STATUS_BAD_LENGTH = 3,
  /**
   * An argument is none of its possible values.
   */
  PROVA_VERKLE_STATUS_BAD_ARGUMENT = 4,
  /**
   * Bytes are not a point; index: which query or point.
   */
  PROVA_VERKLE_STATUS_BAD_POINT = 5,
  /**
   * Bytes are not a scalar below the group's order; index: which query, scalar or update.
   */
  PROVA_VERKLE_STATUS_BAD_SCALAR = 6,
  /**
   * Bytes are not a proof; position: which of the 17 points, 17 being the scalar.
   */
  PROVA_VERKLE_STATUS_BAD_PROOF = 7,
  /**
   * The claimed value is not the polynomial's; index: which query.
   */
  PROVA_VERKLE_STATUS_WRONG_VALUE = 8,
  /**
   * There are no queries.
   */
  PROVA_VERKLE_STATUS_NO_QUERIES = 9,
  /**
   * A challenge cannot be used. It happens by chance with probability below 2^-240.
   */
  PROVA_VERKLE_STATUS_BAD_CHALLENGE = 10,
  /**
   * The threads could not be started.
   */
  PROVA_VERKLE_STATUS_THREAD_POOL = 11,
  /**
   * A defect of this library: a panic was caught. The context stays usable.
   */
  PROVA_VERKLE_STATUS_PANIC = 12,
  /**
   * Bytes are not a witness: no JSON of that form, or with encodings that are not points or
   * scalars.
   */
  PROVA_VERKLE_STATUS_BAD_WITNESS = 13,
  /**
   * The witness's proof holds, but leaves open whether some node is an inner node; index: the
   * first such stem, in stateDiff. Only when asked to be strict.
   */
  PROVA_VERKLE_STATUS_AMBIGUOUS = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum prova_verkle_status prova_verkle_status;
#else
typedef int32_t prova_verkle_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How the points of one call are encoded.
 */
enum prova_verkle_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * 32 bytes. Points that are read are checked.
   */
  PROVA_VERKLE_FORMAT_COMPRESSED = 0,
  /**
   * 64 bytes. Points that are read are checked to be on the curve and in the subgroup.
   */
  PROVA_VERKLE_FORMAT_UNCOMPRESSED = 1,
  /**
   * 64 bytes, taken on trust: only the range of the coordinates is checked. With a pair that is
   * no point, a verifier can be made to accept what is false. For bytes this process wrote.
   */
  PROVA_VERKLE_FORMAT_UNCOMPRESSED_UNCHECKED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum prova_verkle_format prova_verkle_format;
#else
typedef uint32_t prova_verkle_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What all functions work with: the generators, what is derived from them, and the threads. It is
 * never changed, so any number of threads may use one context at once; they share its threads.
 */
typedef struct prova_verkle_context prova_verkle_context;

/**
 * Details of what a function answered. Every function fills the one it is given, also on success;
 * a null pointer is allowed where they do not matter.
 */
typedef struct prova_verkle_error {
  /**
   * The answer once more.
   */
  prova_verkle_status status;
  /**
   * Which item of the input is wrong, from 0; PROVA_VERKLE_NO_INDEX if that does not apply.
   */
  size_t index;
  /**
   * Which part of that item is wrong, where it has many: the value of a polynomial, the point of
   * a proof, the query of a proof in a batch. PROVA_VERKLE_NO_INDEX if that does not apply.
   */
  size_t position;
  /**
   * What was expected and what came, in English, ending with a zero byte.
   */
  char message[PROVA_VERKLE_MESSAGE_LEN];
} prova_verkle_error;

/**
 * One proof of a batch, as prova_verkle_verify_proof takes it.
 */
typedef struct prova_verkle_batch_item {
  /**
   * Where the transcript starts; must be the prover's.
   */
  const uint8_t *label;
  /**
   * Bytes of the label.
   */
  size_t label_len;
  /**
   * The proof.
   */
  const uint8_t *proof;
  /**
   * PROVA_VERKLE_PROOF_LEN, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN for the uncompressed formats.
   */
  size_t proof_len;
  /**
   * The queries, at least one, in the prover's order.
   */
  const uint8_t *queries;
  /**
   * Bytes of all queries: PROVA_VERKLE_VERIFIER_QUERY_LEN each, or
   * PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN.
   */
  size_t queries_len;
} prova_verkle_batch_item;

/**
 * What an accepted witness shows.
 */
typedef struct prova_verkle_witness_summary {
  /**
   * Number of stems.
   */
  size_t stems;
  /**
   * Number of keys that are present.
   */
  size_t present;
  /**
   * Number of keys that are absent.
   */
  size_t absent;
  /**
   * Number of commitments, with the root.
   */
  size_t commitments;
  /**
   * Number of openings.
   */
  size_t openings;
  /**
   * Number of stems whose keys are as claimed only if the proof was made honestly: it leaves
   * open whether some node above them is an inner node.
   */
  size_t ambiguous;
} prova_verkle_witness_summary;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A short description of a status, in English. It is never null and lives for ever; any number
 * may be asked for.
 */
const char *prova_verkle_status_message(int32_t status);

/**
 * Makes a context with the generators all Verkle clients use and threads of its own: make one and
 * keep it. Tables of the generators are not computed yet, see prova_verkle_context_prepare.
 *
 * `threads`: how many threads the work is spread over, at most PROVA_VERKLE_MAX_THREADS; 0: as
 * many as the machine has CPUs. Results do not depend on it.
 * `context`: the new context is written there, to be freed with prova_verkle_context_free; null if
 * there is none.
 */
prova_verkle_status prova_verkle_context_new(uint32_t threads,
                                             struct prova_verkle_context **context,
                                             struct prova_verkle_error *error);

/**
 * Computes the tables of the generators now, if the context has none yet. The first commitment,
 * update or proof would; whoever only verifies needs none, but verifies faster with them.
 */
prova_verkle_status prova_verkle_context_prepare(const struct prova_verkle_context *context,
                                                 struct prova_verkle_error *error);

/**
 * Frees a context, after the last use of it on any thread. Null is allowed.
 */
void prova_verkle_context_free(struct prova_verkle_context *context);

/**
 * How many threads the work of a context is spread over; 0 for a null pointer.
 */
uint32_t prova_verkle_context_threads(const struct prova_verkle_context *context);

/**
 * Commits to at most 256 scalars: the sum of scalar i times generator i. Missing scalars count as
 * zero.
 *
 * `format`: of the commitment that is written (a prova_verkle_format).
 * `scalars`: 32 bytes each, little-endian.
 * `out`: 32 bytes, or 64 for the uncompressed formats.
 */
prova_verkle_status prova_verkle_commit(const struct prova_verkle_context *context,
                                        uint32_t format,
                                        const uint8_t *scalars,
                                        size_t scalars_len,
                                        uint8_t *out,
                                        size_t out_len,
                                        struct prova_verkle_error *error);

/**
 * Changes committed values: adds (new scalar - old scalar) times the generator of the position,
 * for every update. A position may come more than once.
 *
 * `format`: of both commitments (a prova_verkle_format).
 * `commitment`: the old commitment.
 * `updates`: PROVA_VERKLE_UPDATE_LEN bytes each: old scalar, new scalar, position. None at all are
 * allowed.
 * `out`: the new commitment.
 */
prova_verkle_status prova_verkle_update(const struct prova_verkle_context *context,
                                        uint32_t format,
                                        const uint8_t *commitment,
                                        size_t commitment_len,
                                        const uint8_t *updates,
                                        size_t updates_len,
                                        uint8_t *out,
                                        size_t out_len,
                                        struct prova_verkle_error *error);

/**
 * Maps points to scalars, as a commitment enters its parent: X/Y as an integer, modulo the group's
 * order. Many at once are cheaper than one by one.
 *
 * `format`: of the points (a prova_verkle_format).
 * `out`: 32 bytes for every point, little-endian.
 */
prova_verkle_status prova_verkle_hash(const struct prova_verkle_context *context,
                                      uint32_t format,
                                      const uint8_t *points,
                                      size_t points_len,
                                      uint8_t *out,
                                      size_t out_len,
                                      struct prova_verkle_error *error);

/**
 * Reads points in one format and writes them in another: compresses, decompresses, or only checks.
 *
 * `from`: the format of the points that are read (a prova_verkle_format).
 * `to`: the format that is written.
 * `out`: 32 bytes for every point, or 64 for the uncompressed formats.
 */
prova_verkle_status prova_verkle_convert(const struct prova_verkle_context *context,
                                         uint32_t from,
                                         uint32_t to,
                                         const uint8_t *points,
                                         size_t points_len,
                                         uint8_t *out,
                                         size_t out_len,
                                         struct prova_verkle_error *error);

/**
 * Proves that committed polynomials, given by their values at 0 to 255, have the values claimed.
 *
 * Commitments are not recomputed: with one that is not the polynomial's, the proof does not
 * verify. The claimed values are compared with the polynomials.
 *
 * `format`: of the queries' commitments and of the proof (a prova_verkle_format).
 * `label`: where the transcript starts; PROVA_VERKLE_LABEL, without its zero byte, if in doubt.
 * `queries`: PROVA_VERKLE_PROVER_QUERY_LEN bytes each, or PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN
 * for the uncompressed formats; at least one.
 * `proof`: PROVA_VERKLE_PROOF_LEN bytes, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN.
 */
prova_verkle_status prova_verkle_create_proof(const struct prova_verkle_context *context,
                                              uint32_t format,
                                              const uint8_t *label,
                                              size_t label_len,
                                              const uint8_t *queries,
                                              size_t queries_len,
                                              uint8_t *proof,
                                              size_t proof_len,
                                              struct prova_verkle_error *error);

/**
 * Verifies that committed polynomials have the values claimed. The queries must be the prover's,
 * in the prover's order. Only PROVA_VERKLE_STATUS_OK means that they hold.
 *
 * `format`: of the queries' commitments and of the proof (a prova_verkle_format).
 * `label`: where the transcript starts; must be the prover's.
 * `proof`: PROVA_VERKLE_PROOF_LEN bytes, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN for the
 * uncompressed formats.
 * `queries`: PROVA_VERKLE_VERIFIER_QUERY_LEN bytes each, or
 * PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN; at least one.
 */
prova_verkle_status prova_verkle_verify_proof(const struct prova_verkle_context *context,
                                              uint32_t format,
                                              const uint8_t *label,
                                              size_t label_len,
                                              const uint8_t *proof,
                                              size_t proof_len,
                                              const uint8_t *queries,
                                              size_t queries_len,
                                              struct prova_verkle_error *error);

/**
 * Verifies many proofs, with the answer prova_verkle_verify_proof has on each, in less time than
 * one by one. PROVA_VERKLE_STATUS_OK means that all hold. Otherwise the answer is that on the first
 * that does not; index: which it is; position: which of its queries, or of its 17 points.
 *
 * That final equations are added up with random factors lets a proof that does not hold pass with
 * a probability of at most 2^-127 for every batch that an adversary tries. A batch of none holds.
 *
 * `format`: of all queries' commitments and of all proofs (a prova_verkle_format).
 * `items`: the proofs.
 * `items_count`: how many; not their bytes.
 * `verdicts`: null, or one byte for every proof: the answer on it (a prova_verkle_status), of
 * which only zero means that it holds. Written also if some do not; if none could be looked at,
 * each is the answer of the call.
 * `verdicts_len`: zero if `verdicts` is null, or else `items_count`.
 */
prova_verkle_status prova_verkle_verify_batch(const struct prova_verkle_context *context,
                                              uint32_t format,
                                              const struct prova_verkle_batch_item *items,
                                              size_t items_count,
                                              uint8_t *verdicts,
                                              size_t verdicts_len,
                                              struct prova_verkle_error *error);

/**
 * Verifies that the tree with a root has the values before the block that an execution witness
 * claims, and lacks the keys for which it claims none. Values after the block are not looked at.
 *
 * PROVA_VERKLE_STATUS_BAD_WITNESS: the text is not a witness, or has encodings that are not points
 * or scalars; PROVA_VERKLE_STATUS_REJECTED: it is one, and does not show this of the root;
 * PROVA_VERKLE_STATUS_BAD_POINT: the root is not a point.
 *
 * The format lets whoever makes a witness pass the leaf node of a stem as an inner node, and so
 * hide a key, unless other openings of the proof rule it out. The stems for which none does are
 * counted in the summary; PROVA_VERKLE_STATUS_AMBIGUOUS: there are some, and `strict` is 1.
 *
 * `json`: UTF-8, without a terminating zero: a block with a member executionWitness, or the
 * members of that.
 * `root`: the commitment of the tree's root before the block, compressed: of the parent's header,
 * not of the witness.
 * `strict`: 0, or 1 to refuse ambiguous stems. Deployed clients accept them.
 * `summary`: null, or written if the proof holds: for PROVA_VERKLE_STATUS_OK and _AMBIGUOUS.
 */
prova_verkle_status prova_verkle_verify_witness(const struct prova_verkle_context *context,
                                                const uint8_t *json,
                                                size_t json_len,
                                                const uint8_t *root,
                                                size_t root_len,
                                                uint32_t strict,
                                                struct prova_verkle_witness_summary *summary,
                                                struct prova_verkle_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROVA_VERKLE_H */
