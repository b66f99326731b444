// T[x] = exp(2 pi i rev(x) / 2), where rev(x) is the fraction with the bits of x reversed.
fn twiddle(x: u32) -> u32 {
    return fmul(low[x & {{ 2 ** log_low - 1 }}u], high[x >> {{ log_low }}u]);
}
