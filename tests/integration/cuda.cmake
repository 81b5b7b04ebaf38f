script_test(integration prover_cuda prover_cuda.sh)
