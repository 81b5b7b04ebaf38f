/* SPDX-License-Identifier: MIT */
/*
 * Proves that what is missing from a recording makes time unknown and never another's fault: drawn
 * proving services are recorded with losses of every kind, explained as a report does it, and each
 * instant is compared with the truth. Allowed is the truth, or `unknown`. Device stamps that are
 * off by some bound may move a boundary by as much, and blame nobody else for longer. `test_losses
 * FIRST LAST [KIND]` runs a range of seeds, and prints what was wrongly blamed.
 */
#include "tests/simulator/loss.h"
#include "tests/simulator/scenario.h"
#include "tests/simulator/truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED_COUNT 60

/* What must be charged in (from, to] of a device; or a kernel ran. */
struct stretch {
	uint64_t from_ns;
	uint64_t to_ns;
	bool is_busy;
	struct truth_charge charge;
};

struct answer {
	struct stretch *stretches[WORLD_DEVICES_MAX];
	size_t counts[WORLD_DEVICES_MAX];
};

struct tally {
	uint64_t idle_ns;
	uint64_t right_ns;
	uint64_t unknown_ns; /* that was not so in truth */
	uint64_t wrong_ns;
	uint64_t runs;
	uint64_t wrong_runs;
	uint64_t reason_ns[64];
};

struct comparison {
	const struct world *world;
	const struct answer *answer;
	const struct analyzer *analyzer;
	struct tally *tally;
	uint64_t slack_ns; /* boundaries may be off by that */
	bool is_late;
	bool is_loud;
};

static struct answer answer_of(const struct world *world)
{
	struct answer answer = {0};

	for (int device = 0; device < world_device_count(world); device++) {
		size_t gap_count;
		struct truth_gap *gaps = truth_gaps(world, device, &gap_count);
		struct stretch *all = NULL;
		size_t count = 0;

		for (size_t i = 0; i < gap_count; i++) {
			uint64_t from_ns = gaps[i].gap.begin_ns;
			size_t cut_count;
			uint64_t *cuts = truth_cuts(world, from_ns, gaps[i].gap.end_ns, &cut_count);

			all = realloc(all, (count + cut_count + 1) * sizeof(*all));
			if (all && i > 0) {
				all[count] = (struct stretch){.from_ns = gaps[i - 1].gap.end_ns,
					.to_ns = from_ns,
					.is_busy = true};
				count++;
			}
			for (size_t k = 0; all && k < cut_count; k++) {
				all[count] = (struct stretch){.from_ns = from_ns, .to_ns = cuts[k]};
				truth_charge_at(world, &gaps[i], cuts[k], &all[count].charge);
				from_ns = cuts[k];
				count++;
			}
			free(cuts);
		}
		free(gaps);
		answer.stretches[device] = all;
		answer.counts[device] = count;
	}
	return answer;
}

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/*
 * Of a wait for another stream that was issued before the recording (rule 2), and of a thread
 * before its first scheduler event (rule 5), nothing is recorded.
 */
static bool is_allowed(const struct gap_part *part, const struct truth_charge *charge, bool is_late)
{
	return (part->cause == CAUSE_UNKNOWN && charge->cause == CAUSE_UNKNOWN) ||
	       (is_late && charge->cause == CAUSE_CPU_STARVED) ||
	       (is_late && part->cause == CAUSE_LAUNCH && charge->cause == CAUSE_DEVICE_DEPENDENCY);
}

static bool is_right(const struct gap_part *part, const struct truth_charge *charge)
{
	return part->cause == charge->cause && is_same_text(part->phase, charge->phase) &&
	       is_same_text(part->object, charge->object) && part->holder_tid == charge->holder_tid;
}

static void print_wrong(const struct gap *gap, const struct gap_part *part,
	const struct stretch *stretch, uint64_t wrong_ns)
{
	const struct truth_charge *charge = stretch->is_busy ? NULL : &stretch->charge;

	printf("  gpu %u, gap [%" PRIu64 ", %" PRIu64 "), part [%" PRIu64 ", %" PRIu64 "), %" PRIu64
	       " ns: %s '%s' '%s' %d",
		gap->device, gap->begin_ns, gap->end_ns, part->from_ns, part->to_ns, wrong_ns,
		cause_name(part->cause), part->object ? part->object : "",
		part->phase ? part->phase : "", part->holder_tid);
	if (charge) {
		printf(", truth %s '%s' '%s' %d at %" PRIu64 "\n", cause_name(charge->cause),
			charge->object, charge->phase, charge->holder_tid, stretch->to_ns);
	} else {
		printf(", truth: a kernel ran\n");
	}
}

static uint64_t overlap_ns(const struct gap_part *part, const struct stretch *stretch)
{
	const uint64_t from_ns =
		part->from_ns > stretch->from_ns ? part->from_ns : stretch->from_ns;
	const uint64_t to_ns = part->to_ns < stretch->to_ns ? part->to_ns : stretch->to_ns;

	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/* How much of that stretch of the part lies further than the slack from where the part is right. */
static uint64_t wrong_within_ns(
	const struct comparison *comparison, const struct gap_part *part, int ordinal, size_t at)
{
	const struct stretch *all = comparison->answer->stretches[ordinal];
	const uint64_t slack_ns = comparison->slack_ns;
	uint64_t from_ns = part->from_ns > all[at].from_ns ? part->from_ns : all[at].from_ns;
	uint64_t to_ns = part->to_ns < all[at].to_ns ? part->to_ns : all[at].to_ns;

	/* Two boundaries that changed places make a part that is no longer than that. */
	if (part->to_ns - part->from_ns <= slack_ns) {
		return 0;
	}
	for (size_t i = 0; slack_ns > 0 && i < comparison->answer->counts[ordinal]; i++) {
		if (all[i].is_busy || !is_right(part, &all[i].charge)) {
			continue;
		}
		if (i < at && all[i].to_ns + slack_ns > from_ns) {
			from_ns = all[i].to_ns + slack_ns;
		} else if (i > at && all[i].from_ns < to_ns + slack_ns) {
			to_ns = all[i].from_ns - slack_ns;
		}
	}
	return from_ns < to_ns ? to_ns - from_ns : 0;
}

static void compare_part(struct comparison *comparison, const struct gap *gap,
	const struct gap_part *part, int ordinal)
{
	const struct stretch *all = comparison->answer->stretches[ordinal];
	struct tally *tally = comparison->tally;

	for (size_t i = 0; i < comparison->answer->counts[ordinal]; i++) {
		const uint64_t both_ns = overlap_ns(part, &all[i]);
		uint64_t wrong_ns = 0;

		if (both_ns == 0) {
			continue;
		}
		tally->idle_ns += both_ns;
		if (!all[i].is_busy &&
			(is_right(part, &all[i].charge) ||
				is_allowed(part, &all[i].charge, comparison->is_late))) {
			tally->right_ns += both_ns;
		} else if (part->cause == CAUSE_UNKNOWN) {
			tally->unknown_ns += both_ns;
		} else {
			wrong_ns = wrong_within_ns(comparison, part, ordinal, i);
		}
		tally->wrong_ns += wrong_ns;
		if (wrong_ns > 0 && comparison->is_loud) {
			print_wrong(gap, part, &all[i], wrong_ns);
		}
	}
}

static enum status on_gap(void *context, enum sweep_layer layer, const struct gap *gap,
	const struct gap_part_list *parts)
{
	struct comparison *comparison = context;
	const struct timeline_device *device =
		timeline_device(analyzer_timeline(comparison->analyzer), gap->device);

	for (uint32_t i = 0; layer == SWEEP_KERNEL && i < parts->count; i++) {
		compare_part(comparison, gap, &parts->parts[i], device->ordinal);
	}
	return STATUS_OK;
}

static enum status feed(struct analyzer *analyzer, const struct loss_trace *trace, bool is_live)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < trace->count && status == STATUS_OK; i++) {
		const struct loss_item *item = &trace->items[i];

		if (item->is_loss) {
			status = analyzer_add_loss(analyzer, &item->loss);
		} else if (is_live || item->event.kind != EVENT_GPU_WATERMARK) {
			status = analyzer_add(analyzer, &item->event);
		}
	}
	return status == STATUS_OK ? analyzer_end(analyzer) : status;
}

static bool check(struct comparison *comparison, enum loss_kind kind, uint64_t seed, bool is_live)
{
	AUTO(analyzer_destroy) struct analyzer *analyzer = NULL;
	struct loss_trace trace = loss_apply(comparison->world, kind, seed);
	const struct analyzer_listener listener = {.context = comparison, .gap = on_gap};
	const uint64_t before_ns = comparison->tally->wrong_ns;
	bool is_fed = analyzer_create(0, &listener, &analyzer) == STATUS_OK;

	comparison->analyzer = analyzer;
	is_fed = is_fed && feed(analyzer, &trace, is_live) == STATUS_OK;
	free(trace.items);
	comparison->tally->runs++;
	comparison->tally->wrong_runs += comparison->tally->wrong_ns > before_ns;
	return is_fed;
}

/* Every third service lacks CPUs, and has a kernel trace that says when. */
static struct service_plan draw(uint64_t seed)
{
	struct service_plan plan = scenario_draw(seed);

	if (seed % 3 == 1) {
		plan.starve_us = 300 + (uint32_t)(seed % 100) * 20;
		plan.has_scheduler = 1;
	}
	return plan;
}

static bool run_seed(uint64_t seed, int only, struct tally *tallies, bool is_loud)
{
	const struct service_plan plan = draw(seed);
	struct world *world = scenario_run(&plan, seed);
	struct comparison comparison = {.world = world, .is_loud = is_loud};
	struct answer answer;
	bool is_fine = world != NULL;

	if (!is_fine) {
		return false;
	}
	answer = answer_of(world);
	comparison.answer = &answer;
	for (int kind = 0; kind < LOSS_KIND_COUNT && is_fine; kind++) {
		if (only >= 0 && kind != only) {
			continue;
		}
		if (is_loud) {
			printf("seed %" PRIu64 " %s\n", seed, loss_kind_name((enum loss_kind)kind));
		}
		comparison.tally = &tallies[kind];
		comparison.slack_ns = kind == LOSS_CLOCK ? LOSS_CLOCK_NS : 0;
		comparison.is_late = kind == LOSS_LATE || kind == LOSS_BLIND;
		is_fine = check(&comparison, (enum loss_kind)kind, seed, seed % 2 == 0);
	}
	for (int device = 0; device < WORLD_DEVICES_MAX; device++) {
		free(answer.stretches[device]);
	}
	world_destroy(world);
	return is_fine;
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	const uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED_COUNT - 1;
	const int only = argc > 3 ? atoi(argv[3]) : -1;
	const bool is_loud = argc > 4;
	struct tally tallies[LOSS_KIND_COUNT] = {0};
	bool is_fine = true;

	for (uint64_t seed = first; seed <= last && is_fine; seed++) {
		is_fine = run_seed(seed, only, tallies, is_loud);
	}
	for (int kind = 0; kind < LOSS_KIND_COUNT; kind++) {
		const struct tally *tally = &tallies[kind];
		const double idle_ns = (double)tally->idle_ns;

		if (tally->runs == 0) {
			continue;
		}
		printf("%-10s %6.3f s idle, right %6.2f %%, unknown instead %6.2f %%, wrong %7.4f "
		       "%% in %" PRIu64 " of %" PRIu64 " runs\n",
			loss_kind_name((enum loss_kind)kind), idle_ns / 1e9,
			100 * (double)tally->right_ns / idle_ns,
			100 * (double)tally->unknown_ns / idle_ns,
			100 * (double)tally->wrong_ns / idle_ns, tally->wrong_runs, tally->runs);
		is_fine = is_fine && tally->wrong_ns == 0;
	}
	return is_fine ? 0 : 1;
}
