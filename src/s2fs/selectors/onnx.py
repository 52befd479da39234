"""Selectors in models that are converted to ONNX: skl2onnx asks an estimator for two functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class OnnxConversion:
    """Lets ``skl2onnx`` convert a fitted selector, alone or in a pipeline; nothing is registered.

    The selector becomes a single node, which takes the selected columns.
    """

    get_support: Callable[..., NDArray[Any]]

    def onnx_shape_calculator(self) -> Callable[[Any], None]:
        """Return the function that tells ``skl2onnx`` the shape of the selected columns.

        Returns
        -------
        callable
            Takes an operator of ``skl2onnx`` and sets the type of its output.
        """
        return _set_shape

    def onnx_converter(self) -> Callable[[Any, Any, Any], None]:
        """Return the function that adds this selector to an ONNX graph.

        Returns
        -------
        callable
            Takes scope, operator and container of ``skl2onnx`` and adds one node.
        """
        return _add_node


def _columns(operator: Any) -> NDArray[Any]:
    """The positions of the selected columns, in the order of the columns, as transform has them."""
    return np.flatnonzero(operator.raw_operator.get_support())


def _set_shape(operator: Any) -> None:
    (given,) = operator.inputs
    shape = [given.get_first_dimension(), len(_columns(operator))]
    operator.outputs[0].type = type(given.type)(shape)


def _add_node(scope: Any, operator: Any, container: Any) -> None:
    from onnx import TensorProto  # installed with skl2onnx, which calls this

    columns = _columns(operator)
    if not len(columns):
        raise ValueError(
            f"{type(operator.raw_operator).__name__} has selected no feature, so there is nothing "
            "to convert to ONNX; give a number of features and fit again."
        )
    name = scope.get_unique_variable_name("selected_columns")
    container.add_initializer(name, TensorProto.INT64, [len(columns)], columns.tolist())
    container.add_node(
        "ArrayFeatureExtractor",
        [operator.inputs[0].full_name, name],
        operator.outputs[0].full_name,
        op_domain="ai.onnx.ml",
        name=scope.get_unique_operator_name("SelectedColumns"),
    )
