//! Messages as trees of names and values, for people, and for tests that inspect requests.

use bytes::Bytes;

use crate::Uuid;

/// A value of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum DescribedValue {
    /// A null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer of any of Kafka's types.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A string.
    Text(String),
    /// Bytes, such as record batches.
    Bytes(Bytes),
    /// A UUID.
    Uuid(Uuid),
    /// An array.
    List(Vec<Self>),
    /// A structure: its fields by their names in Kafka's schemas, in snake case, in the order of the schema.
    Struct(Vec<(&'static str, Self)>),
}

/// A message or a value that can become a [`DescribedValue`].
pub trait Describe {
    /// Returns the message or value with everything in it.
    fn describe(&self) -> DescribedValue;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Describe for $type {
            fn describe(&self) -> DescribedValue {
                DescribedValue::Int(i64::from(*self))
            }
        }
    )*};
}

integers!(i8, i16, u16, i32, u32, i64);

impl Describe for bool {
    fn describe(&self) -> DescribedValue {
        DescribedValue::Bool(*self)
    }
}

impl Describe for f64 {
    fn describe(&self) -> DescribedValue {
        DescribedValue::Float(*self)
    }
}

impl Describe for String {
    fn describe(&self) -> DescribedValue {
        DescribedValue::Text(self.clone())
    }
}

impl Describe for Bytes {
    fn describe(&self) -> DescribedValue {
        DescribedValue::Bytes(self.clone())
    }
}

impl Describe for Uuid {
    fn describe(&self) -> DescribedValue {
        DescribedValue::Uuid(*self)
    }
}

impl<T: Describe> Describe for Option<T> {
    fn describe(&self) -> DescribedValue {
        self.as_ref().map_or(DescribedValue::Null, T::describe)
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(&self) -> DescribedValue {
        DescribedValue::List(self.iter().map(T::describe).collect())
    }
}

/// Implements [`Describe`](crate::Describe) for a generated structure.
macro_rules! describe {
    ($name:ident { $($text:literal: $field:ident),* $(,)? }) => {
        impl crate::Describe for $name {
            fn describe(&self) -> crate::DescribedValue {
                crate::DescribedValue::Struct(vec![$(($text, crate::Describe::describe(&self.$field))),*])
            }
        }
    };
}

pub(crate) use describe;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::describe_client_quotas::{ComponentData, DescribeClientQuotasRequest};

    #[test]
    fn a_request_tells_its_fields_by_kafkas_names() {
        let component = ComponentData {
            entity_type: "user".to_owned(),
            match_type: 1,
            r#match: None,
        };
        let request = DescribeClientQuotasRequest {
            components: vec![component],
            strict: true,
        };
        let component = DescribedValue::Struct(vec![
            ("entity_type", DescribedValue::Text("user".to_owned())),
            ("match_type", DescribedValue::Int(1)),
            ("match", DescribedValue::Null),
        ]);
        let whole = DescribedValue::Struct(vec![
            ("components", DescribedValue::List(vec![component])),
            ("strict", DescribedValue::Bool(true)),
        ]);
        assert_eq!(request.describe(), whole);
    }
}
