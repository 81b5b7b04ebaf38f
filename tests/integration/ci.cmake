script_test(integration ci_example ci_example.sh)
