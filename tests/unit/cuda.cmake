# The bodies of kernels, run on the host over made-up threads.
unit_test(cuda_field LIBRARIES prover_cuda)
unit_test(cuda_points LIBRARIES prover_cuda)
unit_test(cuda_sums LIBRARIES prover_cuda SOURCES cuda_emulation.c TIMEOUT 600)
unit_test(cuda_vectors LIBRARIES prover_cuda TIMEOUT 300)
