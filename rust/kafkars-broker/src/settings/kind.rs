//! The types of settings say which values they take.

/// The type of a setting, with its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SettingType {
    Boolean,
    Int {
        min: i64,
    },
    Long {
        min: i64,
    },
    /// A number from 0 to 1.
    Fraction,
    OneOf(&'static [&'static str]),
    ListOf(&'static [&'static str]),
    List,
    Text,
}

impl SettingType {
    /// Refuses a value with the reason in words.
    pub(crate) fn check(self, value: &str) -> Result<(), String> {
        let value = value.trim();
        match self {
            Self::Boolean if matches!(value, "true" | "false") => Ok(()),
            Self::Boolean => Err("it is neither true nor false".to_owned()),
            Self::Int { min } => match value.parse::<i32>() {
                Ok(number) => at_least(i64::from(number), min),
                Err(_) => Err("it is not a number of type INT".to_owned()),
            },
            Self::Long { min } => match value.parse::<i64>() {
                Ok(number) => at_least(number, min),
                Err(_) => Err("it is not a number of type LONG".to_owned()),
            },
            Self::Fraction => match value.parse::<f64>() {
                Ok(number) if (0.0..=1.0).contains(&number) => Ok(()),
                Ok(_) => Err("it is not between 0 and 1".to_owned()),
                Err(_) => Err("it is not a number of type DOUBLE".to_owned()),
            },
            Self::OneOf(values) if values.contains(&value) => Ok(()),
            Self::ListOf(values) if items(value).all(|item| values.contains(&item)) => Ok(()),
            Self::OneOf(values) | Self::ListOf(values) => {
                Err(format!("possible are: {}", values.join(", ")))
            }
            Self::List | Self::Text => Ok(()),
        }
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self, Self::List | Self::ListOf(_))
    }

    /// The number Kafka's `DescribeConfigs` has for this type.
    pub(crate) fn code(self) -> i8 {
        match self {
            Self::Boolean => 1,
            Self::OneOf(_) | Self::Text => 2,
            Self::Int { .. } => 3,
            Self::Long { .. } => 5,
            Self::Fraction => 6,
            Self::ListOf(_) | Self::List => 7,
        }
    }
}

/// The items of a list as a setting has it. An empty text is an empty list.
pub(crate) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

fn at_least(number: i64, min: i64) -> Result<(), String> {
    if number >= min {
        Ok(())
    } else {
        Err(format!("the least is {min}"))
    }
}
