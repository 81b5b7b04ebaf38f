unit_test(import_set LIBRARIES analysis_import)
