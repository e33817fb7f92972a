//! What is built is read back, record by record.

use kafkars_records::{BatchBuilder, Compression, Header, ProducerFields, ReadLimits, batches};

#[test]
fn an_uncompressed_batch_reads_back_as_it_was_built() {
    let mut builder = BatchBuilder::new(0);
    let headers = [
        Header {
            key: "a",
            value: Some(b"1"),
        },
        Header {
            key: "",
            value: None,
        },
    ];
    assert_eq!(
        builder.append(1_000, Some(b"key"), Some(b"value"), &headers),
        0
    );
    assert_eq!(builder.append(900, None, Some(b""), &[]), 1);
    assert_eq!(builder.append(2_000, Some(b""), None, &[]), 2);
    let sealed = builder
        .seal(Compression::NONE, ProducerFields::default())
        .unwrap();

    let raw: Vec<_> = batches(sealed.bytes).collect::<Result<_, _>>().unwrap();
    let batch = raw[0].open(&ReadLimits::default()).unwrap();
    let views: Vec<_> = batch.records().collect();
    let timestamps: Vec<_> = views.iter().map(|view| view.timestamp).collect();
    assert_eq!(timestamps, [1_000, 900, 2_000]);
    assert_eq!(batch.header.max_timestamp, 2_000);
    assert_eq!(
        views[0].key.map(|span| batch.slice(span)),
        Some(&b"key"[..])
    );
    assert_eq!(views[1].key, None);
    assert_eq!(views[1].value.map(|span| batch.slice(span)), Some(&b""[..]));
    assert_eq!(views[2].value, None);
    let read: Vec<_> = batch
        .headers(&views[0])
        .map(|header| (header.key, header.value.map(|span| batch.slice(span))))
        .collect();
    assert_eq!(read, [(&b"a"[..], Some(&b"1"[..])), (&b""[..], None)]);
    assert_eq!(batch.header.next_offset(), 3);
}
