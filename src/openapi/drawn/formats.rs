//! Texts in the formats that descriptions name, for requests.
//!
//! For example `date` has `2024-02-29`.

use crate::openapi::naming::alike;

/// Texts of each format, by its name in small letters without other signs.
const FORMATS: [(&[&str], &[&str]); 34] = [
    (&["date", "fulldate"], &["2024-02-29", "1999-12-31", "2000-01-01", "1970-01-01", "2030-07-04"]),
    (
        &["datetime", "timestamp", "iso8601"],
        &["2024-02-29T23:59:59Z", "1999-12-31T00:00:00Z", "2030-07-04T12:30:00+02:00", "2024-06-01T08:00:00.125Z"],
    ),
    (&["time", "fulltime"], &["12:30:00Z", "23:59:59Z", "00:00:00Z"]),
    (&["duration"], &["P1D", "PT1H", "PT30M", "P1DT12H"]),
    (
        &["uuid", "guid", "uuid4"],
        &[
            "7f2c1b9e-5d34-4c6a-9b1e-0a2f3c4d5e6f",
            "00000000-0000-4000-8000-000000000001",
            "b3c7a1d2-9e8f-4a5b-8c6d-7e0f1a2b3c4d",
            "e58ed763-928c-4155-bee9-fdbaaadc15f3",
        ],
    ),
    (&["email", "idnemail"], &["a@example.com", "b.c@example.org", "user+tag@example.net"]),
    (&["hostname", "idnhostname", "host", "fqdn"], &["example.com", "a.example.org", "b-1.example.net"]),
    (&["ipv4", "ip", "ipaddress", "ipaddr", "ipvanyaddress"], &["192.0.2.1", "198.51.100.7", "10.0.0.1"]),
    (&["ipv6"], &["2001:db8::1", "::1", "fe80::1"]),
    (&["cidr", "ipv4network", "ipvanynetwork", "ipvanyinterface"], &["192.0.2.0/24", "10.0.0.0/8"]),
    (&["mac", "macaddress"], &["00:00:5e:00:53:01", "00:00:5e:00:53:ff"]),
    (
        &["uri", "url", "iri", "httpurl"],
        &["https://example.com/", "http://example.org/a?b=c", "https://example.net/a/b"],
    ),
    (&["urireference", "irireference"], &["https://example.com/", "/a/b", "?a=b"]),
    (&["uritemplate"], &["/a/{b}", "/a"]),
    (&["byte", "base64", "base64url"], &["YQ==", "AAEC", "aGVsbG8="]),
    (&["binary"], &["a", "abc", "0"]),
    (&["hex"], &["00", "ff", "0a1b"]),
    (&["decimal", "float", "double", "number", "money"], &["0", "1", "2.50", "100.25", "0.5"]),
    (&["int", "int32", "int64", "uint32", "uint64", "integer", "bigint"], &["0", "1", "7", "100"]),
    (&["password"], &["Passw0rd-1", "correct Horse 2"]),
    (&["jsonpointer"], &["/a/b", "/a/0"]),
    (&["relativejsonpointer"], &["0", "1/a"]),
    (&["regex"], &["^a+$", "[0-9]"]),
    (&["slug"], &["a", "b-c", "x1"]),
    (&["color", "hexcolor"], &["#00ff00", "#123456"]),
    (&["phone", "phonenumber", "e164", "tel"], &["+14155550100", "+442079460000"]),
    (&["country", "countrycode", "iso3166alpha2"], &["DE", "US", "JP"]),
    (&["currency", "currencycode", "iso4217"], &["EUR", "USD", "JPY"]),
    (&["language", "languagecode", "locale", "bcp47"], &["en", "de", "fr"]),
    (&["timezone", "tz"], &["UTC", "Europe/Berlin"]),
    (&["ulid"], &["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ"]),
    (&["objectid", "mongoid"], &["507f1f77bcf86cd799439011", "507f191e810c19729de860ea"]),
    (&["semver", "version"], &["1.0.0", "2.1.3"]),
    (&["creditcard"], &["4111111111111111"]),
];

/// The texts of a format; empty for a format that is not known.
pub fn texts(format: &str) -> &'static [&'static str] {
    let wanted = alike(format);
    FORMATS.iter().find(|(names, _)| names.contains(&wanted.as_str())).map_or(&[], |(_, texts)| texts)
}
