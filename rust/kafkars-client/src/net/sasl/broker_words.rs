//! A broker's error message about a login, with the credentials masked that it may repeat: some plugins quote what they
//! were sent.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use kafkars_core::config::Secret;
use kafkars_protocol::printable;
use zeroize::Zeroizing;

/// At most this many characters of a broker's message are read.
const MOST_READ: usize = 2_000;

/// At most this many bytes of it are shown.
const MOST_SHOWN: usize = 500;

/// So many bytes of a secret are recognised even without the rest: a broker may quote the beginning of a long token.
const RECOGNISED: usize = 8;

/// A secret shorter than this occurs in ordinary words by chance, so it is recognised only as a whole word.
const LEAST_WITHIN_WORDS: usize = 4;

/// The text in place of a secret.
const MASK: &str = "***";

/// The secrets of one login that the broker's message may contain.
#[derive(Default)]
pub(super) struct LoginSecrets {
    masked: Vec<Secret>,
    given: Vec<Secret>,
}

impl LoginSecrets {
    pub(super) fn add(&mut self, secret: &Secret) {
        self.masked.push(secret.clone());
    }

    /// Adds a part of credentials that come in several parts, such as a password and its user name.
    pub(super) fn add_given(&mut self, part: &Secret) {
        self.given.push(part.clone());
    }

    /// The parts of the credentials in the order in which they were read; empty if they come in one piece.
    pub(super) fn given(&self) -> &[Secret] {
        &self.given
    }

    /// Returns the broker's message on one line, shortened, with every secret masked.
    pub(super) fn mask(&self, words: &str) -> String {
        let words = Zeroizing::new(words.chars().take(MOST_READ).collect::<String>());
        let lower = Zeroizing::new(words.to_ascii_lowercase().into_bytes());
        let mut hidden = vec![false; lower.len()];
        for secret in &self.masked {
            for form in forms(secret.expose()) {
                hide(&lower, &form, &mut hidden);
            }
        }
        let mut shown = String::new();
        let mut was_hidden = false;
        for (at, character) in words.char_indices() {
            let is_hidden = hidden[at..at + character.len_utf8()].contains(&true);
            match (is_hidden, was_hidden) {
                (true, false) => shown.push_str(MASK),
                (true, true) => {}
                (false, _) => shown.push(character),
            }
            was_hidden = is_hidden;
        }
        printable(&shown, MOST_SHOWN).into_owned()
    }
}

/// The encodings in which a broker may write a secret, in lower case.
fn forms(secret: &str) -> Vec<Zeroizing<Vec<u8>>> {
    let bytes = secret.as_bytes();
    let mut forms = Vec::new();
    let mut note = |form: Vec<u8>| {
        let mut form = Zeroizing::new(form);
        form.make_ascii_lowercase();
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    };
    note(bytes.to_vec());
    note(hex(bytes));
    // URLs encode a space as %20, web forms as a plus sign.
    note(percent(bytes, "%20"));
    note(percent(bytes, "+"));
    let escaped = Zeroizing::new(serde_json::to_string(secret).unwrap_or_default());
    let quoted = escaped.trim_matches('"');
    note(quoted.as_bytes().to_vec());
    // JSON in ASCII, and JSON that is safe within HTML (as Go's and Gson's).
    note(replaced(quoted, |letter| {
        (!letter.is_ascii()).then(|| unicode_escape(letter))
    }));
    note(replaced(quoted, |letter| {
        (!letter.is_ascii() || "&<>='".contains(letter)).then(|| unicode_escape(letter))
    }));
    note(replaced(quoted, |letter| {
        "&<>".contains(letter).then(|| unicode_escape(letter))
    }));
    for apostrophe in ["&#39;", "&#x27;", "&apos;", "'"] {
        let entity = |letter| match letter {
            '&' => Some("&amp;".to_owned()),
            '<' => Some("&lt;".to_owned()),
            '>' => Some("&gt;".to_owned()),
            '\'' => Some(apostrophe.to_owned()),
            _ => None,
        };
        let with_quotes = |letter| match letter {
            '"' => Some("&quot;".to_owned()),
            letter => entity(letter),
        };
        note(replaced(secret, entity));
        note(replaced(secret, with_quotes));
        note(replaced(secret, |letter| {
            let number = || (!letter.is_ascii()).then(|| format!("&#{};", u32::from(letter)));
            with_quotes(letter).or_else(number)
        }));
    }
    for before in 0..3 {
        // In base64 the bytes before a secret decide how it is encoded. The first characters encode some of both.
        let shared = [0, 2, 3][before];
        let mut padded = Zeroizing::new(vec![0; before]);
        padded.extend_from_slice(bytes);
        let whole = padded.len() / 3 * 3;
        padded.truncate(whole);
        for encoded in [
            STANDARD_NO_PAD.encode(&*padded),
            URL_SAFE_NO_PAD.encode(&*padded),
        ] {
            let encoded = Zeroizing::new(encoded);
            if encoded.len() >= shared + RECOGNISED {
                note(encoded.as_bytes()[shared..].to_vec());
            }
        }
    }
    forms
}

/// Replaces characters of a text by another spelling.
fn replaced(text: &str, spelling: impl Fn(char) -> Option<String>) -> Vec<u8> {
    let mut spelled = String::with_capacity(6 * text.len());
    for letter in text.chars() {
        match spelling(letter) {
            Some(other) => spelled.push_str(&other),
            None => spelled.push(letter),
        }
    }
    spelled.into_bytes()
}

/// A character as JSON escapes it in ASCII.
fn unicode_escape(letter: char) -> String {
    let mut units = [0; 2];
    let units = letter.encode_utf16(&mut units).iter();
    units.map(|unit| format!("\\u{unit:04x}")).collect()
}

fn hide(words: &[u8], form: &[u8], hidden: &mut [bool]) {
    let size = form.len().min(RECOGNISED);
    let parts: HashSet<&[u8]> = form.windows(size).collect();
    for (at, window) in words.windows(size).enumerate() {
        if parts.contains(window) && (size >= LEAST_WITHIN_WORDS || is_apart(words, at, size)) {
            hidden[at..at + size].fill(true);
        }
    }
}

/// True if no letter or digit is adjacent to these bytes.
fn is_apart(words: &[u8], at: usize, size: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_wordlike = |byte: &u8| byte.is_ascii_alphanumeric();
    !before.is_some_and(is_wordlike) && !words.get(at + size).is_some_and(is_wordlike)
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
    let pairs = bytes
        .iter()
        .map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    pairs.flatten().collect()
}

fn percent(bytes: &[u8], space: &str) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(3 * bytes.len());
    for byte in bytes {
        match byte {
            b' ' => encoded.extend_from_slice(space.as_bytes()),
            b'-' | b'.' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(*byte),
            _ => {
                encoded.push(b'%');
                encoded.extend_from_slice(&hex(&[*byte]));
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::*;

    fn masked(secret: &str, words: &str) -> String {
        let mut secrets = LoginSecrets::default();
        secrets.add(&Secret::new(secret));
        secrets.mask(words)
    }

    /// Every encoding in which a broker may write a secret, between other bytes.
    fn written(secret: &str) -> Vec<String> {
        let mut all = vec![
            secret.to_owned(),
            secret.to_ascii_uppercase(),
            secret.to_ascii_lowercase(),
            format!("{secret:?}"),
            String::from_utf8_lossy(&hex(secret.as_bytes())).to_uppercase(),
            String::from_utf8(percent(secret.as_bytes(), "%20")).expect("it is ASCII"),
            String::from_utf8(percent(secret.as_bytes(), "+")).expect("it is ASCII"),
        ];
        let json = serde_json::to_string(secret).expect("text");
        let escaped = |is_escaped: fn(char) -> bool| {
            let letters = json.chars();
            let spelled = letters.map(|letter| match is_escaped(letter) {
                true => format!("\\u{:04X}", u32::from(letter)),
                false => letter.to_string(),
            });
            spelled.collect::<String>()
        };
        all.push(escaped(|letter| !letter.is_ascii()));
        all.push(escaped(|letter| "&<>".contains(letter)));
        all.push(escaped(|letter| {
            !letter.is_ascii() || "&<>='".contains(letter)
        }));
        let html = secret.replace('&', "&amp;").replace('<', "&lt;");
        let html = html.replace('>', "&gt;");
        let quoted = html.replace('"', "&quot;");
        all.extend([html, quoted.clone(), quoted.replace('\'', "&#39;")]);
        let in_ascii = quoted.chars().map(|letter| match letter.is_ascii() {
            true => letter.to_string(),
            false => format!("&#{};", u32::from(letter)),
        });
        all.push(in_ascii.collect());
        for user in ["", "a", "al", "ali"] {
            let message = format!("{user}\0{secret}");
            all.extend([STANDARD.encode(&message), URL_SAFE.encode(&message)]);
        }
        all
    }

    /// True if eight characters in a row of `form` are shown.
    fn shows(shown: &str, form: &str) -> bool {
        let (shown, form) = (shown.to_lowercase(), form.to_lowercase());
        let form: Vec<char> = form.chars().collect();
        let size = form.len().min(RECOGNISED);
        let mut parts = form.windows(size);
        parts.any(|part| shown.contains(&part.iter().collect::<String>()))
    }

    #[test]
    fn a_secret_is_shown_in_no_form() {
        let long = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.Xq7_-".repeat(30);
        let secrets = [
            "Xq7-canary",
            "a \"quoted\\ one\"",
            "p@ss+word/with=all&signs?",
            "pässwörd-größe",
            "Grüße&Küsse<'2026'>",
            &long,
        ];
        for secret in secrets {
            for form in written(secret) {
                let shown = masked(secret, &format!("user alice gave {form}, which is wrong"));
                assert!(shown.starts_with("user alice gave "), "{shown}");
                // The base64 of the user name and of the first byte is no secret.
                let own: String = form.chars().skip(8).collect();
                assert!(!shows(&shown, &own), "{form}: {shown}");
                assert!(shown.contains(MASK), "{shown}");
                let is_read = form.len() < MOST_READ / 2;
                assert!(!is_read || shown.contains("which is wrong"), "{shown}");
            }
        }
    }

    #[test]
    fn a_part_of_a_long_secret_is_hidden() {
        let token = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(100);
        for (from, to) in [(0, 20), (5, 13), (3000, 3600)] {
            let part = &token[from..to];
            assert_eq!(
                masked(&token, &format!("bad token {part}")),
                "bad token ***"
            );
        }
    }

    #[test]
    fn ordinary_words_stay() {
        let words = "Authentication failed: Invalid username or password";
        assert_eq!(masked("Xq7-canary", words), words);
        // A short secret occurs in ordinary words by chance.
        for short in ["", "a", "in", "pas"] {
            assert_eq!(masked(short, words), words);
        }
        assert_eq!(masked("in", "not in: in, inner"), "not ***: ***, inner");
        assert_eq!(
            masked("test", "the password test is wrong"),
            "the password *** is wrong"
        );
    }

    #[test]
    fn words_are_one_line_of_bounded_length() {
        let forged = masked("secret", "a\r\nERROR the secret\x1b[0m");
        assert_eq!(forged, "a\\r\\nERROR the ***\\u{1b}[0m");
        assert!(masked("secret", &"ä".repeat(1_000_000)).len() < MOST_SHOWN + 100);
    }
}
