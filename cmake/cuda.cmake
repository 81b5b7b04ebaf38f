# GAPTRACE_CUDA and how .cu files are compiled: by nvcc into objects that a C library takes, so that
# programs stay C and are linked as ever.
find_program(NVCC nvcc HINTS ${CUDAToolkit_ROOT}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
find_library(CUDART_STATIC cudart_static
  HINTS ${CUDAToolkit_ROOT} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES lib64 lib)
mark_as_advanced(NVCC CUDART_STATIC)

# A sanitizer sees nothing of what nvcc compiles.
set(_cuda_default OFF)
if(NVCC AND CUDART_STATIC AND NOT GAPTRACE_SANITIZE)
  set(_cuda_default ON)
endif()
option(GAPTRACE_CUDA "Build the CUDA backend (needs nvcc)" ${_cuda_default})
if(GAPTRACE_CUDA AND NOT (NVCC AND CUDART_STATIC))
  message(FATAL_ERROR "GAPTRACE_CUDA: no nvcc or no libcudart_static.a; set CUDAToolkit_ROOT or -DGAPTRACE_CUDA=OFF")
endif()

# While one develops, one will do: each takes a minute.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  set(_cuda_architectures 90)
else()
  set(_cuda_architectures 80 90 120)
endif()
set(GAPTRACE_CUDA_ARCHITECTURES "${_cuda_architectures}" CACHE STRING "Compute capabilities, without the dot")

# cuda_objects(prover_cuda kernels.cu): compiles each source and gives the objects to the library.
# Without guarded statics, which only the unused stubs of <<< >>> have, no C++ library is needed.
function(cuda_objects library)
  set(code)
  foreach(architecture ${GAPTRACE_CUDA_ARCHITECTURES})
    list(APPEND code -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  # Devices newer than the list get theirs from the last one's PTX.
  list(GET GAPTRACE_CUDA_ARCHITECTURES -1 architecture)
  list(APPEND code -gencode arch=compute_${architecture},code=compute_${architecture})
  foreach(source ${ARGN})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${NVCC} -c -O3 -std=c++17 ${code} -lineinfo -Xcompiler -fPIC,-fvisibility=hidden,-fno-threadsafe-statics,-fno-exceptions,-fno-rtti
        -I ${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -MT ${object}
        -o ${object} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} DEPFILE ${object}.d
      COMMENT "Building CUDA object ${source}.o" VERBATIM)
    target_sources(${library} PRIVATE ${object})
  endforeach()
  find_package(Threads REQUIRED)
  target_link_libraries(${library} PUBLIC ${CUDART_STATIC} ${CMAKE_DL_LIBS} rt Threads::Threads)
endfunction()
