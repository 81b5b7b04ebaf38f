fuzz_test(diff_run LIBRARIES analysis_diff)
fuzz_test(diff_budget LIBRARIES analysis_diff)
