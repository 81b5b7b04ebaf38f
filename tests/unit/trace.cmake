unit_test(lock LIBRARIES gaptrace ${CMAKE_DL_LIBS})
unit_test(lock_off FROM lock LIBRARIES gaptrace_off ${CMAKE_DL_LIBS})
unit_test(emit SOURCES emit_calls.c LIBRARIES gaptrace)
unit_test(emit_off FROM emit SOURCES emit_calls.c LIBRARIES gaptrace_off)

# The public header is C++ too.
add_library(test_header_cxx OBJECT test_header.cc)
target_link_libraries(test_header_cxx PRIVATE gaptrace_schema project_quality)
