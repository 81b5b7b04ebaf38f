fuzz_test(kineto LIBRARIES analysis_import)
