"""Definitions, recursions, readings and sentences of the paper. Where nothing can be run, the sentence says what is read."""

from typing import Any

from cesaro.reproduce.results import Claim

ROUNDING = 1e-9


def reading_claims(numbers: dict[str, Any]) -> tuple[Claim, ...]:
    """In the paper's order."""
    found = numbers["statements"]
    return (*definition_claims(found), *sentence_claims(numbers), *algorithm_claims())


def definition_claims(found: dict[str, Any]) -> tuple[Claim, ...]:
    ratio, distance = found["definition 1 ratio"], found["random"]["recursions distance"]
    return (
        Claim(
            "Equation (1): Q is a bounded convex domain.",
            "Closed too, so that the projection exists. That Q is bounded is needed nowhere; each counterexample serves on a "
            "bounded Q.",
            "partly",
        ),
        Claim(
            "Definition 1, (2): strong convexity with respect to the norm.",
            f"The norm has to be the Euclidean one or a larger one: with half of it, eps (w - D)^2/2 exceeds what Theorem 1 "
            f"allows at t = 1 by the factor {ratio:.2f}.",
            "partly" if ratio > 1 + ROUNDING else "reproduced",
        ),
        Claim(
            "Definitions 2 and 3, (3) and (4): individual and averaged convergence.",
            "Names, used here as they are printed: the averaged output is the uniform average. That 1/sqrt(t) and 1/t cannot "
            "be improved is cited there and not proved here.",
            "reproduced",
        ),
        Claim(
            "Equations (5), (7), (10) and (12): the steps of PSG, DA, PDA and PA-PSG.",
            f"Largest distance of a step from its formula, on random problems: {distance:.1e}.",
            "reproduced" if distance <= ROUNDING else "not",
        ),
        Claim(
            "Equation (9): RDA.",
            "A sum of t+1 subgradients over t, where the mean is meant, which is what is run.",
            "partly",
        ),
    )


def sentence_claims(numbers: dict[str, Any]) -> tuple[Claim, ...]:
    random, last = numbers["statements"]["random"], numbers["statements"]["last point"]
    pegasos, needed = random["equation 16 last point proved ratio"], last[0][0] / last[0][1]
    return (
        Claim(
            "Introduction: SGD has log t/sqrt(t) in the general strongly convex cases (Shamir and Zhang).",
            "They have it in the general convex ones, and log t/t in the strongly convex ones, as print goes on to say.",
            "partly",
        ),
        Claim(
            "Related work, end: the optimal individual rate of DA for strongly convex problems is still missing.",
            "Chen, Lin and Pena (2012), cited in the introduction, have it with a second step an iteration; with one step an "
            "iteration SC-PDA has it by the corrected Theorem 2.",
            "partly",
        ),
        Claim(
            "After Remark 5: an average of the output is unnecessary for DA if its steps are modified, without knowing T.",
            f"SC-PDA's last point was within {random['sc-pda constant ratio']:.3f} of (28/13) M^2/(mu (t+1)) at every t.",
            "reproduced" if random["sc-pda constant ratio"] <= 1 + ROUNDING else "not",
        ),
        Claim(
            "GDA in the experiments: optimal convergence 1/t in terms of OA.",
            f"With the a-weighted average, within {random['gda constant ratio']:.3f} of 2 M^2/(mu (t+1)); not with the uniform "
            "one of Definition 3 (Corollary 1).",
            "partly" if random["gda constant ratio"] <= 1 + ROUNDING else "not",
        ),
        Claim(
            "SC-PDA in the experiments: the optimal individual rate 1/t.",
            f"Corollary 2: at most {random['sc-pda constant ratio']:.3f} of the bound that is proved.",
            "reproduced" if random["sc-pda constant ratio"] <= 1 + ROUNDING else "not",
        ),
        Claim(
            "Pegasos in the experiments: with steps 1/(mu t) it has at most log t/t with high probability.",
            f"Without its projection it is (15): at most {pegasos:.3f} of M^2 (1 + 2 H_(t-1))/(2 mu t), and on a function made "
            f"against it {needed:.2f} times the lower bound H_T/(4T). Proved here in expectation, not with high probability; "
            "with its ball only for the uniform average.",
            "partly" if pegasos <= 1 + ROUNDING <= needed + 2 * ROUNDING else "not",
        ),
        Claim(
            "Supplement: the proofs.",
            "Those of Theorem 1, Lemma 3 and Corollary 3 are right up to misprints (docs/paper.md has them). That of Theorem 2 "
            "puts |w_t - w_(t-1)| where |w_t - x_t| stands, and that of Theorem 3 rests on it.",
            "partly",
        ),
    )


def algorithm_claims() -> tuple[Claim, ...]:
    return (
        Claim(
            "Equation (27) and f above it: stochastic SC-PDA on the sum of the hinge losses.",
            "That f is not strongly convex; the regulariser of (29) belongs to it, and mu w_t to hat g_t. Run so here.",
            "partly",
        ),
        Claim(
            "Algorithms 1 and 2: from w_0 = 0 with a_0 = gamma_0 = Gamma_0 = 0.",
            "The first step is 0/0, and Algorithm 2 has k where t is meant; counting from 1 gives (19) and (23), which "
            "are run here.",
            "partly",
        ),
        Claim(
            "Equation (29): the SVM objective mu/2 |w|^2 + sum of the losses.",
            "Run as mu/2 |w|^2 + mean loss, which is the same function with mu/n for mu; with the sum, steps 1/(mu t) "
            "make |w| n times "
            "too large at first. The sum begins at 0 and has n + 1 terms.",
            "partly",
        ),
        Claim(
            "Equation (30): hat g_t is the subgradient of one loss.",
            "It is an unbiased estimate only with mu w_t added (and with the sum of (29) only n times as large); run so here.",
            "partly",
        ),
    )
