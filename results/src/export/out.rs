//! Destinations of exports: a stream, or a file that is replaced atomically; optionally compressed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;
use zstd::stream::write::Encoder;

use super::{Done, ExportError, Out};

/// Compression level of zstd.
const COMPRESSION_LEVEL: i32 = 3;

/// Buffer size, in bytes.
const BUFFER: usize = 1 << 16;

/// Compression of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// No compression.
    Plain,
    /// One zstd frame with a checksum (Collet and Kucherawy 2021, RFC 8878).
    Zstd,
}

impl Packing {
    /// Returns the packing for a file name: compressed if it ends with `.zst`.
    pub fn from_path(path: &Path) -> Self {
        let packed = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("zst"));
        if packed { Self::Zstd } else { Self::Plain }
    }
}

/// Calls `write` with a stream to `out`, and flushes everything at the end.
///
/// # Errors
/// Returns an error if `write` fails, or if `out` cannot be written.
pub fn to_stream(
    out: impl Write + Send,
    packing: Packing,
    write: impl FnOnce(Out<'_>) -> Done,
) -> Done {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    match packing {
        Packing::Plain => write(&mut out)?,
        Packing::Zstd => {
            let mut encoder = Encoder::new(&mut out, COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            // Buffer the rows, because single rows are too small to compress well.
            let mut portions = BufWriter::with_capacity(BUFFER, encoder);
            write(&mut portions)?;
            portions
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?
                .finish()?;
        }
    }
    Ok(out.flush()?)
}

/// Like [`to_stream`], but writes to a file. The text is written to a temporary file `.NAME.….part` in the same folder. Once complete, the
/// temporary file replaces the target. Special files (pipes, devices) are written directly.
///
/// # Errors
/// Returns an error if `write` fails, or if the file cannot be written. Then no partial file is left, and an existing file is unchanged.
pub fn to_file(path: &Path, packing: Packing, write: impl FnOnce(Out<'_>) -> Done) -> Done {
    // Keep a link, and replace its target.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error| ExportError::File {
        path: path.to_owned(),
        error,
    };
    if fs::metadata(&target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let file = File::options().write(true).open(&target).map_err(failed)?;
        return to_stream(file, packing, write);
    }
    let part = part(&target).map_err(failed)?;
    to_stream(&part, packing, write)?;
    part.as_file().sync_all().map_err(failed)?;
    part.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Creates the temporary file, with the permissions of any new file.
fn part(target: &Path) -> io::Result<NamedTempFile> {
    let folder = || io::Error::new(io::ErrorKind::IsADirectory, "it is a folder");
    let name = target
        .file_name()
        .filter(|_| !target.is_dir())
        .ok_or_else(folder)?;
    let beside = target
        .parent()
        .filter(|beside| !beside.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let prefix = [OsStr::new("."), name, OsStr::new(".")].join(OsStr::new(""));
    let create = |part: &Path| File::options().write(true).create_new(true).open(part);
    tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".part")
        .make_in(beside, create)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const TEXT: &[u8] = b"one\ntwo\nthree\n";

    fn whole(out: &mut (dyn Write + Send)) -> Result<(), ExportError> {
        Ok(out.write_all(TEXT)?)
    }

    fn half(out: &mut (dyn Write + Send)) -> Result<(), ExportError> {
        out.write_all(&TEXT[..5])?;
        Err(io::Error::other("the rest is missing").into())
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<OsString> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.csv");
        assert!(to_file(&file, Packing::Plain, half).is_err());
        assert!(names(folder.path()).is_empty());
        fs::write(&file, "old").unwrap();
        let error = to_file(&file, Packing::Plain, half)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "cannot write the export: the rest is missing");
        assert_eq!(fs::read(&file).unwrap(), b"old");
        let seen = |out: &mut (dyn Write + Send)| {
            whole(out)?;
            assert_eq!(fs::read(&file).unwrap(), b"old");
            Ok(())
        };
        to_file(&file, Packing::Plain, seen).unwrap();
        assert_eq!(fs::read(&file).unwrap(), TEXT);
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn what_is_packed_is_unpacked_again_and_always_the_same() {
        let packed = |portion: usize| {
            let mut out = Vec::new();
            let text = TEXT.repeat(30_000);
            let write = |out: &mut (dyn Write + Send)| {
                text.chunks(portion)
                    .try_for_each(|part| Ok(out.write_all(part)?))
            };
            to_stream(&mut out, Packing::Zstd, write).unwrap();
            assert_eq!(zstd::decode_all(&out[..]).unwrap(), text);
            out
        };
        assert_eq!(packed(7), packed(1000));
        let mut out = Vec::new();
        assert!(to_stream(&mut out, Packing::Zstd, half).is_err());
        assert!(zstd::decode_all(&out[..]).is_err() || out.is_empty());
    }

    #[test]
    fn names_tell_what_is_packed() {
        for (name, packing) in [
            ("a.csv", Packing::Plain),
            ("a.csv.zst", Packing::Zstd),
            ("zst", Packing::Plain),
        ] {
            assert_eq!(Packing::from_path(Path::new(name)), packing, "{name}");
        }
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("..")] {
            let error = to_file(&path, Packing::Plain, whole)
                .unwrap_err()
                .to_string();
            assert!(error.ends_with("it is a folder"), "{error}");
        }
        let error = to_file(&folder.path().join("none/a.csv"), Packing::Plain, whole)
            .unwrap_err()
            .to_string();
        assert!(error.contains("none/a.csv"), "{error}");
    }

    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
        fs::write(&file, "old").unwrap();
        symlink("a.csv", &link).unwrap();
        to_file(&link, Packing::Plain, whole).unwrap();
        assert_eq!(fs::read(&file).unwrap(), TEXT);
        assert!(link.is_symlink());
        symlink("/dev/null", folder.path().join("null")).unwrap();
        to_file(&folder.path().join("null"), Packing::Plain, whole).unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }
}
