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
    };
}

pub(crate) use named;
