unit_test(import_nsys LIBRARIES analysis_import PkgConfig::SQLITE SOURCES nsys_fixture.c)
