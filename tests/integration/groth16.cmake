# What the scripts drive the library with; bench uses it too.
add_executable(groth16_tool groth16_tool.c)
target_link_libraries(groth16_tool PRIVATE groth16 project_quality)
target_include_directories(groth16_tool PRIVATE ${PROJECT_SOURCE_DIR})

script_test(integration groth16_files groth16_files.sh)
script_test(integration groth16_snarkjs groth16_snarkjs.sh)
