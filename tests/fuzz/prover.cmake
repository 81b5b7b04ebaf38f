fuzz_test(config LIBRARIES prover_core)
