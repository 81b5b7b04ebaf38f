# blst: the system's when installed, else the source that scripts/install-dependencies unpacked
# and built. Gives the target Blst::blst.
find_path(BLST_INCLUDE_DIR blst.h
  HINTS ${BLST_ROOT} ${PROJECT_SOURCE_DIR}/.deps/blst PATH_SUFFIXES bindings include)
find_library(BLST_LIBRARY blst
  HINTS ${BLST_ROOT} ${PROJECT_SOURCE_DIR}/.deps/blst PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Blst
  REASON_FAILURE_MESSAGE "run scripts/install-dependencies"
  REQUIRED_VARS BLST_LIBRARY BLST_INCLUDE_DIR)
if(Blst_FOUND AND NOT TARGET Blst::blst)
  add_library(Blst::blst UNKNOWN IMPORTED)
  set_target_properties(Blst::blst PROPERTIES
    IMPORTED_LOCATION ${BLST_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${BLST_INCLUDE_DIR})
endif()
mark_as_advanced(BLST_INCLUDE_DIR BLST_LIBRARY)
