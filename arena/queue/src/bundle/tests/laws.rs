//! What holds for all folders.

use proptest::collection::btree_map;
use proptest::prelude::*;

use super::*;

/// The names of files, some of them long or in other letters.
fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof!["[a-c]", "[a-c]{1,3}\\.[a-c]", "é[a-b ]x", "[a-b]{120,200}"];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_folder_comes_out_as_it_went_in(
        files in btree_map(name(), (".{0,40}", any::<bool>()), 1..12),
        links in btree_map("l[a-z]{0,2}", any::<prop::sample::Index>(), 0..4),
    ) {
        use std::os::unix::fs::PermissionsExt;
        let (_home, dir) = folder(&["bot.py"]);
        for (name, (content, executable)) in &files {
            let path = dir.join(name);
            // A file may be in the way of a folder, or a folder in the way of a file.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && fs::write(&path, content).is_ok() {
                let mode = if *executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        let there: Vec<String> = listed(&dir).into_keys().collect();
        for (name, to) in &links {
            std::os::unix::fs::symlink(to.get(&there), dir.join(name)).unwrap();
        }
        let (_cache, cache) = folder(&[]);
        let bundle = pack(&program(&dir, "python3 bot.py"), &[]).unwrap();
        let unpacked = unpack(&bundle.archive, &cache, &bundle.sha256).unwrap();
        prop_assert_eq!(listed(&unpacked.program.dir), listed(&dir));
        let again = pack(&unpacked.program, &[]).unwrap();
        prop_assert_eq!(again.sha256, bundle.sha256);
    }
}
