unit_test(status LIBRARIES base)
unit_test(diag LIBRARIES base)
unit_test(array LIBRARIES base)
unit_test(line LIBRARIES base)
