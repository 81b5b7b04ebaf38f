script_test(integration history_sqlite history_sqlite.sh TIMEOUT 300)
script_test(integration history_postgres history_postgres.sh TIMEOUT 300)
