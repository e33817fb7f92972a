//! Acknowledgements say what became of records.

use kafkars_protocol::ErrorCode;

/// An acknowledgement of consecutive records, all of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShareAcknowledgement {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) kind: AcknowledgeType,
}

/// Kafka's acknowledgement types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcknowledgeType {
    /// There is no record at this offset.
    Gap,
    /// The record was handled.
    Accept,
    /// Another member may have the record.
    Release,
    /// Nobody can handle the record.
    Reject,
    /// The member needs more time for the record (KIP-1222).
    Renew,
}

impl AcknowledgeType {
    fn from_code(code: i8) -> Result<Self, ErrorCode> {
        match code {
            0 => Ok(Self::Gap),
            1 => Ok(Self::Accept),
            2 => Ok(Self::Release),
            3 => Ok(Self::Reject),
            4 => Ok(Self::Renew),
            _ => Err(ErrorCode::InvalidRequest),
        }
    }
}

/// Reads batches of acknowledgements: in order, without overlaps, with one type for all their records or one for each.
/// Only a request that says so may renew.
pub(crate) fn parse(
    batches: impl Iterator<Item = (i64, i64, Vec<i8>)>,
    renews: bool,
) -> Result<Vec<ShareAcknowledgement>, ErrorCode> {
    let mut said: Vec<ShareAcknowledgement> = Vec::new();
    let mut end = -1;
    for (first, last, types) in batches {
        let count = last
            .checked_sub(first)
            .and_then(|length| length.checked_add(1));
        let fits = types.len() == 1 || count == Some(types.len() as i64);
        if first <= end || last < first || types.is_empty() || !fits || last == i64::MAX {
            return Err(ErrorCode::InvalidRequest);
        }
        end = last;
        if let [code] = types[..] {
            let kind = AcknowledgeType::from_code(code)?;
            said.push(ShareAcknowledgement { first, last, kind });
            continue;
        }
        for (offset, code) in (first..).zip(types) {
            let kind = AcknowledgeType::from_code(code)?;
            match said.last_mut() {
                Some(before) if before.last + 1 == offset && before.kind == kind => {
                    before.last = offset;
                }
                _ => said.push(ShareAcknowledgement {
                    first: offset,
                    last: offset,
                    kind,
                }),
            }
        }
    }
    if !renews && said.iter().any(|it| it.kind == AcknowledgeType::Renew) {
        return Err(ErrorCode::InvalidRequest);
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(batches: &[(i64, i64, &[i8])]) -> Result<Vec<(i64, i64, AcknowledgeType)>, ErrorCode> {
        let batches = batches
            .iter()
            .map(|(first, last, types)| (*first, *last, types.to_vec()));
        let said = parse(batches, false)?.into_iter();
        Ok(said.map(|it| (it.first, it.last, it.kind)).collect())
    }

    #[test]
    fn types_hold_for_all_records_or_for_one_each() {
        let said = read(&[(0, 2, &[1]), (3, 5, &[2, 2, 3])]).unwrap();
        let expected = [
            (0, 2, AcknowledgeType::Accept),
            (3, 4, AcknowledgeType::Release),
            (5, 5, AcknowledgeType::Reject),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn nonsense_is_refused() {
        let nonsense: [&[(i64, i64, &[i8])]; 8] = [
            &[(0, 2, &[4])],
            &[(3, 2, &[1])],
            &[(0, 1, &[])],
            &[(0, 2, &[1, 1])],
            &[(0, 0, &[9])],
            &[(0, 2, &[1]), (2, 3, &[1])],
            &[(-5, -1, &[1])],
            &[(0, i64::MAX, &[1])],
        ];
        for batches in nonsense {
            assert_eq!(read(batches), Err(ErrorCode::InvalidRequest), "{batches:?}");
        }
    }
}
