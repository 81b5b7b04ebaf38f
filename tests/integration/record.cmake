# A small traced program, and `gaptrace record` around it.
add_executable(record_app record_app.c)
target_link_libraries(record_app PRIVATE gaptrace project_quality)
set_target_properties(record_app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

script_test(integration record_command record_command.sh TIMEOUT 600)
script_test(integration record_daemon record_daemon.sh TIMEOUT 600)
script_test(integration record_crash record_crash.sh TIMEOUT 600)
script_test(integration record_lost record_lost.sh TIMEOUT 600)
script_test(integration record_disk record_disk.sh TIMEOUT 600)
script_test(integration record_memory record_memory.sh TIMEOUT 300)
script_test(integration record_plain record_plain.sh TIMEOUT 300)
script_test(integration record_refusals record_refusals.sh TIMEOUT 600)
script_test(integration record_user record_user.sh TIMEOUT 600)
