"""python -m cesaro.reproduce: a first look at the methods, on data made on the spot."""

from .first_look import __doc__ as title
from .first_look import run


def main() -> None:
    comparison = run()
    print((title or "").strip().splitlines()[0], "\n")
    print(comparison)
    print(f"\nNo point has a value below {comparison.lower_bound:.9g}: that is proved, not estimated.")


if __name__ == "__main__":
    main()
