/* SPDX-License-Identifier: MIT */
#include "analysis/report/json_blocks.h"

#include "analysis/report/report.h"

void json_write_work(struct json_writer *writer, const struct report_data *report)
{
	const struct work_unit *unit = &report->meter.unit;

	json_writer_object_begin(writer, "work", true);
	json_writer_string(writer, "unit", work_unit_kind_name(unit));
	json_writer_string(writer, "name", unit->name);
	json_writer_unsigned(writer, "count", report->work_count);
	json_writer_unsigned(writer, "jobs_done", report->jobs_done);
	json_writer_unsigned(writer, "jobs_failed", report->jobs_failed);
	json_writer_object_end(writer);
}

static void write_causes(struct json_writer *writer, const struct block_device *device)
{
	json_writer_array_begin(writer, "causes", false);
	for (uint32_t i = 0; i < device->cause_count; i++) {
		const struct block_cause *row = &device->causes[i];

		json_writer_object_begin(writer, NULL, true);
		json_writer_string(writer, "cause", cause_name(row->cause));
		json_writer_string(writer, "object", row->object);
		json_writer_string(writer, "phase", row->phase);
		json_writer_unsigned(writer, "ns", row->ns);
		json_writer_unsigned(writer, "gaps", row->gap_count);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}

static void write_device(struct json_writer *writer, const struct timeline_device *facts,
	const struct block_device *device, uint64_t length_ns)
{
	static const struct block_device nothing = {0};
	uint64_t any_ns;

	/* A device that did nothing in this block. */
	if (!device) {
		device = &nothing;
	}
	any_ns = device->covered_ns[SWEEP_ANYTHING];
	json_writer_object_begin(writer, NULL, false);
	json_writer_signed(writer, "index", facts->ordinal);
	json_writer_string(writer, "uuid", facts->uuid);
	json_writer_unsigned(writer, "busy_ns", device->covered_ns[SWEEP_KERNEL]);
	json_writer_unsigned(writer, "copying_ns", any_ns - device->covered_ns[SWEEP_KERNEL]);
	json_writer_unsigned(writer, "idle_ns", any_ns < length_ns ? length_ns - any_ns : 0);
	json_writer_unsigned(writer, "gap_ns", device->gap_ns);
	json_writer_unsigned(writer, "gaps", device->gap_count);
	write_causes(writer, device);
	json_writer_object_end(writer);
}

void json_write_blocks(struct json_writer *writer, const struct report_data *report)
{
	const struct timeline *timeline = analyzer_timeline(report->analyzer);
	const struct blocks *blocks = &report->blocks;
	uint32_t order[DEVICE_COUNT_MAX];
	const uint32_t device_count = report_device_order(report, order);

	json_writer_array_begin(writer, "blocks", false);
	for (uint32_t i = 0; i < blocks->count; i++) {
		const struct block *block = &blocks->list[i];
		const uint64_t begin_ns = blocks_begin_ns(blocks, i);

		if (begin_ns >= block->end_ns) {
			continue; /* there was no window */
		}
		json_writer_object_begin(writer, NULL, false);
		json_writer_unsigned(writer, "begin_ns", begin_ns);
		json_writer_unsigned(writer, "end_ns", block->end_ns);
		json_writer_unsigned(writer, "work", block->work);
		json_writer_array_begin(writer, "devices", false);
		for (uint32_t d = 0; d < device_count; d++) {
			write_device(writer, timeline_device(timeline, order[d]),
				block->devices[order[d]], block->end_ns - begin_ns);
		}
		json_writer_array_end(writer);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}
