/* SPDX-License-Identifier: MIT */
/* Proves that shipped profiles hold every event once, and that a wrong line is named by number. */
#include "trace/record/profile.h"

#include "gaptrace/schema.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PROFILES SOURCE_DIR "/trace/profiles/"

/* A profile file with this text, gone at the end of the test. */
static enum status load_text(const char *text, struct profile **out_profile, struct diag *diag)
{
	char path[] = "/tmp/test_profile.XXXXXX";
	int fd = mkstemp(path);
	enum status status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
	status = profile_load(path, out_profile, diag);
	assert_int_equal(unlink(path), 0);
	return status;
}

/* In how many rules of `channel`, or of all channels when NULL, the event is. */
static int rule_count(const struct profile *profile, const char *channel, const char *event)
{
	int count = 0;

	for (size_t i = 0; i < profile->channel_count; i++) {
		const struct profile_channel *at = &profile->channels[i];

		if (channel && strcmp(channel, at->name) != 0) {
			continue;
		}
		for (size_t j = 0; j < at->event_count; j++) {
			count += fnmatch(at->events[j].name, event, 0) == 0;
		}
	}
	return count;
}

#define HOST_NAME(constant, name) "gaptrace:" #name,
#define GPU_NAME(constant, name)  "gaptrace_gpu:" #name,
static const char *const events[] = {GAPTRACE_HOST_EVENTS(HOST_NAME) GAPTRACE_GPU_EVENTS(GPU_NAME)};

static void the_full_profile_has_every_event_once(void **state)
{
	AUTO(profile_destroy) struct profile *profile = NULL;

	(void)state;
	assert_int_equal(profile_load(PROFILES "full.conf", &profile, NULL), STATUS_OK);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (rule_count(profile, NULL, events[i]) != 1) {
			fail_msg("%s is in %d rules", events[i],
				rule_count(profile, NULL, events[i]));
		}
	}
}

static void the_minimal_profile_has_no_event_twice(void **state)
{
	AUTO(profile_destroy) struct profile *profile = NULL;

	(void)state;
	assert_int_equal(profile_load(PROFILES "minimal.conf", &profile, NULL), STATUS_OK);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		assert_in_range(rule_count(profile, NULL, events[i]), 0, 1);
	}
	assert_int_equal(rule_count(profile, "hot", "gaptrace_gpu:kernel"), 1);
	assert_int_equal(rule_count(profile, NULL, "gaptrace:buffer_alloc"), 0);
}

static void keyframes_have_a_channel_of_their_own(void **state)
{
	static const char *const names[] = {PROFILES "minimal.conf", PROFILES "full.conf"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		AUTO(profile_destroy) struct profile *profile = NULL;

		assert_int_equal(profile_load(names[i], &profile, NULL), STATUS_OK);
		assert_int_equal(profile->channel_count, 2);
		assert_true(profile->expected_rate > 0);
		assert_int_equal(rule_count(profile, "state", "gaptrace:state"), 1);
		assert_int_equal(rule_count(profile, "state", "gaptrace_gpu:device"), 1);
		assert_int_equal(rule_count(profile, "state", "gaptrace_gpu:dropped"), 1);
	}
}

static void filters_are_kept_apart_from_names(void **state)
{
	AUTO(profile_destroy) struct profile *profile = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(load_text("[recording]\nexpected_rate = 2M\n"
				   "[channel a]\nevent = p:x if wait_ns > 0 && name == \"if\"\n"
				   "event = p:y*\nsubbuffer_size = 64K\nsubbuffer_count = 8\n"
				   "flush_interval = 500ms\n",
				 &profile, &diag),
		STATUS_OK);
	assert_int_equal(profile->expected_rate, 2 << 20);
	assert_int_equal(profile->channel_count, 1);
	assert_string_equal(profile->channels[0].events[0].name, "p:x");
	assert_string_equal(profile->channels[0].events[0].filter, "wait_ns > 0 && name == \"if\"");
	assert_string_equal(profile->channels[0].events[1].name, "p:y*");
	assert_string_equal(profile->channels[0].events[1].filter, "");
	assert_int_equal(profile->channels[0].subbuffer_bytes, 65536);
	assert_int_equal(profile->channels[0].subbuffer_count, 8);
	assert_int_equal(profile->channels[0].flush_us, 500000);
}

struct wrong {
	const char *text;
	const char *line; /* that must stand in the message */
};

static void wrong_lines_are_named(void **state)
{
	static const struct wrong wrongs[] = {
		{"[channel a]\nevnt = p:x\n", ":2: no key 'evnt'"},
		{"event = p:x\n", ":1: key 'event' is in section []"},
		{"[chanel a]\n\nevent = p:x\n", ":3: key 'event' is in section [chanel a]"},
		{"[recording]\nrate = 1\n", ":2: no key 'rate'"},
		{"[recording]\nexpected_rate = fast\n", ":2: expected_rate = fast"},
		{"[channel a]\nevent = x\n", ":2: 'x' is no event name"},
		{"[channel a]\nevent = p:$(x)\n", ":2: 'p:$(x)' is no event name"},
		{"[channel a]\nevent = p:x\nevent = p:x if a > 0\nevent = p:x\n",
			":4: event = p:x stands in channel 'a' already"},
		{"[channel a b]\nevent = p:x\n", ":2: 'a b' cannot be a channel name"},
		{"[channel metadata]\nevent = p:x\n", ":2: 'metadata' cannot be"},
		{"[channel a]\nsubbuffer_size = 5000\n", ":2: subbuffer_size = 5000"},
		{"[channel a]\nsubbuffer_size = 2K\n", ":2: subbuffer_size = 2K"},
		{"[channel a]\nsubbuffer_size = 2G\n", ":2: subbuffer_size = 2G"},
		{"[channel a]\nsubbuffer_count = 1\n", ":2: subbuffer_count = 1"},
		{"[channel a]\nsubbuffer_count = 3\n", ":2: subbuffer_count = 3"},
		{"[channel a]\nflush_interval = 1ms\n", ":2: flush_interval = 1ms"},
		{"[channel a]\nflush_interval = 1\n", ":2: flush_interval = 1"},
		{"[channel a]\nevent = p:x\nwhat\n", ":3: neither [section] nor key = value"},
		{"", "no [channel NAME] section"},
		{"[channel a]\nsubbuffer_size = 4K\nsubbuffer_count = 2\n", "'a' has no event"},
		{"[channel a]\nevent = p:x\nsubbuffer_count = 2\n", "'a' has no subbuffer_size"},
		{"[channel a]\nevent = p:x\nsubbuffer_size = 4K\n", "'a' has no subbuffer_count"},
		{"[channel a]\nevent = p:x\n[channel b]\nevent = p:x\n[channel c]\nevent = p:x\n"
		 "[channel d]\nevent = p:x\n[channel e]\nevent = p:x\n",
			":10: more than 4 channels"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct profile *profile = NULL;
		struct diag diag = {.line = ""};

		assert_int_equal(load_text(wrongs[i].text, &profile, &diag), STATUS_BAD_USE);
		assert_null(profile);
		if (!strstr(diag.line, wrongs[i].line)) {
			fail_msg("'%s' does not say '%s'", diag.line, wrongs[i].line);
		}
	}
}

static void a_line_that_is_too_long_is_refused(void **state)
{
	char text[600] = "[channel a]\nevent = p:";
	struct profile *profile = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	memset(text + strlen(text), 'x', 400);
	assert_int_equal(load_text(text, &profile, &diag), STATUS_BAD_USE);
	assert_null(profile);
	assert_non_null(strstr(diag.line, ":2: a line is longer than 198 bytes"));
}

/* It never ends, either. */
static void what_is_no_text_is_refused_at_its_first_zero(void **state)
{
	struct profile *profile = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(profile_load("/dev/zero", &profile, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, "/dev/zero:1: a line is longer than 198 bytes, or no"));
}

static void events_past_the_limit_are_refused(void **state)
{
	char text[4096] = "[channel a]\n";
	struct profile *profile = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	for (int i = 0; i <= PROFILE_EVENT_COUNT_MAX; i++) {
		(void)snprintf(
			text + strlen(text), sizeof(text) - strlen(text), "event = p:x%d\n", i);
	}
	assert_int_equal(load_text(text, &profile, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, ":66: more than 64 events"));
}

static void every_cut_of_a_profile_is_taken_or_refused(void **state)
{
	static const char whole[] = "[channel a]\nevent = p:x if a > 0\nsubbuffer_size = 64K\n"
				    "subbuffer_count = 8\nflush_interval = 500ms\n";

	(void)state;
	for (size_t length = 0; length < sizeof(whole); length++) {
		char text[sizeof(whole)];
		struct profile *profile = NULL;
		struct diag diag = {.line = ""};
		enum status status;

		(void)snprintf(text, sizeof(text), "%.*s", (int)length, whole);
		status = load_text(text, &profile, &diag);
		assert_true(status == STATUS_OK ? !!profile : !profile && *diag.line);
		profile_destroy(profile);
	}
}

static void the_folder_can_be_chosen(void **state)
{
	AUTO(profile_destroy) struct profile *profile = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(setenv("GAPTRACE_PROFILE_DIR", PROFILES, 1), 0);
	assert_int_equal(profile_find("minimal", &profile, &diag), STATUS_OK);
	profile_destroy(MOVE(profile));
	assert_int_equal(profile_find("nosuch", &profile, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, "no profile 'nosuch'"));
	assert_int_equal(profile_find("./nosuch.conf", &profile, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, "./nosuch.conf: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_full_profile_has_every_event_once),
		cmocka_unit_test(the_minimal_profile_has_no_event_twice),
		cmocka_unit_test(keyframes_have_a_channel_of_their_own),
		cmocka_unit_test(filters_are_kept_apart_from_names),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(a_line_that_is_too_long_is_refused),
		cmocka_unit_test(what_is_no_text_is_refused_at_its_first_zero),
		cmocka_unit_test(events_past_the_limit_are_refused),
		cmocka_unit_test(every_cut_of_a_profile_is_taken_or_refused),
		cmocka_unit_test(the_folder_can_be_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
