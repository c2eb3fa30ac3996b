//! How much memory this process may use: that of the machine, or of its container if that is less.

use std::path::Path;

/// Assumed where the system does not say.
const UNKNOWN: u64 = 4 << 30;

/// Bytes of memory that this process may use.
pub fn usable_memory() -> u64 {
    usable_memory_below(Path::new("/"))
}

/// The same, with the files of the system below `root`.
fn usable_memory_below(root: &Path) -> u64 {
    let machine = machine_memory(root).unwrap_or(UNKNOWN);
    machine.min(group_limit(root).unwrap_or(u64::MAX))
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn machine_memory(root: &Path) -> Option<u64> {
    let text = read(&root.join("proc/meminfo"))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The lowest limit of the control groups that this process is in, which each limit those within them.
fn group_limit(root: &Path) -> Option<u64> {
    let groups = read(&root.join("proc/self/cgroup"))?;
    let mounted = root.join("sys/fs/cgroup");
    let limits = groups.lines().filter_map(|line| {
        // `0::/path` in version 2, `4:memory:/path` in version 1.
        let mut fields = line.splitn(3, ':');
        let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let (folder, file) = match controllers {
            "" if number == "0" => (mounted.clone(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mounted.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // In a container the path may be that on the host, of which only the top is seen.
        let group = folder.join(path.trim_start_matches('/'));
        let around = group
            .ancestors()
            .take_while(|place| place.starts_with(&folder));
        let limit = |place: &Path| read(&place.join(file))?.trim().parse().ok();
        around.filter_map(limit).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is usable on a system with these files.
    fn usable(system: &[(&str, &str)]) -> u64 {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in system {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        usable_memory_below(root.path())
    }

    const MACHINE: (&str, &str) = ("proc/meminfo", "MemFree: 1 kB\nMemTotal:  8388608 kB\n");

    #[test]
    fn without_limits_the_machine_counts() {
        assert_eq!(usable(&[]), UNKNOWN);
        assert_eq!(usable(&[MACHINE]), 8 << 30);
        let group = ("proc/self/cgroup", "0::/user.slice\n");
        let unlimited = ("sys/fs/cgroup/user.slice/memory.max", "max\n");
        assert_eq!(usable(&[MACHINE, group, unlimited]), 8 << 30);
    }

    #[test]
    fn the_lowest_limit_around_the_process_counts() {
        let system = [
            MACHINE,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ];
        assert_eq!(usable(&system), 1 << 30);
        let larger = ("sys/fs/cgroup/a/memory.max", "99999999999999\n");
        assert_eq!(usable(&[system[0], system[1], larger]), 8 << 30);
    }

    #[test]
    fn a_container_sees_only_the_top_of_its_groups() {
        let second = ("sys/fs/cgroup/memory.max", "536870912\n");
        let inside = ("proc/self/cgroup", "0::/docker/0123\n");
        assert_eq!(usable(&[MACHINE, inside, second]), 512 << 20);
        let first = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
        let inside = (
            "proc/self/cgroup",
            "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n",
        );
        assert_eq!(usable(&[MACHINE, inside, first]), 256 << 20);
    }
}
