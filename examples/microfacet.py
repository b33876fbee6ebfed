"""A GGX microfacet BRDF as a shader author writes it, and the gradient of a loss through it."""

from differences import check
from microfacet_points import points

from egad import derive, dot, float3, lerp, max, normalize, sqrt

PI = 3.141592653589793


def smith_g1(n_dot_s: float, alpha: float) -> float:
    """Smith's masking of one direction under the GGX distribution."""
    a2 = alpha * alpha
    return 2.0 * n_dot_s / (n_dot_s + sqrt(lerp(n_dot_s * n_dot_s, 1.0, a2)))


def microfacet(
    base_color: float3, metallic: float, roughness: float, normal: float3, view: float3,
    light: float3,
) -> float3:  # fmt: skip
    """Light reflected towards `view`: GGX distribution, Smith masking, Schlick's Fresnel."""
    n = normalize(normal)
    h = normalize(view + light)
    n_dot_v = max(dot(n, view), 1e-4)
    n_dot_l = max(dot(n, light), 1e-4)
    n_dot_h = max(dot(n, h), 0.0)
    alpha = roughness * roughness
    spread = n_dot_h * n_dot_h * (alpha * alpha - 1.0) + 1.0
    distribution = alpha * alpha / (PI * spread * spread)
    masking = smith_g1(n_dot_l, alpha) * smith_g1(n_dot_v, alpha)

    f0 = lerp(float3(0.04), base_color, metallic)
    fresnel = f0 + (1.0 - f0) * (1.0 - dot(view, h)) ** 5
    specular = fresnel * (distribution * masking / (4.0 * n_dot_v * n_dot_l))
    diffuse = (1.0 - fresnel) * (1.0 - metallic) * base_color / PI
    return (diffuse + specular) * n_dot_l


def loss(
    base_color: float3, metallic: float, roughness: float, normal: float3, view: float3,
    light: float3, seen: float3,
) -> float:  # fmt: skip
    """Squared distance between the BRDF and the radiance that was seen."""
    off = microfacet(base_color, metallic, roughness, normal, view, light) - seen
    return dot(off, off)


MATERIAL = ("base_color", "metallic", "roughness", "normal")


if __name__ == "__main__":
    at = points(1000)
    gradient = derive(loss, mode="value_and_grad", wrt=MATERIAL, dtype="float64")
    print(gradient.explain().split("  derivative rules")[0])
    losses, gradients = gradient(**at)
    print(f"{len(losses)} losses and their gradients in one launch:")
    check(loss, at, dict(gradients.items()))
