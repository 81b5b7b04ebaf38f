fuzz_test(walk LIBRARIES analysis_core SOURCES walk_events.c)
fuzz_test(plain LIBRARIES analysis_plugin)
