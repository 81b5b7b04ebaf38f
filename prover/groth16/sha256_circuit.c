/* SPDX-License-Identifier: MIT */
#include "prover/groth16/sha256_circuit.h"

#include <assert.h>
#include <string.h>

/* The longest sum of a round has six words, whose carry is under four bits. */
#define WORD_BITS     32u
#define SUM_WORDS_MAX 6u
#define SUM_BITS_MAX  (WORD_BITS + 4u)
#define BLOCK_WORDS   (SHA256_CIRCUIT_BLOCK_BITS / WORD_BITS)
#define STATE_WORDS   8u
#define LENGTH_BITS   64u
#define HALF_BITS     128u

/* Least significant bit first. */
struct word {
	struct circuit_bit bits[WORD_BITS];
};

/* clang-format off */
/* FIPS 180-4, section 4.2.2 and 5.3.3. */
static const uint32_t round_constants[SHA256_CIRCUIT_ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t initial_state[STATE_WORDS] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
/* clang-format on */

/* Constants have no wires: circuit_bit folds whatever meets them. */
static struct word constant_word(uint32_t value)
{
	struct word word;

	for (uint32_t i = 0; i < WORD_BITS; i++) {
		word.bits[i] = circuit_bit_constant((value >> i) & 1);
	}
	return word;
}

static uint32_t word_value(const struct word *word)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < WORD_BITS; i++) {
		value |= (uint32_t)word->bits[i].value << i;
	}
	return value;
}

/* The largest value the word can have whatever its wires are. */
static uint32_t word_bound(const struct word *word)
{
	uint32_t bound = 0;

	for (uint32_t i = 0; i < WORD_BITS; i++) {
		bound |= (uint32_t)(!circuit_bit_is_constant(word->bits[i]) || word->bits[i].value)
			 << i;
	}
	return bound;
}

static bool is_constant_word(const struct word *word)
{
	for (uint32_t i = 0; i < WORD_BITS; i++) {
		if (!circuit_bit_is_constant(word->bits[i])) {
			return false;
		}
	}
	return true;
}

/*
 * Adds words and a constant, and may subtract one word, in which case the constant must be at
 * least 2^32. The sum modulo 2^32 is split into bits of its own, one row for each and one in all:
 * "the sum without its other bits" as the lowest bit would save a row, but such combinations nest
 * and explode.
 */
struct sum {
	const struct word *words[SUM_WORDS_MAX];
	uint32_t word_count;
	const struct word *subtracted; /* or NULL */
	uint64_t constant;
};

static void add_word(struct circuit *circuit, const struct word *word, bool is_negative)
{
	for (uint32_t i = 0; i < WORD_BITS; i++) {
		circuit_bit_add_term(circuit, R1CS_C, word->bits[i], i, is_negative);
	}
}

static void add_constant(struct circuit *circuit, uint64_t constant)
{
	for (uint32_t i = 0; i < 64; i++) {
		if ((constant >> i) & 1) {
			circuit_add_power(circuit, R1CS_C, 0, i, false);
		}
	}
}

static struct word add_words(struct circuit *circuit, const struct sum *sum)
{
	bool is_folded = !sum->subtracted || is_constant_word(sum->subtracted);
	uint64_t value = sum->constant;
	uint64_t bound = sum->constant;
	struct circuit_bit bits[SUM_BITS_MAX];
	uint32_t bit_count;
	struct word word;

	for (uint32_t i = 0; i < sum->word_count; i++) {
		value += word_value(sum->words[i]);
		bound += word_bound(sum->words[i]);
		is_folded = is_folded && is_constant_word(sum->words[i]);
	}
	if (sum->subtracted) {
		assert(sum->constant >= UINT64_C(1) << WORD_BITS);
		/* Does not wrap: the constant is 2^32 at least. */
		value -= word_value(sum->subtracted);
	}
	if (is_folded) {
		return constant_word((uint32_t)value);
	}
	/* Bits for the largest sum that the prover could choose, so that no carry is lost and
	 * none made up. */
	bit_count = 64 - (uint32_t)__builtin_clzll(bound | UINT32_MAX);
	assert(bit_count <= SUM_BITS_MAX);
	for (uint32_t i = 0; i < bit_count; i++) {
		bits[i] = circuit_bit_new(circuit, (value >> i) & 1);
		circuit_bit_assert_boolean(circuit, bits[i]);
	}
	/* 0 = words + constant - subtracted - bits: a row of C alone. */
	for (uint32_t i = 0; i < sum->word_count; i++) {
		add_word(circuit, sum->words[i], false);
	}
	if (sum->subtracted) {
		add_word(circuit, sum->subtracted, true);
	}
	add_constant(circuit, sum->constant);
	for (uint32_t i = 0; i < bit_count; i++) {
		circuit_bit_add_term(circuit, R1CS_C, bits[i], i, true);
	}
	circuit_end_row(circuit);
	/* Modulo 2^32: the carry's bits have wires, but nobody uses them. */
	memcpy(word.bits, bits, sizeof(word.bits));
	return word;
}

/* Two rotations right and a third, or a shift right if `shift` says so, combined by xor. */
struct mix {
	uint32_t first;
	uint32_t second;
	uint32_t third;
	bool is_shift;
};

/* FIPS 180-4, section 4.1.2. */
static const struct mix mix_upper_0 = {2, 13, 22, false};
static const struct mix mix_upper_1 = {6, 11, 25, false};
static const struct mix mix_lower_0 = {7, 18, 3, true};
static const struct mix mix_lower_1 = {17, 19, 10, true};

static struct word mix_word(struct circuit *circuit, const struct word *word, const struct mix *mix)
{
	struct word mixed;

	for (uint32_t i = 0; i < WORD_BITS; i++) {
		struct circuit_bit third = word->bits[(i + mix->third) % WORD_BITS];

		if (mix->is_shift && i + mix->third >= WORD_BITS) {
			third = circuit_bit_constant(false);
		}
		mixed.bits[i] = circuit_bit_xor(circuit,
			circuit_bit_xor(circuit, word->bits[(i + mix->first) % WORD_BITS],
				word->bits[(i + mix->second) % WORD_BITS]),
			third);
	}
	return mixed;
}

static void expand_schedule(
	struct circuit *circuit, uint32_t rounds, struct word schedule[SHA256_CIRCUIT_ROUNDS])
{
	for (uint32_t i = BLOCK_WORDS; i < rounds; i++) {
		struct word lower_0 = mix_word(circuit, &schedule[i - 15], &mix_lower_0);
		struct word lower_1 = mix_word(circuit, &schedule[i - 2], &mix_lower_1);

		schedule[i] = add_words(circuit,
			&(struct sum){
				.words = {&lower_0, &lower_1, &schedule[i - 7], &schedule[i - 16]},
				.word_count = 4});
	}
}

/* One round on a .. h, which stand in `state` in this order. */
static void apply_round(struct circuit *circuit, struct word state[STATE_WORDS],
	const struct word *schedule_word, uint32_t constant)
{
	struct word upper_0 = mix_word(circuit, &state[0], &mix_upper_0);
	struct word upper_1 = mix_word(circuit, &state[4], &mix_upper_1);
	struct word choice;
	struct word major;
	struct word e;
	struct word a;

	for (uint32_t i = 0; i < WORD_BITS; i++) {
		choice.bits[i] = circuit_bit_select(
			circuit, state[4].bits[i], state[5].bits[i], state[6].bits[i]);
		major.bits[i] = circuit_bit_majority(
			circuit, state[0].bits[i], state[1].bits[i], state[2].bits[i]);
	}
	e = add_words(circuit,
		&(struct sum){.words = {&state[3], &state[7], &upper_1, &choice, schedule_word},
			.word_count = 5,
			.constant = constant});
	/* e - d is the part that both sums share. */
	a = add_words(circuit, &(struct sum){.words = {&e, &upper_0, &major},
				       .word_count = 3,
				       .subtracted = &state[3],
				       .constant = UINT64_C(1) << WORD_BITS});
	memmove(&state[1], &state[0], (STATE_WORDS - 1) * sizeof(state[0]));
	state[4] = e;
	state[0] = a;
}

static void compress(struct circuit *circuit, struct word state[STATE_WORDS],
	const struct circuit_bit block[SHA256_CIRCUIT_BLOCK_BITS], uint32_t rounds)
{
	struct word schedule[SHA256_CIRCUIT_ROUNDS];
	struct word working[STATE_WORDS];

	for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
		/* Messages are big-endian, words here least significant bit first. */
		for (uint32_t bit = 0; bit < WORD_BITS; bit++) {
			schedule[i].bits[bit] = block[i * WORD_BITS + WORD_BITS - 1 - bit];
		}
	}
	expand_schedule(circuit, rounds, schedule);
	memcpy(working, state, sizeof(working));
	for (uint32_t i = 0; i < rounds; i++) {
		apply_round(circuit, working, &schedule[i], round_constants[i]);
	}
	for (uint32_t i = 0; i < STATE_WORDS; i++) {
		state[i] = add_words(
			circuit, &(struct sum){.words = {&state[i], &working[i]}, .word_count = 2});
	}
}

/* The bit at `index` of the padded message: the message, a 1, zeros, the length in 64 bits. */
static struct circuit_bit padded_bit(
	const struct circuit_bit *bits, uint32_t bit_count, uint32_t padded_count, uint32_t index)
{
	if (index < bit_count) {
		return bits[index];
	}
	if (index == bit_count) {
		return circuit_bit_constant(true);
	}
	if (index < padded_count - LENGTH_BITS) {
		return circuit_bit_constant(false);
	}
	return circuit_bit_constant(((uint64_t)bit_count >> (padded_count - 1 - index)) & 1);
}

void sha256_circuit_hash(struct circuit *circuit, const struct circuit_bit *bits,
	uint32_t bit_count, uint32_t rounds,
	struct circuit_bit out_digest[SHA256_CIRCUIT_DIGEST_BITS])
{
	uint32_t block_count = (bit_count + 1 + LENGTH_BITS + SHA256_CIRCUIT_BLOCK_BITS - 1) /
			       SHA256_CIRCUIT_BLOCK_BITS;
	struct word state[STATE_WORDS];

	assert(rounds >= 1 && rounds <= SHA256_CIRCUIT_ROUNDS);

	for (uint32_t i = 0; i < STATE_WORDS; i++) {
		state[i] = constant_word(initial_state[i]);
	}
	for (uint32_t i = 0; i < block_count; i++) {
		struct circuit_bit block[SHA256_CIRCUIT_BLOCK_BITS];

		for (uint32_t bit = 0; bit < SHA256_CIRCUIT_BLOCK_BITS; bit++) {
			block[bit] =
				padded_bit(bits, bit_count, block_count * SHA256_CIRCUIT_BLOCK_BITS,
					i * SHA256_CIRCUIT_BLOCK_BITS + bit);
		}
		compress(circuit, state, block, rounds);
	}
	for (uint32_t i = 0; i < SHA256_CIRCUIT_DIGEST_BITS; i++) {
		out_digest[i] = state[i / WORD_BITS].bits[WORD_BITS - 1 - i % WORD_BITS];
	}
}

void sha256_circuit_output(
	struct circuit *circuit, const struct circuit_bit digest[SHA256_CIRCUIT_DIGEST_BITS])
{
	for (uint32_t half = 0; half < SHA256_CIRCUIT_DIGEST_BITS / HALF_BITS; half++) {
		blst_scalar value = {.b = {0}};

		for (uint32_t i = 0; i < HALF_BITS; i++) {
			struct circuit_bit bit = digest[half * HALF_BITS + HALF_BITS - 1 - i];

			value.b[i / 8] |= (uint8_t)(bit.value << (i % 8));
			circuit_bit_add_term(circuit, R1CS_C, bit, i, false);
		}
		/* A row of C alone: the sum of the bits is the output. */
		circuit_add_power(circuit, R1CS_C, 1 + half, 0, true);
		circuit_end_row(circuit);
		circuit_set_output(circuit, half, &value);
	}
}
