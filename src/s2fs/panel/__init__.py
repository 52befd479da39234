"""From a list to a model: a panel is the selected features with one linear model."""

from s2fs._utils.lazy import lazy_names

__all__ = ["Panel", "Validation"]

__getattr__ = lazy_names(
    __name__, {"Panel": "s2fs.panel.panel", "Validation": "s2fs.panel.validation"}
)


def __dir__() -> list[str]:
    return __all__
