/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_number.h"

#include <stddef.h>

/* Beyond any exponent that could leave something of 20 digits in 64 bits. */
#define EXPONENT_MAX 1000

struct decimal {
	bool is_negative;
	uint64_t digits;
	bool is_full; /* what digits follow do not fit */
	bool is_too_large;
	int exponent; /* of ten */
};

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

/* Takes digits in front of the point or behind it. */
static const char *take_digits(const char *text, struct decimal *decimal, bool is_fraction)
{
	for (; is_digit(*text); text++) {
		uint64_t digits;

		if (decimal->is_full ||
			__builtin_mul_overflow(decimal->digits, (uint64_t)10, &digits) ||
			__builtin_add_overflow(digits, (uint64_t)(*text - '0'), &digits)) {
			decimal->is_full = true;
			decimal->is_too_large = decimal->is_too_large || !is_fraction;
			continue;
		}
		decimal->digits = digits;
		decimal->exponent -= is_fraction;
	}
	return text;
}

static const char *take_exponent(const char *text, struct decimal *decimal)
{
	const bool is_negative = text[1] == '-';
	int exponent = 0;

	text += text[1] == '-' || text[1] == '+' ? 2 : 1;
	if (!is_digit(*text)) {
		return NULL;
	}
	for (; is_digit(*text); text++) {
		exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*text - '0') : exponent;
	}
	decimal->exponent += is_negative ? -exponent : exponent;
	return text;
}

static bool parse(const char *text, struct decimal *out_decimal)
{
	struct decimal decimal = {.is_negative = *text == '-'};
	const char *digits;

	text += *text == '-' || *text == '+';
	digits = text;
	text = take_digits(text, &decimal, false);
	if (*text == '.') {
		digits++;
		text = take_digits(text + 1, &decimal, true);
	}
	if (text == digits) {
		return false;
	}
	if (*text == 'e' || *text == 'E') {
		text = take_exponent(text, &decimal);
	}
	*out_decimal = decimal;
	return text && *text == '\0' && !decimal.is_too_large;
}

/* digits * 10^exponent, rounded half up; false when it does not fit. */
static bool scale(const struct decimal *decimal, int exponent, uint64_t *out_value)
{
	uint64_t value = decimal->digits;

	for (; exponent > 0 && value != 0; exponent--) {
		if (__builtin_mul_overflow(value, (uint64_t)10, &value)) {
			return false;
		}
	}
	for (; exponent < -1 && value != 0; exponent++) {
		value /= 10;
	}
	if (exponent == -1) {
		value = value / 10 + (value % 10 >= 5);
	}
	*out_value = value;
	return true;
}

static bool to_signed(const struct decimal *decimal, int exponent, int64_t *out_value)
{
	uint64_t value;

	if (!scale(decimal, exponent, &value) || value > INT64_MAX) {
		return false;
	}
	*out_value = decimal->is_negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool kineto_number_time(const char *text, int64_t *out_ns)
{
	struct decimal decimal;

	return parse(text, &decimal) && to_signed(&decimal, decimal.exponent + 3, out_ns);
}

static bool parse_hexadecimal(const char *text, uint64_t *out_value)
{
	uint64_t value = 0;

	if (*text == '\0') {
		return false;
	}
	for (; *text; text++) {
		const char letter = (char)(*text | 0x20);
		const bool is_letter = letter >= 'a' && letter <= 'f';

		if ((!is_digit(*text) && !is_letter) || value >> 60) {
			return false;
		}
		value = value << 4 | (uint64_t)(is_letter ? letter - 'a' + 10 : *text - '0');
	}
	*out_value = value;
	return true;
}

bool kineto_number_unsigned(const char *text, uint64_t *out_value)
{
	struct decimal decimal;
	uint64_t value;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		return parse_hexadecimal(text + 2, out_value);
	}
	if (!parse(text, &decimal) || !scale(&decimal, decimal.exponent, &value)) {
		return false;
	}
	*out_value = decimal.is_negative ? 0 - value : value;
	return true;
}

bool kineto_number_integer(const char *text, int64_t *out_value)
{
	struct decimal decimal;
	uint64_t value;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		if (!parse_hexadecimal(text + 2, &value) || value > INT64_MAX) {
			return false;
		}
		*out_value = (int64_t)value;
		return true;
	}
	return parse(text, &decimal) && to_signed(&decimal, decimal.exponent, out_value);
}
