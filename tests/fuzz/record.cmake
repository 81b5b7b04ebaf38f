fuzz_test(profile LIBRARIES record)
fuzz_test(recorded LIBRARIES record)
