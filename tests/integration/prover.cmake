# The daemon and its client, from the outside.
script_test(integration prover_daemon prover_daemon.sh)
script_test(integration prover_api prover_api.sh)
script_test(integration prover_failures prover_failures.sh)
script_test(integration prover_config prover_config.sh)
