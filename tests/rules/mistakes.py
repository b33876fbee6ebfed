"""Rule files with one mistake each, as someone might make it.

Each entry: who finds it (`load`, when the file is loaded, or `check`, `egad check`), the file with
`«` and `»` around the place that the error has to show, and what the message says.
"""

#: name -> who, text, part of the message
MISTAKES = {
    # ---- Python that rules do not have
    "an if": (
        "load",
        "def f(x) -> y:\n    «if x > 0:»\n        y = x\n    else:\n        y = -x",
        "an if cannot stand here",
    ),
    "a loop": (
        "load",
        "def f(x) -> y:\n    «for i in range(3):»\n        y = x",
        "a loop cannot stand here",
    ),
    "an update": ("load", "def f(x) -> y:\n    y = x\n    «y += 1»", "an assignment cannot stand"),
    "an assertion": (
        "load",
        "def f(x) -> y:\n    «assert x > 0»\n    y = sqrt(x)",
        "an assert cannot stand here",
    ),
    "an equation": (
        "load",
        "@rewrite(real)\ndef r(x):\n    «sin(x)» = x",
        "this is not Python syntax",
    ),
    "another arrow": ("load", "@rewrite(real)\ndef r(x):\n    sin(x) «->» x", "not Python syntax"),
    "a substitute for what the device computes": (
        "load",
        "@primal\ndef «sin»(x) -> y:\n    y = x - x**3 / 6",
        "there is no definition to be replaced",
    ),
    # ---- derivatives
    "wrong sign": ("check", "def f(x) -> y:\n    y = cos(x)\n    dy_dx = «sin(x)»", "rule gives"),
    "wrong sign of one term": (
        "check",
        "def f(a, b) -> z:\n    z = a * a - b * b\n    dz_da = 2 * a\n    dz_db = «2 * b»",
        "[f dz_db] disagrees",
    ),
    "swapped arguments": (
        "check",
        "def f(y, x) -> z:\n    domain = x != 0 or y != 0\n"
        "    z = atan2(y, x)\n    r = x**2 + y**2\n"
        "    dz_dy = «y / r»\n    dz_dx = -x / r",
        "[f dz_dy] disagrees",
    ),
    "swapped partials": (
        "check",
        "def f(a, b) -> z:\n    z = a * exp(b)\n    dz_da = «a * exp(b)»\n    dz_db = exp(b)",
        "[f dz_da] disagrees",
    ),
    "forgotten chain rule": (
        "check",
        "def f(x) -> y:\n    y = sin(3 * x)\n    dy_dx = «cos(3 * x)»",
        "[f dy_dx] disagrees",
    ),
    "wrong constant": (
        "check",
        "def f(x) -> y:\n    y = x * x * x\n    dy_dx = «2 * x * x»",
        "[f dy_dx] disagrees",
    ),
    "derivative of another function": (
        "check",
        "def f(x) -> y:\n    y = sinh(x)\n    dy_dx = «cos(x)»",
        "[f dy_dx] disagrees",
    ),
    "wrong at one point only": (
        "check",
        "def f(x) -> y:\n    y = abs(x)\n    dy_dx = «3 if x == 0 else sign(x)»",
        "at x=0",
    ),
    "wrong backward side": (
        "check",
        "def f(x, y) -> z:\n    z = x * y\n    x_bar = y * z_bar\n    y_bar = «y * z_bar»",
        "[f y_bar] disagrees",
    ),
    "wrong forward side": (
        "check",
        "def f(x, y) -> z:\n    z = x * y * y\n    dz = «y * y * dx + x * y * dy»",
        "[f dz_dy] disagrees",
    ),
    "wrong derivative over vectors": (
        "check",
        "def f(v: vec) -> s:\n    s = dot(v, v)\n    ds_dv = «v»",
        "[f ds_dv] disagrees",
    ),
    "missing domain": (
        "check",
        "def f(x) -> y:\n    y = log(x)\n    dy_dx = «1 / max(x, 0.001)»",
        "[f dy_dx]",
    ),
    "undefined derivative": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    dy_dx = «2 * (y / x)»",
        "rule gives nan",
    ),
    "domain without points": (
        "check",
        "def «f»(x) -> y:\n    domain = x > 5 and x < 4\n    y = x\n    dy_dx = 1",
        "no sample satisfied the conditions",
    ),
    "wrong range": ("check", "def f(x) -> y:\n    range = «y > 0»\n    y = x * x", "[f range]"),
    "wrong meaning": (
        "check",
        '@op(cost=3)\ndef f(x) -> y:\n    numpy = «"cos(x)"»\n    mpmath = "sin(x)"\n'
        '    opencl = "sin({x})"\n    dy_dx = cos(x)',
        "[f numpy] disagrees with the mpmath meaning",
    ),
    "substitute of another function": (
        "check",
        "def f(x) -> y:\n    y = log(1 + exp(x))\n    dy_dx = sigmoid(x)\n\n\n"
        "@primal\ndef f(x) -> y:\n    y = «max(x, 0)»",
        "[f primal] the sides differ",
    ),
    "missing partial": (
        "load",
        "def «f»(a, b) -> z:\n    z = a * b\n    dz_da = b",
        "the derivative by 'b' is missing",
    ),
    "missing backward side": (
        "load",
        "def «f»(a, b) -> z:\n    z = a * b\n    a_bar = b * z_bar",
        "the derivative by 'b' is missing",
    ),
    "no derivative at all": (
        "load",
        '@op(cost=3)\ndef «sinpi»(x) -> y:\n    numpy = "sin(x)"',
        "sinpi states no derivative",
    ),
    "misspelled partial": (
        "load",
        "def f(x, speed) -> y:\n    y = x * speed\n    «dy_dsped» = x\n    dy_dx = speed",
        "'dy_dsped' is no derivative of f; did you mean 'dy_dspeed'?",
    ),
    "partial of another result": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    «dz_dx» = 2 * x",
        "'dz_dx' is no derivative of f; did you mean 'dy_dx'?",
    ),
    "stated twice": (
        "load",
        "def f(x) -> y:\n    y = x\n    dy_dx = 1\n    «dy_dx» = 2",
        "'dy_dx' is stated twice",
    ),
    "forward side that is not linear": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    dy = «2 * x * dx * dx»",
        "is not linear in the tangents",
    ),
    "forward side without tangent": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    dy = «2 * x»",
        "does not depend on a tangent",
    ),
    "backward side that is not linear": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    x_bar = «2 * x * (y_bar if y_bar != 0 else 1)»",
        "[f x_bar] is 2.0 of the cotangent y_bar = 0",
    ),
    "divided by the cotangent": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    x_bar = «2 * x * y_bar * y_bar / y_bar»",
        "[f x_bar] is undefined of the cotangent y_bar = 0",
    ),
    "divided by a component that may be 0": (
        "check",
        "def f(v: vec3) -> s:\n    domain = dot(v, v) > 0\n"
        "    s = max(v.x, 0) + max(v.y, 0) + max(v.z, 0)\n    ds_dv = «max(v, 0) / v»",
        "[f ds_dv] disagrees",
    ),
    "tangent in a partial": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    dy_dx = 2 * x * «dx»",
        "'dx' is not in scope in a partial",
    ),
    "result in its definition": (
        "load",
        "def f(x) -> y:\n    y = «y» + x",
        "'y' is not in scope in a definition",
    ),
    "derivative of an integer": (
        "load",
        "def f(n: int, x) -> y:\n    y = n * x\n    «dy_dn» = x\n    dy_dx = n",
        "'dy_dn' is no derivative of f",
    ),
    "derivative beside @nondiff": (
        "load",
        "@nondiff\ndef f(x) -> y:\n    y = floor(x)\n    «dy_dx» = 0",
        "@nondiff says that there is no derivative",
    ),
    "condition as derivative": (
        "load",
        "def f(x) -> y:\n    y = max(x, 0)\n    dy_dx = «x > 0»",
        "a derivative is a number, not a condition",
    ),
    # ---- names, calls, kinds
    "unknown name": (
        "load",
        "def f(edge) -> y:\n    y = 1 if «edgy» > 0 else 2",
        "unknown name 'edgy'; did you mean 'edge'?",
    ),
    "unknown operator": (
        "load",
        "def f(x) -> y:\n    y = «arctan»(x)",
        "unknown operator 'arctan'; did you mean 'atan'?",
    ),
    "too few arguments": (
        "load",
        "def f(x) -> y:\n    y = «atan2(x)»",
        "atan2 takes 2 arguments, not 1",
    ),
    "too many arguments": (
        "load",
        "def f(x) -> y:\n    y = 2 * «sin(x, 1)»",
        "sin takes 1 argument, not 2",
    ),
    "number for a vector": (
        "load",
        "def f(x) -> y:\n    y = «dot(x, x)»",
        "dot does not take a number, a number",
    ),
    "component beyond the size": (
        "load",
        "def f(v: vec3) -> y:\n    y = «v.w»",
        "there is no component 3",
    ),
    "condition as number": (
        "load",
        "def f(x) -> y:\n    y = «2 * (x > 0)»",
        "mul mixes conditions and numbers",
    ),
    "number as condition": (
        "load",
        "def f(x) -> y:\n    y = «1 if x else 2»",
        "select needs a condition",
    ),
    "real for an integer": (
        "load",
        "def g(n: int) -> k: k = n + 1\n\n\ndef f(x) -> y:\n    y = «g(x)»",
        "g needs an integer for 'n'",
    ),
    "unknown kind of a result": (
        "load",
        "@op(cost=1)\ndef f(a: int) -> c:\n    c: «matrix»\n    c = a",
        "unknown kind 'matrix'",
    ),
    "unknown kind": ("load", "def f(v: «vec5») -> y:\n    y = v.x", "unknown kind 'vec5'"),
    "unused local": (
        "load",
        "def f(x) -> y:\n    «t» = x * x\n    y = x",
        "the local 't' is never used",
    ),
    "reserved name": ("load", "def f(«pi») -> y:\n    y = pi", "'pi' is a reserved name"),
    "name of a type": (
        "load",
        "def «double»(x) -> y:\n    y = 2 * x",
        "the name 'double' is taken by egad",
    ),
    "name of a word of Python": (
        "load",
        "def «len»(v: vec3) -> y:\n    y = length(v)",
        "the name 'len' is taken by egad",
    ),
    "substitutes that lead back": (
        "load",
        "def f(x) -> y:\n    y = x * x\n\n\ndef g(x) -> y:\n    y = x * x\n\n\n"
        "@primal\ndef f(x) -> y:\n    y = g(x)\n\n\n@primal\ndef «g»(x) -> y:\n    y = f(x)",
        "the definition uses itself",
    ),
    "wrong in a narrow band": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    dy_dx = «2 if abs(x - 5.37) < 1e-3 else 2 * x»",
        "[f dy_dx] disagrees",
    ),
    "wrong between two scaled bounds": (
        "check",
        "def f(x) -> y:\n    y = x * x\n"
        "    dy_dx = «2 if 3 * x > 2.11 and 3 * x < 2.12 else 2 * x»",
        "[f dy_dx] disagrees",
    ),
    "range left in a narrow dip": (
        "check",
        "def f(x) -> y:\n    range = «y >= 0»\n    y = (x - 5.3) * (x - 5.4)",
        "[f range] is left",
    ),
    "wrong between two squares": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    dy_dx = «2 * x if x * x < 30.5 or x * x > 30.6 else 0»",
        "[f dy_dx] disagrees",
    ),
    "large cotangents are cut": (
        "check",
        "def f(x) -> y:\n    y = x * x\n    x_bar = «2 * x * min(y_bar, 1000)»",
        "times the cotangent y_bar",
    ),
    "no digits left where a wave turns": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «1 - cos(x) >> sin(x) * sin(x) / (1 + cos(x))»",
        "[r] ",
    ),
    "no digits left where half an angle turns": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «tan(x / 2) >> sin(x) / (1 + cos(x))»",
        "[r] ",
    ),
    "module's name": (
        "load",
        "def f(x) -> y:\n    y = «math.sin»(x)",
        "an attribute cannot be called in a rule",
    ),
    "definition that uses itself": (
        "load",
        "def «f»(x) -> y:\n    y = f(x - 1) if x > 0 else 0",
        "the definition uses itself: f -> f",
    ),
    "definitions that use each other": (
        "load",
        "def f(x) -> y: y = g(x)\n\n\ndef «g»(x) -> y: y = f(x)",
        "the definition uses itself: f -> g -> f",
    ),
    "deep expression": (
        "load",
        "def f(x) -> y:\n    y = «x + x»" + " + x" * 100,
        "the expression is more than 100 levels deep",
    ),
    "number beyond the largest": (
        "load",
        "def f(x) -> y:\n    y = x * «1e400»",
        "this number is too large",
    ),
    "number of more digits than Python reads": (
        "load",
        f"def f(x) -> y:\n    y = x * «1{'0' * 4999}»",
        "this number is too large",
    ),
    "deeper than Python reads": (
        "load",
        f"def f(x) -> y:\n    «y» = {'-' * 9000}x",
        "the rule file is nested too deeply to be read",
    ),
    "sides that differ in the ninth digit": (
        "check",
        "@rewrite(real)\ndef f(x):\n    «sin(x) * 1.0000001 >> sin(x) * 1.000000101»",
        "left 0.841471069, right 0.8414710698",
    ),
    "tuple of another size": (
        "load",
        "def f(x) -> y:\n    a, b, c = «sincos(x)»\n    y = a + b + c",
        "there are 2 values for 3 names",
    ),
    "result of a tuple that is missing": (
        "load",
        "def «f»(x) -> (s, c):\n    s = sin(x)",
        "the result 'c' is never defined",
    ),
    # ---- files and blocks
    "duplicate": (
        "load",
        "def f(x) -> y:\n    y = x\n\n\ndef «f»(x) -> y:\n    y = 2 * x",
        "the operator 'f' is defined twice",
    ),
    "shadowed operator": (
        "load",
        "def «sin»(x) -> y:\n    y = x",
        "the operator 'sin' is defined twice",
    ),
    "rule of one name twice": (
        "load",
        "@rewrite(exact)\ndef r(a, b):\n    a * b >> b * a\n\n\n"
        "@rewrite(exact)\ndef «r»(a, b):\n    a + b >> b + a",
        "the rule 'r' is defined twice",
    ),
    "taken alias": (
        "load",
        'def f(x) -> y:\n    aliases = «"numpy.sin"»\n    y = x',
        "the alias 'numpy.sin' already means 'sin'",
    ),
    "change of what is not there": (
        "load",
        "@derivative\ndef «sine»(x) -> y:\n    dy_dx = cos(x)",
        "there is no operator 'sine' to change; did you mean 'sin'?",
    ),
    "a substitute beside what is not there": (
        "load",
        "def f(x) -> y:\n    y = 1 if x == 0 else sin(x) / x\n\n\n"
        '@primal(beside=«"cosine"»)\ndef f(x) -> y:\n    y = sin(x) / x',
        "there is no function 'cosine' of as many parameters to be used beside",
    ),
    "a pattern beside a function": (
        "load",
        '@primal(beside=«"exp"»)\ndef f(x):\n    sin(x) / x >> cardinal_sine(x)',
        "beside=… is for a function, not a pattern",
    ),
    "typo in a tag": (
        "load",
        "@rewrite(«exakt»)\ndef r(a, b):\n    a * b >> b * a",
        "unknown tag 'exakt'; did you mean 'exact'?",
    ),
    "typo in a decorator": (
        "load",
        "@«rewritte(exact)»\ndef r(a, b):\n    a * b >> b * a",
        "unknown decorator @rewritte; did you mean 'rewrite'?",
    ),
    "typo in an option": (
        "load",
        "@op(«kost=3»)\ndef f(x) -> y:\n    y = x",
        "option 'kost' of @op is unknown; did you mean 'cost'?",
    ),
    "cost of zero": (
        "load",
        "@op(cost=«0»)\ndef f(x) -> y:\n    y = x",
        "a cost must be a positive number",
    ),
    "negative cost": (
        "load",
        "@op(cost=«-3»)\ndef f(x) -> y:\n    y = x",
        "a cost must be a positive number",
    ),
    "infinite cost": (
        "load",
        "@op(cost=«1e999»)\ndef f(x) -> y:\n    y = x",
        "a cost must be a positive number",
    ),
    "look-alike letter": (
        "load",
        "def f(x) -> y:\n    y = «ѕ»in(x)",
        "the letter 'ѕ' (U+0455) is not ASCII",
    ),
    "look-alike minus": (
        "load",
        "def f(x) -> y:\n    y = 3 «−» x",
        "invalid character '−' (U+2212)",
    ),
    "later version": (
        "load",
        "rules_version = «2»\n\n\ndef f(x) -> y:\n    y = x",
        "this egad knows version 1",
    ),
    "include that leaves the folder": (
        "load",
        'include(«"../other.rules"»)\n\n\ndef f(x) -> y:\n    y = x',
        "a path that leaves the folder of the file",
    ),
    "missing include": (
        "load",
        'include(«"other.rules"»)\n\n\ndef f(x) -> y:\n    y = x',
        "there is no rule file 'other.rules'",
    ),
    "import": (
        "load",
        "«import math»\n\n\ndef f(x) -> y:\n    y = x",
        "an import cannot stand here",
    ),
    "missing colon": ("load", "def f(x) -> y«\n»    y = x", "expected ':'"),
    # ---- spellings and meanings
    "unknown built-in": (
        "load",
        '@opencl\ndef sin(x):\n    f32 = «"native_sine({x})"»',
        "OpenCL has no built-in 'native_sine'; did you mean 'native_sin",
    ),
    "built-in with another arity": (
        "load",
        '@opencl\ndef sin(x):\n    f32 = «"atan2({x})"»',
        "OpenCL's atan2 takes 2 arguments, not 1",
    ),
    "unknown parameter in a spelling": (
        "load",
        '@opencl\ndef sin(x):\n    f32 = «"sin({y})"»',
        "there is no parameter 'y'",
    ),
    "spelling that is a program": (
        "load",
        '@opencl\ndef sin(x):\n    f32 = «"sin({x}); while(1);"»',
        "is not an OpenCL spelling",
    ),
    "type that the operator does not take": (
        "load",
        '@opencl\ndef sin(x):\n    «i32» = "sin({x})"',
        "sin has no i32 form",
    ),
    "unknown NumPy function": (
        "load",
        '@op\ndef sinpi(x) -> y:\n    numpy = «"sine(x)"»\n    dy_dx = 1',
        "NumPy has no element-wise function 'sine'",
    ),
    "NumPy function with another arity": (
        "load",
        '@op\ndef sinpi(x) -> y:\n    numpy = «"sin(x, x)"»\n    dy_dx = 1',
        "NumPy's sin takes 1 argument, not 2",
    ),
    # ---- rewrites and facts
    "free variable on the right": (
        "load",
        "@rewrite(real)\ndef r(x, y):\n    sqrt(x * x) >> «y»",
        "'y' in the right side is not in the left side",
    ),
    "free variable in a condition": (
        "load",
        "@rewrite(real)\ndef r(x, y):\n    if «y» >= 0: sqrt(x * x) >> x",
        "'y' in the condition is not in the left side",
    ),
    "unknown name in a condition": (
        "load",
        "@rewrite(real)\ndef r(x):\n    if «xx» >= 0: sqrt(x * x) >> x",
        "unknown name 'xx'; did you mean 'x'?",
    ),
    "condition of two expressions": (
        "load",
        "@rewrite(real)\ndef r(x, y):\n    if «x > y»: max(x, y) >> x",
        "a condition compares an expression with a number",
    ),
    "condition joined by or": (
        "load",
        "@rewrite(real)\ndef r(x, y):\n    if «x > 0 or y > 0»: abs(x * y) >> x * y",
        "this is not a condition",
    ),
    "condition on infinity": (
        "load",
        "@rewrite(real)\ndef r(x):\n    if «x < inf»: x - x >> 0",
        "a number that is not finite",
    ),
    "condition that a value differs from a number": (
        "load",
        "@rewrite(real)\ndef r(x):\n    if «x != 1»: (x - 1) / (x - 1) >> 1",
        "values are known to differ from 0 only",
    ),
    "dead condition": (
        "check",
        "@rewrite(real)\ndef r(x):\n    if x > 4 and x < 3: «abs(x) >> x»",
        "no sample satisfied the conditions",
    ),
    "dead left side": (
        "load",
        "@rewrite(fast)\ndef r(a, b, t):\n    «lerp(a, b, t)» >> fma(t, b - a, a)",
        "this rule never applies: it names 'lerp'",
    ),
    "dead substitute": (
        "load",
        "@primal\ndef r(a, b, t):\n    «lerp(a, b, t)» >> fma(t, b - a, a)",
        "this substitute never applies: 'lerp' states no derivative",
    ),
    "dead fact": (
        "load",
        "@fact\ndef r(x):\n    «softplus(x)» >= 0",
        "this rule never applies: it names 'softplus'",
    ),
    "function on the right side": (
        "load",
        "@rewrite(real)\ndef r(x):\n    x * log(x) >> «xlogx(x)»",
        "functions with a definition are replaced by it before",
    ),
    "left side that matches everything": (
        "load",
        "@rewrite(exact)\ndef r(x):\n    «x» >> x * 1",
        "the left side is just x",
    ),
    "both sides equal": (
        "load",
        "@rewrite(exact)\ndef r(x):\n    «sin(x) >> sin(x)»",
        "both sides are the same",
    ),
    "sides of two types": (
        "load",
        "@rewrite(exact)\ndef r(x, y):\n    «x - y >> (x > y)»",
        "the right side is",
    ),
    "comparison without brackets": (
        "load",
        "@rewrite(exact)\ndef r(x, y):\n    «x < y >> y > x»",
        "this is not a rewrite",
    ),
    "unused parameter": (
        "load",
        "@rewrite(exact)\ndef r(x, «y»):\n    -(-x) >> x",
        "the parameter 'y' is never used",
    ),
    "else": (
        "load",
        "@rewrite(real)\ndef r(x):\n    if x >= 0: sqrt(x * x) >> x\n    else: «sqrt(x * x) >> -x»",
        "rules have no else",
    ),
    "wrong sign in a rewrite": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «sin(-x) >> sin(x)»",
        "the sides differ",
    ),
    "missing condition": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «sqrt(x * x) >> x»",
        "the sides differ at x=-1",
    ),
    "swapped arguments in a rewrite": (
        "check",
        "@rewrite(real)\ndef r(x, y):\n    «atan2(-y, x) >> -atan2(x, y)»",
        "the sides differ",
    ),
    "not exact": (
        "check",
        "@rewrite(exact)\ndef r(x):\n    «x + 0 >> x»",
        "is not exact in float32 at x=-0",
    ),
    "loses accuracy": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «log1p(x) >> log(1 + x)»",
        "loses accuracy in float64",
    ),
    "loses what two of three cancel": (
        "check",
        "@rewrite(real)\ndef r(x, y, z):\n    «x * (y - z) >> x * y - x * z»",
        "loses accuracy in float64",
    ),
    "loses accuracy near 1": (
        "check",
        "@rewrite(real)\ndef r(x):\n    «(1 - x) * (1 + x) >> 1 - x * x»",
        "loses accuracy in float64",
    ),
    "defined where the left side is not": (
        "check",
        "@rewrite(fast)\ndef r(x):\n    «sqrt(x) * rsqrt(x) >> 1»",
        "has values where its left side has none",
    ),
    "exploding": (
        "check",
        "@rewrite(real)\ndef r(a, b, c):\n    «a + b + c >> a + (b + c)»",
        "explodes beside the other rules",
    ),
    "without end": (
        "check",
        "@rewrite(real)\ndef r(x, y):\n    «abs(x) * y >> abs(x * 1.5) * y / 1.5»",
        "never comes to an end",
    ),
    "wrong fact": (
        "check",
        "@fact\ndef r(x):\n    «x * x * x >= 0»",
        "does not hold",
    ),
    "fact about a parameter": (
        "load",
        "@fact\ndef r(x):\n    «x >= 0»",
        "this conclusion is about no operator",
    ),
    "fact that is a rewrite": (
        "load",
        "@fact\ndef r(x):\n    «x - x == 0»",
        "a fact says how an expression compares",
    ),
    # ---- spellings from elsewhere
    "a comment of C": ("load", "«//» squares\ndef f(x) -> y:\n    y = x * x", "not Python syntax"),
    "a partial as a fraction": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    «dy/dx» = 2 * x",
        "not Python syntax",
    ),
    "a partial with a prime": (
        "load",
        "def f(x) -> y:\n    y = x * x\n    y«'» = 2 * x",
        "not Python syntax",
    ),
    "conditions joined as in C": (
        "load",
        "def f(x) -> y:\n    y = «x if x > 0 &»& x < 1 else 0",
        "not Python syntax",
    ),
    "a comparison turned round": (
        "load",
        "@rewrite(real)\ndef r(x):\n    if x «=»> 0: sqrt(x * x) >> x",
        "not Python syntax",
    ),
    "a condition behind": (
        "load",
        "@rewrite(real)\ndef r(x):\n    «sqrt(x * x) >> x if x >= 0»",
        "not Python syntax",
    ),
    "a product without a sign": ("load", "def f(x) -> y:\n    y = «2»x", "not Python syntax"),
    "two values side by side": (
        "load",
        "def f(x) -> y:\n    y = (x + 1) * («x sin(x)»)",
        "not Python syntax",
    ),
    "a minus of a formula": ("load", "def f(x) -> y:\n    y = x «\u2212» 1", "not Python syntax"),
    "quotes of a text": (
        "load",
        "def f(x) -> y:\n    «\u201c»half\u201d\n    y = x / 2",
        "not Python",
    ),
    "a space that is none": ("load", "def f(x) -> y:\n    y = x«\u00a0»* 2", "not Python syntax"),
    "a line too far left": (
        "load",
        "def f(x) -> y:\n    r = x * x\n   y = r«»",
        "not Python syntax",
    ),
    "quotes left open": (
        "load",
        'def f(x) -> y:\n    «"»"""squares""\n    y = x * x',
        "not Python syntax",
    ),
    "a type for the result": (
        "load",
        "def f(x) -> «float»:\n    y = x * x\n    dy_dx = 2 * x",
        "'float' is a type",
    ),
    "a type of Python for a kind": (
        "load",
        "def f(x: «float») -> y:\n    y = x * x",
        "unknown kind 'float'; write real",
    ),
    "vectors as shaders call them": (
        "load",
        "def luma(c: «float3») -> y:\n    y = 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z",
        "unknown kind 'float3'; write vec3",
    ),
    "a domain as a text": (
        "load",
        'def f(x) -> y:\n    domain = «"x > 0"»\n    y = log(x)',
        "a text is not allowed",
    ),
    "a local before its line": (
        "load",
        "def f(x) -> y:\n    y = «r» * x\n    r = x + 1",
        "unknown name 'r'",
    ),
    "a function that NumPy has not": (
        "load",
        '@op(cost=4)\ndef f(x) -> y:\n    numpy = «"expo(x)"»\n    mpmath = "exp(x)"\n'
        '    opencl = "exp({x})"\n    dy_dx = y',
        "did you mean 'exp'?",
    ),
    "a value nowhere": (
        "check",
        "def «f»(x) -> y:\n    y = x / 0\n    dy_dx = 2",
        "no sample satisfied the conditions",
    ),
    "alias_of_nothing": (
        "check",
        'def f(x) -> y:\n    aliases = «"math.sinn"»\n    y = x\n    dy_dx = 1',
        "the alias 'math.sinn' names nothing: math has no 'sinn'; did you mean 'sin'?",
    ),
    "alias_in_no_module": (
        "check",
        'def f(x) -> y:\n    aliases = «"mine.f, scipy.specail.erf"»\n    y = x\n    dy_dx = 1',
        "the alias 'scipy.specail.erf' names nothing: there is no module 'scipy.specail'",
    ),
}
