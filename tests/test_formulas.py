"""Every formula of the notes by numbers: its TeX, the same written as Python, and an independent calculation.

A formula that is edited in the notes no longer equals its TeX here and has to be checked anew.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import blocks
from notes.model import Formula

Array = NDArray[np.float64]
Check = Callable[[], None]
CHECKS: dict[str, tuple[str, Check]] = {}
IN_THE_NOTES = {formula.name: " ".join(formula.tex.tex.split()) for _, formula in blocks.notes().formulas()}
MAKE = np.random.default_rng(7)


def formula(name: str, tex: str) -> Callable[[Check], Check]:
    def keep(check: Check) -> Check:
        assert name not in CHECKS
        CHECKS[name] = (tex, check)
        return check

    return keep


def slope(f: Callable[[Array], float], at: Array, h: float = 1e-6) -> Array:
    """Central differences, element by element."""
    found = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[index] += h
        down[index] -= h
        found[index] = (f(up) - f(down)) / (2 * h)
    return found


def test_every_formula_of_the_notes_is_checked() -> None:
    assert {name: tex for name, (tex, _) in CHECKS.items()} == IN_THE_NOTES


LETTER = re.compile(
    r"\\(?:alpha|beta|eta|theta|tau|sigma|rho|delta|epsilon|Pi|ell|nabla)\b|(?<![\\a-zA-Z])[A-Za-z](?![a-zA-Z])"
)
WORDS = re.compile(
    r"\\(?:text|mathrm|operatorname\*?|mathbb|begin|end)\{[^}]*\}"
    r"|_\{?(?:out|in|col|fast|tile|naive|peak|mem|send|min|max)\}?"
)


@pytest.mark.parametrize("formula", [formula for _, formula in blocks.notes().formulas()], ids=lambda one: one.name)
def test_every_letter_of_a_formula_is_explained(formula: Formula) -> None:
    explained = " ".join(f"{symbol.tex} {meaning}" for symbol, meaning in formula.symbols)
    assert {letter for letter in LETTER.findall(WORDS.sub(" ", formula.tex.tex)) if letter not in explained} == set()


@pytest.mark.parametrize("name", IN_THE_NOTES)
def test_a_formula_agrees_with_an_independent_calculation(name: str) -> None:
    CHECKS[name][1]()


# -- learning


@formula("经验损失", r"L(w)=\frac{1}{N}\sum_{i=1}^{N}\ell\bigl(f(w,x_i),\,y_i\bigr)")
def _() -> None:
    x, y, w = MAKE.normal(size=(50, 3)), MAKE.normal(size=50), MAKE.normal(size=3)
    terms = [(float(x[i] @ w) - y[i]) ** 2 for i in range(50)]
    assert sum(terms) / 50 == pytest.approx(float(np.mean((x @ w - y) ** 2)))


@formula("梯度下降", r"w_{t+1}=w_t-\eta\,\nabla_w L(w_t)")
def _() -> None:
    x, y = MAKE.normal(size=(40, 3)), MAKE.normal(size=40)

    def loss(w: Array) -> float:
        return float(np.mean((x @ w - y) ** 2))

    w = np.zeros(3)
    for _ in range(400):
        before = loss(w)
        w = w - 0.05 * slope(loss, w)
        assert loss(w) <= before + 1e-9
    assert w == pytest.approx(np.linalg.lstsq(x, y)[0], abs=1e-4)


@formula(
    "链式法则",
    r"\frac{\partial L}{\partial x}=\sum_{k}\frac{\partial L}{\partial u_k}\,\frac{\partial u_k}{\partial x}",
)
def _() -> None:
    def parts(x: float) -> Array:
        return np.array([x * x, math.sin(x)])

    def outer(u: Array) -> float:
        return float(u[0] * u[1] + u[1] ** 2)

    x = np.array([0.8])
    inner = np.array([slope(lambda v, k=k: float(parts(v[0])[k]), x)[0] for k in range(2)])  # type: ignore[misc]
    whole = slope(lambda v: outer(parts(v[0])), x)[0]
    assert float(slope(outer, parts(0.8)) @ inner) == pytest.approx(whole, rel=1e-6)


@formula(
    "吞吐、每轮步数与梯度方差",
    r"\text{throughput}=\frac{B}{t_{\text{step}}(B)},\qquad \text{steps per epoch}=\left\lceil\frac{D}{B}\right\rceil,"
    r"\qquad \operatorname{Var}(\hat g)=\frac{\sigma^2}{B}",
)
def _() -> None:
    for samples, size in product((1, 10, 100, 1001), (1, 3, 64)):
        assert math.ceil(samples / size) == len(range(0, samples, size))
    assert 64 / 0.5 == 64 * 2  # 64 samples in half a second are 128 in one
    values = np.array([1.0, 4.0, 9.0])
    sigma2 = float(np.mean((values - values.mean()) ** 2))
    for size in (1, 2, 3):  # every draw of `size` samples, equally likely
        means = [np.mean(draw) for draw in product(values, repeat=size)]
        assert float(np.var(means)) == pytest.approx(sigma2 / size)


@formula("数值梯度检验", r"\frac{\partial L}{\partial \theta_j}\approx\frac{L(\theta+h e_j)-L(\theta-h e_j)}{2h}")
def _() -> None:
    theta = np.array([0.3, -1.2, 2.0])
    found = slope(lambda t: float(np.sum(np.sin(t) * t)), theta)
    assert found == pytest.approx(np.cos(theta) * theta + np.sin(theta), abs=1e-8)


@formula(
    "Linear的前向与反向",
    r"\begin{aligned} Y&=XW^{\top}+1_N b^{\top}\\ "
    r"\frac{\partial L}{\partial X}&=\frac{\partial L}{\partial Y}W\\ "
    r"\frac{\partial L}{\partial W}&=\left(\frac{\partial L}{\partial Y}\right)^{\top}X\\ "
    r"\frac{\partial L}{\partial b}&=\left(\frac{\partial L}{\partial Y}\right)^{\top}1_N \end{aligned}",
)
def _() -> None:
    x, w, b = MAKE.normal(size=(4, 3)), MAKE.normal(size=(2, 3)), MAKE.normal(size=2)
    ones = np.ones(4)

    def loss(x: Array, w: Array, b: Array) -> float:
        rows = [[sum(x[n, i] * w[o, i] for i in range(3)) + b[o] for o in range(2)] for n in range(4)]
        return float(np.sum(np.tanh(rows)))

    y = x @ w.T + np.outer(ones, b)
    assert float(np.sum(np.tanh(y))) == pytest.approx(loss(x, w, b))
    by_y = 1 - np.tanh(y) ** 2
    assert by_y @ w == pytest.approx(slope(lambda v: loss(v, w, b), x), abs=1e-7)
    assert by_y.T @ x == pytest.approx(slope(lambda v: loss(x, v, b), w), abs=1e-7)
    assert by_y.T @ ones == pytest.approx(slope(lambda v: loss(x, w, v), b), abs=1e-7)


@formula(
    "Linear权重梯度的元素形式",
    r"\frac{\partial L}{\partial W_{oi}}=\sum_{n=1}^{N}\frac{\partial L}{\partial Y_{no}}\,X_{ni}",
)
def _() -> None:
    x, w = MAKE.normal(size=(5, 2)), MAKE.normal(size=(3, 2))
    by_y = 2 * (x @ w.T)
    found = [[sum(by_y[n, o] * x[n, i] for n in range(5)) for i in range(2)] for o in range(3)]
    assert np.array(found) == pytest.approx(slope(lambda v: float(np.sum((x @ v.T) ** 2)), w), abs=1e-6)


@formula("注意力", r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\left(\frac{QK^{\top}}{\sqrt{d_k}}\right)V")
def _() -> None:
    q, k, v = MAKE.normal(size=(3, 4)), MAKE.normal(size=(5, 4)), MAKE.normal(size=(5, 2))
    scores = np.exp(q @ k.T / math.sqrt(4))
    made = scores / scores.sum(axis=1, keepdims=True) @ v
    for row in range(3):  # a weighted mean of the values, weights in proportion to exp(q·k/√d)
        weights = [math.exp(sum(q[row] * k[key]) / 2) for key in range(5)]
        assert made[row] == pytest.approx(np.average(v, axis=0, weights=weights))
    sharp = np.exp(100 * (q @ q.T) / 2)
    assert (sharp / sharp.sum(axis=1, keepdims=True)).sum(axis=1) == pytest.approx(np.ones(3))


# -- convolution


@formula("卷积输出尺寸", r"H_{out}=\left\lfloor\frac{H_{in}+2P-D(K-1)-1}{S}\right\rfloor+1")
def _() -> None:
    for height, k, p, d, s in product((5, 8, 28), (1, 3, 5), (0, 1, 2), (1, 2), (1, 2, 3)):
        span = d * (k - 1) + 1
        starts = [start for start in range(0, height + 2 * p, s) if start + span <= height + 2 * p]
        if starts:
            assert (height + 2 * p - d * (k - 1) - 1) // s + 1 == len(starts)


def columns(image: Array, k: int, s: int) -> Array:
    """im2col of C × H × W by slices."""
    tops, lefts = range(0, image.shape[1] - k + 1, s), range(0, image.shape[2] - k + 1, s)
    return np.array([image[:, i : i + k, j : j + k].ravel() for i in tops for j in lefts]).T


@formula(
    "im2col的矩阵形状",
    r"\underbrace{W}_{C_{out}\times(C_{in}K^2)}\;\underbrace{X_{col}}_{(C_{in}K^2)\times(H_{out}W_{out})}="
    r"\underbrace{Y}_{C_{out}\times(H_{out}W_{out})}",
)
def _() -> None:
    image, kernels = MAKE.normal(size=(3, 6, 7)), MAKE.normal(size=(4, 3, 2, 2))
    expanded = columns(image, 2, 1)
    made = kernels.reshape(4, -1) @ expanded
    assert kernels.reshape(4, -1).shape == (4, 3 * 2**2)
    assert expanded.shape == (3 * 2**2, 5 * 6)
    direct = [
        [[float(np.sum(image[:, i : i + 2, j : j + 2] * kernel)) for j in range(6)] for i in range(5)]
        for kernel in kernels
    ]
    assert made.reshape(4, 5, 6) == pytest.approx(np.array(direct))


@formula(
    "卷积的乘加次数与参数量",
    r"\mathrm{MAC}=C_{out}\,C_{in}\,K^2\,H_{out}W_{out},\qquad \mathrm{Params}=C_{out}\,C_{in}\,K^2+C_{out}",
)
def _() -> None:
    counted = sum(1 for _ in product(range(4), range(3), range(2), range(2), range(5), range(6)))
    assert counted == 4 * 3 * 2**2 * 5 * 6
    assert np.empty((4, 3, 2, 2)).size + np.empty(4).size == 4 * 3 * 2**2 + 4


@formula("im2col的膨胀率", r"r=\frac{K^2\,H_{out}W_{out}}{H_{in}W_{in}}\approx\frac{K^2}{S^2}")
def _() -> None:
    for k, s in ((3, 1), (2, 2), (3, 2)):
        image = MAKE.normal(size=(2, 60, 60))
        out = (60 - k) // s + 1
        ratio = k**2 * out * out / (60 * 60)
        assert columns(image, k, s).size / image.size == pytest.approx(ratio)
        assert ratio == pytest.approx(k**2 / s**2, rel=0.1)


# -- matrix multiplication


def misses(accesses: list[tuple[str, int, int]], capacity: int) -> int:
    """Of a fully associative cache that forgets the least recently used."""
    cache: OrderedDict[tuple[str, int, int], None] = OrderedDict()
    missed = 0
    for access in accesses:
        if access not in cache:
            missed += 1
        cache[access] = None
        cache.move_to_end(access)
        if len(cache) > capacity:
            cache.popitem(last=False)
    return missed


def accesses(m: int, n: int, k: int, x: int, y: int, depth: int) -> list[tuple[str, int, int]]:
    """A and B, tile by tile: x × y of the output, `depth` of the inner dimension at a time."""
    found = []
    for i0, j0, p0 in product(range(0, m, x), range(0, n, y), range(0, k, depth)):
        for i, j, p in product(range(i0, i0 + x), range(j0, j0 + y), range(p0, p0 + depth)):
            found += [("A", i, p), ("B", p, j)]
    return found


@formula("块的容量约束", r"3b^2\le M_{fast}")
def _() -> None:
    """A step of a tiled product works on as many elements as three tiles have, and on no fewer."""
    for b in (1, 2, 4):
        in_use = {place for i, j, p in product(range(b), repeat=3) for place in (("A", i, p), ("B", p, j), ("C", i, j))}
        assert len(in_use) == 3 * b**2


@formula("矩阵乘的计算量", r"\mathrm{FLOPs}=2MNK")
def _() -> None:
    products = sums = 0
    for _, _, _ in product(range(4), range(5), range(6)):
        products, sums = products + 1, sums + 1
    assert products + sums == 2 * 4 * 5 * 6


@formula("不分块的读取次数", r"R_{naive}=2MNK\ \xrightarrow{M=N=K=n}\ 2n^3")
def _() -> None:
    assert len(accesses(4, 6, 5, 4, 6, 5)) == 2 * 4 * 6 * 5
    assert misses(accesses(8, 8, 8, 8, 8, 8), 1) == 2 * 8**3


@formula(
    "分块的读取次数",
    r"R_{tile}=MNK\left(\frac1X+\frac1Y\right)\ \xrightarrow{M=N=K=n,\;X=Y=b}\ \frac{2n^3}{b}",
)
def _() -> None:
    for m, n, k, x, y in ((8, 12, 6, 4, 3), (6, 6, 6, 3, 2), (8, 8, 8, 4, 4)):
        wanted = m * n * k * (Fraction(1, x) + Fraction(1, y))
        assert misses(accesses(m, n, k, x, y, k), x * k + k * y) <= wanted  # a cache may do better between tiles
        assert misses(accesses(m, n, k, x, y, 1), x + y + 1) == wanted
    assert 8**3 * (Fraction(1, 4) + Fraction(1, 4)) == Fraction(2 * 8**3, 4)


@formula(
    "矩阵乘的计算访存比",
    r"I=\frac{2MNK}{MNK\left(\frac1X+\frac1Y\right)}=\frac{2XY}{X+Y}",
)
def _() -> None:
    for m, n, k, x, y in ((8, 12, 6, 4, 3), (8, 8, 8, 4, 4)):
        reads = misses(accesses(m, n, k, x, y, 1), x + y + 1)
        assert Fraction(2 * m * n * k, reads) == Fraction(2 * x * y, x + y)


@formula(
    "计C的读写次数（口径B）",
    r"R_{naive}=n^3+3n^2,\qquad R_{tile}=\left(\frac{2n}{b}+2\right)n^2",
)
def _() -> None:
    n, b = 8, 4
    row_kept = misses(accesses(n, n, n, n, n, n), 2 * n)  # i, j, p in order: a row of A stays
    assert n**3 + 3 * n**2 == row_kept + 2 * n * n
    tiles_kept = misses(accesses(n, n, n, b, b, b), 2 * b * b)
    assert (Fraction(2 * n, b) + 2) * n**2 == tiles_kept + 2 * n * n


@formula("Roofline", r"P=\min\left(P_{peak},\ I\cdot B_{mem}\right),\qquad I^{*}=\frac{P_{peak}}{B_{mem}}")
def _() -> None:
    peak, bandwidth = 100.0, 20.0
    for intensity in (0.5, 2.0, 5.0, 8.0):
        work, data = 1000.0, 1000.0 / intensity
        seconds = max(work / peak, data / bandwidth)  # computing and moving data at the same time
        assert min(peak, intensity * bandwidth) == pytest.approx(work / seconds)
    assert peak / bandwidth * bandwidth == peak


@formula("乘加融合前后的访存", r"\underbrace{(2N+N)+(2N+N)}_{6N}\ \to\ \underbrace{3N+N}_{4N}")
def _() -> None:
    class Counted(list[float]):
        touched = 0

        def __getitem__(self, i: int) -> float:  # type: ignore[override]
            Counted.touched += 1
            return super().__getitem__(i)

        def __setitem__(self, i: int, value: float) -> None:  # type: ignore[override]
            Counted.touched += 1
            super().__setitem__(i, value)

    n = 10
    x0, x1, x2, t, y = (Counted([1.0] * n) for _ in range(5))
    for i in range(n):
        t[i] = x0[i] * x1[i]
    for i in range(n):
        y[i] = t[i] + x2[i]
    assert Counted.touched == 6 * n
    Counted.touched = 0
    for i in range(n):
        y[i] = x0[i] * x1[i] + x2[i]
    assert Counted.touched == 4 * n


@formula(
    "循环拆分",
    r"n=q\,v+r,\quad q=\left\lfloor\frac{n}{v}\right\rfloor,\quad r=n\bmod v,\qquad i=x_o\,v+x_i",
)
def _() -> None:
    for n, v in product((1, 63, 64, 100), (2, 3, 16)):
        q, r = n // v, n % v
        assert [outer * v + inner for outer in range(q) for inner in range(v)] + [q * v + i for i in range(r)] == [
            *range(n)
        ]


# -- sparsity and quantization


@formula("幅值剪枝", r"\tilde W=W\odot\mathbb{1}\bigl[\,\lvert W\rvert\ge\tau\,\bigr]")
def _() -> None:
    w, tau = MAKE.normal(size=(6, 6)), 0.7
    assert (w * (np.abs(w) >= tau)).tolist() == [[v if abs(v) >= tau else 0.0 for v in row] for row in w.tolist()]


@formula("稀疏度", r"s=1-\frac{\lVert W\rVert_0}{\lvert W\rvert}")
def _() -> None:
    w = np.array([[0, 1.0, 0, 2], [3, 0, 0, 0]])
    assert 1 - np.linalg.norm(w.ravel(), 0) / w.size == [*w.ravel()].count(0) / 8


@formula(
    "APoZ",
    r"\mathrm{APoZ}_c^{(i)}=\frac{\sum_{k=1}^{N}\sum_{j=1}^{M}\mathbb{1}\left[O_{c,j}^{(i)}(k)=0\right]}{N\times M}",
)
def _() -> None:
    outputs = np.maximum(MAKE.normal(size=(20, 9)), 0)
    assert sum(outputs[k, j] == 0 for k in range(20) for j in range(9)) / (20 * 9) == pytest.approx(
        np.mean(outputs == 0)
    )
    assert np.mean(np.zeros((3, 4)) == 0) == 1


@formula(
    "带残差的梯度稀疏",
    r"v_t=r_{t-1}+g_t,\quad s_t=v_t\odot\mathbb{1}\bigl[\lvert v_t\rvert\ge\tau\bigr],\quad r_t=v_t-s_t",
)
def _() -> None:
    gradients, tau = MAKE.normal(size=(30, 8)), 1.5
    r, sent = np.zeros(8), np.zeros(8)
    for g in gradients:
        v = r + g
        s = v * (np.abs(v) >= tau)
        r = v - s
        sent += s
        assert np.all(np.abs(r) < tau)
    assert sent + r == pytest.approx(gradients.sum(axis=0))


@formula(
    "量化与反量化",
    r"q=\mathrm{clip}\left(\mathrm{round}\left(\frac{r}{s}\right)+z,\ q_{min},\ q_{max}\right),\qquad \hat r=s\,(q-z)",
)
def _() -> None:
    s, z = 0.05, 100
    grid = s * (np.arange(256) - z)
    for r in MAKE.uniform(grid[0], grid[-1], 200):
        q = min(max(round(r / s) + z, 0), 255)
        assert abs(s * (q - z) - r) == pytest.approx(np.min(np.abs(grid - r)))


@formula(
    "缩放因子与零点",
    r"s=\frac{r_{max}-r_{min}}{q_{max}-q_{min}},\qquad z=\mathrm{round}\left(q_{min}-\frac{r_{min}}{s}\right)",
)
def _() -> None:
    for low, high in ((-1.0, 3.0), (-0.5, 2.05), (0.0, 1.0)):
        s = (high - low) / 255
        z = round(0 - low / s)
        assert s * (0 - z) == pytest.approx(low, abs=s / 2)
        assert s * (255 - z) == pytest.approx(high, abs=s / 2)


# -- parallel training


@formula(
    "Amdahl定律",
    r"S(N)=\frac{1}{(1-p)+\dfrac{p}{N}},\qquad \lim_{N\to\infty}S=\frac{1}{1-p}",
)
def _() -> None:
    for p, n in product((Fraction(1, 2), Fraction(19, 20)), (1, 4, 1024)):
        serial, jobs = 1 - p, [p / 1024] * 1024  # equal pieces, dealt out to n workers
        elapsed = serial + max(sum(jobs[i::n], Fraction(0)) for i in range(n))
        assert 1 / ((1 - p) + p / n) == 1 / elapsed
    assert pytest.approx(1 / (1 - 0.9)) == 1 / ((1 - 0.9) + 0.9 / 10**9)


@formula("Gustafson定律", r"S(N)=(1-p)+pN")
def _() -> None:
    for p, n in product((Fraction(1, 2), Fraction(19, 20)), (1, 4, 1024)):
        alone = (1 - p) + sum([p] * n, Fraction(0))  # one worker after another does what n do at once
        assert (1 - p) + p * n == alone / 1


@formula("流水线的气泡率", r"\text{bubble}=\frac{K-1}{M+K-1}")
def _() -> None:
    for k, m in product((1, 2, 4), (1, 4, 7)):
        busy = {(stage, stage + batch) for stage in range(k) for batch in range(m)}
        slots = max(slot for _, slot in busy) + 1
        assert Fraction(k - 1, m + k - 1) == 1 - Fraction(len(busy), k * slots)


@formula(
    "加速比与效率",
    r"S_N=\frac{T_1}{T_N},\qquad E_N=\frac{S_N}{N},\qquad S_N\le\frac{1}{f+\frac{1-f}{N}}",
)
def _() -> None:
    serial, parallel, overhead = 2.0, 18.0, 0.3
    f = serial / (serial + parallel)
    for n in (1, 2, 8, 64):
        t_n = serial + parallel / n + (overhead if n > 1 else 0)
        s_n = (serial + parallel) / t_n
        assert s_n <= 1 / (f + (1 - f) / n) + 1e-12
        assert s_n / n == pytest.approx((serial + parallel) / (n * t_n))


@formula(
    "DDP的平均梯度",
    r"\bar g=\frac{1}{N}\sum_{r=0}^{N-1}g_r,\qquad \theta\leftarrow\theta-\eta\,\bar g",
)
def _() -> None:
    x, y, theta = MAKE.normal(size=(12, 3)), MAKE.normal(size=12), MAKE.normal(size=3)

    def gradient(rows: slice) -> Array:
        return 2 * x[rows].T @ (x[rows] @ theta - y[rows]) / len(x[rows])

    mean = sum(gradient(slice(r, None, 4)) for r in range(4)) / 4
    assert mean == pytest.approx(gradient(slice(None)))
    assert theta - 0.1 * mean == pytest.approx(theta - 0.1 * gradient(slice(None)))


@formula(
    "DistributedSampler的样本数",
    r"n_{\text{pad}}=\left\lceil\frac{D}{N}\right\rceil,\qquad \text{重复样本数}=N\,n_{\text{pad}}-D,\qquad "
    r"n_{\text{drop}}=\left\lfloor\frac{D}{N}\right\rfloor",
)
def _() -> None:
    for d, n in product((8, 10, 101), (1, 4, 7)):
        dealt = [*range(d), *range(-d % n)]
        assert math.ceil(d / n) == len(dealt) // n
        assert n * math.ceil(d / n) - d == len(dealt) - d
        assert d // n == min(len(range(rank, d, n)) for rank in range(n))


@formula(
    "通信时间与通信占比",
    r"T_{\text{comm}}^{\text{exposed}}\approx T_{\text{sync}}-T_{\text{nosync}},\qquad "
    r"\rho=\frac{T_{\text{comm}}^{\text{exposed}}}{T_{\text{sync}}}",
)
def _() -> None:
    forward, backward, transfer = 30.0, 60.0, 80.0
    begins = forward + backward / 3  # the first bucket is ready
    sync = max(forward + backward, begins + transfer)
    exposed = sync - (forward + backward)
    covered = min(forward + backward, begins + transfer) - begins
    assert exposed + covered == transfer
    assert exposed / sync == pytest.approx(1 - (forward + backward) / sync)


def ring(size: int, n: int) -> tuple[list[int], int]:
    """Elements that each worker sends, and steps, of a Ring AllReduce over `size` elements."""
    chunk, sent, steps = size // n, [0] * n, 0
    for _ in ("Scatter-Reduce", "All-Gather"):
        for _ in range(n - 1):
            sent = [count + chunk for count in sent]
            steps += 1
    return sent, steps


@formula("Ring AllReduce的步数与发送量", r"\text{steps}=2(N-1),\qquad V=\frac{2(N-1)}{N}\,S")
def _() -> None:
    for n in (2, 4, 8):
        sent, steps = ring(400, n)
        assert 2 * (n - 1) == steps
        assert [Fraction(2 * (n - 1), n) * 400] * n == sent


@formula("Ring AllReduce的时间", r"T=2(N-1)\left(\alpha+\frac{S}{N\,B}\right)")
def _() -> None:
    alpha, size, speed = 1e-5, 4e8, 1e10
    for n in (2, 4, 8):
        clock = 0.0
        for _ in range(ring(400, n)[1]):
            clock += alpha + size / n / speed
        assert 2 * (n - 1) * (alpha + size / (n * speed)) == pytest.approx(clock)


@formula("朴素星形All-Reduce的时间", r"T=2(N-1)\left(\alpha+\frac{S}{B}\right)")
def _() -> None:
    alpha, size, speed, clock = 1e-5, 1e8, 1e10, 0.0
    for _ in ("reduce", "broadcast"):
        for _ in range(1, 8):  # the root and its seven workers, one after another
            clock += alpha + size / speed
    assert 2 * (8 - 1) * (alpha + size / speed) == pytest.approx(clock)


@formula(
    "环形All-Reduce的代价",
    r"M=P\,s,\qquad V=\frac{2(N-1)}{N}M,\qquad T_{\text{ring}}\approx 2(N-1)\,a+\frac{2(N-1)}{N}\cdot\frac{M}{\beta}",
)
def _() -> None:
    parameters, n, a, beta = 2500, 4, 1e-6, 1e9
    gradient = np.zeros(parameters, dtype=np.float32)
    size = parameters * 4
    assert size == gradient.nbytes
    sent, steps = ring(size, n)
    assert 2 * (n - 1) / n * size == sent[0]
    clock = sum(a + size / n / beta for _ in range(steps))
    assert 2 * (n - 1) * a + 2 * (n - 1) / n * size / beta == pytest.approx(clock)


@formula(
    "计算与通信之比（近似推导）",
    r"\frac{T_{\text{comp}}}{T_{\text{comm}}}\approx\frac{6BP/F}{\frac{2(N-1)}{N}\cdot\frac{4P}{\beta}}="
    r"\frac{3NB\beta}{4(N-1)F}",
)
def _() -> None:
    batch, speed, n, beta = 32, 10**12, 4, 10**10
    for width in (64, 256):  # one linear layer: forward, gradient of the input, gradient of the weight
        parameters = width * width
        flops = 3 * (2 * batch * width * width)
        computing = Fraction(flops, speed)
        moving = Fraction(2 * (n - 1), n) * Fraction(4 * parameters, beta)
        assert computing / moving == Fraction(3 * n * batch * beta, 4 * (n - 1) * speed)  # the same for both widths


@formula("Scatter-Reduce的块号", r"c_{send}(i,t)=(i-t)\bmod N,\qquad t=0,\dots,N-2")
def _() -> None:
    for n in (2, 4, 7):
        held = [{chunk: {i} for chunk in range(n)} for i in range(n)]
        for t in range(n - 1):
            parcels = [(i, (i - t) % n, set(held[i][(i - t) % n])) for i in range(n)]
            for i, chunk, parcel in parcels:
                held[(i + 1) % n][chunk] |= parcel
        assert [[c for c in range(n) if len(held[i][c]) == n] for i in range(n)] == [[(i + 1) % n] for i in range(n)]


@formula(
    "Hyperband的一个bracket",
    r"n_i=\left\lfloor\frac{n}{\eta^{i}}\right\rfloor,\qquad r_i=r\,\eta^{i},\qquad "
    r"n=\left\lceil\frac{s_{\max}+1}{s+1}\,\eta^{s}\right\rceil,\qquad r=\frac{R}{\eta^{s}}",
)
def _() -> None:
    """The table of the paper for R = 81, η = 3."""
    table = {4: "81,1 27,3 9,9 3,27 1,81", 3: "34,3 11,9 3,27 1,81", 2: "15,9 5,27 1,81", 1: "8,27 2,81", 0: "5,81"}
    for s, rounds in table.items():
        n, r = math.ceil(Fraction(5, s + 1) * 3**s), Fraction(81, 3**s)
        assert " ".join(f"{n // 3**i},{r * 3**i}" for i in range(s + 1)) == rounds


# -- scheduling


@formula("主导份额", r"s_i=\max_{j}\frac{u_{ij}}{r_j}")
def _() -> None:
    used, totals = [3, 12], [9, 18]  # Ghodsi et al.: A's three tasks hold 3 CPUs of 9 and 12 GB of 18
    assert max(Fraction(u, r) for u, r in zip(used, totals, strict=True)) == Fraction(2, 3)


@formula(
    "DRF的优化形式（上例）",
    r"\max\,(x,y)\ \ \text{s.t.}\ \ x+3y\le 9,\ \ 4x+y\le 18,\ \ \frac{2x}{9}=\frac{y}{3}",
)
def _() -> None:
    """Demands ⟨1 CPU, 4 GB⟩ and ⟨3 CPU, 1 GB⟩ of ⟨9, 18⟩: the shares 4x/18 and 3y/9 are those of the formula."""
    feasible = [
        (x, y) for x, y in product(range(10), repeat=2)
        if np.all(np.array([[1, 3], [4, 1]]) @ [x, y] <= [9, 18]) and Fraction(4 * x, 18) == Fraction(3 * y, 9)
    ]  # fmt: skip
    assert all(Fraction(2 * x, 9) == Fraction(y, 3) for x, y in feasible)
    assert max(feasible) == (3, 2)


# -- attacks


def network(x: Array) -> Array:
    """Logits of three classes, smooth and not linear."""
    w = np.array([[1.0, -2.0], [0.5, 1.5], [-1.0, 0.3]])
    return np.asarray(np.tanh(w @ x) * [2.0, 1.0, 1.5])


def cross_entropy(x: Array, label: int) -> float:
    logits = network(x)
    return float(np.log(np.sum(np.exp(logits))) - logits[label])


@formula("对抗样本的定义", r"\lVert x_1-x_0\rVert<\epsilon\ \wedge\ f(x_1)\ne f(x_0)")
def _() -> None:
    found = 0
    for x0 in MAKE.uniform(0.2, 0.8, (60, 2)):
        label = int(np.argmax(network(x0)))
        x1 = x0 + 0.1 * np.sign(slope(lambda v, y=label: cross_entropy(v, y), x0))  # type: ignore[misc]
        assert np.max(np.abs(x1 - x0)) < 0.1 + 1e-9
        found += int(np.argmax(network(x1))) != label
    assert 0 < found < 60  # some samples have an adversarial one within ε, some have none


@formula(
    "无目标FGSM",
    r"x_{\text{adv}}=\operatorname{clip}_{[0,1]}\bigl(x+\epsilon\,\operatorname{sign}"
    r"(\nabla_x J(\theta,x,y_{\text{true}}))\bigr)",
)
def _() -> None:
    for x in MAKE.uniform(0.2, 0.8, (20, 2)):
        for label in range(3):
            made = np.clip(x + 0.01 * np.sign(slope(lambda v, y=label: cross_entropy(v, y), x)), 0, 1)  # type: ignore[misc]
            corners = [x + 0.01 * np.array(signs) for signs in product((-1, 1), repeat=2)]
            assert cross_entropy(made, label) == pytest.approx(max(cross_entropy(c, label) for c in corners), abs=1e-4)
            assert cross_entropy(made, label) > cross_entropy(x, label)


@formula(
    "有目标FGSM",
    r"x_{\text{adv}}=\operatorname{clip}_{[0,1]}\bigl(x-\epsilon\,\operatorname{sign}"
    r"(\nabla_x J(\theta,x,y_{\text{target}}))\bigr)",
)
def _() -> None:
    for x in MAKE.uniform(0.2, 0.8, (20, 2)):
        for target in range(3):
            made = np.clip(x - 0.01 * np.sign(slope(lambda v, y=target: cross_entropy(v, y), x)), 0, 1)  # type: ignore[misc]
            corners = [x + 0.01 * np.array(signs) for signs in product((-1, 1), repeat=2)]
            assert cross_entropy(made, target) == pytest.approx(
                min(cross_entropy(c, target) for c in corners), abs=1e-4
            )


@formula(
    "BIM",
    r"x^{0}=x,\qquad x^{t+1}=\operatorname{clip}_{[0,1]}\Bigl(\Pi_{\lVert x'-x\rVert_\infty\le\epsilon}\bigl(x^{t}+"
    r"\alpha\,\operatorname{sign}(\nabla_x J(\theta,x^{t},y_{\text{true}}))\bigr)\Bigr)",
)
def _() -> None:
    x, epsilon = np.array([0.5, 0.05]), 0.1
    at = x
    for _ in range(10):
        moved = at + 0.03 * np.sign(slope(lambda v: cross_entropy(v, 0), at))
        projected = np.clip(moved, x - epsilon, x + epsilon)
        grid = [np.array(p) for p in product(*(np.linspace(c - epsilon, c + epsilon, 81) for c in x))]
        nearest = min(grid, key=lambda p: float(np.sum((p - moved) ** 2)))  # what a projection is
        assert projected == pytest.approx(nearest, abs=epsilon / 40)
        at = np.clip(projected, 0, 1)
    assert cross_entropy(at, 0) > cross_entropy(x, 0)
    assert np.max(np.abs(at - x)) <= epsilon + 1e-12


@formula(
    "PGD的起点",
    r"x^{0}=\operatorname{clip}_{[0,1]}(x+\delta_0),\qquad \delta_0\sim U(-\epsilon,\epsilon)",
)
def _() -> None:
    x, epsilon = np.array([0.5, 0.05]), 0.1
    starts = np.clip(x + MAKE.uniform(-epsilon, epsilon, (4000, 2)), 0, 1)
    assert np.max(np.abs(starts - x)) <= epsilon
    assert starts.min() == 0
    assert starts[:, 0].mean() == pytest.approx(0.5, abs=0.01)
    assert starts[:, 0].std() == pytest.approx(2 * epsilon / math.sqrt(12), rel=0.05)


@formula("DeepFool的一步（二分类）", r"r=-\frac{f(x)}{\lVert\nabla f(x)\rVert_2^2}\,\nabla f(x)")
def _() -> None:
    w, b, x = np.array([2.0, -3.0, 1.0]), 0.1, np.array([0.6, 0.2, 0.3])
    value, gradient = float(w @ x) + b, w
    r = -value / float(gradient @ gradient) * gradient
    assert float(w @ (x + r)) + b == pytest.approx(0)
    assert np.linalg.norm(r) == pytest.approx(abs(value) / np.linalg.norm(w))  # the distance to the plane


@formula(
    "DeepFool的一步（多分类）",
    r"\begin{aligned} w'_k&=\nabla f_k(x_i)-\nabla f_{\hat{k}(x_0)}(x_i),\quad f'_k=f_k(x_i)-f_{\hat{k}(x_0)}(x_i)\\ "
    r"\hat{l}&=\operatorname*{arg\,min}_{k\ne\hat{k}(x_0)}\frac{\lvert f'_k\rvert}{\lVert w'_k\rVert_2},\quad "
    r"r_i=\frac{\lvert f'_{\hat{l}}\rvert}{\lVert w'_{\hat{l}}\rVert_2^2}\,w'_{\hat{l}}\\ "
    r"x_{\text{adv}}&=x_0+(1+\eta)\sum_i r_i \end{aligned}",
)
def _() -> None:
    w, b, x0 = MAKE.normal(size=(4, 5)), MAKE.normal(size=4), MAKE.normal(size=5)
    first = int(np.argmax(w @ x0 + b))
    others = [k for k in range(4) if k != first]
    difference = {k: (w[k] - w[first], float((w[k] - w[first]) @ x0 + b[k] - b[first])) for k in others}
    nearest = min(others, key=lambda k: abs(difference[k][1]) / np.linalg.norm(difference[k][0]))
    gap, value = difference[nearest]
    r = abs(value) / float(gap @ gap) * gap
    logits = w @ (x0 + r) + b
    assert logits[nearest] == pytest.approx(logits[first])
    assert int(np.argmax(w @ (x0 + 1.02 * r) + b)) == nearest
    for direction in MAKE.normal(size=(300, 5)):  # no shorter step leaves the class
        step = direction / np.linalg.norm(direction) * np.linalg.norm(r) * 0.999
        assert int(np.argmax(w @ (x0 + step) + b)) == first


@formula(
    "对抗训练的损失",
    r"\tilde J(x)=\alpha J(x)+(1-\alpha)\,J\bigl(x+\epsilon\,\mathrm{sign}(\nabla_x J(x))\bigr)",
)
def _() -> None:
    x, epsilon = np.array([0.5, 0.42]), 0.05
    clean = cross_entropy(x, 0)
    attacked = cross_entropy(x + epsilon * np.sign(slope(lambda v: cross_entropy(v, 0), x)), 0)
    mixed = [alpha * clean + (1 - alpha) * attacked for alpha in (0, 0.25, 0.5, 1)]
    assert mixed == sorted(mixed, reverse=True)
    assert (mixed[0], mixed[-1]) == (attacked, clean)


@formula(
    "对抗训练的min–max形式",
    r"\min_{\theta}\ \mathbb{E}_{(x,y)}\Bigl[\max_{\lVert\delta\rVert_\infty\le\epsilon}J(\theta,x+\delta,y)\Bigr]",
)
def _() -> None:
    """For a line with weight w the inner maximum is known: |w| ε is taken off the margin."""
    x, y, epsilon = np.array([1.0, -2.0, 0.5, -0.4]), np.array([1, -1, 1, -1]), 0.3

    def worst(w: float) -> float:
        return float(np.mean([max(math.log1p(math.exp(-t * w * (v + d))) for d in np.linspace(-epsilon, epsilon, 61))
                              for v, t in zip(x, y, strict=True)]))  # fmt: skip

    def closed(w: float) -> float:
        return float(np.mean(np.log1p(np.exp(-(y * w * x - abs(w) * epsilon)))))

    weights = np.linspace(-3, 3, 121)
    assert [worst(w) for w in weights] == pytest.approx([closed(w) for w in weights])
    assert min(weights, key=worst) == min(weights, key=closed)
