add_executable(analysis_load analysis_load.c)
target_include_directories(analysis_load PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(analysis_load PRIVATE gaptrace project_quality)

add_library(analysis_cpu MODULE analysis_cpu.c)
set_target_properties(analysis_cpu PROPERTIES PREFIX "")
target_link_libraries(analysis_cpu PRIVATE PkgConfig::LTTNG_UST project_quality)
