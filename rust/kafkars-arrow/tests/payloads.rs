//! Payloads become columns, and one that cannot be decoded affects no other.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use kafkars_arrow::{
    AvroPayloads, DecodedPayloads, JsonPayloads, PayloadDecoder, PoisonPayload, Utf8Payloads,
};
use proptest::prelude::*;

const ORDER: &str = r#"{"type": "record", "name": "Order", "fields": [
    {"name": "id", "type": "long"}, {"name": "what", "type": ["null", "string"], "default": null},
    {"name": "parts", "type": {"type": "array", "items": "int"}, "default": []}]}"#;
const OLD_ORDER: &str =
    r#"{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}"#;

fn binary(payloads: &[Option<&[u8]>]) -> BinaryArray {
    payloads.iter().copied().collect()
}

fn decode(decoder: &dyn PayloadDecoder, payloads: &[Option<&[u8]>]) -> DecodedPayloads {
    let decoded = decoder.decode(&binary(payloads)).unwrap();
    assert_eq!(decoded.values.len(), payloads.len());
    assert_eq!(decoded.values.data_type(), decoder.data_type());
    decoded
}

fn reasons(poison: &[PoisonPayload]) -> Vec<(usize, &str)> {
    poison
        .iter()
        .map(|each| (each.row, each.reason.as_str()))
        .collect()
}

fn column(values: &ArrayRef, name: &str) -> ArrayRef {
    Arc::clone(values.as_struct().column_by_name(name).unwrap())
}

fn json() -> JsonPayloads {
    let inner = Fields::from(vec![Field::new("deep", DataType::Int32, true)]);
    let item = Field::new_list_field(DataType::Int32, true);
    let at = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    JsonPayloads::new(Fields::from(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("what", DataType::Utf8, true),
        Field::new("at", at, true),
        Field::new("parts", DataType::List(Arc::new(item)), true),
        Field::new("inner", DataType::Struct(inner), true),
    ]))
    .unwrap()
}

/// Encodes a long as Avro does.
fn long(value: i64) -> Vec<u8> {
    let mut left = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while left > 0x7f {
        bytes.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

fn order(id: i64, what: Option<&str>, parts: &[i32]) -> Vec<u8> {
    let mut bytes = long(id);
    match what {
        None => bytes.extend(long(0)),
        Some(text) => {
            bytes.extend(long(1));
            bytes.extend(long(text.len() as i64));
            bytes.extend(text.as_bytes());
        }
    }
    if !parts.is_empty() {
        bytes.extend(long(parts.len() as i64));
        parts
            .iter()
            .for_each(|&part| bytes.extend(long(part.into())));
    }
    bytes.extend(long(0));
    bytes
}

fn framed(id: u32, body: &[u8]) -> Vec<u8> {
    [&[0], &id.to_be_bytes()[..], body].concat()
}

#[test]
fn text_that_is_none_is_null_and_told() {
    let decoded = decode(
        &Utf8Payloads,
        &[Some(b"a"), None, Some(b"\xff"), Some("ü".as_bytes())],
    );
    let texts: Vec<_> = decoded.values.as_string::<i32>().iter().collect();
    assert_eq!(texts, [Some("a"), None, None, Some("ü")]);
    assert_eq!(reasons(&decoded.poison).len(), 1);
    assert_eq!(decoded.poison[0].row, 2);
}

#[test]
fn json_becomes_columns() {
    let first = br#" {"id": 9007199254740993, "what": "a", "at": "2026-11-22T10:00:00.5Z", "unknown": [{}], "parts": [1, null]} "#;
    let decoded = decode(
        &json(),
        &[
            Some(first),
            None,
            Some(br#"{"what": 7, "inner": {"deep": -1}, "id": null}"#),
            Some(b"{}\n"),
        ],
    );
    assert_eq!(reasons(&decoded.poison), []);
    let ids = column(&decoded.values, "id");
    let ids = ids.as_primitive::<Int64Type>();
    assert_eq!(
        ids.iter().collect::<Vec<_>>(),
        [Some(9_007_199_254_740_993), None, None, None]
    );
    let what = column(&decoded.values, "what");
    assert_eq!(
        what.as_string::<i32>().iter().collect::<Vec<_>>(),
        [Some("a"), None, Some("7"), None]
    );
    let at = column(&decoded.values, "at");
    assert_eq!(
        at.as_primitive::<TimestampMicrosecondType>().value(0),
        1_795_341_600_500_000
    );
    assert_eq!(
        decoded.values.nulls().unwrap().iter().collect::<Vec<_>>(),
        [true, false, true, true]
    );
}

#[test]
fn json_that_does_not_fit_is_refused_by_row() {
    let cases: [(&[u8], &str); 16] = [
        (b"", "no JSON: EOF"),
        (b" ", "no JSON: EOF"),
        (br#"{"id": 1"#, "no JSON: EOF"),
        (br#"{"id": 1}{"id": 2}"#, "trailing"),
        (br#"{"id": 1} 7"#, "trailing"),
        (br#"{"id": 1.7}"#, "id: 1.7 is no integer"),
        (br#"{"id": 1e3}"#, "id: 1000.0 is no integer"),
        (br#"{"id": "x"}"#, "id: \"x\" is no integer"),
        (
            br#"{"id": 9223372036854775808}"#,
            "9223372036854775808 is no integer",
        ),
        (br#"{"at": 1795341600}"#, "at: 1795341600 is no time"),
        (br#"{"at": "yesterday"}"#, "is no time"),
        (br#"{"parts": 1}"#, "parts: 1 is not an array"),
        (
            br#"{"inner": {"deep": 2147483648}}"#,
            "inner: deep: 2147483648 is no integer",
        ),
        (b"[1]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"\xff", "no JSON"),
    ];
    let good: &[u8] = br#"{"id": 5}"#;
    for (payload, expected) in cases {
        for payloads in [
            vec![payload],
            vec![good, payload],
            vec![payload, good],
            vec![good, payload, good],
        ] {
            let row = payloads.iter().position(|each| *each == payload).unwrap();
            let decoded = decode(
                &json(),
                &payloads.iter().copied().map(Some).collect::<Vec<_>>(),
            );
            let told = reasons(&decoded.poison);
            assert!(
                matches!(told[..], [(at, text)] if at == row && text.contains(expected)),
                "{told:?}: {expected}"
            );
            assert_eq!(decoded.values.null_count(), 1);
            assert_eq!(column(&decoded.values, "id").null_count(), 1);
        }
    }
}

/// Decodes one JSON value into a column of a type, and returns the column or the reason why not.
fn cell(payload: &str, data_type: DataType) -> Result<ArrayRef, String> {
    let fields = Fields::from(vec![Field::new("a", data_type, true)]);
    let decoded = decode(
        &JsonPayloads::new(fields).unwrap(),
        &[Some(payload.as_bytes())],
    );
    match decoded.poison.first() {
        Some(poison) => Err(poison.reason.clone()),
        None => Ok(column(&decoded.values, "a")),
    }
}

#[test]
fn decimals_keep_every_digit_or_are_refused() {
    let units = |text: &str, precision, scale| {
        let found = cell(
            &format!(r#"{{"a":{text}}}"#),
            DataType::Decimal128(precision, scale),
        );
        found
            .map(|array| array.as_primitive::<Decimal128Type>().value(0))
            .ok()
    };
    assert_eq!(units("1.25", 10, 2), Some(125));
    assert_eq!(units("-1.255", 10, 2), Some(-126));
    assert_eq!(units("0.004", 10, 2), Some(0));
    assert_eq!(units("0.005", 10, 2), Some(1));
    assert_eq!(units("12", 4, 2), Some(1_200));
    assert_eq!(units("100", 4, 2), None);
    assert_eq!(units("99.995", 4, 2), None);
    assert_eq!(units("1e2", 10, 2), Some(10_000));
    assert_eq!(units("1e-1", 10, 2), Some(10));
    assert_eq!(
        units(r#""12345678901234567890123456789012345.678""#, 38, 3),
        Some(12_345_678_901_234_567_890_123_456_789_012_345_678)
    );
    assert_eq!(
        units("18446744073709551615", 38, 0),
        Some(18_446_744_073_709_551_615)
    );
    assert_eq!(units("1.2345678901234567", 38, 18), None);
    assert_eq!(units(r#""1e32767""#, 38, 18), None);
    assert_eq!(units(r#""0e32767""#, 38, 18), Some(0));
    for none in [
        r#""""#,
        r#"".""#,
        r#""-""#,
        r#""1.2.3""#,
        r#""0x1""#,
        "true",
        "[]",
    ] {
        assert_eq!(units(none, 10, 2), None, "{none}");
    }
}

#[test]
fn times_and_floats_are_read_as_they_are_written() {
    let at = |text: &str| {
        let found = cell(
            &format!(r#"{{"a":"{text}"}}"#),
            DataType::Timestamp(TimeUnit::Microsecond, None),
        );
        found
            .map(|array| array.as_primitive::<TimestampMicrosecondType>().value(0))
            .ok()
    };
    assert_eq!(at("1970-01-01T01:00:00.000001+01:00"), Some(1));
    assert_eq!(at("1970-01-01 00:00:01"), Some(1_000_000));
    assert_eq!(at("1969-12-31"), Some(-86_400_000_000));
    assert_eq!(
        (at(""), at("1970-13-01"), at("1970-01-01T25:00:00Z")),
        (None, None, None)
    );
    let days = cell(r#"{"a":"1970-01-03"}"#, DataType::Date32).unwrap();
    assert_eq!(days.as_primitive::<Date32Type>().value(0), 2);
    assert!(cell(r#"{"a":3}"#, DataType::Date32).is_err());
    let float = cell(r#"{"a":0.3}"#, DataType::Float64).unwrap();
    assert_eq!(
        float.as_primitive::<Float64Type>().value(0).to_bits(),
        0.3_f64.to_bits()
    );
    assert!(
        cell(r#"{"a":"NaN"}"#, DataType::Float32)
            .unwrap()
            .as_primitive::<Float32Type>()
            .value(0)
            .is_nan()
    );
}

#[test]
fn a_number_that_would_become_another_is_refused() {
    let text = |number: &str| {
        let found = cell(&format!(r#"{{"a":{number}}}"#), DataType::Utf8);
        found.map(|array| array.as_string::<i32>().value(0).to_owned())
    };
    assert_eq!(
        text("18446744073709551615").unwrap(),
        "18446744073709551615"
    );
    assert_eq!(text("0.1").unwrap(), "0.1");
    assert_eq!(text("1.5e300").unwrap(), "1.5e+300");
    for altered in ["12345678901234567890123", "0.12345678901234567890"] {
        assert!(text(altered).is_err(), "{altered}");
    }
    assert!(cell(r#"{"a":1e39}"#, DataType::Float32).is_err());
    assert!(cell(r#"{"a":"Infinity"}"#, DataType::Float32).is_ok());
    let zero = cell(r#"{"a":-0}"#, DataType::Int64).unwrap();
    assert_eq!(zero.as_primitive::<Int64Type>().value(0), 0);
}

#[test]
fn a_type_that_json_has_no_values_for_is_refused_before_any_payload() {
    let field = Field::new(
        "span",
        DataType::Interval(arrow_schema::IntervalUnit::DayTime),
        true,
    );
    assert!(JsonPayloads::new(Fields::from(vec![field])).is_err());
}

#[test]
fn avro_of_several_writers_becomes_one_set_of_columns() {
    let mut decoder = AvroPayloads::framed(ORDER).unwrap();
    let payloads = [
        framed(7, &order(1, Some("a"), &[1, 2])),
        framed(3, &long(-2)),
        framed(7, &order(3, None, &[])),
        framed(9, b"x"),
        framed(3, &long(4)),
    ];
    let payloads: Vec<_> = payloads
        .iter()
        .map(|each| Some(each.as_slice()))
        .chain([None])
        .collect();
    assert_eq!(
        decoder
            .unknown_ids(&binary(&payloads))
            .into_iter()
            .collect::<Vec<_>>(),
        [3, 7, 9]
    );
    decoder.add_schema(7, Ok(ORDER.to_owned()));
    decoder.add_schema(3, Ok(OLD_ORDER.to_owned()));
    decoder.add_schema(9, Err("no such schema".to_owned()));
    assert!(decoder.unknown_ids(&binary(&payloads)).is_empty());
    let decoded = decode(&decoder, &payloads);
    assert_eq!(reasons(&decoded.poison), [(3, "schema 9: no such schema")]);
    let ids = column(&decoded.values, "id");
    let ids = ids.as_primitive::<Int64Type>();
    assert_eq!(
        (ids.value(0), ids.value(1), ids.value(2), ids.value(4)),
        (1, -2, 3, 4)
    );
    let what = column(&decoded.values, "what");
    assert_eq!(
        (what.as_string::<i32>().value(0), what.null_count()),
        ("a", 5)
    );
    let parts = column(&decoded.values, "parts");
    assert_eq!(
        parts
            .as_list::<i32>()
            .value(0)
            .as_primitive::<Int32Type>()
            .values(),
        &[1, 2]
    );
    assert_eq!(
        (parts.as_list::<i32>().value_length(1), parts.is_valid(1)),
        (0, true)
    );
    assert_eq!(decoded.values.null_count(), 2);
}

#[test]
fn avro_text_of_uuids_stays_text() {
    const UUID: &str = r#"{"type": "string", "logicalType": "uuid"}"#;
    let fields = format!(
        r#"[{{"name": "a", "type": {UUID}}}, {{"name": "b", "type": ["null", {UUID}], "default": null}},
        {{"name": "c", "type": {{"type": "array", "items": {UUID}}}}}]"#
    );
    let schema = format!(r#"{{"type": "record", "name": "R", "fields": {fields}}}"#);
    let plain = schema.replace(UUID, r#""string""#);
    let text = "12345678-1234-1234-1234-123456789012";
    for (reader, writer) in [(&schema, &schema), (&schema, &plain), (&plain, &schema)] {
        let mut decoder = AvroPayloads::framed(reader).unwrap();
        decoder.add_schema(1, Ok(writer.clone()));
        for found in [text, "none", ""] {
            let string = [long(found.len().try_into().unwrap()), found.into()].concat();
            let body = [&string[..], &long(1), &string, &long(1), &string, &long(0)].concat();
            let decoded = decode(&decoder, &[Some(&framed(1, &body))]);
            assert_eq!(reasons(&decoded.poison), []);
            let items = column(&decoded.values, "c");
            let texts = [
                column(&decoded.values, "a"),
                column(&decoded.values, "b"),
                Arc::clone(items.as_list::<i32>().values()),
            ];
            for array in texts {
                assert_eq!(
                    array.as_string::<i32>().iter().collect::<Vec<_>>(),
                    [Some(found)]
                );
            }
        }
    }
    assert!(
        AvroPayloads::bare(&schema).unwrap().data_type()
            == AvroPayloads::bare(&plain).unwrap().data_type()
    );
}

#[test]
fn avro_that_does_not_fit_is_refused_by_row() {
    let mut decoder = AvroPayloads::framed(ORDER).unwrap();
    decoder.add_schema(1, Ok(ORDER.to_owned()));
    decoder.add_schema(
        2,
        Ok(
            r#"{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}"#
                .to_owned(),
        ),
    );
    let good = framed(1, &order(5, Some("b"), &[]));
    let cut = &good[..good.len() - 1];
    let more = [good.as_slice(), &[0]].concat();
    let wrong_union = framed(1, &[long(1), long(7)].concat());
    let huge = framed(1, &[long(1), long(1), long(i64::MAX)].concat());
    let other = framed(2, &long(0));
    let cases: [(&[u8], &str); 9] = [
        (b"", "0 bytes"),
        (b"\0\0\0", "3 bytes"),
        (b"{}", "begins with the byte 123"),
        (cut, ""),
        (&more, "1 bytes are left"),
        (&wrong_union, ""),
        (&huge, ""),
        (
            &other,
            "schema 2: the schema asked for cannot be read from it",
        ),
        (b"\0\0\0\0\x05", "schema 5 is not known"),
    ];
    for (payload, expected) in cases {
        for payloads in [
            vec![payload],
            vec![&good, payload],
            vec![payload, &good],
            vec![&good, payload, &good],
        ] {
            let row = payloads.iter().position(|each| *each == payload).unwrap();
            let decoded = decode(
                &decoder,
                &payloads.iter().copied().map(Some).collect::<Vec<_>>(),
            );
            let told = reasons(&decoded.poison);
            assert!(
                matches!(told[..], [(at, text)] if at == row && text.contains(expected)),
                "{told:?}: {expected}"
            );
            assert_eq!(decoded.values.null_count(), 1);
        }
    }
}

/// What a field of an Avro type becomes, and why it is refused.
fn avro_cell(data_type: &str, payload: &[u8]) -> Result<ArrayRef, String> {
    let schema = format!(
        r#"{{"type": "record", "name": "R", "fields": [{{"name": "f", "type": {data_type}}}]}}"#
    );
    let decoded = decode(&AvroPayloads::bare(&schema).unwrap(), &[Some(payload)]);
    match decoded.poison.into_iter().next() {
        Some(poison) => Err(poison.reason),
        None => Ok(column(&decoded.values, "f")),
    }
}

#[test]
fn avro_that_another_schema_has_written_is_no_value_of_this_one() {
    let int = |payload: Vec<u8>, data_type: &str| {
        let cell = avro_cell(data_type, &payload)?;
        let cell = cell.as_primitive::<Int32Type>();
        Ok((!cell.is_null(0)).then(|| cell.value(0)))
    };
    let seven = |branch: i64| [long(branch), long(7)].concat();
    assert_eq!(int(seven(1), r#"["null", "int"]"#), Ok(Some(7)));
    assert_eq!(int(long(0), r#"["null", "int"]"#), Ok(None));
    for branch in [2, -1, 1 << 32, i64::MIN] {
        for (payload, data_type) in [
            (seven(branch), r#"["null", "int"]"#),
            (long(branch), r#"["int", "null"]"#),
        ] {
            let refused: Result<Option<i32>, String> = int(payload, data_type);
            let reason = refused.unwrap_err();
            assert!(
                reason.contains(&format!("branch {branch} of a union that has 2")),
                "{reason}"
            );
        }
    }
    for (byte, expected) in [(0, Some(false)), (1, Some(true)), (2, None), (255, None)] {
        let cell = avro_cell(r#""boolean""#, &[byte]);
        assert_eq!(cell.ok().map(|cell| cell.as_boolean().value(0)), expected);
    }
}

#[test]
fn a_union_is_looked_at_wherever_it_is() {
    let union = r#"["null", "int"]"#;
    let record = format!(
        r#"{{"type": "record", "name": "In", "fields": [{{"name": "g", "type": {union}}}]}}"#
    );
    let again = format!(
        r#"{{"type": "record", "name": "Two", "namespace": "a", "fields": [{{"name": "x", "type": {record}}}, {{"name": "y", "type": "In"}}]}}"#
    );
    let (good, bad) = (long(0), long(2));
    let text = [long(1), b"k".to_vec()].concat();
    let cases: [(String, Vec<u8>, Vec<u8>); 5] = [
        (record, Vec::new(), Vec::new()),
        (again, good.clone(), Vec::new()),
        (
            format!(r#"{{"type": "array", "items": {union}}}"#),
            [long(2), good.clone()].concat(),
            long(0),
        ),
        (
            format!(r#"{{"type": "array", "items": {union}}}"#),
            [long(-1), long(1)].concat(),
            long(0),
        ),
        (
            format!(r#"{{"type": "map", "values": {union}}}"#),
            [long(1), text].concat(),
            long(0),
        ),
    ];
    for (data_type, before, after) in cases {
        let payload = |branch: &[u8]| [&before, branch, &after].concat();
        assert!(
            avro_cell(&data_type, &payload(&good)).is_ok(),
            "{data_type}"
        );
        let reason = avro_cell(&data_type, &payload(&bad)).unwrap_err();
        assert!(reason.contains("branch 2"), "{data_type}: {reason}");
    }
}

#[test]
fn a_decimal_of_avro_has_the_digits_that_its_schema_allows() {
    let bytes = r#"{"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 1}"#;
    let fixed = r#"{"type": "fixed", "size": 20, "name": "D", "logicalType": "decimal", "precision": 3, "scale": 1}"#;
    for (number, fits) in [
        (999_i64, true),
        (-999, true),
        (1_000, false),
        (-1_000, false),
        (i64::MAX, false),
    ] {
        let sign = if number < 0 { 0xff } else { 0 };
        let wide = [&[sign; 12][..], &number.to_be_bytes()].concat();
        for payload in [number.to_be_bytes().to_vec(), wide.clone()] {
            let cell = avro_cell(bytes, &[long(payload.len() as i64), payload].concat());
            assert_eq!(cell.is_ok(), fits, "{number}: {cell:?}");
        }
        assert_eq!(avro_cell(fixed, &wide).is_ok(), fits, "{number}");
    }
    let beyond = [&[1_u8][..], &[0; 16]].concat();
    assert!(avro_cell(bytes, &[long(17), beyond].concat()).is_err());
}

#[test]
fn nanoseconds_of_avro_are_cut_to_microseconds() {
    for (logical, zone) in [
        ("timestamp-nanos", Some("+00:00")),
        ("local-timestamp-nanos", None),
    ] {
        let data_type = format!(r#"{{"type": "long", "logicalType": "{logical}"}}"#);
        for (nanos, micros) in [
            (1_700_000_000_123_456_789, 1_700_000_000_123_456),
            (-1, -1),
            (-1_001, -2),
        ] {
            let cell = avro_cell(&data_type, &long(nanos)).unwrap();
            assert_eq!(
                *cell.data_type(),
                DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into))
            );
            assert_eq!(
                cell.as_primitive::<TimestampMicrosecondType>().value(0),
                micros
            );
        }
    }
}

#[test]
fn schemas_that_are_none_are_refused() {
    for schema in [
        "",
        "{",
        "7",
        r#"{"type": "record", "name": "A"}"#,
        r#"{"type": "unheard"}"#,
    ] {
        assert!(AvroPayloads::bare(schema).is_err(), "{schema}");
        assert!(AvroPayloads::framed(schema).is_err(), "{schema}");
    }
}

/// The result of each payload alone must be the same as among others.
fn spoils_no_other(
    decoder: &dyn PayloadDecoder,
    payloads: &[Option<Vec<u8>>],
) -> Result<(), TestCaseError> {
    let all: Vec<Option<&[u8]>> = payloads.iter().map(|each| each.as_deref()).collect();
    let decoded = decode(decoder, &all);
    let mut poison = decoded.poison.iter();
    for (row, payload) in all.iter().enumerate() {
        let alone = decode(decoder, &[*payload]);
        prop_assert_eq!(&alone.values, &decoded.values.slice(row, 1), "row {}", row);
        for expected in &alone.poison {
            let told = poison.next();
            prop_assert_eq!(
                told.map(|each| (each.row, &each.reason)),
                Some((row, &expected.reason))
            );
        }
        prop_assert_eq!(
            alone.values.is_null(0),
            payload.is_none() || !alone.poison.is_empty()
        );
    }
    prop_assert!(poison.next().is_none());
    Ok(())
}

fn json_payload() -> impl Strategy<Value = Option<Vec<u8>>> {
    let member = prop_oneof![
        any::<i64>().prop_map(|id| format!(r#""id":{id}"#)),
        any::<f64>().prop_map(|id| format!(r#""id":{id}"#)),
        "[a-z\"\\\\]{0,4}".prop_map(|text| format!(r#""what":"{text}""#)),
        Just(r#""parts":[1,2]"#.to_owned()),
        Just(r#""parts":["x"]"#.to_owned()),
        Just(r#""inner":{"deep":1.5}"#.to_owned()),
        Just(r#""at":"yesterday""#.to_owned()),
        Just(r#""other":[[{"a":null}],true]"#.to_owned()),
    ];
    let object = prop::collection::vec(member, 0..4)
        .prop_map(|members| format!("{{{}}}", members.join(",")).into_bytes());
    prop_oneof![
        6 => object.clone().prop_map(Some),
        1 => (object, any::<prop::sample::Index>()).prop_map(|(mut text, at)| { text.truncate(at.index(text.len())); Some(text) }),
        1 => prop::collection::vec(any::<u8>(), 0..12).prop_map(Some),
        1 => Just(None),
    ]
}

fn avro_payload() -> impl Strategy<Value = Option<Vec<u8>>> {
    let good = (
        any::<i64>(),
        prop::option::of("[a-z]{0,5}"),
        prop::collection::vec(any::<i32>(), 0..4),
    )
        .prop_map(|(id, what, parts)| framed(1, &order(id, what.as_deref(), &parts)));
    let old = any::<i32>().prop_map(|id| framed(2, &long(id.into())));
    prop_oneof![
        4 => good.clone().prop_map(Some),
        2 => old.prop_map(Some),
        2 => (good, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            Some(bytes)
        }),
        1 => (0_u32..4, prop::collection::vec(any::<u8>(), 0..24)).prop_map(|(id, body)| Some(framed(id, &body))),
        1 => Just(None),
    ]
}

proptest! {
    #[test]
    fn json_spoils_no_other(payloads in prop::collection::vec(json_payload(), 0..40)) {
        spoils_no_other(&json(), &payloads)?;
    }

    #[test]
    fn avro_spoils_no_other(payloads in prop::collection::vec(avro_payload(), 0..40)) {
        let mut decoder = AvroPayloads::framed(ORDER).unwrap();
        decoder.add_schema(1, Ok(ORDER.to_owned()));
        decoder.add_schema(2, Ok(OLD_ORDER.to_owned()));
        spoils_no_other(&decoder, &payloads)?;
    }
}
