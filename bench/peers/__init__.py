"""Tools that write derivative code: each takes a workload, gives C text, or says why not.

A peer is a module of this room with `emit(workload, dtype) -> Emitted`; those of `RUNTIMES`
run whole batches themselves and have `prepare(workload, dtype, n) -> Batch` instead. What pip
installs for them is the extra `bench` of pyproject.toml.
"""

from __future__ import annotations

OWN = "egad"
# Peers that emit code, by the names of their modules, and what they are called.
EMITTERS = {
    "textbook": "textbook",
    "casadi": "CasADi",
    "sympy": "SymPy",
    "symengine": "SymEngine",
    "symforce": "SymForce",
    "wrenfold": "wrenfold",
    "slang": "Slang",
    "enzyme": "Enzyme",
}
# Peers that vectorise over a batch and run it.
RUNTIMES = {"drjit": "Dr.Jit", "jax": "JAX", "warp": "Warp"}
# What pip calls them.
DISTRIBUTIONS = {"enzyme": "enzyme-ad", "slang": "slangpy", "warp": "warp-lang"}
NAMES = {OWN: OWN, **EMITTERS, **RUNTIMES}


def version(name: str) -> str:
    """The version that is installed; of what is not a package, that it is of this repository."""
    from importlib import metadata

    if name in (OWN, "textbook"):
        return "of this repository"
    try:
        return metadata.version(DISTRIBUTIONS.get(name, name))
    except metadata.PackageNotFoundError:
        return "not installed"
