unit_test(import_set LIBRARIES analysis_import)
unit_test(event_sorter LIBRARIES analysis_import)
unit_test(kineto_number LIBRARIES analysis_import)
unit_test(kineto_json LIBRARIES analysis_import)
