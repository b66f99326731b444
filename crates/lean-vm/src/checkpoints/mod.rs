//! Every intermediate value that is published for the outside proof.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::format;
mod opening;

use std::string::String;
use std::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing, from_limbs};
use prova_binary_pcs::stream::{Channel, Form, Proof};
use prova_binary_pcs::transcript::{ChainV0, State};

use crate::blake2s::skip::lagrange_weights;
use crate::blake2s::{lincheck, zerocheck};
use crate::bus::{self, Fingerprint, FrameworkValues, Selectors};
use crate::tables::Table;
use crate::verify::{LABEL, batch, begin};
use crate::{Program, claims, table_sumcheck};

const BYTECODE: &[u8] = include_bytes!("../../vectors/bytecode.bin");
const PUBLIC_INPUT: &[u8; 32] = include_bytes!("../../vectors/public_input.bin");
const WIRE: &[u8] = include_bytes!("../../vectors/proof_wire.bin");

/// Limbs c0|c1|c2 in hexadecimal.
fn e(text: &str) -> E {
    let limbs: Vec<u64> = text
        .split('|')
        .map(|limb| u64::from_str_radix(limb, 16).expect("hexadecimal"))
        .collect();
    from_limbs(limbs.try_into().expect("three limbs"))
}

fn hex(words: &[u64]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:016x}")).collect();
    words.join(" ")
}

fn program() -> Program {
    Program::new(BYTECODE).expect("a table of instructions")
}

fn proof() -> Proof<'static> {
    Proof::parse(Form::Wire, WIRE).expect("a proof")
}

/// Scalars that were read, and the state then.
fn at(channel: &Channel<'_, ChainV0>) -> (usize, State) {
    let read = proof().scalar_count() - channel.remaining();
    (read, channel.transcript().state())
}

#[track_caller]
fn assert_at(channel: &Channel<'_, ChainV0>, scalars: usize, state: &str) {
    let (read, words) = at(channel);
    assert_eq!((read, hex(&words).as_str()), (scalars, state));
}

#[test]
fn digests() {
    let hex = |digest: &[u8; 32]| {
        digest
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<String>()
    };
    let program = program();
    assert_eq!(program.log_instructions(), 11);
    assert_eq!(
        hex(program.digest()),
        "0337066b03e7dd052f63789c9c21f8da94365863010558d8d023c973abd12379"
    );
    assert_eq!(
        hex(program.seed()),
        "6a119f305a7f34a5abb20ff41df9780c4ba18795d7b4d445be554252177d7662"
    );
}

#[test]
fn layout_is_the_published_one() {
    let (mut channel, _) = proof().channel(ChainV0::new(LABEL));
    let begun = begin(&mut channel, &program(), PUBLIC_INPUT).expect("sizes in range");
    let layout = &begun.layout;
    assert_eq!(layout.sizes.log_memory, 20);
    assert_eq!(layout.sizes.log_heights, [17, 17, 18, 18, 17, 3]);
    assert_eq!(layout.sizes.log_inv_rate, 1);
    assert_eq!(
        (layout.total, layout.variables, layout.lanes),
        (15_995_016, 24, 62)
    );
    assert_eq!(layout.bus_variables, 23);

    let offsets = |blocks: &[prova_binary_pcs::stack::Placement]| {
        blocks.iter().map(|block| block.offset).collect::<Vec<_>>()
    };
    assert_eq!(
        offsets(&layout.globals),
        [0, 1_048_576, 2_097_152, 3_145_728, 15_990_784, 15_992_832]
    );
    assert_eq!(offsets(&layout.framework), [5_113_936, 0, 5_111_808]);
    let run = |start: u64, step: u64, n: u64| (0..n).map(|i| start + step * i).collect::<Vec<_>>();
    let flushes = layout.flushes.each_ref().map(|blocks| offsets(blocks));
    assert_eq!(
        flushes,
        [
            run(3_145_728, 131_072, 5),
            run(3_801_088, 131_072, 5),
            run(1_048_576, 262_144, 3),
            run(1_835_008, 262_144, 5),
            run(4_456_448, 131_072, 5),
            run(5_113_856, 8, 10),
        ]
    );
    let counters = layout.counters.each_ref().map(|blocks| offsets(blocks));
    assert_eq!(
        counters,
        [
            run(1_572_864, 131_072, 4),
            run(2_097_152, 131_072, 4),
            run(0, 262_144, 2),
            run(524_288, 262_144, 4),
            run(2_621_440, 131_072, 4),
            run(3_145_728, 8, 9),
        ]
    );
    let columns = layout.columns.each_ref().map(|places| {
        let committed = places.iter().filter_map(|place| match place {
            crate::layout::ColumnPlace::Committed(placement) => Some(placement.offset),
            crate::layout::ColumnPlace::Packed { .. } => None,
        });
        committed.collect::<Vec<_>>()
    });
    assert_eq!(
        columns,
        [
            run(10_223_616, 131_072, 15),
            run(12_189_696, 131_072, 15),
            run(4_194_304, 262_144, 8),
            run(6_291_456, 262_144, 15),
            run(14_155_776, 131_072, 14),
            run(15_994_880, 8, 17),
        ]
    );
    for (table, places) in Table::ALL.iter().zip(&layout.columns) {
        assert_eq!(places.len(), table.columns());
    }
}

#[test]
fn values_of_every_step() {
    let program = program();
    let (mut channel, _) = proof().channel(ChainV0::new(LABEL));
    let begun = begin(&mut channel, &program, PUBLIC_INPUT).expect("sizes in range");
    let layout = &begun.layout;
    assert_at(
        &channel,
        10,
        "02239a919234e33e 0d546c1c28f41701 7f5e30882f19b667 e85716efd784c71f",
    );

    let fingerprint = Fingerprint::sample(&mut channel);
    assert_at(
        &channel,
        10,
        "7d1b90f420c6c902 d8bf1a83651b72b5 d519cc858b961f84 b0d1901087e6e06d",
    );
    let [e0, e1, e2, ..] = fingerprint.weights;
    assert_eq!(e0, e("6835d2f2a556629e|640722b3175daf38|de49edf5fda9f106"));
    assert_eq!(e1, e("dd9037efda420be1|d2c2761170981a53|63181ceabd1cf755"));
    assert_eq!(e2, e("7afe32caa8222214|e6667ee461d3814a|665c15a2c112849a"));
    assert_eq!(
        fingerprint.beta,
        e("7d1b90f420c6c902|d8bf1a83651b72b5|d519cc858b961f84")
    );

    let leaves = bus::grand_products(&mut channel, layout.bus_variables).expect("products");
    assert_at(
        &channel,
        635,
        "9305f012f0b4eb85 00423f61adba413c 6641750f79a44948 d8fe8bc216582284",
    );
    let zeta = leaves.point.clone();
    assert_eq!(zeta.len(), 23);
    assert_eq!(
        zeta[0],
        e("4db67e33c71d950c|d584a677e8df758e|479ccb2159ba1179")
    );
    assert_eq!(
        zeta[22],
        e("c946d6fabce0283e|cb0da88c50ca75ad|e5fa355a38948ccd")
    );
    assert_eq!(
        leaves.values,
        [
            e("8aea86cb73e4690e|c9dffddfa46c98e4|7b3be80faee1fa03"),
            e("d16548c5413fca3d|deb4f45ad91ebc33|76f28b1177f3c201"),
            e("bd12edf7652bba99|ecdeef884774d46b|9163023695a2f31f"),
        ]
    );

    let framework = FrameworkValues::read(&mut channel).expect("scalars");
    assert_at(
        &channel,
        640,
        "f122a40e1e462ae3 11cfdc210abc2f6d 8b084af8d443b0ad 9001f0bec8b45048",
    );
    let of_cells = e("37d20781d345f7fb|256c3947e2afe11c|3434b6d0e7a801ca");
    let of_instructions = e("b745118815476b7d|c694a97d6562d2e0|01bdbaff7277ebb4");
    assert_eq!(bus::index(&zeta, 20), of_cells);
    assert_eq!(bus::index(&zeta, 11), of_instructions);
    assert_eq!(
        program.evaluate(&zeta[..11], &fingerprint.weights),
        e("123509319c386a13|0dfc9d88a70d08a5|63cdaaf1fb05f69a")
    );
    let selectors = Selectors::new(layout, &zeta);
    assert_eq!(
        selectors.framework,
        [
            e("2d8e7810647d4801|e07b8e44c2d49c8a|75279f5a5b206640"),
            e("23404826633f31ee|485c2600d66ec6e8|c84e578648fd532b"),
            e("cc133a0c1e91cc46|d21a711bd761d12f|7d731dac950d4036"),
        ]
    );
    let (push, pull) = bus::framework_leaves(&program, layout, &fingerprint, &zeta, &framework);
    assert_eq!(
        push,
        [
            e("b2404723f7f08269|881c30c5630d4694|0e1428380a319d4d"),
            e("1dd82a39ddffb4ed|f6dd8e1685b06b39|d1c41fb599347176"),
            e("276ede64ce7ed0b9|15a77c0377cea8c3|6baf9eccda4c1b57"),
        ]
    );
    assert_eq!(
        pull,
        [
            e("cfb76e19761e2474|f017c1903e8237ce|e5b975983e749f2a"),
            e("85d7ac9d8d7ecdd2|076ca8af4f848aeb|1f089bbcb67f682b"),
            e("6c59fbc65137a068|d2d55232b03333bc|632a090c9674813e"),
        ]
    );
    let owed = bus::owed_by_tables(
        &program,
        layout,
        &fingerprint,
        &leaves,
        &selectors,
        &framework,
    );
    assert_eq!(
        owed,
        [
            e("1485c0ddf8caaa5d|c84b5080f4474594|d8aa9f1132af8451"),
            e("bef06fb954ed6190|af5e1b431326b235|58108580fc63c7da"),
            e("e8a7331df3289488|c15d8cd793474bee|8eaabdd0fdbbbb06"),
        ]
    );

    let tables =
        table_sumcheck::verify(&mut channel, layout, &fingerprint, &selectors, &zeta, &owed)
            .expect("the sumcheck");
    assert_at(
        &channel,
        796,
        "9a81f24d5120debf 195e79f7a32330a9 88c210afd9afc9c0 675cb1330dd497ef",
    );
    assert_eq!(tables.point.len(), 18);
    assert_eq!(
        tables.point[17],
        e("8a1a5bf448a3e6fe|577bd7d1e234ad1e|37ddeebe12279f75")
    );
    assert_eq!(
        tables.point[0],
        e("040c53d37682a896|9fdcd03bbec51d1a|bccca962936711a7")
    );

    let public = claims::public_input(&mut channel, PUBLIC_INPUT).expect("the public input");
    assert_at(
        &channel,
        799,
        "7f8cf2a884ce9c33 355f8204ecc765d7 5cd6a10065fc0d8f 1cbae392e3d4ec7d",
    );
    assert_eq!(
        public.coordinate,
        e("9b64551a0b358549|2f61fde563519dc1|b4eb571379985347")
    );
    assert_eq!(
        public.memory,
        [
            e("4176ea92a203f646|f5d8e955ea786445|0dc5726b89c28ded"),
            e("5c92eef100cf921b|e12c72d9803b1184|f792b11c9d4dba3e"),
            E::ZERO,
        ]
    );

    let zero = zerocheck::verify(&mut channel, 3).expect("scalars");
    assert_at(
        &channel,
        887,
        "870a0ba3cb4d58dc d3e700dbb265d8cd 6c1f119221dbfe14 f930cd3342f6ce95",
    );
    assert_eq!(
        zero.skip,
        e("36478d920fbefe68|804966cd0bd582cf|6df1dc21195af1fc")
    );
    assert_eq!(
        lagrange_weights(7, zero.skip)[64],
        e("7369dcf094478445|693c378bd36c1fe7|251f62f0d390c1e3")
    );
    assert_eq!(
        lagrange_weights(6, zero.skip)[0],
        e("996f14bed06fdb79|c28c1269a10d4ed0|c5b3a44e09198fbb")
    );
    assert_eq!(
        zero.inner[0],
        e("c837868b524d33d8|51987d977c6b3760|9f7fecb10b7d96af")
    );
    assert_eq!(
        zero.values[0],
        e("f800bd2adb7c486d|d13b5a76c14fdfd5|15e73ad5540c3fc8")
    );
    assert_eq!(
        zero.values[2],
        e("888d82cefcaaada0|2ef51a291b24b81c|c3b54274bd4d2291")
    );

    let bits = lincheck::verify(&mut channel, &zero).expect("the lincheck");
    assert_at(
        &channel,
        967,
        "630c436f46d6fff7 82b0be8d60715803 af8b9468d3042f9d b8dc48bb4af850b4",
    );
    assert_eq!(
        bits.point[7],
        e("1f4ee2c57f82e9e2|a9f647dd3b1d2320|9f2f3e0d3f9b91be")
    );
    assert_eq!(
        bits.point[0],
        e("2676a435b328c95f|62bd7cc244cd5345|592431cd0ce4df66")
    );
    assert_eq!(
        bits.bits[0],
        e("96dcd524efff4d3b|8dec94af9f71a295|70a7eade24961ef5")
    );

    let alpha = e("ddc4a10f53934598|2bfecb01b07b45f0|e81979605cc1494e");
    let inner: [E; 8] = bits.point[..8].try_into().expect("eight coordinates");
    assert_eq!(
        lincheck::closing_value(&zero, alpha, &inner, &bits.bits),
        e("896c86afc825bd56|bb2781ad138ba4b4|8c09986ee38ec585")
    );

    let claims = claims::collect(layout, &zeta, &framework, &tables, &public);
    assert_eq!(claims.len(), 110);
    assert!(claims.iter().all(|claim| claim.point.len() == 24));
    let (weight, target) = batch(&mut channel, layout, &claims, &bits);
    assert_at(
        &channel,
        967,
        "d48858978a8beae2 8862933ed35c79f1 c0d54f43e81fa72a d95d5321709fb6a1",
    );
    assert_eq!(
        weight.packed.target(&bits.bits),
        e("09d7cfc6ea2c76ae|5c9c961da7bb3563|770f35931fe7513e")
    );
    assert_eq!(
        target,
        e("8f980e03e84b7e80|0fdfbb59d420681e|0962000723f0efae")
    );

    opening::check(&weight);
}
