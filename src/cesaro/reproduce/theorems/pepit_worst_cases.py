"""Worst cases of SC-PDA for a few steps, by semidefinite programming (PEPit): how tight is the corrected Theorem 2?

    python -m cesaro.reproduce.theorems.pepit_worst_cases

The largest f(x_t) - f* over all mu-strongly convex f and all starts for which the theorem's right-hand side is 1 (Drori and
Teboulle 2014; Taylor, Hendrickx, Glineur 2017). More than 1 would disprove the theorem.
"""

from cesaro.weights import Linear, Power, Uniform, Weights


def worst_case(weights: Weights, steps: int, corrected: bool = True, mu: float = 1.0) -> float:
    """After t = steps subgradients, with a = gamma = weights."""
    from PEPit import PEP
    from PEPit.functions import StronglyConvexFunction

    problem = PEP()
    f = problem.declare_function(StronglyConvexFunction, mu=mu)
    best = f.stationary_point()
    x = problem.set_initial_point()
    dual, bound, A, Gamma = 0 * x, 0, 0.0, 0.0
    for t in range(1, steps + 1):
        a = gamma = weights.weight(t)
        g, last = f.oracle(x)
        Gamma += gamma
        A += a
        effective = Gamma - gamma + gamma * a**2 / (gamma * (A - a) + a**2) if corrected else Gamma
        bound = bound + a**2 / (mu * effective) * g**2
        dual = dual + gamma * x - a / mu * g
        share = weights.weight(t + 1) / weights.sum(t + 1)
        x = (1 - share) * x + share / Gamma * dual
    problem.set_initial_condition(bound / (2 * A) <= 1)
    problem.set_performance_metric(last - f(best))
    return float(problem.solve(verbose=0))


def print_worst_cases() -> None:
    print("worst case of f(x_t) - f*, as a multiple of Theorem 2's bound\n")
    print(f"{'weights':24s} {'t':>2s}  {'corrected':>9s}  {'as printed':>10s}")
    for weights in (Uniform(), Linear(), Power(2)):
        for steps in range(1, 6):
            ratio, printed = worst_case(weights, steps), worst_case(weights, steps, corrected=False)
            print(f"{weights!r:24s} {steps:2d}  {ratio:9.4f}  {printed:10.4f}")


if __name__ == "__main__":
    print_worst_cases()
