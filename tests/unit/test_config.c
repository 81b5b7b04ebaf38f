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
#include <unistd.h>

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
	char folder[] = "/tmp/config with blanks.XXXXXX";
	char text[512];
	struct config config;
	struct diag diag = {.line = ""};
	enum status status = STATUS_OK;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(text, sizeof(text),
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
		"file_root = %s\n",
		folder);
	status = config_parse("x", text, &diag, &config);
	assert_int_equal(rmdir(folder), 0);
	assert_string_equal(diag.line, "");
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(config.gpu.count, 4);
	assert_int_equal(config.gpu.kind, CONFIG_DEVICE_SIM);
	assert_int_equal(config.memory.budget_bytes, 3ULL << 30);
	assert_int_equal(config.memory.partition_bytes, 0);
	assert_true(config.sim.time_scale == 0.25);
	assert_string_equal(config.jobs.file_root, folder);
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
	assert_refused("[sim]\ntime_scale = inf\n",
		"proverd.conf:2: [sim] time_scale = 'inf' is no number");
	assert_refused("[sim]\ntime_scale = 0x10\n",
		"proverd.conf:2: [sim] time_scale = '0x10' is no number");
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
		"proverd.conf:3: [scheduler] pacer_interval_min_ms = 100 is above "
		"pacer_interval_max_ms = 99");
}

static void an_address_that_cannot_be_served_is_refused(void **state)
{
	struct config config;
	char text[256];

	(void)state;
	assert_refused("[daemon]\nsocket = /run/x.sock\n\nlisten = 127.0.0.1:9821\n",
		"proverd.conf:4: [daemon] socket and listen exclude each other; socket is set in "
		"line 2");
	assert_refused("[daemon]\nlisten = 8.8.8.8:80\n",
		"proverd.conf:2: [daemon] listen = '8.8.8.8:80' is no loopback address with "
		"a port; write 127.0.0.1:PORT or [::1]:PORT, for the daemon serves whoever "
		"connects");
	assert_refused("[daemon]\nlisten = [::1]:70000\n",
		"proverd.conf:2: [daemon] listen = '[::1]:70000': the port '70000' is no number "
		"up to 65535");
	(void)snprintf(text, sizeof(text), "[daemon]\nsocket = /%0107d\n", 0);
	assert_refused(text,
		"proverd.conf:2: [daemon] socket: a unix socket's path has at most 107 bytes");
	assert_int_equal(
		config_parse("x", "[daemon]\nsocket =\nlisten = [::1]:9821\n", NULL, &config),
		STATUS_OK);
}

static void kinds_that_there_are_not_are_refused(void **state)
{
	struct config config;

	(void)state;
	assert_refused("[jobs]\nkinds = squaring merkel\n",
		"proverd.conf:2: [jobs] kinds: unknown kind 'merkel'; did you mean 'merkle'?");
	assert_refused("[jobs]\nkinds = zzzzzzzzzzz\n",
		"proverd.conf:2: [jobs] kinds: unknown kind 'zzzzzzzzzzz'; there are merkle and "
		"squaring");
	assert_refused("[jobs]\nkinds = files\n",
		"proverd.conf:2: [jobs] kinds: 'files' is no built-in circuit; set file_root to "
		"serve it");
	assert_refused("[jobs]\nkinds =\n",
		"proverd.conf:2: [jobs] kinds is empty and so is file_root: no job could be "
		"served; write merkle, squaring or both");
	assert_int_equal(
		config_parse("x", "[jobs]\nkinds =\nfile_root = /\n", NULL, &config), STATUS_OK);
	assert_int_equal(
		config_parse("x", "[jobs]\nkinds = squaring,merkle\n", NULL, &config), STATUS_OK);
}

static void a_file_root_that_is_no_directory_is_refused(void **state)
{
	(void)state;
	assert_refused("[jobs]\nfile_root = /nonexistent\n",
		"proverd.conf:2: [jobs] file_root = /nonexistent: No such file or directory");
	assert_refused("[jobs]\nfile_root = /dev/null\n",
		"proverd.conf:2: [jobs] file_root = /dev/null is no directory");
}

/* A million chunks are 13 GiB; whether the host has them decides, so it is asked here as well. */
static void more_heap_chunks_than_memory_are_refused(void **state)
{
	const uint64_t host_bytes =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct config config;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(
		config_parse("x", "[memory]\nheap_chunks = 1\n", NULL, &config), STATUS_OK);
	assert_refused("[memory]\nheap_chunks = 1000001\n",
		"proverd.conf:2: [memory] heap_chunks = 1000001 is out of range; it goes from 0 to "
		"1000000");
	if (host_bytes / 13824 >= 1000000) {
		skip();
	}
	assert_int_equal(config_parse("x", "\n[memory]\nheap_chunks = 1000000\n", &diag, &config),
		STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "x:3: [memory] heap_chunks = 1000000 takes 13183 MiB"));
	assert_non_null(strstr(diag.line, " would fit"));
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
		cmocka_unit_test(an_address_that_cannot_be_served_is_refused),
		cmocka_unit_test(kinds_that_there_are_not_are_refused),
		cmocka_unit_test(a_file_root_that_is_no_directory_is_refused),
		cmocka_unit_test(more_heap_chunks_than_memory_are_refused),
		cmocka_unit_test(what_is_printed_reads_back_as_the_same),
		cmocka_unit_test(a_file_cut_short_anywhere_is_read_or_refused),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(every_key_has_a_default_in_its_range_and_a_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
