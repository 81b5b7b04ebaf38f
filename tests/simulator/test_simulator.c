/* SPDX-License-Identifier: MIT */
/*
 * Proves that the walk equals the truth of a virtual-time model, part by part, on a thousand drawn
 * proving services, and that these and some that lack CPUs have every cause of the list. Where no
 * scheduler tells of the lack, a share of each part is, and must be the right share. A failing
 * service is shrunk to a small case and printed. `test_simulator SEED` runs one seed,
 * `test_simulator FIRST LAST` a range.
 */
#include "analysis/core/walk.h"
#include "tests/simulator/scenario.h"
#include "tests/simulator/truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED_COUNT 1000

/* Of these, so many are run again twice with synthesis that lacks a CPU. */
#define STARVED_SEED_COUNT 60

struct tally {
	uint64_t gaps;
	uint64_t instants;
	uint64_t explained_ns;
	uint64_t cause_ns[CAUSE_COUNT];
};

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same_charge(const struct gap_part *part, const struct truth_charge *charge)
{
	if (part->cause != charge->cause || !is_same_text(part->phase, charge->phase)) {
		return false;
	}
	if (charge->cause == CAUSE_UNKNOWN) {
		return true;
	}
	if (!is_same_text(part->object, charge->object) || part->holder_tid != charge->holder_tid ||
		part->via_count != charge->via_count) {
		return false;
	}
	for (uint32_t i = 0; i < part->via_count; i++) {
		if (part->via[i].kind != charge->via[i].kind ||
			!is_same_text(part->via[i].object, charge->via[i].object)) {
			return false;
		}
	}
	return true;
}

static void print_via(const struct gap_via *via, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		printf(" <- %s %s", gap_via_kind_name(via[i].kind), via[i].object);
	}
	printf("\n");
}

static void print_difference(const struct truth_gap *gap, uint64_t from_ns, uint64_t to_ns,
	const struct gap_part *part, const struct truth_charge *charge)
{
	printf("  gpu %u, gap [%" PRIu64 ", %" PRIu64 "), at [%" PRIu64 ", %" PRIu64 "):\n",
		gap->gap.device, gap->gap.begin_ns, gap->gap.end_ns, from_ns, to_ns);
	printf("    truth:  %s, object '%s', phase '%s', holder %d", cause_name(charge->cause),
		charge->object, charge->phase, charge->holder_tid);
	print_via(charge->via, charge->via_count);
	if (!part) {
		printf("    engine: no part covers all of it\n");
		return;
	}
	printf("    engine: %s, object '%s', phase '%s', holder %d, [%" PRIu64 ", %" PRIu64 ")",
		cause_name(part->cause), part->object ? part->object : "",
		part->phase ? part->phase : "", part->holder_tid, part->from_ns, part->to_ns);
	print_via(part->via, part->via_count);
}

static const struct gap_part *covering_part(
	const struct gap_part_list *list, uint64_t from_ns, uint64_t to_ns)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->parts[i].from_ns <= from_ns && list->parts[i].to_ns >= to_ns) {
			return &list->parts[i];
		}
	}
	return NULL;
}

/* The synthesis that a thread was in at y: how long it ran, and then starved. */
static bool find_starved(const struct world *world, int32_t tid, uint64_t y_ns,
	const struct activity **out_run, const struct activity **out_starved)
{
	const int thread = tid - world_tid(0);
	size_t count = 0;
	const struct activity *history = thread >= 0 && thread < world_thread_count(world)
						 ? world_history(world, thread, &count)
						 : NULL;

	for (size_t i = 1; i < count; i++) {
		if (history[i].is_starved && history[i - 1].from_ns < y_ns &&
			y_ns <= history[i].to_ns) {
			*out_run = &history[i - 1];
			*out_starved = &history[i];
			return true;
		}
	}
	return false;
}

/* Puts what was apportioned together again; false when a share is not what the span told. */
static bool join_shares(const struct world *world, struct gap_part_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct gap_part share = list->parts[i];
		const struct activity *run;
		const struct activity *starved;

		if (share.cause != CAUSE_CPU_STARVED || !share.is_apportioned) {
			list->parts[kept++] = share;
			continue;
		}
		if (++i == list->count || !list->parts[i].is_apportioned ||
			!find_starved(
				world, share.holder_tid, list->parts[i].to_ns, &run, &starved) ||
			share.to_ns - share.from_ns != (list->parts[i].to_ns - share.from_ns) *
							       (starved->to_ns - starved->from_ns) /
							       (starved->to_ns - run->from_ns)) {
			return false;
		}
		list->parts[i].from_ns = share.from_ns;
		list->parts[kept++] = list->parts[i];
	}
	list->count = kept;
	return true;
}

/* True when every instant of the gap is charged as it should be. */
static bool check_gap(const struct world *world, const struct truth_gap *gap,
	const struct gap_part_list *list, struct tally *tally, bool is_loud)
{
	uint64_t from_ns = gap->gap.begin_ns;
	bool is_right = true;
	size_t count;
	uint64_t *cuts = truth_cuts(world, gap->gap.begin_ns, gap->gap.end_ns, &count);

	for (size_t i = 0; i < count && is_right; i++) {
		const struct gap_part *part = covering_part(list, from_ns, cuts[i]);
		struct truth_charge charge;

		truth_charge_at(world, gap, cuts[i], &charge);
		is_right = part && is_same_charge(part, &charge);
		if (!is_right && is_loud) {
			print_difference(gap, from_ns, cuts[i], part, &charge);
		}
		tally->instants++;
		tally->explained_ns += cuts[i] - from_ns;
		tally->cause_ns[charge.cause] += cuts[i] - from_ns;
		from_ns = cuts[i];
	}
	free(cuts);
	tally->gaps++;
	return is_right;
}

/* Feeds events up to `until_ns`; a live recording explains gaps while it goes on. */
static bool feed(struct walk *walk, const struct world *world, size_t *next, uint64_t until_ns)
{
	while (*next < world_event_count(world) && world_events(world)[*next].time_ns <= until_ns) {
		const struct event *event = &world_events(world)[*next];

		if (event->kind == EVENT_GPU_DEVICE &&
			walk_add_device(walk, event->pid, event->device.device,
				(uint32_t)event->device.device) != STATUS_OK) {
			return false;
		}
		if (walk_add(walk, event) != STATUS_OK) {
			return false;
		}
		(*next)++;
	}
	return true;
}

/* Later than any record of a gap can come: calls end and records arrive after it. */
#define SETTLE_NS 50000000ULL

static bool check_device(
	const struct world *world, int device, bool is_live, struct tally *tally, bool is_loud)
{
	AUTO(walk_destroy) struct walk *walk = NULL;
	struct gap_part_list list = {0};
	bool is_right = true;
	size_t next = 0;
	size_t count;
	struct truth_gap *gaps = truth_gaps(world, device, &count);

	is_right = walk_create(&walk) == STATUS_OK &&
		   (is_live || feed(walk, world, &next, UINT64_MAX));
	for (size_t i = 0; i < count && is_right; i++) {
		is_right = feed(walk, world, &next, gaps[i].gap.end_ns + SETTLE_NS) &&
			   walk_explain(walk, &gaps[i].gap, &list) == STATUS_OK &&
			   join_shares(world, &list) &&
			   check_gap(world, &gaps[i], &list, tally, is_loud);
		if (is_live) {
			walk_forget_before(walk, gaps[i].gap.end_ns);
		}
	}
	gap_part_list_finish(&list);
	free(gaps);
	return is_right;
}

/* Both as a report explains a recording that has ended, and as it does while one goes on. */
static bool check_scenario(
	const struct service_plan *plan, uint64_t seed, struct tally *tally, bool is_loud)
{
	struct world *world = scenario_run(plan, seed);
	bool is_right = world != NULL;

	for (int device = 0; is_right && device < world_device_count(world); device++) {
		is_right = check_device(world, device, false, tally, is_loud) &&
			   check_device(world, device, true, tally, is_loud);
	}
	if (world) {
		world_destroy(world);
	}
	return is_right;
}

/* Makes one field smaller if the failure survives that. */
static bool shrink_field(struct service_plan *plan, uint64_t seed, uint32_t index)
{
	uint32_t *field = scenario_field(plan, index);
	const uint32_t was = *field;
	const uint32_t tries[] = {scenario_field_least(index), was / 2, was - 1};
	struct tally tally = {0};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		if (tries[i] >= was || tries[i] < scenario_field_least(index)) {
			continue;
		}
		*field = tries[i];
		if (!check_scenario(plan, seed, &tally, false)) {
			return true;
		}
	}
	*field = was;
	return false;
}

/* Makes field after field as small as the failure survives. */
static void shrink(struct service_plan *plan, uint64_t seed)
{
	bool has_shrunk = true;

	while (has_shrunk) {
		has_shrunk = false;
		for (uint32_t i = 0; i < scenario_field_count(); i++) {
			has_shrunk = shrink_field(plan, seed, i) || has_shrunk;
		}
	}
}

static void report_failure(struct service_plan plan, uint64_t seed)
{
	struct tally tally = {0};

	shrink(&plan, seed);
	printf("seed %" PRIu64 " differs; shrunk to:", seed);
	for (uint32_t i = 0; i < scenario_field_count(); i++) {
		printf(" %s=%" PRIu32, scenario_field_name(i), *scenario_field(&plan, i));
	}
	printf("\n");
	(void)check_scenario(&plan, seed, &tally, true);
}

/* What a cause was charged; false when one that drawn services can have was never seen. */
static bool print_causes(const struct tally *tally)
{
	bool is_complete = true;

	printf("%" PRIu64 " gaps, %" PRIu64 " instants, %.3f s of idle; by cause:\n", tally->gaps,
		tally->instants, (double)tally->explained_ns / 1e9);
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		printf("  %-18s %6.2f %%\n", cause_name((enum cause)cause),
			100.0 * (double)tally->cause_ns[cause] / (double)tally->explained_ns);
		is_complete = is_complete && tally->cause_ns[cause] > 0;
	}
	return is_complete;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? first : SEED_COUNT - 1;
	struct tally tally = {0};
	int failures = 0;
	bool is_complete;

	for (uint64_t seed = first; seed <= last && failures < 3; seed++) {
		const struct service_plan plan = scenario_draw(seed);

		if (!check_scenario(&plan, seed, &tally, false)) {
			report_failure(plan, seed);
			failures++;
		}
	}
	for (uint64_t seed = first;
		seed <= last && seed < first + STARVED_SEED_COUNT * 2 && failures < 3; seed++) {
		struct service_plan plan = scenario_draw(seed);

		plan.starve_us = 300 + (uint32_t)seed * 20;
		plan.has_scheduler = seed % 2;
		if (!check_scenario(&plan, seed, &tally, false)) {
			printf("starved, scheduler %u: ", plan.has_scheduler);
			report_failure(plan, seed);
			failures++;
		}
	}
	is_complete = print_causes(&tally);
	if (failures == 0 && !is_complete && argc == 1) {
		printf("a cause was never planted\n");
		return 1;
	}
	return failures == 0 ? 0 : 1;
}
