/* SPDX-License-Identifier: MIT */
/* Proves the rules of verdicts: what confirms a suspect, what refutes it, and what is missing. */
#include "analysis/core/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct walk_evidence complete = {
	.locks = 1, .tasks = 1, .copies = 1, .run_delays = 1, .buffers = 1, .ended_jobs = 1};

static void add(struct verdict_tally *tally, uint64_t ns, struct gap_part part)
{
	struct gap_part_list list = {.parts = &part, .count = 1};

	part.to_ns = part.from_ns + ns;
	part.phase = part.phase ? part.phase : "";
	verdict_tally_add(tally, &list);
}

static const struct verdict_row *find(const struct verdict_list *list, const char *suspect)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (strcmp(list->rows[i].suspect, suspect) == 0) {
			return &list->rows[i];
		}
	}
	fail_msg("no suspect '%s'", suspect);
	return NULL;
}

/* 50 of 1000 is the limit itself. */
static void five_percent_of_the_idle_time_confirm(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 50, (struct gap_part){.cause = CAUSE_LOCK, .object = "tracker"});
	add(&tally, 950, (struct gap_part){.cause = CAUSE_SYNTHESIS, .object = "gpu_queue"});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(find(&list, "tracker_lock")->verdict, VERDICT_CONFIRMED);
	assert_int_equal(find(&list, "tracker_lock")->ns, 50);
	assert_int_equal(find(&list, "synthesis")->verdict, VERDICT_CONFIRMED);
	assert_int_equal(find(&list, "gpu_mutex")->verdict, VERDICT_REFUTED);
}

/* 49 of 1000, and nothing unknown: too little. */
static void less_refutes_when_all_is_known(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 49, (struct gap_part){.cause = CAUSE_COPY_PAGEABLE, .object = "htod"});
	add(&tally, 951, (struct gap_part){.cause = CAUSE_NO_WORK, .object = ""});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(find(&list, "pcie")->verdict, VERDICT_REFUTED);
	assert_int_equal(find(&list, "pcie")->ns, 49);
}

/* The link to the host has no part in them. */
static void copies_inside_a_device_and_memsets_are_no_sign_of_a_slow_link(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 400, (struct gap_part){.cause = CAUSE_COPY_PINNED, .phase = "dtod"});
	add(&tally, 400, (struct gap_part){.cause = CAUSE_COPY_PINNED, .phase = "memset"});
	add(&tally, 200, (struct gap_part){.cause = CAUSE_COPY_PINNED, .phase = "htod"});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(find(&list, "pcie")->ns, 200);
	assert_int_equal(tally.idle_ns, 1000);
}

/* 20 of 1000 and 30 unknown: they might be its doing. */
static void what_is_unknown_might_be_anybodys(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 20, (struct gap_part){.cause = CAUSE_POOL, .object = "blocking"});
	add(&tally, 30, (struct gap_part){.cause = CAUSE_UNKNOWN, .object = ""});
	add(&tally, 950, (struct gap_part){.cause = CAUSE_SYNTHESIS, .object = ""});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(find(&list, "blocking_pool")->verdict, VERDICT_CANNOT_TELL);
	assert_non_null(strstr(find(&list, "blocking_pool")->reason, "3.0 % is unknown"));
	assert_int_equal(find(&list, "gpu_mutex")->verdict, VERDICT_REFUTED);
}

static void without_its_evidence_nothing_is_refuted(void **state)
{
	const struct walk_evidence none = {0};
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 1000, (struct gap_part){.cause = CAUSE_CPU_PHASE, .object = "prep"});
	verdict_conclude(&tally, &none, true, &list);
	for (uint32_t i = 0; i < VERDICT_SUSPECTS; i++) {
		assert_int_equal(list.rows[i].verdict, VERDICT_CANNOT_TELL);
	}
	assert_non_null(strstr(find(&list, "tracker_lock")->reason, "lock events"));
	assert_non_null(strstr(find(&list, "cpu_starvation")->reason, "run delays"));
	assert_int_equal(find(&list, "cpu_phase")->verdict, VERDICT_CONFIRMED);
}

/* The pool was on the chain of 300 more, which are charged to the tracker behind it. */
static void a_ceiling_counts_where_the_suspect_was_on_the_way(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 100, (struct gap_part){.cause = CAUSE_POOL, .object = "blocking"});
	add(&tally, 300,
		(struct gap_part){.cause = CAUSE_LOCK,
			.object = "tracker",
			.via_count = 2,
			.via = {{GAP_VIA_POOL, "blocking"}, {GAP_VIA_POOL, "blocking"}}});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(find(&list, "blocking_pool")->ns, 100);
	assert_int_equal(find(&list, "blocking_pool")->ceiling_ns, 400);
	assert_int_equal(find(&list, "tracker_lock")->ns, 300);
	assert_int_equal(find(&list, "tracker_lock")->ceiling_ns, 300);
}

/* Other locks are not the tracker, and have rows of their own, the larger first. */
static void other_causes_are_listed_by_size(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 300, (struct gap_part){.cause = CAUSE_LOCK, .object = "status"});
	add(&tally, 600, (struct gap_part){.cause = CAUSE_LOCK, .object = "srs_manager"});
	add(&tally, 100, (struct gap_part){.cause = CAUSE_LAUNCH, .object = ""});
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(list.count, VERDICT_SUSPECTS + 3);
	assert_string_equal(list.rows[VERDICT_SUSPECTS].suspect, "lock srs_manager");
	assert_string_equal(list.rows[VERDICT_SUSPECTS + 1].suspect, "lock status");
	assert_string_equal(list.rows[VERDICT_SUSPECTS + 2].suspect, "launch");
	assert_int_equal(find(&list, "tracker_lock")->verdict, VERDICT_REFUTED);
}

static struct walk_evidence with_floors(const uint64_t counts[8])
{
	struct walk_evidence evidence = complete;

	evidence.ended_jobs = 8;
	evidence.sample_count = 8;
	for (uint32_t i = 0; i < 8; i++) {
		evidence.live_counts[i][GAPTRACE_BUFFER_ABC] = counts[i];
	}
	return evidence;
}

static enum verdict leak_verdict(const struct walk_evidence *evidence)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	verdict_conclude(&tally, evidence, true, &list);
	return find(&list, "buffer_leak")->verdict;
}

static void a_floor_that_rises_in_every_quarter_is_a_leak(void **state)
{
	const struct walk_evidence rising = with_floors((uint64_t[]){1, 3, 3, 4, 5, 9, 7, 8});
	const struct walk_evidence warm_up = with_floors((uint64_t[]){1, 3, 6, 6, 6, 9, 6, 6});
	const struct walk_evidence lately = with_floors((uint64_t[]){6, 6, 6, 6, 6, 6, 7, 8});

	(void)state;
	assert_int_equal(leak_verdict(&rising), VERDICT_CONFIRMED);
	assert_int_equal(leak_verdict(&warm_up), VERDICT_REFUTED);
	assert_int_equal(leak_verdict(&lately), VERDICT_CANNOT_TELL);
	assert_int_equal(leak_verdict(&complete), VERDICT_CANNOT_TELL);
}

static void an_untrusted_recording_tells_nothing(void **state)
{
	struct verdict_tally tally = {0};
	struct verdict_list list;

	(void)state;
	add(&tally, 1000, (struct gap_part){.cause = CAUSE_LOCK, .object = "tracker"});
	verdict_conclude(&tally, &complete, false, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		assert_int_equal(list.rows[i].verdict, VERDICT_CANNOT_TELL);
	}
}

/* More locks than a tally holds: none is lost, the rest comes as one. */
static void a_tally_is_bounded(void **state)
{
	static char names[VERDICT_TALLY_MAX + 20][8];
	struct verdict_tally tally = {0};
	struct verdict_list list;
	uint64_t sum_ns = 0;

	(void)state;
	for (uint32_t i = 0; i < VERDICT_TALLY_MAX + 20; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "l%u", i);
		add(&tally, 10, (struct gap_part){.cause = CAUSE_LOCK, .object = names[i]});
	}
	verdict_conclude(&tally, &complete, true, &list);
	assert_int_equal(list.count, VERDICT_SUSPECTS + VERDICT_TALLY_MAX + 1);
	for (uint32_t i = VERDICT_SUSPECTS; i < list.count; i++) {
		sum_ns += list.rows[i].ns;
	}
	assert_int_equal(sum_ns, (VERDICT_TALLY_MAX + 20) * 10);
}

/* 10 ns of a map under tracker, behind each kind of wait: without that wait they were gone, too. */
static void a_wait_on_the_way_has_the_ceiling_of_its_own_cause(void **state)
{
	/* clang-format off */
	static const struct {
		struct gap_via via;
		enum cause cause;
	} waits[] = {
		{{GAP_VIA_LOCK, "status"},           CAUSE_LOCK},
		{{GAP_VIA_LOCK, "gpu_mutex 0"},      CAUSE_GPU_MUTEX},
		{{GAP_VIA_INSIDE, "gpu_mutex 1"},    CAUSE_GPU_MUTEX},
		{{GAP_VIA_POOL, "blocking"},         CAUSE_POOL},
		{{GAP_VIA_BUDGET, "budget"},         CAUSE_BUDGET},
		{{GAP_VIA_BACKPRESSURE, "channel"},  CAUSE_BACKPRESSURE},
		{{GAP_VIA_PACER, "pacer"},           CAUSE_PACING},
		{{GAP_VIA_SLEEP, "sleep"},           CAUSE_PACING},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct verdict_tally tally = {0};

		add(&tally, 10,
			(struct gap_part){.cause = CAUSE_SRS_LOAD,
				.object = "",
				.via = {waits[i].via},
				.via_count = 1});
		assert_int_equal(tally.count, 2);
		assert_int_equal(tally.rows[1].cause, waits[i].cause);
		assert_int_equal(tally.rows[1].ceiling_ns, 10);
		assert_int_equal(tally.rows[1].ns, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_on_the_way_has_the_ceiling_of_its_own_cause),
		cmocka_unit_test(five_percent_of_the_idle_time_confirm),
		cmocka_unit_test(less_refutes_when_all_is_known),
		cmocka_unit_test(copies_inside_a_device_and_memsets_are_no_sign_of_a_slow_link),
		cmocka_unit_test(what_is_unknown_might_be_anybodys),
		cmocka_unit_test(without_its_evidence_nothing_is_refuted),
		cmocka_unit_test(a_ceiling_counts_where_the_suspect_was_on_the_way),
		cmocka_unit_test(other_causes_are_listed_by_size),
		cmocka_unit_test(a_floor_that_rises_in_every_quarter_is_a_leak),
		cmocka_unit_test(an_untrusted_recording_tells_nothing),
		cmocka_unit_test(a_tally_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
