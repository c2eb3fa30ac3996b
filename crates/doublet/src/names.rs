//! The names of an enum's values, as on the command line and in files: written once.

macro_rules! named {
    ($type:ty: $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// Every value with its name, as on the command line and in files.
            pub const NAMES: &'static [(Self, &'static str)] = &[$((Self::$variant, $name)),+];

            /// The name, as on the command line and in files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                let mut names = Self::NAMES.iter();
                names.find(|(_, own)| *own == name).map(|(value, _)| *value)
            }
        }

        crate::names::written_by_name!($type);
    };
}

/// Writes values as text, and reads them.
macro_rules! written {
    ($type:ty, $write:expr, $read:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(&$write(self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text: String = serde::Deserialize::deserialize(from)?;
                let unknown = || {
                    let name = stringify!($type);
                    serde::de::Error::custom(format_args!("`{text}` is no {name}"))
                };
                $read(&text).ok_or_else(unknown)
            }
        }
    };
}

/// Writes values as their names.
macro_rules! written_by_name {
    ($type:ty) => {
        crate::names::written!($type, |value: &$type| value.name(), <$type>::from_name);
    };
}

/// Writes values as a person gives them.
macro_rules! written_as_given {
    ($type:ty) => {
        crate::names::written!($type, ToString::to_string, |text: &str| text.parse().ok());
    };
}

pub(crate) use {named, written, written_as_given, written_by_name};
