"""Named slices: which exist, which is nearest, and how a mesh lies on their torus."""

import itertools
from typing import Any

import pytest
from jax.experimental import mesh_utils
from jax.experimental import topologies as jax_topologies

from tests.tpu_runner.programs import mesh_spec
from tpu_runner.compile import target_mesh, versions
from tpu_runner.meshes import MeshDoesNotFitError, check_fit, lay_on_torus, tpu_mesh
from tpu_runner.protocol import Backend, Target
from tpu_runner.topologies import GENERATIONS, UnknownTopologyError, find_slice, slices_with

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize(
    ("name", "devices"),
    [
        ("v2:2x2", 8),  # two cores a chip, each a device
        ("v3:32x32", 2048),
        ("v4:2x2x1", 8),
        ("v5e:2x4", 8),
        ("v5e:16x16", 256),
        ("v5p:8x8x8", 512),
        ("v5p:16x16x24", 6144),
        ("v6e:16x16", 256),
        ("tpu7x:2x2x1", 8),
    ],
)
def test_slices_have_the_devices_that_jax_shows(name: str, devices: int) -> None:
    found = find_slice(name)
    assert found.name == name
    assert found.devices == devices


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("v5e:3x3", "v5e:2x4"),
        ("v5e:32x32", "v5e:16x16"),
        ("v5e:4x2", "v5e:2x4"),
        ("v5p:3x3x3", "v5p:2x4x4"),
        ("v5p:2x2", "v5p:2x2x1"),
        ("v5x:2x4", "v2, v3, v4, v5e, v5p, v6e, tpu7x"),
        ("v5e", "such as v5e:2x4"),
        ("v5e:0x4", "nearest"),
        ("", "such as v5e:2x4"),
        ("v5e:2x4; rm", "such as v5e:2x4"),
    ],
)
def test_a_slice_that_does_not_exist_is_told_with_the_nearest(name: str, part: str) -> None:
    with pytest.raises(UnknownTopologyError, match=part):
        find_slice(name)


def test_a_mesh_that_does_not_fit_is_told_with_slices_that_would() -> None:
    mesh = mesh_spec(("data", 2), ("model", 2))
    with pytest.raises(MeshDoesNotFitError) as raised:
        check_fit(mesh, slice_=find_slice("v4:2x2x1"), slices=1)
    assert "data=2,model=2 has 4 devices, but v4:2x2x1 has 8 (4 chips of 2 devices)" in str(
        raised.value
    )
    assert "v5e:2x2" in str(raised.value)


def test_the_first_axis_has_to_divide_over_the_slices() -> None:
    mesh = mesh_spec(("data", 1), ("model", 8))
    with pytest.raises(MeshDoesNotFitError, match="'data' of size 1 does not divide over 2"):
        check_fit(mesh, slice_=find_slice("v5e:2x2"), slices=2)


def test_fake_devices_have_slices_by_the_same_rule() -> None:
    # 4 rows do not fall into 3 slices: which links cross them would be a guess
    target = Target(backend=Backend.CPU, topology=None, slices=3)
    with pytest.raises(MeshDoesNotFitError, match="'data' of size 4 does not divide over 3"):
        target_mesh(target, mesh_spec(("data", 4), ("model", 2)))


def test_every_generation_has_some_slice_of_eight_devices() -> None:
    assert {found.generation.name for found in slices_with(8)} == set(GENERATIONS)


def devices_of(name: str, **options: int) -> list[Any]:
    if versions().libtpu is None:
        pytest.fail("this test needs the TPU compiler: install the extra `tpu`")
    return list(jax_topologies.get_topology_desc(name, platform="tpu", **options).devices)


def hops(one: Any, other: Any, shape: tuple[int, ...], *, wraps: bool) -> int:
    """Links between two chips: the distance on each axis, the short way round where it wraps."""
    total = 0
    for a, b, size in itertools.zip_longest(one.coords, other.coords, shape, fillvalue=1):
        distance = abs(a - b)
        total += min(distance, size - distance) if wraps else distance
    return total


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("v2:2x2", (4, 2)),
        ("v4:2x2x1", (4, 2)),
        ("v4:2x2x2", (2, 8)),
        ("v4:4x4x4", (16, 8)),
        ("v5e:2x4", (8,)),
        ("v5e:4x4", (4, 4)),
        ("v5p:4x4x4", (2, 32)),
        ("v5p:8x8x8", (32, 16)),
        ("v6e:2x4", (2, 4)),
        ("tpu7x:2x2x1", (4, 2)),
        ("tpu7x:2x2x2", (4, 4)),
    ],
)
def test_a_mesh_holds_every_device_of_the_slice_once(name: str, shape: tuple[int, ...]) -> None:
    devices = devices_of(name)
    laid = lay_on_torus(shape, devices)
    assert laid.shape == shape
    assert sorted(device.id for device in laid.flat) == sorted(device.id for device in devices)


def test_a_mesh_of_one_axis_on_a_rectangle_is_a_ring_of_neighbours() -> None:
    ring = list(lay_on_torus((4,), devices_of("v5e:2x2")))
    for one, other in zip(ring, ring[1:] + ring[:1], strict=True):
        assert hops(one, other, (2, 2, 1), wraps=False) == 1


@pytest.mark.parametrize(("name", "shape"), [("v4:2x2x1", (4, 2)), ("v4:4x4x4", (16, 8))])
def test_both_cores_of_a_v4_chip_are_neighbours_on_the_last_axis(
    name: str, shape: tuple[int, ...]
) -> None:
    laid = lay_on_torus(shape, devices_of(name))
    for first, second in zip(laid[..., 0::2].flat, laid[..., 1::2].flat, strict=True):
        assert tuple(first.coords) == tuple(second.coords)
        assert (first.core_on_chip, second.core_on_chip) == (0, 1)


def test_a_mesh_over_two_slices_is_the_one_that_jax_calls_hybrid() -> None:
    devices = devices_of("v5e:2x4", num_slices=2)
    expected = mesh_utils.create_hybrid_device_mesh((2, 4), (2, 1), devices)
    found = tpu_mesh(
        mesh_spec(("data", 4), ("model", 4)), devices, slice_=find_slice("v5e:2x4"), slices=2
    )
    assert [device.id for device in found.devices.flat] == [device.id for device in expected.flat]


def test_axes_of_a_cube_lie_along_its_links() -> None:
    laid = lay_on_torus((4, 16), devices_of("v5p:4x4x4"))
    for row in laid:
        # Each group of the second axis is one plane, each group of the first one line.
        assert len({tuple(device.coords) for device in row}) == 16
    for column in laid.T:
        ring = list(column)
        for one, other in zip(ring, ring[1:] + ring[:1], strict=True):
            assert hops(one, other, (4, 4, 4), wraps=True) == 1
