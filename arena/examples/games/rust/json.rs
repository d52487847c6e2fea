//! Reads and writes JSON.
#![allow(dead_code)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Index;

/// Values by name.
pub type Fields<'a> = Vec<(&'a str, &'a dyn Value)>;

/// A value that can be written as JSON.
pub trait Value {
    fn write(&self, out: &mut String);
}

macro_rules! plain {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn write(&self, out: &mut String) {
                let _ = write!(out, "{self}"); // a String takes everything
            }
        }
    )*};
}
plain!(bool, u8, u32, u64, usize, i32, i64);

impl Value for str {
    fn write(&self, out: &mut String) {
        quote(out, self);
    }
}

impl Value for String {
    fn write(&self, out: &mut String) {
        quote(out, self);
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Value> Value for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => *out += "null",
        }
    }
}

impl<T: Value> Value for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, value) in self.iter().enumerate() {
            *out += if at > 0 { "," } else { "" };
            value.write(out);
        }
        out.push(']');
    }
}

impl<T: Value> Value for BTreeMap<&str, T> {
    fn write(&self, out: &mut String) {
        object(out, self.iter().map(|(name, value)| (*name, value as _)));
    }
}

impl Value for Json<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Json::Null => *out += "null",
            Json::Bool(value) => value.write(out),
            Json::Number(number) => {
                let _ = write!(out, "{number}");
            }
            Json::Text(text) => quote(out, text),
            Json::List(list) => list.write(out),
            Json::Object(fields) => {
                object(
                    out,
                    fields.iter().map(|(name, value)| (&**name, value as _)),
                );
            }
        }
    }
}

/// Writes an object with one key.
pub fn tagged(out: &mut String, kind: &str, fields: &[(&str, &dyn Value)]) {
    out.push('{');
    quote(out, kind);
    out.push(':');
    object(out, fields.iter().copied());
    out.push('}');
}

/// Writes an object.
pub fn object<'a>(out: &mut String, fields: impl Iterator<Item = (&'a str, &'a dyn Value)>) {
    out.push('{');
    for (at, (name, value)) in fields.enumerate() {
        *out += if at > 0 { "," } else { "" };
        quote(out, name);
        out.push(':');
        value.write(out);
    }
    out.push('}');
}

/// Writes a text in quotes.
pub fn quote(out: &mut String, text: impl Display) {
    struct Escaped<'a>(&'a mut String);
    impl fmt::Write for Escaped<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for c in text.chars() {
                match c {
                    '"' | '\\' => self.0.extend(['\\', c]),
                    c if c < ' ' => write!(self.0, "\\u{:04x}", c as u32)?,
                    c => self.0.push(c),
                }
            }
            Ok(())
        }
    }
    out.push('"');
    let _ = write!(Escaped(out), "{text}");
    out.push('"');
}

/// A JSON value from the arena. Numbers are exact up to 2^53, the maximum that the arena sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Missing values are `Null`, which reads as 0, "" and empty, so that missing fields never panic.
impl<'a> Json<'a> {
    /// Returns a number without its fraction.
    pub fn number(&self) -> i64 {
        if let Json::Number(number) = self {
            *number as i64
        } else {
            0
        }
    }

    /// Returns the number as an index.
    pub fn index(&self) -> usize {
        self.number() as usize
    }

    pub fn bool(&self) -> bool {
        *self == Json::Bool(true)
    }

    pub fn text(&self) -> &str {
        if let Json::Text(text) = self {
            text
        } else {
            ""
        }
    }

    pub fn list(&self) -> &[Json<'a>] {
        if let Json::List(list) = self {
            list
        } else {
            &[]
        }
    }

    pub fn fields(&self) -> &[(Cow<'a, str>, Json<'a>)] {
        if let Json::Object(fields) = self {
            fields
        } else {
            &[]
        }
    }

    /// Returns the first key of an object with its value; messages, events, options and actions have only one.
    pub fn only(&self) -> (&str, &Json<'a>) {
        self.fields()
            .first()
            .map_or(("", &Json::Null), |(key, value)| (key, value))
    }

    /// Returns `true` if the value is in this list of legal values. For a list of lists, the value must be a list with one item from each.
    pub fn offers(&self, value: &Json) -> bool {
        match (self.list(), value.list()) {
            (legal @ [Json::List(_), ..], values) => {
                let mut each = legal.iter().zip(values);
                legal.len() == values.len() && each.all(|(legal, value)| legal.offers(value))
            }
            (legal, _) => legal.contains(value),
        }
    }
}

impl<'a> Index<&str> for Json<'a> {
    type Output = Json<'a>;
    fn index(&self, field: &str) -> &Json<'a> {
        let mut fields = self.fields().iter();
        fields
            .find(|(name, _)| name == field)
            .map_or(&Json::Null, |(_, value)| value)
    }
}

impl<'a> Index<usize> for Json<'a> {
    type Output = Json<'a>;
    fn index(&self, at: usize) -> &Json<'a> {
        self.list().get(at).unwrap_or(&Json::Null)
    }
}

impl Display for Json<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// Parses a JSON value.
pub fn parse(text: &str) -> Result<Json<'_>, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value()?;
    reader.space();
    if reader.at == text.len() {
        Ok(value)
    } else {
        reader.wrong("the end of the line")
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, wanted: &str) -> Result<T, String> {
        Err(format!("{wanted} should be at byte {}", self.at))
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Skips this text if it comes next, and returns whether it did.
    fn next(&mut self, wanted: &str) -> bool {
        self.space();
        let is_next = self.text[self.at..].starts_with(wanted);
        self.at += if is_next { wanted.len() } else { 0 };
        is_next
    }

    fn value(&mut self) -> Result<Json<'a>, String> {
        self.space();
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => Ok(Json::Text(self.string()?)),
            _ if self.next("null") => Ok(Json::Null),
            _ if self.next("true") => Ok(Json::Bool(true)),
            _ if self.next("false") => Ok(Json::Bool(false)),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Result<Json<'a>, String> {
        let mut fields = Vec::new();
        self.at += 1;
        while !self.next("}") {
            if !fields.is_empty() && !self.next(",") {
                return self.wrong("a comma or }");
            }
            self.space();
            let name = self.string()?;
            if !self.next(":") {
                return self.wrong("a colon");
            }
            fields.push((name, self.value()?));
        }
        Ok(Json::Object(fields))
    }

    fn list(&mut self) -> Result<Json<'a>, String> {
        let mut list = Vec::new();
        self.at += 1;
        while !self.next("]") {
            if !list.is_empty() && !self.next(",") {
                return self.wrong("a comma or ]");
            }
            list.push(self.value()?);
        }
        Ok(Json::List(list))
    }

    fn number(&mut self) -> Result<Json<'a>, String> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
            .unwrap_or(rest.len());
        let number = rest[..end].parse().or_else(|_| self.wrong("a value"))?;
        self.at += end;
        Ok(Json::Number(number))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, String> {
        if self.peek() != b'"' {
            return self.wrong("a string");
        }
        self.at += 1;
        let mut string = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let end = rest
                .find(['"', '\\'])
                .map_or_else(|| self.wrong("the end of a string"), Ok)?;
            string += &rest[..end]; // copies nothing as long as there is no escape
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(string);
            }
            let escape = self.peek();
            self.at += 1;
            string.to_mut().push(match escape {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'"' | b'\\' | b'/' => char::from(escape),
                b'u' => self.escaped()?,
                _ => return self.wrong("an escape"),
            });
        }
    }

    /// Decodes the character of `\uD83D\uDE00` or `\u00e9`, after the first `\u`.
    fn escaped(&mut self) -> Result<char, String> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.hexadecimal()?;
            code = 0x1_0000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
        }
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = digits.map_or_else(|| self.wrong("four hexadecimal digits"), Ok)?;
        self.at += 4;
        Ok(code)
    }
}
