/* SPDX-License-Identifier: MIT */
#include "analysis/diff/comparable.h"

#include "analysis/diff/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change of the kernels of a unit of work that makes one ask whether it is the same work. */
#define KERNELS_DIFFER_SHARE 0.02
#define BUSY_DIFFERS_SHARE   0.2

#define UNIT_BYTES_MAX 320 /* a unit and a name as events carry it */

static const char *unit_text(const struct run *run, char out_text[UNIT_BYTES_MAX])
{
	(void)snprintf(out_text, UNIT_BYTES_MAX, "%.32s%s%.250s", run->work_unit,
		*run->work_name ? " " : "", run->work_name);
	return out_text;
}

enum status comparable_check_trust(
	const struct run *const *runs, uint32_t run_count, struct lines *reasons)
{
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < run_count && status == STATUS_OK; i++) {
		const struct run *run = runs[i];

		if (run->is_readable && !run->is_trusted) {
			status = lines_add(reasons, "%s is not to be trusted: %s", run->path,
				run->note_count > 0 ? run->notes[0] : "its report says so");
		}
	}
	return status;
}

/* UUIDs may differ, on another host for one; the kind of device may not. */
static enum status check_devices(
	const struct run *first, const struct run *run, struct lines *reasons)
{
	enum status status = STATUS_OK;

	if (run->device_count != first->device_count) {
		return lines_add(reasons, "%s has %u GPUs, %s has %u", first->path,
			first->device_count, run->path, run->device_count);
	}
	for (uint32_t slot = 0; slot < first->device_count && status == STATUS_OK; slot++) {
		const struct run_device *a = &first->devices[slot];
		const struct run_device *b = &run->devices[run_device_at(run, first, slot)];

		if (strcmp(a->name, b->name) != 0) {
			status = lines_add(reasons, "gpu %" PRId64 " is '%s' in %s and '%s' in %s",
				a->index, a->name, first->path, b->name, run->path);
		} else if (strcmp(a->backend, b->backend) != 0) {
			status = lines_add(reasons,
				"gpu %" PRId64 " has backend %s in %s and %s in %s", a->index,
				a->backend, first->path, b->backend, run->path);
		}
	}
	return status;
}

static enum status check_pair(const struct run *first, const struct run *run, struct lines *reasons)
{
	char units[2][UNIT_BYTES_MAX];
	enum status status = STATUS_OK;

	if (strcmp(first->work_unit, run->work_unit) != 0 ||
		strcmp(first->work_name, run->work_name) != 0) {
		status = lines_add(reasons, "%s counts work by %s, %s by %s", first->path,
			unit_text(first, units[0]), run->path, unit_text(run, units[1]));
	}
	if (status == STATUS_OK && first->is_simulated != run->is_simulated) {
		status = lines_add(reasons, "%s is simulated and %s is not",
			first->is_simulated ? first->path : run->path,
			first->is_simulated ? run->path : first->path);
	}
	/* Without devices a report has no threshold either; their count differs then. */
	if (status == STATUS_OK && first->threshold_ns != run->threshold_ns &&
		first->device_count == run->device_count) {
		status = lines_add(reasons,
			"%s explains gaps of at least %" PRIu64 " ns, %s of %" PRIu64
			" ns: make both with one --threshold",
			first->path, first->threshold_ns, run->path, run->threshold_ns);
	}
	return status == STATUS_OK ? check_devices(first, run, reasons) : status;
}

/* What is wrong with a run whatever it is compared with. */
static enum status check_alone(const struct run *run, struct lines *reasons)
{
	char unit[UNIT_BYTES_MAX];

	if (run->device_count == 0) {
		return lines_add(reasons, "%s has no GPU", run->path);
	}
	if (run->work_count == 0) {
		return lines_add(reasons,
			"%s: no unit of work (%s) ended in its window, by which runs are compared: "
			"choose another by --work, here or of gaptrace report",
			run->path, unit_text(run, unit));
	}
	if (run->window_end_ns == run->window_begin_ns) {
		return lines_add(reasons, "%s: its window is empty", run->path);
	}
	return STATUS_OK;
}

enum status comparable_check(
	const struct run *const *runs, uint32_t run_count, struct lines *reasons)
{
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < run_count && status == STATUS_OK; i++) {
		if (!runs[i]->is_readable) {
			status = lines_add(reasons, "%s is %s; this program reads " RUN_SCHEMA,
				runs[i]->path, runs[i]->schema);
		} else {
			status = check_alone(runs[i], reasons);
		}
	}
	/* What other versions mean by a field nobody knows: no more is said then. */
	for (uint32_t i = 1; i < run_count && status == STATUS_OK; i++) {
		if (runs[0]->is_readable && runs[i]->is_readable) {
			status = check_pair(runs[0], runs[i], reasons);
		}
	}
	return status;
}

enum status comparable_explain_noise(const struct run *const *runs, uint32_t run_count,
	uint32_t base_count, uint32_t runs_wanted, struct lines *reasons)
{
	enum status status = STATUS_OK;
	uint32_t explained = 0;

	for (uint32_t i = 0; i < run_count && status == STATUS_OK; i++) {
		const struct run *run = runs[i];

		if (run->block_count == 0) {
			status = lines_add(reasons,
				"%s has no blocks by which its noise could be judged: make the "
				"report anew, or give at least %u runs a side",
				run->path, runs_wanted);
			explained++;
		} else if (run->block_count < TABLE_BATCH_COUNT_MIN) {
			status = lines_add(reasons,
				"%s: too little work, %" PRIu64
				" units in %u blocks; at least %d are needed, or %u runs a side",
				run->path, run->work_count, run->block_count, TABLE_BATCH_COUNT_MIN,
				runs_wanted);
			explained++;
		}
	}
	if (status == STATUS_OK && explained == 0) {
		status = lines_add(reasons,
			"the work of %u and %u runs is spread too unevenly over their blocks to "
			"judge noise: give at least %u runs a side",
			base_count, run_count - base_count, runs_wanted);
	}
	return status;
}

struct per_unit {
	double kernels;
	double busy_ns;
};

static struct per_unit per_unit(const struct run *const *runs, uint32_t run_count)
{
	double kernels = 0;
	double busy_ns = 0;
	double work = 0;

	for (uint32_t i = 0; i < run_count; i++) {
		for (uint32_t d = 0; d < runs[i]->device_count; d++) {
			kernels += (double)runs[i]->devices[d].kernel_count;
			busy_ns += (double)runs[i]->devices[d].usage.busy_ns;
		}
		work += (double)runs[i]->work_count;
	}
	work = work > 0 ? work : 1;
	return (struct per_unit){.kernels = kernels / work, .busy_ns = busy_ns / work};
}

/* A GPU that fell out: its idle time is no_work, which says nothing of why. */
static enum status note_idle_devices(
	const struct run *first, const struct run *run, struct lines *notes)
{
	enum status status = STATUS_OK;

	for (uint32_t slot = 0; slot < first->device_count && status == STATUS_OK; slot++) {
		const struct run_device *own = &run->devices[run_device_at(run, first, slot)];

		if (own->kernel_count == 0 && first->devices[slot].kernel_count > 0) {
			status = lines_add(notes,
				"%s: gpu %" PRId64 " ran no kernel, and in %s it did", run->path,
				own->index, first->path);
		}
	}
	return status;
}

enum status comparable_note(
	const struct run *const *runs, uint32_t run_count, uint32_t base_count, struct lines *notes)
{
	const struct per_unit before = per_unit(runs, base_count);
	const struct per_unit now = per_unit(runs + base_count, run_count - base_count);
	enum status status = STATUS_OK;

	for (uint32_t i = base_count; base_count > 0 && i < run_count && status == STATUS_OK; i++) {
		status = note_idle_devices(runs[0], runs[i], notes);
	}
	if (base_count > 0 && status == STATUS_OK &&
		fabs(now.kernels - before.kernels) > before.kernels * KERNELS_DIFFER_SHARE) {
		status = lines_add(notes,
			"kernels per unit of work went from %.1f to %.1f: is it the same work?",
			before.kernels, now.kernels);
	}
	if (base_count > 0 && status == STATUS_OK &&
		fabs(now.busy_ns - before.busy_ns) > before.busy_ns * BUSY_DIFFERS_SHARE) {
		status = lines_add(notes,
			"kernels of a unit of work took %.3f ms and now take %.3f ms: is it the "
			"same work, and the same clock of the GPU?",
			before.busy_ns / 1e6, now.busy_ns / 1e6);
	}
	for (uint32_t i = 0; i < run_count && status == STATUS_OK; i++) {
		if (runs[i]->jobs_failed > 0) {
			status = lines_add(notes, "%s: %" PRIu64 " of %" PRIu64 " jobs failed",
				runs[i]->path, runs[i]->jobs_failed,
				runs[i]->jobs_failed + runs[i]->jobs_done);
		}
	}
	return status;
}
