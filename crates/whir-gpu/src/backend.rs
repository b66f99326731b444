//! The back end: where each stage of a run is done, and moving tables between host and device.

use std::sync::{Mutex, PoisonError};

use p3_field::PrimeCharacteristicRing;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use prova_gpu::mle::{self, Mle};
use prova_gpu::ntt::{self, Shape};
use prova_gpu::{GpuError, Slice};
use prova_hash::HashField;
use prova_whir::Order;
use prova_whir_prover::ProverSuite;
use prova_whir_prover::backend::{
    Backend, Claims, Column, Context, Message, Opened, Partial, SlotWeight,
};
use prova_whir_prover::cpu::{self, Cpu};
use prova_whir_prover::error::BackendError;
use prova_whir_prover::observer::Cancelled;

use crate::commit::{Commitment, Kernels, OpenedWords, fits_device};
use crate::error::device_error;
use crate::plan::{MemoryPlan, Mode};
use crate::tree::ranges;
use crate::words::{degree, digest, elements, extension_elements, extension_words};

/// Tables of at most `2^12` values go to the host: a round on them costs less there than a wait.
pub const HANDOVER: usize = 12;
/// Shortest column that is worth a kernel, in values.
const SHORT: usize = 1 << 10;

/// The GPU back end of a suite.
pub struct GpuBackend<S: ProverSuite> {
    pub(crate) kernels: Kernels,
    pub(crate) mle: Mle,
    pub(crate) cpu: Cpu<S>,
    pub(crate) plan: MemoryPlan,
    /// `log2` of the table size at which rounds move to the host.
    pub(crate) handover: usize,
}

impl<S: ProverSuite> core::fmt::Debug for GpuBackend<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("GpuBackend")
            .field("plan", &self.plan)
            .field("mode", &self.kernels.mode)
            .finish_non_exhaustive()
    }
}

/// The commitment to the message.
#[derive(Debug)]
pub enum Base<S: ProverSuite> {
    /// Too small for the kernels.
    Host(cpu::Commitment<S::F, S::Digest>),
    /// On the device.
    Device {
        /// Codeword and tree.
        commitment: Commitment,
        /// The pieces of the message, until it is folded.
        message: Mutex<Option<Vec<Slice>>>,
    },
}

/// The commitment to a folded table.
#[derive(Debug)]
pub enum Folded<S: ProverSuite> {
    /// Too small for the kernels.
    Host(cpu::Commitment<S::F, S::Digest>),
    /// On the device.
    Device(Commitment),
}

/// Sumcheck tables.
#[derive(Debug)]
pub enum Tables<S: ProverSuite> {
    /// In host memory.
    Host(cpu::Tables<S::F>),
    /// On the device: the folded polynomial and the weights.
    Device(mle::Table, mle::Table),
}

const fn order(order: Order) -> mle::Order {
    match order {
        Order::Suffix => mle::Order::Suffix,
        Order::Prefix => mle::Order::Prefix,
    }
}

/// The prover's form of a kernel's failure.
#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn failed(error: GpuError) -> BackendError {
    device_error(&error).into()
}

/// A column of a message in pieces: a part of one, or some of them.
fn column(message: &[Slice], offset: usize, len: usize) -> Vec<Slice> {
    let piece = message[0].words();
    let (offset, len) = (offset as u64, len as u64);
    let first = (offset / piece) as usize;
    if len <= piece {
        return vec![message[first].slice(offset % piece, len)];
    }
    message[first..first + (len / piece) as usize].to_vec()
}

/// Stops when the observer asks for it.
fn checked(ctx: Context<'_>) -> Result<(), BackendError> {
    if ctx.observer.cancelled() {
        Err(Cancelled.into())
    } else {
        Ok(())
    }
}

impl<S: ProverSuite> GpuBackend<S> {
    fn gpu(&self) -> &prova_gpu::Gpu {
        &self.kernels.kit.gpu
    }

    fn resident(&self) -> bool {
        self.kernels.mode == Mode::Resident
    }

    /// A buffer for a few extension elements.
    fn few(&self, count: usize) -> Result<Slice, GpuError> {
        let words = (count * degree::<S>()) as u64;
        Ok(self.gpu().buffer(words)?.slice(0, words))
    }

    /// Room for a table of words: one piece, or as few as bindings allow.
    pub(crate) fn room(&self, words: u64) -> Result<Vec<Slice>, GpuError> {
        let limits = self.gpu().limits();
        let most = limits.binding.min(limits.buffer) / 4;
        let mut pieces = 1;
        while words / pieces > most && (words / pieces).is_multiple_of(2) {
            pieces *= 2;
        }
        ranges(self.gpu(), pieces as usize, words / pieces)
    }

    /// Writes words into pieces, from `offset` on.
    pub(crate) fn write(
        &self,
        pieces: &[Slice],
        offset: usize,
        mut words: &[u32],
    ) -> Result<(), GpuError> {
        let piece = pieces[0].words() as usize;
        let mut at = offset;
        while !words.is_empty() {
            let (index, within) = (at / piece, at % piece);
            let (now, later) = words.split_at(words.len().min(piece - within));
            let place = pieces[index].slice(within as u64, now.len() as u64);
            self.gpu().write(&place, now)?;
            at += now.len();
            words = later;
        }
        Ok(())
    }

    /// The stacked message on the device, zeros where no column is.
    fn upload(&self, message: &Message<'_, S::F>) -> Result<Vec<Slice>, GpuError> {
        let words = 1_u64 << message.num_variables;
        let pieces = self.room(words)?;
        let filled: usize = message
            .columns
            .iter()
            .map(|column| column.values.len())
            .sum();
        if filled as u64 != words {
            let mut recorder = self.gpu().record();
            pieces.iter().for_each(|piece| recorder.clear(piece));
            recorder.submit()?;
        }
        for column in &message.columns {
            self.write(&pieces, column.offset, S::F::words(column.values))?;
        }
        Ok(pieces)
    }

    pub(crate) fn commit_words(
        &self,
        message: &[Slice],
        shape: Shape,
    ) -> Result<(S::Digest, Commitment), BackendError> {
        let (root, commitment) = self
            .kernels
            .commit(message, shape, self.plan)
            .map_err(failed)?;
        Ok((digest::<S>(&root)?, commitment))
    }

    fn opened<T>(
        &self,
        opened: &OpenedWords,
        row: impl Fn(&[u32]) -> Result<Vec<T>, BackendError>,
        width: usize,
    ) -> Result<Opened<T, S::Digest>, BackendError> {
        Ok(Opened {
            rows: opened
                .rows
                .chunks_exact(width)
                .map(row)
                .collect::<Result<_, _>>()?,
            siblings: opened
                .siblings
                .iter()
                .map(|words| digest::<S>(words).map_err(BackendError::from))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Moves tables to the host.
    fn to_host(&self, tables: &mut Tables<S>) -> Result<(), BackendError> {
        if let Tables::Device(f, w) = &*tables {
            let mut recorder = self.gpu().record();
            let mut tickets = |table: &mle::Table| -> Vec<_> {
                table
                    .pieces
                    .iter()
                    .map(|piece| recorder.read(piece))
                    .collect()
            };
            let (values, weights) = (tickets(f), tickets(w));
            let back = recorder.finish().map_err(failed)?;
            let host = |tickets: Vec<_>| -> Result<Vec<S::EF>, BackendError> {
                let words: Vec<u32> = tickets
                    .into_iter()
                    .flat_map(|ticket| back.get(ticket).to_vec())
                    .collect();
                Ok(extension_elements::<S>(&words)?)
            };
            let (values, weights) = (host(values)?, host(weights)?);
            *tables = Tables::Host(self.cpu.load(&values, &weights)?);
        }
        Ok(())
    }

    /// Reads a round's message back.
    fn message(
        &self,
        mut recorder: prova_gpu::Recorder<'_>,
        out: &Slice,
    ) -> Result<[S::EF; 2], BackendError> {
        let ticket = recorder.read(out);
        let back = recorder.finish().map_err(failed)?;
        let message = extension_elements::<S>(back.get(ticket))?;
        Ok([message[0], message[1]])
    }
}

impl<S: ProverSuite> Backend<S> for GpuBackend<S> {
    type Base = Base<S>;
    type Folded = Folded<S>;
    type Tables = Tables<S>;

    fn commit(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Base), BackendError> {
        checked(ctx)?;
        let shape = Shape {
            log_rows: message.num_variables - fold,
            width: 1 << fold,
            log_inv_rate,
        };
        if !fits_device(shape, &self.gpu().limits()) {
            let (root, commitment) = self.cpu.commit(ctx, message, fold, log_inv_rate)?;
            return Ok((root, Base::Host(commitment)));
        }
        let pieces = self.upload(message).map_err(failed)?;
        let (root, commitment) = self.commit_words(&pieces, shape)?;
        let message = Mutex::new(self.resident().then_some(pieces));
        Ok((
            root,
            Base::Device {
                commitment,
                message,
            },
        ))
    }

    fn partial_evaluations(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Result<Vec<Partial<S::EF>>, BackendError> {
        checked(ctx)?;
        let device = match base {
            Base::Device { message, .. } => message
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            Base::Host(_) => None,
        };
        let (Some(message), true) = (
            device,
            columns
                .iter()
                .all(|c| c.values.len() >= SHORT && fold <= mle::MAX_FOLD),
        ) else {
            return Ok(self.cpu.partials(columns, point, fold));
        };
        let (high, _) = point.split_at(point.num_variables() - fold);
        let eq = self
            .mle
            .eq_tables::<S::F, S::EF>(&[high.as_slice()])
            .map_err(failed)?;
        let out = self.few(columns.len() << fold).map_err(failed)?;
        let mut recorder = self.gpu().record();
        for (at, c) in columns.iter().enumerate() {
            self.mle
                .partial_evaluations(
                    &mut recorder,
                    &column(&message, c.offset, c.values.len()),
                    fold,
                    &eq,
                    &out,
                    (at << fold) as u64,
                )
                .map_err(failed)?;
        }
        let ticket = recorder.read(&out);
        let back = recorder.finish().map_err(failed)?;
        let all = extension_elements::<S>(back.get(ticket))?;
        Ok(all.chunks_exact(1 << fold).map(<[S::EF]>::to_vec).collect())
    }

    fn fold_message(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<Self::Tables, BackendError> {
        checked(ctx)?;
        let fold = challenges.len();
        let variables = message.num_variables - fold;
        let device = match base {
            Base::Device { message, .. } => message
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
            Base::Host(_) => None,
        };
        let short = message.columns.iter().any(|c| c.values.len() < SHORT);
        let Some(pieces) =
            device.filter(|_| !short && variables > self.handover && fold <= mle::MAX_FOLD)
        else {
            return Ok(Tables::Host(
                self.cpu.fold(ctx, message, challenges, weights),
            ));
        };
        let tables = || -> Result<_, GpuError> {
            let reversed: Vec<S::EF> = challenges.iter().rev().copied().collect();
            let eq = Poly::new_from_point(&reversed, S::EF::ONE);
            let row = self.mle.upload_row::<S::F, S::EF>(eq.as_slice())?;
            let (f, w) = (self.mle.table(variables)?, self.mle.table(variables)?);
            let mut recorder = self.gpu().record();
            let filled: usize = message.columns.iter().map(|c| c.values.len()).sum();
            if filled != 1 << message.num_variables {
                f.pieces.iter().for_each(|piece| recorder.clear(piece));
            }
            for c in &message.columns {
                let parts = column(&pieces, c.offset, c.values.len());
                let offset = (c.offset >> fold) as u64;
                self.mle
                    .fold_message(&mut recorder, &parts, &row, &f, offset)?;
            }
            self.set_weights(&mut recorder, &w, weights)?;
            recorder.submit()?;
            Ok(Tables::Device(f, w))
        };
        tables().map_err(failed)
    }

    fn load(&self, evaluations: &[S::EF], weights: &[S::EF]) -> Result<Self::Tables, BackendError> {
        // Tables come from elsewhere in prefix order, which kernels bind in one piece only.
        let bytes = (4 * degree::<S>() * evaluations.len()) as u64;
        let limits = self.gpu().limits();
        if !self.resident()
            || evaluations.len() <= 1 << self.handover
            || bytes > limits.binding.min(limits.buffer)
        {
            return Ok(Tables::Host(self.cpu.load(evaluations, weights)?));
        }
        let load = |values| self.mle.upload::<S::F, S::EF>(values).map_err(failed);
        Ok(Tables::Device(load(evaluations)?, load(weights)?))
    }

    fn commit_folded(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Folded), BackendError> {
        checked(ctx)?;
        let variables = match tables {
            Tables::Host(tables) => tables.num_variables(),
            Tables::Device(f, _) => f.log_len,
        };
        let shape = Shape {
            log_rows: variables - fold,
            width: degree::<S>() << fold,
            log_inv_rate,
        };
        let fits = fits_device(shape, &self.gpu().limits());
        let message = match tables {
            Tables::Host(tables) if !fits => {
                let (root, folded) = self.cpu.commit_folded(ctx, tables, fold, log_inv_rate)?;
                return Ok((root, Folded::Host(folded)));
            }
            Tables::Host(tables) => {
                let rows = tables.message_rows(ctx.order, fold);
                let pieces = self.room(rows.len() as u64).map_err(failed)?;
                self.write(&pieces, 0, S::F::words(&rows)).map_err(failed)?;
                pieces
            }
            Tables::Device(f, _) => self.message_rows(ctx.order, f, fold).map_err(failed)?,
        };
        let (root, commitment) = self.commit_words(&message, shape)?;
        Ok((root, Folded::Device(commitment)))
    }

    fn evaluate(&self, tables: &Self::Tables, y: S::EF) -> Result<S::EF, BackendError> {
        let f = match tables {
            Tables::Host(tables) => return self.cpu.evaluate(tables, y),
            Tables::Device(f, _) => f,
        };
        let point = Point::expand_from_univariate(y, f.log_len);
        let evaluated = || -> Result<_, GpuError> {
            let eq = self.mle.eq_tables::<S::F, S::EF>(&[point.as_slice()])?;
            let out = self.few(1)?;
            let mut recorder = self.gpu().record();
            self.mle.evaluate(&mut recorder, f, &eq, &out, 0)?;
            let ticket = recorder.read(&out);
            Ok(recorder.finish()?.get(ticket).to_vec())
        };
        let words = evaluated().map_err(failed)?;
        Ok(extension_elements::<S>(&words)?[0])
    }

    fn add_claims(
        &self,
        tables: &mut Self::Tables,
        claims: &Claims<S::EF>,
    ) -> Result<(), BackendError> {
        let (f, w) = match tables {
            Tables::Host(tables) => return self.cpu.add_claims(tables, claims),
            Tables::Device(f, w) => (f, w),
        };
        let points: Vec<_> = claims
            .out_of_domain
            .iter()
            .map(|&(y, coefficient)| (Point::expand_from_univariate(y, f.log_len), coefficient))
            .collect();
        let equalities: Vec<_> = points.iter().map(|(p, c)| (p.as_slice(), *c)).collect();
        let added = || -> Result<_, GpuError> {
            let terms = self.mle.weight_terms::<S::F, S::EF>(
                w.log_len,
                &equalities,
                claims.log_domain,
                &claims.queries,
            )?;
            let mut recorder = self.gpu().record();
            self.mle.add_weights(&mut recorder, &terms, w, 0)?;
            recorder.submit()
        };
        added().map_err(failed)
    }

    fn round_message(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
    ) -> Result<[S::EF; 2], BackendError> {
        checked(ctx)?;
        let (f, w) = match tables {
            Tables::Host(tables) => return self.cpu.round_message(ctx, tables),
            Tables::Device(f, w) => (f, w),
        };
        let out = self.few(2).map_err(failed)?;
        let mut recorder = self.gpu().record();
        self.mle
            .round_message(&mut recorder, order(ctx.order), (f, w), &out, 0)
            .map_err(failed)?;
        self.message(recorder, &out)
    }

    fn bind(
        &self,
        ctx: Context<'_>,
        tables: &mut Self::Tables,
        r: S::EF,
        more: bool,
    ) -> Result<Option<[S::EF; 2]>, BackendError> {
        checked(ctx)?;
        let (f, w) = match tables {
            Tables::Host(tables) => return self.cpu.bind(ctx, tables, r, more),
            Tables::Device(f, w) => (&*f, &*w),
        };
        let below = f.log_len - 1;
        let r = extension_words::<S>(&[r]);
        let order = order(ctx.order);
        let bound = || -> Result<_, GpuError> {
            let to = (self.mle.table(below)?, self.mle.table(below)?);
            let mut recorder = self.gpu().record();
            if !more || below <= self.handover {
                self.mle
                    .bind(&mut recorder, order, (f, w), (&to.0, &to.1), &r)?;
                return Ok((to, recorder, None));
            }
            let out = self.few(2)?;
            let pair = (&to.0, &to.1);
            self.mle
                .bind_and_measure(&mut recorder, order, (f, w), pair, &r, &out, 0)?;
            Ok((to, recorder, Some(out)))
        };
        let ((f, w), recorder, out) = bound().map_err(failed)?;
        *tables = Tables::Device(f, w);
        if let Some(out) = out {
            return self.message(recorder, &out).map(Some);
        }
        recorder.submit().map_err(failed)?;
        if below <= self.handover {
            self.to_host(tables)?;
        }
        more.then(|| self.round_message(ctx, tables)).transpose()
    }

    fn values(&self, tables: &Self::Tables) -> Result<Vec<S::EF>, BackendError> {
        match tables {
            Tables::Host(tables) => self.cpu.values(tables),
            Tables::Device(f, _) => {
                let mut recorder = self.gpu().record();
                let tickets: Vec<_> = f.pieces.iter().map(|piece| recorder.read(piece)).collect();
                let back = recorder.finish().map_err(failed)?;
                let words: Vec<u32> = tickets
                    .into_iter()
                    .flat_map(|ticket| back.get(ticket).to_vec())
                    .collect();
                Ok(extension_elements::<S>(&words)?)
            }
        }
    }

    fn open(
        &self,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        indices: &[usize],
    ) -> Result<Opened<S::F, S::Digest>, BackendError> {
        match base {
            Base::Host(commitment) => self.cpu.open(commitment, message, indices),
            Base::Device { commitment, .. } => {
                let opened = self.kernels.open(commitment, indices).map_err(failed)?;
                let row = |words: &[u32]| Ok(elements::<S>(words)?.to_vec());
                self.opened(&opened, row, commitment.width())
            }
        }
    }

    fn open_folded(
        &self,
        folded: &Self::Folded,
        indices: &[usize],
    ) -> Result<Opened<S::EF, S::Digest>, BackendError> {
        match folded {
            Folded::Host(commitment) => self.cpu.open_folded(commitment, indices),
            Folded::Device(commitment) => {
                let opened = self.kernels.open(commitment, indices).map_err(failed)?;
                let row = |words: &[u32]| Ok(extension_elements::<S>(words)?);
                self.opened(&opened, row, commitment.width())
            }
        }
    }
}

impl<S: ProverSuite> GpuBackend<S> {
    /// The rows of a table's matrix, as a message to encode.
    fn message_rows(
        &self,
        order: Order,
        f: &mle::Table,
        fold: usize,
    ) -> Result<Vec<Slice>, GpuError> {
        if order == Order::Suffix || fold == 0 {
            return Ok(f.pieces.clone());
        }
        let [whole] = f.pieces.as_slice() else {
            return Err(GpuError::Unsupported(
                "prefix order on tables in pieces".to_owned(),
            ));
        };
        let words = (degree::<S>() as u64) << f.log_len;
        let out = self.gpu().buffer(words)?.slice(0, words);
        let mut recorder = self.gpu().record();
        let (columns, rows) = (1 << fold, 1 << (f.log_len - fold));
        let kit = &self.kernels.kit;
        ntt::transpose(
            kit,
            &mut recorder,
            whole,
            rows,
            columns,
            degree::<S>(),
            &out,
        )?;
        recorder.submit()?;
        Ok(vec![out])
    }

    /// Records the first weights of a table.
    fn set_weights(
        &self,
        recorder: &mut prova_gpu::Recorder<'_>,
        w: &mle::Table,
        weights: &[SlotWeight<S::EF>],
    ) -> Result<(), GpuError> {
        let full = |weight: &&SlotWeight<S::EF>| weight.point.num_variables() == w.log_len;
        let whole: Vec<_> = weights
            .iter()
            .filter(full)
            .map(|weight| (weight.point.as_slice(), weight.coefficient))
            .collect();
        let terms = self
            .mle
            .weight_terms::<S::F, S::EF>(w.log_len, &whole, 0, &[])?;
        self.mle.set_weights(recorder, &terms, w, 0)?;
        let mut partial: Vec<_> = weights.iter().filter(|weight| !full(weight)).collect();
        partial.sort_by_key(|weight| (weight.offset, weight.point.num_variables()));
        let same = |a: &&SlotWeight<S::EF>, b: &&SlotWeight<S::EF>| {
            (a.offset, a.point.num_variables()) == (b.offset, b.point.num_variables())
        };
        for slot in partial.chunk_by(same) {
            let list: Vec<_> = slot
                .iter()
                .map(|weight| (weight.point.as_slice(), weight.coefficient))
                .collect();
            let variables = slot[0].point.num_variables();
            let terms = self
                .mle
                .weight_terms::<S::F, S::EF>(variables, &list, 0, &[])?;
            self.mle
                .add_weights(recorder, &terms, w, slot[0].offset as u64)?;
        }
        Ok(())
    }
}
