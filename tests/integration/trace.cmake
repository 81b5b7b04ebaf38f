# A program with every trace point, linked as a user's would be.
add_executable(emitter emitter.c ${PROJECT_SOURCE_DIR}/tests/unit/emit_calls.c)
target_include_directories(emitter PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(emitter PRIVATE gaptrace project_quality)

add_library(provider-probe MODULE provider_probe.c)
target_link_libraries(provider-probe PRIVATE project_quality)

script_test(integration trace_events trace_events.sh)

if(Nvtx_FOUND)
  add_library(nvtx-injection MODULE nvtx_injection.c)
  target_link_libraries(nvtx-injection PRIVATE Nvtx::nvtx project_quality)
endif()
script_test(integration trace_nvtx trace_nvtx.sh)
script_test(integration trace_host trace_host.sh)
script_test(integration trace_install trace_install.sh)
script_test(integration trace_prover trace_prover.sh)

# A host that does to libraries what hosts do.
add_executable(rough_host rough_host.c)
target_include_directories(rough_host PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(rough_host PRIVATE gaptrace project_quality)
script_test(integration trace_rough trace_rough.sh)
