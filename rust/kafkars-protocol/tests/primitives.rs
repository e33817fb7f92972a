//! Reader and writer, primitive by primitive.

use bytes::Bytes;
use kafkars_protocol::{
    DecodeErrorKind, EncodeErrorKind, Frame, Reader, SEGMENT_THRESHOLD, Uuid, Writer,
};
use proptest::prelude::*;

#[test]
fn numbers_are_big_endian() {
    let mut writer = Writer::new();
    writer.i8(-2);
    writer.u16(0xfffe);
    writer.i32(1);
    writer.i64(-1);
    writer.f64(1.0);
    writer.bool(true);
    writer.uuid(Uuid([7; 16]));
    let bytes = writer.finish().to_bytes();
    assert_eq!(bytes[..7], [0xfe, 0xff, 0xfe, 0, 0, 0, 1]);
    let mut reader = Reader::new(bytes);
    assert_eq!(reader.i8("a"), Ok(-2));
    assert_eq!(reader.u16("b"), Ok(0xfffe));
    assert_eq!(reader.i32("c"), Ok(1));
    assert_eq!(reader.i64("d"), Ok(-1));
    assert_eq!(reader.f64("e"), Ok(1.0));
    assert_eq!(reader.bool("f"), Ok(true));
    assert_eq!(reader.uuid("g"), Ok(Uuid([7; 16])));
    assert_eq!(reader.remaining(), 0);
}

#[test]
fn a_frame_that_ends_early_says_where() {
    let mut reader = Reader::new(Bytes::from_static(&[0, 1, 2, 3, 4, 5]));
    assert_eq!(reader.i32("First"), Ok(0x0001_0203));
    let error = reader.i32("Second").unwrap_err();
    assert_eq!((error.field, error.offset), ("Second", 4));
    assert_eq!(
        error.kind,
        DecodeErrorKind::Truncated {
            needed: 4,
            remaining: 2
        }
    );
    assert_eq!(
        error.to_string(),
        "cannot decode frame, field Second, at byte 4: 4 bytes are needed and 2 are left"
    );
}

#[test]
fn varints_with_too_many_bits_are_refused() {
    let overflow = |bytes: &'static [u8]| Reader::new(Bytes::from_static(bytes));
    for bytes in [&[0xff; 6][..], &[0xff, 0xff, 0xff, 0xff, 0x1f]] {
        let error = overflow(bytes).unsigned_varint("x").unwrap_err();
        assert_eq!(
            (error.kind, error.offset),
            (DecodeErrorKind::VarintOverflow, 0)
        );
    }
    let ten = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03];
    assert_eq!(
        overflow(ten).varlong("x").unwrap_err().kind,
        DecodeErrorKind::VarintOverflow
    );
    let most = &[0xff, 0xff, 0xff, 0xff, 0x0f];
    assert_eq!(overflow(most).unsigned_varint("x"), Ok(u32::MAX));
    assert_eq!(overflow(most).varint("x"), Ok(i32::MIN));
}

#[test]
fn null_is_an_error_only_where_it_has_no_place() {
    for (flexible, null) in [(false, &[0xff, 0xff][..]), (true, &[0][..])] {
        let bytes = Bytes::copy_from_slice(null);
        assert_eq!(
            Reader::new(bytes.clone()).nullable_string(flexible, "x"),
            Ok(None)
        );
        let error = Reader::new(bytes).string(flexible, "x").unwrap_err();
        assert_eq!(
            (error.kind, error.offset),
            (DecodeErrorKind::UnexpectedNull, 0)
        );
    }
}

#[test]
fn lengths_below_null_are_refused() {
    let mut reader = Reader::new(Bytes::from_static(&[0xff, 0xfe]));
    assert_eq!(
        reader.nullable_string(false, "x").unwrap_err().kind,
        DecodeErrorKind::NegativeLength(-2)
    );
    let mut reader = Reader::new(Bytes::from_static(&[0x80, 0, 0, 0]));
    let kind = reader.nullable_bytes(false, "x").unwrap_err().kind;
    assert_eq!(kind, DecodeErrorKind::NegativeLength(i32::MIN.into()));
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let mut reader = Reader::new(Bytes::from_static(&[3, 0xff, 0xfe]));
    let error = reader.string(true, "x").unwrap_err();
    assert_eq!(
        (error.kind, error.offset),
        (DecodeErrorKind::InvalidUtf8, 1)
    );
}

#[test]
fn a_count_is_held_against_the_bytes_that_are_left() {
    let frame = Bytes::from_static(&[0, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        Reader::new(frame.clone()).array_len(false, 2, "x"),
        Ok(Some(4))
    );
    let kind = Reader::new(frame)
        .array_len(false, 3, "x")
        .unwrap_err()
        .kind;
    assert_eq!(
        kind,
        DecodeErrorKind::TooManyElements {
            count: 4,
            remaining: 8
        }
    );
}

#[test]
fn bytes_are_slices_of_the_frame() {
    let frame = Bytes::from(vec![0, 0, 0, 3, 7, 8, 9, 10]);
    let value = Reader::new(frame.clone()).bytes(false, "x").unwrap();
    assert_eq!(value, [7, 8, 9][..]);
    assert_eq!(value.as_ptr(), frame[4..].as_ptr());
}

#[test]
fn large_values_are_segments_of_their_own() {
    let large = Bytes::from(vec![5; SEGMENT_THRESHOLD]);
    let small = Bytes::from(vec![6; SEGMENT_THRESHOLD - 1]);
    let mut writer = Writer::new();
    writer.i32(1);
    writer.bytes(false, "a", &large).unwrap();
    writer.bytes(false, "b", &small).unwrap();
    writer.bytes(true, "c", &large).unwrap();
    let length = writer.len();
    let frame = writer.finish();
    let segments = frame.segments();
    assert_eq!(segments.len(), 4);
    assert_eq!(segments[1].as_ptr(), large.as_ptr());
    assert_eq!(segments[3].as_ptr(), large.as_ptr());
    assert_eq!(frame.len(), length);

    let mut reader = Reader::new(frame.to_bytes());
    assert_eq!(reader.i32(""), Ok(1));
    assert_eq!(reader.bytes(false, ""), Ok(large.clone()));
    assert_eq!(reader.bytes(false, ""), Ok(small));
    assert_eq!(reader.bytes(true, ""), Ok(large));
    assert_eq!(reader.remaining(), 0);
}

#[test]
fn an_empty_writer_is_an_empty_frame() {
    let frame: Frame = Writer::new().finish();
    assert!(frame.is_empty() && frame.segments().is_empty() && frame.to_bytes().is_empty());
}

#[test]
fn a_string_longer_than_its_length_field_is_refused() {
    let long = "x".repeat(32_768);
    for flexible in [false, true] {
        let error = Writer::new().string(flexible, "Name", &long).unwrap_err();
        assert_eq!(
            (error.field, error.kind),
            ("Name", EncodeErrorKind::TooLong(32_768))
        );
        assert!(Writer::new().string(flexible, "Name", &long[1..]).is_ok());
    }
}

#[test]
fn tagged_fields_must_end_where_they_say() {
    let tagged = |bytes: &'static [u8]| {
        let mut reader = Reader::new(Bytes::from_static(bytes));
        let mut seen = None;
        let outcome = reader.tagged_fields(|reader, tag| {
            if tag == 1 {
                seen = Some(reader.i16("Known")?);
            }
            Ok(tag == 1)
        });
        outcome
            .map(|()| (seen, reader.remaining()))
            .map_err(|error| error.kind)
    };
    assert_eq!(
        tagged(&[2, 0, 3, 9, 9, 9, 1, 2, 0, 7, 42]),
        Ok((Some(7), 1))
    );
    let mismatch = DecodeErrorKind::TagSizeMismatch {
        announced: 3,
        used: 2,
    };
    assert_eq!(tagged(&[1, 1, 3, 0, 7, 0]), Err(mismatch));
    let truncated = DecodeErrorKind::Truncated {
        needed: 9,
        remaining: 1,
    };
    assert_eq!(tagged(&[1, 5, 9, 0]), Err(truncated));
    assert!(tagged(&[0xff, 0xff, 0xff, 0xff, 0x0f]).is_err());
}

proptest! {
    #[test]
    fn every_number_comes_back(a: i64, b: i32, c: u32, d: i64) {
        let mut writer = Writer::new();
        writer.varlong(a);
        writer.varint(b);
        writer.unsigned_varint(c);
        writer.i64(d);
        let mut reader = Reader::new(writer.finish().to_bytes());
        prop_assert_eq!(reader.varlong(""), Ok(a));
        prop_assert_eq!(reader.varint(""), Ok(b));
        prop_assert_eq!(reader.unsigned_varint(""), Ok(c));
        prop_assert_eq!(reader.i64(""), Ok(d));
        prop_assert_eq!(reader.remaining(), 0);
    }

    #[test]
    fn every_string_and_value_comes_back(text: Option<String>, value: Option<Vec<u8>>, flexible: bool) {
        let value = value.map(Bytes::from);
        let mut writer = Writer::new();
        writer.nullable_string(flexible, "", text.as_deref()).unwrap();
        writer.nullable_bytes(flexible, "", value.as_ref()).unwrap();
        let mut reader = Reader::new(writer.finish().to_bytes());
        prop_assert_eq!(reader.nullable_string(flexible, ""), Ok(text));
        prop_assert_eq!(reader.nullable_bytes(flexible, ""), Ok(value));
        prop_assert_eq!(reader.remaining(), 0);
    }
}
