//! Reading of JSON as far as columns ask for it.

use std::borrow::Cow;
use std::fmt;

use arrow_schema::DataType;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The value of one document, with those members of objects that a type names. What others hold has to be JSON, and
/// nothing else: a number that no double holds, or any depth, is no harm there.
pub(super) fn from_slice(document: &[u8], data_type: &DataType) -> serde_json::Result<Value> {
    let mut source = serde_json::Deserializer::from_slice(document);
    let value = MembersOf(data_type).deserialize(&mut source)?;
    source.end()?;
    Ok(value)
}

/// What a column of this type asks for.
struct MembersOf<'a>(&'a DataType);

impl<'de> DeserializeSeed<'de> for MembersOf<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        match self.0 {
            DataType::Struct(_) | DataType::List(_) | DataType::Map(..) => {
                source.deserialize_any(self)
            }
            _ => Value::deserialize(source),
        }
    }
}

impl<'de> Visitor<'de> for MembersOf<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        match self.0 {
            DataType::Struct(fields) => {
                while let Some(Name(name)) = members.next_key()? {
                    if let Some((_, field)) = fields.find(&name) {
                        let value = members.next_value_seed(MembersOf(field.data_type()))?;
                        found.insert(name.into_owned(), value);
                    } else {
                        members.next_value::<IgnoredAny>()?;
                    }
                }
            }
            DataType::Map(entries, _) => {
                let data_type = match entries.data_type() {
                    DataType::Struct(fields) if fields.len() == 2 => fields[1].data_type(),
                    _ => &DataType::Null,
                };
                while let Some(name) = members.next_key()? {
                    found.insert(name, members.next_value_seed(MembersOf(data_type))?);
                }
            }
            _ => return Value::deserialize(MapAccessDeserializer::new(members)),
        }
        Ok(Value::Object(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let DataType::List(item) = self.0 else {
            return Value::deserialize(SeqAccessDeserializer::new(items));
        };
        let mut found = Vec::new();
        while let Some(value) = items.next_element_seed(MembersOf(item.data_type()))? {
            found.push(value);
        }
        Ok(Value::Array(found))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// The name of a member, borrowed from the document where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{DataType, Field, Fields};
    use serde_json::{Value, json};

    use super::from_slice;

    fn object(members: Vec<(&str, DataType)>) -> DataType {
        let fields = members
            .into_iter()
            .map(|(name, data_type)| Field::new(name, data_type, true));
        DataType::Struct(fields.collect::<Fields>())
    }

    fn asked() -> DataType {
        let inner = object(vec![("a", DataType::Int32)]);
        let list = DataType::List(Arc::new(Field::new_list_field(inner.clone(), true)));
        let names = Field::new("key", DataType::Utf8, false);
        let entries = DataType::Struct(Fields::from(vec![
            names,
            Field::new("value", inner.clone(), true),
        ]));
        let entries = Field::new("entries", entries, false);
        let map = DataType::Map(Arc::new(entries), false);
        object(vec![
            ("a", DataType::Int32),
            ("l", list),
            ("m", map),
            ("o", inner),
            ("\u{fc}\"", DataType::Utf8),
        ])
    }

    fn read(document: &str) -> Result<Value, String> {
        from_slice(document.as_bytes(), &asked()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn what_no_column_asks_for_is_left_out_whatever_it_holds() {
        let deep = format!("{}{}", "[".repeat(600), "]".repeat(600));
        for other in [
            "1e999",
            "-1E+400",
            &deep,
            r#"{"a": [1e999]}"#,
            r#""\ud83d\ude00""#,
        ] {
            let document = format!(
                r#"{{"z": {other}, "a": 1, "l": [{{"z": {other}, "a": 2}}, null],
                "m": {{"k": {{"z": {other}}}}}, "o": {{"a": 3, "z": {other}}}, "\u00fc\"": "t", "y": {other}}}"#
            );
            let expected = json!({
                "a": 1, "l": [{"a": 2}, null], "m": {"k": {}}, "o": {"a": 3}, "\u{fc}\"": "t"
            });
            assert_eq!(read(&document), Ok(expected), "{document}");
        }
    }

    #[test]
    fn what_no_column_asks_for_is_json_all_the_same() {
        for other in [
            "01", "1e", "+1", "nul", "[1,]", r#"{"a"}"#, r#""\x""#, "'a'",
        ] {
            let document = format!(r#"{{"z": {other}, "a": 1}}"#);
            assert!(read(&document).is_err(), "{document}");
        }
        assert!(read(r#"{"a": 1e999}"#).is_err());
        assert!(read(r#"{"a": 1} {"a": 1}"#).is_err());
    }

    #[test]
    fn values_of_another_type_than_asked_for_are_kept_to_be_told() {
        let documents = [
            r#"{"l":{"a":[1,"x",2.5,true,null]},"m":[{"b":-1}],"o":7}"#,
            r#"{"a":{"b":{}},"l":"x","m":1.5,"o":[[]]}"#,
            r#"{"a":18446744073709551615,"l":false,"m":null,"o":null}"#,
            "[1,2]",
            "null",
            "\"text\"",
        ];
        for document in documents {
            assert_eq!(read(document), Ok(serde_json::from_str(document).unwrap()));
        }
        assert_eq!(
            read(r#"{"a": 1, "a": 2}"#),
            Ok(json!({"a": 2})),
            "the last one counts"
        );
    }
}
