fuzz_test(import LIBRARIES analysis_report analysis_import PkgConfig::JANSSON)
