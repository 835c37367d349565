"""Operations and custom calls that a program may hold: what JAX lowers to, minus the host's doors.

Left out on purpose: infeed, outfeed, send, recv, tokens, rng (it depends on the backend's state),
and everything with a shape known only at run time.
"""

from typing import Final

_STABLEHLO = """
abs add all_gather all_reduce all_to_all and atan2 batch_norm_grad batch_norm_inference
batch_norm_training bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky clamp
collective_broadcast collective_permute compare complex composite concatenate constant convert
convolution cosine count_leading_zeros custom_call divide dot dot_general dynamic_slice
dynamic_update_slice exponential exponential_minus_one fft floor gather get_tuple_element if imag
iota is_finite log log_plus_one logistic map maximum minimum multiply negate not
optimization_barrier or pad partition_id popcnt power real reduce reduce_precision reduce_scatter
reduce_window remainder replica_id reshape return reverse rng_bit_generator round_nearest_afz
round_nearest_even rsqrt scatter select select_and_scatter shift_left shift_right_arithmetic
shift_right_logical sign sine slice sort sqrt subtract tan tanh transpose triangular_solve tuple
while xor
"""
_CHLO = """
acos acosh asin asinh atan atanh bessel_i1e conj constant cosh digamma erf erf_inv erfc is_inf
is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot sinh square tan top_k zeta
"""
_SHARDY = """
all_gather all_reduce all_slice all_to_all collective_permute manual_computation mesh
named_computation propagation_barrier reduce_scatter reshard return sharding_constraint
sharding_group
"""

ALLOWED_OPS: Final = frozenset(
    [f"stablehlo.{name}" for name in _STABLEHLO.split()]
    + [f"chlo.{name}" for name in _CHLO.split()]
    + [f"sdy.{name}" for name in _SHARDY.split()]
    + ["func.call", "func.return"]
)

# These mark how a value is laid out, or carry an operation that StableHLO has no name for. The
# compiler resolves all of them itself: none reaches a registered function of the host.
MARKER_CALLS: Final = frozenset(
    {
        "Sharding",
        "SPMDFullToShardShape",
        "SPMDShardToFullShape",
        "annotate_device_placement",
        "mhlo.topk",
        "mhlo.erf",
        "chlo.ragged_dot",
        "ragged_all_to_all",
    }
)
