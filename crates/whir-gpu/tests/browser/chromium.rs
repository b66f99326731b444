//! A browser without a window, for as long as a page needs it.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running browser with a profile of its own; both end with it.
pub struct Chromium {
    process: Child,
    profile: Profile,
}

/// A folder for what a browser writes.
struct Profile(PathBuf);

impl Profile {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("prova-browser-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn log(&self) -> PathBuf {
        self.0.join("log")
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // The browser's helpers notice its end a moment later and may still be writing.
        let start = Instant::now();
        while std::fs::remove_dir_all(&self.0).is_err() && start.elapsed() < Duration::from_secs(5)
        {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// What a page needs for WebGPU on a machine without a GPU or a display, and nothing that asks
/// the network.
const FLAGS: [&str; 16] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--metrics-recording-only",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    // Keeps it open, instead of ending when the page has loaded.
    "--remote-debugging-port=0",
    "--enable-logging=stderr",
];

impl Chromium {
    /// Starts the browser `CHROMIUM`, or the `chromium` of the search path, on a page.
    ///
    /// # Panics
    /// If there is none.
    pub fn open(url: &str) -> Self {
        let program = std::env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
        let profile = Profile::new();
        let log = File::create(profile.log()).expect("a file in a fresh folder");
        let process = Command::new(&program)
            .args(FLAGS)
            .arg(format!(
                "--user-data-dir={}",
                profile.0.join("user").display()
            ))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{} does not start: {error}; the test needs Chromium, \
                     or another browser of its family in CHROMIUM",
                    program.display()
                )
            });
        Self { process, profile }
    }

    /// Whether it ended by itself, and how.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.process.try_wait().ok()??;
        Some(status.to_string())
    }

    /// The end of what it logged.
    pub fn log(&self) -> String {
        let text = std::fs::read(self.profile.log()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
