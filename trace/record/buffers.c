/* SPDX-License-Identifier: MIT */
#include "trace/record/buffers.h"

#include "trace/record/quantity.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Small enough for a container's 64 MiB, large enough that a wake-up of the consumer pays. */
#define SUBBUFFER_BYTES_FLOOR (16ULL << 10)
#define SUBBUFFER_COUNT_FLOOR 4ULL
/* Control structures of one channel, measured: 76 KiB for both channels of two CPUs. */
#define CHANNEL_OVERHEAD_BYTES (20ULL << 10)
/* More CPUs than Linux can be built for. */
#define CPU_COUNT_MAX 65536UL

uint32_t buffers_parse_cpus(const char *list)
{
	unsigned long highest = 0;

	for (;;) {
		char *end;
		unsigned long cpu;

		if (!isdigit((unsigned char)*list)) {
			return 0;
		}
		cpu = strtoul(list, &end, 10);
		if (cpu >= CPU_COUNT_MAX) {
			return 0;
		}
		highest = cpu > highest ? cpu : highest;
		if (*end == '\0' || *end == '\n') {
			return (uint32_t)highest + 1;
		}
		if (*end != '-' && *end != ',') {
			return 0;
		}
		list = end + 1;
	}
}

static uint32_t possible_cpus(void)
{
	char list[4096] = "";
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	uint32_t count = 0;

	if (file) {
		if (fgets(list, sizeof(list), file)) {
			count = buffers_parse_cpus(list);
		}
		(void)fclose(file);
	}
	if (!count) {
		long configured = sysconf(_SC_NPROCESSORS_CONF);

		count = configured > 0 ? (uint32_t)configured : 1;
	}
	return count;
}

static uint64_t memory_available_bytes(void)
{
	static const char key[] = "MemAvailable:";
	unsigned long long available_kib = 0;
	char line[256];
	FILE *file = fopen("/proc/meminfo", "re");

	if (!file) {
		return UINT64_MAX;
	}
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) == 0) {
			available_kib = strtoull(line + strlen(key), NULL, 10);
			break;
		}
	}
	(void)fclose(file);
	return available_kib ? (uint64_t)available_kib << 10 : UINT64_MAX;
}

enum status buffers_measure_room(struct buffers_room *out_room, struct diag *diag)
{
	struct statvfs shm;

	if (statvfs("/dev/shm", &shm) != 0) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"/dev/shm: %s; LTTng keeps its buffers there: mount a tmpfs",
			strerror(errno));
	}
	*out_room = (struct buffers_room){
		.cpu_count = possible_cpus(),
		.shm_free_bytes = (uint64_t)shm.f_bavail * shm.f_frsize,
		.memory_free_bytes = memory_available_bytes(),
	};
	return STATUS_OK;
}

static uint64_t channel_bytes(const struct profile_channel *channel, uint32_t cpu_count)
{
	return cpu_count *
	       ((channel->subbuffer_count + 1) * channel->subbuffer_bytes + CHANNEL_OVERHEAD_BYTES);
}

uint64_t buffers_bytes(const struct profile *profile, uint32_t cpu_count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < profile->channel_count; i++) {
		total += channel_bytes(&profile->channels[i], cpu_count);
	}
	return total;
}

/* Smaller sub-buffers first: their number is what rides out a late consumer. */
static bool reduce_once(struct profile *profile)
{
	struct profile_channel *largest = NULL;

	for (size_t i = 0; i < profile->channel_count; i++) {
		struct profile_channel *channel = &profile->channels[i];

		if (channel->subbuffer_bytes <= SUBBUFFER_BYTES_FLOOR &&
			channel->subbuffer_count <= SUBBUFFER_COUNT_FLOOR) {
			continue;
		}
		if (!largest || channel_bytes(channel, 1) > channel_bytes(largest, 1)) {
			largest = channel;
		}
	}
	if (!largest) {
		return false;
	}
	if (largest->subbuffer_bytes > SUBBUFFER_BYTES_FLOOR) {
		largest->subbuffer_bytes /= 2;
	} else {
		largest->subbuffer_count /= 2;
	}
	return true;
}

enum status buffers_fit(struct profile *profile, const struct buffers_room *room,
	bool *out_is_reduced, struct diag *diag)
{
	uint64_t limit = room->shm_free_bytes / 2;
	bool is_reduced = false;

	assert(room->cpu_count > 0);

	if (room->memory_free_bytes / 4 < limit) {
		limit = room->memory_free_bytes / 4;
	}
	while (buffers_bytes(profile, room->cpu_count) > limit) {
		if (!reduce_once(profile)) {
			char need[16];
			char have[16];

			quantity_print_bytes(
				buffers_bytes(profile, room->cpu_count), need, sizeof(need));
			quantity_print_bytes(limit, have, sizeof(have));
			return diag_set(diag, STATUS_NO_SPACE,
				"the smallest buffers take %s for %u CPUs, and %s are to be had "
				"(half of /dev/shm's free space, a quarter of free memory): make "
				"/dev/shm larger",
				need, room->cpu_count, have);
		}
		is_reduced = true;
	}
	*out_is_reduced = is_reduced;
	return STATUS_OK;
}
