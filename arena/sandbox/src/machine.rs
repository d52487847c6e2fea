//! Recognises programs for other machines by their headers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Offset of the machine in an ELF header.
const ELF_MACHINE: usize = 18;
/// Machines of ELF programs that are named in messages.
const MACHINES: [(u16, &str); 7] = [
    (3, "i386"),
    (8, "mips"),
    (21, "ppc64"),
    (22, "s390"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
];
/// First bytes of a program for macOS, of one machine or of several.
const MACH_O: [[u8; 4]; 4] = [
    [0xcf, 0xfa, 0xed, 0xfe],
    [0xce, 0xfa, 0xed, 0xfe],
    [0xca, 0xfe, 0xba, 0xbe],
    [0xbe, 0xba, 0xfe, 0xca],
];

/// Returns the machine or system for which a program was compiled; `None` for scripts and unknown files.
pub fn of_file(path: &Path) -> Option<String> {
    let mut header = Vec::new();
    let file = File::open(path).ok()?;
    file.take(64).read_to_end(&mut header).ok()?;
    of_header(&header)
}

fn of_header(header: &[u8]) -> Option<String> {
    if header.starts_with(b"MZ") {
        return Some("Windows".into());
    }
    if MACH_O.iter().any(|magic| header.starts_with(magic)) {
        return Some("macOS".into());
    }
    let bytes = header.get(ELF_MACHINE..ELF_MACHINE + 2)?.try_into().ok()?;
    let machine = match header.get(..6)? {
        [0x7f, b'E', b'L', b'F', _, 1] => u16::from_le_bytes(bytes),
        [0x7f, b'E', b'L', b'F', _, 2] => u16::from_be_bytes(bytes),
        _ => return None,
    };
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    Some(known.map_or_else(
        || format!("ELF machine {machine}"),
        |(_, name)| (*name).to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_the_machine() {
        let elf = |order: u8, machine: [u8; 2]| {
            let mut header = [0; 64];
            header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order]);
            header[ELF_MACHINE..][..2].copy_from_slice(&machine);
            of_header(&header)
        };
        assert_eq!(elf(1, [183, 0]).as_deref(), Some("aarch64"));
        assert_eq!(elf(2, [0, 22]).as_deref(), Some("s390"));
        assert_eq!(elf(1, [243, 0]).as_deref(), Some("ELF machine 243"));
        let shown = |header: &[u8]| of_header(header);
        assert_eq!(shown(b"MZ\x90\0").as_deref(), Some("Windows"));
        assert_eq!(shown(&[0xcf, 0xfa, 0xed, 0xfe]).as_deref(), Some("macOS"));
        assert_eq!(shown(b"#!/bin/sh\nexit 0\n# a script"), None);
        assert_eq!(shown(b"\x7fELF"), None);
        let own = of_file(&std::env::current_exe().unwrap());
        assert_eq!(own.as_deref(), Some(std::env::consts::ARCH));
    }
}
