fuzz_test(zkey LIBRARIES groth16)
fuzz_test(r1cs LIBRARIES groth16)
fuzz_test(wtns LIBRARIES groth16)
fuzz_test(proof_json LIBRARIES groth16)
