"""The paper's lemmas, assumptions, remarks and equations with content, and what the numbers say of them.

What a number cannot decide, a reading or a word, is said in the sentence; what it rests on is then a proof of docs/proofs.md.
"""

from typing import Any

import numpy as np

from cesaro.reproduce.results import Claim, verdict

ROUNDING = 1e-9


def statement_claims(numbers: dict[str, Any]) -> tuple[Claim, ...]:
    """In the paper's order."""
    found = numbers["statements"]
    return (
        *equation_claims(found, numbers["primal-dual averaging"]),
        *lemma_claims(found),
        *assumption_claims(found),
        *remark_claims(numbers),
    )


def holds(value: float, limit: float) -> str:
    return "reproduced" if value <= limit else "not"


def bounded(random: dict[str, float], *ratios: str) -> list[bool]:
    """Whether what was reached is within what is proved."""
    return [random[ratio] <= 1 + ROUNDING for ratio in ratios]


def equation_claims(found: dict[str, Any], pda: dict[str, list[float]]) -> tuple[Claim, ...]:
    random = found["random"]
    over = np.array(pda["reached"]) / pda["printed"]
    right = max(np.array(pda["reached"]) / pda["corrected"])
    return (
        Claim(
            "Equation (6): mirror descent with |w - w_t|^2/2 is the projected subgradient method (5).",
            f"Largest distance between the two runs: {random['equation 6 distance']:.1e}.",
            holds(random["equation 6 distance"], ROUNDING),
        ),
        Claim(
            "Equation (11): the bound of PDA's last point has gamma_k under |g_k|^2.",
            f"On |w| from 0 with gamma = t it reaches {max(over):.3f} times the printed bound and {right:.3f} times that with "
            "gamma_(k-1): the example that refutes (8) refutes it too.",
            "not" if max(over) > 1 + ROUNDING else "reproduced",
        ),
        *primal_averaging_claims(found),
        Claim(
            "Equation (15): Cutkosky's strongly convex algorithm, a special case of GDA (17) with a = gamma = 1.",
            f"As printed it is that case, largest distance {random['equation 15 distance']:.1e}, but not Cutkosky's: he takes "
            "gradients at the average, which is SC-PDA with a = gamma = 1, up to "
            f"{random['equation 15 distance to the original']:.0f} away.",
            "partly" if random["equation 15 distance"] <= ROUNDING else "not",
        ),
        Claim(
            "Equation (16): log t / (2 mu t) for (15).",
            f"M^2 (1 + log t)/(2 mu t) bounds the uniform average, of which at most "
            f"{random['equation 16 uniform average ratio']:.3f} was reached; the last point of (15) as printed reached "
            f"{random['equation 16 last point ratio']:.3f} times it, and with gradients at the average "
            f"{random['sc-pda weights 1 ratio']:.3f} times M^2 (2 + log t)/(2 mu t). The rate holds for all three, the "
            f"constant 1/2 not for the last point as printed, which has {random['equation 16 last point proved ratio']:.3f} of "
            "M^2 (1 + 2 H_(t-1))/(2 mu t) at most.",
            verdict(
                bounded(
                    random,
                    "equation 16 uniform average ratio",
                    "sc-pda weights 1 ratio",
                    "equation 16 last point ratio",
                    "equation 16 last point proved ratio",
                )
            ),
        ),
        Claim(
            "Equations (17) and (19), (22) and (23): the argmin is the projection.",
            f"No other point of the domain was better than the projection; largest excess "
            f"{found['projections']['argmin excess']:.1e}.",
            holds(found["projections"]["argmin excess"], ROUNDING),
        ),
    )


def primal_averaging_claims(found: dict[str, Any]) -> tuple[Claim, ...]:
    random, slow = found["random"], found["equation 13"]
    return (
        Claim(
            'Equation (13): PA-PSG for strongly convex functions, with one a_t as step and as weight, "achieves the '
            'individual convergence rate O(1/t)" (in the experiments).',
            f"With a_t = 2/(mu t) on w^2/2, (f - f*) H_t^2 over its first value is {slow[0]:.4f} and, a hundred times later, "
            f"{slow[1]:.4f}, H_t the harmonic numbers: that is 1/log(t)^2. The bound (14) gives 1/sqrt(t) at best for any a_t. "
            f"With separate weights it reaches 1/t, and {random['equation 13 separate weights ratio']:.3f} of the proved bound "
            "at most. Whether a single sequence can is not known; its sum has to grow like sqrt(t) or faster.",
            "not" if slow[1] > 0.9 * slow[0] else "reproduced",
        ),
        Claim(
            "Equation (14): the bound of PA-PSG (12) and (13), which reveals 1/sqrt(t).",
            f"The bound holds, at most {random['equation 14 ratio']:.3f} of it was reached by (12) and "
            f"{random['equation 14 for (13) ratio']:.3f} by (13), but it does not reveal the rate: its right side is of the "
            "order 1/sqrt(t) for no sequence, unless the subgradients vanish. For a_t = 1/sqrt(t) it is log t/sqrt(t).",
            "partly"
            if max(random["equation 14 ratio"], random["equation 14 for (13) ratio"]) <= 1 + ROUNDING
            else "not",
        ),
    )


def lemma_claims(found: dict[str, Any]) -> tuple[Claim, ...]:
    random, projections = found["random"], found["projections"]
    return (
        Claim(
            "Lemma 1: <w - P(w), u - P(w)> <= 0 for u in Q.",
            f"Largest value on a ball, a box, a simplex and a half-space, relative: {projections['lemma 1 excess']:.1e}.",
            holds(projections["lemma 1 excess"], ROUNDING),
        ),
        Claim(
            "Lemma 2: DA (7) is the projection (18).",
            f"For d = |w|^2/2 it is, largest excess {projections['lemma 2 excess']:.1e}; for d = (w_1^2 + 4 w_2^2)/2, which "
            f"the paper's definition allows, the two are {projections['lemma 2 distance with another d']:.2f} apart. It "
            "holds for no other d, up to a constant, if Q has interior points.",
            "partly" if projections["lemma 2 excess"] <= ROUNDING else "not",
        ),
        Claim(
            "Lemma 3: a_t <g_t, x_t - w_t> <= A_(t-1) [f(x_(t-1)) - f(x_t)] + a_t <g_t, w_(t-1) - w_t>.",
            f"Largest excess {random['lemma 3 excess']:.1e}; with the term mu A_(t-1)/2 |x_(t-1) - x_t|^2 that the paper "
            "drops, and "
            f"Theorem 2 needs, {random['lemma 3 with the term excess']:.1e}.",
            holds(max(random["lemma 3 excess"], random["lemma 3 with the term excess"]), ROUNDING),
        ),
    )


def assumption_claims(found: dict[str, Any]) -> tuple[Claim, ...]:
    ratio = found["random"]["m0 ratio"]
    return (
        Claim(
            "Assumption 1, (20): |g| <= M.",
            f"On the bounded Q of (1) it may hold, without a constraint, as in (29), it cannot: |g| is at least mu |x - w*|, "
            f"which reached {ratio:.3f} of it. Along the run it holds for the hinge loss, with M = 2 max |x_i|.",
            "partly" if ratio <= 1 + ROUNDING else "not",
        ),
        Claim(
            "Assumption 2, (21): |hat g - g| <= sigma^2.",
            "A reading: Theorem 3 does not use it, Corollary 4 needs E |hat g|^2 <= G^2. As printed it gives G^2 = M^2 + "
            "sigma^4, and as it is usual, E |hat g - g|^2 <= sigma^2, it gives M^2 + sigma^2.",
            "partly",
        ),
    )


def remark_claims(numbers: dict[str, Any]) -> tuple[Claim, ...]:
    found = numbers["statements"]
    random, decade, last = found["random"], found["decade"], found["last point"]
    return (
        Claim(
            "Remark 1: GDA achieves 1/t, as opposed to the log t/t of (16).",
            f"With the a-weighted average, within {random['gda constant ratio']:.3f} of 2 M^2/(mu (t+1)); with the uniform one "
            f"of Definition 3 t (f - f*) grows by {decade['pi'][0]:.4f} a factor of ten, the proof says {decade['pi'][1]:.4f}.",
            "partly" if random["gda constant ratio"] <= 1 + ROUNDING else "not",
        ),
        Claim(
            "Remark 2: Lemmas 1 to 3 give Theorem 2.",
            "They give the corrected one, if Lemma 3 has its dropped term: the printed proof puts |w_t - w_(t-1)| where "
            "|w_t - x_t| stands, and the printed theorem is false. The remark announces it; that the individual "
            "rate rests on Lemma 3 is right.",
            "not",
        ),
        Claim(
            "Remark 3: SC-PDA attains the optimal individual rate (24), (25) is the bound (16), and the last point of DA has "
            "log t/t, which is tight.",
            f"At most {random['sc-pda constant ratio']:.3f} of (28/13) M^2/(mu (t+1)), and "
            f"{random['sc-pda weights 1 ratio']:.3f} of M^2 (2 + log t)/(2 mu t). The last point of GDA with weights t has at "
            f"most {random['gda last point ratio']:.3f} of what is proved, (H_(t-1) + 2t/(t+1)) M^2/(mu t). On a function made "
            f"against it in 200 dimensions it is {last[0][0] / last[0][1]:.2f} times the lower bound H_T/(4T) with weights 1, "
            f"and {last[1][0] / last[1][1]:.2f} times the one with weights t. Where it says that by (24) "
            '"GDA is able to remove the logarithm", read SC-PDA.',
            verdict(
                [
                    *bounded(random, "sc-pda constant ratio", "sc-pda weights 1 ratio", "gda last point ratio"),
                    all(reached >= proved * (1 - ROUNDING) for reached, proved, _ in last),
                ]
            ),
        ),
        Claim(
            "Remark 4: there are no transition relations between the individual and the averaged convergence rate.",
            "From the averaged to the individual one there is none: (-1)^k on w^2/2 + |w|; the other way there is one, with "
            f"a logarithm for the uniform average, (26), of which {random['corollary 3 ratio']:.3f} was reached, and without "
            f"it for the weighted one, which reached {random['remark 4 ratio']:.3f} of (56/13) M^2/(mu (t+1)).",
            "partly" if max(random["remark 4 ratio"], random["corollary 3 ratio"]) <= 1 + ROUNDING else "reproduced",
        ),
        Claim(
            "Remark 5: the optimal linear rate of individual convergence by Theorem 3.",
            "Linear means 1/t here, as in Corollary 4; a linear rate is impossible for non-smooth functions.",
            "partly",
        ),
        Claim(
            "SC-RDA in the experiments: combined with OA it obtains 1/t.",
            f"With the uniform average of Definition 3 t (f - f*) grows by {decade['pi'][2]:.4f} a factor of ten, the proof "
            f"says {decade['pi'][3]:.4f}: log t/t. Its steps are those of (15), largest distance "
            f"{random['sc-rda distance']:.1e}.",
            "not" if decade["pi"][2] > 0.9 * decade["pi"][3] else "reproduced",
        ),
    )
