//! Writes the seed corpus of the fuzz targets: `cargo run -p kafkars-testkit --example fuzz_corpus --
//! rust/fuzz/corpus`.

use std::path::Path;
use std::{env, fs, io};

use kafkars_testkit::fuzz_messages::seeds;

fn main() -> io::Result<()> {
    let directory = env::args()
        .nth(1)
        .unwrap_or_else(|| "rust/fuzz/corpus".to_owned());
    let directory = Path::new(&directory);
    fs::create_dir_all(directory.join("frame"))?;
    fs::create_dir_all(directory.join("messages"))?;
    for (index, (frame, message)) in seeds().into_iter().enumerate() {
        fs::write(directory.join(format!("frame/captured-{index}")), frame)?;
        fs::write(
            directory.join(format!("messages/captured-{index}")),
            message,
        )?;
    }
    Ok(())
}
