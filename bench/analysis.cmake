add_executable(analysis_load analysis_load.c)
target_include_directories(analysis_load PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(analysis_load PRIVATE gaptrace project_quality)
