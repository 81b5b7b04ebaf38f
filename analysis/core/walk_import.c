/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_import.h"

#include "trace/base/limits.h"

#include <string.h>

/* A call that another one contains is looked for among so many that ended after it. */
#define NESTED_OS_CALLS_MAX 8

/* Processes of one report. More come only from a broken file, and share the last one's facts. */
#define PROCESS_COUNT_MAX 4096

/* Where names of ranges give way to those of their families. */
#define RANGE_NAME_COUNT_MAX (WALK_NAME_COUNT_MAX / 2)

/* ---- Processes ---- */

void walk_imports_init(struct walk_imports *imports)
{
	*imports = (struct walk_imports){0};
	walk_slab_init(&imports->slab, sizeof(struct walk_process));
}

void walk_imports_finish(struct walk_imports *imports)
{
	walk_map_finish(&imports->processes);
	walk_map_finish(&imports->families);
	walk_slab_finish(&imports->slab);
}

/* First times are at their maximum until something is seen, so that a comparison lowers them. */
static struct walk_process *find_or_add(struct walk_imports *imports, int32_t pid)
{
	struct walk_process *process = walk_map_find(&imports->processes, (uint32_t)pid, 0);

	if (process) {
		return process;
	}
	process = walk_slab_take(&imports->slab);
	if (!process) {
		return NULL;
	}
	*process = (struct walk_process){
		.pid = pid,
		.first_host_ns = UINT64_MAX,
		.first_call_ns = UINT64_MAX,
		.first_correlation = UINT64_MAX,
	};
	if (walk_map_put(&imports->processes, (uint32_t)pid, 0, process) != STATUS_OK) {
		walk_slab_give_back(&imports->slab, process);
		return NULL;
	}
	return process;
}

struct walk_process *walk_imports_get(struct walk_imports *imports, int32_t pid)
{
	if (!imports->latest || imports->latest->pid != pid) {
		const bool is_full = imports->processes.count >= PROCESS_COUNT_MAX &&
				     !walk_imports_find(imports, pid);

		imports->latest = find_or_add(imports, is_full ? -1 : pid);
	}
	return imports->latest;
}

const struct walk_process *walk_imports_find(const struct walk_imports *imports, int32_t pid)
{
	return walk_map_find(&imports->processes, (uint32_t)pid, 0);
}

enum status walk_imports_note(struct walk_imports *imports, const struct event *event)
{
	struct walk_process *process;

	if (event->kind != EVENT_SPAN_BEGIN && event->kind != EVENT_IMPORT_OS_CALL &&
		event->kind != EVENT_GPU_API && event->kind != EVENT_GPU_SYNC) {
		return STATUS_OK;
	}
	process = walk_imports_get(imports, event->pid);
	if (!process) {
		return STATUS_NO_MEMORY;
	}
	process->has_syncs |= event->kind == EVENT_GPU_SYNC;
	process->has_host |= event->kind != EVENT_GPU_SYNC;
	if (event->kind != EVENT_GPU_SYNC && event->time_ns < process->first_host_ns) {
		process->first_host_ns = event->time_ns;
	}
	if (event->kind != EVENT_GPU_API) {
		return STATUS_OK;
	}
	process->has_calls = true;
	if (event->api.start_ns < process->first_call_ns) {
		process->first_call_ns = event->api.start_ns;
	}
	if (event->api.correlation != 0 && event->api.correlation < process->first_correlation) {
		process->first_correlation = event->api.correlation;
	}
	return STATUS_OK;
}

uint64_t walk_imports_begin_ns(const struct walk_imports *imports, int32_t pid)
{
	const struct walk_process *process = walk_imports_find(imports, pid);

	return process && process->has_host ? process->first_host_ns : 0;
}

uint64_t walk_imports_outside_count(const struct walk_imports *imports)
{
	uint64_t count = 0;

	for (size_t i = 0; i < imports->processes.capacity; i++) {
		const struct walk_process *process = imports->processes.entries[i].value;

		count += process && process->has_calls ? process->outside_count : 0;
	}
	return count;
}

bool walk_process_began_before(
	const struct walk_process *process, uint64_t start_ns, uint64_t correlation)
{
	return process->has_calls &&
	       (start_ns <= process->first_call_ns ||
		       (correlation != 0 && correlation < process->first_correlation));
}

/* ---- Calls of the system ---- */

struct os_word {
	const char *name;
	enum walk_os_nature nature;
};

/* All others run: what reads, writes, opens or maps does it for its thread. */
static const struct os_word os_words[] = {
	{"nanosleep", WALK_OS_SLEEPS},
	{"clock_nanosleep", WALK_OS_SLEEPS},
	{"usleep", WALK_OS_SLEEPS},
	{"sleep", WALK_OS_SLEEPS},
	{"pthread_mutex_lock", WALK_OS_BLOCKS},
	{"pthread_mutex_timedlock", WALK_OS_BLOCKS},
	{"pthread_mutex_clocklock", WALK_OS_BLOCKS},
	{"pthread_rwlock_rdlock", WALK_OS_BLOCKS},
	{"pthread_rwlock_wrlock", WALK_OS_BLOCKS},
	{"pthread_rwlock_timedrdlock", WALK_OS_BLOCKS},
	{"pthread_rwlock_timedwrlock", WALK_OS_BLOCKS},
	{"pthread_spin_lock", WALK_OS_BLOCKS},
	{"pthread_cond_wait", WALK_OS_BLOCKS},
	{"pthread_cond_timedwait", WALK_OS_BLOCKS},
	{"pthread_cond_clockwait", WALK_OS_BLOCKS},
	{"pthread_barrier_wait", WALK_OS_BLOCKS},
	{"pthread_join", WALK_OS_BLOCKS},
	{"pthread_tryjoin_np", WALK_OS_BLOCKS},
	{"pthread_timedjoin_np", WALK_OS_BLOCKS},
	{"sem_wait", WALK_OS_BLOCKS},
	{"sem_timedwait", WALK_OS_BLOCKS},
	{"sem_clockwait", WALK_OS_BLOCKS},
	{"futex", WALK_OS_BLOCKS},
	{"poll", WALK_OS_BLOCKS},
	{"ppoll", WALK_OS_BLOCKS},
	{"select", WALK_OS_BLOCKS},
	{"pselect", WALK_OS_BLOCKS},
	{"epoll_wait", WALK_OS_BLOCKS},
	{"epoll_pwait", WALK_OS_BLOCKS},
	{"sigwait", WALK_OS_BLOCKS},
	{"sigwaitinfo", WALK_OS_BLOCKS},
	{"sigtimedwait", WALK_OS_BLOCKS},
	{"pause", WALK_OS_BLOCKS},
	{"flock", WALK_OS_BLOCKS},
	{"lockf", WALK_OS_BLOCKS},
	{"wait", WALK_OS_BLOCKS},
	{"wait3", WALK_OS_BLOCKS},
	{"wait4", WALK_OS_BLOCKS},
	{"waitid", WALK_OS_BLOCKS},
	{"waitpid", WALK_OS_BLOCKS},
	{"accept", WALK_OS_BLOCKS},
	{"accept4", WALK_OS_BLOCKS},
	{"connect", WALK_OS_BLOCKS},
	{"recv", WALK_OS_BLOCKS},
	{"recvfrom", WALK_OS_BLOCKS},
	{"recvmsg", WALK_OS_BLOCKS},
	{"recvmmsg", WALK_OS_BLOCKS},
	{"mq_receive", WALK_OS_BLOCKS},
	{"mq_timedreceive", WALK_OS_BLOCKS},
	{"msgrcv", WALK_OS_BLOCKS},
	{"semop", WALK_OS_BLOCKS},
	{"semtimedop", WALK_OS_BLOCKS},
	{"mmap", WALK_OS_ALLOCS},
	{"mmap64", WALK_OS_ALLOCS},
	{"mremap", WALK_OS_ALLOCS},
	{"mlock", WALK_OS_ALLOCS},
	{"mlock2", WALK_OS_ALLOCS},
	{"brk", WALK_OS_ALLOCS},
	{"sbrk", WALK_OS_ALLOCS},
	{"munmap", WALK_OS_FREES},
	{"munlock", WALK_OS_FREES},
};

static enum walk_os_nature find_nature(const char *name)
{
	for (size_t i = 0; i < sizeof(os_words) / sizeof(os_words[0]); i++) {
		if (strcmp(name, os_words[i].name) == 0) {
			return os_words[i].nature;
		}
	}
	return WALK_OS_RUNS;
}

enum walk_os_nature walk_os_nature(const char *name)
{
	struct walk_name_facts *facts = walk_names_facts(name);

	if (facts->os_nature == 0) {
		facts->os_nature = (uint8_t)(find_nature(name) + 1);
	}
	return (enum walk_os_nature)(facts->os_nature - 1);
}

void walk_os_prune(struct walk_imports *imports, struct walk_lane *lane, uint64_t forget_ns)
{
	const size_t old_count = walk_ring_below(&lane->os_calls, forget_ns);

	if (old_count > 0) {
		const struct walk_os_call *last = walk_ring_at(&lane->os_calls, old_count - 1);

		walk_lane_forget(lane, last->end_ns);
	}
	walk_ring_drop_front(&lane->os_calls, old_count);
	imports->os_call_count -= old_count;
}

enum status walk_os_add(struct walk_imports *imports, struct walk_lane *lane,
	const struct walk_os_call *call, uint64_t forget_ns)
{
	struct walk_ring *ring = &lane->os_calls;
	size_t i;

	if (call->end_ns <= call->start_ns) {
		return STATUS_OK; /* covers nothing */
	}
	walk_os_prune(imports, lane, forget_ns);
	/* One inside another ends before it, and comes after it. */
	for (i = ring->count; i > 0; i--) {
		const struct walk_os_call *before = walk_ring_at(ring, i - 1);

		if (before->end_ns < call->end_ns) {
			break;
		}
	}
	imports->os_call_count++;
	return walk_ring_insert(ring, i, call);
}

const struct walk_os_call *walk_os_at(const struct walk_lane *lane, uint64_t y_ns)
{
	const size_t first = walk_ring_below(&lane->os_calls, y_ns);

	for (size_t i = first; i < lane->os_calls.count && i - first < NESTED_OS_CALLS_MAX; i++) {
		const struct walk_os_call *call = walk_ring_at(&lane->os_calls, i);

		if (call->start_ns < y_ns) {
			return call;
		}
	}
	return NULL;
}

uint64_t walk_os_end_before(const struct walk_lane *lane, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&lane->os_calls, y_ns);
	const struct walk_os_call *call;

	if (i == 0) {
		return 0;
	}
	call = walk_ring_at(&lane->os_calls, i - 1);
	return call->end_ns;
}

/* ---- Ranges ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/*
 * How many characters at `i` are a number that stands by itself: "IO 12", "step_3", "at 0x7f21";
 * not the digits of "conv2d", "layer1" or "3d". `*out_copied` is how many to copy as they are
 * otherwise.
 */
static size_t counter_length(const char *name, size_t i, size_t *out_copied)
{
	size_t end = i;

	*out_copied = 1;
	if (name[i] == '0' && name[i + 1] == 'x' && is_hex_digit(name[i + 2])) {
		for (end = i + 2; is_hex_digit(name[end]);) {
			end++;
		}
		return end - i;
	}
	while (is_digit(name[end])) {
		end++;
	}
	if (end == i) {
		return 0;
	}
	*out_copied = end - i;
	return (i > 0 && is_letter(name[i - 1])) || is_letter(name[end]) ? 0 : end - i;
}

/* The name with a '#' for each counter; false when there is none, or no room. */
static bool find_family(const char *name, char out_family[NAME_BYTES_MAX])
{
	bool has_counter = false;
	size_t used = 0;
	size_t copied;

	for (size_t i = 0; name[i];) {
		const size_t length = counter_length(name, i, &copied);

		if (used + copied + 1 >= NAME_BYTES_MAX) {
			return false;
		}
		if (length == 0) {
			memcpy(out_family + used, name + i, copied);
			used += copied;
			i += copied;
			continue;
		}
		has_counter = true;
		i += length;
		/* "ProfilerStep#12" has its mark. */
		if (used == 0 || out_family[used - 1] != '#') {
			out_family[used++] = '#';
		}
	}
	out_family[used] = '\0';
	return has_counter;
}

/* Of the facts of a name: whether it is known to count. */
enum range_kind {
	RANGE_NOT_ASKED,
	RANGE_PLAIN,
	RANGE_COUNTS,
};

static enum status note_family(
	struct walk_imports *imports, struct walk_names *names, const char *kept)
{
	struct walk_name_facts *facts = walk_names_facts(kept);
	char family[NAME_BYTES_MAX];
	const char *kept_family;

	if (facts->range_kind != RANGE_NOT_ASKED) {
		return STATUS_OK;
	}
	facts->range_kind = RANGE_PLAIN;
	if (!find_family(kept, family)) {
		return STATUS_OK;
	}
	kept_family = walk_names_keep(names, family);
	if (!kept_family) {
		return STATUS_NO_MEMORY;
	}
	facts->range_kind = RANGE_COUNTS;
	return walk_map_put(&imports->families, (uintptr_t)kept, 0, (void *)(uintptr_t)kept_family);
}

const char *walk_range_keep(
	struct walk_imports *imports, struct walk_names *names, const char *name)
{
	char family[NAME_BYTES_MAX];
	const char *kept = names->count >= RANGE_NAME_COUNT_MAX ? walk_names_find(names, name)
								: walk_names_keep(names, name);

	if (!kept && names->count >= RANGE_NAME_COUNT_MAX) {
		kept = walk_names_keep(names, name && find_family(name, family) ? family : name);
	}
	return kept && note_family(imports, names, kept) == STATUS_OK ? kept : NULL;
}

const char *walk_range_family(const struct walk_imports *imports, const char *kept)
{
	const char *family = walk_map_find(&imports->families, (uintptr_t)kept, 0);

	return family ? family : kept;
}

bool walk_range_is_library(const char *name)
{
	struct walk_name_facts *facts = walk_names_facts(name);

	if (facts->is_library == 0) {
		facts->is_library = 1 + (strstr(name, "::") != NULL);
	}
	return facts->is_library == 2;
}
