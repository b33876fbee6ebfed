"""The text of a random program: a Python function in the language that egad reads.

Takes a sketch, gives a `def`. A choice becomes `if` and `else` around what only its arms
need, a chain of choices becomes `elif`, and a choice that is the result returns early.
"""

from random_programs import Lit, Sketch, Step

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floor_div": "//",
    "floor_mod": "%",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "logical_and": "and",
    "logical_or": "or",
}


def text(sketch: Sketch, name: str = "f") -> str:
    """The function as Python source."""
    params = ", ".join(f"{n}: {kind}" for n, kind in sketch.params)
    lines = _Writer(sketch).body()
    return "\n".join([f"def {name}({params}):", *(f"    {line}" for line in lines)]) + "\n"


class _Writer:
    def __init__(self, sketch: Sketch) -> None:
        self.sketch = sketch
        self.start = len(sketch.params)
        self.names = {i: name for i, (name, _) in enumerate(sketch.params)}
        self.home = self._homes()

    def _step(self, index: int) -> Step:
        return self.sketch.steps[index - self.start]

    def _homes(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """For every step the arms, outermost first, in which all of its uses are."""
        homes: dict[int, tuple[tuple[int, int], ...]] = {self.sketch.result: ()}
        for index in range(self.start + len(self.sketch.steps) - 1, self.start - 1, -1):
            here = homes.get(index, ())
            step = self._step(index)
            for place, arg in enumerate(step.args):
                if not isinstance(arg, int) or arg < self.start:
                    continue
                inside = (*here, (index, place)) if step.op == "select" and place else here
                homes[arg] = _common(homes[arg], inside) if arg in homes else inside
        return homes

    def body(self) -> list[str]:
        lines = self._block(())
        if self.sketch.result < self.start or self._step(self.sketch.result).op != "select":
            lines.append(f"return {self._operand(self.sketch.result)}")
        return lines

    def _block(self, home: tuple[tuple[int, int], ...]) -> list[str]:
        lines: list[str] = []
        for index in range(self.start, self.start + len(self.sketch.steps)):
            if self.home.get(index) == home:
                lines += self._written(index, home)
        return lines

    def _written(self, index: int, home: tuple[tuple[int, int], ...]) -> list[str]:
        step = self._step(index)
        self.names[index] = f"t{index - self.start}"
        if step.op != "select":
            return [f"{self.names[index]} = {self._expression(step)}"]
        end = index == self.sketch.result and not home
        first, second = (self._arm(index, place, home, end) for place in (1, 2))
        head = f"if {self._operand(step.args[0])}:"
        inner = [f"    {line}" for line in first]
        if end:
            return [head, *inner, *second]
        if (
            second[0].startswith("if ")
            and all(line.startswith((" ", "if ", "elif ", "else:")) for line in second[:-1])
            and second[-1] == f"{self.names[index]} = t{step.args[2] - self.start}"
        ):  # type: ignore[operator]
            renamed = [
                line.replace(f" t{step.args[2] - self.start} =", f" {self.names[index]} =")  # type: ignore[operator]
                for line in second[:-1]
            ]
            return [head, *inner, f"el{renamed[0]}", *renamed[1:]]
        return [head, *inner, "else:", *(f"    {line}" for line in second)]

    def _arm(
        self, index: int, place: int, home: tuple[tuple[int, int], ...], end: bool
    ) -> list[str]:
        lines = self._block((*home, (index, place)))
        value = self._operand(self._step(index).args[place])
        return [*lines, f"return {value}" if end else f"{self.names[index]} = {value}"]

    def _operand(self, arg: int | Lit) -> str:
        if isinstance(arg, Lit):
            return repr(arg.number) if arg.number >= 0 else f"({arg.number!r})"
        return self.names[arg]

    def _expression(self, step: Step) -> str:
        args = [self._operand(a) for a in step.args]
        match step.op:
            case "item":
                return self._item(step, args[0])
            case "swizzle":
                return f"{args[0]}.{step.attr}"
            case "stack":
                return f"{self._constructor(step)}({', '.join(args)})"
            case "power":
                return f"{args[0]} ** {step.attr}"
            case "neg":
                return f"-{args[0]}"
            case "logical_not":
                return f"not {args[0]}"
            case "matmul":
                return f"{args[0]} @ {args[1]}"
            case "call":
                return f"g({', '.join(args)})  # {text(step.attr, 'g')!r}"
        if step.op in _INFIX:
            return f"{args[0]} {_INFIX[step.op]} {args[1]}"
        return f"{step.op}({', '.join(args)})"

    def _item(self, step: Step, value: str) -> str:
        return f"{value}[{step.attr}]"

    def _constructor(self, step: Step) -> str:
        from random_programs import build

        from egad.terms.types import Scalar, type_name

        index = self.start + self.sketch.steps.index(step)
        part = Sketch(self.sketch.params, self.sketch.steps, index)
        return type_name(build(part, Scalar.F32).results[0].type)


def _common(
    a: tuple[tuple[int, int], ...], b: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    count = 0
    while count < min(len(a), len(b)) and a[count] == b[count]:
        count += 1
    return a[:count]
