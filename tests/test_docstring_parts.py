"""`complete` fills in what a docstring lacks, in numpydoc's order, and leaves alone what it has."""

from inspect import getdoc

from cesaro.docstrings import complete

SHARED = """
Parameters
----------
x, y : float
    Coordinates.
*rest : float
    More of them.

Attributes
----------
size : int

Returns
-------
float
    That number.

Raises
------
ValueError
    If it is none.
"""


def test_parameters_stand_in_the_order_of_the_signature_and_own_words_win():
    @complete(SHARED)
    def norm(weight, x, *rest):
        """The norm.

        Parameters
        ----------
        weight : float
            Of all.
        """

    assert getdoc(norm) == (
        "The norm.\n\nParameters\n----------\nweight : float\n    Of all.\nx, y : float\n    Coordinates.\n"
        "*rest : float\n    More of them.\n\nReturns\n-------\nfloat\n    That number.\n\n"
        "Raises\n------\nValueError\n    If it is none."
    )

    @complete(SHARED, norm)
    def scaled(weight, x):
        """The norm, scaled.

        Parameters
        ----------
        x : array
            All coordinates.

        Returns
        -------
        array
            Scaled.
        """

    assert getdoc(scaled).split("\n\n")[1:3] == [
        "Parameters\n----------\nweight : float\n    Of all.\nx : array\n    All coordinates.",
        "Returns\n-------\narray\n    Scaled.",
    ]


def test_an_entry_for_two_names_stands_once():
    @complete(SHARED)
    def distance(x, y):
        """The distance."""

    assert getdoc(distance).count("Coordinates.") == 1


def test_a_class_is_completed_with_its_public_methods():
    @complete(SHARED)
    class Point:
        """A point.

        Attributes
        ----------
        name : str

        Examples
        --------
        >>> 1
        1
        """

        def __init__(self, x):
            """Not public, nor is _hidden."""

        def _hidden(self, x):
            """Hidden."""

        def norm(self):
            """The norm."""

        def moved(self, x):
            """Moved."""

        @classmethod
        def read(cls, y):
            """Read."""

        def silent(self, x):
            pass

    assert getdoc(Point).split("\n\n") == [
        "A point.",
        "Parameters\n----------\nx, y : float\n    Coordinates.",
        "Attributes\n----------\nname : str\nsize : int",
        "Raises\n------\nValueError\n    If it is none.",
        "Examples\n--------\n>>> 1\n1",
    ]
    assert getdoc(Point._hidden) == "Hidden."
    assert getdoc(Point.norm) == "The norm."  # it takes nothing that is described
    assert Point.silent.__doc__ is None
    for method in (Point.moved, Point.read):
        assert "Coordinates." in getdoc(method)
        assert "That number." in getdoc(method)
        assert "Attributes" not in getdoc(method)


def test_where_docstrings_are_stripped_nothing_happens():
    def bare(x):
        return x

    assert complete(bare)(bare).__doc__ is None
