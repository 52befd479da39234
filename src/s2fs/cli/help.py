"""``--help`` with the options of a command under headings."""

import click

from s2fs.cli.options import FLAGS

#: What an option is about, by its name; what is in none of these is about the selection.
_PLACE_OF_DATA = {"database", "table"}
_EVALUATION = {
    *("verdict", "scoring", "positive", "learner", "folds", "repeats", "seed", "check"),
}
_OUTPUT = {
    "output",
    "raw_text",
    "save",
    "force",
    "report",
    "details",
    "image_shape",
    "names",
    "image_order",
    "help",
}
#: The headings in the order they are shown.
_HEADINGS = ("Data", "Selection", "Evaluation", "Output")


class Command(click.Command):
    """A command that lists its options under headings: data, selection, evaluation, output."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each heading that has any."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections[_heading_of(str(parameter.name))].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _heading_of(name: str) -> str:
    """The heading of an option."""
    if name in FLAGS or name in _PLACE_OF_DATA:
        return "Data"
    if name in _EVALUATION:
        return "Evaluation"
    if name in _OUTPUT:
        return "Output"
    return "Selection"
