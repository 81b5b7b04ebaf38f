# One place for how tests are declared.

# unit_test(lane LIBRARIES analysis_core): builds tests/unit/test_lane.c into the test unit.lane.
# With FROM the main file is that of another subject, built against other libraries. OPTIMIZED is for
# those that compute for a quarter of a minute in a debug build.
function(unit_test subject)
  cmake_parse_arguments(ARG "OPTIMIZED" "TIMEOUT;FROM" "LIBRARIES;SOURCES" ${ARGN})
  if(NOT ARG_FROM)
    set(ARG_FROM ${subject})
  endif()
  add_executable(test_${subject} test_${ARG_FROM}.c ${ARG_SOURCES})
  target_link_libraries(test_${subject} PRIVATE ${ARG_LIBRARIES} PkgConfig::CMOCKA project_quality)
  target_include_directories(test_${subject} PRIVATE ${PROJECT_SOURCE_DIR})
  if(ARG_OPTIMIZED)
    target_compile_options(test_${subject} PRIVATE $<$<CONFIG:Debug>:-O2>)
  endif()
  target_compile_definitions(test_${subject} PRIVATE
    SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    CASES_DIR="${PROJECT_SOURCE_DIR}/../shared/cases")
  add_test(NAME unit.${subject} COMMAND test_${subject})
  _test_properties(unit.${subject} unit "${ARG_TIMEOUT}")
endfunction()

# script_test(integration demo demo.sh): runs a script with the build folder as its argument.
function(script_test kind subject script)
  cmake_parse_arguments(ARG "SERIAL" "TIMEOUT" "ARGUMENTS" ${ARGN})
  add_test(NAME ${kind}.${subject}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${PROJECT_BINARY_DIR} ${ARG_ARGUMENTS})
  _test_properties(${kind}.${subject} ${kind} "${ARG_TIMEOUT}")
  if(ARG_SERIAL)
    set_tests_properties(${kind}.${subject} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# fuzz_test(zkey LIBRARIES groth16): a libFuzzer target under GAPTRACE_FUZZ, else a replay of
# tests/fuzz/corpus/zkey through the same entry point.
function(fuzz_test subject)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;SOURCES" ${ARGN})
  add_executable(fuzz_${subject} fuzz_${subject}.c ${ARG_SOURCES})
  target_link_libraries(fuzz_${subject} PRIVATE ${ARG_LIBRARIES} project_quality)
  target_include_directories(fuzz_${subject} PRIVATE ${PROJECT_SOURCE_DIR})
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${subject})
  if(GAPTRACE_FUZZ)
    target_link_options(fuzz_${subject} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${subject} COMMAND fuzz_${subject} -runs=0 ${corpus})
  else()
    target_sources(fuzz_${subject} PRIVATE replay_main.c)
    add_test(NAME fuzz.${subject} COMMAND fuzz_${subject} ${corpus})
  endif()
  _test_properties(fuzz.${subject} fuzz "")
endfunction()

# Only the scripts that record load the provider (lttng.sh): the others' events would be in whatever
# is recorded on the machine meanwhile.
function(_test_properties test label timeout)
  # For hangs: a machine that is busy with ten other things takes ten times as long, and a script may
  # have to wait for the turn of another (lttng.sh).
  if(NOT timeout)
    set(timeout 1200)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT ${timeout}
    ENVIRONMENT "GAPTRACE_PROVIDER=off;ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
endfunction()
