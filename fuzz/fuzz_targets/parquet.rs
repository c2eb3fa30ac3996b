#![no_main]

libfuzzer_sys::fuzz_target!(init: doublet_laws::let_caught_panics_pass(), |data: &[u8]| doublet_laws::parquet(data));
