# What a program that is traced needs: `cmake --install BUILD --component library`.
include(CMakePackageConfigHelpers)

install(TARGETS gaptrace gaptrace_off gaptrace_schema EXPORT gaptraceTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/trace/include/gaptrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/gaptrace.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT library)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gaptrace)
install(EXPORT gaptraceTargets NAMESPACE gaptrace:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gaptraceConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/gaptraceConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gaptraceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gaptraceConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gaptraceConfigVersion.cmake DESTINATION ${package_dir} COMPONENT library)

# Relative to the file itself, so that the installed tree can be moved.
file(RELATIVE_PATH PACKAGE_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" PACKAGE_PREFIX "${PACKAGE_PREFIX}")
foreach(PACKAGE_LIBRARY gaptrace gaptrace-off)
  if(PACKAGE_LIBRARY STREQUAL "gaptrace")
    set(PACKAGE_DESCRIPTION "Trace points for a GPU proving service")
  else()
    set(PACKAGE_DESCRIPTION "The calls of gaptrace without trace points")
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/gaptrace.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${PACKAGE_LIBRARY}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${PACKAGE_LIBRARY}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT library)
endforeach()
