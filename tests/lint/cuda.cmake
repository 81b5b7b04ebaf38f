script_test(lint kernels kernels.py TIMEOUT 1800)
