# The one place for warnings and sanitizers: every target links project_quality PRIVATE.
find_package(Threads REQUIRED)

add_library(project_quality INTERFACE)
target_compile_options(project_quality INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef
  $<$<COMPILE_LANGUAGE:C>:-Wconversion;-Wstrict-prototypes;-Wmissing-prototypes;-Wswitch-enum;-Wvla>
  -fno-omit-frame-pointer)
target_compile_definitions(project_quality INTERFACE _GNU_SOURCE)
target_link_libraries(project_quality INTERFACE Threads::Threads)

if(GAPTRACE_WERROR)
  target_compile_options(project_quality INTERFACE -Werror)
endif()
if(GAPTRACE_SANITIZE)
  target_compile_options(project_quality INTERFACE -fsanitize=${GAPTRACE_SANITIZE} -fno-sanitize-recover=undefined)
  target_link_options(project_quality INTERFACE -fsanitize=${GAPTRACE_SANITIZE})
endif()
if(GAPTRACE_FUZZ)
  target_compile_options(project_quality INTERFACE -fsanitize=fuzzer-no-link)
endif()
