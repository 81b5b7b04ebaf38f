/* SPDX-License-Identifier: MIT */
#include "prover/config_keys.h"

#include "prover/config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELD(section, field) offsetof(struct config, section.field)
#define MEBI                  (1ULL << 20)
#define TEBI                  (1ULL << 40)

/* clang-format off */
#define KEY(section, field, type, minimum, maximum, choices, fallback, meaning)                    \
	{#section, #field, type, FIELD(section, field), minimum, maximum, choices, fallback, meaning}
#define COUNT(section, field, minimum, maximum, fallback, meaning)                                 \
	KEY(section, field, CONFIG_TYPE_COUNT, minimum, maximum, "", fallback, meaning)
#define BYTES(section, field, minimum, maximum, fallback, meaning)                                 \
	KEY(section, field, CONFIG_TYPE_BYTES, minimum, maximum, "", fallback, meaning)
#define REAL(section, field, minimum, maximum, fallback, meaning)                                  \
	KEY(section, field, CONFIG_TYPE_REAL, minimum, maximum, "", fallback, meaning)
#define CHOICE(section, field, choices, fallback, meaning)                                         \
	KEY(section, field, CONFIG_TYPE_CHOICE, 0, 0, choices, fallback, meaning)
#define TEXT(section, field, fallback, meaning)                                                    \
	KEY(section, field, CONFIG_TYPE_TEXT, 0, 0, "", fallback, meaning)

/* The words of a choice stand in the order of its enumeration in config.h. */
const struct config_key config_keys[] = {
	TEXT(daemon, socket, "",
		"unix socket to serve; empty: gaptrace/proverd.sock under $XDG_RUNTIME_DIR, else in the state directory"),
	TEXT(daemon, listen, "",
		"loopback address and port to serve instead of the unix socket, such as 127.0.0.1:9821"),
	TEXT(daemon, state_dir, "",
		"where keys are kept; empty: $XDG_STATE_HOME/gaptrace, else ~/.local/state/gaptrace"),
	CHOICE(daemon, log_level, "error|warning|info|debug", "info",
		"which messages reach standard error"),
	COUNT(daemon, queue_max, 1, 100000, "64",
		"jobs queued or running at once; one more is refused with 429"),
	COUNT(daemon, partitions_max, 1, 4096, "256",
		"partitions of one job; more is refused with 413"),
	BYTES(daemon, body_bytes_max, 256, 16 * MEBI, "64K",
		"size of a request body; more is refused with 413"),
	COUNT(daemon, history_max, 1, 100000, "256",
		"ended jobs whose proofs are kept for download"),
	COUNT(daemon, drain_ms, 0, 600000, "3000",
		"how long a daemon that stops still answers for ended jobs that nobody has asked for since"),

	TEXT(jobs, kinds, "merkle squaring",
		"built-in circuits served, with blanks between them; their keys are made when the daemon first starts"),
	TEXT(jobs, file_root, "",
		"directory under which jobs of kind 'files' may name keys and witnesses; empty: such jobs are refused"),
	COUNT(jobs, merkle_levels, 1, 8, "1",
		"levels of the Merkle path that a 'merkle' partition proves; every level adds 45664 rows"),
	COUNT(jobs, squaring_rows, 1, 4 * MEBI, "500",
		"rows of the chain that a 'squaring' partition proves"),

	BYTES(memory, budget_bytes, 0, 64 * TEBI, "auto",
		"memory that partitions in flight may reserve; auto: half of the host's"),
	BYTES(memory, partition_bytes, 0, 64 * TEBI, "auto",
		"what one partition reserves; auto: from the size of its key"),
	CHOICE(memory, release, "two_phase|at_end", "two_phase",
		"when a partition gives its reservation back: most after prove_start and the rest after prove_finish, or all at the end"),
	CHOICE(memory, trim, "background|outside|tracker|never", "background",
		"where a finalizer returns freed memory: on a thread of its own, outside the tracker lock, under it, or nowhere"),
	CHOICE(memory, dealloc, "background|finalizer|call", "background",
		"where a partition's large vectors are unmapped: on a thread of their own, in the finalizer, or inside the prove call"),
	BYTES(memory, churn_bytes, 0, 64 * TEBI, "0",
		"heap that a partition's synthesis takes in small blocks and gives back at the end, as production's does: what a trim then returns"),
	COUNT(memory, heap_chunks, 0, 1000000, "0",
		"free chunks of 12 KiB that cannot be joined, made in the heap at the start, as in that of a daemon after days: what every trim walks; 13.5 KiB each, which the host must have"),
	CHOICE(memory, staging, "pinned|pageable", "pinned",
		"memory that a, b and c are copied to the device from"),
	CHOICE(memory, pinned, "pool|per_call", "pool",
		"whether pinned buffers are kept for the next partition or allocated and freed for every one"),

	CHOICE(scheduler, pacer, "off|fixed|adaptive", "off",
		"what holds the dispatcher back: nothing, a fixed interval, or an interval steered by the GPU queue"),
	COUNT(scheduler, pacer_interval_ms, 1, 600000, "200",
		"time between two dispatches of the fixed pacer, and before the first measurement of the adaptive one"),
	COUNT(scheduler, pacer_interval_min_ms, 1, 600000, "5",
		"shortest interval of the adaptive pacer"),
	COUNT(scheduler, pacer_interval_max_ms, 1, 600000, "60000",
		"longest interval of the adaptive pacer"),
	COUNT(scheduler, pacer_target_depth, 1, 1024, "8",
		"partitions that the adaptive pacer wants waiting for a GPU"),

	COUNT(synthesis, workers, 1, 256, "2",
		"partitions synthesized at once"),
	COUNT(synthesis, channel_capacity, 0, 1024, "0",
		"dispatched partitions that may wait for a synthesis worker; 0: as many as workers"),
	CHOICE(synthesis, hand_over, "partition|job", "partition",
		"when synthesized partitions reach the GPU queue: each at once, or all of a job together"),
	CHOICE(synthesis, evaluate, "host|device", "host",
		"where a, b and c are made of the witness: by synthesis, or on the GPU, which then holds the key's matrices too and gets the witness in their place"),

	CHOICE(gpu, kind, "cpu|sim|cuda", "cpu",
		"cpu: real proofs on threads; sim: a timing model that makes no proofs; cuda: real proofs on NVIDIA GPUs"),
	COUNT(gpu, count, 1, 64, "1",
		"devices that the daemon proves on"),
	COUNT(gpu, workers_per_device, 1, 16, "2",
		"GPU workers of each device"),
	CHOICE(gpu, affinity, "shared|per_device|first", "shared",
		"which device proves a partition: whichever is free, one chosen when it is synthesized, or always device 0"),
	CHOICE(gpu, prove, "split|whole", "split",
		"whether a worker goes on after prove_start while a finalizer ends the proof, or ends it itself"),
	CHOICE(gpu, mutex_scope, "kernels|call", "kernels",
		"what the mutex of a GPU covers: the kernel region, or the whole prove call with its work on the CPU"),
	CHOICE(gpu, prep, "own_thread|groth16_pool", "own_thread",
		"where prep runs: on a thread of its own, or in the groth16 pool, where it may queue behind another partition's b_g2"),
	CHOICE(gpu, barrier, "in_mutex|before_mutex", "in_mutex",
		"where the prove call waits for prep: under the GPU's mutex, before the batch additions, or before it takes it"),
	CHOICE(gpu, sync, "stream|device", "stream",
		"what the prove call waits for under the mutex: its own streams, or everything on the device"),
	CHOICE(gpu, workspace, "kept|per_call", "kept",
		"device memory a proof works in: kept from call to call, or allocated and freed under the mutex"),
	BYTES(gpu, memory_bytes, 0, 64 * TEBI, "auto",
		"memory of one device; auto: as much as the host gives"),
	COUNT(gpu, kernel_threads, 0, 1024, "0",
		"threads that run one cpu device's kernels; 0: the CPUs shared evenly by the devices"),
	COUNT(gpu, pinned_mb_per_s, 0, 10000000, "0",
		"rate that a cpu device's copies from pinned memory are held to; 0: as fast as the host copies"),
	COUNT(gpu, pageable_mb_per_s, 0, 10000000, "0",
		"the same of copies from pageable memory"),

	COUNT(pools, blocking, 1, 1024, "16",
		"threads of the pool 'blocking', where prove_start, prove_finish and key loads run"),
	COUNT(pools, groth16, 0, 1024, "0",
		"threads of the pool 'groth16_pool', where prep and b_g2 run; 0: as many as CPUs"),

	CHOICE(check, self_check, "outside|tracker|never", "outside",
		"where a finished proof is verified before it is handed out: outside the tracker lock, under it, or nowhere"),
	COUNT(check, self_check_repeat, 1, 100000, "1",
		"verifications in a row where one would do, as costly as the parsing and checking of a production proof"),

	CHOICE(srs, load, "first_use|start|every_job", "first_use",
		"when a key is loaded: when a job first needs it, when the daemon starts, or again for every job"),
	CHOICE(srs, check, "subgroup|curve", "subgroup",
		"how closely the points of a key that a job brings are looked at; subgroup takes about 50 us a point"),
	COUNT(srs, cache_max, 1, 1024, "4",
		"keys kept in memory; the one unused for longest makes room"),

	REAL(sim, time_scale, 1, 1000000, "1",
		"factor on every duration of the sim device: 0.01 makes a second ten milliseconds"),
	CHOICE(sim, burns_cpu, "no|yes", "no",
		"whether modelled work on the CPU sleeps or spins"),
	COUNT(sim, synthesis_ms, 0, 600000, "36500",
		"synthesis of a partition"),
	COUNT(sim, self_check_ms, 0, 600000, "30",
		"self-check of a partition, which has no proof to verify"),
	COUNT(sim, prep_ms, 0, 600000, "0",
		"prep on the CPU; 0: the model's 1900"),
	COUNT(sim, b_g2_ms, 0, 600000, "0",
		"b_g2 on the CPU; 0: the model's 1700"),
	COUNT(sim, epilogue_ms, 0, 600000, "0",
		"assembling a proof; 0: the model's 5"),
	COUNT(sim, pinned_mb_per_s, 0, 10000000, "0",
		"copies from pinned memory; 0: the model's rate"),
	COUNT(sim, pageable_mb_per_s, 0, 10000000, "0",
		"copies from pageable memory; 0: the model's rate"),
	COUNT(sim, key_mb_per_s, 0, 10000000, "0",
		"points streamed by the batch additions; 0: the model's rate"),
	COUNT(sim, pinned_alloc_mb_per_s, 0, 10000000, "0",
		"pinned allocation; 0: the model's rate"),
	COUNT(sim, device_alloc_mb_per_s, 0, 10000000, "0",
		"allocation of device memory; 0: the model's rate"),
	COUNT(sim, key_load_mb_per_s, 0, 10000000, "0",
		"loading and pinning of a key; 0: the model's rate"),
	COUNT(sim, unmap_mb_per_s, 0, 10000000, "0",
		"unmapping of large vectors; 0: the model's rate"),
	COUNT(sim, transform_ps, 0, 100000000, "0",
		"picoseconds an element of a transform kernel takes; 0: the model's"),
	COUNT(sim, msm_h_ps, 0, 100000000, "0",
		"picoseconds a point of the H MSM kernel takes; 0: the model's"),
	COUNT(sim, tail_ps, 0, 100000000, "0",
		"picoseconds a point of a tail MSM kernel takes; 0: the model's"),
};
/* clang-format on */

const uint32_t config_key_count = sizeof(config_keys) / sizeof(config_keys[0]);

bool config_key_choice(const struct config_key *key, int index, char *word, size_t size)
{
	const char *choices = key->choices;
	size_t length = 0;

	/* The words stand in one string, "a|b|c", as --print-config prints them. */
	for (; index > 0; index--) {
		choices = strchr(choices, '|');
		if (!choices) {
			return false;
		}
		choices++;
	}
	length = strcspn(choices, "|");
	assert(length < size);
	(void)snprintf(word, size, "%.*s", (int)length, choices);
	return true;
}

void config_key_number(const struct config_key *key, uint64_t value, char *text, size_t size)
{
	static const char suffixes[] = "KMGT";
	uint32_t power = 0;

	if (key->type != CONFIG_TYPE_BYTES) {
		(void)snprintf(text, size, "%" PRIu64, value);
		return;
	}
	/* Only where nothing is lost: 1536 stays 1536, not 1.5K. */
	while (power < 4 && value != 0 && value % 1024 == 0) {
		value /= 1024;
		power++;
	}
	if (power == 0) {
		(void)snprintf(text, size, "%" PRIu64, value);
	} else {
		(void)snprintf(text, size, "%" PRIu64 "%c", value, suffixes[power - 1]);
	}
}

/* 0 means "choose" for these keys; for the others it is a number. */
bool config_key_is_auto(const struct config_key *key, uint64_t value)
{
	return value == 0 && strcmp(key->fallback, "auto") == 0;
}
