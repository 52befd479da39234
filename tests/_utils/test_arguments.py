"""Messages keep the arguments they are about apart from their words."""

import copy
import pickle

import pytest

from inner import arguments
from s2fs import PairCover, read_table

Argument, ArgumentError, Message = arguments.Argument, arguments.ArgumentError, arguments.Message


def test_a_message_names_arguments_as_python_does():
    message = Message(
        "give ", Argument("drop_missing", 0.2), " or ", Argument("include", bare=True)
    )
    assert message == "give `drop_missing=0.2` or include"
    assert message.arguments == ("drop_missing", "include")
    assert message.rewrite(lambda mention: mention.name.upper()) == "give DROP_MISSING or INCLUDE"


def test_messages_in_messages_keep_their_arguments():
    message = Message("so: ", Message("say ", Argument("id")), ".")
    assert message.arguments == ("id",)
    for same in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert (same, same.parts) == (message, message.parts)


def test_errors_say_which_arguments_they_are_about(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    with pytest.raises(ValueError, match="`delimiter` and `decimal` are both") as refused:
        read_table(tmp_path / "t.csv", "b", delimiter=",", decimal=",")
    assert refused.value.arguments == ("delimiter", "decimal")
    with pytest.raises(ArgumentError, match="target is 'c'") as refused:
        read_table(tmp_path / "t.csv", "c")
    assert refused.value.arguments == ("target",)
    with pytest.raises(ArgumentError, match="include and exclude share 0") as refused:
        PairCover(1, include=[0], exclude=[0]).fit([[1, 2], [2, 3], [5, 1], [6, 2]], [0, 0, 1, 1])
    assert refused.value.arguments == ("include", "exclude")
