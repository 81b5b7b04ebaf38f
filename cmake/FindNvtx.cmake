# NVTX 3, header only, from a CUDA toolkit or the system. Optional: without it there are no ranges.
# Gives the target Nvtx::nvtx.
find_path(NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h
  HINTS ${CUDAToolkit_ROOT} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES include)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nvtx REQUIRED_VARS NVTX_INCLUDE_DIR)
if(Nvtx_FOUND AND NOT TARGET Nvtx::nvtx)
  add_library(Nvtx::nvtx INTERFACE IMPORTED)
  set_target_properties(Nvtx::nvtx PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${NVTX_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${CMAKE_DL_LIBS})
endif()
mark_as_advanced(NVTX_INCLUDE_DIR)
