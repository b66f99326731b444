//! A device together with the templates of one field: what every family of kernels starts from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use minijinja::value::Value;

use crate::device::{Gpu, lock};
use crate::field::{Extension, Field, Multiply};
use crate::kernel::Kernel;
use crate::template::Templates;

/// A device, a field and a way to multiply. Cheap to clone; clones share rendered kernels.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The device.
    pub gpu: Gpu,
    /// The base field.
    pub field: Arc<Field>,
    /// The challenge extension.
    pub extension: Arc<Extension>,
    /// How kernels multiply.
    pub multiply: Multiply,
    templates: Arc<OnceLock<Templates>>,
    rendered: Arc<Mutex<HashMap<String, Kernel>>>,
}

impl Kit {
    /// A kit for a field and its extension.
    #[must_use]
    pub fn new(gpu: Gpu, field: Field, extension: Extension, multiply: Multiply) -> Self {
        Self {
            gpu,
            field: Arc::new(field),
            extension: Arc::new(extension),
            multiply,
            templates: Arc::default(),
            rendered: Arc::default(),
        }
    }

    fn templates(&self) -> &Templates {
        self.templates
            .get_or_init(|| Templates::new(&self.field, &self.extension, self.multiply))
    }

    /// The kernel of `template` with `variables`, rendered once. `label` names it in profiles and
    /// ledgers.
    ///
    /// # Panics
    /// If the template wants a variable that is missing.
    #[must_use]
    pub fn kernel(&self, label: &'static str, template: &str, variables: Value) -> Kernel {
        if self.gpu.only_counts() {
            // A plan is made for every run, and rendering would be most of it.
            return Kernel::unrendered(label);
        }
        let key = format!("{label} {template} {variables}");
        if let Some(kernel) = lock(&self.rendered).get(&key) {
            return kernel.clone();
        }
        let text = self.templates().render(template, variables);
        let kernel = Kernel::new(label, text, self.multiply == Multiply::Native);
        lock(&self.rendered).insert(key, kernel.clone());
        kernel
    }
}
