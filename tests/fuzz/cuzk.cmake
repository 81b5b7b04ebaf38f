fuzz_test(cuzk LIBRARIES analysis_import)
