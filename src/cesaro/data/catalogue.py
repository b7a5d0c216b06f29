"""The data sets by name: where each comes from, what it must contain, whom to credit."""

from dataclasses import dataclass

from cesaro.data.artifacts import Archive, SvmlightFile

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
CIFAR = "https://www.cs.toronto.edu/~kriz"


@dataclass(frozen=True)
class Entry:
    """A data set of the catalogue.

    Parameters
    ----------
    name : str
        What `load` and `fetch` call it.
    artifacts : tuple of SvmlightFile or Archive
        The training rows and, where they are published, the test rows; or an archive of images.
    about, credit : str
        What it contains, and whom to credit.
    columns : int, optional
        Columns of the rows; images have none.
    embedded : bool, default=False
        Whether it ships inside the package.
    """

    name: str
    artifacts: tuple[SvmlightFile | Archive, ...]
    about: str
    credit: str
    columns: int | None = None
    embedded: bool = False


_CIFAR_CREDIT = "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009 (cite it)"
CATALOGUE = {
    entry.name: entry
    for entry in (
        Entry(
            "a9a",
            (
                SvmlightFile(
                    "a9a", f"{LIBSVM}/a9a", ("f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",)
                ),
                SvmlightFile(
                    "a9a.t", f"{LIBSVM}/a9a.t", ("1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",)
                ),
            ),
            "income above 50,000 dollars; 32,561 and 16,281 (test) rows, 123 binary features",
            "B. Becker, R. Kohavi, Adult, UCI 1996, CC BY 4.0; binary features by J. Platt and LIBSVM",
            columns=123,
            embedded=True,
        ),
        Entry(
            "w8a",
            (
                SvmlightFile(
                    "w8a", f"{LIBSVM}/w8a", ("6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2",)
                ),
            ),
            "web pages of one kind; 49,749 rows, 300 binary features",
            "J. Platt, Fast training of support vector machines, 1998; LIBSVM (cite it)",
            columns=300,
        ),
        Entry(
            "ijcnn1",
            (
                SvmlightFile(
                    "ijcnn1",
                    f"{LIBSVM}/ijcnn1.bz2",
                    (
                        "16506cad788cf7c9607454150ed1994788204bac2ff4c9cb3b320036b6950d3f",  # as served
                        "7fe291672c3fefe6a7e3c51529becd23f0e985ba05ffb8d53c9c648c1e91cc19",  # the same rows, written otherwise
                    ),
                ),
                SvmlightFile(
                    "ijcnn1.t",
                    f"{LIBSVM}/ijcnn1.t.bz2",
                    ("e7b0bbd518641980dc322746c6bc59d019d3153934e6258e48f9d8cfae2c4bb8",),
                ),
            ),
            "misfires of an engine; 49,990 and 91,701 (test) rows, 22 features",
            "D. Prokhorov, IJCNN 2001 neural network competition; C.-C. Chang, C.-J. Lin, LIBSVM (cite it)",
            columns=22,
        ),
        Entry(
            "covtype",
            (
                SvmlightFile(
                    "covtype.libsvm.binary.scale",
                    f"{LIBSVM}/covtype.libsvm.binary.scale.bz2",
                    ("05de16391cecc69f170b1a235453e5183629c1b0e95a68d71938ebbcb05d3150",),  # rebuilt from the UCI table
                    md5="d95f45e15c284005c2c7a4c82e4be102",
                ),
            ),
            "lodgepole pine against other forest; 581,012 rows, 54 features in [0, 1]",
            "J. Blackard, Covertype, UCI 1998, CC BY 4.0; LIBSVM (cite it)",
            columns=54,
        ),
        Entry(
            "cifar10",
            (
                Archive(
                    "cifar-10-batches-bin",
                    f"{CIFAR}/cifar-10-binary.tar.gz",
                    "c32a1d4ab5d03f1284b67883e8d87530",
                    (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"),
                    (
                        "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
                        "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
                        "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
                        "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
                        "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
                        "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
                    ),
                    length=30_730_000,
                ),
            ),
            "60,000 colour images of 10 classes, 32 x 32",
            _CIFAR_CREDIT,
        ),
        Entry(
            "cifar100",
            (
                Archive(
                    "cifar-100-binary",
                    f"{CIFAR}/cifar-100-binary.tar.gz",
                    "03b5dce01913d631647c71ecec9e9cb8",
                    (
                        "train.bin",
                        "test.bin",
                    ),  # no checksums: copies in another order serve, and the loader checks the format
                ),
            ),
            "60,000 colour images of 100 classes, 32 x 32",
            _CIFAR_CREDIT,
        ),
    )
}


def entry_of(name: str | Entry) -> Entry:
    """The entry of a name; an entry is returned as it is.

    Parameters
    ----------
    name : str or Entry
        A name of the catalogue, or an entry of your own.

    Returns
    -------
    Entry
        What is known of the data set.

    Raises
    ------
    ValueError
        If there is no data set of that name.
    """
    if isinstance(name, Entry):
        return name
    if name not in CATALOGUE:
        raise ValueError(f"There is no data set {name!r}: the catalogue has {', '.join(CATALOGUE)}.")
    return CATALOGUE[name]
