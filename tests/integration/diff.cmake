add_executable(diff_run_maker diff_run_maker.c ../unit/diff_runs.c)
target_include_directories(diff_run_maker PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(diff_run_maker PRIVATE analysis_diff project_quality)

script_test(integration diff diff.sh)
script_test(integration regression_live regression_live.sh)
# Waits most of its time, so it begins before those that compute.
set_tests_properties(integration.regression_live PROPERTIES COST 1000)
