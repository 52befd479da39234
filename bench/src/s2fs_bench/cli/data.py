"""``s2fs data``: the datasets of the paper."""

import click

from s2fs.cli.app import Group
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import note


@click.group(cls=Group, epilog="\b\nExample:\n  s2fs data list\n  s2fs data fetch glioma yale")
def data() -> None:
    """List, download and describe the datasets of the paper.

    Datasets are looked for in the folder that the environment variable S2FS_DATA names, then in
    the user's cache.
    """


@data.command("list")
def list_() -> None:
    """List all datasets, and where each one is."""
    from s2fs_bench import PAPER_DATASETS, find_dataset  # not for --help, which needs no extra

    infos = list(PAPER_DATASETS.values())
    print_table(
        {
            "name": [info.name for info in infos],
            "title": [info.title for info in infos],
            "samples": [info.n_samples for info in infos],
            "features": [info.n_features for info in infos],
            "classes": [len(info.class_names) for info in infos],
            "file": [str(find_dataset(info.name) or "not here") for info in infos],
        }
    )


@data.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Download all datasets.")
@click.option("--force", is_flag=True, help="Download again what is in the cache.")
def fetch(*, names: tuple[str, ...], everything: bool, force: bool) -> None:
    """Download datasets into the user's cache and verify them.

    A dataset that cannot be had does not stop the others.
    """
    from s2fs_bench import PAPER_DATASETS, dataset_info, fetch_dataset

    wanted = tuple(PAPER_DATASETS) if everything else names
    if not wanted:
        raise ValueError("NAME is missing; give names from 's2fs data list', or --all.")
    for name in wanted:
        dataset_info(name)
    failures = []
    for name in wanted:
        try:
            click.echo(str(fetch_dataset(name, force=force)))
        except (OSError, ValueError) as error:
            note(str(error))
            failures.append(str(error))
    if failures:
        others = f" ({len(failures) - 1} more failed)" if len(failures) > 1 else ""
        raise OSError(f"{failures[0]}{others}")


@data.command()
@click.argument("name")
def info(*, name: str) -> None:
    """Show what is known about the dataset NAME."""
    from s2fs_bench import dataset_info, find_dataset

    known = dataset_info(name)
    source = known.source
    rows = {
        "name": known.name,
        "title": known.title,
        "samples": str(known.n_samples),
        "features": str(known.n_features),
        "classes": ", ".join(known.class_names),
        "pictures": "no"
        if known.image_shape is None
        else f"{known.image_shape[0]} × {known.image_shape[1]}, order {known.image_order}",
        "source": f"github.com/{source.repository}, {source.path} at {source.commit}",
        "git blob": source.git_blob,
        "sha256": source.sha256 or "not known",
        "file": str(find_dataset(name) or f"not here; download it with 's2fs data fetch {name}'"),
    }
    print_table({"what": list(rows), "value": list(rows.values())})
