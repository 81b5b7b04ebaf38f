fuzz_test(nsys LIBRARIES analysis_import PkgConfig::SQLITE)
