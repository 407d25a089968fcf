"""Map of the territories as a self-contained file: a dot per commune, a colour per territory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from deid.reference.communes import CommuneTable
from deid.reference.distances import METROPOLIS, Point

# Neighbours differ in colour: a territory takes the first colour that no neighbour has.
_COLOURS = (
    "#4e79a7",
    "#f28e2b",
    "#59a14f",
    "#e15759",
    "#9c755f",
    "#b07aa1",
    "#76b7b2",
    "#edc948",
    "#ff9da7",
    "#7f7f7f",
)
_OVERSEAS = {"971": "Guadeloupe", "972": "Martinique", "973": "Guyane", "974": "La Réunion", "976": "Mayotte"}
# Maximal distance between points of two territories that are neighbours on the map.
_NEAR_M = 12_000
_DPI = 110


def draw_map(table: CommuneTable, path: Path) -> None:
    """Write the map of the territories of `table`, SVG (dots as one image) or PNG by the suffix of `path`.

    Raises:
        OSError: the file cannot be written. ValueError: the suffix is neither `.svg` nor `.png`.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "nocturne", "svg.fonttype": "path"})
    from matplotlib import pyplot

    points = {commune.insee: table.atlas.point(commune) for commune in table.communes}
    colours = _coloured(table.partition, points)
    figure = pyplot.figure(figsize=(9, 9.6))
    zones = [zone for zone in _OVERSEAS if any(point.zone == zone for point in points.values())]
    boxes = {METROPOLIS: (0.01, 0.13, 0.98, 0.80)}
    boxes |= {zone: (0.03 + 0.195 * at, 0.015, 0.165, 0.115) for at, zone in enumerate(zones)}
    for zone, box in boxes.items():
        axes = figure.add_axes(box)
        here = [(point, colours[name]) for name, codes in table.partition.items() for point in _in(zone, codes, points)]
        axes.scatter(
            [point.x for point, _ in here],
            [point.y for point, _ in here],
            c=[colour for _, colour in here],
            s=3.2 if zone == METROPOLIS else 7,
            linewidths=0,
            rasterized=True,
        )
        axes.set_aspect("equal")
        axes.axis("off")
        if zone != METROPOLIS:
            axes.set_title(_OVERSEAS[zone], fontsize=9, color="#444444", pad=2)
    figure.text(0.03, 0.965, "Territoires : les candidats publics d'un tirage de commune", fontsize=15, weight="bold")
    figure.text(0.03, 0.925, _summary(table), fontsize=10, color="#444444")
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("svg", "png"):
        raise ValueError(f"a map is an SVG or a PNG, not {path.name}")
    figure.savefig(path, format=kind, dpi=_DPI, metadata={"Date": None, "Creator": None} if kind == "svg" else None)
    pyplot.close(figure)


def _summary(table: CommuneTable) -> str:
    sizes = [len(codes) for codes in table.partition.values()]
    known = {commune.insee: commune.population for commune in table.communes}
    people = [sum(known[code] for code in codes) for codes in table.partition.values()]
    return (
        f"{len(sizes)} territoires, de {min(sizes)} à {max(sizes)} communes (médiane {median(sizes):.0f}), "
        f"{_french(min(people))} habitants au moins (médiane {_french(int(median(people)))})\n"
        f"Un point par commune, une couleur par territoire · empreinte {table.partition_digest[:16]}"
    )


def _french(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _in(zone: str, codes: Sequence[str], points: Mapping[str, Point]) -> list[Point]:
    return [points[code] for code in codes if points[code].zone == zone]


def _coloured(partition: Mapping[str, Sequence[str]], points: Mapping[str, Point]) -> dict[str, str]:
    """Return a colour per territory; neighbours differ, unless all colours are taken around."""
    squares: dict[tuple[str, int, int], set[str]] = {}
    for name, codes in partition.items():
        for code in codes:
            point = points[code]
            squares.setdefault((point.zone, point.x // _NEAR_M, point.y // _NEAR_M), set()).add(name)
    near: dict[str, set[str]] = {name: set() for name in partition}
    for (zone, column, row), names in squares.items():
        around = {
            other for c in (-1, 0, 1) for r in (-1, 0, 1) for other in squares.get((zone, column + c, row + r), ())
        }
        for name in names:
            near[name] |= around - {name}
    chosen: dict[str, str] = {}
    for at, name in enumerate(sorted(partition)):
        taken = {chosen[other] for other in near[name] if other in chosen}
        turned = _COLOURS[at % len(_COLOURS) :] + _COLOURS[: at % len(_COLOURS)]
        chosen[name] = next((colour for colour in turned if colour not in taken), turned[0])
    return chosen
