//! Makes text of a peer safe to show: on one line, and not too long.
//!
//! Names stay as they are where they are compared or sent again. An `ErrorMessage`, which only people read, passes here
//! when it is decoded; whatever becomes an exception or a line of the log passes here once more, names included.

use std::borrow::Cow;
use std::fmt::Write;

/// The longest `ErrorMessage` that is kept, in bytes.
const LONGEST_MESSAGE: usize = 1_000;

/// Prepares an `ErrorMessage` to be kept.
pub(crate) fn message(text: &str) -> String {
    printable(text, LONGEST_MESSAGE).into_owned()
}

/// Returns `text` with control characters escaped, and cut if it is longer than `longest` bytes. A line feed would
/// begin a line that looks like one of our own; an escape sequence or a change of direction would rewrite what is on
/// the screen.
#[must_use]
pub fn printable(text: &str, longest: usize) -> Cow<'_, str> {
    let is_long = text.len() > longest;
    if !is_long && !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut printed = String::with_capacity(text.len().min(longest) + 32);
    for character in text.chars() {
        if printed.len() >= longest {
            break;
        }
        match is_hidden(character) {
            true => printed.extend(character.escape_default()),
            false => printed.push(character),
        }
    }
    if is_long {
        // Writing to a String cannot fail.
        let _ = write!(printed, "... ({} bytes in all)", text.len());
    }
    Cow::Owned(printed)
}

/// True for control characters, line and paragraph separators, and characters that change the direction of text.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_left_alone() {
        for text in ["", "topic-1", "Größe 大きさ \"quoted\" C:\\path"] {
            assert!(matches!(printable(text, 100), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn nothing_begins_a_line_of_its_own_or_moves_the_cursor() {
        let forged = "x\r\nERROR kafkars: all is lost\u{1b}[2J\u{202e}\u{2028}\0";
        let printed = printable(forged, 1_000);
        assert!(!printed.contains(is_hidden), "{printed:?}");
        assert!(printed.starts_with("x\\r\\nERROR"), "{printed}");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        for (unit, count) in [
            ("x", 20_000_000),
            ("\n", 1_000_000),
            ("大", 500),
            ("\u{1b}", 999),
        ] {
            let printed = message(&unit.repeat(count));
            assert!(printed.len() < 6 * LONGEST_MESSAGE, "{}", printed.len());
        }
        assert!(message(&"x".repeat(2_000)).ends_with("... (2000 bytes in all)"));
    }
}
