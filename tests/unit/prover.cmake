unit_test(pipeline LIBRARIES prover_core SOURCES pipeline_rig.c)
unit_test(pipeline_stop LIBRARIES prover_core SOURCES pipeline_rig.c)
# Devices, pools and partitions. recorded_trace.c stands in for the trace library's device calls.
unit_test(thread_pool LIBRARIES prover_device SOURCES recorded_trace.c)
unit_test(device LIBRARIES prover_device SOURCES recorded_trace.c device_rig.c groth16_fixture.c)
unit_test(pinned_pool LIBRARIES prover_device SOURCES recorded_trace.c device_rig.c groth16_fixture.c)
unit_test(partition_proof LIBRARIES prover_device
  SOURCES recorded_trace.c device_rig.c groth16_fixture.c)
unit_test(config LIBRARIES prover_core)
# With listen() in between, to look at what a client would find just before it.
unit_test(listener LIBRARIES prover_core SOURCES groth16_fixture.c)
target_link_options(test_listener PRIVATE -Wl,--wrap=listen)
unit_test(priority_queue LIBRARIES prover_core)
unit_test(memory_budget LIBRARIES prover_core)
unit_test(pacer LIBRARIES prover_core)
unit_test(tracker LIBRARIES prover_core)
unit_test(idle_meter LIBRARIES prover_device)
# What the client makes of a daemon's answers.
unit_test(client_proofs LIBRARIES prover_core PkgConfig::JANSSON
  SOURCES ../../prover/client_proofs.c groth16_fixture.c)
# Devices that are lost while the daemon runs, for which the linker puts ours in the place of all.
unit_test(device_loss LIBRARIES prover_core SOURCES lossy_device.c pipeline_rig.c)
target_link_options(test_device_loss PRIVATE -Wl,--wrap=device_find)
