# The daemon and its client, from the outside. And the daemon with devices that can be lost.
add_executable(proverd_lossy ../../prover/main.c ../unit/lossy_device.c)
target_compile_definitions(proverd_lossy PRIVATE PROVERD_VERSION="${PROJECT_VERSION}")
target_link_options(proverd_lossy PRIVATE -Wl,--wrap=device_find)
target_link_libraries(proverd_lossy PRIVATE prover_core PkgConfig::JANSSON project_quality)
script_test(integration prover_daemon prover_daemon.sh)
script_test(integration prover_api prover_api.sh)
script_test(integration prover_failures prover_failures.sh)
script_test(integration prover_config prover_config.sh)
