# The README, held to its word.
script_test(integration readme readme.sh)
