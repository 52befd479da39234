"""From a list to a model: a panel is the selected features with one linear model."""

from s2fs._utils.lazy import lazy_names

__all__ = ["Panel"]

__getattr__ = lazy_names(__name__, {"Panel": "s2fs.panel.panel"})


def __dir__() -> list[str]:
    return __all__
