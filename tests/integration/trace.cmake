# A program with every trace point, linked as a user's would be.
add_executable(emitter emitter.c ${PROJECT_SOURCE_DIR}/tests/unit/emit_calls.c)
target_include_directories(emitter PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(emitter PRIVATE gaptrace project_quality)

script_test(integration trace_events trace_events.sh TIMEOUT 300)
