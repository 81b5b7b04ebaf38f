unit_test(quantity LIBRARIES record)
unit_test(buffers LIBRARIES record)
unit_test(profile LIBRARIES record gaptrace_schema)
unit_test(recorded LIBRARIES record)
unit_test(watch LIBRARIES record)
unit_test(output LIBRARIES record)
unit_test(record_daemon LIBRARIES record)
unit_test(record_options SOURCES ${PROJECT_SOURCE_DIR}/analysis/cli/record_options.c
  ${PROJECT_SOURCE_DIR}/analysis/cli/option.c LIBRARIES record analysis_core)
