/* SPDX-License-Identifier: MIT */
/*
 * Proves that a configuration is read exactly or refused in one line that names file, line and
 * mend, and that what is printed reads back as the same.
 */
#include "prover/config.h"
#include "prover/config_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(const char *text, const char *line)
{
	struct config config;
	struct diag diag = {.line = ""};

	assert_int_equal(config_parse("proverd.conf", text, &diag, &config), STATUS_BAD_INPUT);
	assert_string_equal(diag.line, line);
}

static void an_empty_file_is_the_defaults(void **state)
{
	struct config config;
	struct config defaults;

	(void)state;
	memset(&config, 0xff, sizeof(config));
	memset(&defaults, 0xff, sizeof(defaults));
	config_init(&defaults);
	assert_int_equal(config_parse("x", "", NULL, &config), STATUS_OK);
	assert_memory_equal(&config, &defaults, sizeof(config));
	assert_int_equal(config.gpu.workers_per_device, 2);
	assert_int_equal(config.gpu.kind, CONFIG_DEVICE_CPU);
}

static void every_kind_of_value_is_read(void **state)
{
	struct config config;
	struct diag diag = {.line = ""};
	enum status status = config_parse("x",
		"; a comment\n"
		"[gpu]\n"
		"count = 4 ; an inline comment\n"
		"  kind=sim\n"
		"[memory]\n"
		"budget_bytes = 3G\n"
		"partition_bytes = auto\n"
		"[sim]\n"
		"time_scale = 0.25\n"
		"[jobs]\n"
		"file_root = /srv/with blanks\n",
		&diag, &config);

	(void)state;
	assert_string_equal(diag.line, "");
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(config.gpu.count, 4);
	assert_int_equal(config.gpu.kind, CONFIG_DEVICE_SIM);
	assert_int_equal(config.memory.budget_bytes, 3ULL << 30);
	assert_int_equal(config.memory.partition_bytes, 0);
	assert_true(config.sim.time_scale == 0.25);
	assert_string_equal(config.jobs.file_root, "/srv/with blanks");
}

static void an_unknown_key_is_refused_with_the_likely_one(void **state)
{
	(void)state;
	assert_refused("\n\n[gpu]\nwokers_per_device = 2\n",
		"proverd.conf:4: unknown key 'wokers_per_device' in [gpu]; did you mean "
		"'workers_per_device'?");
	assert_refused("[memory]\npacer = off\n",
		"proverd.conf:2: unknown key 'pacer' in [memory]; it belongs to [scheduler]");
	assert_refused("[gpu]\nzzzzzzzzzz = 2\n", "proverd.conf:2: unknown key 'zzzzzzzzzz' in "
						  "[gpu]; 'proverd --print-config' lists them");
}

static void an_unknown_section_is_refused_with_the_likely_one(void **state)
{
	(void)state;
	assert_refused("[gpus]\ncount = 1\n",
		"proverd.conf:2: unknown section [gpus]; did you mean [gpu]?");
	assert_refused("count = 1\n", "proverd.conf:1: key 'count' stands before any [section]");
}

static void values_out_of_range_are_refused_with_the_range(void **state)
{
	(void)state;
	assert_refused("[gpu]\ncount = 65\n",
		"proverd.conf:2: [gpu] count = 65 is out of range; it goes from 1 to 64");
	assert_refused("[daemon]\nbody_bytes_max = 1G\n",
		"proverd.conf:2: [daemon] body_bytes_max = 1G is out of range; it goes from 256 to "
		"16M");
	assert_refused("[sim]\ntime_scale = 0\n",
		"proverd.conf:2: [sim] time_scale = 0 is out of range; it goes from 0.001 to 1000");
}

static void values_that_are_none_are_refused(void **state)
{
	(void)state;
	assert_refused("[gpu]\ncount = two\n", "proverd.conf:2: [gpu] count = 'two' is no number");
	assert_refused("[gpu]\ncount = -1\n", "proverd.conf:2: [gpu] count = '-1' is no number");
	assert_refused("[gpu]\ncount = 1x\n", "proverd.conf:2: [gpu] count = '1x' is no number");
	assert_refused("[gpu]\ncount =\n", "proverd.conf:2: [gpu] count = '' is no number");
	assert_refused("[gpu]\ncount = 99999999999999999999\n",
		"proverd.conf:2: [gpu] count = '99999999999999999999' is no number");
	assert_refused("[memory]\nbudget_bytes = 5Q\n",
		"proverd.conf:2: [memory] budget_bytes = '5Q' is no size; write a number, with K, "
		"M, G or T if you like");
	assert_refused("[memory]\nbudget_bytes = 99999999999T\n",
		"proverd.conf:2: [memory] budget_bytes = '99999999999T' is no size; write a "
		"number, with K, M, G or T if you like");
	assert_refused("[memory]\nchurn_bytes = auto\n",
		"proverd.conf:2: [memory] churn_bytes = 'auto' is no size; write a number, with K, "
		"M, G or T if you like");
	assert_refused("[sim]\ntime_scale = nan\n",
		"proverd.conf:2: [sim] time_scale = 'nan' is no number");
	assert_refused("[gpu]\nkind = tpu\n",
		"proverd.conf:2: [gpu] kind = 'tpu' is none of cpu|sim|cuda");
}

static void a_key_set_twice_is_refused(void **state)
{
	(void)state;
	assert_refused("[gpu]\ncount = 1\n[memory]\n[gpu]\ncount = 2\n",
		"proverd.conf:5: [gpu] count is set already in line 2");
}

static void lines_that_are_neither_section_nor_key_are_refused(void **state)
{
	char text[512];

	(void)state;
	assert_refused(
		"[gpu]\nnonsense\n", "proverd.conf:2: neither a [section] nor a 'key = value'");
	assert_refused(
		"[gpu\ncount = 1\n", "proverd.conf:1: neither a [section] nor a 'key = value'");
	(void)snprintf(text, sizeof(text), "[jobs]\nfile_root = %0300d\n", 0);
	assert_refused(text, "proverd.conf:2: the line is longer than 198 bytes");
}

static void settings_that_contradict_are_refused(void **state)
{
	(void)state;
	assert_refused("[scheduler]\npacer_interval_min_ms = 100\npacer_interval_max_ms = 99\n",
		"proverd.conf: [scheduler] pacer_interval_min_ms is above pacer_interval_max_ms");
}

static void what_is_printed_reads_back_as_the_same(void **state)
{
	struct config config;
	struct config again;
	struct diag diag = {.line = ""};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	config_init(&config);
	config.gpu.count = 7;
	config.memory.budget_bytes = 5ULL << 40;
	config.memory.churn_bytes = 12345;
	config.sim.time_scale = 0.125;
	config.check.self_check = CONFIG_CHECK_TRACKER;
	(void)snprintf(config.daemon.socket, sizeof(config.daemon.socket), "/run/x.sock");
	assert_int_equal(config_print(&config, stream), STATUS_OK);
	assert_int_equal(fclose(stream), 0);
	memset(&again, 0, sizeof(again));
	if (config_parse("printed", text, &diag, &again) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	free(text);
	assert_string_equal(again.daemon.socket, config.daemon.socket);
	assert_memory_equal(&again.memory, &config.memory, sizeof(config.memory));
	assert_memory_equal(&again.gpu, &config.gpu, sizeof(config.gpu));
	assert_memory_equal(&again.sim, &config.sim, sizeof(config.sim));
	assert_memory_equal(&again.check, &config.check, sizeof(config.check));
}

static void a_file_cut_short_anywhere_is_read_or_refused(void **state)
{
	static const char text[] = "[gpu]\ncount = 4\nkind = sim\n[memory]\nbudget_bytes = 3G\n";
	char cut[sizeof(text)];

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		struct config config;
		struct diag diag = {.line = ""};

		memcpy(cut, text, size);
		cut[size] = '\0';
		if (config_parse("cut", cut, &diag, &config) != STATUS_OK) {
			assert_memory_equal(diag.line, "cut:", 4);
		}
	}
}

static void a_missing_file_is_named(void **state)
{
	struct config config;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(
		config_read("/nonexistent/proverd.conf", &diag, &config), STATUS_NOT_FOUND);
	assert_string_equal(diag.line, "/nonexistent/proverd.conf: No such file or directory");
}

static void every_key_has_a_default_in_its_range_and_a_meaning(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < config_key_count; i++) {
		char text[512];
		struct config config;
		struct diag diag = {.line = ""};
		const struct config_key *key = &config_keys[i];

		(void)snprintf(text, sizeof(text), "[%s]\n%s = %s\n", key->section, key->name,
			key->fallback);
		if (config_parse("key", text, &diag, &config) != STATUS_OK) {
			fail_msg("%s", diag.line);
		}
		assert_true(strlen(key->meaning) > 10);
		for (uint32_t j = 0; j < i; j++) {
			assert_false(strcmp(config_keys[j].section, key->section) == 0 &&
				     strcmp(config_keys[j].name, key->name) == 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_is_the_defaults),
		cmocka_unit_test(every_kind_of_value_is_read),
		cmocka_unit_test(an_unknown_key_is_refused_with_the_likely_one),
		cmocka_unit_test(an_unknown_section_is_refused_with_the_likely_one),
		cmocka_unit_test(values_out_of_range_are_refused_with_the_range),
		cmocka_unit_test(values_that_are_none_are_refused),
		cmocka_unit_test(a_key_set_twice_is_refused),
		cmocka_unit_test(lines_that_are_neither_section_nor_key_are_refused),
		cmocka_unit_test(settings_that_contradict_are_refused),
		cmocka_unit_test(what_is_printed_reads_back_as_the_same),
		cmocka_unit_test(a_file_cut_short_anywhere_is_read_or_refused),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(every_key_has_a_default_in_its_range_and_a_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
