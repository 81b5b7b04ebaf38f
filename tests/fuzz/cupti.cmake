if(TARGET cupti_collector)
  fuzz_test(cupti_decode LIBRARIES cupti_collector
    SOURCES ${PROJECT_SOURCE_DIR}/tests/integration/lookalike_records.c)
endif()
