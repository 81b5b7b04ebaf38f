# The daemon's pipeline, the daemon around it, and its client.
add_library(prover_core STATIC
  config.c config_check.c config_keys.c config_print.c nearest.c
  device_loss.c dispatcher.c finalizer.c gpu_worker.c hand_over.c heap_chunks.c http_api.c http_origin.c job.c job_json.c keyframe.c
  listener.c log.c memory_budget.c metrics.c pacer.c partition.c paths.c pipeline.c
  pipeline_devices.c priority_queue.c proof_page.c scheduler.c simulate.c srs.c srs_builtin.c
  srs_load.c startup.c status_page.c synthesis.c tracker.c tracker_snapshot.c truth.c)
target_compile_options(prover_core PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/poison.h)
target_include_directories(prover_core PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(prover_core
  PUBLIC prover_device groth16 gaptrace base
  PRIVATE PkgConfig::INIH PkgConfig::JANSSON PkgConfig::MICROHTTPD m project_quality)

add_executable(proverd main.c)
target_compile_options(proverd PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/poison.h)
target_compile_definitions(proverd PRIVATE PROVERD_VERSION="${PROJECT_VERSION}")
target_link_libraries(proverd PRIVATE prover_core PkgConfig::JANSSON project_quality)
set_target_properties(proverd PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
install(TARGETS proverd RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})

add_executable(prove prove_client.c client_http.c client_options.c client_proofs.c)
target_compile_options(prove PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/poison.h)
target_compile_definitions(prove PRIVATE PROVERD_VERSION="${PROJECT_VERSION}")
target_link_libraries(prove
  PRIVATE prover_core groth16 PkgConfig::CURL PkgConfig::JANSSON project_quality)
set_target_properties(prove PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
install(TARGETS prove RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
