# The mathematics of a proof.
unit_test(work_queue LIBRARIES groth16)
unit_test(ntt LIBRARIES groth16)
unit_test(scalars LIBRARIES groth16)
unit_test(msm LIBRARIES groth16 TIMEOUT 600)
