# The bodies of kernels, run on the host over made-up threads.
unit_test(cuda_field LIBRARIES prover_cuda)
unit_test(cuda_points LIBRARIES prover_cuda)
unit_test(cuda_sums OPTIMIZED LIBRARIES prover_cuda SOURCES cuda_emulation.c)
unit_test(cuda_vectors OPTIMIZED LIBRARIES prover_cuda)
# The backend over a runtime that is the host; its files are the test's own where CUDA is not built.
set(cuda_emulated cuda_emulation.c cuda_runtime.c cuda_runtime_launch.c cuda_streams.c)
foreach(part "" _evaluate _kernel _key _memory _meter _sums)
  list(APPEND cuda_emulated ${PROJECT_SOURCE_DIR}/prover/device/cuda/device_cuda${part}.c)
endforeach()
unit_test(device_cuda OPTIMIZED LIBRARIES prover_device
  SOURCES cuda_stages.c groth16_fixture.c ${cuda_emulated})
# Whole partitions over it.
unit_test(partition_cuda OPTIMIZED LIBRARIES prover_device
  SOURCES groth16_fixture.c ${cuda_emulated})

# What nvcc made of the kernels, as C: the carry chains are PTX there, and the loads are in words. One
# compiler is enough: this one only has to be quick.
if(GAPTRACE_CUDA AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  foreach(part buckets vector windows)
    set(source ${PROJECT_SOURCE_DIR}/prover/device/cuda/kernels_${part}.cu)
    set(ptx ${CMAKE_CURRENT_BINARY_DIR}/kernels_${part}.ptx)
    add_custom_command(OUTPUT ${ptx}
      COMMAND ${NVCC} -ptx -O3 -std=c++17 -arch=compute_90 -I ${PROJECT_SOURCE_DIR} -MD -MF ${ptx}.d -MT ${ptx} -o ${ptx} ${source}
      DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "Building PTX kernels_${part}.ptx" VERBATIM)
    add_custom_command(OUTPUT ${ptx}.c
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ptx_to_c.py ${ptx} ${ptx}.c
      DEPENDS ${ptx} ptx_to_c.py COMMENT "Building C kernels_${part}.ptx.c" VERBATIM)
    list(APPEND ptx_sources ${ptx}.c)
  endforeach()
  add_library(cuda_ptx STATIC ${ptx_sources})
  target_include_directories(cuda_ptx PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(cuda_ptx PRIVATE -w -O0 -g0)
  unit_test(cuda_sums_ptx OPTIMIZED FROM cuda_sums LIBRARIES prover_cuda cuda_ptx SOURCES cuda_emulation.c)
  unit_test(cuda_vectors_ptx OPTIMIZED FROM cuda_vectors LIBRARIES prover_cuda cuda_ptx)
  # And runtime.cu over a look-alike of CUDA's library, which launches them.
  unit_test(runtime_cuda LIBRARIES prover_device cuda_ptx
    SOURCES lookalike_cudart.c cuda_stages.c groth16_fixture.c)
  get_filename_component(toolkit ${NVCC} REALPATH)
  get_filename_component(toolkit ${toolkit} DIRECTORY)
  target_include_directories(test_runtime_cuda SYSTEM PRIVATE ${toolkit}/../include)
  foreach(subject cuda_sums_ptx cuda_vectors_ptx runtime_cuda)
    target_compile_definitions(test_${subject} PRIVATE CUDA_EMULATION_PTX)
  endforeach()
endif()

# The same on a GPU; skipped without one.
if(GAPTRACE_CUDA)
  unit_test(device_gpu LIBRARIES prover_device SOURCES cuda_stages.c groth16_fixture.c)
endif()

# What measures a GPU, over the same runtime: it finds its own results right.
add_executable(gpu_rates_emulated ${cuda_emulated}
  ../gpu/gpu_rates.c ../gpu/rates_points.c ../gpu/rates_transform.c)
target_include_directories(gpu_rates_emulated PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(gpu_rates_emulated PRIVATE $<$<CONFIG:Debug>:-O2>)
target_link_libraries(gpu_rates_emulated PRIVATE prover_device project_quality)
foreach(mode transform copies msm ones)
  add_test(NAME unit.gpu_rates_${mode} COMMAND gpu_rates_emulated ${mode} 1 6)
  _test_properties(unit.gpu_rates_${mode} unit "")
endforeach()
