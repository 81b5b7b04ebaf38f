/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/plain_class.h"

static bool set_type(struct plain_step *step, const bt_field_class *class)
{
	const bt_field_class_type type = bt_field_class_get_type(class);
	uint64_t bits;

	if (type == BT_FIELD_CLASS_TYPE_STRING) {
		return true;
	}
	if (type != BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER &&
		type != BT_FIELD_CLASS_TYPE_SIGNED_INTEGER &&
		type != BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION &&
		type != BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION) {
		return false;
	}
	step->is_signed = type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER ||
			  type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION;
	bits = bt_field_class_integer_get_field_value_range(class);
	step->bytes = (uint8_t)(bits / 8);
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static void set_context_target(
	struct plain_step *step, const struct decode_class *class, uint64_t index)
{
	if (index == class->pid_index) {
		step->target = PLAIN_PID;
	} else if (index == class->tid_index) {
		step->target = PLAIN_TID;
	}
}

static void set_payload_target(
	struct plain_step *step, const struct decode_class *class, uint64_t index)
{
	for (uint32_t i = 0; i < class->reader_count; i++) {
		if (class->readers[i].index == index) {
			step->target = PLAIN_FIELD;
			step->reader = &class->readers[i];
		}
	}
}

static bool add_steps(struct plain_class *plain, const bt_field_class *structure, bool is_context)
{
	const uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		struct plain_step step = {.target = PLAIN_SKIP};

		if (plain->step_count == PLAIN_STEPS_MAX ||
			!set_type(&step,
				bt_field_class_structure_member_borrow_field_class_const(
					bt_field_class_structure_borrow_member_by_index_const(
						structure, i)))) {
			return false;
		}
		if (is_context) {
			set_context_target(&step, plain->class, i);
		} else if (plain->class->result == DECODE_EVENT) {
			set_payload_target(&step, plain->class, i);
		}
		plain->steps[plain->step_count++] = step;
	}
	return true;
}

bool plain_class_init(struct plain_class *plain, const struct decode_class *class,
	const bt_stream_class *stream_class)
{
	*plain = (struct plain_class){.class = class};
	return !bt_event_class_borrow_specific_context_field_class_const(class->event_class) &&
	       add_steps(plain,
		       bt_stream_class_borrow_event_common_context_field_class_const(stream_class),
		       true) &&
	       add_steps(plain, bt_event_class_borrow_payload_field_class_const(class->event_class),
		       false);
}
