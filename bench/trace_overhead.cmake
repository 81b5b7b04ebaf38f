# One program, two libraries: what bench/trace_overhead.sh runs.
foreach(library gaptrace gaptrace_off)
  string(REPLACE gaptrace trace_overhead program ${library})
  add_executable(${program} trace_overhead.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${program} PRIVATE ${library} project_quality)
endforeach()
