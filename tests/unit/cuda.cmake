# The bodies of kernels, run on the host over made-up threads.
unit_test(cuda_field LIBRARIES prover_cuda)
unit_test(cuda_points LIBRARIES prover_cuda)
unit_test(cuda_sums LIBRARIES prover_cuda SOURCES cuda_emulation.c TIMEOUT 600)
unit_test(cuda_vectors LIBRARIES prover_cuda TIMEOUT 300)
# The backend over a runtime that is the host; its files are the test's own where CUDA is not built.
unit_test(device_cuda LIBRARIES prover_device TIMEOUT 300
  SOURCES cuda_emulation.c cuda_runtime.c cuda_stages.c groth16_fixture.c
    ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda.c
    ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda_kernel.c
    ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda_key.c
    ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda_memory.c
    ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda_sums.c)

# The same on a GPU; skipped without one.
if(GAPTRACE_CUDA)
  unit_test(device_gpu LIBRARIES prover_device TIMEOUT 300 SOURCES cuda_stages.c groth16_fixture.c)
endif()
