add_executable(bench_prove prove.c)
target_link_libraries(bench_prove PRIVATE groth16 project_quality)
target_include_directories(bench_prove PRIVATE ${PROJECT_SOURCE_DIR})
