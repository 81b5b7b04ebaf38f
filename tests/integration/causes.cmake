# The profiles of planted causes, each recorded and explained. Times are compared, so nothing else
# runs meanwhile.
script_test(integration causes causes.sh SERIAL)
