"""The networks of figures 2 and 3: the paper's 4-layer CNN and VGG-16."""

from collections.abc import Callable

from torch import nn

VGG = [64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0]  # 0: max-pool


def cnn(classes: int = 10) -> nn.Sequential:
    """The paper's CNN: two 3x3 convolutions of 32 filters, 2x2 max-pool, dropout 0.25, dense 128, dropout 0.5, dense."""
    return nn.Sequential(
        nn.Conv2d(3, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout(0.25),
        nn.Flatten(),
        nn.Linear(32 * 14 * 14, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, classes),
    )


def vgg16(classes: int = 10) -> nn.Sequential:
    """VGG-16 for 32 x 32 images: 13 convolutions with batch norm, then two dense layers and the output."""
    layers: list[nn.Module] = []
    width = 3
    for filters in VGG:
        if filters == 0:
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(width, filters, 3, padding=1), nn.BatchNorm2d(filters), nn.ReLU(inplace=True)]
            width = filters
    dense = [nn.Linear(512, 512), nn.ReLU(inplace=True), nn.Dropout(0.5)]
    return nn.Sequential(
        *layers, nn.Flatten(), nn.Dropout(0.5), *dense, nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, classes)
    )


NETWORKS: dict[str, Callable[[int], nn.Sequential]] = {"cnn": cnn, "vgg16": vgg16}
