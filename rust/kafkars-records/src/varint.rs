//! Zigzag varints, as records use them. Private and small: this is the hottest code of the crate.

/// The longest encoding of a 64-bit varint in bytes.
pub(crate) const MAX_VARLONG: usize = 10;

/// Reads a 32-bit varint at `position` and moves behind it.
#[inline(always)]
pub(crate) fn read_varint(data: &[u8], position: &mut usize) -> Option<i32> {
    Some(unzigzag32(read_zigzag32(data, position)?))
}

/// Reads a length at `position` and moves behind it. The inner `None` is a negative length, which means null.
///
/// The next record cannot be found before this length is known, so testing the sign bit is worth it, instead of
/// decoding.
#[inline(always)]
pub(crate) fn read_length(data: &[u8], position: &mut usize) -> Option<Option<usize>> {
    let zigzag = read_zigzag32(data, position)?;
    Some(if zigzag & 1 == 0 {
        Some((zigzag >> 1) as usize)
    } else {
        None
    })
}

#[inline(always)]
fn read_zigzag32(data: &[u8], position: &mut usize) -> Option<u32> {
    let first = *data.get(*position)?;
    if first < 0x80 {
        *position += 1;
        return Some(u32::from(first));
    }
    let second = *data.get(*position + 1)?;
    if second < 0x80 {
        *position += 2;
        return Some(u32::from(first & 0x7f) | u32::from(second) << 7);
    }
    u32::try_from(read_long_tail(data, position)?).ok()
}

/// Reads a 64-bit varint at `position` and moves behind it.
#[inline(always)]
pub(crate) fn read_varlong(data: &[u8], position: &mut usize) -> Option<i64> {
    let first = *data.get(*position)?;
    if first < 0x80 {
        *position += 1;
        return Some(unzigzag64(u64::from(first)));
    }
    let second = *data.get(*position + 1)?;
    if second < 0x80 {
        *position += 2;
        return Some(unzigzag64(u64::from(first & 0x7f) | u64::from(second) << 7));
    }
    Some(unzigzag64(read_long_tail(data, position)?))
}

/// The general case: starts again at `position` and takes up to ten bytes. Bits beyond the 64th are an error.
#[inline(never)]
fn read_long_tail(data: &[u8], position: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for (index, &byte) in data.get(*position..)?.iter().take(MAX_VARLONG).enumerate() {
        if index == MAX_VARLONG - 1 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *position += index + 1;
            return Some(value);
        }
    }
    None
}

/// Writes `value` to the front of `out`. Returns how many bytes it took.
#[inline(always)]
pub(crate) fn write_varlong(out: &mut [u8; MAX_VARLONG], value: i64) -> usize {
    let mut rest = zigzag64(value);
    let mut length = 0;
    while rest >= 0x80 && length < MAX_VARLONG - 1 {
        out[length] = rest as u8 | 0x80;
        rest >>= 7;
        length += 1;
    }
    out[length] = rest as u8;
    length + 1
}

/// Appends `value` to `out`.
#[inline(always)]
pub(crate) fn push_varlong(out: &mut Vec<u8>, value: i64) {
    let zigzag = zigzag64(value);
    if zigzag < 0x80 {
        out.push(zigzag as u8);
        return;
    }
    // Most of the others: two bytes are stored at once, where a slice of any length would be copied by a call.
    if zigzag < 0x4000 {
        out.extend_from_slice(&[zigzag as u8 | 0x80, (zigzag >> 7) as u8]);
        return;
    }
    let mut bytes = [0; MAX_VARLONG];
    let length = write_varlong(&mut bytes, value);
    out.extend_from_slice(&bytes[..length]);
}

/// The bytes that `value` takes: one for each seven bits or part of them.
#[inline(always)]
pub(crate) fn varlong_size(value: i64) -> usize {
    // Multiplying by 9 and dividing by 64 is exact enough as a division by 7 for 1 to 64 bits, and faster.
    let bits = 64 - (zigzag64(value) | 1).leading_zeros() as usize;
    (bits * 9 + 64) / 64
}

#[inline(always)]
fn unzigzag32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

#[inline(always)]
fn unzigzag64(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[inline(always)]
fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around each boundary of the encoded length, some of them with bytes worked out by hand.
    #[test]
    fn varints_have_the_bytes_of_the_format_and_read_back() {
        for (value, expected) in [
            (0_i64, &[0_u8][..]),
            (-1, &[1]),
            (1, &[2]),
            (63, &[0x7e]),
            (-64, &[0x7f]),
            (64, &[0x80, 0x01]),
            (300, &[0xd8, 0x04]),
            (-8193, &[0x81, 0x80, 0x01]),
            (i64::from(i32::MAX), &[0xfe, 0xff, 0xff, 0xff, 0x0f]),
            (i64::from(i32::MIN), &[0xff, 0xff, 0xff, 0xff, 0x0f]),
            (
                i64::MAX,
                &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            ),
            (
                i64::MIN,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            ),
        ] {
            let mut out = Vec::new();
            push_varlong(&mut out, value);
            assert_eq!(out, expected);
            assert_eq!(varlong_size(value), expected.len());
            let mut position = 0;
            assert_eq!(read_varlong(&out, &mut position), Some(value));
            assert_eq!(position, out.len());
            if let Ok(narrow) = i32::try_from(value) {
                position = 0;
                assert_eq!(read_varint(&out, &mut position), Some(narrow));
            }
        }
    }

    #[test]
    fn sizes_agree_with_the_writer_for_every_bit_length() {
        for shift in 0..64 {
            for value in [
                1_i64 << shift,
                (1_i64 << shift).wrapping_sub(1),
                -(1_i64 << shift).wrapping_add(1),
            ] {
                let mut out = Vec::new();
                push_varlong(&mut out, value);
                assert_eq!(out.len(), varlong_size(value), "{value}");
            }
        }
    }

    #[test]
    fn endless_and_overflowing_varints_are_refused() {
        assert_eq!(read_varint(&[0x80; 20], &mut 0), None);
        assert_eq!(read_varlong(&[0xff; 20], &mut 0), None);
        assert_eq!(read_varint(&[0xff, 0xff, 0xff, 0xff, 0x1f], &mut 0), None);
        assert_eq!(read_varlong(&[0x80, 0x80], &mut 0), None);
        assert_eq!(read_varint(&[], &mut 0), None);
    }
}
