unit_test(store LIBRARIES analysis_history)
unit_test(history LIBRARIES analysis_history analysis_report PkgConfig::SQLITE SOURCES history_rig.c)
unit_test(trend LIBRARIES analysis_history analysis_report m SOURCES history_rig.c)
