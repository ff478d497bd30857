//! `mayhap.toml`: the options that `mayhap test` and `mayhap replay` have in a project, so that nobody types them.
//!
//! A key is the long name of an option of `mayhap test`, and `specification` names the file:
//!
//! ```toml
//! specification = "specs/kv.may"
//! sut = "http://127.0.0.1:7000"
//! start = "./server --port 7000"
//! header = ["Authorization: Bearer ${TOKEN}"]
//!
//! [profile.staging]
//! sut = "https://staging.example"
//! reset = "./empty-staging"
//! ```
//!
//! The keys at the top hold for each profile. An option of the command line replaces that of the configuration. The configuration
//! becomes options, which are parsed as if they had been typed.

use super::arguments::testing_arguments::REGRESSIONS;
use super::arguments::{Arguments, Command};
use super::terminal::files;
use super::test::replay;
use clap::builder::Command as Definition;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, Error, FromArgMatches};
use mayhap::report::campaign::shell::word;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The name of the file.
const FILE: &str = "mayhap.toml";
/// The key of the specification's file, which is no option of `mayhap test`.
const SPECIFICATION: &str = "specification";
/// The options that stand for one call only.
const OF_A_CALL: [&str; 6] = ["help", "check-adapter", "baseline-update", "profile", "config", "no-config"];
/// The options whose values are paths.
const PATHS: [&str; 4] = [SPECIFICATION, "regressions", "baseline", "tls-ca"];

/// Parses a command line, completed by the configuration.
///
/// # Errors
/// The command line or the configuration is wrong, or help was asked for.
pub fn parse(given: &[OsString]) -> Result<Arguments, Error> {
    let definition = Arguments::command();
    let is_of_project = |said: &ArgMatches| matches!(said.subcommand_name(), Some("test" | "replay"));
    let (said, missing) = match definition.clone().try_get_matches_from(given) {
        // What only the configuration says may be missing here.
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => {
            match definition.clone().ignore_errors(true).try_get_matches_from(given) {
                Ok(lenient) if is_of_project(&lenient) => (lenient, Some(error)),
                _ => return Err(error),
            }
        }
        said => (said?, None),
    };
    let Some((name, own)) = said.subcommand().filter(|_| is_of_project(&said)) else {
        return Arguments::from_arg_matches(&said);
    };
    let Some(configuration) = ProjectConfiguration::find(own, &definition)? else {
        return missing.map_or_else(|| with_again(&said, own, &definition), Err);
    };
    let of = definition.find_subcommand(name).unwrap_or(&definition);
    let settings: Vec<&ConfiguredOption> =
        configuration.settings.iter().filter(|setting| setting.is_open(of, own)).collect();
    let at = given.iter().position(|word| *word == name).map_or(given.len(), |at| at + 1);
    let added = settings.iter().flat_map(|setting| configuration.words(setting, of)).map(OsString::from);
    let all: Vec<OsString> = given[..at].iter().cloned().chain(added).chain(given[at..].iter().cloned()).collect();
    let completed = definition.clone().try_get_matches_from(&all);
    let completed = completed.and_then(|all| with_again(&all, own, &definition));
    completed.map_err(|error| configuration.placed(error, &settings))
}

/// The parsed command line, with the options with which a script of this test is run again: those that were typed.
fn with_again(all: &ArgMatches, own: &ArgMatches, definition: &Definition) -> Result<Arguments, Error> {
    let mut arguments = Arguments::from_arg_matches(all)?;
    if let Command::Test(options) = &mut arguments.command {
        options.system.again = again(own, definition);
    }
    Ok(arguments)
}

/// The typed options of a test that a replay needs, too.
fn again(own: &ArgMatches, definition: &Definition) -> String {
    let options = definition.find_subcommand("replay").into_iter().flat_map(Definition::get_arguments);
    let mut words = Vec::new();
    for (id, long) in options.filter_map(|option| Some((option.get_id().as_str(), option.get_long()?))) {
        // A script says which constants were set, and of which file.
        let is_typed = own.try_contains_id(id).is_ok() && own.value_source(id) == Some(ValueSource::CommandLine);
        if !is_typed || matches!(id, "constants" | "file") {
            continue;
        }
        let values: Vec<String> =
            own.get_raw(id).into_iter().flatten().map(|raw| raw.to_string_lossy().into_owned()).collect();
        match own.try_get_one::<bool>(id) {
            Ok(Some(_)) => words.push(format!("--{long}")),
            _ => words.extend(values.iter().map(|value| format!("--{long} {}", word(&public(id, value))))),
        }
    }
    words.join(" ")
}

/// The value of an option as it may be shown: of a header that was typed with its secret, only the name.
fn public(id: &str, value: &str) -> String {
    const SECRETS: [&str; 6] = ["authorization", "cookie", "token", "key", "secret", "password"];
    let is_secret = |name: &str| SECRETS.iter().any(|word| name.to_ascii_lowercase().contains(word));
    match value.split_once(':') {
        Some((name, _)) if id == "headers" && is_secret(name) && !value.contains("${") => format!("{name}: …"),
        _ => value.to_owned(),
    }
}

/// The options that a configuration gives.
struct ProjectConfiguration {
    file: PathBuf,
    /// The text of the file.
    text: String,
    /// The keys that it may have.
    known: Vec<String>,
    settings: Vec<ConfiguredOption>,
}

/// A key of the configuration, with its values as they would be typed.
struct ConfiguredOption {
    key: String,
    values: Vec<String>,
    /// The place of the key in the file.
    offset: usize,
}

impl ProjectConfiguration {
    /// Reads the configuration of a call, if there is one.
    fn find(own: &ArgMatches, definition: &Definition) -> Result<Option<ProjectConfiguration>, Error> {
        if own.value_source("no_config") == Some(ValueSource::CommandLine) {
            return Ok(None);
        }
        let named = own.get_one::<PathBuf>("config");
        let Some(file) = named.cloned().or_else(upwards) else {
            return match own.get_one::<String>("profile") {
                Some(profile) => {
                    Err(refused(format!("--profile {profile}: there is no {FILE} here or in a directory above")))
                }
                None => Ok(None),
            };
        };
        if named.is_none() && !is_own(&file) {
            let shown = files::shown(&file);
            return Err(refused(format!(
                "{shown} belongs to somebody else: --config {shown} uses it, --no-config does without"
            )));
        }
        let text = files::read_text(&file).map_err(refused)?;
        let profile = own.get_one::<String>("profile").cloned().or_else(|| profile_of_script(own));
        let known = keys(definition);
        let mut configuration = ProjectConfiguration { file, text, known, settings: Vec::new() };
        configuration.settings = configuration.read(profile.as_deref())?;
        Ok(Some(configuration))
    }

    fn read(&self, profile: Option<&str>) -> Result<Vec<ConfiguredOption>, Error> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, error.message())
        })?;
        let mut settings = BTreeMap::new();
        let mut profiles: BTreeMap<&str, &DeTable<'_>> = BTreeMap::new();
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("profile", DeValue::Table(all)) => {
                    for (name, value) in all {
                        let DeValue::Table(own) = value.get_ref() else {
                            return Err(self.error(name.span().start, "a profile is a table, as in [profile.staging]"));
                        };
                        profiles.insert(name.get_ref(), own);
                    }
                }
                ("profile", _) => {
                    return Err(self.error(key.span().start, "profiles are tables, as in [profile.staging]"));
                }
                (name, value) => _ = settings.insert(name.to_owned(), self.setting(name, key.span().start, value)?),
            }
        }
        for (name, own) in &profiles {
            for (key, value) in *own {
                // Those of other profiles are checked, too.
                let setting = self.setting(key.get_ref(), key.span().start, value.get_ref())?;
                if profile == Some(*name) {
                    settings.insert(setting.key.clone(), setting);
                }
            }
        }
        match profile.filter(|profile| !profiles.contains_key(*profile)) {
            Some(profile) => {
                let has: Vec<&str> = profiles.keys().copied().collect();
                let has = if has.is_empty() { "it has none".to_owned() } else { format!("it has {}", has.join(", ")) };
                Err(refused(format!("{} has no profile {profile:?}: {has}", files::shown(&self.file))))
            }
            None => {
                let beside =
                    ConfiguredOption { key: "regressions".into(), values: vec![REGRESSIONS.into()], offset: 0 };
                settings.entry("regressions".into()).or_insert(beside);
                Ok(settings.into_values().collect())
            }
        }
    }

    fn setting(&self, key: &str, offset: usize, value: &DeValue<'_>) -> Result<ConfiguredOption, Error> {
        if !self.known.iter().any(|known| known == key) {
            let near = self.known.iter().max_by(|a, b| strsim::jaro(a, key).total_cmp(&strsim::jaro(b, key)));
            let meant =
                near.filter(|near| strsim::jaro(near, key) > 0.8).map(|near| format!(": did you mean {near:?}?"));
            return Err(
                self.error(offset, &format!("{key:?} is no option of mayhap test{}", meant.unwrap_or_default()))
            );
        }
        let values = values(value, key).ok_or_else(|| {
            self.error(
                offset,
                &format!("{key:?} is a text, a number, true or false, a list of these, or a table of names and values"),
            )
        })?;
        Ok(ConfiguredOption { key: key.to_owned(), values, offset })
    }

    /// The words of a setting, as they are typed.
    fn words(&self, setting: &ConfiguredOption, of: &Definition) -> Vec<String> {
        let key = setting.key.as_str();
        let values = setting.values.iter().map(|value| self.as_typed_here(key, value));
        if key == SPECIFICATION && of.get_name() == "test" {
            return values.collect();
        }
        let key = if key == SPECIFICATION { "for" } else { key };
        match option(of, key).is_some_and(|option| matches!(option.get_action(), ArgAction::SetTrue)) {
            true => setting.values.iter().filter(|value| *value == "true").map(|_| format!("--{key}")).collect(),
            false => values.map(|value| format!("--{key}={value}")).collect(),
        }
    }

    /// A value as it is typed in the working directory: paths and commands of the configuration start at its own directory.
    fn as_typed_here(&self, key: &str, value: &str) -> String {
        let Some(directory) = self.file.parent().filter(|directory| !directory.as_os_str().is_empty()) else {
            return value.to_owned();
        };
        let path = |path: &str| directory.join(path).display().to_string();
        let command = |command: &str| format!("cd {} && {command}", word(&directory.display().to_string()));
        match (key, value) {
            ("start", _) => command(value),
            ("reset", "restart" | "none") => value.to_owned(),
            ("reset", _) => match value.strip_prefix("restart:") {
                Some(cleaning) => format!("restart: {}", command(cleaning.trim())),
                None => command(value),
            },
            ("sut", _) => {
                value.strip_prefix("stdio:").map_or(value.to_owned(), |adapter| format!("stdio:{}", command(adapter)))
            }
            ("report", _) => {
                value.split_once(':').map_or(value.to_owned(), |(format, file)| format!("{format}:{}", path(file)))
            }
            (key, _) if PATHS.contains(&key) => path(value),
            _ => value.to_owned(),
        }
    }

    /// An error of the parser, with the place of the setting that it is about.
    fn placed(&self, error: Error, settings: &[&ConfiguredOption]) -> Error {
        let about = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(about)) => about.clone(),
            _ => return error,
        };
        let is_about =
            |setting: &&&ConfiguredOption| about.split([' ', '=']).next() == Some(&format!("--{}", setting.key));
        let Some(setting) = settings.iter().find(is_about) else { return error };
        let text = error.to_string();
        let said = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        self.error(setting.offset, said)
    }

    fn error(&self, offset: usize, what: &str) -> Error {
        let line = self.text[..offset.min(self.text.len())].matches('\n').count() + 1;
        refused(format!("{}:{line}: {what}", files::shown(&self.file)))
    }
}

impl ConfiguredOption {
    /// Tests whether a command has this option, and it was not typed.
    fn is_open(&self, of: &Definition, own: &ArgMatches) -> bool {
        let key = match (self.key.as_str(), of.get_name()) {
            (SPECIFICATION, "test") => return own.value_source("file").is_none(),
            (SPECIFICATION, _) => "for",
            (key, _) => key,
        };
        option(of, key)
            .is_some_and(|option| own.value_source(option.get_id().as_str()) != Some(ValueSource::CommandLine))
    }
}

/// The keys that a configuration may have.
fn keys(definition: &Definition) -> Vec<String> {
    let options = definition.find_subcommand("test").into_iter().flat_map(Definition::get_arguments);
    let names = options.filter_map(|option| option.get_long()).filter(|name| !OF_A_CALL.contains(name));
    std::iter::once(SPECIFICATION).chain(names).map(str::to_owned).collect()
}

fn option<'d>(of: &'d Definition, long: &str) -> Option<&'d clap::Arg> {
    of.get_arguments().find(|option| option.get_long() == Some(long))
}

/// The nearest configuration: here, or in a directory above.
fn upwards() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let up = here.ancestors().enumerate().find(|(_, directory)| directory.join(FILE).is_file())?.0;
    Some(Path::new(&"../".repeat(up)).join(FILE))
}

/// Tests whether a file belongs to the user, or to the administrator. In a directory that everybody may write, such as `/tmp`,
/// somebody else could put commands for us.
#[cfg(unix)]
fn is_own(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    file.metadata().is_ok_and(|data| data.uid() == 0 || data.uid() == user)
}

#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    true
}

/// The profile that the first script of a replay names.
fn profile_of_script(own: &ArgMatches) -> Option<String> {
    let scripts = own.try_get_many::<PathBuf>("scripts").ok()??.cloned().collect::<Vec<_>>();
    replay::first_header(&scripts).ok()?.0.text("profile")
}

/// The values of a key, as they are typed: `[header]` with `Accept = "text/plain"` gives `Accept: text/plain`.
fn values(value: &DeValue<'_>, key: &str) -> Option<Vec<String>> {
    let between = if key == "header" { ": " } else { "=" };
    match value {
        DeValue::Array(values) => values.iter().map(|value| one(value.get_ref())).collect(),
        DeValue::Table(named) => {
            let named =
                named.iter().map(|(name, value)| Some(format!("{}{between}{}", name.get_ref(), one(value.get_ref())?)));
            named.collect()
        }
        value => Some(vec![one(value)?]),
    }
}

fn one(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(is) => Some(is.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn refused(why: impl std::fmt::Display) -> Error {
    Error::raw(ErrorKind::InvalidValue, format!("{why}\n"))
}
