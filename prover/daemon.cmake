# The daemon's pipeline, the daemon around it, and its client.
add_library(prover_core STATIC
  config.c config_keys.c config_print.c
  dispatcher.c finalizer.c gpu_worker.c hand_over.c job.c keyframe.c log.c memory_budget.c
  pacer.c partition.c pipeline.c pipeline_devices.c priority_queue.c scheduler.c simulate.c
  srs.c srs_builtin.c srs_load.c synthesis.c tracker.c)
target_compile_options(prover_core PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/poison.h)
target_include_directories(prover_core PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(prover_core
  PUBLIC prover_device groth16 gaptrace base
  PRIVATE PkgConfig::INIH project_quality)
