# Random device activity of two processes on shared devices, for the analysis to be checked on.
add_executable(device_emitter device_emitter.c)
target_include_directories(device_emitter PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(device_emitter PRIVATE gaptrace project_quality)

script_test(integration analysis_report analysis_report.sh)
script_test(integration analysis_live analysis_live.sh)
script_test(integration analysis_prover analysis_prover.sh)
