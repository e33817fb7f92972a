"""The result as a picture, drawn from the JSON so that an old result can be drawn again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, OTHERS, FLOOR = "#d9480f", "#748ffc", "#868e96"


def main() -> int:
    """`python -m benches.compare.plot result.json`"""
    source = Path(sys.argv[1])
    for path in draw(json.loads(source.read_text()), source.with_suffix("")):
        print(path)
    return 0


def draw(result: dict[str, Any], base: Path) -> list[Path]:
    cases = result["cases"]
    columns = 2 if len(cases) > 1 else 1
    rows = -(-len(cases) // columns)
    # The heading's room is in inches: as a share of the height it would be a sliver of a large figure.
    figure, axes = plt.subplots(
        rows, columns, figsize=(7.5 * columns, 2.9 * rows + 0.7), squeeze=False, layout="constrained"
    )
    flat = [ax for row in axes for ax in row]
    for ax, case in zip(flat, cases, strict=False):
        draw_case(ax, case)
    for ax in flat[len(cases) :]:
        ax.axis("off")
    machine = result["machine"]
    figure.suptitle(
        f"{result['broker'].split(' (')[0]} · {machine['cores']} cores · Python {machine['python']} · "
        f"median of {result['rounds']} interleaved rounds",
        fontsize=10,
        color="#495057",
    )
    paths = [base.with_suffix(".png"), base.with_suffix(".svg")]
    for path in paths:
        figure.savefig(path, dpi=130)
    plt.close(figure)
    return paths


def draw_case(ax: Axes, case: dict[str, Any]) -> None:
    is_latency = case["job"] == "latency"
    clients = case["clients"]
    labels = [client["label"] for client in clients]
    values = [latency_ms(client, "p50") if is_latency else cpu(client) for client in clients]
    bars = ax.barh(labels, values, color=[colour(label) for label in labels], height=0.62)
    if is_latency:
        tails = [latency_ms(client, "p99") for client in clients]
        ax.plot(tails, labels, "|", color="#212529", markersize=12, markeredgewidth=1.5, label="p99")
        ax.legend(loc="upper right", frameon=True, fontsize=8)
        ax.set_xscale("log")
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
    ax.invert_yaxis()
    ax.margins(x=0.14)
    ax.set_xlabel(
        "milliseconds, p50 (logarithmic)" if is_latency else "client CPU per record, microseconds", fontsize=8
    )
    codec = "" if case["codec"] == "none" else f", {case['codec']}"
    ax.set_title(f"{case['title']} ({case['size']} B{codec})", fontsize=9, loc="left", fontweight="bold")
    ax.tick_params(labelsize=8)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def cpu(client: dict[str, Any]) -> float:
    values = sorted((one["user"] + one["system"]) * 1e6 / one["records"] for one in client["rounds"])
    return float(values[len(values) // 2])


def latency_ms(client: dict[str, Any], which: str) -> float:
    return float(client["latency_us"][which] / 1000)


def colour(label: str) -> str:
    if label.startswith("kafkars"):
        return OURS
    return FLOOR if label.startswith("bare ") else OTHERS


if __name__ == "__main__":
    sys.exit(main())
