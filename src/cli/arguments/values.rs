//! The values of single arguments: `--set NAME=VALUE` and `--range choose=LO..HI`.
//!
//! `"choose=-3..10".parse::<RangeArg>()` is the range from −3 to 9 for the choices of the server.

use mayhap::server::Ranges;
use mayhap::trace::TraceFormat;
use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

/// `NAME=VALUE`: a constant of the specification, with another value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantArg {
    /// The name of the constant.
    pub name: String,
    /// The value, as an expression of the language.
    pub value: String,
}

impl FromStr for ConstantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ConstantArg, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                Ok(ConstantArg { name: name.trim().into(), value: value.trim().into() })
            }
            Some(_) | None => Err("expected NAME=VALUE, as in LIMIT=10".into()),
        }
    }
}

/// The format of a trace with this name.
///
/// # Errors
/// There is no such format.
pub fn trace_format(name: &str) -> Result<TraceFormat, String> {
    let named = TraceFormat::ALL.into_iter().find(|format| format.name() == name);
    named.ok_or_else(|| format!("expected one of {}", TraceFormat::ALL.map(TraceFormat::name).join(", ")))
}

/// `WHAT=LO..HI`: the range that integers are drawn from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeArg {
    /// The integers that the range is for.
    pub what: RangeUse,
    /// The first integer of the range.
    pub low: i64,
    /// The first integer after the range.
    pub high: i64,
}

/// The integers that a range is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeUse {
    /// The integers in requests.
    Request,
    /// The integers that the server chooses.
    Choose,
}

impl FromStr for RangeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<RangeArg, String> {
        let expected = || "expected request=LO..HI or choose=LO..HI, as in choose=0..10".to_string();
        let (what, range) = text.split_once('=').ok_or_else(expected)?;
        let what = match what {
            "request" => RangeUse::Request,
            "choose" => RangeUse::Choose,
            _ => return Err(expected()),
        };
        let (low, high) = range.split_once("..").ok_or_else(expected)?;
        let (low, high) = (integer(low).ok_or_else(expected)??, integer(high).ok_or_else(expected)??);
        if low >= high {
            return Err(format!("the range {low}..{high} is empty, since {high} is excluded"));
        }
        Ok(RangeArg { what, low, high })
    }
}

/// An integer of 64 bits; `None` if the text has other characters than an integer.
fn integer(text: &str) -> Option<Result<i64, String>> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_one = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_one.then(|| text.parse().map_err(|_| format!("{text} is too large: expected integers of 64 bits")))
}

/// Parses a number, which may be 0.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn count<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    number(text, "at least 0, as in 20")
}

/// Parses a number of at least 1.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn positive(text: &str) -> Result<NonZeroUsize, String> {
    number(text, "at least 1")
}

/// The number of times that each branch is to be taken, unless another one is said.
const USUAL_TIMES: u64 = 10;

/// Parses the end of a test: `covered`, or `covered=N`.
///
/// # Errors
/// The text is no such end.
pub fn until(text: &str) -> Result<u64, String> {
    match text.split_once('=') {
        None if text == "covered" => Ok(USUAL_TIMES),
        Some(("covered", times)) => positive(times).map(|times| times.get() as u64),
        _ => Err("expected covered or covered=N, as in covered=20".into()),
    }
}

/// The largest size that can be asked for.
const MOST: usize = 64 << 20;

/// Parses a size: a number, or a number of KiB or MiB.
///
/// # Errors
/// The text is no size, or the size is too large.
pub fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match (text.strip_suffix("KiB"), text.strip_suffix("MiB")) {
        (Some(digits), _) => (digits, 1 << 10),
        (_, Some(digits)) => (digits, 1 << 20),
        (None, None) => (text, 1),
    };
    let size = digits.trim().parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    size.filter(|size| *size <= MOST).ok_or_else(|| "expected a size up to 64MiB, as in 8192 or 64KiB".into())
}

fn number<N: FromStr<Err = ParseIntError>>(text: &str, expected: &str) -> Result<N, String> {
    text.parse().map_err(|why: ParseIntError| match why.kind() {
        IntErrorKind::PosOverflow => "this is too large: expected a number of 64 bits".into(),
        _ => format!("expected a number of {expected}"),
    })
}

/// Parses a command for the shell.
///
/// # Errors
/// The command is empty.
pub fn command(text: &str) -> Result<String, String> {
    let is_empty = text.trim().is_empty();
    if is_empty { Err("expected a command for the shell, as in './server'".into()) } else { Ok(text.into()) }
}

/// Parses a share from 0 to 1.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn probability(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, as in 0.01".into())
}

/// Parses a number of requests per second.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-6..=1e9).contains(rate));
    rate.ok_or_else(|| "expected a positive number of requests a second, as in 100".into())
}

/// The longest time that can be given, in seconds: about thirty years.
const LONGEST: f64 = 1e9;

/// Parses a time in seconds, which must be positive.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (f64::MIN_POSITIVE..=LONGEST).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected a positive number of seconds, as in 0.5".into())
}

/// Parses a time in seconds, which may be 0.
///
/// # Errors
/// The text is no such number. The message says what was expected.
pub fn seconds_or_zero(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) { Ok(Duration::ZERO) } else { seconds(text) }
}

/// The last range that was given for each kind of integers.
#[must_use]
pub fn ranges(given: &[RangeArg]) -> Ranges {
    let of = |what| given.iter().rfind(|range| range.what == what).map(|range| (range.low, range.high));
    Ranges { request: of(RangeUse::Request), choose: of(RangeUse::Choose) }
}

/// Parses a header: its name, and its value, in which `${NAME}` stands for a variable of the environment.
///
/// # Errors
/// The text is no header, or a variable is not set.
pub fn header(text: &str) -> Result<(String, String), String> {
    let Some((name, value)) = text.split_once(':') else {
        return Err("expected NAME: VALUE, as in 'Accept: text/plain'".to_owned());
    };
    if !mayhap::spec::http::is_header_name(name) {
        return Err(format!("{name:?} is no name of a header"));
    }
    if mayhap::spec::http::is_framing(name) {
        return Err(format!("the header {name} is written by mayhap itself: it says where a message ends"));
    }
    let (mut out, mut rest) = (String::new(), value.trim());
    while let Some((before, braced)) = rest.split_once("${") {
        let (variable, after) = braced.split_once('}').ok_or("expected `}` after `${` and a name")?;
        let value =
            std::env::var(variable).map_err(|_| format!("the variable {variable} of the environment is not set"))?;
        out.push_str(before);
        out.push_str(value.trim());
        rest = after;
    }
    out.push_str(rest);
    match out.bytes().find(|byte| !(b' '..=b'~').contains(byte)) {
        Some(byte) => Err(format!("the byte {byte} cannot stand in a header")),
        None => Ok((name.to_owned(), out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_constants() {
        let range = RangeArg { what: RangeUse::Choose, low: -3, high: 10 };
        assert_eq!("choose=-3..10".parse(), Ok(range));
        for text in ["", "choose", "choose=1", "choose=3..3", "choose=a..b", "other=1..2", "choose=1..2..3"] {
            assert!(text.parse::<RangeArg>().is_err(), "{text}");
        }
        assert_eq!("N = a=b".parse(), Ok(ConstantArg { name: "N".into(), value: "a=b".into() }));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds_or_zero("0"), Ok(Duration::ZERO));
        assert_eq!([seconds_or_zero("-1"), seconds_or_zero("soon")].map(|read| read.is_err()), [true; 2]);
        for text in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for text in ["choose=0..99999999999999999999", "choose=-99999999999999999999..0"] {
            assert!(text.parse::<RangeArg>().is_err_and(|why| why.contains("integers of 64 bits")), "{text}");
        }
        assert_eq!((count("0"), positive("1")), (Ok(0), Ok(NonZeroUsize::MIN)));
        assert!(count::<u64>("-1").is_err() && positive("0").is_err() && command(" ").is_err());
        assert!("N".parse::<ConstantArg>().is_err() && "=5".parse::<ConstantArg>().is_err());
    }
}
