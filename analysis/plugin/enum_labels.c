/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/enum_labels.h"

#include <string.h>

#define LABEL(name, value, label) {value, label},

/* clang-format off */
static const struct enum_label lock_modes[] = {GAPTRACE_LOCK_MODES(LABEL) {0, NULL}};
static const struct enum_label wait_kinds[] = {GAPTRACE_WAIT_KINDS(LABEL) {0, NULL}};
static const struct enum_label buffer_kinds[] = {GAPTRACE_BUFFER_KINDS(LABEL) {0, NULL}};
static const struct enum_label job_statuses[] = {GAPTRACE_JOB_STATUSES(LABEL) {0, NULL}};
static const struct enum_label state_subjects[] = {GAPTRACE_STATE_SUBJECTS(LABEL) {0, NULL}};
static const struct enum_label backends[] = {GAPTRACE_BACKENDS(LABEL) {0, NULL}};
static const struct enum_label copy_kinds[] = {GAPTRACE_COPY_KINDS(LABEL) {0, NULL}};
static const struct enum_label memory_kinds[] = {GAPTRACE_MEMORY_KINDS(LABEL) {0, NULL}};
static const struct enum_label sync_kinds[] = {GAPTRACE_SYNC_KINDS(LABEL) {0, NULL}};
static const struct enum_label overhead_kinds[] = {GAPTRACE_OVERHEAD_KINDS(LABEL) {0, NULL}};
static const struct enum_label note_kinds[] = {
	{EVENT_NOTE_SOURCE, "source"}, {EVENT_NOTE_FACT, "fact"}, {EVENT_NOTE_LOST, "lost"},
	{EVENT_NOTE_UNREADABLE, "unreadable"}, {0, NULL}};

static const struct {
	const char *name;
	enum event_kind kind; /* EVENT_KIND_COUNT: of any */
	const struct enum_label *labels;
} rows[] = {
	{"mode",          EVENT_KIND_COUNT,   lock_modes},
	{"status",        EVENT_KIND_COUNT,   job_statuses},
	{"subject",       EVENT_KIND_COUNT,   state_subjects},
	{"backend",       EVENT_KIND_COUNT,   backends},
	{"source_memory", EVENT_KIND_COUNT,   memory_kinds},
	{"target_memory", EVENT_KIND_COUNT,   memory_kinds},
	{"kind",          EVENT_WAIT_BEGIN,   wait_kinds},
	{"kind",          EVENT_WAIT_END,     wait_kinds},
	{"kind",          EVENT_BUFFER_ALLOC, buffer_kinds},
	{"kind",          EVENT_BUFFER_FREE,  buffer_kinds},
	{"kind",          EVENT_GPU_MEMCPY,   copy_kinds},
	{"kind",          EVENT_GPU_SYNC,     sync_kinds},
	{"kind",          EVENT_GPU_OVERHEAD, overhead_kinds},
	{"kind",          EVENT_IMPORT_NOTE,  note_kinds},
};
/* clang-format on */

const struct enum_label *enum_labels_of(enum event_kind kind, const struct event_field *field)
{
	for (size_t i = 0; field->storage == FIELD_U32 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((rows[i].kind == kind || rows[i].kind == EVENT_KIND_COUNT) &&
			strcmp(rows[i].name, field->name) == 0) {
			return rows[i].labels;
		}
	}
	return NULL;
}
