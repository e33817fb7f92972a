//! Reads columns of bytes or text.

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
    LargeStringArray, StringArray, StringViewArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

/// A column of bytes or text, in any of Arrow's layouts.
#[derive(Debug, Clone)]
pub(crate) enum Payloads {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    FixedSizeBinary(FixedSizeBinaryArray),
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Dictionary(Dictionary),
    /// A column of nulls only.
    Null,
}

/// A column whose rows name items of a shorter column, as a categorical column does.
#[derive(Debug, Clone)]
pub(crate) struct Dictionary {
    // For each row the index of its item; a null row's has no meaning.
    rows: Vec<usize>,
    nulls: Option<NullBuffer>,
    items: Box<Payloads>,
}

impl Dictionary {
    fn new(array: &ArrayRef) -> Option<Self> {
        let dictionary = array.as_any_dictionary_opt()?;
        let items = dictionary.values();
        Some(Self {
            rows: match items.is_empty() {
                true => vec![0; array.len()],
                false => dictionary.normalized_keys(),
            },
            nulls: dictionary.keys().nulls().cloned(),
            items: Box::new(Payloads::new(items)?),
        })
    }

    #[inline]
    fn item(&self, row: usize) -> Option<usize> {
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        self.rows.get(row).copied().filter(|_| !is_null)
    }
}

impl Payloads {
    pub(crate) const EXPECTED: &str = "binary or text";

    /// Reads the column, if its type fits.
    pub(crate) fn new(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Binary => Self::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => {
                Self::FixedSizeBinary(array.as_fixed_size_binary().clone())
            }
            DataType::Utf8 => Self::Utf8(array.as_string().clone()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string().clone()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view().clone()),
            DataType::Dictionary(..) => Self::Dictionary(Dictionary::new(array)?),
            DataType::Null => Self::Null,
            _ => return None,
        })
    }

    /// True if the items are text.
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Self::Dictionary(dictionary) => dictionary.items.is_text(),
            _ => matches!(self, Self::Utf8(_) | Self::LargeUtf8(_) | Self::Utf8View(_)),
        }
    }

    /// Returns an item; `None` if it is null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Self::FixedSizeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Utf8(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::Utf8View(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::Dictionary(dictionary) => dictionary.items.get(dictionary.item(row)?),
            Self::Null => None,
        }
    }

    /// Returns an item as text, if the column is of text.
    pub(crate) fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Utf8View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary(dictionary) => dictionary.items.text(dictionary.item(row)?),
            _ => None,
        }
    }
}
