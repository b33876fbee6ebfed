"""Three materials behind one protocol, chosen by a tag: dispatch, and gradients through `self`."""

from typing import Protocol

import numpy as np
from differences import check
from microfacet_points import points
from scipy.optimize import least_squares

from egad import derive, dot, exp, float3, normalize, saturate, struct

PI = 3.141592653589793


@struct
class Geometry:
    normal: float3
    view: float3
    light: float3

    @property
    def half(self) -> float3:
        return normalize(self.view + self.light)


class Material(Protocol):
    def shade(self, g: Geometry) -> float:
        """The part of the light that is reflected towards `view`."""


@struct
class Lambert:
    albedo: float

    def shade(self, g: Geometry) -> float:
        return self.albedo / PI * saturate(dot(g.normal, g.light))


@struct
class BlinnPhong:
    albedo: float
    shininess: float

    def shade(self, g: Geometry) -> float:
        lobe = saturate(dot(g.normal, g.half)) ** self.shininess
        normalized = (self.shininess + 8.0) / (8.0 * PI) * lobe
        return self.albedo * normalized * saturate(dot(g.normal, g.light))


@struct
class Coated:
    """A base under a glossy coat, which absorbs on the way in and out."""

    base: Lambert
    coat: BlinnPhong
    thickness: float

    def shade(self, g: Geometry) -> float:
        fresnel = 0.04 + 0.96 * (1.0 - saturate(dot(g.view, g.half))) ** 5
        path = self.thickness * (1.0 / dot(g.normal, g.view) + 1.0 / dot(g.normal, g.light))
        through = (1.0 - fresnel) * exp(-path)
        return fresnel * self.coat.shade(g) + through * self.base.shade(g)


# By tag: how many of the parameters, in this order, each material has.
MATERIALS = {"Lambert": 1, "Blinn-Phong": 2, "coated": 3}
TRUE = {"albedo": 0.6, "shininess": 30.0, "thickness": 0.2}


def material(tag: int, albedo: float, shininess: float, thickness: float) -> Material:
    if tag == 0:
        return Lambert(albedo)
    if tag == 1:
        return BlinnPhong(albedo, shininess)
    return Coated(Lambert(albedo), BlinnPhong(1.0, shininess), thickness)


def radiance(
    tag: int, albedo: float, shininess: float, thickness: float, normal: float3, view: float3,
    light: float3,
) -> float:  # fmt: skip
    """One function for all materials: the tag decides whose `shade` is called."""
    return material(tag, albedo, shininess, thickness).shade(Geometry(normal, view, light))


def recovered(tag: int, count: int, seen: np.ndarray, lit: dict[str, np.ndarray]) -> np.ndarray:
    """The first `count` parameters of a material, from what it was seen to reflect."""
    rest = [0.0] * (len(TRUE) - count)
    return least_squares(
        lambda x: value(tag, *x, *rest, **lit) - seen,
        [0.3, 10.0, 0.5][:count],
        lambda x: np.stack(slopes(tag, *x, *rest, **lit)[:count], axis=-1),
    ).x


if __name__ == "__main__":
    value = derive(radiance, "primal", dtype="float64")
    slopes = derive(radiance, "jacobian", wrt=list(TRUE), dtype="float64")
    lit = {name: points(300)[name] for name in ("normal", "view", "light")}
    tags = np.arange(300) % 3  # neighbours of different materials, in one launch
    seen, found = value(tags, **TRUE, **lit), slopes(tags, **TRUE, **lit)
    for tag, (name, count) in enumerate(MATERIALS.items()):
        print(f"{name}:")
        mine = {key: v[tags == tag] for key, v in lit.items()}
        own = {key: v[tags == tag] for key, v in found.items()}
        for unused in list(TRUE)[count:]:
            assert not own.pop(unused).any(), (name, unused)
        at = {key: np.full(100, v) for key, v in {"tag": tag, **TRUE}.items()}
        check(radiance, at | mine, own)
        again = recovered(tag, count, seen[tags == tag], mine)
        print("  found:", ", ".join(f"{k} {x:.6f}" for k, x in zip(own, again, strict=True)))
        np.testing.assert_allclose(again, list(TRUE.values())[:count], rtol=1e-6)
