#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| doublet_laws::xml(data));
