# The mathematics of a proof.
unit_test(work_queue LIBRARIES groth16)
unit_test(ntt LIBRARIES groth16)
unit_test(scalars LIBRARIES groth16)
unit_test(msm LIBRARIES groth16 TIMEOUT 600)
unit_test(matrix_vector LIBRARIES groth16)
unit_test(blinding LIBRARIES groth16)
unit_test(prove LIBRARIES groth16 TIMEOUT 600)

# Its files, circuits and checks.
unit_test(field LIBRARIES groth16)
unit_test(file_writer LIBRARIES groth16 SOURCES groth16_fixture.c)
unit_test(r1cs LIBRARIES groth16 SOURCES groth16_fixture.c)
unit_test(wtns LIBRARIES groth16 SOURCES groth16_fixture.c)
unit_test(zkey LIBRARIES groth16 SOURCES groth16_fixture.c TIMEOUT 600)
unit_test(circuit LIBRARIES groth16)
unit_test(builtin_circuit LIBRARIES groth16 SOURCES groth16_fixture.c TIMEOUT 600)
unit_test(setup LIBRARIES groth16 SOURCES groth16_fixture.c TIMEOUT 600)
unit_test(verify LIBRARIES groth16 SOURCES groth16_fixture.c)
