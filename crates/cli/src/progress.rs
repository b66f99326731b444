//! The prover's window on the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::front::{Observer, Stage};
use crate::output::Output;
use crate::signals;

/// A progress bar, visible only on a terminal, and the cancellation flag.
#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
}

impl Watch {
    /// A bar on stderr; hidden with `--quiet` or when stderr is not a terminal.
    pub fn new(output: Output) -> Self {
        let target = if output.quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) =
            ProgressStyle::with_template("{elapsed:>6} {wide_bar} {percent:>3}% {msg:20}")
        {
            bar.set_style(style);
        }
        Self { bar }
    }
}

impl Watch {
    /// Shows how much of something is done.
    pub fn show(&self, done: u64, total: u64, what: &'static str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(what);
            self.bar.set_length(total);
            self.bar.set_position(done);
        }
    }

    /// Shows a count of something whose end is not known.
    pub fn count(&self, done: u64, what: &'static str) {
        if !self.bar.is_hidden() {
            self.bar
                .set_message(format!("{} {what}", crate::text::thousands(done)));
            self.bar.tick();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch {
    fn enter(&self, stage: Stage, round: usize) {
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("{stage}, round {round}"));
        }
    }

    fn progress(&self, done: u64, total: u64) {
        if !self.bar.is_hidden() {
            self.bar.set_length(total);
            self.bar.set_position(done);
        }
    }

    fn cancelled(&self) -> bool {
        signals::cancelled()
    }
}
